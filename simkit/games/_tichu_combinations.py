"""The combinations of Tichu: sets of cards, which moves there are, and whether there is any (docs/rules/tichu.md, 2.4, 2.7, 2.8).

A set of cards is an int64 of 14 nibbles: nibble r - 1 holds the four suits of rank r; nibble 0 (rank 1) holds the four
specials, Mah Jong lowest. A *mask of ranks* has the lowest bit of a nibble for each rank in it.

A move is cards | type << 56 | rank << 59, so that every reading is explicit. Pass is 0.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from simkit.jit import count_ones, lowest_one, part

MAH_JONG, DOG, PHOENIX, DRAGON = 1, 2, 4, 8
"""The specials, as sets of one card."""
CARDS = (1 << 56) - 1
SPECIALS = 15
ORDINARY = CARDS ^ SPECIALS
RANKS = 0x11111111111111
"""The mask of all ranks."""
ACE, DRAGON_RANK = 14, 15
TYPE, RANK = 56, 59
"""Where a move's type and its rank begin."""
SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, FOUR, FLUSH = range(8)
PASS = 0
SHORTEST_FLUSH, LONGEST_FLUSH = 5, 13
LONGEST_STRAIGHT, MOST_PAIRS = 14, 7
HIGH = 1
"""How the Phoenix is read where there is a choice (D19, D22)."""
EVERYTHING, NO_BOMBS, SINGLES_ONLY = range(3)
"""What counts as being able to fulfil a wish (D30)."""

MOST_CHOICES = 6


def _choices() -> np.ndarray:
    """For k cards of a nibble, at [16 * k + nibble]: the subsets, ascending, four bits each, and above them their number."""
    table = np.zeros(16 * 5, np.int64)
    for k in range(1, 5):
        for nibble in range(16):
            suits = [1 << suit for suit in range(4) if nibble >> suit & 1]
            subsets = sorted(sum(chosen) for chosen in combinations(suits, k))
            table[16 * k + nibble] = sum(subset << 4 * place for place, subset in enumerate(subsets)) | len(subsets) << 4 * MOST_CHOICES
    return table


CHOICES = _choices()

# ------------------------------------------------------------------------------------------------------ sets of cards


@part
def move_type(move):
    """Its type; 0 for a pass too."""
    return (move >> TYPE) & 7


@part
def natural(rank):
    """All ordinary cards of a rank 2…14."""
    return np.int64(15) << (4 * rank - 4)


@part
def nibble_counts(hand):
    """In each nibble how many ordinary cards of its rank there are."""
    cards = hand & ORDINARY
    halves = cards - ((cards >> 1) & 0x55555555555555)
    return (halves & 0x33333333333333) + ((halves >> 2) & 0x33333333333333)


@part
def at_least(counts, k):
    """The mask of ranks of which there are at least k, 1 <= k <= 4."""
    return ((counts + RANKS * (8 - k)) >> 3) & RANKS


@part
def run_mask(length):
    """The mask of ranks 1 to length."""
    return RANKS & ((np.int64(1) << (4 * length)) - 1)


@part
def starts(lowest, length):
    """The mask of ranks from `lowest` on at which a run of this length can begin."""
    return RANKS & ((np.int64(1) << (4 * (ACE + 1 - length))) - 1) & ~((np.int64(1) << (4 * lowest - 4)) - 1)


@part
def runs(held, length):
    """Where runs of this length begin in a mask of ranks, or in a set of cards for runs in one suit."""
    found = held
    for k in range(1, length):
        found &= held >> (4 * k)
    return found


@part
def runs_but_one(full, some, length):
    """Where runs of this length begin of which one rank need only be in the mask `some`, the others in `full`, a part of it."""
    whole, but_one = full, some
    for k in range(1, length):
        but_one = (but_one & (full >> (4 * k))) | (whole & (some >> (4 * k)))
        whole &= full >> (4 * k)
    return but_one


@part
def fours(hand):
    """The mask of ranks of which the hand has all four cards."""
    cards = hand & ORDINARY
    two = cards & (cards >> 1)
    return two & (two >> 2) & RANKS


