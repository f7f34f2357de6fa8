"""Tacocat's kernel and its slow twin, written from the rules page alone, play every game alike, decision by decision."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from simkit.game import BadInput
from simkit.games import find
from simkit.simulate import make_plan
from tests import led_games
from tests.led_games import LedGame, report
from tests.reference import tacocat as reference
from tests.shares import shares

SEED = 20261130

Pick = Callable[[Sequence[Any]], Any]

# --- players that both sides ask, each with the same random numbers ------------------------------------------------------


def jumbo_lover(seat, kind, legal, game, stream):
    """The longest sets and sequences, from hands that are mostly left as they are."""
    if kind == "attack":
        return len(legal) - 1 - min(stream.below(len(legal)), stream.below(3))
    if kind.startswith("replace"):
        return min(stream.below(len(legal)), stream.below(len(legal)))
    return stream.below(len(legal))


def defender(seat, kind, legal, game, stream):
    """Defends with all it has."""
    return len(legal) - 1 if kind == "answer" else stream.below(len(legal))


def first_card(seat, kind, legal, game, stream):
    """Duels with the lowest card, so that duels are often equal."""
    return 0 if kind == "duel" else stream.below(len(legal))


PLAYERS = [reference.random_player, jumbo_lover, defender, first_card]

# --- random rules ------------------------------------------------------------------------------------------------------

DECKS = [
    "hump_v1",
    "flat_v1",
    "4-4-4-4-4-4-4-4-4-4-4-4-4-4-4",
    "8-8-8-8",
    "0-3-0-9-9-0-3",
    "15-15",
    "1-2-3-4-5-6-7-8-9",
    "12-0-0-0-0-0-0-0-0-0-0-0-0-0-12",
]
BOARDS = [
    "4-6-9-7-9-6-4", "flat7", "shrink", "grow", "2-2-2", "3-5-3", "6", "12", "2", "5-2-4-3-6", "7-6-5-4-3", "3-3-3-3-3-3-3-3-3", "2-3-2-4-2-5-2-6-2-5-2-4-2-3-2",
]  # fmt: skip
WORDS = ("A", "B", "both")

VALUES: dict[str, list[Any]] = {
    "double_arrow": ["simultaneous", "A_then_B_uncapped", "B_then_A_uncapped"],
    "first_round_free": [True, False],
    "replace_cap": ["none", "none", 0, 1, 2, 3, 15],
    "follower_cap": ["leader_count", "none", 0, 1, 2, 15],
    "duel_tie": ["repeat", "arrow_leads", "coin_flip"],
    "defend_on_equal": [True, False],
    "voluntary_sacrifice": [True, False],
    "lowest_that_defends": ["declared", "counts_as_defence"],
    "jumbo_response": ["defences_first", "sequential_ascending"],
    "jumbo_lead": ["all", "majority"],
    "jumbo_sets": [True, True, False],
    "set_min": [2, 3, 4],
    "jumbo_sequences": [True, True, False],
    "seq_min": [3, 2, 4, 5, 6],
    "jumbo_max": ["none", "none", 1, 2, 3, 4, 14],
    "showdown_tie": ["replay", "arrow"],
    "tile_cover": [True, True, False],
    "max_rounds": [1000, 7, 8, 12],
}


def any_rules(pick: Pick) -> dict[str, Any]:
    """Random legal rules, all of them named."""
    definition = find("tacocat")
    while True:
        rules = {name: pick(values) for name, values in VALUES.items()}
        rules["deck"], rules["board"] = pick([*DECKS[:2], *DECKS]), pick([*BOARDS[:4], *BOARDS])
        spaces = len(reference.hand_sizes(rules))
        rules["arrows"] = pick(["to_trailing", "to_leading", "all_both", "-".join(pick(WORDS) for _ in range(spaces))])
        if rules["deck"].startswith("1"):  # two ranks, or nearly: ties without end
            rules["max_rounds"] = pick(VALUES["max_rounds"][1:])
        with contextlib.suppress(BadInput):
            return definition.read_rules(rules)


# --- the comparison ------------------------------------------------------------------------------------------------------


def setting(number: int) -> tuple[LedGame, list[Callable]]:
    """The rules and the players of a random setting; number 0 has the defaults."""
    pick = random.Random(f"{SEED} {number}").choice
    rules = any_rules(pick) if number > 0 else {}
    plan = make_plan("tacocat", rules=rules, players="random", seed=SEED + number, rows=True)
    return LedGame(plan), [pick(PLAYERS), pick(PLAYERS)]


def differences(settings: range, games: int) -> list[str]:
    """Games of these random settings that kernel and twin do not play alike."""
    return led_games.differences(setting, reference.play, settings, games)


def test_the_kernel_plays_games_as_its_twin_does():
    """Every decision, every legal move and every column, on 400 games under 200 random rule settings."""
    faults = differences(range(200), 2)

    assert not faults, report(faults)


@pytest.mark.slow
@pytest.mark.parametrize("share", shares(0, 2000))
def test_the_kernel_plays_every_game_as_its_twin_does(share):
    """The same on 10,000 games in all, under 2,000 random rule settings."""
    faults = differences(share, 5)

    assert not faults, report(faults)


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Few enough to be played without the compiler too."""
    faults = differences(range(1, 9), 1)

    assert not faults, report(faults)


def test_the_random_settings_name_every_parameter():
    parameters = find("tacocat").by
    assert {"deck", "board", "arrows", *VALUES} == set(parameters)
    for name, values in VALUES.items():
        assert values[0] == parameters[name].default, name


def test_the_random_games_reach_every_corner():
    """The games above are worth comparing: every parameter takes each of its values, and every rare event happens."""
    seen: dict[str, set] = {}
    longest, kinds = 0, set()
    for number in range(400):
        kernel, players = setting(number)
        for name, value in kernel.plan.rules.items():
            seen.setdefault(name, set()).add(value)
        *events, last = kernel.play(0, players)
        for name, value in last["row"].items():
            seen.setdefault(name.removesuffix("_0"), set()).add(value)
        kinds |= {event["decision"]["kind"] for event in events}
        longest = max([longest, *(len(event["decision"]["legal"]) for event in events)])

    assert kinds == set(find("tacocat").decisions)
    assert longest >= 512
    for name, values in {**VALUES, "board": BOARDS, "deck": DECKS}.items():
        assert seen[name] >= set(values), name
    assert seen["outcome"] == {0, 3}
    rare = (
        "sets sequences equal_duels equal_showdowns refused sacrificed replaced_following last_attacks lead_changes ties arrow_wins_at_15"
    )
    for name in rare.split():
        assert max(seen[name]) > 0, name
