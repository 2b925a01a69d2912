#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens the index of a sweep as its readers do, with xarray and h5py, from another folder and after
the results have been moved.  Exits with 77 where they are not installed.

    sweep_elsewhere.py GAIA SOURCE_DIR WORK_DIR
"""
import os
import pathlib
import subprocess
import sys

from by_gaia import emptied, need

need("h5py", "xarray", "h5netcdf")
import h5py
import numpy as np
import xarray as xr

gaia, source, work = sys.argv[1], pathlib.Path(sys.argv[2]), emptied(sys.argv[3])
subprocess.run([gaia, "sweep", source / "experiments/sweep_oja_rate.yaml", "--output", work / "made",
                "--quiet", "--jobs", "2", "--set", "data.steps=400", "--set",
                "hierarchy.levels[0].layers[0].homeostasis=none"], check=True)
(work / "made").rename(work / "moved")
os.chdir("/")
index = work / "moved/index.h5"

table = xr.open_dataset(index, engine="h5netcdf")
assert dict(table.sizes) == {"member": 15}, table.sizes
assert table.learning_rate.dims == ("member",) and table.seed.dtype == "int64"
assert list(table.seed.values[:4]) == [7, 8, 9, 7]
assert set(table.status.values) == {"complete"}
frame = table.to_dataframe().groupby("learning_rate").first_component_nrmse.mean()
assert len(frame) == 5 and frame.notna().all()
assert table.learning_rate.attrs["long_name"] == "hierarchy.levels[0].layers[0].learning_rate"

with h5py.File(index) as file:
    groups = []
    file.visititems(lambda name, item: groups.append(name) if isinstance(item, h5py.Group) else None)
    seen = file["levels/0/representation"]
    assert seen.is_virtual and seen.shape == (15, 40, 1)
    seen = seen[...]
for member in range(15):
    with h5py.File(work / f"moved/member-{member:05}.h5") as file:
        assert np.array_equal(seen[member], file["levels/0/representation"][...])
        assert file["sweep"].attrs["member"] == member
        assert file["sweep"].attrs["seed"] == 7 + member % 3
for group in groups:
    opened = xr.open_dataset(index, engine="h5netcdf", group=group)
    phony = [name for name in opened.dims if "phony" in name]
    assert not phony, (group, phony)
    opened.load()
level = xr.open_dataset(index, engine="h5netcdf", group="levels/0")
assert level.representation.dims == ("member", "step", "neuron")
assert list(level.step.values[:3]) == [0, 10, 20]
print(table)
