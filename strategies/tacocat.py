"""Ways to play Tacocat Spelled Backwards (docs/rules/tacocat.md, section 7): parts for each decision, and players made of them.

The round goes to the lowest last card, and one sheds the high ones meanwhile: by attacking with cards that nobody can
answer, or by answering. Middling cards do neither well. A move's cards are a set with four bits a rank, see
`simkit/games/tacocat.py`; of equally good choices the one with the lower cards is made.
"""

import numpy as np

from simkit.games.tacocat import (
    ATTACK,
    CARDS,
    DOUBLE,
    LARGEST_HAND,
    RANKS,
    SEQUENTIAL,
    TAG_BITS,
    card,
    copies,
    from_rank,
    how_many,
    lowest,
    lowest_card,
    most_defences,
    replace_bound,
    sufficient,
    unseen,
)
from simkit.games.tacocat import highest as highest_rank
from simkit.jit import kernel
from simkit.players import bundle, strategy
from simkit.rng import below

# ------------------------------------------------------------------------------------------------------------- helpers


@kernel
def index_of(view, moves, n, cards):
    """Where these cards are among the legal moves; 0 if they are not."""
    wanted = (view.decision << TAG_BITS) + cards
    for i in range(n):
        if moves[i] == wanted:
            return i
    return 0


@kernel
def middle_rank(view):
    """The middle card of the deck."""
    cards = np.int64(0)
    for rank in range(1, RANKS + 1):
        cards += copies(view.rules.deck, rank)
    passed = np.int64(0)
    for rank in range(1, RANKS + 1):
        passed += copies(view.rules.deck, rank)
        if 2 * passed >= cards:
            return rank
    return RANKS


@kernel
def most_middling(view, cards, n):
    """At most n of these cards, those nearest to the middle card of the deck; of two as near, the higher."""
    middle, taken = middle_rank(view), np.int64(0)
    for distance in range(RANKS):
        for rank in (middle + distance, middle - distance):
            if 1 <= rank <= RANKS and (distance > 0 or rank == middle):
                several = min(copies(cards, rank), n)
                taken += card(rank) * several
                cards -= card(rank) * several
                n -= several
    return taken


@kernel
def replacing(view, moves, n, cards):
    """The replacement of these cards, or of the most middling of them if they are more than allowed."""
    bound = replace_bound(view.rules, view.table, view.seat, view.decision)
    return index_of(view, moves, n, most_middling(view, cards, bound))


@kernel
def nth_lowest(cards, n):
    """The rank of the n-th lowest card, 1 for the lowest, or of the highest if there are fewer."""
    rank = lowest(cards)
    for _ in range(n - 1):
        rest = cards - lowest_card(cards)
        if rest == 0:
            return rank
        cards = rest
        rank = lowest(cards)
    return rank


@kernel
def cheapest(cards, attack, rules):
    """Defences card by card, ascending, each with the lowest sufficient card left (section 9, 2)."""
    defences = np.int64(0)
    while attack != 0:
        enough = from_rank(cards, sufficient(lowest(attack), rules))
        if enough == 0:
            return defences
        each = lowest_card(enough)
        defences += each
        cards -= each
        attack -= lowest_card(attack)
    return defences


@kernel
def defending(view, moves, n, defences):
    """The answer with these defences; where one answers card by card, with the lowest of them."""
    if defences != 0 and view.rules.jumbo_response == SEQUENTIAL:
        defences = lowest_card(defences)
    return index_of(view, moves, n, defences)


@kernel
def keeps_lowest(view, move):
    """Whether an attack leaves a card of the lowest rank in hand."""
    return copies(view.hand - (move & CARDS), lowest(view.hand)) > 0


@kernel
def highest_attack(view, moves, n):
    """The single attack with the highest card."""
    return index_of(view, moves, n, card(highest_rank(view.hand)))


# ------------------------------------------------------------------------------------------------------ the whole player


@strategy("tacocat")
def random(view, moves, n):
    """Any legal move, each equally likely: the reference player."""
    return below(view.rng, n)


