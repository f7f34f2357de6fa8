"""`simkit.hand` and `simkit.hands`: what a given hand is worth, the rest of the deck dealt at random, and what a call on it is."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simkit.api import play
from simkit.game import BadInput, Call
from simkit.games import find
from simkit.result import Result, plain
from simkit.simulate import Plan, make_plan
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval_from_sums, wilson

if TYPE_CHECKING:
    import pandas as pd

DEALS, DEALS_WITH_CALLS = 100_000, 10_000
"""Deals unless said otherwise: in games without calls, and where each deal is played once for each call."""
MOST_DEALS = 10_000_000
"""Deals whose rows are kept to be compared one by one."""


@dataclass(frozen=True)
class Way:
    """The given hand's deals, played in one way: as its player decides, or with a call forced or forbidden.

    `success`: share of the deals in which the hand reached the game's goal. `payoff`: mean of its seat's payoff. `made`: share of
    the deals in which the call was made. Of a forced call, against no call on the same deals: `worth`, the mean payoff gained;
    `break_even`, the probability of success above which it gains, in which what the call changes in play is contained. `made` and
    `break_even` are known where the goal settles the call: not in a match.
    """

    name: str
    value: int
    success: Estimate
    payoff: Estimate
    made: Estimate | None = None
    worth: Estimate | None = None
    break_even: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON types; null where there is nothing to compare."""
        figures = {name: getattr(self, name) for name in FIGURES}
        return {"way": self.name, "value": self.value or None} | {
            name: e.as_dict() if e is not None else None for name, e in figures.items()
        }


FIGURES = ("success", "payoff", "made", "worth", "break_even")


