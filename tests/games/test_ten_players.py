"""TEN's best plan for a turn is the best of all: against every order of the cards, counted in plain Python on small decks."""

from __future__ import annotations

import random
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from simkit.games import find, ten
from simkit.play import read_only
from simkit.players import compile_strategy, known
from tests.ten_state import drawn, new_view

GAME = find("ten")
PLANS = {name: known(GAME)[name] for name in ("optimal_stop", "stop_by_shares")}
COLOURS = ("red", "blue", "orange", "green")
OTHERS = (4, 9)
"""Coins of the two other players."""
ROUNDING = 1e-9


def strategies() -> Any:
    """The module of TEN's strategies."""
    return sys.modules[PLANS["optimal_stop"].function.__module__]


def as_text(cards: list[tuple[str, int]], pick: random.Random) -> str:
    """Cards (what, value) as `position` reads them; number cards of any colours."""
    named = {"number": lambda value: f"{pick.choice(COLOURS)} {value}", "currency": lambda value: f"currency {value}"}
    return ", ".join(named.get(what, lambda value: f"wild {value}")(value) for what, value in cards)


def every_order(deck: list[tuple[str, int]], numbers: int, currency: int, coins: int, x: float, h: float) -> tuple[float, float]:
    """What stopping and drawing are worth by the page, with these sums of the tableau, going through every card that may come next."""

    def handed(c: int) -> int:
        return sum(min(c, 10 - each) for each in OTHERS)

    def stopping(s: int, c: int) -> float:
        return max(x * s - h * handed(c), min(c, 10 - coins))

    @cache
    def drawing(left: tuple, s: int, c: int) -> float:
        total = 0.0
        for place, (what, value) in enumerate(left):
            rest = left[:place] + left[place + 1 :]
            s_after, c_after = s + value * (what == "number"), c + value * (what == "currency")
            if c_after > 10:
                total += 3
            elif s_after - c_after > 10:
                total += 3 - h * handed(c_after)
            else:
                stop = stopping(s_after, c_after)
                total += max(stop, drawing(rest, s_after, c_after)) if rest else stop
        return total / len(left)

    return stopping(numbers, currency), drawing(tuple(sorted(deck)), numbers, currency)


def random_turn(pick: random.Random) -> tuple[list, list, int]:
    """A deck of a few cards of any value, a tableau that is no bust, and the active player's coins."""
    kinds = [("number", n) for n in range(1, 10)] + 2 * [("currency", v) for v in range(1, 6)] + 2 * [("wild", 3)]
    while True:
        deck, tableau = pick.choices(kinds, k=pick.randrange(2, 8)), pick.choices(kinds[:-2], k=pick.randrange(1, 4))
        numbers, currency = (sum(value for each, value in tableau if each == what) for what in ("number", "currency"))
        if numbers - currency <= 10 and currency <= 10 and any(what != "wild" for what, _ in deck):
            return deck, tableau, pick.randrange(8)


def asked(deck: list, tableau: list, coins: int, pick: random.Random) -> Any:
    """The view of a player who is asked DRAW or STOP in this turn."""
    *before, last = tableau
    holdings = [f"{each}/0" for each in (coins, *OTHERS)]
    state = drawn(deck=as_text([last, *deck], pick), tableau=as_text(before, pick), holdings=holdings)
    assert ten.DECISIONS[state["decision"]] == "draw"
    view = new_view(state)
    ten.observe(state, 0, view)
    return view


def move(plan: str, view: Any, x: float, h: float) -> int:
    view["params"][:2] = x, h
    return int(compile_strategy(PLANS[plan], GAME)(view, read_only(np.array([0, 1])), 2))


def sums(tableau: list) -> tuple[int, int]:
    return sum(value for what, value in tableau if what == "number"), sum(value for what, value in tableau if what == "currency")


def check_turns(seed: int, turns: int) -> list[int]:
    """Compares so many random turns with counting; returns the moves made."""
    pick, made = random.Random(seed), []
    for _ in range(turns):
        deck, tableau, coins = random_turn(pick)
        x, h = pick.choice([0.3, 0.5, 0.9]), pick.choice([0.0, 0.25, 0.4])
        view = asked(deck, tableau, coins, pick)
        stop, draw = every_order(deck, *sums(tableau), coins, x, h)
        plan = float(strategies().plan_turn(view, x, h))
        if draw > stop + ROUNDING:
            assert plan == pytest.approx(draw - stop), (deck, tableau, coins, x, h)
            assert move("optimal_stop", view, x, h) == ten.DRAW
        else:
            assert plan <= ROUNDING, (deck, tableau, coins, x, h)
        made.append(move("optimal_stop", view, x, h))
    return made


def test_the_best_plan_for_a_turn_is_the_best_of_every_order():
    made = check_turns(5, 150)

    assert 30 < sum(made) < 120


@pytest.mark.modes
def test_the_best_plan_of_one_turn_with_any_compiler_flags():
    check_turns(6, 1)


def test_shares_kept_as_they_are_lead_to_another_move_at_times():
    """On small decks, where a card drawn changes the shares most; on ordinary ones they seldom do."""
    pick, differ = random.Random(7), 0
    for _ in range(150):
        deck, tableau, coins = random_turn(pick)
        view = asked(deck, tableau, coins, pick)
        differ += move("stop_by_shares", view, 0.5, 0.25) != move("optimal_stop", view, 0.5, 0.25)

    assert 0 < differ < 40
