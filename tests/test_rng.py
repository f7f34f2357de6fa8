"""The random streams: published vectors, exactness of what is drawn from them, and two million-fold checks of the shuffle."""

from __future__ import annotations

from itertools import permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from simkit import rng
from simkit.jit import PLAIN, kernel
from tests.reference import streams

pytestmark = pytest.mark.modes
many_shuffles = pytest.mark.skipif(PLAIN, reason="shuffles by the hundred thousand take minutes without the compiler")

MASK = 2**64 - 1
KAT = (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)
"""Philox 4x64-10 of zeros: Random123, tests/kat_vectors."""
words = st.integers(0, MASK)
signed = st.integers(-(2**63), 2**63 - 1)


def stream_of(seed: int, deal: int, purpose: int) -> np.ndarray:
    stream = np.zeros(6, np.uint64)
    rng.open_stream(stream, np.int64(seed), np.int64(deal), np.int64(purpose))
    return stream


def stream_at(state) -> np.ndarray:
    """A stream with this state of xoshiro256++ and no coins."""
    return np.array([*state, 0, 0], np.uint64)


def twin_at(state) -> streams.Stream:
    twin = streams.Stream(0, 0, 0)
    twin.state = list(state)
    return twin


def state_before(word: int) -> list[int]:
    """A state whose next word is this one: the word is rotl(s0 + s3, 23) + s0."""
    return [0, 0x0123456789ABCDEF, 0xFEDCBA9876543210, (word >> 23 | word << 41) & MASK]


# --------------------------------------------------------------------------------------------------- published vectors


def test_philox_of_zeros():
    assert tuple(int(word) for word in rng.philox(0, 0, 0)) == KAT
    assert tuple(streams.philox4x64([0, 0, 0, 0], [0, 0])) == KAT


@given(words, words, words)
def test_philox_is_numpys_philox(counter, key_0, key_1):
    """NumPy's generator counts up before it draws, so it starts one before."""
    before = (counter - 1) % 2**256
    oracle = np.random.Philox(
        key=np.array([key_0, key_1], np.uint64), counter=np.array([before >> 64 * k & MASK for k in range(4)], np.uint64)
    )
    expected = oracle.random_raw(4).tolist()

    assert [int(word) for word in rng.philox(np.uint64(counter), np.uint64(key_0), np.uint64(key_1))] == expected
    assert streams.philox4x64([counter, 0, 0, 0], [key_0, key_1]) == expected


