# SPDX-License-Identifier: MIT
"""Parts that hierarchies are built from: levels, layers and rules, each as the keys that an experiment would have."""
import copy
import typing

from . import _intake

__all__ = ["Hebbian", "Level", "PlasticConv2d", "Predictive", "Reactive", "Rule", "Temporal"]


def _given(arguments):
    """The arguments of a constructor, as its locals() are, as keys."""
    keys = {name: value for name, value in arguments.items() if name not in ("self", "__class__", "numbers")}
    return keys | arguments.get("numbers", {})


def plain(part):
    """Parts within parts as dicts and lists."""
    if isinstance(part, _Part):
        part = part.to_dict()
    if isinstance(part, dict):
        return {key: plain(value) for key, value in part.items()}
    if isinstance(part, (list, tuple)):
        return [plain(value) for value in part]
    return part


class _Part:
    """A part of a hierarchy, as the keys that an experiment would have."""

    def __init__(self, keys) -> None:
        self.keys = {key: _intake.kept(value) for key, value in keys.items() if value is not None}

    def to_dict(self) -> dict:
        """The part as an experiment has it, a copy."""
        return copy.deepcopy(self.keys)

    def __eq__(self, other):
        return type(self) is type(other) and plain(self) == plain(other)

    __hash__ = None

    def __repr__(self):
        keys = ", ".join(f"{key}={value!r}" for key, value in self.keys.items() if key != "type")
        return f"{type(self).__name__}({keys})"


class Rule(_Part):
    """A plasticity rule as its equations, as they stand in the paper (docs/rules.md).

        gaia.Rule("dw = rate * y * (x - y * w)", rate=0.01)

    equations    one assignment a line; dw is the change of the weights w, x the input, y the answer
    memory       initial values of what each neuron remembers; 0 where not named
    traces       filters of the input: {"pre": 20}
    signals      numbers from outside: {"reward": "column"}; see `Hierarchy.process`
    memory_across_trials   whether memory is kept from trial to trial, or a list of the memories that are
    parameters   the numbers that the equations name
    """

    def __init__(self, equations, *, memory=None, traces=None, signals=None, memory_across_trials=None, **parameters) -> None:
        super().__init__({"equations": equations, "parameters": parameters or None, "memory": memory, "traces": traces,
                          "signals": signals, "memory_across_trials": memory_across_trials})


class Hebbian(_Part):
    """A layer whose weights follow a plasticity rule: y = f(W x), with weights W [size, inputs].

        gaia.Hebbian(8, "sanger", learning_rate=0.005)
        gaia.Hebbian(8, gaia.Rule("dw = rate * y * x", rate=0.001), normalization="l2")

    size            number of neurons
    rule            the name of a rule in the catalogue ("oja", "sanger", "bcm", ...; docs/catalogue.md), or a Rule
    learning_rate   rate of a rule by its name; "auto" finds one from the data as they are read (docs/plasticity.md)
    numbers         parameters of the rule or the neuron, by their names: tau, theta, temperature, ...

    What all others are docs/experiments.md says; those that are left out have its defaults.

    The last layer of a level can hear a level above, which the keys of `top_down` describe (docs/hierarchy.md):

        gaia.Hebbian(8, "sanger", top_down={"from": 1, "as": "gain", "target": "wanted"})
    """

    def __init__(self, size: int, rule: "str | Rule | dict[str, typing.Any] | None" = None, *,
                 learning_rate: "float | str | None" = None, activation: "str | None" = None, init: "str | None" = None,
                 decay: "float | None" = None, neuron: "str | None" = None, signals: "dict[str, typing.Any] | None" = None,
                 normalization: "str | None" = None, bound: "float | None" = None,
                 homeostasis: "dict[str, float] | str | None" = None, lateral: "dict[str, typing.Any] | str | None" = None,
                 bounds: "dict[str, float] | str | None" = None, top_down: "dict[str, typing.Any] | str | None" = None,
                 chain: "dict[str, float] | str | None" = None, rewire: "dict[str, typing.Any] | str | None" = None,
                 learn: "bool | None" = None, **numbers: typing.Any) -> None:
        super().__init__({"type": "hebbian", **_given(locals())})


class Reactive(_Part):
    """A layer of fixed weights: y = f(W x + b), with weights W [size, inputs].

        gaia.Reactive(64, activation="tanh")

    size         number of neurons
    activation   f; "relu" where it is left out
    init         the weights at first; "he" where it is left out
    bias         b of every neuron
    """

    def __init__(self, size: int, *, activation: "str | None" = None, init: "str | None" = None,
                 bias: "float | None" = None, learn: "bool | None" = None,
                 top_down: "dict[str, typing.Any] | str | None" = None) -> None:
        super().__init__({"type": "reactive", **_given(locals())})


