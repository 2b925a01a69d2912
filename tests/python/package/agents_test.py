# SPDX-License-Identifier: MIT
"""gaia.agents: models, inference, planning and agents over discrete states, compared with pymdp and plain NumPy."""
import copy
import inspect
import itertools
import json
import pathlib
import pickle
import threading

import numpy as np
import pytest

import gaia
from gaia import agents

VECTORS = pathlib.Path(__file__).parents[2] / "agents" / "discrete" / "pymdp_vectors.json"


def array(one):
    return np.array(one["values"], float).reshape(one["shape"])


def random_model(number, factors=2, modalities=2, **options):
    draw = np.random.default_rng(number)
    states = draw.integers(2, 4, size=factors)
    return agents.GenerativeModel(
        [agents.normalised(draw.random((3, *states)) + 0.05) for _ in range(modalities)],
        [agents.normalised(draw.random((n, n, 2)) + 0.05) for n in states],
        [draw.normal(size=3) for _ in range(modalities)], [agents.normalised(draw.random(n)) for n in states], **options)


@pytest.mark.parametrize("case", json.loads(VECTORS.read_text())["cases"], ids=lambda one: one["expected"]["name"])
def test_numbers_are_those_of_pymdp(case):
    source, expected = case["case"], case["expected"]
    counts = [array(a) for a in source["likelihoods"]], [array(b) for b in source["transitions"]], source["initial"]
    model = agents.GenerativeModel([agents.normalised(a) for a in counts[0]], [agents.normalised(b) for b in counts[1]],
                                   source["preferences"], [agents.normalised(d) for d in counts[2]], source.get("habits"))
    learns = source.get("learn", False)
    agent = agents.DiscreteAgent(
        model, horizon=source["horizon"], concentrations=agents.Concentrations(*counts) if learns else None,
        parameter_gain="inverse_counts" if source.get("parameter_gain") else "none", spm_constants=True, iterations=10,
        tolerance=1e-3, parallel=True)
    assert len(expected["steps"]) == 6
    for observation, action, theirs in zip(source["observations"], source["actions"], expected["steps"]):
        agent.step(observation)
        for mine, other in zip(agent.beliefs, theirs["beliefs"], strict=True):
            np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9)
        plan = agent.last_plan
        np.testing.assert_allclose(plan.G, theirs["G"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(plan.posterior, theirs["posterior"], rtol=0, atol=1e-9)
        agent.take(action)
    agent.reset()
    for name in ("likelihoods", "transitions"):
        for mine, other in zip(getattr(agent.concentrations, name), expected.get(name, []), strict=True):
            np.testing.assert_allclose(mine, array(other), rtol=0, atol=1e-9)
    for mine, other in zip(agent.concentrations.initial, expected.get("initial", []), strict=True):
        np.testing.assert_allclose(mine, other, rtol=0, atol=1e-9)
    assert learns == bool(agent.concentrations.initial)


def test_a_model_is_what_was_given():
    likelihoods = agents.normalised(np.arange(1.0, 13.0).reshape(2, 3, 2))
    turned = np.asfortranarray(likelihoods)  # the same numbers, in another order of memory
    moves = np.stack([np.eye(3), np.roll(np.eye(3), 1, axis=0)], axis=2)
    model = agents.GenerativeModel([turned], [moves, np.eye(2)[:, :, None]], [[0.0, 2.0]], [[0.2, 0.3, 0.5], [1.0, 0.0]],
                                   [0.25, 0.75])
    assert model.states == (3, 2) and model.actions == (2, 1) and model.outcomes == (2,)
    np.testing.assert_array_equal(model.likelihoods[0], likelihoods)
    np.testing.assert_array_equal(model.transitions[0], moves)
    np.testing.assert_array_equal(model.preferences[0], [0.0, 2.0])
    np.testing.assert_allclose(model.log_preferences[0], np.log(np.exp([0, 2]) / np.exp([0, 2]).sum()), atol=1e-14)
    np.testing.assert_array_equal(model.initial[0], [0.2, 0.3, 0.5])
    np.testing.assert_array_equal(model.habits, [0.25, 0.75])
    assert model.depends_on == [[0, 1]]
    model.likelihoods[0][:] = 7  # a copy
    assert model.likelihoods[0].max() < 1
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.likelihoods[0], model.likelihoods[0])
    np.testing.assert_array_equal(again.habits, model.habits)
    assert copy.deepcopy(model) is model
    alone = agents.GenerativeModel(np.eye(3), moves, [0.0, 1.0, 2.0])  # arrays in the place of lists
    assert alone.states == (3,) and alone.outcomes == (3,)
    np.testing.assert_array_equal(alone.preferences[0], [0.0, 1.0, 2.0])
    apart = agents.GenerativeModel([np.eye(3), np.eye(2)], [moves, np.eye(2)[:, :, None]], depends_on=[[0], 1])
    assert apart.depends_on == [[0], [1]]


def test_beliefs_of_one_factor_are_those_of_bayes():
    model = random_model(1, factors=1)
    prior = np.full(model.states[0], 1 / model.states[0])
    joint = prior * model.likelihoods[0][2] * model.likelihoods[1][0]
    made = agents.infer_states(model, [2, 0], [prior])
    np.testing.assert_allclose(made.beliefs[0], joint / joint.sum(), atol=1e-13)
    assert made.free_energy == pytest.approx(-np.log(joint.sum()), abs=1e-12)
    half = model.initial[0] * model.likelihoods[1][0]  # what was not observed tells nothing, and D is the prior
    np.testing.assert_allclose(agents.infer_states(model, (None, 0)).beliefs[0], half / half.sum(), atol=1e-13)
    np.testing.assert_allclose(agents.infer_states(model, None).beliefs[0], model.initial[0], atol=1e-13)
    np.testing.assert_allclose(agents.predicted(model, [prior], 1)[0], model.transitions[0][:, :, 1] @ prior, atol=1e-14)


def test_a_window_is_smoothing():
    model = random_model(2, factors=1, modalities=1)
    seen, actions, n = [0, 2, 1], [1, 0], model.states[0]
    joint = np.zeros((n, n, n))
    for path in itertools.product(range(n), repeat=3):
        p = model.initial[0][path[0]]
        for t in range(3):
            p *= model.likelihoods[0][seen[t], path[t]]
            if t < 2:
                p *= model.transitions[0][path[t + 1], path[t], actions[t]]
        joint[path] = p
    made = agents.infer_window(model, seen, actions)
    assert made.free_energy == pytest.approx(-np.log(joint.sum()), abs=1e-10)
    joint /= joint.sum()
    for t, others in enumerate([(1, 2), (0, 2), (0, 1)]):
        np.testing.assert_allclose(made.beliefs[t][0], joint.sum(axis=others), atol=1e-10)
    np.testing.assert_allclose(made.pairs[0][0], joint.sum(axis=2).T, atol=1e-10)  # [after, before]
    agent = agents.DiscreteAgent(model, window=3)
    for observation, action in zip(seen, [*actions, 0]):
        agent.infer(observation)
        agent.take(action)
    for mine, theirs in zip(agent.window_beliefs, made.beliefs, strict=True):
        np.testing.assert_allclose(mine[0], theirs[0], atol=1e-12)
    assert agent.free_energy == pytest.approx(made.free_energy, abs=1e-12)


def test_both_forms_of_the_expected_free_energy_are_those_of_sums():
    model = random_model(3, factors=2, modalities=1)
    beliefs = [agents.normalised(np.arange(1.0, n + 1)) for n in model.states]
    q = np.multiply.outer(*beliefs)
    a, log_c = model.likelihoods[0], model.log_preferences[0]
    q_o = (a * q).sum(axis=(1, 2))
    ambiguity = -(q * (a * np.log(a)).sum(axis=0)).sum()
    made = agents.expected_free_energy(model, beliefs)
    assert made.risk == pytest.approx((q_o * (np.log(q_o) - log_c)).sum(), abs=1e-12)
    assert made.ambiguity == pytest.approx(ambiguity, abs=1e-12)
    assert made.pragmatic == pytest.approx((q_o * log_c).sum(), abs=1e-12)
    assert made.epistemic == pytest.approx(-(q_o * np.log(q_o)).sum() - ambiguity, abs=1e-12)
    assert made.risk + made.ambiguity == pytest.approx(-made.pragmatic - made.epistemic, abs=1e-12)
    assert agents.expected_free_energy(model, beliefs, spm_constants=True).ambiguity != made.ambiguity


def test_plans_are_sums_over_predicted_steps():
    model = random_model(4)
    policies = agents.all_policies(model, 2)
    assert policies.shape == (16, 2, 2) and policies[1].tolist() == [[0, 0], [0, 1]]
    beliefs = model.initial
    plan = agents.evaluate_policies(model, beliefs, policies, precision=2.0)
    for k, policy in enumerate(policies):
        terms, q = np.zeros(5), beliefs
        for action in policy:
            q = [b[:, :, u] @ one for b, u, one in zip(model.transitions, action, q)]
            terms += agents.expected_free_energy(model, q)
        mine = [plan.risk[k], plan.ambiguity[k], plan.pragmatic[k], plan.epistemic[k], plan.novelty[k]]
        np.testing.assert_allclose(mine, terms, atol=1e-12)
        assert plan.G[k] == pytest.approx(-terms[2] - terms[3], abs=1e-12)
    weights = np.exp(-2.0 * plan.G)
    np.testing.assert_allclose(plan.posterior, weights / weights.sum(), atol=1e-12)
    blind = agents.evaluate_policies(model, beliefs, policies, use_epistemic=False)
    np.testing.assert_allclose(blind.G, -plan.pragmatic, atol=1e-12)
    blind = agents.evaluate_policies(model, beliefs, policies, use_pragmatic=False)
    np.testing.assert_allclose(blind.G, -plan.epistemic, atol=1e-12)


def test_a_tree_of_one_step_is_a_plan_and_a_deeper_one_reads_the_cue():
    model = random_model(5)
    flat = agents.evaluate_policies(model, model.initial, agents.all_policies(model, 1))
    tree = agents.search_tree(model, model.initial, 1)
    np.testing.assert_allclose(tree.G, flat.G, atol=1e-12)
    maze = agents.t_maze(seed=1)
    deep = agents.search_tree(maze.model, maze.model.initial, 3)
    assert int(deep.G.argmin()) == 3 and deep.nodes > tree.nodes
    cut = agents.search_tree(maze.model, maze.model.initial, 3, action_threshold=0.1, outcome_threshold=0.1)
    assert cut.nodes < deep.nodes
    agent = agents.DiscreteAgent(maze.model, tree=3)
    assert agent.step([0, 0, 0]) == 3
    np.testing.assert_array_equal(agent.last_plan.G, deep.G)
    counts = agents.Concentrations(likelihoods=[10 * a for a in model.likelihoods])
    curious = agents.search_tree(model, model.initial, 1, parameter_gain="exact", concentrations=counts)
    assert (curious.novelty > 0).all()
    np.testing.assert_allclose(curious.G, flat.G - curious.novelty, atol=1e-12)


def test_learning_counts_what_is_seen():
    counts = {"likelihoods": [np.array([[3.0, 1.0], [1.0, 3.0]])], "transitions": [np.ones((2, 2, 2))],
              "initial": [[2.0, 2.0]]}
    model = agents.GenerativeModel(np.full((2, 2), 0.5), np.full((2, 2, 2), 0.5))
    agent = agents.DiscreteAgent(model, concentrations=counts, likelihood_rate=0.5, transition_rate=2.0, initial_rate=3.0)
    np.testing.assert_array_equal(agent.model.likelihoods[0], [[0.75, 0.25], [0.25, 0.75]])
    first = agent.infer(0)
    np.testing.assert_allclose(first[0], [0.75, 0.25])
    agent.learn()
    agent.take(1)
    before = agent.beliefs[0]
    after = agent.infer(1)[0]
    agent.learn()
    a = np.array([[3.0, 1.0], [1.0, 3.0]])
    a[0] += 0.5 * before
    a[1] += 0.5 * after
    b = np.ones((2, 2, 2))
    b[:, :, 1] += 2.0 * np.outer(after, before)
    np.testing.assert_allclose(agent.concentrations.likelihoods[0], a, atol=1e-12)
    np.testing.assert_allclose(agent.concentrations.transitions[0], b, atol=1e-12)
    np.testing.assert_allclose(agent.model.transitions[0], b / b.sum(axis=0), atol=1e-12)
    agent.reset()
    np.testing.assert_allclose(agent.concentrations.initial[0], 2.0 + 3.0 * before, atol=1e-12)


def test_a_step_is_its_parts_and_copies_go_on_alike():
    model = random_model(6, factors=1, modalities=1)
    one = agents.DiscreteAgent(model, horizon=2, is_sampled=True, action_precision=1.0, seed=3)
    two = agents.DiscreteAgent(model, horizon=2, is_sampled=True, action_precision=1.0, seed=3)
    other = agents.DiscreteAgent(model, horizon=2, is_sampled=True, action_precision=1.0, seed=4)
    seen = np.random.default_rng(0).integers(3, size=40)
    actions = []
    for observation in seen:
        actions.append(one.step(observation))
        two.infer(observation)
        two.learn()
        plan = two.plan()
        np.testing.assert_array_equal(plan.posterior, two.posterior)
        halves = [plan.posterior[:2].sum(), plan.posterior[2:].sum()]
        np.testing.assert_allclose(two.action_posterior[0], halves, atol=1e-12)
        assert two.act() == actions[-1]
    assert set(actions) == {0, 1}
    assert [other.step(observation) for observation in seen] != actions
    for twin in (copy.copy(one), copy.deepcopy(one)):
        ahead = [twin.step(observation) for observation in seen]
        assert ahead == [copy.deepcopy(one).step(seen[0]), *ahead[1:]]
    assert [one.step(observation) for observation in seen] == ahead


@pytest.mark.parametrize("options", [dict(is_sampled=True), dict(window=3), dict(tree=2), dict(by_whole_policy=True)])
def test_a_pickled_agent_goes_on_bit_for_bit(options):
    class Named(agents.DiscreteAgent):
        pass

    globals()["Named"] = Named  # pickle looks for it by its name
    Named.__qualname__ = "Named"
    model = random_model(11, factors=1, modalities=1)
    counts = {"likelihoods": [2.0 * model.likelihoods[0]], "transitions": [model.transitions[0] + 0.5]}
    agent = Named(model, horizon=2, concentrations=counts, parameter_gain="exact", precision=1.0, **options)
    agent.name = "one"
    seen = np.random.default_rng(4).integers(model.outcomes[0], size=60)
    for t in range(21):
        agent.step(seen[t])
        if t == 9:
            agent.reset()
    planned = pickle.loads(pickle.dumps(agent))
    for one in (agent, planned):
        one.infer(seen[21])
        one.learn()
        one.plan()
    twins = [pickle.loads(pickle.dumps(agent)), copy.copy(agent), copy.deepcopy(agent), planned]
    made_alike = copy.deepcopy(twins[0])
    for observation in seen[22:30]:
        made_alike.act()
        made_alike.infer(observation)
        made_alike.plan()
    made_alike.set_state(agent.state())
    made_alike.plan()
    expected = None
    for one in [agent, *twins, made_alike]:
        assert type(one) is Named and one.name == "one"
        actions = [one.act()] + [one.step(observation) for observation in seen[22:]]
        told = [actions, one.beliefs[0], one.model.likelihoods[0], one.model.transitions[0], one.posterior,
                one.free_energy, one.last_plan.epistemic]
        expected = expected or told
        for got, wanted in zip(told, expected):
            np.testing.assert_array_equal(got, wanted)


def test_a_state_that_no_such_agent_has_is_refused():
    agent = agents.DiscreteAgent(random_model(11, factors=1, modalities=1), seed=1)
    other = agents.DiscreteAgent(random_model(12, factors=2), seed=1)
    agent.step(0)
    before = agent.state()
    for state, message in (({}, "expected 'numbers'"), (other.state(), "in the sizes of this agent's model"),
                           ({**before, "observations": [np.nan]}, "expected outcomes"),
                           ({**before, "actions": [7.0]}, "an action for each factor"),
                           ({**before, "actions/lengths": [], "actions": [], "observations/lengths": [1.0, 1.0],
                             "observations": [0.0, 0.0]}, "an action after each of 2 observations"),
                           ({**before, "beliefs/lengths": [-1.0]}, "that fit its numbers"),
                           ({**before, "last_pair/lengths": [1.0], "last_pair": [1.0]}, "expected last_pair in")):
        with pytest.raises(gaia.ArgumentError, match=message):
            agent.set_state(state)
    after = agent.state()
    assert list(after) == list(before)
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value)


