"""The command `simkit hand`: what a given hand is worth, and a call on it."""

from __future__ import annotations

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


@app.command(epilog=examples(
    "simkit hand tichu '2 3 4 5 6 7 Aj As Ph Dr Kj Ks 9 9'", "simkit hand tichu 'Aj As Ph Dr Kj Qs 5 6' --players greedy_low -n 1e5 --format json",
    "simkit hand tichu-match 'Aj As Ph Dr Kj Qs 5 6' -n 1e4 --rule target_score=500", "simkit hand war A A A A", "simkit hand war-multi 'A K Q' --seat 2 --rule players=4 --format csv",
))  # fmt: skip
def hand(
    game: GameName,
    cards: Annotated[list[str], typer.Argument(help="The cards, as the rules page writes them; order and case do not matter. Also 'SEAT: CARDS', or with a call forced: '0 Tichu: CARDS'.", metavar="CARDS")],
    seat: Annotated[str | None, typer.Option("--seat", help="Who is dealt them.  [default: 0]", show_default=False, metavar="SEAT")] = None,
    players: Annotated[str | None, typer.Option("--players", "-p", help="Strategies, one for all seats or one a seat: a,b. Your own: mine.py:bold.  [default: the strongest that the game names, in Tichu steady; else random]", show_default=False, autocompletion=complete_players, metavar="A,B,…")] = None,
    games: Annotated[str | None, typer.Option("--games", "-n", help="How many deals, each played in every way shown.  [default: 10,000 with calls, else 100,000]", show_default=False, metavar="N")] = None,
    seed: Seed = "1", rule: Rules = None, jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """How good is this hand: how often it wins, what a call on it is worth; all other cards are dealt at random."""
    import simkit

    a_format(format)
    text, place = " ".join(cards), whole(seat, "--seat")
    if place is not None and ":" in text:
        raise BadInput(f"the hand names its seat itself ({text.partition(':')[0]}:); leave out --seat")
    found = simkit.hand(
        game, text, whole(games, "--games", 1), seat=place, players=players, seed=whole(seed, "--seed") or 0,
        rules=rules_from(rule), jobs=whole(jobs, "--jobs", 1), backend=backend, address=address, progress=False if quiet else None,
    )  # fmt: skip
    if found.interrupted:
        note(f"interrupted after {found.result.games:,} deals; nothing kept")
        raise typer.Exit(130)
    {"json": lambda: print_json(found.as_dict()), "csv": lambda: print_csv(rows(found)), "table": lambda: show(found)}[format]()


def rows(found: Any) -> list[list[Any]]:
    """A row a way, nothing where there is no figure."""
    table = found.frame.astype(object).where(found.frame.notna(), None)
    return [list(table.columns), *table.to_numpy().tolist()]


def show(found: Any) -> None:
    """The table of a hand, and what is worth saying of its calls."""
    plan, result = found.plan, found.result
    print(f"{plan.game}: seat {found.seat} is dealt {found.cards}")
    against = f"; players {', '.join(plan.players)}" if plan.definition.has_choices(plan.rules) else ""
    print(f"All else is dealt at random: {found.deals:,} deals, seed {plan.seed}{against}; {found.seconds:.1f} s\n")
    compared = any(way.worth is not None for way in found.ways)
    head = ["played", found.goal, "interval", "payoff", "interval"] + ["against no call", "interval"] * compared
    lines = []
    for way in found.ways:
        line = [way.name, *in_cells(way.success, True), *in_cells(way.payoff)]
        lines.append(line + (in_cells(way.worth) if way.worth is not None else ["", ""]) * compared)
    print_table("95 % intervals", head, lines)
    if not compared:
        shares = ((name, getattr(result, f"{name}_rate")()) for name in ("draw", "capped", "endless"))
        kinds = [f"{name} {share.text(percent=True)}" for name, share in shares if share.estimate > 0]
        print("; ".join([*kinds, f"mean {result.length} {result.mean(result.length).text()}"]) + ".")
    for way in found.ways:
        if way.worth is not None and way.value:
            print(verdict(way, found.goal))


def verdict(way: Any, goal: str) -> str:
    """What a call is worth, in words."""
    low, high = way.worth.low, way.worth.high
    what = "gains" if low > 0 else "loses" if high < 0 else "neither gains nor loses clearly"
    if way.break_even is None:
        return f"{way.name} ({way.value} points) {what}: {way.worth.text()} of payoff."
    even, interval = in_cells(way.break_even, True)
    seldom = f"; it could be made in {way.made.text(percent=True)} of the deals" if way.made.estimate < 1 else ""
    return f"{way.name} ({way.value} points) {what}: it pays if the hand {goal} in more than {even} of the deals ({interval}){seldom}."
