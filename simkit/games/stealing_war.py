"""Stealing War: rules page docs/rules/war.md, section 5 and what it refers to (1, 2, 3.1 `lose`, 7 to 11).

B1 to B6 are the page's steps of a battle, D1 to D20 its decisions. A card is its rank; Jokers are 15, or 15 and 16. A
set of cards is an int64 with four bits a rank (`one_of`, `copies`). Packets and piles end at place WIDTH of their
arrays: a packet's front is at WIDTH - held, a pile's top at WIDTH - piled.

Two kinds of decision. LOOK: a move is 0 (commit) or the bit mask of the seats to steal from; asked only if there is a
legal steal. TOP: a move is the rank of the pot to be put on top; asked only if the pot has two ranks or more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simkit.cards import rank_name
from simkit.game import (
    CAPPED,
    DRAW,
    GIVEN,
    INT,
    OUTCOMES,
    OVER,
    PAUSED,
    WIN,
    Column,
    Game,
    choice,
    flag,
    record,
    result_columns,
    rules_record,
    state_header,
    view_header,
    whole,
)  # fmt: skip
from simkit.jit import BLOCK, byte_at, copy_block, count_ones, inlined, kernel, lowest_one, part
from simkit.rng import CHANCE, DEAL, below, next_word, open_stream, shuffle

NAMES = ("stealing-war",)

SEATS = 4
WIDTH = 128
"""Places of a packet and of a pile: the largest deck of 106, and what a block copy may write before it."""
LAID = 64
"""Places for what one seat lays in a battle: whoever fights a war lays as much as another, so half the deck at most."""
LARGEST_RANKS = 13
"""Jokers are 15 and 16, so no rank may be higher than 14."""
JOKERS = 2
JOKER, BIG_JOKER = 15, 16
LOWEST = 2
MOST_MOVES = 16

LOOK, TOP = 0, 1
"""Kinds of decision."""
COMMIT = 0
"""The move that is no steal."""
BEGIN, LOOKING, DECIDED = range(3)
"""Where the game goes on, `state.phase`: with a battle, with its look step, with the pot of the one contender left."""
DEALT, STOLE, FOUGHT = range(3)
"""What a scene shows: `state.event`."""
ASKED, TURNED_UP, WON, STUCK = range(4)
"""How a look step, or the laying of cards, ends: a decision is due; cards are turned up; one contender is left; deadlock."""

# ---------------------------------------------------------------------------------------------------- parameters (7)

ALL, TIED = 0, 1
SET_ASIDE, REMOVE_TWOS, FIRST_POT = range(3)
CARRY, LOT = 0, 1
NO_RESULT, MOST_CARDS = 0, 1
EQUAL, BIG_AND_LITTLE = 0, 1
RANDOM, ROTATE, BY_SEAT = range(3)
REPLACE, FORFEIT, NO_STEAL = range(3)

PARAMETERS = [
    whole("players", 2, 2, 4, "number of players"),
    whole("face_down", 3, 0, 10, "cards each lays face down in a war, before the one that is looked at (D1, D19)"),
    choice("short_war_rule", "lose", ("lose",), "what a player short of cards for a war does (D5)"),
    choice("war_participants", "all", ("all", "tied"), "who fights a war of 3 or 4 players (D7, D8)"),
    choice("leftover", "set_aside", ("set_aside", "remove_twos", "first_pot"), "what becomes of cards that do not divide evenly (D4)"),
    choice("deadlock_rule", "carry", ("carry", "lot"), "who gets the pot if no contender has a card left (D9)"),
    whole("max_battles", 10000, 1, 10**9, "battles after which a game is capped (D10)"),
    whole("ranks", 13, 2, LARGEST_RANKS, "ranks in the deck, Jokers not counted"),
    whole("copies", 4, 1, 8, "cards of each rank, Jokers not counted"),
    choice("cap_result", "no_result", ("no_result", "most_cards"), "what a capped game counts as (8)"),
    choice("joker_rank", "equal", ("equal", "big_and_little"), "whether the two Jokers tie and match (D17)"),
    choice("steal_priority", "random", ("random", "rotate", "seat"), "who looks and may steal first (D11)"),
    whole("piles_per_card", 0, 0, SEATS - 1, "most piles that one card may steal; 0: all that match (D12)"),
    choice("war_steal", "replace", ("replace", "forfeit", "none"), "what a steal with the last card of a war does (D13)"),
    flag("stealing_enabled", True, "whether anybody may steal at all"),
]
RULES = rules_record(PARAMETERS)

# ------------------------------------------------------------------------------------------------------- columns (11)


def columns() -> list[Column]:
    """What is recorded of each game."""
    seat, ranks = {"per": "seat"}, tuple(str(rank) for rank in range(LOWEST, BIG_JOKER + 1))
    return [
        *result_columns(),
        Column("draw_seats", "bit mask of the seats that share a draw", 0, 16, finished=False),
        Column("capped", "1 if the game reached max_battles", 0, 2, finished=False),
        Column("battles", "length in battles", 0, 10001),
        Column("wars", "battles with a tie for highest", 0, 512),
        Column("war_rounds", "war rounds in all, double wars counted twice", 0, 1024),
        Column("deepest_war", "most rounds in one battle", 0, 32),
        Column("biggest_pot", "most cards in one pot", 0, 107),
        Column("short_events", "times a contender short of cards laid fewer than a war asks", 0, 64),
        Column("deadlocks", "battles in which no contender had a card left", 0, 16),
        Column("bystander_wars", "wars won by a player who was not in the first tie", 0, 256),
        Column("ended_in_war", "1 if the last battle was a war", 0, 2),
        Column("place", "finishing place; 0 if still in when the game stopped", 0, 5, **seat),
        Column("out", "battle in which the seat went out; 0 if it did not", 0, 10001, **seat),
        Column("battles_won", "pots taken", 0, 8192, **seat),
        Column("wars_won", "pots taken after a war", 0, 512, **seat),
        Column("steals", "cards stolen with", 0, 256, **seat),
        Column("piles_stolen", "piles stolen", 0, 512, **seat),
        Column("cards_stolen", "cards in those piles", 0, 4096, **seat),
        Column("multi_steals", "steals of two piles or more", 0, 64, **seat),
        Column("war_steals", "steals in wars", 0, 64, **seat),
        Column("declined", "looked-at cards that could have stolen and were committed", 0, 512, **seat),
        Column("refills", "times the pile became the packet", 0, 512, **seat),
        Column("aces", "cards of the highest rank below the Jokers dealt to the seat", 0, 9, finished=False, **seat),
        Column("jokers", "Jokers dealt to the seat", 0, 3, finished=False, **seat),
        Column("strength", "sum of the ranks dealt to the seat", 0, 1024, finished=False, **seat),
        Column("cards_at_end", "cards owned at the end", 0, 107, **seat),
        Column("most_cards", "most cards owned after any battle", 0, 107, group="all", **seat),
        Column("fewest_cards", "fewest cards owned after any battle", 0, 107, group="all", **seat),
        Column("lead_changes", "times the one seat that owns most cards became another", 0, 512, group="all"),
        Column("last_lead_change", "battle after which the lead changed last; 0 if it never did", 0, 10001, group="all"),
        Column("wars_by_rank", "wars first tied at this rank", 0, 128, group="all", labels=ranks),
    ]


# --------------------------------------------------------------------------------------------------------- the records

# What everybody may know (10). A card that lies face down is written 0.
TABLE = record([
    ("battles", INT),  # battles begun
    ("winner", INT),  # of the last pot; -1 if there was none
    ("depth", INT),  # war rounds of this battle
    ("held", INT, (SEATS,)),  # cards in each packet
    ("piled", INT, (SEATS,)),  # cards in each pile
    ("top", INT, (SEATS,)),  # the pile's top card; 0 if there is no pile
    ("pile_cards", INT, (SEATS,)),  # the pile as a set of cards
    ("known", INT, (SEATS,)),  # cards of the packet's last refill that were not shown since: in the packet, or face down on the table
    ("earlier", INT, (SEATS,)),  # the same of earlier refills: these lie face down in the pot
    ("first_packet", INT),  # bit mask of the seats whose packet is the one dealt
    ("unseen", INT),  # cards never shown: in the packets dealt, face down in the pot from them, or set aside
    ("contenders", INT),  # bit mask
    ("committed", INT),  # bit mask of those who have committed a card in this look step
    ("first_tied", INT),  # bit mask of the first tie of this battle
    ("position", INT),  # in the priority order: who looks now
    ("active", INT),  # players in this battle
    ("priority", INT, (SEATS,)),  # their seats in priority order
    ("carried_size", INT),
    ("laid_size", INT, (SEATS,)),
    ("pot", INT),  # the last pot won, as a set of cards
    ("steals", INT, (SEATS,)),
    ("shown", "u1", (SEATS, LAID)),  # this battle's cards, in the order laid
    ("carried", "u1", (WIDTH,)),  # carried into this battle's pot
    ("carried_by", "u1", (WIDTH,)),  # by whom each of them was laid; SEATS: left over from the deal
    ("pile", "u1", (SEATS, WIDTH)),  # top first, ending at WIDTH
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("phase", INT),
    ("event", INT),
    ("card", INT),  # the card that the seat to act has looked at; 0 if none
    ("inside", INT, (SEATS,)),  # each packet as a set of cards
    ("aside", INT),  # set of cards that are set aside
    ("tied", INT),  # bit mask of the latest tie
    ("outcome", INT),  # -1 while the game runs
    ("packet", "u1", (SEATS, WIDTH)),  # front first, ending at WIDTH
    ("laid", "u1", (SEATS, LAID)),  # as `shown`, and the committed card after the last of them
    ("carried", "u1", (WIDTH,)),
    ("fresh", "u1", (WIDTH,)),  # the deck before it is shuffled
    ("fresh_size", INT),  # its cards; 0 until it is made
    ("deck", "u1", (WIDTH,)),  # in the order dealt
    ("spare", "u1", (WIDTH,)),  # for `guess`
    ("thief", INT), ("stolen_from", INT), ("stolen_with", INT),  # of the last steal, for a scene
    # what is recorded
    ("winner", INT), ("draw_seats", INT), ("capped", INT), ("wars", INT), ("war_rounds", INT), ("deepest_war", INT),
    ("biggest_pot", INT), ("short_events", INT), ("deadlocks", INT), ("bystander_wars", INT),
    ("out", INT, (SEATS,)), ("battles_won", INT, (SEATS,)), ("wars_won", INT, (SEATS,)),
    ("piles_stolen", INT, (SEATS,)), ("cards_stolen", INT, (SEATS,)), ("multi_steals", INT, (SEATS,)),
    ("war_steals", INT, (SEATS,)), ("declined", INT, (SEATS,)), ("refills", INT, (SEATS,)),
    ("aces", INT, (SEATS,)), ("jokers", INT, (SEATS,)), ("strength", INT, (SEATS,)),
    ("most_cards", INT, (SEATS,)), ("fewest_cards", INT, (SEATS,)),
    ("leader", INT), ("lead_changes", INT), ("last_lead_change", INT), ("wars_by_rank", INT, (BIG_JOKER - LOWEST + 1,)),
])  # fmt: skip
# `leader` is the last seat that alone owned most cards, -1 before there was one.

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),
    ("card", INT),  # LOOK: the card looked at
])  # fmt: skip

# ------------------------------------------------------------------------------------------------------- sets of cards


@kernel
def one_of(card):
    """The set of this one card."""
    return np.int64(1) << (4 * card - 4 * LOWEST)


@kernel
def copies(cards, rank):
    """How many cards of this rank are in a set of cards."""
    return (cards >> (4 * rank - 4 * LOWEST)) & 15


@kernel
def size_of(cards):
    """How many cards are in a set of cards."""
    n = np.int64(0)
    while cards != 0:
        n += cards & 15
        cards >>= 4
    return n


@part
def spread(cards, target, place):
    """Write a set of cards, ascending, from target[place] on. Returns the place after them."""
    for rank in range(LOWEST, BIG_JOKER + 1):
        for _ in range(copies(cards, rank)):
            target[place] = rank
            place += 1
    return place


# ------------------------------------------------------------------------------------------------------------ the deal


@part
def unwrap_deck(state):
    """Section 2, step 1: the cards in ascending order, left-over twos taken out (D4). Once for all games of these rules."""
    rules = state.rules
    cards = rules.ranks * rules.copies + JOKERS
    dropped = cards % rules.players if rules.leftover == REMOVE_TWOS else np.int64(0)
    place = -dropped
    for rank in range(LOWEST, LOWEST + rules.ranks):
        for _ in range(rules.copies):
            if place >= 0:
                state.fresh[place] = rank
            place += 1
    state.fresh[place] = JOKER
    state.fresh[place + 1] = BIG_JOKER if rules.joker_rank == BIG_AND_LITTLE else JOKER
    state.fresh_size = place + JOKERS


@kernel
def clear(state):
    """No cards anywhere, nothing has happened yet; `step` plays on."""
    state.seats = state.rules.players
    state.decision = LOOK
    state.seat = PAUSED
    state.phase = BEGIN
    state.event = DEALT
    state.card = 0
    state.aside = 0
    state.tied = 0
    state.outcome = -1
    table = state.table
    table.battles = 0
    table.winner = -1
    table.depth = 0
    table.first_packet = (np.int64(1) << state.seats) - 1
    table.unseen = 0
    table.contenders = 0
    table.committed = 0
    table.first_tied = 0
    table.position = 0
    table.active = 0
    table.carried_size = 0
    table.pot = 0
    for s in range(SEATS):
        table.held[s] = 0
        table.piled[s] = 0
        table.top[s] = 0
        table.pile_cards[s] = 0
        table.known[s] = 0
        table.earlier[s] = 0
        table.priority[s] = 0
        table.laid_size[s] = 0
        table.steals[s] = 0
        state.inside[s] = 0
    forget(state)


@part
def forget(state):
    """Nothing is recorded yet."""
    state.winner = -1
    state.draw_seats = 0
    state.capped = 0
    state.wars = 0
    state.war_rounds = 0
    state.deepest_war = 0
    state.biggest_pot = 0
    state.short_events = 0
    state.deadlocks = 0
    state.bystander_wars = 0
    for s in range(SEATS):
        state.out[s] = 0
        state.battles_won[s] = 0
        state.wars_won[s] = 0
        state.piles_stolen[s] = 0
        state.cards_stolen[s] = 0
        state.multi_steals[s] = 0
        state.war_steals[s] = 0
        state.declined[s] = 0
        state.refills[s] = 0
        state.aces[s] = 0
        state.jokers[s] = 0
        state.strength[s] = 0
        state.most_cards[s] = 0
        state.fewest_cards[s] = WIDTH
    state.leader = -1
    state.lead_changes = 0
    state.last_lead_change = 0
    if state.detail == 1:
        for k in range(BIG_JOKER - LOWEST + 1):
            state.wars_by_rank[k] = 0


@part
def hand_out(state):
    """Section 2, steps 2 to 4: one card at a time, and the left-over cards (D4)."""
    seats, table = state.seats, state.table
    each = state.fresh_size // seats
    top = state.rules.ranks + 1
    table.unseen = 0
    for s in range(seats):
        aces, jokers, strength, inside = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        packet = state.packet[s]
        for k in range(each):
            card = byte_at(state.deck, k * seats + s)
            packet[np.uint64(WIDTH - each + k)] = card
            aces += np.int64(card == top)
            jokers += np.int64(card >= JOKER)
            strength += card
            inside += one_of(card)
        table.held[s] = each
        table.unseen += inside
        state.inside[s] = inside
        state.aces[s] = aces
        state.jokers[s] = jokers
        state.strength[s] = strength
    for k in range(each * seats, state.fresh_size):
        card = np.int64(state.deck[k])
        table.unseen += one_of(card)
        if state.rules.leftover == FIRST_POT:
            state.carried[table.carried_size] = card
            table.carried[table.carried_size] = 0
            table.carried_by[table.carried_size] = SEATS
            table.carried_size += 1
        else:
            state.aside += one_of(card)


@kernel
def start(state):
    """Shuffles and deals; `step` plays on from here."""
    clear(state)
    if state.fresh_size == 0:
        unwrap_deck(state)
    if state.dealing != GIVEN:
        for block in range(0, state.fresh_size, BLOCK):
            copy_block(state.deck, block, state.fresh, block)
        open_stream(state.rng, state.key[0], state.key[1], DEAL)
        shuffle(state.rng, state.deck, state.fresh_size)
    open_stream(state.rng, state.key[0], state.key[1], CHANCE)
    hand_out(state)


# --------------------------------------------------------------------------------------------------- moving cards (5.1)


@inlined
def owned(state, s):
    """Cards of a seat, packet and pile together; a card that is committed or laid is the pot's."""
    return state.table.held[s] + state.table.piled[s]