# -------------------------------------------------------------------------------------------------------------- replace


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double")
def none(view, moves, n):
    """Replaces nothing."""
    return 0


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double")
def all(view, moves, n):
    """Replaces as much as it may: the whole hand, or the most middling cards of it."""
    return replacing(view, moves, n, view.hand)


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double", a=4, b=8)
def middle(view, moves, n):
    """Replaces ranks `a` to `b`: low cards win the showdown, high ones win attacks, middling ones neither."""
    wanted = np.int64(0)
    for rank in range(max(np.int64(view.params[0]), 1), min(np.int64(view.params[1]), RANKS) + 1):
        wanted += card(rank) * copies(view.hand, rank)
    return replacing(view, moves, n, wanted)


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double", t=9)
def keep_lowest_and_high(view, moves, n):
    """Keeps the lowest card and everything from rank `t` on."""
    high = from_rank(view.hand, min(max(np.int64(view.params[0]), 1), RANKS + 1))
    wanted = view.hand - high
    if wanted != 0:
        wanted -= lowest_card(view.hand)
    return replacing(view, moves, n, wanted)


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double", few=1)
def squeeze(view, moves, n):
    """Replaces the `few` most middling cards: as leader, to bind the follower, who may not replace more."""
    few = min(max(np.int64(view.params[0]), 0), LARGEST_HAND)
    return replacing(view, moves, n, most_middling(view, view.hand - lowest_card(view.hand), few))


@strategy("tacocat", "replace_leader", "replace_follower", "replace_double")
def mirror(view, moves, n):
    """Replaces as many as the other did, the most middling cards but never the lowest: as follower, the full allowance.

    Where the other has not chosen, or not shown it yet, it keeps its hand.
    """
    allowed = view.table.replaced_count[1 - view.seat]
    if view.decision != DOUBLE:
        allowed = min(allowed, replace_bound(view.rules, view.table, view.seat, view.decision))
    return replacing(view, moves, n, most_middling(view, view.hand - lowest_card(view.hand), allowed))


# ----------------------------------------------------------------------------------------------------------------- duel


@strategy("tacocat", "duel")
def highest(view, moves, n):
    """The highest card: the first attack is worth more than the card."""
    return n - 1


@strategy("tacocat", "duel")
def lowest_but_one(view, moves, n):
    """The second lowest card: the first attack is worth little, and of the low cards one is enough."""
    return 1


@strategy("tacocat", "duel")
def median(view, moves, n):
    """The middle card, the lower of two: what one misses least."""
    return (n - 1) // 2


@strategy("tacocat", "duel", t=9)
def just_enough(view, moves, n):
    """The lowest card from rank `t` on, else the second lowest."""
    enough = from_rank(view.hand, min(max(np.int64(view.params[0]), 1), RANKS + 1))
    return n - how_many(enough) if enough != 0 else 1


# --------------------------------------------------------------------------------------------------------------- attack


@strategy("tacocat", "attack")
def highest_single(view, moves, n):
    """The highest card alone: what the opponent can answer least."""
    return highest_attack(view, moves, n)


@strategy("tacocat", "attack")
def lowest_safe(view, moves, n):
    """The lowest card that no unseen card can answer, alone; else the highest."""
    top = highest_rank(unseen(view))
    for i in range(n):
        cards = moves[i] & CARDS
        if how_many(cards) == 1 and sufficient(lowest(cards), view.rules) > top:
            return i
    return highest_attack(view, moves, n)


@strategy("tacocat", "attack")
def jumbo_first(view, moves, n):
    """The longest set or sequence that leaves the lowest card in hand, the highest of these; else the highest card."""
    chosen, longest = 0, 1
    for i in range(n):
        cards = how_many(moves[i] & CARDS)
        if cards > 1 and cards >= longest and keeps_lowest(view, moves[i]):
            chosen, longest = i, cards
    return chosen if longest > 1 else highest_attack(view, moves, n)


@strategy("tacocat", "attack")
def second_lowest(view, moves, n):
    """The second lowest card alone: it sheds low cards, of which one is enough."""
    return index_of(view, moves, n, card(nth_lowest(view.hand, 2)))


@strategy("tacocat", "attack", "answer", guard=4)
def protect_low(view, moves, n):
    """Never attacks with its lowest card; defends only if a sacrifice would cost it a lowest card up to rank `guard`.

    It attacks with anything else, each attack as likely, and defends as cheapest_defence does, without the lowest card
    if that is enough. What it has no need to protect it gives.
    """
    if view.decision == ATTACK:
        seen, chosen = 0, 0
        for i in range(n):
            if keeps_lowest(view, moves[i]):
                seen += 1
                if below(view.rng, seen) == 0:
                    chosen = i
        return chosen
    if lowest(view.hand) > view.params[0]:
        return 0
    left = view.table.left
    others = view.hand - lowest_card(view.hand)
    if most_defences(others, left, view.rules) == how_many(left):
        return defending(view, moves, n, cheapest(others, left, view.rules))
    return defending(view, moves, n, cheapest(view.hand, left, view.rules))


