"""The comparison of the variants of War: exact facts, rough anchors, and that it says what its numbers allow."""

import numpy as np
import pytest

import simkit
from analyses import war_variants as module
from simkit.stats.estimate import Estimate
from simkit.study import Definition, StudyResult, perform
from simkit.study import find as find_study


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(definition(), games=2000, progress=False)


def definition() -> Definition:
    return find_study(["war_variants"])[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_first_battle_is_a_war_as_often_as_counting_says(players):
    games, exact = 200_000, float(module.FIRST_WAR[players])
    result = simkit.run("war" if players == 2 else "war-multi", games, rules={"players": players}, max_battles=1, columns="wars")
    counts = result.counts("wars")
    seen = int(counts.games[counts.values > 0].sum())

    assert abs(seen - games * exact) < 4 * np.sqrt(games * exact * (1 - exact))


def test_exact_chances_of_a_first_war_by_counting_hands():
    """4 copies of 13 ranks; the highest of P cards is shown more than once."""
    for players, exact in module.FIRST_WAR.items():
        alone = sum(4 * np.prod([4 * lower - k for k in range(players - 1)], dtype=float) for lower in range(13))
        ways = np.prod([52 - k for k in range(players)], dtype=float)
        assert float(exact) == pytest.approx(1 - players * alone / ways)


@pytest.mark.parametrize(
    ("name", "mean", "se"),
    [  # rules page, rough anchors of an independent implementation
        ("War, 2 players", 281.5, 1.6),
        ("War, 3 players", 441, 4),
        ("War, 4 players", 445, 4),
        ("Război, 2 players", 129.6, 0.8),
    ],
)
def test_lengths_are_near_the_rough_anchors(name, mean, se):
    variant = module.VARIANTS[name]
    length = simkit.run(variant.game, 10_000, rules={"players": variant.players}, columns="battles").mean("battles")

    assert abs(length.estimate - mean) < 4 * np.hypot(length.se, se)


def test_cards_in_play():
    assert [variant.cards for variant in module.VARIANTS.values()] == [52, 51, 52, 52, 51, 52]


def test_ratio_is_the_ratio_of_totals_with_the_games_as_units():
    result = simkit.run("war", 4000, columns="battles,wars", rows=True)
    share = module.ratio(result, "wars", "battles")

    assert share.estimate == pytest.approx(result.frame["wars"].sum() / result.frame["battles"].sum())
    assert share.n == 4000
    halves = [result.frame[k::40].sum() for k in range(40)]  # 40 independent groups
    spread = np.std([each["wars"] / each["battles"] for each in halves], ddof=1) / np.sqrt(40)
    assert 0.5 < share.se / spread < 2


def test_who_has_more_is_counted_among_won_games_that_are_not_level():
    result = simkit.run("war", 2000, columns="winner,battles_won", rows=True)
    frame = result.frame
    uneven = frame[(frame["battles_won_0"] != frame["battles_won_1"]) & (frame["winner"] >= 0)]
    right = (uneven["battles_won_1"] > uneven["battles_won_0"]) == (uneven["winner"] == 1)

    share = module.wins_with_more(result, "battles_won")
    assert share.n == len(uneven)
    assert share.estimate == pytest.approx(float(right.mean()))


def test_extremes_name_all_that_cannot_be_told_apart():
    figures = {
        "a": Estimate(3, 2.9, 3.1, 9),
        "b": Estimate(3.05, 2.95, 3.2, 9),
        "c": Estimate(1, 0.9, 1.1, 9),
        "d": Estimate(2, 1.9, 2.1, 9),
    }

    assert module.extremes(figures) == (["b", "a"], ["c"])
    assert "not clearly different" in module.named(["b", "a"], figures)
    assert "not clearly different" not in module.named(["c"], figures)


def test_the_study_says_what_it_must(small):
    assert small.questions
    assert small.methods
    assert len(small.figures) >= 5
    assert len(small.tables) >= 8
    assert all(block.caption for block in (*small.figures, *small.tables))
    assert all("n = " in text for text in small.findings if "changes its length clearly" not in text)
    assert "nan" not in " ".join(small.findings)


def test_the_same_seed_gives_the_same_study(small):
    again = perform(definition(), games=2000, jobs=1, progress=False)

    assert again.findings == small.findings
