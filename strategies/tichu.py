"""Ways to play Tichu."""

from simkit.games.tichu import GRAND, PASS, TICHU, WISH
from simkit.players import strategy
from simkit.rng import below


@strategy("tichu")
def random(view, moves, n):
    """Never calls; pushes, plays, bombs, wishes and gives at random, each legal answer equally likely: the reference player.

    Benchmark B1 of the rules page (9.3): a pass is an answer like any other, and a wish is always made.
    """
    if view.decision == GRAND or view.decision == TICHU:
        return 0
    if view.decision == WISH and moves[0] == PASS:
        return 1 + below(view.rng, n - 1)
    return below(view.rng, n)
