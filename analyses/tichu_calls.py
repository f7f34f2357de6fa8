"""What Tichu and Grand Tichu calls are worth by the strength of the hand and the score of the match, and how calls compare with people's."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter
from scipy.signal import fftconvolve

from analyses._tichu import (
    ACES,
    CARDS,
    DRAGON,
    FEW,
    PHOENIX,
    by_seat,
    count_cards,
    in_points,
    lead_by_deal,
    listed,
    mean_of,
    percent,
    scaled,
    share_of,
    share_of_seats,
    sign,
    signed,
)  # fmt: skip
from simkit import plots
from simkit.plots import short
from simkit.stats.association import logistic
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import t_value
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simkit.result import Result
    from simkit.study import Study

PLAYER = "steady"
SILENT = "steady[grand=never,tichu=never]"
GRAND_CALL = 4
"""In the column `call`; 1 to 3 is a Tichu."""
GRAND_VALUE, TICHU_VALUE = 200, 100
HIGHEST = 6
"""Aces, Dragon and Phoenix."""
COLUMNS = "payoff,score,double_victory,call,call_success,call_high,high_first,high_dealt,bombs,bomb_held,first_hand"
BANDS: dict[str, tuple[float, ...]] = {
    "Tichu called": (0.139, 0.130), "Tichu made": (0.734, 0.722), "Grand Tichu called": (0.078, 0.136), "Grand Tichu made": (0.618, 0.592),
    "double victory": (0.237, 0.226), "hand with a bomb": (0.1169,), "bombs a round": (0.443,),
}  # fmt: skip
"""People's figures, all and (where known) strong players: docs/rules/tichu.md, 9.4."""
ROUNDS_A_MATCH = (9.3, 8.9)
OTHERS = ("team_aware", "min_turns", "greedy_low", "random")
"""Players that never call."""
PUBLISHED: dict[str, tuple[str, str, str]] = {
    "Dragon and Phoenix, no ace": ("51.5 %", "75.3 %", "+47 (+29)"), "Phoenix and one ace": ("30.8 %", "64.0 %", "+19 (+2)"),
    "Dragon and one ace": ("27.4 %", "63.3 %", "+14 (\N{MINUS SIGN}5)"), "two aces only": ("8.6 %", "51.4 %", "–"),
    "three aces only": ("–", "–", "+1 (\N{MINUS SIGN}17)"), "Phoenix only": ("–", "–", "\N{MINUS SIGN}5 (\N{MINUS SIGN}20)"), "none": ("0.9 %", "36.8 %", "–"),
}  # fmt: skip
"""People's Grand Tichus by the high cards among their first eight: called, made, estimated gain in points (strong players): 9.4."""
SCORES = ((0, 0), (500, 500), (800, 800), (950, 950), (900, 500), (900, 700), (700, 900), (500, 900), (300, 950))
"""Match scores, the caller's team first."""
TARGET, LOWEST, STEP, REACH = 1000, -500, 5, 425
"""Of a match: the target; the lowest score that is told from lower ones; the unit of scores; the most points of a round."""
STRONG = 2
"""High cards among the first eight from which a Grand Tichu is thought about."""
POLICIES = {
    "as steady calls": "steady", "steady, Tichu only": "steady[grand=never]", "steady, Grand Tichu only": "steady[tichu=never]",
    **{f"Tichu with {high} high cards or more": f"steady[grand=never,tichu=call_by_high(high={high})]" for high in (3, 4, 5)},
    **{f"Grand Tichu with {high} or more": f"steady[tichu=never,grand=call_by_high(high={high})]" for high in (2, 3)},
}  # fmt: skip
"""Rules for calling, tried against players who never call and play alike."""


