"""Stealing War: random rules, positions set up by hand, and games played move by move, with the kernel and with its slow twin.

A choice is made by `choose(seat, kind, legal, card)`: the seat to act, LOOK or TOP, the legal moves, the card looked at (0
when choosing the top card). It returns one of the legal moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simkit.game import GIVEN, OVER, PAUSED, BadInput
from simkit.games import find, stealing_war
from simkit.games.stealing_war import LOOK, WIDTH
from simkit.jit import PLAIN
from tests.reference import stealing_war as reference

J, Q, K, A, JOKER = 11, 12, 13, 14, 15
Choose = Callable[[int, int, list[int], int], int]
CAPS = [*[10000] * 4, 200, 50, 20, 10, 5, 3, 2, 1]
DECKS = [*[(13, 4)] * 4, (2, 1), (2, 2), (3, 1), (3, 2), (2, 8), (4, 2), (5, 3), (7, 4), (13, 1), (13, 8)]


def any_rules(pick: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
    """All rules, at random; small decks often."""
    game = find("stealing-war")
    rules = {parameter.name: pick(parameter.every()) for parameter in game.parameters if parameter.name != "max_battles"}
    rules["max_battles"] = pick(CAPS)
    rules["ranks"], rules["copies"] = pick(DECKS)
    rules["piles_per_card"] %= rules["players"]
    try:
        return game.read_rules(rules)
    except BadInput:
        return game.read_rules({**rules, "leftover": "set_aside"})  # there are not enough twos to remove


def lowest(seat: int, kind: int, legal: list[int], card: int) -> int:
    """Steals the most that it can; the lowest card on top."""
    return legal[-1] if kind == LOOK else legal[0]


def commits(seat: int, kind: int, legal: list[int], card: int) -> int:
    """Never steals; the lowest card on top."""
    return legal[0]


@dataclass(frozen=True)
class Seen:
    """What is there after a battle, or at the end: packets front first, piles top first, and the record so far."""

    packets: list[list[int]]
    piles: list[list[int]]
    carried: list[int]
    row: dict[str, int] = field(repr=False)


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def new_state(*, seed: int = 1, deal: int = 0, watch: int = 0, **changes: Any) -> Any:
    """A state that is ready for `start`."""
    game = find("stealing-war")
    encoded = game.encode_rules(game.read_rules(changes))[0]
    state = one(stealing_war.STATE)
    for name in stealing_war.RULES.names:
        state["rules"][name] = encoded[name]
    state["seats"] = encoded["players"]
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, 1
    return state


def given_deck(deck: Sequence[int], **changes: Any) -> Any:
    """A state whose `start` deals this deck as it is."""
    state = new_state(**changes)
    state["dealing"] = GIVEN
    state["deck"][: len(deck)] = deck
    return state


def packed(cards: Sequence[int]) -> int:
    """Cards as a set of cards."""
    return sum(1 << 4 * (int(card) - 2) for card in cards)


def ranks_of(cards: int) -> list[int]:
    """The ranks of a set of cards, ascending."""
    number = int(cards)
    return [rank for rank in range(2, 17) for _ in range(number >> 4 * (rank - 2) & 15)]


def position(packets: Sequence[Sequence[int]], piles: Sequence[Sequence[int]] = (), first: int = 0, **changes: Any) -> Any:
    """A state before a battle in which the seat `first` looks first, then the others clockwise."""
    state = new_state(**{"players": len(packets), "steal_priority": "rotate", "watch": 1, **changes})
    stealing_war.clear(state)
    stealing_war.open_stream(state["rng"], state["key"][0], state["key"][1], stealing_war.CHANCE)
    table = state["table"]
    table["battles"] = first
    for seat, packet in enumerate(packets):
        pile = list(piles[seat]) if piles else []
        state["packet"][seat, WIDTH - len(packet) :] = packet
        table["pile"][seat, WIDTH - len(pile) :] = pile
        table["held"][seat], table["piled"][seat] = len(packet), len(pile)
        table["top"][seat] = pile[0] if pile else 0
        table["pile_cards"][seat], state["inside"][seat] = packed(pile), packed(packet)
        table["unseen"] += packed(packet)
    return state


def new_view(state: Any) -> Any:
    """A view for this game, its stream at the beginning."""
    view = one(stealing_war.VIEW)
    for name in stealing_war.RULES.names:
        view["rules"][name] = state["rules"][name]
    view["rng"][:4] = (1, 2, 3, 4)
    return view


def view_of(state: Any) -> Any:
    """What the seat to act sees."""
    view = new_view(state)
    stealing_war.observe(state, int(state["seat"]), view)
    return view


def legal_moves(state: Any) -> list[int]:
    moves = np.zeros(stealing_war.MOST_MOVES, np.int64)
    return [int(move) for move in moves[: stealing_war.legal(state, moves)]] if state["seat"] >= 0 else []


def packets(state: Any) -> list[list[int]]:
    """Front first."""
    held = state["table"]["held"].tolist()
    return [state["packet"][seat, WIDTH - held[seat] :].tolist() for seat in range(int(state["seats"]))]


def piles(state: Any) -> list[list[int]]:
    """Top first."""
    table = state["table"]
    piled = table["piled"].tolist()
    return [table["pile"][seat, WIDTH - piled[seat] :].tolist() for seat in range(int(state["seats"]))]


def carried(state: Any) -> list[int]:
    return state["carried"][: int(state["table"]["carried_size"])].tolist()


def laid(state: Any, seat: int) -> list[int]:
    """This battle's cards of a seat, the committed one included."""
    committed = int(state["table"]["committed"]) >> seat & 1
    return state["laid"][seat, : int(state["table"]["laid_size"][seat]) + committed].tolist()


