"""Does a covariate explain who wins?"""

import math

import numpy as np
import pytest
from scipy import stats

from simkit.stats import association as a
from simkit.stats.intervals import wilson

X = np.array([-3.0, -1.0, 0.0, 2.0, 5.0, 9.0])
GAMES = np.array([50, 200, 0, 300, 120, 40])
WINS = np.array([10, 80, 0, 160, 80, 33])


def singles(x, wins, games):
    """One row per game: its covariate and 0 or 1."""
    rows = [(v, i < k) for v, k, n in zip(x, wins, games, strict=True) for i in range(n)]
    return np.array([r[0] for r in rows]), np.array([r[1] for r in rows], float)


def test_each_cell_has_its_wilson_interval():
    cells = a.win_probability(X, WINS, GAMES)

    assert list(cells) == X.tolist()
    assert cells[2.0] == wilson(160, 300)
    assert (cells[0.0].low, cells[0.0].high, cells[0.0].n) == (0, 1, 0)


def test_a_joint_table_gives_wins_and_games():
    wins, games = a.wins_and_games([[3, 4, 1], [5, 0, 0]])

    assert (wins.tolist(), games.tolist()) == ([4, 0], [8, 5])
    assert a.wins_and_games([[3, 4, 1]], won=2)[0].tolist() == [1]
    with pytest.raises(ValueError, match="rows"):
        a.wins_and_games([1, 2])


def test_cells_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one each"):
        a.win_probability([1, 2], [1], [2])
    with pytest.raises(ValueError, match="twice"):
        a.win_probability([1, 1], [1, 1], [2, 2])


@pytest.mark.parametrize("shift", [0.0, 1e4])
def test_logistic_equals_statsmodels(shift):
    sm = pytest.importorskip("statsmodels.api")
    keep = GAMES > 0
    design = sm.add_constant(X[keep] + shift)
    outcome = np.column_stack([WINS, GAMES - WINS])[keep]
    theirs = sm.GLM(outcome, design, family=sm.families.Binomial()).fit(tol=1e-14)
    ours = a.logistic(X + shift, WINS, GAMES)

    assert [c.estimate for c in ours.coefficients] == pytest.approx(theirs.params, rel=1e-8)
    assert [c.se for c in ours.coefficients] == pytest.approx(theirs.bse, rel=1e-8)
    limits = [[c.low, c.high] for c in ours.coefficients]
    assert np.allclose(limits, theirs.conf_int(), rtol=1e-8)
    assert np.allclose(ours.covariance, theirs.cov_params(), rtol=1e-8)


def test_logistic_of_two_covariates_equals_statsmodels_logit():
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(1)
    x = rng.normal(size=(400, 2)) * [1, 50]
    wins = (rng.random(400) < 1 / (1 + np.exp(0.3 - x @ [1.0, 0.02]))).astype(int)
    theirs = sm.Logit(wins, sm.add_constant(x)).fit(disp=0, tol=1e-12)
    ours = a.logistic(x, wins, np.ones(400, int))

    assert [c.estimate for c in ours.coefficients] == pytest.approx(theirs.params, rel=1e-8)
    assert [c.se for c in ours.coefficients] == pytest.approx(theirs.bse, rel=1e-8)
    assert ours.mcfadden_r2 == pytest.approx(theirs.prsquared, rel=1e-8)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-10)
    assert ours.probability(x) == pytest.approx(theirs.predict(), rel=1e-8)


def test_grouped_games_give_the_same_as_single_games():
    x, won = singles(X, WINS, GAMES)
    grouped, single = a.logistic(X, WINS, GAMES), a.logistic(x, won, np.ones(len(x)))

    assert grouped.slope.estimate == pytest.approx(single.slope.estimate, rel=1e-10)
    assert grouped.mcfadden_r2 == pytest.approx(single.mcfadden_r2, rel=1e-10)
    assert grouped.auc.estimate == pytest.approx(single.auc.estimate, rel=1e-12)
    assert grouped.auc.se == pytest.approx(single.auc.se, rel=1e-10)
    p = single.probability(x)
    efron = 1 - ((won - p) ** 2).sum() / ((won - won.mean()) ** 2).sum()
    assert grouped.explained == pytest.approx(efron, rel=1e-10)


