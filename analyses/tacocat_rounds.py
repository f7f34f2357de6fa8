"""What decides a round of Tacocat: the duel, the lead, the low card, jumbo attacks, the hand size, and how well one plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from simkit import plots
from simkit.plots import short
from simkit.stats.association import win_probability
from simkit.stats.estimate import Estimate
from simkit.stats.intervals import mean_interval, wilson, zero_upper
from simkit.study import study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from simkit.result import Result
    from simkit.study import Study

PLAYERS = ("random", "plain", "guardian", "steady")
"""From the reference player to the best that a search found."""
BEST, BEGINNER = "steady", "plain"
ROUND = {"board": "7", "arrows": "both"}
"""A board of one space: the game is one decisive round, and both replace freely."""
SIZES = range(2, 10)
KINDS = {
    "replace": ("replace_leader", "replace_follower", "replace_double"),
    "duel": ("duel",),
    "attack": ("attack",),
    "answer": ("answer",),
}
PARTS = {
    "replace_leader": ("none", "squeeze(few=1)", "squeeze(few=3)", "middle(a=4,b=8)", "keep_lowest_and_high(t=9)", "all"),
    "replace_follower": ("none", "squeeze(few=1)", "mirror", "middle(a=4,b=8)", "keep_lowest_and_high(t=9)", "all"),
    "duel": ("highest", "median", "lowest_but_one", "just_enough(t=6)"),
    "attack": ("highest_single", "lowest_safe", "jumbo_first", "second_lowest", "protect_low"),
    "answer": ("cheapest_defence", "always_sacrifice", "protect_low(guard=4)", "protect_low(guard=7)", "win_lead"),
}
"""Ways to decide that are put in place of the best player's own."""
REFUSING = ("protect_low(guard=4)", "protect_low(guard=7)", "always_sacrifice")
"""Those of the answers that refuse: if the lowest card is above so much, or always."""
ENOUGH = 30
"""Rounds for a share to be worth a sentence."""


@study(title="Tacocat: what decides a round?", games=10_000)
def tacocat_rounds(s: Study) -> None:
    """What decides a round of Tacocat: the duel, the last attack, the low card, jumbo attacks, the hand size, or play."""
    s.question(
        "A round of Tacocat goes to the lower last card, but whoever attacks says which cards must go. How much is it worth to win the duel, to attack last, "
        "to have the lowest card? Do jumbo attacks decide rounds? Which hand sizes leave most to skill, which decisions matter most, and is it ever right "
        "not to defend?"
    )
    s.method(
        f"Rounds by themselves are played on a board of one space with {ROUND['board']} cards, where both replace freely; of them those count that were decided "
        f"at once ({s.games:,} games for each player, against itself). Whole games have the default rules. `{BEST}` is the best player that a search "
        f"found, `{BEGINNER}` what a beginner does, `random` the reference player. Players are compared on the same deals, seats exchanged: the deal is the unit "
        "there. Intervals are 95 % ones, each by itself. The deck and the outer hand sizes are assumptions (rules page, D1 and D2); "
        "the study tacocat_comeback asks how much hangs on them."
    )
    played = {name: s.run("tacocat", players=name, rules=ROUND, rows=True) for name in PLAYERS}
    tell_of_signs(s, {name: Rounds.of(result) for name, result in played.items()})
    tell_of_lead_and_low_card(s, {name: Rounds.of(result) for name, result in played.items()})
    tell_of_low_cards(s, {name: Rounds.of(result) for name, result in played.items()})
    whole = {name: s.run("tacocat", players=name, rows=True) for name in PLAYERS}
    tell_of_jumbos(s, whole, {name: Rounds.of(result) for name, result in played.items()})
    tell_of_sizes(s)
    tell_of_decisions(s)
    tell_of_parts(s)
    tell_of_ties(s, whole)


def percent(figure: Estimate) -> str:
    """A share in words, with its interval."""
    return figure.text(percent=True)


def extremes(figures: Mapping[str, Estimate]) -> tuple[list[str], list[str]]:
    """The names of the largest figures and of the smallest: with each, all those whose intervals overlap it."""
    down = sorted(figures, key=lambda name: -figures[name].estimate)
    top, bottom = figures[down[0]], figures[down[-1]]
    return [name for name in down if figures[name].high >= top.low], [name for name in reversed(down) if figures[name].low <= bottom.high]


