"""The combinations of Tichu, listed slowly and plainly from the rules page.

Section and decision numbers (2.4, D16, ...) are those of docs/rules/tichu.md.

A card is a number: Mah Jong 0, Dog 1, Phoenix 2, Dragon 3, and 4 * (rank - 1) +
suit for the ordinary cards (rank 2..14; suits jade 0, sword 1, pagoda 2, star 3).
A hand is a list of cards, ascending. A combination is a `Combination`: its type,
its rank as 2.4 and 2.8 compare it (a Phoenix played singly has a half), and its
cards, a tuple, ascending. The length is the number of cards.
"""

from collections import Counter, namedtuple
from itertools import combinations as subsets
from itertools import pairwise, product

MAH_JONG, DOG, PHOENIX, DRAGON = SPECIALS = range(4)
ACE = 14
DRAGON_RANK = 15  # 2.4: unbeatable by singles
LED_PHOENIX = 1.5  # 2.8
RANKS = range(2, 15)
SUITS = range(4)
DECK = range(56)
POINTS = {5: 5, 10: 10, 13: 10}  # section 1; the Dragon and the Phoenix besides

# The types of 2.4.
SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, FOUR, FLUSH, DOG_ALONE = (
    "single pair triple pair_run full_house straight four_of_a_kind straight_flush dog".split()
)
BOMBS = (FOUR, FLUSH)

Combination = namedtuple("Combination", "type rank cards")


def combination(kind, rank, cards):
    return Combination(kind, rank, tuple(sorted(cards)))


# --- cards (section 1) -------------------------------------------------------


def rank_of(card):
    """2..14 of an ordinary card, 1 of the Mah Jong, 0 of the other specials."""
    if card in (DOG, PHOENIX, DRAGON):
        return 0
    return card // 4 + 1


def suit_of(card):
    return card % 4


def card_points(card):
    """Section 1: the deck sums to 100."""
    return {DRAGON: 25, PHOENIX: -25}.get(card) or POINTS.get(rank_of(card), 0)


def points_of(cards):
    return sum(card_points(card) for card in cards)


def is_natural(card):
    """An ordinary card: it has a suit."""
    return card > DRAGON


def card_text(card):
    """As in the examples of section 7: rank, then suit letter."""
    if not is_natural(card):
        return {DOG: "Dog", PHOENIX: "Ph", DRAGON: "Dr", MAH_JONG: "MJ"}[card]
    return "..23456789TJQKA"[rank_of(card)] + "jspt"[suit_of(card)]


CARD_NAMED = {card_text(card): card for card in DECK}


def cards_named(text):
    """The cards of a text such as "9j Ts Ph", ascending."""
    return sorted(CARD_NAMED[name] for name in text.split())


# --- all combinations in a hand, type by type (2.4) --------------------------


class Hand:
    """A hand by ranks, for the lists below."""

    def __init__(self, cards):
        self.cards = cards
        self.phoenix = PHOENIX in cards
        self.of_rank = [[] for _ in range(ACE + 1)]
        for card in cards:
            if rank_of(card) > 0:
                self.of_rank[rank_of(card)].append(card)
        self.ranks = [rank for rank in RANKS if self.of_rank[rank]]

    def natural_sets(self, rank, size):
        """All ways to take `size` natural cards of a rank."""
        return list(subsets(self.of_rank[rank], size))


def singles(hand, top_rank=None):
    """2.4, 2.8; `top_rank` is the rank of the single on the table, if any."""
    found = [combination(SINGLE, rank_of(card), [card]) for card in hand.cards if rank_of(card) > 0]
    if DRAGON in hand.cards:
        found.append(combination(SINGLE, DRAGON_RANK, [DRAGON]))
    if hand.phoenix:
        found.append(combination(SINGLE, phoenix_rank(top_rank), [PHOENIX]))
    return found


def phoenix_rank(top_rank=None):
    """2.8, D23: half a step above the single on the table, never above the Dragon."""
    if top_rank is None:
        return LED_PHOENIX
    return top_rank + 0.5 if top_rank <= ACE else 0.5


def groups(hand, size, kind):
    """Pairs or triples: natural, or with the Phoenix for one card."""
    found = []
    for rank in hand.ranks:
        found += [combination(kind, rank, cards) for cards in hand.natural_sets(rank, size)]
        if hand.phoenix:
            found += [combination(kind, rank, (*cards, PHOENIX)) for cards in hand.natural_sets(rank, size - 1)]
    return found


def pairs(hand):
    return groups(hand, 2, PAIR)


def triples(hand):
    return groups(hand, 3, TRIPLE)


def pair_runs(hand, length, lowest_top=0):
    """All pair runs of this length, in cards, whose highest rank is above `lowest_top`."""
    found = []
    pairs_in_run = length // 2
    for top in range(max(pairs_in_run + 1, lowest_top + 1), ACE + 1):
        ranks = range(top - pairs_in_run + 1, top + 1)
        short = [rank for rank in ranks if len(hand.of_rank[rank]) < 2]
        if not short:
            found += joined(PAIR_RUN, top, [hand.natural_sets(rank, 2) for rank in ranks])
        if not hand.phoenix:
            continue
        # Exactly one of the ranks is one natural card and the Phoenix.
        for helped in ranks:
            if all(rank == helped for rank in short):
                parts = [hand.natural_sets(rank, 1 if rank == helped else 2) for rank in ranks]
                found += joined(PAIR_RUN, top, [*parts, [(PHOENIX,)]])
    return found


