"""How fair TEN is: seats, two to five players, NUMBERS against MONEY, ties; and which answers hinge on cards that are not known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from analyses._ten import (
    FIELD,
    PLAYERS,
    SHARES,
    SPLITS,
    Figures,
    alike,
    alone,
    clear,
    family,
    grouped,
    instead,
    listed,
    mean_of,
    percent,
    scaled,
    seats_of,
    signed,
    total_ratio,
)
from simkit import plots
from simkit.plots import short
from simkit.stats.intervals import wilson
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simkit.result import Result
    from simkit.stats.estimate import Estimate
    from simkit.study import Study

COUNTS = (2, 3, 4, 5)
"""Numbers of players."""
PLACES = ("starts", "second", "third", "fourth", "fifth")
REWARDS = {"NUMBERS first": "numbers_first", "MONEY first": "money_first", "MONEY with 3 coins or fewer": "needs(m=3)"}
"""Ways to choose the reward, and the part of each."""
TIE_BREAKS = ("points", "most coins", "fewest cards", "shared")
"""What left one player alone, as `tie_break` counts it."""
COLUMNS = (
    "win_share,first_mover,turns,gap,tie_break,unsold,auctions,score,full_runs,cards_drawn,turns_numbers,turns_money,turns_number_bust,"
    "turns_currency_bust,turns_empty,coins_money,coins_received,coins_lost,auction_price,auctions_won,purchases"
).split(",")
OWN_TURNS = ("turns_numbers", "turns_money", "turns_number_bust", "turns_currency_bust", "turns_empty")
BUSTS = ("turns_number_bust", "turns_currency_bust")


def deck(low: int, wilds_below_7: int, hashes: int, currency: Sequence[int]) -> dict[str, Any]:
    """A deck by what its three tables (docs/rules/ten.md, 1.2) differ in."""
    wilds = {f"numbered_wilds_{n}": wilds_below_7 for n in range(1, 7)}
    return {"number_copies_low": low, "colour_wilds": hashes, **wilds, **{f"currency_{v}": n for v, n in enumerate(currency, 1)}}


DECKS: dict[str, dict[str, Any]] = {
    "of 56 cards": deck(1, 0, 1, (3, 3, 2, 2, 2)),
    "of 93 cards": deck(2, 1, 1, (4, 4, 4, 4, 3)),
    "of 129 cards": {"deck": "full"},
}
"""The decks taken for two, three and four players; which of them two and three really use is not known (D3)."""
ASSUMED = {2: "of 56 cards", 3: "of 93 cards"}


@dataclass(frozen=True, eq=False)
class Setting:
    """So many players with cards that may be the real ones."""

    players: int
    cards: str
    rules: dict[str, Any]
    assumed: bool

    @property
    def name(self) -> str:
        return f"{self.players} players, {self.cards}"


SETTINGS = [
    *(
        Setting(k, f"deck {name}", {} if name == ASSUMED[k] else rules, name == ASSUMED[k])
        for k in ASSUMED
        for name, rules in DECKS.items()
    ),
    *(Setting(4, f"currency {name}", rules, not rules) for name, rules in SPLITS.items()),
]


class Answers(NamedTuple):
    """What one setting says."""

    start: Estimate  # the start player's share of the games, less an even one
    numbers: Estimate  # that of one who always takes NUMBERS
    money: Estimate  # and MONEY
    points: Estimate  # a player's
    busts: Estimate  # share of turns
    lost: Estimate  # share of the coins due that the limit takes
    price: Estimate  # of a wild
    tied: Estimate  # share of games not decided by points


@study(title="TEN: how fair is it, for two to five, and what do we not know?", games=10_000)
def ten_balance(s: Study) -> None:
    """Seats, numbers of players, NUMBERS against MONEY and ties in TEN, and how far the answers depend on cards that could not be found out."""
    s.question(
        "Is it good to start in TEN? How does the game change from two to five players? Taking NUMBERS hands the currency to all others, taking MONEY gives up the cards: is one of them too strong? "
        "How often do ties decide? And two facts of the game could not be found: how many currency cards there are of each value (docs/rules/ten.md, D2), and which cards are taken out for two and "
        "three players (D3). Which of the answers hinge on them?"
    )
    s.method(
        f"Tables at which all play `{FIELD}`, with {max(100, s.games // 5):,} games for each number of players; and one player who chooses its reward otherwise among others of that kind, on the same deals "
        "from every seat. An even share of the games is 1/2 to 1/5; a shared win counts in parts. Intervals are 95 % ones. For what is not known, the decks of two, three and four players are "
        f"each played by two and by three, and four play with three currency splits: {listed(list(SPLITS))}. An answer is said to hinge on the unknown if it clearly differs between these."
    )
    played = {k: alike(s, COLUMNS, s.games // 5, rules={"players": k}) for k in COUNTS}
    tell_of_sizes(s, played)
    tell_of_seats(s, played)
    rewards = tell_of_rewards(s, played)
    tell_of_ties(s, played)
    tell_of_unknowns(s, played, rewards)


# ------------------------------------------------------------------------------------------------- two to five players


def ties(result: Result) -> Estimate:
    """Share of games that points did not decide."""
    return wilson(int((result.frame["tie_break"] > 0).sum()), result.games)


def coins_lost(result: Result) -> Estimate:
    """Share of the coins due that the limit takes."""
    return total_ratio(result, ["coins_lost"], ["coins_money", "coins_received", "coins_lost"])


def points(result: Result) -> Estimate:
    """A player's mean points; the games are the units."""
    return mean_of(seats_of(result, "score").mean(axis=1))


