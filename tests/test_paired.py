"""Paired runs: win rates of players, the deal as the unit of every interval, equal to the bit however they are played."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import simkit
from simkit import api, simulate, store
from simkit.deals import DealSums
from simkit.game import BadInput
from simkit.jit import PLAIN
from simkit.simulate import Engine, Stop, make_plan
from simkit.tally import Tally
from tests.commands import interrupt, start
from tests.commands import simkit as run_command

GAMES = 4_000 if not PLAIN else 40
CHOICE = {"pickup_order": "player_choice"}
THREE = {"max_battles": 200, "players": 3, "pickup_order": "player_choice"}
NEVER = np.zeros(1, np.int64)


def techu(games=GAMES, **more):
    return simkit.run("techu", games, players="thrifty,greedy_spaces", seed=5, paired=True, progress=False, **more)


def by_hand(values, counted):
    """Mean of the counted games and its standard error, from a table (deals, games of a deal)."""
    x, m = (values * counted).sum(axis=1), counted.sum(axis=1)
    mean, n = x.sum() / m.sum(), len(x)
    return mean, math.sqrt(((x - mean * m) ** 2).sum() * n / (n - 1)) / m.sum()


# ------------------------------------------------------------------------------------------------------------- figures


def test_every_figure_is_what_the_rows_say_deal_by_deal():
    result = techu(rows=True)
    frame, deals = result.frame, GAMES // 2
    won = {player: np.stack([frame["winner"][0::2] == player, frame["winner"][1::2] == 1 - player], axis=1) for player in (0, 1)}
    ones = np.ones((deals, 2), int)

    assert (result.games, result.deals) == (GAMES, deals)
    for player in (0, 1):
        mean, se = by_hand(won[player].astype(int), ones)
        share = result.win_rate(player)
        assert (share.estimate, share.se, share.n) == (pytest.approx(mean), pytest.approx(se), deals)
        assert share.low < mean < share.high
    drawn = (frame["outcome"] == 1).to_numpy().reshape(-1, 2).astype(int)
    assert result.draw_rate().se == pytest.approx(by_hand(drawn, ones)[1])
    first = (frame["winner"] == frame["first_mover"]).to_numpy().reshape(-1, 2).astype(int)
    assert (result.first_mover_win_rate().estimate, result.first_mover_win_rate().se) == pytest.approx(by_hand(first, ones))
    for name in ("turns", "spaces_0", "payoff_1"):
        mean, se = by_hand(frame[name].to_numpy().reshape(-1, 2), ones)
        found, said = result.mean(name), result.statistics(name)
        assert (found.estimate, found.se, found.n) == (pytest.approx(mean), pytest.approx(se), deals)
        assert (said["mean"], said["se"], said["n"], said["games"]) == (pytest.approx(mean), pytest.approx(se), deals, GAMES)
        assert (said["low"], said["high"]) == (found.low, found.high)


@pytest.mark.parametrize("players", ["random", "thrifty,thrifty", "thrifty,random", "thrifty,thrifty(starter=0)"])
def test_one_player_on_all_sides_is_noted(players):
    result = simkit.run("techu", 40, players=players, paired=True, progress=False)
    said = "all sides are the same player: what they win in a paired run is equal by construction"
    alike = players in ("random", "thrifty,thrifty")

    assert result.notes == ((said,) if alike else ())
    assert not alike or result.win_rate(0).estimate == result.win_rate(1).estimate
    assert simkit.run("techu", 40, players=players, progress=False).notes == ()


def test_unfinished_games_leave_deals_of_unequal_size():
    games = 600 if not PLAIN else 12
    result = simkit.run("war", games, max_battles=200, rules=CHOICE, players="high_first,random", paired=True, rows=True, progress=False)
    finished = (result.frame["outcome"] <= 1).to_numpy().reshape(-1, 2).astype(int)
    mean, se = by_hand(result.frame["battles"].to_numpy().reshape(-1, 2), finished)

    assert 0 < finished.sum() < games
    assert (result.mean("battles").estimate, result.mean("battles").se) == pytest.approx((mean, se))
    assert result.capped_rate().se == pytest.approx(by_hand(1 - finished, np.ones_like(finished))[1])


@pytest.mark.modes
def test_three_seats_turn_three_players():
    games = 300 if not PLAIN else 3
    result = simkit.run("war-multi", games, rules=THREE, players="high_first,low_first,random", paired=True, rows=True, progress=False)
    winner = result.frame["winner"].to_numpy()
    who = (winner + np.arange(games) % 3) % 3

    for player in range(3):
        assert result.win_rate(player).estimate == np.mean((who == player) & (winner >= 0))
    assert [entry["player"] for entry in result.as_dict()["win_rate"]] == ["high_first", "low_first", "random"]


def test_quantiles_are_as_wide_as_those_of_one_game_a_deal():
    paired, single = techu(), simkit.run("techu", GAMES // 2, players="thrifty,greedy_spaces", seed=5, progress=False)
    found = paired.quantile("spaces_0", 0.9)

    assert found.n == GAMES // 2
    assert found.low <= found.estimate <= found.high
    assert found.high - found.low >= single.quantile("spaces_0", 0.9).half_width


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="far too slow")
def test_the_interval_of_a_paired_run_covers():
    """Many small runs against one large one: War's luck of the deal counts the same for both players, so its games are tied."""
    options = {"players": "high_first,random", "paired": True, "rules": CHOICE, "columns": "battles", "progress": False}
    truth = simkit.run("war", 4e5, seed=1000, **options)
    runs, inside = 250, {"win": 0, "battles": 0}
    for seed in range(runs):
        result = simkit.run("war", 300, seed=seed, jobs=1, **options)
        for name, found, true in (
            ("win", result.win_rate(0), truth.win_rate(0)),
            ("battles", result.mean("battles"), truth.mean("battles")),
        ):
            inside[name] += found.low <= true.estimate <= found.high

    for name, n in inside.items():
        assert abs(n / runs - 0.95) < 4 * math.sqrt(0.95 * 0.05 / runs), name


