"""What always holds in Tacocat (docs/rules/tacocat.md, sections 2.7 and 6), whatever the rules and the deal; legal moves; views; guesses."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import simkit
from simkit.game import CAPPED, OVER, PAUSED, WIN
from simkit.games import tacocat
from simkit.games.tacocat import ANSWER, ATTACK, BOTH, DOUBLE, DUEL, FOLLOWER, LEADER, SHOWDOWN, TAG_BITS, listed, packed
from simkit.jit import PLAIN
from simkit.simulate import Engine, make_plan
from tests.strategies import deals, seeds
from tests.tacocat_state import (
    A,
    B,
    any_rules,
    copied,
    deck_of,
    hands,
    legal_cards,
    legal_moves,
    new_state,
    new_view,
    pile,
    position,
    random_game,
    row,
    seen,
    show,
    with_hidden_cards_swapped,
)  # fmt: skip

EXAMPLES = settings(max_examples=3 if PLAIN else 60)
FEW = settings(max_examples=2 if PLAIN else 40)


@st.composite
def rules_of_any_kind(draw: st.DrawFn) -> dict[str, Any]:
    """Any legal rules of Tacocat."""
    return any_rules(lambda options: draw(st.sampled_from(options)))


any_game = given(rules_of_any_kind(), seeds, deals)


def discarded(state: Any, seat: int) -> list[int]:
    return listed(tacocat.discards(state["table"], seat))


def exchanges(state: Any) -> list[tuple[int, list[int], list[int], list[int]]]:
    """This round's finished exchanges: attacker, attack, defences, sacrifices."""
    table = state["table"]
    return [
        (int(table["by"]) >> k & 1, listed(table["attacks"][k]), listed(table["defences"][k]), listed(table["sacrifices"][k]))
        for k in range(int(table["exchanges"]))
    ]


def beats(rules: dict[str, Any], card: int, attacking: int) -> bool:
    return card >= attacking if rules["defend_on_equal"] else card > attacking


def matches(rules: dict[str, Any], defences: list[int], attack: list[int]) -> bool:
    """Section 2.4: sort, and compare position by position with the lowest attacking cards."""
    return len(defences) <= len(attack) and all(beats(rules, d, a) for d, a in zip(sorted(defences), sorted(attack), strict=False))


def most(rules: dict[str, Any], cards: list[int], attack: list[int]) -> int:
    """The largest number of defences: the highest cards against the lowest attacks."""
    return max(k for k in range(min(len(cards), len(attack)) + 1) if matches(rules, sorted(cards)[len(cards) - k :], attack))


def subsets(cards: list[int]) -> set[tuple[int, ...]]:
    return {tuple(sorted(each)) for k in range(len(cards) + 1) for each in itertools.combinations(cards, k)}


# ------------------------------------------------------------------------------------------------------------ invariants


@pytest.mark.modes
@EXAMPLES
@any_game
def test_invariant_1_no_card_is_lost_or_doubled(rules, seed, deal):
    for state in random_game(rules, seed, deal, watch=1):
        if state["seat"] == PAUSED or state["seat"] >= 0:
            cards = Counter([*hands(state)[A], *hands(state)[B], *pile(state), *discarded(state, A), *discarded(state, B)])
            assert cards == Counter(deck_of(state))
            assert list(state["table"]["cards"]) == [len(hand) for hand in hands(state)]


@pytest.mark.modes
@EXAMPLES
@any_game
def test_invariants_2_and_3_hand_sizes_and_discards(rules, seed, deal):
    for state in random_game(rules, seed, deal, watch=1):
        table, sizes = state["table"], [len(hand) for hand in hands(state)]
        if state["seat"] >= 0 and state["decision"] in (DUEL, ATTACK):
            assert sizes[A] == sizes[B] >= 2
        if state["phase"] == SHOWDOWN:
            assert sizes == [1, 1]
            replaced = [int(n) for n in table["replaced_count"]]
            assert len(discarded(state, A)) + len(discarded(state, B)) == 2 * (int(table["h"]) - 1) + sum(replaced)
            if table["arrow"] != BOTH and rules["follower_cap"] == "leader_count":
                assert replaced[1 - int(table["arrow"])] <= replaced[int(table["arrow"])]


