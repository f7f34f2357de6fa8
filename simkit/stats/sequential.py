"""Is A better than B? Tests that stop as soon as they know.

Everything rests on the *deal*: each deal is played twice with the seats
exchanged, and its score is the mean of the two games, between 0 and 1, even
at 1/2. Scores come as counts on a support of possible values: quarters for
games that are won, drawn or lost, any values for games with points (see
`score_counts`).

A test asks whether A's strength is at most `low` (H0) or at least `high` (H1),
in one of three units: the mean score, Elo (its logistic image), or normalized
Elo, which measures in standard deviations of a game, so that a test takes
equally long however many games are drawn.
"""

import math
from dataclasses import dataclass

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import _alpha, _counts, _plain, z_value, zero_upper
from simkit.stats.stopping import looks

QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)  # scores of a deal whose two games are won, drawn or lost
ELO = 400 / math.log(10)  # Elo per unit of log odds
NELO = 800 / math.log(10)  # normalized Elo per standard deviation of a game
EMPTY = 1e-3  # deals at a value that never came, so that its chance is small and not 0
STEPS = 200  # of the root searches, which need about 10
FINEST = 0.005  # least information between two looks of `median_unbiased`; finer ones are thinned
CONTINUE, ACCEPT_H0, ACCEPT_H1, UNDECIDED = "continue", "accept H0", "accept H1", "undecided"


def elo_of_score(score):
    """Elo difference at which the mean score is this: 400 log10(s / (1 - s)); elementwise."""
    score = np.asarray(score, np.float64)
    with np.errstate(divide="ignore"):
        return _plain(ELO * (np.log(score) - np.log1p(-score)))


def score_of_elo(elo):
    """Mean score at an Elo difference: 1 / (1 + 10^(-elo/400)); elementwise."""
    return _plain(np.exp(-np.logaddexp(0, -np.asarray(elo, np.float64) / ELO)))


def score_counts(points, low=0.0, high=1.0):
    """Support and counts of the deals' scores, from points on any scale.

    Parameters
    ----------
    points : array, shape (deals,)
        A's points in each deal, the mean of its games.
    low, high : float
        The fewest and the most points there can be. They become the scores 0
        and 1, so take them symmetric about an even result (-300 and 300 where
        what one wins the other loses).

    Returns
    -------
    support, counts : float64 and int64 arrays, shape (values,)
        The scores that came, ascending, and how often each did.

    Raises
    ------
    ValueError
        If a deal lies outside low and high.
    """
    points = np.asarray(points, np.float64).ravel()
    if not low < high or not np.all((low <= points) & (points <= high)):
        raise ValueError(f"points must lie between low = {low} and high = {high}")
    support, counts = np.unique((points - low) / (high - low), return_counts=True)
    return support, counts.astype(np.int64)


def boundaries(alpha=0.05, beta=0.05):
    """Log-likelihood ratios at which a sequential test accepts H0 and H1.

    Parameters
    ----------
    alpha, beta : float
        Chance of accepting H1 under H0, and H0 under H1; sum below 1.

    Returns
    -------
    tuple of two floats
        ln(beta / (1 - alpha)) and ln((1 - beta) / alpha). Source: Wald 1945.

    Raises
    ------
    ValueError
        If the chances are not chances.
    """
    if not (alpha > 0 and beta > 0 and alpha + beta < 1):
        raise ValueError(f"alpha = {alpha}, beta = {beta}; give two small chances such as 0.05")
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


def bernoulli_llr(wins, games, p0, p1):
    """Log-likelihood ratio of p1 against p0 after wins in independent games; elementwise.

    Raises
    ------
    ValueError
        If a count is impossible, or not 0 < p0 < p1 < 1.
    """
    _ordered(p0, p1)
    k, n = _counts(wins, games)
    return _plain(k * math.log(p1 / p0) + (n - k) * math.log((1 - p1) / (1 - p0)))


