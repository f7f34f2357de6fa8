"""Who is favoured in Techu, the first mover or the second; whether the low starter is rightly paid; and what a Techu is worth hunting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from simkit import plots
from simkit.cards import rank_name
from simkit.plots import short
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, wilson, zero_upper
from simkit.stats.paired import paired_difference
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from simkit.result import Result
    from simkit.study import Study


class Kind(NamedTuple):
    """A kind of player: how it is written, and the part of the study's games that both sides play with it."""

    player: str
    share: float


KINDS = {
    "random": Kind("random", 1),
    "greedy": Kind("greedy_spaces(starter=3)", 1),
    "one turn ahead": Kind("lookahead1(starter=3)", 0.5),
    "thrifty": Kind("thrifty(starter=3)", 0.5),
}
"""Players that choose any card of the hand as their starter, so that they differ in their turns only."""
SEARCHERS = {
    "greedy, searching": Kind("greedy_spaces(starter=3)+search(5)", 1 / 200),
    "thrifty, searching": Kind("thrifty(starter=3)+search(4)", 1 / 400),
}
"""Players that play each move out a few times; slow, so few games."""
FEW = 50
"""Games: a study whose part for searching players is smaller leaves them out."""
FIRST_TURN = {"low_starter": "lower starter first", "random": "a coin", "high_starter": "higher starter first"}
"""The rule `first_turn`, in words; the default first."""
STARTERS = {0: "lowest", 2: "middle", 1: "highest", 3: "any"}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "count_rule = linked": {"count_rule": "linked"},
    "hand_size = 1": {"hand_size": 1},
    "hand_size = 2": {"hand_size": 2},
    "hand_size = 4": {"hand_size": 4},
    "hand_size = 5": {"hand_size": 5},
    "opponent_home = closed": {"opponent_home": "closed"},
    "voluntary_discard = false": {"voluntary_discard": False},
}
BONUS = np.arange(-3, 3.5, 0.5)
"""Spaces given to the first mover at the end (taken, where negative)."""
LAST = (2, 4, 8, 12)
"""Over how many of its last turns a hunter keeps a 2 or 3."""
EVEN = Estimate(0.0, 0.0, 0.0, 0)
"""An edge of nobody."""
RANKS = list(range(2, 15))
COLUMNS = "winner,first_mover,starter,spaces,techu,techu_missed"


@study(title="Techu: is it better to move first or last?", games=30_000)
def techu_first_move(s: Study) -> None:
    """Who is favoured in Techu under players of growing skill, what would make it even, and what a Techu is worth hunting."""
    s.question(
        "In Techu the player with the lower starter (the first card each lays) moves first; the other has the last word. Is that a fair bargain? Who is "
        "favoured, and does the advantage grow or vanish as the players become better? Which rule or compensation would make it even? And a Techu, an "
        "honour for ending the game with a winning 2 or 3: how often does it fall by itself, and what does hunting it cost?"
    )
    s.method(
        f"Both sides play alike: at random; greedy (the largest gain in spaces now, with the lowest card: `greedy_spaces`); one turn ahead (the gain after the "
        f"opponent's best reply: `lookahead1`); thrifty (weighs the gain against what the card will be worth later: `thrifty`). All choose any card of "
        f"the hand as their starter, so that they differ in their turns only. A searching player plays every move out a few times with cards guessed for what it "
        f"cannot see. {s.games:,} games for the fast players, half of that for the slower ones, far fewer for those who search; each table says how many. "
        "The **edge** of a player is the share of games won less the share lost, in percentage points: 0 is even, and a draw counts for nobody. Intervals are 95 % ones."
    )
    order = tell_of_strength(s)
    played = tell_of_the_first_move(s, order)
    tell_of_searchers(s, played)
    tell_of_starters(s, played, order[-1])
    tell_of_starter_choice(s)
    tell_of_compensation(s, played["low_starter"], order[-1])
    tell_of_rules(s)
    tell_of_techus(s, played["low_starter"])
    tell_of_hunting(s)


