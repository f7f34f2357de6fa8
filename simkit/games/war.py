"""War for 2 players, War for 3 and 4, and Război: rules page docs/rules/war.md, sections 1-4 and 6-13.

Three games, one kernel. B1 to B6 are the page's steps of a battle, D1 to D20 its decisions. A battle is played by
`battle` in its general form; where two players have cards enough, `race` plays many battles at once with the same
result (a test holds the two equal).

Nobody decides anything, unless `pickup_order = player_choice`: then the winner of each pot picks the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb

import numpy as np

from simkit.cards import rank_name, rank_names
from simkit.game import (
    CAPPED,
    DRAW,
    ENDLESS,
    EVERY_DEAL,
    GIVEN,
    HAND_GIVEN,
    INT,
    OUTCOMES,
    OVER,
    PAUSED,
    WIN,
    BadInput,
    Column,
    Game,
    choice,
    flag,
    given_hand_fields,
    nearest,
    record,
    result_columns,
    rules_record,
    state_header,
    view_header,
    whole,
)  # fmt: skip
from simkit.games._given_hand import shuffle_given_hand
from simkit.games._war_stretch import HALF, HIGHEST, LANES, LOWEST, stretch
from simkit.jit import BLOCK, byte_at, copy_block, count_ones, inlined, kernel, part
from simkit.rng import CHANCE, DEAL, below, coin, coins, open_stream, shuffle, take_coins

NAMES = ("war", "war-multi", "razboi")

SEATS = 4
RING = 128
"""Places of a packet's ring buffer: a power of two above the largest deck of 104."""
SPAN = 1920
"""How far the heads run through the race's two streams before the packets are moved back to their starts."""
GAP = SPAN + 384
"""Distance of the two streams: the span, a packet, a war of all cards, and what a block copy may write beyond."""
NEAR_CAP = LANES + 2
"""Battles before the cap that are played one by one: a stretch and a war together must not pass it."""
FIRST_WATCH = 1024
"""Battles after which a race begins to look for repeated states: 98 % of ordinary games are over by then."""
LARGEST_DECK = 104
LARGEST_RANKS = 15
"""More ranks than these (52 of them) come with one copy each, where no tie and so no war can happen."""

# ---------------------------------------------------------------------------------------------------- parameters (7)

ORDERS = (
    "shuffled", "side_pile", "coin", "winner_first", "losers_first",
    "seat_order", "seat_alternate", "high_first", "low_first", "player_choice",
)  # fmt: skip
(SHUFFLED, SIDE_PILE, COIN, WINNER_FIRST, LOSERS_FIRST, SEAT_ORDER, SEAT_ALTERNATE, HIGH_FIRST, LOW_FIRST, PLAYER_CHOICE) = range(10)
CHOICES = ("winner_first", "losers_first", "high_first", "low_first", "shuffled")
"""The orders among which a winner may choose; a move is a position here."""
CHOSEN_ORDERS = np.array([ORDERS.index(name) for name in CHOICES])
SHORT_RULES = ("last_card_up", "last_card_or_lose", "lose", "equal_force")
LAST_CARD_UP, LAST_CARD_OR_LOSE, LOSE, EQUAL_FORCE = range(4)
ALL, TIED = 0, 1
SET_ASIDE, REMOVE_TWOS, FIRST_POT = range(3)
CARRY, LOT = 0, 1
NO_RESULT, MOST_CARDS = 0, 1
FACE_TEN, FACE_RANK = 0, 1
ACE_SIZES = (1, 10, 11, 14)
ACE_WAR_SIZES = np.array(ACE_SIZES)
LATEST_TIE, FIRST_TIE = 0, 1
BY_FACE_DOWN, BY_RANK = 0, 1


def parameters_of(name: str) -> list:
    """The parameters of one of the three games, with its defaults."""
    seats = {"war": (2, 2, 2), "war-multi": (3, 3, 4), "razboi": (2, 2, 4)}[name]
    down = whole("face_down", 1 if name == "war-multi" else 3, 0, 10, "cards each lays face down in a war, before one face up (D1)")
    sizes = [
        choice("ace_war_size", 11, ACE_SIZES, "cards each lays in a war tied at aces (D15)"),
        choice("face_war_size", 10, (10, "rank"), "cards each lays in a war tied at J, Q, K: 10, or 11, 12, 13"),
        choice("war_size_source", "latest_tie", ("latest_tie", "first_tie"), "the tie that sizes a further war of a battle (D16)"),
    ]
    return [
        whole("players", *seats, "number of players"),
        *([] if name == "razboi" else [down]),
        choice("pickup_order", "shuffled", ORDERS, "order in which won cards go to the back of the packet (D2)"),
        choice("short_war_rule", "last_card_up", SHORT_RULES, "what a player short of cards for a war does (D5)"),
        choice("war_participants", "tied" if name == "razboi" else "all", ("all", "tied"), "who fights a war of 3 or 4 players (D7, D8)"),
        choice("leftover", "set_aside", ("set_aside", "remove_twos", "first_pot"), "what becomes of cards that do not divide evenly (D4)"),
        choice("deadlock_rule", "carry", ("carry", "lot"), "who gets the pot if no tied player has a card left (D9)"),
        whole("max_battles", 10000, 1, 10**9, "battles after which a game is capped (D10)"),
        flag("detect_endless", True, "prove that a game never ends, where the pick-up has no chance in it"),
        whole("ranks", 13, 2, 52, "ranks in the deck (2 to 15, or 52 with 1 copy)"),
        whole("copies", 4, 1, 8, "cards of each rank"),
        choice("cap_result", "no_result", ("no_result", "most_cards"), "what a capped game counts as (8)"),
        *(sizes if name == "razboi" else []),
    ]


RULES = rules_record([whole("war_size", 0, 0, 1, "BY_FACE_DOWN or BY_RANK"), *parameters_of("war"), *parameters_of("razboi")[-3:]])

# ------------------------------------------------------------------------------------------------------- columns (11)


def columns() -> list[Column]:
    """What is recorded of each game."""
    seat, ranks = {"per": "seat"}, tuple(str(2 + k) for k in range(LARGEST_RANKS))
    return [
        *result_columns(),
        Column("draw_seats", "bit mask of the seats that share a draw", 0, 16, finished=False),
        Column("capped", "1 if the game reached max_battles", 0, 2, finished=False),
        Column("battles", "length in battles", 0, 10001),
        Column("wars", "battles with a tie for highest", 0, 512),
        Column("war_rounds", "war rounds in all, double wars counted twice", 0, 1024),
        Column("deepest_war", "most rounds in one battle", 0, 32),
        Column("biggest_pot", "most cards in one pot", 0, 105),
        Column("short_events", "times a contender short of cards laid fewer than a war asks", 0, 64),
        Column("stand_events", "times a contender without cards stood on the card already shown", 0, 64),
        Column("deadlocks", "battles in which no tied player had a card left", 0, 16),
        Column("bystander_wars", "wars won by a player who was not in the first tie", 0, 256),
        Column("place", "finishing place; 0 if still in when the game stopped", 0, 5, **seat),
        Column("out", "battle in which the seat went out; 0 if it did not", 0, 10001, **seat),
        Column("battles_won", "pots taken", 0, 8192, **seat),
        Column("wars_won", "pots taken after a war", 0, 512, **seat),
        Column("aces", "cards of the highest rank dealt to the seat", 0, 9, finished=False, **seat),
        Column("strength", "sum of the ranks dealt to the seat", 0, 1024, finished=False, **seat),
        Column("cards_at_end", "cards owned at the end", 0, 105, **seat),
        Column("most_cards", "most cards owned after any battle", 0, 105, group="all", **seat),
        Column("fewest_cards", "fewest cards owned after any battle", 0, 105, group="all", **seat),
        Column("lead_changes", "times the one seat that owns most cards became another", 0, 512, group="all"),
        Column("last_lead_change", "battle after which the lead changed last; 0 if it never did", 0, 10001, group="all"),
        Column("wars_by_rank", "wars first tied at this rank", 0, 128, group="all", labels=ranks),
    ]