def wald_power(p, p0, p1, alpha=0.05, beta=0.05):
    """Chance that the Bernoulli test accepts H1 when a game is won with chance p.

    Notes
    -----
    (1 - e^(ha)) / (e^(hb) - e^(ha)) turned about, where h solves
    E exp(h Z) = 1; overshoot is neglected. Source: Wald 1945.
    """
    a, b = boundaries(alpha, beta)
    h = _wald_h(p, p0, p1)
    if abs(h) < 1e-9:
        return -a / (b - a)
    return math.expm1(h * a) / (math.expm1(h * a) - math.expm1(h * b))


def wald_games(p, p0, p1, alpha=0.05, beta=0.05):
    """Expected games of the Bernoulli test when a game is won with chance p.

    Notes
    -----
    Mean of the final log-likelihood ratio over that of a game (over the mean
    square where it is 0); overshoot is neglected. Source: Wald 1945.
    """
    a, b = boundaries(alpha, beta)
    up, down = math.log(p1 / p0), math.log((1 - p1) / (1 - p0))
    power = wald_power(p, p0, p1, alpha, beta)
    drift = p * up + (1 - p) * down
    if abs(_wald_h(p, p0, p1)) < 1e-6:
        return -a * b / (p * up**2 + (1 - p) * down**2)
    return (power * b + (1 - power) * a) / drift


def score_llr(counts, s0, s1, support=QUARTERS):
    """Log-likelihood ratio of mean score s1 against s0, all else unknown.

    Parameters
    ----------
    counts : array, shape (..., values)
        Deals at each score; leading axes are separate runs.
    s0, s1 : float
        Mean scores, between 0 and 1.
    support : array, shape (values,)
        The scores, ascending, between 0 and 1.

    Returns
    -------
    float, or float64 array over the leading axes

    Raises
    ------
    ValueError
        If counts and support do not fit, or there is no deal.

    Notes
    -----
    Generalised likelihood ratio on the multinomial law of the scores: the
    most likely law with mean s has p_j / (1 + x (a_j - s)), with x the root of
    sum p_j (a_j - s) / (1 + x (a_j - s)) = 0. A value without deals counts
    1/1000 deal; 0 and 1 are taken as such values if the support does not reach
    beyond s0 and s1. Source: Van den Bergh, "The GSPRT approximation".
    """
    n, p, a = _law(counts, support, s0, s1)
    logs = [np.log(_tilt(p, a - s)) for s in (s0, s1)]
    return _plain(n * (p * (logs[0] - logs[1])).sum(axis=-1))


def score_llr_normal(counts, s0, s1, support=QUARTERS):
    """`score_llr` for small differences: N (s1 - s0)(2 mean - s0 - s1) / (2 variance)."""
    n, p, a = _law(counts, support, s0, s1)
    mean, var = _moments(p, a)
    return _plain(n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * var))


def t_llr(counts, t0, t1, support=QUARTERS, games=2):
    """Log-likelihood ratio of the t-value t1 against t0, all else unknown.

    Parameters
    ----------
    counts, support
        As for `score_llr`.
    t0, t1 : float
        (mean score - 1/2) / standard deviation of a game; normalized Elo is
        347.4356 times as much.
    games : int
        Games per deal; a deal's standard deviation is taken as that of a
        game over sqrt(games).

    Returns
    -------
    float, or float64 array over the leading axes

    Raises
    ------
    ValueError
        As for `score_llr`, or if no law on the support has such a t-value.

    Notes
    -----
    The most likely law with a given t-value solves the equation of `score_llr`
    with a_j - 1/2 - t sd (1 + ((mean - a_j)/sd)²)/2 for a_j - s, where mean and
    sd are its own; found by iteration. Source: Van den Bergh, "Normalized Elo".
    """
    n, p, a = _law(counts, support, 0.5 - 1e-9, 0.5 + 1e-9)
    root = math.sqrt(games)
    laws = [np.log(_law_with_t(p, a, t * root)) for t in (t0, t1)]
    return _plain(n * (p * (laws[1] - laws[0])).sum(axis=-1))


