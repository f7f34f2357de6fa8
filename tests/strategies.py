"""Hypothesis strategies: what to draw games, rules and positions from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from simkit.games import find, techu, ten, tichu
from tests import stealing_state
from tests.war_rules import any_rules

seeds = st.integers(0, 2**63 - 1)
deals = st.integers(0, 2**62)


@st.composite
def war_games(draw: st.DrawFn, longest: int = 250, **wanted: Any) -> tuple[str, dict[str, Any]]:
    """One of the three War games with any legal rules, capped at `longest` battles so that watching it is quick."""
    name, rules = any_rules(lambda options: draw(st.sampled_from(options)), **wanted)
    return name, rules | {"max_battles": min(rules["max_battles"], longest)}


@st.composite
def techu_rules(draw: st.DrawFn) -> dict[str, Any]:
    """Any legal rules of Techu."""
    return {
        parameter.name: draw(st.sampled_from(parameter.every()[:4] if parameter.name == "techu_value" else parameter.every()))
        for parameter in techu.PARAMETERS
    }


@st.composite
def stealing_war_rules(draw: st.DrawFn) -> dict[str, Any]:
    """Any legal rules of Stealing War, capped so that a game is quick to watch."""
    rules = stealing_state.any_rules(lambda options: draw(st.sampled_from(options)))
    return rules | {"max_battles": min(rules["max_battles"], 80)}


@st.composite
def tichu_rules(draw: st.DrawFn, **wanted: Any) -> dict[str, Any]:
    """Any legal rules of a round of Tichu, those of `wanted` as given."""
    return {
        parameter.name: draw(st.sampled_from([0, 1, 100, 1000] if parameter.name.endswith("value") else parameter.every()))
        for parameter in tichu.ROUND_PARAMETERS
    } | wanted


def some_values(parameter: Any) -> list[Any]:
    """A few of a parameter's legal values, the default and the ends among them."""
    values = [parameter.legal[0], parameter.legal[1]] if parameter.kind == "range" else list(parameter.legal)
    return [parameter.default, *values[:3], *values[-2:]]


@st.composite
def ten_rules(draw: st.DrawFn, **wanted: Any) -> dict[str, Any]:
    """Any legal rules of TEN, half of the parameters at their defaults."""
    players = draw(st.integers(1, 5))
    rules = {
        parameter.name: draw(st.sampled_from([parameter.default] * 5 + some_values(parameter)))
        for parameter in ten.PARAMETERS
        if parameter.name not in ("players", "solo", "coin_limit", "coin_supply", "start_coins", "start_player")
    }
    rules |= {"players": players, "solo": players == 1, "coin_limit": draw(st.sampled_from([10, 10, 5, 7, "none"]))}
    rules |= {"coin_supply": "none", "start_coins": draw(st.integers(0, 5)), "start_player": draw(st.sampled_from(["random", players - 1]))}
    rules |= wanted
    if ten.check(find("ten").read_rules({}) | rules):
        rules |= {"currency_counts": "even", "number_copies_low": "deck", "number_copies_high": 1} | {
            f"currency_{v}": "listed" for v in range(1, 6)
        }
    return rules
