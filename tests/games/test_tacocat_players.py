"""Tacocat's strategies do what they say, on positions worked out by hand, and know nothing that they may not know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simkit.games import find, tacocat
from simkit.games.tacocat import ATTACK, CARDS, DOUBLE, DUEL, FOLLOWER, LEADER, listed, packed
from simkit.jit import PLAIN
from simkit.play import read_only
from simkit.players import compile_strategy, known, read_player
from tests.tacocat_state import (
    MOVES,
    A,
    B,
    act,
    any_rules,
    copied,
    legal_moves,
    new_state,
    position,
    random_game,
    seen,
    with_hidden_cards_swapped,
)

GAME = find("tacocat")
PARTS = {name: made for name, made in known(GAME).items() if made.function is not None}


def chooses(text: str, state: Any) -> list[int]:
    """The cards that a player chooses in this position."""
    decision, seat = int(state["decision"]), int(state["seat"])
    part = read_player(GAME, f"random[{GAME.decisions[decision]}={text}]").parts[decision]
    view = seen(state, seat)
    view["params"][: len(part.numbers)] = part.numbers
    n = tacocat.legal(state, MOVES)
    index = int(compile_strategy(part.strategy, GAME)(view, read_only(MOVES), n))
    assert 0 <= index < n
    return listed(int(MOVES[index]) & CARDS)


HAND = [1, 3, 4, 6, 7, 10, 12]
OTHER = [2, 3, 4, 5, 5, 6, 8]


@pytest.mark.parametrize(
    ("player", "replaced"),
    [
        ("none", []),
        ("all", HAND),
        ("middle", [4, 6, 7]),
        ("middle(a=6,b=10)", [6, 7, 10]),
        ("keep_lowest_and_high", [3, 4, 6, 7]),
        ("keep_lowest_and_high(t=7)", [3, 4, 6]),
        ("squeeze", [6]),
        ("squeeze(few=2)", [4, 6]),
        ("mirror", []),
    ],
)
def test_replace(player, replaced):
    """The middle card of the deck is a 5; of 4 and 6, equally near, the higher goes first."""
    assert chooses(player, position([HAND, OTHER], phase=DOUBLE)) == replaced


@pytest.mark.parametrize(("player", "replaced"), [("mirror", [4, 6]), ("all", [4, 6]), ("keep_lowest_and_high", [4, 6]), ("none", [])])
def test_replace_as_follower(player, replaced):
    """The leader has replaced two; the follower chooses the most middling cards."""
    state = position([[*HAND, 8, 9], [*OTHER, 7, 9]], B, phase=LEADER, place=3)
    act(state, 7, 9)
    assert state["decision"] == FOLLOWER
    assert chooses(player, state) == replaced


def test_squeeze_as_leader():
    state = position([[1, 3, 4, 9], [2, 3, 5, 6]], A, phase=LEADER, place=7)
    assert chooses("squeeze", state) == [4]
    assert chooses("squeeze(few=3)", state) == [3, 4, 9]


@pytest.mark.parametrize(
    ("player", "card"),
    [("highest", 12), ("lowest_but_one", 3), ("median", 6), ("just_enough", 10), ("just_enough(t=7)", 7), ("just_enough(t=13)", 3)],
)
def test_duel(player, card):
    assert chooses(player, position([HAND, OTHER], phase=DUEL)) == [card]


@pytest.mark.parametrize(
    ("player", "hand", "cards"),
    [
        ("highest_single", [2, 4, 4, 5, 6], [6]),
        ("lowest_safe", [2, 4, 4, 5, 6], [6]),  # an unseen 12 beats all of them
        ("lowest_safe", [2, 4, 11, 12, 12], [12]),  # an equal card defends, but both 12s are here
        ("lowest_safe", [2, 4, 11, 11, 12], [12]),
        ("jumbo_first", [2, 4, 4, 5, 6], [4, 5, 6]),
        ("jumbo_first", [4, 4, 5, 6, 9], [4, 5, 6]),  # a 4 is left
        ("jumbo_first", [4, 5, 6, 9, 9], [9, 9]),
        ("jumbo_first", [4, 5, 6, 9, 10], [10]),
        ("second_lowest", [2, 4, 4, 5, 6], [4]),
        ("second_lowest", [2, 2, 4, 5, 6], [2]),
    ],
)
def test_attack(player, hand, cards):
    assert chooses(player, position([hand, [1, 3, 3, 3, 5]])) == cards


def test_lowest_safe_counts_what_is_seen():
    """Both 12s are gone: an 11 is safe where equal cards do not defend, and else only if no other 11 is left."""
    hand = [2, 4, 7, 11]
    for equal, cards in ((True, [11]), (False, [7])):
        state = position([hand, [1, 3, 3, 3]], defend_on_equal=equal)
        state["table"]["replaced"][B] = packed([7, 8, 8, 9, 9, 10, 10, 12, 12]) if equal else packed([7, 8, 8, 9, 9, 10, 10, 11, 12, 12])
        assert chooses("lowest_safe", state) == cards


def test_protect_low_keeps_its_lowest_card():
    for seed in range(20):
        state = position([[2, 4, 4, 5, 6], [1, 3, 3, 3, 5]], seed=seed)
        assert 2 not in chooses("protect_low", state)


def answer_to(attack: list[int], x: list[int], y: list[int], **rules: Any) -> Any:
    state = position([x, y], **rules)
    act(state, *attack)
    return state


@pytest.mark.parametrize(
    ("player", "attack", "y", "defences"),
    [
        ("cheapest_defence", [5], [1, 6, 7, 12, 12], [6]),
        ("cheapest_defence", [5], [1, 2, 3, 4, 4], []),
        ("cheapest_defence", [4, 5, 6], [1, 4, 7, 9, 9], [4, 7, 9]),
        ("cheapest_defence", [4, 5, 6], [1, 1, 2, 5, 5], [5, 5]),
        ("always_sacrifice", [5], [1, 6, 7, 12, 12], []),
        ("win_lead", [5], [1, 6, 7, 12, 12], [6]),
        ("win_lead", [4, 5, 6], [1, 4, 7, 9, 9], [4, 7, 9]),
        ("win_lead", [4, 5, 6], [1, 1, 2, 5, 5], []),
        ("protect_low", [5], [1, 6, 7, 12, 12], [6]),
        ("protect_low", [5], [5, 6, 7, 12, 12], []),
        ("protect_low(guard=5)", [5], [5, 6, 7, 12, 12], [6]),
        ("protect_low", [2], [2, 3, 7, 12, 12], [3]),
    ],
)
def test_answer(player, attack, y, defences):
    x = [*attack, 3, 3, 3, 3][:5] if len(attack) < 3 else [*attack, 3, 3]
    assert chooses(player, answer_to(attack, x, y)) == defences


@pytest.mark.parametrize(("player", "first"), [("cheapest_defence", [5]), ("win_lead", []), ("always_sacrifice", [])])
def test_answer_card_by_card(player, first):
    assert chooses(player, answer_to([4, 5, 6], [4, 5, 6, 3, 3], [1, 1, 2, 5, 5], jumbo_response="sequential_ascending")) == first


@pytest.mark.parametrize("share", range(2 if PLAIN else 10))
def test_no_strategy_peeks(share):
    """Every strategy makes the same legal choice whatever the cards are that its seat cannot see, under any rules."""
    pick = np.random.default_rng([7, share])
    compiled = {name: compile_strategy(made, GAME) for name, made in PARTS.items()}
    asked = dict.fromkeys(PARTS, 0)
    for deal in range(1 if PLAIN else 6):
        rules = any_rules(lambda options: options[int(pick.integers(len(options)))])
        for state in random_game(rules, share, deal):
            if state["seat"] < 0 or pick.random() < 0.5:
                continue
            seat, decision = int(state["seat"]), GAME.decisions[int(state["decision"])]
            swapped = with_hidden_cards_swapped(state, seat, pick)
            n, moves = len(legal_moves(state)), MOVES.copy()
            here, there = seen(state, seat), seen(swapped, seat)
            for name, made in PARTS.items():
                if made.serves(decision) is None:
                    continue
                choices = []
                for view in (here, there):
                    view["params"][: len(made.numbers)] = tuple(made.numbers.values())
                    view["rng"][:] = (5, 6, 7, 8, 0, 0)
                    choices.append(int(compiled[name](copied(view), read_only(moves), n)))
                assert choices[0] == choices[1]
                assert 0 <= choices[0] < n
                asked[name] += 1
    assert min(asked.values()) > 0 or PLAIN


def test_every_strategy_can_be_taken_apart():
    """Each part can be put in place of another's in a player's text."""
    for name, made in PARTS.items():
        for decision in made.decisions:
            player = read_player(GAME, f"random[{decision}={name}]")
            assert player.parts[GAME.decisions.index(decision)].strategy is made
    assert new_state()["table"]["round_number"] == 0
    assert {name for name, made in known(GAME).items() if made.function is None} == {
        "plain",
        "keeper",
        "squeezer",
        "guardian",
        "shrewd",
        "steady",
    }
    assert position([[2, 3], [4, 5]])["decision"] == ATTACK
