"""Many games: a plan says which, an engine plays some of them, and joblib spreads them over cores and machines.

Results are integers counted exactly, so they are equal to the bit for any number of jobs, any chunk and any backend.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simkit.game import EVERY_DEAL, SHUFFLED, BadInput, Game
from simkit.games import find
from simkit.players import Player, compile_strategy, read_players
from simkit.tally import Layout, Tally, layout_of

BACKENDS = ("threads", "processes", "dask")
CALL_SECONDS = 0.15
"""Games of one call of the loop: long against the call's own millisecond, short enough to stop and show progress."""
PART_SECONDS = 0.6
"""Games of one task: what a killed run may lose for each worker, twice over."""
SPILL = 8192
LARGEST_SEED = 2**63 - 1


class GameFault(RuntimeError):
    """A strategy or a game broke the rules; the message is one line with what is needed to see it again."""


@dataclass(frozen=True)
class Plan:
    """Everything that decides which games are played and what is recorded of them."""

    game: str
    rules: Mapping[str, Any]
    players: tuple[str, ...]
    seed: int = 1
    games: int = 100_000
    paired: bool = False
    columns: str = "all"
    rows: bool = False
    every_deal: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "rules": dict(self.rules), "players": list(self.players)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Plan:
        return cls(**{**fields, "players": tuple(fields["players"])})

    @cached_property
    def definition(self) -> Game:
        return find(self.game)

    @cached_property
    def cells(self) -> list[str]:
        return self.definition.shown_cells(self.rules, self.columns)

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.definition, self.rules, self.cells)

    @cached_property
    def seats(self) -> int:
        return self.definition.seats(self.rules)

    @cached_property
    def row_cells(self) -> list[str]:
        """The cells of a kept row: those tallied, and those that only identify a game."""
        columns = self.definition.cell_columns()
        names = [name for column in self.definition.columns for name in column.names(self.seats)]
        return [name for name in names if name in self.cells or not columns[name].tallied]


def make_plan(
    game: str, *, rules: Mapping[str, Any] | None = None, players: Any = None, games: float = 100_000, seed: int = 1,
    paired: bool = False, columns: str = "all", rows: bool = False, every_deal: bool = False,
) -> Plan:  # fmt: skip
    """A plan, with everything in it checked. Raises BadInput."""
    definition = find(game)
    read = definition.read_rules(rules or {})
    seats = definition.seats(read)
    chosen = read_players(definition, players, seats)
    if not float(games).is_integer() or games < 1:
        raise BadInput(f"{games:g} games cannot be played; ask for a whole number, 1 or more")
    if not 0 <= seed <= LARGEST_SEED:
        raise BadInput(f"seed {seed} is not legal: a whole number from 0 to 2^63 - 1")
    number = int(games)
    if every_deal:
        number = count_deals(definition, read)
    if paired and number % seats:
        number += seats - number % seats  # whole deals
    definition.shown_cells(read, columns)
    texts = tuple(player.text for player in chosen)
    return Plan(definition.name, read, texts, int(seed), number, bool(paired), columns, bool(rows), bool(every_deal))


def count_deals(game: Game, rules: Mapping[str, Any]) -> int:
    """How many distinct deals there are, if every one can be played. Raises BadInput."""
    if game.deals is None:
        raise BadInput(f"{game.name} cannot play every deal")
    number = game.deals(rules)
    if rules.get("leftover") == "remove_twos":
        raise BadInput("every deal is played with the whole deck; use leftover = set_aside or first_pot")
    if number > 10**12:
        raise BadInput(f"this deck has {number:,} distinct deals, too many to play every one; use a smaller deck (ranks, copies)")
    return number


@dataclass
class Part:
    """The games first to first + games - 1 (or as far as they came), counted, and their rows if kept."""

    first: int
    games: int
    tally: Tally
    rows: np.ndarray | None = None
    seconds: float = 0.0


