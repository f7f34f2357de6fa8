"""What the studies of TEN share: whose figures are whose, and the players that do one thing otherwise."""

import numpy as np
import pandas as pd
import pytest

import simkit
from analyses import _ten as module
from simkit.stats.estimate import Estimate
from simkit.study import Study, StudyResult, find

COLUMNS = ("score", "auctions_won", "auctions_won_active", "turns_number_bust", "turns_currency_bust", "tokens_granted")
DEALS = 60


def study() -> Study:
    return Study(StudyResult(find(["ten_push"])[0], 100, 1), progress=False)


def lone(part: str, kind: str = "draw", **rules) -> module.Figures:
    return module.alone(study(), module.instead(part, kind), COLUMNS, DEALS, rules=rules)


def test_figures_are_those_of_the_one_player():
    """Who never bids wins no auction; who does wins some in most deals."""
    found = lone("pass_always", "bid")

    assert found.deals == DEALS
    assert (found.frame["auctions_won"] == 0).all()
    assert (lone("value", "bid").frame["auctions_won"] > 0).mean() > 0.5


@pytest.mark.parametrize("players", [2, 3, 5])
def test_figures_are_those_of_the_one_player_with_other_numbers_of_seats(players):
    assert (lone("pass_always", "bid", players=players).frame["auctions_won"] == 0).all()


def test_one_like_the_others_wins_its_share_of_every_deal():
    found = module.alone(study(), module.FIELD, ["score"], DEALS)

    assert np.allclose(found.frame["win_share"], 1 / 4)
    assert found.won.low < 1 / 4 < found.won.high


def test_a_lone_players_mean_by_hand():
    result = simkit.run(
        "ten", 8, players=["random", "bold"], paired=True, rows=True, columns="win_share,score", progress=False, rules={"players": 2}
    )
    frame = result.frame

    found = module.by_deal(result, ["win_share", "score"], 2)

    for deal in range(4):
        assert found["score"][deal] == (frame["score_0"][2 * deal] + frame["score_1"][2 * deal + 1]) / 2
        assert found["win_share"][deal] == (frame["win_share_0"][2 * deal] + frame["win_share_1"][2 * deal + 1]) / 120


# ------------------------------------------------------------------------------------------------------------- trials


def same(one: module.Figures, other: module.Figures) -> bool:
    return one.frame.equals(other.frame)


def test_trials_that_never_set_in_change_nothing():
    threshold = lone("threshold(t=7)")

    assert same(lone("bust_in_turn(t=7, turn=0)"), threshold)
    assert same(lone("bust_on_purpose(t=7, gain=-1)"), threshold)
    assert same(lone("bust_on_purpose(t=7, coins=11)"), threshold)  # the limit is 10
    assert same(lone("value_by_stage(early=2, middle=2, late=2)", "bid"), lone("value(r=2)", "bid"))


def test_it_busts_in_the_turn_it_is_told():
    """With threshold 1 it stops at its first number above its currency, and hardly ever busts otherwise."""
    usual, made = lone("threshold(t=1)"), lone("bust_in_turn(t=1, turn=2)")
    busts = [each.frame["turns_number_bust"] + each.frame["turns_currency_bust"] for each in (usual, made)]

    assert (busts[1] >= 1).all()
    assert (busts[1] - busts[0]).mean() == pytest.approx(1, abs=0.1)


def test_busting_on_purpose_brings_tokens():
    usual, made = lone("threshold(t=7)"), lone("bust_on_purpose(t=7, gain=9, most=10)")

    assert module.change(made, usual, "tokens_granted").low > 1


def test_a_bust_on_purpose_needs_a_token_to_be_had():
    assert same(lone("bust_on_purpose(t=7, gain=9, most=10)", bust_token_supply=0), lone("threshold(t=7)", bust_token_supply=0))


