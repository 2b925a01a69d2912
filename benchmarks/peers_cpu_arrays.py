# SPDX-License-Identifier: MIT
"""Functions of arrays, products, order, reductions, copies and images: a row of a table for each.

An operation has its inputs here, of the same limits as there.  The calls that answer it are NumPy's
in peers_cpu_arrays_numpy.py, of which the first gives the reference in float64, and PyTorch's in
peers_cpu_arrays_torch.py.  Operations on lanes run along every row or column where their names end
with _rows or _columns.
"""

import dataclasses
import math

import numpy as np

import peers_cpu_arrays_numpy
from peers_cpu_arrays_numpy import Out
from peers_harness import Way, relative_error, sizes_of

DISTINCT = 1000  # of unique


@dataclasses.dataclass
class Problem:
    """What a case's name says."""
    operation: str
    sizes: list
    dtype: str
    axis: int = 0

    @property
    def count(self):
        return math.prod(self.sizes)


# ------------------------------------------------------------------------------------ the inputs

def numbers(low, high):
    return lambda problem, generator: [uniform(generator, problem.sizes, problem.dtype, low, high)]


def pairs(low_a, high_a, low_b, high_b):
    return lambda problem, generator: [
        uniform(generator, problem.sizes, problem.dtype, *limits)
        for limits in ((low_a, high_a), (low_b, high_b))]


def uniform(generator, shape, dtype, low=-2.0, high=2.0):
    """Draws evenly from low to high; bool is true with the probability (low + high) / 2."""
    if dtype == "bool":
        return generator.random(shape) < (low + high) / 2
    if dtype == "int64":
        return generator.integers(int(low), int(high), shape)
    return generator.uniform(low, high, shape).astype(dtype)


def arrays(*shapes):
    """Numbers in the shapes that functions make of the sizes; "places" are indices below the first
    size, "mask" is one."""
    def make(problem, generator):
        made = []
        for shape in shapes:
            kind, shape = shape if isinstance(shape, tuple) else ("numbers", shape)
            shape = shape(*problem.sizes)
            if kind == "places":
                made.append(uniform(generator, shape, "int64", 0, problem.sizes[0]))
            elif kind == "mask":
                made.append(uniform(generator, shape, "bool", 0, 1))
            else:
                made.append(uniform(generator, shape, problem.dtype))
        return made
    return make


def same(*sizes):
    return sizes


def rows_with_weights(problem, generator):
    """A matrix, and the weight 2 and the bias 1 of each column."""
    columns = problem.sizes[1]
    return [uniform(generator, problem.sizes, problem.dtype),
            np.full(columns, 2, problem.dtype), np.full(columns, 1, problem.dtype)]


def lanes(low, high, low_int=-1000, high_int=1000):
    return lambda problem, generator: [uniform(
        generator, problem.sizes, problem.dtype,
        *((low_int, high_int) if problem.dtype == "int64" else (low, high)))]