@pytest.mark.modes
@EXAMPLES
@any_game
def test_invariant_4_first_to_m_plus_one(rules, seed, deal):
    spaces = len(tacocat.BOARD_OF.numbers(rules["board"]))
    needed, centre, last, before = (spaces + 1) // 2, (spaces + 1) // 2, None, 0
    for state in random_game(rules, seed, deal, watch=1):
        table, wins = state["table"], [int(n) for n in state["table"]["wins"]]
        if sum(wins) > before:
            before, last = sum(wins), int(state["round_winner"])
        assert not int(table["covered"]) >> int(table["place"]) & 1
        if rules["tile_cover"]:
            assert int(table["covered"]).bit_count() == sum(wins)
            place = centre if last is None else centre - wins[A] if last == A else centre + wins[B]
            assert table["place"] == place
        else:
            assert table["covered"] == 0
            assert table["place"] == centre - wins[A] + wins[B]
    record = row(state)
    if record["outcome"] == CAPPED:
        assert record["rounds"] == rules["max_rounds"]
        assert (record["winner"], record["payoff_0"], record["payoff_1"], record["margin"]) == (-1, 1, 1, 0)
    else:
        winner = record["winner"]
        assert (record[f"payoff_{winner}"], record[f"payoff_{1 - winner}"]) == (2, 0)
        if rules["tile_cover"]:
            assert record[f"wins_{winner}"] == needed
            assert record[f"wins_{1 - winner}"] < needed
            assert record["margin"] == needed - record[f"wins_{1 - winner}"]
            assert needed <= record["decisive_rounds"] <= 2 * needed - 1


@pytest.mark.modes
@EXAMPLES
@any_game
def test_invariants_5_and_6_answers_and_the_next_attacker(rules, seed, deal):
    done = 0
    for state in random_game(rules, seed, deal, watch=1):
        table, found = state["table"], exchanges(state)
        if len(found) <= done:
            done = min(done, len(found))
            continue
        done = len(found)
        attacker, attack, defences, sacrifices = found[-1]
        defender, k = 1 - attacker, len(attack)
        assert len(defences) + len(sacrifices) == k
        assert matches(rules, defences, attack)
        assert max(sacrifices, default=0) <= min(hands(state)[defender])
        counted = len(defences) if rules["lowest_that_defends"] == "declared" else most(rules, defences + sacrifices, attack)
        taken = counted == k or (rules["jumbo_lead"] == "majority" and 2 * counted > k)
        assert table["attacker"] == (defender if taken else attacker)
        if rules["jumbo_lead"] == "all" and rules["lowest_that_defends"] == "declared":
            assert taken == (not sacrifices)


@pytest.mark.parametrize("board", ["4-6-9-7-9-6-4", "flat7", "shrink", "grow", "9", "5-8-2", "2-3-4-5-6", "4-9-3-2-9-7-5-8-6"])
def test_every_order_of_wins_is_first_to_m_plus_one(board):
    """All orders of decisive wins on every board, the 128 of seven spaces among them (2.7)."""
    spaces = len(tacocat.BOARD_OF.numbers(board))
    needed = centre = (spaces + 1) // 2
    lengths, ends = Counter(), Counter()
    for order in itertools.product((A, B), repeat=spaces):
        state = new_state(board=board)
        tacocat.clear(state)
        table, wins, entered = state["table"], [0, 0], [centre]
        while 0 < table["place"] <= spaces:
            winner = order[sum(wins)]
            tacocat.move_marker(table, state["rules"], winner)
            wins[winner] += 1
            entered.append(int(table["place"]))
            assert table["place"] == (centre - wins[A] if winner == A else centre + wins[B])
        assert max(wins) == needed
        assert wins.index(needed) == (A if table["place"] == 0 else B)
        assert len(set(entered)) == len(entered) == sum(wins) + 1
        lengths[sum(wins)] += 1
        ends[wins.index(needed)] += 1
    assert set(lengths) == set(range(needed, 2 * needed))
    assert ends[A] == ends[B] == 2 ** (spaces - 1)


