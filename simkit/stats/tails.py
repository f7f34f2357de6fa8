"""Is the tail of a histogram exponential, and how long is it?

Values are whole numbers on a lattice: lengths of a game, say, that are all
even. On a lattice of step d an exponential tail is geometric:
P(X > u + j d | X > u) = r^j with r = exp(-d/scale). Everything here fits that
law; the continuous formulas would be off by half a step.
A histogram is as in simkit.stats.histogram.
"""

import math
from dataclasses import dataclass

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.histogram import _check, _drop_zeros, quantile
from simkit.stats.intervals import wilson, z_value

LEAST = 30  # values beyond the threshold for a normal interval


@dataclass(frozen=True)
class ExponentialTail:
    """Fit of an exponential tail beyond a threshold.

    Attributes
    ----------
    threshold : int
        u; the tail is the games with a value above it.
    k : int
        Number of games in the tail.
    step : int
        Lattice step d of the values.
    mean_excess : Estimate
        Mean of X - u in the tail, in units of the values.
    scale : Estimate
        e with P(X > u + x | X > u) = exp(-x/e) on the lattice; se close to
        e/sqrt(k). About half a step less than the mean excess.
    """

    threshold: int
    k: int
    step: int
    mean_excess: Estimate
    scale: Estimate


@dataclass(frozen=True)
class TailTest:
    """Chi-square test of an exponential tail on groups of values.

    Attributes
    ----------
    chi2 : float
    df : int
    p_value : float
        Small if the tail is not exponential.
    upper : int64 array, shape (groups - 1,)
        Largest value of each group but the last, which is open.
    observed, expected : arrays, shape (groups,)
        Games per group.
    """

    chi2: float
    df: int
    p_value: float
    upper: np.ndarray
    observed: np.ndarray
    expected: np.ndarray


def lattice_step(values, counts):
    """Largest step of a lattice that holds all values: their gaps' divisor.

    Returns
    -------
    int
        1 if there is only one value.
    """
    values, _ = _drop_zeros(*_check(values, counts))
    return math.gcd(*np.diff(values).tolist()) or 1


def exponential_tail(values, counts, q=0.95, level=0.95, step=None):
    """Scale of an exponential tail beyond the q quantile.

    Parameters
    ----------
    q : float
        The threshold is this quantile of the histogram.
    level : float
        Confidence level of the intervals.
    step : int or None
        Lattice step; None takes it from the values.

    Returns
    -------
    ExponentialTail

    Raises
    ------
    ValueError
        If fewer than 30 games lie beyond the threshold, or the step does not
        fit the values.

    Notes
    -----
    With Y = (X - u)/d the tail's lattice excess, 1 - r = k / sum(Y) is the
    share of k successes in sum(Y) trials. Its Wilson interval is carried over
    to the scale -d/ln(r) and to the mean excess d/(1 - r).
    """
    u, y, c, d = _excess(values, counts, q, step)
    k, trials = int(c.sum()), int(y.astype(object) @ c.astype(object))
    stop = wilson(k, trials, level)
    mean = trials / k
    scale = _scale(stop.estimate, d)
    se_mean = math.sqrt(mean * (mean - 1) / k)
    se_scale = scale * scale / (d * math.sqrt(mean * (mean - 1) * k)) if mean > 1 else 0.0
    low, high = _scale(stop.high, d), _scale(stop.low, d)
    return ExponentialTail(
        u,
        k,
        d,
        Estimate(d * mean, d / stop.high, d / stop.low, k, d * se_mean, "geometric tail", level),
        Estimate(scale, low, high, k, se_scale, "geometric tail", level),
    )


