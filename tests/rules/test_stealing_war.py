"""The rules page of War (docs/rules/war.md) on `stealing`: its worked examples under their numbers, its decisions, its parameters.

The worked examples are asked of the kernel and of its slow twin. Packets are listed front first, piles top first; players
are called A, B, C in seat order, and A looks first unless `first` says otherwise.
"""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from simkit.game import CAPPED, DRAW, WIN, BadInput
from simkit.games import find
from simkit.games.stealing_war import COMMIT, LOOK, TOP
from simkit.simulate import make_plan
from tests import stealing_state
from tests.stealing_state import JOKER, KERNEL, REFERENCE, A, J, K, Q, commits, legal_moves, lowest, position, step

pytestmark = pytest.mark.modes


@pytest.fixture(params=[KERNEL, REFERENCE], ids=lambda implementation: implementation.name)
def play(request):
    """One of the two implementations: `play.battle(packets, piles, …)` and `play.whole(packets, piles, …)`."""
    return request.param


def record(found, *names):
    return tuple(found.row[name] for name in names)


# --------------------------------------------------------------------------------------------- worked examples (12)


def test_example_08_running_out_loses(play):
    after = play.battle([[9, 4], [9, 2, 3, 5, J, 6]])

    assert (after.packets, after.piles[0]) == ([[], [3, 5, J, 6]], [])
    assert sorted(after.piles[1]) == [2, 4, 9, 9]
    assert record(after, "outcome", "winner", "battles", "short_events", "ended_in_war") == (WIN, 1, 1, 1, 1)


def test_example_08_both_run_out(play):
    after = play.battle([[9, 2, 2], [9, 3, 3]])

    assert record(after, "outcome", "winner", "draw_seats", "deadlocks", "wars", "war_rounds") == (DRAW, -1, 3, 1, 1, 1)
    assert after.packets == after.piles == [[], []]


def test_example_10_tie_below_the_top(play):
    after = play.battle([[10, 2], [4, 3], [4, 5]])

    assert record(after, "wars", "battles_won_0") == (0, 1)
    assert (after.packets, after.piles) == ([[2], [3], [5]], [[4, 10, 4], [], []])


@pytest.mark.parametrize(("rest", "outcome", "winner", "draw"), [([5, 7, 8], WIN, 2, 0), ([5], DRAW, -1, 3)])
def test_example_11_carry(play, rest, outcome, winner, draw):
    """The deadlock of A and B, who alone fight the war under `tied`."""
    after = play.battle([[K], [K], rest], war_participants="tied")

    assert record(after, "outcome", "winner", "draw_seats", "deadlocks") == (outcome, winner, draw, 1)
    if winner == 2:
        assert (after.packets[2], sorted(after.piles[2])) == ([7, 8], [5, K, K])
        assert record(after, "place_0", "place_1", "place_2") == (2, 2, 1)
    else:
        assert record(after, "place_0", "place_1", "place_2") == (1, 1, 3)


def test_example_17_steal(play):
    start = [[7, 10], [4, 2]], [[], [7, K, 3]]
    after = play.battle(*start)

    assert after.piles == [[4, 10, 7, 7, K, 3], []]
    assert after.packets == [[], [2]]
    assert record(after, "steals_0", "piles_stolen_0", "cards_stolen_0", "declined_0") == (1, 1, 3, 0)

    after = play.battle(*start, choose=commits)
    assert after.piles == [[4, 7], [7, K, 3]]
    assert record(after, "steals_0", "declined_0") == (0, 1)


def test_example_18_priority_matters(play):
    start = [[7, 2], [5, 3]], [[5, 9], [7, J]]

    after = play.battle(*start, first=0)
    assert after.piles == [[7, 7, J, 5, 9], [2, 5]]
    assert after.packets == [[], [3]]

    after = play.battle(*start, first=1)
    assert after.piles == [[3, 7], [5, 5, 9, 7, J]]
    assert record(after, "battles_won_0", "steals_0", "steals_1") == (1, 0, 1)


