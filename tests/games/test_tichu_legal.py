"""What Tichu's kernel calls legal, against all subsets of the hand.

A subset is looked up by how many cards of each rank and which specials it has, in a table of all that is a combination by
section 2.4 of docs/rules/tichu.md.
"""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from simkit.games import tichu
from simkit.games._tichu_combinations import bomb_beats, can_fulfil, has_bomb, same_beats
from simkit.jit import PLAIN, kernel
from tests.shares import shares
from tests.tichu_state import cards, new_state

SEED = 20261130
QUICK, ALL = 3_000, 100_000
"""Random hands of the quick test and of the slow one."""

MAH_JONG, DOG, PHOENIX, DRAGON = range(4)
SINGLE, PAIR, TRIPLE, PAIR_RUN, FULL_HOUSE, STRAIGHT, FOUR, FLUSH = range(8)
RANKS = range(2, 15)


class Reading(NamedTuple):
    """A combination but for its suits; `pair` is the rank of a full house's pair, `joker` what the Phoenix stands for."""

    kind: int
    length: int
    rank: int
    pair: int = 0
    joker: int = 0


def weight(card: int) -> int:
    """What a card adds to a set's key: three bits a rank, one for each special."""
    return 1 << (40 + card) if card < 4 else 1 << 3 * (card // 4 - 1)


def key(ranks: list[int], phoenix: bool = False) -> int:
    """The key of a set of cards of these ranks; 1 is the Mah Jong."""
    return sum(weight(MAH_JONG if rank == 1 else 4 * (rank - 1)) for rank in ranks) + (weight(PHOENIX) if phoenix else 0)


@cache
def readings() -> dict[int, list[Reading]]:
    """By key all readings, whatever the parameters."""
    found: dict[int, list[Reading]] = defaultdict(list)

    def add(kind: int, ranks: list[int], rank: int, pair: int = 0) -> None:
        found[key(ranks)].append(Reading(kind, len(ranks), rank, pair))
        for joker in sorted(set(ranks) - {1}) if kind < FOUR else ():
            rest = list(ranks)
            rest.remove(joker)
            found[key(rest, True)].append(Reading(kind, len(ranks), rank, pair, joker))

    for special, rank in ((MAH_JONG, 1), (DOG, 0), (PHOENIX, 1), (DRAGON, 15)):
        found[weight(special)].append(Reading(SINGLE, 1, rank))
    for rank in RANKS:
        found[key([rank])].append(Reading(SINGLE, 1, rank))
        add(PAIR, [rank] * 2, rank)
        add(TRIPLE, [rank] * 3, rank)
        add(FOUR, [rank] * 4, rank)
        for other in RANKS:
            if other != rank:
                add(FULL_HOUSE, [rank] * 3 + [other] * 2, rank, other)
    for low in range(1, 15):
        for high in range(low + 1, 15):
            run = list(range(low, high + 1))
            if low > 1 and len(run) <= 7:
                add(PAIR_RUN, run * 2, high)
            if len(run) >= 5:
                add(STRAIGHT, run, high)
                if low > 1:
                    add(FLUSH, run, high)
    return dict(found)


def suited(chosen: int) -> bool:
    """Whether all of these ordinary cards are of one suit."""
    return sum(bool(chosen & 0x11111111111111 << suit & ~15) for suit in range(4)) == 1


def allowed(found: list[Reading], chosen: int, rules: dict[str, Any]) -> list[Reading]:
    """Which of these readings of a set of cards there are under these rules."""
    if found[0].kind in (SINGLE, PAIR, TRIPLE, FOUR):
        return found
    if found[0].kind == PAIR_RUN:
        return found if found[0].length >= 2 * rules["min_pair_run"] else []
    rule = "phoenix_full_house" if found[0].kind == FULL_HOUSE else "phoenix_straight"
    if rules[rule] == "high":
        found = [max(found, key=lambda each: (each.kind, each.rank))] if found[0].joker else found
    if found[0].kind == FULL_HOUSE:
        return found
    one_suit = not chosen & 15 and suited(chosen)
    straight = found[0].length >= rules["min_straight"] and (not one_suit or rules["sf_as_straight"])
    return [each for each in found if (one_suit if each.kind == FLUSH else straight)]


def combinations(hand: list[int], rules: dict[str, Any]) -> list[tuple[Reading, int]]:
    """All combinations of a hand: every subset is tried."""
    keys, sets = np.zeros(1, np.int64), np.zeros(1, np.int64)
    for card in hand:
        keys, sets = np.concatenate([keys, keys + weight(card)]), np.concatenate([sets, sets | 1 << card])
    known, table = sorted_keys(), readings()
    hits = known[known.searchsorted(keys).clip(max=len(known) - 1)] == keys
    pairs = zip(keys[hits].tolist(), sets[hits].tolist(), strict=True)
    return [(each, chosen) for sum_, chosen in pairs for each in allowed(table[sum_], chosen, rules)]


@cache
def sorted_keys() -> np.ndarray:
    return np.array(sorted(readings()), np.int64)


def strength(each: Reading, chosen: int) -> float:
    return each.rank + 0.5 * (chosen == 1 << PHOENIX)


def beats(each: Reading, chosen: int, top: Reading, top_cards: int) -> bool:
    """2.4, what beats what; the top is not the Dog."""
    if each.kind >= FOUR:
        return top.kind < FOUR or (each.length, each.rank) > (top.length, top.rank)
    return (each.kind, each.length) == (top.kind, top.length) and strength(each, chosen) > strength(top, top_cards)


def answers(
    found: list[tuple[Reading, int]], top: tuple[Reading, int] | None, wish: int, rules: dict[str, Any]
) -> tuple[list[int], bool, bool]:
    """The legal answers of a hand with these combinations on regular turn, in order; whether there is a play; whether the wish binds."""
    if top:
        if top[0].kind == SINGLE and 1 <= top[0].rank < 15:  # the Phoenix is half a rank higher than what it is played on
            found = [(each._replace(rank=top[0].rank) if chosen == 1 << PHOENIX else each, chosen) for each, chosen in found]
        found = [each for each in found if each[1] != 1 << DOG and beats(*each, *top)]
    found = sorted(found)
    wished = [each for each in found if wish and each[1] >> 4 * (wish - 1) & 15]
    scope = {"all": range(8), "no_bombs": range(FOUR), "singles_only": (SINGLE,)}[rules["wish_scope"]]
    duty = any(each.kind in scope for each, _ in wished)
    moves = [chosen | each.kind << 56 | each.rank << 59 for each, chosen in (wished if duty else found)]
    return ([] if duty or not top else [0]) + moves, bool(found), duty


# ------------------------------------------------------------------------------------------------ hands, tops, rules


def any_rules(pick: random.Random) -> dict[str, Any]:
    """The parameters that decide what is legal: default for half of the hands."""
    if pick.random() < 0.5:
        return dict(RULES)
    return {
        "min_pair_run": pick.choice([2, 3]), "min_straight": pick.choice([5, 6, 7]), "sf_as_straight": pick.random() < 0.5,
        "phoenix_full_house": pick.choice(["declare", "high"]), "phoenix_straight": pick.choice(["declare", "high"]),
        "wish_scope": pick.choice(["all", "no_bombs", "singles_only"]),
    }  # fmt: skip


RULES = {
    "min_pair_run": 2, "min_straight": 5, "sf_as_straight": False, "phoenix_full_house": "declare", "phoenix_straight": "declare",
    "wish_scope": "all",
}  # fmt: skip


def any_hand(pick: random.Random) -> list[int]:
    """Cards of a few neighbouring ranks, or of few suits, so that there is something to combine."""
    width, suits = pick.choice([3, 4, 5, 7, 9, 13]), pick.choice([1, 2, 4, 4, 4])
    low = pick.randrange(2, 16 - width)
    pool = [4 * (rank - 1) + suit for rank in range(low, low + width) for suit in range(suits)]
    specials = [card for card, share in ((MAH_JONG, 0.2), (DOG, 0.1), (PHOENIX, 0.5), (DRAGON, 0.1)) if pick.random() < share]
    size = min(pick.choice([1, 2, 4, 5, 6, 7, 8, 8, 9, 9, 10, 11] + [14] * (pick.random() < 0.04)), len(pool) + len(specials))
    specials = specials[:size]
    return sorted(specials + pick.sample(pool, size - len(specials)))


@cache
def shapes() -> dict[tuple[int, int], list[tuple[Reading, int]]]:
    """By type and length every reading, with the key that makes it; the Dog left out."""
    found = defaultdict(list)
    for sum_, each_way in readings().items():
        for each in each_way:
            if sum_ != weight(DOG):
                found[each.kind, each.length].append((each, sum_))
    return dict(found)


def any_top(pick: random.Random, own: list[tuple[Reading, int]], rules: dict[str, Any]) -> tuple[Reading, int] | None:
    """Something to beat: nothing, anything, or something of a type and length that the hand has, and mostly lower."""
    luck = pick.random()
    if luck < 0.2:
        return None
    if luck < 0.9 and own:
        like = pick.choice(own)[0]
        wanted = [pair for pair in shapes()[like[:2]] if pair[0].rank <= like.rank] or shapes()[like[:2]]
    else:
        shortest = {STRAIGHT: rules["min_straight"], PAIR_RUN: 2 * rules["min_pair_run"]}
        wanted = shapes()[pick.choice([shape for shape in shapes() if shape[1] >= shortest.get(shape[0], 0)])]
    each, sum_ = pick.choice(wanted)
    if sum_ == weight(PHOENIX):
        each = each._replace(rank=pick.randrange(1, 15))
    return each, set_of(pick, sum_, each.kind)


def set_of(pick: random.Random, sum_: int, kind: int) -> int:
    """A set of cards with this key."""
    chosen = sum(1 << special for special in range(4) if sum_ >> 40 + special & 1)
    suit = pick.randrange(4)
    for rank in RANKS:
        count = sum_ >> 3 * (rank - 2) & 7
        suits = [suit] if kind == FLUSH and count else pick.sample(range(4), count)
        chosen |= sum(1 << 4 * (rank - 1) + each for each in suits)
    return chosen


@kernel
def asked(state):
    """What the kernel finds out without a list: bits for a play of the same type, a bomb, a bomb at all, the duty."""
    hand, table = state.hand[0], state.table
    top, found = table.top, np.int64(0)
    if top != 0 and (top >> 56) & 7 < FOUR and same_beats(hand, top):
        found |= 1
    if top != 0 and bomb_beats(hand, top):
        found |= 2
    if has_bomb(hand):
        found |= 4
    if table.wish > 0 and can_fulfil(hand, table.wish, top, state.rules):
        found |= 8
    return found


class Bench:
    """A state of which only what decides on legality is set."""

    def __init__(self) -> None:
        self.states: dict[tuple, Any] = {}
        self.moves = np.zeros(tichu.MOST_MOVES, np.int64)

    def fault(
        self, hand: list[int], own: list[tuple[Reading, int]], top: tuple[Reading, int] | None, wish: int, rules: dict[str, Any]
    ) -> str:
        """How the kernel's answers differ for a hand with these combinations, or ''."""
        state = self.state(rules)
        wanted, can_play, duty = answers(own, top, wish, rules)
        state["hand"][0] = sum(1 << card for card in hand)
        state["table"]["top"] = (top[1] | top[0].kind << 56 | top[0].rank << 59) if top else 0
        state["table"]["wish"] = wish
        bits = int(asked(state))
        state["bombers"], state["duty"] = bits >> 2 & 1, duty
        found = self.moves[: int(tichu.legal(state, self.moves))].tolist()
        bombs = any(each.kind >= FOUR for each, _ in own)
        case = f"{hand} on {top}, wish {wish}, {rules}"
        if found != wanted:
            return f"{case}: {set(found) ^ set(wanted)}, {len(found)} and {len(wanted)}"
        if (bits & 8 != 0, bits & 4 != 0) != (duty, bombs) or (top and (bits & 3 != 0) != can_play):
            return f"{case}: {bits}, play {can_play}, bombs {bombs}, duty {duty}"
        return ""

    def state(self, rules: dict[str, Any]) -> Any:
        name = tuple(rules.values())
        if name not in self.states:
            state = self.states[name] = new_state(**rules)
            state["seat"], state["decision"] = 0, tichu.PLAY
        return self.states[name]


def faults(first: int, number: int) -> list[str]:
    bench, found = Bench(), []
    for case in range(first, first + number):
        pick = random.Random(SEED * 1_000_000 + case)
        rules, hand = any_rules(pick), any_hand(pick)
        wish = pick.choice([0, 0, *(card // 4 + 1 for card in hand if card > 3)] + [pick.choice(RANKS)])
        own = combinations(hand, rules)
        top = any_top(pick, own, rules)
        if top and top[1] >> PHOENIX & 1 and hand == [PHOENIX]:
            top = None  # there is only one Phoenix
        elif top and top[1] >> PHOENIX & 1:
            hand = [card for card in hand if card != PHOENIX]
            own = [each for each in own if not each[1] >> PHOENIX & 1]
        fault = bench.fault(hand, own, top, wish, rules)
        if fault:
            found.append(fault)
    return found


# ------------------------------------------------------------------------------------------------------------- tests


def test_legal_is_what_all_subsets_say():
    found = faults(0, QUICK)

    assert not found, found[:3]


@pytest.mark.slow
@pytest.mark.parametrize("share", shares(QUICK, QUICK + ALL))
def test_legal_is_what_all_subsets_say_of_many_hands(share):
    """100,000 hands in all, each with something to beat or a lead, with and without a wish."""
    found = faults(share.start, len(share))

    assert not found, found[:3]


@pytest.mark.modes
def test_legal_is_right_with_any_compiler_flags():
    assert not faults(0, 60)


@pytest.mark.slow
def test_every_hand_of_up_to_three_cards_leads_all_that_it_can():
    bench = Bench()
    hands = [[a, *rest] for a in range(56) for rest in ([], *([b] for b in range(a)), *([b, c] for b in range(a) for c in range(b)))]
    assert len(hands) == 56 + 1540 + 27720

    found = list(filter(None, (bench.fault(hand, combinations(hand, RULES), None, 0, RULES) for hand in hands)))

    assert not found, found[:3]


def test_every_reading_can_be_led_and_followed():
    """Each reading of the table, by a hand of just these cards: 226 types, lengths and ranks (section 4)."""
    bench, pick, classes = Bench(), random.Random(SEED), set()
    for each, sum_ in [(each, sum_) for sum_, each_way in readings().items() for each in each_way]:
        chosen = set_of(pick, sum_, each.kind)
        hand = [card for card in range(56) if chosen >> card & 1]
        if len(hand) > 14 or (each.kind == STRAIGHT and not each.joker and not chosen & 15 and suited(chosen)):
            continue
        own = combinations(hand, RULES)
        assert (each, chosen) in own
        fault = bench.fault(hand, own, None, 0, RULES)
        assert not fault, fault
        classes.add((*each[:3], sum_ == weight(PHOENIX)))
    assert len(classes) == 226


def test_lengths_of_the_longest_lists():
    """Section 4: the longest list known, and that the buffer has room for it."""
    state = Bench().state(RULES)
    state["hand"][0] = cards("4j 4s 4p 5j 5s 5p 5t 6j 6s 6p 6t 7j 7s Ph")
    state["bombers"] = 1
    moves = np.zeros(tichu.MOST_MOVES, np.int64)

    assert tichu.legal(state, moves) == 1857
    assert tichu.MOST_MOVES > 1857 + 64


def climb(pick: random.Random, steps: int) -> int:
    """The longest list that is found by changing a card at a time."""
    state, moves = Bench().state(RULES), np.zeros(2 * tichu.MOST_MOVES, np.int64)

    def length(hand: set[int]) -> int:
        state["hand"][0] = sum(1 << card for card in hand)
        state["bombers"] = asked(state) >> 2 & 1
        return int(tichu.legal(state, moves))

    hand = set(pick.sample(range(4, 56), 13)) | {PHOENIX}
    best = length(hand)
    for _ in range(steps):
        out, in_ = pick.sample(sorted(hand), 2), pick.sample([card for card in range(56) if card not in hand], 2)
        changed = hand - set(out[: pick.choice([1, 2])])
        changed |= set(in_[: 14 - len(changed)])
        if length(changed) >= best:
            hand, best = changed, length(changed)
    return best


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="thousands of lists take minutes without the compiler")
def test_no_longer_list_is_found_by_search():
    longest = max(climb(random.Random(start), 4000) for start in range(12))

    assert 1500 < longest <= 1857
