"""The wheel, installed away from this folder, does what the source tree does, and a user's own files join in."""

import importlib.metadata
import json
import os
import subprocess
import sys
import sysconfig
import textwrap
import zipfile
from pathlib import Path

import pytest

import simkit

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
"""Settings of the one who runs the tests that a user would not have."""

MINE = '''
from simkit import strategy


@strategy("war")
def bold(view, moves, n):
    """Own cards first, whatever lies there."""
    return 0
'''


def call(*command, cwd, env=None):
    """What a command prints; its complaint, if it fails, is the test's."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return done.stdout


class Installed:
    """simkit in a virtual environment of its own, used from a folder that is not ours."""

    def __init__(self, folder):
        self.work, venv = folder / "work", folder / "venv"
        self.work.mkdir()
        call(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
        (self.wheel,) = folder.glob("simkit-*.whl")
        call(sys.executable, "-m", "venv", "--without-pip", venv, cwd=folder)
        self.python = venv / "bin" / "python"
        call(sys.executable, "-m", "pip", "--python", self.python, "install", "--no-deps", "--no-index", "--quiet", self.wheel, cwd=folder)
        self.packages = Path(call(self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
        # Everything that simkit needs is taken from here. A folder named in a .pth file comes last on the path, and .pth
        # files inside it (that of an editable install of simkit) are not read.
        here = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
        (self.packages / "needed.pth").write_text("\n".join(here), encoding="utf-8")
        kept = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        self.env = {**kept, "SIMKIT_CACHE_DIR": str(folder / "cache"), "MPLBACKEND": "Agg", "NO_COLOR": "1", "COLUMNS": "200"}

    def simkit(self, *arguments):
        return call(self.python.parent / "simkit", *arguments, cwd=self.work, env=self.env)

    def run_python(self, code):
        return call(self.python, "-c", textwrap.dedent(code), cwd=self.work, env=self.env)

    def folders(self, package):
        """Where a package's modules are looked for."""
        return [Path(line) for line in self.run_python(f"import {package}; print(*{package}.__path__, sep='\\n')").splitlines()]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    return Installed(tmp_path_factory.mktemp("wheel"))


def test_version_is_the_same_everywhere():
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert f'\nversion = "{simkit.__version__}"\n' in declared
    assert importlib.metadata.version("simkit") == simkit.__version__


@pytest.mark.slow
def test_wheel_holds_the_code_the_studies_and_the_rules(installed):
    names = set(zipfile.ZipFile(installed.wheel).namelist())
    here = {path.relative_to(ROOT).as_posix() for folder in ("simkit", "strategies", "analyses") for path in (ROOT / folder).rglob("*.py")}
    rules = {f"simkit/docs/rules/{path.name}" for path in (ROOT / "docs" / "rules").glob("*.md")}

    assert here <= names
    assert rules
    assert rules <= names
    assert not {name for name in names if name.startswith(("tests/", "benchmarks/", "notebooks/", "reports/"))}
    assert "strategies/__init__.py" not in names
    assert "analyses/__init__.py" not in names


@pytest.mark.slow
def test_every_module_comes_from_the_wheel(installed):
    assert [installed.packages / "simkit"] == installed.folders("simkit")
    assert [installed.packages / "strategies"] == installed.folders("strategies")
    assert [installed.packages / "analyses"] == installed.folders("analyses")


@pytest.mark.slow
def test_games_are_listed(installed):
    listed = installed.simkit("games")

    for game in ("war", "war-multi", "razboi"):
        assert game in listed


@pytest.mark.slow
def test_run_gives_the_result_of_the_source_tree(installed):
    given = json.loads(installed.simkit("run", "war", "-n", "1000", "--format", "json"))
    result = simkit.run("war", games=1000)

    assert given["game"] == "war"
    assert given["games"] == 1000
    assert given["simkit"] == simkit.__version__
    assert [seat["estimate"] for seat in given["win_rate"]] == [result.win_rate(seat).estimate for seat in (0, 1)]
    assert given["columns"]["battles"]["mean"] == result.mean("battles").estimate


@pytest.mark.slow
def test_a_study_runs_and_writes_nothing_beside_the_wheel(installed):
    before = sorted(installed.packages.glob("*"))
    told = installed.simkit("study", "war_length", "--games", "2000")

    assert told.strip()
    assert sorted(installed.packages.glob("*")) == before


@pytest.mark.slow
def test_a_users_strategy_joins_ours(installed):
    folder = installed.work / "strategies"
    folder.mkdir(exist_ok=True)
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    rules = ["--rule", "pickup_order=player_choice", "-n", "500", "--format", "json"]
    given = json.loads(installed.simkit("run", "war", "--players", "bold,high_first", *rules))
    named = json.loads(installed.simkit("run", "war", "--players", "strategies/mine.py:bold,high_first", *rules))
    same = json.loads(installed.simkit("run", "war", "--players", "winner_first,high_first", *rules))

    assert given["players"] == ["bold", "high_first"]
    assert given["win_rate"][0]["estimate"] == named["win_rate"][0]["estimate"] == same["win_rate"][0]["estimate"]
    assert given["columns"] == same["columns"]
    assert "bold" in installed.simkit("games", "war")


@pytest.mark.slow
def test_an_init_file_that_hides_ours_is_named(installed, tmp_path):
    folder = tmp_path / "strategies"
    folder.mkdir()
    (folder / "__init__.py").write_text("", encoding="utf-8")
    command = [installed.python.parent / "simkit", "games", "war"]
    done = subprocess.run(command, cwd=tmp_path, env=installed.env, capture_output=True, text=True, timeout=300)

    assert done.returncode == 2
    assert str(folder / "__init__.py") in done.stderr.replace("\n", "")
