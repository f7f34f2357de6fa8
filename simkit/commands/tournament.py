"""The command `simkit tournament`: everyone against everyone on the same deals."""

from __future__ import annotations

import itertools
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
    whole,
)
from simkit.game import BadInput

FIGURES = (".svg", ".png", ".pdf")
ABOUT_LEADS = (
    "Lead over the best other: Hsu's intervals for comparisons with the best, for all players at once. They only ask who is the best, so by construction "
    "none lies wholly on one side of 0: one that ends at 0 says not the best, one that starts at 0 the best, one around 0 that it may be."
)


@app.command(epilog=examples(
    "simkit tournament techu random greedy_spaces thrifty", "simkit tournament techu expand cutter guard thrifty -n 1e4 --figure cross.svg",
    "simkit tournament techu greedy_spaces 'thrifty(starter=1)' thrifty --format json", "simkit tournament war high_first low_first random --rule pickup_order=player_choice --out runs/orders",
))  # fmt: skip
def tournament(
    game: GameName,
    players: Annotated[list[str], typer.Argument(help="Strategies: greedy, greedy(margin=2), mine.py:bold.", autocompletion=complete_player, metavar="PLAYER PLAYER…")],
    deals: Annotated[str, typer.Option("--deals", "-n", help="How many deals, each played by every pair in every seating.", metavar="N")] = "2000",
    seed: Seed = "1", rule: Rules = None,
    out: Annotated[Path | None, typer.Option("--out", help="Keep the games in this folder; the same command again goes on from there.", metavar="DIR")] = None,
    figure: Annotated[Path | None, typer.Option("--figure", help="Write the cross table as a heat map: .svg, .png or .pdf.", metavar="FILE")] = None,
    jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Every pairing on the same deals: cross table, ratings, who may be the best, cycles."""
    import simkit

    a_format(format)
    if figure is not None:
        check_figure(figure)
    result = simkit.tournament(
        game, players, whole(deals, "--deals", 1) or 0, seed=whole(seed, "--seed") or 0, rules=rules_from(rule), jobs=whole(jobs, "--jobs", 1),
        backend=backend, address=address, out=out, progress=False if quiet else None,
    )  # fmt: skip
    if result.interrupted:
        kept = f"kept in {out}; the same command goes on from there" if out else "nothing kept (name a folder with --out)"
        note(f"interrupted after {result.deals:,} whole deals; {kept}")
        raise typer.Exit(130)
    {"json": lambda: print_json(result.as_dict()), "csv": lambda: print_csv(rows(result)), "table": lambda: show(result)}[format]()
    if figure is not None:
        draw(result, figure)
        note(f"wrote {figure}", quiet)


def check_figure(path: Path) -> None:
    """Raise BadInput if no figure can be written there, before anything is played."""
    if path.suffix.lower() not in FIGURES:
        raise BadInput(f"--figure {path}: no figure ends in {path.suffix or 'nothing'}; name a file that ends in {', '.join(FIGURES)}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"cannot write {path}: {'it is a folder' if path.is_dir() else 'its folder does not exist'}")


def draw(result: Any, path: Path) -> None:
    """Write the heat map."""
    from simkit.plots import svg

    made = result.plot.cross()
    try:
        if path.suffix.lower() == ".svg":
            path.write_text(svg(made, alt=f"Cross table of {', '.join(result.order)}") + "\n", encoding="utf-8")
        else:
            made.savefig(path, facecolor="white", dpi=200)
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error


def rows(result: Any) -> list[list[Any]]:
    """One row a pair; scores with simultaneous intervals, Elo differences one at a time."""
    lines: list[list[Any]] = [["player", "opponent", "score", "low", "high", "p_value", "elo_difference", "elo_low", "elo_high", "deals"]]
    for pair in result.as_dict()["pairs"]:
        names = (pair["player"], pair["opponent"])
        elo = result.ratings.difference(*names).as_dict() if all(name in result.elo for name in names) else {}
        lines.append(
            [
                *names,
                *(pair[key] for key in ("estimate", "low", "high", "p_value")),
                *(elo.get(key) for key in ("estimate", "low", "high")),
                pair["n"],
            ]
        )
    return lines


def show(result: Any) -> None:
    """The tables of a tournament, and what follows from them."""
    one, other = result.tables[0].one, result.tables[0].other
    print(
        f"{result.plan.game}: {len(result.players)} players, {result.deals:,} deals ({result.games:,} games), seed {result.plan.seed}; {result.seconds:.1f} s"
    )
    print(f"Design: {result.design.text(one, other)}, and so for every pair. Intervals are by deal.\n")
    show_cross(result)
    show_ranking(result)
    show_differences(result)
    show_rest(result)
    for text in result.notes():
        if text != result.no_ratings:  # stands below the ranking
            print(f"Note: {text}.")
    print(result.verdict())


def show_cross(result: Any) -> None:
    """Who scores how much against whom."""
    lines = []
    for one in result.order:
        cells = [result.score(one, other) for other in result.order if other != one]
        words = [f"{100 * found.estimate:.1f} ± {100 * found.margin:.1f}" for found in cells]
        words.insert(result.order.index(one), "–")
        lines.append([one, *words])
    print_table("Score of row against column in %; the 95 % intervals hold for all pairs at once", ["player", *result.order], lines)


def show_ranking(result: Any) -> None:
    """The players, the strongest first."""
    elo = result.elo
    score, lead = (dict(zip(result.players, cells, strict=True)) for cells in (result.field, result.best.lead.cells()))
    all_rated = len(elo) == len(result.players)
    head = [
        "player",
        *(["Elo" if all_rated else "Elo among the rated", "interval"] if elo else []),
        "score",
        "interval ",
        "lead over the best other",
        "may be best",
    ]
    head += ["α-Rank", "Nash share"] if result.cyclic else []
    lines = []
    for name in result.order:
        k = result.players.index(name)
        line = [
            name,
            *(in_cells(elo[name]) if name in elo else [result.apart[name], "–"] if elo else []),
            *in_cells(score[name], True),
            " (".join(in_cells(lead[name], True)) + ")",
        ]
        line.append("yes" if name in result.best.candidates else "no")
        lines.append(line + ([f"{result.alpha_rank.mass[k]:.3f}", f"{result.nash.mixture[k]:.3f}"] if result.cyclic else []))
    about = "Elo about the field's mean, " if all_rated else "Elo about the mean of those who can be rated, " if elo else ""
    print_table(f"Ranking: {about}score against the field", head, lines)
    if result.no_ratings:
        print(f"Note: {result.no_ratings}.")
    print(f"{ABOUT_LEADS}\n")


def show_differences(result: Any) -> None:
    """How far neighbours in the ranking are apart."""
    if result.ratings is None:
        return
    rated = [name for name in result.order if name in result.elo]
    neighbours = itertools.pairwise(rated)
    lines = [[f"{one} – {other}", *in_cells(result.ratings.difference(one, other))] for one, other in neighbours]
    print_table("Elo between neighbours (one interval at a time)", ["players", "difference", "interval"], lines)


def show_rest(result: Any) -> None:
    """The first seat, the fit, and cycles."""
    seat = "The first seat" if result.two_sided else "Being alone against a field"
    worth = f", {result.ratings.first_move_elo().text()} Elo" if result.ratings is not None else ""
    gain = " (".join(in_cells(result.first_seat, True))
    print(f"{seat} is worth {gain}) of a point{worth}.")
    if result.first_mover_score is not None:
        print(f"Whoever moves first scores {' ('.join(in_cells(result.first_mover_score, True))}).")
    if result.ratings is not None and result.ratings.fit.df:
        fit = result.ratings.fit
        print(
            f"Fit of one number a player: p = {fit.deal_p_value:.2g} by deal (F = {fit.f:.2f}); deviance {fit.deviance:.1f} on {fit.df} degrees of freedom."
        )
    if result.cycles is not None:
        print(f"Cycles: {result.cycles}.")
