"""The public functions `simkit.run` and `simkit.sweep` (`simkit.compare` is in comparison.py, `simkit.tournament` in tournaments.py)."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from simkit.deals import DealSums
from simkit.game import BadInput, nearest
from simkit.games import find
from simkit.progress import Progress
from simkit.result import Result
from simkit.simulate import Part, Plan, Stop, Workers, default_jobs, gaps, make_plan, notice
from simkit.stats.stopping import FixedWidth
from simkit.tally import Tally

if TYPE_CHECKING:
    import pandas as pd

    from simkit.store import RunFolder

SHARES = ("draw_rate", "capped_rate", "endless_rate")


def run(
    game: str, games: float | None = None, *, seed: int = 1, players: str | Sequence[str] | None = None, jobs: int | None = None,
    backend: str = "threads", address: str = "", until: str | None = None, out: str | Path | None = None, rows: bool = False,
    columns: str = "all", every_deal: bool = False, paired: bool = False, hand: str | tuple[int, str] | None = None,
    progress: bool | None = None, rules: Mapping[str, Any] | None = None, **more_rules: Any,
) -> Result:  # fmt: skip
    """Play many games and count what happened.

    Parameters
    ----------
    game : str
        `war`, `war-multi`, `razboi`, … (`simkit games` lists them).
    games : number, default 100,000 (with `until`: at most, default 100 million)
        1e6 is fine.
    seed : int
        Game i of a seed is the same game wherever and however it runs.
    players : str or list of str
        One strategy for every seat, or one a seat: "greedy,random".
    jobs : int, default all cores
    backend : "threads", "processes" or "dask"
        With "dask", `address` names a scheduler; without one, a local cluster is made.
    until : str
        "battles=0.5": stop when the 95 % interval of that column's mean (or of `win_rate_0`, `draw_rate`, …) is this half-width.
    out : path
        Folder to keep the run in; the same call again goes on where it was stopped, and another run is refused.
    rows : bool
        Keep every game's row (`.frame`).
    columns : "all", "basic", or names separated by commas
        "basic" leaves out what costs time.
    every_deal : bool
        Play every distinct deal of a (small) deck once instead of random ones.
    paired : bool
        Play each deal once for each seat, the players turned through the seats: the luck of the deal cancels between them. Win rates
        are then per player, and the deal is the unit of every interval. `games` is rounded up to whole deals.
    hand : str, or (seat, str)
        What every deal gives a seat, in a game that can: "A A A A" to seat 0, "1: A A A A" to seat 1. The rest is dealt at random.
    progress : bool, default on a terminal
    **more_rules
        `face_down=1`, … (`simkit games GAME` lists them).

    Returns
    -------
    Result

    Raises
    ------
    BadInput
        In one line: what is wrong, and what to do.
    """
    limit = games if games is not None else (1e8 if until else 1e5)
    if isinstance(players, int):  # the rule of that name, where a game has it: players=3
        more_rules, players = {**more_rules, "players": players}, None
    plan = make_plan(
        game,
        rules={**(rules or {}), **more_rules},
        players=players,
        games=limit,
        seed=seed,
        columns=columns,
        rows=rows,
        every_deal=every_deal,
        paired=paired,
        hand=hand,
    )
    return play(plan, jobs=jobs, backend=backend, address=address, until=until, out=out, progress=progress)


def play(
    plan: Plan, *, jobs: int | None = None, backend: str = "threads", address: str = "", until: str | None = None,
    out: str | Path | None = None, progress: bool | None = None,
) -> Result:  # fmt: skip
    """Play a plan: `run` for a plan that is made already."""
    began = time.perf_counter()
    rule = read_until(plan, until)
    stop = Stop()
    with contextlib.ExitStack() as stack:
        folder = open_folder(plan, until, Path(out)) if out else None
        if folder is not None:
            stack.callback(folder.close)
        stack.enter_context(stop.listening())
        bar = stack.enter_context(Progress(plan, bool(until), progress))
        played = dataclasses.replace(plan, rows=plan.rows or plan.paired)  # sums over deals are made from rows
        workers = Workers(played, default_jobs() if jobs is None else jobs, backend, address, stop, bar.advance)
        collected = Collected(plan, folder)
        for note in folder.notes if folder else ():
            notice(note)
        bar.resume(collected.tally.games)
        for look in looks(plan, rule, collected):
            todo = gaps(collected.ranges, 0, look)
            try:
                for part in workers.play(todo):
                    collected.add(part)
            finally:
                collected.flush()
            if stop.interrupted or reached(plan, rule, collected, look, began):
                break
        complete = not stop.interrupted
        if folder is not None and complete:
            folder.mark(complete=True)
        notes = (*idle_notes(plan), *until_notes(plan, rule, until, collected, complete), *paired_notes(plan))
    seconds, rows = time.perf_counter() - began, collected.all_rows()
    return Result(plan, collected.tally, seconds, rows=rows, deals=collected.deals, interrupted=stop.interrupted, notes=notes)


# ---------------------------------------------------------------------------------------------------------- stop rules


def read_until(plan: Plan, text: str | None) -> tuple[str, FixedWidth] | None:
    """The column and the rule of "COLUMN=HALFWIDTH". Raises BadInput."""
    if not text:
        return None
    name, _, width = (piece.strip() for piece in text.partition("="))
    known = [*(f"win_rate_{seat}" for seat in range(plan.seats)), *SHARES, *plan.cells]
    if name == "win_rate":
        name = "win_rate_0"
    if name not in known:
        raise BadInput(f"cannot run until {name} is known: {plan.game} has no such column{nearest(name, known)}")
    try:
        half_width = float(width)
        if not 0 < half_width < float("inf"):
            raise ValueError
    except ValueError:
        raise BadInput(f"--until {text}: {width or 'nothing'} is no half-width; write {name}=0.5") from None
    return name, FixedWidth(half_width)


def estimate_of(result: Result, name: str) -> Any:
    """The figure that a stop rule looks at."""
    if name.startswith("win_rate_"):
        return result.win_rate(int(name.removeprefix("win_rate_")))
    return getattr(result, name)() if name in SHARES else result.mean(name)


def looks(plan: Plan, rule: tuple[str, FixedWidth] | None, collected: Collected) -> Iterator[int]:
    """The numbers of games after which the stop rule is asked: fixed beforehand, whatever the chunks and workers."""
    if rule is None:
        yield plan.games
        return
    for look in rule[1].looks(plan.games):
        if look > collected.looked:
            yield look


def reached(plan: Plan, rule: tuple[str, FixedWidth] | None, collected: Collected, look: int, began: float) -> bool:
    """Whether the stop rule is satisfied now."""
    if rule is None:
        return True
    name, width = rule
    if bool(width.satisfied(estimate_of(Result(plan, collected.tally, 0.0, deals=collected.deals), name))):
        return True
    collected.mark(look)
    return False


def idle_notes(plan: Plan) -> tuple[str, ...]:
    """That players were named who have nothing to decide."""
    game = plan.definition
    if game.has_choices(plan.rules) or set(plan.players) <= {game.default_player}:
        return ()
    return (f"nobody decides anything in {game.name} under these rules, so who plays changes nothing{game.choices_hint()}",)


def until_notes(plan: Plan, rule: tuple[str, FixedWidth] | None, text: str | None, collected: Collected, complete: bool) -> tuple[str, ...]:
    """How a run with a stop rule ended."""
    if rule is None or not complete:
        return ()
    if bool(rule[1].satisfied(estimate_of(Result(plan, collected.tally, 0.0, deals=collected.deals), rule[0]))):
        return (f"stopped at {text}: fixed-width rule, intervals are approximately 95 %",)
    return (f"{text} was not reached within {plan.games:,} games",)


def paired_notes(plan: Plan) -> tuple[str, ...]:
    """That a paired run of one player against itself tells nothing of who wins: every seating of a deal is the same game."""
    if not plan.paired or len(set(plan.players)) > 1:
        return ()
    return ("all sides are the same player: what they win in a paired run is equal by construction",)


# ------------------------------------------------------------------------------------------------------------- keeping


class Collected:
    """The parts that came in: merged, and kept in the run's folder if there is one."""

    def __init__(self, plan: Plan, folder: RunFolder | None) -> None:
        from simkit.store import Clock

        self.plan, self.folder, self.clock = plan, folder, Clock()
        self.tally, self.ranges = Tally(plan.layout), list(folder.ranges) if folder else []
        self.looked = folder.looked if folder else 0
        self.deals = DealSums(plan) if plan.paired else None
        self.rows: list[np.ndarray] = []
        self._fresh()
        if folder is not None:
            for games, counts in folder.counts():
                self.tally.merge(Tally.from_arrays(plan.layout, games, counts))
            for sums in folder.deals():
                cast(DealSums, self.deals).merge(DealSums.from_arrays(plan, sums))

    def _fresh(self) -> None:
        self.new, self.new_ranges, self.new_rows = Tally(self.plan.layout), [], []  # type: ignore[var-annotated]
        self.new_deals = DealSums(self.plan) if self.plan.paired else None

    def add(self, part: Part) -> None:
        """Take a part in."""
        if self.plan.paired:
            self._whole_deals(part)
        if part.games == 0:
            return
        if self.deals is not None and self.new_deals is not None:
            sums = DealSums(self.plan)
            sums.add_rows(cast(np.ndarray, part.rows))
            self.deals.merge(sums)
            self.new_deals.merge(sums)
        self.tally.merge(part.tally)
        self.ranges.append((part.first, part.games))
        rows = (
            []
            if part.rows is None or not self.plan.rows
            else [np.column_stack([np.arange(part.first, part.first + part.games), part.rows])]
        )
        if self.folder is None:
            self.rows += rows
            return
        self.new.merge(part.tally)
        self.new_ranges.append((part.first, part.games))
        self.new_rows += rows
        if self.clock.due():
            self.flush()

    def _whole_deals(self, part: Part) -> None:
        """Take the games of a deal that was interrupted out of a part: they are played again with the rest of the deal."""
        extra, rows = part.games % self.plan.seats, cast(np.ndarray, part.rows)
        if extra:
            part.tally.remove(dict(zip(self.plan.row_cells, rows[-extra:].T, strict=True)))
            part.games, part.rows = part.games - extra, rows[:-extra]

    def flush(self) -> None:
        """Write what has come since the last part."""
        if self.folder is None or not self.new_ranges:
            return
        rows = None
        if self.plan.rows:
            table = np.concatenate(self.new_rows)
            table = table[np.argsort(table[:, 0])]
            rows = dict(zip(["game", *self.plan.row_cells], table.T, strict=True))
        ranges, counts = self.new_ranges, self.new.to_arrays()
        deals = self.new_deals.to_arrays() if self.new_deals is not None else None
        self._fresh()
        self.folder.add(ranges, counts, rows, deals)

    def mark(self, look: int) -> None:
        """The stop rule said to go on after `look` games."""
        self.looked = look
        if self.folder is not None:
            self.folder.mark(looked=look)

    def all_rows(self) -> np.ndarray | None:
        """Every row kept, in the order of the games, the game's number first."""
        if not self.plan.rows:
            return None
        tables = self.rows
        if self.folder is not None:
            names = ["game", *self.plan.row_cells]
            tables = [np.column_stack([columns[name] for name in names]) for columns in self.folder.rows()]
        if not tables:
            return np.zeros((0, 1 + len(self.plan.row_cells)), np.int64)
        table = np.concatenate(tables)
        return table[np.argsort(table[:, 0], kind="stable")]


