"""Tichu's kernel and its slow twin, written from the rules page alone, play every round and match alike, decision by decision."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

from simkit.game import GIVEN, NO_MOVE, OVER
from simkit.games import find
from simkit.jit import PLAIN
from simkit.replay import Replay
from simkit.simulate import Engine, make_plan
from tests.reference import tichu as reference
from tests.shares import shares

SEED = 20261130
NEVER = np.zeros(1, np.int64)
QUICK, ALL = 500, 5000
"""Rounds of the quick test, and in all."""
EACH = 5
"""Rounds of one setting."""

# Parameters of many values: those that are tried.
TRIED = {
    "tichu_value": [0, 1, 100, 1000],
    "grand_tichu_value": [0, 3, 200, 1000],
    "double_victory_value": [0, 7, 200, 1000],
    "target_score": [100, 150, 300],
    "fixed_rounds": [1, 2, 3, 5],
    "max_rounds": [1, 2, 4, 9, 300],
}
DEFAULT_SHARE = 0.5
"""How often a parameter has its default: with all of them far from it, some would hide others."""

Event = tuple[str, int, list[int]]
Choose = Callable[[str, int], int]


# ------------------------------------------------------------------------------------------------ what is played


def any_rules(game: str, pick: random.Random) -> dict[str, Any]:
    """Random legal rules."""
    rules = {}
    for parameter in find(game).parameters:
        rules[parameter.name] = parameter.default
        if parameter.name in TRIED:
            rules[parameter.name] = pick.choice(TRIED[parameter.name])
        elif pick.random() > DEFAULT_SHARE:
            rules[parameter.name] = pick.choice(parameter.every())
    return rules


def any_deck(pick: random.Random) -> list[int]:
    """A deck that deals neighbouring ranks, or cards of one suit, to a seat: many bombs, long combinations."""
    by_rank, by_suit, luck = pick.choice([(1, 0, 2), (1, 0, 5), (0, 4, 3), (0.3, 4, 6), (0, 1, 1)])
    return sorted(range(56), key=lambda card: by_rank * (card // 4) + by_suit * (card % 4) + luck * pick.random())


def player_of(name: str) -> Choose:
    """All four players: choose(kind, number of legal moves) is an index. The same name chooses alike."""
    pick = random.Random(name)
    calls, bombs, last, first = pick.choice([0.0, 0.05, 0.3]), pick.random(), pick.choice([0.0, 0.3]), pick.choice([0.0, 0.3, 0.6])

    def choose(kind: str, moves: int) -> int:
        if kind in ("grand", "tichu"):
            return int(pick.random() < calls)
        if kind == "bomb":
            return pick.randrange(1, moves) if pick.random() < bombs else 0
        if kind == "play" and pick.random() < last:
            return moves - 1
        if kind == "play" and pick.random() < first:
            return 0
        return pick.randrange(moves)

    return choose


# ------------------------------------------------------------------------------------------------ both sides


def one(dtype: np.dtype) -> Any:
    """A zeroed record that kernels can change."""
    array = np.zeros(1, dtype)
    return array.view(np.recarray)[0] if PLAIN else array[0]


def kernel_game(
    name: str, rules: dict[str, Any], seed: int, deal: int, choose: Choose, deck: list[int] | None
) -> tuple[list[Event], dict[str, int]]:
    """Every decision of a game that the kernel plays, and its row."""
    game = find(name)
    state = one(game.state)
    encoded = game.encode_rules(rules)[0]
    for field in game.rules.names:
        state["rules"][field] = encoded[field]
    state["key"][:] = (seed, deal)
    state["detail"] = 1
    if deck is not None:
        state["dealing"] = GIVEN
        state["deck"][:56] = deck
    moves, events = np.zeros(game.largest_moves, np.int64), []
    with np.errstate(over="ignore"):
        game.start(state)
        while state["seat"] != OVER:
            if state["seat"] < 0:
                game.step(state, NO_MOVE)
                continue
            kind, seat, n = game.decisions[int(state["decision"])], int(state["seat"]), int(game.legal(state, moves))
            events.append((kind, seat, moves[:n].tolist()))
            game.step(state, moves[choose(kind, n)])
        result = np.zeros(1, game.result_type)
        game.score(state, result.view(np.recarray)[0] if PLAIN else result[0])
    return events, dict(zip(game.cells, result.view(np.int64).tolist(), strict=True))


def twin_game(
    name: str, rules: dict[str, Any], seed: int, deal: int, choose: Choose, deck: list[int] | None
) -> tuple[list[Event], dict[str, int]]:
    """The same of the twin's."""
    players = [lambda kind, legal, played: choose(kind, len(legal))] * 4
    if deck is not None:
        played = reference.play_deck(deck, rules | {"game": name}, players, seed, deal)
        events, row = played.events, played.row()
    else:
        *events, last = reference.play(rules | {"game": name}, seed, deal, players)
        row = last["row"]
    return [(event["kind"], event["seat"], event["legal"]) for event in events], row


