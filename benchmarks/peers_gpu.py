#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch, CuPy and NumPy on what gpu_benchmark measures: same names, same sizes, same way of timing.

    peers_gpu.py [--gpu] [--peer NAME]... [--beside GPU_BENCHMARK.json]... [--json FILE]
                 [--filter TEXT] [--repeats N] [--seconds S] [--max-time S] [--quick] [--list]
    peers_gpu.py --measured PEERS.json... [--beside GPU_BENCHMARK.json]...

Every call is timed on its own, from an idle device until the device is idle again, after three calls
of warm-up; medians count.  float32 throughout, without TF32 (TF32 or bfloat16 where the name says
so).
Libraries that are not installed are left out; with --gpu those that do not reach a GPU too (77 if none
does).  The file of --json holds each case as soon as it is measured; --measured makes one table of
several such files and measures nothing.  --beside prints gaia's times from the JSON of gpu_benchmark
in the same table.  The exit code is 1 where the device was lost on the way, or --max-time was over:
what was measured is kept, and the last lines name what was not.
"""

import argparse
import json
import math
import re
import sys
import time

from peers_harness import measure, record

class NumPy:
    """The operations by NumPy; CuPy has the same names."""

    on_gpu = False

    def __init__(self):
        import numpy
        self.np = numpy
        self.version = "NumPy " + numpy.__version__
        self.generator = numpy.random.default_rng(1)

    def synchronize(self):
        pass

    def normal(self, *shape):
        return self.np.asarray(self.generator.standard_normal(shape, dtype="float32"))

    def operations(self, name, sizes):
        """The operation `name` at these sizes as a function without arguments, or None."""
        np = self.np
        if name == "zeros":
            # calloc gives pages that are not there yet: fill them.
            return lambda: np.full(sizes, 0, dtype="float32")
        if name == "random_normal":
            return lambda: self.normal(*sizes)
        if name in ("matmul", "dot", "add"):
            a, b = self.normal(*sizes), self.normal(*sizes)
            return {"matmul": lambda: a @ b, "dot": lambda: np.dot(a, b), "add": lambda: a + b}[name]
        if name == "outer":
            a, b = self.normal(sizes[0]), self.normal(sizes[0])
            return lambda: np.outer(a, b)
        x = self.normal(*sizes)
        if name == "relu":
            return lambda: np.maximum(x, 0)
        if name == "norm":
            return lambda: np.linalg.norm(x)
        if name == "gelu":
            return lambda: self.gelu(x)
        if name == "linear_gelu":
            rows, inputs, outputs = sizes
            x, w, b = self.normal(rows, inputs), self.normal(outputs, inputs), self.normal(outputs)
            return lambda: self.gelu(x @ w.T + b)
        if name == "layer_norm":
            w, b = self.normal(sizes[1]), self.normal(sizes[1])
            return lambda: self.layer_norm(x, w, b)
        return None

    def gelu(self, x):
        return 0.5 * x * (1 + self.np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))

    def layer_norm(self, x, w, b):
        centred = x - x.mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        return centred / self.np.sqrt(variance + 1e-5) * w + b


class CuPy(NumPy):
    on_gpu = True

    def __init__(self):
        import cupy
        if cupy.cuda.runtime.getDeviceCount() == 0:
            raise RuntimeError("CuPy sees no GPU")
        self.np = cupy
        self.version = "CuPy " + cupy.__version__
        self.generator = cupy.random.default_rng(1)

    def synchronize(self):
        self.np.cuda.get_current_stream().synchronize()


class Torch:
    way = None  # which of PyTorch's ways a subclass takes
    needs_gpu = False

    def __init__(self):
        import torch
        self.torch = torch
        self.on_gpu = torch.cuda.is_available()
        self.device = "cuda" if self.on_gpu else "cpu"
        if self.needs_gpu and not self.on_gpu:
            raise RuntimeError("it needs a GPU")
        self.version = f"PyTorch {torch.__version__} on {self.device}"
        if self.way is not None:
            self.version += f" by {self.way}"
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)

    def synchronize(self):
        if self.on_gpu:
            self.torch.cuda.synchronize()

    def normal(self, *shape):
        return self.torch.randn(*shape, device=self.device)

    def with_tf32(self, operation):
        def call():
            self.torch.backends.cuda.matmul.allow_tf32 = True
            try:
                return operation()
            finally:
                self.torch.backends.cuda.matmul.allow_tf32 = False
        return call

    def operations(self, name, sizes):
        torch = self.torch
        functional = torch.nn.functional
        if name == "zeros":
            return lambda: torch.zeros(*sizes, device=self.device)
        if name == "random_normal":
            return lambda: self.normal(*sizes)
        if name.endswith("_tf32"):
            return self.with_tf32(self.operations(name[:-len("_tf32")], sizes))
        if name == "matmul_bfloat16":
            a, b = (self.normal(*sizes).to(torch.bfloat16) for _ in range(2))
            return lambda: a @ b
        if name in ("matmul", "dot", "add"):
            a, b = self.normal(*sizes), self.normal(*sizes)
            return {"matmul": lambda: a @ b, "dot": lambda: torch.dot(a, b),
                    "add": lambda: a + b}[name]
        if name == "outer":
            a, b = self.normal(sizes[0]), self.normal(sizes[0])
            return lambda: torch.outer(a, b)
        if name in ("attention", "attention_bfloat16"):
            qkv = self.queries_keys_values(name, sizes)
            return lambda: functional.scaled_dot_product_attention(*qkv)
        if name in ("attention_gradient", "attention_gradient_bfloat16"):
            qkv = self.queries_keys_values(name, sizes)
            return self.gradients(functional.scaled_dot_product_attention, qkv)
        if name == "layer_norm_gradient":
            x, w, b = self.normal(*sizes), self.normal(sizes[1]), self.normal(sizes[1])
            return self.gradients(lambda *xwb: functional.layer_norm(xwb[0], (sizes[1],), *xwb[1:]),
                                  [x, w, b])
        x = self.normal(*sizes)
        if name == "relu":
            return lambda: torch.relu(x)
        if name == "norm":
            return lambda: torch.linalg.vector_norm(x)
        if name == "gelu":
            return lambda: functional.gelu(x, approximate="tanh")
        if name == "linear_gelu":  # its two calls
            rows, inputs, outputs = sizes
            x, w, b = self.normal(rows, inputs), self.normal(outputs, inputs), self.normal(outputs)
            return lambda: functional.gelu(functional.linear(x, w, b), approximate="tanh")
        if name == "layer_norm":
            w, b = self.normal(sizes[1]), self.normal(sizes[1])
            return lambda: functional.layer_norm(x, (sizes[1],), w, b)
        return None

    def queries_keys_values(self, name, sizes):
        kind = self.torch.bfloat16 if name.endswith("bfloat16") else self.torch.float32
        return [self.normal(*sizes).to(kind) for _ in range(3)]

    def gradients(self, function, inputs):
        """All gradients of a function whose forward pass is done before."""
        torch = self.torch
        inputs = [x.requires_grad_() for x in inputs]
        with torch.enable_grad():
            y = function(*inputs)
        dy = torch.randn_like(y)
        return lambda: torch.autograd.grad(y, inputs, dy, retain_graph=True)


class TorchAttention(Torch):
    """Attention by one of PyTorch's ways alone."""

    def operations(self, name, sizes):
        if not name.startswith("attention"):
            return None
        from torch.nn.attention import SDPBackend, sdpa_kernel
        way = getattr(SDPBackend, self.way)
        with sdpa_kernel(way):  # gradients run forward here
            operation = super().operations(name, sizes)

        def call():
            with sdpa_kernel(way):
                return operation()
        return call


