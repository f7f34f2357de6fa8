"""How long is a game of War, and what makes it longer or shorter?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from simkit import Result, Sweep
from simkit.plots import DASHES, SERIES, bars, dots, estimates, legend, lines, short, survival
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import wilson, z_value
from simkit.stats.tails import ExponentialTail, exponential_tail, gpd_shape, tail_test
from simkit.study import Study, compare, study

PACE = 5
"""Seconds a battle takes at the table: an assumption, to speak of minutes."""
TAIL = 0.95
"""The tail begins at this quantile; chosen before looking, so that the test is fair."""
DOUBT = 0.01
"""A fit is called bad below this p-value, or if the interval of its shape at this level leaves out 0."""
ENOUGH = 1000
"""Games in the tail below which nothing is claimed of its law."""
DIRECTIONS = {1: "longer", -1: "shorter"}


@study(title="How long is a game of War?", games=1_000_000)
def war_length(s: Study) -> None:
    """How long War is: the distribution, its tail, and what the house rules do to it."""
    s.question(
        "War has the name of a game that never ends. How long is it really, how sure can one be that it ends, and which house rules make it bearable?"
    )
    s.method(
        f"The default rules: two players, 52 cards, three cards face down in a war, won cards picked up in random order. Length is counted in "
        f"battles (a war belongs to the battle that began it). {s.games:,} games of the default rules; every other rule is played on {part(s):,} deals, "
        f"the same deals for every setting, so that differences are paired. Where a game does not finish, means are of the finished games, medians count it as longer than "
        f"any, and its share is given. A difference is claimed only where intervals do not overlap or, for paired differences, where 0 lies outside the interval widened for all the "
        f"comparisons of that section. Minutes assume {PACE} seconds a battle."
    )
    if s.games < 50_000:
        s.text(
            f"**A small run.** With {s.games:,} games the intervals are wide, and little can be said of rare long games; the study is meant for 1,000,000."
        )
    main = s.run("war", columns="battles")
    distribution(s, main)
    tail(s, main)
    face_down(s)
    pickup(s)
    short_war(s)


def part(s: Study) -> int:
    """Games for each setting of a sweep."""
    return max(100, s.games // 10)


def minutes(battles: float) -> str:
    """A number of battles as time at the table."""
    return "–" if not math.isfinite(battles) else f"{battles * PACE / 60:,.0f}" if battles * PACE >= 600 else f"{battles * PACE / 60:,.1f}"


def span_words(estimate: Estimate) -> str:
    """A quantile with its interval and n, for a sentence."""
    return quantile_text(estimate).replace(" (", " battles (").replace(")", f", 95 %, n = {estimate.n:,})")


# --------------------------------------------------------------------------------------------------------- distribution


def distribution(s: Study, main: Result) -> None:
    """How long games are under the default rules."""
    s.heading("The length of a game")
    mean, median = main.mean("battles"), main.quantile("battles", 0.5)
    lean = "above" if mean.low > median.high else "below" if mean.high < median.low else None
    skew = f", {lean} the median: a few very long games pull it {'up' if lean == 'above' else 'down'}" if lean else ""
    s.finding(
        f"Half of all games of War are over within {span_words(median)}, about {minutes(median.estimate)} minutes at {PACE} seconds a battle. The mean is {mean.text()}{skew}."
    )
    early, late = main.quantile("battles", 0.05), main.quantile("battles", 0.95)
    s.text(f"One game in twenty is over within {span_words(early)}, and one in twenty takes more than {span_words(late)}.")
    if main.unfinished:
        s.text(f"Unfinished: {wilson(main.unfinished, main.games).text(percent=True)} of the games.")
    s.figure(
        main.plot.length(),
        caption=f"How long games last. Bars: share of games, each with its 95 % interval; n = {main.games:,}.",
        alt=f"Histogram of the battles in a game, rising to a peak below the median of {median.estimate:,.0f} and falling off slowly to the right.",
    )
    shown = [(f"{100 * q:g} %", main.quantile("battles", q)) for q in (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999)]
    s.table(
        pd.DataFrame(
            {
                "share of games": [name for name, _ in shown],
                "battles": [each for _, each in shown],
                "minutes": [each.estimate for _, each in shown],
            }
        ),
        caption=f"Quantiles: the battles within which so many of all games are over, with 95 % intervals, and the time at {PACE} seconds a battle; n = {main.games:,}.",
        formats={"battles": quantile_text, "minutes": minutes},
    )


# ----------------------------------------------------------------------------------------------------------------- tail


def tail(s: Study, main: Result) -> None:
    """Whether very long games follow an exponential law."""
    s.heading("Very long games")
    values, counts = main.distribution("battles")
    try:
        fit, test, shape = exponential_tail(values, counts, TAIL), tail_test(values, counts, TAIL), gpd_shape(values, counts, TAIL)
    except ValueError:
        s.text(
            f"{main.games:,} games are too few to say what law very long games follow: too few lie beyond the {100 * TAIL:g} % quantile."
        )
        s.figure(
            main.plot.survival(),
            caption=f"Share of games still going on, with a 95 % band for the whole curve; n = {main.games:,}.",
            alt="Falling curve on a logarithmic axis.",
        )
        return
    half = math.log(2) * fit.scale.estimate
    halves = Estimate(half, math.log(2) * fit.scale.low, math.log(2) * fit.scale.high, fit.k)
    wide = gpd_shape(values, counts, TAIL, 1 - DOUBT)
    straight = wide.low <= 0 <= wide.high and test.p_value >= DOUBT
    verdict = f"(p = {test.p_value:.2g} of the fit, shape {short(shape)}, {fit.k:,} games beyond {fit.threshold:,} battles)"
    if fit.k < ENOUGH:
        s.text(
            f"Too few very long games were seen to say whether they follow an exponential law {verdict}; the curve and the fit are shown as they are."
        )
    elif straight:
        s.finding(
            f"Very long games are consistent with an exponential law {verdict}: a game that has lasted {fit.threshold:,} battles "
            f"has even chances to last another {halves.text()}, and so again after those."
        )
    elif wide.low > 0:
        s.finding(f"Very long games are more frequent than an exponential law allows {verdict}.")
    elif wide.high < 0:
        s.finding(f"Very long games are rarer than an exponential law would have them {verdict}.")
    else:
        s.finding(f"An exponential law does not quite fit very long games {verdict}.")
    s.figure(
        tail_figure(main, fit),
        caption=f"Share of games still going on after so many battles, on a logarithmic axis, with a 95 % band for the whole curve (n = {main.games:,}). Dashed: the exponential law fitted beyond "
        f"{fit.threshold:,} battles, with the 95 % interval of its scale (n = {fit.k:,}). A straight line means that the past of a game says nothing of its future.",
        alt="The share of games still going on falls along a nearly straight line on a logarithmic axis; a dashed fitted line runs along its right-hand part.",
    )
    ratio = [
        Estimate(*(getattr(share, name) * fit.k / expected for name in ("estimate", "low", "high")), fit.k)
        for share, expected in zip(wilson(test.observed, np.full(len(test.observed), fit.k)).cells(), test.expected, strict=True)
    ]
    edges = [fit.threshold, *test.upper.tolist()]
    names = [f"{a + 1:,}–{b:,}" for a, b in itertools.pairwise(edges)] + [f"over {edges[-1]:,}"]
    s.figure(
        dots(names, ratio, x="games seen / games the fitted law expects", y="battles", reference=1),
        caption=f"The fit, looked at closely: {len(names)} groups of lengths that the fitted law makes about equally frequent, with 95 % intervals (n = {fit.k:,} games in the tail).",
        alt="Ratios of observed to expected games in groups of lengths, scattered about one.",
    )
    checks = tail_table(values, counts)
    failing = checks[checks["p-value"] < DOUBT / len(checks)]
    if straight and fit.k >= ENOUGH and len(failing):
        told = ", ".join(f"{row['beyond']} (p = {row['p-value']:.2g}, shape {short(row['shape'])})" for _, row in failing.iterrows())
        s.text(f"The law is not exact, though: from other thresholds on the same test finds a departure, beyond {told}.")
    s.table(
        checks,
        caption=f"The same fit from other thresholds on, as a check ({100 * TAIL:g} % was chosen beforehand). Half-life: battles after which half of the games still going on are over. A shape of 0 is "
        f"exponential, above 0 heavier. Small p-values speak against the law. 95 % intervals; n is the number of games beyond the threshold.",
        formats={"battles": "{:,}", "n": "{:,}", "half-life": short, "shape": short, "p-value": "{:.2g}"},
    )


def tail_figure(main: Result, fit: ExponentialTail) -> Any:
    """The survival curve with the fitted law."""
    figure = survival({"games": main})
    axes = figure.axes[0]
    start = fit.k / main.games
    x = np.linspace(fit.threshold, axes.get_xlim()[1], 40)
    fitted = [start * np.exp(-(x - fit.threshold) / scale) for scale in (fit.scale.estimate, fit.scale.low, fit.scale.high)]
    axes.fill_between(x, fitted[1], fitted[2], color=SERIES[1], alpha=0.25, linewidth=0)
    axes.plot(x, fitted[0], color=SERIES[1], linestyle=DASHES[1], label="exponential law")
    legend(axes)
    return figure


def tail_table(values: np.ndarray, counts: np.ndarray) -> pd.DataFrame:
    """The tail's scale and shape from several thresholds on."""
    rows = []
    for q in (0.5, 0.75, 0.9, 0.95, 0.99):
        try:
            fit, test, shape = exponential_tail(values, counts, q), tail_test(values, counts, q), gpd_shape(values, counts, q)
        except ValueError:
            continue
        scale = fit.scale
        halves = Estimate(*(math.log(2) * each for each in (scale.estimate, scale.low, scale.high)), scale.n)
        rows.append(
            {"beyond": f"{100 * q:g} %", "battles": fit.threshold, "n": fit.k, "half-life": halves, "shape": shape, "p-value": test.p_value}
        )
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------------------------------------------- house rules


