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


LONGEST = longest_runs()


def idle_numbers() -> np.ndarray:
    """For each number of gaps filled and each set of numbers: which of the set can go, one alone, and leave as long a run; flat, uint16."""
    longest = LONGEST.reshape(NUMBERS + 1, EVERY + 1)
    table = np.zeros_like(longest, np.uint16)
    sets = np.arange(EVERY + 1)
    for n in range(NUMBERS):
        table |= np.where((sets >> n & 1 == 1) & (longest[:, sets & ~(1 << n)] == longest), 1 << n, 0).astype(np.uint16)
    return table.ravel()


IDLE = idle_numbers()


def least_needed() -> tuple[np.ndarray, np.ndarray]:
    """For each number of gaps filled and each set of numbers: the longest run that is left without one of them, uint8, and without which, uint16."""
    longest = LONGEST.reshape(NUMBERS + 1, EVERY + 1).astype(np.int64)
    sets = np.arange(EVERY + 1)
    left = np.stack([np.where(sets >> n & 1 == 1, longest[:, sets & ~(1 << n)], -1) for n in range(NUMBERS)])
    best = left.max(axis=0)
    which = sum(np.where(left[n] == best, 1 << n, 0) for n in range(NUMBERS))
    return np.maximum(best, 0).astype(np.uint8).ravel(), np.asarray(which, np.uint16).ravel()


LEFT, LEAST_NEEDED = least_needed()


@part
def longest_with_own(own, numbers, fillers):
    """The longest run that holds at least one of `own`, in a set of numbers with gaps filled: D16 false."""
    longest = np.int64(0)
    for a in range(NUMBERS):
        for b in range(a + 1, NUMBERS + 1):
            interval = ((np.int64(1) << b) - 1) ^ ((np.int64(1) << a) - 1)
            if interval & own != 0 and count_ones(interval & ~numbers) <= fillers:
                longest = max(longest, np.int64(b - a))
    return longest


@part
def value_of(rules, colour, length):
    """The packed value of a run of this length in one colour."""
    if length < rules.min_run:
        return np.int64(0)
    full = np.int64(length == NUMBERS)
    points = length * rules.run_points + full * rules.full_run_bonus
    return points * ((np.int64(1) << POINTS) + (np.int64(1) << (COLOUR_BITS * (COLOURS - 1 - colour)))) + (full << FULL_RUNS)


@part
def longest_run(numbers, fillers):
    """The longest run in a set of numbers with so many gaps filled."""
    return byte_at(LONGEST, min(fillers, NUMBERS) * (EVERY + 1) + numbers)


@part
def idle_in(rules, numbers, fillers):
    """Of a set of numbers in one colour those that can go, one alone, at no loss of points, with so many gaps filled."""
    place = min(fillers, NUMBERS) * (EVERY + 1) + numbers
    # A run too short to score cannot lose any points.
    return np.int64(IDLE[place]) if byte_at(LONGEST, place) >= rules.min_run else numbers


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
    """The value with up to two numbered wilds (one bit each, or 0) still to give to colours."""
    base, best = np.int64(0), np.int64(0)
    with_first, with_second = np.int64(NOTHING), np.int64(NOTHING)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = value_of(rules, c, longest_run(own, fillers))
        base += bare
        given = first
        # The value with the first wild, with the second, with both.
        one = two = both = bare
        for ways in range(3 if second != 0 else 1 if first != 0 else 0):
            value = value_of(rules, c, longest_run(own | given, fillers))
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
    best = np.zeros(states, np.int64)
    for c in range(COLOURS):
        own, fillers, real = colour_of(numbers, c), fillers_of(wilds, c), colour_of(owned, c)
        # Downwards, so that what is read has not been written yet. Of the last colour only the state with all wilds counts.
        for state in range(states - 1, states - 2 if c == COLOURS - 1 else -1, -1):
            found, used, given = np.int64(NOTHING), np.int64(0), np.int64(0)
            while used >= 0:
                full = given >> NUMBERS
                length = longest_run(own | (given & EVERY), fillers + full)
                if not rules.wild_only_runs:
                    length = longest_with_own(real, own | (given & EVERY), fillers + full)
                found = max(found, best[state - used] + value_of(rules, c, length))
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
    first = numbers & -numbers
    best = np.int64(0)
    for c in range(COLOURS if full == 1 else 1):
        best = max(best, with_two(rules, owned, wilds + (full << (4 * c)), first, numbers ^ first))
    return best


@part
def points_of(rules, length):
    """The points of a run of this length."""
    if length < rules.min_run:
        return np.int64(0)
    return length * rules.run_points + np.int64(length == NUMBERS) * rules.full_run_bonus


