"""What each rank is worth in Techu, when to discard, and what the board looks like at the end: who holds what, and where cards are covered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from simkit import plots
from simkit.cards import rank_name
from simkit.games.techu import ACE, LOWEST, SIDE, SPACES, unpack_board
from simkit.plots import short
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, zero_upper
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from simkit.result import Result
    from simkit.study import Study

PLAYERS = {"random": "random", "greedy": "greedy_spaces(starter=3)", "thrifty": "thrifty(starter=3)"}
"""Kinds of player, weakest first; all choose any card of the hand as their starter."""
MAPPED = ("random", "thrifty")
"""Those whose boards are drawn."""
RANKS = list(range(LOWEST, ACE + 1))
COPIES = 4
"""Cards of a rank, of both players together."""
DISCARDS = {"lowest, if nothing gains": 0, "only a dead card": 1, "never unless forced": 2}
"""The number `discard` of greedy_spaces, in words."""
HAND = {"lowest": 0, "middle": 2, "highest": 1}
"""The number `starter` that lays the lowest, the middle and the highest of three cards."""
COLUMNS = "winner,empty_spaces,discards_voluntary,discards_forced,discarded,board"
ROWS = [f"row {row}" for row in range(SIDE)]
FROM_OWN_SIDE = ["opponent's home row", "next to it", "middle row", "next to own", "own home row"]


@study(title="Techu: what are the cards worth, and who holds what?", games=30_000)
def techu_cards(s: Study) -> None:
    """What each rank is worth in Techu, in spaces and in the first hand; whether discarding pays; and the board at the end."""
    s.question(
        "Each player of Techu has the same 26 cards, two of each rank. Which of them hold spaces at the end, and which are covered or thrown away? Is it an advantage to have "
        "the high cards early? When does discarding pay? And where on the board do the cards end up, and where is the fight?"
    )
    s.method(
        f"{s.games:,} games, all on the same deals, between two players of one kind: at random; greedy (the largest gain in spaces now, with the lowest card: `greedy_spaces`); "
        "thrifty (weighs the gain against what the card will be worth later: `thrifty`). All choose any card of the hand as their starter. A card **holds** a space if it is on top of its "
        "stack at the end. Games are the units of all intervals, which are 95 % ones."
    )
    played = {name: s.run("techu", players=player, columns=COLUMNS, rows=True) for name, player in PLAYERS.items()}
    boards = {name: board_of(result) for name, result in played.items()}
    tell_of_ranks(s, played, boards)
    tell_of_first_hands(s, played)
    tell_of_discards(s, played)
    tell_whether_discarding_pays(s)
    tell_of_the_board(s, boards)


# ------------------------------------------------------------------------------------------------------------- helpers


class Board(NamedTuple):
    """The final boards of games: arrays (games, 25), a column a space, row 0 first. See `unpack_board`."""

    rank: np.ndarray
    holder: np.ndarray
    cards: np.ndarray


def board_of(result: Result) -> Board:
    """The final boards of a run."""
    found = unpack_board(result.frame[[f"board_{row}" for row in range(SIDE)]].to_numpy())
    return Board(found["rank"], found["holder"], found["cards"])


def mean_of(values: np.ndarray) -> Estimate:
    """Mean with its interval; where all values are alike it allows for others, at most 1 away, in about 3/n of the games."""
    values = np.asarray(values, float)
    n = len(values)
    if n == 0:
        return Estimate(np.nan, -np.inf, np.inf, 0)
    spread = float(values.std(ddof=1)) if n > 1 else 0.0
    if spread == 0:
        other = float(zero_upper(n))
        return Estimate(float(values[0]), float(values[0]) - other, float(values[0]) + other, n, 0.0, "t")
    return mean_interval(n, float(values.mean()), spread)


def share_of(values: np.ndarray) -> Estimate:
    """A mean of numbers from 0 to 1; its interval does not leave them."""
    found = mean_of(values)
    return Estimate(found.estimate, max(0.0, found.low), min(1.0, found.high), found.n, found.se, found.method)


def ratio(above: np.ndarray, below: np.ndarray) -> Estimate:
    """Total of one count over the total of another; the games are the units (delta method)."""
    above, below = np.asarray(above, float), np.asarray(below, float)
    if below.sum() == 0:
        return Estimate(np.nan, -np.inf, np.inf, len(below))
    value = above.sum() / below.sum()
    rest = mean_of((above - value * below) / below.mean())
    return Estimate(value, value + rest.low, value + rest.high, len(below), rest.se, "delta")


def points(figure: Estimate) -> str:
    """A difference of shares in few letters, in percentage points with its sign."""
    scaled = Estimate(100 * figure.estimate, 100 * figure.low, 100 * figure.high, figure.n)
    return ("+" if scaled.estimate > 0 else "") + short(scaled).replace("-", "\N{MINUS SIGN}")


def with_ranks(figure: Figure) -> Figure:
    """The same figure with the names of the ranks on its horizontal axis."""
    with plots.style():
        figure.axes[0].set_xticks(RANKS, [rank_name(rank) for rank in RANKS])
    return figure


def runs(ranks: Sequence[int]) -> str:
    """Ranks in words: "2", "2, 3 and A"."""
    names = [rank_name(rank) for rank in ranks]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# --------------------------------------------------------------------------------------------------------------- ranks


def spaces_per_card(board: Board) -> dict[int, Estimate]:
    """For each rank the spaces that one of its cards holds at the end, between 0 and 1."""
    return {rank: share_of((board.rank == rank).sum(axis=1) / COPIES) for rank in RANKS}


def discarded_share(result: Result) -> dict[int, Estimate]:
    """For each rank the share of its cards that are discarded."""
    return {rank: share_of(result.frame[f"discarded_{rank}"].to_numpy() / COPIES) for rank in RANKS}


def tell_of_ranks(s: Study, played: Mapping[str, Result], boards: Mapping[str, Board]) -> None:
    """What each rank holds at the end."""
    s.heading("What a card holds at the end")
    n = f"n = {s.games:,} games for each kind of player"
    held = {name: spaces_per_card(board) for name, board in boards.items()}
    s.figure(
        with_ranks(
            plots.lines(RANKS, {name: list(found.values()) for name, found in held.items()}, xlabel="rank", ylabel="cards that hold a space", percent=True, zero=True)
        ),
        caption=f"Share of the cards of each rank that hold a space at the end, with 95 % intervals ({n}; four cards of each rank in a game).",
        alt="Lines that rise with the rank, one for each kind of player.",
    )  # fmt: skip
    gone = {name: discarded_share(result) for name, result in played.items()}
    table = pd.DataFrame(
        [
            {
                "rank": rank_name(rank),
                **{f"holds a space: {name}": short(held[name][rank], percent=True) for name in held},
                **{f"discarded: {name}": short(gone[name][rank], percent=True) for name in gone},
            }
            for rank in RANKS
        ]
    ).set_index("rank")
    s.table(
        table,
        caption=f"What becomes of a card: it holds a space at the end, was discarded, or (the rest) lies covered in a stack ({n}; 95 % intervals).",
    )
    for name in ("random", "thrifty"):
        say_what_ranks_hold(s, name, held[name])


def say_what_ranks_hold(s: Study, name: str, held: Mapping[int, Estimate]) -> None:
    """Which rank holds most and least, and whether more pips always hold more."""
    rest = RANKS[:-1]
    falls = [rank for rank in RANKS[1:] if compare(held[rank], held[rank - 1]) < 0]
    flat = [rank for rank in RANKS[1:] if compare(held[rank], held[rank - 1]) == 0]
    most, least = (pick(rest, key=lambda rank: held[rank].estimate) for pick in (max, min))
    if falls:
        order = f"but not every rank holds more than the one below it: {runs(falls)} clearly less"
    elif flat:
        order = "and no rank clearly less than the one below it"
    else:
        order = "and each rank clearly more than the one below it"
    apart = "" if compare(held[most], held[least]) else " (the two not clearly different)"
    s.finding(
        f"Between {name} players an ace, which cannot be covered, holds a space in {share_text(held[ACE])} of the cases; of the other ranks {rank_name(most)} does most often, "
        f"{share_text(held[most])}, and {rank_name(least)} least often, {share_text(held[least])}{apart}, {order} (n = {held[ACE].n:,} games)."
    )


def share_text(share: Estimate) -> str:
    """A share with its interval, "all" if nothing else was seen."""
    return "all" if share.estimate == 1 else short(share, percent=True)


# --------------------------------------------------------------------------------------------------------- first hands


def first_hands(s: Study) -> np.ndarray:
    """Each player's first hand in these deals, (games, 2, 3), ascending: the starters of those who lay the lowest, the middle, the highest card."""
    cards = [
        s.run("techu", players=f"uniform(starter={number})", columns="starter", rows=True).frame[["starter_0", "starter_1"]].to_numpy()
        for number in HAND.values()
    ]
    return np.stack(cards, axis=2)


