"""Large comparisons come in shares: the first is part of `make test`, all of them of `make test-long`."""

from itertools import pairwise

import pytest


def shares(first: int, end: int, parts: int = 10) -> list:
    """Values of a parameter `share`: ranges that together make range(first, end), the first of them so many times smaller."""
    small = first + (end - first) // parts
    bounds = [small + (end - small) * k // 3 for k in range(4)]
    rest = [pytest.param(range(*pair), marks=pytest.mark.long, id=f"{pair[0]}-{pair[1]}") for pair in pairwise(bounds)]
    return [pytest.param(range(first, small), id=f"{first}-{small}"), *rest]
