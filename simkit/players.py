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
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
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
    """A way to play one game (or one family of games that share a strategies name).

    `decisions` names the kinds of decision that it serves, none for all. A bundle has no function of its own but `parts`:
    a strategy for each kind, and one under "" for the kinds not named.
    """

    name: str
    game: str
    function: Callable | None
    numbers: Mapping[str, float]
    file: Path
    decisions: tuple[str, ...] = ()
    parts: Mapping[str, Strategy] = field(default_factory=dict)
    text: str = ""

    @property
    def summary(self) -> str:
        """The first line of its docstring."""
        return self.text.split("\n")[0]

    @cached_property
    def looks(self) -> bool:
        """Whether its function may look at anything of the game; one that only draws random numbers, say, need not be shown it."""
        return self.function is None or looks_at_game(self.function)

    @cached_property
    def takes_numbers(self) -> bool:
        """Whether its function may look at the numbers it was given."""
        fields = None if self.function is None else named_fields(self.function)
        return fields is None or "params" in fields

    def serves(self, decision: str) -> Strategy | None:
        """The strategy with a function that decides this kind, or None."""
        if self.function is None:
            return self.parts.get(decision) or self.parts.get("")
        return self if not self.decisions or decision in self.decisions else None


OWN = frozenset({"rng", "seat", "decision", "params", "memory", "rules"})
"""Fields of a view that are there whatever happens in the game."""


def looks_at_game(function: Callable) -> bool:
    """Whether a strategy's text names any other field of its view, or hands the view on; True where the text cannot be read."""
    fields = named_fields(function)
    return fields is None or not fields <= OWN


@cache
def named_fields(function: Callable) -> frozenset[str] | None:
    """The fields of its view that a strategy's text names; None, any, if it hands the view on or cannot be read."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    made = next((node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)), None)
    if made is None or not made.args.args:
        return None
    view = made.args.args[0].arg
    named = sum(isinstance(node, ast.Name) and node.id == view for node in ast.walk(made))
    fields = [
        node.attr
        for node in ast.walk(made)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == view
    ]
    return None if named > len(fields) else frozenset(fields)


_registry: dict[tuple[str, str, Path], Strategy] = {}
"""By game, name and file; the latest last."""
_left_out: dict[Path, tuple[str, int]] = {}
"""Files of the `strategies` folders that could not be imported: why, and the file's time of change."""
_untold: list[str] = []
"""What of that has not been told yet."""
_replaced: dict[tuple[Path, Path], list[str]] = {}
"""Files whose strategies took the place of those of other files, and the names, until that is told."""
_by_path: set[Path] = set()
"""Files that somebody named by their path: their strategies have no name without it, and so replace no other."""

OPTIONS = {"nogil": True, "error_model": "python"}
"""How strategies are compiled: a division by zero is an error, as it is in Python, and stops the run."""


def strategy(game: str, *decisions: str, **numbers: float) -> Callable[[Callable], Callable]:
    """Make a function a strategy of `game`, with the numbers it may be given (at most 8, found in `view.params` in this order).

    With kinds of decision named, `@strategy("tichu", "push")`, it is a part, which serves only these.
    """
    if len(numbers) > MOST_NUMBERS:
        raise BadInput(f"a strategy takes at most {MOST_NUMBERS} numbers, not {len(numbers)}")

    def register(function: Callable) -> Callable:
        file, text = Path(inspect.getfile(function)).resolve(), inspect.getdoc(function) or ""
        add(Strategy(function.__name__, game, function, dict(numbers), file, decisions, text=text))
        return function

    return register


def bundle(
    game: str, name: str, text: str, *, default: Callable | None = None, numbers: Mapping[str, float] | None = None, **parts: Callable
) -> Strategy:
    """Make a strategy of parts: a function for each kind of decision, and `default` for the kinds not named.

    Parts are functions that are strategies themselves. The bundle takes all their numbers; `numbers` are its own defaults for
    some of them. `text` is its docstring. Raises BadInput.
    """
    file = Path(sys._getframe(1).f_code.co_filename).resolve()
    made = {decision: part_of(game, f"{name} ({file})", function) for decision, function in parts.items()}
    if default is not None:
        made[""] = part_of(game, f"{name} ({file})", default)
    every = {key: value for part in made.values() for key, value in part.numbers.items()}
    for key in numbers or {}:
        if key not in every:
            raise BadInput(f"bundle {name}: no part of it takes the number {key}{nearest(key, list(every))}")
    found = Strategy(name, game, None, {**every, **(numbers or {})}, file, parts=made, text=inspect.cleandoc(text))
    add(found)
    return found


def part_of(game: str, bundle: str, function: Callable | str) -> Strategy:
    """The strategy that a function was made. Raises BadInput, which names the bundle."""
    if isinstance(function, str):
        raise BadInput(f"bundle {bundle}: a part is a strategy's function, not its name {function!r}; import the function from its file")
    made = next((each for each in reversed(_registry.values()) if each.function is function and each.game == game), None)
    if made is None:
        raise BadInput(f"bundle {bundle}: {getattr(function, '__name__', function)} is no strategy of {game}; decorate it with @strategy")
    return made


