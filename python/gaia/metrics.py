# SPDX-License-Identifier: MIT
"""Metrics of plasticity: what a layer represents, and how learning goes.

    gaia.metrics.reconstruction_error(samples, hierarchy.weights())
    gaia.metrics.measure_forgetting(scores).forgetting

Arrays may be NumPy's, gaia's on any device, or lists; all is computed in double precision.  Scores are those of any
measure, the larger the better.  What the numbers do not define is NaN, and so is what is computed from a number that is
not finite.  docs/metrics.md has formulas and papers.
"""
from typing import NamedTuple

import numpy as np

from . import _gaia, _intake
from .errors import ShapeError

__all__ = ["Adaptation", "AdaptationRobustness", "Forgetting", "LearningCurve", "ParameterConvergence",
           "PlasticityEfficiency", "RepresentationRank", "StabilityPlasticity", "TaskSwitch", "WeightPath",
           "evaluate_adaptation_robustness", "evaluate_meta_learning_curve", "evaluate_parameter_convergence",
           "lifetime_sparseness", "measure_adaptation_speed", "measure_forgetting", "measure_plasticity_efficiency",
           "measure_stability_plasticity_tradeoff", "mutual_coherence", "orthogonality", "population_sparseness",
           "reconstruction_error", "representation_rank", "selectivity", "subspace_score"]


class RepresentationRank(NamedTuple):
    """In how many directions responses vary, by their singular values s.

    effective       exp(-sum p ln p), p = s / sum s
    participation   (sum s^2)^2 / sum s^4
    numerical       number of s that are more than rounding compared with the largest
    """

    effective: float
    participation: float
    numerical: int


class PlasticityEfficiency(NamedTuple):
    """The part of the change of weights that is there in the end.

    steps             between the weights that were seen
    path              the sum over steps of the sum of |changes|
    net               the sum of |w(end) - w(0)|
    efficiency        net / path, from 0 to 1
    turnover          path / mean over time of the sum of |w|
    gain              score(end) - score(0), where there are scores
    gain_per_change   gain / turnover
    """

    steps: int
    path: float
    net: float
    efficiency: float
    turnover: float
    gain: float
    gain_per_change: float


class Adaptation(NamedTuple):
    """The time after which a curve of scores comes to a share of what it ends with.

    first, final, gain   the first score, the mean of the last ones, their difference
    steps                until the share is first reached, between two steps by a line
    settled              the first step from which the rest of the way stays within 1 - share
    speed                1 / steps; 0 where nothing is gained
    """

    first: float
    final: float
    gain: float
    steps: float
    settled: float
    speed: float


class Forgetting(NamedTuple):
    """The scores that are left of tasks that are learnt one after the other.

    of_task             for each but the last: its best score before the end, less that at the end
    forgetting          the mean of these
    average             the mean score at the end
    backward_transfer   the mean of what later tasks did to the score of each
    forward_transfer    the mean of what earlier tasks did; NaN without `untrained`
    intransigence       distance of each behind learning it alone; NaN without `alone`
    """

    of_task: list[float]
    forgetting: float
    average: float
    backward_transfer: float
    forward_transfer: float
    intransigence: float


class StabilityPlasticity(NamedTuple):
    """Whether a learner keeps what it knows and takes up what is new.

    stability    the mean later score on the first task, as a share of the ideal one
    plasticity   the mean score on each later task just after it was learnt
    overall      the mean score over all tasks seen so far, as a share of the ideal one
    tradeoff     the harmonic mean of stability and plasticity
    """

    stability: float
    plasticity: float
    overall: float
    tradeoff: float


class TaskSwitch(NamedTuple):
    """The costs of one switch of tasks.

    at         the first score of the new task
    before     the mean of the last ones of the old task
    drop       before - scores[at]
    recovery   steps until the share of the drop is regained; NaN where it is not
    """

    at: int
    before: float
    drop: float
    recovery: float


