"""Players: the `@strategy` decorator, finding strategies, and the text form of a player.

A strategy is a plain function `f(view, moves, n) -> index into moves[:n]`. It is compiled with its game's signature when
it is first used. Files in any folder called `strategies` on the path join in: ours, and one beside the user's work.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from simkit.game import BadInput, Game, nearest

MOST_NUMBERS = 8
HOME = Path(__file__).resolve().parents[1]
"""The folder that holds simkit's own `strategies` and `analyses`."""


@dataclass(frozen=True, eq=False)
class Strategy:
    """A way to play one game (or one family of games that share a strategies name)."""

    name: str
    game: str
    function: Callable
    numbers: Mapping[str, float]
    file: Path

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return (inspect.getdoc(self.function) or "").split("\n")[0]


_registry: dict[tuple[str, str, Path], Strategy] = {}
"""By game, name and file; the latest last."""
_by_path: set[Path] = set()
"""Files that somebody named by their path: their strategies have no name without it, and so replace no other."""

OPTIONS = {"nogil": True, "error_model": "python"}
"""How strategies are compiled: a division by zero is an error, as it is in Python, and stops the run."""


def strategy(game: str, **numbers: float) -> Callable[[Callable], Callable]:
    """Make a function a strategy of `game`, with the numbers it may be given (at most 8, found in `view.params` in this order)."""
    if len(numbers) > MOST_NUMBERS:
        raise BadInput(f"a strategy takes at most {MOST_NUMBERS} numbers, not {len(numbers)}")

    def register(function: Callable) -> Callable:
        made = Strategy(function.__name__, game, function, dict(numbers), Path(inspect.getfile(function)).resolve())
        earlier = named(game).get(made.name)
        if earlier is not None and made.file not in _by_path and earlier.file != made.file:
            print(f"simkit: {made.file} replaces the strategy {made.name} of {earlier.file}", file=sys.stderr)
        _registry.pop((game, made.name, made.file), None)
        _registry[game, made.name, made.file] = made
        return function

    return register


def named(*games: str, file: Path | None = None) -> dict[str, Strategy]:
    """The strategies for any of these games, by the names they have without a path; or those of one file."""
    return {
        name: made for (game, name, home), made in _registry.items() if game in games and (home == file if file else home not in _by_path)
    }


