"""The worked examples of docs/rules/tacocat.md, section 6, under their numbers, and every parameter away from its default."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

import simkit
from simkit.game import OVER, PAUSED, BadInput
from simkit.games import find, tacocat
from simkit.games.tacocat import (
    ANSWER,
    ATTACK,
    BOTH,
    DEALING,
    DOUBLE,
    DUEL,
    FINISHED,
    FOLLOWER,
    LEADER,
    SHOWDOWN,
    listed,
    packed,
)  # fmt: skip
from simkit.replay import Replay, as_dict, lines
from simkit.simulate import make_plan
from tests.tacocat_state import (
    A,
    B,
    act,
    deck_of,
    given,
    go_on,
    hands,
    legal_cards,
    new_state,
    pile,
    position,
    random_game,
    row,
    show,
    with_hidden_cards_swapped,
)

pytestmark = pytest.mark.modes


def watched(*arguments, **rules):
    """A position that stops at everything worth seeing, so that the showdown can be looked at."""
    state = position(*arguments, **rules)
    state["watch"] = 1
    return state


def attacked(x, y, *cards, **rules):
    """X (A) attacks Y (B) with these cards; Y is to answer."""
    state = watched([x, y], **rules)
    act(state, *cards)
    go_on(state)
    return state


def answered(x, y, cards, *answers, **rules):
    """The same, answered with these defences (one list, or one for each attacking card)."""
    state = attacked(x, y, *cards, **rules)
    for answer in answers:
        act(state, *answer)
    return state


def next_to_attack(state):
    assert state["phase"] == ATTACK
    return int(state["to_act"])


# ------------------------------------------------------------------------------------------------------- worked examples


def test_example_1_equal_defends():
    state = answered([9, 5, 2], [9, 4, 3], [9], [9])
    assert hands(state) == [[2, 5], [3, 4]]
    assert next_to_attack(state) == B


def test_example_2_forced_sacrifice():
    state = attacked([9, 5, 2], [8, 4, 3], 9)
    assert legal_cards(state) == [[]]
    act(state)
    assert hands(state) == [[2, 5], [4, 8]]
    assert next_to_attack(state) == A


@pytest.mark.parametrize(("answer", "left", "attacker"), [([6], [1, 12], B), ([12], [1, 6], B), ([], [6, 12], A)])
def test_example_3_voluntary_sacrifice(answer, left, attacker):
    state = attacked([5, 4, 2], [12, 6, 1], 5)
    assert legal_cards(state) == [[], [6], [12]]
    act(state, *answer)
    assert hands(state) == [[2, 4], left]
    assert next_to_attack(state) == attacker


@pytest.mark.parametrize(("answer", "left"), [([7], [5]), ([], [7])])
def test_example_4_set(answer, left):
    state = attacked([6, 6, 3], [7, 5, 2], 6, 6)
    assert legal_cards(state) == [[], [7]]
    act(state, *answer)
    assert hands(state) == [[3], left]
    show(state)
    assert list(state["last_cards"]) == [3, *left]
    assert state["round_winner"] == A


def test_example_5_sequence_fully_defended():
    state = attacked([1, 4, 5, 6], [2, 5, 6, 6], 4, 5, 6)
    act(state, 5, 6, 6)
    assert hands(state) == [[1], [2]]
    assert state["table"]["attacker"] == B
    show(state)
    assert state["round_winner"] == A
    assert row(state)["lead_changes"] == 0  # B would attack, but both have one card


def test_example_6_sequence_partly_defended():
    state = attacked([1, 4, 5, 6], [2, 5, 6, 6], 4, 5, 6)
    assert [2] not in legal_cards(state)
    act(state, 5, 6)
    assert hands(state) == [[1], [6]]


@pytest.mark.parametrize(
    ("hand", "legal"), [([7, 7], [[7]]), ([3, 4, 5], [[3], [4], [5]]), ([5, 5, 5], [[5], [5, 5]])], ids=["two", "sequence", "three"]
)
def test_example_7_last_card(hand, legal):
    assert legal_cards(position([hand, [2, 2, 3][: len(hand)]])) == legal


def test_example_8_equal_duel():
    state = watched([[8, 5, 3, 4], [8, 7, 3, 4]], phase=DUEL)
    act(state, 8)
    act(state, 8)
    assert hands(state) == [[3, 4, 5], [3, 4, 7]]
    assert state["phase"] == DUEL
    go_on(state)
    act(state, 5)
    act(state, 7)
    assert hands(state) == [[3, 4], [3, 4]]
    assert next_to_attack(state) == B
    record = row(state)
    assert (record["duels"], record["equal_duels"], record["duel_wins_0"], record["duel_wins_1"]) == (2, 1, 0, 1)
    assert (record["duel_ranks_0"], record["duel_ranks_1"]) == (13, 15)


def test_example_8_equal_duel_with_hands_of_two():
    state = watched([[8, 5], [8, 7]], phase=DUEL)
    act(state, 8)
    act(state, 8)
    show(state)
    assert list(state["last_cards"]) == [5, 7]
    assert state["round_winner"] == A


@pytest.mark.parametrize(("replaced", "allowed"), [([1, 2], {0, 1, 2}), ([], {0})])
def test_example_9_replacement(replaced, allowed):
    state = position([[2, 3, 3, 4, 4, 5, 5, 6, 6], [1, 2, 3, 3, 4, 4, 5, 5, 6]], B, phase=LEADER, place=3, pile=[12, 11])
    assert state["table"]["arrow"] == B
    assert len(legal_cards(state)) == 2**9
    act(state, *replaced)
    assert (state["decision"], state["seat"]) == (FOLLOWER, A)
    assert hands(state)[B] == ([3, 3, 4, 4, 5, 5, 6, 11, 12] if replaced else [1, 2, 3, 3, 4, 4, 5, 5, 6])
    assert {len(cards) for cards in legal_cards(state)} == allowed


def test_example_9_first_round():
    state = given([[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]], [8, 9, 10])
    assert (state["decision"], state["seat"], state["table"]["h"], state["table"]["arrow"]) == (DOUBLE, A, 7, BOTH)
    assert len(legal_cards(state)) == 2**7
    act(state, 1, 2)
    assert hands(state)[A] == [1, 2, 3, 4, 5, 6, 7]  # nothing is drawn before both have chosen
    assert (state["decision"], state["seat"]) == (DOUBLE, B)
    act(state, 7)
    assert hands(state) == [[3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 10]]


def won_by(state, winner):
    """A round on the marker's space, won by this player."""
    low, high = packed([3]), packed([4])
    state["hand"][winner], state["hand"][1 - winner], state["phase"] = low, high, SHOWDOWN
    show(state)


