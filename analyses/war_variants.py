"""War for two, three and four players and Război side by side: length, wars, draws, seats, and the rules that matter."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import chisquare

from simkit import plots
from simkit.game import DRAW
from simkit.plots import short
from simkit.stats.association import auc, win_probability
from simkit.stats.estimate import Estimate
from simkit.stats.histogram import from_samples, quantile_interval
from simkit.stats.intervals import mean_interval, wilson
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simkit.api import Sweep
    from simkit.result import Result
    from simkit.study import Study


class Variant(NamedTuple):
    """A game, and for how many."""

    game: str
    players: int

    @property
    def cards(self) -> int:
        """Cards in play: those that do not divide evenly are set aside."""
        return 52 - 52 % self.players


VARIANTS = {
    "War, 2 players": Variant("war", 2),
    "War, 3 players": Variant("war-multi", 3),
    "War, 4 players": Variant("war-multi", 4),
    "Război, 2 players": Variant("razboi", 2),
    "Război, 3 players": Variant("razboi", 3),
    "Război, 4 players": Variant("razboi", 4),
}
FIRST_WAR = {2: Fraction(1, 17), 3: Fraction(1924, 22100), 4: Fraction(31525, 270725)}
"""Exact chance that the highest card of the first battle is tied, by players."""
COLUMNS = "winner,battles,aces,wars,war_rounds,deepest_war,biggest_pot,short_events,stand_events,deadlocks,bystander_wars,out,battles_won,wars_won,lead_changes"
ENOUGH = 200
"""Games for a share to be worth a sentence."""


@study(title="War for two, three or four, and Război: how different are they?", games=200_000)
def war_variants(s: Study) -> None:
    """How the variants of War differ: how long they last, how often there is war, who is short of cards, and which rules matter."""
    s.question(
        "War is played by two, three or four, and in Romania as Război, where the tied rank says how many cards a war costs. How long does each "
        "last, how often is there war, how often does a game end in a draw or stick because nobody tied has a card left? Is any seat better? "
        "And which of the rules that people disagree about make a difference?"
    )
    s.method(
        f"{s.games:,} games of each variant with its default rules: three cards down in a war of two, one in a war of three or four, in which all players "
        "fight; in Război the rank's value, of which the last card is face up, and only the tied players fight. Three players play with 51 cards. "
        "Rules are compared with the default on the same deals. Intervals are 95 % ones, Wilson's for shares and by order statistics for quantiles; "
        "games without an end count as longer than any."
    )
    played = {
        name: s.run(variant.game, rules={"players": variant.players}, columns=COLUMNS, rows=True) for name, variant in VARIANTS.items()
    }
    tell_of_length(s, played)
    tell_of_first_battles(s)
    tell_of_wars(s, played)
    tell_of_bystanders(s, played)
    tell_of_draws(s, played)
    tell_of_seats(s, played)
    tell_of_waiting(s, played)
    tell_of_rules(s)
    tell_of_big_wars(s, played)
    tell_of_sizes(s)
    tell_of_aces(s, played)


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def extremes(figures: Mapping[str, Estimate]) -> tuple[list[str], list[str]]:
    """The names of the largest figures and of the smallest: with each, all those whose intervals overlap it."""
    down = sorted(figures, key=lambda name: -figures[name].estimate)
    top, bottom = figures[down[0]], figures[down[-1]]
    return [name for name in down if figures[name].high >= top.low], [name for name in reversed(down) if figures[name].low <= bottom.high]


def named(names: list[str], figures: Mapping[str, Estimate], *, percent: bool = False) -> str:
    """Names with their figures; several are those that cannot be told apart."""
    said = [f"{name}: {figures[name].text(percent=percent)}" for name in names]
    return said[0] if len(said) == 1 else f"{' and '.join(said)} (not clearly different)"


def ratio(result: Result, above: str, below: str) -> Estimate:
    """Total of one column over the total of another; the games are the units (delta method)."""
    a, b = result.frame[above].to_numpy(float), result.frame[below].to_numpy(float)
    if b.sum() == 0:
        return Estimate(np.nan, -np.inf, np.inf, len(a))
    value = a.sum() / b.sum()
    rest = mean_interval(len(a), 0.0, float((a - value * b).std(ddof=1)) / b.mean())
    return Estimate(value, max(0.0, value + rest.low), value + rest.high, len(a), rest.se, "delta")


def at_least_once(result: Result, column: str) -> Estimate:
    """Share of all games in which a count is not 0."""
    counts = result.counts(column)
    return wilson(int(counts.games[counts.values > 0].sum()), result.games)


# ------------------------------------------------------------------------------------------------------------- length


def tell_of_length(s: Study, played: Mapping[str, Result]) -> None:
    """How long each variant lasts."""
    s.heading("How long they last")
    means = {name: result.mean("battles") for name, result in played.items()}
    table = pd.DataFrame(
        [
            {
                "variant": name,
                "battles, mean": short(means[name]),
                **{
                    label: short(result.quantile("battles", q))
                    for label, q in (("median", 0.5), ("95th percentile", 0.95), ("99th percentile", 0.99))
                },
                "changes of the lead": short(result.mean("lead_changes")),
                "endless or capped": short(wilson(result.unfinished, result.games), percent=True),
            }
            for name, result in played.items()
        ]
    ).set_index("variant")
    s.table(table, caption=f"Length in battles (n = {s.games:,} games each; 95 % intervals).")
    s.figure(
        plots.survival(played, "battles", x="battles"),
        caption=f"Share of games that last longer, on a logarithmic axis, with 95 % bands for each whole curve (n = {s.games:,} games each).",
        alt="Six falling lines, nearly straight: the tails of all variants are close to exponential.",
    )
    longest, shortest = extremes(means)
    if set(longest).isdisjoint(shortest):
        medians = {name: result.quantile("battles") for name, result in played.items()}
        s.finding(
            f"The longest games are those of {named(longest, means)}, in battles on average; the shortest are those of {named(shortest, means)}. "
            f"Half of the games take at most {medians[longest[0]].text()} and {medians[shortest[0]].text()} battles."
        )
    three, four = means["War, 3 players"], means["War, 4 players"]
    if three.low > four.high or four.low > three.high:
        order = "longer" if four.estimate > three.estimate else "shorter"
        s.text(f"A fourth player makes War {order}: {four.text()} battles against {three.text()} for three.")
    else:
        s.text(f"Between War for three ({three.text()} battles) and for four ({four.text()}) no difference is clear.")


# --------------------------------------------------------------------------------------------------------------- wars


def tell_of_first_battles(s: Study) -> None:
    """The first battle is a war as often as counting says."""
    s.heading("The first battle")
    level = 1 - 0.05 / len(FIRST_WAR)
    rows, odd = [], []
    for players, exact in FIRST_WAR.items():
        result = s.run("war" if players == 2 else "war-multi", rules={"players": players}, max_battles=1, columns="wars")
        counts = result.counts("wars")
        seen = wilson(int(counts.games[counts.values > 0].sum()), result.games, level)
        rows.append(
            {
                "players": players,
                "exact chance": f"{exact.numerator}/{exact.denominator} = {100 * float(exact):.4f} %",
                "seen": percent(seen),
            }
        )
        if not seen.low <= exact <= seen.high:
            odd.append(players)
    s.table(
        pd.DataFrame(rows).set_index("players"),
        caption=f"How often the first battle is a war (n = {s.games:,} games each; the {len(rows)} intervals are meant to hold all together at 95 %).",
    )
    if odd:
        s.finding(
            f"With {' and '.join(map(str, odd))} players the share of first battles with a war lies outside its interval: look again with another seed."
        )
    else:
        s.text("The exact chances lie within the intervals, as they should: this checks the deal.")


def tell_of_wars(s: Study, played: Mapping[str, Result]) -> None:
    """How often there is war over whole games, and how deep."""
    s.heading("Wars")
    per_battle = {name: ratio(result, "wars", "battles") for name, result in played.items()}
    table = pd.DataFrame(
        [
            {
                "variant": name,
                "wars a game": short(result.mean("wars")),
                "wars a battle": short(per_battle[name], percent=True),
                "first battle, exact": f"{100 * float(FIRST_WAR[VARIANTS[name].players]):.2f} %",
                "rounds a war": short(ratio(result, "war_rounds", "wars")),
                "short a game": short(result.mean("short_events")),
                "stands a game": short(result.mean("stand_events")),
                "biggest pot, cards": short(result.mean("biggest_pot")),
            }
            for name, result in played.items()
        ]
    ).set_index("variant")
    s.table(
        table,
        caption="Wars over whole games. Short: a player has some cards, but fewer than the war asks for. Stands: a player has none left, and the card shown "
        f"stands (n = {s.games:,} games each; 95 % intervals).",
    )
    s.figure(
        plots.bars(list(played), list(per_battle.values()), x="battles with a war", percent=True),
        caption=f"Share of all battles in which the highest card is tied, with 95 % intervals (n = {s.games:,} games each).",
        alt="Bars of the share of battles with a war for the six variants.",
    )
    name = "War, 2 players"
    exact = float(FIRST_WAR[2])
    share = per_battle[name]
    verdict = "more than" if share.low > exact else "fewer than" if share.high < exact else "about as many as"
    s.finding(
        f"Over whole games of War for two, {percent(share)} of the battles are wars, {verdict} the {100 * exact:.2f} % of first battles."
    )
    most, least = extremes(per_battle)
    if set(most).isdisjoint(least):
        s.finding(
            f"War breaks out most often in {named(most, per_battle, percent=True)} of the battles, and least often in {named(least, per_battle, percent=True)}."
        )


def tell_of_bystanders(s: Study, played: Mapping[str, Result]) -> None:
    """How often a war is won by a player who had not tied."""
    s.heading("Bystanders")
    rows = []
    shares = {}
    for name in ("War, 3 players", "War, 4 players"):
        result = played[name]
        shares[name] = ratio(result, "bystander_wars", "wars")
        rows.append(
            {
                "variant": name,
                "wars won by a bystander": short(shares[name], percent=True),
                "such wars a game": short(result.mean("bystander_wars")),
                "games with one": short(at_least_once(result, "bystander_wars"), percent=True),
            }
        )
    s.table(
        pd.DataFrame(rows).set_index("variant"),
        caption=f"Wars in which all players fight, won by one who had not tied for the highest card (n = {s.games:,} games each; 95 % intervals).",
    )
    three, four = shares.values()
    both = f"{percent(three)} of the wars of three players and {percent(four)} of those of four"
    s.finding(f"Where all players fight, a player who had not tied wins {both}.")


def tell_of_draws(s: Study, played: Mapping[str, Result]) -> None:
    """Draws and deadlocks."""
    s.heading("Draws and deadlocks")
    rows = []
    for name, result in played.items():
        deadlock = at_least_once(result, "deadlocks")
        rows.append({"variant": name, "games drawn": percent(result.draw_rate()), "games with a deadlock": percent(deadlock)})
    s.table(
        pd.DataFrame(rows).set_index("variant"),
        caption=f"Deadlock: no player who tied has a card left. If nobody else has one either, the game is drawn (n = {s.games:,} games each; 95 % intervals).",
    )
    most = max(played, key=lambda name: played[name].draw_rate().estimate)
    rate = played[most].draw_rate()
    if rate.estimate == 0:
        s.finding(f"No game was drawn: whatever the variant, draws are rarer than {100 * rate.high:.2g} % (n = {rate.n:,} games each).")
    else:
        s.finding(f"Draws are rare: at most {percent(rate)} of the games, in {most}.")


# -------------------------------------------------------------------------------------------------------------- seats


def tell_of_seats(s: Study, played: Mapping[str, Result]) -> None:
    """Whether the seats win equally often."""
    s.heading("Seats")
    labels, relative, rows, odd = [], [], [], []
    for name, result in played.items():
        players = VARIANTS[name].players
        winner = result.counts("winner")
        won = [int(winner.games[winner.values == seat].sum()) for seat in range(players)]
        p_value = float(chisquare(won).pvalue)
        rows.append(
            {
                "variant": name,
                **{f"seat {seat}": short(result.win_rate(seat), percent=True) for seat in range(players)},
                "p-value": f"{p_value:.3f}",
            }
        )
        if p_value < 0.05 / len(played):
            odd.append(name)
        for seat in range(players):
            rate = result.win_rate(seat)
            labels.append(f"{name}, seat {seat}")
            relative.append(Estimate(players * rate.estimate, players * rate.low, players * rate.high, rate.n))
    order = ["variant", *(f"seat {seat}" for seat in range(4)), "p-value"]
    s.table(
        pd.DataFrame(rows)[order].set_index("variant"),
        caption=f"Games won by each seat (n = {s.games:,} games each; 95 % intervals), and the p-value of a chi-square test that all seats win equally often.",
    )
    s.figure(
        plots.dots(labels, relative, x="wins, relative to an equal share", reference=1, show=False),
        caption=f"Each seat's wins, 1 being an equal share of all games, with 95 % intervals (n = {s.games:,} games each). One interval in 20 misses by chance.",
        alt="Points for the seats of the six variants, scattered closely around 1.",
    )
    if odd:
        s.finding(
            f"The seats do not win equally often in {', '.join(odd)} (p below 0.05 / {len(played)}): the rules do not explain that; look again with another seed."
        )
    else:
        s.finding(
            f"No advantage of a seat is seen: in none of the {len(played)} variants do the seats' wins differ by more than chance would have it (chi-square, p at least 0.05 / {len(played)} in each; n = {s.games:,} games each)."
        )


def tell_of_waiting(s: Study, played: Mapping[str, Result]) -> None:
    """When the first player of three or four is out, and how long that player then watches."""
    s.heading("Out, and watching")
    rows = []
    for name, result in played.items():
        players = VARIANTS[name].players
        if players == 2:
            continue
        frame = result.frame[result.frame["outcome"] <= DRAW]
        outs = frame[[f"out_{seat}" for seat in range(players)]].to_numpy()
        first = np.where(outs > 0, outs, np.iinfo(np.int64).max).min(axis=1)
        length = frame["battles"].to_numpy()
        watched = 1000 * (length - first) // length
        share = quantile_interval(*from_samples(watched), 0.5)
        share = Estimate(share.estimate / 1000, share.low / 1000, share.high / 1000, share.n)
        rows.append((name, quantile_interval(*from_samples(first), 0.5), share))
    table = pd.DataFrame(
        [
            {
                "variant": name,
                "first player out after, battles, median": short(first),
                "share of the game then watched, median": short(share, percent=True),
            }
            for name, first, share in rows
        ]
    ).set_index("variant")
    s.table(
        table,
        caption=f"When the first of several players is out, and how much of the game is played without them (n = {s.games:,} games each; 95 % intervals).",
    )
    name, first, share = max(rows, key=lambda row: row[2].estimate)
    s.finding(
        f"The first player out has a long wait: in half of the games of {name} that player is out within {first.text()} battles and watches at least {percent(share)} of the game."
    )


# -------------------------------------------------------------------------------------------------------------- rules


def tell_of_rules(s: Study) -> None:
    """Who fights a war, and what becomes of the card left over."""
    s.heading("Rules for three and four")
    games = s.games // 4
    parts = [
        ("3 players", s.sweep("war-multi", {"war_participants": "all"}, games, rules={"players": 3})),
        ("4 players", s.sweep("war-multi", {"war_participants": "all"}, games, rules={"players": 4})),
        ("3 players", s.sweep("war-multi", {"leftover": "all"}, games, rules={"players": 3})),
    ]
    table = pd.concat([compared(sweep, players) for players, sweep in parts])
    s.table(
        table,
        caption="Rules of War for three and four against the default (first row of each), on the same deals, over games finished under both; 95 % intervals.",
    )
    for players, sweep in parts[:2]:
        tied = sweep.frame.set_index("war_participants").loc["tied"]
        change = Estimate(tied["difference"], tied["difference_low"], tied["difference_high"], int(tied["difference_n"]))
        if change.n >= ENOUGH:
            verdict = "lengthens" if change.low > 0 else "shortens" if change.high < 0 else "makes no clear difference to"
            s.finding(f"Letting only the tied players fight {verdict} War for {players}: {signed(change)} battles.")
    left = parts[2][1].frame.set_index("leftover").drop(index="set_aside")
    clear = [value for value, row in left.iterrows() if row["difference_low"] > 0 or row["difference_high"] < 0]
    if clear:
        said = [f"`{value}` changes the length by {signed(difference_of(left.loc[value]))} battles" for value in clear]
        s.text(f"What becomes of the 52nd card of three players: {'; '.join(said)}.")
    else:
        s.text("What becomes of the 52nd card of three players makes no clear difference to the length.")


def difference_of(row: pd.Series) -> Estimate:
    """A sweep's paired difference as an estimate."""
    return Estimate(float(row["difference"]), float(row["difference_low"]), float(row["difference_high"]), int(row["difference_n"]))


