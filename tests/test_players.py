"""Who plays: texts of players, bundles whose parts can be exchanged, and search in front of any of them."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from simkit.game import BadInput
from simkit.games import find
from simkit.jit import PLAIN
from simkit.play import BLIND, NUMBERED
from simkit.players import compile_strategy, looks_at_game, read_player, read_players, split_players
from simkit.replay import Replay
from simkit.simulate import Engine, GameFault, make_plan

NEVER = np.zeros(1, np.int64)
TECHU = find("techu")
PARTS = """
    from simkit.players import bundle, strategy

    @strategy("techu", "starter", pick=0)
    def first_starter(view, moves, n):
        '''The starter whose number it is told.'''
        return min(int(view.params[0]), n - 1)

    @strategy("techu", "turn", back=1, pick=5)
    def from_the_end(view, moves, n):
        '''The back-th move from the end.'''
        return max(n - int(view.params[0]), 0)

    @strategy("techu")
    def first(view, moves, n):
        '''The first move, always.'''
        return 0

    @strategy("techu", "turn")
    def wrong_in_seat_1(view, moves, n):
        return n if view.seat == 1 else 0

    @strategy("techu")
    def changes_the_list(view, moves, n):
        moves[0] = 7
        return 0

    @strategy("techu")
    def takes_two(view, moves):
        return 0

    @strategy("techu")
    def imports(view, moves, n):
        import math
        return 0

    bundle("techu", "both", "A starter and a turn. And more.", starter=first_starter, turn=from_the_end, numbers={"back": 2})
    bundle("techu", "rest", "One part, and another for the rest.", starter=first_starter, default=first)
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("players") / "mine.py"
    path.write_text(textwrap.dedent(PARTS))
    return path


def rows(players, games=20, **more) -> list[list[int]]:
    plan = make_plan("techu", players=players, games=games, rows=True, **more)
    return Engine(plan).play(0, games, NEVER).rows.tolist()


def test_a_text_is_split_where_players_end():
    assert split_players("a(x=1,y=2),b[push=c,call=d(z=3)],e+search(2)") == ["a(x=1,y=2)", "b[push=c,call=d(z=3)]", "e+search(2)"]


def test_a_bundle_takes_the_numbers_of_its_parts(file):
    """`back` is the bundle's own default; `pick` is one number for both parts."""
    player = read_player(TECHU, f"{file}:both(pick=3)")
    assert [part.strategy.name for part in player.parts] == ["first_starter", "from_the_end"]
    assert [part.numbers for part in player.parts] == [(3.0,), (2.0, 3.0)]
    assert player.parts[0].strategy.summary == "The starter whose number it is told."


def test_a_part_can_be_exchanged(file):
    player = read_player(TECHU, f"{file}:both(back=7)[turn=greedy_spaces(starter=1)]")
    assert [part.strategy.name for part in player.parts] == ["first_starter", "greedy_spaces"]
    assert player.parts[1].numbers[0] == 1.0


def test_the_kinds_that_a_bundle_does_not_name_have_its_default(file):
    assert [part.strategy.name for part in read_player(TECHU, f"{file}:rest").parts] == ["first_starter", "first"]


def test_a_bundle_plays_as_its_parts_do(file):
    """The same rows as one plain function that decides both kinds alike."""
    assert rows([f"{file}:rest", "random"]) == rows([f"{file}:first", "random"])
    assert rows([f"{file}:rest(pick=2)", "random"]) != rows([f"{file}:first", "random"])
    assert rows([f"{file}:both(back=1)", "random"]) != rows([f"{file}:both", "random"])