def test_example_19_two_piles(play):
    asked = []

    def choose(seat, kind, legal, card):
        asked.append((seat, kind, legal, card))
        return lowest(seat, kind, legal, card)

    after = play.battle([[9, 3], [A], [4]], [[2], [9, 4], [9, 6, 6]], choose=choose)
    assert asked[0] == (0, LOOK, [COMMIT, 0b010, 0b100, 0b110], 9)
    assert after.piles[0] == [9, 9, 4, 9, 6, 6, 2]
    assert sorted(after.piles[1]) == [3, 4, A]
    assert record(after, "steals_0", "piles_stolen_0", "cards_stolen_0", "multi_steals_0") == (1, 2, 5, 1)


def test_example_20_jokers(play):
    assert record(play.battle([[JOKER, 2], [A, 3]]), "battles_won_0", "wars") == (1, 0)
    assert record(play.battle([[JOKER, 2, 2, 2, 4], [JOKER, 3, 3, 3, 5]]), "battles_won_1", "wars", "wars_by_rank_15") == (1, 1, 1)


def test_example_21_running_out(play):
    after = play.battle([[6, 2, 3], [6, 8, 8, 9, J, 10]])

    assert record(after, "outcome", "winner", "short_events") == (WIN, 1, 1)
    assert after.packets[1] == [9, J, 10]


def test_example_21_a_refill_goes_on(play):
    after = play.battle([[6, 2, 3], [6, 8, 8, 9, J, 10]], [[5, 5], []])

    assert record(after, "refills_0", "short_events", "biggest_pot", "wars_won_1") == (1, 0, 10, 1)
    assert sorted(after.piles[1]) == [2, 3, 5, 5, 6, 6, 8, 8, 9, J]


TWENTY_TWO = [[6, 2, 3, 4, Q, 5], [6, 8, 8, 9, J, 10]], [[], [Q, 2, 2]]


def test_example_22_fourth_card_steal_replace(play):
    after = play.battle(*TWENTY_TWO)

    assert after.piles[0] == [Q, Q, 2, 2]
    assert after.packets == [[], [10]]
    assert record(after, "biggest_pot", "wars_won_1", "steals_0", "war_steals_0") == (10, 1, 1, 1)


def test_example_22_fourth_card_steal_forfeit(play):
    after = play.battle(*TWENTY_TWO, war_steal="forfeit")

    assert after.piles[0] == [Q, Q, 2, 2]
    assert after.packets == [[5], [J, 10]]
    assert record(after, "biggest_pot", "wars_won_1") == (8, 1)


def test_example_22_fourth_card_committed(play):
    after = play.battle(*TWENTY_TWO, choose=commits)

    assert record(after, "biggest_pot", "wars_won_0", "declined_0") == (10, 1, 1)
    assert after.piles[1] == [Q, 2, 2]


def test_example_23_refill(play):
    """A's packet is any order of K, 4, 8, each as often; B's king, looked at first, finds no pile to steal."""
    orders, deals = Counter(), 60 if stealing_state.PLAIN else 600
    for deal in range(deals):
        after = play.battle([[], [K, 2]], [[K, 4, 8], []], deal=deal, first=1)
        assert record(after, "refills_0", "steals_1", "declined_1") == (1, 0, 0)
        orders[tuple(after.packets[0])] += 1
    # What is left of each order: if the king comes first there is a war, in which A lays one card more and B runs out.
    assert set(orders) == {(8, K), (K, 8), (4, K), (K, 4), (4,), (8,)}
    assert all(abs(number - deals / 6) < 4 * sqrt(deals * 5 / 36) for number in orders.values())


# ------------------------------------------------------------------------------------------------ decisions and parameters


def test_piles_per_card_limits_a_steal(play):
    """D12."""
    asked = []

    def choose(seat, kind, legal, card):
        asked.append(legal)
        return legal[0]

    play.battle([[9, 3], [A], [4]], [[2], [9, 4], [9, 6, 6]], choose=choose, piles_per_card=1)
    assert asked[0] == [COMMIT, 0b010, 0b100]


