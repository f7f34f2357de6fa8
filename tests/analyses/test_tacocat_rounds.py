"""The study of Tacocat's rounds: what it reads from rows, and that it says what its numbers allow."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import simkit
from analyses import tacocat_rounds as module
from simkit.games import find
from simkit.players import read_player
from simkit.study import Definition, StudyResult, perform
from simkit.study import find as find_study


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(definition(), games=150, progress=False)


def definition() -> Definition:
    return find_study(["tacocat_rounds"])[0]


def test_a_board_of_one_space_makes_a_game_one_round():
    frame = simkit.run("tacocat", 400, players="plain", rules=module.ROUND, rows=True, progress=False).frame

    assert set(frame["decisive_rounds"]) == {1}
    assert set(frame["dealt"] // frame["rounds"]) == {7}
    assert set(frame["leader_rounds_0"] + frame["leader_rounds_1"]) == {0}


def test_rounds_are_those_decided_at_once():
    names = ("duel_wins", "last_attacks", "lowest_before", "lowest_after", "attacks", "sets", "sequences")
    cells = {f"{name}_{seat}": [0, 0, 0, 0] for name in names for seat in (0, 1)}
    cells |= {"rounds": [1, 1, 2, 1], "winner": [0, 1, 1, -1]}
    cells |= {"duel_wins_0": [1, 0, 1, 1], "lowest_after_0": [1, 2, 1, 1], "lowest_after_1": [2, 2, 2, 2], "attacks_1": [1, 3, 1, 1]}
    cells |= {"sets_0": [1, 0, 0, 0], "sequences_1": [0, 2, 0, 0], "sequences_0": [0, 1, 0, 0]}
    rounds = module.Rounds.of(SimpleNamespace(frame=pd.DataFrame(cells)))

    assert rounds.winner.tolist() == [0, 1]
    assert rounds.duel.tolist() == [0, -1]
    assert rounds.lower.tolist() == [0, -1]
    assert rounds.more_attacks.tolist() == [1, 1]
    assert rounds.jumbo.tolist() == [0, -1]  # both made one
    assert (rounds.won(rounds.more_attacks).estimate, rounds.won(rounds.more_attacks).n) == (0.5, 2)
    assert (rounds.won(rounds.duel).estimate, rounds.won(rounds.duel).n) == (1, 1)
    assert rounds.won(rounds.more_attacks, rounds.lower < 0).estimate == 1
    chances = module.chance_by_lowest(rounds, range(1, 3))
    assert [(each.estimate, each.n) for each in chances.values()] == [(1, 1), (0, 1)]


def test_shares_of_rounds_are_those_of_the_columns():
    result = simkit.run("tacocat", 400, players="random", rules=module.ROUND, rows=True, progress=False)
    rounds = module.Rounds.of(result)
    frame = result.frame[result.frame["rounds"] == 1]

    assert len(rounds.winner) == len(frame)
    assert rounds.won(rounds.duel).n == int(frame["duel_rounds"].sum())
    assert rounds.won(rounds.duel).estimate == pytest.approx(frame["duel_winner_wins"].sum() / frame["duel_rounds"].sum())
    assert rounds.won(rounds.last).estimate == pytest.approx(frame["last_attacker_wins"].sum() / frame["attack_rounds"].sum())


def test_a_ratio_of_totals_has_the_games_as_units():
    result = simkit.run("tacocat", 2000, players="random", columns="ties,rounds,sets", rows=True, progress=False)
    share = module.total_ratio(result, ["ties"], ["rounds"])
    groups = [result.frame[k::40].sum() for k in range(40)]
    spread = np.std([each["ties"] / each["rounds"] for each in groups], ddof=1) / np.sqrt(40)

    assert share.estimate == pytest.approx(result.frame["ties"].sum() / result.frame["rounds"].sum())
    assert 0.5 < share.se / spread < 2
    never = module.total_ratio(SimpleNamespace(frame=pd.DataFrame({"a": [0] * 60, "b": [3] * 60})), ["a"], ["b"])
    assert (never.estimate, never.low) == (0, 0)
    assert never.high == pytest.approx(1 - 0.05 ** (1 / 60))


def test_every_part_serves_the_decision_it_is_put_in():
    game = find("tacocat")
    for kind, parts in module.PARTS.items():
        for part in parts:
            assert read_player(game, f"{module.BEST}[{kind}={part}]")
    assert {name for names in module.KINDS.values() for name in names} == set(game.decisions)


def test_the_study_says_what_it_must(small):
    assert len(small.figures) >= 5
    assert len(small.tables) >= 5
    assert sum("n = " in text for text in small.findings) >= len(small.findings) - 2
    assert "nan" not in " ".join(small.findings)
    assert all(block.caption for block in (*small.figures, *small.tables))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_study(small):
    assert perform(definition(), games=150, jobs=1, progress=False).findings == small.findings