def test_policies_of_ones_own_and_whole_policies():
    model = random_model(7)
    agent = agents.DiscreteAgent(model, policies=[[[0, 1]], [[1, 1], [1, 0]]], by_whole_policy=True)
    assert [policy.tolist() for policy in agent.policies] == [[[0, 1]], [[1, 1], [1, 0]]]
    action = agent.step([0, 0])
    assert action.tolist() == agent.policies[int(agent.posterior.argmax())][0].tolist()
    partly = agents.GenerativeModel([np.eye(2), np.eye(2)], [np.eye(2)[:, :, None], np.ones((2, 2, 3)) / 2],
                                    depends_on=[[0], [1]])
    agent = agents.DiscreteAgent(partly, policies=[[1, 2], [[0, 2], 0]])  # of the controlled factor alone, or of all
    assert [policy.tolist() for policy in agent.policies] == [[[0, 1], [0, 2]], [[0, 2], [0, 0]]]
    assert agent.step([0, 1]) in (1, 2)


def test_options_that_are_left_out_are_those_of_the_library():
    defaults = gaia._gaia._agent_defaults()
    said = {name: one.default for name, one in inspect.signature(agents.DiscreteAgent).parameters.items()}
    assert {name: said[name] for name in defaults} == defaults
    assert {name for name in said if name not in defaults} == {"model", "policies", "tree", "concentrations", "seed"}
    for function in (agents.infer_states, agents.infer_window, agents.evaluate_policies, agents.search_tree,
                     agents.expected_free_energy):
        for name, one in inspect.signature(function).parameters.items():
            if name in defaults:
                assert one.default == defaults[name], (function, name)


