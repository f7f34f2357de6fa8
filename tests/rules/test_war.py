"""The rules page of War (docs/rules/war.md) put to the test: its worked examples under their numbers, its decisions, its parameters.

The worked examples are asked of the kernel and of its slow twin. As on the page, packets are listed front first, the
order of pick-up is `winner_first`, and players are called A, B, C in seat order.
"""

from __future__ import annotations

import numpy as np
import pytest

from simkit.game import CAPPED, DRAW, ENDLESS, OVER, WIN, BadInput
from simkit.games import find, war
from simkit.simulate import Engine, make_plan
from tests import war_state
from tests.war_state import KERNEL, REFERENCE, A, J, K, Q

pytestmark = pytest.mark.modes
many_games = pytest.mark.skipif(war_state.PLAIN, reason="thousands of games take minutes without the compiler")


@pytest.fixture(params=[KERNEL, REFERENCE], ids=lambda implementation: implementation.name)
def play(request):
    """One of the two implementations: `play.battle(packets, …)` and `play.whole(packets, …)`."""
    return request.param


def record(found, *names):
    return tuple(found.row[name] for name in names)


# --------------------------------------------------------------------------------------------- worked examples (12)


def test_example_01_plain(play):
    after = play.battle([[K, 3, 4], [7, 5, 6]])

    assert after.packets == [[3, 4, K, 7], [5, 6]]
    assert record(after, "battles", "wars", "battles_won_0", "battles_won_1") == (1, 0, 1, 0)


def test_example_02_war(play):
    after = play.battle([[8, 2, 3, 4, Q, 5], [8, 9, 9, 10, J, 6]])

    assert after.packets == [[5, 8, 2, 3, 4, Q, 8, 9, 9, 10, J], [6]]
    assert after.pot == 10
    assert record(after, "wars", "deepest_war", "biggest_pot", "wars_won_0", "wars_by_rank_8") == (1, 1, 10, 1, 1)


def test_example_03_double_war(play):
    after = play.battle([[6, 2, 2, 3, J, 4, 4, 5, K, 7], [6, 9, 9, 10, J, 8, 8, 10, 5, 3]])

    assert after.packets == [[7, 6, 2, 2, 3, J, 4, 4, 5, K, 6, 9, 9, 10, J, 8, 8, 10, 5], [3]]
    assert after.pot == 18
    assert record(after, "wars", "war_rounds", "wars_by_rank_6", "wars_by_rank_11") == (1, 2, 1, 0)


def test_example_04_short(play):
    after = play.whole([[9, 4], [9, 2, 3, 5, J, 6]])

    assert after.packets == [[], [6, 9, 2, 3, 5, J, 9, 4]]
    assert after.pot == 7
    assert record(after, "outcome", "winner", "battles", "short_events", "stand_events") == (WIN, 1, 1, 1, 0)


def test_example_05_no_card_stands_and_wins(play):
    after = play.battle([[9], [9, 2, 3, 5, 6, K]])

    assert after.packets == [[9, 9, 2, 3, 5, 6], [K]]
    assert record(after, "stand_events", "short_events", "battles_won_0") == (1, 0, 1)


def test_example_06_stands_and_loses(play):
    after = play.whole([[9, 5], [9, 2, 3, 4, 5, 7, 8, 6, Q, K]])

    assert after.packets[0] == []
    assert after.pot == 11
    assert record(after, "winner", "wars", "deepest_war", "war_rounds", "short_events", "stand_events") == (1, 1, 2, 2, 1, 1)


def test_example_07_both_out(play):
    after = play.whole([[9], [9]])

    assert after.packets == [[], []]
    assert record(after, "outcome", "winner", "draw_seats", "wars", "war_rounds", "deadlocks") == (DRAW, -1, 0b11, 1, 0, 1)
    assert record(after, "payoff_0", "payoff_1", "place_0", "place_1", "out_0", "out_1") == (1, 1, 1, 1, 1, 1)


def test_example_08_rule_lose(play):
    after = play.whole([[9, 4], [9, 2, 3, 5, J, 6]], short_war_rule="lose")
    both = play.whole([[9, 2, 2], [9, 3, 3]], short_war_rule="lose")

    assert after.packets == [[], [3, 5, J, 6, 9, 2, 9, 4]]
    assert record(after, "outcome", "winner", "war_rounds", "short_events") == (WIN, 1, 1, 1)
    assert record(both, "outcome", "draw_seats", "war_rounds", "deadlocks", "short_events") == (DRAW, 0b11, 1, 1, 2)


