"""Many games: a plan says which, an engine plays some of them, and workers spread them over cores and machines.

Results are integers counted exactly, so they are equal to the bit for any number of jobs, any chunk and any backend.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import hashlib
import logging
import os
import platform
import queue
import shlex
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from simkit.game import EVERY_DEAL, HAND_GIVEN, SHUFFLED, BadInput, Game
from simkit.games import find
from simkit.players import Player, compile_strategy, read_players
from simkit.tally import Layout, Tally, layout_of

BACKENDS = ("threads", "processes", "dask")
CALL_SECONDS = 0.15
"""Games of one call of the loop: long against the call's own millisecond, short enough to stop and show progress."""
WORTH_SHARING = 0.2
"""Seconds of work that one thread does sooner than joblib is imported."""
PART_SECONDS = 0.6
"""Games of one task: what a killed run may lose for each worker, twice over."""
ROWS = 1 << 16
"""Most games of one call where every row is kept: a result record may be close to a kilobyte."""
PATIENCE = 0.7
"""Seconds that a worker may take to come back once it has been told to stop; then its part is given up."""
SPILL = 8192
LARGEST_SEED = 2**63 - 1
MOST_GAMES = 10**15
LOST = "the workers are gone ({}); with --out the same command goes on from what was kept"


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
    hand: str | None = None
    """Whom every deal gives which cards: "0: A A A A", or with a call forced on them: "0 Tichu: …". The rest of the deck is dealt at random."""

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
        return layout_of(self.definition, self.cells)

    @cached_property
    def seats(self) -> int:
        return self.definition.seats(self.rules)

    @cached_property
    def hand_dealt(self) -> tuple[int, tuple[int, ...]]:
        """Seat and cards of the given hand; (-1, ()) without one."""
        return split_hand(self.definition, self.hand, self.rules)[:2] if self.hand is not None else (-1, ())

    @cached_property
    def hand_call(self) -> int:
        """Which of the game's calls is forced on the given hand, from 1; 0 where its player decides."""
        return split_hand(self.definition, self.hand, self.rules)[2] if self.hand is not None else 0

    @cached_property
    def row_cells(self) -> list[str]:
        """The cells of a kept row: those tallied, and those asked for that only identify a game."""
        wanted = {*self.cells, *self.definition.shown_cells(self.rules, self.columns, tallied=False)}
        return [name for column in self.definition.columns for name in column.names(self.seats) if name in wanted]