@part
def take_front(state, s):
    """The front card of a packet, taken."""
    held = state.table.held[s]
    card = byte_at(state.packet[s], WIDTH - held)
    state.table.held[s] = held - 1
    state.inside[s] -= one_of(card)
    return card


@part
def refill(state, s):
    """The whole pile, shuffled, becomes the packet."""
    table = state.table
    cards = table.piled[s]
    # Shuffled only where nobody looks: what was the pile stays to be seen as it lay.
    for done in range(0, cards, BLOCK):
        copy_block(state.packet[s], WIDTH - BLOCK - done, table.pile[s], WIDTH - BLOCK - done)
    shuffle(state.rng, state.packet[s][WIDTH - cards :], cards)
    table.held[s] = cards
    state.inside[s] = table.pile_cards[s]
    if (table.first_packet >> s) & 1:
        table.first_packet ^= np.int64(1) << s
    else:
        table.earlier[s] += table.known[s]
    table.known[s] = table.pile_cards[s]
    table.piled[s] = 0
    table.top[s] = 0
    table.pile_cards[s] = 0
    state.refills[s] += 1


@part
def refill_empty(state, among):
    """Refill moments (i) and (ii): the seats of a bit mask, in ascending order."""
    for s in range(state.seats):
        if state.table.held[s] == 0 and (among >> s) & 1 and state.table.piled[s] > 0:
            refill(state, s)