def test_example_09_three_players_all(play):
    packets = [[K, 2, 3, 7], [K, 5, 4, 8], [5, J, 9, 6]]

    everybody = play.battle(packets, "war-multi")
    assert everybody.packets == [[7], [8], [6, 5, J, 9, K, 2, 3, K, 5, 4]]
    assert everybody.pot == 9
    assert record(everybody, "bystander_wars", "wars_won_2") == (1, 1)

    tied = play.battle(packets, "war-multi", war_participants="tied")
    assert tied.packets == [[7], [8, K, 5, 4, 5, K, 2, 3], [J, 9, 6]]
    assert tied.pot == 7
    assert record(tied, "bystander_wars", "wars_won_1") == (0, 1)


def test_example_10_tie_below_the_top(play):
    after = play.battle([[10, 2], [4, 3], [4, 5]], "war-multi")

    assert after.packets == [[2, 10, 4, 4], [3], [5]]
    assert record(after, "wars", "war_rounds") == (0, 0)


def test_example_11_carry(play):
    alone = play.whole([[K], [K], [5, 7, 8]], "war-multi")
    assert (alone.packets, alone.carried) == ([[], [], [7, 8, K, K, 5]], [])
    assert record(alone, "outcome", "winner", "deadlocks", "place_0", "place_1", "place_2") == (WIN, 2, 1, 2, 2, 1)

    nobody = play.whole([[K], [K], [5]], "war-multi")
    assert nobody.packets == [[], [], []]
    assert record(nobody, "outcome", "draw_seats", "place_0", "place_1", "place_2", "payoff_2") == (DRAW, 0b011, 1, 1, 3, 0)


def test_example_12_standing_card_in_a_three_player_war(play):
    after = play.whole([[K, 3], [K], [5, 7, 9]], "war-multi")

    assert after.packets == [[], [K, 5, 7, 9, K, 3], []]
    assert after.pot == 6
    assert record(after, "outcome", "winner", "short_events", "stand_events", "wars_won_1") == (WIN, 1, 1, 1, 1)


def test_example_13_razboi_8(play):
    after = play.battle([[8, 2, 3, 4, 5, 6, 7, 9, J, K], [8, A, A, A, A, Q, Q, Q, 10, 2]], "razboi")

    assert after.pot == 18
    assert after.packets[0][0] == K
    assert [len(packet) for packet in after.packets] == [19, 1]
    assert after.packets[1] == [2]
    assert record(after, "short_events", "wars_by_rank_8") == (0, 1)


@pytest.mark.parametrize(("rank", "pot"), [(2, 6), (3, 8), (10, 22), (J, 22), (Q, 22), (K, 22), (A, 24)])
def test_example_14_razboi_sizes(play, rank, pot):
    after = play.battle([[rank, *[4] * 12], [rank, *[3] * 12]], "razboi")

    assert after.pot == pot
    assert record(after, "short_events", "stand_events") == (0, 0)


def test_example_15_razboi_second_tie_and_short(play):
    after = play.whole([[3, 9, J, 4, 2, 2, 5], [3, K, K, 4, 6, 6, 8]], "razboi")

    assert after.pot == 14
    assert after.packets[0] == []
    assert record(after, "winner", "wars", "war_rounds", "short_events") == (1, 1, 2, 2)


def test_example_16_razboi_one_side_short(play):
    after = play.whole([[Q, 4, 9, 2], [Q, 2, 3, 4, 5, 6, 7, 8, 5, 10, 6, 4]], "razboi")

    assert after.pot == 15
    assert after.packets[0] == []
    assert after.packets[1] == [4, Q, 2, 3, 4, 5, 6, 7, 8, 5, 10, 6, Q, 4, 9, 2]
    assert record(after, "winner", "short_events") == (1, 1)


