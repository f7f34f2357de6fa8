"""What predicts the winner of War, how early one can tell, and whether there is any skill in it."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

from simkit import plots
from simkit.game import CAPPED
from simkit.plots import short
from simkit.stats.association import auc, correlation, logistic, win_probability
from simkit.stats.estimate import Estimate
from simkit.stats.histogram import from_samples, quantile_interval
from simkit.stats.intervals import mean_interval, wilson
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from simkit.result import Result
    from simkit.study import Study

SETTINGS: dict[str, dict[str, Any]] = {
    "shuffled, 3 down": {},
    "shuffled, 1 down, short loses": {"face_down": 1, "short_war_rule": "lose"},
    "winner first, 3 down": {"pickup_order": "winner_first"},
    "winner first, 1 down, short loses": {"pickup_order": "winner_first", "face_down": 1, "short_war_rule": "lose"},
}
"""Rules under which luck is measured, the defaults first."""
BATTLES = (5, 10, 25, 50, 75, 100, 150, 200, 300, 400)
"""Battles after which the players' cards are counted."""
MARKED_BATTLES = (5, 10, 25, 50, 100, 200, 400)
"""Those named on an axis."""
SHOWN_BATTLES = (25, 200)
"""Those whose win probabilities are drawn card by card."""
CARDS, HAND, ACES = 52, 26, 4
FEW = 10
"""Cards: a player with at most so many is nearly out."""
CHOOSERS = ("winner_first", "losers_first", "high_first", "low_first")
SMALLEST_CELL = 100
"""Games below which a point is left out of a figure: its interval would hide the others."""


@study(title="War: what decides who wins?", games=1_000_000)
def war_luck(s: Study) -> None:
    """What the deal tells about the winner of War, how early one can tell, and whether anything but luck decides."""
    s.question(
        "Nobody decides anything in War: the winner is settled by the deal and by how won cards are picked up. How much do the aces, and "
        "the strength of the whole hand, tell about the winner? After how many battles can a spectator tell who will win? And is there "
        "any skill, or any advantage of a seat?"
    )
    s.method(
        f"War for two players with the whole deck, {s.games:,} games under each of {len(SETTINGS)} sets of rules, all on the same deals. "
        "A player's strength is the sum of the ranks dealt (2 to 14, mean 208). A drawn game counts as not won by either. "
        "Intervals are 95 % ones: Wilson's for shares; for the area under the curve (AUC, the chance that a won game looked better than a "
        "lost one) DeLong's. Each point of a figure has its own interval; where several claims are made together, this is said."
    )
    played = {name: play(s, rules) for name, rules in SETTINGS.items()}
    tell_of_aces(s, played)
    tell_of_strength(s, played)
    tell_of_the_whole_deal(s, next(iter(played.values())))
    tell_how_early(s, next(iter(played.values())))
    tell_of_the_lead(s, next(iter(played.values())))
    tell_of_seats(s, played)
    tell_of_choices(s)


def play(s: Study, rules: dict[str, Any]) -> Result:
    """One set of rules, with every game's row."""
    columns = "winner,battles,aces,strength" if rules else "winner,battles,aces,strength,lead_changes,last_lead_change"
    return s.run("war", rules=rules, rows=True, columns=columns)


def wins_by(result: Result, column: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values of one of seat 0's columns, games that seat 0 won at each, and games."""
    table = result.joint(column, "winner")
    wins = table[0] if 0 in table else pd.Series(0, index=table.index)
    return table.index.to_numpy(), wins.to_numpy(), table.sum(axis=1).to_numpy()


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def points(panel: Axes, x: Sequence[float], estimates: Sequence[Estimate], number: int = 0, **style: Any) -> None:
    """Estimates as points with their intervals, in the colour and marker of this series."""
    middle, low, high = (np.array([getattr(each, name) for each in estimates], float) for name in ("estimate", "low", "high"))
    panel.vlines(x, low, high, color=plots.SERIES[number], linewidth=1.2, alpha=0.8)
    panel.plot(x, middle, plots.MARKERS[number], color=plots.SERIES[number], markersize=3.5, **style)


def in_percent(axis: Any) -> None:
    """Shares on an axis read as percentages."""
    axis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))