class TorchMath(TorchAttention):
    """Attention as PyTorch computes it without kernels for it: products and a softmax."""

    way = "MATH"


class TorchFlash(TorchAttention):
    way = "FLASH_ATTENTION"
    needs_gpu = True


class TorchCudnn(TorchAttention):
    way = "CUDNN_ATTENTION"
    needs_gpu = True


class TorchEpilogue(Torch):
    """linear_gelu in one call, whose product ends with the gelu."""

    way = "_addmm_activation"
    needs_gpu = True

    def operations(self, name, sizes):
        if name.endswith("_tf32"):
            operation = self.operations(name[:-len("_tf32")], sizes)
            return None if operation is None else self.with_tf32(operation)
        if name != "linear_gelu":
            return None
        rows, inputs, outputs = sizes
        x, w, b = self.normal(rows, inputs), self.normal(outputs, inputs), self.normal(outputs)
        return lambda: self.torch._addmm_activation(b, x, w.t(), use_gelu=True)


class TorchCompiled(Torch):
    """What torch.compile makes of what takes several of PyTorch's kernels."""

    way = "torch.compile"
    needs_gpu = True

    def operations(self, name, sizes):
        if name not in ("gelu", "linear_gelu", "layer_norm"):
            return None
        return self.torch.compile(super().operations(name, sizes))


