"""The auctions of TEN: what each wild goes for and is worth, whether acting last helps, and what the limit of ten coins destroys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from analyses._ten import (
    FIELD,
    PLAYERS,
    SPLITS,
    Figures,
    alike,
    alone,
    change,
    clear,
    family,
    grouped,
    in_points,
    instead,
    listed,
    mean_of,
    percent,
    ratio_of,
    seats_of,
    signed,
    total_ratio,
    within,
)
from simkit import plots
from simkit.plots import short
from simkit.stats.paired import paired_difference
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simkit.result import Result
    from simkit.stats.estimate import Estimate
    from simkit.study import Study

OUTRIGHT = (2, 3, 4, 5)
"""Coins for a point that one bids at once."""
CLASSES = {"hash": "# of a colour", "numbered": "numbered", "full": "full"}
STAGES = {"early": "first third", "middle": "second third", "late": "last third"}
LIMITS: tuple[Any, ...] = (7, 10, 15, 20, "none")
"""Limits of coins; "none" leaves them unlimited."""
WORTHS = (2, 3, 4, 5, 7)
"""Coins bid at most for each point that a wild adds."""
COINS_DUE = ("coins_money", "coins_received", "coins_lost")
COLUMNS = (
    "sold",
    "price",
    "auctions",
    "unsold",
    "wilds_met",
    "auctions_won",
    "auctions_won_active",
    "auction_price",
    "auction_cards",
    "auction_tokens",
    "auction_over",
    "score",
    *COINS_DUE,
)
LONE = ("score", "auctions_won", "auction_price")


@study(title="TEN: what is a wild worth, and what do ten coins destroy?", games=10_000)
def ten_auctions(s: Study) -> None:
    """What each kind of wild goes for and is worth by stage of the game, whether it helps to act last, and what the coin limit destroys."""
    s.question(
        "Every wild card of TEN is sold at once, each player bidding once, the active player last. What do the wilds go for, and what are they worth, early and late? Does it help to have the last "
        "word? And nobody may hold more than ten coins: how many coins does that destroy, and what would change without it?"
    )
    deals = s.games // 50
    s.method(
        f"First it is asked how high to bid: one `{FIELD}` player bids up to so many coins for each point that a wild adds at once, the three others up to another number (each bids as little as it can). "
        f"All bid so at the tables that follow, at which it no longer clearly pays to bid otherwise. {max(100, s.games // 5):,} games show the prices. What a wild is worth to its buyer is measured by a player who does as they do but never bids on it, on the same deals from every "
        "seat: what that player loses for each auction that it wins fewer is what a wild is worth beyond its price. Stages are thirds of the deck. Intervals are 95 % ones, the deal or the game "
        "as the unit. Four players use the full deck; of it only the currency split is not "
        "known (docs/rules/ten.md, D2), and the last part tries others."
    )
    settled = tell_of_bids(s)
    base = alike(s, COLUMNS, s.games // 5, player=table_at(settled))
    usual = alone(s, table_at(settled), LONE, deals, field=table_at(settled))
    tell_of_prices(s, base, settled)
    tell_of_worth(s, deals, usual, settled)
    tell_of_acting_last(s, base, deals, usual, settled)
    tell_of_the_limit(s, settled)
    tell_of_splits(s, base, settled)


# ---------------------------------------------------------------------------------------------------------------- bids


def table_at(worth: int) -> str:
    """The good player, bidding up to so many coins for a point."""
    return instead(f"value(r={worth})", "bid")


def tell_of_bids(s: Study) -> int:
    """How high to bid against those who bid up to so much; the bid from which it no longer pays to bid otherwise."""
    s.heading("How high to bid")
    deals = s.games // 100
    grid = {
        theirs: {mine: alone(s, table_at(mine), LONE, deals, field=table_at(theirs)) for mine in WORTHS if mine != theirs}
        for theirs in WORTHS
    }
    level = family(len(WORTHS) * (len(WORTHS) - 1))
    won = {theirs: {mine: within(each.mean("win_share", level)) for mine, each in row.items()} for theirs, row in grid.items()}
    n = grid[WORTHS[0]][WORTHS[1]].deals
    s.figure(
        plots.heat([[won[theirs].get(mine) for mine in WORTHS] for theirs in WORTHS], WORTHS, WORTHS, xlabel="coins for a point, the one", ylabel="the three others", percent=True, middle=0.25),
        caption=f"Games won by one player who bids up to so many coins for each point that a wild adds, among three who bid up to another number; 25 % is even; intervals that hold all together at 95 % "
        f"(n = {n:,} deals, each played from four seats).",
        alt="A table of win shares: rows the bids of the three others, columns those of the one.",
    )  # fmt: skip
    settled = settled_bid(won)
    say_where_bids_settle(s, won, settled, n)
    s.text(
        "Each bids once, and these players raise by one: no price of theirs can pass 4 where the lowest bid is 1 and four bid. So limits of 4 coins and more for a point come to the same for "
        "a wild that adds one point, and the prices below are those of this way to bid."
    )
    tell_of_outright_bids(s, settled)
    return settled


def tell_of_outright_bids(s: Study, settled: int) -> None:
    """Whether it pays to bid at once what others must then outbid."""
    tried = {worth: alone(s, instead(f"outright(r={worth})", "bid"), LONE, s.games // 80, field=table_at(settled)) for worth in OUTRIGHT}
    n, level = tried[OUTRIGHT[0]].deals, family(len(OUTRIGHT))
    won = {worth: within(each.mean("win_share", level)) for worth, each in tried.items()}
    s.table(
        pd.DataFrame([
            {
                "coins for a point, at once": worth,
                "games won": short(won[worth], percent=True),
                "points": short(each.mean("score")),
                "wilds won": short(each.mean("auctions_won")),
                "price of a wild": short(each.ratio(["auction_price"], ["auctions_won"])),
            }
            for worth, each in tried.items()
        ]).set_index("coins for a point, at once"),
        caption=f"One player who does not raise by one but bids its limit at once, unless it is last to act, among three who raise by one up to {settled} coins for a point (n = {n:,} deals, each played from "
        "four seats; 95 % intervals, those of the games won meant to hold all together).",
    )  # fmt: skip
    best = best_reply(won)
    verdict = {1: "wins more than", -1: "wins less than", 0: "wins not clearly more or less than"}[clear(won[best], 0.25)]
    s.finding(
        f"Who bids at once, so that the others must go higher, {verdict} an even 25 %, at best {short(won[best], percent=True)} of the games, with {best} coins for a point, against three who raise by one "
        f"up to {settled} (n = {n:,} deals)."
    )


def best_reply(row: Mapping[int, Estimate]) -> int:
    """The bid that wins most against one table."""
    return max(row, key=lambda mine: row[mine].estimate)


def settled_bid(won: Mapping[int, Mapping[int, Estimate]]) -> int:
    """The lowest bid against which no other clearly wins more than its share; where there is none, that against which the best wins least."""
    for theirs, row in won.items():
        if all(clear(each, 0.25) <= 0 for each in row.values()):
            return theirs
    return min(won, key=lambda theirs: won[theirs][best_reply(won[theirs])].estimate)


def say_where_bids_settle(s: Study, won: Mapping[int, Mapping[int, Estimate]], settled: int, deals: int) -> None:
    """The bid that nobody does better by leaving, and what leaving a lower one brings."""
    beaten = [theirs for theirs in won if clear(won[theirs][best_reply(won[theirs])], 0.25) > 0]
    replies = "; ".join(
        f"at {theirs} who bids up to {best_reply(won[theirs])} wins {short(won[theirs][best_reply(won[theirs])], percent=True)}"
        for theirs in beaten
    )
    if settled in beaten:
        s.finding(
            f"None of the bids tried holds against the others: {replies} of the games, where 25 % is even (n = {deals:,} deals each). The tables below bid up to {settled} coins for a point."
        )
    elif beaten:
        s.finding(
            f"Raising by one, bids settle at about {settled} coins for each point that a wild adds at once: where the others bid so, no other bid tried clearly wins more than an even 25 %; {replies} of the games "
            f"(n = {deals:,} deals each). The tables below bid up to {settled}."
        )
    else:
        s.finding(
            f"In so few games no bid tried is clearly better than any other (n = {deals:,} deals each). The tables below bid up to {settled} coins for a point."
        )


# -------------------------------------------------------------------------------------------------------------- prices


def mean_price(result: Result, kind: str, stage: str, level: float = 0.95) -> Estimate:
    """Mean price of the wilds of a class sold in a stage; the games are the units."""
    frame = result.frame
    return ratio_of(frame[f"price_{kind}_{stage}"].to_numpy(), frame[f"sold_{kind}_{stage}"].to_numpy(), level)


def price_of_class(result: Result, kind: str, level: float = 0.95) -> Estimate:
    """Mean price of the wilds of a class that are sold."""
    price, sold = (sum(result.frame[f"{what}_{kind}_{stage}"].to_numpy() for stage in STAGES) for what in ("price", "sold"))
    return ratio_of(price, sold, level)


def price_in_stage(result: Result, stage: str, level: float = 0.95) -> Estimate:
    """Mean price of the wilds sold in a stage."""
    price, sold = (sum(result.frame[f"{what}_{kind}_{stage}"].to_numpy() for kind in CLASSES) for what in ("price", "sold"))
    return ratio_of(price, sold, level)


def unsold_share(result: Result) -> Estimate:
    """Share of the wilds that nobody bids for."""
    return ratio_of(result.frame["unsold"].to_numpy(), result.frame["auctions"].to_numpy())


def tell_of_prices(s: Study, base: Result, settled: int) -> None:
    """What each wild goes for, by stage."""
    s.heading("What a wild goes for")
    prices = {kind: [mean_price(base, kind, stage) for stage in STAGES] for kind in CLASSES}
    s.table(
        pd.DataFrame([
            {
                "wild": CLASSES[kind],
                **{words: short(price) for words, price in zip(STAGES.values(), prices[kind], strict=True)},
                "whole game": short(price_of_class(base, kind)),
                "sold a game": short(mean_of(sum(base.frame[f"sold_{kind}_{stage}"].to_numpy() for stage in STAGES))),
            }
            for kind in CLASSES
        ]).set_index("wild"),
        caption=f"Mean price of the wilds that are sold, by third of the deck, in coins' worth (n = {base.games:,} games of four players who bid up to {settled} coins for a point; 95 % intervals).",
    )  # fmt: skip
    s.figure(
        grouped(list(STAGES.values()), {CLASSES[kind]: row for kind, row in prices.items()}, x="mean price"),
        caption=f"Mean price of the wilds that are sold, by class and third of the deck, with 95 % intervals (n = {base.games:,} games).",
        alt="Points of the mean price for three classes of wilds and three thirds of the deck.",
    )
    over = {kind: price_of_class(base, kind) for kind in CLASSES}
    order = sorted((kind for kind in CLASSES if over[kind].estimate == over[kind].estimate), key=lambda kind: -over[kind].estimate)
    early, late = price_in_stage(base, "early"), price_in_stage(base, "late")
    trend = {1: "more", -1: "less", 0: "not clearly more or less"}[compare(late, early)]
    s.finding(
        f"Among players who bid up to {settled} coins for a point wilds go for {'; '.join(f'{CLASSES[kind]}: {over[kind].text()}' for kind in order)} coins' worth. In the last third of the deck they cost {trend} than in the first: "
        f"{late.text()} against {early.text()}."
    )
    s.text(f"Nobody bids for {short(unsold_share(base), percent=True)} of the wilds (95 %, n = {base.games:,} games); these are lost.")
    tell_of_means(s, base, settled)


def tell_of_means(s: Study, base: Result, settled: int) -> None:
    """What prices are paid with, and how they differ at other tables."""
    others = {name: alike(s, COLUMNS, s.games // 20, player=player) for name, player in PLAYERS.items() if player != "planner"}
    tables = {f"up to {settled} coins for a point": base, **others}
    s.table(
        pd.DataFrame([
            {
                "table of four": name,
                **{CLASSES[kind]: short(price_of_class(result, kind)) for kind in CLASSES},
                "unsold": short(unsold_share(result), percent=True),
                "cards a wild": short(total_ratio(result, ["auction_cards"], ["auctions_won"])),
                "bust tokens a wild": short(total_ratio(result, ["auction_tokens"], ["auctions_won"])),
                "overpaid a wild": short(total_ratio(result, ["auction_over"], ["auctions_won"])),
                "games": result.games,
            }
            for name, result in tables.items()
        ]).set_index("table of four"),
        caption="Mean price by class at tables of other habits, and what a wild is paid with apart from coins (n = games; 95 % intervals). The prices are the players' as much as the game's.",
    )  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- worth


def worth_of_win(without: Figures, base: Figures, column: str) -> Estimate:
    """What is lost for each auction won fewer, on the same deals."""
    return ratio_of(
        (base.frame[column] - without.frame[column]).to_numpy(), (base.frame["auctions_won"] - without.frame["auctions_won"]).to_numpy()
    )


def tell_of_worth(s: Study, deals: int, base: Figures, settled: int) -> None:
    """What a wild is worth beyond its price."""
    s.heading("What a wild is worth")
    ways = {
        **{CLASSES[kind]: f"value_without_class(r={settled}, kind={k})" for k, kind in enumerate(CLASSES)},
        **{f"any, {words}": f"value_without_stage(r={settled}, third={k})" for k, words in enumerate(STAGES.values())},
        "any": "pass_always",
    }
    tried = {name: alone(s, instead(part, "bid"), LONE, deals, field=table_at(settled)) for name, part in ways.items()}
    # a worth needs an auction to be won now and then
    worth = {name: worth_of_win(each, base, "score") for name, each in tried.items() if change(base, each, "auctions_won").low > 0}
    level = family(len(tried))
    losses = {name: change(base, each, level=level) for name, each in tried.items()}
    s.table(
        pd.DataFrame([
            {
                "never bids on": name,
                "wilds won fewer, a game": short(change(base, each, "auctions_won")),
                "points a wild, after its price": short(worth[name]) if name in worth else "–",
                "games lost, percentage points": signed(losses[name], 100),
            }
            for name, each in tried.items()
        ]).set_index("never bids on"),
        caption=f"What a player loses who never bids on some wilds, the three others bidding up to {settled} coins for a point (n = {base.deals:,} deals, each played from four seats; 95 % intervals, those of the games lost "
        "meant to hold all together).",
    )  # fmt: skip
    if not worth:
        s.finding(f"In so few games the worth of a wild is not clear (n = {base.deals:,} deals).")
        return
    s.figure(
        plots.dots(list(worth), list(worth.values()), x="points a wild, after its price", reference=0),
        caption=f"What a wild won adds to the points in the end, after all that is paid for it, by class and third of the deck; 95 % intervals (n = {base.deals:,} deals).",
        alt="Points with intervals for classes of wilds and thirds of the deck, about a dashed line at 0.",
    )
    lost = losses["any"]
    verdict = {1: "loses games", -1: "wins more games", 0: "loses no clear number of games"}[clear(lost)]
    s.finding(
        f"A wild at the price of these tables is worth {worth['any'].text() if 'any' in worth else 'no clear number of'} points more than it costs: a player who never bids {verdict} "
        f"({signed(lost, 100)} percentage points lost, n = {base.deals:,} deals)."
    )
    early, late = (worth.get(f"any, {STAGES[stage]}") for stage in ("early", "late"))
    if early is not None and late is not None:
        trend = {1: "more than", -1: "less than", 0: "not clearly more or less than"}[compare(early, late)]
        s.finding(
            f"A wild of the first third of the deck brings {early.text()} points beyond its price, {trend} one of the last third, {late.text()}."
        )


# --------------------------------------------------------------------------------------------------------- acting last


def wins_by_turn(result: Result) -> tuple[Estimate, Estimate]:
    """Auctions won of those one could bid in: as the active player, who acts last, and as one of the others."""
    active, won, met = (seats_of(result, column).sum(axis=1) for column in ("auctions_won_active", "auctions_won", "wilds_met"))
    others = (int(result.rules["players"]) - 1) * met
    return ratio_of(active, met), ratio_of(won - active, others)


def tell_of_acting_last(s: Study, base: Result, deals: int, usual: Figures, settled: int) -> None:
    """Whether the last word is worth having."""
    s.heading("Acting last")
    last, other = wins_by_turn(base)
    parts = {"only when last": f"snipe(r={settled})", "never when last": f"never_last(r={settled})"}
    tried = {
        "always": usual,
        **{name: alone(s, instead(part, "bid"), LONE, deals, field=table_at(settled)) for name, part in parts.items()},
    }
    prices = {name: each.ratio(["auction_price"], ["auctions_won"]) for name, each in tried.items()}
    s.table(
        pd.DataFrame([
            {
                "bids": name,
                "wilds won": short(each.mean("auctions_won")),
                "price of a wild": short(prices[name]),
                "points": short(each.mean("score")),
                "games won": short(each.won, percent=True),
                "change, percentage points": "–" if each is usual else signed(change(each, usual), 100),
            }
            for name, each in tried.items()
        ]).set_index("bids"),
        caption=f"A player who bids only when it has the last word, or never then, the three others bidding up to {settled} coins for a point (n = {usual.deals:,} deals, each played from four seats; 95 % intervals).",
    )  # fmt: skip
    by_bid = {worth: wins_by_turn(alike(s, COLUMNS, s.games // 20, player=table_at(worth))) for worth in WORTHS}
    n = min(last.n for last, _ in by_bid.values())
    s.figure(
        plots.lines(
            list(WORTHS), {"last to act": [last for last, _ in by_bid.values()], "not last": [other for _, other in by_bid.values()]},
            xlabel="coins all bid for a point, at most", ylabel="auctions won", percent=True, reference=0.25,
        ),
        caption=f"Auctions won by the active player, who acts last, and by each of the others, by how high all four bid; the dashed line is an equal share; 95 % intervals (n = {n:,} games each).",
        alt="Two lines against the height of bids: the share of auctions won when last to act, and when not.",
    )  # fmt: skip
    say_whether_last_wins_always(s, by_bid, n)
    verdict = {1: "more often than", -1: "less often than", 0: "about as often as"}[compare(last, other)]
    cheap = {1: "more", -1: "less", 0: "not clearly more or less"}[compare(prices["only when last"], prices["never when last"])]
    s.finding(
        f"The player who acts last wins {percent(last)} of the auctions, {verdict} each of the others, {percent(other)}; who bids only when last pays {cheap} for a wild than who never bids then: "
        f"{prices['only when last'].text()} against {prices['never when last'].text()}."
    )
    costs = {name: change(tried[name], usual) for name in ("only when last", "never when last")}
    said = "; ".join(f"bidding {name} changes the games won by {in_points(cost)}" for name, cost in costs.items())
    s.finding(f"Against bidding always: {said}.")


def say_whether_last_wins_always(s: Study, by_bid: Mapping[int, tuple[Estimate, Estimate]], games: int) -> None:
    """Whether the last to act wins more often at every height of bids."""
    more, fewer = ([worth for worth, (last, other) in by_bid.items() if compare(last, other) == sign] for sign in (1, -1))
    if more and fewer:
        s.finding(
            f"Whether the last to act wins more auctions depends on how high all bid, since bids rise by one from player to player: more where they bid up to {listed(list(map(str, more)))} "
            f"coins for a point, fewer at {listed(list(map(str, fewer)))} (n = {games:,} games each)."
        )
    elif len(more) == len(by_bid) or len(fewer) == len(by_bid):
        s.text(
            f"The last to act wins {'more' if more else 'fewer'} auctions than each of the others at every height of bids tried (n = {games:,} games each)."
        )
    else:
        s.text(
            f"Where all bid up to {listed(list(map(str, more or fewer)))} coins for a point the last to act clearly wins {'more' if more else 'fewer'} auctions than each of the others (n = {games:,} games each)."
        )


# ----------------------------------------------------------------------------------------------------------- the limit


def lost_share(result: Result) -> Estimate:
    """Share of the coins due that the limit takes."""
    return total_ratio(result, ["coins_lost"], COINS_DUE)


def tell_of_the_limit(s: Study, settled: int) -> None:
    """What the limit of ten coins destroys, and what changes without it."""
    s.heading("Ten coins at most")
    played = {
        limit: alike(s, COLUMNS, s.games // 10, player=table_at(settled), rules={"coin_limit": limit, "coin_supply": "none"})
        for limit in LIMITS
    }
    lost = {limit: lost_share(result) for limit, result in played.items()}
    each = {limit: mean_of(seats_of(result, "coins_lost").mean(axis=1)) for limit, result in played.items()}
    n = played[10].games
    s.table(
        pd.DataFrame([
            {
                "limit": str(limit),
                "coins lost, of all due": "0 %" if limit == "none" else short(lost[limit], percent=True),
                "coins lost, each player": "0" if limit == "none" else short(each[limit]),
                "price of a wild": short(total_ratio(result, ["auction_price"], ["auctions_won"])),
                "points each": short(mean_of(seats_of(result, "score").mean(axis=1))),
            }
            for limit, result in played.items()
        ]).set_index("limit"),
        caption=f"Coins that the limit takes from four players who bid up to {settled} coins for a point, and prices and points by the limit (n = {n:,} games each, on the same deals; 95 % intervals; as many coins in the supply as needed).",
    )  # fmt: skip
    shown = [limit for limit in LIMITS if limit != "none"]
    s.figure(
        plots.lines(
            shown,
            {"lost": [lost[limit] for limit in shown]},
            xlabel="coins a player may hold",
            ylabel="coins lost, of all due",
            percent=True,
            zero=True,
        ),
        caption=f"Share of the coins due to players that the limit takes, by the limit, with 95 % intervals (n = {n:,} games each).",
        alt="A falling line of the share of coins lost against the limit.",
    )
    say_what_is_destroyed(s, played)


def say_what_is_destroyed(s: Study, played: Mapping[Any, Result]) -> None:
    """The limit of ten against none."""
    with_limit, free = played[10], played["none"]
    each = mean_of(seats_of(with_limit, "coins_lost").mean(axis=1))
    points = paired_difference(seats_of(free, "score").mean(axis=1), seats_of(with_limit, "score").mean(axis=1)).difference
    prices = [total_ratio(result, ["auction_price"], ["auctions_won"]) for result in (free, with_limit)]
    verdict = {1: "higher", -1: "lower", 0: "not clearly different"}[compare(*prices)]
    s.finding(
        f"The limit of ten takes {percent(lost_share(with_limit))} of the coins due to players, {each.text()} coins from each in a game. Without it prices are {verdict} ({short(prices[0])} against "
        f"{short(prices[1])} for a wild) and each player's points change by {signed(points)} (n = {points.n:,} games on the same deals)."
    )
    s.text(
        "The players do not know that there is no limit to save for, and bid and stop as ever, but for counting the coins that they can still take."
    )


# -------------------------------------------------------------------------------------------------- what is not known


def tell_of_splits(s: Study, base: Result, settled: int) -> None:
    """Prices, losses and the last word with another currency split."""
    s.heading("If the currency split is another")
    s.text("How many currency cards there are of each value could not be found (docs/rules/ten.md, D2), only that there are 27.")
    played = {
        split: alike(s, COLUMNS, s.games // 10, player=table_at(settled), rules=rules) if rules else base for split, rules in SPLITS.items()
    }
    level = family(len(SPLITS))
    answers: dict[str, dict[str, Estimate]] = {}
    for split, result in played.items():
        last, other = wins_by_turn(result)
        answers[split] = {
            **{f"the price of wilds ({CLASSES[kind]})": price_of_class(result, kind, level) for kind in CLASSES},
            "coins lost": lost_share(result),
            "wins when last": last,
            "when not last": other,
        }
    shares = ("coins lost", "wins when last", "when not last")
    s.table(
        pd.DataFrame([
            {"cards of 1/2/3/4/5": split, **{name: short(each, percent=name in shares) for name, each in row.items()}, "games": played[split].games}
            for split, row in answers.items()
        ]).set_index("cards of 1/2/3/4/5"),
        caption="Prices of wilds, the share of coins that the limit takes, and auctions won when last to act or not, with three splits of the 27 currency cards (n = games; 95 % intervals, those of the prices "
        "meant to hold together).",
    )  # fmt: skip
    say_what_hinges(s, answers, min(result.games for result in played.values()))


def say_what_hinges(s: Study, answers: Mapping[str, Mapping[str, Estimate]], games: int) -> None:
    """Which of these figures move with the split."""
    assumed, *others = answers.values()
    moved = [name for name in assumed if any(compare(each[name], assumed[name]) for each in others)]
    same = [name for name in assumed if name not in moved]
    verdicts = {compare(each["wins when last"], each["when not last"]) for each in answers.values()}
    last = "is answered alike with all three" if len(verdicts) == 1 else "**hinges on it, or is not clear with one of them**"
    if moved:
        s.finding(
            f"**Hinges on a fact that could not be found**: with another currency split these figures clearly change: {listed(moved)}. "
            f"{'Not clearly changed: ' + listed(same) + '. ' if same else ''}Whether the last to act wins more auctions {last} (n = {games:,} games or more each)."
        )
    else:
        s.finding(
            f"None of these figures clearly hinges on the currency split, which could not be found: {listed(same)}; whether the last to act wins more auctions {last} (n = {games:,} games or more each)."
        )
    s.text("How high to bid and the worth of a wild were measured with the assumed split only.")
