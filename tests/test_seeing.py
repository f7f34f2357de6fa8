"""What people see of games: replays, one seat's view of them, play at the terminal, and templates to begin with."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import threading
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

import simkit
from simkit import cli, replay
from simkit.commands.play import seated
from simkit.game import BadInput
from simkit.games import find, names, tichu
from simkit.jit import PLAIN
from simkit.play import compiled
from simkit.replay import Choice, Replay, Stopped, again, as_dict, from_file, lines, read_moves
from simkit.scaffold import commented, field_lines, strategy_text, tries
from simkit.simulate import make_plan
from simkit.table import Person, fitting, in_columns
from tests.commands import one_line
from tests.commands import simkit as run_command
from tests.strategies import seeds, stealing_war_rules, techu_rules, ten_rules, tichu_rules

GOLDEN = Path(__file__).parent / "golden"
TECHU_PLAY = ("techu", "--seed", 1, "--against", "greedy_spaces")
STEALING_PLAY = ("stealing-war", "--seed", 20, "--rule", "players=3", "--against", "always")


def golden(name):
    return (GOLDEN / name).read_text(encoding="utf-8")


@pytest.fixture
def call(capfd, monkeypatch):
    """A command within this process, with what is typed: exit code, what it printed, what it said."""

    def of(*words, typed=""):
        capfd.readouterr()
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return of


# ------------------------------------------------------------------------------------------------------- what is printed


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("techu", "--seed", 1, "--game", 5), "techu_seed1_game5.txt"),
        (("techu", "--seed", 1, "--game", 5, "--as", 0), "techu_seed1_game5_as0.txt"),
        (("stealing-war", "--seed", 20, "--rule", "players=3", "--players", "always"), "stealing_war_seed20_game0.txt"),
        (("tichu", "--seed", 1), "tichu_seed1_game0.txt"),
        (("tichu", "--seed", 1, "--as", 0), "tichu_seed1_game0_as0.txt"),
        (("tichu-match", "--seed", 1, "--game", 148, "--rule", "target_score=200"), "tichu_match_seed1_game148.txt"),
        (("ten", "--seed", 3, "--rule", "players=2"), "ten_seed3_game0.txt"),
        (("ten", "--seed", 3, "--rule", "players=2", "--as", 1), "ten_seed3_game0_as1.txt"),
        (("tacocat", "--seed", 1), "tacocat_seed1_game0.txt"),
        (("tacocat", "--seed", 1, "--as", 1), "tacocat_seed1_game0_as1.txt"),
    ],
)
def test_a_replay_is_this_text(words, name, call):
    assert call("replay", *words).out == golden(name)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (TECHU_PLAY, "techu_play"),
        (STEALING_PLAY, "stealing_war_play"),
        (("tichu", "--seed", 2, "--against", "random", "--partner", "random"), "tichu_play"),
        (("ten", "--seed", 3, "--rule", "players=2"), "ten_play"),
        (("tacocat", "--seed", 1, "--against", "random"), "tacocat_play"),
    ],
)
def test_a_game_played_at_the_terminal_is_this_text(words, name, call):
    done = call("play", *words, typed=golden(f"{name}_typed.txt"))

    assert done.code == 0
    assert done.out == golden(f"{name}.txt")


@pytest.mark.parametrize(("game", "packed"), [("techu", "board_0"), ("tichu", "first_hand_0"), ("war", None)])
def test_a_replay_in_text_leaves_out_what_is_packed_into_a_number(game, packed, call):
    text, row = call("replay", game).out, json.loads(call("replay", game, "--json").out)["result"]
    recorded = text.split("Recorded of this game")[1]

    assert ("(more in --json)" in recorded) == (packed is not None)
    assert f" {packed}=" not in recorded
    assert packed is None or packed in row
    assert "payoff_0=" in recorded


def test_colours_are_for_terminals_only(call, monkeypatch):
    plain = call("replay", "techu", "--game", 5).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = call("replay", "techu", "--game", 5).out
    monkeypatch.setenv("NO_COLOR", "1")
    without = call("replay", "techu", "--game", 5).out

    assert "\x1b" not in plain
    assert "\x1b[1;36mBlack\x1b[0m" in coloured
    assert re.search(r"\x1b\[1;31m\(?R\w+", coloured)
    assert "36m" not in without
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == re.sub(r"\x1b\[[\d;]*m", "", without) == plain


# ------------------------------------------------------------------------------------------------- what a seat may know

NOT_IN_A_VIEW = {
    "techu": {"event"},
    "tacocat": {"event", "actor", "last_cards", "round_winner"},
    "stealing-war": {"thief", "stolen_from", "stolen_with", "refills"},
    "ten": set(),
    "tichu": {"event", "actor", "shown"},
    "tichu-match": {"event", "actor", "shown"},
}
"""What scenes say of the past that a view does not: a guess from it cannot give it back."""
HIDDEN = ("hands", "decks", "packets", "deck")
"""Fields of scenes that hold hidden cards."""


def one(dtype):
    array = np.zeros(1, dtype)
    return array, array.view(np.recarray)[0] if PLAIN else array[0]


def guesses(replay, seat, number):
    """Scenes of full positions that this seat's view allows."""
    game, engine = replay.plan.definition, replay.engine
    functions, guess = compiled(game).functions, compiled(game).guess
    state = replay._record(engine.states, 0)
    _, view = one(game.view)
    view["rules"] = engine.states["rules"][0]
    functions[2](state, seat, view)
    for k in range(number):
        view["rng"][:4] = (k + 1, 2, 3, 4)
        array, guessed = one(game.state)
        guess(view, guessed)
        yield game.scene(array[0])