def joined(kind, rank, parts):
    """One combination for every way to choose one set of cards from each part."""
    return [combination(kind, rank, sum(chosen, ())) for chosen in product(*parts)]


def full_houses(hand, rules, lowest_triple=0):
    """All full houses whose triple is above `lowest_triple`; the ranks must differ (D20)."""
    found = []
    for triple in hand.ranks:
        for pair in hand.ranks:
            # Two cards of a rank and the Phoenix are the least that makes a triple.
            if pair == triple or triple <= lowest_triple or len(hand.of_rank[triple]) < 2:
                continue
            found += joined(FULL_HOUSE, triple, [hand.natural_sets(triple, 3), hand.natural_sets(pair, 2)])
            if not hand.phoenix:
                continue
            found += joined(FULL_HOUSE, triple, [hand.natural_sets(triple, 3), hand.natural_sets(pair, 1), [(PHOENIX,)]])
            # D19: two natural pairs have two readings, or the higher only.
            if rules["phoenix_full_house"] == "declare" or triple > pair:
                found += joined(FULL_HOUSE, triple, [hand.natural_sets(triple, 2), hand.natural_sets(pair, 2), [(PHOENIX,)]])
    return found


def straights(hand, length, rules, lowest_top=0):
    """All straights of this length whose highest rank is above `lowest_top`.

    The 1 is supplied by the Mah Jong only, which is `of_rank[1]`.
    """
    found = []
    for top in range(max(length, lowest_top + 1), ACE + 1):
        ranks = range(top - length + 1, top + 1)
        missing = [rank for rank in ranks if not hand.of_rank[rank]]
        if not missing:
            natural = joined(STRAIGHT, top, [hand.natural_sets(rank, 1) for rank in ranks])
            found += [move for move in natural if rules["sf_as_straight"] or not one_suited(move.cards)]
        if not hand.phoenix:
            continue
        for helped in ranks:
            if any(rank != helped for rank in missing) or not phoenix_may_be(helped, ranks, rules):
                continue
            parts = [hand.natural_sets(rank, 1) for rank in ranks if rank != helped]
            found += joined(STRAIGHT, top, [*parts, [(PHOENIX,)]])
    return found


def phoenix_may_be(helped, ranks, rules):
    """2.4: never the 1; with `phoenix_straight` high, at the upper end if both ends are possible (D22)."""
    if helped == 1:
        return False
    both_ends = helped == ranks[0] and ranks[-1] < ACE
    return rules["phoenix_straight"] == "declare" or not both_ends


def one_suited(cards):
    """D18: cards of one suit, without the Mah Jong and the Phoenix."""
    return all(is_natural(card) for card in cards) and len({suit_of(card) for card in cards}) == 1


def fours(hand):
    return [combination(FOUR, rank, hand.of_rank[rank]) for rank in hand.ranks if len(hand.of_rank[rank]) == 4]


def straight_flushes(hand):
    """All runs of 5 or more in one suit (D17: 5 whatever `min_straight` is)."""
    found = []
    of_suit = [[] for _ in SUITS]
    for card in hand.cards:
        if is_natural(card):
            of_suit[suit_of(card)].append(card)
    for held in of_suit:
        if len(held) < 5:
            continue
        for first in range(len(held)):
            last = first
            while last + 1 < len(held) and held[last + 1] == held[last] + 4:
                last += 1
                if last - first >= 4:
                    found.append(combination(FLUSH, rank_of(held[last]), held[first : last + 1]))
    return found


def bombs(hand):
    return fours(hand) + straight_flushes(hand)


def dog_alone(hand):
    return [combination(DOG_ALONE, 0, [DOG])] if DOG in hand.cards else []


# --- legal plays, without the wish -------------------------------------------


def leads(cards, rules):
    """2.5: every combination in a hand."""
    hand = Hand(cards)
    found = dog_alone(hand) + singles(hand) + pairs(hand) + triples(hand)
    for number in range(rules["min_pair_run"], 8):  # D16
        found += pair_runs(hand, 2 * number)
    found += full_houses(hand, rules)
    for length in range(rules["min_straight"], 15):  # D17
        found += straights(hand, length, rules)
    return found + bombs(hand)


def follows(cards, top, rules):
    """2.4: every combination in a hand that beats the top one."""
    return [move for move in same_type(Hand(cards), top, rules) if beats(move, top)] + bombs_on(cards, top)


