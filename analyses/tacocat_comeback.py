"""Tacocat as a match: does the track help whoever is behind, and how far do answers hang on facts that could not be found?"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from simkit import plots
from simkit.plots import short
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, wilson, zero_upper
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simkit.result import Result
    from simkit.study import Study

BEST, BEGINNER = "steady", "plain"
WEAKER = {
    BEGINNER: "which replaces nothing, so that where it leads its opponent may replace nothing either",
    "guardian": "which replaces middling cards as its betters do",
}
"""Players weaker than the best, and what to know of them."""
WINS = 4
"""Decisive rounds that win the game, on a board of seven spaces (rules page, 2.7)."""
ARROWS = {"farther goal (default)": "to_trailing", "nearer goal": "to_leading", "both": "all_both"}
"""Whom a single arrow points to. As the marker ends every decisive round on the winner's side of the centre (rules page, 2.7), the player whose
goal is farther is always who lost the last decisive round."""
DEFAULT = "farther goal (default)"
STANDS = ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2))
"""Uneven stands: wins of whoever is ahead, and of the other."""
COLUMNS = (
    "winner,first_round_winner,rounds,decisive_rounds,ties,path,duel_rounds,duel_winner_wins,attack_rounds,last_attacker_wins,"
    "arrow_rounds,arrow_wins"
)
SETTINGS: dict[str, dict[str, object]] = {
    "default": {},
    "deck = flat_v1 (D1)": {"deck": "flat_v1"},
    "board = flat7 (D2)": {"board": "flat7"},
    "board = shrink (D2)": {"board": "shrink"},
    "board = grow (D2)": {"board": "grow"},
    "arrows = to_leading (D3)": {"arrows": "to_leading"},
    "arrows = all_both (D3)": {"arrows": "all_both"},
    "double_arrow = a_then_b_uncapped (D4)": {"double_arrow": "a_then_b_uncapped"},
    "follower_cap = none (D5)": {"follower_cap": "none"},
    "duel_tie = coin_flip (D7)": {"duel_tie": "coin_flip"},
    "lowest_that_defends = counts_as_defence (D11)": {"lowest_that_defends": "counts_as_defence"},
    "jumbo_response = sequential_ascending (D12)": {"jumbo_response": "sequential_ascending"},
    "jumbo_lead = majority (D13)": {"jumbo_lead": "majority"},
    "showdown_tie = arrow (D17)": {"showdown_tie": "arrow"},
}
"""What could not be found (D1 to D3), and what the rules page decided where its sources are silent or disagree."""
NOT_FOUND = tuple(name for name in SETTINGS if name.endswith(("(D1)", "(D2)", "(D3)")))
HEADS = {
    "first winner wins the game": "first",
    "comeback from 0–2": "0–2",
    "arrow's side wins": "arrow",
    "duel winner wins": "duel",
    "last attacker wins": "last",
    "tied rounds": "ties",
}
"""Headings for the figures whose dependence on the rules is asked for."""
ENOUGH = 30
"""Games for a share to be worth a sentence."""


@study(title="Tacocat: does the track help whoever is behind?", games=10_000)
def tacocat_comeback(s: Study) -> None:
    """Whether Tacocat's track helps whoever is behind, against the law of coin flips; and what hangs on facts not found."""
    s.question(
        "Tacocat's track is called a catch-up device: by default its arrows point to the player whose goal is farther. But the game is won by four decisive rounds, "
        "wherever the marker stands. Do comebacks happen more often than if each round were the flip of a coin? And as the cards of each rank, the outer hand sizes and "
        "the arrows could not be found: how far do the answers hang on them?"
    )
    s.method(
        f"`{BEST}`, the best player that a search found, against itself, {s.games:,} games under each setting of the rules, all on the same deals; so no player is "
        f"better than the other, and what differs from coin flips is the track's doing. The law of coin flips is exact: with even rounds whoever is behind by "
        f"0–1 wins {100 * comeback_law(1, 0):.1f} % of the games, and half of all games take {median_length()} decisive rounds or fewer. Differences between settings "
        "are paired by deal. Intervals are 95 % ones, each by itself unless it says otherwise."
    )
    played = {
        label: s.run("tacocat", players=BEST, rules={"arrows": arrows}, columns=COLUMNS, rows=True) for label, arrows in ARROWS.items()
    }
    tell_of_arrows(s, played)
    tell_of_comebacks(s, played)
    tell_of_lengths(s, played)
    tell_of_players(s)
    tell_of_the_weaker(s)
    tell_of_unknowns(s)


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


