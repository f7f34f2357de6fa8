"""One number per player."""

import math
from itertools import combinations

import choix
import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from scipy.optimize import minimize
from statsmodels.tools.numdiff import approx_hess

from simkit.stats.ratings import bradley_terry
from simkit.stats.sequential import ELO
from simkit.stats.tournament import collect


def synthetic(strengths, deals, rng, seat=0.2, luck=0.0, nu=0.0):
    """A tournament under the model; `luck` is added to the first seat's log odds in all games of a deal."""
    shared = luck * rng.normal(size=(deals, 1)) * [1, -1]
    scores = {}
    for i, j in combinations(range(len(strengths)), 2):
        gap = strengths[i] - strengths[j] + seat * np.array([1, -1]) + shared
        win, lose = np.exp(gap / 2), np.exp(-gap / 2)
        u = rng.random((deals, 2)) * (win + lose + nu)
        scores[f"p{i}", f"p{j}"] = np.where(u < win, 1, np.where(u < win + nu, 0.5, 0))
    return collect(scores)


def rows(results, first_mover=True):
    """One row per game: score, design without the last player, deal."""
    y, x, deal = [], [], []
    for (i, j), scores in zip(results.pairs, results.scores):
        for seat in (0, 1):
            row = np.zeros(len(results.players))
            row[i], row[j] = 1, -1
            row[-1] = 1 - 2 * seat  # the last player is the reference
            y.append(scores[:, seat])
            x.append(np.tile(row if first_mover else row[:-1], (results.deals, 1)))
            deal.append(np.arange(results.deals))
    return np.concatenate(y), np.concatenate(x), np.concatenate(deal)


@pytest.mark.parametrize("first_mover", [True, False])
def test_equals_the_logistic_regression_of_statsmodels(first_mover):
    results = synthetic([0.5, 0.2, -0.1, -0.6], 150, np.random.default_rng(70), luck=1.0)
    ours = bradley_terry(results, first_mover=first_mover)
    y, x, deal = rows(results, first_mover)
    model = sm.GLM(y, x, family=sm.families.Binomial())
    plain = model.fit(tol=1e-14)
    robust = model.fit(tol=1e-14, cov_type="cluster", cov_kwds={"groups": deal, "use_correction": False})
    m = 4
    contrast = np.zeros((plain.params.size, len(ours.covariance)))  # from our parameters to theirs
    contrast[: m - 1, : m - 1], contrast[: m - 1, m - 1] = np.eye(m - 1), -1
    if first_mover:
        contrast[m - 1, m] = 1

    theta = np.append(ours.strength, [ours.first_move] if first_mover else [])
    assert contrast @ theta == pytest.approx(plain.params, abs=1e-8)
    assert contrast @ ours.model_covariance @ contrast.T == pytest.approx(plain.cov_params(), rel=1e-6, abs=1e-10)
    assert contrast @ ours.covariance @ contrast.T == pytest.approx(robust.cov_params() * 150 / 149, rel=1e-6, abs=1e-10)
    assert ours.difference("p0", "p3").estimate == pytest.approx(ELO * plain.params[0], abs=1e-8)
    assert ours.difference("p0", "p3").se == pytest.approx(ELO * robust.bse[0] * math.sqrt(150 / 149), rel=1e-6)


def test_equals_choix():
    results = synthetic([0.4, 0.1, 0, -0.5], 100, np.random.default_rng(71), seat=0)
    games = []
    for (i, j), scores in zip(results.pairs.tolist(), results.scores):
        games += [(i, j) if won else (j, i) for won in scores.ravel()]
    theirs = choix.opt_pairwise(4, games, method="Newton-CG", tol=1e-12)

    assert bradley_terry(results, first_mover=False).strength == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_deviance_is_that_of_statsmodels():
    results = synthetic([0.4, 0.1, 0, -0.5], 100, np.random.default_rng(72), seat=0.5)
    for first_mover, df in ((True, 12 - 4), (False, 6 - 3)):
        fit = bradley_terry(results, first_mover=first_mover).fit
        y, x, _ = rows(results, first_mover)
        cell, where = np.unique(x, axis=0, return_inverse=True)
        n = np.bincount(where.ravel())
        won = np.bincount(where.ravel(), weights=y)
        theirs = sm.GLM(np.column_stack([won, n - won]), cell, family=sm.families.Binomial()).fit(tol=1e-14)

        assert fit.deviance == pytest.approx(theirs.deviance, abs=1e-6)
        assert fit.df == theirs.df_resid == df