def test_example_10_skipping():
    state = position([[3], [4]], phase=SHOWDOWN)
    table = state["table"]
    won_by(state, A)
    assert (table["place"], int(table["covered"])) == (3, 1 << 4)
    won_by(state, B)
    assert table["place"] == 5
    assert int(table["covered"]) == 1 << 4 | 1 << 3
    tacocat.step(state, 0)
    assert (table["h"], table["arrow"]) == (9, A)
    won_by(state, A)
    assert table["place"] == 2


@pytest.mark.parametrize(
    ("winners", "path"), [([A] * 4, [4, 3, 2, 1, 0]), ([A, B, A, B, A, B, A], [4, 3, 5, 2, 6, 1, 7, 0])], ids=["straight", "alternating"]
)
def test_example_11_paths(winners, path):
    state = position([[3], [4]], phase=SHOWDOWN)
    places = [int(state["table"]["place"])]
    for winner in winners:
        won_by(state, winner)
        places.append(int(state["table"]["place"]))
    assert places == path
    assert int(state["table"]["covered"]).bit_count() == len(winners)
    assert state["phase"] == FINISHED
    tacocat.step(state, 0)
    assert state["seat"] == OVER
    assert row(state)["winner"] == A


def tied_on_3(**rules):
    state = position([[3], [4]], phase=SHOWDOWN, round_number=1, **rules)
    won_by(state, A)
    tacocat.step(state, 0)  # the deal of round 2, on place 3
    state["hand"][A] = state["hand"][B] = packed([4])
    state["phase"] = SHOWDOWN
    show(state)
    return state


