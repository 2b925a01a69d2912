# SPDX-License-Identifier: MIT
"""What a case is built with: exact random inputs, decisions that are no close calls, and a record.

A case is a function that takes a Case, draws inputs and weights from it, and computes tick by tick, in
plain loops of float64, what its text of equations says.  `c.tick(...)` at the end of every tick keeps
the answers, and the weights and all that a rule remembers at the ticks that are compared.
"""
import math
import random
import zlib

CLOSEST = 1e-3     # how near two numbers that are compared may come, relative to the larger one
CASES = []         # in the order in which they are written down


class TooClose(Exception):
    """A decision hangs on too little; the next seed is tried."""


def case(equations, source="", rule="", parameters=None, memory=None, traces=None, ticks=40, n_in=5,
         n_out=4, neuron="", **more):
    """Enters a function into the catalogue.

    equations    the text, in the language of docs/rules.md
    source       author, year, where
    rule         name in the catalogue, where the case is that rule and nothing else but its neuron
    neuron       name in the catalogue, where the first lines are that neuron
    parameters   numbers by name
    memory       initial values by name; 0 where not named
    traces       time constants in ticks by name, or the name of the parameter that is it
    more         activation, memory_across_trials, bounds, homeostasis, normalization, bound, streams
    """
    def enter(function):
        CASES.append(Entry(function, dict(
            equations="\n".join(line.strip() for line in equations.strip().splitlines()), source=source,
            rule=rule, neuron=neuron, parameters=dict(parameters or {}), memory=dict(memory or {}),
            traces=dict(traces or {}), ticks=ticks, n_in=n_in, n_out=n_out, **more)))
        return function
    return enter


class Entry:
    """One entry of the catalogue: the function, and what was said of it."""

    def __init__(self, function, said):
        self.function, self.said = function, said
        self.name = function.__name__
        self.family = function.__module__.rsplit(".", 1)[-1]
        self.note = " ".join((function.__doc__ or "").split())

    def made(self):
        """The case, with the first seed with which no decision is close."""
        for attempt in range(2000):
            made = Case(self.said, zlib.crc32(self.name.encode()) + attempt)
            try:
                self.function(made)
            except TooClose:
                continue
            made.finish(self.name)
            return made
        raise RuntimeError(f"{self.name}: every seed has a decision that is too close")


