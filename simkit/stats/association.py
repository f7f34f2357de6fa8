"""Does a covariate explain who wins?

Games are grouped: x holds the covariate's values, games the number of games
played at each and wins the number won. From a joint table of counts,
`wins_and_games` makes the two.
"""

import math
from dataclasses import dataclass

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import _counts, wilson, z_value

STEPS = 50  # Newton needs about 6; more means that no finite optimum exists
FLAT = 1e-8  # size of a last Newton step, in standard errors; the next would be its square
LEAST_INFORMATION = 1e-6  # a standard error of 1000 in log odds: no finite fit


@dataclass(frozen=True)
class LogisticFit:
    """Logistic regression of win on covariates.

    Attributes
    ----------
    coefficients : tuple of Estimate
        Log odds: intercept first, then one per unit of each covariate; Wald
        intervals, n is the number of games.
    covariance : float64 array, shape (p + 1, p + 1)
        Of the coefficients.
    auc : Estimate
        Chance that the model ranks a won game above a lost one, ties half.
    mcfadden_r2 : float
        1 - log-likelihood / log-likelihood of the intercept alone, on single
        games.
    explained : float
        Share of the variance of the 0/1 result that the model explains:
        1 - sum (win - p)² / sum (win - mean)² (Efron 1978).
    log_likelihood : float
        On single games.
    """

    coefficients: tuple
    covariance: np.ndarray
    auc: Estimate
    mcfadden_r2: float
    explained: float
    log_likelihood: float

    @property
    def intercept(self):
        """Log odds of a win where all covariates are 0."""
        return self.coefficients[0]

    @property
    def slope(self):
        """Log odds per unit of the first covariate."""
        return self.coefficients[1]

    def odds_ratio(self, unit=1.0, covariate=0):
        """Factor on the odds of a win per `unit` of a covariate (counted from 0)."""
        b = self.coefficients[1 + covariate]
        low, high = sorted((math.exp(unit * b.low), math.exp(unit * b.high)))
        ratio = math.exp(unit * b.estimate)
        return Estimate(ratio, low, high, b.n, ratio * abs(unit) * b.se, "logistic", b.level)

    def probability(self, x):
        """Fitted chance of a win; x has shape (m,) or (m, p), result (m,)."""
        b = np.array([c.estimate for c in self.coefficients])
        return _sigmoid(_design(x) @ b)


def wins_and_games(table, won=1):
    """Wins and games per row of a joint table of counts.

    Parameters
    ----------
    table : int array, shape (m, outcomes)
        Row i counts the outcomes at the covariate's i-th value.
    won : int
        Column of the wins; all other outcomes count as not won.

    Returns
    -------
    wins, games : int64 arrays, shape (m,)

    Raises
    ------
    ValueError
        If the table has not two dimensions.
    """
    table = np.asarray(table)
    if table.ndim != 2:
        raise ValueError(f"table has shape {table.shape}; give rows of outcome counts")
    return table[:, won].astype(np.int64), table.sum(axis=1).astype(np.int64)


def win_probability(x, wins, games, level=0.95):
    """Share of wins at each value of a discrete covariate, Wilson interval each.

    Parameters
    ----------
    x : array, shape (m,)
        Values of the covariate, of any type.
    wins, games : int arrays, shape (m,)

    Returns
    -------
    dict
        Value -> Estimate, in the order of x; the intervals hold one at a
        time, not all at once.

    Raises
    ------
    ValueError
        If the lengths differ, a value comes twice or a count is impossible.
    """
    labels = np.asarray(x).tolist()
    if not len(labels) == np.size(wins) == np.size(games):
        sizes = f"{len(labels)}, {np.size(wins)} and {np.size(games)}"
        raise ValueError(f"x, wins and games have {sizes} cells; give one each per value")
    if len(set(labels)) != len(labels):
        raise ValueError("a value of x comes twice; add its counts first")
    cells = wilson(np.ravel(wins), np.ravel(games), level).cells()
    return dict(zip(labels, cells, strict=True))


def variance_explained(wins, games, adjusted=True):
    """Share of the variance of the 0/1 result that the cells explain.

    Parameters
    ----------
    wins, games : int arrays, shape (m,)
        Cells may have any covariate, in any order; no form is assumed.
    adjusted : bool
        Take off what m cells explain by chance; may then be below 0.

    Returns
    -------
    float
        Variance between cells over the total; nan if all or none were won.

    Raises
    ------
    ValueError
        If a count is impossible.

    Notes
    -----
    The correlation ratio eta², adjusted: 1 - (1 - eta²)(n - 1)/(n - m)
    (Kelley 1935).
    """
    k, n = _counts(wins, games)
    k, n = k[n > 0], n[n > 0]
    total, p = n.sum(), k.sum() / max(n.sum(), 1)
    if total <= len(n) or p in (0, 1):
        return math.nan
    share = float((n * (k / n - p) ** 2).sum() / (total * p * (1 - p)))
    return 1 - (1 - share) * (total - 1) / (total - len(n)) if adjusted else share