WHOLE_GAMES = [
    ([[9, 4], [9, 2, 3, 5, J, 6]], "war", {}),
    ([[9, 5], [9, 2, 3, 4, 5, 7, 8, 6, Q, K]], "war", {}),
    ([[9], [9]], "war", {}),
    ([[9, 4], [9, 2, 3, 5, J, 6]], "war", {"short_war_rule": "lose"}),
    ([[8, 2, 3, 4, Q, 5], [8, 9, 9, 10, J, 6]], "war", {}),
    ([[6, 2, 2, 3, J, 4, 4, 5, K, 7], [6, 9, 9, 10, J, 8, 8, 10, 5, 3]], "war", {}),
    ([[8, 2, 3, 4, 5, 6, 7, 9, J, K], [8, A, A, A, A, Q, Q, Q, 10, 2]], "razboi", {}),
    ([[3, 9, J, 4, 2, 2, 5], [3, K, K, 4, 6, 6, 8]], "razboi", {}),
]


@pytest.mark.parametrize(("packets", "game", "rules"), WHOLE_GAMES)
@pytest.mark.parametrize(
    "order", ["winner_first", "losers_first", "seat_order", "seat_alternate", "high_first", "low_first", "coin", "shuffled"]
)
def test_examples_played_to_the_end_many_battles_at_once(packets, game, rules, order):
    """Raced, watched and by the twin, the examples' games end alike, card by card."""
    rules = {**rules, "pickup_order": order, "max_battles": 400, "detect_endless": False}
    raced, one_by_one, twin = (
        KERNEL.whole(packets, game, **rules),
        KERNEL.whole(packets, game, watch=1, **rules),
        REFERENCE.whole(packets, game, **rules),
    )

    dealt = [name for name in raced.row if name.startswith(("aces", "strength"))]
    for found in (raced, one_by_one):
        assert found.packets == twin.packets
        assert {name: value for name, value in found.row.items() if name in twin.row and name not in dealt} == {
            name: value for name, value in twin.row.items() if name in found.row and name not in dealt
        }


# --------------------------------------------------------------------------------------------------- setup (2, D3, D4)


def started(game, deck, **changes):
    """The state before the first battle of a given deck."""
    state = war_state.given_deck(game, deck, watch=1, **changes)
    war.start(state)
    return state


def test_rule_2_deals_one_card_at_a_time_the_first_to_the_front():
    state = started("war-multi", [2, 3, 4, 5, 6, 7], ranks=6, copies=1)

    assert war_state.packets(state) == [[2, 5], [3, 6], [4, 7]]


def test_d4_set_aside_leaves_the_undealt_cards_out():
    state = started("war-multi", [2, 3, 4, 5, 6, 7, 8], ranks=7, copies=1)

    assert war_state.packets(state) == [[2, 5], [3, 6], [4, 7]]
    assert war_state.carried(state) == []


def test_d4_first_pot_puts_the_undealt_cards_into_the_first_pot():
    state = started("war-multi", [2, 3, 4, 5, 6, 7, 8, 9], ranks=8, copies=1, leftover="first_pot", pickup_order="winner_first")

    assert war_state.packets(state) == [[2, 5], [3, 6], [4, 7]]
    assert war_state.carried(state) == [8, 9]
    war.step(state, 0)
    assert war_state.packets(state) == [[5], [6], [7, 4, 2, 3, 8, 9]]
    assert war_state.carried(state) == []
    assert int(state["table"]["pot_size"]) == 5


@pytest.mark.parametrize(("players", "twos"), [(3, 3), (4, 4)])
def test_d4_remove_twos_takes_twos_out_before_the_deal(players, twos):
    """52 cards: one 2 fewer for three players, none for four."""
    state = war_state.new_state("war-multi", war_state.rules_of("war-multi", players=players, leftover="remove_twos"), watch=1)
    war.start(state)
    dealt = sorted(card for packet in war_state.packets(state) for card in packet)

    assert dealt == sorted([2] * twos + [rank for rank in range(3, 15) for _ in range(4)])


@many_games
@pytest.mark.parametrize("leftover", ["set_aside", "first_pot", "remove_twos"])
def test_d4_the_winner_owns_all_cards_in_play(leftover):
    """Of 52 cards among three: 51, all 52, or the 51 that are left without a 2."""
    plan = make_plan("war-multi", rules={"leftover": leftover}, games=60, rows=True)
    rows = Engine(plan).play(0, 60, np.zeros(1, np.int64)).rows
    columns = dict(zip(plan.row_cells, rows.T, strict=True))
    most = np.max([columns[f"cards_at_end_{seat}"] for seat in range(3)], axis=0)
    strength = sum(columns[f"strength_{seat}"] for seat in range(3))

    assert set(most[columns["outcome"] == WIN]) == {52 if leftover == "first_pot" else 51}
    if leftover == "remove_twos":
        assert set(strength) == {4 * sum(range(2, 15)) - 2}
    else:
        assert min(strength) < max(strength)


