"""The rules page of TEN (docs/rules/ten.md) put to the test: its worked examples under their numbers, its parameters."""

from __future__ import annotations

import numpy as np
import pytest

from simkit.game import DRAW as DRAWN
from simkit.game import OVER, WIN
from simkit.games import find, ten
from tests.ten_state import (
    act,
    at,
    cards,
    deck_left,
    drawn,
    given_deck,
    held,
    kind,
    legal_moves,
    new_state,
    pile,
    played,
    position,
    row,
    run_on,
    score_of,
)

pytestmark = pytest.mark.modes

DRAW, STOP, NUMBERS, MONEY, PASS, NONE, CANONICAL = 0, 1, 0, 1, -1, -1, 0
TOKENS, COINS, CARDS, CARD = (ten.STAGE * stage for stage in (1, 2, 3, 4))
REST = "orange 1, orange 1, orange 1"
"""A few cards that keep the deck from running out."""


def stopped(**given):
    """A position in which the active player has just stopped."""
    return at(ten.REWARDING, deck=REST, **given)


def final(state):
    """Play on to the end: draw, take numbers, pass, buy nothing."""
    while run_on(state)["seat"] != OVER:
        ten.step(state, legal_moves(state)[0])
    return row(state)


# ------------------------------------------------------------------------------------------------ worked examples (6)


def test_example_01_number_bust():
    state = drawn(deck="green 3," + REST, tableau="red 6, currency 2, blue 5", holdings=["4/0", "9/0", "3/0"])

    assert [held(state, s) for s in range(3)] == ["4/1", "10/0", "5/0"]
    assert set(cards("red 6, blue 5, green 3")) <= set(pile(state, "market"))
    assert pile(state, "discard") == cards("currency 2")
    assert state["table"]["active"] == 1
    assert state["notes"][1, ten.COINS_LOST] == 1


def test_example_02_ten_is_safe():
    state = drawn(deck="green 1," + REST, tableau="red 4, blue 5")

    assert state["table"]["total"] == 10
    assert ten.DECISIONS[state["decision"]] == "draw"
    assert legal_moves(state) == [DRAW, STOP]


def test_example_03_currency_bust():
    state = drawn(deck="currency 2," + REST, tableau="currency 5, currency 4, red 2", holdings=["1/0", "2/0", "3/0"])

    assert [held(state, s) for s in range(3)] == ["1/1", "2/0", "3/0"]
    assert kind("red 2") in pile(state, "market")
    assert pile(state, "discard") == cards("currency 2, currency 4, currency 5")
    assert state["notes"][0, ten.TURNS_CURRENCY_BUST] == 1


def test_example_04_negative_total():
    state, totals = drawn(deck="currency 5, blue 9, red 6," + REST), []
    for _ in range(3):
        totals.append(int(state["table"]["total"]))
        act(state, "draw", DRAW, seat=0)

    assert totals == [-5, 4, 10]


def test_example_05_numbers():
    state = stopped(tableau="red 3, currency 4, blue 2", holdings=["6/0", "7/0", "2/1"], market="green 1")
    act(state, "reward", NUMBERS, seat=0)

    assert pile(state, "held", 0) == cards("red 3, blue 2")
    assert [held(state, s) for s in range(3)] == ["6/0", "10/0", "6/1"]
    assert ten.DECISIONS[state["decision"]] == "purchase"
    assert state["seat"] == 0


def test_example_06_money():
    state = stopped(tableau="red 3, currency 4, blue 2", holdings=["8/0", "7/0", "2/1"])
    act(state, "reward", MONEY, seat=0)

    assert [held(state, s) for s in range(3)] == ["10/0", "7/0", "2/1"]
    assert {kind("red 3"), kind("blue 2")} <= set(pile(state, "market"))
    assert state["table"]["active"] == 1


