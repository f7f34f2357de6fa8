"""TEN's tables of numbers that can go at no loss or the least, against the rules page's longest run, counted in plain Python."""

from __future__ import annotations

import random

from simkit.games._ten_score import EVERY, IDLE, LEAST_NEEDED, LEFT, NUMBERS


def longest(numbers: int, gaps: int) -> int:
    """The longest stretch of 1 to 9 with so many numbers missing at most."""
    held = [numbers >> n & 1 for n in range(NUMBERS)]
    return max(b - a for a in range(NUMBERS + 1) for b in range(a, NUMBERS + 1) if (b - a) - sum(held[a:b]) <= gaps)


def test_a_number_is_idle_if_the_longest_run_is_as_long_without_it():
    pick = random.Random(1)
    for _ in range(300):
        numbers, gaps = pick.randrange(EVERY + 1), pick.randrange(5)
        idle = [n for n in range(NUMBERS) if numbers >> n & 1 and longest(numbers & ~(1 << n), gaps) == longest(numbers, gaps)]

        assert int(IDLE[gaps * (EVERY + 1) + numbers]) == sum(1 << n for n in idle), (numbers, gaps)


def test_a_number_is_least_needed_if_the_longest_run_is_left_without_it():
    pick = random.Random(2)
    for _ in range(300):
        numbers, gaps = pick.randrange(1, EVERY + 1), pick.randrange(5)
        left = {n: longest(numbers & ~(1 << n), gaps) for n in range(NUMBERS) if numbers >> n & 1}
        place = gaps * (EVERY + 1) + numbers

        assert int(LEFT[place]) == max(left.values()), (numbers, gaps)
        assert int(LEAST_NEEDED[place]) == sum(1 << n for n in left if left[n] == max(left.values())), (numbers, gaps)
