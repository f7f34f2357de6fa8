"""Published and independently computed figures of War, reproduced. The values and their sources are in data/figures_war.json.

Seeds are fixed. Simulated figures are held to 4 combined standard errors, those of simkit and of the source.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from math import comb, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simkit.game import ENDLESS, PAUSED
from simkit.games import war
from simkit.jit import kernel
from simkit.simulate import Engine, make_plan
from simkit.tally import Tally
from tests import war_state

FIGURES: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "figures_war.json").read_text(encoding="utf-8"))
SMALL = FIGURES["small_decks"]
MILLION = 1_000_000
SEED = 11


@cache
def _played(game: str, rules: tuple, games: int, every_deal: bool, columns: str) -> Tally:
    plan = make_plan(game, rules=dict(rules), games=games, seed=SEED, columns=columns, every_deal=every_deal)
    return Engine(plan).play(0, plan.games, np.zeros(1, np.int64)).tally


def played(game: str, rules: dict[str, Any], games: int = MILLION, *, every_deal: bool = False, columns: str = "basic") -> Tally:
    return _played(game, tuple(rules.items()), games, every_deal, columns)


def mean_and_error(values: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Mean of a histogram and its standard error."""
    n = counts.sum()
    mean = float((values * counts).sum() / n)
    return mean, sqrt(float(((values - mean) ** 2 * counts).sum() / (n - 1) / n))


def quantile_holds(values: np.ndarray, counts: np.ndarray, level: float, expected: float, games: float = np.inf) -> bool:
    """Whether the expected quantile, found in `games` games, fits this histogram within 4 combined standard errors of its level."""
    n = counts.sum()
    room = 4 * sqrt(level * (1 - level) * (1 / n + 1 / games))
    below, up_to = counts[values < expected].sum() / n, counts[values <= expected].sum() / n
    return below <= level + room and up_to >= level - room


def near(ours: float, our_error: float, theirs: float, their_error: float = 0.0) -> bool:
    return abs(ours - theirs) < 4 * sqrt(our_error**2 + their_error**2)


# -------------------------------------------------------------------------------------------------------- small decks


def total(tally: Tally, column: str) -> int:
    """The sum of a column over the finite games."""
    counts = tally.counts(column)
    return int((counts.values * counts.finished).sum())


SMALL_ROWS = [
    pytest.param(row, id=f"{row[0]}x{row[1]}-{row[2]}", marks=[pytest.mark.slow] if row[5] > 10**6 else []) for row in SMALL["rows"]
]


@pytest.mark.parametrize("figures", SMALL_ROWS)
def test_small_decks_exactly(figures):
    """Every distinct deal once: wins, draws, endless games, battles, ties and the longest game, to the last digit."""
    expected = dict(zip(SMALL["columns"], figures, strict=True))
    rules = {name: expected[name] for name in ("ranks", "copies", "pickup_order", "face_down", "short_war_rule")}
    tally = played("war", rules, every_deal=True)
    outcome, winner, battles = (tally.counts(name) for name in ("outcome", "winner", "battles"))
    outcomes = dict(zip(outcome.values.tolist(), outcome.games.tolist(), strict=True))
    winners = dict(zip(winner.values.tolist(), winner.games.tolist(), strict=True))
    ties = total(tally, "war_rounds") + (total(tally, "deadlocks") if rules["short_war_rule"] != "lose" else 0)
    found = {
        "deals": tally.games, "wins_0": winners[0], "wins_1": winners[1], "draws": outcomes.get(1, 0), "endless": outcomes.get(ENDLESS, 0),
        "battles": total(tally, "battles"), "wars": ties, "longest": int(battles.values[battles.finished > 0].max()),
    }  # fmt: skip

    assert found == {name: expected[name] for name in found}
    assert outcomes.get(3, 0) == 0


def test_small_decks_battles_with_a_tie():
    """The column `wars` counts a double war once."""
    ties = [row for row in SMALL["rows"] if row[1] > 1]
    found = []
    for row in ties:
        rules = dict(zip(SMALL["columns"][:5], row[:5], strict=True))
        found.append(total(played("war", rules, every_deal=True), "wars"))

    assert found == SMALL["column_wars"]["values"]


# ------------------------------------------------------------------------------------------------------- first battles


@pytest.mark.parametrize(("game", "players"), [("war", 2), ("war-multi", 3), ("war-multi", 4), ("razboi", 3)])
def test_a_first_battle_is_a_war(game, players):
    """Exact: 1/17, 1924/22100, 31525/270725. Games of one battle, a million of each."""
    expected = Fraction(*FIGURES["first_battle_war"]["exact"][str(players)])
    counts = played(game, {"players": players, "max_battles": 1}, columns="wars").counts("wars")
    wars = int(counts.games[counts.values == 1].sum())

    assert set(counts.values.tolist()) <= {0, 1}
    assert abs(wars - MILLION * expected) < 4 * sqrt(MILLION * expected * (1 - expected))


