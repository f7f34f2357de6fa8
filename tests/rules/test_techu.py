"""The rules page of Techu (docs/rules/techu.md) put to the test: its worked examples under their numbers, its parameters.

The worked examples are asked of the kernel and of its slow twin.
"""

from __future__ import annotations

import numpy as np
import pytest

from simkit.game import DRAW, OVER, WIN
from simkit.games import find, techu
from simkit.jit import CHECKED
from simkit.simulate import Engine, make_plan
from tests import techu_state
from tests.reference import techu as reference
from tests.techu_state import BLACK, RED, A, J, K, KernelGame, Q, TwinGame, encoded, given_decks, legal_moves

pytestmark = pytest.mark.modes
many_games = pytest.mark.skipif(CHECKED, reason="thousands of games take minutes without the compiler, and show no other indices")


@pytest.fixture(params=[KernelGame, TwinGame], ids=["kernel", "reference"])
def at(request):
    """One of the two implementations: `at(board, hands, decks, to_act, **rules)` is a game in this position."""
    return request.param


def spaces(game):
    return len(game.held(BLACK)), len(game.held(RED))


def reachable(game):
    """Where the player to act may place any card."""
    return {cell for _, cell in game.legal() if cell is not None}


def deck_with(*front):
    """A player's cards with these in front, the others ascending."""
    rest = [rank for rank in range(2, 15) for _ in range(2)]
    for rank in front:
        rest.remove(rank)
    return [*front, *rest]


def kernel_game(decks, starters, **rules):
    """Row, and the spaces before each turn, of a game with these starters (Black, Red, Black, …) and then first legal moves."""
    state, wanted, seen = given_decks(decks, **rules), list(starters), []
    techu.start(state)
    while state["seat"] != OVER:
        moves = legal_moves(state)
        if state["decision"] == techu.TURN:
            seen.append([int(spaces).bit_count() for spaces in state["table"]["held"]])
        move = encoded(*wanted.pop(0)) if state["decision"] == techu.STARTER else moves[0]
        assert move in moves
        techu.step(state, move)
    return techu_state.row(state), seen, int(state["last_actor"])


def twin_game(decks, starters, **rules):
    wanted, seen, actors = list(starters), [], []

    def choose(seat, kind, legal, game, stream):
        if kind == reference.STARTER:
            return legal.index(encoded(*wanted.pop(0)))
        seen.append([game.spaces(player) for player in (BLACK, RED)])
        actors.append(seat)
        return 0

    return reference.play_decks(decks, rules, choose=choose), seen, actors[-1]


@pytest.fixture(params=[kernel_game, twin_game], ids=["kernel", "reference"])
def whole(request):
    return request.param


# ---------------------------------------------------------------------------------------------- worked examples (9)


def test_example_01_first_turn(whole):
    row, _, last = whole([deck_with(4, 10, K), deck_with(9, 2, 3)], [(4, (0, 2)), (9, (4, 2))])

    assert (row["first_mover"], row["k"], row["turns"], last) == (BLACK, 1, 50, RED)


def test_example_02_starter_tie(whole):
    decks = [deck_with(6, 10, K, Q), deck_with(6, 2, 3, 5)]
    row, seen, last = whole(decks, [(6, (0, 2)), (6, (4, 2)), (Q, (0, 0)), (5, (4, 3))])

    assert (row["first_mover"], row["k"], row["turns"], last) == (RED, 2, 48, BLACK)
    assert seen[0] == [2, 2]
    assert [row[name] for name in ("starter_0", "starter_1", "last_starter_0", "last_starter_1")] == [6, 6, Q, 5]


def test_example_03_reach(at):
    around = {(0, 0), (0, 1), (0, 3), (0, 4), (1, 2)}
    game = at({(0, 2): (BLACK, 7)}, [[2, 8], [3]])

    assert {cell for rank, cell in game.legal() if rank == 2} == around | {None}
    assert {cell for rank, cell in game.legal() if rank == 8} == around | {(0, 2), None}


