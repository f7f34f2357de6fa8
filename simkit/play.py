"""The one loop that plays any game with any players.

It receives the game's functions and the players as function pointers with explicit signatures, so that it compiles once
a game and is cached on disk: a new strategy costs its own compilation and nothing else.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numba
import numpy as np
from numba import njit, types

from simkit.game import DRAW, NO_MOVE, OVER, PAUSED, Game
from simkit.jit import PLAIN, addresses_of, ask, copy_row, inlined
from simkit.rng import SEAT, TRIAL, open_stream

PARAMS = 8
"""Numbers that a strategy may take."""
RING = 64
"""Result rows that wait to be counted, where rows are not kept: few enough to stay in the processor's first cache."""

SEED, FIRST, GAMES, ROTATIONS, SEATS, KINDS, KEEP, OUTCOME, BLIND, NUMBERED = range(10)
"""Positions in `plan`: seed, first game, how many, games a deal, seats, kinds of decision, keep rows (0, 1), outcome's cell; a bit
for each of `deciders` that looks at nothing of the game: it is not shown it, which takes longer than most of its choices; and a bit
for each that looks at the numbers it was given."""
DONE, SPILLED, FAULT, FAULT_SEAT, FAULT_VALUE, FAULT_GAME, FAULT_PLAYER = range(7)
"""Positions in `status`."""
FINE, BAD_INDEX, NO_MOVES, BAD_INDEX_IN_TRIAL = range(4)
"""Faults."""
SURE = 2.0
"""Standard deviations of a payoff on top of sqrt(guesses), so that one guess alone persuades nobody. Found by Techu's
greedy_spaces+search(4) against greedy_spaces: 0.49 of the points without it; little changes from 20 guesses on."""
PLAYER, TRIAL_KINDS, GUESSES = range(3)
"""Positions in the settings of a search: whose functions play the trials out, kinds of decision, guesses."""


@inlined
def count(row, outcome, cells, joints, histogram, spill, status):
    """Add one result row to the histograms. A value outside its cell's window goes to the spill list.

    Every cell is counted apart in finished games (won, drawn) and in unfinished ones (endless, capped).
    cells: a row a cell: position in the result row, lowest value, width, offset in the histogram.
    joints: a row a pair: first cell's position, low, width, second cell's position, low, width, offset.
    """
    unfinished = np.int64(row[outcome] > DRAW)
    for c in range(cells.shape[0]):
        # Unsigned: one comparison for both ends of the window, and indices that need no check for being negative.
        place = np.uint64(row[np.uint64(cells[c, 0])] - cells[c, 1])
        width = np.uint64(cells[c, 2])
        if place < width:
            histogram[np.uint64(cells[c, 3] + unfinished * cells[c, 2]) + place] += 1
        else:
            spill[status[SPILLED], 0] = 2 * c + unfinished
            spill[status[SPILLED], 1] = row[cells[c, 0]]
            status[SPILLED] += 1
    for c in range(joints.shape[0]):
        first = row[joints[c, 0]] - joints[c, 1]
        second = row[joints[c, 3]] - joints[c, 4]
        if 0 <= first < joints[c, 2] and 0 <= second < joints[c, 5]:
            histogram[joints[c, 6] + first * joints[c, 5] + second] += 1


@inlined
def meet(view, seed, deal, purpose):
    """Before a seat's first decision of a game: its stream from the start, its memory empty."""
    open_stream(view.rng, seed, deal, purpose + view.seat)
    for k in range(PARAMS):
        view.memory[k] = 0


@inlined
def hand_numbers(view, params, row):
    """The numbers of the part that decides now."""
    copy_row(view.params, params, row)


@inlined
def play_out(legal, observe, step, deciders, searcher, state, views, moves, params, player, kinds, status, stop):
    """Play a trial to its end, the searching player's functions in every seat; False if it was stopped, or a move was wrong.

    Streams are keyed by the guess and the seat, so that all moves of one guess are tried with the same luck.
    """
    met = np.int64(0)
    while state.seat != OVER:
        if stop[0] != 0:
            return False
        if state.seat == PAUSED:
            step(state, NO_MOVE)
            continue
        seat = state.seat
        view = views[seat]
        if (met >> seat) & 1 == 0:
            met |= np.int64(1) << seat
            view.seat = seat
            view.rules = state.rules
            meet(view, state.key[0], state.key[1], TRIAL)
            if seat == searcher.seat:
                for k in range(PARAMS):
                    view.memory[k] = searcher.memory[k]
        n = legal(state, moves)
        observe(state, seat, view)
        row = player * kinds + state.decision
        hand_numbers(view, params, row)
        chosen = deciders[row](view, moves, n)
        if chosen < 0 or chosen >= n:
            status[FAULT], status[FAULT_SEAT], status[FAULT_VALUE], status[FAULT_PLAYER] = BAD_INDEX_IN_TRIAL, seat, chosen, player
            return False
        step(state, moves[chosen])
    return True


