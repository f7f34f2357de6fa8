"""Proportions, differences and means."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from simkit.stats import intervals
from simkit.stats.intervals import (
    all_lower,
    clopper_pearson,
    jeffreys,
    mean_interval,
    mean_interval_from_sums,
    newcombe,
    t_value,
    wilson,
    zero_upper,
)

METHODS = {"wilson": wilson, "jeffreys": jeffreys, "clopper_pearson": clopper_pearson}

# Golden values, 95 %: computed from the formulas in Brown, Cai, DasGupta 2001.
GOLDEN = [
    ("wilson", 550, 1000, ".519033", ".580585"),
    ("clopper_pearson", 550, 1000, ".518557", ".581148"),
    ("jeffreys", 550, 1000, ".519058", ".580653"),
    ("wilson", 1, 10, ".017876", ".404150"),
    ("clopper_pearson", 1, 10, ".002529", ".445016"),
    ("jeffreys", 1, 10, ".011012", ".381315"),
    ("wilson", 0, 10, ".000000", ".277533"),
    ("clopper_pearson", 0, 10, ".000000", ".308497"),
    ("jeffreys", 0, 10, ".000000", ".217196"),
    ("wilson", 0, 1000, ".000000", ".003827"),
    ("clopper_pearson", 0, 1000, ".000000", ".003682"),
]

# Exact coverage, mean and minimum over 2,000 equally spaced p from .001 to .999.
COVERAGE = [
    ("wald", 10, ".770", ".010"),
    ("wilson", 10, ".954", ".838"),
    ("jeffreys", 10, ".953", ".868"),
    ("clopper_pearson", 10, ".984", ".961"),
    ("wald", 100, ".924", ".095"),
    ("wilson", 100, ".951", ".861"),
    ("jeffreys", 100, ".950", ".881"),
    ("clopper_pearson", 100, ".965", ".950"),
    ("wald", 1000, ".947", ".632"),
    ("wilson", 1000, ".950", ".920"),
    ("jeffreys", 1000, ".950", ".917"),
    ("clopper_pearson", 1000, ".955", ".950"),
]


def wald_ends(n):
    """The interval nobody should use: it shows that the table is the published one."""
    p = np.arange(n + 1) / n
    half = intervals.z_value() * np.sqrt(p * (1 - p) / n)
    return p - half, p + half


def exact_coverage(low, high):
    """P(low(K) <= p <= high(K)) for K ~ Bin(n, p), for each p of the table's grid."""
    n = len(low) - 1
    p = np.linspace(0.001, 0.999, 2000)[:, None]
    inside = (low <= p) & (p <= high)
    return (stats.binom.pmf(np.arange(n + 1), n, p) * inside).sum(axis=1)


def printed(x):
    """x as the golden values print it: six decimals without a leading zero."""
    return f"{x:.6f}"[1:]


@pytest.mark.parametrize(("method", "k", "n", "low", "high"), GOLDEN)
def test_golden_values_to_all_printed_digits(method, k, n, low, high):
    interval = METHODS[method](k, n)

    assert (printed(interval.low), printed(interval.high)) == (low, high)
    assert (interval.estimate, interval.n) == (k / n, n)


@pytest.mark.parametrize(("method", "n", "average", "least"), COVERAGE)
def test_exact_coverage_table_to_all_printed_digits(method, n, average, least):
    if method == "wald":
        low, high = wald_ends(n)
    else:
        interval = METHODS[method](np.arange(n + 1), n)
        low, high = interval.low, interval.high
    coverage = exact_coverage(low, high)

    assert (f"{coverage.mean():.3f}"[1:], f"{coverage.min():.3f}"[1:]) == (average, least)


@pytest.mark.parametrize("n", [1, 2, 5, 37, 200])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_clopper_pearson_never_falls_under_its_level(n, level):
    interval = clopper_pearson(np.arange(n + 1), n, level)

    assert exact_coverage(interval.low, interval.high).min() >= level - 1e-12


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("wilson", "wilson"), ("clopper_pearson", "beta"), ("jeffreys", "jeffreys")],
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_equals_statsmodels_on_a_grid(ours, theirs, level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    inner = theirs == "jeffreys"  # theirs does not close the ends at k = 0 and k = n
    for n in (1, 2, 7, 30, 1000, 123_456, 10**9):
        k = np.unique(np.linspace(inner, n - inner, 23).astype(int)) if n > 1 or not inner else []
        for wins in k:
            low, high = proportion.proportion_confint(wins, n, 1 - level, theirs)
            interval = METHODS[ours](wins, n, level)
            assert interval.low == pytest.approx(low, abs=1e-12)
            assert interval.high == pytest.approx(high, abs=1e-12)


def test_newcombe_equals_statsmodels():
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for k1, n1, k2, n2 in [(56, 70, 48, 80), (9, 10, 3, 10), (10, 10, 0, 20), (5, 9000, 9, 8000)]:
        low, high = proportion.confint_proportions_2indep(k1, n1, k2, n2, method="newcomb")
        interval = newcombe(k1, n1, k2, n2)
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-12)
        assert (interval.estimate, interval.n) == (k1 / n1 - k2 / n2, n1 + n2)