# --------------------------------------------------------------------------------------------------------- the records

TABLE = record([
    ("battles", INT),  # battles begun
    ("winner", INT),  # of the last pot; -1 if there was none
    ("depth", INT),  # war rounds of this battle
    ("owned", INT, (SEATS,)),  # cards in each packet, side pile included
    ("pot_size", INT),
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("fresh", "u1", (RING,)),  # the deck before it is shuffled
    ("fresh_size", INT),  # its cards; 0 until it is made
    ("deck", "u1", (RING,)),  # in the order dealt
    ("dealt", INT),  # cards of the deck that are dealt to seats
    ("left", INT),  # and that are left over
    ("packet", "u1", (SEATS, RING)),  # ring buffers
    ("head", INT, (SEATS,)),  # where the front is
    ("held", INT, (SEATS,)),  # cards in the packet itself
    ("side", "u1", (SEATS, RING)),  # side piles, oldest first
    ("side_size", INT, (SEATS,)),
    ("laid", "u1", (SEATS, RING)),  # this battle's cards, in the order laid
    ("laid_size", INT, (SEATS,)),
    ("before", INT, (SEATS,)),  # cards a seat had when the round began
    ("showing", INT, (SEATS,)),
    ("contender", INT, (SEATS,)),
    ("stood", INT, (SEATS,)),  # 1: no card laid in this round, the showing card stands
    ("carried", "u1", (RING,)),  # after a deadlock, for the next pot
    ("carried_size", INT),
    ("pot", "u1", (RING,)),  # the last pot, in the order picked up
    ("first_tied", INT),  # bit mask of the first tie of this battle
    ("tied", INT),  # bit mask of the latest tie
    ("exact", INT),  # 1: every state is compared (D10)
    ("suspect", INT),  # 1: the race met a state again
    ("saved", "u1", (SEATS + 1, RING)),  # the state to compare with: packets, carried cards
    ("saved_size", INT, (SEATS + 1,)),
    ("next_watch", INT),  # battle at which the race saves its state next
    ("outcome", INT),  # -1 while the game runs
    ("stream", "u1", (2 * GAP,)),  # the race's two packets
    # what is recorded
    ("winner", INT), ("draw_seats", INT), ("capped", INT), ("wars", INT), ("war_rounds", INT),
    ("deepest_war", INT), ("biggest_pot", INT), ("short_events", INT), ("stand_events", INT), ("deadlocks", INT),
    ("bystander_wars", INT), ("place", INT, (SEATS,)), ("out", INT, (SEATS,)), ("battles_won", INT, (SEATS,)),
    ("wars_won", INT, (SEATS,)), ("aces", INT, (SEATS,)), ("strength", INT, (SEATS,)), ("most_cards", INT, (SEATS,)),
    ("fewest_cards", INT, (SEATS,)), ("leader", INT), ("lead_changes", INT), ("last_lead_change", INT),
    ("wars_by_rank", INT, (LARGEST_RANKS,)),
    *given_hand_fields(RING),
])  # fmt: skip
# `leader` is the last seat that alone owned most cards, -1 before there was one.

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),
    ("pot", "u1", (RING,)),  # the pot to pick up, in the order winner_first
])  # fmt: skip

# ------------------------------------------------------------------------------------------------------------ the deal


@part
def arrange(state, cards):
    """EVERY_DEAL: the deck's arrangement number `deal` in ascending order of all distinct ones."""
    ranks, copies = state.rules.ranks, state.rules.copies
    number = np.int64(state.key[1])
    arrangements = np.int64(1)
    total = np.int64(0)
    for _ in range(ranks):
        for copy in range(1, copies + 1):
            total += 1
            arrangements = arrangements * total // copy
    left = state.saved[0]  # not needed for anything else yet
    for rank in range(ranks):
        left[rank] = copies
    for place in range(cards):
        for rank in range(ranks):
            block = arrangements * np.int64(left[rank]) // (cards - place)
            if number < block:
                state.deck[place] = rank + 2
                left[rank] -= 1
                arrangements = block
                break
            number -= block


@part
def unwrap_deck(state):
    """Section 2, step 1: the cards in ascending order, left-over twos taken out (D4). Once for all games of these rules."""
    rules = state.rules
    cards = rules.ranks * rules.copies
    dropped = cards % rules.players if rules.leftover == REMOVE_TWOS else np.int64(0)
    place = -dropped
    for rank in range(2, rules.ranks + 2):
        for _ in range(rules.copies):
            if place >= 0:
                state.fresh[place] = rank
            place += 1
    state.fresh_size = cards - dropped


@part
def left_over(state, cards):
    """How many cards do not divide evenly (D4); beside a given hand that is no equal share, of the other seats' cards."""
    if state.dealing == HAND_GIVEN and state.hand_size != cards // state.seats:
        return (cards - state.hand_size) % (state.seats - 1)
    return cards % state.seats


@part
def make_deck(state):
    """Section 2, step 1: the deck in its order for this deal."""
    if state.fresh_size == 0:
        unwrap_deck(state)
    cards = state.fresh_size
    state.left = left_over(state, cards)
    state.dealt = cards - state.left
    if state.dealing == EVERY_DEAL:
        arrange(state, cards)
    elif state.dealing != GIVEN:
        for block in range(0, cards, BLOCK):
            copy_block(state.deck, block, state.fresh, block)
        open_stream(state.rng, state.key[0], state.key[1], DEAL)
        if state.dealing == HAND_GIVEN:
            shuffle_given_hand(state, cards)
        else:
            shuffle(state.rng, state.deck, cards)


@kernel
def clear(state):
    """Nothing has happened yet; `step` plays on."""
    state.seat = PAUSED
    state.table.battles = 0
    state.table.winner = -1
    state.table.depth = 0
    state.table.pot_size = 0
    for s in range(SEATS):
        state.head[s] = 0
    for s in range(SEATS):
        state.held[s] = 0
    for s in range(SEATS):
        state.side_size[s] = 0
    for s in range(SEATS):
        state.laid_size[s] = 0
    state.carried_size = 0
    state.suspect = 0
    state.next_watch = FIRST_WATCH
    state.outcome = -1
    state.winner = -1
    state.draw_seats = 0
    state.capped = 0
    state.wars = 0
    state.war_rounds = 0
    state.deepest_war = 0
    state.biggest_pot = 0
    state.short_events = 0
    state.stand_events = 0
    state.deadlocks = 0
    state.bystander_wars = 0
    for s in range(SEATS):
        state.place[s] = 0
    for s in range(SEATS):
        state.out[s] = 0
    for s in range(SEATS):
        state.battles_won[s] = 0
    for s in range(SEATS):
        state.wars_won[s] = 0
    for s in range(SEATS):
        state.most_cards[s] = 0
    for s in range(SEATS):
        state.fewest_cards[s] = RING
    state.leader = -1
    state.lead_changes = 0
    state.last_lead_change = 0
    if state.detail == 1:
        for k in range(LARGEST_RANKS):
            state.wars_by_rank[k] = 0


