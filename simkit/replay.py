"""One game, step by step: the same game that a run plays, stopped at everything worth seeing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from simkit.game import NO_MOVE, OVER, PAUSED
from simkit.result import plain
from simkit.rng import SEAT
from simkit.simulate import Engine, GameFault, Plan

NEVER = np.zeros(1, np.int64)
"""A stop flag that nobody sets."""


class Replay:
    """A game of a plan, played for its spectators.

    Iterating gives events: {"scene": …} after everything worth seeing, and {"decision": …} for every choice.
    Afterwards `row` holds what is recorded of the game.
    """

    def __init__(self, plan: Plan, number: int) -> None:
        self.plan, self.number = plan, number
        self.engine = Engine(plan)
        self.row: dict[str, int] = {}

    def _call(self, name: str, *arguments: Any) -> Any:
        """One of the game's functions, on this game's records."""
        functions = dict(zip(("start", "legal", "observe", "step", "score"), self.engine.compiled.functions, strict=True))
        with self._quiet():
            return functions[name](*arguments)

    def _record(self, array: np.ndarray, place: int) -> Any:
        return (array.view(np.recarray) if self.engine.plain else array)[place]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        engine, game = self.engine, self.plan.definition
        turns = self.plan.seats if self.plan.paired else 1
        deal, turn = divmod(self.number, turns)
        engine.states["key"][0] = (self.plan.seed, deal)
        engine.states["watch"], engine.states["detail"] = 1, 1
        state = self._record(engine.states, 0)
        self._call("start", state)
        met: set[int] = set()
        yield {"scene": game.scene(engine.states[0])}
        while engine.states["seat"][0] != OVER:
            if engine.states["seat"][0] == PAUSED:
                self._call("step", state, NO_MOVE)
            else:
                yield self._decide(state, deal, turn, met)
            yield {"scene": game.scene(engine.states[0])}
        result = np.zeros(1, game.result_type)
        self._call("score", state, self._record(result, 0))
        self.row = dict(zip(game.cells(), result.view(np.int64).tolist(), strict=True))
        self.row = {name: self.row[name] for tallied in (True, False) for name in game.shown_cells(self.plan.rules, tallied=tallied)}

    def _decide(self, state: Any, deal: int, turn: int, met: set[int]) -> dict[str, Any]:
        """Ask the player to act and apply the move."""
        from simkit.play import meet

        engine, plan = self.engine, self.plan
        seat, decision = int(engine.states["seat"][0]), int(engine.states["decision"][0])
        player = (seat + turn) % plan.seats
        view = self._record(engine.views, seat)
        if seat not in met:
            met.add(seat)
            engine.views["seat"][seat] = seat
            meet(view, plan.seed, deal, SEAT)
        n = int(self._call("legal", state, engine.moves))
        self._call("observe", state, seat, view)
        moves = [int(move) for move in engine.moves[:n]]
        index, trials = self._choose(view, player, seat, decision, n)
        self._call("step", state, moves[index])
        made = {
            "seat": seat,
            "player": plan.players[player],
            "kind": plan.definition.decisions[decision],
            "legal": moves,
            "move": moves[index],
        }
        return {"decision": made | trials}

    def _choose(self, view: Any, player: int, seat: int, decision: int, n: int) -> tuple[int, dict[str, Any]]:
        """The index that a player chooses, and what its search found, if it searches."""
        from simkit.play import FAULT, FAULT_GAME, FINE, GUESSES

        engine = self.engine
        row = player * len(self.plan.definition.decisions) + decision
        engine.views["params"][seat] = engine.params[row]
        try:
            with self._quiet():
                index = int(engine.deciders[row](view, engine.moves, n))
        except Exception as error:
            raise GameFault(engine.raised(error, self.number)) from error
        self._check(index, n, player, seat)
        if engine.search is None or n == 1 or not engine.players[player].guesses:
            return index, {}
        search, guess, settings, *rest = engine.search
        functions = engine.compiled.functions[1:]
        engine.status[FAULT] = FINE
        with self._quiet():
            chosen = int(
                search(
                    *functions,
                    guess,
                    engine.deciders,
                    view,
                    engine.moves,
                    n,
                    index,
                    settings[player],
                    *rest,
                    engine.params,
                    engine.status,
                    NEVER,
                )
            )
        if engine.status[FAULT] != FINE:
            engine.status[FAULT_GAME] = self.number
            raise GameFault(engine.fault())
        totals = [int(total) for total in rest[-1][:n]]
        return chosen, {"search": {"guesses": int(settings[player][GUESSES]), "without": index, "total_payoffs": totals}}

    def _check(self, index: int, n: int, player: int, seat: int) -> None:
        if not 0 <= index < n:
            raise GameFault(
                f"strategy {self.plan.players[player]} chose move {index}, and there are {n} (from 0), in seat {seat} of game {self.number}"
            )

    def _quiet(self) -> Any:
        """Words wrap around silently in plain mode too."""
        return np.errstate(over="ignore") if self.engine.plain else contextlib.nullcontext()


def as_dict(replay: Replay) -> dict[str, Any]:
    """The whole game as JSON types: what was played, every event, and the recorded row."""
    import simkit

    plan = replay.plan
    events = list(replay)
    return plain({
        "simkit": simkit.__version__, "game": plan.game, "game_version": plan.definition.version, "rules": dict(plan.rules),
        "players": list(plan.players), "seed": plan.seed, "game_number": replay.number, "events": events, "result": replay.row,
    })  # fmt: skip


def lines(replay: Replay) -> Iterator[str]:
    """The game in the rules page's words."""
    game, before = replay.plan.definition, None
    for event in replay:
        if "scene" in event:
            yield from game.tell(event["scene"], before)
            before = event["scene"]
        else:
            made = event["decision"]
            yield f"  Seat {made['seat']} ({made['player']}) decides: {game.move_text(made['move'], game.decisions.index(made['kind']))}"
