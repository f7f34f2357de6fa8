"""The command line: its numbers, its words, its exit codes, and what it must not load."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

import simkit
from simkit import __main__ as started
from simkit import cli, console
from simkit.games import find, names
from simkit.jit import PLAIN
from tests.commands import MOMENTS, PATIENCE, environment, interrupt, one_line, python, start, wait_until
from tests.commands import simkit as run_command

GOLDEN = Path(__file__).parent / "golden"
COMMANDS = ("games", "run", "compare", "tournament", "tune", "sweep", "hand", "replay", "play", "study", "report", "new", "cache")
FEW = 400 if not PLAIN else 6

FIGURE = {"estimate", "low", "high", "n"}
COLUMN = {"mean", "se", "low", "high", "sd", "min", "q01", "q05", "q25", "median", "q75", "q95", "q99", "q999", "max", "n"}
TOP = {
    "simkit", "game", "game_version", "rules", "players", "seed", "games", "paired", "seconds",
    "win_rate", "draw_rate", "capped_rate", "endless_rate", "columns", "notes",
}  # fmt: skip
MINE = '''from simkit import strategy


@strategy("war")
def {name}(view, moves, n):
    """Highest card first, whatever lies there."""
    return 2
'''


@pytest.fixture
def call(capfd):
    """A command within this process: exit code, what it printed, what it said."""

    def of(*words):
        capfd.readouterr()
        code = cli.attempt(lambda: cli.app(args=[str(word) for word in words], standalone_mode=False))
        out, err = capfd.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return of


# ----------------------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command, call):
    done = call(command, "--help")
    shown = [line.strip() for line in done.out.splitlines()]

    assert done.code == 0
    assert done.err == ""
    assert "Examples:" in shown
    assert sum(line.startswith(f"simkit {command}") for line in shown[shown.index("Examples:") :]) >= 2


def test_the_commands_are_these(call):
    done = call("--help")

    assert [command for command in COMMANDS if not re.search(rf"\b{command} ", done.out)] == []
    assert sorted(command.callback.__name__ for command in cli.app.registered_commands) == sorted(COMMANDS)
    assert call().out.split() == done.out.split()
    assert call("--version").out == f"simkit {simkit.__version__}\n"


def test_every_example_of_the_help_is_understood(call):
    """Its games, rules and options exist."""
    for command in cli.app.registered_commands:
        options = call(command.callback.__name__, "--help").out
        for line in re.findall(r"`(simkit .*?)`", command.epilog):
            words = line.split()
            assert words[1] == command.callback.__name__
            for name in re.findall(r"--rule (\w+)=", line):
                assert name in find(words[2]).by, line
            for option in re.findall(r" (--?[a-z][a-z-]*)", line):
                assert re.search(rf" {option}\b", options), line


# ----------------------------------------------------------------------------------------------------------------- JSON


@pytest.mark.parametrize("game", ["war", "war-multi", "razboi"])
def test_the_json_of_a_run_is_the_contract(game, call):
    done = call("run", game, "-n", FEW, "--seed", 7, "--format", "json")
    facts = json.loads(done.out)
    definition = find(game)
    rules = definition.read_rules({})
    seats = definition.seats(rules)

    assert done.code == 0
    assert done.err == ""
    assert done.out.count("\n") == 1
    assert facts.keys() == TOP
    assert facts["simkit"] == simkit.__version__
    assert facts["game"] == game
    assert facts["game_version"] == definition.version
    assert facts["rules"] == rules
    assert facts["players"] == ["random"] * seats
    assert (facts["seed"], facts["games"], facts["paired"], facts["notes"]) == (7, FEW, False, [])
    assert facts["seconds"] > 0
    assert [share["seat"] for share in facts["win_rate"]] == list(range(seats))
    for share in facts["win_rate"]:
        assert share.keys() == {"seat", "player", *FIGURE}
    shares = [*facts["win_rate"], facts["draw_rate"], facts["capped_rate"], facts["endless_rate"]]
    for share in shares:
        assert share.keys() >= FIGURE
        assert 0 <= share["low"] <= share["estimate"] <= share["high"] <= 1
        assert share["n"] == FEW
    assert sum(share["estimate"] for share in shares) == pytest.approx(1)
    assert list(facts["columns"]) == definition.shown_cells(rules)
    for name, column in facts["columns"].items():
        assert column.keys() == COLUMN, name
        order = [column[key] for key in ("min", "q01", "q05", "q25", "median", "q75", "q95", "q99", "q999", "max")]
        assert order == sorted(order), name
        assert column["low"] <= column["mean"] <= column["high"], name


def test_the_json_holds_no_numbers_that_json_has_not(call):
    done = call("run", "war", "-n", 1, "--rule", "max_battles=1", "--format", "json")

    facts = json.loads(done.out, parse_constant=lambda word: pytest.fail(word))
    assert facts["columns"]["battles"]["mean"] is None
    assert facts["columns"]["battles"]["n"] == 0
    assert facts["capped_rate"]["estimate"] == 1


def test_the_numbers_are_those_of_the_library(call):
    facts = json.loads(call("run", "razboi", "-n", FEW, "--rule", "players=3", "--rule", "face_war_size=rank", "--format", "json").out)
    result = simkit.run("razboi", FEW, players=3, face_war_size="rank", progress=False).as_dict()

    assert {**facts, "seconds": 0} == {**json.loads(json.dumps(result)), "seconds": 0}


# ------------------------------------------------------------------------------------------------------------------ CSV


def test_csv_is_one_row_a_figure(call):
    facts = json.loads(call("run", "war", "-n", FEW, "--format", "json").out)
    table = {row["figure"]: row for row in csv.DictReader(io.StringIO(call("run", "war", "-n", FEW, "--format", "csv").out))}

    assert set(table) == {"win_rate_0", "win_rate_1", "draw_rate", "capped_rate", "endless_rate", *facts["columns"]}
    assert float(table["win_rate_1"]["mean"]) == facts["win_rate"][1]["estimate"]
    assert table["win_rate_1"]["sd"] == ""
    for key in COLUMN:
        assert float(table["battles"][key]) == facts["columns"]["battles"][key]


def test_csv_with_rows_is_every_game(call):
    done = call("run", "war", "-n", 7, "--rows", "--columns", "battles,wars", "--format", "csv")
    frame = pd.read_csv(io.StringIO(done.out), index_col="game")

    pd.testing.assert_frame_equal(frame, simkit.run("war", 7, columns="battles,wars", rows=True, progress=False).frame)


def test_rows_that_go_nowhere_are_said(call):
    done = call("run", "war", "-n", 7, "--rows")

    assert done.code == 0
    assert one_line(done.err)
    assert "--rows without --out" in done.err
    assert call("run", "war", "-n", 7, "--rows", "--quiet").err == ""


# --------------------------------------------------------------------------------------------------------------- tables


def in_terminal(*words, columns):
    """What a command prints on a terminal of this width."""
    pexpect = pytest.importorskip("pexpect")
    child = pexpect.spawn(
        sys.executable,
        ["-m", "simkit", *map(str, words)],
        dimensions=(60, columns),
        encoding="utf-8",
        timeout=120,
        env=environment(TERM="xterm"),
    )
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", child.before).replace("\r", "").split("\n")


@pytest.mark.parametrize("columns", [80, 60])
def test_a_table_fits_the_terminal_and_cuts_no_number(columns):
    lines = in_terminal("run", "war-multi", "-n", 3000, "--quiet", columns=columns)
    result = simkit.run("war-multi", 3000, progress=False)

    assert max(map(len, lines)) <= columns
    for name in ("battles", "last_lead_change", "wars_by_rank_14"):
        row = [line for line in lines if line.startswith(f" {name} ")]
        assert len(row) >= 1, name
        assert result.mean(name).text().split(" (")[0] in " ".join(row)
    assert any(line.startswith(" seat 2 wins ") for line in lines)


def test_a_sweep_that_does_not_fit_goes_on_below():
    words = ["sweep", "war", "--rule", "pickup_order=high_first,low_first", "--rule", "ranks=3:4", "-n", 2000, "--quiet"]
    lines = in_terminal(*words, columns=80)

    assert max(map(len, lines)) <= 80
    assert sum(line.startswith(" high_first     3 ") for line in lines) == 2
    assert any(line.startswith("In no setting: endless, capped (95 % interval of each share: 0 – 0.19 %)") for line in lines)


def test_a_table_prints_brackets_as_they_are(capsys):
    """Players are named like `steady[attack=random]`, which is no markup."""
    console.print_table("[bold]", ["player[a=b]"], [["steady[attack=random]"], ["[/]"]])
    shown = capsys.readouterr().out

    assert all(text in shown for text in ("[bold]", "player[a=b]", "steady[attack=random]", "[/]"))


def test_a_table_says_every_figure_with_its_interval(call):
    done = call("run", "war", "-n", FEW, "--rule", "pickup_order=player_choice", "--players", "high_first,random")

    assert done.out.startswith(f"war: {FEW} games, seed 1, pickup_order=player_choice; ")
    assert re.search(r"\n seat 0 wins \(high_first\) +\d+\.\d{3} % +\d+\.\d{3} – \d+\.\d{3} % +" + str(FEW) + "\n", done.out)
    assert re.search(r"\n battles +[\d.,]+ ± [\d.]+ ", done.out)
    assert f"Columns of {FEW} games" in done.out
    assert "The same in every game: deadlocks 0" in done.out
    assert not re.search(r" \n", done.out)


def test_capped_games_are_said(call):
    done = call("run", "war", "-n", FEW, "--rule", "max_battles=150", "--columns", "battles")
    result = simkit.run("war", FEW, max_battles=150, progress=False)

    assert f"over finished games; {result.unfinished:,} of {FEW} were capped or endless." in done.out
    assert 0 < result.unfinished < FEW


# ----------------------------------------------------------------------------------------------------------- exit codes

BAD = {
    "run wra": "no game is called wra; did you mean war?",
    "run war -n -5": "--games -5 is less than 1",
    "run war -n 0": "--games 0 is less than 1",
    "run war -n many": "--games many is no whole number",
    "run war -n 1.5": "--games 1.5 is no whole number",
    "run war -n nan": "--games nan is no whole number",
    "run war -n 1e400": "--games 1e400 is no whole number",
    "run war -n 1e16": "1e+16 games are too many",
    "run war -n 1e30": "--games 1e30 is more than 2^63 - 1",
    "run war --rule face_down=99": "face_down = 99 is not legal: a whole number from 0 to 10",
    "run war --rule nope=1": "war has no rule nope",
    "run war --rule face_dwn=1": "did you mean face_down?",
    "run war --rule face_down": "--rule face_down is no rule; write name=value",
    "run war --rule face_down=1 --rule face_down=2": "--rule face_down is given twice",
    "run war --rule pickup_order=sideways": "pickup_order = sideways is not legal: one of shuffled",
    "run razboi --rule ranks=15": "sizes of wars are defined for 2 to 13 ranks",
    "run war --seed -1": "--seed -1 is less than 0",
    "run war --seed x": "--seed x is no whole number",
    "run war --seed 9223372036854775808": "--seed 9223372036854775808 is more than 2^63 - 1",
    "run war --jobs 0": "--jobs 0 is less than 1",
    "run war --players nobody": "war has no strategy nobody; it has: ",
    "run war --players hihg_first": "did you mean high_first?",
    "run war --players random,random,random": "3 players for 2 seats",
    "run war --players random(x=1)": "random takes no number x",
    "run war --players random(": "names no player",
    "run war --players nowhere.py:bold": "there is no file nowhere.py",
    "run war --format xml": "no format is called xml; the formats: table, json, csv",
    "run war --backend ray": "no backend is called ray; the backends: threads, processes, dask",
    "run war --address 127.0.0.1:8786": "an address is of use with the dask backend only",
    "run war --backend dask --address nonsense": "no Dask scheduler answers at nonsense",
    "run war --until nope=1": "war has no such column",
    "run war --until battle=1": "did you mean battles?",
    "run war --until battles": "--until battles: nothing is no half-width",
    "run war --until battles=-1": "-1 is no half-width",
    "run war --columns nope": "war records no column nope",
    "run war --exhaustive": "too many to play every one",
    "run war --exhaustive -n 5": "--exhaustive plays every deal once; leave out",
    "run": "Missing argument 'GAME'; see: ",
    "run war --nope": "No such option: --nope",
    "nope": "No such command 'nope'",
    "sweep war": "nothing to sweep over",
    "sweep war --rule face_down=0:99": "face_down = 99 is not legal",
    "sweep war --rule face_down=3:1": "face_down=3:1 is no range",
    "sweep war --rule max_battles=all": "max_battles=all would be 1000000000 settings",
    "sweep war --rule face_down=0:1 --column nope": "war records no column nope",
    "sweep war --rule face_down=0:1 --format xml": "no format is called xml",
    "replay war --game -1": "--game -1 is less than 0",
    "replay war --game 1e30": "--game 1e30 is more than 2^63 - 1",
    "replay nope": "no game is called nope",
    "replay war --exhaustive --rule ranks=3 --rule copies=1 --game 6": "there are 6 deals, numbered from 0; there is no deal 6",
    "study nope": "there is no study nope; the studies: ",
    "study war_length --games x": "--games x is no whole number",
    "study war_length --format csv": "a study has no CSV form",
    "report nope": "there is no study nope",
    "report --out /nowhere/x.html": "cannot write /nowhere/x.html: its folder does not exist",
    "games nope": "no game is called nope",
    "games --format xml": "no format is called xml",
    "cache --format xml": "no format is called xml",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line_and_code_2(words, call):
    done = call(*words.split())

    assert done.code == 2
    assert done.out == ""
    assert one_line(done.err)
    assert BAD[words] in done.err


def test_a_real_command_ends_with_that_code(tmp_path):
    bad, good = run_command("run", "wra", cwd=tmp_path), run_command("run", "war", "-n", 5, "--quiet", cwd=tmp_path)

    assert (bad.returncode, bad.stdout, one_line(bad.stderr)) == (2, "", True)
    assert (good.returncode, good.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_a_report_never_destroys_a_file_that_is_none(call, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>mine</p>")
    done = call("report", "war_length", "--out", page)

    assert (done.code, done.out, one_line(done.err)) == (2, "", True)
    assert "exists and is no report of simkit's; name another file" in done.err
    assert page.read_text() == "<p>mine</p>"
    assert "it is a folder" in call("report", "--out", tmp_path).err


def test_a_strategy_that_errs_is_code_1(call, tmp_path):
    (tmp_path / "mine.py").write_text(MINE.format(name="bold").replace("return 2", "return 99"))
    done = call("run", "war", "-n", 5, "--rule", "pickup_order=player_choice", "--players", f"{tmp_path}/mine.py:bold")

    assert (done.code, done.out, one_line(done.err)) == (1, "", True)
    assert "chose move 99" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_code_2():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "simkit", "games"], stdout=full, stderr=subprocess.PIPE, env=environment(), text=True, timeout=120
        )

    assert done.returncode == 2
    assert done.stderr == "simkit: cannot write the output: the disk is full\n"


def test_a_closed_pipe_is_no_error():
    command = f"'{sys.executable}' -m simkit replay war --seed 1 --game 5 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(), timeout=120)

    assert done.stdout.startswith("Seat 0 is dealt ")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("fault", "code", "said"), [(KeyboardInterrupt(), 130, "simkit: interrupted\n"), (BrokenPipeError(32, "gone"), 0, "")]
)
def test_the_end_of_a_command_is_ours_to_tell(fault, code, said, call, monkeypatch):
    def fail(name):
        raise fault

    monkeypatch.setattr(cli, "silence", lambda: None)
    monkeypatch.setattr("simkit.commands.games.a_format", fail)
    assert call("games").__dict__ == {"code": code, "out": "", "err": said}


def test_closed_streams_are_no_error():
    command = f"exec '{sys.executable}' -m simkit games <&- >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True, env=environment(), timeout=120)

    assert (done.returncode, done.stderr) == (0, "")


def test_workers_of_any_make_are_ended_with_us(monkeypatch):
    """joblib's processes have no `kill` of their own."""
    asleep = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(sys, "argv", ["simkit", "--version"])
    monkeypatch.setattr("simkit.simulate.abandoned", SimpleNamespace(is_set=lambda: True))
    monkeypatch.setattr(cli.multiprocessing, "active_children", lambda: [SimpleNamespace(pid=asleep.pid), SimpleNamespace(pid=None)])
    monkeypatch.setattr(cli.os, "_exit", sys.exit)
    try:
        with pytest.raises(SystemExit):
            cli.main()
        assert asleep.wait(PATIENCE / 4) != 0  # well before it wakes
    finally:
        asleep.kill()


