"""Moves of Tichu that differ in suits that cannot matter: a search tries one of them (docs/rules/tichu.md, section 4)."""

from __future__ import annotations

import random
from collections import Counter, defaultdict

import numpy as np
import pytest

from simkit.games import find, tichu
from simkit.games._tichu_combinations import CARDS
from simkit.jit import PLAIN
from simkit.replay import Replay
from simkit.simulate import make_plan
from tests.tichu_state import NUMBERS, new_state, new_view

SEED = 20261130
WINDOWS = [frozenset(4 * (low + k - 1) + suit for k in range(5)) for low in range(2, 11) for suit in range(4)]
"""Five neighbouring ranks of one suit, as card numbers."""


def cards_of(found: int) -> list[int]:
    return [card for card in range(56) if found >> card & 1]


def random_hand(pick: random.Random, pool: list[int]) -> int:
    return sum(1 << card for card in pick.sample(pool, 14))


class Bench:
    """A seat that is asked something with any hand."""

    def __init__(self) -> None:
        self.state = new_state()
        self.view = new_view(self.state)
        self.moves = np.zeros(tichu.MOST_MOVES, np.int64)

    def ask(self, hand: int, decision: int, chosen: int = 0) -> tuple[list[int], list[int]]:
        """The moves, and what stands for each of them. chosen: a card to push that has been chosen for the next seat."""
        state = self.state
        state["seat"], state["decision"] = 0, decision
        state["hand"][0], state["given"][0, 0] = hand, chosen
        state["bombers"] = 1
        moves = self.moves[: int(tichu.legal(state, self.moves))]
        tichu.observe(state, 0, self.view)
        return moves.tolist(), [int(tichu.same(self.view, move)) for move in moves]


