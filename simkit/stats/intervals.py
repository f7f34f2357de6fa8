"""Intervals for proportions, their differences and means.

Light on purpose: needs numpy only. The beta quantiles and small-sample t
quantiles load scipy.special when they are called.
"""

import math
from statistics import NormalDist

import numpy as np

from simkit.stats.estimate import Estimate

T_BY_SERIES = 200  # degrees of freedom from which t_value's series is exact to 1e-9


def z_value(level=0.95):
    """Two-sided normal quantile: z with P(-z < Z < z) = level; 1.96 for 0.95."""
    return -NormalDist().inv_cdf(_alpha(level) / 2)


def t_value(df, level=0.95):
    """Two-sided Student quantile for df > 0 degrees of freedom.

    From 200 degrees of freedom on by the series in 1/df, which needs no
    scipy and is exact to 1e-9. Source: Abramowitz & Stegun 26.7.5.
    """
    if df >= T_BY_SERIES:
        z = z_value(level)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(g / df**i for i, g in enumerate(terms, start=1))
    from scipy.special import stdtrit

    return float(-stdtrit(df, _alpha(level) / 2))


def wilson(k, n, level=0.95):
    """Score interval of a proportion; the default for every win rate.

    Parameters
    ----------
    k, n : int or int array
        Successes and trials, 0 <= k <= n; shapes broadcast.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Estimate
        Scalars, or arrays if k or n is one. With n = 0 the figure is nan and
        the interval is (0, 1).

    Raises
    ------
    ValueError
        If a count is not whole, negative, or k > n.

    Notes
    -----
    Centre (p + z²/2n)/(1 + z²/n), half-width
    z sqrt(p(1-p)/n + z²/4n²)/(1 + z²/n). Source: Wilson 1927; Brown, Cai,
    DasGupta, Statistical Science 16 (2001).
    """
    k, n = _counts(k, n)
    z = z_value(level)
    trials = np.maximum(n, 1)
    p = k / trials
    shrink = 1 + z * z / trials
    centre = (p + z * z / (2 * trials)) / shrink
    half = z * np.sqrt(p * (1 - p) / trials + (z / (2 * trials)) ** 2) / shrink
    return _proportion(k, n, centre - half, centre + half, "Wilson", level)


def jeffreys(k, n, level=0.95):
    """Equal-tailed interval of a proportion under the Beta(1/2, 1/2) prior.

    Arguments, result and errors as for `wilson`. Low is 0 if k = 0, high is
    1 if k = n. Source: Brown, Cai, DasGupta 2001.
    """
    from scipy.special import betaincinv

    k, n = _counts(k, n)
    tail = _alpha(level) / 2
    low = betaincinv(k + 0.5, n - k + 0.5, tail)
    high = 1 - betaincinv(n - k + 0.5, k + 0.5, tail)
    return _proportion(k, n, low, high, "Jeffreys", level)


def clopper_pearson(k, n, level=0.95):
    """Exact interval of a proportion: coverage never under the level.

    For rare events and guarantees. Arguments, result and errors as for
    `wilson`. Quantiles of Beta(k, n-k+1) and Beta(k+1, n-k).
    """
    from scipy.special import betaincinv

    k, n = _counts(k, n)
    tail = _alpha(level) / 2
    low = betaincinv(np.maximum(k, 1), n - k + 1, tail)
    high = 1 - betaincinv(np.maximum(n - k, 1), k + 1, tail)
    return _proportion(k, n, low, high, "Clopper-Pearson", level)


def zero_upper(n, level=0.95):
    """One-sided upper limit of a proportion when nothing was seen in n trials.

    1 - (1 - level)^(1/n), close to 3/n at 95 %; 1 if n = 0. All the doubt is
    on one side, so it is narrower than the two-sided Clopper-Pearson limit.

    Raises
    ------
    ValueError
        If n is not a whole number, or negative.
    """
    _, n = _counts(0, n)
    upper = -np.expm1(math.log(_alpha(level)) / np.maximum(n, 1))
    return _plain(np.where(n == 0, 1.0, upper))


def all_lower(n, level=0.95):
    """One-sided lower limit of a proportion when all n trials succeeded."""
    return 1 - zero_upper(n, level)