def check_that_a_view_tells_all_that_is_seen(name, rules, seed):
    """What is seen depends on the view alone: positions that look the same to a seat, with other hidden cards, are seen the same."""
    game = find(name)
    plan = make_plan(name, rules=rules, games=1, seed=seed)
    replay, decisions, others = Replay(plan, 0), 0, 0
    for event in replay:
        seat = int(replay.engine.states["seat"][0])
        if "scene" not in event or seat < 0:
            continue
        decisions += 1
        left_out = NOT_IN_A_VIEW[name]
        seen = {key: value for key, value in game.seen(event["scene"], seat).items() if key not in left_out}
        for scene in guesses(replay, seat, 2):
            assert {key: value for key, value in game.seen(scene, seat).items() if key not in left_out} == seen
            others += {key: value for key, value in scene.items() if key in HIDDEN} != {
                key: value for key, value in event["scene"].items() if key in HIDDEN
            }
    few = rules.get("ranks", 13) * rules.get("copies", 4) < 20  # then a guess may have no choice
    assert few or decisions < 5 or others > 0


@settings(max_examples=30 if not PLAIN else 2)
@given(rules=techu_rules(), seed=seeds)
def test_what_is_seen_of_techu_depends_on_the_view_alone(rules, seed):
    check_that_a_view_tells_all_that_is_seen("techu", rules, seed)


@settings(max_examples=30 if not PLAIN else 2)
@given(rules=stealing_war_rules(), seed=seeds)
def test_what_is_seen_of_stealing_war_depends_on_the_view_alone(rules, seed):
    check_that_a_view_tells_all_that_is_seen("stealing-war", rules, seed)


@settings(max_examples=10 if not PLAIN else 2)
@given(seed=seeds)
def test_what_is_seen_of_tacocat_depends_on_the_view_alone(seed):
    check_that_a_view_tells_all_that_is_seen("tacocat", {}, seed)


@settings(max_examples=8 if not PLAIN else 1)
@given(rules=tichu_rules(), seed=seeds)
def test_what_is_seen_of_tichu_depends_on_the_view_alone(rules, seed):
    check_that_a_view_tells_all_that_is_seen("tichu", rules, seed)


@settings(max_examples=6 if not PLAIN else 1)
@given(rules=ten_rules(tokens_public=False), seed=seeds)
def test_what_is_seen_of_ten_depends_on_the_view_alone(rules, seed):
    check_that_a_view_tells_all_that_is_seen("ten", rules, seed)


def test_an_offer_of_a_bomb_shows_nobody_else_that_it_was_made():
    """Section 5 of the rules page: not even that somebody was asked."""
    game, offers = find("tichu"), 0
    for number in range(40 if not PLAIN else 0):
        latest = None
        for event in Replay(make_plan("tichu", games=40, seed=1), number):
            if "scene" in event:
                latest = event["scene"]
            elif event["decision"]["kind"] == "bomb":
                offers += 1
                asked = event["decision"]["seat"]
                assert [game.seen(latest, seat) == {} for seat in range(4)] == [seat != asked for seat in range(4)]
    assert offers > 0 or PLAIN


def test_pushed_cards_of_tichu_are_seen_by_giver_and_receiver_alone():
    game = find("tichu")
    scenes = [event["scene"] for event in Replay(make_plan("tichu", games=1, seed=1), 0) if "scene" in event]
    before = [scene for scene in scenes if scene["kind"] == "push" and not scene["exchanged"] and scene["pushed"][0][0]]
    after = next(scene for scene in scenes if scene["event"] == "pushed")
    for scene in before:
        seat = scene["seat"]
        pushed = game.seen(scene, seat)["pushed"]
        assert pushed[seat] == scene["pushed"][seat]
        assert all(cards == [None, None, None] for giver, cards in enumerate(pushed) if giver != seat)
    for seat in range(4):
        for giver, cards in enumerate(game.seen(after, seat)["pushed"]):
            for k, card in enumerate(cards):
                assert card == (after["pushed"][giver][k] if seat in (giver, (giver + 1 + k) % 4) else None)
    assert len(before) > 3


def test_eight_cards_are_seen_at_grand_tichu_and_fourteen_afterwards():
    game = find("tichu")
    seen = [game.seen(event["scene"], 2) for event in Replay(make_plan("tichu", games=1, seed=1), 0) if "scene" in event]
    sizes = [len(scene["hands"][2]) for scene in seen if scene and scene["kind"] in ("grand", "tichu", "push")]

    assert sizes[0] == 8
    assert set(sizes[1:]) == {14}


def test_tokens_that_are_not_public_are_not_seen_in_ten():
    game, scenes = find("ten"), 0
    for event in Replay(make_plan("ten", rules={"tokens_public": False, "players": 3}, games=1, seed=1), 0):
        for seat in range(3):
            scene = game.seen(event["scene"], seat) if "scene" in event else {}
            if scene:
                scenes += 1
                assert [coins is None for coins in scene["coins"]] == [other != seat for other in range(3)]
                assert [tokens is None for tokens in scene["bust_tokens"]] == [other != seat for other in range(3)]
                assert scene["seat"] in (seat, -1, -2)
    assert scenes > 50


