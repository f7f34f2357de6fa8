"""The command `simkit new`: a strategy or a study to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import examples
from simkit.game import BadInput, Game, nearest

KINDS = ("strategy", "study")


def complete_new(context: typer.Context, incomplete: str) -> list[str]:
    from simkit.games import names

    return [name for name in (*KINDS, *names()) if name.startswith(incomplete)]


@app.command(
    epilog=examples(
        "simkit new strategy techu bold",
        "simkit new strategy techu quick_starter --part starter",
        "simkit new strategy techu bold --out mine.py",
        "simkit new study war_short",
    )
)
def new(
    words: Annotated[list[str], typer.Argument(help="strategy GAME NAME, or study NAME.", autocompletion=complete_new, metavar="WHAT")],
    part: Annotated[str | None, typer.Option("--part", help="A strategy for one kind of decision only.", metavar="KIND")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write.  [default: strategies/NAME.py or analyses/NAME.py]", show_default=False, metavar="FILE")] = None,
) -> None:  # fmt: skip
    """Write a strategy or a study that runs as it stands, with comments that say how to go on."""
    from simkit.games import find

    what, *rest = words
    if what not in KINDS:
        games = '; how a new game is written is in CONTRIBUTING.md in simkit\'s source, "A new game"' if what == "game" else ""
        raise BadInput(
            f"nothing new is called {what}{nearest(what, KINDS)}; write: simkit new strategy GAME NAME, or simkit new study NAME{games}"
        )
    if what == "strategy":
        if len(rest) != 2:
            raise BadInput("a new strategy needs a game and a name: simkit new strategy techu bold")
        return new_strategy(find(rest[0]), rest[1], part, out)
    if len(rest) != 1 or part is not None:
        raise BadInput("a new study needs a name, and nothing else: simkit new study war_short")
    new_study(rest[0], out)


def new_strategy(game: Game, name: str, part: str | None, out: Path | None) -> None:
    """Write the template of a strategy, and say how to try it."""
    from simkit.players import known
    from simkit.scaffold import checked_name, strategy_text, tries

    checked_name(name)
    if part is not None and part not in game.decisions:
        raise BadInput(f"{game.name} has no decision {part}{nearest(part, game.decisions)}; it has: {', '.join(game.decisions)}")
    found = out is None or out.absolute().parent == Path("strategies").absolute()
    if found and name in known(game):
        raise BadInput(f"{game.name} has a strategy {name} already; choose another name")
    path = out or Path("strategies") / f"{name}.py"
    called = name if found else f"{path}:{name}"
    player = f"{game.default_player}[{part}={called}]" if part else called
    write(path, strategy_text(game, name, part or "", tries(game, player)))
    print(f"Wrote {path}, which runs as it stands. Change it, and try it:")
    for line in tries(game, player):
        print(f"  {line}")


def new_study(name: str, out: Path | None) -> None:
    """Write the template of a study, and say how to try it."""
    from simkit.scaffold import checked_name, study_text
    from simkit.study import find

    checked_name(name)
    if any(study.name == name for study in find([])):
        raise BadInput(f"there is a study {name} already; choose another name")
    path = out or Path("analyses") / f"{name}.py"
    write(path, study_text(name))
    print(f"Wrote {path}, which runs as it stands. Change it, and try it:\n  simkit study {name} -n 1000")


def write(path: Path, text: Any) -> None:
    """Write a new file. Raises BadInput rather than replace one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadInput(f"{path} exists; choose another name, or name a file with --out") from None
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error
