"""Everyone against everyone on the same deals: ratings, what holds for all pairs at once, and cycles (`simkit.tournament`)."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simkit.comparison import of_ends
from simkit.game import BadInput
from simkit.games import find
from simkit.result import plain
from simkit.seatings import FIRST, SCORE, UNFINISHED, Design, Table, command_of, hall, read_deals, read_pairing, tables
from simkit.stats.clusters import Sums, mean_by_deal
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, zero_upper
from simkit.stats.intransitivity import AlphaRank, Intransitivity, NashAverage, advantage, alpha_rank, intransitivity, nash_average
from simkit.stats.ratings import BradleyTerry, bradley_terry
from simkit.stats.tournament import Best, Results, Simultaneous, collect, compare_pairs, compare_with_best, first_move_advantage

if TYPE_CHECKING:
    import pandas as pd

    from simkit.plots import Figure

DEALS = 2_000


def tournament(
    game: str, players: str | Sequence[str], deals: float = DEALS, *, seed: int = 1, jobs: int | None = None, backend: str = "threads", address: str = "",
    out: str | Path | None = None, progress: bool | None = None, rules: Mapping[str, Any] | None = None, **more_rules: Any,
) -> Tournament:  # fmt: skip
    """Let every two of several players meet on the same deals, seats exchanged.

    Parameters
    ----------
    game : str
    players : list of str, or a text "a,b,c"
        Two or more, each named once.
    deals : number
        Each is played by every pair in every seating: twice for two seats or two teams. With more sides a pair meets as one of the
        one alone against a field of the other, in each seat, and the other way round.
    seed, jobs, backend, address, out, progress, rules
        As for `simkit.run`.

    Returns
    -------
    Tournament
        `.frames()` gives everything as pandas frames.

    Raises
    ------
    BadInput
        In one line: what is wrong, and what to do.
    """
    from simkit.players import split_players

    definition, number = find(game), read_deals(deals)
    read = definition.read_rules({**(rules or {}), **more_rules})
    names = read_pairing(definition, read, split_players(players) if isinstance(players, str) else players)
    if len(names) < 2:
        raise BadInput(f"a tournament needs two players or more; {'1 is' if names else '0 are'} named")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadInput(f"{twice} is named twice; name each player once")
    design = Design.of(definition, read)
    pairs = list(itertools.combinations(names, 2))
    met = [(one, other) for pair in pairs for one, other in ((pair,) if len(design.sides) == 2 else (pair, pair[::-1]))]
    made, began = tables(definition, read, design, met, seed), time.perf_counter()
    command = command_of("tournament", made[0].plan, names, "-n", str(number))
    identity = {"kind": "tournament", "players": names}
    with hall(made, design, number, identity, command, jobs=jobs, backend=backend, address=address, out=out, progress=progress) as playing:
        playing.play(0, number)
        interrupted = playing.stop.interrupted
        if playing.folder is not None and not interrupted:
            playing.folder.mark(complete=True)
        games = playing.complete(number)
    return Tournament(names, made, design, games, time.perf_counter() - began, interrupted=interrupted, command=command)


class Tournament:
    """Every pair of some players on the same deals. The deal is the unit of every interval.

    Scores are those of the row's player, between 0 and 1 and even at 1/2.
    """

    def __init__(
        self,
        players: Sequence[str],
        made: list[Table],
        design: Design,
        games: np.ndarray,
        seconds: float,
        *,
        interrupted: bool,
        command: str,
    ) -> None:
        self.players, self.tables, self.design, self._games = tuple(players), made, design, games
        self.seconds, self.interrupted, self.command = seconds, interrupted, command
        self.plan = made[0].plan

    @property
    def deals(self) -> int:
        """Deals that every pair has played in every seating."""
        return self._games.shape[1]

    @property
    def games(self) -> int:
        return self.deals * len(self.tables)

    @property
    def two_sided(self) -> bool:
        """Whether the two players of a pair exchange seats (or teams); else each plays alone against a field of the other."""
        return len(self.design.sides) == 2

    @cached_property
    def results(self) -> Results:
        """The scores, as `simkit.stats.tournament` wants them. Raises ValueError if there are fewer than 30 deals."""
        scores, a_meeting = self._games[:, :, SCORE], len(self.design.sides)
        found: dict[tuple[str, str], np.ndarray] = {}
        if self.two_sided:
            for k in range(0, len(self.tables), 2):
                found[self.tables[k].one, self.tables[k].other] = scores[k : k + 2].T / self.design.most
        else:
            for k in range(0, len(self.tables), 2 * a_meeting):
                alone = scores[k : k + a_meeting].mean(axis=0) / self.design.most
                beside = scores[k + a_meeting : k + 2 * a_meeting].mean(axis=0) / self.design.most
                found[self.tables[k].one, self.tables[k].other] = np.stack([alone, 1 - beside], axis=1)
        return collect(found, self.players)

    # ---- figures

    @cached_property
    def pairs(self) -> Simultaneous:
        """Mean score of each pair's first-named player; the intervals hold for all pairs at once. In the order of `results.pairs`."""
        found = compare_pairs(self.results)
        x = found.estimate
        cells = [within(each, self.deals, len(self.results.pairs)) for each in x.cells()]
        low, high = (np.array([getattr(each, end) for each in cells]) for end in ("low", "high"))
        wider: Any = Estimate(x.estimate, low, high, x.n, x.se, "max-T by deal", x.level)  # type: ignore[arg-type]
        return Simultaneous(wider, found.quantile, found.p_values)

    def score(self, one: str, other: str) -> Estimate:
        """Mean score of one player against another; holds for all pairs at once. Raises ValueError if they have not met."""
        i, j = self.results.index(one), self.results.index(other)
        for (a, b), found in zip(self.results.pairs.tolist(), self.pairs.estimate.cells(), strict=True):
            if (a, b) == (i, j):
                return found
            if (a, b) == (j, i):
                return Estimate(1 - found.estimate, 1 - found.high, 1 - found.low, found.n, found.se, found.method, found.level)
        raise ValueError(f"{one} and {other} have not met")

    @cached_property
    def field(self) -> list[Estimate]:
        """Mean score of each player against all the others, one interval at a time."""
        columns = self.results.field_by_deal().T
        found = [mean_interval(self.deals, column.mean(), column.std(ddof=1)) for column in columns]
        return [within(Estimate(x.estimate, x.low, x.high, x.n, x.se, "t by deal", x.level), self.deals) for x in found]

    @cached_property
    def best(self) -> Best:
        """Who may be the best: each player's mean score less the greatest of the others'."""
        return compare_with_best(self.results)

    @cached_property
    def rated(self) -> Results:
        """The results among those who can be rated: the largest group in which everyone scored against everyone, directly or through others."""
        results, m = self.results, len(self.players)
        reach = np.eye(m, dtype=bool)
        for (i, j), scores in zip(results.pairs.tolist(), results.scores, strict=True):
            reach[i, j], reach[j, i] = scores.max() > 0, scores.min() < 1
        for k in range(m):
            reach |= reach[:, [k]] & reach[[k], :]
        both = reach & reach.T
        members = np.flatnonzero(both[int(both.sum(axis=1).argmax())])
        inside = np.isin(results.pairs, members).all(axis=1)
        renumbered = np.searchsorted(members, results.pairs[inside])
        return Results(tuple(self.players[k] for k in members), renumbered, results.scores[inside])

    @cached_property
    def _ratings(self) -> tuple[BradleyTerry | None, str]:
        if len(self.rated.players) < 2:
            return None, "no finite ratings: of no two players has each scored against the other; play more deals"
        try:
            found = bradley_terry(self.rated)
        except (ValueError, np.linalg.LinAlgError) as error:
            return None, str(error)
        return (
            found,
            f"{', '.join(self.apart)} cannot be rated with the others: between them all points went one way; play more deals"
            if self.apart
            else "",
        )

    @cached_property
    def apart(self) -> dict[str, str]:
        """Who cannot be rated with `rated`: "above" or "below" them, for against all of them all points went one way."""
        scores, one = self.results.matrix(), self.results.index(self.rated.players[0])
        unrated = [k for k, name in enumerate(self.players) if name not in self.rated.players]
        return {self.players[k]: "above" if scores[k, one] > 0.5 else "below" for k in unrated}

    @property
    def ratings(self) -> BradleyTerry | None:
        """Bradley-Terry ratings of those in `rated`, with the term of the first seat (with more than two sides: of being alone)."""
        return self._ratings[0]

    @property
    def no_ratings(self) -> str:
        """Why there are no ratings, or not of all players; "" if there are."""
        return self._ratings[1]

    @cached_property
    def first_seat(self) -> Estimate:
        """What a score gains by the first seat (with more than two sides: by being alone against a field); by deal, all pairs together."""
        found = first_move_advantage(self.results).pooled
        return Estimate(found.estimate, found.low, found.high, found.n, found.se, "t by deal", found.level)

    @cached_property
    def first_mover_score(self) -> Estimate | None:
        """Mean score of whoever moved first, over all pairs; None where the game records no first mover."""
        scores = self._games[:, :, FIRST].astype(np.int64)
        known = scores >= 0
        if not known.any():
            return None
        x, m = (scores * known).sum(axis=0), known.sum(axis=0)
        found = mean_by_deal(self.deals, Sums(*(int(each) for each in (x.sum(), m.sum(), x @ x, x @ m, m @ m))))
        return of_ends(found, lambda s: s / self.design.most, scale=1 / self.design.most)

    @cached_property
    def cycles(self) -> Intransitivity | None:
        """How far the field is from a single scale, beside what chance alone would show; among `rated`, None if they are but two."""
        return intransitivity(self.rated) if self.ratings is not None and len(self.rated.players) > 2 else None

    @property
    def cyclic(self) -> bool:
        """Whether any three beat each other in turn, so that alpha-Rank and the Nash average say more than a list."""
        return self.cycles is not None and self.cycles.cycles > 0

    @cached_property
    def alpha_rank(self) -> AlphaRank:
        """Ranks that need no single scale: long-run shares in a population that imitates success."""
        return alpha_rank(advantage(self.results, "score"))

    @cached_property
    def nash(self) -> NashAverage:
        """Ratings against the strongest mixture of the field, in score."""
        return nash_average(advantage(self.results, "score"))

    @cached_property
    def order(self) -> list[str]:
        """The players, the strongest first: by rating, or by mean score against the field where not all are rated."""
        score = {name: found.estimate for name, found in zip(self.players, self.field, strict=True)}
        elo = self.elo
        if len(elo) < len(self.players):
            return sorted(self.players, key=lambda name: -score[name])
        return sorted(self.players, key=lambda name: -elo[name].estimate)

    @cached_property
    def elo(self) -> dict[str, Estimate]:
        """Ratings in Elo about the mean of those rated; players who cannot be rated are left out."""
        return dict(zip(self.ratings.players, self.ratings.elo().cells(), strict=True)) if self.ratings is not None else {}

    # ---- tables and figures

    def frames(self) -> dict[str, pd.DataFrame]:
        """Everything as pandas frames: cross, pairs, ratings, differences, deals.

        cross: mean score of row against column. pairs: a row a pair, with the simultaneous interval and the adjusted p-value.
        ratings: a row a player. differences: a row two players, in Elo. deals: a row a deal, a column a pair (its mean score).
        """
        import pandas as pd

        results = self.results
        names = list(self.players)
        frames = {
            "cross": pd.DataFrame(results.matrix(), index=pd.Index(names, name="player"), columns=pd.Index(names, name="opponent")),
            "pairs": pd.DataFrame(self._pair_rows()),
            "ratings": pd.DataFrame(self._rating_rows()).set_index("player"),
        }
        if self.ratings is not None:
            frames["differences"] = pd.DataFrame(self._difference_rows())
        columns = pd.MultiIndex.from_tuples([(names[i], names[j]) for i, j in results.pairs.tolist()], names=["player", "opponent"])
        frames["deals"] = pd.DataFrame(results.by_deal(), columns=columns).rename_axis("deal")
        return frames

    def _pair_rows(self) -> list[dict[str, Any]]:
        rows = []
        for (i, j), found, p in zip(self.results.pairs.tolist(), self.pairs.estimate.cells(), self.pairs.p_values.tolist(), strict=True):
            rows.append({"player": self.players[i], "opponent": self.players[j], **found.as_dict(), "p_value": p})
        return rows

    def _rating_rows(self) -> list[dict[str, Any]]:
        rows = []
        for k, (name, score, lead) in enumerate(zip(self.players, self.field, self.best.lead.cells(), strict=True)):
            elo = self.elo.get(name, Estimate(math.nan, -math.inf, math.inf, self.deals))
            row = {"player": name, "rank": self.order.index(name) + 1}
            for key, found in (("elo", elo), ("score", score), ("lead", lead)):
                row |= {key: found.estimate, f"{key}_low": found.low, f"{key}_high": found.high}
            row |= {"candidate": name in self.best.candidates, "deals": self.deals}
            if self.cyclic:
                row |= {
                    "alpha_rank": float(self.alpha_rank.mass[k]),
                    "nash": float(self.nash.mixture[k]),
                    "nash_rating": float(self.nash.rating[k]),
                }
            rows.append(row)
        return rows

    def _difference_rows(self) -> list[dict[str, Any]]:
        ratings = self.ratings
        if ratings is None:
            return []
        pairs = itertools.combinations([name for name in self.order if name in self.elo], 2)
        return [{"player": one, "opponent": other, **ratings.difference(one, other).as_dict()} for one, other in pairs]

    @property
    def plot(self) -> Plots:
        """Figures: `.plot.cross()`, `.plot.ratings()`."""
        return Plots(self)

    # ---- words

    def verdict(self) -> str:
        """Who may be the best, in one sentence."""
        first, *others = self.best.candidates
        if not others:
            return f"{first} is the best of these {len(self.players)}: every other is excluded at 95 %."
        return f"Any of these may be the best: {', '.join([first, *others])}; the others are excluded at 95 %."

    def notes(self) -> list[str]:
        """What a reader must know of these figures."""
        said = []
        if self.no_ratings:
            said.append(self.no_ratings)
        fit = self.ratings.fit if self.ratings is not None else None
        if fit is not None and not math.isnan(fit.deal_p_value) and fit.deal_p_value < 0.05:
            said.append(
                f"one number a player does not describe this field (p = {fit.deal_p_value:.2g}): read the cross table beside the ratings"
            )
        if not self.two_sided:
            said.append(
                "of each pair one plays alone against a field of the other, and the other way round; scores are against each member of the field"
            )
        if self._games[:, :, UNFINISHED].any():
            said.append("unfinished games score as their payoffs say")
        return said

    # ---- for programs

    def as_dict(self) -> dict[str, Any]:
        """The JSON of `simkit tournament --format json`. Undefined numbers are null."""
        import simkit

        one, other = self.tables[0].one, self.tables[0].other
        first = self.first_mover_score
        return plain({
            "simkit": simkit.__version__, "game": self.plan.game, "game_version": self.plan.definition.version, "rules": dict(self.plan.rules),
            "players": list(self.players), "seed": self.plan.seed, "deals": self.deals, "games": self.games, "seconds": round(self.seconds, 3),
            "design": self.design.text(one, other), "pairs": self._pair_rows(), "simultaneous_quantile": self.pairs.quantile,
            "ranking": self._rating_rows(), "ratings": self._ratings_dict(), "candidates": list(self.best.candidates),
            "first_seat": self.first_seat.as_dict(), **({"first_mover_score": first.as_dict()} if first is not None else {}),
            "cycles": self._cycles_dict(), "verdict": self.verdict(), "notes": self.notes(), "command": self.command,
        })  # fmt: skip

    def _ratings_dict(self) -> dict[str, Any] | None:
        if self.ratings is None:
            return None
        fit = self.ratings.fit
        return {
            "differences": self._difference_rows(), "first_seat_elo": self.ratings.first_move_elo().as_dict(),
            "fit": {"deviance": fit.deviance, "df": fit.df, "p_value": fit.p_value, "f": fit.f, "f_df": list(fit.f_df), "deal_p_value": fit.deal_p_value},
        }  # fmt: skip

    def _cycles_dict(self) -> dict[str, Any] | None:
        if self.cycles is None:
            return None
        return {**vars(self.cycles), "significant": self.cycles.significant}

    def __repr__(self) -> str:
        return f"<tournament of {len(self.players)} in {self.plan.game}, {self.deals:,} deals: {self.verdict() if self.deals >= 30 else 'no result'}>"