def total_ratio(result: Result, above: Sequence[str], below: Sequence[str]) -> Estimate:
    """Total of some columns over the total of others; the games are the units (delta method)."""
    a, b = (result.frame[list(names)].to_numpy(float).sum(axis=1) for names in (above, below))
    if b.sum() == 0:
        return Estimate(np.nan, -np.inf, np.inf, len(a))
    value = a.sum() / b.sum()
    rest = mean_interval(len(a), 0.0, float((a - value * b).std(ddof=1)) / b.mean())
    half = rest.high if rest.se else float(zero_upper(len(a)))  # all games alike: about 3/n of them may be otherwise
    return Estimate(value, max(0.0, value - half), value + half, len(a), rest.se, "delta")


class Rounds(NamedTuple):
    """Rounds that were decided at once, a place each. What tells one seat from the other is 0, 1, or -1 where it tells nothing."""

    winner: np.ndarray
    duel: np.ndarray
    last: np.ndarray
    lower_dealt: np.ndarray
    lower: np.ndarray
    more_attacks: np.ndarray
    jumbo: np.ndarray
    lowest: np.ndarray
    """int (rounds, 2): the lowest card of each hand after replacement."""

    @classmethod
    def of(cls, result: Result) -> Rounds:
        """From the rows of games of one round each: a tied round would mix with those that follow it."""
        frame = result.frame[(result.frame["rounds"] == 1) & (result.frame["winner"] >= 0)]
        jumbos = frame[["sets_0", "sets_1"]].to_numpy() + frame[["sequences_0", "sequences_1"]].to_numpy()
        return cls(
            winner=frame["winner"].to_numpy(),
            duel=larger(pair(frame, "duel_wins")),
            last=larger(pair(frame, "last_attacks")),
            lower_dealt=larger(-pair(frame, "lowest_before")),
            lower=larger(-pair(frame, "lowest_after")),
            more_attacks=larger(pair(frame, "attacks")),
            jumbo=larger(np.minimum(jumbos, 1)),
            lowest=pair(frame, "lowest_after"),
        )

    def won(self, sign: np.ndarray, among: np.ndarray | None = None) -> Estimate:
        """Share of rounds won by the seat that a sign names, where it names one."""
        known = sign >= 0
        if among is not None:
            known &= among
        return wilson(int((sign == self.winner)[known].sum()), int(known.sum()))


def pair(frame: pd.DataFrame, column: str) -> np.ndarray:
    """A column of both seats, int (rounds, 2)."""
    return frame[[f"{column}_0", f"{column}_1"]].to_numpy()


def larger(cells: np.ndarray) -> np.ndarray:
    """Which seat has more; -1 where they are equal."""
    return np.where(cells[:, 0] == cells[:, 1], -1, (cells[:, 1] > cells[:, 0]).astype(int))


# ------------------------------------------------------------------------------------------------------ duel, lead, low


SIGNS = {
    "last attack": "last",
    "duel won": "duel",
    "more attacks": "more_attacks",
    "lower card": "lower",
    "lower card dealt": "lower_dealt",
}
"""What may tell the winner. A lower card without more is that after replacement."""


def tell_of_signs(s: Study, rounds: Mapping[str, Rounds]) -> None:
    """Who wins the round: what tells most about it."""
    s.heading("Who wins the round")
    shares = {name: {label: each.won(getattr(each, sign)) for label, sign in SIGNS.items()} for name, each in rounds.items()}
    s.table(
        pd.DataFrame(
            [{"player": name, **{label: short(share, percent=True) for label, share in row.items()}, "rounds": len(rounds[name].winner)} for name, row in shares.items()]
        ).set_index("player"),
        caption="Share of rounds won by whoever attacked last, won the duel, attacked more often, or had the lower lowest card after replacing, or as dealt; rounds where both are equal in it are left out. "
        "Each player against itself, 7 cards, n in the last column; 95 % intervals.",
    )  # fmt: skip
    s.figure(
        plots.heat([list(row.values())[:4] for row in shares.values()], list(shares), list(SIGNS)[:4], xlabel="share of rounds won by", percent=True, middle=0.5),
        caption=f"How well four facts tell the winner of a round: share of rounds won by whoever attacked last, won the duel, attacked more often, held the lower card after replacing; 50 % tells nothing (n = {s.games:,} games of one round for each player).",
        alt="A table of tinted cells, a row for each player and a column for each fact.",
    )  # fmt: skip
    best = shares[BEST]
    most, least = extremes(best)
    s.finding(
        f"Between two `{BEST}`, what tells most about who wins a round is the {and_so(most)}: {percent(best[most[0]])} of the rounds go that way; "
        f"the {and_so(least)} tells least: {percent(best[least[0]])}."
        if set(most).isdisjoint(least)
        else f"Between two players of `{BEST}` none of these facts clearly tells more than the others; the last attacker wins {percent(best['last attack'])} of the rounds."
    )
    duel = {name: row["duel won"] for name, row in shares.items()}
    said = "; ".join(f"`{name}` {percent(share)}" for name, share in duel.items())
    s.finding(
        f"The winner of the duel wins {percent(duel[BEST])} of the rounds between two `{BEST}`, but that depends on what one does with the lead: {said}."
    )


