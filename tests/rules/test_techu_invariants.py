"""What always holds in Techu (docs/rules/techu.md, section 10), whatever the rules and the deal; what a player may see; guesses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.game import DRAW, OVER, WIN
from simkit.games import find, techu
from simkit.jit import PLAIN
from simkit.rng import SEAT
from tests import techu_state
from tests.strategies import deals, seeds, techu_rules
from tests.techu_state import BLACK, RED, cells_of, deck, legal_moves, new_state, new_view, played, ranks_of, row, stacks

pytestmark = pytest.mark.modes

EXAMPLES = settings(max_examples=4 if PLAIN else 60)
TWO_OF_EACH = Counter({rank: 2 for rank in range(2, 15)})
DISCARD = techu.DISCARD


def whole_game(rules: dict[str, Any], seed: int, deal: int, watch: int = 0):
    """A game of random moves, seen at every decision and at the end."""
    pick = np.random.default_rng([seed, deal])
    state = new_state(seed=seed, deal=deal, watch=watch, **rules)
    return played(state, lambda _, moves: moves[int(pick.integers(len(moves)))])


def held(state: Any) -> list[set]:
    return [cells_of(state["table"]["held"][seat]) for seat in (BLACK, RED)]


def last_move(state: Any) -> tuple[int, int]:
    """Rank and space of the last turn's move."""
    return divmod(int(state["shown"]), 32)


def flooded(state: Any, seat: int) -> set:
    """The linked spaces, found one by one from the home row."""
    mine, home_row = held(state)[seat], 4 * seat
    found = {cell for cell in mine if cell[0] == home_row}
    to_visit = list(found)
    while to_visit:
        y, x = to_visit.pop()
        for cell in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
            if cell in mine and cell not in found:
                found.add(cell)
                to_visit.append(cell)
    return found


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_1_no_card_is_lost_or_doubled(rules, seed, deal):
    for state in whole_game(rules, seed, deal):
        table = state["table"]
        for seat in (BLACK, RED):
            played_cards = [rank for stack in stacks(state) for owner, rank in stack if owner == seat]
            cards = Counter(played_cards + ranks_of(state["hand"][seat]) + ranks_of(state["discards"][seat]) + deck(state, seat))
            assert cards == TWO_OF_EACH
            assert sorted(played_cards) == ranks_of(table["played"][seat])
            assert len(ranks_of(state["hand"][seat])) == table["hand_size"][seat]
            assert len(ranks_of(state["discards"][seat])) == table["discard_count"][seat]


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_2_stacks_rise(rules, seed, deal):
    before = [[] for _ in range(25)]
    for state in whole_game(rules, seed, deal):
        now = stacks(state)
        for space, stack in enumerate(now):
            assert stack[: len(before[space])] == before[space]
            assert len(stack) <= 13
            top = int(state["table"]["top"][space])
            assert top == (stack[-1][1] if stack else 0)
            assert (int(state["topped"][top]) >> space) & 1
            assert [(int(state["table"]["held"][seat]) >> space) & 1 for seat in (BLACK, RED)] == [
                int(bool(stack) and stack[-1][0] == seat) for seat in (BLACK, RED)
            ]
        before = now


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_3_the_space_played_is_linked(rules, seed, deal):
    """And the links kept as the game goes on are those found afresh."""
    for state in whole_game(rules, seed, deal):
        for seat in (BLACK, RED):
            assert cells_of(state["table"]["linked"][seat]) == flooded(state, seat)
        if state["table"]["turn"] > 0 and last_move(state)[1] != DISCARD:
            assert divmod(last_move(state)[1], 5) in cells_of(state["table"]["linked"][int(state["last_actor"])])


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_4_how_spaces_change(rules, seed, deal):
    before, turn = [set(), set()], 0
    for state in whole_game(rules, seed, deal):
        now = held(state)
        assert not now[BLACK] & now[RED]
        assert len(now[BLACK]) + len(now[RED]) + int(state["topped"][0]).bit_count() == 25
        assert before[BLACK] | before[RED] <= now[BLACK] | now[RED]
        if state["table"]["turn"] > turn:
            mover = int(state["last_actor"])
            assert len(now[mover]) - len(before[mover]) in (0, 1)
            assert len(now[1 - mover]) - len(before[1 - mover]) in (0, -1)
        before, turn = now, int(state["table"]["turn"])


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_5_the_length(rules, seed, deal):
    *_, state = whole_game(rules, seed, deal)
    table = state["table"]

    assert table["turn"] == 2 * (26 - table["k"])
    assert list(table["hand_size"]) == list(table["deck_size"]) == [0, 0]
    assert state["last_actor"] == 1 - table["first_mover"]


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_6_hands_between_turns(rules, seed, deal):
    for state in whole_game(rules, seed, deal):
        if state["seat"] == OVER or state["decision"] != techu.TURN:
            continue
        mover, table = int(state["seat"]), state["table"]
        if table["deck_size"][1 - mover] > 0:
            assert table["hand_size"][1 - mover] == rules["hand_size"] - 1
        if table["deck_size"][mover] > 0:
            assert table["hand_size"][mover] == rules["hand_size"]


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariant_7_an_ace_stays(rules, seed, deal):
    aces: dict[int, int] = {}
    for state in whole_game(rules, seed, deal):
        for space, stack in enumerate(stacks(state)):
            if stack and stack[-1][1] == 14:
                assert aces.setdefault(space, stack[-1][0]) == stack[-1][0]
            else:
                assert space not in aces


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_invariants_8_and_10_the_end(rules, seed, deal):
    *_, state = whole_game(rules, seed, deal)
    found = row(state)

    if found["empty_spaces"] == 0 and rules["count_rule"] == "all":
        assert found["outcome"] == WIN
    assert (found["outcome"] == DRAW) == (found["winner"] < 0) == (found["margin"] == 0)
    if found["techu"] and rules["techu_scope"] == "last_action":
        assert found["winner"] == 1 - found["first_mover"]
        assert last_move(state)[1] != DISCARD
    assert found["techu"] + found["techu_missed"] <= 1
    for seat in (BLACK, RED):
        actions = [f"{name}_{seat}" for name in ("placed_empty", "placed_own", "placed_opponent", "discards_voluntary", "discards_forced")]
        assert sum(found[name] for name in actions) == 26 - found["k"]
        assert found[f"spaces_lost_{seat}"] == found[f"placed_opponent_{1 - seat}"]
    assert sum(found[f"discarded_{rank}"] for rank in range(2, 15)) == sum(state["table"]["discard_count"])


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_legal_moves_are_those_of_the_rules(rules, seed, deal):
    """Rules 1 and 2 anew, space by space."""
    for state in whole_game(rules, seed, deal):
        if state["seat"] == OVER or state["decision"] != techu.TURN:
            continue
        seat, tops = int(state["seat"]), state["table"]["top"]
        linked = flooded(state, seat)
        allowed = []
        for space in range(25):
            y, x = divmod(space, 5)
            joined = linked & {(y, x), (y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)}
            closed = rules["opponent_home"] == "closed" and y == 4 * (1 - seat)
            if (y == 4 * seat or joined) and not closed:
                allowed.append(space)
        ranks = sorted(set(ranks_of(state["hand"][seat])))
        placements = [rank * 32 + space for rank in ranks for space in allowed if tops[space] < rank]
        discards = [rank * 32 + DISCARD for rank in ranks] if rules["voluntary_discard"] or not placements else []
        assert legal_moves(state) == sorted(placements + discards)


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_a_watched_game_is_the_same_game(rules, seed, deal):
    *_, plain = whole_game(rules, seed, deal)
    *_, watched = whole_game(rules, seed, deal, watch=1)

    assert row(plain) == row(watched)
    assert plain["table"].tobytes() == watched["table"].tobytes()


