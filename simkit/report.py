"""Studies for readers: as text in a terminal, as JSON, as one self-contained HTML page."""

from __future__ import annotations

import os
import re
import tempfile
import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simkit.provenance import versions
from simkit.result import plain
from simkit.stats.estimate import Estimate
from simkit.study import Picture, StudyResult, Table, Text, rule_text

if TYPE_CHECKING:
    from jinja2 import Environment

LINE = 100
"""Letters a line of text in a terminal."""
NUMBER = re.compile(r"[-\N{MINUS SIGN}+<>≤≥±]?\s?[\d–∞]")
"""How a cell begins that reads as a number: such columns are set to the right."""


# ------------------------------------------------------------------------------------------------------------- terminal


def text(result: StudyResult) -> str:
    """A study as plain text: the findings, how they were found, the tables, and how to repeat it."""
    title = f"{result.title} ({result.name})"
    parts = [f"{title}\n{'=' * len(title)}"]
    if result.interrupted:
        parts.append("Interrupted: only what was finished is here.")
    parts += ["\n".join(wrapped(finding, "• ", "  ") for finding in result.findings)] if result.findings else []
    parts += [wrapped(each) for each in [*result.questions, *result.methods]]
    for block in result.blocks:
        if isinstance(block, Table):
            parts.append(f"{wrapped(block.caption)}\n\n{table_text(block)}")
        elif isinstance(block, Text) and block.kind == "heading":
            parts.append(f"{unmarked(block.text)}\n{'-' * len(unmarked(block.text))}")
        elif isinstance(block, Text) and block.kind == "text":
            parts.append(wrapped(block.text))
    figures = f"; {len(result.figures)} figures: simkit report {result.name}" if result.figures else ""
    parts.append(f"{result.games_played:,} games, seed {result.seed}{figures}\nagain: {result.command}")
    return "\n\n".join(part for part in parts if part)


def unmarked(words: str) -> str:
    """Without the marks of `code` and **strong**."""
    return words.replace("**", "").replace("`", "")


def wrapped(words: str, first: str = "", later: str = "") -> str:
    """A paragraph in lines, without marks."""
    return textwrap.fill(
        unmarked(words), LINE, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def table_text(table: Table) -> str:
    """A table in columns: words to the left, numbers to the right."""
    rows = [table.header, *table.cells]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    right = numeric(table)
    lines = [
        ["  "] + [cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(row, widths, right, strict=True)]
        for row in rows
    ]
    lines.insert(1, ["  "] + ["-" * width for width in widths])
    return "\n".join("  ".join(line[1:]).rstrip() for line in lines)


def numeric(table: Table) -> list[bool]:
    """Which columns hold numbers, but for a word here and there. The first names the rows, and stays to the left."""
    return [
        column > 0 and 2 * sum(bool(NUMBER.match(row[column])) for row in table.cells) > len(table.cells)
        for column in range(len(table.header))
    ]


# ----------------------------------------------------------------------------------------------------------------- JSON


def as_dict(result: StudyResult) -> dict[str, Any]:
    """A study for programs. Undefined numbers are null."""
    return plain({
        "name": result.name,
        "title": result.title,
        "games": result.games,
        "seed": result.seed,
        "games_played": result.games_played,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "question": result.questions,
        "method": result.methods,
        "findings": result.findings,
        "tables": [{"caption": each.caption, "columns": each.header, "rows": [[json_cell(value) for value in row] for row in each.frame.itertuples(index=False)]} for each in result.tables],
        "figures": [{"caption": each.caption, "alt": each.alt} for each in result.figures],
        "runs": [
            {"command": simulation.command, "game": played.game, "rules": played.rules, "rules_hash": played.rules_hash, "players": list(played.players),
             "games": played.games, "seed": played.seed, "endless": played.endless, "capped": played.capped}
            for simulation in result.simulations for played in simulation.settings
        ],
        "versions": result.versions,
        "command": result.command,
    })  # fmt: skip


def json_cell(value: Any) -> Any:
    """A table's cell for programs."""
    return value.as_dict() if isinstance(value, Estimate) else value


# ----------------------------------------------------------------------------------------------------------------- HTML


def html(results: Sequence[StudyResult], *, title: str = "What simkit found", command: str = "") -> str:
    """One page of these studies that needs nothing else: no network, no script, no file beside it.

    The same studies, games and seeds give the same bytes: the page holds no dates and no times.
    """
    return environment().get_template("report.html").render(studies=results, title=title, command=command, versions=versions())


@cache
def environment() -> Environment:
    """Jinja2, with what the page needs."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "marked": marked,
        "numeric": numeric,
        "rules": rules_text,
        "share": share_text,
        "slug": slug,
        "shown_width": shown_width,
    }
    return made


def marked(words: str) -> Any:
    """Safe HTML of a sentence: `code`, **strong**, true minus signs, and no line break between a number and its sign."""
    from markupsafe import Markup, escape

    safe = str(escape(words))
    safe = re.sub(r"`([^`]+)`", r"<code>\1</code>", safe)
    safe = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", safe)
    safe = re.sub(r"(?<=\d) (?=%)|(?<=[=±]) (?=\d)|(?<=\d) (?=±)|(?<=\b[np]) (?=[=<])", "\N{NO-BREAK SPACE}", safe)
    safe = re.sub(r"(?<![\w.\N{EN DASH}-])-(?=[\d∞])", "\N{MINUS SIGN}", safe)
    return Markup(safe)


def rules_text(rules: dict[str, Any]) -> str:
    """The rules that were changed, in words."""
    return ", ".join(f"{name} = {rule_text(value)}" for name, value in rules.items()) or "all at their defaults"


def share_text(count: int, games: int) -> str:
    """A number of games with its share, and the interval of that."""
    from simkit.plots import short
    from simkit.stats.intervals import wilson

    return f"{count:,}" if count == 0 or not games else f"{count:,} · {short(wilson(count, games), percent=True)}"


def slug(words: str) -> str:
    """An id for a heading."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "part"


def shown_width(picture: Picture) -> float:
    """The figure's own width in points."""
    box = re.search(r'viewBox="[\d.]+ [\d.]+ ([\d.]+)', picture.svg)
    return float(box[1]) if box else 374.4


def write(path: str | Path, page: str) -> Path:
    """Write a page in one piece: readers see the old file or the whole new one."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(page)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
