"""What a run gives: figures with their intervals, tables, plots, and the JSON that programs read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from simkit.game import CAPPED, DRAW, ENDLESS
from simkit.stats import histogram
from simkit.stats.clusters import mean_by_deal, share_by_deal
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import wilson
from simkit.tally import Counts, Tally

if TYPE_CHECKING:
    import pandas as pd

    from simkit.deals import DealSums
    from simkit.plots import Plots
    from simkit.simulate import Plan


class Result:
    """The games of one plan, counted.

    Columns that describe the course of a game (its length, say) are over finished games only, and their n says how many
    those are; the shares of capped and endless games stand beside them.

    Of a paired run every interval is by deal (n counts deals), and win rates are those of players, not of seats.
    """

    def __init__(
        self,
        plan: Plan,
        tally: Tally,
        seconds: float,
        *,
        rows: np.ndarray | None = None,
        deals: DealSums | None = None,
        interrupted: bool = False,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.plan, self.tally, self.seconds = plan, tally, seconds
        self.interrupted, self.notes = interrupted, notes
        self._rows, self._deals = rows, deals

    # ---- what was played

    @property
    def game(self) -> str:
        return self.plan.game

    @property
    def rules(self) -> dict[str, Any]:
        return dict(self.plan.rules)

    @property
    def players(self) -> tuple[str, ...]:
        return self.plan.players

    @property
    def seed(self) -> int:
        return self.plan.seed

    @property
    def games(self) -> int:
        """Games played (fewer than asked for, if the run was interrupted or stopped early)."""
        return self.tally.games

    @property
    def deals(self) -> int:
        """Deals played: as many as games, unless the run is paired."""
        return self._deals.deals if self._deals is not None else self.games

    @property
    def columns(self) -> list[str]:
        """The recorded columns, one name a seat where a column is per seat."""
        return [cell.name for cell in self.tally.layout.cells]

    @property
    def length(self) -> str:
        """The column that says how long a game is."""
        return self.plan.definition.length

    @property
    def exact(self) -> bool:
        """Whether every deal was played and nothing but the deal decides a game: then figures are no estimates, and their intervals are points."""
        plan = self.plan
        return plan.every_deal and self.games == plan.games and plan.definition.decided_by_deal(plan.rules)

    def _known(self, found: Estimate) -> Estimate:
        """A figure; of an exact run without a margin."""
        return replace(found, low=found.estimate, high=found.estimate, se=0.0, method="exact") if self.exact else found

    # ---- shares

    def counts(self, column: str) -> Counts:
        """How often each value of a column came up, in finished and in unfinished games. Raises KeyError."""
        return self.tally.counts(column)

    def _share(self, name: str, column: str, value: int, level: float) -> Estimate:
        if self._deals is not None:
            return share_by_deal(self._deals.deals, self._deals[name], level)
        counts = self.tally.counts(column)
        return self._known(wilson(int(counts.games[counts.values == value].sum()), self.games, level))

    def win_rate(self, seat: int = 0, level: float = 0.95) -> Estimate:
        """Share of all games that this seat (or its team) won, with its Wilson interval; of a paired run, that this player won (by number, from 0)."""
        return self._share(f"won by {seat}", "winner", self.plan.definition.winners(self.plan.rules)[seat], level)

    def draw_rate(self, level: float = 0.95) -> Estimate:
        """Share of all games that were drawn."""
        return self._share("is drawn", "outcome", DRAW, level)

    def endless_rate(self, level: float = 0.95) -> Estimate:
        """Share of all games that were proved never to end."""
        return self._share("is endless", "outcome", ENDLESS, level)

    def capped_rate(self, level: float = 0.95) -> Estimate:
        """Share of all games that were cut off without a result."""
        return self._share("is capped", "outcome", CAPPED, level)

    def first_mover_win_rate(self, level: float = 0.95) -> Estimate | None:
        """Share of all games that whoever moved first won; None where the game has no first mover, or did not record it."""
        if ("first_mover", "winner") not in [(a.name, b.name) for a, b in self.tally.layout.joints]:
            return None
        if self._deals is not None:
            return share_by_deal(self._deals.deals, self._deals["won by first mover"], level)
        movers, winners, table = self.tally.joint("first_mover", "winner")
        return self._known(wilson(int(table[movers[:, None] == winners[None, :]].sum()), self.games, level))

    @property
    def unfinished(self) -> int:
        """Games without an end: endless and capped ones."""
        return int(self.tally.counts("outcome").unfinished.sum())

    # ---- distributions

    def distribution(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """(values, counts) of a column, int64: of finished games, or of all where the column is known of every game."""
        counts = self.tally.counts(column)
        of_finished = self.plan.definition.cell_columns[column].finished
        games = counts.finished if of_finished else counts.games
        seen = games > 0
        return counts.values[seen], games[seen]

    def mean(self, column: str, level: float = 0.95) -> Estimate:
        """Mean of a column with its standard error and interval."""
        if self._deals is not None:
            return mean_by_deal(self._deals.deals, self._deals[column], level)
        return self._known(histogram.mean_estimate(*self.distribution(column), level))

    def quantile(self, column: str, q: float = 0.5, level: float = 0.95) -> Estimate:
        """Quantile of a column with its order-statistic interval.

        For columns over finished games, unfinished ones count as longer than any: a quantile may then be infinite. Of a paired run
        the interval is as wide as that of one game a deal.
        """
        values, counts = self.distribution(column)
        later = self.unfinished if self.plan.definition.cell_columns[column].finished else 0
        group = self.plan.seats if self._deals is not None else 1
        return self._known(histogram.quantile_interval(values, counts, q, level, later, group=group))

    def statistics(self, column: str, level: float = 0.95) -> dict[str, float]:
        """mean, se, low, high, sd, min, quantiles, max and n of a column; of a paired run n counts deals, and `games` games."""
        found = histogram.summary(*self.distribution(column), level)
        if self._deals is not None:
            mean = self.mean(column, level)
            found |= {"games": found["n"], "se": mean.se or 0.0, "low": mean.low, "high": mean.high, "n": mean.n}
        return found | ({"se": 0.0, "low": found["mean"], "high": found["mean"]} if self.exact else {})

    def joint(self, first: str, second: str) -> pd.DataFrame:
        """Joint counts of two columns in all games: a row a value of the first, a column a value of the second."""
        import pandas as pd

        rows, columns, table = self.tally.joint(first, second)
        return pd.DataFrame(table, index=pd.Index(rows, name=first), columns=pd.Index(columns, name=second))

    # ---- tables

    def sides(self) -> dict[int, list[int]]:
        """Who can win: each seat, or each team's seats by its first; of a paired run, players (who stay partners in every seating)."""
        found: dict[int, list[int]] = {}
        for place, winner in enumerate(self.plan.definition.winners(self.plan.rules)):
            found.setdefault(winner, []).append(place)
        return found

    def who(self, number: int) -> str:
        """Whom a win rate is of: "seat 0", "seats 0 and 2", or of a paired run the player, with a number where several have one name."""
        places = self.sides()[number]
        if not self.plan.paired:
            return f"seat{'s' * (len(places) > 1)} {' and '.join(map(str, places))}"
        name = self.player(number)
        return name if [self.player(each) for each in self.sides()].count(name) == 1 else f"{name} #{number}"

    def player(self, number: int) -> str:
        """The player of a side, or its players."""
        return " and ".join(dict.fromkeys(self.players[place] for place in self.sides()[number]))

    def shares(self, level: float = 0.95) -> Iterator[tuple[str, Estimate]]:
        """The ways a game can end, each with its share."""
        for side in self.sides():
            yield f"{self.who(side)} {'wins' if self.plan.paired or len(self.sides()[side]) == 1 else 'win'}", self.win_rate(side, level)
        yield "draw", self.draw_rate(level)
        yield "endless", self.endless_rate(level)
        yield "capped", self.capped_rate(level)

    def summary(self, level: float = 0.95) -> pd.DataFrame:
        """One row a recorded column: mean, se, interval, sd, quantiles, n."""
        import pandas as pd

        table = {name: self.statistics(name, level) for name in self.columns}
        return pd.DataFrame.from_dict(table, orient="index").rename_axis("column")

    def outcomes(self, level: float = 0.95) -> pd.DataFrame:
        """One row a way of ending: estimate, low, high, n."""
        import pandas as pd

        return pd.DataFrame.from_dict({name: share.as_dict() for name, share in self.shares(level)}, orient="index").rename_axis("outcome")

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Every game's row, in order, indexed by the game's number. Only if the run kept rows."""
        import pandas as pd

        if self._rows is None:
            raise ValueError("this run kept no rows; run it with rows=True (on the command line: --rows)")
        return pd.DataFrame(self._rows[:, 1:], columns=pd.Index(self.plan.row_cells), index=pd.Index(self._rows[:, 0], name="game"))

    @property
    def plot(self) -> Plots:
        """Figures of this run: `.plot.length()`, `.plot.survival()`, …"""
        from simkit.plots import Plots

        return Plots(self)

    # ---- for programs

    def as_dict(self) -> dict[str, Any]:
        """The JSON contract of `simkit run --format json`. Undefined numbers are null."""
        import simkit

        def share(found: Estimate) -> dict[str, Any]:
            return found.as_dict() | ({"games": self.games} if self.plan.paired else {})

        return plain({
            "simkit": simkit.__version__,
            "game": self.game,
            "game_version": self.plan.definition.version,
            "rules": self.rules,
            "players": list(self.players),
            "seed": self.seed,
            **({"hand": self.plan.hand} if self.plan.hand is not None else {}),
            "games": self.games,
            "paired": self.plan.paired,
            **({"exact": True} if self.exact else {}),
            **({"deals": self.deals} if self.plan.paired else {}),
            "seconds": round(self.seconds, 3),
            "win_rate": [
                {"seat": None if self.plan.paired else side, **({"seats": places} if len(places) > 1 and not self.plan.paired else {}),
                 "player": self.player(side), **share(self.win_rate(side))} for side, places in self.sides().items()
            ],
            "draw_rate": share(self.draw_rate()),
            "capped_rate": share(self.capped_rate()),
            "endless_rate": share(self.endless_rate()),
            **({"first_mover_win_rate": share(first)} if (first := self.first_mover_win_rate()) else {}),
            "columns": {name: self.statistics(name) for name in self.columns},
            "notes": list(self.notes),
        })  # fmt: skip

    def __repr__(self) -> str:
        mean = self.mean(self.length).text() if self.length in self.tally else "not recorded"
        return f"<{self.games:,} games of {self.game}, seed {self.seed}; {self.length}: {mean}>"


def plain(value: Any) -> Any:
    """The same with Python's own numbers, and None for those that JSON cannot hold."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
