"""Compiled games led by players in Python, decision by decision, to be compared with their slow twins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simkit.game import NO_MOVE, OVER, PAUSED
from simkit.simulate import Engine, Plan
from tests.reference.streams import SEAT, Stream

LONGEST = 4
"""Cells of a difference that are shown."""


class LedGame:
    """The games of a plan. A player is a function choose(seat, kind, legal, None, stream) that returns an index."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.engine = plan, Engine(plan)
        self.functions = dict(zip(("start", "legal", "observe", "step", "score"), self.engine.compiled.functions))
        self.cells, self.kept = plan.definition.cells, set(plan.row_cells)

    def call(self, name: str, *arguments: Any) -> Any:
        if not self.engine.plain:
            return self.functions[name](*arguments)
        with np.errstate(over="ignore"):  # the words of a stream, without the compiler
            return self.functions[name](*arguments)

    def record(self, array: np.ndarray) -> Any:
        return (array.view(np.recarray) if self.engine.plain else array)[0]

    def play(self, deal: int, players: list[Callable]) -> Iterator[dict[str, Any]]:
        """{"decision": …} for each question, then {"row": …}: what a twin's `play` gives."""
        engine, kinds = self.engine, self.plan.definition.decisions
        states = engine.states
        states["key"][0], states["watch"], states["detail"] = (self.plan.seed, deal), 0, 1
        state = self.record(states)
        streams = [Stream(self.plan.seed, deal, SEAT + seat) for seat in range(self.plan.seats)]
        self.call("start", state)
        while (seat := int(states["seat"][0])) != OVER:
            if seat == PAUSED:
                self.call("step", state, NO_MOVE)
                continue
            kind = kinds[states["decision"][0]]
            legal = engine.moves[: int(self.call("legal", state, engine.moves))].tolist()
            move = legal[players[seat](seat, kind, legal, None, streams[seat])]
            yield {"decision": {"seat": seat, "kind": kind, "legal": legal, "move": move}}
            self.call("step", state, move)
        yield {"row": self.row(state)}

    def row(self, state: Any) -> dict[str, int]:
        result = np.zeros(1, self.plan.definition.result_type)
        self.call("score", state, self.record(result))
        cells = zip(self.cells, result.view(np.int64).tolist(), strict=True)
        return {name: value for name, value in cells if name in self.kept}


def first_difference(kernel: Iterator[dict], twin: Iterator[dict]) -> str:
    """Where two courses of a game part (kernel, twin), or ''."""
    for number, (ours, theirs) in enumerate(zip(kernel, twin, strict=True)):
        if "row" in ours and "row" in theirs:
            apart = [
                f"{name}: {value} {theirs['row'].get(name)}" for name, value in ours["row"].items() if value != theirs["row"].get(name)
            ]
            return ", ".join(apart[:LONGEST])
        if ours != theirs:
            return f"event {number}: {ours} {theirs}"
    return ""


def report(faults: list[str]) -> str:
    return f"{len(faults)} games differ (kernel, twin):\n" + "\n".join(faults[:5])


def differences(
    setting: Callable[[int], tuple[LedGame, list[Callable]]], play: Callable[..., Any], settings: range, games: int
) -> list[str]:
    """Games of these settings that a kernel and its twin's `play` do not play alike; `setting` gives the rules and the players."""
    faults = []
    for number in settings:
        kernel, players = setting(number)
        plan = kernel.plan
        defaults = plan.definition.read_rules({})
        for deal in range(games):
            fault = first_difference(kernel.play(deal, players), play(dict(plan.rules), plan.seed, deal, players))
            if fault:
                shown = {name: value for name, value in plan.rules.items() if value != defaults[name]}
                faults.append(f"{shown} setting={number} seed={plan.seed} deal={deal}: {fault}")
    return faults
