"""Two players at one table in every seating, and many such tables on the same deals.

A side is a seat, or a team where the game has teams. One player takes one side and the other all the rest, once for each side:
with two sides they exchange seats, with more one plays alone against a field of the other. Every seating is played on the same
deals, as an ordinary run of its own with the same seed, so that `simkit replay` can show each game.

A game's score says how the one compares with the others: 2 for each other side that it outdoes in payoff, 1 for each that it
equals. It is even at half of the most, whatever the number of sides. Unfinished games count as their payoffs say.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simkit.game import DRAW, BadInput, Game
from simkit.players import read_player
from simkit.progress import Progress
from simkit.simulate import Plan, Stop, Workers, default_jobs, make_plan, notice

if TYPE_CHECKING:
    from simkit.store import RunFolder

BLOCK_SECONDS = 0.5
"""Time that each seating is played for before the next takes its turn: deals that are complete stay close to those begun."""
FIRST_BLOCK = 200
MOST_DEALS = 2**40
"""Deal d of seating k is number k * MOST_DEALS + d in a folder's ranges."""
SCORE, MARGIN, WON, FIRST, UNFINISHED = range(5)
"""What is kept of a game, columns of int64: score; payoff of the one less that of the others (scaled); 2 won, 1 nobody, 0 lost; score of
whoever moved first, -1 where that is not known; 1 if it was not finished."""
KEPT = ("score", "margin", "won", "first", "unfinished")


@dataclass(frozen=True)
class Design:
    """Which seats the one player takes, seating by seating; the other takes the rest."""

    sides: tuple[tuple[int, ...], ...]
    teams: bool

    @classmethod
    def of(cls, game: Game, rules: Mapping[str, Any]) -> Design:
        """The design for a game. Raises BadInput if its teams are not of one size, or there is but one side."""
        seats, teams = game.seats(rules), game.teams(rules)
        sides = tuple(
            tuple(seat for seat in range(seats) if (teams or range(seats))[seat] == side) for side in sorted(set(teams or range(seats)))
        )
        if len(sides) < 2 or len({len(side) for side in sides}) > 1:
            raise BadInput(f"{game.name} has no sides that could be exchanged")
        return cls(sides, bool(teams))

    @property
    def most(self) -> int:
        """The greatest score of a game."""
        return 2 * (len(self.sides) - 1)

    @property
    def unit(self) -> int:
        """What a margin is divided by, to be the mean payoff of a seat of the one less that of a seat of the others."""
        return (len(self.sides) - 1) * len(self.sides[0])

    @property
    def seats(self) -> int:
        return sum(map(len, self.sides))

    def seated(self, one: str, other: str, seating: int) -> tuple[str, ...]:
        """The players, seat by seat."""
        return tuple(one if seat in self.sides[seating] else other for seat in range(self.seats))

    def text(self, one: str, other: str) -> str:
        """The design in words."""
        if len(self.sides) == 2:
            return f"each deal is played twice, {one} and {other} exchanging {'teams' if self.teams else 'seats'}"
        what = "team" if self.teams else "seat"
        return f"each deal is played {len(self.sides)} times, {one} in each {what} once and {other} in all the others"

    def games(self, rows: Mapping[str, np.ndarray], seating: int) -> np.ndarray:
        """int64 (games, 5), see `KEPT`, from the cells of games in this seating."""
        payoffs = np.array([sum(rows[f"payoff_{seat}"] for seat in side) for side in self.sides])
        one, others = payoffs[seating], np.delete(payoffs, seating, axis=0)
        score = (1 + np.sign(one - others)).sum(axis=0)
        ours = np.isin(rows["winner"], self.sides[seating])
        won = np.where(rows["winner"] < 0, 1, np.where(ours, 2, 0))
        first = np.full(len(score), -1)
        if "first_mover" in rows and len(self.sides) == 2:
            known = rows["first_mover"] >= 0
            first = np.where(known, np.where(np.isin(rows["first_mover"], self.sides[seating]), score, 2 - score), -1)
        return np.stack([score, (one - others).sum(axis=0), won, first, rows["outcome"] > DRAW], axis=1).astype(np.int64)


@dataclass(frozen=True)
class Table:
    """One player against another in one seating: a plan whose game d is deal d."""

    one: str
    other: str
    seating: int
    plan: Plan