def test_example_07_buying():
    state = stopped(tableau="red 3, blue 4", holdings=["4/1"], market="green 7, red 3, blue 1")

    assert legal_moves(state) == [NONE, kind("blue 1"), kind("green 7")]
    act(state, "purchase", kind("green 7"), seat=0)
    if state["table"]["payer"] >= 0:
        act(state, "payment", CANONICAL, seat=0)
    assert held(state, 0) == "0/0"
    assert pile(state, "held", 0) == cards("red 3, blue 4, green 7")


def test_example_08_auction():
    state = drawn(deck="wild 5," + REST, tableau="red 4, currency 1", holdings=["2/1", "6/0", "0/0"], collections=["red 1 2", "", ""])
    assert legal_moves(state) == [PASS, *range(1, 7)]
    act(state, "bid", 3, seat=1)  # player 2 has no means and passes unasked
    assert legal_moves(state) == [PASS, 4, 5, 6, 7]
    act(state, "bid", 4, seat=0)
    act(state, "payment", CANONICAL, seat=0)

    assert [held(state, s) for s in range(3)] == ["1/0", "6/0", "0/0"]
    assert pile(state, "held", 0) == cards("red 1 2, wild 5")
    assert (state["table"]["total"], state["table"]["currency"]) == (3, 1)
    assert ten.DECISIONS[state["decision"]] == "draw"
    assert state["seat"] == 0


def test_example_09_overpaying():
    state = drawn(deck="wild 5," + REST, tableau="red 4", holdings=["0/0", "0/1", "0/0"], collections=["", "green 1 2 4 6 8", ""])
    act(state, "bid", 2, seat=1)

    assert legal_moves(state) == [CANONICAL, TOKENS + 0, TOKENS + 1]  # no cards, or one token and nothing besides
    for cards_with_token in (1, 2):
        state["table"]["price"] = 2
        assert not ten.mix_is_legal(state["table"], state["rules"], 1, 0, cards_with_token)
    assert ten.mix_is_legal(state["table"], state["rules"], 0, 0, 2)
    act(state, "payment", CANONICAL, seat=1)
    assert held(state, 1) == "0/0"
    assert len(pile(state, "held", 1)) == 6
    assert state["notes"][1, ten.AUCTION_OVER] == 1


def test_example_10_wild_first():
    state = drawn(deck="red #, red 1," + REST)
    for seat in (1, 2, 0):
        act(state, "bid", PASS, seat=seat)
    assert pile(state, "discard") == cards("red #")
    assert pile(state, "tableau") == cards("red 1")  # an empty tableau: player 0 had to draw

    last = drawn(deck="red #", final_buy=False)
    for seat in (1, 2, 0):
        act(last, "bid", PASS, seat=seat)
    assert last["seat"] == OVER
    assert last["notes"][0, ten.TURNS_EMPTY] == 1


@pytest.mark.parametrize(
    ("owned", "points"),
    [
        ("blue 1 2 3 5 7", 3),
        ("red 2-6, blue 1 2 7 9, orange 4, green 3-5", 11),
    ],
)
def test_example_11_plain_scoring(owned, points):
    assert score_of(owned) == points


def test_example_12_wilds():
    assert score_of("blue 1 2 3 5 7, blue #, wild 6, full") == 8


def test_example_13_competing_colours():
    assert score_of("red 5 7, blue 1-5, blue 7 8, wild 6") == 9


@pytest.mark.parametrize(("owned", "points"), [("green 1-6, green 8 9, wild 7", 10), ("red 1 2, full", 3), ("red 1 2, orange #", 3)])
def test_example_14_full_run(owned, points):
    assert score_of(owned) == points


def twenty(extra):
    return "red 1-9, blue 1-9" + extra


def test_example_15_tie():
    state = position(
        deck="red 1", collections=[twenty(", green #, red 1 1"), twenty(", green #"), ""], holdings=["3/2", "3/0", "9/0"], final_buy=False
    )
    result = row(state)

    assert [result[f"score_{s}"] for s in range(3)] == [21, 21, 0]
    assert result["winner"] == 1
    assert result["outcome"] == WIN
    assert result["tie_break"] == 2
    assert [result[f"win_share_{s}"] for s in range(3)] == [0, 60, 0]


