"""Tests that stop when they know."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize

from simkit.stats.sequential import (
    NELO,
    QUARTERS,
    SequentialTest,
    bernoulli_llr,
    boundaries,
    elo_of_score,
    median_unbiased,
    score_counts,
    score_llr,
    score_llr_normal,
    score_of_elo,
    strength,
    t_llr,
    t_llr_normal,
    wald_games,
    wald_power,
)

# A live test of the Fishtest chess framework: its page of raw statistics prints the figures below.
PAIRS = [13, 37, 50, 25, 3]

# p -> share that accept H1, mean games: 4,000 runs of p0 = .5 against p1 = .51, both error rates .05
BERNOULLI = {0.5: (0.044, 13_286), 0.505: (0.497, 22_173), 0.51: (0.945, 13_182)}


def law_with_mean(p, a, mean):
    """The law exp(k a) p on a, with this mean."""
    p, a = np.asarray(p, float), np.asarray(a, float)
    low, high = -200.0, 200.0
    for _ in range(200):
        k = (low + high) / 2
        q = p * np.exp(k * (a - mean))
        q /= q.sum()
        low, high = (k, high) if q @ a < mean else (low, k)
    return q


def constrained_llr(counts, a, value0, value1, value_of):
    """Log-likelihood ratio of two values of a functional of the law, by a general optimiser."""
    p = np.asarray(counts) / np.sum(counts)

    def best(value):
        condition = [{"type": "eq", "fun": lambda q: q.sum() - 1}, {"type": "eq", "fun": lambda q: value_of(q) - value}]
        found = minimize(
            lambda q: -(p @ np.log(q)),
            p,
            jac=lambda q: -p / q,
            constraints=condition,
            bounds=[(1e-9, 1)] * len(p),
            options={"ftol": 1e-15, "maxiter": 500},
        )
        return -found.fun

    return np.sum(counts) * (best(value1) - best(value0))


def bernoulli_runs(p, runs, rng):
    """Share that accept H1, and the games of each run, of the Bernoulli test of .5 against .51."""
    low, high = boundaries(0.05, 0.05)
    games, accepted = np.zeros(runs), np.zeros(runs, bool)
    active, wins, played = np.arange(runs), np.zeros(runs), 0
    while active.size:
        more = wins[active][:, None] + np.cumsum(rng.random((active.size, 512)) < p, axis=1)
        llr = bernoulli_llr(more, played + np.arange(1, 513), 0.5, 0.51)
        over = (llr <= low) | (llr >= high)
        done = over.any(axis=1)
        first = over.argmax(axis=1)
        games[active[done]] = played + first[done] + 1
        accepted[active[done]] = llr[done, first[done]] >= high
        wins[active] = more[:, -1]
        active, played = active[~done], played + 512
    return accepted.mean(), games


def multinomial_runs(llr, law, step, runs, rng, limit=10**6):
    """Share that accept H1, and mean deals, of a test that looks every `step` deals."""
    low, high = boundaries(0.05, 0.05)
    counts = np.zeros((runs, len(law)), np.int64)
    deals, accepted, active, played = np.zeros(runs), np.zeros(runs, bool), np.arange(runs), 0
    while active.size:
        played += step
        assert played < limit
        counts[active] += rng.multinomial(step, law, size=active.size)
        now = llr(counts[active])
        done = (now <= low) | (now >= high)
        deals[active[done]], accepted[active[done]] = played, now[done] >= high
        active = active[~done]
    return accepted.mean(), deals


def test_golden_values_of_a_live_test():
    s = strength(PAIRS)

    assert s.score.estimate == 0.4375
    assert s.variance == pytest.approx(0.057617, abs=5e-7)
    assert s.nelo.estimate == pytest.approx(-63.968, abs=5e-4)
    assert s.elo.estimate == pytest.approx(-43.658, abs=5e-4)
    assert t_llr(PAIRS, 0, 4 / NELO) == pytest.approx(-0.549125, abs=5e-7)  # published: -0.54912
    assert t_llr_normal(PAIRS, 0, 4 / NELO) == pytest.approx(-0.540121, abs=5e-7)  # published: -0.54012
    assert score_llr(PAIRS, 0.5, score_of_elo(2.716)) == pytest.approx(-0.53777, abs=5e-6)
    assert score_llr_normal(PAIRS, 0.5, score_of_elo(2.716)) == pytest.approx(-0.55966, abs=5e-6)
    assert pytest.approx(347.4356, abs=5e-5) == NELO


@pytest.mark.parametrize("support", [QUARTERS, (0.0, 0.1, 0.45, 0.8, 1.0)])
@pytest.mark.parametrize("counts", [PAIRS, [5, 30, 40, 90, 35]])
def test_the_likelihood_ratios_are_those_of_a_general_optimiser(counts, support):
    a = np.array(support)

    def t(q):
        mean = q @ a
        return (mean - 0.5) / np.sqrt(2 * q @ (a - mean) ** 2)

    score = constrained_llr(counts, a, 0.48, 0.53, lambda q: q @ a)
    nelo = constrained_llr(counts, a, -0.05, 0.1, t)

    assert score_llr(counts, 0.48, 0.53, support) == pytest.approx(score, rel=1e-5)
    assert t_llr(counts, -0.05, 0.1, support) == pytest.approx(nelo, rel=1e-5)


def test_two_scores_are_the_bernoulli_test():
    exact = bernoulli_llr(530, 1000, 0.5, 0.51)

    assert score_llr([470, 530], 0.5, 0.51, (0, 1)) == pytest.approx(exact, rel=1e-12)
    assert exact == pytest.approx(530 * math.log(0.51 / 0.5) + 470 * math.log(0.49 / 0.5), rel=1e-12)


@given(st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(lambda c: sum(c) > 0))
def test_exchanging_the_players_changes_only_the_sign(counts):
    back = counts[::-1]

    assert score_llr(back, 0.47, 0.52) == pytest.approx(-score_llr(counts, 0.48, 0.53), rel=1e-8, abs=1e-8)
    assert t_llr(back, -0.03, 0.01) == pytest.approx(-t_llr(counts, -0.01, 0.03), rel=1e-7, abs=1e-7)


def test_runs_on_leading_axes_are_judged_one_by_one():
    several = np.array([PAIRS, [3, 9, 70, 40, 6], [0, 0, 0, 0, 50], [0, 0, 77, 0, 0]])

    for llr in (score_llr, t_llr, score_llr_normal, t_llr_normal):
        assert llr(several, 0.5, 0.51) == pytest.approx([llr(c, 0.5, 0.51) for c in several], rel=1e-9)


def test_a_score_that_never_came_hardly_counts():
    without, seen = (0.0, 0.25, 0.75, 1.0), [13, 37, 25, 3]

    for llr, bounds in ((score_llr, (0.5, 0.51)), (t_llr, (0, 0.02))):
        assert llr([13, 37, 0, 25, 3], *bounds) == pytest.approx(llr(seen, *bounds, without), rel=1e-3)


def test_deals_that_are_always_even_speak_against_a_difference():
    assert score_llr([1000], 0.5, 0.51, [0.5]) < -10
    assert t_llr([0, 0, 1000, 0, 0], 0, 0.02) < 0
    assert score_llr([0, 0, 1000, 0, 0], 0.49, 0.51) == pytest.approx(0, abs=1e-9)


def test_the_approximations_hold_for_small_differences():
    counts = np.array([800, 2000, 4000, 2150, 850])

    assert score_llr(counts, 0.5, 0.505) == pytest.approx(score_llr_normal(counts, 0.5, 0.505), rel=0.02)
    assert t_llr(counts, 0, 0.01) == pytest.approx(t_llr_normal(counts, 0, 0.01), rel=0.02)


def test_elo_and_scores():
    assert elo_of_score(0.75) == pytest.approx(190.848, abs=1e-3)
    assert score_of_elo(elo_of_score(0.31)) == pytest.approx(0.31, rel=1e-14)
    assert elo_of_score([0, 0.5, 1]).tolist() == [-math.inf, 0, math.inf]


def test_points_of_any_scale_become_counts():
    support, counts = score_counts([-300, 0, 0, 150, 300], -300, 300)

    assert support.tolist() == [0, 0.5, 0.75, 1]
    assert counts.tolist() == [1, 2, 1, 1]
    with pytest.raises(ValueError, match="lie between"):
        score_counts([301], -300, 300)


def test_wald_power_and_length():
    # Wald 1945, with h = ±1 at the bounds; the length is that of the published plan
    assert wald_power(0.5, 0.5, 0.51) == pytest.approx(0.05, abs=1e-10)
    assert wald_power(0.51, 0.5, 0.51) == pytest.approx(0.95, abs=1e-10)
    assert round(wald_games(0.5, 0.5, 0.51)) == 13_247
    even = math.log(0.5 / 0.49) / math.log(0.51 / 0.49)  # no drift
    assert wald_power(even, 0.5, 0.51) == pytest.approx(0.5, abs=1e-6)
    assert wald_games(even, 0.5, 0.51) == pytest.approx(wald_games(even + 1e-6, 0.5, 0.51), rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("p", list(BERNOULLI))
def test_bernoulli_error_rates_and_lengths(p):
    runs = 4000
    share, games = bernoulli_runs(p, runs, np.random.default_rng(40))
    published, length = BERNOULLI[p]
    se = math.sqrt(published * (1 - published) / runs)

    assert abs(share - published) < 4 * math.sqrt(2) * se + 0.0005
    assert abs(games.mean() - length) < 4 * math.sqrt(2) * games.std() / math.sqrt(runs)
    if p == 0.5:
        assert share <= 0.05 + 3 * se
    if p == 0.51:
        assert share >= 0.95 - 3 * se
    if p != 0.505:
        assert games.mean() == pytest.approx(wald_games(p, 0.5, 0.51), rel=0.03)


@pytest.mark.parametrize("support", [QUARTERS, tuple(np.linspace(0.2, 0.8, 13))])
@pytest.mark.parametrize("truth", [0.5, 0.53])
def test_score_test_keeps_its_error_rates(support, truth):
    runs = 800
    rng = np.random.default_rng(41)
    law = law_with_mean(1 + np.arange(len(support)) % 3, support, truth)
    a = np.array(support)
    sd = math.sqrt(law @ (a - truth) ** 2)
    step = max(2, round(0.04 * (sd / 0.03) ** 2))
    share, deals = multinomial_runs(lambda c: score_llr(c, 0.5, 0.53, support), law, step, runs, rng)
    se = math.sqrt(0.05 * 0.95 / runs)
    # Wald's length; the overshoot at looks lengthens it by .583 of their standard deviation (Siegmund 1985)
    b = boundaries()[1] + 0.583 * math.sqrt(step) * 0.03 / sd
    wald = 2 * b * (math.expm1(b) / (math.exp(b) + 1)) * (sd / 0.03) ** 2

    assert (share if truth == 0.5 else 1 - share) <= 0.05 + 3 * se
    assert abs(deals.mean() - wald) < 4 * deals.std() / math.sqrt(runs) + 0.03 * wald


@pytest.mark.slow
@pytest.mark.parametrize("truth", [0, 30])
def test_normalized_elo_test_takes_no_longer_with_more_draws(truth):
    runs, lengths = 300, []
    rng = np.random.default_rng(42)
    for drawish in ([1, 1, 1, 1, 1], [1, 4, 60, 4, 1]):
        a, t = np.array(QUARTERS), truth / NELO
        law = np.array(drawish) / np.sum(drawish)
        for _ in range(100):  # a law whose mean is 1/2 + t sd
            sd = math.sqrt(2 * law @ (a - law @ a) ** 2)
            law = law_with_mean(np.array(drawish), a, 0.5 + t * sd)
        share, deals = multinomial_runs(lambda c: t_llr(c, 0, 30 / NELO), law, 15, runs, rng)
        se = math.sqrt(0.05 * 0.95 / runs)
        assert (share if truth == 0 else 1 - share) <= 0.05 + 3 * se
        lengths.append(deals)

    difference = lengths[0].mean() - lengths[1].mean()
    assert abs(difference) < 4 * math.hypot(lengths[0].std(), lengths[1].std()) / math.sqrt(runs) + 0.03 * lengths[0].mean()


@pytest.mark.parametrize(("law", "level"), [([1, 5, 9, 6, 2], 0.95), ([0, 0, 2, 5, 12], 0.9)])
def test_strength_intervals_cover(law, level):
    runs, n = 20_000, 400
    a, p = np.array(QUARTERS), np.array(law) / np.sum(law)
    mean = p @ a
    truth = {"score": mean, "elo": elo_of_score(mean), "nelo": NELO * (mean - 0.5) / math.sqrt(2 * p @ (a - mean) ** 2)}
    counts = np.random.default_rng(43).multinomial(n, p, size=runs)
    counts, times = np.unique(counts, axis=0, return_counts=True)
    keep = np.random.default_rng(44).permutation(len(counts))[:3000]
    inside = {name: 0 for name in truth}
    for row, k in zip(counts[keep], times[keep]):
        s = strength(row, level=level)
        for name, value in truth.items():
            inside[name] += k * (getattr(s, name).low <= value <= getattr(s, name).high)

    total = times[keep].sum()
    for share in inside.values():
        assert abs(share / total - level) < 4 * math.sqrt(level * (1 - level) / total) + 0.01


def test_strength_that_never_varies_has_no_normalized_elo():
    s, won = strength([0, 0, 40, 0, 0]), strength([0, 0, 0, 0, 40])
    other = 1 - 0.05 ** (1 / 40)  # with a greater chance another score would have come, 95 times in 100

    assert (s.score.low, s.score.high) == pytest.approx((0.5 - other / 2, 0.5 + other / 2))
    assert s.elo.low == pytest.approx(elo_of_score(s.score.low))
    assert math.isnan(s.nelo.estimate)
    assert won.elo.estimate == won.elo.high == math.inf
    assert (won.score.low, won.score.high) == pytest.approx((1 - other, 1))
    assert "normalized Elo undefined" in str(s)


def test_a_test_follows_its_schedule():
    test = SequentialTest(0, 5, "nelo", schedule=[100, 400, 1000])

    assert test.next_look == 100
    assert test.look([0, 10, 40, 40, 10]) == "continue"
    with pytest.raises(ValueError, match="next look is at 400"):
        test.look([0, 10, 40, 41, 10])
    assert test.look([0, 40, 160, 160, 40]) == "accept H1"
    assert test.llr == t_llr([0, 40, 160, 160, 40], 0, 5 / NELO)
    assert test.next_look is None
    assert str(test) == "sequential test of normalized Elo 0 against 5, error rates 0.05 and 0.05: accept H1 after 400 deals"
    with pytest.raises(ValueError, match="the test is over"):
        test.look([0, 100, 400, 400, 100])


def test_a_test_decides_all_three_ways():
    weak = SequentialTest(0, 5, "elo", schedule=[2000, 8000])
    even = SequentialTest(-1, 1, "elo", schedule=[100, 200])
    score = SequentialTest(0.5, 0.52, "score", alpha=0.01, schedule=[2000])

    assert weak.look([200, 500, 800, 400, 100]) == "accept H0"
    assert [even.look([5, 20, 50, 20, 5]), even.look([10, 40, 100, 40, 10])] == ["continue", "undecided"]
    assert score.look([100, 400, 800, 500, 200]) == "accept H1"
    assert score.bounds == pytest.approx((math.log(0.05 / 0.99), math.log(0.95 / 0.01)))
    assert SequentialTest(0, 5).next_look == 1000  # the schedule of runs


def test_a_test_of_points_may_learn_new_scores_as_it_goes():
    test = SequentialTest(0.5, 0.55, "score", schedule=[60, 600], games=1)
    rng = np.random.default_rng(45)
    points = rng.normal(30, 60, 600).round()

    for n in (60, 600):
        support, counts = score_counts(points[:n], -500, 500)
        decision = test.look(counts, support)
    assert decision == "accept H1" if test.llr > 0 else "accept H0"
    assert test.estimate().low < 0.5 + points.mean() / 1000 < test.estimate().high


def test_impossible_tests_are_refused():
    with pytest.raises(ValueError, match="below"):
        SequentialTest(5, 5)
    with pytest.raises(ValueError, match="unit"):
        SequentialTest(0, 5, "chess")
    with pytest.raises(ValueError, match="between 0 and 1"):
        SequentialTest(0.5, 1.0, "score")
    with pytest.raises(ValueError, match="alpha"):
        boundaries(0.6, 0.5)
    with pytest.raises(ValueError, match="look first"):
        SequentialTest(0, 5).estimate()
    with pytest.raises(ValueError, match="one count per score"):
        score_llr([1, 2], 0.5, 0.6)
    with pytest.raises(ValueError, match="ascend between"):
        score_llr([1, 2], 0.5, 0.6, (0, 2))
    with pytest.raises(ValueError, match="at least one deal"):
        score_llr([0, 0, 0, 0, 0], 0.5, 0.6)
    with pytest.raises(ValueError, match="must ascend"):
        SequentialTest(-1, 1, schedule=[100, 100]).look([0, 0, 100, 0, 0])
    with pytest.raises(ValueError, match="no law of these scores"):
        t_llr(PAIRS, 0, 5)


def test_one_look_gives_the_usual_interval():
    drift, low, high = median_unbiased([4.0], 3.0, -2.9, 2.9)

    assert drift == pytest.approx(0.75, abs=1e-8)
    assert (low, high) == pytest.approx((0.75 - 1.959964 / 2, 0.75 + 1.959964 / 2), abs=1e-6)


def test_two_looks_by_hand():
    # stopped above at the second look: at drift d the chance of more is P(W1 > u) + P(l < W1 < u, W2 > w)
    u, w, times = 2.0, 2.3, (1.0, 2.5)
    drift, low, high = median_unbiased(times, w, -1.5, u)

    def tail(d):
        law = stats.multivariate_normal([d * t for t in times], [[1.0, 1.0], [1.0, 2.5]])
        both = law.cdf([u, 99]) - law.cdf([-1.5, 99]) - law.cdf([u, w]) + law.cdf([-1.5, w])
        return stats.norm.sf(u - d) + both

    assert tail(drift) == pytest.approx(0.5, abs=1e-5)
    assert tail(low) == pytest.approx(0.025, abs=1e-5)
    assert tail(high) == pytest.approx(0.975, abs=1e-5)


@pytest.mark.parametrize("drift", [0.5, 0.1])
def test_estimates_after_stopping_are_median_unbiased(drift):
    runs, times = 700, np.array([1, 2, 3, 4.5, 6, 8, 11, 15])
    rng = np.random.default_rng(46)
    low, high = boundaries()
    gaps = np.diff(times, prepend=0)
    paths = np.cumsum(drift * gaps + np.sqrt(gaps) * rng.normal(size=(runs, len(times))), axis=1)
    out = (paths <= low) | (paths >= high)
    out[:, -1] = True
    stop = out.argmax(axis=1)
    found = np.array([median_unbiased(times[: k + 1], path[k], low, high) for path, k in zip(paths, stop)])
    raw = paths[np.arange(runs), stop] / times[stop]
    se = math.sqrt(1 / runs)

    assert abs(np.mean(found[:, 0] > drift) - 0.5) < 4 * se / 2
    assert abs(np.mean((found[:, 1] < drift) & (drift < found[:, 2])) - 0.95) < 4 * math.sqrt(0.0475 / runs)
    assert raw.mean() - drift > 4 * raw.std() * se  # what the raw mean would have said
    assert abs(found[:, 0].mean() - drift) < raw.mean() - drift


def test_looks_at_every_deal_are_thinned_without_harm():
    often = median_unbiased(np.arange(1, 3001) * 0.001, 2.95, -2.94, 2.94)
    seldom = median_unbiased(np.arange(1, 301) * 0.01, 2.95, -2.94, 2.94)

    assert often == pytest.approx(seldom, abs=0.03)


def test_estimate_of_a_test_is_below_its_raw_mean_when_luck_stopped_it_early():
    test = SequentialTest(0, 10, "nelo", schedule=range(100, 10_000, 100))
    deal = np.array([3, 20, 40, 26, 11])
    k = 1
    while test.look(k * deal) == "continue":
        k += 1
    estimate, raw = test.estimate(), strength(k * deal).nelo

    assert test.decision == "accept H1"
    assert k > 1
    assert estimate.n == 100 * k
    assert raw.low < estimate.estimate < raw.estimate
    assert estimate.low > 0


def test_estimate_in_score_and_elo_is_one_and_the_same():
    elo, score = (
        SequentialTest(*bounds, unit, schedule=[500, 900]) for unit, bounds in (("elo", (0, 20)), ("score", (0.5, score_of_elo(20))))
    )
    for test in (elo, score):
        test.look([40, 110, 170, 120, 60])
    a, b = elo.estimate(), score.estimate()

    assert elo_of_score([b.estimate, b.low, b.high]) == pytest.approx([a.estimate, a.low, a.high], rel=1e-9)


@pytest.mark.parametrize(
    ("law", "unit", "high"), [([1, 2, 31, 17, 39], "elo", 5), ([1, 2, 31, 17, 39], "nelo", 5), ([10, 20, 40, 24, 14], "elo", 20)]
)
def test_estimates_cover_far_from_the_bounds_too(law, unit, high):
    """A test that ends at once, because A is far better than its bounds, must not draw the estimate towards them."""
    runs, a, p = 60, np.array(QUARTERS), np.array(law) / np.sum(law)
    mean, sd = p @ a, math.sqrt(p @ (a - p @ a) ** 2)
    truth = elo_of_score(mean) if unit == "elo" else NELO * (mean - 0.5) / (math.sqrt(2) * sd)
    rng, inside, above = np.random.default_rng(51), 0, 0
    for _ in range(runs):
        test = SequentialTest(0, high, unit, schedule=[200, 250, 300, 400, 600, 1000, 2000, 5000])
        counts = np.zeros(5, np.int64)
        while test.decision == "continue":
            counts = counts + rng.multinomial(test.next_look - counts.sum(), p)
            test.look(counts)
        found = test.estimate()
        inside += found.low <= truth <= found.high
        above += found.estimate > truth

    assert abs(inside / runs - 0.95) < 4 * math.sqrt(0.95 * 0.05 / runs)
    assert abs(above / runs - 0.5) < 4 * 0.5 / math.sqrt(runs)


def test_an_estimate_after_equal_deals_leaves_room_for_another():
    test = SequentialTest(0, 10, schedule=[200, 400])
    test.look([0, 0, 0, 0, 200])
    found = test.estimate()

    assert test.decision == "accept H1"
    assert found.low <= elo_of_score(0.05 ** (1 / 200)) < found.estimate
