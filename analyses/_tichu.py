"""What the studies of Tichu share: means and shares with their intervals, in words, and the cards of a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from simkit.games._tichu_combinations import DOG, DRAGON, MAH_JONG, PHOENIX
from simkit.plots import short
from simkit.stats.clusters import Sums, share_by_deal
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, wilson, zero_upper

if TYPE_CHECKING:
    from simkit.comparison import Comparison
    from simkit.result import Result

SEATS = 4
ACES = 15 << 52
"""The aces, as a set of cards (`simkit.games.tichu`)."""
KINGS = 15 << 48
CARDS = {"Dragon": DRAGON, "Phoenix": PHOENIX, "an ace": ACES, "a king": KINGS, "Mah Jong": MAH_JONG, "Dog": DOG}
"""Sets of cards that count in the studies."""
POINTS = 400
"""Points by which two plays of a round seldom differ more."""
FEW = 20
"""Rounds below which a figure of a group is left out: its interval would say nothing."""


def count_cards(hands: np.ndarray, cards: int) -> np.ndarray:
    """How many of these cards each hand holds."""
    return np.bitwise_count(np.asarray(hands, np.int64) & cards).astype(np.int64)


def mean_of(values: np.ndarray, level: float = 0.95, most: float = POINTS) -> Estimate:
    """Mean with its interval; where all values are alike it allows for others, at most `most` away, in about 3/n of the rounds."""
    values = np.asarray(values, float)
    n = len(values)
    spread = float(values.std(ddof=1)) if n > 1 else 0.0
    if n > 1 and spread == 0:
        other = most * float(zero_upper(n, level))
        return Estimate(float(values[0]), float(values[0]) - other, float(values[0]) + other, n, 0.0, "t", level)
    return mean_interval(n, float(values.mean()) if n else np.nan, spread, level)


def share_of(truths: np.ndarray) -> Estimate:
    """Share of rounds in which something is true."""
    truths = np.asarray(truths)
    return wilson(int(truths.sum()), len(truths))


def sums_by_round(x: np.ndarray, m: np.ndarray) -> Sums:
    """The five sums over rounds of what several seats bring each."""
    x, m = (np.asarray(each).astype(np.int64) for each in (x, m))
    return Sums(int(x.sum()), int(m.sum()), int(x @ x), int(x @ m), int(m @ m))


def share_of_seats(truths: np.ndarray, counted: np.ndarray | None = None) -> Estimate:
    """Share of the seats counted, shape (rounds, 4), for which something is true; the unit is the round with such a seat."""
    counted = np.ones_like(truths, bool) if counted is None else counted
    some = counted.any(axis=1)
    return share_by_deal(int(some.sum()), sums_by_round((truths & counted)[some].sum(axis=1), counted[some].sum(axis=1)))


def by_seat(result: Result, column: str) -> np.ndarray:
    """A column of each seat, shape (rounds, 4)."""
    return result.frame[[f"{column}_{seat}" for seat in range(SEATS)]].to_numpy()


def scaled(figure: Estimate, factor: float, shift: float = 0.0) -> Estimate:
    """An estimate in another unit: shift + factor * figure."""
    se = None if figure.se is None else figure.se * abs(factor)
    low, high = sorted((shift + figure.low * factor, shift + figure.high * factor))
    return Estimate(shift + figure.estimate * factor, low, high, figure.n, se, figure.method, figure.level)


def sign(figure: Estimate) -> int:
    """1 or -1 if the interval is above or below 0; else 0."""
    return int(figure.low > 0) - int(figure.high < 0)


def signed(figure: Estimate, percent: bool = False) -> str:
    """A difference in few letters: "+3.1 ± 0.9"."""
    return ("+" if figure.estimate > 0 else "") + short(figure, percent).replace("-", "\N{MINUS SIGN}")


def in_points(figure: Estimate, unit: str = "rounds") -> str:
    """A difference of points in words, with its interval and number."""
    level = "95 %" if figure.level == 0.95 else f"{100 * figure.level:.4g} %"
    return f"{signed(figure)} points ({level}, n = {figure.n:,} {unit})"


def lead_by_deal(met: Comparison, level: float = 0.95) -> Estimate:
    """Points a round by which the first player's team leads in a comparison; the deal is the unit."""
    both = met.frame[[column for column in met.frame if column.startswith("payoff_difference")]]
    return mean_of(both.mean(axis=1).to_numpy() / 2, level)


def percent(figure: Estimate) -> str:
    """A share in words, with its interval and number."""
    if figure.estimate == 0:
        return f"{short(figure, percent=True)[:-1]}, n = {figure.n:,})"
    return figure.text(percent=True)


def listed(words: list[str]) -> str:
    """Words joined as in a sentence."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