# ------------------------------------------------------------------------------------------------------------- helpers


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def in_points(figure: Estimate) -> str:
    """An edge in words, in percentage points with its interval."""
    return f"{signed(figure)} percentage points (95 %, n = {figure.n:,})"


def signed(figure: Estimate) -> str:
    """An edge in few letters: "+3.1 ± 0.9"."""
    return ("+" if figure.estimate > 0 else "") + short(scaled(figure, 100)).replace("-", "\N{MINUS SIGN}")


def scaled(figure: Estimate, factor: float) -> Estimate:
    """An estimate in another unit."""
    se = None if figure.se is None else figure.se * abs(factor)
    low, high = sorted((figure.low * factor, figure.high * factor))
    return Estimate(figure.estimate * factor, low, high, figure.n, se, figure.method, figure.level)


def mean_of(values: np.ndarray, level: float = 0.95) -> Estimate:
    """Mean with its interval; where all values are alike it allows for others, at most 1 away, in about 3/n of the games."""
    values = np.asarray(values, float)
    n = len(values)
    if n == 0:
        return Estimate(np.nan, -np.inf, np.inf, 0)
    spread = float(values.std(ddof=1)) if n > 1 else 0.0
    if spread == 0:
        other = float(zero_upper(n, level))
        return Estimate(float(values[0]), float(values[0]) - other, float(values[0]) + other, n, 0.0, "t", level)
    return mean_interval(n, float(values.mean()), spread, level)


def results_of(result: Result, player: np.ndarray) -> np.ndarray:
    """For each game 1 if that player won it, -1 if the other did, 0 if it was drawn. `player`: a seat for each game."""
    winner = result.frame["winner"].to_numpy()
    return np.where(winner < 0, 0, np.where(winner == player, 1, -1))


def first_edge(result: Result, level: float = 0.95) -> Estimate:
    """The first mover's edge: games won less games lost, as a share of all."""
    return mean_of(results_of(result, result.frame["first_mover"].to_numpy()), level)


def low_starter_edge(result: Result) -> Estimate:
    """The edge of the player who laid the lower starter, among games whose first starters differ."""
    black, red = (result.frame[f"starter_{seat}"].to_numpy() for seat in range(2))
    return mean_of(results_of(result, (red < black).astype(int))[black != red])


def favours(edge: Estimate, first: str = "the first mover", second: str = "the second mover") -> str:
    """Whom an edge favours; "nobody clearly" if 0 is within its interval."""
    return first if edge.low > 0 else second if edge.high < 0 else "nobody clearly"


def grouped(labels: Sequence[str], series: Mapping[str, Sequence[Estimate]], *, x: str) -> Figure:
    """A row a label with a point and an interval for each series, in percentage points, and a line at 0."""
    figure, axes = plots.blank(x=x, height=0.95 + (0.2 * len(series) + 0.12) * len(labels))
    with plots.style():
        rows = np.arange(len(labels))
        for k, (name, estimates) in enumerate(series.items()):
            middle, low, high = (100 * np.array([getattr(each, end) for each in estimates], float) for end in ("estimate", "low", "high"))
            places = rows + 0.22 * (k - (len(series) - 1) / 2)
            axes.hlines(places, low, high, color=plots.SERIES[k], linewidth=2, alpha=0.75)
            axes.plot(middle, places, plots.MARKERS[k], color=plots.SERIES[k], markersize=4.5, label=name)
        axes.axvline(0, color=plots.INK, linewidth=1, alpha=0.6, linestyle=(0, (4, 3)))
        axes.set_yticks(rows, list(labels))
        axes.set_ylim(len(labels) - 0.45, -0.55)
        axes.grid(False, axis="y")
        if len(series) > 1:
            plots.legend(axes)
    return figure


