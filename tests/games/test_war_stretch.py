"""A stretch of battles played at once is the same battles played one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.games._war_stretch import LANES, plain_stretch, stretch

GAP, TAIL_0, TAIL_1 = 512, 128, 640
SPILL = 2 * LANES
"""Bytes behind a tail that may be overwritten."""


def both(ours, theirs, limit, swap, seat_order):
    """What the stretch and its plain form return, and what lies in both tables."""
    tables = []
    returned = []
    for play in (stretch, plain_stretch):
        cards = np.zeros(1024, np.uint8)
        cards[: len(ours)], cards[GAP : GAP + len(theirs)] = ours, theirs
        ran, won = play(cards, 0, GAP, TAIL_0, TAIL_1, limit, swap, seat_order)
        returned.append((int(ran), int(won)))
        tables.append(cards)
    return returned, tables


def check(ours, theirs, limit, swap, seat_order):
    returned, (fast, plain) = both(ours, theirs, limit, swap, seat_order)
    ran, won = returned[1]
    ahead = won.bit_count()
    assert returned[0] == (ran, won)
    for tail, cards in ((TAIL_0, 2 * ahead), (TAIL_1, 2 * (ran - ahead))):
        assert fast[tail : tail + cards].tolist() == plain[tail : tail + cards].tolist()
        plain[tail : tail + SPILL] = fast[tail : tail + SPILL] = 0
    assert np.array_equal(fast, plain)  # nothing else is touched


cards = st.lists(st.integers(2, 53), min_size=LANES, max_size=LANES)
bits = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.modes
@settings(max_examples=300)
@given(cards, cards, st.integers(1, LANES), bits, st.sampled_from([0, -1]))
def test_a_stretch_is_its_battles_one_by_one(ours, theirs, limit, swap, seat_order):
    """Few ties."""
    check(ours, theirs, limit, swap, seat_order)


few_ranks = st.lists(st.integers(2, 3), min_size=LANES, max_size=LANES)


@pytest.mark.modes
@given(few_ranks, few_ranks, st.integers(1, LANES), st.sampled_from([0, -1]), st.sampled_from([0, -1]))
def test_a_stretch_ends_at_the_first_tie(ours, theirs, limit, swap, seat_order):
    """Many ties."""
    check(ours, theirs, limit, swap, seat_order)


def test_every_course_of_a_stretch():
    """Every set of winners, for each length."""
    for limit in (LANES // 2, LANES):
        for won in range(0, 1 << limit, 1 if limit <= 8 else 37):
            ours = [5 + (won >> k & 1) * (k % 3 + 1) - (~won >> k & 1) for k in range(limit)]
            check([*ours, *[5] * (LANES - limit)], [5] * LANES, limit, won * 0x9E3779B9, 0)
            returned, _ = both([*ours, *[5] * (LANES - limit)], [5] * LANES, limit, 0, 0)
            assert returned[0] == (limit, won)
