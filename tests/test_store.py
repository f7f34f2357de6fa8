"""Runs on disk: a kill at any moment loses nothing that was kept, another run is refused, damage is found and mended."""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import random
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import simkit
from simkit import api, simulate, store
from simkit.game import BadInput
from simkit.provenance import command
from simkit.simulate import make_plan
from simkit.store import DiskFault, RunFolder, write_atomically
from tests.commands import MOMENTS, PATIENCE, interrupt, one_line, start, wait_until
from tests.commands import simkit as run_command

GAMES = 30_000
OPTIONS = {"games": GAMES, "seed": 4, "columns": "battles,wars", "rows": True}


@pytest.fixture
def many_parts(monkeypatch):
    """A part is written for every few thousand games."""
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.005)
    monkeypatch.setattr(store, "FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(store, "FLUSH_SHARE", 0.0)


@pytest.fixture(scope="module")
def whole():
    return simkit.run("war", progress=False, **OPTIONS)


def kept(folder, **more):
    return simkit.run("war", progress=False, jobs=2, out=folder, **{**OPTIONS, **more})


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def same(result, whole):
    assert result.tally.equals(whole.tally)
    pd.testing.assert_frame_equal(result.frame, whole.frame)


# ------------------------------------------------------------------------------------------------------------- contents


def test_the_manifest_says_what_is_needed_to_play_again(tmp_path, many_parts, whole):
    folder = tmp_path / "run"
    same(kept(folder), whole)
    said = manifest(folder)

    assert said["complete"] is True
    assert said["versions"]["simkit"] == simkit.__version__
    assert said["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert {"numpy", "numba", "llvmlite", "scipy", "pandas", "pyarrow"} <= said["versions"].keys()
    assert len(said["rules_hash"]) == 16
    assert said["command"] == f"simkit run war -n {GAMES} --seed 4 --columns battles,wars --rows"
    assert said["run"]["rules"] == whole.rules
    assert said["run"]["game_version"] == whole.plan.definition.version
    assert len(said["parts"]) > 2
    covered = sorted((first, games) for part in said["parts"] for first, games in part["ranges"])
    assert simulate.gaps(covered, 0, GAMES) == []
    assert sum(games for _, games in covered) == GAMES
    for part in said["parts"]:
        assert [file["kind"] for file in part["files"]] == ["counts", "rows"]
        for file in part["files"]:
            assert hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest() == file["sha256"]
    names = {file["name"] for part in said["parts"] for file in part["files"]}
    assert {path.name for path in folder.iterdir()} == names | {"manifest.json", ".lock"}


def test_rows_are_parquet_that_pandas_reads(tmp_path, many_parts, whole):
    kept(tmp_path / "run")
    table = pd.concat([pd.read_parquet(path) for path in (tmp_path / "run").glob("*-rows.parquet")]).set_index("game").sort_index()

    pd.testing.assert_frame_equal(table, whole.frame)


def test_the_rules_hash_is_that_of_the_rules():
    from simkit.provenance import rules_hash

    plans = [
        make_plan("war"),
        make_plan("war", seed=9, games=7),
        make_plan("war", rules={"face_down": 3}),
        make_plan("war", rules={"face_down": 2}),
        make_plan("razboi"),
    ]
    hashes = [rules_hash(plan) for plan in plans]

    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes)) == 3


@pytest.mark.parametrize(
    ("words", "options", "until"),
    [
        ("-n 100 --seed 1", {"games": 100}, None),
        ("-n 100 --seed 1 --until battles=5", {"games": 100}, "battles=5"),
        ("--exhaustive --rule ranks=3 --rule copies=2", {"rules": {"ranks": 3, "copies": 2}, "every_deal": True}, None),
        ("-n 100 --seed 1 --rule detect_endless=false --players high_first,shuffled", {"games": 100, "rules": {"detect_endless": "no"}, "players": ["high_first", "shuffled"]}, None),
    ],
)  # fmt: skip
def test_the_command_of_a_run(words, options, until):
    assert command(make_plan("war", **options), until) == f"simkit run war {words}"


# --------------------------------------------------------------------------------------------------------------- resume


def test_a_complete_run_is_read_and_not_played_again(tmp_path, whole, monkeypatch):
    kept(tmp_path / "run")
    before = manifest(tmp_path / "run")
    monkeypatch.setattr(simulate.Engine, "play", lambda *arguments: pytest.fail("played again"))

    same(kept(tmp_path / "run"), whole)
    assert manifest(tmp_path / "run") == before


