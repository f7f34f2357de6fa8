"""Run until the interval is narrow enough.

Stopping when the *width* is reached keeps the coverage close to the nominal
one, because the width hardly depends on the figure. Stopping when the
*answer* looks clear does not; it needs a confidence sequence, not this.
"""

import math
from dataclasses import dataclass

import numpy as np

from simkit.stats.intervals import _alpha, z_value

FIRST_LOOK = 1000  # games; also the grain of the schedule


def looks(maximum=None):
    """Numbers of games after which a run looks at its intervals.

    1000, then each 10 per cent more, rounded up to whole thousands. The
    schedule depends on nothing else, so that a run stops at the same game
    however it is chunked.

    Parameters
    ----------
    maximum : int or None
        The last look is here; None never ends.

    Yields
    ------
    int
        Ascending numbers of games.

    Raises
    ------
    ValueError
        At the first look, if maximum is below 1.
    """
    if maximum is not None and maximum < 1:
        raise ValueError(f"maximum = {maximum}; play at least one game")
    n = FIRST_LOOK
    while maximum is None or n < maximum:
        yield n
        n = -(-n * 11 // (10 * FIRST_LOOK)) * FIRST_LOOK
    yield maximum


@dataclass(frozen=True)
class FixedWidth:
    """Rule: stop at the first look whose interval is narrow enough.

    Parameters
    ----------
    half_width : float
        Target, in the figure's unit (0.001 is 0.1 % of a proportion).
    level : float
        Confidence level the estimates must have.
    minimum : int
        Never stop with fewer games than this.

    Raises
    ------
    ValueError
        If the target is not above 0, the level not between 0 and 1, or the
        minimum below 2.

    Notes
    -----
    Coverage is approximately the level. Source: Chow & Robbins, Annals of
    Mathematical Statistics 36 (1965).
    """

    half_width: float
    level: float = 0.95
    minimum: int = 200

    def __post_init__(self):
        if not self.half_width > 0:
            raise ValueError(f"half_width = {self.half_width}; give a number above 0")
        _alpha(self.level)
        if self.minimum < 2:
            raise ValueError(f"minimum = {self.minimum}; an interval needs two games")

    def looks(self, maximum=None):
        """The looks of the module from the minimum on; `maximum` is always the last."""
        return (n for n in looks(maximum) if n >= self.minimum or n == maximum)

    def satisfied(self, estimate):
        """True if the run may stop with this Estimate (elementwise for arrays).

        Raises
        ------
        ValueError
            If the estimate has another level than the rule.
        """
        if estimate.level != self.level:
            raise ValueError(f"interval of level {estimate.level}, rule of {self.level}; use one")
        enough = np.greater_equal(estimate.n, self.minimum)
        return (enough & np.less_equal(estimate.half_width, self.half_width))[()].tolist()

    def __str__(self):
        return f"fixed width ±{self.half_width:g}, approximately {100 * self.level:g} %"


def games_for_mean(half_width, sd, level=0.95):
    """Games until a mean of games with this sd has the half-width: (z sd / half_width)²."""
    if not (half_width > 0 and sd >= 0):
        raise ValueError(f"half_width = {half_width}, sd = {sd}; give numbers above 0")
    return math.ceil((z_value(level) * sd / half_width) ** 2)


def games_for_proportion(half_width, p=0.5, level=0.95):
    """Games until a proportion near p has the half-width; p = 0.5 is the worst case."""
    if not 0 <= p <= 1:
        raise ValueError(f"p = {p}; a proportion lies between 0 and 1")
    return games_for_mean(half_width, math.sqrt(p * (1 - p)), level)
