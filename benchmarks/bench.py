"""How fast simkit is, measured against a C program in the same minutes on the same core.

    make bench                          all of it, a few minutes
    python benchmarks/bench.py speed    only War's ratios (also: games, decision, pairs, threads, start, memory)

Machines are shared and noisy, so nothing is asserted: C program and simkit take turns, every figure is a rate by CPU time, and
what is printed is the ratio of medians.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
YARDSTICK = HERE / "yardstick" / "war.c"
VARIANTS = {0: "plain", 3: "best scalar", 7: "SIMD, four games interleaved"}
ROUNDS = 7
GAMES = 300_000
SAME_RULES = {"pickup_order": "winner_first", "short_war_rule": "lose"}
"""The rules of the C program."""
PLAYED = (
    ("techu", "random", 60_000),
    ("techu", "greedy_spaces", 30_000),
    ("stealing-war", "random", 30_000),
    ("tichu", "random", 20_000),
    ("tichu", "min_turns", 4_000),
    ("ten", "random", 10_000),
    ("tacocat", "random", 40_000),
)
"""Games with choices, who plays, and how many games one measurement takes."""


def yardstick_program(folder: Path) -> Path | None:
    """The compiled C program, or None where it cannot be had (it wants x86-64 with AVX2 and a C compiler)."""
    program = folder / "war"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or platform.machine() not in ("x86_64", "AMD64"):
        return None
    made = subprocess.run([compiler, "-O3", "-march=native", "-o", str(program), str(YARDSTICK)], capture_output=True)
    return program if made.returncode == 0 else None


def yardstick_rate(program: Path, variant: int) -> float:
    """Games per second by CPU time, as the program prints it (best of its three passes)."""
    printed = subprocess.run([str(program), str(GAMES), "42", str(variant)], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"\((\d+) by CPU time\)", printed)[1])


def compile_elsewhere(game: str, players: str | None = None) -> None:
    """Compile a game and its players in another process. Code runs a tenth slower in the process that compiled it: it lies scattered there."""
    who = ["--players", players] if players else []
    subprocess.run([sys.executable, "-m", "simkit", "run", game, "-n", "64", "--quiet", *who], check=True, capture_output=True)


class Bench:
    """simkit's loop on one thread, for one set of rules and columns."""

    def __init__(self, game: str, rules: dict, columns: str, players: str | None = None, games: int = GAMES) -> None:
        from simkit.simulate import Engine, make_plan

        compile_elsewhere(game, players)
        self.take(Engine(make_plan(game, rules=rules, columns=columns, players=players)), games)

    def take(self, engine: Any, games: int) -> None:
        """Measure this engine by so many games at a time."""
        import numpy as np

        from simkit.tally import Tally

        self.engine, self.games = engine, games
        self.tally, self.stop = Tally(engine.plan.layout), np.zeros(1, np.int64)
        self.play(min(games, 1000))

    def play(self, games: int) -> float:
        """Seconds of CPU time that so many games take."""
        began = time.process_time()
        self.engine._call(0, games, self.engine.ring, self.tally, self.stop)
        return time.process_time() - began

    def rate(self) -> float:
        """Games per second by CPU time, best of three passes like the C program's."""
        return self.games / min(self.play(self.games) for _ in range(3))

    def battles(self) -> float:
        counts = self.tally.counts("battles")
        return float((counts.values * counts.games).sum() / counts.games.sum())


def pin(cores: set[int]) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)


Rates = dict[str, list[float]]


def in_turn(ours: dict[str, Bench], variants: dict[int, str]) -> dict[str, float]:
    """Medians of games per second of the C program's variants and of ours, which play in turn."""
    rates: Rates = {}
    with tempfile.TemporaryDirectory() as folder:
        program = yardstick_program(Path(folder))
        if program is None:
            print("The C program could not be compiled here; its rates on the machine of README.md stand there.")
        for _ in range(ROUNDS):
            for variant, name in variants.items() if program else ():
                rates.setdefault(f"C variant {variant} ({name})", []).append(yardstick_rate(program, variant))
            for name, bench in ours.items():
                rates.setdefault(name, []).append(bench.rate())
    return {name: statistics.median(values) for name, values in rates.items()}


def print_rates(medians: dict[str, float], variants: dict[int, str]) -> None:
    """The rates as a table, with their ratios to the C program's."""
    c = [medians.get(f"C variant {variant} ({name})") for variant, name in variants.items()]
    heads = " | ".join(f"× {name} C" for name in ("plain", "best scalar", "SIMD")[: len(variants)])
    print(f"\n| one thread, by CPU time, medians of {ROUNDS} | games/s | {heads} |\n|---|---|{'---|' * len(variants)}")
    for name, rate in medians.items():
        print(f"| {name} | {rate:,.0f} | {' | '.join(f'{rate / each:.2f}' if each else '–' for each in c)} |")


