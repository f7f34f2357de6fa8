"""Ways to play Stealing War.

Two kinds of decision make a player of two parts: `look`, whether to steal, and `top`, which card of a won pot goes on top
of the pile. `big_pile[top=safe]` is big_pile with another way to choose the top card; every player of the rules page has
`lowest` there. Looking at a card, a move is 0 (commit) or the bit mask of the seats to steal from; choosing a top card, it
is a rank. Who steals takes every matching pile that the rules allow.
"""

import numpy as np

from simkit.games.stealing_war import copies, one_of, size_of
from simkit.jit import count_ones, kernel
from simkit.players import bundle, strategy
from simkit.rng import below, coin

ALL_CARDS = 106.0
"""More turns than any packet and pile have cards."""

# ------------------------------------------------------------------------------------------------------------- helpers


@kernel
def may_hold(view, seat):
    """The set of cards of which a seat's packet is made, with others that are hidden as well."""
    table = view.table
    if (table.first_packet >> seat) & 1 == 0:
        return table.known[seat]
    if view.card > 0 and (table.first_packet >> view.seat) & 1:
        return table.unseen - one_of(view.card)
    return table.unseen


@kernel
def danger(view, rank):
    """The chance that an opponent's next card has this rank, added up over the opponents."""
    chance = 0.0
    for seat in range(view.rules.players):
        if seat != view.seat and view.table.held[seat] > 0:
            pool = may_hold(view, seat)
            chance += copies(pool, rank) / size_of(pool)
    return chance


@kernel
def in_their_piles(view, rank):
    """How many cards of this rank lie in the opponents' piles: they come back with a refill."""
    cards = np.int64(0)
    for seat in range(view.rules.players):
        if seat != view.seat:
            cards += copies(view.table.pile_cards[seat], rank)
    return cards


@kernel
def cards_won(view, move):
    """The cards of the piles that a move steals."""
    cards = np.int64(0)
    for seat in range(view.rules.players):
        if (move >> seat) & 1:
            cards += view.table.piled[seat]
    return cards


@kernel
def most_cards(view, moves, n):
    """The steal that brings most cards."""
    best, chosen = np.int64(-1), 1
    for i in range(1, n):
        if cards_won(view, moves[i]) > best:
            best, chosen = cards_won(view, moves[i]), i
    return chosen


@kernel
def chance_to_win(view, card):
    """The chance that this card beats the contenders' cards, a tie counted half; each drawn from what its packet may hold."""
    chance = 1.0
    for seat in range(view.rules.players):
        if seat != view.seat and (view.table.contenders >> seat) & 1:
            pool = may_hold(view, seat)
            below_, cards = 0.0, 0.0
            for rank in range(2, 17):
                cards += copies(pool, rank)
                if rank <= card:
                    below_ += copies(pool, rank) if rank < card else copies(pool, rank) / 2
            chance *= below_ / cards if cards > 0 else 1.0
    return chance


@kernel
def pot_to_be(view):
    """Cards in the pot once all contenders have committed."""
    cards = view.table.carried_size + count_ones(view.table.contenders)
    for seat in range(view.rules.players):
        cards += view.table.laid_size[seat]
    return cards


@kernel
def matches_to_come(view, rank, turns):
    """How many cards of this rank the opponents are expected to play in some turns, a refill after their last card included."""
    expected = 0.0
    for seat in range(view.rules.players):
        held, piled = view.table.held[seat], view.table.piled[seat]
        if seat != view.seat and held + piled > 0:
            now = min(float(held), turns)
            if held > 0:
                pool = may_hold(view, seat)
                expected += now * copies(pool, rank) / size_of(pool)
            if piled > 0:
                expected += min(float(piled), turns - now) * copies(view.table.pile_cards[seat], rank) / piled
    return expected


# ------------------------------------------------------------------------------------------------- parts: look at a card


@strategy("stealing-war")
def random(view, moves, n):
    """Any legal choice, each equally likely: the reference player."""
    return below(view.rng, n)


@strategy("stealing-war", "look")
def commit_all(view, moves, n):
    """Never steals."""
    return 0


@strategy("stealing-war", "look")
def steal_all(view, moves, n):
    """Steals whatever it can, in wars too."""
    return most_cards(view, moves, n)


@strategy("stealing-war", "look")
def steal_by_coin(view, moves, n):
    """Steals all it can if a fair coin says so."""
    return most_cards(view, moves, n) if coin(view.rng) == 1 else 0


@strategy("stealing-war", "look", k=4)
def steal_big(view, moves, n):
    """Steals if that brings at least k cards."""
    chosen = most_cards(view, moves, n)
    return chosen if cards_won(view, moves[chosen]) >= view.params[0] else 0