@pytest.mark.parametrize(("ranks", "copies", "players"), [(3, 2, 2), (4, 2, 2), (3, 3, 2), (3, 3, 3), (4, 2, 4)])
def test_a_first_battle_is_a_war_exactly_in_small_decks(ranks, copies, players):
    """Over every deal: the share of deals whose highest first card is shared, by counting hands of one card each."""
    game = "war" if players == 2 else "war-multi"
    tally = played(game, {"ranks": ranks, "copies": copies, "players": players, "max_battles": 1}, every_deal=True)
    counts = tally.counts("wars")
    cards = ranks * copies
    # k of the players hold the highest rank, the others cards of the `lower` cards below it.
    shared = sum(comb(copies, k) * comb(copies * lower, players - k) for lower in range(ranks) for k in range(2, players + 1))

    assert Fraction(int(counts.games[counts.values == 1].sum()), tally.games) == Fraction(shared, comb(cards, players))


def test_the_exact_chances_follow_from_counting():
    """The same count for 52 cards gives the figures themselves."""
    for players, (above, below) in FIGURES["first_battle_war"]["exact"].items():
        p = int(players)
        shared = sum(comb(4, k) * comb(4 * lower, p - k) for lower in range(13) for k in range(2, p + 1))
        assert Fraction(shared, comb(52, p)) == Fraction(above, below)


# --------------------------------------------------------------------------------------------------------- game lengths


@kernel
def play_lengths(state, games, lengths, battles, partial):
    """Watched games: cards each player laid in completed rounds, battles, and whether the last war was not completed."""
    for deal in range(games):
        state.key[1] = deal
        war.start(state)
        while state.seat == PAUSED:
            war.step(state, 0)
        each = state.rules.face_down + 1
        full = 1 + each * state.table.depth
        partial[deal] = state.laid_size[0] != full or state.laid_size[1] != full
        battles[deal] = state.table.battles
        lengths[deal] = state.table.battles + each * (state.war_rounds - partial[deal])


