"""Tacocat Spelled Backwards: rules page docs/rules/tacocat.md, sections 1 to 5 and 9.

Player 0 is A (goal at place 0), player 1 is B (goal at the last place). A set of cards is an int64 with four bits a
rank, rank 1 lowest: how many there are of it (`copies` reads one). So the number of cards up to each rank, for all ranks
at once, is one multiplication (`ranked`), and an answer can be matched with an attack exactly if of the answering cards
no more are within any rank than the attack has cards that they can beat.

A move is the kind of decision, times TAG, plus the cards: those replaced, the duel card, the attack, or the defences.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simkit.game import (
    CAPPED,
    GIVEN,
    INT,
    OVER,
    PAUSED,
    WIN,
    Column,
    Game,
    Parameter,
    choice,
    flag,
    record,
    result_columns,
    rules_record,
    state_header,
    view_header,
    whole,
)  # fmt: skip
from simkit.jit import count_ones, kernel, lowest_one, part
from simkit.rng import CHANCE, DEAL, RESHUFFLE, below, coin, next_word, open_stream, shuffle

NAMES = ("tacocat",)

RANKS, PLACES = 15, 15
"""The most ranks of a deck and spaces of a board: four bits each in one int64."""
LARGEST_HAND = 15
LARGEST_DECK = 128
MOST_EXCHANGES = 14
"""In a round: one card goes in the duel, and the last is kept."""
MOST_MOVES = 2**LARGEST_HAND + 16
"""All subsets of the largest hand."""
PATH = 15
"""Decisive rounds that `path` holds: what the longest board can have."""

TAG_BITS = 60
CARDS = (1 << TAG_BITS) - 1
"""`move & CARDS` are its cards, `move >> TAG_BITS` the kind of decision."""
ONE_EACH = sum(1 << 4 * rank for rank in range(RANKS))
"""One card of each rank."""
BYTES = 0x0F0F0F0F0F0F0F0F
WORD_ONE_EACH, WORD_CARDS, WORD_ONE_A_BYTE = np.uint64(ONE_EACH), np.uint64(CARDS), np.uint64(0x0101010101010101)
TOP_BYTE = np.uint64(56)
"""Unsigned: products that wrap around are undefined for compiled signed integers."""

LEADER, FOLLOWER, DOUBLE, DUEL, ATTACK, ANSWER = range(6)
"""Kinds of decision; `state.phase` names the next thing to happen and has three more."""
DEALING, SHOWDOWN, FINISHED = 6, 7, 8
DECISIONS = ("replace_leader", "replace_follower", "replace_double", "duel", "attack", "answer")

DEALT, ASKED, CHOSEN, REPLACED, DUELLED, ATTACKED, ANSWERED, SHOWN = range(8)
"""What a scene shows: `state.event`."""
A, B, BOTH, NOBODY = 0, 1, 2, -1

# ---------------------------------------------------------------------------------------------------- parameters (3)

SIMULTANEOUS, A_THEN_B, B_THEN_A = range(3)
UNCAPPED = 0
LEADER_COUNT, ANY_NUMBER, FIRST_NUMBER = 0, 1, 2
REPEAT, ARROW_LEADS, COIN_FLIP = range(3)
DECLARED, COUNTS_AS_DEFENCE = 0, 1
DEFENCES_FIRST, SEQUENTIAL = 0, 1
ALL, MAJORITY = 0, 1
REPLAY, ARROW = 0, 1
TO_TRAILING, TO_LEADING, ALL_BOTH = 0, -1, -2
"""Arrows that fit any board; others are written out, two bits a space: 1 A, 2 B, 3 both."""
ARROW_WORDS = {"a": 1, "b": 2, "both": 3}


class Words(Parameter):
    """A choice whose words may have capitals."""

    def _match(self, value: Any) -> Any:
        text = str(value).strip().lower().replace("-", "_")
        return next((legal for legal in self.legal if str(legal).lower() == text), None)


class Series(Parameter):
    """A named preset, or whole numbers in a row: 4-6-9-7-9-6-4, [4, 6, 9, 7, 9, 6, 4]. The record holds four bits a number."""

    def _match(self, value: Any) -> Any:
        if isinstance(value, Mapping):  # rank -> count
            ranks = {int(rank): number for rank, number in value.items()}
            value = [ranks.get(rank, 0) for rank in range(1, max(ranks, default=0) + 1)] if min(ranks, default=0) >= 1 else []
        words = text_parts(value)
        for name, numbers in self.presets().items():
            if words in ([name], numbers):
                return name
        fits = len(words) <= 15 and all(word.isdecimal() and int(word) <= 15 for word in words)
        return "-".join(str(int(word)) for word in words) if fits and words else None

    def presets(self) -> dict[str, list[str]]:
        return {name: text_parts(SERIES.get(name, name)) for name in self.legal}

    def numbers(self, value: str) -> list[int]:
        """The numbers that a legal value stands for."""
        return [int(word) for word in self.presets().get(value, text_parts(value))]

    def code(self, value: str) -> int:
        return sum(number << 4 * k for k, number in enumerate(self.numbers(value)))

    def legal_text(self) -> str:
        return f"one of {', '.join(self.legal)}, or up to 15 numbers from 0 to 15 such as {'-'.join(self.presets()[self.default])}"


class Arrows(Series):
    """Arrows: a preset, or A, B, both for each space. The record holds the preset's code, or two bits a space."""

    def _match(self, value: Any) -> Any:
        words = text_parts(value)
        if len(words) == 1 and words[0] in self.legal:
            return words[0]
        fits = 0 < len(words) <= PLACES and all(word in ARROW_WORDS for word in words)
        return "-".join("both" if word == "both" else word.upper() for word in words) if fits else None

    def code(self, value: str) -> int:
        if value in self.legal:
            return -self.legal.index(value)
        return sum(ARROW_WORDS[word] << 2 * k for k, word in enumerate(text_parts(value)))

    def legal_text(self) -> str:
        return f"one of {', '.join(self.legal)}, or an arrow a space such as B-B-B-both-A-A-A"


def text_parts(value: Any) -> list[str]:
    """'4-6-9', '[4, 6, 9]' and [4, 6, 9] as their words, in small letters."""
    if isinstance(value, (list, tuple)):
        return [str(each).strip().lower() for each in value]
    text = str(value).strip().lower().strip("[]")
    return [word for word in text.replace("-", " ").replace(",", " ").split()]


SERIES = {
    "hump_v1": "2-3-5-5-5-5-3-2-2-2-2-2",
    "flat_v1": "3-3-3-3-3-4-4-3-3-3-3-3",
    "flat7": "7-7-7-7-7-7-7",
    "shrink": "4-5-6-7-6-5-4",
    "grow": "9-9-8-7-8-9-9",
}
"""The presets of D1 and D2."""
BOARD = "4-6-9-7-9-6-4"