@pytest.mark.parametrize("kind", range(3))
def test_a_class_never_bid_on_is_never_won(kind):
    """Decks with wilds of one class alone."""
    rules = {"colour_wilds": 0, "full_wilds": 0, **{f"numbered_wilds_{n}": 0 for n in range(1, 10)}}
    rules |= [{"colour_wilds": 2}, {"numbered_wilds_3": 4, "numbered_wilds_6": 4}, {"full_wilds": 4}][kind]
    won = {without: lone(f"value_without_class(kind={without})", "bid", **rules).frame["auctions_won"].sum() for without in range(3)}

    assert [won[without] == 0 for without in range(3)] == [without == kind for without in range(3)]


@pytest.mark.parametrize(("third", "stage"), [(0, "early"), (1, "middle"), (2, "late")])
def test_a_third_left_out_is_one_where_a_point_is_worth_nothing(third, stage):
    assert same(lone(f"value_without_stage(third={third})", "bid"), lone(f"value_by_stage({stage}=0)", "bid"))
    assert not same(lone(f"value_without_stage(third={third})", "bid"), lone("value", "bid"))


def test_stages_are_those_of_the_columns():
    """A table at which nobody bids in a third sells nothing there."""
    for third, stage in enumerate(("early", "middle", "late")):
        frame = simkit.run(
            "ten", 50, players=module.instead(f"value_without_stage(third={third})", "bid"), rows=True, columns="sold", progress=False
        ).frame
        sold = {
            each: sum(frame[f"sold_{kind}_{each}"].sum() for kind in ("hash", "numbered", "full")) for each in ("early", "middle", "late")
        }
        assert [each for each in sold if sold[each] == 0] == [stage]


def test_who_never_bids_last_wins_nothing_in_its_own_turns():
    found, usual = lone("never_last", "bid"), lone("snipe", "bid")

    assert (found.frame["auctions_won_active"] == 0).all()
    assert found.frame["auctions_won"].sum() > 0
    assert (usual.frame["auctions_won_active"] == usual.frame["auctions_won"]).all()


def test_an_outright_bid_is_the_whole_worth():
    """One wild worth one point at most to anybody at first: alone against those who never bid, the price is r when not last, and 1 when last."""
    rules = {"colour_wilds": 0, **{f"numbered_wilds_{n}": 0 for n in range(1, 10)}, "full_wilds": 1, "coin_limit": 50, "coin_supply": 250}
    players = [module.instead("outright(r=3)", "bid"), *[module.instead("pass_always", "bid")] * 3]
    frame = simkit.run(
        "ten",
        200,
        players=players,
        paired=True,
        rows=True,
        columns="auctions_won,auctions_won_active,auction_price",
        rules=rules,
        progress=False,
    ).frame
    won, active, price = (
        frame[[f"{name}_{seat}" for seat in range(4)]].sum(axis=1) for name in ("auctions_won", "auctions_won_active", "auction_price")
    )

    assert set(price[(won == 1) & (active == 1)]) == {1}
    assert {3} <= set(price[(won == 1) & (active == 0)]) <= {3, 6, 9, 12, 15, 18, 21, 24, 27, 30}


# ---------------------------------------------------------------------------------------------------------- statistics


def test_a_ratio_is_of_totals():
    found = module.ratio_of(np.array([1.0, 4.0]), np.array([1.0, 3.0]))

    assert found.estimate == 5 / 4
    assert found.low < 5 / 4 < found.high
    assert np.isnan(module.ratio_of(np.ones(3), np.zeros(3)).estimate)


def test_a_change_is_of_the_same_deals():
    one, other = (module.Figures("x", pd.DataFrame({"win_share": values})) for values in ([0.5, 0.25, 1.0], [0.25, 0.0, 0.75]))

    assert module.change(one, other).estimate == 0.25
    assert module.change(one, other).se == 0


def test_words():
    assert module.clear(Estimate(1, 0.5, 1.5, 9)) == 1
    assert module.clear(Estimate(1, 0.5, 1.5, 9), even=2) == -1
    assert module.clear(Estimate(1, -0.5, 1.5, 9)) == 0
    assert module.listed(["a"]) == "a"
    assert module.listed(["a", "b", "c"], "or") == "a, b or c"
    assert module.listed([]) == "none"
    assert module.signed(Estimate(0.031, 0.022, 0.04, 9), 100) == "+3.10 ± 0.90"
    assert module.family(5) == pytest.approx(0.99)
