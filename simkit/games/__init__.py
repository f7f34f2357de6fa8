"""The games, one file each. Nothing is registered: a file of this folder that says `NAMES = (...)` is found.

A file is imported only when one of its games is asked for, so that the other games' kernels are neither loaded nor compiled.
"""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

from simkit.game import BadInput, Game, nearest

FOLDER = Path(__file__).resolve().parent


@cache
def names() -> dict[str, str]:
    """For each game's name the module that holds it, in the order of the files."""
    found = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("NAMES = "):
                found.update(dict.fromkeys(ast.literal_eval(line.removeprefix("NAMES = ")), f"simkit.games.{path.stem}"))
                break
    return found


@cache
def find(name: str) -> Game:
    """The game of this name. Raises BadInput if there is none."""
    known = names()
    if name not in known:
        raise BadInput(f"no game is called {name}{nearest(name, list(known))}; the games: {', '.join(known)}")
    return next(game for game in importlib.import_module(known[name]).games() if game.name == name)