def same_type(hand, top, rules):
    """The combinations of the type and the length of the top one."""
    length = len(top.cards)
    if top.type == SINGLE:
        return singles(hand, top.rank)
    if top.type in (PAIR, TRIPLE):
        return groups(hand, length, top.type)
    if top.type == PAIR_RUN:
        return pair_runs(hand, length, top.rank)
    if top.type == FULL_HOUSE:
        return full_houses(hand, rules, top.rank)
    if top.type == STRAIGHT:
        return straights(hand, length, rules, top.rank)
    return []


def bombs_on(cards, top):
    """2.9: the bombs in a hand that beat the top combination."""
    if not four_or_flush_possible(cards):
        return []
    return [move for move in bombs(Hand(cards)) if beats(move, top)]


def four_or_flush_possible(cards):
    """A quick look: four cards of one rank, or five of one suit (`cards` ascending)."""
    natural = [card for card in cards if is_natural(card)]
    if len(natural) < 4:
        return False
    # Four cards of one rank stand side by side.
    if any(last - first == 3 and first % 4 == 0 for first, last in zip(natural, natural[3:])):
        return True
    suits = [card % 4 for card in natural]
    return any(suits.count(suit) >= 5 for suit in SUITS)


def beats(move, top):
    """2.4, what beats what."""
    if DOG_ALONE in (move.type, top.type):
        return False
    if is_bomb(move):
        return not is_bomb(top) or (len(move.cards), move.rank) > (len(top.cards), top.rank)
    if is_bomb(top):
        return False
    return move.type == top.type and len(move.cards) == len(top.cards) and move.rank > top.rank


def is_bomb(move):
    return move.type in BOMBS


def contains_natural(move, rank):
    """2.7: a natural card of this rank; the Phoenix is none (D31)."""
    return any(rank_of(card) == rank for card in move.cards)


def phoenix_stands_for(move):
    """The rank that the Phoenix stands for in a combination of several cards; 0 without it."""
    if PHOENIX not in move.cards or len(move.cards) == 1:
        return 0
    natural = Counter(rank_of(card) for card in move.cards if card != PHOENIX)
    if move.type == STRAIGHT:
        return next(rank for rank in range(move.rank, 0, -1) if natural[rank] == 0)
    if move.type == PAIR_RUN:
        return next(rank for rank in natural if natural[rank] == 1)
    if move.type == FULL_HOUSE and natural[move.rank] == 3:
        return pair_rank(move)
    return move.rank


def pair_rank(move):
    """The rank of the pair of a full house."""
    return next(rank_of(card) for card in move.cards if card != PHOENIX and rank_of(card) != move.rank)


# --- what a set of cards is (2.4), found by trying every rank ----------------


def readings(cards, rules):
    """All combinations that exactly these cards are, as a lead.

    Written apart from the lists above, so that each can be tested by the other:
    it names the cards that the Phoenix might stand for, one after the other.
    """
    cards = sorted(cards)
    if len(cards) == 1:
        return leads(cards, rules)
    if DOG in cards or DRAGON in cards:
        return []
    if PHOENIX not in cards:
        return natural_readings([rank_of(card) for card in cards], cards, rules)
    others = [card for card in cards if card != PHOENIX]
    found = []
    for rank in RANKS:
        found += natural_readings([rank_of(card) for card in others] + [rank], cards, rules)
    found = list(dict.fromkeys(found))
    return [move for move in found if not lower_of_two(move, found, others, rules)]


def lower_of_two(move, found, others, rules):
    """D19, D22: a reading that `high` excludes, as there is a higher one."""
    higher = any(other.type == move.type and other.rank > move.rank for other in found)
    if move.type == FULL_HOUSE:
        two_pairs = sorted(Counter(rank_of(card) for card in others).values()) == [2, 2]
        return higher and two_pairs and rules["phoenix_full_house"] == "high"
    return higher and move.type == STRAIGHT and rules["phoenix_straight"] == "high"


def natural_readings(ranks, cards, rules):
    """The readings of cards that have these ranks, the Phoenix's own included."""
    number = len(cards)
    counts = sorted(Counter(ranks).items())
    distinct = [rank for rank, _ in counts]
    times = [count for _, count in counts]
    consecutive = all(after == before + 1 for before, after in pairwise(distinct))
    phoenix = PHOENIX in cards
    found = []
    if 1 in distinct and not (times[0] == 1 and number >= 5 and len(distinct) == number):
        return []  # the Mah Jong is the 1 of a straight, or alone
    if times in ([2], [3]):
        found.append(combination(PAIR if number == 2 else TRIPLE, distinct[0], cards))
    if times == [4] and not phoenix:
        found.append(combination(FOUR, distinct[0], cards))
    if set(times) == {2} and len(times) >= rules["min_pair_run"] and consecutive:
        found.append(combination(PAIR_RUN, distinct[-1], cards))
    if sorted(times) == [2, 3]:
        found.append(combination(FULL_HOUSE, distinct[times.index(3)], cards))
    if set(times) == {1} and number >= 5 and consecutive:
        flush = one_suited(cards)
        if flush:
            found.append(combination(FLUSH, distinct[-1], cards))
        if number >= rules["min_straight"] and (not flush or rules["sf_as_straight"]):
            found.append(combination(STRAIGHT, distinct[-1], cards))
    return found
