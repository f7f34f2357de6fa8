"""A search finds what was hidden in a strategy, measures it on deals that it has not seen, and is equal to the bit however played."""

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
from simkit import cli, store, tuning
from simkit.commands import tune as tune_command
from simkit.game import BadInput
from simkit.games import find
from simkit.jit import PLAIN
from simkit.players import read_player
from simkit.seatings import MOST_DEALS, SCORE, Design
from simkit.stats.estimate import Estimate
from simkit.tuning import make_candidates, mean_difference, mean_score, read_over, read_values, schedule, with_settings
from tests.commands import MOMENTS, interrupt, one_line, start, wait_until

DEALS = 400 if not PLAIN else 160
TECHU, TACOCAT = find("techu"), find("tacocat")
PLANTED = '''from simkit import bundle, strategy
from simkit.rng import below, uniform

DISCARD = 31


@strategy("techu", "turn", wanted=2, idle=0)
def planted(view, moves, n):
    """Any placement; the further `wanted` is from 7, the more often it throws a card away instead. `idle` changes its luck only."""
    for _ in range(int(view.params[1])):
        uniform(view.rng)
    if 8 * uniform(view.rng) < abs(view.params[0] - 7):
        return n - 1
    chosen, seen = 0, 0
    for i in range(n):
        if moves[i] & 31 < 25:
            seen += 1
            if below(view.rng, seen) == 0:
                chosen = i
    return chosen


@strategy("techu", "starter")
def any_starter(view, moves, n):
    """Any."""
    return below(view.rng, n)


bundle("techu", "hiding", "A best number is hidden in it.", turn=planted, starter=any_starter)
'''
TOP = {
    "simkit", "game", "game_version", "rules", "strategy", "field", "over", "seed", "deals", "games", "seconds", "design", "winner", "runner_up",
    "settings", "score", "gain", "lead", "rounds", "candidates", "verdict", "notes", "command",
}  # fmt: skip


@pytest.fixture(scope="module")
def hiding(tmp_path_factory):
    path = tmp_path_factory.mktemp("tuning") / "hiding.py"
    path.write_text(PLANTED)
    return f"{path}:hiding"


@pytest.fixture(scope="module")
def found(hiding):
    return search(hiding)


def search(hiding, deals=DEALS, over=None, **more):
    return simkit.tune("techu", hiding, over or {"wanted": "0:10"}, "random", deals, seed=7, progress=False, **more)


def same(one, other):
    return {**one.as_dict(), "seconds": 0, "command": ""} == {**other.as_dict(), "seconds": 0, "command": ""}


@pytest.fixture
def call(capfd):
    def of(*words):
        capfd.readouterr()
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return of


# ---------------------------------------------------------------------------------------------------------- the search


def test_it_finds_the_hidden_number(found, hiding):
    assert found.settings == {"wanted": "7"}
    assert found.winner == f"{hiding}(wanted=7)"
    assert found.default == hiding
    assert found.gain.low > 0.1 or PLAIN
    assert found.runner_up in (f"{hiding}(wanted=6)", f"{hiding}(wanted=8)")
    assert found.verdict().startswith(f"{found.winner} is better against this field than {hiding}: it scores ")


def test_each_round_halves_the_candidates_and_doubles_the_deals(found):
    assert [len(each.candidates) for each in found.rounds] == [11, 6, 3, 2]
    assert [each.deals for each in found.rounds] == [DEALS >> 3, DEALS >> 2, DEALS >> 1, DEALS]
    for each, following in itertools.pairwise(found.rounds):
        differ, alike = ([who for who in each.candidates if (who in each.alike) is so] for so in (False, True))
        assert set(following.candidates) == set([*differ, *alike][: len(following.candidates)])
        assert [score.estimate for score in each.scores] == sorted((score.estimate for score in each.scores), reverse=True)
    assert {"8", "9", "10"} <= {found.candidates[who].settings["wanted"] for who in found.rounds[0].alike}  # 8 is as far from 7 as 6
    assert any("candidates scored the same as another on every deal" in note for note in found.notes())
    assert found.order[:2] == found.rounds[-1].candidates
    assert sorted(found.order) == list(range(11))
    halving = DEALS >> 3, DEALS >> 3, DEALS >> 2, DEALS >> 1
    assert found.games == 2 * (np.dot([11, 6, 3, 2], halving) + len(found.measured) * DEALS)


