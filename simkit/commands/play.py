"""The command `simkit play`: a game at the terminal, against any players."""

from __future__ import annotations

import secrets
import shlex
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from simkit.commands import app
from simkit.console import GameName, Rules, complete_players, examples, note, one_hand, rules_from, whole
from simkit.game import BadInput

SEEDS = 1_000_000
"""Random seeds are short, so that they are easily typed again."""


@app.command(
    epilog=examples(
        "simkit play techu --against greedy_spaces",
        "simkit play techu --against 'greedy_spaces+search(20)' --seat random --seed 7",
        "simkit play stealing-war --rule players=3 --against always,never",
        "simkit play tichu --against random --partner 'random+search(5)'",
        "simkit play tichu --against steady --hand '2 3 4 5 6 7 Aj As Ph Dr Kj Ks 9 9'",
        "simkit play techu --quick --save my-game.json",
    )
)
def play(
    game: GameName,
    against: Annotated[str | None, typer.Option("--against", "-a", help="Who plays the other seats: one for all, or one each, by seat.  [default: random]", show_default=False, autocompletion=complete_players, metavar="A,B,…")] = None,
    partner: Annotated[str | None, typer.Option("--partner", help="Who plays your partner's seat, in a game of teams; --against then names the opponents.  [default: as --against says]", show_default=False, autocompletion=complete_players, metavar="A")] = None,
    seat: Annotated[str, typer.Option("--seat", help="Your seat, or random.", metavar="SEAT")] = "0",
    seed: Annotated[str | None, typer.Option("--seed", help="Same seed, same deal.  [default: a random one, which is shown]", show_default=False, metavar="SEED")] = None,
    number_of_game: Annotated[str, typer.Option("--game", "-g", help="Number of the game, as in a run with this seed.", metavar="I")] = "0",
    rule: Rules = None,
    hand: Annotated[list[str] | None, typer.Option("--hand", help="A hand that you are dealt, or another seat: '2: A A A A'; all else is dealt at random.", metavar="CARDS")] = None,
    quick: Annotated[bool, typer.Option("--quick", metavar="", help="A typed move is final at once.")] = False,
    save: Annotated[Path | None, typer.Option("--save", help="Write the game to this file, for simkit replay --file.", metavar="FILE")] = None,
) -> None:  # fmt: skip
    """Play a game yourself in the terminal; `?` helps while you play."""
    from simkit.games import find
    from simkit.replay import Replay
    from simkit.simulate import make_plan

    definition = find(game)
    rules = definition.read_rules(rules_from(rule))
    if not definition.has_choices(rules):
        raise BadInput(f"nobody decides anything in {definition.name} under these rules{definition.choices_hint()}")
    if save is not None and (save.exists() or not save.absolute().parent.is_dir()):
        raise BadInput(f"cannot write {save}: {'it exists; name another file' if save.exists() else 'its folder does not exist'}")
    seats = definition.seats(rules)
    own = a_seat(seat, seats)
    players = seated(against, own, seats, definition.default_player, partner, definition.teams(rules))
    drawn = secrets.randbelow(SEEDS) if seed is None else whole(seed, "--seed") or 0
    named_hand = one_hand(hand)
    given = (own, named_hand) if named_hand is not None and ":" not in named_hand else named_hand
    plan = make_plan(game, rules=rules, players=players, seed=drawn, hand=given)
    note(f"getting {definition.name} ready (slow the first time)")
    named = {"--against": against, "--partner": partner}
    at_the_table(Replay(plan, whole(number_of_game, "--game") or 0), own, named, quick=quick, save=save)


def a_seat(text: str, seats: int) -> int:
    """The seat of `--seat`. Raises BadInput."""
    if text == "random":
        return secrets.randbelow(seats)
    own = whole(text, "--seat") or 0
    if own >= seats:
        raise BadInput(f"--seat {text} is not there; the seats: {', '.join(map(str, range(seats)))}, or random")
    return own