# -------------------------------------------------------------------------------------------------------------- the law


@cache
def comeback_law(ahead: int, behind: int, p: float = 0.5) -> float:
    """Chance that whoever has `behind` wins of rounds gets to four first, winning each round with chance p."""
    if behind == WINS:
        return 1.0
    if ahead == WINS:
        return 0.0
    return p * comeback_law(ahead, behind + 1, p) + (1 - p) * comeback_law(ahead + 1, behind, p)


def length_law() -> dict[int, float]:
    """Chance of each number of decisive rounds, if rounds are flips of a coin."""
    chances, states = {}, {(0, 0): 1.0}
    for rounds in range(1, 2 * WINS):
        after: dict[tuple[int, int], float] = {}
        for (a, b), chance in states.items():
            for stand in ((a + 1, b), (a, b + 1)):
                after[stand] = after.get(stand, 0.0) + chance / 2
        chances[rounds] = sum(chance for stand, chance in after.items() if WINS in stand)
        states = {stand: chance for stand, chance in after.items() if WINS not in stand}
    return {rounds: chance for rounds, chance in chances.items() if chance}


def after_last(p: float) -> tuple[float, float]:
    """If the loser of each decisive round wins the next with chance p: how often the first winner wins the game, and the mean length."""
    won, length = 0.0, 0.0
    states = {(1, 0, True): 1.0}  # wins of the first winner and of the other, and whether the first winner won the last round
    while states:
        after: dict[tuple[int, int, bool], float] = {}
        for (first, other, ours), chance in states.items():
            if WINS in (first, other):
                won += chance * (first == WINS)
                length += chance * (first + other)
                continue
            for again, share in ((ours, 1 - p), (not ours, p)):
                stand = (first + again, other + (not again), again)
                after[stand] = after.get(stand, 0.0) + chance * share
        states = after
    return won, length


def median_length() -> int:
    """The fewest decisive rounds within which half of all games of coin flips end."""
    passed = 0.0
    for rounds, chance in length_law().items():
        passed += chance
        if passed >= 0.5:
            return rounds
    raise AssertionError("chances add up to 1")


# ------------------------------------------------------------------------------------------------------------- figures


class Ratio(NamedTuple):
    """A share that each game adds to: `above` of `below`. The games (deals) are the units."""

    above: np.ndarray
    below: np.ndarray

    @property
    def value(self) -> float:
        return float(self.above.sum() / self.below.sum()) if self.below.sum() else np.nan

    @property
    def pull(self) -> np.ndarray:
        """How much each game moves the share (delta method)."""
        return (self.above - self.value * self.below) / self.below.mean()

    def estimate(self) -> Estimate:
        """The share with its interval; where all games are alike, about 3/n of them may be otherwise."""
        n = len(self.above)
        if not self.below.sum():
            return Estimate(np.nan, 0.0, 1.0, 0)
        spread = mean_interval(n, 0.0, float(self.pull.std(ddof=1)))
        half = spread.high if spread.se else float(zero_upper(n))
        return Estimate(self.value, max(0.0, self.value - half), min(1.0, self.value + half), n, spread.se, "delta")

    def less(self, other: Ratio, level: float = 0.95) -> Estimate:
        """This share less another of the same deals, with a paired interval."""
        moved = mean_interval(len(self.above), 0.0, float((self.pull - other.pull).std(ddof=1)), level)
        apart = self.value - other.value
        return Estimate(apart, apart + moved.low, apart + moved.high, moved.n, moved.se, "paired by deal", level)