def sorted_and_numbers(problem, generator):
    (n,) = problem.sizes
    return [np.sort(uniform(generator, n // 100, problem.dtype)),
            uniform(generator, n, problem.dtype)]


def roots(problem, generator):
    with np.errstate(invalid="ignore"):
        return [np.sqrt(uniform(generator, problem.sizes, problem.dtype, -1, 1))]


UNARY = {"exp": (-3, 3), "tanh": (-3, 3), "gelu": (-3, 3), "relu": (-3, 3),
         "sin": (-10, 10), "cos": (-10, 10), "tan": (-1.5, 1.5), "exp2": (-10, 10),
         "expm1": (-2, 2), "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100),
         "log1p": (-0.9, 10), "sqrt": (0, 100), "arcsin": (-1, 1), "arccos": (-1, 1),
         "arctan": (-10, 10), "sinh": (-5, 5), "cosh": (-5, 5), "arcsinh": (-10, 10),
         "arccosh": (1, 10), "arctanh": (-0.99, 0.99), "erf": (-3, 3), "sigmoid": (-8, 8),
         "softplus": (-8, 8), "silu": (-8, 8), "elu": (-4, 4), "floor": (-10, 10),
         "abs": (-10, 10), "clip": (-2, 2)}
BINARY = {"add": (-2, 2, -2, 2), "scale_shift": (-2, 2, -2, 2),
          "scale_shift_in_place": (-2, 2, -2, 2),
          "multiply": (-2, 2, -2, 2), "divide": (-2, 2, 0.5, 2), "power": (0.1, 4, -3, 3),
          "maximum": (-2, 2, -2, 2), "remainder": (-100, 100, 0.5, 10),
          "fmod": (-100, 100, 0.5, 10), "floor_divide": (-100, 100, 0.5, 10),
          "arctan2": (-2, 2, -2, 2), "hypot": (-2, 2, -2, 2), "logaddexp": (-8, 8, -8, 8),
          "greater": (-2, 2, -2, 2), "logical_and": (0, 1, 0, 1)}
LANES = {"sort": (0.5, 1.5, -10 ** 12, 10 ** 12), "argsort": (0.5, 1.5), "median": (0.5, 1.5),
         "top_k": (0.5, 1.5), "sum": (0.5, 1.5), "mean": (0.5, 1.5), "prod": (0.999, 1.001),
         "max": (0.5, 1.5), "argmax": (0.5, 1.5), "std": (0.5, 1.5), "norm": (0.5, 1.5),
         "logsumexp": (0.5, 1.5), "cumsum": (0.5, 1.5), "count_nonzero": (0, 1), "any": (0, 0),
         "all": (1, 1)}
ROW = ("places", lambda rows, columns: (rows,))
PLACES = ("places", same)
MASK = ("mask", same)


def quarter(n):
    return n // 4


def in_turn(problem, generator):
    return [np.arange(problem.count)]


def shuffled_places(problem, generator):
    """Each place once: of one that came twice, libraries keep different values."""
    return [uniform(generator, problem.sizes, problem.dtype),
            generator.permutation(problem.count),
            uniform(generator, problem.sizes, problem.dtype)]


INPUTS = {
    **{name: numbers(*limits) for name, limits in UNARY.items()},
    **{name: pairs(*limits) for name, limits in BINARY.items()},
    **{name: lanes(*limits) for name, limits in LANES.items()},
    "softmax": numbers(-2, 2), "transpose": numbers(-2, 2), "layer_norm": rows_with_weights,
    "matmul": arrays(lambda m, k, n: (m, k), lambda m, k, n: (k, n)),
    "gemv": arrays(same, lambda m, k: k), "outer": arrays(lambda m, n: m, lambda m, n: n),
    "isnan": roots, "where": arrays(MASK, same, same),
    "unique": lanes(0, 0, 0, DISTINCT), "searchsorted": sorted_and_numbers,
    "permutation": in_turn, "copy": arrays(same), "fill": arrays(same),
    "copy_reversed": arrays(same), "copy_every_second": arrays(same), "roll": arrays(same),
    "stack": arrays(lambda n: n // 2, lambda n: n // 2), "repeat": arrays(quarter),
    "tile": arrays(quarter), "take": arrays(same, PLACES), "masked_select": arrays(same, MASK),
    "masked_fill": arrays(same, MASK), "nonzero": numbers(0, 1),
    "index_assign": shuffled_places,
    "concatenate_rows": arrays(*[lambda m, n: (m // 2, n)] * 2),
    "concatenate_columns": arrays(*[lambda m, n: (m, n // 2)] * 2),
    "stack_columns": arrays(*[lambda m, n: (m, n // 2)] * 2),
    "take_rows": arrays(same, ROW), "take_columns": arrays(same, ROW),
    "take_along_rows": arrays(same, PLACES), "take_along_columns": arrays(same, PLACES),
    "add_row": arrays(same, lambda m, n: n), "add_column": arrays(same, lambda m, n: (m, 1)),
    "add_transposed": arrays(same, same), "tril": arrays(same),
    "index_add": arrays(same, ROW, same), "scatter_add": arrays(same, PLACES, same),
    **{f"astype_{name}": lambda problem, generator: [
        uniform(generator, problem.sizes, problem.dtype,
                *((0, 1) if problem.dtype == "bool" else (-1000, 1000)))]
       for name in ("float32", "float64", "int64")},
    "bmm": arrays(same, same), "einsum": arrays(same, same),
    "conv1d": arrays(lambda b, i, o, n, k: (b, i, n), lambda b, i, o, n, k: (o, i, k)),
    "conv2d": arrays(lambda b, i, o, n, k: (b, i, n, n), lambda b, i, o, n, k: (o, i, k, k)),
    "max_pool2d": arrays(same), "avg_pool2d": arrays(same),
    "convolve": arrays(lambda n, k: n, lambda n, k: k),
}


# References where NumPy has none.
REFERENCES = {"erf": np.vectorize(math.erf)}

# Tolerances of float32; sums in the order of the numbers lose more than others.
TOLERANCES = {"cumsum": 1e-3, "prod": 1e-3}


# --------------------------------------------------------------------------------- cases and ways

def problem_of(operation, sizes, dtype="float32"):
    """Problem of a case, or None where it is none of these."""
    axis = 0
    for ending, along in (("_rows", 1), ("_columns", 0)):
        if operation.removesuffix(ending) in LANES:
            operation, axis = operation.removesuffix(ending), along
    return Problem(operation, sizes_of(sizes), dtype, axis) if operation in INPUTS else None


def comparable(problem, answer, inputs):
    """The answer, or what has to be equal where several answers are right."""
    answer = np.asarray(answer)
    if problem.operation == "argsort":
        return np.take_along_axis(inputs[0], answer, problem.axis)
    if problem.operation == "argmax":
        places = np.expand_dims(answer, problem.axis)
        return np.take_along_axis(inputs[0], places, problem.axis).squeeze(problem.axis)
    return np.sort(answer) if problem.operation == "permutation" else answer


def ways(library, problem):
    inputs = INPUTS[problem.operation](problem, library.generator)
    precise = [one.astype("float64") if one.dtype == "float32" else one.copy() for one in inputs]
    lane = {"axis": problem.axis} if problem.operation in LANES else {}
    name = problem.operation
    reference = REFERENCES.get(name) or peers_cpu_arrays_numpy.CALLS[name][0]
    reference = reference.function if isinstance(reference, Out) else reference
    wanted = comparable(problem, reference(*precise, **lane), inputs).astype("float64")
    tolerance = {"float32": TOLERANCES.get(name, 5e-5), "float64": 1e-12}.get(
        problem.dtype, 0.0)

    def way(function, **more):
        # Operands of its own: some functions write to them.
        operands = [library.here(one.copy()) for one in inputs]

        def run():
            return function(*operands, **lane, **more)

        return Way(run, lambda: relative_error(comparable(problem, run(), inputs), wanted),
                   tolerance)

    made = []
    for call in library.calls.get(name, []):
        if isinstance(call, Out):
            made.append(way(call.function))
            answer = call.function(*[library.here(one.copy()) for one in inputs], **lane)
            if not isinstance(answer, np.generic):  # NumPy's single numbers are no arrays
                made.append(way(call.function, out=answer))
        else:
            made.append(way(call))
    return made
