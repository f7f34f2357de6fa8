"""A given hand: what is dealt, that it is dealt fairly, what is told of it, and what calls on it are worth."""

from __future__ import annotations

import json
from collections import Counter
from math import factorial, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simkit
from simkit import cli
from simkit.any_hand import even_probability, with_bet
from simkit.game import HAND_GIVEN, BadInput
from simkit.games import find, names, tichu, war
from simkit.jit import PLAIN
from simkit.players import known
from simkit.replay import Replay, as_dict, from_file
from simkit.simulate import Plan, make_plan, replay_command
from tests import tichu_state, war_state
from tests.war_state import REFERENCE

TWO_LOW = {"ranks": 2, "copies": 4, "pickup_order": "winner_first"}
STRONG = "2 3 4 5 6 7 Aj As Ph Dr Kj Ks 9 9"
EIGHT = "Aj As Ph Dr Kj Ks 9 T"


def war_deal(hand, seat=0, deal=0, **changes):
    """The packets that are dealt, front first, and the cards left over."""
    rules = war_state.rules_of("war-multi" if changes.get("players", 2) > 2 else "war", **changes)
    game = "war-multi" if changes.get("players", 2) > 2 else "war"
    state = war_state.new_state(game, rules, seed=7, deal=deal)
    give(state, seat, war.read_hand(hand, rules))
    war.start(state)
    return war_state.packets(state), [int(card) for card in state["deck"][state["dealt"] : state["dealt"] + state["left"]]]


def give(state, seat, cards):
    """Ask for a given hand, as the engine does."""
    state["dealing"], state["hand_seat"], state["hand_size"] = HAND_GIVEN, seat, len(cards)
    state["hand_cards"][: len(cards)] = cards


def orders(cards):
    """How many orders of these cards can be told apart."""
    return factorial(len(cards)) // prod(factorial(n) for n in Counter(cards).values())


def z_of_chi_square(counts, cells):
    """How far the counts of `cells` equally likely cells are from even, in standard deviations."""
    total, seen = sum(counts.values()), list(counts.values())
    expected = total / cells
    square = sum((n - expected) ** 2 for n in seen) / expected + (cells - len(seen)) * expected
    return (square - (cells - 1)) / sqrt(2 * (cells - 1))


# ------------------------------------------------------------------------------------------------------------- the deal


@pytest.mark.skipif(PLAIN, reason="many deals")
@pytest.mark.parametrize(
    ("hand", "seat", "changes"),
    [
        ("4 2", 0, {"ranks": 3, "copies": 2}),  # fewer than an equal share
        ("4 3 2 2", 1, {"ranks": 3, "copies": 2}),  # more
        ("4 4 2", 1, {"ranks": 3, "copies": 2}),  # an ordinary half
        ("3 2", 2, {"ranks": 3, "copies": 2, "players": 3}),
        ("4", 1, {"ranks": 3, "copies": 2, "players": 3}),  # one card is left over
    ],
)
def test_every_completion_of_a_hand_is_equally_likely(hand, seat, changes):
    """The order of the given cards, too: every order of the hand with every order of the rest."""
    deals = 12_000
    counts = Counter(str(war_deal(hand, seat, deal, **changes)) for deal in range(deals))

    own = sorted(int(card) for card in hand.split())
    deck = sorted([2, 3, 4] * 2)
    rest = list((Counter(deck) - Counter(own)).elements())
    cells = orders(own) * orders(rest)
    assert len(counts) == cells
    assert abs(z_of_chi_square(counts, cells)) < 4


def test_whom_the_cards_are_dealt_to():
    packets, left = war_deal("A A A A", seat=1)
    assert packets[1] == [14] * 4
    assert sorted(packets[0]) == sorted(list(range(2, 14)) * 4)
    assert left == []

    packets, left = war_deal("K Q", seat=2, players=4)
    assert sorted(packets[2]) == [12, 13]
    assert [len(packet) for packet in packets] == [16, 16, 2, 16]
    assert len(left) == 2


test_whom_the_cards_are_dealt_to.pytestmark = [pytest.mark.modes]


