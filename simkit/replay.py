"""One game, step by step: the same game that a run plays, stopped at everything worth seeing.

A seat may be played by hand: what a person chose, or a list of moves that a person made earlier.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from simkit.game import NO_MOVE, OVER, PAUSED, BadInput, Game
from simkit.result import plain
from simkit.rng import SEAT
from simkit.simulate import LARGEST_SEED, Engine, GameFault, Plan, abandoned, make_plan

NEVER = np.zeros(1, np.int64)
"""A stop flag that nobody sets."""
BY_HAND = "by hand"
"""What stands for a player in a seat that is played by hand."""
PUBLIC_RESULT = ("payoff", "outcome", "winner")
"""Columns of the result that every seat knows."""


class Stopped(Exception):
    """Whoever plays by hand plays no further."""


@dataclass(frozen=True)
class Choice:
    """A decision to be made by hand: the seat, the kind of decision, and its legal moves, as numbers and in words.

    alike: a key for each move; moves with the same key need not be told apart. sorts: under which heading it is listed.
    """

    seat: int
    kind: str
    moves: list[int]
    texts: list[str]
    alike: list[Any] = field(default_factory=list)
    sorts: list[str] = field(default_factory=list)


Hand = Callable[[Choice], int]
"""Returns an index into the moves, or raises Stopped."""


class Replay:
    """A game of a plan, played for its spectators.

    Iterating gives events: {"scene": …} after everything worth seeing, and {"decision": …} for every choice.
    Afterwards `row` holds what is recorded of the game; it stays empty if a seat that is played by hand stopped.

    hands: who decides, by seat, in place of the plan's player. made: the moves that these seats made.
    """

    def __init__(self, plan: Plan, number: int, hands: Mapping[int, Hand] | None = None) -> None:
        self.plan, self.number = plan, number
        if not 0 <= number <= LARGEST_SEED:
            raise BadInput(f"there is no game {number}; games are numbered from 0 to 2^63 - 1")
        for seat in hands or ():
            if not 0 <= seat < plan.seats:
                raise BadInput(f"there is no seat {seat}: {plan.game} has seats 0 to {plan.seats - 1}")
        self.engine = Engine(plan)
        self.hands = dict(hands or {})
        self.made: dict[int, list[int]] = {seat: [] for seat in self.hands}
        self.row: dict[str, int] = {}

    @property
    def turn(self) -> int:
        """How far the players have moved on through the seats, in a paired plan."""
        return self.number % self.plan.seats if self.plan.paired else 0

    def player(self, seat: int) -> str:
        """Who plays this seat."""
        return BY_HAND if seat in self.hands else self.plan.players[(seat + self.turn) % self.plan.seats]

    def _call(self, name: str, *arguments: Any) -> Any:
        """One of the game's functions, on this game's records."""
        functions = dict(zip(("start", "legal", "observe", "step", "score"), self.engine.compiled.functions, strict=True))
        with self._quiet():
            return functions[name](*arguments)

    def _record(self, array: np.ndarray, place: int) -> Any:
        return (array.view(np.recarray) if self.engine.plain else array)[place]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        engine, game = self.engine, self.plan.definition
        deal = self.number // (self.plan.seats if self.plan.paired else 1)
        engine.states["key"][0] = (self.plan.seed, deal)
        engine.states["watch"], engine.states["detail"] = 1, 1
        state = self._record(engine.states, 0)
        self._call("start", state)
        met: set[int] = set()
        scene = game.scene(engine.states[0])
        yield {"scene": scene}
        while engine.states["seat"][0] != OVER:
            if engine.states["seat"][0] == PAUSED:
                self._call("step", state, NO_MOVE)
            else:
                try:
                    made = self._decide(state, deal, met, scene)
                except Stopped:
                    return
                yield {"decision": made | {"scene": scene}}
            scene = game.scene(engine.states[0])
            yield {"scene": scene}
        result = np.zeros(1, game.result_type)
        self._call("score", state, self._record(result, 0))
        self.row = dict(zip(game.cells, result.view(np.int64).tolist(), strict=True))
        self.row = {name: self.row[name] for tallied in (True, False) for name in game.shown_cells(self.plan.rules, tallied=tallied)}

    def _decide(self, state: Any, deal: int, met: set[int], scene: dict[str, Any]) -> dict[str, Any]:
        """Ask the player to act and apply the move."""
        from simkit.play import meet

        engine, plan = self.engine, self.plan
        seat, decision = int(engine.states["seat"][0]), int(engine.states["decision"][0])
        kind = plan.definition.decisions[decision]
        view = self._record(engine.views, seat)
        if seat not in met:
            met.add(seat)
            engine.views["seat"][seat] = seat
            with self._quiet():
                meet(view, plan.seed, deal, SEAT)
        n = int(self._call("legal", state, engine.moves))
        moves = [int(move) for move in engine.moves[:n]]
        texts = [plan.definition.move_text(move, decision) for move in moves]
        trials: dict[str, Any] = {}
        if seat in self.hands:
            game = plan.definition
            sorts = [game.sort_of(move, decision) for move in moves]
            index = self.hands[seat](Choice(seat, kind, moves, texts, list(game.alike(scene, decision, moves)), sorts))
            self.made[seat].append(moves[index])
        else:
            self._call("observe", state, seat, view)
            index, trials = self._choose(view, (seat + self.turn) % plan.seats, seat, decision, n)
        self._call("step", state, moves[index])
        made = {"seat": seat, "player": self.player(seat), "kind": kind, "legal": moves, "legal_texts": texts}
        return made | {"move": moves[index], "move_text": texts[index]} | trials

    def _choose(self, view: Any, player: int, seat: int, decision: int, n: int) -> tuple[int, dict[str, Any]]:
        """The index that a player chooses, and what its search found, if it searches."""
        from simkit.play import FAULT, FAULT_GAME, FINE, GUESSES, read_only

        engine = self.engine
        row = player * len(self.plan.definition.decisions) + decision
        engine.views["params"][seat] = engine.params[row]
        try:
            index = int(self._beside(lambda: engine.deciders[row](view, read_only(engine.moves), n)))
        except Exception as error:
            raise GameFault(engine.raised(error, self.number)) from error
        self._check(index, n, player, seat)
        if engine.search is None or n == 1 or not engine.players[player].guesses:
            return index, {}
        search, guess, same, settings, *rest = engine.search
        functions = engine.compiled.functions[1:]
        engine.status[FAULT] = FINE
        seen = (view, engine.moves, n, index, settings[player], *rest, engine.params, engine.status, NEVER)
        chosen = int(self._beside(lambda: search(*functions, guess, same, engine.deciders, *seen)))
        if engine.status[FAULT] != FINE:
            engine.status[FAULT_GAME] = self.number
            raise GameFault(engine.fault())
        totals = [int(total) for total in rest[-1][:n]]
        return chosen, {"search": {"guesses": int(settings[player][GUESSES]), "without": index, "total_payoffs": totals}}

    def _check(self, index: int, n: int, player: int, seat: int) -> None:
        """Raises GameFault if the index that a player returned is none of the n legal moves'."""
        if not 0 <= index < n:
            legal = f"the {n} legal moves are numbered 0 to {n - 1}" if n > 1 else "the only legal move is numbered 0"
            raise GameFault(f"strategy {self.plan.players[player]} returned {index}, but {legal}, in seat {seat} of game {self.number}")

    def _beside(self, work: Callable[[], Any]) -> Any:
        """What the work returns or raises. It is done in a thread of its own, so that Ctrl-C ends even what never comes back."""
        done: list[tuple[Any, BaseException | None]] = []

        def attempt() -> None:
            try:
                with self._quiet():
                    done.append((work(), None))
            except BaseException as error:
                done.append((None, error))

        worker = threading.Thread(target=attempt, daemon=True)
        try:
            worker.start()
            while worker.is_alive():
                worker.join(timeout=0.1)  # a signal may reach another thread; this one hears of it when it wakes
        except KeyboardInterrupt:
            abandoned.set()
            raise
        [(value, error)] = done
        if error is not None:
            raise error
        return value

    def _quiet(self) -> Any:
        """Words wrap around silently in plain mode too."""
        return np.errstate(over="ignore") if self.engine.plain else contextlib.nullcontext()


