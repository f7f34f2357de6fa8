"""Parts for TEN that ask a question rather than try to win: the studies of TEN put them into a good player's place.

Each is an ordinary part (docs/rules/ten.md, section 7) with one thing done otherwise, so that what a player loses by it, on the same
deals, is what that thing is worth.
"""

import numpy as np

from simkit.games._ten_score import optimal_score
from simkit.games.ten import NUMBERED, NUMBERS, gain_of, score_now
from simkit.jit import kernel
from simkit.players import strategy

DRAW, STOP = 0, 1
EARLY, MIDDLE, LATE = 0, 1, 2
WILD_WORD = 4
"""The word of a collection that holds its wilds."""

# -------------------------------------------------------------------------------------------------------- draw or stop


@strategy("ten", "draw", t=6, turn=1)
def bust_in_turn(view, moves, n):
    """As threshold, but in its own turn of this number, from 1, draw on until a bust; in no turn at 0."""
    table = view.table
    if (table.turn - 1) // view.rules.players + 1 == view.params[1]:
        return np.int64(DRAW)
    return np.int64(table.total >= view.params[0])


@kernel
def gain_of_tableau(view):
    """What the number cards of the tableau would add to the optimal score, in points."""
    table, seat = view.table, view.seat
    return optimal_score(view.rules, table.owned[seat] | table.tableau_kinds, table.held[seat, WILD_WORD]) - score_now(
        table, seat, view.rules
    )


@strategy("ten", "draw", t=6, gain=0, most=0, coins=0)
def bust_on_purpose(view, moves, n):
    """As threshold, but go for the bust token where it would stop with a gain of at most `gain` points, a C of at most `most` and at least `coins` coins."""
    table = view.table
    if table.total < view.params[0]:
        return np.int64(DRAW)
    if table.token_supply == 0 or table.currency > view.params[2] or table.coins[view.seat] < view.params[3]:
        return np.int64(STOP)
    return np.int64(STOP if gain_of_tableau(view) > view.params[1] else DRAW)


# ----------------------------------------------------------------------------------------------------------------- bid


@kernel
def stage_of(table):
    """How far the deck is drawn: the thirds in which auctions are recorded."""
    if 3 * table.deck_size > 2 * table.deck_total:
        return np.int64(EARLY)
    return np.int64(LATE if 3 * table.deck_size <= table.deck_total else MIDDLE)


@kernel
def class_of(kind):
    """0 a colour wild, 1 a numbered wild, 2 a full wild."""
    return np.int64(0 if kind < NUMBERED else 1 if kind < NUMBERED + NUMBERS else 2)


@kernel
def bid_up_to(view, moves, r):
    """The lowest legal bid, up to r times the wild's gain in optimal score; else a pass."""
    return np.int64(moves[1] <= r * gain_of(view.table, view.seat, view.table.auctioned, view.rules))


@strategy("ten", "bid", early=2.0, middle=2.0, late=2.0)
def value_by_stage(view, moves, n):
    """As value, with a worth of a point in coins for each third of the deck."""
    return bid_up_to(view, moves, view.params[stage_of(view.table)])


@strategy("ten", "bid", r=2.0, kind=0)
def value_without_class(view, moves, n):
    """As value, but never for one class of wilds: 0 colour wilds, 1 numbered wilds, 2 full wilds."""
    return np.int64(0) if class_of(view.table.auctioned) == view.params[1] else bid_up_to(view, moves, view.params[0])


@strategy("ten", "bid", r=2.0, third=0)
def value_without_stage(view, moves, n):
    """As value, but never in one third of the deck: 0 early, 1 middle, 2 late."""
    return np.int64(0) if stage_of(view.table) == view.params[1] else bid_up_to(view, moves, view.params[0])


@strategy("ten", "bid", r=2.0)
def never_last(view, moves, n):
    """As value, but never when last to act."""
    return np.int64(0) if view.table.waiting == 0 else bid_up_to(view, moves, view.params[0])


@strategy("ten", "bid", r=2.0)
def outright(view, moves, n):
    """At once all that the wild is worth, r coins for each point that it adds, so that others must bid more; when last to act, only what is needed."""
    most = np.int64(view.params[0] * gain_of(view.table, view.seat, view.table.auctioned, view.rules))
    if most < moves[1]:
        return np.int64(0)
    return np.int64(1) if view.table.waiting == 0 else np.int64(min(n - 1, 1 + most - moves[1]))
