"""Play at the terminal: what a person is shown, and how typed moves are understood. The same for every game.

A person sits in one seat of a replay (see `simkit.replay`), is shown what that seat may know, and types moves.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from simkit.game import CAPPED, DRAW, ENDLESS, OUTCOMES, WIN, Game
from simkit.replay import Choice, Replay, Stopped, seen_event

FEW = 12
"""Legal moves that are listed without being asked for."""
WIDTH = 80
"""Columns of a list where no terminal says how wide it is."""

HELP = """\
Type a move: its number in the list of moves, or some of its words in order, in capitals or not, with or without
punctuation. Words may be cut short: 7 0 2 is enough for "place 7 on (0,2)", and d q for "discard Q".
  Enter   makes the move that is shown final
  u       (or undo) takes it back before that; so does typing another move
  moves   lists the legal moves
  board   shows again what has happened since your last move
  rules   says where the rules are, and which differ from the default
  quit    ends the game (so do Ctrl-C and Ctrl-D), and says how to see or play it again"""


def printer(styles: Sequence[tuple[str, str]]) -> Callable[[str], None]:
    """What prints a line: with these styles on a terminal, plainly anywhere else."""
    from rich.console import Console
    from rich.text import Text

    screen = Console(highlight=False, soft_wrap=True)
    if not screen.is_terminal or not styles:
        return print

    def styled(line: str) -> None:
        text = Text(line)
        for pattern, style in styles:
            text.highlight_regex(pattern, style)
        screen.print(text)

    return styled


# ------------------------------------------------------------------------------------------------- reading what is typed


def words_of(text: str) -> list[str]:
    """Its words in lower case, without punctuation."""
    return re.findall(r"\w+", text.lower())


def in_order(typed: Sequence[str], words: Sequence[str], fits: Callable[[str, str], bool]) -> bool:
    """Whether each typed word fits a word of the move, in this order."""
    rest = iter(words)
    return all(any(fits(short, word) for word in rest) for short in typed)


def begins(short: str, word: str) -> bool:
    """Whether a word may be cut short to this; a number may not: 1 is not 10."""
    return word == short or (short.isalpha() and word.startswith(short))


def fitting(typed: str, texts: Sequence[str]) -> list[int]:
    """The moves that fit what was typed: by number, or else the closest kind of fit that any move has.

    Closest is the whole text, then whole words in order, then words cut short in order.
    """
    words = words_of(typed)
    if not words:
        return []
    if re.fullmatch(r"#?\s*\d+\.?", typed.strip()) and 1 <= int(words[0]) <= len(texts):
        return [int(words[0]) - 1]
    moves = [words_of(text) for text in texts]
    for fit in (
        lambda move: move == words,
        lambda move: in_order(words, move, str.__eq__),
        lambda move: in_order(words, move, begins),
    ):
        found = [place for place, move in enumerate(moves) if fit(move)]
        if found:
            return found
    return []


def in_columns(texts: Sequence[str], places: Sequence[int], width: int) -> list[str]:
    """These moves with their numbers, in as many columns as fit, read downwards."""
    cells = [f"{place + 1:>4}  {texts[place]}" for place in places]
    widest = max(len(cell) for cell in cells)
    columns = max(1, min(len(cells), (width + 2) // (widest + 2)))
    rows = -(-len(cells) // columns)
    return ["  ".join(cell.ljust(widest) for cell in cells[row::rows]).rstrip() for row in range(rows)]


def read_line(prompt: str) -> str:
    """What is typed after the prompt. Where it does not come from a terminal it is printed, so that the record is whole. Raises EOFError."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        import readline  # noqa: F401  # gives input() its editing keys

        return input(prompt)
    sys.stdout.write(prompt)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():
        print(line.rstrip("\n"))
    return line


# ------------------------------------------------------------------------------------------------------------ a person