def test_the_winner_is_measured_on_deals_that_the_search_has_not_seen(found, hiding):
    """The same figures as those of plain runs of the games that follow the search's own."""
    for player, score in found.measured.items():
        points = []
        for seat in (0, 1):
            seats = ["random", "random"]
            seats[seat] = player
            frame = simkit.run("techu", 2 * DEALS, players=seats, seed=7, rows=True, progress=False).frame
            sign = np.sign(frame["payoff_0"] - frame["payoff_1"]).to_numpy() * (1 if seat == 0 else -1)
            points.append((1 + sign) / 2)
        by_deal = np.mean(points, axis=0)
        assert score.estimate == pytest.approx(by_deal[DEALS:].mean())
        assert score.se == pytest.approx(by_deal[DEALS:].std(ddof=1) / np.sqrt(DEALS))
        assert score.n == found.deals == DEALS
        if player == found.winner:
            assert found.rounds[-1].scores[0].estimate == pytest.approx(by_deal[:DEALS].mean())


def test_no_deal_is_both_searched_and_measured(hiding, tmp_path):
    small = 160
    result = search(hiding, small, out=tmp_path / "search")
    folder = store.RunFolder(tmp_path / "search", json.loads((tmp_path / "search" / store.MANIFEST).read_text())["run"], {})
    played = np.concatenate([np.arange(first, first + games) for first, games in folder.ranges])
    folder.close()

    assert len(played) == len(set(played.tolist())) == result.games
    deals = played % MOST_DEALS
    for place, player in enumerate(result.candidates):
        mine = np.sort(deals[played // MOST_DEALS // 2 == place])
        fresh = mine[mine >= small]
        assert fresh.tolist() == (sorted([*range(small, 2 * small)] * 2) if player.text in result.measured else [])
        last = max(each.deals for each in result.rounds if place in each.candidates)
        assert mine[mine < small].tolist() == sorted([*range(last)] * 2)


def test_of_equals_the_default_wins():
    """A number that the game never asks for changes nothing."""
    result = simkit.tune("techu", "greedy_spaces[turn=random]", {"starter+turn": "random"}, "random", DEALS, progress=False)

    assert [each.text for each in result.candidates] == ["greedy_spaces[turn=random]", "greedy_spaces[turn=random,starter=random]"]
    same_play = simkit.tune("techu", "random[turn=random_place]", {"turn": "random_place(starter=0)"}, "random", DEALS, progress=False)
    assert same_play.winner == same_play.default
    assert same_play.gain.as_dict() == {"estimate": 0, "low": 0, "high": 0, "n": DEALS}
    assert same_play.lead.estimate == 0
    assert same_play.lead.low < 0 < same_play.lead.high
    assert same_play.verdict().startswith("Nothing better than random[turn=random_place] was found")


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="statistics need the compiler")
def test_the_measurement_has_no_selection_bias(hiding):
    """Candidates of equal strength, many searches: the winner is flattered by the search, but not by the new deals."""
    base, searched, fresh = f"{hiding}(wanted=7)", [], []
    for seed in range(40):
        result = simkit.tune("techu", base, {"idle": "1:7"}, "random", 80, seed=seed, progress=False)
        searched.append(result.rounds[-1].scores[0].estimate)
        fresh.append(result.score.estimate)
    truth = simkit.compare("techu", base, "random", 20_000, seed=99, progress=False).score

    assert abs(np.mean(fresh) - truth.estimate) / np.hypot(np.std(fresh, ddof=1) / np.sqrt(len(fresh)), truth.se) < 4
    assert (np.mean(searched) - truth.estimate) / np.hypot(np.std(searched, ddof=1) / np.sqrt(len(searched)), truth.se) > 3


@pytest.mark.skipif(PLAIN, reason="takes too many games")
def test_parts_are_varied_too(capsys):
    result = simkit.tune("techu", "thrifty", {"turn": "random,cutter"}, ["random_place", "thrifty"], 60, seed=3, progress=False)

    assert {each.text for each in result.candidates} == {"thrifty", "thrifty[turn=random]", "thrifty[turn=cutter]"}
    assert result.frame.columns[1] == "turn"
    assert result.frame["candidate"].tolist()[-1] == "thrifty[turn=random]"
    assert result.frame["turn"].tolist()[-1] == "random"
    tune_command.show(result)
    assert re.search(r"^ +cutter +\d", capsys.readouterr().out, re.M)


@pytest.mark.modes
def test_the_smallest_search():
    result = simkit.tune("techu", "random[turn=random_place]", {"turn": "random"}, "random", 30, seed=3, progress=False)

    assert (len(result.rounds), result.games) == (1, 2 * 2 * 2 * 30)
    assert result.winner == "random[turn=random_place]"
    assert result.order == (0, 1)


def test_several_kinds_of_decision_change_together():
    texts = [with_settings(TACOCAT, "shrewd(t=5)", {"attack+answer": part, "a": "2"}) for part in ("protect_low(guard=3)", "random")]

    assert texts == [
        "shrewd(t=5,a=2)[attack=protect_low(guard=3),answer=protect_low(guard=3)]",
        "shrewd(t=5,a=2)[attack=random,answer=random]",
    ]
    assert read_player(TACOCAT, texts[0])


@pytest.mark.skipif(PLAIN, reason="threads and processes play compiled games")
@pytest.mark.parametrize("how", [{"jobs": 2}, {"jobs": 2, "backend": "processes"}])
def test_it_is_equal_to_the_bit_for_any_jobs(how, hiding, found):
    if "backend" in how:
        assert same(search(hiding, 160, jobs=1), search(hiding, 160, **how))
    else:
        assert same(found, search(hiding, jobs=1))
        assert same(found, search(hiding, **how))


# ---------------------------------------------------------------------------------------------------------- candidates


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1:4", ["1", "2", "3", "4"]), ("0:1:0.25", ["0", "0.25", "0.5", "0.75", "1"]), ("-2:2:2", ["-2", "0", "2"]), ("0:0.3:0.1", ["0", "0.1", "0.2", "0.3"]),
        ("5,7,1.5", ["5", "7", "1.5"]), ([1, 2.5], ["1", "2.5"]), ("median,just_enough(t=6)", ["median", "just_enough(t=6)"]),
        ("mine.py:a,mine.py:b", ["mine.py:a", "mine.py:b"]),
        ("median,above(t=4:6)", ["median", "above(t=4)", "above(t=5)", "above(t=6)"]),
        ("mine.py:a(t=0:1:0.5, u=2:3)", [f"mine.py:a(t={t},u={u})" for t in ("0", "0.5", "1") for u in (2, 3)]),
    ],
)  # fmt: skip
def test_values(text, values):
    assert read_values(text, "x") == values