class HandResult:
    """What was found out about a given hand: `.ways`, a table `.frame`, and `.result`, the run in which its player decided itself."""

    def __init__(self, plan: Plan, result: Result, ways: list[Way], seconds: float, interrupted: bool) -> None:
        self.plan, self.result, self.ways, self.seconds, self.interrupted = plan, result, ways, seconds, interrupted

    @property
    def seat(self) -> int:
        return self.plan.hand_dealt[0]

    @property
    def cards(self) -> str:
        """The hand, as the game writes it."""
        return self.plan.definition.write_hand(self.plan.hand_dealt[1], self.plan.rules)

    @property
    def goal(self) -> str:
        """What `success` means: "goes out first"."""
        return self.plan.definition.goal[1]

    @property
    def deals(self) -> int:
        """Deals, each of them played in every way."""
        return self.ways[0].success.n if self.ways else 0

    def __getitem__(self, name: str) -> Way:
        """The way of this name: "Tichu". Raises KeyError."""
        return {way.name: way for way in self.ways}[name]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row a way: figures, each with the ends of its 95 % interval (`success`, `success_low`, `success_high`, …)."""
        import pandas as pd

        return pd.DataFrame([self._line(way) for way in self.ways])

    def _line(self, way: Way) -> dict[str, Any]:
        line: dict[str, Any] = {"cards": self.cards, "seat": self.seat, "way": way.name, "deals": self.deals}
        for name in FIGURES:
            found = getattr(way, name)
            ends = (found.estimate, found.low, found.high) if found is not None else (float("nan"),) * 3
            line |= dict(zip((name, f"{name}_low", f"{name}_high"), map(float, ends), strict=True))
        return line

    def as_dict(self) -> dict[str, Any]:
        """The JSON contract of `simkit hand --format json`."""
        import simkit

        plan, result = self.plan, self.result
        return plain({
            "simkit": simkit.__version__, "game": plan.game, "game_version": plan.definition.version, "rules": dict(plan.rules),
            "players": list(plan.players), "seed": plan.seed, "seat": self.seat, "cards": self.cards, "goal": self.goal, "deals": self.deals,
            "seconds": round(self.seconds, 3), "ways": [way.as_dict() for way in self.ways], "draw_rate": result.draw_rate().as_dict(),
            "capped_rate": result.capped_rate().as_dict(), "endless_rate": result.endless_rate().as_dict(),
        })  # fmt: skip


def hand(
    game: str, cards: str | tuple[int, str], games: float | None = None, *, seat: int | None = None, players: str | Sequence[str] | None = None,
    seed: int = 1, jobs: int | None = None, backend: str = "threads", address: str = "", progress: bool | None = None,
    rules: Mapping[str, Any] | None = None, **more_rules: Any,
) -> HandResult:  # fmt: skip
    """Deal one seat a given hand and everything else at random, many times: how often does it win, and what is a call on it worth?

    Parameters
    ----------
    game : str
        One that can: `tichu`, `tichu-match` (of which it is dealt in the first round), `war`, …
    cards : str
        As the game's rules page writes them, in any order; in Tichu all 14, or the first 8: "2j 3s 4 5 6 7 Ph Dr".
    games : number, default 10,000 in a game with calls, else 100,000
        Deals. Each is played once as the players decide, once without a call, and once with each call.
    seat : int, default 0
    players : str or list of str
        One strategy for every seat, or one a seat; by default the strongest that the game names (Tichu: steady).
    seed, jobs, backend, address, progress, rules, **more_rules
        As for `simkit.run`.

    Returns
    -------
    HandResult

    Raises
    ------
    BadInput
        In one line: what is wrong, and what to do.
    """
    began = time.perf_counter()
    given = cards if seat is None else (seat, cards)
    if isinstance(players, int):  # the rule of that name, where a game has it: players=3
        more_rules, players = {**more_rules, "players": players}, None
    players = players or find(game).best_player or None
    plan = make_plan(game, rules={**(rules or {}), **more_rules}, players=players, seed=seed, hand=given)  # type: ignore[arg-type]
    bets = plan.definition.calls(plan.hand_dealt[1], plan.rules) if not plan.hand_call else ()
    asked = games if games is not None else DEALS_WITH_CALLS if bets else DEALS
    if bets and asked > MOST_DEALS:
        raise BadInput(f"{asked:g} deals are too many to compare one by one; ask for {MOST_DEALS:g} or fewer")
    definition = plan.definition
    columns = ",".join([definition.goal[0], definition.length, *sorted({bet.made for bet in bets} - {""})])
    plan = make_plan(
        game, rules=plan.rules, players=list(plan.players), games=asked, seed=seed, hand=plan.hand, columns=columns, rows=bool(bets)
    )
    options: dict[str, Any] = {"jobs": jobs, "backend": backend, "address": address, "progress": progress}
    results = [play(plan, **options)]
    for bet in bets:
        if not results[-1].interrupted:
            results.append(play(with_bet(plan, bet), **options))
    ways = all_ways(plan, bets, results)
    return HandResult(plan, results[0], ways, time.perf_counter() - began, results[-1].interrupted)


def hands(game: str, cards: Iterable[str | tuple[int, str]], games: float | None = None, **options: Any) -> pd.DataFrame:
    """`simkit.hand` for each of several hands, as one table: a row for each hand and each way to play it (`HandResult.frame`).

    `options` are those of `simkit.hand`. Hands that cannot be had are refused before anything is played. Raises BadInput.
    """
    import pandas as pd

    wanted = list(cards)
    if isinstance(cards, str) or not wanted:
        raise BadInput("name several hands in a list; for one hand use: simkit.hand")
    others = ("seat", "jobs", "backend", "address", "progress", "players", "seed", "rules")
    rules = {**(options.get("rules") or {}), **{name: value for name, value in options.items() if name not in others}}
    if isinstance(options.get("players"), int):
        rules["players"] = options["players"]
    for each in wanted:
        make_plan(game, rules=rules, hand=each if options.get("seat") is None else (options["seat"], each))  # type: ignore[arg-type]
    frames = []
    for each in wanted:
        found = hand(game, each, games, **options)
        frames.append(found.frame)
        if found.interrupted:
            break
    return pd.concat(frames, ignore_index=True)


def with_bet(plan: Plan, bet: Call) -> Plan:
    """The plan with this bet placed whenever it is offered to the given hand, and no other."""
    seat, cards = plan.hand_dealt
    return dataclasses.replace(plan, hand=f"{seat} {bet.name}: {plan.definition.write_hand(cards, plan.rules)}")


# ------------------------------------------------------------------------------------------------------------- figures


def best(plan: Plan) -> int:
    """What the goal's column holds where the given hand did best: its seat, or what `winner` says if that seat wins."""
    seat = plan.hand_dealt[0]
    return plan.definition.winners(plan.rules)[seat] if plan.definition.goal[0] == "winner" else seat


