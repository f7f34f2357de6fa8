"""The study of calls in Tichu: its parts against exact facts, and that it says what its numbers allow."""

from math import comb, sqrt

import numpy as np
import pytest

import simkit
from analyses import _tichu as shared
from analyses import tichu_calls as module
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 300) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["tichu_calls"])[0], games, 1), progress=False)


@pytest.fixture(scope="module")
def base():
    return simkit.run("tichu", 2000, players=module.PLAYER, columns=module.COLUMNS + ",dealt_hand", rows=True)


@pytest.fixture(scope="module")
def grand():
    return module.forced(study(), "steady[grand=always]", "steady[grand=never]", "high_first_0", module.GRAND_VALUE)


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(find_study(["tichu_calls"])[0], games=400, progress=False)


def test_cards_of_hands_are_counted_as_the_game_counts_them(base):
    first, dealt = shared.by_seat(base, "first_hand"), shared.by_seat(base, "dealt_hand")
    high = sum(shared.count_cards(first, shared.CARDS[name]) for name in ("Dragon", "Phoenix", "an ace"))

    assert (high == shared.by_seat(base, "high_first")).all()
    for name, cards in shared.CARDS.items():
        assert (shared.count_cards(dealt, cards).sum(axis=1) == (4 if name in ("an ace", "a king") else 1)).all()


def test_kinds_of_first_hands_are_as_frequent_as_counting_says(base):
    hands = shared.by_seat(base, "first_hand")[:, 0]
    n = len(hands)
    ways = {"Dragon and Phoenix, no ace": comb(50, 6), "two aces only": comb(4, 2) * comb(50, 6), "none": comb(50, 8)}

    for name, found in module.first_eight(hands).items():
        if name in ways:
            share = ways[name] / comb(56, 8)
            assert abs(found.sum() - n * share) < 4 * sqrt(n * share * (1 - share))


def test_kinds_of_first_hands_exclude_each_other(base):
    found = np.array(list(module.first_eight(shared.by_seat(base, "first_hand")).values()))

    assert found.sum(axis=0).max() == 1


def test_a_forced_call_is_made_in_every_round_and_pairs_the_deals(grand):
    assert set(grand.bet.tolist()) == {module.GRAND_VALUE, -module.GRAND_VALUE}
    assert len(grand.made) <= 300
    assert grand.called.shape == grand.silent.shape == (len(grand.made), 2)


def test_the_chance_that_breaks_even_is_half_and_the_points_given_up(grand):
    """1/2 + (V0 - V1)/400, V1 without the bet (docs/rules/tichu.md, 8); it exceeds the success by the loss of calling over 400."""
    every = np.ones(len(grand.made), bool)
    v0 = (grand.silent[:, 0] - grand.silent[:, 1]).mean()
    v1 = (grand.called[:, 0] - grand.called[:, 1] - grand.bet).mean()
    found = grand.break_even(every)

    assert found.estimate == pytest.approx(0.5 + (v0 - v1) / 400)
    assert grand.success(every).estimate - found.estimate == pytest.approx(grand.worth(every).estimate / 400)


def test_zero_of_a_line_finds_where_it_crosses():
    rng = np.random.default_rng(5)
    x = rng.uniform(0.2, 0.8, 4000)
    found = module.zero_of_line(x, 300 * (x - 0.57) + rng.normal(0, 200, len(x)))

    assert found is not None
    assert abs(found.estimate - 0.57) < 4 * found.se
    assert 0.003 < found.se < 0.03
    assert module.zero_of_line(x, rng.normal(0, 200, len(x))) is None or abs(found.estimate) < 10


def test_chances_to_win_of_a_game_of_halves():
    """Each round gives 1000 points to either team: the first round decides, whatever the score; at like scores it is even."""
    chance = module.chances_to_win(np.array([[400, 0], [0, 400]]))

    assert module.at_score(chance, 0, 0) == pytest.approx(0.5, abs=1e-3)
    assert module.at_score(chance, 600, 600) == pytest.approx(0.5, abs=1e-3)
    assert module.at_score(chance, 600, 200) == pytest.approx(0.75, abs=1e-3)  # needs one of the next two
    assert module.at_score(chance, 1000, 995) == 1
    assert module.at_score(chance, 995, 1000) == 0
    assert module.at_score(chance, 1100, 1100) == 0.5


