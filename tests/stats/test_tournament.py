"""Everyone against everyone on the same deals."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from simkit.stats.tournament import (
    benjamini_hochberg,
    collect,
    collect_matrices,
    compare_field,
    compare_pairs,
    compare_with_best,
    deals_to_separate,
    first_move_advantage,
    holm,
    max_t,
    separation,
)


def field_of(strengths, deals, rng, luck=0.0, seat=0.0):
    """A tournament of 0/1 games; `luck` ties the first seats' results of one deal together over all pairs."""
    names = [f"p{i}" for i in range(len(strengths))]
    shared = luck * rng.normal(size=(deals, 1)) * [1, -1]
    scores = {}
    for i, j in combinations(range(len(strengths)), 2):
        odds = strengths[i] - strengths[j] + seat * np.array([1, -1]) + shared
        scores[names[i], names[j]] = (rng.random((deals, 2)) < 1 / (1 + np.exp(-odds))).astype(float)
    return collect(scores)


def chance_of_at_most(share, level, runs, se=3):
    """True if a share of runs is not above the level by more than so many standard errors."""
    return share <= level + se * math.sqrt(level * (1 - level) / runs)


def test_a_tournament_knows_its_pairs():
    ab, ca = np.tile([1, 0.5], (30, 1)), np.tile([0.25, 0], (30, 1))
    results = collect({("a", "b"): ab, ("c", "a"): ca, ("b", "c"): np.full((30, 2), 0.5)})

    assert results.players == ("a", "b", "c")
    assert results.deals == 30
    assert results.pair("b", "a")[0].tolist() == [0.5, 0]  # b sat first where a sat second
    assert results.pair("a", "c")[0].tolist() == [1, 0.75]
    assert results.matrix().tolist() == [[0.5, 0.75, 0.875], [0.25, 0.5, 0.5], [0.125, 0.5, 0.5]]
    assert results.field_by_deal()[0].tolist() == [0.8125, 0.375, 0.3125]


def test_matrices_of_deals_are_the_same_tournament():
    rng = np.random.default_rng(50)
    table = rng.random((40, 3, 3))
    results = collect_matrices(table, "xyz")

    assert results.pair("x", "z")[:, 0].tolist() == table[:, 0, 2].tolist()
    assert results.pair("x", "z")[:, 1] == pytest.approx(1 - table[:, 2, 0])
    assert results.pair("z", "x")[:, 0] == pytest.approx(table[:, 2, 0])
    assert collect_matrices(table).players == (0, 1, 2)


def test_tables_that_are_no_tournament_are_refused():
    good = np.full((30, 2), 0.5)
    for scores, words in [
        ({}, "no scores"),
        ({("a", "a"): good}, "comes twice"),
        ({("a", "b"): good, ("b", "a"): good}, "comes twice"),
        ({("a", "b"): good[:29]}, "29 deals"),
        ({("a", "b"): good, ("a", "c"): np.full((31, 2), 0.5)}, "same deals"),
        ({("a", "b"): good * 3}, "outside 0 and 1"),
        ({("a", "b"): good * np.nan}, "outside 0 and 1"),
    ]:
        with pytest.raises(ValueError, match=words):
            collect(scores)
    part = collect({("a", "b"): good, ("b", "c"): good})
    with pytest.raises(ValueError, match="a and c have not met"):
        part.field_by_deal()
    with pytest.raises(ValueError, match="have not met"):
        part.pair("a", "c")
    with pytest.raises(ValueError, match="no player 'd'"):
        part.pair("a", "d")
    with pytest.raises(ValueError, match="not among the players"):
        collect({("a", "b"): good}, ["a", "c"])
    with pytest.raises(ValueError, match="names for"):
        collect_matrices(np.zeros((30, 2, 2)), "abc")


@pytest.mark.parametrize("deals", [800, 5000])
def test_the_quantile_is_that_of_the_studentised_range(deals):
    # differences of all pairs of m independent normal means
    x = np.random.default_rng(51).normal(size=(deals, 6))
    i, j = np.triu_indices(6, 1)
    theirs = stats.studentized_range.ppf(0.95, 6, 1e6) / math.sqrt(2)

    assert max_t(x[:, i] - x[:, j], samples=10_000).quantile == pytest.approx(theirs, rel=0.02)


