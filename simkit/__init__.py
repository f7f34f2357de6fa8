"""simkit answers questions about card games by playing them millions of times.

    import simkit

    result = simkit.run("war", games=1e6, face_down=1)
    result.summary()

Nothing heavy is imported until it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simkit.any_hand import HandResult, hand, hands
    from simkit.api import Sweep, run, sweep
    from simkit.comparison import Comparison, compare
    from simkit.game import BadInput
    from simkit.players import bundle, strategy
    from simkit.result import Result
    from simkit.tournaments import Tournament, tournament
    from simkit.tuning import Tuning, tune

__version__ = "0.1.0"

__all__ = [
    "BadInput", "Comparison", "HandResult", "Result", "Sweep", "Tournament", "Tuning", "bundle", "compare", "hand", "hands", "run",
    "strategy", "sweep", "tournament", "tune",
]  # fmt: skip

_HOMES = {
    "BadInput": "game", "Comparison": "comparison", "HandResult": "any_hand", "Result": "result", "Sweep": "api", "Tournament": "tournaments",
    "Tuning": "tuning", "bundle": "players", "compare": "comparison", "hand": "any_hand", "hands": "any_hand", "run": "api",
    "strategy": "players", "sweep": "api", "tournament": "tournaments", "tune": "tuning",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        import importlib

        return getattr(importlib.import_module(f"simkit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'simkit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