def row(state: Any) -> dict[str, int]:
    """The record so far by cell name."""
    game = find("stealing-war")
    result = np.zeros(1, game.result_type)
    stealing_war.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    return dict(zip(game.cells, result.view(np.int64).ravel().tolist(), strict=True))


def seen(state: Any) -> Seen:
    return Seen(packets(state), piles(state), carried(state), row(state))


def played(state: Any, choose: Choose) -> Iterator[Any]:
    """Start a state and play it to the end; yields it at every decision, every pause and at the end."""
    stealing_war.start(state)
    while state["seat"] != OVER:
        yield state
        step(state, choose)
    yield state


def step(state: Any, choose: Choose) -> None:
    if state["seat"] == PAUSED:
        stealing_war.step(state, 0)
        return
    legal = legal_moves(state)
    move = choose(int(state["seat"]), int(state["decision"]), legal, int(state["card"]))
    assert move in legal
    stealing_war.step(state, move)


class Kernel:
    """The compiled game."""

    name = "kernel"

    def battle(self, packets: Sequence[Sequence[int]], piles: Sequence[Sequence[int]] = (), choose: Choose = lowest, **changes: Any) -> Seen:  # fmt: skip
        """One battle from these packets and piles."""
        state = position(packets, piles, **changes)
        step(state, choose)
        while state["seat"] >= 0 or (state["seat"] == PAUSED and state["event"] == stealing_war.STOLE):
            step(state, choose)
        return seen(state)

    def whole(self, packets: Sequence[Sequence[int]], piles: Sequence[Sequence[int]] = (), choose: Choose = lowest, **changes: Any) -> Seen:  # fmt: skip
        """The whole game from these packets and piles."""
        state = position(packets, piles, watch=0, **changes)
        while state["seat"] != OVER:
            step(state, choose)
        return seen(state)


class Reference:
    """Its slow twin."""

    name = "reference"

    def battle(self, packets: Sequence[Sequence[int]], piles: Sequence[Sequence[int]] = (), choose: Choose = lowest, **changes: Any) -> Seen:  # fmt: skip
        return self._play(packets, piles, choose, 1, **changes)

    def whole(self, packets: Sequence[Sequence[int]], piles: Sequence[Sequence[int]] = (), choose: Choose = lowest, **changes: Any) -> Seen:  # fmt: skip
        return self._play(packets, piles, choose, None, **changes)

    def _play(self, packets, piles, choose, stop_after, first=0, seed=1, deal=0, **changes) -> Seen:
        def index(seat, kind, legal, game, stream):
            return legal.index(choose(seat, kind, legal, game.looked_at or 0))

        seats, trace = len(packets), []
        order = [(first + k) % seats for k in range(seats)]
        row = reference.play_from(
            packets, piles or None, changes, seed, deal, choose=index, priority=order, stop_after=stop_after, trace=trace
        )
        return Seen(trace[-1]["packets"], trace[-1]["piles"], trace[-1]["carried"], row)


KERNEL, REFERENCE = Kernel(), Reference()


def all_cards(state: Any) -> Counter:
    """Every card of a state, wherever it is (section 13, invariant 1)."""
    cards = Counter(ranks_of(state["aside"]) + carried(state))
    packets_of, piles_of = packets(state), piles(state)
    for seat in range(int(state["seats"])):
        cards.update(packets_of[seat] + piles_of[seat])
        if state["event"] != stealing_war.FOUGHT or state["seat"] >= 0:  # after a battle what was laid lies elsewhere
            cards.update(laid(state, seat))
    if state["card"] > 0:
        cards[int(state["card"])] += 1
    return cards


def hidden_cards(state: Any) -> Counter:
    """Every card that lies where nobody but perhaps its owner sees it."""
    table = state["table"]
    cards = Counter(ranks_of(state["aside"]))
    cards.update(int(state["carried"][k]) for k in range(int(table["carried_size"])) if table["carried"][k] == 0)
    for seat, packet in enumerate(packets(state)):
        cards.update(packet)
        size = int(table["laid_size"][seat])
        cards.update(card for k, card in enumerate(laid(state, seat)) if k >= size or table["shown"][seat, k] == 0)
    if state["card"] > 0:
        cards[int(state["card"])] += 1
    return cards


def told(table: Any, seats: int) -> Counter:
    """The hidden cards as a table tells them: never shown, or from a packet that a refill made known."""
    cards = Counter(ranks_of(table["unseen"]))
    for seat in range(seats):
        cards.update(ranks_of(table["known"][seat]) + ranks_of(table["earlier"][seat]))
    return cards
