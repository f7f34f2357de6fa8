"""Techu's kernel and its slow twin, written from the rules page alone, play every game alike, column by column."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from simkit.games import find
from simkit.simulate import Engine, make_plan
from tests.reference import techu as reference
from tests.shares import SHARES

SEED = 20261130
NEVER = np.zeros(1, np.int64)
EACH = 10
"""Games of one setting."""


def any_rules(pick: Any) -> dict[str, Any]:
    """Random legal rules; a default one now and then."""
    return {
        parameter.name: pick(parameter.every() if parameter.name != "techu_value" else [0, 1, 5]) for parameter in find("techu").parameters
    }


def differences(settings: range, games: int, columns: str = "all") -> list[str]:
    """Games of these random settings in which the kernel's row is not the twin's (kernel, twin)."""
    faults = []
    for number in settings:
        pick = random.Random(f"{SEED} {number}").choice
        rules = any_rules(pick) if number > 0 else {}
        plan = make_plan("techu", rules=rules, players="random", games=games, seed=SEED + number, columns=columns, rows=True)
        part = Engine(plan).play(0, games, NEVER)
        assert part.games == games
        for deal, kernel_row in enumerate(part.rows.tolist()):
            twin = reference.play(dict(plan.rules), plan.seed, deal)
            apart = [f"{name}: {ours} {twin[name]}" for name, ours in zip(plan.row_cells, kernel_row, strict=True) if ours != twin[name]]
            if apart:
                faults.append(f"{rules} seed={plan.seed} deal={deal}: " + ", ".join(apart))
    return faults


def report(faults: list[str]) -> str:
    return f"{len(faults)} games differ (kernel, twin):\n" + "\n".join(faults[:5])


def test_the_kernel_plays_games_as_its_twin_does():
    """Every column, on 1,000 games under 100 random rule settings."""
    faults = differences(range(100), EACH)

    assert not faults, report(faults)


@pytest.mark.slow
@pytest.mark.parametrize("share", SHARES)
def test_the_kernel_plays_every_game_as_its_twin_does(share):
    """The same on 20,000 games in all, under 2,000 random rule settings."""
    faults = differences(range(500 * share, 500 * share + 500), EACH)

    assert not faults, report(faults)


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Few enough to be played without the compiler too."""
    faults = differences(range(6), 2) + differences(range(6, 12), 1, columns="basic")

    assert not faults, report(faults)


def test_columns_left_out_change_no_other_column():
    """`basic` records the same numbers as `all` in the columns that both have."""
    full, basic = (make_plan("techu", players="random", games=300, seed=SEED, columns=columns, rows=True) for columns in ("all", "basic"))
    assert "lead_changes" not in basic.row_cells
    same = [full.row_cells.index(name) for name in basic.row_cells]
    assert np.array_equal(Engine(basic).play(0, 300, NEVER).rows, Engine(full).play(0, 300, NEVER).rows[:, same])


def test_the_random_settings_reach_every_corner():
    """The games above are worth comparing: every rule value and every rare event is among them."""
    values: dict[str, set] = {}
    seen: dict[str, set] = {}
    for number in range(100):
        plan = make_plan(
            "techu", rules=any_rules(random.Random(f"{SEED} {number}").choice), players="random", games=2000, seed=SEED + number, rows=True
        )
        rows = Engine(plan).play(0, 2000, NEVER).rows
        for name, value in plan.rules.items():
            values.setdefault(name, set()).add(value)
        for name, column in zip(plan.row_cells, rows.T, strict=True):
            seen.setdefault(name, set()).update(column.tolist())

    assert all(
        values[parameter.name] == set(parameter.every()) for parameter in find("techu").parameters if parameter.name != "techu_value"
    )
    assert seen["k"] >= {1, 2, 3, 4}
    assert seen["techu_kind"] == {0, 1, 2}
    assert seen["outcome"] == seen["techu"] == seen["techu_missed"] == {0, 1}
    for name in ("cut_events_0", "spaces_cut_1", "discards_forced_0", "lead_changes", "enemy_home_first_1", "aces_home_0", "aces_away_1"):
        assert max(seen[name]) > 0, name