def test_example_12_tie():
    state = tied_on_3()
    table = state["table"]
    assert (state["round_winner"], table["place"], int(table["covered"])) == (-1, 3, 1 << 4)
    tacocat.step(state, 0)
    assert (table["h"], table["arrow"], table["place"]) == (9, B, 3)
    record = row(state)
    assert (record["ties"], record["equal_showdowns"], record["ties_at_3"], record["wins_0"], record["wins_1"]) == (
        1 + 1,
        1,
        1,
        1,
        0,
    )  # the round that has just been dealt is not won yet


def test_example_12_tie_goes_the_way_of_the_arrow():
    state = tied_on_3(showdown_tie="arrow")
    assert state["round_winner"] == B
    assert state["table"]["place"] == 5
    record = row(state)
    assert (record["wins_1"], record["equal_showdowns"], record["ties"], record["arrow_wins_at_3"]) == (1, 1, 0, 1)


def test_a_double_arrow_replays_a_tie_whatever_the_rule():
    state = position([[4], [4]], phase=SHOWDOWN, showdown_tie="arrow")
    show(state)
    assert (state["round_winner"], state["table"]["place"]) == (-1, 4)


# ------------------------------------------------------------------------------------------------------------ parameters


def test_deck():
    assert Counter(deck_of(new_state())) == {1: 2, 2: 3, 3: 5, 4: 5, 5: 5, 6: 5, 7: 3, **dict.fromkeys(range(8, 13), 2)}
    flat = Counter(deck_of(new_state(deck="flat_v1")))
    assert flat == {**dict.fromkeys(range(1, 13), 3), 6: 4, 7: 4}
    assert flat.total() == Counter(deck_of(new_state())).total() == 38
    for spelled in ("10-0-15-15", "10,0,15,15", [10, 0, 15, 15], {1: 10, 3: 15, 4: 15}):
        assert Counter(deck_of(new_state(deck=spelled))) == {1: 10, 3: 15, 4: 15}


def test_board():
    sizes = {
        "4-6-9-7-9-6-4": [4, 6, 9, 7, 9, 6, 4],
        "flat7": [7] * 7,
        "shrink": [4, 5, 6, 7, 6, 5, 4],
        "grow": [9, 9, 8, 7, 8, 9, 9],
        "5": [5],
        "2-8-3": [2, 8, 3],
    }
    for board, expected in sizes.items():
        rules = new_state(board=board)["rules"]
        assert tacocat.spaces_of(rules) == len(expected)
        assert [tacocat.hand_size_at(rules, place + 1) for place in range(len(expected))] == expected
    spelled = {"board": [4, 6, 9, 7, 9, 6, 4], "deck": [2, 3, 5, 5, 5, 5, 3, 2, 2, 2, 2, 2]}
    assert find("tacocat").read_rules(spelled) == find("tacocat").read_rules({})
    assert find("tacocat").read_rules({"board": "7, 7, 7, 7, 7, 7, 7"})["board"] == "flat7"


