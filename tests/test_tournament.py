"""Everyone against everyone: the same numbers as comparisons two by two, ratings of those who can be rated, cycles, files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import simkit
from simkit import cli, seatings, simulate, store
from simkit.commands.tournament import ABOUT_LEADS, show, show_ranking
from simkit.game import BadInput
from simkit.jit import PLAIN
from simkit.stats.ratings import bradley_terry
from simkit.stats.tournament import collect, max_t
from simkit.tournaments import Tournament
from tests.commands import MOMENTS, interrupt, one_line, start, wait_until

DEALS = 300 if not PLAIN else 30
CHOICE = {"pickup_order": "player_choice"}
TECHU = ("greedy_spaces", "cutter", "thrifty")
TOP = {
    "simkit", "game", "game_version", "rules", "players", "seed", "deals", "games", "seconds", "design", "pairs", "simultaneous_quantile", "ranking",
    "ratings", "candidates", "first_seat", "first_mover_score", "cycles", "verdict", "notes", "command",
}  # fmt: skip


def techu(players=TECHU, deals=DEALS, **more):
    return simkit.tournament("techu", list(players), deals, seed=7, progress=False, **more)


@pytest.fixture(scope="module")
def three():
    return techu()


@pytest.fixture
def call(capfd):
    def of(*words):
        capfd.readouterr()
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return of


# ------------------------------------------------------------------------------------------------------------- figures


def test_pairs_are_those_of_comparisons_on_the_same_deals(three):
    for one, other in itertools.combinations(TECHU, 2):
        alone = simkit.compare("techu", one, other, DEALS, seed=7, progress=False)
        assert three.results.pair(one, other).mean(axis=1).tolist() == alone.frame["score"].tolist()
        together, back = three.score(one, other), three.score(other, one)
        assert together.estimate == pytest.approx(alone.score.estimate)
        assert together.high - together.low > alone.score.high - alone.score.low
        assert (back.estimate, back.low, back.high) == pytest.approx((1 - together.estimate, 1 - together.high, 1 - together.low))


def test_ratings_are_those_of_the_rows():
    deals = 200 if not PLAIN else 30
    players = ("high_first", "low_first", "random")
    result = simkit.tournament("war", players, deals, rules={**CHOICE, "max_battles": 400}, progress=False)
    scores = {}
    for one, other in itertools.combinations(players, 2):
        runs = [
            simkit.run("war", deals, players=seats, rules={**CHOICE, "max_battles": 400}, rows=True, progress=False).frame
            for seats in ([one, other], [other, one])
        ]
        points = [(1 + np.sign(run["payoff_0"] - run["payoff_1"])) / 2 for run in runs]
        scores[one, other] = np.stack([points[0], 1 - points[1]], axis=1)
    theirs = collect(scores, players)

    assert np.array_equal(result.results.scores, theirs.scores)
    assert result.ratings.strength.tolist() == bradley_terry(theirs).strength.tolist()
    assert result.pairs.quantile == max_t(theirs.by_deal(), 0.5).quantile
    assert result.games == 6 * deals
    assert result.first_mover_score is None
    assert sorted(result.order) == sorted(players)
    assert result.score(result.order[0], result.order[-1]).estimate >= 0.5


def test_first_movers_score_what_the_rows_say(three):
    scores = []
    for one, other in itertools.combinations(TECHU, 2):
        for seats in ([one, other], [other, one]):
            frame = simkit.run("techu", DEALS, players=seats, seed=7, rows=True, progress=False).frame
            scores.append(np.where(frame["outcome"] == 1, 0.5, frame["winner"] == frame["first_mover"]))

    assert three.first_mover_score.estimate == pytest.approx(np.mean(scores))
    assert three.first_mover_score.se == pytest.approx(np.mean(scores, axis=0).std(ddof=1) / np.sqrt(DEALS))


def test_who_never_scores_is_left_out_of_the_ratings_and_said():
    result = techu((*TECHU, "random"), 60)

    assert result.rated.players == TECHU
    assert set(result.elo) == set(TECHU)
    assert result.notes()[0] == "random cannot be rated with the others: between them all points went one way; play more deals"
    rank = next(row for row in result.as_dict()["ranking"] if row["player"] == "random")
    assert (rank["rank"], rank["elo"], rank["score"]) == (4, None, 0)
    assert 0 < rank["score_high"] < 0.1
    assert 0 < result.score("random", "thrifty").high < 0.2
    assert result.ratings.strength.tolist() == pytest.approx(techu(TECHU, 60).ratings.strength.tolist())


def test_who_cannot_be_rated_is_said_directly_below_the_ranking(capsys):
    result = techu((*TECHU, "random"), 60)
    show(result)
    shown = capsys.readouterr().out

    assert result.apart == {"random": "below"}
    assert "Ranking: Elo about the mean of those who can be rated, score against the field\n" in shown
    assert re.search(r"\n random +below +– [^\n]*\n\nNote: random cannot be rated with the others", shown)
    assert shown.count("cannot be rated") == 1


def test_who_wins_everything_is_above_those_who_can_be_rated(three):
    """Scores made by hand in place of the games: thrifty wins every game, of the others each wins half."""
    games = three._games.copy()
    games[:, :, 0] = 0  # as (greedy_spaces, cutter), (greedy_spaces, thrifty), (cutter, thrifty)
    games[:2, ::2, 0] = 2
    made = Tournament(TECHU, three.tables, three.design, games, 0.0, interrupted=False, command="")

    assert made.apart == {"thrifty": "above"}
    assert made.order[0] == "thrifty"


def test_two_who_cannot_be_rated_are_a_tournament_all_the_same():
    result = techu(("random", "thrifty"), 40)

    assert result.ratings is None
    assert result.cycles is None
    assert result.as_dict()["ratings"] is None
    assert "no finite ratings" in result.notes()[0]
    assert result.order == ["thrifty", "random"]
    assert result.verdict().startswith("thrifty is the best of these 2")


def test_rock_paper_scissors_are_ranked_without_a_scale(three):
    """Scores made by hand in place of the games: each beats the next."""
    games = three._games.copy()
    rng = np.random.default_rng(1)
    for pair, wins in enumerate((True, False, True)):  # greedy_spaces > cutter > thrifty > greedy_spaces
        luck = rng.random((2, DEALS)) < 0.7
        games[2 * pair : 2 * pair + 2, :, 0] = 2 * (luck if wins else ~luck)
    made = Tournament(TECHU, three.tables, three.design, games, 0.0, interrupted=False, command="")

    assert made.cycles.significant
    assert made.cycles.cycles == 1
    assert made.cyclic
    assert made.nash.mixture == pytest.approx([1 / 3] * 3, abs=0.15)
    assert made.ratings.fit.deal_p_value < 1e-6
    assert made.best.candidates
    assert any("one number a player does not describe this field" in note for note in made.notes())
    assert {"alpha_rank", "nash", "nash_rating"} <= set(made.frames()["ratings"].columns)


def test_three_seats_are_each_alone_against_each_field():
    deals, rules = (200 if not PLAIN else 30), {**CHOICE, "players": 3}
    result = simkit.tournament("war-multi", ["high_first", "random"], deals, rules=rules, progress=False)
    there = simkit.compare("war-multi", "high_first", "random", deals, rules=rules, progress=False).frame["score"]
    back = simkit.compare("war-multi", "random", "high_first", deals, rules=rules, progress=False).frame["score"]

    assert result.games == 6 * deals
    assert np.allclose(result.results.scores[0], np.stack([there, 1 - back], axis=1))
    assert any("alone against a field" in note for note in result.notes())


def test_frames_hold_everything(three):
    frames = three.frames()

    assert frames.keys() == {"cross", "pairs", "ratings", "differences", "deals"}
    assert frames["cross"].loc["thrifty", "cutter"] == pytest.approx(three.score("thrifty", "cutter").estimate)
    assert frames["pairs"].shape == (3, 7)
    assert frames["ratings"]["rank"].sort_values().tolist() == [1, 2, 3]
    assert (frames["ratings"]["elo_low"] < frames["ratings"]["elo"]).all()
    assert (frames["differences"]["estimate"] >= 0).all()
    assert frames["deals"].shape == (DEALS, 3)
    assert frames["deals"]["cutter"]["thrifty"].mean() == pytest.approx(three.score("cutter", "thrifty").estimate)


def test_equal_players_are_all_candidates():
    result = techu(("thrifty", "thrifty(starter=0)"), 100)

    assert len(result.best.candidates) == 2
    assert result.verdict().startswith("Any of these may be the best: ")


def test_intervals_of_leads_end_at_0_and_the_table_says_so(three, capsys):
    lead = three.best.lead
    said = [name for name, high in zip(three.players, lead.high.tolist(), strict=True) if high > 0]
    show_ranking(three)

    assert (lead.low <= 0).all()
    assert (lead.high >= 0).all()
    assert said == list(three.best.candidates)
    assert capsys.readouterr().out.endswith(f"\n\n{ABOUT_LEADS}\n\n")


# ---------------------------------------------------------------------------------------------------- equal to the bit


@pytest.mark.parametrize(("jobs", "backend"), [(2, "threads"), (2, "processes")])
def test_the_same_for_any_jobs_and_blocks(monkeypatch, three, jobs, backend):
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.004)
    monkeypatch.setattr(seatings, "FIRST_BLOCK", 77)
    monkeypatch.setattr(seatings, "BLOCK_SECONDS", 0.0)

    assert {**techu(jobs=jobs, backend=backend).as_dict(), "seconds": 0} == {**three.as_dict(), "seconds": 0}


def test_stopped_again_and_again_it_ends_the_same(tmp_path, monkeypatch, three):
    stops = []
    monkeypatch.setattr(store, "FLUSH_SECONDS", 0.0)
    played, listening = simulate.Engine.play, simulate.Stop.listening

    def cut_short(self, first, games, *rest, **more):
        part = played(self, first, min(games, 131), *rest, **more)
        if part.games == 131:
            stops[-1].interrupted = True
            stops[-1].set()
        return part

    monkeypatch.setattr(simulate.Stop, "listening", lambda self: stops.append(self) or listening(self))
    monkeypatch.setattr(simulate.Engine, "play", cut_short)
    for _ in range(60):
        result = techu(out=tmp_path / "kept", jobs=1)
        if not result.interrupted:
            break

    assert len(stops) > 5
    assert {**result.as_dict(), "seconds": 0} == {**three.as_dict(), "seconds": 0}
    with pytest.raises(BadInput, match=r"holds another run: players is .* there and .* here"):
        techu(TECHU[:2], out=tmp_path / "kept")


# -------------------------------------------------------------------------------------------------------- command line


def test_the_json_is_the_contract(call):
    done = call("tournament", "techu", *TECHU, "-n", 100, "--format", "json")
    facts = json.loads(done.out)

    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert facts.keys() == TOP
    assert (facts["players"], facts["deals"], facts["games"], len(facts["pairs"])) == (list(TECHU), 100, 600, 3)
    for pair in facts["pairs"]:
        assert pair.keys() == {"player", "opponent", "estimate", "low", "high", "n", "p_value"}
        assert 0 <= pair["low"] <= pair["estimate"] <= pair["high"] <= 1
    assert facts["ratings"].keys() == {"differences", "first_seat_elo", "fit"}
    assert facts["command"] == f"simkit tournament techu {' '.join(TECHU)} --seed 1 -n 100"


def test_csv_and_table_say_the_same(call):
    words = ["tournament", "techu", *TECHU, "-n", 100, "--quiet"]
    facts = json.loads(call(*words, "--format", "json").out)
    table = list(csv.DictReader(io.StringIO(call(*words, "--format", "csv").out)))
    shown = call(*words).out

    assert [row["opponent"] for row in table] == ["cutter", "thrifty", "thrifty"]
    assert [float(row["score"]) for row in table] == [pair["estimate"] for pair in facts["pairs"]]
    assert shown.startswith("techu: 3 players, 100 deals (600 games), seed 1; ")
    assert shown.rstrip().split("\n")[-1] == facts["verdict"]
    for words in (
        "hold for all pairs at once",
        "Elo between neighbours",
        "The first seat is worth",
        "Whoever moves first scores",
        "Cycles: ",
    ):
        assert words in shown


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_heat_map_is_written(call, tmp_path, ending):
    path = tmp_path / f"cross.{ending}"
    done = call("tournament", "techu", *TECHU, "-n", 40, "--figure", path, "--format", "csv")

    assert (done.code, done.err) == (0, f"simkit: wrote {path}\n")
    start_of = path.read_bytes()[:20]
    assert start_of.startswith(b"<svg" if ending == "svg" else b"\x89PNG")
    if ending == "svg":
        assert all(name in path.read_text(encoding="utf-8") for name in TECHU)


BAD = {
    "tournament techu": "Missing argument",
    "tournament techu thrifty": "a tournament needs two players or more; 1 is named",
    "tournament techu thrifty random thrifty": "thrifty is named twice; name each player once",
    "tournament techu thrifty nobody": "techu has no strategy nobody",
    "tournament wra a b": "no game is called wra",
    "tournament techu thrifty random -n 5": "5 deals cannot be compared; ask for a whole number, 30 or more",
    "tournament techu thrifty random --figure x.gif": "no figure ends in .gif; name a file that ends in .svg, .png, .pdf",
    "tournament techu thrifty random --figure /nowhere/x.svg": "cannot write /nowhere/x.svg: its folder does not exist",
    "tournament techu thrifty random --format xml": "no format is called xml",
    "tournament war high_first low_first": "nobody decides anything in war under these rules",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line_and_code_2(words, call):
    done = call(*words.split())

    assert (done.code, done.out) == (2, "")
    assert one_line(done.err)
    assert BAD[words] in done.err


def test_nobody_is_no_tournament():
    with pytest.raises(BadInput, match=r"^a tournament needs two players or more; 0 are named$"):
        techu(())


def test_ctrl_c_keeps_what_is_done(tmp_path):
    words = ["tournament", "war", "high_first", "low_first", "random", "-n", "1e8", "--rule", "pickup_order=player_choice"]
    process = start(["-m", "simkit", *words, "--out", str(tmp_path / "kept")])
    assert wait_until(lambda: list((tmp_path / "kept").glob("part-*")), process)
    taken, out, err = interrupt(process)

    assert (process.returncode, out, one_line(err)) == (130, "", True)
    assert "the same command goes on from there" in err
    assert taken < MOMENTS
