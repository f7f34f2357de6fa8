"""Many games: the same to the bit however they are played, stopped when told so, and plain words when a strategy errs."""

from __future__ import annotations

import json
import shutil
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simkit
from simkit import api, simulate
from simkit.game import BadInput
from simkit.jit import PLAIN
from simkit.simulate import Engine, GameFault, Stop, Workers, cut, gaps, make_plan
from simkit.tally import Tally
from tests.commands import MOMENTS, python

NEVER = np.zeros(1, np.int64)
GAMES = 6_000 if not PLAIN else 40
CHOICE = {"pickup_order": "player_choice"}
MIXED = ["high_first", "shuffled"]
SETTINGS = {
    "war": ("war", {}, None),
    "war-multi": ("war-multi", {"players": 4, "face_down": 1}, None),
    "razboi": ("razboi", {"players": 3}, None),
    "player_choice": ("war", CHOICE, MIXED),
}


def plan_of(name, **more):
    game, rules, players = SETTINGS[name]
    return make_plan(game, rules=rules, players=players, **{"games": GAMES, "seed": 8, **more})


@pytest.fixture(scope="module")
def whole():
    """Each setting played in one thread by one engine."""
    return {name: Engine(plan_of(name)).play(0, GAMES, NEVER).tally for name in SETTINGS}


def played(plan, **options):
    result = api.play(plan, progress=False, **options)
    assert result.games == plan.games
    return result


def by_workers(plan, jobs, stop=None):
    return Workers(plan, jobs, "threads", "", stop or Stop(), lambda games: None).play([(0, plan.games)])


# ---------------------------------------------------------------------------------------------------- equal to the bit


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("name", SETTINGS)
def test_any_number_of_jobs_gives_the_same_counts(name, jobs, whole):
    assert played(plan_of(name), jobs=jobs).tally.equals(whole[name])


@pytest.mark.parametrize("games", [1, 7, 333, 10**6])
@pytest.mark.parametrize("name", SETTINGS)
def test_any_size_of_a_call_gives_the_same_counts(name, games, whole, monkeypatch):
    engine = Engine(plan_of(name))
    monkeypatch.setattr(simulate, "CALL_SECONDS", 1e-9 if games < 100 else 1.0)
    engine.call_games = float(games)

    assert engine.play(0, GAMES, NEVER).tally.equals(whole[name])


@pytest.mark.parametrize("seconds", [0.002, 0.02, 10])
@pytest.mark.parametrize("name", SETTINGS)
def test_any_size_of_a_part_gives_the_same_counts(name, seconds, whole, monkeypatch):
    monkeypatch.setattr(simulate, "PART_SECONDS", seconds)
    tally, parts = Tally(plan_of(name).layout), list(by_workers(plan_of(name), 2))
    for part in reversed(parts):  # merging is free of order
        tally.merge(part.tally)

    assert tally.equals(whole[name])
    assert gaps([(part.first, part.games) for part in parts], 0, GAMES) == []
    assert sum(part.games for part in parts) == GAMES


@pytest.mark.parametrize("name", SETTINGS)
def test_processes_give_the_same_counts(name, whole):
    assert played(plan_of(name), jobs=2, backend="processes").tally.equals(whole[name])


@pytest.mark.parametrize("backend", ["threads", "processes"])
def test_rows_are_the_same_and_in_order(backend, monkeypatch):
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.01)
    plan = plan_of("player_choice", rows=True)
    engine = Engine(plan)
    rows = engine.play(0, GAMES, NEVER).rows
    frame = played(plan, jobs=3, backend=backend).frame

    assert frame.index.tolist() == list(range(GAMES))
    pd.testing.assert_frame_equal(frame, pd.DataFrame(rows, columns=plan.row_cells, index=frame.index))


def test_counts_are_those_of_the_rows():
    result = played(plan_of("war", rows=True), jobs=2)
    values, counts = result.distribution("wars")
    seen = result.frame["wars"].value_counts().sort_index()

    assert seen.index.tolist() == values.tolist()
    assert seen.tolist() == counts.tolist()


FEW = """
import json
import numpy as np
import simkit
found = []
for game, rules, players in json.loads({settings!r}):
    frame = simkit.run(game, {games}, seed=8, rules=rules, players=players, rows=True, progress=False).frame
    found.append(frame.to_numpy().tolist())
print(json.dumps(found))
"""


@pytest.mark.skipif(PLAIN, reason="compares with plain Python")
def test_plain_python_plays_the_same_games():
    code = FEW.format(settings=json.dumps(list(SETTINGS.values())), games=6)

    assert json.loads(python(code, NUMBA_DISABLE_JIT="1")) == json.loads(python(code))