class DeltaNet(Torch):
    """flash-linear-attention's delta rule, chunk by chunk, in bfloat16, the dtype that it takes.

    A layer of n inputs and m outputs is n m / 128^2 heads of 128 keys and 128 values: as many
    weights that change in as many steps.  The rule is another one, linear in its state.
    """

    way = "flash-linear-attention's chunk_delta_rule in bfloat16"
    needs_gpu = True

    def __init__(self):
        from fla.ops.delta_rule import chunk_delta_rule
        super().__init__()
        self.rule = chunk_delta_rule

    def operations(self, name, sizes):
        if name != "plastic_chunkwise":
            return None
        torch = self.torch
        inputs, outputs, steps = sizes
        heads = inputs * outputs // 128**2
        q, k, v = (self.normal(1, steps, heads, 128).to(torch.bfloat16) for _ in range(3))
        k = torch.nn.functional.normalize(k, dim=-1)  # or the state grows without end
        beta = torch.rand(1, steps, heads, device=self.device).to(torch.bfloat16)
        return lambda: self.rule(q=q, k=k, v=v, beta=beta, output_final_state=True)


LIBRARIES = {"numpy": NumPy, "torch": Torch, "torch_math": TorchMath, "torch_flash": TorchFlash,
             "torch_cudnn": TorchCudnn, "torch_epilogue": TorchEpilogue,
             "torch_compiled": TorchCompiled, "fla": DeltaNet, "cupy": CuPy}


SMALL = """
    zeros/1000x1000 random_normal/1000x1000 matmul/1000x1000 relu/1000x1000 norm/1000x1000
    add/1000x1000 dot/1000 outer/1000 gelu/1024x512 linear_gelu/128x512x768 layer_norm/128x768
    attention/4x8x512x64""".split()
LARGE = """
    zeros/8192x8192 random_normal/8192x8192 relu/8192x8192 norm/8192x8192 add/8192x8192
    matmul/4096x4096 matmul_tf32/4096x4096 matmul_bfloat16/4096x4096 dot/4194304 outer/8192
    gelu/65536x1024 linear_gelu/8192x1024x4096 linear_gelu_tf32/8192x1024x4096
    layer_norm/65536x1024 layer_norm_gradient/65536x1024
    attention_gradient/4x16x2048x64 attention_gradient/4x16x2048x128
    attention_gradient_bfloat16/1x8x8192x64 attention_gradient_bfloat16/1x8x8192x128
    attention/4x16x2048x64 attention/4x16x2048x128
    attention_tf32/4x16x2048x64 attention_tf32/4x16x2048x128
    attention_bfloat16/4x16x2048x64 attention_bfloat16/4x16x2048x128
    attention_bfloat16/1x8x8192x64 attention_bfloat16/1x8x8192x128
    plastic/chunkwise/1024x4096/steps:1000 plastic/chunkwise/2048x8192/steps:500""".split()


def cases(quick):
    """Names of gpu_benchmark, with operation and sizes: the words and the numbers of a name."""
    found = []
    for name in SMALL if quick else SMALL + LARGE:
        parts = [(part, re.fullmatch(r"(steps:)?[0-9x]+", part)) for part in name.split("/")]
        words = [part for part, is_size in parts if not is_size]
        sizes = [int(n) for part, is_size in parts if is_size for n in re.findall("[0-9]+", part)]
        found.append((name, "_".join(words), tuple(sizes)))
    return found


def open_libraries(names, must_reach_gpu):
    found, missing = {}, []
    for name in names or LIBRARIES:
        try:
            library = LIBRARIES[name]()
        except Exception as error:  # not installed, or without its driver
            missing.append(f"{name}: left out, {error}")
            continue
        if must_reach_gpu and not library.on_gpu:  # it would say nothing of the GPU
            missing.append(f"{name}: left out, it reaches no GPU here")
            continue
        found[name] = library
    if not found:
        print("\n".join(missing))
        sys.exit(77)
    for line in missing:
        print(line, file=sys.stderr)
    return found


