"""Means and shares by deal: against the usual formulas, another library, and their own coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.stats.clusters import Sums, effect, mean_by_deal, share_by_deal
from simkit.stats.intervals import mean_interval, t_value

deals = st.lists(st.lists(st.integers(-1000, 1000), min_size=0, max_size=4), min_size=2, max_size=40)


def sums_of(x, m):
    x, m = np.asarray(x).astype(object), np.asarray(m).astype(object)
    return Sums(x.sum(), m.sum(), x @ x, x @ m, m @ m)


def test_with_deals_of_one_size_it_is_the_interval_of_the_deals_means():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 90, size=(200, 3)).sum(axis=1)
    ours, usual = mean_by_deal(200, sums_of(x, np.full(200, 3))), mean_interval(200, (x / 3).mean(), (x / 3).std(ddof=1))

    assert (ours.estimate, ours.low, ours.high, ours.se) == pytest.approx((usual.estimate, usual.low, usual.high, usual.se), rel=1e-12)
    assert ours.n == 200


@given(deals)
def test_the_sums_of_deals_of_any_size_give_the_residuals(rows):
    """Straight from the definition, deal by deal; cluster-robust, as regression programs call it."""
    x, m = [sum(row) for row in rows], [len(row) for row in rows]
    found = mean_by_deal(len(rows), sums_of(x, m))
    if not sum(m):
        assert math.isnan(found.estimate)
        return
    mean = sum(x) / sum(m)
    spread = sum((a - mean * b) ** 2 for a, b in zip(x, m))
    se = math.sqrt(spread * len(rows) / (len(rows) - 1)) / sum(m)

    assert found.estimate == pytest.approx(mean, rel=1e-12)
    assert found.se == pytest.approx(se, rel=1e-6, abs=1e-7)
    assert found.high - found.estimate == pytest.approx(t_value(len(rows) - 1) * found.se)


def test_it_is_the_cluster_robust_error_of_statsmodels():
    statsmodels = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(2)
    m = rng.integers(1, 5, size=300)
    deal = np.repeat(np.arange(300), m)
    y = rng.normal(size=300)[deal] * 10 + rng.integers(0, 20, size=len(deal))
    y = np.round(y).astype(np.int64)
    fit = statsmodels.OLS(y, np.ones(len(y))).fit(cov_type="cluster", cov_kwds={"groups": deal, "use_correction": False})
    found = mean_by_deal(300, sums_of(np.bincount(deal, weights=y).astype(np.int64), m))

    assert found.se == pytest.approx(float(fit.bse[0]) * math.sqrt(300 / 299), rel=1e-10)


@pytest.mark.parametrize("tied", [0.0, 0.6, -0.9])
def test_a_share_covers_whatever_ties_the_games_of_a_deal(tied):
    """Deals of two games that agree, or differ, more often than by chance."""
    rng, runs, n, p = np.random.default_rng(3), 4000, 80, 0.3
    first = rng.random((runs, n)) < p
    again = rng.random((runs, n)) < (abs(tied) if tied >= 0 else 0)
    never = rng.random((runs, n)) < (-tied if tied < 0 else 0)
    other = np.where(again, first, rng.random((runs, n)) < p)
    other = np.where(never & first, False, other)
    truth = (p + ((1 - never.mean()) * p if tied < 0 else p)) / 2 if tied >= 0 else (p + other.mean()) / 2
    inside, effects = 0, []
    for a, b in zip(first, other):
        sums = sums_of(a.astype(int) + b, np.full(n, 2))
        found = share_by_deal(n, sums)
        inside += found.low <= truth <= found.high
        effects.append(effect(n, sums))

    assert abs(inside / runs - 0.95) < 4 * math.sqrt(0.95 * 0.05 / runs) + 0.006
    assert np.mean(effects) > 1.4 if tied > 0 else np.mean(effects) < 1.1


def test_deals_that_are_all_alike_leave_room_for_another():
    other = 1 - 0.05 ** (1 / 50)
    never, half, always = (share_by_deal(50, sums_of(np.full(50, x), np.full(50, 2))) for x in (0, 1, 2))

    assert (never.estimate, never.low, never.high) == pytest.approx((0, 0, other))
    assert (half.estimate, half.low, half.high) == pytest.approx((0.5, 0.5 * (1 - other), 0.5 + 0.5 * other))
    assert (always.estimate, always.low, always.high) == pytest.approx((1, 1 - other, 1))
    assert math.isnan(effect(50, sums_of(np.full(50, 0), np.full(50, 2))))


def test_few_deals_say_little():
    assert (mean_by_deal(1, (5, 2, 25, 10, 4)).low, mean_by_deal(1, (5, 2, 25, 10, 4)).high) == (-math.inf, math.inf)
    assert (share_by_deal(1, (1, 2, 1, 2, 4)).low, share_by_deal(1, (1, 2, 1, 2, 4)).high) == (0, 1)
    assert math.isnan(share_by_deal(4, (0, 0, 0, 0, 0)).estimate)


@pytest.mark.parametrize("sums", [(5, 2, 1, 10, 4), (1, -2, 1, 2, 4), (1, 2, 1, 9, 4)])
def test_impossible_sums_are_refused(sums):
    with pytest.raises(ValueError, match="no deals have these sums"):
        mean_by_deal(10, sums)


def test_a_share_above_one_is_refused():
    with pytest.raises(ValueError, match="is no share"):
        share_by_deal(10, (30, 20, 90, 60, 40))


def test_long_games_do_not_overflow():
    x = np.array([10**9, 3 * 10**9, 2 * 10**9], object)
    found = mean_by_deal(3, sums_of(x, np.full(3, 2)))

    assert found.estimate == 1e9
    assert found.se == pytest.approx(0.5e9 / math.sqrt(3))