def rounds_won(paths: np.ndarray) -> np.ndarray:
    """Who won each decisive round, from `path`: int8 (games, 7), -1 where the game was over."""
    digits = np.floor(np.log2(np.maximum(paths, 1))).astype(int)
    found = np.full((len(paths), 2 * WINS - 1), -1, np.int8)
    for k in range(2 * WINS - 1):
        there = digits > k
        found[there, k] = (paths[there] >> (digits[there] - 1 - k)) & 1
    return found


def comebacks(result: Result, ahead: int, behind: int) -> Ratio:
    """Games that stood ahead–behind, and those of them that the one behind won."""
    won = rounds_won(result.frame["path"].to_numpy())
    known = won[:, : ahead + behind] >= 0
    of_b = (won[:, : ahead + behind] == 1).sum(axis=1)
    winner = result.frame["winner"].to_numpy()
    whole = known.all(axis=1) & (winner >= 0)
    a_ahead, b_ahead = whole & (of_b == behind), whole & (of_b == ahead)
    return Ratio((a_ahead & (winner == 1)) | (b_ahead & (winner == 0)), a_ahead | b_ahead)


def answers(result: Result) -> dict[str, Ratio]:
    """The figures whose dependence on the rules is asked for."""
    frame = result.frame
    column = {name: frame[name].to_numpy() for name in frame.columns}
    finished = column["winner"] >= 0
    return {
        "first winner wins the game": Ratio(finished & (column["first_round_winner"] == column["winner"]), finished),
        "comeback from 0–2": comebacks(result, 2, 0),
        "arrow's side wins": Ratio(column["arrow_wins"], column["arrow_rounds"]),
        "duel winner wins": Ratio(column["duel_winner_wins"], column["duel_rounds"]),
        "last attacker wins": Ratio(column["last_attacker_wins"], column["attack_rounds"]),
        "tied rounds": Ratio(column["ties"], column["rounds"]),
    }


def against(found: Estimate, law: float) -> str:
    """How a figure compares with what the law says."""
    return "more often than" if found.low > law else "less often than" if found.high < law else "about as often as"


# -------------------------------------------------------------------------------------------------------------- arrows


def tell_of_arrows(s: Study, played: Mapping[str, Result]) -> None:
    """Whether it helps to have the arrow."""
    s.heading("Is the arrow an advantage?")
    rows, found = [], {label: answers(result) for label, result in played.items()}
    sides = {label: each["arrow's side wins"].estimate() for label, each in found.items()}
    firsts = {label: each["first winner wins the game"] for label, each in found.items()}
    for label, result in played.items():
        row = {
            "arrows to": label,
            "arrow's side wins": short(sides[label], percent=True),
            "first winner wins": short(firsts[label].estimate(), percent=True),
        }
        rows.append(row | {"games": result.games})
    s.table(
        pd.DataFrame(rows).set_index("arrows to"),
        caption=f"Whoever the arrow points to replaces first, and the other may replace no more cards. Rounds won by the arrow's side, and games won by the winner of the first "
        f"decisive round (coin flips: {100 * (1 - comeback_law(1, 0)):.2f} %). `{BEST}` against itself; 95 % intervals.",
    )  # fmt: skip
    side = sides[DEFAULT]
    verdict = (
        "an advantage" if side.low > 0.5 else "a disadvantage" if side.high < 0.5 else "neither an advantage nor a disadvantage that shows"
    )
    s.finding(
        f"Having the arrow is {verdict}: its side wins {percent(side)} of the rounds with an arrow by the default rules, where it points to the farther goal, and "
        f"{percent(sides['nearer goal'])} where it points to the nearer one."
    )
    moved = firsts[DEFAULT].less(firsts["both"])
    clear = "less often than" if moved.high < 0 else "more often than" if moved.low > 0 else "not clearly more or less often than"
    s.finding(
        f"By the default rules the winner of the first round wins {percent(firsts[DEFAULT].estimate())} of the games, {clear} where all arrows point to both "
        f"({percent(firsts['both'].estimate())}; paired difference {points(moved)})."
    )
    tell_why(s, side, firsts[DEFAULT].estimate(), played[DEFAULT].mean("decisive_rounds"))


