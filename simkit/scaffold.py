"""Templates: a strategy or a study that runs as it stands and says, in comments, all that its author needs to know.

What it says of a game is read from the game itself: its kinds of decision, and the comments of its records in its source.
"""

from __future__ import annotations

import inspect
import keyword
import re
import textwrap
from types import ModuleType

import numpy as np

from simkit.game import BadInput, Game, view_header

WIDTH = 100
STRATEGY = '''\
"""Ways to play {title}: a template, to be changed.

    {try_it}

The rules are in {rules_page}; CONTRIBUTING.md in simkit's source says more about strategies.
"""

from simkit import strategy
from simkit.rng import below, uniform
{constants}

@strategy({registered}, boldness=0.5)
def {name}(view, moves, n):
    """{summary}"""
    # `moves[:n]` are the legal moves, whole numbers, always in the same order. Return an index into them: 0 to n - 1.
{moves}
    #
    # `view` is all that this seat may know:
{view}
    #
    # Numbers named in the decorator are in `view.params`, in that order: {name}(boldness=0.9) sets one for a run.
    boldness = view.params[0]

    # `view.memory` is eight whole numbers of your own, 0 before each game. Here the first counts the decisions.
    view.memory[0] += 1

    # `view.rng` is this seat's own random stream: below(view.rng, k) is 0 to k - 1, uniform(view.rng) 0 to 1. Take no
    # other random numbers, or games could not be repeated.
    #
    # This is compiled by numba: numbers, arrays, loops and conditions, but no lists, texts or objects. Helper functions
    # are decorated with `@kernel` from `simkit.jit`; the game's own, from {module}, may be called too.
{branch}
    if uniform(view.rng) < boldness:
        return n - 1  # the last legal move
    return below(view.rng, n)  # any legal move, each equally likely
'''
STUDY = '''\
"""A study: a question, games that answer it, and what was found. A template, to be changed.

    simkit study {name}
    simkit study {name} -n 1000     with few games, to try it out

CONTRIBUTING.md in simkit's source says more about studies.
"""

from simkit.study import study


@study(title="How many cards face down make War short?", games=100_000)
def {name}(s):
    """The mean length of War for 0 to 5 cards face down."""
    s.question("A war lays three cards face down. How many make the game short, if it may be none to five?")
    # `s.games` is how many games to play. Runs and sweeps made through `s` are recorded, with the commands that repeat them.
    swept = s.sweep("war", {{"face_down": "0:5"}})
    # A sweep's frame has a row a setting and a column a figure: `list(swept.frame)` names them all; show those that matter.
    shown = swept.frame[["face_down", "battles", "battles_low", "battles_high", "games"]]
    s.table(shown, caption=f"One row a setting, all on the same {{s.games:,}} deals.")
    shortest = min(swept.results, key=lambda result: result.mean("battles").estimate)
    # Every figure is said with its interval: `.text()` of a mean or a rate does it.
    least, none = shortest.mean("battles").text(), swept.results[0].mean("battles").text()
    s.finding(f"Of 0 to 5 cards face down, {{shortest.rules['face_down']}} make War shortest. Battles on average: {{least}}; with none: {{none}}.")
'''


def checked_name(name: str) -> str:
    """The name, if it can be a function's. Raises BadInput."""
    if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
        raise BadInput(f"{name} cannot be the name of a function; use letters, digits and _, for example bold")
    return name


# ------------------------------------------------------------------------------------------------------- what a game says


def source_of(game: Game) -> tuple[ModuleType, str]:
    """The module in which a game is written, and its text."""
    function = getattr(game.observe, "py_func", game.observe)
    module = inspect.getmodule(function)
    if module is None:
        raise BadInput(f"the source of {game.name} is not to be found")
    return module, inspect.getsource(module)


def comments_in(source: str) -> dict[str, dict[str, str]]:
    """For each `NAME = record([…])` of a source the comments behind its fields."""
    found = {}
    for name, body in re.findall(r"^(\w+) = record\(\s*\[\n(.*?)^\s*\]", source, re.M | re.S):
        fields: dict[str, str] = {}
        for line in body.splitlines():
            code, _, comment = line.partition("  # ")
            for field in re.findall(r'\("(\w+)",', code):
                fields[field] = comment.strip()
        found[name] = fields
    return found


HEADER = {
    "seat": "this seat",
    "decision": "which kind of decision this is",
    "rules": "the rules in force",
}
"""The fields that every view begins with, those that the template does not speak of elsewhere."""