def logistic(x, wins, games, level=0.95):
    """Logistic regression of win on numeric covariates, from grouped games.

    Parameters
    ----------
    x : float array, shape (m,) or (m, p)
        Covariate(s) of each cell.
    wins, games : int arrays, shape (m,)

    Returns
    -------
    LogisticFit

    Raises
    ------
    ValueError
        If the shapes or counts are impossible, if all or none of the games
        were won, if a covariate does not vary or repeats others, or if the
        covariates separate wins from losses (no finite fit).

    Notes
    -----
    Newton's method on standardised covariates; se from the information.
    Source: Agresti, "Categorical Data Analysis", ch. 5.
    """
    k, n = _counts(wins, games)
    a = _design(x)
    if k.shape != a.shape[:1]:
        raise ValueError(f"x has {a.shape[0]} rows but wins has shape {k.shape}")
    a, k, n = a[n > 0], k[n > 0], n[n > 0]
    if not 0 < k.sum() < n.sum():
        raise ValueError("all or none of the games were won; nothing to explain")
    back = _standardiser(a, n)
    b, covariance = _newton(a @ back, k, n)
    b, covariance = back @ b, back @ covariance @ back.T
    p = _sigmoid(a @ b)
    average = k.sum() / n.sum()
    fitted = _log_likelihood(a @ b, k, n)
    null = _log_likelihood(np.full(len(k), math.log(average / (1 - average))), k, n)
    return LogisticFit(
        tuple(_wald(b, covariance, int(n.sum()), level)),
        covariance,
        auc(np.round(a @ b, 12), k, n, level),  # equal rows may differ in their last bit
        1 - fitted / null,
        1 - _squares(k, n, p) / _squares(k, n, average),
        fitted,
    )


def auc(score, wins, games, level=0.95):
    """Chance that a won game has the higher score than a lost one, ties half.

    Parameters
    ----------
    score : float array, shape (m,)
        One score per cell; may repeat, in any order.
    wins, games : int arrays, shape (m,)

    Returns
    -------
    Estimate
        Normal interval within [0, 1]; n is the number of games.

    Raises
    ------
    ValueError
        If a count is impossible, or all or none of the games were won.

    Notes
    -----
    Source: DeLong, DeLong & Clarke-Pearson, Biometrics 44 (1988).
    """
    k, n = _counts(wins, games)
    score, cell = np.unique(score, return_inverse=True)
    won = np.bincount(cell, weights=k, minlength=len(score))
    lost = np.bincount(cell, weights=n - k, minlength=len(score))
    a, b = won.sum(), lost.sum()
    if a == 0 or b == 0:
        raise ValueError("all or none of the games were won; there is nothing to rank")
    beats = (np.cumsum(lost) - lost / 2) / b  # share of the lost that a won game here beats
    beaten = 1 - (np.cumsum(won) - won / 2) / a
    area = float(won @ beats / a)
    parts = (won @ (beats - area) ** 2) / a**2 + (lost @ (beaten - area) ** 2) / b**2
    se = math.sqrt(parts)
    half = z_value(level) * se
    return Estimate(area, max(0, area - half), min(1, area + half), int(a + b), se, "DeLong", level)


def correlation(x, y, counts=None, level=0.95):
    """Pearson correlation with an interval that assumes no normal law.

    Parameters
    ----------
    x, y : float arrays of one shape
        Pairs; y may be 0 and 1.
    counts : int array of that shape, or None
        How often each pair occurred; None is once each.

    Returns
    -------
    Estimate
        nan with interval (-1, 1) if x or y does not vary.

    Raises
    ------
    ValueError
        If shapes differ, a count is negative, or there are fewer than 30 pairs.

    Notes
    -----
    se from the influence function zx zy - r (zx² + zy²)/2, interval on
    Fisher's scale artanh r. Source: Efron & Tibshirani, "An Introduction to
    the Bootstrap", on the infinitesimal jackknife.
    """
    x, y = np.asarray(x, np.float64).ravel(), np.asarray(y, np.float64).ravel()
    w = np.ones(x.shape) if counts is None else np.asarray(counts, np.float64).ravel()
    if not x.shape == y.shape == w.shape:
        raise ValueError(f"{x.size} x, {y.size} y and {w.size} counts; pair them")
    n = int(w.sum())
    if np.any(w < 0) or n < 30:
        raise ValueError(f"{n} pairs; give counts of at least 0 and 30 pairs in all")
    zx, zy = _standard(x, w), _standard(y, w)
    if zx is None or zy is None:
        return Estimate(math.nan, -1.0, 1.0, n, math.nan, "Fisher scale", level)
    r = float(np.clip(w @ (zx * zy) / n, -1, 1))
    influence = zx * zy - r * (zx**2 + zy**2) / 2
    se = math.sqrt(w @ influence**2) / n
    if 1 - r * r < 1e-12:
        return Estimate(r, r, r, n, se, "Fisher scale", level)
    half = z_value(level) * se / (1 - r * r)
    low, high = (math.tanh(math.atanh(r) + s * half) for s in (-1, 1))
    return Estimate(r, low, high, n, se, "Fisher scale", level)