@part
def flushes(hand):
    """The lowest cards of all straight flushes of five."""
    cards = hand & ORDINARY
    two = cards & (cards >> 4)
    return two & (two >> 8) & (cards >> 16)


@part
def in_flushes(hand):
    """The cards of a hand that belong to five or more of a row in one suit."""
    lowest = flushes(hand)
    found = lowest | (lowest << 4)
    return found | (found << 8) | (lowest << 16)


@part
def has_bomb(hand):
    """Whether there is any bomb in the hand."""
    return fours(hand) != 0 or flushes(hand) != 0


@part
def points(cards):
    """Card points (section 1)."""
    fives, tens = np.int64(15) << 16, (np.int64(15) << 36) | (np.int64(15) << 48)
    found = 5 * count_ones(cards & fives) + 10 * count_ones(cards & tens)
    return found + 25 * ((cards >> 3) & 1) - 25 * ((cards >> 2) & 1)


@part
def high_cards(cards):
    """How many of the six high cards: aces, Dragon, Phoenix."""
    return count_ones(cards & ((np.int64(15) << 52) | DRAGON | PHOENIX))


# ----------------------------------------------------------------------------------------------- is there any move?


@part
def bomb_beats(hand, top):
    """Whether the hand has a bomb that beats this top combination."""
    kind = move_type(top)
    if kind < FOUR:
        return has_bomb(hand)
    if kind == FOUR:
        return (fours(hand) >> (4 * (top >> RANK))) != 0 or flushes(hand) != 0
    length = count_ones(top & CARDS)
    cards = hand & ORDINARY
    found = runs(cards, length)
    if (found >> (4 * ((top >> RANK) + 1 - length))) != 0:
        return True
    return (found & (cards >> (4 * length))) != 0


@part
def complete(hand, each):
    """The mask of ranks of which the hand has `each` natural cards, the Mah Jong counted as one of rank 1."""
    held = at_least(nibble_counts(hand), each)
    return held | (hand & MAH_JONG) if each == 1 else held


@part
def run_starts(hand, each, ranks):
    """Where runs of so many ranks begin that the hand can make, `each` cards of a rank: 1 in straights, 2 in pair runs.

    The Phoenix takes the place of one card at most, and never of the Mah Jong.
    """
    held = complete(hand, each)
    if hand & PHOENIX:
        return runs_but_one(held, held | (at_least(nibble_counts(hand), each - 1) & (RANKS ^ 1)), ranks)
    return runs(held, ranks)


@part
def same_beats(hand, top):
    """Whether the hand has a combination of the top's own type and length that beats it; the top is no bomb."""
    kind, rank = move_type(top), top >> RANK
    if kind == SINGLE:
        if rank == DRAGON_RANK:
            return False
        return (hand >> (4 * rank)) != 0 or (hand & DRAGON) != 0 or (hand & PHOENIX) != 0
    phoenix = (hand >> 2) & 1
    if kind == STRAIGHT or kind == PAIR_RUN:
        each = np.int64(1 if kind == STRAIGHT else 2)
        ranks = count_ones(top & CARDS) >> (each - 1)
        return (run_starts(hand, each, ranks) & starts(rank + 2 - ranks, ranks)) != 0
    counts = nibble_counts(hand)
    if kind < PAIR_RUN:
        return (at_least(counts, kind + 1 - phoenix) >> (4 * rank)) != 0
    one, two, three = at_least(counts, 1), at_least(counts, 2), at_least(counts, 3)
    if (three >> (4 * rank)) != 0 and count_ones(one if phoenix == 1 else two) >= 2:
        return True
    return phoenix == 1 and (two >> (4 * rank)) != 0 and count_ones(two) >= 2


# ------------------------------------------------------------------------------------ moves that differ in suits only


