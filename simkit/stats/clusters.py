"""Means and shares over games that come in deals: the deal is the unit, however its games depend on each other.

Each deal d brings m_d games that count and their total x_d. A figure is the
total of all x over the total of all m: a mean (x sums the games' values), or a
share (x counts the games). Everything is computed from five exact integer sums
over deals, which chunks of a run may add in any order:

    x, m, xx, xm, mm    the sums of x_d, m_d, x_d², x_d m_d, m_d²
"""

import math
from typing import NamedTuple

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import t_value, whole, zero_upper


class Sums(NamedTuple):
    """The five sums over deals, Python ints (so that nothing overflows)."""

    x: int
    m: int
    xx: int
    xm: int
    mm: int


def mean_by_deal(deals, sums, level=0.95):
    """Mean of the games' values with the standard error of its deals.

    Parameters
    ----------
    deals : int
        Deals played. Those without a game that counts (m_d = 0) count too.
    sums : Sums, or five whole numbers
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Estimate
        x / m ± t se; n is the number of deals. With one deal the interval is
        (-inf, inf); without a game the figure is nan too.

    Raises
    ------
    ValueError
        If no deals have these sums.

    Notes
    -----
    Linearised ratio: se² = deals/(deals - 1) sum (x_d - R m_d)² / m², R the
    figure. If all m_d are equal this is the usual interval of the deals'
    means. Source: Cochran, "Sampling Techniques", chapter on ratio estimators.
    """
    deals, sums = whole(deals), _checked(sums)
    figure = sums.x / sums.m if sums.m else math.nan
    if deals < 2 or not sums.m:
        return Estimate(figure, -math.inf, math.inf, deals, math.nan, "t by deal", level)
    se = _se(deals, sums)
    half = t_value(deals - 1, level) * se
    return Estimate(figure, figure - half, figure + half, deals, se, "t by deal", level)


def share_by_deal(deals, sums, level=0.95):
    """Share of games with the interval of its deals.

    Parameters
    ----------
    deals, sums, level
        As for `mean_by_deal`; x_d counts some of the deal's m_d games.

    Returns
    -------
    Estimate
        n is the number of deals. Never leaves (0, 1). Without a game the
        figure is nan and the interval (0, 1).

    Raises
    ------
    ValueError
        If no deals have these sums.

    Notes
    -----
    Wilson's interval with the number of independent games that would have the
    same standard error, p (1 - p) / se². If all deals show the same share
    (none at all, say), another one comes in at most about 3/deals of them.
    """
    deals, sums = whole(deals), _checked(sums)
    if not 0 <= sums.x <= sums.m:
        raise ValueError(f"{sums.x} of {sums.m} games is no share")
    if not sums.m:
        return Estimate(math.nan, 0.0, 1.0, deals, math.nan, "Wilson by deal", level)
    p = sums.x / sums.m
    if deals < 2:
        return Estimate(p, 0.0, 1.0, deals, math.nan, "Wilson by deal", level)
    se = _se(deals, sums)
    if se == 0:
        other = zero_upper(deals, level)
        return Estimate(p, p * (1 - other), p + (1 - p) * other, deals, 0.0, "Wilson by deal", level)
    z = t_value(deals - 1, level)
    n = p * (1 - p) / se**2
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2) / (1 + z * z / n)
    return Estimate(p, max(0.0, centre - half), min(1.0, centre + half), deals, se, "Wilson by deal", level)


def effect(deals, sums):
    """Variance of the figure over that of as many independent games of the same share; below 1 the pairing helps.

    nan if the share is 0 or 1, or there are fewer than two deals.
    """
    deals, sums = whole(deals), _checked(sums)
    if deals < 2 or not 0 < sums.x < sums.m:
        return math.nan
    p = sums.x / sums.m
    return _se(deals, sums) ** 2 * sums.m / (p * (1 - p))


def _checked(sums):
    """The sums as Python ints, once some deals could have them."""
    sums = Sums(*map(whole, sums))
    if sums.m < 0 or sums.xx < 0 or sums.mm < 0 or sums.xm**2 > sums.xx * sums.mm:
        raise ValueError("no deals have these sums; did an int64 overflow?")
    return sums


def _se(deals, s):
    """Standard error of x / m."""
    spread = s.xx * s.m * s.m - 2 * s.x * s.m * s.xm + s.x * s.x * s.mm  # sum (x_d - R m_d)², times m²
    if spread < 0:
        raise ValueError("no deals have these sums; did an int64 overflow?")
    return math.sqrt(spread * deals / (deals - 1) / s.m**4)