def test_all_128_orders_through_the_showdown():
    for order in itertools.product((A, B), repeat=7):
        state = position([[3], [4]] if order[0] == A else [[4], [3]], phase=SHOWDOWN, round_number=1)
        wins = [0, 0]
        for winner in order:
            table = state["table"]
            state["hand"][winner], state["hand"][1 - winner] = packed([3]), packed([4])
            state["phase"] = SHOWDOWN
            show(state)
            wins[winner] += 1
            assert list(table["wins"]) == wins
            assert table["place"] == (4 - wins[A] if winner == A else 4 + wins[B])
            if max(wins) == 4:
                tacocat.step(state, 0)
                assert state["seat"] == OVER
                break
        record = row(state)
        assert (record["winner"], record["margin"], record["decisive_rounds"]) == (wins.index(4), 4 - min(wins), sum(wins))
        assert record["first_round_winner"] == order[0]
        assert record["path"] == int("1" + "".join(map(str, order[: sum(wins)])), 2)


# ----------------------------------------------------------------------------------------------------------- legal moves


def brute_replacements(rules, state, kind):
    seat, table = int(state["seat"]), state["table"]
    hand, h = hands(state)[seat], int(table["h"])
    bound = h if rules["replace_cap"] == "none" else min(h, rules["replace_cap"])
    if kind == FOLLOWER:
        cap = rules["follower_cap"]
        bound = min(bound, int(table["replaced_count"][1 - seat]) if cap == "leader_count" else h if cap == "none" else cap)
    masks = [mask for mask in range(2 ** len(hand)) if mask.bit_count() <= bound]
    return [[rank for k, rank in enumerate(hand) if mask >> k & 1] for mask in masks]


def brute_attacks(rules, hand):
    longest = len(hand) - 1 if rules["jumbo_max"] == "none" else min(len(hand) - 1, rules["jumbo_max"])

    def order(attack):
        kind = 0 if len(attack) == 1 else 1 if attack[0] == attack[1] else 2
        return kind, len(attack), attack[0]

    def is_legal(attack):
        if len(attack) == 1:
            return True
        if len(attack) > longest or not attack:
            return False
        if len(set(attack)) == 1:
            return rules["jumbo_sets"] and len(attack) >= rules["set_min"]
        consecutive = all(high == low + 1 for low, high in itertools.pairwise(attack))
        return consecutive and rules["jumbo_sequences"] and len(attack) >= rules["seq_min"]

    return [list(attack) for attack in sorted(filter(is_legal, subsets(hand)), key=order)]


def brute_answers(rules, hand, attack):
    legal = [list(d) for d in subsets(hand) if matches(rules, list(d), attack)]
    if not rules["voluntary_sacrifice"]:
        legal = [d for d in legal if len(d) == max(map(len, legal))]
    return sorted(legal, key=packed)


def reachable(rules, hand, left):
    """The most declared defences of the attacking cards left, by trying every answer one after the other."""
    if not left:
        return 0
    best = reachable(rules, hand[1:], left[1:])
    for rank in {rank for rank in hand if beats(rules, rank, left[0])}:
        rest = list(hand)
        rest.remove(rank)
        best = max(best, 1 + reachable(rules, rest, left[1:]))
    return best


def brute_single_answers(rules, hand, left):
    options = [[], *([rank] for rank in sorted({rank for rank in hand if beats(rules, rank, left[0])}))]
    if rules["voluntary_sacrifice"]:
        return options
    values = []
    for option in options:
        rest = list(hand)
        rest.remove(option[0] if option else hand[0])
        values.append(len(option) + reachable(rules, rest, left[1:]))
    return [option for option, value in zip(options, values, strict=True) if value == max(values)]