def test_equal_players_win_exactly_as_often():
    """The same cards with the same moves: what the one wins in one seat the other wins in the other."""
    result = simkit.run("techu", GAMES, players="thrifty(starter=0)", paired=True, progress=False)

    assert result.win_rate(0).estimate == result.win_rate(1).estimate
    assert result.win_rate(0).low < result.win_rate(0).estimate < result.win_rate(0).high


# ---------------------------------------------------------------------------------------------------- equal to the bit


@pytest.mark.parametrize(("jobs", "backend"), [(2, "threads"), (3, "threads"), (2, "processes")])
def test_the_same_for_any_jobs(monkeypatch, jobs, backend):
    whole = techu(jobs=1)
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.004)
    again = techu(jobs=jobs, backend=backend)

    assert again.tally.equals(whole.tally)
    assert again._deals.equals(whole._deals)
    assert {**again.as_dict(), "seconds": 0} == {**whole.as_dict(), "seconds": 0}


def test_a_run_stopped_within_a_deal_goes_on_with_the_whole_deal(tmp_path, monkeypatch):
    """Stop after an odd number of games, again and again; nothing is lost, doubled, or torn."""
    monkeypatch.setattr(store, "FLUSH_SECONDS", 0.0)
    whole, cuts = techu(1001), []
    played = Engine.play

    def cut_short(self, first, games, *rest, **more):
        part = played(self, first, min(games, 101), *rest, **more)
        if part.games == 101:
            cuts.append(first)
            stops[-1].interrupted = True
            stops[-1].set()
        return part

    stops = []
    listening = Stop.listening
    monkeypatch.setattr(Stop, "listening", lambda self: stops.append(self) or listening(self))
    monkeypatch.setattr(Engine, "play", cut_short)
    for _ in range(40):
        result = techu(1001, out=tmp_path / "run", jobs=1)
        assert result.games % 2 == 0
        assert result._deals.deals == result.games // 2 == result.deals
        if not result.interrupted:
            break

    assert len(cuts) > 5
    assert result.games == whole.games == 1002
    assert result.tally.equals(whole.tally)
    assert result._deals.equals(whole._deals)


def test_a_kept_run_is_read_again_and_another_refused(tmp_path):
    first = techu(out=tmp_path / "run")
    again = techu(out=tmp_path / "run")

    assert again._deals.equals(first._deals)
    with pytest.raises(BadInput, match="holds another run: paired is true there and false here"):
        simkit.run("techu", GAMES, players="thrifty,greedy_spaces", seed=5, progress=False, out=tmp_path / "run")
    assert "--paired" in json.loads((tmp_path / "run" / "manifest.json").read_text())["command"]


def test_rows_are_kept_only_if_asked_for(tmp_path):
    techu(out=tmp_path / "run")
    assert not list((tmp_path / "run").glob("*-rows.parquet"))
    with pytest.raises(ValueError, match="kept no rows"):
        _ = techu().frame
    pd.testing.assert_frame_equal(techu(rows=True, out=tmp_path / "rows").frame, techu(rows=True).frame)


