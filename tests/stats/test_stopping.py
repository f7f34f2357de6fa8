"""Run until the interval is narrow enough."""

import itertools
import math

import numpy as np
import pytest

from simkit.stats.estimate import Estimate
from simkit.stats.intervals import wilson
from simkit.stats.stopping import FixedWidth, games_for_mean, games_for_proportion, looks

# Coverage of ±.01 with looks every 100 games, from 20,000 runs.
TABLE = [(0.5, 0.952), (0.2, 0.950), (0.05, 0.954), (0.01, 0.978)]


def stopped(rule, p, schedule, runs, rng):
    """The Estimate (arrays over runs) at each run's first look that satisfies the rule."""
    schedule = np.array(schedule)
    steps = np.diff(schedule, prepend=0)
    wins = rng.binomial(steps, p, size=(runs, len(steps))).cumsum(axis=1)
    all_looks = wilson(wins, schedule)
    done = np.array(rule.satisfied(all_looks))
    assert done[:, -1].all(), "the schedule is too short for the rule"
    first = done.argmax(axis=1)[:, None]
    fields = (all_looks.estimate, all_looks.low, all_looks.high, all_looks.n)
    return Estimate(*(np.take_along_axis(f, first, axis=1)[:, 0] for f in fields))


@pytest.mark.parametrize(("p", "published"), TABLE)
def test_coverage_of_fixed_width_stopping(p, published):
    runs = 10_000
    rng = np.random.default_rng(20)
    end = stopped(FixedWidth(0.01), p, range(100, 10_001, 100), runs, rng)
    coverage = np.mean((end.low <= p) & (p <= end.high))

    # both figures are simulated, and the published one is rounded
    se = math.sqrt(published * (1 - published) * (1 / runs + 1 / 20_000))
    assert abs(coverage - published) < 4 * se + 0.0005
    assert end.half_width.max() <= 0.01
    assert end.n.min() >= 200


@pytest.mark.parametrize("p", [0.5, 0.1])
def test_coverage_with_the_schedule_of_a_run(p):
    runs = 10_000
    rule = FixedWidth(0.01)
    end = stopped(rule, p, list(rule.looks(12_000)), runs, np.random.default_rng(21))
    coverage = np.mean((end.low <= p) & (p <= end.high))

    assert abs(coverage - 0.95) < 4 * math.sqrt(0.0475 / runs) + 0.003  # the lattice of wins


def test_looks_grow_by_a_tenth_in_whole_thousands():
    first = list(itertools.islice(looks(), 60))

    assert first[:12] == [1000 * k for k in range(1, 12)] + [13_000]
    assert all(n % 1000 == 0 for n in first)
    for a, b in itertools.pairwise(first):
        assert 11 * a <= 10 * b < 11 * a + 10_000
    assert list(looks(10**7))[-1] == 10**7


def test_the_last_look_is_the_maximum():
    assert list(looks(2500)) == [1000, 2000, 2500]
    assert list(looks(2000)) == [1000, 2000]
    assert list(looks(7)) == [7]
    assert list(FixedWidth(0.1, minimum=2500).looks(4000)) == [3000, 4000]
    assert list(FixedWidth(0.1, minimum=2500).looks(2000)) == [2000]
    with pytest.raises(ValueError, match="at least one"):
        next(looks(0))


def test_satisfied_needs_width_and_games():
    rule = FixedWidth(0.1)

    assert rule.satisfied(wilson(100, 200)) is True
    assert rule.satisfied(wilson(50, 100)) is False  # narrow enough, too few
    assert wilson(50, 100).half_width < 0.1
    assert FixedWidth(0.01).satisfied(wilson(100, 200)) is False
    assert rule.satisfied(Estimate(1, -math.inf, math.inf, 1000)) is False
    assert rule.satisfied(Estimate(math.nan, math.nan, math.nan, 1000)) is False


def test_levels_must_agree():
    with pytest.raises(ValueError, match="level"):
        FixedWidth(0.1, level=0.99).satisfied(wilson(1, 2))


def test_games_for_a_tenth_of_a_per_cent():
    assert games_for_proportion(0.001) == 960_365  # (1.959964 / .002)²
    assert games_for_proportion(0.001, p=0) == 0
    assert games_for_mean(0.5, 10) == math.ceil((1.959964 * 20) ** 2)


@pytest.mark.parametrize("bad", [{"half_width": 0}, {"half_width": 1, "level": 95}, {"half_width": 1, "minimum": 1}])
def test_impossible_rules_are_refused(bad):
    with pytest.raises(ValueError, match="="):
        FixedWidth(**bad)


def test_planning_errors():
    with pytest.raises(ValueError, match="half_width"):
        games_for_mean(0, 1)
    with pytest.raises(ValueError, match="proportion"):
        games_for_proportion(0.1, p=2)


def test_the_rule_names_itself():
    assert str(FixedWidth(0.001)) == "fixed width ±0.001, approximately 95 %"
