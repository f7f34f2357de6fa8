"""TEN's optimal score (docs/rules/ten.md, 2.10): the best runs a collection can show, over all ways to use its wilds.

A numbered wild given to a colour is as good as that number in that colour; a colour wild, or a full wild given to the
colour, fills any one gap. So the score is the maximum, over who gets the numbered and the full wilds, of four values
read from one table: the longest run in a set of numbers with some gaps filled.

A set of numbers is 9 bits, number 1 lowest. `owned` has one bit a kind of card (see `simkit.games.ten`), four times 9 bits
for the colours and, from bit 40, 9 for the numbered wilds. `wilds` has four bits a kind of wild, counting them: 4 for
the colours, 9 for the numbers, 1 for the full wild.

A value is packed so that its maximum settles ties as the page does (9.2): points, then full runs, then the points
in red, blue and orange.
"""

from __future__ import annotations

import numpy as np

from simkit.jit import byte_at, count_ones, kernel, part

COLOURS, NUMBERS = 4, 9
EVERY = (1 << NUMBERS) - 1
"""All nine numbers."""
NUMBERED = 40
"""Bit of the numbered wild 1 in `owned`."""
HASH_PLACE, NUMBERED_PLACE, FULL_PLACE = 0, 4, 13
"""Places of the colour wilds, the numbered wilds and the full wild in `wilds`."""
MANY = sum(0b1110 << 4 * (NUMBERED_PLACE + n) for n in range(NUMBERS))
"""Bits of `wilds` of which one is set if there are two numbered wilds of one number."""
MANY_COLOURED = sum(0b1000 << 4 * (HASH_PLACE + c) for c in range(COLOURS))
"""Bits of `wilds` of which one is set if there are eight wilds of one colour."""
MANY_FULL = 0b1110 << 4 * FULL_PLACE
"""Bits of `wilds` of which one is set if there are two full wilds."""
POINTS, FULL_RUNS, COLOUR_BITS = 32, 28, 7
"""Where the points begin in a packed value, where the full runs, and how many bits a colour's points have."""
FEW_WILDS = 2
"""Numbered and full wilds that are given out by trying all ways; with more, tables of subsets are quicker."""
NOTHING = -(1 << 60)
"""Below every value."""


def longest_runs() -> np.ndarray:
    """For each number of gaps filled (0 to 9) and each set of numbers: the longest run, flat, uint8."""
    table = np.zeros((NUMBERS + 1, EVERY + 1), np.uint8)
    intervals = [(b - a, ((1 << b) - 1) ^ ((1 << a) - 1)) for a in range(NUMBERS) for b in range(a + 1, NUMBERS + 1)]
    for numbers in range(EVERY + 1):
        for length, interval in intervals:
            gaps = (interval & ~numbers).bit_count()
            table[gaps:, numbers] = np.maximum(table[gaps:, numbers], length)
    return table.ravel()


LENGTH_BITS = 7
FULL_RUN, NO_RUN = LENGTH_BITS * (NUMBERS - 1), 63
"""The points of each length of run stand in one word, the *scale* of the rules: this many bits a length, from length 1 on.
Where a run of all numbers stands, and none (the word's highest bits are 0)."""
SCALES = np.array([sum(n << LENGTH_BITS * (n - 1) for n in range(max(shortest, 1), NUMBERS + 1)) for shortest in range(NUMBERS + 1)])
"""For each shortest run that scores the scale with a point for each number."""
PLACES = np.array([NO_RUN, *range(0, FULL_RUN + 1, LENGTH_BITS)])
"""For each length where it stands on the scale."""
RUNS = PLACES[longest_runs()].astype(np.uint8)
"""For each number of gaps filled and each set of numbers where its longest run stands; flat."""


MOST_FILLERS = 8
"""Gaps that can be filled, of which NEEDED knows."""
LEFT_BITS, WHICH_BITS, KEPT_BITS = 6, 12, 4
"""Where in an entry of NEEDED the place of the longest run left begins, and the lowest number; where in `kept_points` the points do."""


