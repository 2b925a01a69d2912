#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Computes all conformance vectors and writes them into one HDF5 file.

    make.py OUT.h5

The numbers come from plain loops in float64 (cases/*.py) that share nothing with gaia.  Two runs give the
same file; on another machine exp or tanh may round otherwise.  README.md describes the file.
"""
import os
import pathlib
import sys

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases import case as catalogue  # noqa: E402
from cases import competition, components, correlation, excitability, language, layer, limits, spikes, state, targets, draws  # noqa: E402,F401

# The first number is that of the layout, which run.py has to know; the second rises with every case that is added or
# corrected.  VERSIONS.md has the SHA-256 of the file of each.
VERSION = "1.0"


def all_cases():
    """Every entry with what it computed, in the order of the catalogue."""
    names = set()
    for entry in catalogue.CASES:
        assert entry.name not in names, entry.name
        names.add(entry.name)
        yield entry, entry.made()


def plain(kind):
    """How a file or group is laid out: attributes side by side, no times, so that two runs give the same bytes."""
    settings = h5py.h5p.create(kind)
    settings.set_obj_track_times(False)
    settings.set_attr_phase_change(1000, 0)
    return settings


def new_file(path):
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_V110, h5py.h5f.LIBVER_V110)
    return h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, plain(h5py.h5p.FILE_CREATE), access))


def new_group(parent, name):
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    return h5py.Group(h5py.h5g.create(parent.id, name.encode(), links, plain(h5py.h5p.GROUP_CREATE)))


def write(group, entry, made):
    said, attributes = entry.said, group.attrs
    attributes["family"] = entry.family
    attributes["rule"] = said["rule"]
    attributes["neuron"] = said["neuron"]
    attributes["equations"] = said["equations"]
    attributes["source"] = said["source"]
    attributes["note"] = entry.note
    attributes["seed"] = made.seed
    attributes["streams"] = made.streams
    attributes["activation"] = said.get("activation", "linear")
    attributes["memory_across_trials"] = int(said.get("memory_across_trials", False))
    attributes["learning_ticks"] = made.learning_ticks
    attributes["closest_decision"] = made.closest
    attributes["normalization"] = said.get("normalization", "none")
    if "bound" in said:
        attributes["bound"] = said["bound"]
    if "bounds" in said:
        attributes["bounds_low"], attributes["bounds_high"] = said["bounds"]
    if "homeostasis" in said:
        attributes["homeostasis_target"], attributes["homeostasis_strength"] = said["homeostasis"]
    for kind, prefix in (("parameters", "parameter_"), ("memory", "memory_"), ("traces", "trace_")):
        for name, value in said[kind].items():
            attributes[prefix + name] = value if isinstance(value, str) else float(value)

    new_group(group, "expected")
    for name in ("signal", "draw", "expected/memory", "expected/trace"):
        beside = {"signal": made.signals, "draw": made.draws}
        if beside[name] if name in beside else any(kept.startswith(name[9:]) for kept in made.kept):
            new_group(group, name)

    def keep(path, values, dtype=numpy.float64):
        group.create_dataset(path, data=numpy.array(values, dtype=dtype))

    keep("x", made.x)
    keep("weights_initial", made.w)
    keep("trial_start", made.trial_start, numpy.int64)
    for name, (kind, values) in made.signals.items():
        keep("signal/" + name, values, numpy.int64 if kind == "labels" else numpy.float64)
        group["signal/" + name].attrs["of"] = kind
    for call, values in made.draws.items():
        keep(f"draw/{call}", values)
    y = numpy.array(made.y)
    keep("expected/y", numpy.moveaxis(y, 1, 0) if made.streams else y)
    keep("expected/ticks", made.kept_ticks, numpy.int64)
    for name, values in made.kept.items():
        keep("expected/" + name, values)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    path = pathlib.Path(sys.argv[1])
    partial = path.with_name(path.name + ".partial")
    with new_file(partial) as file:
        file.attrs["title"] = "Vectors by which an implementation of local learning rules can be checked"
        file.attrs["layout"] = "conformance/README.md"
        file.attrs["version"] = VERSION
        file.attrs["closest_decision"] = catalogue.CLOSEST
        count = 0
        for entry, made in all_cases():
            write(new_group(file, entry.name), entry, made)
            count += 1
    os.replace(partial, path)
    print(f"{count} cases, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