@pytest.mark.modes
def test_games_taken_out_of_a_tally_were_never_there():
    plan = make_plan("war", rules={**CHOICE, "max_battles": 60}, players="high_first,random", games=60, paired=True, rows=True)
    most, least = (12, 7) if not PLAIN else (3, 2)
    many, few = (Engine(plan).play(0, games, NEVER) for games in (most, least))
    many.tally.remove(dict(zip(plan.row_cells, many.rows[least:].T, strict=True)))

    assert many.tally.equals(few.tally)


def test_sums_survive_the_disk_however_large(tmp_path):
    plan = make_plan("techu", players="thrifty,greedy_spaces", games=10, paired=True, columns="turns")
    sums = DealSums(plan)
    sums.add_rows(Engine(api.dataclasses.replace(plan, rows=True)).play(0, 10, NEVER).rows)
    sums._sums[2, :] = 2**100 + 7
    again = DealSums.from_arrays(plan, store.read_parquet(write(tmp_path, sums.to_arrays())))

    assert again.equals(sums)
    assert again["turns"].xx == 2**100 + 7
    with pytest.raises(ValueError, match="3 games are no whole deals"):
        sums.add_rows(np.zeros((3, len(plan.row_cells)), np.int64))


def write(folder, arrays):
    path = folder / "x.parquet"
    path.write_bytes(store.parquet(arrays, {}))
    return path


# -------------------------------------------------------------------------------------------------------- command line


def test_the_json_ties_no_player_to_a_seat():
    done = run_command("run", "techu", "-n", 101, "--players", "thrifty,greedy_spaces", "--paired", "--format", "json")
    facts = json.loads(done.stdout)

    assert (done.returncode, done.stderr) == (0, "")
    assert (facts["paired"], facts["games"], facts["deals"]) == (True, 102, 51)
    assert [(entry["seat"], entry["player"]) for entry in facts["win_rate"]] == [(None, "thrifty"), (None, "greedy_spaces")]
    for entry in [*facts["win_rate"], facts["draw_rate"], facts["capped_rate"], facts["endless_rate"], facts["first_mover_win_rate"]]:
        assert (entry["n"], entry["games"]) == (51, 102)
    assert sum(entry["estimate"] for entry in [*facts["win_rate"], facts["draw_rate"]]) == pytest.approx(1)
    assert all((column["n"], column["games"]) == (51, 102) for column in facts["columns"].values())


def test_the_table_names_players_and_deals():
    shown = run_command("run", "techu", "-n", 100, "--players", "thrifty,greedy_spaces", "--paired", "--columns", "turns").stdout

    assert shown.startswith("techu: 100 games (50 deals, each in every seating), seed 1")
    assert "\n thrifty wins " in shown
    assert "seat 0" not in shown
    assert "by deal" in shown


def test_a_paired_run_may_stop_by_precision():
    result = techu(100_000 if not PLAIN else 100, until="win_rate_0=0.03")

    assert result.games < 100_000
    assert result.win_rate(0).half_width <= 0.03 or PLAIN


def test_ctrl_c_keeps_whole_deals(tmp_path):
    words = ["run", "war", "-n", "1e9", "--rule", "pickup_order=player_choice", "--players", "high_first,random", "--paired"]
    process = start(["-m", "simkit", *words, "--columns", "battles", "--out", str(tmp_path / "run")])
    store_time(tmp_path / "run", process)
    _, out, err = interrupt(process)
    parts = json.loads((tmp_path / "run" / "manifest.json").read_text())["parts"]
    ranges = [tuple(each) for part in parts for each in part["ranges"]]

    assert (process.returncode, out) == (130, "")
    assert "goes on from there" in err
    assert ranges
    assert all(first % 2 == 0 and games % 2 == 0 for first, games in ranges)
    assert all({file["kind"] for file in part["files"]} == {"counts", "deals"} for part in parts)


def store_time(folder, process):
    from tests.commands import wait_until

    assert wait_until(lambda: list(folder.glob("part-*")), process)


def test_plots_of_a_paired_run_are_drawn():
    result = techu()

    assert result.plot.length() is not None
    assert result.plot.survival() is not None
    assert result.plot.outcomes() is not None


def test_tallies_merge_as_before():
    plan = make_plan("techu", games=40)
    whole, half, rest = (Engine(plan).play(first, games, NEVER).tally for first, games in ((0, 40), (0, 20), (20, 20)))
    both = Tally(plan.layout)
    both.merge(half), both.merge(rest)

    assert both.equals(whole)
