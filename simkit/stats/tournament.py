"""Everyone against everyone on the same deals: who is better, said for all pairs at once.

A deal is played by every pair of players, twice, with the seats exchanged, and
is the unit of all that follows: its whole vector of results is kept together,
so that what the deal did to one pair and to another stays tied.
"""

import math
from dataclasses import dataclass, field
from itertools import combinations
from statistics import NormalDist

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import _alpha, mean_interval
from simkit.stats.paired import LEAST

BOOTSTRAP = 4000  # samples: a 95 % quantile to about 1 % of itself
BLOCKS = 1000  # more deals than this are resampled in so many blocks of neighbours
FIRST, SECOND = 0, 1  # columns of a pair's scores


@dataclass(frozen=True)
class Results:
    """Scores of a tournament; make it with `collect` or `collect_matrices`.

    Attributes
    ----------
    players : tuple
        Their names.
    pairs : int64 array, shape (pairs, 2)
        Numbers i, j of the players of each pair.
    scores : float64 array, shape (pairs, deals, 2)
        Scores of i between 0 and 1, drawn is 1/2; column 0 with i in the
        first seat, column 1 with i in the second.
    """

    players: tuple
    pairs: np.ndarray
    scores: np.ndarray = field(repr=False)

    @property
    def deals(self):
        """Number of deals, each played by every pair."""
        return self.scores.shape[1]

    def index(self, player):
        """Number of a player.

        Raises
        ------
        ValueError
            If nobody has this name.
        """
        if player not in self.players:
            raise ValueError(f"no player {player!r}; there are {', '.join(map(str, self.players))}")
        return self.players.index(player)

    def pair(self, one, other):
        """Scores of `one` against `other`, shape (deals, 2), column 0 with `one` first.

        Raises
        ------
        ValueError
            If the two have not met.
        """
        i, j = self.index(one), self.index(other)
        for (a, b), scores in zip(self.pairs.tolist(), self.scores, strict=True):
            if (a, b) == (i, j):
                return scores
            if (a, b) == (j, i):
                return 1 - scores[:, ::-1]
        raise ValueError(f"{one} and {other} have not met")

    def by_deal(self):
        """Score of the pairs' first-named players in each deal: mean of its two games, shape (deals, pairs)."""
        return self.scores.mean(axis=2).T

    def matrix(self):
        """Mean score of row against column, shape (players, players); 1/2 with oneself, nan if they have not met."""
        m = len(self.players)
        table = np.full((m, m), np.nan)
        np.fill_diagonal(table, 0.5)
        i, j = self.pairs.T
        mean = self.scores.mean(axis=(1, 2))
        table[i, j], table[j, i] = mean, 1 - mean
        return table

    def field_by_deal(self):
        """Mean score of each player against all others in each deal, shape (deals, players).

        Raises
        ------
        ValueError
            If a pair has not met.
        """
        self.complete()
        x, total = self.by_deal(), np.zeros((self.deals, len(self.players)))
        for (i, j), column in zip(self.pairs.tolist(), x.T, strict=True):
            total[:, i] += column
            total[:, j] += 1 - column
        return total / (len(self.players) - 1)

    def complete(self):
        """Nothing, once every two players have met.

        Raises
        ------
        ValueError
            If a pair has not met.
        """
        met = {frozenset(p) for p in self.pairs.tolist()}
        for i, j in combinations(range(len(self.players)), 2):
            if {i, j} not in met:
                raise ValueError(f"{self.players[i]} and {self.players[j]} have not met; play every pair")


def collect(scores, players=None):
    """Results of a tournament from one table of scores per pair.

    Parameters
    ----------
    scores : dict
        (i, j) -> float array of shape (deals, 2), unit: scores of i between 0
        and 1 per game; column 0 with i in the first seat, column 1 with i in
        the second. One entry per pair, in either order; row d of all of them
        was played on deal d.
    players : sequence or None
        Names in the order wanted; None is the order in which they come.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        If there are fewer than 30 deals, shapes differ, a score is not
        between 0 and 1, a pair comes twice or a player meets himself.
    """
    if not scores:
        raise ValueError("no scores; give at least one pair")
    names = tuple(dict.fromkeys(name for pair in scores for name in pair)) if players is None else tuple(players)
    number = {name: i for i, name in enumerate(names)}
    pairs, seen = [], set()
    for one, other in scores:
        if one not in number or other not in number:
            raise ValueError(f"{one} or {other} is not among the players {', '.join(map(str, names))}")
        if one == other or frozenset((one, other)) in seen:
            raise ValueError(f"{one} against {other} comes twice, or is one player; give each pair once")
        seen.add(frozenset((one, other)))
        pairs.append((number[one], number[other]))
    tables = [np.asarray(table, np.float64) for table in scores.values()]
    shape = tables[0].shape
    for pair, table in zip(scores, tables, strict=True):
        if table.shape != shape or table.ndim != 2 or shape[1] != 2:
            raise ValueError(f"scores of {pair} have shape {table.shape}; give (deals, 2), the same deals for all")
        if not (table.min(initial=0) >= 0 and table.max(initial=1) <= 1):
            raise ValueError(f"scores of {pair} lie outside 0 and 1; see simkit.stats.sequential.score_counts")
    if shape[0] < LEAST:
        raise ValueError(f"{shape[0]} deals are too few for a normal interval; play {LEAST}")
    return Results(names, np.array(pairs, np.int64), np.stack(tables))