def test_chances_to_win_are_those_of_matches_played_from_such_rounds(base):
    scores = base.frame[["score_0", "score_1"]].to_numpy()
    chance = module.chances_to_win(scores)
    rng = np.random.default_rng(2)
    both = np.concatenate([scores, scores[:, ::-1]])
    wins, n = 0, 3000
    for _ in range(n):
        total = np.array([700, 500])
        while total.max() < module.TARGET or total[0] == total[1]:
            total = total + both[rng.integers(len(both))]
        wins += int(total[0] > total[1])
    expected = float(module.at_score(chance, 700, 500))

    assert abs(wins / n - expected) < 4 * sqrt(expected * (1 - expected) / n) + 2e-3
    assert np.allclose(chance + chance.T, 1, atol=2e-3)
    inner = chance[:200, :200]
    assert (np.diff(inner, axis=0) > -2e-3).all()


def test_far_from_the_end_a_chance_to_win_asks_for_what_points_ask_for(grand):
    """With a straight line as the chance to win the ratio is the formula in points."""
    m = (module.TARGET + module.REACH - module.LOWEST) // module.STEP + 1
    line = np.subtract.outer(np.arange(m), np.arange(m)) / (2 * m) + 0.5
    every = np.ones(len(grand.made), bool)
    found, gain = module.break_even_at(line, grand, every, 0, 0)

    assert found.estimate == pytest.approx(grand.break_even(every).estimate)
    assert found.high - found.low == pytest.approx(grand.break_even(every).high - grand.break_even(every).low)
    assert gain.estimate == pytest.approx(grand.worth(every).estimate / (2 * m * module.STEP))


def test_a_place_next_to_people_is_claimed_only_outside_their_band():
    assert module.place(Estimate(0.1, 0.08, 0.12, 50), (0.139, 0.130)) == "below"
    assert module.place(Estimate(0.1, 0.08, 0.131, 50), (0.139, 0.130)) == ""
    assert module.place(Estimate(0.15, 0.14, 0.16, 50), (0.139, 0.130)) == "above"
    assert module.place(Estimate(0.135, 0.134, 0.136, 50), (0.139, 0.130)) == ""


def test_habits_by_hand(base):
    frame, kept = base.frame, module.without_double_bets(base)
    found = module.habits(base)
    calls = frame.loc[kept, [f"call_{seat}" for seat in range(4)]].to_numpy()
    made = frame.loc[kept, [f"call_success_{seat}" for seat in range(4)]].to_numpy()

    assert found["Grand Tichu called"].estimate == pytest.approx((calls == 4).mean())
    assert found["Tichu made"].estimate == pytest.approx((made[(calls > 0) & (calls < 4)] == 1).mean())
    assert found["double victory"].n == kept.sum()


def test_a_comparison_counts_the_points_of_a_team_once():
    """A team that gains 10 points a round is 20 ahead of the other in payoff."""
    met = simkit.compare("tichu", "greedy_low", "random", 200, progress=False)
    first = simkit.run("tichu", 200, players=["greedy_low", "random", "greedy_low", "random"], rows=True).frame["payoff_0"]
    second = simkit.run("tichu", 200, players=["random", "greedy_low", "random", "greedy_low"], rows=True).frame["payoff_1"]

    assert shared.lead_by_deal(met).estimate == pytest.approx((first.mean() + second.mean()) / 2)
    assert shared.lead_by_deal(met).n == 200
    assert met.payoff_difference.estimate / 2 == pytest.approx(shared.lead_by_deal(met).estimate)


def test_opponents_are_the_seats_beside():
    held = np.array([[True, False, False, False], [False, False, False, True], [False, False, False, False]])

    assert module.others_hold(held).tolist() == [[False, True, False, True], [True, False, True, False], [False] * 4]


def test_means_of_values_all_alike_allow_for_others():
    same = shared.mean_of(np.zeros(100), most=10)

    assert same.low < 0 < same.high < 1
    assert shared.sign(same) == 0


def test_the_study_says_what_it_must(small):
    assert len(small.figures) >= 5
    assert len(small.tables) >= 5
    assert all("n = " in text for text in small.findings)


def test_the_same_seed_gives_the_same_study(small):
    again = perform(find_study(["tichu_calls"])[0], games=400, jobs=1, progress=False)

    assert again.findings == small.findings
