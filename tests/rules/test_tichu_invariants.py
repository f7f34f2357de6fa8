"""What always holds in Tichu (docs/rules/tichu.md, section 7), whatever the rules and the deal; what a player may see; guesses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from simkit.game import NO_MOVE, OVER
from simkit.games import tichu
from simkit.games._tichu_combinations import CARDS, DOG, FLUSH, FOUR, MAH_JONG, PHOENIX
from simkit.jit import PLAIN, kernel
from tests import tichu_state
from tests.strategies import deals, seeds, tichu_rules
from tests.tichu_state import Position, cards, given_deck, go_on, legal_moves, new_state, new_view, played, rank_of, row, type_of

pytestmark = pytest.mark.modes

EXAMPLES = settings(max_examples=2 if PLAIN else 40)
TEAM = (0, 1, 0, 1)


def chooser(name: str) -> Any:
    """Random moves; calls now and then, bombs often."""
    pick = random.Random(name)

    def choose(state: Any, moves: list[int]) -> int:
        if state["decision"] in (tichu.GRAND, tichu.TICHU):
            return moves[pick.random() < 0.1]
        return pick.choice(moves)

    return choose


def whole_round(rules: dict[str, Any], seed: int, deal: int) -> Iterator[Any]:
    """A round of random moves, seen at every decision and at the end."""
    return played(new_state(seed=seed, deal=deal, **rules), chooser(f"{seed} {deal}"))


def hands(state: Any) -> list[int]:
    return [int(hand) for hand in state["hand"]]


def history(state: Any) -> list[tuple[int, int, bool, bool]]:
    """All plays: move, seat, whether it was a lead, whether out of turn."""
    table, found = state["table"], []
    for move, how in zip(table["play"][: table["plays"]].tolist(), table["how"][: table["plays"]].tolist(), strict=True):
        found.append((move, how & 3, bool(how & tichu.LEAD_BIT), bool(how & tichu.BOMB_BIT)))
    return found


def strength(move: int) -> tuple[int, int, float]:
    """What decides which of two combinations of one shape, or of two bombs, is stronger."""
    length = (move & CARDS).bit_count()
    return (type_of(move) >= FOUR, length, rank_of(move) + 0.5 * (move & CARDS == PHOENIX))


def same_shape(one: int, other: int) -> bool:
    return (type_of(one), (one & CARDS).bit_count()) == (type_of(other), (other & CARDS).bit_count())


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_invariants_1_and_2_no_card_is_lost_or_doubled(rules, seed, deal):
    for state in whole_round(rules, seed, deal):
        table, held = state["table"], hands(state)
        assert sum(held) + int(table["seen"]) == CARDS
        assert [hand.bit_count() for hand in held] == table["hand_size"].tolist()
        if table["plays"] == 0:
            assert [hand.bit_count() for hand in held] == [14] * 4
        left = sum(tichu.plain_points(hand) for hand in held) + tichu.plain_points(int(table["trick"]))
        assert left + int(table["points"].sum()) == 100


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_invariants_3_and_5_what_lies_on_what(rules, seed, deal):
    *_, state = whole_round(rules, seed, deal)
    top = 0
    for move, _, lead, out_of_turn in history(state):
        if lead:
            assert not out_of_turn
        else:
            assert strength(move) > strength(top)
            assert type_of(move) >= FOUR or same_shape(move, top)
            assert not move & (DOG | MAH_JONG)
            assert not out_of_turn or type_of(move) in (FOUR, FLUSH)
        top = move
    wishes = sum(bool(move & MAH_JONG) for move, *_ in history(state))
    assert wishes <= 1
    assert (wishes == 0) == (state["table"]["mah_jong_by"] == -1)


@EXAMPLES
@given(tichu_rules(double_victory_value=200), seeds, deals)
def test_invariants_4_7_and_8_the_end_and_the_scores(rules, seed, deal):
    *_, state = whole_round(rules, seed, deal)
    found = row(state)
    scores = [found["card_score_0"], found["card_score_1"]]
    out = [found[f"out_{k}"] for k in (1, 2, 3) if found[f"out_{k}"] >= 0]
    if found["double_victory"]:
        assert sorted(scores) == [0, 200]
        assert len(out) == 2
        assert TEAM[out[0]] == TEAM[out[1]]
        assert scores[TEAM[out[0]]] == 200
    else:
        assert sum(scores) == 100
        assert all(score % 5 == 0 and -25 <= score <= 125 for score in scores)
        assert sorted([*out, found["last"]]) == [0, 1, 2, 3]
        assert TEAM[out[0]] != TEAM[out[1]]
        assert 1 <= found["cards_left"] == hands(state)[found["last"]].bit_count()
    assert found["plays"] <= 55
    calls = [found[f"call_{seat}"] for seat in range(4)]
    worth = [(rules["grand_tichu_value"] if call == 4 else rules["tichu_value"]) if call else 0 for call in calls]
    succeeded = [found[f"call_success_{seat}"] for seat in range(4)]
    assert sum(success == 1 for success in succeeded) <= 1
    gained = sum(value if success == 1 else -value for value, success in zip(worth, succeeded, strict=True))
    assert found["score_0"] + found["score_1"] - sum(scores) == gained


@EXAMPLES
@given(tichu_rules(wish_scope="all"), seeds, deals)
def test_invariant_6_the_duty_of_the_wish(rules, seed, deal):
    """With the wished rank in hand, either every answer has a natural card of it, or none has."""
    for state in whole_round(rules, seed, deal):
        if state["seat"] < 0 or state["decision"] != tichu.PLAY or state["table"]["wish"] == 0:
            continue
        wished = 15 << 4 * (int(state["table"]["wish"]) - 1)
        moves = legal_moves(state)
        with_it = [bool(move & wished) for move in moves]
        assert all(with_it) or not any(with_it)
        assert all(with_it) == bool(state["duty"])
        if state["table"]["top"] == 0:
            assert all(with_it) == bool(hands(state)[int(state["seat"])] & wished)


SYMMETRIC = {"partner_calls": "both_allowed", "gt_order": "simultaneous", "bomb_order": "next_first"}


@EXAMPLES
@given(tichu_rules(**SYMMETRIC), seeds, deals)
def test_invariant_9_seats_may_be_rotated(rules, seed, deal):
    deck = random.Random(seed).sample(range(56), 56)
    rows = []
    for turn in (0, 1):
        players = [random.Random(f"{seed} {deal} {(seat - turn) % 4}") for seat in range(4)]
        state = given_deck(deck[-14 * turn :] + deck[: -14 * turn] if turn else deck, **rules)
        while state["seat"] != OVER:
            tichu.step(state, players[int(state["seat"])].choice(legal_moves(state)))
            go_on(state)
        rows.append(row(state))
    here, there = rows
    for name, value in here.items():
        if name in ("winner",):
            assert there[name] == (1 - value if value >= 0 else -1)
        elif name.startswith(("score_", "card_score_")):
            assert there[name[:-1] + str(1 - int(name[-1]))] == value
        elif name.startswith("out_") or name in ("last", "dragon_to", "dragon_by", "phoenix_to", "wish_fulfilled_by") + MAH_JONG_SEATS:
            assert there[name] == ((value + 1) % 4 if value >= 0 else -1)
        elif name[-2:] in ("_0", "_1", "_2", "_3"):
            assert there[f"{name[:-1]}{(int(name[-1]) + 1) % 4}"] == value
        else:
            assert there[name] == value, name


MAH_JONG_SEATS = ("mah_jong_dealt", "mah_jong_leads", "mah_jong_by")


def relabelled(found: int, suits: list[int]) -> int:
    """A set of cards, or a move, with its suits exchanged."""
    chosen = sum(1 << (card if card < 4 else card // 4 * 4 + suits[card % 4]) for card in range(56) if found >> card & 1)
    return chosen | found >> 56 << 56


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_invariant_10_suits_may_be_relabelled(rules, seed, deal):
    pick = random.Random(f"{seed} {deal}")
    deck, suits = pick.sample(range(56), 56), pick.sample(range(4), 4)
    state = given_deck(deck, **rules)
    other = given_deck([card if card < 4 else card // 4 * 4 + suits[card % 4] for card in deck], **rules)
    while state["seat"] != OVER:
        assert (state["seat"], state["decision"]) == (other["seat"], other["decision"])
        moves = legal_moves(state)
        assert {relabelled(move, suits) for move in moves} == set(legal_moves(other))
        move = pick.choice(moves)
        tichu.step(state, move)
        tichu.step(other, relabelled(move, suits))
        go_on(state)
        go_on(other)
    here, there = row(state), row(other)
    assert {name: value for name, value in here.items() if not name.startswith(CARD_SETS)} == {
        name: value for name, value in there.items() if not name.startswith(CARD_SETS)
    }


CARD_SETS = ("first_hand", "dealt_hand", "pushed")


# --------------------------------------------------------------------------------------------------- records and views


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_watching_changes_nothing(rules, seed, deal):
    rows = []
    for watch in (0, 1):
        state, choose, scenes = new_state(seed=seed, deal=deal, watch=watch, **rules), chooser(f"{seed}"), []
        tichu.start(state)
        while state["seat"] != OVER:
            scenes.append(tichu.scene(state))
            moves = legal_moves(state)
            tichu.step(state, choose(state, moves) if moves else NO_MOVE)
        scenes.append(tichu.scene(state))
        rows.append(row(state))
    assert rows[0] == rows[1]
    for before, now in zip([None, *scenes], scenes, strict=False):
        assert all(isinstance(line, str) and line for line in tichu.tell(now, before))
    shown = [scene["event"] for scene in scenes]
    assert shown.count("played") == rows[0]["plays"]
    assert shown.count("passed") == rows[0]["passes"]
    assert shown.count("closed") == rows[0]["tricks"]
    assert shown[-1] == "scored"
    tricks = scenes[-1]["tricks"]
    assert len(tricks) == rows[0]["tricks"] + rows[0]["double_victory"] * (len(tricks) > rows[0]["tricks"])


def records_equal(one: Any, other: Any) -> bool:
    """Two views but for their random streams."""
    for name in tichu.VIEW.names:
        if name == "table":
            if any(not np.array_equal(one["table"][field], other["table"][field]) for field in tichu.TABLE.names):
                return False
        elif name not in ("rng", "params", "memory", "rules") and not np.array_equal(one[name], other[name]):
            return False
    return True


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_a_view_does_not_change_when_hidden_cards_do(rules, seed, deal):
    pick = random.Random(seed)
    for state in whole_round(rules, seed, deal):
        seat = int(state["seat"])
        if seat < 0:
            continue
        view, other = new_view(state), new_view(state)
        tichu.observe(state, seat, view)
        before = hands(state), state["given"].copy(), int(state["pending"])
        one, two = pick.sample([s for s in range(4) if s != seat], 2)
        mine, theirs = ([1 << card for card in range(56) if before[0][s] >> card & 1] for s in (one, two))
        if mine and theirs:
            give, take = pick.choice(mine), pick.choice(theirs)
            state["hand"][one] ^= give ^ take
            state["hand"][two] ^= give ^ take
        if state["decision"] in (tichu.GRAND, tichu.TICHU) and state["table"]["window"] < tichu.BEFORE_TURN:
            state["pending"] ^= 1 << one
        if state["decision"] == tichu.PUSH or (state["decision"] == tichu.TICHU and state["table"]["window"] == 1):
            state["given"][one] = (1, 2, 4)
        tichu.observe(state, seat, other)
        assert records_equal(view, other)
        for s in range(4):
            state["hand"][s] = before[0][s]
        state["given"][:] = before[1]
        state["pending"] = before[2]


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_a_view_shows_what_it_should(rules, seed, deal):
    for state in whole_round(rules, seed, deal):
        seat, table = int(state["seat"]), state["table"]
        if seat < 0:
            continue
        view = new_view(state)
        tichu.observe(state, seat, view)
        first = state["decision"] == tichu.GRAND
        assert view["hand"] == (state["first_hand"][seat] if first else state["hand"][seat])
        exchanged = state["decision"] >= tichu.PLAY or (state["decision"] == tichu.TICHU and table["window"] >= 2)
        for k in range(3):
            assert view["given"][k] == state["given"][seat][k]
            assert view["received"][k] == (state["given"][(seat + 1 + k) % 4][2 - k] if exchanged else 0)
        if table["plays"] == 0 and exchanged and rules["pass_cards"]:
            assert all(int(view["received"][k]) & int(view["hand"]) for k in range(3))
        assert view["table"]["call"].tolist() == table["call"].tolist()
        # Whether others were offered a bomb would tell that they hold one.
        bombing = state["decision"] == tichu.BOMB or (state["decision"] == tichu.TICHU and table["window"] == tichu.BEFORE_BOMB)
        assert view["table"]["window_start"] == (table["window_start"] if bombing else 0)
        assert view["table"]["window"] == (table["window"] if state["decision"] == tichu.TICHU else 0)
        if state["decision"] == tichu.GRAND and rules["gt_order"] == "simultaneous":
            assert not view["table"]["call"].any()


# -------------------------------------------------------------------------------------------------------------- guesses


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_a_guess_gives_the_view_that_it_was_made_from(rules, seed, deal):
    """The same view, the same legal moves, every card once; played on, it comes to an end."""
    pick = random.Random(deal)
    for state in whole_round(rules, seed, deal):
        if state["seat"] < 0 or pick.random() < 0.6:
            continue
        seat = int(state["seat"])
        view, again, guessed = new_view(state), new_view(state), tichu_state.one(tichu.STATE)
        view["rng"][0] = pick.getrandbits(60)
        tichu.observe(state, seat, view)
        tichu.guess(view, guessed)
        tichu.observe(guessed, seat, again)
        assert records_equal(view, again)
        assert legal_moves(state) == legal_moves(guessed)
        assert sum(hands(guessed)) + int(guessed["table"]["seen"]) == CARDS
        if pick.random() < 0.2:
            *_, end = on_from(guessed, pick)
            found = row(end)
            if not found["double_victory"]:
                assert found["card_score_0"] + found["card_score_1"] == 100


def on_from(state: Any, pick: random.Random) -> Iterator[Any]:
    """Play a state on to its end."""
    while state["seat"] != OVER:
        tichu.step(state, pick.choice(legal_moves(state)))
        go_on(state)
    yield state


def guesses(state: Any, number: int, seat: int | None = None) -> Iterator[Any]:
    """States guessed from what a seat, or who is to act, may know."""
    view, guessed = new_view(state), tichu_state.one(tichu.STATE)
    tichu.observe(state, int(state["seat"]) if seat is None else seat, view)
    for _ in range(number):
        tichu.guess(view, guessed)
        yield guessed


@kernel
def contradicted(state, seat):
    """The seats whose hands contradict turns that they took without playing the wished rank."""
    return tichu.wish_faults(state, seat, np.int64(0))


@EXAMPLES
@given(tichu_rules(), seeds, deals)
def test_neither_hands_nor_guesses_contradict_passes_on_a_wish(rules, seed, deal):
    for state in whole_round(rules, seed, deal):
        if state["seat"] < 0 or state["table"]["wish_made"] < 2:
            continue
        dealt = state["dealt_hand"].copy()
        assert contradicted(state, 4) == 0
        state["dealt_hand"][:] = dealt
        for guessed in guesses(state, 1):
            assert contradicted(guessed, int(state["seat"])) == 0


NUMBER = 3 if PLAIN else 200


def test_guesses_differ():
    state = given_deck(list(range(56)))

    assert len({tuple(hands(guessed)) for guessed in guesses(state, NUMBER)}) == NUMBER


def test_cards_that_one_gave_lie_with_their_receivers():
    state = given_deck(list(range(56)))
    while state["decision"] != tichu.PLAY:
        tichu.step(state, legal_moves(state)[-1 if state["decision"] == tichu.PUSH else 0])
        go_on(state)
    seat = int(state["seat"])
    for guessed in guesses(state, NUMBER):
        for k in range(3):
            assert hands(guessed)[(seat + 1 + k) % 4] & int(state["given"][seat][k])
        given = guessed["given"].ravel().tolist()
        assert sum(given) == np.bitwise_or.reduce(given)
        assert all(hand.bit_count() == 14 for hand in guessed["dealt_hand"].tolist())
        assert sum(guessed["dealt_hand"].tolist()) == CARDS


def test_pushes_chosen_before_are_drawn():
    state = given_deck(list(range(56)))
    while state["decision"] != tichu.PUSH or state["seat"] != 2:
        tichu.step(state, legal_moves(state)[0])
        go_on(state)
    seen = set()
    for guessed in guesses(state, NUMBER):
        for giver in (0, 1):
            cards_given = guessed["given"][giver].tolist()
            assert sum(card.bit_count() for card in cards_given) == sum(cards_given).bit_count() == 3
            assert sum(cards_given) & ~hands(guessed)[giver] == 0
            seen.add(tuple(cards_given))
        assert guessed["given"][3].tolist() == [0, 0, 0]
    assert len(seen) > NUMBER


QUIET = {"tichu_windows": "w1", "bombs_out_of_turn": False}
"""Nothing is asked but leads and turns."""


def test_a_pass_on_the_wish_denies_the_rank():
    """Seats 1 and 3 pass on a low single, seat 2 plays something else: none of them has an eight, as seat 0 can tell."""
    hidden = [
        "2p 5j 5s 5p 5t 6j 6s 6p 6t 7j 7s 7p 7t Kj",
        "3p 3t 4j 4s 4p 4t 9p 9t Tp Tt Js Jp Jt Ks",
        "Dog 2t Qj Qs Qp Qt Kp Kt Aj As Ap At Ph Dr",
    ]
    game = Position(["MJ 2j 2s 3j 3s 8j 8s 8p 9j 9s Tj Ts Jj 8t", *hidden], leader=0, rules=QUIET)
    game.play(0, "MJ")
    game.wish(0, 8)
    game.play(1, "pass")
    game.play(2, "4t")
    game.play(3, "pass")

    assert game.asked == (0, "play")
    for guessed in guesses(game.state, NUMBER):
        assert not any(hand & 15 << 28 for hand in hands(guessed)[1:])


def test_a_pass_on_a_pair_denies_pairs_of_the_wished_rank():
    """All pass on a pair of tens: nobody can have two of the three queens that are out."""
    hidden = [
        "5j 5p 5t 6j 6s 6p 7j 7s 7p 9j 9s Qj Kp Aj",
        "4s 4p 4t 6t 7t 8j 8s 8p 9p 9t Qs Kt As Ap",
        "Dog 2t 3p 3t 8t Tp Tt Jj Js Jp Jt Qp At Dr",
    ]
    game = Position(["MJ 2j 2s 2p 3j 3s 4j 5s Tj Ts Qt Kj Ks Ph", *hidden], leader=0, rules=QUIET)
    game.play(0, "Qt")
    for seat in (1, 2, 3):
        game.play(seat, "pass")
    game.play(0, "MJ 2j 3j 4j 5s")
    game.wish(0, tichu_state.Q)
    game.play(3, "pass")  # it has four jacks
    game.play(0, "Tj Ts")
    for seat in (2, 3):
        game.play(seat, "pass")

    assert game.asked == (0, "play")
    for guessed in guesses(game.state, NUMBER):
        assert [(hand & cards("Qj Qs Qp")).bit_count() for hand in hands(guessed)] == [0, 1, 1, 1]


def test_an_offer_to_bomb_is_seen_by_nobody_else():
    """Seat 2 holds a bomb or does not, has 14 cards or fewer, and declines all: seat 3 sees the same."""
    seen = []
    for hand in ("2j 2s 2p 2t 3t 4t 5s 6s 7s 9s Js Qs Ks As", "2j 2s 2p 3p 3t 4t 5s 6s 7s 9s Js Qs Ks As"):
        game = Position(["Tj 3j", "4j 6j", hand, "Jt 6t"], leader=0)
        game.play(0, "Tj")
        while game.asked[0] != 3:
            assert game.asked[0] == 2
            game.answer(2, game.asked[1], 0)
        view = new_view(game.state)
        tichu.observe(game.state, 3, view)
        seen.append(view)
    assert records_equal(*seen)