def test_xoshiro_from_1_2_3_4():
    """xoshiro256++, reference code of Blackman and Vigna."""
    stream = stream_at([1, 2, 3, 4])

    assert [int(rng.next_word(stream)) for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_advance_is_next_word():
    stream = stream_of(3, 4, 5)
    state = tuple(stream[:4])
    for _ in range(50):
        word, *state = (np.uint64(each) for each in rng.advance(*state))
        assert word == rng.next_word(stream)
        assert state == stream[:4].tolist()


# --------------------------------------------------------------------------------------------------- streams, as the twin


@given(signed, signed, st.integers(0, 2**30))
def test_a_stream_starts_as_its_twin(seed, deal, purpose):
    """Any seed and deal, negative ones too."""
    assert stream_of(seed, deal, purpose)[:4].tolist() == streams.Stream(seed, deal, purpose).state


def test_streams_of_other_seeds_deals_and_purposes_are_others():
    names = [
        (seed, deal, purpose)
        for seed in range(8)
        for deal in range(8)
        for purpose in (rng.DEAL, rng.CHANCE, rng.RESHUFFLE, rng.SEAT, rng.SEAT + 1, rng.TRIAL)
    ]
    starts = {tuple(stream_of(*name)[:4].tolist()) for name in names}

    assert len(starts) == len(names)
    assert (streams.DEAL, streams.CHANCE, streams.SEAT) == (rng.DEAL, rng.CHANCE, rng.SEAT)


draws = st.lists(
    st.one_of(
        st.tuples(st.just("word"), st.just(0)),
        st.tuples(st.just("coin"), st.integers(1, 70)),
        st.tuples(st.just("below"), st.one_of(st.integers(1, 60), st.integers(1, 2**63 - 1))),
        st.tuples(st.just("shuffle"), st.integers(0, 128)),
    ),
    max_size=12,
)


@given(signed, st.integers(0, 2**40), draws)
def test_draws_of_every_kind_are_those_of_the_twin(seed, deal, wanted):
    """In any mixture: coins keep their word while others take fresh ones."""
    stream, twin = stream_of(seed, deal, 1), streams.Stream(seed, deal, 1)
    for kind, n in wanted:
        if kind == "word":
            assert int(rng.next_word(stream)) == twin.next()
        elif kind == "coin":
            assert [int(rng.coin(stream)) for _ in range(n)] == [twin.coin() for _ in range(n)]
        elif kind == "below":
            assert int(rng.below(stream, n)) == twin.below(n)
        else:
            ours, theirs = np.arange(n), list(range(n))
            rng.shuffle(stream, ours, n)
            twin.shuffle(theirs)
            assert ours.tolist() == theirs
    assert stream[:4].tolist() == twin.state


def test_many_seeds_play_the_same_streams():
    for seed in range(300):
        stream, twin = stream_of(seed, seed * 7, rng.DEAL), streams.Stream(seed, seed * 7, rng.DEAL)
        ours, theirs = np.arange(52, dtype=np.uint8), list(range(52))
        rng.shuffle(stream, ours, 52)
        twin.shuffle(theirs)
        assert ours.tolist() == theirs


@given(st.integers(0, 128), st.integers(0, 128), words)
def test_a_shuffle_moves_the_first_n_cards_only(n, more, word):
    cards = np.arange(n + more)
    rng.shuffle(stream_of(word - 2**63, 0, 0), cards, n)

    assert sorted(cards[:n].tolist()) == list(range(n))
    assert cards[n:].tolist() == list(range(n, n + more))


# ---------------------------------------------------------------------------------------------- bounded numbers, exactly


@given(st.integers(1, 2**63 - 1), words)
def test_below_from_any_first_word(n, word):
    """The word that is drawn first is given, so that words near the bounds of rejection come up too."""
    stream, twin = stream_at(state_before(word)), twin_at(state_before(word))

    assert int(rng.below(stream, n)) == twin.below(n)
    assert stream[:4].tolist() == twin.state


@pytest.mark.parametrize("n", [3, 5, 6, 7, 52, 1000, 2**32 + 1, 3 << 61, 2**63 - 1])
def test_below_rejects_exactly_the_surplus_words(n):
    """A word is refused if and only if its low product is below 2^64 mod n: what is left divides evenly."""
    surplus = 2**64 % n
    inverse = pow(n, -1, 2**64) if n % 2 else None
    lows = [0, 1, surplus - 1, surplus, surplus + 1, n - 1, n, MASK]
    tried = [low * inverse & MASK for low in lows] if inverse else [0, 1, 2**63, MASK, MASK - 1, (2**64 - surplus) // n, 2**62]
    refused = 0
    for word in tried:
        stream, second = stream_at(state_before(word)), stream_at(state_before(word))
        rng.next_word(second)
        number = int(rng.below(stream, n))
        if word * n % 2**64 < surplus:
            refused += 1
            assert stream[:4].tolist() != second[:4].tolist()
        else:
            assert stream[:4].tolist() == second[:4].tolist()
            assert number == word * n >> 64
    assert refused > 0


def test_below_is_uniform_where_it_rejects_a_quarter_of_all_words():
    """3 * 2^61: without rejection the first third of the range would come up too often or too seldom."""
    n, games = 3 << 61, 3_000 if PLAIN else 300_000
    stream = stream_of(1, 2, 3)
    counts = np.zeros(12, np.int64)
    below_counts(stream, n, games, counts)

    assert stats.chisquare(counts).pvalue > 1e-4


@kernel
def below_counts(stream, n, games, counts):
    width = n // len(counts)
    for _ in range(games):
        counts[rng.below(stream, n) // width] += 1


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 10, 52])
def test_below_reaches_every_number_equally_often(n):
    games = 2_000 if PLAIN else 200_000
    counts = np.zeros(n, np.int64)
    below_counts(stream_of(9, n, 0), n, games, counts)

    assert counts.sum() == games
    assert n == 1 or stats.chisquare(counts).pvalue > 1e-4


def test_coins_are_a_words_bits_from_the_lowest():
    stream, twin = stream_of(5, 6, 7), streams.Stream(5, 6, 7)
    for _ in range(3):
        word = twin.next()
        assert [int(rng.coin(stream)) for _ in range(64)] == [word >> k & 1 for k in range(64)]


def test_coins_taken_together_are_coins_taken_one_by_one():
    """`coins` never throws one away, whatever `take_coins` leaves."""
    together, single = stream_of(1, 1, 1), stream_of(1, 1, 1)
    for k in range(400):
        ready = int(rng.coins(together))
        assert 1 <= ready <= 64
        n = min(ready, k % 9)
        bits = [int(together[4]) >> bit & 1 for bit in range(n)]
        rng.take_coins(together, n)
        assert bits == [int(rng.coin(single)) for _ in range(n)]


def test_uniform_has_53_bits_below_1():
    stream, twin = stream_of(1, 2, 3), streams.Stream(1, 2, 3)
    for _ in range(100):
        assert rng.uniform(stream) == (twin.next() >> 11) / 2**53
    assert rng.uniform(stream_at(state_before(MASK))) == 1 - 2**-53
    assert rng.uniform(stream_at(state_before(0))) == 0.0


# --------------------------------------------------------------------------------------------------------- the shuffle


def test_batches_are_as_large_as_the_limit_allows():
    """For each number of cards left: the bounds that one word serves, from that number downwards."""
    for left in range(2, rng.LARGEST_SHUFFLE + 1):
        size, product = int(rng.BATCH_SIZES[left]), int(rng.BATCH_PRODUCTS[left])
        bounds = list(range(left, left - size, -1))
        assert bounds[-1] >= 2
        assert product == prod(bounds) <= rng.BATCH_LIMIT == streams.BATCH_LIMIT
        assert bounds[-1] == 2 or product * (bounds[-1] - 1) > rng.BATCH_LIMIT


def test_52_cards_take_four_words():
    left, drawn = 52, 0
    while left > 1:
        left, drawn = left - int(rng.BATCH_SIZES[left]), drawn + 1
    assert drawn == 4


@given(st.integers(2, 128), words)
def test_a_batch_from_any_first_word(n, word):
    stream, twin = stream_at(state_before(word)), twin_at(state_before(word))
    ours, theirs = np.arange(n), list(range(n))
    rng.shuffle(stream, ours, n)
    twin.shuffle(theirs)

    assert ours.tolist() == theirs
    assert stream[:4].tolist() == twin.state


@pytest.mark.parametrize("n", [3, 5, 10, 19, 20, 21, 52, 104, 128])
def test_a_batch_rejects_exactly_the_surplus_words(n):
    """A word is refused if and only if what is left of it is below 2^64 mod the product of the bounds."""
    product = int(rng.BATCH_PRODUCTS[n])
    surplus = 2**64 % product
    power = product & -product  # words whose low product is a given multiple of this power of two can be found
    odd, refused, kept = product // power, 0, 0
    inverse = pow(odd, -1, 2**64)
    for low in (0, surplus // power - 1, surplus // power, surplus // power + 1, product // power):
        word = max(low, 0) * inverse & (2**64 // power - 1)
        assert word * product % 2**64 == max(low, 0) * power
        stream, second = stream_at(state_before(word)), stream_at(state_before(word))
        rng.next_word(second)
        found = int(rng.word_for_batch(stream, np.uint64(product)))
        if max(low, 0) * power < surplus:
            refused += 1
            assert stream[:4].tolist() != second[:4].tolist()
        else:
            kept += 1
            assert found == word
            assert stream[:4].tolist() == second[:4].tolist()
    assert kept > 0
    assert refused > 0 or surplus == 0


@kernel
def count_orders(stream, games, counts):
    """Orders of four cards, by their number in base 4."""
    cards = np.zeros(4, np.int64)
    for _ in range(games):
        for k in range(4):
            cards[k] = k
        rng.shuffle(stream, cards, 4)
        counts[((cards[0] * 4 + cards[1]) * 4 + cards[2]) * 4 + cards[3]] += 1


def test_all_orders_of_four_cards_are_equally_likely():
    games = 5_000 if PLAIN else 500_000
    counts = np.zeros(256, np.int64)
    count_orders(stream_of(4, 4, 4), games, counts)
    legal = [((a * 4 + b) * 4 + c) * 4 + d for a, b, c, d in permutations(range(4))]

    assert counts[legal].sum() == games
    assert 1e-4 < stats.chisquare(counts[legal]).pvalue < 1 - 1e-4


CARDS = 52


@kernel
def swap_with_any_position(stream, cards, n):
    """A common mistake: each card is exchanged with a card of any place, which favours some orders."""
    for i in range(n):
        j = rng.below(stream, n)
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def count_places(seed, games, biased, places, follows):
    """places: card by position; follows: card by the next card, with card 52 for the ends of the deck. Each shuffle begins with an ordered deck."""
    stream = np.zeros(6, np.uint64)
    cards = np.zeros(CARDS, np.uint8)
    rng.open_stream(stream, seed, 0, 0)
    for _ in range(games):
        for k in range(CARDS):
            cards[k] = k
        if biased:
            swap_with_any_position(stream, cards, CARDS)
        else:
            rng.shuffle(stream, cards, CARDS)
        last = np.int64(CARDS)
        for k in range(CARDS):
            card = np.int64(cards[k])
            places[card, k] += 1
            follows[last, card] += 1
            last = card
        follows[last, CARDS] += 1


def place_p_value(places: np.ndarray) -> float:
    """Card by position: all rows and columns add up to the number of shuffles, so (52 - 1)^2 = 2601 degrees of freedom."""
    n, games = len(places), places[0].sum()
    statistic = (n - 1) / n * ((places - games / n) ** 2 / (games / n)).sum()
    return float(stats.chi2.sf(statistic, (n - 1) ** 2))


def follow_p_value(follows: np.ndarray) -> float:
    """Ordered pairs of neighbours.

    With a 53rd card for the ends a uniform shuffle is a uniform cycle of n = 53 cards. The deviations from the mean then split into a
    symmetric part, with variance 1 / (n - 1) in each of n (n - 3) / 2 directions, and an antisymmetric part, with variance
    n / ((n - 1) (n - 2)) in each of (n - 1) (n - 2) / 2: from P(b follows a) = 1 / (n - 1), and 1 / ((n - 1) (n - 2)) for two such pairs.
    """
    n, games = len(follows), follows[0].sum()
    apart = follows - games / (n - 1) * (1 - np.eye(n))
    symmetric, rest = (apart + apart.T) / 2, (apart - apart.T) / 2
    statistic = (symmetric**2).sum() * (n - 1) + (rest**2).sum() * (n - 1) * (n - 2) / n
    return float(stats.chi2.sf(statistic / games, n * (n - 3) // 2 + (n - 1) * (n - 2) // 2))


def shuffle_p_values(seed: int, games: int, biased: bool) -> tuple[float, float]:
    places, follows = np.zeros((CARDS, CARDS), np.int64), np.zeros((CARDS + 1, CARDS + 1), np.int64)
    count_places(seed, games, biased, places, follows)
    assert places.sum(axis=0).tolist() == places.sum(axis=1).tolist() == [games] * CARDS
    assert follows.sum(axis=0).tolist() == follows.sum(axis=1).tolist() == [games] * (CARDS + 1)
    return place_p_value(places), follow_p_value(follows)


@many_shuffles
def test_shuffles_are_uniform_by_place_and_by_neighbour():
    fair, biased = shuffle_p_values(1, 100_000, False), shuffle_p_values(1, 100_000, True)

    assert all(1e-4 < p < 1 - 1e-4 for p in fair), fair
    assert all(p < 1e-4 for p in biased), biased


@pytest.mark.slow
@many_shuffles
def test_ten_million_shuffles_are_uniform_by_place_and_by_neighbour():
    """And the same test refuses the shuffle that swaps with any position."""
    fair, biased = shuffle_p_values(20261130, 10_000_000, False), shuffle_p_values(20261130, 1_000_000, True)

    assert all(1e-4 < p < 1 - 1e-4 for p in fair), fair
    assert all(p < 1e-4 for p in biased), biased


@many_shuffles
def test_the_p_values_of_fair_shuffles_are_uniform():
    """The two statistics have the distributions that are claimed for them: 300 small samples of each."""
    p_values = np.array([shuffle_p_values(seed, 3_000, False) for seed in range(300)])

    for column in p_values.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4


@settings(max_examples=30)
@given(st.integers(0, 2**63 - 1), st.integers(0, 2**20))
def test_reopening_a_stream_begins_it_again(seed, deal):
    """Coins that were left are gone."""
    stream = stream_of(seed, deal, 1)
    fresh = stream.copy()
    rng.coin(stream)
    rng.next_word(stream)
    rng.open_stream(stream, np.int64(seed), np.int64(deal), np.int64(1))

    assert stream.tolist() == fresh.tolist()
