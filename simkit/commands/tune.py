"""The command `simkit tune`: search a strategy's numbers and parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import (
    Address,
    Backend,
    Format,
    GameName,
    Jobs,
    Quiet,
    Rules,
    Seed,
    a_format,
    complete_player,
    complete_players,
    examples,
    in_cells,
    note,
    print_csv,
    print_json,
    print_table,
    rules_from,
    whole,
)
from simkit.game import BadInput

SHOWN = 12
"""Candidates in the table; json and csv have all."""


@app.command(epilog=examples(
    "simkit tune techu thrifty --over starter=0:5", "simkit tune tacocat shrewd --over t=3:9 --over a=2:4 --over b=6:8 --against shrewd,squeezer",
    "simkit tune tacocat plain --over 'duel=median,highest,just_enough(t=4:9)' --over attack+answer=protect_low,random -n 2000",
    "simkit tune tacocat shrewd --over t=1:12 --over a=1:8 --over b=4:12 --candidates 60 --format csv --out runs/shrewd",
))  # fmt: skip
def tune(
    game: GameName,
    strategy: Annotated[str, typer.Argument(help="Whose numbers or parts are varied: a strategy or bundle.", autocompletion=complete_player, metavar="STRATEGY")],
    over: Annotated[list[str] | None, typer.Option("--over", help="name=1:10, name=0:1:0.25 or name=a,b,c: a number of the strategy's, or a kind of decision and parts, such as above(t=4:9). May be given several times.", metavar="NAME=VALUES")] = None,
    against: Annotated[str | None, typer.Option("--against", help="Whom they play against, all of one weight.  [default: the strategy itself]", show_default=False, autocompletion=complete_players, metavar="A,B,…")] = None,
    deals: Annotated[str, typer.Option("--deals", "-n", help="Deals that the last two meet on, and new deals that the winner is measured on.", metavar="N")] = "10000",
    candidates: Annotated[str | None, typer.Option("--candidates", help="Draw so many candidates from the grid at random.  [default: all]", show_default=False, metavar="N")] = None,
    seed: Seed = "1", rule: Rules = None,
    out: Annotated[Path | None, typer.Option("--out", help="Keep the games in this folder; the same command again goes on from there.", metavar="DIR")] = None,
    jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Search a strategy's best numbers and parts; the winner is measured afresh on new deals."""
    import simkit

    a_format(format)
    result = simkit.tune(
        game, strategy, over_from(over), against, whole(deals, "--deals", 1) or 0, candidates=whole(candidates, "--candidates", 1), seed=whole(seed, "--seed") or 0,
        rules=rules_from(rule), jobs=whole(jobs, "--jobs", 1), backend=backend, address=address, out=out, progress=False if quiet else None,
    )  # fmt: skip
    if result.interrupted:
        kept = f"kept in {out}; the same command goes on from there" if out else "nothing kept (name a folder with --out)"
        note(f"interrupted {result.how_far()}; {kept}")
        raise typer.Exit(130)
    {"json": lambda: print_json(result.as_dict()), "csv": lambda: print_csv(rows(result)), "table": lambda: show(result)}[format]()


def over_from(texts: list[str] | None) -> dict[str, str]:
    """What is varied, of several NAME=VALUES. Raises BadInput."""
    over: dict[str, str] = {}
    for text in texts or ():
        name, equals, values = (piece.strip() for piece in text.partition("="))
        if not equals or not name or not values:
            raise BadInput(f"--over {text} says nothing to vary; write name=low:high or name=a,b,c, for example margin=1:5")
        if name in over:
            raise BadInput(f"--over {name} is given twice; list its values in one: {name}=a,b,c")
        over[name] = values
    return over


def rows(result: Any) -> list[list[Any]]:
    """One row a candidate, the best first."""
    frame = result.frame
    lines = [[None if value != value else value for value in line] for line in frame.to_numpy(object).tolist()]
    return [list(frame.columns), *lines]


def show(result: Any) -> None:
    """The tables of a search, and its verdict."""
    print(
        f"{result.plan.game}: {len(result.candidates)} candidates for {result.default} against {', '.join(result.field)}; {result.games:,} games, "
        f"seed {result.plan.seed}; {result.seconds:.1f} s"
    )
    print(f"Design: {result.design.text('the candidate', 'its opponent')}, for all candidates on the same deals. Intervals are by deal.\n")
    show_rounds(result)
    show_candidates(result)
    show_measured(result)
    for text in result.notes():
        print(f"Note: {text}.")
    print(result.verdict())


def show_rounds(result: Any) -> None:
    """How the field was halved."""
    lines = []
    for number, each in enumerate(result.rounds, 1):
        best = result.candidates[each.candidates[0]].label
        lines.append([best, str(number), f"{each.deals:,}", str(len(each.candidates)), *in_cells(each.scores[0], True)])
    print_table("Rounds, and who led after each", ["best", "round", "deals", "candidates", "score", "interval"], lines)


def show_candidates(result: Any) -> None:
    """The candidates that came furthest."""
    lines = []
    for row in result.frame.head(SHOWN).to_dict(orient="records"):
        found = result.estimate_of(row["candidate"])
        words = [*(row[name] for name in result.over), "default" if row["default"] else ""]
        lines.append([*words, str(row["rounds"]), *in_cells(found, True), f"{found.n:,}"])
    head = [*result.over, "", "rounds", "score", "interval", "deals"]
    print_table("Candidates, by the round they came to and their score in it", head, lines, len(result.over) + 1)
    if len(result.order) > SHOWN:
        print(f"({len(result.order) - SHOWN} more: --format csv.)\n")


def show_measured(result: Any) -> None:
    """The winner on new deals."""
    who = {result.winner: "the winner", result.runner_up: "the runner-up", result.default: "the default"}
    lines = [[f"score of {who[name]}", *in_cells(found, True), f"{found.n:,}"] for name, found in result.measured.items()]
    if result.winner != result.default:
        lines.append(["winner less default", *in_cells(result.gain, True), f"{result.gain.n:,}"])
    if result.runner_up != result.default:
        lines.append(["winner less runner-up", *in_cells(result.lead, True), f"{result.lead.n:,}"])
    print_table("On new deals, 95 % intervals", ["figure", "estimate", "interval", "deals"], lines)