# --------------------------------------------------------------------------------------------------------------- aces


def ace_shares() -> list[float]:
    """Exact chance of 0, 1, …, 4 aces among a player's 26 cards."""
    return [comb(ACES, k) * comb(CARDS - ACES, HAND - k) / comb(CARDS, HAND) for k in range(ACES + 1)]


def tell_of_aces(s: Study, played: dict[str, Result]) -> None:
    """Win probability by the number of aces dealt, next to the exact chance of that number."""
    s.heading("The aces")
    first = next(iter(played.values()))
    aces, _, games = wins_by(first, "aces_0")
    seen = dict(zip(aces.tolist(), games.tolist(), strict=True))
    rows: list[dict[str, Any]] = [
        {"aces": k, "chance, exact": f"{100 * share:.4f} %", "share of games": short(wilson(seen.get(k, 0), first.games), percent=True)}
        for k, share in enumerate(ace_shares())
    ]
    by_rules: dict[str, dict[int, Estimate]] = {}
    for name, result in played.items():
        chances = by_rules[name] = win_probability(*wins_by(result, "aces_0"))
        for row in rows:
            row[f"wins: {name}"] = short(chances[row["aces"]], percent=True) if row["aces"] in chances else "–"
    figure = plots.lines(
        aces.tolist(), {name: list(chances.values()) for name, chances in by_rules.items()},
        xlabel="aces dealt", ylabel="games won", percent=True, reference=0.5,
    )  # fmt: skip
    n = f"n = {first.games:,} games for each set of rules"
    s.figure(
        figure,
        caption=f"Share of games won by the number of aces dealt, with 95 % intervals; {n}.",
        alt="Lines that rise from few wins without an ace to many with all four, one for each set of rules.",
    )
    s.table(
        pd.DataFrame(rows).set_index("aces"),
        caption=f"How often each number of aces is dealt, and how often it wins (95 % intervals); {n}.",
    )
    name, chances = next(iter(by_rules.items()))
    if ACES in chances:
        s.finding(f"With all four aces a player wins {percent(chances[ACES])} of the games ({name}); without any, {percent(chances[0])}.")
    tops = {name: chances[ACES] for name, chances in by_rules.items() if ACES in chances}
    strongest = max(tops, key=lambda name: tops[name].estimate)
    weakest = min(tops, key=lambda name: tops[name].estimate)
    if tops[strongest].low > tops[weakest].high:
        s.finding(
            f"What aces are worth depends on the rules: four of them win {percent(tops[strongest])} under “{strongest}” but "
            f"{percent(tops[weakest])} under “{weakest}”. Three cards down swallow more aces unseen than one."
        )
    else:
        s.text("From so few games no difference between the rules is clear in what four aces are worth.")


# ----------------------------------------------------------------------------------------------------------- strength


class DealFit(NamedTuple):
    """What strength and aces say of the winner under one set of rules."""

    strength: Estimate  # odds ratio of a rank point, strength alone
    strength_auc: Estimate
    strength_share: Estimate  # of the variance of the 0/1 result
    ace: Estimate  # odds ratio of an ace at equal strength
    point: Estimate  # odds ratio of a rank point at equal aces
    auc: Estimate  # of both together
    share: Estimate


def fit_deal(result: Result) -> DealFit:
    """Logistic fits of seat 0's win on what it was dealt."""
    alone = logistic(*wins_by(result, "strength_0"))
    cells = result.frame.assign(won=result.frame["winner"] == 0).groupby(["strength_0", "aces_0"])["won"].agg(["sum", "size"]).reset_index()
    both = logistic(cells[["strength_0", "aces_0"]].to_numpy(), cells["sum"].to_numpy(), cells["size"].to_numpy())
    return DealFit(
        alone.odds_ratio(), alone.auc, share_explained(alone, *wins_by(result, "strength_0")),
        both.odds_ratio(covariate=1), both.odds_ratio(covariate=0), both.auc,
        share_explained(both, cells[["strength_0", "aces_0"]].to_numpy(), cells["sum"].to_numpy(), cells["size"].to_numpy()),
    )  # fmt: skip


