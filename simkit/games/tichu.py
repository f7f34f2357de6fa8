"""Tichu, a round and a match: rules page docs/rules/tichu.md, sections 2 to 6.

Cards, sets of cards and moves are those of `_tichu_combinations.py`. Card number c (0…55) is bit c of a set: 0 Mah Jong,
1 Dog, 2 Phoenix, 3 Dragon, and 4 * (rank - 1) + suit for an ordinary card. Teams are 0 (seats 0, 2) and 1 (seats 1, 3).

A move with cards, a play or a bomb, is cards | type << TYPE | rank << RANK: `move & CARDS`, `move_type(move)` and
`move >> RANK` read it. Types are SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, FOUR, FLUSH, 0 to 7; the rank is
that by which it beats others, the highest of a straight, DRAGON_RANK for the Dragon. All these names come from
`simkit.games._tichu_combinations`. A move without cards is 0 (no, pass, decline, no wish), YES (a call), WISH | rank << RANK, or GIFT | seat << RANK. A
card to push is the set of that one card.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from simkit.cards import RANK_NAMES
from simkit.game import (
    CAPPED,
    DRAW,
    GIVEN,
    HAND_GIVEN,
    INT,
    OVER,
    PAUSED,
    STREAM,
    WIN,
    BadInput,
    Call,
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
from simkit.games._tichu_combinations import (
    CARDS,
    DOG,
    DRAGON,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    MAH_JONG,
    PAIR,
    PAIR_RUN,
    PASS,
    PHOENIX,
    RANK,
    SINGLE,
    TRIPLE,
    TYPE,
    bomb_beats,
    can_fulfil,
    flushes,
    fours,
    has_bomb,
    high_cards,
    lowest_suits,
    lowest_to_push,
    move_type,
    natural,
    points,
    same_beats,
    write_bombs,
    write_plays,
)  # fmt: skip
from simkit.jit import count_ones, kernel, lowest_one, part
from simkit.rng import CHANCE, DEAL, RESHUFFLE, below, next_word, open_stream, shuffle

NAMES = ("tichu", "tichu-match")

SEATS, DECK, HAND = 4, 56, 14
MOST_PLAYS = 56
"""Plays of a round: 55 at most (section 7, invariant 7)."""
MOST_MOVES = 2048
"""The longest list known has 1857 moves (section 4); straights that are straight flushes are written first and then taken out."""
MOST_TRIES = 1000
"""How often `guess` draws hidden hands anew that a pass on a wish forbids: few draws in 100 can be allowed, seldom fewer."""

NEVER_OUT = 1 << 60
"""Beside the cards of a hand that may not be known: it is not empty."""

YES = 1 << TYPE
WISH_MOVE = 2 << TYPE
GIFT_MOVE = 3 << TYPE

GRAND, TICHU, PUSH, PLAY, BOMB, WISH, GIFT = range(7)
"""Kinds of decision."""
TEAMS = (0, 1, 0, 1)
"""By seat."""
NEXT, PARTNER, PREVIOUS = range(3)
"""Receivers of pushed cards, seen from the giver: seat + 1, + 2, + 3."""
NOTHING, DEALT, CALLED, PUSHED, PLAYED, PASSED, WISHED, CLOSED, SCORED = range(9)
"""What a scene shows: `state.event`."""
TO_GRAND, TO_CALLS, TO_PUSH, TO_EXCHANGE, TO_LEAD, TO_TURN, TO_WINDOW, TO_OFFER, TO_ASK, TO_WISH, TO_CLOSE, TO_SCORE, TO_DEAL = range(13)
"""What comes next: `state.todo`."""
NO_CALL, GRAND_CALL = 0, 4
"""In `table.call`; 1, 2, 3 is a Tichu called in window W1, W2, W3."""
FORCED_TICHU, FORCED_GRAND = 2, 3
"""In `hand_call`: places in `calls`, from 1."""
BEFORE_TURN, BEFORE_BOMB = 3, 4
"""In `table.window`: window W3 before one's turn, and before an offer to bomb."""
LEAD_BIT, BOMB_BIT = 16, 32
"""In `table.how`: seat | passes before it << 2 | whether it was a lead | whether it was played out of turn."""

# ---------------------------------------------------------------------------------------------------- parameters (3)

SIMULTANEOUS, SEQUENTIAL = 0, 1
BOTH_ALLOWED, ONE_PER_TEAM = 0, 1
WINDOWS = ("w1+w2+w3", "w1", "w2", "w3", "w1+w2", "w1+w3", "w2+w3")
WINDOW_BITS = sum(sum(1 << window - 1 for window in (1, 2, 3) if f"w{window}" in text) << 3 * place for place, text in enumerate(WINDOWS))
"""Three bits for each value of `tichu_windows`: the windows that it names."""
ACTIVE_IF_ANY = 1
OPTIONAL, MANDATORY, WISH_OFF = range(3)
AFTER_PLAY, AFTER_ACTION, CLOSE_ONLY = range(3)
NEXT_FIRST, RANDOM_START, OWNER_FIRST = range(3)
AFTER_PLAYER = 1
TARGET, FIXED_ROUNDS = 0, 1
EXTRA_ROUND, TIE_DRAWN = 0, 1

ROUND_PARAMETERS = [
    choice(
        "gt_order", "simultaneous", ("simultaneous", "sequential"), "whether Grand Tichu is decided without knowing the others' calls (D5)"
    ),
    choice("partner_calls", "both_allowed", ("both_allowed", "one_per_team"), "whether both partners may call (D6)"),
    choice("tichu_windows", WINDOWS[0], WINDOWS, "when Tichu is offered: before the push, after it, before one's first card (D8)"),
    flag("tichu_after_first_out", False, "whether Tichu is offered when somebody has gone out (D8)"),
    flag("tichu_before_push", True, "whether the first calls are known before cards to push are chosen (D9)"),
    flag("pass_cards", True, "whether cards are pushed (D10)"),
    flag("deal_8_first", True, "whether there is a Grand Tichu decision after the first cards (D11)"),
    whole("grand_tichu_cards", 8, 0, 13, "cards seen at the Grand Tichu decision (D11)"),
    whole("min_pair_run", 2, 2, 3, "pairs in the shortest pair run (D16)"),
    whole("min_straight", 5, 5, 7, "cards in the shortest straight; straight flushes of 5 remain bombs (D17)"),
    flag("sf_as_straight", False, "whether a straight flush may also be played as an ordinary straight (D18)"),
    choice("phoenix_full_house", "declare", ("declare", "high"), "which triple two pairs and the Phoenix make (D19)"),
    choice("phoenix_straight", "declare", ("declare", "high"), "which end of a straight the Phoenix extends (D22)"),
    choice("dragon_recipient", "either", ("either", "active_if_any"), "who may be given a trick won by the Dragon (D26)"),
    flag("dragon_gift_last_trick", True, "whether a Dragon trick that ends the round is given away (D27)"),
    choice("wish", "optional", ("optional", "mandatory", "off"), "whether playing the Mah Jong allows or forces a wish (D29)"),
    choice("wish_scope", "all", ("all", "no_bombs", "singles_only"), "combinations that count as being able to fulfil the wish (D30)"),
    flag("bombs_out_of_turn", True, "whether bombs may be played out of turn (D34)"),
    choice(
        "bomb_windows", "after_play_and_close", ("after_play_and_close", "after_every_action", "close_only"), "when bombs are offered (D35)"
    ),
    choice("bomb_order", "next_first", ("next_first", "random_start", "owner_first"), "who is offered a bomb first (D36)"),
    choice("dog_partner_out", "after_partner", ("after_partner", "after_player"), "who leads after the Dog if the partner is out (D39)"),
    whole("tichu_value", 100, 0, 1000, "points for a Tichu, won or lost (D42)"),
    whole("grand_tichu_value", 200, 0, 1000, "points for a Grand Tichu, won or lost (D42)"),
    whole("double_victory_value", 200, 0, 1000, "points for a double victory (D42)"),
    flag("public_hand_sizes", True, "whether players see how many cards the others hold (D44)"),
]
MATCH_PARAMETERS = [
    whole("target_score", 1000, 100, 10000, "points that end the match (D2)"),
    choice("match_mode", "target", ("target", "fixed_rounds"), "whether a target or a number of rounds ends the match (D2)"),
    whole("fixed_rounds", 6, 1, 100, "rounds of a match with match_mode fixed_rounds (D2)"),
    choice("tie_rule", "extra_round", ("extra_round", "draw"), "what follows equal totals at the end (D3)"),
    whole("max_rounds", 300, 1, 10000, "rounds after which a match is cut off (D4)"),
]
MATCH = whole("match", 0, 0, 1, "1 in a match")
RULES = rules_record([*ROUND_PARAMETERS, *MATCH_PARAMETERS, MATCH])

# -------------------------------------------------------------------------------------------------------- columns (6)

ON = ("lead", "single", "pair", "triple", "pair_run", "full_house", "straight", "bomb")
"""What a bomb was played on."""
SEAT_LOW = {"low": -1, "width": 5}
"""The window of a column that holds a seat, or -1."""


def ending_columns() -> list[Column]:
    """How a round or a match ended. Teams win, not seats."""
    winner = Column("winner", "the winning team, 0 (seats 0 and 2) or 1 (seats 1 and 3); -1 if nobody won", -1, 8, finished=False)
    return [result_columns()[1], winner]