class Stopping(simulate.Stop):
    """A stop flag that goes up after a few parts, as Ctrl-C raises it."""

    parts = 0

    def listening(self):
        type(self).latest = self
        return super().listening()


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_an_interrupted_run_goes_on_where_it_stopped(parts, tmp_path, many_parts, whole, monkeypatch):
    add, play, seen, begun = RunFolder.add, simulate.Engine.play, [], itertools.count()

    def play_in_step(self, *arguments, **options):
        number = next(begun)  # or all might be played before the first part is kept
        wait_until(lambda: number <= len(seen) or Stopping.latest.flag[0])
        return play(self, *arguments, **options)

    def add_and_stop(self, *arguments):
        add(self, *arguments)
        seen.append(1)
        if len(seen) == parts:
            monkeypatch.setattr(simulate.Engine, "play", play)
            Stopping.latest.interrupted = True
            Stopping.latest.set()

    monkeypatch.setattr(api, "Stop", Stopping)
    monkeypatch.setattr(RunFolder, "add", add_and_stop)
    monkeypatch.setattr(simulate.Engine, "play", play_in_step)
    first = kept(tmp_path / "run")

    assert first.interrupted
    assert 0 < first.games < GAMES
    assert (
        first.tally.games == len(first.frame) == sum(games for part in manifest(tmp_path / "run")["parts"] for _, games in part["ranges"])
    )
    same(kept(tmp_path / "run"), whole)


CHILD = """
import sys, time
import simkit
from simkit import simulate, store
add, cut, kept = store.RunFolder.add, simulate.cut, []

def add_and_wait(self, *arguments):
    add(self, *arguments)
    kept.append(1)
    if len(kept) == 6:
        time.sleep({patience})  # for the kill, if it has not come yet

store.RunFolder.add = add_and_wait
simulate.cut = lambda ranges, size, unit: cut(ranges, min(size, 1000), unit)
store.FLUSH_SECONDS, store.FLUSH_SHARE = 0.0, 0.0
simkit.run("war", out=sys.argv[1], progress=False, jobs=2, **{options!r})
"""


@pytest.mark.slow
def test_kills_at_any_moment_lose_nothing_that_was_kept(tmp_path):
    options = {**OPTIONS, "games": 40_000}
    folder, chance, kills, least = tmp_path / "run", random.Random(7), 0, 0
    for _ in range(6):
        process = start(["-c", CHILD.format(options=options, patience=PATIENCE), folder])
        if wait_until(lambda least=least: len(list(folder.glob("part-*"))) > least, process):
            time.sleep(chance.random() * 0.1)
            process.kill()
            kills += process.wait() == -9
        process.communicate()
        if not (folder / "manifest.json").exists():
            continue
        ranges = [tuple(each) for part in manifest(folder)["parts"] for each in part["ranges"]]
        games = sum(games for _, games in ranges)
        assert games + sum(n for _, n in simulate.gaps(ranges, 0, 40_000)) == 40_000  # nothing twice
        least = len(list(folder.glob("part-*")))
    whole, again = simkit.run("war", progress=False, **options), kept(folder, games=40_000)

    assert kills == 6
    same(again, whole)


def test_a_killed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"old")
    monkeypatch.setattr(os, "replace", lambda *names: (_ for _ in ()).throw(KeyboardInterrupt))  # dies before the rename
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")

    assert path.read_bytes() == b"old"


def test_leftovers_of_a_kill_are_removed_and_played_again(tmp_path, many_parts, whole):
    folder = tmp_path / "run"
    kept(folder)
    said = manifest(folder)
    lost = said["parts"].pop()  # its files are there, and the manifest knows nothing of them
    (folder / "manifest.json").write_text(json.dumps({**said, "complete": False}))
    (folder / "part-000000000000001-1-counts.parquet.writing").write_bytes(b"half")

    same(kept(folder), whole)
    assert not list(folder.glob("*.writing"))
    assert not (folder / lost["files"][0]["name"]).exists() or lost["files"][0]["name"] in str(manifest(folder))


def test_what_others_keep_in_a_run_folder_stays(tmp_path, many_parts):
    folder = tmp_path / "run"
    kept(folder)
    theirs = [folder / name for name in ("mine.parquet", "novel.writing", "part-of-a-novel.parquet.writing")]
    for path in theirs:
        path.write_text("dear")
    kept(folder)

    assert [path.read_text() for path in theirs] == ["dear"] * 3


