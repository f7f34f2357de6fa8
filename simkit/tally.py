"""Exact, mergeable counts of integer outcomes.

A tally holds, for every recorded cell, how often each value came up: in finished games and in unfinished ones apart. Merging adds
integers, so it is free of order and equal to the bit whatever the workers and chunks. Its size does not grow with the number of games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from simkit.game import DRAW, Game

FINISHED, UNFINISHED, JOINT = 0, 1, 2


@dataclass(frozen=True)
class Cell:
    """A counted integer of the result row: values low to low + width - 1 have a place, others spill."""

    name: str
    position: int
    low: int
    width: int


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each cell's counts lie in one flat histogram: finished games, then unfinished ones; then the joint counts."""

    cells: tuple[Cell, ...]
    joints: tuple[tuple[Cell, Cell], ...] = ()

    @property
    def joints_begin(self) -> int:
        return 2 * sum(cell.width for cell in self.cells)

    @property
    def length(self) -> int:
        return self.joints_begin + sum(a.width * b.width for a, b in self.joints)

    def cell_table(self) -> np.ndarray:
        """int64 (cells, 4): position, low, width, offset, as the loop wants it."""
        table, offset = np.zeros((len(self.cells), 4), np.int64), 0
        for row, cell in zip(table, self.cells, strict=True):
            row[:] = (cell.position, cell.low, cell.width, offset)
            offset += 2 * cell.width
        return table

    def joint_table(self) -> np.ndarray:
        """int64 (joints, 7): position, low, width of both cells, offset."""
        table, offset = np.zeros((len(self.joints), 7), np.int64), self.joints_begin
        for row, (a, b) in zip(table, self.joints, strict=True):
            row[:] = (a.position, a.low, a.width, b.position, b.low, b.width, offset)
            offset += a.width * b.width
        return table


@dataclass(frozen=True)
class Counts:
    """How often each value of one cell came up.

    values: int64, ascending; finished, unfinished: int64 of the same length, games.
    """

    values: np.ndarray
    finished: np.ndarray
    unfinished: np.ndarray

    @property
    def games(self) -> np.ndarray:
        return self.finished + self.unfinished