def round_columns() -> list[Column]:
    """What is recorded of each round."""
    seat, team = {"per": "seat"}, {"labels": ("0", "1")}
    return [
        Column("payoff", "score of the seat's team minus the other's", -825, 1651, finished=False, **seat),
        *ending_columns(),
        Column("score", "score of each team, calls included", -425, 851, **team),
        Column("card_score", "score of each team without calls", -25, 226, **team),
        Column("double_victory", "1 if both players of a team were the first two to go out"),
        Column("call", "0 none, 1 to 3 Tichu in window W1 to W3, 4 Grand Tichu", 0, 5, **seat),
        Column("call_success", "-1 no call, 0 failed, 1 succeeded", -1, 3, **seat),
        Column("call_high", "aces, Dragon and Phoenix in hand at the call; -1 no call", -1, 8, **seat),
        Column("high_first", "aces, Dragon and Phoenix among the first cards", 0, 7, **seat),
        Column("high_dealt", "aces, Dragon and Phoenix among the 14 cards dealt", 0, 7, **seat),
        Column("mah_jong_dealt", "seat that was dealt the Mah Jong", 0, 4),
        Column("mah_jong_leads", "seat that holds it after the push, and so leads first", 0, 4),
        Column("mah_jong_by", "seat that played it; -1 nobody", **SEAT_LOW),
        Column("out", "first, second, third seat to go out; -1 nobody", labels=("1", "2", "3"), **SEAT_LOW),
        Column("last", "seat left with cards; -1 in a double victory", **SEAT_LOW),
        Column("first_out_from_leader", "first player out: 0 the first leader, 1 next seat, 2 partner, 3 previous seat", 0, 4),
        Column("leader_last", "1 if the first leader is left with cards"),
        Column("leader_difference", "score of the first leader's team minus the other's", -825, 1651),
        Column("points_left", "card points in the last player's hand", -25, 126),
        Column("points_passed_on", "card points of the last player's tricks", -25, 151),
        Column("plays", "combinations played, the Dog too", 0, 56),
        Column("passes", "passes, forced ones too", 0, 160),
        Column("tricks", "closed tricks", 0, 56),
        Column("dogs", "1 if the Dog was played"),
        Column("lead_changes", "leads by another seat than the lead before", 0, 56),
        Column("bombs", "bombs played", 0, 14),
        Column("bombs_four", "fours of a kind played", 0, 14),
        Column("bombs_flush", "straight flushes played", 0, 12),
        Column("bombs_out_of_turn", "bombs played out of turn", 0, 14),
        Column("bombs_by", "bombs played by each seat", 0, 4, **seat),
        Column("bombs_on", "bombs played on this", 0, 14, labels=ON),
        Column("bomb_held", "bombs held at the first lead: 0 none, 1 four of a kind, 2 straight flush, 3 both", 0, 4, **seat),
        Column("bomb_unplayed", "1 if the seat held a bomb at the first lead and played none", **seat),
        Column("wish", "rank wished; 0 no wish, -1 never asked", -1, 16),
        Column("wish_fulfilled_by", "seat that fulfilled the wish; -1 nobody", **SEAT_LOW),
        Column("wish_plays", "plays after the Mah Jong until the wish was fulfilled; 0 never", 0, 56),
        Column("wish_forced", "plays that the wish restricted", 0, 56),
        Column("dragon_by", "seat that played the Dragon; -1 nobody", **SEAT_LOW),
        Column("dragon_bombed", "1 if it was bombed"),
        Column("dragon_to", "seat that was given its trick; -1 nobody", **SEAT_LOW),
        Column("phoenix_use", "0 single, 1 pair, 2 triple, 3 pair run, 4 full house, 5 straight; -1 not played", -1, 7),
        Column("phoenix_to", "seat that collected it; -1 nobody", **SEAT_LOW),
        Column("first_out_plays", "plays of the first player out", 0, 16),
        Column("cards_left", "cards of the last player", 0, 15),
        Column("first_hand", "first cards, as a set", tallied=False, **seat),
        Column("dealt_hand", "the 14 cards dealt, as a set", tallied=False, **seat),
        Column("pushed", "cards pushed: to next + 64 * to partner + 4096 * to previous; -1 none", tallied=False, **seat),
    ]  # fmt: skip


def match_columns() -> list[Column]:
    """What is recorded of each match."""
    seat = {"per": "seat"}
    return [
        result_columns()[0],
        *ending_columns(),
        Column("total", "final score of each team", -1000, 3000, finished=False, labels=("0", "1")),
        Column("rounds", "rounds played", 0, 64),
        Column("double_victories", "rounds that ended in a double victory", 0, 32),
        Column("grand_calls", "Grand Tichus called", 0, 32, **seat),
        Column("grand_made", "Grand Tichus that succeeded", 0, 32, **seat),
        Column("tichu_calls", "Tichus called", 0, 32, **seat),
        Column("tichu_made", "Tichus that succeeded", 0, 32, **seat),
        Column("lead_changes", "rounds after which another team led than the last that led", 0, 32),
        Column("deficit", "largest deficit that the winner made up", 0, 1001),
        Column("extra_rounds", "rounds played after the match would have ended but for a tie", 0, 8),
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- the records

TABLE = record([
    ("total", INT, (2,)),  # match score of each team
    ("rounds", INT),  # rounds finished
    ("call", INT, (4,)),  # published calls
    ("hand_size", INT, (4,)),  # cards in each hand; -1 in a view that does not show them
    ("out", INT, (4,)),  # seats in the order of going out, -1
    ("outs", INT),
    ("points", INT, (4,)),  # card points of the tricks that each seat has
    ("top", INT),  # the combination to beat, as a move; 0 on a lead
    ("owner", INT),  # seat that played it
    ("leader", INT),  # seat that led last, or is to lead
    ("trick", INT),  # cards on the table
    ("passes", INT),  # since the last play
    ("seen", INT),  # all cards played so far
    ("wish", INT),  # active wish, 0 none
    ("wish_made", INT),  # rank, 0 no wish, -1 nobody was asked
    ("mah_jong_by", INT),  # seat that played the Mah Jong, -1
    ("dragon_to", INT),  # seat that was given the Dragon's trick, -1
    ("window", INT),  # of a Tichu decision: 1, 2, BEFORE_TURN, BEFORE_BOMB; 0 in the view of another
    ("window_start", INT),  # of a bomb decision: the seat that would be asked first; 0 in the view of another
    ("plays", INT),
    ("play", INT, (MOST_PLAYS,)),  # all plays as moves
    ("how", "u1", (MOST_PLAYS,)),  # by whom and when: see LEAD_BIT
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("hand", INT, (4,)),
    ("given", INT, (4, 3)),  # by giver and receiver (NEXT, …) the card chosen, as a set; 0 not yet
    ("todo", INT),
    ("asked", INT),  # next seat to be asked, where all are asked in turn
    ("pending", INT),  # seats that have called, not published yet
    ("asker", INT), ("then", INT),  # who is asked what after an offer of Tichu
    ("offset", INT),  # the next regular turn is that of seat owner + offset
    ("duty", INT),  # 1: the wish restricts this play
    ("bombers", INT),  # seats that hold a bomb
    ("queue", INT),  # seats to be offered a bomb
    ("after", INT),  # what comes after the window
    ("ending", INT),  # 1: the trick on the table is the last
    ("event", INT), ("actor", INT), ("shown", INT),  # what was seen last
    ("chance", *STREAM),  # for random_start
    ("deck", "u1", (64,)),
    # what is recorded
    ("first_hand", INT, (4,)), ("dealt_hand", INT, (4,)), ("call_high", INT, (4,)), ("bomb_held", INT, (4,)),
    ("plays_by", INT, (4,)), ("bombs_by", INT, (4,)), ("bombs_on", INT, (8,)),
    ("mah_jong_dealt", INT), ("mah_jong_leads", INT), ("mah_jong_play", INT), ("last_leader", INT),
    ("passes", INT), ("tricks", INT), ("dogs", INT), ("lead_changes", INT),
    ("bombs_four", INT), ("bombs_out_of_turn", INT),
    ("wish_fulfilled_by", INT), ("wish_plays", INT), ("wish_forced", INT),
    ("dragon_by", INT), ("dragon_bombed", INT), ("phoenix_use", INT), ("phoenix_to", INT),
    ("double_victory", INT), ("last", INT), ("points_left", INT), ("points_passed_on", INT),
    ("card_score", INT, (2,)), ("score", INT, (2,)),
    # of a match
    ("double_victories", INT), ("grand_calls", INT, (4,)), ("grand_made", INT, (4,)), ("tichu_calls", INT, (4,)),
    ("tichu_made", INT, (4,)), ("ahead", INT), ("match_lead_changes", INT), ("deficit", INT, (2,)),
    ("reached", INT), ("capped", INT),
    *given_hand_fields(HAND),
])  # fmt: skip
# `mah_jong_play`: the number of the play with the Mah Jong. `ahead`: 1 or -1, which team led last. `deficit`: how far each
# team has been behind. `reached`: rounds finished when the match would first have ended but for a tie, 0 before.

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),
    ("hand", INT),
    ("given", INT, (3,)),  # the cards that one has chosen for the next seat, partner, previous seat, as sets; 0 not yet
    ("received", INT, (3,)),  # the cards that one was given by them; 0 before the exchange
])  # fmt: skip

# ------------------------------------------------------------------------------------------------------------- set-up


@part
def first_cards(rules):
    """How many cards are seen at the Grand Tichu decision; none where there is no such decision."""
    return np.int64(rules.grand_tichu_cards) if rules.deal_8_first == 1 else np.int64(0)


@part
def clear_table(table):
    """Nothing called, played or collected."""
    for s in range(SEATS):
        table.call[s] = NO_CALL
        table.hand_size[s] = HAND
        table.out[s] = -1
        table.points[s] = 0
    table.outs = 0
    table.top = 0
    table.owner = 0
    table.leader = 0
    table.trick = 0
    table.passes = 0
    table.seen = 0
    table.wish = 0
    table.wish_made = -1
    table.mah_jong_by = -1
    table.dragon_to = -1
    table.window = 0
    table.window_start = 0
    table.plays = 0
    for k in range(MOST_PLAYS):
        table.play[k] = 0
        table.how[k] = 0


@part
def clear_round(state):
    """Before the deal of a round: nothing chosen, nothing recorded of it."""
    clear_table(state.table)
    for s in range(SEATS):
        state.given[s, 0] = 0
        state.given[s, 1] = 0
        state.given[s, 2] = 0
        state.call_high[s] = -1
        state.bomb_held[s] = 0
        state.plays_by[s] = 0
        state.bombs_by[s] = 0
        state.bombs_on[s] = 0
        state.bombs_on[s + 4] = 0
    state.asked = 0
    state.pending = 0
    state.asker = 0
    state.then = PLAY
    state.offset = 1
    state.duty = 0
    state.bombers = 0
    state.queue = 0
    state.after = TO_TURN
    state.ending = 0
    state.mah_jong_play = 0
    state.last_leader = -1
    state.passes = 0
    state.tricks = 0
    state.dogs = 0
    state.lead_changes = 0
    state.bombs_four = 0
    state.bombs_out_of_turn = 0
    state.wish_fulfilled_by = -1
    state.wish_plays = 0
    state.wish_forced = 0
    state.dragon_by = -1
    state.dragon_bombed = 0
    state.phoenix_use = -1
    state.phoenix_to = -1
    state.double_victory = 0
    state.last = -1
    state.points_left = 0
    state.points_passed_on = 0
    for team in range(2):
        state.card_score[team] = 0
        state.score[team] = 0


@part
def clear_match(state):
    """Before the first round."""
    state.seats = SEATS
    state.table.rounds = 0
    state.double_victories = 0
    for team in range(2):
        state.table.total[team] = 0
        state.deficit[team] = 0
    for s in range(SEATS):
        state.grand_calls[s] = 0
        state.grand_made[s] = 0
        state.tichu_calls[s] = 0
        state.tichu_made[s] = 0
    state.ahead = 0
    state.match_lead_changes = 0
    state.reached = 0
    state.capped = 0


@part
def cards_from(state, begin, end):
    """Part of the deck as a set."""
    cards = np.int64(0)
    for k in range(begin, end):
        cards |= np.int64(1) << np.int64(state.deck[k])
    return cards