def test_a_terminal_without_our_letters_shows_others():
    done = run_command("games", PYTHONIOENCODING="ascii")

    assert done.returncode == 0
    assert "R?zboi" in done.stdout


# --------------------------------------------------------------------------------------------------------------- Ctrl-C


TELLING = """
import sys
from pathlib import Path
from simkit import api, cli
add, parts = api.Collected.add, []

def add_and_tell(self, part):
    add(self, part)
    parts.append(part)
    if len(parts) == 4:  # two were played to learn how long games take; the workers have come to play
        Path(told).touch()

api.Collected.add = add_and_tell
told, sys.argv = sys.argv[1], ["simkit", *sys.argv[2:]]
cli.main()
"""


@pytest.mark.parametrize("options", [[], ["--jobs", "1"], ["--backend", "processes"]])
def test_ctrl_c_stops_within_moments(options, tmp_path):
    told = tmp_path / "told"
    process = start(["-c", TELLING, told, "run", "war", "-n", "1e9", "--columns", "battles", *options])
    assert wait_until(told.exists, process)
    taken, out, err = interrupt(process)

    assert process.returncode == 130
    assert out == ""
    assert one_line(err)
    assert re.search(r"interrupted after [1-9][\d,]* games; nothing kept \(name a folder with --out\)", err)
    assert taken < MOMENTS


