"""The commands, a file each (or a small group): a file defines functions and registers them with `@app.command`.

`simkit/cli.py` lists the files in the order in which `simkit --help` shows the commands. Nothing heavy is imported while a file is
loaded, only while its command runs: `simkit --help` must answer at once.
"""

import errno
from typing import Any

import typer
from typer.core import TyperGroup


class Interrupted(Exception):
    """Ctrl-C, where nobody else took it."""


class Gone(Exception):
    """Whoever read our output has gone."""


class Commands(TyperGroup):
    """The commands. What typer would end silently, with exit codes of its own, comes out under other names."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted from None
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise Gone from None
            raise


app = typer.Typer(
    cls=Commands, name="simkit", no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode="markdown", context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers questions about card games by playing them millions of times.",
    epilog="Start with: `simkit run war`. Every command has examples: `simkit run --help`.",
)  # fmt: skip
