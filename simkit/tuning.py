"""Which numbers and parts make a strategy strongest: a search by successive halving on common deals (`simkit.tune`)."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simkit.comparison import exact_sums, of_ends
from simkit.game import BadInput, Game, nearest
from simkit.games import find
from simkit.players import PLAYER, Part, Strategy, find_strategy, known, read_numbers, read_player, split_players
from simkit.result import plain
from simkit.seatings import SCORE, UNFINISHED, Design, Hall, Table, command_of, hall, read_deals, read_pairing, tables
from simkit.stats.estimate import Estimate, decimals
from simkit.stats.estimate import number as text_of
from simkit.stats.intervals import mean_interval_from_sums, zero_upper
from simkit.tournaments import within

if TYPE_CHECKING:
    import pandas as pd

    from simkit.plots import Figure

DEALS = 10_000
MOST_CANDIDATES = 1_000
"""Candidates of a whole grid; a larger one must be sampled."""
MOST_VALUES = 100_000
"""Values of one range."""
FEWEST_DEALS = 20
"""Deals of the first round: with fewer, halving would be a lottery."""


@dataclass(frozen=True)
class Candidate:
    """A player of the search, with its values of what is varied, as text."""

    text: str
    settings: Mapping[str, str]

    @property
    def label(self) -> str:
        """The settings in words."""
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())


@dataclass(frozen=True)
class Round:
    """A round of halving: deals played so far, by which candidates (places in the list), and their mean scores, the best first.

    `alike`: those that scored as an earlier one of the list on every deal.
    """

    deals: int
    candidates: tuple[int, ...]
    scores: tuple[Estimate, ...]
    alike: tuple[int, ...] = ()

    @property
    def better_half(self) -> list[int]:
        """Who stays, in the order of the list. Candidates that play alike need but one place; the others have theirs if any is left."""
        differ = [who for who in self.candidates if who not in self.alike]
        return sorted([*differ, *(who for who in self.candidates if who in self.alike)][: -(-len(self.candidates) // 2)])


# ---------------------------------------------------------------------------------------------------------- candidates


def read_values(text: str | Sequence[Any], name: str) -> list[str]:
    """The values of "1:10", "0:1:0.25", "2,3,5", "never,above(t=4:9)" or of a list. Raises BadInput."""
    if not isinstance(text, str):
        return [f"{value:.12g}" if isinstance(value, (int, float)) else str(value) for value in text]
    if "(" in text or ".py:" in text:
        return [each for part in split_players(text) for each in read_part_values(part, name)]
    return read_range(text, name) if ":" in text else split_players(text)


def read_part_values(text: str, name: str) -> list[str]:
    """A part with all values of its numbers: of "above(t=4:6)" three. Raises BadInput."""
    match = PLAYER.fullmatch(text)
    if match is None or ":" not in (match["numbers"] or ""):
        return [text]
    given = [[piece.strip() for piece in each.partition("=")] for each in split_players(match["numbers"])]
    values = [read_range(value, number, f"{name}={match['name']}: ") if ":" in value else [value] for number, _, value in given]
    if (count := math.prod(map(len, values))) > MOST_VALUES:
        raise BadInput(f"--over {name}={text} has {count:,} values; use longer steps, {MOST_VALUES:,} values at most")
    before, after = text[: match.start("numbers")], text[match.end("numbers") :]
    return [
        before + ",".join(f"{number}={value}" for (number, _, _), value in zip(given, chosen, strict=True)) + after
        for chosen in itertools.product(*values)
    ]


def read_range(text: str, name: str, part: str = "") -> list[str]:
    """The values of "1:10" or "0:1:0.25". Raises BadInput."""
    pieces = text.split(":")
    try:
        low, high, step = (float(piece) for piece in (pieces if len(pieces) == 3 else [*pieces, "1"]))
        if not (math.isfinite(low + high + step) and step > 0 and low <= high):
            raise ValueError
    except ValueError:
        raise BadInput(
            f"--over {part}{name}={text} is no range; write low:high or low:high:step, for example {name}=1:10 or {name}=0:1:0.25"
        ) from None
    number = math.floor((high - low) / step + 1e-9) + 1
    if number > MOST_VALUES:
        raise BadInput(f"--over {part}{name}={text} has {number:,} values; use a longer step, {MOST_VALUES:,} values at most")
    return [f"{low + k * step:.12g}" for k in range(number)]


def read_over(game: Game, strategy: str, over: Mapping[str, Any]) -> dict[str, list[str]]:
    """What is varied, with its values. Raises BadInput."""
    match = PLAYER.fullmatch(strategy.strip())
    if match is None:
        raise BadInput(f"{strategy!r} names no player; write greedy, greedy(margin=2) or mine.py:bold")
    found, _ = find_strategy(game, match["file"], match["name"])
    if not over:
        raise BadInput(f"nothing to vary; give a number or a part several values: --over {example_of(game, found)}")
    varied = {}
    for name, text in over.items():
        check_name(game, found, name)
        varied[name] = read_values(text, name)
        if not varied[name]:
            raise BadInput(f"--over {name} has no values; write for example {example_of(game, found)}")
    return varied


def check_name(game: Game, found: Strategy, name: str) -> None:
    """Raise BadInput if this is neither a number of the strategy's nor one or several kinds of decision, joined by "+"."""
    if name in found.numbers:
        return
    for piece in name.split("+"):
        if piece not in game.decisions:
            numbers = f"its numbers: {', '.join(found.numbers)}" if found.numbers else "it has no numbers"
            raise BadInput(
                f"{found.name} has no number and {game.name} no decision called {piece}; "
                f"{numbers}; the decisions: {', '.join(game.decisions)}{nearest(piece, [*found.numbers, *game.decisions])}"
                f"{part_with(game, name)}"
            )