AGAIN = """
import simkit
from simkit.jit import CACHE_FOLDER
from simkit.play import loop_dispatcher, search_dispatcher
files = lambda: sorted(path.name for path in CACHE_FOLDER.rglob("*.nbc"))
before = files()
simkit.run("war", 2000, players="high_first,shuffled", pickup_order="player_choice", progress=False)
simkit.run("techu", 2, players="random+search(1),random", progress=False)
made = [loop_dispatcher("war", False), loop_dispatcher("techu", True), search_dispatcher("techu")]
hits, misses = (sum(sum(getattr(each.stats, name).values()) for each in made) for name in ("cache_hits", "cache_misses"))
print(CACHE_FOLDER, before == files(), hits, misses)
"""


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
def test_a_second_process_compiles_nothing(tmp_path):
    folder = Path(python(AGAIN).split()[0])
    shutil.copytree(folder, tmp_path / folder.name)  # a copy that no other process writes to

    assert python(AGAIN, SIMKIT_CACHE_DIR=str(tmp_path)).split() == [str(tmp_path / folder.name), "True", "3", "0"]


# ------------------------------------------------------------------------------------------------------------ numbering


def test_a_paired_run_plays_each_deal_with_the_players_in_every_seat():
    games = 60
    paired = Engine(plan_of("player_choice", games=2 * games, paired=True, rows=True)).play(0, 2 * games, NEVER).rows
    straight, turned = (
        Engine(make_plan("war", rules=CHOICE, players=players, games=games, seed=8, rows=True)).play(0, games, NEVER).rows
        for players in (MIXED, MIXED[::-1])
    )

    assert np.array_equal(paired[0::2], straight)
    assert np.array_equal(paired[1::2], turned)


def test_a_paired_run_is_the_same_for_any_jobs(monkeypatch):
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.002)
    plan = plan_of("player_choice", games=GAMES + 1, paired=True)
    one = Engine(plan).play(0, plan.games, NEVER).tally

    assert plan.games % 2 == 0
    assert played(plan, jobs=3).tally.equals(one)


def test_a_game_does_not_depend_on_those_before():
    plan = plan_of("player_choice", rows=True)
    rows = Engine(plan).play(0, 40, NEVER).rows

    assert np.array_equal(Engine(plan).play(37, 3, NEVER).rows, rows[37:])


ranges = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 9)), max_size=6)


@given(ranges, st.integers(0, 30), st.integers(0, 70))
def test_gaps_are_what_is_not_done(done, begin, size):
    left = gaps(done, begin, begin + size)
    covered = {game for first, games in done for game in range(first, first + games)}

    assert [game for first, games in left for game in range(first, first + games)] == [
        game for game in range(begin, begin + size) if game not in covered
    ]


@given(st.integers(0, 50), st.integers(1, 200), st.integers(1, 40), st.integers(1, 4))
def test_tasks_are_whole_deals_and_all_of_them(first, games, size, unit):
    first, games = first * unit, games * unit
    tasks = list(cut([(first, games)], size, unit))

    assert [game for begin, n in tasks for game in range(begin, begin + n)] == list(range(first, first + games))
    assert all(begin % unit == 0 and n % unit == 0 and n <= max(size, unit) for begin, n in tasks)


# ------------------------------------------------------------------------------------------------------------- stopping


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_stop_flag_stops_within_a_second(jobs):
    stop, asked, parts = Stop(), [], []
    list(by_workers(plan_of("war", games=10), 1))  # compiled

    def ask():
        asked.extend([time.process_time(), time.monotonic()])
        stop.set()

    timer = threading.Timer(0.2, ask)
    for part in by_workers(plan_of("war", games=10**9), jobs, stop):
        parts.append(part)
        if len(parts) == 3:  # two were played to learn how long games take; the workers have come to play
            timer.start()
    worked, taken = time.process_time() - asked[0], time.monotonic() - asked[1]
    timer.join()

    assert worked < 1  # what others do on this machine does not count
    assert taken < MOMENTS
    assert 0 < sum(part.games for part in parts) < 10**9
    assert all(part.games == part.tally.games == part.tally.counts("outcome").games.sum() for part in parts)


