"""What the commands share: option types, reading what was typed, printing what was found.

Numbers go to standard output, progress and notes to standard error. Nothing heavy is imported here.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from simkit.game import BadInput

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
GivenHand = Annotated[
    list[str] | None, typer.Option("--hand", help="A hand that seat 0 is dealt every time, or another seat: '2: A A A A'.", metavar="CARDS")
]
Jobs = Annotated[str | None, typer.Option("--jobs", "-j", help="Workers.  [default: all cores]", show_default=False, metavar="N")]
Backend = Annotated[str, typer.Option("--backend", help="threads, processes or dask.", metavar="NAME")]
Address = Annotated[str, typer.Option("--address", help="Address of a Dask scheduler, for --backend dask.", metavar="HOST:PORT")]
Format = Annotated[str, typer.Option("--format", "-f", help="table, json or csv.", metavar="NAME")]
TextOrJson = Annotated[str, typer.Option("--format", "-f", help="table or json.", metavar="NAME")]
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


def share(text: str, name: str) -> float:
    """A number between 0 and 1. Raises BadInput."""
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not 0 < number < 1:
        raise BadInput(f"{name} {text} is no number between 0 and 1")
    return number


def two_numbers(text: str | None, name: str) -> tuple[float, float] | None:
    """The numbers of LOW:HIGH. Raises BadInput."""
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        raise BadInput(f"{name} {text} is no range; write low:high, for example 0:5") from None


def complete_player(context: typer.Context, incomplete: str) -> list[str]:
    return complete_players(context, incomplete) if "," not in incomplete else []


def one_hand(hands: list[str] | None) -> str | None:
    """The hand of --hand, if there is one. Raises BadInput for several: only one can be given."""
    if hands and len(hands) > 1:
        raise BadInput(f"one hand can be given, and these are {len(hands)}: {'; '.join(hands)}")
    return hands[0] if hands else None


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
            table.add_column(Text(head[place]), justify="left" if words else "right", no_wrap=left < len(head), overflow="fold")
        for line in lines:
            table.add_row(*(Text(line[place]) for place in places))  # as Text, so that brackets are no markup
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


def in_cells(found: Any, percent: bool = False) -> list[str]:
    """An estimate as two cells of a table: the figure and its interval, with two significant digits of the interval's half."""
    from simkit.stats import estimate

    scale, unit = (100, " %") if percent else (1, "")
    digits = estimate.decimals(scale * found.half_width, scale * found.estimate)
    middle, low, high = (estimate.number(scale * each, digits) for each in (found.estimate, found.low, found.high))
    return [f"{middle}{unit}", f"{low} – {high}{unit}" if found.low >= 0 else f"{low} to {high}{unit}"]


def legal_values(parameter: Any) -> str:
    """What a rule may be, in the fewest words."""
    if parameter.kind != "range":
        return ", ".join(str(value).lower() for value in parameter.legal)
    low, high = parameter.legal
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def note(text: str, quiet: bool = False) -> None:
    if not quiet:
        print(f"simkit: {text}", file=sys.stderr)