@pytest.mark.parametrize(
    ("arrows", "board", "expected"),
    [
        ("to_trailing", "flat7", [B, B, B, BOTH, A, A, A]),
        ("to_leading", "flat7", [A, A, A, BOTH, B, B, B]),
        ("all_both", "flat7", [BOTH] * 7),
        ("to_trailing", "5", [BOTH]),
        ("A-both-B", "5-5-5", [A, BOTH, B]),
        (["B", "B", "A"], "5-5-5", [B, B, A]),
    ],
)
def test_arrows(arrows, board, expected):
    rules = new_state(arrows=arrows, board=board)["rules"]
    assert [tacocat.arrow_at(rules, len(expected), place + 1) for place in range(len(expected))] == expected


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"board": "4-5"}, "odd number of spaces"),
        ({"board": "1-5-5"}, "2 cards or more"),
        ({"board": "10"}, "40 cards or more"),
        ({"deck": "15-15-15-15-15-15-15-15-15"}, "at most 128"),
        ({"arrows": "A-B"}, "the board has 7 spaces"),
        ({"deck": "hump_v2"}, "deck = hump_v2 is not legal"),
        ({"deck": "16-22"}, "is not legal"),
        ({"board": "4-x-4"}, "is not legal"),
        ({"board": ""}, "is not legal"),
        ({"arrows": "up"}, "is not legal"),
        ({"double_arrow": "B_then_C"}, "is not legal"),
        ({"max_rounds": 6}, "is not legal"),
        ({"set_min": 5}, "is not legal"),
    ],
)
def test_wrong_rules_are_told_in_one_line(rules, words):
    with pytest.raises(BadInput, match=words) as told:
        find("tacocat").read_rules(rules)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(("order", "first"), [("A_then_B_uncapped", A), ("B_then_A_uncapped", B)])
def test_double_arrow_in_turn(order, first):
    state = given([[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]], [8, 9], double_arrow=order)
    assert (state["decision"], state["seat"]) == (DOUBLE, first)
    act(state, 1)
    assert hands(state)[first] == [2, 3, 4, 5, 6, 7, 8]
    assert (state["decision"], state["seat"]) == (DOUBLE, 1 - first)
    assert len(legal_cards(state)) == 2**7
    act(state, 1)
    assert hands(state) == [[2, 3, 4, 5, 6, 7, 8 + first], [2, 3, 4, 5, 6, 7, 9 - first]]
    assert (state["decision"], state["seat"]) == (DUEL, A)


def test_first_round_free():
    hand = [[1, 2, 3], [1, 2, 3]]
    free, bound = (given(hand, board="3", arrows="B", first_round_free=free) for free in (True, False))
    assert (free["decision"], free["seat"]) == (DOUBLE, A)
    assert (bound["decision"], bound["seat"]) == (LEADER, B)
    assert (row(free)["leader_rounds_1"], row(bound)["leader_rounds_1"]) == (0, 1)


@pytest.mark.parametrize(
    ("rules", "leader", "follower"),
    [({"replace_cap": 3}, 3, 2), ({"replace_cap": 0}, 0, 0), ({"follower_cap": "none"}, 6, 6), ({"follower_cap": 4}, 6, 4),
     ({"follower_cap": "none", "replace_cap": 4}, 4, 4), ({}, 6, 2)],
)  # fmt: skip
def test_replace_caps(rules, leader, follower):
    state = position([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]], A, phase=LEADER, place=6, **rules)
    assert max(map(len, legal_cards(state))) == leader
    act(state, *[1, 2][:leader])
    assert max(map(len, legal_cards(state))) == follower


@pytest.mark.parametrize(("place", "leads"), [(3, B), (5, A), (4, -1)])
def test_equal_duel_goes_the_way_of_the_arrow(place, leads):
    state = position([[8, 5, 3], [8, 7, 3]], phase=DUEL, place=place, duel_tie="arrow_leads")
    act(state, 8)
    act(state, 8)
    assert hands(state) == [[3, 5], [3, 7]]
    if leads >= 0:
        assert (state["decision"], state["seat"]) == (ATTACK, leads)
        assert state["table"]["duel_winner"] == -1
    else:
        assert (state["decision"], state["seat"]) == (DUEL, A)


