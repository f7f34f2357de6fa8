"""A against B: numbers straight from the rows of ordinary runs, equal to the bit however played, honest when it stops."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import simkit
from simkit import cli, seatings, simulate, store
from simkit.comparison import UntilClear, looks
from simkit.game import BadInput
from simkit.games import find
from simkit.jit import PLAIN
from simkit.seatings import Design, Scores
from simkit.stats.paired import paired_difference
from simkit.stats.sequential import strength
from tests.commands import MOMENTS, interrupt, one_line, start, wait_until
from tests.commands import simkit as run_command

DEALS = 1_000 if not PLAIN else 30
CHOICE = {"pickup_order": "player_choice"}
A, B = "thrifty", "greedy_spaces"
FIGURE = {"estimate", "low", "high", "n"}
TOP = {
    "simkit", "game", "game_version", "rules", "players", "seed", "deals", "games", "seconds", "design", "score", "difference", "elo", "nelo",
    "payoff_difference", "win_rate", "draw_rate", "unfinished_rate", "first_mover_score", "counts", "variance_reduction", "stopping", "verdict",
    "notes", "command",
}  # fmt: skip


def techu(deals=DEALS, a=A, b=B, **more):
    return simkit.compare("techu", a, b, deals, seed=7, progress=False, **more)


def same(one, other):
    return {**one.as_dict(), "seconds": 0} == {**other.as_dict(), "seconds": 0} and one.frame.equals(other.frame)


@pytest.fixture
def call(capfd):
    def of(*words):
        capfd.readouterr()
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return of


# ------------------------------------------------------------------------------------------------------------- figures


@pytest.mark.modes
@pytest.mark.parametrize(
    ("game", "a", "b", "rules"), [("techu", A, B, {}), ("war", "high_first", "random", {**CHOICE, "max_battles": 300})]
)
def test_figures_are_what_the_rows_of_two_runs_say(game, a, b, rules):
    result = simkit.compare(game, a, b, DEALS, seed=7, rules=rules, progress=False)
    one, other = (
        simkit.run(game, DEALS, players=players, seed=7, rules=rules, rows=True, progress=False).frame for players in ([a, b], [b, a])
    )
    points = [np.sign(one["payoff_0"] - one["payoff_1"]), np.sign(other["payoff_1"] - other["payoff_0"])]
    scores = np.array([(1 + each) / 2 for each in points])
    margins = np.array([one["payoff_0"] - one["payoff_1"], other["payoff_1"] - other["payoff_0"]])
    deal = scores.mean(axis=0)
    direct = paired_difference(scores[0], 1 - scores[1])

    assert (result.deals, result.games) == (DEALS, 2 * DEALS)
    assert list(result.counts.values()) == [int((deal == value).sum()) for value in (0, 0.25, 0.5, 0.75, 1)]
    assert result.score.estimate == pytest.approx(deal.mean())
    assert result.score.se == pytest.approx(deal.std(ddof=1) / math.sqrt(DEALS), rel=1e-9)
    assert result.difference.estimate == pytest.approx(direct.difference.estimate)
    assert result.difference.se == pytest.approx(direct.difference.se)
    assert result.variance_reduction() == pytest.approx(direct.variance_reduction)
    assert result.payoff_difference.estimate == pytest.approx(margins.mean())
    assert result.payoff_difference.se == pytest.approx(margins.mean(axis=0).std(ddof=1) / math.sqrt(DEALS))
    assert result.win_rate(0).estimate == np.mean([one["winner"] == 0, other["winner"] == 1])
    assert result.win_rate(1).estimate == np.mean([one["winner"] == 1, other["winner"] == 0])
    assert result.draw_rate().estimate == np.mean([one["winner"] < 0, other["winner"] < 0])
    assert result.unfinished_rate().estimate == np.mean([one["outcome"] > 1, other["outcome"] > 1])
    assert result.frame["score"].tolist() == deal.tolist()
    theirs = strength(list(result.counts.values()))
    assert (result.elo.estimate, result.elo.low, result.elo.high) == (theirs.elo.estimate, theirs.elo.low, theirs.elo.high)
    if game == "techu":
        first = np.array([np.where(each["first_mover"] == 0, own, 1 - own) for each, own in ((one, scores[0]), (other, 1 - scores[1]))])
        assert result.first_mover_score.estimate == pytest.approx(first.mean())
        assert result.first_mover_score.se == pytest.approx(first.mean(axis=0).std(ddof=1) / math.sqrt(DEALS))


def test_it_plays_the_games_of_a_paired_run():
    result = techu()
    paired = simkit.run("techu", 2 * DEALS, players=[A, B], seed=7, paired=True, progress=False)

    for player in (0, 1):
        theirs = paired.win_rate(player)
        ours = result.win_rate(player)
        assert (ours.estimate, ours.low, ours.high, ours.n) == (theirs.estimate, theirs.low, theirs.high, theirs.n)


def test_exchanging_the_two_changes_only_the_sign():
    there, back = techu(), techu(a=B, b=A)

    assert back.score.estimate == pytest.approx(1 - there.score.estimate)
    assert back.elo.estimate == pytest.approx(-there.elo.estimate)
    assert back.payoff_difference.low == pytest.approx(-there.payoff_difference.high)
    assert list(back.counts.values()) == list(there.counts.values())[::-1]


def test_a_player_is_as_good_as_itself_on_every_deal():
    result = techu(a=A, b=A)

    assert set(result.frame["score"]) == {0.5}
    assert result.score.low < 0.5 < result.score.high
    assert result.variance_reduction() == math.inf
    assert result.verdict().startswith("Neither is clearly better")


def test_one_alone_against_a_field_in_each_of_three_seats():
    deals, rules = (300 if not PLAIN else 30), {**CHOICE, "players": 3}
    result = simkit.compare("war-multi", "high_first", "random", deals, rules=rules, progress=False)
    total = np.zeros(deals)
    for seat in range(3):
        players = ["random"] * 3
        players[seat] = "high_first"
        frame = simkit.run("war-multi", deals, players=players, rules=rules, rows=True, progress=False).frame
        others = [other for other in range(3) if other != seat]
        total += sum((1 + np.sign(frame[f"payoff_{seat}"] - frame[f"payoff_{other}"])) / 2 for other in others) / 2

    assert result.games == 3 * deals
    assert result.score.estimate == pytest.approx((total / 3).mean())
    assert result.score.se == pytest.approx((total / 3).std(ddof=1) / math.sqrt(deals))
    assert sum(result.counts.values()) == deals
    assert "alone" not in result.design.text("a", "b")
    assert result.design.text("a", "b") == "each deal is played 3 times, a in each seat once and b in all the others"


def test_teams_exchange_their_seats():
    game = SimpleNamespace(name="x", seats=lambda rules: 4, teams=lambda rules: (0, 1, 0, 1))
    design = Design.of(game, {})
    rows = {"payoff_0": [90, 0], "payoff_1": [10, 50], "payoff_2": [90, 0], "payoff_3": [10, 50], "winner": [0, 1], "outcome": [0, 0]}
    rows = {name: np.array(values) for name, values in rows.items()}

    assert design.sides == ((0, 2), (1, 3))
    assert [design.seated("a", "b", k) for k in (0, 1)] == [("a", "b", "a", "b"), ("b", "a", "b", "a")]
    assert design.games(rows, 0).tolist() == [[2, 160, 2, -1, 0], [0, -100, 0, -1, 0]]
    assert design.games(rows, 1).tolist() == [[0, -160, 0, -1, 0], [2, 100, 2, -1, 0]]
    assert design.unit == 2
    assert design.text("a", "b") == "each deal is played twice, a and b exchanging teams"
    with pytest.raises(BadInput, match="has no sides that could be exchanged"):
        Design.of(SimpleNamespace(name="x", seats=lambda rules: 3, teams=lambda rules: (0, 1, 0)), {})


# ---------------------------------------------------------------------------------------------------- equal to the bit


@pytest.mark.parametrize(("jobs", "backend"), [(2, "threads"), (2, "processes")])
def test_the_same_for_any_jobs_and_blocks(monkeypatch, jobs, backend):
    whole = techu(jobs=1)
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.004)
    monkeypatch.setattr(seatings, "FIRST_BLOCK", 77)
    monkeypatch.setattr(seatings, "BLOCK_SECONDS", 0.0)

    assert same(techu(jobs=jobs, backend=backend), whole)


@pytest.mark.parametrize("until_clear", [False, True])
def test_stopped_again_and_again_it_ends_the_same(tmp_path, monkeypatch, until_clear):
    options = {"until_clear": until_clear, "bounds": (0, 20), "a": "greedy_spaces", "b": "cutter"} if until_clear else {}
    whole, stops = techu(**options), []
    monkeypatch.setattr(store, "FLUSH_SECONDS", 0.0)
    played, listening = simulate.Engine.play, simulate.Stop.listening

    def cut_short(self, first, games, *rest, **more):
        part = played(self, first, min(games, 41), *rest, **more)
        if part.games == 41:
            stops[-1].interrupted = True
            stops[-1].set()
        return part

    monkeypatch.setattr(simulate.Stop, "listening", lambda self: stops.append(self) or listening(self))
    monkeypatch.setattr(simulate.Engine, "play", cut_short)
    for _ in range(100):
        result = techu(out=tmp_path / "kept", jobs=1, **options)
        assert result.deals <= whole.deals
        if not result.interrupted:
            break

    assert len(stops) > 3
    assert same(result, whole)
    assert json.loads((tmp_path / "kept" / "manifest.json").read_text())["complete"]


def test_another_comparison_is_refused(tmp_path):
    techu(100, out=tmp_path / "kept")
    with pytest.raises(BadInput, match=r"holds another run: players is .* there and .* here"):
        techu(100, a="cutter", out=tmp_path / "kept")
    with pytest.raises(BadInput, match="holds another run: deals is 100 there and 200 here"):
        techu(200, out=tmp_path / "kept")
    with pytest.raises(BadInput, match="holds another run"):
        simkit.run("techu", 100, out=tmp_path / "kept", progress=False)


def test_a_damaged_part_is_played_again(tmp_path):
    whole = techu(200, out=tmp_path / "kept")
    part = next((tmp_path / "kept").glob("*.parquet"))
    part.write_bytes(part.read_bytes()[:-7])

    assert same(techu(200, out=tmp_path / "kept"), whole)


def test_scores_know_what_is_missing():
    scores, games = Scores(2), np.arange(50).reshape(10, 5)
    scores.put(0, 5, games)
    scores.put(1, 0, games)

    assert scores.missing(0, 0, 20) == [(0, 5), (15, 5)]
    assert scores.missing(1, 2, 8) == []
    assert scores.missing(1, 30, 40) == [(30, 10)]
    assert scores.complete(100)[:, :, 0].tolist() == [[0, 5, 10, 15, 20], [25, 30, 35, 40, 45]]
    scores.put(0, 0, games * 2**40)
    assert scores.complete(5)[0].tolist() == (games[:5] * 2**40).tolist()


# ---------------------------------------------------------------------------------------------------------- until clear


def test_it_stops_at_a_look_and_says_so():
    result = techu(100_000, until_clear=True)
    facts = result.as_dict()

    assert result.deals in list(looks(100_000))
    assert result.decision == "accept H1"
    assert result.verdict() == f"{A} is better than {B} (error at most 5 %), after {result.deals:,} deals."
    assert facts["stopping"].keys() == {
        "rule", "low", "high", "unit", "alpha", "beta", "most_deals", "decision", "llr", "bounds", "looks", "estimates"
    }  # fmt: skip
    assert facts["stopping"]["llr"] >= facts["stopping"]["bounds"][1]
    assert result.score.method == "median-unbiased by deal"
    assert result.win_rate().method == "confidence sequence by deal"
    assert facts["notes"][0].startswith("stopped by the test")
    fixed = techu(result.deals)
    assert list(fixed.counts.values()) == list(result.counts.values())
    assert result.win_rate().low < fixed.win_rate().low < fixed.win_rate().high < result.win_rate().high
    assert fixed.as_dict()["stopping"] is None


@pytest.mark.parametrize(
    ("unit", "bounds", "words"),
    [
        ("elo", (0, 30), "is not better than thrifty by 30 Elo or more (error at most 5 %); in fact thrifty is better"),
        ("nelo", (-60, -30), "greedy_spaces is worse than thrifty (error at most 5 %)"),
        ("score", (0.1, 0.2), "greedy_spaces is not worse than thrifty by 0.4 score or more"),
    ],
)
def test_the_verdict_says_what_was_tested(unit, bounds, words):
    assert words in techu(20_000, a=B, b=A, until_clear=True, bounds=bounds, unit=unit).verdict()


def test_it_may_stay_undecided():
    result = techu(300, a="greedy_spaces", b="greedy_spaces", until_clear=True, bounds=(-1, 1))

    assert result.decision == "undecided"
    assert result.verdict() == "Still undecided between -1 and 1 Elo after 300 deals."


@pytest.mark.parametrize(
    ("bounds", "unit", "first", "second"),
    [
        ((0, 10), "elo", "not better by 10 Elo or more", "better by more than 0 Elo"),
        ((-10, 0), "nelo", "worse by more than 0 normalized Elo", "not worse by 10 normalized Elo or more"),
        ((5, 10), "elo", "not better by 10 Elo or more", "better by more than 5 Elo"),
        ((-10, -5), "elo", "worse by more than 5 Elo", "not worse by 10 Elo or more"),
        (None, "score", "not better by 0.007 score or more", "better by more than 0 score"),
    ],
)
def test_what_is_accepted_is_said_in_terms_of_the_bounds(bounds, unit, first, second):
    rule = UntilClear.read(bounds, unit, 0.05, 0.05)

    assert (rule.accepted("accept H0"), rule.accepted("accept H1")) == (first, second)


def test_the_test_is_told_in_words(call):
    words = ["compare", "techu", A, "random", "--until-clear", "--bounds", "0:30", "--quiet"]
    facts = json.loads(call(*words, "--format", "json").out)["stopping"]
    clear, undecided = (
        techu(b="random", deals=None, until_clear=True, bounds=(0, 30)),
        techu(200, a=A, b=A, until_clear=True, bounds=(-1, 1)),
    )

    assert (facts["decision"], facts["looks"]) == ("accept H1", 1)
    assert clear.test_text() in call(*words).out
    assert clear.test_text() == (
        f"Sequential test of Elo 0 against 30, error rates 0.05 and 0.05: accepted that {A} is better by more than 0 Elo, after 200 deals; 1 look."
    )
    assert undecided.test_text().endswith(": undecided, after 200 deals; 1 look.")
    assert techu(200).test_text() == ""


def test_looks_ascend_and_end_at_the_most():
    every = list(looks(10_000))

    assert every[0] == 200
    assert every[-1] == 10_000
    assert all(a < b for a, b in itertools.pairwise(every))
    assert list(looks(100)) == [100]


# -------------------------------------------------------------------------------------------------------- command line


def test_the_json_is_the_contract(call):
    done = call("compare", "techu", A, B, "-n", 200, "--seed", 3, "--format", "json")
    facts = json.loads(done.out)

    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert facts.keys() == TOP
    assert (facts["game"], facts["players"], facts["seed"], facts["deals"], facts["games"]) == ("techu", [A, B], 3, 200, 400)
    assert facts["design"]["seatings"] == [[A, B], [B, A]]
    for name in ("score", "difference", "elo", "nelo", "payoff_difference", "draw_rate", "unfinished_rate", "first_mover_score"):
        assert facts[name].keys() == FIGURE
        assert facts[name]["low"] <= facts[name]["estimate"] <= facts[name]["high"]
        assert facts[name]["n"] == 200
    assert [entry["player"] for entry in facts["win_rate"]] == [A, B]
    assert all("seat" not in entry for entry in facts["win_rate"])
    assert [entry["score"] for entry in facts["counts"]] == [0, 0.25, 0.5, 0.75, 1]
    assert sum(entry["deals"] for entry in facts["counts"]) == 200
    assert facts["command"] == f"simkit compare techu {A} {B} --seed 3 -n 200"


def test_csv_and_table_say_the_same(call):
    words = ["compare", "techu", A, B, "-n", 200, "--quiet"]
    facts = json.loads(call(*words, "--format", "json").out)
    table = {row["figure"]: row for row in csv.DictReader(io.StringIO(call(*words, "--format", "csv").out))}
    shown = call(*words).out

    assert float(table["elo"]["low"]) == facts["elo"]["low"]
    assert float(table["win_rate_1"]["estimate"]) == facts["win_rate"][1]["estimate"]
    assert int(table["deals_at_0.75"]["estimate"]) == facts["counts"][3]["deals"]
    assert shown.startswith(f"techu: {A} against {B}, 200 deals (400 games), seed 1; ")
    assert f"Design: each deal is played twice, {A} and {B} exchanging seats. Intervals are by deal." in shown
    assert shown.rstrip().split("\n")[-1] == facts["verdict"]
    for words in ("Elo difference", "payoff difference", "Deals by the mean score of thrifty", "Pairing: as good as"):
        assert words in shown


BAD = {
    "compare": "Missing argument 'GAME'",
    "compare techu": "Missing argument",
    "compare techu thrifty": "Missing argument",
    "compare wra a b": "no game is called wra",
    "compare techu thrifty nobody": "techu has no strategy nobody",
    "compare techu thrifty thrifty(x=1)": "thrifty takes no number x",
    "compare techu thrifty random -n 29": "29 deals cannot be compared; ask for a whole number, 30 or more",
    "compare techu thrifty random -n x": "--deals x is no whole number",
    "compare techu thrifty random -n 1e15": "1e+15 deals cannot be compared",
    "compare techu thrifty random --bounds 0:5": "--bounds are those of a test; add: --until-clear",
    "compare techu thrifty random --until-clear --bounds 5": "--bounds 5 is no range; write low:high",
    "compare techu thrifty random --until-clear --bounds 5:0": "low must be below high",
    "compare techu thrifty random --until-clear --bounds nan:1": "low must be below high",
    "compare techu thrifty random --until-clear --unit x": "no unit is called x; the units: elo, nelo, score",
    "compare techu thrifty random --until-clear --alpha 2": "--alpha 2 is no number between 0 and 1",
    "compare techu thrifty random --until-clear --alpha 0.9 --beta 0.9": "give two small chances",
    "compare techu thrifty random --until-clear --unit score --bounds 0.5:2": "they must ascend between 0 and 1",
    "compare techu thrifty random --rule hand_size=99": "hand_size = 99 is not legal",
    "compare techu thrifty random --seed -1": "--seed -1 is less than 0",
    "compare techu thrifty random --jobs 0": "--jobs 0 is less than 1",
    "compare techu thrifty random --backend ray": "no backend is called ray",
    "compare techu thrifty random --format xml": "no format is called xml",
    "compare war random random": "nobody decides anything in war under these rules",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line_and_code_2(words, call):
    done = call(*words.split())

    assert (done.code, done.out) == (2, "")
    assert one_line(done.err)
    assert BAD[words] in done.err


def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    words = ["compare", "war", "high_first", "random", "-n", "1e9", "--rule", "pickup_order=player_choice", "--out", str(tmp_path / "kept")]
    process = start(["-m", "simkit", *words])
    assert wait_until(lambda: list((tmp_path / "kept").glob("part-*")), process)
    taken, out, err = interrupt(process)
    kept = sum(n for part in json.loads((tmp_path / "kept" / "manifest.json").read_text())["parts"] for _, n in part["ranges"])

    assert (process.returncode, out) == (130, "")
    assert one_line(err)
    assert "the same command goes on from there" in err
    assert kept > 0
    assert taken < MOMENTS
    frame = pd.concat(pd.read_parquet(path) for path in (tmp_path / "kept").glob("*.parquet"))
    assert frame["game"].is_unique
    assert len(frame) == kept


def test_a_strategy_that_errs_is_code_1(tmp_path):
    (tmp_path / "mine.py").write_text(
        'from simkit import strategy\n\n\n@strategy("techu")\ndef wild(view, moves, n):\n    """No."""\n    return 99\n'
    )
    done = run_command("compare", "techu", "mine.py:wild", "random", "-n", 50, "--quiet", cwd=tmp_path)

    assert (done.returncode, done.stdout, one_line(done.stderr)) == (1, "", True)
    assert "chose move 99" in done.stderr


def test_a_rule_of_stopping_is_read_with_its_defaults():
    assert UntilClear.read(None, "elo", 0.05, 0.05) == UntilClear(0, 5)
    assert UntilClear.read(None, "score", 0.05, 0.05).low == 0.5
    assert find("techu").teams({}) == ()
    assert "counts" in dir(techu(100).plot)
    assert techu(100).plot.counts() is not None