def without_suits(move: int) -> tuple:
    """The reading of a move, its special cards, and how many cards of each rank it has."""
    cards = cards_of(move & CARDS)
    return (move >> 56, *(card for card in cards if card < 4), *sorted(Counter(card // 4 for card in cards if card >= 4).items()))


def flushes_left(hand: int, move: int) -> set[frozenset[int]]:
    """The straight flushes of five that the hand has after this move."""
    rest = set(cards_of(hand & ~(move & CARDS)))
    return {window for window in WINDOWS if window <= rest}


def nearly_flushes(hand: int, move: int) -> set[frozenset[int]]:
    """The cards of the hand after this move that one card more makes a straight flush of five."""
    rest = set(cards_of(hand & ~(move & CARDS)))
    return {window & rest for window in WINDOWS if len(window & rest) >= 4}


def any_hands(number: int) -> list[int]:
    """Of the whole deck, and of half of it, so that there are straight flushes."""
    pick, low = random.Random(SEED), [card for card in range(56) if card // 4 < 8]
    return [random_hand(pick, (list(range(56)), low, [card for card in range(56) if card % 4 < 2])[k % 3]) for k in range(number)]


def test_moves_that_stand_for_each_other_are_the_same_but_for_suits():
    """And the hand keeps the same straight flushes. What stands for a move is legal, is of its kind, and stands for itself."""
    bench, flushes = Bench(), 0
    for hand in any_hands(3 if PLAIN else 240):
        moves, stand = bench.ask(hand, tichu.PLAY)
        assert set(stand) <= set(moves)
        for move, other in zip(moves, stand, strict=True):
            assert without_suits(other) == without_suits(move)
            assert flushes_left(hand, other) == flushes_left(hand, move)
            assert stand[moves.index(other)] == other
        flushes += bool(flushes_left(hand, 0))
    assert flushes > 10 or PLAIN


test_moves_that_stand_for_each_other_are_the_same_but_for_suits.pytestmark = [pytest.mark.modes]


def test_moves_that_do_not_stand_for_each_other_differ_by_more_than_suits():
    """Or by which cards of the hand's straight flushes they use."""
    bench = Bench()
    for hand in any_hands(3 if PLAIN else 240):
        moves, stand = bench.ask(hand, tichu.PLAY)
        matter = frozenset[int]().union(*flushes_left(hand, 0))
        kinds = defaultdict(set)
        for move, other in zip(moves, stand, strict=True):
            kinds[without_suits(move), matter & set(cards_of(move & CARDS))].add(other)
        assert len(kinds) == len(set(stand))
        assert all(len(others) == 1 for others in kinds.values())


def test_cards_to_push_stand_for_each_other_where_no_straight_flush_is_near():
    """For each of the three receivers the hand that is left lacks one card to the same straight flushes."""
    bench, merged = Bench(), 0
    for k, hand in enumerate(any_hands(3 if PLAIN else 240)):
        chosen = 1 << random.Random(k).choice(cards_of(hand)) if k % 2 else 0
        moves, stand = bench.ask(hand, tichu.PUSH, chosen)
        near = frozenset[int]().union(*nearly_flushes(hand, chosen))
        kinds = defaultdict(set)
        for card, other in zip(map(int.bit_length, moves), stand, strict=True):
            number = card - 1
            kinds[number if number < 4 or number in near else (number // 4,)].add(other)
            assert other in moves
            assert nearly_flushes(hand & ~chosen, other) == nearly_flushes(hand & ~chosen, 1 << number)
        assert all(len(others) == 1 for others in kinds.values())
        assert len(kinds) == len(set(stand))
        merged += len(moves) - len(kinds)
    assert merged > 240 or PLAIN


def test_other_answers_stand_for_themselves():
    bench = Bench()
    for decision in (tichu.GRAND, tichu.TICHU, tichu.WISH):
        moves, stand = bench.ask((1 << 14) - 1, decision)
        assert stand == moves
        assert len(moves) > 1


def test_people_are_listed_what_a_search_tries():
    """`alike`, which asks scenes, tells the same moves apart."""
    bench = Bench()
    for hand in any_hands(2 if PLAIN else 60):
        moves, stand = bench.ask(hand, tichu.PLAY)
        scene = {"seat": 0, "hands": [[tichu.card_text(card) for card in cards_of(hand)]]}
        keys = tichu.alike(scene, tichu.PLAY, moves)
        assert len(set(keys)) == len(set(stand)) == len(set(zip(keys, stand, strict=True)))


@pytest.mark.skipif(PLAIN, reason="thousands of hands")
def test_how_many_moves_there_are():
    """Section 4: of random hands on lead 61 concrete moves, of 23 types, lengths and ranks."""
    bench, pick, hands = Bench(), random.Random(SEED), 4000
    counts = np.zeros((hands, 3))
    for k in range(hands):
        moves, stand = bench.ask(random_hand(pick, list(range(56))), tichu.PLAY)
        classes, kept = ({(move >> 56, (move & CARDS).bit_count()) for move in some} for some in (moves, set(stand)))
        assert kept == classes
        counts[k] = len(moves), len(set(stand)), len(classes)
    print(counts.mean(axis=0), counts.std(axis=0) / hands**0.5, np.median(counts, axis=0), counts.max(axis=0))
    for column, expected, rounding in ((0, 61, 0.5), (2, 23, 0.5)):
        assert abs(counts[:, column].mean() - expected) < rounding + 4 * counts[:, column].std() / hands**0.5


SUITED = """
from simkit import strategy

@strategy("tichu")
def suited(view, moves, n):
    return view.hand % 1_000_003 % n
"""
"""What it does depends on every suit of its hand."""


@pytest.mark.skipif(PLAIN, reason="a search")
def test_a_search_tries_moves_that_stand_for_each_other_once(tmp_path):
    """They have one total, that of the first in the list, and the move made is the first of its kind or one's own."""
    (tmp_path / "mine.py").write_text(SUITED)
    plan = make_plan("tichu", players=[f"{tmp_path}/mine.py:suited+search(2)", "random", "random", "random"], games=1, seed=3)
    merged = others = 0
    for made in (event["decision"] for event in Replay(plan, 0) if "decision" in event):
        if "search" not in made or made["kind"] != "play":
            continue
        moves, totals = made["legal"], made["search"]["total_payoffs"]
        hand = sum(1 << NUMBERS[card] for card in made["scene"]["hands"][0])
        matter = frozenset[int]().union(*flushes_left(hand, 0))
        kinds = defaultdict(list)
        for move, total in zip(moves, totals, strict=True):
            kinds[without_suits(move), matter & set(cards_of(move & CARDS))].append((move, total))
        assert all(len({total for _, total in kind}) == 1 for kind in kinds.values())
        assert made["move"] in [moves[made["search"]["without"]], *(kind[0][0] for kind in kinds.values())]
        merged += len(moves) - len(kinds)
        others += len(set(totals)) > 1
    assert merged > 3
    assert others > 3


def test_a_match_is_searched_as_a_round_is():
    assert find("tichu-match").same is find("tichu").same is tichu.same
