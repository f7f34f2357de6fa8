"""Ways to play Techu.

Every strategy but `random` takes the number `starter`, how it chooses its starter: 0 the lowest card (go first, save the
high cards), 1 the highest (go last, hold a strong centre), 2 the middle one, 3 any.

A move is rank * 32 + space, or rank * 32 + DISCARD. What a placement gains is the change in own spaces minus the
opponent's: 2 on one of theirs, 1 on an empty space, 0 on an own one. Moves come in ascending order, so that of several
equally good ones the first uses the lowest card.
"""

import numpy as np

from simkit.games.techu import ACE, DISCARD, LOWEST, STARTER, copies, home, links, near, reach, unseen
from simkit.jit import count_ones, kernel
from simkit.players import strategy
from simkit.rng import below

KING, QUEEN = 13, 12
WORST = -1_000_000
"""Below every value of a move."""

# ------------------------------------------------------------------------------------------------------------- helpers


@kernel
def choose_starter(view, moves, n):
    """A starter as the number `starter` says; its space, after a tie, at random."""
    rule = view.params[0]
    if rule == 3:
        return below(view.rng, n)
    cards = view.table.hand_size[view.seat]
    wanted = np.int64(0) if rule == 0 else cards - 1 if rule == 1 else cards // 2
    rank, passed = np.int64(LOWEST), copies(view.hand, LOWEST)
    while passed <= wanted and rank < ACE:
        rank += 1
        passed += copies(view.hand, rank)
    chosen, seen = np.int64(0), np.int64(0)
    for i in range(n):
        if moves[i] >> 5 == rank:
            seen += 1
            if below(view.rng, seen) == 0:
                chosen = np.int64(i)
    return chosen


@kernel
def gain(view, move):
    """2 for a capture, 1 for an empty space, 0 for a discard, -1 for covering an own card, which gains no more and shows less."""
    space = move & 31
    if space == DISCARD:
        return np.int64(0)
    if (view.table.held[1 - view.seat] >> space) & 1:
        return np.int64(2)
    return np.int64(-1) if (view.table.held[view.seat] >> space) & 1 else np.int64(1)


@kernel
def greedy_value(view, move):
    """What a placement gains, then the lowest card: one number to compare moves by."""
    return 16 * gain(view, move) - (move >> 5)


@kernel
def captured(view, move):
    """The rank of the opponent's card that a move covers, or 0."""
    space = move & 31
    if space != DISCARD and (view.table.held[1 - view.seat] >> space) & 1:
        return np.int64(view.table.top[space])
    return np.int64(0)


@kernel
def cut_off(view, player, space):
    """How many more of a player's spaces would lose their link if this one, held by them, were covered."""
    table = view.table
    bit = np.int64(1) << space
    if table.linked[player] & bit == 0:
        return np.int64(0)
    rest = table.linked[player] & ~bit
    return count_ones(rest) - count_ones(links(rest, player))


@kernel
def cards_left(view):
    """Own turns to come, this one included."""
    return view.table.hand_size[view.seat] + view.table.deck_size[view.seat]


@kernel
def lead(view):
    """Own spaces minus the opponent's."""
    return count_ones(view.table.held[view.seat]) - count_ones(view.table.held[1 - view.seat])


@kernel
def weigh(view, value, best, tied):
    """Whether to take a move of this value; the best value so far, and how many moves share it, each as likely to be taken."""
    if value < best:
        return False, best, tied
    tied = tied + 1 if value == best else 1
    return tied == 1 or below(view.rng, tied) == 0, value, tied


# ---------------------------------------------------------------------------------------------------------- strategies


@strategy("techu")
def random(view, moves, n):
    """Any legal move, each equally likely: the reference player."""
    return below(view.rng, n)


@strategy("techu", starter=0)
def uniform(view, moves, n):
    """The turns of `random` after a starter of one's choice: what a starter is worth by itself."""
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    return below(view.rng, n)