# ----------------------------------------------------------------------------------------------- face-down cards (D1)


@pytest.mark.parametrize("down", range(11))
def test_d1_face_down_cards_of_a_war(play, down):
    after = play.battle([[8, *[2] * 12, 9], [8, *[3] * 12, 9]], face_down=down)

    assert after.pot == 2 + 2 * (down + 1)


# -------------------------------------------------------------------------------------------------- pick-up orders (D2)

POSITION = [[2, 7, 9, 4], [7, 7, 3, 8], [7, 5, 9, 6]]
"""All take part, one down each. Seats 1 and 2 tie at 7; seats 0 and 2 tie at 9; the last cards are 4, 8, 6: seat 1 wins."""

ORDERED = {
    "winner_first": [7, 7, 3, 8, 7, 5, 9, 6, 2, 7, 9, 4, 12, 11],
    "losers_first": [7, 5, 9, 6, 2, 7, 9, 4, 7, 7, 3, 8, 12, 11],
    "seat_order": [2, 7, 9, 4, 7, 7, 3, 8, 7, 5, 9, 6, 12, 11],
    "seat_alternate": [2, 7, 7, 7, 7, 5, 9, 3, 9, 4, 8, 6, 12, 11],
    "high_first": [12, 11, 9, 9, 8, 7, 7, 7, 7, 6, 5, 4, 3, 2],
    "low_first": [2, 3, 4, 5, 6, 7, 7, 7, 7, 8, 9, 9, 11, 12],
}


@pytest.mark.parametrize(("order", "pot"), ORDERED.items())
def test_d2_fixed_orders_with_carried_cards_last(play, order, pot):
    """A pot of two rounds, three seats and two carried cards."""
    after = play.battle(POSITION, "war-multi", carried=[12, 11], pickup_order=order)

    assert after.packets == [[], pot, []]


def test_d2_shuffled_is_a_fresh_random_order():
    """Pots of ten cards come in many orders, of two cards in both, all made of the same cards."""
    packets = [[8, 2, 3, 4, Q, 5], [8, 9, 9, 10, J, 6]]
    found = {tuple(KERNEL.battle(packets, pickup_order="shuffled", seed=seed).packets[0][1:]) for seed in range(50)}
    pairs = [tuple(KERNEL.battle([[K, 3], [7, 5]], pickup_order="shuffled", seed=seed).packets[0][1:]) for seed in range(100)]

    assert len(found) == 50
    assert {tuple(sorted(order)) for order in found} == {tuple(sorted([8, 2, 3, 4, Q, 8, 9, 9, 10, J]))}
    assert set(pairs) == {(K, 7), (7, K)}
    assert 30 <= pairs.count((K, 7)) <= 70


def test_d2_coin_is_one_of_two_orders():
    packets = [[8, 2, 3, 4, Q, 5], [8, 9, 9, 10, J, 6]]
    orders = [tuple(KERNEL.battle(packets, pickup_order="coin", seed=seed).packets[0][1:]) for seed in range(100)]
    first, last = (8, 2, 3, 4, Q, 8, 9, 9, 10, J), (8, 9, 9, 10, J, 8, 2, 3, 4, Q)

    assert set(orders) == {first, last}
    assert 30 <= orders.count(first) <= 70


def test_d2_side_pile_waits_until_the_packet_is_empty():
    """Won cards lie aside; when a card is needed they become the packet, in the middle of a war too."""
    state = war_state.position([[9, 8, 3], [2, 8, 4, 5, 6]], pickup_order="side_pile", face_down=1)
    war.battle(state)
    assert war_state.packets(state) == [[8, 3], [8, 4, 5, 6]]
    assert war_state.side_piles(state) == [[9, 2], []]

    war.battle(state)  # 8 against 8: seat 0 lays the 3, and then the 9 or the 2 from its shuffled side pile
    up = war_state.laid(state)[0][2]
    assert up in (9, 2)
    assert int(state["short_events"]) == 0
    winner = 0 if up == 9 else 1
    assert sorted(war_state.side_piles(state)[winner]) == sorted([8, 3, up, 8, 4, 5])


