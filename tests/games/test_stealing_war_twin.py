"""Stealing War's kernel and its slow twin, written from the rules page alone, play every game alike, column by column."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simkit.games import find, stealing_war
from tests import rows_alike, stealing_state
from tests.reference import stealing_war as reference
from tests.rows_alike import report, same_in_both, values_and_cells
from tests.shares import shares
from tests.stealing_state import CAPS, any_rules, legal_moves, new_state

SEED = 20261130
NEVER = np.zeros(1, np.int64)
EACH = 10
"""Games of one setting."""


def rules_of(number: int) -> dict:
    """Setting 0 is the default rules, the others are random."""
    return any_rules(random.Random(f"{SEED} {number}").choice) if number > 0 else {}


def differences(settings: range, games: int, columns: str = "all") -> list[str]:
    """Games of these random settings in which the kernel's row is not the twin's."""
    return rows_alike.differences("stealing-war", reference.play, rules_of, settings, games, SEED, columns)


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
    faults = differences(range(1, 7), 2) + differences(range(7, 13), 1, columns="basic")

    assert not faults, report(faults)


@pytest.mark.modes
@pytest.mark.parametrize("number", range(8))
def test_every_decision_is_the_twins(number):
    """Who is asked, what for, and the list of legal moves: the player keeps to its own order of choosing, any of them in turn."""
    rules = find("stealing-war").read_rules({**rules_of(number), "max_battles": 60})
    asked: list[tuple] = []
    chosen = random.Random(number)

    def choose(seat, kind, legal, game, stream):
        asked.append((seat, kind, legal, game.looked_at or 0, chosen.randrange(len(legal))))
        return asked[-1][-1]

    row = reference.play(dict(rules), 5, number, choose=choose)
    state = new_state(seed=5, deal=number, **rules)
    stealing_war.start(state)
    for seat, kind, legal, card, index in asked:
        if state["seat"] < 0:
            stealing_war.step(state, 0)
        assert (int(state["seat"]), int(state["decision"]), legal_moves(state), int(state["card"])) == (seat, kind, legal, card)
        stealing_war.step(state, legal[index])
    if not asked:
        stealing_war.step(state, 0)
    ours = stealing_state.row(state)
    assert {name: ours[name] for name in row} == row


def test_columns_left_out_change_no_other_column():
    same_in_both("stealing-war", 300, SEED, "lead_changes")


def test_the_random_settings_reach_every_corner():
    """The games above are worth comparing: every rule value and every rare event is among them."""
    values, seen = values_and_cells("stealing-war", rules_of, 120, 1000, SEED)

    for parameter in find("stealing-war").parameters:
        if parameter.name not in ("ranks", "copies", "max_battles"):
            assert values[parameter.name] == set(parameter.every())
    assert values["max_battles"] == set(CAPS)
    assert seen["outcome"] == {0, 1, 3}
    assert seen["draw_seats"] >= {0, 3, 5, 6, 7, 9, 10, 12, 15}
    assert seen["deadlocks"] >= {0, 1}
    assert max(seen["deepest_war"]) > 3
    for name in ("bystander_wars", "ended_in_war", "lead_changes", "short_events", "wars_by_rank_15"):
        assert max(seen[name]) > 0, name
    for name in ("steals", "piles_stolen", "cards_stolen", "multi_steals", "war_steals", "declined", "refills", "wars_won", "place"):
        assert max(seen[f"{name}_3"]) > 0, name