def all_ways(plan: Plan, bets: Sequence[Call], results: Sequence[Result]) -> list[Way]:
    """The figures of each way that was played: over those deals that were played in all of them."""
    seat, goal = plan.hand_dealt[0], (plan.definition.goal[0], best(plan))
    own = f"as {plan.players[seat]} decides" if plan.definition.has_choices(plan.rules) else "as dealt"
    if plan.hand_call:
        own = plan.definition.calls(plan.hand_dealt[1], plan.rules)[plan.hand_call - 1].name
    if not bets:
        return [tallied_way(own, results[0], seat, goal)]
    frames = [result.frame for result in results]
    common = frames[0].index
    for frame in frames[1:]:
        common = common.intersection(frame.index)
    frames = [frame.loc[common] for frame in frames]
    reference = frames[1][f"payoff_{seat}"].to_numpy() if len(frames) > 1 else None
    ways = [compared_way(own, None, frames[0], seat, goal, reference)]
    for bet, frame in zip(bets, frames[1:], strict=False):
        ways.append(compared_way(bet.name, bet, frame, seat, goal, reference if bet.value else None))
    return ways


def tallied_way(name: str, result: Result, seat: int, goal: tuple[str, int]) -> Way:
    """The figures of a run whose rows were not kept. goal: a column, and its value where the hand did best."""
    counts = result.counts(goal[0])
    success = wilson(int(counts.games[counts.values == goal[1]].sum()), result.games)
    return Way(name, 0, success, result.mean(f"payoff_{seat}"))


def compared_way(name: str, bet: Call | None, frame: pd.DataFrame, seat: int, goal: tuple[str, int], reference: np.ndarray | None) -> Way:
    """The figures of one way, against the payoffs of no call on the same deals."""
    n, reached, payoff = len(frame), frame[goal[0]].to_numpy() == goal[1], frame[f"payoff_{seat}"].to_numpy()
    success, mean = wilson(int(reached.sum()), n), mean_of(payoff)
    if bet is None or not bet.value:
        return Way(name, 0, success, mean, worth=mean_of(payoff - reference) if reference is not None else None)
    worth = mean_of(payoff - reference) if reference is not None else None
    if not bet.made:
        return Way(name, bet.value, success, mean, worth=worth)
    made, break_even = frame[f"{bet.made}_{seat}"].to_numpy() > 0, None
    if reference is not None:
        gained = payoff - reference
        break_even = even_probability(gained - np.where(made, np.where(reached, bet.value, -bet.value), 0), bet.value)
    return Way(name, bet.value, success, mean, wilson(int(made.sum()), n), worth, break_even)


def even_probability(change: np.ndarray, value: int) -> Estimate:
    """The probability p of success at which a call is worth nothing: value p - value (1 - p) + mean change in play = 0.

    change: payoff gained less what the call itself won or lost, a deal. p may lie outside 0 to 1: then the call always, or never,
    is worth something.
    """
    found = mean_of(change)
    p, low, high = (0.5 - each / (2 * value) for each in (found.estimate, found.high, found.low))
    return Estimate(p, low, high, found.n, None if found.se is None else found.se / (2 * value), found.method, found.level)


def mean_of(values: np.ndarray) -> Estimate:
    """Mean of whole numbers with its interval, from exact sums."""
    return mean_interval_from_sums(len(values), int(values.sum()), int((values * values).sum()))