@part
def has_few(rules, owned, wilds):
    """Whether there is at most one numbered or full wild, and a run may consist of wilds alone: `points_with_few` can."""
    items = owned >> NUMBERED
    return items & (items - 1) == 0 and wilds & (MANY | MANY_FULL) == 0 and rules.wild_only_runs


@part
def points_with_few(rules, owned, wilds):
    """The optimal score with at most one numbered or full wild: every colour's points, and the most that the wild adds to one."""
    items = owned >> NUMBERED
    given, more = items & EVERY, items >> NUMBERS
    points, most = np.int64(0), np.int64(0)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = points_of(rules, longest_run(own, fillers))
        points += bare
        most = max(most, points_of(rules, longest_run(own | given, fillers + more)) - bare)
    return points + most


@part
def least_needed_in(rules, numbers, fillers):
    """Of a set of numbers in one colour those without one of which most points are left, and these points."""
    place = min(fillers, NUMBERS) * (EVERY + 1) + numbers
    longest = byte_at(LEFT, place)
    # Runs too short to score are worth the same.
    return np.int64(LEAST_NEEDED[place]) if longest >= rules.min_run else numbers, points_of(rules, longest)


@part
def gain_with_few(rules, owned, wilds, kind):
    """What one more number card adds to `points_with_few`: only its own colour has other points, and another use for the wild."""
    items = owned >> NUMBERED
    given, more = items & EVERY, items >> NUMBERS
    colour = kind // NUMBERS
    if items == 0:
        own, fillers = colour_of(owned, colour), fillers_of(wilds, colour)
        richer = own | (np.int64(1) << (kind - NUMBERS * colour))
        return points_of(rules, longest_run(richer, fillers)) - points_of(rules, longest_run(own, fillers))
    elsewhere, now, most, then, most_then = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    for c in range(COLOURS):
        own, fillers = colour_of(owned, c), fillers_of(wilds, c)
        bare = points_of(rules, longest_run(own, fillers))
        with_wild = points_of(rules, longest_run(own | given, fillers + more))
        if c == colour:
            now = bare
            most = with_wild
            own |= np.int64(1) << (kind - NUMBERS * colour)
            then = points_of(rules, longest_run(own, fillers))
            most_then = points_of(rules, longest_run(own | given, fillers + more))
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
def made_of(rules, work, colour, own, fillers, subset):
    """The packed value of a colour with a subset of the wilds."""
    given = work[GIVEN, subset]
    return value_of(rules, colour, longest_run(own | (given & EVERY), fillers + (given >> NUMBERS)))


@part
def tabulate_pairs(rules, owned, wilds, left, work):
    """Fill a workspace but for the rows REST, sharing out the wilds in `left`: a bit a number, then one for the full wild.

    work: int64, ROWS x (1 << wilds) or wider. Returns how many subsets the wilds have.
    """
    ways = np.int64(1)
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
            work[VALUE + c, subset] = made_of(rules, work, c, own, fillers, subset)
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
    own, fillers = colour_of(owned, c), fillers_of(wilds, c)
    if kind < NUMBERS * COLOURS:
        own &= ~(np.int64(1) << (kind % NUMBERS))
    else:
        fillers -= 1
    for subset in range(ways):
        best = max(best, made_of(rules, work, c, own, fillers, subset) + work[REST + c, (ways - 1) ^ subset])
    return best >> POINTS


@part
def idle_tabulated(rules, owned, wilds, work, ways, optimal):
    """The number cards, as in `owned`, of which one alone can go at no loss if it is the only one of its kind; `work` by `tabulate`.

    A card can go if some best way to share the wilds out leaves its colour as many points without it.
    optimal: the optimal score in points.
    """
    idle = np.int64(0)
    for c in range(COLOURS):
        own, fillers, keeps = colour_of(owned, c), fillers_of(wilds, c), np.int64(0)
        for subset in range(ways):
            if (work[VALUE + c, subset] + work[REST + c, (ways - 1) ^ subset]) >> POINTS == optimal:
                given = work[GIVEN, subset]
                keeps |= idle_in(rules, own | (given & EVERY), fillers + (given >> NUMBERS)) | (given & EVERY)
        idle |= (own & keeps) << (NUMBERS * c)
    return idle


@part
def tabulated(work, ways):
    """The optimal score by a workspace."""
    best = np.int64(NOTHING)
    for subset in range(ways):
        best = max(best, work[VALUE, subset] + work[REST, (ways - 1) ^ subset])
    return best >> POINTS