def test_odds_ratio_of_a_two_by_two_table():
    # exact: the fit of two cells is the cross ratio, se² of its log the sum of 1/count
    fit = a.logistic([0, 1], [30, 60], [100, 100])
    ratio = (60 / 40) / (30 / 70)
    se = math.sqrt(1 / 30 + 1 / 70 + 1 / 60 + 1 / 40)

    assert fit.odds_ratio().estimate == pytest.approx(ratio, rel=1e-12)
    assert fit.slope.se == pytest.approx(se, rel=1e-12)
    assert fit.odds_ratio(2).estimate == pytest.approx(ratio**2, rel=1e-12)
    assert fit.intercept.estimate == pytest.approx(math.log(3 / 7), rel=1e-12)
    down = fit.odds_ratio(-1)
    assert down.estimate == pytest.approx(1 / ratio)
    assert down.high == pytest.approx(1 / fit.odds_ratio().low)


def test_logistic_intervals_cover():
    rng = np.random.default_rng(2)
    x, games, truth = np.arange(-5, 6), np.full(11, 40), 0.2
    p = 1 / (1 + np.exp(-truth * x))
    runs = 500
    slopes = [a.logistic(x, rng.binomial(games, p), games).slope for _ in range(runs)]
    covered = sum(s.low <= truth <= s.high for s in slopes)

    assert abs(covered - 0.95 * runs) < 4 * math.sqrt(runs * 0.95 * 0.05)


@pytest.mark.parametrize(
    ("x", "wins", "games", "message"),
    [
        ([0, 1], [0, 5], [5, 5], "separate"),
        ([0, 1, 2], [0, 3, 5], [5, 5, 5], "separate"),
        ([0, 1, 2], [0, 2, 5000], [5000, 4, 5000], "separate"),
        ([0, 1], [5, 5], [5, 5], "all or none"),
        ([1, 1], [2, 3], [5, 5], "same in all"),
        ([[0, 0], [1, 2], [2, 4]], [1, 2, 3], [5, 5, 5], "sum of others"),
        ([0, 1, 2], [1, 2], [5, 5], "rows"),
        ([0, math.nan], [1, 2], [5, 5], "finite"),
    ],
)
def test_fits_that_do_not_exist_are_refused(x, wins, games, message):
    with pytest.raises(ValueError, match=message):
        a.logistic(x, wins, games)


def test_a_steep_fit_is_not_taken_for_separation():
    fit = a.logistic([-9, -1, 0, 1, 9], [4, 20, 50, 80, 10**6 - 4], [10**6, 100, 100, 100, 10**6])

    assert fit.slope.estimate == pytest.approx(math.log(4), rel=0.01)


def test_auc_is_the_mann_whitney_share():
    x, won = singles(X, WINS, GAMES)
    u = stats.mannwhitneyu(x[won == 1], x[won == 0]).statistic
    area = a.auc(X, WINS, GAMES)

    assert area.estimate == pytest.approx(u / (WINS.sum() * (GAMES - WINS).sum()), rel=1e-12)
    assert a.auc(-X, WINS, GAMES).estimate == pytest.approx(1 - area.estimate, rel=1e-12)
    assert area.n == GAMES.sum()


def test_auc_se_by_all_pairs():
    """Three times as many lost as won: the two halves of the variance differ."""
    x, won = singles([1, 2, 3], [1, 3, 6], [10, 13, 17])
    high, low = x[won == 1], x[won == 0]
    ranked = (high[:, None] > low) + (high[:, None] == low) / 2
    variance = ranked.mean(axis=1).var() / len(high) + ranked.mean(axis=0).var() / len(low)

    assert a.auc(x, won, np.ones(40)).estimate == pytest.approx(ranked.mean(), rel=1e-12)
    assert a.auc(x, won, np.ones(40)).se == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_auc_interval_covers():
    rng = np.random.default_rng(3)
    x, games = np.arange(5), np.full(5, 60)
    p = np.array([0.2, 0.3, 0.5, 0.6, 0.8])
    score = np.subtract.outer(x, x)
    truth = (p @ ((score > 0) + (score == 0) / 2) @ (1 - p)) / (p.sum() * (1 - p).sum())
    runs = 1000
    areas = [a.auc(x, rng.binomial(games, p), games) for _ in range(runs)]

    # the group sizes vary and the cells are fixed, so the interval may be a little wide
    assert np.mean([s.low <= truth <= s.high for s in areas]) >= 0.95 - 4 * math.sqrt(0.0475 / runs)
    spread = np.std([s.estimate for s in areas])
    assert spread < 1.1 * np.mean([s.se for s in areas]) < 1.5 * spread


