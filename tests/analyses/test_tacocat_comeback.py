"""The study of Tacocat's track: the law of coin flips by hand, scores from paths, and that it says what its numbers allow."""

from itertools import pairwise, product
from math import comb

import numpy as np
import pandas as pd
import pytest

import simkit
from analyses import tacocat_comeback as module
from simkit.study import Definition, StudyResult, perform
from simkit.study import find as find_study


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(definition(), games=150, progress=False)


def definition() -> Definition:
    return find_study(["tacocat_comeback"])[0]


@pytest.mark.parametrize("stand", module.STANDS)
def test_the_law_of_comebacks_by_listing_all_flips(stand):
    ahead, behind = stand
    left = 7 - ahead - behind
    won = sum(behind + sum(flips) >= 4 for flips in product((0, 1), repeat=left))

    assert module.comeback_law(ahead, behind) == won / 2**left


def test_the_law_is_that_of_negative_binomial_lengths():
    law = module.length_law()

    assert law == {rounds: 2 * comb(rounds - 1, 3) / 2**rounds for rounds in (4, 5, 6, 7)}
    assert sum(law.values()) == 1
    assert module.median_length() == 6
    assert module.comeback_law(0, 0) == 0.5
    assert module.comeback_law(0, 0, 1.0) == 1.0


def test_rounds_are_read_from_paths():
    paths = np.array([0b1_0000, 0b1_1010101, 0b1_01111, 0b1])

    assert module.rounds_won(paths).tolist() == [
        [0, 0, 0, 0, -1, -1, -1], [1, 0, 1, 0, 1, 0, 1], [0, 1, 1, 1, 1, -1, -1], [-1] * 7
    ]  # fmt: skip


def test_comebacks_are_counted_from_every_stand():
    class Made:
        frame = pd.DataFrame({"path": [0b1_0000, 0b1_1010101, 0b1_01111, 0b1_0011011, 0b1_00], "winner": [0, 1, 1, 1, -1]})

    assert module.comebacks(Made, 1, 0).above.tolist() == [False, False, True, True, False]
    assert module.comebacks(Made, 1, 0).below.tolist() == [True, True, True, True, False]  # who never finished counts in none
    assert module.comebacks(Made, 2, 0).below.tolist() == [True, False, False, True, False]
    assert module.comebacks(Made, 3, 2).below.tolist() == [False, True, False, True, False]
    assert module.comebacks(Made, 3, 2).above.tolist() == [False, False, False, True, False]


def test_paths_of_played_games_lead_to_the_winner():
    frame = simkit.run(
        "tacocat", 300, players="plain", columns="winner,path,decisive_rounds,first_round_winner", rows=True, progress=False
    ).frame
    won = module.rounds_won(frame["path"].to_numpy())

    assert (won >= 0).sum(axis=1).tolist() == frame["decisive_rounds"].tolist()
    assert won[:, 0].tolist() == frame["first_round_winner"].tolist()
    for row, winner in zip(won, frame["winner"], strict=True):
        played = row[row >= 0]
        assert (played == winner).sum() == 4
        assert played[-1] == winner


@pytest.mark.parametrize(("arrows", "changes"), [("to_trailing", True), ("to_leading", False)])
def test_the_arrow_points_to_whoever_lost_the_last_round(arrows, changes):
    """What the study says of the farther goal: the arrow's side wins exactly where the winner changes, whatever the score."""
    columns = "winner,path,decisive_rounds,arrow_rounds,arrow_wins"
    frame = simkit.run("tacocat", 300, players="guardian", rules={"arrows": arrows}, columns=columns, rows=True, progress=False).frame
    won = module.rounds_won(frame["path"].to_numpy())
    pairs = (won[:, :-1] >= 0) & (won[:, 1:] >= 0)
    other = pairs & ((won[:, :-1] != won[:, 1:]) == changes)

    assert frame["arrow_rounds"].tolist() == (frame["decisive_rounds"] - 1).tolist()
    assert frame["arrow_wins"].tolist() == other.sum(axis=1).tolist()


def test_the_chain_of_losers_is_that_of_coins_at_a_half():
    won, length = module.after_last(0.5)

    assert won == 1 - module.comeback_law(1, 0)
    assert length == sum(rounds * chance for rounds, chance in module.length_law().items())
    assert module.after_last(0.0) == (1, 4)
    assert module.after_last(1.0) == (1, 7)  # they win in turn, and the first has the last word


def test_a_share_and_a_difference_of_shares_have_the_spread_of_their_games():
    rng = np.random.default_rng(5)
    below = rng.integers(1, 6, 4000)
    above, better = rng.binomial(below, 0.4), rng.binomial(below, 0.5)
    one, other = module.Ratio(above, below), module.Ratio(better, below)

    assert one.estimate().estimate == pytest.approx(above.sum() / below.sum())
    assert one.estimate().se == pytest.approx(np.sqrt(0.24 / below.sum()), rel=0.1)
    assert other.less(one).estimate == pytest.approx(0.1, abs=0.03)
    assert other.less(one).low > 0
    assert one.less(one).low == one.less(one).high == 0
    assert module.Ratio(np.zeros(50), np.ones(50)).estimate().high == pytest.approx(1 - 0.05 ** (1 / 50))
    assert module.Ratio(np.zeros(50), np.zeros(50)).estimate().n == 0


def test_a_figure_is_held_against_the_law_by_its_interval():
    found = module.Ratio(np.repeat([1, 0], 50), np.ones(100)).estimate()

    assert [module.against(found, law) for law in (0.3, 0.5, 0.7)] == ["more often than", "about as often as", "less often than"]


def test_the_study_says_what_it_must(small):
    assert len(small.figures) >= 4
    assert len(small.tables) >= 4
    assert all("n = " in text for text in small.findings)
    assert "nan" not in " ".join(small.findings)
    for one, other in pairwise(sorted(small.findings)):
        assert one != other


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study(small):
    assert perform(definition(), games=150, jobs=1, progress=False).findings == small.findings
