"""Figures of a result that come from more than one column."""

import numpy as np
import pytest

import simkit


@pytest.mark.modes
def test_the_first_mover_wins_as_often_as_the_rows_say():
    result = simkit.run("techu", games=100, seed=3, rows=True, progress=False)
    rows = result.frame
    share = result.first_mover_win_rate()

    assert share.estimate == np.mean(rows["winner"] == rows["first_mover"])
    assert 0 < share.low < share.estimate < share.high < 1
    assert result.as_dict()["first_mover_win_rate"] == share.as_dict()


def test_a_game_without_a_first_mover_has_no_such_share():
    result = simkit.run("war", games=100, progress=False)

    assert result.first_mover_win_rate() is None
    assert "first_mover_win_rate" not in result.as_dict()


def test_a_team_wins_together():
    """Shares add up to one: seats of a team are named together, and so are partners of a paired run."""
    result = simkit.run("tichu", 200, players="random,greedy_low,random,greedy_low", progress=False)
    facts = result.as_dict()
    assert [(each["seat"], each["seats"], each["player"]) for each in facts["win_rate"]] == [
        (0, [0, 2], "random"),
        (1, [1, 3], "greedy_low"),
    ]
    assert sum(each["estimate"] for each in [*facts["win_rate"], facts["draw_rate"]]) == pytest.approx(1)
    assert [name for name, _ in result.shares()][:2] == ["seats 0 and 2 win", "seats 1 and 3 win"]

    paired = simkit.run("tichu", 200, players="random,greedy_low,random,greedy_low", paired=True, progress=False)
    assert [(each["seat"], each["player"]) for each in paired.as_dict()["win_rate"]] == [(None, "random"), (None, "greedy_low")]
    assert paired.win_rate(1).estimate > paired.win_rate(0).estimate


def test_every_deal_of_a_game_that_the_deal_decides_is_exact():
    """Two ranks of two cards: six deals; where the pick-up is random, each deal was played only once of the ways it can go."""
    rules = {"ranks": 2, "copies": 2, "pickup_order": "winner_first"}
    result = simkit.run("war", every_deal=True, progress=False, **rules)
    rows = simkit.run("war", every_deal=True, rows=True, progress=False, **rules).frame
    share, mean, median = result.win_rate(0), result.mean("battles"), result.quantile("battles")

    assert (result.exact, result.games, result.as_dict()["exact"]) == (True, 6, True)
    assert share.estimate == share.low == share.high == np.mean(rows["winner"] == 0)
    assert (mean.low, mean.high, mean.se) == (mean.estimate, mean.estimate, 0)
    assert median.low == median.estimate == median.high
    assert mean.text() == f"{mean.estimate:g} (exact, n = 6)"
    assert result.summary().loc["battles", ["se", "low", "high"]].tolist() == [0, mean.estimate, mean.estimate]

    for other in ({"pickup_order": "shuffled"}, {"pickup_order": "player_choice"}, {"deadlock_rule": "lot"}):
        lots = simkit.run("war", every_deal=True, progress=False, **{**rules, **other})
        assert not lots.exact
        assert lots.win_rate(0).low < lots.win_rate(0).high
    assert not simkit.run("war", 6, progress=False, **rules).exact
