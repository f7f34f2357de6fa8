"""Studies: a question, the games that answer it, and what they say.

A study is a function in a file of an `analyses` folder. It plays, and hands over what it found as it goes:

    from simkit.study import study

    @study(title="How long is a game of War?", games=1_000_000)
    def war_length(s):
        s.question("Everybody says War goes on for ever. Does it?")
        result = s.run("war")
        s.finding(f"The mean game lasts {result.mean('battles').text()} battles.")
        s.figure(result.plot.survival("battles"), caption=f"Share of games still going on (n = {result.games:,}).")

`simkit study war_length` performs it; `simkit report` makes a page of all of them.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simkit.game import BadInput, nearest
from simkit.provenance import changed_rules, command, rules_hash, versions

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from simkit.api import Sweep
    from simkit.comparison import Comparison
    from simkit.result import Result
    from simkit.stats.estimate import Estimate
    from simkit.tournaments import Tournament

LEAST = 100
"""Games below which no run of a study is worth an interval."""

_registry: dict[str, Definition] = {}


# -------------------------------------------------------------------------------------------------------- definitions


@dataclass(frozen=True)
class Definition:
    """A study that can be performed: its function, and how many games it plays unless told otherwise."""

    name: str
    title: str
    games: int
    function: Callable[[Study], None]
    file: Path

    @property
    def summary(self) -> str:
        """The first paragraph of the function's docstring, as one line."""
        return " ".join((self.function.__doc__ or "").strip().split("\n\n")[0].split())


def study(*, title: str, games: float = 100_000) -> Callable[[Callable[[Study], None]], Callable[[Study], None]]:
    """Make a function a study, under the function's own name.

    Parameters
    ----------
    title : str
        The question, as a heading.
    games : number
        Games of the main runs where `--games` is not given.
    """

    def register(function: Callable[[Study], None]) -> Callable[[Study], None]:
        name, file = function.__name__, Path(function.__code__.co_filename)
        earlier = _registry.get(name)
        if earlier is not None and earlier.file != file:
            from simkit.simulate import notice

            notice(f"{file} replaces the study {name} of {earlier.file}")
        _registry[name] = Definition(name, title, int(games), function, file)
        return function

    return register


def known() -> dict[str, Definition]:
    """All studies by name: ours, and those of the user's own `analyses` folder. Raises BadInput if a file is broken."""
    from simkit.players import load_file, module_name, namespace_folders

    for folder in namespace_folders("analyses"):
        for path in sorted(folder.glob("[!_]*.py")):
            load_file(path, module_name("analyses", path))
    return dict(sorted(_registry.items()))


def find(names: Sequence[str] = ()) -> list[Definition]:
    """The studies of these names, or all of them. Raises BadInput."""
    studies = known()
    wanted = [name.removesuffix(".py").replace("-", "_") for name in names] or list(studies)
    for name in wanted:
        if name not in studies:
            raise BadInput(f"there is no study {name}{nearest(name, list(studies))}; the studies: {', '.join(studies) or 'none'}")
    return [studies[name] for name in dict.fromkeys(wanted)]


# ------------------------------------------------------------------------------------------------------------ content


@dataclass(frozen=True)
class Text:
    """A heading, a paragraph or a finding. `code` and **strong** are marked as here."""

    kind: str
    text: str


@dataclass(frozen=True)
class Picture:
    """A figure as SVG."""

    svg: str
    caption: str
    alt: str
    kind: str = "figure"


@dataclass(frozen=True)
class Table:
    """A table: the numbers, and how each cell reads."""

    frame: pd.DataFrame
    cells: list[list[str]]
    caption: str
    kind: str = "table"

    @property
    def header(self) -> list[str]:
        return [str(name) for name in self.frame.columns]


@dataclass(frozen=True)
class Played:
    """One setting that was played: enough to play it again."""

    game: str
    rules: dict[str, Any]
    rules_hash: str
    players: tuple[str, ...]
    games: int
    seed: int
    endless: int
    capped: int


@dataclass(frozen=True)
class Simulation:
    """One call of run, sweep, compare or tournament: the command that repeats it, and the settings it played."""

    command: str
    settings: tuple[Played, ...]

    @property
    def games(self) -> int:
        return sum(played.games for played in self.settings)


@dataclass
class StudyResult:
    """What a study found."""

    definition: Definition
    games: int
    seed: int
    questions: list[str] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    blocks: list[Text | Picture | Table] = field(default_factory=list)
    simulations: list[Simulation] = field(default_factory=list)
    interrupted: bool = False
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def title(self) -> str:
        return self.definition.title

    @property
    def figures(self) -> list[Picture]:
        return [block for block in self.blocks if isinstance(block, Picture)]

    @property
    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    @property
    def games_played(self) -> int:
        """Games of all simulations together."""
        return sum(simulation.games for simulation in self.simulations)

    @property
    def command(self) -> str:
        """The command that repeats the whole study."""
        return f"simkit study {self.name} -n {self.games} --seed {self.seed}"