def test_options_arrive():
    """Each option changes what an agent does, or is refused by its name where it is out of its range."""
    model = random_model(8)
    counts = {"likelihoods": [3 * a for a in model.likelihoods], "initial": [3 * d for d in model.initial]}

    def shown(**options):
        agent = agents.DiscreteAgent(model, **{"horizon": 2, "concentrations": counts, "seed": 1, **options})
        for _ in range(3):
            agent.step([0, 2])
        agent.reset()
        agent.step([1, 1])
        return np.concatenate([agent.last_plan.G, agent.posterior, *map(np.ravel, agent.concentrations.likelihoods),
                               *agent.concentrations.initial, *agent.beliefs])

    usual = shown()
    for options in (dict(precision=3.0), dict(use_pragmatic=False), dict(use_epistemic=False), dict(parameter_gain="exact"),
                    dict(parameter_gain="inverse_counts"), dict(spm_constants=True), dict(iterations=1),
                    dict(tolerance=1.0), dict(parallel=True), dict(window=4), dict(likelihood_rate=0.5),
                    dict(initial_rate=0.5), dict(forgetting=0.3), dict(concentrations=None), dict(horizon=1), dict(tree=2)):
        other = shown(**options)
        assert other.shape != usual.shape or not np.array_equal(other, usual), options
    learnt = dict(concentrations={"transitions": [3 * b for b in model.transitions]})
    assert not np.array_equal(shown(**learnt), shown(**learnt, transition_rate=0.5))