@part
def shuffle_around_hand(state):
    """The given hand comes to the first places of its seat; all else is random."""
    shuffle_given_hand(state, DECK)
    for k in range(state.hand_size):
        place = HAND * state.hand_seat + k
        state.deck[k], state.deck[place] = state.deck[place], state.deck[k]


@part
def deal(state):
    """Begin a round: shuffle and give 14 cards to each seat (2.1)."""
    clear_round(state)
    number = state.table.rounds
    if state.dealing != GIVEN or number > 0:
        for k in range(DECK):
            state.deck[k] = k
        open_stream(state.rng, state.key[0], state.key[1], DEAL if number == 0 else RESHUFFLE + number)
        if state.dealing == HAND_GIVEN and number == 0:
            shuffle_around_hand(state)
        else:
            shuffle(state.rng, state.deck, DECK)
    first = first_cards(state.rules)
    for s in range(SEATS):
        state.first_hand[s] = cards_from(state, HAND * s, HAND * s + first)
        state.dealt_hand[s] = state.first_hand[s] | cards_from(state, HAND * s + first, HAND * s + HAND)
        state.hand[s] = state.dealt_hand[s]
        if state.hand[s] & MAH_JONG:
            state.mah_jong_dealt = s
            state.mah_jong_leads = s
    state.event = DEALT
    state.todo = TO_GRAND if state.rules.deal_8_first == 1 else after_grand(state)
    return False


@kernel
def start(state):
    """Shuffles and deals; `step` goes on to the first decision, so that only `step` need contain the course of play."""
    clear_match(state)
    if state.rules.bomb_order == RANDOM_START:
        open_stream(state.chance, state.key[0], state.key[1], CHANCE)
    deal(state)
    state.seat = PAUSED


# ------------------------------------------------------------------------------------------- calls and push (2.2, 2.3)


@part
def after_grand(state):
    """Window W1, or the push if it comes first (D9)."""
    state.asked = 0
    if state.rules.tichu_before_push == 0 and state.rules.pass_cards == 1:
        return np.int64(TO_PUSH)
    state.table.window = 1
    return np.int64(TO_CALLS)


@part
def after_push(state):
    """Window W1, if it has not been; or the exchange."""
    state.asked = 0
    if state.rules.tichu_before_push == 1:
        return np.int64(TO_EXCHANGE)
    state.table.window = 1
    return np.int64(TO_CALLS)


@part
def after_calls(state):
    """What follows window W1 or W2."""
    state.asked = 0
    if state.table.window == 2:
        return begin_play(state)
    if state.rules.pass_cards == 1 and state.rules.tichu_before_push == 1:
        return np.int64(TO_PUSH)
    return np.int64(TO_EXCHANGE)


@part
def may_call(state, seat, window):
    """Whether Tichu is offered to this seat in this window."""
    table, rules = state.table, state.rules
    if table.hand_size[seat] != HAND or table.call[seat] != NO_CALL:
        return False
    if table.outs > 0 and rules.tichu_after_first_out == 0:
        return False
    if rules.partner_calls == ONE_PER_TEAM and table.call[seat ^ 2] != NO_CALL:
        return False
    return ((WINDOW_BITS >> (3 * rules.tichu_windows + window - 1)) & 1) == 1


@part
def publish(state, kind):
    """Calls made at the same time become known."""
    pending = state.pending
    if state.rules.partner_calls == ONE_PER_TEAM:
        pending &= ~((pending & 3) << 2)
    for s in range(SEATS):
        if (pending >> s) & 1:
            state.table.call[s] = kind
            state.call_high[s] = high_cards(state.first_hand[s] if kind == GRAND_CALL else state.hand[s])
    if pending != 0:
        state.event = CALLED
        state.shown = pending
    state.pending = 0


@part
def to_grand(state):
    """Ask the next seat for Grand Tichu; after the last one publish the calls."""
    while state.asked < SEATS:
        seat = state.asked
        if state.rules.gt_order == SEQUENTIAL:
            publish(state, GRAND_CALL)
            if state.watch == 1 and state.event == CALLED:
                return False
        if state.rules.partner_calls == BOTH_ALLOWED or state.table.call[seat ^ 2] == NO_CALL:
            state.decision = GRAND
            state.seat = seat
            return True
        state.asked += 1
    publish(state, GRAND_CALL)
    state.todo = after_grand(state)
    return False


@part
def to_calls(state):
    """Windows W1 and W2: ask the next seat; after the last one publish the calls."""
    while state.asked < SEATS:
        if may_call(state, state.asked, state.table.window):
            state.decision = TICHU
            state.seat = state.asked
            return True
        state.asked += 1
    publish(state, state.table.window)
    state.todo = after_calls(state)
    return False


@part
def to_push(state):
    """Ask the next seat for a card to push."""
    if state.asked < SEATS:
        state.decision = PUSH
        state.seat = state.asked
        return True
    state.todo = after_push(state)
    return False


@part
def chosen_cards(state, seat):
    """The cards that a seat has chosen to push so far."""
    return state.given[seat, NEXT] | state.given[seat, PARTNER] | state.given[seat, PREVIOUS]


@part
def exchange(state):
    """All pushed cards change hands at once."""
    if state.rules.pass_cards == 1:
        for s in range(SEATS):
            state.hand[s] &= ~chosen_cards(state, s)
        for s in range(SEATS):
            for k in range(3):
                state.hand[(s + 1 + k) & 3] |= state.given[s, k]
        state.event = PUSHED
    state.asked = 0
    state.table.window = 2
    state.todo = TO_CALLS
    return False


@part
def begin_play(state):
    """The holder of the Mah Jong leads first (2.5)."""
    for s in range(SEATS):
        hand = state.hand[s]
        held = np.int64(fours(hand) != 0) + 2 * np.int64(flushes(hand) != 0)
        state.bomb_held[s] = held
        if held != 0:
            state.bombers |= np.int64(1) << s
        if hand & MAH_JONG:
            state.mah_jong_leads = s
    state.table.leader = state.mah_jong_leads
    return np.int64(TO_LEAD)


# ------------------------------------------------------------------------------------------------ turns (2.5 to 2.7)


@part
def ask(state, seat, decision):
    """Ask a seat to play or to bomb, after offering Tichu if it may call (D46)."""
    state.seat = seat
    state.decision = decision
    if state.table.hand_size[seat] == HAND and may_call(state, seat, 3):
        state.decision = TICHU
        state.table.window = BEFORE_BOMB if decision == BOMB else BEFORE_TURN
        state.asker = seat
        state.then = decision


@part
def ask_to_play(state, seat):
    """A lead, or a regular turn with something to play."""
    state.duty = 0
    if state.table.wish > 0 and can_fulfil(state.hand[seat], state.table.wish, state.table.top, state.rules):
        state.duty = 1
        state.wish_forced += 1
    ask(state, seat, PLAY)


@part
def to_lead(state):
    """The seat on lead must play."""
    leader = state.table.leader
    if leader != state.last_leader and state.last_leader >= 0:
        state.lead_changes += 1
    state.last_leader = leader
    ask_to_play(state, leader)
    return True


@part
def can_play(state, seat):
    """Whether a seat can beat the top combination."""
    top = state.table.top
    if move_type(top) < FOUR and same_beats(state.hand[seat], top):
        return True
    return ((state.bombers >> seat) & 1) == 1 and bomb_beats(state.hand[seat], top)


@part
def seats_to_follow(state):
    """Whether a seat with cards is still to have its regular turn."""
    for offset in range(state.offset, SEATS):
        if state.table.hand_size[(state.table.owner + offset) & 3] > 0:
            return True
    return False


@part
def pass_turn(state, seat):
    """A seat passes, by choice or because it must; what comes next."""
    state.table.passes += 1
    state.passes += 1
    state.offset += 1
    state.event = PASSED
    state.actor = seat
    state.todo = TO_TURN
    if state.rules.bomb_windows == AFTER_ACTION and seats_to_follow(state):
        state.todo = TO_WINDOW
        state.after = TO_TURN


@part
def to_turn(state):
    """The next regular turn; forced passes are not asked. When all have passed, the closing window."""
    table = state.table
    while state.offset < SEATS:
        seat = (table.owner + state.offset) & 3
        if table.hand_size[seat] == 0:
            state.offset += 1
            continue
        if can_play(state, seat):
            ask_to_play(state, seat)
            return True
        pass_turn(state, seat)
        if state.watch == 1 or state.todo != TO_TURN:
            return False
    state.after = TO_CLOSE
    state.todo = TO_WINDOW
    return False


# ------------------------------------------------------------------------------------------------ bomb windows (2.9)


@part
def to_window(state):
    """Open a bomb window if somebody has a bomb that beats the top."""
    state.todo = state.after
    if state.bombers == 0 or state.rules.bombs_out_of_turn == 0:
        return False
    queue = np.int64(0)
    for s in range(SEATS):
        if (state.bombers >> s) & 1 and bomb_beats(state.hand[s], state.table.top):
            queue |= np.int64(1) << s
    if queue == 0:
        return False
    state.queue = queue
    first = (state.table.owner + 1) & 3
    if state.rules.bomb_order == OWNER_FIRST:
        first = np.int64(state.table.owner)
    elif state.rules.bomb_order == RANDOM_START:
        first = below(state.chance, SEATS)
    state.table.window_start = first
    state.todo = TO_OFFER
    return False


@part
def to_offer(state):
    """Offer a bomb to the next seat that has one."""
    for k in range(SEATS):
        seat = (state.table.window_start + k) & 3
        if (state.queue >> seat) & 1:
            state.queue ^= np.int64(1) << seat
            ask(state, seat, BOMB)
            return True
    state.todo = state.after
    return False


# ----------------------------------------------------------------------------------------------- playing cards (2.4)


@part
def note_bomb(state, seat, move, out_of_turn):
    """Section 6: bombs by type, by whom, on what."""
    top = state.table.top
    state.bombs_four += np.int64(move_type(move) == FOUR)
    state.bombs_by[seat] += 1
    state.bombs_out_of_turn += out_of_turn
    state.bombs_on[0 if top == 0 else min(move_type(top), np.int64(FOUR)) + 1] += 1
    if top & DRAGON:
        state.dragon_bombed = 1


@part
def note_specials(state, seat, move):
    """Section 6: Phoenix, Dragon."""
    if move & PHOENIX:
        state.phoenix_use = move_type(move)
    if move & DRAGON:
        state.dragon_by = seat


@part
def next_with_cards(state, seat):
    """This seat if it has cards, else the first after it that has."""
    while state.table.hand_size[seat] == 0:
        seat = (seat + 1) & 3
    return seat


@part
def play_dog(state, seat):
    """The lead passes to the partner (2.10)."""
    state.dogs += 1
    state.table.trick = 0
    state.table.top = 0
    partner = seat ^ 2
    if state.table.hand_size[partner] > 0 or state.rules.dog_partner_out != AFTER_PLAYER:
        state.table.leader = next_with_cards(state, partner)
    else:
        state.table.leader = next_with_cards(state, (seat + 1) & 3)
    state.todo = TO_LEAD


