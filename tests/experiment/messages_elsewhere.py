#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs hierarchies whose levels send messages, and recomputes from each results file what it says of them:
steps, energies and representations that are kept, and the counts.  Exits with 1 where one differs (energies by
more than 1e-10 of themselves), with 77 where h5py or NumPy is missing.

    messages_elsewhere.py GAIA WORK_DIR
"""
import sys

from by_gaia import emptied, need, run, write_rows

need("h5py", "numpy")
import h5py
import numpy as np

gaia, work = sys.argv[1], emptied(sys.argv[2])

ROWS, CHANNELS, TRIAL = 300, 4, 75
rows = np.random.default_rng(7).normal(size=(ROWS, CHANNELS))
table = np.column_stack([rows, np.arange(ROWS) // TRIAL])
write_rows(work / "rows.csv", table, ",".join([f"x{c}" for c in range(CHANNELS)] + ["trial"]))

LEVEL = "    - {{temporal_resolution: {r}, phase: {phase}, pooling: mean, layers: [{{type: hebbian, size: {size}, " \
        "rule: oja, learning_rate: 0.01}}]}}\n"
EXPERIMENT = """experiment: messages
dtype: {dtype}
data:
  source: file
  path: rows.csv
  columns: [x0, x1, x2, x3]
{trials}
hierarchy:
  messages: {{keep: {keep}, every: {every}}}
  epochs: {epochs}
  levels:
{levels}output: {{path: result.h5}}
"""
CASES = [
    {"levels": [(1, 0, 3)], "keep": 5, "every": 3},
    {"levels": [(1, 0, 3), (4, 0, 2)], "keep": 8, "every": 1},
    {"levels": [(1, 0, 3), (4, 3, 2)], "keep": 100, "every": [16, 2]},
    {"levels": [(1, 0, 3), (4, 0, 2), (16, 0, 2), (16, 5, 2)], "keep": 6, "every": [10, 4, 2, 1]},
    {"levels": [(1, 0, 3), (4, 1, 2)], "keep": 40, "every": [7, 3], "trials": True},
    {"levels": [(1, 0, 3), (16, 0, 2)], "keep": 3, "every": 2, "epochs": 2},
    {"levels": [(1, 0, 3), (4, 0, 2)], "keep": 9, "every": 5, "dtype": "float32"},
]


def expected(step, sent, keep):
    """Which rows of the recorded ticks are kept, and how many were sent: a tick is sent where its number in its trial
    is a multiple of `sent`."""
    in_trial = step // (TRIAL if trials else ROWS)
    number = np.concatenate([np.arange(count) for count in np.unique(in_trial, return_counts=True)[1]])
    told = np.flatnonzero(number % sent == 0)
    return told[-keep:], len(told)


for case in CASES:
    trials, levels, keep = case.get("trials", False), case["levels"], case["keep"]
    dtype = case.get("dtype", "float64")
    trouble = run(gaia, work, EXPERIMENT.format(
        dtype=dtype, keep=keep, every=case["every"], epochs=case.get("epochs", 1),
        trials="  trials: {column: trial}" if trials else "",
        levels="".join(LEVEL.format(r=r, phase=phase, size=size) for r, phase, size in levels)))
    assert not trouble, trouble
    with h5py.File(work / "result.h5") as file:
        for n, (r, phase, size) in enumerate(levels):
            every = case["every"] if isinstance(case["every"], int) else case["every"][n]
            level = file[f"levels/{n}"]
            messages = level["messages"]
            step, shown = level["step"][()], level["representation"][()]
            assert (step % (TRIAL if trials else ROWS) % r == phase).all()
            kept, sent = expected(step, every, keep)
            where = f"{case}, level {n}"
            np.testing.assert_array_equal(messages["step"][()], step[kept], where)
            np.testing.assert_array_equal(messages["representation"][()], shown[kept], where)
            assert messages["representation"].dtype == dtype
            np.testing.assert_allclose(messages["energy"][()], (shown[kept].astype(float) ** 2).mean(axis=1), rtol=1e-10,
                                       err_msg=where)
            beside = (n > 0) + (n + 1 < len(levels))
            found = dict(messages.attrs)
            assert found["every"] == every and found["ticks"] == len(step) and found["sent"] == sent, where
            assert found["delivered"] == beside * sent, where
            assert found["message_bytes"] == beside * sent * size * np.dtype(dtype).itemsize, where
            assert found["memory_bytes"] >= shown[kept].nbytes, where
            assert found.get("parent") == (n + 1 if n + 1 < len(levels) else None), where
            assert found.get("child") == (n - 1 if n > 0 else None), where
            assert messages["representation"].dims[0][0].name == f"{messages.name}/step"
        assert file["metrics/seconds"].shape == (len(file["metrics/step"]), len(levels))
        assert (file["metrics/seconds"][()] >= 0).all()
print(f"{len(CASES)} experiments: messages are what their ticks say")
