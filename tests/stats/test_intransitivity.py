"""How far a field is from a single scale, and how to rank it then."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from simkit.stats.intransitivity import Intransitivity, advantage, alpha_rank, hodge, intransitivity, nash_average, three_cycles
from simkit.stats.tournament import collect

RPS = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0.0]])
strengths = st.lists(st.floats(-3, 3), min_size=2, max_size=8)
sizes, seeds = st.integers(2, 9), st.integers(0, 10**6)


def scale(values):
    """The field of a single scale."""
    values = np.asarray(values, float)
    return values[:, None] - values


def random_field(m, seed, whole=False):
    """An antisymmetric matrix; with many ties if whole."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-1, 2, (m, m)) if whole else rng.normal(size=(m, m))
    x = np.triu(x, 1)
    return (x - x.T).astype(float)


def tournament(odds, deals, rng, luck=0.0):
    """Results with these log odds; luck goes to the first seat of all games of a deal."""
    shared = luck * rng.normal(size=(deals, 1)) * [1, -1]
    scores = {}
    for i, j in combinations(range(len(odds)), 2):
        scores[i, j] = (rng.random((deals, 2)) < 1 / (1 + np.exp(-odds[i, j] - shared))).astype(float)
    return collect(scores)


def test_rock_paper_scissors_is_all_cycle():
    found = nash_average(RPS)

    assert hodge(RPS).share == pytest.approx(1, abs=1e-15)
    assert hodge(RPS).rating == pytest.approx([0, 0, 0])
    assert three_cycles(RPS) == 1
    assert found.mixture == pytest.approx(np.full(3, 1 / 3), abs=1e-12)
    assert found.entropy == pytest.approx(math.log(3))
    assert alpha_rank(RPS).mass == pytest.approx(np.full(3, 1 / 3), abs=1e-12)


@given(strengths)
def test_a_single_scale_has_no_cycle(values):
    found = hodge(scale(values))

    assert found.share < 1e-12
    assert three_cycles(scale(values)) == 0
    assert found.rating == pytest.approx(np.array(values) - np.mean(values), abs=1e-12)


def test_a_single_scale_has_one_best():
    a = scale([0.3, -0.2, 0.7, 0.1])
    found = alpha_rank(a)

    assert found.mass[2] == pytest.approx(1, abs=1e-9)
    assert found.settled
    assert nash_average(a).mixture.tolist() == [0, 0, 1, 0]
    assert nash_average(a).rating == pytest.approx([-0.4, -0.9, 0, -0.6])


@given(sizes, seeds)
def test_the_split_is_by_right_angles(m, seed):
    a = random_field(m, seed)
    found = hodge(a)
    flow = found.rating[:, None] - found.rating

    assert flow + found.cyclic == pytest.approx(a)
    assert float((flow * found.cyclic).sum()) == pytest.approx(0, abs=1e-9)
    assert found.cyclic.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert 0 <= found.share <= 1 + 1e-12