def part_with(game: Game, number: str) -> str:
    """How a number of another part is varied, if there is a part with such a number."""
    for name, made in known(game).items():
        if number in made.numbers and made.decisions:
            return f"; {number} is a number of {name}: --over {made.decisions[0]}={name}({number}={made.numbers[number]:g}:{made.numbers[number] + 5:g})"
    return ""


def example_of(game: Game, found: Strategy) -> str:
    """Something that could be varied."""
    for name, value in found.numbers.items():
        return f"{name}={value:g}:{value + 5:g}"
    return f"{game.decisions[0]}=random,{found.name}"


def with_settings(game: Game, strategy: str, settings: Mapping[str, str]) -> str:
    """A player's text with other numbers and parts."""
    match = PLAYER.fullmatch(strategy.strip())
    assert match is not None
    found, _ = find_strategy(game, match["file"], match["name"])
    numbers, parts = ({name.strip(): value.strip() for name, _, value in (piece.partition("=") for piece in split_players(match[group] or ""))} for group in ("numbers", "parts"))  # fmt: skip
    for name, value in settings.items():
        if name in found.numbers:
            numbers[name] = value
        else:
            parts |= dict.fromkeys(name.split("+"), value)
    text = (f"{match['file']}:" if match["file"] else "") + match["name"]
    for given, before, after in ((numbers, "(", ")"), (parts, "[", "]")):
        text += before + ",".join(f"{name}={value}" for name, value in given.items()) + after if given else ""
    return text + (f"+search({match['guesses']})" if match["guesses"] else "")


def make_candidates(game: Game, strategy: str, varied: Mapping[str, Sequence[str]], most: int | None, seed: int) -> list[Candidate]:
    """The default, then the grid, or a random sample of it of `most` candidates; no player twice. Raises BadInput."""
    size = math.prod(len(values) for values in varied.values())
    if most is None and size > MOST_CANDIDATES:
        raise BadInput(f"the grid has {size:,} candidates; draw some of them at random: --candidates 100")
    places = range(size) if most is None or most >= size else sorted(random.Random(seed).sample(range(size), most))
    made, seen = [Candidate(strategy, own_settings(game, strategy, varied))], {decides(game, strategy)}
    for place in places:
        settings = settings_at(varied, place)
        text = with_settings(game, strategy, settings)
        if (key := decides(game, text)) not in seen:
            seen.add(key)
            made.append(Candidate(text, settings))
    if len(made) < 2:
        raise BadInput(f"every candidate is {strategy} itself; vary more: --over name=low:high")
    return made