def test_equal_duel_settled_by_a_coin():
    leads = Counter()
    for seed in range(60):
        state = position([[8, 5, 3], [8, 7, 3]], phase=DUEL, duel_tie="coin_flip", seed=seed)
        tacocat.open_stream(state["rng"], seed, 0, 0)
        act(state, 8)
        act(state, 8)
        assert (state["decision"], state["table"]["equal_duels"]) == (ATTACK, 1)
        leads[int(state["seat"])] += 1
    assert min(leads[A], leads[B]) > 10


def test_an_equal_card_need_not_defend():
    state = attacked([9, 5, 2], [9, 4, 10], 9, defend_on_equal=False)
    assert legal_cards(state) == [[], [10]]


def test_refusing_is_not_allowed_in_a_single_attack():
    assert legal_cards(attacked([5, 4, 2], [12, 6, 1], 5, voluntary_sacrifice=False)) == [[6], [12]]
    assert legal_cards(attacked([5, 4, 2], [4, 3, 1], 5, voluntary_sacrifice=False)) == [[]]


def test_refusing_is_not_allowed_in_a_jumbo_attack():
    state = attacked([1, 4, 5, 6], [2, 5, 6, 12], 4, 5, 6, voluntary_sacrifice=False)
    assert legal_cards(state) == [[5, 6, 12]]
    state = attacked([1, 6, 6, 6], [2, 5, 7, 12], 6, 6, 6, voluntary_sacrifice=False)
    assert legal_cards(state) == [[7, 12]]


@pytest.mark.parametrize(("rule", "attacker"), [("declared", A), ("counts_as_defence", B)])
def test_the_lowest_that_defends(rule, attacker):
    state = answered([3, 4, 6], [5, 7, 8], [4], [], lowest_that_defends=rule)
    assert hands(state)[B] == [7, 8]
    assert next_to_attack(state) == attacker
    assert row(state)["refusals_1"] == (1 if rule == "declared" else 0)
    assert row(state)["sacrificed_ranks_1"] == 5


@pytest.mark.parametrize(("rule", "attacker"), [("declared", A), ("counts_as_defence", B)])
def test_the_lowest_that_defends_in_a_set(rule, attacker):
    """D = {12} against 4, 4: the 5 that is sacrificed could have answered the other."""
    state = answered([3, 4, 4, 6], [5, 7, 8, 12], [4, 4], [12], lowest_that_defends=rule)
    assert hands(state)[B] == [7, 8]
    assert next_to_attack(state) == attacker


def test_answers_in_turn():
    """Attack 4, 5, 6 on {2, 5, 6, 6}: the 4 by the 2 (lowest), the 5 by a 6, the 6 by the 5, which is now the lowest."""
    state = attacked([1, 4, 5, 6], [2, 5, 6, 6], 4, 5, 6, jumbo_response="sequential_ascending")
    assert legal_cards(state) == [[], [5], [6]]
    act(state)
    assert (state["decision"], state["seat"], hands(state)[B]) == (ANSWER, B, [5, 6, 6])
    assert legal_cards(state) == [[], [5], [6]]
    act(state, 6)
    assert legal_cards(state) == [[], [6]]
    act(state)
    assert hands(state) == [[1], [6]]
    table = state["table"]
    assert (listed(table["attacks"][0]), listed(table["defences"][0]), listed(table["sacrifices"][0])) == ([4, 5, 6], [6], [2, 5])
    assert row(state)["refused_1"] == 2


def test_answers_in_turn_without_refusing():
    """Of 6, 6, 6 two can be defended: any two. A 12 against the 3 would waste it where the 9 needs it."""
    state = attacked([1, 6, 6, 6], [2, 5, 7, 12], 6, 6, 6, jumbo_response="sequential_ascending", voluntary_sacrifice=False)
    assert legal_cards(state) == [[], [7], [12]]
    act(state)
    assert legal_cards(state) == [[7], [12]]
    rules = {"jumbo_response": "sequential_ascending", "voluntary_sacrifice": False, "seq_min": 2}
    assert legal_cards(attacked([1, 8, 9], [2, 8, 9], 8, 9, **rules)) == [[8]]