def test_ctrl_c_while_compiling_stops_too(tmp_path):
    process = start(["-m", "simkit", "run", "war", "-n", "10"], SIMKIT_CACHE_DIR=str(tmp_path))
    assert wait_until(lambda: list(tmp_path.rglob("*.nbc")), process)  # the first of a hundred functions
    taken, out, err = interrupt(process)

    assert process.returncode == 130
    assert (out, "Traceback" in err) == ("", False)
    assert taken < MOMENTS


# ---------------------------------------------------------------------------------------------------------------- sweep


def test_a_sweep_in_all_its_forms(call):
    words = ["sweep", "war", "--rule", "face_down=2:4", "--rule", "ranks=13", "-n", FEW, "--quiet"]
    facts = json.loads(call(*words, "--format", "json").out)
    table = pd.read_csv(io.StringIO(call(*words, "--format", "csv").out))
    shown = call(*words)

    assert facts.keys() == {"simkit", "game", "seed", "swept", "settings"}
    assert facts["swept"] == ["face_down"]
    assert [setting["face_down"] for setting in facts["settings"]] == table["face_down"].tolist() == [2, 3, 4]
    for setting, row in zip(facts["settings"], table.to_dict(orient="records")):
        assert setting.keys() == row.keys()
        assert setting["battles"] == row["battles"]
        assert setting["battles_low"] < setting["battles"] < setting["battles_high"]
        assert setting["difference_low"] <= setting["difference"] <= setting["difference_high"]
        assert setting["games"] == FEW
    assert facts["settings"][1]["difference"] == 0
    assert re.search(r"\n 3 +[\d.]+ ± [\d.]+ +default ", shown.out)
    single = simkit.run("war", FEW, face_down=2, progress=False)
    assert facts["settings"][0]["battles"] == single.mean("battles").estimate