def differences(frame: pd.DataFrame) -> list[Estimate]:
    """The paired differences of a sweep from its default."""
    rows = zip(*(frame[name].tolist() for name in ("difference", "difference_low", "difference_high", "difference_n")), strict=True)
    return [Estimate(*row) for row in rows]


def setting_table(s: Study, sweep: Sweep, name: str, label: str) -> None:
    """A row a setting: mean, paired difference, median, 95 % quantile; and a table of unfinished games, if there are any."""
    frame = sweep.frame
    results = sweep.results
    table = pd.DataFrame({
        label: frame[name].astype(str),
        "mean battles": estimates(frame, "battles"),
        "difference": differences(frame),
        "median": [each.quantile("battles", 0.5) for each in results],
        "95 % end within": [each.quantile("battles", 0.95) for each in results],
        "minutes": [each.quantile("battles", 0.5).estimate for each in results],
    })  # fmt: skip
    formats: dict[str, Callable] = {
        "mean battles": short, "difference": lambda each: "default" if each.low == each.high == 0 else short(each),
        "median": quantile_text, "95 % end within": quantile_text, "minutes": minutes,
    }  # fmt: skip
    s.table(
        table,
        caption="Means of the finished games, differences from the default on the same deals, medians and 95 % quantiles (an unfinished game counts as longer than any), "
        f"and the minutes of the median game; 95 % intervals, n = {results[0].games:,} games each.",
        formats=formats,
    )
    if not any(each.unfinished for each in results):
        s.text(
            f"No game was endless or cut off under any of these; {short(wilson(0, results[0].games), percent=True)}, 95 %, n = {results[0].games:,} each."
        )
        return
    ends = pd.DataFrame(
        {
            label: table[label],
            "endless": estimates(frame, "endless_rate"),
            "cut off": estimates(frame, "capped_rate"),
            "games": [each.games for each in results],
            "finished": [each.games - each.unfinished for each in results],
        }
    )
    percent = {column: lambda each: short(each, percent=True) for column in ("endless", "cut off")}
    s.table(
        ends,
        caption="How many games do not end: proved endless, or cut off at the limit; 95 % intervals. Where there are many, the mean of those that do end is no guide to the rest.",
        formats=percent,
    )