def t_llr_normal(counts, t0, t1, support=QUARTERS, games=2):
    """`t_llr` for small t-values: (games/2) ln((1 + (t - t0)²) / (1 + (t - t1)²))."""
    n, p, a = _law(counts, support, 0.5 - 1e-9, 0.5 + 1e-9)
    mean, var = _moments(p, a)
    t = (mean - 0.5) / np.sqrt(games * var)
    return _plain(games * n / 2 * np.log((1 + (t - t0) ** 2) / (1 + (t - t1) ** 2)))


@dataclass(frozen=True)
class Strength:
    """How much stronger A is than B, in three units; n is the number of deals.

    Attributes
    ----------
    score : Estimate
        Mean score, between 0 and 1.
    elo : Estimate
        Its logistic image.
    nelo : Estimate
        Normalized Elo; nan if the score never varies.
    variance : float
        Of the score of a deal.
    """

    score: Estimate
    elo: Estimate
    nelo: Estimate
    variance: float

    def __str__(self):
        return f"score {self.score}, Elo {self.elo}, normalized Elo {self.nelo}"


def strength(counts, support=QUARTERS, games=2, level=0.95):
    """Mean score, Elo and normalized Elo after a number of deals fixed beforehand.

    Parameters
    ----------
    counts, support, games
        As for `t_llr`, for one run.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Strength

    Raises
    ------
    ValueError
        If counts and support do not fit, or there are fewer than two deals.

    Notes
    -----
    Normal intervals; Elo's is the image of the score's, normalized Elo's uses
    the delta method, variance 1 - skewness t + (kurtosis - 1) t²/4 per deal
    with t in standard deviations of a deal. Where all deals score alike the
    interval allows for another score in about 3/n of them. After a sequential test use
    `SequentialTest.estimate` instead.
    """
    counts, a = _fit(counts, support)
    n = counts.sum()
    if counts.ndim != 1 or n < 2:
        raise ValueError(f"counts of shape {counts.shape} with {n:g} deals; give one run of two deals or more")
    p, z = counts / n, z_value(level)
    mean, var = map(float, _moments(p, a))
    se = math.sqrt(var / (n - 1))
    low, high = mean - z * se, mean + z * se
    if var <= 1e-18:  # all deals alike: another score comes with at most this chance
        other = zero_upper(int(n), level)
        low, high = mean * (1 - other), mean + (1 - mean) * other
    score = Estimate(mean, max(0.0, low), min(1.0, high), int(n), se, "normal", level)
    slope = ELO / (mean * (1 - mean)) if 0 < mean < 1 else math.inf
    ends = elo_of_score([mean, score.low, score.high]).tolist()
    elo = Estimate(*ends, int(n), slope * se if se > 0 else 0.0, "normal", level)
    if var <= 1e-18:
        return Strength(score, elo, Estimate(math.nan, -math.inf, math.inf, int(n), math.nan, "delta", level), 0.0)
    sd = math.sqrt(var)
    t, standard = (mean - 0.5) / sd, (a - mean) / sd
    spread = 1 - t * (p @ standard**3) + t * t * (p @ standard**4 - 1) / 4
    unit = NELO / math.sqrt(games)
    half = unit * math.sqrt(max(0.0, spread) / (n - 1))
    nelo = Estimate(unit * t, unit * t - z * half, unit * t + z * half, int(n), half, "delta", level)
    return Strength(score, elo, nelo, var)