def add(made: Strategy) -> None:
    """Take a strategy into the registry, in place of one of the same name from elsewhere."""
    earlier = named(made.game).get(made.name)
    if earlier is not None and made.file not in _by_path and earlier.file != made.file:
        _replaced.setdefault((made.file, earlier.file), []).append(made.name)
    _registry.pop((made.game, made.name, made.file), None)
    _registry[made.game, made.name, made.file] = made


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
    """Import every file of every `strategies` folder. One that cannot be imported is left out, which is said once each time it changes."""
    for folder in namespace_folders("strategies"):
        for path in sorted(folder.glob("[!_]*.py")):
            changed = path.stat().st_mtime_ns
            if _left_out.get(path, ("", 0))[1] == changed:
                continue
            _left_out.pop(path, None)
            try:
                load_file(path, module_name("strategies", path))
            except BadInput as error:
                _left_out[path] = str(error), changed
                _untold.append(str(error))


def tell_of_files() -> None:
    """Say which strategies took the place of others, a line for each two files, and which files were left out."""
    for (file, earlier), names in _replaced.items():
        listed = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        print(f"simkit: {file} replaces {'the strategy' if len(names) == 1 else 'the strategies'} {listed} of {earlier}", file=sys.stderr)
    for error in _untold:
        print(f"simkit: left out: {error}", file=sys.stderr)
    _replaced.clear()
    _untold.clear()


def known(game: Game) -> dict[str, Strategy]:
    """All strategies for a game by name; `tell_of_files` says what became of their files."""
    load_all()
    return named(game.strategies or game.name, game.name)


@dataclass(frozen=True)
class Part:
    """What decides one kind of decision for a player: a strategy with a function, and its numbers in order."""

    strategy: Strategy
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Player:
    """Who plays a seat: a part for each kind of decision of the game, and how many guesses it searches (0: none).

    `anywhere` is the text with the files in full, for a process that works in another folder.
    """

    text: str
    parts: tuple[Part, ...]
    guesses: int
    anywhere: str

    @property
    def files(self) -> set[Path]:
        """The files that its strategies come from."""
        return {part.strategy.file for part in self.parts}


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


PLAYER = re.compile(
    r"(?:(?P<file>[^\[\]]+?\.py):)?(?P<name>\w+)\s*(?:\((?P<numbers>[^()]*)\))?\s*(?:\[(?P<parts>.*)\])?\s*(?:\+\s*search\((?P<guesses>[^()]*)\))?"
)
MOST_GUESSES = 100_000


def read_player(game: Game, text: str) -> Player:
    """The player of a text such as `greedy`, `greedy(margin=2)`, `steady[push=never]`, `greedy+search(20)`, `mine.py:bold`. Raises BadInput."""
    match = PLAYER.fullmatch(text.strip())
    if match is None:
        raise BadInput(f"{text!r} names no player; write greedy, greedy(margin=2), greedy+search(20) or mine.py:bold")
    found, file = find_strategy(game, match["file"], match["name"])
    numbers = read_numbers(found, match["numbers"] or "")
    chosen = {decision: served(game, found, decision, numbers) for decision in game.decisions}
    anywhere = (f"{file}:" if file else "") + match["name"] + (f"({match['numbers']})" if match["numbers"] else "")
    swapped = []
    for decision, player in read_parts(game, match["parts"] or ""):
        chosen[decision] = player.parts[game.decisions.index(decision)]
        swapped.append(f"{decision}={player.anywhere}")
    missing = [decision for decision, part in chosen.items() if part is None]
    if missing:
        serves = ", ".join(found.decisions or tuple(found.parts))
        raise BadInput(
            f"{found.name} decides only {serves}, not {', '.join(missing)}; use it as a part: other[{serves.split(', ')[0]}={found.name}]"
        )
    anywhere += f"[{','.join(swapped)}]" if swapped else ""
    guesses = read_guesses(game, match["guesses"])
    return Player(text.strip(), tuple(filter(None, chosen.values())), guesses, anywhere + (f"+search({guesses})" if guesses else ""))


def find_strategy(game: Game, file: str | None, name: str) -> tuple[Strategy, Path | None]:
    """The strategy of this name, of a file or of those known, and the file if one is named. Raises BadInput."""
    path, names = None, (game.strategies or game.name, game.name)
    if file:
        path = Path(file).expanduser().resolve()
        if not path.is_file():
            raise BadInput(f"there is no file {file}")
        if not any(path.parent == folder for folder in namespace_folders("strategies")):
            _by_path.add(path)
        load_file(path, module_name("strategies", path))
        choices, where = named(*names, file=path), f"{file} has no strategy for {game.name} called"
    else:
        choices, where = known(game), f"{game.name} has no strategy"
    if name not in choices:
        why = "".join(f"; left out: {error}" for error, _ in _left_out.values() if not file)
        _untold.clear()
        raise BadInput(f"{where} {name}{nearest(name, list(choices))}; it has: {', '.join(choices) or 'none'}{why}")
    tell_of_files()
    return choices[name], path