def signed(change: Estimate) -> str:
    """A difference in words, its sign shown."""
    return ("+" if change.estimate > 0 else "") + change.text()


def compared(sweep: Sweep, label: str = "") -> pd.DataFrame:
    """A sweep's rows as they are shown: setting, length, difference from the default, draws."""
    lines = []
    for (_, row), setting in zip(sweep.frame.iterrows(), sweep.settings, strict=True):
        name = ", ".join(f"{rule} = {value}" for rule, value in setting.items())
        change = difference_of(row)
        base = change.low == change.high == 0
        lines.append({
            "rule": f"{label}, {name}" if label else name,
            "battles": short(Estimate(row["battles"], row["battles_low"], row["battles_high"], int(row["battles_n"]))),
            "difference": "default" if base else short(change),
            "drawn": short(Estimate(row["draw_rate"], row["draw_rate_low"], row["draw_rate_high"], int(row["games"])), percent=True),
            "games": int(row["games"]),
        })  # fmt: skip
    return pd.DataFrame(lines).set_index("rule")


# ------------------------------------------------------------------------------------------------------------- Război


def tell_of_big_wars(s: Study, played: Mapping[str, Result]) -> None:
    """How much of a game is decided by wars, and by the biggest of them."""
    s.heading("How much one big war decides")
    rows, halves, more_wars = [], {}, {}
    for name, result in played.items():
        cards = VARIANTS[name].cards
        pots = result.counts("biggest_pot")
        halves[name] = wilson(int(pots.games[2 * pots.values >= cards].sum()), result.games)
        size = result.mean("biggest_pot")
        rows.append({
            "variant": name,
            "biggest pot, share of all cards": short(Estimate(size.estimate / cards, size.low / cards, size.high / cards, size.n), percent=True),
            "games with a pot of half the cards": short(halves[name], percent=True),
            "games over within 26 battles": short(over_within(result, 26), percent=True),
        })  # fmt: skip
        if VARIANTS[name].players == 2:
            more_wars[name] = (wins_with_more(result, "wars_won"), wins_with_more(result, "battles_won"))
            rows[-1] |= {
                "won by who won more wars": short(more_wars[name][0], percent=True),
                "by who won more battles": short(more_wars[name][1], percent=True),
            }
    s.table(
        pd.DataFrame(rows).set_index("variant"),
        caption=f"The biggest pot of a game, and whether wars or battles decide (games in which one player won more of them; n = {s.games:,} games each; 95 % intervals).",
    )
    s.figure(
        plots.bars(list(halves), list(halves.values()), x="games in which one pot holds half the cards or more", percent=True),
        caption=f"How often the biggest pot of a game holds at least half of all cards, with 95 % intervals (n = {s.games:,} games each).",
        alt="Bars of the share of games with one pot of half of all cards, for the six variants.",
    )
    war, razboi = halves["War, 2 players"], halves["Război, 2 players"]
    if razboi.low > war.high or war.low > razboi.high:
        s.finding(
            f"One pot holds half of all cards in {percent(razboi)} of the games of Război for two, and in {percent(war)} of those of War."
        )
    else:
        s.finding(
            f"One pot holds half of all cards in {percent(razboi)} of the games of Război for two; the difference from War, {percent(war)}, is not clear."
        )
    (wars, battles), (wars_in_war, _) = more_wars["Război, 2 players"], more_wars["War, 2 players"]
    if wars.low > battles.high:
        contrast = "above" if wars.low > wars_in_war.high else "below" if wars.high < wars_in_war.low else "not clearly different from"
        s.finding(
            f"In Război for two, who won more wars wins {percent(wars)} of the games, who won more battles only {percent(battles)}; "
            f"the wars' share is {contrast} that of War, {percent(wars_in_war)}."
        )
    else:
        s.finding(f"In Război for two, who won more wars wins {percent(wars)} of the games, who won more battles {percent(battles)}.")