def quantile_text(estimate: Estimate) -> str:
    """A quantile with its interval; unfinished games may make it infinite, few games its ends."""
    if math.isinf(estimate.estimate):
        return "∞"
    ends = [f"{end:,.0f}" if math.isfinite(end) else "∞" if end > 0 else "?" for end in (estimate.low, estimate.high)]
    return f"{estimate.estimate:,.0f} ({ends[0]}–{ends[1]})"


def face_down(s: Study) -> None:
    """More cards face down in a war."""
    s.heading("Cards face down in a war")
    sweep = s.sweep("war", {"face_down": "0:10"}, games=part(s), column="battles")
    means = estimates(sweep.frame, "battles")
    steps = [compare(later, earlier) for earlier, later in itertools.pairwise(means)]
    ends = f"from {means[0].text()} battles with none to {means[-1].text()} with ten"
    overall = compare(means[-1], means[0])
    if overall and all(step == overall for step in steps):
        s.finding(f"Every further card face down makes the game {DIRECTIONS[overall]}: {ends}.")
    elif overall:
        s.finding(
            f"More cards face down make the game {DIRECTIONS[overall]}: {ends}; between some neighbouring numbers no difference is shown."
        )
    else:
        s.finding(f"No effect of the number of cards face down is shown ({ends}).")
    s.figure(
        lines(range(11), {"mean": means}, xlabel="cards face down in a war", ylabel="battles, mean", zero=True),
        caption=f"Mean length by the number of cards face down, with 95 % intervals (narrower than the points where n is large); n = {part(s):,} each.",
        alt="Line of the mean length against the number of cards face down, from none to ten.",
    )
    setting_table(s, sweep, "face_down", "face down")