def edge_of_holders(outcome: np.ndarray, hands: np.ndarray, rank: int) -> Estimate:
    """Won less lost, as a share of games, by whoever alone has this rank in the first hand. `outcome`: 1 Black wins, -1 Red, 0 a draw."""
    has = (hands == rank).any(axis=2)
    alone = has[:, 0] != has[:, 1]
    return mean_of(np.where(has[:, 0], outcome, -outcome)[alone])


def tell_of_first_hands(s: Study, played: Mapping[str, Result]) -> None:
    """What it is worth to have a rank in the first hand."""
    s.heading("What a card is worth in the first hand")
    hands = first_hands(s)
    s.text(
        "Both players have the same cards and see nearly all of them in a game; the deal only says which come early. What does it gain to have a rank among the first three cards, "
        "the opponent having none of it there? One of the three is laid as the starter, any of them; the player with the lower starter moves first. (The first hands are seen by playing the "
        "same deals with players who lay the lowest, the middle and the highest card.)"
    )
    edges = {}
    for name, result in played.items():
        winner = result.frame["winner"].to_numpy()
        outcome = np.where(winner < 0, 0, np.where(winner == 0, 1, -1))
        edges[name] = {rank: edge_of_holders(outcome, hands, rank) for rank in RANKS}
    n = edges["thrifty"][LOWEST].n
    s.figure(
        with_ranks(plots.lines(
            RANKS, {name: [Estimate(100 * e.estimate, 100 * e.low, 100 * e.high, e.n) for e in edges[name].values()] for name in ("random", "thrifty")},
            xlabel="rank", ylabel="won less lost, percentage points", reference=0,
        )),
        caption=f"The edge (games won less games lost, in percentage points) of a player who has a rank in the first hand when the opponent has not, with 95 % intervals (n = about {n:,} games a point).",
        alt="Two lines about 0 over the rank: random and thrifty players.",
    )  # fmt: skip
    s.table(
        pd.DataFrame(
            [{"rank": rank_name(rank), **{name: points(found[rank]) for name, found in edges.items()}, "games": edges["thrifty"][rank].n} for rank in RANKS]
        ).set_index("rank"),
        caption="The edge in percentage points of having a rank in the first hand when the opponent has not (n = games in which just one player has it; 95 % intervals). Part of it is the starter's: a low card in the hand is often the lower starter.",
    )  # fmt: skip
    level = {rank: widened(edge, len(RANKS)) for rank, edge in edges["thrifty"].items()}
    good, bad = [rank for rank in RANKS if level[rank].low > 0], [rank for rank in RANKS if level[rank].high < 0]
    told = [f"{words} early: {runs(ranks)}" for words, ranks in (("good to have", good), ("better to have later than", bad)) if ranks]
    if told:
        top = max(RANKS, key=lambda rank: abs(edges["thrifty"][rank].estimate))
        s.finding(
            f"Between thrifty players it is {'; '.join(told)}. The largest effect is that of the {rank_name(top)}: {points(edges['thrifty'][top])} percentage points (n = {edges['thrifty'][top].n:,} games)."
        )
    else:
        s.finding(
            f"Between thrifty players no rank is clearly good or bad to have in the first hand (n = about {n:,} games a rank, all ranks judged together)."
        )


