"""Random streams: one for each (seed, deal, purpose), so that any game can be played alone, anywhere, in any order.

Philox 4x64-10 (Salmon, Moraes, Dror, Shaw, SC'11) turns (seed, deal, purpose) into the 256-bit starting state of a
xoshiro256++ stream (Blackman, Vigna 2021). Philox is a bijection of the deal for each (seed, purpose), so no two
streams of one purpose start alike; xoshiro256++ is the faster of the two to run on.

Bounded integers are unbiased: Lemire's multiplication with rejection (ACM TOMACS 29:3, 2019). Shuffles are
Fisher-Yates, several draws to a word (Brackett-Rozinsky, Lemire 2024), exact as well.

A 64-bit seed reaches a vanishing share of the 52! = 2^225.6 deals. That is harmless for simulation: it takes more
games than anybody can play to notice.

This is the only module where unsigned integers are used: mixed with signed ones they change type in compiled code.
"""

from __future__ import annotations

import numpy as np

from simkit.jit import kernel, wide_multiply

DEAL = 0
"""Purpose of the stream that shuffles the deck."""
CHANCE = 1
"""Purpose of the stream for everything else that is random in a game: pick-ups, coins, lots."""
RESHUFFLE = 1 << 16
"""Purpose of the first reshuffle of a deck in the course of a game; the n-th has RESHUFFLE + n."""
SEAT = 1 << 20
"""Purpose of seat 0's own stream, which its strategy draws from; seat s has SEAT + s."""
TRIAL = 1 << 21
"""Purpose of the streams of a search, which plays a position out many times."""

MULTIPLIER_0, MULTIPLIER_1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
WEYL_0, WEYL_1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
ZERO, ONE, SIXTY_FOUR = np.uint64(0), np.uint64(1), np.uint64(64)
S17, S19, S23, S41, S45 = (np.uint64(n) for n in (17, 19, 23, 41, 45))

LARGEST_SHUFFLE = 256
BATCH_LIMIT = 1 << 60
"""Product of the bounds drawn from one word: large enough for 4 words a deck, small enough to reject 1 word in 16 at most."""


def _batches() -> tuple[np.ndarray, np.ndarray]:
    """For each number of cards left: how many draws the next word serves, and the product of their bounds."""
    sizes, products = np.zeros(LARGEST_SHUFFLE + 1, np.int64), np.zeros(LARGEST_SHUFFLE + 1, np.uint64)
    for bound in range(2, LARGEST_SHUFFLE + 1):
        size, product = 1, bound
        while bound - size > 1 and product * (bound - size) <= BATCH_LIMIT:
            product *= bound - size
            size += 1
        sizes[bound], products[bound] = size, product
    return sizes, products


BATCH_SIZES, BATCH_PRODUCTS = _batches()


@kernel
def philox(counter, key_0, key_1):
    """Four random words from Philox 4x64-10 at counter (counter, 0, 0, 0) and this key."""
    c0, c1, c2, c3 = np.uint64(counter), ZERO, ZERO, ZERO
    k0, k1 = np.uint64(key_0), np.uint64(key_1)
    for _ in range(10):
        high_0, low_0 = wide_multiply(MULTIPLIER_0, c0)
        high_1, low_1 = wide_multiply(MULTIPLIER_1, c2)
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 = k0 + WEYL_0
        k1 = k1 + WEYL_1
    return c0, c1, c2, c3


@kernel
def open_stream(stream, seed, deal, purpose):
    """Set `stream` (uint64 array of 6) to the start of the stream of (seed, deal, purpose).

    Words 0 to 3 are the generator's state, word 4 holds coins not used yet (lowest bit first), word 5 how many.
    """
    stream[0], stream[1], stream[2], stream[3] = philox(deal, seed, purpose)
    stream[4] = ZERO
    stream[5] = ZERO


@kernel
def advance(s0, s1, s2, s3):
    """One step of xoshiro256++: (word, new state). The plain form on four words, for loops that keep them in registers."""
    sum_ = s0 + s3
    word = ((sum_ << S23) | (sum_ >> S41)) + s0
    t = s1 << S17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = (s3 << S45) | (s3 >> S19)
    return word, s0, s1, s2, s3


@kernel
def next_word(stream):
    """The next 64 random bits of a stream."""
    word, stream[0], stream[1], stream[2], stream[3] = advance(stream[0], stream[1], stream[2], stream[3])
    return word


@kernel
def below(stream, n):
    """A uniform integer in 0..n-1 as int64; n >= 1."""
    bound = np.uint64(n)
    high, low = wide_multiply(next_word(stream), bound)
    if low < bound:
        threshold = (ZERO - bound) % bound
        while low < threshold:
            high, low = wide_multiply(next_word(stream), bound)
    return np.int64(high)


@kernel
def coins(stream):
    """How many coins (1 to 64) lie ready in the stream, after drawing a word for 64 more if there are none."""
    if stream[5] == ZERO:
        stream[4] = next_word(stream)
        stream[5] = SIXTY_FOUR
    return np.int64(stream[5])


@kernel
def take_coins(stream, n):
    """Use up n coins of those that lie ready, 0 <= n <= 63."""
    stream[4] = stream[4] >> np.uint64(n)
    stream[5] = stream[5] - np.uint64(n)


@kernel
def coin(stream):
    """A fair coin: 0 or 1; 64 of them come out of one word, lowest bit first."""
    coins(stream)
    side = np.int64(stream[4] & ONE)
    take_coins(stream, 1)
    return side


@kernel
def uniform(stream):
    """A float64 in [0, 1) with 53 random bits."""
    return (next_word(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def word_for_batch(stream, product):
    """A word whose successive draws with bounds of this product are exactly uniform."""
    word = next_word(stream)
    # The low word left after all draws is word * product (mod 2^64), so the test can come first.
    if word * product < product:
        threshold = (ZERO - product) % product
        while word * product < threshold:
            word = next_word(stream)
    return word


@kernel
def shuffle(stream, cards, n):
    """Shuffle cards[:n] uniformly (any integer array, n <= 256): Fisher-Yates, downwards, several draws to a word."""
    left = np.uint64(n)
    while left > ONE:
        word = word_for_batch(stream, BATCH_PRODUCTS[left])
        last = left - np.uint64(BATCH_SIZES[left])
        while left > last:
            j, word = wide_multiply(word, left)
            left -= ONE
            cards[left], cards[j] = cards[j], cards[left]