def test_example_16_final_phase():
    state = drawn(deck="red 1", market="blue 1, blue 2, blue 3, blue 4", active=1)
    buyers = []
    while state["seat"] != OVER:
        if state["table"]["final"] == 1:
            buyers.append(int(state["seat"]))
        act(state, ten.DECISIONS[state["decision"]], legal_moves(state)[0])

    assert buyers == [2, 0, 1]


# ---------------------------------------------------------------------------------------------------- parameters (3)


def deck_counts(**rules):
    return ten.deck_of(find("ten").read_rules(rules))


@pytest.mark.parametrize(("players", "total"), [(2, 56), (3, 93), (4, 129), (5, 129)])
def test_d03_decks_by_player_count(players, total):
    assert sum(deck_counts(players=players)) == total
    assert sum(deck_counts(players=players, deck="full")) == 129


def test_d01_to_d03_explicit_counts():
    counts = deck_counts(
        number_copies_low=2,
        number_copies_high=0,
        colour_wilds=3,
        numbered_wilds_4=2,
        full_wilds=0,
        currency_counts="low_heavy",
        currency_5=9,
    )

    assert counts[:9] == [2] * 6 + [0] * 3
    assert counts[36:40] == [3] * 4
    assert counts[40:50] == [1, 1, 1, 2, 1, 1, 1, 1, 1, 0]
    assert counts[50:] == [9, 7, 5, 4, 9]
    state = new_state(number_copies_low=2, colour_wilds=3, currency_counts="low_heavy", currency_5=9)
    ten.start(state)
    assert [deck_left(state).count(each) for each in range(55)] == deck_counts(
        number_copies_low=2, colour_wilds=3, currency_counts="low_heavy", currency_5=9
    )


def test_d04_bust_limits():
    state = drawn(deck="green 3," + REST, tableau="red 6, blue 5", bust_limit=14)
    assert state["table"]["total"] == 14
    assert state["table"]["active"] == 0
    state = drawn(deck="currency 2," + REST, tableau="currency 5, currency 4", currency_bust_limit=11)
    assert state["table"]["currency"] == 11
    assert state["table"]["active"] == 0
    state = drawn(deck="currency 5," + REST, tableau="currency 5, currency 5, currency 5", currency_bust_limit="none")
    assert state["table"]["currency"] == 20
    assert state["table"]["active"] == 0


def test_d05_running_floor():
    state = drawn(deck="currency 5, blue 9," + REST, running_floor=0)
    act(state, "draw", DRAW)
    assert state["table"]["total"] == 9


def test_d06_empty_rewards():
    state = drawn(deck="red #, red 1," + REST, market="blue 1", reward_must_be_nonempty=False)
    for seat in (1, 2, 0):
        act(state, "bid", PASS, seat=seat)
    act(state, "draw", STOP, seat=0)
    act(state, "reward", NUMBERS, seat=0)
    assert ten.DECISIONS[state["decision"]] == "purchase"


def test_d07_payout_split():
    state = stopped(tableau="red 3, currency 5", holdings=["0/0"] * 3, payout_split="shared_floor")
    act(state, "reward", NUMBERS)
    assert [held(state, s) for s in range(3)] == ["0/0", "2/0", "2/0"]


@pytest.mark.parametrize("low", [0, 3])
def test_d08_min_bid(low):
    assert legal_moves(drawn(deck="red #," + REST, min_bid=low)) == [PASS, *range(low, 6)]


def test_d09_unsold_wilds():
    def unsold(where):
        state = drawn(deck="wild 7, red 1," + REST, unsold_wild=where, market="blue 3", holdings=["9/0"] * 3)
        for seat in (1, 2, 0):
            act(state, "bid", PASS, seat=seat)
        return state

    assert pile(unsold("active_free"), "held", 0) == cards("wild 7")
    state = unsold("market")
    assert pile(state, "market") == cards("blue 3, wild 7")
    assert ten.price_of(kind("wild 7"), state["rules"]) == 7
    assert ten.price_of(kind("red #"), state["rules"]) == ten.price_of(kind("full"), state["rules"]) == 5
    priced = new_state(hash_price=8)
    assert ten.price_of(kind("red #"), priced["rules"]) == 8
    act(state, "draw", STOP)
    assert kind("wild 7") in legal_moves(state)