def correlation_from_table(x, y, table, level=0.95):
    """`correlation` from a joint table: table[i, j] games had x[i] and y[j].

    Raises
    ------
    ValueError
        As for `correlation`, or if the table does not fit x and y.
    """
    x, y, table = np.asarray(x), np.asarray(y), np.asarray(table)
    if table.shape != (*x.shape, *y.shape):
        raise ValueError(f"table {table.shape} does not fit x {x.shape} and y {y.shape}")
    return correlation(*np.meshgrid(x, y, indexing="ij"), table, level)


def _design(x):
    """Columns 1, x1, x2, ... as float64."""
    x = np.asarray(x, np.float64)
    x = x[:, None] if x.ndim == 1 else x
    if x.ndim != 2 or not np.all(np.isfinite(x)):
        raise ValueError("x must be one or two dimensions of finite numbers")
    return np.column_stack([np.ones(len(x)), x])


def _standardiser(a, n):
    """Matrix that takes coefficients of standardised covariates to those of a."""
    centre = n @ a[:, 1:] / n.sum()
    spread = np.sqrt(n @ (a[:, 1:] - centre) ** 2 / n.sum())
    if np.any(spread <= 1e-12 * (1 + np.abs(centre))):
        raise ValueError("a covariate is the same in all games; leave it out")
    back = np.diag(np.concatenate([[1.0], 1 / spread]))
    back[0, 1:] = -centre / spread
    if np.linalg.matrix_rank((a @ back) * np.sqrt(n / n.sum())[:, None]) < a.shape[1]:
        raise ValueError("a covariate is a sum of others; leave it out")
    return back


def _newton(a, k, n):
    """Maximum-likelihood coefficients and their covariance."""
    p = k.sum() / n.sum()
    b = np.zeros(a.shape[1])
    b[0] = math.log(p / (1 - p))
    here = _log_likelihood(a @ b, k, n)
    for _ in range(STEPS):
        p = _sigmoid(a @ b)
        information = (a * (n * p * (1 - p))[:, None]).T @ a
        if np.linalg.eigvalsh(information)[0] < LEAST_INFORMATION:
            break
        gradient = a.T @ (k - n * p)
        step = np.linalg.solve(information, gradient)
        if gradient @ step < FLAT**2:
            return b + step, np.linalg.inv(information)
        b, here = _uphill(a, k, n, b, step, here)
    raise ValueError("no finite fit: the covariates separate wins from losses")


def _uphill(a, k, n, b, step, here):
    """b + step, the step halved until the likelihood does not fall."""
    for _ in range(30):
        there = _log_likelihood(a @ (b + step), k, n)
        if there >= here - 1e-9 * abs(here):
            break
        step = step / 2
    return b + step, there


def _log_likelihood(eta, k, n):
    """Log-likelihood of single games at log odds eta, finite for any eta."""
    return float(k @ eta - n @ np.logaddexp(0, eta))


def _squares(k, n, p):
    """Sum of (win - p)² over single games."""
    return float((k * (1 - p) ** 2 + (n - k) * p**2).sum())


def _sigmoid(eta):
    """1 / (1 + exp(-eta)) without overflow."""
    return np.exp(-np.logaddexp(0, -eta))


def _wald(b, covariance, n, level):
    """One Estimate per coefficient."""
    z = z_value(level)
    for value, se in zip(b.tolist(), np.sqrt(np.diag(covariance)).tolist(), strict=True):
        yield Estimate(value, value - z * se, value + z * se, n, se, "logistic", level)


def _standard(x, w):
    """x centred and scaled to variance 1 under weights w; None if it does not vary."""
    size = np.abs(x[w > 0]).max()
    x = x - w @ x / w.sum()
    spread = math.sqrt(w @ x**2 / w.sum())
    return x / spread if spread > 1e-12 * size else None
