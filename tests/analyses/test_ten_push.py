"""The study of stopping and busting in TEN: it says what its numbers allow."""

import numpy as np
import pandas as pd
import pytest

from analyses import ten_push as module
from analyses._ten import Figures
from simkit.games import find
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 1000) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["ten_push"])[0], games, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


def figures(won: float, noise: float = 0.01, deals: int = 200, **columns: float) -> Figures:
    """A player that wins so much, in deals of luck that all such players share but for a little noise of their own."""
    luck, own = np.random.default_rng(1), np.random.default_rng(int(1000 * won))
    shares = won + 0.2 * luck.standard_normal(deals) + noise * own.standard_normal(deals)
    return Figures("x", pd.DataFrame({"win_share": shares, **{name: np.full(deals, value) for name, value in columns.items()}}))


def effect(middle: float, half: float = 0.01) -> Estimate:
    return Estimate(middle, middle - half, middle + half, 500, half / 2)


def test_a_threshold_that_loses_clearly_on_the_same_deals_is_no_candidate():
    tried = {5: figures(0.2), 6: figures(0.25), 7: figures(0.2505, noise=0.1)}
    best = module.best_threshold({5: tried[5], 6: tried[6]})

    assert best == 6
    assert 5 not in module.not_clearly_worse(tried, best)
    assert {6, 7} <= set(module.not_clearly_worse(tried, best))


def test_what_a_bust_costs_by_hand():
    base = Figures("x", pd.DataFrame({"score": [10.0, 12, 9, 11], "turns_number_bust": [1.0, 1, 0, 2], "turns_currency_bust": [0.0] * 4}))
    made = Figures(
        "x", pd.DataFrame({"score": [9.0, 12, 7, 10], "turns_number_bust": [2.0, 1, 1, 2], "turns_currency_bust": [0.0, 0, 0, 1]})
    )

    found = module.lost_a_bust(made, base, "score")

    assert found.estimate == pytest.approx(4 / 3)  # 1 + 0 + 2 + 1 points, for 3 busts more


@pytest.mark.parametrize(
    ("middles", "words"),
    [
        ([0.05, -0.05], ["can be right", "a: "]),
        ([-0.05, -0.05], ["wrong on every occasion"]),
        ([0.0, -0.05], ["clearly right on none of the 2", "b: "]),
        ([0.0, 0.005], ["On none of the 2 occasions tried is a bust on purpose clearly right or wrong"]),
    ],
)
def test_what_is_said_of_busts_on_purpose_follows_the_numbers(middles, words):
    s = study()

    module.say_whether_purpose_pays(s, {name: effect(middle) for name, middle in zip("ab", middles, strict=True)})

    assert all(word in said(s) for word in words)


def splits(*best: int) -> dict:
    """For each split the ways tried, of which one threshold wins clearly."""
    return {
        f"split {k}": {**{f"at T of {t}": figures(0.35 if t == winner else 0.25) for t in module.NEAR}, module.QUICK: figures(0.4)}
        for k, winner in enumerate(best)
    }


@pytest.mark.parametrize(
    ("best", "words"), [((6, 6, 6), "does not visibly hinge"), ((6, 7, 6), "**Hinges on a fact that could not be found**")]
)
def test_whether_it_hinges_on_the_split_follows_the_numbers(best, words):
    s = study()

    module.say_whether_splits_matter(s, splits(*best))

    assert words in said(s)
    assert "may hinge" not in said(s)


def test_a_verdict_on_the_plan_that_differs_is_told():
    s, played = study(), splits(6, 6)
    played["split 1"][module.QUICK] = figures(0.3)

    module.say_whether_splits_matter(s, played)

    assert "may hinge on the currency split" in said(s)


def test_the_rules_tried_are_legal_and_the_assumed_ones_come_first():
    assert next(iter(module.SPLITS.values())) == {}
    for rules in module.SPLITS.values():
        find("ten").read_rules(rules)
    assert set(module.NEAR) <= set(module.THRESHOLDS)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study():
    one, other = (perform(find_study(["ten_push"])[0], games=100, jobs=jobs, progress=False) for jobs in (1, 2))

    assert one.findings == other.findings
    assert [table.cells for table in one.tables] == [table.cells for table in other.tables]