def widened(edge: Estimate, tests: int) -> Estimate:
    """The same figure with an interval that allows for so many tests (Bonferroni)."""
    from simkit.stats.intervals import z_value

    half = (edge.se or 0.0) * z_value(1 - 0.05 / tests) if edge.se else np.inf
    return Estimate(edge.estimate, edge.estimate - half, edge.estimate + half, edge.n, edge.se, edge.method, 1 - 0.05 / tests)


# ------------------------------------------------------------------------------------------------------------ discards


def tell_of_discards(s: Study, played: Mapping[str, Result]) -> None:
    """How often cards are discarded, and which."""
    s.heading("Discarding")
    rows = []
    for name, result in played.items():
        frame = result.frame
        free, forced = ((frame[f"discards_{kind}_0"] + frame[f"discards_{kind}_1"]).to_numpy() for kind in ("voluntary", "forced"))
        rows.append({
            "player": name,
            "by choice, a game": short(mean_of(free)),
            "because nothing could be placed": short(mean_of(forced)),
            "games without any": short(share_of(free + forced == 0), percent=True),
            "empty spaces at the end": short(mean_of(frame["empty_spaces"].to_numpy())),
        })  # fmt: skip
    n = f"n = {s.games:,} games for each kind of player"
    s.table(pd.DataFrame(rows).set_index("player"), caption=f"Discards of both players together ({n}; 95 % intervals).")
    s.figure(
        with_ranks(
            plots.lines(RANKS, {name: list(discarded_share(result).values()) for name, result in played.items()}, xlabel="rank", ylabel="cards discarded", percent=True, zero=True)
        ),
        caption=f"Share of the cards of each rank that are discarded, with 95 % intervals ({n}).",
        alt="Lines over the rank, one for each kind of player.",
    )  # fmt: skip