def tell_why(s: Study, side: Estimate, first: Estimate, length: Estimate) -> None:
    """Why an advantage of the arrow is no help to catch up."""
    says = after_last(side.estimate)
    ends = [sorted(pair) for pair in zip(after_last(side.low), after_last(side.high), strict=True)]
    fits = all(low <= seen.high and seen.low <= high for (low, high), seen in zip(ends, (first, length), strict=True))
    s.finding(
        f"The arrow is no prize for being behind: the marker ends each decisive round on the winner's side, so that the farther goal is always that of whoever lost the last "
        f"round, be it who is ahead or behind. If each loser wins the next round as often as seen here, {percent(side)}, then by an exact sum the winner of the first round "
        f"wins {100 * says[0]:.2f} % of the games (with coin flips {100 * after_last(0.5)[0]:.2f} %), and games have {says[1]:.3f} decisive rounds on average. "
        f"{'That is what is' if fits else 'That is not quite what is'} seen: {percent(first)}, and {length.text()} rounds."
    )


def points(difference: Estimate) -> str:
    """A difference of shares in percentage points."""
    scaled = Estimate(100 * difference.estimate, 100 * difference.low, 100 * difference.high, difference.n)
    return f"{scaled.text()} percentage points"


def tell_of_comebacks(s: Study, played: Mapping[str, Result]) -> None:
    """Comebacks from each stand against the law."""
    s.heading("Comebacks")
    found = {label: {stand: comebacks(result, *stand) for stand in STANDS} for label, result in played.items()}
    shares = {
        label: {stand: wilson(int(each.above.sum()), int(each.below.sum())) for stand, each in row.items()} for label, row in found.items()
    }
    heads = [f"{behind}–{ahead}, coin {100 * comeback_law(ahead, behind):.1f} %" for ahead, behind in STANDS]
    s.figure(
        plots.heat([[share if share.n else None for share in row.values()] for row in shares.values()], list(shares), [head.split(",")[0] for head in heads], xlabel="stand in decisive rounds", ylabel="arrows to", percent=True),
        caption=f"How often whoever is behind wins the game, by the stand in decisive rounds (n = {s.games:,} games for each row; each cell has its 95 % interval). "
        f"With coin flips: {'; '.join(heads)}.",
        alt="A table of tinted cells: arrows by stands, the chance of whoever is behind.",
    )  # fmt: skip
    rows = []
    for (ahead, behind), head in zip(STANDS, heads, strict=True):
        row = {"stand": head.split(",")[0], "coin flips": f"{100 * comeback_law(ahead, behind):.2f} %"}
        rows.append(row | {label: percent(shares[label][ahead, behind]) if shares[label][ahead, behind].n else "–" for label in shares})
    s.table(
        pd.DataFrame(rows).set_index("stand"),
        caption="The same as a table: won by whoever is behind, by whom the arrows point to, with 95 % intervals; n is the number of games that stood so.",
    )
    default = shares[DEFAULT]
    clear = [
        stand for stand in STANDS if default[stand].n >= ENOUGH and not default[stand].low <= comeback_law(*stand) <= default[stand].high
    ]
    two = default[2, 0]
    if two.n >= ENOUGH:
        s.finding(
            f"From 0–2 whoever is behind still wins {percent(two)} of the games, {against(two, comeback_law(2, 0))} with coin flips ({100 * comeback_law(2, 0):.2f} %); "
            f"at {len(clear)} of the {len(STANDS)} stands the law lies outside the interval (by chance alone: at one in 20)."
        )