def test_a_sweep_over_all_values(call):
    done = call("sweep", "razboi", "--rule", "ace_war_size=all", "-n", 50, "--column", "wars", "--format", "csv", "--quiet")

    assert pd.read_csv(io.StringIO(done.out))["ace_war_size"].tolist() == [1, 10, 11, 14]


# --------------------------------------------------------------------------------------------------------------- replay


def test_a_replay_is_this_text(call):
    assert call("replay", "war", "--seed", 1, "--game", 5).out == (GOLDEN / "war_seed1_game5.txt").read_text(encoding="utf-8")


def play_by_the_text(lines):
    """Play a two-player game as its replay tells it, and say who wins after how many battles. Cards are drawn from known places."""
    ranks = {**{str(rank): rank for rank in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}
    packets = [
        [[ranks[card]] for card in lines[seat].split(" is dealt ")[1].split()] for seat in (0, 1)
    ]  # groups in order, within one no order
    assert sorted(card for packet in packets for (card,) in packet) == sorted([*range(2, 15)] * 4)
    owned = [26, 26]

    def draw(seat, card):
        assert card in packets[seat][0], (seat, card)
        packets[seat][0].remove(card)
        if not packets[seat][0]:
            packets[seat].pop(0)

    battle, at = 0, 2
    while not lines[at].startswith("Seat "):
        battle += 1
        shown = [ranks[word] for word in re.fullmatch(rf"Battle {battle}: seat 0 shows (\S+), seat 1 shows (\S+)", lines[at]).groups()]
        pot = list(shown)
        draw(0, shown[0]), draw(1, shown[1])
        at += 1
        if lines[at].startswith("  War: "):
            assert shown[0] == shown[1]
            rounds = int(re.fullmatch(r"  War: seats 0 and 1 tie; rounds: (\d+)", lines[at])[1])
            laid = [[ranks[card] for card in lines[at + 1 + seat].removeprefix(f"  Seat {seat} lays ").split()] for seat in (0, 1)]
            assert [len(cards) for cards in laid] == [4 * rounds] * 2  # three down, one up (nobody was short)
            for seat in (0, 1):
                for card in laid[seat]:
                    draw(seat, card)
            for each in range(1, rounds):
                assert laid[0][4 * each - 1] == laid[1][4 * each - 1]
            shown, pot, at = [cards[-1] for cards in laid], pot + laid[0] + laid[1], at + 3
        assert shown[0] != shown[1]
        winner = int(shown[1] > shown[0])
        owned[winner] += len(pot) // 2
        owned[1 - winner] -= len(pot) // 2
        assert lines[at] == f"  Seat {winner} takes the pot of {len(pot)}; cards: {owned[0]} : {owned[1]}"
        packets[winner].append(pot)
        at += 1
    assert sorted(owned) == [0, 52]
    assert lines[at] == f"Seat {winner} owns the most cards and wins after {battle} battles."
    return winner, battle


def test_the_text_tells_a_game_by_the_rules():
    lines = (GOLDEN / "war_seed1_game5.txt").read_text(encoding="utf-8").splitlines()
    row = simkit.run("war", 6, rows=True, progress=False).frame.loc[5]

    assert play_by_the_text(lines) == (row["winner"], row["battles"]) == (1, 54)
    recorded = dict(word.split("=") for word in " ".join(lines[lines.index("Recorded of this game:") + 1 :]).split())
    assert {name: int(value) for name, value in recorded.items()} == row.to_dict()


@pytest.mark.parametrize(
    ("game", "words"), [("war", ["--rule", "pickup_order=player_choice", "--players", "high_first,random"]), ("razboi", [])]
)
def test_a_replay_in_json_ends_in_the_row_of_the_run(game, words, call):
    facts = json.loads(call("replay", game, "--seed", 3, "--game", 2, "--json", *words).out)
    rows = pd.read_csv(io.StringIO(call("run", game, "--seed", 3, "-n", 3, "--rows", "--format", "csv", *words).out), index_col="game")

    assert facts.keys() == {"simkit", "game", "game_version", "rules", "players", "seed", "game_number", "events", "result"}
    assert (facts["game"], facts["seed"], facts["game_number"]) == (game, 3, 2)
    assert facts["result"] == rows.loc[2].to_dict()
    decisions = [event["decision"] for event in facts["events"] if "decision" in event]
    assert bool(decisions) == bool(words)
    for made in decisions:
        assert made.keys() == {"seat", "player", "kind", "legal", "legal_texts", "move", "move_text", "scene"}
        assert made["move"] in made["legal"]
        assert made["player"] == facts["players"][made["seat"]]


# -------------------------------------------------------------------------------------------------------- games, caches


def test_the_list_of_games(call):
    table = pd.read_csv(io.StringIO(call("games", "--format", "csv").out))

    assert table["game"].tolist() == list(names())
    assert [each["game"] for each in json.loads(call("games", "--format", "json").out)] == list(names())
    assert all(name in call("games").out for name in names())


@pytest.mark.parametrize("game", list(names()))
def test_a_game_in_full(game, call):
    definition = find(game)
    facts, shown = json.loads(call("games", game, "--format", "json").out), call("games", game).out

    assert [rule["name"] for rule in facts["rules"]] == list(definition.by)
    assert all(rule["help"] for rule in facts["rules"])
    assert all(column["help"] for column in facts["columns"])
    assert all(made["help"] for made in facts["strategies"])
    assert {rule["name"]: rule["default"] for rule in facts["rules"]} == definition.read_rules({})
    for name in [*definition.by, *(made["name"] for made in facts["strategies"])]:
        assert re.search(rf"^ {name} ", shown, re.MULTILINE), name


def test_the_cache(tmp_path):
    root = tmp_path / "compiled"
    facts = json.loads(run_command("cache", "--format", "json", SIMKIT_CACHE_DIR=str(root)).stdout)
    (root / "old").mkdir()
    (root / "old" / "x.nbc").write_bytes(b"12345")
    shown = run_command("cache", "--format", "csv", SIMKIT_CACHE_DIR=str(root)).stdout
    cleared = run_command("cache", "--clear", SIMKIT_CACHE_DIR=str(root))

    assert facts.keys() == {"folder", "files", "bytes", "cleared"}
    assert (facts["files"], Path(facts["folder"]).parent) == (0, root)
    assert shown.splitlines()[1].endswith(",1,5,false")
    assert cleared.stdout.startswith(f"cleared: {root}\n1 files")
    assert not (root / "old").exists()


def test_a_cache_of_the_users_own_is_not_cleared(tmp_path):
    (tmp_path / "theirs.nbc").write_bytes(b"1")
    done = run_command("cache", "--clear", NUMBA_CACHE_DIR=str(tmp_path))

    assert (done.returncode, one_line(done.stderr)) == (2, True)
    assert (tmp_path / "theirs.nbc").exists()


# ---------------------------------------------------------------------------------------------------- files of the user


def test_a_strategy_of_ones_own_by_its_path_and_beside_the_work(tmp_path):
    (tmp_path / "mine.py").write_text(MINE.format(name="bold"))
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "more.py").write_text(MINE.format(name="brave"))
    words = ["run", "war", "-n", FEW, "--rule", "pickup_order=player_choice", "--format", "json", "--players"]
    found = []
    for player in ("mine.py:bold", "brave", "high_first"):
        done = run_command(*words, player, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        facts = json.loads(done.stdout)
        assert facts["players"] == [player, player]
        found.append(facts["columns"])

    assert found[0] == found[1] == found[2]
    assert "brave" in run_command("games", "war", cwd=tmp_path).stdout


def test_files_of_the_same_name_do_not_disturb_each_other(tmp_path):
    """Compiled code is kept under a name that every process gives the file, whatever else it has loaded."""
    for folder, order in (("a", 2), ("b", 3)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(MINE.format(name="bold").replace("return 2", f"return {order}"))
    words = ["run", "war", "-n", 20, "--rule", "pickup_order=player_choice", "--format", "json", "--quiet", "--players"]
    both = run_command(*words, f"{tmp_path}/a/mine.py:bold,{tmp_path}/b/mine.py:bold")
    assert (both.returncode, both.stderr) == (0, "")
    assert json.loads(both.stdout)["columns"] == json.loads(run_command(*words, "high_first,low_first").stdout)["columns"]
    for folder, same in (("b", "low_first"), ("a", "high_first")):
        done = run_command(*words, f"{tmp_path}/{folder}/mine.py:bold")
        assert done.returncode == 0, done.stderr[-2000:]
        assert json.loads(done.stdout)["columns"] == json.loads(run_command(*words, same).stdout)["columns"]


def test_a_file_named_by_its_path_replaces_no_strategy_of_ours(call, tmp_path):
    (tmp_path / "mine.py").write_text(MINE.format(name="low_first"))  # plays highest first
    words = ["run", "war", "-n", FEW, "--rule", "pickup_order=player_choice", "--format", "json", "--players"]
    mine, ours = call(*words, f"{tmp_path}/mine.py:low_first,low_first"), call(*words, "high_first,low_first")

    assert mine.err == ""
    assert json.loads(mine.out)["columns"] == json.loads(ours.out)["columns"]
    assert (
        json.loads(call(*words, "low_first,high_first").out)["columns"]
        == json.loads(call(*words, f"low_first,{tmp_path}/mine.py:low_first").out)["columns"]
    )
    missing = call(*words, f"{tmp_path}/mine.py:lowfirst")
    assert (missing.code, one_line(missing.err)) == (2, True)
    assert f"{tmp_path}/mine.py has no strategy for war called lowfirst; did you mean low_first?; it has: low_first" in missing.err


def test_a_strategy_beside_the_work_replaces_ours_and_says_so(tmp_path):
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "mine.py").write_text(MINE.format(name="low_first"))
    words = ["run", "war", "-n", FEW, "--rule", "pickup_order=player_choice", "--format", "json", "--players"]
    mine, ours = run_command(*words, "low_first", cwd=tmp_path), run_command(*words, "high_first")

    assert one_line(mine.stderr)
    assert f"{tmp_path}/strategies/mine.py replaces the strategy low_first of " in mine.stderr
    assert json.loads(mine.stdout)["columns"] == json.loads(ours.stdout)["columns"]


def test_ctrl_c_while_the_program_is_being_loaded(monkeypatch, capsys):
    class Interrupting:
        def find_spec(self, name, path=None, target=None):
            if name == "simkit.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "simkit.cli", raising=False)
    monkeypatch.delattr(simkit, "cli", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupting(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        started.main()

    assert ended.value.code == 130
    assert capsys.readouterr().err == "simkit: interrupted\n"


def test_a_file_that_replaces_several_strategies_says_so_in_one_line(tmp_path):
    (tmp_path / "strategies").mkdir()
    several = [MINE.format(name=name) for name in ("low_first", "high_first", "winner_first", "losers_first")]
    (tmp_path / "strategies" / "mine.py").write_text("\n\n".join(several))
    told = run_command("games", "war", cwd=tmp_path).stderr

    assert one_line(told)
    assert "replaces the strategies low_first, high_first, winner_first and 1 more of " in told


def test_an_init_file_that_hides_our_strategies_is_told(tmp_path):
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "__init__.py").write_text("")
    done = run_command("run", "war", "-n", 5, cwd=tmp_path)

    assert (done.returncode, done.stdout, one_line(done.stderr)) == (2, "", True)
    assert f"{tmp_path}/strategies/__init__.py hides the strategies that come with simkit; delete that file" in done.stderr


def test_a_file_that_cannot_be_imported_is_told(call, tmp_path):
    (tmp_path / "broken.py").write_text("from simkit import nothing\n")
    done = call("run", "war", "-n", 5, "--players", f"{tmp_path}/broken.py:x")

    assert (done.code, done.out, one_line(done.err)) == (2, "", True)
    assert "broken.py cannot be imported: ImportError" in done.err


def test_a_broken_file_beside_the_work_is_left_out(tmp_path):
    """It is in nobody's way but its own players'."""
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "broken.py").write_text("def half(:\n")
    words = ["run", "techu", "-n", 5, "--quiet", "--players"]
    other, own = (run_command(*words, name, cwd=tmp_path) for name in ("greedy_spaces", "half"))

    assert (other.returncode, one_line(other.stderr)) == (0, True)
    assert f"left out: {tmp_path}/strategies/broken.py cannot be imported: SyntaxError" in other.stderr
    assert (own.returncode, own.stdout, one_line(own.stderr)) == (2, "", True)
    assert "techu has no strategy half" in own.stderr
    assert "broken.py cannot be imported: SyntaxError" in own.stderr


def test_players_with_nothing_to_decide_are_told(call):
    done = call("run", "war", "-n", 5, "--players", "high_first,random", "--format", "json")

    assert "nobody decides anything in war under these rules, so who plays changes nothing; try --rule pickup_order=" in done.err
    assert len(json.loads(done.out)["notes"]) == 1
    assert call("run", "war", "-n", 5).err == ""


# ----------------------------------------------------------------------------------------------------------- completion


def test_completion():
    context = SimpleNamespace(params={"game": "war"})
    nothing = SimpleNamespace(params={"game": "wra"})

    assert console.complete_game("war") == ["war", "war-multi"]
    assert console.complete_rule(context, "face") == ["face_down="]
    assert console.complete_rule(context, "pickup_order=hi") == ["pickup_order=high_first"]
    assert console.complete_rule(context, "detect_endless=") == ["detect_endless=false", "detect_endless=true"]
    assert (
        console.complete_rule(context, "face_down=") == console.complete_rule(nothing, "f") == console.complete_players(nothing, "r") == []
    )
    assert console.complete_players(context, "high_first,lo") == ["high_first,losers_first", "high_first,low_first"]
    assert "war_length" in console.complete_study("war_l")


# ------------------------------------------------------------------------------------------------------ what is loaded

LOADED = "import sys, json; {work}; print(json.dumps(sorted(sys.modules)), file=sys.stderr)"


def loaded(work, cwd):
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(work=work)], cwd=cwd, env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "work", ["import simkit", "from simkit import cli; cli.attempt(lambda: cli.app(args=['--help'], standalone_mode=False))"]
)
def test_help_loads_nothing_heavy(work, tmp_path):
    assert not loaded(work, tmp_path) & {"numba", "numpy.random", "pandas", "scipy", "matplotlib", "pyarrow", "joblib"}


def test_a_run_loads_no_more_than_it_needs(tmp_path):
    run = "from simkit import cli; cli.attempt(lambda: cli.app(args=['run', 'war', '-n', '100'], standalone_mode=False))"
    modules = loaded(run, tmp_path)

    assert "numba" in modules
    assert not modules & {"pandas", "matplotlib", "scipy.stats", "pyarrow", "distributed"}


# --------------------------------------------------------------------------------------------------------------- memory

PEAK = """
import resource, subprocess, sys
subprocess.run([sys.executable, "-m", "simkit", "run", "war", "-n", sys.argv[1], "--columns", "basic", "--quiet"], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.slow
@pytest.mark.skipif(PLAIN, reason="far too slow")
def test_memory_does_not_grow_with_the_games():
    python(PEAK, "1000")  # compiled
    few, many = (int(python(PEAK, games)) for games in ("3e5", "3e6"))

    assert many < few + 30e6