@part
def show(state, s, card):
    """A card from a seat's packet is shown to all."""
    if (state.table.first_packet >> s) & 1:
        state.table.unseen -= one_of(card)
    else:
        state.table.known[s] -= one_of(card)


@part
def put_pile_on(state, s, victim):
    """A victim's pile, its order unchanged, goes on top of another pile."""
    table = state.table
    cards = table.piled[victim]
    place = WIDTH - table.piled[s]
    for done in range(0, cards, BLOCK):
        copy_block(table.pile[s], place - BLOCK - done, table.pile[victim], WIDTH - BLOCK - done)
    table.piled[s] += cards
    table.pile_cards[s] += table.pile_cards[victim]
    table.piled[victim] = 0
    table.top[victim] = 0
    table.pile_cards[victim] = 0
    return cards


# --------------------------------------------------------------------------------------------------- the look step (5.2)


@inlined
def matching(state, s, card):
    """Bit mask of the other seats whose pile's top card has this rank (D12)."""
    found = np.int64(0)
    for t in range(state.seats):
        found |= np.int64(state.table.top[t] == card) << t
    return found & ~(np.int64(1) << s)


@part
def steals_allowed(state):
    """Whether a card looked at now may steal (D13)."""
    return state.rules.stealing_enabled == 1 and (state.table.depth == 0 or state.rules.war_steal != NO_STEAL)


@part
def commit(state, s):
    """The card looked at is put face down; the next player acts."""
    table = state.table
    state.laid[s, table.laid_size[s]] = state.card
    table.committed |= np.int64(1) << s
    table.position += 1
    state.card = 0