@pytest.mark.parametrize(
    "ask", ["stops[0].interrupted = True; stops[0].set()", "os.kill(os.getpid(), signal.SIGINT)"], ids=["flag", "ctrl_c"]
)
def test_a_strategy_that_never_answers_cannot_hold_up_the_end(ask, tmp_path):
    file = tmp_path / "slow.py"
    file.write_text(
        textwrap.dedent("""
        from simkit import strategy

        @strategy("war")
        def never(view, moves, n):
            k = 1
            while k != 0:
                k = (k * 5 + 2) & 0xFFFF | 1
            return 0
    """)
    )
    code = textwrap.dedent("""
        import os, signal, sys, threading, time
        import simkit.api, simkit.simulate as simulate
        stops, asked, call = [], threading.Event(), simulate.Engine._call
        class Noted(simulate.Stop):
            def __init__(self):
                super().__init__()
                stops.append(self)
            def set(self):
                super().set()
                time.sleep(0.3)  # longer than one wait for a part: the machine has other things to do
        simkit.api.Stop = Noted
        def call_and_tell(self, *arguments):
            self.compiled.loop  # is ready: nothing but the strategy takes time from here
            asked.set()
            return call(self, *arguments)
        simulate.Engine._call = call_and_tell
        def tell():
            asked.wait()
            time.sleep(0.5)
            exec(sys.argv[2])
        threading.Thread(target=tell, daemon=True).start()
        result = simkit.api.run("war", 100, players=sys.argv[1], pickup_order="player_choice", progress=False)
        print(result.interrupted, result.games)
    """)  # fmt: skip

    assert python(code, f"{file}:never", ask).split() == ["True", "0"]


@pytest.mark.parametrize("jobs", [2, 3])
def test_looks_of_a_stop_rule_are_the_same_for_any_jobs(jobs, monkeypatch):
    monkeypatch.setattr(simulate, "PART_SECONDS", 0.01)
    options = {"until": "battles=6", "progress": False, "seed": 3}
    one, several = simkit.run("war", jobs=1, **options), simkit.run("war", jobs=jobs, **options)

    assert one.games == several.games < 10**6
    assert one.tally.equals(several.tally)
    assert one.mean("battles").half_width <= 6
    assert one.notes == several.notes
    assert "fixed-width" in one.notes[0]


def test_a_width_that_is_not_reached_is_said():
    result = simkit.run("war", 500, until="battles=0.001", progress=False)

    assert result.games == 500
    assert result.notes == ("battles=0.001 was not reached within 500 games",)


@pytest.mark.parametrize("until", ["battles", "battles=0", "battles=-1", "battles=inf", "battles=nan", "nope=1", "win_rate_2=0.01"])
def test_stop_rules_that_mean_nothing_are_refused(until):
    with pytest.raises(BadInput):
        simkit.run("war", 10, until=until, progress=False)


# --------------------------------------------------------------------------------------------------------------- faults

FAULTY = '''
from simkit import strategy


@strategy("war")
def beyond(view, moves, n):
    """An index that is not there, late in a game."""
    return n if view.table.battles > 300 else 0


@strategy("war")
def negative(view, moves, n):
    """A negative index."""
    return -1


@strategy("war")
def raises(view, moves, n):
    """An exception, late in a game."""
    if view.table.battles > 300:
        raise ValueError("no idea")
    return 0


@strategy("war")
def divides(view, moves, n):
    """A division by zero."""
    return n // (n - 5)


@strategy("war")
def floats(view, moves, n):
    """No index."""
    return n / 2


@strategy("war")
def nothing(view, moves, n):
    """No index."""
    view.memory[0] = n


@strategy("war")
def misspelt(view, moves, n):
    """A field that is not there."""
    return view.tabel.battles % n


@strategy("war")
def misspelt_within(view, moves, n):
    """A field of a record within that is not there."""
    return view.table.batles % n


@strategy("war")
def undefined(view, moves, n):
    """A name that is not there."""
    return moves[0] + numbr


@strategy("war")
def too_clever(view, moves, n):
    """What numba cannot compile."""
    return max(moves[:n], key=lambda move: -move)


@strategy("war")
def truth(view, moves, n):
    """True is 1."""
    return n > 2


@strategy("war", margin=1.0)
def fair(view, moves, n):
    """Uses its number."""
    return 2 if view.params[0] > 1 else 3
'''


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    path = tmp_path_factory.mktemp("players") / "faulty.py"
    path.write_text(FAULTY)
    return path


def trial(player, **options):
    return simkit.run(
        "war", **{"games": 3000 if not PLAIN else 30, "players": [player, "random"], "rules": CHOICE, "progress": False, **options}
    )


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(("name", "word"), [("beyond", "chose move 5, which is not there"), ("raises", "raised ValueError (no idea)")])
def test_a_strategy_that_errs_is_named_with_the_game_and_its_replay(name, word, jobs, faulty, monkeypatch):
    from simkit.replay import Replay, lines

    monkeypatch.setattr(simulate, "PART_SECONDS", 0.01)
    with pytest.raises(GameFault) as caught:
        trial(f"{faulty}:{name}", jobs=jobs)
    text = str(caught.value)
    number = int(text.split(" of game ")[1].split(";")[0])

    assert "\n" not in text
    assert f"strategy {faulty}:{name} {word}" in text
    assert " in seat 0 of game " in text
    assert (
        f"see it with: simkit replay war --seed 1 --game {number} --rule pickup_order=player_choice --players {faulty}:{name},random"
        in text
    )
    plan = make_plan("war", rules=CHOICE, players=[f"{faulty}:{name}", "random"])
    with pytest.raises(GameFault, match=f"in seat 0 of game {number}"):
        list(lines(Replay(plan, number)))