def tables(game: Game, rules: Mapping[str, Any], design: Design, pairs: Sequence[tuple[str, str]], seed: int) -> list[Table]:
    """Every seating of every pair. Raises BadInput."""
    columns = "payoff,first_mover" if any(column.name == "first_mover" for column in game.columns) else "payoff"
    made = []
    for one, other in pairs:
        for seating in range(len(design.sides)):
            players = design.seated(one, other, seating)
            plan = make_plan(game.name, rules=rules, players=players, seed=seed, columns=columns, rows=True)
            made.append(Table(one, other, seating, plan))
    return made


class Scores:
    """What is kept of the games of several tables, deal by deal. A table takes room for its own deals only."""

    def __init__(self, count: int) -> None:
        self.kept = [np.zeros((0, len(KEPT)), np.int32) for _ in range(count)]  # 20 bytes a game; wider if a payoff ever needs it
        self.done = [np.zeros(0, bool) for _ in range(count)]

    def put(self, table: int, first: int, games: np.ndarray) -> None:
        """Take in the games first, first + 1, … of one table."""
        end, kept, done = first + len(games), self.kept[table], self.done[table]
        if end > len(done):
            more = max(end, 2 * len(done)) - len(done)
            kept = np.concatenate([kept, np.zeros((more, len(KEPT)), kept.dtype)])
            done = np.concatenate([done, np.zeros(more, bool)])
        if len(games) and np.abs(games).max() >= 2**31:
            kept = kept.astype(np.int64)
        kept[first:end] = games
        done[first:end] = True
        self.kept[table], self.done[table] = kept, done

    def missing(self, table: int, first: int, end: int) -> list[tuple[int, int]]:
        """What of the deals first to end - 1 this table has not played, as (first, deals)."""
        left = ~self.done[table][first:end]
        left = np.concatenate([[False], left, np.ones(max(0, end - first - len(left)), bool), [False]])
        edges = np.flatnonzero(left[1:] != left[:-1])
        return [(int(a) + first, int(b - a)) for a, b in edges.reshape(-1, 2)]

    def complete(self, deals: int, first: int = 0, tables: Sequence[int] | None = None) -> np.ndarray:
        """int (tables, deals, 5): the games of the deals first to deals - 1 that each of these tables (default: all) has played, in order."""
        chosen = range(len(self.kept)) if tables is None else tables
        end = max(first, min([deals, *(len(self.done[table]) for table in chosen)]))
        whole = first + np.flatnonzero(np.all([self.done[table][first:end] for table in chosen], axis=0))
        return np.stack([self.kept[table][whole] for table in chosen])


class Hall:
    """Plays many tables on the same deals, and keeps their games in memory and, if there is one, in a folder."""

    def __init__(
        self, tables: Sequence[Table], design: Design, deals: int, *, jobs: int | None, backend: str, address: str, folder: RunFolder | None,
        stop: Stop, progress: Callable[[int], None],
    ) -> None:  # fmt: skip
        from simkit.store import Clock

        self.tables, self.design, self.deals, self.stop, self.folder = tables, design, deals, stop, folder
        self.workers = [Workers(table.plan, jobs or default_jobs(), backend, address, stop, progress) for table in tables]
        self.scores, self.clock, self.block = Scores(len(tables)), Clock(), FIRST_BLOCK
        self.new: list[tuple[int, int, np.ndarray]] = []
        self.resumed = 0
        for rows in folder.rows() if folder is not None else ():
            self._load(rows)

    def _load(self, rows: Mapping[str, np.ndarray]) -> None:
        """Take in games that a folder kept."""
        numbers, games = rows["game"], np.stack([rows[name] for name in KEPT], axis=1)
        for piece in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers) != 1) + 1):
            if len(piece):
                table, first = divmod(int(numbers[piece[0]]), MOST_DEALS)
                self.scores.put(table, first, games[piece])
        self.resumed += len(numbers)

    def play(self, first: int, end: int, tables: Sequence[int] | None = None) -> None:
        """Play the deals first to end - 1 at these tables (default: all), or as many as there is time for before the stop flag is set."""
        chosen = range(len(self.tables)) if tables is None else tables
        try:
            while first < end and not self.stop.flag[0]:
                until = min(end, first + self.block)
                for table in chosen:
                    self._play(table, self.workers[table], self.scores.missing(table, first, until))
                first = until
                slowest = min(self.workers[table].rate for table in chosen) * self.workers[0].jobs
                self.block = int(max(FIRST_BLOCK, min(2 * self.block, slowest * BLOCK_SECONDS)))
        finally:
            self.flush()

    def _play(self, table: int, workers: Workers, ranges: list[tuple[int, int]]) -> None:
        if self.stop.flag[0]:
            return
        names = self.tables[table].plan.row_cells
        for part in workers.play(ranges):
            if part.rows is None or not part.games:
                continue
            games = self.design.games(dict(zip(names, part.rows.T, strict=True)), self.tables[table].seating)
            self.scores.put(table, part.first, games)
            if self.folder is not None:
                self.new.append((table, part.first, games))
                if self.clock.due():
                    self.flush()

    def flush(self) -> None:
        """Write what has come since the last part."""
        if self.folder is None or not self.new:
            return
        new, self.new = sorted(self.new, key=lambda each: each[:2]), []
        starts = [table * MOST_DEALS + first for table, first, _ in new]
        numbers = np.concatenate([start + np.arange(len(games)) for start, (_, _, games) in zip(starts, new, strict=True)])
        kept = np.concatenate([games for _, _, games in new])
        ranges = [(start, len(games)) for start, (_, _, games) in zip(starts, new, strict=True)]
        self.folder.add(ranges, rows={"game": numbers, **dict(zip(KEPT, kept.T, strict=True))})

    def complete(self, deals: int, first: int = 0, tables: Sequence[int] | None = None) -> np.ndarray:
        """See `Scores.complete`."""
        return self.scores.complete(deals, first, tables)