def over_within(result: Result, battles: int) -> Estimate:
    """Share of all games finished within so many battles."""
    values, counts = result.distribution("battles")
    return wilson(int(counts[values <= battles].sum()), result.games)


def wins_with_more(result: Result, column: str) -> Estimate:
    """Share of won games of two players, not level in a column, that were won by who had more of it."""
    frame = result.frame[result.frame["winner"] >= 0]
    more = np.sign(frame[f"{column}_1"].to_numpy() - frame[f"{column}_0"].to_numpy())  # 1: seat 1 has more
    uneven = more != 0
    return wilson(int(((more[uneven] == 1) == (frame["winner"].to_numpy()[uneven] == 1)).sum()), int(uneven.sum()))


def tell_of_sizes(s: Study) -> None:
    """What the disputed sizes of wars and the rule for short players do to Război."""
    s.heading("Disputed rules of Război")
    games = s.games
    sizes = s.sweep("razboi", {"ace_war_size": "all", "face_war_size": "all"}, games)
    shorts = s.sweep("razboi", {"short_war_rule": "all"}, games)
    source = s.sweep("razboi", {"war_size_source": "all"}, games)
    table = pd.concat([compared(sizes), compared(shorts), compared(source)])
    s.table(
        table, caption="Rules of Război for two against the default, on the same deals, over games finished under both; 95 % intervals."
    )
    changes = {
        ", ".join(map(str, setting.values())): difference_of(row)
        for (_, row), setting in zip(sizes.frame.iterrows(), sizes.settings, strict=True)
    }
    s.figure(
        plots.dots(list(changes), list(changes.values()), x="difference in mean battles", y="size of ace and face wars", reference=0),
        caption=f"How the sizes of wars tied at aces and at face cards change the length of Război for two, with 95 % intervals (paired, n = {games:,} deals each).",
        alt="Points for eight pairs of sizes; the default lies at 0.",
    )
    tell_of_largest_change(s, {"ace and face war size": sizes, "short_war_rule": shorts, "war_size_source": source})