def least_needed() -> np.ndarray:
    """What of a set of numbers is needed least: for each number of gaps filled, each number given besides (0: none) and each set.

    Flat, uint16; in an entry: where the longest run stands on the scale; where the longest does that is left without one number of the
    set; NUMBERS less the lowest number (from 0) without which that is so.
    """
    longest = longest_runs().reshape(NUMBERS + 1, EVERY + 1)[: MOST_FILLERS + 1].astype(np.int64)
    sets = np.arange(EVERY + 1)
    table = np.zeros((MOST_FILLERS + 1, NUMBERS + 1, EVERY + 1), np.int64)
    for given in range(NUMBERS + 1):
        gift = 1 << given >> 1
        left = np.stack([np.where(sets >> n & 1 == 1, longest[:, sets & ~(1 << n) | gift], -1) for n in range(NUMBERS)])
        most = np.maximum(left.max(axis=0), 0)  # of no numbers none can go
        table[:, given] = PLACES[longest[:, sets | gift]] | PLACES[most] << LEFT_BITS | NUMBERS - left.argmax(axis=0) << WHICH_BITS
    return table.astype(np.uint16).ravel()


NEEDED = least_needed()


@part
def scale_of(rules):
    """The points of all lengths of runs: `points_at` reads them. Whether a run scores is hard to foretell, and this needs no jumps."""
    return SCALES[np.uint64(rules.min_run)] * rules.run_points + (rules.full_run_bonus << FULL_RUN)


@part
def points_at(scale, place):
    """The points that stand in one place of a scale."""
    return (scale >> place) & ((1 << LENGTH_BITS) - 1)


@part
def run_in(numbers, fillers):
    """Where on the scale the longest run stands of a set of numbers with so many gaps filled."""
    return byte_at(RUNS, min(fillers, NUMBERS) * (EVERY + 1) + numbers)


@part
def run_with_own(own, numbers, fillers):
    """As `run_in`, for runs that hold at least one of `own`: D16 false."""
    longest = np.int64(0)
    for a in range(NUMBERS):
        for b in range(a + 1, NUMBERS + 1):
            interval = ((np.int64(1) << b) - 1) ^ ((np.int64(1) << a) - 1)
            if interval & own != 0 and count_ones(interval & ~numbers) <= fillers:
                longest = max(longest, np.int64(b - a))
    return PLACES[longest]


@part
def value_at(scale, colour, place):
    """The packed value of a run in one colour that stands there on the scale."""
    points = points_at(scale, place)
    value = points * ((np.int64(1) << POINTS) + (np.int64(1) << (COLOUR_BITS * (COLOURS - 1 - colour))))
    return value + (np.int64(place == FULL_RUN) << FULL_RUNS)


@part
def colour_of(owned, colour):
    """The numbers owned in one colour."""
    return (owned >> (NUMBERS * colour)) & EVERY


@part
def fillers_of(wilds, colour):
    """How many colour wilds of one colour there are."""
    return (wilds >> (4 * colour)) & 15


@part
def with_two(rules, owned, wilds, first, second):
    """The value with up to two numbered or full wilds (one bit each, the full one's highest, or 0) still to give to colours."""
    base, best, scale = np.int64(0), np.int64(0), scale_of(rules)
    with_first, with_second = np.int64(NOTHING), np.int64(NOTHING)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = value_at(scale, c, run_in(own, fillers))
        base += bare
        given = first
        # The value with the first wild, with the second, with both.
        one = two = both = bare
        for ways in range(3 if second != 0 else 1 if first != 0 else 0):
            value = value_at(scale, c, run_in(own | (given & EVERY), fillers + (given >> NUMBERS)))
            one, two, both = value if ways == 0 else one, value if ways == 1 else two, value if ways == 2 else both
            given = second if ways == 0 else first | second
        best = max(best, max(both, one) - bare, max(with_first + two, with_second + one) - bare)
        with_first, with_second = max(with_first, one - bare), max(with_second, two - bare)
    return base + best