# --------------------------------------------------------------------------------------------------------------- answer


@strategy("tacocat", "answer")
def cheapest_defence(view, moves, n):
    """Defends with the lowest sufficient card, a jumbo card by card from low to high; sacrifices where it must."""
    return defending(view, moves, n, cheapest(view.hand, view.table.left, view.rules))


@strategy("tacocat", "answer")
def always_sacrifice(view, moves, n):
    """Never defends, unless it has to: it keeps its high cards and never attacks."""
    return 0


@strategy("tacocat", "answer")
def win_lead(view, moves, n):
    """As cheapest_defence against a single; a jumbo it defends only if it can defend all of it, and so attack next."""
    left = view.table.left
    if view.table.given != 0 or most_defences(view.hand, left, view.rules) < how_many(left):
        return 0
    return defending(view, moves, n, cheapest(view.hand, left, view.rules))


# -------------------------------------------------------------------------------------------------- players made of parts

bundle(
    "tacocat", "plain", "Keeps its hand; highest duel card, highest attack, cheapest defence: what a beginner does.",
    replace_leader=none, replace_follower=none, replace_double=none, duel=highest, attack=highest_single, answer=cheapest_defence,
)  # fmt: skip
bundle(
    "tacocat", "keeper", "Keeps its lowest and its high cards; leads with the highest, defends as cheaply as it can.",
    replace_leader=keep_lowest_and_high, replace_follower=keep_lowest_and_high, replace_double=keep_lowest_and_high,
    duel=just_enough, attack=highest_single, answer=cheapest_defence,
)  # fmt: skip
bundle(
    "tacocat", "squeezer", "As leader it replaces one card, as follower all it may; attacks with jumbos, to win the lead or not at all.",
    replace_leader=squeeze, replace_follower=mirror, replace_double=keep_lowest_and_high,
    duel=median, attack=jumbo_first, answer=win_lead,
)  # fmt: skip
bundle(
    "tacocat", "guardian", "Keeps out of fights: replaces middling cards, duels with the second lowest, and guards its lowest card.",
    replace_leader=middle, replace_follower=middle, replace_double=middle, duel=lowest_but_one, attack=protect_low, answer=protect_low,
)  # fmt: skip
bundle(
    "tacocat", "shrewd", "Replaces 3 to 7, duels with the lowest card from 6 on, attacks with jumbos, guards its lowest card while it is 6 or less.\n\n"
    "The best of the parts above as found by exchanging one at a time; `steady` is what a search made of it.",
    numbers={"a": 3, "b": 7, "t": 6, "guard": 6},
    replace_leader=middle, replace_follower=middle, replace_double=middle, duel=just_enough, attack=jumbo_first, answer=protect_low,
)  # fmt: skip
bundle(
    "tacocat", "steady", "Replaces 3 to 7, duels with the lowest card from 4 on, attacks with jumbos, defends whenever it can and spares its lowest card.\n\n"
    "The best that a search found (`simkit tune`, default rules, every figure on deals that the search had not seen; 95 % intervals by deal). "
    "First parts: 250 of the 3,600 combinations of ways to replace, duel, attack and answer, against five bundles. Then numbers: 200 of 576 settings "
    "of `a`, `b`, `t` and `guard`, 200 of 2,250 with `a` and `b` apart for leader, follower and both, and the 32 nearest on 20,000 deals: with `guard` at 10 or 12, "
    "which is the same play, it scored 58.00 % (57.76-58.24, n = 20,000 deals) against itself with b=8 and guard=8, shrewd and squeezer. Last a check: none of "
    "another 250 of 8,400 combinations of parts was better; the runner-up, the same player with replace_follower=keep_lowest_and_high(t=9), scored 71.72 % "
    "(71.40-72.03) to its 71.59 % (71.30-71.89, n = 5,000 deals) against all six bundles.\n\n"
    "It scores 52.1 % (51.7-52.5) against shrewd, 70.5 % (70.1-70.9) against squeezer, 76.4 % (76.0-76.8) against guardian, 84.4 % (84.0-84.7) against keeper, "
    "95.5 % (95.3-95.7) against plain and 99.92 % (99.90-99.95) against random (n = 20,000 deals each, seats exchanged). It is tuned to the default deck "
    "and board; with hands of 2 cards plain beats it.",
    numbers={"a": 3, "b": 7, "t": 4, "guard": 12},
    replace_leader=middle, replace_follower=middle, replace_double=middle, duel=just_enough, attack=jumbo_first, answer=protect_low,
)  # fmt: skip