def tell_whether_discarding_pays(s: Study) -> None:
    """Ways to discard against each other."""
    cup = s.tournament("techu", [f"greedy_spaces(discard={number})" for number in DISCARDS.values()], s.games // 10)
    words = dict(zip(cup.players, DISCARDS, strict=True))
    rows = [
        {"discards": words[player], **{f"against “{words[other]}”": "–" if other == player else short(cup.score(player, other), percent=True) for other in cup.players}}
        for player in cup.players
    ]  # fmt: skip
    n = f"n = {cup.deals:,} deals, each played twice with seats exchanged"
    s.table(
        pd.DataFrame(rows).set_index("discards"),
        caption="Greedy players who differ only in what they do when no placement gains a space: mean scores (win 1, draw ½). A dead card is one that will hardly gain a space any more: the board is full, "
        f"and the opponent has nothing lower. Who does not discard covers a card of one's own ({n}; 95 % intervals, which hold all together).",
    )
    best = cup.best.candidates
    if len(best) == 1:
        s.finding(f"When no placement gains a space, the best of three ways is to discard “{words[best[0]]}” ({n}; greedy players).")
    else:
        said = ", ".join(f"“{words[name]}”" for name in best)
        s.finding(
            f"When no placement gains a space, it is not clear which of these ways to discard is best: {said} ({n}; greedy players, who seldom come to it)."
        )


# ---------------------------------------------------------------------------------------------------------- the board


def grid(values: np.ndarray, share: bool = False) -> list[list[Estimate]]:
    """Means over games of an array (games, 25) as five rows of five."""
    cells = [(share_of if share else mean_of)(values[:, space]) for space in range(SPACES)]
    return [cells[SIDE * row : SIDE * (row + 1)] for row in range(SIDE)]


def own_side(board: Board) -> np.ndarray:
    """bool (games, 25): whether Black holds each space, seen from Black's side, Red's home row first."""
    return (board.holder == 0)[:, ::-1]


def mean_ranks(board: Board) -> list[list[Estimate]]:
    """Mean rank on top of each space, where it is not empty."""
    cells = [ratio(board.rank[:, space], board.rank[:, space] > 0) for space in range(SPACES)]
    return [cells[SIDE * row : SIDE * (row + 1)] for row in range(SIDE)]


def tell_of_the_board(s: Study, boards: Mapping[str, Board]) -> None:
    """Heat maps of the board at the end, and which rows are fought over."""
    s.heading("The board at the end")
    s.text(
        "Maps of the 25 spaces, columns 0 to 4. Each cell has its figure and, below, how far its 95 % interval reaches. Row 0 is Black's home row, row 4 Red's; in the first maps the board is "
        "seen from a player's own side, and the bottom row is the own home row."
    )
    columns = [str(column) for column in range(SIDE)]
    n = f"n = {s.games:,} games"
    for name in MAPPED:
        s.figure(
            plots.heat(grid(own_side(boards[name]), share=True), FROM_OWN_SIDE, columns, xlabel="column", percent=True, middle=0.5),
            caption=f"How often a player holds each space at the end, seen from the own side, {name} players ({n}; Black's spaces, Red's being the same turned round).",
            alt="A grid of five by five shares: high in the bottom row, one's own home row, low in the top row.",
        )
    for name in MAPPED:
        s.figure(
            plots.heat(mean_ranks(boards[name]), ROWS, columns, xlabel="column"),
            caption=f"Mean rank of the card on top at the end (11 jack to 14 ace), {name} players ({n}; empty spaces left out).",
            alt="A grid of five by five mean ranks.",
        )
    for name in MAPPED:
        s.figure(
            plots.heat(grid(boards[name].cards), ROWS, columns, xlabel="column"),
            caption=f"Mean number of cards in the stack at the end: all but one have been covered, {name} players ({n}).",
            alt="A grid of five by five mean stack heights.",
        )
    say_who_holds_what(s, boards)
    say_where_the_fight_is(s, boards)


def say_who_holds_what(s: Study, boards: Mapping[str, Board]) -> None:
    """Shares of rows, in words and a table."""
    rows, home = [], {}
    for name, board in boards.items():
        by_row = own_side(board).reshape(-1, SIDE, SIDE).mean(axis=2)
        shares = [share_of(by_row[:, row]) for row in range(SIDE)]
        home[name] = shares[-1]
        rows.append({"player": name, **{label: short(share, percent=True) for label, share in zip(FROM_OWN_SIDE, shares, strict=True)}})
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption=f"Share of the spaces of each row that a player holds at the end, seen from the own side; what neither holds is empty (n = {s.games:,} games; 95 % intervals).",
    )
    said = "; ".join(f"{name} {share.text(percent=True)}" for name, share in home.items())
    s.finding(f"At the end a player holds this share of the own home row: {said}.")