def test_every_game_with_hidden_cards_says_what_is_seen():
    """A game that can be searched hides something, so its `seen` is its own, and tested above."""
    assert [name for name in names() if find(name).guess is not None and name not in NOT_IN_A_VIEW] == []


def test_hidden_cards_of_techu_are_numbers_and_hidden_choices_none():
    plan = make_plan("techu", rules={"discard_visibility": "hidden"}, games=1, seed=3)
    scenes = [event["scene"] for event in Replay(plan, 0) if "scene" in event]
    game, red_discards = find("techu"), 0
    for scene in scenes:
        seen = game.seen(scene, 0)
        assert seen["hands"] == [scene["hands"][0], len(scene["hands"][1])]
        assert seen["decks"] == [len(deck) for deck in scene["decks"]]
        assert seen["discards"] == [scene["discards"][0], len(scene["discards"][1])]
        if scene["event"] == "acted" and scene["seat"] == 1 and scene["move"] & 31 == 31:
            red_discards += 1
            assert seen["move"] is None
            assert "  Red: discard, face down; spaces" in game.tell(seen)[0]
        else:
            assert seen["move"] == scene["move"]
    assert red_discards > 0
    chosen = next(scene for scene in scenes if scene["event"] == "chosen")
    assert chosen["chosen"][0] > 0
    assert game.seen(chosen, 1)["chosen"] == [None, -1]
    assert game.seen(chosen, 0)["chosen"] == [chosen["chosen"][0], None]


def test_open_discards_of_techu_are_seen():
    plan = make_plan("techu", games=1, seed=3)
    scene = [event["scene"] for event in Replay(plan, 0) if "scene" in event][-1]

    assert any(scene["discards"])
    assert find("techu").seen(scene, 0)["discards"] == scene["discards"]


def test_what_a_techu_player_knows_by_counting_is_right():
    """The own deck, and the other's hand and deck, both as sets of cards."""
    game = find("techu")
    names = {"J": 11, "Q": 12, "K": 13, "A": 14}
    for event in Replay(make_plan("techu", games=1, seed=4), 0):
        scene = event.get("scene", {})
        if scene.get("event") != "drew" or scene["first_mover"] < 0:
            continue
        seat, told = scene["seat"], game.tell(game.seen(scene, scene["seat"]))
        own, other = ([int(names.get(word, word)) for word in re.findall(r"\b(?:\d+|[JQKA])\b", line)] for line in told[-2:])
        assert own == sorted(scene["decks"][seat])
        assert other == sorted(scene["hands"][1 - seat] + scene["decks"][1 - seat])
        assert game.tell(game.seen(scene, 1 - seat)) == [
            told[0],
            *(line for line in game.tell(game.seen(scene, 1 - seat)) if " holds " in line),
        ]


@pytest.mark.parametrize("rule", ["last_card_up", "last_card_or_lose", "lose", "equal_force"])
def test_packets_of_war_and_face_down_cards_are_not_seen(rule):
    """The cards that decide a battle are seen, and as many as lie face up, never more."""
    game, wars = find("war"), 0
    for number in range(5 if not PLAIN else 1):
        for event in Replay(make_plan("war", rules={"short_war_rule": rule}, games=10, seed=2), number):
            scene = event["scene"]
            for seat in range(2):
                seen = game.seen(scene, seat)
                assert seen["packets"] == [len(packet) for packet in scene["packets"]]
                if scene["winner"] == seat:
                    assert seen["laid"] == scene["laid"]
                    continue
                for cards, all_cards in zip(seen["laid"], scene["laid"], strict=True):
                    assert all(card in (None, real) for card, real in zip(cards, all_cards, strict=True))
                    assert sum(card is not None for card in cards) <= 1 + scene["war_rounds"]
                if scene["war_rounds"] and all(len(cards) == 1 + 4 * scene["war_rounds"] for cards in scene["laid"]):
                    wars += 1
                    step = 4 if rule != "equal_force" else 4 * scene["war_rounds"]
                    assert [[k for k, card in enumerate(cards) if card is not None] for cards in seen["laid"]] == [
                        list(range(0, 4 * scene["war_rounds"] + 1, step))
                    ] * 2
    assert wars > 0


def test_one_seat_sees_its_own_decisions_and_no_others(call):
    whole_ = json.loads(call("replay", "techu", "--game", 3, "--json").out)
    facts = json.loads(call("replay", "techu", "--game", 3, "--json", "--as", 1).out)
    decisions = [event["decision"] for event in facts["events"] if "decision" in event]

    assert facts["seen_by"] == 1
    assert {made["seat"] for made in decisions} == {1}
    assert len(decisions) == sum("decision" in event and event["decision"]["seat"] == 1 for event in whole_["events"])
    assert facts["result"] == {name: whole_["result"][name] for name in ("payoff_0", "payoff_1", "outcome", "winner")}
    for event in facts["events"]:
        scene = event["scene"] if "scene" in event else event["decision"]["scene"]
        assert isinstance(scene["hands"][0], int)
        assert isinstance(scene["hands"][1], list)
    text = call("replay", "techu", "--game", 3, "--as", 1).out
    assert all(re.search(r"holds (\d+ cards?|nothing);", line) for line in text.splitlines() if line.startswith("  Black holds"))
    assert "Recorded of this game" not in text