def make_plan(
    game: str, *, rules: Mapping[str, Any] | None = None, players: Any = None, games: float = 100_000, seed: int = 1,
    paired: bool = False, columns: str = "all", rows: bool = False, every_deal: bool = False, hand: str | tuple[int, str] | None = None,
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
    if games > MOST_GAMES:
        raise BadInput(f"{games:g} games are too many; ask for 1e15 or fewer")
    number = int(games)
    if every_deal and hand is not None:
        raise BadInput("a given hand goes with random deals; leave out either the hand or the playing of every deal")
    if every_deal:
        number = count_deals(definition, read)
    if paired and number % seats:
        number += seats - number % seats  # whole deals
    definition.shown_cells(read, columns)
    texts = tuple(player.text for player in chosen)
    given = None if hand is None else hand_line(definition, hand, read)
    return Plan(definition.name, read, texts, int(seed), number, bool(paired), columns, bool(rows), bool(every_deal), given)


def split_hand(game: Game, line: str | tuple[int, str], rules: Mapping[str, Any]) -> tuple[int, tuple[int, ...], int]:
    """Seat, cards and forced call of a given hand: "2: A A A A", or "A A A A" for seat 0, or (2, "A A A A"); "2 Tichu: …". Raises BadInput."""
    from simkit.games import names

    if game.read_hand is None:
        able = ", ".join(name for name in names() if find(name).read_hand is not None)
        raise BadInput(f"{game.name} cannot be played with a given hand; {able} can")
    if isinstance(line, str):
        before, colon, after = line.partition(":")
        who, text = (before.strip(), after) if colon else ("0", line)
    else:
        who, text = str(line[0]), line[1]
    word, _, called = who.partition(" ")
    seats = game.seats(rules)
    if not word.isdecimal() or int(word) >= seats:
        raise BadInput(f"there is no seat {word}: {game.name} has seats 0 to {seats - 1}")
    cards = game.read_hand(text, rules)
    return int(word), cards, read_call(game, called.strip(), cards, rules)


def read_call(game: Game, text: str, cards: tuple[int, ...], rules: Mapping[str, Any]) -> int:
    """The number, from 1, of the call that is forced on a hand; 0 where none is named. Raises BadInput."""
    names = [call.name for call in game.calls(cards, rules)]
    if text and text.lower() not in map(str.lower, names):
        raise BadInput(f"{text} cannot be forced on this hand; {', '.join(names) or 'nothing'} can")
    return 1 + [name.lower() for name in names].index(text.lower()) if text else 0


def hand_line(game: Game, line: str | tuple[int, str], rules: Mapping[str, Any]) -> str:
    """A given hand as a plan holds it: "2: A A A A". Raises BadInput."""
    seat, cards, call = split_hand(game, line, rules)
    forced = f" {game.calls(cards, rules)[call - 1].name}" if call else ""
    return f"{seat}{forced}: {game.write_hand(cards, rules)}"


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
        players = self.players + self.players[:1] * (game.largest_seats - len(self.players))
        parts = [part for player in players for part in player.parts]
        self.deciders = tuple(compile_strategy(part.strategy, game) for part in parts)
        self.params = np.zeros((len(parts), PARAMS))
        for row, part in zip(self.params, parts, strict=True):
            row[: len(part.numbers)] = part.numbers
        rules = game.encode_rules(plan.rules)
        self.states, self.views = np.zeros(1, game.state), np.zeros(game.largest_seats, game.view)
        self.states["rules"] = self.views["rules"] = rules
        self.states["detail"] = game.needs_detail(plan.row_cells if plan.rows else plan.cells)
        self.states["dealing"] = EVERY_DEAL if plan.every_deal else HAND_GIVEN if plan.hand is not None else SHUFFLED
        if plan.hand is not None:
            seat, cards = plan.hand_dealt
            self.states["hand_seat"], self.states["hand_size"], self.states["hand_call"] = seat, len(cards), plan.hand_call
            self.states["hand_cards"][0, : len(cards)] = cards
        self.moves = np.zeros(game.largest_moves, np.int64)
        self.cells, self.joints = plan.layout.cell_table(), plan.layout.joint_table()
        self.spill, self.status = np.zeros((SPILL, 2), np.int64), np.zeros(8, np.int64)
        places = {name: place for place, name in enumerate(game.cells)}
        rotations, kinds = plan.seats if plan.paired else 1, len(game.decisions)
        self.settings = np.array([plan.seed, 0, 0, rotations, plan.seats, kinds, plan.rows, places["outcome"], *self.shown()])
        self.ring = np.zeros(RING, game.result_type)
        self.kept = np.array([places[name] for name in plan.row_cells])
        self.call_games = 64.0
        self.plain = PLAIN
        self.search = self.searching() if any(player.guesses for player in self.players) else None

    def shown(self) -> tuple[int, int]:
        """A bit for each of the deciders that looks at nothing of the game, of players that do not search; one for each that looks at its numbers."""
        parts = [(part.strategy, player) for player in self.players for part in player.parts]
        blind = sum(1 << row for row, (strategy, player) in enumerate(parts) if not strategy.looks and not player.guesses)
        return blind, sum(1 << row for row, (strategy, _) in enumerate(parts) if strategy.takes_numbers)

    def searching(self) -> tuple:
        """What a search needs: its function, guess, same, settings (a row a player), states, views, moves, results, totals."""
        game, kinds = self.game, len(self.game.decisions)
        settings = np.array([[place, kinds, player.guesses] for place, player in enumerate(self.players)])
        records = (np.zeros(2, game.state), np.zeros(game.largest_seats, game.view))
        results = np.zeros(1, game.result_type)
        if self.plain:
            records, results = tuple(array.view(np.recarray) for array in records), results.view(np.recarray)  # type: ignore[assignment]
        records[1]["rules"] = self.states["rules"]
        moves, totals = np.zeros(game.largest_moves, np.int64), np.zeros(2 * game.largest_moves, np.int64)
        return self.compiled.search, self.compiled.guess, self.compiled.same, settings, *records, moves, results, totals

    def play(
        self,
        first: int,
        games: int,
        stop: np.ndarray,
        progress: Callable[[int], None] = lambda n: None,
        halt: Callable[[], bool] = lambda: False,
    ) -> Part:
        """Play these games; stops early, between two games, when stop[0] is set. Raises GameFault."""
        tally, rows, done, began = Tally(self.plan.layout), [], 0, time.perf_counter()
        while done < games and not stop[0] and not halt():
            asked = min(games - done, int(self.call_games), ROWS if self.plan.rows else games)
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
        try:
            with caught:
                loop = self.compiled.searching_loop if self.search else self.compiled.loop
                loop(*self.compiled.functions, self.deciders, *arrays, tally.histogram, self.spill, self.status, stop, self.search)
        except Exception as error:
            number = first + int(self.status[DONE])
            raise GameFault(f"{self.raised(error, number)}; see it with: {replay_command(self.plan, number)}") from error
        if self.status[SPILLED]:
            tally.add_spill(self.spill[: self.status[SPILLED]])
        if self.status[FAULT] != FINE:
            raise GameFault(self.fault())
        return int(self.status[DONE])

    def fault(self) -> str:
        """What went wrong in the last call, and the command that shows it."""
        from simkit.play import BAD_INDEX_IN_TRIAL, FAULT, FAULT_GAME, FAULT_PLAYER, FAULT_SEAT, FAULT_VALUE, NO_MOVES

        seat, value, number = (int(self.status[place]) for place in (FAULT_SEAT, FAULT_VALUE, FAULT_GAME))
        again = f"see it with: {replay_command(self.plan, number)}"
        if self.status[FAULT] == NO_MOVES:
            return f"{self.game.name} found no legal move for seat {seat} in game {number}: a fault of the game, please report it; {again}"
        if self.status[FAULT] == BAD_INDEX_IN_TRIAL:
            player = self.players[int(self.status[FAULT_PLAYER])]
            return f"player {player.text} chose move {value}, which is not there, for seat {seat} in a trial of game {number}; {again}"
        return f"strategy {self.player(seat, number).text} chose move {value}, which is not there, in seat {seat} of game {number}; {again}"

    def player(self, seat: int, number: int) -> Player:
        """Who plays this seat in game `number`."""
        turn = number % self.plan.seats if self.plan.paired else 0
        return self.players[(seat + turn) % self.plan.seats]

    def raised(self, error: Exception, number: int) -> str:
        """Who raised this error, and in which game. Compiled code may leave no frame of its own; then it is the strategy asked last."""
        last, ours = traceback.extract_tb(error.__traceback__)[-1], Path(__file__).parent
        compiled = Path(last.filename).name in ("simulate.py", "replay.py") and Path(last.filename).parent == ours
        what = f"raised {type(error).__name__}" + (f" ({error})" if str(error) else "")
        seat = int(self.states["seat"][0])
        if seat < 0 or (Path(last.filename).is_relative_to(ours) and not compiled):
            return f"{self.game.name} {what} in game {number}: a fault of the game, please report it"
        where = "" if compiled else f" at {last.filename}:{last.lineno}"
        return f"strategy {self.player(seat, number).text} {what}{where} in seat {seat} of game {number}"


def replay_command(plan: Plan, number: int) -> str:
    """The command that replays one game of a plan."""
    words = ["simkit replay", plan.game, f"--seed {plan.seed} --game {number}"]
    defaults = {parameter.name: parameter.default for parameter in plan.definition.parameters}
    words += [
        f"--rule {name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in plan.rules.items()
        if value != defaults[name]
    ]
    if plan.definition.has_choices(plan.rules):
        words.append("--players " + shlex.quote(",".join(plan.players)))
    if plan.hand is not None:
        words.append(f"--hand {shlex.quote(plan.hand)}")
    return " ".join(words + ["--paired"] * plan.paired + ["--exhaustive"] * plan.every_deal)


# ------------------------------------------------------------------------------------------------------------- workers

_here = threading.local()
_making = threading.Lock()
"""Imports, and numba's one setting for its cache folder, are not for several threads at once."""


def engine_for(plan: Plan) -> Engine:
    """This thread's engine for a plan (the last one is kept)."""
    key = repr(plan.as_dict())
    if getattr(_here, "key", None) != key:
        with _making:
            _here.engine, _here.key = Engine(plan), key
    return _here.engine


def code_hash(plan: Plan) -> str:
    """A hash of all code that a plan's results depend on, to compare two machines' copies."""
    from simkit.jit import kernel_sources

    files = {file for player in read_players(plan.definition, list(plan.players), plan.seats) for file in player.files}
    digest = hashlib.sha256()
    for path in [*kernel_sources(), *sorted(files)]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def play_part(
    fields: dict[str, Any], code: str, first: int, games: int, stop_file: str = ""
) -> tuple[int, int, dict[str, np.ndarray], np.ndarray | None, float]:
    """A task for another process or machine: names and numbers in, plain arrays out. `stop_file` appearing ends it early.

    Raises BadInput if its code is not that of the one who asks: the results would not be the same.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    plan = Plan.from_dict(fields)
    if getattr(_here, "key", None) != repr(plan.as_dict()) and code_hash(plan) != code:
        raise BadInput(f"the worker on {platform.node()} has other code of simkit or of the strategies; install the same everywhere")
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
        self.since = 0.0
        self.calls: list[Callable[[], object]] = []

    def set(self) -> None:
        self.flag[0] = 1
        self.since = time.monotonic()
        for call in self.calls:
            call()

    @contextlib.contextmanager
    def calling(self, call: Callable[[], object]) -> Iterator[None]:
        """Within, setting the flag also calls this."""
        self.calls.append(call)
        try:
            yield
        finally:
            self.calls.remove(call)

    @property
    def overdue(self) -> bool:
        """Whether the flag has been up for so long that whoever still plays will not come back soon."""
        return bool(self.flag[0]) and time.monotonic() - self.since > PATIENCE

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


abandoned = threading.Event()
"""A thread was left behind, at work on something that cannot be stopped."""


class Workers:
    """Plays ranges of a plan's games over threads, processes or a Dask cluster, and hands over the parts as they come."""

    def __init__(self, plan: Plan, jobs: int, backend: str, address: str, stop: Stop, progress: Callable[[int], None]) -> None:
        if backend not in BACKENDS:
            raise BadInput(f"no backend is called {backend}; the backends: {', '.join(BACKENDS)}")
        if jobs < 1:
            raise BadInput(f"{jobs} jobs cannot play; ask for 1 or more")
        if address and backend != "dask":
            raise BadInput(f"an address is of use with the dask backend only, not with {backend}; add: --backend dask")
        self.plan, self.jobs, self.backend, self.address = plan, jobs, backend, address
        self.stop, self.progress = stop, progress
        self.unit = plan.seats if plan.paired else 1
        self.rate = 0.0
        self.client: Any = None

    def play(self, ranges: list[tuple[int, int]]) -> Iterator[Part]:
        """Parts of these ranges, in any order. Fewer, if the stop flag is set."""
        if not ranges:
            return
        if not self.rate:
            done = []
            for part in self._probe(*ranges[0]):
                done.append((part.first, part.games))
                self.rate = max(part.games, 1) / max(part.seconds, 1e-6)
                yield part
            ranges = [left for first, games in ranges for left in gaps(done, first, first + games)]
            if not ranges or self.stop.flag[0]:
                return
        total = sum(games for _, games in ranges)
        size = int(min(self.rate * PART_SECONDS, total / self.jobs / 2 + self.unit)) or 1
        tasks = cut(ranges, size, self.unit)
        if self.backend == "threads" and (self.jobs == 1 or total < self.rate * WORTH_SHARING):
            yield from self._beside(self._alone, tasks)
            return
        with self._workshop() as (settings, stop_file):
            yield from self._beside(partial(self._shared, settings, stop_file), tasks)

    def _probe(self, first: int, games: int) -> Iterator[Part]:
        """Play a few games here, twice, to learn how long they take; compiles in the parent, before any fan-out."""
        from simkit.jit import PLAIN

        few = self.unit * (1 if PLAIN else 256)
        yield from self._beside(self._alone, cut([(first, min(games, 2 * few))], few, self.unit))

    def _beside(self, source: Callable[[Iterator[tuple[int, int]]], Iterator[Part]], tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        """The parts of a source that runs in a thread of its own, while this one waits where Ctrl-C reaches it.

        The thread is a daemon: one that compiles, or whose strategy never answers, cannot hold up the end.
        """
        # No SimpleQueue: if Ctrl-C comes while it waits, and the time is up when that is dealt with, it waits for ever (CPython 3.11).
        parts: queue.Queue[Part | BaseException | None] = queue.Queue()
        over = threading.Event()

        def next_tasks() -> Iterator[tuple[int, int]]:
            while not self.stop.flag[0] and not over.is_set() and (task := next(tasks, None)):
                yield task

        def work() -> None:
            try:
                for part in source(next_tasks()):
                    parts.put(part)
                parts.put(None)
            except BaseException as error:
                parts.put(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            while True:
                try:
                    part = parts.get(timeout=0.1)
                except queue.Empty:
                    if self.stop.overdue:
                        abandoned.set()
                        # A thread that compiles holds LLVM's lock for seconds: collecting garbage of its kind here would wait for it.
                        gc.freeze()
                        return
                    if self.client is not None and self.client.status != "running":  # joblib would wait for ever
                        raise GameFault(LOST.format("the Dask scheduler does not answer")) from None
                    continue
                if part is None:
                    return
                if isinstance(part, BaseException):
                    raise part
                yield part
        finally:
            over.set()

    def _play_here(self, first: int, games: int) -> Part:
        return engine_for(self.plan).play(first, games, self.stop.flag, self.progress)

    def _alone(self, tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        """One worker; nothing needs to be shared out."""
        for task in tasks:
            yield self._play_here(*task)

    def _shared(self, settings: Mapping[str, Any], stop_file: str, tasks: Iterator[tuple[int, int]]) -> Iterator[Part]:
        """joblib shares the tasks out over threads, processes or a Dask cluster, one by one.

        It draws them where a result comes in, for Dask in its event loop: a draw must never wait for a part to be taken.
        """
        from concurrent.futures import BrokenExecutor, CancelledError

        from joblib import Parallel, delayed, parallel_config

        with parallel_config(**settings):
            parallel = Parallel(self.jobs, batch_size=1, return_as="generator_unordered")
            if self.backend == "threads":
                yield from parallel(delayed(self._play_here)(*task) for task in tasks)
                return
            players = read_players(self.plan.definition, list(self.plan.players), self.plan.seats)
            fields = {**self.plan.as_dict(), "players": [player.anywhere for player in players]}
            code = code_hash(self.plan)
            try:
                for first, games, arrays, rows, seconds in parallel(delayed(play_part)(fields, code, *task, stop_file) for task in tasks):
                    self.progress(games)
                    yield Part(first, games, Tally.from_arrays(self.plan.layout, games, arrays), rows, seconds)
            except (BrokenExecutor, CancelledError, OSError) as error:
                raise GameFault(LOST.format(f"{type(error).__name__}: killed, or out of memory?")) from error

    @contextlib.contextmanager
    def _workshop(self) -> Iterator[tuple[dict[str, Any], str]]:
        """joblib's settings for the workers, and the file whose appearance tells them to stop ("" where they cannot see it)."""
        if self.backend == "threads":
            yield {"backend": "threading"}, ""
        elif self.backend == "processes":
            with self._processes() as found:
                yield found
        else:
            with self._cluster() as client:
                yield {"backend": "dask", "client": client}, ""

    @contextlib.contextmanager
    def _processes(self) -> Iterator[tuple[dict[str, Any], str]]:
        """Processes here. They are started at once, deaf to Ctrl-C: joblib keeps them for what follows."""
        from joblib import Parallel, delayed, parallel_config
        from joblib.externals.loky import get_reusable_executor

        settings = {"backend": "loky", "inner_max_num_threads": 1}
        with tempfile.TemporaryDirectory() as folder, parallel_config(**settings):
            stop_file = Path(folder, "stop")
            with deaf_children(), quiet_tracker():
                started = Parallel(self.jobs, batch_size=1, return_as="generator_unordered")(delayed(int)() for _ in range(self.jobs))
            list(started)
            try:
                with self.stop.calling(stop_file.touch):
                    yield settings, str(stop_file)
            finally:
                if self.stop.overdue:
                    get_reusable_executor(reuse=True).shutdown(wait=False, kill_workers=True)

    @contextlib.contextmanager
    def _cluster(self) -> Iterator[Any]:
        """A client of a Dask cluster. Raises BadInput if none can be had."""
        try:
            from distributed import Client
        except ImportError:
            raise BadInput("the dask backend needs Dask; install it with: pip install 'simkit[dask]'") from None
        try:
            # Without an address: a cluster within this process, as games are played outside Python's lock.
            here = {"processes": False, "n_workers": 1, "threads_per_worker": self.jobs, "dashboard_address": ":0"}
            client = Client(self.address, timeout="10s") if self.address else Client(**here)
        except (OSError, ValueError, RuntimeError) as error:
            what = f"no Dask scheduler answers at {self.address}" if self.address else "no Dask cluster can be started here"
            raise BadInput(f"{what}: {' '.join(str(error).split())}") from None
        logger = logging.getLogger("distributed.client")  # pages on a scheduler that is lost, which `_shared` says in a line
        level = logger.level
        try:
            logger.setLevel(logging.CRITICAL)
            threads = sum(client.nthreads().values())
            if not threads:
                notice(f"the Dask scheduler at {self.address} has no workers yet; waiting for some")
            self.jobs, self.client = max(self.jobs, threads), client
            yield client
        finally:
            self.client = None
            client.close()
            logger.setLevel(level)


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started within never hear Ctrl-C, not even while they import: this one decides when to stop, and tells them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # children inherit that
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def quiet_tracker() -> Iterator[None]:
    """joblib's process that tidies up after killed workers, started within, does not write how much there was to do."""
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [before, "ignore:resource_tracker:UserWarning"]))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def notice(text: str) -> None:
    """A line for the person at the terminal."""
    print(f"simkit: {text}", file=sys.stderr)
