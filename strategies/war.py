"""Ways to pick up a won pot in War, where the winner may choose (`pickup_order = player_choice`).

A move is one of five orders: 0 winner_first, 1 losers_first, 2 high_first, 3 low_first, 4 shuffled. The first card
listed goes in first and so comes back first.
"""

from simkit.players import strategy
from simkit.rng import below


@strategy("war")
def random(view, moves, n):
    """Any of the five orders, equally likely: the reference player."""
    return below(view.rng, n)


@strategy("war")
def winner_first(view, moves, n):
    """Own cards first, in the order laid, then the others'."""
    return 0


@strategy("war")
def losers_first(view, moves, n):
    """The others' cards first, then one's own."""
    return 1


@strategy("war")
def high_first(view, moves, n):
    """Highest card first: strong cards come back together."""
    return 2


@strategy("war")
def low_first(view, moves, n):
    """Lowest card first: a weak card is followed by strong ones."""
    return 3


@strategy("war")
def shuffled(view, moves, n):
    """Swept up in no fixed order."""
    return 4
