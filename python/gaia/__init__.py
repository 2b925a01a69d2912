# SPDX-License-Identifier: MIT
"""Networks that learn locally and in time.

    import gaia
    import numpy as np

    x = np.random.default_rng(0).normal(size=(5000, 8))
    hierarchy = gaia.Hierarchy(gaia.Hebbian(3, "sanger", learning_rate=0.005))
    shown, = hierarchy.process(x)
    hierarchy.weights()

Experiments       run, resume, replay, open, apply, check, verdict, reproduce, sweep, search, init; they return a Result
Live              Stream: rows one by one through what a run has learnt; export: datasets of results as other files
Building blocks   Hierarchy of Level of Hebbian, PlasticConv2d, Predictive, Reactive and Temporal; Rule
Estimates         KalmanFilter, ExtendedKalmanFilter, UnscentedKalmanFilter, ParticleFilter, RegimesFilter: hidden
                  states and how sure they are; Consensus: one of several estimates;
                  PageHinkley, Adwin: whether a series has changed
Tuning            search, MoCmaEs, hypervolume, PlasticityController, MetaOptimizer, TaskSampler; metrics: what plasticity is worth
Numbers           Array with NumPy's operators and functions, Tensor with gradients, nn with networks, random, linalg
Agents            agents: active inference, worlds, and episodes in any environment with Gymnasium's conventions
Devices           set_device, GPUContext, device_info, benchmark_device, ...; offload: functions of NumPy arrays on a GPU;
                  par_iter, scope: many items, or tasks, at the same time
Errors            Error and its kinds, in errors

help(gaia.run), help(gaia.Hierarchy) and so on tell more, and docs/python.md shows all of it at work.
"""
import numpy as _numpy

from . import _gaia, _numpy_protocol, agents, errors, fft, guides, linalg, metrics, nn, offload, random, signal  # noqa: F401
from ._changes import Adwin, PageHinkley
from ._complex import Complex
from ._consensus import Consensus
from ._controllers import MetaEpisode, MetaOptimizer, MetaResult, PlasticityController, TaskSampler
from ._experiments import apply, check, init, open, replay, reproduce, resume, run, sweep, verdict
from ._export import export
from ._filters import (ExtendedKalmanFilter, Filtered, KalmanFilter, ParticleFilter, RegimesFilter, Smoothed,
                       StateFilter, UnscentedKalmanFilter, Update, regime_changes)
from ._fronts import MoCmaEs, crowding_distances, hypervolume, hypervolume_contributions, non_dominated_ranks
from ._gaia import *  # noqa: F403  arrays, tensors, functions under NumPy's names, devices
from ._hierarchy import Hierarchy, LevelCosts, Message
from ._kernels import RawModule
from ._levels import Hebbian, Level, PlasticConv2d, Predictive, Reactive, Rule, Temporal
from ._par_iter import par_iter
from ._result import Reproduction, Result, Verdict
from ._scope import scope
from ._search import SearchedExperiment, SearchResult, search
from ._stream import Stream
from .errors import *  # noqa: F403
from .nn import Dense, Dropout, NeuralNetwork, ReLU, Sigmoid, Softmax, Tanh
from .random import randn, uniform

__version__ = _gaia._version()

float32, float64, int32, int64, bool_ = _numpy.float32, _numpy.float64, _numpy.int32, _numpy.int64, _numpy.bool_
# Names and import paths of the guides are looked for last, and read when they are asked for.
__path__.extend(guides.__path__)
__getattr__ = guides.find


def __dir__():
    return sorted([*globals(), *guides.HOMES])


pi, e, inf, nan, newaxis = _numpy.pi, _numpy.e, _numpy.inf, _numpy.nan, None

# Names of `from gaia import *`: nothing that hides a function of Python's, but for `open`.
__all__ = ["Adwin", "Array", "Complex", "Consensus", "Dense", "Dropout", "ExtendedKalmanFilter", "Filtered",
           "GPUContext", "Hebbian", "Hierarchy", "KalmanFilter", "Level", "LevelCosts", "Message", "MetaEpisode",
           "MetaOptimizer", "MetaResult", "MoCmaEs", "NeuralNetwork", "PageHinkley", "ParticleFilter",
           "PlasticConv2d", "PlasticityController", "Predictive", "RawKernel", "RawModule", "ReLU", "Reactive",
           "RegimesFilter", "Reproduction", "Result", "Rule", "SearchResult",
           "SearchedExperiment", "Sigmoid", "Smoothed", "Softmax", "StateFilter", "Stream", "Tanh", "TaskSampler",
           "Temporal", "Tensor", "UnscentedKalmanFilter", "Update", "Verdict", "agents", "apply", "array",
           "benchmark_device", "check", "checkpoint", "crowding_distances", "device_info", "errors", "export", "fft",
           "get_device", "hypervolume", "hypervolume_contributions", "init", "metrics", "nn", "no_grad",
           "non_dominated_ranks", "num_threads", "open", "par_iter", "randn", "regime_changes", "replay", "reproduce", "resume", "run",
           "scope", "search", "set_device", "set_num_threads", "set_seed", "sweep", "uniform", "verdict",
           *errors.__all__, *guides.HOMES]
