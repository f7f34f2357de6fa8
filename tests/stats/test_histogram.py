"""Exact integer histograms."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from simkit.stats import histogram as h

samples = st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=60)
small = st.lists(st.integers(0, 9), min_size=1, max_size=40)
shares = st.fractions(0, 1)


@given(st.lists(st.lists(st.integers(-20, 20), max_size=30), max_size=5))
@settings(deadline=None)
def test_merged_histograms_are_the_histogram_of_all(parts):
    """Chunks lose nothing, whatever the chunking."""
    merged = h.merge(*(h.from_samples(part) for part in parts))
    whole = h.from_samples([x for part in parts for x in part])

    assert np.array_equal(merged, whole)
    assert h.total(*merged) == sum(map(len, parts))


@given(samples)
@settings(deadline=None)
def test_moments_equal_exact_fractions(xs):
    hist = h.from_samples(xs)
    exact = Fraction(sum(xs), len(xs))

    assert h.mean(*hist) == float(exact)
    if len(xs) > 1:
        spread = sum((x - exact) ** 2 for x in xs) / (len(xs) - 1)
        assert h.variance(*hist) == float(spread)


def test_moments_beyond_int64():
    values, counts = [3_000_000_000, 3_000_000_001], [10**17, 10**17]

    assert h.mean(values, counts) == 3_000_000_000.5
    assert h.variance(values, counts) == 0.25


@given(small, shares, st.integers(0, 5))
@settings(deadline=None)
def test_quantile_is_the_inverse_of_the_distribution_function(xs, q, infinite):
    """Smallest value with at least the share q at or below it."""
    everything = sorted(xs) + [math.inf] * infinite
    expected = next(x for x in everything if sum(y <= x for y in everything) >= q * len(everything))

    assert h.quantile(*h.from_samples(xs), q, infinite) == expected


@given(small, shares, shares)
@settings(deadline=None)
def test_quantiles_are_monotone(xs, p, q):
    hist = h.from_samples(xs)
    p, q = sorted((p, q))

    assert h.quantile(*hist, p) <= h.quantile(*hist, q)


def test_a_float_share_is_the_decimal_it_prints_as():
    values, counts = np.arange(1, 11), np.ones(10, int)

    assert [h.quantile(values, counts, q / 10) for q in range(1, 11)] == list(range(1, 11))
    assert h.quantile(values, counts, 0.1) == h.quantile(values, counts, "0.1") == 1
    assert h.quantile(values, counts, 0) == 1


def test_quantiles_stay_exact_where_floats_do_not():
    # 2**60 + 1 games: the median is the last game at 0, the next quantile is not
    values, counts = [0, 1], [2**59 + 1, 2**59]
    n = 2**60 + 1

    assert h.quantile(values, counts, Fraction(2**59 + 1, n)) == 0
    assert h.quantile(values, counts, Fraction(2**59 + 2, n)) == 1


def test_infinite_games_lie_beyond_all_values():
    values, counts = [1, 2], [3, 3]

    assert h.quantile(values, counts, 0.5, infinite=4) == 2
    assert h.quantile(values, counts, 0.61, infinite=4) == math.inf
    assert h.survival(values, counts, infinite=4).tolist() == [0.7, 0.4]
    assert h.quantile([], [], 0.5, infinite=1) == math.inf


@given(small)
@settings(deadline=None)
def test_summary_is_ordered_and_complete(xs):
    row = h.summary(*h.from_samples(xs))
    names = ["min", "q01", "q05", "q25", "median", "q75", "q95", "q99", "q999", "max"]
    ordered = [row[name] for name in names]

    assert list(row) == ("mean se low high sd min q01 q05 q25 median q75 q95 q99 q999 max n".split())
    assert ordered == sorted(ordered)
    assert (row["min"], row["max"], row["n"]) == (min(xs), max(xs), len(xs))
    assert row["low"] <= row["mean"] <= row["high"]


def test_summary_of_known_numbers():
    row = h.summary(np.arange(0, 1001), np.ones(1001, int))

    assert [row[q] for q in h.SUMMARY_QUANTILES] == [10, 50, 250, 500, 750, 950, 990, 999]
    assert row["mean"] == 500
    assert row["sd"] == math.sqrt(1001 * 1002 / 12)  # uniform on n whole numbers: n(n+1)/12
    assert row["se"] == pytest.approx(row["sd"] / math.sqrt(1001), rel=1e-15)


def test_values_that_never_occurred_change_nothing():
    assert h.summary([1, 2, 3, 4], [0, 5, 7, 0]) == h.summary([2, 3], [5, 7])


def test_summary_of_no_games_and_of_one():
    none, one = h.summary([], []), h.summary([5], [1])

    assert none["n"] == 0
    assert all(math.isnan(none[k]) for k in ("mean", "sd", "min", "median", "max"))
    assert (one["mean"], one["median"], one["low"], one["high"]) == (5, 5, -math.inf, math.inf)
    assert math.isnan(one["sd"])


@pytest.mark.parametrize("q", [0.001, 0.05, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("n", [1, 2, 10, 59, 400, 123_457])
def test_order_ranks_cover_and_are_the_narrowest(n, q):
    low, high = h.order_ranks(n, q)
    law = stats.binom(n, q)

    assert law.cdf(low - 1) <= 0.025
    assert law.cdf(low) > 0.025
    assert law.sf(high - 1) <= 0.025
    assert high == 1 or law.sf(high - 2) > 0.025
    assert law.cdf(high - 1) - law.cdf(low - 1) >= 0.95


def test_order_ranks_of_a_billion_games():
    low, high = h.order_ranks(10**9, 0.999)
    spread = math.sqrt(1e9 * 0.999 * 0.001)

    assert low == pytest.approx(999_000_000 - 1.96 * spread, abs=2)
    assert high == pytest.approx(999_000_000 + 1.96 * spread, abs=3)


@pytest.mark.parametrize("q", ["0.05", "0.5", "0.9"])
def test_quantile_interval_covers_on_a_discrete_law(q):
    """The ranks by exact binomials, and the intervals they make by simulation."""
    law, n = stats.geom(0.3), 60
    truth = int(law.ppf(float(q)))
    low, high = h.order_ranks(n, float(q))
    # X_(l) <= truth if at least l games are; X_(u) >= truth unless u games are below
    below, equal = law.cdf(truth - 1), law.pmf(truth)
    missed_high = stats.binom.sf(high - 1, n, below)
    missed_low = stats.binom.cdf(low - 1, n, below + equal)
    expected = 1 - missed_low - missed_high
    assert expected >= 0.95

    hits = 0
    rng = np.random.default_rng(7)
    for _ in range(400):
        interval = h.quantile_interval(*h.from_samples(law.rvs(n, random_state=rng)), q)
        hits += interval.low <= truth <= interval.high
    assert abs(hits - 400 * expected) < 4 * math.sqrt(400 * expected * (1 - expected)) + 1


def test_quantile_interval_ends_that_do_not_exist():
    values, counts = [4, 7], [5, 5]
    extreme = h.quantile_interval(values, counts, 0.999)
    early = h.quantile_interval(values, counts, 0.001, lowest=0)

    assert (extreme.estimate, extreme.high) == (7, math.inf)
    assert (early.estimate, early.low) == (4, 0)
    assert h.quantile_interval(values, counts, 0.001).low == -math.inf


def test_quantile_interval_counts_infinite_games():
    interval = h.quantile_interval([1, 2], [500, 30], 0.5, infinite=470)

    assert (interval.estimate, interval.low, interval.high) == (1, 1, math.inf)
    assert interval.n == 1000


def test_quantile_interval_at_known_ranks():
    # P(40 <= Bin(100, 1/2) < 61) = .9648: the textbook ranks for a median of 100
    interval = h.quantile_interval(np.arange(1, 101), np.ones(100, int), 0.5)

    assert (interval.estimate, interval.low, interval.high) == (50, 40, 61)


def test_dkw_band_holds_the_whole_law():
    law, n, runs = stats.geom(0.1), 200, 1000
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(runs):
        values, counts = h.from_samples(law.rvs(n, random_state=rng))
        _, low, high = h.dkw_band(values, counts, level=0.8)
        truth = law.cdf(values)
        missed += bool(np.any(truth > high) or np.any(truth < low))

    assert 0 < missed < runs * 0.2 + 4 * math.sqrt(runs * 0.2 * 0.8)


def test_dkw_band_by_hand():
    cdf, low, high = h.dkw_band([1, 2], [25, 50], infinite=25)
    half = math.sqrt(math.log(40) / 200)

    assert cdf.tolist() == [0.25, 0.75]
    assert (low[0], high[0]) == pytest.approx((0.25 - half, 0.25 + half))
    assert h.dkw_band([1], [4])[2].tolist() == [1]


def test_survival_estimate_counts_games_above():
    share = h.survival_estimate([1, 5, 9], [2, 3, 5], 5, infinite=10)

    assert (share.estimate, share.n) == (0.75, 20)
    assert h.survival_estimate([1, 5], [2, 3], 0).estimate == 1
    assert h.survival([1, 5, 9], [2, 3, 5]).tolist() == [0.8, 0.5, 0]


@pytest.mark.parametrize(
    ("values", "counts", "message"),
    [
        ([2, 1], [1, 1], "ascending"),
        ([1, 1], [1, 1], "ascending"),
        ([1, 2], [1, -1], "negative"),
        ([1, 2], [1], "equal rows"),
        ([1.5, 2], [1, 1], "whole"),
        ([[1]], [[1]], "equal rows"),
        (["a"], [1], "type"),
        (np.array([2**63], np.uint64), [1], "int64"),
    ],
)
def test_what_is_no_histogram_is_refused(values, counts, message):
    with pytest.raises(ValueError, match=message):
        h.total(values, counts)


def test_questions_without_an_answer_are_refused():
    with pytest.raises(ValueError, match="0 games"):
        h.quantile([], [], 0.5)
    with pytest.raises(ValueError, match="0 games"):
        h.mean([1], [0])
    with pytest.raises(ValueError, match="two values"):
        h.variance([1], [1])
    with pytest.raises(ValueError, match="between 0 and 1"):
        h.quantile([1], [1], 1.01)
    with pytest.raises(ValueError, match="strictly"):
        h.quantile_interval([1], [1], 1)
    with pytest.raises(ValueError, match="number of games"):
        h.quantile([1], [1], 0.5, infinite=-1)