class SequentialTest:
    """Play until it is clear whether A's strength is at most `low` or at least `high`.

    Parameters
    ----------
    low, high : float
        Bounds of the indifference zone, in `unit`: H0 says low, H1 high.
    unit : str
        "score" (mean score), "elo" or "nelo" (normalized Elo).
    alpha, beta : float
        Chance of accepting H1 if the truth is low, and H0 if it is high.
    schedule : iterable of int, or None
        Ascending numbers of deals at which to look; nothing else may decide
        when. None is simkit.stats.stopping.looks(). At the last one the test
        ends undecided.
    games : int
        Games per deal.

    Attributes
    ----------
    bounds : tuple of two floats
        Log-likelihood ratios that end the test.
    decision : str
        "continue", "accept H0", "accept H1" or "undecided".
    llr : float
        Log-likelihood ratio at the last look.
    deals : list of int
        The looks so far.

    Raises
    ------
    ValueError
        If low is not below high, or the unit is unknown.

    Examples
    --------
    >>> test = SequentialTest(0, 5, "nelo", schedule=[100, 400])
    >>> test.look([0, 10, 40, 40, 10])
    'continue'
    >>> test.look([0, 40, 160, 160, 40])
    'accept H1'
    """

    def __init__(self, low, high, unit="elo", alpha=0.05, beta=0.05, schedule=None, games=2):
        if unit not in ("score", "elo", "nelo"):
            raise ValueError(f"unit = {unit!r}; give 'score', 'elo' or 'nelo'")
        if not low < high:
            raise ValueError(f"low = {low}, high = {high}; low must be below high")
        self.low, self.high, self.unit, self.games = low, high, unit, games
        self.bounds = boundaries(alpha, beta)
        self.alpha, self.beta = alpha, beta
        self.decision, self.llr, self.deals = CONTINUE, 0.0, []
        self._schedule = iter(looks() if schedule is None else schedule)
        self.next_look = next(self._schedule)
        self._ends = tuple(self._inner(x) for x in (low, high))
        if unit != "nelo":
            _ordered(*self._ends)
        self._counts = self._support = None

    def look(self, counts, support=QUARTERS):
        """Judge all deals so far.

        Parameters
        ----------
        counts : array, shape (values,)
            Deals at each score since the start, `next_look` of them.
        support : array, shape (values,)
            The scores; it may grow from look to look.

        Returns
        -------
        str
            The decision.

        Raises
        ------
        ValueError
            If the test is over, or the number of deals is not `next_look`.
        """
        if self.decision != CONTINUE:
            raise ValueError(f"the test is over ({self.decision}); start another with new deals")
        counts, support = _fit(counts, support)
        if counts.sum() != self.next_look:
            raise ValueError(f"counts hold {counts.sum():g} deals; the next look is at {self.next_look}")
        self._counts, self._support = counts, support
        self.deals.append(self.next_look)
        if self.unit == "nelo":
            self.llr = t_llr(counts, *self._ends, support, self.games)
        else:
            self.llr = score_llr(counts, *self._ends, support)
        following = next(self._schedule, None)
        if following is not None and following <= self.next_look:
            raise ValueError(f"the schedule goes from {self.next_look} to {following}; it must ascend")
        self.decision = self._judge(following is None)
        self.next_look = following if self.decision == CONTINUE else None
        return self.decision

    def estimate(self, level=0.95):
        """Median-unbiased strength in the test's unit, given how the test went.

        The raw mean would exaggerate, because a test stops where luck has
        carried it furthest. The log-likelihood ratio is followed as a Brownian
        motion with the mean and variance of a deal's step at the law seen,
        which holds far from the bounds too. See `median_unbiased`.

        Returns
        -------
        Estimate
            n is the number of deals; se is None.

        Raises
        ------
        ValueError
            Before the first look.
        """
        if not self.deals:
            raise ValueError("no deal yet; look first")
        n, p, a, step = self._steps()
        drift = float(p @ step)
        var = float(p @ step**2) - drift**2  # of a deal's step: the log-likelihood ratio goes like a Brownian motion with these
        information = var * np.array(self.deals, np.float64)
        found = median_unbiased(information, n * drift, *self.bounds, level)
        now, sd = self._now(p, a)
        points = [self._outer(now + (eta * var - drift) * sd / math.sqrt(var)) for eta in found]
        seen = np.asarray(self._support)[np.asarray(self._counts) > 0]
        if len(seen) == 1 and self.unit != "nelo":  # all deals alike: another score comes in at most so many
            other = zero_upper(self.deals[-1], level)
            points[1] = min(points[1], self._outer(seen[0] * (1 - other)))
            points[2] = max(points[2], self._outer(seen[0] + (1 - seen[0]) * other))
        return Estimate(*points, int(n.round()), None, "median-unbiased by deal", level)

    def _steps(self):
        """Deals, chances, support, and what a deal at each score adds to the log-likelihood ratio, at the law seen."""
        if self.unit == "nelo":
            n, p, a = _law(self._counts, self._support, 0.5 - 1e-9, 0.5 + 1e-9)
            root = math.sqrt(self.games)
            logs = [np.log(_law_with_t(p, a, t * root)) for t in self._ends]
            return n, p, a, logs[1] - logs[0]
        n, p, a = _law(self._counts, self._support, *self._ends)
        logs = [np.log(_tilt(p, a - s)) for s in self._ends]
        return n, p, a, logs[0] - logs[1]

    def _now(self, p, a):
        """Mean score or t-value of the law seen, and its standard deviation per deal."""
        mean, var = map(float, _moments(p, a))
        if self.unit != "nelo":
            return mean, math.sqrt(var)
        t, standard = (mean - 0.5) / math.sqrt(var), (a - mean) / math.sqrt(var)
        spread = 1 - t * (p @ standard**3) + t * t * (p @ standard**4 - 1) / 4
        return t / math.sqrt(self.games), math.sqrt(max(spread, 1e-12) / self.games)

    def __str__(self):
        unit = {"score": "mean score", "elo": "Elo", "nelo": "normalized Elo"}[self.unit]
        played = f"{self.deals[-1]:,} deals" if self.deals else "no deal yet"
        return (
            f"sequential test of {unit} {self.low:g} against {self.high:g}, error rates {self.alpha:g} and {self.beta:g}: "
            f"{self.decision} after {played}"
        )

    def _judge(self, last):
        """The decision at the present log-likelihood ratio."""
        if self.llr <= self.bounds[0]:
            return ACCEPT_H0
        if self.llr >= self.bounds[1]:
            return ACCEPT_H1
        return UNDECIDED if last else CONTINUE

    def _inner(self, x):
        """From the test's unit to mean score or t-value."""
        if self.unit == "elo":
            return score_of_elo(x)
        return x / NELO if self.unit == "nelo" else x

    def _outer(self, x):
        """Back to the test's unit."""
        if self.unit == "elo":
            return elo_of_score(min(max(x, 0.0), 1.0))
        return NELO * x if self.unit == "nelo" else min(max(x, 0.0), 1.0)