@part
def give_freely(owned, wilds):
    """Numbered wilds of which there are enough for every colour that lacks the number are given to all of them.

    Returns the numbers owned in the colours, wilds included, and the numbered wilds left over, four bits a number.
    """
    left = (wilds >> (4 * NUMBERED_PLACE)) & ((np.int64(1) << (4 * NUMBERS)) - 1)
    numbers = owned & ((np.int64(1) << (NUMBERS * COLOURS)) - 1)
    for n in range(NUMBERS):
        copies = (left >> (4 * n)) & 15
        if copies == 0:
            continue
        column = (np.int64(1) | (np.int64(1) << NUMBERS) | (np.int64(1) << (2 * NUMBERS)) | (np.int64(1) << (3 * NUMBERS))) << n
        if copies >= count_ones(column & ~numbers):
            numbers |= column
            left &= ~(np.int64(15) << (4 * n))
    return numbers, left


@part
def with_many(rules, owned, wilds):
    """The value whatever the wilds: colour by colour, the best for each multiset of numbered and number of full wilds used.

    A state is such a multiset: the numbered wilds left over are its digits, the full wilds its highest digit.
    """
    numbers, left = give_freely(owned, wilds)
    left |= ((wilds >> (4 * FULL_PLACE)) & 15) << (4 * NUMBERS)
    states = np.int64(1)
    for n in range(NUMBERS + 1):
        states *= ((left >> (4 * n)) & 15) + 1
    best, scale = np.zeros(states, np.int64), scale_of(rules)
    for c in range(COLOURS):
        own, fillers, real = colour_of(numbers, c), fillers_of(wilds, c), colour_of(owned, c)
        # Downwards, so that what is read has not been written yet. Of the last colour only the state with all wilds counts.
        for state in range(states - 1, states - 2 if c == COLOURS - 1 else -1, -1):
            found, used, given = np.int64(NOTHING), np.int64(0), np.int64(0)
            while used >= 0:
                full = given >> NUMBERS
                place = run_in(own | (given & EVERY), fillers + full)
                if not rules.wild_only_runs:
                    place = run_with_own(real, own | (given & EVERY), fillers + full)
                found = max(found, best[state - used] + value_at(scale, c, place))
                used, given = next_gift(left, own, state, used, given)
            best[state] = found
    return best[states - 1]


