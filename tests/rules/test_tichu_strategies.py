"""Tichu's strategies: plans of fewest turns are exact, nobody looks at hidden cards, every player plays legal rounds."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies.tichu as ways
from simkit.game import OVER
from simkit.games import _tichu_combinations as combos
from simkit.games import find, tichu
from simkit.jit import PLAIN
from simkit.play import read_only
from simkit.players import compile_strategy, read_player
from simkit.simulate import Engine, make_plan
from tests import tichu_state as play

PLAYERS = ("random", "greedy_low", "min_turns", "control_aware", "team_aware", "steady")
PARTS = {
    "grand": ("never", "always", "call_by_high", "grand_by_hand"),
    "tichu": ("never", "always", "call_by_high", "tichu_by_plan"),
    "push": ("push_random", "push_lowest", "push_by_plan"),
    "play": ("fewest_turns", "keep_controls", "with_partner"),
    "bomb": ("never", "bomb_for_points"),
    "wish": ("never", "wish_ace", "wish_pushed", "wish_unseen", "wish_random"),
    "gift": ("gift_next", "gift_larger", "gift_random"),
}

# ------------------------------------------------------------------------------------------------- fewest turns, slowly


def fewest_turns(hand: int) -> int:
    """The fewest combinations that a hand can be divided into, by trying everything."""
    cards = [card for card in range(56) if hand >> card & 1]
    counts = [0] * 15
    for card in cards:
        if card == 0 or card > 3:
            counts[card // 4 + 1] += 1
    return (1 in cards) + (3 in cards) + fewest(tuple(counts), 2 in cards)


def combinations_with(lowest: int) -> list[tuple[dict[int, int], bool]]:
    """Combinations that may hold a card of this rank and natural cards of no lower one: cards by rank; whether the Phoenix may stand in."""
    found: list[tuple[dict[int, int], bool]] = [({lowest: 1}, False)]
    if lowest > 1:
        found += [({lowest: 2}, True), ({lowest: 3}, True), ({lowest: 4}, False)]
        others = [rank for rank in range(2, 15) if rank != lowest]
        found += [({lowest: 3, rank: 2}, True) for rank in others] + [({lowest: 2, rank: 3}, True) for rank in others]
    for first in range(max(lowest - 1, 1), lowest + 1):
        found += [({first + k: 1 for k in range(length)}, True) for length in range(5, 16 - first)]
        found += [({first + k: 2 for k in range(length)}, True) for length in range(2, 16 - first) if first > 1]
    return found


@cache
def fewest(counts: tuple[int, ...], phoenix: bool) -> int:
    """The fewest combinations of so many cards of each rank; the lowest rank first."""
    lowest = next((rank for rank in range(1, 15) if counts[rank]), 0)
    if lowest == 0:
        return int(phoenix)
    best = 99
    for needed, may_stand_in in combinations_with(lowest):
        short = [rank for rank, number in needed.items() if counts[rank] < number]
        jokers = [0] if not short else []
        if phoenix and may_stand_in and len(short) <= 1:
            jokers += [rank for rank in short or needed if rank > 1 and counts[rank] >= needed[rank] - 1]
        for joker in jokers:
            left = list(counts)
            for rank, number in needed.items():
                left[rank] -= number - (rank == joker)
            if left[lowest] < counts[lowest]:
                best = min(best, 1 + fewest(tuple(left), phoenix and joker == 0))
    return best


def turn_costs() -> np.ndarray:
    costs = np.zeros(ways.COSTS, np.int64)
    ways.turn_costs(play.new_view(play.new_state()), costs)
    return costs


def random_hand(chance: random.Random) -> int:
    """Some cards, often of few neighbouring ranks, so that runs, bombs and the Phoenix matter."""
    pool = list(range(56))
    if chance.random() < 0.7:
        lowest, width = chance.randrange(1, 10), chance.choice((3, 4, 5, 6, 7))
        pool = [0, 1, 2, 3, *(card for card in range(4, 56) if lowest <= card // 4 < lowest + width)]
    hand = set(chance.sample(pool, chance.randrange(1, 13)))
    if chance.random() < 0.3:
        hand.add(2)
    return sum(1 << card for card in hand)


def led_moves(hand: int) -> tuple[np.ndarray, int]:
    """What may be led with this hand."""
    state = play.new_state()
    state["seat"], state["decision"], state["hand"][0] = 0, tichu.PLAY, hand
    state["bombers"] = int(bool(play.bombs_in(hand)))
    moves = np.zeros(tichu.MOST_MOVES, np.int64)
    return moves, int(tichu.legal(state, moves))


@pytest.mark.parametrize("hands", [pytest.param(12, marks=pytest.mark.modes), 4000])
def test_plan_of_fewest_turns_is_what_trying_everything_finds(hands: int) -> None:
    chance, costs, plan = random.Random(20), turn_costs(), np.zeros(ways.PLAN, np.int64)
    with_phoenix = 0
    for _ in range(hands):
        hand = random_hand(chance)
        with_phoenix += hand >> 2 & 1
        assert ways.make_plan(hand, costs, plan) == ways.TURN * fewest_turns(hand), play.names(hand)
    assert with_phoenix > hands // 5


@pytest.mark.parametrize("hands", [pytest.param(6, marks=pytest.mark.modes), 600])
def test_the_combinations_of_a_plan_can_be_led_and_are_the_whole_hand(hands: int) -> None:
    chance, costs, plan = random.Random(21), turn_costs(), np.zeros(ways.PLAN, np.int64)
    for _ in range(hands):
        hand = random_hand(chance)
        cost, parts, left = ways.make_plan(hand, costs, plan), np.zeros(16, np.int64), hand
        count = ways.list_parts(hand, plan, parts, costs)
        assert count * ways.TURN == cost, play.names(hand)
        for part in parts[:count]:
            moves, n = led_moves(left)
            found = ways.find_combination(left, moves, n, part)
            assert found >= 0, (play.names(hand), play.names(left))
            left &= ~(int(moves[found]) & combos.CARDS)
        assert left == 0, play.names(hand)


# -------------------------------------------------------------------------------------------------------- no peeking


def any_rules(chance: random.Random) -> dict[str, Any]:
    """Rules of a round, each default or any of a few values."""
    rules: dict[str, Any] = {}
    for parameter in tichu.ROUND_PARAMETERS:
        if chance.random() < 0.3:
            values = parameter.every() if parameter.kind != "range" or parameter.legal[1] <= 20 else [0, 100, 200, 400]
            rules[parameter.name] = chance.choice(values)
    return rules


def array_of(record: Any) -> np.ndarray:
    """A copy that kernels can change, as an array of one record."""
    copied = np.zeros(1, record.dtype)
    copied[0] = record
    return copied.view(np.recarray) if PLAIN else copied


def shuffle_hidden(state: Any, seat: int, chance: random.Random) -> Any:
    """A copy in which all that this seat may not know is different: hands, cards chosen to push, calls not yet published."""
    changed = array_of(state)[0]
    others = [(seat + k) % 4 for k in (1, 2, 3)]
    decision = int(state["decision"])
    exchanged = decision >= tichu.PLAY or (decision == tichu.TICHU and int(state["table"]["window"]) > 1)
    known = {s: 0 for s in range(4)}
    if exchanged:
        for k, s in enumerate(others):
            known[s] = int(state["given"][seat][k]) & int(state["hand"][s])
    if decision == tichu.GRAND:
        known[seat] = int(state["first_hand"][seat])
    open_seats = [*others, seat] if decision == tichu.GRAND else others
    sizes = {s: (int(state["hand"][s]) & ~known[s]).bit_count() for s in open_seats}
    pool = [card for card in range(56) if any(int(state["hand"][s]) & ~known[s] & 1 << card for s in open_seats)]
    chance.shuffle(pool)
    changed["bombers"] = 0
    for s in range(4):
        if s in open_seats:
            changed["hand"][s] = known[s] | sum(1 << pool.pop() for _ in range(sizes[s]))
        changed["bombers"] |= int(bool(play.bombs_in(int(changed["hand"][s])))) << s
    for s in others:
        changed["first_hand"][s] = 0
        changed["dealt_hand"][s] = 0
        for receiver in range(3):
            to_seat = exchanged and (s + 1 + receiver) % 4 == seat
            if not to_seat and int(state["given"][s][receiver]):
                changed["given"][s][receiver] = 1 << chance.randrange(56)
    if decision in (tichu.GRAND, tichu.TICHU):
        changed["pending"] ^= chance.randrange(16) & ~(1 << seat)
    changed["deck"][:] = 0
    return changed


def choices(deciders: list[Any], view: Any, moves: np.ndarray, n: int) -> list[int]:
    """What each of these parts chooses, each with the same numbers, memory and luck."""
    found = []
    for function, numbers in deciders:
        own = array_of(view)
        own["params"][0][: len(numbers)] = numbers
        found.append(int(function(own[0], read_only(moves), n)))
    return found


def all_deciders() -> list[list[Any]]:
    """For each kind of decision every way to decide it: compiled functions and their numbers."""
    game = find("tichu")
    every = []
    for kind, name in enumerate(game.decisions):
        texts = [*PLAYERS, *(f"steady[{name}={part}]" for part in PARTS[name])]
        parts = {id(part.strategy): part for part in (read_player(game, text).parts[kind] for text in texts)}
        every.append([(compile_strategy(part.strategy, game), part.numbers) for part in parts.values()])
    return every


def compare_views(seed: int, deciders: list[list[Any]]) -> int:
    """Play a round under random rules; at every decision nothing hidden may change a view or a choice. Returns the decisions."""
    chance, seen = random.Random(seed), 0
    state = play.new_state(seed=seed, **any_rules(chance))
    moves = np.zeros(tichu.MOST_MOVES, np.int64)
    tichu.start(state)
    play.go_on(state)
    while state["seat"] != OVER:
        seat, view, other_view = int(state["seat"]), play.new_view(state), play.new_view(state)
        n = int(tichu.legal(state, moves))
        tichu.observe(state, seat, view)
        tichu.observe(shuffle_hidden(state, seat, chance), seat, other_view)
        assert view.tobytes() == other_view.tobytes()
        ways_to = deciders[int(state["decision"])]
        made = choices(ways_to, view, moves, n)
        assert made == choices(ways_to, other_view, moves, n)
        assert all(0 <= choice < n for choice in made)
        tichu.step(state, int(moves[chance.choice(made)]))
        play.go_on(state)
        seen += 1
    return seen


def test_no_strategy_sees_what_is_hidden() -> None:
    deciders = all_deciders()
    assert sum(compare_views(seed, deciders) for seed in range(60)) > 2000


def test_shuffling_hidden_cards_does_change_them() -> None:
    state = play.new_state(seed=3)
    tichu.start(state)
    play.go_on(state)
    changed = shuffle_hidden(state, 0, random.Random(1))
    assert changed["first_hand"][0] == state["first_hand"][0]
    assert all(changed["hand"][s] != state["hand"][s] for s in range(4))
    assert sum(int(changed["hand"][s]) for s in range(4)) == combos.CARDS


# ------------------------------------------------------------------------------------------------------ legal rounds


def rounds(players: str, games: int, seed: int = 1, **settings: Any) -> tuple[np.ndarray, list[str]]:
    plan = make_plan("tichu", players=players, games=games, seed=seed, rows=True, **settings)
    part = Engine(plan).play(0, plan.games, np.zeros(1, np.int64))
    assert part.games == plan.games
    assert part.rows is not None
    return part.rows, plan.row_cells


@pytest.mark.modes
@pytest.mark.parametrize("player", ["min_turns", "steady"])
def test_players_play_a_few_rounds(player: str) -> None:
    assert len(rounds(player, 3)[0]) == 3


@pytest.mark.parametrize("player", [*PLAYERS, "steady(call=0.7,breaking=1)[push=push_random,wish=wish_unseen]"])
def test_players_play_legal_rounds_under_any_rules(player: str) -> None:
    chance = random.Random(7)
    for seed in range(25):
        rows, cells = rounds(player, 40, seed, rules=any_rules(chance))
        plays = rows[:, cells.index("plays")]
        assert (plays > 3).all()


@settings(max_examples=20)
@given(data=st.data())
def test_any_mixture_of_parts_plays_legal_rounds(data: st.DataObject) -> None:
    chosen = ",".join(f"{kind}={data.draw(st.sampled_from(names))}" for kind, names in PARTS.items())
    assert len(rounds(f"steady[{chosen}]", 50)[0]) == 50


# ---------------------------------------------------------------------------------------------------------- strength


def difference(one: str, other: str, games: int, seed: int) -> tuple[float, float]:
    """Mean points a round of a team of `one` over a team of `other`, each deal played with seats exchanged, and its standard error."""
    rows, cells = rounds(f"{one},{other},{one},{other}", games, seed, paired=True)
    ahead = rows[:, cells.index("payoff_0")] * np.where(np.arange(len(rows)) % 2 == 0, 1, -1)
    deals = ahead.reshape(-1, 4).mean(1)
    return float(deals.mean()), float(deals.std(ddof=1) / np.sqrt(len(deals)))


@pytest.mark.parametrize(
    ("one", "other"), [("steady", "greedy_low"), ("team_aware", "greedy_low"), ("team_aware", "control_aware"), ("steady", "team_aware")]
)
def test_better_player_is_better(one: str, other: str) -> None:
    mean, error = difference(one, other, 12_000, 30)
    assert mean > 4 * error


def test_greedy_low_plays_as_the_rules_page_says() -> None:
    """docs/rules/tichu.md, 9.3, benchmark B2."""
    rows, cells = rounds("greedy_low", 60_000, 31)
    page = {"plays": 31.181, "passes": 34.313, "tricks": 11.176, "lead_changes": 6.117, "double_victory": 0.3455, "dogs": 0.8939}
    for name, mean in page.items():
        values = rows[:, cells.index(name)]
        assert abs(values.mean() - mean) < 4 * values.std() / np.sqrt(len(values)), name


def test_calls_of_steady_mostly_succeed() -> None:
    rows, cells = rounds("steady", 10_000, 32)
    calls = rows[:, [cells.index(f"call_{s}") for s in range(4)]]
    made = rows[:, [cells.index(f"call_success_{s}") for s in range(4)]]
    assert 0.6 < made[(calls > 0) & (calls < 4)].mean() < 0.85
    assert 0.6 < made[calls == 4].mean() < 0.85
    assert 0.03 < (calls == 4).mean() < 0.15
    assert 0.06 < ((calls > 0) & (calls < 4)).mean() < 0.25