def test_no_steals_in_wars(play):
    """D13, `none`: nobody is asked, so nothing is declined."""
    after = play.battle(*TWENTY_TWO, war_steal="none")

    assert record(after, "steals_0", "declined_0", "wars_won_0") == (0, 0, 1)


def test_no_steals_at_all(play):
    after = play.battle([[7, 10], [4, 2]], [[], [7, K, 3]], stealing_enabled=False)

    assert record(after, "steals_0", "declined_0") == (0, 0)
    assert after.piles == [[4, 7], [7, K, 3]]


def test_a_thief_with_an_empty_packet_refills(play):
    """5.1 (iii): the pile holds at least the card used to steal."""
    after = play.battle([[7], [4, 2]], [[], [7]])

    assert record(after, "refills_0", "steals_0", "battles_won_0") == (1, 1, 1)
    assert after.packets == [[7], [2]]


def test_big_and_little_jokers_neither_tie_nor_match(play):
    """D17."""
    after = play.battle([[16, 2], [15, 3]], [[], [15, 4]], joker_rank="big_and_little")

    assert record(after, "wars", "steals_0", "battles_won_0") == (0, 0, 1)


def test_a_lot_decides_a_deadlock(play):
    """D9: one of the tied takes the pot, and goes on."""
    winners = set()
    for deal in range(20):
        after = play.battle([[K], [K], [5, 7, 8]], war_participants="tied", deadlock_rule="lot", deal=deal)
        (winner,) = (seat for seat in (0, 1) if after.row[f"battles_won_{seat}"])
        winners.add(winner)
        assert sorted(after.piles[winner]) == [5, K, K]
        assert after.row[f"out_{1 - winner}"] == 1
    assert winners == {0, 1}


def test_all_contenders_fight_or_the_tied_only(play):
    """D19: under `all` C may win the war of A and B."""
    start = [[K, 2, 2, 2, 3], [K, 2, 2, 2, 4], [5, 6, 6, 6, J]]

    assert record(play.battle(start), "wars_won_2", "bystander_wars", "biggest_pot") == (1, 1, 15)
    assert record(play.battle(start, war_participants="tied"), "wars_won_1", "bystander_wars", "biggest_pot") == (1, 0, 11)


@pytest.mark.parametrize("face_down", [0, 1, 3])
def test_face_down_cards(play, face_down):
    """D1."""
    after = play.battle([[9, *[2] * face_down, 7, 3], [9, *[4] * face_down, 5, 3]], face_down=face_down)

    assert record(after, "biggest_pot", "wars_won_0") == (2 * face_down + 4, 1)


def test_a_forfeit_keeps_the_committed_card_in_the_pot(play):
    """5.3.4: B has committed the J before A steals."""
    after = play.battle(*TWENTY_TWO, war_steal="forfeit", first=1)

    assert record(after, "biggest_pot", "wars_won_1") == (9, 1)
    assert after.packets == [[5], [10]]


@pytest.mark.parametrize(("cap", "outcome", "winner"), [("no_result", CAPPED, -1), ("most_cards", WIN, 0)])
def test_a_capped_game(play, cap, outcome, winner):
    """Section 8."""
    after = play.whole([[7, 10], [4, 2]], max_battles=1, cap_result=cap)

    assert record(after, "outcome", "winner", "capped", "place_0", "place_1") == (outcome, winner, 1, int(winner == 0), 0)


def test_a_shared_cap_is_a_draw(play):
    after = play.whole([[7, 3], [4, 9]], max_battles=2, cap_result="most_cards")

    assert record(after, "outcome", "draw_seats", "capped") == (DRAW, 3, 1)


@pytest.mark.parametrize(
    ("rules", "dealt"),
    [({}, 27), ({"players": 3}, 18), ({"players": 4}, 13), ({"players": 4, "leftover": "remove_twos"}, 13), ({"ranks": 2, "copies": 1}, 2)],
)
def test_the_deal(rules, dealt):
    """Section 2; sums of what is dealt: the whole deck but for what is left over."""
    state = stealing_state.new_state(**rules)
    stealing_state.stealing_war.start(state)

    assert [len(packet) for packet in stealing_state.packets(state)] == [dealt] * rules.get("players", 2)
    row = stealing_state.row(state)
    if rules.get("leftover") == "remove_twos":
        assert sum(row[f"strength_{seat}"] for seat in range(4)) == 4 * sum(range(2, 15)) + 30 - 4