@pytest.mark.parametrize("call, message", [
    (lambda m: agents.GenerativeModel([np.ones((3, *m.states))], m.transitions), "sum"),
    (lambda m: agents.GenerativeModel(3, m.transitions), "likelihoods: expected a list, got 3"),
    (lambda m: agents.GenerativeModel([["a"]], m.transitions), r"likelihoods\[0\]: expected an array of numbers"),
    (lambda m: agents.GenerativeModel(m.likelihoods, m.transitions, [["a"]]), r"preferences\[0\]"),
    (lambda m: agents.GenerativeModel(m.likelihoods, m.transitions, habits=np.eye(2)), "habits: expected numbers along one"),
    (lambda m: agents.GenerativeModel(m.likelihoods, m.transitions, depends_on=[[0.5]]), r"depends_on\[0\]"),
    (lambda m: agents.normalised([[0.0, 1.0], [0.0, 1.0]]), "column"),
    (lambda m: agents.DiscreteAgent("model"), "expected a GenerativeModel"),
    (lambda m: agents.DiscreteAgent(m, horizon=0), "horizon"),
    (lambda m: agents.DiscreteAgent(m, horizon="two"), r"\[horizon\] expected a whole number, got 'two'"),
    (lambda m: agents.DiscreteAgent(m, precision="high"), r"\[precision\] expected a number"),
    (lambda m: agents.DiscreteAgent(m, parallel="yes"), r"\[parallel\] expected True or False"),
    (lambda m: agents.DiscreteAgent(m, parameter_gain="novel"), "expected 'none', 'exact' or 'inverse_counts'"),
    (lambda m: agents.DiscreteAgent(m, parameter_gain=1), r"\[parameter_gain\] expected a text"),
    (lambda m: agents.DiscreteAgent(m, window=0), "window"),
    (lambda m: agents.DiscreteAgent(m, tree=0), "depth"),
    (lambda m: agents.DiscreteAgent(m, tree=2, action_threshold=2.0), "threshold"),
    (lambda m: agents.DiscreteAgent(m, forgetting=2), "forgetting"),
    (lambda m: agents.DiscreteAgent(m, policies=[[[0, 7]]]), "action"),
    (lambda m: agents.DiscreteAgent(m, policies=7), "policies: expected a list"),
    (lambda m: agents.DiscreteAgent(m, seed=-1), r"\[seed\] expected a whole number"),
    (lambda m: agents.DiscreteAgent(m, concentrations={"likelihood": []}), "expected the names likelihoods"),
    (lambda m: agents.DiscreteAgent(m, concentrations=3), "expected Concentrations"),
    (lambda m: agents.DiscreteAgent(m).step([0]), "outcome"),
    (lambda m: agents.DiscreteAgent(m).step([0, 9]), "9"),
    (lambda m: agents.DiscreteAgent(m).step([0.5, 1]), "observation: expected a whole number or None"),
    (lambda m: agents.DiscreteAgent(m).act(), "plan"),
    (lambda m: agents.DiscreteAgent(m).take([0, 0]), "observation before"),
    (lambda m: agents.DiscreteAgent(m).take([0, 0, 0]), "action: expected a number for each of 2"),
    (lambda m: agents.infer_states(m, [0, 0], [[1.0]]), "prior"),
    (lambda m: agents.infer_window(m, [[0, 0]], [[0, 0]]), "action"),
    (lambda m: agents.search_tree(m, m.initial, 0), "depth"),
    (lambda m: agents.all_policies(m, "two"), r"\[horizon\] expected whole numbers, got 'two'"),
    (lambda m: agents.all_policies(m, 0), "horizon"),
])
def test_errors_say_what_came(call, message):
    with pytest.raises((gaia.ArgumentError, gaia.DTypeError), match=message) as caught:
        call(random_model(9))
    assert type(caught.value).__module__ == "gaia.errors"


def test_threads_take_turns():
    world = agents.t_maze(seed=1)
    agent = agents.DiscreteAgent(world.model, horizon=2)

    def work():
        for _ in range(100):
            agent.reset()
            try:
                agent.step([0, 0, 0])
            except gaia.ArgumentError:
                pass  # another thread has seen something meanwhile
            agent.last_plan, agent.model, agent.beliefs

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    agent.reset()
    assert agent.step([0, 0, 0]) == 3