def pickup(s: Study) -> None:
    """In which order won cards are picked up."""
    s.heading("How won cards are picked up")
    s.text(
        "The rules say only that won cards go to the bottom. In which order they go there decides whether the game can run in circles. Under the orders without chance a game that repeats a position "
        "is proved endless; where chance plays a part it cannot be, and a game that takes 10,000 battles is cut off and counted as capped. With `player_choice` the winner chooses an order at random each time."
    )
    sweep = s.sweep("war", {"pickup_order": "all"}, games=part(s), column="battles")
    names, results = [str(name) for name in sweep.frame["pickup_order"]], sweep.results
    means = dict(zip(names, estimates(sweep.frame, "battles"), strict=True))
    never = {name: wilson(result.unfinished, result.games) for name, result in zip(names, results, strict=True)}
    bad = {name: share for name, share in never.items() if share.estimate > 0}
    good = [name for name in names if name not in bad]
    if bad:
        told = "; ".join(f"`{name}` {share.text(percent=True)}" for name, share in sorted(bad.items(), key=lambda each: -each[1].estimate))
        s.finding(f"Some orders leave games without an end (endless or cut off): {told}.")
    if good:
        highest = max(never[name].high for name in good)
        s.finding(
            f"Under {'every order' if not bad else f'the other {len(good)} orders'} no game of {results[0].games:,} each failed to end, so that fewer than {100 * highest:.2g} % do (95 %, each)."
        )
        ranked = sorted(good, key=lambda name: means[name].estimate)
        quickest, slowest = ranked[0], ranked[-1]
        clear = len(ranked) > 1 and all(compare(means[other], means[quickest]) > 0 for other in ranked[1:])
        if clear:
            s.finding(
                f"Of the orders under which every game ended, `{quickest}` gives the shortest games, {means[quickest].text()} battles; next is `{ranked[1]}` with {means[ranked[1]].text()}."
            )
        elif len(ranked) > 1 and compare(means[slowest], means[quickest]) > 0:
            s.finding(
                f"The order matters: `{quickest}` gives {means[quickest].text()} battles and `{slowest}` {means[slowest].text()}, but which order is shortest is not settled."
            )
        else:
            s.finding("Among the orders under which every game ended no difference in length is shown.")
        gaps = dict(zip(names, differences(sweep.frame), strict=True))
        same = [name for name in good if name != "shuffled" and near_zero(gaps[name], len(names) - 1)]
        if same:
            s.text(f"Not told apart from the default `shuffled` on the same deals: {', '.join(f'`{name}`' for name in same)}.")
    s.figure(
        bars(names, list(never.values()), x="share of games without an end", percent=True),
        caption=f"Games that are endless or were cut off, by pick-up order, with 95 % intervals; n = {part(s):,} each.",
        alt="Bars of the share of games without an end for each pick-up order.",
    )
    s.figure(
        bars(names, list(means.values()), x="battles, mean of the finished games"),
        caption=f"Mean length of the finished games by pick-up order, with 95 % intervals; n = {min(each.n for each in means.values()):,} to {max(each.n for each in means.values()):,} finished games each.",
        alt="Bars of the mean length for each pick-up order.",
    )
    setting_table(s, sweep, "pickup_order", "order")


