"""Exact integer histograms: moments, quantiles, bands and the summary of a report.

A histogram is a pair (values, counts): int64 arrays of one length, values
strictly ascending, counts at least 0. Adding histograms loses nothing, so
chunks of a run are merged and never averaged. Sums are Python ints, divided
once at the end.

`infinite`, where it is taken, is the number of games that never ended or were
cut off beyond all values: they count as +inf. Quantiles then may be inf;
means are of the finite games only.
"""

import math
from bisect import bisect_left, bisect_right
from decimal import Decimal
from fractions import Fraction

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import (
    _alpha,
    mean_interval_from_sums,
    variance_from_sums,
    whole,
    wilson,
)

SUMMARY_QUANTILES = {
    "q01": "0.01",
    "q05": "0.05",
    "q25": "0.25",
    "median": "0.5",
    "q75": "0.75",
    "q95": "0.95",
    "q99": "0.99",
    "q999": "0.999",
}
SUMMARY_KEYS = (
    *("mean", "se", "low", "high", "sd", "min"),
    *SUMMARY_QUANTILES,
    *("max", "n"),
)


def from_samples(samples):
    """Histogram (values, counts) of an array of whole numbers.

    Raises
    ------
    ValueError
        If a sample is not a whole number.
    """
    samples = _whole_array(samples, "samples")
    values, counts = np.unique(samples, return_counts=True)
    return values.astype(np.int64), counts.astype(np.int64)


def merge(*histograms):
    """One histogram of all the games in several; each is a pair (values, counts).

    Raises
    ------
    ValueError
        If one of them is not a histogram.
    """
    checked = [_check(values, counts) for values, counts in histograms]
    if not checked:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    values, where = np.unique(np.concatenate([v for v, _ in checked]), return_inverse=True)
    counts = np.zeros(len(values), np.int64)
    np.add.at(counts, where, np.concatenate([c for _, c in checked]))
    return values, counts


def total(values, counts):
    """Number of games in the histogram, a Python int."""
    return sum(_check(values, counts)[1].tolist())


def mean(values, counts):
    """Mean value, correctly rounded from exact sums.

    Raises
    ------
    ValueError
        If the histogram is empty.
    """
    n, s1, _ = sums(values, counts)
    _need(n, 1)
    return s1 / n


def variance(values, counts):
    """Variance with divisor n - 1, correctly rounded from exact sums.

    Raises
    ------
    ValueError
        If there are fewer than two games.
    """
    return variance_from_sums(*sums(values, counts))


def sd(values, counts):
    """Standard deviation, the root of `variance`."""
    return math.sqrt(variance(values, counts))


def sums(values, counts):
    """Exact (n, sum of values, sum of squares), three Python ints."""
    values, counts = _check(values, counts)
    v, c = values.astype(object), counts.astype(object)
    return sum(counts.tolist()), int(v @ c), int((v * v) @ c)


def mean_estimate(values, counts, level=0.95):
    """Mean with its Student interval; the games must be independent.

    Returns
    -------
    Estimate
        nan with interval (-inf, inf) if the histogram is empty.
    """
    return mean_interval_from_sums(*sums(values, counts), level)


def quantile(values, counts, q, infinite=0):
    """Smallest value whose cumulative share is at least q.

    Parameters
    ----------
    q : float, str or Fraction
        Between 0 and 1. A float is taken as the decimal it prints as: 0.1 is
        one tenth. q = 0 gives the smallest value.
    infinite : int
        Games beyond all values.

    Returns
    -------
    int, or math.inf if the quantile falls among the infinite games.

    Raises
    ------
    ValueError
        If there are no games or q is not in [0, 1].
    """
    values, cumulative, n = _cumulative(values, counts, infinite)
    _need(n, 1)
    return _order_statistic(values, cumulative, max(1, math.ceil(_share(q) * n)))


