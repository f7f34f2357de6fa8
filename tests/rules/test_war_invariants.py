"""What always holds in War (docs/rules/war.md, section 13), whatever the rules and the deal."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from simkit.game import CAPPED, DRAW, ENDLESS, WIN
from simkit.games import war
from simkit.simulate import Engine, make_plan
from tests import war_state
from tests.strategies import deals, seeds, war_games

EXAMPLES = settings(max_examples=150)


def begin(game: str, rules: dict[str, Any], seed: int, deal: int) -> Any:
    state = war_state.new_state(game, rules, seed=seed, deal=deal, watch=1)
    war.start(state)
    return state


def chooser(seed: int):
    """Moves for winners who may choose the pick-up order."""
    moves = np.random.default_rng(seed)
    return lambda winner: int(moves.integers(5))


def owned(state: Any) -> list[int]:
    return [len(packet) + len(pile) for packet, pile in zip(war_state.packets(state), war_state.side_piles(state), strict=True)]


def whole_deck(rules: dict[str, Any], players: int) -> Counter:
    """Every card of the deck, but the twos that were taken out before the deal."""
    deck = Counter({rank: rules["copies"] for rank in range(2, rules["ranks"] + 2)})
    if rules["leftover"] == "remove_twos":
        deck[2] -= rules["ranks"] * rules["copies"] % players
    return +deck


def everywhere(state: Any, rules: dict[str, Any]) -> Counter:
    """Packets, side piles, carried cards, set-aside cards; and the pot, where a draw left it on the table."""
    cards: Counter = Counter(war_state.carried(state))
    places = war_state.packets(state) + war_state.side_piles(state)
    if state["outcome"] == DRAW and not state["capped"]:
        places += war_state.laid(state)
    for place in places:
        cards.update(place)
    if rules["leftover"] == "set_aside":
        first = int(state["dealt"])
        cards.update(int(card) for card in state["deck"][first : first + int(state["left"])])
    return cards


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_1_no_card_is_lost_or_doubled(setting, seed, deal):
    game, rules = setting
    state = begin(game, rules, seed, deal)
    deck = whole_deck(rules, rules["players"])
    assert everywhere(state, rules) == deck

    for after in war_state.watched(state, chooser(seed)):
        assert everywhere(after, rules) == deck


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_2_who_is_out_never_owns_a_card_again(setting, seed, deal):
    game, rules = setting
    state = begin(game, rules, seed, deal)
    out: dict[int, int] = {}

    for after in war_state.watched(state, chooser(seed)):
        have = owned(after)
        battle = int(after["table"]["battles"])
        for seat in range(rules["players"]):
            if seat in out:
                assert have[seat] == 0
                assert int(after["out"][seat]) == out[seat]
            elif have[seat] == 0:
                out[seat] = battle
                assert int(after["out"][seat]) == battle
            else:
                assert int(after["out"][seat]) == 0


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_3_a_battle_without_war_takes_one_card_each(setting, seed, deal):
    game, rules = setting
    state = begin(game, rules, seed, deal)
    before, lying, wars = owned(state), len(war_state.carried(state)), 0

    for after in war_state.watched(state, chooser(seed)):
        if int(after["wars"]) == wars:
            assert [len(cards) for cards in war_state.laid(after)] == [int(cards > 0) for cards in before]
            assert int(after["table"]["pot_size"]) == sum(cards > 0 for cards in before) + lying
            assert int(after["table"]["depth"]) == 0
        before, lying, wars = owned(after), len(war_state.carried(after)), int(after["wars"])


def size(rules: dict[str, Any], rank: int) -> int:
    """Section 6: cards each lays in a Război war tied at this rank."""
    if rank <= 10:
        return rank
    if rank == 14:
        return rules["ace_war_size"]
    return rank if rules["face_war_size"] == "rank" else 10


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_4_the_pot_of_a_war_in_which_nobody_is_short(setting, seed, deal):
    """Two players, rounds tied at ranks r1, r2, …: 2 cards and twice what each lays in each round."""
    game, rules = setting
    if rules["players"] != 2:
        return
    state = begin(game, rules, seed, deal)
    before, lying = owned(state), len(war_state.carried(state))

    for after in war_state.watched(state, chooser(seed)):
        depth, (ours, theirs) = int(after["table"]["depth"]), war_state.laid(after)
        first = ours[0]
        expected, place = 1, 0
        for _ in range(depth):
            if place >= min(len(ours), len(theirs)):
                break
            assert ours[place] == theirs[place]  # a tie, or there would be no further round
            rank = first if rules.get("war_size_source") == "first_tie" else ours[place]
            each = size(rules, rank) if game == "razboi" else rules["face_down"] + 1
            expected += each
            place += each
        if min(before) >= expected:
            event("war" if depth else "no war")
            assert int(after["table"]["pot_size"]) == 2 * expected + lying
            if game == "war" and rules["face_down"] == 3 and lying == 0:
                assert int(after["table"]["pot_size"]) == 2 + 8 * depth
        before, lying = owned(after), len(war_state.carried(after))


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_5_wars_rounds_and_the_rest_of_the_record_add_up(setting, seed, deal):
    """The record, kept again here battle by battle from what lies on the table."""
    game, rules = setting
    state = begin(game, rules, seed, deal)
    wars = rounds = deepest = biggest = won = changes = last_change = 0
    leader, history = None, []

    for after in war_state.watched(state, chooser(seed)):
        assert int(after["wars"]) - wars == int(int(after["first_tied"]) != 0)  # one war a battle, however many rounds
        wars, depth = int(after["wars"]), int(after["table"]["depth"])
        rounds, deepest = rounds + depth, max(deepest, depth)
        biggest = max(biggest, int(after["table"]["pot_size"]))
        won += int(int(after["table"]["winner"]) >= 0)
        have = owned(after)
        history.append(have)
        leaders = [seat for seat, cards in enumerate(have) if cards == max(have)]
        if len(leaders) == 1:
            if leader is not None and leader != leaders[0]:
                changes, last_change = changes + 1, len(history)
            leader = leaders[0]
    row = war_state.row(state, game)
    players = range(rules["players"])

    assert row["war_rounds"] >= row["wars"] - row["deadlocks"]
    assert row["deepest_war"] <= row["war_rounds"]
    assert (row["wars"], row["war_rounds"], row["deepest_war"], row["biggest_pot"]) == (wars, rounds, deepest, biggest)
    assert row["battles"] == len(history)
    assert sum(row[f"battles_won_{seat}"] for seat in players) == won
    assert sum(row[f"wars_by_rank_{rank}"] for rank in range(2, 17)) == wars
    assert row["bystander_wars"] <= sum(row[f"wars_won_{seat}"] for seat in players) <= wars
    assert (row["lead_changes"], row["last_lead_change"]) == (changes, last_change)
    for seat in players:
        assert row[f"most_cards_{seat}"] == max(have[seat] for have in history)
        assert row[f"fewest_cards_{seat}"] == min(have[seat] for have in history)
        assert row[f"cards_at_end_{seat}"] == history[-1][seat]


@EXAMPLES
@given(war_games(), seeds, deals)
def test_invariant_6_exactly_one_outcome(setting, seed, deal):
    game, rules = setting
    state = begin(game, rules, seed, deal)
    for _ in war_state.watched(state, chooser(seed)):
        pass
    row, have, seats = war_state.row(state, game), owned(state), range(rules["players"])
    in_play = sum(whole_deck(rules, rules["players"]).values()) - (int(state["left"]) if rules["leftover"] == "set_aside" else 0)
    event(f"outcome {row['outcome']}")

    assert row["outcome"] in (WIN, DRAW, ENDLESS, CAPPED)
    assert (row["winner"] >= 0) == (row["outcome"] == WIN)
    assert (row["draw_seats"] > 0) == (row["outcome"] == DRAW)
    assert row["capped"] == int(
        row["outcome"] == CAPPED
        or (row["battles"] == rules["max_battles"] and sum(cards > 0 for cards in have) > 1 and row["outcome"] != ENDLESS)
    )
    assert row["battles"] <= rules["max_battles"]
    assert [row[f"payoff_{seat}"] for seat in seats] == [2 if seat == row["winner"] else row["draw_seats"] >> seat & 1 for seat in seats]
    if row["outcome"] == WIN and not row["capped"]:
        assert have[row["winner"]] == in_play == sum(have)
    if row["outcome"] == DRAW and not row["capped"]:
        assert sum(have) == 0
    if row["outcome"] == CAPPED:
        assert rules["cap_result"] == "no_result"
    for seat in seats:
        best = seat == row["winner"] or row["draw_seats"] >> seat & 1
        assert (row[f"place_{seat}"] == 1) == bool(best)
        assert (row[f"place_{seat}"] == 0) == (have[seat] > 0 and not best)


SYMMETRIC = [
    ("war", {}),
    ("war", {"pickup_order": "winner_first"}),
    ("war", {"pickup_order": "losers_first", "short_war_rule": "lose"}),
    ("war", {"pickup_order": "coin", "face_down": 1, "short_war_rule": "last_card_or_lose"}),
    ("war", {"pickup_order": "side_pile", "ranks": 6}),
    ("war", {"pickup_order": "high_first", "ranks": 8, "copies": 3}),
    ("war", {"pickup_order": "player_choice", "ranks": 6, "copies": 3}),
    ("war", {"max_battles": 30, "cap_result": "most_cards"}),
    ("war-multi", {"ranks": 8}),
    ("war-multi", {"ranks": 7, "players": 4, "war_participants": "tied", "pickup_order": "coin"}),
    ("war-multi", {"ranks": 5, "leftover": "first_pot", "short_war_rule": "lose", "pickup_order": "winner_first"}),
    (
        "war-multi",
        {"ranks": 5, "copies": 3, "players": 4, "deadlock_rule": "lot", "short_war_rule": "equal_force", "pickup_order": "losers_first"},
    ),
    ("razboi", {}),
    ("razboi", {"players": 4, "ranks": 9, "pickup_order": "side_pile"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "rules"), SYMMETRIC)
def test_invariant_7_all_seats_win_equally_often(game, rules):
    """200,000 games with equal strategies: every seat's wins within 4 standard errors of its share of all wins."""
    plan = make_plan(game, rules=rules, players="random", games=200_000, seed=77, columns="winner")
    part = Engine(plan).play(0, plan.games, np.zeros(1, np.int64))
    counts = part.tally.counts("winner")
    wins = np.array([counts.games[counts.values == seat].sum() for seat in range(plan.seats)])
    total, share = wins.sum(), 1 / plan.seats

    assert total > 100_000
    assert np.abs(wins - total * share).max() < 4 * sqrt(total * share * (1 - share))