@part
def next_gift(left, own, state, used, given):
    """The next way to give a colour some of a state's wilds: at most one of each number that it lacks, any of the full ones.

    A gift is the state it uses up and `given`: a bit a number, and above them the count of full wilds. (-1, 0) after the last.
    """
    step = np.int64(1)
    for n in range(NUMBERS + 1):
        base = ((left >> (4 * n)) & 15) + 1
        there, has = (state // step) % base, (given >> n) & 1
        if n == NUMBERS:
            has = given >> NUMBERS
        if has < there and (n == NUMBERS or (has == 0 and (own >> n) & 1 == 0)):
            return used + step, given + (np.int64(1) << n)
        used -= has * step
        given -= has << n
        step *= base
    return np.int64(-1), np.int64(0)


@kernel
def optimum(rules, owned, wilds):
    """The packed optimal value of a collection (2.10): the points are `optimum >> POINTS`."""
    full = (wilds >> (4 * FULL_PLACE)) & 15
    if full > 1 or (wilds & MANY) != 0 or not rules.wild_only_runs:
        return with_many(rules, owned, wilds)
    # A numbered wild of a number that all colours have is of no use.
    numbers = (owned >> NUMBERED) & EVERY & ~(colour_of(owned, 0) & colour_of(owned, 1) & colour_of(owned, 2) & colour_of(owned, 3))
    count = count_ones(numbers) + full
    if count > FEW_WILDS:
        work = np.empty((ROWS, np.int64(1) << count), np.int64)
        ways = tabulate_pairs(rules, owned, wilds, numbers | (full << NUMBERS), work)
        best = np.int64(0)
        for subset in range(ways):
            best = max(best, work[PAIRS, subset] + work[PAIRS + 1, (ways - 1) ^ subset])
        return best
    items = numbers | (full << NUMBERS)
    first = items & -items
    return with_two(rules, owned, wilds, first, items ^ first)


@part
def has_single(rules, wilds):
    """Whether no two numbered or full wilds are of a kind, those of the colours are few, and a run may consist of wilds alone."""
    return wilds & (MANY | MANY_FULL | MANY_COLOURED) == 0 and rules.wild_only_runs


@part
def has_few(rules, owned, wilds):
    """Whether there is at most one numbered or full wild, and a run may consist of wilds alone: `points_with_few` can."""
    items = owned >> NUMBERED
    return items & (items - 1) == 0 and has_single(rules, wilds)


@part
def points_with_few(rules, owned, wilds):
    """The optimal score with at most one numbered or full wild: every colour's points, and the most that the wild adds to one."""
    items = owned >> NUMBERED
    given, more = items & EVERY, items >> NUMBERS
    points, most, scale = np.int64(0), np.int64(0), scale_of(rules)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = points_at(scale, run_in(own, fillers))
        points += bare
        most = max(most, points_at(scale, run_in(own | given, fillers + more)) - bare)
    return points + most


@part
def needed_in(numbers, given, fillers):
    """The entry of NEEDED for a set of numbers in one colour, a number given besides (0: none), and gaps filled."""
    return np.int64(NEEDED[np.uint64((fillers * (NUMBERS + 1) + given) * (EVERY + 1) + numbers)])


@part
def points_with(scale, entry):
    """The points of the run in an entry of NEEDED."""
    return points_at(scale, entry & 63)


@part
def kept_points(scale, entry):
    """The points that are left without the number least needed, and below them, in four bits, NUMBERS less that number.

    So the larger leaves more points, or as many without a lower number.
    """
    return points_at(scale, (entry >> LEFT_BITS) & 63) << KEPT_BITS | (entry >> WHICH_BITS)


@part
def gain_with_few(rules, owned, wilds, kind):
    """What one more number card adds to `points_with_few`: only its own colour has other points, and another use for the wild."""
    items = owned >> NUMBERED
    given, more = items & EVERY, items >> NUMBERS
    colour, scale = kind // NUMBERS, scale_of(rules)
    if items == 0:
        own, fillers = colour_of(owned, colour), fillers_of(wilds, colour)
        richer = own | (np.int64(1) << (kind - NUMBERS * colour))
        return points_at(scale, run_in(richer, fillers)) - points_at(scale, run_in(own, fillers))
    elsewhere, now, most, then, most_then = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = points_at(scale, run_in(own, fillers))
        with_wild = points_at(scale, run_in(own | given, fillers + more))
        if c == colour:
            now = bare
            most = with_wild
            own |= np.int64(1) << (kind - NUMBERS * colour)
            then = points_at(scale, run_in(own, fillers))
            most_then = points_at(scale, run_in(own | given, fillers + more))
        else:
            elsewhere = max(elsewhere, with_wild - bare)
    return max(most_then, then + elsewhere) - max(most, now + elsewhere)


@kernel
def optimal_score(rules, owned, wilds):
    """The optimal score of a collection in points (2.10)."""
    return points_with_few(rules, owned, wilds) if has_few(rules, owned, wilds) else optimum(rules, owned, wilds) >> POINTS


@part
def points_in(value, colour):
    """The points of one colour in a packed value."""
    return (value >> (COLOUR_BITS * (COLOURS - 1 - colour))) & ((1 << COLOUR_BITS) - 1)


@part
def full_runs_in(value):
    """The full runs in a packed value."""
    return (value >> FULL_RUNS) & 15


# ---------------------------------------------------------------------------- what each card of a collection is worth (2.8)

ITEMS = 5
"""Numbered and full wilds for which all ways to share them out are kept in a table."""
WAYS = 1 << ITEMS
VALUE, REST, GIVEN, PAIRS, ROWS = 0, COLOURS, 2 * COLOURS, 2 * COLOURS + 1, 2 * COLOURS + 3
"""Rows of a workspace, one entry for each subset of the wilds: what a colour makes of it, what the other three make of it,
the numbers in it, and what red and blue, and orange and green, make of it together."""


@part
def can_tabulate(rules, owned, wilds):
    """Whether `tabulate` can: few wilds, no two of a kind among the numbered and the full ones."""
    full = (wilds >> (4 * FULL_PLACE)) & 15
    return full < 2 and (wilds & MANY) == 0 and rules.wild_only_runs and count_ones(owned >> NUMBERED) <= ITEMS


@part
def share(work, one, other, into, ways):
    """What two of the rows make together of each subset."""
    for subset in range(ways):
        best, some = np.int64(NOTHING), np.int64(subset)
        while True:
            best = max(best, work[one, some] + work[other, subset ^ some])
            if some == 0:
                break
            some = (some - 1) & subset
        work[into, subset] = best


@part
def made_of(scale, work, colour, own, fillers, subset):
    """The packed value of a colour with a subset of the wilds."""
    given = work[GIVEN, subset]
    return value_at(scale, colour, run_in(own | (given & EVERY), fillers + (given >> NUMBERS)))


@part
def tabulate_pairs(rules, owned, wilds, left, work):
    """Fill a workspace but for the rows REST, sharing out the wilds in `left`: a bit a number, then one for the full wild.

    work: int64, ROWS x (1 << wilds) or wider. Returns how many subsets the wilds have.
    """
    ways, scale = np.int64(1), scale_of(rules)
    work[GIVEN, 0] = 0
    while left != 0:
        # The full wild has the bit after the nine numbers: one filler more.
        for subset in range(ways):
            work[GIVEN, ways + subset] = work[GIVEN, subset] | (left & -left)
        ways *= 2
        left &= left - 1
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        for subset in range(ways):
            work[VALUE + c, subset] = made_of(scale, work, c, own, fillers, subset)
    for pair in range(2):
        share(work, VALUE + 2 * pair, VALUE + 2 * pair + 1, PAIRS + pair, ways)
    return ways


@part
def tabulate(rules, owned, wilds, work):
    """Fill a workspace (int64, ROWS x WAYS) for a collection; returns how many subsets its numbered and full wilds have."""
    ways = tabulate_pairs(rules, owned, wilds, owned >> NUMBERED, work)
    for c in range(COLOURS):
        # The other colour of its pair, and the other pair.
        share(work, VALUE + (c ^ 1), PAIRS + 1 - c // 2, REST + c, ways)
    return ways


@part
def tabulated_without(rules, owned, wilds, work, ways, kind):
    """The optimal score without one card, of which there is one; `kind` as in `owned`, `work` by `tabulate`."""
    best = np.int64(NOTHING)
    if kind >= NUMBERED:
        item = np.int64(1)
        while work[GIVEN, item] != np.int64(1) << (kind - NUMBERED):
            item *= 2
        for subset in range(ways):
            if subset & item == 0:
                best = max(best, work[VALUE, subset] + work[REST, (ways - 1) ^ item ^ subset])
        return best >> POINTS
    c = kind // NUMBERS if kind < NUMBERS * COLOURS else kind - NUMBERS * COLOURS
    own, fillers, scale = colour_of(owned, c), fillers_of(wilds, c), scale_of(rules)
    if kind < NUMBERS * COLOURS:
        own &= ~(np.int64(1) << (kind % NUMBERS))
    else:
        fillers -= 1
    for subset in range(ways):
        best = max(best, made_of(scale, work, c, own, fillers, subset) + work[REST + c, (ways - 1) ^ subset])
    return best >> POINTS


@part
def tabulated(work, ways):
    """The optimal score by a workspace."""
    best = np.int64(NOTHING)
    for subset in range(ways):
        best = max(best, work[VALUE, subset] + work[REST, (ways - 1) ^ subset])
    return best >> POINTS
