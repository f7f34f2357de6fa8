"""TEN positions set up by hand, and games played move by move.

A card is written as in the rules page: "red 6", "currency 2", "blue #", "wild 5", "full".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from simkit.game import GIVEN, OVER, PAUSED
from simkit.games import find, ten
from simkit.jit import PLAIN

COLOURS = ("red", "blue", "orange", "green")


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def kind(card: str) -> int:
    """The kind of a card as it is written."""
    word, _, rest = card.partition(" ")
    if word in COLOURS:
        return ten.HASH + COLOURS.index(word) if rest == "#" else 9 * COLOURS.index(word) + int(rest) - 1
    return {"full": ten.FULL, "wild": ten.NUMBERED - 1 + int(rest or 0), "currency": ten.CURRENCY - 1 + int(rest or 0)}[word]


def cards(text: str) -> list[int]:
    """Kinds of cards written with commas; 'red 1-6' and 'red 1 2 5' are several."""
    found = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        word, _, rest = part.partition(" ")
        numbers: list[Any] = []
        for piece in rest.split():
            low, dash, high = piece.partition("-")
            numbers += range(int(low), int(high) + 1) if dash else [piece]
        found += [kind(f"{word} {number}") for number in numbers] or [kind(part)]
    return found


def new_state(*, seed: int = 1, deal: int = 0, watch: int = 0, **changes: Any) -> Any:
    """A state that is ready for `start`."""
    game = find("ten")
    encoded = game.encode_rules(game.read_rules(changes))[0]
    state = one(ten.STATE)
    for name in ten.RULES.names:
        state["rules"][name] = encoded[name]
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, 1
    return state


def given_deck(deck: str, **changes: Any) -> Any:
    """A state whose `start` deals this deck as it is, front first."""
    state = new_state(**changes)
    kinds = cards(deck)
    state["dealing"], state["given_cards"] = GIVEN, len(kinds)
    state["deck"][: len(kinds)] = kinds
    return state


def add(pile: Any, kinds: Sequence[int]) -> None:
    """Put cards into a pile of the table."""
    for each in kinds:
        pile[int(ten.WORD[each])] += 1 << int(ten.SHIFT[each])


def give(state: Any, seat: int, kinds: Sequence[int]) -> None:
    """Put cards into a collection."""
    table = state["table"]
    add(table["held"][seat], kinds)
    for each in kinds:
        if int(table["owned"][seat]) >> each & 1:
            table["several"][seat] |= 1 << each
        table["owned"][seat] |= 1 << each
        table["cards"][seat] += 1


def position(
    *,
    deck: str,
    tableau: str = "",
    market: str = "",
    collections: Sequence[str] = (),
    holdings: Sequence[str] = (),
    active: int = 0,
    **rules: Any,
) -> Any:
    """A state in which `active` is about to draw the first card of `deck`. A holding is 'coins/bust tokens', as '4/1'."""
    state = new_state(**{"players": 3} | rules)
    ten.clear(state)
    table, kinds = state["table"], cards(deck)
    state["deck"][: len(kinds)] = kinds
    table["deck_total"] = table["deck_size"] = len(kinds)
    add(table["left"], kinds)
    for each in kinds:
        if each < ten.HASH:
            table["numbers_left"] += 1 << ten.NUMBER_BITS * (each % 9)
    add(table["tableau"], cards(tableau))
    for each in cards(tableau):
        table["total"] += each % 9 + 1 if each < ten.HASH else ten.CURRENCY - 1 - each
        table["currency"] += max(each - ten.CURRENCY + 1, 0)
        table["tableau_cards"] += 1
        if each < ten.HASH:
            table["tableau_several"] |= table["tableau_kinds"] & (1 << each)
            table["tableau_kinds"] |= 1 << each
    add(table["market"], cards(market))
    for each in cards(market):
        table["market_kinds"] |= 1 << each
    for seat, owned in enumerate(collections):
        give(state, seat, cards(owned))
    for seat, holding in enumerate(holdings):
        coins, tokens = map(int, holding.split("/"))
        table["coins"][seat], table["bust_tokens"][seat] = coins, tokens
        table["token_supply"] -= tokens
    table["active"], table["turn"], table["first_mover"] = active, 1, active
    state["seat"] = PAUSED
    return state


def at(phase: int, **given: Any) -> Any:
    """A `position` run on from one of the game's phases to its next decision."""
    state = position(**given)
    state["phase"] = phase
    return run_on(state)


def drawn(**given: Any) -> Any:
    """A `position` after `active` has drawn, at the next decision."""
    return at(ten.DRAWING, **given)


def run_on(state: Any) -> Any:
    while state["seat"] == PAUSED:
        ten.step(state, 0)
    return state


def legal_moves(state: Any) -> list[int]:
    moves = np.zeros(ten.MOST_MOVES, np.int64)
    return [int(move) for move in moves[: ten.legal(state, moves)]] if state["seat"] >= 0 else []


def act(state: Any, kind_of_decision: str, move: int, seat: int | None = None) -> Any:
    """Make a move that must be legal at a decision of this kind, and run on to the next decision."""
    assert ten.DECISIONS[int(state["decision"])] == kind_of_decision
    assert seat is None or state["seat"] == seat
    assert move in legal_moves(state)
    ten.step(state, move)
    return run_on(state)


def held(state: Any, seat: int) -> str:
    """'coins/bust tokens'."""
    return f"{int(state['table']['coins'][seat])}/{int(state['table']['bust_tokens'][seat])}"


def pile(state: Any, name: str, seat: int | None = None) -> list[int]:
    """The cards of a pile of the table, or of a collection, ascending by kind."""
    where = state["table"][name]
    return ten.kinds_in(where if seat is None else where[seat])


def deck_left(state: Any) -> list[int]:
    table = state["table"]
    return [int(each) for each in state["deck"][int(table["deck_total"]) - int(table["deck_size"]) : int(table["deck_total"])]]


def row(state: Any) -> dict[str, int]:
    """The record so far by cell name."""
    result = one(find("ten").result_type)
    ten.score(state, result)
    cells = np.array([result], dtype=find("ten").result_type) if not PLAIN else np.array([tuple(result)], dtype=find("ten").result_type)
    return dict(zip(find("ten").cells, cells.view(np.int64).ravel().tolist(), strict=True))


def score_of(owned: str, **rules: Any) -> int:
    """The optimal score of a collection."""
    state = position(deck="red 1", collections=[owned], **rules)
    return int(ten.score_now(state["table"], 0, state["rules"]))


def played(state: Any, choose: Callable[[Any, list[int]], int]) -> Iterator[Any]:
    """Start a state and play it to the end; yields it at every decision and at the end."""
    ten.start(state)
    while run_on(state)["seat"] != OVER:
        yield state
        ten.step(state, choose(state, legal_moves(state)))
    yield state


def new_view(state: Any) -> Any:
    """A view for this game, its stream at the beginning."""
    view = one(ten.VIEW)
    for name in ten.RULES.names:
        view["rules"][name] = state["rules"][name]
    view["rng"][:4] = (1, 2, 3, 4)
    return view


def counted(kinds: Sequence[int]) -> Counter:
    return Counter(kinds)