def median_unbiased(information, where, lower, upper, level=0.95):
    """Drift of a Brownian motion watched at looks and stopped outside two bounds.

    Parameters
    ----------
    information : float64 array, shape (looks,)
        Ascending; the motion at look k is normal with mean drift times
        information[k] and variance information[k]. The last one is where the
        test stands now.
    where : float
        Value of the motion at the last look, within the bounds or beyond.
    lower, upper : float
        Bounds that stop it; a log-likelihood ratio has drift -1/2 under H0 and
        1/2 under H1.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    tuple of three floats
        The drift at which a greater outcome is as likely as a smaller one,
        and the ends of its interval.

    Raises
    ------
    ValueError
        If the information does not ascend from above 0, or 0 is not between
        the bounds.

    Notes
    -----
    Outcomes in order: crossings of the lower bound, late ones greater; then
    positions at the present look; then crossings of the upper bound, early
    ones greater. Their chances are exact for looks as given, found by
    integrating from look to look at drift 0 and reweighting to other drifts.
    Source: Tsiatis, Rosner & Mehta, Biometrics 40 (1984); Siegmund 1985.
    """
    from scipy.optimize import brentq

    tail = _outcome_tail(information, where, lower, upper)
    middle, step = where / information[-1], 4 / math.sqrt(information[-1])
    roots = []
    for chance in (0.5, _alpha(level) / 2, 1 - _alpha(level) / 2):
        left, right = middle - step, middle + step
        while tail(left) > chance:
            left -= step
        while tail(right) < chance:
            right += step
        roots.append(float(brentq(lambda drift, c=chance: tail(drift) - c, left, right, xtol=1e-10)))
    return tuple(roots)