@strategy("techu", starter=3)
def random_place(view, moves, n):
    """Any placement, each equally likely; a random card of the hand is discarded only if there is none.

    Random, but it never throws a card away that could stand: what placing alone is worth.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    chosen, seen = -1, 0
    for i in range(n):
        if moves[i] & 31 != DISCARD:
            seen += 1
            if below(view.rng, seen) == 0:
                chosen = i
    if chosen >= 0:
        return chosen
    card = below(view.rng, view.table.hand_size[view.seat])
    for i in range(n):
        card -= copies(view.hand, moves[i] >> 5)
        if card < 0:
            return i
    return n - 1


@kernel
def is_dead(view, rank):
    """Whether a card will hardly gain a space any more: no space is empty, and the opponent holds and has nothing lower."""
    table, other = view.table, 1 - view.seat
    if count_ones(table.held[0] | table.held[1]) < 25:
        return False
    for space in range(25):
        if (table.held[other] >> space) & 1 and table.top[space] < rank:
            return False
    pool = unseen(view)
    for lower in range(LOWEST, rank):
        if copies(pool, lower) > 0:
            return False
    return True


@strategy("techu", starter=0, discard=0)
def greedy_spaces(view, moves, n):
    """The largest gain in spaces with the lowest card; if nothing gains, a discard of the lowest card, or as `discard` says.

    Spaces are what wins, and low cards are the cheapest way to have them; it does not look at what the opponent can do.
    `discard`: 0 always, 1 only a dead card, which will hardly gain anything any more, 2 never unless forced; otherwise the
    lowest card covers an own one, which makes that harder to take.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        value = greedy_value(view, moves[i])
        if moves[i] & 31 == DISCARD and (view.params[1] == 2 or (view.params[1] == 1 and not is_dead(view, moves[i] >> 5))):
            value -= 64
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=0)
def cheap_capture(view, moves, n):
    """Captures the highest card that it can, with the smallest excess; without a capture as greedy_spaces.

    A high card beaten by the next one up costs the opponent more than it costs oneself.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        beaten = captured(view, moves[i])
        value = 1000 * beaten - (moves[i] >> 5) if beaten > 0 else greedy_value(view, moves[i])
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=0)
def expand(view, moves, n):
    """Empty spaces first, with the lowest card; then captures, then a discard.

    A space taken early gives links and room, and the high cards stay in hand for the fight over the full board.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        value = greedy_value(view, moves[i])
        if gain(view, moves[i]) == 1:
            value += 100
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=0)
def cutter(view, moves, n):
    """The placement that cuts off most of the opponent's spaces; among equal ones as greedy_spaces.

    A cut-off group reaches nothing and can only be relinked through the home row.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        value = greedy_value(view, moves[i])
        if captured(view, moves[i]) > 0:
            value += 100 * cut_off(view, 1 - view.seat, moves[i] & 31)
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=0, weak=4, fort=1)
def guard(view, moves, n):
    """As greedy_spaces, but it strengthens own cards up to `weak` on which 3 or more spaces hang, and likes the home row.

    What has no link reaches nothing, and a chain is as strong as its weakest card. `fort`: how many ranks more it pays
    for a space of its home row.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    best, chosen, tied = float(WORST), 0, 0
    for i in range(n):
        space, value = moves[i] & 31, float(greedy_value(view, moves[i]))
        if space != DISCARD:
            if gain(view, moves[i]) > 0 and (home(view.seat) >> space) & 1:
                value += view.params[2]
            elif gain(view, moves[i]) < 0 and view.table.top[space] <= view.params[1] and cut_off(view, view.seat, space) >= 3:
                value += 40
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=0, last=6)
def ace_saver(view, moves, n):
    """As greedy_spaces, but keeps aces and kings for its `last` turns, or to capture a queen or more.

    Nothing beats an ace: late it cannot be answered, and on a queen it gains what no other card could.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    free = cards_left(view) <= view.params[1]
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        value = greedy_value(view, moves[i])
        if moves[i] >> 5 >= KING and not free and captured(view, moves[i]) < QUEEN:
            value -= 100
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@strategy("techu", starter=1, last=8)
def techu_hunter(view, moves, n):
    """As greedy_spaces, but the second mover, if ahead or level, keeps its last 2 or 3 in hand over its `last` turns.

    A Techu needs the very last action, so the starter is high; what the hunt costs is a smaller choice in each of these turns.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    low = copies(view.hand, 2) + copies(view.hand, 3)
    hunting = view.table.first_mover != view.seat and lead(view) >= 0 and low == 1 and 1 < cards_left(view) <= view.params[1]
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        value = greedy_value(view, moves[i])
        if hunting and moves[i] >> 5 <= 3:
            value -= 100
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@kernel
def highest_of_a_hand(view, cards):
    """The highest card of a hand of so many cards, drawn from the opponent's cards that one has not seen."""
    pool = unseen(view)
    left = view.table.hand_size[1 - view.seat] + view.table.deck_size[1 - view.seat] + count_hidden(view)
    highest = np.int64(0)
    for _ in range(min(cards, left)):
        card, rank = below(view.rng, left), np.int64(LOWEST)
        while card >= copies(pool, rank):
            card -= copies(pool, rank)
            rank += 1
        pool -= np.int64(1) << (4 * rank)
        left -= 1
        highest = max(highest, rank)
    return highest


@kernel
def count_hidden(view):
    """The opponent's discards that one has not seen."""
    other = 1 - view.seat
    return view.table.discard_count[other] if view.rules.discard_visibility == 1 else np.int64(0)