@pytest.mark.parametrize(("name", "word"), [("negative", "chose move -1"), ("divides", "raised ZeroDivisionError")])
def test_errors_of_the_first_decision_are_caught_too(name, word, faulty):
    with pytest.raises(GameFault, match=f"strategy .*:{name} {word}.* in seat 0 of game 0; see it with: simkit replay"):
        trial(f"{faulty}:{name}", jobs=1)


def test_a_replay_says_how_the_legal_moves_are_numbered(faulty):
    from simkit.replay import Replay, lines

    replay = Replay(make_plan("war", rules=CHOICE, players=[f"{faulty}:negative", "random"]), 0)
    with pytest.raises(GameFault, match=r":negative returned -1, but the \d+ legal moves are numbered 0 to \d+, in seat 0 of game 0$"):
        list(lines(replay))
    with pytest.raises(GameFault, match=r"returned 1, but the only legal move is numbered 0, in seat 0"):
        replay._check(1, 1, 0, 0)


def test_the_seat_and_the_player_of_a_paired_game_are_told_apart(faulty):
    plan = make_plan("war", rules=CHOICE, players=["random", f"{faulty}:negative"], games=2, paired=True)
    with pytest.raises(GameFault, match=r"negative chose move -1.* in seat 0 of game 1; .* --paired$"):
        Engine(plan).play(1, 1, NEVER)


def test_an_error_in_another_process_is_the_same_line(faulty):
    with pytest.raises(GameFault, match=r"strategy .*:beyond chose move 5.* of game \d+; see it with: simkit replay"):
        trial(f"{faulty}:beyond", jobs=2, backend="processes", games=20_000)


@pytest.mark.skipif(PLAIN, reason="plain Python compiles nothing")
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("floats", "must return an index into moves[:n], not float64"),
        ("nothing", "must return an index into moves[:n], not none"),
        ("misspelt", "return view.tabel.battles % n: there is no tabel; did you mean table?"),
        ("misspelt_within", "return view.table.batles % n: there is no batles; did you mean battles?"),
        ("undefined", "return moves[0] + numbr: there is no numbr"),
        ("too_clever", "return max(moves[:n], key=lambda move: -move): No implementation of function"),
    ],
)
def test_a_strategy_that_does_not_compile_is_told_in_one_line(name, word, faulty):
    with pytest.raises(BadInput) as caught:
        trial(f"{faulty}:{name}")
    text = str(caught.value)
    number = 1 + FAULTY[: FAULTY.index(word.split(":")[0])].count("\n") if ": " in word and "return" in word[:6] else 0

    assert word in text
    assert f"strategy {name}" in text
    assert "\n" not in text
    assert len(text) < 400
    assert not number or f"faulty.py:{number}:" in text


def test_a_number_changes_what_a_strategy_does(faulty):
    low, high = trial(f"{faulty}:fair"), trial(f"{faulty}:fair(margin=2)")

    assert low.tally.equals(trial("low_first").tally)
    assert high.tally.equals(trial("high_first").tally)
    assert trial(f"{faulty}:truth").tally.equals(trial("losers_first").tally)


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize("games", [0, -1, 1.5, float("nan"), float("inf"), 1e16])
def test_numbers_of_games_that_cannot_be(games):
    with pytest.raises(BadInput):
        make_plan("war", games=games)


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_seeds_that_cannot_be(seed):
    with pytest.raises(BadInput):
        make_plan("war", seed=seed)


@pytest.mark.parametrize(
    "options", [{"jobs": 0}, {"backend": "ray"}, {"address": "127.0.0.1:8786"}, {"players": ["random"] * 3}, {"columns": "nope"}]
)
def test_options_that_cannot_be(options):
    with pytest.raises(BadInput):
        simkit.run("war", 10, progress=False, **options)


def test_the_largest_seed_and_late_games_can_be_played():
    plan = make_plan("war", seed=2**63 - 1, rows=True)

    assert Engine(plan).play(10**15 - 1, 1, NEVER).games == 1


def test_code_that_is_not_the_same_is_refused_by_a_worker():
    plan = plan_of("war", games=100, seed=991)
    with pytest.raises(BadInput, match="has other code"):
        simulate.play_part(plan.as_dict(), "another", 0, 10)