@study(title="Tichu: when to call?", games=20_000)
def tichu_calls(s: Study) -> None:
    """How often Tichu and Grand Tichu succeed, and what they are worth, by the strength of the hand and the score of the match."""
    s.question(
        "A Tichu wins or loses 100 points, a Grand Tichu, called on eight cards, 200. How strong must the hand be? The bet alone breaks even at a chance of one half; but a "
        "good hand scores well without a call too, and could call the smaller Tichu later. So what chance is needed really, does the score of the match change it, and do "
        "programs call as people do?"
    )
    s.method(
        f"All four seats play `{PLAYER}`. To see what a call is worth, and not only how well the hands do on which somebody chose to call, seat 0 calls in **every** round, and "
        f"the same {s.games:,} deals are played again without that call; the difference, deal by deal, is the gain. Rounds in which the partner calls Grand Tichu too are left out there. "
        "A hand's **high cards** are its aces, Dragon and Phoenix. With V₀ the mean difference of the team scores without a Grand Tichu (a Tichu may still be called) and V₁ that with it, the "
        "bet itself left out, the chance at which it breaks even is ½ + (V₀ − V₁)/400. Intervals are 95 % ones, each by itself unless it is said that they hold together."
    )
    base = s.run("tichu", s.games, players=PLAYER, columns=COLUMNS, rows=True)
    tell_of_people(s, base)
    tell_of_bombs(s, base)
    grand = forced(s, "steady[grand=always]", "steady[grand=never]", "high_first_0", GRAND_VALUE)
    tell_of_grand(s, grand)
    tell_of_classes(s, base, grand)
    tell_of_match_score(s, base, grand)
    tell_of_tichu(s)
    tell_of_policies(s)


# ------------------------------------------------------------------------------------------------------------- people


def without_double_bets(result: Result) -> np.ndarray:
    """Rounds in which no two partners both called Grand Tichu: people's figures leave the others out."""
    grand = by_seat(result, "call") == GRAND_CALL
    return ~((grand[:, 0] & grand[:, 2]) | (grand[:, 1] & grand[:, 3]))


def habits(result: Result) -> dict[str, Estimate]:
    """The figures of `BANDS` of a run."""
    kept = without_double_bets(result)
    call, made, frame = by_seat(result, "call")[kept], by_seat(result, "call_success")[kept] == 1, result.frame[kept]
    tichu, grand = (call > 0) & (call < GRAND_CALL), call == GRAND_CALL
    return {
        "Tichu called": share_of_seats(tichu), "Tichu made": share_of_seats(made, tichu), "Grand Tichu called": share_of_seats(grand),
        "Grand Tichu made": share_of_seats(made, grand), "double victory": share_of(frame["double_victory"]),
        "hand with a bomb": share_of_seats(by_seat(result, "bomb_held")[kept] > 0), "bombs a round": mean_of(frame["bombs"], most=1),
    }  # fmt: skip


def place(figure: Estimate, band: Sequence[float]) -> str:
    """Where a figure lies to people's: "above", "below", or "" where its interval reaches their band."""
    return "above" if figure.low > max(band) else "below" if figure.high < min(band) else ""


def marked(figure: Estimate, band: Sequence[float], shares: bool = True) -> str:
    """A figure, and where it is outside the band."""
    if np.isnan(figure.estimate):
        return "–"
    where = place(figure, band)
    return short(figure, percent=shares) + (
        f" ({where})" if where and "(" not in short(figure, percent=shares) else f", {where}" if where else ""
    )