def test_an_equal_share_leaves_over_what_an_ordinary_deal_does():
    """7 cards for four: one each, three left over, not two for each of the others."""
    packets, left = war_deal("8", seat=3, ranks=7, copies=1, players=4)
    assert [len(packet) for packet in packets] == [1, 1, 1, 1]
    assert len(left) == 3
    packets, left = war_deal("8 7", seat=3, ranks=7, copies=1, players=4)
    assert [len(packet) for packet in packets] == [1, 1, 1, 2]
    assert len(left) == 2


@pytest.mark.skipif(PLAIN, reason="many deals")
def test_it_wins_as_often_as_in_all_deals_that_have_it():
    """With two ranks the number of high cards is the hand: the exhaustive run knows its chance exactly."""
    every = simkit.run("war", every_deal=True, rows=True, progress=False, **TWO_LOW).frame
    for high in (1, 2, 3):
        exact = (every[every.aces_0 == high].winner == 0).mean()
        cards = " ".join(["3"] * high + ["2"] * (4 - high))
        found = simkit.hand("war", cards, 20_000, progress=False, **TWO_LOW)
        assert 0 < exact < 1
        assert abs(found.ways[0].success.estimate - exact) < 4 * sqrt(exact * (1 - exact) / 20_000)


@pytest.mark.skipif(PLAIN, reason="many games")
def test_games_of_unequal_packets_are_those_of_the_twin():
    rules = {"pickup_order": "winner_first", "detect_endless": False}
    rows = simkit.run("war", 40, seed=3, hand="A A A A", rows=True, progress=False, **rules).frame
    plan = make_plan("war", seed=3, hand="A A A A", rules=rules)
    for game, row in rows.iterrows():
        packets = next(iter(Replay(plan, game)))["scene"]["packets"]
        twin = REFERENCE.whole(packets, **rules).row
        assert {name: twin[name] for name in ("winner", "battles", "wars")} == {name: row[name] for name in ("winner", "battles", "wars")}


@pytest.mark.skipif(PLAIN, reason="many deals")
@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("text", [STRONG, EIGHT])
def test_tichu_deals_the_hand_and_all_else_evenly(text, seat):
    """In every deal the seat has the cards (8: among its first); every other card is everywhere as often as it should be."""
    deals = 4000
    cards = tichu.read_hand(text, find("tichu").read_rules({}))
    hand = sum(1 << card for card in cards)
    run = simkit.run("tichu", deals, hand=(seat, text), rows=True, columns="first_hand,dealt_hand", progress=False).frame
    first, dealt = ([run[f"{name}_{s}"].to_numpy() for s in range(4)] for name in ("first_hand", "dealt_hand"))

    assert (first[seat] == hand if len(cards) == 8 else dealt[seat] == hand).all()
    assert (sum(dealt) == (1 << 56) - 1).all()
    for s in range(4):
        assert (np.bitwise_count(dealt[s]) == 14).all()
        assert (first[s] & dealt[s] == first[s]).all()
    others = 56 - len(cards)
    for s in range(4):
        chance = {True: (14 - len(cards)) / others, False: 14 / others}[s == seat]
        counts = np.array([(dealt[s] >> card & 1).sum() for card in range(56) if card not in cards])
        spread = sqrt(deals * chance * (1 - chance)) or 1
        assert (abs(counts - deals * chance) < 4 * spread).all()
    if len(cards) == 14:
        early = np.array([(first[seat] >> card & 1).sum() for card in cards])
        assert (abs(early - deals * 8 / 14) < 4 * sqrt(deals * 8 / 14 * 6 / 14)).all()


@pytest.mark.modes
def test_a_seat_of_tichu_has_its_hand():
    state = tichu_state.new_state(seed=3, deal=5)
    cards = tichu.read_hand(EIGHT, find("tichu").read_rules({}))
    give(state, 3, cards)
    tichu.start(state)
    assert int(state["first_hand"][3]) == sum(1 << card for card in cards)
    assert sum(int(hand) for hand in state["dealt_hand"]) == (1 << 56) - 1