@kernel
def weakest_in_reach(view, move):
    """After a move: the lowest own card that the opponent can reach (15: none), and whether they can reach an empty space."""
    table, seat, other = view.table, view.seat, 1 - view.seat
    mine, theirs, links_there = table.held[seat], table.held[other], table.linked[other]
    rank, space = move >> 5, move & 31
    if space != DISCARD:
        bit = np.int64(1) << space
        mine |= bit
        if theirs & bit:
            theirs &= ~bit
            links_there = links(theirs, other)
    open_spaces = reach(links_there, other, view.rules.opponent_home)
    lowest = np.int64(ACE + 1)
    for place in range(25):
        if (mine & open_spaces) >> place & 1:
            lowest = min(lowest, rank if place == space else np.int64(table.top[place]))
    return lowest, (open_spaces & ~mine & ~theirs) != 0


@strategy("techu", starter=0, hands=10)
def lookahead1(view, moves, n):
    """The best gain after the opponent's best reply, over `hands` hands drawn from the cards that they may hold.

    A capture that is recaptured at once gains nothing; whether it can be depends only on the opponent's highest card.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    other = 1 - view.seat
    cards = view.table.hand_size[other] + min(view.table.deck_size[other], 1)
    hands = max(int(view.params[1]), 1)
    above = np.int64(0)  # four bits a rank: how many of (at most 15) hands have a higher card
    for _ in range(min(hands, 15)):
        highest = highest_of_a_hand(view, cards)
        for rank in range(LOWEST, highest):
            above += np.int64(1) << (4 * rank)
    best, chosen, tied = WORST, 0, 0
    for i in range(n):
        lowest, room = weakest_in_reach(view, moves[i])
        beaten = copies(above, lowest) if lowest <= ACE else np.int64(0)
        reply = 2 * beaten + ((hands - beaten) if room and cards > 0 else 0)
        value = 16 * (hands * max(gain(view, moves[i]), 0) - reply) - (moves[i] >> 5)
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen


@kernel
def higher_share(view, rank):
    """The share of the opponent's unseen cards that are higher than this rank."""
    pool, higher, cards = unseen(view), np.int64(0), np.int64(0)
    for each in range(LOWEST, ACE + 1):
        cards += copies(pool, each)
        if each > rank:
            higher += copies(pool, each)
    return higher / max(cards, 1)


@kernel
def new_reach(view, space):
    """How many more spaces are linked, or next to a linked one, after placing a card there."""
    before = view.table.linked[view.seat]
    after = links(view.table.held[view.seat] | (np.int64(1) << space), view.seat)
    return count_ones(after | near(after)) - count_ones(before | near(before))


@kernel
def in_their_reach(view, space):
    """Whether the opponent can reach this space once one has placed a card there."""
    other, bit = 1 - view.seat, np.int64(1) << space
    linked = view.table.linked[other]
    if linked & bit:
        linked = links(linked & ~bit, other)
    return reach(linked, other, view.rules.opponent_home) & bit != 0


@strategy("techu", starter=2, cost=0.15, exposed=0.07, beaten=0.05, room=0.007, cut=0.5)
def thrifty(view, moves, n):
    """Weighs what a placement gains against what its card is worth later and the risk that it is covered.

    A card costs the more the higher it is and the more turns are to come, so low cards take empty spaces and a capture
    uses no more than it needs; a card that cannot be beaten is placed where the opponent can come, a low one where they
    cannot; of like moves the one that opens more room. Found by trying numbers against greedy_spaces and lookahead1.
    Its mean score (win 1, draw ½) over 100,000 games with seats exchanged, default rules: 0.742 ± 0.002 against
    greedy_spaces, 0.819 ± 0.002 against lookahead1, 0.717 ± 0.002 against cheap_capture, 0.686 ± 0.002 against cutter.
    """
    if view.decision == STARTER:
        return choose_starter(view, moves, n)
    cost, exposed, beaten, room, cut = view.params[1], view.params[2], view.params[3], view.params[4], view.params[5]
    cost *= (cards_left(view) - 1) / 25  # a card that stays in hand at the end is worth nothing
    best, chosen, tied = float(WORST), 0, 0
    for i in range(n):
        rank, space = moves[i] >> 5, moves[i] & 31
        value = -cost * rank
        if space != DISCARD:
            value += max(gain(view, moves[i]), -0.1) + room * new_reach(view, space)
            if captured(view, moves[i]) > 0:
                value += beaten * captured(view, moves[i]) + cut * cut_off(view, 1 - view.seat, space)
            if in_their_reach(view, space):
                value -= exposed * higher_share(view, rank)
        take, best, tied = weigh(view, value, best, tied)
        if take:
            chosen = i
    return chosen