def gaia_times(path):
    """Medians in seconds: by name, and by "cpu" or "gpu"."""
    if not path:
        return {}
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["benchmarks"]
    times = {}
    for row in rows:
        if "real_time" in row:
            column = "cpu" if row["device"] == "cpu" else "gpu"
            times.setdefault(row["run_name"], {})[column] = row["real_time"] * 1e-3
    return times


def print_table(rows, columns):
    print("gaia beside its peers, medians in ms")
    print(f"{'':34}" + "".join(f"{column:>12}" for column in columns))
    for name, values in rows:
        cells = (values.get(column) for column in columns)
        print(f"{name:34}" + "".join(f"{'-' if value is None else f'{value * 1e3:.4g}':>12}"
                                     for value in cells))


def is_lost(library):
    """Whether the device answers no more: an error of CUDA that stays, for this process."""
    try:
        library.synchronize()
        return False
    except Exception:
        return True


def show_measured(paths, beside):
    """One table of what several processes have measured."""
    records = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            records += json.load(file)["benchmarks"]
    rows, versions = {}, {}
    for each in records:
        key = each["name"][len(each["run_name"]) + 1:]
        versions[key] = each["library"]
        rows.setdefault(each["run_name"], {})[key] = each["real_time"] * 1e-3
    for name, values in rows.items():
        values.update({"gaia " + column: value for column, value in beside.get(name, {}).items()})
    order = [name for name, _, _ in cases(False) if name in rows]
    order += [name for name in rows if name not in order]
    print_table([(name, rows[name]) for name in order],
                (["gaia cpu", "gaia gpu"] if beside else []) + list(versions))
    print("\n".join(versions.values()))


def write_json(records, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"context": {"executable": "peers_gpu.py"}, "benchmarks": records}, file, indent=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--peer", action="append", choices=sorted(LIBRARIES))
    parser.add_argument("--beside", action="append", default=[])
    parser.add_argument("--json")
    parser.add_argument("--filter", default="")
    parser.add_argument("--repeats", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--max-time", type=float, default=math.inf)
    parser.add_argument("--measured", action="append", default=[])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    chosen = [case for case in cases(arguments.quick) if arguments.filter in case[0]]
    if arguments.list:
        print("\n".join(name for name, _, _ in chosen))
        return
    beside = {}
    for path in arguments.beside:
        beside.update(gaia_times(path))
    if arguments.measured:
        show_measured(arguments.measured, beside)
        return
    libraries = open_libraries(arguments.peer, arguments.gpu)
    begin, left_out, lost = time.perf_counter(), [], ""
    rows, records = [], []
    for name, operation_name, sizes in chosen:
        if lost or time.perf_counter() - begin > arguments.max_time:
            left_out.append(name)
            continue
        values = {"gaia " + column: value for column, value in beside.get(name, {}).items()}
        for key, library in libraries.items():
            try:
                operation = library.operations(operation_name, sizes)
                if operation is None:
                    continue
                for _ in range(3):  # of warm-up
                    operation()
                measured = measure(operation, arguments.repeats, arguments.seconds,
                                   synchronize=library.synchronize)
            except Exception as error:  # out of memory, a function that this version lacks
                print(f"{name} by {key}: {error}", file=sys.stderr)
                if is_lost(library):
                    lost = f"{name} by {key}"
                    break
                continue
            records.append(record(f"{name}/{key}", *measured, "ms", run_name=name,
                                  library=library.version))
            values[key] = records[-1]["real_time"] * 1e-3
            operation = None
        rows.append((name, values))
        if arguments.json:  # as far as it has come, should it be cut off
            write_json(records, arguments.json)
    columns = (["gaia cpu", "gaia gpu"] if beside else []) + list(libraries)
    print_table(rows, columns)
    for library in libraries.values():
        print(library.version)
    if arguments.json:
        write_json(records, arguments.json)
    if lost:
        print(f"the device was lost at {lost}")
    if left_out:
        print("not measured: " + ", ".join(left_out))
    if lost or left_out:
        sys.exit(1)


if __name__ == "__main__":
    main()
