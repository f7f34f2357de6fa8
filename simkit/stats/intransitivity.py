"""Does A beat B beat C beat A? How far a field is from a single scale, and how to rank it then.

A field is an antisymmetric matrix, the advantage of row over column: mean
score less 1/2, or log odds of the mean score. `advantage` makes it from a
tournament.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from simkit.stats.intervals import _alpha
from simkit.stats.ratings import bradley_terry

SAMPLES = 2000  # of the bootstrap: a p-value of 0.05 to about 0.005
NOTHING = 1e-9  # advantages below this part of the greatest are ties
POPULATION = 50  # of alpha-Rank
STEPS = 200  # of Newton's method for the entropy, which needs about 10
DAMPING = 0.1  # of that method, in units of the slope; keeps it from leaping where the entropy is flat
SETTLED = 1e-4  # change of a player's share at which alpha-Rank's sweep ends


def advantage(results, scale="logit"):
    """Advantage of each player over each other.

    Parameters
    ----------
    results : Results
        From simkit.stats.tournament.
    scale : str
        "logit": log odds of the mean score, in which Bradley-Terry fields
        have no cycles; a mean score of 0 or 1 is taken as half a game off.
        "score": mean score less 1/2.

    Returns
    -------
    float64 array, shape (players, players)
        Antisymmetric.

    Raises
    ------
    ValueError
        If a pair has not met or the scale is unknown.
    """
    results.complete()
    return _advantage(results.matrix(), 2 * results.deals, scale)


@dataclass(frozen=True)
class Hodge:
    """A field split into a scale and what goes round in circles.

    Attributes
    ----------
    rating : float64 array, shape (players,)
        Mean advantage over all players (oneself too); sum 0. The nearest
        scale in least squares.
    cyclic : float64 array, shape (players, players)
        What the differences of ratings leave over.
    share : float
        Sum of squares of cyclic over that of the field: 0 for a pure scale, 1
        for rock, paper, scissors; 0 for a field of equals. Noise alone makes
        it positive; see `intransitivity`.
    """

    rating: np.ndarray
    cyclic: np.ndarray = field(repr=False)
    share: float


def hodge(a):
    """Split a field into ratings and cycles.

    Parameters
    ----------
    a : float64 array, shape (players, players)
        Antisymmetric, of any scale.

    Returns
    -------
    Hodge

    Raises
    ------
    ValueError
        If a is not antisymmetric.

    Notes
    -----
    HodgeRank with all pairs weighted alike. Source: Jiang, Lim, Yao, Ye,
    Mathematical Programming 127 (2011).
    """
    a = _antisymmetric(a)
    rating = a.mean(axis=1)
    cyclic = a - (rating[:, None] - rating)
    total = float((a**2).sum())
    return Hodge(rating, cyclic, float((cyclic**2).sum()) / total if total > 0 else 0.0)


def three_cycles(a):
    """Number of triples in which each beats the next; pairs at 0 beat neither way.

    Notes
    -----
    Without ties this is Kendall's C(m, 3) - sum w (w - 1)/2, with w each
    player's number of players beaten. Source: Kendall & Babington Smith,
    Biometrika 31 (1940).
    """
    beats = (_antisymmetric(a) > 0).astype(np.int64)
    return int(np.trace(beats @ beats @ beats)) // 3


@dataclass(frozen=True)
class Intransitivity:
    """Cycles of a tournament beside those that noise would make of a single scale.

    Attributes
    ----------
    share : float
        Cyclic share as played (see `Hodge`).
    expected, limit : float
        Mean, and quantile at the level, of the share that a Bradley-Terry
        field with the fitted ratings shows with as many deals.
    p_value : float
        Chance of so great a share in such a field.
    cycles : int
        Triples in which each beats the next, as played.
    expected_cycles : float
        Mean number in such fields.
    cycles_p_value : float
        Chance of so many.
    level : float
    """

    share: float
    expected: float
    limit: float
    p_value: float
    cycles: int
    expected_cycles: float
    cycles_p_value: float
    level: float

    @property
    def significant(self):
        """True if no single scale explains the share."""
        return self.p_value <= _alpha(self.level)

    def __str__(self):
        verdict = "more than" if self.significant else "no more than"
        return (
            f"cyclic share {_percent(self.share)}, {verdict} noise explains "
            f"({_percent(self.expected)} expected on a single scale, p = {self.p_value:.2g}); {self.cycles} cycles of three"
        )


def intransitivity(results, scale="logit", level=0.95, samples=SAMPLES, seed=0):
    """Are there more cycles than a single scale and noise would give?

    Parameters
    ----------
    results : Results
        From simkit.stats.tournament; every pair must have met.
    scale : str
        As for `advantage`.
    level : float
        1 less the chance of calling a Bradley-Terry field intransitive.
    samples : int
        Of the bootstrap.
    seed : int
        The same seed gives the same p-values.

    Returns
    -------
    Intransitivity

    Raises
    ------
    ValueError
        As for `advantage` and `bradley_terry`, or if there are fewer than
        three players.

    Notes
    -----
    Parametric bootstrap: means of all pairs are drawn from the normal law with
    the fitted Bradley-Terry means and the covariance over deals of the results,
    so that deals shared by pairs, mirrored seats, draws and points all count.
    Wants pairs of which the weaker wins some dozens of games.
    """
    results.complete()
    m = len(results.players)
    if m < 3:
        raise ValueError(f"{m} players cannot go round in circles; give three")
    games, (i, j) = 2 * results.deals, results.pairs.T
    centre = bradley_terry(results).matrix()[i, j]
    cov = np.atleast_2d(np.cov(results.by_deal(), rowvar=False)) / results.deals
    value, vectors = np.linalg.eigh(cov)
    root = vectors * np.sqrt(np.maximum(value, 0))
    noise = np.random.default_rng(seed).normal(size=(samples, len(i))) @ root.T
    table = np.full((samples, m, m), 0.5)
    table[:, i, j] = np.clip(centre + noise, 0, 1)
    table[:, j, i] = 1 - table[:, i, j]
    seen = advantage(results, scale)
    observed, cycles = hodge(seen).share, three_cycles(seen)
    fields = [_advantage(t, games, scale) for t in table]
    shares = np.array([hodge(a).share for a in fields])
    counts = np.array([three_cycles(a) for a in fields])
    return Intransitivity(
        observed,
        float(shares.mean()),
        float(np.quantile(shares, level)),
        float((1 + (shares >= observed).sum()) / (1 + samples)),
        cycles,
        float(counts.mean()),
        float((1 + (counts >= cycles).sum()) / (1 + samples)),
        level,
    )


@dataclass(frozen=True)
class AlphaRank:
    """Long-run shares of strategies in a population that imitates success.

    Attributes
    ----------
    mass : float64 array, shape (players,)
        Share of time spent by each, at the last alpha; sum 1.
    order : int64 array, shape (players,)
        Players by falling mass, ties by number.
    alphas : float64 array, shape (steps,)
        Strengths of selection of the sweep, ascending.
    sweep : float64 array, shape (steps, players)
        Masses at each.
    settled : bool
        True if the sweep ended because nothing changed any more.
    """

    mass: np.ndarray
    order: np.ndarray
    alphas: np.ndarray = field(repr=False)
    sweep: np.ndarray = field(repr=False)
    settled: bool


def alpha_rank(a, population=POPULATION, alphas=None):
    """Rank a field by evolution, which needs no single scale.

    Parameters
    ----------
    a : float64 array, shape (players, players)
        Payoff of row against column; for an antisymmetric field the
        difference of payoffs is twice the advantage.
    population : int
        Number of imitators.
    alphas : sequence or None
        Strengths of selection to sweep; None doubles from weak selection
        until order and masses stand still three times in a row.

    Returns
    -------
    AlphaRank

    Raises
    ------
    ValueError
        If a is not a square of finite numbers, or population is below 2.

    Notes
    -----
    A mutant r takes over residents s with chance
    (1 - e^(-alpha D)) / (1 - e^(-alpha population D)), D = a_rs - a_sr, and
    1/population if D = 0; masses are the stationary law of that chain. It is
    found by elimination in logarithms, so strong selection does no harm.
    Source: Omidshafiei et al., Scientific Reports 9 (2019) 9937.
    """
    a = np.asarray(a, np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not np.all(np.isfinite(a)) or population < 2:
        raise ValueError(f"a has shape {a.shape}; give a square of finite payoffs, and a population of 2 or more")
    gain = a - a.T  # of row as a mutant among column
    greatest = np.abs(gain).max()
    gain = np.where(np.abs(gain) <= NOTHING * greatest, 0.0, gain)
    smallest = np.abs(gain[gain != 0]).min(initial=math.inf)
    if alphas is not None:
        steps = np.asarray(alphas, np.float64)
    elif greatest == 0:
        steps = np.ones(1)
    else:
        weakest, strongest = 0.01 / (population * greatest), 50 / smallest
        steps = weakest * 2.0 ** np.arange(math.ceil(math.log2(strongest / weakest)) + 1)
    sweep, still = [], 0
    for alpha in steps:
        sweep.append(_stationary(_log_fixation(alpha * gain, population).T))
        same = len(sweep) > 1 and np.abs(sweep[-1] - sweep[-2]).max() < SETTLED
        # weak selection stands still as well: only strong selection counts
        still = still + 1 if same and alpha * population * greatest > 1 else 0
        if alphas is None and still == 3:
            break
    mass = sweep[-1]
    order = np.lexsort((np.arange(len(mass)), -np.round(mass, 9)))
    settled = greatest == 0 or still >= 3
    return AlphaRank(mass, order.astype(np.int64), steps[: len(sweep)], np.array(sweep), bool(settled))


@dataclass(frozen=True)
class NashAverage:
    """Ratings against the strongest mixture of the field.

    Attributes
    ----------
    mixture : float64 array, shape (players,)
        The Nash equilibrium of greatest entropy; sum 1.
    rating : float64 array, shape (players,)
        Advantage of each player against it: 0 for those in the mixture, below
        0 for those it beats.
    entropy : float
        Of the mixture, in nats: e to this is the number of players that matter.
    """

    mixture: np.ndarray
    rating: np.ndarray
    entropy: float


def nash_average(a):
    """Rate a field by its maximum-entropy Nash equilibrium.

    Parameters
    ----------
    a : float64 array, shape (players, players)
        Antisymmetric advantage of row over column.

    Returns
    -------
    NashAverage

    Raises
    ------
    ValueError
        If a is not antisymmetric.

    Notes
    -----
    A copy of a player changes nobody's rating. One linear program finds who
    can be part of any equilibrium, a convex one the mixture among them.
    Measured fields have no exact ties: there the equilibrium jumps with the
    noise, and is to be read beside a bootstrap. Source: Balduzzi, Tuyls,
    Pérolat, Graepel, "Re-evaluating evaluation", NeurIPS 2018.
    """
    a = _antisymmetric(a)
    size = np.abs(a).max()
    if size == 0:
        m = len(a)
        return NashAverage(np.full(m, 1 / m), np.zeros(m), math.log(m))
    inside = _in_some_equilibrium(a / size)
    mixture = np.zeros(len(a))
    mixture[inside] = _most_even(a / size, inside)
    some = mixture[mixture > 0]
    return NashAverage(mixture, a @ mixture, float(-(some * np.log(some)).sum()))


def _percent(share):
    """A share in words; rounding errors of what is 0 are no digits worth reading."""
    return "below 0.001 %" if 0 < share < 1e-5 else f"{100 * share:.{2 if share < 0.995 else 3}g} %"


def _antisymmetric(a):
    """a as float64, once it is antisymmetric."""
    a = np.asarray(a, np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not np.all(np.isfinite(a)):
        raise ValueError(f"a has shape {a.shape}; give a square of finite advantages")
    if np.abs(a + a.T).max() > 1e-9 * max(np.abs(a).max(), 1e-300):
        raise ValueError("a is not antisymmetric; subtract 1/2 from mean scores, or see advantage")
    return (a - a.T) / 2


def _advantage(matrix, games, scale):
    """Advantages from mean scores of so many games."""
    if scale == "score":
        return matrix - 0.5
    if scale != "logit":
        raise ValueError(f"scale = {scale!r}; give 'logit' or 'score'")
    p = np.clip(matrix, 0.5 / games, 1 - 0.5 / games)
    return np.log(p) - np.log1p(-p)


def _log_fixation(x, population):
    """ln of (1 - e^-x) / (1 - e^(-population x)); 1/population where x is 0."""
    y = np.where(x == 0, 1.0, np.abs(x))
    # for x > 0 as it stands; for x < 0 both halves times e^x
    ratio = np.log(-np.expm1(-y)) - np.log(-np.expm1(-population * y))
    ratio = np.where(x < 0, ratio - (population - 1) * y, ratio)
    return np.where(x == 0, -math.log(population), ratio)


def _stationary(log_rate):
    """Stationary law of a chain from the logarithms of its rates, row to column; the diagonal is not read.

    Elimination state by state without a subtraction. Source: Grassmann, Taksar,
    Heyman, Operations Research 33 (1985).
    """
    r = log_rate.copy()
    m = len(r)
    leave = np.zeros(m)
    for k in range(m - 1, 0, -1):
        leave[k] = np.logaddexp.reduce(r[k, :k])
        r[:k, :k] = np.logaddexp(r[:k, :k], r[:k, k][:, None] + r[k, :k] - leave[k])
    log_mass = np.zeros(m)
    for k in range(1, m):
        log_mass[k] = np.logaddexp.reduce(log_mass[:k] + r[:k, k]) - leave[k]
    mass = np.exp(log_mass - log_mass.max())
    return mass / mass.sum()


def _in_some_equilibrium(a):
    """Players with a positive share in some equilibrium p: p >= 0, sum 1, a p <= 0.

    Scaled up, such p are q >= t with a q <= 0; the sum of t, each between 0
    and 1, is greatest where every player who can has t = 1.
    """
    from scipy.optimize import linprog

    m = len(a)
    cost = np.concatenate([np.zeros(m), -np.ones(m)])
    above = np.block([[a, np.zeros((m, m))], [-np.eye(m), np.eye(m)]])
    limits = [(0, None)] * m + [(0, 1)] * m
    options = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    best = linprog(cost, A_ub=above, b_ub=np.zeros(2 * m), bounds=limits, method="highs", options=options)
    return np.flatnonzero(best.x[m:] > 0.5)


def _most_even(a, inside):
    """Shares of the players inside: greatest entropy with a p = 0 inside and a p <= 0 outside.

    By its dual: shares are proportional to exp(-a' w), with weights w of any
    sign inside and at least 0 outside, and log sum exp(-a' w) is least: found
    by Newton's method on the weights that are free to move (Bertsekas 1982).
    """
    a = a[:, inside]
    bound = np.ones(len(a), dtype=bool)
    bound[inside] = False
    w = np.zeros(len(a))
    here, p = _dual(a, w)
    for _ in range(STEPS):
        slope = -(a @ p)
        moves = ~bound | (w > 0) | (slope < 0)
        size = np.abs(slope[moves]).max(initial=0)
        if size < 1e-15:
            break
        rows = a[moves]
        curve = (rows * p) @ rows.T - np.outer(rows @ p, rows @ p)
        step = np.zeros(len(a))
        step[moves] = np.linalg.solve(curve + DAMPING * size * np.eye(len(rows)), -slope[moves])
        for _ in range(60):
            there = np.where(bound, np.maximum(w + step, 0), w + step)
            value, q = _dual(a, there)
            if value <= here + 1e-4 * slope @ (there - w) + 1e-15:
                break
            step = step / 2
        w, here, p = there, value, q
    return p


def _dual(a, w):
    """log sum exp(-a' w), and the shares."""
    e = -(w @ a)
    p = np.exp(e - e.max())
    return float(e.max() + math.log(p.sum())), p / p.sum()
