"""The command `simkit compare`: is A better than B, on the same deals."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    examples,
    in_cells,
    note,
    print_csv,
    print_json,
    print_table,
    rules_from,
    share,
    two_numbers,
    whole,
)
from simkit.game import BadInput

PlayerName = Annotated[str, typer.Argument(help="A strategy: greedy, greedy(margin=2), mine.py:bold.", autocompletion=complete_player, metavar="PLAYER")]  # fmt: skip


@app.command(epilog=examples(
    "simkit compare techu thrifty greedy_spaces", "simkit compare techu thrifty greedy_spaces --until-clear", "simkit compare techu 'thrifty(starter=1)' thrifty -n 1e5 --format json",
    "simkit compare techu expand cutter --until-clear --bounds 0:20 --unit nelo --alpha 0.01", "simkit compare war high_first random --rule pickup_order=player_choice --out runs/orders",
))  # fmt: skip
def compare(
    game: GameName, a: PlayerName, b: PlayerName,
    deals: Annotated[str | None, typer.Option("--deals", "-n", help="How many deals, each played in every seating; with --until-clear at most.  [default: 10,000; with --until-clear 1,000,000]", show_default=False, metavar="N")] = None,
    until_clear: Annotated[bool, typer.Option("--until-clear", metavar="", help="Stop as soon as a sequential test knows.")] = False,
    bounds: Annotated[str | None, typer.Option("--bounds", help="What it decides between: A better by at most LOW, or by at least HIGH.  [default: 0:5]", show_default=False, metavar="LOW:HIGH")] = None,
    unit: Annotated[str, typer.Option("--unit", help="Of the bounds: elo, nelo (normalized Elo) or score.", metavar="NAME")] = "elo",
    alpha: Annotated[str, typer.Option("--alpha", help="Chance to say A is better though it is at most LOW.", metavar="P")] = "0.05",
    beta: Annotated[str, typer.Option("--beta", help="Chance to say it is not though it is at least HIGH.", metavar="P")] = "0.05",
    seed: Seed = "1", rule: Rules = None,
    out: Annotated[Path | None, typer.Option("--out", help="Keep the games in this folder; the same command again goes on from there.", metavar="DIR")] = None,
    jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Is A better than B, and by how much: same deals, seats exchanged; may stop when the answer is clear."""
    import simkit

    a_format(format)
    if bounds is not None and not until_clear:
        raise BadInput("--bounds are those of a test; add: --until-clear")
    result = simkit.compare(
        game, a, b, whole(deals, "--deals", 1), until_clear=until_clear, bounds=two_numbers(bounds, "--bounds"), unit=unit, alpha=share(alpha, "--alpha"),
        beta=share(beta, "--beta"), seed=whole(seed, "--seed") or 0, rules=rules_from(rule), jobs=whole(jobs, "--jobs", 1), backend=backend, address=address,
        out=out, progress=False if quiet else None,
    )  # fmt: skip
    if result.interrupted:
        kept = f"kept in {out}; the same command goes on from there" if out else "nothing kept (name a folder with --out)"
        note(f"interrupted after {result.deals:,} whole deals; {kept}")
        raise typer.Exit(130)
    {"json": lambda: print_json(result.as_dict()), "csv": lambda: print_csv(rows(result)), "table": lambda: show(result)}[format]()


def figures(result: Any) -> Iterator[tuple[str, Any, bool]]:
    """Name, estimate, and whether it is a percentage."""
    yield "score", result.score, True
    yield "difference", result.difference, True
    yield "elo", result.elo, False
    yield "nelo", result.nelo, False
    yield "payoff_difference", result.payoff_difference, False
    if result.first_mover_score is not None:
        yield "first_mover_score", result.first_mover_score, True


def rows(result: Any) -> Iterator[list[Any]]:
    """One row a figure, then one a count."""
    yield ["figure", "estimate", "low", "high", "n"]
    for name, found, _ in figures(result):
        yield [name, *found.as_dict().values()]
    for name, found in zip(
        ("win_rate_0", "win_rate_1", "draw_rate", "unfinished_rate"), (found for _, found in result.shares()), strict=True
    ):
        yield [name, *found.as_dict().values()]
    for score, n in result.counts.items():
        yield [f"deals_at_{score:g}", n, None, None, result.deals]
    yield ["variance_reduction", result.variance_reduction(), None, None, result.deals]


def show(result: Any) -> None:
    """The tables of a comparison, and its verdict."""
    a, b = result.players
    print(
        f"{result.plan.game}: {a} against {b}, {result.deals:,} deals ({result.games:,} games), seed {result.plan.seed}; {result.seconds:.1f} s"
    )
    print(f"Design: {result.design.text(a, b)}. Intervals are by deal.\n")
    words = {
        "score": f"score of {a}", "difference": f"{a}'s score less {b}'s", "elo": "Elo difference", "nelo": "normalized Elo", "payoff_difference": "payoff difference",
        "first_mover_score": "score of the first mover",
    }  # fmt: skip
    lines = [[words[name], *in_cells(found, percent), f"{found.n:,}"] for name, found, percent in figures(result)]
    lines += [[name, *in_cells(found, True), f"{found.n:,}"] for name, found in result.shares()]
    print_table("95 % intervals", ["figure", "estimate", "interval", "deals"], lines)
    counts = [[f"{score:.4g}", f"{n:,}", f"{100 * n / result.deals:.2f} %"] for score, n in result.counts.items()]
    print_table(f"Deals by the mean score of {a}", ["score", "deals", "share"], counts)
    gain = result.variance_reduction()
    if math.isfinite(gain):
        payoffs = result.variance_reduction("payoff")
        print(f"Pairing: as good as {gain:.2f} times as many games on deals of their own ({payoffs:.2f} for payoffs).")
    else:
        print("Pairing: all deals have the same score, so chance has no part in the comparison.")
    if result.test is not None:
        print(result.test_text())
    for text in result.notes():
        print(f"Note: {text}.")
    print(result.verdict())