def difference(ours: tuple[list[Event], dict[str, int]], twins: tuple[list[Event], dict[str, int]]) -> str:
    """The first decision that differs, or the cells that do (kernel, twin); '' if none."""
    for number, (our, twin) in enumerate(zip(ours[0], twins[0], strict=False)):
        if our[:2] != twin[:2]:
            return f"decision {number}: {our[:2]} {twin[:2]}"
        if our[2] != twin[2]:
            only, other = set(our[2]) - set(twin[2]), set(twin[2]) - set(our[2])
            return f"decision {number}, {our[:2]}: the kernel alone {sorted(only)}, the twin alone {sorted(other)}, of {len(our[2])}, {len(twin[2])}"
    if len(ours[0]) != len(twins[0]):
        return f"{len(ours[0])} and {len(twins[0])} decisions"
    cells = sorted({*ours[1], *twins[1]})
    return ", ".join(f"{cell}: {ours[1].get(cell)} {twins[1].get(cell)}" for cell in cells if ours[1].get(cell) != twins[1].get(cell))


# ------------------------------------------------------------------------------------------------ comparisons


def settings(name: str, first: int, number: int) -> Iterator[tuple[dict[str, Any], int, int, list[int] | None]]:
    """Games first to first + number - 1: rules, seed, deal and, for some rounds, a given deck."""
    for game in range(first, first + number):
        setting, deal = divmod(game, EACH)
        rules = any_rules(name, random.Random(f"{SEED} {name} {setting}")) if setting > 0 else find(name).read_rules({})
        pick = random.Random(f"{SEED} {name} {game} deck")
        yield rules, SEED + setting, deal, any_deck(pick) if name == "tichu" and deal >= 3 else None


def played_alike(name: str, first: int, number: int) -> tuple[list[str], list[dict[str, int]]]:
    """The games in which kernel and twin differ, and all the twin's rows."""
    faults, rows = [], []
    for rules, seed, deal, deck in settings(name, first, number):
        ours, twins = (side(name, rules, seed, deal, player_of(f"{seed} {deal}"), deck) for side in (kernel_game, twin_game))
        apart = difference(ours, twins)
        if apart:
            faults.append(f"{changed(name, rules)} seed={seed} deal={deal} deck={deck}: {apart}")
        rows.append(twins[1])
    return faults, rows


def changed(name: str, rules: dict[str, Any]) -> dict[str, Any]:
    """The rules that are not the default."""
    return {rule: value for rule, value in rules.items() if value != find(name).by[rule].default}


def report(faults: list[str]) -> str:
    return f"{len(faults)} games differ (kernel, twin):\n" + "\n".join(faults[:5])


@cache
def quick_rounds() -> tuple[list[str], list[dict[str, int]]]:
    return played_alike("tichu", 0, QUICK)


def test_the_kernel_plays_rounds_as_its_twin_does():
    """Every decision, its list of moves and every cell, under random rules, of shuffled and of made-up decks."""
    faults, _ = quick_rounds()

    assert not faults, report(faults)


@pytest.mark.slow
@pytest.mark.parametrize("share", shares(QUICK, ALL))
def test_the_kernel_plays_every_round_as_its_twin_does(share):
    """The same on 5,000 rounds in all."""
    faults, _ = played_alike("tichu", share.start, len(share))

    assert not faults, report(faults)


