"""The command line. Numbers go to standard output, progress and notes to standard error.

Exit codes: 0 done, 1 a strategy or a game failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import json
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.game import BadInput

app = typer.Typer(
    name="simkit", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown", context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers questions about card games by playing them millions of times.",
    epilog="Start with: `simkit run war`. Every command has examples: `simkit run --help`.",
)  # fmt: skip

FORMATS = ("table", "json", "csv")


def examples(*lines: str) -> str:
    """The examples under a command's help."""
    return "Examples:\n\n" + "\n\n".join(f"`{line}`" for line in lines)


# ----------------------------------------------------------------------------------------------------- reading options


def complete_game(incomplete: str) -> list[str]:
    from simkit.games import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_rule(context: typer.Context, incomplete: str) -> list[str]:
    from simkit.games import find

    name, equals, value = incomplete.partition("=")
    try:
        game = find(context.params.get("game") or "war")
    except BadInput:
        return []
    if not equals:
        return [f"{parameter.name}=" for parameter in game.parameters if parameter.name.startswith(name)]
    values = [str(each).lower() for each in game.by[name].legal] if name in game.by and game.by[name].kind != "range" else []
    return [f"{name}={each}" for each in values if each.startswith(value)]


def complete_players(context: typer.Context, incomplete: str) -> list[str]:
    from simkit.games import find
    from simkit.players import known

    *before, last = incomplete.split(",")
    try:
        names = known(find(context.params.get("game") or "war"))
    except BadInput:
        return []
    return [",".join([*before, name]) for name in names if name.startswith(last)]


def complete_study(incomplete: str) -> list[str]:
    from simkit.study import find

    return [study.name for study in find([]) if study.name.startswith(incomplete)]


GameName = Annotated[str, typer.Argument(help="Name of a game; `simkit games` lists them.", autocompletion=complete_game, metavar="GAME")]
Games = Annotated[
    str | None, typer.Option("--games", "-n", help="How many games; 1e6 is fine.  [default: 100,000]", show_default=False, metavar="N")
]
Seed = Annotated[str, typer.Option("--seed", help="Same seed, same games.", metavar="SEED")]
Rules = Annotated[
    list[str] | None,
    typer.Option(
        "--rule", "-r", help="A rule, as name=value. May be given several times.", autocompletion=complete_rule, metavar="NAME=VALUE"
    ),
]
Players = Annotated[
    str | None,
    typer.Option(
        "--players",
        "-p",
        help="Strategies, one for all seats or one a seat: a,b. Your own: mine.py:bold.",
        autocompletion=complete_players,
        metavar="A,B,…",
    ),
]
Jobs = Annotated[str | None, typer.Option("--jobs", "-j", help="Workers.  [default: all cores]", show_default=False, metavar="N")]
Backend = Annotated[str, typer.Option("--backend", help="threads, processes or dask.", metavar="NAME")]
Address = Annotated[str, typer.Option("--address", help="Address of a Dask scheduler, for --backend dask.", metavar="HOST:PORT")]
Format = Annotated[str, typer.Option("--format", "-f", help="table, json or csv.", metavar="NAME")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="No progress bar and no notes.")]


def whole(text: str | None, name: str, least: int = 0) -> int | None:
    """A whole number such as 1000, 1e6 or 1_000_000. Raises BadInput."""
    if text is None:
        return None
    try:
        number = int(text.replace("_", "").replace(",", "")) if "e" not in text.lower() and "." not in text else float(text)
        if number != int(number):
            raise ValueError
    except (ValueError, OverflowError):
        raise BadInput(f"{name} {text or 'nothing'} is no whole number; write for example 1000 or 1e6") from None
    if number < least:
        raise BadInput(f"{name} {text} is less than {least}")
    if number >= 2**63:
        raise BadInput(f"{name} {text} is more than 2^63 - 1")
    return int(number)


def rules_from(texts: Iterable[str] | None) -> dict[str, str]:
    """The rules of several NAME=VALUE. Raises BadInput."""
    rules: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = (piece.strip() for piece in text.partition("="))
        if not equals or not name or not value:
            raise BadInput(f"--rule {text} is no rule; write name=value, for example face_down=1")
        if name in rules:
            raise BadInput(f"--rule {name} is given twice; to compare values use: simkit sweep")
        rules[name] = value
    return rules


def a_format(name: str) -> str:
    if name not in FORMATS:
        raise BadInput(f"no format is called {name}; the formats: {', '.join(FORMATS)}")
    return name


