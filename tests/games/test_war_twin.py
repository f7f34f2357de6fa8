"""War's kernel and its slow twin, written from the rules page alone, play every game alike, column by column."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest

from simkit.game import EVERY_DEAL, OUTCOMES, SHUFFLED
from simkit.games import find, war
from simkit.simulate import Engine, Plan, make_plan
from tests import war_state
from tests.reference import war as reference
from tests.war_rules import LARGE, MIDDLE, TINY, any_rules, shown

SEED = 20261130
NEVER = np.zeros(1, np.int64)

# (decks, settings, games of each setting): small decks are quick and full of corner cases.
BATCHES = {"tiny": (TINY, 360, 40), "middle": (MIDDLE, 160, 30), "large": (LARGE, 240, 20)}


@cache
def settings_of(batch: str) -> list[tuple[str, dict[str, Any], int, int]]:
    """Game, rules, seed and number of games of each setting."""
    decks, settings, games = BATCHES[batch]
    pick = random.Random(f"{SEED} {batch}").choice
    return [(*any_rules(pick, decks=decks), SEED + number, games) for number in range(settings)]


@cache
def rows_of(batch: str, columns: str) -> list[tuple[Plan, np.ndarray]]:
    """The kernel's rows of each setting, with its plan."""
    found = []
    for game, rules, seed, games in settings_of(batch):
        plan = make_plan(game, rules=rules, players="random", games=games, seed=seed, columns=columns, rows=True)
        part = Engine(plan).play(0, games, NEVER)
        assert part.games == games
        found.append((plan, part.rows))
    return found


def differences(plan: Plan, deal: int, kernel_row: np.ndarray, twin_row: dict[str, int]) -> str:
    """Which cells differ (kernel, twin), or ''."""
    apart = [
        f"{name}: {ours} {twin_row[name]}" for name, ours in zip(plan.row_cells, kernel_row.tolist(), strict=True) if ours != twin_row[name]
    ]
    return f"{shown(plan.game, dict(plan.rules))} seed={plan.seed} deal={deal}: " + ", ".join(apart) if apart else ""


def report(faults: list[str]) -> str:
    return f"{len(faults)} games differ (kernel, twin):\n" + "\n".join(faults[:5])


@pytest.mark.parametrize("batch", BATCHES)
def test_the_kernel_plays_every_game_as_its_twin_does(batch):
    """Every column, under random rules, on 24,000 games in all."""
    faults = []
    for plan, rows in rows_of(batch, "all"):
        assert {"lead_changes", "most_cards_0", "last_lead_change"} <= set(plan.row_cells)
        for deal, kernel_row in enumerate(rows):
            faults += filter(
                None, [differences(plan, deal, kernel_row, reference.play(dict(plan.rules) | {"game": plan.game}, plan.seed, deal))]
            )

    assert not faults, report(faults)


@pytest.mark.modes
def test_a_few_games_with_any_compiler_flags():
    """Short games, few enough to be played without the compiler too."""
    faults = []
    for batch in BATCHES:
        for game, rules, seed, _ in settings_of(batch)[:30]:
            plan = make_plan(
                game, rules=rules | {"max_battles": min(rules["max_battles"], 40)}, players="random", games=3, seed=seed, rows=True
            )
            for deal, kernel_row in enumerate(Engine(plan).play(0, 3, NEVER).rows):
                faults += filter(None, [differences(plan, deal, kernel_row, reference.play(dict(plan.rules) | {"game": game}, seed, deal))])

    assert not faults, report(faults)


@pytest.mark.parametrize("batch", BATCHES)
def test_columns_left_out_change_no_other_column(batch):
    """`basic` records the same numbers as `all` in the columns that both have."""
    for (full, full_rows), (basic, basic_rows) in zip(rows_of(batch, "all"), rows_of(batch, "basic"), strict=True):
        assert "lead_changes" not in basic.row_cells
        same = [full.row_cells.index(name) for name in basic.row_cells]
        assert np.array_equal(basic_rows, full_rows[:, same]), shown(full.game, dict(full.rules))


def test_the_random_settings_reach_every_corner():
    """The games above are worth comparing: every rule value is among them, and every way to end and every rare event."""
    values: dict[str, set] = {}
    totals: dict[str, int] = {}
    outcomes: set[int] = set()
    for batch in BATCHES:
        for plan, rows in rows_of(batch, "all"):
            for name, value in plan.rules.items():
                values.setdefault(name, set()).add(value)
            columns = dict(zip(plan.row_cells, rows.T, strict=True))
            outcomes |= set(columns["outcome"].tolist())
            for name in ("short_events", "stand_events", "deadlocks", "bystander_wars", "draw_seats", "capped", "lead_changes"):
                totals[name] = totals.get(name, 0) + int((columns[name] > 0).sum())
            totals["long"] = totals.get("long", 0) + int((columns["battles"] > war.SPAN).sum())
            endless = columns["outcome"] == OUTCOMES.index("endless")
            totals["late endless"] = totals.get("late endless", 0) + int((endless & (columns["battles"] > war.FIRST_WATCH)).sum())

    assert outcomes == {0, 1, 2, 3}
    assert min(totals.values()) > 0, totals
    for name in (
        "pickup_order",
        "short_war_rule",
        "war_participants",
        "leftover",
        "deadlock_rule",
        "cap_result",
        "face_war_size",
        "ace_war_size",
    ):
        assert values[name] == set(find("razboi").by[name].legal), name