def test_others_see_nothing_of_a_look_at_a_card_in_stealing_war():
    plan = make_plan("stealing-war", games=1, seed=5)
    looks = [event["scene"] for event in Replay(plan, 0) if event.get("scene", {}).get("event") == "looked"]

    assert looks
    for scene in looks:
        assert find("stealing-war").seen(scene, 1 - scene["seat"]) == {}
        assert find("stealing-war").seen(scene, scene["seat"])["card"] == scene["card"] > 0


def test_a_decision_in_json_says_what_could_be_chosen_and_where(call):
    facts = json.loads(call("replay", "techu", "--game", 3, "--json", "--players", "greedy_spaces,greedy_spaces+search(2)").out)
    latest, searched = None, 0
    for event in facts["events"]:
        if "scene" in event:
            latest = event["scene"]
            continue
        made = event["decision"]
        assert made["scene"] == latest
        assert made["legal"][made["legal_texts"].index(made["move_text"])] == made["move"]
        assert made["legal_texts"] == [find("techu").move_text(move) for move in made["legal"]]
        searched += "search" in made
    assert searched > 0


# ------------------------------------------------------------------------------------------------------------ typed moves

TEXTS = ["place 7 on (0,2)", "place 7 on (2,0)", "place 10 on (0,2)", "place Q on (1,1)", "discard 7", "discard Q", "pass", "pass card 2"]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("1", [0]),
        ("#6", [5]),
        ("8.", [7]),
        ("9", []),
        ("0", [0, 1, 2]),
        ("7 0 2", [0]),
        ("7,0,2", [0]),
        ("  PLACE 7  (0, 2) ", [0]),
        ("place 7", [0, 1]),
        ("1 0 2", []),
        ("10", [2]),
        ("d q", [5]),
        ("disc q", [5]),
        ("q 1 1", [3]),
        ("q", [3, 5]),
        ("q d", []),
        ("pass", [6]),
        ("pa 2", [7]),
        ("pass card", [7]),
        ("", []),
        ("!?", []),
    ],
)
def test_typed_moves_are_understood(typed, found):
    assert fitting(typed, TEXTS) == found


CARDS = ["pass", "7j", "7j 7s (pair of 7)", "7j Ph (pair of 7)", "7j 7s 8j 8s (pair run 7 to 8)", "7j 7s 7p (triple of 7)", "Ts",
         "MJ 2j 3p 4t 5j (straight 1 to 5)", "wish for 8", "BID 4", "replace 3 5", "replace 1 3 5", "give the trick to seat 1"]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("7", [1]),
        ("#7", [6]),
        ("pair 7", [2, 3]),
        ("7 7", [2]),
        ("7s 7j", [2]),
        ("7 ph", [3]),
        ("Ph 7j", [3]),
        ("7 7 7", [5]),
        ("7 7 8 8", [4]),
        ("pair run 7 8", [4]),
        ("triple", [5]),
        ("t", [6]),
        ("mj 2 3 4 5", [7]),
        ("straight", [7]),
        ("straight 1 5", [7]),
        ("wish 8", [8]),
        ("8", [8]),
        ("4", [9]),
        ("3 5", [10]),
        ("replace 5 3", [10]),
        ("1 3 5", [11]),
        ("give 1", [12]),
        ("9", []),
        ("#99", []),
    ],
)
def test_typed_cards_are_understood_by_rank_type_or_suit(typed, found):
    assert fitting(typed, CARDS, numbered=False) == found


def tichu_person(typed, hand, moves, kind="play"):
    """What is made of moves of Tichu, given in cards, by somebody with this hand who types this; and what was shown."""
    game, shown, typing = find("tichu"), [], iter(typed)
    numbers = {tichu.card_text(card): card for card in range(56)}
    encoded = [sum(1 << numbers[card] for card in text.split()) for text in moves]
    kinds = game.decisions.index(kind)
    alike = game.alike({"seat": 0, "hands": [hand.split(), 14, 14, 14]}, kinds, encoded)
    choice = Choice(0, kind, encoded, list(moves), alike, ["pair" if " " in text else "single" for text in moves])
    person = Person(game, 0, "", show=shown.append, ask=lambda prompt: shown.append(prompt) or next(typing))
    return moves[person(choice)], shown


def test_suits_need_not_be_typed_where_they_cannot_matter():
    hand = "3j 4j 5j 6j 7j 7s 7p 9s"
    pairs = ["7j 7s", "7j 7p", "7s 7p"]

    assert tichu_person(["7s 7p", ""], "7j 7s 7p", pairs)[0] == "7s 7p"
    assert tichu_person(["7 7", ""], "7j 7s 7p", pairs)[0] == "7j 7s"
    made, shown = tichu_person(["7 7", "#3", ""], hand, pairs)
    assert made == "7s 7p"
    assert "2 moves fit '7 7'; type more, or # and a number:" in shown
    assert tichu_person(["10", ""], "Ts", ["9s", "Ts"])[0] == "Ts"
    assert tichu_person(["7", "7p", ""], "7j 7p 8s", ["7j", "7p", "8s"], "push")[0] == "7p"


def test_many_moves_are_counted_by_sort_and_listed_by_word():
    ranks = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in "js"]
    hand = " ".join(ranks)
    moves = [*ranks, *(f"{a} {b}" for a, b in pairwise(ranks))]
    shown = tichu_person(["moves", "moves pairs", "moves 9", "moves xyz", "9j", ""], hand, moves)[1]

    assert "51 moves are legal (26 singles, 25 pairs), for example: 2j" in shown[0]
    assert shown[2].startswith("26 singles, 25 pairs; type moves and a sort")
    assert any(re.match(r" *#\d+  2j 2s", line) for line in shown)
    assert "No legal move fits 'xyz'." in shown