@strategy("stealing-war", "look", r=12)
def steal_low(view, moves, n):
    """Commits a matching card of rank r or more; steals with any other."""
    return 0 if view.card >= view.params[0] else most_cards(view, moves, n)


@strategy("stealing-war", "look")
def steal_counting(view, moves, n):
    """Commits if the card's chance to win, times the pot, exceeds the cards to be stolen and a fair share of the pot."""
    chosen, pot = most_cards(view, moves, n), pot_to_be(view)
    share = pot / count_ones(view.table.contenders)
    return 0 if chance_to_win(view, view.card) * pot > cards_won(view, moves[chosen]) + share else chosen


@strategy("stealing-war", "look", sure=0.5)
def steal_careful(view, moves, n):
    """Steals all it can, except in a war when its card wins with a chance above `sure`."""
    if view.table.depth > 0 and chance_to_win(view, view.card) > view.params[0]:
        return 0
    return most_cards(view, moves, n)


# ---------------------------------------------------------------------------------------------- parts: choose a top card


@strategy("stealing-war", "top")
def lowest(view, moves, n):
    """The lowest rank of the pot."""
    return 0


@strategy("stealing-war", "top")
def highest(view, moves, n):
    """The highest rank of the pot."""
    return n - 1


@strategy("stealing-war", "top")
def scarce(view, moves, n):
    """The rank of which the opponents' packets can hold fewest unseen copies for their size; of several the lowest.

    A pile is stolen only by a card of the rank on top of it.
    """
    best, chosen = 1e9, 0
    for i in range(n):
        if danger(view, moves[i]) < best:
            best, chosen = danger(view, moves[i]), i
    return chosen


@strategy("stealing-war", "top")
def safe(view, moves, n):
    """A rank of which no opponent's packet can hold a copy, the rarest in their piles first; without one as scarce.

    Where all other copies are seen or its own, the pile cannot be stolen until an opponent refills.
    """
    best, chosen = 1e9, 0
    for i in range(n):
        value = danger(view, moves[i])
        if value == 0:
            value = in_their_piles(view, moves[i]) / ALL_CARDS - 2
        if value < best:
            best, chosen = value, i
    return chosen


@strategy("stealing-war", "top", turns=2, far=0.02)
def unmatched(view, moves, n):
    """The rank that opponents are expected to play least often in the next `turns` turns, plus `far` times what they own of it.

    A packet is known as a set of cards once it was refilled, and a pile is its owner's next packet: so it counts what they
    can play until one may choose anew, through a refill if one is near, and then what they may play later.
    """
    best, chosen = 1e9, 0
    for i in range(n):
        value = matches_to_come(view, moves[i], view.params[0]) + view.params[1] * matches_to_come(view, moves[i], ALL_CARDS)
        if value < best:
            best, chosen = value, i
    return chosen


# ------------------------------------------------------------------------------------------------------------- players

bundle("stealing-war", "never", "Commits every card: what stealing is worth is measured against it.", look=commit_all, top=lowest)
bundle(
    "stealing-war", "always", "Steals whatever it can, in wars too: a pile is worth more than a battle.", look=steal_all, top=lowest
)  # fmt: skip
bundle("stealing-war", "fair_coin", "Steals all it can if a fair coin says so.", look=steal_by_coin, top=lowest)
bundle(
    "stealing-war",
    "big_pile",
    """Steals only if it brings at least k cards.

    A steal puts the card on top of one's own pile, where it can be matched; a few cards may not be worth that.
    """,
    look=steal_big,
    top=lowest,
)
bundle(
    "stealing-war",
    "keep_high",
    """Commits a matching card of rank r or more, which is likely to win the battle; steals with any other.""",
    look=steal_low,
    top=lowest,
)
bundle(
    "stealing-war",
    "count",
    """Steals if that is worth more than its card's chance to win the pot, by the cards that have been shown.

    It knows what each packet may hold. Outside wars the pot is small, and it nearly always steals.
    """,
    look=steal_counting,
    top=lowest,
)
bundle(
    "stealing-war",
    "war_careful",
    "As always, except in a war when its card would probably win: a war's pot is larger than most piles.",
    look=steal_careful,
    top=lowest,
)
bundle(
    "stealing-war",
    "wary",
    """Steals all it can, and puts the card on top that opponents will match least.

    The top card is what a pile is stolen by: choosing it well is worth far more than any choice of when to steal. Its mean
    score (win 1, draw ½) over 400,000 games of two players, each deal played twice with seats exchanged, default rules:
    0.766 ± 0.001 against always, 0.505 ± 0.001 against always[top=safe], 0.879 ± 0.001 against random (95 % intervals).
    """,
    look=steal_all,
    top=unmatched,
)