def field_lines(game: Game) -> list[str]:
    """A line a field of the view, with its shape and what its game's source says of it; nested records in full."""
    module, source = source_of(game)
    comments = comments_in(source)
    common = {entry[0] for entry in view_header(game.rules)}

    def record_comments(dtype: np.dtype) -> dict[str, str]:
        name = next((name for name in comments if getattr(module, name, None) is dtype or getattr(module, name, None) == dtype), "")
        return comments.get(name, {})

    def walk(dtype: np.dtype, path: str) -> list[str]:
        said, lines = record_comments(dtype), []
        for name in dtype.names or ():
            kind = dtype[name]
            shape = "".join(f"[{size}]" for size in kind.shape)
            where = f"{path}.{name}{shape}"
            if kind.base.names:
                lines += walk(kind.base, f"{where}")
            else:
                lines.append(f"{where}: {said[name]}" if said.get(name) else where)
        return lines

    lines = [f"view.{name}: {text}" for name, text in HEADER.items() if name != "rules"]
    lines[1] += " (" + ", ".join(f"{place} {kind}" for place, kind in enumerate(game.decisions)) + ")"
    for name in game.view.names or ():
        if name not in common:
            kind = game.view[name]
            if kind.base.names:
                lines += walk(kind.base, f"view.{name}" + "".join(f"[{size}]" for size in kind.shape))
            else:
                said = record_comments(game.view).get(name, "")
                lines.append(f"view.{name}" + "".join(f"[{size}]" for size in kind.shape) + (f": {said}" if said else ""))
    return [*lines, *rule_lines(game)]


def rule_lines(game: Game) -> list[str]:
    """A line a rule, with what its numbers stand for."""
    lines = []
    for parameter in game.parameters:
        text = f"view.rules.{parameter.name}: {parameter.help}"
        if parameter.kind == "choice":
            text += "; " + ", ".join(f"{parameter.code(value)} {value}" for value in parameter.legal)
        elif parameter.kind == "flag":
            text += "; 1 yes, 0 no"
        lines.append(text)
    return lines


def move_lines(game: Game) -> list[str]:
    """What the game's source says of its moves and cards: the paragraphs of its text that speak of them, and how moves are ordered."""
    module, _ = source_of(game)
    paragraphs = re.split(r"\n\s*\n", inspect.getdoc(module) or "")
    said = [" ".join(text.split()) for text in paragraphs[1:] if re.search(r"\b([Mm]oves?|[Aa] card is|[Aa] set of|[Aa] space is)\b", text)]
    legal = getattr(game.legal, "py_func", game.legal)
    order = " ".join((inspect.getdoc(legal) or "").split("\n\n")[0].split())
    return [*said, *([f"The legal moves: {order}"] if order else [])]


def commented(lines: list[str]) -> str:
    """Lines as comments within a function, broken where they are long."""
    broken = [part for line in lines for part in textwrap.wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False)]
    return "\n".join(f"    # {line}" for line in broken)


# ------------------------------------------------------------------------------------------------------------ templates


def strategy_text(game: Game, name: str, part: str = "", tries: tuple[str, ...] = ()) -> str:
    """The file of a new strategy, or of a part that serves one kind of decision. `tries` are the commands to try it with."""
    kinds = game.decisions
    several = len(kinds) > 1 and not part
    names = ", ".join(kind.upper() for kind in kinds)
    numbers = ", ".join(map(str, range(len(kinds))))
    constants = f'\n{names} = {numbers}\n"""Kinds of decision, as `view.decision` numbers them."""\n' if several else ""
    serves = f"Decides `{part}`" if part else "Plays"
    branch = ""
    if several:
        branch = textwrap.indent(
            f"if view.decision == {kinds[0].upper()}:\n    return 0  # the first legal move; the other kinds of decision come to what follows",
            "    ",
        )
        branch = f"\n{branch}\n"
    return STRATEGY.format(
        title=game.title, try_it="\n    ".join(tries), rules_page=game.rules_page, constants=constants,
        registered=f'"{game.strategies or game.name}"' + (f', "{part}"' if part else ""), name=name,
        summary=f"{serves} the last legal move now and then, otherwise any: say here what it does, `simkit games {game.name}` shows this line.",
        moves=commented(move_lines(game)), view=commented(field_lines(game)), module=source_of(game)[0].__name__, branch=branch,
    )  # fmt: skip


def study_text(name: str) -> str:
    """The file of a new study."""
    return STUDY.format(name=name)


def tries(game: Game, player: str) -> tuple[str, ...]:
    """Commands that try a player out, under rules that let it decide something."""
    import shlex

    rule = "" if game.has_choices({p.name: p.default for p in game.parameters}) else game.choices_hint().removeprefix("; try")
    seats = game.seats({p.name: p.default for p in game.parameters})
    players = shlex.quote(",".join([player] + [game.default_player] * (seats - 1)))
    return (
        f"simkit run {game.name}{rule} -n 10000 --players {players}",
        f"simkit play {game.name}{rule} --against {shlex.quote(player)}",
    )