class Case:
    def __init__(self, said, seed):
        self.said, self.seed = said, seed
        self.random = random.Random(seed)
        self.ticks, self.n_in, self.n_out = said["ticks"], said["n_in"], said["n_out"]
        self.streams = said.get("streams", 0)
        self.parameters = said["parameters"]
        self.kept_ticks = said.get("kept_ticks", sorted({1, 2, min(10, self.ticks), self.ticks}))
        self.x = self.w = None
        self.signals, self.trial_start, self.learning_ticks = {}, [0], self.ticks
        self.y, self.kept = [], {}
        self.draws = {}
        self.closest = math.inf

    # ------------------------------------------------------------------ what comes in

    def draw(self, low, high):
        """A random multiple of 1/256: exact in float32 too, and in decimal digits."""
        return (low + int(self.random.random() * (high - low + 1))) / 256

    def matrix(self, rows, columns, low, high):
        return [[self.draw(low, high) for _ in range(columns)] for _ in range(rows)]

    def _take_inputs(self, make):
        self.x = [make() for _ in range(self.streams)] if self.streams else make()
        return self.x

    def inputs(self, low=-1.5, high=1.5):
        """Inputs between low and high, [ticks][n_in] (of several streams [streams][ticks][n_in])."""
        return self._take_inputs(
            lambda: self.matrix(self.ticks, self.n_in, int(low * 256), int(high * 256)))

    def spikes(self, share=0.3):
        """Inputs 0 or 1."""
        return self._take_inputs(lambda: [[float(self.random.random() < share) for _ in range(self.n_in)]
                                          for _ in range(self.ticks)])

    def weights(self, low=-0.5, high=0.5):
        """Initial weights [n_out][n_in]; what is returned may be changed."""
        return self.given_weights(self.matrix(self.n_out, self.n_in, int(low * 256), int(high * 256)))

    def given_weights(self, w):
        self.w = [list(row) for row in w]
        return [list(row) for row in w]

    def given_inputs(self, x):
        self.x = [list(row) for row in x]
        return self.x

    def signal(self, name, low=-1.0, high=1.0):
        """A number of the layer from outside, [ticks]."""
        values = [self.draw(int(low * 256), int(high * 256)) for _ in range(self.ticks)]
        return self.given_signal(name, values)

    def given_signal(self, name, values):
        self.signals[name] = ("layer", values)
        return values

    def neuron_signal(self, name, low=-1.0, high=1.0):
        """A number of each neuron from outside, [ticks][n_out]."""
        values = self.matrix(self.ticks, self.n_out, int(low * 256), int(high * 256))
        return self.given_neuron_signal(name, values)

    def given_neuron_signal(self, name, values):
        self.signals[name] = ("neuron", values)
        return values

    def labels(self, name, missing=0.0):
        """A class for each tick, -1 where there is none; every class comes up within the first ticks.
        The signal is 1 for the neuron of the class, else 0."""
        values = [t if t < self.n_out else
                  -1 if self.random.random() < missing else int(self.random.random() * self.n_out)
                  for t in range(self.ticks)]
        self.signals[name] = ("labels", values)
        return values

    def trials(self, starts):
        self.trial_start = list(starts)
        return self.trial_start

    def learns_until(self, ticks):
        """From this tick on nothing learns."""
        self.learning_ticks = ticks
        return ticks

    # ------------------------------------------------------------------ decisions

    def above(self, a, b, scale=0.0):
        """a > b, and no close call.  `scale` is the size of what a and b are computed from: a sum that is near
        0 by cancellation is near."""
        if a == b and exact(a):
            return False
        size = max(abs(a), abs(b), scale)
        distance = abs(a - b) / size if size > 0 else 0.0
        if distance < CLOSEST:
            raise TooClose
        self.closest = min(self.closest, distance)
        return a > b

    def rank(self, a):
        """How many numbers are larger; of equal ones the lower index is ahead."""
        places = []
        for i in range(len(a)):
            ahead = 0
            for k in range(len(a)):
                if k == i:
                    continue
                larger = self.above(a[k], a[i])
                if larger or (a[k] == a[i] and k < i):
                    ahead += 1
            places.append(ahead)
        return places

    def winner(self, a):
        """Index of the largest number."""
        return self.rank(a).index(0)

    def drew(self, call, t, numbers):
        """Notes the random numbers of neurons at tick t, which the call-th draw of the text has drawn."""
        made = self.draws.setdefault(call, [])
        assert t == len(made)
        made.append(numbers)
        return list(numbers)

    # ------------------------------------------------------------------ what comes out

    def tick(self, t, y, w, memory=None, traces=None, e=None):
        """Ends tick t (counted from 0).  Of several streams y, memory, traces and e are lists of theirs."""
        assert t == len(self.y)
        self.y.append(copied(y))
        if t + 1 not in self.kept_ticks:
            return
        found = {"weights": copied(w)}
        for name, value in (memory or {}).items():
            found["memory/" + name] = copied(value)
        for name, value in (traces or {}).items():
            found["trace/" + name] = copied(value)
        if e is not None:
            found["eligibility"] = copied(e)
        for name, value in found.items():
            self.kept.setdefault(name, []).append(value)

    def finish(self, name):
        assert len(self.y) == self.ticks, name
        assert self.x is not None and self.w is not None, name
        for values in self.kept.values():
            assert len(values) == len(self.kept_ticks), name
        assert set(self.said["traces"]) == {
            kept.split("/")[1] for kept in self.kept if kept.startswith("trace/")}, name
        largest = max(abs(number) for values in [self.y, *self.kept.values()] for number in flat(values))
        assert largest < 1e6, f"{name}: numbers grow up to {largest}"


def exact(a):
    """Whether a is a number that every program gets to the last bit: few digits, as sums and products
    of few exact inputs have."""
    return abs(a) <= 64 and a * 2**16 == int(a * 2**16)


def copied(value):
    return [copied(each) for each in value] if isinstance(value, list) else float(value)


def flat(value):
    if isinstance(value, list):
        for each in value:
            yield from flat(each)
    else:
        yield value


# ---------------------------------------------------------------------- sums that every case has

def dot(a, b):
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


def size(a, b):
    """What w . x is computed from: the sum of |a_j b_j|."""
    total = 0.0
    for j in range(len(a)):
        total += abs(a[j] * b[j])
    return total


def drives(w, x):
    """z_i = w_i . x"""
    return [dot(row, x) for row in w]


def decayed(trace, tau, x):
    """trace <- exp(-1/tau) trace + x"""
    return [math.exp(-1 / tau) * trace[j] + x[j] for j in range(len(x))]