def test_the_text_for_another_folder_names_every_file_in_full(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    player = read_player(TECHU, "mine.py:both(back=3)[turn=mine.py:first]+search(2)")
    assert player.anywhere == f"{file}:both(back=3)[turn={file}:first]+search(2)"
    again = read_player(TECHU, player.anywhere)
    assert (again.parts, again.guesses, player.files) == (player.parts, 2, {file})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{file}:first_starter", "decides only starter, not turn; use it as a part: other[starter=first_starter]"),
        ("{file}:both[turn={file}:first_starter]", "first_starter decides only starter, not turn"),
        ("{file}:both[trun=random]", "techu has no decision trun; did you mean turn?"),
        ("{file}:both[turn]", "techu has no decision turn"),
        ("{file}:both[turn=random+search(2)]", "is no part of a player"),
        ("{file}:both(back=1e999)", "1e999 is no number"),
        ("{file}:both(back=)", "nothing is no number"),
        ("{file}:both(bakc=1)", "takes no number bakc; did you mean back?"),
        ("random+search(0)", "write how many guesses"),
        ("random+search(x)", "write how many guesses"),
        ("random+search(1e9)", "write how many guesses"),
        ("random+seek(2)", "names no player"),
    ],
)
def test_a_text_that_names_no_player(file, text, complaint):
    with pytest.raises(BadInput, match=r"^[^\n]+$") as caught:
        read_player(TECHU, text.format(file=file))
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("bundle('techu', 'b', '', turn=len)", "len is no strategy of techu; decorate it with @strategy"),
        (
            "bundle('techu', 'b', '', turn='first')",
            "a part is a strategy's function, not its name 'first'; import the function from its file",
        ),
        ("bundle('techu', 'b', '', default=f, numbers={'maring': 1})", "takes the number maring; did you mean margin?"),
        ("bundle('techu', 'b', '', start=f)", "techu has no decision start; did you mean starter?"),
    ],
)
def test_a_bundle_that_cannot_be(tmp_path, lines, complaint):
    head = "from simkit.players import bundle, strategy\n@strategy('techu', margin=1)\ndef f(view, moves, n):\n    return 0\n"
    (tmp_path / "mine.py").write_text(head + lines)
    with pytest.raises(BadInput) as caught:
        read_player(TECHU, f"{tmp_path}/mine.py:b")
    assert complaint in str(caught.value)


@pytest.mark.skipif(PLAIN, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("changes_the_list", "moves[0] = 7: moves may only be read"),
        ("takes_two", "function takes 2 arguments"),
        ("imports", "opcode (IMPORT_NAME)"),
    ],
)
def test_what_does_not_compile_is_told_in_a_line(name, word, file):
    with pytest.raises(BadInput) as told:
        compile_strategy(read_player(TECHU, f"{file}:{name}").parts[0].strategy, TECHU)
    assert word in str(told.value)
    assert "\n" not in str(told.value)


def test_a_bundle_itself_is_not_compiled(file):
    made = read_player(TECHU, f"{file}:both").parts[0].strategy
    compile_strategy(made, TECHU)
    from simkit.players import named

    with pytest.raises(TypeError, match="its parts are what is compiled"):
        compile_strategy(named("techu", file=file)["both"], TECHU)


# -------------------------------------------------------------------------------------------------------------- search

SEARCHING = ["greedy_spaces+search(2)" if not PLAIN else "random+search(1)", "random"]


def test_a_game_without_a_guess_is_not_searched():
    with pytest.raises(BadInput, match="war cannot be searched"):
        read_players(find("war"), "random+search(3)", 2)


