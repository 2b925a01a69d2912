# SPDX-License-Identifier: MIT
"""What the guides to gaia's predecessors call otherwise, or find elsewhere: Cortex, GAIA 4, neural_arch and CuPy.

This folder stands at the end of gaia's own path, so that `gaia.core.gpu_utils` is guides/core/gpu_utils.py here; and a name
that gaia itself has not is looked for in the modules below.  Nothing of it is read before it is asked for.
docs/python.md lists what reads differently now.
"""
import importlib

# Name -> the module that has it.
HOMES = {
    "Backend": "backends",
    "HebbianCore": "layers.hebbian",
    "HierarchicalLevel": "hierarchy.level",
    "HierarchyManager": "hierarchy.manager",
    "KernelManager": "backends.cuda_kernels",
    "MemoryPool": "cuda",
    "ReactiveLayer": "layers.fixed",
    "TemporalLayer": "layers.fixed",
    "get_array_module": "backends",
    "get_backend": "backends",
    "get_cuda_kernel_manager": "backends.cuda_kernels",
    "get_default_memory_pool": "cuda",
}

# Modules that a program reaches as attributes, without importing them: cp.cuda.Stream.
MODULES = ("backend", "cuda")


def find(name):
    """What `name` stands for in gaia.  Raises AttributeError for a name that no guide has."""
    if name in HOMES:
        return getattr(importlib.import_module(f"gaia.{HOMES[name]}"), name)
    if name in MODULES:
        return importlib.import_module(f"gaia.{name}")
    raise AttributeError(f"module 'gaia' has no attribute {name!r}")