def test_auc_without_two_groups_is_refused():
    with pytest.raises(ValueError, match="rank"):
        a.auc([1, 2], [3, 3], [3, 3])


def test_variance_explained_is_the_correlation_ratio():
    x, won = singles(X, WINS, GAMES)
    within = sum(((won[x == v] - won[x == v].mean()) ** 2).sum() for v in set(x))
    share = 1 - within / ((won - won.mean()) ** 2).sum()
    n, m = len(x), 5

    assert a.variance_explained(WINS, GAMES, adjusted=False) == pytest.approx(share, rel=1e-12)
    expected = 1 - (1 - share) * (n - 1) / (n - m)
    assert a.variance_explained(WINS, GAMES) == pytest.approx(expected, rel=1e-12)
    assert math.isnan(a.variance_explained([5, 5], [5, 5]))


def test_adjusted_share_is_zero_on_average_without_effect():
    rng = np.random.default_rng(4)
    games = np.full(50, 10)
    shares = [a.variance_explained(rng.binomial(games, 0.5), games) for _ in range(400)]

    assert abs(np.mean(shares)) < 4 * np.std(shares) / 20


def test_correlation_equals_numpy_and_counts_repeat_pairs():
    x, won = singles(X, WINS, GAMES)
    table = np.column_stack([GAMES - WINS, WINS])
    single = a.correlation(x, won)
    joint = a.correlation_from_table(X, [0, 1], table)

    assert single.estimate == pytest.approx(np.corrcoef(x, won)[0, 1], rel=1e-12)
    assert joint.estimate == pytest.approx(single.estimate, rel=1e-12)
    assert (joint.low, joint.high) == pytest.approx((single.low, single.high), rel=1e-10)
    assert joint.n == len(x)


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_correlation_interval_covers_for_skew_pairs(rho):
    """y is 0 or 1 with a chance that depends on a skew x: nothing is normal here."""
    rng = np.random.default_rng(5)
    runs, n = 500, 400

    def pairs(size):
        x = rng.exponential(size=size)
        return x, (rng.random(size) < 0.2 + rho * (x > 1)).astype(float)

    truth = np.corrcoef(*pairs(4_000_000))[0, 1]
    found = [a.correlation(*pairs(n)) for _ in range(runs)]
    covered = sum(f.low <= truth <= f.high for f in found)

    assert abs(covered - 0.95 * runs) < 4 * math.sqrt(runs * 0.95 * 0.05)
    assert np.std([f.estimate for f in found]) == pytest.approx(found[0].se, rel=0.2)


def test_correlation_se_of_normal_pairs():
    # asymptotic se of a normal pair: (1 - rho²)/sqrt(n)
    z = np.random.default_rng(6).normal(size=(2, 100_000))
    found = a.correlation(z[0], 0.8 * z[0] + 0.6 * z[1])

    assert found.se == pytest.approx((1 - 0.8**2) / math.sqrt(100_000), rel=0.03)


def test_correlation_at_its_ends():
    x = np.arange(40.0)
    perfect, none = a.correlation(x, -2 * x), a.correlation(x, np.full(40, 0.1))

    assert perfect.estimate == pytest.approx(-1)
    assert (none.low, none.high) == (-1, 1)
    assert math.isnan(none.estimate)


def test_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="pair them"):
        a.correlation([1, 2], [1])
    with pytest.raises(ValueError, match="30 pairs"):
        a.correlation([1, 2], [1, 2])
    with pytest.raises(ValueError, match="does not fit"):
        a.correlation_from_table([1, 2], [1], [[1, 2]])
