"""The `simkit` command, as a user's shell runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 120
"""Seconds that anything may take on a busy machine."""
MOMENTS = 10
"""Seconds within which Ctrl-C ends what would go on for hours. It takes one; this allows for a slow machine that is kept from its work."""


def environment(**more: str) -> dict[str, str]:
    """The environment without what would change how output looks."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("COLUMNS", "FORCE_COLOR", "NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK")
    }
    return {**kept, "NO_COLOR": "1", "TERM": "dumb", "PYTHONIOENCODING": "utf-8", **more}


def simkit(*words: Any, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `simkit WORDS` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "simkit", *map(str, words)],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def python(code: str, *words: Any, cwd: Path | None = None, **more: str) -> str:
    """What a program prints; its complaint, if it fails, is the test's."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)], cwd=cwd, env=environment(**more), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def start(words: Sequence[Any], cwd: Path | None = None, **more: str) -> subprocess.Popen[str]:
    """Start a Python program, and do not wait for it."""
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, cwd=cwd, env=environment(**more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(happened: Callable[[], Any], process: subprocess.Popen[str] | None = None) -> bool:
    """Wait for something; False if the process ended before. A process that is waited for in vain is ended."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if process is not None and process.poll() is not None:
            return False
        if time.monotonic() > deadline:
            if process is not None:
                process.kill()
            raise AssertionError("waited in vain")
        time.sleep(0.01)
    return True


def interrupt(process: subprocess.Popen[str]) -> tuple[float, str, str]:
    """Send Ctrl-C; how many seconds it took to end, and what was printed."""
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = ended(process)
    return time.monotonic() - began, out, err


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What was printed by a process that is about to end. If it does not, it is killed: it would play on beside the tests that follow."""
    try:
        return process.communicate(timeout=PATIENCE)
    finally:
        process.kill()


def one_line(text: str) -> bool:
    """Whether this is one line of simkit's, and nothing else."""
    return text.startswith("simkit: ") and text.count("\n") == 1 and text.endswith("\n") and "Traceback" not in text
