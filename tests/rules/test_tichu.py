"""The rules page of Tichu (docs/rules/tichu.md) put to the test: its worked examples under their numbers, its parameters.

What can be answered is asked of the kernel and of its slow twin; the course of play of the kernel.
"""

from __future__ import annotations

from typing import Any

import pytest

from simkit.game import CAPPED, DRAW, OVER, WIN
from simkit.games import tichu
from simkit.games._tichu_combinations import FLUSH, FOUR, FULL_HOUSE, PAIR_RUN, STRAIGHT, TRIPLE
from tests.reference import tichu as reference
from tests.reference import tichu_combinations as reference_combinations
from tests.tichu_state import (
    A,
    J,
    K,
    Position,
    Q,
    cards,
    combination,
    given_deck,
    go_on,
    legal_moves,
    new_view,
    position,
    rank_of,
    readings,
    row,
    tidy,
    type_of,
    written,
)

pytestmark = pytest.mark.modes
FILLER = "2t"
"""A hand of somebody who does not matter."""


def kernel_answers(hand, top=0, wish=0, **rules):
    """All legal answers of seat 0 on a regular turn or, without a top, on lead."""
    state = position([hand, "", "", FILLER], top=top, owner=3, wish=wish, **rules)
    if top and (int(state["seat"]), int(state["decision"])) != (0, tichu.PLAY):
        return [0]
    return legal_moves(state)


def twin_answers(hand, top=0, wish=0, **rules):
    """The same of the twin."""
    shown = next((move for move in twin_readings(top) if reference.code_of_move(move) == top), None) if top else None
    hands = [reference_combinations.cards_named(names) for names in (hand, "", "", FILLER)]
    game = reference.position(hands, rules, top=shown, owner=3 if top else None, wish=wish)
    moves = game.legal_follows(0) if top else game.legal_leads(0)
    return [reference.code("play", move) for move in game.under_wish(0, moves)]


def twin_readings(top):
    """What the cards of a top can be for the twin; a Phoenix alone may lie on any single."""
    numbers = [card for card in range(56) if top >> card & 1]
    if numbers == [2]:
        return [reference_combinations.combination(reference_combinations.SINGLE, rank + 0.5, numbers) for rank in range(1, 15)]
    return reference_combinations.readings(numbers, reference.make_rules(sf_as_straight=True))


@pytest.fixture(params=[kernel_answers, twin_answers], ids=["kernel", "reference"])
def answers(request):
    """`answers(hand, top, wish, **rules)`: all legal answers as texts, in order of the texts."""

    def texts(hand, top=0, wish=0, **rules):
        return sorted(written(move) for move in request.param(hand, top, wish, **rules))

    return texts


def expected(*texts):
    return sorted(tidy(text) for text in texts)


def kinds(text, **rules):
    """(type, rank) of all that these cards make."""
    return {(type_of(move), rank_of(move)) for move in readings(text, **rules)}


# ------------------------------------------------------------------------------------------- singles, Phoenix, Dragon


def test_example_01_single_nine(answers):
    assert answers("9s Tj MJ Dog Ph Dr", combination("9j")) == expected("Tj", "Ph", "Dr", "pass")


def test_example_02_phoenix_on_an_ace(answers):
    assert answers("As Kj Dr", combination("Ph", rank=A)) == expected("Dr", "pass")


def test_example_03_phoenix_led(answers):
    assert answers("MJ 2j", combination("Ph", rank=1)) == expected("2j", "pass")


def test_example_04_dragon_on_top(answers):
    assert answers("Ph Aj 5j 5s 5p 5t", combination("Dr")) == expected("5j 5s 5p 5t", "pass")


def test_example_05_phoenix_on_the_mah_jong(answers):
    assert answers("Ph 2j", combination("MJ")) == expected("2j", "Ph", "pass")

    game = Position(["Ph 3j", "2j 4j", "5j", "7t 9t"], top=combination("MJ"), owner=3)
    game.play(0, "Ph")
    assert game.asked == (1, "play")
    assert "2j" in game.legal()


def test_example_06_king_phoenix_then_a_king():
    game = Position(["Ph 3j", "Ks Kt Aj", "5j", "7t 9t"], top=combination("Kj"), owner=3)
    game.play(0, "Ph")

    assert game.asked == (1, "play")
    assert game.legal() == expected("Aj", "pass")


# ------------------------------------------------------------------------------------------------------- combinations


def test_example_07_three_sevens_and_the_phoenix():
    assert kinds("7j 7s 7p Ph") == set()
    assert kinds("7j 7s Ph") == {(TRIPLE, 7)}
    assert kinds("7j 7s 7p 7t") == {(FOUR, 7)}