def share_explained(fit, x: np.ndarray, wins: np.ndarray, games: np.ndarray) -> Estimate:
    """Share of the variance of the 0/1 result that goes with the fitted chance: their squared correlation."""
    chance = fit.probability(x)
    counts = np.concatenate([wins, games - wins])
    r = correlation(np.tile(chance, 2), np.repeat([1.0, 0.0], len(chance)), counts)
    return squared(r)


def squared(r: Estimate) -> Estimate:
    """The square of a correlation, its interval squared too (with 0 inside, from 0)."""
    ends = sorted((r.low**2, r.high**2))
    low = 0.0 if r.low <= 0 <= r.high else ends[0]
    return Estimate(r.estimate**2, low, ends[1], r.n, None, "squared correlation", r.level)


def tell_of_strength(s: Study, played: dict[str, Result]) -> None:
    """Win probability by the sum of the ranks dealt, and how much strength and aces explain together."""
    s.heading("The strength of the hand")
    fits = {name: fit_deal(result) for name, result in played.items()}
    figure, panel = plots.blank(x="strength: sum of the ranks dealt", y="games won")
    for number, (name, result) in enumerate(played.items()):
        strength, wins, games = wins_by(result, "strength_0")
        middles, estimates = binned(strength, wins, games, width=5)
        line = np.linspace(middles.min(), middles.max(), 60) if len(middles) else strength
        panel.plot(
            line, logistic(strength, wins, games).probability(line), color=plots.SERIES[number], linestyle=plots.DASHES[number], linewidth=1
        )
        points(panel, middles, estimates, number, label=name)
    in_percent(panel.yaxis)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1.03), frameon=False, borderaxespad=0)
    n = f"n = {next(iter(played.values())).games:,} games for each set of rules"
    s.figure(
        figure,
        caption=f"Share of games won by the strength of the hand, in groups of five rank points, with 95 % intervals; lines: logistic fits; {n}.",
        alt="Win probability rises in an S shape with the sum of the ranks dealt; groups of games lie along the fitted curves.",
    )
    table = pd.DataFrame(
        {
            "odds per rank point": [short(fit.strength) for fit in fits.values()],
            "AUC, strength": [short(fit.strength_auc) for fit in fits.values()],
            "explained, strength": [short(fit.strength_share, percent=True) for fit in fits.values()],
            "odds per ace at equal strength": [short(fit.ace) for fit in fits.values()],
            "odds per point at equal aces": [short(fit.point) for fit in fits.values()],
            "AUC, both": [short(fit.auc) for fit in fits.values()],
            "explained, both": [short(fit.share, percent=True) for fit in fits.values()],
        },
        index=pd.Index(fits, name="rules"),
    )
    s.table(
        table,
        caption="Logistic fits of winning on the strength dealt, and on strength and aces together, with 95 % intervals. "
        f"“Explained” is the share of the variance of the result (won or not) that goes with the fitted chance; {n}.",
    )
    name, fit = next(iter(fits.items()))
    s.finding(
        f"A rank point more in the hand multiplies the odds of winning by {fit.strength.text()}; yet strength and aces together explain only "
        f"{percent(fit.share)} of the variance of the result ({name}): a rank-and-ace expert who bets on one of two games, one won and one lost, "
        f"picks the right one {percent(fit.auc)} of the time."
    )
    if all(fit.ace.low > 1 for fit in fits.values()):
        every = all(fit.ace.low > fit.point.high**5 for fit in fits.values())
        extra = " under every set of rules, more than five further rank points would" if every else ""
        s.finding(
            f"An ace counts for more than its 14 points: at equal strength one ace more multiplies the odds by {fit.ace.text()} ({name});{extra or ' it helps under every set of rules tried'}."
        )
    most = max(fits, key=lambda name: fits[name].share.estimate)
    if fits[most].share.low > fit.share.high:
        s.text(f"The hand tells most under “{most}”, where it explains {percent(fits[most].share)} of the variance.")