def test_every_deal_is_each_distinct_deck_once():
    """The exhaustive mode deals all distinct decks in ascending order, and plays each as the twin does."""
    for game, rules in [
        ("war", {"ranks": 3, "copies": 2, "pickup_order": "losers_first", "face_down": 1, "short_war_rule": "lose"}),
        ("war", {"ranks": 2, "copies": 4, "pickup_order": "winner_first"}),
        ("war-multi", {"ranks": 4, "copies": 2, "leftover": "first_pot", "pickup_order": "high_first"}),
        ("razboi", {"ranks": 5, "copies": 1, "players": 3, "pickup_order": "low_first"}),
    ]:
        plan = make_plan(game, rules=rules, every_deal=True, rows=True)
        part = Engine(plan).play(0, plan.games, NEVER)
        deck = [rank for rank in range(2, rules["ranks"] + 2) for _ in range(rules["copies"])]
        decks = distinct_orders(deck)
        assert plan.games == part.games == len(decks)
        faults = []
        for deal, order in enumerate(decks):
            faults += filter(
                None, [differences(plan, deal, part.rows[deal], reference.play_deck(order, dict(plan.rules) | {"game": game}))]
            )
        assert not faults, report(faults)


def distinct_orders(deck: list[int]) -> list[list[int]]:
    """All distinct orders of a deck, ascending."""
    if not deck:
        return [[]]
    found = []
    for rank in sorted(set(deck)):
        rest = list(deck)
        rest.remove(rank)
        found += [[rank, *order] for order in distinct_orders(rest)]
    return found


def test_a_given_deck_is_dealt_as_it_stands():
    """`GIVEN` decks play as the twin's `play_deck`, the left-over cards at the deck's end."""
    pick = random.Random(SEED)
    for _ in range(60):
        game, rules = any_rules(pick.choice, decks=TINY)
        if rules["pickup_order"] == "player_choice":
            rules["pickup_order"] = "coin"
        deck = reference.full_deck({"game": game, **rules})
        pick.shuffle(deck)
        state = war_state.given_deck(game, deck, seed=5, deal=7, **rules)
        war.start(state)
        war.step(state, 0)
        twin = reference.play_deck(deck, {"game": game, **rules}, seed=5, deal=7)
        row = war_state.row(state, game)
        assert {name: row[name] for name in twin if name in row} == {name: twin[name] for name in twin if name in row}, shown(game, rules)


# ------------------------------------------------------------------------- many battles at once, or one after the other


@pytest.mark.parametrize(("decks", "settings", "games"), [(TINY, 150, 20), (MIDDLE, 60, 15), (LARGE, 100, 20)])
def test_a_race_gives_what_its_battles_give(decks, settings, games):
    """Where two players' battles are played many at once, the row is that of one battle after the other (watched)."""
    pick = random.Random(f"{SEED} race {decks}").choice
    for number in range(settings):
        game, rules = any_rules(pick, decks=decks, raceable=True)
        plan = make_plan(game, rules=rules, games=games, seed=SEED + number, rows=True)
        raced = Engine(plan).play(0, games, NEVER).rows
        watched = watched_rows(game, rules, SEED + number, games)[:, [find(game).cells.index(name) for name in plan.row_cells]]
        apart = np.argwhere(raced != watched)
        assert not len(apart), f"{shown(game, rules)} seed={plan.seed} deal={apart[0][0]}: " + ", ".join(
            f"{plan.row_cells[cell]}: {raced[deal, cell]} {watched[deal, cell]}" for deal, cell in apart[:20] if deal == apart[0][0]
        )


def test_a_race_plays_every_deal_alike():
    """The same on every deal of small decks without chance, where endless games are many."""
    for order in ("winner_first", "losers_first", "seat_order", "seat_alternate", "high_first", "low_first"):
        for ranks, copies, cap in [(4, 1, 10000), (6, 1, 40), (3, 2, 10000), (4, 2, 100), (2, 4, 15)]:
            rules = find("war").read_rules({"ranks": ranks, "copies": copies, "pickup_order": order, "face_down": 1, "max_battles": cap})
            plan = make_plan("war", rules=rules, rows=True, every_deal=True)
            raced = Engine(plan).play(0, plan.games, NEVER).rows
            watched = watched_rows("war", rules, 1, plan.games, every_deal=True)[
                :, [find("war").cells.index(name) for name in plan.row_cells]
            ]
            assert np.array_equal(raced, watched), shown("war", rules)


def watched_rows(game: str, rules: dict[str, Any], seed: int, games: int, every_deal: bool = False) -> np.ndarray:
    """Rows of games that are paused after every battle."""
    definition = find(game)
    results = np.zeros(games, definition.result_type)
    rows = results.view(np.recarray) if war_state.PLAIN else results
    state = war_state.new_state(game, rules, seed=seed, watch=1)
    state["dealing"] = EVERY_DEAL if every_deal else SHUFFLED
    for deal in range(games):
        state["key"][1] = deal
        war_state.play_watched(state, rows[deal])
    return results.view(np.int64).reshape(games, -1)