@inlined
def first_like(keys, m):
    """The first move of the same key as move m."""
    for earlier in range(m):
        if keys[earlier] == keys[m]:
            return np.int64(earlier)
    return np.int64(m)


def _search(
    legal, observe, step, score, guess, same, deciders, view, moves, n, own, settings, states, views, trial_moves, results, totals, params, status, stop
):  # fmt: skip
    """The index of the move to make: `own`, the player's choice without search, unless trials speak clearly for another.

    Each guess at the hidden cards is played out after every legal move. Another move is chosen only if its total payoff is
    more than sqrt(guesses) + SURE standard deviations of a payoff above that of `own`: the plain maximum of so many noisy
    totals would mostly be luck. Moves that are equal, since lists may name a move once for each card that makes it, or the
    same for the game's `same` (None: it has none) are tried once.
    settings: PLAYER, TRIAL_KINDS, GUESSES. states: two records. totals: int64, two cells a move, left with each
    move's total payoff in the first n.
    """
    guesses, squares, sum_ = settings[GUESSES], np.float64(0), np.float64(0)
    distinct = np.int64(0)
    for m in range(n):
        totals[m] = moves[m] if same is None else same(view, moves[m])
    for m in range(n):
        totals[n + m] = first_like(totals, m)
        distinct += np.int64(totals[n + m] == m)
    for m in range(n):
        totals[m] = 0
    for _ in range(guesses):
        guess(view, states[0])
        states[0].watch = 0
        states[0].detail = 0
        for m in range(n):
            if totals[n + m] != m:  # tried already
                totals[m] = totals[totals[n + m]]
                continue
            states[1] = states[0]
            step(states[1], moves[m])
            if not play_out(
                legal,
                observe,
                step,
                deciders,
                view,
                states[1],
                views,
                trial_moves,
                params,
                settings[PLAYER],
                settings[TRIAL_KINDS],
                status,
                stop,
            ):
                return own
            score(states[1], results[0])
            payoff = results[0].payoff[view.seat]
            totals[m] += payoff
            sum_ += payoff
            squares += np.float64(payoff) * payoff
    trials = np.float64(guesses * distinct)
    margin = (np.sqrt(np.float64(guesses)) + SURE) * np.sqrt(max(squares / trials - (sum_ / trials) ** 2, 0.0))
    best = own
    for m in range(n):
        if totals[m] > totals[best]:
            best = np.int64(m)
    return best if totals[best] > totals[own] + margin else own


def _loop(
    start, legal, observe, step, score, deciders, states, views, moves, params, results, rows, plan, cells, joints, histogram, spill, status, stop, search
):  # fmt: skip
    """Play games plan[FIRST] to plan[FIRST] + plan[GAMES] - 1 and count them. Ends early at `stop`, a fault, a full spill list.

    deciders: the players' functions, player by player, one for each kind of decision (padded to the largest seat count).
    params: float64 (players × kinds, 8). results and rows are the same memory: records, and a plain table of int64.
    search: None, or what `_search` needs: itself, guess, same, settings (a row a player), states, views, moves, results, totals.
    """
    state = states[0]
    addresses = addresses_of(deciders)
    seats, kinds, rotations = plan[SEATS], plan[KINDS], plan[ROTATIONS]
    room = spill.shape[0] - cells.shape[0]
    status[DONE] = 0
    status[SPILLED] = 0
    for g in range(plan[GAMES]):
        if stop[0] != 0 or status[SPILLED] > room:
            return
        game = plan[FIRST] + g
        deal = game // rotations
        turn = game - deal * rotations
        state.key[0] = plan[SEED]
        state.key[1] = deal
        start(state)
        met = np.int64(0)
        while state.seat != OVER:
            if state.seat == PAUSED:
                step(state, NO_MOVE)
                continue
            if stop[0] != 0:
                return
            seat = state.seat
            player = seat + turn
            if player >= seats:  # quicker than the remainder of a division
                player -= seats
            view = views[np.uint64(seat)]  # unsigned: no check for a negative index
            if (met >> seat) & 1 == 0:
                met |= np.int64(1) << seat
                view.seat = seat
                view.rules = state.rules  # whatever a strategy has written there
                meet(view, plan[SEED], deal, SEAT)
            n = legal(state, moves)
            if n < 1:
                status[FAULT], status[FAULT_SEAT], status[FAULT_VALUE], status[FAULT_GAME] = NO_MOVES, seat, n, game
                return
            row = player * kinds + state.decision
            if (plan[BLIND] >> row) & 1 == 0:
                observe(state, seat, view)
            else:
                view.decision = state.decision
            if (plan[NUMBERED] >> row) & 1 == 1:
                hand_numbers(view, params, row)
            chosen = ask(deciders, addresses, row, view, moves, n)
            if chosen < 0 or chosen >= n:
                status[FAULT], status[FAULT_SEAT], status[FAULT_VALUE], status[FAULT_GAME] = BAD_INDEX, seat, chosen, game
                return
            if search is not None:
                if n > 1 and search[3][player, GUESSES] > 0:
                    chosen = search[0](
                        legal, observe, step, score, search[1], search[2], deciders, view, moves, n, chosen,
                        search[3][player], search[4], search[5], search[6], search[7], search[8], params, status, stop,
                    )  # fmt: skip
                    if status[FAULT] != FINE:
                        status[FAULT_GAME] = game
                    if stop[0] != 0 or status[FAULT] != FINE:
                        return
            step(state, moves[chosen])
        place = g if plan[KEEP] == 1 else g & (RING - 1)
        score(state, results[place])
        count(rows[place], plan[OUTCOME], cells, joints, histogram, spill, status)
        status[DONE] += 1