def offered(person, kind="tichu"):
    return person(Choice(0, kind, [0, tichu.YES], ["no Tichu", "Tichu"]))


def test_enter_declines_an_offer_and_skip_all_later_ones():
    prompts, typing = [], iter(["", "skip", "ask", "9j", "", "tichu", ""])
    person = Person(find("tichu"), 0, "", show=lambda line: None, ask=lambda prompt: prompts.append(prompt) or next(typing))

    assert offered(person) == 0
    assert offered(person) == 0  # nothing has happened
    assert prompts == ["Tichu? (Enter: no Tichu) "]
    person.news = ["something"]
    assert offered(person) == 0
    for _ in range(3):
        person.news = ["something"]
        assert offered(person) == 0
    assert len(prompts) == 2
    assert person(Choice(0, "play", [1, 2], ["9j", "9s"])) == 0
    person.news = ["something"]
    assert offered(person) == 1
    assert prompts[-2:] == ["Tichu? (Enter: no Tichu) ", "Tichu: final? "]


@pytest.mark.parametrize(
    ("against", "own", "partner", "players"),
    [
        ("a", 0, None, ["random", "a", "a", "a"]),
        ("a", 0, "p", ["random", "a", "p", "a"]),
        ("a,b", 1, "p", ["a", "random", "b", "p"]),
        ("a,b,c", 3, None, ["a", "b", "c", "random"]),
        (None, 2, "p", ["p", "random", "random", "random"]),
    ],
)
def test_partner_and_opponents_are_seated(against, own, partner, players):
    assert seated(against, own, 4, "random", partner, (0, 1, 0, 1)) == players


@given(places=st.lists(st.sampled_from(range(200)), min_size=1, max_size=120, unique=True), width=st.integers(10, 200))
def test_a_list_of_moves_holds_each_once_within_the_width(places, width):
    texts = [f"place {k % 15} on ({k // 15},{k % 7})" for k in range(200)]
    shown = in_columns(texts, places, width)

    assert sorted(int(number) for number in re.findall(r"(?:^|  ) *(\d+)  place", "\n".join(shown), re.M)) == sorted(k + 1 for k in places)
    assert all(len(line) <= max(width, 30) for line in shown)


def at_table(typed, moves=TEXTS, quick=False):
    """What somebody makes of a choice who types this: the index or None, and all that was shown."""
    shown, typing = [], iter(typed)

    def ask(prompt):
        shown.append(prompt)
        word = next(typing, EOFError)
        if isinstance(word, type):
            raise word
        return word

    person = Person(find("techu"), 0, "The rules: here.", quick=quick, show=shown.append, ask=ask)
    try:
        return person(Choice(0, "turn", list(range(len(moves))), list(moves))), "\n".join(shown)
    except Stopped:
        return None, "\n".join(shown)


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        (["7 0 2", ""], 0),
        (["7 0 2", "u", "d q", ""], 5),
        (["7 0 2", "undo", "d q", ""], 5),
        (["7 0 2", "d q", ""], 5),
        (["7 0 2", "moves", "board", "?", "rules", ""], 0),
        (["7 0 2", "nonsense", ""], 0),
        (["7 0 2", "q", "", "d q", ""], 5),
        (["undo", "u", "", "pass", ""], 6),
        (["7 0 2"], None),
        (["7 0 2", "quit"], None),
        (["exit"], None),
        ([KeyboardInterrupt], None),
        (["1", KeyboardInterrupt], None),
        ([], None),
    ],
)
def test_a_move_is_final_with_enter_and_not_before(typed, made):
    assert at_table(typed)[0] == made


WITHOUT_Q = ["place 7 on (0,2)", "discard 7", "pass"]


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        (["q", ""], None),
        (["Q", "q"], None),
        (["q"], None),
        (["q", "pass", ""], 2),
        (["7 0 2", "q", "pass", ""], 2),
        (["7 0 2", "q", ""], None),
    ],
)
def test_a_q_that_is_no_move_ends_the_game_once_confirmed(typed, made):
    index, shown = at_table(typed, WITHOUT_Q)

    assert index == made
    assert "No legal move fits 'q'. Enter ends the game; or type a move: " in shown
    assert "q       does so too" in at_table(["?"])[1]


@pytest.mark.parametrize("word", ["u", "undo"])
def test_a_final_move_is_not_taken_back(word):
    assert "Nothing to take back: the last move was final." in at_table([word])[1]
    assert "Nothing to take back" not in at_table(["pass 2", word])[1]


def test_u_and_q_are_moves_where_they_fit_one():
    cards = ["upper", "queen"]

    assert at_table(["u", ""], cards)[0] == 0
    assert at_table(["q", ""], cards)[0] == 1


def test_a_quick_move_is_final_at_once():
    made, shown = at_table(["q", "d q"], quick=True)

    assert made == 5
    assert "2 moves fit 'q'" in shown
    assert shown.endswith("Made: discard Q")


def test_a_forced_move_is_said_and_made():
    assert at_table([], ["discard 2"]) == (0, "(Your only legal move: discard 2)")