def folder_hash(folder: Path) -> str:
    """A hash of a folder's Python files: an edited helper must not leave old compiled code in use."""
    digest = hashlib.sha256(repr(OPTIONS).encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def caching_for(folder: Path) -> Iterator[None]:
    """Within, numba caches compiled code in a place of this folder's own, unless the user set NUMBA_CACHE_DIR."""
    from numba import config

    from simkit.jit import CACHE_FOLDER

    before = config.CACHE_DIR
    if not os.environ.get("NUMBA_CACHE_DIR"):
        config.CACHE_DIR = str(CACHE_FOLDER / "players" / folder_hash(folder))
    try:
        yield
    finally:
        config.CACHE_DIR = before


def namespace_folders(package: str) -> list[Path]:
    """The folders of a namespace package (`strategies`, `analyses`): ours, then the user's beside their work, which may replace some.

    Raises BadInput if an `__init__.py` turns one of them into an ordinary package, which would hide the others.
    """
    if os.getcwd() not in sys.path and "" not in sys.path:
        sys.path.append(os.getcwd())
    importlib.invalidate_caches()
    found = importlib.util.find_spec(package)
    if found is not None and found.origin is not None:
        raise BadInput(f"{found.origin} hides the {package} that come with simkit; delete that file (the folder needs none)")
    folders = {Path(folder).resolve(): None for folder in (found.submodule_search_locations if found else None) or ()}
    return sorted(folders, key=lambda folder: folder != HOME / package)


def load_file(path: Path, name: str) -> ModuleType:
    """Import a Python file under a name of its own. Raises BadInput, in one line, if it cannot be imported."""
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == str(path):
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with caching_for(path.parent):
            spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def module_name(package: str, path: Path) -> str:
    """`strategies.war` for our file; with a mark of its folder for any other, the same in every process.

    What numba keeps of a compiled function names its module: another process must find it under that name.
    """
    plain = f"{package}.{path.stem}"
    if path.parent == HOME / package:
        return plain
    return f"{plain}_{hashlib.sha256(str(path.parent).encode()).hexdigest()[:8]}"


def load_all() -> None:
    """Import every file of every `strategies` folder."""
    for folder in namespace_folders("strategies"):
        for path in sorted(folder.glob("[!_]*.py")):
            load_file(path, module_name("strategies", path))


def known(game: Game) -> dict[str, Strategy]:
    """All strategies for a game by name."""
    load_all()
    return named(game.strategies or game.name, game.name)


@dataclass(frozen=True)
class Player:
    """A strategy with its numbers, as a seat plays it."""

    text: str
    strategy: Strategy
    numbers: tuple[float, ...]

    @property
    def anywhere(self) -> str:
        """The text, with the strategy's file in full: for a process that works in another folder."""
        return f"{self.strategy.file}:{self.text.rpartition('.py:')[2]}" if ".py:" in self.text else self.text


def split_players(text: str) -> list[str]:
    """Split at commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def read_player(game: Game, text: str) -> Player:
    """The player of a text such as `greedy`, `greedy(margin=2)`, `mine.py:bold`. Raises BadInput."""
    match = re.fullmatch(r"\s*(?:(?P<file>.+\.py):)?(?P<name>\w+)\s*(?:\((?P<numbers>.*)\))?\s*", text)
    if match is None:
        raise BadInput(f"{text!r} names no player; write greedy, greedy(margin=2) or mine.py:bold")
    if match["file"]:
        path = Path(match["file"]).expanduser().resolve()
        if not path.is_file():
            raise BadInput(f"there is no file {match['file']}")
        if not any(path.parent == folder for folder in namespace_folders("strategies")):
            _by_path.add(path)
        load_file(path, module_name("strategies", path))
        choices, where = (
            named(game.strategies or game.name, game.name, file=path),
            f"{match['file']} has no strategy for {game.name} called",
        )
    else:
        choices, where = known(game), f"{game.name} has no strategy"
    name = match["name"]
    if name not in choices:
        raise BadInput(f"{where} {name}{nearest(name, list(choices))}; it has: {', '.join(choices) or 'none'}")
    found = choices[name]
    return Player(text.strip(), found, read_numbers(found, match["numbers"] or ""))


def read_numbers(made: Strategy, text: str) -> tuple[float, ...]:
    """The strategy's numbers with those of `text` ("margin=2, bold=1") in place of its defaults. Raises BadInput."""
    numbers = dict(made.numbers)
    for part in split_players(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in numbers:
            takes = ", ".join(f"{key}={default:g}" for key, default in numbers.items()) or "none"
            raise BadInput(f"{made.name} takes no number {name}{nearest(name, list(numbers))}; it takes: {takes}")
        try:
            numbers[name] = float(ast.literal_eval(value))
        except (ValueError, SyntaxError, TypeError):
            raise BadInput(f"{made.name}({name}={value}): {value} is no number") from None
    return tuple(numbers.values())


def read_players(game: Game, texts: str | list[str] | tuple[str, ...] | None, seats: int) -> list[Player]:
    """One player a seat; one name fills every seat. Raises BadInput."""
    parts = split_players(texts) if isinstance(texts, str) else list(texts or [game.default_player])
    players = [read_player(game, part) for part in parts]
    if len(players) == 1:
        players *= seats
    if len(players) != seats:
        raise BadInput(f"{len(players)} players for {seats} seats; name one for all seats, or {seats}")
    return players


_compiled: dict[tuple[Callable, str], Any] = {}


def compile_strategy(made: Strategy, game: Game) -> Any:
    """The strategy's function, compiled for its game. Raises BadInput, with the strategy's own words, if it cannot be."""
    from numba import njit, types
    from numba.core.errors import NumbaError

    from simkit.jit import PLAIN
    from simkit.play import compiled

    if PLAIN:
        return made.function
    key = (made.function, game.name)
    if key not in _compiled:
        wanted = compiled(game).decide_signature
        with caching_for(made.file.parent):
            try:
                function = njit(cache=True, **OPTIONS)(made.function)
                function.compile(wanted.args)
                given = function.overloads[wanted.args].signature.return_type
                if not isinstance(given, (types.Integer, types.Boolean)):
                    raise BadInput(f"strategy {made.name} ({made.file}) must return an index into moves[:n], not {given}")
                if given != wanted.return_type:
                    function = njit(cache=True, **OPTIONS)(made.function)
                    function.compile(wanted)
            except (NumbaError, KeyError) as error:
                raise BadInput(f"strategy {made.name} does not compile: {explain(made, game, error)}") from error
        _compiled[key] = function
    return _compiled[key]


def explain(made: Strategy, game: Game, error: Exception) -> str:
    """The gist of one of numba's error pages, with the strategy's own line. A field that a record has not is a KeyError to numba."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines, first = inspect.getsourcelines(made.function)
    unknown = re.search(r"^'(\w+)'$|[Ff]ield '(\w+)'|attribute '(\w+)'|name '(\w+)' is not defined", text)
    name = next(filter(None, unknown.groups()), "") if unknown else ""
    number = next((first + place for place, line in enumerate(lines) if name and re.search(rf"\b{name}\b", line)), 0)
    number = number or int(next(iter(re.findall(r"line (\d+)", text.split(str(made.file))[-1])), 0))
    here = 0 <= number - first < len(lines)
    where = f"{made.file}:{number}: {lines[number - first].strip()}" if here else str(made.file)
    if name:
        return f"{where}: there is no {name}{nearest(name, [*fields_of(game.view), *inspect.signature(made.function).parameters])}"
    gist = next((part.strip(" :") for part in text.split("\n") if part.strip() and "Failed in nopython" not in part), type(error).__name__)
    return f"{where}: {gist[:160]}"


def fields_of(record: np.dtype) -> list[str]:
    """The names of a record's fields, and of those of the records within."""
    names: list[str] = []
    for name in record.names or ():
        names += [name, *fields_of(record[name].base)]
    return names