def tell_of_lengths(s: Study, played: Mapping[str, Result]) -> None:
    """The number of decisive rounds against the law."""
    s.heading("Length")
    law, rows = length_law(), []
    for label, result in played.items():
        lengths = result.counts("decisive_rounds")
        row: dict[str, object] = {"arrows to": label}
        for rounds in law:
            row[f"{rounds}"] = short(wilson(int(lengths.games[lengths.values == rounds].sum()), result.games), percent=True)
        rows.append(row | {"mean": short(result.mean("decisive_rounds"))})
    mean = sum(rounds * chance for rounds, chance in law.items())
    rows.append(
        {
            "arrows to": "coin flips",
            **{f"{rounds}": f"{100 * chance:.2f} %" for rounds, chance in law.items()},
            "mean": f"{mean:.4f}",
        }
    )
    s.table(
        pd.DataFrame(rows).set_index("arrows to"),
        caption=f"How many decisive rounds games have (n = {s.games:,} games each; coin flips: exact); 95 % intervals.",
    )
    found = played[DEFAULT].mean("decisive_rounds")
    verdict = "longer than" if found.low > mean else "shorter than" if found.high < mean else "as long as"
    s.finding(f"By the default rules games are {verdict} with coin flips: {found.text()} decisive rounds on average, against {mean:.4f}.")


# ------------------------------------------------------------------------------------------------------------- players


def tell_of_players(s: Study) -> None:
    """Whether other players feel the arrows."""
    s.heading("Other players")
    names = ("random", BEGINNER, "guardian", BEST)
    found = {name: answers(s.run("tacocat", players=name, columns=COLUMNS, rows=True)) for name in names}
    sides = {name: each["arrow's side wins"].estimate() for name, each in found.items()}
    s.figure(
        plots.dots(list(sides), list(sides.values()), x="rounds won by the arrow's side", percent=True, reference=0.5),
        caption=f"Rounds with a single arrow won by the one it points to, each player against itself, with 95 % intervals (n = {s.games:,} games each).",
        alt="Points with intervals about 50 % for four players.",
    )
    helped = [name for name in names if sides[name].low > 0.5]
    hurt = [name for name in names if sides[name].high < 0.5]
    figures = "; ".join(f"`{name}` {percent(share)}" for name, share in sides.items())
    verdict = (
        f"helps {listed(helped)} and hurts {listed(hurt)}"
        if helped and hurt
        else f"helps {listed(helped)}"
        if helped
        else f"hurts {listed(hurt)}"
        if hurt
        else "helps nobody clearly"
    )
    s.finding(f"How much the arrow is worth depends on the players; it {verdict}: {figures}.")


def listed(names: Sequence[str]) -> str:
    """Names in a sentence."""
    return " and ".join(f"`{name}`" for name in names)


def tell_of_the_weaker(s: Study) -> None:
    """Whether the arrows keep a weaker player in the game."""
    s.heading("A weaker player")
    scores = {
        (name, label): s.compare("tacocat", name, BEST, rules={"arrows": arrows}) for name in WEAKER for label, arrows in ARROWS.items()
    }
    s.figure(
        plots.dots(
            [f"{name}: {label.split()[0]}" for name, label in scores],
            [made.score for made in scores.values()],
            x=f"games won against {BEST}",
            percent=True,
        ),
        caption=f"Score of weaker players against `{BEST}` by whom the arrows point to, with 95 % intervals (n = {s.games:,} deals each, seats exchanged).",
        alt="Points with intervals: two weaker players' scores by the direction of the arrows.",
    )
    for name, note in WEAKER.items():
        default, both = scores[name, DEFAULT], scores[name, "both"]
        one, other = (made.frame["score"].to_numpy() for made in (default, both))
        moved = Ratio(one, np.ones(len(one))).less(Ratio(other, np.ones(len(other))))
        verdict = "help" if moved.low > 0 else "hurt" if moved.high < 0 else "neither clearly help nor hurt"
        s.finding(
            f"The default arrows {verdict} `{name}`, {note}: it wins {percent(default.score)} of the games against `{BEST}`, and {percent(both.score)} where all "
            f"arrows point to both (paired difference {points(moved)})."
        )


# ------------------------------------------------------------------------------------------------------------ unknowns