def test_example_04_strictly_higher(at):
    game = at({(0, 2): (BLACK, 9), (1, 2): (BLACK, 5), (2, 2): (RED, 8)}, [[8, 9], [3]])

    assert (8, (2, 2)) not in game.legal()
    game.act(9, (2, 2))
    assert spaces(game) == (3, 0)


def test_example_05_own_card(at):
    game = at({(0, 2): (BLACK, 9), (1, 2): (BLACK, 5)}, [[5, 6, 9], [3]])

    assert (5, (0, 2)) not in game.legal()
    assert (9, (0, 2)) not in game.legal()
    game.act(6, (1, 2))
    assert spaces(game) == (2, 0)
    assert game.stack((1, 2)) == [(BLACK, 5), (BLACK, 6)]


def test_example_06_a_chain_pushed_back(at):
    board = {(0, 2): (BLACK, 9), (1, 2): (BLACK, 5), (2, 2): (BLACK, 4), (3, 2): (BLACK, 3), (4, 2): (RED, 2)}
    game = at(board, [[2, 2, 3, 3], [6, 7, 8, 10]], to_act=RED)

    game.act(6, (4, 2))
    assert game.stack((4, 2)) == [(RED, 2), (RED, 6)]
    game.act(2)
    game.act(7, (3, 2))
    game.act(2)
    game.act(8, (2, 2))
    assert game.held(BLACK) == game.linked(BLACK) == {(0, 2), (1, 2)}
    game.act(3)
    game.act(10, (1, 2))
    assert game.held(BLACK) == {(0, 2)}


SEVEN = {
    (0, 2): (BLACK, 9), (1, 2): (BLACK, 5), (1, 1): (BLACK, 4), (2, 1): (BLACK, 4),
    (4, 2): (RED, 9), (3, 2): (RED, 9), (2, 2): (RED, 9),
}  # fmt: skip


@pytest.mark.parametrize(("count_rule", "score"), [("all", 3), ("linked", 1)])
def test_example_07_cut_off_counts(at, count_rule, score):
    game = at(SEVEN, [[2, 10], [J]], to_act=RED, count_rule=count_rule)

    game.act(J, (1, 2))
    assert (len(game.held(BLACK)), len(game.linked(BLACK))) == (3, 1)
    assert (game.row()["cut_events_0"], game.row()["spaces_cut_0"]) == (1, 2)
    assert (10, (3, 1)) not in game.legal()
    discards = at(SEVEN | {(1, 2): (RED, J)}, [[10], []], count_rule=count_rule)
    discards.act(10)
    assert discards.row()["margin"] == abs(4 - score)
    game.act(2, (0, 1))
    assert len(game.held(BLACK)) == 4
    assert game.linked(BLACK) == game.held(BLACK)


def test_example_08_playing_on_a_cut_off_own_card(at):
    game = at(SEVEN | {(1, 2): (RED, J)}, [[6], [3]])

    assert (6, (2, 1)) not in game.legal()
    assert (6, (1, 1)) not in game.legal()


def test_example_09_home_row_taken(at):
    board = {(0, 0): (RED, 5), (0, 1): (RED, J), (0, 2): (RED, A), (0, 3): (RED, A), (0, 4): (RED, 3), (1, 1): (BLACK, 9)}
    game = at(board, [[4, 10, Q], [3]])

    assert game.linked(BLACK) == set()
    placements = {(10, (0, 0)), (Q, (0, 0)), (Q, (0, 1)), (4, (0, 4)), (10, (0, 4)), (Q, (0, 4))}
    assert set(game.legal()) == placements | {(4, None), (10, None), (Q, None)}
    game.act(Q, (0, 1))
    assert game.linked(BLACK) == {(0, 1), (1, 1)}


def test_example_10_enemy_home(at):
    board = {(0, 2): (BLACK, 9), (1, 2): (BLACK, 9), (2, 2): (BLACK, 9), (3, 2): (BLACK, 9), (4, 2): (RED, Q)}
    game = at(board, [[K, 2], [A, 3]])

    game.act(K, (4, 2))
    assert (4, 2) in game.held(BLACK)
    assert (A, (4, 2)) in game.legal()
    assert (game.row()["enemy_home_placed_0"], game.row()["enemy_home_first_0"]) == (1, 1)
    assert (K, (4, 2)) not in at(board, [[K, 2], [A, 3]], opponent_home="closed").legal()