def newcombe(k1, n1, k2, n2, level=0.95):
    """Difference p1 - p2 of two proportions from *independent* games.

    Parameters
    ----------
    k1, n1, k2, n2 : int or int array
        Successes and trials of either group.

    Returns
    -------
    Estimate
        Of p1 - p2; n is n1 + n2. Without trials in a group the figure is nan.

    Raises
    ------
    ValueError
        As for `wilson`.

    Notes
    -----
    Hybrid of the two Wilson intervals. Games on the same deals are not
    independent: use simkit.stats.paired. Source: Newcombe, Statistics in
    Medicine 17 (1998), method 10.
    """
    a, b = wilson(k1, n1, level), wilson(k2, n2, level)
    p1, p2 = np.asarray(a.estimate), np.asarray(b.estimate)
    d = p1 - p2
    below = np.hypot(p1 - a.low, b.high - p2)
    above = np.hypot(a.high - p1, p2 - b.low)
    known = ~np.isnan(d)
    return Estimate(
        _plain(d),
        _plain(np.where(known, d - below, a.low - b.high)),
        _plain(np.where(known, d + above, a.high - b.low)),
        _plain(np.asarray(n1) + np.asarray(n2)),
        _plain(np.hypot(a.se, b.se)),
        "Newcombe",
        level,
    )


def mean_interval(n, mean, sd, level=0.95):
    """Student interval of a mean from its moments.

    Parameters
    ----------
    n : int
        Independent units.
    mean, sd : float
        Mean and standard deviation (divisor n - 1) of the units.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Estimate
        mean ± t sd/sqrt(n). One unit says nothing of the spread: interval
        (-inf, inf), se nan. No unit: the figure is nan too.

    Raises
    ------
    ValueError
        If n is negative or sd is.
    """
    if n < 0 or sd < 0:
        raise ValueError(f"n = {n} and sd = {sd}; neither can be negative")
    if n < 2:
        figure = float(mean) if n == 1 else math.nan
        return Estimate(figure, -math.inf, math.inf, int(n), math.nan, "t", level)
    mean, se = float(mean), float(sd) / math.sqrt(n)
    half = t_value(n - 1, level) * se
    return Estimate(mean, mean - half, mean + half, int(n), se, "t", level)


def mean_interval_from_sums(n, total, total_squares, level=0.95):
    """Student interval of a mean from exact integer sums.

    Parameters
    ----------
    n : int
        Independent units.
    total, total_squares : int
        Sum of the (whole) values and of their squares. Python ints, so that
        no bit is lost however many units there are.

    Raises
    ------
    ValueError
        If no values have these sums, or they are not whole.
    """
    n, total, total_squares = whole(n), whole(total), whole(total_squares)
    if n < 2:
        return mean_interval(n, total, 0.0, level)
    return mean_interval(n, total / n, math.sqrt(variance_from_sums(n, total, total_squares)), level)


def variance_from_sums(n, total, total_squares):
    """Variance (divisor n - 1) of n >= 2 whole values from exact integer sums.

    Raises
    ------
    ValueError
        If there are fewer than two values or no values have these sums.
    """
    if n < 2:
        raise ValueError(f"n = {n}; a variance needs two values")
    spread = n * total_squares - total * total
    if spread < 0:
        raise ValueError("sum of squares too small for the sum; did an int64 overflow?")
    return spread / (n * (n - 1))


def whole(x):
    """x as a Python int; ValueError if it is not a whole number."""
    if x != int(x):
        raise ValueError(f"{x} is not a whole number; sums and counts must be")
    return int(x)


def _alpha(level):
    """1 - level, once level is known to be a probability."""
    if not 0 < level < 1:
        raise ValueError(f"level = {level}; give a number between 0 and 1, such as 0.95")
    return 1 - level


def _counts(k, n):
    """k and n as float64 arrays of one shape, once they are possible counts."""
    k, n = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    if not (np.all(k == np.floor(k)) and np.all(n == np.floor(n))):
        raise ValueError("successes and trials must be whole numbers")
    if not np.all((k >= 0) & (k <= n)):
        raise ValueError("successes must lie between 0 and the number of trials")
    return k, n


def _proportion(k, n, low, high, method, level):
    """Estimate of k/n; the ends are exactly 0 or 1 where k = 0 or k = n."""
    trials = np.maximum(n, 1)
    p = np.where(n == 0, np.nan, k / trials)
    se = np.sqrt(p * (1 - p) / trials)
    low = np.where(k == 0, 0.0, np.minimum(low, 1))
    high = np.where(k == n, 1.0, np.maximum(high, 0))
    size = n.astype(np.int64)
    return Estimate(*map(_plain, (p, low, high, size, se)), method, level)


def _plain(x):
    """A Python number for a scalar, else the array."""
    x = np.asarray(x)
    return x.item() if x.ndim == 0 else x
