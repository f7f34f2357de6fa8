"""The study of luck in Tichu: its parts against exact facts, and that it says what its numbers allow."""

from math import inf

import numpy as np
import pytest

import simkit
from analyses import tichu_luck as module
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 100) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["tichu_luck"])[0], games, 1), progress=False)


@pytest.fixture(scope="module")
def rounds():
    return module.cross(study(), "tichu", 200)


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(find_study(["tichu_luck"])[0], games=400, progress=False)


def made_up(teams: int, deals: int, sd: tuple[float, float, float]) -> np.ndarray:
    """Results with known standard deviations of the deal, of the pairs of teams, and of the rest."""
    rng = np.random.default_rng(8)
    of_deal, of_pair, rest = sd
    return (
        rng.normal(0, of_deal, deals)
        + rng.normal(0, of_pair, (teams, teams))[:, :, None]
        + rng.normal(0, rest, (teams, teams, deals)) if rest
        else rng.normal(0, of_deal, deals) + np.zeros((teams, teams, 1))
    )  # fmt: skip


def test_shares_of_the_variance_are_found_again():
    found = module.shares(made_up(12, 1000, (3, 2, 4)), seed=1)

    assert found["the deal"].low - 0.02 < 9 / 29 < found["the deal"].high + 0.02
    assert abs(found["the teams"].estimate - 4 / 29) < 0.08  # 144 pairs only
    assert sum(each.estimate for each in found.values()) == pytest.approx(1)


def test_results_that_are_all_deal_are_all_deal():
    found = module.shares(made_up(3, 200, (5, 0, 0)), seed=1)

    assert found["the deal"].estimate == pytest.approx(1)
    assert found["the teams"].estimate == pytest.approx(0, abs=1e-9)


def test_components_are_those_of_the_analysis_of_variance_by_hand():
    results = np.array([[1.0, 4.0, 2.0], [3.0, 8.0, 1.0]])  # two pairs, three deals
    grand = results.mean()
    ms_deal = 2 * ((results.mean(axis=0) - grand) ** 2).sum() / 2
    ms_pair = 3 * ((results.mean(axis=1) - grand) ** 2).sum() / 1
    rest = ((results - results.mean(axis=0) - results.mean(axis=1)[:, None] + grand) ** 2).sum() / 2
    parts = np.array([max(ms_deal - rest, 0) / 2, max(ms_pair - rest, 0) / 3, rest])

    found = module.components(results.sum(axis=0), results.sum(axis=1), float((results**2).sum()))

    np.testing.assert_allclose(found, parts / parts.sum())


def test_a_team_that_meets_itself_only_exchanges_the_hands(rounds):
    """A deterministic team against itself: with the hands exchanged the other side has the same result, so the cards decide everything."""
    for player in ("steady", "greedy_low"):
        itself = module.meeting(rounds, player, player)

        assert (itself.first == -itself.second).all()
        assert itself.both.std() == 0
        assert itself.to_tell(True) is None


def test_the_crossing_is_what_single_runs_give(rounds):
    frame = simkit.run("tichu", 200, players=["steady", "greedy_low", "steady", "greedy_low"], rows=True).frame

    i, j = module.PLAYERS.index("steady"), module.PLAYERS.index("greedy_low")
    assert (rounds[i, j] == frame["payoff_0"]).all()
    assert module.of_field(rounds, ("steady", "greedy_low"))[0, 1].tolist() == rounds[i, j].tolist()


def test_rounds_to_tell_two_teams_apart():
    rng = np.random.default_rng(3)
    luck, first, second = rng.normal(0, 100, 5000), rng.normal(0, 50, 5000), rng.normal(0, 50, 5000)
    each = module.Meeting(10 + luck + first, 10 - luck + second)
    own, twice = each.to_tell(False), each.to_tell(True)
    z = 1.6449 + 0.8416

    assert own.low <= (z / 10) ** 2 * 12_500 <= own.high
    assert twice.low <= 2 * (z / 10) ** 2 * 1250 <= twice.high  # the deal cancels: half the variance of a single result's rest
    assert each.saves().low < 5 < each.saves().high  # correlation -0.8
    assert own.low < own.estimate < own.high


def test_teams_that_may_be_equal_are_not_told_apart():
    rng = np.random.default_rng(4)
    each = module.Meeting(rng.normal(0, 100, 400), rng.normal(0, 100, 400))

    assert each.to_tell(False).high == inf
    assert module.count_text(each.to_tell(False)).startswith("not told apart")


def test_worth_of_cards_is_found_again():
    rng = np.random.default_rng(6)
    x = rng.integers(-2, 3, (4000, 3)).astype(float)
    found, fit = module.worth_of_cards(x, x @ [30, 0, -10] + rng.normal(0, 100, len(x)))

    for each, worth in zip(found, (30, 0, -10), strict=True):
        assert abs(each.estimate - worth) < 4 * each.se
    assert fit.shape == (4000,)


def test_teams_hold_all_the_cards():
    result = simkit.run("tichu", 100, players="random", columns="dealt_hand", rows=True)
    held = module.held_by_team(result)

    for k, name in enumerate(module.CARDS):
        assert set(np.abs(held[:, k]).tolist()) <= ({0, 2, 4} if name in ("an ace", "a king") else {1})


def test_the_study_says_what_it_must(small):
    assert len(small.figures) == 3
    assert all("n = " in text for text in small.findings)


def test_the_same_seed_gives_the_same_study(small):
    again = perform(find_study(["tichu_luck"])[0], games=400, jobs=1, progress=False)

    assert again.findings == small.findings
    assert [table.cells for table in again.tables] == [table.cells for table in small.tables]
