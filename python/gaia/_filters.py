# SPDX-License-Identifier: MIT
"""Hidden states of series, and how sure one can be of them; all of it is float64."""
import typing
from typing import NamedTuple

import numpy as np

from . import _gaia
from .errors import ArgumentError, ShapeError


class Update(NamedTuple):
    """What a filter found in a row; with several streams each array has an axis of streams before.

    log_likelihood  log-likelihood of the row given those before it, with log 2 pi; 0 where all of it is missing
    innovation      [observed]: the row less what was expected, NaN where a value is missing
    nis             v^T S^-1 v of the innovation v and its covariance S; about the number of observed values where the
                    filter's noise is right; NaN where all of it is missing
    """
    log_likelihood: np.ndarray
    innovation: np.ndarray
    nis: np.ndarray


class Filtered(NamedTuple):
    """What a filter found in a series, tick by tick; with several streams each array has an axis of them behind that
    of ticks.

    mean, covariance                 [ticks, states], [ticks, states, states], behind each update
    log_likelihood, innovation, nis  as in Update
    probability                      [ticks, models] of a RegimesFilter, else None
    """
    mean: np.ndarray
    covariance: np.ndarray
    log_likelihood: np.ndarray
    innovation: np.ndarray
    nis: np.ndarray
    probability: np.ndarray | None


class Smoothed(NamedTuple):
    """States of a series given all of it.

    mean        [ticks, states]
    covariance  [ticks, states, states]
    """
    mean: np.ndarray
    covariance: np.ndarray


def _covariance(key, value):
    """A number, a diagonal or a matrix as rows."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim > 2:
        raise ShapeError(f"[filter] {key}: expected a number, a diagonal or a matrix, got {list(array.shape)}")
    return np.atleast_2d(array).tolist()


def _noise(Q, R, P0):
    return _covariance("Q", Q), _covariance("R", R), _covariance("P0", P0)


def _linear(function, model, observed):
    """The kind of a linear model, its numbers and matrices, and how many numbers are observed."""
    kind, ar, period, A, H = model, [], 0, [], []
    if isinstance(model, dict):
        keys = sorted(model)
        if keys == ["ar"]:
            kind, ar = "ar", [float(number) for number in model["ar"]]
        elif keys == ["seasonal"]:
            kind, period = "seasonal", int(model["seasonal"])
        elif keys == ["A", "H"]:
            kind = "matrices"
            A, H = (np.atleast_2d(np.asarray(model[key], dtype=np.float64)).tolist() for key in keys)
            observed = len(H) if observed is None else observed
        else:
            raise ArgumentError(f"[{function}] model: expected {{'ar': [...]}}, {{'seasonal': p}} or "
                                f"{{'A': ..., 'H': ...}}, got keys {keys}")
    return str(kind), ar, period, A, H, 1 if observed is None else int(observed)


def _texts(state, observation, parameters):
    return str(state), str(observation), [(str(name), float(value)) for name, value in (parameters or {}).items()]


class StateFilter:
    """What all filters do: predict a step, then take what was observed of it.

        filter.predict()
        found = filter.update(row)           # [observed], or [streams, observed]; NaN is missing
        filter.mean, filter.covariance

    `filter(rows)` does both for each row of a series.
    """

    def __init__(self, core, streams) -> None:
        self._core, self._one = core, streams is None

    def _shown(self, array):
        return array[0] if self._one else array

    @property
    def states(self) -> int:
        """Numbers of the state."""
        return self._core.sizes()[0]

    @property
    def observed(self) -> int:
        """Numbers in a row."""
        return self._core.sizes()[1]

    @property
    def mean(self) -> np.ndarray:
        """[states], or [streams, states]."""
        return self._shown(self._core.mean())

    @property
    def covariance(self) -> np.ndarray:
        """[states, states], or [streams, states, states]."""
        return self._shown(self._core.covariance())

    @property
    def Q(self) -> np.ndarray:
        """[states, states]: the noise of the state as it is now."""
        return self._core.Q()

    @property
    def R(self) -> np.ndarray:
        """[observed, observed]: the noise of what is observed as it is now."""
        return self._core.R()

    def begin(self) -> None:
        """Begins a trial: the state is what it was before the first prediction; noise that has adapted stays."""
        self._core.begin()

    def copy(self) -> "typing.Any":
        """Another that stands where this one does and goes on by itself."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._core = self._core.clone()
        return made

    def predict(self) -> None:
        """Goes on by one step.  Raises ArgumentError where the state is not finite any more."""
        self._core.predict()

    def update(self, row, *, adapt=True) -> Update:
        """Takes a row [observed], or [streams, observed]; NaN is a missing value.  Noise that adapts does so unless
        `adapt` is False.

        Raises ShapeError for another shape, ArgumentError for infinite numbers and where the innovation's covariance
        is singular.
        """
        row = np.ascontiguousarray(row, dtype=np.float64)
        shape = (self.observed,) if self._one else (self._core.streams(), self.observed)
        if row.shape != shape and not (self._one and self.observed == 1 and row.shape == ()):
            raise ShapeError(f"[update] expected a row of shape {list(shape)}, got {list(row.shape)}")
        return Update(*(self._shown(found) for found in self._core.update(row, adapt)))

    def filter(self, rows, *, adapt=True) -> Filtered:
        """Predicts and updates for each of the rows [ticks, observed], or [ticks, streams, observed], from where the
        filter stands; rows of one number each may be [ticks]."""
        rows = np.asarray(rows, dtype=np.float64)
        if self._one and self.observed == 1 and rows.ndim == 1:
            rows = rows[:, None]
        if rows.ndim != (2 if self._one else 3):
            raise ShapeError(f"[filter] expected rows [ticks, {'' if self._one else 'streams, '}{self.observed}], got "
                             f"{list(rows.shape)}")
        ticks = []
        for row in rows:
            self.predict()
            found = self.update(row, adapt=adapt)
            ticks.append((self.mean, self.covariance, *found, self._probability()))
        if not ticks:
            raise ShapeError("[filter] expected 1 row or more, got none")
        columns = [None if values[0] is None else np.stack(values) for values in zip(*ticks)]
        return Filtered(*columns)

    def _probability(self):
        return None


