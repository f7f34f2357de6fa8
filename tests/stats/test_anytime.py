"""Intervals that may be watched."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simkit.stats.anytime import beta_mixture, mixture_scale, normal_mixture, running_intersection
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import wilson
from simkit.stats.sequential import QUARTERS


def test_golden_values_of_the_beta_mixture():
    s = beta_mixture([5, 55, 550], [10, 100, 1000])

    assert s.low == pytest.approx([0.129219, 0.391991, 0.494227], abs=5e-7)
    assert s.high == pytest.approx([0.870781, 0.701433, 0.604945], abs=5e-7)


def test_the_price_of_a_tenth_of_a_per_cent():
    # games until the interval is ±0.1 % at p = 1/2; one game fewer or more changes half-widths by 1e-10 or so
    for games, weight in ((5_253_564, 1), (2_728_650, 1e4)):
        assert beta_mixture(games / 2, games, a=weight, b=weight).half_width == pytest.approx(0.001, rel=1e-6)
    games = 2_302_992
    mixture = normal_mixture(games, 0.5, target=games)

    assert mixture.half_width == pytest.approx(0.001, rel=1e-6)
    assert mixture.half_width / wilson(games // 2, games).half_width == pytest.approx(1.549, abs=5e-4)
    assert mixture_scale(8.21) == pytest.approx(1, abs=5e-4)
    assert mixture.half_width < min(normal_mixture(games, 0.5, target=t * games).half_width for t in (0.8, 1.25))


def test_sequences_at_the_edge():
    s = beta_mixture([0, 10, 0], [10, 10, 0])

    assert s.low.tolist()[::2] == [0, 0]
    assert s.high.tolist()[1:] == [1, 1]
    # without a success: 1 / (11 (1 - p)^10) = 20
    assert s.high[0] == pytest.approx(1 - (1 / 220) ** 0.1, rel=1e-12)
    empty = normal_mixture(0, 0.0)
    assert (empty.low, empty.high) == (0, 1)
    for bad in ({"a": 0}, {"level": 95}):
        with pytest.raises(ValueError, match="="):
            beta_mixture(1, 2, **bad)
    with pytest.raises(ValueError, match="negative"):
        normal_mixture(-1, 0.5)


@pytest.mark.parametrize("p", [0.01, 0.1, 0.5, 0.9])
def test_anytime_coverage_of_the_beta_mixture(p):
    paths = 2000
    n = np.unique(np.geomspace(5, 1e5, 50).astype(int))
    wins = np.random.default_rng(47).binomial(np.diff(n, prepend=0), p, size=(paths, len(n))).cumsum(axis=1)
    s = running_intersection(beta_mixture(wins, n))
    missed = np.mean((s.low[:, -1] > p) | (p > s.high[:, -1]))
    plain = wilson(wins, n)

    assert missed <= 0.05 + 3 * math.sqrt(0.0475 / paths)
    assert np.mean(((plain.low > p) | (p > plain.high)).any(axis=1)) > 0.15  # what watching the usual interval does


@pytest.mark.parametrize("own", [False, True])
def test_anytime_coverage_of_the_normal_mixture(own):
    paths, law, a = 2000, np.array([1, 3, 8, 4, 2]) / 18, np.array(QUARTERS)
    n = np.unique(np.geomspace(200, 1e5, 60).astype(int))
    steps = np.diff(n, prepend=0)
    rng = np.random.default_rng(48)
    counts = np.stack([rng.multinomial(k, law, size=paths) for k in steps], axis=1).cumsum(axis=1)
    mean = counts @ a / n
    sd = np.sqrt(counts @ a**2 / n - mean**2) if own else 0.5
    s = normal_mixture(n, mean, sd, target=5000)
    missed = np.mean(((s.low > law @ a) | (law @ a > s.high)).any(axis=1))

    assert missed <= 0.05 + 3 * math.sqrt(0.0475 / paths)
    assert missed > 0.002 if own else missed < 0.002  # the sample's own spread is not wasteful; 1/2 is


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_running_intersection_never_widens(games):
    s = running_intersection(beta_mixture(np.cumsum(games), np.arange(1, len(games) + 1)))

    assert np.all(np.diff(s.low) >= 0)
    assert np.all(np.diff(s.high) <= 0)


def test_running_intersection_keeps_the_narrowest():
    s = running_intersection(Estimate(np.array([0.5, 0.6, 0.5]), np.array([0.2, 0.4, 0.3]), np.array([0.8, 0.9, 0.7]), np.array([1, 2, 3])))

    assert s.low.tolist() == [0.2, 0.4, 0.4]
    assert s.high.tolist() == [0.8, 0.8, 0.7]