def and_so(names: Sequence[str]) -> str:
    """Names that cannot be told apart."""
    return names[0] if len(names) == 1 else f"{' or '.join(names)} (not clearly different)"


def code(names: Sequence[str]) -> list[str]:
    """Names of strategies as they are printed."""
    return [f"`{name}`" for name in names]


def tell_of_lead_and_low_card(s: Study, rounds: Mapping[str, Rounds]) -> None:
    """The last attack against the low card."""
    s.heading("The last attack or the low card?")
    rows, against = [], {}
    for name, each in rounds.items():
        both, neither = (each.lower >= 0) & (each.lower == each.last), (each.lower >= 0) & (each.lower != each.last)
        against[name] = each.won(each.last, neither)
        rows.append({
            "player": name,
            "lower card too": short(each.won(each.last, both), percent=True),
            "equal cards": short(each.won(each.last, each.lower < 0), percent=True),
            "higher card": short(against[name], percent=True),
            "rounds": len(each.winner),
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="Share of rounds that the last attacker wins, by whether the attacker has the lower lowest card after replacing, an equal or the higher one. 7 cards, each player against itself, n in the last column; 95 % intervals.",
    )
    found = against[BEST]
    if found.n < ENOUGH:
        s.finding(f"Too few rounds (n = {found.n:,}) set the last attack against the low card to say which is worth more.")
        return
    verdict = "is worth more than" if found.low > 0.5 else "is worth less than" if found.high < 0.5 else "is worth about as much as"
    s.finding(
        f"The last attack {verdict} the lower card: where one `{BEST}` has the lower card and the other attacks last, the attacker wins {percent(found)} of the rounds."
    )


def tell_of_low_cards(s: Study, rounds: Mapping[str, Rounds]) -> None:
    """What a low card is worth."""
    s.heading("What a low card is worth")
    ranks = range(1, 6)
    series, rows = {}, []
    for name, each in rounds.items():
        chances = chance_by_lowest(each, ranks)
        series[name] = list(chances.values())
        rows.append(
            {
                "player": name,
                **{f"lowest {rank}": short(share, percent=True) for rank, share in chances.items()},
                "rounds": len(each.winner),
            }
        )
    s.figure(
        plots.lines(list(ranks), series, xlabel="lowest card after replacing", ylabel="rounds won", percent=True, reference=0.5),
        caption=f"Share of rounds won by a seat (A) by its lowest card after replacing, with 95 % intervals (n = {s.games:,} games of one round each).",
        alt="Falling lines: the higher the lowest card, the fewer rounds are won.",
    )
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="The same as a table: rounds won by A by its lowest card after replacing, n of all in the last column; 95 % intervals.",
    )
    one, three = series[BEST][0], series[BEST][2]
    if one.n and three.n:
        clear = "" if one.low > three.high or three.low > one.high else " (not clearly different)"
        s.finding(f"With a 1 in hand `{BEST}` wins {percent(one)} of the rounds, with a 3 as the lowest card {percent(three)}{clear}.")


def chance_by_lowest(rounds: Rounds, ranks: Sequence[int]) -> dict[int, Estimate]:
    """Share of rounds that A wins by its lowest card."""
    lowest, won = rounds.lowest[:, 0], rounds.winner == 0
    return win_probability(
        np.array(ranks), [int(won[lowest == rank].sum()) for rank in ranks], [int((lowest == rank).sum()) for rank in ranks]
    )


# -------------------------------------------------------------------------------------------------------------- jumbos


def both(column: str) -> tuple[str, str]:
    """A column of both seats."""
    return f"{column}_0", f"{column}_1"


def a_round(figure: Estimate) -> str:
    """A number a round in few letters; never is "0 (at most 0.0003)"."""
    return f"0 (at most {figure.high:.1g})" if figure.estimate == 0 else short(figure)


