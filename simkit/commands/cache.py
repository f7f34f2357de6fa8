"""The command `simkit cache`: where compiled code is kept."""

from __future__ import annotations

from typing import Annotated

import typer

from simkit.commands import app
from simkit.console import Format, a_format, examples, print_csv, print_json
from simkit.game import BadInput


@app.command(epilog=examples("simkit cache", "simkit cache --clear"))
def cache(
    clear: Annotated[bool, typer.Option("--clear", metavar="", help="Delete all compiled code; it is made again when needed.")] = False,
    format: Format = "table",
) -> None:
    """Where compiled code is kept, and how large it is."""
    import shutil

    from simkit.jit import CACHE_FOLDER, cache_root

    a_format(format)
    own = cache_root() in CACHE_FOLDER.parents
    root = cache_root() if own else CACHE_FOLDER
    files = [path for path in root.rglob("*") if path.is_file() and path.suffix in (".nbi", ".nbc")] if root.exists() else []
    size = sum(path.stat().st_size for path in files)
    if clear:
        if not own:
            raise BadInput(f"{root} was named by NUMBA_CACHE_DIR and may hold others' files; delete it yourself")
        shutil.rmtree(root, ignore_errors=True)
    if format == "json":
        return print_json({"folder": str(CACHE_FOLDER), "files": len(files), "bytes": size, "cleared": clear})
    if format == "csv":
        return print_csv([["folder", "files", "bytes", "cleared"], [CACHE_FOLDER, len(files), size, str(clear).lower()]])
    print(f"{'cleared' if clear else 'compiled code'}: {root}\n{len(files)} files, {size / 1e6:.1f} MB")