class Person:
    """Somebody at the terminal, in one seat.

    show: prints a line. ask: returns what is typed after a prompt, or raises EOFError. quick: a typed move is final at once.
    """

    def __init__(
        self,
        game: Game,
        seat: int,
        rules: str,
        *,
        quick: bool = False,
        show: Callable[[str], None] = print,
        ask: Callable[[str], str] = read_line,
        width: int = WIDTH,
    ) -> None:
        self.game, self.seat, self.rules = game, seat, rules
        self.quick, self.show, self.ask, self.width = quick, show, ask, width
        self.before: dict[str, Any] | None = None
        self.news: list[str] = []
        self.latest: list[str] = []
        self.hinted = False

    def watch(self, event: dict[str, Any]) -> None:
        """Show what this seat may know of an event."""
        scene = seen_event(self.game, event, self.seat).get("scene")
        if scene is None:
            return
        for line in self.game.tell(scene, self.before):
            self.show(line)
            self.news.append(line)
        self.before = scene

    def __call__(self, choice: Choice) -> int:
        """The index of the move that is made. Raises Stopped."""
        self.latest, self.news = self.news, []
        if len(choice.moves) == 1:
            self.show(f"Only one move is legal for you, and is made: {choice.texts[0]}")
            return 0
        self.offer(choice)
        index = None
        while True:
            typed = self.type(f"{choice.texts[index]}: final? " if index is not None else "Your move: ")
            if index is not None and not typed:
                return index
            if self.obeys(typed, choice, index):
                index = None if typed.lower() in ("u", "undo") else index
                continue
            index = self.understand(typed, choice, index)
            if index is not None and self.quick:
                self.show(f"Made: {choice.texts[index]}")
                return index

    def type(self, prompt: str) -> str:
        """What is typed. Raises Stopped at the end of it."""
        try:
            return self.ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            raise Stopped from None

    def offer(self, choice: Choice) -> None:
        """Show the moves, if they are few."""
        if len(choice.moves) <= FEW:
            self.list(choice, range(len(choice.moves)))
        else:
            self.show(f"{len(choice.moves)} moves are legal, for example: {choice.texts[0]} (moves lists them, ? helps)")

    def list(self, choice: Choice, places: Sequence[int]) -> None:
        """Show some of the moves with their numbers."""
        for line in in_columns(choice.texts, places, self.width):
            self.show(line)

    def obeys(self, typed: str, choice: Choice, index: int | None) -> bool:
        """Follow a command that is no move; whether it was one."""
        word = typed.lower()
        if word in ("quit", "exit"):
            raise Stopped
        if word in ("?", "help"):
            self.show(HELP)
        elif word == "moves":
            self.list(choice, range(len(choice.moves)))
        elif word == "board":
            for line in self.latest:
                self.show(line)
        elif word == "rules":
            self.show(self.rules)
        elif word == "undo" or (word == "u" and index is not None):
            self.show("Taken back." if index is not None else "There is nothing to take back; a move that was made final stays.")
        else:
            return False
        return True

    def understand(self, typed: str, choice: Choice, index: int | None) -> int | None:
        """The index of the move that was typed; says what is wrong if it is none, or several."""
        if not typed:
            self.show("Type a move; moves lists them, ? helps.")
            return index
        found = fitting(typed, choice.texts)
        if len(found) == 1:
            if not self.quick:
                self.hint(index is None)
            return found[0]
        if not found:
            self.show(f"No legal move fits {typed!r}; moves lists them, ? helps.")
        else:
            self.show(f"{len(found)} moves fit {typed!r}; type more, or a number:")
            self.list(choice, found)
        return index if not found else None

    def hint(self, first: bool) -> None:
        """Say once how a move is made final."""
        if first and not self.hinted:
            self.hinted = True
            self.show("(Enter makes it final, u takes it back.)")


def verdict(replay: Replay, seat: int) -> str:
    """How a finished game ended for this seat, in one line."""
    row, seats = replay.row, range(replay.plan.seats)
    payoffs = [row[f"payoff_{each}"] for each in seats]
    outcome, mine = row["outcome"], payoffs[seat]
    if outcome in (ENDLESS, CAPPED):
        ends = f"The game has no winner ({OUTCOMES[outcome]})."
    elif mine < max(payoffs):
        ends = "You lose."
    else:
        ends = {WIN: "You win.", DRAW: "A draw."}[outcome]
    return f"{ends} Payoffs by seat: {' : '.join(map(str, payoffs))}"
