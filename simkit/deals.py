"""What a paired run keeps of its deals: exact sums, so that the deal can be the unit of every interval.

A paired run plays each deal once for each seat, the players turned on by one seat each time. Those games share their luck, so
their number says little; what counts is how the deals differ. For every figure five integer sums over deals are enough (see
`simkit.stats.clusters`); they are made from the rows of each part as it comes in, and the rows are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simkit.game import CAPPED, DRAW, ENDLESS
from simkit.stats.clusters import Sums

if TYPE_CHECKING:
    from simkit.simulate import Plan

KINDS = Sums._fields
LIMB = 2**62
"""Sums are kept on disk as two integers, of so much and of one: squares of long games may not fit into one."""


class DealSums:
    """For each figure of a paired plan the sums over its deals; merging adds integers, in any order."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.deals = plan, 0
        self.names = [f"won by {player}" for player in range(plan.seats)] + ["is drawn", "is endless", "is capped", *plan.cells]
        if ("first_mover", "winner") in [(a.name, b.name) for a, b in plan.layout.joints]:
            self.names.append("won by first mover")
        # (shares have names of two words, which no column has)
        self._place = {name: place for place, name in enumerate(self.names)}
        self._sums = np.zeros((len(KINDS), len(self.names)), object)

    def __getitem__(self, name: str) -> Sums:
        """The sums of a column, or of games that are "won by P" (player P), "is drawn", "is endless", "is capped", "won by first mover"."""
        return Sums(*self._sums[:, self._place[name]].tolist())

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def add_rows(self, rows: np.ndarray) -> None:
        """Count whole deals: int64 (games, cells of `plan.row_cells`), the games of a deal beside each other."""
        seats = self.plan.seats
        if len(rows) % seats:
            raise ValueError(f"{len(rows)} games are no whole deals of {seats}")
        if not len(rows):
            return
        self.deals += len(rows) // seats
        cells = dict(zip(self.plan.row_cells, rows.T, strict=True))
        columns = self.plan.definition.cell_columns
        finished = (cells["outcome"] <= DRAW).astype(np.int64)
        every = np.ones(len(rows), np.int64)
        for name, values in self._shares(cells):
            self._add(name, values.astype(np.int64), every)
        for name in self.plan.cells:
            self._add(name, cells[name], finished if columns[name].finished else every)

    def _shares(self, cells: Mapping[str, np.ndarray]) -> list[tuple[str, np.ndarray]]:
        """What is counted of each game, as truths."""
        winner, outcome, seats = cells["winner"], cells["outcome"], self.plan.seats
        turn = np.arange(len(winner)) % seats
        winners = np.array(self.plan.definition.winners(self.plan.rules))
        shares = [(f"won by {player}", winner == winners[(player - turn) % seats]) for player in range(seats)]
        shares += [("is drawn", outcome == DRAW), ("is endless", outcome == ENDLESS), ("is capped", outcome == CAPPED)]
        if "won by first mover" in self:
            shares.append(("won by first mover", winner == cells["first_mover"]))
        return shares

    def _add(self, name: str, values: np.ndarray, counted: np.ndarray) -> None:
        seats = self.plan.seats
        x, m = (values * counted).reshape(-1, seats).sum(axis=1), counted.reshape(-1, seats).sum(axis=1)
        if len(x) and max(int(x.max()), -int(x.min())) ** 2 * len(x) >= LIMB:
            x, m = x.astype(object), m.astype(object)
        found = (x.sum(), m.sum(), x @ x, x @ m, m @ m)
        self._sums[:, self._place[name]] += np.array([int(each) for each in found], object)

    def merge(self, other: DealSums) -> None:
        """Add the sums of other deals of the same plan."""
        self.deals += other.deals
        self._sums = self._sums + other._sums

    def equals(self, other: DealSums) -> bool:
        """Whether both hold exactly the same sums."""
        return self.deals == other.deals and self.names == other.names and bool((self._sums == other._sums).all())

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The sums as plain arrays, one entry a figure; `deals` is the same in each."""
        arrays = {"deals": np.full(len(self.names), self.deals, np.int64)}
        for kind, sums in zip(KINDS, self._sums, strict=True):
            high, low = zip(*(divmod(each, LIMB) for each in sums), strict=True)
            arrays |= {f"{kind}_high": np.array(high, np.int64), kind: np.array(low, np.int64)}
        return arrays

    @classmethod
    def from_arrays(cls, plan: Plan, arrays: Mapping[str, np.ndarray]) -> DealSums:
        """The sums whose `to_arrays` this is."""
        made = cls(plan)
        made.deals = int(arrays["deals"][0])
        for row, kind in zip(made._sums, KINDS, strict=True):
            row[:] = [high * LIMB + low for high, low in zip(arrays[f"{kind}_high"].tolist(), arrays[kind].tolist(), strict=True)]
        return made
