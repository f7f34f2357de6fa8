"""Tichu positions set up by hand, and played on move by move.

Cards are written as in the rules page: '9j', 'Tp', 'MJ', 'Dog', 'Ph', 'Dr'. A move is written by its cards, in the order
in which they are listed there; 'pass' is a pass or a declined offer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simkit.game import GIVEN, NO_MOVE, OVER
from simkit.games import _tichu_combinations as combos
from simkit.games import find, tichu
from simkit.jit import PLAIN

T, J, Q, K, A = 10, 11, 12, 13, 14
NUMBERS = {tichu.card_text(card): card for card in range(56)}
"""Card numbers by their names."""
YES = tichu.YES


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def cards(text: str) -> int:
    """A set of cards."""
    named = text.split()
    assert len(set(named)) == len(named), text
    return sum(1 << NUMBERS[name] for name in named)


def names(found: int) -> str:
    """The cards of a set, or of a move."""
    return " ".join(tichu.card_texts(int(found) & combos.CARDS))


def written(move: int) -> str:
    """A move by its cards."""
    return names(move) if move else "pass"


def tidy(text: str) -> str:
    """The same cards in the order in which `written` writes them."""
    return text if text == "pass" else names(cards(text))


def rank_of(move: int) -> int:
    return int(move) >> combos.RANK


def type_of(move: int) -> int:
    return int(move) >> combos.TYPE & 7


def new_state(*, game: str = "tichu", seed: int = 1, deal: int = 0, watch: int = 0, **changes: Any) -> Any:
    """A state that is ready for `start`."""
    definition = find(game)
    encoded = definition.encode_rules(definition.read_rules(changes))[0]
    state = one(tichu.STATE)
    for name in tichu.RULES.names:
        state["rules"][name] = encoded[name]
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, 1
    return state


def new_view(state: Any) -> Any:
    """A view for this game, its stream at the beginning."""
    view = one(tichu.VIEW)
    for name in tichu.RULES.names:
        view["rules"][name] = state["rules"][name]
    view["rng"][:4] = (1, 2, 3, 4)
    return view


def legal_moves(state: Any) -> list[int]:
    moves = np.zeros(tichu.MOST_MOVES, np.int64)
    return [int(move) for move in moves[: tichu.legal(state, moves)]] if state["seat"] >= 0 else []


def row(state: Any, game: str = "tichu") -> dict[str, int]:
    """The record by cell name."""
    definition = find(game)
    result = np.zeros(1, definition.result_type)
    definition.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    return dict(zip(definition.cells, result.view(np.int64).ravel().tolist(), strict=True))


def go_on(state: Any) -> None:
    """Play on to the next decision, or to the end."""
    while state["seat"] != OVER and state["seat"] < 0:
        tichu.step(state, NO_MOVE)


def given_deck(deck: Sequence[int], **changes: Any) -> Any:
    """A state at the first decision of a round of this deck."""
    state = new_state(**changes)
    state["dealing"] = GIVEN
    state["deck"][:56] = deck
    tichu.start(state)
    go_on(state)
    return state


def played(state: Any, choose: Any) -> Iterator[Any]:
    """Start a state and play it to the end; yields it at every decision and at the end."""
    tichu.start(state)
    go_on(state)
    while state["seat"] != OVER:
        yield state
        tichu.step(state, choose(state, legal_moves(state)))
        go_on(state)
    yield state


def combination(text: str, kind: int | None = None, rank: int | None = None, **rules: Any) -> int:
    """The one combination that all these cards make, or the one of this type and rank; a Phoenix alone has the rank given."""
    if text == "Ph":
        return combos.PHOENIX | (rank or 1) << combos.RANK
    found = [move for move in readings(text, **rules) if kind in (None, type_of(move)) and rank in (None, rank_of(move))]
    assert len(found) == 1, (text, found)
    return found[0]


def readings(text: str, **rules: Any) -> list[int]:
    """The combinations that all these cards make."""
    state = position([text, "2t", "2t", "2t"], **rules)
    return [move for move in legal_moves(state) if move & combos.CARDS == cards(text)]


def position(
    hands: Sequence[str],
    *,
    top: int = 0,
    owner: int = 3,
    leader: int = 0,
    wish: int = 0,
    out: Sequence[int] = (),
    calls: Mapping[int, int] | None = None,
    points: Sequence[int] = (0, 0, 0, 0),
    window: bool = False,
    rules: Mapping[str, Any] | None = None,
    **more: Any,
) -> Any:
    """A state in the midst of play, at its next decision.

    With a top combination it is the turn of the seat after its owner, or, with `window`, the window after it was played;
    without one, `leader` leads. `rules`, and what is named beside, are rules; `game`, `seed` and `deal` as for `new_state`.
    """
    state = new_state(**(rules or {}), **more)
    tichu.start(state)
    table = state["table"]
    for seat, hand in enumerate(hands):
        state["hand"][seat] = cards(hand)
        table["hand_size"][seat] = cards(hand).bit_count()
        table["points"][seat] = points[seat]
        table["out"][seat] = out[seat] if seat < len(out) else -1
        table["call"][seat] = (calls or {}).get(seat, 0)
        state["bombers"] |= int(bool(bombs_in(cards(hand)))) << seat
    table["outs"] = len(out)
    table["leader"] = leader
    table["wish"] = wish
    state["todo"] = tichu.TO_LEAD
    if top:
        table["top"], table["owner"], table["trick"] = top, owner, top & combos.CARDS
        table["seen"] = top & combos.CARDS
        table["plays"], table["play"][0], table["how"][0] = 1, top, owner | tichu.LEAD_BIT
        state["todo"] = tichu.TO_WINDOW if window else tichu.TO_TURN
    state["after"] = tichu.TO_TURN
    state["offset"] = 1
    go_on(state)
    return state


def bombs_in(hand: int) -> list[int]:
    """The fours of a kind and the straight flushes of five in a set, as sets."""
    found = [15 << 4 * rank - 4 for rank in range(2, 15)]
    found += [sum(1 << 4 * (rank + k) - 4 + suit for k in range(5)) for suit in range(4) for rank in range(2, 11)]
    return [bomb for bomb in found if hand & bomb == bomb]


class Position:
    """A position that is played on: `game.play(1, "9j 9s")` is seat 1's answer to what it must be asked now."""

    def __init__(self, hands: Sequence[str], **settings: Any) -> None:
        self.state = position(hands, **settings)

    @property
    def asked(self) -> tuple[int, str]:
        """Seat and kind of decision; (OVER, '') at the end."""
        seat = int(self.state["seat"])
        return (seat, find("tichu").decisions[int(self.state["decision"])]) if seat >= 0 else (seat, "")

    def legal(self) -> list[str]:
        return sorted(written(move) for move in legal_moves(self.state))

    def answer(self, seat: int, kind: str, move: int) -> None:
        assert self.asked == (seat, kind)
        assert move in legal_moves(self.state)
        tichu.step(self.state, move)
        go_on(self.state)

    def play(self, seat: int, text: str, kind: str = "play", rank: int | None = None) -> None:
        wanted = [move for move in legal_moves(self.state) if written(move) == tidy(text) and rank in (None, rank_of(move))]
        assert len(wanted) == 1, (text, self.asked, self.legal())
        self.answer(seat, kind, wanted[0])

    def bomb(self, seat: int, text: str) -> None:
        self.play(seat, text, "bomb")

    def wish(self, seat: int, rank: int) -> None:
        self.answer(seat, "wish", tichu.WISH_MOVE | rank << combos.RANK if rank else 0)

    def give(self, seat: int, receiver: int) -> None:
        self.answer(seat, "gift", tichu.GIFT_MOVE | receiver << combos.RANK)

    @property
    def table(self) -> Any:
        return self.state["table"]

    def points(self) -> list[int]:
        return [int(points) for points in self.table["points"]]

    def row(self) -> dict[str, int]:
        return row(self.state)