def collect_matrices(scores, players=None):
    """Results of a tournament from one matrix per deal.

    Parameters
    ----------
    scores : float array, shape (deals, players, players)
        Score of row against column with row in the first seat; the diagonal
        is not read.
    players : sequence or None
        Names; None numbers them from 0.

    Returns
    -------
    Results

    Raises
    ------
    ValueError
        As for `collect`.
    """
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 3 or scores.shape[1] != scores.shape[2]:
        raise ValueError(f"scores have shape {scores.shape}; give (deals, players, players)")
    names = tuple(range(scores.shape[1])) if players is None else tuple(players)
    if len(names) != scores.shape[1]:
        raise ValueError(f"{len(names)} names for {scores.shape[1]} players")
    pairs = combinations(range(len(names)), 2)
    return collect({(names[i], names[j]): np.stack([scores[:, i, j], 1 - scores[:, j, i]], axis=1) for i, j in pairs}, names)


@dataclass(frozen=True)
class Simultaneous:
    """Several means of one set of deals, with intervals that hold all at once.

    Attributes
    ----------
    estimate : Estimate
        Arrays, shape (q,); n is the number of deals.
    quantile : float
        Standard errors to either side; about 1.96 if q is 1.
    p_values : float64 array, shape (q,)
        Of "the mean is null", adjusted for the q questions; at least
        1 / (samples + 1).
    """

    estimate: Estimate
    quantile: float
    p_values: np.ndarray


def max_t(x, null=0.0, level=0.95, samples=BOOTSTRAP, seed=0):
    """Simultaneous intervals and adjusted p-values of the columns' means.

    Parameters
    ----------
    x : float array, shape (deals, q)
        One row per deal; any number of figures that share its luck.
    null : float, or array of shape (q,)
        Means to be tested.
    level : float
        Chance that all q intervals hold.
    samples : int
        Of the bootstrap.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    Simultaneous
        A column that never varies has an interval of no length, and p-value
        0 or 1.

    Raises
    ------
    ValueError
        If there are fewer than 30 deals or no column.

    Notes
    -----
    Deals are resampled with all their columns; the largest |t| of each sample
    gives the quantile. Above 1000 deals neighbouring ones are pooled, which
    leaves means and covariances as they are. Source: Romano & Wolf,
    Econometrica 73 (2005).
    """
    x, mean, se = _means(x)
    alpha = _alpha(level)
    varies = se > 0
    t = _bootstrap_t(x[:, varies], samples, seed)
    largest = np.abs(t).max(axis=1, initial=0)
    quantile = _upper_quantile(largest, alpha) if varies.any() else 0.0
    away = np.abs(mean - null)
    p = np.where(away > 0, 0.0, 1.0)
    p[varies] = _bootstrap_p(largest, away[varies] / se[varies])
    half = quantile * se
    estimate = Estimate(mean, mean - half, mean + half, np.full(mean.shape, len(x)), se, "max-T bootstrap", level)
    return Simultaneous(estimate, quantile, p)


def compare_pairs(results, level=0.95, samples=BOOTSTRAP, seed=0):
    """Mean scores of all pairs, with intervals that hold all at once.

    Parameters
    ----------
    results : Results

    Returns
    -------
    Simultaneous
        One figure per row of results.pairs: mean score of the first-named
        player, even at 1/2, which is also the null of the p-values.

    Notes
    -----
    See `max_t` for the other arguments.
    """
    return max_t(results.by_deal(), 0.5, level, samples, seed)


