"""The study of the first move in Techu: its parts against exact facts, and that it says what its numbers allow."""

from math import sqrt

import numpy as np
import pytest

import simkit
from analyses import techu_first_move as module
from simkit.games import find
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 1000) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["techu_first_move"])[0], games, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


def edge(middle: float, half: float = 0.01) -> Estimate:
    return Estimate(middle, middle - half, middle + half, 1000, half / 2)


@pytest.fixture(scope="module")
def greedy():
    return simkit.run("techu", 3000, players="greedy_spaces(starter=3)", columns=module.COLUMNS, rows=True)


@pytest.mark.parametrize("name", module.KINDS)
def test_red_and_black_win_equally_often(name):
    """docs/rules/techu.md, invariant 9; a tie broken by the order of the spaces would favour one side of the board."""
    games = 10_000
    winner = simkit.run("techu", games, players=module.KINDS[name].player, columns="winner").counts("winner")
    black, red = (int(winner.games[winner.values == seat].sum()) for seat in range(2))

    assert abs(black - red) < 4 * sqrt(black + red)


def test_the_edge_is_games_won_less_games_lost_by_the_first_mover(greedy):
    table = greedy.joint("first_mover", "winner")
    first = table.loc[0, 0] + table.loc[1, 1]
    second = table.loc[0, 1] + table.loc[1, 0]

    found = module.first_edge(greedy)

    assert found.n == 3000
    assert found.estimate == pytest.approx((first - second) / 3000)
    assert greedy.first_mover_win_rate().estimate == pytest.approx(first / 3000)


def test_the_low_starters_edge_leaves_equal_starters_out(greedy):
    frame = greedy.frame
    total, games = 0, 0
    for row in frame.itertuples():
        if row.starter_0 != row.starter_1:
            low = int(row.starter_1 < row.starter_0)
            total += 0 if row.winner < 0 else 1 if row.winner == low else -1
            games += 1

    found = module.low_starter_edge(greedy)

    assert found.n == games
    assert found.estimate == pytest.approx(total / games)


def test_first_starters_are_equal_as_often_as_counting_says(greedy):
    games = greedy.games
    equal = int((greedy.frame["starter_0"] == greedy.frame["starter_1"]).sum())

    # exact: docs/rules/techu.md, 1/13 if the starter is any card of the hand, which `random` and starter=3 choose by rank;
    # ranks are equally likely, so the two still agree with chance 1/13
    assert abs(equal - games / 13) < 4 * sqrt(games / 13 * 12 / 13)


def test_the_lower_starter_moves_first_or_last_as_the_rule_says():
    for rule, sign in (("low_starter", 1), ("high_starter", -1)):
        result = simkit.run("techu", 500, players="random", first_turn=rule, columns=module.COLUMNS, rows=True)
        frame = result.frame
        apart = frame[frame["starter_0"] != frame["starter_1"]]
        low = (apart["starter_1"] < apart["starter_0"]).astype(int)
        assert ((apart["first_mover"] == low) == (sign == 1)).all()


def test_a_compensation_moves_the_edge():
    row = module.edges_by_bonus(np.array([1, -1, 0, 2]))
    by = dict(zip(module.BONUS.tolist(), (each.estimate for each in row), strict=True))

    assert by[0] == 0.25
    assert by[-1] == -0.25
    assert by[0.5] == 0.5
    assert by[3] == 1


def test_lead_of_the_first_mover(greedy):
    lead, frame = module.lead_of_first(greedy), greedy.frame
    sign = np.sign(lead)

    assert (sign == module.results_of(greedy, frame["first_mover"].to_numpy())).all()
    assert module.edges_by_bonus(lead)[list(module.BONUS).index(0)].estimate == pytest.approx(module.first_edge(greedy).estimate)


def paired(last: int, deals: int = 300):
    base = simkit.run("techu", deals, players="greedy_spaces(starter=1)", columns="winner,techu", rows=True)
    players = [f"techu_hunter(last={last})", "greedy_spaces(starter=1)"]
    return module.hunt(simkit.run("techu", 2 * deals, players=players, paired=True, columns="winner,techu", rows=True), base)


def test_a_hunter_that_never_hunts_gains_and_loses_nothing_in_any_deal():
    found = paired(last=1)

    assert not found.lost.any()
    assert not found.gained.any()
    assert found.points.estimate == 0
    assert found.techus.low < 0 < found.techus.high


def test_a_hunter_gains_techus():
    assert paired(last=8, deals=1500).techus.low > 0


def test_the_price_of_a_techu_by_hand():
    found = module.Hunt(np.array([1, 0, 2, 1]), np.array([2, 1, 3, 2]))

    assert found.price().estimate == pytest.approx(4 / 8)
    assert found.points.estimate == pytest.approx(0.5)
    assert found.techus.estimate == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("weak", "strong", "words"),
    [
        (edge(0.0), edge(-0.1), ["a disadvantage", "grows with skill"]),
        (edge(0.2), edge(0.05), ["an advantage", "shrinks with skill"]),
        (edge(0.0), edge(0.001), ["neither clearly good nor bad", "no clear change"]),
    ],
)
def test_what_is_said_of_skill_follows_the_numbers(weak, strong, words):
    s = study()

    module.say_whether_skill_matters(s, {"random": weak, "thrifty": strong}, ["random", "thrifty"])

    assert all(word in said(s) for word in words)


def test_size_of_an_edge():
    assert module.absolute(edge(-0.1)).low == pytest.approx(0.09)
    assert module.absolute(edge(0.001)).low == 0
    assert module.favours(edge(0.1)) == "the first mover"
    assert module.favours(edge(-0.1)) == "the second mover"
    assert module.favours(edge(0.0)) == "nobody clearly"


def test_a_mean_of_equal_values_still_has_an_interval():
    found = module.mean_of(np.ones(100))

    assert found.low < 1 < found.high


def test_the_settings_are_legal_and_the_defaults_come_first():
    assert next(iter(module.SETTINGS.values())) == {}
    for rules in module.SETTINGS.values():
        find("techu").read_rules(rules)
    assert next(iter(module.FIRST_TURN)) == find("techu").by["first_turn"].default


@pytest.mark.slow
def test_searching_players_are_told_with_their_few_games():
    s = study(20_000)
    played = {
        "random": {
            name: simkit.run("techu", 200, players=module.KINDS[name].player, columns=module.COLUMNS, rows=True) for name in module.KINDS
        }
    }

    module.tell_of_searchers(s, played)

    assert s.result.tables[0].frame["games"].tolist() == [100, 100]


def test_the_same_seed_gives_the_same_study():
    one, other = (perform(find_study(["techu_first_move"])[0], games=100, jobs=jobs, progress=False) for jobs in (1, 2))

    assert one.findings == other.findings
    assert [table.cells for table in one.tables] == [table.cells for table in other.tables]