@part
def goes_out(state, seat):
    """A hand is empty; returns whether this ends the round (2.11)."""
    table = state.table
    table.out[table.outs] = seat
    table.outs += 1
    if table.outs == 2 and table.out[0] ^ table.out[1] == 2:
        state.double_victory = 1
        return True
    return table.outs == 3


@part
def play(state, seat, move, out_of_turn):
    """A combination is played."""
    table = state.table
    cards = move & CARDS
    lead = np.int64(table.top == 0)
    if cards & SPECIALS_OF_NOTE:
        note_specials(state, seat, move)
    if move_type(move) >= FOUR:
        note_bomb(state, seat, move, out_of_turn)
    number = table.plays
    table.play[number] = move
    table.how[number] = seat | (min(table.passes, 3) << 2) | (lead * LEAD_BIT) | (out_of_turn * BOMB_BIT)
    table.plays = number + 1
    table.seen |= cards
    table.trick |= cards
    table.passes = 0
    table.top = move
    table.owner = seat
    state.hand[seat] ^= cards
    table.hand_size[seat] -= count_ones(cards)
    state.plays_by[seat] += 1
    state.offset = 1
    state.event = PLAYED
    state.actor = seat
    state.shown = move
    if (state.bombers >> seat) & 1 and not has_bomb(state.hand[seat]):
        state.bombers ^= np.int64(1) << seat
    if table.wish > 0 and cards & natural(table.wish):
        table.wish = 0
        state.wish_fulfilled_by = seat
        state.wish_plays = number - state.mah_jong_play
    if cards & MAH_JONG:
        table.mah_jong_by = seat
        state.mah_jong_play = number
    over = table.hand_size[seat] == 0 and goes_out(state, seat)
    if over:
        state.ending = 1
        state.todo = TO_SCORE if state.double_victory == 1 or cards == DOG else TO_CLOSE
        if cards == DOG:
            state.dogs += 1
            table.trick = 0
        return
    if cards == DOG:
        play_dog(state, seat)
        return
    state.todo = TO_TURN
    state.after = TO_TURN
    if out_of_turn == 1 or state.rules.bomb_windows != CLOSE_ONLY:
        state.todo = TO_WINDOW
    if cards & MAH_JONG and state.rules.wish != WISH_OFF:
        state.todo = TO_WISH


SPECIALS_OF_NOTE = PHOENIX | DRAGON

# ------------------------------------------------------------------------------- closing a trick, the end (2.6 to 2.12)


@part
def collect(state, seat):
    """A trick goes to this seat; then the next lead, or the scoring."""
    table = state.table
    table.points[seat] += points(table.trick)
    if table.trick & PHOENIX:
        state.phoenix_to = seat
    state.tricks += 1
    state.event = CLOSED
    state.actor = seat
    table.trick = 0
    table.top = 0
    if state.ending == 1:
        state.todo = TO_SCORE
    else:
        table.leader = next_with_cards(state, table.owner)
        state.todo = TO_LEAD


@part
def recipients(state):
    """The seats that may be given the Dragon's trick, one bit each (D26)."""
    owner = state.table.owner
    both = (np.int64(1) << ((owner + 1) & 3)) | (np.int64(1) << ((owner + 3) & 3))
    if state.rules.dragon_recipient != ACTIVE_IF_ANY:
        return both
    active = np.int64(0)
    for s in range(SEATS):
        if state.table.hand_size[s] > 0:
            active |= np.int64(1) << s
    return both & active if both & active else both


@part
def to_close(state):
    """The trick on the table is closed; its owner may have to give it away (2.10)."""
    table = state.table
    kept = state.ending == 1 and state.rules.dragon_gift_last_trick == 0
    if kept or (table.top & DRAGON) == 0:
        collect(state, table.owner)
        return False
    seats = recipients(state)
    if count_ones(seats) == 1:
        give(state, lowest_one(seats))
        return False
    state.decision = GIFT
    state.seat = table.owner
    return True


@part
def give(state, seat):
    """The Dragon's trick goes to this seat."""
    state.table.dragon_to = seat
    collect(state, seat)


@part
def settle_cards(state):
    """Card points of both teams when three are out (2.12)."""
    table = state.table
    first, last = table.out[0], np.int64(0)
    while table.hand_size[last] == 0:
        last += 1
    state.last = last
    for s in range(SEATS):
        state.card_score[(first if s == last else s) & 1] += table.points[s]
    state.points_passed_on = table.points[last]
    state.points_left = points(state.hand[last])
    state.card_score[1 - (last & 1)] += state.points_left


@part
def settle(state):
    """The scores of a round (2.12)."""
    table, rules = state.table, state.rules
    first = table.out[0]
    if state.double_victory == 1:
        state.card_score[first & 1] = rules.double_victory_value
    else:
        settle_cards(state)
    for team in range(2):
        state.score[team] = state.card_score[team]
    for s in range(SEATS):
        if table.call[s] != NO_CALL:
            value = rules.grand_tichu_value if table.call[s] == GRAND_CALL else rules.tichu_value
            state.score[s & 1] += value if s == first else -value
    state.event = SCORED


@part
def note_calls(state):
    """Of a match: calls and which of them succeeded."""
    first = state.table.out[0]
    for s in range(SEATS):
        if state.table.call[s] == GRAND_CALL:
            state.grand_calls[s] += 1
            state.grand_made[s] += np.int64(s == first)
        elif state.table.call[s] != NO_CALL:
            state.tichu_calls[s] += 1
            state.tichu_made[s] += np.int64(s == first)


@part
def add_up(state):
    """Of a match: the running score after a round; returns whether the match is over (2.13)."""
    table, rules = state.table, state.rules
    table.rounds += 1
    for team in range(2):
        table.total[team] += state.score[team]
    state.double_victories += state.double_victory
    note_calls(state)
    ahead = table.total[0] - table.total[1]
    if ahead * state.ahead < 0:
        state.match_lead_changes += 1
    if ahead != 0:
        state.ahead = 1 if ahead > 0 else -1
    state.deficit[0] = max(state.deficit[0], -ahead)
    state.deficit[1] = max(state.deficit[1], ahead)
    if rules.match_mode == FIXED_ROUNDS:
        enough = table.rounds >= rules.fixed_rounds
    else:
        enough = max(table.total[0], table.total[1]) >= rules.target_score
    if enough and state.reached == 0:
        state.reached = table.rounds
    over = enough and (ahead != 0 or rules.tie_rule == TIE_DRAWN)
    if not over and table.rounds >= rules.max_rounds:
        state.capped = 1
        return True
    return over


@part
def to_score(state):
    """The round is over; in a match the next one may follow."""
    settle(state)
    if state.rules.match == 0 or add_up(state):
        state.seat = OVER
        return True
    state.todo = TO_DEAL
    return False


# ------------------------------------------------------------------------------------------------- decisions and steps


@part
def ask_again(state):
    """After an offer of Tichu: the decision before which it was made."""
    state.seat = state.asker
    state.decision = state.then
    return True


@part
def to_wish(state):
    """The wish is part of the Mah Jong's play (2.7)."""
    state.decision = WISH
    state.seat = state.table.owner
    return True


@part
def advance(state):
    """One thing that happens by itself; returns whether somebody must now decide, or the game is over."""
    todo = state.todo
    if todo == TO_TURN:
        return to_turn(state)
    if todo == TO_WINDOW:
        return to_window(state)
    if todo == TO_LEAD:
        return to_lead(state)
    if todo == TO_OFFER:
        return to_offer(state)
    if todo == TO_CLOSE:
        return to_close(state)
    if todo == TO_WISH:
        return to_wish(state)
    if todo == TO_ASK:
        return ask_again(state)
    if todo == TO_PUSH:
        return to_push(state)
    if todo == TO_CALLS:
        return to_calls(state)
    if todo == TO_GRAND:
        return to_grand(state)
    if todo == TO_EXCHANGE:
        return exchange(state)
    if todo == TO_DEAL:
        return deal(state)
    return to_score(state)


@part
def proceed(state):
    """Play on to the next decision, to the end, or, if watched, to the next thing worth seeing."""
    while not advance(state):
        if state.watch == 1 and state.event != NOTHING:
            state.seat = PAUSED
            return


@part
def answer_call(state, seat, yes):
    """The answer to an offer of Tichu or Grand Tichu."""
    if state.decision == TICHU and state.table.window >= BEFORE_TURN:
        state.todo = TO_ASK
        if yes == 1:
            state.pending = np.int64(1) << seat
            publish(state, 3)
        return
    state.pending |= yes << seat
    state.asked = seat + 1


@part
def answer_push(state, seat, card):
    """A card for the next receiver; after the third one it is the next seat's turn to choose."""
    k = NEXT if state.given[seat, NEXT] == 0 else PARTNER if state.given[seat, PARTNER] == 0 else PREVIOUS
    state.given[seat, k] = card
    if k == PREVIOUS:
        state.asked = seat + 1


@part
def answer_wish(state, seat, move):
    """A rank, or no wish."""
    table = state.table
    table.wish = move >> RANK
    table.wish_made = table.wish
    state.event = WISHED
    state.actor = seat
    state.shown = move
    state.todo = TO_TURN if state.rules.bomb_windows == CLOSE_ONLY else TO_WINDOW
    state.after = TO_TURN


@part
def act(state, move):
    """The decision that was asked for."""
    seat, decision = state.seat, state.decision
    if decision == PLAY:
        if move == PASS:
            pass_turn(state, seat)
        else:
            play(state, seat, move, np.int64(0))
    elif decision == BOMB:
        if move == PASS:
            state.todo = TO_OFFER
        else:
            play(state, seat, move, np.int64(1))
    elif decision == PUSH:
        answer_push(state, seat, move)
    elif decision == WISH:
        answer_wish(state, seat, move)
    elif decision == GIFT:
        give(state, move >> RANK)
    else:
        answer_call(state, seat, np.int64(move == YES))


@kernel
def step(state, move):
    """Applies a decision; then on to the next one or to the end."""
    if state.seat >= 0:
        state.event = NOTHING
        act(state, move)
        if state.watch == 1 and state.event != NOTHING:
            state.seat = PAUSED
            return
    state.event = NOTHING
    proceed(state)


@part
def keep_wished(moves, n, rank):
    """Drop the moves without a natural card of this rank (2.7)."""
    wished, kept = natural(rank), np.int64(0)
    for i in range(n):
        if moves[i] & wished:
            moves[kept] = moves[i]
            kept += 1
    return kept


@part
def write_push(state, moves):
    """The cards that may still be pushed."""
    cards, n = state.hand[state.seat] & ~chosen_cards(state, state.seat), np.int64(0)
    while cards != 0:
        moves[n] = cards & -cards
        cards &= cards - 1
        n += 1
    return n