@part
def lowest_suits(hand, move):
    """Of all moves that are this one but for suits that cannot matter the one with the lowest suits.

    A suit matters only where a card belongs to a straight flush of the hand: such cards stay as they are (section 4).
    """
    free = ORDINARY & ~in_flushes(hand)
    left = move & free
    found = move ^ left
    while left != 0:
        place = lowest_one(left) & ~3
        nibble = np.int64(15) << place
        choices = CHOICES[16 * count_ones(left & nibble) + (((hand & free) >> place) & 15)]
        found |= (choices & 15) << place
        left &= ~nibble
    return found


@part
def near_flush(hand, card):
    """Whether the hand has this ordinary card and three more of five neighbouring ranks of its suit."""
    place = lowest_one(card)
    rank, suit = (place >> 2) + 1, (hand >> (place & 3)) & (RANKS ^ 1)
    for lowest in range(max(rank - 4, 2), min(rank, ACE - 4) + 1):
        if count_ones(suit & (run_mask(5) << (4 * lowest - 4))) >= 4:
            return True
    return False


@part
def lowest_to_push(hand, card):
    """Of the cards of a rank whose suits are taken not to matter the lowest; the card itself if its suit matters.

    It matters where one card from another player may complete a straight flush.
    """
    if card & SPECIALS or near_flush(hand, card):
        return card
    left = hand & (np.int64(15) << (lowest_one(card) & ~3))
    while near_flush(hand, left & -left):
        left &= left - 1
    return left & -left


# ------------------------------------------------------------------------------------------------- writing the moves


@part
def write_choices(moves, n, base, hand, rank, k):
    """A move for each choice of k cards of one rank, added to `base`; returns the new number of moves."""
    choices = CHOICES[16 * k + ((hand >> (4 * rank - 4)) & 15)]
    for _ in range(choices >> (4 * MOST_CHOICES)):
        moves[n] = base | ((choices & 15) << (4 * rank - 4))
        choices >>= 4
        n += 1
    return n


@part
def multiply(moves, first, n, hand, rank, k):
    """Each move from `first` on, once for each choice of k cards of one rank added to it; the lower ranks vary fastest."""
    nibble = (hand >> (4 * rank - 4)) & 15
    choices = CHOICES[16 * k + (nibble if rank > 1 else nibble & MAH_JONG)]
    block = n - first
    chosen = (choices & 15) << (4 * rank - 4)
    for _ in range(1, choices >> (4 * MOST_CHOICES)):
        choices >>= 4
        for i in range(first, first + block):
            moves[n] = moves[i] | ((choices & 15) << (4 * rank - 4))
            n += 1
    for i in range(first, first + block):
        moves[i] |= chosen
    return n


@part
def write_run(moves, n, hand, lowest, length, k, joker, tag):
    """All runs of this length from `lowest` on with k cards of each rank; at rank `joker` (0: none) the Phoenix takes the place of one."""
    moves[n] = tag | PHOENIX if joker > 0 else tag
    first = n
    n += 1
    for rank in range(lowest, lowest + length):
        wanted = k - np.int64(rank == joker)
        if wanted > 0:
            n = multiply(moves, first, n, hand, rank, wanted)
    return n


@part
def drop_flushes(moves, first, n, hand, lowest, length):
    """Take out straights that are straight flushes (D18)."""
    run = run_mask(length) << (4 * lowest - 4)
    suits = np.int64(15)
    for rank in range(lowest, lowest + length):
        suits &= hand >> (4 * rank - 4)
    if suits == 0:
        return n
    kept = first
    for i in range(first, n):
        cards = moves[i] & CARDS
        if cards != run and cards != run << 1 and cards != run << 2 and cards != run << 3:
            moves[kept] = moves[i]
            kept += 1
    return kept


