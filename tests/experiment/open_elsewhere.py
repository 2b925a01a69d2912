#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens a results file as its readers do: with xarray and h5py where they are installed, else with
h5dump.  Exits with 77 where none of them is.

    open_elsewhere.py GAIA SOURCE_DIR WORK_DIR
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

from by_gaia import emptied

gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), emptied(sys.argv[3])
result = work / "ecg.h5"
subprocess.run([gaia, "run", source / "experiments/ecg.yaml", "--output", result, "--quiet", "--set",
                "data.steps=5000", "--set", "output.weights={every: 1000}", "--set", "output.inputs=all"],
               check=True)


def with_xarray():
    import h5py
    import xarray as xr

    groups = []
    with h5py.File(result) as file:
        file.visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) else None)
        assert file.attrs["status"] == "complete" and file.attrs["experiment"] == "ecg"
        assert isinstance(file.attrs["config"], str)
    for group in groups:
        opened = xr.open_dataset(result, engine="h5netcdf", group=group)
        phony = [name for name in opened.dims if "phony" in name]
        assert not phony, (group, phony)
        opened.load()
    level = xr.open_dataset(result, engine="h5netcdf", group="levels/1")
    assert level.representation.dims == ("step", "neuron")
    assert list(level.step.values[:3]) == [0, 4, 8]
    assert level.neuron.size == 32 and level.representation.shape == (1250, 32)
    assert "time" in level.coords and level.time.attrs["units"] == "s"
    assert abs(float(level.time[1]) - (4 + 31) / 360) < 1e-12
    assert level.representation.sel(neuron=3).mean("step").shape == ()
    history = xr.open_dataset(result, engine="h5netcdf", group="levels/1/layers/1/history")
    assert history.weights.dims == ("step", "neuron", "input")
    assert list(history.step.values) == [0, 1000, 2000, 3000, 4000, 5000]
    print(level)


def with_h5dump():
    def dump(*arguments):
        return subprocess.run(["h5dump", *arguments, str(result)], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    attributes = dump("-A", "-g", "/levels/1")
    for text in ('DATASET "representation"', 'DATASET "step"', 'DATASET "neuron"', "DIMENSION_LIST",
                 "DIMENSION_SCALE", '"temporal_resolution"'):
        assert text in attributes, text
    assert "( 1250, 32 ) / ( H5S_UNLIMITED, 32 )" in dump("-H", "-d", "/levels/1/representation")
    assert '"complete"' in dump("-a", "/status")


if all(importlib.util.find_spec(name) for name in ("h5py", "xarray", "h5netcdf")):
    with_xarray()
elif shutil.which("h5dump"):
    with_h5dump()
else:
    print("neither xarray with h5netcdf and h5py nor h5dump is installed")
    sys.exit(77)
if shutil.which("h5dump"):
    with_h5dump()
