"""Random streams of the reference games, in plain Python integers.

A stream is named by (seed, deal, purpose).  Its first state is one block of
the counter-based generator Philox4x64-10; its words then come from
xoshiro256++.
"""

WORD = 2**64
MASK = WORD - 1

# Purposes: what a stream is used for.
DEAL = 0  # shuffling the deck before the deal
CHANCE = 1  # everything random after the deal
SEAT = 2**20  # SEAT + s: the random choices of the player in seat s

# Philox4x64 constants (Random123).
MULTIPLIER_0 = 0xD2E7470EE14C6C93
MULTIPLIER_1 = 0xCA5A826395121157
WEYL_0 = 0x9E3779B97F4A7C15
WEYL_1 = 0xBB67AE8584CAA73B
ROUNDS = 10

# Coins that one word serves.
COINS = 64

# The product of the bounds drawn from one word stays at most this.
BATCH_LIMIT = 2**60


def philox4x64(counter, key):
    """One block: four words from a counter of four words and a key of two."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(ROUNDS):
        product_0 = MULTIPLIER_0 * c0
        product_1 = MULTIPLIER_1 * c2
        high_0, low_0 = product_0 >> 64, product_0 & MASK
        high_1, low_1 = product_1 >> 64, product_1 & MASK
        c0, c1, c2, c3 = high_1 ^ c1 ^ k0, low_1, high_0 ^ c3 ^ k1, low_0
        k0 = (k0 + WEYL_0) & MASK
        k1 = (k1 + WEYL_1) & MASK
    return [c0, c1, c2, c3]


def rotate_left(word, count):
    return ((word << count) | (word >> (64 - count))) & MASK


class Stream:
    """The words of one (seed, deal, purpose)."""

    def __init__(self, seed, deal, purpose):
        self.state = philox4x64([deal & MASK, 0, 0, 0], [seed & MASK, purpose & MASK])
        # Coins are kept apart: the other draws take fresh words meanwhile.
        self.reservoir = 0
        self.coins_left = 0

    def next(self):
        """The next 64-bit word (xoshiro256++)."""
        s0, s1, s2, s3 = self.state
        word = (rotate_left((s0 + s3) & MASK, 23) + s0) & MASK
        shifted = (s1 << 17) & MASK
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= shifted
        s3 = rotate_left(s3, 45)
        self.state = [s0, s1, s2, s3]
        return word

    def coin(self):
        """A fair coin, 0 or 1: the bits of one word in turn, lowest first."""
        if self.coins_left == 0:
            self.reservoir = self.next()
            self.coins_left = COINS
        side = self.reservoir & 1
        self.reservoir >>= 1
        self.coins_left -= 1
        return side

    def below(self, n):
        """A uniform number 0..n-1 (Lemire's method with rejection)."""
        product = self.next() * n
        low = product % WORD
        if low < n:
            threshold = WORD % n
            while low < threshold:
                product = self.next() * n
                low = product % WORD
        return product >> 64

    def batch(self, bounds):
        """One uniform number below each of `bounds`, all from one word.

        The product of the bounds must be at most BATCH_LIMIT.
        """
        product = 1
        for bound in bounds:
            product *= bound
        indices, rest = self._split(bounds)
        if rest < product:
            threshold = WORD % product
            while rest < threshold:
                indices, rest = self._split(bounds)
        return indices

    def _split(self, bounds):
        """Draw a word and split it: the indices, and what is left of the word."""
        rest = self.next()
        indices = []
        for bound in bounds:
            scaled = rest * bound
            indices.append(scaled >> 64)
            rest = scaled % WORD
        return indices, rest

    def shuffle(self, cards):
        """Shuffle a list in place: Fisher-Yates from the last position down."""
        bound = len(cards)
        while bound >= 2:
            bounds = []
            product = 1
            while bound >= 2 and product * bound <= BATCH_LIMIT:
                bounds.append(bound)
                product *= bound
                bound -= 1
            for size, j in zip(bounds, self.batch(bounds)):
                i = size - 1
                cards[i], cards[j] = cards[j], cards[i]
