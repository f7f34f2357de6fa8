"""Figures of Stealing War that are known from elsewhere: the exact check and the rough anchors of docs/rules/war.md, section 13.

And what the docstring of our strongest strategy says. Seeds are fixed; 4 standard errors, those of both sides together.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from simkit.simulate import Engine, make_plan

SEED = 11


def rows_of(player, games, columns="battles,wars,steals", **rules):
    plan = make_plan("stealing-war", rules=rules, players=player, games=games, seed=SEED, columns=columns, rows=True)
    return dict(zip(plan.row_cells, Engine(plan).play(0, games, np.zeros(1, np.int64)).rows.T, strict=True))


def test_the_chance_that_the_first_battle_is_a_war():
    """79/1431 for two players, no pile yet."""
    wars = rows_of("random", 1_000_000, "wars", max_battles=1)["wars"].sum()

    assert abs(wars - 1e6 * 79 / 1431) < 4 * sqrt(1e6 * 79 / 1431 * (1 - 79 / 1431))


# Rough anchors of the page: games behind them; mean of battles and its standard error, median, 99th percentile, mean wars, steals.
ANCHORS = {
    ("always", 2): (20000, 59.0, 0.3, 45, 222, 3.37, 5.83),
    ("never", 2): (8000, 270, 2.4, 209, 1049, 15.0, 0),
    ("always", 3): (8000, 62.7, 0.5, 50, 227, 4.09, 8.83),
}


@pytest.mark.slow
@pytest.mark.parametrize(("player", "players"), ANCHORS)
def test_rough_anchors(player, players):
    """Within 4 standard errors, those of the trial and ours together; top card `lowest`."""
    trial, mean, error, median, high, wars, steals = ANCHORS[player, players]
    games = 60_000 if player == "never" else 200_000
    rows = rows_of(player, games, players=players)
    battles = rows["battles"]

    assert abs(battles.mean() - mean) < 4 * sqrt(error**2 + battles.var() / games)
    for level, figure in ((0.5, median), (0.99, high)):
        room = 4 * sqrt(level * (1 - level) * (1 / games + 1 / trial))
        assert (battles < figure).mean() - room <= level <= (battles <= figure).mean() + room
    all_steals = sum(rows[f"steals_{seat}"] for seat in range(players))
    for values, figure in ((rows["wars"], wars), (all_steals, steals)):
        assert abs(values.mean() - figure) <= 4 * sqrt(values.var() * (1 / games + 1 / trial) + 0.005**2 / 3)


@pytest.mark.slow
def test_equal_players_win_equally_often():
    """Invariant 7."""
    rows = rows_of("always", 200_000, players=3)
    for seat in range(3):
        assert abs((rows["winner"] == seat).mean() - (rows["winner"] >= 0).mean() / 3) < 4 * sqrt(2 / 9 / 200_000)


def score_against(player, other, games):
    """Mean score (win 1, draw ½) over deals of their own, each played twice with seats exchanged, and its standard error."""
    plan = make_plan("stealing-war", players=f"{player},{other}", games=games, seed=77, paired=True, columns="battles", rows=True)
    rows = dict(zip(plan.row_cells, Engine(plan).play(0, games, np.zeros(1, np.int64)).rows.T, strict=True))
    score = np.where(np.arange(games) % 2 == 0, rows["payoff_0"], rows["payoff_1"]).reshape(-1, 2).mean(1) / 2
    return score.mean(), score.std() / len(score) ** 0.5


@pytest.mark.parametrize(("player", "other", "figure"), [("wary", "always", 0.767), ("always[top=safe]", "always", 0.764)])
def test_the_top_card_is_worth_a_lot(player, other, figure):
    """By what the docstring of wary says."""
    mean, error = score_against(player, other, 8000)

    assert abs(mean - figure) < 4 * error
