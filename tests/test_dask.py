"""A Dask cluster of a scheduler and two worker processes plays the same games, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import simkit
from simkit import simulate
from simkit.game import BadInput
from simkit.jit import PLAIN
from simkit.simulate import GameFault
from tests.commands import MOMENTS, ended, environment, interrupt, one_line, start, wait_until
from tests.commands import simkit as run_command

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(PLAIN, reason="far too slow")]

OPTIONS = {"games": 300_000, "seed": 12, "columns": "basic", "progress": False}


class Cluster:
    """`dask scheduler` and `dask worker`s, each a process of its own, started in another folder than the tests'."""

    def __init__(self, folder):
        self.folder, self.processes, self.workers, self.client = folder, [], [], None
        said = folder / "scheduler.json"
        words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(said)]  # a port that is free when it is taken
        self.scheduler = self.start("scheduler", *words, "--no-dashboard", "--no-jupyter")
        try:
            wait_until(lambda: said.exists() and said.read_text().endswith("\n}"))
            self.address = json.loads(said.read_text())["address"].removeprefix("tcp://")
            self.client = distributed.Client(self.address, timeout="60s")
        except BaseException:
            self.close()
            raise

    def start(self, *words):
        with open(self.folder / "log.txt", "a") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", *words], cwd=self.folder, env=environment(), stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def add_worker(self):
        """One more worker, without a nanny that would start it again."""
        before = len(self.client.nthreads())
        words = ["--nworkers", "1", "--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", self.folder]
        self.workers.append(self.start("worker", self.address, *map(str, words)))
        wait_until(lambda: len(self.client.nthreads()) > before)

    def close(self):
        if self.client is not None:
            self.client.close()
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        made.add_worker()
        made.add_worker()
        yield made
    finally:
        made.close()


@pytest.fixture(scope="module")
def whole():
    return simkit.run("war", jobs=2, **OPTIONS)


def test_a_cluster_gives_the_same_counts(cluster, whole):
    result = simkit.run("war", backend="dask", address=cluster.address, **OPTIONS)

    assert result.tally.equals(whole.tally)


def test_a_cluster_knows_a_strategy_by_its_file(cluster, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        'from simkit import strategy\n\n\n@strategy("war")\ndef bold(view, moves, n):\n    """Highest first."""\n    return 2\n'
    )
    monkeypatch.chdir(tmp_path)  # the workers are elsewhere
    options = {
        "games": 5000,
        "rules": {"pickup_order": "player_choice"},
        "players": ["mine.py:bold", "random"],
        "rows": True,
        "progress": False,
    }
    there, here = simkit.run("war", backend="dask", address=cluster.address, **options), simkit.run("war", **options)

    assert there.tally.equals(here.tally)
    assert there.frame.equals(here.frame)


def test_the_command_line_reaches_a_cluster(cluster, whole):
    done = run_command(
        "run",
        "war",
        "-n",
        OPTIONS["games"],
        "--seed",
        12,
        "--columns",
        "basic",
        "--backend",
        "dask",
        "--address",
        cluster.address,
        "--format",
        "json",
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["columns"] == json.loads(json.dumps(whole.as_dict()))["columns"]


def test_ctrl_c_leaves_the_cluster_in_peace(cluster, tmp_path):
    process = start(
        [
            "-m",
            "simkit",
            "run",
            "war",
            "-n",
            "1e9",
            "--columns",
            "battles",
            "--backend",
            "dask",
            "--address",
            cluster.address,
            "--out",
            tmp_path / "run",
        ]
    )
    manifest = tmp_path / "run" / "manifest.json"
    assert wait_until(lambda: manifest.exists() and json.loads(manifest.read_text())["parts"], process)
    taken, out, err = interrupt(process)

    assert process.returncode == 130
    assert (out, one_line(err)) == ("", True), err
    assert "the same command goes on from there" in err
    assert taken < MOMENTS
    assert len(cluster.client.nthreads()) == 2
    assert simkit.run("war", 1000, backend="dask", address=cluster.address, progress=False).games == 1000


def test_a_worker_that_is_killed_half_way_changes_nothing(cluster, whole, monkeypatch):
    played, cut = [], simulate.cut
    monkeypatch.setattr(simulate, "cut", lambda ranges, size, unit: cut(ranges, min(size, 10_000), unit))  # many parts on any machine

    def kill():
        wait_until(lambda: sum(played) > OPTIONS["games"] / 3)
        os.kill(cluster.workers[0].pid, signal.SIGKILL)

    plan = simulate.make_plan("war", games=OPTIONS["games"], seed=12, columns="basic")
    killer = threading.Thread(target=kill)
    killer.start()
    workers = simulate.Workers(plan, 1, "dask", cluster.address, simulate.Stop(), played.append)
    tally = simulate.Tally(plan.layout)
    for part in workers.play([(0, plan.games)]):
        tally.merge(part.tally)
        time.sleep(0.01)
    killer.join()
    wait_until(lambda: len(cluster.client.nthreads()) == 1)
    cluster.add_worker()

    assert cluster.workers[0].wait() == -signal.SIGKILL
    assert tally.equals(whole.tally)


def test_a_cluster_within_this_process(whole):
    assert simkit.run("war", backend="dask", jobs=2, **OPTIONS).tally.equals(whole.tally)


def test_an_error_of_a_strategy_comes_back_as_it_is(cluster, tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        'from simkit import strategy\n\n\n@strategy("war")\ndef late(view, moves, n):\n    """Errs late."""\n    return 9 if view.table.battles > 1200 else 0\n'
    )
    with pytest.raises(GameFault, match=r"strategy .*bad.py:late chose move 9.*; see it with: simkit replay war"):
        simkit.run(
            "war", 10**6, pickup_order="player_choice", players=f"{file}:late", backend="dask", address=cluster.address, progress=False
        )


def test_a_scheduler_that_is_not_there_is_told():
    with pytest.raises(BadInput, match=r"no Dask scheduler answers at 127.0.0.1:1: "):
        simkit.run("war", 10**5, backend="dask", address="127.0.0.1:1", progress=False)


def test_a_scheduler_that_dies_is_told(tmp_path):
    lost = Cluster(tmp_path)
    try:
        lost.add_worker()
        process = start(
            [
                "-m",
                "simkit",
                "run",
                "war",
                "-n",
                "1e9",
                "--columns",
                "battles",
                "--backend",
                "dask",
                "--address",
                lost.address,
                "--out",
                tmp_path / "run",
            ]
        )
        manifest = tmp_path / "run" / "manifest.json"
        assert wait_until(lambda: manifest.exists() and json.loads(manifest.read_text())["parts"], process)
        lost.scheduler.kill()
        _, err = ended(process)
    finally:
        lost.close()

    assert process.returncode == 1
    assert "Traceback" not in err
    assert "simkit: the workers are gone" in err
