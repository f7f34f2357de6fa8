"""Intervals that may be watched: right at all times at once, whenever one stops.

For "stop when the answer is clear" and for looking at a running simulation.
The chance that such a sequence of intervals *ever* misses the truth is at most
1 - level, where the usual 95 % interval, watched for long, misses it more
often than not. The price is a width about 1.5 times as great.
"""

import math

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import _alpha, _counts, _plain

STEPS = 200  # of the root searches; halving ends by itself after about 60


def beta_mixture(k, n, level=0.95, a=1.0, b=1.0):
    """Interval of a proportion that holds at all times at once.

    Parameters
    ----------
    k, n : int or int array
        Successes and trials so far; shapes broadcast.
    level : float
        Confidence level, between 0 and 1.
    a, b : float
        Weights of the mixing Beta law. 1 and 1 serve all proportions;
        great equal weights give narrower intervals near 1/2 late in a run.

    Returns
    -------
    Estimate
        As of `wilson`.

    Raises
    ------
    ValueError
        If a count is impossible or a weight not above 0.

    Notes
    -----
    All p with B(k+a, n-k+b) / (B(a, b) p^k (1-p)^(n-k)) < 1/(1 - level).
    Source: Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon, Annals of
    Statistics 49 (2021).
    """
    from scipy.special import betaln, xlog1py, xlogy

    if not (a > 0 and b > 0):
        raise ValueError(f"a = {a}, b = {b}; give weights above 0")
    k, n = _counts(k, n)
    p = k / np.maximum(n, 1)
    least = betaln(k + a, n - k + b) - betaln(a, b) + math.log(_alpha(level))

    def outside(x):
        return xlogy(k, x) + xlog1py(n - k, -x) < least

    low = _bisect(outside, np.zeros(p.shape), p)
    high = _bisect(outside, np.ones(p.shape), p)
    low, high = np.where(n == 0, 0.0, low), np.where(n == 0, 1.0, high)
    se = np.sqrt(p * (1 - p) / np.maximum(n, 1))
    figure = np.where(n == 0, np.nan, p)
    return Estimate(*map(_plain, (figure, low, high, n.astype(np.int64), se)), "beta-mixture sequence", level)


def normal_mixture(n, mean, sd=0.5, level=0.95, target=10_000, low=0.0, high=1.0):
    """Interval of a mean of bounded scores that holds at all times at once.

    Parameters
    ----------
    n : int or int array
        Deals so far.
    mean, sd : float or array
        Of the scores. With sd = 0.5 the interval is valid for any scores
        between 0 and 1 and any number of deals; with the sample's own it is
        narrower, and valid in the limit of many deals.
    level : float
        Confidence level, between 0 and 1.
    target : int
        Number of deals, fixed beforehand, at which to be narrowest.
    low, high : float
        No mean can lie outside.

    Returns
    -------
    Estimate
        Without deals the interval is (low, high).

    Raises
    ------
    ValueError
        If n or sd is negative, or target not above 0.

    Notes
    -----
    Half-width sd sqrt((n + r) ln((n + r)/(r (1 - level)²))) / n with r =
    target / u, u = ln(1 + u) - 2 ln(1 - level); 1.55 times the normal one at
    the target, for 95 %. Source: Robbins 1970; Waudby-Smith, Arbour, Sinha,
    Kennedy, Ramdas, Annals of Statistics 52 (2024).
    """
    n, mean, sd = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (n, mean, sd)))
    if np.any(n < 0) or np.any(sd < 0) or not target > 0:
        raise ValueError("n and sd cannot be negative, and target must be above 0")
    r = mixture_scale(target, level)
    trials = np.maximum(n, 1)
    half = sd * np.sqrt((n + r) * np.log((n + r) / (r * _alpha(level) ** 2))) / trials
    bottom = np.where(n == 0, low, np.clip(mean - half, low, high))
    top = np.where(n == 0, high, np.clip(mean + half, low, high))
    figure = np.where(n == 0, np.nan, mean)
    return Estimate(*map(_plain, (figure, bottom, top, n.astype(np.int64), sd / np.sqrt(trials))), "normal-mixture sequence", level)


def mixture_scale(target, level=0.95):
    """Deals r = target / u that make `normal_mixture` narrowest at the target; u = 8.21 for 95 %."""
    log = -2 * math.log(_alpha(level))
    u = log
    for _ in range(STEPS):
        u = log + math.log1p(u)  # the slope is 1 / (1 + u), so each turn gains a digit
    return target / u


def running_intersection(sequence):
    """Intersection of a confidence sequence with all its earlier intervals.

    Parameters
    ----------
    sequence : Estimate
        Arrays over looks, in order, along the last axis.

    Returns
    -------
    Estimate
        Never widens. Where low exceeds high every value has been refuted at
        some look, which happens with chance at most 1 - level.
    """
    low = np.maximum.accumulate(sequence.low, axis=-1)
    high = np.minimum.accumulate(sequence.high, axis=-1)
    return Estimate(sequence.estimate, low, high, sequence.n, sequence.se, f"{sequence.method}, running", sequence.level)


def _bisect(outside, out, inside):
    """Border between points outside and inside, elementwise."""
    for _ in range(STEPS):
        middle = (out + inside) / 2
        if np.all((middle == out) | (middle == inside)):
            break
        beyond = outside(middle)
        out, inside = np.where(beyond, middle, out), np.where(beyond, inside, middle)
    return out