def seated(against: str | None, own: int, seats: int, default: str, partner: str | None = None, teams: Sequence[int] = ()) -> list[str]:
    """A player a seat, in one's own seat a stand-in. Raises BadInput."""
    from simkit.players import split_players

    partners = [seat for seat in range(seats) if teams and seat != own and teams[seat] == teams[own]]
    if partner is not None and not partners:
        raise BadInput("--partner: nobody has a partner in this game; --against names everybody else")
    places = [seat for seat in range(seats) if seat != own and (partner is None or seat not in partners)]
    others = split_players(against or default)
    if len(others) == 1:
        others *= len(places)
    if len(others) != len(places):
        raise BadInput(f"--against names {len(others)} players for {len(places)} other seats; name one for all, or {len(places)}")
    players = [default] * seats
    for place, player in zip(places, others, strict=True):
        players[place] = player
    if partner is not None:
        for place in partners:
            players[place] = partner
    return players


def at_the_table(replay: Any, own: int, named: Mapping[str, str | None], *, quick: bool, save: Path | None) -> None:
    """Play the game, to its end or until the person stops; then say how it ended, and how to see it again."""
    from simkit.table import Person, printer, verdict

    plan = replay.plan
    show = printer(plan.definition.styles)
    person = Person(plan.definition, own, rules_text(plan), quick=quick, show=show, width=shutil.get_terminal_size((80, 24)).columns)
    replay.hands[own], replay.made[own] = person, []
    teams = plan.definition.teams(plan.rules)
    partners = {seat: ", your partner," for seat in range(plan.seats) if teams and teams[seat] == teams[own]}
    others = ", ".join(f"seat {seat}{partners.get(seat, '')} is {replay.player(seat)}" for seat in range(plan.seats) if seat != own)
    print(f"{plan.definition.title}: seed {plan.seed}{f', game {replay.number}' if replay.number else ''}. You are seat {own}; {others}.")
    if plan.hand is not None:
        print(
            f"Seat {plan.hand_dealt[0]} is dealt {plan.definition.write_hand(plan.hand_dealt[1], plan.rules)}; all else is dealt at random."
        )
    print("Type your moves; ? helps, quit ends.\n")
    events: list[dict[str, Any]] = []
    try:
        for event in replay:
            events.append(event)
            person.watch(event)
    except KeyboardInterrupt:
        print()
    print(f"\n{verdict(replay, own)}" if replay.row else "\nThe game ends here, unfinished.")
    farewell(replay, own, named, events, save)


def rules_text(plan: Any) -> str:
    """Where the rules are, and what differs from the default."""
    from simkit.players import HOME
    from simkit.provenance import changed_rules

    page = HOME / plan.definition.rules_page
    where = str(page) if page.is_file() else f"{plan.definition.rules_page} in simkit's source"
    changed = ", ".join(f"{name} = {value}" for name, value in changed_rules(plan).items())
    return f"The rules: {where}. {f'Here: {changed}.' if changed else 'All parameters have their defaults.'}"


def farewell(replay: Any, own: int, named: Mapping[str, str | None], events: list[dict[str, Any]], save: Path | None) -> None:
    """How to play this deal again, and how to see this game again."""
    import json

    from simkit import replay as replays
    from simkit.provenance import changed_rules

    plan = replay.plan
    words = ["simkit", "play", plan.game, "--seed", str(plan.seed), *(["--game", str(replay.number)] if replay.number else [])]
    words += [word for option, player in named.items() if player for word in (option, player)]
    words += ["--seat", str(own)] if own else []
    words += ["--hand", plan.hand] if plan.hand is not None else []
    for name, value in changed_rules(plan).items():
        words += ["--rule", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    print(f"This deal was seed {plan.seed}{f', game {replay.number}' if replay.number else ''}. Play it again:")
    print(f"  {shlex.join(words)}")
    if save is not None:
        try:
            save.write_text(json.dumps(replays.as_dict(replay, events=events), ensure_ascii=False) + "\n", encoding="utf-8")
        except OSError as error:
            raise BadInput(f"cannot write {save}: {error.strerror or error}") from error
        print(f"See every move of this game, with all hands:\n  simkit replay --file {shlex.quote(str(save))}")
    else:
        print(f"See every move of this game, with all hands:\n  {replays.command(replay)}")