@part
def turn_up(state):
    """All committed cards are turned up together and join the pot."""
    table = state.table
    for s in range(state.seats):
        if (table.committed >> s) & 1:
            place = table.laid_size[s]
            card = np.int64(state.laid[s, place])
            table.shown[s, place] = card
            table.laid_size[s] = place + 1
            show(state, s, card)
    table.committed = 0


@part
def look(state):
    """On with the look step: up to the next choice (ASKED), or to its end (TURNED_UP)."""
    table = state.table
    allowed = steals_allowed(state)
    while table.position < table.active:
        s = np.int64(table.priority[table.position])
        if (table.contenders >> s) & 1 == 0:
            table.position += 1
            continue
        state.card = take_front(state, s)
        if allowed and matching(state, s, state.card) != 0:
            state.decision = LOOK
            state.seat = s
            return ASKED
        commit(state, s)
    turn_up(state)
    return TURNED_UP


@part
def steal(state, s, victims):
    """The card shown, the stolen piles clockwise from the thief, then the old pile."""
    table = state.table
    cards = np.int64(0)
    v = s
    for _ in range(state.seats - 1):
        v = v - 1 if v > 0 else state.seats - 1
        if (victims >> v) & 1:
            cards += put_pile_on(state, s, v)
    show(state, s, state.card)
    table.piled[s] += 1
    table.pile[s, WIDTH - table.piled[s]] = state.card
    table.pile_cards[s] += one_of(state.card)
    table.top[s] = state.card
    table.steals[s] += 1
    state.piles_stolen[s] += count_ones(victims)
    state.cards_stolen[s] += cards
    state.multi_steals[s] += np.int64(count_ones(victims) > 1)
    state.war_steals[s] += np.int64(table.depth > 0)
    state.event = STOLE
    state.thief, state.stolen_from, state.stolen_with = s, victims, state.card
    state.card = 0


@part
def answer(state, s, move):
    """A look-step choice; a thief takes the next card, after a refill (iii) if need be, or forfeits the war (D13)."""
    table = state.table
    if move == COMMIT:
        state.declined[s] += 1
        commit(state, s)
        return
    steal(state, s, move)
    if table.depth > 0 and state.rules.war_steal == FORFEIT:
        table.contenders ^= np.int64(1) << s
        table.position += 1
        if count_ones(table.contenders) == 1:
            turn_up(state)
            state.tied = table.contenders
            state.phase = DECIDED
    elif table.held[s] == 0:
        refill(state, s)


# --------------------------------------------------------------------------------------------------- one battle (5.3)


@part
def begin(state):
    """5.3.1: the players, their priority order (D11), refill (i)."""
    table, seats = state.table, state.seats
    battles = table.battles
    table.battles = battles + 1
    table.depth = 0
    table.first_tied = 0
    table.position = 0
    priority = state.rules.steal_priority
    first = battles % seats if priority == ROTATE else np.int64(0)
    active, contenders = np.int64(0), np.int64(0)
    for k in range(seats):
        s = first + k if first + k < seats else first + k - seats
        table.laid_size[s] = 0
        if owned(state, s) > 0:
            table.priority[active] = s
            active += 1
            contenders |= np.int64(1) << s
    if priority == RANDOM:
        shuffle(state.rng, table.priority, active)
    table.active = active
    table.contenders = contenders
    refill_empty(state, contenders)
    state.phase = LOOKING


@part
def shows(state, s):
    """A contender's showing card: the last it laid."""
    return np.int64(state.laid[s, max(state.table.laid_size[s] - 1, 0)])


@part
def highest(state):
    """B2: the highest rank shown by a contender; `tied` becomes the set of those who show it."""
    top, tied = np.int64(0), np.int64(0)
    # Who shows what is as good as random: no branches, and 0 for the card of a seat that is no contender.
    for s in range(state.seats):
        top = max(top, shows(state, s) * ((state.table.contenders >> s) & 1))
    for s in range(state.seats):
        tied |= np.int64(shows(state, s) * ((state.table.contenders >> s) & 1) == top) << s
    state.tied = tied
    return top


@part
def leave_or_lose(state):
    """The start of a step of a war: refill (ii), then `lose` (i) to (iii) of 3.1."""
    table = state.table
    refill_empty(state, table.contenders)
    empty = np.int64(0)
    for s in range(state.seats):
        if (table.contenders >> s) & 1 and owned(state, s) == 0:
            empty |= np.int64(1) << s
    if empty == table.contenders:
        return STUCK
    table.contenders ^= empty
    if empty != 0 and count_ones(table.contenders) == 1:
        return WON
    return ASKED


@part
def lay_face_down(state):
    """The face-down cards of a war round in lockstep, and what comes before the look step for the last."""
    table = state.table
    for _ in range(state.rules.face_down):
        verdict = leave_or_lose(state)
        if verdict != ASKED:
            return verdict
        for s in range(state.seats):
            if (table.contenders >> s) & 1:
                place = table.laid_size[s]
                state.laid[s, place] = take_front(state, s)
                table.shown[s, place] = 0
                table.laid_size[s] = place + 1
    return leave_or_lose(state)


@part
def war_round(state, rank):
    """5.3.4 up to its look step. A contender is short with fewer cards than the round asks (3.1)."""
    table = state.table
    if table.first_tied == 0:
        table.first_tied = state.tied
        state.wars += 1
        if state.detail == 1:
            state.wars_by_rank[rank - LOWEST] += 1
    if state.rules.war_participants == TIED:
        table.contenders = state.tied
    table.depth += 1
    table.position = 0
    short, before = np.int64(0), np.int64(0)
    for s in range(state.seats):
        if (table.contenders >> s) & 1 and owned(state, s) <= state.rules.face_down:
            short |= np.int64(1) << s
            before += table.laid_size[s] << (8 * s)
    verdict = lay_face_down(state)
    for s in range(state.seats):
        if (short >> s) & 1 and table.laid_size[s] > (before >> (8 * s)) & 255:
            state.short_events += 1
    return verdict


@part
def fight(state):
    """On with the battle from its look step. Returns WON, STUCK, or ASKED if a choice is due."""
    while True:
        if look(state) == ASKED:
            return ASKED
        rank = highest(state)
        if state.tied & (state.tied - 1) == 0:
            return WON
        verdict = war_round(state, rank)
        if verdict != ASKED:
            if verdict == WON:
                state.tied = state.table.contenders
            return verdict


# ---------------------------------------------------------------------------------------------- the pot (5.3.5, 5.4, B5)


