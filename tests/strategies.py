"""Hypothesis strategies: what to draw games, rules and positions from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from simkit.games import techu, tichu
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