def brute(rules, state):
    kind, hand = int(state["decision"]), hands(state)[int(state["seat"])]
    if kind in (LEADER, FOLLOWER, DOUBLE):
        return brute_replacements(rules, state, kind)
    if kind == DUEL:
        return [[rank] for rank in hand]
    if kind == ATTACK:
        return brute_attacks(rules, hand)
    left = listed(state["table"]["left"])
    return brute_answers(rules, hand, left) if rules["jumbo_response"] == "defences_first" else brute_single_answers(rules, hand, left)


@pytest.mark.modes
@FEW
@any_game
def test_legal_moves_are_those_found_by_trying_everything(rules, seed, deal):
    assume(max(tacocat.BOARD_OF.numbers(rules["board"])) <= 9)
    for state in random_game(rules, seed, deal):
        if state["seat"] >= 0 and state["table"]["round_number"] <= 4:
            assert legal_cards(state) == brute(rules, state)


def hand_and_attack():
    ranks = st.integers(1, 9)
    return st.lists(ranks, min_size=2, max_size=9).flatmap(
        lambda hand: st.tuples(st.just(hand), st.lists(ranks, min_size=1, max_size=min(4, len(hand) - 1)))
    )


@pytest.mark.modes
@EXAMPLES
@given(hand_and_attack(), st.booleans())
def test_matching_by_ranks_is_matching_card_by_card(pair, equal):
    """Against every assignment of answering to attacking cards."""
    hand, attack = pair
    rules = {"defend_on_equal": equal}

    def assignable(defences):
        return any(
            all(beats(rules, d, a) for d, a in zip(defences, chosen, strict=True))
            for chosen in itertools.permutations(attack, len(defences))
        )

    able = [d for d in subsets(hand) if len(d) <= len(attack) and assignable(d)]
    assert sorted(able) == sorted(d for d in subsets(hand) if matches(rules, list(d), attack))
    encoded = new_state(defend_on_equal=equal)["rules"]
    assert (
        tacocat.most_defences(np.int64(packed(hand)), np.int64(packed(attack)), encoded) == max(map(len, able)) == most(rules, hand, attack)
    )


@pytest.mark.modes
@EXAMPLES
@given(st.lists(st.integers(1, 15), min_size=1, max_size=15))
def test_sets_of_cards_count_as_lists_do(cards):
    cards = np.int64(packed(cards_of := sorted(cards)))
    assert listed(cards) == cards_of
    assert tacocat.how_many(cards) == len(cards_of)
    assert tacocat.rank_sum(cards) == sum(cards_of)
    assert (tacocat.lowest(cards), tacocat.highest(cards)) == (cards_of[0], cards_of[-1])
    assert listed(tacocat.lowest_card(cards)) == cards_of[:1]
    assert [listed(tacocat.lowest_of(cards, n)) for n in range(len(cards_of) + 1)] == [cards_of[:n] for n in range(len(cards_of) + 1)]
    within = [int(tacocat.ranked(cards)) >> 4 * (rank - 1) & 15 for rank in range(1, 16)]
    assert within == [sum(card <= rank for card in cards_of) for rank in range(1, 16)]
    assert [listed(tacocat.from_rank(cards, rank)) for rank in range(1, 16)] == [
        [card for card in cards_of if card >= rank] for rank in range(1, 16)
    ]


# ------------------------------------------------------------------------------------------------------------ the mirror