@part
def deal_packet(state, s, first, apart, each):
    """Give a seat `each` cards of the deck, from place `first` on, `apart` places from one to the next."""
    top = state.rules.ranks + 1
    aces = np.int64(0)
    strength = np.int64(0)
    packet = state.packet[s]
    for k in range(each):
        card = byte_at(state.deck, first + k * apart)
        packet[np.uint64(k)] = card
        aces += np.int64(card == top)
        strength += card
    state.held[s] = each
    state.aces[s] = aces
    state.strength[s] = strength


@part
def hand_out_beside(state):
    """The given hand, with which the deck begins, to its seat, and the rest to the others, one card at a time."""
    seat, size, others = state.hand_seat, state.hand_size, state.seats - 1
    deal_packet(state, seat, np.int64(0), np.int64(1), size)
    for k in range(others):
        deal_packet(state, k + np.int64(k >= seat), size + k, others, (state.dealt - size) // others)


@part
def hand_out(state):
    """Section 2, steps 2 to 4: one card at a time, and the left-over cards (D4)."""
    clear(state)
    seats = state.seats
    if state.dealing == HAND_GIVEN:
        hand_out_beside(state)
    else:
        for s in range(seats):
            deal_packet(state, s, s, seats, state.dealt // seats)
    if state.rules.leftover == FIRST_POT:
        for k in range(state.left):
            state.carried[k] = state.deck[state.dealt + k]
        state.carried_size = state.left


@inlined
def deterministic(state):
    """Whether nothing after the deal is random, so that a repeated state proves the game endless (D10)."""
    order = state.rules.pickup_order
    return (WINNER_FIRST <= order <= LOW_FIRST) and (state.rules.deadlock_rule == CARRY or state.seats == 2)


@inlined
def raceable(state):
    """Whether `race` knows these rules."""
    order = state.rules.pickup_order
    return state.seats == 2 and order != SIDE_PILE and order != PLAYER_CHOICE and state.watch == 0


@kernel
def start(state):
    """Shuffles and deals; `step` plays on from here."""
    state.seats = state.rules.players
    state.decision = 0
    make_deck(state)
    open_chance(state)
    hand_out(state)
    proving = state.rules.detect_endless == 1 and deterministic(state)
    state.exact = np.int64(proving and not raceable(state))
    if state.exact == 1:
        save(state)


# --------------------------------------------------------------------------------------------------- one battle (3, 4)


@inlined
def owned(state, s):
    """Cards in a seat's packet; a side pile counts as part of it (D2)."""
    return state.held[s] + state.side_size[s]


@kernel
def open_chance(state):
    """The stream for everything random after the deal.

    Opened once, here: the code that opens a stream is long, and would be compiled again into everything that draws.
    """
    rules = state.rules
    if not WINNER_FIRST <= rules.pickup_order <= LOW_FIRST or rules.deadlock_rule == LOT:
        open_stream(state.rng, state.key[0], state.key[1], CHANCE)


@part
def take_front(state, s):
    """The front card of a packet, taken; an empty packet is first made anew from the side pile (D2)."""
    if state.held[s] == 0:
        cards = state.side_size[s]
        shuffle(state.rng, state.side[s], cards)
        for k in range(cards):
            state.packet[s, k] = state.side[s, k]
        state.head[s] = 0
        state.held[s] = cards
        state.side_size[s] = 0
    card = np.int64(state.packet[s, state.head[s]])
    state.head[s] = (state.head[s] + 1) & (RING - 1)
    state.held[s] -= 1
    return card


@part
def lay(state, s):
    """Move a seat's front card to the pot."""
    card = take_front(state, s)
    state.laid[s, state.laid_size[s]] = card
    state.laid_size[s] += 1
    return card


@part
def put_back(state, s, card):
    """Put a card at the back of a packet."""
    state.packet[s, (state.head[s] + state.held[s]) & (RING - 1)] = card
    state.held[s] += 1


@part
def contenders(state):
    """How many contenders there are."""
    n = np.int64(0)
    for s in range(state.seats):
        n += state.contender[s]
    return n


@part
def only_contender(state):
    """The contender of the lowest seat (the only one, where there is one)."""
    for s in range(state.seats):
        if state.contender[s] == 1:
            return np.int64(s)
    return np.int64(-1)


@part
def highest(state):
    """B2: the highest rank shown by a contender; `tied` becomes the set of those who show it."""
    top = np.int64(0)
    for s in range(state.seats):
        if state.contender[s] == 1:
            if state.showing[s] > top:
                top = state.showing[s]
                state.tied = np.int64(0)
            if state.showing[s] == top:
                state.tied |= 1 << s
    return top


@part
def face_down_cards(rules, rank):
    """B3b: cards each lays face down in a war tied at `rank`; in Război one less than the rank's size (6)."""
    if rules.war_size == BY_FACE_DOWN:
        return rules.face_down
    if rank <= 10:
        return rank - 1
    if rank >= 14:
        return np.int64(ACE_WAR_SIZES[rules.ace_war_size]) - 1
    return rank - 1 if rules.face_war_size == FACE_RANK else np.int64(9)


@part
def has_any_tied_a_card(state):
    """Whether a seat that shares the latest tie has a card left."""
    for s in range(state.seats):
        if (state.tied >> s) & 1 and owned(state, s) > 0:
            return True
    return False


@part
def drop_empty_contenders(state, among):
    """Contenders in the set `among` without a card leave the contenders. Returns how many left."""
    dropped = np.int64(0)
    for s in range(state.seats):
        if state.contender[s] == 1 and (among >> s) & 1 and owned(state, s) == 0:
            state.contender[s] = 0
            dropped += 1
    return dropped


GO_ON, WON, STUCK = 0, 1, 2
"""After a round: compare the cards; the one contender left wins the pot; deadlock."""


@part
def lay_last_card_up(state, n):
    """3.1 `last_card_up`: all contenders lay what they have, up to n down and one up; with none the card shown stands."""
    for s in range(state.seats):
        if state.contender[s] == 1:
            cards = min(n + 1, owned(state, s))
            for _ in range(cards):
                state.showing[s] = lay(state, s)
            state.stood[s] = np.int64(cards == 0)
    return GO_ON


@part
def lay_last_card_or_lose(state, n):
    """3.1 `last_card_or_lose`: a tied player without a card is out at once."""
    drop_empty_contenders(state, state.tied)
    if contenders(state) == 1:
        return WON
    return lay_last_card_up(state, n)


@part
def lay_in_lockstep(state, n):
    """3.1 `lose`: step by step; who has no card for a step is out."""
    everyone = np.int64((1 << SEATS) - 1)
    for _ in range(n + 1):
        any_card = False
        mask = np.int64(0)
        for s in range(state.seats):
            if state.contender[s] == 1:
                mask |= 1 << s
                any_card = any_card or owned(state, s) > 0
        if not any_card:
            state.tied = mask
            return STUCK
        if drop_empty_contenders(state, everyone) > 0 and contenders(state) == 1:
            return WON
        for s in range(state.seats):
            if state.contender[s] == 1:
                state.showing[s] = lay(state, s)
    return GO_ON


@part
def lay_equal_force(state, n):
    """3.1 `equal_force`: all contenders lay as many cards as the one with fewest can."""
    everyone = np.int64((1 << SEATS) - 1)
    drop_empty_contenders(state, everyone)
    left = contenders(state)
    if left == 0:
        return STUCK
    if left == 1:
        return WON
    cards = n + 1
    for s in range(state.seats):
        if state.contender[s] == 1:
            cards = min(cards, owned(state, s))
    for s in range(state.seats):
        if state.contender[s] == 1:
            for _ in range(cards):
                state.showing[s] = lay(state, s)
    return GO_ON


@part
def war_round(state, n):
    """B3d and B3e: one round, and what was short in it."""
    state.table.depth += 1
    was_contender = np.int64(0)
    for s in range(state.seats):
        state.before[s] = owned(state, s)
        state.stood[s] = 0
        was_contender |= state.contender[s] << s
    rule = state.rules.short_war_rule
    if rule == LAST_CARD_UP:
        verdict = lay_last_card_up(state, n)
    elif rule == LAST_CARD_OR_LOSE:
        verdict = lay_last_card_or_lose(state, n)
    elif rule == LOSE:
        verdict = lay_in_lockstep(state, n)
    else:
        verdict = lay_equal_force(state, n)
    for s in range(state.seats):
        if (was_contender >> s) & 1:
            laid = state.before[s] - owned(state, s)
            if state.before[s] <= n and laid >= 1:
                state.short_events += 1
            state.stand_events += state.stood[s]
    return verdict


@part
def fight(state):
    """B1 to B3. Returns the seat that wins the pot, or -1 at a deadlock among the seats in `tied`."""
    rules = state.rules
    state.table.battles += 1
    state.table.depth = 0
    state.first_tied = 0
    for s in range(state.seats):
        state.laid_size[s] = 0
        state.contender[s] = np.int64(owned(state, s) > 0)
        if state.contender[s] == 1:
            state.showing[s] = lay(state, s)
    first_rank = np.int64(0)
    while True:
        rank = highest(state)
        if count_ones(state.tied) == 1:
            for s in range(state.seats):
                if state.tied == 1 << s:
                    return np.int64(s)
        if state.first_tied == 0:
            state.first_tied = state.tied
            first_rank = rank
            state.wars += 1
            if rank < LARGEST_RANKS + 2:
                state.wars_by_rank[rank - 2] += 1
        if rules.war_participants == TIED:
            for s in range(state.seats):
                state.contender[s] = (state.tied >> s) & 1
        n = face_down_cards(rules, first_rank if rules.war_size_source == FIRST_TIE else rank)
        if rules.short_war_rule <= LAST_CARD_OR_LOSE and not has_any_tied_a_card(state):
            return np.int64(-1)
        verdict = war_round(state, n)
        if verdict == WON:
            return only_contender(state)
        if verdict == STUCK:
            return np.int64(-1)


@part
def count_pot(state):
    """The pot's size, carried cards included, and its depth go into the record."""
    cards = state.carried_size
    for s in range(state.seats):
        cards += state.laid_size[s]
    state.table.pot_size = cards
    state.biggest_pot = max(state.biggest_pot, cards)
    state.war_rounds += state.table.depth
    state.deepest_war = max(state.deepest_war, state.table.depth)


@part
def gather_from(state, first):
    """The pot seat by seat clockwise from `first`, each in laid order, then what was carried before. Returns its size."""
    cards = np.int64(0)
    s = first
    for _ in range(state.seats):
        for k in range(state.laid_size[s]):
            state.pot[cards] = state.laid[s, k]
            cards += 1
        s = s + 1 if s + 1 < state.seats else np.int64(0)
    for k in range(state.carried_size):
        state.pot[cards] = state.carried[k]
        cards += 1
    return cards


@part
def carry(state):
    """B5, `carry`: the pot stays on the table, in seat order."""
    cards = gather_from(state, np.int64(0))
    for k in range(cards):
        state.carried[k] = state.pot[k]
    state.carried_size = cards


@part
def deadlock(state):
    """B5 (D9). Returns the seat that takes the pot by lot, or -1."""
    state.deadlocks += 1
    anyone = False
    for s in range(state.seats):
        anyone = anyone or owned(state, s) > 0
    if not anyone:
        state.outcome = DRAW
        state.draw_seats = state.tied
        return np.int64(-1)
    if state.rules.deadlock_rule == CARRY:
        carry(state)
        return np.int64(-1)
    lot = below(state.rng, count_ones(state.tied))
    for s in range(state.seats):
        if (state.tied >> s) & 1:
            if lot == 0:
                return np.int64(s)
            lot -= 1
    return np.int64(-1)


# ------------------------------------------------------------------------------------------------------- pick-up (D2)


@part
def gather_alternate(state):
    """Seat 0's first laid card, seat 1's first, ..., seat 0's second, and so on, then what was carried."""
    cards = np.int64(0)
    longest = np.int64(0)
    for s in range(state.seats):
        longest = max(longest, state.laid_size[s])
    for k in range(longest):
        for s in range(state.seats):
            if k < state.laid_size[s]:
                state.pot[cards] = state.laid[s, k]
                cards += 1
    for k in range(state.carried_size):
        state.pot[cards] = state.carried[k]
        cards += 1
    return cards


@part
def sort_cards(cards, begin, end, high_first):
    """Sort cards[begin:end] by rank, in place (insertion: pots are small)."""
    for k in range(begin + 1, end):
        card = cards[k]
        place = k
        while place > begin and ((cards[place - 1] < card) if high_first else (cards[place - 1] > card)):
            cards[place] = cards[place - 1]
            place -= 1
        cards[place] = card


@part
def gather(state, winner, order):
    """The whole pot into `pot` in this order, the first card nearest the front. Returns its size."""
    if order == COIN:
        order = WINNER_FIRST if coin(state.rng) == 0 else LOSERS_FIRST
    if order == SEAT_ALTERNATE:
        cards = gather_alternate(state)
    elif order == SEAT_ORDER:
        cards = gather_from(state, np.int64(0))
    elif order == LOSERS_FIRST:
        cards = gather_from(state, winner + 1 if winner + 1 < state.seats else np.int64(0))
    else:
        cards = gather_from(state, winner)
    if order == HIGH_FIRST or order == LOW_FIRST:
        sort_cards(state.pot, 0, cards, order == HIGH_FIRST)
    if order == SHUFFLED:
        shuffle_pot(state.rng, state.pot, cards)
    return cards


@part
def shuffle_pot(stream, pot, cards):
    """A uniformly random order; for two cards a coin does, where 0 swaps them."""
    if cards == 2:
        if coin(stream) == 0:
            pot[0], pot[1] = pot[1], pot[0]
    else:
        shuffle(stream, pot, cards)


@part
def pick_up(state, winner, order):
    """B4: the winner takes the whole pot."""
    cards = gather(state, winner, order)
    for k in range(cards):
        if order == SIDE_PILE:
            state.side[winner, state.side_size[winner]] = state.pot[k]
            state.side_size[winner] += 1
        else:
            put_back(state, winner, state.pot[k])
    state.carried_size = 0
    state.battles_won[winner] += 1
    if state.first_tied != 0:
        state.wars_won[winner] += 1
        state.bystander_wars += 1 - ((state.first_tied >> winner) & 1)


# ------------------------------------------------------------------------------------------------------ end check (B6)


@part
def place_the_out(state):
    """Seats that went out in this battle get their place. Returns how many are left."""
    battles = state.table.battles
    left = np.int64(0)
    for s in range(state.seats):
        left += np.int64(owned(state, s) > 0)
    for s in range(state.seats):
        if state.out[s] == 0 and owned(state, s) == 0:
            state.out[s] = battles
            state.place[s] = left + 1
            if state.outcome == DRAW:
                state.place[s] = 1 if (state.draw_seats >> s) & 1 else 1 + count_ones(state.draw_seats)
    return left


@part
def measure(state):
    """Most and fewest cards, and who leads, after a battle."""
    most = np.int64(-1)
    leader = np.int64(-1)
    for s in range(state.seats):
        cards = owned(state, s)
        state.most_cards[s] = max(state.most_cards[s], cards)
        state.fewest_cards[s] = min(state.fewest_cards[s], cards)
        if cards == most:
            leader = np.int64(-1)
        elif cards > most:
            most = cards
            leader = np.int64(s)
    if leader >= 0:
        if state.leader >= 0 and state.leader != leader:
            state.lead_changes += 1
            state.last_lead_change = state.table.battles
        state.leader = leader


@part
def same_as_saved(state):
    """Whether all packets in order, and the carried cards, are those that were saved."""
    if state.carried_size != state.saved_size[SEATS]:
        return False
    for s in range(state.seats):
        if state.held[s] != state.saved_size[s]:
            return False
    for k in range(state.carried_size):
        if state.carried[k] != state.saved[SEATS, k]:
            return False
    for s in range(state.seats):
        for k in range(state.held[s]):
            if state.packet[s, (state.head[s] + k) & (RING - 1)] != state.saved[s, k]:
                return False
    return True


@kernel
def save(state):
    """Keep all packets and the carried cards to compare with."""
    for s in range(state.seats):
        state.saved_size[s] = state.held[s]
        for k in range(state.held[s]):
            state.saved[s, k] = state.packet[s, (state.head[s] + k) & (RING - 1)]
    state.saved_size[SEATS] = state.carried_size
    for k in range(state.carried_size):
        state.saved[SEATS, k] = state.carried[k]


@part
def repeats(state):
    """Brent's test for a cycle: compare with the state saved after battle 0, 1, 2, 4, 8, ..., then save at such a battle."""
    if same_as_saved(state):
        return True
    battles = state.table.battles
    if battles & (battles - 1) == 0:
        save(state)
    return False


@part
def decide_capped(state):
    """The game reached max_battles: no result, or the seat that owns most cards (8)."""
    state.capped = 1
    state.outcome = CAPPED
    if state.rules.cap_result == NO_RESULT:
        return
    most = np.int64(0)
    for s in range(state.seats):
        if owned(state, s) > most:
            most = owned(state, s)
            state.draw_seats = 0
        if owned(state, s) == most:
            state.draw_seats |= 1 << s
    for s in range(state.seats):
        if (state.draw_seats >> s) & 1:
            state.place[s] = 1
            state.winner = s
    state.outcome = DRAW
    if count_ones(state.draw_seats) == 1:
        state.outcome = WIN
        state.draw_seats = 0
    else:
        state.winner = -1


@part
def check_end(state):
    """B6: who is out, whether the game is over, and what the whole course of the game is asked for."""
    left = place_the_out(state)
    if state.outcome < 0 and left == 1:
        for s in range(state.seats):
            if owned(state, s) > 0:
                for k in range(state.carried_size):
                    put_back(state, s, state.carried[k])
                state.carried_size = 0
                state.place[s] = 1
                state.winner = s
                state.outcome = WIN
                break
    if state.detail == 1:
        measure(state)
    if state.outcome < 0 and state.exact == 1 and repeats(state):
        state.outcome = ENDLESS
    if state.outcome < 0 and state.table.battles >= state.rules.max_battles:
        decide_capped(state)


# --------------------------------------------------------------------------------------- many battles at once: the race


@part
def enter_race(state):
    """Lay both packets out, front first, at the starts of the two streams."""
    for s in range(2):
        if state.head[s] + state.held[s] <= RING - BLOCK:
            for k in range(0, state.held[s], BLOCK):
                copy_block(state.stream, s * GAP + k, state.packet[s], state.head[s] + k)
        else:
            for k in range(state.held[s]):
                state.stream[s * GAP + k] = state.packet[s, (state.head[s] + k) & (RING - 1)]


@part
def leave_race(state, head, size, cards):
    """The packets back into their ring buffers."""
    state.held[0] = size
    state.held[1] = cards - size
    for s in range(2):
        state.head[s] = 0
        for k in range(0, state.held[s], BLOCK):
            copy_block(state.packet[s], k, state.stream, s * GAP + head + k)


@part
def further_rounds(state, head, enough, laid):
    """The battle at `head` has tied again after `laid` cards a side. (war rounds, cards laid: more than `enough` if one side is short)"""
    rules = state.rules
    first_rank = byte_at(state.stream, head)
    depth = np.int64(1)
    while True:
        rank = byte_at(state.stream, head + laid - 1)
        if rank != byte_at(state.stream, head + GAP + laid - 1):
            return depth, laid
        laid += face_down_cards(rules, first_rank if rules.war_size_source == FIRST_TIE else rank) + 1
        if laid > enough:
            return depth, laid
        depth += 1


@part
def lose_in_race(state, head, size, cards):
    """3.1 `lose`: the war at `head` that one of two players cannot pay for. Counts who was short; returns its rounds.

    Both lay in lockstep until one has no card left; the other takes the pot, and with it every card; both at once is a draw.
    """
    rules, stream = state.rules, state.stream
    enough = min(size, cards - size)
    first_rank = byte_at(stream, head)
    laid, depth = np.int64(1), np.int64(1)
    while True:
        rank = byte_at(stream, head + laid - 1)
        n = face_down_cards(rules, first_rank if rules.war_size_source == FIRST_TIE else rank)
        if laid + n + 1 > enough:
            break
        laid += n + 1
        depth += 1
    if enough > laid:
        state.short_events += np.int64(size - laid <= n) + np.int64(cards - size - laid <= n)
    return depth


@part
def copy_cards(stream, target, source, cards):
    """Copy cards within the streams in whole blocks; what is written beyond them lies behind a packet's back."""
    done = np.int64(0)
    while True:
        copy_block(stream, target + done, stream, source + done)
        done += BLOCK
        if done >= cards:
            return


@part
def alternate_in_race(stream, tail, cards):
    """Turn seat 0's cards followed by seat 1's, `cards` in all from `tail`, into card by card."""
    half = cards // 2
    for k in range(1, half):
        card = stream[tail + half + k - 1]
        place = tail + half + k - 1
        while place > tail + 2 * k - 1:
            stream[place] = stream[place - 1]
            place -= 1
        stream[place] = card


@inlined
def pick_up_in_race(state, order, head, size, cards, winner, laid, flip, keep):
    """B4 for a war in which both laid `laid` cards: two blocks of them behind the winner's packet, that of seat `first` first."""
    stream = state.stream
    tail = head + size + winner * (GAP + cards - 2 * size)
    first = (winner ^ flip) & keep
    copy_block(stream, tail, stream, head + GAP * first)
    copy_block(stream, tail + laid, stream, head + GAP * (1 - first))
    if laid > BLOCK:
        copy_cards(stream, tail, head + GAP * first, laid)
        copy_cards(stream, tail + laid, head + GAP * (1 - first), laid)
    if order != WINNER_FIRST:
        rearrange_in_race(state, order, tail, laid)


@part
def rearrange_in_race(state, order, tail, laid):
    """The orders of D2 that are no two blocks."""
    stream = state.stream
    if order == SHUFFLED:
        shuffle(state.rng, stream[tail : tail + 2 * laid], 2 * laid)
    elif order == COIN:
        if coin(state.rng) == 1:
            swap_blocks(stream, tail, laid)
    elif order == SEAT_ALTERNATE:
        alternate_in_race(stream, tail, 2 * laid)
    elif order == HIGH_FIRST or order == LOW_FIRST:
        sort_cards(stream, tail, tail + 2 * laid, order == HIGH_FIRST)


@part
def swap_blocks(stream, tail, laid):
    """Exchange two neighbouring blocks of cards."""
    for k in range(laid):
        stream[tail + k], stream[tail + laid + k] = stream[tail + laid + k], stream[tail + k]


@part
def race_repeats(state, head, size, cards):
    """Whether the packets in the streams are those that the race saved."""
    for s in range(2):
        for k in range(size if s == 0 else cards - size):
            if state.stream[s * GAP + head + k] != state.saved[s, k]:
                return False
    return True


@part
def save_race(state, head, size, cards):
    """Keep the packets in the streams to compare with."""
    for s in range(2):
        for k in range(size if s == 0 else cards - size):
            state.saved[s, k] = state.stream[s * GAP + head + k]
    state.saved_size[0] = size


@inlined
def path_ends(size, ran, mask):
    """Highest and lowest number of cards of seat 0 on its way through a stretch: half a stretch, then the other half."""
    near = min(ran, HALF)
    early, late = mask & (1 << HALF) - 1, mask >> HALF
    first, second = (1 << near) | early, (1 << (ran - near)) | late
    middle = size + 2 * count_ones(early) - near
    return max(size + HIGHEST[first], middle + HIGHEST[second]), min(size + LOWEST[first], middle + LOWEST[second])


@part
def follow_lead(state, size, cards, ran, mask, battles):
    """Battle by battle through a stretch in which the lead may change; `size` is seat 0's before it. Returns the leader after it.

    Without branches, since nobody could guess them.
    """
    leader, changes, last = state.leader, np.int64(0), state.last_lead_change
    lead = 2 * size - cards
    for k in range(HALF if ran <= HALF else LANES):
        lead += (4 * ((mask >> k) & 1) - 2) * np.int64(k < ran)
        ahead = np.int64(lead < 0)
        moved = np.int64(lead != 0) & np.int64(ahead != leader)
        changed = moved & np.int64(leader >= 0)
        changes += changed
        last = battles + k + 1 if changed == 1 else last
        leader = ahead if moved == 1 else leader
    state.leader = leader
    state.lead_changes += changes
    state.last_lead_change = last
    return leader


@part
def lead_after_war(state, size, cards, battles):
    """The lead after a war that may have changed it. Returns the leader."""
    return follow_lead(state, size + 1, cards, 1, 0, battles - 1)


@inlined
def keeps_lead(leader, low, high, cards):
    """Whether the leader (0, 1; -1 before there is one) is never overtaken, where seat 0's cards stay within low and high."""
    return (leader == 0 and 2 * low >= cards) or (leader == 1 and 2 * high <= cards)


@part
def count_war_in_race(state, rank, depth, laid, winner):
    """One war goes into the record."""
    state.wars += 1
    state.war_rounds += depth
    state.deepest_war = max(state.deepest_war, depth)
    state.biggest_pot = max(state.biggest_pot, 2 * laid)
    state.wars_by_rank[rank - 2] += 1
    if winner >= 0:
        state.wars_won[winner] += 1
        state.battles_won[winner] += 1


@part
def break_race(state, head, size, cards, battles):
    """The heads have come to the stop: look for a repeated state from now on, if due, and make room. Returns the next stop."""
    if state.rules.detect_endless == 1 and deterministic(state) and battles >= state.next_watch:
        state.next_watch = 2 * battles
        save_race(state, head, size, cards)
    leave_race(state, head, size, cards)
    enter_race(state)
    return next_stop(state, battles)


@part
def next_stop(state, battles):
    """How far the heads may run from 0 before the room ends or, at the earliest, the cap comes near."""
    return min(np.int64(SPAN), state.rules.max_battles - NEAR_CAP - battles)


@part
def race(state, detail):
    """Play battles of two players until one has all cards, or until something comes up that `battle` must play.

    That is: a player short of cards for a war (but under `lose`), or the last few battles before the cap. A repeated
    state sets `suspect`. Every stretch of battles ends at a tie, at an empty packet, or after LANES battles.
    """
    rules, stream = state.rules, state.stream
    order = rules.pickup_order
    by_coin = order == SHUFFLED or order == COIN
    swap = np.int64(-1) if order == LOSERS_FIRST or order == LOW_FIRST else np.int64(0)
    seat_order = np.int64(-1) if order == SEAT_ORDER or order == SEAT_ALTERNATE else np.int64(0)
    flip = np.int64(order == LOSERS_FIRST)
    keep = np.int64(order != SEAT_ORDER and order != SEAT_ALTERNATE)
    enter_race(state)
    head, size, cards = np.int64(0), state.held[0], state.held[0] + state.held[1]
    began, offset = size, state.table.battles  # battles played are offset + head
    stop = next_stop(state, offset)
    saved_size = state.saved_size[0] if state.next_watch > FIRST_WATCH else np.int64(-1)
    face_down = rules.face_down if rules.war_size == BY_FACE_DOWN else np.int64(-1)
    plain, drawn = np.int64(0), False
    leader, most, fewest = state.leader, state.most_cards[0], state.fewest_cards[0]
    while True:
        if head > stop:
            battles = offset + head
            if battles > rules.max_battles - NEAR_CAP:
                break
            stop = break_race(state, head, size, cards, battles)
            saved_size = state.saved_size[0] if state.next_watch > FIRST_WATCH else np.int64(-1)
            offset, head = battles, np.int64(0)
        elif size == saved_size and race_repeats(state, head, size, cards):
            state.suspect = 1
            break
        limit = min(min(size, cards - size), LANES)
        # A tie asks for no coin: its war must find the stream where `battle` would have left it.
        if by_coin and not (state.rng[5] == 0 and byte_at(stream, head) == byte_at(stream, head + GAP)):
            limit = min(limit, coins(state.rng))
            # shuffled: coin 0 swaps winner's and loser's card; coin: 1 does
            swap = np.int64(state.rng[4]) ^ (np.int64(-1) if order == SHUFFLED else np.int64(0))
        ran, mask = stretch(stream, head, GAP, head + size, head + GAP + cards - size, limit, swap, seat_order)
        if by_coin:
            take_coins(state.rng, ran)
        if detail and ran > 0:
            high, low = path_ends(size, ran, mask)
            most, fewest = max(most, high), min(fewest, low)
            if not keeps_lead(leader, low, high, cards):
                leader = follow_lead(state, size, cards, ran, mask, offset + head)
        head += ran
        plain += ran
        size += 2 * count_ones(mask) - ran
        if ran == limit:
            if size == 0 or size == cards:
                break
            continue
        rank = byte_at(stream, head)
        laid = (face_down if face_down >= 0 else face_down_cards(rules, rank)) + 2
        depth, enough = np.int64(1), min(size, cards - size)
        if laid <= enough and byte_at(stream, head + laid - 1) == byte_at(stream, head + GAP + laid - 1):
            depth, laid = further_rounds(state, head, enough, laid)
        winner = np.int64(byte_at(stream, head + laid - 1) < byte_at(stream, head + GAP + laid - 1))
        if laid > enough:
            if rules.short_war_rule != LOSE:
                break
            depth, laid, drawn = lose_in_race(state, head, size, cards), enough, 2 * size == cards
            winner = np.int64(-1) if drawn else np.int64(2 * size < cards)
        count_war_in_race(state, rank, depth, laid, winner)
        offset -= laid - 1
        if drawn:
            head += laid
            break
        pick_up_in_race(state, order, head, size, cards, winner, laid, flip, keep)
        head += laid
        size += laid - 2 * laid * winner
        began += laid - 2 * laid * winner
        if detail:
            most, fewest = max(most, size), min(fewest, size)
            if not keeps_lead(leader, size, size, cards):
                leader = lead_after_war(state, size, cards, offset + head)
        if size == 0 or size == cards:
            break
    if plain > 0:
        state.biggest_pot = max(state.biggest_pot, 2)
    state.battles_won[0] += (plain + size - began) // 2
    state.battles_won[1] += (plain - size + began) // 2
    state.table.battles = offset + head
    if detail and fewest < RING:
        state.most_cards[0], state.fewest_cards[0] = most, fewest
        state.most_cards[1], state.fewest_cards[1] = cards - fewest, cards - most
    leave_race(state, head, size, cards)
    if drawn:
        draw_race(state)


@part
def draw_race(state):
    """B5: both players' last cards lie on the table."""
    state.deadlocks += 1
    state.outcome = DRAW
    state.draw_seats = 3
    for s in range(2):
        state.held[s] = 0
        state.fewest_cards[s] = 0


@part
def finish_race(state):
    """The race is over when a packet is empty: places and outcome."""
    if state.outcome == DRAW:
        place_the_out(state)
    elif state.held[0] == 0 or state.held[1] == 0:
        loser = np.int64(state.held[1] == 0)
        state.winner = 1 - loser
        state.place[1 - loser] = 1
        state.place[loser] = 2
        state.out[loser] = state.table.battles
        state.outcome = WIN


# ------------------------------------------------------------------------------------------------------- the whole game


@part
def play_again_exactly(state):
    """The race proved or suspects an endless game: play it from the deal, comparing every state (D10)."""
    hand_out(state)
    state.exact = 1
    save(state)


@part
def settle(state):
    """After a pick-up or a deadlock."""
    check_end(state)
    if state.outcome == CAPPED or (state.capped == 1 and state.outcome >= 0):
        # A capped race has not looked for repeated states from the first battle on: now it must.
        if state.exact == 0 and state.rules.detect_endless == 1 and deterministic(state):
            play_again_exactly(state)


@kernel
def battle(state):
    """One battle up to its pick-up. Returns False if the winner has a choice to make first."""
    winner = fight(state)
    count_pot(state)
    state.table.winner = winner
    if winner < 0:
        winner = deadlock(state)
        state.table.winner = winner
    if winner >= 0:
        if state.rules.pickup_order == PLAYER_CHOICE:
            gather(state, winner, WINNER_FIRST)
            state.seat = winner
            return False
        pick_up(state, winner, state.rules.pickup_order)
    settle(state)
    return True


@kernel
def legal(state, moves):
    """The five orders of D2 among which a winner may choose."""
    for k in range(len(CHOSEN_ORDERS)):
        moves[k] = k
    return np.int64(len(CHOSEN_ORDERS))


@kernel
def observe(state, seat, view):
    """Section 10: every packet's size, and, to the winner, the pot."""
    view.seat = seat
    view.decision = state.decision
    view.table = state.table
    for s in range(SEATS):
        view.table.owned[s] = owned(state, s)
    for k in range(state.table.pot_size):
        view.pot[k] = state.pot[k] if seat == state.seat else 0


@part
def can_race(state):
    """Whether the game may race on from here: the rules allow it and there are battles enough before the cap."""
    return (
        state.exact == 0 and raceable(state) and state.carried_size == 0
        and state.table.battles <= state.rules.max_battles - NEAR_CAP
    )  # fmt: skip


@kernel
def step(state, move):
    """The winner's choice of a pick-up order, if one is due; then on to the next choice, to the end, or, if watched, through one battle."""
    if state.seat >= 0:
        pick_up(state, state.seat, np.int64(CHOSEN_ORDERS[move]))
        settle(state)
        if state.watch == 1 and state.outcome < 0:
            state.seat = PAUSED
            return
    while state.outcome < 0:
        if can_race(state):
            race(state, state.detail == 1)
            finish_race(state)
            if state.suspect == 1:
                play_again_exactly(state)
            if state.outcome >= 0:
                break
        if not battle(state):
            return
        if state.watch == 1 and state.outcome < 0:
            state.seat = PAUSED
            return
    state.seat = OVER


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
    result.stand_events = state.stand_events
    result.deadlocks = state.deadlocks
    result.bystander_wars = state.bystander_wars
    result.lead_changes = state.lead_changes
    result.last_lead_change = state.last_lead_change
    for s in range(state.seats):
        result.payoff[s] = 2 if state.outcome == WIN and state.winner == s else (state.draw_seats >> s) & 1
        result.place[s] = state.place[s]
        result.out[s] = state.out[s]
        result.battles_won[s] = state.battles_won[s]
        result.wars_won[s] = state.wars_won[s]
        result.aces[s] = state.aces[s]
        result.strength[s] = state.strength[s]
        result.cards_at_end[s] = owned(state, s)
        result.most_cards[s] = state.most_cards[s]
        result.fewest_cards[s] = state.fewest_cards[s]
    if state.detail == 1:
        for k in range(LARGEST_RANKS):
            result.wars_by_rank[k] = state.wars_by_rank[k]


# -------------------------------------------------------------------------------------------------- to look at and tell


def scene(state) -> dict:
    """All there is to see after a battle: packets front first, what was laid, who took it."""
    seats, table = int(state["seats"]), state["table"]

    def packet(s):
        head, size = int(state["head"][s]), int(state["held"][s])
        return [int(state["packet"][s][(head + k) % RING]) for k in range(size)]

    return {
        "battle": int(table["battles"]),
        "ranks": int(state["rules"]["ranks"]),
        "face_down": int(state["rules"]["face_down"]) if int(state["rules"]["war_size"]) == BY_FACE_DOWN else -1,
        "short_war_rule": SHORT_RULES[int(state["rules"]["short_war_rule"])],
        "laid": [[int(card) for card in state["laid"][s][: int(state["laid_size"][s])]] for s in range(seats)],
        "first_tie": [s for s in range(seats) if int(state["first_tied"]) >> s & 1],
        "war_rounds": int(table["depth"]),
        "pot": int(table["pot_size"]),
        "winner": int(table["winner"]),
        "choosing": int(state["seat"]) >= 0,
        "carried": [int(card) for card in state["carried"][: int(state["carried_size"])]],
        "packets": [packet(s) for s in range(seats)],
        "side_piles": [[int(card) for card in state["side"][s][: int(state["side_size"][s])]] for s in range(seats)],
        "outcome": OUTCOMES[int(state["outcome"])] if int(state["outcome"]) >= 0 else "",
        "draw_seats": [s for s in range(seats) if int(state["draw_seats"]) >> s & 1],
    }


def lies_up(now: dict, place: int, cards: int) -> bool:
    """Whether the card at this place of the `cards` that a seat laid in a battle surely lies face up (B3).

    The first does, and the last, unless a player may run out while laying face down. In between it can be told where all
    rounds lay the same number.
    """
    step = now["face_down"] + 1 if now["short_war_rule"] != "equal_force" else 0
    return place == 0 or (step > 0 and place % step == 0) or (place == cards - 1 and now["short_war_rule"] != "lose")


def seen(now: dict, seat: int) -> dict:
    """Section 10 and D18: what of a scene a player may know. Face-down cards are known to whoever takes the pot, packets to nobody."""
    laid, carried = now["laid"], now["carried"]
    if now["winner"] != seat:
        laid = [[card if lies_up(now, place, len(cards)) else None for place, card in enumerate(cards)] for cards in laid]
        carried = [None] * len(carried)
    numbers = {name: [len(cards) for cards in now[name]] for name in ("packets", "side_piles")}
    return now | numbers | {"viewer": seat, "laid": laid, "carried": carried}


def laid_text(cards: list, ranks: int) -> str:
    """What a seat laid; a face-down card that is not known is a question mark."""
    return " ".join("?" if card is None else rank_name(card, ranks) for card in cards)


def count_of(cards: list | int) -> int:
    """How many cards these are, also where only their number is known."""
    return cards if isinstance(cards, int) else len(cards)


def tell(now: dict, before: dict | None = None) -> list[str]:
    """A scene, or what is seen of it, in the rules page's words, a line a fact; `before` is the scene before it."""
    ranks, seats = now["ranks"], len(now["packets"])
    owned_ = [count_of(now["packets"][s]) + count_of(now["side_piles"][s]) for s in range(seats)]
    if now["battle"] == 0:
        dealt = [f"{cards} cards" if isinstance(cards, int) else rank_names(cards, ranks) for cards in now["packets"]]
        return [f"Seat {s} is dealt {dealt[s]}" for s in range(seats)]
    shows = ", ".join(f"seat {s} shows {rank_name(now['laid'][s][0], ranks)}" for s in range(seats) if now["laid"][s])
    lines = [f"Battle {now['battle']}: {shows}"]
    if now["first_tie"]:
        tied = " and ".join(str(s) for s in now["first_tie"])
        lines.append(f"  War: seats {tied} tie; rounds: {now['war_rounds']}")
        lines += [f"  Seat {s} lays {laid_text(now['laid'][s][1:], ranks)}" for s in range(seats) if len(now["laid"][s]) > 1]
    if now["choosing"]:
        return [*lines, f"  Seat {now['winner']} wins the pot of {now['pot']}"]
    if before is not None and before.get("choosing"):
        lines = []
    if now["winner"] >= 0:
        lines.append(f"  Seat {now['winner']} takes the pot of {now['pot']}; cards: {' : '.join(map(str, owned_))}")
    else:
        lines.append(f"  Deadlock: no tied player has a card left; the pot is {now['pot']}; cards: {' : '.join(map(str, owned_))}")
    if now["outcome"] == "draw" and now["draw_seats"]:
        lines.append(f"The game is a draw between seats {' and '.join(map(str, now['draw_seats']))}.")
    elif now["outcome"]:
        best = owned_.index(max(owned_))
        ends = {
            "win": f"Seat {best} owns the most cards and wins",
            "endless": "The same packets have come back: this game never ends",
            "capped": "The game is capped",
        }
        lines.append(f"{ends.get(now['outcome'], 'The game is a draw')} after {now['battle']} battles.")
    return lines


STYLES = (
    (r"^Battle \d+", "bold"),
    (r"\b[Ss]eat 0\b", "cyan"),
    (r"\b[Ss]eat 1\b", "red"),
    (r"\b[Ss]eat 2\b", "green"),
    (r"\b[Ss]eat 3\b", "magenta"),
)
"""How a terminal shows it."""

# ----------------------------------------------------------------------------------------------------------- the games


def check(rules: Mapping) -> str:
    """What is wrong with this deck for these players, or ''."""
    ranks, copies, players = rules["ranks"], rules["copies"], rules["players"]
    if ranks > LARGEST_RANKS and not (ranks == 52 and copies == 1):
        return f"ranks = {ranks} with copies = {copies} is not legal: 2 to {LARGEST_RANKS} ranks, or 52 with 1 copy"
    if ranks * copies > LARGEST_DECK:
        return f"ranks x copies = {ranks * copies} is more than {LARGEST_DECK} cards"
    if ranks * copies < players:
        return f"a deck of {ranks * copies} cards is too small for {players} players"
    if rules["leftover"] == "remove_twos" and ranks * copies % players > copies:
        return f"leftover = remove_twos would take out {ranks * copies % players} twos, and there are only {copies}"
    if "ace_war_size" in rules and ranks > 13:
        return f"ranks = {ranks} is not legal: sizes of wars are defined for 2 to 13 ranks"
    return ""


def deals(rules: Mapping) -> int:
    """How many distinct orders the deck has."""
    cards, orders = rules["ranks"] * rules["copies"], 1
    for _ in range(rules["ranks"]):
        orders *= comb(cards, rules["copies"])
        cards -= rules["copies"]
    return orders


def read_hand(text: str, rules: Mapping) -> tuple[int, ...]:
    """The ranks of a given hand, highest first: exactly these are dealt to its seat. Raises BadInput."""
    ranks, players = rules["ranks"], rules["players"]
    known = {rank_name(rank, ranks).lower(): rank for rank in range(2, ranks + 2)} | {str(rank): rank for rank in range(2, ranks + 2)}
    known |= {"t": 10} if ranks == 13 else {}
    names = [rank_name(rank, ranks) for rank in range(2, ranks + 2)]
    cards = []
    for word in text.replace(",", " ").replace(";", " ").split():
        if word.lower() not in known:
            raise BadInput(
                f"no card of this deck is called {word}{nearest(word.upper(), names)}; cards are written by rank: {', '.join(names)}"
            )
        cards.append(known[word.lower()])
    deck = ranks * rules["copies"]
    dropped = deck % players if rules["leftover"] == "remove_twos" else 0
    for rank, n in Counter(cards).items():
        most = rules["copies"] - (dropped if rank == 2 else 0)
        if n > most:
            raise BadInput(f"{n} cards of rank {rank_name(rank, ranks)} are named, and there {'is' if most == 1 else 'are'} {most}")
    rest = deck - dropped - len(cards)
    if not cards or rest < players - 1:
        raise BadInput(f"a given hand has 1 to {deck - dropped - players + 1} cards, so that each player has one; these are {len(cards)}")
    if rules["leftover"] == "remove_twos" and len(cards) != (deck - dropped) // players and rest % (players - 1):
        raise BadInput(
            f"{rest} cards do not divide evenly among the others; with a hand of {len(cards)} use leftover = set_aside or first_pot"
        )
    return tuple(sorted(cards, reverse=True))


def write_hand(cards: Sequence[int], rules: Mapping) -> str:
    """The ranks of a hand as they are typed."""
    return rank_names(cards, rules["ranks"])


def hidden_cells(rules: Mapping) -> set[str]:
    """Ranks that are not in the deck."""
    return {f"wars_by_rank_{rank}" for rank in range(2, LARGEST_RANKS + 2) if rank > rules["ranks"] + 1}


def decided_by_deal(rules: Mapping) -> bool:
    """Whether the cards decide the game: no order of pick-up is chosen or random, and no lot is drawn."""
    return WINNER_FIRST <= ORDERS.index(rules["pickup_order"]) <= LOW_FIRST and rules["deadlock_rule"] != "lot"


def family(name: str, title: str, **fixed: int) -> Game:
    """One of the three games."""
    return Game(
        name=name, title=title, version=1, rules_page="docs/rules/war.md", parameters=parameters_of(name), columns=columns(),
        rules=RULES, state=STATE, view=VIEW, largest_seats=SEATS, largest_moves=len(CHOICES), start=start, legal=legal,
        observe=observe, step=step, score=score, scene=scene, tell=tell, seen=seen, styles=STYLES, decisions=("pickup",), move_text=lambda move, decision=0: CHOICES[move], check=check, deals=deals, decided_by_deal=decided_by_deal, read_hand=read_hand, write_hand=write_hand,
        has_choices=lambda rules: rules["pickup_order"] == "player_choice", hidden_cells=hidden_cells, fixed=fixed, strategies="war",
        joints=(("aces_0", "winner"), ("strength_0", "winner")), length="battles",
    )  # fmt: skip


def games() -> list[Game]:
    """The three games of this file."""
    sizes = {"ace_war_size": ACE_SIZES.index(11), "face_war_size": FACE_TEN, "war_size_source": LATEST_TIE}
    return [
        family("war", "War, two players", war_size=BY_FACE_DOWN, **sizes),
        family("war-multi", "War for three or four", war_size=BY_FACE_DOWN, **sizes),
        family("razboi", "Război: the tied rank sizes the war", war_size=BY_RANK, face_down=0),
    ]