@part
def write_runs(moves, n, hand, each, ranks, above, rules):
    """Straights (`each` = 1) or pair runs (2) of so many ranks that end above `above`."""
    held, phoenix, run = complete(hand, each), (hand >> 2) & 1, run_mask(ranks)
    tag = np.int64(STRAIGHT if each == 1 else PAIR_RUN) << TYPE
    left = run_starts(hand, each, ranks) & starts(max(above + 2 - ranks, np.int64(1)), ranks)
    while left != 0:
        place = lowest_one(left)
        left &= left - 1
        lowest = (place >> 2) + 1
        highest = lowest + ranks - 1
        missing = run & ~(held >> place)
        for k in range(1 + phoenix * ranks):
            joker = lowest + k - 1 if k > 0 else np.int64(0)
            if missing != 0 and (k == 0 or missing != np.int64(1) << (4 * (k - 1))):
                continue
            if joker == 1 or (each == 1 and k == 1 and highest < ACE and rules.phoenix_straight == HIGH):
                continue
            first = n
            n = write_run(moves, n, hand, lowest, ranks, each, joker, tag | (highest << RANK))
            if each == 1 and k == 0 and lowest > 1 and rules.sf_as_straight == 0:
                n = drop_flushes(moves, first, n, hand, lowest, ranks)
    return n


@part
def write_all_runs(moves, n, hand, each, top, rules):
    """Straights (`each` = 1) or pair runs (2): of the top's length above it; on a lead (top = 0) of every length."""
    ranks, longest, above = np.int64(rules.min_straight), np.int64(LONGEST_STRAIGHT), top >> RANK
    if each == 2:
        ranks, longest = np.int64(rules.min_pair_run), np.int64(MOST_PAIRS)
    if top != 0:
        ranks = count_ones(top & CARDS) >> (each - 1)
        longest = ranks
    while ranks <= longest and run_starts(hand, each, ranks) & starts(np.int64(1), ranks) != 0:
        n = write_runs(moves, n, hand, each, ranks, above, rules)
        ranks += 1
    return n


@part
def write_equals(moves, n, hand, k, above):
    """Pairs (k = 2) or triples (k = 3) of a rank above `above`."""
    phoenix = (hand >> 2) & 1
    left = at_least(nibble_counts(hand), k - phoenix) & starts(above + 1, 1)
    while left != 0:
        rank = (lowest_one(left) >> 2) + 1
        left &= left - 1
        tag = (np.int64(k - 1) << TYPE) | (rank << RANK)
        n = write_choices(moves, n, tag, hand, rank, k)
        if phoenix == 1:
            n = write_choices(moves, n, tag | PHOENIX, hand, rank, k - 1)
    return n


@part
def write_two_ranks(moves, n, base, hand, three, k, two, j):
    """k cards of rank `three` and j of rank `two`, in ascending order."""
    first = n
    n = write_choices(moves, n, base, hand, min(three, two), k if three < two else j)
    return multiply(moves, first, n, hand, max(three, two), j if three < two else k)


@part
def write_full_house(moves, n, hand, three, two, rules):
    """Full houses of these two ranks; with the Phoenix, first those in which it stands for the lower one."""
    counts, tag = nibble_counts(hand), (np.int64(FULL_HOUSE) << TYPE) | (three << RANK)
    for way in range(1 + 2 * ((hand >> 2) & 1)):
        of_pair = np.int64(way > 0 and (way == 1) == (two < three))
        of_triple = np.int64(way > 0) - of_pair
        k, j = 3 - of_triple, 2 - of_pair
        # Two pairs and the Phoenix may be read in two ways (D19).
        read_high = of_triple == 1 and two > three and rules.phoenix_full_house == HIGH
        if (counts >> (4 * three - 4)) & 15 >= k and (counts >> (4 * two - 4)) & 15 >= j and not read_high:
            n = write_two_ranks(moves, n, tag | PHOENIX if way > 0 else tag, hand, three, k, two, j)
    return n


@part
def write_full_houses(moves, n, hand, above, rules):
    """Full houses whose triple is of a rank above `above`."""
    phoenix, counts = (hand >> 2) & 1, nibble_counts(hand)
    triples = at_least(counts, 3 - phoenix) & starts(above + 1, 1)
    while triples != 0:
        place = lowest_one(triples)
        triples &= triples - 1
        pairs = at_least(counts, 2 - phoenix) & ~(np.int64(1) << place)
        while pairs != 0:
            n = write_full_house(moves, n, hand, (place >> 2) + 1, (lowest_one(pairs) >> 2) + 1, rules)
            pairs &= pairs - 1
    return n


