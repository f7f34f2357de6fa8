"""The study of the rules of Tichu: its parts against exact facts, and that it says what its numbers allow."""

from math import sqrt

import numpy as np
import pytest

import simkit
from analyses import tichu_rules as module
from analyses._tichu import sign
from simkit.games import find
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study

GAMES = 300


def played(player: str = module.PLAYER, games: int = GAMES, **rules):
    return simkit.run("tichu", games, players=player, rules=rules, columns=module.recorded(rules), rows=True)


@pytest.fixture(scope="module")
def small() -> StudyResult:
    return perform(find_study(["tichu_rules"])[0], games=400, progress=False)


def study() -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["tichu_rules"])[0], 400, 1), progress=False)


def test_the_settings_are_legal_and_the_defaults_come_first():
    assert next(iter(module.SETTINGS.values())) == {}
    for name, rules in module.SETTINGS.items():
        find("tichu").read_rules(rules)
        if rules:
            (rule, value), *more = rules.items()
            assert not more
            assert name == f"{rule} = {str(value).lower()}"


def test_every_changed_rule_is_in_one_group():
    grouped = [rule for rules in module.GROUPS.values() for rule in rules]

    assert sorted(grouped) == sorted(name for name in module.SETTINGS if name != "default")


def test_a_rule_that_is_the_default_changes_nothing():
    base = played()
    found = module.changes({"default": base, "again": played(wish="optional")})

    assert not module.changed(played(wish="optional"), base).any()
    assert all(figure.estimate == 0 and sign(figure) == 0 for figure in found["again"].values())


def test_without_the_wish_nobody_wishes_and_rounds_change():
    base, without = played(), played(wish="off")

    assert "wish" not in without.frame
    assert module.changed(without, base).mean() > 0.2
    restricted = base.frame["wish_forced"].to_numpy() > 0
    assert restricted[module.changed(without, base)].mean() > 0.5


def test_the_wish_can_only_change_rounds_in_which_one_is_made():
    base, without = played(), played(wish="off")
    made = base.frame["wish"].to_numpy() > 0

    assert not module.changed(without, base)[~made].any()


def test_out_of_turn_no_bomb_is_played_if_the_rule_forbids_it():
    base, without = played(), played(bombs_out_of_turn=False)
    quiet = base.frame["bombs_out_of_turn"].to_numpy() == 0

    assert "bombs_out_of_turn" not in without.frame
    assert not module.changed(without, base)[quiet].any()


def test_the_order_of_bombs_matters_only_where_two_seats_hold_one():
    base, other = played(games=2000), played(games=2000, bomb_order="owner_first")
    held = (base.frame[[f"bomb_held_{seat}" for seat in range(4)]].to_numpy() > 0).sum(axis=1)

    assert not module.changed(other, base)[held < 2].any()


def test_random_pushes_give_the_mah_jong_away_in_three_of_fourteen_rounds():
    frame = played("random", 4000).frame
    share, expected = (frame["mah_jong_leads"] != frame["mah_jong_dealt"]).mean(), 3 / 14

    assert abs(share - expected) < 4 * sqrt(expected * (1 - expected) / len(frame))


@pytest.mark.parametrize("player", module.PUBLISHED)
def test_the_first_lead_is_worth_what_an_independent_program_found(player):
    found, (value, se) = played(player, 10_000).mean("leader_difference"), module.PUBLISHED[player]

    assert abs(found.estimate - value) < 4 * sqrt(found.se**2 + se**2)


def test_the_team_dealt_the_mah_jong_by_hand():
    result = played(games=100)
    points = module.of_holder(result)

    for game, row in result.frame.iterrows():
        assert points[game] == row[f"payoff_{row['mah_jong_dealt']}"]


def test_the_lead_of_a_team_with_a_bomb_by_hand():
    result = played(games=200)
    expected = []
    for _, row in result.frame.iterrows():
        teams = [row["bomb_held_0"] > 0 or row["bomb_held_2"] > 0, row["bomb_held_1"] > 0 or row["bomb_held_3"] > 0]
        if teams[0] != teams[1]:
            expected.append(row["payoff_0"] if teams[0] else row["payoff_1"])

    assert module.bomb_lead(result).tolist() == expected
    assert len(expected) >= 20


def test_a_clear_change_is_said_and_an_unclear_one_is_not():
    s = study()
    none = {name: Estimate(0.0, -1.0, 1.0, 100, 0.5) for name in module.FIGURES}
    clear = none | {"plays": Estimate(2.0, 1.0, 3.0, 100, 0.5)}
    others = {rule: Estimate(0.5, 0.4, 0.6, 100) for rule in ("a", "b")}
    module.say_of_group(s, "the wish", ("a", "b"), {"a": clear, "b": none}, others)
    module.say_of_group(s, "the wish", ("b",), {"b": none}, others)

    assert "`a`: plays +2.0 ± 1.0" in s.result.findings[0]
    assert "other rules of this kind change no figure clearly" in s.result.findings[0]
    assert "changes no figure clearly" in s.result.findings[1]


def test_the_choices_are_players_that_exist_and_differ():
    rows = [played(player, 100).frame["payoff_0"].tolist() for _, player in module.CHOICES.values()]

    assert all(row != played(games=100).frame["payoff_0"].tolist() for row in rows[:6])


def test_the_study_says_what_it_must(small):
    assert len(small.figures) >= 4
    assert len(small.tables) >= 5
    assert all("n = " in text for text in small.findings)


def test_the_same_seed_gives_the_same_study(small):
    again = perform(find_study(["tichu_rules"])[0], games=400, jobs=1, progress=False)

    assert again.findings == small.findings
    assert np.all([one.cells == other.cells for one, other in zip(again.tables, small.tables, strict=True)])
