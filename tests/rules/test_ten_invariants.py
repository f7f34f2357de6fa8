"""What always holds in TEN (docs/rules/ten.md, section 6), whatever the rules and the deck; scores; what a player may see; guesses."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simkit.game import OVER
from simkit.games import find, ten
from simkit.jit import PLAIN
from simkit.simulate import Engine, make_plan
from tests.reference import ten as reference
from tests.strategies import deals, seeds, ten_rules
from tests.ten_state import act, deck_left, drawn, give, legal_moves, new_state, new_view, pile, played, position, row, run_on

EXAMPLES = settings(max_examples=2 if PLAIN else 30)
SEATS = range(5)
modes = pytest.mark.modes


def whole_game(rules: dict[str, Any], seed: int, deal: int, bold: int = 0):
    """A game of random moves, seen at every decision and at the end; `bold` in 0..2: how low bids are kept."""
    pick = random.Random(f"{seed} {deal}").randrange

    def choose(state, moves):
        low = state["decision"] == ten.BID and bold > 0
        return moves[min(pick(len(moves)), bold)] if low else moves[pick(len(moves))]

    return played(new_state(seed=seed, deal=deal, **rules), choose)


def places(state) -> Counter:
    """Every card, wherever it is."""
    found = deck_left(state) + [each for name in ("tableau", "market", "discard") for each in pile(state, name)]
    found += [each for s in SEATS for each in pile(state, "held", s)] + ten.kinds_in(state["paid"])
    table = state["table"]
    if table["auctioned"] >= 0:
        found.append(int(table["auctioned"]))
    elif table["payer"] >= 0:
        found.append(int(table["paid_for"]))
    return Counter(found)


@modes
@EXAMPLES
@given(ten_rules(), seeds, deals, st.integers(0, 2))
def test_invariants_1_2_3_6_8_at_every_decision(rules, seed, deal, bold):
    read = find("ten").read_rules(rules)
    whole_deck = Counter({each: n for each, n in enumerate(ten.deck_of(read)) if n})
    most = ten.limit_of(read["coin_limit"])
    for state in whole_game(rules, seed, deal, bold):
        table = state["table"]
        assert places(state) == whole_deck
        assert Counter(ten.kinds_in(table["left"])) == Counter(deck_left(state))
        assert all(0 <= table["coins"][s] <= most and table["bust_tokens"][s] >= 0 for s in SEATS)
        if read["bust_token_supply"] != "none":
            assert table["token_supply"] + sum(table["bust_tokens"]) == read["bust_token_supply"]
        if state["seat"] != OVER and state["decision"] == ten.DRAW_OR_STOP:
            assert table["total"] <= read["bust_limit"]
            assert table["currency"] <= ten.limit_of(read["currency_bust_limit"])
        assert table["bought"] <= read["buy_limit"]
        wilds = [each for each in pile(state, "market") if each >= ten.HASH]
        assert not wilds or (read["unsold_wild"] == "market" and max(wilds) < ten.CURRENCY)
        for s in SEATS:
            owned = Counter(pile(state, "held", s))
            assert int(table["owned"][s]) == sum(1 << each for each in owned)
            assert int(table["several"][s]) == sum(1 << each for each, n in owned.items() if n > 1)
            assert table["cards"][s] == owned.total()
            assert not any(each >= ten.CURRENCY for each in owned)
        assert int(table["market_kinds"]) == sum(1 << each for each in set(pile(state, "market")))
        shown = Counter(each for each in pile(state, "tableau") if each < ten.HASH)
        assert int(table["tableau_kinds"]) == sum(1 << each for each in shown)
        assert int(table["tableau_several"]) == sum(1 << each for each, n in shown.items() if n > 1)


@modes
@EXAMPLES
@given(ten_rules(), seeds, deals, st.integers(0, 2))
def test_invariants_4_5_7_of_the_row(rules, seed, deal, bold):
    *_, state = whole_game(rules, seed, deal, bold)
    result, read = row(state), find("ten").read_rules(rules)
    seats = range(read["players"])
    counts = ten.deck_of(read)

    def total(name, over=seats):
        return sum(result[f"{name}_{s}"] for s in over)

    assert result["auctions"] == sum(counts[ten.HASH : ten.CURRENCY]) == total("wilds_met")
    assert result["unsold"] + total("auctions_won") == result["auctions"]
    ends = ("turns_numbers", "turns_money", "turns_number_bust", "turns_currency_bust", "turns_empty")
    assert result["turns"] == sum(total(name) for name in ends)
    assert total("cards_drawn") == result["deck_size"] == sum(counts)
    assert total("win_share") == 60
    colours = [total(f"score_{colour}") for colour in ten.COLOUR_NAMES]
    assert sum(colours) == total("score")
    for s in seats:
        assert 0 <= result[f"score_{s}"] <= 4 * (9 * read["run_points"] + read["full_run_bonus"])
        bonuses = read["full_run_bonus"] * result[f"full_runs_{s}"]
        assert result[f"score_{s}"] - bonuses <= read["run_points"] * result[f"cards_{s}"]
        assert result[f"coins_{s}"] == (
            read["start_coins"]
            + result[f"coins_money_{s}"]
            + result[f"coins_received_{s}"]
            - result[f"auction_coins_{s}"]
            - result[f"purchase_coins_{s}"]
        )
        paid = result[f"auction_tokens_{s}"] + result[f"purchase_tokens_{s}"]
        assert result[f"bust_tokens_{s}"] == result[f"tokens_granted_{s}"] - paid
    assert sum(result[f"sold_{sale}"] for sale in ten.SALES) == total("auctions_won")
    assert sum(result[f"price_{sale}"] for sale in ten.SALES) == total("auction_price")


@pytest.mark.parametrize(("players", "wilds"), [(2, 8), (3, 14), (4, 18), (5, 18)])
def test_auctions_per_game_are_the_wilds_of_the_deck(players, wilds):
    plan = make_plan("ten", rules={"players": players}, players="random", games=200, seed=5)
    counts = Engine(plan).play(0, 200, np.zeros(1, np.int64)).tally.counts("auctions")
    assert counts.values[counts.games > 0].tolist() == [wilds]


@pytest.mark.skipif(PLAIN, reason="thousands of games take minutes without the compiler")
def test_seats_of_random_players_are_alike():
    """The start is uniform, so every seat wins as often (2.1.3)."""
    games = 40_000
    plan = make_plan("ten", players="random", games=games, seed=11)
    tally = Engine(plan).play(0, games, np.zeros(1, np.int64)).tally
    for s in range(4):
        shares, starts = tally.counts(f"win_share_{s}"), tally.counts("first_mover")
        mean = (shares.values * shares.games).sum() / games / 60
        spread = np.sqrt(((shares.values / 60 - mean) ** 2 * shares.games).sum() / games)
        assert abs(mean - 0.25) < 4 * spread / np.sqrt(games)
        assert abs(int(starts.games[starts.values == s].sum()) - games / 4) < 4 * np.sqrt(games * 3 / 16)


def test_ordinary_games_stay_inside_the_windows():
    game = find("ten")
    plan = make_plan("ten", players="random", games=50 if PLAIN else 2000, seed=3, columns="all", rows=True)
    rows = Engine(plan).play(0, plan.games, np.zeros(1, np.int64)).rows
    for name, values in zip(plan.row_cells, rows.T, strict=True):
        column = game.cell_columns[name]
        if column.tallied:
            assert column.low <= values.min(), name
            assert values.max() < column.low + column.width, name


# ---------------------------------------------------------------------------------------------------- scores (2.10)


def as_reference(kinds: list[int]) -> list[tuple[int, int]]:
    """Cards as the slow twin writes them."""

    def one(each):
        if each < ten.HASH:
            return divmod(each, 9)[0], each % 9 + 1
        if each < ten.NUMBERED:
            return each - ten.HASH, reference.HASH
        return (reference.WILD, reference.FULL) if each == ten.FULL else (reference.WILD, each - ten.NUMBERED + 1)

    return [one(each) for each in kinds]


def random_collection(pick: random.Random) -> list[int]:
    """A collection of any size: few cards or many, few wilds or many."""
    numbers = pick.choices(range(36), k=pick.choice([0, 2, 5, 10, 15, 25]))
    wilds = pick.choices(range(ten.HASH, ten.CURRENCY), k=pick.choice([0, 0, 1, 2, 3, 4, 6, 8]))
    return numbers + wilds


def scored(kinds: list[int], **rules: Any) -> int:
    state = position(deck="red 1", **rules)
    give(state, 0, kinds)
    return int(ten.optimum(state["rules"], int(state["table"]["owned"][0]), int(state["table"]["held"][0][4])))


def every_choice(kinds: list[int]) -> int:
    """Section 2.10 word by word, for red and blue cards and wilds used there: every pair of intervals, every way to give each missing number a wild."""
    owned = [{each % 9 + 1 for each in kinds if each // 9 == c and each < 36} for c in range(2)]
    wilds = [each for each in kinds if each >= ten.HASH]

    def fits(missing, left):
        if not missing:
            return True
        (c, n), *rest = missing
        return any(
            wild in (ten.HASH + c, ten.NUMBERED + n - 1, ten.FULL) and fits(rest, left[:i] + left[i + 1 :]) for i, wild in enumerate(left)
        )

    intervals = [None, *((a, b) for a in range(1, 10) for b in range(a, 10))]
    best = 0
    for pair in itertools.product(intervals, repeat=2):
        runs = [range(each[0], each[1] + 1) if each else range(0) for each in pair]
        points = sum(len(run) + (len(run) == 9) for run in runs)
        missing = [(c, n) for c, run in enumerate(runs) for n in run if n not in owned[c]]
        if points > best and len(missing) <= len(wilds) and fits(missing, wilds):
            best = points
    return best


@pytest.mark.skipif(PLAIN, reason="the pairs of intervals take minutes without the compiler")
def test_scores_are_the_best_of_every_choice():
    """The other two colours have complete runs, so that no wild is of use there."""
    pick, complete = random.Random(7), list(range(18, 36))
    for _ in range(150):
        kinds = pick.choices(range(18), k=pick.choice([2, 4, 7])) + pick.choices([36, 37, *range(40, 50)], k=pick.randrange(4))
        assert scored(kinds + complete) >> ten.POINTS == every_choice(kinds) + 20, kinds


def expected(kinds: list[int], rules: dict[str, Any]) -> int:
    return reference.score(as_reference(kinds), reference.make_rules(**rules))


SCORING = [{}, {}, {"full_run_bonus": 20}, {"run_points": 3, "full_run_bonus": 0}, {"min_run": 3}, {"wild_only_runs": False}]


@pytest.mark.skipif(PLAIN, reason="thousands of scores take minutes without the compiler")
def test_scores_equal_the_twins_on_five_thousand_collections():
    pick = random.Random(8)
    states = [position(deck="red 1", **rules) for rules in SCORING]
    for number in range(5000):
        rules, state = SCORING[number % len(SCORING)], states[number % len(SCORING)]
        kinds = random_collection(pick)
        table = state["table"]
        table["held"][0], table["owned"][0], table["several"][0], table["cards"][0] = 0, 0, 0, 0
        give(state, 0, kinds)
        value = int(ten.score_now(table, 0, state["rules"]))
        assert value == expected(kinds, rules), (kinds, rules)


# ------------------------------------------------------------------------------------------- views and guesses (4)


def same(one: Any, other: Any) -> bool:
    """Whether two views are alike but for the strategy's own fields."""
    return all(np.array_equal(one[name], other[name]) for name in ("seat", "decision", "table", "seen", "history"))