@contextlib.contextmanager
def hall(
    tables: Sequence[Table], design: Design, deals: int, identity: Mapping[str, Any], command: str, *, jobs: int | None, backend: str, address: str,
    out: str | Path | None, progress: bool | None, open_ended: bool = False, games: int | None = None,
) -> Iterator[Hall]:  # fmt: skip
    """A hall to play in: its folder opened, Ctrl-C heard, the progress bar shown, of `games` where not all tables play all deals.

    Raises BadInput.
    """
    stop = Stop()
    with contextlib.ExitStack() as stack:
        folder = open_folder(tables, deals, identity, command, Path(out)) if out else None
        if folder is not None:
            stack.callback(folder.close)
            for text in folder.notes:
                notice(text)
        stack.enter_context(stop.listening())
        shown = dataclasses.replace(tables[0].plan, games=games or deals * len(tables))
        bar = stack.enter_context(Progress(shown, open_ended, progress))
        made = Hall(tables, design, deals, jobs=jobs, backend=backend, address=address, folder=folder, stop=stop, progress=bar.advance)
        bar.resume(made.resumed)
        yield made


def open_folder(tables: Sequence[Table], deals: int, identity: Mapping[str, Any], command: str, folder: Path) -> RunFolder:
    """The folder of these tables. Raises BadInput if it holds something else."""
    import platform

    from simkit.provenance import rules_hash, strategies_hash, versions
    from simkit.store import RunFolder

    plan = tables[0].plan
    whole = {
        **identity,
        "game": plan.game,
        "game_version": plan.definition.version,
        "rules": dict(plan.rules),
        "seed": plan.seed,
        "deals": deals,
        "strategies": sorted({strategies_hash(table.plan) for table in tables}),
    }
    about = {"versions": versions(), "rules_hash": rules_hash(plan), "command": command, "machine": platform.platform()}
    return RunFolder(folder, whole, about)


def command_of(what: str, plan: Plan, players: Sequence[str], *options: str) -> str:
    """The command line that does this again."""
    import shlex

    from simkit.provenance import changed_rules

    words = ["simkit", what, plan.game, *players, "--seed", str(plan.seed), *options]
    for name, value in changed_rules(plan).items():
        words += ["--rule", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    return shlex.join(words)


def read_pairing(game: Game, rules: Mapping[str, Any], players: Sequence[str]) -> list[str]:
    """The texts of players who can meet in this game. Raises BadInput."""
    if not game.has_choices(rules):
        raise BadInput(
            f"nobody decides anything in {game.name} under these rules, so its players cannot differ; see: simkit games {game.name}"
        )
    return [read_player(game, text).text for text in players]


def read_deals(deals: float) -> int:
    """A number of deals. Raises BadInput."""
    from simkit.stats.paired import LEAST

    if not float(deals).is_integer() or deals < LEAST:
        raise BadInput(f"{deals:g} deals cannot be compared; ask for a whole number, {LEAST} or more")
    if deals > MOST_DEALS:
        raise BadInput(f"{deals:g} deals cannot be compared, they are too many; ask for 1e12 or fewer")
    return int(deals)
