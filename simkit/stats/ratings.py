"""One number per player: Bradley-Terry ratings with honest intervals, and whether one number is enough."""

import math
from dataclasses import dataclass, field

import numpy as np

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import _plain, z_value
from simkit.stats.sequential import ELO

STEPS = 100  # Newton needs about 6; more means that no finite optimum exists
FLAT = 1e-12  # size of a last Newton step, in log odds
FARTHEST = 30.0  # log odds of a cell; beyond it the fit is on its way to infinity


@dataclass(frozen=True)
class FitTest:
    """Does the model fit: are the results what one number per player would give?

    Attributes
    ----------
    deviance : float
        Twice the log-likelihood by which cells of their own would fit better.
    df : int
        Cells less parameters.
    p_value : float
        Of the deviance, by the chi-square law: right for independent games
        without draws (or with draws under draws="davidson"), else a rough
        guide.
    f : float
        Mean square of the residuals in units of their covariance over deals.
    f_df : tuple of two ints
    deal_p_value : float
        Of f: right however games on one deal depend on each other. nan if
        there are too few deals to tell.
    """

    deviance: float
    df: int
    p_value: float
    f: float
    f_df: tuple
    deal_p_value: float


@dataclass(frozen=True)
class BradleyTerry:
    """Ratings fitted by `bradley_terry`.

    Attributes
    ----------
    players : tuple
    strength : float64 array, shape (players,)
        Log odds, with sum 0.
    first_move : float or None
        Log odds that the first seat adds; None if not fitted.
    draw : float
        Davidson's nu: between equals a draw is nu times as likely as a win
        of one of them; 0 if draws count half.
    covariance : float64 array, shape (p, p)
        Of strengths, first_move (if fitted) and ln draw (if fitted), from
        the spread over deals.
    model_covariance : float64 array, shape (p, p)
        The same if all games were independent and the model true.
    deals : int
    level : float
        Of the intervals.
    fit : FitTest
    """

    players: tuple
    strength: np.ndarray
    first_move: float
    draw: float
    covariance: np.ndarray = field(repr=False)
    model_covariance: np.ndarray = field(repr=False)
    deals: int
    level: float
    fit: FitTest

    def elo(self):
        """Ratings in Elo about the mean of the field: an Estimate of arrays.

        The intervals depend on this anchor; to compare two players take `difference`.
        """
        m = len(self.players)
        return self._estimate(ELO * self.strength, ELO * np.sqrt(np.diag(self.covariance)[:m]))

    def difference(self, one, other):
        """Elo of one player less that of another: an Estimate."""
        i, j = (self._index(name) for name in (one, other))
        return self.differences().cells()[i * len(self.players) + j]

    def differences(self):
        """Elo of row less column, an Estimate of (players, players) arrays; intervals hold one at a time."""
        m = len(self.players)
        c = self.covariance[:m, :m]
        v = np.diag(c)
        spread = np.maximum(v[:, None] + v - c - c.T, 0)
        np.fill_diagonal(spread, 0.0)
        return self._estimate(ELO * (self.strength[:, None] - self.strength), ELO * np.sqrt(spread))

    def first_move_elo(self):
        """Elo that the first seat is worth: an Estimate.

        Raises
        ------
        ValueError
            If it was not fitted.
        """
        if self.first_move is None:
            raise ValueError("the first move was not fitted; use first_mover=True")
        m = len(self.players)
        return self._estimate(ELO * self.first_move, ELO * math.sqrt(self.covariance[m, m]))

    def expected(self, one, other, seat=None):
        """Mean score of one player against another.

        Parameters
        ----------
        seat : int or None
            0 if `one` sits first, 1 if second, None for the mean of both.
        """
        gap = self.strength[self._index(one)] - self.strength[self._index(other)]
        signs = (1, -1) if seat is None else (1 - 2 * seat,)
        return float(np.mean([_cells(gap + s * (self.first_move or 0.0), self.draw)[0] for s in signs]))

    def matrix(self):
        """Mean score of row against column over both seats, shape (players, players)."""
        gap, seat = self.strength[:, None] - self.strength, self.first_move or 0.0
        return (_cells(gap + seat, self.draw)[0] + _cells(gap - seat, self.draw)[0]) / 2

    def _index(self, name):
        """Number of a player."""
        if name not in self.players:
            raise ValueError(f"no player {name!r}; there are {', '.join(map(str, self.players))}")
        return self.players.index(name)

    def _estimate(self, value, se):
        """Normal interval."""
        half = z_value(self.level) * se
        n = np.full(np.shape(value), self.deals)
        return Estimate(*map(_plain, (value, value - half, value + half, n, se)), "Bradley-Terry by deal", self.level)