DECK_OF = Series("deck", "hump_v1", ("hump_v1", "flat_v1"), "choice", "cards of each rank, 1 first: a preset, or counts such as 3-3-3-3-3-4-4-3-3-3-3-3 (D1)")  # fmt: skip
BOARD_OF = Series("board", BOARD, (BOARD, "flat7", "shrink", "grow"), "choice", "hand sizes of the spaces: a preset, or an odd number of sizes such as 5-7-5 (D2)")  # fmt: skip
ARROWS_OF = Arrows("arrows", "to_trailing", ("to_trailing", "to_leading", "all_both"), "choice", "arrows of the spaces: a preset, or such as B-both-A (D3)")  # fmt: skip
PARAMETERS = [
    DECK_OF,
    BOARD_OF,
    ARROWS_OF,
    Words("double_arrow", "simultaneous", ("simultaneous", "A_then_B_uncapped", "B_then_A_uncapped"), "choice", "how both replace under a double arrow (D4)"),
    flag("first_round_free", True, "whether round 1 has a double arrow whatever its space shows (D4)"),
    choice("replace_cap", "none", ("none", *range(LARGEST_HAND + 1)), "the most cards that anybody may replace (D5)"),
    choice("follower_cap", "leader_count", ("leader_count", "none", *range(LARGEST_HAND + 1)), "the most cards that the follower may replace (D5)"),
    choice("duel_tie", "repeat", ("repeat", "arrow_leads", "coin_flip"), "how an equal duel is settled (D7)"),
    flag("defend_on_equal", True, "whether an equal card defends (D9)"),
    flag("voluntary_sacrifice", True, "whether one may refuse to defend (D10)"),
    choice("lowest_that_defends", "declared", ("declared", "counts_as_defence"), "what a sacrifice counts as that is high enough (D11)"),
    choice("jumbo_response", "defences_first", ("defences_first", "sequential_ascending"), "how a jumbo attack is answered (D12)"),
    choice("jumbo_lead", "all", ("all", "majority"), "how many cards of a jumbo attack must be defended to attack next (D13)"),
    flag("jumbo_sets", True, "whether one may attack with a set (D14)"),
    whole("set_min", 2, 2, 4, "the fewest cards of a set (D14)"),
    flag("jumbo_sequences", True, "whether one may attack with a sequence (D14)"),
    whole("seq_min", 3, 2, 6, "the fewest cards of a sequence (D14)"),
    choice("jumbo_max", "none", ("none", *range(1, LARGEST_HAND)), "the most cards of an attack; 1 switches jumbo attacks off (D14)"),
    choice("showdown_tie", "replay", ("replay", "arrow"), "what a tied showdown leads to (D17)"),
    flag("tile_cover", True, "whether the space that the marker leaves is covered (D19)"),
    whole("max_rounds", 1000, 7, 100_000, "rounds after which a game is capped (D21)"),
]  # fmt: skip
RULES = rules_record(PARAMETERS)


def wrong_rules(rules: Mapping) -> str:
    """What is wrong with rules that are legal one by one."""
    sizes, cards = BOARD_OF.numbers(rules["board"]), sum(DECK_OF.numbers(rules["deck"]))
    if len(sizes) % 2 == 0:
        return f"a board has an odd number of spaces, and {rules['board']} has {len(sizes)}"
    if min(sizes) < 2:
        return f"a hand has 2 cards or more; the board {rules['board']} has a smaller one"
    if cards < 4 * max(sizes):
        return f"hands of {max(sizes)} need a deck of {4 * max(sizes)} cards or more, and {rules['deck']} has {cards}"
    if cards > LARGEST_DECK:
        return f"a deck has at most {LARGEST_DECK} cards, and {rules['deck']} has {cards}"
    if rules["arrows"] not in ARROWS_OF.legal and len(text_parts(rules["arrows"])) != len(sizes):
        return f"arrows = {rules['arrows']} are {len(text_parts(rules['arrows']))}, and the board has {len(sizes)} spaces"
    return ""


# -------------------------------------------------------------------------------------------------------- columns (5)