def record_type(dtype: np.dtype) -> Any:
    """numba's type of one record of this dtype."""
    return numba.from_dtype(dtype)


def read_only(array: np.ndarray) -> np.ndarray:
    """The same memory, not to be written: how a strategy is handed its moves."""
    view = array.view()
    view.flags.writeable = False
    return view


class Compiled:
    """A game's functions and its loop, compiled for their signatures (or as they are, in plain mode)."""

    def __init__(self, game: Game) -> None:
        self.game = game
        integer = types.int64
        state, view, result = (record_type(dtype) for dtype in (game.state, game.view, game.result_type))
        moves = types.Array(integer, 1, "C")
        signatures = {
            "start": types.void(state),
            "legal": integer(state, moves),
            "observe": types.void(state, integer, view),
            "step": types.void(state, integer),
            "score": types.void(state, result),
        }
        # What a strategy may choose from it may not change: the game trusts that the moves in the list are legal.
        self.decide_signature = integer(view, types.Array(integer, 1, "C", readonly=True), integer)
        self.functions = tuple(settled(getattr(game, name), signature) for name, signature in signatures.items())
        self.pointers = game.largest_seats * len(game.decisions)
        pointer = types.FunctionType
        table = types.Array(integer, 2, "C")
        several = {"states": types.Array(state, 1, "C"), "views": types.Array(view, 1, "C"), "results": types.Array(result, 1, "C")}
        numbers = types.Array(types.float64, 2, "C")
        deciders = types.UniTuple(pointer(self.decide_signature), self.pointers)
        arrays = [several["states"], several["views"], moves, numbers, several["results"]]
        rest = [table, moves, table, table, moves, table, moves, moves]  # rows to stop
        self.loop_types = [*(pointer(each) for each in signatures.values()), deciders, *arrays, *rest]
        guess = types.void(view, state)
        played = [pointer(signatures[name]) for name in ("legal", "observe", "step", "score")]
        trial = [moves, several["states"], several["views"], moves, several["results"], moves]  # settings to totals
        self.guess_signature, self.same_signature = guess, integer(view, integer)
        guessing = [pointer(guess), types.none if game.same is None else pointer(self.same_signature)]
        self.search_signature = integer(*played, *guessing, deciders, view, moves, integer, integer, *trial, numbers, moves, moves)
        self.search_types = types.Tuple([pointer(self.search_signature), *guessing, table, *trial[1:]])

    @cached_property
    def loop(self) -> Any:
        """The loop for players who do not search."""
        return _loop if PLAIN else settled(loop_dispatcher(self.game.name, False), types.void(*self.loop_types, types.none))

    @cached_property
    def searching_loop(self) -> Any:
        """The loop for players of whom some search."""
        return _loop if PLAIN else settled(loop_dispatcher(self.game.name, True), types.void(*self.loop_types, self.search_types))

    @cached_property
    def guess(self) -> Any:
        """The game's guess at hidden cards."""
        return settled(self.game.guess, self.guess_signature)

    @cached_property
    def same(self) -> Any:
        """Which moves the game takes to be the same, or None."""
        return None if self.game.same is None else settled(self.game.same, self.same_signature)

    @cached_property
    def search(self) -> Any:
        """The search, for this game."""
        return _search if PLAIN else settled(search_dispatcher(self.game.name), self.search_signature)


@cache
def loop_dispatcher(name: str, searching: bool) -> Any:
    """A dispatcher of the loop for one game; each needs its own, as it is closed to other signatures afterwards."""
    return njit(cache=True, nogil=True, error_model="numpy")(_loop)


@cache
def search_dispatcher(name: str) -> Any:
    """A dispatcher of the search for one game."""
    return njit(cache=True, nogil=True, error_model="numpy")(_search)


def settled(function: Any, signature: Any) -> Any:
    """The function compiled for this signature, from the disk cache where it is there, and closed to any other.

    numba turns a function into a pointer only when it cannot compile it anew; left open, it would make a new loop for
    the very functions of each call, in every process.
    """
    if not PLAIN and signature.args not in function.overloads:
        function.compile(signature)
        function.disable_compile()
    return function


@cache
def compiled(game: Game) -> Compiled:
    """The game, compiled once a process."""
    return Compiled(game)