def test_the_kernel_plays_matches_as_its_twin_does():
    """Short matches under random rules."""
    faults, rows = played_alike("tichu-match", 0, 50)

    assert not faults, report(faults)
    assert {row["outcome"] for row in rows} >= {0, 3}
    assert max(row["deficit"] for row in rows) > 0


@pytest.mark.parametrize(("mode", "games"), [({"target_score": 100}, 30), ({"match_mode": "fixed_rounds", "fixed_rounds": 1}, 150)])
@pytest.mark.parametrize("tie_rule", ["extra_round", "draw"])
def test_a_level_match_goes_on_or_is_drawn_as_the_twin_says(mode, games, tie_rule):
    """D3, where level totals are not rare."""
    rules = find("tichu-match").read_rules({**mode, "tie_rule": tie_rule})
    faults, rows = [], []
    for deal in range(games):
        ours, twins = (side("tichu-match", rules, SEED, deal, player_of(f"{deal}"), None) for side in (kernel_game, twin_game))
        faults += filter(None, [difference(ours, twins)])
        rows.append(twins[1])

    assert not faults, report(faults)
    assert (max(row["extra_rounds"] for row in rows) > 0) == (tie_rule == "extra_round")
    assert (1 in {row["outcome"] for row in rows}) == (tie_rule == "draw")


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Few enough to be played without the compiler too."""
    faults = [fault for game in (0, 8, 14, 23, 31, 39) for fault in played_alike("tichu", game, 1)[0]]
    faults += played_alike("tichu-match", 13, 2)[0]

    assert not faults, report(faults)


def test_a_run_and_a_replay_are_the_twins_game():
    """The loop, and a watched game with its pauses: the same decisions, the same row."""
    for name, games in (("tichu", 30), ("tichu-match", 2)):
        rules = {"target_score": 300} if name == "tichu-match" else {"bomb_order": "random_start"}
        plan = make_plan(name, rules=rules, players="random", games=games, seed=SEED, rows=True)
        rows = Engine(plan).play(0, games, NEVER).rows
        for deal in range(games):
            replay = Replay(plan, deal)
            made = [event["decision"] for event in replay if "decision" in event]
            index = iter([event["legal"].index(event["move"]) for event in made])
            twins = twin_game(name, dict(plan.rules), SEED, deal, lambda kind, moves: next(index), None)  # noqa: B023

            assert [(event["kind"], event["seat"], event["legal"]) for event in made] == twins[0]
            assert rows[deal].tolist() == [twins[1][cell] for cell in plan.row_cells]
            assert replay.row == {cell: twins[1][cell] for cell in replay.row}


def test_the_random_rounds_reach_every_corner():
    """The rounds above are worth comparing: every rule value and every rare event is among them."""
    for name in ("tichu", "tichu-match"):
        tried = [rules for rules, *_ in settings(name, 0, QUICK)]
        for parameter in find(name).parameters:
            if parameter.name != "grand_tichu_cards":  # its 14 values are more than these settings meet
                wanted = TRIED.get(parameter.name) or parameter.every()
                assert {rules[parameter.name] for rules in tried} >= set(wanted), parameter.name

    seen: dict[str, set[int]] = {}
    for row in quick_rounds()[1]:
        for cell, value in row.items():
            seen.setdefault(cell, set()).add(value)
    assert seen["call_0"] == {0, 1, 2, 3, 4}
    assert seen["call_success_1"] == {-1, 0, 1}
    assert seen["phoenix_use"] == {-1, 0, 1, 2, 3, 4, 5}
    assert seen["bomb_held_2"] == {0, 1, 2, 3}
    assert seen["double_victory"] == seen["dragon_bombed"] == {0, 1}
    assert seen["wish"] == {-1, 0, *range(2, 15)}
    assert seen["dragon_to"] == seen["wish_fulfilled_by"] == seen["last"] == {-1, 0, 1, 2, 3}
    for what in ("lead", "single", "pair", "triple", "pair_run", "full_house", "straight", "bomb"):
        assert max(seen[f"bombs_on_{what}"]) > 0, what