# ----------------------------------------------------------------------------------------------------------- printing


def console() -> Any:
    """Rich's console on standard output: as wide as it needs to be when it is no terminal."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else 200, highlight=False, soft_wrap=False)


def print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))


def print_csv(rows: Iterable[Iterable[Any]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([["" if cell is None else cell for cell in row] for row in rows])
    sys.stdout.write(text.getvalue())


def print_table(title: str, head: list[str], rows: Iterable[list[str]], left: int = 1, spare: Iterable[str] = ()) -> None:
    """A plain table; the first `left` columns are words, the others numbers.

    Numbers are never cut. If the terminal is too narrow, the columns named by `spare` go, in this order; what then
    still does not fit is continued below, behind the same words.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    screen, lines, gone = console(), list(rows), []

    def of(places: list[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for place in places:
            words = place < left
            table.add_column(head[place], justify="left" if words else "right", no_wrap=left < len(head), overflow="fold")
        for line in lines:
            table.add_row(*(line[place] for place in places))
        return table

    widths = [max(len(cell) for cell in column) for column in zip(head, *lines, strict=True)]

    def fits(places: list[int]) -> bool:
        """Each column has a blank on either side (but at the edges) and a line's room between it and the next."""
        return sum(widths[place] for place in places) + 3 * len(places) - 1 <= screen.width

    labels, numbers = list(range(left)), list(range(left, len(head)))
    for name in spare:
        if not fits(labels + numbers):
            numbers.remove(head.index(name))
            gone.append(name)
    blocks: list[list[int]] = [[]]
    for place in numbers:
        if blocks[-1] and not fits([*labels, *blocks[-1], place]):
            blocks.append([])
        blocks[-1].append(place)
    with screen.capture() as printed:
        screen.print(Text(title, style="bold"))
        for block in blocks:
            screen.print(of(labels + block))
    print("\n".join(line.rstrip() for line in re.sub(r"\n\s*\n(\s*\n)+", "\n\n", printed.get().rstrip()).split("\n")))
    if gone:
        print(f"(A wider terminal also shows: {', '.join(gone)}.)")
    print()


def number(value: float | None, digits: int = 2) -> str:
    """A number for people."""
    if value is None or value != value:
        return "–"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.{digits}f}"


def legal_values(parameter: Any) -> str:
    """What a rule may be, in the fewest words."""
    if parameter.kind != "range":
        return ", ".join(str(value).lower() for value in parameter.legal)
    low, high = parameter.legal
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def note(text: str, quiet: bool = False) -> None:
    if not quiet:
        print(f"simkit: {text}", file=sys.stderr)


# ----------------------------------------------------------------------------------------------------------- commands


@app.command(epilog=examples("simkit games", "simkit games war", "simkit games razboi --format json"))
def games(
    game: Annotated[str | None, typer.Argument(help="Show this game in full.", autocompletion=complete_game, metavar="[GAME]")] = None,
    format: Format = "table",
) -> None:
    """List the games, or one game's rules, columns and strategies."""
    from simkit.games import find, names
    from simkit.players import known

    a_format(format)
    if game is None:
        table = [find(name) for name in names()]
        if format == "json":
            return print_json([{"game": each.name, "title": each.title, "version": each.version} for each in table])
        lines = [
            [
                each.name,
                each.title,
                legal_values(each.by["players"]) if "players" in each.by else str(each.largest_seats),
                str(each.version),
            ]
            for each in table
        ]
        if format == "csv":
            return print_csv([["game", "title", "players", "version"], *lines])
        print_table("Games", ["game", "what it is", "players", "version"], lines, 4)
        return print("simkit games GAME shows its rules, columns and strategies.")
    definition, strategies = find(game), known(find(game))
    parameters = [
        [p.name, str(p.default).lower() if p.kind == "flag" else str(p.default), legal_values(p), p.help] for p in definition.parameters
    ]
    columns = [
        [c.name + ("_SEAT" if c.per == "seat" else f"_{c.labels[0]} …" if c.labels else ""), c.group, c.help] for c in definition.columns
    ]
    players = [
        [name, ", ".join(f"{key}={value:g}" for key, value in made.numbers.items()), made.summary] for name, made in strategies.items()
    ]
    if format == "json":
        return print_json({
            "game": definition.name, "title": definition.title, "version": definition.version, "rules_page": definition.rules_page,
            "rules": [{"name": p.name, "default": p.default, "legal": list(p.legal), "kind": p.kind, "help": p.help} for p in definition.parameters],
            "columns": [{"name": c.name, "per": c.per, "labels": list(c.labels), "group": c.group, "finished_games_only": c.finished, "help": c.help} for c in definition.columns],
            "strategies": [{"name": name, "numbers": dict(made.numbers), "help": made.summary, "file": str(made.file)} for name, made in strategies.items()],
        })  # fmt: skip
    if format == "csv":
        return print_csv([["kind", "name", "default", "legal", "help"], *(["rule", *row] for row in parameters), *(["column", row[0], row[1], "", row[2]] for row in columns), *(["strategy", row[0], row[1], "", row[2]] for row in players)])  # fmt: skip
    print(f"{definition.name}: {definition.title} (version {definition.version}; rules page {definition.rules_page})\n")
    print_table("Rules", ["rule", "default", "legal values", "what it decides"], parameters, 4)
    print_table("Columns recorded of each game", ["column", "group", "what it counts"], columns, 3)
    print_table("Strategies", ["strategy", "numbers", "what it does"], players, 3)


@app.command(epilog=examples(
    "simkit run war", "simkit run war -n 1e6 --rule face_down=1 --rule pickup_order=winner_first", "simkit run war --until battles=0.5",
    "simkit run war -n 1e8 --columns basic --out my-run", "simkit run war-multi --rule players=4 --format json", "simkit run war --exhaustive --rule ranks=4 --rule copies=2 --rule pickup_order=winner_first",
))  # fmt: skip
def run(
    game: GameName, games: Games = None, seed: Seed = "1", rule: Rules = None, players: Players = None,
    until: Annotated[str | None, typer.Option("--until", help="Stop when a figure's 95 % interval is this half-width.", metavar="COLUMN=HALFWIDTH")] = None,
    columns: Annotated[str, typer.Option("--columns", help="all, basic (leaves out what costs time), or names: battles,wars.", metavar="NAMES")] = "all",
    out: Annotated[Path | None, typer.Option("--out", help="Keep the run in this folder; the same command again goes on from there.", metavar="DIR")] = None,
    rows: Annotated[bool, typer.Option("--rows", metavar="", help="Keep every game's row (with --out, as Parquet).")] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", metavar="", help="Play every distinct deal of a small deck once.")] = False,
    jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Play many games and summarise: who wins, how long, every recorded column."""
    import simkit

    a_format(format)
    if exhaustive and (games is not None or until is not None):
        raise BadInput("--exhaustive plays every deal once; leave out --games and --until")
    result = simkit.run(
        game, whole(games, "--games", 1), seed=whole(seed, "--seed") or 0, rules=rules_from(rule), players=players, until=until, columns=columns, out=out,
        rows=rows, every_deal=exhaustive, jobs=whole(jobs, "--jobs", 1), backend=backend, address=address, progress=False if quiet else None,
    )  # fmt: skip
    for text in result.notes:
        note(text, quiet)
    if result.interrupted:
        kept = f"kept in {out}; the same command goes on from there" if out else "nothing kept (name a folder with --out)"
        note(f"interrupted after {result.games:,} games; {kept}")
        raise typer.Exit(130)
    if rows and out is None and format != "csv":
        note("--rows without --out: the rows are printed with --format csv, and otherwise dropped", quiet)
    {
        "json": lambda: print_json(result.as_dict()),
        "csv": lambda: print_rows(result) if rows and out is None else print_csv(result_rows(result)),
        "table": lambda: print_result(result),
    }[format]()


def result_rows(result: Any) -> Iterator[list[Any]]:
    """One row a figure: shares first (their estimate stands under mean), then the columns."""
    from simkit.stats.histogram import SUMMARY_KEYS

    facts = result.as_dict()
    yield ["figure", *SUMMARY_KEYS]
    shares = [(f"win_rate_{share['seat']}", share) for share in facts["win_rate"]]
    shares += [(name, facts[name]) for name in ("draw_rate", "capped_rate", "endless_rate")]
    for name, share in shares:
        yield [name, *({"mean": share["estimate"], **share}.get(key) for key in SUMMARY_KEYS)]
    for name, column in facts["columns"].items():
        yield [name, *(column[key] for key in SUMMARY_KEYS)]


def print_rows(result: Any) -> None:
    """Every game's row."""
    print_csv(
        [
            ["game", *result.frame.columns],
            *([index, *row] for index, row in zip(result.frame.index.tolist(), result.frame.to_numpy().tolist(), strict=True)),
        ]
    )


def print_result(result: Any) -> None:
    from simkit.provenance import changed_rules

    plan = result.plan
    rules = ", ".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed_rules(plan).items())
    choices = plan.definition.has_choices(plan.rules)
    print(
        f"{result.game}: {result.games:,} games{' (every deal once)' if plan.every_deal else f', seed {result.seed}'}, {rules or 'default rules'}; {result.seconds:.1f} s\n"
    )
    places = max(3, round(math.log10(max(result.games, 1))) - 2)  # enough to see the width of the interval around 0
    shares = [
        [name, *(f"{100 * value:.{places}f}" for value in (share.estimate, share.low, share.high)), f"{share.n:,}"]
        for name, share in result.shares()
    ]
    shares = [[name, f"{share} %", f"{low} – {high} %", games] for name, share, low, high, games in shares]
    for line, player in zip(shares, plan.players if choices else (), strict=False):
        line[0] += f" ({player})"
    print_table("How games end (95 % intervals)", ["outcome", "share", "interval", "games"], shares)
    print_columns(result)
    if result.unfinished:
        print(f"Columns of a game's course are over finished games; {result.unfinished:,} of {result.games:,} were capped or endless.")


def print_columns(result: Any) -> None:
    """The table of a run's columns, without those said in the table of outcomes."""
    lines, sizes, constant = [], [], []
    for name in result.columns:
        s = result.statistics(name)
        if name.startswith(("payoff_", "outcome", "winner", "capped", "draw_seats")) or not s["n"]:
            continue
        if s["min"] == s["max"]:
            constant.append(f"{name} {number(s['min'])}")
            continue
        lines.append(
            [
                name,
                result.mean(name).text().split(" (")[0],
                number(s["sd"]),
                *(number(s[key]) for key in ("min", "q01", "q25", "median", "q75", "q99", "max")),
                f"{s['n']:,}",
            ]
        )
        sizes.append(f"{s['n']:,}")
    head = ["column", "mean", "sd", "min", "1 %", "25 %", "median", "75 %", "99 %", "max", "games"]
    of, alike = "", len(set(sizes)) == 1
    if alike:  # say it once
        of, head, lines = f" of {sizes[0]} games", head[:-1], [line[:-1] for line in lines]
    if lines:
        print_table(f"Columns{of}: mean with its 95 % interval, spread, quantiles", head, lines, 1, ["1 %", "25 %", "75 %", "99 %", "sd"])
    if constant:
        print(f"The same in every game: {', '.join(constant)}.\n")


@app.command(
    epilog=examples(
        "simkit sweep war --rule face_down=0:6",
        "simkit sweep war --rule pickup_order=all -n 1e6",
        "simkit sweep razboi --rule ace_war_size=all --rule short_war_rule=lose --column wars",
    )
)
def sweep(
    game: GameName, games: Games = None, seed: Seed = "1",
    rule: Annotated[list[str] | None, typer.Option("--rule", "-r", help="name=0:6, name=all or name=a,b is varied; name=value is fixed.", autocompletion=complete_rule, metavar="NAME=VALUES")] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column to compare.  [default: the game's length]", show_default=False, metavar="NAME")] = None,
    players: Players = None, jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Play several settings of the rules on the same deals: one row each, differences from the default paired."""
    import simkit

    a_format(format)
    given = rules_from(rule)
    swept = {name: value for name, value in given.items() if value == "all" or ":" in value or "," in value}
    if not swept:
        raise BadInput("nothing to sweep over; give a rule several values: --rule face_down=0:6, --rule pickup_order=all")
    result = simkit.sweep(
        game, swept, whole(games, "--games", 1) or 100_000, column=column, seed=whole(seed, "--seed") or 0, players=players, jobs=whole(jobs, "--jobs", 1),
        backend=backend, address=address, progress=False if quiet else None, rules={name: value for name, value in given.items() if name not in swept},
    )  # fmt: skip
    if result.interrupted:
        note(f"interrupted after {len(result.frame)} settings")
        raise typer.Exit(130)
    from simkit.result import plain

    if format == "json":
        records = result.frame.to_dict(orient="records")
        return print_json(
            plain({"simkit": simkit.__version__, "game": game, "seed": int(seed), "swept": result.swept, "settings": records})
        )
    if format == "csv":
        return print_csv([list(result.frame.columns), *result.frame.to_numpy(object).tolist()])
    print_sweep(result, column or result.results[0].length)


def print_sweep(result: Any, column: str) -> None:
    """The table of a sweep."""
    from simkit.stats.estimate import Estimate

    outcomes = {"win_rate_0": "seat 0 wins", "draw_rate": "draw", "endless_rate": "endless", "capped_rate": "capped"}
    never = [name for name in outcomes if not result.frame[name].any()]
    lines = []
    for row in result.frame.to_dict(orient="records"):
        mean = Estimate(row[column], row[f"{column}_low"], row[f"{column}_high"], int(row[f"{column}_n"]))
        apart = Estimate(row["difference"], row["difference_low"], row["difference_high"], int(row["difference_n"]))
        is_default = row["correlation"] == 1.0 and row["difference"] == 0.0
        shares = [
            f"{100 * row[name]:.2f} % ({100 * row[name + '_low']:.2f}–{100 * row[name + '_high']:.2f})"
            for name in outcomes
            if name not in never
        ]
        words = [str(row[name]).lower() if isinstance(row[name], bool) else str(row[name]) for name in result.swept]
        lines.append(
            [
                *words,
                mean.text().split(" (")[0],
                "default" if is_default else apart.text().split(" (")[0],
                *shares,
                f"{int(row['games']):,}",
            ]
        )
    head = [*result.swept, column, "difference", *(words for name, words in outcomes.items() if name not in never), "games"]
    print(f"{result.game}: the same deals under each setting\n")
    print_table("95 % intervals; means over finished games, differences by deal", head, lines, len(result.swept))
    if never:
        print(
            f"In no setting: {', '.join(outcomes[name] for name in never)} (95 % interval of each share: 0 – {100 * result.frame[[f'{name}_high' for name in never]].max().max():.2f} %)."
        )


@app.command(
    epilog=examples(
        "simkit replay war --seed 1 --game 5",
        "simkit replay razboi --game 0 --json",
        "simkit replay war --seed 8 --game 12 --rule face_down=1",
    )
)
def replay(
    game: GameName, seed: Seed = "1", number_of_game: Annotated[str, typer.Option("--game", "-g", help="Number of the game, from 0.", metavar="I")] = "0",
    rule: Rules = None, players: Players = None,
    paired: Annotated[bool, typer.Option("--paired", metavar="", help="Number games as a paired run does.")] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", metavar="", help="Number deals as an exhaustive run does.")] = False,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="The whole game as JSON.")] = False,
) -> None:  # fmt: skip
    """Show one game, step by step, in the rules page's words."""
    from simkit import replay as replays
    from simkit.simulate import make_plan

    number_ = whole(number_of_game, "--game") or 0
    plan = make_plan(game, rules=rules_from(rule), players=players, seed=whole(seed, "--seed") or 0, paired=paired, every_deal=exhaustive)
    if exhaustive and number_ >= plan.games:
        raise BadInput(f"there are {plan.games:,} deals, numbered from 0; there is no deal {number_}")
    shown = replays.Replay(plan, number_)
    if as_json:
        return print_json(replays.as_dict(shown))
    for line in replays.lines(shown):
        print(line)
    recorded = "  ".join(f"{name}={value}" for name, value in shown.row.items())
    print("\nRecorded of this game:\n" + textwrap.fill(recorded, 80, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  "))


StudyNames = Annotated[
    list[str] | None, typer.Argument(help="Names of studies; all if none is given.", autocompletion=complete_study, metavar="[NAME]…")
]
StudyGames = Annotated[
    str | None, typer.Option("--games", "-n", help="Size of each study.  [default: its own]", show_default=False, metavar="N")
]


def performed(names: list[str] | None, games: str | None, seed: str, jobs: str | None, quiet: bool) -> list[Any]:
    """The studies of these names, carried out."""
    from simkit.study import find, perform

    size, start, workers = whole(games, "--games", 1), whole(seed, "--seed") or 0, whole(jobs, "--jobs", 1)
    done = []
    for definition in find(names or []):
        note(f"study {definition.name}: {definition.title}", quiet)
        done.append(perform(definition, size, start, workers, False if quiet else None))
    return done


@app.command(epilog=examples("simkit study", "simkit study war_length", "simkit study war_luck --games 1e6 --seed 7 --format json"))
def study(
    names: StudyNames = None, games: StudyGames = None, seed: Seed = "1", jobs: Jobs = None, format: Format = "table", quiet: Quiet = False
) -> None:
    """Carry out studies and say what they found."""
    from simkit.report import as_dict, text

    if a_format(format) == "csv":
        raise BadInput("a study has no CSV form; use --format table or json")
    done = performed(names, games, seed, jobs, quiet)
    if format == "json":
        return print_json([as_dict(each) for each in done])
    print("\n\n".join(text(each) for each in done))


@app.command(epilog=examples("simkit report", "simkit report war_length war_luck --out luck.html", "simkit report --games 1e5 --seed 7"))
def report(
    names: StudyNames = None, games: StudyGames = None, seed: Seed = "1", jobs: Jobs = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.", metavar="FILE")] = Path("simkit-report.html"),
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = "What simkit found", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Carry out studies and build one self-contained HTML page."""
    from simkit.report import html, write
    from simkit.study import find

    find(names or [])  # wrong names are told before anything runs
    check_writable(out)
    done = performed(names, games, seed, jobs, quiet)
    words = ["simkit report", *(names or []), *([f"--games {games}"] if games else []), f"--seed {seed}"]
    write(out, html(done, title=title, command=" ".join(words)))
    print(out)


def check_writable(path: Path) -> None:
    """Raise BadInput if a report cannot be written there, or would destroy a file that is no report of ours."""
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'its folder does not exist'}")
    if not os.access(path.absolute().parent, os.W_OK):
        raise BadInput(f"cannot write {path}: its folder is not writable")
    if path.exists() and b'name="generator" content="simkit' not in path.read_bytes()[:4096]:
        raise BadInput(f"{path} exists and is no report of simkit's; name another file")


@app.command(epilog=examples("simkit cache", "simkit cache --clear"))
def cache(
    clear: Annotated[bool, typer.Option("--clear", metavar="", help="Delete all compiled code; it is made again when needed.")] = False,
    format: Format = "table",
) -> None:
    """Where compiled code is kept, and how large it is."""
    import shutil

    from simkit.jit import CACHE_FOLDER, cache_root

    a_format(format)
    own = cache_root() in CACHE_FOLDER.parents
    root = cache_root() if own else CACHE_FOLDER
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix in (".nbi", ".nbc")] if root.exists() else []
    size = sum(path.stat().st_size for path in files)
    if clear:
        if not own:
            raise BadInput(f"{root} was named by NUMBA_CACHE_DIR and may hold others' files; delete it yourself")
        shutil.rmtree(root, ignore_errors=True)
    if format == "json":
        return print_json({"folder": str(CACHE_FOLDER), "files": len(files), "bytes": size, "cleared": clear})
    if format == "csv":
        return print_csv([["folder", "files", "bytes", "cleared"], [CACHE_FOLDER, len(files), size, str(clear).lower()]])
    print(f"{'cleared' if clear else 'compiled code'}: {root}\n{len(files)} files, {size / 1e6:.1f} MB")


@app.callback(invoke_without_command=True)
def top(context: typer.Context, version: Annotated[bool, typer.Option("--version", metavar="", help="Show the version.")] = False) -> None:
    """Answers questions about card games by playing them millions of times."""
    if version:
        import simkit

        print(f"simkit {simkit.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


# ------------------------------------------------------------------------------------------------------------- the end


USAGE_ERROR: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "UsageError")
"""What is raised for an unknown option or a missing argument."""


def silence() -> None:
    """Nothing more can be printed: let what is still buffered go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def attempt(work: Callable[[], Any]) -> int:
    """Do the work; turn what may go wrong into one line and an exit code."""
    try:
        done = work()
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except USAGE_ERROR as error:
        command = error.ctx.command_path if getattr(error, "ctx", None) else "simkit"
        print(f"simkit: {error.format_message().rstrip('.')}; see: {command} --help", file=sys.stderr)
        return 2
    except BadInput as error:
        print(f"simkit: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read our output has gone: end quietly
        silence()
        return 0
    except KeyboardInterrupt:
        print("simkit: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        from simkit.simulate import GameFault

        if isinstance(error, GameFault):
            print(f"simkit: {error}", file=sys.stderr)
            return 1
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            print("simkit: cannot write the output: the disk is full", file=sys.stderr)
            silence()
            return 2
        raise


def main() -> None:
    """The `simkit` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no – or ă shows a ?, and no traceback
    code = attempt(lambda: app(standalone_mode=False))
    simulate = sys.modules.get("simkit.simulate")
    if simulate is not None and simulate.abandoned.is_set():
        sys.stderr.flush()
        os._exit(code)  # an orderly end would wait for the thread that was left behind
    sys.exit(code)
