"""How a figure is printed."""

import dataclasses
import math

import numpy as np
import pytest

from simkit.stats.estimate import Estimate, decimals
from simkit.stats.intervals import wilson


def test_a_proportion_prints_in_percent_with_its_ends():
    text = wilson(498_700, 1_000_000).text(percent=True)

    assert text == "49.870 % (49.772–49.968, n = 1,000,000)"
    assert wilson(498_700, 1_000_000).text(percent=True, digits=2) == ("49.87 % (49.77–49.97, n = 1,000,000)")


def test_another_level_is_named():
    assert "99 %" in wilson(10, 100, level=0.99).text(percent=True)
    assert wilson(10, 100).text(percent=True).count("%") == 1


def test_a_mean_prints_with_its_half_width():
    mean = Estimate(281.4832, 281.0832, 281.8832, 20_000)

    assert mean.text(digits=1) == "281.5 ± 0.4 (95 %, n = 20,000)"
    assert str(mean) == "281.48 ± 0.40 (95 %, n = 20,000)"


def test_a_skew_interval_prints_its_ends():
    assert str(Estimate(37, 35, 40, 500)) == "37.0 (35.0–40.0, 95 %, n = 500)"
    assert str(Estimate(0, -3, 40, 500)) == "0 (-3 to 40, 95 %, n = 500)"
    assert Estimate(37, 35, math.inf, 5).text() == "37 (35–∞, 95 %, n = 5)"


def test_no_games_print_as_undefined():
    assert wilson(0, 0).text(percent=True) == "undefined (0–100, n = 0)"


def test_no_minus_before_a_zero():
    assert Estimate(-0.001, -1.001, 0.999, 10).text(digits=1) == "0.0 ± 1.0 (95 %, n = 10)"


@pytest.mark.parametrize(
    ("uncertainty", "expected"),
    [(0.4, 2), (0.0996, 2), (0.0994, 3), (9.96, 0), (1.23, 1), (12345, 0), (2e-7, 8)],
)
def test_two_significant_digits(uncertainty, expected):
    assert decimals(uncertainty) == expected


def test_digits_without_an_uncertainty():
    assert decimals(0.0, 5.0) == 0
    assert decimals(math.inf, 0.1234) == 4


def test_as_dict_has_four_plain_numbers():
    assert Estimate(np.float64(1), 0, 3, np.int64(7), se=0.5).as_dict() == {
        "estimate": 1.0,
        "low": 0,
        "high": 3,
        "n": 7,
    }
    assert type(wilson(3, 7).as_dict()["n"]) is int


def test_half_width_and_margin():
    skew = Estimate(1, 0, 4, 10)

    assert skew.half_width == 2
    assert skew.margin == 3


def test_arrays_split_into_cells():
    both = wilson([1, 5], [10, 20], level=0.9)

    assert both.cells() == [wilson(1, 10, level=0.9), wilson(5, 20, level=0.9)]
    assert str(both).splitlines() == [str(cell) for cell in both.cells()]
    with pytest.raises(ValueError, match="cells"):
        both.text()


def test_an_estimate_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        wilson(1, 2).n = 3


def test_the_noise_of_floats_has_no_decimals():
    assert Estimate(1.9e-14, 1.9e-14, 1.9e-14, 200).text() == "0 ± 0 (95 %, n = 200)"
    assert Estimate(0.5, 0.5 - 1e-17, 0.5 + 1e-17, 200).text().startswith("0.5000 ")
