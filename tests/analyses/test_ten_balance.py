"""The study of TEN's balance: its decks and figures against the rules page, and that it says what its numbers allow."""

import numpy as np
import pytest

import simkit
from analyses import ten_balance as module
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult
from simkit.study import find as find_study


def study() -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["ten_balance"])[0], 1000, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


def estimate(middle: float, half: float = 0.01) -> Estimate:
    return Estimate(middle, middle - half, middle + half, 500, half / 2)


def table(games: int = 60, **rules):
    return simkit.run(
        "ten", games, players="random", columns=",".join(["deck_size", *module.COLUMNS]), rows=True, progress=False, rules=rules
    )


@pytest.mark.parametrize("players", module.ASSUMED)
def test_the_assumed_deck_written_out_is_the_default(players):
    written = table(players=players, **module.DECKS[module.ASSUMED[players]])

    assert written.frame.equals(table(players=players).frame)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", module.DECKS)
def test_decks_have_the_cards_they_are_named_for(players, name):
    assert (table(2, players=players, **module.DECKS[name]).frame["deck_size"] == int(name.split()[1])).all()


def test_every_split_has_27_currency_cards():
    for rules in module.SPLITS.values():
        assert (table(2, **rules).frame["deck_size"] == 129).all()


def test_each_setting_is_told_apart_and_one_of_each_number_of_players_is_assumed():
    assert len({setting.name for setting in module.SETTINGS}) == len(module.SETTINGS)
    for players in (2, 3, 4):
        assert sum(setting.assumed for setting in module.SETTINGS if setting.players == players) == 1


@pytest.mark.parametrize("players", module.COUNTS)
def test_places_share_the_wins(players):
    result = table(players=players)
    found = module.places(result)
    starts = [row[f"win_share_{int(row.first_mover)}"] for _, row in result.frame.iterrows()]

    assert len(found) == players
    assert sum(each.estimate for each in found) == pytest.approx(0)
    assert found[0].estimate == pytest.approx(np.mean(starts) / 60 - 1 / players)


def test_ties_are_games_that_points_do_not_decide():
    result = table(400, players=3)
    frame = result.frame
    top = np.sort(frame[[f"score_{seat}" for seat in range(3)]].to_numpy(), axis=1)

    assert module.ties(result).estimate == (top[:, -1] == top[:, -2]).mean()


@pytest.mark.parametrize(
    ("numbers", "money", "words"),
    [
        ((0.0, 0.0), (-0.1, -0.1), "Always NUMBERS is better than always MONEY"),
        ((-0.1, -0.1), (0.0, 0.0), "Always MONEY is better than always NUMBERS"),
        ((0.0, -0.1), (-0.1, 0.0), "is not the same, or not clear"),
    ],
)
def test_what_is_said_of_rewards_follows_the_numbers(numbers, money, words):
    s, names = study(), list(module.REWARDS)
    edges = {k: dict(zip(names, map(estimate, (n, m, 0.0)), strict=True)) for k, n, m in zip((2, 3), numbers, money, strict=True)}

    module.say_which_reward(s, edges)

    assert words in said(s)
    assert "values one of the rewards wrongly" not in said(s)


def test_a_habit_that_beats_weighing_is_told():
    s = study()

    module.say_which_reward(s, {2: dict(zip(module.REWARDS, map(estimate, (0.1, -0.1, 0.0)), strict=True))})

    assert "beats the weighing" in said(s)


def answers(start: float = 0.0, numbers: float = -0.1, points: float = 13.0) -> module.Answers:
    sizes = dict.fromkeys(("busts", "lost", "price", "tied"), estimate(0.3))
    return module.Answers(start=estimate(start), numbers=estimate(numbers), money=estimate(-0.2), points=estimate(points), **sizes)


@pytest.mark.parametrize(
    ("other", "words", "not_words"),
    [
        (
            answers(),
            [
                "Holds with every one tried: whether always NUMBERS loses",
                "not clear with at least one of them: whether it is good to start",
            ],
            "inges on it",
        ),
        (answers(numbers=0.1), ["**Hinges on it**: whether always NUMBERS loses"], "the share of busts"),
        (answers(points=20), ["hanges clearly in size with it**: points"], "inges on it"),
    ],
)
def test_what_hinges_follows_the_numbers(other, words, not_words):
    s = study()
    two = [setting for setting in module.SETTINGS if setting.players == 2]
    found = {setting: answers() if setting.assumed else other for setting in two}

    module.say_what_hinges(s, found, "the deck for 2 (D3)", "2 players")

    assert all(word in said(s) for word in words), said(s)
    assert not_words not in said(s)
