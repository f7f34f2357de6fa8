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
