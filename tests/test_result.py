"""Figures of a result that come from more than one column."""

import numpy as np
import pytest

import simkit


@pytest.mark.modes
def test_the_first_mover_wins_as_often_as_the_rows_say():
    result = simkit.run("techu", games=300, seed=3, rows=True, progress=False)
    rows = result.frame
    share = result.first_mover_win_rate()

    assert share.estimate == np.mean(rows["winner"] == rows["first_mover"])
    assert 0 < share.low < share.estimate < share.high < 1
    assert result.as_dict()["first_mover_win_rate"] == share.as_dict()


def test_a_game_without_a_first_mover_has_no_such_share():
    result = simkit.run("war", games=100, progress=False)

    assert result.first_mover_win_rate() is None
    assert "first_mover_win_rate" not in result.as_dict()