def test_d2_player_choice_takes_the_winners_word():
    """Each of the five moves is the order of that name."""
    packets = [[8, 2, 3, 4, Q, 5], [8, 9, 9, 10, J, 6]]
    for move, order in enumerate(war.CHOICES):
        state = war_state.position(packets, pickup_order="player_choice")
        assert not war.battle(state)
        assert int(state["seat"]) == 0
        war.step(state, move)
        assert war_state.packets(state)[0] == KERNEL.battle(packets, pickup_order=order).packets[0]


# ------------------------------------------------------------------------------------------- short of cards (3.1, D5)


def test_rule_3_1_last_card_or_lose_a_tied_player_without_a_card_is_out(play):
    after = play.whole([[9], [9, 2, 3, 5, 6, K]], short_war_rule="last_card_or_lose")

    assert after.packets == [[], [2, 3, 5, 6, K, 9, 9]]
    assert record(after, "winner", "war_rounds", "stand_events", "short_events") == (1, 1, 0, 0)


def test_rule_3_1_last_card_or_lose_a_player_outside_the_tie_stands(play):
    """Seat 2's lone 5 is not in the tie at 9, so it stands; then seats 0 and 1 show 2 and 3, and the 5 wins."""
    after = play.battle([[9, 4, 2, 8], [9, 6, 3, 8], [5]], "war-multi", short_war_rule="last_card_or_lose")

    assert after.packets == [[8], [8], [5, 9, 4, 2, 9, 6, 3]]
    assert record(after, "stand_events", "bystander_wars") == (1, 1)


def test_rule_3_1_last_card_up_a_tied_player_outlives_the_round_where_or_lose_does_not(play):
    packets = [[9], [9, 2, 3], [4, 5, 6]]

    assert play.battle(packets, "war-multi").packets == [[9, 9, 2, 3, 4, 5, 6], [], []]
    assert play.battle(packets, "war-multi", short_war_rule="last_card_or_lose").packets == [[], [], [4, 5, 6, 9, 9, 2, 3]]


def test_rule_3_1_lose_drops_players_step_by_step(play):
    """Three down: seat 0 has none for step 1, seat 1 none for step 3; seat 2 is left and lays no more."""
    after = play.whole([[9], [9, 2, 2], [4, 5, 6, 7, 8, 8]], "war-multi", short_war_rule="lose", face_down=3)

    assert after.packets == [[], [], [7, 8, 8, 4, 5, 6, 9, 9, 2, 2]]
    assert record(after, "winner", "war_rounds", "short_events") == (2, 1, 1)


def test_rule_3_1_lose_deadlock_is_among_the_contenders_left(play):
    """Seats 1 and 2 run out at the same step; seat 0, out before, has no part in the draw."""
    after = play.whole([[9], [9, 2, 2], [4, 5, 6]], "war-multi", short_war_rule="lose", face_down=3)

    assert record(after, "outcome", "draw_seats", "deadlocks", "place_0", "place_1", "place_2") == (DRAW, 0b110, 1, 3, 1, 1)


def test_rule_3_1_equal_force_all_lay_what_the_smallest_packet_allows(play):
    """Seat 0 has two cards left, so both lay one down and one up."""
    after = play.battle([[9, 3, 4], [9, 2, 5, 6, 7]], short_war_rule="equal_force")

    assert after.packets == [[], [6, 7, 9, 2, 5, 9, 3, 4]]
    assert record(after, "short_events") == (1,)


def test_rule_3_1_equal_force_without_a_card(play):
    """No card: out of the contenders. One left wins; three players, two left, they lay; none left is a deadlock."""
    won = play.whole([[9], [9, 2, 5, 6, 7]], short_war_rule="equal_force")
    on = play.battle([[9], [9, 2, 5, 6], [3, 4, 8, 6]], "war-multi", short_war_rule="equal_force")
    drawn = play.whole([[9], [9]], short_war_rule="equal_force")

    assert (won.packets, won.pot) == ([[], [2, 5, 6, 7, 9, 9]], 2)
    assert on.packets == [[], [6], [6, 3, 4, 8, 9, 9, 2, 5]]
    assert record(drawn, "outcome", "deadlocks", "war_rounds") == (DRAW, 1, 1)


# --------------------------------------------------------------------------------------- who fights (D7, D8), lots (D9)