def test_a_lock_of_others_is_left_as_it_is(tmp_path):
    (tmp_path / "novel.writing").write_text("dear")
    with pytest.raises(BadInput, match=r"holds no run \(there is novel.writing\)"):
        kept(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["novel.writing"]

    (tmp_path / "novel.writing").unlink()
    (tmp_path / ".lock").write_text("dear")
    kept(tmp_path, games=100)
    assert (tmp_path / ".lock").read_text() == "dear"


def test_a_stop_rule_goes_on_to_the_same_end(tmp_path, many_parts, monkeypatch):
    options = {"seed": 3, "until": "battles=5", "columns": "battles", "progress": False}
    straight = simkit.run("war", **options)
    satisfied = api.FixedWidth.satisfied
    looked = []

    def satisfied_or_killed(self, estimate):
        looked.append(1)
        if len(looked) == 3:
            raise RuntimeError("killed here")
        return satisfied(self, estimate)

    monkeypatch.setattr(api.FixedWidth, "satisfied", satisfied_or_killed)
    with pytest.raises(RuntimeError, match="killed here"):
        simkit.run("war", out=tmp_path / "run", **options)
    looked_at = manifest(tmp_path / "run")["looked"]
    again = simkit.run("war", out=tmp_path / "run", **options)

    assert looked_at > 0
    assert again.games == straight.games
    assert again.tally.equals(straight.tally)
    assert simkit.run("war", out=tmp_path / "run", **options).tally.equals(straight.tally)


# --------------------------------------------------------------------------------------------------------------- refuse

BASE = {"games": 200, "seed": 4, "progress": False, "rules": {"pickup_order": "player_choice"}, "players": "random"}


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("games", {"games": 201}),
        ("seed", {"seed": 5}),
        ("rules", {"rules": {"pickup_order": "player_choice", "face_down": 1}}),
        ("players", {"players": "random,shuffled"}),
        ("columns", {"columns": "basic"}),
        ("rows", {"rows": True}),
        ("until", {"until": "battles=5"}),
        ("every_deal", {"every_deal": True, "rules": {"ranks": 3, "copies": 2}}),
        ("game", {"game": "razboi"}),
    ],
)
def test_another_run_is_refused(field, other, tmp_path):
    simkit.run(**{"game": "war", **BASE}, out=tmp_path / "run")
    before = manifest(tmp_path / "run")
    with pytest.raises(BadInput, match=r"holds another run: .* there and .* here; name another folder") as caught:
        simkit.run(**{"game": "war", **BASE, **other}, out=tmp_path / "run")

    assert f" {field} is " in str(caught.value) or field in ("game", "every_deal")  # those change others too
    assert "\n" not in str(caught.value)
    assert manifest(tmp_path / "run") == before
    assert simkit.run(**{"game": "war", **BASE}, out=tmp_path / "run").games == 200


def test_another_version_of_the_game_is_refused(tmp_path):
    simkit.run("war", 100, out=tmp_path / "run", progress=False)
    said = manifest(tmp_path / "run")
    said["run"]["game_version"] = 0
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(said))
    with pytest.raises(BadInput, match="game_version is 0 there"):
        simkit.run("war", 100, out=tmp_path / "run", progress=False)


def test_a_strategy_that_was_edited_meanwhile_is_refused(tmp_path):
    file = tmp_path / "mine.py"
    text = 'from simkit import strategy\n\n\n@strategy("war")\ndef settled(view, moves, n):\n    """One order."""\n    return 2\n'
    file.write_text(text)
    options = {**BASE, "players": f"{file}:settled", "out": tmp_path / "run"}
    first = simkit.run("war", **options)
    assert simkit.run("war", **options).tally.equals(first.tally)

    file.write_text(text.replace("2", "3"))
    with pytest.raises(BadInput, match="strategies is"):
        simkit.run("war", **options)


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match=r"is not empty and holds no run \(there is letter.txt\); name a new folder"):
        kept(tmp_path)

    assert (tmp_path / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 1}', "\xff"])