@part
def write_flushes(moves, n, hand, length, above):
    """Straight flushes of this length whose rank is above `above`."""
    cards = hand & ORDINARY
    left = runs(cards, length) & ~((np.int64(1) << (4 * max(above + 1 - length, np.int64(1)))) - 1)
    run = run_mask(length)
    while left != 0:
        place = lowest_one(left)
        left &= left - 1
        moves[n] = (run << place) | (np.int64(FLUSH) << TYPE) | (((place >> 2) + length) << RANK)
        n += 1
    return n


@part
def write_bombs(moves, n, hand, top):
    """All bombs that beat the top combination; on a lead (top = 0) all bombs."""
    kind, rank = move_type(top), top >> RANK
    if kind < FLUSH:
        left = fours(hand) & (starts(rank + 1, 1) if kind == FOUR else RANKS)
        while left != 0:
            place = lowest_one(left)
            left &= left - 1
            moves[n] = (np.int64(15) << place) | (np.int64(FOUR) << TYPE) | (((place >> 2) + 1) << RANK)
            n += 1
    if flushes(hand) == 0:
        return n
    shortest = count_ones(top & CARDS) if kind == FLUSH else np.int64(SHORTEST_FLUSH)
    for length in range(shortest, LONGEST_FLUSH + 1):
        n = write_flushes(moves, n, hand, length, rank if kind == FLUSH and length == shortest else np.int64(0))
    return n


@part
def write_cards(moves, n, cards):
    """Ordinary cards as singles, ascending."""
    while cards != 0:
        place = lowest_one(cards)
        cards &= cards - 1
        moves[n] = (np.int64(1) << place) | (((place >> 2) + 1) << RANK)
        n += 1
    return n


@part
def write_singles(moves, n, hand, top):
    """Singles that beat the top single; on a lead (top = 0) all of them."""
    rank = top >> RANK
    if rank == DRAGON_RANK:
        return n
    if top == 0:
        if hand & DOG:
            moves[n] = DOG
            n += 1
        if hand & MAH_JONG:
            moves[n] = MAH_JONG | (np.int64(1) << RANK)
            n += 1
    if hand & PHOENIX:
        moves[n] = PHOENIX | (max(rank, np.int64(1)) << RANK)
        n += 1
    cards = hand & ORDINARY & ~((np.int64(1) << (4 * rank)) - 1)
    while cards != 0:
        place = lowest_one(cards)
        cards &= cards - 1
        moves[n] = (np.int64(1) << place) | (((place >> 2) + 1) << RANK)
        n += 1
    if hand & DRAGON:
        moves[n] = DRAGON | (np.int64(DRAGON_RANK) << RANK)
        n += 1
    return n


@part
def write_plays(moves, n, hand, top, rules):
    """All moves but bombs: of the top's own type and length and above it; on a lead (top = 0) of every type."""
    first, last, paired = move_type(top), move_type(top), True
    if top == 0:
        # Many leads are from a few odd cards: the types that they cannot make are not looked for.
        paired = (hand & PHOENIX) != 0 or at_least(nibble_counts(hand), 2) != 0
        first, last = np.int64(SINGLE), np.int64(STRAIGHT if count_ones(hand) >= SHORTEST_FLUSH else PAIR_RUN)
    for kind in range(first, last + 1):
        if not paired and PAIR <= kind <= FULL_HOUSE:
            continue
        if kind == SINGLE:
            n = write_singles(moves, n, hand, top)
        elif kind < PAIR_RUN:
            n = write_equals(moves, n, hand, kind + 1, top >> RANK)
        elif kind == FULL_HOUSE:
            n = write_full_houses(moves, n, hand, top >> RANK, rules)
        else:
            n = write_all_runs(moves, n, hand, np.int64(1 if kind == STRAIGHT else 2), top, rules)
    return n