def served(game: Game, found: Strategy, decision: str, numbers: Mapping[str, float]) -> Part | None:
    """What a strategy with these numbers decides this kind with. Raises BadInput if it speaks of kinds that the game has not."""
    for name in (*found.decisions, *filter(None, found.parts)):
        if name not in game.decisions:
            raise BadInput(f"strategy {found.name} ({found.file}): {game.name} has no decision {name}{nearest(name, game.decisions)}")
    part = found.serves(decision)
    return Part(part, tuple(numbers[name] for name in part.numbers)) if part else None


def read_parts(game: Game, text: str) -> Iterator[tuple[str, Player]]:
    """The parts to exchange in "push=lowest,call=never". Raises BadInput."""
    for piece in split_players(text):
        decision, equals, name = (word.strip() for word in piece.partition("="))
        if not equals or decision not in game.decisions:
            raise BadInput(
                f"{game.name} has no decision {decision}{nearest(decision, game.decisions)}; it has: {', '.join(game.decisions)}"
            )
        yield decision, read_part(game, decision, name)


def read_part(game: Game, decision: str, text: str) -> Player:
    """A player of whom only this kind of decision is wanted. Raises BadInput."""
    match = PLAYER.fullmatch(text)
    if match is None or match["parts"] or match["guesses"]:
        raise BadInput(f"{text!r} is no part of a player; write {decision}=name or {decision}=name(number=2)")
    found, file = find_strategy(game, match["file"], match["name"])
    part = served(game, found, decision, read_numbers(found, match["numbers"] or ""))
    if part is None:
        raise BadInput(f"{found.name} decides only {', '.join(found.decisions or tuple(found.parts))}, not {decision}")
    numbers = f"({match['numbers']})" if match["numbers"] else ""
    return Player(text, (part,) * len(game.decisions), 0, (f"{file}:" if file else "") + match["name"] + numbers)


def read_guesses(game: Game, text: str | None) -> int:
    """The k of "+search(k)", 0 without one. Raises BadInput."""
    if text is None:
        return 0
    if game.guess is None:
        raise BadInput(f"{game.name} cannot be searched: nobody decides anything in it, or it has no way to guess hidden cards")
    number = text.partition("=")[2] if "=" in text else text
    if not number.strip().isdecimal() or not 1 <= int(number) <= MOST_GUESSES:
        raise BadInput(f"search({text}): write how many guesses at the hidden cards, 1 to {MOST_GUESSES:,}, for example +search(20)")
    return int(number)


def read_numbers(made: Strategy, text: str) -> dict[str, float]:
    """The strategy's numbers with those of `text` ("margin=2, bold=1") in place of its defaults. Raises BadInput."""
    numbers = dict(made.numbers)
    for part in split_players(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in numbers:
            takes = ", ".join(f"{key}={default:g}" for key, default in numbers.items()) or "none"
            raise BadInput(f"{made.name} takes no number {name}{nearest(name, list(numbers))}; it takes: {takes}")
        try:
            numbers[name] = float(ast.literal_eval(value))
            if not math.isfinite(numbers[name]):  # 1e999 is infinite to Python
                raise ValueError
        except (ValueError, SyntaxError, TypeError, OverflowError):
            raise BadInput(f"{made.name}({name}={value}): {value or 'nothing'} is no number") from None
    return numbers


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

    from simkit.jit import PLAIN
    from simkit.play import compiled

    if made.function is None:
        raise TypeError(f"{made.name} is a bundle; its parts are what is compiled")
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
            except (BadInput, OSError):  # OSError: of the folder for compiled code
                raise
            except Exception as error:  # numba raises almost anything at code that it does not know
                raise BadInput(f"strategy {made.name} does not compile: {explain(made, game, error)}") from error
        _compiled[key] = function
    return _compiled[key]


def explain(made: Strategy, game: Game, error: Exception) -> str:
    """The gist of one of numba's error pages, with the strategy's own line. A field that a record has not is a KeyError to numba."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines, first = inspect.getsourcelines(made.function or str)
    unknown = re.search(r"^'(\w+)'$|[Ff]ield '(\w+)'|attribute '(\w+)'|name '(\w+)' is not defined", text)
    name = next(filter(None, unknown.groups()), "") if unknown else ""
    number = next((first + place for place, line in enumerate(lines) if name and re.search(rf"\b{name}\b", line)), 0)
    number = number or int(next(iter(re.findall(r"line (\d+)", text.split(str(made.file))[-1])), 0))
    here = 0 <= number - first < len(lines)
    where = f"{made.file}:{number}: {lines[number - first].strip()}" if here else str(made.file)
    if name:
        return f"{where}: there is no {name}{nearest(name, [*fields_of(game.view), *inspect.signature(made.function or str).parameters])}"
    if "setitem" in text and "readonly" in text:
        return f"{where}: moves may only be read"
    gist = next((part.strip(" :") for part in text.split("\n") if part.strip() and "Failed in nopython" not in part), type(error).__name__)
    return f"{where}: {gist[:160]}"


def fields_of(record: np.dtype) -> list[str]:
    """The names of a record's fields, and of those of the records within."""
    names: list[str] = []
    for name in record.names or ():
        names += [name, *fields_of(record[name].base)]
    return names