def lengths_of(rules: dict[str, Any], games: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    lengths, battles, partial = (np.zeros(games, np.int64) for _ in range(3))
    play_lengths(war_state.new_state("war", war_state.rules_of("war", **rules), seed=SEED, watch=1), games, lengths, battles, partial)
    return lengths, battles, partial


@pytest.mark.slow
def test_norvig_length_in_cards():
    """Mean 292.87 and median 224 (published, from 1e5 games: 294 and 224)."""
    figures = FIGURES["norvig"]
    lengths, _, partial = lengths_of(figures["rules"], 100_000)
    values, counts = np.unique(lengths, return_counts=True)
    mean, error = mean_and_error(values, counts)

    assert near(mean, error, figures["mean"], figures["se"])
    assert near(mean, error, figures["published_mean"], lengths.std() / sqrt(100_000))
    assert quantile_holds(values, counts, 0.5, figures["median"], 100_000)
    assert 0 < partial.mean() < 1


def test_pefo_parity_law():
    """One card down: an odd number of battles only where the last war could not be played out."""
    _, battles, partial = lengths_of(FIGURES["parity"]["rules"], 50_000)
    odd = battles % 2 == 1

    assert odd.sum() > 1000
    assert (partial[odd] == 1).all()
    assert (partial == 0).sum() > 1000


@pytest.mark.slow
@pytest.mark.parametrize("figures", FIGURES["own_checks"]["rows"], ids=lambda row: row["rules"]["short_war_rule"])
def test_own_checks_of_length(figures):
    counts = played("war", figures["rules"]).counts("battles")
    mean, error = mean_and_error(counts.values, counts.finished)

    assert counts.unfinished.sum() == 0
    assert near(mean, error, figures["mean"], figures["se"])
    assert quantile_holds(counts.values, counts.finished, 0.5, figures["median"], MILLION)


@pytest.mark.slow
@pytest.mark.parametrize("order", FIGURES["own_checks"]["no_endless"]["orders"])
def test_no_endless_game_in_a_million(order):
    """95 % upper bound on their share: 3e-6."""
    counts = played("war", {"pickup_order": order}, FIGURES["own_checks"]["no_endless"]["games"], columns="battles").counts("outcome")

    assert counts.values.max() <= 1
    assert counts.games.sum() == MILLION


def walk_law(cards: int, longest: int) -> np.ndarray:
    """P(a fair walk from cards / 2 leaves 1 .. cards - 1 at step t), t = 0 .. longest."""
    inside, law = np.zeros(cards + 1), np.zeros(longest + 1)
    inside[cards // 2] = 1
    for step in range(1, longest + 1):
        moved = np.zeros(cards + 1)
        moved[1:] += inside[:-1] / 2
        moved[:-1] += inside[1:] / 2
        law[step] = moved[0] + moved[cards]
        moved[0] = moved[cards] = 0
        inside = moved
    return law


@pytest.mark.slow
@pytest.mark.parametrize("order", FIGURES["single_suit"]["orders"])
def test_a_single_suit_is_a_fair_walk(order):
    """52 ranks, random pick-up: mean 676, sd 551.5, and the whole distribution of the length."""
    figures = FIGURES["single_suit"]
    counts = played("war", figures["rules"] | {"pickup_order": order}, 400_000, columns="battles").counts("battles")
    values, games = counts.values, counts.games
    mean, error = mean_and_error(values, games)
    variance, variance_error = mean_and_error((values - mean) ** 2, games)

    assert near(mean, error, figures["mean"])
    assert near(variance, variance_error, figures["sd"] ** 2, 0.05 * 2 * figures["sd"])  # the figure is rounded to 0.1
    law = walk_law(52, 10_000)
    edges = np.searchsorted(np.cumsum(law), np.linspace(0, 1, 101)[1:-1])
    expected = np.diff(np.concatenate([[0], np.cumsum(law)[edges], [1]]))
    observed = np.bincount(np.searchsorted(edges, values), weights=games, minlength=100)
    assert 1e-4 < stats.chisquare(observed, expected * games.sum()).pvalue < 1 - 1e-4


def test_the_walk_has_the_stated_mean_and_deviation():
    law = walk_law(52, 40_000)
    steps = np.arange(len(law))
    mean = (law * steps).sum()

    assert law.sum() == pytest.approx(1)
    assert mean == pytest.approx(FIGURES["single_suit"]["mean"])
    assert sqrt((law * (steps - mean) ** 2).sum()) == pytest.approx(FIGURES["single_suit"]["sd"], abs=0.05)


# ------------------------------------------------------------------------------------------- rough anchors (section 13)


@pytest.mark.slow
@pytest.mark.parametrize("figures", FIGURES["anchors"]["rows"], ids=lambda row: f"{row['game']} {row['rules']}")
def test_rough_anchors(figures):
    """Mean, median and 99th percentile of the length, and means of rarer events where they are given."""
    games = 40_000 if figures["game"] == "war-multi" else 200_000
    tally = played(figures["game"], figures["rules"], games)
    counts = tally.counts("battles")
    mean, error = mean_and_error(counts.values, counts.finished)

    assert near(mean, error, figures["mean"], figures["se"])
    assert quantile_holds(counts.values, counts.finished, 0.5, figures["median"], figures["games"])
    assert quantile_holds(counts.values, counts.finished, 0.99, figures["q99"], figures["games"])
    for column in ("wars", "short_events", "stand_events", "deadlocks"):
        if column in figures:
            other = tally.counts(column)
            mean, error = mean_and_error(other.values, other.finished)
            theirs = sqrt(error**2 * games / figures["games"] + rounding(figures[column]) ** 2)
            assert near(mean, error, figures[column], theirs), column


def rounding(figure: float) -> float:
    """Standard deviation of the error of a figure rounded to the digits it is printed with."""
    digits = len(str(figure).partition(".")[2])
    return 10.0**-digits / sqrt(12)


def test_rough_anchor_of_seat_order():
    """42 % of 1000 games reached 10,000 battles; here such games are played to the cap, or proved endless."""
    figures = FIGURES["anchors"]["seat_order"]
    for detect in (True, False):
        games = 20_000 if detect else 2_000
        counts = played("war", {"pickup_order": "seat_order", "detect_endless": detect}, games, columns="battles").counts("outcome")
        share = counts.games[counts.values >= ENDLESS].sum() / games
        assert near(share, sqrt(0.42 * 0.58 / games), figures["capped"], sqrt(0.42 * 0.58 / figures["games"]))


@pytest.mark.slow
def test_rough_anchor_of_razboi_draws():
    """1 draw in 20,000 games: rare, and not impossible."""
    figures = FIGURES["anchors"]["razboi_draws"]
    counts = played("razboi", {}, MILLION, columns="battles").counts("outcome")
    draws = int(counts.games[counts.values == 1].sum())

    assert stats.binomtest(figures["draws"], figures["draws"] + draws, figures["games"] / (figures["games"] + MILLION)).pvalue > 1e-4
    assert draws > 0
