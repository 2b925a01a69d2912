# SPDX-License-Identifier: MIT
"""PlasticityController, MetaOptimizer and TaskSampler over functions of Python's."""
import gc
import inspect
import math
import weakref

import numpy as np
import pytest

import gaia

SPACE = {"rate": {"log_range": [1e-4, 1]}, "size": {"range": [1, 64], "integer": True}, "rule": ["oja", "bcm"]}


def score(values, seed):
    """Best at a rate of 0.01, a size of 20 and Oja's rule; seeds move it a little."""
    noise = 0.01 * math.sin(seed)
    return -(math.log10(values["rate"]) + 2) ** 2 - abs(values["size"] - 20) / 20 - (values["rule"] == "bcm") + noise


def test_a_controller_keeps_the_best_of_its_generations():
    calls = []

    def objective(values, seed):
        calls.append((dict(values), seed, score(values, seed)))
        return calls[-1][2]

    start = {"rate": 0.5, "size": 50, "rule": "bcm"}
    controller = gaia.PlasticityController(SPACE, objective, start=start, seeds=[1, 2], held_out_seeds=[7, 8, 9],
                                           population_size=6, seed=1)
    assert controller.current_params() == start and math.isnan(controller.performance) and controller.runs == 0
    performances = [controller.adapt_plasticity() for _ in range(30)]
    assert controller.runs == len(calls) and len(controller.trials) == 30 * 6

    # The same by a loop over what was called: a candidate's score is the mean over the seeds, and the best of a generation
    # is kept where it is above what is kept with both kinds of seeds.
    at = 0

    def mean(seeds):
        nonlocal at
        rows = calls[at:at + len(seeds)]
        assert [row[1] for row in rows] == seeds and all(row[0] == rows[0][0] for row in rows)
        at += len(seeds)
        return rows[0][0], sum(row[2] for row in rows) / len(seeds)

    kept, fitness = mean([1, 2])
    assert kept == start
    _, performance = mean([7, 8, 9])
    history, params = [performance], [kept]
    for generation in range(30):
        candidates = [mean([1, 2]) for _ in range(6)]
        trials = controller.trials[6 * generation:6 * generation + 6]
        assert [(trial["generation"], trial["values"]) for trial in trials] == [(generation, c[0]) for c in candidates]
        np.testing.assert_allclose([trial["score"] for trial in trials], [c[1] for c in candidates], rtol=1e-12)
        best = max(candidates, key=lambda one: one[1])
        if best[1] > fitness:
            values, other = mean([7, 8, 9])
            assert values == best[0]
            if other > performance:
                kept, fitness, performance = best[0], best[1], other
        history.append(performance)
        params.append(kept)
    assert at == len(calls)
    np.testing.assert_allclose(controller.performance_history, history, rtol=1e-12)
    np.testing.assert_allclose(performances, history[1:], rtol=1e-12)
    assert controller.param_history == params and controller.current_params() == params[-1]
    assert controller.current_params()["rule"] == "oja" and performances[-1] > -0.1 > history[0]
    first = [trial["values"] for trial in controller.trials[:12]]
    controller.reset_state()
    assert controller.current_params() == start and len(controller.param_history) == 0
    controller.adapt_plasticity()
    controller.adapt_plasticity()
    assert [trial["values"] for trial in controller.trials] == first


def test_options_of_a_controller_arrive():
    def first(**options):
        controller = gaia.PlasticityController({"a": {"range": [0, 1]}}, lambda v, s: 0.0, **{"seed": 1, **options})
        controller.adapt_plasticity()
        controller.adapt_plasticity()
        return [trial["values"]["a"] for trial in controller.trials]

    usual = first()
    assert first() == usual
    for options in (dict(seed=2), dict(method="random"), dict(exploration_noise=0.01), dict(population_size=9),
                    dict(start={"a": 0.9})):
        assert first(**options) != usual, options
    narrow = first(exploration_noise=1e-9, start={"a": 0.25})
    np.testing.assert_allclose(narrow, 0.25, atol=1e-6)

    def moved(rate):  # generations move the mean to where the score is best, by the rate
        controller = gaia.PlasticityController({"a": {"range": [0, 1]}}, lambda v, s: v["a"], start={"a": 0.2}, seed=1,
                                               exploration_noise=0.01, adaptation_rate=rate, population_size=50)
        controller.adapt_plasticity()
        controller.adapt_plasticity()
        return np.mean([trial["values"]["a"] for trial in controller.trials[50:]])

    assert moved(1.0) > moved(0.1) > 0.2