@pytest.mark.parametrize(("where", "auction", "buy"), [("both", 5, 5), ("buy", 3, 5), ("auction", 5, 3), ("none", 3, 3)])
def test_d10_cards_as_payment(where, auction, buy):
    state = position(deck=REST, collections=["red 1, red #"], holdings=["3/0"], cards_as_payment=where)
    assert ten.means(state["table"], 0, state["rules"], True) == auction
    assert ten.means(state["table"], 0, state["rules"], False) == buy


def test_d10_values_of_cards():
    state = position(deck=REST, collections=["red 1, red #"], holdings=["3/0"], card_payment_value=3)
    assert ten.means(state["table"], 0, state["rules"], True) == 9
    state = position(deck=REST, collections=["red 1, red #"], holdings=["3/0"], wilds_as_payment=False)
    assert ten.means(state["table"], 0, state["rules"], True) == 4


@pytest.mark.parametrize(("where", "pile_name"), [("discard", "discard"), ("market", "market")])
def test_d11_paid_cards(where, pile_name):
    state = drawn(
        deck="wild 5," + REST, tableau="red 4", holdings=["0/0"] * 3, collections=["", "green 1, blue #", ""], paid_cards_to=where
    )
    act(state, "bid", 2, seat=1)
    act(state, "payment", CANONICAL, seat=1)

    assert kind("green 1") in pile(state, pile_name)
    assert kind("blue #") in pile(state, "discard")
    assert pile(state, "held", 1) == cards("wild 5")


def test_d12_any_payment():
    state = drawn(
        deck="wild 5," + REST, tableau="red 4", holdings=["0/0", "4/1", "0/0"], collections=["", "green 1 2", ""], payment_rule="any"
    )
    act(state, "bid", 2, seat=1)
    act(state, "payment", TOKENS + 1, seat=1)
    act(state, "payment", COINS + 3, seat=1)
    act(state, "payment", CARDS + 1, seat=1)
    act(state, "payment", CARD + kind("green 2"), seat=1)

    assert held(state, 1) == "1/0"
    assert pile(state, "held", 1) == cards("green 1, wild 5")
    assert state["notes"][1, ten.AUCTION_OVER] == 5


def test_d13_bust_tokens_run_out():
    state = drawn(deck="green 9," + REST, tableau="red 6", bust_token_supply=0)
    assert held(state, 0) == "5/0"
    assert state["notes"][0, ten.TOKENS_REFUSED] == 1


@pytest.mark.parametrize(
    ("rules", "points"),
    [({}, 13), ({"full_run_bonus": 20}, 32), ({"run_points": 5}, 61), ({"min_run": 3}, 10), ({"wild_only_runs": False}, 12)],
)
def test_d14_to_d16_scoring(rules, points):
    assert score_of("red 1-9, blue 1 2, green #", **rules) == points


def test_d17_final_buy():
    def buyers(**rules):
        state = drawn(deck="red 1", market="blue 1, blue 2", active=1, **rules)
        found = set()
        while state["seat"] != OVER:
            if state["table"]["final"] == 1:
                found.add(int(state["seat"]))
            act(state, ten.DECISIONS[state["decision"]], legal_moves(state)[0])
        return found

    assert buyers(final_buy=False) == set()
    assert buyers(final_buy_includes_last=False) == {0, 2}