class AdaptationRobustness(NamedTuple):
    """The costs of switches of tasks for a curve of scores.

    switches        a list of TaskSwitch
    mean_drop       the mean of their drops
    recovered       number of them that recovered
    mean_recovery   mean of the recoveries of those that did, in steps
    """

    switches: list[TaskSwitch]
    mean_drop: float
    recovered: int
    mean_recovery: float


class LearningCurve(NamedTuple):
    """A curve of scores in numbers.

    first, final, best, mean, gain   the first score, the mean of the last ones, the largest, the mean, final - first
    slope    a step, of the line of least squares
    spread   the standard deviation of the last scores
    rising   the share of steps at which the score grew; of noise alone a half
    """

    first: float
    final: float
    best: float
    mean: float
    gain: float
    slope: float
    spread: float
    rising: float


class ParameterConvergence(NamedTuple):
    """Whether a parameter comes to rest.

    first, final   its values at the ends
    low, high      the range that it moved in
    settled        the first step from which it stays within a tenth of the range of its final value
    reversals      the share of moves that turn the direction of the move before
    """

    first: float
    final: float
    low: float
    high: float
    settled: int
    reversals: float


def representation_rank(responses, *, centred=True) -> RepresentationRank:
    """Computes in how many directions responses [samples, neurons] vary, less their means over samples if `centred`.

    Raises ShapeError for an array without two axes.
    """
    return RepresentationRank(*_gaia._representation_rank(_array(responses), centred))


def selectivity(responses) -> np.ndarray:
    """1 - mean / max of each neuron over its responses [samples, neurons]: [neurons].

    Raises ShapeError for an array without two axes.
    """
    return np.array(_gaia._selectivity(_array(responses)))


def lifetime_sparseness(responses) -> np.ndarray:
    """Computes how few samples each neuron answers, from responses [samples, neurons], 0 to 1: [neurons].

    Raises ShapeError for an array without two axes, ArgumentError for a response below 0.
    """
    return np.array(_gaia._lifetime_sparseness(_array(responses)))


def population_sparseness(responses) -> np.ndarray:
    """Computes how few neurons answer each sample, from responses [samples, neurons], 0 to 1: [samples].

    Raises ShapeError for an array without two axes, ArgumentError for a response below 0.
    """
    return np.array(_gaia._population_sparseness(_array(responses)))


def orthogonality(weights) -> float:
    """1 - the mean over pairs of neurons of cos^2 between their weights [neurons, inputs].

    Raises ShapeError for an array without two axes.
    """
    return _gaia._orthogonality(_array(weights))


def mutual_coherence(weights) -> float:
    """The largest |cos| between the weights [neurons, inputs] of two neurons.

    Raises ShapeError for an array without two axes.
    """
    return _gaia._mutual_coherence(_array(weights))


def reconstruction_error(samples, weights, *, centred=False) -> float:
    """The share of samples [samples, inputs] that answers of weights [neurons, inputs] do not keep: 0 to 1.

    Raises ShapeError unless both have two axes and as many inputs.
    """
    return _gaia._reconstruction_error(_array(samples), _array(weights), centred)


def subspace_score(weights, directions) -> float:
    """How much of the span of directions [k, inputs] lies within that of weights [neurons, inputs]: mean cos^2 of the
    principal angles.

    Raises ShapeError unless both have two axes and as many inputs, ArgumentError for directions that are not independent.
    """
    return _gaia._subspace_score(_array(weights), _array(directions))


class WeightPath:
    """Follows weights while they learn, and holds two copies of them.

        path = gaia.metrics.WeightPath()
        for piece in pieces:
            path.add(hierarchy.weights())
            hierarchy.process(piece)
        path.result().efficiency
    """

    def __init__(self) -> None:
        self._core = _gaia._WeightPath()

    def add(self, weights) -> None:
        """Takes the weights as they are now, of the same shape in every call.

        Raises ShapeError for another shape.
        """
        self._core.add(_array(weights))

    def result(self) -> PlasticityEfficiency:
        """The part of the change that is still there."""
        return PlasticityEfficiency(*self._core.result())