def open_folder(plan: Plan, until: str | None, folder: Path) -> RunFolder:
    """The folder of this run. Raises BadInput if it holds another."""
    from simkit.provenance import about_run, strategies_hash
    from simkit.store import RunFolder

    definition = plan.definition
    identity = {
        **plan.as_dict(),
        "game_version": definition.version,
        "until": until,
        "cells": plan.cells,
        "strategies": strategies_hash(plan),
    }
    return RunFolder(folder, identity, about_run(plan, until))


# --------------------------------------------------------------------------------------------------------------- sweep


class Sweep:
    """One row a setting, all on the same deals; differences are paired with the setting of the defaults."""

    def __init__(self, game: str, swept: list[str], settings: list[dict[str, Any]], results: list[Result], frame: pd.DataFrame) -> None:
        self.game, self.swept, self.settings, self.results, self.frame = game, swept, settings, results, frame

    @property
    def interrupted(self) -> bool:
        return any(result.interrupted for result in self.results)


def sweep(
    game: str, swept: Mapping[str, Sequence[Any] | str], games: float = 1e5, *, column: str | None = None, seed: int = 1,
    players: str | Sequence[str] | None = None, jobs: int | None = None, backend: str = "threads", address: str = "",
    progress: bool | None = None, rules: Mapping[str, Any] | None = None, report: Callable[[str], None] = lambda text: None,
) -> Sweep:  # fmt: skip
    """Play every combination of some rules' values on the same deals.

    Parameters
    ----------
    swept : dict of rule name to values
        A list of values, "all", or a range such as "0:6".
    column : str, default the game's length
        The column to compare; differences from the defaults are paired by deal, over games finished under both.

    Returns
    -------
    Sweep
        `.frame` has a row a setting; `.results` the runs themselves.
    """
    import pandas as pd

    definition = find(game)
    values = {name: read_values(definition, name, given) for name, given in swept.items()}
    fixed = dict(rules or {})
    column = column or definition.length
    settings = [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]
    plans = [
        make_plan(game, rules={**fixed, **setting}, players=players, games=games, seed=seed, columns=column, rows=True)
        for setting in settings
    ]
    default = {name: definition.by[name].default for name in values}
    base_plan = make_plan(game, rules={**fixed, **default}, players=players, games=games, seed=seed, columns=column, rows=True)
    options = {"jobs": jobs, "backend": backend, "address": address, "progress": progress}
    base = play(base_plan, **options)  # type: ignore[arg-type]
    results: list[Result] = []
    lines: list[dict[str, Any]] = []
    for setting, plan in zip(settings, plans, strict=True):
        if base.interrupted or (results and results[-1].interrupted):
            break
        report(", ".join(f"{name}={value}" for name, value in setting.items()))
        result = base if setting == default else play(plan, **options)  # type: ignore[arg-type]
        results.append(result)
        lines.append({**setting, **sweep_line(result, base, column)})
        if result is not base:
            result._rows = None  # the row has been compared; memory need not grow with the settings
    base._rows = None
    return Sweep(game, list(values), settings, results or [base], pd.DataFrame(lines))