def _ordered(p0, p1):
    """Nothing, once 0 < p0 < p1 < 1."""
    if not 0 < p0 < p1 < 1:
        raise ValueError(f"bounds {p0:g} and {p1:g}; they must ascend between 0 and 1")


def _wald_h(p, p0, p1):
    """The h != 0 with E exp(h Z) = 1 for a game's log-likelihood ratio Z; 0 where there is none."""
    from scipy.optimize import brentq

    _ordered(p0, p1)
    if not 0 < p < 1:
        raise ValueError(f"p = {p}; give a chance between 0 and 1")
    up, down = math.log(p1 / p0), math.log((1 - p1) / (1 - p0))
    drift = p * up + (1 - p) * down
    square = p * up**2 + (1 - p) * down**2
    guess = -2 * drift / square
    if abs(guess) < 1e-7:
        return guess

    def excess(h):
        return np.logaddexp(math.log(p) + h * up, math.log(1 - p) + h * down) / h

    near, far = guess / 64, 2 * guess
    while excess(far) * drift > 0:
        far *= 2
    return float(brentq(excess, near, far, xtol=1e-14))


def _fit(counts, support):
    """counts and support as float64 arrays, once they fit."""
    counts, a = np.asarray(counts, np.float64), np.asarray(support, np.float64)
    if a.ndim != 1 or counts.ndim == 0 or counts.shape[-1] != a.size:
        raise ValueError(f"counts have shape {counts.shape} and support {a.shape}; give one count per score")
    if not (np.all(np.diff(a) > 0) and np.all((a >= 0) & (a <= 1))):
        raise ValueError("the support must ascend between 0 and 1; see score_counts")
    if not (np.all(counts >= 0) and np.all(counts.sum(axis=-1) > 0)):
        raise ValueError("counts must be 0 or more, with at least one deal")
    return counts, a


def _law(counts, support, low, high):
    """Deals, chances and support, with no chance 0 and the support on both sides of low and high."""
    counts, a = _fit(counts, support)
    if a[0] >= low:
        a, counts = np.append(0.0, a), np.concatenate([np.zeros((*counts.shape[:-1], 1)), counts], axis=-1)
    if a[-1] <= high:
        a, counts = np.append(a, 1.0), np.concatenate([counts, np.zeros((*counts.shape[:-1], 1))], axis=-1)
    counts = np.where(counts == 0, EMPTY, counts)
    n = counts.sum(axis=-1)
    return n, counts / n[..., None], a


def _moments(p, a):
    """Mean and variance of a law on a."""
    mean = p @ a
    return mean, (p * (a - mean[..., None]) ** 2).sum(axis=-1)


def _tilt(p, d):
    """1 + x d at the root x of sum p d / (1 + x d) where all of them are above 0.

    d has both signs and all p are above 0. With the sign of d such that the
    root is positive it lies between 0 and the pole -1 / min d; it is sought as
    (1 - u) times the pole, which keeps all digits of 1 + x d near the pole.
    """
    d = d * np.where((p * d).sum(axis=-1, keepdims=True) >= 0, 1.0, -1.0)
    least = d.min(axis=-1, keepdims=True)
    r = (d - least) / -least
    left = np.where(r == 0, p, 0).sum(axis=-1) / np.where(r > 1, p * (r - 1), 0).sum(axis=-1)
    left, right = np.minimum(left, 1.0), np.ones(p.shape[:-1])
    u = right
    for _ in range(STEPS):
        ratio = (r - 1) / (r * (1 - u[..., None]) + u[..., None])
        value = (p * ratio).sum(axis=-1)  # ascends with u
        left, right = np.where(value <= 0, u, left), np.where(value >= 0, u, right)
        newton = u - value / (p * ratio**2).sum(axis=-1)
        following = np.where((left <= newton) & (newton <= right), newton, np.sqrt(left * right))
        done = np.abs(following - u) <= 4e-16 * u
        u = following
        if np.all(done | (left >= right)):
            break
    return r * (1 - u[..., None]) + u[..., None]


