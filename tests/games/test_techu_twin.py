"""Techu's kernel and its slow twin, written from the rules page alone, play every game alike, column by column."""

from __future__ import annotations

import random
from typing import Any

import pytest

from simkit.games import find
from tests import rows_alike
from tests.reference import techu as reference
from tests.rows_alike import report, same_in_both, values_and_cells
from tests.shares import shares

SEED = 20261130
EACH = 10
"""Games of one setting."""


def any_rules(pick: Any) -> dict[str, Any]:
    """Random legal rules; a default one now and then."""
    return {
        parameter.name: pick(parameter.every() if parameter.name != "techu_value" else [0, 1, 5]) for parameter in find("techu").parameters
    }


def rules_of(number: int) -> dict[str, Any]:
    """Setting 0 is the default rules, the others are random."""
    return any_rules(random.Random(f"{SEED} {number}").choice) if number > 0 else {}


def differences(settings: range, games: int, columns: str = "all") -> list[str]:
    """Games of these random settings in which the kernel's row is not the twin's."""
    return rows_alike.differences("techu", reference.play, rules_of, settings, games, SEED, columns)


def test_the_kernel_plays_games_as_its_twin_does():
    """Every column, on 1,000 games under 100 random rule settings."""
    faults = differences(range(100), EACH)

    assert not faults, report(faults)


@pytest.mark.slow
@pytest.mark.parametrize("share", shares(100, 2000))
def test_the_kernel_plays_every_game_as_its_twin_does(share):
    """The same on 20,000 games in all, under 2,000 random rule settings."""
    faults = differences(share, EACH)

    assert not faults, report(faults)


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Few enough to be played without the compiler too."""
    faults = differences(range(6), 2) + differences(range(6, 12), 1, columns="basic")

    assert not faults, report(faults)


def test_columns_left_out_change_no_other_column():
    same_in_both("techu", 300, SEED, "lead_changes")


def test_the_random_settings_reach_every_corner():
    """The games above are worth comparing: every rule value and every rare event is among them."""
    values, seen = values_and_cells("techu", rules_of, 100, 500, SEED)

    assert all(
        values[parameter.name] == set(parameter.every()) for parameter in find("techu").parameters if parameter.name != "techu_value"
    )
    assert seen["k"] >= {1, 2, 3, 4}
    assert seen["techu_kind"] == {0, 1, 2}
    assert seen["outcome"] == seen["techu"] == seen["techu_missed"] == {0, 1}
    for name in ("cut_events_0", "spaces_cut_1", "discards_forced_0", "lead_changes", "enemy_home_first_1", "aces_home_0", "aces_away_1"):
        assert max(seen[name]) > 0, name