def test_example_08_two_pairs_and_the_phoenix(answers):
    assert kinds("8j 8s Jj Js Ph") == {(FULL_HOUSE, 8), (FULL_HOUSE, J)}
    assert answers("8j 8s Jj Js Ph", combination("9j 9s 9p 2j 2s")) == expected("8j 8s Jj Js Ph", "pass")
    assert answers("8j 8s Jj Js Ph", combination("Qj Qs Qp 2j 2s")) == ["pass"]


def test_example_09_four_sevens_and_the_phoenix():
    assert kinds("7j 7s 7p 7t Ph") == set()


def test_example_10_readings_of_straights():
    assert kinds("2j 3s 4p 5t Ph") == {(STRAIGHT, 6)}
    assert kinds("Js Qj Kj Ap Ph") == {(STRAIGHT, A)}
    assert kinds("5j 6s 7s 8s Ph") == {(STRAIGHT, 8), (STRAIGHT, 9)}


def test_example_11_the_one():
    assert kinds("Aj 2j 3s 4s 5s") == set()
    assert kinds("MJ 2j 3j 4s 5s") == {(STRAIGHT, 5)}
    assert kinds("MJ Ph 3j 4s 5j") == {(STRAIGHT, 5)}


def test_example_12_straight_flushes():
    assert kinds("MJ 2j 3j 4j 5j") == {(STRAIGHT, 5)}
    assert kinds("4j 5j 6j 7j 8j") == {(FLUSH, 8)}
    assert kinds("4j 5j 6j Ph 8j") == {(STRAIGHT, 8)}


def test_example_13_pair_run_with_the_phoenix():
    assert kinds("Jj Js Qj Ph") == {(PAIR_RUN, Q)}
    assert kinds("MJ Ph") == set()


def test_example_14_pair_runs_that_follow(answers):
    found = answers("5j 5s 6j Ph 7j 7s", combination("3j 3s 4j 4s"))

    assert found == expected("5j 5s 6j Ph", "6j Ph 7j 7s", "pass")


def test_example_15_order_of_bombs(answers):
    bombs = ["2j 2s 2p 2t", "3j 3s 3p 3t", "Aj As Ap At", "2j 3j 4j 5j 6j", "Ts Js Qs Ks As", "2p 3p 4p 5p 6p 7p", "3t 4t 5t 6t 7t 8t"]
    for place, low in enumerate(bombs):
        for higher, high in enumerate(bombs):
            if place != higher and not cards(low) & cards(high):
                assert (tidy(high) in answers(high, combination(low))) == (higher > place), (low, high)
    assert answers("2s 3s 4s 5s 6s", combination("2j 3j 4j 5j 6j")) == ["pass"]


def test_example_16_straight_flushes_on_bombs(answers):
    assert "2s 3s 4s 5s 6s" in answers("2s 3s 4s 5s 6s", combination("Aj As Ap At"))

    assert answers("Aj As Ap At 3j 4j 5j 6j 7j", combination("2s 3s 4s 5s 6s")) == expected("3j 4j 5j 6j 7j", "pass")


def test_example_17_a_low_bomb_on_a_single(answers):
    assert "2j 2s 2p 2t" in answers("2j 2s 2p 2t 9j", combination("3j"))


# -------------------------------------------------------------------------------------------------------------- wishes


def test_example_18_wish_fulfilled_by_a_single(answers):
    assert answers("8j Kj Aj", combination("6s"), wish=8) == ["8j"]


def test_example_19_wish_that_cannot_be_fulfilled(answers):
    assert answers("8j Kj", combination("9s"), wish=8) == expected("Kj", "pass")

    game = Position(["8j Kj 3j", "5j", "5s", "7t 9t"], top=combination("9s"), owner=3, wish=8)
    game.play(0, "Kj")
    assert game.table["wish"] == 8


def test_example_20_wish_fulfilled_by_a_bomb(answers):
    assert answers("8j 8s 8p 8t Kj", combination("9s"), wish=8) == ["8j 8s 8p 8t"]


def test_example_21_wish_in_a_straight(answers):
    top = combination("MJ 2j 3j 4s 5j")
    assert set(answers("5s 6j 7j 8s Ph Kj", top, wish=7)) == {"5s 6j 7j 8s Ph"}
    assert [rank_of(move) for move in kernel_answers("5s 6j 7j 8s Ph Kj", top, wish=7)] == [8, 9]
    assert answers("5s 6j 8s 9s Ph Kj", top, wish=7) == expected("5s 6j Ph 8s 9s", "pass")

    game = Position(["5s 6j 8s 9s Ph Kj", "3t 5t", "3s", "7t 9t"], top=top, owner=3, wish=7)
    game.play(0, "5s 6j Ph 8s 9s")
    assert game.table["wish"] == 7


def test_example_22_wish_fulfilled_by_a_pair_with_the_phoenix(answers):
    assert answers("Qj Ph 3j", combination("Tj Ts"), wish=Q) == ["Qj Ph"]