def observed(state: Any, seat: int) -> Any:
    view = new_view(state)
    ten.observe(state, seat, view)
    return view


@modes
@EXAMPLES
@given(ten_rules(), seeds, deals, st.integers(0, 2))
def test_a_view_does_not_change_with_the_order_of_the_deck(rules, seed, deal, bold):
    order = random.Random(deal)
    for state in whole_game(rules, seed, deal, bold):
        if state["seat"] == OVER:
            break
        if order.random() > 0.2:
            continue
        seat, begin, end = (
            int(state["seat"]),
            int(state["table"]["deck_total"] - state["table"]["deck_size"]),
            int(state["table"]["deck_total"]),
        )
        before, moves, kept = observed(state, seat), legal_moves(state), [int(each) for each in state["deck"][begin:end]]
        state["deck"][begin:end] = order.sample(kept, len(kept))
        assert same(observed(state, seat), before)
        assert legal_moves(state) == moves
        state["deck"][begin:end] = kept


@modes
@EXAMPLES
@given(ten_rules(), seeds, deals, st.integers(0, 2))
def test_a_guess_gives_the_same_view_and_can_be_played_out(rules, seed, deal, bold):
    pick, guessed = random.Random(deal), new_state(**rules)
    for state in whole_game(rules, seed, deal, bold):
        if state["seat"] == OVER or pick.random() > 0.05:
            continue
        seat = int(state["seat"])
        view = observed(state, seat)
        ten.guess(view, guessed)
        assert same(observed(guessed, seat), view)
        assert legal_moves(guessed) == legal_moves(state)
        assert Counter(deck_left(guessed)) == Counter(deck_left(state))
        assert places(guessed) == places(state)
        play_out(guessed, pick)
        assert guessed["table"]["deck_size"] == 0
        assert places(guessed) == places(state)


