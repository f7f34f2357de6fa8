"""Rule settings of War to test with: any legal ones, small and awkward decks often.

`any_rules` asks `pick` for one of several options at each turn, so that a seeded generator and Hypothesis can both drive it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from simkit.game import BadInput
from simkit.games import find
from simkit.games.war import ORDERS, SHORT_RULES

Pick = Callable[[Sequence[Any]], Any]

TINY = [(2, 2), (2, 4), (3, 2), (3, 4), (4, 1), (4, 2), (2, 8), (3, 8), (5, 2), (6, 1), (4, 3), (5, 3)]
MIDDLE = [(6, 4), (8, 3), (7, 4), (13, 1), (13, 2), (11, 2), (10, 4)]
LARGE = [(13, 4), (13, 4), (13, 4), (13, 8), (52, 1), (15, 6), (12, 4), (14, 4)]
CAPS = [*[10000] * 5, 1000, 500, 64, 35, 33, 30, *range(21, 7, -1), 5, 3, 2, 1]
CHANCY = ("shuffled", "side_pile", "coin", "player_choice")


def any_rules(pick: Pick, *, game: str | None = None, decks: Sequence[tuple[int, int]] | None = None, raceable: bool = False) -> tuple[str, dict[str, Any]]:  # fmt: skip
    """A game's name and all its rules. `raceable`: two players, and orders that many battles at once can be played with."""
    name = game or pick(["war", "razboi"] if raceable else ["war", "war-multi", "razboi"])
    players = 2 if raceable or name == "war" else pick([3, 4] if name == "war-multi" else [2, 3, 4])
    ranks, copies = pick(decks or pick([TINY, TINY, MIDDLE, LARGE]))
    orders = [order for order in ORDERS if not (raceable and order in ("side_pile", "player_choice"))]
    rules: dict[str, Any] = {
        "players": players,
        "ranks": min(ranks, 13) if name == "razboi" else ranks,
        "copies": copies,
        "pickup_order": pick(orders),
        "short_war_rule": pick(SHORT_RULES),
        "war_participants": pick(["all", "tied"]),
        "leftover": pick(["set_aside", "remove_twos", "first_pot"]),
        "deadlock_rule": pick(["carry", "lot"]),
        "detect_endless": pick([True, True, True, False]),
        "max_battles": pick(CAPS),
        "cap_result": pick(["no_result", "most_cards"]),
    }
    if name == "razboi":
        rules["ace_war_size"] = pick([1, 10, 11, 14])
        rules["face_war_size"] = pick([10, "rank"])
        rules["war_size_source"] = pick(["latest_tie", "first_tie"])
    else:
        rules["face_down"] = pick([0, 1, 1, 2, 3, 3, 4, 7, 10])
    if not rules["detect_endless"] and rules["pickup_order"] not in CHANCY:
        rules["max_battles"] = min(rules["max_battles"], 2000)  # games that would never end
    try:
        return name, find(name).read_rules(rules)
    except BadInput:
        return name, find(name).read_rules({**rules, "leftover": "set_aside"})  # there are not enough twos to remove


def shown(game: str, rules: dict[str, Any]) -> str:
    """The rules that are not the defaults, for a failure's message."""
    defaults = find(game).read_rules({})
    return f"{game} " + " ".join(f"{name}={value}" for name, value in rules.items() if value != defaults[name])
