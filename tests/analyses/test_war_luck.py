"""The study of luck in War: its parts against exact facts, and that it says what its numbers allow."""

from math import isclose, sqrt

import numpy as np
import pytest

import simkit
from analyses import war_luck as module
from simkit.game import CAPPED
from simkit.games import find
from simkit.replay import Replay
from simkit.simulate import make_plan
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import wilson
from simkit.study import Definition, StudyResult, perform
from simkit.study import find as find_study


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(definition(), games=2000, progress=False)


def definition() -> Definition:
    return find_study(["war_luck"])[0]


def test_exact_shares_of_aces_are_those_of_the_methods_page():
    shares = module.ace_shares()

    # source: C(4,k) C(48,26-k) / C(52,26)
    np.testing.assert_allclose(shares, [0.0552220888, 0.2496998800, 0.3901560624, 0.2496998800, 0.0552220888], atol=5e-11)
    assert isclose(sum(shares), 1)


def test_aces_are_dealt_as_often_as_counting_says():
    games = 100_000
    result = simkit.run("war", games, max_battles=1, columns="winner,aces")
    counts = result.counts("aces_0")

    for k, share in enumerate(module.ace_shares()):
        seen = int(counts.games[counts.values == k].sum())
        assert abs(seen - games * share) < 4 * sqrt(games * share * (1 - share))


@pytest.mark.parametrize(
    ("rules", "share", "games"),
    [
        # source: an independent simulation, linear fit of win on strength and aces; its own error is about 0.002
        ({"short_war_rule": "last_card_or_lose"}, 0.080, 100_000),
        ({"face_down": 1, "short_war_rule": "lose"}, 0.147, 100_000),
        ({"pickup_order": "winner_first", "face_down": 1, "short_war_rule": "last_card_or_lose"}, 0.181, 100_000),
    ],
)
def test_strength_and_aces_explain_about_as_much_as_an_independent_simulation_found(rules, share, games):
    fit = module.fit_deal(simkit.run("war", games, rules=rules, rows=True, columns="winner,aces,strength"))

    assert fit.share.low - 0.006 < share < fit.share.high + 0.006
    assert fit.strength_share.high < fit.share.low  # aces tell more than their points
    assert fit.auc.low > fit.strength_auc.high


def test_a_game_cut_off_is_the_same_game_up_to_the_cut():
    """Cards after t battles are those that a replay of the whole game shows."""
    cut = simkit.run("war", 30, max_battles=40, columns="cards_at_end,battles", rows=True).frame
    whole = simkit.run("war", 30, columns="winner,battles,cards_at_end", rows=True).frame
    assert (cut["outcome"] == CAPPED).sum() >= 20

    for number, row in cut.iterrows():
        if row["outcome"] == CAPPED:
            scenes = (event["scene"] for event in Replay(make_plan("war"), number) if "scene" in event)
            scene = next(scene for scene in scenes if scene["battle"] == 40)
            assert [row["cards_at_end_0"], row["cards_at_end_1"]] == [len(packet) for packet in scene["packets"]]
            assert whole.loc[number, "battles"] > 40
        else:
            assert row[["battles", "cards_at_end_0"]].tolist() == whole.loc[number, ["battles", "cards_at_end_0"]].tolist()


@pytest.mark.parametrize("battles", [25, 200])
def test_games_cut_off_and_whole_games_agree_on_who_is_done(battles):
    cut = simkit.run("war", 5000, max_battles=battles, columns="cards_at_end,battles,winner", rows=True).frame
    whole = simkit.run("war", 5000, columns="winner,battles", rows=True).frame
    done = cut["outcome"] != CAPPED

    assert (whole["battles"][done] <= battles).all()
    assert (whole["battles"][~done] >= battles).all()
    assert (whole["winner"][done] == cut["winner"][done]).all()
    assert (cut["cards_at_end_0"] + cut["cards_at_end_1"] == 52).all()


def test_moment_counts_by_hand():
    moment = module.Moment(10, np.array([True, True, True, True, False]), np.array([30, 30, 20, 26, 52]), np.array([0, 1, 1, 0, 0]))

    assert module.leader_wins(moment).estimate == pytest.approx(2 / 3)  # right, wrong, right; level and finished games are left out
    assert module.told_right(moment).estimate == pytest.approx((1 + 0 + 1 + 0.5 + 1) / 5)


def test_squared_correlation_has_zero_as_its_lower_end_where_the_sign_is_unknown():
    assert module.squared(Estimate(0.1, -0.2, 0.4, 50)).low == 0
    assert module.squared(Estimate(0.1, -0.2, 0.4, 50)).high == pytest.approx(0.16)
    assert module.squared(Estimate(-0.3, -0.4, -0.2, 50)).low == pytest.approx(0.04)


def test_groups_of_values_keep_every_game():
    values, games = np.arange(200, 220), np.full(20, 60)
    middles, estimates = module.binned(values, games // 2, games, width=5)

    assert sum(each.n for each in estimates) == games.sum()
    np.testing.assert_allclose(middles, [202, 207, 212, 217])
    assert all(each.estimate == 0.5 for each in estimates)


def test_few_cards_win_about_as_often_as_in_a_fair_walk_of_a_single_suit():
    """One suit, pots in random order: k of 52 cards win k in 52 games (exact)."""
    rules = {"ranks": 52, "copies": 1}
    winner = simkit.run("war", 20_000, rules=rules, columns="winner", rows=True).frame["winner"]
    cards = simkit.run("war", 20_000, rules=rules, max_battles=60, columns="cards_at_end", rows=True).frame["cards_at_end_0"]
    few = cards <= 20
    expected, n = float(cards[few].mean()) / 52, int(few.sum())

    assert abs(float((winner[few] == 0).mean()) - expected) < 4 * sqrt(expected * (1 - expected) / n)


def test_the_study_says_what_it_must(small):
    assert small.questions
    assert small.methods
    assert len(small.figures) >= 5
    assert len(small.tables) >= 5
    assert all(block.caption for block in (*small.figures, *small.tables))
    assert all("n = " in text or "games" in text for text in small.findings)
    assert "nan" not in " ".join(small.findings)


def test_a_small_study_claims_less_than_a_large_one(small):
    """From 2,000 games, with four aces in about 110 hands, the rules cannot always be told apart; nothing is claimed without an interval."""
    assert all("%" in text or "±" in text or "(" in text for text in small.findings)


def test_the_same_seed_gives_the_same_study(small):
    again = perform(definition(), games=2000, jobs=1, progress=False)

    assert again.findings == small.findings
    assert [table.cells for table in again.tables] == [table.cells for table in small.tables]


def test_the_settings_are_legal_and_the_defaults_come_first():
    assert next(iter(module.SETTINGS.values())) == {}
    for rules in module.SETTINGS.values():
        find("war").read_rules(rules)
    assert set(module.SHOWN_BATTLES) <= set(module.BATTLES)
    assert 100 in module.BATTLES  # `tell_of_cards` speaks of it


def test_wins_by_counts_draws_as_not_won():
    result = simkit.run("war", 3000, ranks=3, copies=2, face_down=1, short_war_rule="lose", columns="winner,aces,strength")
    _, wins, games = module.wins_by(result, "aces_0")

    assert result.draw_rate().estimate > 0
    assert games.sum() == 3000
    assert wilson(int(wins.sum()), 3000).estimate == result.win_rate(0).estimate