def test_d8_tied_keeps_only_those_of_the_latest_tie(play):
    """All three tie, then seats 0 and 1; seat 2 keeps its last cards."""
    packets = [[9, 2, 8, 2, 7, 4], [9, 2, 8, 2, 6, 4], [9, 2, 3, 2, A, 4]]

    assert play.battle(packets, "war-multi", war_participants="tied").packets[0][0:2] == [4, 9]
    assert play.battle(packets, "war-multi", war_participants="tied").packets[2] == [2, A, 4]
    assert play.battle(packets, "war-multi").packets[2][0:2] == [4, 9]


def test_d9_carry_leaves_the_pot_for_the_next_battle(play):
    """Seats 0 and 1 tie without cards. Their pot lies there until seats 2 and 3 fight the next battle."""
    packets = [[K], [K], [5, 8, 2], [6, 7, 3]]
    first = play.battle(packets, "war-multi")
    assert (first.packets, first.carried, first.pot) == ([[], [], [8, 2], [7, 3]], [K, K, 5, 6], 4)
    assert record(first, "deadlocks", "out_0", "out_1", "place_0", "place_1", "wars", "war_rounds") == (1, 1, 1, 3, 3, 1, 0)

    whole = play.whole(packets, "war-multi", max_battles=2)
    assert whole.packets == [[], [], [2, 8, 7, K, K, 5, 6], [3]]
    assert record(whole, "biggest_pot", "battles_won_2") == (6, 1)


def test_d9_lot_gives_the_pot_to_one_of_the_tied(play):
    packets = [[K], [K], [5, 7, 8]]
    found = [play.battle(packets, "war-multi", deadlock_rule="lot", seed=seed).packets for seed in range(60)]

    assert {tuple(map(tuple, packets)) for packets in found} == {((K, K, 5), (), (7, 8)), ((), (K, 5, K), (7, 8))}
    assert 12 <= sum(packets[0] != [] for packets in found) <= 48


# ---------------------------------------------------------------------------------------------- razboi (6, D15, D16)


@pytest.mark.parametrize("size", [1, 10, 11, 14])
def test_d15_ace_war_size(play, size):
    after = play.battle([[A, *[4] * 15], [A, *[3] * 15]], "razboi", ace_war_size=size)

    assert after.pot == 2 + 2 * size


@pytest.mark.parametrize(("rank", "size"), [(J, 11), (Q, 12), (K, 13)])
def test_rule_6_face_war_size_by_rank(play, rank, size):
    after = play.battle([[rank, *[4] * 15], [rank, *[3] * 15]], "razboi", face_war_size="rank")

    assert after.pot == 2 + 2 * size


@pytest.mark.parametrize(("source", "pot"), [("latest_tie", 2 + 2 * 3 + 2 * 5), ("first_tie", 2 + 2 * 3 + 2 * 3)])
def test_d16_the_second_tie_sizes_its_own_war(play, source, pot):
    """A tie at 3, then at 5."""
    packets = [[3, 2, 2, 5, 6, 6, 8, 6, 8, 9], [3, 2, 2, 5, 6, 6, 7, 6, 7, 9]]
    after = play.battle(packets, "razboi", war_size_source=source)

    assert after.pot == pot
    assert record(after, "wars", "war_rounds", "battles_won_0") == (1, 2, 1)


def test_rule_6_only_the_tied_fight_by_default(play):
    """Seats 0 and 1 tie at 5, and lay five cards each; seat 2 joins them only under `all`, and wins."""
    packets = [[5, 3, 4, 4, 4, 4, 7], [5, 3, 4, 4, 4, 5, 7], [3, 6, 8, 9, 9, 9, 9]]
    tied, everybody = play.battle(packets, "razboi"), play.battle(packets, "razboi", war_participants="all")

    assert tied.packets == [[7], [7, 5, 3, 4, 4, 4, 5, 3, 5, 3, 4, 4, 4, 4], [6, 8, 9, 9, 9, 9]]
    assert everybody.packets == [[7], [7], [9, 3, 6, 8, 9, 9, 9, 5, 3, 4, 4, 4, 4, 5, 3, 4, 4, 4, 5]]


# ------------------------------------------------------------------------------------------- how a game ends (8, D10)


