"""The command `simkit sweep`: several settings of the rules on the same deals."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import (
    Address,
    Backend,
    Format,
    GameName,
    Games,
    Jobs,
    Players,
    Quiet,
    Seed,
    a_format,
    complete_rule,
    examples,
    note,
    print_csv,
    print_json,
    print_table,
    rules_from,
    whole,
)
from simkit.game import BadInput


@app.command(
    epilog=examples(
        "simkit sweep war --rule face_down=0:6",
        "simkit sweep war --rule pickup_order=all -n 1e5",
        "simkit sweep razboi --rule ace_war_size=all --rule short_war_rule=lose --column wars",
    )
)
def sweep(
    game: GameName, games: Games = None, seed: Seed = "1",
    rule: Annotated[list[str] | None, typer.Option("--rule", "-r", help="name=0:6, name=all or name=a,b is varied; name=value is fixed.", autocompletion=complete_rule, metavar="NAME=VALUES")] = None,
    column: Annotated[str | None, typer.Option("--column", help="The column to compare.  [default: the game's length]", show_default=False, metavar="NAME")] = None,
    players: Players = None, jobs: Jobs = None, backend: Backend = "threads", address: Address = "", format: Format = "table", quiet: Quiet = False,
) -> None:  # fmt: skip
    """Play several settings of the rules on the same deals: one row each, differences from the default paired."""
    import simkit

    a_format(format)
    given = rules_from(rule)
    swept = {name: value for name, value in given.items() if value == "all" or ":" in value or "," in value}
    if not swept:
        raise BadInput("nothing to sweep over; give a rule several values: --rule face_down=0:6, --rule pickup_order=all")
    result = simkit.sweep(
        game, swept, whole(games, "--games", 1) or 100_000, column=column, seed=whole(seed, "--seed") or 0, players=players, jobs=whole(jobs, "--jobs", 1),
        backend=backend, address=address, progress=False if quiet else None, rules={name: value for name, value in given.items() if name not in swept},
    )  # fmt: skip
    if result.interrupted:
        note(f"interrupted after {len(result.frame)} settings")
        raise typer.Exit(130)
    from simkit.result import plain

    if format == "json":
        records = result.frame.to_dict(orient="records")
        return print_json(
            plain({"simkit": simkit.__version__, "game": game, "seed": int(seed), "swept": result.swept, "settings": records})
        )
    if format == "csv":
        return print_csv([list(result.frame.columns), *result.frame.to_numpy(object).tolist()])
    print_sweep(result, column or result.results[0].length)


def print_sweep(result: Any, column: str) -> None:
    """The table of a sweep."""
    from simkit.stats.estimate import Estimate

    outcomes = {"win_rate_0": "seat 0 wins", "draw_rate": "draw", "endless_rate": "endless", "capped_rate": "capped"}
    never = [name for name in outcomes if not result.frame[name].any()]
    lines = []
    for row in result.frame.to_dict(orient="records"):
        mean = Estimate(row[column], row[f"{column}_low"], row[f"{column}_high"], int(row[f"{column}_n"]))
        apart = Estimate(row["difference"], row["difference_low"], row["difference_high"], int(row["difference_n"]))
        is_default = row["correlation"] == 1.0 and row["difference"] == 0.0
        shares = [
            f"{100 * row[name]:.2f} % ({100 * row[name + '_low']:.2f}–{100 * row[name + '_high']:.2f})"
            for name in outcomes
            if name not in never
        ]
        words = [str(row[name]).lower() if isinstance(row[name], bool) else str(row[name]) for name in result.swept]
        lines.append(
            [
                *words,
                mean.text().split(" (")[0],
                "default" if is_default else apart.text().split(" (")[0],
                *shares,
                f"{int(row['games']):,}",
            ]
        )
    head = [*result.swept, column, "difference", *(words for name, words in outcomes.items() if name not in never), "games"]
    print(f"{result.game}: the same deals under each setting\n")
    print_table("95 % intervals; means over finished games, differences by deal", head, lines, len(result.swept))
    if never:
        print(
            f"In no setting: {', '.join(outcomes[name] for name in never)} (95 % interval of each share: 0 – {100 * result.frame[[f'{name}_high' for name in never]].max().max():.2f} %)."
        )