class Engine:
    """Plays games of one plan in one thread."""

    def __init__(self, plan: Plan) -> None:
        from simkit.jit import PLAIN
        from simkit.play import PARAMS, RING, compiled

        self.plan, self.game = plan, plan.definition
        game = self.game
        self.compiled = compiled(game)
        self.players = read_players(game, list(plan.players), plan.seats)
        deciders = [compile_strategy(player.strategy, game) for player in self.players]
        deciders += deciders[:1] * (game.largest_seats - len(deciders))
        self.deciders = tuple(decider for decider in deciders for _ in game.decisions)
        self.params = np.zeros((game.largest_seats, PARAMS))
        for row, player in zip(self.params, self.players, strict=False):
            row[: len(player.numbers)] = player.numbers
        rules = game.encode_rules(plan.rules)
        self.states, self.views = np.zeros(1, game.state), np.zeros(game.largest_seats, game.view)
        self.states["rules"] = self.views["rules"] = rules
        self.states["detail"] = game.needs_detail(plan.cells)
        self.states["dealing"] = EVERY_DEAL if plan.every_deal else SHUFFLED
        self.moves = np.zeros(game.largest_moves, np.int64)
        self.cells, self.joints = plan.layout.cell_table(), plan.layout.joint_table()
        self.spill, self.status = np.zeros((SPILL, 2), np.int64), np.zeros(8, np.int64)
        outcome = game.cells().index("outcome")
        self.settings = np.array([plan.seed, 0, 0, plan.seats if plan.paired else 1, plan.seats, len(game.decisions), plan.rows, outcome])
        self.ring = np.zeros(RING, game.result_type)
        self.kept = np.array([game.cells().index(name) for name in plan.row_cells])
        self.call_games = 64.0
        self.plain = PLAIN

    def play(self, first: int, games: int, stop: np.ndarray, progress: Callable[[int], None] = lambda n: None, halt: Callable[[], bool] = lambda: False) -> Part:
        """Play these games; stops early, between two games, when stop[0] is set. Raises GameFault."""
        tally, rows, done, began = Tally(self.plan.layout), [], 0, time.perf_counter()
        while done < games and not stop[0] and not halt():
            asked = min(games - done, int(self.call_games))
            begin = time.perf_counter()
            results = np.zeros(asked, self.ring.dtype) if self.plan.rows else self.ring
            played = self._call(first + done, asked, results, tally, stop)
            if self.plan.rows:
                rows.append(results.view(np.int64).reshape(asked, -1)[:played, self.kept])
            done += played
            progress(played)
            seconds = time.perf_counter() - begin
            self.call_games = max(16.0, min(self.call_games * 4, self.call_games * CALL_SECONDS / max(seconds, 1e-6), 4e6))
        tally.games = done
        table = (np.concatenate(rows) if rows else np.zeros((0, len(self.kept)), np.int64)) if self.plan.rows else None
        return Part(first, done, tally, table, time.perf_counter() - began)

    def _call(self, first: int, games: int, results: np.ndarray, tally: Tally, stop: np.ndarray) -> int:
        from simkit.play import DONE, FAULT, FINE, FIRST, GAMES, SPILLED

        self.settings[FIRST], self.settings[GAMES] = first, games
        self.status[FAULT] = FINE
        rows = results.view(np.int64).reshape(len(results), -1)
        arrays = [self.states, self.views, self.moves, self.params, results, rows, self.settings, self.cells, self.joints]
        if self.plain:
            arrays[0], arrays[1], arrays[4] = (array.view(np.recarray) for array in (self.states, self.views, results))
        caught = np.errstate(over="ignore") if self.plain else contextlib.nullcontext()
        with caught:
            self.compiled.loop(*self.compiled.functions, self.deciders, *arrays, tally.histogram, self.spill, self.status, stop)
        if self.status[SPILLED]:
            tally.add_spill(self.spill[: self.status[SPILLED]])
        if self.status[FAULT] != FINE:
            raise GameFault(self.fault())
        return int(self.status[DONE])

    def fault(self) -> str:
        """What went wrong in the last call, and the command that shows it."""
        from simkit.play import FAULT, FAULT_GAME, FAULT_SEAT, FAULT_VALUE, NO_MOVES

        seat, value, number = (int(self.status[place]) for place in (FAULT_SEAT, FAULT_VALUE, FAULT_GAME))
        again = f"see it with: {replay_command(self.plan, number)}"
        if self.status[FAULT] == NO_MOVES:
            return f"{self.game.name} found no legal move for seat {seat} in game {number}: a fault of the game, please report it; {again}"
        turn = number % self.plan.seats if self.plan.paired else 0
        player = self.players[(seat + turn) % self.plan.seats]
        return f"strategy {player.text} chose move {value}, which is not there, in seat {seat} of game {number}; {again}"