@many_games
@pytest.mark.parametrize("order", ["seat_order", "seat_alternate", "winner_first", "losers_first", "high_first", "low_first"])
def test_d10_endless_is_reported_exactly_when_the_packets_come_back(order):
    """In small decks an endless verdict is true, and no game that ends gets it: all packets ever seen are kept here."""
    endless = 0
    for ranks, copies in [(4, 1), (2, 4), (4, 2)]:
        plan = make_plan("war", rules={"ranks": ranks, "copies": copies, "pickup_order": order}, every_deal=True, rows=True)
        rows = Engine(plan).play(0, plan.games, np.zeros(1, np.int64)).rows
        outcomes = rows[:, plan.row_cells.index("outcome")]
        for deal in list(np.flatnonzero(outcomes == ENDLESS)[:4]) + list(np.flatnonzero(outcomes != ENDLESS)[:4]):
            state = war_state.new_state("war", plan.rules | {"detect_endless": False, "max_battles": 3000}, deal=int(deal), watch=1)
            state["dealing"] = 1
            war.start(state)
            met, repeated = set(), False
            while state["seat"] != OVER and not repeated:
                now = str(war_state.packets(state))
                repeated, met = now in met, met | {now}
                war.step(state, 0)
            assert repeated == (outcomes[deal] == ENDLESS)
        endless += int((outcomes == ENDLESS).sum())
    if order in ("seat_order", "seat_alternate"):
        assert endless > 0


@many_games
def test_d10_detect_endless_off_plays_to_the_cap():
    rules = {"ranks": 4, "copies": 1, "pickup_order": "seat_alternate", "max_battles": 50}
    for detect, outcome in [(True, ENDLESS), (False, CAPPED)]:
        plan = make_plan("war", rules={**rules, "detect_endless": detect}, every_deal=True, rows=True)
        rows = Engine(plan).play(0, plan.games, np.zeros(1, np.int64)).rows
        columns = dict(zip(plan.row_cells, rows.T, strict=True))
        unfinished = columns["outcome"] > DRAW
        assert unfinished.sum() == 8  # the small-deck table: 8 of 24 games do not end
        assert set(columns["outcome"][unfinished]) == {outcome}
        assert set(columns["capped"][unfinished]) == {int(outcome == CAPPED)}
        assert (columns["battles"][unfinished] < 50).all() == (outcome == ENDLESS)


@many_games
@pytest.mark.parametrize("cap", [1, 2, 7, *range(9, 22), 100])
def test_d10_max_battles_caps_after_a_battle_is_resolved(cap):
    """A game that is won in the last battle is won; others are capped at exactly this length."""
    plan = make_plan("war", rules={"max_battles": cap, "copies": 1}, games=500, rows=True)
    free = make_plan("war", rules={"copies": 1}, games=500, rows=True)
    capped, whole = (dict(zip(p.row_cells, Engine(p).play(0, 500, np.zeros(1, np.int64)).rows.T, strict=True)) for p in (plan, free))

    assert np.array_equal(capped["battles"], np.minimum(whole["battles"], cap))
    assert np.array_equal(capped["outcome"] == CAPPED, whole["battles"] > cap)
    assert np.array_equal(capped["capped"] == 1, whole["battles"] > cap)
    assert (capped["winner"][capped["outcome"] == CAPPED] == -1).all()


def test_rule_8_cap_result_most_cards(play):
    """After two battles 4 : 2 is a win for seat 0, 3 : 3 a draw; capped all the same."""
    won = play.whole([[5, 5, 5], [4, 4, 9]], max_battles=2, cap_result="most_cards")
    drawn = play.whole([[5, 2, 5], [4, 4, 9]], max_battles=2, cap_result="most_cards")
    neither = play.whole([[5, 5, 5], [4, 4, 9]], max_battles=2)

    assert record(won, "outcome", "winner", "capped", "payoff_0", "payoff_1", "place_0", "place_1") == (WIN, 0, 1, 2, 0, 1, 0)
    assert record(drawn, "outcome", "winner", "draw_seats", "capped", "payoff_0", "payoff_1") == (DRAW, -1, 0b11, 1, 1, 1)
    assert record(neither, "outcome", "winner", "capped", "payoff_0", "cards_at_end_0") == (CAPPED, -1, 1, 0, 5)


def test_rule_b6_players_who_go_out_together_share_a_place(play):
    """Seats 0 and 1 go out in the first battle, seat 2 later: places 3, 3, 2, 1."""
    after = play.whole([[2], [3], [5, 4], [6, 7]], "war-multi")

    assert record(after, "place_0", "place_1", "place_2", "place_3") == (3, 3, 2, 1)
    assert record(after, "out_0", "out_1", "out_2", "out_3") == (1, 1, 2, 0)