def last_action(at, hand, *, black, red, weak=None, mover=BLACK, **rules):
    """A board with so many spaces of each, all linked but high, the mover's last card in hand; `weak` is a Red or Black 2 at (2,0)."""
    cells = [(row, column) for row in range(5) for column in range(5) if (row, column) != (2, 0)]
    board = {cell: (BLACK, 9) for cell in cells[:black]}
    board |= {cell: (RED, 9) for cell in cells[len(cells) - red :]}
    if weak is not None:
        board[2, 0] = (weak, 2)
    hands = [[], []]
    hands[mover] = hand
    return at(board, hands, to_act=mover, **rules)


def techu_of(game):
    row = game.row()
    return row["outcome"], row["winner"], row["margin"], row["techu"], row["techu_kind"], row["techu_missed"]


def test_example_11_techu_two_on_empty(at):
    game = last_action(at, [2], black=12, red=12, mover=RED)
    game.act(2, (2, 0))

    assert (game.to_act(), spaces(game)) == (OVER, (12, 13))
    assert techu_of(game) == (WIN, RED, 1, 1, 1, 0)


def test_example_12_techu_three_on_two(at):
    three = last_action(at, [3], black=12, red=12, weak=RED)
    assert spaces(three) == (12, 13)
    three.act(3, (2, 0))
    assert techu_of(three) == (WIN, BLACK, 1, 1, 2, 0)

    four = last_action(at, [4], black=12, red=12, weak=RED)
    four.act(4, (2, 0))
    assert techu_of(four) == (WIN, BLACK, 1, 0, 0, 0)

    own = last_action(at, [3], black=11, red=13, weak=BLACK)
    assert spaces(own) == (12, 13)
    own.act(3, (2, 0))
    assert techu_of(own) == (WIN, RED, 1, 0, 0, 0)


def test_example_13_no_techu(at):
    level = last_action(at, [2], black=11, red=12)
    level.act(2, (2, 0))
    assert techu_of(level) == (DRAW, -1, 0, 0, 0, 0)

    discards = last_action(at, [2], black=14, red=10)
    discards.act(2)
    assert techu_of(discards)[:4] == (WIN, BLACK, 4, 0)
    assert discards.row()["techu_missed"] == 1  # the 2 might have gone on the empty space


def test_example_14_card_count():
    state = given_decks([deck_with(4, 10, K), deck_with(9, 2, 3)])
    hands = []
    for now in techu_state.played(state, lambda now, moves: moves[0]):
        if now["decision"] == techu.TURN and now["seat"] == BLACK:
            hands.append((int(now["table"]["hand_size"][BLACK]), int(now["table"]["deck_size"][BLACK])))

    assert len(hands) == 25
    assert hands[0] == (3, 22)
    assert hands[22:] == [(3, 0), (2, 0), (1, 0)]


# ------------------------------------------------------------------------------------------------------- parameters (5)


def test_techu_scope_own_last_action(at):
    board = {(row, column): (BLACK if row < 3 else RED, 9) for row in range(5) for column in range(5) if (row, column) != (2, 0)}
    for scope, found in [("last_action", 0), ("own_last_action", 1)]:
        game = at(board, [[2], [3]], to_act=BLACK, techu_scope=scope)
        game.act(2, (2, 0))
        game.act(3)
        assert (game.row()["winner"], game.row()["techu"]) == (BLACK, found)


def test_points_pay_the_techu_value(at):
    game = last_action(at, [2], black=12, red=12, mover=RED, techu_value=3)
    game.act(2, (2, 0))

    assert [game.row()[name] for name in ("payoff_0", "payoff_1", "points_0", "points_1")] == [0, 2, 0, 5]


