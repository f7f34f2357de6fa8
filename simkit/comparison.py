"""Is A better than B, and by how much: the same deals for both, seats exchanged (`simkit.compare`)."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from simkit.game import BadInput
from simkit.games import find
from simkit.result import plain
from simkit.seatings import FIRST, MARGIN, SCORE, UNFINISHED, WON, Design, Hall, Table, command_of, hall, read_deals, read_pairing, tables
from simkit.stats.anytime import normal_mixture
from simkit.stats.clusters import Sums, mean_by_deal, share_by_deal
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval_from_sums
from simkit.stats.sequential import ACCEPT_H0, ACCEPT_H1, NELO, SequentialTest, elo_of_score, score_of_elo, strength

if TYPE_CHECKING:
    import pandas as pd

    from simkit.plots import Figure

DEALS = 10_000
MOST_DEALS = 1_000_000
"""Deals where none are asked for: a fixed number, and until clear at most."""
FIRST_LOOK = 200
GRAIN = 50
TARGET = 1000
"""Deals at which the confidence sequences are narrowest, fixed beforehand; they widen little before and after."""
UNITS = {"elo": "Elo", "nelo": "normalized Elo", "score": "score"}
BOUNDS = {"elo": (0.0, 5.0), "nelo": (0.0, 5.0), "score": (0.5, 0.507)}


@dataclass(frozen=True)
class UntilClear:
    """When a comparison stops by itself: a sequential test of "A is at most low" against "A is at least high".

    low, high: in `unit`: "elo", "nelo" (normalized Elo) or "score" (mean score, even at 1/2).
    alpha, beta: chance to accept the second where the first holds, and the other way round.
    """

    low: float
    high: float
    unit: str = "elo"
    alpha: float = 0.05
    beta: float = 0.05

    @classmethod
    def read(cls, bounds: tuple[float, float] | None, unit: str, alpha: float, beta: float) -> UntilClear:
        """The rule, checked. Raises BadInput."""
        if unit not in UNITS:
            raise BadInput(f"no unit is called {unit}; the units: {', '.join(UNITS)}")
        low, high = bounds or BOUNDS[unit]
        made = cls(float(low), float(high), unit, float(alpha), float(beta))
        try:
            made.test(DEALS, 2)
        except ValueError as error:
            raise BadInput(f"cannot test {UNITS[unit]} {low:g} against {high:g}: {error}") from None
        return made

    def test(self, most: int, games: int) -> SequentialTest:
        """A test that has seen nothing."""
        return SequentialTest(self.low, self.high, self.unit, self.alpha, self.beta, schedule=looks(most), games=games)

    def accepted(self, decision: str) -> str:
        """What "accept H0" or "accept H1" says of A, in terms of the bounds: "not better by 5 Elo or more"."""
        unit, even = UNITS[self.unit], 0.5 if self.unit == "score" else 0.0
        low, high = self.low - even, self.high - even
        if decision == ACCEPT_H1:
            return f"better by more than {abs(low):g} {unit}" if low >= 0 else f"not worse by {-low:g} {unit} or more"
        return f"not better by {high:g} {unit} or more" if high > 0 else f"worse by more than {abs(high):g} {unit}"


def looks(most: int) -> Iterator[int]:
    """Numbers of deals after which a test looks: 200, then each 10 per cent more, in fifties. Nothing else decides when."""
    n = FIRST_LOOK
    while n < most:
        yield n
        n = -(-n * 11 // (10 * GRAIN)) * GRAIN
    yield most


def compare(
    game: str, a: str, b: str, deals: float | None = None, *, until_clear: bool = False, bounds: tuple[float, float] | None = None, unit: str = "elo",
    alpha: float = 0.05, beta: float = 0.05, seed: int = 1, jobs: int | None = None, backend: str = "threads", address: str = "",
    out: str | Path | None = None, progress: bool | None = None, rules: Mapping[str, Any] | None = None, **more_rules: Any,
) -> Comparison:  # fmt: skip
    """Play A against B on the same deals, seats exchanged.

    Parameters
    ----------
    game : str
    a, b : str
        Players: "greedy", "greedy(margin=2)", "mine.py:bold".
    deals : number, default 10,000; with `until_clear` at most, default a million
        Each is played once for each seating: twice for two seats or two teams; with more sides A plays each of them once, alone
        against a field of B.
    until_clear : bool
        Stop as soon as a sequential test knows whether A's strength is at most the lower of `bounds` or at least the upper one.
    bounds : (low, high), default (0, 5), or (0.5, 0.507) for scores
        In `unit`: "elo", "nelo" (normalized Elo: equally long tests however many draws) or "score".
    alpha, beta : float
        The test's chances to err.
    seed, jobs, backend, address, out, progress, rules
        As for `simkit.run`.

    Returns
    -------
    Comparison

    Raises
    ------
    BadInput
        In one line: what is wrong, and what to do.
    """
    definition = find(game)
    read = definition.read_rules({**(rules or {}), **more_rules})
    most = read_deals(deals if deals is not None else MOST_DEALS if until_clear else DEALS)
    rule = UntilClear.read(bounds, unit, alpha, beta) if until_clear else None
    one, other = read_pairing(definition, read, (a, b))
    design = Design.of(definition, read)
    made, began = tables(definition, read, design, [(one, other)], seed), time.perf_counter()
    identity = {"kind": "compare", "players": [one, other], "until_clear": vars(rule) if rule else None}
    options = ["-n", str(most)]
    if rule is not None:
        options += [
            "--until-clear",
            "--bounds",
            f"{rule.low:g}:{rule.high:g}",
            "--unit",
            rule.unit,
            "--alpha",
            f"{rule.alpha:g}",
            "--beta",
            f"{rule.beta:g}",
        ]
    command = command_of("compare", made[0].plan, (one, other), *options)
    with hall(
        made,
        design,
        most,
        identity,
        command,
        jobs=jobs,
        backend=backend,
        address=address,
        out=out,
        progress=progress,
        open_ended=until_clear,
    ) as playing:
        test = rule.test(most, len(design.sides)) if rule else None
        end = play_until(playing, test, most)
        interrupted = playing.stop.interrupted
        if playing.folder is not None and not interrupted:
            playing.folder.mark(complete=True)
        games = playing.complete(end)
    return Comparison(
        made, design, games, time.perf_counter() - began, rule=rule, test=test, asked=most, interrupted=interrupted, command=command
    )


def play_until(playing: Hall, test: SequentialTest | None, most: int) -> int:
    """Play all deals, or until the test knows; how many deals the figures are of, at most."""
    if test is None:
        playing.play(0, most)
        return most
    played = 0
    while test.decision == "continue":
        look = test.next_look
        playing.play(played, look)
        if playing.stop.interrupted:
            return look
        test.look(*score_counts(playing.complete(look), playing.design))
        played = look
    return played


def score_counts(games: np.ndarray, design: Design) -> tuple[np.ndarray, np.ndarray]:
    """Deals at each total score, and the mean scores that these are (the pentanomial, for two sides)."""
    most = design.most * len(design.sides)
    counts = np.bincount(games[:, :, SCORE].sum(axis=0), minlength=most + 1)
    return counts, np.arange(most + 1) / most


class Comparison:
    """A against B on the same deals. Every interval is by deal.

    After a test that stopped by itself, strength is the median-unbiased estimate, and the other figures have intervals that hold
    whenever one stops.
    """

    def __init__(
        self, made: list[Table], design: Design, games: np.ndarray, seconds: float, *, rule: UntilClear | None, test: SequentialTest | None,
        asked: int, interrupted: bool, command: str,
    ) -> None:  # fmt: skip
        self.tables, self.design, self._games, self.seconds = made, design, games, seconds
        self.rule, self.test, self.asked, self.interrupted, self.command = rule, test, asked, interrupted, command
        self.plan = made[0].plan

    @property
    def players(self) -> tuple[str, str]:
        return self.tables[0].one, self.tables[0].other

    @property
    def deals(self) -> int:
        """Deals played in every seating."""
        return self._games.shape[1]

    @property
    def games(self) -> int:
        return self.deals * len(self.tables)

    @property
    def stopped(self) -> bool:
        """Whether the data decided when to stop."""
        return self.test is not None

    # ---- figures

    @cached_property
    def counts(self) -> dict[float, int]:
        """Deals at each mean score of A: for two sides the pentanomial, 0, 1/4, 1/2, 3/4, 1."""
        counts, support = score_counts(self._games, self.design)
        every = len(self.design.sides) == 2
        return {value: n for value, n in zip(support.tolist(), counts.tolist(), strict=True) if n or every}

    @cached_property
    def _strength(self) -> tuple[Estimate, Estimate, Estimate]:
        """Score, Elo, normalized Elo."""
        counts, support = score_counts(self._games, self.design)
        games = len(self.design.sides)
        fixed = strength(counts, support, games)
        if self.test is None or not self.test.deals:
            return fixed.score, fixed.elo, fixed.nelo
        found, spread = self.test.estimate(), math.sqrt(games * fixed.variance)
        unit = self.test.unit
        if unit == "elo":
            score = of_ends(found, score_of_elo)
        else:
            score = of_ends(found, lambda x: min(max(0.5 + x / NELO * spread, 0.0), 1.0)) if unit == "nelo" else found
        nelo = found if unit == "nelo" else of_ends(score, lambda s: (s - 0.5) / spread * NELO if spread > 0 else math.nan)
        return score, found if unit == "elo" else of_ends(score, elo_of_score), nelo

    @property
    def score(self) -> Estimate:
        """A's mean score, even at 1/2: a win counts 1 and a draw 1/2; against a field, the mean over its members."""
        return self._strength[0]

    @property
    def difference(self) -> Estimate:
        """A's score less B's, per deal, even at 0."""
        return of_ends(self.score, lambda s: 2 * s - 1, scale=2.0)

    @property
    def elo(self) -> Estimate:
        """Elo of A less that of B: the logistic image of the score."""
        return self._strength[1]

    @property
    def nelo(self) -> Estimate:
        """Normalized Elo: the score's distance from even in standard deviations of a game."""
        return self._strength[2]

    @cached_property
    def payoff_difference(self) -> Estimate:
        """Mean payoff of a seat of A less that of a seat of B, per game; by deal."""
        margins = self._margins.sum(axis=0)
        total, squares = exact_sums(margins)
        found = mean_interval_from_sums(self.deals, total, squares)
        unit = len(self.tables) * self.design.unit
        se = (found.se or 0.0) / unit
        if not self.stopped:
            return Estimate(found.estimate / unit, found.low / unit, found.high / unit, self.deals, se, "t by deal")
        sequence = normal_mixture(
            self.deals, found.estimate / unit, se * math.sqrt(self.deals), target=TARGET, low=-math.inf, high=math.inf
        )
        return Estimate(sequence.estimate, sequence.low, sequence.high, self.deals, se, "confidence sequence by deal")

    @property
    def _margins(self) -> np.ndarray:
        return self._games[:, :, MARGIN].astype(np.int64)

    def _share(self, truths: np.ndarray) -> Estimate:
        """Share of games, from truths (tables, deals)."""
        x, m = truths.sum(axis=0, dtype=np.int64), len(self.tables)
        sums = Sums(int(x.sum()), m * self.deals, int(x @ x), m * int(x.sum()), m * m * self.deals)
        found = share_by_deal(self.deals, sums)
        if not self.stopped:
            return found
        sequence = normal_mixture(self.deals, found.estimate, (found.se or 0.0) * math.sqrt(self.deals), target=TARGET)
        low, high = (min(sequence.low, found.low), max(sequence.high, found.high))  # wide enough also where all deals are alike
        return Estimate(found.estimate, low, high, self.deals, found.se, "confidence sequence by deal")

    def win_rate(self, player: int = 0) -> Estimate:
        """Share of games that A (0) won, or B (1); by deal."""
        return self._share(self._games[:, :, WON] == 2 - 2 * player)

    def draw_rate(self) -> Estimate:
        """Share of games that nobody won, unfinished ones among them."""
        return self._share(self._games[:, :, WON] == 1)

    def unfinished_rate(self) -> Estimate:
        """Share of games that were capped or endless; they score as their payoffs say."""
        return self._share(self._games[:, :, UNFINISHED] == 1)

    @cached_property
    def first_mover_score(self) -> Estimate | None:
        """Mean score of whoever moved first, between 0 and 1; None where the game has no first mover."""
        scores = self._games[:, :, FIRST].astype(np.int64)
        known = scores >= 0
        if not known.any():
            return None
        x, m = (scores * known).sum(axis=0), known.sum(axis=0)
        sums = Sums(*(int(each) for each in (x.sum(), m.sum(), x @ x, x @ m, m @ m)))
        found = mean_by_deal(self.deals, sums)
        return of_ends(found, lambda s: s / self.design.most, scale=1 / self.design.most)

    def variance_reduction(self, of: str = "score") -> float:
        """How many times fewer games these pairs need than as many games on deals of their own: for the score, or the "payoff".

        The variance of the sum over seatings if they were independent, over the variance of the sum as it is; inf if that is 0.
        """
        values = self._margins if of == "payoff" else self._games[:, :, SCORE].astype(np.int64)
        apart, together = sum(spread(row) for row in values), spread(values.sum(axis=0))
        if together == 0:
            return math.inf if apart > 0 else math.nan
        return apart / together

    @cached_property
    def frame(self) -> pd.DataFrame:
        """A row a deal: A's score in each seating and its mean, the payoff difference of each seating."""
        import pandas as pd

        columns = {f"score_{k}": row / self.design.most for k, row in enumerate(self._games[:, :, SCORE])}
        columns["score"] = self._games[:, :, SCORE].sum(axis=0) / (self.design.most * len(self.tables))
        columns |= {f"payoff_difference_{k}": row / self.design.unit for k, row in enumerate(self._margins)}
        return pd.DataFrame(columns).rename_axis("deal")

    # ---- words

    @property
    def decision(self) -> str:
        """What the test decided; "" where the number of deals was fixed."""
        return self.test.decision if self.test is not None else ""

    def verdict(self) -> str:
        """The answer in one sentence."""
        a, b = self.players
        if self.test is not None and self.rule is not None:
            return self._verdict_of_test(a, b)
        if self.deals < 2:
            return "Too few deals to say anything."
        score = f"{100 * self.score.estimate:.1f} % of the points ({100 * self.score.low:.1f}–{100 * self.score.high:.1f}, {self.deals:,} deals)"
        if self.score.low > 0.5:
            return f"{a} is better than {b}: it makes {score}."
        if self.score.high < 0.5:
            return f"{b} is better than {a}, which makes only {score}."
        return f"Neither is clearly better: {a} makes {score}."

    def test_text(self) -> str:
        """The test, what it accepted and after how many looks; "" where the number of deals was fixed."""
        rule, test = self.rule, self.test
        if rule is None or test is None:
            return ""
        bounds = f"{UNITS[rule.unit]} {rule.low:g} against {rule.high:g}, error rates {rule.alpha:g} and {rule.beta:g}"
        clear = self.decision in (ACCEPT_H0, ACCEPT_H1)
        said = f"accepted that {self.players[0]} is {rule.accepted(self.decision)}" if clear else self.decision
        many = len(test.deals)
        return f"Sequential test of {bounds}: {said}, after {self.deals:,} deals; {many} look{'s' if many != 1 else ''}."

    def _verdict_of_test(self, a: str, b: str) -> str:
        rule = cast(UntilClear, self.rule)
        unit, even, after = UNITS[rule.unit], 0.5 if rule.unit == "score" else 0.0, f"after {self.deals:,} deals"
        if self.decision == ACCEPT_H1:
            more = f" by more than {rule.low - even:g} {unit}" if rule.low > even else ""
            claim = (
                f"{a} is better than {b}{more}" if rule.low >= even else f"{a} is not worse than {b} by {even - rule.low:g} {unit} or more"
            )
            return f"{claim} (error at most {100 * rule.alpha:g} %), {after}."
        if self.decision == ACCEPT_H0:
            worse = {"elo": self.elo, "nelo": self.nelo, "score": self.score}[rule.unit].high < even
            claim = f"{a} is not better than {b} by {rule.high - even:g} {unit} or more" if rule.high > even else f"{a} is worse than {b}"
            more = f"; in fact {b} is better" if worse and rule.high > even else ""
            return f"{claim} (error at most {100 * rule.beta:g} %){more}, {after}."
        return f"Still undecided between {rule.low:g} and {rule.high:g} {unit} {after}."

    def notes(self) -> list[str]:
        """What a reader must know of these figures."""
        said = []
        if self.stopped and not self.interrupted:
            said.append(
                "stopped by the test: score and Elo are median-unbiased estimates with the interval of where it stopped; the other intervals are "
                "confidence sequences, which hold whenever one stops"
            )
        if self._games.size and self._games[:, :, UNFINISHED].any():
            said.append("unfinished games score as their payoffs say")
        return said

    def shares(self) -> list[tuple[str, Estimate]]:
        """How games end."""
        a, b = self.players
        names = (a, b) if a != b else (f"{a} #0", f"{b} #1")
        return [
            (f"{names[0]} wins", self.win_rate(0)), (f"{names[1]} wins", self.win_rate(1)), ("nobody wins", self.draw_rate()), ("unfinished", self.unfinished_rate()),
        ]  # fmt: skip

    @property
    def plot(self) -> Plots:
        """Figures: `.plot.counts()`."""
        return Plots(self)

    # ---- for programs

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `simkit compare --format json`. Undefined numbers are null."""
        import simkit

        rule = self.rule
        stopping = None
        if rule is not None and self.test is not None:
            stopping = {
                "rule": "GSPRT on the deals' scores", "low": rule.low, "high": rule.high, "unit": rule.unit, "alpha": rule.alpha, "beta": rule.beta,
                "most_deals": self.asked, "decision": self.decision, "llr": self.test.llr, "bounds": list(self.test.bounds), "looks": len(self.test.deals),
                "estimates": "median-unbiased score and Elo; confidence sequences otherwise",
            }  # fmt: skip
        a, b = self.players
        first = self.first_mover_score
        return plain({
            "simkit": simkit.__version__, "game": self.plan.game, "game_version": self.plan.definition.version, "rules": dict(self.plan.rules),
            "players": [a, b], "seed": self.plan.seed, "deals": self.deals, "games": self.games, "seconds": round(self.seconds, 3),
            "design": {"text": self.design.text(a, b), "seatings": [list(table.plan.players) for table in self.tables]},
            "score": self.score.as_dict(), "difference": self.difference.as_dict(), "elo": self.elo.as_dict(), "nelo": self.nelo.as_dict(),
            "payoff_difference": self.payoff_difference.as_dict(),
            "win_rate": [{"player": player, **self.win_rate(place).as_dict()} for place, player in enumerate((a, b))],
            "draw_rate": self.draw_rate().as_dict(), "unfinished_rate": self.unfinished_rate().as_dict(),
            **({"first_mover_score": first.as_dict()} if first is not None else {}),
            "counts": [{"score": score, "deals": n} for score, n in self.counts.items()],
            "variance_reduction": {"score": self.variance_reduction(), "payoff": self.variance_reduction("payoff")},
            "stopping": stopping, "verdict": self.verdict(), "notes": self.notes(), "command": self.command,
        })  # fmt: skip

    def __repr__(self) -> str:
        return f"<{self.players[0]} against {self.players[1]} in {self.plan.game}, {self.deals:,} deals: {self.verdict() if self.deals > 1 else 'no result'}>"


class Plots:
    """Figures of a comparison."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison

    def counts(self) -> Figure:
        """The share of deals at each score of A."""
        from simkit.plots import bars
        from simkit.stats.intervals import wilson

        made = self.comparison
        shares = [wilson(n, made.deals) for n in made.counts.values()]
        return bars([f"{score:g}" for score in made.counts], shares, x="share of deals", y=f"score of {made.players[0]}", percent=True)


def of_ends(found: Estimate, image: Any, scale: float | None = None) -> Estimate:
    """An estimate's image under a rising function, end by end; `scale` is its slope where it is straight."""
    middle, low, high = (float(image(x)) for x in (found.estimate, found.low, found.high))
    se = found.se * scale if found.se is not None and scale is not None else None
    return Estimate(middle, low, high, found.n, se, found.method, found.level)


def exact_sums(values: np.ndarray) -> tuple[int, int]:
    """Sum and sum of squares of integers, as Python ints, whatever their size."""
    if len(values) and int(np.abs(values).max()) ** 2 * len(values) >= 2**62:
        values = values.astype(object)
    return int(values.sum()), int(values @ values)


def spread(values: np.ndarray) -> int:
    """n squared times the variance (divisor n), exactly."""
    total, squares = exact_sums(values)
    return len(values) * squares - total * total