def measure_plasticity_efficiency(weights, scores=None) -> PlasticityEfficiency:
    """Measures what of the change of weights [times, ...] is there in the end, and what it was good for by scores
    [times].

    Raises ShapeError without two axes or times, or for as many scores as there are not times.
    """
    return PlasticityEfficiency(*_gaia._measure_plasticity_efficiency(_array(weights), _scores(scores)))


def measure_adaptation_speed(scores, *, share=0.9, tail=0) -> Adaptation:
    """Measures how soon scores, one a step, come to a share of the way to what they end with.

    tail   number of scores at the end that count as the last ones; 0: a tenth of them

    Raises ArgumentError for fewer than two scores or an option out of its range.
    """
    return Adaptation(*_gaia._measure_adaptation_speed(_scores(scores), share, tail))


def measure_forgetting(scores, *, untrained=None, alone=None) -> Forgetting:
    """What is left of tasks that are learnt one after the other, from scores [tasks, tasks]: that of row i and column j is
    on task j after task i was learnt; above the diagonal NaN stands for what was not measured.

    untrained   [tasks]: scores before anything was learnt
    alone       [tasks]: those of the same learner on each task alone

    Raises ShapeError unless scores are square and the others fit.
    """
    return Forgetting(*_gaia._measure_forgetting(_array(scores), _scores(untrained), _scores(alone)))


def measure_stability_plasticity_tradeoff(scores, *, ideal=1.0) -> StabilityPlasticity:
    """Whether a learner keeps what it knows and takes up what is new, from scores [tasks, tasks] as `measure_forgetting`
    has them; `ideal` is the score of the same learner on the first task alone.

    Raises ShapeError unless scores are square, ArgumentError unless `ideal` is above 0.
    """
    return StabilityPlasticity(*_gaia._measure_stability_plasticity_tradeoff(_array(scores), ideal))


def evaluate_adaptation_robustness(scores, switches, *, window=10, share=0.9) -> AdaptationRobustness:
    """Measures what switches of tasks cost scores, one a step; `switches` are the places of the first scores of new
    tasks.

    window   scores before a switch whose mean is the level there, at most
    share    share of the drop that has to be regained

    Raises ArgumentError for places that do not rise or are not there, or an option out of its range.
    """
    costs, *means = _gaia._evaluate_adaptation_robustness(_scores(scores), [int(at) for at in switches], window, share)
    return AdaptationRobustness([TaskSwitch(*one) for one in costs], *means)


def evaluate_meta_learning_curve(scores, *, tail=0) -> LearningCurve:
    """A curve of scores in numbers; `tail` is how many at the end count as the last ones, 0: a tenth of them.

    Raises ArgumentError for fewer than two scores, or a tail out of its range.
    """
    return LearningCurve(*_gaia._evaluate_meta_learning_curve(_scores(scores), tail))


def evaluate_parameter_convergence(history) -> list[ParameterConvergence]:
    """Measures whether parameters [steps, parameters] come to rest, each for itself.

    Raises ShapeError without two axes, ArgumentError for fewer than two steps.
    """
    return [ParameterConvergence(*one) for one in _gaia._evaluate_parameter_convergence(_array(history))]


def _array(given):
    """An array of gaia's; lists, and dtypes that it has not, in double precision."""
    if isinstance(given, _gaia.Array):
        return given
    return _gaia.Array(_intake.numbers(given, "[metrics]", expected="an array of numbers"))


def _scores(given):
    """Numbers along one axis; None is none."""
    if given is None:
        return []
    made = _intake.copied(given, "[metrics]")
    if made.ndim != 1:
        raise ShapeError(f"[metrics] expected scores along one axis, got shape {made.shape}")
    return made.tolist()