def tell_of_largest_change(s: Study, sweeps: Mapping[str, Sweep]) -> None:
    """Which of the disputed rules changes the length most."""
    largest: dict[str, tuple[str, Estimate]] = {}
    for rule, sweep in sweeps.items():
        clear = {}
        for (_, row), setting in zip(sweep.frame.iterrows(), sweep.settings, strict=True):
            change = difference_of(row)
            if change.n >= ENOUGH and (change.low > 0 or change.high < 0):
                clear[", ".join(f"{name} = {value}" for name, value in setting.items())] = change
        if clear:
            name = max(clear, key=lambda each: abs(clear[each].estimate))
            largest[rule] = (name, clear[name])
    if not largest:
        s.finding("None of the disputed rules of Război changes its length clearly in so few games.")
        return
    ordered = sorted(largest.values(), key=lambda each: -abs(each[1].estimate))
    s.finding(
        f"Of the disputed rules of Război, the largest clear changes of its length are: {'; '.join(f'`{name}` {signed(change)} battles' for name, change in ordered)}."
    )


def tell_of_aces(s: Study, played: Mapping[str, Result]) -> None:
    """How well the aces dealt tell the winner, by variant and by the size of an ace war."""
    s.heading("Aces")
    chances = {name: win_probability(*wins_by_aces(result)) for name, result in played.items()}
    areas = {name: auc(*wins_by_aces(result)) for name, result in played.items()}
    table = pd.DataFrame(
        [
            {
                "variant": name,
                **{f"{k} aces": short(chances[name][k], percent=True) if k in chances[name] else "–" for k in range(5)},
                "AUC": short(areas[name]),
            }
            for name in played
        ]
    ).set_index("variant")
    s.table(
        table,
        caption="Games won by a player (seat 0) by the aces dealt, and the AUC: the chance that a won game had more aces than a lost one, equal numbers "
        f"counting half (n = {s.games:,} games each; 95 % intervals).",
    )
    most, least = extremes(areas)
    if set(most).isdisjoint(least):
        s.finding(f"The aces dealt tell most about the winner in {named(most, areas)}, and least in {named(least, areas)} (AUC).")
    else:
        s.text("From so few games no variant is clear in which aces tell more about the winner.")
    by_size = {size: auc(*wins_by_aces(s.run("razboi", ace_war_size=size, columns="winner,aces"))) for size in (1, 10, 11, 14)}
    s.figure(
        plots.dots([f"{size} card" + "s" * (size > 1) for size in by_size], list(by_size.values()), x="AUC of the aces dealt", y="ace war"),
        caption=f"How well the aces dealt tell the winner of Război for two, by the size of a war tied at aces, with 95 % intervals (n = {s.games:,} games each, on the same deals).",
        alt="Points of the AUC for ace wars of 1, 10, 11 and 14 cards.",
    )
    small, large = by_size[1], by_size[14]
    verdict = (
        "aces tell more than"
        if small.low > large.high
        else "aces tell less than"
        if small.high < large.low
        else "aces tell about as much as"
    )
    s.text(f"Where an ace war costs one card, {verdict} where it costs 14 (AUC {small.text()} and {large.text()}).")


def wins_by_aces(result: Result) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers of aces dealt to seat 0, games it won with each, and games."""
    table = result.joint("aces_0", "winner")
    wins = table[0] if 0 in table else pd.Series(0, index=table.index)
    return table.index.to_numpy(), wins.to_numpy(), table.sum(axis=1).to_numpy()
