"""How far to push in TEN: when to stop, what a bust costs, and whether a bust on purpose is ever right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from analyses._ten import (
    EXACT_PLAN,
    FIELD,
    QUICK_PLAN,
    SPLITS,
    Figures,
    alone,
    change,
    clear,
    family,
    grouped,
    in_points,
    instead,
    listed,
    percent,
    ratio_of,
    scaled,
    signed,
)
from simkit import plots
from simkit.plots import short
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simkit.stats.estimate import Estimate
    from simkit.study import Study

THRESHOLDS = (4, 5, 6, 7, 8, 9, 10)
"""Running totals T from which a player stops."""
WAYS = {
    **{f"at T of {t}": f"threshold(t={t})" for t in THRESHOLDS},
    "at a risk above 20 %": "risk(q=0.2)",
    "at a risk above 35 %": "risk(q=0.35)",
    "by one more draw's worth": "ev",
    "by a quick plan": QUICK_PLAN,
    "by the exact plan": EXACT_PLAN,
}
"""Ways to decide when to stop, and the part of each."""
QUICK, EXACT = "by a quick plan", "by the exact plan"
NEAR = (5, 6, 7, 8)
"""Thresholds that are tried with every currency split."""
TURNS = (1, 3, 5, 7)
"""Own turns in which a player is made to bust."""
COLUMNS = (
    "score",
    "cards_drawn",
    "turns_numbers",
    "turns_money",
    "turns_number_bust",
    "turns_currency_bust",
    "turns_empty",
    "tokens_granted",
)
OWN_TURNS = ("turns_numbers", "turns_money", "turns_number_bust", "turns_currency_bust", "turns_empty")
BUSTS = ("turns_number_bust", "turns_currency_bust")


class Purpose(NamedTuple):
    """When to bust on purpose: instead of a gain of at most so many points, with at most so much currency, and so many coins at least."""

    gain: int
    most: int
    coins: int

    def part(self, threshold: int) -> str:
        return f"bust_on_purpose(t={threshold}, gain={self.gain}, most={self.most}, coins={self.coins})"


PURPOSES = {
    "no gain, C = 0, at the coin limit": Purpose(0, 0, 10),
    "no gain, C = 0": Purpose(0, 0, 0),
    "no gain, C up to 3": Purpose(0, 3, 0),
    "gain up to 1, C = 0, at the coin limit": Purpose(1, 0, 10),
    "gain up to 1, C = 0": Purpose(1, 0, 0),
}
"""Occasions to bust on purpose, in words."""


@study(title="TEN: how far should one push?", games=10_000)
def ten_push(s: Study) -> None:
    """When to stop in TEN, what a bust costs in points and in wins, and whether a bust on purpose is ever right."""
    s.question(
        "In TEN one draws on until one stops or until the numbers less the currency exceed 10. When should one stop: at a fixed total, at a fixed risk, or by a calculation? "
        "A bust loses the turn's cards, pays the others, and gives a token worth 3: what does it cost in the end? And since a token is worth something, and lies outside the "
        "limit of ten coins, is it ever right to bust on purpose?"
    )
    deals = s.games // 30
    s.method(
        f"One player sits at a table of four with three others, who all play `{FIELD}`; it plays so too, except for the decision in question. Each deal is played four times, with this "
        "player in every seat; an even share of the games is 25 %; what is best against them need not be so against others. All ways are tried on the same deals, so that differences are of the same luck. "
        "T is the running total (numbers less currency), C the currency shown. Intervals are 95 % ones, with the deal as the unit. "
        "All deals are of four players' full deck, of which everything is known but for the currency split (docs/rules/ten.md, D2); the last part tries other splits."
    )
    tried = tell_of_ways(s, deals)
    best = best_threshold({t: tried[f"at T of {t}"] for t in THRESHOLDS})
    tell_of_the_plan(s, tried, best)
    tell_of_busts(s, deals, tried[f"at T of {best}"], best)
    tell_of_purpose(s, deals, tried[f"at T of {best}"], best)
    tell_of_splits(s, deals, tried)


# ------------------------------------------------------------------------------------------------------- when to stop


def tell_of_ways(s: Study, deals: int) -> dict[str, Figures]:
    """Each way to stop against a table of the good player."""
    s.heading("When to stop")
    # the exact plan takes about thirty times as long
    tried = {name: alone(s, instead(part), COLUMNS, deals if part != EXACT_PLAN else s.games // 100) for name, part in WAYS.items()}
    s.table(
        pd.DataFrame([
            {
                "stops": name,
                "games won": short(each.won, percent=True),
                "points": short(each.mean("score")),
                "turns that bust": short(each.ratio(BUSTS, OWN_TURNS), percent=True),
                "cards a turn": short(each.ratio(["cards_drawn"], OWN_TURNS)),
                "deals": each.deals,
            }
            for name, each in tried.items()
        ]).set_index("stops"),
        caption=f"One player who stops in its own way, the three others playing `{FIELD}` (n = deals, each played from four seats; 95 % intervals). "
        "Cards a turn: wilds among them.",
    )  # fmt: skip
    s.figure(
        plots.dots(list(tried), [each.won for each in tried.values()], x="games won", percent=True, reference=0.25),
        caption=f"Games won by one player who stops in its own way; 25 % is even; 95 % intervals (n = {tried[QUICK].deals:,} deals, each played from four seats; {tried[EXACT].deals:,} for the exact plan).",
        alt="A row for each way to stop, with the share of games won and its interval, about a dashed line at 25 %.",
    )
    thresholds = {t: tried[f"at T of {t}"] for t in THRESHOLDS}
    s.figure(
        plots.lines(
            list(thresholds), {"games won": [each.won for each in thresholds.values()], "turns that bust": [each.ratio(BUSTS, OWN_TURNS) for each in thresholds.values()]},
            xlabel="running total at which one stops", ylabel="share", percent=True, reference=0.25,
        ),
        caption=f"Games won, and turns that end in a bust, by the threshold at which one stops; the dashed line is an even share of games; 95 % intervals (n = {deals_of(thresholds):,} deals).",
        alt="Two lines against the threshold: the share of games won, and the rising share of turns that bust.",
    )  # fmt: skip
    return tried


def deals_of(tried: Mapping[Any, Figures]) -> int:
    """The deals that all of these were tried on."""
    return min(each.deals for each in tried.values())


def best_threshold(thresholds: Mapping[int, Figures]) -> int:
    """The threshold with the largest share of games."""
    return max(thresholds, key=lambda t: thresholds[t].won.estimate)


def not_clearly_worse(tried: Mapping[int, Figures], best: int) -> list[int]:
    """The best, and the others of which the same deals do not show that they are worse."""
    level = family(len(tried) - 1)
    return [t for t in tried if t == best or clear(change(tried[t], tried[best], level=level)) >= 0]


def tell_of_the_plan(s: Study, tried: Mapping[str, Figures], best: int) -> None:
    """Which thresholds may be the best, and what calculating brings."""
    thresholds = {t: tried[f"at T of {t}"] for t in THRESHOLDS}
    candidates = not_clearly_worse(thresholds, best)
    top = thresholds[best].won
    if len(candidates) == 1:
        s.finding(
            f"The best fixed total to stop at is {best}: it wins {percent(top)} of the games against three `{FIELD}` players, clearly more than every other."
        )
    else:
        s.finding(
            f"The best fixed total to stop at is among {listed([str(t) for t in candidates])} (these are not clearly different); {best} wins {percent(top)} of the games against three `{FIELD}` players."
        )
    say_which_way_is_best(s, tried)
    words = {1: "is better than", -1: "is worse than", 0: "is not clearly different from"}
    gain, points = change(tried[EXACT], thresholds[best]), change(tried[EXACT], thresholds[best], "score")
    s.finding(
        f"Stopping by the best plan for the turn (`{EXACT_PLAN}`: all that may still be drawn in it, with fixed values of a card's points and of coins) {words[clear(gain)]} the best fixed total, {best}: "
        f"{in_points(gain)} of the games, {signed(points)} points."
    )
    quick = change(tried[QUICK], thresholds[best])
    s.text(
        f"The quick plan (`{QUICK_PLAN}`, as if each card drawn were put back) {words[clear(quick)]} the best fixed total: {in_points(quick)}."
    )


def say_which_way_is_best(s: Study, tried: Mapping[str, Figures]) -> None:
    """The best of all ways tried, and those that may be as good."""
    best = max(tried, key=lambda name: tried[name].won.estimate)
    level = family(len(tried) - 1)
    rest = [name for name in tried if name != best and clear(change(tried[name], tried[best], level=level)) >= 0]
    others = f"not clearly worse: {listed(rest)}" if rest else "all others win clearly fewer"
    s.text(
        f"Of all ways tried, stopping {best} wins most, {percent(tried[best].won)} of the games; {others}. (The one that did best was also lucky: the best of several is flattered by its choice.)"
    )


# --------------------------------------------------------------------------------------------------------------- busts


def lost_a_bust(made: Figures, base: Figures, column: str) -> Estimate:
    """What is lost for each bust more, on the same deals."""
    more = sum(made.frame[bust] - base.frame[bust] for bust in BUSTS)
    return ratio_of((base.frame[column] - made.frame[column]).to_numpy(), more.to_numpy())


def tell_of_busts(s: Study, deals: int, base: Figures, threshold: int) -> None:
    """What one bust costs, by when it comes."""
    s.heading("What a bust costs")
    made = {turn: alone(s, instead(f"bust_in_turn(t={threshold}, turn={turn})"), COLUMNS, deals) for turn in TURNS}
    rows, points, wins = [], {}, {}
    for turn, each in made.items():
        more = sum((each.frame[bust] - base.frame[bust]).mean() for bust in BUSTS)
        if more < 0.05:  # the turn hardly ever comes
            continue
        points[turn], wins[turn] = lost_a_bust(each, base, "score"), lost_a_bust(each, base, "win_share")
        rows.append({"own turn": turn, "points lost": short(points[turn]), "games lost, percentage points": short(scaled(wins[turn], 100))})
    s.text(
        "A player draws on until it busts, in one of its turns only; on the same deals it plays that turn as it otherwise would. What it loses, for each bust that it has more, is the cost of a bust "
        "instead of a turn as usual: the cards and coins it would have taken, less the token, and what the others get by it. (Drawing on also uses up cards, and may bring a wild to auction.)"
    )
    if not rows:
        s.finding(f"In so few games no turn shows the cost of a bust (n = {base.deals:,} deals).")
        return
    s.table(
        pd.DataFrame(rows).set_index("own turn"),
        caption=f"What a bust costs a player who otherwise stops at {threshold}, by the turn in which it comes (n = {base.deals:,} deals, each played from four seats; 95 % intervals).",
    )
    s.figure(
        plots.lines(
            list(points),
            {"points": list(points.values())},
            xlabel="own turn in which one busts",
            ylabel="points lost by a bust",
            reference=0,
        ),
        caption=f"Points lost by a bust, by the turn in which it comes, with 95 % intervals (n = {base.deals:,} deals).",
        alt="A line of the points lost by a bust against the turn.",
    )
    costs = [turn for turn in wins if clear(wins[turn]) > 0]
    first, last = min(points), max(points)
    trend = (
        "more than"
        if points[last].low > points[first].high
        else "less than"
        if points[last].high < points[first].low
        else "not clearly other than"
    )
    said = (
        f"a bust in the first turn costs {points[first].text()} points"
        if first == 1
        else f"a bust in turn {first} costs {points[first].text()} points"
    )
    s.finding(
        f"Measured on the same deals, {said} and {short(scaled(wins[first], 100))} percentage points of the games; in turn {last} it costs {points[last].text()} points, {trend} that."
    )
    if len(costs) < len(wins):
        s.text(
            f"The games lost are clear for a bust in {'turn ' + listed([str(turn) for turn in costs]) if costs else 'none of the turns tried'} only."
        )


def tell_of_purpose(s: Study, deals: int, base: Figures, threshold: int) -> None:
    """Whether it pays to bust on purpose."""
    s.heading("To bust on purpose")
    s.text(
        "A token is worth 3, and ten coins are no limit to it. So a player may draw on, hoping to bust, where stopping would bring next to nothing: cards that add few points or none, little currency "
        f"(which a number bust hands to the others), coins up to the limit. Where that is not so it stops at {threshold}."
    )
    tried = {name: alone(s, instead(purpose.part(threshold)), COLUMNS, deals) for name, purpose in PURPOSES.items()}
    level = family(len(tried))
    effects = {name: change(each, base, level=level) for name, each in tried.items()}
    s.table(
        pd.DataFrame([
            {
                "busts on purpose if": name,
                "tokens more a game": signed(change(each, base, "tokens_granted")),
                "points": signed(change(each, base, "score")),
                "games won, percentage points": signed(effects[name], 100),
            }
            for name, each in tried.items()
        ]).set_index("busts on purpose if"),
        caption=f"What busting on purpose changes for a player who otherwise stops at {threshold} (n = {base.deals:,} deals, each played from four seats; 95 % intervals, those of "
        "the games won meant to hold all together).",
    )  # fmt: skip
    s.figure(
        grouped(list(effects), {"games": list(effects.values())}, x="change, percentage points", factor=100, reference=0),
        caption=f"What busting on purpose changes in the share of games won; intervals that hold all together at 95 % (n = {base.deals:,} deals).",
        alt="A row for each occasion to bust on purpose, with the change in games won, about a dashed line at 0.",
    )
    say_whether_purpose_pays(s, effects)


def say_whether_purpose_pays(s: Study, effects: Mapping[str, Estimate]) -> None:
    """The verdict on busting on purpose."""
    good, bad = ([name for name in effects if clear(effects[name]) == sign] for sign in (1, -1))
    said = "; ".join(f"{name}: {in_points(effects[name])}" for name in (good or bad))
    if good:
        s.finding(f"A bust on purpose can be right. It gains games on these occasions: {said}.")
    elif len(bad) == len(effects):
        s.finding(f"A bust on purpose was wrong on every occasion tried: {said}.")
    elif bad:
        s.finding(f"A bust on purpose is clearly right on none of the {len(effects)} occasions tried, and clearly wrong on these: {said}.")
    else:
        widest = max(effects, key=lambda name: effects[name].half_width)
        s.finding(
            f"On none of the {len(effects)} occasions tried is a bust on purpose clearly right or wrong; the least sure change is {in_points(effects[widest])} ({widest})."
        )


# -------------------------------------------------------------------------------------------------- what is not known


def tell_of_splits(s: Study, deals: int, tried: Mapping[str, Figures]) -> None:
    """Whether the answers hold with another currency split."""
    s.heading("If the currency split is another")
    s.text("How many currency cards there are of each value could not be found (docs/rules/ten.md, D2), only that there are 27.")
    parts = {**{f"at T of {t}": f"threshold(t={t})" for t in NEAR}, QUICK: QUICK_PLAN}
    played: dict[str, dict[str, Figures]] = {}
    for split, rules in SPLITS.items():
        played[split] = {
            name: tried[name] if not rules else alone(s, instead(part), COLUMNS, deals // 2, rules=rules) for name, part in parts.items()
        }
    s.table(
        pd.DataFrame([
            {
                "cards of 1/2/3/4/5": split,
                **{name: short(each.won, percent=True) for name, each in ways.items()},
                "deals": deals_of(ways),
            }
            for split, ways in played.items()
        ]).set_index("cards of 1/2/3/4/5"),
        caption=f"Games won by one player among three `{FIELD}` players, by when it stops, with three splits of the 27 currency cards (n = deals, each played from four seats; 95 % intervals).",
    )  # fmt: skip
    say_whether_splits_matter(s, played)


def say_whether_splits_matter(s: Study, played: Mapping[str, Mapping[str, Figures]]) -> None:
    """Whether one threshold may be the best with every split, and whether the plan's verdict changes."""
    candidates, verdicts = {}, {}
    for split, ways in played.items():
        thresholds = {t: ways[f"at T of {t}"] for t in NEAR}
        best = best_threshold(thresholds)
        candidates[split] = not_clearly_worse(thresholds, best)
        verdicts[split] = clear(change(ways[QUICK], thresholds[best]))
    common = [t for t in NEAR if all(t in each for each in candidates.values())]
    said = "; ".join(f"{split}: {listed([str(t) for t in each], 'or')}" for split, each in candidates.items())
    n = ", ".join(f"{deals_of(ways):,}" for ways in played.values())
    if common:
        s.finding(
            f"The best total to stop at does not visibly hinge on the currency split, which is not known: {listed([str(t) for t in common], 'or')} may be the best with each of the three tried (n = {n} deals)."
        )
    else:
        s.finding(
            f"**Hinges on a fact that could not be found**: the best total to stop at depends on the currency split ({said}; n = {n} deals)."
        )
    if len(set(verdicts.values())) == 1:
        s.text("Whether the quick plan beats the best fixed total is answered alike with all three splits.")
    else:
        words = {1: "better", -1: "worse", 0: "not clearly different"}
        s.finding(
            f"Whether the quick plan beats the best fixed total **may hinge on the currency split**, which could not be found: {'; '.join(f'{split}: {words[each]}' for split, each in verdicts.items())} (n = {n} deals)."
        )
    s.text("The cost of a bust and the busts on purpose were measured with the assumed split only.")