def play_out(state: Any, pick: random.Random) -> None:
    """Any legal moves to the end of the game; nobody ever pays with what they have not."""
    while state["seat"] != OVER:
        ten.step(state, pick.choice(legal_moves(state)) if state["seat"] >= 0 else 0)
        assert min(*state["table"]["coins"], *state["table"]["bust_tokens"], *state["table"]["cards"]) >= 0


@modes
@pytest.mark.parametrize(
    ("holding", "bid", "rules"),
    [
        ("10/9", 37, {}),
        ("10/9", 37, {"bust_token_supply": 9}),
        ("10/0", 12, {"bust_token_supply": 0}),
        ("5/1", 15, {"coin_limit": 5, "bust_token_value": 10, "cards_as_payment": "buy"}),
        ("60/0", 66, {"coin_limit": "none", "coin_supply": "none", "bust_token_value": 0, "card_payment_value": 3}),
    ],
)
def test_a_guess_at_hidden_tokens_leaves_the_highest_bidder_what_was_bid(holding, bid, rules):
    """Otherwise the winner of the auction would pay with cards that are not there, or have no legal payment."""
    state = drawn(
        deck="red #, blue 2, green 5, currency 1",
        collections=["", "red 1, blue 1", ""],
        holdings=["0/0", holding, "70/0"],
        tokens_public=False,
        **rules,
    )
    act(state, "bid", bid, seat=1)
    pick, guessed = random.Random(bid), new_state(players=3, tokens_public=False, **rules)
    view = observed(state, 2)
    for _ in range(2 if PLAIN else 40):
        ten.guess(view, guessed)  # the view's stream goes on
        table = guessed["table"]
        assert ten.means(table, 1, guessed["rules"], True) >= bid
        assert max(table["coins"][:2]) <= ten.limit_of(rules.get("coin_limit", 10))
        assert min(*table["coins"], *table["bust_tokens"], table["token_supply"]) >= 0
        assert table["token_supply"] + sum(table["bust_tokens"]) == rules.get("bust_token_supply", 15)
        assert legal_moves(guessed) == legal_moves(state)
        play_out(guessed, pick)


