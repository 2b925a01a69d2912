# SPDX-License-Identifier: MIT
"""Tuning of plasticity by what runs are worth: on one task, and on families of tasks."""
import math
from typing import NamedTuple

import numpy as np

from . import _agent_values as values, _gaia
from ._search import Scales
from .errors import ArgumentError


class PlasticityController:
    """Tunes the parameters of plasticity by what runs with them are worth, and keeps the best so far.

        controller = gaia.PlasticityController({"rate": {"log_range": [1e-4, 1]}}, score, start={"rate": 0.01}, seed=1)
        for generation in range(10):
            controller.adapt_plasticity()
        controller.current_params()

    space              range or choices of each value, as `gaia.search` has it
    objective          a function of a dict of values and a seed, which makes what it runs anew and returns its score, the
                       larger the better, on data that it did not learn from
    start              a dict of values to begin at, such as the rule's defaults; None: the middle of the space
    seeds              seeds of the runs of every candidate, whose mean is its score
    held_out_seeds     where there are some, values are taken on only if they are better with these too
    adaptation_rate    share of the way that a generation moves the mean, above 0 up to 1
    exploration_noise  the first standard deviation, as a share of each scale
    population_size    candidates of a generation; 0: by the number of values
    method             "cma_es" or "random"
    seed               seed of what is drawn; None: another one for every controller

    Values change only where a candidate's score is above theirs.  docs/search.md tells more.

    Raises ArgumentError for a space that is wrong, and options out of their range.
    """

    def __init__(self, space, objective, *, start=None, seeds=(1, 2, 3), held_out_seeds=(), adaptation_rate=1.0,
                 exploration_noise=0.3, population_size=0, method="cma_es", seed=None) -> None:
        if not callable(objective):
            raise ArgumentError(f"[PlasticityController] objective: expected a function, got {objective!r}")
        self._scales = Scales(space, "PlasticityController")
        self._objective = objective
        self._core = _gaia._PlasticityController(self._scales.parameters, dict(
            locals(), start=self._scales.start(start), seeds=values.seeds(seeds, "seeds"),
            held_out_seeds=values.seeds(held_out_seeds, "held_out_seeds")), values.seed(seed))

    def __repr__(self):
        return f"<gaia.PlasticityController {self.performance:.6g} at {self.current_params()} after {self.runs} runs>"

    def adapt_plasticity(self) -> float:
        """Runs a generation, before the first of them the start, and returns `performance`.

        Raises what the objective raises; the generation is run again then by the next call.
        """
        return self._core.adapt(lambda point, seed: _number(self._objective(self._scales.values(point), seed)))

    def current_params(self) -> dict:
        """The values that are kept."""
        return self._scales.values(self._core.current_params)

    @property
    def performance(self) -> float:
        """Their mean score over the held-out seeds, without these over the seeds; NaN before the first generation."""
        return self._core.performance

    @property
    def param_history(self) -> list[dict]:
        """The values kept after every generation; the first are those of the start."""
        return [self._scales.values(point) for point in self._core.param_history]

    @property
    def performance_history(self) -> np.ndarray:
        """The performance after every generation; the first is that of the start."""
        return self._core.performance_history

    @property
    def trials(self) -> list[dict]:
        """All candidates so far: dicts of generation, values, score."""
        return [{"generation": generation, "values": self._scales.values(point), "score": score}
                for generation, point, score in self._core.trials]

    @property
    def runs(self) -> int:
        """Calls of the objective so far."""
        return self._core.runs

    def reset_state(self) -> None:
        """Forgets all: the next generation is the first again, with the same candidates."""
        self._core.reset()


class MetaEpisode(NamedTuple):
    """An episode of meta-learning.

    tasks        the names of those that were drawn
    candidate    the best values of the episode
    fitness      their mean score over what was drawn
    validation   their mean score over all tasks, with the validation seeds
    is_taken     whether they became the best so far
    """

    tasks: list[str]
    candidate: dict
    fitness: float
    validation: float
    is_taken: bool


class MetaResult(NamedTuple):
    """What meta-learning has found.

    meta_parameters    the best values
    performance        their mean score over all tasks, with the validation seeds
    task_performance   the same for each task, by its name
    learning_history   performance at the start and after each episode; it does not fall
    episodes           a list of MetaEpisode
    runs               calls of tasks
    why_stopped        a few words
    """

    meta_parameters: dict
    performance: float
    task_performance: dict[str, float]
    learning_history: np.ndarray
    episodes: list[MetaEpisode]
    runs: int
    why_stopped: str