@given(sizes, seeds)
def test_cycles_are_those_of_kendall(m, seed):
    a = random_field(m, seed)
    won = (a > 0).sum(axis=1)

    assert three_cycles(a) == math.comb(m, 3) - int((won * (won - 1) // 2).sum())


def test_a_tie_closes_no_cycle():
    a = RPS.copy()
    a[0, 1] = a[1, 0] = 0

    assert three_cycles(a) == 0


@given(sizes, seeds, st.booleans())
def test_nash_is_an_equilibrium_and_ignores_copies(m, seed, whole):
    a = random_field(m, seed, whole)
    found = nash_average(a)
    k = seed % m
    order = np.append(np.arange(m), k)
    doubled = nash_average(a[np.ix_(order, order)])

    assert found.mixture.sum() == pytest.approx(1, abs=1e-12)
    assert found.mixture.min() >= 0
    assert found.rating.max() <= 1e-9
    assert found.rating[found.mixture > 0] == pytest.approx(0, abs=1e-9)
    assert doubled.rating.max() <= 1e-9
    if not whole:  # a single equilibrium: the copies share what the one had
        assert doubled.rating[:m] == pytest.approx(found.rating, abs=1e-8)
        assert doubled.mixture[[k, m]] == pytest.approx(np.full(2, found.mixture[k] / 2), abs=1e-8)


@given(sizes, seeds)
def test_no_equilibrium_has_greater_entropy(m, seed):
    a = random_field(m, seed, whole=True)
    found = nash_average(a)
    inside = found.mixture > 0

    def most(gain):
        """The greatest gain . q over all equilibria q."""
        best = linprog(-gain, A_ub=a, b_ub=np.zeros(m), A_eq=np.ones((1, m)), b_eq=[1], method="highs")
        return -best.fun

    # entropy is concave: it is greatest where its slope, -ln p, leads nowhere better
    slope = -np.log(found.mixture, where=inside, out=np.zeros(m))
    assert most(slope) <= slope @ found.mixture + 1e-6
    assert most((~inside).astype(float)) <= 1e-6


def test_nash_of_a_known_game():
    # of a generalised rock, paper, scissors the equilibrium is proportional to the stakes of the other two
    a = np.array([[0, -1, 3], [1, 0, -2], [-3, 2, 0.0]])

    assert nash_average(a).mixture == pytest.approx([2 / 6, 3 / 6, 1 / 6], abs=1e-12)
    assert nash_average(np.zeros((3, 3))).mixture == pytest.approx(np.full(3, 1 / 3))


def test_alpha_rank_of_two_has_a_closed_form():
    # the ratio of the two takeover chances is exp((population - 1) alpha D)
    a, alphas, population = np.array([[0, 0.01], [-0.01, 0]]), [0.1, 1, 3], 20
    sweep = alpha_rank(a, population, alphas).sweep

    ratio = np.exp((population - 1) * np.array(alphas) * 0.02)
    assert sweep[:, 0] == pytest.approx(ratio / (1 + ratio), rel=1e-10)


def test_alpha_rank_is_the_stationary_law_of_its_chain():
    a, alpha, n = random_field(5, 3) / 50, 2.0, 10
    d = a - a.T  # row invades column
    with np.errstate(invalid="ignore"):
        rho = np.where(d == 0, 1 / n, (1 - np.exp(-alpha * d)) / (1 - np.exp(-alpha * n * d)))
    chain = rho.T / 4
    np.fill_diagonal(chain, 0)
    np.fill_diagonal(chain, 1 - chain.sum(axis=1))
    mass = alpha_rank(a, n, [alpha]).mass

    assert mass @ chain == pytest.approx(mass, abs=1e-14)
    assert mass.sum() == pytest.approx(1)


def test_alpha_rank_settles_on_the_cycle_at_the_top():
    a = np.full((4, 4), 0.2)
    a[:3, :3] = RPS * 0.05
    a[3, :] = -0.2
    a[3, 3] = 0
    found = alpha_rank(a)

    assert found.mass == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)
    assert found.settled
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.sweep[0] == pytest.approx(np.full(4, 0.25), abs=0.01)  # weak selection
    assert len(found.alphas) == len(found.sweep)
    assert alpha_rank(np.zeros((2, 2))).mass.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("kind", ["logit", "score"])
def test_the_flag_seldom_fires_on_a_single_scale(kind):
    runs = 200
    rng = np.random.default_rng(90)
    odds = scale([0.6, 0.3, 0, -0.2, -0.7])
    fired = sum(intransitivity(tournament(odds, 150, rng, luck=0.5), kind, samples=200, seed=k).significant for k in range(runs))

    assert fired / runs <= 0.05 + 3 * math.sqrt(0.0475 / runs)


def test_noise_alone_makes_cycles_and_is_not_blamed():
    found = intransitivity(tournament(np.zeros((6, 6)), 100, np.random.default_rng(91)))

    assert found.share > 0.3
    assert found.cycles > 0
    assert found.expected == pytest.approx(found.share, abs=0.3)
    assert not found.significant
    assert "no more than noise explains" in str(found)


def test_shares_near_0_are_said_without_digits():
    found = Intransitivity(0.0123, 2.6e-33, 0.02, 0.1, 0, 0.0, 1.0, 0.95)

    assert str(found).startswith("cyclic share 1.2 %, no more than noise explains (below 0.001 % expected on a single scale, p = 0.1)")
    assert str(replace(found, share=1.0)).startswith("cyclic share 100 %,")
    assert str(replace(found, share=0.0, expected=2e-5)).startswith("cyclic share 0 %, no more than noise explains (0.002 % expected")


def test_a_real_cycle_is_found():
    odds = scale([0.5, 0.5, 0.5, -1])
    odds[:3, :3] = 0.4 * RPS
    found = intransitivity(tournament(odds, 400, np.random.default_rng(92)))

    assert found.significant
    assert found.p_value < 0.01
    assert found.share > found.limit > found.expected
    assert found.cycles == 1
    assert "more than noise explains" in str(found)


def test_the_seed_decides():
    results = tournament(np.zeros((3, 3)), 60, np.random.default_rng(93))

    assert intransitivity(results, samples=50, seed=4) == intransitivity(results, samples=50, seed=4)


def test_advantages_of_a_tournament():
    won = np.zeros((50, 2))
    won[:30, 0] = 1
    results = collect({("a", "b"): won, ("b", "c"): np.ones((50, 2)), ("a", "c"): np.full((50, 2), 0.5)})

    assert advantage(results, "score") == pytest.approx(np.array([[0, -0.2, 0], [0.2, 0, 0.5], [0, -0.5, 0]]))
    assert advantage(results)[0, 1] == pytest.approx(math.log(3 / 7))
    assert advantage(results)[1, 2] == pytest.approx(math.log(99.5 / 0.5))
    with pytest.raises(ValueError, match="give 'logit'"):
        advantage(results, "elo")


def test_what_is_no_field_is_refused():
    with pytest.raises(ValueError, match="not antisymmetric"):
        hodge(np.ones((2, 2)))
    with pytest.raises(ValueError, match="square"):
        nash_average(np.ones((2, 3)))
    with pytest.raises(ValueError, match="square"):
        alpha_rank(np.full((2, 2), np.nan))
    with pytest.raises(ValueError, match="give three"):
        intransitivity(tournament(np.zeros((2, 2)), 30, np.random.default_rng(94)))