def quantile_interval(values, counts, q, level=0.95, infinite=0, lowest=-math.inf, group=1):
    """Quantile with its distribution-free interval by order statistics.

    Parameters
    ----------
    q : float, str or Fraction
        Strictly between 0 and 1.
    level : float
        The coverage is at least this, for any distribution and any n.
    infinite : int
        Games beyond all values.
    lowest : float
        Lower end where n is too small for one; a length, say, is at least 0.
    group : int
        Games come in deals of so many, which may depend on each other in any
        way: the interval is that of n / group games, and n counts deals.

    Returns
    -------
    Estimate
        low = X_(l), high = X_(u); high is inf if n is too small for an upper
        end or if X_(u) is an infinite game. n counts the infinite games.

    Raises
    ------
    ValueError
        If there are no games, or q or level is not strictly between 0 and 1.

    Notes
    -----
    The largest l and smallest u with P(Bin(n, q) < l) <= (1 - level)/2 and
    P(Bin(n, q) >= u) <= (1 - level)/2. Source: David & Nagaraja, "Order
    Statistics", chapter on distribution-free intervals.
    """
    values, cumulative, n = _cumulative(values, counts, infinite)
    _need(n, 1)
    units = max(1, n // group)
    lower, upper = order_ranks(units, float(_share(q)), level)
    return Estimate(
        quantile(values, np.diff(cumulative, prepend=0), q, infinite),
        lowest if lower == 0 else _order_statistic(values, cumulative, (lower - 1) * group + 1),
        math.inf if upper > units else _order_statistic(values, cumulative, min(n, upper * group)),
        units,
        None,
        "order statistics",
        level,
    )


def order_ranks(n, q, level=0.95):
    """Ranks (l, u) with P(l <= Bin(n, q) < u) >= level, equal-tailed.

    l = 0 and u = n + 1 stand for no end on that side.

    Raises
    ------
    ValueError
        If q or level is not strictly between 0 and 1.
    """
    from scipy.special import bdtr, bdtrc

    if not 0 < q < 1:
        raise ValueError(f"q = {q}; an interval needs q strictly between 0 and 1")
    tail = _alpha(level) / 2
    lower = bisect_right(range(n), tail, key=lambda k: bdtr(k, n, q))
    upper = bisect_left(range(n), -tail, key=lambda k: -bdtrc(k, n, q)) + 1
    return lower, upper


def survival(values, counts, infinite=0):
    """P(X > v) at each value of the histogram.

    Returns
    -------
    float64 array, shape of values; its last element is the share of infinite
    games.

    Raises
    ------
    ValueError
        If there are no games.
    """
    _, cumulative, n = _cumulative(values, counts, infinite)
    _need(n, 1)
    return (n - cumulative) / n


def survival_estimate(values, counts, x, infinite=0, level=0.95):
    """Share of games with a value above x, with its Wilson interval."""
    values, cumulative, n = _cumulative(values, counts, infinite)
    above = n - _count_up_to(values, cumulative, x)
    return wilson(above, n, level)


def dkw_band(values, counts, level=0.95, infinite=0, group=1):
    """Band that holds the whole distribution function at once.

    `group`: games come in deals of so many, which may depend on each other; the band is that of one game a deal.

    Returns
    -------
    cdf, low, high : float64 arrays, shape of values
        P(X <= v) and the band's ends at each value, within [0, 1].

    Raises
    ------
    ValueError
        If there are no games.

    Notes
    -----
    Half-width sqrt(ln(2/(1 - level)) / 2n). Source: Dvoretzky, Kiefer &
    Wolfowitz 1956; constant by Massart 1990.
    """
    _, cumulative, n = _cumulative(values, counts, infinite)
    _need(n, 1)
    half = math.sqrt(math.log(2 / _alpha(level)) * group / (2 * n))
    cdf = cumulative / n
    return cdf, np.maximum(cdf - half, 0), np.minimum(cdf + half, 1)


def summary(values, counts, level=0.95):
    """The row of a report: moments with interval, quantiles, extremes.

    Returns
    -------
    dict
        Keys mean se low high sd min q01 q05 q25 median q75 q95 q99 q999 max
        n, in this order. low and high are the interval of the mean; the
        quantiles are as in `quantile`. An empty histogram gives nan
        throughout, with low and high infinite and n 0.
    """
    values, counts = _drop_zeros(*_check(values, counts))
    average = mean_estimate(values, counts, level)
    row = dict.fromkeys(SUMMARY_KEYS, math.nan)
    row |= {"mean": average.estimate, "se": average.se, "n": average.n}
    row |= {"low": average.low, "high": average.high}
    if average.n >= 1:
        row |= {"min": int(values[0]), "max": int(values[-1])}
        row |= {key: quantile(values, counts, q) for key, q in SUMMARY_QUANTILES.items()}
    if average.n >= 2:
        row["sd"] = sd(values, counts)
    return row


def _share(q):
    """q as an exact fraction in [0, 1], a float as the decimal it prints as."""
    share = q if isinstance(q, Fraction) else Fraction(Decimal(str(q)))
    if not 0 <= share <= 1:
        raise ValueError(f"q = {q}; a quantile needs q between 0 and 1")
    return share


def _order_statistic(values, cumulative, rank):
    """The rank-th smallest value (from 1); inf beyond the finite games."""
    i = int(np.searchsorted(cumulative, rank))
    return int(values[i]) if i < len(values) else math.inf


def _count_up_to(values, cumulative, x):
    """Number of finite games with a value of at most x."""
    i = int(np.searchsorted(values, x, side="right"))
    return int(cumulative[i - 1]) if i else 0


def _cumulative(values, counts, infinite):
    """Values, running totals (int64) and n, infinite games included."""
    values, counts = _check(values, counts)
    infinite = whole(infinite)
    if infinite < 0:
        raise ValueError(f"infinite = {infinite}; it is a number of games")
    finite = sum(counts.tolist())
    if finite + infinite >= 2**63:
        raise ValueError("more than 2**63 games; an int64 cannot count them")
    return values, np.cumsum(counts), finite + infinite


def _check(values, counts):
    """values and counts as int64 arrays, once they are a histogram."""
    values, counts = _whole_array(values, "values"), _whole_array(counts, "counts")
    if values.ndim != 1 or values.shape != counts.shape:
        raise ValueError(f"values {values.shape} and counts {counts.shape}; give two equal rows")
    if np.any(values[1:] <= values[:-1]):
        raise ValueError("values must be strictly ascending; use from_samples or merge")
    if np.any(counts < 0):
        raise ValueError("counts must not be negative")
    return values, counts


def _whole_array(x, name):
    """x as an int64 array; ValueError if that changes a number."""
    x = np.asarray(x)
    if x.size == 0:
        return x.astype(np.int64)
    if x.dtype.kind == "f" and not (np.all(np.isfinite(x)) and np.all(x == np.floor(x))):
        raise ValueError(f"{name} must be whole numbers")
    if x.dtype.kind not in "iufb":
        raise ValueError(f"{name} of type {x.dtype}; give whole numbers within int64")
    if x.max() > np.iinfo(np.int64).max or abs(float(x.min())) > 2.0**63:
        raise ValueError(f"{name} beyond int64")
    return x.astype(np.int64)


def _drop_zeros(values, counts):
    """The histogram without the values that never occurred."""
    seen = counts > 0
    return values[seen], counts[seen]


def _need(n, least):
    """ValueError unless there are games enough."""
    if n < least:
        raise ValueError(f"{n} games in the histogram; this needs at least {least}")