def test_example_23_wish_and_triples(answers):
    assert answers("Kj Ks Ph", combination("9j 9s 9p"), wish=K) == ["Kj Ks Ph"]
    assert answers("Kj Ph As", combination("9j 9s 9p"), wish=K) == ["pass"]


def test_example_24_wished_queen_under_an_ace(answers):
    assert answers("Qj Ph Dr", combination("As"), wish=Q) == expected("Ph", "Dr", "pass")


def test_example_25_bombing_past_the_wish():
    hand = "2j 2s 2p 2t 4j 5s 6s 7s 8j 9j"
    game = Position(["MJ 3j", hand, "Tj", "Ts"], leader=0)
    game.play(0, "MJ")
    game.wish(0, 7)
    assert game.asked == (1, "bomb")
    game.bomb(1, "2j 2s 2p 2t")
    # Nobody has another bomb, and nobody can beat this one: the bomber leads, under the duty.
    assert game.asked == (1, "play")
    assert set(game.legal()) == {"7s", tidy("4j 5s 6s 7s 8j"), tidy("5s 6s 7s 8j 9j"), tidy("4j 5s 6s 7s 8j 9j")}

    late = Position(["MJ 3j", hand, "Tj", "Ts"], leader=0)
    late.play(0, "MJ")
    late.wish(0, 7)
    late.bomb(1, "pass")
    assert late.asked == (1, "play")
    assert late.legal() == ["7s"]


def test_example_26_the_dog_and_the_wish(answers):
    assert answers("Qj Dog 3j", wish=Q) == ["Qj"]
    assert answers("Kj Dog 3j", wish=Q) == expected("Kj", "Dog", "3j")

    game = Position(["Kj Dog 3j", "5j", "Qs 4j", "7t"], leader=0, wish=Q)
    game.play(0, "Dog")
    assert game.asked == (2, "play")
    assert game.legal() == ["Qs"]


def test_example_27_a_straight_does_not_fulfil_its_own_wish():
    game = Position(["MJ 2j 3j 4j 5j 3s 9j", "Tj", "Ts", "Tp"], leader=0)
    game.play(0, "MJ 2j 3j 4j 5j")
    game.wish(0, 3)

    assert game.asked == (0, "play")
    assert game.table["wish"] == 3
    assert game.legal() == ["3s"]


def test_example_28_an_out_of_turn_bomb_fulfils_the_wish():
    game = Position(["9j", "Tj", "4j 5j 6j 7j 8j 2p", "Tp"], top=combination("9s"), owner=3, wish=6, window=True)
    game.bomb(2, "4j 5j 6j 7j 8j")

    assert game.table["wish"] == 0
    assert game.state["wish_fulfilled_by"] == 2


# ----------------------------------------------------------------------------------------------------------------- Dog


def test_example_29_dog_with_the_partner_out():
    game = Position(["Dog 3j", "5j", "", "7t"], leader=0, out=(2,))
    game.play(0, "Dog")
    assert game.asked == (3, "play")

    # Partner and the seat after it out: the Dog's player leads again.
    game = Position(["Dog 3j", "5j 6j", "", ""], leader=0, out=(2, 3))
    game.play(0, "Dog")
    assert game.asked == (0, "play")


def test_example_30_nobody_may_bomb_the_dog():
    game = Position(["Dog 3j", "9j 9s 9p 9t 2s", "4j 6j", "7t"], leader=0)
    game.play(0, "Dog")

    assert game.asked == (2, "play")
    assert game.state["bombs_out_of_turn"] == 0


def test_example_31_the_dog_as_last_card():
    game = Position(["Dog", "5j 6j", "", "7t"], leader=0, out=(2,))
    game.play(0, "Dog")

    assert game.asked == (OVER, "")
    assert game.row()["double_victory"] == 1


# -------------------------------------------------------------------------------------------------------------- Dragon


def test_example_32_the_dragon_trick_is_given_away():
    game = Position(["5j 6j", "5s 6s", "5p 6p", "Dr 4t"], leader=3)
    game.play(3, "Dr")
    assert game.asked == (3, "gift")
    assert {rank_of(move) for move in legal_moves(game.state)} == {0, 2}
    game.give(3, 2)

    assert game.points() == [0, 0, 25, 0]
    assert game.asked == (3, "play")


def test_example_33_a_bombed_dragon_is_kept():
    game = Position(["5j 5s 5p 5t 6j", "6s 7s", "6p 7p", "Dr 4t"], leader=3)
    game.play(3, "Dr")
    game.bomb(0, "5j 5s 5p 5t")

    assert game.asked == (0, "play")
    assert game.points() == [45, 0, 0, 0]