def columns() -> list[Column]:
    """What is recorded of each game: sums over its rounds. A board of one space makes every game one decisive round."""
    seat, at = {"per": "seat"}, {"labels": tuple(str(place) for place in range(1, PLACES + 1)), "group": "all"}
    return [
        *result_columns(),
        Column("first_round_winner", "who won the first decisive round; -1 if nobody did", -1, 3),
        Column("rounds", "length in rounds", 0, 64),
        Column("decisive_rounds", "rounds that somebody won", 0, 32),
        Column("ties", "rounds that nobody won", 0, 32),
        Column("equal_showdowns", "showdowns of equal cards", 0, 32),
        Column("wins", "rounds won", 0, 16, **seat),
        Column("margin", "rounds won, winner's minus loser's", 0, 16),
        Column("path", "1, then a binary digit for each of the first 15 decisive rounds: 0 if A won it, 1 if B did", tallied=False),
        Column("leader_rounds", "rounds as the leader of a single arrow", 0, 32, **seat),
        Column("dealt", "cards dealt to each, not counting replacements", 0, 256),
        Column("replaced", "cards replaced", 0, 256, **seat),
        Column("replaced_leading", "of these, as the leader of a single arrow", 0, 128, **seat),
        Column("replaced_following", "of these, as the follower", 0, 128, **seat),
        Column("ranks_before", "sum of the ranks dealt", 0, 1024, "all", **seat),
        Column("ranks_after", "sum of the ranks of the hands after replacement", 0, 1024, "all", **seat),
        Column("lowest_before", "sum of the lowest ranks of the hands dealt", 0, 128, "all", **seat),
        Column("lowest_after", "sum of the lowest ranks of the hands after replacement", 0, 128, "all", **seat),
        Column("duels", "duels, equal ones too", 0, 64),
        Column("equal_duels", "duels of equal cards", 0, 32),
        Column("duel_ranks", "sum of the ranks of the duel cards", 0, 256, **seat),
        Column("duel_wins", "duels won by the higher card", 0, 32, **seat),
        Column("attacks", "attacks made", 0, 128, **seat),
        Column("sets", "attacks with a set", 0, 64, **seat),
        Column("sequences", "attacks with a sequence", 0, 64, **seat),
        Column("attack_cards", "cards attacked with", 0, 256, **seat),
        Column("attack_ranks", "sum of their ranks", 0, 1024, **seat),
        Column("jumbo_available", "attacks where a set or sequence was legal", 0, 128, **seat),
        Column("jumbo_unused", "of these, attacks with a single", 0, 128, **seat),
        Column("defended", "attacking cards defended, as lowest_that_defends counts", 0, 256, **seat),
        Column("sacrificed", "cards sacrificed", 0, 256, **seat),
        Column("sacrificed_ranks", "sum of their ranks", 0, 1024, **seat),
        Column("refusals", "exchanges in which this defender defended fewer cards than could have been", 0, 128, **seat),
        Column("refused", "how many fewer, in all", 0, 128, **seat),
        Column("lead_changes", "exchanges after which the defender attacked", 0, 128),
        Column("last_attacks", "rounds with this player's attack as the last", 0, 64, **seat),
        Column("showdown_ranks", "sum of the ranks of the last cards", 0, 512, **seat),
        Column("duel_rounds", "decisive rounds with a higher duel card", 0, 32),
        Column("duel_winner_wins", "of these, rounds won by who had it", 0, 32),
        Column("attack_rounds", "decisive rounds with an attack", 0, 32),
        Column("last_attacker_wins", "of these, rounds won by the last attacker", 0, 32),
        Column("arrow_rounds", "decisive rounds with a single arrow", 0, 32),
        Column("arrow_wins", "of these, rounds won by who it points to", 0, 32),
        Column("decisive_at", "decisive rounds on this space", 0, 8, **at),
        Column("a_wins_at", "of these, rounds won by A", 0, 8, **at),
        Column("ties_at", "rounds on this space that nobody won", 0, 8, **at),
        Column("duel_rounds_at", "duel_rounds on this space", 0, 8, **at),
        Column("duel_winner_wins_at", "duel_winner_wins on this space", 0, 8, **at),
        Column("attack_rounds_at", "attack_rounds on this space", 0, 8, **at),
        Column("last_attacker_wins_at", "last_attacker_wins on this space", 0, 8, **at),
        Column("arrow_rounds_at", "arrow_rounds on this space", 0, 8, **at),
        Column("arrow_wins_at", "arrow_wins on this space", 0, 8, **at),
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- the records

TABLE = record([
    ("place", INT),  # of the marker: 0 A's goal, 1 to `spaces`, then B's goal
    ("spaces", INT),  # of the board
    ("covered", INT),  # one bit a place
    ("round_number", INT),  # 1 for the first
    ("h", INT),  # cards dealt to each
    ("arrow", INT),  # A, B or BOTH
    ("wins", INT, (2,)),  # rounds won
    ("path", INT),  # the column
    ("first_winner", INT),  # of the first decisive round, or NOBODY
    # this round
    ("cards", INT, (2,)),  # in each hand
    ("replacements", INT),  # players who have replaced
    ("replaced_count", INT, (2,)),
    ("replaced", INT, (2,)),  # sets of cards discarded by each: for replacement,
    ("duelled", INT, (2,)),  # in duels,
    ("attacked", INT, (2,)),  # as attacks,
    ("defended", INT, (2,)),  # as defences,
    ("sacrificed", INT, (2,)),  # as sacrifices
    ("floor", INT, (2,)),  # the highest sacrifice: what is left in that hand is at least as high
    ("equal_duels", INT),
    ("duel_winner", INT),  # who had the higher card, or NOBODY
    ("attacker", INT),  # whose attack it is, or NOBODY
    ("last_attacker", INT),  # who attacked last, or NOBODY
    ("attack", INT),  # the attack on the table, 0 if there is none
    ("left", INT),  # those of its cards that are not answered yet
    ("answered", INT),  # what it is answered with so far: defences
    ("given", INT),  # and sacrifices
    ("exchanges", INT),  # finished, in this round
    ("by", INT),  # one bit an exchange: the attacker
    ("attacks", INT, (MOST_EXCHANGES,)),  # exchange by exchange: the attack,
    ("defences", INT, (MOST_EXCHANGES,)),  # the defences,
    ("sacrifices", INT, (MOST_EXCHANGES,)),  # and the sacrifices
])  # fmt: skip

STATE = record([
    *state_header(RULES),
    ("table", TABLE),
    ("hand", INT, (2,)),
    ("chosen", INT, (2,)),  # simultaneous choices not revealed yet
    ("could", INT),  # the most defences that the attack on the table allowed
    ("drawn", INT),  # cards taken from the deck
    ("deck_cards", INT),
    ("deck", "u1", (LARGEST_DECK,)),  # ranks, top first
    ("ordered", "u1", (LARGEST_DECK,)),  # the same, ascending: what is shuffled
    ("phase", INT),  # what comes next
    ("to_act", INT),  # and whose choice it is
    ("event", INT),  # what was seen last
    ("actor", INT),  # and who did it
    ("shown", INT),  # and with which cards
    ("last_cards", INT, (2,)),  # ranks at the last showdown
    ("round_winner", INT),  # of the last showdown, or NOBODY
    # what is recorded
    ("equal_showdowns", INT), ("dealt", INT), ("duels", INT), ("equal_duels", INT), ("lead_changes", INT),
    ("leader_rounds", INT, (2,)), ("replaced", INT, (2,)), ("replaced_leading", INT, (2,)), ("replaced_following", INT, (2,)),
    ("ranks_before", INT, (2,)), ("ranks_after", INT, (2,)), ("lowest_before", INT, (2,)), ("lowest_after", INT, (2,)),
    ("duel_ranks", INT, (2,)), ("duel_wins", INT, (2,)),
    ("attacks", INT, (2,)), ("sets", INT, (2,)), ("sequences", INT, (2,)), ("attack_cards", INT, (2,)), ("attack_ranks", INT, (2,)),
    ("jumbo_available", INT, (2,)), ("jumbo_unused", INT, (2,)),
    ("defended", INT, (2,)), ("sacrificed", INT, (2,)), ("sacrificed_ranks", INT, (2,)), ("refusals", INT, (2,)), ("refused", INT, (2,)),
    ("last_attacks", INT, (2,)), ("showdown_ranks", INT, (2,)),
    ("decisive_at", INT, (16,)), ("a_wins_at", INT, (16,)), ("ties_at", INT, (16,)),
    ("duel_rounds_at", INT, (16,)), ("duel_winner_wins_at", INT, (16,)),
    ("attack_rounds_at", INT, (16,)), ("last_attacker_wins_at", INT, (16,)),
    ("arrow_rounds_at", INT, (16,)), ("arrow_wins_at", INT, (16,)),
])  # fmt: skip

VIEW = record([
    *view_header(RULES),
    ("table", TABLE),
    ("hand", INT),  # own cards
])  # fmt: skip

# --------------------------------------------------------------------------------------------------------- sets of cards


@kernel
def copies(cards, rank):
    """How many cards of this rank are in a set of cards; 1 <= rank <= 15."""
    return (cards >> (4 * rank - 4)) & 15


@kernel
def card(rank):
    """The set of one card."""
    return np.int64(1) << (4 * rank - 4)


@kernel
def ranked(cards):
    """For all ranks at once how many of at most 15 cards have this rank or a lower one: four bits a rank."""
    return np.int64((np.uint64(cards) * WORD_ONE_EACH) & WORD_CARDS)


@kernel
def how_many(cards):
    """The number of cards, at most 15."""
    return ranked(cards) >> (TAG_BITS - 4)


@kernel
def rank_sum(cards):
    """The sum of the ranks of at most 15 cards: for each rank, the cards above or at it."""
    within = ranked(cards)
    pairs = (within & BYTES) + ((within >> 4) & BYTES)
    return 16 * (within >> (TAG_BITS - 4)) - np.int64((np.uint64(pairs) * WORD_ONE_A_BYTE) >> TOP_BYTE)


@kernel
def lowest(cards):
    """The lowest rank among one card or more."""
    return (lowest_one(cards) >> 2) + 1


@kernel
def lowest_card(cards):
    """The lowest card among one or more, as a set."""
    return np.int64(1) << (lowest_one(cards) & ~3)


@kernel
def highest(cards):
    """The highest rank among the cards; 0 if there are none."""
    rank = np.int64(0)
    while cards != 0:
        rank = lowest(cards)
        cards &= ~(np.int64(15) << (4 * rank - 4))
    return rank


@kernel
def from_rank(cards, rank):
    """The cards of this rank (1 to 16) or a higher one."""
    return cards & ~((np.int64(1) << (4 * rank - 4)) - 1)


@kernel
def lowest_of(cards, n):
    """The n lowest cards, as a set."""
    taken = np.int64(0)
    for _ in range(n):
        each = lowest_card(cards)
        cards -= each
        taken += each
    return taken


@kernel
def sufficient(rank, rules):
    """The lowest rank that defends against a card of this rank (D9)."""
    return rank + 1 - rules.defend_on_equal


@kernel
def answerable(attack, rules):
    """For all ranks at once how many attacking cards a card of this rank can answer: four bits a rank."""
    within = ranked(attack)
    return within if rules.defend_on_equal == 1 else (within & (CARDS >> 4)) << 4


@kernel
def most_defences(cards, attack, rules):
    """How many cards of an attack these cards can defend: from low to high, each answers one more if there is one in its reach."""
    reach = answerable(attack, rules)
    defended = np.int64(0)
    while cards != 0:
        place = lowest_one(cards) & ~3
        defended = min(defended + ((cards >> place) & 15), (reach >> place) & 15)
        cards &= ~(np.int64(15) << place)
    return defended


@kernel
def longest_jumbo(rules, cards):
    """The most cards of an attack by a hand of so many cards (D14, D15)."""
    return cards - 1 if rules.jumbo_max == UNCAPPED else min(cards - 1, rules.jumbo_max)


@kernel
def twos(cards):
    """The bits that are set only in ranks of two cards or more."""
    return cards & (ONE_EACH * 14)


@kernel
def ranks_held(cards):
    """One card of each rank that is among the cards."""
    return (cards | (cards >> 1) | (cards >> 2) | (cards >> 3)) & ONE_EACH


@kernel
def sequence_starts(cards, length):
    """One card of each rank with which a sequence of this length can begin."""
    ranks = ranks_held(cards)
    starts = ranks
    for k in range(1, length):
        starts &= ranks >> (4 * k)
    return starts


@kernel
def has_set(cards, least):
    """Whether `least` cards or more have one rank."""
    rest = twos(cards)
    while rest != 0:
        place = lowest_one(rest) & ~3
        if (cards >> place) & 15 >= least:
            return True
        rest &= ~(np.int64(15) << place)
    return False


@kernel
def has_jumbo(rules, hand, cards):
    """Whether a hand of so many cards allows an attack with more than one."""
    longest = longest_jumbo(rules, cards)
    if rules.jumbo_sets == 1 and rules.set_min <= longest and has_set(hand, rules.set_min):
        return True
    return rules.jumbo_sequences == 1 and rules.seq_min <= longest and sequence_starts(hand, rules.seq_min) != 0


# --------------------------------------------------------------------------------------------------------- board (1.2)


@kernel
def hand_size_at(rules, place):
    """The hand size of a space."""
    return (rules.board >> (4 * place - 4)) & 15


@kernel
def arrow_at(rules, spaces, place):
    """To whom the arrow of a space points: A, B or BOTH."""
    if rules.arrows > 0:
        return ((rules.arrows >> (2 * place - 2)) & 3) - 1
    centre = (spaces + 1) >> 1
    if rules.arrows == ALL_BOTH or place == centre:
        return np.int64(BOTH)
    return np.int64((place < centre) == (rules.arrows == TO_TRAILING))


@kernel
def spaces_of(rules):
    """The number of spaces of the board."""
    spaces = np.int64(0)
    while spaces < PLACES and hand_size_at(rules, spaces + 1) > 0:
        spaces += 1
    return spaces


# ----------------------------------------------------------------------------------------------------------- set-up (1)


@kernel
def clear(state):
    """The marker in the centre, no round begun, nothing recorded."""
    state.seats = 2
    state.decision = DOUBLE
    table = state.table
    table.spaces = spaces_of(state.rules)
    table.place = (table.spaces + 1) >> 1
    table.covered = 0
    table.round_number = 0
    table.path = 1
    table.first_winner = NOBODY
    for s in range(2):
        table.wins[s] = 0
        state.chosen[s] = 0
        state.last_cards[s] = 0
    state.could = 0
    state.phase = DEALING
    state.to_act = 0
    state.event = DEALT
    state.actor = NOBODY
    state.shown = 0
    state.round_winner = NOBODY
    forget(state)
    list_deck(state)


@part
def list_deck(state):
    """The deck in ascending order."""
    n = np.int64(0)
    for rank in range(1, RANKS + 1):
        for _ in range(copies(state.rules.deck, rank)):
            state.ordered[n] = rank
            n += 1
    state.deck_cards = n


@part
def forget(state):
    """Nothing is recorded yet."""
    state.equal_showdowns = 0
    state.dealt = 0
    state.duels = 0
    state.equal_duels = 0
    state.lead_changes = 0
    for s in range(2):
        state.leader_rounds[s] = 0
        state.replaced[s] = 0
        state.replaced_leading[s] = 0
        state.replaced_following[s] = 0
        state.ranks_before[s] = 0
        state.ranks_after[s] = 0
        state.lowest_before[s] = 0
        state.lowest_after[s] = 0
        state.duel_ranks[s] = 0
        state.duel_wins[s] = 0
        state.attacks[s] = 0
        state.sets[s] = 0
        state.sequences[s] = 0
        state.attack_cards[s] = 0
        state.attack_ranks[s] = 0
        state.jumbo_available[s] = 0
        state.jumbo_unused[s] = 0
        state.defended[s] = 0
        state.sacrificed[s] = 0
        state.sacrificed_ranks[s] = 0
        state.refusals[s] = 0
        state.refused[s] = 0
        state.last_attacks[s] = 0
        state.showdown_ranks[s] = 0
    for place in range(16):
        state.decisive_at[place] = 0
        state.a_wins_at[place] = 0
        state.ties_at[place] = 0
        state.duel_rounds_at[place] = 0
        state.duel_winner_wins_at[place] = 0
        state.attack_rounds_at[place] = 0
        state.last_attacker_wins_at[place] = 0
        state.arrow_rounds_at[place] = 0
        state.arrow_wins_at[place] = 0


@kernel
def clear_round(table):
    """Nothing is discarded, attacked or answered."""
    table.replacements = 0
    table.equal_duels = 0
    table.duel_winner = NOBODY
    table.attacker = NOBODY
    table.last_attacker = NOBODY
    table.attack = 0
    table.left = 0
    table.answered = 0
    table.given = 0
    table.exchanges = 0
    table.by = 0
    for s in range(2):
        table.replaced_count[s] = 0
        table.replaced[s] = 0
        table.duelled[s] = 0
        table.attacked[s] = 0
        table.defended[s] = 0
        table.sacrificed[s] = 0
        table.floor[s] = 0
    for k in range(MOST_EXCHANGES):
        table.attacks[k] = 0
        table.defences[k] = 0
        table.sacrifices[k] = 0


@kernel
def start(state):
    """Puts the marker in the centre, deals the first round and asks for the first replacement."""
    clear(state)
    deal(state)
    ask(state)


# ------------------------------------------------------------------------------------------------------------- deal (2.1)


@part
def draw(state, cards):
    """The next cards of the deck, as a set."""
    taken = np.int64(0)
    for k in range(state.drawn, state.drawn + cards):
        taken += card(np.int64(state.deck[k]))
    state.drawn += cards
    return taken


@part
def deal(state):
    """A new round on the marker's space: shuffle, hands, arrow."""
    table, rules = state.table, state.rules
    clear_round(table)
    table.round_number += 1
    if state.dealing != GIVEN:
        for k in range(state.deck_cards):
            state.deck[k] = state.ordered[k]
        purpose = np.int64(DEAL) if table.round_number == 1 else RESHUFFLE + table.round_number - 2
        open_stream(state.rng, state.key[0], state.key[1], purpose)
        shuffle(state.rng, state.deck, state.deck_cards)
    h = hand_size_at(rules, table.place)
    table.h = h
    table.arrow = arrow_at(rules, table.spaces, table.place)
    if table.round_number == 1 and rules.first_round_free == 1:
        table.arrow = BOTH
    state.drawn = 0
    state.dealt += h
    for s in range(2):
        hand = draw(state, h)
        state.hand[s] = hand
        table.cards[s] = h
        state.ranks_before[s] += rank_sum(hand)
        state.lowest_before[s] += lowest(hand)
    if table.arrow == BOTH:
        state.phase = DOUBLE
        state.to_act = np.int64(rules.double_arrow == B_THEN_A)
    else:
        state.phase = LEADER
        state.to_act = table.arrow
        state.leader_rounds[table.arrow] += 1
    state.event = DEALT


# ---------------------------------------------------------------------------------------------------------- replace (2.2)


@kernel
def replace_bound(rules, table, seat, kind):
    """How many cards a player may replace (D5)."""
    bound = table.cards[seat]
    if rules.replace_cap != UNCAPPED:
        bound = min(bound, rules.replace_cap - 1)
    if kind == FOLLOWER:
        if rules.follower_cap == LEADER_COUNT:
            bound = min(bound, table.replaced_count[1 - seat])
        elif rules.follower_cap != ANY_NUMBER:
            bound = min(bound, rules.follower_cap - FIRST_NUMBER)
    return bound


@part
def replacements(state, moves):
    """All subsets of the hand's physical cards within the bound: subset number i has the k-th lowest card if i has bit k."""
    table, seat, kind = state.table, state.seat, state.decision
    bound = replace_bound(state.rules, table, seat, kind)
    moves[0] = kind << TAG_BITS
    if bound == 0:
        return np.int64(1)
    n = np.int64(1)
    rest = state.hand[seat]
    while rest != 0:
        each = lowest_card(rest)
        rest -= each
        for i in range(n):
            moves[n + i] = moves[i] + each
        n += n
    if bound == table.cards[seat]:
        return n
    kept = np.int64(0)
    for subset in range(n):
        moves[kept] = moves[subset]
        kept += np.int64(count_ones(subset) <= bound)
    return kept


@part
def exchange(state, seat, cards):
    """A player discards these cards and draws as many."""
    table = state.table
    n = how_many(cards)
    state.hand[seat] += draw(state, n) - cards
    table.replaced[seat] = cards
    table.replaced_count[seat] = n
    table.replacements += 1
    state.replaced[seat] += n


@part
def replace(state, cards):
    """A choice of cards to replace."""
    table, seat = state.table, state.seat
    state.event = REPLACED
    if state.decision == DOUBLE and state.rules.double_arrow == SIMULTANEOUS:
        state.chosen[seat] = cards
        if seat == 0:
            state.to_act = 1
            state.event = CHOSEN
            return
        exchange(state, 0, state.chosen[0])
        exchange(state, 1, cards)
        state.chosen[0] = 0
        state.chosen[1] = 0
    else:
        exchange(state, seat, cards)
        if state.decision == LEADER:
            state.replaced_leading[seat] += table.replaced_count[seat]
            state.phase = FOLLOWER
        elif state.decision == FOLLOWER:
            state.replaced_following[seat] += table.replaced_count[seat]
        state.to_act = 1 - seat
    if table.replacements == 2:
        for s in range(2):
            state.ranks_after[s] += rank_sum(state.hand[s])
            state.lowest_after[s] += lowest(state.hand[s])
        state.phase = DUEL
        state.to_act = 0


# ------------------------------------------------------------------------------------------------------------- duel (2.3)


@part
def duel_cards(state, moves):
    """Each physical card of the hand, ascending."""
    n = np.int64(0)
    rest = state.hand[state.seat]
    while rest != 0:
        each = lowest_card(rest)
        rest -= each
        moves[n] = (DUEL << TAG_BITS) + each
        n += 1
    return n


@part
def duel(state, cards):
    """A duel card; the second one reveals both."""
    table = state.table
    state.chosen[state.seat] = cards
    if state.seat == 0:
        state.to_act = 1
        state.event = CHOSEN
        return
    for s in range(2):
        each = state.chosen[s]
        state.hand[s] -= each
        table.cards[s] -= 1
        table.duelled[s] += each
        state.duel_ranks[s] += lowest(each)
    state.duels += 1
    state.event = DUELLED
    if state.chosen[0] != state.chosen[1]:
        table.attacker = np.int64(state.chosen[1] > state.chosen[0])
        table.duel_winner = table.attacker
        state.duel_wins[table.attacker] += 1
    else:
        settle_equal_duel(state)
    state.chosen[0] = 0
    state.chosen[1] = 0
    state.to_act = max(table.attacker, 0)
    if table.cards[0] < 2:
        state.phase = SHOWDOWN
    elif table.attacker != NOBODY:
        state.phase = ATTACK


@part
def settle_equal_duel(state):
    """D7."""
    table, rules = state.table, state.rules
    table.equal_duels += 1
    state.equal_duels += 1
    if rules.duel_tie == ARROW_LEADS and table.arrow != BOTH:
        table.attacker = table.arrow
    elif rules.duel_tie == COIN_FLIP:
        table.attacker = coin(state.rng)


# ----------------------------------------------------------------------------------------------------------- attack (2.4)


@part
def attacks(state, moves):
    """Singles by rank; sets, then sequences, each by length, then lowest rank."""
    rules, hand, tag = state.rules, state.hand[state.seat], ATTACK << TAG_BITS
    longest = longest_jumbo(rules, state.table.cards[state.seat])
    n = np.int64(0)
    rest = ranks_held(hand)
    while rest != 0:
        each = rest & -rest
        moves[n] = tag + each
        rest ^= each
        n += 1
    if rules.jumbo_sets == 1 and twos(hand) != 0:
        for k in range(rules.set_min, longest + 1):
            before = n
            rest = twos(hand)
            while rest != 0:
                place = lowest_one(rest) & ~3
                if (hand >> place) & 15 >= k:
                    moves[n] = tag + (np.int64(k) << place)
                    n += 1
                rest &= ~(np.int64(15) << place)
            if n == before:
                break
    if rules.jumbo_sequences == 1 and rules.seq_min <= longest:
        starts = sequence_starts(hand, rules.seq_min)
        k = rules.seq_min
        while starts != 0 and k <= longest:
            run = ONE_EACH & ((np.int64(1) << (4 * k)) - 1)
            rest = starts
            while rest != 0:
                moves[n] = tag + (run << lowest_one(rest))
                rest &= rest - 1
                n += 1
            starts &= ranks_held(hand) >> (4 * k)
            k += 1
    return n


@part
def attack(state, cards):
    """The attacker's cards are laid."""
    table, rules, seat = state.table, state.rules, state.seat
    other = 1 - seat
    hand, k = state.hand[seat], how_many(cards)
    jumbo = np.int64(has_jumbo(rules, hand, table.cards[seat]))
    is_set = np.int64(k > 1 and twos(cards) != 0)
    state.attacks[seat] += 1
    state.sets[seat] += is_set
    state.sequences[seat] += np.int64(k > 1) - is_set
    state.attack_cards[seat] += k
    state.attack_ranks[seat] += rank_sum(cards)
    state.jumbo_available[seat] += jumbo
    state.jumbo_unused[seat] += np.int64(k == 1) & jumbo
    state.hand[seat] = hand - cards
    table.cards[seat] -= k
    table.attacked[seat] += cards
    table.last_attacker = seat
    table.attack = cards
    table.left = cards
    state.could = most_defences(state.hand[other], cards, rules)
    state.phase = ANSWER
    state.to_act = other
    state.event = ATTACKED


# ----------------------------------------------------------------------------------------------------------- answer (2.4)


@part
def single_answers(state, moves):
    """To the lowest attacking card: the sacrifice, then each rank that defends."""
    table, rules, hand = state.table, state.rules, state.hand[state.seat]
    tag = ANSWER << TAG_BITS
    moves[0] = tag
    n = np.int64(1)
    rest = from_rank(ranks_held(hand), sufficient(lowest(table.left), rules))
    while rest != 0:
        each = rest & -rest
        moves[n] = tag + each
        rest ^= each
        n += 1
    if rules.voluntary_sacrifice == 0 and n > 1:
        return still_most(state, moves, n)
    return n


@part
def still_most(state, moves, n):
    """Keep the answers after which the attack can still be defended as far as it could be (D10)."""
    table, hand = state.table, state.hand[state.seat]
    left = table.left - lowest_card(table.left)
    kept = np.int64(0)
    for i in range(n):
        cards = moves[i] & CARDS
        rest = hand - (cards if cards != 0 else lowest_card(hand))
        defended = how_many(table.answered) + np.int64(cards != 0) + most_defences(rest, left, state.rules)
        moves[kept] = moves[i]
        kept += np.int64(defended == state.could)
    return kept


@part
def joint_answers(state, moves):
    """All sets of defences, ascending as numbers: rank by rank, each found so far also with one, two, … cards more."""
    table, rules, hand = state.table, state.rules, state.hand[state.seat]
    reach = answerable(table.attack, rules)
    moves[0] = ANSWER << TAG_BITS
    n = np.int64(1)
    rest = hand
    while rest != 0:
        place = lowest_one(rest) & ~3
        most, found = (reach >> place) & 15, n
        for c in range(1, min((hand >> place) & 15, most) + 1):
            for i in range(found):
                moves[n] = moves[i] + (np.int64(c) << place)
                n += np.int64(how_many(moves[i] & CARDS) + c <= most)
        rest &= ~(np.int64(15) << place)
    if rules.voluntary_sacrifice == 1:
        return n
    kept = np.int64(0)
    for i in range(n):
        moves[kept] = moves[i]
        kept += np.int64(how_many(moves[i] & CARDS) == state.could)
    return kept


@part
def sacrifice(state, seat, n):
    """The n lowest cards of the hand go."""
    table = state.table
    cards = lowest_of(state.hand[seat], n)
    state.hand[seat] -= cards
    table.cards[seat] -= n
    table.given += cards
    table.sacrificed[seat] += cards
    table.floor[seat] = max(table.floor[seat], highest(cards))
    state.sacrificed[seat] += n
    state.sacrificed_ranks[seat] += rank_sum(cards)


@part
def answer(state, cards):
    """Defences, and sacrifices for the rest of the attack (D12); or the answer to one of its cards."""
    table, seat = state.table, state.seat
    n = how_many(cards)
    state.hand[seat] -= cards
    table.cards[seat] -= n
    table.answered += cards
    table.defended[seat] += cards
    if state.rules.jumbo_response == SEQUENTIAL:
        if n == 0:
            sacrifice(state, seat, 1)
        table.left -= lowest_card(table.left)
        if table.left != 0:
            state.event = CHOSEN
            return
    else:
        k = how_many(table.attack)
        if n < k:
            sacrifice(state, seat, k - n)
        table.left = 0
    resolve(state)


@part
def resolve(state):
    """The exchange is over: who attacks next."""
    table, rules, seat = state.table, state.rules, state.seat
    k, defended = how_many(table.attack), how_many(table.answered)
    if rules.lowest_that_defends == COUNTS_AS_DEFENCE and defended < k:
        defended = most_defences(table.answered + table.given, table.attack, rules)
    state.defended[seat] += defended
    state.refusals[seat] += np.int64(defended < state.could)
    state.refused[seat] += state.could - defended
    place = table.exchanges
    table.attacks[place] = table.attack
    table.defences[place] = table.answered
    table.sacrifices[place] = table.given
    table.by |= (1 - seat) << place
    table.exchanges = place + 1
    table.attack = 0
    table.answered = 0
    table.given = 0
    state.could = 0
    taken = defended == k or (rules.jumbo_lead == MAJORITY and 2 * defended > k)
    if taken:
        table.attacker = seat
    if table.cards[0] < 2:
        state.phase = SHOWDOWN
    else:
        state.lead_changes += np.int64(taken)
        state.phase = ATTACK
        state.to_act = table.attacker
    state.event = ANSWERED


# ------------------------------------------------------------------------------------------- showdown and move (2.5, 2.6)


@part
def showdown(state):
    """The last cards: the lower rank wins the round, and the marker moves."""
    table, rules = state.table, state.rules
    for s in range(2):
        state.last_cards[s] = lowest(state.hand[s])
        state.showdown_ranks[s] += state.last_cards[s]
    winner = np.int64(NOBODY)
    if state.last_cards[0] != state.last_cards[1]:
        winner = np.int64(state.last_cards[1] < state.last_cards[0])
    else:
        state.equal_showdowns += 1
        if rules.showdown_tie == ARROW and table.arrow != BOTH:
            winner = table.arrow
    state.round_winner = winner
    note_round(state, winner)
    if winner != NOBODY:
        move_marker(table, rules, winner)
    over = table.place == 0 or table.place > table.spaces or table.round_number >= rules.max_rounds
    state.phase = FINISHED if over else DEALING
    state.event = SHOWN


@part
def note_round(state, winner):
    """Who won, by place, and what they were in this round."""
    table = state.table
    place = table.place
    if table.last_attacker != NOBODY:
        state.last_attacks[table.last_attacker] += 1
    if winner == NOBODY:
        state.ties_at[place] += 1
        return
    table.wins[winner] += 1
    if table.first_winner == NOBODY:
        table.first_winner = winner
    if table.path < 1 << PATH:
        table.path = 2 * table.path + winner
    state.decisive_at[place] += 1
    state.a_wins_at[place] += np.int64(winner == A)
    state.duel_rounds_at[place] += np.int64(table.duel_winner != NOBODY)
    state.duel_winner_wins_at[place] += np.int64(table.duel_winner == winner)
    state.attack_rounds_at[place] += np.int64(table.last_attacker != NOBODY)
    state.last_attacker_wins_at[place] += np.int64(table.last_attacker == winner)
    state.arrow_rounds_at[place] += np.int64(table.arrow != BOTH)
    state.arrow_wins_at[place] += np.int64(table.arrow == winner)


@kernel
def move_marker(table, rules, winner):
    """One place toward the winner's goal, over covered spaces; the space left is covered."""
    if rules.tile_cover == 1:
        table.covered |= np.int64(1) << table.place
    direction = 2 * winner - 1
    table.place += direction
    while (table.covered >> table.place) & 1:
        table.place += direction


# ------------------------------------------------------------------------------------------------- the game, step by step


@part
def ask(state):
    """The next decision."""
    state.decision = state.phase
    state.seat = state.to_act


@kernel
def legal(state, moves):
    """The legal moves, in the order that the functions above give them."""
    kind = state.decision
    if kind == ATTACK:
        return attacks(state, moves)
    if kind == ANSWER:
        if state.rules.jumbo_response == SEQUENTIAL or how_many(state.table.attack) == 1:
            return single_answers(state, moves)
        return joint_answers(state, moves)
    if kind == DUEL:
        return duel_cards(state, moves)
    return replacements(state, moves)


@kernel
def observe(state, seat, view):
    """Section 4: the table, and one's own hand."""
    view.seat = seat
    view.decision = state.decision
    view.table = state.table
    view.hand = state.hand[seat]


@kernel
def step(state, move):
    """A choice; then on to the next one, to something worth seeing, or to the end."""
    if state.seat >= 0:
        cards, kind = move & CARDS, state.decision
        state.actor = state.seat
        state.shown = cards
        if kind == ATTACK:
            attack(state, cards)
        elif kind == ANSWER:
            answer(state, cards)
        elif kind == DUEL:
            duel(state, cards)
        else:
            replace(state, cards)
        if state.watch == 1 and state.event != CHOSEN:
            state.seat = PAUSED
            return
    else:
        state.event = ASKED
    while state.phase > ANSWER:
        if state.phase == FINISHED:
            state.seat = OVER
            return
        if state.phase == SHOWDOWN:
            showdown(state)
        else:
            deal(state)
        if state.watch == 1:
            state.seat = PAUSED
            return
    ask(state)


# ------------------------------------------------------------------------------------------------------ the result (5)


@kernel
def score(state, result):
    """Section 5: the row of a finished game."""
    table = state.table
    winner = np.int64(NOBODY)
    if table.place == 0:
        winner = np.int64(A)
    elif table.place > table.spaces:
        winner = np.int64(B)
    decisive = table.wins[0] + table.wins[1]
    result.outcome = WIN if winner != NOBODY else CAPPED
    result.winner = winner
    result.first_round_winner = table.first_winner
    result.rounds = table.round_number
    result.decisive_rounds = decisive
    result.ties = table.round_number - decisive
    result.equal_showdowns = state.equal_showdowns
    result.margin = abs(table.wins[0] - table.wins[1]) if winner != NOBODY else 0
    result.path = table.path
    result.dealt = state.dealt
    result.duels = state.duels
    result.equal_duels = state.equal_duels
    result.lead_changes = state.lead_changes
    for s in range(2):
        result.payoff[s] = 2 * np.int64(winner == s) if winner != NOBODY else 1
        result.wins[s] = table.wins[s]
        score_seat(state, result, s)
    score_places(state, result)


@part
def score_seat(state, result, s):
    """The columns of one player."""
    result.leader_rounds[s] = state.leader_rounds[s]
    result.replaced[s] = state.replaced[s]
    result.replaced_leading[s] = state.replaced_leading[s]
    result.replaced_following[s] = state.replaced_following[s]
    result.ranks_before[s] = state.ranks_before[s]
    result.ranks_after[s] = state.ranks_after[s]
    result.lowest_before[s] = state.lowest_before[s]
    result.lowest_after[s] = state.lowest_after[s]
    result.duel_ranks[s] = state.duel_ranks[s]
    result.duel_wins[s] = state.duel_wins[s]
    result.attacks[s] = state.attacks[s]
    result.sets[s] = state.sets[s]
    result.sequences[s] = state.sequences[s]
    result.attack_cards[s] = state.attack_cards[s]
    result.attack_ranks[s] = state.attack_ranks[s]
    result.jumbo_available[s] = state.jumbo_available[s]
    result.jumbo_unused[s] = state.jumbo_unused[s]
    result.defended[s] = state.defended[s]
    result.sacrificed[s] = state.sacrificed[s]
    result.sacrificed_ranks[s] = state.sacrificed_ranks[s]
    result.refusals[s] = state.refusals[s]
    result.refused[s] = state.refused[s]
    result.last_attacks[s] = state.last_attacks[s]
    result.showdown_ranks[s] = state.showdown_ranks[s]


@part
def score_places(state, result):
    """The columns by place, and their totals."""
    result.duel_rounds = 0
    result.duel_winner_wins = 0
    result.attack_rounds = 0
    result.last_attacker_wins = 0
    result.arrow_rounds = 0
    result.arrow_wins = 0
    for k in range(PLACES):
        place = k + 1
        result.decisive_at[k] = state.decisive_at[place]
        result.a_wins_at[k] = state.a_wins_at[place]
        result.ties_at[k] = state.ties_at[place]
        result.duel_rounds_at[k] = state.duel_rounds_at[place]
        result.duel_winner_wins_at[k] = state.duel_winner_wins_at[place]
        result.attack_rounds_at[k] = state.attack_rounds_at[place]
        result.last_attacker_wins_at[k] = state.last_attacker_wins_at[place]
        result.arrow_rounds_at[k] = state.arrow_rounds_at[place]
        result.arrow_wins_at[k] = state.arrow_wins_at[place]
        result.duel_rounds += state.duel_rounds_at[place]
        result.duel_winner_wins += state.duel_winner_wins_at[place]
        result.attack_rounds += state.attack_rounds_at[place]
        result.last_attacker_wins += state.last_attacker_wins_at[place]
        result.arrow_rounds += state.arrow_rounds_at[place]
        result.arrow_wins += state.arrow_wins_at[place]


# ---------------------------------------------------------------------------------------------- a guess at hidden cards

TRIES = 200
"""Hands drawn until one explains every forced answer; only where refusing to defend is not allowed."""


@kernel
def discards(table, seat):
    """All cards that a player has discarded or laid this round."""
    return table.replaced[seat] + table.duelled[seat] + table.attacked[seat] + table.defended[seat] + table.sacrificed[seat]


@kernel
def unseen(view):
    """The cards that the viewer has not seen: the other hand and the draw pile."""
    return view.rules.deck - view.hand - discards(view.table, 0) - discards(view.table, 1)


@part
def spread(cards, deck, n):
    """Write a set of cards one by one from position n on; returns where it ends."""
    for rank in range(1, RANKS + 1):
        for _ in range(copies(cards, rank)):
            deck[n] = rank
            n += 1
    return n


@kernel
def explains(view, hand):
    """Whether the opponent, with this hand left, defended as far as possible wherever that is the rule (D10)."""
    table, rules, other = view.table, view.rules, 1 - view.seat
    held = hand
    if table.attack != 0 and table.attacker == view.seat:
        held += table.answered + table.given
        most = most_defences(held, table.attack, rules)
        if how_many(table.answered) + most_defences(hand, table.left, rules) < most:
            return False
    for k in range(table.exchanges - 1, -1, -1):
        if ((table.by >> k) & 1) == other:
            held += table.attacks[k]
        else:
            held += table.defences[k] + table.sacrifices[k]
            if most_defences(held, table.attacks[k], rules) > how_many(table.defences[k]):
                return False
    return True


@part
def guess_hand(view, state):
    """The opponent's hand: any cards not seen, none below what they have sacrificed, and none that they had to defend with."""
    other = 1 - view.seat
    cards = view.table.cards[other]
    possible = from_rank(unseen(view), max(view.table.floor[other], 1))
    n = spread(possible, state.deck, np.int64(0))
    hand = np.int64(0)
    for _ in range(TRIES):
        hand = np.int64(0)
        for k in range(cards):
            j = k + below(view.rng, n - k)
            each = state.deck[j]
            state.deck[j] = state.deck[k]
            state.deck[k] = each
            hand += card(np.int64(each))
        if view.rules.voluntary_sacrifice == 1 or explains(view, hand):
            return hand
    # Whatever could be defended with a hand can be with a higher one: if any hand explains all, the lowest does.
    return lowest_of(possible, cards)


@part
def guess_choice(view, state):
    """A's choice, which B does not see yet: any legal one, each as likely."""
    if view.decision == DUEL:
        index = below(view.rng, view.table.cards[0])
        state.chosen[0] = lowest_card(state.hand[0] - lowest_of(state.hand[0], index))
        return
    bound = replace_bound(view.rules, view.table, np.int64(0), view.decision)
    while True:
        subset = below(view.rng, np.int64(1) << view.table.cards[0])
        if count_ones(subset) <= bound:
            break
    rest = state.hand[0]
    while subset != 0:
        each = lowest_card(rest)
        rest -= each
        state.chosen[0] += each * (subset & 1)
        subset >>= 1


@kernel
def guess(view, state):
    """A state that gives this view: hidden cards are drawn from the view's own stream, nothing is recorded yet."""
    seat, other = view.seat, 1 - view.seat
    table = view.table
    state.rules = view.rules
    clear(state)
    state.table = table
    state.watch = 0
    state.detail = 0
    state.dealing = 0
    state.key[0] = np.int64(next_word(view.rng) >> np.uint64(1))
    state.key[1] = np.int64(next_word(view.rng) >> np.uint64(1))
    open_stream(state.rng, state.key[0], state.key[1], CHANCE)
    state.decision = view.decision
    state.phase = view.decision
    state.seat = seat
    state.to_act = seat
    state.event = ASKED
    state.hand[seat] = view.hand
    state.hand[other] = guess_hand(view, state)
    state.drawn = 2 * table.h + table.replaced_count[0] + table.replaced_count[1]
    end = spread(unseen(view) - state.hand[other], state.deck, state.drawn)
    shuffle(view.rng, state.deck[state.drawn : end], end - state.drawn)
    if view.decision == ANSWER:
        state.could = most_defences(view.hand + table.answered + table.given, table.attack, view.rules)
    blind = view.decision == DUEL or (view.decision == DOUBLE and view.rules.double_arrow == SIMULTANEOUS)
    if blind and seat == 1:
        guess_choice(view, state)


# -------------------------------------------------------------------------------------------------- to look at and tell

PLAYERS = ("A", "B")


def listed(cards: int) -> list[int]:
    """The ranks of a set of cards, ascending."""
    return [rank for rank in range(1, RANKS + 1) for _ in range(int(cards) >> 4 * (rank - 1) & 15)]


def packed(ranks: Any) -> int:
    """The set of cards of these ranks."""
    return sum(1 << 4 * (rank - 1) for rank in ranks)


def cards_text(cards: list[int] | int) -> str:
    """'{3,5,5}', or '3 cards' of those that are not shown."""
    if isinstance(cards, int):
        return f"{cards} card{'s' if cards != 1 else ''}"
    return "{" + ",".join(str(rank) for rank in cards) + "}"


def attack_kind(ranks: list[int]) -> str:
    """single, set or sequence."""
    return "single" if len(ranks) == 1 else "set" if ranks[0] == ranks[1] else "sequence"


def move_text(move: int, decision: int = 0) -> str:
    """'replace 3 5', 'replace none', 'duel 8', 'attack 4 5 6', 'defend 5 6', 'sacrifice'."""
    kind, ranks = int(move) >> TAG_BITS, listed(int(move) & CARDS)
    text = " ".join(str(rank) for rank in ranks)
    if kind <= DOUBLE:
        return f"replace {text or 'none'}"
    if kind == ANSWER:
        return f"defend {text}" if ranks else "sacrifice"
    return f"{'duel' if kind == DUEL else 'attack'} {text}"


def scene(state) -> dict:
    """All there is to see: the board, the round, hands, discards, and what happened last."""
    table, event = state["table"], int(state["event"])
    spaces = int(table["spaces"])
    exchanges = int(table["exchanges"])

    def both(name):
        return [listed(table[name][s]) for s in range(2)]

    def one_exchange(k):
        attack = listed(table["attacks"][k])
        return {"attacker": int(table["by"]) >> k & 1, "kind": attack_kind(attack), "k": len(attack), "attack": attack,
                "defences": listed(table["defences"][k]), "sacrifices": listed(table["sacrifices"][k])}  # fmt: skip

    return {
        "event": ("dealt", "asked", "chosen", "replaced", "duelled", "attacked", "answered", "shown")[event],
        "round": int(table["round_number"]),
        "place": int(table["place"]),
        "spaces": spaces,
        "sizes": [int(state["rules"]["board"]) >> 4 * k & 15 for k in range(spaces)],
        "covered": [place for place in range(1, spaces + 1) if int(table["covered"]) >> place & 1],
        "h": int(table["h"]),
        "arrow": ("A", "B", "both")[int(table["arrow"])],
        "wins": [int(wins) for wins in table["wins"]],
        "seat": int(state["seat"]),
        "kind": DECISIONS[int(state["decision"])],
        "actor": int(state["actor"]),
        "hands": [listed(state["hand"][s]) for s in range(2)],
        "replaced": both("replaced"),
        "replacements": int(table["replacements"]),
        "duel_cards": both("duelled"),
        "equal_duels": int(table["equal_duels"]),
        "duel_winner": int(table["duel_winner"]),
        "attacker": int(table["attacker"]),
        "attack": listed(table["attack"]),
        "exchanges": [one_exchange(k) for k in range(exchanges)],
        "last_exchange": exchanges > 0 and int(table["cards"][0]) == 1,
        "pile": int(state["deck_cards"]) - int(state["drawn"]),
        "last_cards": [int(rank) for rank in state["last_cards"]],
        "round_winner": int(state["round_winner"]),
        "over": int(state["phase"]) == FINISHED,
    }


def seen(now: dict, seat: int) -> dict:
    """What of a scene this seat may know: of the other hand only the number of cards."""
    return {
        **now,
        "viewer": seat,
        "hands": [hand if s == seat or isinstance(hand, int) else len(hand) for s, hand in enumerate(now["hands"])],
    }


def hands_text(now: dict) -> str:
    """Both hands in one line."""
    return ", ".join(f"{PLAYERS[s]} {cards_text(now['hands'][s])}" for s in range(2))


def board_line(now: dict) -> str:
    """The board: the hand size of each space, a # where it is covered, the marker in brackets."""

    def cell(place):
        text = "A" if place == 0 else "B" if place > now["spaces"] else "#" if place in now["covered"] else str(now["sizes"][place - 1])
        return f"[{text}]" if place == now["place"] else text

    return " ".join(cell(place) for place in range(now["spaces"] + 2))


def tell_answer(now: dict) -> str:
    """What an attack was answered with, and who attacks next."""
    last = now["exchanges"][-1]
    defender = PLAYERS[1 - last["attacker"]]
    told = []
    if last["defences"]:
        told.append(f"defends with {','.join(map(str, last['defences']))}")
    if last["sacrifices"]:
        told.append(f"sacrifices {','.join(map(str, last['sacrifices']))}")
    after = "" if now["last_exchange"] else f"; {PLAYERS[now['attacker']]} attacks next"
    return f"  {defender} {' and '.join(told)}: {hands_text(now)}{after}"


def tell_showdown(now: dict) -> list[str]:
    """The last cards, the winner, and where the marker goes."""
    shown = f"  Showdown {now['last_cards'][0]} against {now['last_cards'][1]}: "
    if now["round_winner"] < 0:
        lines = [shown + "a tie, nothing moves"]
    else:
        lines = [shown + f"{PLAYERS[now['round_winner']]} wins the round; the marker moves to place {now['place']}: {board_line(now)}"]
    if now["over"]:
        won = next((player for player, at_goal in (("A", now["place"] == 0), ("B", now["place"] > now["spaces"])) if at_goal), "")
        a, b = now["wins"]
        lines.append(f"{won} wins, {a} : {b} rounds." if won else f"The game is stopped after {now['round']} rounds, {a} : {b}.")
    return lines


def tell_asked(now: dict) -> list[str]:
    """What a viewer who is to decide is asked."""
    me = now["viewer"]
    name, other = PLAYERS[me], PLAYERS[1 - me]
    hand = cards_text(now["hands"][me])
    count = len(now["replaced"][1 - me])
    asked = {
        "replace_leader": f"{name} may replace any cards of {hand}, before {other}",
        "replace_follower": f"{name} may replace cards of {hand}; {other} has replaced {count}",
        "replace_double": f"{name} may replace any cards of {hand}, unseen by {other} until both have chosen",
        "duel": f"{name} is to lay a duel card of {hand}, unseen until both are laid",
        "attack": f"{name} is to attack with cards of {hand}; {other} has {cards_text(now['hands'][1 - me])}",
        "answer": f"{name} is to answer {','.join(map(str, now['attack']))} with cards of {hand}",
    }
    return [f"  {asked[now['kind']]}"]


def tell_deal(now: dict) -> list[str]:
    """A round begins: its place on the board, and the hands."""
    arrow = "arrow to both" if now["arrow"] == "both" else f"arrow to {now['arrow']}"
    goals = ["A is seat 0, with the goal on the left; B is seat 1, with the goal on the right. [ ] is the cat, # a covered space."]
    return [
        *(goals if now["round"] == 1 else []),
        f"Round {now['round']}, place {now['place']}, {now['h']} cards, {arrow}: {board_line(now)}",
        f"  {hands_text(now)}",
    ]


def tell(now: dict, before: dict | None = None) -> list[str]:
    """A scene in the rules page's words, a line a fact; `before` is the scene before it. A viewer's own choices are announced."""
    lines = tell_event(now, before)
    return lines + tell_asked(now) if "viewer" in now and now["seat"] == now["viewer"] else lines


def tell_event(now: dict, before: dict | None) -> list[str]:
    """What has happened."""
    event = now["event"]
    if event == "dealt":
        return [] if before is not None and before["event"] == "dealt" and before["round"] == now["round"] else tell_deal(now)
    if event == "replaced":
        ones = [now["actor"]] if now["arrow"] != "both" or now["replacements"] == 1 else [0, 1]
        return [*(f"  {PLAYERS[s]} replaces {cards_text(now['replaced'][s])}" for s in ones), f"  {hands_text(now)}"]
    if event == "duelled":
        old = before["duel_cards"] if before is not None else [[], []]
        cards = [next(rank for rank in now["duel_cards"][s] if now["duel_cards"][s].count(rank) > old[s].count(rank)) for s in range(2)]
        then = f"{PLAYERS[now['attacker']]} attacks first" if now["attacker"] >= 0 else "equal"
        return [f"  Duel {cards[0]} against {cards[1]}: {then}"]
    if event == "attacked":
        return [f"  {PLAYERS[now['actor']]} attacks with {','.join(map(str, now['attack']))}"]
    if event == "answered":
        return [tell_answer(now)]
    return tell_showdown(now) if event == "shown" else []


STYLES = (
    (r"\[[^ ]+\]", "bold yellow"),
    (r"\bA\b", "bold cyan"),
    (r"\bB\b", "bold magenta"),
    (r"^Round \d+", "bold"),
    (r"(?<=[ \]])#", "bright_black"),
)
TYPING = """\
In Tacocat the ranks are enough: 3 5 for "replace 3 5" or "attack 3 5"; none; sacrifice. A number is a rank; #4 is the
fourth move of the list."""

# ------------------------------------------------------------------------------------------------------------ the game


def hidden_cells(rules: Mapping) -> set[str]:
    """What cannot happen under these rules."""
    spaces = len(BOARD_OF.numbers(rules["board"]))
    hidden = {f"{column.name}_{place}" for column in columns() if column.labels for place in range(spaces + 1, PLACES + 1)}
    for rule, name in (("jumbo_sets", "sets"), ("jumbo_sequences", "sequences")):
        if not rules[rule] or rules["jumbo_max"] == 1:
            hidden |= {f"{name}_{s}" for s in range(2)}
    if not rules["voluntary_sacrifice"]:
        hidden |= {f"{name}_{s}" for name in ("refusals", "refused") for s in range(2)}
    return hidden


def games() -> list[Game]:
    """The game of this file."""
    return [
        Game(
            name="tacocat", title="Tacocat Spelled Backwards", version=1, rules_page="docs/rules/tacocat.md", parameters=PARAMETERS,
            columns=columns(), rules=RULES, state=STATE, view=VIEW, largest_seats=2, largest_moves=MOST_MOVES, start=start, legal=legal,
            observe=observe, step=step, score=score, scene=scene, tell=tell, seen=seen, guess=guess, decisions=DECISIONS, best_player="steady", move_text=move_text,
            check=wrong_rules, hidden_cells=hidden_cells, length="rounds",
            styles=STYLES, tells_decisions=True, numbered=False, typing=TYPING,
            joints=(("first_round_winner", "winner"), ("replaced_0", "winner"), ("replaced_leading_0", "winner"), ("replaced_following_1", "winner")),
        )
    ]  # fmt: skip