class Tally:
    """The counts of one layout, and of how many games."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.games = 0
        self.histogram = np.zeros(layout.length, np.int64)
        self.spilled: dict[tuple[int, int], int] = {}
        """(2 * cell + (1 if unfinished), value) -> games, for values outside their windows."""

    def add_spill(self, spill: np.ndarray) -> None:
        """Count a spill list: int64 (n, 2) of (2 * cell + (1 if unfinished), value)."""
        pairs, counts = np.unique(spill, axis=0, return_counts=True)
        for (cell, value), n in zip(pairs.tolist(), counts.tolist(), strict=True):
            self.spilled[cell, value] = self.spilled.get((cell, value), 0) + n

    def merge(self, other: Tally) -> None:
        """Add another tally of the same layout."""
        self.games += other.games
        self.histogram += other.histogram
        for key, n in other.spilled.items():
            self.spilled[key] = self.spilled.get(key, 0) + n

    def remove(self, table: Mapping[str, np.ndarray]) -> None:
        """Take games out again that were counted: their cells by name, int64 of one length, all that the layout counts."""
        unfinished = (table["outcome"] > DRAW).astype(np.int64)
        self.games -= len(unfinished)
        offset = 0
        for number, cell in enumerate(self.layout.cells):
            place = table[cell.name] - cell.low
            inside = (place >= 0) & (place < cell.width)
            np.subtract.at(self.histogram, (offset + unfinished * cell.width + place)[inside], 1)
            for value, which in zip(table[cell.name][~inside].tolist(), unfinished[~inside].tolist(), strict=True):
                self.spilled[2 * number + which, value] -= 1
                if not self.spilled[2 * number + which, value]:
                    del self.spilled[2 * number + which, value]
            offset += 2 * cell.width
        for a, b in self.layout.joints:
            first, second = table[a.name] - a.low, table[b.name] - b.low
            inside = (first >= 0) & (first < a.width) & (second >= 0) & (second < b.width)
            np.subtract.at(self.histogram, (offset + first * b.width + second)[inside], 1)
            offset += a.width * b.width

    def __contains__(self, name: str) -> bool:
        return any(cell.name == name for cell in self.layout.cells)

    def counts(self, name: str) -> Counts:
        """The counts of one cell. Raises KeyError if it was not recorded."""
        offset = 0
        for number, cell in enumerate(self.layout.cells):
            if cell.name == name:
                return self._counts(number, cell, offset)
            offset += 2 * cell.width
        raise KeyError(f"{name} was not recorded; recorded: {', '.join(cell.name for cell in self.layout.cells)}")

    def _counts(self, number: int, cell: Cell, offset: int) -> Counts:
        both = self.histogram[offset : offset + 2 * cell.width].reshape(2, -1)
        seen = np.flatnonzero(both.any(axis=0))
        table = {int(place) + cell.low: [int(both[0, place]), int(both[1, place])] for place in seen}
        for (key, value), n in self.spilled.items():
            if key // 2 == number:
                table.setdefault(value, [0, 0])[key % 2] += n
        values = np.array(sorted(table), np.int64)
        counts = np.array([table[value] for value in values.tolist()], np.int64).reshape(-1, 2)
        return Counts(values, counts[:, 0].copy(), counts[:, 1].copy())

    def joint(self, first: str, second: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Joint counts of two cells in all games: values of the first, values of the second, int64 counts (first, second).

        Only rows and columns that came up are there. Raises KeyError if the pair was not counted.
        """
        offset = self.layout.joints_begin
        for a, b in self.layout.joints:
            size = a.width * b.width
            if (a.name, b.name) == (first, second):
                table = self.histogram[offset : offset + size].reshape(a.width, b.width)
                rows, columns = np.flatnonzero(table.any(axis=1)), np.flatnonzero(table.any(axis=0))
                return rows + a.low, columns + b.low, table[np.ix_(rows, columns)].copy()
            offset += size
        raise KeyError(f"{first} was not counted together with {second}")

    def to_arrays(self) -> dict[str, np.ndarray]:
        """The counts that are not 0 as plain arrays: where (histogram index, or -1 - key of a spilled cell), value, games."""
        where = np.flatnonzero(self.histogram)
        keys = sorted(self.spilled)
        return {
            "where": np.concatenate([where, np.array([-1 - cell for cell, _ in keys], np.int64)]).astype(np.int64),
            "value": np.concatenate([np.zeros(len(where), np.int64), np.array([value for _, value in keys], np.int64)]).astype(np.int64),
            "games": np.concatenate([self.histogram[where], np.array([self.spilled[key] for key in keys], np.int64)]).astype(np.int64),
        }

    @classmethod
    def from_arrays(cls, layout: Layout, games: int, arrays: dict[str, np.ndarray]) -> Tally:
        """The tally whose `to_arrays` this is."""
        tally = cls(layout)
        tally.games = games
        direct = arrays["where"] >= 0
        tally.histogram[arrays["where"][direct]] = arrays["games"][direct]
        for where, value, n in zip(*(arrays[name][~direct].tolist() for name in ("where", "value", "games")), strict=True):
            tally.spilled[-1 - where, value] = n
        return tally

    def equals(self, other: Tally) -> bool:
        """Whether both hold exactly the same counts."""
        return self.games == other.games and self.spilled == other.spilled and np.array_equal(self.histogram, other.histogram)


def layout_of(game: Game, shown: Sequence[str]) -> Layout:
    """The layout for these cells of a game, with its joint counts among them."""
    positions = {name: position for position, name in enumerate(game.cells)}
    columns = game.cell_columns
    cells = {name: Cell(name, positions[name], columns[name].low, columns[name].width) for name in shown}
    joints = tuple((cells[a], cells[b]) for a, b in game.joints if a in cells and b in cells)
    return Layout(tuple(cells.values()), joints)