class Interrupted(Exception):
    """The user stopped a simulation; the study goes no further."""


class Study:
    """What a study's function is given: it plays, and collects what is said."""

    def __init__(self, result: StudyResult, jobs: int | None = None, progress: bool | None = None) -> None:
        self.result, self.jobs, self.progress = result, jobs, progress

    @property
    def games(self) -> int:
        """Games of a main run."""
        return self.result.games

    @property
    def seed(self) -> int:
        return self.result.seed

    # ---- words

    def question(self, text: str) -> None:
        """A paragraph of what is asked, and why."""
        self.result.questions.append(tidy(text))

    def method(self, text: str) -> None:
        """A paragraph of how it is answered: what is played, what is assumed."""
        self.result.methods.append(tidy(text))

    def heading(self, text: str) -> None:
        self.result.blocks.append(Text("heading", tidy(text)))

    def text(self, text: str) -> None:
        self.result.blocks.append(Text("text", tidy(text)))

    def finding(self, text: str) -> None:
        """A key result in a sentence, with its interval. It stands here, and with the others at the top."""
        self.result.findings.append(tidy(text))
        self.result.blocks.append(Text("finding", tidy(text)))

    # ---- games

    def run(self, game: str, games: float | None = None, *, rules: Mapping[str, Any] | None = None, **options: Any) -> Result:
        """`simkit.run` with the study's seed and jobs, and its number of games unless another is given."""
        import simkit

        options = {"seed": self.seed, "jobs": self.jobs, "progress": self.progress} | options
        result = simkit.run(game, at_least(self.games if games is None else games), rules=rules, **options)
        self.result.simulations.append(Simulation(command(result.plan), (played(result),)))
        self._go_on(result.interrupted)
        return result

    def sweep(
        self, game: str, swept: Mapping[str, Sequence[Any] | str], games: float | None = None, *, column: str | None = None,
        rules: Mapping[str, Any] | None = None, players: str | Sequence[str] | None = None, **more_rules: Any,
    ) -> Sweep:  # fmt: skip
        """`simkit.sweep` with the study's seed and jobs; further rules hold in every setting."""
        import simkit

        fixed = {**(rules or {}), **more_rules}
        number = at_least(self.games if games is None else games)
        swept_games = simkit.sweep(
            game, swept, number, column=column, seed=self.seed, players=players, jobs=self.jobs, progress=self.progress, rules=fixed
        )
        line = sweep_command(game, swept, number, self.seed, column, players, fixed)
        self.result.simulations.append(Simulation(line, tuple(played(result) for result in swept_games.results)))
        self._go_on(swept_games.interrupted)
        return swept_games

    def compare(
        self, game: str, a: str, b: str, deals: float | None = None, *, rules: Mapping[str, Any] | None = None, **options: Any
    ) -> Comparison:
        """`simkit.compare` with the study's seed and jobs; as many deals as the study has games, unless another number is given."""
        import simkit

        options = {"seed": self.seed, "jobs": self.jobs, "progress": self.progress} | options
        return self._met(simkit.compare(game, a, b, at_least(self.games if deals is None else deals), rules=rules, **options))

    def tournament(
        self, game: str, players: str | Sequence[str], deals: float | None = None, *, rules: Mapping[str, Any] | None = None, **options: Any
    ) -> Tournament:
        """`simkit.tournament` with the study's seed and jobs; as many deals as the study has games, unless another number is given."""
        import simkit

        options = {"seed": self.seed, "jobs": self.jobs, "progress": self.progress} | options
        return self._met(simkit.tournament(game, players, at_least(self.games if deals is None else deals), rules=rules, **options))

    def _met(self, made: Any) -> Any:
        """Record a comparison or a tournament."""
        self.result.simulations.append(Simulation(made.command, tables_played(made)))
        self._go_on(made.interrupted)
        return made

    def _go_on(self, interrupted: bool) -> None:
        if interrupted:
            raise Interrupted

    # ---- pictures and tables

    def figure(self, figure: Figure, *, caption: str, alt: str = "") -> None:
        """A matplotlib figure; `alt` says in words what it shows, for those who cannot see it."""
        from simkit.plots import svg

        number = len(self.result.figures) + 1
        text = tidy(alt or caption)
        self.result.blocks.append(Picture(svg(figure, alt=text, name=f"{self.result.name}-{number}"), tidy(caption), text))

    def table(self, frame: pd.DataFrame, *, caption: str, formats: Mapping[str, str | Callable[[Any], str]] | None = None) -> None:
        """A table. A named index becomes the first column; `formats` says how a column's cells read."""
        shown = frame.reset_index() if any(name is not None for name in frame.index.names) else frame
        formats = formats or {}
        missing = [name for name in formats if name not in shown.columns]
        if missing:
            raise KeyError(f"the table has no column {missing[0]}; it has: {', '.join(map(str, shown.columns))}")
        columns = [[cell_text(value, formats.get(name)) for value in shown[name]] for name in shown.columns]
        cells = [list(row) for row in zip(*columns, strict=True)]
        self.result.blocks.append(Table(shown, cells, tidy(caption)))