def test_a_match_deals_the_hand_in_its_first_round():
    """The deal is that of the round with this number, and the later deals are those of a match without a given hand."""
    rounds = {name: [] for name in ("given", "free")}
    for name, hand in (("given", (3, STRONG)), ("free", None)):
        for event in Replay(make_plan("tichu-match", hand=hand, seed=4, rules={"match_mode": "fixed_rounds", "fixed_rounds": 2}), 6):
            if event.get("scene", {}).get("event") == "dealt":
                rounds[name].append(event["scene"]["hands"])
    round_ = next(e["scene"] for e in Replay(make_plan("tichu", hand=(3, STRONG), seed=4), 6) if e.get("scene", {}).get("event") == "dealt")

    assert len(rounds["given"]) == len(rounds["free"]) == 2
    assert rounds["given"][0] == round_["hands"] != rounds["free"][0]
    assert tichu.read_hand(" ".join(rounds["given"][0][3]), {"deal_8_first": False}) == make_plan("tichu", hand=STRONG).hand_dealt[1]
    assert rounds["given"][1] == rounds["free"][1]


# --------------------------------------------------------------------------------------------------- part of the plan


@pytest.mark.skipif(PLAIN, reason="many games")
@pytest.mark.parametrize(("game", "hand"), [("war", "1: A A A A"), ("tichu", f"2: {EIGHT}")])
def test_results_are_equal_to_the_bit_for_any_jobs(game, hand):
    alone, shared = (simkit.run(game, 600, hand=hand, jobs=jobs, rows=True, progress=False) for jobs in (1, 3))
    assert alone.frame.equals(shared.frame)
    assert not alone.frame.equals(simkit.run(game, 600, rows=True, progress=False).frame)


@pytest.mark.slow
def test_processes_deal_the_same():
    here, there = (simkit.run("war", 3000, hand="A A", backend=name, jobs=2, progress=False) for name in ("threads", "processes"))
    assert here.as_dict()["columns"] == there.as_dict()["columns"]


def test_a_plan_keeps_the_hand():
    plan = make_plan("tichu", hand=f"3: {STRONG}", seed=4)
    assert plan.hand_dealt == (3, tichu.read_hand(STRONG, plan.rules))
    assert Plan.from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    assert make_plan("tichu", hand=plan.hand, seed=4) == plan
    assert plan.hand in replay_command(plan, 5)
    assert make_plan("tichu", seed=4).hand is None
    assert "--hand" not in replay_command(make_plan("tichu", seed=4), 5)


def test_the_command_of_a_run_and_its_rules_hash_name_the_hand():
    from simkit.provenance import command, rules_hash

    plans = [make_plan("war", hand=hand) for hand in (None, "A A", "1: A A", "A K")]
    assert len({rules_hash(plan) for plan in plans}) == 4
    assert "--hand '1: A A'" in command(plans[2])


@pytest.mark.parametrize("seat", [0, 1])
def test_a_replay_is_the_game_of_the_run(seat, tmp_path):
    games = 5
    row = simkit.run("war", games, hand=(seat, "A A K"), rows=True, progress=False).frame
    plan = make_plan("war", hand=(seat, "A A K"))
    for game in range(games):
        replay = Replay(plan, game)
        scenes = [event["scene"] for event in replay]
        assert sorted(scenes[0]["packets"][seat]) == [13, 14, 14]
        assert replay.row == row.loc[game].to_dict()
    facts = as_dict(Replay(plan, 4))
    assert facts["hand"] == f"{seat}: A A K"
    assert "hand" not in as_dict(Replay(plan, 4), 1 - seat)
    (tmp_path / "game.json").write_text(json.dumps(facts))
    assert from_file(tmp_path / "game.json").plan.hand == plan.hand


test_a_replay_is_the_game_of_the_run.pytestmark = [*test_a_replay_is_the_game_of_the_run.pytestmark, pytest.mark.modes]


def test_a_folder_holds_one_hand(tmp_path):
    def kept(hand):
        return simkit.run("war", 50, hand=hand, out=tmp_path, progress=False)

    first = kept("A A")
    assert kept("a, a").as_dict()["columns"] == first.as_dict()["columns"]
    assert json.loads((tmp_path / "manifest.json").read_text())["run"]["hand"] == "0: A A"
    with pytest.raises(BadInput, match="holds another run: hand"):
        kept("A K")
    with pytest.raises(BadInput, match="holds another run: hand"):
        kept(None)