def test_one_question_needs_the_usual_interval():
    x = np.random.default_rng(52).normal(1, 2, (900, 1))
    found = max_t(x, 0.9, samples=20_000)

    assert found.quantile == pytest.approx(1.96, rel=0.02)
    assert found.estimate.se[0] == pytest.approx(x.std(ddof=1) / 30)
    assert found.p_values[0] == pytest.approx(stats.ttest_1samp(x[:, 0], 0.9).pvalue, abs=0.02)


def test_questions_that_share_their_luck_cost_less():
    rng = np.random.default_rng(53)
    luck = rng.normal(size=(500, 1))
    free, tied = rng.normal(size=(500, 20)), luck + 0.1 * rng.normal(size=(500, 20))

    assert max_t(tied).quantile < 2.3 < 2.8 < max_t(free).quantile < 3.2
    assert max_t(np.repeat(luck, 20, axis=1)).quantile == pytest.approx(max_t(luck).quantile, rel=1e-9)


def test_figures_that_never_vary_have_no_interval_to_speak_of():
    x = np.column_stack([np.full(50, 0.5), np.full(50, 0.25), np.random.default_rng(54).normal(size=50)])
    found = max_t(x, 0.5)

    assert found.estimate.low[:2].tolist() == found.estimate.high[:2].tolist() == [0.5, 0.25]
    assert found.p_values[:2].tolist() == [1, 0]
    assert found.quantile == max_t(x[:, 2:]).quantile
    with pytest.raises(ValueError, match="row per deal"):
        max_t(x[:29])


def test_the_seed_decides():
    x = np.random.default_rng(55).normal(size=(60, 3))

    assert max_t(x, seed=1).quantile == max_t(x, seed=1).quantile != max_t(x, seed=2).quantile


def test_intervals_and_p_values_agree():
    results = field_of([0.4, 0.2, 0, -0.1], 400, np.random.default_rng(56), luck=0.5)
    for found, null in ((compare_pairs(results), 0.5), (compare_field(results), 0)):
        outside = (found.estimate.low > null) | (found.estimate.high < null)
        assert (found.p_values <= 0.05).tolist() == outside.tolist()
        assert 0 < outside.sum() < 6


def runs_of_equals(players, runs, deals, samples):
    """Share of tournaments of equal players that find one better."""
    rng = np.random.default_rng(57)
    wrong = 0
    for seed in range(runs):
        results = field_of([0.0] * players, deals, rng, luck=1.0)
        wrong += compare_pairs(results, samples=samples, seed=seed).p_values.min() <= 0.05
    return wrong / runs


def test_equal_players_are_seldom_called_different():
    share = runs_of_equals(5, 400, 100, 400)

    assert share > 0.01
    assert chance_of_at_most(share, 0.05, 400)


@pytest.mark.slow
def test_ten_equal_players_are_seldom_called_different():
    runs = 700
    share = runs_of_equals(10, runs, 120, 400)

    assert share > 0.025
    assert chance_of_at_most(share, 0.05, runs)


def test_simultaneous_coverage():
    runs, m, deals = 400, 6, 200
    rng = np.random.default_rng(58)
    truth = np.linspace(0, 1, m)
    i, j = np.triu_indices(m, 1)
    held = 0
    for seed in range(runs):
        x = truth + rng.normal(size=(deals, 1)) * np.arange(m) + rng.normal(size=(deals, m))
        e = max_t(x[:, i] - x[:, j], samples=500, seed=seed).estimate
        held += np.all((e.low <= truth[i] - truth[j]) & (truth[i] - truth[j] <= e.high))

    assert abs(held / runs - 0.95) < 4 * math.sqrt(0.0475 / runs)


def test_the_best_is_among_the_candidates():
    runs, strengths = 200, np.array([0.3, 0.3, 0.2, -0.8])
    rng = np.random.default_rng(59)
    p = 1 / (1 + np.exp(strengths - strengths[:, None]))
    mean = (p.sum(axis=1) - 0.5) / 3
    lead = np.array([mean[k] - np.delete(mean, k).max() for k in range(4)])
    held = missed = 0
    for seed in range(runs):
        best = compare_with_best(field_of(strengths, 150, rng, luck=0.5), samples=300, seed=seed)
        held += np.all((best.lead.low <= lead + 1e-12) & (lead - 1e-12 <= best.lead.high))
        missed += "p0" not in best.candidates
        assert "p3" not in best.candidates

    assert held / runs >= 0.95 - 3 * math.sqrt(0.0475 / runs)
    assert missed / runs <= 0.05


