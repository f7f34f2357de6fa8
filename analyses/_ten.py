"""What the studies of TEN share: the players they measure with, one player against a table of another, and how figures are said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from simkit import plots
from simkit.plots import short
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, zero_upper

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from simkit.result import Result
    from simkit.study import Study

FIELD = "steady"
"""The good player that the studies measure with: all others at the table, and the one tried but for what it does otherwise."""
PLAYERS = {"steady": FIELD, "planner": "planner", "bold": "bold", "careful": "careful", "banker": "banker"}
"""Players of different habits, to see whether an answer holds at their tables too."""
QUICK_PLAN, EXACT_PLAN = "stop_by_shares", "optimal_stop"
"""Parts that plan the rest of a turn: by the shares of the cards left, and exactly, which is slow."""
SHARES = 60
"""A win, in the units of `win_share`."""
SPLITS: dict[str, dict[str, Any]] = {
    "6/6/5/5/5 (assumed)": {},
    "9/7/5/4/2": {"currency_counts": "low_heavy"},
    "2/4/5/7/9": {f"currency_{value}": copies for value, copies in enumerate((2, 4, 5, 7, 9), 1)},
}
"""Currency splits of 27 cards (docs/rules/ten.md, D2): the one assumed, and one to either side of it."""


class Figures(NamedTuple):
    """What one player did at a table of others: a row a deal, each figure the mean over the seats it sat in."""

    player: str
    frame: pd.DataFrame

    @property
    def deals(self) -> int:
        return len(self.frame)

    def mean(self, column: str, level: float = 0.95) -> Estimate:
        """Mean a game; by deal."""
        return mean_of(self.frame[column].to_numpy(), level)

    @property
    def won(self) -> Estimate:
        """Share of the games won, a shared win in parts; by deal."""
        return within(self.mean("win_share"))

    def ratio(self, above: Sequence[str], below: Sequence[str]) -> Estimate:
        """Total of some columns over the total of others; by deal."""
        return ratio_of(self.frame[list(above)].sum(axis=1).to_numpy(), self.frame[list(below)].sum(axis=1).to_numpy())


def instead(part: str, kind: str = "draw") -> str:
    """The good player with one part exchanged."""
    return f"{FIELD}[{kind}={part}]"


def alone(
    s: Study, player: str, columns: Sequence[str], deals: float, *, field: str = FIELD, rules: Mapping[str, Any] | None = None
) -> Figures:
    """One player alone at a table of another, in each seat of so many deals. `win_share` is among the columns, as a share."""
    seats = int((rules or {}).get("players", 4))
    wanted = ["win_share", *columns]
    result = s.run(
        "ten",
        seats * max(25, int(deals)),
        players=[player, *[field] * (seats - 1)],
        paired=True,
        rules=rules,
        columns=",".join(wanted),
        rows=True,
    )
    return Figures(player, by_deal(result, wanted, seats))


def by_deal(result: Result, columns: Sequence[str], seats: int) -> pd.DataFrame:
    """The first player's figures of a paired run: a row a deal, the mean over its seats."""
    frame = result.frame
    seat = -frame.index.to_numpy() % seats  # from game to game of a deal the first player moves one seat back
    made = {}
    for column in columns:
        cells = frame[[f"{column}_{k}" for k in range(seats)]].to_numpy(float)
        made[column] = cells[np.arange(len(cells)), seat].reshape(-1, seats).mean(axis=1)
    made["win_share"] /= SHARES
    return pd.DataFrame(made)


def change(one: Figures, base: Figures, column: str = "win_share", level: float = 0.95) -> Estimate:
    """What one has more of than the other, a game, on the deals that both played (the first ones of a seed are the same)."""
    deals = min(one.deals, base.deals)
    return mean_of(one.frame[column].to_numpy()[:deals] - base.frame[column].to_numpy()[:deals], level)


def alike(s: Study, columns: Sequence[str], games: float, *, player: str = FIELD, rules: Mapping[str, Any] | None = None) -> Result:
    """A table at which all play alike; the rows of its games are kept."""
    return s.run("ten", games, players=player, rules=rules, columns=",".join(columns), rows=True)


def seats_of(result: Result, column: str) -> np.ndarray:
    """A column of each seat: a row a game, (games, seats)."""
    return result.frame[[f"{column}_{seat}" for seat in range(int(result.rules["players"]))]].to_numpy(float)


