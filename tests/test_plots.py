"""Figures: right, small, the same every time, and free of the state that pyplot keeps."""

import math
import re
import subprocess
import sys
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simkit
from simkit import plots
from simkit.stats.estimate import Estimate


@cache  # played when a test asks, not when tests are collected
def shuffled() -> simkit.Result:
    return simkit.run("war", 3000)


@cache
def looping() -> simkit.Result:
    return simkit.run("war", 300, pickup_order="seat_order")


ROWS = [Estimate(0.5, 0.4, 0.6, 100), Estimate(0.0, 0.0, 0.04, 100), Estimate(math.nan, -math.inf, math.inf, 0)]

FIGURES = {
    "length": lambda: shuffled().plot.length(),
    "few values": lambda: shuffled().plot.column("aces_0"),
    "one value": lambda: (
        simkit.run("war", 300, columns="draw_seats").plot.column("draw_seats")
        if "draw_seats" in shuffled().columns
        else shuffled().plot.column("capped")
    ),
    "unfinished": lambda: looping().plot.length(),
    "survival": lambda: shuffled().plot.survival(),
    "survival, unfinished": lambda: looping().plot.survival("battles"),
    "survivals": lambda: plots.survival({"shuffled": shuffled(), "by seat": looping()}),
    "outcomes": lambda: looping().plot.outcomes(),
    "bars": lambda: plots.bars(["a", "b", "c"], ROWS, x="share", percent=True),
    "dots": lambda: plots.dots(["a", "b", "c"], ROWS, x="share", reference=0.5),
    "lines": lambda: plots.lines([1, 2, 3], {"one": ROWS, "two": ROWS[::-1]}, xlabel="x", ylabel="y", percent=True, reference=0.2),
    "lines, log": lambda: plots.lines([1, 2], {"one": ROWS[:1] * 2}, xlabel="x", ylabel="y", log=True),
    "heat": lambda: plots.heat([ROWS, [None, *ROWS[:2]]], ["r", "s"], ["a", "b", "c"], percent=True, middle=0.5),
    "nothing": lambda: plots.distribution(np.empty(0, np.int64), np.empty(0, np.int64), x="battles"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_small_valid_svg_in_the_pages_colours(name):
    text = plots.svg(FIGURES[name](), alt='Bars & "lines"', name="one-1")
    root = ElementTree.fromstring(text)

    assert root.attrib["aria-label"] == 'Bars & "lines"'
    assert root.attrib["role"] == "img"
    assert len(text) < 60_000
    assert plots.INK not in text
    assert "#000000" not in text
    assert "currentColor" in text
    assert "<style" not in text
    assert "font-family" not in text
    assert "nan" not in text
    assert not re.search(r"\d{4}-\d\d-\d\d", text)
    assert list(root.iter("{http://www.w3.org/2000/svg}text")), "text stays text"


@pytest.mark.parametrize("name", FIGURES)
def test_the_same_figure_gives_the_same_bytes(name):
    assert plots.svg(FIGURES[name](), name="one") == plots.svg(FIGURES[name](), name="one")


def test_ids_of_two_figures_on_a_page_differ():
    first, second = (set(re.findall(r'\bid="([^"]+)"', plots.svg(shuffled().plot.length(), name=name))) for name in ("one", "two"))

    assert first
    assert not first & second


def test_every_reference_within_a_figure_is_there():
    text = plots.svg(plots.lines([1, 2], {"one": ROWS[:2]}, xlabel="x", ylabel="y"), name="one")

    assert set(re.findall(r'(?:href="|url\()#([^")]+)', text)) == set(re.findall(r'\bid="([^"]+)"', text))


def test_numbers_in_text_are_not_cut():
    figure, axes = plots.blank()
    axes.text(0.5, 0.5, "0.123456 and 7.65432")

    assert "0.123456 and 7.65432" in plots.svg(figure)


def test_text_in_matplotlibs_own_black_is_seen_in_the_dark():
    figure, axes = plots.blank()
    axes.text(0.5, 0.5, "black", color="black")
    axes.axvline(0.2, color="black")
    text = plots.svg(figure)

    assert '<svg xmlns="http://www.w3.org/2000/svg"' in text
    assert 'fill="currentColor"' in text
    assert "#000000" not in text


def test_figures_show_themselves_in_a_notebook():
    assert "<svg" in shuffled().plot.length()._repr_html_()


def test_figures_can_be_saved_as_pictures(tmp_path):
    shuffled().plot.length().savefig(tmp_path / "length.png")

    assert (tmp_path / "length.png").read_bytes()[:4] == b"\x89PNG"


def test_pyplot_is_never_loaded():
    code = "import sys, simkit.plots as p; p.svg(p.blank()[0]); sys.exit('matplotlib.pyplot' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_style_stays_within():
    import matplotlib

    before = dict(matplotlib.rcParams)
    plots.svg(shuffled().plot.length())

    assert dict(matplotlib.rcParams) == before


# ---- details


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=2000, unique=True), st.integers(4, 400))
def test_thinning_keeps_the_ends_and_few_points(values, most):
    x = np.sort(np.array(values))
    y = np.log(np.linspace(1, 1e-6, len(x)))

    kept = plots.thin(x, y, most)

    assert len(kept) <= max(most, 2)
    assert kept[0] == 0
    assert kept[-1] == len(x) - 1
    assert np.all(np.diff(kept) > 0)


def test_a_thinned_step_curve_is_off_by_one_part_at_most():
    x = np.arange(50_000)
    y = -x / 7000.0

    kept = plots.thin(x, y, 300)
    drawn = y[kept][np.searchsorted(x[kept], x, side="right") - 1]

    assert np.abs(drawn - y).max() <= np.ptp(y) / 148


@given(st.dictionaries(st.integers(0, 5000), st.integers(1, 50), min_size=1, max_size=300))
def test_bins_lose_no_game(histogram):
    values = np.array(sorted(histogram), np.int64)
    counts = np.array([histogram[value] for value in values.tolist()], np.int64)

    table, edges, cut = plots.binned(values, counts)

    assert table.sum() + cut == counts.sum()
    assert len(table) <= plots.BINS
    assert len(edges) == len(table) + 1
    assert cut <= 0.01 * counts.sum() + 1


@pytest.mark.parametrize(
    ("estimate", "percent", "text"),
    [
        (Estimate(281.5, 281.0, 282.0, 9), False, "281.50 ± 0.50"),
        (Estimate(0.5, 0.49, 0.51, 9), True, "50.0 ± 1.0 %"),
        (Estimate(0.003, 0.002, 0.0055, 9), True, "0.30 % (0.20–0.55)"),
        (Estimate(0.0, 0.0, 0.0000192, 9), True, "0 % (at most 0.0019)"),
        (Estimate(math.nan, -math.inf, math.inf, 0), False, "–"),
        (Estimate(5.0, -math.inf, math.inf, 1), False, "5 (-∞–∞)"),
    ],
)
def test_figures_in_few_letters(estimate, percent, text):
    assert plots.short(estimate, percent) == text


def test_estimates_of_a_sweep():
    sweep = simkit.sweep("war", {"face_down": [1, 2]}, 200, column="battles")

    lengths, wins = plots.estimates(sweep.frame, "battles"), plots.estimates(sweep.frame, "win_rate_0")

    assert lengths[0].estimate == sweep.results[0].mean("battles").estimate
    assert wins[1].as_dict() == sweep.results[1].win_rate(0).as_dict()
