# SPDX-License-Identifier: MIT
"""What programs for gaia's predecessors call otherwise: the names of the guides to Cortex, GAIA 4, neural_arch and CuPy.

docs/python.md lists what reads differently here.
"""
import sys

from . import _gaia, random
from ._hierarchy import Hebbian, Hierarchy, Level, Reactive, Temporal
from .errors import ArgumentError

__all__ = ["Backend", "HebbianCore", "HierarchicalLevel", "HierarchyManager", "KernelManager", "MemoryPool", "ReactiveLayer",
           "TemporalLayer", "get_array_module", "get_backend", "get_cuda_kernel_manager", "get_default_memory_pool", "randn",
           "uniform"]

randn = random.randn
uniform = random.uniform


def get_array_module(*_):
    """gaia itself, whose functions compute on the current device."""
    return sys.modules[__package__]


def get_backend(device=None):
    """What computes on a device, the current one where it is left out: a Backend.

        module, name = gaia.get_backend()      # gaia, "cpu"
        gaia.get_backend("cuda").is_available

    Raises ArgumentError for a name that is none of a device's.
    """
    return Backend(device)


class Backend:
    """A device and the fused operations that run on it.

    name                "cpu" or "cuda"
    device              "cpu", "cuda:0", ...
    is_available        whether it can be used here and now; DeviceError says why not as soon as it is asked to compute
    has_custom_kernels  whether the fused operations have kernels of their own there: all devices have
    """

    def __init__(self, device=None):
        self.device = _gaia.current_device() if device is None else _full_name(device)
        self.name = self.device.partition(":")[0]

    def __iter__(self):
        return iter((get_array_module(), self.name))

    def __getitem__(self, index):
        return tuple(self)[index]

    def __len__(self):
        return 2

    def __repr__(self):
        return f"<gaia.Backend {self.device}{'' if self.is_available else ', not available'}>"

    @property
    def is_available(self):
        """Whether the device can be used here and now."""
        return _gaia.is_available(self.device)

    @property
    def has_custom_kernels(self):
        """Whether the fused operations have kernels of their own there: wherever it is available."""
        return self.is_available

    def gelu(self, x):
        """x Phi(x) in its tanh form, of every element."""
        return self._there(_gaia.gelu, x)

    def fused_linear_gelu(self, x, weights, bias=None):
        """gelu(x W^T + b): x [..., in], weights [out, in], bias [out]."""
        return self._there(_gaia.linear_gelu, x, weights, bias)

    def layernorm(self, x, weight=None, bias=None, eps=1e-5):
        """Mean 0 and variance 1 along the last axis, times weight plus bias."""
        return self._there(_gaia.layer_norm, x, weight, bias, epsilon=float(eps))

    def flash_attention(self, q, k, v, scale=None, block_size=None, causal=False):
        """softmax(scale q k^T) v: q [..., T, d], k and v [..., S, d]; scale is 1 / sqrt(d) where it is left out.

        block_size   is taken and not needed: the kernel chooses its tiles
        """
        del block_size
        return self._there(_gaia.attention, q, k, v, scale=None if scale is None else float(scale), causal=causal)

    def benchmark_kernel(self, name, *tensors, num_runs=100):
        """The mean time of a fused kernel, in milliseconds; the names are those of `gaia.benchmark_names()`."""
        return 1000.0 * self._there(_gaia.benchmark_kernel, name, *tensors, repeats=num_runs).mean_time

    def _there(self, function, *args, **keys):
        with _gaia.GPUContext(self.device):
            return function(*args, **keys)


def get_cuda_kernel_manager():
    """The fused kernels of CUDA devices: a KernelManager."""
    return KernelManager()


class KernelManager:
    """The fused kernels; they are compiled with gaia, none at run time."""

    def is_available(self):
        """Whether there is a CUDA device to run them on."""
        return _gaia.is_available("cuda")

    @property
    def compiled_kernels(self):
        """{name: how often it ran, how often plain operations did instead, and why}."""
        return _gaia.kernel_registry()

    def gelu_forward(self, x):
        """gelu(x) on the first CUDA device.  Raises DeviceError if there is none."""
        return Backend("cuda").gelu(x)


