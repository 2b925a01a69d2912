# SPDX-License-Identifier: MIT
"""gaia.metrics compared with their formulas in NumPy."""
import itertools
import math

import numpy as np
import pytest

import gaia
from gaia import metrics


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).normal(size=shape)


def test_rank_is_of_the_singular_values():
    x = numbers(50, 4) * [3.0, 1.0, 0.5, 0.0] + 7.0
    for centred in (True, False):
        s = np.linalg.svd(x - x.mean(axis=0) if centred else x, compute_uv=False)
        p = s[s > 1e-9] / s.sum()
        found = metrics.representation_rank(x, centred=centred)
        assert found.effective == pytest.approx(np.exp(-(p * np.log(p)).sum()))
        assert found.participation == pytest.approx((s ** 2).sum() ** 2 / (s ** 4).sum())
        assert found.numerical == (3 if centred else 4)


def test_selectivity_and_sparseness():
    y = np.abs(numbers(20, 3))
    np.testing.assert_allclose(metrics.selectivity(y), 1 - y.mean(axis=0) / y.max(axis=0))

    def sparseness(v):
        n = v.shape[0]
        return (1 - v.mean(axis=0) ** 2 / (v ** 2).mean(axis=0)) / (1 - 1 / n)

    np.testing.assert_allclose(metrics.lifetime_sparseness(y), sparseness(y))
    np.testing.assert_allclose(metrics.population_sparseness(y), sparseness(y.T))


def test_weights_and_what_they_keep():
    w, x = numbers(3, 6), numbers(40, 6, seed=2) + 2.0
    cos = [abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) for a, b in itertools.combinations(w, 2)]
    assert metrics.orthogonality(w) == pytest.approx(1 - np.mean(np.square(cos)))
    assert metrics.mutual_coherence(w) == pytest.approx(max(cos))
    basis = np.linalg.qr(w.T)[0]
    for centred in (False, True):
        z = x - x.mean(axis=0) if centred else x
        lost = ((z - z @ basis @ basis.T) ** 2).sum() / (z ** 2).sum()
        assert metrics.reconstruction_error(x, w, centred=centred) == pytest.approx(lost)
    directions = np.linalg.qr(numbers(6, 2, seed=3))[0]
    angles = np.linalg.svd(basis.T @ directions, compute_uv=False)
    assert metrics.subspace_score(w, directions.T) == pytest.approx((angles ** 2).mean())


@pytest.mark.parametrize("made", [lambda w: w, lambda w: w.tolist(), gaia.Array, np.asfortranarray,
                                  lambda w: w.astype(np.float32), lambda w: (100 * w).astype(np.int16)])
def test_arrays_of_all_kinds(made):
    w = numbers(3, 5)
    assert metrics.orthogonality(made(w)) == pytest.approx(metrics.orthogonality(w), rel=0.05)
    read_only = w.copy()
    read_only.flags.writeable = False
    assert metrics.orthogonality(read_only) == metrics.orthogonality(w)
    assert metrics.orthogonality(w.tolist()) == metrics.orthogonality(w)  # lists are not cut to float32


def test_what_of_the_change_of_weights_stays():
    w = numbers(6, 2, 3).cumsum(axis=0)
    scores = [0.1, 0.3, 0.2, 0.4, 0.5, 0.8]
    path, net = np.abs(np.diff(w, axis=0)).sum(), np.abs(w[-1] - w[0]).sum()
    turnover = path / np.abs(w).sum(axis=(1, 2)).mean()
    found = metrics.measure_plasticity_efficiency(w, scores)
    assert found == pytest.approx((5, path, net, net / path, turnover, 0.7, 0.7 / turnover))
    follow = metrics.WeightPath()
    for one in w:
        follow.add(one)
    seen = follow.result()
    assert seen[:5] == pytest.approx(found[:5]) and math.isnan(seen.gain)
    assert math.isnan(metrics.measure_plasticity_efficiency(w).gain)


def test_how_soon_a_score_is_reached():
    t = np.arange(400)
    found = metrics.measure_adaptation_speed(1 - np.exp(-t / 20), tail=10)
    assert found.steps == pytest.approx(20 * np.log(10), abs=0.02) and found.speed == 1 / found.steps
    assert found.settled == 47 and found.first == 0.0
    half = metrics.measure_adaptation_speed(1 - np.exp(-t / 20), share=0.5, tail=10)
    assert half.steps == pytest.approx(20 * np.log(2), abs=0.02)
    assert metrics.measure_adaptation_speed([0.0, 1.0, 2.0, 4.0], tail=2).final == 3.0