def tell_of_unknowns(s: Study) -> None:
    """How far the answers hang on the facts that could not be found."""
    s.heading("What hangs on facts that could not be found")
    found = {name: answers(s.run("tacocat", players=BEST, rules=rules, columns=COLUMNS, rows=True)) for name, rules in SETTINGS.items()}
    strength = {name: s.compare("tacocat", BEST, BEGINNER, s.games // 2, rules=rules).score for name, rules in SETTINGS.items()}
    default = found["default"]
    level = 1 - 0.05 / (len(default) * (len(SETTINGS) - 1))
    rows = []
    for name, row in found.items():
        line = {"setting": name}
        for label, share in row.items():
            figure = share.estimate()
            moved = name != "default" and figure.n > 0 and excludes_zero(share.less(default[label], level))
            line[HEADS[label]] = (short(figure, percent=True) if figure.n else "–") + (" *" if moved else "")
        rows.append(line | {f"against {BEGINNER}": short(strength[name], percent=True)})
    s.table(
        pd.DataFrame(rows).set_index("setting"),
        caption=f"The answers under one other rule at a time: {'; '.join(f'{head}: {label}' for label, head in HEADS.items())} (`{BEST}` against itself, n = {s.games:,} games each on the same "
        f"deals); and the score of `{BEST}` against `{BEGINNER}` ({strength['default'].n:,} deals). 95 % intervals; "
        f"* clearly other than the default (paired, all {len(default) * (len(SETTINGS) - 1)} comparisons together at 95 %).",
    )  # fmt: skip
    tell_of_each_answer(s, found, level)
    tell_of_strength(s, strength)


def code(setting: str) -> str:
    """A setting as it is printed: the rule as code, the number of its decision after it."""
    rule, bracket, decision = setting.partition(" (")
    return f"`{rule}`{bracket}{decision}" if bracket else setting


def excludes_zero(difference: Estimate) -> bool:
    """Whether a difference is clear."""
    return difference.low > 0 or difference.high < 0


def tell_of_each_answer(s: Study, found: Mapping[str, Mapping[str, Ratio]], level: float) -> None:
    """Which answers the unknown facts move, and how far."""
    default, firm = found["default"], []
    for label, base in default.items():
        moved = {name: found[name][label].less(base, level) for name in NOT_FOUND if found[name][label].below.sum()}
        clear = {name: each for name, each in moved.items() if excludes_zero(each)}
        if not clear:
            firm.append(label)
            continue
        most = max(clear, key=lambda name: abs(clear[name].estimate))
        shown = found[most][label].estimate()
        s.finding(
            f"“{label[:1].upper()}{label[1:]}” hangs on facts that could not be found: {percent(base.estimate())} by default, {percent(shown)} with {code(most)}, "
            f"the largest clear difference ({len(clear)} of {len(moved)} settings of deck, board and arrows differ clearly)."
        )
    if firm:
        s.finding(
            f"No deck, board or arrows that were tried clearly change {', '.join(f'“{label}”' for label in firm)} (n = {len(default['tied rounds'].above):,} games each): these answers do not hang on the unknown facts, "
            "as far as so many games can show."
        )


def tell_of_strength(s: Study, strength: Mapping[str, Estimate]) -> None:
    """Whether the best player stays the better one whatever the rules."""
    low, high = (pick(strength, key=lambda name: strength[name].estimate) for pick in (min, max))
    better = sum(score.low > 0.5 for score in strength.values())
    s.figure(
        plots.dots(list(strength), list(strength.values()), x=f"score of {BEST} against {BEGINNER}", percent=True, show=False),
        caption=f"How far `{BEST}` is ahead of `{BEGINNER}` under each setting, with 95 % intervals (n = {strength['default'].n:,} deals each, seats exchanged).",
        alt="Points with intervals: the best player's score against a beginner under fourteen settings of the rules.",
    )
    s.finding(
        f"`{BEST}` is clearly better than `{BEGINNER}` under {better} of the {len(strength)} settings; its score lies between {percent(strength[low])} ({code(low)}) "
        f"and {percent(strength[high])} ({code(high)})."
    )