@part
def count_pot(state):
    """The pot's size, carried cards included, and its depth go into the record."""
    table = state.table
    cards = table.carried_size
    for s in range(state.seats):
        cards += table.laid_size[s]
    state.biggest_pot = max(state.biggest_pot, cards)
    if table.depth > 0:
        state.war_rounds += table.depth
        state.deepest_war = max(state.deepest_war, table.depth)


@part
def turn_pot_up(state):
    """The winner turns the whole pot face up (5.1, D18): what lay face down in it is now known."""
    table = state.table
    table.unseen = state.aside
    for s in range(state.seats):
        for k in range(table.laid_size[s]):
            table.shown[s, k] = state.laid[s, k]
        table.earlier[s] = 0
        if (table.first_packet >> s) & 1:
            table.unseen += state.inside[s]
        else:
            table.known[s] = state.inside[s]
    for k in range(table.carried_size):
        table.carried[k] = state.carried[k]


@part
def pot_cards(state):
    """The pot as a set of cards."""
    cards = np.int64(0)
    for s in range(state.seats):
        for k in range(state.table.laid_size[s]):
            cards += one_of(np.int64(state.laid[s, k]))
    for k in range(state.table.carried_size):
        cards += one_of(np.int64(state.carried[k]))
    return cards


@part
def win(state, winner):
    """A seat wins the pot. Returns True if it must choose its top card first."""
    table = state.table
    table.winner = winner
    state.battles_won[winner] += 1
    if table.first_tied != 0:
        state.wars_won[winner] += 1
        state.bystander_wars += 1 - ((table.first_tied >> winner) & 1)
    if table.depth > 0 or table.carried_size > 0:
        turn_pot_up(state)
    table.pot = pot_cards(state)
    lowest = lowest_one(table.pot) >> 2
    if table.pot >> (4 * lowest) < 16:
        place_pot(state, winner, lowest + LOWEST)
        return False
    state.decision = TOP
    state.seat = winner
    return True


@part
def place_pot(state, winner, top):
    """The pot goes on the winner's pile: the chosen card, then the rest seat by seat as laid, then what was carried."""
    table = state.table
    cards = table.carried_size
    for s in range(state.seats):
        cards += table.laid_size[s]
    pile = table.pile[winner]
    front = WIDTH - table.piled[winner] - cards
    place = front
    for s in range(state.seats):
        for k in range(table.laid_size[s]):
            pile[place] = state.laid[s, k]
            place += 1
    for k in range(table.carried_size):
        pile[place] = state.carried[k]
        place += 1
    place = front
    while pile[place] != top:
        place += 1
    for k in range(place, front, -1):
        pile[k] = pile[k - 1]
    pile[front] = top
    table.carried_size = 0
    table.piled[winner] += cards
    table.pile_cards[winner] += table.pot
    table.top[winner] = top


@part
def carry(state):
    """The pot stays on the table: the laid cards, seat 0's first, then the cards carried before (D9)."""
    table = state.table
    laid, before = np.int64(0), table.carried_size
    for s in range(state.seats):
        laid += table.laid_size[s]
    for k in range(before - 1, -1, -1):
        state.carried[laid + k] = state.carried[k]
        table.carried[laid + k] = table.carried[k]
        table.carried_by[laid + k] = table.carried_by[k]
    place = np.int64(0)
    for s in range(state.seats):
        for k in range(table.laid_size[s]):
            state.carried[place] = state.laid[s, k]
            table.carried[place] = table.shown[s, k]
            table.carried_by[place] = s
            place += 1
    table.carried_size = laid + before


@part
def deadlock(state):
    """B5: no contender has a card. Returns True if the lot falls on a seat that must choose its top card."""
    table = state.table
    state.deadlocks += 1
    table.winner = -1
    anyone = np.int64(0)
    for s in range(state.seats):
        anyone += owned(state, s)
    if anyone == 0:
        carry(state)
        state.outcome = DRAW
        state.draw_seats = table.contenders
    elif state.rules.deadlock_rule == CARRY:
        carry(state)
    else:
        left = table.contenders
        for _ in range(below(state.rng, count_ones(left))):
            left &= left - 1
        return win(state, lowest_one(left))
    return False


# ------------------------------------------------------------------------------------------------------- end check (B6)


@part
def measure(state):
    """Most and fewest cards, and who leads, after a battle."""
    most, leader = np.int64(-1), np.int64(-1)
    for s in range(state.seats):
        cards = owned(state, s)
        state.most_cards[s] = max(state.most_cards[s], cards)
        state.fewest_cards[s] = min(state.fewest_cards[s], cards)
        if cards == most:
            leader = np.int64(-1)
        elif cards > most:
            most, leader = cards, np.int64(s)
    if leader >= 0:
        if state.leader >= 0 and state.leader != leader:
            state.lead_changes += 1
            state.last_lead_change = state.table.battles
        state.leader = leader


@part
def decide_capped(state):
    """The game reached max_battles: no result, or the seat that owns most cards (8)."""
    state.capped = 1
    state.outcome = CAPPED
    if state.rules.cap_result == NO_RESULT:
        return
    most, richest = np.int64(0), np.int64(0)
    for s in range(state.seats):
        if owned(state, s) > most:
            most, richest = owned(state, s), np.int64(0)
        if owned(state, s) == most:
            richest |= np.int64(1) << s
    if count_ones(richest) == 1:
        state.outcome = WIN
        state.winner = lowest_one(richest)
    else:
        state.outcome = DRAW
        state.draw_seats = richest


@part
def settle(state):
    """B6: who is out, and whether the game is over."""
    table = state.table
    left, last = np.int64(0), np.int64(0)
    for s in range(state.seats):
        if owned(state, s) > 0:
            left += 1
            last = np.int64(s)
        elif state.out[s] == 0:
            state.out[s] = table.battles
    if state.outcome < 0 and left == 1:
        take_carried(state, last)
        state.winner = last
        state.outcome = WIN
    elif state.outcome < 0 and table.battles >= state.rules.max_battles:
        decide_capped(state)
    if state.detail == 1:
        measure(state)
    state.phase = BEGIN
    state.event = FOUGHT


@part
def take_carried(state, s):
    """The last player left takes the carried cards: they go under the pile."""
    table = state.table
    carried, piled = table.carried_size, table.piled[s]
    if carried == 0:
        return
    for k in range(WIDTH - piled, WIDTH):
        table.pile[s, k - carried] = table.pile[s, k]
    for k in range(carried):
        card = np.int64(state.carried[k])
        table.pile[s, WIDTH - carried + k] = card
        table.pile_cards[s] += one_of(card)
    table.piled[s] = piled + carried
    table.top[s] = table.pile[s, WIDTH - piled - carried]
    table.carried_size = 0


# ------------------------------------------------------------------------------------------------------- the six functions