def with_ranks(figure: Figure) -> Figure:
    """The same figure with the names of the ranks on its horizontal axis."""
    with plots.style():
        figure.axes[0].set_xticks(RANKS, [rank_name(rank) for rank in RANKS])
    return figure


# --------------------------------------------------------------------------------------------------------------- skill


def tell_of_strength(s: Study) -> list[str]:
    """Who is stronger than whom; the kinds of player, the weakest first."""
    s.heading("The players")
    cup = s.tournament("techu", [kind.player for kind in KINDS.values()], s.games // 80)
    name_of = dict(zip(cup.players, KINDS, strict=True))
    order = [name_of[player] for player in reversed(cup.order)]
    score = dict(zip(cup.players, cup.field, strict=True))
    rows = [
        {
            "player": name_of[player],
            "score against the others": short(score[player], percent=True),
            **{
                f"against {name_of[other]}": "–" if other == player else short(cup.score(player, other), percent=True)
                for other in reversed(cup.order)
            },
        }
        for player in reversed(cup.order)
    ]
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption=f"Who is stronger: mean scores (a win counts 1, a draw ½) where each meets each, the weakest first ({cup.deals:,} deals, each played twice with seats "
        "exchanged; 95 % intervals, those against single opponents hold all together).",
    )  # fmt: skip
    return order