def tell_of_sizes(s: Study, played: Mapping[int, Result]) -> None:
    """What the game is like for two to five."""
    s.heading("Two to five players")
    rows = []
    for k, result in played.items():
        turns = result.frame["turns"].to_numpy(float)
        rows.append({
            "players": k,
            "turns each": short(mean_of(turns / k)),
            "points each": short(points(result)),
            "first to second, points": short(result.mean("gap")),
            "turns that bust": short(total_ratio(result, BUSTS, OWN_TURNS), percent=True),
            "NUMBERS among rewards": short(total_ratio(result, ["turns_numbers"], ["turns_numbers", "turns_money"]), percent=True),
            "price of a wild": short(total_ratio(result, ["auction_price"], ["auctions_won"])),
            "full runs a player": short(mean_of(seats_of(result, "full_runs").mean(axis=1))),
            "coins lost to the limit": short(coins_lost(result), percent=True),
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("players"),
        caption=f"The game for two to five `{FIELD}` players, with the decks assumed for two and three (n = {s_games(played):,} games each; 95 % intervals). Coins lost: of all coins due.",
    )
    most, least = (pick(COUNTS, key=lambda k: points(played[k]).estimate) for pick in (max, min))
    if compare(points(played[most]), points(played[least])) > 0:
        s.finding(
            f"Players score most in a game of {most}, {points(played[most]).text()} points each, and least in one of {least}, {points(played[least]).text()}; for two and three this is with the decks assumed."
        )
    else:
        s.text("The points of a player do not clearly differ with the number of players.")


def s_games(played: Mapping[int, Result]) -> int:
    """Games of each of these runs."""
    return min(result.games for result in played.values())


# -------------------------------------------------------------------------------------------------------------- seats


def places(result: Result, level: float = 0.95) -> list[Estimate]:
    """For each place in the order of play, the share of the games won less an even share."""
    won = seats_of(result, "win_share") / SHARES
    k = won.shape[1]
    first = result.frame["first_mover"].to_numpy()
    order = (first[:, None] + np.arange(k)) % k
    return [mean_of(column - 1 / k, level) for column in np.take_along_axis(won, order, axis=1).T]


def tell_of_seats(s: Study, played: Mapping[int, Result]) -> None:
    """Whether it is good to start."""
    s.heading("Is it good to start?")
    level = family(sum(COUNTS))
    found = {k: places(result, level) for k, result in played.items()}
    labels = [f"{k} players, {PLACES[place]}" for k in COUNTS for place in range(k)]
    flat = [each for k in COUNTS for each in found[k]]
    s.figure(
        plots.dots(labels, [scaled(each, 100) for each in flat], x="games won, less an even share, percentage points", reference=0),
        caption=f"Games won by place in the order of play, less an even share; intervals that hold all together at 95 % (n = {s_games(played):,} games for each number of players).",
        alt="A row for each place in the order of play and number of players, about a dashed line at 0.",
    )
    s.table(
        pd.DataFrame(
            [{"players": k, **{PLACES[p]: signed(found[k][p], 100) if p < k else "–" for p in range(max(COUNTS))}} for k in COUNTS]
        ).set_index("players"),
        caption=f"Games won by place in the order of play, less an even share, in percentage points (n = {s_games(played):,} games each; the intervals hold all together at 95 %).",
    )
    odd = [f"{name}: {signed(each, 100)}" for name, each in zip(labels, flat, strict=True) if clear(each)]
    if odd:
        s.finding(
            f"The order of play matters clearly for {'; '.join(odd)} percentage points from an even share (n = {s_games(played):,} games each)."
        )
    else:
        widest = max(flat, key=lambda each: each.half_width)
        s.finding(
            f"No place in the order of play is clearly better or worse, with two to five players; the least sure place is {signed(widest, 100)} percentage points from an even share (n = {s_games(played):,} games each)."
        )
    tell_of_other_tables(s)


def tell_of_other_tables(s: Study) -> None:
    """The start player's share at tables of other habits."""
    tables = {name: player for name, player in PLAYERS.items() if player not in (FIELD, "planner")}
    edges = {
        name: places(alike(s, ["win_share", "first_mover"], s.games // 10, player=player), family(len(tables)))[0]
        for name, player in tables.items()
    }
    said = "; ".join(f"{name} {signed(edge, 100)}" for name, edge in edges.items())
    odd = [name for name, edge in edges.items() if clear(edge)]
    verdict = f"clear among {listed(odd)} players" if odd else "clear at none of them"
    s.text(
        f"At tables of four players of other habits the start player's edge is {said} percentage points, {verdict} (n = {next(iter(edges.values())).n:,} games each)."
    )


# ------------------------------------------------------------------------------------------------- NUMBERS and MONEY


def edge_of(lone: Figures, players: int, level: float = 0.95) -> Estimate:
    """Games won by one player, less an even share; by deal."""
    return mean_of(lone.frame["win_share"].to_numpy() - 1 / players, level)


def tell_of_rewards(s: Study, played: Mapping[int, Result]) -> dict[int, dict[str, Figures]]:
    """What always taking NUMBERS, or MONEY, loses or gains."""
    s.heading("NUMBERS or MONEY")
    deals = s.games // 40
    tried = {
        k: {name: alone(s, instead(part, "reward"), ["score"], deals, rules={"players": k}) for name, part in REWARDS.items()}
        for k in COUNTS
    }
    level = family(len(COUNTS) * len(REWARDS))
    edges = {k: {name: edge_of(lone, k, level) for name, lone in each.items()} for k, each in tried.items()}
    n = next(iter(tried[2].values())).deals
    s.figure(
        grouped([f"{k} players" for k in COUNTS], {name: [edges[k][name] for k in COUNTS] for name in REWARDS}, x="games won, less an even share, percentage points", factor=100, reference=0),
        caption=f"One player who chooses its reward by a fixed habit, the others weighing points against coins (`{FIELD}`): games won, less an even share; intervals that hold all together at 95 % "
        f"(n = {n:,} deals each, played from every seat).",
        alt="Points with intervals for three habits and two to five players, about a dashed line at 0.",
    )  # fmt: skip
    s.table(
        pd.DataFrame([
            {
                "players": k,
                **{name: signed(edges[k][name], 100) for name in REWARDS},
                "NUMBERS, of the others": short(total_ratio(played[k], ["turns_numbers"], ["turns_numbers", "turns_money"]), percent=True),
            }
            for k in COUNTS
        ]).set_index("players"),
        caption=f"Games won by a player of one habit less an even share, in percentage points (n = {n:,} deals each, played from every seat; the intervals hold all together at 95 %); and how often "
        f"`{FIELD}` players take NUMBERS (n = {s_games(played):,} games; 95 % intervals).",
    )  # fmt: skip
    say_which_reward(s, edges)
    return tried


def say_which_reward(s: Study, edges: Mapping[int, Mapping[str, Estimate]]) -> None:
    """The verdict on NUMBERS against MONEY."""
    numbers, money = ({k: each[name] for k, each in edges.items()} for name in list(REWARDS)[:2])
    better = {k: compare(numbers[k], money[k]) for k in edges}
    n = next(iter(numbers.values())).n
    said = "; ".join(f"{k} players {signed(numbers[k], 100)} against {signed(money[k], 100)}" for k in edges)
    if all(sign > 0 for sign in better.values()):
        s.finding(
            f"Always NUMBERS is better than always MONEY with two to five players: {said} percentage points from an even share (n = {n:,} deals each). The coins handed out do not make NUMBERS too weak."
        )
    elif all(sign < 0 for sign in better.values()):
        s.finding(
            f"Always MONEY is better than always NUMBERS with two to five players: {said} percentage points from an even share (n = {n:,} deals each)."
        )
    else:
        unclear = [str(k) for k, sign in better.items() if sign == 0]
        tail = f"; not clear for {listed(unclear)}" if unclear else ""
        s.finding(
            f"Whether always NUMBERS or always MONEY is better is not the same, or not clear, for all numbers of players: {said} percentage points from an even share{tail} (n = {n:,} deals each)."
        )
    mixed = [str(k) for k in edges if clear(numbers[k]) < 0 and clear(money[k]) < 0]
    if mixed:
        s.text(f"Both habits clearly lose to weighing the two at each turn with {listed(mixed)} players: neither reward is right always.")
    gains = [f"{name} with {k}" for k in edges for name in edges[k] if clear(edges[k][name]) > 0]
    if gains:
        s.finding(
            f"A fixed habit beats the weighing of `{FIELD}` clearly: {listed(gains)} players (n = {n:,} deals each). So `{FIELD}` values one of the rewards wrongly there."
        )


# --------------------------------------------------------------------------------------------------------------- ties


def tell_of_ties(s: Study, played: Mapping[int, Result]) -> None:
    """How often ties decide."""
    s.heading("Ties")
    shares = {
        k: [wilson(int((result.frame["tie_break"] == step).sum()), result.games) for step in range(len(TIE_BREAKS))]
        for k, result in played.items()
    }
    s.table(
        pd.DataFrame(
            [{"players": k, **{name: short(each, percent=True) for name, each in zip(TIE_BREAKS, shares[k], strict=True)}} for k in COUNTS]
        ).set_index("players"),
        caption=f"What decides a game between `{FIELD}` players: points, or among equal points coins, then cards, or nothing (n = {s_games(played):,} games each; 95 % intervals).",
    )
    tied = {k: ties(result) for k, result in played.items()}
    s.figure(
        plots.bars([f"{k} players" for k in COUNTS], list(tied.values()), x="games with equal points at the top", percent=True),
        caption=f"Games in which the best points are shared, so that coins or cards decide, with 95 % intervals (n = {s_games(played):,} games each).",
        alt="A bar for each number of players.",
    )
    most = max(COUNTS, key=lambda k: tied[k].estimate)
    rarest = max((shares[k][3] for k in COUNTS), key=lambda each: each.estimate)
    s.finding(
        f"Points are equal at the top in up to {percent(tied[most])} of the games (with {most} players); no more than {percent(rarest)} of the games end shared."
    )


# -------------------------------------------------------------------------------------------------- what is not known


def answers_of(players: int, result: Result, numbers: Figures, money: Figures) -> Answers:
    """What one setting says."""
    level = family(len(SETTINGS))
    return Answers(
        places(result, level)[0],
        edge_of(numbers, players, level),
        edge_of(money, players, level),
        points(result),
        total_ratio(result, BUSTS, OWN_TURNS),
        coins_lost(result),
        total_ratio(result, ["auction_price"], ["auctions_won"]),
        ties(result),
    )


def tell_of_unknowns(s: Study, played: Mapping[int, Result], rewards: Mapping[int, Mapping[str, Figures]]) -> None:
    """The same answers with other decks for two and three, and other currency splits."""
    s.heading("What could not be found")
    found = {}
    for setting in SETTINGS:
        k, rules = setting.players, {"players": setting.players, **setting.rules}
        if setting.assumed:
            found[setting] = answers_of(k, played[k], rewards[k]["NUMBERS first"], rewards[k]["MONEY first"])
            continue
        lone = [alone(s, instead(part, "reward"), ["score"], s.games // 40, rules=rules) for part in ("numbers_first", "money_first")]
        found[setting] = answers_of(k, alike(s, COLUMNS, s.games // 10, rules=rules), *lone)
    s.table(
        pd.DataFrame([
            {
                "setting": setting.name + (" (assumed)" if setting.assumed and setting.players < 4 else ""),
                "start player": signed(each.start, 100),
                "NUMBERS first": signed(each.numbers, 100),
                "MONEY first": signed(each.money, 100),
                "points each": short(each.points),
                "turns that bust": short(each.busts, percent=True),
                "price of a wild": short(each.price),
                "coins lost": short(each.lost, percent=True),
                "ties in points": short(each.tied, percent=True),
                "games; deals": f"{each.points.n:,}; {each.numbers.n:,}",
            }
            for setting, each in found.items()
        ]).set_index("setting"),
        caption="The answers with cards that may be the real ones. Start player, NUMBERS first, MONEY first: games won less an even share, in percentage points, with intervals that hold together over the "
        "settings; the rest with 95 % intervals (n: games at tables of equals; deals of the lone player, from every seat).",
    )  # fmt: skip
    s.figure(
        grouped(
            [f"{setting.players}: {setting.cards.removesuffix(' (assumed)')}" for setting in found],
            {"one who always takes NUMBERS": [each.numbers for each in found.values()], "one who always takes MONEY": [each.money for each in found.values()], "who starts": [each.start for each in found.values()]},
            x="percentage points from even", factor=100, reference=0,
        ),
        caption=f"Games won less an even share, by players and cards that may be the real ones: one who always takes NUMBERS, or MONEY, and who starts; intervals that hold together over the settings (n = {min(each.numbers.n for each in found.values()):,} deals, "
        f"or at least {min(each.points.n for each in found.values()):,} games, a point).",
        alt="Points with intervals for nine settings and three kinds of player, about a dashed line at 0.",
    )  # fmt: skip
    say_what_hinges(
        s, {setting: each for setting, each in found.items() if setting.players == 4}, "the currency split (D2)", "four players"
    )
    for k in ASSUMED:
        say_what_hinges(
            s, {setting: each for setting, each in found.items() if setting.players == k}, f"the deck for {k} (D3)", f"{k} players"
        )


VERDICTS = {
    "whether it is good to start": lambda each: clear(each.start),
    "whether always NUMBERS loses": lambda each: clear(each.numbers),
    "whether always MONEY loses": lambda each: clear(each.money),
    "whether NUMBERS or MONEY is the better habit": lambda each: compare(each.numbers, each.money),
}
"""Questions with an answer of yes, no or not clear (1, -1, 0)."""
SIZES = {
    "the start player's edge": "start",
    "what always NUMBERS gains or loses": "numbers",
    "what always MONEY gains or loses": "money",
    "points": "points",
    "the share of busts": "busts",
    "coins lost to the limit": "lost",
    "the price of a wild": "price",
    "how often points tie": "tied",
}
"""What may change in size."""


def say_what_hinges(s: Study, found: Mapping[Setting, Answers], unknown: str, who: str) -> None:
    """Which answers are the same with all of these cards, which are not, and which are not clear."""
    hinges: list[str] = []
    holds: list[str] = []
    unclear: list[str] = []
    for question, verdict in VERDICTS.items():
        verdicts = {verdict(each) for each in found.values()}
        (hinges if {1, -1} <= verdicts else holds if len(verdicts) == 1 and 0 not in verdicts else unclear).append(question)
    assumed = next(each for setting, each in found.items() if setting.assumed)
    moved = [
        name for name, field in SIZES.items() if any(compare(getattr(each, field), getattr(assumed, field)) for each in found.values())
    ]
    n = f"n = {min(each.numbers.n for each in found.values()):,} deals and {min(each.points.n for each in found.values()):,} games or more each"
    parts = []
    if hinges:
        parts.append(f"**hinges on it**: {listed(hinges)}")
    if moved:
        parts.append(f"**changes clearly in size with it**: {listed(moved)}")
    if holds:
        parts.append(f"holds with every one tried: {listed(holds)}")
    if unclear:
        parts.append(f"not clear with at least one of them: {listed(unclear)}")
    s.finding(f"Of {unknown}, which could not be found, three were tried with {who}. {sentence('; '.join(parts))} ({n}).")


def sentence(text: str) -> str:
    """With a capital."""
    return text[0].upper() + text[1:] if text[0] != "*" else "**" + text[2].upper() + text[3:]