def test_discards_only_when_forced(at):
    free = at({(0, 2): (BLACK, 7)}, [[2, 8], [3]], voluntary_discard=False)
    stuck = at({(0, column): (RED, A) for column in range(5)}, [[2, 8], [3]], voluntary_discard=False)

    assert all(cell is not None for _, cell in free.legal())
    assert stuck.legal() == [(2, None), (8, None)]
    stuck.act(2)
    assert (stuck.row()["discards_forced_0"], stuck.row()["stuck_turns_0"]) == (1, 1)


def test_a_player_without_cards_is_skipped(at):
    game = at({(0, 2): (BLACK, 7)}, [[2, 8], []])

    game.act(2, (0, 1))
    assert game.to_act() == BLACK
    game.act(8, (0, 3))
    assert game.to_act() == OVER


def test_coin_and_random_first_turns_are_not_replayed(whole):
    decks = [deck_with(6, 10, K), deck_with(6, 2, 3)]
    starters = [(6, (0, 2)), (6, (4, 2))]

    for rules in ({"tie_replay": "coin"}, {"first_turn": "random"}):
        row, _, _ = whole(decks, starters, **rules)
        assert (row["k"], row["turns"]) == (1, 50)


def test_high_starter_moves_first(whole):
    row, _, _ = whole([deck_with(4, 10, K), deck_with(9, 2, 3)], [(4, (0, 2)), (9, (4, 2))], first_turn="high_starter")

    assert row["first_mover"] == RED


def test_five_tied_rounds_are_settled_by_a_coin(whole):
    decks = [deck_with(2, 3, 4, 5, 6, 7, 8), deck_with(2, 3, 4, 5, 6, 7, 8)]
    columns = [2, 0, 1, 3, 4]
    starters = [(rank, (4 * player, column)) for rank, column in zip(range(2, 7), columns) for player in (BLACK, RED)]
    row, seen, _ = whole(decks, starters)

    assert (row["k"], row["turns"], seen[0]) == (5, 42, [5, 5])
    assert row["first_mover"] in (BLACK, RED)


# --------------------------------------------------------------------------------------------------- what is seen (7)


def test_a_starter_is_not_seen_before_both_are_in():
    views = []
    for rank in (2, 3):
        state = given_decks([deck_with(2, 3, 4), deck_with(9, 2, 3)])
        techu.start(state)
        techu.step(state, encoded(rank, (0, 2)))
        view = techu_state.new_view(state)
        techu.observe(state, RED, view)
        views.append(view.tobytes())

    assert views[0] == views[1]


@pytest.mark.parametrize(("visibility", "seen"), [("open", [4]), ("hidden", [])])
def test_what_the_opponent_sees_of_a_discard(visibility, seen):
    state = techu_state.position({(0, 2): (BLACK, 7)}, [[4, 8], [3]], discard_visibility=visibility)
    techu.step(state, encoded(4, None))
    view = techu_state.new_view(state)
    techu.observe(state, RED, view)

    assert techu_state.ranks_of(view["table"]["discards"][BLACK]) == seen
    assert (int(view["table"]["history"][0]) == encoded(4, None)) == (visibility == "open")
    assert int(view["table"]["discard_count"][BLACK]) == 1
    techu.observe(state, BLACK, view)
    assert techu_state.ranks_of(view["discards"]) == [4]


# ---------------------------------------------------------------------------------------------------------- the replay


def test_a_replay_tells_every_turn():
    from simkit.replay import Replay, lines

    plan = make_plan("techu", players="random", games=1, seed=3)
    text = list(lines(Replay(plan, 0)))

    assert sum(line.startswith("Turn ") for line in text) == 50
    assert sum(line.startswith("    row ") for line in text) == 5 * 51
    assert "after 50 turns." in text[-1]


def test_moves_have_names():
    assert find("techu").move_text(encoded(7, (0, 2))) == "place 7 on (0,2)"
    assert find("techu").move_text(encoded(Q, None)) == "discard Q"


# --------------------------------------------------------------------------------------------------------- the anchors

