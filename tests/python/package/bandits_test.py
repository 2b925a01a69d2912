# SPDX-License-Identifier: MIT
"""Bandits and fixed share in Python: what they choose, what they refuse, that they go on from copies, pickles and states."""
import copy
import pickle

import numpy as np
import pytest

import gaia
from gaia import agents


def plays(bandit, count, start=0):
    """The arms that it plays; arm a pays a/10 at even steps, 1 at others."""
    arms = []
    for t in range(start, start + count):
        arms.append(bandit.choose())
        bandit.learn(arms[-1], arms[-1] / 10 if t % 2 == 0 else 1)
    return arms


def test_ucb1_plays_as_its_rule_says():
    bandit = agents.UCB1(4)
    seen = [[] for _ in range(4)]
    for t in range(500):
        bounds = [np.inf if not one else np.mean(one) + np.sqrt(2 * np.log(t) / len(one)) for one in seen]
        arm = int(np.argmax(bounds))
        assert bandit.choose() == arm
        reward = float((t * 7919 % 101) / 101 > 0.2 * arm)
        seen[arm].append(reward)
        bandit.learn(arm, reward)
    bandit.learn(0, np.bool_(True))
    seen[0].append(1)
    assert bandit.arms == 4
    np.testing.assert_array_equal(bandit.state()["plays"], [len(one) for one in seen])


def test_fixed_share_is_that_of_its_equations():
    shares = agents.FixedShare(3, rate=2, share=0.1)
    weights = np.full(3, 1 / 3)
    draw = np.random.default_rng(1)
    for _ in range(100):
        np.testing.assert_allclose(shares.weights, weights, atol=1e-12)
        losses = draw.random(3)
        shares.learn(losses)
        v = weights * np.exp(-2 * losses)
        v /= v.sum()
        weights = 0.9 * v + 0.1 / 2 * (1 - v)
    assert shares.experts == 3


@pytest.mark.parametrize("made", [
    lambda: agents.UCB1(3), lambda: agents.ThompsonSampling(3, prior_wins=0.5, seed=4),
    lambda: agents.ThompsonSampling(3)])
def test_bandits_go_on_from_copies_pickles_and_states(made):
    bandit = made()
    plays(bandit, 50)
    others = [copy.copy(bandit), copy.deepcopy(bandit), pickle.loads(pickle.dumps(bandit))]
    state = bandit.state()
    expected = plays(bandit, 100, 50)
    for other in others:
        assert plays(other, 100, 50) == expected
    bandit.set_state(state)
    assert plays(bandit, 100, 50) == expected


def test_thompson_sampling_follows_its_seed_and_finds_the_best_arm():
    assert plays(agents.ThompsonSampling(5, seed=1), 200) == plays(agents.ThompsonSampling(5, seed=1), 200)
    assert plays(agents.ThompsonSampling(5, seed=1), 200) != plays(agents.ThompsonSampling(5, seed=2), 200)
    late = plays(agents.ThompsonSampling(5, seed=1), 3000)[-500:]
    assert np.mean(np.array(late) >= 3) > 0.6


def test_fixed_share_goes_on_from_copies_pickles_and_states():
    shares = agents.FixedShare(2, rate=1, share=0.01)
    shares.learn([0, 1])
    others = [copy.copy(shares), pickle.loads(pickle.dumps(shares)), agents.FixedShare(2, rate=1, share=0.01)]
    others[2].set_state(shares.state())
    shares.learn([1, 0.5])
    for other in others:
        other.learn([1, 0.5])
        np.testing.assert_array_equal(other.weights, shares.weights)


@pytest.mark.parametrize("call, message", [
    (lambda: agents.UCB1(0), "arms: expected at least 1"),
    (lambda: agents.UCB1("many"), r"\[arms\] expected whole numbers"),
    (lambda: agents.UCB1(2).learn(2, 1), "arm: expected 0 to 1, got 2"),
    (lambda: agents.UCB1(2).learn(0, 1.5), "scale rewards to that range"),
    (lambda: agents.UCB1(2).learn(0, "much"), r"\[reward\] expected a number, got 'much'"),
    (lambda: agents.UCB1(2).set_state(agents.UCB1(3).state()), "expected 2 numbers, got 3"),
    (lambda: agents.UCB1(2).set_state({}), "expected 'plays'"),
    (lambda: agents.UCB1(2).set_state(None), "expected a dict"),
    (lambda: agents.ThompsonSampling(2, prior_wins=0), "prior_wins and prior_losses"),
    (lambda: agents.ThompsonSampling(2, seed=-1), r"\[seed\]"),
    (lambda: agents.ThompsonSampling(2).learn(0, float("nan")), "expected a number from 0 to 1"),
    (lambda: agents.FixedShare(2, rate=0), "rate: expected a number above 0"),
    (lambda: agents.FixedShare(2, share=2), "share: expected a number from 0 to 1"),
    (lambda: agents.FixedShare(2).learn([1, 2, 3]), "one for each of 2 experts, got 3"),
    (lambda: agents.FixedShare(2).learn([1, np.nan]), "expected finite numbers"),
])
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(gaia.ArgumentError, match=message):
        call()


def test_a_bernoulli_bandit_pays_as_it_should():
    world = agents.bernoulli_bandit([0.9, 0.1], steps=2000, seed=1)
    world.reset()
    paid = [world.step(t % 2)[1] for t in range(2000)]
    assert abs(np.mean(paid[0::2]) - 0.9) < 0.05 and abs(np.mean(paid[1::2]) - 0.1) < 0.05