def test_example_34_bombing_ones_own_dragon():
    game = Position(["6j 7j", "6s 7s", "6p 7p", "Dr 5j 5s 5p 5t 4t"], leader=3)
    game.play(3, "Dr")
    game.bomb(3, "pass")
    game.bomb(3, "5j 5s 5p 5t")

    assert game.asked == (3, "play")
    assert game.points() == [0, 0, 0, 45]
    assert game.table["dragon_to"] == -1


def test_example_35_the_dragon_as_last_card_of_the_round():
    for receiver, piles in ((1, [0, 35, 0, 0]), (3, [0, 10, 0, 25])):
        game = Position(["", "", "Dr", "4t 5t"], leader=2, out=(1, 0), points=(0, 10, 0, 0))
        game.play(2, "Dr")
        game.give(2, receiver)

        assert game.asked == (OVER, "")
        assert game.points() == piles
        found = game.row()
        # What the last player holds as tricks ends with the first out; the five in its hand goes to its opponents.
        assert (found["card_score_0"], found["card_score_1"]) == (5, 35)
        assert found["points_passed_on"] == piles[3]


# ---------------------------------------------------------------------------------------- tricks, the end of the round


def test_example_36_the_owner_is_out():
    game = Position(["Aj", "5j 6j", "5s 6s", "5p 6p"], leader=0)
    game.play(0, "Aj")

    assert [int(seat) for seat in game.table["out"][:1]] == [0]
    assert game.asked == (1, "play")
    assert game.state["tricks"] == 1
    assert game.table["top"] == 0


def test_example_37_no_bomb_after_the_third_player_is_out():
    game = Position(["", "", "Kj Ks", "Aj As Ap At"], leader=2, out=(1, 0))
    game.play(2, "Kj Ks")

    assert game.asked == (OVER, "")
    assert game.points() == [0, 0, 20, 0]
    assert game.row()["bombs"] == 0


def test_example_38_turns_after_an_out_of_turn_bomb():
    game = Position(["9j 3j 3s 3p 3t", "4j 4s 4p 4t 9s", "5j 5s 5p 5t 9p", "2j 2s 2p 2t 9t"], leader=0)
    game.play(0, "9j")
    game.bomb(1, "pass")
    game.bomb(2, "pass")
    game.bomb(3, "2j 2s 2p 2t")
    for seat in (0, 1, 2):
        game.bomb(seat, "pass")
    for seat in (0, 1, 2):
        game.play(seat, "pass")
    # The closing window, in the same order.
    for seat in (0, 1, 2):
        game.bomb(seat, "pass")
    assert game.asked == (3, "play")
    assert game.state["passes"] == 3


def test_example_39_scores_with_the_first_two_out_apart():
    game = Position(["", "", "3j", "Kj Tj"], leader=2, out=(0, 1), points=(35, 20, 10, 15))
    game.play(2, "3j")
    found = game.row()

    assert (found["card_score_0"], found["card_score_1"]) == (80, 20)
    assert (found["points_left"], found["points_passed_on"]) == (20, 15)


def test_example_40_the_last_player_s_tricks_stay_in_the_team():
    game = Position(["", "", "3j", "Kj Tj"], leader=2, out=(1, 0), points=(35, 20, 10, 15))
    game.play(2, "3j")
    found = game.row()

    assert (found["card_score_0"], found["card_score_1"]) == (65, 35)


def test_example_41_double_victory_with_calls():
    game = Position(["", "4j 5j", "3j", "Kj Tj"], leader=2, out=(0,), calls={0: 1, 1: tichu.GRAND_CALL})
    game.play(2, "3j")
    found = game.row()

    assert (found["score_0"], found["score_1"]) == (300, -200)
    assert [found[f"call_success_{seat}"] for seat in range(4)] == [1, 0, -1, -1]


def test_example_42_both_partners_called():
    game = Position(["", "4j 5j", "3j", "Kj Tj"], leader=2, out=(0,), calls={0: 1, 2: 1})
    game.play(2, "3j")
    found = game.row()

    assert (found["score_0"], found["card_score_0"]) == (200, 200)


def test_example_43_level_totals_over_the_target():
    state = position(["", "", "3j", "Kj Tj"], leader=2, out=(1, 0), points=(35, 35, -20, 30), game="tichu-match")
    state["table"]["total"][:] = (990, 960)
    tichu.step(state, legal_moves(state)[0])
    assert state["table"]["total"].tolist() == [1025, 1025]
    go_on(state)
    assert (int(state["seat"]), int(state["table"]["rounds"])) == (0, 1)


# --------------------------------------------------------------------------------------------------------------- calls


FOURTEEN = ("2j 3j 4j 5s 6j 7j 8s 9j 2s 3s 4s 6s 7s Tj", "2p 3p 4p 5p 6t 7p 8p 9p 2t 3t 4t 6p 7t Tt", "Jj Js Jp Jt 8j", "Qj Qs Qp Qt")


