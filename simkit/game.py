"""The contract that every game fulfils: four record types, six compiled functions, and what people need to read it.

A game is described by one `Game` object in one file of `simkit/games/`. Its parameters become the fields of its rules
record, its columns the fields of its result record; the state and the view are numpy structured types of its own that
begin with `state_header` and `view_header`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

INT = "<i8"
STREAM = ("<u8", (6,))
"""A random stream: four words of state, and the coins that are left of a fifth (see `simkit.rng`)."""

WIN, DRAW, ENDLESS, CAPPED = 0, 1, 2, 3
OUTCOMES = ("win", "draw", "endless", "capped")

OVER = -1
"""`state.seat` when the game is over."""
PAUSED = -2
"""`state.seat` when a watched game stops to be looked at; `step` with any move goes on."""
NO_MOVE = 0

SHUFFLED, EVERY_DEAL, GIVEN, HAND_GIVEN = 0, 1, 2, 3
"""`state.dealing`: a deal by the random stream; deal number `deal` of all there are; the deck as it stands in the state; one seat's
hand as it stands in the state, all else by the random stream."""


class BadInput(ValueError):
    """What the user asked for cannot be had. The message is one line that says what is wrong and what to do."""


def nearest(word: str, known: list[str] | tuple[str, ...]) -> str:
    """'; did you mean X?', or nothing if no known word is near."""
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


@dataclass(frozen=True)
class Parameter:
    """One rule decision: a name, a default, and the values it may take.

    `legal` is a (low, high) pair of integers with `kind="range"`, or a tuple of the legal values (words, or integers and
    words mixed) with `kind="choice"`, or (False, True) with `kind="flag"`.
    """

    name: str
    default: Any
    legal: tuple
    kind: str
    help: str

    def read(self, value: Any) -> Any:
        """The legal value that `value` (of any type, text included) stands for. Raises BadInput."""
        found = self._match(value)
        if found is None:
            raise BadInput(f"{self.name} = {value} is not legal: {self.legal_text()}")
        return found

    def _match(self, value: Any) -> Any:
        text = str(value).strip().lower()
        if self.kind == "range":
            try:
                number = int(float(text)) if float(text).is_integer() else None
            except (ValueError, OverflowError):
                return None
            return number if number is not None and self.legal[0] <= number <= self.legal[1] else None
        if self.kind == "flag":
            return {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}.get(text)
        return next((legal for legal in self.legal if str(legal) == text.replace("-", "_")), None)

    def legal_text(self) -> str:
        if self.kind == "range":
            low, high = self.legal
            return f"a whole number from {low} to {high}" if high > low + 1 else f"{low} or {high}" if high > low else f"{low}"
        return "one of " + ", ".join(str(value).lower() if self.kind == "flag" else str(value) for value in self.legal)

    def code(self, value: Any) -> int:
        """The integer that stands for this legal value in the rules record."""
        return self.legal.index(value) if self.kind == "choice" else int(value)

    def every(self) -> list[Any]:
        """All legal values, for a sweep over `all`. Raises BadInput where they are too many to mean it."""
        if self.kind != "range":
            return list(self.legal)
        if self.legal[1] - self.legal[0] > 200:
            raise BadInput(
                f"{self.name}=all would be {self.legal[1] - self.legal[0] + 1} settings; name a range such as {self.name}={self.legal[0]}:{self.legal[0] + 5}"
            )
        return list(range(self.legal[0], self.legal[1] + 1))


def whole(name: str, default: int, low: int, high: int, text: str) -> Parameter:
    """A parameter that is a whole number in low..high."""
    return Parameter(name, default, (low, high), "range", text)


def choice(name: str, default: Any, legal: tuple, text: str) -> Parameter:
    """A parameter that is one of a few values; the record holds its position among them."""
    return Parameter(name, default, legal, "choice", text)


def flag(name: str, default: bool, text: str) -> Parameter:
    """A parameter that is true or false."""
    return Parameter(name, default, (False, True), "flag", text)


@dataclass(frozen=True)
class Column:
    """One thing that is recorded of each game: an integer, or one for each seat, or one for each label.

    Values from `low` to `low + width - 1` are counted directly; others are counted too, but slower. Columns of the group
    `all` cost time and can be left out. `finished` columns describe the course of the game, so that their mean
    and quantiles are over finished games only; what is dealt, and how the game ended, is known of every game.
    """

    name: str
    help: str
    low: int = 0
    width: int = 2
    group: str = "basic"
    per: str = "game"
    labels: tuple[str, ...] = ()
    finished: bool = True
    tallied: bool = True

    def names(self, seats: int) -> list[str]:
        """The names of its cells: `aces_0`, `aces_1`, … for a column per seat."""
        if self.per == "seat":
            return [f"{self.name}_{seat}" for seat in range(seats)]
        return [f"{self.name}_{label}" for label in self.labels] or [self.name]


def result_columns() -> list[Column]:
    """The columns that every game begins with."""
    return [
        Column("payoff", "2 for a win, 1 for a draw, 0 for a loss, or points", 0, 3, per="seat", finished=False),
        Column("outcome", "0 win, 1 draw, 2 endless, 3 capped", 0, 4, finished=False),
        Column("winner", "the winning seat, of a team its first; -1 if nobody won", -1, 8, finished=False),
    ]


def state_header(rules: np.dtype) -> list[tuple]:
    """The fields that every state begins with."""
    return [
        ("rng", *STREAM),  # the stream in use
        ("key", INT, (2,)),  # seed, deal
        ("seats", INT),
        ("seat", INT),  # to act; OVER; PAUSED
        ("decision", INT),  # which kind of choice this is
        ("watch", INT),  # 1: pause at everything worth seeing
        ("dealing", INT),  # SHUFFLED, EVERY_DEAL, GIVEN
        ("detail", INT),  # 1: record the columns that cost time
        ("rules", rules),
    ]


def given_hand_fields(most: int) -> list[tuple]:
    """The fields of a state whose game can deal HAND_GIVEN, with at most `most` cards to a hand (see `games/_given_hand.py`)."""
    return [
        ("hand_seat", INT),  # who is dealt the given hand
        ("hand_size", INT),
        ("hand_cards", "u1", (most,)),  # as they are written in the deck
        ("hand_call", INT),  # 0: its player decides; k: the k-th of the game's `calls` is forced on it
    ]


def view_header(rules: np.dtype) -> list[tuple]:
    """The fields that every view begins with."""
    return [
        ("rng", *STREAM),  # this seat's own stream
        ("seat", INT),
        ("decision", INT),
        ("params", "<f8", (8,)),  # in the order in which the strategy's decorator names them
        ("memory", INT, (8,)),  # the strategy's own, zeroed before each game
        ("rules", rules),
    ]


def record(fields: list[tuple]) -> np.dtype:
    """An aligned structured type, refusing field names that would hide a method of numpy's records."""
    names = [entry[0] for entry in fields]
    hidden = [name for name in names if hasattr(np.record, name) or hasattr(np.recarray, name)]
    if hidden:
        raise TypeError(f"field names {hidden} are methods of numpy records; choose others")
    return np.dtype(fields, align=True)