def test_the_grid_has_every_setting_once_and_the_default_first():
    over = read_over(TACOCAT, "shrewd", {"t": "5:7", "a": "3,4"})
    made = make_candidates(TACOCAT, "shrewd", over, None, 1)

    assert [each.text for each in made] == [
        "shrewd", "shrewd(t=5,a=3)", "shrewd(t=5,a=4)", "shrewd(t=6,a=4)", "shrewd(t=7,a=3)", "shrewd(t=7,a=4)"
    ]  # fmt: skip
    assert made[0].settings == {"t": "6", "a": "3"}  # which is why the grid's own is left out


def test_a_number_of_a_part_is_named_where_it_stands():
    with pytest.raises(BadInput, match=re.escape("few is a number of squeeze: --over replace_leader=squeeze(few=1:6)")):
        read_over(TACOCAT, "plain", {"few": "1:2"})


def test_the_verdict_says_a_small_gain_with_enough_digits():
    gain = Estimate(0.0015, 0.0004, 0.0026, 1000, 0.0005, "t by deal")
    assert tuning.percentage(gain) == "0.15 (0.04 to 0.26) percentage points"
    assert tuning.percent(Estimate(0.5975, 0.5923, 0.6027, 1000, 0.0026, "t by deal")) == "59.75 % (59.23–60.27)"


def test_a_bundles_own_part_is_told_with_its_numbers():
    """Without them it would look like the part with its defaults, which is another player."""
    over = read_over(TACOCAT, "shrewd", {"duel": "just_enough,shrewd"})
    assert [each.settings["duel"] for each in make_candidates(TACOCAT, "shrewd[duel=just_enough(t=3)]", over, None, 1)] == [
        "just_enough(t=3)", "just_enough", "shrewd"
    ]  # fmt: skip


