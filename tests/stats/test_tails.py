"""Exponential tails of whole numbers."""

import math

import numpy as np
import pytest
from scipy import stats

from simkit.stats import histogram as h
from simkit.stats import tails


def geometric(rng, n, scale, step=1, start=0):
    """Histogram of start + step Y with P(Y > j) = exp(-j step/scale)."""
    return h.from_samples(start + step * rng.geometric(-math.expm1(-step / scale), n))


def walk_lengths(width, turns, games):
    """Expected counts of the length of a fair walk from the middle of 0..width."""
    here = np.zeros(width + 1)
    here[width // 2] = 1
    counts = np.zeros(turns + 1, np.int64)
    for t in range(1, turns + 1):
        here = (np.roll(here, 1) + np.roll(here, -1)) / 2
        counts[t] = round(games * (here[0] + here[-1]))
        here[0] = here[-1] = 0
    return np.arange(turns + 1), counts


def test_scale_of_the_exact_walk_law():
    # exact: a fair walk over 52 cards decays by cos(pi/52) a turn, scale 547.61
    fit = tails.exponential_tail(*walk_lengths(52, 25_000, 1e16))

    assert fit.step == 2  # all lengths are even
    assert fit.scale.estimate == pytest.approx(-1 / math.log(math.cos(math.pi / 52)), rel=1e-6)
    assert f"{fit.scale.estimate:.2f}" == "547.61"
    assert fit.mean_excess.estimate == pytest.approx(fit.scale.estimate + 1, abs=0.01)


@pytest.mark.parametrize(("scale", "step", "start"), [(2.0, 1, 0), (40.0, 1, 3), (40.0, 7, 5)])
def test_scale_and_its_interval_cover_on_coarse_and_fine_lattices(scale, step, start):
    rng = np.random.default_rng(3)
    runs, n = 400, 2000
    fits = [tails.exponential_tail(*geometric(rng, n, scale, step, start), q=0.9) for _ in range(runs)]
    covered = sum(f.scale.low <= scale <= f.scale.high for f in fits)
    z = [(f.scale.estimate - scale) / f.scale.se for f in fits]

    assert all(f.step == step for f in fits)
    assert abs(covered - 0.95 * runs) < 4 * math.sqrt(runs * 0.95 * 0.05)
    assert abs(np.mean(z)) < 4 / math.sqrt(runs) + 0.1  # 0.1: skewness of e at about 200 games
    assert np.std(z) == pytest.approx(1, abs=4 / math.sqrt(2 * runs))


def test_se_is_scale_over_root_k_on_a_fine_lattice():
    fit = tails.exponential_tail(*geometric(np.random.default_rng(4), 100_000, 500.0))

    assert fit.scale.se == pytest.approx(fit.scale.estimate / math.sqrt(fit.k), rel=1e-5)
    assert fit.mean_excess.estimate == pytest.approx(fit.scale.estimate + 0.5, abs=1e-3)
    assert fit.k == fit.scale.n


def test_fit_by_hand():
    # 30 values at u + 1 and 30 at u + 3: mean excess 2, so r = 1/2
    fit = tails.exponential_tail([0, 1, 3], [60, 30, 30], q=0.5)

    assert (fit.threshold, fit.k, fit.step) == (0, 60, 1)
    assert fit.mean_excess.estimate == 2
    assert fit.mean_excess.se == pytest.approx(math.sqrt(2 / 60))
    assert fit.scale.estimate == pytest.approx(1 / math.log(2))


def test_a_tail_of_one_value_has_no_length():
    fit = tails.exponential_tail([0, 1], [60, 40], q=0.5)

    assert (fit.scale.estimate, fit.scale.se, fit.scale.low) == (0, 0, 0)
    assert 0 < fit.scale.high < 1


def test_tail_test_is_uniform_under_its_hypothesis():
    rng = np.random.default_rng(5)
    p = [tails.tail_test(*geometric(rng, 4000, s), q=0.8).p_value for s in [3.0, 30.0] * 150]

    assert stats.kstest(p, "uniform").pvalue > 1e-3


def test_tail_test_rejects_a_pareto_tail():
    x = np.ceil(50 * np.random.default_rng(6).pareto(2.0, 50_000)).astype(int)

    assert tails.tail_test(*h.from_samples(x)).p_value < 1e-6


def test_groups_of_the_test_hold_all_games():
    hist = geometric(np.random.default_rng(8), 20_000, 25.0)
    test = tails.tail_test(*hist)
    fit = tails.exponential_tail(*hist)
    last = h.survival_estimate(*hist, int(test.upper[-1]))

    assert test.observed.sum() == fit.k
    assert test.expected.sum() == pytest.approx(fit.k)
    assert test.observed[-1] == round(last.estimate * last.n)
    assert test.df == len(test.observed) - 2 == 8
    assert test.expected.min() >= 5


def test_few_games_make_few_groups():
    hist = geometric(np.random.default_rng(13), 700, 25.0)
    test = tails.tail_test(*hist)
    k = tails.exponential_tail(*hist).k

    assert 30 <= k < 50
    assert len(test.observed) <= k // 5


@pytest.mark.parametrize("shape", [-1e-9, 0.0, 1e-9, 1e-3])
def test_gpd_survival_is_smooth_at_the_exponential(shape):
    # series: ln P(excess > x) = -x + shape x²/2 - shape² x³/3, x in scales
    x = np.array([0.5, 1.0, 4.0])
    series = -x + shape * x**2 / 2 - shape**2 * x**3 / 3

    assert tails._gpd_log_survival(3 * x, 3.0, shape) == pytest.approx(series, rel=1e-7)
    assert tails._gpd_log_survival(x, 1.0, -0.25)[-1] == -math.inf  # the law ends at 4


def test_a_lattice_too_coarse_for_groups_is_refused():
    with pytest.raises(ValueError, match="groups"):
        tails.tail_test([0, 1], [100, 50], q=0.5)


@pytest.mark.parametrize("scale", [3.0, 200.0])
def test_gpd_shape_of_an_exponential_tail_holds_zero(scale):
    rng = np.random.default_rng(9)
    runs = 100
    shapes = [tails.gpd_shape(*geometric(rng, 4000, scale)) for _ in range(runs)]
    covered = sum(s.low <= 0 <= s.high for s in shapes)

    assert abs(covered - 0.95 * runs) < 4 * math.sqrt(runs * 0.95 * 0.05)
    assert abs(np.mean([s.estimate / s.se for s in shapes])) < 4 / math.sqrt(runs) + 0.15


@pytest.mark.parametrize("shape", [0.5, -0.25])
def test_gpd_shape_is_recovered(shape):
    x = stats.genpareto(shape, scale=200).rvs(100_000, random_state=np.random.default_rng(10))
    fit = tails.gpd_shape(*h.from_samples(np.ceil(x).astype(int)), q=0.5)

    assert abs(fit.estimate - shape) < 4 * fit.se
    # asymptotic variance (1 + shape)² / k
    assert fit.se == pytest.approx((1 + shape) / math.sqrt(fit.n), rel=0.05)


def test_gpd_shape_equals_the_continuous_fit_on_a_fine_lattice():
    x = stats.genpareto(0.2, scale=1e5).rvs(3000, random_state=np.random.default_rng(12))
    hist = h.from_samples(np.ceil(x).astype(int))
    ours = tails.gpd_shape(*hist, q=0.9)
    u = h.quantile(*hist, 0.9)
    theirs = stats.genpareto.fit(np.ceil(x)[np.ceil(x) > u] - u, floc=0)[0]

    assert ours.estimate == pytest.approx(theirs, abs=1e-3)


def test_lattice_step():
    assert tails.lattice_step([3, 9, 21], [1, 1, 1]) == 6
    assert tails.lattice_step([3, 4, 9, 21], [1, 0, 1, 1]) == 6
    assert tails.lattice_step([3], [5]) == 1


def test_tails_without_an_answer_are_refused():
    with pytest.raises(ValueError, match="lower q"):
        tails.exponential_tail(np.arange(100), np.ones(100, int), q=0.95)
    with pytest.raises(ValueError, match="step"):
        tails.exponential_tail(np.arange(1000), np.ones(1000, int), step=2)
    with pytest.raises(ValueError, match="one value"):
        tails.gpd_shape([0, 1], [60, 40], q=0.5)