@pytest.mark.parametrize(
    ("breaks", "winner", "tie_break"),
    [("coins_fewest_cards_shared", 0, 1), ("coins_shared", 0, 1), ("fewest_cards_shared", 1, 2), ("shared", -1, 3)],
)
def test_d19_tie_breaks(breaks, winner, tie_break):
    state = position(deck="red 1", collections=["red 1 1", "blue 1", ""], holdings=["4/0", "3/0", "9/0"], tie_breaks=breaks)
    result = row(state)

    assert (result["winner"], result["tie_break"]) == (winner, tie_break)
    assert result["outcome"] == (DRAWN if winner < 0 else WIN)
    assert result["draw_seats"] == (0b011 if winner < 0 else 0)
    assert sum(result[f"win_share_{s}"] for s in range(5)) == 60


def test_d20_hidden_tokens():
    from tests.ten_state import new_view

    state = drawn(deck="red #," + REST, tokens_public=False)
    view = new_view(state)
    ten.observe(state, 1, view)
    assert list(view["table"]["coins"])[:3] == [-1, 5, -1]
    assert list(view["table"]["bust_tokens"])[:3] == [-1, 0, -1]


def test_d21_limits():
    state = stopped(tableau="red 3, currency 4", holdings=["8/0"] * 3, coin_limit="none", coin_supply="none")
    act(state, "reward", NUMBERS)
    assert held(state, 1) == "12/0"
    state = position(deck=REST, holdings=["3/2"], bust_token_value=7)
    assert ten.means(state["table"], 0, state["rules"], True) == 17
    ten.start(state := new_state(start_coins=2))
    assert held(state, 0) == "2/0"


@pytest.mark.parametrize(("limit", "bought"), [(0, 0), (1, 1), (2, 2)])
def test_d21_buy_limit(limit, bought):
    state = stopped(tableau="red 3", holdings=["9/0"] * 3, market="blue 1, green 1, green 2", buy_limit=limit)
    while state["table"]["active"] == 0:
        act(state, ten.DECISIONS[state["decision"]], legal_moves(state)[-1] if state["decision"] == ten.PURCHASE else CANONICAL)
    assert len(pile(state, "held", 0)) == 1 + bought


def test_d22_solo():
    state = drawn(deck="red #," + REST, players=1, solo=True)
    assert legal_moves(state) == [PASS, 3, 4, 5]
    *_, state = played(new_state(players=1, solo=True), lambda _, moves: moves[0])
    result = row(state)
    assert result["deck_size"] == 56
    assert result["payoff_0"] == result["score_0"]
    assert result["winner"] == 0


def test_d23_payouts_and_buying():
    state = drawn(deck="green 9," + REST, tableau="currency 3, red 6", holdings=["0/0"] * 3, payout_on_number_bust=False)
    assert [held(state, s) for s in range(3)] == ["0/1", "0/0", "0/0"]
    state = drawn(deck="currency 5," + REST, tableau="currency 5, currency 1", holdings=["0/0"] * 3, payout_on_currency_bust=True)
    assert [held(state, s) for s in range(3)] == ["0/1", "10/0", "10/0"]
    state = stopped(tableau="currency 3", market="blue 1", money_allows_buy=True)
    assert ten.DECISIONS[state["decision"]] == "purchase"
    assert state["seat"] == 0


def test_d24_duplicates():
    state = stopped(tableau="red 3", market="red 3, blue 1", duplicate_buy_ban=False)
    assert legal_moves(state) == [NONE, kind("red 3"), kind("blue 1")]


def test_d25_start_player():
    for seat in range(4):
        ten.start(state := new_state(start_player=seat))
        assert state["table"]["active"] == seat
    seen = set()
    for deal in range(40):
        ten.start(state := new_state(deal=deal))
        seen.add(int(state["table"]["first_mover"]))
    assert seen == {0, 1, 2, 3}


@pytest.mark.parametrize(
    "rules",
    [
        {"players": 1},
        {"solo": True},
        {"start_coins": 11},
        {"coin_limit": 20},
        {"coin_limit": "none"},
        {"start_player": 4},
        {f"currency_{v}": 0 for v in range(1, 6)},
        {"number_copies_low": 8, "number_copies_high": 8},
    ],
)
def test_impossible_rules_are_refused(rules):
    with pytest.raises(ValueError, match="ten"):
        find("ten").read_rules(rules)