def test_davidson_equals_a_general_optimiser():
    results = synthetic([0.6, 0.1, -0.7], 300, np.random.default_rng(73), seat=0.3, nu=0.8)
    ours = bradley_terry(results, draws="davidson")
    y, x, _ = rows(results)

    def loss(theta):
        gap, log_nu = x @ theta[:3], theta[3]
        total = np.logaddexp(np.logaddexp(gap / 2, -gap / 2), log_nu)
        return -np.mean(np.where(y == 0.5, log_nu, gap * (y - 0.5)) - total)

    best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x
    assert [ours.strength[0] - ours.strength[2], ours.strength[1] - ours.strength[2]] == pytest.approx(best[:2], abs=1e-5)
    assert ours.first_move == pytest.approx(best[2], abs=1e-5)
    assert ours.draw == pytest.approx(math.exp(best[3]), abs=1e-4)
    assert ours.draw == pytest.approx(0.8, abs=0.2)
    theirs = np.linalg.inv(approx_hess(best, loss) * len(y))
    contrast = np.array([[1, 0, -1, 0, 0], [0, 1, -1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]])
    assert contrast @ ours.model_covariance @ contrast.T == pytest.approx(theirs, rel=1e-3, abs=1e-6)
    assert ours.expected("p0", "p1") == pytest.approx(np.mean([ours.expected("p0", "p1", s) for s in (0, 1)]))
    assert ours.covariance == pytest.approx(ours.model_covariance, rel=0.4, abs=5e-4)  # games are independent here
    assert ours.fit.df == 2 * 6 - 4


def test_davidson_without_draws_is_bradley_terry():
    results = synthetic([0.3, 0, -0.3], 100, np.random.default_rng(74))
    half, davidson = (bradley_terry(results, draws=d) for d in ("half", "davidson"))

    assert davidson.strength == pytest.approx(half.strength)
    assert davidson.draw == 0
    with pytest.raises(ValueError, match="needs scores 0, 1/2 and 1"):
        bradley_terry(collect({("a", "b"): np.random.default_rng(0).random((30, 2))}), draws="davidson")
    with pytest.raises(ValueError, match="all games were drawn"):
        bradley_terry(collect({("a", "b"): np.full((30, 2), 0.5)}), draws="davidson")
    with pytest.raises(ValueError, match="give 'half'"):
        bradley_terry(results, draws="none")


@pytest.mark.parametrize(("draws", "nu", "luck"), [("half", 0.0, 1.5), ("davidson", 0.7, 0.0), ("half", 0.7, 0.0)])
def test_intervals_of_differences_cover(draws, nu, luck):
    fields, m = 300, 4
    rng = np.random.default_rng(75)
    held = usual = total = first = 0
    for _ in range(fields):
        truth = rng.normal(0, 0.5, m)
        results = synthetic(truth, 150, rng, luck=luck, nu=nu)
        bt = bradley_terry(results, draws=draws)
        d = bt.differences()
        # luck and draws flatten the curve: the truth is then what endless deals would give
        real = ELO * (truth[:, None] - truth) if draws == "davidson" else ELO * limit(truth, luck, nu)
        i, j = np.triu_indices(m, 1)
        held += np.sum((d.low <= real)[i, j] & (real <= d.high)[i, j])
        v = np.diag(bt.model_covariance)[:m]
        spread = v[:, None] + v - 2 * bt.model_covariance[:m, :m]
        usual += np.sum((np.abs(d.estimate - real) <= 1.96 * ELO * np.sqrt(np.maximum(spread, 0)))[i, j])
        total += len(i)
        if draws == "davidson":
            e = bt.first_move_elo()
            first += e.low <= ELO * 0.2 <= e.high

    assert 0.93 <= held / total <= 0.97
    if draws == "davidson":
        assert 0.91 <= first / fields <= 0.985
    if nu > 0 and draws == "half":
        assert usual / total > 0.975  # draws vary less than 0 and 1, which the model does not know


def limit(truth, luck, nu):
    """Differences of ratings fitted to endless deals: `synthetic` with its expectations for scores."""
    z, w = np.polynomial.hermite_e.hermegauss(15)
    m, scores = len(truth), {}
    for i, j in combinations(range(m), 2):
        gap = (truth[i] - truth[j] + 0.2 * np.array([1, -1]))[None, :] + luck * z[:, None] * [1, -1]
        win, lose = np.exp(gap / 2), np.exp(-gap / 2)
        mean = w @ ((win + nu / 2) / (win + lose + nu)) / w.sum()
        scores[f"p{i}", f"p{j}"] = np.tile(mean, (30, 1))
    strength = bradley_terry(collect(scores)).strength
    return strength[:, None] - strength


def test_games_of_one_deal_count_as_they_depend():
    # mirrored games in which the deal decides: seats exchanged, the result is turned about
    rng = np.random.default_rng(76)
    won = (rng.random((4, 400)) < 0.5).astype(float)
    same = collect({("a", "b"): np.column_stack([won[0], won[0]])})
    mirrored = collect({("a", "b"): np.column_stack([won[0], 1 - won[0]])})

    doubled = bradley_terry(same).difference("a", "b")
    assert doubled.se == pytest.approx(math.sqrt(2) * ELO * math.sqrt(4 / 800), rel=0.02)
    assert bradley_terry(mirrored).difference("a", "b").se == pytest.approx(0, abs=1e-6)


