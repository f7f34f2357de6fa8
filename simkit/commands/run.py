"""The command `simkit run`: plays many games and summarises them."""

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
    Games,
    GivenHand,
    Jobs,
    Players,
    Quiet,
    Rules,
    Seed,
    a_format,
    examples,
    note,
    number,
    one_hand,
    print_csv,
    print_json,
    print_table,
    rules_from,
    whole,
)
from simkit.game import BadInput


@app.command(epilog=examples(
    "simkit run war", "simkit run war -n 1e6 --rule face_down=1 --rule pickup_order=winner_first", "simkit run war --until battles=0.5", "simkit run techu --players thrifty,greedy_spaces --paired",
    "simkit run war -n 1e8 --columns basic --out my-run", "simkit run war-multi --rule players=4 --format json", "simkit run war --exhaustive --rule ranks=4 --rule copies=2 --rule pickup_order=winner_first",
))  # fmt: skip
def run(
    game: GameName, games: Games = None, seed: Seed = "1", rule: Rules = None, players: Players = None,
    until: Annotated[str | None, typer.Option("--until", help="Stop when a figure's 95 % interval is this half-width.", metavar="COLUMN=HALFWIDTH")] = None,
    columns: Annotated[str, typer.Option("--columns", help="all, basic (leaves out what costs time), or names: battles,wars.", metavar="NAMES")] = "all",
    out: Annotated[Path | None, typer.Option("--out", help="Keep the run in this folder; the same command again goes on from there.", metavar="DIR")] = None,
    rows: Annotated[bool, typer.Option("--rows", metavar="", help="Keep every game's row (with --out, as Parquet).")] = False,
    paired: Annotated[bool, typer.Option("--paired", metavar="", help="Play each deal with the players in every seat; intervals are by deal.")] = False,
    exhaustive: Annotated[bool, typer.Option("--exhaustive", metavar="", help="Play every distinct deal of a small deck once.")] = False,
    hand: GivenHand = None, jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Play many games and summarise: who wins, how long, every recorded column."""
    import simkit

    a_format(format)
    if exhaustive and (games is not None or until is not None):
        raise BadInput("--exhaustive plays every deal once; leave out --games and --until")
    result = simkit.run(
        game, whole(games, "--games", 1), seed=whole(seed, "--seed") or 0, rules=rules_from(rule), players=players, until=until, columns=columns, out=out,
        rows=rows, every_deal=exhaustive, paired=paired, hand=one_hand(hand), jobs=whole(jobs, "--jobs", 1), backend=backend, address=address, progress=False if quiet else None,
    )  # fmt: skip
    for text in result.notes:
        note(text, quiet)
    if result.interrupted:
        kept = f"kept in {out}; the same command goes on from there" if out else "nothing kept (name a folder with --out)"
        note(f"interrupted after {result.games:,} games; {kept}")
        raise typer.Exit(130)
    if rows and out is None and format != "csv":
        note("--rows without --out: the rows are printed with --format csv, and otherwise dropped", quiet)
    {
        "json": lambda: print_json(result.as_dict()),
        "csv": lambda: print_rows(result) if rows and out is None else print_csv(result_rows(result)),
        "table": lambda: print_result(result),
    }[format]()


def result_rows(result: Any) -> Iterator[list[Any]]:
    """One row a figure: shares first (their estimate stands under mean), then the columns."""
    from simkit.stats.histogram import SUMMARY_KEYS

    facts = result.as_dict()
    keys = [*SUMMARY_KEYS, *(["games"] if result.plan.paired else [])]
    yield ["figure", *keys]
    shares = [(f"win_rate_{number}", share) for number, share in enumerate(facts["win_rate"])]
    shares += [(name, facts[name]) for name in ("draw_rate", "capped_rate", "endless_rate")]
    for name, share in shares:
        yield [name, *({"mean": share["estimate"], **share}.get(key) for key in keys)]
    for name, column in facts["columns"].items():
        yield [name, *(column[key] for key in keys)]


def print_rows(result: Any) -> None:
    """Every game's row."""
    print_csv(
        [
            ["game", *result.frame.columns],
            *([index, *row] for index, row in zip(result.frame.index.tolist(), result.frame.to_numpy().tolist(), strict=True)),
        ]
    )


def print_result(result: Any) -> None:
    from simkit.provenance import changed_rules_text

    plan = result.plan
    rules = changed_rules_text(plan)
    choices = plan.definition.has_choices(plan.rules)
    games = f"{result.games:,} games" + (f" ({result.deals:,} deals, each in every seating)" if plan.paired else "")
    deals = " (every deal once)" if plan.every_deal else f", seed {result.seed}"
    hand = f", seat {plan.hand.replace(':', ' is dealt')}" if plan.hand is not None else ""
    print(f"{result.game}: {games}{deals}, {rules or 'default rules'}{hand}; {result.seconds:.1f} s\n")
    places = max(3, round(math.log10(max(result.games, 1))) - 2)  # enough to see the width of the interval around 0
    shares = [
        [name, *(f"{100 * value:.{places}f}" for value in (share.estimate, share.low, share.high)), f"{share.n:,}"]
        for name, share in result.shares()
    ]
    interval = [] if result.exact else ["interval"]
    shares = [[name, f"{share} %", *(f"{low} – {high} %" for _ in interval), games] for name, share, low, high, games in shares]
    for line, side in zip(shares, result.sides() if choices and not plan.paired else (), strict=False):
        line[0] += f" ({result.player(side)})"
    by = ", by deal" if plan.paired else ""
    sure = "exact: every deal was played" if result.exact else f"95 % intervals{by}"
    print_table(f"How games end ({sure})", ["outcome", "share", *interval, "deals" if plan.paired else "games"], shares)
    print_columns(result)
    if result.unfinished:
        print(f"Columns of a game's course are over finished games; {result.unfinished:,} of {result.games:,} were capped or endless.")


def print_columns(result: Any) -> None:
    """The table of a run's columns, without those said in the table of outcomes."""
    lines, sizes, constant = [], [], []
    for name in result.columns:
        s = result.statistics(name)
        if name.startswith(("payoff_", "outcome", "winner", "capped", "draw_seats")) or not s["n"]:
            continue
        if s["min"] == s["max"]:
            constant.append(f"{name} {number(s['min'])}")
            continue
        lines.append(
            [
                name,
                result.mean(name).text().split(" (")[0],
                number(s["sd"]),
                *(number(s[key]) for key in ("min", "q01", "q25", "median", "q75", "q99", "max")),
                f"{s.get('games', s['n']):,}",
            ]
        )
        sizes.append(lines[-1][-1])
    head = ["column", "mean", "sd", "min", "1 %", "25 %", "median", "75 %", "99 %", "max", "games"]
    of, alike = "", len(set(sizes)) == 1
    if alike:  # say it once
        of, head, lines = f" of {sizes[0]} games", head[:-1], [line[:-1] for line in lines]
    if lines:
        mean = "mean" if result.exact else "mean with its 95 % interval"
        print_table(f"Columns{of}: {mean}, spread, quantiles", head, lines, 1, ["1 %", "25 %", "75 %", "99 %", "sd"])
    if constant:
        print(f"The same in every game: {', '.join(constant)}.\n")
