"""The study of Stealing War: its parts against exact facts and rough anchors, and that it says what its numbers allow."""

import numpy as np
import pytest

import simkit
from analyses import stealing_war as module
from simkit.games import find
from simkit.players import read_player
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, perform
from simkit.study import find as find_study


def study(games: int = 400) -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["stealing_war"])[0], games, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


def test_with_stealing_switched_off_a_game_is_that_of_two_who_never_steal():
    off = simkit.run("stealing-war", 300, players="always", stealing_enabled=False, columns="winner,battles", rows=True)
    never = simkit.run("stealing-war", 300, players="never", columns="winner,battles", rows=True)

    assert (off.frame.to_numpy() == never.frame.to_numpy()).all()


@pytest.mark.parametrize(
    ("player", "players", "mean", "se"),
    [("always", 2, 59.0, 0.15), ("never", 2, 270, 1.2), ("always", 3, 62.7, 0.25)],  # docs/rules/war.md, rough anchors
)
def test_lengths_are_near_the_rough_anchors(player, players, mean, se):
    length = simkit.run("stealing-war", 4000, players=player, rules={"players": players}, columns="battles").mean("battles")

    assert abs(length.estimate - mean) < 4 * np.hypot(length.se, se)


def test_the_card_on_top_means_nothing_where_nobody_may_steal():
    found = simkit.compare("stealing-war", "always[top=unmatched]", "always", 1000, stealing_enabled=False, progress=False).score

    assert abs(found.estimate - 0.5) < 4 * found.se


def test_steals_are_counted_over_all_seats():
    result = simkit.run("stealing-war", 200, players="always", rules={"players": 3}, columns="steals", rows=True)

    assert module.stolen(result).estimate == pytest.approx(sum(result.mean(f"steals_{seat}").estimate for seat in range(3)))
    off = simkit.run("stealing-war", 100, players="always", stealing_enabled=False, columns="battles", rows=True)
    assert module.stolen(off).estimate == 0


def test_ratio_of_means():
    found = module.ratio_of_means(Estimate(30, 29, 31, 100, 0.5), Estimate(10, 9, 11, 50, 0.5))

    assert found.estimate == 3
    assert found.low < 3 < found.high
    assert found.half_width == pytest.approx(1.96 * 3 * np.hypot(0.5 / 30, 0.5 / 10))


def test_names_in_a_list():
    assert module.listed(["a"]) == "`a`"
    assert module.listed(["a", "b", "c"]) == "`a`, `b` and `c`"


def test_no_effect_on_the_length_is_claimed_where_there_is_none(monkeypatch):
    s, whole = study(), Study.run
    monkeypatch.setattr(Study, "run", lambda self, game, games=None, **options: whole(self, game, 400, **options | {"players": "always"}))

    module.tell_of_length(s)

    assert "No clear effect of stealing" in said(s)
    assert "The control disagrees" in said(s)  # switched off, games are longer than these


def test_players_and_settings_are_there():
    game = find("stealing-war")
    for name in [*module.STEALERS, *(f"always[top={top}]" for top in module.TOPS)]:
        read_player(game, name)
    assert next(iter(module.PRIORITY)) == game.by["steal_priority"].default
    assert set(module.PRIORITY) == set(game.by["steal_priority"].every())
    assert set(module.WAR_STEAL) == set(game.by["war_steal"].every())


def test_stealing_pays_and_shortens_the_game():
    s = study()

    module.tell_of_length(s)
    module.tell_whether_it_pays(s)

    assert "Stealing shortens War" in said(s)
    assert "Stealing pays" in said(s)


def test_the_same_seed_gives_the_same_study():
    one, other = (perform(find_study(["stealing_war"])[0], games=100, jobs=jobs, progress=False) for jobs in (1, 2))

    assert one.findings == other.findings
    assert [table.cells for table in one.tables] == [table.cells for table in other.tables]
