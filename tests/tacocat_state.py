"""Tacocat positions set up by hand, random rules, and games seen decision by decision.

Cards are lists of ranks here; `packed` and `listed` of the game turn them into its sets and back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from simkit.game import GIVEN, OVER, PAUSED, BadInput
from simkit.games import find, tacocat
from simkit.games.tacocat import ATTACK, CARDS, DOUBLE, TAG_BITS, listed, packed
from simkit.jit import PLAIN

A, B = 0, 1
Cards = Sequence[int]

DECKS = [
    "hump_v1",
    "hump_v1",
    "flat_v1",
    "3-3-3-3-3-3-3-3-3-3-3-3",
    "9-0-9-9-9",
    "1-1-4-4-4-4-4-4-4-4-4-4-4-4-4",
    "8-8-8-8-8-8-8",
    "15-15-15",
]
BOARDS = [*["4-6-9-7-9-6-4"] * 3, "flat7", "shrink", "grow", "9", "2", "3-2-4", "5-8-2", "2-3-4-5-6", "4-9-3-2-9-7-5-8-6", "2-2-2-2-2-3-2-4-2-3-2-2-2-3-2"]  # fmt: skip
LARGE_BOARDS = ["11", "4-10-4"]
"""For decks of 44 cards or more."""


def any_rules(pick: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
    """Any legal rules; `pick` chooses one of several options. Small boards and few rounds often, so that games are short."""
    game = find("tacocat")
    every = {parameter.name: parameter.every() for parameter in game.parameters if parameter.name not in ("deck", "board", "max_rounds")}
    rules: dict[str, Any] = {name: pick([game.by[name].default, *values]) for name, values in every.items()}
    rules["replace_cap"] = pick(["none", "none", 0, 1, 2, 3, 5, 8, 15])
    rules["follower_cap"] = pick(["leader_count", "leader_count", "none", 0, 1, 2, 4, 15])
    rules["jumbo_max"] = pick(["none", "none", 1, 2, 3, 4, 14])
    rules["max_rounds"] = pick([7, 8, 9, 12, 20])
    rules["deck"] = pick(DECKS)
    rules["board"] = pick(BOARDS + (LARGE_BOARDS if sum(tacocat.DECK_OF.numbers(rules["deck"])) >= 44 else []))
    spaces = len(tacocat.BOARD_OF.numbers(rules["board"]))
    rules["arrows"] = pick(
        ["to_trailing", "to_trailing", "to_leading", "all_both", "-".join(pick(["A", "B", "both"]) for _ in range(spaces))]
    )
    try:
        return game.read_rules(rules)
    except BadInput:
        return game.read_rules({**rules, "board": "flat7", "arrows": "to_trailing", "deck": "hump_v1"})


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def copied(record: Any) -> Any:
    """A record of its own with the same contents."""
    other = np.zeros(1, record.dtype)
    other[0] = record
    return other.view(np.recarray)[0] if PLAIN else other[0]


def new_state(*, seed: int = 1, deal: int = 0, watch: int = 0, **changes: Any) -> Any:
    """A state that is ready for `start`."""
    game = find("tacocat")
    encoded = game.encode_rules(game.read_rules(changes))[0]
    state = one(tacocat.STATE)
    for name in tacocat.RULES.names:
        state["rules"][name] = encoded[name]
    state["seats"] = 2
    state["key"][:] = (seed, deal)
    state["watch"], state["detail"] = watch, 1
    return state


def given(hands: Sequence[Cards], pile: Cards = (), **changes: Any) -> Any:
    """A started game whose every round deals these hands, with this draw pile (whatever else the deck has comes after)."""
    state = new_state(**changes)
    state["dealing"] = GIVEN
    lay_deck(state, [*hands[0], *hands[1], *pile])
    tacocat.start(state)
    return state


def lay_deck(state: Any, top: Cards) -> None:
    """These cards on top of the deck, the rest below them."""
    rest = Counter(deck_of(state)) - Counter(top)
    cards = [*top, *sorted(rest.elements())]
    assert len(cards) == len(deck_of(state)), "the deck has no such cards"
    state["deck"][: len(cards)] = cards


def position(
    hands: Sequence[Cards], first: int = A, *, phase: int = ATTACK, place: int = 0, round_number: int = 2, pile: Cards = (), **rules: Any
) -> Any:
    """A state in which `first` is to attack, or to replace (phase LEADER, DOUBLE); or phase DUEL: both duel, SHOWDOWN: both show.

    Nothing is discarded yet. `pile` is on top of the draw pile; the marker is at `place`, or in the centre.
    """
    state = new_state(**rules)
    tacocat.clear(state)
    state["dealing"] = GIVEN
    lay_deck(state, [*hands[0], *hands[1], *pile])
    table = state["table"]
    tacocat.clear_round(table)
    table["place"], table["h"] = place or int(table["place"]), len(hands[0])
    table["round_number"], table["replacements"] = round_number, 2 * (phase > DOUBLE)
    table["arrow"] = tacocat.arrow_at(state["rules"], table["spaces"], table["place"])
    for seat in (A, B):
        state["hand"][seat], table["cards"][seat] = packed(hands[seat]), len(hands[seat])
    state["drawn"] = len(hands[0]) + len(hands[1])
    if phase == ATTACK:
        table["attacker"] = first
    state["phase"], state["to_act"] = phase, first
    state["decision"], state["seat"] = (phase, state["to_act"]) if phase < tacocat.DEALING else (0, PAUSED)
    return state


def deck_of(state: Any) -> list[int]:
    """The whole deck of these rules, ascending."""
    return listed(state["rules"]["deck"])


def new_view(state: Any) -> Any:
    """A view for this game, its stream at the beginning."""
    view = one(tacocat.VIEW)
    for name in tacocat.RULES.names:
        view["rules"][name] = state["rules"][name]
    view["rng"][:4] = (1, 2, 3, 4)
    return view


def seen(state: Any, seat: int) -> Any:
    """What a seat may know now."""
    view = new_view(state)
    tacocat.observe(state, seat, view)
    return view


MOVES = np.zeros(tacocat.MOST_MOVES, np.int64)


def legal_moves(state: Any) -> list[int]:
    """The legal moves as they stand in the list; none when nobody is to act."""
    return MOVES[: tacocat.legal(state, MOVES)].tolist() if state["seat"] >= 0 else []


def legal_cards(state: Any) -> list[list[int]]:
    """The same as ranks; every one carries the kind of decision."""
    moves = legal_moves(state)
    assert all(move >> TAG_BITS == state["decision"] for move in moves)
    return [listed(move & CARDS) for move in moves]


def act(state: Any, *ranks: int) -> None:
    """The seat to act chooses these cards, which must be legal."""
    move = (int(state["decision"]) << TAG_BITS) + packed(ranks)
    assert move in legal_moves(state), f"{ranks} is not among {legal_cards(state)}"
    tacocat.step(state, move)


def hands(state: Any) -> list[list[int]]:
    return [listed(state["hand"][seat]) for seat in (A, B)]


def pile(state: Any) -> list[int]:
    """The draw pile, top first."""
    return [int(rank) for rank in state["deck"][int(state["drawn"]) : len(deck_of(state))]]


def row(state: Any) -> dict[str, int]:
    """The record so far by cell name."""
    game = find("tacocat")
    result = np.zeros(1, game.result_type)
    tacocat.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    return dict(zip(game.cells, result.view(np.int64).ravel().tolist(), strict=True))


def played(state: Any, choose: Callable[[Any, list[int]], int]) -> Iterator[Any]:
    """Start a state and play it to the end; yields it at every stop and at the end."""
    tacocat.start(state)
    while state["seat"] != OVER:
        yield state
        tacocat.step(state, choose(state, legal_moves(state)) if state["seat"] >= 0 else 0)
    yield state


def random_game(rules: dict[str, Any], seed: int, deal: int, watch: int = 0) -> Iterator[Any]:
    """A game of random moves, seen at every decision (and with watch=1 at everything worth seeing) and at the end."""
    pick = np.random.default_rng([seed, deal])
    return played(new_state(seed=seed, deal=deal, watch=watch, **rules), lambda _, moves: moves[int(pick.integers(len(moves)))])


def show(state: Any) -> None:
    """Play the showdown and the move of the marker; the state stops before the next deal."""
    assert state["phase"] == tacocat.SHOWDOWN
    state["watch"], state["seat"] = 1, PAUSED
    tacocat.step(state, 0)


def go_on(state: Any) -> None:
    """Play on from a stop of a watched game to the next decision, or to the end."""
    while state["seat"] == PAUSED:
        tacocat.step(state, 0)


def with_hidden_cards_swapped(state: Any, seat: int, pick: Any) -> Any:
    """The position with everything that this seat cannot know drawn anew, whether or not it could have come about."""
    other = copied(state)
    opponent = 1 - seat
    unknown = hands(state)[opponent] + pile(state)
    pick.shuffle(unknown)
    size = len(hands(state)[opponent])
    other["hand"][opponent] = packed(unknown[:size])
    other["deck"][int(state["drawn"]) : len(deck_of(state))] = unknown[size:]
    other["rng"][:] = pick.integers(1, 2**60, len(other["rng"]))
    other["key"][:] = pick.integers(1, 2**60, 2)
    if state["chosen"][opponent] != 0:
        other["chosen"][opponent] = packed(unknown[:1])
    other["could"] = 0
    return other
