"""The commands `simkit study` and `simkit report`: questions answered, and a page of the answers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import Jobs, Quiet, Seed, TextOrJson, a_format, complete_study, examples, note, print_json, whole
from simkit.game import BadInput

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
    names: StudyNames = None,
    games: StudyGames = None,
    seed: Seed = "1",
    jobs: Jobs = None,
    format: TextOrJson = "table",
    quiet: Quiet = False,
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