def test_a_searched_game_is_the_same_however_it_is_cut_up():
    games = 24
    plan = make_plan("techu", players=SEARCHING, games=games, rows=True, paired=True)
    whole = Engine(plan).play(0, games, NEVER).rows
    again = Engine(plan)
    parts = [again.play(first, 2, NEVER).rows for first in range(0, games, 2)]
    assert np.array_equal(whole, np.concatenate(parts[::-1])[np.argsort(np.repeat(np.arange(games // 2)[::-1], 2), kind="stable")])


@pytest.mark.modes
def test_a_replay_searches_as_the_run_does():
    """The same row, and every deviation is one that the totals speak for."""
    plan = make_plan("techu", players=SEARCHING, games=4, rows=True, seed=3)
    numbers = range(1 if PLAIN else 4)
    kept = [Engine(plan).play(number, 1, NEVER).rows[0].tolist() for number in numbers]
    deviations = 0
    for number in numbers:
        replay = Replay(plan, number)
        made = [event["decision"] for event in replay if "decision" in event]
        assert [replay.row[name] for name in plan.row_cells] == kept[number]
        assert all("search" not in each for each in made if each["seat"] == 1 or len(each["legal"]) == 1)
        for each in (each for each in made if "search" in each):
            totals, own = each["search"]["total_payoffs"], each["search"]["without"]
            assert len(totals) == len(each["legal"])
            assert all(0 <= total <= 2 * 2 for total in totals)
            if each["move"] != each["legal"][own]:
                deviations += 1
                assert totals[each["legal"].index(each["move"])] == max(totals) > totals[own]
    assert deviations > 0 or PLAIN


def test_searching_beats_not_searching():
    """Far above what two equal players can do to each other by luck."""
    from simkit.api import play

    plan = make_plan("techu", players=["greedy_spaces+search(20)", "greedy_spaces"], games=60, paired=True, rows=True)
    frame = play(plan, jobs=1, progress=False).frame
    points = np.where(np.arange(len(frame)) % 2 == 0, frame.payoff_0, frame.payoff_1).reshape(-1, 2).mean(axis=1) / 2
    assert points.mean() - 4 * points.std() / len(points) ** 0.5 > 0.5


def test_a_wrong_move_within_a_trial_stops_the_run(file):
    """The wrapped strategy is right where it sits, and wrong in the other seat, where it sits in trials only."""
    plan = make_plan("techu", players=[f"{file}:first[turn={file}:wrong_in_seat_1]+search(3)", "random"], games=1)
    with pytest.raises(GameFault, match=r"in a trial of game 0; see it with: simkit replay techu"):
        Engine(plan).play(0, 1, NEVER)
    with pytest.raises(GameFault, match="in a trial of game 0"):
        list(Replay(plan, 0))


def test_a_search_stops_when_told_so(file):
    stop = np.ones(1, np.int64)
    plan = make_plan("techu", players=SEARCHING, games=5)
    assert Engine(plan).play(0, 5, stop).games == 0


# --------------------------------------------------------------------------------------- players who look at nothing


def looks_nowhere(view, moves, n):
    view.memory[0] += 1
    return int(view.rng[0]) % n if view.decision == 0 and view.seat == 1 else int(view.params[0]) % n


def looks_at_the_table(view, moves, n):
    return int(view.table.turn) % n


def hands_its_view_on(view, moves, n):
    return looks_at_the_table(view, moves, n)


def names_its_view_anew(view, moves, n):
    other = view
    return int(other.memory[0]) % n


@pytest.mark.parametrize(
    ("function", "looks"),
    [(looks_nowhere, False), (looks_at_the_table, True), (hands_its_view_on, True), (names_its_view_anew, True), (len, True)],
)
def test_who_looks_at_the_game(function, looks):
    assert looks_at_game(function) == looks


def test_who_takes_numbers():
    """Only a part that looks at its numbers is handed them."""
    player = read_player(find("ten"), "steady[bid=min_raise(cap=3),purchase=random_purchase]")

    assert [part.strategy.takes_numbers for part in player.parts] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("game", "players"),
    [("techu", "random"), ("techu", "random,greedy_spaces"), ("stealing-war", "random"), ("tichu", "steady[push=push_random,gift=gift_next]"),
     ("ten", "random[draw=threshold]"), ("tacocat", "random")],
)  # fmt: skip
def test_what_is_not_looked_at_need_not_be_shown(game, players):
    """The same rows where every decision is shown; parts that look see the whole game, whatever their seat was not shown before."""
    plan = make_plan(game, players=players, games=60, rows=True)
    engine, showing = Engine(plan), Engine(plan)
    assert engine.settings[BLIND] > 0
    showing.settings[BLIND], showing.settings[NUMBERED] = 0, -1

    assert np.array_equal(engine.play(0, 60, NEVER).rows, showing.play(0, 60, NEVER).rows)


def test_whoever_searches_is_shown_all():
    assert Engine(make_plan("techu", players="random+search(3),greedy_spaces")).settings[BLIND] == 0


def test_what_a_strategy_writes_into_its_view_ends_with_the_game(tmp_path):
    """Its view's rules too: else a game would depend on which games were played before it in the same thread."""
    (tmp_path / "mine.py").write_text(
        "from simkit import strategy\n\n\n@strategy('techu')\ndef writes(view, moves, n):\n"
        "    view.rules.hand_size += 1\n    return view.rules.hand_size % n\n"
    )
    plan = make_plan("techu", players=f"{tmp_path}/mine.py:writes", games=20, rows=True)
    whole, apart = Engine(plan), Engine(plan)

    assert np.array_equal(whole.play(0, 20, NEVER).rows, np.concatenate([apart.play(k, 1, NEVER).rows for k in reversed(range(20))])[::-1])