def test_newcombe_published_example():
    # Newcombe 1998, table II (a), method 10: 56/70 - 48/80
    interval = newcombe(56, 70, 48, 80)

    assert f"{interval.low:.4f} {interval.high:.4f}" == "0.0524 0.3339"


def test_newcombe_turns_with_its_groups():
    one, other = newcombe(3, 10, 17, 40), newcombe(17, 40, 3, 10)

    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-15)


def test_newcombe_without_games_says_nothing():
    interval = newcombe(0, 0, 5, 10)
    known = wilson(5, 10)

    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high) == pytest.approx((-known.high, 1 - known.low))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_no_games_leave_everything_open(method):
    interval = method(0, 0)

    assert math.isnan(interval.estimate)
    assert (interval.low, interval.high, interval.n) == (0, 1, 0)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_arrays_give_the_same_as_numbers(method):
    k, n = np.array([0, 0, 3, 10]), np.array([0, 10, 10, 10])
    cells = method(k, n).cells()

    for cell, wins, games in zip(cells[1:], k[1:], n[1:], strict=True):
        assert cell == method(wins, games)
    assert [c.low for c in cells[:2]] == [0, 0]
    assert cells[3].high == 1


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_wins_and_losses_mirror(method):
    won, lost = method(7, 31), method(24, 31)

    assert (won.low, won.high) == pytest.approx((1 - lost.high, 1 - lost.low), abs=1e-14)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0.5, 5), (math.nan, 5), (0, -1)])
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_impossible_counts_are_refused(method, k, n):
    with pytest.raises(ValueError, match="successes"):
        method(k, n)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, math.nan])
def test_impossible_levels_are_refused(level):
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level)


@pytest.mark.parametrize("n", [1, 10, 1000, 10**8])
def test_zero_upper_is_the_exact_one_sided_limit(n):
    upper = zero_upper(n)

    assert n * math.log1p(-upper) == pytest.approx(math.log(0.05), rel=1e-12)
    assert all_lower(n) == 1 - upper
    assert upper == pytest.approx(clopper_pearson(0, n, level=0.9).high, rel=1e-7)


def test_zero_upper_of_arrays_and_of_no_games():
    assert zero_upper(0) == 1
    assert zero_upper(np.array([0, 10])).tolist() == [1, zero_upper(10)]


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("df", [1, 2, 29, 199, 200, 201, 1000, 10**6])
def test_t_value_equals_scipy(df, level):
    expected = stats.t.ppf(0.5 + level / 2, df)

    assert t_value(df, level) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [2, 30, 5000])
def test_mean_interval_equals_scipy(n):
    x = np.random.default_rng(1).normal(3, 2, n)
    ours = mean_interval(n, x.mean(), x.std(ddof=1))
    theirs = stats.ttest_1samp(x, 0).confidence_interval(0.95)

    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), rel=1e-9)
    assert ours.se == pytest.approx(stats.sem(x), rel=1e-12)


def test_mean_interval_of_one_game_and_of_none():
    one, none = mean_interval(1, 5.0, 0.0), mean_interval(0, 0.0, 0.0)

    assert (one.estimate, one.low, one.high) == (5, -math.inf, math.inf)
    assert math.isnan(none.estimate)
    assert math.isnan(one.se)


def test_mean_from_sums_keeps_bits_that_floats_lose():
    # half the values 10**9, half 10**9 + 1: sd 1/2 beside squares of 1e18
    n, v = 2 * 10**6, 10**9
    interval = mean_interval_from_sums(n, n // 2 * (2 * v + 1), n // 2 * (v**2 + (v + 1) ** 2))

    assert interval.estimate == v + 0.5
    assert interval.se == pytest.approx(0.5 / math.sqrt(n - 1), rel=1e-12)


def test_impossible_sums_are_refused():
    with pytest.raises(ValueError, match="overflow"):
        mean_interval_from_sums(10, 100, 999)
    with pytest.raises(ValueError, match="whole"):
        mean_interval_from_sums(10, 100.5, 2000)
    with pytest.raises(ValueError, match="negative"):
        mean_interval(10, 1.0, -1.0)


def test_the_path_of_a_run_loads_no_slow_library():
    code = (
        "import sys; from simkit.stats import intervals as i, stopping; "
        "i.wilson(3, 10); i.newcombe(3, 10, 4, 10); i.mean_interval(1000, 1.0, 1.0); "
        "i.zero_upper(10); stopping.FixedWidth(0.1).satisfied(i.wilson(3, 10)); "
        "print([m for m in ('scipy', 'pandas') if m in sys.modules])"
    )
    root = Path(intervals.__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)

    assert done.stdout.strip() == "[]"
