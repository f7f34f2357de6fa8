"""Rows of compiled games, compared with those of their slow twins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from simkit.simulate import Engine, make_plan

NEVER = np.zeros(1, np.int64)


def rows(plan: Any) -> list[list[int]]:
    """The kernel's rows of all games of a plan."""
    part = Engine(plan).play(0, plan.games, NEVER)
    assert part.games == plan.games
    return part.rows.tolist()


def cells_apart(names: Iterable[str], row: list[int], twin: dict[str, int]) -> str:
    """The cells that differ (kernel, twin), or ''."""
    return ", ".join(f"{name}: {ours} {twin[name]}" for name, ours in zip(names, row, strict=True) if ours != twin[name])


def differences(
    game: str,
    play: Callable[..., dict[str, int]],
    rules_of: Callable[[int], dict],
    settings: range,
    games: int,
    seed: int,
    columns: str = "all",
) -> list[str]:
    """Games of random players under these settings in which the kernel's row is not that of the twin's `play`."""
    faults = []
    for number in settings:
        plan = make_plan(game, rules=rules_of(number), players="random", games=games, seed=seed + number, columns=columns, rows=True)
        for deal, row in enumerate(rows(plan)):
            apart = cells_apart(plan.row_cells, row, play(dict(plan.rules), plan.seed, deal))
            if apart:
                faults.append(f"{plan.rules} seed={plan.seed} deal={deal}: {apart}")
    return faults


def values_and_cells(
    game: str, rules_of: Callable[[int], dict], settings: int, games: int, seed: int
) -> tuple[dict[str, set], dict[str, set]]:
    """Which values the rules take in these settings, and which the cells of the rows."""
    values: dict[str, set] = {}
    seen: dict[str, set] = {}
    for number in range(settings):
        plan = make_plan(game, rules=rules_of(number), players="random", games=games, seed=seed + number, rows=True)
        for name, value in plan.rules.items():
            values.setdefault(name, set()).add(value)
        for name, column in zip(plan.row_cells, zip(*rows(plan)), strict=True):
            seen.setdefault(name, set()).update(column)
    return values, seen


def same_in_both(game: str, games: int, seed: int, left_out: str) -> None:
    """Asserts that `basic` records the same numbers as `all` in the columns that both have."""
    full, basic = (make_plan(game, players="random", games=games, seed=seed, columns=columns, rows=True) for columns in ("all", "basic"))
    assert left_out not in basic.row_cells
    same = [full.row_cells.index(name) for name in basic.row_cells]
    assert np.array_equal(rows(basic), np.array(rows(full))[:, same])


def report(faults: list[str]) -> str:
    return f"{len(faults)} games differ (kernel, twin):\n" + "\n".join(faults[:5])