# -------------------------------------------------------------------------------------------------- the record (11)


def test_rule_11_aces_and_strength_are_of_the_cards_dealt():
    """Seat 0 is dealt the cards at even places of the deck. The top rank counts as the ace in any deck."""
    row = war_state.row(started("war", [5, 2, 5, 3, 4, 5, 3, 4], ranks=4, copies=2))

    assert tuple(row[name] for name in ("aces_0", "aces_1", "strength_0", "strength_1")) == (2, 1, 17, 14)


def test_rule_11_lead_changes_by_the_one_seat_that_owns_most(play):
    """Leads: seat 0, nobody, seat 1 (a change at battle 3), nobody, seat 0 (a change at battle 5)."""
    packets = [[9, 2, 2, 9, 9], [3, 8, 8, 3, 3]]
    after = play.whole(packets, max_battles=5)

    assert record(after, "lead_changes", "last_lead_change") == (2, 5)
    assert record(after, "most_cards_0", "fewest_cards_0", "most_cards_1", "fewest_cards_1") == (6, 4, 6, 4)


# ------------------------------------------------------------------------------------------------------ the deck (7)


@pytest.mark.parametrize(
    ("game", "rules", "words"),
    [
        ("war", {"players": 3}, "players"),
        ("war-multi", {"players": 2}, "players"),
        ("razboi", {"face_down": 3}, "no rule face_down"),
        ("war", {"ranks": 16, "copies": 1}, "ranks"),
        ("war", {"ranks": 52}, "ranks"),
        ("war", {"ranks": 14, "copies": 8}, "104"),
        ("war-multi", {"ranks": 3, "copies": 1, "players": 4}, "too small"),
        ("war-multi", {"ranks": 5, "copies": 1, "leftover": "remove_twos"}, "twos"),
        ("razboi", {"ranks": 14}, "ranks"),
        ("war", {"max_battles": 0}, "max_battles"),
        ("war", {"face_down": 11}, "face_down"),
    ],
)
def test_rule_7_illegal_values_are_refused(game, rules, words):
    with pytest.raises(BadInput, match=words):
        find(game).read_rules(rules)


@pytest.mark.parametrize(("ranks", "copies"), [(2, 1), (2, 8), (15, 6), (13, 8), (52, 1), (13, 4)])
def test_rule_7_decks_of_every_size_are_dealt_whole(ranks, copies):
    state = war_state.new_state("war", war_state.rules_of("war", ranks=ranks, copies=copies), watch=1)
    war.start(state)
    dealt = sorted(card for packet in war_state.packets(state) for card in packet)

    assert dealt == [rank for rank in range(2, ranks + 2) for _ in range(copies)]


CHANGES = [
    ("war", {"face_down": 1}), ("war", {"pickup_order": "coin"}), ("war", {"short_war_rule": "lose"}), ("war", {"max_battles": 100}),
    ("war", {"ranks": 12}), ("war", {"copies": 3}), ("war-multi", {"players": 4}), ("war-multi", {"war_participants": "tied"}),
    ("war-multi", {"leftover": "first_pot"}), ("war-multi", {"leftover": "remove_twos"}), ("war-multi", {"face_down": 3}),
    ("war-multi", {"short_war_rule": "equal_force"}), ("war-multi", {"short_war_rule": "last_card_or_lose"}),
    ("razboi", {"ace_war_size": 1}), ("razboi", {"face_war_size": "rank"}), ("razboi", {"war_size_source": "first_tie"}),
    ("razboi", {"players": 3}), ("razboi", {"short_war_rule": "lose"}),
]  # fmt: skip


@many_games
@pytest.mark.parametrize(("game", "change"), CHANGES)
def test_every_parameter_has_an_effect(game, change):
    """The same 200 deals come out otherwise than under the defaults."""
    rows = []
    for rules in ({}, change):
        plan = make_plan(game, rules=rules, games=200, rows=True, columns="battles,wars")
        rows.append(Engine(plan).play(0, 200, np.zeros(1, np.int64)).tally.counts("battles"))
    assert not (np.array_equal(rows[0].values, rows[1].values) and np.array_equal(rows[0].games, rows[1].games))