def test_relabelling_and_the_anchor_change_nothing():
    results = synthetic([0.5, 0.2, -0.1, -0.6], 100, np.random.default_rng(77))
    names = [results.players[k] for k in (2, 0, 3, 1)]
    turned = collect({(b, a): results.pair(b, a) for a, b in combinations(names, 2)}, names)
    one, other = bradley_terry(results), bradley_terry(turned)

    for a, b in combinations(results.players, 2):
        d, e = one.difference(a, b), other.difference(a, b)
        assert (d.estimate, d.low, d.high) == pytest.approx((e.estimate, e.low, e.high), rel=1e-9)
        assert d.estimate == pytest.approx(-one.difference(b, a).estimate)
        elo = dict(zip(one.players, one.elo().cells()))
        assert d.estimate == pytest.approx(elo[a].estimate - elo[b].estimate)
    assert one.first_move == pytest.approx(other.first_move, abs=1e-10)
    assert one.fit.deviance == pytest.approx(other.fit.deviance, rel=1e-9)
    assert one.strength.sum() == pytest.approx(0, abs=1e-12)
    assert one.difference("p1", "p1").low == 0
    with pytest.raises(ValueError, match="no player"):
        one.difference("p0", "p9")


def test_the_model_s_matrix_holds_what_it_expects():
    bt = bradley_terry(synthetic([0.5, 0, -0.5], 100, np.random.default_rng(78)))

    assert bt.matrix()[0, 2] == pytest.approx(bt.expected("p0", "p2"))
    assert bt.matrix() + bt.matrix().T == pytest.approx(np.ones((3, 3)))
    assert bt.expected("p0", "p1", 0) > bt.expected("p0", "p1", 1)


def test_players_out_of_reach_are_named():
    half, won = np.tile([1, 0], (30, 1)), np.ones((30, 2))
    undefeated = collect({("a", "b"): won, ("a", "c"): won, ("b", "c"): half})
    apart = collect({("a", "b"): half, ("c", "d"): half})
    chain = collect({("a", "b"): half, ("b", "c"): won, ("c", "d"): half})

    with pytest.raises(ValueError, match="no finite ratings: b, c never scored against a;"):
        bradley_terry(undefeated)
    with pytest.raises(ValueError, match="a, b never scored against c, d;"):
        bradley_terry(apart)
    with pytest.raises(ValueError, match="c, d never scored against a, b;"):
        bradley_terry(chain)


def test_seats_that_decide_all_have_no_finite_rating():
    results = collect({("a", "b"): np.tile([1, 0], (30, 1))})

    with pytest.raises(ValueError, match="seats or draws decide"):
        bradley_terry(results)
    bt = bradley_terry(results, first_mover=False)
    assert bt.strength == pytest.approx([0, 0])
    with pytest.raises(ValueError, match="was not fitted"):
        bt.first_move_elo()


def test_pairs_that_have_not_met_are_rated_through_others():
    full = synthetic([0.5, 0, -0.5], 4000, np.random.default_rng(79))
    part = collect({p: full.pair(*p) for p in (("p0", "p1"), ("p1", "p2"))})
    d = bradley_terry(part).difference("p0", "p2")

    assert abs(d.estimate - ELO) < 4 * d.se
    assert d.se > bradley_terry(full).difference("p0", "p2").se


@pytest.mark.parametrize("luck", [0.0, 2.0])
def test_the_fit_test_rejects_what_it_should(luck):
    fields = 400
    rng = np.random.default_rng(80)
    plain, by_deal = [], []
    for _ in range(fields):
        # equal players: the model holds with any luck, which only ties the games of a deal together
        fit = bradley_terry(synthetic([0.0] * 4, 60, rng, seat=0, luck=luck)).fit
        plain.append(fit.p_value)
        by_deal.append(fit.deal_p_value)

    assert stats.kstest(by_deal, "uniform").pvalue > 1e-3
    if luck == 0:
        assert stats.kstest(plain, "uniform").pvalue > 1e-3
    else:
        assert stats.kstest(plain, "uniform").pvalue < 1e-3  # it takes tied games for independent ones


def test_the_fit_test_finds_rock_paper_scissors():
    rng = np.random.default_rng(81)
    p = {("r", "s"): 0.6, ("s", "p"): 0.6, ("p", "r"): 0.6}
    fit = bradley_terry(collect({k: (rng.random((300, 2)) < v).astype(float) for k, v in p.items()})).fit

    assert fit.p_value < 1e-6
    assert fit.deal_p_value < 1e-6
    assert fit.f_df == (2 * 3 - 3, 297)


def test_two_players_without_seats_always_fit():
    fit = bradley_terry(synthetic([0.2, -0.2], 50, np.random.default_rng(82)), first_mover=False).fit

    assert (fit.df, fit.p_value, fit.deal_p_value) == (0, 1, 1)
