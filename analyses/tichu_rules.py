"""What the special rules of Tichu change: the wish, the push, bombs out of turn, Dog and Dragon; and the seat of the Mah Jong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from analyses._tichu import FEW, by_seat, in_points, lead_by_deal, listed, mean_of, percent, share_of, share_of_seats, sign, signed
from simkit import plots
from simkit.plots import short
from simkit.study import compare, study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from simkit.result import Result
    from simkit.stats.estimate import Estimate
    from simkit.study import Study

PLAYER = "steady"
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "wish = off": {"wish": "off"},
    "wish_scope = singles_only": {"wish_scope": "singles_only"},
    "wish_scope = no_bombs": {"wish_scope": "no_bombs"},
    "pass_cards = false": {"pass_cards": False},
    "tichu_before_push = false": {"tichu_before_push": False},
    "bombs_out_of_turn = false": {"bombs_out_of_turn": False},
    "bomb_windows = after_every_action": {"bomb_windows": "after_every_action"},
    "bomb_windows = close_only": {"bomb_windows": "close_only"},
    "bomb_order = random_start": {"bomb_order": "random_start"},
    "bomb_order = owner_first": {"bomb_order": "owner_first"},
    "dog_partner_out = after_player": {"dog_partner_out": "after_player"},
    "dragon_recipient = active_if_any": {"dragon_recipient": "active_if_any"},
    "dragon_gift_last_trick = false": {"dragon_gift_last_trick": False},
    "min_pair_run = 3": {"min_pair_run": 3},
}
"""Rules tried, the defaults first."""
GROUPS = {
    "the wish": ("wish = off", "wish_scope = singles_only", "wish_scope = no_bombs"),
    "the push": ("pass_cards = false", "tichu_before_push = false"),
    "bombs out of turn": ("bombs_out_of_turn = false", "bomb_windows = after_every_action", "bomb_windows = close_only"),
    "who bombs first": ("bomb_order = random_start", "bomb_order = owner_first"),
    "Dog and Dragon": ("dog_partner_out = after_player", "dragon_recipient = active_if_any", "dragon_gift_last_trick = false"),
    "pair runs": ("min_pair_run = 3",),
}
COLUMNS = (
    "payoff", "score", "double_victory", "call_success", "mah_jong_dealt", "mah_jong_leads", "first_out_from_leader", "leader_last", "leader_difference", "plays", "bombs",
    "bombs_out_of_turn", "bomb_held", "dragon_bombed", "dragon_by", "dragon_to", "dogs", "wish", "wish_fulfilled_by", "wish_forced",
)  # fmt: skip
PLAYERS = ("random", "greedy_low", "min_turns", "team_aware", PLAYER)
"""Players of growing skill."""
PUBLISHED = {"random": (-22.33, 0.11), "greedy_low": (-15.68, 0.13)}
"""The leader's team's difference by an independent program, with its standard error: docs/rules/tichu.md, 9.3."""
CHOICES = {
    "wishes nothing": ("the wish", "steady[wish=never]"), "wishes an ace": ("the wish", "steady[wish=wish_ace]"), "wishes any rank": ("the wish", "steady[wish=wish_random]"),
    "wishes a rank unseen": ("the wish", "steady[wish=wish_unseen]"), "pushes anything": ("the push", "steady[push=push_random]"), "pushes its lowest cards": ("the push", "steady[push=push_lowest]"),
    "no bombs out of turn": ("bombs", "steady[bomb=never]"), "Dragon's trick to anybody": ("the Dragon", "steady[gift=gift_random]"), "Dragon's trick to the next seat": ("the Dragon", "steady[gift=gift_next]"),
}  # fmt: skip
"""Teams that differ from steady in one kind of decision."""
FROM_LEADER = ("the leader", "the next seat", "its partner", "the previous seat")


@study(title="Tichu: what do its special rules change?", games=10_000)
def tichu_rules(s: Study) -> None:
    """What the wish, the push, bombs out of turn, Dog and Dragon change in Tichu, and whether the first lead is an advantage."""
    s.question(
        "Who holds the Mah Jong leads first and may wish for a rank: an advantage, or is a worthless card that needs a lead a burden? And what would Tichu be without the wish, without the push, without bombs out of turn? Does it matter who may bomb "
        "first, to whom the Dragon's trick goes, and who leads after the Dog?"
    )
    s.method(
        f"Four `{PLAYER}` players play {s.games:,} deals under the default rules, and the same deals again under each of {len(SETTINGS) - 1} changed rules, one at a time; changes are taken deal by deal. They do not adapt to a rule, "
        f"other than that they see what is legal, so small effects may be larger among players who do. What a **choice** is worth is seen in another way: a team that makes one kind of decision differently meets a `{PLAYER}` team, each deal played twice with the hands exchanged. "
        f"Intervals are 95 % ones; those of the {len(SETTINGS) - 1} changes of a figure, and those of the {len(CHOICES)} choices, are widened so as to hold all together."
    )
    results = {
        name: s.run("tichu", s.games, players=PLAYER, rules=rules, columns=recorded(rules), rows=True) for name, rules in SETTINGS.items()
    }
    tell_of_leader(s, results["default"])
    tell_of_wish(s, results)
    tell_of_rules(s, results)
    tell_of_order(s, results)
    tell_of_worth(s, results["default"])
    tell_of_choices(s)


def recorded(rules: Mapping[str, Any]) -> str:
    """The columns to record: those of wishes and of bombs out of turn only where there may be some."""
    none = {"wish", "wish_fulfilled_by", "wish_forced"} if rules.get("wish") == "off" else set()
    none |= {"bombs_out_of_turn"} if rules.get("bombs_out_of_turn") is False else set()
    return ",".join(name for name in COLUMNS if name not in none)


# ------------------------------------------------------------------------------------------------------------ Mah Jong


def tell_of_leader(s: Study, base: Result) -> None:
    """Whether the Mah Jong and with it the first lead are an advantage, by skill."""
    s.heading("The seat of the Mah Jong")
    results = {
        player: base if player == PLAYER else s.run("tichu", s.games / 2, players=player, columns=recorded({}), rows=True)
        for player in PLAYERS
    }
    leads = {player: result.mean("leader_difference") for player, result in results.items()}
    dealt = {player: mean_of(of_holder(result)) for player, result in results.items()}
    rows = [
        {
            "player": player, "team of the first leader": signed(leads[player]), "team dealt the Mah Jong": signed(dealt[player]),
            "Mah Jong pushed away": short(share_of(result.frame["mah_jong_leads"] != result.frame["mah_jong_dealt"]), percent=True),
            **{f"first out: {who}": short(share_of(result.frame["first_out_from_leader"] == k), percent=True) for k, who in enumerate(FROM_LEADER)},
            "leader is last": short(share_of(result.frame["leader_last"] == 1), percent=True), "n": result.games,
        }
        for player, result in results.items()
    ]  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("player"),
        caption="The Mah Jong: points of difference of the team that leads first (holds it after the push) and of the team that was dealt it, who goes out first, seen from the leader, and how often the leader is left with cards, between four "
        "players of a kind, the weakest first (n = rounds; 95 % intervals).",
    )  # fmt: skip
    s.figure(
        plots.dots(list(leads), list(leads.values()), x="points of the first leader's team", reference=0),
        caption=f"What the first leader's team scores more than the other, by skill (weakest on top), with 95 % intervals (n = {base.games:,} rounds of {PLAYER}, {results['random'].games:,} of the others).",
        alt="A point with its interval for each kind of player, next to a dashed line at 0.",
    )  # fmt: skip
    known = "; ".join(
        f"{player} {signed(leads[player])} here, {value:.1f} ± {2 * se:.1f} there".replace("-", "\N{MINUS SIGN}")
        for player, (value, se) in PUBLISHED.items()
    )
    s.text(f"An independent program found for the two weakest, in a million rounds each (docs/rules/tichu.md, 9.3): {known}.")
    mine = leads[PLAYER]
    words = {1: "an advantage", -1: "a burden", 0: "neither clearly an advantage nor a burden"}[sign(mine)]
    weak = leads[PLAYERS[0]]
    skill = {1: "more than", -1: "less than", 0: "not clearly other than"}[compare(mine, weak)]
    s.finding(
        f"To lead first with the Mah Jong is {words} between `{PLAYER}` players: {in_points(mine)} for the leader's team, {skill} between random ones ({signed(weak)}, n = {weak.n:,})."
    )


def of_holder(result: Result) -> np.ndarray:
    """Points by which the team that was dealt the Mah Jong was ahead."""
    points = result.frame["payoff_0"].to_numpy()
    return np.where(result.frame["mah_jong_dealt"].to_numpy() % 2 == 0, points, -points)


# ---------------------------------------------------------------------------------------------------------------- wish


def tell_of_wish(s: Study, results: Mapping[str, Result]) -> None:
    """How often a wish is made, fulfilled, and forces something."""
    s.heading("The wish")
    rows = []
    for name in ("default", "wish_scope = singles_only", "wish_scope = no_bombs"):
        frame = results[name].frame
        made = frame["wish"] > 0
        rows.append({
            "rule": name, "wished": short(share_of(made), percent=True),
            "of wishes fulfilled": short(share_of(frame["wish_fulfilled_by"][made] >= 0), percent=True) if made.any() else "–",
            "plays it restricts a round": short(mean_of(frame["wish_forced"], most=1)), "n": results[name].games,
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("rule"),
        caption="The wish: how often one is made, how often such a wish is fulfilled, and how many plays a wish restricts (n = rounds; 95 % intervals).",
    )
    bound = mean_of(results["default"].frame["wish_forced"], most=1)
    s.text(f"A wish restricts {bound.text()} plays a round.")


# --------------------------------------------------------------------------------------------------------------- rules

FIGURES: dict[str, Callable[[Result], np.ndarray]] = {
    "lead of the first leader's team": lambda result: result.frame["leader_difference"].to_numpy(float),
    "points between the teams": lambda result: result.frame["payoff_0"].abs().to_numpy(float),
    "double victories in 100": lambda result: 100.0 * result.frame["double_victory"].to_numpy(float),
    "calls made in 100 rounds": lambda result: 100.0 * (by_seat(result, "call_success") == 1).sum(axis=1),
    "calls lost in 100 rounds": lambda result: 100.0 * (by_seat(result, "call_success") == 0).sum(axis=1),
    "bombs in 100": lambda result: 100.0 * result.frame["bombs"].to_numpy(float),
    "plays": lambda result: result.frame["plays"].to_numpy(float),
}
"""Figures of a round, one entry a round, that a rule may change."""
MOST = {"lead of the first leader's team": 400, "points between the teams": 400, "plays": 10}
"""How far a round may go elsewhere if all are alike: see `mean_of`."""


def changed(result: Result, base: Result) -> np.ndarray:
    """Rounds that end otherwise: another score, double victory or number of plays."""
    columns = ["score_0", "score_1", "double_victory", "plays"]
    return (result.frame[columns].to_numpy() != base.frame[columns].to_numpy()).any(axis=1)


def changes(results: Mapping[str, Result]) -> dict[str, dict[str, Estimate]]:
    """By rule and figure: the mean change from the default on the same deals; intervals of a figure hold together."""
    level = 1 - 0.05 / (len(results) - 1)
    base = results["default"]
    before = {name: figure(base) for name, figure in FIGURES.items()}
    return {
        rule: {name: mean_of(figure(result) - before[name], level, MOST.get(name, 100)) for name, figure in FIGURES.items()}
        for rule, result in results.items()
        if rule != "default"
    }


def tell_of_rules(s: Study, results: Mapping[str, Result]) -> None:
    """What each rule changes in the figures of a round."""
    s.heading("What each rule changes")
    found, base = changes(results), results["default"]
    n = f"n = {base.games:,} deals"
    others = {rule: share_of(changed(results[rule], base)) for rule in found}
    first = {"rule": "default", "ends otherwise": "–", **{name: short(mean_of(figure(base))) for name, figure in FIGURES.items()}}
    rows = [
        {
            "rule": rule,
            "ends otherwise": short(others[rule], percent=True),
            **{name: signed(figure) if figure.se else "no change" for name, figure in figures.items()},
        }
        for rule, figures in found.items()
    ]
    s.table(
        pd.DataFrame([first, *rows]).set_index("rule"),
        caption=f"Figures of a round under the default rules, and their change under each other rule on the same deals; and the share of rounds that end otherwise (another score or number of plays). Points; calls, double victories and bombs "
        f"in 100 rounds ({n}; 95 % intervals, those of the changes of a figure hold together; “no change”: the same in every round).",
    )  # fmt: skip
    s.figure(
        plots.bars(list(others), list(others.values()), x="rounds that end otherwise", percent=True, show=False),
        caption=f"How many rounds end otherwise, in another score or number of plays, if one rule is changed, with 95 % intervals ({n}).",
        alt="A bar with its interval for each rule: how many rounds it touches.",
    )
    s.figure(
        plots.dots(list(found), [figures["double victories in 100"] for figures in found.values()], x="double victories more in 100 rounds", reference=0, show=False),
        caption=f"How a rule changes the number of double victories, with intervals that hold together (95 %; {n}).",
        alt="A point with its interval for each rule about a dashed line at no change.",
    )  # fmt: skip
    for group, rules in GROUPS.items():
        say_of_group(s, group, rules, found, others)


def say_of_group(
    s: Study, group: str, rules: tuple[str, ...], found: Mapping[str, Mapping[str, Estimate]], others: Mapping[str, Estimate]
) -> None:
    """What the rules of one kind clearly change."""
    said = []
    for rule in rules:
        clear = [f"{name} {signed(figure)}" for name, figure in found[rule].items() if figure.se and sign(figure)]
        if clear:
            said.append(f"`{rule}`: {', '.join(clear)}; {percent(others[rule])} of the rounds end otherwise")
    if said:
        s.finding(
            f"{group[0].upper()}{group[1:]}: {'. '.join(said)}. {'The other rules of this kind change no figure clearly.' if 0 < len(said) < len(rules) else ''}"
        )
    else:
        most = max(rules, key=lambda rule: others[rule].estimate)
        verb = "change" if len(rules) > 1 else "changes"
        s.finding(
            f"{group[0].upper()}{group[1:]}: {listed([f'`{rule}`' for rule in rules])} {verb} no figure clearly; most rounds are touched by `{most}`: {percent(others[most])}."
        )


# --------------------------------------------------------------------------------------------------------------- bombs


def bomb_lead(result: Result) -> np.ndarray:
    """Points by which a team was ahead that held a bomb at the first lead, of rounds in which one team did."""
    held = by_seat(result, "bomb_held") > 0
    ours, theirs = held[:, 0] | held[:, 2], held[:, 1] | held[:, 3]
    points = result.frame["payoff_0"].to_numpy()
    return np.where(ours, points, -points)[ours != theirs]


def tell_of_worth(s: Study, base: Result) -> None:
    """What it is worth to hold a bomb; how often Dog and Dragon come to something."""
    lead, frame = mean_of(bomb_lead(base)), base.frame
    played = frame["dragon_by"] >= 0
    if lead.n >= FEW:
        s.finding(
            f"A team that holds a bomb at the first lead while the other holds none is ahead by {in_points(lead)} in the end; among people a team with a bomb was by 70 (strong players 91), rounds in which both hold one not left out."
        )
    s.text(
        f"The Dog is led in {percent(share_of(frame['dogs']))} of the rounds; the Dragon is played in {percent(share_of(played))}, its trick is given away in {percent(share_of(frame['dragon_to'] >= 0))} and it is bombed in {percent(share_of(frame['dragon_bombed']))}. "
        "What Dog and Dragon dealt are worth is in the study of the deal (`simkit study tichu_luck`)."
    )


def tell_of_order(s: Study, results: Mapping[str, Result]) -> None:
    """Bombs by the rules of the windows, and how often more than one seat could use one."""
    s.heading("Bombs and their windows")
    rows = []
    for name in ("default", *GROUPS["bombs out of turn"], *GROUPS["who bombs first"]):
        frame, held = results[name].frame, by_seat(results[name], "bomb_held") > 0
        rows.append({
            "rule": name, "bombs a round": short(mean_of(frame["bombs"], most=1)), "out of turn": short(mean_of(frame["bombs_out_of_turn"], most=1)) if "bombs_out_of_turn" in frame else "–",
            "hands with a bomb": short(share_of_seats(held), percent=True), "rounds with two such hands": short(share_of(held.sum(axis=1) >= 2), percent=True),
            "Dragon bombed": short(share_of(frame["dragon_bombed"]), percent=True), "n": results[name].games,
        })  # fmt: skip
    s.table(
        pd.DataFrame(rows).set_index("rule"),
        caption="Bombs played, those played out of turn, hands that hold one at the first lead, rounds in which two or more do, and Dragons that are bombed (n = rounds; 95 % intervals).",
    )
    held = by_seat(results["default"], "bomb_held") > 0
    two, base = share_of(held.sum(axis=1) >= 2), results["default"]
    orders = {rule: share_of(changed(results[rule], base)) for rule in GROUPS["who bombs first"]}
    s.finding(
        f"Who is asked first in a bomb window can matter only where two seats could bomb: two or more hold a bomb at the first lead in {percent(two)} of the rounds; another order changes the end of {' and of '.join(f'{percent(share)} (`{rule}`)' for rule, share in orders.items())} of them all."
    )


# ------------------------------------------------------------------------------------------------------------- choices


def tell_of_choices(s: Study) -> None:
    """What deciding well is worth: steady against itself with one kind of decision made otherwise."""
    s.heading("What the choices are worth")
    level = 1 - 0.05 / len(CHOICES)
    costs = {name: lead_by_deal(s.compare("tichu", PLAYER, player, s.games / 5), level) for name, (_, player) in CHOICES.items()}
    deals = next(iter(costs.values())).n
    s.table(
        pd.DataFrame([{"a team that …": name, "decides otherwise": CHOICES[name][0], "loses, points a round": signed(cost)} for name, cost in costs.items()]).set_index("a team that …"),
        caption=f"What a team loses to a `{PLAYER}` team by making one kind of decision otherwise (n = {deals:,} deals each, played twice with the hands exchanged; 95 % intervals, which hold together).",
    )  # fmt: skip
    s.figure(
        plots.dots(list(costs), list(costs.values()), x="points a round lost", reference=0),
        caption=f"What a team loses to a `{PLAYER}` team by making one kind of decision otherwise, with intervals that hold together (95 %; n = {deals:,} deals each).",
        alt="A point with its interval for each choice, right of a dashed line at 0 where it costs points.",
    )
    loses = {name: cost for name, cost in costs.items() if sign(cost) > 0}
    gains = {name: cost for name, cost in costs.items() if sign(cost) < 0}
    ordered = sorted(loses, key=lambda name: -loses[name].estimate)
    said = (
        f"Points are clearly lost by {listed_costs(ordered, loses)}"
        if loses
        else f"No other way to decide clearly loses points to `{PLAYER}`"
    )
    better = f"; better than `{PLAYER}` decides: {listed_costs(list(gains), gains)}" if gains else ""
    s.finding(
        f"{said}{better} (points a round, n = {deals:,} deals each). Of {len(costs)} tried, {len(costs) - len(loses) - len(gains)} make no clear difference."
    )


def listed_costs(names: list[str], costs: Mapping[str, Estimate]) -> str:
    """Choices with what they cost."""
    return "; ".join(f"“{name}” ({signed(costs[name])})" for name in names)