def test_candidates_that_play_alike_yield_to_others():
    """Of five, three score the same on every deal, and best: two of the others stay with the first of them, not its likes."""
    totals = {0: [0, 2], 1: [2, 2], 2: [2, 2], 3: [2, 2], 4: [1, 0]}
    games = np.zeros((5, 2, 5), np.int64)
    games[:, :, SCORE] = list(totals.values())
    playing = SimpleNamespace(complete=lambda deals, first, chosen: games[list(chosen)])
    search = tuning.Search([tuning.Candidate(str(k), {}) for k in totals], ["x"], [2], [], SimpleNamespace(sides=((0,),), most=2))
    found = search.ranked(playing, list(totals), 2)

    assert (found.candidates, found.alike) == ((1, 2, 3, 0, 4), (2, 3))
    assert found.better_half == [0, 1, 4]
    assert tuning.Round(2, (1, 2, 3), (), (2, 3)).better_half == [1, 2]


def test_a_sample_is_of_the_grid_and_of_the_seed():
    over = read_over(TACOCAT, "shrewd", {"t": "0:12:0.01", "a": "1:9", "b": "3:12"})
    one, again, other = (make_candidates(TACOCAT, "shrewd", over, 30, seed) for seed in (1, 1, 2))

    assert len(one) == 31
    assert one == again != other
    assert all(value in over[name] for each in one[1:] for name, value in each.settings.items())
    assert len({each.text for each in one}) == 31


@pytest.mark.parametrize("candidates", [2, 3, 4, 5, 11, 64, 65, 1000])
def test_the_schedule_ends_with_two(candidates):
    deals = 20_480
    rounds = schedule(candidates, deals)
    left = candidates
    for number, each in enumerate(rounds):
        assert each == deals >> (len(rounds) - 1 - number)
        if number == len(rounds) - 1:
            assert left == 2
        left = -(-left // 2)
    assert left == 1


def test_scores_and_differences_by_hand():
    one, other = np.array([4, 2, 0, 3]), np.array([2, 2, 1, 0])
    assert mean_score(one, 4).estimate == 9 / 16
    assert mean_difference(one, other, 4).estimate == pytest.approx(4 / 16)
    assert mean_difference(one, other, 4).se == pytest.approx((one - other).std(ddof=1) / 4 / 2)
    alike = mean_difference(one, one, 4)
    assert alike.estimate == 0
    assert alike.low == pytest.approx(-(1 - 0.05**0.25))
    assert mean_score(np.full(30, 4), 4).low < 1


# --------------------------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("over", "more", "said"),
    [
        ({}, {}, "nothing to vary; give a number or a part several values: --over starter=2:7"),
        ({"strater": "1:2"}, {}, "thrifty has no number and techu no decision called strater; its numbers: starter, "),
        ({"starter": "3:1"}, {}, "--over starter=3:1 is no range"),
        ({"starter": "lowest_starter,random(t=3:1)"}, {}, "--over starter=random: t=3:1 is no range"),
        ({"starter": "0:1:0"}, {}, "is no range"),
        ({"starter": "0:1e9"}, {}, "use a longer step"),
        ({"starter": "0:999", "turn": "random,cutter"}, {}, "the grid has 2,000 candidates; draw some of them at random: --candidates 100"),
        ({"starter": ""}, {}, "--over starter has no values"),
        ({"starter": "0,high"}, {}, "high is no number"),
        ({"starter": "2"}, {}, "every candidate is thrifty itself"),
        ({"turn": "nobody"}, {}, "techu has no strategy nobody"),
        ({"starter": "0:3"}, {"against": "random,random"}, "random is twice in the field"),
        ({"starter": "0:3"}, {"against": ","}, "nobody to play against"),
        ({"starter": "0:3"}, {"against": "nobody"}, "techu has no strategy nobody"),
        ({"starter": "0:3"}, {"deals": 30}, "30 deals are too few for 4 candidates: the first of 2 rounds would have 15; ask for 40 or more"),
        ({"starter": "0:3"}, {"candidates": 0}, "0 candidates make no search"),
        ({"starter": "0:3"}, {"deals": 2**40}, "deals cannot be compared"),
    ],
)  # fmt: skip
def test_bad_input_is_named_in_a_line(over, more, said):
    with pytest.raises(BadInput) as error:
        simkit.tune("techu", "thrifty", over, progress=False, **more)

    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_game_without_choices_cannot_be_tuned(call):
    done = call("tune", "war", "random", "--over", "x=1:2")
    assert (done.code, one_line(done.err)) == (2, True)
    assert "nobody decides anything in war" in done.err