@pytest.mark.skipif(PLAIN, reason="a game of search takes minutes without the compiler")
def test_games_with_hidden_tokens_are_searched():
    plan = make_plan("ten", rules={"tokens_public": False}, players="random+search(1)", games=20, seed=1)

    assert Engine(plan).play(0, plan.games, np.zeros(1, np.int64)).tally.games == plan.games


def copied(state: Any) -> Any:
    """A state of its own, as it is now."""
    other = new_state()
    for name in state.dtype.names:
        other[name] = state[name]
    return other


def test_a_view_used_again_is_written_completely():
    """After any other position: of another game, earlier or later in the same one, or of the same deal gone another way."""
    pick = random.Random(3)
    positions = [copied(state) for seed in (1, 2) for bold in range(3) for state in whole_game({}, seed, 0, bold) if state["seat"] != OVER]
    view, shared = observed(positions[0], 0), 0
    for _ in range(600):
        state, seat = pick.choice(positions), pick.randrange(4)
        shared += int(ten.shown_before(state, view)) > 0
        ten.observe(state, seat, view)
        assert same(view, observed(state, seat))
    assert shared > 30


def test_views_that_part_within_a_turn_are_written_completely():
    """A search tries one move after the other from the same position, and shows each line to the same views."""
    pick = random.Random(4)
    positions = [copied(state) for state in whole_game({}, 3, 0, 1) if state["seat"] != OVER]
    view = observed(positions[0], 0)
    for state in positions[::3]:
        for _ in range(3):
            line = copied(state)
            for _ in range(4):
                if line["seat"] == OVER:
                    break
                ten.observe(line, 0, view)
                assert same(view, observed(line, 0))
                ten.step(line, pick.choice(legal_moves(line)))
                run_on(line)


# ------------------------------------------------------------------------------------------------------- strategies


def every_part() -> list[str]:
    from simkit.players import known

    return [name for name, made in known(find("ten")).items() if made.function is not None]


@pytest.mark.slow
def test_no_strategy_sees_the_order_of_the_deck():
    """Every part's choice is the same whatever the order of the deck."""
    from simkit.play import read_only
    from simkit.players import compile_strategy, known

    strategies = [made for made in known(find("ten")).values() if made.function is not None]
    game, order = find("ten"), random.Random(4)
    compiled = [(made, compile_strategy(made, game)) for made in strategies]
    moves = np.zeros(ten.MOST_MOVES, np.int64)
    asked: Counter = Counter()
    for deal in range(5):
        for state in whole_game({}, 9, deal, deal % 3):
            if state["seat"] == OVER:
                break
            seat = int(state["seat"])
            begin, end = int(state["table"]["deck_total"] - state["table"]["deck_size"]), int(state["table"]["deck_total"])
            n = ten.legal(state, moves)
            for made, decide in compiled:
                if made.decisions and ten.DECISIONS[int(state["decision"])] not in made.decisions:
                    continue
                choices = set()
                for _ in range(2):
                    view = observed(state, seat)
                    view["params"][: len(made.numbers)] = list(made.numbers.values())
                    choices.add(int(decide(view, read_only(moves), n)))
                    state["deck"][begin:end] = order.sample([int(each) for each in state["deck"][begin:end]], end - begin)
                assert len(choices) == 1, made.name
                assert 0 <= min(choices) < n, made.name
                asked[made.name] += 1
    assert min(asked[made.name] for made in strategies) > 4