# ----------------------------------------------------------------------------------------------- payments (2.8), gains


@pytest.mark.parametrize(
    ("holding", "owned", "price", "left", "kept"),
    [
        ("4/1", "", 7, "0/0", ""),
        ("6/2", "", 5, "4/1", ""),  # one token and two coins: least overpayment, then fewest coins
        ("6/2", "", 6, "6/0", ""),
        ("1/1", "red 1-3", 2, "1/0", "red 1-3"),  # one token, one lost: no cards
        ("0/0", "red 1-3, blue 9", 1, "0/0", "red 2 3, blue 9"),  # each loses a point: the lowest number
        ("0/0", "red 1-3, red 3, blue 9", 1, "0/0", "red 1-3, blue 9"),  # the duplicate loses none
        ("0/0", "red 2 3, blue 3, wild 4, green #", 1, "0/0", "red 3, blue 3, wild 4, green #"),
        ("0/0", "red 2-4, wild 4, blue 3, full", 2, "0/0", "red 4, blue 3, wild 4, full"),  # red 2, then red 3 before blue 3
    ],
)
def test_canonical_payment(holding, owned, price, left, kept):
    state = position(deck=REST, holdings=[holding], collections=[owned])
    state["table"]["payer"], state["table"]["price"], state["table"]["paid_for"] = 0, price, kind("orange 9")
    state["phase"] = ten.PAYING_CANONICALLY
    state["table"]["buyer"] = 0
    run_on(state)

    assert held(state, 0) == left
    assert pile(state, "held", 0) == sorted(cards(kept) + [kind("orange 9")])


def test_gain_is_gross():
    state = position(deck=REST, collections=["red 1 3"])
    assert ten.gain_of(state["table"], 0, kind("red 2"), state["rules"]) == 2
    assert ten.gain_of(state["table"], 0, kind("wild 2"), state["rules"]) == 2
    assert ten.gain_of(state["table"], 0, kind("red 3"), state["rules"]) == 0


def test_the_risk_of_the_next_card():
    state = drawn(deck="red 1, red 9, blue 8, currency 5, wild 9, currency 1", tableau="red 3, currency 1, currency 5")

    assert state["table"]["total"] == -2
    assert ten.bust_cards(state["table"], state["rules"]) == 1
    assert act(state, "draw", DRAW)["notes"][0, ten.RISK_DRAWN] == 1_000_000 * 1 // 5


def test_a_game_by_hand():
    """The whole course of a tiny deck: draws, a bid, rewards, a purchase, the final phase."""
    state = given_deck("red 5, red #, blue 6, blue 3, currency 2", players=2, start_player=1)
    ten.start(state)
    run_on(state)
    act(state, "draw", DRAW, seat=1)
    act(state, "bid", 2, seat=0)
    act(state, "bid", PASS, seat=1)
    act(state, "payment", CANONICAL, seat=0) if state["decision"] == ten.PAYMENT else None
    act(state, "draw", DRAW, seat=1)  # blue 6: a bust
    assert held(state, 0) == "3/0"
    assert held(state, 1) == "5/1"
    act(state, "draw", DRAW, seat=0)
    act(state, "reward", NUMBERS, seat=0)  # the deck is empty
    act(state, "purchase", NONE, seat=0)
    act(state, "purchase", kind("blue 6"), seat=1)
    act(state, "payment", CANONICAL, seat=1)
    result = final(state)

    assert held(state, 1) == "4/0"  # 5/1 and C = 2 from the other's NUMBERS, less a token and 3 coins
    assert (result["turns"], result["market_left"], result["score_0"], result["score_1"]) == (2, 1, 2, 1)
    assert result["winner"] == 0
    assert result["tie_break"] == 0
    assert result["gap"] == 1
    assert np.sum([result[f"auctions_won_{s}"] for s in range(2)]) == 1