def settings_at(varied: Mapping[str, Sequence[str]], place: int) -> dict[str, str]:
    """The values at a place of the grid, in which the last name changes first."""
    settings: dict[str, str] = {}
    for name in reversed(list(varied)):
        place, value = divmod(place, len(varied[name]))
        settings[name] = varied[name][value]
    return dict(reversed(settings.items()))


def own_settings(game: Game, strategy: str, varied: Mapping[str, Any]) -> dict[str, str]:
    """The strategy's own values of what is varied; of several kinds of decision the parts, with the numbers that are not their defaults."""
    match, player = PLAYER.fullmatch(strategy.strip()), read_player(game, strategy)
    assert match is not None
    numbers = read_numbers(find_strategy(game, match["file"], match["name"])[0], match["numbers"] or "")
    parts = {kind: part_text(part) for kind, part in zip(game.decisions, player.parts, strict=True)}
    return {
        name: f"{numbers[name]:.12g}" if name in numbers else "/".join(dict.fromkeys(parts[kind] for kind in name.split("+")))
        for name in varied
    }


def part_text(part: Part) -> str:
    """A part as it would be typed."""
    other = [f"{name}={value:.12g}" for (name, own), value in zip(part.strategy.numbers.items(), part.numbers, strict=True) if value != own]
    return part.strategy.name + (f"({','.join(other)})" if other else "")


def decides(game: Game, text: str) -> Any:
    """What a player does, to tell whether two texts mean the same. Raises BadInput."""
    player = read_player(game, text)
    return player.parts, player.guesses


def schedule(candidates: int, deals: int) -> list[int]:
    """Deals at the end of each round: the last two candidates have played all, each round before half as many. Raises BadInput."""
    rounds = max(1, math.ceil(math.log2(candidates)))
    found = [deals >> (rounds - 1 - k) for k in range(rounds)]
    if found[0] < FEWEST_DEALS:
        raise BadInput(
            f"{deals:,} deals are too few for {candidates:,} candidates: the first of {rounds} rounds would have {found[0]}; "
            f"ask for {FEWEST_DEALS << (rounds - 1):,} or more, or for fewer candidates"
        )
    return found


# --------------------------------------------------------------------------------------------------------- the search


