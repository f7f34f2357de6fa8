"""What always holds in Stealing War (docs/rules/war.md, sections 10 and 13), whatever the rules and the deal: cards, views, guesses."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.game import CAPPED, DRAW, OVER, WIN
from simkit.games import find, stealing_war
from simkit.games.stealing_war import COMMIT, FOUGHT, LOOK, TOP, WIDTH
from simkit.jit import PLAIN
from simkit.rng import SEAT
from tests.stealing_state import (
    all_cards,
    carried,
    hidden_cards,
    laid,
    legal_moves,
    new_state,
    new_view,
    packed,
    packets,
    piles,
    played,
    ranks_of,
    row,
    told,
    view_of,
)  # fmt: skip
from tests.strategies import deals, seeds, stealing_war_rules

pytestmark = pytest.mark.modes

EXAMPLES = settings(max_examples=3 if PLAIN else 30)


def choosing(seed: int, deal: int, eager: float = 0.5):
    """A player that commits now and then, and otherwise makes any move."""
    pick = np.random.default_rng([seed, deal])
    return lambda seat, kind, legal, card: legal[int(pick.integers(len(legal)))] if kind == TOP or pick.random() < eager else legal[-1]


def whole_game(rules: dict[str, Any], seed: int, deal: int, watch: int = 0):
    """A game seen at every decision (and, watched, at every steal and after every battle) and at the end."""
    return played(new_state(seed=seed, deal=deal, watch=watch, **rules), choosing(seed, deal))


def decisions(rules: dict[str, Any], seed: int, deal: int):
    """A game at every decision."""
    return (state for state in whole_game(rules, seed, deal) if state["seat"] >= 0)


# ------------------------------------------------------------------------------------------------------ invariants (13)


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_invariant_1_no_card_is_lost_or_doubled(rules, seed, deal):
    deck = None
    for state in whole_game(rules, seed, deal, watch=1):
        cards = all_cards(state)
        deck = deck or cards
        assert cards == deck
        for seat, (packet, pile) in enumerate(zip(packets(state), piles(state), strict=True)):
            assert state["inside"][seat] == packed(packet)
            assert state["table"]["pile_cards"][seat] == packed(pile)
            assert state["table"]["top"][seat] == (pile or [0])[0]
    dropped = rules["leftover"] == "remove_twos"
    whole = rules["ranks"] * rules["copies"] + 2
    assert deck.total() == whole - (whole % rules["players"] if dropped else 0)


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_invariant_2_who_is_out_stays_out(rules, seed, deal):
    out: set[int] = set()
    for state in whole_game(rules, seed, deal, watch=1):
        if state["event"] != FOUGHT or state["seat"] >= 0:
            continue
        owns = {seat for seat in range(rules["players"]) if packets(state)[seat] or piles(state)[seat]}
        assert not owns & out
        out = set(range(rules["players"])) - owns
        assert all((row(state)[f"out_{seat}"] > 0) == (seat in out) for seat in range(rules["players"]))


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_invariant_3_a_battle_without_war(rules, seed, deal):
    """One card of every active player, and what was carried."""
    for state in whole_game(rules, seed, deal, watch=1):
        if state["event"] == FOUGHT and state["seat"] < 0 and state["table"]["winner"] >= 0 and not state["table"]["first_tied"]:
            assert all(int(state["table"]["laid_size"][seat]) <= 1 for seat in range(rules["players"]))
            assert sum(len(laid(state, seat)) for seat in range(rules["players"])) == state["table"]["active"]
            assert len(ranks_of(state["table"]["pot"])) >= state["table"]["active"]


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_invariants_5_and_6_the_record_and_the_end(rules, seed, deal):
    *_, state = whole_game(rules, seed, deal)
    found, seats = row(state), range(rules["players"])

    assert found["war_rounds"] >= found["wars"] - found["deadlocks"]
    assert found["deepest_war"] <= found["war_rounds"]
    assert found["outcome"] in (WIN, DRAW, CAPPED)
    assert (found["outcome"] == WIN) == (found["winner"] >= 0)
    assert (found["outcome"] == DRAW) == (found["draw_seats"] > 0)
    assert sum(found[f"battles_won_{seat}"] for seat in seats) <= found["battles"]
    assert sum(found[f"wars_by_rank_{rank}"] for rank in range(2, 17)) == found["wars"]
    for seat in seats:
        assert found[f"wars_won_{seat}"] <= found["wars"]
        assert found[f"steals_{seat}"] <= found[f"piles_stolen_{seat}"] <= found[f"cards_stolen_{seat}"]
        assert found[f"fewest_cards_{seat}"] <= found[f"cards_at_end_{seat}"] <= found[f"most_cards_{seat}"]
    if not found["capped"]:
        if found["outcome"] == WIN:
            assert all(not packets(state)[seat] and not piles(state)[seat] for seat in seats if seat != found["winner"])
            assert not carried(state)
        else:
            assert not any(packets(state))
            assert not any(piles(state))
        assert sorted(found[f"place_{seat}"] for seat in seats)[0] == 1


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_invariant_8_steals(rules, seed, deal):
    """And the new pile is, top to bottom: the card, each stolen pile clockwise from the thief, the old pile."""
    pick = choosing(seed, deal)
    state = new_state(seed=seed, deal=deal, watch=1, **rules)
    stealing_war.start(state)
    seats = rules["players"]
    while state["seat"] != OVER:
        seat, legal, card = int(state["seat"]), legal_moves(state), int(state["card"])
        if seat < 0 or state["decision"] != LOOK:
            stealing_war.step(state, legal[-1] if legal else 0)
            continue
        before = piles(state)
        held = len(packets(state)[seat])
        move = pick(seat, LOOK, legal, card)
        stealing_war.step(state, move)
        if move == COMMIT:
            continue
        victims = [v % seats for v in range(seat + 1, seat + seats) if move >> v % seats & 1]
        expected = [card, *(c for v in victims for c in before[v]), *before[seat]]
        assert all(before[v][0] == card and piles(state)[v] == [] for v in victims)
        if held > 0 or (rules["war_steal"] == "forfeit" and state["table"]["depth"] > 0):
            assert piles(state)[seat] == expected
        else:  # refill (iii)
            assert piles(state)[seat] == []
            assert Counter(packets(state)[seat]) == Counter(expected)


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_legal_moves_are_those_of_the_rules(rules, seed, deal):
    """5.2 and 5.4 anew."""
    for state in decisions(rules, seed, deal):
        seat, seats = int(state["seat"]), range(rules["players"])
        if state["decision"] == TOP:
            pot = [card for s in seats for card in laid(state, s)] + carried(state)
            assert legal_moves(state) == sorted(set(pot))
            assert len(set(pot)) > 1
            continue
        limit = rules["piles_per_card"] or rules["players"] - 1
        tops = [pile[0] if pile else 0 for pile in piles(state)]
        sets = [[v for v in seats if mask >> v & 1] for mask in range(1, 2 ** rules["players"])]
        steals = [
            sum(1 << v for v in victims)
            for victims in sets
            if len(victims) <= limit and all(v != seat and tops[v] == state["card"] for v in victims)
        ]
        assert legal_moves(state) == [COMMIT, *steals]
        assert steals


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_a_watched_game_is_the_same_game(rules, seed, deal):
    *_, plain = whole_game(rules, seed, deal)
    *_, watched = whole_game(rules, seed, deal, watch=1)

    assert row(plain) == row(watched)
    assert plain["table"].tobytes() == watched["table"].tobytes()


# -------------------------------------------------------------------------------------------------- what is seen (10)


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_the_table_tells_what_every_hidden_card_is_one_of(rules, seed, deal):
    """What was never shown, and what refilled packets still hide, make up all cards that lie hidden, no more and no less."""
    for state in decisions(rules, seed, deal):
        table = state["table"]
        assert told(table, rules["players"]) == hidden_cards(state)
        for seat in range(rules["players"]):
            packet = Counter(packets(state)[seat])
            source = table["unseen"] if int(table["first_packet"]) >> seat & 1 else table["known"][seat]
            assert packet <= Counter(ranks_of(source))
            if state["decision"] == TOP and not int(table["first_packet"]) >> seat & 1:
                assert packet == Counter(ranks_of(table["known"][seat]))


def hidden_places(state: Any, seat: int) -> tuple[list, list]:
    """Where cards of a seat's latest packet lie unseen by the seat to act: (array, index) pairs, face down ones apart."""
    table = state["table"]
    held, size = int(table["held"][seat]), int(table["laid_size"][seat])
    places = [(state["packet"][seat], k) for k in range(WIDTH - held, WIDTH)]
    if int(table["committed"]) >> seat & 1:
        places.append((state["laid"][seat], size))
    down = [(state["laid"][seat], k) for k in range(size) if table["shown"][seat, k] == 0]
    down += [
        (state["carried"], k) for k in range(int(table["carried_size"])) if table["carried"][k] == 0 and table["carried_by"][k] == seat
    ]
    return places, down


