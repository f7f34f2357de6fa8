"""Two players, or two sets of rules, on the same deals."""

import math
from dataclasses import dataclass

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.histogram import sums
from simkit.stats.intervals import mean_interval, mean_interval_from_sums, whole

LEAST = 30  # deals for an interval of a mean


@dataclass(frozen=True)
class Paired:
    """Difference of two results on the same deals, and what the pairing gained.

    Attributes
    ----------
    difference : Estimate
        Mean of A - B per deal; n is the number of deals.
    correlation : float
        Of A and B over deals; nan if one of them never varies.
    variance_reduction : float
        (var A + var B) / var(A - B): how many times fewer games pairing
        needs. Below 1 pairing harmed; inf if the difference never varies.
    equivalent_games : float
        Independent games per side that would give the same standard error:
        n times the factor.
    """

    difference: Estimate
    correlation: float
    variance_reduction: float
    equivalent_games: float

    def __str__(self):
        return f"{self.difference}, correlation {self.correlation:.2f}, as good as {self.equivalent_games:,.0f} independent games a side"


def paired_difference(a, b, level=0.95):
    """Mean of A minus B on the same deals, with its standard error.

    Parameters
    ----------
    a, b : array, shape (n_deals,), unit: points per deal
        Row i of both was played on deal i.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Paired
        difference in points per deal.

    Raises
    ------
    ValueError
        If the shapes differ, or if there are fewer than 30 deals.

    Notes
    -----
    se = sd(a - b) / sqrt(n). Source: Law, "Simulation Modeling and
    Analysis", chapter on variance reduction (common random numbers).
    """
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"a has shape {a.shape} and b {b.shape}; pair them, one row per deal")
    n = _enough(a.shape[0])
    d = a - b
    difference = mean_interval(n, d.mean(), d.std(ddof=1), level)
    return _paired(difference, a.var(ddof=1), b.var(ddof=1), d.var(ddof=1))


def paired_from_sums(n, sum_a, sum_b, sum_aa, sum_bb, sum_ab, level=0.95):
    """`paired_difference` from exact integer sums over deals.

    Parameters
    ----------
    n : int
        Deals.
    sum_a, sum_b, sum_aa, sum_bb, sum_ab : int
        Sums of A, B, A², B² and A B, as Python ints; sums of chunks add.

    Raises
    ------
    ValueError
        If there are fewer than 30 deals, or no whole results have these sums.
    """
    n, sa, sb, saa, sbb, sab = map(whole, (n, sum_a, sum_b, sum_aa, sum_bb, sum_ab))
    _enough(n)
    difference = mean_interval_from_sums(n, sa - sb, saa - 2 * sab + sbb, level)
    va, vb, cross = n * saa - sa * sa, n * sbb - sb * sb, n * sab - sa * sb
    if va < 0 or vb < 0 or cross * cross > va * vb:
        raise ValueError("no results have these sums; did an int64 overflow?")
    return _paired(difference, va, vb, va + vb - 2 * cross)


def paired_from_histogram(values, counts, level=0.95):
    """Mean difference from the exact histogram of A - B over deals.

    Parameters
    ----------
    values, counts : int64 arrays of one shape
        As in simkit.stats.histogram; values in points, whole numbers.

    Returns
    -------
    Estimate
        The difference alone: the histogram does not know how A and B varied.

    Raises
    ------
    ValueError
        If there are fewer than 30 deals, or this is not a histogram.
    """
    n, total, squares = sums(values, counts)
    return mean_interval_from_sums(_enough(n), total, squares, level)


def _paired(difference, var_a, var_b, var_d):
    """Paired from a difference and three variances in one unit."""
    scale = math.sqrt(var_a) * math.sqrt(var_b)
    rho = float((var_a + var_b - var_d) / (2 * scale)) if scale > 0 else math.nan
    factor = _ratio(var_a + var_b, var_d)
    return Paired(difference, float(np.clip(rho, -1, 1)), factor, difference.n * factor)


def _ratio(x, y):
    """x / y for x, y >= 0; inf for x/0 and nan for 0/0."""
    if y > 0:
        return float(x / y)
    return math.inf if x > 0 else math.nan


def _enough(n):
    """n, once there are deals enough."""
    if n < LEAST:
        raise ValueError(f"{n} deals are too few for a normal interval; play {LEAST}")
    return n