def test_sums_of_ranks_of_high_cards():
    """One card of the highest rank is where a sum over four-bit numbers comes nearest to its limits."""
    state = attacked(
        [15, 3, 3], [15, 15, 14], 15, deck="1-1-4-4-4-4-4-4-4-4-4-4-4-4-4", defend_on_equal=False, jumbo_response="sequential_ascending"
    )
    act(state)
    assert (row(state)["sacrificed_ranks_1"], row(state)["attack_ranks_0"]) == (14, 15)


@pytest.mark.parametrize(("answer", "attacker"), [([7, 12], B), ([7], A)])
def test_a_majority_takes_the_lead(answer, attacker):
    state = answered([1, 6, 6, 6, 8], [2, 5, 5, 7, 12], [6, 6, 6], answer, jumbo_lead="majority")
    assert next_to_attack(state) == attacker


def test_half_is_no_majority():
    state = answered([1, 6, 6, 8], [2, 5, 5, 7], [6, 6], [7], jumbo_lead="majority")
    assert next_to_attack(state) == A


@pytest.mark.parametrize(
    ("rules", "jumbo"),
    [
        ({}, [[4, 4], [5, 5], [4, 4, 4], [4, 5, 6], [5, 6, 7], [4, 5, 6, 7]]),
        ({"jumbo_sets": False}, [[4, 5, 6], [5, 6, 7], [4, 5, 6, 7]]),
        ({"set_min": 3}, [[4, 4, 4], [4, 5, 6], [5, 6, 7], [4, 5, 6, 7]]),
        ({"jumbo_sequences": False}, [[4, 4], [5, 5], [4, 4, 4]]),
        ({"seq_min": 4}, [[4, 4], [5, 5], [4, 4, 4], [4, 5, 6, 7]]),
        ({"seq_min": 2, "jumbo_sets": False, "jumbo_max": 2}, [[4, 5], [5, 6], [6, 7]]),
        ({"jumbo_max": 1}, []),
        ({"jumbo_max": 2}, [[4, 4], [5, 5]]),
        ({"jumbo_max": 3}, [[4, 4], [5, 5], [4, 4, 4], [4, 5, 6], [5, 6, 7]]),
    ],
)
def test_jumbo_attacks(rules, jumbo):
    hand = [4, 4, 4, 5, 5, 6, 7]
    state = position([hand, [1, 1, 2, 2, 2, 3, 3]], **rules)
    assert legal_cards(state) == [[4], [5], [6], [7], *jumbo]


def test_the_last_attack_of_a_sequence_does_not_wrap():
    assert legal_cards(position([[1, 2, 11, 12], [3, 3, 3, 4]], seq_min=2)) == [[1], [2], [11], [12], [1, 2], [11, 12]]


def test_without_tiles_the_marker_walks():
    state = position([[3], [4]], phase=SHOWDOWN, tile_cover=False)
    places = []
    for winner in (A, B, B, A, A, A, A, A):
        won_by(state, winner)
        places.append(int(state["table"]["place"]))
    assert places == [3, 4, 5, 4, 3, 2, 1, 0]
    assert state["phase"] == FINISHED
    assert row(state)["margin"] == 4


def test_max_rounds():
    state = position([[4], [4]], phase=SHOWDOWN, round_number=7, max_rounds=7)
    show(state)
    assert state["phase"] == FINISHED
    record = row(state)
    assert (record["outcome"], record["winner"], record["payoff_0"], record["payoff_1"], record["rounds"]) == (3, -1, 1, 1, 7)
    state = position([[4], [4]], phase=SHOWDOWN, round_number=6, max_rounds=7)
    show(state)
    assert state["phase"] == DEALING


# --------------------------------------------------------------------------------------------------------------- columns


