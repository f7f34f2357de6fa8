"""Figures that are known of Tichu (docs/rules/tichu.md, section 9), against what the kernel deals and plays.

Statistical tests have fixed seeds and a bound of four standard errors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import poisson

from simkit.games import tichu
from simkit.games._tichu_combinations import at_least, nibble_counts, run_starts, runs
from simkit.games._tichu_combinations import fours as four_ranks
from simkit.games._tichu_combinations import high_cards as count_high
from simkit.jit import PLAIN, count_ones, kernel
from simkit.simulate import Engine, make_plan
from tests.tichu_state import new_state

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


# ------------------------------------------------------------------------------------------ the rare tails (9.1, 9.2)

EVENTS = 20
MANY = [1_000_000, pytest.param(10_000_000, marks=pytest.mark.long)]
"""Deals for what is rare: four hands of 14 cards each, and four of 8."""


@kernel
def note_hand(hand, found):
    """What section 9.1 counts of a hand, added up by the game's own functions. found: int64 (EVENTS)."""
    aces, high, both = count_ones(hand & (np.int64(15) << 52)), count_high(hand), (hand & 12)
    four, three, ordinary = count_ones(four_ranks(hand)), count_ones(at_least(nibble_counts(hand), 3)), hand & ~np.int64(15)
    if aces >= 3:
        found[aces - 3] += 1
    if high >= 3:
        found[high - 1] += 1
    dragon, phoenix = both & 8 != 0, both & 4 != 0
    if (dragon and phoenix and aces >= 1) or (dragon and aces >= 2) or (phoenix and aces >= 3) or hand & 15 == 15:
        found[6] += 1
    found[7] += np.int64(dragon != phoenix)
    found[8] += np.int64(four == 1)
    found[9] += np.int64(four == 2)
    found[10] += np.int64(runs(ordinary, 6) != 0)
    found[11] += np.int64(runs(ordinary, 7) != 0)
    found[12] += count_ones(runs(ordinary, 5))
    found[13] += four
    if three < 4:
        found[14 + three] += 1
    found[18] += np.int64(run_starts(hand, 1, 14) != 0)
    points = 25 * ((hand >> 3) & 1) - 25 * ((hand >> 2) & 1) + 5 * count_ones(hand & (np.int64(15) << 16))
    points += 10 * count_ones(hand & ((np.int64(15) << 36) | (np.int64(15) << 48)))
    found[19] += points * points


@kernel
def note_deals(state, deals, found, sums):
    """The events of all hands of these deals: sums and sums of squares of what the four hands of a deal have. sums: float64 (2, EVENTS, 2)."""
    for number in range(deals):
        state.key[1] = number
        tichu.start(state)
        for size in range(2):
            for k in range(EVENTS):
                found[k] = 0
            for s in range(4):
                note_hand(state.first_hand[s] if size == 0 else state.dealt_hand[s], found)
            for k in range(EVENTS):
                sums[size, k, 0] += found[k]
                sums[size, k, 1] += found[k] * found[k]


TAILS = [
    ((0.007318, 0.000191), (0.041624, 0.002725)),  # 3 and 4 aces
    ((0.029831, 0.002432, 0.0000828, 8.6e-7), (0.128701, 0.026545, 0.002590, 0.0000925)),  # 3 to 6 of the six high cards
    ((0.0174061,), (0.0929344,)),  # (Dr, Ph, an ace), (Dr, two), (Ph, three), or all four specials
    ((0.2493506,), (0.3818182,)),  # one of Dragon and Phoenix
    ((0.00247750, 5.49e-8), (0.03510012, 0.00016476)),  # exactly one, two fours of a kind
    ((2.6630e-5, 9.49e-7), (0.00254526, 0.00036362)),  # straight flushes of 6, of 7
    ((0.00052777, 0.00247761), (0.01886792, 0.03542977)),  # mean number of straight flushes of 5, of fours
    ((0.903394, 0.095593, 0.001012, 0), (0.508942, 0.409278, 0.078104, 0.003676)),  # ranks held three times: 0, 1, 2, 3
    ((0,), (0.000049,)),  # a straight of 14
    ((15.6776**2 + (100 / 7) ** 2,), (19.4001**2 + 25**2,)),  # the mean square of the card points
]
"""The last digits of section 9.1: hands of 8 cards, and of 14."""


@pytest.mark.parametrize("many", MANY)
def test_the_rare_tails_of_one_hand(many):
    """Millions of deals; counts too few for a normal law against Poisson's. Four ranks held three times are once in a million hands."""
    state, sums = new_state(seed=SEED), np.zeros((2, EVENTS, 2))
    note_deals(state, many, np.zeros(EVENTS, np.int64), sums)
    for size in range(2):
        expected = np.array([value for row in TAILS for value in row[size]]) * 4
        for place, ((sum_, squares), mean) in enumerate(zip(sums[size], expected, strict=True)):
            if mean * many < 30:
                assert poisson.cdf(sum_, mean * many) > 3e-5, (size, place, sum_, mean * many)
                assert poisson.sf(sum_ - 1, mean * many) > 3e-5, (size, place, sum_, mean * many)
            else:
                # The figures are rounded to a few digits of their own.
                error = np.sqrt(squares / many - (sum_ / many) ** 2) / np.sqrt(many)
                assert abs(sum_ / many - mean) < 4 * error + 1e-6 * (1 if mean < 4 else 4000), (size, place, sum_ / many, mean, error)