def compare_field(results, level=0.95, samples=BOOTSTRAP, seed=0):
    """Differences of all players' mean scores against the field, holding all at once.

    Returns
    -------
    Simultaneous
        One figure per two players i < j, in the order of
        itertools.combinations: mean score of i less that of j, where a
        player's mean score is taken over all others.

    Raises
    ------
    ValueError
        If a pair has not met.

    Notes
    -----
    See `max_t` for the other arguments.
    """
    x = results.field_by_deal()
    i, j = np.triu_indices(x.shape[1], 1)
    return max_t(x[:, i] - x[:, j], 0.0, level, samples, seed)


@dataclass(frozen=True)
class Best:
    """How far each player is from the best of the others.

    Attributes
    ----------
    players : tuple
    lead : Estimate
        Arrays, shape (players,): mean score less the greatest of the others'.
        All intervals hold at once, and none lies wholly on one side of 0. One
        that starts at 0 names the best; one that ends at 0 excludes.
    candidates : tuple
        Those not excluded from being best.
    """

    players: tuple
    lead: Estimate
    candidates: tuple


def compare_with_best(results, level=0.95, samples=BOOTSTRAP, seed=0):
    """Who may be the best of the field: Hsu's multiple comparisons with the best.

    Returns
    -------
    Best

    Raises
    ------
    ValueError
        If a pair has not met.

    Notes
    -----
    With d_i the quantile of the greatest t of all others less i, upper ends
    are max(0, min_j (mean_i - mean_j + d_i se_ij)). Lower ends are 0 for a
    lone candidate, else the least of mean_i - mean_j - d_j se_ij over the
    candidates j, and at most 0. Quantiles come from resampled deals. See
    `max_t` for the other arguments. Source: Hsu, Annals of Statistics 12
    (1984).
    """
    scores = results.field_by_deal()
    m, alpha = scores.shape[1], _alpha(level)
    lead, upper, margin = np.empty(m), np.empty(m), np.zeros((m, m))
    mean = scores.mean(axis=0)
    for i in range(m):
        others = np.arange(m) != i
        x, _, se = _means(scores[:, [i]] - scores[:, others])
        t = _bootstrap_t(x[:, se > 0], samples, seed)
        d = _upper_quantile(t.max(axis=1, initial=0), alpha)
        margin[i, others] = d * se
        gaps = mean[i] - mean[others]
        lead[i] = gaps.min()
        upper[i] = max(0.0, (gaps + d * se).min())
    candidates = [i for i in range(m) if upper[i] > 0 or lead[i] >= 0]
    lower = np.zeros(m)
    for i in range(m):
        gaps = [mean[i] - mean[j] - margin[j, i] for j in candidates if j != i]
        lower[i] = min(0.0, *gaps) if gaps else 0.0
    n = np.full(m, len(scores))
    names = tuple(results.players[i] for i in candidates)
    return Best(results.players, Estimate(lead, lower, upper, n, None, "Hsu's comparison with the best", level), names)


def holm(p_values):
    """p-values adjusted so that the chance of any false rejection is kept, in the order given.

    Raises
    ------
    ValueError
        If one is not between 0 and 1.

    Notes
    -----
    Valid however the tests depend on each other. Source: Holm, Scandinavian
    Journal of Statistics 6 (1979).
    """
    p, order = _sorted_p(p_values)
    adjusted = np.maximum.accumulate(p * np.arange(len(p), 0, -1))
    return _unsorted(adjusted, order)


def benjamini_hochberg(p_values):
    """p-values adjusted so that the expected share of false ones among the rejected is kept.

    Raises
    ------
    ValueError
        If one is not between 0 and 1.

    Notes
    -----
    For independent or positively dependent tests. Source: Benjamini &
    Hochberg, Journal of the Royal Statistical Society B 57 (1995).
    """
    p, order = _sorted_p(p_values)
    raised = p * len(p) / np.arange(1, len(p) + 1)
    return _unsorted(np.minimum.accumulate(raised[::-1])[::-1], order)


@dataclass(frozen=True)
class FirstMove:
    """Advantage of the first seat, in score: a first player scores 1/2 plus this.

    Attributes
    ----------
    pooled : Estimate
        Mean over all pairs; n is the number of deals.
    by_pair : Estimate
        Arrays, one figure per row of results.pairs; these intervals hold one
        at a time.
    """

    pooled: Estimate
    by_pair: Estimate


def first_move_advantage(results, level=0.95):
    """Half the difference between scoring first and scoring second, on the same deals.

    Returns
    -------
    FirstMove

    Notes
    -----
    Both players of a pair have the same advantage: with mirrored deals their
    strength drops out. Student intervals over deals.
    """
    x = (results.scores[:, :, FIRST] - results.scores[:, :, SECOND]) / 2
    pooled = _mean_of(x.mean(axis=0), level)
    each = [_mean_of(row, level) for row in x]
    columns = (np.array([getattr(e, name) for e in each]) for name in ("estimate", "low", "high", "n", "se"))
    return FirstMove(pooled, Estimate(*columns, "t", level))