def bradley_terry(results, first_mover=True, draws="half", level=0.95):
    """Ratings of all players from a tournament.

    Parameters
    ----------
    results : Results
        From simkit.stats.tournament; not all pairs need have met.
    first_mover : bool
        Fit what the first seat is worth.
    draws : str
        "half": the mean score follows the model, whatever scores there are.
        "davidson": scores are 0, 1/2 or 1, and draws have a chance of their own.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    BradleyTerry

    Raises
    ------
    ValueError
        If some players never scored against the rest, so that no finite
        ratings exist; if draws="davidson" meets other scores or only draws.

    Notes
    -----
    Odds of a win against a loss: exp(strength_i - strength_j ± first_move).
    Newton's method on the likelihood; covariance I⁺ B I⁺ with I the
    information and B the spread over deals of the deals' own gradients, so
    that games of one deal may depend on each other as they like. Source:
    Bradley & Terry 1952; Davidson 1970; Ford, American Mathematical Monthly
    64 (1957), on when ratings exist; Hunter, Annals of Statistics 32 (2004).
    """
    if draws not in ("half", "davidson"):
        raise ValueError(f"draws = {draws!r}; give 'half' or 'davidson'")
    _connected(results)
    y, games, z = _observations(results, first_mover, draws == "davidson")
    cells = len(results.pairs) * (2 if first_mover else 1)
    m = len(results.players)
    theta, mean, variance = _newton(y.mean(axis=0), z, cells, m)
    inverse = _inverse(z.T @ variance @ z, m)
    deals = results.deals
    spread = np.cov(y, rowvar=False).reshape(z.shape[0], -1) / deals
    covariance = inverse @ z.T @ spread @ z @ inverse
    return BradleyTerry(
        results.players,
        theta[:m],
        float(theta[m]) if first_mover else None,
        math.exp(theta[-1]) if len(z) > cells else 0.0,
        covariance,
        inverse / (deals * games),
        deals,
        level,
        _fit_test(y, mean, variance, z, inverse, spread, games, cells),
    )


def _connected(results):
    """Nothing, once everyone has scored against everyone, directly or through others."""
    m = len(results.players)
    reach = np.eye(m, dtype=bool)
    for (i, j), scores in zip(results.pairs.tolist(), results.scores, strict=True):
        reach[i, j], reach[j, i] = scores.max() > 0, scores.min() < 1
    for k in range(m):
        reach |= reach[:, [k]] & reach[[k], :]
    for row in reach:
        if not row.all():
            inside = [str(p) for p, r in zip(results.players, row, strict=True) if r]
            rest = [str(p) for p, r in zip(results.players, row, strict=True) if not r]
            raise ValueError(
                f"no finite ratings: {', '.join(inside)} never scored against {', '.join(rest)}; play more deals, or rate the groups apart"
            )


def _observations(results, first_mover, davidson):
    """What each deal says, games per cell and deal, and the design.

    Returns
    -------
    y : float64 array, shape (deals, cells or 2 cells)
        Mean score of each cell, then share of draws if they are modelled. A
        cell is a pair in one seating, or a pair if seats do not matter.
    games : int
    z : float64 array, shape (y's columns, parameters)
    """
    count, m = len(results.pairs), len(results.players)
    versus = np.zeros((count, m))
    versus[np.arange(count), results.pairs[:, 0]] = 1
    versus[np.arange(count), results.pairs[:, 1]] -= 1

    def cells(x):
        return np.concatenate([x[:, :, 0], x[:, :, 1]]).T if first_mover else x.mean(axis=2).T

    y, games, z = cells(results.scores), 2, versus
    if first_mover:
        games, seat = 1, np.repeat([1.0, -1.0], count)
        z = np.column_stack([np.concatenate([versus, versus]), seat])
    if not davidson:
        return y, games, z
    drawn = results.scores == 0.5
    if not np.all(drawn | (results.scores == 0) | (results.scores == 1)):
        raise ValueError("draws='davidson' needs scores 0, 1/2 and 1; use draws='half'")
    if drawn.all():
        raise ValueError("all games were drawn; there is nothing to rate")
    if not drawn.any():
        return y, games, z  # nu is 0
    z = np.block([[z, np.zeros((len(z), 1))], [np.zeros((len(z), z.shape[1])), np.ones((len(z), 1))]])
    return np.concatenate([y, cells(drawn.astype(np.float64))], axis=1), games, z


