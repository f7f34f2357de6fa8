"""The one loop that plays any game with any players.

It receives the game's functions and the players as function pointers with explicit signatures, so that it compiles once
a game and is cached on disk: a new strategy costs its own compilation and nothing else.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
from numba import njit, types

from simkit.game import DRAW, NO_MOVE, OVER, PAUSED, Game
from simkit.jit import PLAIN, inlined
from simkit.rng import SEAT, open_stream

PARAMS = 8
"""Numbers that a strategy may take."""
RING = 64
"""Result rows that wait to be counted, where rows are not kept: few enough to stay in the processor's first cache."""

SEED, FIRST, GAMES, ROTATIONS, SEATS, KINDS, KEEP, OUTCOME = range(8)
"""Positions in `plan`: seed, first game, how many, games a deal, seats, kinds of decision, keep rows (0, 1), outcome's cell."""
DONE, SPILLED, FAULT, FAULT_SEAT, FAULT_VALUE, FAULT_GAME = range(6)
"""Positions in `status`."""
FINE, BAD_INDEX, NO_MOVES = range(3)
"""Faults."""


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
def meet(view, params, seed, deal, seat):
    """Before a seat's first decision of a game: its stream from the start, its memory empty, its player's numbers."""
    open_stream(view.rng, seed, deal, SEAT + seat)
    for k in range(PARAMS):
        view.memory[k] = 0
        view.params[k] = params[k]


def _loop(
    start, legal, observe, step, score, deciders, states, views, moves, params, results, rows, plan, cells, joints, histogram, spill, status, stop
):  # fmt: skip
    """Play games plan[FIRST] to plan[FIRST] + plan[GAMES] - 1 and count them. Ends early at `stop`, a fault, a full spill list.

    deciders: the players' functions, player by player, one for each kind of decision (padded to the largest seat count).
    params: float64 (players, 8). results and rows are the same memory: records, and a plain table of int64.
    """
    state = states[0]
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
            player = (seat + turn) % seats
            view = views[seat]
            if (met >> seat) & 1 == 0:
                met |= np.int64(1) << seat
                meet(view, params[player], plan[SEED], deal, seat)
            n = legal(state, moves)
            if n < 1:
                status[FAULT], status[FAULT_SEAT], status[FAULT_VALUE], status[FAULT_GAME] = NO_MOVES, seat, n, game
                return
            observe(state, seat, view)
            chosen = deciders[player * kinds + state.decision](view, moves, n)
            if chosen < 0 or chosen >= n:
                status[FAULT], status[FAULT_SEAT], status[FAULT_VALUE], status[FAULT_GAME] = BAD_INDEX, seat, chosen, game
                return
            step(state, moves[chosen])
        row = g if plan[KEEP] == 1 else g & (RING - 1)
        score(state, results[row])
        count(rows[row], plan[OUTCOME], cells, joints, histogram, spill, status)
        status[DONE] += 1


def record_type(dtype: np.dtype) -> Any:
    """numba's type of one record of this dtype."""
    return numba.from_dtype(dtype)


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
        self.decide_signature = integer(view, moves, integer)
        self.functions = tuple(settled(getattr(game, name), signature) for name, signature in signatures.items())
        self.pointers = game.largest_seats * len(game.decisions)
        pointer = types.FunctionType
        table = types.Array(integer, 2, "C")
        arrays = [
            types.Array(state, 1, "C"),
            types.Array(view, 1, "C"),
            moves,
            types.Array(types.float64, 2, "C"),
            types.Array(result, 1, "C"),
        ]
        rest = [table, moves, table, table, moves, table, moves, moves]  # rows to stop
        signature = types.void(
            *(pointer(each) for each in signatures.values()),
            types.UniTuple(pointer(self.decide_signature), self.pointers), *arrays, *rest,
        )  # fmt: skip
        self.loop: Any = _loop if PLAIN else settled(loop_dispatcher(game.name), signature)


@cache
def loop_dispatcher(name: str) -> Any:
    """A dispatcher of the loop for one game; each needs its own, as it is closed to other signatures afterwards."""
    return njit(cache=True, nogil=True, error_model="numpy")(_loop)


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