class Temporal(_Part):
    """A leaky recurrent layer, a reservoir: h <- (1 - a) h + a f(W x + R h + b), its weights fixed unless they are
    given rules.

        gaia.Temporal(100, leak=0.3, spectral_radius=0.9)

    size               number of neurons
    leak               a
    input, recurrent   each a map with the keys of a rule by which W or R learns

    What all others are docs/experiments.md says; those that are left out have its defaults.
    """

    def __init__(self, size: int, *, leak: "float | None" = None, spectral_radius: "float | None" = None,
                 density: "float | None" = None, activation: "str | None" = None, init: "str | None" = None,
                 input_scale: "float | None" = None, bias: "float | None" = None, bias_scale: "float | None" = None,
                 input: "dict[str, typing.Any] | str | None" = None,
                 recurrent: "dict[str, typing.Any] | str | None" = None, time_window: "int | None" = None,
                 feedback: "str | None" = None, feedback_scale: "float | None" = None, learn: "bool | None" = None,
                 top_down: "dict[str, typing.Any] | str | None" = None) -> None:
        super().__init__({"type": "temporal", **_given(locals())})


class PlasticConv2d(_Part):
    """A layer whose neurons read the patches of a picture and learn from them by a plasticity rule (docs/hierarchy.md).

        gaia.PlasticConv2d(16, kernel=5, rule="oja", learning_rate=0.005, update="mean", shape=[28, 28, 1],
                           pool={"max": 2})

    filters       number of neurons that every position has
    kernel, stride, padding   numbers, or lists of one for rows and one for columns
    shape         [height, width, channels] of what it reads, channels innermost; left out above another such layer
    update        "position", one after another, or "mean", all at once
    pool          {"max": n} or {"mean": n}, with "stride" and "padding"
    standardize   {"forget": share}: running mean and variance of every channel
    power         to which answers are raised
    others        those of Hebbian
    """

    def __init__(self, filters: int, *, kernel: "int | list[int] | None" = None, stride: "int | list[int] | None" = None,
                 padding: "int | list[int] | None" = None, shape: "list[int] | None" = None, update: "str | None" = None,
                 rule: "str | Rule | dict[str, typing.Any] | None" = None, learning_rate: "float | str | None" = None,
                 activation: "str | None" = None, init: "str | None" = None, decay: "float | None" = None,
                 neuron: "str | None" = None, signals: "dict[str, typing.Any] | None" = None,
                 normalization: "str | None" = None, bound: "float | None" = None,
                 homeostasis: "dict[str, float] | str | None" = None, bounds: "dict[str, float] | str | None" = None,
                 chain: "dict[str, float] | str | None" = None, power: "float | None" = None,
                 standardize: "dict[str, float] | str | None" = None, pool: "dict[str, int] | str | None" = None,
                 learn: "bool | None" = None, **numbers: typing.Any) -> None:
        super().__init__({"type": "conv2d", **_given(locals())})


class Predictive(_Part):
    """A stack of layers that predict each other, relaxes inside a tick and learns from the errors that are left:
    predictive coding (docs/hierarchy.md).  Its answer is what the stack predicts at its top before anything is held
    there.

        gaia.Predictive([256, 10], learning_rate=0.02, batch=32)
        hierarchy.process(x, signals={"labels": classes})    # -1 where there is no label, which learns nothing

    sizes        numbers of neurons in the layers of the stack, the top last
    learn_when   "settle" or "exact"
    top          "label" or "target"
    target       its columns

    What all others are docs/experiments.md says; those that are left out have its defaults.
    """

    def __init__(self, sizes: "typing.Iterable[int]", *, activation: "str | None" = None,
                 learning_rate: "float | None" = None, learn_when: "str | None" = None,
                 iterations: "int | None" = None, step: "float | None" = None, variance: "float | None" = None,
                 top: "str | None" = None, target: "str | list[str] | None" = None, batch: "int | None" = None,
                 learn: "bool | None" = None, top_down: "dict[str, typing.Any] | str | None" = None) -> None:
        super().__init__({"type": "predictive", **_given(locals()), "sizes": [int(size) for size in sizes]})


class Level(_Part):
    """Layers that share a temporal resolution: they tick once in so many steps.

        gaia.Level(gaia.Reactive(64), gaia.Hebbian(8, "oja_subspace", learning_rate=0.01),
                   temporal_resolution=8, pooling="mean")

    layers                Hebbian, PlasticConv2d, Predictive, Reactive, Temporal; each reads what the one before it answers
    temporal_resolution   steps from one tick to the next; 1 if it is not said
    pooling               summary of the steps since the last tick that a tick reads: "last" (if it is not said),
                          "mean", "max", "ema", "concat" or {"legendre": d}
    phase                 the step of the first tick
    learn                 whether its layers learn where the hierarchy does
    """

    def __init__(self, *layers: typing.Any, temporal_resolution: "int | None" = None,
                 pooling: "str | dict[str, int] | None" = None, phase: "int | None" = None, learn: "bool | None" = None) -> None:
        super().__init__(_given(locals()) | {"layers": list(layers)})

    def __repr__(self):
        words = [repr(layer) for layer in self.keys["layers"]]
        words += [f"{key}={value!r}" for key, value in self.keys.items() if key != "layers"]
        return f"Level({', '.join(words)})"