def tell_of_the_first_move(s: Study, order: Sequence[str]) -> dict[str, dict[str, Result]]:
    """The first mover's edge by skill and by who moves first."""
    s.heading("The first move")
    played = {
        rule: {
            name: s.run("techu", s.games * KINDS[name].share, players=KINDS[name].player, first_turn=rule, columns=COLUMNS, rows=True)
            for name in order
        }
        for rule in FIRST_TURN
    }
    edges = {rule: {name: first_edge(result) for name, result in results.items()} for rule, results in played.items()}
    rows = []
    for name in order:
        result = played["low_starter"][name]
        first, second = (int((results_of(result, result.frame["first_mover"].to_numpy()) == sign).sum()) for sign in (1, -1))
        rows.append({
            "player": name,
            "first mover wins": short(wilson(first, result.games), percent=True),
            "second mover wins": short(wilson(second, result.games), percent=True),
            "draw": short(result.draw_rate(), percent=True),
            **{f"edge: {words}": signed(edges[rule][name]) for rule, words in FIRST_TURN.items()},
            "games": result.games,
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="How games end if the lower starter goes first (the default), and the first mover's edge in percentage points under each rule for who goes first, weakest players first "
        "(n = games under each rule, on the same deals; 95 % intervals).",
    )  # fmt: skip
    s.figure(
        grouped(order, {words: [edges[rule][name] for name in order] for rule, words in FIRST_TURN.items()}, x="edge of the first mover, percentage points"),
        caption=f"The first mover's edge, by skill (weakest on top) and by who goes first, with 95 % intervals (n = {played['low_starter'][order[0]].games:,} games a point; "
        f"one turn ahead and thrifty {played['low_starter']['thrifty'].games:,}).",
        alt="Points with intervals for four kinds of player and three rules for the first turn, about a dashed line at 0.",
    )  # fmt: skip
    say_whether_skill_matters(s, edges["random"], order)
    best = order[-1]
    s.finding(
        f"By the printed rule (the lower starter goes first) the game between {best} players favours {favours(edges['low_starter'][best])}: the first mover's edge is "
        f"{in_points(edges['low_starter'][best])}."
    )
    return played


def say_whether_skill_matters(s: Study, edges: Mapping[str, Estimate], order: Sequence[str]) -> None:
    """The first move by itself: its sign for each kind of player, and whether it grows with skill."""
    said = "; ".join(f"{name} {signed(edges[name])}" for name in order)
    s.text(
        f"Where a coin decides, the edge is what the first move is worth by itself, apart from the starters: {said} percentage points, weakest players first."
    )
    weak, strong = edges[order[0]], edges[order[-1]]
    largest = max(order, key=lambda name: abs(edges[name].estimate))
    worth = {1: "an advantage", -1: "a disadvantage", 0: "neither clearly good nor bad"}[compare(strong, EVEN)]
    if compare(strong, weak) == 0:
        skill = f"no clear change from {order[0]} players ({signed(weak)})"
    else:
        grows = abs(strong.estimate) > abs(weak.estimate)
        skill = f"this {'grows' if grows else 'shrinks'} with skill: between {order[0]} players it is {signed(weak)}"
    if compare(edges[largest], strong) != 0 and compare(edges[largest], weak) != 0:
        skill += f", between players of the kind “{largest}” {signed(edges[largest])}"
    s.finding(
        f"The first move by itself (a coin decides who has it) is {worth} between {order[-1]} players: the edge is {in_points(strong)}; {skill} (n = {weak.n:,})."
    )


def tell_of_searchers(s: Study, played: Mapping[str, Mapping[str, Result]]) -> None:
    """The same for players who search, of whom there are few games."""
    rows, edges = [], {}
    searchers = {name: kind for name, kind in SEARCHERS.items() if s.games * kind.share >= FEW}
    if not searchers:
        s.text("Players who search are slow, and left out of so small a study.")
        return
    for name, kind in searchers.items():
        result = s.run("techu", s.games * kind.share, players=kind.player, first_turn="random", columns=COLUMNS, rows=True)
        edges[name] = first_edge(result)
        plain = name.split(",")[0]
        rows.append({
            "player": name,
            "first mover's edge, a coin decides": signed(edges[name]),
            "the same without search": signed(first_edge(played["random"][plain])),
            "draw": short(result.draw_rate(), percent=True),
            "games": result.games,
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="Players who search: the first mover's edge in percentage points (n = games; 95 % intervals). So few games only show whether the edge becomes very large.",
    )
    clear = [name for name, edge in edges.items() if favours(edge) != "nobody clearly"]
    if clear:
        s.text(f"Even in these few games the edge is clear for {' and '.join(f'{name}: {in_points(edges[name])}' for name in clear)}.")
    else:
        s.text("In these few games of searching players no edge is clear.")


# ------------------------------------------------------------------------------------------------------------ starters


def tell_of_starters(s: Study, played: Mapping[str, Mapping[str, Result]], best: str) -> None:
    """Whether the lower starter is rightly paid with the first turn."""
    s.heading("Is the low starter rightly paid?")
    names = list(played["low_starter"])
    edges = {rule: {name: low_starter_edge(result) for name, result in results.items()} for rule, results in played.items()}
    s.figure(
        grouped(names, {words: [edges[rule][name] for name in names] for rule, words in FIRST_TURN.items()}, x="edge of the lower starter, percentage points"),
        caption=f"The edge of the player who laid the lower starter, by who goes first, with 95 % intervals (n = about {edges['low_starter'][names[0]].n:,} games a point, "
        f"one turn ahead and thrifty {edges['low_starter']['thrifty'].n:,}; games whose first starters are equal are left out).",
        alt="Points with intervals: the lower starter's edge under three rules for the first turn.",
    )  # fmt: skip
    s.table(
        pd.DataFrame(
            [{"player": name, **{words: signed(edges[rule][name]) for rule, words in FIRST_TURN.items()}, "games": edges["low_starter"][name].n} for name in names]
        ).set_index("player"),
        caption="The lower starter's edge in percentage points, by who goes first (n = games in which the first starters differ; 95 % intervals).",
    )  # fmt: skip
    mine = {rule: edges[rule][best] for rule in FIRST_TURN}
    bare = mine["random"]
    pays = "costs" if bare.high < 0 else "gains" if bare.low > 0 else "neither clearly costs nor gains"
    s.finding(
        f"A lower starter by itself {pays} something between {best} players ({in_points(bare)} where a coin decides who goes first); with the first turn "
        f"as its pay the edge is {signed(mine['low_starter'])}, with the last word instead {signed(mine['high_starter'])}."
    )
    fairest = min(mine, key=lambda rule: abs(mine[rule].estimate))
    others = [rule for rule in mine if rule != fairest and compare(absolute(mine[rule]), absolute(mine[fairest])) > 0]
    than = (
        f"clearly fairer than {' and '.join(FIRST_TURN[rule] for rule in others)}"
        if others
        else "though not clearly fairer than the others"
    )
    s.finding(
        f"Between {best} players the starters matter least where the first turn goes by “{FIRST_TURN[fairest]}” (the lower starter's edge is {in_points(mine[fairest])}), {than}."
    )
    show_ranks(s, played["low_starter"])


def absolute(edge: Estimate) -> Estimate:
    """The size of an edge, its interval from 0 if 0 is within."""
    ends = sorted((abs(edge.low), abs(edge.high)))
    return Estimate(abs(edge.estimate), 0.0 if edge.low <= 0 <= edge.high else ends[0], ends[1], edge.n, edge.se, edge.method, edge.level)


def scores_by_starter(result: Result) -> list[Estimate]:
    """Black's mean score (win 1, draw ½) for each rank of its first starter, 2 to ace."""
    score = (results_of(result, np.zeros(result.games, int)) + 1) / 2
    rank = result.frame["starter_0"].to_numpy()
    return [inside(mean_of(score[rank == each])) for each in RANKS]


def inside(score: Estimate) -> Estimate:
    """A score with its interval cut to 0 to 1."""
    return Estimate(score.estimate, max(0.0, score.low), min(1.0, score.high), score.n, score.se, score.method, score.level)


def show_ranks(s: Study, results: Mapping[str, Result]) -> None:
    """The score by the rank of the starter."""
    shown = {name: scores_by_starter(result) for name, result in results.items() if name != "random"}
    shown = {name: scores for name, scores in shown.items() if all(score.n >= 2 for score in scores)}
    if not shown:
        return
    s.figure(
        with_ranks(plots.lines(RANKS, shown, xlabel="rank of the starter", ylabel="mean score", percent=True, reference=0.5)),
        caption=f"Mean score (win 1, draw ½) by the rank of one's own starter, any card of the hand being chosen; the lower starter goes first; 95 % intervals "
        f"(n = {results['greedy'].games:,} games greedy, {results['thrifty'].games:,} the others, about one in 13 at each rank).",
        alt="Lines of the mean score against the rank of the starter, one for each kind of player.",
    )  # fmt: skip


def tell_of_starter_choice(s: Study) -> None:
    """Which of three cards to lay first."""
    cup = s.tournament("techu", [f"thrifty(starter={rule})" for rule in STARTERS], s.games // 40)
    words = dict(zip(cup.players, STARTERS.values(), strict=True))
    score = dict(zip(cup.players, cup.field, strict=True))
    s.table(
        pd.DataFrame([
            {"starter": words[player], "score": short(score[player], percent=True), **{f"against {words[other]}": "–" if other == player else short(cup.score(player, other), percent=True) for other in cup.players}}
            for player in cup.players
        ]).set_index("starter"),
        caption=f"Which card of the three to lay first: mean scores of thrifty players who differ in this only ({cup.deals:,} deals, each played twice with seats exchanged; 95 % intervals, "
        "those against single opponents hold all together).",
    )  # fmt: skip
    best = [words[name] for name in cup.best.candidates]
    worse = [words[name] for name in cup.players if name not in cup.best.candidates]
    n = f"n = {cup.deals:,} deals, each played twice"
    if len(best) == 1:
        top = cup.best.candidates[0]
        s.finding(
            f"The best starter of the four ways tried is the {best[0]} card of the hand: against the other ways it scores {short(score[top], percent=True)} ({n})."
        )
    elif worse:
        s.finding(f"The best starter may be any of these: {', '.join(best)}; clearly worse: {', '.join(worse)} ({n}).")
    else:
        s.finding(f"Which card of the hand is the best starter is not clear from these games ({n}).")


# -------------------------------------------------------------------------------------------------------- compensation


def lead_of_first(result: Result) -> np.ndarray:
    """The first mover's spaces less the second mover's at the end, game by game."""
    frame = result.frame
    ahead = (frame["spaces_0"] - frame["spaces_1"]).to_numpy()
    return np.where(frame["first_mover"].to_numpy() == 0, ahead, -ahead)


def edges_by_bonus(lead: np.ndarray) -> list[Estimate]:
    """The first mover's edge, had it been given so many spaces more (`BONUS`)."""
    return [mean_of(np.sign(lead + bonus)) for bonus in BONUS]


def tell_of_compensation(s: Study, results: Mapping[str, Result], best: str) -> None:
    """How many spaces would make it even."""
    s.heading("What would make it even")
    edges = {name: edges_by_bonus(lead_of_first(result)) for name, result in results.items()}
    s.figure(
        plots.lines(BONUS.tolist(), {name: [scaled(edge, 100) for edge in row] for name, row in edges.items()}, xlabel="spaces given to the first mover at the end",
                    ylabel="its edge, percentage points", reference=0),
        caption=f"The first mover's edge if it were given some spaces in the count (the second mover, where negative); half a space decides draws; 95 % intervals "
        f"(n = {results['greedy'].games:,} games; one turn ahead and thrifty {results['thrifty'].games:,}).",
        alt="Rising lines that cross 0 where the compensation makes the game even.",
    )  # fmt: skip
    rows, fair = [], {}
    for name, row in edges.items():
        k = fair[name] = min(range(len(BONUS)), key=lambda k, row=row: abs(row[k].estimate))
        rows.append({
            "player": name,
            "edge without": signed(row[list(BONUS).index(0)]),
            "fairest, spaces to the first mover": bonus_text(BONUS[k]),
            "edge then": signed(row[k]),
            "games": results[name].games,
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="The compensation in spaces, in half spaces from 3 to −3, that leaves the smallest edge in percentage points (n = games; 95 % intervals; the lower starter goes first).",
    )
    k, bare = fair[best], edges[best][list(BONUS).index(0)]
    if BONUS[k] == 0 or favours(bare) == "nobody clearly":
        s.finding(f"Between {best} players no compensation in spaces is called for: without any the edge is {in_points(bare)}.")
    else:
        who = "first" if BONUS[k] > 0 else "second"
        s.finding(
            f"Between {best} players {abs(BONUS[k]):g} space{'s' if abs(BONUS[k]) > 1 else ''} for the {who} mover leaves the smallest edge, {in_points(edges[best][k])}; "
            f"without it is {signed(bare)}. They are not told of it, and play as ever."
        )


def bonus_text(bonus: float) -> str:
    """A compensation with its sign: "+0.5", "−1", "none"."""
    return "none" if bonus == 0 else f"{bonus:+g}".replace("-", "\N{MINUS SIGN}")


# --------------------------------------------------------------------------------------------------------------- rules


def tell_of_rules(s: Study) -> None:
    """The edge under other rules, on the same deals."""
    s.heading("Other rules")
    played = {
        name: s.run("techu", s.games // 4, players=KINDS["thrifty"].player, rules=rules, columns="winner,first_mover", rows=True)
        for name, rules in SETTINGS.items()
    }
    outcomes = {name: results_of(result, result.frame["first_mover"].to_numpy()) for name, result in played.items()}
    edges = {name: first_edge(result) for name, result in played.items()}
    level = 1 - 0.05 / (len(SETTINGS) - 1)
    rows, changed = [], []
    for name, result in played.items():
        row = {"rule": name, "first mover's edge": signed(edges[name]), "draw": short(result.draw_rate(), percent=True)}
        if name != "default":
            difference = paired_difference(outcomes[name], outcomes["default"], level).difference
            row["change from the default"] = signed(difference)
            if difference.low > 0 or difference.high < 0:
                changed.append(name)
        rows.append(row)
    n = played["default"].games
    s.table(
        pd.DataFrame(rows).set_index("rule"),
        caption=f"The first mover's edge between thrifty players in percentage points under other rules, and its change on the same deals (n = {n:,} games each; 95 % intervals; "
        "those of the changes are meant to hold all together).",
    )
    s.figure(
        grouped(list(edges), {"edge": list(edges.values())}, x="edge of the first mover, percentage points"),
        caption=f"The first mover's edge between thrifty players under other rules, the lower starter going first, with 95 % intervals (n = {n:,} games each).",
        alt="A point with its interval for each rule, about a dashed line at 0.",
    )
    even = [name for name, edge in edges.items() if favours(edge) == "nobody clearly"]
    s.text(
        f"Within the uncertainty the game between thrifty players is even under {' and '.join(f'`{name}`' if name != 'default' else 'the default rules' for name in even)}."
        if even
        else "Under none of these rules is the game between thrifty players even within the uncertainty."
    )
    if changed:
        s.finding(
            f"Of the rules tried, these change the edge clearly: {'; '.join(f'`{name}` to {signed(edges[name])}' for name in changed)} percentage points, "
            f"from {signed(edges['default'])} (thrifty players, n = {n:,} games each)."
        )
    else:
        s.finding(
            f"No rule of the {len(SETTINGS) - 1} others tried changes the first mover's edge clearly (thrifty players, n = {n:,} games each)."
        )


# --------------------------------------------------------------------------------------------------------------- Techu


def tell_of_techus(s: Study, results: Mapping[str, Result]) -> None:
    """How often a Techu falls without trying."""
    s.heading("The Techu")
    s.text(
        "A Techu: the very last action of the game is a placement by its winner, either a 2 on an empty space or a 3 on an opponent's 2. So only the second mover can make one. It is worth "
        "nothing in the count; a match may give points for it (`techu_value`)."
    )
    rows, techus = [], {}
    for name, result in results.items():
        techus[name] = wilson(int(result.frame["techu"].sum()), result.games)
        missed = wilson(int(result.frame["techu_missed"].sum()), result.games)
        rows.append(
            {
                "player": name,
                "games with a Techu": short(techus[name], percent=True),
                "missed by the winner": short(missed, percent=True),
                "games": result.games,
            }
        )
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="How often a game ends with a Techu though nobody tries, and how often the winner, with the last action, could have played one and did not (n = games; 95 % intervals).",
    )
    most = max(techus, key=lambda name: techus[name].estimate)
    fewer = [name for name in techus if compare(techus[most], techus[name]) > 0]
    rest = f", clearly more than of {' and of '.join(fewer)} ones" if fewer else ""
    s.finding(f"Without anybody trying, a Techu ends {percent(techus[most])} of the games of {most} players{rest}.")


class Hunt(NamedTuple):
    """A hunter against the same player that does not hunt, by deal (two games): what it gains and loses in each deal."""

    lost: np.ndarray  # points (win 2, draw 1) fewer than the player that does not hunt makes against itself
    gained: np.ndarray  # Techus more

    @property
    def points(self) -> Estimate:
        """Points lost a game."""
        return mean_of(self.lost / 2)

    @property
    def techus(self) -> Estimate:
        """Techus gained a game."""
        return mean_of(self.gained / 2)

    def price(self) -> Estimate:
        """Points lost for each Techu gained: the `techu_value` from which hunting pays (ratio of totals, deals as units; delta method)."""
        value = self.lost.sum() / self.gained.sum()
        rest = mean_of((self.lost - value * self.gained) / self.gained.mean())
        return Estimate(value, value + rest.low, value + rest.high, len(self.lost), rest.se, "delta")


def hunt(hunted: Result, base: Result) -> Hunt:
    """From a paired run of the hunter against the other, and a run of the other against itself, on the same deals."""
    frame = hunted.frame
    seat = frame.index.to_numpy() % 2  # of a deal's two games the hunter plays the first in seat 0, the second in seat 1
    points = results_of(hunted, seat) + 1
    techus = (frame["techu"].to_numpy() == 1) & (frame["winner"].to_numpy() == seat)
    by_deal = points.reshape(-1, 2).sum(axis=1), techus.reshape(-1, 2).sum(axis=1)
    return Hunt(2 - by_deal[0], by_deal[1] - base.frame["techu"].to_numpy()[: len(by_deal[1])])


def tell_of_hunting(s: Study) -> None:
    """What hunting a Techu costs, and from which value on it pays."""
    deals = max(100, s.games // 4)
    base = s.run("techu", deals, players="greedy_spaces(starter=1)", columns="winner,techu", rows=True)
    hunts = {
        last: hunt(
            s.run("techu", 2 * deals, players=[f"techu_hunter(last={last})", "greedy_spaces(starter=1)"], paired=True, columns="winner,techu", rows=True), base
        )
        for last in LAST
    }  # fmt: skip
    rows, prices = [], {}
    for last, found in hunts.items():
        if found.techus.low > 0:
            prices[last] = found.price()
        rows.append({
            "keeps a 2 or 3 over its last": f"{last} turns",
            "Techus gained in 100 games": short(scaled(found.techus, 100)),
            "points lost in 100 games": short(scaled(found.points, 100)),
            "pays from a value of": short(prices[last]) if last in prices else "–",
        })  # fmt: skip
    n = len(hunts[LAST[0]].lost)
    s.table(
        pd.DataFrame(rows).set_index("keeps a 2 or 3 over its last"),
        caption=f"A greedy player who hunts Techus (`techu_hunter`) against one who does not, both laying their highest starter so as to move last: Techus gained and points lost (a win is 2 points, a draw 1) next "
        f"to not hunting, on the same deals; and the worth of a Techu, in points, from which hunting pays (n = {n:,} deals, each played twice with seats exchanged; 95 % intervals).",
    )  # fmt: skip
    s.figure(
        plots.lines(list(LAST), {"Techus gained": [scaled(found.techus, 100) for found in hunts.values()], "points lost": [scaled(found.points, 100) for found in hunts.values()]},
                    xlabel="last turns over which a 2 or 3 is kept", ylabel="in 100 games", reference=0),
        caption=f"What hunting gains and loses in 100 games, with 95 % intervals (n = {n:,} deals each).",
        alt="Two lines over the number of turns a low card is kept: Techus gained and points lost.",
    )  # fmt: skip
    if not prices:
        s.finding(f"In so few games hunting gains no clear number of Techus (n = {n:,} deals for each of {len(LAST)} ways to hunt).")
        return
    best = max(prices, key=lambda last: hunts[last].techus.estimate)
    found, price = hunts[best], prices[best]
    gain = f"Hunting over the last {best} turns gains {scaled(found.techus, 100).text()} Techus in 100 games"
    if found.points.high <= 0 or price.high <= 0:
        s.finding(f"{gain} and loses no points: it pays whatever a Techu is worth.")
    elif found.points.low <= 0:
        s.finding(
            f"{gain} and loses no clear number of points ({scaled(found.points, 100).text()}): it pays if a Techu is worth more than {max(price.high, 0):.2g} points, and perhaps for less."
        )
    else:
        s.finding(
            f"{gain} and loses {scaled(found.points, 100).text()} points: it pays if a Techu is worth more than {price.text()} points, a win being worth 2."
        )