def test_leftover_cards_join_the_first_pot():
    """D4."""
    state = stealing_state.new_state(players=4, leftover="first_pot", watch=1)
    stealing_state.stealing_war.start(state)
    assert len(stealing_state.carried(state)) == 2
    step(state, commits)
    while state["seat"] >= 0:
        step(state, commits)

    assert stealing_state.row(state)["biggest_pot"] >= 6
    assert stealing_state.carried(state) == []


def test_a_given_deck_is_dealt_in_turn():
    state = stealing_state.given_deck([2, 3, 2, 3, JOKER, JOKER], ranks=2, copies=2)
    stealing_state.stealing_war.start(state)

    assert stealing_state.packets(state) == [[2, 2, JOKER], [3, 3, JOKER]]


@pytest.mark.parametrize(
    "rules",
    [{"players": 5}, {"piles_per_card": 2}, {"short_war_rule": "equal_force"}, {"ranks": 14}, {"players": 4, "copies": 1, "ranks": 13, "leftover": "remove_twos"}],
)  # fmt: skip
def test_rules_that_are_refused(rules):
    with pytest.raises(BadInput):
        find("stealing-war").read_rules(rules)


# ------------------------------------------------------------------------------------------------------ information (10)


def test_face_down_cards_are_hidden_until_they_are_won():
    """A looks at the fourth card of a war: three cards of each lie face down, the first is seen."""
    state = position([[6, 2, 3, 4, Q, 5], [6, 8, 8, 9, J, 10]], [[], [Q, 2, 2]])
    step(state, lowest)
    view = stealing_state.view_of(state)

    assert (int(view["card"]), int(view["decision"])) == (Q, LOOK)
    assert view["table"]["shown"][:2, :4].tolist() == [[6, 0, 0, 0]] * 2
    stealing_state.stealing_war.step(state, COMMIT)
    view = stealing_state.view_of(state)
    assert int(view["decision"]) == TOP
    assert stealing_state.ranks_of(view["table"]["pot"]) == [2, 3, 4, 6, 6, 8, 8, 9, J, Q]
    assert legal_moves(state) == [2, 3, 4, 6, 8, 9, J, Q]
    assert view["table"]["shown"][:2, :5].tolist() == [[6, 2, 3, 4, Q], [6, 8, 8, 9, J]]


def test_a_refilled_packet_is_known_as_a_set():
    """Less what was shown from it since; never its order."""
    state = position([[], [9, 2]], [[7, 4, 8], [8]])
    step(state, lowest)
    while state["seat"] == stealing_state.PAUSED or state["decision"] != TOP:
        step(state, commits)
    view = stealing_state.view_of(state)

    left = [4, 7, 8]
    left.remove(int(view["table"]["shown"][0, 0]))
    assert stealing_state.ranks_of(view["table"]["known"][0]) == left
    assert int(view["table"]["first_packet"]) == 0b10


# ---------------------------------------------------------------------------------------------------------- the replay


def test_a_replay_tells_every_battle():
    from simkit.replay import Replay, lines

    plan = make_plan("stealing-war", rules={"players": 3}, players="random", games=1, seed=3)
    replay = Replay(plan, 0)
    text = list(lines(replay))

    assert sum(" takes the pot, " in line for line in text) == sum(replay.row[f"battles_won_{seat}"] for seat in range(3))
    assert sum(" steals the pile" in line for line in text) == sum(replay.row[f"steals_{seat}"] for seat in range(3)) > 0
    assert f"after {replay.row['battles']} battles." in text[-1]


def test_moves_have_names():
    text = find("stealing-war").move_text

    assert text(COMMIT, LOOK) == "commit"
    assert text(0b110, LOOK) == "steal from seats 1 and 2"
    assert text(Q, TOP) == "Q on top"
    assert text(JOKER, TOP) == "Joker on top"