def _cells(gap, nu):
    """Mean score and chance of a draw at these log odds."""
    top = np.abs(gap) / 2
    win, lose, drawn = np.exp(gap / 2 - top), np.exp(-gap / 2 - top), nu * np.exp(-top)
    total = win + lose + drawn
    return (win + drawn / 2) / total, drawn / total


def _model(theta, z, cells):
    """Expected observations, their covariance in one game, and the log-partition of all cells."""
    eta = z @ theta
    gap = eta[:cells]
    nu = math.exp(min(eta[-1], 700.0)) if len(z) > cells else 0.0
    score, drawn = _cells(gap, nu)
    part = float((np.logaddexp(np.logaddexp(gap / 2, -gap / 2), math.log(nu) if nu > 0 else -np.inf)).sum())
    v = np.diag((1 - drawn) / 4 - (score - 0.5) ** 2)
    if len(z) == cells:
        return score, v, part
    cross = np.diag(drawn * (0.5 - score))
    return np.concatenate([score, drawn]), np.block([[v, cross], [cross, np.diag(drawn * (1 - drawn))]]), part


def _log_likelihood(theta, y, z, cells):
    """Per deal and game, of single games up to a constant."""
    eta = z @ theta
    shifted = np.concatenate([y[:cells] - 0.5, y[cells:]])
    return float(shifted @ eta) - _model(theta, z, cells)[2]


def _newton(y, z, cells, m):
    """Most likely parameters, expected observations and their covariance in one game."""
    theta = np.zeros(z.shape[1])
    if len(z) > cells:
        share = y[cells:].mean()
        theta[-1] = math.log(2 * share / (1 - share))
    here = _log_likelihood(theta, y, z, cells)
    for _ in range(STEPS):
        mean, variance, _ = _model(theta, z, cells)
        if np.abs((z @ theta)[:cells]).max() > FARTHEST:
            break
        step = _inverse(z.T @ variance @ z, m) @ (z.T @ (y - mean))
        if np.abs(step).max() < FLAT:
            return theta, mean, variance
        for _ in range(40):
            there = _log_likelihood(theta + step, y, z, cells)
            if there >= here - 1e-12 * (1 + abs(here)):
                break
            step = step / 2
        theta, here = theta + step, there
    raise ValueError("no finite fit: seats or draws decide all games; use first_mover=False or draws='half'")


def _inverse(information, m):
    """Pseudo-inverse of an information that does not know the sum of the first m parameters."""
    one = np.zeros((len(information), 1))
    one[:m] = 1 / math.sqrt(m)
    scale = np.trace(information) / len(information)
    inverse = np.linalg.inv(information + scale * one @ one.T)
    return inverse - one @ one.T / scale


def _fit_test(y, mean, variance, z, inverse, spread, games, cells):
    """FitTest of a fitted model."""
    from scipy.special import chdtrc, fdtrc

    deals, df = len(y), len(z) - z.shape[1] + 1
    seen = y.mean(axis=0)
    deviance = 2 * deals * games * float((_kullback(seen, mean, cells)).sum())
    if df == 0:
        return FitTest(max(0.0, deviance), 0, 1.0, 0.0, (0, deals), 1.0)
    project = np.eye(len(z)) - variance @ z @ inverse @ z.T  # how the observations' noise reaches the residuals
    root, vectors = np.linalg.eigh(project @ spread @ project.T)
    known = root > 1e-9 * max(root[-1], 1e-300)
    rank = int(known.sum())
    f, deal_p = math.nan, math.nan
    if 0 < rank < deals:
        residual = vectors[:, known].T @ (seen - mean)
        f = float((residual**2 / root[known]).sum()) * (deals - rank) / (rank * (deals - 1))
        deal_p = float(fdtrc(rank, deals - rank, f))
    return FitTest(max(0.0, deviance), df, float(chdtrc(df, max(0.0, deviance))), f, (rank, deals - rank), deal_p)


def _kullback(seen, mean, cells):
    """Log-likelihood per game of each cell by its own shares less that by the model's."""
    drawn = (seen[cells:], mean[cells:]) if len(seen) > cells else (0.0, 0.0)
    shares = [np.array([s - d / 2, d + 0 * s, 1 - s - d / 2]) for s, d in zip((seen[:cells], mean[:cells]), drawn, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shares[0] > 1e-15, shares[0] * np.log(shares[0] / shares[1]), 0.0).sum(axis=0)