def tune(
    game: str, strategy: str, over: Mapping[str, Any], against: str | Sequence[str] | None = None, deals: float = DEALS, *,
    candidates: int | None = None, seed: int = 1, jobs: int | None = None, backend: str = "threads", address: str = "",
    out: str | Path | None = None, progress: bool | None = None, rules: Mapping[str, Any] | None = None, **more_rules: Any,
) -> Tuning:  # fmt: skip
    """Search a strategy's numbers and parts for those that score most, by successive halving on common deals.

    The default and all candidates play the same deals against each player of the field, seats exchanged. After each round the
    better half stays and the deals double, until one is left. As it was chosen for its luck too, the winner is then
    measured on as many new deals, beside the default and the runner-up.

    Parameters
    ----------
    game : str
    strategy : str
        A strategy or bundle, the default of the search: "steady", "steady(t=8)[duel=median]", "mine.py:bold".
    over : dict
        What is varied: {"t": "4:12"}, {"t": "0:1:0.25"}, {"t": [2, 5]}, and for a kind of decision the parts to try,
        {"duel": "median,just_enough(t=4:9)"}; several kinds at once: {"attack+answer": "protect_low,random"}.
    against : str or list of str, default the strategy itself
        The field: one or several players, all of the same weight.
    deals : number
        What the last two candidates have played in the end, and how many new deals the winner is measured on.
    candidates : int, default all
        Draw so many from the grid at random (by the seed).
    seed, jobs, backend, address, out, progress, rules
        As for `simkit.run`.

    Returns
    -------
    Tuning

    Raises
    ------
    BadInput
        In one line: what is wrong, and what to do.
    """
    definition, number = find(game), read_deals(deals)
    read_deals(2 * number)
    read = definition.read_rules({**(rules or {}), **more_rules})
    names = split_players(against) if isinstance(against, str) else list(against or [strategy])
    base, *field = read_pairing(definition, read, [strategy, *names])
    check_field(field)
    if candidates is not None and candidates < 1:
        raise BadInput(f"{candidates} candidates make no search; ask for 1 or more")
    varied = read_over(definition, base, over)
    made = make_candidates(definition, base, varied, candidates, seed)
    rounds, design, began = schedule(len(made), number), Design.of(definition, read), time.perf_counter()
    pairs = [(candidate.text, opponent) for candidate in made for opponent in field]
    search = Search(made, field, rounds, tables(definition, read, design, pairs, seed), design)
    command = command_of("tune", search.tables[0].plan, (base,), *options_of(over, varied, field, number, candidates))
    identity = {"kind": "tune", "players": [base], "field": field, "candidates": [candidate.text for candidate in made]}
    with hall(
        search.tables, design, 2 * number, identity, command,
        jobs=jobs, backend=backend, address=address, out=out, progress=progress, games=search.most_games,
    ) as playing:  # fmt: skip
        search.play(playing)
        interrupted = playing.stop.interrupted
        if playing.folder is not None and not interrupted:
            playing.folder.mark(complete=True)
    return Tuning(search, varied, time.perf_counter() - began, interrupted=interrupted, command=command)


