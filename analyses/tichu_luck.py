"""How much of a round and of a match of Tichu is the deal, and how long it takes to tell two teams apart."""

from __future__ import annotations

from math import inf, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from analyses._tichu import CARDS, by_seat, count_cards, in_points, listed, mean_of, percent, scaled, share_of, sign, signed
from simkit import plots
from simkit.plots import short
from simkit.stats.association import correlation
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import t_value
from simkit.stats.tournament import deals_to_separate
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from simkit.result import Result
    from simkit.study import Study

PLAYER = "steady"
FIELDS = {
    "teams alike": ("steady", "team_aware", "control_aware"),
    "all teams": ("steady", "team_aware", "control_aware", "min_turns", "greedy_low"),
}
"""Teams that meet, each as team 0 and as team 1: a field of like strength, and a wider one that holds it."""
PLAYERS = FIELDS["all teams"]
RESAMPLES = 200
PARTS = ("the deal", "the teams", "the play")
MATCHES = 40
"""A match for so many games of the study, with each pair of teams."""
MANY = 10**7
"""Rounds; more are not told apart in practice."""


@study(title="Tichu: how much is the deal?", games=10_000)
def tichu_luck(s: Study) -> None:
    """How much of the result of a round and a match is the deal, how much the teams, and how many rounds tell two teams apart."""
    s.question(
        "Good cards win rounds of Tichu. How much of a round's result is the deal, and how much is who plays it? A match is some ten rounds: does the luck even out? And how many rounds, or "
        "matches, must two teams play until one can say which is the better, and what does it help to play every deal twice, with the hands exchanged?"
    )
    deals, matches = max(100, s.games // 5), max(100, s.games // MATCHES)
    s.method(
        f"Teams of two like players ({listed([f'`{player}`' for player in PLAYERS])}) meet each other and themselves, each as either team, on the same {deals:,} deals, and in {matches:,} matches whose rounds have the same deals. "
        "The result, the difference of the team scores (of a match: who won), is then split as in an analysis of variance with two crossings, deals and pairs of teams: **the deal** is what all pairs share on a deal; **the teams** what a pair does "
        "better on all deals; **the play** the rest: what becomes of a deal because these teams and no others play it, chance included. Variance components are estimated from the mean squares; their "
        f"intervals are 95 % ones from {RESAMPLES} bootstrap samples of the deals. The figures hold for these teams: the wider the field, the less is the deal."
    )  # fmt: skip
    tell_of_cards(s)
    rounds = cross(s, "tichu", deals)
    won = cross(s, "tichu-match", matches)
    tell_of_shares(s, rounds, won)
    tell_of_pairs(s, rounds, won)


# --------------------------------------------------------------------------------------------------------------- cards


def held_by_team(result: Result) -> np.ndarray:
    """How many more of each of `CARDS` team 0 was dealt than team 1, shape (rounds, cards)."""
    hands = by_seat(result, "dealt_hand")
    counts = np.stack([count_cards(hands, cards) for cards in CARDS.values()], axis=2)
    return counts[:, 0] + counts[:, 2] - counts[:, 1] - counts[:, 3]


def worth_of_cards(x: np.ndarray, y: np.ndarray) -> tuple[list[Estimate], np.ndarray]:
    """Least squares of y on the columns of x, no constant (neither team is favoured): each slope with an interval for errors of any spread; and the fit."""
    inverse = np.linalg.inv(x.T @ x)
    slopes = inverse @ (x.T @ y)
    scores = x * (y - x @ slopes)[:, None]
    freedom = len(x) - x.shape[1]
    se = np.sqrt(np.diag(inverse @ (scores.T @ scores) @ inverse) * len(x) / freedom)
    half = t_value(freedom) * se
    found = [Estimate(float(b), float(b - h), float(b + h), len(x), float(e), "t") for b, h, e in zip(slopes, half, se, strict=True)]
    return found, x @ slopes


def explained(fit: np.ndarray, y: np.ndarray) -> Estimate:
    """Share of the variance of y that goes with the fit: their squared correlation, its interval squared too."""
    r = correlation(fit, y)
    ends = sorted((r.low**2, r.high**2))
    return Estimate(r.estimate**2, 0.0 if r.low <= 0 <= r.high else ends[0], ends[1], r.n, None, "squared correlation")


def root(figure: Estimate) -> Estimate:
    """The square root of a mean square."""
    return Estimate(sqrt(figure.estimate), sqrt(max(figure.low, 0.0)), sqrt(figure.high), figure.n, None, "root", figure.level)


def tell_of_cards(s: Study) -> None:
    """What the special cards, aces and kings dealt are worth, and how much they tell."""
    s.heading("What the cards tell")
    result = s.run("tichu", s.games, players=PLAYER, columns="payoff,score,dealt_hand,double_victory", rows=True)
    x, y = held_by_team(result).astype(float), result.frame["payoff_0"].to_numpy(float)
    worth, fit = worth_of_cards(x, y)
    n = f"n = {result.games:,} rounds"
    s.figure(
        plots.bars(list(CARDS), worth, x="points of the round's difference"),
        caption=f"What a card dealt to one's team rather than to the other is worth between four `{PLAYER}` players, at equal numbers of the other cards shown, with 95 % intervals ({n}; least squares).",
        alt="Bars with intervals: the worth in points of the Dragon, the Phoenix, an ace, a king, the Mah Jong and the Dog.",
    )  # fmt: skip
    share = explained(fit, y)
    by_name = dict(zip(CARDS, worth, strict=True))
    good = [name for name in by_name if sign(by_name[name]) > 0]
    best = max(by_name, key=lambda name: by_name[name].estimate)
    bad = [f"{name} ({signed(by_name[name])})" for name in by_name if sign(by_name[name]) < 0]
    costs = f" It costs points to be dealt {listed(bad)}." if bad else ""
    s.finding(
        (f"The most valuable card is {'the ' * (not best.startswith(('a ', 'an ')))}{best}: dealt to a team rather than to its opponents it is worth {in_points(by_name[best])}." if best in good else f"No card is clearly worth anything in so few games ({n}).")
        + costs
        + f" Together the special cards, aces and kings tell {percent(share)} of the variance of a round's result."
    )  # fmt: skip
    margin = np.abs(y)
    s.text(
        f"A round ends with {mean_of(margin).text()} points between the teams on average; the root of the mean square is {root(mean_of(y**2)).text()} points."
    )


# -------------------------------------------------------------------------------------------------------------- crossing


def cross(s: Study, game: str, deals: int) -> np.ndarray:
    """Results for team 0, shape (teams, teams, deals), of each of `PLAYERS` as team 0 against each as team 1 on the same deals.

    Of a round the difference of the scores; of a match 1 won, 0 drawn or unfinished, -1 lost.
    """
    results = np.zeros((len(PLAYERS), len(PLAYERS), deals))
    for i, one in enumerate(PLAYERS):
        for j, other in enumerate(PLAYERS):
            frame = s.run(game, deals, players=[one, other, one, other], columns="payoff,winner", rows=True).frame
            if game == "tichu":
                results[i, j] = frame["payoff_0"]
            else:
                results[i, j] = np.select([frame["winner"] == 0, frame["winner"] == 1], [1, -1], 0)
    return results


def components(sums: np.ndarray, pairs: np.ndarray, squares: float) -> np.ndarray:
    """Variance of deals, of pairs of teams, and the rest, as shares of their sum.

    Parameters
    ----------
    sums : float array, shape (deals,)
        Sum of the results of each deal over the pairs.
    pairs : float array, shape (pairs,)
        Sum of the results of each pair over the deals.
    squares : float
        Sum of all squared results.

    Notes
    -----
    Two-way layout with random effects and one result a cell: MS_deal = rest + P deal, MS_pair = rest + n pair, MS_rest = rest.
    A component estimated below 0 counts as 0. Source: Searle, Casella & McCulloch, "Variance Components", chapter 4.
    """
    n, p = len(sums), len(pairs)
    middle = sums.sum() ** 2 / (n * p)
    of_deals = float(sums @ sums) / p - middle
    of_pairs = float(pairs @ pairs) / n - middle
    rest = max(squares - middle - of_deals - of_pairs, 0.0) / ((n - 1) * (p - 1))
    parts = np.array([max(of_deals / (n - 1) - rest, 0.0) / p, max(of_pairs / (p - 1) - rest, 0.0) / n, rest])
    return parts / parts.sum() if parts.sum() > 0 else np.full(3, np.nan)


def shares(results: np.ndarray, seed: int) -> dict[str, Estimate]:
    """Shares of the variance by `PARTS`, of results of shape (teams, teams, deals), with bootstrap intervals over deals."""
    flat = results.reshape(-1, results.shape[2])
    sums, squares, n = flat.sum(axis=0), (flat**2).sum(axis=0), flat.shape[1]
    rng = np.random.default_rng(seed)

    def once(drawn: np.ndarray) -> np.ndarray:
        return components(sums[drawn], flat[:, drawn].sum(axis=1), float(squares[drawn].sum()))

    found = once(np.arange(n))
    again = np.array([once(rng.integers(0, n, n)) for _ in range(RESAMPLES)])
    low, high = np.nanquantile(again, [0.025, 0.975], axis=0)
    return {
        name: Estimate(float(found[k]), float(min(low[k], found[k])), float(max(high[k], found[k])), n, None, "bootstrap by deal")
        for k, name in enumerate(PARTS)
    }


def of_field(results: np.ndarray, field: Sequence[str]) -> np.ndarray:
    """The results of the teams of a field among themselves."""
    places = [PLAYERS.index(player) for player in field]
    return results[np.ix_(places, places)]


def tell_of_shares(s: Study, rounds: np.ndarray, won: np.ndarray) -> None:
    """The variance of a round and of a match, by what it comes from."""
    s.heading("Deal, teams and play")
    found = {
        f"{unit}, {field}": shares(of_field(results, teams), s.seed)
        for unit, results in {"a round": rounds, "a match": won}.items()
        for field, teams in FIELDS.items()
    }
    n = f"n = {rounds.shape[2]:,} deals of rounds and {won.shape[2]:,} of matches, each with every pair of teams: {len(FIELDS['teams alike']) ** 2} pairs of the {len(FIELDS['teams alike'])} alike, {len(PLAYERS) ** 2} of all {len(PLAYERS)}"
    s.table(
        pd.DataFrame([{"result of": name, **{part: short(figure, percent=True) for part, figure in parts.items()}} for name, parts in found.items()]).set_index("result of"),
        caption=f"What the variance of the result comes from ({n}; 95 % intervals by bootstrap over the deals).",
    )  # fmt: skip
    s.figure(
        stacked(found),
        caption=f"What the variance of the result comes from, with 95 % intervals ({n}).",
        alt="For a round and a match, and two fields of teams: the shares of the deal, the teams and the play, as points with intervals.",
    )
    alike, match = found["a round, teams alike"], found["a match, teams alike"]
    s.finding(
        f"Between teams of like strength the deal makes {percent(alike['the deal'])} of the variance of a round's result, the teams {percent(alike['the teams'])}; the rest is what becomes of the cards in play."
    )
    change = compare(match["the deal"], alike["the deal"])
    words = {1: "more than", -1: "less than", 0: "not clearly another share than"}[change]
    s.finding(
        f"Of who wins a match the deals make {percent(match['the deal'])} between such teams, {words} of a round's points; the teams {percent(match['the teams'])}."
    )
    wide, wide_match = (found[f"{unit}, all teams"]["the teams"] for unit in ("a round", "a match"))
    words = {1: "so a match brings out who is better", -1: "so a match hides who is better", 0: "no clear change"}[
        compare(wide_match, wide)
    ]
    s.finding(f"Between teams of every strength the teams make {percent(wide)} of a round and {percent(wide_match)} of a match: {words}.")


def stacked(found: Mapping[str, Mapping[str, Estimate]]) -> Figure:
    """A row a result, with a point and an interval for each part."""
    figure, axes = plots.blank(x="share of the variance", height=0.95 + 0.72 * len(found))
    with plots.style():
        rows = np.arange(len(found))
        for k, part in enumerate(PARTS):
            middle, low, high = (
                100 * np.array([getattr(parts[part], end) for parts in found.values()]) for end in ("estimate", "low", "high")
            )
            places = rows + 0.22 * (k - 1)
            axes.hlines(places, low, high, color=plots.SERIES[k], linewidth=2, alpha=0.75)
            axes.plot(middle, places, plots.MARKERS[k], color=plots.SERIES[k], markersize=4.5, label=part)
        axes.set_yticks(rows, list(found))
        axes.set_ylim(len(found) - 0.45, -0.55)
        axes.set_xlim(0, 100)
        axes.xaxis.set_major_formatter(PercentFormatter(decimals=0, symbol=" %"))
        axes.grid(False, axis="y")
        plots.legend(axes)
    return figure


# ---------------------------------------------------------------------------------------------------------------- pairs


class Meeting(NamedTuple):
    """Two teams on the same deals with the hands exchanged: results of the first in both seatings, shape (deals,)."""

    first: np.ndarray  # as team 0
    second: np.ndarray  # as team 1

    @property
    def both(self) -> np.ndarray:
        """The first team's mean result of a deal."""
        return (self.first + self.second) / 2

    def sd(self) -> float:
        """Standard deviation of a single result."""
        return sqrt((self.first.var(ddof=1) + self.second.var(ddof=1)) / 2)

    def alike(self) -> Estimate:
        """Correlation of the results in the two seatings; -1 if the cards decide everything. nan if nothing varies."""
        return correlation(self.first, self.second)

    def saves(self) -> Estimate:
        """How many rounds on deals of their own a round is worth if each deal is played twice: 1/(1 + correlation), for equal variances."""
        r = self.alike()
        return Estimate(1 / (1 + r.estimate), 1 / (1 + r.high), 1 / (1 + r.low) if r.low > -1 else inf, r.n, None, "from the correlation")

    def to_tell(self, duplicate: bool) -> Estimate | None:
        """Games until the better leads with 95 % confidence at a chance of 80 %: on deals of their own, or each deal played twice.

        The interval is that of the difference; the standard deviation counts as known. None if all results are alike.
        """
        mean = mean_of(self.both)
        sd = float(self.both.std(ddof=1)) if duplicate else self.sd()
        if sd == 0 or self.both.std() == 0:
            return None
        near = 0.0 if mean.low <= 0 <= mean.high else min(abs(mean.low), abs(mean.high))
        values = [
            deals_to_separate(difference, sd) * (2 if duplicate else 1)
            for difference in (mean.estimate, max(abs(mean.low), abs(mean.high)), near)
        ]
        return Estimate(values[0], values[1], values[2], mean.n, None, "from the difference")

    def won(self) -> Estimate:
        """Share of matches won, a drawn one counting half; by deal."""
        found = scaled(mean_of(self.both, most=1), 0.5, 0.5)
        return Estimate(found.estimate, max(found.low, 0.0), min(found.high, 1.0), found.n, found.se, found.method)


def meeting(results: np.ndarray, one: str, other: str) -> Meeting:
    """Two teams' meeting from the crossing."""
    i, j = PLAYERS.index(one), PLAYERS.index(other)
    return Meeting(results[i, j], -results[j, i])


def count_text(games: Estimate | None) -> str:
    """A number of games with its range, to two significant digits; "not told apart" where the difference may be none."""
    if games is None:
        return "all results alike"

    def rounded(value: float) -> str:
        if value >= MANY or value == inf:
            return "ever more"
        digits = max(len(str(int(value))) - 2, 0)
        return f"{int(round(value, -digits)):,}"

    if games.high == inf:
        return f"not told apart; {rounded(games.low)} or more"
    return f"{rounded(games.estimate)} ({rounded(games.low)} to {rounded(games.high)})"


def tell_of_pairs(s: Study, rounds: np.ndarray, won: np.ndarray) -> None:
    """How well single pairs of teams can be told apart."""
    s.heading("How long until one knows who is better?")
    rows, told = [], {}
    for other in PLAYERS[1:]:
        of_rounds, of_matches = meeting(rounds, PLAYER, other), meeting(won, PLAYER, other)
        told[other] = of_rounds
        rows.append({
            "against": other,
            "points a round": signed(mean_of(of_rounds.both)),
            "matches won": short(of_matches.won(), percent=True),
            "correlation of the two seatings": signed(of_rounds.alike()),
            "rounds, own deals": count_text(of_rounds.to_tell(False)),
            "rounds, each deal twice": count_text(of_rounds.to_tell(True)),
            "matches, own deals": count_text(of_matches.to_tell(False)),
        })  # fmt: skip
    deals, matches = rounds.shape[2], won.shape[2]
    s.table(
        pd.DataFrame(rows).set_index("against"),
        caption=f"`{PLAYER}` against each other team: its lead and the matches it wins (n = {deals:,} deals of rounds and {matches:,} of matches, each played twice with the hands exchanged; 95 % intervals); and the games until the better "
        "team leads with 95 % confidence, at a chance of 80 %, with the range that the interval of the lead leaves.",
    )  # fmt: skip
    s.figure(
        plots.dots(list(told), [mean_of(each.both) for each in told.values()], x=f"points a round of {PLAYER}'s team", reference=0),
        caption=f"What a team of `{PLAYER}` gains a round on other teams, with 95 % intervals (n = {deals:,} deals, each played twice with the hands exchanged).",
        alt="A point with its interval for each other team, right of a dashed line at 0 where steady is better.",
    )
    say_what_twice_helps(s, told)
    say_who_wins(s, told)


def say_what_twice_helps(s: Study, told: Mapping[str, Meeting]) -> None:
    """How many rounds duplicate play saves."""
    n = len(next(iter(told.values())).first)
    clear = {other: each for other, each in told.items() if sign(mean_of(each.both)) != 0}
    if clear:
        closest = min(clear, key=lambda other: abs(float(clear[other].both.mean())))
        each = clear[closest]
        s.finding(
            f"To tell `{PLAYER}` from `{closest}`, {in_points(mean_of(each.both), 'deals')} a round apart, takes {count_text(each.to_tell(False))} rounds on deals of their own, but {count_text(each.to_tell(True))} if every deal is played twice with the hands exchanged."
        )
    known = {other: each.saves() for other, each in told.items() if not np.isnan(each.alike().estimate)}
    if known:
        most, least = max(known, key=lambda other: known[other].estimate), min(known, key=lambda other: known[other].estimate)
        s.text(
            f"Playing each deal twice makes a round worth {short(known[least])} (against `{least}`) to {short(known[most])} (against `{most}`) rounds on deals of their own: 1/(1 + r), r being the correlation of the two seatings "
            f"(n = {n:,} deals). The more alike two teams play, the more of their results is the deal, and the more it helps."
            if compare(known[most], known[least]) > 0
            else f"Playing each deal twice makes a round worth {short(known[most])} rounds on deals of their own against `{most}`, against the others not clearly less: 1/(1 + r), r being the correlation of the two seatings (n = {n:,} deals)."
        )


def say_who_wins(s: Study, told: Mapping[str, Meeting]) -> None:
    """How often the better team wins a single round."""
    rows = {other: share_of(each.first > 0) for other, each in told.items()}
    s.text(
        f"Of single rounds, all as team 0, `{PLAYER}` wins {'; '.join(f'against `{other}` {short(share, percent=True)}' for other, share in rows.items())} (n = {len(next(iter(told.values())).first):,} rounds each; ties are not won)."
    )