# ------------------------------------------------------------------------------------------------- what a seat may know


def seen_event(game: Game, event: dict[str, Any], seat: int) -> dict[str, Any]:
    """An event as this seat sees it; {} if it sees nothing of it. Others' decisions show in what comes of them."""
    if "scene" in event:
        scene = game.seen(event["scene"], seat)
        return {"scene": scene} if scene else {}
    made = event["decision"]
    return {"decision": made | {"scene": game.seen(made["scene"], seat)}} if made["seat"] == seat else {}


def seen_by(replay: Replay, seat: int | None) -> Iterator[dict[str, Any]]:
    """The events of a game as this seat sees them, or all there is to see. Raises BadInput if there is no such seat."""
    if seat is not None and not 0 <= seat < replay.plan.seats:
        raise BadInput(f"{replay.plan.game} has no seat {seat} here; the seats: {', '.join(map(str, range(replay.plan.seats)))}")
    for event in replay:
        seen = event if seat is None else seen_event(replay.plan.definition, event, seat)
        if seen:
            yield seen


def as_dict(replay: Replay, seat: int | None = None, events: Sequence[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The whole game as JSON types: what was played, every event, and the recorded row; or what one seat saw of it.

    events: those of a replay that has been iterated already.
    """
    import simkit

    plan = replay.plan
    told = list(seen_by(replay, seat)) if events is None else list(events)
    row = replay.row
    if seat is not None:
        cells = plan.definition.cell_columns
        row = {name: value for name, value in row.items() if cells[name].name in PUBLIC_RESULT}
    facts = {
        "simkit": simkit.__version__, "game": plan.game, "game_version": plan.definition.version, "rules": dict(plan.rules),
        "players": [BY_HAND if place in replay.hands else player for place, player in enumerate(plan.players)],
        "seed": plan.seed, "game_number": replay.number, "events": told, "result": row,
    }  # fmt: skip
    facts |= {name: True for name in ("paired", "every_deal") if getattr(plan, name)}
    if plan.hand is not None and seat in (None, plan.hand_dealt[0]):
        facts["hand"] = plan.hand
    if seat is not None:
        facts["seen_by"] = seat
    if replay.made:
        facts["by_hand"] = {str(place): moves for place, moves in replay.made.items()}
    return plain(facts)


def lines(replay: Replay, seat: int | None = None) -> Iterator[str]:
    """The game in the rules page's words, or what one seat saw of it.

    A decision has a line where what follows does not tell it, unless the game's scenes tell them all. What a seat
    declines nobody sees but itself.
    """
    game, before, made = replay.plan.definition, None, None
    for event in seen_by(replay, seat):
        if "decision" in event:
            made = event["decision"]
            continue
        told = game.tell(event["scene"], before)
        own = seat is not None and made is not None and made["kind"] in game.offers and made["move_text"].startswith("no ")
        if made is not None and (own or not game.tells_decisions) and not any(made["move_text"] in line for line in told):
            yield f"  Seat {made['seat']} ({made['player']}) decides: {made['move_text']}"
        yield from told
        before, made = event["scene"], None


# ------------------------------------------------------------------------------------------------------ games by hand


def again(moves: Sequence[int]) -> Hand:
    """The hand that makes these moves, in this order, and then stops. Raises BadInput at a move that is not legal."""
    left = iter(moves)

    def choose(choice: Choice) -> int:
        move = next(left, None)
        if move is None:
            raise Stopped
        if move not in choice.moves:
            raise BadInput(f"move {move} is not legal for seat {choice.seat} ({choice.kind}); were the game, seed and rules the same?")
        return choice.moves.index(move)

    return choose


def read_moves(texts: Sequence[str]) -> dict[int, list[int]]:
    """The moves of "0:66,71" by seat. Raises BadInput."""
    found: dict[int, list[int]] = {}
    for text in texts:
        seat, colon, moves = text.partition(":")
        try:
            if not colon:
                raise ValueError
            if int(seat) in found:
                raise BadInput(f"--moves names seat {seat} twice; list all its moves in one")
            found[int(seat)] = [int(move) for move in moves.split(",") if move.strip()]
        except ValueError as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput(f"--moves {text} names no moves; write seat:move,move, for example 0:66,71") from None
    return found


def from_file(path: Path) -> Replay:
    """The game of a file that `simkit replay --json` or `simkit play --save` wrote. Raises BadInput."""
    from simkit.games import find

    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        by_hand = {int(seat): [int(move) for move in moves] for seat, moves in facts.get("by_hand", {}).items()}
        game, version, rules = find(facts["game"]), facts["game_version"], dict(facts["rules"])
        players, hand = [str(player) for player in facts["players"]], facts.get("hand")
        seed, number = int(facts["seed"]), int(facts["game_number"])
        if not isinstance(hand, str | None):
            raise TypeError
    except OSError as error:
        raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} holds no game; simkit replay --json and simkit play --save write such files") from error
    if version != game.version:
        raise BadInput(f"{path} holds a game of {game.name} version {version}; this is version {game.version}")
    known = [game.default_player if player == BY_HAND else player for player in players]
    plan = make_plan(
        game.name, rules=rules, players=known, seed=seed, paired=bool(facts.get("paired")), every_deal=bool(facts.get("every_deal")),
        hand=hand,
    )  # fmt: skip
    return Replay(plan, number, {seat: again(moves) for seat, moves in by_hand.items()})


def command(replay: Replay) -> str:
    """The command that shows this game again, moves made by hand included."""
    from simkit.simulate import replay_command

    words = [replay_command(replay.plan, replay.number)]
    return " ".join(words + [f"--moves {seat}:{','.join(map(str, moves))}" for seat, moves in sorted(replay.made.items()) if moves])