def check_field(field: Sequence[str]) -> None:
    """Raise BadInput if the field is empty or names anybody twice."""
    if not field:
        raise BadInput("nobody to play against; name a player, or several: --against plain,random")
    twice = next((name for name in field if field.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{twice} is twice in the field; name each player once")


def options_of(
    over: Mapping[str, Any], varied: Mapping[str, Sequence[str]], field: Sequence[str], deals: int, candidates: int | None
) -> Iterator[str]:
    """The options of the command that does this again."""
    for name, values in varied.items():
        yield from ("--over", f"{name}={over[name] if isinstance(over[name], str) else ','.join(values)}")
    yield from ("--against", ",".join(field), "-n", str(deals))
    if candidates is not None:
        yield from ("--candidates", str(candidates))


class Search:
    """Successive halving: who plays which deals, and what came of it."""

    def __init__(
        self, candidates: Sequence[Candidate], field: Sequence[str], schedule: Sequence[int], made: list[Table], design: Design
    ) -> None:
        self.candidates, self.field, self.schedule, self.tables, self.design = (
            tuple(candidates),
            tuple(field),
            tuple(schedule),
            made,
            design,
        )
        self.rounds: list[Round] = []
        self.fresh: dict[int, np.ndarray] = {}
        self.unfinished = self.games = 0

    @property
    def deals(self) -> int:
        """Deals of the last round, and of the measurement on new ones."""
        return self.schedule[-1]

    @property
    def each(self) -> int:
        """Games that a candidate plays on one deal: in every seating against every player of the field."""
        return len(self.field) * len(self.design.sides)

    @property
    def scale(self) -> int:
        """A candidate's greatest total on one deal."""
        return self.design.most * self.each

    @property
    def most_games(self) -> int:
        """Games in all; fewer if the default wins, or comes second."""
        left, before, total = len(self.candidates), 0, 3 * self.deals
        for deals in self.schedule:
            total += left * (deals - before)
            left, before = -(-left // 2), deals
        return total * self.each

    def tables_of(self, candidates: Sequence[int]) -> list[int]:
        return [self.each * candidate + k for candidate in candidates for k in range(self.each)]

    def play(self, playing: Hall) -> None:
        """Halve until one is left, then measure; ends early if the stop flag is set."""
        alive, before = list(range(len(self.candidates))), 0
        for deals in self.schedule:
            totals = self.totals(playing, alive, before, deals)
            if totals is None:
                return
            self.rounds.append(self.ranked(playing, alive, deals))
            alive, before = self.rounds[-1].better_half, deals
        self.measure(playing)

    def totals(self, playing: Hall, candidates: Sequence[int], first: int, end: int) -> np.ndarray | None:
        """int (candidates, deals): total scores on the deals first to end - 1; None if they could not all be played."""
        chosen = self.tables_of(candidates)
        playing.play(first, end, chosen)
        if playing.stop.interrupted:
            return None
        games = playing.complete(end, first, chosen)
        self.games += games.shape[0] * games.shape[1]
        self.unfinished += int(games[:, :, UNFINISHED].sum())
        return games[:, :, SCORE].astype(np.int64).reshape(len(candidates), self.each, -1).sum(axis=1)

    def ranked(self, playing: Hall, alive: Sequence[int], deals: int) -> Round:
        """The candidates by their totals on all deals so far; of equals the earlier, so that the default need not yield."""
        games = playing.complete(deals, 0, self.tables_of(alive))
        totals = games[:, :, SCORE].astype(np.int64).reshape(len(alive), self.each, -1).sum(axis=1)
        order = sorted(range(len(alive)), key=lambda k: (-int(totals[k].sum()), alive[k]))
        first = {each.tobytes(): k for k, each in reversed(list(enumerate(totals)))}
        alike = tuple(alive[k] for k, each in enumerate(totals) if first[each.tobytes()] != k)
        return Round(deals, tuple(alive[k] for k in order), tuple(mean_score(totals[k], self.scale) for k in order), alike)

    def measure(self, playing: Hall) -> None:
        """Play the winner, the runner-up and the default on new deals."""
        who = list(dict.fromkeys([*self.rounds[-1].candidates[:2], 0]))
        totals = self.totals(playing, who, self.deals, 2 * self.deals)
        if totals is not None:
            self.fresh = dict(zip(who, totals, strict=True))


def mean_score(totals: np.ndarray, scale: int) -> Estimate:
    """Mean score, between 0 and 1, of totals by deal."""
    found = mean_interval_from_sums(len(totals), *exact_sums(totals))
    found = of_ends(found, lambda total: total / scale, scale=1 / scale)
    return within(Estimate(found.estimate, found.low, found.high, found.n, found.se, "t by deal", found.level), len(totals))


def mean_difference(one: np.ndarray, other: np.ndarray, scale: int) -> Estimate:
    """Mean score of the one less that of the other, on the same deals; where all deals are alike about 3/deals may be otherwise."""
    found = mean_interval_from_sums(len(one), *exact_sums(one - other))
    found = of_ends(found, lambda total: total / scale, scale=1 / scale)
    low, high = max(found.low, -1.0), min(found.high, 1.0)
    if found.se == 0:
        otherwise = float(zero_upper(len(one), found.level))
        low, high = found.estimate - otherwise * (1 + found.estimate), found.estimate + otherwise * (1 - found.estimate)
    return Estimate(found.estimate, low, high, found.n, found.se, "t by deal", found.level)


class Tuning:
    """What a search found. Scores are against the field, between 0 and 1 and even at 1/2; the deal is the unit of every interval.

    Of an interrupted search there are only the rounds that were played to their end.
    """

    def __init__(self, search: Search, over: Mapping[str, Sequence[str]], seconds: float, *, interrupted: bool, command: str) -> None:
        self.search, self.over, self.seconds, self.interrupted, self.command = search, over, seconds, interrupted, command
        self.plan, self.design = search.tables[0].plan, search.design
        self.candidates, self.rounds, self.field = search.candidates, tuple(search.rounds), search.field

    @property
    def default(self) -> str:
        """The strategy as it was given."""
        return self.candidates[0].text

    @property
    def deals(self) -> int:
        """New deals that the winner was measured on."""
        return self.search.deals if self.search.fresh else 0

    @property
    def games(self) -> int:
        return self.search.games

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The candidates, as places in the list: who came further first, then who scored more."""
        found: dict[int, None] = {}
        for each in reversed(self.rounds):
            found |= dict.fromkeys(each.candidates)
        return tuple(found)

    def _need(self) -> None:
        if not self.search.fresh:
            raise ValueError("the search was interrupted before its end")

    @property
    def winner(self) -> str:
        """The player that was found. Raises ValueError if the search was interrupted, as do the figures below."""
        self._need()
        return self.candidates[self.order[0]].text

    @property
    def runner_up(self) -> str:
        """Who met it in the last round."""
        self._need()
        return self.candidates[self.order[1]].text

    @property
    def settings(self) -> dict[str, str]:
        """The winner's numbers and parts, of those that were varied."""
        self._need()
        return dict(self.candidates[self.order[0]].settings)

    @cached_property
    def measured(self) -> dict[str, Estimate]:
        """Mean scores on the new deals: of the winner, the runner-up and the default."""
        return {self.candidates[k].text: mean_score(totals, self.search.scale) for k, totals in self.search.fresh.items()}

    @property
    def score(self) -> Estimate:
        """The winner's mean score on the new deals."""
        return self.measured[self.winner]

    @cached_property
    def gain(self) -> Estimate:
        """The winner's score less the default's, on the new deals; 0 to 0 if the default won."""
        return self._lead(0)

    @cached_property
    def lead(self) -> Estimate:
        """The winner's score less the runner-up's, on the new deals."""
        self._need()
        return self._lead(self.order[1])

    def _lead(self, other: int) -> Estimate:
        self._need()
        if other == self.order[0]:
            return Estimate(0.0, 0.0, 0.0, self.deals, 0.0, "t by deal")
        return mean_difference(self.search.fresh[self.order[0]], self.search.fresh[other], self.search.scale)

    @cached_property
    def _last(self) -> dict[str, tuple[int, Estimate]]:
        """The last round that each candidate was in, and its score then."""
        return {self.candidates[who].text: (number, score) for number, each in enumerate(self.rounds, 1) for who, score in zip(each.candidates, each.scores, strict=True)}  # fmt: skip

    def estimate_of(self, candidate: str) -> Estimate:
        """A candidate's score in its last round: flattering for those that won it."""
        return self._last[candidate][1]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row a candidate, the best first: settings, rounds it was in, deals, score in its last round, and on the new deals."""
        import pandas as pd

        return pd.DataFrame(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        rows = []
        for candidate in (self.candidates[who] for who in self.order):
            number, score = self._last[candidate.text]
            again = self.measured.get(candidate.text) if self.search.fresh else None
            row: dict[str, Any] = {"candidate": candidate.text, **candidate.settings}
            row |= {
                "default": candidate is self.candidates[0],
                "rounds": number,
                "deals": score.n,
                "score": score.estimate,
                "low": score.low,
                "high": score.high,
            }
            row |= {f"new_{end}": getattr(again, end) if again else math.nan for end in ("estimate", "low", "high")}
            rows.append(row | {"new_deals": self.deals if again else 0})
        return rows

    @property
    def plot(self) -> Plots:
        """Figures: `.plot.candidates()`."""
        return Plots(self)

    # ---- words

    def how_far(self) -> str:
        """When an interrupted search ended."""
        rounds, of = len(self.rounds), len(self.search.schedule)
        return f"after {rounds} of {of} rounds" if rounds < of else "while the winner was measured"

    def verdict(self) -> str:
        """What was found, in a sentence."""
        if not self.search.fresh:
            return f"Interrupted {self.how_far()}."
        how, winner = f"on {self.deals:,} new deals", self.winner
        if winner == self.default:
            lead = f"it scores {percent(self.score)} {how}, and the runner-up {self.runner_up} {percent(self.measured[self.runner_up])}"
            if self.lead.high < 0:
                return f"{winner} won the search, but its runner-up is better: {lead}."
            return f"Nothing better than {winner} was found: {lead}."
        scores = f"it scores {percent(self.score)} {how}, {percentage(self.gain)} more"
        if self.gain.low > 0:
            return f"{winner} is better against this field than {self.default}: {scores}."
        if self.gain.high < 0:
            return f"{winner} won the search, but {self.default} is better: of the former, {scores}."
        return f"{winner} won the search, but is not clearly better than {self.default}: {scores}."

    def notes(self) -> list[str]:
        """What a reader must know of these figures."""
        said = []
        if len(self.rounds) > 0:
            said.append("scores of the search are flattered, as the best were chosen by them; those on the new deals are not")
        if len(self.design.sides) > 2:
            said.append(
                "a score is 1 for each other side that is outdone in payoff, 1/2 for each that is equalled, on average; it is even at 50 %"
            )
        if alike := sorted({who for each in self.rounds for who in each.alike}):
            few = "; ".join(self.candidates[who].label for who in alike[:3])
            said.append(
                f"{len(alike)} of {len(self.candidates)} candidates scored the same as another on every deal of a round, so what is varied in "
                f"them may not matter: {few}{'; …' if len(alike) > 3 else ''}"
            )
        if self.search.unfinished:
            said.append("unfinished games score as their payoffs say")
        return said

    # ---- for programs

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `simkit tune --format json`. Undefined numbers are null."""
        import simkit

        found: dict[str, Any] = dict.fromkeys(("winner", "runner_up", "settings", "score", "gain", "lead"))
        if self.search.fresh:
            found = {name: getattr(self, name) for name in found}
        return plain({
            "simkit": simkit.__version__, "game": self.plan.game, "game_version": self.plan.definition.version, "rules": dict(self.plan.rules),
            "strategy": self.default, "field": list(self.field), "over": {name: list(values) for name, values in self.over.items()},
            "seed": self.plan.seed, "deals": self.deals, "games": self.games, "seconds": round(self.seconds, 3),
            "design": {"text": self.design.text("the candidate", "its opponent"), "seatings": [list(side) for side in self.design.sides]},
            **{name: value.as_dict() if isinstance(value, Estimate) else value for name, value in found.items()},
            "rounds": [{"deals": each.deals, "candidates": len(each.candidates), "best": self.candidates[each.candidates[0]].text} for each in self.rounds],
            "candidates": self._rows(), "verdict": self.verdict(), "notes": self.notes(), "command": self.command,
        })  # fmt: skip

    def __repr__(self) -> str:
        return f"<search of {self.default} in {self.plan.game}, {len(self.candidates)} candidates: {self.verdict()}>"


def percent(found: Estimate) -> str:
    """A score in words."""
    middle, low, high = in_hundredths(found)
    return f"{middle} % ({low}–{high})"


def percentage(found: Estimate) -> str:
    """A difference of scores in words."""
    middle, low, high = in_hundredths(found)
    return f"{middle} ({low} to {high}) percentage points"


def in_hundredths(found: Estimate) -> list[str]:
    """An estimate and its interval times 100, with as many digits as the tables give."""
    digits = decimals(100 * found.half_width, 100 * found.estimate)
    return [text_of(100 * each, digits) for each in (found.estimate, found.low, found.high)]


class Plots:
    """Figures of a search."""

    def __init__(self, of: Tuning) -> None:
        self.tuning = of

    def candidates(self, most: int = 20) -> Figure:
        """The best candidates' scores, each in its last round."""
        from simkit.plots import dots

        made = self.tuning
        who = [made.candidates[k] for k in made.order[:most]]
        return dots([each.label for each in who], [made.estimate_of(each.text) for each in who], x="score in its last round", percent=True)