def test_example_44_tichu_after_passing_and_after_a_bomb():
    # Seat 0 has passed in four tricks and holds 14 cards: on its turn it is still asked.
    state = position([FOURTEEN[0], "Kj 9s", "Kp 9t", "8t 5t"], top=combination("8p"), owner=3)
    for _ in range(4):
        assert (int(state["seat"]), int(state["decision"])) == (0, tichu.TICHU)
        tichu.step(state, 0)
        assert int(state["decision"]) == tichu.PLAY
        tichu.step(state, 0)
        state = position([FOURTEEN[0], "Kj 9s", "Kp 9t", "8t 5t"], top=combination("8p"), owner=3)

    # Tichu is offered before an out-of-turn bomb, and not after it (D47).
    hand = "2j 2s 2p 2t 3j 4s 5s 6s 8s 9j Tj Js Qp Kp"
    game = Position(["9p 7j", "5j", hand, "Tp 3t"], top=combination("9s"), owner=3, window=True)
    assert game.asked == (2, "tichu")
    game.answer(2, "tichu", 0)
    game.bomb(2, "2j 2s 2p 2t")
    assert game.asked == (2, "play")


def test_example_45_no_tichu_after_a_grand_tichu():
    state = position([FOURTEEN[0], "Kj 9s", "Kp 9t", "8t 5t"], top=combination("8p"), owner=3, calls={0: tichu.GRAND_CALL})

    assert (int(state["seat"]), int(state["decision"])) == (0, tichu.PLAY)


# ---------------------------------------------------------------------------------------------------------- parameters

DECK = list(range(56))


def answered(state, *answers):
    """What is asked, as (kind, seat), while these answers (or else no, or the first card) are given, up to the first play."""
    asked, given = [], list(answers)
    while state["seat"] != OVER and int(state["decision"]) < tichu.PLAY and len(asked) < 99:
        kind = ("grand", "tichu", "push")[int(state["decision"])]
        asked.append((kind, int(state["seat"])))
        moves = legal_moves(state)
        wanted = given.pop(0) if given and given[0][0] == asked[-1] else None
        tichu.step(state, moves[1] if wanted else moves[0])
        go_on(state)
    return asked


def test_order_of_the_phases():
    def four(kind):
        return [(kind, seat) for seat in range(4)]

    push = [("push", seat) for seat in range(4) for _ in range(3)]
    lead = [("tichu", 0)]

    assert answered(given_deck(DECK))[:-1] == [*four("grand"), *four("tichu"), *push, *four("tichu")]
    assert answered(given_deck(DECK, tichu_before_push=False))[:-1] == [*four("grand"), *push, *four("tichu"), *four("tichu")]
    assert answered(given_deck(DECK, pass_cards=False)) == [*four("grand"), *four("tichu"), *four("tichu"), *lead]
    assert answered(given_deck(DECK, deal_8_first=False))[:4] == four("tichu")
    assert answered(given_deck(DECK, tichu_windows="w2", pass_cards=False)) == [*four("grand"), *four("tichu")]
    assert answered(given_deck(DECK, tichu_windows="w3", pass_cards=False)) == [*four("grand"), *lead]
    assert answered(given_deck(DECK, tichu_windows="w1+w3", pass_cards=False)) == [*four("grand"), *four("tichu"), *lead]


def test_calls_are_published_together_or_one_by_one():
    for order, seen in (("simultaneous", 0), ("sequential", tichu.GRAND_CALL)):
        state = given_deck(DECK, gt_order=order)
        tichu.step(state, tichu.YES)
        go_on(state)
        assert int(state["seat"]) == 1
        assert int(state["table"]["call"][0]) == seen


def test_one_call_a_team():
    call = [(("grand", 0), 1)]
    state = given_deck(DECK, partner_calls="one_per_team")
    asked = answered(state, *call, (("grand", 2), 1), (("tichu", 1), 1), (("tichu", 3), 1))

    assert state["table"]["call"].tolist() == [tichu.GRAND_CALL, 1, 0, 0]
    assert [seat for kind, seat in asked if kind == "tichu"] == [1, 3]
    state = given_deck(DECK, partner_calls="one_per_team", gt_order="sequential")
    asked = answered(state, *call)
    assert [seat for kind, seat in asked if kind == "grand"] == [0, 1, 3]
    state = given_deck(DECK)
    answered(state, *call, (("grand", 2), 1))
    assert state["table"]["call"].tolist() == [tichu.GRAND_CALL, 0, tichu.GRAND_CALL, 0]


@pytest.mark.parametrize("number", [0, 5, 8, 13])
def test_cards_at_the_grand_tichu_decision(number):
    state = given_deck(DECK, grand_tichu_cards=number)
    view = new_view(state)
    tichu.observe(state, 0, view)
    assert int(view["hand"]).bit_count() == number