def tell_of_people(s: Study, base: Result) -> None:
    """Each player's habits, next to what people do."""
    s.heading("Programs and people")
    runs = {PLAYER: base} | {player: s.run("tichu", s.games / 5, players=player, columns=COLUMNS, rows=True) for player in OTHERS}
    found = {player: habits(result) for player, result in runs.items()}
    match = s.run("tichu-match", s.games / 100, players=PLAYER, columns="rounds").mean("rounds")
    rows: list[dict[str, Any]] = [
        {"figure": "people, all (strong)", **{name: in_band(name, band) for name, band in BANDS.items()}, "rounds": "–"}
    ]
    for player, figures in found.items():
        cells = {
            name: "never calls" if player in OTHERS and "Tichu" in name else marked(figures[name], band, name != "bombs a round")
            for name, band in BANDS.items()
        }
        rows.append({"figure": player, **cells, "rounds": runs[player].games})
    s.table(
        pd.DataFrame(rows).set_index("figure"),
        caption="Calls per player and round, calls made per call, and more, of rounds between four players of a kind, without those in which two partners both called Grand Tichu; where the interval "
        "lies outside people's figures this is said (n = rounds; 95 % intervals).",
    )  # fmt: skip
    outside = [
        f"{name} {short(found[PLAYER][name], percent=name != 'bombs a round')} ({where} {in_band(name, band)})"
        for name, band in BANDS.items()
        if (where := place(found[PLAYER][name], band))
    ]
    rest = "; in the other figures of the table it does not clearly" if len(outside) < len(BANDS) else ""
    n = f"n = {int(without_double_bets(base).sum()):,} rounds"
    s.finding(
        f"Next to people on BrettSpielWelt (all, strong players in brackets) `{PLAYER}` falls outside in: {'; '.join(outside)}{rest} ({n})."
        if outside
        else f"In none of these figures does `{PLAYER}` clearly fall outside what people do ({n})."
    )
    where = place(match, ROUNDS_A_MATCH)
    s.text(
        f"Its matches last {match.text()} rounds, people's 9.3 (8.9): {where + ' these' if where else 'not clearly outside'}. The other players never call."
    )


def in_band(name: str, band: Sequence[float]) -> str:
    """People's figures in words."""
    words = [f"{figure:g}" if name == "bombs a round" else f"{100 * figure:.1f} %" for figure in band]
    return words[0] + (f" ({words[1]})" if len(words) > 1 else "")


def others_hold(held: np.ndarray) -> np.ndarray:
    """Whether an opponent of each seat holds something, shape (rounds, 4)."""
    team = held[:, :2] | held[:, 2:]
    return team[:, [1, 0, 1, 0]]


