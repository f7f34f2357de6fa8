"""The study of the cards of Techu: its parts against exact facts, and that it says what its numbers allow."""

import numpy as np
import pytest

import simkit
from analyses import techu_cards as module
from simkit.replay import Replay
from simkit.simulate import make_plan
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 1000) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["techu_cards"])[0], games, 1), progress=False)


@pytest.fixture(scope="module", params=["random", "thrifty"])
def result(request):
    return simkit.run("techu", 500, players=module.PLAYERS[request.param], columns=module.COLUMNS, rows=True)


def test_every_space_is_held_by_a_card_or_empty(result):
    held = module.spaces_per_card(module.board_of(result))
    empty = result.mean("empty_spaces").estimate

    assert module.COPIES * sum(each.estimate for each in held.values()) + empty == pytest.approx(25)


def test_an_ace_holds_a_space_unless_it_is_discarded(result):
    """An ace is never covered (docs/rules/techu.md, rule 1)."""
    board = module.board_of(result)
    aces = (board.rank == module.ACE).sum(axis=1)

    assert (aces + result.frame[f"discarded_{module.ACE}"].to_numpy() == module.COPIES).all()


def test_cards_in_stacks_and_discards_are_all_the_cards(result):
    discarded = result.frame[[f"discarded_{rank}" for rank in module.RANKS]].sum(axis=1).to_numpy()

    assert (module.board_of(result).cards.sum(axis=1) + discarded == 52).all()


def test_first_hands_are_those_that_are_dealt():
    hands = module.first_hands(study(100))

    assert hands.shape == (100, 2, 3)
    for game in range(10):
        scene = next(event["scene"] for event in Replay(make_plan("techu"), game) if "scene" in event)
        assert scene["event"] == "dealt"
        assert hands[game].tolist() == scene["hands"]


def test_the_edge_of_a_holder_by_hand():
    hands = np.array([[[2, 3, 4], [5, 6, 7]], [[8, 8, 9], [2, 2, 3]], [[2, 5, 6], [2, 7, 8]], [[9, 10, 11], [12, 13, 14]]])
    outcome = np.array([1, 1, 1, -1])  # Black wins three, Red the last

    found = module.edge_of_holders(outcome, hands, 2)

    assert found.n == 2  # in the third game both have a 2, in the fourth nobody
    assert found.estimate == 0  # Black with a 2 wins, Red with one loses


def test_the_board_from_blacks_side():
    holder = np.full((1, 25), -1)
    holder[0, 2], holder[0, 20] = 0, 1  # Black its home centre, Red a corner of its own home row
    seen = module.own_side(module.Board(holder + 1, holder, holder + 1))

    assert np.flatnonzero(seen[0]).tolist() == [22]


def test_mean_rank_leaves_empty_spaces_out():
    rank = np.zeros((2, 25), int)
    rank[0, 0], rank[1, 0], rank[0, 1] = 4, 10, 7
    cells = module.mean_ranks(module.Board(rank, rank, rank))

    assert cells[0][0].estimate == 7
    assert cells[0][1].estimate == 7
    assert np.isnan(cells[4][4].estimate)


def rising(step: float) -> dict[int, Estimate]:
    return {rank: Estimate(0.1 + step * rank, 0.1 + step * rank - 0.001, 0.1 + step * rank + 0.001, 100) for rank in module.RANKS}


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (rising(0.05), "each rank clearly more than the one below it"),
        (rising(0.0), "no rank clearly less than the one below it"),
        (rising(-0.005), "3, 4, 5, 6, 7, 8, 9, 10, J, Q, K and A clearly less"),
    ],
)
def test_what_is_said_of_ranks_follows_the_numbers(held, words):
    s = study()

    module.say_what_ranks_hold(s, "toy", held)

    assert words in s.result.findings[0]


def test_an_interval_for_several_claims_is_wider():
    one = Estimate(0.1, 0.02, 0.18, 500, 0.04)

    assert module.widened(one, 13).low < one.low
    assert module.widened(one, 1).low == pytest.approx(0.1 - 1.96 * 0.04, abs=1e-4)


def test_the_ways_to_lay_a_starter_lay_the_lowest_the_middle_and_the_highest():
    hands = module.first_hands(study(200))

    assert (np.diff(hands, axis=2) >= 0).all()
    assert (hands.min() >= module.LOWEST) & (hands.max() <= module.ACE)


def test_the_same_seed_gives_the_same_study():
    one, other = (perform(find_study(["techu_cards"])[0], games=100, jobs=jobs, progress=False) for jobs in (1, 2))

    assert one.findings == other.findings
    assert [table.cells for table in one.tables] == [table.cells for table in other.tables]