def within(found: Estimate, deals: int, many: int = 1) -> Estimate:
    """A score's interval within 0 and 1; where all deals are alike it allows for another score in about 3/deals of them (for all of `many`)."""
    low, high = max(found.low, 0.0), min(found.high, 1.0)
    if found.se == 0:
        other = float(zero_upper(deals, 1 - (1 - found.level) / many))
        low, high = found.estimate * (1 - other), found.estimate + (1 - found.estimate) * other
    return Estimate(found.estimate, low, high, found.n, found.se, found.method, found.level)


class Plots:
    """Figures of a tournament."""

    def __init__(self, of: Tournament) -> None:
        self.tournament = of

    def cross(self) -> Figure:
        """The cross table as a heat map: mean score of row against column, the strongest first; intervals hold for all pairs at once."""
        from simkit.plots import heat

        order = self.tournament.order
        cells = [[None if one == other else self.tournament.score(one, other) for other in order] for one in order]
        return heat(cells, order, order, xlabel="mean score of the row's player against", percent=True, middle=0.5)

    def ratings(self) -> Figure:
        """Elo with intervals about the mean of the field; mean scores against the field where not all are rated."""
        from simkit.plots import dots

        made = self.tournament
        if len(made.elo) < len(made.players):
            known = dict(zip(made.players, made.field, strict=True))
            return dots(made.order, [known[name] for name in made.order], x="mean score against the field", percent=True, reference=0.5)
        return dots(made.order, [made.elo[name] for name in made.order], x="Elo, about the mean of the field", reference=0)