def test_few_moves_are_listed_and_many_on_request():
    many = [f"place {k} on (0,0)" for k in range(40)]

    assert "   8  pass card 2" in at_table([])[1]
    assert "  40  place 39" not in at_table([], many)[1]
    assert "40 moves are legal" in at_table([], many)[1]
    assert "  40  place 39 on (0,0)" in at_table(["moves"], many)[1]
    assert "The rules: here." in at_table(["rules"])[1]
    assert "Type a move" in at_table(["?"])[1] == at_table(["help"])[1].replace("help", "?")


# -------------------------------------------------------------------------------------------------------- games by hand


@pytest.mark.parametrize(
    ("words", "name", "players", "rules"),
    [(TECHU_PLAY, "techu_play", "greedy_spaces", {}), (STEALING_PLAY, "stealing_war_play", "always", {"players": 3})],
)
def test_whoever_types_a_strategys_moves_plays_its_game(words, name, players, rules, call, tmp_path):
    """The typed moves are those of a strategy: all scenes are the same, and the saved file shows them again."""
    file = tmp_path / "game.json"
    done = call("play", *words, "--save", file, typed=golden(f"{name}_typed.txt"))
    plan = make_plan(words[0], players=players, rules=rules, seed=words[2], games=1)
    expected, facts = as_dict(Replay(plan, 0)), json.loads(file.read_text(encoding="utf-8"))

    assert [event["scene"] for event in facts["events"] if "scene" in event] == [
        event["scene"] for event in expected["events"] if "scene" in event
    ]
    assert facts["result"] == expected["result"]
    assert facts["players"] == ["by hand", *expected["players"][1:]]
    assert f"simkit replay --file {file}" in done.out
    again_ = json.loads(call("replay", "--file", file, "--json").out)
    assert again_ == facts
    text = call("replay", "--file", file).out
    assert text.startswith("Seat 0: by hand, Seat 1: ")
    assert "Recorded of this game" in text


def test_the_commands_at_the_end_show_the_game_again(call):
    out = call(
        "play", "techu", "--seed", 77, "--game", 2, "--rule", "hand_size=4", "--against", "expand", "--seat", 1, typed="1\n\n2\n\nquit\n"
    )
    assert out.code == 0
    deal, replay = re.findall(r"^  (simkit .*)$", out.out, re.M)
    assert deal == "simkit play techu --seed 77 --game 2 --against expand --seat 1 --rule hand_size=4"
    shown = call(*replay.split()[1:])

    assert shown.code == 0
    assert "Whoever played by hand stopped here." in shown.out
    made = re.search(r"--moves 1:(\d+),(\d+)$", replay)
    for move in made.groups():
        assert find("techu").move_text(int(move)) in shown.out
    assert call(*deal.split()[1:]).out.split("Your move")[0] == out.out.split("Your move")[0]


@pytest.mark.parametrize("seat", [0, 2])
def test_a_person_plays_a_given_hand(seat, call):
    """It is the person's own unless a seat is named; both commands at the end deal it again."""
    cards, own = "2s 3s 4s 5s 6s 7s Kj Ks Kp Kt Aj As Ph Dr", ("--seat", seat) if seat else ()
    done = call("play", "tichu", "--seed", 5, "--hand", cards.lower(), *own, typed="\n\nquit\n")
    deal, replay = re.findall(r"^  (simkit .*)$", done.out, re.M)

    assert done.code == 0
    assert f"Seat {seat} is dealt {cards}; all else is dealt at random." in done.out
    assert f"Hand of seat {seat}: {cards}" in done.out
    assert shlex.split(deal)[-2:] == shlex.split(replay)[-2 - 2 * ("--moves" in replay) :][:2] == ["--hand", f"{seat}: {cards}"]
    shown = call(*shlex.split(replay)[1:])
    assert shown.code == 0
    assert set(re.search(rf"Seat {seat} holds (.*)", shown.out)[1].replace("; then", "").split()) == set(cards.split())
    assert call(*shlex.split(deal)[1:]).out.split("Grand Tichu?")[0] == done.out.split("Grand Tichu?")[0]
    other = call("play", "tichu", "--seed", 5, "--hand", f"1: {cards}", *own, typed="quit\n").out
    assert f"Seat 1 is dealt {cards}" in other
    assert f"Hand of seat {seat}: {cards}" not in other


def test_a_hand_that_cannot_be_played_is_refused(call):
    for words in (("techu", "--hand", "A"), ("tichu", "--hand", "Aj"), ("tichu", "--hand", "4: Aj")):
        done = call("play", *words)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith("simkit: ")


def test_the_end_of_what_is_typed_ends_the_game_in_peace(call):
    done = call("play", "techu", "--against", "greedy_spaces", typed="")
    seed = int(re.search(r"seed (\d+)", done.out)[1])

    assert done.code == 0
    assert "The game ends here, unfinished." in done.out
    assert f"simkit play techu --seed {seed} --against greedy_spaces" in done.out
    assert "--moves" not in done.out
    assert call("play", "techu", "--seed", seed, "--against", "greedy_spaces", typed="").out == done.out


def test_a_person_sees_nothing_that_their_seat_may_not_know(call):
    """All lines shown before the end are those of one seat's replay."""
    typed = "1\n\n" * 40
    done = call("play", "techu", "--seed", 9, "--against", "random", typed=typed)
    moves = re.search(r"--moves (0:[\d,]+)", done.out)[1]
    seen = call("replay", "techu", "--seed", 9, "--as", 0, "--moves", moves).out.splitlines()[1:]
    shown = done.out.splitlines()

    assert [line for line in seen if "decides:" not in line and line] == [line for line in shown if line in seen and line]
    assert not any(line.startswith("  Red holds") and not re.search(r"holds (\d+ cards?|nothing);", line) for line in shown)