@EXAMPLES
@given(war_games(), seeds, deals, st.randoms(use_true_random=False))
def test_section_10_the_view_does_not_change_when_hidden_cards_are_swapped(setting, seed, deal, shuffler):
    """Whoever looks, the order of the packets and side piles, and the cards set aside, make no difference."""
    game, rules = setting
    rules["pickup_order"] = "player_choice"
    state = begin(game, rules, seed, deal)
    war.step(state, 0)
    if state["seat"] < 0:
        return  # drawn at once
    winner = int(state["seat"])
    before = [view_of(state, seat) for seat in range(rules["players"])]
    laid = war_state.laid(state)
    pot = [card for step in range(rules["players"]) for card in laid[(winner + step) % rules["players"]]] + war_state.carried(state)
    for seat in range(rules["players"]):
        cards = war_state.packet(state, seat)
        shuffler.shuffle(cards)
        head = int(state["head"][seat])
        for k, card in enumerate(cards):
            state["packet"][seat, (head + k) % war.RING] = card
    state["deck"][:] = 0

    after = [view_of(state, seat) for seat in range(rules["players"])]
    assert [view.tobytes() for view in before] == [view.tobytes() for view in after]
    assert after[winner]["pot"][: len(pot)].tolist() == pot
    assert not any(after[seat]["pot"].any() for seat in range(rules["players"]) if seat != winner)


def view_of(state: Any, seat: int) -> Any:
    view = war_state.one(war.VIEW)
    war.observe(state, seat, view)
    return view