@contextlib.contextmanager
def one_core() -> Iterator[None]:
    """Within, this process stays on one core."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else {0}
    pin({max(cores)})
    yield
    pin(cores)


def speed() -> None:
    """War's ratios to the C program, alternating."""
    with one_core():
        ours = {
            "War as in C, basic columns": Bench("war", SAME_RULES, "basic"),
            "War as in C, all columns": Bench("war", SAME_RULES, "all"),
            "War, shuffled pick-up, basic columns": Bench("war", {"short_war_rule": "lose"}, "basic"),
            "War, default rules, all columns": Bench("war", {}, "all"),
            "War for three, all columns": Bench("war-multi", {}, "all"),
            "Război, all columns": Bench("razboi", {}, "all"),
        }
        medians = in_turn(ours, VARIANTS)
    print_rates(medians, VARIANTS)
    first, shuffled = ours["War as in C, basic columns"], ours["War, shuffled pick-up, basic columns"]
    per_battle = [
        1e9 / medians[name] / bench.battles()
        for name, bench in (("War as in C, basic columns", first), ("War, shuffled pick-up, basic columns", shuffled))
    ]
    print(
        f"\nns a battle: winner_first {per_battle[0]:.2f}, shuffled {per_battle[1]:.2f}, {per_battle[1] / per_battle[0]:.2f} times as long"
    )


def games() -> None:
    """The games with choices: random players, all columns, against the plain C program."""
    with one_core():
        ours = {f"{game}, {players}": Bench(game, {}, "all", players, few) for game, players, few in PLAYED}
        medians = in_turn(ours, {0: VARIANTS[0]})
    print_rates(medians, {0: VARIANTS[0]})


def decision() -> None:
    """What the loop adds to each decision: legal, observe, choose and step of a game in which nothing happens."""
    import trivial

    with one_core():
        bench = Bench.__new__(Bench)
        bench.take(trivial.engine(), 1000)
        taken = statistics.median(1e9 / bench.rate() / trivial.DECISIONS for _ in range(ROUNDS))
    print(f"\na decision in a trivial game, all told: {taken:.1f} ns")


def pairs() -> None:
    """A million games of Techu, in which two greedy strategies exchange seats, on all cores, by the wall clock."""
    run = [sys.executable, "-m", "simkit", "run", "techu", "--paired", "--players", "greedy_spaces,cheap_capture", "--quiet", "-n"]
    subprocess.run([*run, "1000"], check=True, capture_output=True)
    print(f"\n10^6 paired games of Techu between greedy_spaces and cheap_capture: {seconds([*run, '1e6']):.0f} s")


def threads() -> None:
    """Two threads against one, by the wall clock: means something only on an idle machine."""
    benches = [Bench("war", SAME_RULES, "basic") for _ in range(2)]

    def wall(workers: list[Bench]) -> float:
        began = time.perf_counter()
        running = [threading.Thread(target=bench.play, args=(GAMES,)) for bench in workers]
        for each in running:
            each.start()
        for each in running:
            each.join()
        return len(workers) / (time.perf_counter() - began)

    gains = []
    for _ in range(ROUNDS):
        one, two = wall(benches[:1]), wall(benches)
        gains.append(two / one)
    print(
        f"\ntwo threads: {statistics.median(gains):.2f} times one (median of {ROUNDS}, by the wall clock; {len(os.sched_getaffinity(0))} cores)"
    )


def seconds(command: list[str], **environment: str) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - began


def start() -> None:
    """Cold and warm start of a small run, against the import of numba alone."""
    run = [sys.executable, "-m", "simkit", "run", "war", "-n", "1000", "--quiet"]
    cold = []
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(seconds(run, SIMKIT_CACHE_DIR=folder))
    seconds(run)
    warm, imports = [], []
    for _ in range(ROUNDS):
        imports.append(seconds([sys.executable, "-c", "import numba"]))
        warm.append(seconds(run))
    base = statistics.median(imports)
    print(f"\nstart of `simkit run war -n 1000`: cold {min(cold):.1f} s, warm {statistics.median(warm):.2f} s")
    print(f"that is {statistics.median(warm) / base:.1f} times `import numba` ({base:.2f} s; medians of {ROUNDS})")


def memory() -> None:
    """Peak memory of ten million games, in a process whose only child is the run."""
    run = [sys.executable, "-m", "simkit", "run", "war", "--columns", "basic", "--quiet", "-n"]
    watch = f"import resource, subprocess; subprocess.run({run} + ['1e7'], check=True, capture_output=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    subprocess.run([*run, "1000"], check=True, capture_output=True)  # compiles, if need be
    peak = int(subprocess.run([sys.executable, "-c", watch], check=True, capture_output=True, text=True).stdout) / 1024
    print(f"\npeak memory of 10^7 games of War: {peak:.0f} MB")


PARTS = {"memory": memory, "start": start, "threads": threads, "speed": speed, "games": games, "decision": decision, "pairs": pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of {', '.join(PARTS)}; all if none is given")
    wanted = parser.parse_args().parts or list(PARTS)
    unknown = [part for part in wanted if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}; the parts: {', '.join(PARTS)}")
    import simkit
    from simkit.provenance import versions

    print(
        f"simkit {simkit.__version__} on {processor()}, "
        + ", ".join(f"{name} {version}" for name, version in versions().items() if name in ("python", "numba", "numpy"))
    )
    for part in wanted:
        PARTS[part]()


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        return f"{len(names)} × {names[0]}"
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


if __name__ == "__main__":
    main()