PAGE = Path(tichu.__file__).parents[2] / "docs" / "rules" / "tichu.md"
NUMBER = re.compile(r"\d+\.\d+(?:e\N{MINUS SIGN}\d+)?")


def page_says(begin: str, size: int) -> list[str]:
    """The decimal figures in the row of section 9.1 that begins so, for hands of 8 cards (size 0) or of 14."""
    line = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {begin}"))
    return NUMBER.findall(line.split("|")[2 + size])


def check_page(begin: str, size: int, exact: Sequence[Fraction | float]) -> None:
    """The page's figures are these, to all their digits; where it writes 0, or nothing, there is nothing."""
    texts = page_says(begin, size)
    for text, value in zip(texts, exact, strict=False):
        digits, _, power = text.replace("\N{MINUS SIGN}", "-").partition("e")
        unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
        assert abs(float(digits + (f"e{power}" if power else "")) - float(value)) <= 0.5001 * unit, (begin, size, text, float(value))
    assert not any(exact[len(texts) :]), (begin, size, texts, exact)


def times(a: list[int], b: list[int]) -> list[int]:
    """The product of two polynomials, up to x^14."""
    found = [0] * 15
    for i, x in enumerate(a):
        for j, y in enumerate(b[: 15 - i]):
            found[i + j] += x * y
    return found


def longest_run(bits: int) -> int:
    """The longest run of ones."""
    length = 0
    while bits:
        bits &= bits >> 1
        length += 1
    return length


@pytest.mark.parametrize(("size", "n"), [(0, 8), (1, 14)])
def test_the_page_is_right_about_one_hand(size, n):
    """Section 9.1 by its own methods, exactly: also what is too rare for any run."""
    hands = comb(56, n)
    check_page("0, 1, 2, 3, 4 aces", size, [Fraction(comb(4, k) * comb(52, n - k), hands) for k in range(5)])
    check_page("0…6 of the six", size, [Fraction(comb(6, k) * comb(50, n - k), hands) for k in range(7)])
    check_page("exactly 1, 2, 3 fours", size, [Fraction(exactly_fours(k, n), hands) for k in (1, 2, 3)])
    check_page("≥ 1 SF of ≥ 6", size, [1 - Fraction(without_flush(length, n), hands) for length in (6, 7)])
    check_page("ranks held ≥ 3 times", size, [Fraction(ways, hands) for ways in held_three_times(n)])
    check_page("… ≥ 6, 7, 8, 9, 10", size, straights(n)[6:11])
    check_page("… 14-card straight", size, straights(n)[14:])


def exactly_fours(k: int, n: int) -> int:
    """Hands of n cards with exactly k fours of a kind: inclusion and exclusion."""
    return sum((-1) ** (j - k) * comb(j, k) * comb(13, j) * comb(56 - 4 * j, n - 4 * j) for j in range(k, n // 4 + 1))


def without_flush(length: int, n: int) -> int:
    """Hands of n cards without a straight flush of this length."""
    suit = [0] * 15
    for mask in range((1 << 13) - 1):  # a whole suit is a run
        suit[mask.bit_count()] += longest_run(mask) < length
    ways = ANY_OF_FOUR
    for _ in range(4):
        ways = times(ways, suit)
    return ways[n]


ANY_OF_FOUR, FEWER, THREE = [1, 4, 6, 4, 1], [1, 4, 6], [0, 0, 0, 4, 1]
"""How many ways there are to hold 0, 1, … of four cards: any number, at most two, at least three."""


def held_three_times(n: int) -> list[int]:
    """Hands of n cards with 0, 1, 2, and three or more, ranks of which they hold three cards or more."""
    ways = [[1], [0], [0], [0]]
    for _ in range(13):
        fewer, more = [times(each, FEWER) for each in ways], [times(each, THREE) for each in ways]
        ways = [fewer[0], *([a + b for a, b in zip(fewer[k], more[k - 1], strict=True)] for k in (1, 2, 3))]
        ways[3] = [a + b for a, b in zip(ways[3], more[3], strict=True)]
    return [times(each, ANY_OF_FOUR)[n] for each in ways]


@cache
def straights(n: int) -> list[Fraction]:
    """The chance of a straight of at least 0, 1, …, 14 cards in a hand of n, with the Mah Jong and the Phoenix."""
    powers = [[1]]
    for _ in range(13):
        powers.append(times(powers[-1], [0, 4, 6, 4, 1]))
    counts = [0] * 15
    for ranks, mah_jong, phoenix, others in product(range(1 << 13), (0, 1), (0, 1), (0, 1, 2)):
        size, m = n - mah_jong - phoenix - others, ranks.bit_count()
        if not 0 <= size - m <= 3 * m:
            continue
        bits = ranks << 1 | mah_jong
        best = longest_run(bits)
        if phoenix:
            best = max([best, *(longest_run(bits | 1 << k) for k in range(1, 14) if not bits >> k & 1)])
        counts[best] += powers[m][size] * comb(2, others)
    return [Fraction(sum(counts[k:]), comb(56, n)) for k in range(15)]


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
    for held, chance in enumerate((0.572523, 0.503203, 0.424761, 0.336263, 0.236702)):
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