def test_what_is_forgotten():
    r = np.array([[0.9, 0.1, 0.2], [0.6, 0.8, 0.3], [0.5, 0.7, 0.95]])
    found = metrics.measure_forgetting(r, untrained=[0.1, 0.05, 0.1], alone=[0.9, 0.85, 1.0])
    np.testing.assert_allclose(found.of_task, [0.4, 0.1])
    assert found.forgetting == pytest.approx(0.25) and found.average == pytest.approx(r[2].mean())
    assert found.backward_transfer == pytest.approx((-0.4 - 0.1) / 2)
    assert found.forward_transfer == pytest.approx((0.05 + 0.2) / 2)
    assert found.intransigence == pytest.approx((0.0 + 0.05 + 0.05) / 3)
    assert math.isnan(metrics.measure_forgetting(r).forward_transfer)
    both = metrics.measure_stability_plasticity_tradeoff(r, ideal=0.95)
    stability, plasticity = np.mean([0.6, 0.5]) / 0.95, np.mean([0.8, 0.95])
    overall = np.mean([np.mean([0.6, 0.8]), r[2].mean()]) / 0.95
    assert both == pytest.approx((stability, plasticity, overall, 2 * stability * plasticity / (stability + plasticity)))
    assert metrics.measure_stability_plasticity_tradeoff(r).stability == pytest.approx(0.55)


def test_what_switches_cost():
    scores = [1.0, 1.0, 1.0, 0.5, 0.7, 0.96, 1.0, 0.2, 0.3, 0.3]
    found = metrics.evaluate_adaptation_robustness(scores, np.array([3, 7]), window=3)
    first, second = found.switches
    assert first == pytest.approx((3, 1.0, 0.5, 2)) and second.at == 7
    assert second.before == pytest.approx(np.mean(scores[4:7])) and math.isnan(second.recovery)
    assert found.recovered == 1 and found.mean_recovery == 2
    assert found.mean_drop == pytest.approx((first.drop + second.drop) / 2)
    assert metrics.evaluate_adaptation_robustness(scores, [3], share=0.4).switches[0].recovery == 1


def test_curves_in_numbers():
    scores = np.array([0.0, 0.5, 0.4, 0.8, 0.9, 0.85])
    found = metrics.evaluate_meta_learning_curve(scores, tail=3)
    last = scores[3:]
    assert found == pytest.approx((0.0, last.mean(), 0.9, scores.mean(), last.mean(), np.polyfit(range(6), scores, 1)[0],
                                   last.std(), 3 / 5))
    history = np.array([[0.0, 5.0], [4.0, 5.0], [9.0, 5.0], [10.5, 5.0], [10.0, 5.0]])
    moving, still = metrics.evaluate_parameter_convergence(history)
    assert moving == pytest.approx((0.0, 10.0, 0.0, 10.5, 2, 1 / 3))
    assert still.settled == 0 and still.reversals == 0.0


@pytest.mark.parametrize("call, kind, message", [
    (lambda: metrics.orthogonality(np.ones(3)), gaia.ShapeError, r"\[neurons, inputs\]"),
    (lambda: metrics.orthogonality([["a"]]), gaia.DTypeError, "expected an array of numbers"),
    (lambda: metrics.lifetime_sparseness([[-1.0, 2.0]]), gaia.ArgumentError, "lifetime_sparseness"),
    (lambda: metrics.subspace_score(np.eye(3), np.eye(4)), gaia.ShapeError, "inputs"),
    (lambda: metrics.measure_adaptation_speed([1.0]), gaia.ArgumentError, "two scores"),
    (lambda: metrics.measure_adaptation_speed([1.0, 2.0], share=1.0), gaia.ArgumentError, "share"),
    (lambda: metrics.measure_adaptation_speed([[1.0, 2.0]]), gaia.ShapeError, "along one axis"),
    (lambda: metrics.measure_adaptation_speed("high"), gaia.DTypeError, "expected numbers"),
    (lambda: metrics.measure_forgetting(np.eye(3)[:2]), gaia.ShapeError, r"\[tasks, tasks\]"),
    (lambda: metrics.measure_forgetting(np.eye(3), alone=[1.0]), gaia.ShapeError, "alone"),
    (lambda: metrics.measure_stability_plasticity_tradeoff(np.eye(2), ideal=0), gaia.ArgumentError, "ideal"),
    (lambda: metrics.evaluate_adaptation_robustness([1.0, 2.0], [5]), gaia.ArgumentError, "5"),
    (lambda: [path.add(np.ones(n)) for path in [metrics.WeightPath()] for n in (2, 3)], gaia.ShapeError, "WeightPath"),
])
def test_errors_say_what_came(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