@part
def finish(state, verdict):
    """A battle is fought: the pot is won or stays. Returns True if a top card must be chosen first."""
    count_pot(state)
    choosing = win(state, lowest_one(state.tied)) if verdict == WON else deadlock(state)
    if choosing:
        return True
    settle(state)
    return False


@kernel
def step(state, move):
    """A choice, if one is due; then on to the next choice, to the end, or, if watched, to the next steal or end of a battle."""
    if state.seat >= 0:
        fought = state.decision == TOP
        if fought:
            place_pot(state, state.seat, move)
            settle(state)
        else:
            answer(state, state.seat, move)
        if state.watch == 1 and state.outcome < 0 and (fought or move != COMMIT):
            state.seat = PAUSED
            return
    while state.outcome < 0:
        if state.phase == BEGIN:
            begin(state)
        verdict = WON if state.phase == DECIDED else fight(state)
        if verdict == ASKED or finish(state, verdict):
            return
        if state.watch == 1 and state.outcome < 0:
            state.seat = PAUSED
            return
    state.seat = OVER


@kernel
def legal(state, moves):
    """LOOK: commit, then the sets to steal from, as bit masks in ascending order. TOP: the pot's ranks, ascending."""
    n = np.int64(0)
    if state.decision == TOP:
        left = state.table.pot
        while left != 0:
            place = lowest_one(left) >> 2
            left &= ~(np.int64(15) << (4 * place))
            moves[n] = place + LOWEST
            n += 1
        return n
    limit = state.rules.piles_per_card if state.rules.piles_per_card > 0 else state.seats - 1
    tops = matching(state, state.seat, state.card)
    moves[0] = COMMIT
    n = np.int64(1)
    victims = tops & -tops
    while victims != 0:
        if count_ones(victims) <= limit:
            moves[n] = victims
            n += 1
        victims = (victims - tops) & tops  # the next larger subset
    return n


@kernel
def observe(state, seat, view):
    """Section 10: the table, and the card just looked at."""
    view.seat = seat
    view.decision = state.decision
    view.table = state.table
    view.card = state.card if state.seat == seat and state.decision == LOOK else 0


@part
def place_of(state, s):
    """Finishing place: 1 for who won or shares a draw, 0 for who was still in without a result (B6)."""
    if s == state.winner or (state.draw_seats >> s) & 1:
        return np.int64(1)
    if state.out[s] == 0:
        return np.int64(0)
    place = np.int64(1)
    for t in range(state.seats):
        place += np.int64(state.out[t] == 0 or state.out[t] > state.out[s] or (state.draw_seats >> t) & 1 == 1)
    return place


@kernel
def score(state, result):
    """Section 11: the row of a finished game."""
    result.outcome = state.outcome
    result.winner = state.winner
    result.draw_seats = state.draw_seats
    result.capped = state.capped
    result.battles = state.table.battles
    result.wars = state.wars
    result.war_rounds = state.war_rounds
    result.deepest_war = state.deepest_war
    result.biggest_pot = state.biggest_pot
    result.short_events = state.short_events
    result.deadlocks = state.deadlocks
    result.bystander_wars = state.bystander_wars
    result.ended_in_war = np.int64(state.outcome >= 0 and state.table.first_tied != 0)
    result.lead_changes = state.lead_changes
    result.last_lead_change = state.last_lead_change
    for s in range(state.seats):
        result.payoff[s] = 2 if state.winner == s else (state.draw_seats >> s) & 1
        result.place[s] = place_of(state, s)
        result.out[s] = state.out[s]
        result.battles_won[s] = state.battles_won[s]
        result.wars_won[s] = state.wars_won[s]
        result.steals[s] = state.table.steals[s]
        result.piles_stolen[s] = state.piles_stolen[s]
        result.cards_stolen[s] = state.cards_stolen[s]
        result.multi_steals[s] = state.multi_steals[s]
        result.war_steals[s] = state.war_steals[s]
        result.declined[s] = state.declined[s]
        result.refills[s] = state.refills[s]
        result.aces[s] = state.aces[s]
        result.jokers[s] = state.jokers[s]
        result.strength[s] = state.strength[s]
        result.cards_at_end[s] = owned(state, s)
        result.most_cards[s] = state.most_cards[s]
        result.fewest_cards[s] = state.fewest_cards[s]
    if state.detail == 1:
        for k in range(BIG_JOKER - LOWEST + 1):
            result.wars_by_rank[k] = state.wars_by_rank[k]


# ---------------------------------------------------------------------------------------------- a guess at hidden cards


@kernel
def guess(view, state):
    """A state that gives this view: hidden cards are drawn from the view's own stream, nothing is recorded yet.

    Every hidden card is known to be one of a set: of what was never shown, or of what a refilled packet still hides.
    """
    state.rules = view.rules
    state.watch = 0
    state.dealing = 0
    state.detail = 0
    clear(state)
    state.table = view.table
    state.key[0] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.key[1] = np.int64(next_word(view.rng) >> np.uint64(1))
    open_stream(state.rng, state.key[0], state.key[1], CHANCE)
    state.seat = view.seat
    state.decision = view.decision
    state.phase = LOOKING
    state.card = view.card
    table = state.table
    unseen = table.unseen
    if view.card > 0 and (table.first_packet >> view.seat) & 1:
        unseen -= one_of(view.card)
    cards = spread(unseen, state.deck, np.int64(0))
    shuffle(view.rng, state.deck, cards)
    used = np.int64(0)
    for s in range(state.seats):
        used = guess_cards_of(view, state, s, used)
    for k in range(table.carried_size):
        if table.carried[k] != 0:
            state.carried[k] = table.carried[k]
        elif table.carried_by[k] == SEATS:
            state.carried[k] = state.deck[used]
            used += 1
    for k in range(used, cards):
        state.aside += one_of(np.int64(state.deck[k]))


@part
def count_hidden(table, s):
    """How many cards of a seat lie face down in the pot."""
    hidden = np.int64(0)
    for k in range(table.carried_size):
        hidden += np.int64(table.carried[k] == 0 and table.carried_by[k] == s)
    for k in range(table.laid_size[s]):
        hidden += np.int64(table.shown[s, k] == 0)
    return hidden