def read_values(definition: Any, name: str, given: Sequence[Any] | str) -> list[Any]:
    """The values of one swept rule: a list, "all", "0:6" or "a,b". Raises BadInput."""
    if name not in definition.by:
        raise BadInput(f"{definition.name} has no rule {name}{nearest(name, list(definition.by))}; see: simkit games {definition.name}")
    parameter = definition.by[name]
    if not isinstance(given, str):
        return [parameter.read(value) for value in given]
    if given == "all":
        return parameter.every()
    low, colon, high = given.partition(":")
    if colon:
        first, last = parameter.read(low), parameter.read(high)
        if parameter.kind != "range" or first > last:
            raise BadInput(f"{name}={given} is no range; write {name}=2:5, {name}=all, or values separated by commas")
        return list(range(first, last + 1))
    return [parameter.read(value) for value in given.split(",")]


def sweep_line(result: Result, base: Result, column: str) -> dict[str, Any]:
    """The figures of one setting."""
    mean = result.mean(column)
    line: dict[str, Any] = {
        "games": result.games,
        f"{column}_n": mean.n,
        column: mean.estimate,
        f"{column}_low": mean.low,
        f"{column}_high": mean.high,
    }
    for name, share in (
        ("win_rate_0", result.win_rate(0)),
        ("draw_rate", result.draw_rate()),
        ("endless_rate", result.endless_rate()),
        ("capped_rate", result.capped_rate()),
    ):
        line |= {name: share.estimate, f"{name}_low": share.low, f"{name}_high": share.high}
    return line | paired_with(result, base, column)


def paired_with(result: Result, base: Result, column: str) -> dict[str, Any]:
    """The difference from the default setting on the same deals, over games finished under both."""
    from simkit.stats.paired import paired_difference

    names = ("difference", "difference_low", "difference_high", "difference_n", "correlation")
    if result is base:
        return dict.fromkeys(names[:3], 0.0) | {"difference_n": base.games, "correlation": 1.0}
    here, there = result.frame, base.frame
    common = here.index.intersection(there.index)
    both = (here.loc[common, "outcome"] <= 1) & (there.loc[common, "outcome"] <= 1)
    a, b = (frame.loc[common, column][both].to_numpy(float) for frame in (here, there))
    if len(a) < 30:
        return dict.fromkeys(names, float("nan")) | {"difference_n": len(a)}
    paired = paired_difference(a, b)
    difference = paired.difference
    return dict(zip(names, (difference.estimate, difference.low, difference.high, difference.n, paired.correlation), strict=True))