# Rough anchors of the rules page: one independent trial, default parameters, random starters. Shares of games, and means:
# first mover wins, second mover wins, draw, Techu, empty spaces, discards; games behind them.
ANCHORS = {
    "random_place": (10000, 0.503, 0.493, 0.004, 0.006, 0.02, 3.75),
    "random": (10000, 0.473, 0.473, 0.053, 0.021, 0.33, 8.66),
    "greedy_spaces(starter=3)": (4000, 0.455, 0.401, 0.144, 0.071, 2.05, 0.42),
}


def figures(player, games, seed=11):
    plan = make_plan("techu", players=player, games=games, seed=seed, rows=True)
    columns = dict(zip(plan.row_cells, Engine(plan).play(0, games, np.zeros(1, np.int64)).rows.T, strict=True))
    winner, first = columns["winner"], columns["first_mover"]
    discards = sum(columns[f"discards_{kind}_{seat}"] for kind in ("voluntary", "forced") for seat in (BLACK, RED))
    return columns, [winner == first, winner == 1 - first, winner < 0, columns["techu"], columns["empty_spaces"], discards]


@many_games
@pytest.mark.parametrize("player", ANCHORS)
def test_the_anchors_of_the_rules_page(player):
    """Within 4 standard errors of the trial, and a tenth of the mean for the finer points in which its player may have differed."""
    trial_games, *anchors = ANCHORS[player]
    _, found = figures(player, 40_000)

    for values, anchor in zip(found, anchors, strict=True):
        error = values.std() * (1 / trial_games + 1 / len(values)) ** 0.5
        assert abs(values.mean() - anchor) < 4 * error + 0.1 * anchor + 0.006


@many_games
@pytest.mark.slow
def test_random_players_are_a_fair_match():
    """Equal players win equally often (invariant 9), and starters chosen at random tie with chance 1/13, in a million games."""
    columns, _ = figures("random", 1_000_000)
    wins = (columns["winner"] == BLACK).mean() - (columns["winner"] == RED).mean()
    ties = (columns["k"] > 1).mean()

    assert abs(wins) < 4 * (0.95 / 1e6) ** 0.5
    # exact: each starter is uniform over 13 ranks, and the two are independent
    assert abs(ties - 1 / 13) < 4 * (1 / 13 * 12 / 13 / 1e6) ** 0.5


@many_games
def test_thrifty_beats_greedy_spaces():
    """By what its docstring says, on deals of their own: each is played twice with seats exchanged."""
    plan = make_plan("techu", players="thrifty,greedy_spaces", games=8000, seed=77, paired=True, rows=True)
    rows = dict(zip(plan.row_cells, Engine(plan).play(0, 8000, np.zeros(1, np.int64)).rows.T, strict=True))
    score = np.where(np.arange(8000) % 2 == 0, rows["payoff_0"], rows["payoff_1"]).reshape(-1, 2).mean(1) / 2

    assert abs(score.mean() - 0.742) < 4 * score.std() / len(score) ** 0.5


@many_games
def test_greedy_spaces_discards_as_it_is_told():
    """The lowest card, only a dead one, never unless forced: fewer and fewer voluntary discards."""
    voluntary = []
    for discard in (0, 1, 2):
        plan = make_plan("techu", players=f"greedy_spaces(discard={discard})", games=4000, seed=5, rows=True)
        rows = Engine(plan).play(0, 4000, np.zeros(1, np.int64)).rows
        voluntary.append(sum(rows[:, plan.row_cells.index(f"discards_voluntary_{seat}")].sum() for seat in range(2)))
    assert voluntary[0] > voluntary[1] > voluntary[2] == 0


@many_games
@pytest.mark.parametrize(
    "name", ["greedy_spaces", "cheap_capture", "expand", "cutter", "guard", "ace_saver", "techu_hunter", "lookahead1", "thrifty"]
)
def test_no_strategy_prefers_a_side_of_the_board(name):
    """Equal players win equally often (invariant 9): equally good moves are chosen equally often, wherever they are on the board."""
    columns, _ = figures(name, 20_000)
    black, red = ((columns["winner"] == seat).sum() for seat in (BLACK, RED))

    assert abs(black - red) < 4 * (black + red) ** 0.5
