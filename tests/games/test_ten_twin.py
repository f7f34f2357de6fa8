"""TEN's kernel and its slow twin, written from the rules page alone, play every game alike, decision by decision."""

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
from tests.reference import ten as reference
from tests.shares import shares

SEED = 20261130

Pick = Callable[[Sequence[Any]], Any]

# --- players that both sides ask, each with the same random numbers ------------------------------------------------------


def buyer(seat, kind, legal, game, stream):
    """Bids little and pays canonically, and so comes to own a good deal."""
    if kind == "payment":
        return 0
    return min(stream.below(len(legal)), stream.below(3)) if kind == "bid" else stream.below(len(legal))


def hoarder(seat, kind, legal, game, stream):
    """Takes numbers, and wilds for next to nothing: large collections, with many wilds."""
    if kind in ("reward", "payment"):
        return 0
    chance = stream.below(8)
    if kind == "purchase":
        return int(chance == 0)
    return int(chance < 3) if kind == "bid" else int(chance < 5)


PLAYERS = {"any_move": reference.any_move, "random": reference.random_player, "buyer": buyer, "hoarder": hoarder}

# --- random rules ------------------------------------------------------------------------------------------------------

OFTEN_DEFAULT = 4
"""Of a parameter's values in the random settings, the default has this weight against one of all others together."""

VALUES: dict[str, list[Any]] = {
    "deck": ["scaled_v1", "full"],
    "number_copies_low": ["deck", 0, 1, 2, 4],
    "number_copies_high": ["deck", 0, 2, 3],
    "colour_wilds": ["deck", 0, 1, 2, 3, 4],
    **{f"numbered_wilds_{n}": ["deck", "deck", "deck", 0, 1, 2, 3] for n in range(1, 10)},
    "full_wilds": ["deck", 0, 1, 2, 4],
    "currency_counts": ["deck", "even", "low_heavy"],
    **{f"currency_{v}": ["listed", "listed", 0, 1, 3, 12] for v in range(1, 6)},
    "bust_limit": [10, 6, 7, 12, 16, 30],
    "currency_bust_limit": [10, 5, 6, 8, 15, 30, "none"],
    "running_floor": ["none", 0],
    "reward_must_be_nonempty": [True, False],
    "payout_split": ["each", "shared_floor"],
    "min_bid": [1, 0, 2, 5],
    "unsold_wild": ["discard", "market", "active_free"],
    "hash_price": [5, 1, 3, 10],
    "cards_as_payment": ["both", "buy", "auction", "none"],
    "card_payment_value": [1, 0, 2, 3],
    "wilds_as_payment": [True, False],
    "paid_cards_to": ["discard", "market"],
    "payment_rule": ["irredundant", "any"],
    "coin_supply": [50, 60, 250, "none"],
    "bust_token_supply": [15, 0, 1, 3, "none"],
    "full_run_bonus": [1, 0, 5, 20],
    "run_points": [1, 2, 5],
    "min_run": [1, 2, 3],
    "wild_only_runs": [True, False],
    "final_buy": [True, False],
    "final_buy_includes_last": [True, False],
    "tie_breaks": ["coins_fewest_cards_shared", "coins_shared", "fewest_cards_shared", "shared"],
    "tokens_public": [True, False],
    "coin_limit": [10, 5, 7, 20, "none"],
    "start_coins": [5, 0, 3, 10],
    "bust_token_value": [3, 0, 1, 2, 7],
    "buy_limit": [1, 0, 2, 9],
    "solo_reserve": [3, 1, 10],
    "payout_on_number_bust": [True, False],
    "payout_on_currency_bust": [False, True],
    "money_allows_buy": [False, True],
    "duplicate_buy_ban": [True, False],
    "start_player": ["random", 0, 1, 2, 3, 4],
}


def any_rules(pick: Pick) -> dict[str, Any]:
    """Random legal rules, all of them named."""
    definition = find("ten")
    while True:
        players = pick([1, 2, 2, 2, 3, 3, 4, 5])
        rules = {"players": players, "solo": players == 1}
        for name, values in VALUES.items():
            rules[name] = pick([values[0]] * OFTEN_DEFAULT + [pick(values[1:])])
        if rules["coin_limit"] == "none":
            rules["coin_supply"] = "none"
        with contextlib.suppress(BadInput):
            return definition.read_rules(rules)


# --- the comparison ------------------------------------------------------------------------------------------------------


def setting(number: int) -> tuple[LedGame, list[Callable]]:
    """The rules and the players of a random setting; number 0 has the defaults."""
    pick = random.Random(f"{SEED} {number}").choice
    rules = any_rules(pick) if number > 0 else {}
    plan = make_plan("ten", rules=rules, players="random", seed=SEED + number, rows=True)
    mixed = [PLAYERS[pick(list(PLAYERS))] for _ in range(plan.seats)]
    return LedGame(plan), pick([mixed, mixed, [pick([hoarder, buyer])] * plan.seats])


def differences(settings: range, games: int) -> list[str]:
    """Games of these random settings that kernel and twin do not play alike."""
    return led_games.differences(setting, reference.play, settings, games)


def test_the_kernel_plays_games_as_its_twin_does():
    """Every decision, every legal move and every column, on 200 games under 100 random rule settings."""
    faults = differences(range(100), 2)

    assert not faults, report(faults)


@pytest.mark.slow
@pytest.mark.parametrize("share", shares(0, 2000, 20))
def test_the_kernel_plays_every_game_as_its_twin_does(share):
    """The same on 10,000 games in all, under 2,000 random rule settings."""
    faults = differences(share, 5)

    assert not faults, report(faults)


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Few enough to be played without the compiler too."""
    faults = differences(range(1, 5), 1)

    assert not faults, report(faults)


def test_the_random_settings_name_every_parameter():
    parameters = find("ten").by
    assert {"players", "solo", *VALUES} == set(parameters)
    for name, values in VALUES.items():
        assert values[0] == parameters[name].default, name


@pytest.mark.slow
def test_the_random_games_reach_every_corner():
    """The games above are worth comparing: every parameter takes each of its values, and every rare event happens."""
    seen: dict[str, set] = {}
    longest, kinds = 0, set()
    for number in range(300):
        kernel, players = setting(number)
        for name, value in kernel.plan.rules.items():
            seen.setdefault(name, set()).add(value)
        *events, last = kernel.play(0, players)
        for name, value in last["row"].items():
            seen.setdefault(name.removesuffix("_0"), set()).add(value)
        kinds |= {event["decision"]["kind"] for event in events}
        longest = max([longest, *(len(event["decision"]["legal"]) for event in events)])

    assert kinds == set(find("ten").decisions)
    assert longest > 30
    for name, values in VALUES.items():
        assert seen[name] >= set(values), name
    assert seen["tie_break"] == {0, 1, 2, 3}
    assert max(seen["full_runs"]) > 1
    rare = (
        "unsold full_runs turns_empty turns_currency_bust tokens_refused coins_lost auction_over auction_tokens auction_cards purchase_over"
    )
    for name in [*rare.split(), "purchases_final", "purchase_cards", "auctions_won_active", "sold_full_late"]:
        assert max(seen[name]) > 0, name