def test_what_is_recorded_of_a_round():
    """A game of one round on a board of one space, worked out by hand."""
    state = given([[1, 4, 4, 8, 9], [2, 5, 6, 10, 10]], [12, 3], board="5", arrows="B", first_round_free=False, watch=1)
    act(state, 2, 5)  # B, the leader, draws 12 and 3: {3, 6, 10, 10, 12}
    go_on(state)
    act(state)  # A replaces nothing
    go_on(state)
    act(state, 9)
    act(state, 12)  # B attacks first: A {1, 4, 4, 8}, B {3, 6, 10, 10}
    go_on(state)
    act(state, 6)
    go_on(state)
    act(state)  # A could have defended with the 8 and gives the 1: A {4, 4, 8}, B {3, 10, 10}
    go_on(state)
    act(state, 10)  # the two 10s were a set
    go_on(state)
    act(state)  # A gives a 4: A {4, 8}, B {3, 10}
    go_on(state)
    act(state, 3)
    go_on(state)
    act(state, 4)  # A defends, but both have one card: A {8}, B {10}
    show(state)
    assert state["round_winner"] == A
    expected = {
        "payoff_0": 2, "payoff_1": 0, "winner": 0, "first_round_winner": 0, "rounds": 1, "decisive_rounds": 1, "ties": 0, "margin": 1, "path": 2,
        "leader_rounds_0": 0, "leader_rounds_1": 1, "dealt": 5, "replaced_0": 0, "replaced_1": 2, "replaced_leading_1": 2, "replaced_following_0": 0,
        "ranks_before_0": 26, "ranks_before_1": 33, "ranks_after_0": 26, "ranks_after_1": 41,
        "lowest_before_0": 1, "lowest_before_1": 2, "lowest_after_0": 1, "lowest_after_1": 3,
        "duels": 1, "equal_duels": 0, "duel_ranks_0": 9, "duel_ranks_1": 12, "duel_wins_0": 0, "duel_wins_1": 1,
        "attacks_0": 0, "attacks_1": 3, "sets_1": 0, "sequences_1": 0, "attack_cards_1": 3, "attack_ranks_1": 19,
        "jumbo_available_1": 2, "jumbo_unused_1": 2, "defended_0": 1, "sacrificed_0": 2, "sacrificed_ranks_0": 5, "refusals_0": 1, "refused_0": 1,
        "lead_changes": 0, "last_attacks_0": 0, "last_attacks_1": 1, "showdown_ranks_0": 8, "showdown_ranks_1": 10,
        "duel_rounds": 1, "duel_winner_wins": 0, "attack_rounds": 1, "last_attacker_wins": 0, "arrow_rounds": 1, "arrow_wins": 0,
        "decisive_at_1": 1, "a_wins_at_1": 1, "ties_at_1": 0, "duel_rounds_at_1": 1, "arrow_rounds_at_1": 1, "arrow_wins_at_1": 0,
    }  # fmt: skip
    record = row(state)
    assert {name: record[name] for name in expected} == expected


def test_cells_that_mean_nothing_are_not_shown():
    shown = find("tacocat").shown_cells(find("tacocat").read_rules({"board": "5-5-5", "jumbo_max": 1, "voluntary_sacrifice": False}))
    assert "decisive_at_3" in shown
    assert not {"decisive_at_4", "sets_0", "sequences_1", "refusals_0", "refused_1"} & set(shown)


# ------------------------------------------------------------------------------------------------------- to look at and tell