# ------------------------------------------------------------------------------------------------------------- the text


@given(st.permutations(range(56)), st.sampled_from([8, 14]), st.data())
def test_any_hand_can_be_typed(deck, size, data):
    rules = find("tichu").read_rules({})
    cards = deck[:size]
    typed = [data.draw(st.sampled_from([str, str.lower, str.upper]))(tichu.card_text(card)) for card in cards]
    text = data.draw(st.sampled_from([" ", ", ", ";"])).join(typed)
    assert tichu.read_hand(text, rules) == tuple(sorted(cards))
    assert tichu.read_hand(tichu.write_hand(cards, rules), rules) == tuple(sorted(cards))


@pytest.mark.parametrize(
    ("typed", "proper"),
    [
        ("10P dragon PHOENIX mah jong Hound qj 2t as", "Dog MJ 2t Tp Qj As Ph Dr"),
        ("Mah-Jong,DOG,ph,dr,tj,ts,tp,tt", "Dog MJ Tj Ts Tp Tt Ph Dr"),
    ],
)
def test_typing_is_forgiving(typed, proper):
    rules = find("tichu").read_rules({})
    assert tichu.write_hand(tichu.read_hand(typed, rules), rules) == proper


@given(st.lists(st.integers(2, 14), min_size=14, max_size=14).filter(lambda ranks: max(Counter(ranks).values()) <= 4))
def test_cards_without_a_suit_get_one(ranks):
    """Their ranks are those typed."""
    cards = tichu.read_hand(" ".join(tichu.rank_letter(rank) for rank in ranks), find("tichu").read_rules({}))
    assert sorted(card // 4 + 1 for card in cards) == sorted(ranks)
    assert len(set(cards)) == 14


@given(st.integers(2, 10), st.permutations(range(5)))
def test_suits_left_out_make_no_straight_flush(lowest, order):
    """Not of the five, and not together with four of one suit."""
    rules = find("tichu").read_rules({"grand_tichu_cards": 5})
    for named in (0, 4):
        words = [tichu.rank_letter(lowest + k) + ("p" if place < named else "") for place, k in enumerate(order)]
        assert len({card % 4 for card in tichu.read_hand(" ".join(words), rules)}) > 1


@pytest.mark.parametrize(
    ("game", "cards", "rules", "error"),
    [
        ("tichu", "Aj As", {}, "a given hand has 8 or 14 cards; these are 2"),
        ("tichu", EIGHT, {"deal_8_first": False}, "has 14 cards; these are 8"),
        ("tichu", "Aj As Aj Ph Dr 2 3 4", {}, "the card Aj is named twice"),
        ("tichu", "Dr dragon", {}, "the card Dr is named twice"),
        ("tichu", "5 5 5 5 5 Dr Ph 2", {}, "more than four cards of rank 5"),
        ("tichu", "Dragn", {}, r"no card is called Dragn; did you mean Dragon\?"),
        ("tichu", "Ax", {}, "no card is called Ax; did you mean Aj, As, Ap, At"),
        ("tichu", f"4: {EIGHT}", {}, "there is no seat 4"),
        ("tichu-match", "Aj As", {}, "a given hand has 8 or 14 cards; these are 2"),
        ("techu", "A", {}, "techu cannot be played with a given hand; tichu, tichu-match, war, war-multi, razboi can"),
        ("war", "0 Tichu: A A", {}, "Tichu cannot be forced on this hand; nothing can"),
        ("tichu", f"1 Grand Tichu: {STRONG}", {}, "Grand Tichu cannot be forced on this hand; no call, Tichu can"),
        ("tichu", f"4 Tichu: {STRONG}", {}, "there is no seat 4"),
        ("war", "A A A A A", {}, "5 cards of rank A are named, and there are 4"),
        ("war", "B", {}, "no card of this deck is called B"),
        ("war", "14", {"ranks": 9}, "no card of this deck is called 14"),
        ("war", "", {}, "a given hand has 1 to 51 cards"),
        ("war", "3 3 2 2", {"ranks": 2, "copies": 2}, "has 1 to 3 cards, so that each player has one; these are 4"),
        ("war-multi", "2 2", {"players": 3, "copies": 1, "leftover": "remove_twos"}, "2 cards of rank 2 are named, and there are 0"),
        ("war-multi", "A A A", {"players": 4, "leftover": "remove_twos"}, "49 cards do not divide evenly among the others"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(game, cards, rules, error):
    with pytest.raises(BadInput, match=error) as caught:
        make_plan(game, rules=rules, hand=cards)
    assert "\n" not in str(caught.value)


def test_not_with_every_deal():
    with pytest.raises(BadInput, match="a given hand goes with random deals"):
        make_plan("war", hand="A", every_deal=True, rules=TWO_LOW)


# ------------------------------------------------------------------------------------------------------------ the worth


def test_the_break_even_of_a_call():
    """A call of 100 that costs 20 elsewhere needs 60 %: 100 p - 100 (1 - p) = 20."""
    found = even_probability(np.array([-30, -10] * 50), 100)
    assert found.estimate == pytest.approx(0.6)
    assert found.low < 0.6 < found.high
    assert found.high - 0.6 == pytest.approx(1.984 * 10.0504 / 10 / 200, rel=1e-3)


def test_a_bet_is_named_with_the_hand():
    plan = make_plan("tichu", players="greedy_low", hand=(2, EIGHT))
    none, small, grand = find("tichu").calls(plan.hand_dealt[1], plan.rules)
    for number, bet in enumerate((none, small, grand), start=1):
        forced = with_bet(plan, bet)
        assert (forced.hand_dealt, forced.hand_call) == (plan.hand_dealt, number)
        assert make_plan("tichu", players="greedy_low", hand=forced.hand.upper()) == forced
        assert f"--hand '2 {bet.name}: " in replay_command(forced, 0)
    assert plan.hand_call == 0
    assert len(find("tichu").calls(range(14), plan.rules)) == 2


@pytest.mark.skipif(PLAIN, reason="many games")
def test_what_calls_on_a_hand_are_worth():
    """Against the rows of runs made by hand, deal by deal."""
    deals, value = 400, {"Tichu": 100, "Grand Tichu": 200}
    found = simkit.hand("tichu", EIGHT, deals, seat=1, players="greedy_low", seed=5, progress=False)
    forced = {"no call": "never,never", "Tichu": "never,always", "Grand Tichu": "always,never"}
    rows = {}
    for name, parts in forced.items():
        grand, small = parts.split(",")
        seats = ["greedy_low", f"greedy_low[grand={grand},tichu={small}]", "greedy_low", "greedy_low"]
        rows[name] = simkit.run("tichu", deals, players=seats, hand=(1, EIGHT), seed=5, rows=True, progress=False).frame

    assert [way.name for way in found.ways] == ["as greedy_low decides", *forced]
    assert found.ways[0].payoff == found["no call"].payoff  # greedy_low never calls
    assert found["no call"].worth is None
    for name in value:
        way, row = found[name], rows[name]
        gained = row.payoff_1 - rows["no call"].payoff_1
        assert (row.call_1 == {"Tichu": 1, "Grand Tichu": 4}[name]).all()
        assert way.made.estimate == 1
        assert way.success.estimate == (row.out_1 == 1).mean() == (row.call_success_1 == 1).mean()
        assert way.worth.estimate == pytest.approx(gained.mean())
        assert way.worth.se == pytest.approx(gained.std() / sqrt(deals))
        elsewhere = (gained - value[name] * row.call_success_1.map({1: 1, 0: -1})).mean()
        assert way.break_even.estimate == pytest.approx(0.5 - elsewhere / (2 * value[name]))
        # The identity that the break-even stands for.
        assert way.worth.estimate == pytest.approx(2 * value[name] * (way.success.estimate - way.break_even.estimate))
    assert found["Tichu"].success.estimate > 0.3


@pytest.mark.skipif(PLAIN, reason="many games")
def test_calls_are_forced_on_a_player_that_searches_too():
    found = simkit.hand("tichu", EIGHT, 1, players="greedy_low+search(1),random,random,random", progress=False)
    assert [way.name for way in found.ways[1:]] == ["no call", "Tichu", "Grand Tichu"]
    assert [way.made.estimate for way in found.ways[2:]] == [1, 1]


@pytest.mark.skipif(PLAIN, reason="many games")
def test_four_aces_against_forty_eight_cards():
    """The figure is that of the run, and more aces are better."""
    found = simkit.hand("war", "A A A A", 4000, seed=2, progress=False)
    run = simkit.run("war", 4000, hand="A A A A", seed=2, progress=False)
    assert found.ways[0].success == run.win_rate(0)
    assert found.ways[0].payoff == run.mean("payoff_0")
    fewer = simkit.hand("war", "A A A", 4000, seed=2, progress=False).ways[0].success
    assert fewer.high < found.ways[0].success.low


@pytest.mark.skipif(PLAIN, reason="many games")
@pytest.mark.parametrize("seat", [2, 3])
def test_of_a_match_what_counts_is_who_wins_it(seat):
    """The winner is a team, named by its first seat; a call is worth what it changes in that, not what it wins itself."""
    found = simkit.hand("tichu-match", STRONG, 150, seat=seat, players="greedy_low", seed=2, progress=False, target_score=300)
    hands = {"as greedy_low decides": seat, "no call": f"{seat} no call", "Tichu": f"{seat} Tichu"}
    runs = {
        name: simkit.run(
            "tichu-match", 150, hand=(who, STRONG), seed=2, rows=True, players="greedy_low", progress=False, target_score=300
        ).frame
        for name, who in hands.items()
    }

    assert [way.name for way in found.ways] == list(hands)
    assert found.goal == "wins the match"
    for name, run in runs.items():
        assert found[name].success.estimate == (run.winner == seat % 2).mean() == (run[f"payoff_{seat}"] == 2).mean()
        assert found[name].payoff.estimate == run[f"payoff_{seat}"].mean()
        assert found[name].made is found[name].break_even is None
    changed = (runs["Tichu"] != runs["no call"])[f"payoff_{seat}"].mean()
    assert 0 < changed < 0.5
    assert found["Tichu"].worth.estimate == (runs["Tichu"] - runs["no call"])[f"payoff_{seat}"].mean()
    assert (runs["Tichu"][f"tichu_calls_{seat}"] == 1).all()  # greedy_low never calls in later rounds


def test_a_hand_is_judged_by_the_strongest_player_that_the_game_names(monkeypatch, call):
    played = []

    def refuse(plan, **options):
        played.append(plan.players)
        raise BadInput("not now")

    monkeypatch.setattr("simkit.any_hand.play", refuse)
    for game, cards, named in (("tichu", EIGHT, None), ("tichu-match", EIGHT, None), ("tichu", EIGHT, "greedy_low"), ("war", "A A", None)):
        with pytest.raises(BadInput, match="not now"):
            simkit.hand(game, cards, players=named)
    assert [len(set(players)) for players in played] == [1] * 4
    assert [players[0] for players in played] == ["steady", "steady", "greedy_low", "random"]
    told = " ".join(call("hand", "--help")[1].replace("│", " ").split())
    for game in map(find, names()):
        assert game.best_player in {"", *known(game)}
        assert game.best_player == "" or game.read_hand is None or f"in {game.title.split(',')[0]} {game.best_player}" in told
    assert "The strongest that plays all of it: steady." in call("games", "tichu")[1]
    assert json.loads(call("games", "tichu", "--format", "json")[1])["best_player"] == "steady"


def test_several_hands_make_a_table():
    table = simkit.hands("war", ["A A", (1, "K K"), "1: Q"], 60, progress=False, face_down=1)
    assert list(table.cards) == ["A A", "K K", "Q"]
    assert list(table.seat) == [0, 1, 1]
    alone = simkit.hand("war", "K K", 60, seat=1, progress=False, face_down=1)
    assert table.loc[1].dropna().equals(alone.frame.loc[0].dropna())
    with pytest.raises(BadInput, match="5 cards of rank A"):
        simkit.hands("war", ["A", "A A A A A"], 60)
    with pytest.raises(BadInput, match="in a list"):
        simkit.hands("war", "A A")


@pytest.mark.parametrize("options", [{}, {"grand_tichu_cards": 8, "tichu_windows": "w3"}])
def test_what_is_forced_is_what_happens(options):
    """The call is made in the first window offered, whatever the player chooses; others, and later rounds, are free."""
    plan = make_plan("tichu-match", rules={"match_mode": "fixed_rounds", "fixed_rounds": 2, **options}, hand=EIGHT, players="random")
    for bet in find("tichu-match").calls(plan.hand_dealt[1], plan.rules):
        made = [[], []]
        for event in Replay(with_bet(plan, bet), 2):
            decision = event.get("decision", {})
            if decision.get("kind") in ("grand", "tichu"):
                made[decision["scene"]["round"]].append(decision)
        first = [one for one in made[0] if one["seat"] == 0]
        assert sum(one["move"] != 0 for one in first) == (bet.value > 0)
        assert all(len(set(one["legal"])) == 1 for one in first)
        assert {len(set(one["legal"])) for one in made[0] + made[1] if one not in first} == {2}
        assert any(one["seat"] == 0 for one in made[1])


# ------------------------------------------------------------------------------------------------------ the command line


@pytest.fixture
def call(capfd):
    def of(*words):
        capfd.readouterr()
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return code, out, err

    return of


def test_the_command_prints_the_figures(call):
    found = simkit.hand("war", "A A A A", 80, progress=False)
    code, out, err = call("hand", "war", "A", "a", "A", "A", "-n", 80, "--format", "json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts["ways"] == found.as_dict()["ways"]
    assert (facts["cards"], facts["seat"], facts["goal"], facts["deals"]) == ("A A A A", 0, "wins", 80)
    assert call("hand", "war", "A A A A", "-n", 80, "--format", "csv")[1].splitlines()[1].startswith("A A A A,0,as dealt,80,")
    code, out, err = call("hand", "war", "A A A A", "-n", 80, "--seat", 1)
    assert code == 0
    assert out.startswith("war: seat 1 is dealt A A A A\n")


def test_the_command_takes_a_hand_with_its_seat_and_call(call):
    assert call("hand", "war", "1: A A", "-n", 80)[1].startswith("war: seat 1 is dealt A A\n")
    assert call("hand", "war", "1: A A", "--seat", 1)[::2] == (2, "simkit: the hand names its seat itself (1:); leave out --seat\n")
    code, out, _ = call("hand", "tichu", f"2 Tichu: {STRONG}", "-n", 2, "--players", "greedy_low", "--format", "json")
    facts = json.loads(out)
    assert (code, facts["seat"], [way["way"] for way in facts["ways"]]) == (0, 2, ["Tichu"])


def test_the_command_tells_what_a_call_is_worth(call):
    code, out, _ = call("hand", "tichu", STRONG, "-n", 40 if not PLAIN else 1, "--players", "greedy_low")
    assert code == 0
    assert "goes out first" in out
    assert "Tichu (100 points)" in out
    assert "Grand Tichu" not in out  # decided before all 14 are seen


@pytest.mark.parametrize(
    "words",
    [("tichu", "Aj As"), ("tichu", "Dragn"), ("war", "A A A A A"), ("war", "A", "--seat", "2"), ("techu", "A"), ("war", "A", "-n", "0")],
)
def test_errors_are_one_line_and_code_2(words, call):
    code, out, err = call("hand", *words)
    assert (code, out) == (2, "")
    assert err.startswith("simkit: ")
    assert err.count("\n") == 1


def test_run_and_replay_take_a_hand(call):
    code, out, _ = call("run", "war", "-n", 20, "--hand", "1: K K", "--format", "json")
    assert code == 0
    assert json.loads(out)["hand"] == "1: K K"
    code, out, _ = call("replay", "war", "--hand", "1: K K", "--game", 3)
    assert code == 0
    assert "Seat 1 is dealt K K\n" in out
    assert "seat 1 is dealt K K" in call("run", "war", "-n", 20, "--hand", "1: K K")[1]


@pytest.mark.parametrize("words", [("run", "war", "-n", 20), ("replay", "war"), ("play", "tichu")])
def test_two_hands_are_refused(words, call):
    code, out, err = call(*words, "--hand", "K K", "--hand", "1: A A")

    assert (code, out) == (2, "")
    assert err == "simkit: one hand can be given, and these are 2: K K; 1: A A\n"
