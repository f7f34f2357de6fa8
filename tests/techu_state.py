"""Techu positions set up by hand, and games played move by move, with the kernel and with its slow twin.

A cell is a (row, column) pair; a move is (rank, cell), or (rank, None) for a discard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from simkit.game import GIVEN, OVER
from simkit.games import find, techu
from simkit.jit import PLAIN
from tests.reference import techu as reference

J, Q, K, A = 11, 12, 13, 14
BLACK, RED = 0, 1
Cell = tuple[int, int]
Board = Mapping[Cell, Any]


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def new_state(*, seed: int = 1, deal: int = 0, watch: int = 0, **changes: Any) -> Any:
    """A state that is ready for `start`."""
    game = find("techu")
    encoded = game.encode_rules(game.read_rules(changes))[0]
    state = one(techu.STATE)
    for name in techu.RULES.names:
        state["rules"][name] = encoded[name]
    state["seats"] = 2
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, 1
    return state


def given_decks(decks: Sequence[Sequence[int]], **changes: Any) -> Any:
    """A state whose `start` deals these decks as they are, front first."""
    state = new_state(**changes)
    state["dealing"] = GIVEN
    for seat, deck in enumerate(decks):
        state["deck"][seat, : len(deck)] = deck
    return state


def new_view(state: Any) -> Any:
    """A view for this game, its stream at the beginning."""
    view = one(techu.VIEW)
    for name in techu.RULES.names:
        view["rules"][name] = state["rules"][name]
    view["rng"][:4] = (1, 2, 3, 4)
    return view


def legal_moves(state: Any) -> list[int]:
    moves = np.zeros(techu.MOST_MOVES, np.int64)
    return [int(move) for move in moves[: techu.legal(state, moves)]] if state["seat"] >= 0 else []


def cells_of(spaces: int) -> set[Cell]:
    """The cells of a set of spaces."""
    return {divmod(space, 5) for space in range(25) if int(spaces) >> space & 1}


def ranks_of(cards: int) -> list[int]:
    """The ranks of a set of cards, ascending."""
    return techu.listed(cards)


def deck(state: Any, seat: int) -> list[int]:
    """What is left of a deck, front first."""
    return [int(card) for card in state["deck"][seat, 26 - int(state["table"]["deck_size"][seat]) : 26]]


def stacks(state: Any) -> list[list[tuple[int, int]]]:
    """Every stack, bottom first: (owner, rank)."""
    found = []
    for space in range(25):
        cards = int(state["table"]["stack"][space])
        found.append([(cards >> 16 + rank & 1, rank) for rank in range(2, 15) if cards >> rank & 1])
    return found


def row(state: Any) -> dict[str, int]:
    """The record so far by cell name."""
    game = find("techu")
    result = np.zeros(1, game.result_type)
    techu.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    return dict(zip(game.cells, result.view(np.int64).ravel().tolist(), strict=True))


def played(state: Any, choose: Callable[[Any, list[int]], int]) -> Iterator[Any]:
    """Start a state and play it to the end; yields it at every decision and at the end."""
    techu.start(state)
    while state["seat"] != OVER:
        yield state
        techu.step(state, choose(state, legal_moves(state)) if state["seat"] >= 0 else 0)
    yield state


def written(move: int) -> tuple[int, Cell | None]:
    rank, space = divmod(move, 32)
    return rank, None if space == 31 else divmod(space, 5)


def encoded(rank: int, cell: Cell | None) -> int:
    return rank * 32 + (31 if cell is None else cell[0] * 5 + cell[1])


def position(
    board: Board, hands: Sequence[Sequence[int]], decks: Sequence[Sequence[int]] = ((), ()), to_act: int = BLACK, **rules: Any
) -> Any:
    """A state in which `to_act`, who has drawn, is to act. A cell has a card (owner, rank), or several, bottom first."""
    state = new_state(**rules)
    techu.clear(state)
    table = state["table"]
    for cell, cards in board.items():
        space = cell[0] * 5 + cell[1]
        for owner, rank in [cards] if isinstance(cards, tuple) else cards:
            table["held"][1 - owner] &= ~(1 << space)
            techu.lay(state, owner, rank, space)
    for seat in (BLACK, RED):
        table["linked"][seat] = techu.links(table["held"][seat], seat)
        state["hand"][seat] = sum(1 << 4 * rank for rank in hands[seat])
        table["hand_size"][seat], table["deck_size"][seat] = len(hands[seat]), len(decks[seat])
        if decks[seat]:
            state["deck"][seat, 26 - len(decks[seat]) : 26] = decks[seat]
    ahead = int(table["held"][0]).bit_count() - int(table["held"][1]).bit_count()
    state["leader"] = (ahead > 0) - (ahead < 0)
    table["k"], table["first_mover"] = 1, to_act
    state["seat"] = state["to_act"] = to_act
    state["decision"] = techu.TURN
    return state


class KernelGame:
    """A position played with the compiled game."""

    def __init__(
        self, board: Board, hands: Sequence[Sequence[int]], decks: Sequence[Sequence[int]] = ((), ()), to_act: int = BLACK, **rules: Any
    ) -> None:
        self.state = position(board, hands, decks, to_act, **rules)

    def legal(self) -> list[tuple[int, Cell | None]]:
        return [written(move) for move in legal_moves(self.state)]

    def act(self, rank: int, cell: Cell | None = None) -> None:
        assert (rank, cell) in self.legal()
        techu.step(self.state, encoded(rank, cell))

    def to_act(self) -> int:
        return int(self.state["seat"])

    def held(self, player: int) -> set[Cell]:
        return cells_of(self.state["table"]["held"][player])

    def linked(self, player: int) -> set[Cell]:
        return cells_of(self.state["table"]["linked"][player])

    def stack(self, cell: Cell) -> list[tuple[int, int]]:
        return stacks(self.state)[cell[0] * 5 + cell[1]]

    def hand(self, player: int) -> list[int]:
        return ranks_of(self.state["hand"][player])

    def row(self) -> dict[str, int]:
        return row(self.state)


class TwinGame:
    """The same position played with the slow twin."""

    def __init__(
        self, board: Board, hands: Sequence[Sequence[int]], decks: Sequence[Sequence[int]] = ((), ()), to_act: int = BLACK, **rules: Any
    ) -> None:
        self.game = reference.position(board, hands, decks, to_act, rules)

    def legal(self) -> list[tuple[int, Cell | None]]:
        return [written(move) for move in self.game.legal_moves(self.game.to_act)] if not self.game.over() else []

    def act(self, rank: int, cell: Cell | None = None) -> None:
        game = self.game
        game.act(game.to_act, encoded(rank, cell))
        if not game.over():
            if game.has_cards(1 - game.to_act):
                game.to_act = 1 - game.to_act
            game.draw(game.to_act)

    def to_act(self) -> int:
        return OVER if self.game.over() else self.game.to_act

    def held(self, player: int) -> set[Cell]:
        return {divmod(space, 5) for space in range(25) if self.game.holder(space) == player}

    def linked(self, player: int) -> set[Cell]:
        return {divmod(space, 5) for space in self.game.linked(player)}

    def stack(self, cell: Cell) -> list[tuple[int, int]]:
        return list(self.game.board[cell[0] * 5 + cell[1]])

    def hand(self, player: int) -> list[int]:
        return [rank for rank, number in enumerate(self.game.hands[player]) for _ in range(number)]

    def row(self) -> dict[str, int]:
        return self.game.row()