def swap_hidden(state: Any, pick: np.random.Generator) -> int:
    """Permute what the seat to act cannot know. Returns how many cards may have moved.

    Packets dealt, what lies face down from them, and what is set aside are one pool; a refilled packet with all that lies
    face down from it is another. (Where a seat has face-down cards of several packets, those are left alone.)
    """
    table, seats = state["table"], int(state["seats"])
    pools, dealt = [], []
    for seat in range(seats):
        places, down = hidden_places(state, seat)
        looked = int(seat == state["seat"] and state["card"] > 0)
        if int(table["first_packet"]) >> seat & 1:
            dealt += places + down
        elif len(places) + len(down) + looked == len(ranks_of(table["known"][seat])):
            pools.append(places + down)
        else:
            pools.append(places)
    dealt += [(state["carried"], k) for k in range(int(table["carried_size"])) if table["carried"][k] == 0 and table["carried_by"][k] == 4]
    aside = np.array(ranks_of(state["aside"]), np.int64)
    pools.append(dealt + [(aside, k) for k in range(len(aside))])
    for pool in pools:
        cards = [int(array[k]) for array, k in pool]
        for (array, k), card in zip(pool, pick.permutation(cards), strict=True):
            array[k] = card
    state["aside"] = packed(aside)
    for seat in range(seats):
        state["inside"][seat] = packed(packets(state)[seat])
    return sum(len(pool) for pool in pools)


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_a_view_does_not_change_when_hidden_cards_are_permuted(rules, seed, deal):
    """So no strategy, ours or another, can know them: it sees nothing but its view and its legal moves."""
    pick, moved = np.random.default_rng(seed), 0
    for state in decisions(rules, seed, deal):
        before, moves, cards = view_of(state).tobytes(), legal_moves(state), all_cards(state)
        other = state.copy()
        moved += swap_hidden(other, pick)
        assert all_cards(other) == cards
        assert view_of(other).tobytes() == before
        assert legal_moves(other) == moves


