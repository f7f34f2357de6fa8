"""The command `simkit games`: the games, or one in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from simkit.commands import app
from simkit.console import Format, a_format, complete_game, examples, legal_values, print_csv, print_json, print_table

if TYPE_CHECKING:
    from simkit.players import Strategy


@app.command(epilog=examples("simkit games", "simkit games war", "simkit games razboi --format json"))
def games(
    game: Annotated[str | None, typer.Argument(help="Show this game in full.", autocompletion=complete_game, metavar="[GAME]")] = None,
    format: Format = "table",
) -> None:
    """List the games, or one game's rules, columns and strategies."""
    from simkit.games import find, names
    from simkit.players import known, tell_of_files

    a_format(format)
    if game is None:
        table = [find(name) for name in names()]
        if format == "json":
            return print_json([{"game": each.name, "title": each.title, "version": each.version} for each in table])
        lines = [
            [
                each.name,
                each.title,
                legal_values(each.by["players"]) if "players" in each.by else str(each.largest_seats),
                str(each.version),
            ]
            for each in table
        ]
        if format == "csv":
            return print_csv([["game", "title", "players", "version"], *lines])
        print_table("Games", ["game", "what it is", "players", "version"], lines, 4)
        return print("simkit games GAME shows its rules, columns and strategies.")
    definition, strategies = find(game), known(find(game))
    tell_of_files()
    parameters = [
        [p.name, str(p.default).lower() if p.kind == "flag" else str(p.default), legal_values(p), p.help] for p in definition.parameters
    ]
    columns = [
        [c.name + ("_SEAT" if c.per == "seat" else f"_{c.labels[0]} …" if c.labels else ""), c.group, c.help] for c in definition.columns
    ]
    players = [
        [name, decides(made, definition.decisions), ", ".join(f"{key}={value:g}" for key, value in made.numbers.items()), made.summary]
        for name, made in strategies.items()
    ]
    if format == "json":
        return print_json({
            "game": definition.name, "title": definition.title, "version": definition.version, "rules_page": definition.rules_page,
            "rules": [{"name": p.name, "default": p.default, "legal": list(p.legal), "kind": p.kind, "help": p.help} for p in definition.parameters],
            "columns": [{"name": c.name, "per": c.per, "labels": list(c.labels), "group": c.group, "finished_games_only": c.finished, "help": c.help} for c in definition.columns],
            "decisions": list(definition.decisions), "best_player": definition.best_player or None, "strategies": [{"name": name, "decides": [kind for kind in definition.decisions if made.serves(kind)], "numbers": dict(made.numbers), "help": made.summary, "file": str(made.file)} for name, made in strategies.items()],
        })  # fmt: skip
    if format == "csv":
        return print_csv([["kind", "name", "default", "legal", "help"], *(["rule", *row] for row in parameters), *(["column", row[0], row[1], "", row[2]] for row in columns), *(["strategy", row[0], row[2], row[1], row[3]] for row in players)])  # fmt: skip
    print(f"{definition.name}: {definition.title} (version {definition.version}; rules page {definition.rules_page})\n")
    print_table("Rules", ["rule", "default", "legal values", "what it decides"], parameters, 4)
    print_table("Columns recorded of each game", ["column", "group", "what it counts"], columns, 3)
    if len(definition.decisions) > 1:
        print(f"Kinds of decision: {', '.join(definition.decisions)}. A strategy that decides not all of them is a part of a player.\n")
    print_table("Strategies", ["strategy", "decides", "numbers", "what it does"], players, 4)
    if definition.best_player:
        print(f"The strongest that plays all of it: {definition.best_player}.")


def decides(made: Strategy, kinds: tuple[str, ...]) -> str:
    """The kinds of decision that a strategy serves, in words."""
    served = [kind for kind in kinds if made.serves(kind)]
    return "all" if len(served) == len(kinds) else ", ".join(served)