@part
def guess_cards_of(view, state, s, used):
    """A seat's hidden cards, in the order in which it took them: from its dealt packet, from earlier refills, from the last.

    used: how many cards of `deck`, which holds those never shown, are used. Returns how many are used afterwards.
    """
    table, packet = state.table, state.packet[s]
    hidden = count_hidden(table, s)
    committed = (table.committed >> s) & 1
    earlier = spread(table.earlier[s], state.spare, np.int64(0))
    shuffle(view.rng, state.spare, earlier)
    if (table.first_packet >> s) & 1:
        from_deck, latest = np.int64(0), hidden + committed + table.held[s]
        for k in range(latest):
            packet[WIDTH - latest + k] = state.deck[used + k]
        used += latest
    else:
        known = table.known[s]
        if view.card > 0 and s == view.seat:
            known -= one_of(view.card)
        latest = size_of(known)
        spread(known, packet, WIDTH - latest)
        shuffle(view.rng, packet[WIDTH - latest :], latest)
        from_deck = hidden + committed + table.held[s] - latest - earlier
    place = -from_deck - earlier
    for k in range(table.carried_size):
        if table.carried[k] == 0 and table.carried_by[k] == s:
            state.carried[k], used = hidden_card(state, s, place, latest, used)
            place += 1
    for k in range(table.laid_size[s]):
        if table.shown[s, k] == 0:
            state.laid[s, k], used = hidden_card(state, s, place, latest, used)
            place += 1
        else:
            state.laid[s, k] = table.shown[s, k]
    if committed:
        state.laid[s, table.laid_size[s]] = packet[WIDTH - table.held[s] - 1]
    for k in range(WIDTH - table.held[s], WIDTH):
        state.inside[s] += one_of(np.int64(packet[k]))
    return used


@part
def hidden_card(state, s, place, latest, used):
    """The card at this place of a seat's hidden ones; below 0 it is of an earlier refill, or before that of the deal."""
    if place >= 0:
        return state.packet[s, WIDTH - latest + place], used
    if place >= -size_of(state.table.earlier[s]):
        return state.spare[-1 - place], used
    return state.deck[used], used + 1


# -------------------------------------------------------------------------------------------------- to look at and tell


def card_name(card: int) -> str:
    """'2' to 'A'; 'Joker', or 'big Joker'."""
    return {JOKER: "Joker", BIG_JOKER: "big Joker"}.get(int(card)) or rank_name(card)


def card_names(cards) -> str:
    """Several cards in a row; a face-down one that is not known is a question mark."""
    return " ".join("?" if card is None else card_name(card) for card in cards)


def count_of(cards) -> int:
    """How many cards these are, also where only their number is known."""
    return cards if isinstance(cards, int) else len(cards)


def move_text(move: int, decision: int | None = None) -> str:
    """'commit', 'steal from seat 1', '7 on top'; both readings of a number, where the kind of decision is not said."""
    seats = [str(s) for s in range(SEATS) if int(move) >> s & 1]
    steal_text = f"steal from seat{'s' if len(seats) > 1 else ''} {' and '.join(seats)}" if seats else "commit"
    if decision == LOOK or int(move) < LOWEST:
        return steal_text
    top_text = f"{card_name(move)} on top"
    return top_text if decision == TOP or int(move) >= JOKER else f"{steal_text}, or {top_text}"


def scene(state) -> dict:
    """All there is to see: packets front first, piles top first, what was laid, and what happened last."""
    seats, table, seat = int(state["seats"]), state["table"], int(state["seat"])

    def end_of(cards, size):
        return [int(card) for card in cards[WIDTH - int(size) :]]

    def seats_of(mask):
        return [s for s in range(seats) if int(mask) >> s & 1]

    def refilled(s):
        if int(table["first_packet"]) >> s & 1:
            return None
        return [rank for rank in range(LOWEST, BIG_JOKER + 1) for _ in range(int(table["known"][s]) >> 4 * (rank - LOWEST) & 15)]

    event = ("dealt", "stole", "fought")[int(state["event"])]
    if seat >= 0:
        event = ("looked", "won")[int(state["decision"])]
    return {
        "event": event,
        "battle": int(table["battles"]),
        "priority": [int(s) for s in table["priority"][: int(table["active"])]],
        "seat": seat,
        "card": int(state["card"]),
        "thief": int(state["thief"]),
        "stolen_from": seats_of(state["stolen_from"]),
        "stolen_with": int(state["stolen_with"]),
        "committed": seats_of(table["committed"]),
        "laid": [[int(card) for card in state["laid"][s][: int(table["laid_size"][s])]] for s in range(seats)],
        "face_up": [[bool(card) for card in table["shown"][s][: int(table["laid_size"][s])]] for s in range(seats)],
        "first_tie": seats_of(table["first_tied"]),
        "war_rounds": int(table["depth"]),
        "winner": int(table["winner"]),
        "carried": [int(card) for card in state["carried"][: int(table["carried_size"])]],
        "carried_face_up": [bool(card) for card in table["carried"][: int(table["carried_size"])]],
        "packets": [end_of(state["packet"][s], table["held"][s]) for s in range(seats)],
        "piles": [end_of(table["pile"][s], table["piled"][s]) for s in range(seats)],
        "refilled": [refilled(s) for s in range(seats)],
        "refills": [int(state["refills"][s]) for s in range(seats)],
        "outcome": OUTCOMES[int(state["outcome"])] if int(state["outcome"]) >= 0 else "",
        "game_winner": int(state["winner"]),
        "draw_seats": seats_of(state["draw_seats"]),
    }


def seen(now: dict, seat: int) -> dict:
    """Section 10: what of a scene a player may know. Nobody sees a packet, a face-down card or what another looks at.

    A card that could steal and was committed looks to others like any other: they see nothing of that decision.
    """
    looks = now["event"] == "looked"
    if looks and now["seat"] != seat:
        return {}
    return now | {
        "viewer": seat,
        "card": now["card"] if looks else None,
        "packets": [len(packet) for packet in now["packets"]],
        "laid": [face_up(cards, up) for cards, up in zip(now["laid"], now["face_up"], strict=True)],
        "carried": face_up(now["carried"], now["carried_face_up"]),
    }


def face_up(cards: list[int], up: list[bool]) -> list[int | None]:
    """The cards, those that lie face down as None."""
    return [card if shown else None for card, shown in zip(cards, up, strict=True)]


def and_list(seats) -> str:
    """'1', '0 and 1', '0, 1 and 2'."""
    texts = [str(s) for s in seats]
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def battle_lines(now: dict) -> list[str]:
    """What was laid in a battle."""
    seats = range(len(now["packets"]))
    shows = ", ".join(f"seat {s} shows {card_name(now['laid'][s][0])}" for s in seats if now["laid"][s])
    lines = [f"Battle {now['battle']}: {shows}"]
    if now["first_tie"]:
        lines.append(f"  War: seats {and_list(now['first_tie'])} tie; rounds: {now['war_rounds']}")
        lines += [f"  Seat {s} lays {card_names(now['laid'][s][1:])}" for s in seats if len(now["laid"][s]) > 1]
    return lines