def near_zero(difference: Estimate, comparisons: int) -> bool:
    """Whether a difference could be 0, with the interval widened for so many comparisons at once (Bonferroni)."""
    wider = z_value(1 - (1 - difference.level) / comparisons) / z_value(difference.level)
    return not abs(difference.estimate) > wider * difference.half_width


def short_war(s: Study) -> None:
    """What happens to a player who runs short of cards in a war."""
    s.heading("Too few cards for a war")
    s.text(
        "A player who cannot lay all the cards of a war may turn the last one up (the default), may lose at once, or both may lay only as many as the shorter one has."
    )
    sweep = s.sweep("war", {"short_war_rule": "all"}, games=part(s), column="battles")
    frame = sweep.frame
    gaps = {name: each for name, each in zip(frame["short_war_rule"], differences(frame), strict=True) if name != "last_card_up"}
    clear = {name: each for name, each in gaps.items() if not near_zero(each, len(gaps))}
    if clear:
        told = "; ".join(
            f"`{name}` {each.estimate:+.1f} ({each.low:+.1f} to {each.high:+.1f})".replace("-", "\N{MINUS SIGN}")
            for name, each in clear.items()
        )
        words = {sign for each in clear.values() for sign in (["shorter"] if each.high < 0 else ["longer"])}
        s.finding(
            f"The rule for a player short of cards changes the length. Against turning the last card up, games are {' or '.join(sorted(words))} in battles by: {told} (95 %, n = {part(s):,} deals, paired)."
        )
    unclear = [name for name in gaps if name not in clear]
    if unclear:
        s.finding(
            f"No difference in length from turning the last card up is shown for {', '.join(f'`{name}`' for name in unclear)} (n = {part(s):,} deals)."
        )
    s.figure(
        dots([str(name) for name in frame["short_war_rule"]], estimates(frame, "battles"), x="battles, mean"),
        caption=f"Mean length by the rule for a player short of cards, with 95 % intervals; n = {part(s):,} each.",
        alt="Points of the mean length for each rule.",
    )
    setting_table(s, sweep, "short_war_rule", "rule")