def tell_of_bombs(s: Study, base: Result) -> None:
    """Success of calls that meet a bomb, and of callers who hold one, next to people."""
    kept = without_double_bets(base)
    call, made, held = (by_seat(base, name)[kept] for name in ("call", "call_success", "bomb_held"))
    tichu, grand, against = (call > 0) & (call < GRAND_CALL), call == GRAND_CALL, others_hold(held > 0)
    kinds = {
        "Tichu, an opponent holds a bomb": (tichu & against, "51.4 %"), "Tichu, the caller holds one": (tichu & (held > 0), "79.3 %"), "Tichu, no opponent holds one": (tichu & ~against, "–"),
        "Grand Tichu, an opponent holds a bomb": (grand & against, "41.8 %"), "Grand Tichu, no opponent holds one": (grand & ~against, "–"),
    }  # fmt: skip
    found = {name: (share_of_seats(made == 1, counted), int(counted.sum())) for name, (counted, _) in kinds.items() if counted.sum() >= FEW}
    if not found:
        return
    s.table(
        pd.DataFrame(
            [{"call": name, "people succeed": kinds[name][1], f"{PLAYER} succeeds": short(share, percent=True), "n": n} for name, (share, n) in found.items()]
        ).set_index("call"),
        caption="Success of the calls that were made, by bombs held at the first lead (n = calls; 95 % intervals by round).",
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------- forced calls


class Bet(NamedTuple):
    """Rounds in which seat 0 called whatever it held, and the same deals without that call; one entry a deal."""

    value: int
    high: np.ndarray  # high cards known at the call
    hand: np.ndarray  # the first eight cards, as a set
    made: np.ndarray  # bool
    called: np.ndarray  # points of both teams, shape (deals, 2), own bet included
    silent: np.ndarray  # the same without the call

    @property
    def bet(self) -> np.ndarray:
        """What the bet itself brought."""
        return np.where(self.made, self.value, -self.value)

    @property
    def gain(self) -> np.ndarray:
        """What calling brought, in points of difference between the teams."""
        return (self.called[:, 0] - self.called[:, 1]) - (self.silent[:, 0] - self.silent[:, 1])

    def success(self, of: np.ndarray) -> Estimate:
        """Share of these hands on which the call succeeds."""
        return share_of(self.made[of])

    def break_even(self, of: np.ndarray) -> Estimate:
        """The chance at which calling these hands breaks even (docs/rules/tichu.md, 8)."""
        return scaled(mean_of((self.bet - self.gain)[of]), 1 / (2 * self.value), 0.5)

    def worth(self, of: np.ndarray) -> Estimate:
        """Mean gain of calling these hands."""
        return mean_of(self.gain[of])


def forced(s: Study, caller: str, silent: str, strength: str, value: int, **rules: Any) -> Bet:
    """Play the same deals with seat 0 calling always, and without; deals on which its partner calls Grand Tichu are left out."""
    games = {
        name: s.run("tichu", s.games, players=[name, PLAYER, PLAYER, PLAYER], columns=COLUMNS, rows=True, rules=rules).frame for name in (caller, silent)
    }  # fmt: skip
    kept = (games[silent]["call_2"] != GRAND_CALL).to_numpy()
    called, other = games[caller][kept], games[silent][kept]
    points = [frame[["score_0", "score_1"]].to_numpy() for frame in (called, other)]
    return Bet(value, called[strength].to_numpy(), called["first_hand_0"].to_numpy(), (called["call_success_0"] == 1).to_numpy(), *points)


def groups_of(bet: Bet) -> dict[int, np.ndarray]:
    """Deals by the number of high cards, where there are some."""
    groups = {high: bet.high == high for high in range(HIGHEST + 1)}
    return {high: group for high, group in groups.items() if group.sum() >= FEW}


def show_bet(s: Study, bet: Bet, name: str, known: str) -> dict[int, np.ndarray]:
    """Success, break-even and gain by the number of high cards, as a table and a figure."""
    groups = groups_of(bet)
    n = f"n = {len(bet.made):,} deals, those of a point in the table"
    s.table(
        pd.DataFrame(
            [
                {"high cards": high, "succeeds": short(bet.success(group), percent=True), "breaks even at": short(bet.break_even(group), percent=True), "gain in points": signed(bet.worth(group)), "n": int(group.sum())}
                for high, group in groups.items()
            ]
        ).set_index("high cards"),
        caption=f"{name} called with every hand, by the high cards {known}: how often it succeeds, the chance at which it would break even, and the gain over not calling on the same deals (n = deals; 95 % intervals).",
    )  # fmt: skip
    s.figure(
        plots.lines(
            list(groups), {"succeeds": [bet.success(group) for group in groups.values()], "breaks even at": [bet.break_even(group) for group in groups.values()]},
            xlabel=f"high cards {known}", ylabel="chance", percent=True,
        ),
        caption=f"{name}: chance to succeed and chance needed, by the high cards {known}, with 95 % intervals ({n}). Calling pays where the first line is above the second.",
        alt="Two lines over the number of high cards: how often the call succeeds rises, the chance needed is near one half or above it.",
    )  # fmt: skip
    return groups


def say_from_when(s: Study, bet: Bet, groups: Mapping[int, np.ndarray], name: str, known: str) -> None:
    """With how many high cards a call pays."""
    pays = [high for high, group in groups.items() if sign(bet.worth(group)) > 0]
    loses = [high for high, group in groups.items() if sign(bet.worth(group)) < 0]
    said = f"with {listed([str(high) for high in loses])} it loses" if loses else "no number is clearly too few"
    if not pays:
        s.finding(
            f"{name}, called whatever else the hand holds, clearly gains with no number of high cards {known}; {said} (n = {len(bet.made):,} deals)."
        )
        return
    group = groups[pays[0]]
    s.finding(
        f"{name} pays on average from {pays[0]} high cards {known}: it then succeeds in {percent(bet.success(group))} and gains {in_points(bet.worth(group), 'deals')}; {said}."
    )


# --------------------------------------------------------------------------------------------------------- Grand Tichu


def judged_chance(bet: Bet) -> np.ndarray | None:
    """Chance of each hand to succeed, from a logistic fit on its Dragon, Phoenix, aces, kings, Mah Jong and Dog; None if there is no finite fit."""
    x = np.column_stack([count_cards(bet.hand, cards) for cards in CARDS.values()])
    try:
        return np.asarray(logistic(x, bet.made.astype(int), np.ones(len(x), int)).probability(x))
    except ValueError:
        return None


def zero_of_line(x: np.ndarray, y: np.ndarray) -> Estimate | None:
    """Where the regression line of y on x crosses 0 (delta method, errors of any spread); None if its slope may be 0."""
    design = np.column_stack([np.ones(len(x)), x])
    inverse = np.linalg.inv(design.T @ design)
    a, b = inverse @ design.T @ y
    scores = design * (y - design @ [a, b])[:, None]
    covariance = inverse @ (scores.T @ scores) @ inverse
    z = t_value(len(x) - 2)
    if b - z * sqrt(covariance[1, 1]) <= 0:
        return None
    slope = np.array([-1 / b, a / b**2])
    se = sqrt(slope @ covariance @ slope)
    return Estimate(-a / b, -a / b - z * se, -a / b + z * se, len(x), se, "delta")


def tell_of_grand(s: Study, bet: Bet) -> None:
    """Grand Tichu by high cards; and the chance at which it breaks even."""
    s.heading("Grand Tichu")
    name, known = "Grand Tichu", "among the first eight"
    groups = show_bet(s, bet, name, known)
    say_from_when(s, bet, groups, name, known)
    chance = judged_chance(bet)
    zero = None if chance is None else zero_of_line(chance, bet.gain)
    if chance is None or zero is None:
        s.text(f"From these games the chance at which the gain crosses 0 can not be told (n = {len(bet.made):,} deals).")
        return
    edges = np.quantile(chance, np.linspace(0, 1, 11))
    tenth = np.clip(np.searchsorted(edges, chance, "right") - 1, 0, 9)
    parts = [tenth == k for k in range(10) if (tenth == k).sum() >= FEW]
    figure, axes = plots.blank(x="chance to succeed, judged by the first eight cards", y="gain of calling, points")
    with plots.style():
        worth = [bet.worth(part) for part in parts]
        at = np.array([chance[part].mean() for part in parts])
        axes.vlines(at, [each.low for each in worth], [each.high for each in worth], color=plots.SERIES[0], linewidth=1.2)
        axes.plot(at, [each.estimate for each in worth], "o", color=plots.SERIES[0], markersize=4)
        axes.axhline(0, color=plots.INK, linewidth=1, alpha=0.6, linestyle=(0, (4, 3)))
        axes.xaxis.set_major_formatter(PercentFormatter(1, decimals=0, symbol=" %"))
    s.figure(
        figure,
        caption=f"What a Grand Tichu gains by the chance to succeed, in tenths of the hands; the chance is a logistic fit on Dragon, Phoenix, aces, kings, Mah Jong and Dog; 95 % intervals (n = {len(chance):,} deals).",
        alt="Points with intervals that rise from losses at small chances and cross 0 where calling begins to pay.",
    )  # fmt: skip
    place = "inside" if zero.low <= 0.62 and zero.high >= 0.58 else "outside"
    s.finding(
        f"The gain of a Grand Tichu over not calling it crosses 0 at a chance to succeed of {percent(zero)}, more than the 50 % at which the bet alone breaks even; people's figures suggest about 58 to 62 %, and this is {place} of that."
        if zero.low > 0.5
        else f"The gain of a Grand Tichu crosses 0 at a chance to succeed of {percent(zero)}; that this is more than the 50 % of the bet alone is not clear. People's figures suggest about 58 to 62 %, and this is {place} of that."
    )


def first_eight(hands: np.ndarray) -> dict[str, np.ndarray]:
    """The classes of `PUBLISHED`, for hands of any shape."""
    dragon, phoenix, aces = (count_cards(hands, cards) for cards in (DRAGON, PHOENIX, ACES))
    wanted = ((1, 1, 0), (0, 1, 1), (1, 0, 1), (0, 0, 2), (0, 0, 3), (0, 1, 0), (0, 0, 0))
    return {name: (dragon == d) & (phoenix == p) & (aces == a) for name, (d, p, a) in zip(PUBLISHED, wanted, strict=True)}


def tell_of_classes(s: Study, base: Result, bet: Bet) -> None:
    """Grand Tichu by the kind of high cards, next to people."""
    kept = without_double_bets(base)
    call, made = by_seat(base, "call")[kept] == GRAND_CALL, by_seat(base, "call_success")[kept] == 1
    rows, differs = [], []
    for (name, seats), mine in zip(first_eight(by_seat(base, "first_hand")[kept]).items(), first_eight(bet.hand).values(), strict=True):
        called, success, gain = PUBLISHED[name]
        enough, some = int((call & seats).sum()) >= FEW, int(mine.sum()) >= FEW
        rows.append({
            "first eight": name, "people call": called, f"{PLAYER} calls": short(share_of_seats(call, seats), percent=True) if seats.any() else "–",
            "people succeed": success, f"{PLAYER} succeeds": short(share_of_seats(made & call, call & seats), percent=True) if enough else "–",
            "if always called": short(bet.success(mine), percent=True) if some else "–",
            "people's gain, all (strong)": gain, "gain if always called": signed(bet.worth(mine)) if some else "–", "n": int(mine.sum()),
        })  # fmt: skip
        if some and sign(bet.worth(mine)) > 0:
            differs.append(f"{name} ({signed(bet.worth(mine))}, n = {int(mine.sum()):,})")
    s.table(
        pd.DataFrame(rows).set_index("first eight"),
        caption=f"Grand Tichu by the high cards among the first eight: how often it is called and succeeds, of people and of `{PLAYER}` (both on hands that they chose), and its success and gain in points where every such "
        f"hand is called (n = deals of the last; shares of {PLAYER} from {int(kept.sum()):,} rounds; 95 % intervals). People's gains are estimates from what they did.",
    )  # fmt: skip
    s.text(
        f"If every such hand is called, the gain is clear with {listed(differs)}."
        if differs
        else "With none of these kinds of hand, all called, the gain is clear in these games."
    )


# --------------------------------------------------------------------------------------------------------- match score


def chances_to_win(scores: np.ndarray, tolerance: float = 2e-4) -> np.ndarray:
    """Chance to win a match from each pair of scores, if rounds go on as these did.

    Parameters
    ----------
    scores : int array, shape (rounds, 2)
        Points of both teams in rounds that are independent of each other and of the score.

    Returns
    -------
    float array, shape (m, m), m = (TARGET + REACH - LOWEST) / STEP + 1
        By own score and the other's, from LOWEST in steps of STEP; see `at_score`.

    Notes
    -----
    The chance after a round is averaged over the rounds given, each also with the teams exchanged, until nothing changes by more
    than the tolerance. Scores below LOWEST count as LOWEST. A match goes on where both are equal (docs/rules/tichu.md, 2.13).
    """
    reach = REACH // STEP
    share = np.zeros((2 * reach + 1, 2 * reach + 1))
    np.add.at(share, tuple((np.asarray(scores) // STEP + reach).T), 1 / len(scores))
    share = (share + share.T) / 2
    total = np.arange(LOWEST, TARGET + REACH + 1, STEP)
    own, other = np.meshgrid(total, total, indexing="ij")
    over = np.maximum(own, other) >= TARGET
    end = np.where(own > other, 1.0, np.where(own < other, 0.0, 0.5))
    chance = np.where(over, end, 0.5 + (own - other) / (2 * (TARGET + REACH - LOWEST)))
    for _ in range(300):
        later = fftconvolve(np.pad(chance, reach, "edge"), share[::-1, ::-1], "valid")
        later = np.where(over, end, later)
        change = float(np.abs(later - chance).max())
        chance = later
        if change < tolerance:
            break
    return chance


def at_score(chance: np.ndarray, own: Any, other: Any) -> Any:
    """The chance to win at these scores."""
    last = chance.shape[0] - 1
    return chance[tuple(np.clip((np.asarray(each) - LOWEST) // STEP, 0, last) for each in (own, other))]


def break_even_at(chance: np.ndarray, bet: Bet, of: np.ndarray, own: int, other: int) -> tuple[Estimate, Estimate]:
    """The chance at which calling these hands breaks even at a score of the match, and what calling all of them gains in chance to win.

    The first solves p W(V₁ + bet) + (1 − p) W(V₁ − bet) = W(V₀) on average, W being the chance to win, taken as known; with W
    a straight line it is ½ + (V₀ − V₁)/(2 bet). Ratio of means, delta method.
    """
    called, silent, bets = bet.called[of], bet.silent[of], bet.bet[of]

    def after(points: np.ndarray, extra: Any = 0) -> np.ndarray:
        return at_score(chance, own + points[:, 0] + extra, other + points[:, 1])

    lost, without = after(called, -bets - bet.value), after(silent)
    swing = after(called, -bets + bet.value) - lost
    ratio = float((without - lost).sum() / swing.sum())
    rest = mean_of(((without - lost) - ratio * swing) / swing.mean(), most=1)
    found = Estimate(ratio, ratio + rest.low - rest.estimate, ratio + rest.high - rest.estimate, rest.n, rest.se, "delta")
    return found, mean_of(after(called) - without, most=1)


def tell_of_match_score(s: Study, base: Result, bet: Bet) -> None:
    """The chance that a Grand Tichu needs, by the score of the match."""
    s.heading("The score of the match")
    of = bet.high >= STRONG
    if of.sum() < FEW:
        s.text("So few games have too few strong hands to say what the score of the match changes.")
        return
    chance = chances_to_win(base.frame[["score_0", "score_1"]].to_numpy())
    found = {f"{own}–{other}": break_even_at(chance, bet, of, own, other) for own, other in SCORES}
    plain = bet.break_even(of)
    s.text(
        f"`{PLAYER}` does not look at the score, so a match is a row of like rounds: from the {base.games:,} rounds played one can compute the chance to win from each score. A Grand Tichu then breaks even where it "
        "leaves that chance, rather than the points, as it would have been without."
    )
    s.table(
        pd.DataFrame(
            [
                {"score": score, "chance to win before the round": f"{100 * at_score(chance, *SCORES[k]):.1f} %", "breaks even at": short(found[score][0], percent=True), "gain in chance to win, percentage points": signed(scaled(found[score][1], 100))}
                for k, score in enumerate(found)
            ]
        ).set_index("score"),
        caption=f"Grand Tichu called on every hand with {STRONG} or more high cards among the first eight, by the score of the match, the caller's team first: the chance at which it breaks even, and what it gains (n = {int(of.sum()):,} deals "
        f"at each score; 95 % intervals, which take the chances to win as known: these come from {base.games:,} rounds). In points, whatever the score, it breaks even at {short(plain, percent=True)}.",
    )  # fmt: skip
    s.figure(
        plots.dots(list(found), [each[0] for each in found.values()], x="chance at which Grand Tichu breaks even", percent=True, reference=0.5),
        caption=f"The chance that a Grand Tichu needs, by the score of the match (own team first), for hands with {STRONG} or more high cards; 95 % intervals (n = {int(of.sum()):,} deals a point).",
        alt="A point with its interval for each score of the match, next to a dashed line at one half.",
    )  # fmt: skip
    start = found["0–0"][0]
    moved = [
        f"{score}: {short(each[0], percent=True)}" for score, each in found.items() if each[0].low > start.high or each[0].high < start.low
    ]
    s.finding(
        f"The score changes the chance that a Grand Tichu needs: at 0–0 {percent(start)}; clearly otherwise at {'; '.join(moved)} (own team's score first)."
        if moved
        else f"A Grand Tichu needs a chance of {percent(start)} at 0–0; at none of the {len(found) - 1} other scores tried is it clearly another."
    )


# --------------------------------------------------------------------------------------------------------------- Tichu


def tell_of_tichu(s: Study) -> None:
    """Tichu by high cards, called before and after the push."""
    s.heading("Tichu")
    before = forced(s, "steady[grand=never,tichu=always]", SILENT, "high_dealt_0", TICHU_VALUE)
    after = forced(s, "steady[grand=never,tichu=always]", SILENT, "call_high_0", TICHU_VALUE, tichu_windows="w2+w3")
    show_bet(s, before, "Tichu before the push", "of the 14 dealt")
    groups = show_bet(s, after, "Tichu after the push", "in hand after the push")
    say_from_when(s, after, groups, "Tichu after the push", "in hand")
    tell_when_to_call(s, before, after)


def tell_when_to_call(s: Study, before: Bet, after: Bet) -> None:
    """Whether a Tichu had better be called before or after the push, on the same deals; the other players may differ in when they call."""
    n = min(len(before.made), len(after.made))
    groups = {high: before.high == high for high in range(HIGHEST + 1)}
    earlier = {high: mean_of((before.gain - after.gain)[group]) for high, group in groups.items() if n == len(group) and group.sum() >= FEW}
    if not earlier:
        return
    s.figure(
        plots.lines(list(earlier), {"before less after": list(earlier.values())}, xlabel="high cards of the 14 dealt", ylabel="points", reference=0),
        caption=f"What a Tichu called before the push gains more (above 0) or less than one called after it, on the same deals, with 95 % intervals (n = {n:,} deals). Before it the partner still can push its best card to the caller. Calls after the push are played with `tichu_windows = w2+w3`.",
        alt="A line with intervals over the number of high cards dealt, about a dashed line at 0.",
    )  # fmt: skip
    clear = {high: figure for high, figure in earlier.items() if sign(figure)}
    said = "; ".join(f"with {high} high card{'s' * (high != 1)} dealt {in_points(figure, 'deals')}" for high, figure in clear.items())
    s.finding(
        f"Called before the push rather than after it, a Tichu gains: {said}. The hand must then be judged before it is known."
        if clear
        else f"Whether a Tichu is called before or after the push makes no clear difference in these games (n = {n:,} deals)."
    )


# ------------------------------------------------------------------------------------------------------------ policies


def tell_of_policies(s: Study) -> None:
    """What rules for calling are worth against players who never call."""
    s.heading("Rules for calling")
    level = 1 - 0.05 / len(POLICIES)
    worth = {name: lead_by_deal(s.compare("tichu", player, SILENT, s.games / 10), level) for name, player in POLICIES.items()}
    deals = next(iter(worth.values())).n
    s.figure(
        plots.dots(list(worth), list(worth.values()), x="points a round", reference=0),
        caption=f"What a team gains by a rule for calling over a team that plays alike and never calls, in points a round, with intervals that hold together (95 %; n = {deals:,} deals each, played twice with the teams exchanged).",
        alt="A point with its interval for each rule for calling, next to a dashed line at 0.",
    )  # fmt: skip
    best = max(worth, key=lambda name: worth[name].estimate)
    loses = [name for name in worth if sign(worth[name]) < 0]
    said = f" Worse than never to call: {'; '.join(f'{name} ({signed(worth[name])})' for name in loses)}." if loses else ""
    if sign(worth[best]) > 0:
        s.finding(
            f"Of the {len(worth)} rules for calling tried the one that gains most over never calling is “{best}”: {signed(worth[best])} points a round (n = {deals:,} deals each; the {len(worth)} intervals hold together).{said}"
        )
    else:
        s.finding(
            f"No rule for calling of the {len(worth)} tried clearly gains over never calling in these games (n = {deals:,} deals each).{said}"
        )