class MetaOptimizer:
    """Finds the parameters with which learning goes well on a family of tasks.

        meta = gaia.MetaOptimizer({"rate": {"log_range": [1e-4, 1]}}, start={"rate": 0.001}, seed=1)
        found = meta.meta_train(10, {"small": learn_small, "large": learn_large})

    In each episode tasks and seeds are drawn, every candidate of a generation learns on the same of them, and the search
    is given the mean scores.  The best candidate of an episode is judged on all tasks with the validation seeds.

    space                   range or choices of each value, as `gaia.search` has it
    outer_optimizer         "cma_es" or "random"
    adaptation_strategy     "uniform", "curriculum" or "performance_weighted": which tasks an episode has (TaskSampler)
    tasks_per_episode       number of tasks that are drawn
    seeds_per_task          runs of a candidate on each of them
    task_switch_frequency   episodes after which tasks and seeds are drawn anew
    performance_threshold   ends with the episode that reaches it
    adaptation_rate, exploration_noise, population_size, start   as PlasticityController has them
    validation_seeds        seeds with which values are judged on every task before they are taken on
    curriculum_share        share of the episodes after which a curriculum has all tasks
    uniform_share           share of draws by performance that goes to all tasks alike
    seed                    seed of what is drawn; None: another one for every optimizer

    Raises ArgumentError for a space that is wrong, and options out of their range.
    """

    def __init__(self, space, *, outer_optimizer="cma_es", adaptation_strategy="uniform", tasks_per_episode=4,
                 seeds_per_task=1, task_switch_frequency=1, performance_threshold=math.inf, adaptation_rate=1.0,
                 exploration_noise=0.3, population_size=0, start=None, validation_seeds=tuple(range(1, 11)),
                 curriculum_share=0.5, uniform_share=0.2, seed=None) -> None:
        self._scales = Scales(space, "MetaOptimizer")
        self._core = _gaia._MetaOptimizer(self._scales.parameters, dict(
            locals(), start=self._scales.start(start),
            validation_seeds=values.seeds(validation_seeds, "validation_seeds")), values.seed(seed))

    def meta_train(self, episodes, tasks) -> MetaResult:
        """Runs episodes from the start, whatever was trained before.

        tasks   a dict of names and functions, or a list of functions, from easy to hard: each is called with a dict of
                values and a seed, makes a learner, trains it on the task, and returns its score, the larger the better,
                on data of the task that it did not learn from

        Raises ArgumentError without episodes or tasks, and what a task raises.
        """
        named = tasks if isinstance(tasks, dict) else {str(number): task for number, task in enumerate(tasks)}
        for name, task in named.items():
            if not callable(task):
                raise ArgumentError(f"[MetaOptimizer] tasks: expected functions, got {task!r} for {name!r}")
        found = self._core.meta_train(episodes, [(str(name), self._caller(task)) for name, task in named.items()])
        names = list(named)
        return MetaResult(
            self._scales.values(found["meta_parameters"]), found["performance"],
            dict(zip(names, found["task_performance"])), found["learning_history"],
            [MetaEpisode([names[task] for task in drawn], self._scales.values(candidate), *rest)
             for drawn, candidate, *rest in found["episodes"]], found["runs"], found["why_stopped"])

    def _caller(self, task):
        # Seeds are drawn from 2^64, and hierarchies and experiments take those below 2^63.
        return lambda point, seed: _number(task(self._scales.values(point), seed % 2 ** 63))


class TaskSampler:
    """Draws tasks, with replacement, by what an episode may have.

    tasks           number of tasks
    sampling        "uniform": every task alike; "curriculum": the first alone, then more and more of them, in their
                    order; "performance_weighted": more often those whose score is low, by ranks
    full_from       first episode of a curriculum that takes all tasks
    uniform_share   share of draws by performance that goes to all tasks alike
    seed            seed of what is drawn; None: another one for every sampler

    Raises ArgumentError for options out of their range.
    """

    def __init__(self, tasks, *, sampling="uniform", full_from=25, uniform_share=0.2, seed=None) -> None:
        self._core = _gaia._TaskSampler(values.whole_number(tasks, "tasks"), sampling, full_from, uniform_share,
                                        values.seed(seed))

    def probabilities(self, episode) -> np.ndarray:
        """Probabilities of each task in an episode, [tasks]; they sum to 1.

        Raises ArgumentError for a negative episode.
        """
        return self._core.probabilities(episode)

    def sample(self, episode, count) -> list[int]:
        """The places of `count` tasks, the same at every call.

        Raises ArgumentError for a negative episode or count.
        """
        return self._core.sample(episode, count)

    def tell(self, task, score) -> None:
        """Tells the last score of a task; one that is not finite is lower than all.

        Raises ArgumentError for a task that there is not.
        """
        self._core.tell(task, score)


def _number(score):
    try:
        return float(score)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"[objective] expected a number to be returned, got {score!r}") from error