def get_default_memory_pool():
    """The memory of the current device: a MemoryPool."""
    return MemoryPool()


class MemoryPool:
    """The memory that gaia's arrays hold on a device, by CuPy's names."""

    def __init__(self, device=None):
        self.device = device

    def used_bytes(self):
        """Held by arrays."""
        return _gaia.memory_stats(self.device)["used"]

    def total_bytes(self):
        """Taken from the system, for arrays or for later ones."""
        stats = _gaia.memory_stats(self.device)
        return max(stats["reserved"], stats["used"])

    def free_all_blocks(self):
        """Gives what no array holds back to the system."""
        _gaia.trim_memory(self.device)


# GAIA 4's hierarchies: a level has an id and says what goes in and out.


def HebbianCore(input_size, output_size, plasticity_rule="hebbian", *, learning_rate=0.01, decay_rate=0.001, ltp=1.0,
                ltd=1.0):
    """A layer that learns by "hebbian", "oja" or "bcm" with decay, its rows held at length 1.

    ltp, ltd   factors of "hebbian" where the signs of answer and input agree, and where they differ

    Raises ArgumentError for such factors beside another rule.
    """
    if (ltp, ltd) != (1, 1):
        if plasticity_rule != "hebbian":
            raise ArgumentError(f"[HebbianCore] expected ltp and ltd of 1 for the rule {plasticity_rule!r}: they are factors "
                                "of hebbian; a gaia.Rule weighs any rule")
        return _sized(Hebbian(output_size, "hebbian_ltp_ltd", learning_rate=learning_rate, decay=decay_rate, ltp=ltp,
                              ltd=ltd, normalization="l2"), input_size)
    return _sized(Hebbian(output_size, plasticity_rule, learning_rate=learning_rate, decay=decay_rate,
                          normalization="l2"), input_size)


def ReactiveLayer(input_size, output_size, activation="relu", init="he"):
    """A layer of fixed weights."""
    return _sized(Reactive(output_size, activation=activation, init=init), input_size)


def TemporalLayer(input_size, hidden_size, activation="tanh", **keys):
    """A leaky recurrent layer of fixed weights."""
    return _sized(Temporal(hidden_size, activation=activation, **keys), input_size)


def _size_of(layer):
    return layer.keys["size"] if "size" in layer.keys else layer.keys["sizes"][-1]


class HierarchicalLevel:
    """A level by its number; layers are added from its inputs to its outputs.

    Raises ArgumentError for a layer whose inputs are not what comes before it.
    """

    def __init__(self, level_id, input_size, output_size, temporal_resolution=1, *, pooling=None):
        self.level_id = int(level_id)
        self.input_size = int(input_size)
        self.output_size = int(output_size)
        self.temporal_resolution = int(temporal_resolution)
        self.pooling = pooling
        self.layers = []

    def add_layer(self, layer):
        """Adds a layer behind those that are there; returns the level.  Raises ArgumentError for one that does not fit."""
        before = _size_of(self.layers[-1]) if self.layers else self.input_size
        takes = getattr(layer, "input_size", before)
        if takes != before:
            raise ArgumentError(f"[add_layer] level {self.level_id}: expected a layer of {before} inputs, got one of "
                                f"{takes}")
        self.layers.append(layer)
        return self

    def get_config(self):
        """What it was made with: {"level_id", "input_size", "output_size", "temporal_resolution", "pooling", "layers"},
        layers as an experiment has them."""
        return {"level_id": self.level_id, "input_size": self.input_size, "output_size": self.output_size,
                "temporal_resolution": self.temporal_resolution, "pooling": self.pooling,
                "layers": [layer.to_dict() for layer in self.layers]}

    def _level(self):
        given = _size_of(self.layers[-1]) if self.layers else None
        if given != self.output_size:
            raise ArgumentError(f"[add_level] level {self.level_id} has {self.output_size} outputs: expected a last layer "
                                f"of that size, got {'none' if given is None else given}")
        return Level(*self.layers, temporal_resolution=self.temporal_resolution, pooling=self.pooling)