@part
def write_other(state, moves):
    """The legal answers to a call, a wish, a gift."""
    decision, n = state.decision, np.int64(0)
    if decision == GIFT:
        seats, owner = recipients(state), state.table.owner
        for k in range(1, 4, 2):
            seat = (owner + k) & 3
            if (seats >> seat) & 1:
                moves[n] = GIFT_MOVE | (seat << RANK)
                n += 1
        return n
    if decision == WISH:
        if state.rules.wish == OPTIONAL:
            moves[n] = PASS
            n += 1
        for rank in range(2, 15):
            moves[n] = WISH_MOVE | (np.int64(rank) << RANK)
            n += 1
        return n
    moves[0], moves[1] = PASS, YES
    if state.hand_call != 0 and state.dealing == HAND_GIVEN and state.seat == state.hand_seat and state.table.rounds == 0:
        # Whatever its player chooses: strategies are written for two answers.
        forced = state.hand_call == (FORCED_GRAND if decision == GRAND else FORCED_TICHU)
        moves[0] = moves[1] = YES if forced else PASS
    return n + 2


@kernel
def legal(state, moves):
    """The legal answers to the present decision, sorted by type, length, rank, rank of the pair, rank of the Phoenix, cards."""
    decision, top, n = state.decision, state.table.top, np.int64(0)
    if decision != PLAY and decision != BOMB:
        return write_push(state, moves) if decision == PUSH else write_other(state, moves)
    hand, duty = state.hand[state.seat], decision == PLAY and state.duty == 1
    if top != 0 and not duty:
        moves[0] = PASS
        n += 1
    if decision == PLAY and move_type(top) < FOUR:
        n = write_plays(moves, n, hand, top, state.rules)
    if (state.bombers >> state.seat) & 1:
        n = write_bombs(moves, n, hand, top)
    return keep_wished(moves, n, state.table.wish) if duty else n


@kernel
def same(view, move):
    """Which of the moves that differ in suits that cannot matter stands for this one (section 4).

    In a push a suit is taken to matter to the giver only: the chance that the card completes a straight flush of whoever
    receives it hardly differs.
    """
    if view.decision == PLAY or view.decision == BOMB:
        return lowest_suits(view.hand, move)
    if view.decision == PUSH:
        return lowest_to_push(view.hand & ~(view.given[NEXT] | view.given[PARTNER] | view.given[PREVIOUS]), move)
    return move


@kernel
def observe(state, seat, view):
    """Section 5: the table, one's own hand, the cards that one gave and received."""
    view.seat = seat
    view.decision = state.decision
    view.table = state.table
    view.hand = state.first_hand[seat] if state.decision == GRAND else state.hand[seat]
    calling = state.decision == TICHU
    exchanged = state.decision >= PLAY or (calling and state.table.window > 1)
    # What was asked of others before would tell that they hold bombs.
    if not calling:
        view.table.window = 0
    if state.decision != BOMB and not (calling and state.table.window == BEFORE_BOMB):
        view.table.window_start = 0
    for k in range(3):
        view.given[k] = state.given[seat, k]
        giver = (seat + 1 + k) & 3
        view.received[k] = state.given[giver, 2 - k] if exchanged else 0
    if state.rules.public_hand_sizes == 0:
        for s in range(SEATS):
            if s != seat:
                view.table.hand_size[s] = -1


# ------------------------------------------------------------------------------------------------------ the result (6)


@part
def card_number(card):
    """The number of a card given as a set."""
    return lowest_one(card)


@part
def score_seats(state, result):
    """The cells of each seat."""
    table = state.table
    ahead = state.score[0] - state.score[1]
    for s in range(SEATS):
        call = table.call[s]
        result.payoff[s] = ahead if s & 1 == 0 else -ahead
        result.call[s] = call
        result.call_success[s] = np.int64(s == table.out[0]) if call != NO_CALL else -1
        result.call_high[s] = state.call_high[s]
        result.high_first[s] = high_cards(state.first_hand[s])
        result.high_dealt[s] = high_cards(state.dealt_hand[s])
        result.bombs_by[s] = state.bombs_by[s]
        result.bomb_held[s] = state.bomb_held[s]
        result.bomb_unplayed[s] = np.int64(state.bomb_held[s] > 0 and state.bombs_by[s] == 0)
        result.first_hand[s] = state.first_hand[s]
        result.dealt_hand[s] = state.dealt_hand[s]
        result.pushed[s] = -1
        if state.rules.pass_cards == 1:
            given = state.given[s]
            result.pushed[s] = card_number(given[NEXT]) + 64 * card_number(given[PARTNER]) + 4096 * card_number(given[PREVIOUS])


@part
def score_course(state, result):
    """Cells of the course of the round."""
    table = state.table
    result.plays = table.plays
    result.passes = state.passes
    result.tricks = state.tricks
    result.dogs = state.dogs
    result.lead_changes = state.lead_changes
    bombs = np.int64(0)
    for k in range(8):
        result.bombs_on[k] = state.bombs_on[k]
        bombs += state.bombs_on[k]
    result.bombs = bombs
    result.bombs_four = state.bombs_four
    result.bombs_flush = bombs - state.bombs_four
    result.bombs_out_of_turn = state.bombs_out_of_turn
    result.wish = table.wish_made
    result.wish_fulfilled_by = state.wish_fulfilled_by
    result.wish_plays = state.wish_plays
    result.wish_forced = state.wish_forced
    result.mah_jong_by = table.mah_jong_by
    result.dragon_by = state.dragon_by
    result.dragon_bombed = state.dragon_bombed
    result.dragon_to = table.dragon_to
    result.phoenix_use = state.phoenix_use
    result.phoenix_to = state.phoenix_to


@kernel
def score(state, result):
    """The row of a finished round."""
    table = state.table
    ahead, first, leader = state.score[0] - state.score[1], table.out[0], state.mah_jong_leads
    result.outcome = WIN if ahead != 0 else DRAW
    result.winner = np.int64(ahead < 0) if ahead != 0 else -1
    for team in range(2):
        result.score[team] = state.score[team]
        result.card_score[team] = state.card_score[team]
    for k in range(3):
        result.out[k] = table.out[k]
    result.double_victory = state.double_victory
    result.mah_jong_dealt = state.mah_jong_dealt
    result.mah_jong_leads = leader
    result.last = state.last
    result.first_out_from_leader = (first - leader) & 3
    result.leader_last = np.int64(state.last == leader)
    result.leader_difference = ahead if leader & 1 == 0 else -ahead
    result.points_left = state.points_left
    result.points_passed_on = state.points_passed_on
    result.first_out_plays = state.plays_by[first]
    result.cards_left = table.hand_size[state.last] if state.last >= 0 else 0
    score_seats(state, result)
    score_course(state, result)


@kernel
def score_match(state, result):
    """The row of a finished match."""
    table = state.table
    ahead = table.total[0] - table.total[1]
    winner = np.int64(ahead < 0) if ahead != 0 and state.capped == 0 else np.int64(-1)
    result.outcome = CAPPED if state.capped == 1 else WIN if winner >= 0 else DRAW
    result.winner = winner
    for team in range(2):
        result.total[team] = table.total[team]
    for s in range(SEATS):
        result.payoff[s] = 0 if state.capped == 1 else 1 if winner < 0 else 2 * np.int64(s & 1 == winner)
        result.grand_calls[s] = state.grand_calls[s]
        result.grand_made[s] = state.grand_made[s]
        result.tichu_calls[s] = state.tichu_calls[s]
        result.tichu_made[s] = state.tichu_made[s]
    result.rounds = table.rounds
    result.double_victories = state.double_victories
    result.lead_changes = state.match_lead_changes
    result.deficit = max(state.deficit[winner], 0) if winner >= 0 else 0
    result.extra_rounds = table.rounds - state.reached if state.reached > 0 else 0


# ---------------------------------------------------------------------------------------------- a guess at hidden cards


@part
def draw_card(stream, cards):
    """A random card of a set, as a set."""
    for _ in range(below(stream, count_ones(cards))):
        cards &= cards - 1
    return cards & -cards


@part
def draw_cards(stream, cards, n):
    """n random cards of a set."""
    drawn = np.int64(0)
    for _ in range(n):
        drawn |= draw_card(stream, cards ^ drawn)
    return drawn


@part
def played_by(table, seat, begin):
    """The cards that a seat has played from play number `begin` on."""
    cards = np.int64(0)
    for k in range(begin, table.plays):
        if np.int64(table.how[k]) & 3 == seat:
            cards |= table.play[k] & CARDS
    return cards


@part
def turn_without(state, seat, top, sure):
    """A seat did not play the wished rank on its turn: whether its hand then (in `dealt_hand`) says otherwise.

    With `sure`, whether this says that it had no natural card of that rank at all.
    """
    if sure == 1:
        return top == 0 or (move_type(top) == SINGLE and (top >> RANK) < state.table.wish_made)
    return can_fulfil(state.dealt_hand[seat] & CARDS, state.table.wish_made, top, state.rules)


@part
def wish_faults(state, viewer, sure):
    """Seats whose turns since the wish, which they took without playing its rank, contradict their hands.

    With `sure`, seats whose turns say that they have no natural card of that rank. One bit a seat; `dealt_hand` is used up.
    """
    table, found, first = state.table, np.int64(0), np.int64(0)
    while first < table.plays and table.play[first] & MAH_JONG == 0:
        first += 1
    for s in range(SEATS):
        state.dealt_hand[s] = state.hand[s] | played_by(table, s, first + 1)
        if table.hand_size[s] > 0:
            state.dealt_hand[s] |= NEVER_OUT
    for k in range(first + 1, table.plays + 1):
        top, seat = table.play[k - 1], np.int64(table.how[k - 1]) & 3
        passes = table.passes if k == table.plays else (np.int64(table.how[k]) >> 2) & 3
        for _ in range(passes):
            seat = (seat + 1) & 3
            while state.dealt_hand[seat] == 0:
                seat = (seat + 1) & 3
            if seat != viewer and turn_without(state, seat, top, sure):
                found |= np.int64(1) << seat
        if k == table.plays or table.play[k] & natural(table.wish_made):
            break
        how = np.int64(table.how[k])
        seat = how & 3
        if seat != viewer and how & BOMB_BIT == 0 and turn_without(state, seat, np.int64(0) if how & LEAD_BIT else top, sure):
            found |= np.int64(1) << seat
        state.dealt_hand[seat] &= ~(table.play[k] & CARDS)
    return found


@part
def place_wished(view, state, pool, barred):
    """Give the wished cards of the pool to seats that may have them, as likely as they have room; returns them."""
    table = state.table
    cards = pool & natural(table.wish_made)
    placed = cards
    while cards != 0:
        room = np.int64(0)
        for s in range(SEATS):
            if (barred >> s) & 1 == 0:
                room += table.hand_size[s] - count_ones(state.hand[s])
        if room == 0:
            return placed ^ cards
        place, seat = below(view.rng, room), np.int64(0)
        while True:
            if (barred >> seat) & 1 == 0:
                place -= table.hand_size[seat] - count_ones(state.hand[seat])
                if place < 0:
                    break
            seat += 1
        state.hand[seat] |= cards & -cards
        cards &= cards - 1
    return placed