@EXAMPLES
@given(stealing_war_rules(), seeds, deals)
def test_a_guess_gives_the_same_view(rules, seed, deal):
    guessed = new_state(**rules)
    for number, state in enumerate(decisions(rules, seed, deal)):
        view = view_of(state)
        view["rng"][0] = number
        before = view.copy()
        stealing_war.guess(view, guessed)
        again = new_view(guessed)
        stealing_war.observe(guessed, int(guessed["seat"]), again)
        again["rng"] = before["rng"]
        assert again.tobytes() == before.tobytes()
        assert legal_moves(guessed) == legal_moves(state)
        assert all_cards(guessed) == all_cards(state)
        assert hidden_cards(guessed) == told(guessed["table"], rules["players"])
        for seat in range(rules["players"]):
            assert guessed["inside"][seat] == packed(packets(guessed)[seat])


@EXAMPLES
@given(stealing_war_rules(), seeds, deals, st.integers(0, 80))
def test_a_guess_is_a_state_that_can_be_played_on(rules, seed, deal, number):
    """No card is lost or doubled, what is known stays so, and play comes to its end."""
    *_, state = (state for count, state in zip(range(number + 1), whole_game(rules, seed, deal)))
    if state["seat"] < 0:
        return
    view, guessed, cards = view_of(state), new_state(**rules), all_cards(state)
    stealing_war.guess(view, guessed)
    choose = choosing(seed, deal)
    while guessed["seat"] != OVER:
        assert told(guessed["table"], rules["players"]) == hidden_cards(guessed)
        stealing_war.step(guessed, choose(int(guessed["seat"]), int(guessed["decision"]), legal_moves(guessed), 0))
    assert all_cards(guessed) == cards
    assert guessed["outcome"] >= 0


