"""The study of TEN's auctions: its figures against what else is recorded, and that it says what its numbers allow."""

import numpy as np
import pandas as pd
import pytest

import simkit
from analyses import ten_auctions as module
from analyses._ten import Figures, seats_of, total_ratio
from simkit.games import find
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult
from simkit.study import find as find_study


def study() -> Study:
    """A study in which nothing has been said."""
    return Study(StudyResult(find_study(["ten_auctions"])[0], 1000, 1), progress=False)


def said(s: Study) -> str:
    return " ".join(s.result.findings)


def estimate(middle: float, half: float = 0.01) -> Estimate:
    return Estimate(middle, middle - half, middle + half, 500, half / 2)


@pytest.fixture(scope="module")
def table():
    return simkit.run("ten", 300, players=module.FIELD, columns=",".join(module.COLUMNS), rows=True, progress=False)


def test_the_classes_and_stages_are_all_auctions(table):
    sold = {kind: table.frame[[f"sold_{kind}_{stage}" for stage in module.STAGES]].sum().sum() for kind in module.CLASSES}
    whole = total_ratio(table, ["auction_price"], ["auctions_won"])
    by_class = sum(module.price_of_class(table, kind).estimate * sold[kind] for kind in module.CLASSES)
    by_stage = {stage: table.frame[[f"sold_{kind}_{stage}" for kind in module.CLASSES]].sum().sum() for stage in module.STAGES}

    assert sum(sold.values()) + table.frame["unsold"].sum() == table.frame["auctions"].sum()
    assert whole.estimate == pytest.approx(by_class / sum(sold.values()))
    assert whole.estimate == pytest.approx(
        sum(module.price_in_stage(table, stage).estimate * n for stage, n in by_stage.items()) / sum(sold.values())
    )
    assert module.unsold_share(table).estimate == table.frame["unsold"].sum() / table.frame["auctions"].sum()


def test_auctions_won_last_and_not_last_are_all(table):
    last, other = module.wins_by_turn(table)
    met = table.frame["auctions"].sum()

    assert met == seats_of(table, "wilds_met").sum()
    assert (last.estimate + 3 * other.estimate) * met == pytest.approx(seats_of(table, "auctions_won").sum())


def test_a_table_of_snipers_wins_only_last():
    result = simkit.run("ten", 100, players=module.instead("snipe", "bid"), columns=",".join(module.COLUMNS), rows=True, progress=False)
    last, other = module.wins_by_turn(result)

    assert other.estimate == 0
    assert last.estimate == pytest.approx(1 - module.unsold_share(result).estimate)


def test_no_limit_takes_no_coins():
    result = simkit.run(
        "ten", 100, players=module.FIELD, columns=",".join(module.COLUMNS), rows=True, coin_limit="none", coin_supply="none", progress=False
    )

    assert seats_of(result, "coins_lost").sum() == 0
    assert module.lost_share(result).estimate == 0


def test_the_worth_of_a_wild_by_hand():
    base = Figures("x", pd.DataFrame({"score": [10.0, 12, 9], "auctions_won": [2.0, 3, 1]}))
    without = Figures("x", pd.DataFrame({"score": [8.0, 12, 6], "auctions_won": [0.0, 1, 1]}))

    assert module.worth_of_win(without, base, "score").estimate == pytest.approx(5 / 4)


def grid(**best: float) -> dict[int, dict[int, Estimate]]:
    """Who bids 3 wins so much at a table of 1, of 2 and of 4; all else is even."""
    at = {1: best.get("one", 0.25), 2: best.get("two", 0.25), 3: 0.25, 4: best.get("four", 0.25)}
    return {theirs: {mine: estimate(at[theirs] if mine == 3 else 0.2) for mine in at if mine != theirs} for theirs in at}


@pytest.mark.parametrize(
    ("won", "settled", "words"),
    [
        (grid(one=0.7, two=0.6), 3, ["bids settle at about 3", "at 2 who bids up to 3 wins"]),
        (grid(), 1, ["no bid tried is clearly better"]),
        ({k: row for k, row in grid(one=0.7, two=0.6, four=0.5).items() if k != 3}, 4, ["None of the bids tried holds"]),
    ],
)
def test_where_bids_settle_follows_the_numbers(won, settled, words):
    s = study()

    assert module.settled_bid(won) == settled
    module.say_where_bids_settle(s, won, settled, 100)

    assert all(word in said(s) for word in words), said(s)


@pytest.mark.parametrize(
    ("lasts", "words"),
    [
        ([0.5, 0.1], "depends on how high all bid"),
        ([0.5, 0.6], "more auctions than each of the others at every height"),
        ([0.1, 0.3], "up to 1 coins for a point the last to act clearly wins fewer"),
    ],
)
def test_what_is_said_of_acting_last_follows_the_numbers(lasts, words):
    s = study()

    module.say_whether_last_wins_always(s, {k: (estimate(last), estimate(0.3)) for k, last in enumerate(lasts, 1)}, 100)

    assert words in said(s) + " ".join(block.text for block in s.result.blocks if hasattr(block, "text"))


def answers(price: float, last: float = 0.1) -> dict[str, Estimate]:
    return {"price, full": estimate(price), "wins when last": estimate(last), "when not last": estimate(0.3)}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([answers(2), answers(2.001)], ["None of these figures clearly hinges", "answered alike"]),
        ([answers(2), answers(3)], ["**Hinges on a fact that could not be found**", "change: price, full."]),
        ([answers(2), answers(2, last=0.5)], ["change: wins when last", "**hinges on it, or is not clear"]),
    ],
)
def test_what_hinges_on_the_split_follows_the_numbers(given, words):
    s = study()

    module.say_what_hinges(s, {str(k): each for k, each in enumerate(given)}, 500)

    assert all(word in said(s) for word in words)


def test_the_limits_are_legal_and_hold_the_printed_one():
    assert find("ten").by["coin_limit"].default in module.LIMITS
    for limit in module.LIMITS:
        find("ten").read_rules({"coin_limit": limit, "coin_supply": "none"})


def test_what_the_limit_destroys_is_told_with_both_tables(table):
    s = study()
    free = simkit.run(
        "ten", 300, players=module.FIELD, columns=",".join(module.COLUMNS), rows=True, coin_limit="none", coin_supply="none", progress=False
    )

    module.say_what_is_destroyed(s, {10: table, "none": free})

    change = float(np.mean(seats_of(free, "score") - seats_of(table, "score")))
    assert f"{change:+.1f}".replace("-", "\N{MINUS SIGN}")[:3] in said(s)
