# SPDX-License-Identifier: MIT
"""Networks that learn locally and in time.

    import gaia
    import numpy as np

    x = np.random.default_rng(0).normal(size=(5000, 8))
    hierarchy = gaia.Hierarchy(gaia.Hebbian(3, "sanger", learning_rate=0.005))
    shown, = hierarchy.process(x)
    hierarchy.weights()

Experiments: run, resume, open, apply, check, verdict, sweep, init; a Result each.
Building blocks: Hierarchy, Level, Hebbian, Reactive, Temporal, Rule.
Numbers: Array with NumPy's operators and functions, Tensor with gradients, gaia.nn, gaia.random, devices by their
names, gaia.offload.
Errors: gaia.errors.  docs/python.md tells more.
"""
import numpy as _numpy

from . import _gaia, errors, nn, offload, random
from ._guides import *  # noqa: F403  names of the GPU guides
from ._hierarchy import Hebbian, Hierarchy, Level, Reactive, Rule, Temporal
from ._gaia import *  # noqa: F403  functions under NumPy's names, devices
from ._result import Result, Verdict
from .errors import *  # noqa: F403
from .nn import Dense, Dropout, NeuralNetwork, ReLU, Sigmoid, Softmax, Tanh

# What only the package itself needs.
for _name in ("HierarchyCore", "Request", "Rows", "check_hierarchy", "experiment_name", "git_commit", "initial_experiment",
              "make_rows", "report_page", "run_member", "sweep_members", "version", "write_report"):
    globals().pop(_name, None)

# What experiments call so comes first.
from ._experiments import apply, check, init, open, resume, run, sweep, verdict  # isort: skip

__version__ = _gaia.version()

float32, float64, int32, int64, bool_ = _numpy.float32, _numpy.float64, _numpy.int32, _numpy.int64, _numpy.bool_
pi, e, inf, nan, newaxis = _numpy.pi, _numpy.e, _numpy.inf, _numpy.nan, None
num_threads = _gaia.num_threads
set_num_threads = _gaia.set_num_threads

__all__ = ["Hebbian", "Hierarchy", "Level", "Reactive", "Result", "Rule", "Temporal", "Verdict", "apply", "check", "errors",
           "init", "num_threads", "open", "resume", "run", "set_num_threads", "sweep", "verdict", *_guides.__all__,
           *errors.__all__]