def test_errors_of_an_objective_are_raised_and_its_owner_is_let_go_of():
    class Owner:
        def __init__(self):
            self.controller = gaia.PlasticityController({"a": {"range": [0, 1]}}, self.score, seed=1)
            self.fails = True

        def score(self, values, seed):
            if self.fails:
                raise ZeroDivisionError
            return values["a"]

    owner = Owner()
    with pytest.raises(ZeroDivisionError):
        owner.controller.adapt_plasticity()
    owner.fails = False
    assert owner.controller.adapt_plasticity() >= 0.5
    nested = gaia.PlasticityController({"a": {"range": [0, 1]}}, lambda v, s: nested.adapt_plasticity())
    with pytest.raises(gaia.ArgumentError, match="one call at a time"):
        nested.adapt_plasticity()
    watched = weakref.ref(owner)
    del owner
    gc.collect()
    assert watched() is None


def test_meta_learning_finds_what_is_good_for_all_tasks():
    calls = []

    def task(name, best):
        def learn(values, seed):
            calls.append((name, values["rate"], seed))
            return -(math.log10(values["rate"]) - best) ** 2 + 0.001 * math.sin(seed)
        return learn

    tasks = {"slow": task("slow", -3.0), "middle": task("middle", -2.0), "fast": task("fast", -1.0)}
    options = dict(tasks_per_episode=2, seeds_per_task=2, population_size=5, start={"rate": 0.5},
                   validation_seeds=[3, 4], seed=1)
    meta = gaia.MetaOptimizer({"rate": {"log_range": [1e-4, 1]}}, **options)
    found = meta.meta_train(12, tasks)
    assert found.runs == len(calls) and len(found.episodes) == 12 and found.why_stopped == "all episodes are done"
    assert abs(math.log10(found.meta_parameters["rate"]) + 2) < 0.15  # in the middle of the three
    assert all(0 <= seed < 2 ** 63 for _, _, seed in calls) and max(seed for _, _, seed in calls) > 2 ** 32
    gaia.Hierarchy(gaia.Hebbian(1, "oja", learning_rate=0.1), inputs=2, seed=calls[6][2])  # takes any of them
    assert calls[:6] == [(name, 0.5, seed) for name in tasks for seed in (3, 4)]
    luck = 0.001 * (math.sin(3) + math.sin(4)) / 2

    def learn(name, rate, seed):
        return -(math.log10(rate) - {"slow": -3.0, "middle": -2.0, "fast": -1.0}[name]) ** 2 + 0.001 * math.sin(seed)

    def of_tasks(rate):
        return {name: -(math.log10(rate) - best) ** 2 + luck for name, best in zip(tasks, (-3, -2, -1))}

    assert found.task_performance == pytest.approx(of_tasks(found.meta_parameters["rate"]))
    assert found.performance == pytest.approx(np.mean(list(found.task_performance.values())))
    best, history = np.mean(list(of_tasks(0.5).values())), [np.mean(list(of_tasks(0.5).values()))]
    at = 6
    for episode in found.episodes:
        drawn = calls[at:at + 5 * 4]  # five candidates on the same two tasks with the same two seeds of each
        at += 5 * 4 + 6
        assert [row[0] for row in drawn[:4]] == [name for name in episode.tasks for _ in range(2)]
        assert all(row[0::2] == first[0::2] for k in range(5) for row, first in zip(drawn[4 * k:4 * k + 4], drawn[:4]))
        means = {drawn[4 * k][1]: np.mean([learn(*row) for row in drawn[4 * k:4 * k + 4]]) for k in range(5)}
        assert episode.candidate["rate"] == max(means, key=means.get)
        assert episode.fitness == pytest.approx(max(means.values()))
        assert episode.validation == pytest.approx(np.mean(list(of_tasks(episode.candidate["rate"]).values())))
        assert episode.is_taken == (episode.validation > best)
        best = max(best, episode.validation)
        history.append(best)
    np.testing.assert_allclose(found.learning_history, history, rtol=1e-12)
    again = gaia.MetaOptimizer({"rate": {"log_range": [1e-4, 1]}}, **options).meta_train(12, list(tasks.values()))
    assert again.meta_parameters == found.meta_parameters and list(again.task_performance) == ["0", "1", "2"]
    eager = gaia.MetaOptimizer({"rate": {"log_range": [1e-4, 1]}}, **options, performance_threshold=-0.9)
    soon = eager.meta_train(50, tasks)
    assert len(soon.episodes) < 50 and "threshold" in soon.why_stopped
    easy = gaia.MetaOptimizer({"rate": {"log_range": [1e-4, 1]}}, **options, adaptation_strategy="curriculum")
    assert set(easy.meta_train(4, tasks).episodes[0].tasks) == {"slow"}