@part
def spread(view, state, pool):
    """Fill the hands from the pool at random."""
    n = np.int64(0)
    while pool != 0:
        state.deck[n] = lowest_one(pool)
        pool &= pool - 1
        n += 1
    shuffle(view.rng, state.deck, n)
    for s in range(SEATS):
        while count_ones(state.hand[s]) < state.table.hand_size[s]:
            n -= 1
            state.hand[s] |= np.int64(1) << np.int64(state.deck[n])


@part
def known_cards(view, state, exchanged):
    """Hands with what the viewer knows of them: its own cards, and those that it gave and that have not been played."""
    for s in range(SEATS):
        state.hand[s] = 0
    state.hand[view.seat] = view.hand
    if exchanged:
        for k in range(3):
            state.hand[(view.seat + 1 + k) & 3] |= view.given[k] & ~view.table.seen


@part
def guess_hands(view, state, exchanged):
    """Draw the hands; drawn anew while a turn taken without the wished rank contradicts them (2.7)."""
    table, barred = state.table, np.int64(0)
    wished = table.wish_made > 0
    known_cards(view, state, exchanged)
    if wished:
        barred = wish_faults(state, view.seat, np.int64(1))
    for _ in range(MOST_TRIES):
        known_cards(view, state, exchanged)
        pool = CARDS & ~table.seen
        for s in range(SEATS):
            pool &= ~state.hand[s]
        if wished:
            pool ^= place_wished(view, state, pool, barred | (np.int64(1) << view.seat))
        spread(view, state, pool)
        if not wished or wish_faults(state, view.seat, np.int64(0)) == 0:
            return


@part
def guess_pushes(view, state):
    """After the exchange: what the others gave each other, and so the hands that were dealt."""
    received = np.int64(0)
    for s in range(SEATS):
        state.dealt_hand[s] = state.hand[s] | played_by(state.table, s, 0)
    if state.rules.pass_cards == 0:
        return
    for k in range(3):
        state.given[view.seat, k] = view.given[k]
        state.given[(view.seat + 1 + k) & 3, 2 - k] = view.received[k]
        received |= view.given[k] | view.received[k]
    for s in range(SEATS):
        for k in range(3):
            giver = (s + 1 + k) & 3
            if s != view.seat and giver != view.seat:
                state.given[giver, 2 - k] = draw_card(view.rng, state.dealt_hand[s] & ~received)
                received |= state.given[giver, 2 - k]
    for s in range(SEATS):
        for k in range(3):
            state.dealt_hand[s] |= state.given[s, k]
            state.dealt_hand[(s + 1 + k) & 3] &= ~state.given[s, k]


@part
def guess_choices(view, state):
    """Before the exchange: the cards that others have chosen to push already."""
    for s in range(SEATS):
        state.dealt_hand[s] = state.hand[s]
        chosen = s < view.seat if view.decision == PUSH else view.decision == TICHU and state.rules.tichu_before_push == 0
        for k in range(3):
            if s == view.seat:
                state.given[s, k] = view.given[k]
            elif chosen and state.rules.pass_cards == 1:
                state.given[s, k] = draw_card(view.rng, state.hand[s] & ~chosen_cards(state, s))


@part
def restore_turn(state, decision):
    """Where play stands: whose regular turn comes next, who is still to be offered a bomb."""
    table, seat = state.table, state.seat
    state.bombers = 0
    for s in range(SEATS):
        if has_bomb(state.hand[s]):
            state.bombers |= np.int64(1) << s
    state.offset = 1
    for _ in range(table.passes):
        while table.hand_size[(table.owner + state.offset) & 3] == 0:
            state.offset += 1
        state.offset += 1
    if decision == PLAY:
        state.offset = (seat - table.owner) & 3
        state.duty = np.int64(table.wish > 0 and can_fulfil(state.hand[seat], table.wish, table.top, state.rules))
    if decision == BOMB:
        middle = table.passes == 0 or (state.rules.bomb_windows == AFTER_ACTION and seats_to_follow(state))
        state.after = TO_TURN if middle else TO_CLOSE
        for k in range(((seat - table.window_start) & 3) + 1, SEATS):
            s = (table.window_start + k) & 3
            if (state.bombers >> s) & 1 and bomb_beats(state.hand[s], table.top):
                state.queue |= np.int64(1) << s
    state.ending = np.int64(table.outs == 3)


@kernel
def guess(view, state):
    """A state that gives this view: hidden cards are drawn from the view's own stream, nothing is recorded yet.

    Cards that the viewer gave lie with their receivers until they are played; turns taken without the wished rank are
    respected; calls made at the same time as the present one are taken to be none.
    """
    clear_match(state)
    clear_round(state)
    state.rules = view.rules
    state.table = view.table
    state.watch = 0
    state.dealing = 0
    state.detail = 0
    state.event = NOTHING
    state.key[0] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.key[1] = np.int64(next_word(view.rng) >> np.uint64(1))
    open_stream(state.chance, state.key[0], state.key[1], CHANCE)
    state.decision = view.decision
    state.seat = view.seat
    state.asked = view.seat
    for s in range(SEATS):
        state.table.hand_size[s] = HAND - count_ones(played_by(state.table, s, 0))
    begun = view.decision >= PLAY or (view.decision == TICHU and view.table.window >= BEFORE_TURN)
    exchanged = begun or (view.decision == TICHU and view.table.window == 2)
    guess_hands(view, state, exchanged)
    if exchanged:
        guess_pushes(view, state)
    else:
        guess_choices(view, state)
    for s in range(SEATS):
        state.first_hand[s] = draw_cards(view.rng, state.dealt_hand[s], first_cards(state.rules))
        if state.dealt_hand[s] & MAH_JONG:
            state.mah_jong_dealt = s
        if (state.hand[s] | state.table.seen & -np.int64(s == state.table.mah_jong_by)) & MAH_JONG:
            state.mah_jong_leads = s
    state.todo = TO_GRAND if view.decision == GRAND else TO_PUSH if view.decision == PUSH else TO_CALLS
    if view.decision == GRAND:
        state.first_hand[view.seat] = view.hand
    if begun:
        state.last_leader = state.table.leader
        state.then = BOMB if view.table.window == BEFORE_BOMB else PLAY
        state.asker = view.seat
        restore_turn(state, state.then if view.decision == TICHU else view.decision)


# -------------------------------------------------------------------------------------------------- to look at and tell

SPECIAL_NAMES = ("MJ", "Dog", "Ph", "Dr")
SUITS = "jspt"
TYPE_NAMES = ("single", "pair", "triple", "pair run", "full house", "straight", "bomb", "bomb")
ORDINALS = ("first", "second", "third")
CALL_NAMES = ("", "Tichu", "Tichu", "Tichu", "Grand Tichu")
EVENTS = ("nothing", "dealt", "called", "pushed", "played", "passed", "wished", "closed", "scored")


def rank_letter(rank: int) -> str:
    """'2' to '9', 'T', 'J', 'Q', 'K', 'A'."""
    return "T" if rank == 10 else RANK_NAMES.get(rank, str(rank))