def test_a_replay_tells_a_round_in_the_pages_words():
    state = given([[1, 4, 4, 8, 9], [2, 5, 6, 10, 10]], [12, 3], board="5", arrows="B", first_round_free=False, watch=1)
    told, before = [], None

    def look():
        nonlocal before
        now = tacocat.scene(state)
        told.extend(tacocat.tell(now, before))
        before = json.loads(json.dumps(now))

    look()
    for cards in ([2, 5], [], [9], [12], [6], [], [10], [], [3], [4]):
        act(state, *cards)
        look()
        while state["seat"] == PAUSED:
            tacocat.step(state, 0)
            look()
    assert state["seat"] == OVER
    assert told[0].startswith("A is seat 0, with the goal on the left; B is seat 1")
    assert told[1:] == [
        "Round 1, place 1, 5 cards, arrow to B: A [5] B",
        "  A {1,4,4,8,9}, B {2,5,6,10,10}",
        "  B replaces {2,5}",
        "  A {1,4,4,8,9}, B {3,6,10,10,12}",
        "  A replaces {}",
        "  A {1,4,4,8,9}, B {3,6,10,10,12}",
        "  Duel 9 against 12: B attacks first",
        "  B attacks with 6",
        "  A sacrifices 1: A {4,4,8}, B {3,10,10}; B attacks next",
        "  B attacks with 10",
        "  A sacrifices 4: A {4,8}, B {3,10}; B attacks next",
        "  B attacks with 3",
        "  A defends with 4: A {8}, B {10}",
        "  Showdown 8 against 10: A wins the round; the marker moves to place 0: [A] # B",
        "A wins, 1 : 0 rounds.",
    ]


@pytest.mark.parametrize("rules", [{}, {"jumbo_response": "sequential_ascending", "double_arrow": "B_then_A_uncapped", "max_rounds": 7}])
def test_a_replay_is_the_game_that_a_run_plays(rules):
    plan = make_plan("tacocat", players="random", games=3, seed=11, rules=rules, rows=True)
    rows = simkit.run("tacocat", games=3, seed=11, players="random", rules=rules, rows=True, progress=False).frame
    for number in range(3):
        shown = as_dict(Replay(plan, number))
        assert json.loads(json.dumps(shown)) == shown
        assert all(shown["result"][name] == rows.loc[number, name] for name in rows.columns if name in shown["result"])
        text = list(lines(Replay(plan, number)))
        assert sum(line.startswith("Round ") for line in text) == shown["result"]["rounds"]
        assert sum("Showdown" in line for line in text) == shown["result"]["rounds"]
        assert (
            sum(" attacks with " in line for line in text if "decides" not in line)
            == shown["result"]["attacks_0"] + shown["result"]["attacks_1"]
        )
        assert sum("Duel" in line for line in text) == shown["result"]["duels"]


def test_moves_are_named():
    kinds = [(LEADER, [3, 5], "replace 3 5"), (DOUBLE, [], "replace none"), (DUEL, [8], "duel 8"), (ATTACK, [4, 5, 6], "attack 4 5 6"),
             (ANSWER, [5, 6], "defend 5 6"), (ANSWER, [], "sacrifice")]  # fmt: skip
    for kind, ranks, text in kinds:
        assert tacocat.move_text((kind << tacocat.TAG_BITS) + packed(ranks)) == text


@pytest.mark.parametrize("seat", [A, B])
def test_a_scene_as_a_seat_sees_it(seat):
    """It can be told, and it is the same whatever the cards are that the seat cannot see."""
    pick = np.random.default_rng(3)
    before = None
    for state in random_game(find("tacocat").read_rules({"board": "5-6-5"}), 5, 0, watch=1):
        if state["seat"] == OVER:
            break
        now = tacocat.seen(tacocat.scene(state), seat)
        assert now["hands"][1 - seat] == int(state["table"]["cards"][1 - seat])
        assert now["hands"][seat] == hands(state)[seat]
        if state["event"] != tacocat.SHOWN:
            swapped = with_hidden_cards_swapped(state, seat, pick)
            assert tacocat.seen(tacocat.scene(swapped), seat) == now
        told = tacocat.tell(now, before)
        assert all(isinstance(line, str) for line in told)
        if now["event"] == "dealt" and told:
            assert f"{'AB'[1 - seat]} {now['h']} cards" in "\n".join(told)
        before = now


def test_a_pile_is_drawn_from_the_top():
    state = given([[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]], [8, 9, 10, 11])
    assert pile(state)[:4] == [8, 9, 10, 11]