def test_a_damaged_manifest_is_told(text, tmp_path):
    (tmp_path / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(BadInput, match="is damaged and cannot be read; move the folder away"):
        kept(tmp_path)


def test_a_later_format_is_told(tmp_path):
    (tmp_path / "manifest.json").write_text('{"format": 99}')
    with pytest.raises(BadInput, match="format 99; this simkit reads format 1"):
        kept(tmp_path)


def test_two_writers_at_once_are_refused(tmp_path, whole):
    plan = whole.plan
    first = api.open_folder(plan, None, tmp_path / "run")
    with pytest.raises(BadInput, match="another simkit is writing to"):
        kept(tmp_path / "run")
    first.close()

    same(kept(tmp_path / "run"), whole)


# --------------------------------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize("kind", ["counts", "rows"])
@pytest.mark.parametrize("harm", ["missing", "cut", "changed"])
def test_a_damaged_part_is_found_said_and_played_again(kind, harm, tmp_path, many_parts, whole, capfd):
    folder = tmp_path / "run"
    kept(folder)
    part = manifest(folder)["parts"][1]
    path = folder / next(file["name"] for file in part["files"] if file["kind"] == kind)
    data = path.read_bytes()
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(data[:-100] if harm == "cut" else data[:50] + bytes([data[50] ^ 1]) + data[51:])
    capfd.readouterr()

    same(kept(folder), whole)
    games = sum(games for _, games in part["ranges"])
    assert (
        f"simkit: {path} is {'missing' if harm == 'missing' else 'damaged'}; its {games:,} games are played again\n"
        == capfd.readouterr().err
    )
    assert manifest(folder)["complete"] is True
    same(kept(folder), whole)


# ------------------------------------------------------------------------------------------------------------- the disk


def test_a_file_in_the_folders_place_is_told(tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(BadInput, match="run is a file; name a folder"):
        kept(tmp_path / "run")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_is_told():
    done = run_command("run", "war", "-n", 10, "--out", "/proc/nowhere")

    assert done.returncode == 2
    assert done.stdout == ""
    assert one_line(done.stderr)
    assert "cannot write /proc/nowhere" in done.stderr


@pytest.mark.parametrize("after", [0, 3, 7])
def test_a_full_disk_loses_nothing_that_was_kept(after, tmp_path, many_parts, whole, monkeypatch):
    folder, fsync, calls = tmp_path / "run", os.fsync, []

    def full(file):
        calls.append(1)
        if len(calls) > after:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(file)

    with monkeypatch.context() as patch:
        patch.setattr(store.os, "fsync", full)
        # A flush of the folder itself is no loss; of the file it is.
        with pytest.raises(DiskFault, match=r"cannot write .*: the disk is full") as caught:
            kept(folder)
    assert "\n" not in str(caught.value)
    assert not list(folder.glob("*.writing"))
    if (folder / "manifest.json").exists():
        for part in manifest(folder)["parts"]:
            for file in part["files"]:
                assert hashlib.sha256((folder / file["name"]).read_bytes()).hexdigest() == file["sha256"]

    same(kept(folder), whole)


@pytest.mark.slow
def test_a_real_full_disk(tmp_path):
    """A file system of 300 kB, where this may be made."""
    import subprocess

    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        not hasattr(os, "geteuid")
        or os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", disk], capture_output=True).returncode
    ):
        pytest.skip("cannot mount a small file system here")
    try:
        words = ["run", "war", "-n", 400_000, "--seed", 6, "--rows", "--columns", "battles", "--out", disk / "run", "--format", "json"]
        done = run_command(*words)
        assert done.returncode == 2
        assert done.stdout == ""
        assert one_line(done.stderr)
        assert "the disk is full" in done.stderr
        subprocess.run(["mount", "-o", "remount,size=50m", disk], check=True)
        again = run_command(*words)
        assert again.returncode == 0, again.stderr
    finally:
        subprocess.run(["umount", disk], check=True)
    straight = simkit.run("war", 400_000, seed=6, columns="battles", progress=False)
    assert json.loads(again.stdout)["columns"]["battles"] == json.loads(json.dumps(straight.as_dict()))["columns"]["battles"]


def test_ctrl_c_keeps_what_is_finished(tmp_path):
    folder = tmp_path / "run"
    process = start(["-m", "simkit", "run", "war", "-n", 1e9, "--columns", "battles", "--out", folder])
    assert wait_until(lambda: (folder / "manifest.json").exists() and manifest(folder)["parts"], process)
    taken, out, err = interrupt(process)

    assert process.returncode == 130
    assert out == ""
    assert one_line(err)
    assert f"kept in {folder}; the same command goes on from there" in err
    assert taken < MOMENTS
    said = manifest(folder)
    assert said["complete"] is False
    games = sum(games for part in said["parts"] for _, games in part["ranges"])
    assert f"interrupted after {games:,} games" in err


def test_counts_that_are_kept_are_those_counted():
    arrays = {"where": np.array([3, 5, -1]), "value": np.array([0, 0, 99]), "games": np.array([4, 2, 7])}
    data = store.parquet(arrays, {"simkit": "counts"})

    assert store.checksum(data) == hashlib.sha256(data).hexdigest()