def binned(values: np.ndarray, wins: np.ndarray, games: np.ndarray, width: int) -> tuple[np.ndarray, list[Estimate]]:
    """Mean value and share of wins of groups of `width` neighbouring values, those with games enough."""
    group = values // width
    groups = np.unique(group)
    total = np.array([games[group == g].sum() for g in groups])
    middle = np.array([(games * values)[group == g].sum() for g in groups]) / np.maximum(total, 1)
    won = np.array([wins[group == g].sum() for g in groups])
    enough = total >= SMALLEST_CELL
    return middle[enough], win_probability(groups[enough], won[enough], total[enough]).values()


# ----------------------------------------------------------------------------------------------- the deal as a whole


def tell_of_the_whole_deal(s: Study, first: Result) -> None:
    """How alike two games on one deal end, if won cards are mixed afresh: all that the deal can tell."""
    s.heading("The deal as a whole")
    again = s.run("war", min(first.games, max(1000, first.games // 10)), pickup_order="side_pile", columns="winner", rows=True)
    number = again.games
    r = correlation((first.frame["winner"][:number] == 0).to_numpy(float), (again.frame["winner"] == 0).to_numpy(float))
    fit = fit_deal(first)
    s.text(
        "The order in which the cards lie tells something too. To see how much, the same deals are played twice, with won cards shuffled "
        "one pot at a time and a side pile at a time: until the dealt cards are used up both games run alike, then each has its own chance. "
        "The correlation of the two results is about the share of the variance that the whole deal, order included, can explain "
        "(about, because the two ways of shuffling are not quite the same game)."
    )
    if r.low > fit.share.high:
        s.finding(
            f"Played twice from one deal, the results have a correlation of {r.text()}: the deal as a whole settles about that share of the result, "
            f"strength and aces {percent(fit.share)}. The rest comes from how won cards are mixed."
        )
    else:
        s.finding(
            f"Played twice from one deal, the results have a correlation of {r.text()}; strength and aces explain {percent(fit.share)}."
        )


# ---------------------------------------------------------------------------------------------------------- how early


class Moment(NamedTuple):
    """The games as they stand after some battles."""

    battles: int
    running: np.ndarray  # bool: not over yet
    cards: np.ndarray  # of seat 0
    winner: np.ndarray  # in the end; -1 a draw


def stand_after(s: Study, battles: int, games: int, winner: np.ndarray) -> Moment:
    """The same games cut off after so many battles: how many cards seat 0 owned then."""
    cut = s.run("war", games, max_battles=battles, cap_result="no_result", columns="cards_at_end", rows=True).frame
    return Moment(battles, (cut["outcome"] == CAPPED).to_numpy(), cut["cards_at_end_0"].to_numpy(), winner)


def leader_wins(moment: Moment) -> Estimate:
    """Share of the games still running, one player ahead, that the leader wins in the end."""
    ahead = moment.running & (moment.cards * 2 != CARDS)
    leader = np.where(moment.cards * 2 > CARDS, 0, 1)
    return wilson(int((moment.winner[ahead] == leader[ahead]).sum()), int(ahead.sum()))


def told_right(moment: Moment) -> Estimate:
    """Share of all games told right by naming the leader: finished ones are known, level ones are a coin flip."""
    right = np.where(moment.cards * 2 > CARDS, moment.winner == 0, moment.winner == 1).astype(float)
    right[moment.running & (moment.cards * 2 == CARDS)] = 0.5
    right[~moment.running] = 1.0
    return mean_interval(len(right), right.mean(), right.std(ddof=1))


def cards_auc(moment: Moment) -> Estimate | None:
    """AUC of the number of cards among games still running; None if too few are."""
    cards, where = np.unique(moment.cards[moment.running], return_inverse=True)
    won = moment.winner[moment.running] == 0
    if len(won) < SMALLEST_CELL or won.all() or not won.any():
        return None
    return auc(cards, np.bincount(where, weights=won, minlength=len(cards)), np.bincount(where, minlength=len(cards)))


def tell_how_early(s: Study, whole: Result) -> None:
    """How well the number of cards after some battles foretells the winner."""
    s.heading("How early one can tell")
    games = min(whole.games, max(1000, whole.games // 4))
    winner = whole.frame["winner"].to_numpy()[:games]
    moments = [stand_after(s, battles, games, winner) for battles in BATTLES]
    s.text(
        f"The same {games:,} games are cut off after {', '.join(map(str, BATTLES[:-1]))} and {BATTLES[-1]} battles (the same seed gives the same "
        "game up to the cut), and the cards each player owns then are compared with who won in the end."
    )
    rows, telling, shares = [], [], []
    for moment in moments:
        area = cards_auc(moment)
        telling.append(told_right(moment))
        shares.append(leader_wins(moment))
        rows.append({
            "after battles": moment.battles,
            "still running": short(wilson(int(moment.running.sum()), games), percent=True),
            "leader wins, of those running": short(shares[-1], percent=True),
            "AUC, of those running": short(area) if area else "–",
            "told right, of all games": short(telling[-1], percent=True),
        })  # fmt: skip
    figure, panel = plots.blank(x="battles played", y="games")
    points(panel, BATTLES, telling, 0, linestyle="-", linewidth=1, label="told right, of all games")
    some = [k for k, share in enumerate(shares) if share.n >= SMALLEST_CELL]
    points(
        panel,
        [BATTLES[k] for k in some],
        [shares[k] for k in some],
        1,
        linestyle="-",
        linewidth=1,
        label="leader wins, of games still running",
    )
    panel.set_xscale("log")
    panel.set_xticks(MARKED_BATTLES, [str(battles) for battles in MARKED_BATTLES])
    panel.minorticks_off()
    panel.set_ylim(0.5, 1)
    in_percent(panel.yaxis)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1.03), frameon=False, borderaxespad=0)
    s.figure(
        figure,
        caption=f"How often the player who owns more cards wins in the end, with 95 % intervals (n = {games:,} games; finished ones count as told right).",
        alt="Two rising lines over the number of battles on a logarithmic scale: of all games, and of those still running.",
    )
    s.table(
        pd.DataFrame(rows).set_index("after battles"),
        caption=f"What the number of cards foretells (95 % intervals; n = {games:,} games). Games level at the cut have no leader; of all games they count as half told right.",
    )
    for wanted in (0.75, 0.9):
        first = next((k for k, share in enumerate(telling) if share.low > wanted), None)
        if first is not None:
            s.finding(
                f"After {BATTLES[first]} battles naming the player with more cards is right in {percent(telling[first])} of all games, those already over "
                f"included: the first of the moments looked at that is clearly above {100 * wanted:.0f} %."
            )
    strength, wins, dealt = wins_by(whole, "strength_0")
    s.text(f"Before the first battle, the strength of the hand gives an AUC of {auc(strength, wins, dealt).text()}.")
    tell_of_cards(s, moments)


def tell_of_cards(s: Study, moments: list[Moment]) -> None:
    """The chance of winning with k cards, against k in 52."""
    figure, panel = plots.blank(x="cards owned", y="games won in the end")
    panel.plot([0, CARDS], [0, 1], color=plots.INK, alpha=0.6, linewidth=1, label="k in 52: a fair walk")
    for number, battles in enumerate(SHOWN_BATTLES):
        for moment in (each for each in moments if each.battles == battles):
            cards, where = np.unique(moment.cards[moment.running], return_inverse=True)
            won = np.bincount(where, weights=moment.winner[moment.running] == 0, minlength=len(cards))
            games = np.bincount(where, minlength=len(cards))
            enough = games >= SMALLEST_CELL
            points(
                panel,
                cards[enough],
                list(win_probability(cards[enough], won[enough], games[enough]).values()),
                number,
                label=f"after {battles} battles",
            )
    in_percent(panel.yaxis)
    panel.legend(loc="upper left", frameon=False, borderaxespad=0)
    running = {moment.battles: int(moment.running.sum()) for moment in moments}
    s.figure(
        figure,
        caption="Share of games won in the end by the cards owned after some battles, with 95 % intervals, beside the straight line of a fair walk "
        f"({' and '.join(f'n = {running[battles]:,} games still running after {battles}' for battles in SHOWN_BATTLES)}).",
        alt="Points lie close to the straight line from 0 cards, no wins, to 52 cards, all wins, a little flatter at both ends.",
    )
    s.text(
        "With one suit only, and pots picked up in random order, War is exactly a fair walk between no card and all: with k of n cards a player wins "
        "k in n games. Wars, and four cards of each rank, may bend this."
    )
    moment = next(each for each in moments if each.battles == 100)
    behind = np.minimum(moment.cards, CARDS - moment.cards)
    few = moment.running & (behind <= FEW)
    if few.sum() < SMALLEST_CELL:
        return
    trailing = np.where(moment.cards * 2 > CARDS, 1, 0)
    won = wilson(int((moment.winner[few] == trailing[few]).sum()), int(few.sum()))
    walk = float(behind[few].mean()) / CARDS
    verdict = "more often than" if won.low > walk else "less often than" if won.high < walk else "and no clear difference from"
    s.finding(
        f"A player down to {FEW} cards or fewer after 100 battles still wins {percent(won)} of the games, {verdict} the {100 * walk:.1f} % of a fair walk from the same cards."
    )


# ----------------------------------------------------------------------------------------------------------- the lead


def tell_of_the_lead(s: Study, result: Result) -> None:
    """How often the lead changes, and how late it changes last."""
    s.heading("Changes of the lead")
    frame = result.frame[result.frame["winner"] >= 0]
    changes, length = frame["lead_changes"].to_numpy(), frame["battles"].to_numpy()
    never = wilson(int((changes == 0).sum()), len(changes))
    first_wins = wilson(int((changes % 2 == 0).sum()), len(changes))
    late = 1000 * frame["last_lead_change"].to_numpy() // length  # thousandths of the game, rounded down
    median = quantile_interval(*from_samples(late), 0.5)
    when = Estimate(median.estimate / 10, median.low / 10, median.high / 10, median.n, None, median.method)
    after_half = wilson(int((2 * frame["last_lead_change"] > length).sum()), len(length))
    s.finding(
        f"The lead changes {result.mean('lead_changes').text()} times a game; it never changes in {percent(never)} of the games, and whoever leads first "
        f"wins {percent(first_wins)} of them."
    )
    s.finding(
        f"In half of the games the lead changes for the last time before {when.text()} % of the game is played; in {percent(after_half)} it changes in the second half."
    )
    s.figure(
        plots.distribution(*from_samples(changes), x="changes of the lead"),
        caption=f"How often the lead changes in a game, with 95 % intervals; n = {len(length):,} games won by somebody.",
        alt="Most games have few changes of the lead; the shares fall steadily, with a long tail.",
    )
    edges = np.arange(0, 1001, 50)
    in_bins, _ = np.histogram(late[changes > 0], edges)
    figure, panel = plots.blank(x="last change of the lead, share of the game played", y="games, in each twentieth")
    points(panel, (edges[:-1] + 25) / 1000, wilson(in_bins, np.full(len(in_bins), len(late))).cells())
    panel.set_ylim(bottom=0)
    in_percent(panel.xaxis)
    in_percent(panel.yaxis)
    s.figure(
        figure,
        caption="When the lead changes for the last time, as a share of the game's length, with 95 % intervals "
        f"(shares of all n = {len(length):,} games won by somebody; those in which it never changes have no point).",
        alt="The last change of the lead is spread over the whole game; only in the last few hundredths it is rare.",
    )


# -------------------------------------------------------------------------------------------------- seats and choices


def tell_of_seats(s: Study, played: dict[str, Result]) -> None:
    """Whether one seat wins more often than the other."""
    s.heading("Seats")
    level = 1 - 0.05 / len(played)
    rows, odd = [], []
    for name, result in played.items():
        winner = result.counts("winner")
        won = {seat: int(winner.games[winner.values == seat].sum()) for seat in (0, 1)}
        share = wilson(won[0], won[0] + won[1], level)
        rows.append(
            {
                "rules": name,
                "seat 0": percent(result.win_rate(0)),
                "seat 1": percent(result.win_rate(1)),
                "draw": percent(result.draw_rate()),
                "seat 0, of games won": percent(share),
            }
        )
        if not share.low <= 0.5 <= share.high:
            odd.append(name)
    s.table(
        pd.DataFrame(rows).set_index("rules"),
        caption=f"How often each seat wins. Last column: of the games won by somebody; its {len(played)} intervals are meant to hold all together at 95 %.",
    )
    first = next(iter(played.values()))
    if odd:
        s.finding(
            f"Contrary to the symmetry of the rules, seat 0's share is clearly not one half under: {'; '.join(odd)}. Chance does that in one of 20 studies; look again with another seed."
        )
    else:
        s.finding(
            f"No advantage of a seat is seen: seat 0 wins {percent(first.win_rate(0))} of the games with the default rules, and under every set of rules tried one half lies within the interval. Both cards are turned together, so nobody moves first."
        )


def tell_of_choices(s: Study) -> None:
    """Whether choosing the order of pick-up is a skill."""
    s.heading("Is there any skill?")
    games = max(500, s.games // 20)
    level = 1 - 0.05 / len(CHOOSERS)
    rows, winners, losers = [], [], []
    for name in CHOOSERS:
        result = s.run("war", games, pickup_order="player_choice", players=[name, "shuffled"], columns="winner,battles")
        winner = result.counts("winner")
        won = {seat: int(winner.games[winner.values == seat].sum()) for seat in (0, 1)}
        share = wilson(won[0], won[0] + won[1], level)
        rows.append(
            {
                "picks up": name,
                "wins, of games won": percent(share),
                "draw": percent(result.draw_rate()),
                "capped": percent(result.capped_rate()),
                "battles": result.mean("battles").text(),
            }
        )
        if share.low > 0.5:
            winners.append((share, name))
        elif share.high < 0.5:
            losers.append((share, name))
    n = result.games
    s.table(
        pd.DataFrame(rows).set_index("picks up"),
        caption=f"A player with a fixed order of pick-up against one who shuffles every pot (n = {n:,} games each; the intervals of the shares are meant to hold all together at 95 %).",
    )
    s.text(
        "As it is usually played War has no decision, so all players are equal and no number of games can tell them apart. The one thing a player could do, "
        "if the rules let the winner choose, is to pick up a pot in an order of their own."
    )
    if not winners and not losers:
        s.finding(
            f"Even where the winner of a pot may choose the order of picking it up, no order tried is clearly better or worse than shuffling (n = {n:,} games each)."
        )
        return
    parts = []
    if winners:
        share, name = max(winners, key=lambda each: each[0].estimate)
        others = f"; {len(winners)} of the {len(CHOOSERS)} fixed orders tried are clearly better than it" if len(winners) > 1 else ""
        parts.append(f"`{name}` does best against shuffling, winning {percent(share)} of the games{others}")
    if losers:
        share, name = min(losers, key=lambda each: each[0].estimate)
        parts.append(f"`{name}` does worse, winning {percent(share)}")
    s.finding(f"If the winner of a pot may choose the order of picking it up, there is some skill in it: {'; '.join(parts)}.")