def tail_test(values, counts, q=0.95, groups=10, step=None):
    """Does a geometric law fit the tail beyond the q quantile?

    Parameters
    ----------
    groups : int
        Groups of about equal expected size; fewer if the lattice is coarse
        or a group would expect fewer than about 5 games.

    Returns
    -------
    TailTest
        df is the number of groups less 2, for the total and the scale.

    Raises
    ------
    ValueError
        As for `exponential_tail`, or if fewer than three groups are left.

    Notes
    -----
    The scale is fitted to the single values, not to the groups, which makes
    the p-value smaller than exact by a few per cent of itself at most.
    Source: Chernoff & Lehmann 1954.
    """
    from scipy.special import chdtrc

    u, y, c, d = _excess(values, counts, q, step)
    k = int(c.sum())
    r = 1 - k / float(y @ c)
    edges = _group_edges(r, min(groups, k // 5))
    observed = np.bincount(np.searchsorted(edges, y), weights=c, minlength=len(edges) + 1)
    share = -np.diff(np.concatenate([[1.0], r**edges, [0.0]]))
    expected = k * share
    if len(expected) < 3:
        raise ValueError(f"{len(expected)} groups in the tail; a test needs 3: lower q")
    chi2 = float(((observed - expected) ** 2 / expected).sum())
    df = len(expected) - 2
    upper = (u + d * edges).astype(np.int64)
    return TailTest(chi2, df, float(chdtrc(df, chi2)), upper, observed.astype(np.int64), expected)


def gpd_shape(values, counts, q=0.95, level=0.95, step=None):
    """Shape of a generalised Pareto tail; 0 is exponential, above 0 heavier.

    Arguments and errors as for `exponential_tail`.

    Returns
    -------
    Estimate
        The shape, without a unit; n is the number of games in the tail.

    Notes
    -----
    Maximum likelihood for P(X > u + x) = (1 + shape x/scale)^(-1/shape) seen
    on the lattice, so that ties do no harm; se from the observed information.
    The interval is to be read for shapes above -1/2. Source: Smith 1987;
    Coles, "An Introduction to Statistical Modeling of Extreme Values", ch. 4.
    """
    from scipy.optimize import minimize

    _, y, c, _ = _excess(values, counts, q, step)
    k = int(c.sum())
    y = y.astype(np.float64)
    start = _scale(k / float(y @ c), 1)
    if start == 0:
        raise ValueError("the tail has one value only; lower q")

    def loss(point):
        return _gpd_loss(y, c, math.exp(point[0]), point[1]) / k

    options = {"xatol": 1e-7, "fatol": 1e-13, "maxiter": 2000}
    simplex = np.array([[0, 0], [0.1, 0], [0, 0.1]]) + [math.log(start), 0]
    options["initial_simplex"] = simplex
    best = minimize(loss, simplex[0], method="Nelder-Mead", options=options).x
    information = k * _hessian(loss, best, 1e-3)
    if not (np.all(np.isfinite(information)) and np.linalg.det(information) > 0):
        raise ValueError("the shape has no interior optimum: the tail ends too sharply")
    se = math.sqrt(np.linalg.inv(information)[1, 1])
    shape, half = float(best[1]), z_value(level) * se
    return Estimate(shape, shape - half, shape + half, k, se, "GPD likelihood", level)


def _excess(values, counts, q, step):
    """Threshold u, lattice excesses Y >= 1 beyond it, their counts, and the step."""
    values, counts = _drop_zeros(*_check(values, counts))
    d = lattice_step(values, counts) if step is None else int(step)
    if d < 1 or np.any((values - values[:1]) % d):
        raise ValueError(f"step = {step} does not fit the values; leave it out")
    u = quantile(values, counts, q)
    above = values > u
    if counts[above].sum() < LEAST:
        k = int(counts[above].sum())
        raise ValueError(f"{k} games beyond {u}; a tail needs {LEAST}: lower q or play more")
    return u, (values[above] - u) // d, counts[above], d


def _scale(stop, d):
    """Exponential scale of a geometric tail that stops with this chance per step."""
    return 0.0 if stop >= 1 else -d / math.log1p(-stop)


def _group_edges(r, groups):
    """Ascending lattice excesses that cut a geometric law into about equal groups."""
    if r <= 0 or groups < 2:
        return np.empty(0)
    shares = np.arange(1, groups) / groups
    edges = np.unique(np.maximum(1, np.round(np.log1p(-shares) / math.log(r))))
    return edges[r**edges >= 0.5 / groups]


def _gpd_loss(y, c, scale, shape):
    """Minus the log-likelihood of lattice excesses y with counts c."""
    low, high = _gpd_log_survival(y - 1, scale, shape), _gpd_log_survival(y, scale, shape)
    if not np.all(np.isfinite(low)):
        return math.inf
    with np.errstate(divide="ignore"):
        return -float(c @ (low + np.log(-np.expm1(high - low))))


def _gpd_log_survival(x, scale, shape):
    """ln P(excess > x) of a generalised Pareto law; -inf beyond its end."""
    x = x / scale
    if shape == 0:
        return -x
    with np.errstate(divide="ignore"):
        return -np.log1p(np.maximum(shape * x, -1)) / shape


def _hessian(f, x, h):
    """Second derivatives of f at a point of two coordinates, by central differences."""
    e = h * np.eye(2)

    def cross(i, j):
        a, b = e[i], e[j]
        return f(x + a + b) - f(x + a - b) - f(x - a + b) + f(x - a - b)

    return np.array([[cross(i, j) for j in range(2)] for i in range(2)]) / (4 * h * h)