def card_text(card: int) -> str:
    """A card number in the rules page's notation: '9j', 'Tp', 'MJ'."""
    return SPECIAL_NAMES[card] if card < 4 else rank_letter(card // 4 + 1) + SUITS[card % 4]


def card_texts(cards: int) -> list[str]:
    """The cards of a set in the page's fixed order: Dog, Mah Jong, ranks, Phoenix, Dragon (9.3)."""
    first, last = (1, 0), (2, 3)
    numbers = [card for card in range(DECK) if int(cards) >> card & 1]
    ordered = [c for c in first if c in numbers] + [c for c in numbers if c > 3] + [c for c in last if c in numbers]
    return [card_text(card) for card in ordered]


def reading(move: int) -> str:
    """What a combination is read as: 'pair of 9', 'straight 4 to 8', '9½' for the Phoenix."""
    cards, kind, rank = move & CARDS, move >> TYPE & 7, move >> RANK
    length, name = cards.bit_count(), rank_letter(rank)
    if kind == SINGLE:
        return f"{name}½" if cards == PHOENIX else ""
    if kind in (PAIR, TRIPLE, FULL_HOUSE):
        return f"{TYPE_NAMES[kind]} of {name}"
    if kind == FOUR:
        return f"bomb of four {name}"
    lowest = rank_letter(rank + 1 - (length // 2 if kind == PAIR_RUN else length))
    return f"{'bomb, straight flush' if kind == FLUSH else TYPE_NAMES[kind]} {lowest} to {name}"


ANSWERS = ("no Grand Tichu", "no Tichu", "", "pass", "no bomb", "no wish", "")
"""What the move without cards means, by decision."""


def move_text(move: int, decision: int = PLAY) -> str:
    """'9j 9s (pair of 9)', 'pass', 'Tichu', 'wish for 8', 'give the trick to seat 1'; a card to push: '9j'."""
    move = int(move)
    cards, kind, rank = move & CARDS, move >> TYPE & 7, move >> RANK
    if move == PASS:
        return ANSWERS[decision]
    if cards == 0:
        return ("", "Grand Tichu" if decision == GRAND else "Tichu", f"wish for {rank_letter(rank)}", f"give the trick to seat {rank}")[
            kind
        ]
    read = reading(move) if kind or rank else ""
    return " ".join(card_texts(cards)) + (f" ({read})" if read else "")


def all_tricks(state) -> list[dict[str, Any]]:
    """Each trick so far, the open one too: leader, type, length in cards, plays, owner, points, who has it."""
    table = state["table"]
    tricks: list[dict[str, Any]] = []
    for k in range(int(table["plays"])):
        move, how = int(table["play"][k]), int(table["how"][k])
        if move & CARDS == DOG:
            continue
        if how & LEAD_BIT:
            length = (move & CARDS).bit_count()
            tricks.append({"leader": how & 3, "type": TYPE_NAMES[move >> TYPE & 7], "length": length, "plays": 0, "cards": 0})
        tricks[-1]["plays"] += 1
        tricks[-1]["cards"] |= move & CARDS
        tricks[-1]["owner"] = how & 3
        tricks[-1]["taken_by"] = int(table["dragon_to"]) if move & DRAGON and table["dragon_to"] >= 0 else how & 3
    for trick in tricks:
        trick["points"] = int(plain_points(trick["cards"]))
        trick["cards"] = card_texts(trick["cards"])
    return tricks


def plain_points(cards: int) -> int:
    """Card points of a set."""
    worth = {5: 5, 10: 10, 13: 10}
    total = sum(worth.get(card // 4 + 1, 0) for card in range(4, DECK) if cards >> card & 1)
    return total + 25 * (cards >> 3 & 1) - 25 * (cards >> 2 & 1)


def scene(state) -> dict:
    """All there is to see: hands, calls, the table, and what happened last."""
    table, event = state["table"], EVENTS[int(state["event"])]
    plays = int(table["plays"])
    tricks = all_tricks(state)
    found = {
        "event": event,
        "seat": int(state["seat"]),
        "kind": DECISIONS[int(state["decision"])],
        "actor": int(state["actor"]),
        "shown": int(state["shown"]),
        "hands": [card_texts(state["hand"][s]) for s in range(SEATS)],
        "calls": [CALL_NAMES[int(table["call"][s])] for s in range(SEATS)],
        "out": [int(seat) for seat in table["out"] if seat >= 0],
        "points": [int(table["points"][s]) for s in range(SEATS)],
        "pushed": [[card_texts(state["given"][s][k])[0] if state["given"][s][k] else None for k in range(3)] for s in range(SEATS)],
        "exchanged": bool(state["given"][0][0] and not state["hand"][0] & state["given"][0][0]),
        "top": int(table["top"]),
        "owner": int(table["owner"]),
        "leader": int(table["leader"]),
        "plays": plays,
        "wish": int(table["wish"]),
        "wish_fulfilled": bool(event == "played" and state["wish_plays"] > 0 and state["wish_plays"] == plays - 1 - state["mah_jong_play"]),
        "out_of_turn": bool(event == "played" and plays > 0 and int(table["how"][plays - 1]) & BOMB_BIT),
        "lead": bool(int(table["how"][plays - 1]) & LEAD_BIT if event == "played" and plays > 0 else not table["top"]),
        "trick": tricks[-1] if table["top"] or event == "closed" else None,  # the one that is open, or has just been taken
        "sizes_public": bool(state["rules"]["public_hand_sizes"]),
        "match": bool(state["rules"]["match"]),
        "round": int(table["rounds"]),
        "total": [int(total) for total in table["total"]],
    }
    if event == "dealt" or found["kind"] == "grand":
        found["first_hands"] = [card_texts(state["first_hand"][s]) for s in range(SEATS)]
    if event == "called":
        found["callers"] = [s for s in range(SEATS) if int(state["shown"]) >> s & 1]
    if event == "scored":
        found |= score_scene(state, tricks)
    return found


def score_scene(state, tricks: list[dict]) -> dict:
    """What a scene shows of the end of a round."""
    return {
        "double_victory": bool(state["double_victory"]),
        "last": int(state["last"]),
        "points_left": int(state["points_left"]),
        "points_passed_on": int(state["points_passed_on"]),
        "card_score": [int(score) for score in state["card_score"]],
        "score": [int(score) for score in state["score"]],
        "tricks": tricks,
        "over": int(state["seat"]) == OVER,
        "capped": bool(state["capped"]),
    }


def seen(now: dict, seat: int) -> dict:
    """What of a scene a seat may know: its own hand (before Grand Tichu its first cards), of the others how many cards they hold.

    It sees no more than its own of the moments at which somebody is asked: an offer would tell who holds a bomb (section 5).
    """
    if now["event"] == "nothing" and now["seat"] != seat:
        return {}

    def own(hands: list) -> list:
        return [hand if s == seat else len(hand) if now["sizes_public"] else None for s, hand in enumerate(hands)]

    asked = now["seat"] == seat
    found = {**now, "viewer": seat, "seat": seat if asked else None, "kind": now["kind"] if asked else None, "hands": own(now["hands"])}
    if "first_hands" in now:
        found["first_hands"] = own(now["first_hands"])
        found["hands"][seat] = now["first_hands"][seat] or now["hands"][seat]
    found["pushed"] = [
        [card if seat == s or (now["exchanged"] and seat == (s + 1 + k) % SEATS) else None for k, card in enumerate(cards)]
        for s, cards in enumerate(now["pushed"])
    ]
    if now["event"] == "scored" and not now["double_victory"]:
        found["hands"][now["last"]] = now["hands"][now["last"]]  # it goes to the opponents, face up
    return found


def hand_text(hand: list | int | None) -> str:
    """A hand's cards, or how many they are, if that is known."""
    if hand is None:
        return "cards"
    return f"{hand} card{'s' * (hand != 1)}" if isinstance(hand, int) else " ".join(hand)


def of_viewer(now: dict, seat: int) -> str:
    """'seat 2', and of the viewer's partner that it is."""
    return f"seat {seat}, the partner" if "viewer" in now and seat == (now["viewer"] + 2) % SEATS else f"seat {seat}"


def tell_deal(now: dict) -> list[str]:
    """The hands, the first cards apart."""
    lines = [f"Round {now['round'] + 1}, {now['total'][0]} : {now['total'][1]}: cards are dealt" if now["match"] else "Cards are dealt"]
    for s in range(SEATS):
        first, hand = now["first_hands"][s], now["hands"][s]
        if "viewer" in now:
            if s == now["viewer"]:
                lines.append(f"  Seat {s} holds {hand_text(hand)}{f', the first {len(first)} of {HAND} cards' if first else ''}")
        elif first and first != hand:
            lines.append(f"  Seat {s} holds {' '.join(first)}; then {' '.join(card for card in hand if card not in first)}")
        else:
            lines.append(f"  Seat {s} holds {' '.join(hand)}")
    return lines


def tell_push(now: dict) -> list[str]:
    """Who gave what to whom, and the hands afterwards; to a viewer what it gave and received."""
    if "viewer" in now:
        me = now["viewer"]
        given = (f"{card} to {of_viewer(now, (me + 1 + k) % SEATS)}" for k, card in enumerate(now["pushed"][me]))
        received = (f"{now['pushed'][(me + 1 + k) % SEATS][2 - k]} from {of_viewer(now, (me + 1 + k) % SEATS)}" for k in range(3))
        return [f"  Seat {me} gives {'; '.join(given)}", f"  Seat {me} receives {'; '.join(received)}"]
    lines = []
    for s in range(SEATS):
        gifts = (f"{card} to seat {(s + 1 + k) % SEATS}" for k, card in enumerate(now["pushed"][s]))
        lines.append(f"  Seat {s} gives {', '.join(gifts)}")
    return [*lines, *(f"  Seat {s} holds {hand_text(now['hands'][s])}" for s in range(SEATS))]


def left_text(hand: list | int | None) -> str:
    """'; 10 cards left', if that is known."""
    if hand is None:
        return ""
    left = hand if isinstance(hand, int) else len(hand)
    return f"; {left} card{'s' * (left != 1)} left"


def is_over(out: list[int]) -> bool:
    """Whether a round is over with these seats out: three of them, or two of one team."""
    return len(out) > 2 or (len(out) == 2 and (out[0] - out[1]) % 2 == 0)


def tell_play(now: dict) -> list[str]:
    """A combination, and what comes of it."""
    seat = now["actor"]
    verb = "bombs out of turn:" if now["out_of_turn"] else "leads" if now["lead"] else "plays"
    lines = [f"  Seat {seat} {verb} {move_text(now['shown'])}{left_text(now['hands'][seat])}"]
    if now["wish_fulfilled"]:
        lines.append("  The wish is fulfilled")
    if seat in now["out"]:
        lines.append(f"  Seat {seat} is the {ORDINALS[now['out'].index(seat)]} to go out")
    if now["shown"] & CARDS == DOG and not is_over(now["out"]):
        lines.append(f"  The lead {'passes to' if now['leader'] != seat else 'stays with'} seat {now['leader']}")
    return lines


def tell_asked(now: dict, before: dict | None) -> list[str]:
    """How things stand for a viewer who is to decide."""
    me = now.get("viewer")
    if me is None or now["kind"] == "grand":
        return []
    call = f" ({now['calls'][me]})" if now["calls"][me] else ""
    hand = f"  Hand of seat {me}{call}: {hand_text(now['hands'][me])}"
    if now["kind"] == "push":
        return tell_to_push(now, hand)
    if not now["exchanged"] and now["leader"] == 0 and now["plays"] == 0 and now["kind"] == "tichu":
        return [hand]
    if now["kind"] == "wish":
        return []
    lines = [standing(now), hand] if now["plays"] or now["kind"] != "tichu" else [hand]
    return [] if before is not None and before["event"] == "nothing" and lines == tell_asked(before, None) else lines


def tell_to_push(now: dict, hand: str) -> list[str]:
    """For whom a card is to be chosen; the hand before the first, what has been chosen after it."""
    me = now["viewer"]
    chosen = [card for card in now["pushed"][me] if card]
    receiver = (me + 1 + len(chosen)) % SEATS
    name = ("the next player", "the partner", "the previous player")[len(chosen)]
    return [*([] if chosen else [hand]), f"  A card to push to seat {receiver}, {name}"]


def other_text(now: dict, seat: int) -> str:
    """What another player has: 'seat 1 9 cards (Tichu)'."""
    call = f" ({now['calls'][seat]})" if now["calls"][seat] else ""
    if seat in now["out"]:
        return f"seat {seat} is out{call}"
    return f"seat {seat} has {hand_text(now['hands'][seat])}{call}"


def standing(now: dict) -> str:
    """What is to be beaten, the wish, what the others hold, and the points so far."""
    me = now["viewer"]
    others = ", ".join(other_text(now, (me + k) % SEATS) for k in (1, 2, 3))
    top = (
        f"To {'bomb' if now['kind'] == 'bomb' else 'beat'}: {move_text(now['top'])} of {of_viewer(now, now['owner'])}, {now['trick']['points']} points in the trick"
        if now["top"]
        else f"Seat {now['leader']} is to lead"
    )
    wish = f"; wished: {rank_letter(now['wish'])}" if now["wish"] else ""
    points = ", ".join(f"seat {s} {points}" for s, points in enumerate(now["points"]) if points)
    return f"  {top}{wish}; {others}{f'; points: {points}' if points else ''}"


def tell_close(now: dict) -> list[str]:
    """Who takes the trick."""
    trick, seat = now["trick"], now["actor"]
    if seat != trick["owner"]:
        return [f"  Seat {trick['owner']} wins with the Dragon and gives the trick to seat {seat}: {trick['points']} points"]
    return [f"  Seat {seat} takes the trick: {trick['points']} points"]


def score_text(now: dict, team: int) -> str:
    """A team's score, and how it comes about where it has made a call: '155 (cards 55, calls +100)'."""
    score, cards = now["score"][team], now["card_score"][team]
    if not any(now["calls"][team::2]):
        return f"{score}"
    without = f"cards {cards}, " if not now["double_victory"] else f"double victory {cards}, " if cards else ""
    return f"{score} ({without}calls {score - cards:+})"


def tell_score(now: dict) -> list[str]:
    """The end of a round, and of the match."""
    lines = []
    if now["double_victory"]:
        first, second = now["out"][:2]
        lines.append(f"Double victory of seats {min(first, second)} and {max(first, second)}; seat {first} went out first")
    else:
        lines.append(
            f"Out were seats {', '.join(map(str, now['out']))}; seat {now['last']} is left with {hand_text(now['hands'][now['last']])}"
        )
        lines.append(
            f"  {now['points_left']} points of its hand go to its opponents, {now['points_passed_on']} of its tricks to seat {now['out'][0]}"
        )
    for s, call in enumerate(now["calls"]):
        if call:
            lines.append(f"  The {call} of seat {s} {'succeeds' if now['out'][0] == s else 'fails'}")
    lines.append(f"Score of seats 0 and 2: {score_text(now, 0)}, of seats 1 and 3: {score_text(now, 1)}")
    if now["match"]:
        lines.append(f"Total {now['total'][0]} : {now['total'][1]}")
        if now["over"]:
            lines.append(f"The match is {'cut off' if now['capped'] else 'over'} after {now['round']} rounds")
    return lines


def tell(now: dict, before: dict | None = None) -> list[str]:
    """A scene in the rules page's words, a line a fact; `before` is the scene before it."""
    event = now["event"]
    if event == "nothing":
        return tell_asked(now, before)
    if event == "called":
        return [f"Seat {s} calls {now['calls'][s]}" for s in now["callers"] if now["calls"][s]]
    if event == "passed":
        return [f"  Seat {now['actor']} passes"]
    if event == "wished":
        return [f"  Seat {now['actor']} wishes for {rank_letter(now['wish'])}" if now["wish"] else f"  Seat {now['actor']} makes no wish"]
    told = {"dealt": tell_deal, "pushed": tell_push, "played": tell_play, "closed": tell_close, "scored": tell_score}
    return told[event](now) if event in told else []


def sort_of(move: int, decision: int = PLAY) -> str:
    """The type of a combination, 'straight' say; '' of other moves."""
    return "" if not move & CARDS or decision == PUSH else TYPE_NAMES[move >> TYPE & 7]


def alike(now: dict, decision: int, moves: list[int]) -> list:
    """A key for each move: moves with the same key differ in suits that cannot matter.

    A suit matters where a card belongs to five or more of a row in one suit in the hand (section 4).
    """
    if decision == PUSH:  # it is not known yet what is pushed to one
        return moves
    hand = sum(1 << card for card in range(4, DECK) if card_text(card) in now["hands"][now["seat"]])
    in_flush = 0
    for card in range(4, DECK - 16):
        five = sum(1 << card + 4 * k for k in range(5))
        in_flush |= five if hand & five == five else 0
    return [alike_key(move, decision, in_flush) for move in moves]


def alike_key(move: int, decision: int, in_flush: int) -> tuple:
    """What a move is but for suits: its reading, and of each card the rank; the card itself where its suit matters."""
    cards = [card for card in range(DECK) if move >> card & 1]
    return (move >> TYPE, *sorted((card // 4, card if card < 4 or in_flush >> card & 1 else -1) for card in cards))


STYLES = (
    (r"\b(?:[2-9TJQKA]j)\b", "green"),
    (r"\b(?:[2-9TJQKA]s)\b", "bright_black"),
    (r"\b(?:[2-9TJQKA]p)\b", "blue"),
    (r"\b(?:[2-9TJQKA]t)\b", "red"),
    (r"\b(?:MJ|Dog|Ph|Dr)\b", "bold yellow"),
    (r"(?:Grand )?Tichu\b", "bold magenta"),
    (r"\b[Ss]eats? [02](?:(?: and |, )[02])?\b", "cyan"),
    (r"\b[Ss]eats? [13](?:(?: and |, )[13])?\b", "yellow"),
)
TYPING = """\
Cards are written 7j: the rank and j jade, s sword, p pagoda, t star; T is 10; MJ, Dog, Ph, Dr. Leave suits out where they
do not matter: 7 7, or pair 7; 5 6 7 8 9, or straight 9; wish 8; tichu. A number is a rank; #7 is the list's seventh move.
Asked for Tichu or a bomb, Enter declines."""
SPELLINGS = (
    (r"\b10(?=[jspt]?\b)", "T"),
    (r"\bphoenix\b", "Ph"),
    (r"\bdragon\b", "Dr"),
    (r"\bmah ?jong\b", "MJ"),
)

# ------------------------------------------------------------------------------------------------------------ the game

ROUND_ONLY = {"target_score": 1000, "match_mode": TARGET, "fixed_rounds": 6, "tie_rule": EXTRA_ROUND, "max_rounds": 300, "match": 0}
"""What the rules record holds of a match, in a round."""
DECISIONS = ("grand", "tichu", "push", "play", "bomb", "wish", "gift")


def hidden_cells(rules: Mapping) -> set[str]:
    """What cannot happen under these rules."""
    hidden = set()
    if not rules["deal_8_first"]:
        hidden |= {f"{name}_{s}" for name in ("high_first", "first_hand", "grand_calls", "grand_made") for s in range(SEATS)}
    if not rules["pass_cards"]:
        hidden |= {f"pushed_{s}" for s in range(SEATS)}
    if not rules["bombs_out_of_turn"]:
        hidden |= {"bombs_out_of_turn"}
    if rules["wish"] == "off":
        hidden |= {"wish", "wish_fulfilled_by", "wish_plays", "wish_forced"}
    return hidden


# -------------------------------------------------------------------------------------------------------- a given hand


WRITTEN = {"dragon": "dr", "drg": "dr", "phoenix": "ph", "phx": "ph", "mahjong": "mj", "1": "mj", "hound": "dog"}
"""Other ways to type a special card."""


def near_card(word: str) -> str:
    """'; did you mean X?' for a word that is no card, or nothing."""
    proper = word[:1].upper() + word[1:].lower()
    if proper[:1] in [rank_letter(rank) for rank in range(2, 15)] and len(word) == 2:
        return f"; did you mean {', '.join(proper[0] + suit for suit in SUITS)}?"
    return nearest(proper, [*SPECIAL_NAMES, "Dragon", "Phoenix", "Mahjong"])


def read_card(word: str) -> tuple[int, int]:
    """Rank and suit of a card as it is typed ('9j', '10P', 'as'), -1 for a suit left out; (0, card) of a special card. Raises BadInput."""
    text = word.lower()
    text = WRITTEN.get(text, text)
    for card, name in enumerate(SPECIAL_NAMES):
        if text == name.lower():
            return 0, card
    rank, suit = (text[:-1], text[-1]) if len(text) > 1 and text[-1] in SUITS else (text, "")
    ranks = {rank_letter(rank).lower(): rank for rank in range(2, 15)} | {"10": 10}
    if rank not in ranks:
        raise BadInput(f"no card is called {word}{near_card(word)}; cards are written 9j, Ts, Qp, At (or 9 for any suit), MJ, Dog, Ph, Dr")
    return ranks[rank], SUITS.index(suit) if suit else -1


def add_card(cards: list[int], rank: int) -> int:
    """A card of this rank whose suit does not matter: one that is not there yet, and if possible makes no straight flush."""
    free = [4 * (rank - 1) + (rank + k) % 4 for k in range(4) if 4 * (rank - 1) + (rank + k) % 4 not in cards]
    if not free:
        raise BadInput(f"more than four cards of rank {rank_letter(rank)} are named")

    def run(card: int) -> int:
        below = next(k for k in range(15) if card - 4 * (k + 1) < 4 or card - 4 * (k + 1) not in cards)
        return 1 + below + next(k for k in range(15) if card + 4 * (k + 1) not in cards)

    return next((card for card in free if run(card) < 5), free[0])


def read_hand(text: str, rules: Mapping) -> tuple[int, ...]:
    """The card numbers of a given hand, ascending: 14 cards, or the first few, of which a Grand Tichu is decided. Raises BadInput."""
    joined = text.lower().replace("mah jong", "mj").replace("mah-jong", "mj") if "mah" in text.lower() else text
    named = [read_card(word) for word in joined.replace(",", " ").replace(";", " ").split()]
    cards: list[int] = []
    for rank, suit in named:
        card = suit if rank == 0 else 4 * (rank - 1) + suit
        if suit >= 0 and card in cards:
            raise BadInput(f"the card {card_text(card)} is named twice")
        cards += [card] * (suit >= 0)
    for rank, suit in named:
        if suit < 0:
            cards.append(add_card(cards, rank))
    first = rules["grand_tichu_cards"] if rules["deal_8_first"] else 0
    sizes = f"{first} or {HAND}" if first else f"{HAND}"
    if len(cards) != HAND and (len(cards) != first or not first):
        raise BadInput(f"a given hand has {sizes} cards; these are {len(cards)}")
    return tuple(sorted(cards))


def write_hand(cards: Sequence[int], rules: Mapping) -> str:
    """The cards of a hand in the page's notation and order."""
    return " ".join(card_texts(sum(1 << card for card in cards)))


def calls(cards: Sequence[int], rules: Mapping) -> tuple[Call, ...]:
    """The bets on a hand: none; Tichu as soon as it is offered; Grand Tichu, where it is decided with just these cards."""
    none, tichu, grand = Call("no call"), Call("Tichu", rules["tichu_value"]), Call("Grand Tichu", rules["grand_tichu_value"])
    return (none, tichu) if len(cards) == HAND else (none, tichu, grand)


def match_calls(cards: Sequence[int], rules: Mapping) -> tuple[Call, ...]:
    """The same in the first round of a match: what they are worth shows in who wins it."""
    return tuple(replace(call, made="") for call in calls(cards, rules))


def games() -> list[Game]:
    """The games of this file."""

    def game(name, title, parameters, columns, score, fixed, length, **more):
        return Game(
            name=name, title=title, version=1, rules_page="docs/rules/tichu.md", parameters=parameters, columns=columns,
            rules=RULES, state=STATE, view=VIEW, largest_seats=SEATS, largest_moves=MOST_MOVES, start=start, legal=legal,
            observe=observe, step=step, score=score, scene=scene, tell=tell, seen=seen, guess=guess, same=same, decisions=DECISIONS,
            move_text=move_text, hidden_cells=hidden_cells, teams=lambda rules: TEAMS, fixed=fixed, strategies="tichu", length=length,
            styles=STYLES, tells_decisions=True, offers=("grand", "tichu", "bomb"), alike=alike, sort_of=sort_of,
            numbered=False, spellings=SPELLINGS, typing=TYPING, best_player="steady", read_hand=read_hand, write_hand=write_hand, **more,
        )  # fmt: skip

    first_out = {"goal": ("out_1", "goes out first"), "calls": calls}
    wins = {"goal": ("winner", "wins the match"), "calls": match_calls}
    return [
        game("tichu", "Tichu, a round", ROUND_PARAMETERS, round_columns(), score, ROUND_ONLY, "plays", **first_out),
        game(
            "tichu-match",
            "Tichu, a match",
            [*ROUND_PARAMETERS, *MATCH_PARAMETERS],
            match_columns(),
            score_match,
            {"match": 1},
            "rounds",
            **wins,
        ),
    ]
