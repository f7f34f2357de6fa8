"""What is needed to make a run again: versions, rules, and the command."""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simkit.simulate import Plan

PACKAGES = ("numpy", "numba", "llvmlite", "scipy", "pandas", "pyarrow", "joblib", "matplotlib")


def versions() -> dict[str, str]:
    """The versions of everything that plays or counts."""
    import simkit

    found = {"simkit": simkit.__version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def rules_hash(plan: Plan) -> str:
    """A hash of the game, its version, all its rules and a given hand: equal hashes mean equal games for equal seeds."""
    identity = [plan.game, plan.definition.version, dict(sorted(plan.rules.items()))]
    text = json.dumps(identity if plan.hand is None else [*identity, plan.hand], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def changed_rules(plan: Plan) -> dict[str, Any]:
    """The rules that differ from the defaults."""
    defaults = {parameter.name: parameter.default for parameter in plan.definition.parameters}
    return {name: value for name, value in plan.rules.items() if value != defaults[name]}


def changed_rules_text(plan: Plan) -> str:
    """These rules as they are typed: 'face_down=1, remove_twos=true'; '' where all are at their defaults."""
    return ", ".join(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in changed_rules(plan).items())


def strategies_hash(plan: Plan) -> str:
    """A hash of the files of a plan's strategies; nothing where nobody decides."""
    from simkit.players import read_players

    if not plan.definition.has_choices(plan.rules):
        return ""
    files = {file for player in read_players(plan.definition, list(plan.players), plan.seats) for file in player.files}
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sorted(files))).hexdigest()[:16]


def command(plan: Plan, until: str | None = None) -> str:
    """The command that plays this plan again."""
    words = ["simkit", "run", plan.game]
    words += ["--exhaustive"] if plan.every_deal else ["-n", str(plan.games), "--seed", str(plan.seed)]
    for name, value in changed_rules(plan).items():
        words += ["--rule", f"{name}={str(value).lower() if isinstance(value, bool) else value}"]
    if until:
        words += ["--until", until]
    if set(plan.players) != {plan.definition.default_player}:
        words += ["--players", ",".join(plan.players)]
    if plan.columns != "all":
        words += ["--columns", plan.columns]
    if plan.hand is not None:
        words += ["--hand", plan.hand]
    return shlex.join(words + ["--rows"] * plan.rows + ["--paired"] * plan.paired)


def about_run(plan: Plan, until: str | None = None) -> dict[str, Any]:
    """What a manifest says of a run besides the plan itself."""
    return {"versions": versions(), "rules_hash": rules_hash(plan), "command": command(plan, until), "machine": platform.platform()}