# --------------------------------------------------------------------------------------------------- fulfilling a wish


@part
def flush_with(hand, rank, top):
    """Whether a straight flush with a card of this rank beats the top combination."""
    shortest, above = np.int64(SHORTEST_FLUSH), np.int64(0)
    if move_type(top) == FLUSH:
        shortest, above = count_ones(top & CARDS), top >> RANK
    cards = hand & ORDINARY
    for length in range(shortest, LONGEST_FLUSH + 1):
        found = runs(cards, length)
        lowest = rank + 1 - length
        if length == shortest:
            lowest = max(lowest, above + 2 - length)
        found &= ~((np.int64(1) << (4 * max(lowest - 1, np.int64(0)))) - 1)
        if (found & ((np.int64(1) << (4 * rank)) - 1)) != 0:
            return True
    return False


@part
def run_with(found, rank, length, above):
    """Whether one of the runs that begin at `found` contains this rank and ends above `above`."""
    lowest = max(rank + 1 - length, above + 2 - length, np.int64(1))
    return (found & starts(lowest, length) & ((np.int64(1) << (4 * rank)) - 1)) != 0


@part
def straight_with(hand, rank, top, flush_too):
    """Whether a straight with a natural card of this rank, which the hand has, beats the top straight."""
    length = count_ones(top & CARDS)
    if not run_with(run_starts(hand, 1, length), rank, length, top >> RANK):
        return False
    if hand & PHOENIX or flush_too == 1:
        return True
    # Without the Phoenix a run with no choice of cards may be a straight flush and nothing else.
    held = complete(hand, 1)
    for lowest in range(max(rank + 1 - length, (top >> RANK) + 2 - length, np.int64(1)), min(rank, ACE + 1 - length) + 1):
        if (runs(held, length) >> (4 * lowest - 4)) & 1:
            window = (hand >> (4 * lowest - 4)) & ((np.int64(1) << (4 * length)) - 1)
            if lowest == 1:
                return True
            suit = window & 15
            run = run_mask(length)
            if window != run * suit or count_ones(suit) > 1:
                return True
    return False


@part
def full_house_with(hand, rank, top):
    """Whether a full house with a natural card of this rank, which the hand has, beats the top full house."""
    counts, above, phoenix = nibble_counts(hand), top >> RANK, (hand >> 2) & 1
    held = (counts >> (4 * rank - 4)) & 15
    others = ~(np.int64(1) << (4 * rank - 4))
    one, two, three = at_least(counts, 1) & others, at_least(counts, 2) & others, at_least(counts, 3) & others
    if rank > above and ((held >= 3 and two != 0) or (phoenix == 1 and ((held >= 3 and one != 0) or (held >= 2 and two != 0)))):
        return True
    if (three >> (4 * above)) != 0 and held >= 2 - phoenix:
        return True
    return phoenix == 1 and (two >> (4 * above)) != 0 and held >= 2


@part
def can_fulfil(hand, rank, top, rules):
    """Whether some legal move within `wish_scope` contains a natural card of the wished rank (2.7)."""
    held = count_ones(hand & natural(rank))
    if held == 0:
        return False
    if top == 0:
        return True
    kind, above, phoenix = move_type(top), top >> RANK, (hand >> 2) & 1
    if rules.wish_scope == EVERYTHING:
        if held == 4 and (kind < FOUR or (kind == FOUR and rank > above)):
            return True
        if flushes(hand) != 0 and flush_with(hand, rank, top):
            return True
    if kind == SINGLE:
        return rank > above
    if kind >= FOUR or rules.wish_scope == SINGLES_ONLY:
        return False
    if kind == STRAIGHT:
        return straight_with(hand, rank, top, rules.sf_as_straight)
    if kind == PAIR_RUN:
        pairs = count_ones(top & CARDS) >> 1
        return run_with(run_starts(hand, 2, pairs), rank, pairs, above)
    if kind == FULL_HOUSE:
        return full_house_with(hand, rank, top)
    return rank > above and held >= kind + 1 - phoenix
