"""War positions set up by hand, and games watched battle by battle.

`KERNEL` and `REFERENCE` play the same questions with the compiled game and with its slow twin, so that a worked example
of the rules page can be asked of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simkit.game import GIVEN, OVER, PAUSED
from simkit.games import find, war
from simkit.jit import PLAIN, kernel
from tests.reference import war as reference

J, Q, K, A = 11, 12, 13, 14


@dataclass(frozen=True)
class Seen:
    """What is there after a battle, or at the end: packets front first, and the record so far."""

    packets: list[list[int]]
    carried: list[int]
    pot: int
    """Cards in the last pot."""
    row: dict[str, int] = field(repr=False)


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def rules_of(game: str, **changes: Any) -> dict[str, Any]:
    """All rules of a game, read as the command line reads them."""
    return find(game).read_rules(changes)


def new_state(game: str, rules: dict[str, Any], *, seed: int = 1, deal: int = 0, watch: int = 0, detail: int = 1) -> Any:
    """A state that is ready for `start`."""
    state = one(war.STATE)
    encoded = find(game).encode_rules(rules)[0]
    for name in war.RULES.names:
        state["rules"][name] = encoded[name]
    state["seats"] = rules["players"]
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, detail
    return state


def given_deck(game: str, deck: Sequence[int], *, watch: int = 0, seed: int = 1, deal: int = 0, **changes: Any) -> Any:
    """A state whose `start` deals this deck as it is."""
    state = new_state(game, rules_of(game, **changes), seed=seed, deal=deal, watch=watch)
    state["dealing"] = GIVEN
    state["deck"][: len(deck)] = deck
    return state


def position(packets: Sequence[Sequence[int]], game: str = "war", *, carried: Sequence[int] = (), watch: int = 1, seed: int = 1, **changes: Any) -> Any:  # fmt: skip
    """A state before a battle with these packets, front first.

    Where endless games are to be proved, every state from here on is compared: there is no deal to begin again from.
    """
    state = new_state(game, rules_of(game, **{"players": len(packets), **changes}), seed=seed, watch=watch)
    war.clear(state)
    war.open_chance(state)
    for seat, packet in enumerate(packets):
        state["packet"][seat, : len(packet)] = packet
        state["held"][seat] = len(packet)
    state["carried"][: len(carried)] = carried
    state["carried_size"] = len(carried)
    if state["rules"]["detect_endless"] and war.deterministic(state):
        state["exact"] = 1
        war.save(state)
    return state


def packet(state: Any, seat: int) -> list[int]:
    """A packet, front first."""
    head, size = int(state["head"][seat]), int(state["held"][seat])
    return [int(state["packet"][seat, (head + k) % war.RING]) for k in range(size)]


def packets(state: Any) -> list[list[int]]:
    return [packet(state, seat) for seat in range(int(state["seats"]))]


def side_piles(state: Any) -> list[list[int]]:
    return [[int(card) for card in state["side"][seat, : int(state["side_size"][seat])]] for seat in range(int(state["seats"]))]


def carried(state: Any) -> list[int]:
    return [int(card) for card in state["carried"][: int(state["carried_size"])]]


def laid(state: Any) -> list[list[int]]:
    """What each seat laid in the last battle."""
    return [[int(card) for card in state["laid"][seat, : int(state["laid_size"][seat])]] for seat in range(int(state["seats"]))]


def row(state: Any, game: str = "war") -> dict[str, int]:
    """The record so far by cell name."""
    definition = find(game)
    result = np.zeros(1, definition.result_type)
    war.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    cells = dict(zip(definition.cells, result.view(np.int64).ravel().tolist(), strict=True))
    seats = int(state["seats"])
    return {name: cells[name] for column in definition.columns for name in column.names(seats)}


def seen(state: Any, game: str = "war") -> Seen:
    return Seen(packets(state), carried(state), int(state["table"]["pot_size"]), row(state, game))


def watched(state: Any, choose: Callable[[int], int] = lambda winner: 0) -> Iterator[Any]:
    """Play on from a state that was started, or set up, with watch = 1: yields it after every battle.

    choose: the move (0 to 4) of a winner who may choose the pick-up order.
    """
    war.step(state, 0)
    while True:
        while state["seat"] >= 0:
            war.step(state, choose(int(state["seat"])))
        yield state
        if state["seat"] == OVER:
            return
        assert state["seat"] == PAUSED
        war.step(state, 0)


class Kernel:
    """The compiled game."""

    name = "kernel"

    def battle(self, packets: Sequence[Sequence[int]], game: str = "war", *, pickup_order: str = "winner_first", **changes: Any) -> Seen:
        """One battle from these packets."""
        state = position(packets, game, pickup_order=pickup_order, **changes)
        war.battle(state)
        return seen(state, game)

    def whole(self, packets: Sequence[Sequence[int]], game: str = "war", *, pickup_order: str = "winner_first", watch: int = 0, **changes: Any) -> Seen:  # fmt: skip
        """The whole game from these packets; raced, unless it is watched or endless games are to be proved."""
        state = position(packets, game, pickup_order=pickup_order, watch=watch, **changes)
        war.step(state, 0)
        while state["seat"] == PAUSED:
            war.step(state, 0)
        return seen(state, game)


class Reference:
    """Its slow twin."""

    name = "reference"

    def battle(self, packets: Sequence[Sequence[int]], game: str = "war", *, pickup_order: str = "winner_first", **changes: Any) -> Seen:
        return self._play(packets, game, 1, {"pickup_order": pickup_order, **changes})

    def whole(self, packets: Sequence[Sequence[int]], game: str = "war", *, pickup_order: str = "winner_first", **changes: Any) -> Seen:
        return self._play(packets, game, None, {"pickup_order": pickup_order, **changes})

    def _play(self, packets: Sequence[Sequence[int]], game: str, stop_after: int | None, changes: dict[str, Any]) -> Seen:
        carried, seed = changes.pop("carried", ()), changes.pop("seed", 1)
        trace: list[dict] = []
        rules = reference.make_rules(game, players=len(packets), **changes)
        row = reference.play_from(packets, rules, seed=seed, carried=carried, stop_after=stop_after, trace=trace)
        return Seen(trace[-1]["packets"], trace[-1]["carried"], len(trace[-1]["pot"]), row)


KERNEL, REFERENCE = Kernel(), Reference()


@kernel
def play_watched(state, result):
    """A whole game, paused after every battle, so that each is played in the general form and none in a race."""
    war.start(state)
    while state.seat == PAUSED:
        war.step(state, 0)
    war.score(state, result)
