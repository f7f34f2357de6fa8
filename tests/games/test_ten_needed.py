"""TEN's cards that are missed least: the tables they are read from, and whole payments, against the rules page counted in plain Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from simkit.games import ten
from simkit.games._ten_score import (
    EVERY,
    LEFT_BITS,
    LENGTH_BITS,
    MOST_FILLERS,
    NEEDED,
    NUMBERS,
    RUNS,
    WHICH_BITS,
    points_at,
    scale_of,
)
from simkit.jit import kernel
from tests.reference import ten as reference
from tests.ten_state import give, new_state, position

modes = pytest.mark.modes


def longest(numbers: int, gaps: int) -> int:
    """The longest stretch of 1 to 9 with so many numbers missing at most."""
    held = [numbers >> n & 1 for n in range(NUMBERS)]
    return max(b - a for a in range(NUMBERS + 1) for b in range(a, NUMBERS + 1) if (b - a) - sum(held[a:b]) <= gaps)


def length_at(place: int) -> int:
    """The length of run that stands in one place of a scale."""
    return 0 if place == 63 else place // LENGTH_BITS + 1


def test_where_the_longest_run_stands():
    for numbers in range(EVERY + 1):
        for gaps in (0, 1, 3, 9):
            assert length_at(int(RUNS[gaps * (EVERY + 1) + numbers])) == longest(numbers, gaps), (numbers, gaps)


def test_the_number_least_needed_leaves_the_longest_run():
    pick = random.Random(1)
    for _ in range(600):
        numbers, gaps, given = pick.randrange(1, EVERY + 1), pick.randrange(MOST_FILLERS + 1), pick.randrange(NUMBERS + 1)
        gift = 1 << given >> 1
        left = {n: longest(numbers & ~(1 << n) | gift, gaps) for n in range(NUMBERS) if numbers >> n & 1}
        entry = int(NEEDED[(gaps * (NUMBERS + 1) + given) * (EVERY + 1) + numbers])

        assert length_at(entry & 63) == longest(numbers | gift, gaps), (numbers, gaps, given)
        assert length_at(entry >> LEFT_BITS & 63) == max(left.values()), (numbers, gaps, given)
        assert NUMBERS - (entry >> WHICH_BITS) == min(left, key=lambda n: (-left[n], n)), (numbers, gaps, given)


@kernel
def read_scale(state, place):
    return points_at(scale_of(state.rules), place)


@pytest.mark.parametrize("each", [1, 2, 5])
@pytest.mark.parametrize("shortest", [1, 2, 3])
@pytest.mark.parametrize("bonus", [0, 1, 20])
def test_a_scale_holds_the_points_of_every_length(each, shortest, bonus):
    state = new_state(run_points=each, min_run=shortest, full_run_bonus=bonus)
    for length in range(NUMBERS + 1):
        points = (each * length if length >= shortest else 0) + (bonus if length == NUMBERS else 0)
        place = 63 if length == 0 else LENGTH_BITS * (length - 1)

        assert read_scale(state, place) == points, length


@kernel
def choose(state, cards):
    ten.choose_cards(state, cards)


def as_card(kind: int) -> tuple[int, int]:
    """A kind as the twin's card."""
    if kind < ten.HASH:
        return kind // NUMBERS, kind % NUMBERS + 1
    if kind < ten.NUMBERED:
        return kind - ten.HASH, reference.HASH
    return (reference.WILD, kind - ten.NUMBERED + 1) if kind < ten.FULL else (reference.WILD, reference.FULL)


def some_collection(pick: random.Random, wilds: int) -> list[int]:
    """Kinds of cards, so many of them numbered or full wilds; now and then wilds or numbers twice, or many of a colour."""
    kinds = [pick.randrange(ten.HASH) for _ in range(pick.randrange(1, 9))]
    kinds += pick.choices(range(ten.HASH, ten.NUMBERED), k=pick.choice([0, 0, 1, 2]))
    kinds += pick.sample(range(ten.NUMBERED, ten.CURRENCY), wilds)
    if pick.randrange(4) == 0:
        kinds.append(pick.choice(kinds))
    return kinds


def scoring(pick: random.Random) -> dict[str, Any]:
    """Rules of scoring, the defaults half of the time."""
    if pick.randrange(2):
        return {}
    return {
        "run_points": pick.choice([1, 2, 5]),
        "min_run": pick.choice([1, 2, 3]),
        "full_run_bonus": pick.choice([0, 1, 20]),
        "wild_only_runs": pick.choice([True, True, False]),
        "wilds_as_payment": pick.choice([True, True, False]),
    }


@modes
@pytest.mark.parametrize("wilds", range(5))
def test_cards_are_paid_in_the_order_of_the_page(wilds):
    """Section 2.8: one by one, the card whose loss lowers the optimal score least; all but one card of a collection."""
    pick = random.Random(wilds)
    for _ in range(40 if wilds < 3 else 10):
        rules, kinds = scoring(pick), some_collection(pick, wilds)
        state = position(deck="red 1", **rules)
        give(state, 0, kinds)
        state["table"]["payer"] = 0
        collection = [as_card(kind) for kind in kinds]
        twin = reference.make_rules(**rules)
        count = max(len(reference.spendable(collection, twin, "buy")) - 1, 0)
        choose(state, np.int64(count))

        paid = [int(entry) % ten.EVENT for entry in state["history"][: int(state["table"]["events"])]]
        assert [as_card(kind) for kind in paid] == reference.canonical_cards(count, collection, twin, "buy"), (rules, kinds)