def rules_record(parameters: list[Parameter]) -> np.dtype:
    """One int64 a parameter, in their order."""
    return record([(parameter.name, INT) for parameter in parameters])


def result_record(columns: list[Column], seats: int) -> np.dtype:
    """One int64 a cell: a result row is also a plain row of integers."""
    fields: list[tuple] = []
    for column in columns:
        cells = column.names(seats)
        fields.append((column.name, INT, (len(cells),)) if column.per == "seat" or column.labels else (column.name, INT))
    return record(fields)


@dataclass(frozen=True)
class Call:
    """A bet on a hand that can be forced on whoever is dealt it, or (value 0) that nothing is bet.

    `made` is the column, one a seat, that is above 0 where the bet was placed; it is then won if the hand reaches the game's goal,
    and worth `value`, else -`value`. Without that column (""), the bet is settled by something else than the goal.
    """

    name: str
    value: int = 0
    made: str = "call"


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its types, its compiled functions, and how to speak of it.

    The functions (see the design notes in CONTRIBUTING): start(state), legal(state, moves) -> n, observe(state, seat,
    view), step(state, move), score(state, result), and for search guess(view, state). `same(view, move)`, if there is one, is an int64
    key: of moves with the same key, which differ in what cannot matter, a search tries the first. `check(rules)` returns what is
    wrong with a set of rules that are legal one by one, or "". `deals(rules)` is how many distinct deals there are, for games that can
    play every one.

    For people: `scene(state)` is all there is to see, as JSON types; `seen(scene, seat)` what of it that seat may know, hidden
    cards replaced by their number and hidden choices by None, {} if it sees nothing; `tell(scene, the scene before)` puts
    either in words, a line a fact. `styles` pairs a regular expression with the style (of Rich) in which a terminal shows what it matches.
    `move_text(move, decision)` names a move of a kind of decision. With `tells_decisions` scenes tell all that was decided, if later, so
    that a replay adds no lines of its own.

    For whoever types moves: `offers` are kinds of decision at which Enter makes the first move (to decline, say). `alike(scene, decision,
    moves)` gives a key a move; of moves with the same key (which differ in suits that cannot matter, say) the first is taken, and
    listed. `sort_of(move, decision)` sorts a long list under headings. With `numbered=False` a number typed is a word of the
    moves (a rank, a bid), and #7 the seventh of the list. `spellings` are pairs (regular expression, what is meant by it);
    `typing` says all this in the game's words.

    `default_player` plays where nobody is named; `best_player`, the strongest all-round strategy, where strength is what is asked
    for: `simkit hand` judges a hand by it ("": by the default one).

    `decided_by_deal(rules)`: whether nobody chooses anything and nothing is random but the deal, so that a run of every deal gives exact figures.

    `rules` is the rules record; where several games share their kernels it has fields that are no parameters of this one,
    and `fixed` holds their values. `length` names the column that says how long a game is.
    `teams(rules)` is the team of each seat, (0, 1, 0, 1) say; () where each seat plays for itself.
    `hidden_cells(rules)` names the cells that mean nothing under these rules (a rank that is not in the deck).
    For games that can be played with a given hand (HAND_GIVEN, their states have `given_hand_fields`): `read_hand(text, rules)` is
    its cards as they are written in the deck, and raises BadInput; `write_hand(cards, rules)` the text of such cards. `goal` is
    the column that holds the seat whose hand did best (or `winner`), and what such a seat did, in words; `calls(cards, rules)` are the
    bets on it, the one that places none first. The state's `hand_call` says which of them the game forces, 1 the first.
    """

    name: str
    title: str
    version: int
    rules_page: str
    parameters: list[Parameter]
    columns: list[Column]
    rules: np.dtype
    state: np.dtype
    view: np.dtype
    largest_seats: int
    largest_moves: int
    start: Callable
    legal: Callable
    observe: Callable
    step: Callable
    score: Callable
    scene: Callable
    tell: Callable
    guess: Callable | None = None
    same: Callable | None = None
    decisions: tuple[str, ...] = ("play",)
    move_text: Callable[..., str] = lambda move, decision=0: str(move)
    seen: Callable[[dict, int], dict] = lambda scene, seat: scene
    styles: tuple[tuple[str, str], ...] = ()
    tells_decisions: bool = False
    offers: tuple[str, ...] = ()
    alike: Callable[[dict, int, list[int]], list] = lambda scene, decision, moves: moves
    sort_of: Callable[..., str] = lambda move, decision=0: ""
    numbered: bool = True
    spellings: tuple[tuple[str, str], ...] = ()
    typing: str = ""
    default_player: str = "random"
    best_player: str = ""
    joints: tuple[tuple[str, str], ...] = ()
    check: Callable[[Mapping], str] = lambda rules: ""
    has_choices: Callable[[Mapping], bool] = lambda rules: True
    hidden_cells: Callable[[Mapping], set[str]] = lambda rules: set()
    teams: Callable[[Mapping], tuple[int, ...]] = lambda rules: ()
    deals: Callable[[Mapping], int] | None = None
    decided_by_deal: Callable[[Mapping], bool] = lambda rules: False
    read_hand: Callable[[str, Mapping], tuple[int, ...]] | None = None
    write_hand: Callable[[Sequence[int], Mapping], str] = lambda cards, rules: " ".join(map(str, cards))
    goal: tuple[str, str] = ("winner", "wins")
    calls: Callable[[Sequence[int], Mapping], tuple[Call, ...]] = lambda cards, rules: ()
    fixed: Mapping[str, int] = field(default_factory=dict)
    strategies: str = ""
    length: str = "turns"
    by: dict[str, Parameter] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.by.update({parameter.name: parameter for parameter in self.parameters})

    def choices_hint(self) -> str:
        """'; try --rule name=value' with a rule under which players decide something, where there is one."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        for parameter in self.parameters:
            for value in parameter.legal if parameter.kind != "range" else ():
                if self.has_choices({**defaults, parameter.name: value}):
                    return f"; try --rule {parameter.name}={value}"
        return ""

    @cached_property
    def result_type(self) -> np.dtype:
        return result_record(self.columns, self.largest_seats)

    @cached_property
    def cell_columns(self) -> dict[str, Column]:
        """For each cell the column it belongs to."""
        return {name: column for column in self.columns for name in column.names(self.largest_seats)}

    @cached_property
    def cells(self) -> list[str]:
        """The names of a result row's integers, in order, for the largest number of seats."""
        return list(self.cell_columns)

    def read_rules(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All rules by name: the given ones, read and checked, and defaults for the rest. Raises BadInput."""
        for name in given:
            if name not in self.by:
                raise BadInput(f"{self.name} has no rule {name}{nearest(name, list(self.by))}; see: simkit games {self.name}")
        rules = {p.name: p.read(given[p.name]) if p.name in given else p.default for p in self.parameters}
        wrong = self.check(rules)
        if wrong:
            raise BadInput(f"{self.name}: {wrong}")
        return rules

    def encode_rules(self, rules: Mapping[str, Any]) -> np.ndarray:
        """The rules as a record array of one."""
        row = np.zeros(1, self.rules)
        for name in self.rules.names or ():
            row[name] = self.by[name].code(rules[name]) if name in self.by else self.fixed[name]
        return row

    def seats(self, rules: Mapping[str, Any]) -> int:
        return int(rules["players"]) if "players" in rules else self.largest_seats

    def winners(self, rules: Mapping[str, Any]) -> list[int]:
        """For each seat what the column `winner` says if it wins: the seat, or the first seat of its team."""
        teams = self.teams(rules)
        return [teams.index(team) for team in teams] or list(range(self.seats(rules)))

    def shown_cells(self, rules: Mapping[str, Any], columns: str = "all", tallied: bool = True) -> list[str]:
        """The cells that are recorded under these rules for `basic`, `all`, or names separated by commas.

        Those that are counted, or (tallied=False) those that only identify a game. Raises BadInput.
        """
        hidden = self.hidden_cells(rules)
        seats = self.seats(rules)
        every = [(column, name) for column in self.columns for name in column.names(seats) if name not in hidden]
        cells = [(column, name) for column, name in every if column.tallied == tallied]
        if columns in ("basic", "all"):
            return [name for column, name in cells if columns == "all" or column.group == "basic"]
        wanted = [word.strip() for word in columns.split(",") if word.strip()]
        known = {name for _, name in every} | {column.name for column, _ in every}
        for word in wanted:
            if word not in known:
                raise BadInput(f"{self.name} records no column {word}{nearest(word, sorted(known))}; see: simkit games {self.name}")
        always = ("payoff", "outcome", "winner", "capped")
        return [name for column, name in cells if name in wanted or column.name in wanted or column.name in always]

    def needs_detail(self, cells: list[str]) -> bool:
        """Whether any of these cells belongs to the columns that cost time."""
        columns = self.cell_columns
        return any(columns[name].group != "basic" for name in cells)