class HierarchyManager:
    """GAIA 4's way to make a hierarchy: levels are added, and what they show has their numbers.

        manager = gaia.HierarchyManager(seed=42)
        level = gaia.HierarchicalLevel(0, input_size=100, output_size=200)
        level.add_layer(gaia.HebbianCore(100, 200))
        manager.add_level(level)
        manager.process_hierarchy(data)[0]      # [steps, 200]

    messages    how many messages of each level are kept, the last ones; 0: levels send none, and nothing is measured
    hierarchy   the gaia.Hierarchy that it makes of them, with all that one can do
    """

    def __init__(self, *, seed=0, dtype="float32", messages=0):
        self._keys = {"seed": seed, "dtype": dtype}
        self._levels = {}
        self._hierarchy = None
        self._keep = int(messages)
        self._schedule = {}

    def add_level(self, level):
        """Adds a level; lower numbers come first.  Raises ArgumentError for a number that is there, or once it has read
        data."""
        if level.level_id in self._levels:
            raise ArgumentError(f"[add_level] there is a level {level.level_id} already; give it another number")
        if self._hierarchy is not None:
            raise ArgumentError("[add_level] the hierarchy has read data and has its levels; make another HierarchyManager")
        level._level()
        self._levels[level.level_id] = level

    def get_level(self, level_id):
        """The level of that number, as it was added.  Raises ArgumentError if there is none."""
        self._place(level_id, "get_level")
        return self._levels[level_id]

    def remove_level(self, level_id):
        """Takes a level out; returns it.  Raises ArgumentError for a number that is not there, or once the hierarchy has
        read data."""
        self._place(level_id, "remove_level")
        if self._hierarchy is not None:
            raise ArgumentError("[remove_level] the hierarchy has read data and has its levels; make another "
                                "HierarchyManager")
        self._schedule.pop(level_id, None)
        return self._levels.pop(level_id)

    @property
    def hierarchy(self):
        """The gaia.Hierarchy of the levels, made when it is first asked for.  Raises ArgumentError for levels that do not
        fit each other."""
        if self._hierarchy is None:
            if not self._levels:
                raise ArgumentError("[process_hierarchy] expected at least one level, got none; add_level("
                                    "HierarchicalLevel(0, input_size, output_size)) adds one")
            levels = [self._levels[number] for number in sorted(self._levels)]
            for below, above in zip(levels, levels[1:]):
                if below.output_size != above.input_size:
                    raise ArgumentError(f"[process_hierarchy] level {above.level_id} has {above.input_size} inputs: "
                                        f"expected the {below.output_size} that level {below.level_id} shows")
            made = Hierarchy(*(level._level() for level in levels), inputs=levels[0].input_size, **self._keys)
            if self._keep:
                made.keep_messages(self._keep, [self._schedule.get(number, 1) for number in sorted(self._levels)])
            self._hierarchy = made
        return self._hierarchy

    def process_hierarchy(self, data, time_steps=None, learn=True):
        """Reads the first `time_steps` rows of data [steps, inputs], all where it is left out, and learns; returns what
        each level shows at every step: {number: [steps, outputs]}."""
        data = _gaia.to_numpy(data) if isinstance(data, _gaia.Array) else data
        shown = self.hierarchy.process(data if time_steps is None else data[:time_steps], learn, expand=True)
        return dict(zip(sorted(self._levels), shown))

    def process_time_step(self, x, learn=True):
        """Reads one sample [inputs] as the next step, and learns; returns what each level shows, fresh or held from its
        last tick: {number: [outputs]}."""
        x = _gaia.to_numpy(x) if isinstance(x, _gaia.Array) else x
        return dict(zip(sorted(self._levels), self.hierarchy.step(x, learn)))

    def get_representation(self, level_id):
        """What a level shows now, [streams, outputs].  Raises ArgumentError if there is no such level, or before anything
        was read."""
        return self.hierarchy.representation(self._place(level_id, "get_representation"))

    def get_all_representations(self):
        """The same of all levels: {number: [streams, outputs]}."""
        return {number: self.get_representation(number) for number in sorted(self._levels)}

    def reset_state(self):
        """Forgets what was carried from earlier steps; weights stay."""
        self.hierarchy.reset()

    def get_config(self):
        """The hierarchy as the YAML of an experiment, with every default: from the line "hierarchy:" on."""
        return self.hierarchy.to_yaml()

    def set_communication_schedule(self, schedule, every=None):
        """Has levels send messages at every so many of their ticks; without it they do at each.

            manager.set_communication_schedule(0, 8)
            manager.set_communication_schedule({0: 8, 1: 2})

        schedule   a level's number, or {number: every} of several

        Raises ArgumentError for a level that there is not, for less than 1, and where no messages are kept.
        """
        self._kept("set_communication_schedule")
        schedule = dict(schedule) if every is None else {schedule: every}
        for number, ticks in schedule.items():
            self._place(number, "set_communication_schedule")
            if int(ticks) < 1:
                raise ArgumentError(f"[set_communication_schedule] every must be at least 1 tick, got {ticks}")
        self._schedule.update({number: int(ticks) for number, ticks in schedule.items()})
        if self._hierarchy is None:
            return
        for number in schedule:
            self._hierarchy.set_schedule(self._place(number, "set_communication_schedule"),
                                         self._schedule[number])

    def get_communication_buffer(self, level_id):
        """The messages that a level has received from the levels below and above, by their steps: gaia.Message, whose
        `level` is the sender's number.

        Raises ArgumentError for a level that there is not, and where no messages are kept.
        """
        self._kept("get_communication_buffer")
        numbers = sorted(self._levels)
        received = self.hierarchy.received(self._place(level_id, "get_communication_buffer"))
        return [message._replace(level=numbers[message.level]) for message in received]

    def get_performance_metrics(self):
        """What was measured of each level, by its number: {"processing_time": seconds, "communication_overhead": bytes of
        the messages that were delivered, "memory_usage": bytes of weights, memories, state and messages kept, "messages":
        how many it has sent, "ticks": how many there were}.

        Raises ArgumentError where no messages are kept.
        """
        self._kept("get_performance_metrics")
        of_levels = dict(zip(sorted(self._levels), self.hierarchy.metrics()))
        parts = {"processing_time": "seconds", "communication_overhead": "message_bytes", "memory_usage": "memory_bytes",
                 "messages": "sent", "ticks": "ticks"}
        return {word: {number: getattr(costs, name) for number, costs in of_levels.items()}
                for word, name in parts.items()}

    def _kept(self, function):
        if not self._keep:
            raise ArgumentError(f"[{function}] no messages are kept; make a HierarchyManager(messages=16)")

    def _place(self, level_id, function):
        """The place of a level among them all."""
        numbers = sorted(self._levels)
        if level_id not in numbers:
            known = ", ".join(str(number) for number in numbers) or "none"
            raise ArgumentError(f"[{function}] there is no level {level_id}; known: {known}")
        return numbers.index(level_id)


def _sized(layer, inputs):
    layer.input_size = int(inputs)
    return layer


def _full_name(device):
    """A device's name with its number: "gpu" is "cuda:0"."""
    with_alias = {"gpu": "cuda", "cupy": "cuda", "numpy": "cpu"}
    name = str(device).lower()
    name = with_alias.get(name, name)
    _gaia.is_available(name)  # raises ArgumentError for a name that is none
    if name == "auto":
        return "cuda:0" if _gaia.is_available("cuda") else "cpu"
    return "cuda:0" if name == "cuda" else name