def test_tichu_after_the_first_player_is_out():
    for allowed, kind in ((False, tichu.PLAY), (True, tichu.TICHU)):
        state = position([FOURTEEN[0], "Kj", "", "8t 5t"], top=combination("8p"), owner=3, out=(2,), tichu_after_first_out=allowed)
        assert int(state["decision"]) == kind


def test_shortest_runs(answers):
    assert tidy("3j 3s 4j 4s") in answers("3j 3s 4j 4s 5j 5s")
    found = answers("3j 3s 4j 4s 5j 5s", min_pair_run=3)
    assert tidy("3j 3s 4j 4s") not in found
    assert tidy("3j 3s 4j 4s 5j 5s") in found
    hand = "3j 4s 5j 6s 7j 8s"
    for shortest, number in ((5, 3), (6, 1), (7, 0)):
        assert sum(len(text.split()) >= 5 for text in answers(hand, min_straight=shortest)) == number
    assert "3j 4j 5j 6j 7j" in answers("3j 4j 5j 6j 7j", min_straight=7)


def test_a_straight_flush_as_a_straight():
    assert kinds("4j 5j 6j 7j 8j", sf_as_straight=True) == {(STRAIGHT, 8), (FLUSH, 8)}


def test_the_phoenix_read_high():
    assert kinds("8j 8s Jj Js Ph", phoenix_full_house="high") == {(FULL_HOUSE, J)}
    assert kinds("8j 8s 8p Js Ph", phoenix_full_house="high") == {(FULL_HOUSE, 8)}
    assert kinds("5j 6s 7s 8s Ph", phoenix_straight="high") == {(STRAIGHT, 9)}
    assert kinds("Js Qj Kj Ap Ph", phoenix_straight="high") == {(STRAIGHT, A)}
    assert kinds("5j 6s Ph 8s 9j", phoenix_straight="high") == {(STRAIGHT, 9)}


def test_who_may_be_given_the_dragon_trick():
    for rule, receivers in (("either", {1, 3}), ("active_if_any", None)):
        game = Position(["Dr 5j 6j", "", "5p", "5s 6s"], leader=0, out=(1,), dragon_recipient=rule)
        game.play(0, "Dr")
        if receivers:
            assert game.asked == (0, "gift")
            assert {rank_of(move) for move in legal_moves(game.state)} == receivers
        else:
            assert game.points() == [0, 0, 0, 25]
            assert game.asked == (0, "play")


def test_a_dragon_trick_that_ends_the_round_may_be_kept():
    game = Position(["", "", "Dr", "4t 5t"], leader=2, out=(1, 0), dragon_gift_last_trick=False)
    game.play(2, "Dr")

    assert game.asked == (OVER, "")
    assert game.points() == [0, 0, 25, 0]


@pytest.mark.parametrize("rule", ["optional", "mandatory", "off"])
def test_wish_optional_mandatory_off(rule):
    game = Position(["MJ 3j", "5j", "5s", "5p"], leader=0, rules={"wish": rule})
    game.play(0, "MJ")

    if rule == "off":
        assert game.asked == (1, "play")
        assert game.table["wish_made"] == -1
    else:
        assert game.asked == (0, "wish")
        assert [rank_of(move) for move in legal_moves(game.state)] == [0, *range(2, 15)][rule == "mandatory" :]


def test_scope_of_the_wish(answers):
    bomb = "8j 8s 8p 8t Kj"
    assert answers(bomb, combination("9s"), wish=8, wish_scope="no_bombs") == expected("Kj", "8j 8s 8p 8t", "pass")
    pair = "Qj Qs 3j As Ap"
    assert answers(pair, combination("Tj Ts"), wish=Q, wish_scope="no_bombs") == ["Qj Qs"]
    assert answers(pair, combination("Tj Ts"), wish=Q, wish_scope="singles_only") == expected("Qj Qs", "As Ap", "pass")
    # The duty, once it holds, is fulfilled by any move with the rank.
    assert answers(bomb, combination("6s"), wish=8, wish_scope="singles_only") == expected("8j", "8s", "8p", "8t", "8j 8s 8p 8t")


def test_no_bombs_out_of_turn():
    game = Position(["9j 3j", "Ts Js", "2j 2s 2p 2t 3t", "5t 6t"], leader=0, bombs_out_of_turn=False)
    game.play(0, "9j")

    assert game.asked == (1, "play")
    game.play(1, "pass")
    assert game.asked == (2, "play")
    assert tidy("2j 2s 2p 2t") in game.legal()