class KalmanFilter(StateFilter):
    """The filter of a linear model, x <- A x + N(0, Q), y = H x + N(0, R) (Kalman 1960).

        level = gaia.KalmanFilter("velocity", Q=[0, 1e-4], R=0.3)
        found = level.filter(series)                 # [ticks] or [ticks, 1]
        smooth = gaia.KalmanFilter("velocity", Q=[0, 1e-4], R=0.3).smooth(series)

    model       "level", "velocity", "acceleration", {"ar": [...]}, {"seasonal": p} or {"A": ..., "H": ...}
                (docs/filters.md has their matrices); those with names have a block of states for each observed number
    observed    numbers in a row; of a model with matrices the rows of H
    Q, R, P0    covariances of the state's noise, of the observations' and of the state at first: a number for all of
                the diagonal, a diagonal or a matrix
    form        "joseph", or "root": square roots of covariances, where these are nearly singular
    adapt       None, "R" or "Q": noise that is found while it filters; `forgetting` says how fast it may move
    streams     None for one series; else how many are filtered side by side, with the same model and noise

    Raises ArgumentError and ShapeError that name what does not fit.
    """

    def __init__(self, model="level", observed=None, *, Q=0.01, R=1.0, P0=1.0, form="joseph", adapt=None,
                 forgetting=0.995, streams=None) -> None:
        *linear, observed = _linear("KalmanFilter", model, observed)
        core = _gaia._kalman_filter(*linear, *_noise(Q, R, P0), observed, form,
                                    "none" if adapt is None else adapt, float(forgetting),
                                    1 if streams is None else int(streams))
        super().__init__(core, streams)

    def smooth(self, rows, *, adapt=True) -> Smoothed:
        """Filters the rows [ticks, observed] from where the filter stands and goes back over them: what all of the
        series says of the state at each tick (Rauch, Tung and Striebel 1965).  For one stream.

        Raises ArgumentError for several streams.
        """
        if not self._one:
            raise ArgumentError("[smooth] expected a filter of one stream, got several; smooth one after the other")
        rows = np.asarray(rows, dtype=np.float64)
        means, covariances, noise = [], [], []
        for row in rows:
            noise.append(self.Q)
            self.predict()
            self.update(row, adapt=adapt)
            means.append(self.mean)
            covariances.append(self.covariance)
        if not means:
            raise ShapeError("[smooth] expected 1 row or more, got none")
        return Smoothed(*_gaia._smooth(self.states, np.stack(means), np.stack(covariances), self._core.A(),
                                       np.stack(noise)))


class ExtendedKalmanFilter(StateFilter):
    """The Kalman filter of a model that is written as text, straightened at the mean at each step (Jazwinski 1970).

        pendulum = gaia.ExtendedKalmanFilter("x = x + 0.1*v\\nv = v - 0.1*g*sin(x)", "y = sin(x)",
                                             parameters={"g": 9.81}, Q=1e-4, R=0.1)
        found = pendulum.filter(series)

    state        x <- f(x, t), one assignment a line in the language of rules: names that are assigned are the states;
                 below its assignment a name has its new value; t is the tick, from 0
    observation  y = h(x, t): one assignment for each observed number
    parameters   numbers of the texts by name
    Q, R, P0, form, adapt, forgetting, streams   as of KalmanFilter

    Raises ArgumentError that shows what is wrong with a text, and where; ArgumentError and ShapeError that name what
    does not fit.
    """

    def __init__(self, state, observation, *, parameters=None, Q=0.01, R=1.0, P0=1.0, form="joseph", adapt=None,
                 forgetting=0.995, streams=None) -> None:
        core = _gaia._extended_kalman_filter(*_texts(state, observation, parameters), *_noise(Q, R, P0), form,
                                             "none" if adapt is None else adapt, float(forgetting),
                                             1 if streams is None else int(streams))
        super().__init__(core, streams)