def test_a_clear_best_is_named_alone():
    best = compare_with_best(field_of([1.5, 0, 0, 0], 300, np.random.default_rng(60)))

    assert best.candidates == ("p0",)
    assert best.lead.low[0] == 0
    assert best.lead.high[0] > best.lead.estimate[0] > 0.1
    assert np.all(best.lead.high[1:] == 0)
    assert np.all(best.lead.low[1:] < best.lead.estimate[1:])


def test_players_that_never_differ_are_all_candidates():
    best = compare_with_best(collect({p: np.full((30, 2), 0.5) for p in combinations("abc", 2)}))

    assert best.lead.low.tolist() == best.lead.high.tolist() == [0, 0, 0]
    assert best.candidates == ("a", "b", "c")


def test_a_rare_event_does_not_spoil_the_other_intervals():
    rare = np.zeros((100, 1))
    rare[7] = 1
    x = np.random.default_rng(65).normal(size=(100, 3))

    assert max_t(np.hstack([x, rare])).quantile < 2 * max_t(x).quantile


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_holm_and_bh_are_those_of_statsmodels(size):
    p = np.random.default_rng(size).random(size).round(1) ** 3  # with ties

    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


def test_p_values_outside_0_and_1_are_refused():
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match="between 0 and 1"):
            adjust([0.2, np.nan])


def test_first_move_advantage_of_an_injected_bias():
    rng = np.random.default_rng(61)
    strengths, deals = np.array([0.1, 0.0, -0.1]), 40_000
    scores = {}
    for i, j in combinations(range(3), 2):
        first = 0.5 + strengths[i] - strengths[j] + 0.02 * np.array([1, -1])
        scores[i, j] = (rng.random((deals, 2)) < first).astype(float)
    found = first_move_advantage(collect(scores))

    assert abs(found.pooled.estimate - 0.02) < 4 * found.pooled.se
    assert np.all(np.abs(found.by_pair.estimate - 0.02) < 4 * found.by_pair.se)
    assert found.pooled.low > 0.015
    assert found.pooled.n == deals
    assert found.pooled.se < found.by_pair.se.min()


def test_first_move_advantage_is_nothing_where_the_deal_decides():
    won = (np.random.default_rng(62).random(100) < 0.5).astype(float)
    found = first_move_advantage(collect({("a", "b"): np.column_stack([won, won])}))
    other = first_move_advantage(collect({("a", "b"): np.tile([1, 0], (30, 1))}))

    assert (found.pooled.estimate, found.pooled.low, found.pooled.high) == (0, 0, 0)
    assert other.pooled.estimate == 0.5  # the first always wins


def test_deals_to_separate_reach_their_power():
    n, runs = int(deals_to_separate(-0.02, 0.3)), 4000
    means = np.random.default_rng(63).normal(0.02, 0.3 / math.sqrt(n), runs)
    share = np.mean(means * math.sqrt(n) / 0.3 > stats.norm.ppf(0.95))

    assert n == math.ceil(((1.6448536 + 0.8416212) * 15) ** 2) == 1392
    assert abs(share - 0.8) < 4 * math.sqrt(0.16 / runs)
    assert deals_to_separate(0, 0.3) == math.inf
    assert deals_to_separate(0.02, 0.3, power=0.5) == math.ceil((1.6448536 * 15) ** 2)
    with pytest.raises(ValueError, match="power"):
        deals_to_separate(0.1, 1, power=0.01)


def test_separation_of_players():
    rng = np.random.default_rng(64)
    results = field_of([1, 0, 0], 500, rng)
    clear, unclear = separation(results, "p0", "p1"), separation(results, "p1", "p2")
    x = results.pair("p0", "p1").mean(axis=1)

    assert clear.estimate == deals_to_separate(x.mean() - 0.5, x.std(ddof=1))
    assert clear.low < clear.estimate < clear.high < 100
    assert unclear.high == math.inf
    assert separation(results, "p1", "p0") == clear