def test_when_bombs_are_offered():
    hands = ["9j 3j", "Ts Js", "2j 2s 2p 2t 3t", "Tt 6t"]
    offered = {
        "after_play_and_close": [(2, "bomb"), (1, "play"), (2, "play"), (3, "play"), (2, "bomb")],
        "after_every_action": [(2, "bomb"), (1, "play"), (2, "bomb"), (2, "play"), (2, "bomb"), (3, "play"), (2, "bomb")],
        "close_only": [(1, "play"), (2, "play"), (3, "play"), (2, "bomb")],
    }
    for rule, asked in offered.items():
        game = Position(hands, leader=0, bomb_windows=rule)
        game.play(0, "9j")
        for seat, kind in asked:
            assert game.asked == (seat, kind), rule
            game.play(seat, "pass", kind)
        assert game.asked == (0, "play")


def test_who_is_offered_a_bomb_first():
    hands = ["9j 2j 2s 2p 2t 3j", "3s 4j 4s 4p 4t", "Ts Js 6j 6s 6p 6t", "Tt 8j 8s 8p 8t"]
    for rule, first in (("next_first", {1}), ("owner_first", {0}), ("random_start", {0, 1, 2, 3})):
        found = set()
        for seed in range(24):
            game = Position(hands, leader=0, bomb_order=rule, seed=seed)
            game.play(0, "9j")
            order = []
            for _ in range(4):
                order.append(game.asked[0])
                game.bomb(order[-1], "pass")
            assert order == [(order[0] + k) % 4 for k in range(4)]
            found.add(order[0])
        assert found == first


def test_the_dog_with_the_partner_out_by_rule():
    for rule, leader in (("after_partner", 3), ("after_player", 1)):
        game = Position(["Dog 3j", "5j", "", "7t"], leader=0, out=(2,), dog_partner_out=rule)
        game.play(0, "Dog")
        assert game.asked == (leader, "play")


def test_values_of_calls_and_double_victories():
    rules = {"tichu_value": 30, "grand_tichu_value": 70, "double_victory_value": 500}
    game = Position(["", "4j 5j", "3j", "Kj Tj"], leader=2, out=(0,), calls={0: 1, 1: tichu.GRAND_CALL}, **rules)
    game.play(2, "3j")
    found = game.row()

    assert (found["score_0"], found["score_1"]) == (530, -70)


def test_hand_sizes_may_be_hidden():
    for public, sizes in ((True, [2, 3, 1, 1]), (False, [2, -1, -1, -1])):
        state = position(["9j 3j", "Ts Js 4j", "5t", "6t"], leader=0, public_hand_sizes=public)
        view = new_view(state)
        tichu.observe(state, 0, view)
        assert view["table"]["hand_size"].tolist() == sizes


def match_after(totals, points, **rules):
    """A match after a round that began with these totals; the round gives 70 - points : 30 + points."""
    state = position(["", "", "3j", "Kj Tj"], leader=2, out=(1, 0), points=(70 - points - 20, points, 0, 30), game="tichu-match", **rules)
    state["table"]["total"][:] = totals
    tichu.step(state, legal_moves(state)[0])
    return state


def test_target_of_a_match():
    state = match_after((150, 100), 20)
    assert state["seat"] != OVER
    state = match_after((150, 100), 20, target_score=200)
    assert state["seat"] == OVER
    found = row(state, "tichu-match")
    assert (found["outcome"], found["winner"], found["total_0"], found["total_1"]) == (WIN, 0, 200, 150)
    assert [found[f"payoff_{seat}"] for seat in range(4)] == [2, 0, 2, 0]


def test_a_fixed_number_of_rounds():
    state = match_after((150, 100), 20, match_mode="fixed_rounds", fixed_rounds=1)
    assert state["seat"] == OVER
    assert row(state, "tichu-match")["winner"] == 0
    assert match_after((150, 100), 20, match_mode="fixed_rounds", fixed_rounds=2)["seat"] != OVER


def test_level_totals_by_rule():
    for mode in ({"target_score": 150}, {"match_mode": "fixed_rounds", "fixed_rounds": 1}):
        assert match_after((150, 150), 20, **mode)["seat"] != OVER
        state = match_after((150, 150), 20, tie_rule="draw", **mode)
        assert state["seat"] == OVER
        found = row(state, "tichu-match")
        assert (found["outcome"], found["winner"], found["payoff_0"]) == (DRAW, -1, 1)


def test_a_match_is_cut_off():
    state = match_after((150, 100), 20, max_rounds=1)

    assert state["seat"] == OVER
    found = row(state, "tichu-match")
    assert (found["outcome"], found["winner"], found["payoff_0"]) == (CAPPED, -1, 0)


def test_a_new_round_clears_the_table():
    state = match_after((150, 100), 20)
    go_on(state)
    table = state["table"]

    assert table["hand_size"].tolist() == [14] * 4
    assert (int(table["plays"]), int(table["outs"]), int(table["wish"]), int(table["seen"])) == (0, 0, 0, 0)
    assert int(state["decision"]) == tichu.GRAND