def deals_to_separate(difference, sd, level=0.95, power=0.8):
    """Deals until the better of two players leads significantly, with the power stated.

    Parameters
    ----------
    difference : float
        True difference per deal, from even; its sign does not matter.
    sd : float
        Standard deviation of a deal's difference, in the same unit.
    level : float
        Confidence of the one-sided verdict.
    power : float
        Chance to reach it.

    Returns
    -------
    float
        ((z(level) + z(power)) sd / difference)², rounded up; inf if the
        players do not differ.

    Raises
    ------
    ValueError
        If sd is negative, or level or power do not fit.
    """
    if not sd >= 0 or not 0 < power < 1 or level + power <= 1:
        raise ValueError(f"sd = {sd}, level = {level}, power = {power}; give sd >= 0 and chances such as 0.95 and 0.8")
    if difference == 0:
        return math.inf
    z = NormalDist().inv_cdf(1 - _alpha(level)) + NormalDist().inv_cdf(power)
    return float(np.ceil((z * sd / difference) ** 2))


def separation(results, one, other, level=0.95, power=0.8):
    """Deals needed to separate two players, from a tournament.

    Returns
    -------
    Estimate
        See `deals_to_separate`; n is the number of deals behind it. The
        interval carries over that of the difference; it ends at inf if they
        may be equal.

    Raises
    ------
    ValueError
        If the two have not met.
    """
    x = results.pair(one, other).mean(axis=1) - 0.5
    mean, sd = _mean_of(x, level), float(x.std(ddof=1))
    near = 0.0 if mean.low <= 0 <= mean.high else min(abs(mean.low), abs(mean.high))
    far = max(abs(mean.low), abs(mean.high))
    values = [deals_to_separate(d, sd, level, power) for d in (mean.estimate, far, near)]
    return Estimate(*values, mean.n, None, "from the difference", level)


def _mean_of(x, level):
    """Student interval of the mean of one row per deal."""
    return mean_interval(x.size, x.mean(), x.std(ddof=1), level)


def _means(x):
    """x as float64, its columns' means and their standard errors, 0 where a column never varies."""
    x = np.asarray(x, np.float64)
    if x.ndim != 2 or x.shape[1] == 0 or x.shape[0] < LEAST:
        raise ValueError(f"x has shape {x.shape}; give a row per deal, {LEAST} at least, and a column per figure")
    mean = x.mean(axis=0)
    flat = x.min(axis=0) == x.max(axis=0)
    return x, np.where(flat, x[0], mean), np.where(flat, 0.0, x.std(axis=0, ddof=1) / math.sqrt(len(x)))


def _bootstrap_t(x, samples, seed):
    """t of each column's mean about its true value in resampled deals, shape (samples, columns)."""
    n = len(x)
    blocks = min(n, BLOCKS)
    starts = np.arange(blocks) * n // blocks
    c = np.add.reduceat(x - x.mean(axis=0), starts, axis=0)
    least = (c**2).sum(axis=0) / 4  # a rare event may be missing from a sample; that must not make t infinite
    rng = np.random.default_rng(seed)
    t = np.empty((samples, x.shape[1]))
    for first in range(0, samples, 500):
        rows = t[first : first + 500]
        times = rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=len(rows)).astype(np.float64)
        total = times @ c
        spread = times @ c**2 - total**2 / blocks
        rows[:] = total / np.sqrt(np.maximum(spread, least) * blocks / (blocks - 1))
    return t


def _upper_quantile(t, alpha):
    """Smallest sampled value that at most a share alpha of the samples, and of one more, exceed."""
    rank = min(len(t), math.ceil((1 - alpha) * (len(t) + 1)))
    return float(np.partition(t, rank - 1)[rank - 1])


def _bootstrap_p(largest, t):
    """Share of samples, and of one more, whose largest |t| is at least t."""
    above = len(largest) - np.searchsorted(np.sort(largest), t)
    return (1 + above) / (1 + len(largest))


def _sorted_p(p_values):
    """p-values in ascending order, and their places."""
    p = np.asarray(p_values, np.float64).ravel()
    if not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values must lie between 0 and 1")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _unsorted(adjusted, order):
    """Adjusted p-values back in the places they came from, at most 1."""
    out = np.empty(len(order))
    out[order] = np.minimum(adjusted, 1)
    return out