def test_war_can_be_played_where_the_winner_chooses(call):
    done = call("play", "war", "--rule", "pickup_order=player_choice", "--quick", "--seed", 1, typed="shuffled\nhigh\n")

    assert done.code == 0
    assert "Seat 1 is dealt 26 cards" in done.out
    assert done.out.count("Made: ") == 2


def test_verdicts_say_who_won(call):
    for seat, word in enumerate(("You win.", "You lose.")):
        out = call("play", "techu", "--seed", 1, "--against", "random", "--seat", seat, "--quick", typed="1\n" * 60).out
        won = int(re.search(r"Payoffs by seat: (.*)", out)[1].split(" : ")[seat])
        assert ("You win." in out, "You lose." in out, "A draw." in out) == (won == 2, won == 0, won == 1), word


def test_moves_that_are_not_legal_are_refused():
    plan = make_plan("techu", games=1, seed=1)

    with pytest.raises(BadInput, match="move 5 is not legal for seat 0"):
        list(lines(Replay(plan, 0, {0: again([5])})))
    with pytest.raises(BadInput, match="write seat:move"):
        read_moves(["66,71"])
    with pytest.raises(BadInput, match="names seat 0 twice"):
        read_moves(["0:66", "0:71"])
    assert read_moves(["0:66,71", "1:3"]) == {0: [66, 71], 1: [3]}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no json", "holds no game"),
        ("[]", "holds no game"),
        ('{"game": "techu"}', "holds no game"),
        ('{"game": "nope"}', "no game is called"),
        ("[" * 100_000, "holds no game"),
    ],
)
def test_a_file_that_holds_no_game_is_refused(text, word, tmp_path):
    path = tmp_path / "game.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(BadInput, match=word):
        from_file(path)
    with pytest.raises(BadInput, match="cannot read"):
        from_file(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"rules": 5}, "holds no game"),
        ({"players": 5}, "holds no game"),
        ({"players": [5, 5]}, "no strategy 5"),
        ({"hand": 5}, "holds no game"),
        ({"game_number": -1}, "there is no game -1"),
        ({"game_number": 2**64}, "there is no game 18446744073709551616"),
        ({"by_hand": {"9": []}}, "there is no seat 9: techu has seats 0 to 1"),
    ],
)
def test_a_damaged_game_is_refused(changed, word, tmp_path):
    facts = as_dict(Replay(make_plan("techu", games=1), 0), events=[])
    path = tmp_path / "game.json"
    path.write_text(json.dumps(facts | changed), encoding="utf-8")

    with pytest.raises(BadInput, match=word):
        from_file(path)


@njit(nogil=True)
def until_told(told):
    """Compiled code that ends only when every cell says so, and hears no signal. Which cell it reads next no compiler can tell."""
    word = np.uint64(1)
    while not told[word & np.uint64(1)]:
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
    return np.int64(word >> np.uint64(1))


@pytest.mark.skipif(PLAIN, reason="compiled code is what hears no signal")
def test_ctrl_c_ends_a_replay_whose_player_never_answers(monkeypatch):
    monkeypatch.setattr(replay, "abandoned", threading.Event())
    shown, before = Replay(make_plan("techu", games=1), 0), signal.signal(signal.SIGINT, signal.default_int_handler)
    until_told(np.ones(2, np.bool_))
    told = np.zeros(2, np.bool_)

    def never_answers():
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
        return until_told(told)

    try:
        with pytest.raises(KeyboardInterrupt):
            shown._beside(never_answers)
        assert replay.abandoned.is_set()
    finally:
        told[:] = True
        signal.signal(signal.SIGINT, before)


def test_a_game_of_another_version_is_refused(tmp_path):
    facts = as_dict(Replay(make_plan("techu", games=1), 0))
    path = tmp_path / "game.json"
    path.write_text(json.dumps(facts | {"game_version": 99}), encoding="utf-8")

    with pytest.raises(BadInput, match="techu version 99; this is version"):
        from_file(path)


@pytest.mark.parametrize("words", [["--paired", "--players", "greedy_spaces,expand", "--game", 3], ["--players", "random,expand"]])
def test_a_replay_from_a_file_is_the_same_game(words, call, tmp_path):
    path = tmp_path / "game.json"
    path.write_text(call("replay", "techu", *words, "--json").out, encoding="utf-8")

    assert call("replay", "--file", path).out == call("replay", "techu", *words).out


