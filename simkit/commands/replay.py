"""The command `simkit replay`: one game, step by step."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import GivenHand, Players, Rules, Seed, complete_game, examples, one_hand, print_json, rules_from, whole
from simkit.game import BadInput

JSON = """\
The JSON of `--json` is one object: `game`, `game_version`, `rules`, `players`, `seed`, `game_number` say what was played, `result` is
what is recorded of it, `events` tells it in order. An event is `{"scene": …}`, all there is to see after something worth seeing, or
`{"decision": …}` with `seat`, `player`, `kind`, `legal` and `legal_texts` (the legal moves as numbers and in words), `move`
and `move_text` (the one chosen), `scene` (the whole position in which it was) and, of a player that searches, `search`.

With `--as SEAT` (then in `seen_by`) scenes hold what that seat may know: hidden cards as their number, hidden choices as null;
other seats' decisions are left out, and of the result all but payoff, outcome and winner. A seat played by hand is in
`by_hand`, with its moves.

The text tells what happens; offers that are declined (a call, a bomb) are in the JSON, and in the text of `--as` that seat's own."""


@app.command(
    epilog=JSON.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")
    + "\n\n"
    + examples(
        "simkit replay war --seed 1 --game 5",
        "simkit replay techu --seed 1 --game 5 --players greedy_spaces --as 0",
        "simkit replay razboi --game 0 --json",
        "simkit replay --file my-game.json",
    )
)
def replay(
    context: typer.Context,
    game: Annotated[str | None, typer.Argument(help="Name of a game; `simkit games` lists them.", autocompletion=complete_game, metavar="[GAME]")] = None,
    seed: Seed = "1", number_of_game: Annotated[str, typer.Option("--game", "-g", help="Number of the game, from 0.", metavar="I")] = "0",
    rule: Rules = None, players: Players = None, hand: GivenHand = None,
    paired: Annotated[bool, typer.Option("--paired", metavar="", help="Number games as a paired run does.")] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", metavar="", help="Number deals as an exhaustive run does.")] = False,
    seat: Annotated[str | None, typer.Option("--as", help="Show only what this seat may know.", metavar="SEAT")] = None,
    moves: Annotated[list[str] | None, typer.Option("--moves", help="The moves of a seat that was played by hand, as numbers.", metavar="SEAT:MOVE,MOVE,…")] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Show the game of this file, which --json or play --save wrote.", metavar="FILE")] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="The whole game as JSON.")] = False,
) -> None:  # fmt: skip
    """Show one game, step by step, in the rules page's words: every hand, or what one seat saw."""
    from simkit import replay as replays
    from simkit.simulate import make_plan

    viewer = whole(seat, "--as")
    if file is not None:
        sources = (context.get_parameter_source(name) for name in ("seed", "number_of_game", "paired", "exhaustive"))
        if game or moves or players or rule or hand or any(source and source.name == "COMMANDLINE" for source in sources):
            raise BadInput(f"{file} says which game it is; leave the game, its number, seed, rules, players, hand and moves out")
        shown = replays.from_file(file)
    elif game is None:
        raise BadInput("which game? For example: simkit replay war --game 5, or simkit replay --file my-game.json")
    else:
        number = whole(number_of_game, "--game") or 0
        plan = make_plan(
            game,
            rules=rules_from(rule),
            players=players,
            seed=whole(seed, "--seed") or 0,
            paired=paired,
            every_deal=exhaustive,
            hand=one_hand(hand),
        )
        if exhaustive and number >= plan.games:
            raise BadInput(f"there are {plan.games:,} deals, numbered from 0; there is no deal {number}")
        hands = {place: replays.again(made) for place, made in replays.read_moves(moves or ()).items()}
        shown = replays.Replay(plan, number, hands)
    if as_json:
        return print_json(replays.as_dict(shown, viewer))
    show(shown, viewer)


def show(shown: Any, viewer: int | None) -> None:
    """The game as text, and what is recorded of it, if it is finished and all may be seen."""
    from simkit import replay as replays
    from simkit.provenance import changed_rules_text
    from simkit.table import printer

    plan = shown.plan
    line = printer(plan.definition.styles)
    if plan.definition.has_choices(plan.rules):
        line(", ".join(f"Seat {seat}: {shown.player(seat)}" for seat in range(plan.seats)))
    if changed := changed_rules_text(plan):
        line(f"Rules: {changed}")
    for text in replays.lines(shown, viewer):
        line(text)
    if not shown.row:
        print("\nWhoever played by hand stopped here.")
    elif viewer is None:
        print(f"\n{recorded(shown)}")


def recorded(shown: Any) -> str:
    """What is recorded of a finished game, but for columns that are never tallied: packed, their numbers tell a reader nothing."""
    cells = shown.plan.definition.cell_columns
    told = [f"{name}={value}" for name, value in shown.row.items() if cells[name].tallied]
    more = " (more in --json)" if len(told) < len(shown.row) else ""
    listed = textwrap.fill("  ".join(told), 80, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  ")
    return f"Recorded of this game{more}:\n{listed}"
