"""Stealing War's kernel and its slow twin, written from the rules page alone, play every game alike, column by column."""

from __future__ import annotations

import random

import numpy as np
import pytest

from simkit.games import find, stealing_war
from simkit.simulate import Engine, make_plan
from tests import stealing_state
from tests.reference import stealing_war as reference
from tests.shares import SHARES
from tests.stealing_state import CAPS, any_rules, legal_moves, new_state

SEED = 20261130
NEVER = np.zeros(1, np.int64)
EACH = 10
"""Games of one setting."""


def rules_of(number: int) -> dict:
    """Setting 0 is the default rules, the others are random."""
    return any_rules(random.Random(f"{SEED} {number}").choice) if number > 0 else {}


def differences(settings: range, games: int, columns: str = "all") -> list[str]:
    """Games of these random settings in which the kernel's row is not the twin's (kernel, twin)."""
    faults = []
    for number in settings:
        plan = make_plan(
            "stealing-war", rules=rules_of(number), players="random", games=games, seed=SEED + number, columns=columns, rows=True
        )
        part = Engine(plan).play(0, games, NEVER)
        assert part.games == games
        for deal, kernel_row in enumerate(part.rows.tolist()):
            twin = reference.play(dict(plan.rules), plan.seed, deal)
            apart = [f"{name}: {ours} {twin[name]}" for name, ours in zip(plan.row_cells, kernel_row, strict=True) if ours != twin[name]]
            if apart:
                faults.append(f"{plan.rules} seed={plan.seed} deal={deal}: " + ", ".join(apart))
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
    """`basic` records the same numbers as `all` in the columns that both have."""
    full, basic = (
        make_plan("stealing-war", players="random", games=300, seed=SEED, columns=columns, rows=True) for columns in ("all", "basic")
    )
    assert "lead_changes" not in basic.row_cells
    same = [full.row_cells.index(name) for name in basic.row_cells]
    assert np.array_equal(Engine(basic).play(0, 300, NEVER).rows, Engine(full).play(0, 300, NEVER).rows[:, same])


def test_the_random_settings_reach_every_corner():
    """The games above are worth comparing: every rule value and every rare event is among them."""
    values: dict[str, set] = {}
    seen: dict[str, set] = {}
    for number in range(120):
        plan = make_plan("stealing-war", rules=rules_of(number), players="random", games=1000, seed=SEED + number, rows=True)
        rows = Engine(plan).play(0, 1000, NEVER).rows
        for name, value in plan.rules.items():
            values.setdefault(name, set()).add(value)
        for name, column in zip(plan.row_cells, rows.T, strict=True):
            seen.setdefault(name, set()).update(column.tolist())

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
