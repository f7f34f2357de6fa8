"""The command `simkit replay`: one game, step by step."""

from __future__ import annotations

import textwrap
from typing import Annotated

import typer

from simkit.commands import app
from simkit.console import GameName, Players, Rules, Seed, examples, print_json, rules_from, whole
from simkit.game import BadInput


@app.command(
    epilog=examples(
        "simkit replay war --seed 1 --game 5",
        "simkit replay razboi --game 0 --json",
        "simkit replay war --seed 8 --game 12 --rule face_down=1",
    )
)
def replay(
    game: GameName, seed: Seed = "1", number_of_game: Annotated[str, typer.Option("--game", "-g", help="Number of the game, from 0.", metavar="I")] = "0",
    rule: Rules = None, players: Players = None,
    paired: Annotated[bool, typer.Option("--paired", metavar="", help="Number games as a paired run does.")] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", metavar="", help="Number deals as an exhaustive run does.")] = False,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="The whole game as JSON.")] = False,
) -> None:  # fmt: skip
    """Show one game, step by step, in the rules page's words."""
    from simkit import replay as replays
    from simkit.simulate import make_plan

    number_ = whole(number_of_game, "--game") or 0
    plan = make_plan(game, rules=rules_from(rule), players=players, seed=whole(seed, "--seed") or 0, paired=paired, every_deal=exhaustive)
    if exhaustive and number_ >= plan.games:
        raise BadInput(f"there are {plan.games:,} deals, numbered from 0; there is no deal {number_}")
    shown = replays.Replay(plan, number_)
    if as_json:
        return print_json(replays.as_dict(shown))
    for line in replays.lines(shown):
        print(line)
    recorded = "  ".join(f"{name}={value}" for name, value in shown.row.items())
    print("\nRecorded of this game:\n" + textwrap.fill(recorded, 80, break_on_hyphens=False, initial_indent="  ", subsequent_indent="  "))
