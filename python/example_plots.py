#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A result of gaia in matplotlib, cell by cell (editors that know `# %%` run them like a notebook).

    gaia run experiments/ecg.yaml
    python3 python/example_plots.py results/ecg.h5 ecg.png
"""
# %% Open a result
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # no window; leave this out in a notebook
import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import gaia_results

source = sys.argv[1] if len(sys.argv) > 1 else "results/ecg.h5"
picture = sys.argv[2] if len(sys.argv) > 2 else "ecg.png"
run = gaia_results.open(source)
print(run)
print(run.scores().to_dataframe().round(3))

# %% Representations of all levels on one axis of time, in the middle of the run
begin = run.steps_done // 2
stretch = slice(begin, begin + 1000)
levels = run.levels
figure, panels = plt.subplots(len(levels) + 2, 1, figsize=(10, 2 * len(levels) + 5), constrained_layout=True)
for panel, index in zip(panels, levels):
    shown = run.expanded(index).isel(step=stretch)
    largest = float(np.quantile(np.abs(shown), 0.98)) or 1.0
    x = "time" if "time" in shown.coords else "step"
    shown.plot(ax=panel, x=x, y="neuron", cmap="RdBu_r", vmin=-largest, vmax=largest)
    panel.set_title(f"level {index}, a tick every {run.level(index).attrs['temporal_resolution']} steps")

# %% A readout beside its target
if run.readouts:
    name = run.readouts[0]
    readout = run.readout(name)
    part = readout.isel(step=slice(0, 1000))
    horizon = readout.attrs["target_horizon"]
    panels[-2].plot(part.step + horizon, part.target, color="0.7", linewidth=2, label="target")
    panels[-2].plot(part.step + horizon, part.prediction, label="prediction")
    panels[-2].set_title(f"{name}: R² {readout.attrs['r2']:.3f}, {readout.attrs['baseline']} "
                         f"{readout.attrs['baseline_r2']:.3f}")
    panels[-2].legend()

# %% Learning curves
for index in levels:
    run.metrics().weight_change.sel(level=index).plot(ax=panels[-1], label=f"level {index}")
panels[-1].set_yscale("log")
panels[-1].set_title("change of the weights per block")
panels[-1].legend()

# %% Save
figure.savefig(picture, dpi=120)
run.close()
print(picture)