def test_tasks_are_drawn_as_often_as_probabilities_say():
    uniform = gaia.TaskSampler(4, seed=1)
    np.testing.assert_allclose(uniform.probabilities(0), 0.25)
    drawn = np.bincount(uniform.sample(0, 8000), minlength=4) / 8000
    np.testing.assert_allclose(drawn, 0.25, atol=0.025)
    assert uniform.sample(0, 20) == uniform.sample(0, 20) != uniform.sample(1, 20)
    assert gaia.TaskSampler(4, seed=2).sample(0, 20) != uniform.sample(0, 20)
    rising = gaia.TaskSampler(4, sampling="curriculum", full_from=6, seed=1)
    for episode in range(9):
        m = 1 + int(3 * min(1, episode / 6))
        np.testing.assert_allclose(rising.probabilities(episode), [1 / m] * m + [0] * (4 - m))
    ranked = gaia.TaskSampler(4, sampling="performance_weighted", uniform_share=0.3, seed=1)
    for task, told in enumerate([0.9, 0.2, math.nan, 0.5]):
        ranked.tell(task, told)
    weights = 1 / np.array([4.0, 2.0, 1.0, 3.0])  # ranks of the scores, the lowest first
    np.testing.assert_allclose(ranked.probabilities(0), 0.3 / 4 + 0.7 * weights / weights.sum())


def test_options_that_are_left_out_are_those_of_the_library():
    for name, defaults in gaia._gaia._controller_defaults().items():
        said = {key: one.default for key, one in inspect.signature(getattr(gaia, name)).parameters.items()}
        for key, value in defaults.items():
            assert (list(said[key]) if isinstance(value, list) else said[key]) == value, (name, key)


@pytest.mark.parametrize("call, message", [
    (lambda: gaia.PlasticityController({}, score), r"\[PlasticityController\] space: expected a dict"),
    (lambda: gaia.PlasticityController(SPACE, 3), "objective: expected a function"),
    (lambda: gaia.PlasticityController(SPACE, score, start={"rate": 1}), "start: expected a value for each of"),
    (lambda: gaia.PlasticityController(SPACE, score, seeds=[]), "a seed or more"),
    (lambda: gaia.PlasticityController(SPACE, score, seeds=[-1]), r"\[seed\]"),
    (lambda: gaia.PlasticityController(SPACE, score, seeds=["one"]), r"\[seeds\] expected whole numbers"),
    (lambda: gaia.PlasticityController(SPACE, score, held_out_seeds=[1]), "not among the seeds"),
    (lambda: gaia.PlasticityController(SPACE, score, method="adam"), r"\[method\] expected 'cma_es' or 'random'"),
    (lambda: gaia.PlasticityController(SPACE, score, adaptation_rate=2.0), "rate"),
    (lambda: gaia.PlasticityController(SPACE, lambda v, s: "good").adapt_plasticity(), "expected a number to be returned"),
    (lambda: gaia.MetaOptimizer(SPACE, outer_optimizer="adam"), r"\[outer_optimizer\]"),
    (lambda: gaia.MetaOptimizer(SPACE, adaptation_strategy="best"), "performance_weighted"),
    (lambda: gaia.MetaOptimizer(SPACE, tasks_per_episode=0), "tasks_per_episode"),
    (lambda: gaia.MetaOptimizer(SPACE).meta_train(1, {}), "a task or more"),
    (lambda: gaia.MetaOptimizer(SPACE).meta_train(0, [score]), "an episode or more"),
    (lambda: gaia.MetaOptimizer(SPACE).meta_train(1, [score, 3]), "tasks: expected functions, got 3 for '1'"),
    (lambda: gaia.TaskSampler(0), "a task or more"),
    (lambda: gaia.TaskSampler("all"), r"\[tasks\] expected whole numbers"),
    (lambda: gaia.TaskSampler(3, sampling="best"), "uniform"),
    (lambda: gaia.TaskSampler(3).tell(3, 1.0), "3"),
    (lambda: gaia.TaskSampler(3).sample(-1, 1), "episode"),
])
def test_wrong_options_are_told(call, message):
    with pytest.raises(gaia.ArgumentError, match=message):
        call()
