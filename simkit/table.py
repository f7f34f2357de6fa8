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
MANY = 40
"""Legal moves that are counted by sort instead of listed, where the game sorts them."""
WIDTH = 80
"""Columns of a list where no terminal says how wide it is."""
LITTLE = {"of", "to", "for", "the"}
"""Words that need not be typed."""

HELP = """\
Type a move: its number in the list of moves, or some of its words in order, in capitals or not, with or without
punctuation. Words may be cut short: 7 0 2 is enough for "place 7 on (0,2)", and d q for "discard Q".
"""
HELP_WORDS = """\
Type a move: its words, or some of them in order, in capitals or not, with or without punctuation; they may be cut short.
Or # and its number in the list of moves: #3.
"""
COMMANDS = """\
  Enter   makes the move that is shown final
  u       (or undo) takes it back before that; so does typing another move
  moves   lists the legal moves; moves and some words, those with these words
  board   shows again what has happened since your last move
  rules   says where the rules are, and which differ from the default
  quit    ends the game (so do Ctrl-C and Ctrl-D), and says how to see or play it again
  q       does so too where no legal move fits it, once Enter confirms it"""
OFFERS = """
Where the prompt names a move for it, Enter on its own makes that move.
  skip    makes it now, and unasked at every later choice of this kind, until you type ask
  ask     asks you again at all of them"""


def help_text(game: Game) -> str:
    """What `?` shows."""
    words = (HELP if game.numbered else HELP_WORDS) + (f"{game.typing}\n" if game.typing else "")
    return words + COMMANDS + (OFFERS if game.offers else "")


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
    """Whether a word may be cut short to this; a number may not: 1 is not 10. But 7 may be 7j."""
    if not word.startswith(short):
        return False
    return word == short or not short[-1].isdigit() or not word[len(short)].isdigit()