class UnscentedKalmanFilter(StateFilter):
    """The Kalman filter that sends 2 n + 1 points through a model of n states that is written as text (Julier and
    Uhlmann 1997).

    state, observation, parameters   functions and numbers as ExtendedKalmanFilter has them
    alpha, beta, kappa               places and weights of the points (Wan and van der Merwe 2000); with kappa None
                                     3 - n, and 0 for more than 3 states
    Q, R, P0, streams                as of KalmanFilter; the noise does not adapt

    Raises as ExtendedKalmanFilter.
    """

    def __init__(self, state, observation, *, parameters=None, Q=0.01, R=1.0, P0=1.0, alpha=1.0, beta=0.0, kappa=None,
                 streams=None) -> None:
        core = _gaia._unscented_kalman_filter(*_texts(state, observation, parameters), *_noise(Q, R, P0), float(alpha),
                                              float(beta), None if kappa is None else float(kappa),
                                              1 if streams is None else int(streams))
        super().__init__(core, streams)


class ParticleFilter(StateFilter):
    """The bootstrap filter: samples of the state that go through the model, weighed by what is observed (Gordon,
    Salmond and Smith 1993).

        cloud = gaia.ParticleFilter(state="x = x/2 + 25*x/(1 + x*x) + 8*cos(1.2*t)", observation="y = x*x/20",
                                    Q=10.0, R=1.0, P0=5.0, particles=1000)
        cloud.predict()
        cloud.update(row)
        cloud.quantile(0.025), cloud.quantile(0.975)

    model, observed                  a linear model as of KalmanFilter, or, in its place,
    state, observation, parameters   one that is written as of ExtendedKalmanFilter
    particles                        samples for each stream
    resample_below                   share of effective particles below which they are drawn anew, from 0 to 1
    seed                             same seed, same numbers, for any number of threads
    Q, R, P0, streams                as of KalmanFilter; R has an inverse, and the noise does not adapt

    Raises as ExtendedKalmanFilter, and ArgumentError where no particle can have produced a row.
    """

    def __init__(self, model=None, observed=None, *, state=None, observation=None, parameters=None, Q=0.01, R=1.0,
                 P0=1.0, particles=1000, resample_below=0.5, seed=0, streams=None) -> None:
        if (model is None) == (state is None) or (state is None) != (observation is None):
            raise ArgumentError("[ParticleFilter] expected either a linear model or state and observation as texts")
        options = (int(particles), float(resample_below), int(seed), 1 if streams is None else int(streams))
        if model is None:
            core = _gaia._particle_filter(*_texts(state, observation, parameters), *_noise(Q, R, P0), *options)
        else:
            *linear, observed = _linear("ParticleFilter", model, observed)
            core = _gaia._linear_particle_filter(*linear, *_noise(Q, R, P0), observed, *options)
        super().__init__(core, streams)

    def quantile(self, p) -> np.ndarray:
        """[states], or [streams, states]: of each state the smallest particle up to which weights sum to p or more."""
        return self._shown(self._core.quantile(float(p)))

    @property
    def effective_particles(self) -> "typing.Any":
        """1 / (sum of w^2) of the weights w; with several streams [streams]."""
        return self._shown(self._core.effective_particles())


class RegimesFilter(StateFilter):
    """A series that switches between models: a filter for each, and how probable each is (interacting multiple models,
    Blom & Bar-Shalom 1988).

        calm, wild = (gaia.KalmanFilter("level", Q=q) for q in (1e-4, 1.0))
        regimes = gaia.RegimesFilter([calm, wild], [[0.98, 0.02], [0.05, 0.95]])
        found = regimes.filter(series)
        found.probability                            # [ticks, models]
        gaia.regime_changes(found.probability)       # [(tick, from, to), ...]

    models      Kalman filters of as many states each, whose noise does not adapt; they are copied as they stand
    transition  [models, models]: probabilities of going over from the row's model to the column's; rows sum to 1
    initial     [models] probabilities before the first step; None: those to which the transitions lead

    Raises ArgumentError and ShapeError that name what does not fit.
    """

    def __init__(self, models, transition, *, initial=None) -> None:
        models = list(models)
        if not models or not all(isinstance(model, StateFilter) for model in models):
            raise ArgumentError("[RegimesFilter] models: expected 1 filter or more")
        transition = np.ascontiguousarray(transition, dtype=np.float64)
        core = _gaia._regimes_filter([model._core for model in models], transition,
                                     [] if initial is None else [float(p) for p in initial])
        super().__init__(core, None if models[0]._one else models[0]._core.streams())

    @property
    def probability(self) -> np.ndarray:
        """[models], or [streams, models]."""
        return self._probability()

    def _probability(self):
        return self._shown(self._core.probabilities())


def regime_changes(probability) -> list:
    """Changes of the regime in probabilities [ticks, models], as (tick, from, to): from `tick` on a model is above 1/2
    for three ticks on end, where another was in force."""
    probability = np.ascontiguousarray(probability, dtype=np.float64)
    if probability.ndim != 2:
        raise ShapeError(f"[regime_changes] expected probabilities [ticks, models], got {list(probability.shape)}")
    return [tuple(change) for change in _gaia._regime_changes(probability, probability.shape[1])]