# --------------------------------------------------------------------------------------------------- what is seen (7)


def view_of(state: Any, seat: int) -> Any:
    view = new_view(state)
    techu.observe(state, seat, view)
    return view


def swap_hidden(state: Any, seat: int, pick: np.random.Generator) -> None:
    """Permute what this seat does not know: its deck, and the other's deck, hand and, if hidden, discards; and a starter chosen by the other."""
    other = 1 - seat
    for player in (seat, other):
        left = int(state["table"]["deck_size"][player])
        state["deck"][player, 26 - left : 26] = pick.permutation(state["deck"][player, 26 - left : 26])
    hidden = state["rules"]["discard_visibility"] == techu.HIDDEN
    hand, left = int(state["table"]["hand_size"][other]), int(state["table"]["deck_size"][other])
    pool = ranks_of(state["hand"][other]) + deck(state, other) + (ranks_of(state["discards"][other]) if hidden else [])
    pool = [int(rank) for rank in pick.permutation(pool)]
    state["hand"][other] = sum(1 << 4 * rank for rank in pool[:hand])
    state["deck"][other, 26 - left : 26] = pool[hand : hand + left]
    if hidden:
        state["discards"][other] = sum(1 << 4 * rank for rank in pool[hand + left :])
    if seat == RED and state["chosen"][BLACK] > 0:
        state["chosen"][BLACK] = pool[0] * 32 + int(state["chosen"][BLACK]) % 32


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_a_view_does_not_change_when_hidden_cards_are_permuted(rules, seed, deal):
    """So no strategy, ours or another, can know them: it sees nothing but its view and its legal moves."""
    pick = np.random.default_rng(seed)
    for state in whole_game(rules, seed, deal):
        seat = int(state["seat"])
        if seat == OVER:
            return
        before, moves = view_of(state, seat).tobytes(), legal_moves(state)
        other = state.copy()
        swap_hidden(other, seat, pick)
        assert view_of(other, seat).tobytes() == before
        assert legal_moves(other) == moves