MISTAKES = {
    "play war": "nobody decides anything in war under these rules; try --rule pickup_order=player_choice",
    "play techu --seat 2": "--seat 2 is not there; the seats: 0, 1, or random",
    "play techu --against random,random": "--against names 2 players for 1 other seats; name one for all, or 1",
    "play techu --against greedy_spces": "did you mean greedy_spaces?",
    "play techu --partner random": "--partner: nobody has a partner in this game",
    "play tichu --against random,random,random --partner random": "--against names 3 players for 2 other seats; name one for all, or 2",
    "play techu --save missing/game.json": "cannot write missing/game.json: its folder does not exist",
    "replay": "which game?",
    "replay techu --as 2": "techu has no seat 2 here; the seats: 0, 1",
    "replay techu --file x.json": "x.json says which game it is",
    "replay --file x.json --seed 5": "x.json says which game it is; leave the game, its number, seed",
    "new strategie techu bold": "nothing new is called strategie; did you mean strategy?",
    "new game poker": 'simkit new study NAME; how a new game is written is in CONTRIBUTING.md in simkit\'s source, "A new game"',
    "new strategy techu": "a new strategy needs a game and a name: simkit new strategy techu bold",
    "new strategy techu random": "techu has a strategy random already",
    "new strategy techu 2bold": "2bold cannot be the name of a function",
    "new strategy techu bold --part trun": "techu has no decision trun; did you mean turn?",
    "new strategy nope bold": "no game is called nope",
    "new study": "a new study needs a name",
    "new study war_length": "there is a study war_length already",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_mistakes_are_told_in_one_line(line, call):
    done = call(*line.split())

    assert done.code == 2
    assert MISTAKES[line] in done.err
    assert one_line(done.err)


def test_a_saved_game_is_never_overwritten(call, tmp_path):
    path = tmp_path / "game.json"
    path.write_text("mine", encoding="utf-8")
    done = call("play", "techu", "--save", path)

    assert done.code == 2
    assert "it exists" in done.err
    assert path.read_text(encoding="utf-8") == "mine"


# -------------------------------------------------------------------------------------------------------------- templates


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", list(names()))
def test_the_template_of_a_strategy_runs(name, in_folder):
    game = find(name)
    path = in_folder / "fresh.py"
    path.write_text(strategy_text(game, "fresh", "", tries(game, "fresh")), encoding="utf-8")
    rules = (
        dict([game.choices_hint().removeprefix("; try --rule ").split("=")])
        if game.choices_hint() and not game.has_choices(game.read_rules({}))
        else {}
    )
    seats = game.seats(game.read_rules(rules))
    result = simkit.run(
        name, 20 if not PLAIN else 2, rules=rules, players=[f"{path}:fresh(boldness=0.9)", *["random"] * (seats - 1)], progress=False
    )

    assert result.games >= 2


@pytest.mark.parametrize("name", list(names()))
def test_a_template_tells_all_that_a_strategy_may_see(name):
    game = find(name)
    text = strategy_text(game, "fresh", "", tries(game, "fresh"))

    def fields(record, path):
        for field in record.names or ():
            kind = record[field]
            yield from fields(kind.base, f"{path}.{field}") if kind.base.names else [f"{path}.{field}"]

    for field in fields(game.view, "view"):
        if not field.startswith("view.rules.") or field.removeprefix("view.rules.") in game.by:
            assert re.search(rf"{re.escape(field)}\b", text), field
    unbroken = re.sub(r"\n    # +", " ", text)
    for parameter in game.parameters:
        assert parameter.help.split("(")[0].strip() in unbroken
    for place, kind in enumerate(game.decisions):
        assert f"{place} {kind}" in unbroken
    assert all(len(line) <= 140 for line in text.splitlines())


def test_comments_are_broken_at_words():
    assert commented(["a " * 80]).count("\n") == 1
    assert "view.hand: own cards in hand" in field_lines(find("techu"))


@pytest.mark.parametrize("kind", ["starter", "turn"])
def test_the_template_of_a_part_runs(kind, in_folder, call):
    done = call("new", "strategy", "techu", f"my_{kind}", "--part", kind, "--out", "mine.py")
    command = next(line.strip() for line in done.out.splitlines() if "simkit run" in line)

    assert done.code == 0
    assert command == f"simkit run techu -n 10000 --players 'random[{kind}=mine.py:my_{kind}],random'"
    assert simkit.run("techu", 20, players=[f"random[{kind}=mine.py:my_{kind}]", "random"], progress=False).games == 20


def test_a_new_file_replaces_none(in_folder, call):
    (in_folder / "strategies").mkdir()
    (in_folder / "strategies" / "bold.py").write_text("# mine\n", encoding="utf-8")
    done = call("new", "strategy", "techu", "bold")

    assert done.code == 2
    assert f"{Path('strategies/bold.py')} exists" in done.err
    assert (in_folder / "strategies" / "bold.py").read_text(encoding="utf-8") == "# mine\n"


@pytest.mark.slow
def test_a_new_strategy_in_a_fresh_folder_joins_in(tmp_path):
    """Made by `simkit new`, it has a name at once: in a run, against others, in the list, at the table."""
    made = run_command("new", "strategy", "techu", "bold", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "strategies" / "bold.py").is_file()
    for line in re.findall(r"^  simkit (.*)$", made.stdout, re.M):
        done = run_command(*line.replace("10000", "50").split(), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert "bold" in run_command("games", "techu", cwd=tmp_path).stdout
    for words in (["compare", "techu", "bold", "random"], ["tournament", "techu", "bold", "random", "expand", "-n", 50]):
        if words[0] in cli.FILES:
            done = run_command(*words, cwd=tmp_path)
            assert done.returncode == 0, done.stderr
            assert "bold" in done.stdout


@pytest.mark.slow
def test_a_new_study_runs(tmp_path):
    made = run_command("new", "study", "war_short", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    done = run_command("study", "war_short", "-n", 200, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "How many cards face down make War short?" in done.stdout
    assert re.search(
        r"Of 0 to 5 cards face down, [1-5] make War shortest\. Battles on average: .*; with none: ", " ".join(done.stdout.split())
    )