def replay_command(plan: Plan, number: int) -> str:
    """The command that replays one game of a plan."""
    words = ["simkit replay", plan.game, f"--seed {plan.seed} --game {number}"]
    defaults = {parameter.name: parameter.default for parameter in plan.definition.parameters}
    words += [f"--rule {name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in plan.rules.items() if value != defaults[name]]
    if plan.definition.has_choices(plan.rules):
        words.append("--players " + ",".join(plan.players))
    return " ".join(words + ["--paired"] * plan.paired + ["--exhaustive"] * plan.every_deal)


# ------------------------------------------------------------------------------------------------------------- workers

_here = threading.local()


def engine_for(plan: Plan) -> Engine:
    """This thread's engine for a plan (the last one is kept)."""
    key = repr(plan.as_dict())
    if getattr(_here, "key", None) != key:
        _here.engine, _here.key = Engine(plan), key
    return _here.engine


def play_part(fields: dict[str, Any], first: int, games: int, stop_file: str = "") -> tuple[int, int, dict[str, np.ndarray], np.ndarray | None, float]:
    """A task for another process or machine: names and numbers in, plain arrays out. `stop_file` appearing ends it early."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    plan = Plan.from_dict(fields)
    part = engine_for(plan).play(first, games, np.zeros(1, np.int64), halt=lambda: bool(stop_file) and os.path.exists(stop_file))
    return part.first, part.games, part.tally.to_arrays(), part.rows, part.seconds


def default_jobs() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Stop:
    """A flag that all threads' loops look at. Within it, Ctrl-C sets the flag instead of raising; a second Ctrl-C raises."""

    def __init__(self) -> None:
        self.flag = np.zeros(1, np.int64)
        self.interrupted = False

    def set(self) -> None:
        self.flag[0] = 1

    def _on_signal(self, number: int, frame: Any) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self.set()

    @contextlib.contextmanager
    def listening(self) -> Iterator[Stop]:
        if threading.current_thread() is not threading.main_thread():
            yield self
            return
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def gaps(done: list[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """What is left of begin..end-1 after the (first, games) ranges done."""
    left = []
    for first, games in sorted(done):
        if first > begin:
            left.append((begin, min(first, end) - begin))
        begin = max(begin, first + games)
        if begin >= end:
            break
    if begin < end:
        left.append((begin, end - begin))
    return [(first, games) for first, games in left if games > 0]


def cut(ranges: list[tuple[int, int]], size: int, unit: int) -> Iterator[tuple[int, int]]:
    """Cut ranges into tasks of about `size` games; deals of `unit` games stay together."""
    size = max(unit, size - size % unit)
    for first, games in ranges:
        while games > 0:
            n = min(size - first % unit, games)
            yield first, n
            first, games = first + n, games - n


class Workers:
    """Plays ranges of a plan's games over threads, processes or a Dask cluster, and hands over the parts as they come."""

    def __init__(self, plan: Plan, jobs: int, backend: str, address: str, stop: Stop, progress: Callable[[int], None]) -> None:
        if backend not in BACKENDS:
            raise BadInput(f"no backend is called {backend}; the backends: {', '.join(BACKENDS)}")
        if jobs < 1:
            raise BadInput(f"{jobs} jobs cannot play; ask for 1 or more")
        self.plan, self.jobs, self.backend, self.address = plan, jobs, backend, address
        self.stop, self.progress = stop, progress
        self.unit = plan.seats if plan.paired else 1
        self.rate = 0.0
        self.client: Any = None

    def play(self, ranges: list[tuple[int, int]], seconds: float = PART_SECONDS) -> Iterator[Part]:
        """Parts of these ranges, in any order. Fewer, if the stop flag is set."""
        if not ranges:
            return
        if not self.rate:
            part = self._probe(ranges[0])
            yield part
            ranges = gaps([(part.first, part.games)], ranges[0][0], ranges[0][0] + ranges[0][1]) + ranges[1:]
        total = sum(games for _, games in ranges)
        size = int(min(self.rate * seconds, total / self.jobs / 2 + self.unit)) or 1
        tasks = cut(ranges, size, self.unit)
        if self.backend == "threads" and self.jobs == 1:
            yield from self._alone(tasks)
        elif self.backend == "threads":
            yield from self._threads(tasks)
        else:
            yield from self._elsewhere(tasks)

    def _probe(self, whole: tuple[int, int]) -> Part:
        """Play a few games here to learn how long they take; compiles in the parent, before any fan-out."""
        engine = engine_for(self.plan)
        games = min(whole[1], 256 * self.unit if not engine.plain else self.unit)
        part = engine.play(whole[0], games, self.stop.flag, self.progress)
        again = engine.play(whole[0] + games, min(256 * self.unit, whole[1] - games), self.stop.flag, self.progress) if whole[1] > games else None
        if again is not None and again.games and part.games == games:
            self.rate = again.games / max(again.seconds, 1e-6)
            part.tally.merge(again.tally)
            rows = None if part.rows is None or again.rows is None else np.concatenate([part.rows, again.rows])
            return Part(part.first, part.games + again.games, part.tally, rows, part.seconds + again.seconds)
        self.rate = max(part.games, 1) / max(part.seconds, 1e-6)
        return part

    def _alone(self, tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        for first, games in tasks:
            if self.stop.flag[0]:
                return
            yield engine_for(self.plan).play(first, games, self.stop.flag, self.progress)

    def _threads(self, tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        from joblib import Parallel, delayed

        def task(first: int, games: int) -> Part:
            return engine_for(self.plan).play(first, games, self.stop.flag, self.progress)

        stoppable = (each for each in tasks if not self.stop.flag[0])
        yield from Parallel(self.jobs, backend="threading", return_as="generator_unordered")(delayed(task)(*each) for each in stoppable)

    def _elsewhere(self, tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        from joblib import Parallel, delayed

        fields = self.plan.as_dict()
        with tempfile.TemporaryDirectory() as folder, self._backend():
            stop_file = os.path.join(folder, "stop") if self.backend == "processes" else ""
            stoppable = (each for each in tasks if not self.stop.flag[0])
            parallel = Parallel(self.jobs, return_as="generator_unordered")
            parts = parallel(delayed(play_part)(fields, *each, stop_file) for each in stoppable)
            for first, games, arrays, rows, seconds in watch(parts, self.stop, stop_file):
                self.progress(games)
                yield Part(first, games, Tally.from_arrays(self.plan.layout, games, arrays), rows, seconds)

    @contextlib.contextmanager
    def _backend(self) -> Iterator[None]:
        from joblib import parallel_config

        if self.backend == "processes":
            with parallel_config("loky", inner_max_num_threads=1):
                yield
            return
        try:
            from dask.distributed import Client
        except ImportError:
            raise BadInput("the dask backend needs Dask; install it with: pip install 'simkit[dask]'") from None
        try:
            client = Client(self.address, timeout="10s") if self.address else Client(n_workers=self.jobs, threads_per_worker=1, dashboard_address=None)
        except (OSError, ValueError, TimeoutError) as error:
            raise BadInput(f"no Dask scheduler answers at {self.address}: {error}") from None
        try:
            self.jobs = max(self.jobs, len(client.scheduler_info()["workers"]))
            with parallel_config("dask", client=client) if False else parallel_config("dask"):
                yield
        finally:
            client.close()


def watch(parts: Iterator[Any], stop: Stop, stop_file: str) -> Iterator[Any]:
    """Hand parts on; when the stop flag is set, tell the processes so by the stop file."""
    done = threading.Event()

    def tell() -> None:
        while not done.wait(0.05):
            if stop.flag[0]:
                with open(stop_file, "w"):
                    return

    teller = threading.Thread(target=tell, daemon=True) if stop_file else None
    if teller:
        teller.start()
    try:
        yield from parts
    finally:
        done.set()
        if teller:
            teller.join()


def notice(text: str) -> None:
    """A line for the person at the terminal."""
    print(f"simkit: {text}", file=sys.stderr)


def players_of(plan: Plan) -> list[Player]:
    return read_players(plan.definition, list(plan.players), plan.seats)
