"""Figures that are known of Tichu (docs/rules/tichu.md, section 9), against what the kernel deals and plays.

Statistical tests have fixed seeds and a bound of four standard errors.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from simkit.jit import PLAIN
from simkit.simulate import Engine, make_plan

pytestmark = pytest.mark.skipif(PLAIN, reason="thousands of rounds take minutes without the compiler")

SEED, ROUNDS = 20261130, 120_000
NEVER = np.zeros(1, np.int64)


@cache
def rounds() -> dict[str, np.ndarray]:
    """Columns of rounds between random players, as float64; cards as int64."""
    plan = make_plan("tichu", players="random", games=ROUNDS, seed=SEED, rows=True)
    table = Engine(plan).play(0, ROUNDS, NEVER).rows
    return {name: table[:, place] for place, name in enumerate(plan.row_cells)}


def check(values: np.ndarray, expected: float, error: float = 0.0) -> None:
    """The mean of independent values, and a figure with its own standard error."""
    z = (values.mean() - expected) / np.hypot(values.std() / np.sqrt(len(values)), error)
    assert abs(z) < 4, (values.mean(), expected, z)


# ------------------------------------------------------------------------------- one hand, exact (9.1, with its methods)


def ranks_held(hands: np.ndarray) -> np.ndarray:
    """How many of each rank 2…14: (hands, 13)."""
    return np.bitwise_count(hands[:, None] >> 4 * np.arange(1, 14) & 15)


def longest(present: np.ndarray) -> np.ndarray:
    """The longest run in each row of booleans."""
    run = best = np.zeros(len(present), np.int64)
    for column in present.T:
        run = (run + 1) * column
        best = np.maximum(best, run)
    return best


def straight(hands: np.ndarray, mah_jong: bool, phoenix: bool) -> np.ndarray:
    """The longest straight in each hand."""
    present = ranks_held(hands) > 0
    if mah_jong:
        present = np.column_stack([hands & 1 != 0, present])
    found = longest(present)
    if phoenix:
        for rank in range(int(mah_jong), present.shape[1]):
            filled = present.copy()
            filled[:, rank] |= hands & 4 != 0
            found = np.maximum(found, longest(filled))
    return found


def flush(hands: np.ndarray) -> np.ndarray:
    """The longest run in one suit."""
    suits = (hands[:, None, None] >> 4 * np.arange(1, 14)[None, None, :] + np.arange(4)[None, :, None] & 1).astype(bool)
    return np.max([longest(suits[:, suit]) for suit in range(4)], axis=0)


def fours(hands: np.ndarray) -> np.ndarray:
    return (ranks_held(hands) == 4).sum(axis=1)


def high_cards(hands: np.ndarray) -> np.ndarray:
    return np.bitwise_count(hands & (15 << 52 | 12))


def check_hands(hands: np.ndarray, column: int) -> None:
    """All that section 9.1 says of hands of 8 cards (column 0) or of 14 (column 1)."""
    aces, six, tens = np.bitwise_count(hands >> 52 & 15), high_cards(hands), ranks_held(hands)
    both = hands & 12 == 12
    suit_run, four = flush(hands), fours(hands)
    figures = [
        (hands & 8 != 0, (1 / 7, 1 / 4)),
        (both, (1 / 55, 13 / 220)),
        (hands & 12 != 0, (0.2675325, 0.4409091)),
        *((aces == k, pair) for k, pair in enumerate(zip((0.529772, 0.376727, 0.085992), (0.304746, 0.437583, 0.213322), strict=True))),
        *((six == k, pair) for k, pair in enumerate(zip((0.377952, 0.421900, 0.167801), (0.161566, 0.366798, 0.313709), strict=True))),
        (both & (aces >= 1), (0.0069951, 0.0381770)),
        (four >= 1, (3519347 / 1420494075, 204703407480 / 5804731963800)),
        (suit_run >= 5, (710500 / 1420494075, 92272299834 / 5804731963800)),
        (suit_run >= 6, (None, 0.00254526)),
        ((four >= 1) | (suit_run >= 5), (4229667 / 1420494075, 294663199638 / 5804731963800)),
        (straight(hands, False, False) >= 5, (0.064821, 2998574880080 / 5804731963800)),
        (straight(hands, True, False) >= 5, (94832640 / 1420494075, 3083941951016 / 5804731963800)),
        *((straight(hands, True, True) >= k, pair) for k, pair in zip(range(5, 11), STRAIGHTS, strict=True)),
        ((tens >= 3).sum(axis=1) == 1, (0.095593, 0.409278)),
        ((tens > 0).sum(axis=1), (6.1130, 9.0383)),
        ((tens >= 2).sum(axis=1), (1.2155, 3.3497)),
        (5 * tens[:, 3] + 10 * (tens[:, 8] + tens[:, 11]) + 25 * (hands >> 3 & 1) - 25 * (hands >> 2 & 1), (100 / 7, 25)),
    ]
    for values, pair in figures:
        if pair[column] is not None:
            check(np.asarray(values, float), pair[column], 0.00005 if pair[column] > 2 else 0.0)


STRAIGHTS = [
    (163888160 / 1420494075, 3800417764300 / 5804731963800), (0.033389, 0.454841), (0.006996, 0.287628), (0.000804, 0.168391),
    (None, 0.090759), (None, 0.043918),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "column"), [("first_hand_0", 0), ("first_hand_3", 0), ("dealt_hand_1", 1), ("dealt_hand_2", 1)])
def test_one_hand(hand, column):
    check_hands(rounds()[hand], column)


def test_a_hand_after_a_random_push_is_like_one_dealt():
    """Section 9.2: exchangeability."""
    found = rounds()
    hands = found["dealt_hand_0"].copy()
    for seat, shift in ((0, 0), (0, 6), (0, 12)):
        hands &= ~(1 << (found[f"pushed_{seat}"] >> shift & 63))
    for seat, shift in ((1, 12), (2, 6), (3, 0)):
        hands |= 1 << (found[f"pushed_{seat}"] >> shift & 63)
    assert (np.bitwise_count(hands) == 14).all()
    check_hands(hands, 1)
    check((found["bomb_held_0"] > 0).astype(float), 294663199638 / 5804731963800)
    check((found["mah_jong_dealt"] == found["mah_jong_leads"]).astype(float), 11 / 14)


def test_first_hands_that_are_worth_a_grand_tichu():
    """Exact: at least one ace and at least one of Dragon and Phoenix; or both of these (tichu-essentials, recomputed)."""
    hands = rounds()["first_hand_1"]
    check((((hands >> 52 & 15 > 0) & (hands & 12 > 0)) | (hands & 12 == 12)).astype(float), 0.126899145989046)


def test_whole_deals():
    """Section 9.2, before the push."""
    found = rounds()
    hands = [found[f"dealt_hand_{seat}"] for seat in range(4)]
    four = [fours(hand) > 0 for hand in hands]
    check(np.any(four, axis=0).astype(float), 0.1320805)
    check((four[0] | four[2]).astype(float), 0.0689764)
    check(np.any([flush(hand) >= 5 for hand in hands], axis=0).astype(float), 0.0616758)
    check(np.any([hand & 12 == 12 for hand in hands], axis=0).astype(float), 13 / 55)
    check((((hands[0] | hands[2]) & 12 == 12) | ((hands[1] | hands[3]) & 12 == 12)).astype(float), 27 / 55)
    first, later = high_cards(found["first_hand_2"]), high_cards(hands[2] & ~found["first_hand_2"])
    for held, chance in enumerate((0.572523, 0.503203, 0.424761, 0.336263)):
        check((later[first == held] > 0).astype(float), chance)


# ---------------------------------------------------------------------------------------------- whole rounds, B1 (9.3)


def test_random_players():
    """B1: figures from another implementation, with their standard errors."""
    found = {name: values.astype(float) for name, values in rounds().items()}
    first = found["first_out_from_leader"]
    team = np.where(found["out_1"] % 2 == 0, found["card_score_0"], found["card_score_1"])
    for values, expected, error in (
        (found["plays"], 42.382, 0.005), (found["passes"], 57.873, 0.009), (found["tricks"], 17.790, 0.003),
        (found["lead_changes"], 11.040, 0.002), (found["double_victory"], 0.2785, 0.0004), (found["bombs"], 0.1656, 0.0004),
        (found["bombs"] > 0, 0.1543, 0.0004), (found["dogs"], 0.7273, 0.0004), (found["mah_jong_by"] >= 0, 0.7600, 0.0004),
        (found["wish"] >= 2, 0.688, 0.001), (found["wish_fulfilled_by"] >= 0, 0.4252, 0.0005), (found["dragon_to"] >= 0, 0.9941, 0.0001),
        (first == 0, 0.1611, 0.0004), (first == 1, 0.2892, 0.0004), (first == 2, 0.2725, 0.0004), (first == 3, 0.2771, 0.0004),
        (found["leader_last"], 0.2690, 0.0004), (found["leader_difference"], -22.33, 0.11), (np.abs(found["payoff_0"]), 89.75, 0.07),
        (team[found["double_victory"] == 0], 61.86, 0.03),
        (sum(found[f"bomb_held_{seat}"] for seat in range(4)) > 0, 0.1870, 0.0004),
    ):  # fmt: skip
        check(np.asarray(values, float), expected, error)
    assert abs(found["leader_difference"].std() - 113.8) < 1


def variant(**rules: object) -> dict[str, np.ndarray]:
    plan = make_plan("tichu", rules=rules, players="random", games=40_000, seed=SEED, rows=True)
    table = Engine(plan).play(0, 40_000, NEVER).rows
    return {name: table[:, place].astype(float) for place, name in enumerate(plan.row_cells)}


def test_random_players_with_bombs_on_regular_turns_only():
    found = variant(bombs_out_of_turn=False)
    check(found["bombs"], 0.1207, 0.0006)
    check(found["plays"], 42.434, 0.009)
    check(found["tricks"], 17.770, 0.005)
    check(found["double_victory"], 0.2782, 0.0008)
    check((found["dragon_to"] >= 0).astype(float), 0.9842, 0.0002)


def test_random_players_without_a_push():
    found = variant(pass_cards=False)
    check(found["plays"], 42.379, 0.009)
    check(found["double_victory"], 0.2775, 0.0008)
    check(found["bombs"], 0.1659, 0.0007)


def test_matches_of_random_players():
    plan = make_plan("tichu-match", players="random", games=4_000, seed=SEED, rows=True)
    table = Engine(plan).play(0, 4_000, NEVER).rows.astype(float)
    found = {name: table[:, place] for place, name in enumerate(plan.row_cells)}
    check(found["rounds"], 13.681, 0.008)
    check(np.minimum(found["total_0"], found["total_1"]), 689.6, 0.8)
