"""The progress bar: games per second and time left, on the terminal's error stream, for anything over a second."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simkit.simulate import Plan

PATIENCE = 1.0
"""Seconds before a bar appears."""
REFRESH = 0.2


class Progress:
    """A context in which `advance(n)` may be called from any thread."""

    def __init__(self, plan: Plan, open_ended: bool, wanted: bool | None) -> None:
        self.plan, self.open_ended = plan, open_ended
        self.shown = sys.stderr.isatty() if wanted is None else wanted
        self.done = self.kept = 0
        self.began = time.monotonic()
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None

    def advance(self, games: int) -> None:
        """So many more games are done."""
        with self._lock:
            self.done += games

    def resume(self, games: int) -> None:
        """So many games were kept by an earlier run."""
        self.kept = games
        self.advance(games)

    def __enter__(self) -> Progress:
        if self.shown:
            self._thread = threading.Thread(target=self._show, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _show(self) -> None:
        if self._over.wait(PATIENCE):
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns: list[Any] = [
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f} of {task.total:,.0f} games" if not self.open_ended else "{task.completed:,.0f} games"),
        ]
        columns += [TextColumn("{task.fields[rate]}")] + ([] if self.open_ended else [TimeRemainingColumn()])
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(self.plan.game, total=None if self.open_ended else self.plan.games, completed=self.done, rate="")
            while True:
                over = self._over.wait(REFRESH)
                played = self.done - self.kept
                rate = played / max(time.monotonic() - self.began, 1e-9)
                bar.update(task, completed=self.done, rate=f"{rate:,.0f} games/s" if played else "compiling (first run only)")
                if over:
                    return