# --------------------------------------------------------------------------------------------------- in the page's words


def test_moves_have_names():
    named = {
        "9j": "9j", "Ph": "Ph (1½)", "MJ": "MJ", "Dog": "Dog", "Dr": "Dr", "Tj Tp": "Tj Tp (pair of T)", "7j 7s Ph": "7j 7s Ph (triple of 7)",
        "Jj Js Qj Ph": "Jj Js Qj Ph (pair run J to Q)", "8j 8s 8p Js Jt": "8j 8s 8p Js Jt (full house of 8)",
        "MJ 2j 3j 4s 5j": "MJ 2j 3j 4s 5j (straight 1 to 5)", "9j 9s 9p 9t": "9j 9s 9p 9t (bomb of four 9)",
        "Tj Jj Qj Kj Aj": "Tj Jj Qj Kj Aj (bomb, straight flush T to A)",
    }  # fmt: skip
    assert {text: tichu.move_text(combination(text)) for text in named} == named
    assert tichu.move_text(combination("Ph", rank=A), tichu.PLAY) == "Ph (A½)"
    assert [tichu.move_text(0, decision) for decision in range(6)] == ["no Grand Tichu", "no Tichu", "", "pass", "no bomb", "no wish"]
    assert [tichu.move_text(tichu.YES, decision) for decision in (tichu.GRAND, tichu.TICHU)] == ["Grand Tichu", "Tichu"]
    assert tichu.move_text(tichu.WISH_MOVE | 10 << 59, tichu.WISH) == "wish for T"
    assert tichu.move_text(tichu.GIFT_MOVE | 3 << 59, tichu.GIFT) == "give the trick to seat 3"
    assert tichu.move_text(cards("Dog"), tichu.PUSH) == "Dog"


def told_round(game: Any, script: list[str]) -> tuple[str, list[dict]]:
    """What is told of a position in which these moves are made, and its scenes; the script's moves as they become legal."""
    state, told, scenes, before, script = game.state, [], [], None, list(script)
    state["watch"] = 1
    while state["seat"] != OVER and (script or state["seat"] < 0):
        if state["seat"] >= 0:
            named = {tichu.move_text(move, int(state["decision"])).split(" (")[0]: move for move in legal_moves(state)}
            wanted = next((text for text in script if text in named), None)
            if wanted is None:
                break
            script.remove(wanted)
            tichu.step(state, named[wanted])
        else:
            tichu.step(state, 0)
        now = tichu.scene(state)
        told += tichu.tell(now, before)
        scenes.append(now)
        before = now
    return "\n".join(told), scenes


def test_a_round_is_told():
    """A wish that is fulfilled, a bomb out of turn, a Dragon trick that is given away."""
    game = Position(["MJ 5j 4j", "7j 2s 8t", "Dr 5p", "9j 9s 9p 9t 6j"], leader=0, calls={0: 1})
    script = ["MJ", "wish for 7", "no bomb", "7j", "9j 9s 9p 9t", "6j", "8t", "Dr", "give the trick to seat 3", "5p", "pass"]
    text, scenes = told_round(game, [*script, "pass", "pass", "pass"])
    for line in (
        "Seat 0 leads MJ; 2 cards left", "Seat 0 wishes for 7", "Seat 1 plays 7j; 2 cards left", "The wish is fulfilled",
        "Seat 3 bombs out of turn: 9j 9s 9p 9t (bomb of four 9); 1 card left", "Seat 3 takes the trick: 0 points", "Seat 3 leads 6j; 0 cards left",
        "Seat 3 is the first to go out", "Seat 1 plays 8t; 1 card left", "Seat 2 plays Dr; 1 card left",
        "Seat 2 wins with the Dragon and gives the trick to seat 3: 25 points", "Seat 2 leads 5p; 0 cards left",
    ):  # fmt: skip
        assert line in text, (line, text)
    for now in scenes:  # a card is in a hand or in the open trick, in no two places
        shown = [
            *(card for hand in now["hands"] for card in hand),
            *(now["trick"]["cards"] if now["trick"] and now["event"] != "closed" else []),
        ]
        assert len(shown) == len(set(shown))
        assert now["trick"] is not None or not now["top"]


def test_the_dog_that_ends_a_double_victory_passes_no_lead_on():
    text, _ = told_round(
        Position(["MJ", "7j 2s 8t", "9s Dog", "6p 6j 5t"], leader=0), ["MJ", "no wish", "pass", "9s", "pass", "pass", "Dog"]
    )

    assert "Seat 2 leads Dog; 0 cards left" in text
    assert "The lead" not in text
    assert "Double victory of seats 0 and 2; seat 0 went out first" in text