def mirrored(state: Any) -> Any:
    """The same position with the players' names exchanged, on the mirrored board."""
    other = copied(state)
    names = [name for name in state.dtype.names if state.dtype[name].shape == (2,) and name != "key"]
    for name in names:
        other[name][:] = state[name][::-1]
    table, spaces = other["table"], int(state["table"]["spaces"])
    for name in table.dtype.names:
        if table.dtype[name].shape == (2,):
            table[name][:] = state["table"][name][::-1]
    for name in ("duel_winner", "attacker", "last_attacker", "first_winner", "arrow"):
        if table[name] in (A, B):
            table[name] = 1 - table[name]
    for name in ("actor", "to_act", "seat", "round_winner"):
        if other[name] in (A, B):
            other[name] = 1 - other[name]
    table["place"] = spaces + 1 - table["place"]
    covered = int(table["covered"])
    table["covered"] = sum(1 << spaces + 1 - place for place in range(spaces + 2) if covered >> place & 1)
    table["by"] = ((1 << int(table["exchanges"])) - 1) ^ int(table["by"])
    wins = bin(int(table["path"]))[3:]
    table["path"] = int("1" + wins.translate(str.maketrans("01", "10")), 2)
    board, arrows = int(other["rules"]["board"]), int(other["rules"]["arrows"])
    other["rules"]["board"] = sum((board >> 4 * k & 15) << 4 * (spaces - 1 - k) for k in range(spaces))
    if arrows > 0:
        turned = [(0, 2, 1, 3)[arrows >> 2 * k & 3] for k in range(spaces)]
        other["rules"]["arrows"] = sum(arrow << 2 * (spaces - 1 - k) for k, arrow in enumerate(turned))
    for name in state.dtype.names:
        if name.endswith("_at"):
            other[name][1 : spaces + 1] = state[name][1 : spaces + 1][::-1]
    other["a_wins_at"][:] = other["decisive_at"] - other["a_wins_at"]
    return other


def same_position(one: Any, two: Any) -> None:
    for name in one["table"].dtype.names:
        assert np.array_equal(one["table"][name], two["table"][name]), name
    for name in one.dtype.names:
        if name not in ("table", "rules", "rng", "deck", "chosen", "last_cards"):
            assert np.array_equal(one[name], two[name]), name


@FEW
@any_game
def test_nothing_favours_a_name(rules, seed, deal):
    """D22: from the first attack of a round on, the mirrored position has the same moves, and they lead to the mirrored position."""
    pick = np.random.default_rng([seed, deal])
    for state in random_game(rules, seed, deal):
        if state["seat"] < 0 or state["decision"] != ATTACK or state["table"]["exchanges"] > 0:
            continue
        one, two = copied(state), mirrored(state)
        one["watch"] = two["watch"] = 1
        while one["phase"] in (ATTACK, ANSWER, SHOWDOWN):
            moves = legal_moves(one)
            assert legal_moves(two) == moves
            move = moves[int(pick.integers(len(moves)))] if moves else 0
            tacocat.step(one, move)
            tacocat.step(two, move)
            same_position(mirrored(one), two)


@pytest.mark.slow
def test_invariant_7_the_same_strategy_on_both_sides_wins_half():
    result = simkit.run("tacocat", games=200_000, seed=7, columns="basic", progress=False)
    wins = result.win_rate(0).estimate
    assert abs(wins - 0.5) < 4 * 0.5 / 200_000**0.5


# ------------------------------------------------------------------------------------------------------- views and guesses


@pytest.mark.modes
@EXAMPLES
@any_game
def test_a_view_does_not_change_with_what_is_hidden(rules, seed, deal):
    pick = np.random.default_rng([seed, deal, 1])
    for state in random_game(rules, seed, deal):
        if state["seat"] >= 0:
            seat = int(state["seat"])
            assert seen(state, seat).tobytes() == seen(with_hidden_cards_swapped(state, seat, pick), seat).tobytes()


def could_have(rules, state, seat, hand):
    """Whether the opponent's hand, all they did in this round remembered, fits the rules."""
    opponent, held = 1 - seat, list(hand)
    table = state["table"]
    if table["attack"] != 0 and table["attacker"] == seat:
        attack, answered = listed(table["attack"]), listed(table["answered"])
        held += answered + listed(table["given"])
        if not rules["voluntary_sacrifice"]:
            left = listed(table["left"])
            assert len(answered) + most(rules, hand, left) == most(rules, held, attack)
    for attacker, attack, defences, sacrifices in reversed(exchanges(state)):
        if attacker == opponent:
            held += attack
            continue
        if sacrifices:
            assert max(sacrifices) <= min(held), "a lower card was kept"
        held += defences + sacrifices
        if not rules["voluntary_sacrifice"]:
            assert len(defences) == most(rules, held, attack), "a defence was withheld"


