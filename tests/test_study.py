"""Studies: how they are found and performed, what they collect, and that they can be repeated."""

import math
import shlex

import pandas as pd
import pytest

import simkit
from simkit import report
from simkit.cli import app
from simkit.game import BadInput
from simkit.plots import bars
from simkit.stats.estimate import Estimate
from simkit.study import Definition, StudyResult, cell_text, compare, find, perform, sweep_command

GAMES = 200


def toy(s):
    """A toy.

    With a second paragraph.
    """
    s.question("What is\n   asked?")
    s.method("How.")
    s.heading("Part")
    result = s.run("war", face_down=1)
    sweep = s.sweep("war", {"face_down": "1:2", "short_war_rule": ["lose"]}, games=GAMES // 2, column="battles", ranks=6)
    mean = result.mean("battles")
    s.finding(f"The mean is {mean.text()}.")
    s.figure(bars(["war"], [mean], x="battles"), caption=f"Length, n = {result.games:,}.", alt="One bar.")
    s.table(sweep.frame[["face_down", "battles", "games"]], caption=f"n = {GAMES}.", formats={"battles": "{:.1f}"})
    s.text("Said.")


def definition_of(function):
    return Definition(function.__name__, "A toy", GAMES, function, report.Path(__file__))


def performed(function=toy, **options) -> StudyResult:
    return perform(definition_of(function), progress=False, **options)


# ---- finding


def test_studies_are_found_by_name_and_all_together():
    names = [each.name for each in find()]

    assert "war_length" in names
    assert names == sorted(names)
    assert [each.name for each in find(["war_length", "war-length", "war_length.py"])] == ["war_length"]


def test_an_unknown_name_is_told_with_the_nearest():
    with pytest.raises(BadInput, match="did you mean war_length"):
        find(["war_lenght"])


def test_a_file_beside_the_users_work_is_a_study(tmp_path, monkeypatch):
    (tmp_path / "analyses").mkdir()
    text = 'from simkit.study import study\n\n@study(title="Mine?", games=500)\ndef test_mine_alone(s):\n    """Mine."""\n    s.question("Q")\n'
    (tmp_path / "analyses" / "test_mine_alone.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    mine = find(["test_mine_alone"])[0]

    assert (mine.title, mine.games, mine.summary) == ("Mine?", 500, "Mine.")
    assert "war_length" in [each.name for each in find()]


def test_a_broken_file_is_told_in_one_line(tmp_path, monkeypatch):
    (tmp_path / "analyses").mkdir()
    (tmp_path / "analyses" / "test_broken_study.py").write_text("import nothing_of_this_name\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    with pytest.raises(BadInput, match=r"test_broken_study\.py cannot be imported"):
        find()


def test_the_summary_is_the_first_paragraph():
    assert definition_of(toy).summary == "A toy."


# ---- performing


def test_everything_said_is_collected_in_order():
    result = performed()

    assert result.questions == ["What is asked?"]
    assert result.methods == ["How."]
    assert len(result.findings) == 1
    assert [block.kind for block in result.blocks] == ["heading", "finding", "figure", "table", "text"]
    assert result.tables[0].cells[0][:1] == ["1"]
    assert result.figures[0].alt == "One bar."


def test_every_game_played_is_on_record():
    result = performed()
    run, sweep = result.simulations

    assert run.command == f"simkit run war -n {GAMES} --seed 1 --rule face_down=1"
    assert [played.rules for played in sweep.settings] == [{"face_down": k, "short_war_rule": "lose", "ranks": 6} for k in (1, 2)]
    assert len({played.rules_hash for played in sweep.settings}) == 2
    assert result.games_played == GAMES + 2 * (GAMES // 2)
    assert {played.seed for each in result.simulations for played in each.settings} == {1}


def test_the_recorded_commands_are_commands_of_the_command_line():
    from typer.testing import CliRunner

    for command in (each.command for each in performed().simulations):
        done = CliRunner().invoke(app, [*shlex.split(command)[1:], "--format", "json", "--quiet"])

        assert done.exit_code == 0, command


def test_the_same_study_gives_the_same_numbers_with_any_number_of_jobs():
    one, two = (report.as_dict(performed(jobs=jobs)) for jobs in (1, 2))

    assert one | {"seconds": 0} == two | {"seconds": 0}


def test_another_seed_gives_other_numbers_and_more_games_narrower_intervals():
    base, other, larger = performed(), performed(seed=2), performed(games=4000)

    assert base.findings != other.findings
    assert base.findings != larger.findings
    assert other.command == f"simkit study toy -n {GAMES} --seed 2"


def test_too_few_games_are_refused():
    with pytest.raises(BadInput, match="99 games are too few"):
        performed(games=99)


def test_parts_of_a_study_are_never_smaller_than_the_least():
    result = performed(lambda s: s.run("war", games=s.games // 1000))

    assert result.games_played == 100


def test_an_interrupted_study_keeps_what_was_said(monkeypatch):
    def interrupted(s):
        s.finding("Before.")
        s.run("war")
        s.finding("After.")

    whole = simkit.run("war", GAMES)
    whole.interrupted = True
    monkeypatch.setattr(simkit, "run", lambda *given, **options: whole)

    result = performed(interrupted)

    assert result.interrupted
    assert result.findings == ["Before."]
    assert "Interrupted" in report.text(result)
    assert "interrupted" in report.html([result])


def test_a_format_for_a_column_that_is_not_there_is_a_mistake():
    with pytest.raises(KeyError, match="no column b"):
        performed(lambda s: s.table(pd.DataFrame({"a": [1]}), caption="c", formats={"b": "{}"}))


def test_a_named_index_becomes_the_first_column():
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="row"))

    result = performed(lambda s: s.table(frame, caption="c"))

    assert result.tables[0].header == ["row", "a"]
    assert result.tables[0].cells == [["x", "1"]]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (math.nan, "{:.3f}", "–"), (None, None, "–"), (1234567, None, "1,234,567"), (3.0, None, "3"), (0.123456, None, "0.1235"), (True, None, "true"),
        ("word", None, "word"), (0.5, "{:.2f}", "0.50"), (2, lambda x: f"{x} cards", "2 cards"), (math.inf, None, "inf"),
        (Estimate(2.0, 1.0, 3.0, 10), None, "2.0 ± 1.0 (95 %, n = 10)"),
    ],
)  # fmt: skip
def test_cells_read_well(value, form, text):
    assert cell_text(value, form) == text


def test_only_intervals_that_are_apart_are_told_apart():
    low, middle, high = Estimate(1, 0, 2, 9), Estimate(2, 1, 3, 9), Estimate(5, 4, 6, 9)

    assert compare(high, low) == 1
    assert compare(low, high) == -1
    assert compare(low, middle) == 0
    assert compare(middle, middle) == 0


def test_a_sweeps_command_names_all_its_rules():
    line = sweep_command(
        "war", {"face_down": "0:2", "pickup_order": ["coin", "shuffled"]}, 500, 3, "wars", "low_first", {"detect_endless": False}
    )

    assert line == (
        "simkit sweep war -n 500 --seed 3 --rule face_down=0:2 --rule pickup_order=coin,shuffled --rule detect_endless=false --column wars --players low_first"
    )


# ---- comparisons and tournaments


def meeting(s):
    """Players that meet."""
    duel = s.compare("techu", "greedy_spaces", "random", 100, hand_size=2)
    cup = s.tournament("techu", ["greedy_spaces", "random", "uniform"])
    s.finding(f"{duel.score.text()} and {cup.deals}")


def test_comparisons_and_tournaments_are_on_record_with_their_deals():
    result = performed(meeting)
    duel, cup = result.simulations

    assert [played.players for played in duel.settings] == [("greedy_spaces", "random"), ("random", "greedy_spaces")]
    assert {played.games for played in duel.settings} == {100}
    assert duel.settings[0].rules == {"hand_size": 2}
    assert len(cup.settings) == 6  # three pairs, each in both seatings
    assert {played.games for played in cup.settings} == {GAMES}
    assert result.games_played == 2 * 100 + 6 * GAMES
    assert {played.seed for each in result.simulations for played in each.settings} == {1}


def test_their_commands_are_commands_of_the_command_line():
    from typer.testing import CliRunner

    for each in performed(meeting).simulations:
        done = CliRunner().invoke(app, [*shlex.split(each.command)[1:], "--format", "json", "--quiet"])

        assert done.exit_code == 0, each.command


def test_unfinished_games_of_a_comparison_are_on_record():
    def short_games(s):
        """Games cut off."""
        s.compare("stealing-war", "always", "never", 100, max_battles=20)

    settings = performed(short_games).simulations[0].settings

    assert sum(played.capped for played in settings) > 100
    assert all(played.endless == 0 for played in settings)