def total_ratio(result: Result, above: Sequence[str], below: Sequence[str]) -> Estimate:
    """Total of some columns over that of others, over all seats; the games are the units."""
    over, under = (sum(seats_of(result, column).sum(axis=1) for column in columns) for columns in (above, below))
    return ratio_of(over, under)


# ---------------------------------------------------------------------------------------------------------- statistics


def mean_of(values: np.ndarray, level: float = 0.95) -> Estimate:
    """Mean with its interval; where all values are alike it allows for others, at most 1 away, in about 3/n of the units."""
    values = np.asarray(values, float)
    n = len(values)
    spread = float(values.std(ddof=1)) if n > 1 else 0.0
    if n > 1 and spread < 1e-12:
        other = float(zero_upper(n, level))
        return Estimate(float(values[0]), float(values[0]) - other, float(values[0]) + other, n, 0.0, "t", level)
    return mean_interval(n, float(values.mean()) if n else 0.0, spread, level)


def ratio_of(above: np.ndarray, below: np.ndarray, level: float = 0.95) -> Estimate:
    """Sum over sum; the rows are the units (delta method). Unknown where nothing is below."""
    above, below = np.asarray(above, float), np.asarray(below, float)
    if below.sum() == 0:
        return Estimate(np.nan, -np.inf, np.inf, len(above))
    value = float(above.sum() / below.sum())
    rest = mean_of((above - value * below) / below.mean(), level)
    half = (rest.high - rest.low) / 2
    return Estimate(value, value - half, value + half, len(above), rest.se, "delta", level)


def within(share: Estimate) -> Estimate:
    """A share with its interval cut to 0 to 1."""
    return Estimate(share.estimate, max(0.0, share.low), min(1.0, share.high), share.n, share.se, share.method, share.level)


def scaled(figure: Estimate, factor: float) -> Estimate:
    """An estimate in another unit."""
    se = None if figure.se is None else figure.se * abs(factor)
    low, high = sorted((figure.low * factor, figure.high * factor))
    return Estimate(figure.estimate * factor, low, high, figure.n, se, figure.method, figure.level)


def clear(figure: Estimate, even: float = 0.0) -> int:
    """1 or -1 if a figure is clearly above or below `even`, 0 if `even` lies in its interval."""
    return int(figure.low > even) - int(figure.high < even)


def family(many: int) -> float:
    """The level at which so many intervals are meant to hold all together at 95 % (Bonferroni)."""
    return 1 - 0.05 / max(1, many)


# --------------------------------------------------------------------------------------------------------------- words


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def signed(figure: Estimate, factor: float = 1) -> str:
    """A difference in few letters: "+3.1 ± 0.9"."""
    return ("+" if figure.estimate > 0 else "") + short(scaled(figure, factor)).replace("-", "\N{MINUS SIGN}")


def in_points(figure: Estimate) -> str:
    """A difference of shares in words, in percentage points."""
    joint = "" if figure.level == 0.95 else ", one of several that hold together"
    return f"{signed(figure, 100)} percentage points (95 %{joint}, n = {figure.n:,} deals)"


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Names in a row: "a, b and c"."""
    names = list(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}" if names else "none"


def grouped(
    labels: Sequence[str], series: Mapping[str, Sequence[Estimate]], *, x: str, factor: float = 1, reference: float | None = None
) -> Figure:
    """A row a label, with a point and an interval for each series."""
    figure, axes = plots.blank(x=x, height=0.95 + (0.2 * len(series) + 0.12) * len(labels))
    with plots.style():
        rows = np.arange(len(labels))
        for k, (name, estimates) in enumerate(series.items()):
            middle, low, high = (
                factor * np.array([getattr(each, end) for each in estimates], float) for end in ("estimate", "low", "high")
            )
            low, high = np.where(np.isfinite(low), low, middle), np.where(np.isfinite(high), high, middle)
            places = rows + 0.22 * (k - (len(series) - 1) / 2)
            axes.hlines(places, low, high, color=plots.SERIES[k], linewidth=2, alpha=0.75)
            axes.plot(middle, places, plots.MARKERS[k], color=plots.SERIES[k], markersize=4.5, label=name)
        if reference is not None:
            axes.axvline(reference, color=plots.INK, linewidth=1, alpha=0.6, linestyle=(0, (4, 3)))
        axes.set_yticks(rows, list(labels))
        axes.set_ylim(len(labels) - 0.45, -0.55)
        axes.grid(False, axis="y")
        if len(series) > 1:
            plots.legend(axes)
    return figure