def perform(
    definition: Definition, games: float | None = None, seed: int = 1, jobs: int | None = None, progress: bool | None = None
) -> StudyResult:
    """Perform a study. If the user interrupts it, what was said until then comes back. Raises BadInput."""
    number = definition.games if games is None else int(games)
    if number < LEAST:
        raise BadInput(f"{number} games are too few for a study; ask for {LEAST} or more")
    began = time.perf_counter()
    result = StudyResult(definition, number, int(seed))
    try:
        definition.function(Study(result, jobs, progress))
    except Interrupted:
        result.interrupted = True
    result.seconds = time.perf_counter() - began
    return result


# ------------------------------------------------------------------------------------------------------------ helpers


def tidy(text: str) -> str:
    """One paragraph: runs of white space become one blank, so that texts can be written over several lines."""
    return " ".join(str(text).split())


def at_least(games: float) -> int:
    """So many games, but never so few that an interval would mean nothing."""
    return max(LEAST, int(games))


def cell_text(value: Any, form: str | Callable[[Any], str] | None) -> str:
    """How one cell of a table reads: missing numbers as a dash, whole ones with separators."""
    if value is None or (isinstance(value, float) and value != value):
        return "–"
    if callable(form):
        return str(form(value))
    if form is not None:
        return form.format(value)
    if isinstance(value, bool | str):
        return str(value).lower() if isinstance(value, bool) else value
    if hasattr(value, "text") and hasattr(value, "half_width"):
        return str(value.text())
    try:
        return f"{value:,.4g}" if value != int(value) else f"{int(value):,}"
    except (TypeError, ValueError, OverflowError):
        return str(value)


def played(result: Result) -> Played:
    """The record of one setting."""
    plan, outcomes = result.plan, result.counts("outcome")
    unfinished = dict(zip(outcomes.values.tolist(), outcomes.games.tolist(), strict=True))
    players = tuple(plan.players) if plan.definition.has_choices(plan.rules) else ()
    return Played(
        plan.game, changed_rules(plan), rules_hash(plan), players, result.games, plan.seed, unfinished.get(2, 0), unfinished.get(3, 0)
    )


def tables_played(made: Comparison | Tournament) -> tuple[Played, ...]:
    """The record of every seating of a comparison or a tournament. Of unfinished games only the number is kept: they stand as capped."""
    from simkit.seatings import UNFINISHED

    records = []
    for table, games in zip(made.tables, made._games, strict=True):
        plan, unfinished = table.plan, int(games[:, UNFINISHED].sum())
        records.append(Played(plan.game, changed_rules(plan), rules_hash(plan), tuple(plan.players), len(games), plan.seed, 0, unfinished))
    return tuple(records)


def rule_text(value: Any) -> str:
    """A rule's value as the command line wants it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def sweep_command(
    game: str, swept: Mapping[str, Any], games: int, seed: int, column: str | None, players: Any, fixed: Mapping[str, Any]
) -> str:
    """The command that repeats a sweep."""
    words = ["simkit", "sweep", game, "-n", str(games), "--seed", str(seed)]
    for name, values in swept.items():
        words += ["--rule", f"{name}={values if isinstance(values, str) else ','.join(rule_text(value) for value in values)}"]
    for name, value in fixed.items():
        words += ["--rule", f"{name}={rule_text(value)}"]
    if column:
        words += ["--column", column]
    if players:
        words += ["--players", players if isinstance(players, str) else ",".join(players)]
    return shlex.join(words)


def compare(first: Estimate, second: Estimate) -> int:
    """1 or -1 if the first is clearly larger or smaller than the second, 0 if their intervals overlap.

    Two 95 % intervals that do not overlap differ at well below 1 %; where they overlap nothing is claimed.
    """
    return int(first.low > second.high) - int(first.high < second.low)
