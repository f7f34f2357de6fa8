"""The command line: the commands of `simkit/commands/`, and what becomes of their errors.

Exit codes: 0 done, 1 a strategy or a game failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from simkit.commands import Gone, Interrupted, app
from simkit.game import BadInput

FILES = ("games", "run", "compare", "tournament", "tune", "sweep", "hand", "replay", "play", "study", "new", "cache")
"""The files of commands, in the order in which the help shows them."""

for name in FILES:
    importlib.import_module(f"simkit.commands.{name}")


@app.callback(invoke_without_command=True)
def top(context: typer.Context, version: Annotated[bool, typer.Option("--version", metavar="", help="Show the version.")] = False) -> None:
    """Answers questions about card games by playing them millions of times."""
    if version:
        import simkit

        print(f"simkit {simkit.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        print(context.get_help())


# ------------------------------------------------------------------------------------------------------------- the end


USAGE_ERROR: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "UsageError")
"""What is raised for an unknown option or a missing argument."""


def silence() -> None:
    """Nothing more can be printed: let what is still buffered go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_streams() -> None:
    """Whoever started us may have closed our input or output: what would go there goes nowhere, and there is nothing to read."""
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        if getattr(sys, name) is None:
            place = os.open(os.devnull, os.O_RDWR)
            if place != number:
                os.dup2(place, number)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def attempt(work: Callable[[], Any]) -> int:
    """Do the work; turn what may go wrong into one line and an exit code."""
    try:
        done = work()
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except USAGE_ERROR as error:
        command = error.ctx.command_path if getattr(error, "ctx", None) else "simkit"
        if error.format_message():  # without a command the help has been printed, and there is nothing to add
            print(f"simkit: {error.format_message().rstrip('.')}; see: {command} --help", file=sys.stderr)
        return 2
    except BadInput as error:
        print(f"simkit: {error}", file=sys.stderr)
        return 2
    except (BrokenPipeError, Gone):  # whoever read our output has gone: end quietly
        silence()
        return 0
    except (KeyboardInterrupt, Interrupted):
        print("simkit: interrupted", file=sys.stderr)
        return 130
    except Exception as error:
        from simkit.simulate import GameFault

        if isinstance(error, GameFault):
            print(f"simkit: {error}", file=sys.stderr)
            return 1
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            print("simkit: cannot write the output: the disk is full", file=sys.stderr)
            silence()
            return 2
        raise


def main() -> None:
    """The `simkit` command."""
    open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no – or ă shows a ?, and no traceback
    code = attempt(lambda: app(standalone_mode=False))
    simulate = sys.modules.get("simkit.simulate")
    if simulate is not None and simulate.abandoned.is_set():
        sys.stderr.flush()
        for worker in multiprocessing.active_children():
            if worker.pid:  # it would hold on to our output, and whoever reads that would wait for it
                with contextlib.suppress(OSError):
                    os.kill(worker.pid, signal.SIGKILL)
        os._exit(code)  # an orderly end would wait for the thread that was left behind
    sys.exit(code)