@pytest.mark.modes
@EXAMPLES
@any_game
def test_a_guess_gives_the_view_it_was_made_from(rules, seed, deal):
    """A whole state: it gives the same view, loses no card, keeps to what can be deduced, and can be played to its end."""
    pick = np.random.default_rng([seed, deal, 2])
    for state in random_game(rules, seed, deal):
        if state["seat"] < 0 or pick.random() < 0.6:
            continue
        seat = int(state["seat"])
        view = seen(state, seat)
        view["rng"][:4] = pick.integers(1, 2**60, 4)
        guessed, again = np.zeros(1, tacocat.STATE), new_view(state)
        guessed.view(np.uint8)[:] = 77  # whatever was there before
        guessed = guessed.view(np.recarray)[0] if PLAIN else guessed[0]
        tacocat.guess(view, guessed)
        for name in ("rng", "params", "memory"):
            again[name] = view[name]
        tacocat.observe(guessed, seat, again)
        assert again.tobytes() == view.tobytes()
        assert legal_moves(guessed) == legal_moves(state)
        cards = Counter([*hands(guessed)[A], *hands(guessed)[B], *pile(guessed), *discarded(guessed, A), *discarded(guessed, B)])
        assert cards == Counter(deck_of(state))
        assert [len(hand) for hand in hands(guessed)] == list(state["table"]["cards"])
        could_have(rules, guessed, seat, hands(guessed)[1 - seat])
        if state["decision"] == ANSWER:
            assert guessed["could"] == state["could"]
        if state["chosen"][1 - seat] != 0 or (state["decision"] == DUEL and seat == B):
            assert not Counter(listed(guessed["chosen"][1 - seat])) - Counter(hands(guessed)[1 - seat])
            assert state["decision"] != DUEL or len(listed(guessed["chosen"][1 - seat])) == 1
        finish(guessed, pick)


def finish(state, pick):
    """Play a guessed state on with random moves; it must come to an end."""
    for _ in range(20_000):
        if state["seat"] == OVER:
            assert row(state)["outcome"] in (WIN, CAPPED)
            return
        moves = legal_moves(state)
        tacocat.step(state, moves[int(pick.integers(len(moves)))])
    pytest.fail("a guessed game does not end")


def test_a_guess_can_be_any_hand_that_fits():
    """B has sacrificed a 5: each hand that A can guess holds no lower card, and every card from 5 up comes as often as it should."""
    state = position([[2, 6, 9], [5, 8, 12]])
    tacocat.step(state, (ATTACK << TAG_BITS) + packed([9]))
    tacocat.step(state, ANSWER << TAG_BITS)
    assert state["table"]["floor"][B] == 5
    view, guessed, counts, n = seen(state, A), new_state(), Counter(), 4000
    for _ in range(n):
        tacocat.guess(view, guessed)
        counts.update(hands(guessed)[B])
    pool = Counter(rank for rank in deck_of(state) if rank >= 5) - Counter([5, 6, 9])
    assert set(counts) == set(pool)
    for rank, copies in pool.items():
        mean = 2 * n * copies / pool.total()
        assert abs(counts[rank] - mean) < 4 * mean**0.5


def test_a_forced_answer_tells_what_was_not_held():
    """With voluntary_sacrifice = false a sacrifice against a single 9 says that no 9 or higher was held."""
    state = position([[2, 6, 9], [5, 8, 8]], voluntary_sacrifice=False)
    tacocat.step(state, (ATTACK << TAG_BITS) + packed([9]))
    tacocat.step(state, ANSWER << TAG_BITS)
    view, guessed = seen(state, A), new_state()
    held = set()
    for _ in range(300):
        tacocat.guess(view, guessed)
        held |= set(hands(guessed)[B])
    assert held == {5, 6, 7, 8}


# --------------------------------------------------------------------------------------------------------------- columns


@pytest.mark.slow
def test_ordinary_games_stay_inside_the_windows():
    """Values outside a column's window are counted too, but slowly."""
    part = Engine(make_plan("tacocat", players="random", games=100_000, seed=3)).play(0, 100_000, np.zeros(1, np.int64))
    assert part.games == 100_000
    assert not part.tally.spilled