def say_where_the_fight_is(s: Study, boards: Mapping[str, Board]) -> None:
    """Whether the home rows or the middle row are covered more."""
    rows, apart = [], {}
    for name, board in boards.items():
        by_row = board.cards.reshape(-1, SIDE, SIDE).mean(axis=2)
        home, between, middle = (by_row[:, [0, 4]].mean(axis=1), by_row[:, [1, 3]].mean(axis=1), by_row[:, 2])
        apart[name] = mean_of(middle - home)
        rows.append({
            "player": name, "home rows": short(mean_of(home)), "rows 1 and 3": short(mean_of(between)), "middle row": short(mean_of(middle)),
            "middle less home": short(apart[name]).replace("-", "\N{MINUS SIGN}"), "tallest stack": short(mean_of(board.cards.max(axis=1))),
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption=f"Mean number of cards in a stack by row, and in the tallest stack of a game (n = {s.games:,} games; 95 % intervals).",
    )
    words = []
    for name, difference in apart.items():
        where = "the middle row" if difference.low > 0 else "the home rows" if difference.high < 0 else "neither clearly"
        words.append(f"{name} {where} ({short(difference)} cards a stack more in the middle)".replace("(-", "(\N{MINUS SIGN}"))
    s.finding(f"Where cards are covered most, the middle row against the two home rows: {'; '.join(words)} (n = {s.games:,} games each).")