def _law_with_t(p, a, t):
    """The most likely law on a with (mean - 1/2) / sd = t, given observed chances p."""
    q = np.full(p.shape, 1 / a.size)
    for _ in range(STEPS):
        mean, var = (m[..., None] for m in _moments(q, a))
        sd = np.sqrt(var)
        d = a - 0.5 - t * sd * (1 + ((mean - a) / sd) ** 2) / 2
        if not np.all((d.min(axis=-1) < 0) & (d.max(axis=-1) > 0)):
            break
        following = p / _tilt(p, d)
        following /= following.sum(axis=-1, keepdims=True)
        change = (p * np.abs(np.log(following / q))).sum(axis=-1).max()  # what the likelihood ratio feels
        q = following
        if change < 1e-13:
            return q
    raise ValueError(f"no law of these scores has t = {t:g} per deal; choose bounds nearer to 0")


def _outcome_tail(information, where, lower, upper):
    """Function: drift -> chance of an outcome at least as great as this one (see median_unbiased)."""
    from scipy.special import ndtr

    times = _thin(np.asarray(information, np.float64), lower, upper)
    x, weight = np.polynomial.legendre.leggauss(_nodes(times, upper - lower))
    x = lower + (upper - lower) * (x + 1) / 2
    weight = weight * (upper - lower) / 2
    gaps = np.diff(times)
    mass = np.empty((len(gaps), x.size))  # row k: chance to be near each node, alive after look k, at drift 0
    here, gap, kernel = weight * _density(x, times[0]), None, None
    for k in range(len(gaps)):
        if k > 0:
            if gap is None or abs(gaps[k - 1] - gap) > 1e-12 * gap:
                gap = gaps[k - 1]
                kernel = weight * _density(x - x[:, None], gap)
            here = here @ kernel
        mass[k] = here
    bars = np.full(len(times), float(upper))
    bars[-1] = where
    root, earlier = np.sqrt(gaps)[:, None], times[:-1, None]

    def tail(drift):
        first = ndtr((drift * times[0] - bars[0]) / math.sqrt(times[0]))
        beyond = ndtr((x + drift * gaps[:, None] - bars[1:, None]) / root)
        return float(first + (mass * np.exp(drift * x - drift**2 * earlier / 2) * beyond).sum())

    return tail


def _thin(times, lower, upper):
    """The looks that matter: ascending, and none but the last two closer than FINEST."""
    if times.ndim != 1 or times.size == 0 or not (times[0] > 0 and np.all(np.diff(times) > 0)):
        raise ValueError("information must ascend from above 0")
    if not lower < 0 < upper:
        raise ValueError(f"bounds {lower:g} and {upper:g}; 0 must lie between them")
    kept: list[float] = []
    for time in times[:-1].tolist():
        if time - (kept[-1] if kept else 0.0) >= FINEST and times[-1] - time >= FINEST:
            kept.append(time)
    return np.array([*kept, times[-1]])


def _nodes(times, width):
    """Gauss-Legendre nodes that resolve the narrowest step between looks."""
    narrow = math.sqrt(np.diff(times, prepend=0).min())
    return int(min(400, max(40, 20 + 2.5 * width / narrow)))


def _density(x, var):
    """Normal density with mean 0."""
    return np.exp(-(x**2) / (2 * var)) / math.sqrt(2 * math.pi * var)
