"""The study of War's length says what its numbers allow, and nothing else."""

import math
from pathlib import Path

import numpy as np
import pytest

import simkit
from analyses import war_length as module
from simkit.stats.estimate import Estimate
from simkit.study import Definition, Study, StudyResult, find, perform

GAMES = 20_000


def study(games: int = GAMES) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(Definition("toy", "Toy", games, module.war_length, Path(module.__file__)), games, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


@pytest.fixture(scope="module")
def main():
    return simkit.run("war", GAMES * 3, columns="battles")


def with_lengths(result, lengths: np.ndarray):
    """The same result, had games been this long."""
    values, counts = np.unique(lengths, return_counts=True)
    result = simkit.Result(result.plan, result.tally, 0.0)
    result.distribution = lambda column: (values.astype(np.int64), counts.astype(np.int64))
    return result


def test_the_whole_study_agrees_with_published_figures():
    result = perform(find(["war_length"])[0], GAMES, progress=False)
    table = result.tables[0].frame.set_index("share of games")["battles"]

    median = table["50 %"]

    assert median.low <= 212 <= median.high  # source: docs/rules/war.md, rough anchors
    assert "seat_order" in said(Study(result))
    assert "Every further card face down makes the game shorter" in said(Study(result))


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        (lambda rng, n: rng.geometric(1 / 200, n), "consistent with an exponential law"),
        (lambda rng, n: np.ceil(100 * (1 + rng.pareto(2.0, n))), "more frequent than an exponential law allows"),
        (lambda rng, n: rng.integers(1, 1000, n), "rarer than an exponential law"),
    ],
)
def test_what_is_said_of_very_long_games_follows_the_numbers(main, lengths, words):
    s = study()

    module.tail(s, with_lengths(main, lengths(np.random.default_rng(1), 60_000)))

    assert words in said(s)
    assert s.result.figures


@pytest.mark.parametrize("games", [100, 2000])
def test_nothing_is_claimed_of_very_long_games_where_few_were_seen(games):
    s = study(games)

    module.tail(s, simkit.run("war", games, columns="battles"))

    assert not s.result.findings
    assert "few" in " ".join(block.text for block in s.result.blocks if block.kind == "text").lower()


def test_no_effect_is_claimed_where_there_is_none(monkeypatch):
    s = study(1000)
    whole = Study.sweep

    def all_alike(self, game, swept, games=None, **options):
        alike = {name: [simkit.games.find(game).by[name].default] * (11 if name == "face_down" else 1) for name in swept}
        return whole(self, game, alike, games, **options)

    monkeypatch.setattr(Study, "sweep", all_alike)
    module.face_down(s)
    module.short_war(s)

    assert "No effect of the number of cards face down is shown" in said(s)
    assert "shorter" not in said(s)
    assert "longer" not in said(s)


def test_orders_that_always_end_are_not_accused():
    s = study(2000)
    module.pickup(s)
    endless = next(each for each in s.result.findings if "without an end" in each)

    assert "seat_order" in endless
    assert "`winner_first`" not in endless
    assert "the other 8 orders no game of 200 each failed to end" in said(s)


def test_a_difference_must_be_clear_for_all_comparisons_at_once():
    barely = Estimate(1.0, 0.01, 1.99, 100)

    assert not module.near_zero(barely, 1)
    assert module.near_zero(barely, 9)
    assert not module.near_zero(Estimate(5.0, 4.0, 6.0, 100), 9)
    assert module.near_zero(Estimate(math.nan, math.nan, math.nan, 0), 9)


@pytest.mark.parametrize(("battles", "text"), [(212, "18"), (12, "1.0"), (math.inf, "–")])
def test_minutes(battles, text):
    assert module.minutes(battles) == text
