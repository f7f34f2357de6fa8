"""A game in which nothing happens: two seats take turns, each with two moves that are alike. What it takes is the loop itself."""

from __future__ import annotations

from typing import Any

from simkit.game import OVER, WIN, Game, record, result_columns, rules_record, state_header, view_header, whole
from simkit.jit import kernel
from simkit.players import strategy
from simkit.simulate import Engine, Plan

NAMES = ("trivial",)
DECISIONS = 1000
"""Decisions of one game: so many that dealing and counting weigh nothing."""

PARAMETERS = [whole("decisions", DECISIONS, 1, 1_000_000, "decisions of one game")]
RULES = rules_record(PARAMETERS)
STATE = record([*state_header(RULES), ("left", "<i8")])
VIEW = record([*view_header(RULES), ("left", "<i8")])


@kernel
def start(state):
    """Nothing is dealt."""
    state.seats = 2
    state.seat = 0
    state.decision = 0
    state.left = state.rules.decisions


@kernel
def legal(state, moves):
    """Two moves."""
    moves[0] = 0
    moves[1] = 1
    return 2


@kernel
def observe(state, seat, view):
    """Everything there is to know."""
    view.seat = seat
    view.decision = 0
    view.left = state.left


@kernel
def step(state, move):
    """One decision fewer."""
    state.left -= 1
    state.seat = 1 - state.seat if state.left > 0 else OVER


@kernel
def score(state, result):
    """Seat 0 wins."""
    result.outcome = WIN
    result.winner = 0
    result.payoff[0] = 2
    result.payoff[1] = 0


@strategy("trivial")
def second(view, moves, n):
    """The second move."""
    return n - 1


def game() -> Game:
    """The game; it is in no list of games."""
    return Game(
        name="trivial", title="A game in which nothing happens", version=1, rules_page="", parameters=PARAMETERS, columns=result_columns(),
        rules=RULES, state=STATE, view=VIEW, largest_seats=2, largest_moves=2, start=start, legal=legal, observe=observe, step=step,
        score=score, scene=lambda state: {}, tell=lambda now, before: [], default_player="second",
    )  # fmt: skip


def engine(**rules: Any) -> Engine:
    """An engine that plays it."""
    made = game()
    plan = Plan("trivial", made.read_rules(rules), ("second", "second"), columns="all")
    plan.__dict__["definition"] = made  # as if it were found among the games
    return Engine(plan)