def tell_of_jumbos(s: Study, whole: Mapping[str, Result], rounds: Mapping[str, Rounds]) -> None:
    """How often there are jumbo attacks, and whether they decide."""
    s.heading("Jumbo attacks")
    rows, decide = [], {}
    for name, result in whole.items():
        decide[name] = rounds[name].won(rounds[name].jumbo)
        unused, available = both("jumbo_unused"), both("jumbo_available")
        rows.append({
            "player": name,
            "sets": a_round(total_ratio(result, both("sets"), ["rounds"])),
            "sequences": a_round(total_ratio(result, both("sequences"), ["rounds"])),
            "possible": short(total_ratio(result, available, both("attacks")), percent=True),
            "not used": short(total_ratio(result, unused, available), percent=True),
            "won by the only one": short(decide[name], percent=True),
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption=f"Jumbo attacks in whole games (n = {s.games:,} games each): sets and sequences a round, attacks where one was possible, and how many of these were singles; and, of rounds of "
        "7 cards in which only one of the two made any, the share that this one won; 95 % intervals.",
    )
    share = decide[BEST]
    often = total_ratio(whole[BEST], (*both("sets"), *both("sequences")), ["rounds"])
    if share.n < ENOUGH:
        s.finding(
            f"Between two `{BEST}` there are {often.text()} jumbo attacks a round, in too few rounds by one of the two alone to say what they decide."
        )
        jumbo_habit(s)
        return
    tells = (
        "wins more often than it loses" if share.low > 0.5 else "loses more often than it wins" if share.high < 0.5 else "wins about half"
    )
    s.finding(
        f"Between two `{BEST}` there are {often.text()} jumbo attacks a round; where only one of the two makes any, it {tells}: {percent(share)} of the rounds."
    )
    jumbo_habit(s)


def jumbo_habit(s: Study) -> None:
    """Whether it pays to attack with jumbos wherever one can."""
    single = s.compare("tacocat", f"{BEST}[attack=jumbo_first]", f"{BEST}[attack=highest_single]")
    worth = "worth having" if single.score.low > 0.5 else "worse than leaving them" if single.score.high < 0.5 else "of no clear worth"
    s.finding(
        f"As a habit, jumbo attacks are {worth}: `{BEST}` with `jumbo_first` scores {percent(single.score)} against itself with `highest_single`."
    )


# --------------------------------------------------------------------------------------------------------------- sizes


def tell_of_sizes(s: Study) -> None:
    """Which hand sizes leave most to skill."""
    s.heading("The hand size")
    scores: dict[str, list[Estimate]] = {BEGINNER: [], "random": []}
    ties, duels = [], []
    for size in SIZES:
        rules = {"board": str(size), "arrows": "both"}
        for other, row in scores.items():
            row.append(s.compare("tacocat", BEST, other, rules=rules).score)
        alone = s.run("tacocat", players=BEST, rules=rules, rows=True, columns="winner,rounds,ties,duel_rounds,duel_winner_wins")
        ties.append(total_ratio(alone, ["ties"], ["rounds"]))
        duels.append(total_ratio(alone, ["duel_winner_wins"], ["duel_rounds"]))
    s.figure(
        plots.lines(list(SIZES), {f"against {name}": row for name, row in scores.items()}, xlabel="cards in hand", ylabel=f"rounds won by {BEST}", percent=True, reference=0.5),
        caption=f"Rounds won by `{BEST}` by the hand size, both replacing freely, with 95 % intervals (n = {s.games:,} deals for each point, seats exchanged).",
        alt="Two lines of the share of rounds won by the best player against a beginner and against random, by hand size.",
    )  # fmt: skip
    table = [
        {"cards": size, **{f"{BEST} against {name}": short(row[k], percent=True) for name, row in scores.items()}, "tied rounds": short(ties[k], percent=True), "duel winner wins": short(duels[k], percent=True)}
        for k, size in enumerate(SIZES)
    ]  # fmt: skip
    s.table(
        pd.DataFrame(table).set_index("cards"),
        caption=f"By the hand size: score of `{BEST}` against the two, and between two `{BEST}` the share of tied rounds and of rounds won by the duel winner (n = {s.games:,} deals or games each; 95 % intervals).",
    )  # fmt: skip
    s.text(
        f"This measures these players: `{BEST}` was found on whole games with 4 to 9 cards, and on smaller hands another way to play may well be better. "
        f"With 2 cards it wins {percent(scores[BEGINNER][0])} of the rounds against `{BEGINNER}`."
    )
    figures = {str(size): score for size, score in zip(SIZES, scores[BEGINNER], strict=True)}
    most, least = extremes(figures)
    if set(most).isdisjoint(least):
        s.finding(
            f"Skill counts most with {' or '.join(sorted(most))} cards, where `{BEST}` wins {percent(figures[most[0]])} of the rounds against `{BEGINNER}`, "
            f"and least with {' or '.join(sorted(least))}: {percent(figures[least[0]])}."
        )
    else:
        s.finding(
            f"In so few games no hand size is clear in which skill counts more; with 7 cards `{BEST}` wins {percent(figures['7'])} of the rounds against `{BEGINNER}`."
        )


# --------------------------------------------------------------------------------------------------------- how one plays


def tell_of_decisions(s: Study) -> None:
    """Which kind of decision it costs most to leave to chance."""
    s.heading("Which decisions matter")
    scores = {}
    for kind, names in KINDS.items():
        chance = f"{BEST}[{','.join(f'{name}=random' for name in names)}]"
        scores[kind] = s.compare("tacocat", chance, BEST).score
    s.figure(
        plots.bars(list(scores), list(scores.values()), x=f"score against {BEST}", y="left to chance", percent=True, reference=0.5),
        caption=f"Score of `{BEST}` against itself in whole games if one kind of decision is left to chance, with 95 % intervals (n = {s.games:,} deals each, seats exchanged).",
        alt="Bars of the score that is left when one kind of decision is random.",
    )
    dear, cheap = extremes(scores)[::-1]
    if set(dear).isdisjoint(cheap):
        s.finding(
            f"The decision that matters most is {and_so(dear)}: left to chance, `{BEST}` keeps only {percent(scores[dear[0]])} of the points against itself; "
            f"that of {and_so(cheap)} matters least, {percent(scores[cheap[0]])}."
        )
    else:
        s.finding(
            f"In so few games no kind of decision clearly matters more; with random replacing `{BEST}` keeps {percent(scores['replace'])} of the points."
        )


def tell_of_parts(s: Study) -> None:
    """Other ways to decide, one at a time."""
    s.heading("Other ways to play")
    scores = {
        kind: {part: s.compare("tacocat", f"{BEST}[{kind}={part}]", BEST, s.games // 2).score for part in parts}
        for kind, parts in PARTS.items()
    }
    rows = [{"decision": kind, "instead": part, f"score against {BEST}": short(score, percent=True), "deals": score.n} for kind, row in scores.items() for part, score in row.items()]  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("decision"),
        caption=f"Score of `{BEST}` against itself in whole games with one kind of decision made otherwise (the same deals, seats exchanged; 95 % intervals). "
        f"{len(rows)} intervals: one or two miss by chance.",
    )  # fmt: skip
    for kind, what in (("replace_leader", "As the leader"), ("replace_follower", "As the follower")):
        best, worst = extremes(scores[kind])
        if set(best).isdisjoint(worst):
            s.finding(
                f"{what}, the best of these ways to replace is {and_so(code(best))}, {percent(scores[kind][best[0]])} against `{BEST}` (its own way would score 50 %); the worst is {and_so(code(worst))}, {percent(scores[kind][worst[0]])}."
            )
        else:
            s.text(f"{what}, no way to replace is clearly better than the others in so few games.")
    refusal(s, scores["answer"])


def refusal(s: Study, answers: Mapping[str, Estimate]) -> None:
    """Whether it is ever right not to defend."""
    some = {name: answers[name] for name in REFUSING}
    figures = "; ".join(f"`{name}` {percent(score)}" for name, score in some.items())
    if any(score.low > 0.5 for score in some.values()):
        s.finding(
            f"Refusing to defend is sometimes right: `{BEST}` defends whenever it can, and gains by refusing where its lowest card is no low one: {figures}."
        )
    elif all(score.high < 0.5 for score in some.values()):
        s.finding(
            f"Refusing to defend does not pay: `{BEST}` defends whenever it can, and loses by refusing, even where its lowest card is no low one: {figures}."
        )
    else:
        s.finding(
            f"No gain by refusing to defend shows: `{BEST}` defends whenever it can; refusing where its lowest card is no low one scores {figures}."
        )
    spared = answers["cheapest_defence"]
    if spared.high < 0.5:
        s.finding(
            f"With which card one defends matters: `{BEST}` spares its lowest card where another is enough; with `cheapest_defence`, which does not, it scores {percent(spared)} against itself."
        )


def tell_of_ties(s: Study, whole: Mapping[str, Result]) -> None:
    """How common tied rounds are."""
    s.heading("Ties")
    shares = {name: total_ratio(result, ["ties"], ["rounds"]) for name, result in whole.items()}
    s.figure(
        plots.bars(list(shares), list(shares.values()), x="tied rounds", percent=True),
        caption=f"Share of rounds that are tied and played again, with 95 % intervals (n = {s.games:,} whole games each).",
        alt="Bars of the share of tied rounds for four players.",
    )
    s.finding(f"Of the rounds between two `{BEST}`, {percent(shares[BEST])} are tied and played again.")