@pytest.mark.parametrize(
    "words", [("--over", "starter"), ("--over", "starter=1", "--over", "starter=2"), ("--over", "=1"), ("--candidates", "0")]
)
def test_bad_options_are_named_in_a_line(words, call):
    done = call("tune", "techu", "thrifty", *words)
    assert (done.code, done.out, one_line(done.err)) == (2, "", True)


def test_the_formats_say_the_same(call):
    words = ("tune", "techu", "random_place", "--over", "starter=0:3", "--against", "random", "-n", 2 * DEALS, "--seed", 7, "--quiet")
    done = call(*words, "--format", "json")
    facts = json.loads(done.out)
    table = list(csv.DictReader(io.StringIO(call(*words, "--format", "csv").out)))
    shown = call(*words).out

    assert (done.code, done.err, facts.keys()) == (0, "", TOP)
    assert [row["candidate"] for row in table] == [row["candidate"] for row in facts["candidates"]]
    assert table[0]["candidate"] == facts["winner"]
    assert float(table[0]["new_estimate"]) == facts["score"]["estimate"]
    assert facts["candidates"][-1]["new_estimate"] is None or len(facts["candidates"]) < 4
    assert facts["verdict"] in shown
    assert all(re.search(rf"^ +{row['starter']} .*{int(row['deals']):,}$", shown, re.M) for row in table)
    again = facts["command"].split()
    assert json.loads(call(*again[1:], "--quiet", "--format", "json").out)["candidates"] == facts["candidates"]


def test_the_figure_shows_the_best(found):
    labels = [text.get_text() for text in found.plot.candidates(5).axes[0].get_yticklabels()]
    assert "wanted=7" in (labels[0], labels[-1])
    assert len(labels) == 5


# ---------------------------------------------------------------------------------------------------- stopped, resumed


@pytest.mark.skipif(PLAIN, reason="without the compiler it takes too long to be stopped")
def test_ctrl_c_keeps_what_was_played(hiding, tmp_path):
    words = ["tune", "techu", hiding, "--over", "wanted=0:10", "--against", "random", "-n", "1e9", "--format", "json"]
    process = start(["-m", "simkit", *words, "--out", str(tmp_path / "kept")])
    assert wait_until(lambda: list((tmp_path / "kept").glob("*.parquet")), process)
    seconds, out, err = interrupt(process)
    manifest = json.loads((tmp_path / "kept" / store.MANIFEST).read_text())

    assert (process.returncode, out, one_line(err)) == (130, "", True)
    assert "interrupted after 0 of 4 rounds; kept in" in err
    assert "the same command goes on from there" in err
    assert seconds < MOMENTS
    assert not manifest["complete"]
    assert sum(games for part in manifest["parts"] for _, games in part["ranges"]) > 0


def test_the_same_search_goes_on_where_it_was_left(hiding, tmp_path, capsys):
    small, folder = 160, tmp_path / "out"
    anew = search(hiding, small, out=folder)
    parts = sorted(folder.glob("*.parquet"))
    parts[1].unlink()
    resumed = search(hiding, small, out=folder)

    assert len(parts) >= 4
    assert "are played again" in capsys.readouterr().err
    assert same(anew, resumed)
    assert json.loads((folder / store.MANIFEST).read_text())["complete"]
    with pytest.raises(BadInput, match="holds another run: candidates"):
        search(hiding, small, {"wanted": "0:9"}, out=folder)


def test_a_score_is_explained_where_several_others_sit_at_the_table(found):
    four = SimpleNamespace(**{**vars(found.search), "design": Design(((0,), (1,), (2,), (3,)), teams=False)})
    said = [tuning.Tuning(search, found.over, 0.0, interrupted=False, command="").notes() for search in (found.search, four)]

    assert [any("1 for each other side that is outdone" in note for note in notes) for notes in said] == [False, True]


def test_an_interrupted_search_says_how_far_it_came(found):
    cut = SimpleNamespace(**{**vars(found.search), "fresh": {}, "rounds": found.search.rounds[:2], "games": 5, "scale": found.search.scale})
    made = tuning.Tuning(cut, found.over, 0.0, interrupted=True, command="")

    assert made.verdict() == "Interrupted after 2 of 4 rounds."
    cut.rounds = found.search.rounds
    assert tuning.Tuning(cut, found.over, 0.0, interrupted=True, command="").verdict() == "Interrupted while the winner was measured."
    assert (made.as_dict()["winner"], made.deals) == (None, 0)
    assert len(made.frame) == 11
    with pytest.raises(ValueError, match="interrupted"):
        made.winner  # noqa: B018