def owned_text(now: dict) -> str:
    """Each seat's packet and pile in numbers."""
    return " : ".join(f"{count_of(packet)}+{len(pile)}" for packet, pile in zip(now["packets"], now["piles"], strict=True))


def end_line(now: dict) -> list[str]:
    """How the game ended, if it did."""
    if now["outcome"] == "win":
        return [f"Seat {now['game_winner']} wins after {now['battle']} battles."]
    if now["outcome"] == "draw":
        return [f"The game is a draw between seats {and_list(now['draw_seats'])} after {now['battle']} battles."]
    return [f"The game is capped after {now['battle']} battles."] if now["outcome"] else []


def known_lines(now: dict) -> list[str]:
    """What the player who looks at a card knows (10)."""
    seats = range(len(now["packets"]))
    tops = ", ".join(f"seat {s} {card_name(now['piles'][s][0])} ({len(now['piles'][s])})" for s in seats if now["piles"][s])
    packets = " : ".join(str(count_of(packet)) for packet in now["packets"])
    lines = [f"  Top of each pile (cards): {tops}; in the packets: {packets}"]
    table = "; ".join(f"seat {s} {card_names(face_up(now['laid'][s], now['face_up'][s]))}" for s in seats if now["laid"][s])
    if table:
        lines.append(f"  On the table: {table} (?: face down)")
    if now["carried"]:
        lines.append(f"  Carried into the pot: {card_names(face_up(now['carried'], now['carried_face_up']))}")
    order = and_list(now["priority"]).replace(" and ", ", ")
    lines.append(f"  Order of looking: {order}; committed: {and_list(now['committed']) or 'nobody'}")
    refilled = [f"seat {s}'s {card_names(cards)}" for s, cards in enumerate(now["refilled"]) if cards]
    if refilled:
        lines.append(f"  Not seen since the last refill: {'; '.join(refilled)}")
    return lines


def tell(now: dict, before: dict | None = None) -> list[str]:
    """A scene, or what is seen of it, in the rules page's words, a line a fact; `before` is the scene before it."""
    lines = event_lines(now, before)
    ends = end_line(now)
    if before and not ends:
        again = [s for s, refills in enumerate(now["refills"]) if refills > before["refills"][s]]
        lines += [f"  Seat {s}'s packet is empty: the pile is shuffled and becomes the packet" for s in again]
    return lines + ends


def event_lines(now: dict, before: dict | None) -> list[str]:
    """What happened last."""
    event, seats = now["event"], range(len(now["packets"]))
    if event == "dealt":
        packets = now["packets"]
        dealt = [f"{each} cards" if isinstance(each, int) else card_names(each) for each in packets]
        return [f"Seat {s} is dealt {dealt[s]}" for s in seats]
    if event == "looked":
        where = f"War of battle {now['battle']}" if now["war_rounds"] else f"Battle {now['battle']}"
        return [f"{where}: seat {now['seat']} looks at {card_name(now['card'])}", *known_lines(now)]
    if event == "stole":
        piles = "piles of seats" if len(now["stolen_from"]) > 1 else "pile of seat"
        stolen = f"steals the {piles} {and_list(now['stolen_from'])} with {card_name(now['stolen_with'])}"
        where = "" if now.get("viewer", now["thief"]) == now["thief"] else f"Battle {now['battle']}: "
        return [f"{where or '  '}{'seat' if where else 'Seat'} {now['thief']} {stolen}; packets and piles: {owned_text(now)}"]
    if event == "won":
        return [*battle_lines(now), f"  Seat {now['winner']} wins the pot"]
    lines = [] if before and before["event"] == "won" else battle_lines(now)
    winner = now["winner"]
    if winner < 0:
        lines.append(f"  Deadlock: no contender has a card left; packets and piles: {owned_text(now)}")
    else:
        lines.append(f"  Seat {winner} takes the pot, {card_name(now['piles'][winner][0])} on top; packets and piles: {owned_text(now)}")
    return lines


STYLES = (
    (r"^(War of b|B)attle \d+", "bold"),
    (r"\b[Ss]eat 0\b", "cyan"),
    (r"\b[Ss]eat 1\b", "red"),
    (r"\b[Ss]eat 2\b", "green"),
    (r"\b[Ss]eat 3\b", "magenta"),
)
"""How a terminal shows it."""

# ------------------------------------------------------------------------------------------------------------ the game


def check(rules: Mapping) -> str:
    """What is wrong with these rules, or ''."""
    players, cards = rules["players"], rules["ranks"] * rules["copies"] + JOKERS
    if rules["piles_per_card"] > players - 1:
        return f"piles_per_card = {rules['piles_per_card']} is not legal for {players} players: 1 to {players - 1}, or 0 for all that match"
    if cards < players:
        return f"a deck of {cards} cards is too small for {players} players"
    if rules["leftover"] == "remove_twos" and cards % players > rules["copies"]:
        return f"leftover = remove_twos would take out {cards % players} twos, and there are only {rules['copies']}"
    return ""


def hidden_cells(rules: Mapping) -> set[str]:
    """What cannot happen under these rules: ranks that are not in the deck or only once, steals that are not allowed."""
    equal = rules["joker_rank"] == "equal"
    hidden = {f"wars_by_rank_{rank}" for rank in range(rules["ranks"] + LOWEST, BIG_JOKER + 1) if not (rank == JOKER and equal)}
    steals = ("steals", "piles_stolen", "cards_stolen", "multi_steals", "war_steals", "declined")
    if rules["players"] == 2 or rules["war_participants"] == "tied":
        hidden.add("bystander_wars")
    for s in range(SEATS):
        if not rules["stealing_enabled"]:
            hidden |= {f"{name}_{s}" for name in steals}
        if rules["war_steal"] == "none":
            hidden.add(f"war_steals_{s}")
        if rules["players"] == 2 or rules["piles_per_card"] == 1:
            hidden.add(f"multi_steals_{s}")
    return hidden


def games() -> list[Game]:
    """The game of this file."""
    return [
        Game(
            name="stealing-war", title="Stealing War", version=1, rules_page="docs/rules/war.md", parameters=PARAMETERS, columns=columns(),
            rules=RULES, state=STATE, view=VIEW, largest_seats=SEATS, largest_moves=MOST_MOVES, start=start, legal=legal,
            observe=observe, step=step, score=score, scene=scene, tell=tell, guess=guess, decisions=("look", "top"), best_player="wary",
            seen=seen, styles=STYLES, move_text=move_text, check=check, hidden_cells=hidden_cells, length="battles",
            joints=(("aces_0", "winner"), ("jokers_0", "winner"), ("strength_0", "winner"), ("steals_0", "winner")),
        )
    ]  # fmt: skip
