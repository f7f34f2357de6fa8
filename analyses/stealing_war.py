"""Stealing War: whether stealing shortens the game and pays, what the choice of the top card is worth, and who should look first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from simkit import plots
from simkit.plots import short
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, wilson
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simkit.result import Result
    from simkit.study import Study
    from simkit.tournaments import Tournament

STEALERS = {
    "never": "commits every card",
    "fair_coin": "steals all it can if a coin says so",
    "big_pile": "steals 4 cards or more",
    "keep_high": "commits a queen or higher, steals with the rest",
    "count": "weighs its card's chance to win against the pile",
    "war_careful": "steals, but not in a war that it would probably win",
    "always": "steals whatever it can",
}
"""Ways to steal, all with the lowest card of a won pot on top."""
TOPS = {
    "lowest": "the lowest rank",
    "highest": "the highest rank",
    "random": "any",
    "scarce": "of which opponents can hold fewest",
    "safe": "of which no opponent's packet can hold one",
    "unmatched": "which opponents are expected to play least often soon",
}
"""Ways to choose the top card of a won pot, all with stealing whatever one can."""
PRIORITY = {
    "random": "drawn anew for each battle",
    "rotate": "turn by turn, from seat 0 on",
    "seat": "seat 0 always first",
}
WAR_STEAL = {
    "replace": "the thief takes a next card and stays in the war",
    "forfeit": "the thief leaves the war",
    "none": "no steal with the card shown in a war",
}
PLAYERS = (2, 3, 4)


@study(title="Stealing War: does stealing shorten the game, and does it pay?", games=20_000)
def stealing_war(s: Study) -> None:
    """Whether stealing shortens War and pays, how the top card should be chosen, who should look first, and how much rules change."""
    s.question(
        "In Stealing War a won pot goes on a face-up pile, and a player who looks at a card that matches the top of an opponent's pile may steal that whole pile instead of playing the card in the battle. "
        "Does that shorten War, which can go on for ever? Does it pay, and when should one not steal? The winner of a pot chooses which of its cards lies on top: does that matter? Is it better to look first or last?"
    )
    s.method(
        f"{s.games:,} games a setting, fewer where players meet in pairs; each table says how many. A player is two choices: when to steal (`never`, `always`, …) and which card of a won pot goes on top of the pile "
        "(the lowest unless said otherwise). Where players meet, each deal is played with the seats exchanged, and the deal is the unit. "
        "A score is 1 for a win, ½ for a draw. As a control the same game is played with stealing switched off (`stealing_enabled = false`). Intervals are 95 % ones."
    )
    tell_of_length(s)
    tell_whether_it_pays(s)
    tell_of_top_cards(s)
    tell_of_priority(s)
    tell_of_wars(s)
    tell_of_more_players(s)


# ------------------------------------------------------------------------------------------------------------- helpers


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def stolen(result: Result) -> Estimate:
    """Steals a game, of all players together; 0 where nobody may."""
    seats = [f"steals_{seat}" for seat in range(result.plan.seats)]
    if not all(name in result.frame for name in seats):
        return Estimate(0.0, 0.0, 0.0, result.games)
    return mean_of(result.frame[seats].sum(axis=1).to_numpy())


def mean_of(values: np.ndarray) -> Estimate:
    """Mean over games with its interval."""
    values = np.asarray(values, float)
    return mean_interval(len(values), float(values.mean()), float(values.std(ddof=1)))


def ratio_of_means(first: Estimate, second: Estimate) -> Estimate:
    """First over second, of independent games (delta method)."""
    value = first.estimate / second.estimate
    half = 1.96 * value * float(np.hypot((first.se or 0.0) / first.estimate, (second.se or 0.0) / second.estimate))
    return Estimate(value, value - half, value + half, min(first.n, second.n), None, "delta")


def listed(names: Sequence[str]) -> str:
    """`a`, `b` and `c`."""
    marked = [f"`{name}`" for name in names]
    return marked[0] if len(marked) == 1 else f"{', '.join(marked[:-1])} and {marked[-1]}"


# -------------------------------------------------------------------------------------------------------------- length


def tell_of_length(s: Study) -> None:
    """How long games are, by how both play, and with stealing switched off."""
    s.heading("Does it shorten the game?")
    columns = "winner,battles,wars,steals"
    settings: dict[str, dict[str, Any]] = {
        "stealing switched off": {"players": "always", "stealing_enabled": False, "columns": "winner,battles,wars"},
        **{name: {"players": name, "columns": columns} for name in ("never", "fair_coin", "big_pile", "count", "always", "wary")},
    }
    slow = ("stealing switched off", "never")
    played = {
        name: s.run("stealing-war", s.games / 4 if name in slow else s.games, rows=True, **options) for name, options in settings.items()
    }
    rows = [
        {
            "both players": name,
            "battles, mean": short(result.mean("battles")),
            "median": short(result.quantile("battles")),
            "95th percentile": short(result.quantile("battles", 0.95)),
            "wars a game": short(result.mean("wars")),
            "steals a game": short(stolen(result)) if stolen(result).estimate else "none",
            "games": result.games,
        }
        for name, result in played.items()
    ]
    s.table(
        pd.DataFrame(rows).set_index("both players"),
        caption="Length of a game of two in battles, by how both play (`wary` steals whatever it can and chooses its top cards well; n = games; 95 % intervals; a game without an end counts as longer than any).",
    )
    shown = {name: played[name] for name in ("never", "fair_coin", "wary", "always")}
    s.figure(
        plots.survival(shown, "battles", x="battles"),
        caption=f"Share of games that last longer, on a logarithmic axis, with 95 % bands for each whole curve (n = {played['always'].games:,} games each, {played['never'].games:,} without stealing, which is the same with stealing switched off).",
        alt="Falling lines: games with stealing end far sooner than those without.",
    )
    without, with_ = played["never"].mean("battles"), played["always"].mean("battles")
    change = compare(with_, without)
    if change:
        word = "shortens" if change < 0 else "lengthens"
        s.finding(
            f"Stealing {word} War: where both steal whatever they can a game takes {with_.text()} battles on average, where neither steals {without.text()}, "
            f"{short(ratio_of_means(max(with_, without, key=middle), min(with_, without, key=middle)))} times as {'many' if change < 0 else 'few'}."
        )
    else:
        s.finding(f"No clear effect of stealing on the length is shown: {with_.text()} battles with it, {without.text()} without.")
    off = played["stealing switched off"].mean("battles")
    if compare(off, without) == 0:
        s.text(
            f"The control agrees: with stealing switched off a game takes {off.text()} battles, as where both never steal. Piles alone change nothing."
        )
    else:
        s.finding(
            f"The control disagrees: with stealing switched off a game takes {off.text()} battles, where both never steal {without.text()}: look again with another seed."
        )


def middle(figure: Estimate) -> float:
    """The figure itself, to compare by."""
    return figure.estimate


# ---------------------------------------------------------------------------------------------------------------- pays


def show_cross(s: Study, cup: Tournament, names: Mapping[str, str], caption: str) -> None:
    """The cross table of a tournament as a figure, the strongest first. `names`: how each player reads."""
    order = cup.order
    cells = [[None if one == other else cup.score(one, other) for other in order] for one in order]
    labels = [names[player] for player in order]
    s.figure(
        plots.heat(cells, labels, labels, xlabel="score of the row's player against", percent=True, middle=0.5),
        caption=caption,
        alt=f"Cross table of {', '.join(labels)}.",
    )


def tell_whether_it_pays(s: Study) -> None:
    """Ways to steal against each other."""
    s.heading("Does it pay?")
    cup = s.tournament("stealing-war", list(STEALERS), s.games / 40)
    names = dict(zip(cup.players, STEALERS, strict=True))
    n = f"n = {cup.deals:,} deals, each played twice with seats exchanged"
    show_cross(
        s,
        cup,
        names,
        f"Ways to steal, the strongest first: score of the row's player against the column's ({n}; the 95 % intervals hold for all pairs at once).",
    )
    score = dict(zip(cup.players, cup.field, strict=True))
    s.table(
        pd.DataFrame(
            [{"player": names[player], "when it steals": STEALERS[names[player]], "score against the others": short(score[player], percent=True)} for player in cup.order]
        ).set_index("player"),
        caption=f"The ways to steal, and each one's mean score against all the others ({n}; 95 % intervals).",
    )  # fmt: skip
    duel = cup.score(cup.players[list(STEALERS).index("always")], cup.players[list(STEALERS).index("never")])
    pays = "pays" if duel.low > 0.5 else "does not pay" if duel.high < 0.5 else "is not shown to pay"
    s.finding(f"Stealing {pays}: who steals whatever it can scores {short(duel, percent=True)} against who never steals ({n}).")
    always = next(player for player in cup.players if names[player] == "always")
    better = [names[other] for other in cup.players if other != always and cup.score(other, always).low > 0.5]
    worse = [names[other] for other in cup.players if other != always and cup.score(other, always).high < 0.5]
    rest = [names[other] for other in cup.players if other != always and names[other] not in (*better, *worse)]
    said = (
        [f"{listed(better)} {'does' if len(better) == 1 else 'do'} clearly better against it"]
        if better
        else ["no way to hold back does clearly better against it"]
    )
    said += [f"{listed(worse)} {'does' if len(worse) == 1 else 'do'} clearly worse"] if worse else []
    said += [f"{listed(rest)} cannot be told from it"] if rest else []
    s.finding(f"Stealing whatever one can, next to holding back in some way: {'; '.join(said)} ({n}).")


# ----------------------------------------------------------------------------------------------------------- top cards


def tell_of_top_cards(s: Study) -> None:
    """Which card of a won pot to put on top."""
    s.heading("The card on top")
    s.text(
        "A pile can be stolen only with a card of the rank on top of it, and the winner of a pot chooses that card. All these players steal whatever they can and differ in this choice alone."
    )
    cup = s.tournament("stealing-war", [f"always[top={name}]" for name in TOPS], s.games / 40)
    names = dict(zip(cup.players, TOPS, strict=True))
    n = f"n = {cup.deals:,} deals, each played twice with seats exchanged"
    show_cross(
        s,
        cup,
        names,
        f"Ways to choose the card on top, the strongest first: score of the row's player against the column's ({n}; the 95 % intervals hold for all pairs at once).",
    )
    score = dict(zip(cup.players, cup.field, strict=True))
    s.table(
        pd.DataFrame(
            [{"on top": names[player], "which rank": TOPS[names[player]], "score against the others": short(score[player], percent=True)} for player in cup.order]
        ).set_index("on top"),
        caption=f"The ways to choose the card on top, and each one's mean score against all the others ({n}; 95 % intervals). The last three count the cards that have been shown.",
    )  # fmt: skip
    lowest = cup.players[0]
    duels = {other: cup.score(other, lowest) for other in cup.players if other != lowest}
    best = max(duels, key=lambda other: duels[other].estimate)
    if duels[best].low > 0.5:
        s.finding(
            f"The choice of the top card matters: with `{names[best]}` instead of the lowest card a player scores {short(duels[best], percent=True)} ({n})."
        )
    else:
        s.finding(f"No way to choose the top card does clearly better than the lowest card ({n}).")
    candidates = [names[player] for player in cup.best.candidates]
    s.text(
        f"The best way of these is `{candidates[0]}`."
        if len(candidates) == 1
        else f"Any of these may be the best way: {listed(candidates)}; the others are excluded at 95 %."
    )
    control = s.compare("stealing-war", "always[top=unmatched]", "always", s.games / 40, stealing_enabled=False)
    even = control.score.low <= 0.5 <= control.score.high
    s.text(
        f"The control: with stealing switched off, `unmatched` scores {percent(control.score)} against `lowest` (deals), "
        + ("as it must: the choice then means nothing." if even else "which should be even: look again with another seed.")
    )


# ------------------------------------------------------------------------------------------------------------ priority


def tell_of_priority(s: Study) -> None:
    """Who looks first, and whether that is good."""
    s.heading("Who looks first")
    s.text(
        "In each battle the players look at their cards one after the other, and may steal, in an order of priority. Whoever looks later knows more, but a pile may be gone; and a card once "
        "committed cannot steal any more."
    )
    rows, rates, labels = [], [], []
    firsts: dict[str, Result] = {}
    for rule, words in PRIORITY.items():
        for player in ("always", "wary"):
            result = s.run("stealing-war", players=player, steal_priority=rule, columns="winner,battles")
            rate = result.win_rate(0)
            if rule == "seat":
                firsts[player] = result
            rates.append(rate)
            labels.append(f"{player}, {rule}")
            rows.append({
                "both play": player, "priority": f"{rule}: {words}", "seat 0 wins": short(rate, percent=True), "battles": short(result.mean("battles")), "games": result.games,
            })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("both play"),
        caption="How often seat 0 wins between equal players, by who looks first (n = games; 95 % intervals). Only under `seat` is seat 0 always first; under `rotate` it is in every other battle.",
    )
    s.figure(
        plots.dots(labels, rates, x="games won by seat 0", percent=True, reference=0.5),
        caption=f"Share of games won by seat 0 between equal players, with 95 % intervals (n = {rates[0].n:,} games each).",
        alt="Six points with intervals about a dashed line at 50 %.",
    )
    said = []
    for player, result in firsts.items():
        rate = result.win_rate(0, level=1 - 0.05 / len(firsts))
        verdict = "an advantage" if rate.low > 0.5 else "a disadvantage" if rate.high < 0.5 else "neither clearly good nor bad"
        said.append(f"{verdict} between `{player}` players (seat 0, always first, wins {percent(rate)})")
    s.finding(f"Looking first is {', and '.join(said)}.")


# ---------------------------------------------------------------------------------------------------------------- wars


def tell_of_wars(s: Study) -> None:
    """What a steal in a war means."""
    s.heading("Stealing in a war")
    rows, means = [], {}
    for rule, words in WAR_STEAL.items():
        columns = "winner,battles,wars,steals" + (",war_steals" if rule != "none" else "")
        result = s.run("stealing-war", players="always", war_steal=rule, columns=columns, rows=True)
        means[rule] = result.mean("battles")
        in_wars = result.frame[["war_steals_0", "war_steals_1"]].sum(axis=1).to_numpy() if rule != "none" else None
        rows.append({
            "rule": f"{rule}: {words}",
            "battles": short(means[rule]),
            "wars a game": short(result.mean("wars")),
            "steals a game": short(stolen(result)),
            "of them in wars": short(mean_of(in_wars)) if in_wars is not None else "none",
            "games": result.games,
        })  # fmt: skip
    duel = {rule: s.compare("stealing-war", "always", "war_careful", s.games / 20, war_steal=rule).score for rule in ("replace", "forfeit")}
    s.table(
        pd.DataFrame(rows).set_index("rule"),
        caption="What the card shown in a war may do (`war_steal`), both stealing whatever they can (n = games on the same deals; 95 % intervals).",
    )
    default = means["replace"]
    apart = {rule: compare(mean, default) for rule, mean in means.items() if rule != "replace"}
    changed = [
        f"`{rule}` makes games {'longer' if sign > 0 else 'shorter'} ({means[rule].text()} battles)" for rule, sign in apart.items() if sign
    ]
    if changed:
        s.finding(
            f"What a steal in a war may do changes the length of a game: {'; '.join(changed)}, next to {default.text()} under `replace`."
        )
    else:
        s.finding(
            f"What a steal in a war may do makes no clear difference to the length of a game ({default.text()} battles under `replace`)."
        )
    better = {rule: "better" if score.low > 0.5 else "worse" if score.high < 0.5 else "" for rule, score in duel.items()}
    words = "; ".join(
        f"under `{rule}` {f'`always` is clearly {better[rule]}' if better[rule] else 'neither is clearly better'}, scoring {short(score, percent=True)}"
        for rule, score in duel.items()
    )
    s.text(
        f"To hold back in a war that one would probably win (`war_careful`), or to steal always: {words} (n = {duel['replace'].n:,} deals, each played twice)."
    )


# -------------------------------------------------------------------------------------------------------- more players


def tell_of_more_players(s: Study) -> None:
    """Two, three and four players."""
    s.heading("Two, three or four players")
    rows, alone, against = [], {}, {}
    for players in PLAYERS:
        result = s.run(
            "stealing-war", s.games / 2, players="always", rules={"players": players}, columns="winner,battles,steals", rows=True
        )
        without = s.run("stealing-war", s.games / 20, players="never", rules={"players": players}, columns="winner,battles")
        thief = s.compare("stealing-war", "always", "never", s.games / 80, rules={"players": players})
        honest = s.compare("stealing-war", "never", "always", s.games / 80, rules={"players": players})
        alone[players], against[players] = thief.win_rate(0), honest.win_rate(0)
        rows.append({
            "players": players,
            "battles, all steal": short(result.mean("battles")),
            "battles, nobody steals": short(without.mean("battles")),
            "steals a game": short(stolen(result)),
            "the only thief wins": short(alone[players], percent=True),
            "the only one who never steals wins": short(against[players], percent=True),
            "an equal share": f"{100 / players:.1f} %",
            "draws, all steal": short(wilson(int((result.counts("winner").games[result.counts("winner").values < 0]).sum()), result.games), percent=True),
        })  # fmt: skip
    games = f"n = {result.games:,} games where all steal, {without.games:,} where nobody does"
    s.table(
        pd.DataFrame(rows).set_index("players"),
        caption=f"By the number of players: length in battles, steals, and how often one who differs from all the others wins ({games}; {thief.deals:,} deals, each with the odd one in every seat; 95 % intervals).",
    )
    clear = [players for players in PLAYERS if alone[players].low > 1 / players]
    n = f"n = {thief.deals:,} deals, each with the odd one in every seat"
    said = "; ".join(f"{short(alone[players], percent=True)} of the games of {players}" for players in PLAYERS)
    many = (
        "whatever the number of players"
        if len(clear) == len(PLAYERS)
        else f"clearly with {' and '.join(map(str, clear))} players"
        if clear
        else "in no clear case"
    )
    s.finding(f"A single thief among players who never steal has the advantage {many}: it wins {said} ({n}).")
    lost = "; ".join(f"{short(against[players], percent=True)} of the games of {players}" for players in PLAYERS)
    s.text(f"The other way round, the only one who never steals wins {lost} ({n}).")