def test_guesses_are_all_alike_likely():
    """Which card B's packet of two has in front, of three that a refill made known and of which one is committed."""
    if PLAIN:
        pytest.skip("thousands of guesses take minutes without the compiler")
    state = new_state(steal_priority="seat", watch=1)
    stealing_war.start(state)
    while state["seat"] < 0 or state["decision"] != LOOK:
        stealing_war.step(state, legal_moves(state)[-1] if state["seat"] >= 0 else 0)
    view, guessed, seen = view_of(state), new_state(), Counter()
    seat = int(state["seat"])
    other = 1 - seat
    pool = ranks_of(view["table"]["unseen"])
    pool.remove(int(view["card"]))
    for _ in range(6000):
        stealing_war.guess(view, guessed)
        seen[packets(guessed)[other][0]] += 1
    for rank, copies in Counter(pool).items():
        share = copies / len(pool)
        assert abs(seen[rank] / 6000 - share) < 4 * (share * (1 - share) / 6000) ** 0.5


# ---------------------------------------------------------------------------------------------------------- strategies


def strategies() -> list[str]:
    from simkit.players import known

    return list(known(find("stealing-war")))


@pytest.mark.parametrize("name", strategies())
def test_a_strategy_decides_alike_whatever_is_hidden(name):
    """Every strategy that comes with simkit, at every decision that it serves, in a few games under several rules."""
    from simkit.play import PARAMS, meet, read_only
    from simkit.players import compile_strategy, known

    game = find("stealing-war")
    parts = [known(game)[name].serves(decision) for decision in game.decisions]
    decide = [compile_strategy(part or known(game)["random"], game) for part in parts]
    moves = np.zeros(stealing_war.MOST_MOVES, np.int64)
    pick = np.random.default_rng(7)
    for deal in range(1 if PLAIN else 8):
        rules = {"players": 2 + deal % 3, "war_participants": ("all", "tied")[deal % 2], "face_down": (3, 6)[deal % 2], "max_battles": 200}
        state = new_state(seed=5, deal=deal, **rules)
        views = [new_view(state) for _ in range(rules["players"])]
        for seat, view in enumerate(views):
            view["seat"] = seat
            meet(view, 5, deal, SEAT)
        stealing_war.start(state)
        stealing_war.step(state, 0)
        while state["seat"] != OVER:
            seat, kind = int(state["seat"]), int(state["decision"])
            numbers = list(parts[kind].numbers.values()) if parts[kind] else []
            views[seat]["params"] = numbers + [0.0] * (PARAMS - len(numbers))
            n = int(stealing_war.legal(state, moves))
            stealing_war.observe(state, seat, views[seat])
            other, twin = state.copy(), views[seat].copy()
            chosen = int(decide[kind](views[seat], read_only(moves), n))
            swap_hidden(other, pick)
            stealing_war.observe(other, seat, twin)
            assert 0 <= chosen < n
            assert int(decide[kind](twin, read_only(moves), n)) == chosen
            stealing_war.step(state, moves[chosen])
