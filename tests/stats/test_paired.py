"""Two players on the same deals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from simkit.stats.histogram import from_samples
from simkit.stats.paired import paired_difference, paired_from_histogram, paired_from_sums

results = st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=30, max_size=60)


def integer_sums(a, b):
    """The sums paired_from_sums takes."""
    a, b = [int(x) for x in a], [int(x) for x in b]
    pairs = list(zip(a, b, strict=True))
    squares = (sum(x * x for x in a), sum(y * y for y in b), sum(x * y for x, y in pairs))
    return len(a), sum(a), sum(b), *squares


@pytest.mark.parametrize("rho", [0.8, 0.3, -0.5])
def test_variance_reduction_of_a_known_correlation(rho):
    rng = np.random.default_rng(30)
    z = rng.normal(size=(2, 400_000))
    a, b = z[0], rho * z[0] + math.sqrt(1 - rho**2) * z[1]
    pair = paired_difference(a, b)

    assert pair.variance_reduction == pytest.approx(1 / (1 - rho), rel=0.02)
    assert pair.correlation == pytest.approx(rho, abs=0.01)
    assert pair.equivalent_games == pytest.approx(400_000 / (1 - rho), rel=0.02)
    assert abs(pair.difference.estimate) < 4 * pair.difference.se


def test_equivalent_games_give_the_same_standard_error():
    rng = np.random.default_rng(31)
    luck = rng.normal(size=5000)
    a, b = luck + rng.normal(size=5000), 2 * luck + rng.normal(size=5000)
    pair = paired_difference(a, b)
    independent = math.sqrt((a.var(ddof=1) + b.var(ddof=1)) / pair.equivalent_games)

    assert pair.difference.se == pytest.approx(independent, rel=1e-12)


def test_equals_the_paired_t_test():
    rng = np.random.default_rng(32)
    a, b = rng.normal(1, 2, 60), rng.normal(0, 2, 60)
    theirs = stats.ttest_rel(a, b).confidence_interval(0.95)
    ours = paired_difference(a, b).difference

    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), rel=1e-12)
    assert ours.n == 60


@given(results)
@settings(deadline=None)
def test_sums_and_histogram_agree_with_the_arrays(pairs):
    a, b = np.array(pairs).T
    rows = paired_difference(a, b)
    sums = paired_from_sums(*integer_sums(a, b))
    hist = paired_from_histogram(*from_samples(a - b))

    assert sums.difference == hist
    assert rows.difference.estimate == pytest.approx(hist.estimate, abs=1e-12)
    assert rows.difference.se == pytest.approx(hist.se, rel=1e-9, abs=1e-12)
    assert rows.correlation == pytest.approx(sums.correlation, abs=1e-9, nan_ok=True)
    assert rows.variance_reduction == pytest.approx(sums.variance_reduction, rel=1e-9, nan_ok=True)


def test_swapping_the_players_changes_only_the_sign():
    rng = np.random.default_rng(33)
    a, b = rng.integers(0, 9, (2, 50))
    one, other = paired_difference(a, b), paired_difference(b, a)

    assert one.difference.low == pytest.approx(-other.difference.high)
    assert one.variance_reduction == pytest.approx(other.variance_reduction)


def test_a_player_against_himself_differs_by_exactly_nothing():
    a = np.random.default_rng(34).integers(0, 9, 40)
    pair = paired_difference(a, a)

    assert (pair.difference.low, pair.difference.high) == (0, 0)
    assert pair.variance_reduction == math.inf
    assert pair.correlation == 1


def test_results_that_never_vary():
    flat = paired_difference(np.ones(30), np.ones(30))
    one = paired_difference(np.ones(30), np.arange(30))

    assert math.isnan(flat.correlation)
    assert math.isnan(flat.variance_reduction)
    assert math.isnan(one.correlation)
    assert one.variance_reduction == 1


def test_sums_beyond_int64_stay_exact():
    # A is 10**10 or 10**10 + 1 by turns, B always 10**10
    n, v = 10**6, 10**10
    a = (n // 2) * v + (n // 2) * (v + 1)
    aa = (n // 2) * (v * v + (v + 1) ** 2)
    pair = paired_from_sums(n, a, n * v, aa, n * v * v, v * a)

    assert pair.difference.estimate == 0.5
    assert pair.difference.se == pytest.approx(0.5 / math.sqrt(n - 1), rel=1e-12)


def test_the_text_says_what_pairing_gained():
    rng = np.random.default_rng(35)
    luck = rng.normal(size=1000)
    text = str(paired_difference(luck + 1, luck + rng.normal(size=1000)))

    assert "n = 1,000" in text
    assert "independent games a side" in text


def test_pairs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="pair them"):
        paired_difference(np.ones(30), np.ones(31))
    with pytest.raises(ValueError, match="29 deals"):
        paired_difference(np.ones(29), np.ones(29))
    with pytest.raises(ValueError, match="29 deals"):
        paired_from_sums(29, 0, 0, 0, 0, 0)
    with pytest.raises(ValueError, match="1 deals"):
        paired_from_histogram([3], [1])
    with pytest.raises(ValueError, match="overflow"):
        paired_from_sums(30, 0, 0, 30, 30, 31)