@EXAMPLES
@given(techu_rules(), seeds, deals)
def test_a_guess_gives_the_same_view(rules, seed, deal):
    guessed = new_state(**rules)
    for number, state in enumerate(whole_game(rules, seed, deal)):
        seat = int(state["seat"])
        if seat == OVER:
            return
        view = view_of(state, seat)
        view["rng"][0] = number
        before = view.copy()
        techu.guess(view, guessed)
        again = new_view(guessed)
        techu.observe(guessed, seat, again)
        again["rng"] = before["rng"]
        assert again.tobytes() == before.tobytes()
        assert legal_moves(guessed) == legal_moves(state)


@EXAMPLES
@given(techu_rules(), seeds, deals, st.integers(0, 60))
def test_a_guess_is_a_state_that_can_be_played_on(rules, seed, deal, number):
    """No card is lost or doubled in it, and play goes on to the end as it must."""
    pick = np.random.default_rng(seed)
    *_, state = (state for count, state in zip(range(number + 1), whole_game(rules, seed, deal)))
    if state["seat"] == OVER:
        return
    view, guessed = view_of(state, int(state["seat"])), new_state(**rules)
    techu.guess(view, guessed)
    for seat in (BLACK, RED):
        cards = ranks_of(guessed["hand"][seat]) + ranks_of(guessed["discards"][seat]) + deck(guessed, seat)
        assert Counter(cards + ranks_of(guessed["table"]["played"][seat])) == TWO_OF_EACH
        assert len(ranks_of(guessed["hand"][seat])) == guessed["table"]["hand_size"][seat]
    while guessed["seat"] != OVER:
        moves = legal_moves(guessed)
        techu.step(guessed, moves[int(pick.integers(len(moves)))])
    assert guessed["table"]["turn"] == 2 * (26 - guessed["table"]["k"])
    assert guessed["last_actor"] == 1 - guessed["table"]["first_mover"]


def test_guesses_reach_every_hand_alike():
    """Which cards the guessed opponent holds: each unseen card as often as its copies say."""
    if PLAIN:
        pytest.skip("thousands of guesses take minutes without the compiler")
    state = techu_state.position({(0, 2): (BLACK, 7), (4, 2): (RED, 9)}, [[2, 3, 4], [5, 6]], [[8, 9], [10] * 3])
    view, guessed = view_of(state, BLACK), new_state()
    # Red's unseen cards: make them 2, 2, 3, 3, 4 by taking all others for played.
    view["table"]["played"][RED] = techu.PAIRS - (2 << 8) - (2 << 12) - (1 << 16)
    view["table"]["played"][BLACK] = techu.PAIRS - sum(1 << 4 * rank for rank in (2, 3, 4, 8, 9))
    seen = Counter()
    for _ in range(6000):
        techu.guess(view, guessed)
        seen[tuple(ranks_of(guessed["hand"][RED]))] += 1
    # exact: of 10 pairs of 5 cards, 4 are {2,3}, 2 each {2,4} and {3,4}, 1 each {2,2} and {3,3}
    for hand, ways in {(2, 3): 4, (2, 4): 2, (3, 4): 2, (2, 2): 1, (3, 3): 1}.items():
        share = ways / 10
        assert abs(seen[hand] / 6000 - share) < 4 * (share * (1 - share) / 6000) ** 0.5


# ---------------------------------------------------------------------------------------------------------- strategies


def strategies() -> list[str]:
    from simkit.players import known

    return list(known(find("techu")))


@pytest.mark.parametrize("name", strategies())
def test_a_strategy_decides_alike_whatever_is_hidden(name):
    """Every strategy that comes with simkit, at every decision of a few games under random rules."""
    from simkit.play import PARAMS, meet, read_only
    from simkit.players import compile_strategy, read_player

    game = find("techu")
    player = read_player(game, name)
    decide = compile_strategy(player.parts[0].strategy, game)
    params = np.zeros(PARAMS)
    params[: len(player.parts[0].numbers)] = player.parts[0].numbers
    moves = np.zeros(techu.MOST_MOVES, np.int64)
    pick = np.random.default_rng(7)
    for deal in range(1 if PLAIN else 6):
        rules = {"discard_visibility": ("open", "hidden")[deal % 2], "hand_size": 1 + deal % 5}
        state = new_state(seed=5, deal=deal, **rules)
        views = [new_view(state), new_view(state)]
        for seat, view in enumerate(views):
            view["seat"], view["params"] = seat, params
            meet(view, 5, deal, SEAT)
        techu.start(state)
        while state["seat"] != OVER:
            seat = int(state["seat"])
            n = int(techu.legal(state, moves))
            techu.observe(state, seat, views[seat])
            other, twin = state.copy(), views[seat].copy()
            chosen = int(decide(views[seat], read_only(moves), n))
            swap_hidden(other, seat, pick)
            techu.observe(other, seat, twin)
            assert 0 <= chosen < n
            assert int(decide(twin, read_only(moves), n)) == chosen
            techu.step(state, moves[chosen])