def each_begins(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether these are all the words, in this order, each perhaps cut short."""
    return len(typed) == len(words) and all(map(begins, typed, words))


def in_any_order(typed: Sequence[str], words: Sequence[str]) -> bool:
    """Whether these are all the words, in any order, each perhaps cut short."""
    left = list(words)
    for short in sorted(typed, key=len, reverse=True):
        found = next((word for word in left if begins(short, word)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


def parts_of(text: str) -> list[list[str]]:
    """What may be typed for a move: '7j 7s (pair of 7)' by its words, '7j 7s' or 'pair 7'; 'bid 4' by '4'."""
    main, _, reading = text.rstrip(")").partition(" (")
    words = words_of(main)
    named = len(words[0]) > 2 and words[0].isalpha()  # by a verb that may be left out
    parts = [words, words_of(reading), words[1:] if named else []]
    return [part for part in ([word for word in part if word not in LITTLE] for part in parts) if part]


def fitting(typed: str, texts: Sequence[str], numbered: bool = True) -> list[int]:
    """The moves that fit what was typed: by number, or else the closest kind of fit that any move has.

    Closest is the whole text, then whole words in order, then words cut short in order. If not `numbered`, a number is a word of
    the moves (and #7 the seventh), and before some of a move's words come all of one part of it (see `parts_of`).
    """
    words = words_of(typed)
    if not words:
        return []
    if re.fullmatch(r"#?\s*\d+\.?" if numbered else r"#\s*\d+\.?", typed.strip()) and 1 <= int(words[0]) <= len(texts):
        return [int(words[0]) - 1]
    moves = [words_of(text) for text in texts]
    tries: list[list[bool]] = [[move == words for move in moves]]
    if not numbered:
        plain = [word for word in words if word not in LITTLE]
        parts = [parts_of(text) for text in texts]
        for fit in (list.__eq__, each_begins, in_any_order):
            tries.append([any(fit(plain, part) for part in each) for each in parts])
    tries.append([in_order(words, move, str.__eq__) for move in moves])
    tries.append([in_order(words, move, begins) for move in moves])
    return next(([place for place, fits in enumerate(fit) if fits] for fit in tries if any(fit)), [])


def in_columns(texts: Sequence[str], places: Sequence[int], width: int, mark: str = "") -> list[str]:
    """These moves with their numbers, in as many columns as fit, read downwards."""
    cells = [f"{f'{mark}{place + 1}':>4}  {texts[place]}" for place in places]
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
        self.skipped: set[str] = set()
        self.declined: tuple[str, list[int]] | None = None

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
        """The index of the move that is made. An offer is not made again while nothing has been seen. Raises Stopped."""
        if len(choice.moves) == 1:
            self.show(f"(Your only legal move: {choice.texts[0]})")
            return 0
        if choice.kind in self.skipped or ((choice.kind, choice.moves) == self.declined and not self.news):
            return 0
        if self.news:
            self.latest, self.news = self.news, []
        index = self.choose(choice)
        self.declined = (choice.kind, choice.moves) if choice.kind in self.game.offers and index == 0 else None
        return index

    def choose(self, choice: Choice) -> int:
        """Ask until a move is final. Raises Stopped."""
        self.offer(choice)
        index = None
        while True:
            typed = self.read(choice, index)
            if not typed and (index is not None or choice.kind in self.game.offers):
                return index or 0
            if typed.lower() == "skip" and choice.kind in self.game.offers:
                self.skipped.add(choice.kind)
                self.show(f"{capital(choice.texts[0])}, from now on (ask: be asked again).")
                return 0
            if self.obeys(typed, choice, index):
                index = None if typed.lower() in ("u", "undo") else index
                continue
            index = self.understand(typed, choice, index)
            if index is not None and self.quick:
                self.show(f"Made: {choice.texts[index]}")
                return index

    def prompt(self, choice: Choice, index: int | None) -> str:
        """What is asked: to confirm a move, or to type one."""
        if index is not None:
            return f"{choice.texts[index]}: final? "
        if choice.kind in self.game.offers:
            return f"{choice.texts[1]}? (Enter: {choice.texts[0]}) " if yes_or_no(choice) else f"Your move (Enter: {choice.texts[0]}): "
        return "Your move: "

    def read(self, choice: Choice, index: int | None) -> str:
        """What is typed at a choice; `quit` for a q that fits no move and is confirmed, as it may have meant a queen. Raises Stopped."""
        typed = self.type(self.prompt(choice, index))
        if typed.lower() != "q" or self.found(typed, choice):
            return typed
        typed = self.type("No legal move fits 'q'. Enter ends the game; or type a move: ")
        return "quit" if typed.lower() in ("", "q") else typed

    def type(self, prompt: str) -> str:
        """What is typed. Raises Stopped at the end of it."""
        try:
            return self.ask(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            print()
            raise Stopped from None

    def different(self, choice: Choice, places: Sequence[int] | None = None) -> list[int]:
        """Of these moves (of all) the first of each that need not be told apart."""
        first: dict[Any, int] = {}  # by key
        for place in range(len(choice.moves)) if places is None else places:
            first.setdefault(choice.alike[place] if choice.alike else place, place)
        return list(first.values())

    def offer(self, choice: Choice) -> None:
        """Show the moves, if they are few."""
        different = self.different(choice)
        if choice.kind in self.game.offers and yes_or_no(choice):
            return
        if len(different) <= FEW:
            self.show_list(choice, different)
            return
        sorts = f" ({counted(choice, different)})" if len(different) > MANY and any(choice.sorts) else ""
        helps = "moves lists them, ? helps" if not sorts else f"moves {choice.sorts[different[-1]]}, for example, lists some, ? helps"
        self.show(f"{len(different)} moves are legal{sorts}, for example: {choice.texts[0]} ({helps})")

    def show_list(self, choice: Choice, places: Sequence[int]) -> None:
        """Show some of the moves with their numbers."""
        for line in in_columns(choice.texts, places, self.width, "" if self.game.numbered else "#"):
            self.show(line)

    def list_some(self, choice: Choice, words: str) -> None:
        """List the moves with these words, or of this sort; without words all, or how many there are of each sort if they are many."""
        different = self.different(choice)
        if words:
            of_sort = [place for place in different if choice.sorts and choice.sorts[place] and choice.sorts[place] == singular(words)]
            found = of_sort or self.different(choice, self.found(words, choice))
            self.show_list(choice, found) if found else self.show(f"No legal move fits {words!r}.")
        elif len(different) > MANY and any(choice.sorts):
            self.show(f"{counted(choice, different)}; type moves and a sort: moves {choice.sorts[different[-1]]}")
        else:
            self.show_list(choice, different)

    def found(self, typed: str, choice: Choice) -> list[int]:
        """The moves that fit what was typed."""
        for pattern, meant in self.game.spellings:
            typed = re.sub(pattern, meant, typed, flags=re.IGNORECASE)
        return fitting(typed, choice.texts, self.game.numbered)

    def obeys(self, typed: str, choice: Choice, index: int | None) -> bool:
        """Follow a command that is no move; whether it was one."""
        word, _, rest = typed.lower().partition(" ")
        if word in ("quit", "exit"):
            raise Stopped
        if word in ("?", "help"):
            self.show(help_text(self.game))
        elif word == "moves":
            self.list_some(choice, rest.strip())
        elif word == "ask" and self.game.offers:
            self.skipped.clear()
            self.show("You are asked every time.")
        elif word == "board":
            for line in self.latest:
                self.show(line)
        elif word == "rules":
            self.show(self.rules)
        elif word == "undo" or (typed.lower() == "u" and (index is not None or not self.found(typed, choice))):
            self.show("Taken back." if index is not None else "Nothing to take back: the last move was final.")
        else:
            return False
        return True

    def understand(self, typed: str, choice: Choice, index: int | None) -> int | None:
        """The index of the move that was typed; says what is wrong if it is none, or several."""
        if not typed:
            self.show("Type a move; moves lists them, ? helps.")
            return index
        found = self.different(choice, self.found(typed, choice))
        if len(found) == 1:
            if not self.quick:
                self.hint(index is None)
            return found[0]
        if not found:
            self.show(f"No legal move fits {typed!r}; moves lists them, ? helps.")
        else:
            self.show(f"{len(found)} moves fit {typed!r}; type more, or {'a' if self.game.numbered else '# and a'} number:")
            self.show_list(choice, found)
        return index if not found else None

    def hint(self, first: bool) -> None:
        """Say once how a move is made final."""
        if first and not self.hinted:
            self.hinted = True
            self.show("(Enter makes it final, u takes it back.)")


def yes_or_no(choice: Choice) -> bool:
    """Whether the choice is between something and no such thing."""
    return len(choice.moves) == 2 and choice.texts[0] == f"no {choice.texts[1]}"


def capital(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]


def singular(word: str) -> str:
    """'pair' of 'pairs'."""
    return word.removesuffix("s")


def counted(choice: Choice, places: Sequence[int]) -> str:
    """How many of these moves there are of each sort: '13 single, 6 pair, 19 straight'."""
    counts: dict[str, int] = {}
    for place in places:
        name = choice.sorts[place] or choice.texts[place]
        counts[name] = counts.get(name, 0) + 1
    return ", ".join(f"{count} {name}{'s' if count > 1 and name in choice.sorts else ''}" for name, count in counts.items())


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
    told = f"{ends} Payoffs by seat: {' : '.join(map(str, payoffs))}"
    scores = [row.get(f"score_{each}") for each in seats]
    return told if None in scores else f"{told}; scores: {' : '.join(map(str, scores))}"
