#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs experiments whose series are filtered and resampled, and recomputes from the source and the sections that each
results file has, in float64: which rows stay, their times, what is missing, moments, samples, what level 0 learns, and
targets and predictions of readouts.  Where SciPy is installed the sections are held against its own, and series against
its sosfilt.  Exits with 1 where anything differs by more than 1e-10 of the largest number, with 77 where h5py or NumPy
is missing.

    recompute_signals.py GAIA WORK_DIR
"""
import math
import sys

from by_gaia import emptied, need, run

need("h5py", "numpy")
import h5py
import numpy as np
try:
    from scipy import signal
except ImportError:
    signal = None

gaia, work = sys.argv[1], emptied(sys.argv[2])

ROWS, TRIAL, RATE = 720, 180, 100.0
draws = np.random.default_rng(23)
CHANNELS = np.cumsum(draws.normal(size=(ROWS, 2)), axis=0) * 0.3 + draws.normal(size=(ROWS, 2)) + [40.0, -3.0]
QUALITY = CHANNELS[:, 0] - 2 * CHANNELS[:, 1] + draws.normal(size=ROWS)
HOLES = CHANNELS.copy()
HOLES[draws.random(ROWS) < 0.1, 0] = np.nan
HOLES[60:75, 1] = np.nan
HOLES[TRIAL:TRIAL + 7, 0] = np.nan  # the first rows of a trial
HOLES[2 * TRIAL:2 * TRIAL + 2] = np.nan
for name, rows in (("whole", CHANNELS), ("holes", HOLES)):
    lines = ["a,b,q,run"] + [",".join("" if math.isnan(x) else f"{x:.17g}" for x in (*row, q)) + f",{t // TRIAL}"
                             for t, (row, q) in enumerate(zip(rows, QUALITY))]
    (work / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

#        name        file     filter                         resample       missing       normalize  window  trials
CASES = [("low",     "whole", "{low: 12}",                   "",            "error",       "none",   1, False),
         ("high",    "whole", "{high: 3, order: 1}",         "",            "error",       "zscore", 2, True),
         ("band",    "holes", "{band: [2, 20], order: 3}",   "{to: 60}",    "hold",        "zscore", 3, True),
         ("stop",    "holes", "{stop: [9, 11], order: 2}",   "{every: 3}",  "interpolate", "minmax", 1, True),
         ("every",   "whole", "",                            "{every: 4}",  "error",       "zscore", 1, False),
         ("to",      "holes", "",                            "{to: 37.5}",  "hold",        "none",   2, True),
         ("same",    "whole", "{low: 30, order: 9}",         "{to: 100}",   "error",       "minmax", 4, False),
         ("kept",    "holes", "{low: 15}",                   "{every: 2}",  "keep",        "zscore", 1, True)]

EXPERIMENT = """
experiment: signal
seed: 5
dtype: float64
data:
  source: file
  path: {file}.csv
  columns: [a, b]
  targets: [q]
  missing: {missing}
  window: {window}
  normalize: {normalize}
  sample_rate: {rate}
{more}
hierarchy:
  executor: stepwise
  levels:
    - layers: [{layer}]
readouts:
  - {{name: own, target: {{channel: a, horizon: 2}}, levels: [0]}}
  - {{name: other, target: {{column: q, horizon: 2}}, levels: [0]}}
controls: none
output: {{path: result.h5, inputs: all}}
"""


def sosfilt(sections, start, series):
    """y = b0 x + s0, s0 = b1 x - a1 y + s1, s1 = b2 x - a2 y of each section, from start times the first number."""
    y = series.copy()
    for (b0, b1, b2, _, a1, a2), (s0, s1) in zip(sections, start * series[0]):
        for i, x in enumerate(y):
            y[i] = b0 * x + s0
            s0, s1 = b1 * x - a1 * y[i] + s1, b2 * x - a2 * y[i]
    return y


def filled(series, policy):
    """A channel of a trial without gaps, but for those before its first value."""
    there = np.flatnonzero(~np.isnan(series))
    t = np.arange(len(series))
    if policy == "interpolate":
        return np.interp(t, there, series[there])
    last = np.searchsorted(there, t, side="right") - 1
    return np.where(last >= 0, series[there[last]], np.nan)


class Comparison:
    def __init__(self):
        self.wrong = []

    def __call__(self, name, ours, theirs, within=1e-10):
        ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
        if ours.shape != theirs.shape:
            self.wrong.append(f"{name}: {ours.shape} numbers, gaia has {theirs.shape}")
            return
        gone = np.isnan(ours)
        error = np.abs(ours - theirs)[~gone].max(initial=0.0) / max(1.0, np.abs(ours[~gone]).max(initial=0.0))
        if (gone != np.isnan(theirs)).any() or not error <= within:
            self.wrong.append(f"{name}: differs by {error:.2e}")


def by_scipy(case, spacing):
    """The sections of both filters as SciPy designs them."""
    name, _, text, resample = case[:4]
    filters = []
    if text:
        kind, _, rest = text.strip("{}").partition(":")
        edges, _, order = rest.partition(", order:")
        edges = [float(x) for x in edges.strip(" []").split(",")]
        kind = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}[kind]
        filters.append(("filter", signal.butter(int(order or 4), edges if len(edges) > 1 else edges[0], kind, fs=RATE,
                                                output="sos")))
    if resample and spacing != 1:
        filters.append(("resample", signal.cheby1(8, 0.05, 0.8 / spacing, output="sos")))
    return filters


def check(case):
    name, source, text, resample, missing, normalize, window, has_trials = case
    more = [f"  {key}: {value}" for key, value in (("filter", text), ("resample", resample),
                                                   ("trials", "{column: run}" if has_trials else "")) if value]
    layer = ("{type: kalman, model: level}" if missing == "keep" else
             "{type: hebbian, size: 2, rule: oja, learning_rate: 0.0001}")
    failed = run(gaia, work, EXPERIMENT.format(file=source, missing=missing, window=window, normalize=normalize,
                                               rate=RATE, layer=layer, more="\n".join(more)))
    if failed:
        return [failed]
    compare = Comparison()
    with h5py.File(work / "result.h5") as file:
        data = file["data"]
        spacing = 1.0
        if resample:
            key, _, value = resample.strip("{}").partition(": ")
            spacing = float(value) if key == "every" else RATE / float(value)
        compare("sample_rate", RATE / spacing, data.attrs["sample_rate"])
        sections = [(data[one]["sos"][:], data[one]["start"][:]) for one in ("filter", "resample")
                    if f"{one}/sos" in data]
        if len(sections) != (text != "") + (spacing != 1):
            return ["filters are missing"]
        if signal:
            for key, sos in by_scipy(case, spacing):
                # SciPy may have its sections in another order.
                z = np.exp(1j * np.linspace(0, np.pi, 101))[:, None]
                both = [np.prod(((s[:, 0] * z + s[:, 1]) * z + s[:, 2]) / ((z + s[:, 4]) * z + s[:, 5]), axis=1)
                        for s in (sos, data[key]["sos"][:])]
                compare(f"{key}: response", np.abs(both[0] - both[1]), np.zeros(len(z)), 1e-8)
                compare(f"{key}: start", signal.sosfilt_zi(data[key]["sos"][:]), data[key]["start"][:])

        rows = CHANNELS if source == "whole" else HOLES
        length = TRIAL if has_trials else ROWS
        filtered, stay = [], []
        for first in range(0, ROWS, length):
            trial = rows[first:first + length].copy()
            for channel in trial.T:
                gone = np.isnan(channel)
                channel[:] = filled(channel, missing)
                there = channel[~np.isnan(channel)]
                by_sosfilt = there
                for sos, start in sections:
                    if signal:
                        by_sosfilt = signal.sosfilt(sos, by_sosfilt, zi=signal.sosfilt_zi(sos) * by_sosfilt[0])[0]
                    there = sosfilt(sos, start, there)
                if signal:
                    compare("sosfilt", by_sosfilt, there)
                channel[len(channel) - len(there):] = there
                if missing == "keep":
                    channel[gone] = np.nan
            kept = [int(j * spacing + 1e-9) for j in range(length)]
            kept = [j for j in kept if j < length]
            filtered.append(trial[kept])
            stay.append(first + np.array(kept))

        # Moments are of the rows that the readouts are trained on: of whole trials, or up to a row.
        ticks = file["readouts/own"].attrs["training_ticks"]
        if has_trials:
            each = len(filtered[0]) - window + 1 - 2
            if ticks % each or not ticks:
                return [f"{ticks} training ticks are no whole trials of {each}"]
            training = np.concatenate(filtered[:ticks // each])
            at = np.concatenate(stay[:ticks // each])
        else:
            training = filtered[0][:ticks + window - 1]
            at = stay[0][:ticks + window - 1]
        if missing == "hold":
            fill = np.nanmean(np.where(np.isnan(rows[at]), np.nan, training), axis=0)  # of what was there
            compare("fill", fill, data["fill"][:])
            training = np.where(np.isnan(training), fill, training)
            filtered = [np.where(np.isnan(one), fill, one) for one in filtered]
        mean, scale = np.zeros(2), np.ones(2)
        if normalize == "zscore":
            mean, scale = np.nanmean(training, axis=0), np.nanstd(training, axis=0)
        elif normalize == "minmax":
            mean = training.min(axis=0)
            scale = training.max(axis=0) - mean
        if normalize != "none":
            compare("mean", mean, data["mean"][:])
            compare("scale", scale, data["scale"][:])

        samples, times, newest, before = [], [], [], 0
        for trial, (one, _) in enumerate(zip(filtered, stay)):
            for s in range(len(one) - window + 1):
                samples.append(((one[s:s + window] - mean) / scale).ravel())
                newest.append((trial, s + window - 1))
                times.append((before + s + window - 1) * spacing / RATE)
            before += len(one)
        compare("samples", samples, data["samples"][:])
        compare("time", times, data["time"][:])
        samples = data["samples"][:]
        if missing == "keep":
            return compare.wrong

        w = file["levels/0/layers/0/weights_initial"][:]
        answers = []
        for x in samples:
            y = w @ x
            answers.append(y)
            w = w + 0.0001 * (np.outer(y, x) - (y**2)[:, None] * w)
        compare("representation", answers, file["levels/0/representation"][:], 1e-9)
        for key in ("own", "other"):
            readout = file["readouts"][key]
            targets = []
            for step in readout["step"][:]:
                trial, row = newest[step]
                at = stay[trial][row + 2]
                value = (filtered[trial][row + 2][0] - mean[0]) / scale[0] if key == "own" else QUALITY[at]
                targets.append(np.nan if key == "own" and np.isnan(rows[at, 0]) else value)
            compare(f"{key}: target", targets, readout["target"][:])
            said = np.array(answers)[readout["step"][:]] @ readout["weights"][:] + readout["intercept"][()]
            compare(f"{key}: prediction", said, readout["prediction"][:], 1e-9)
            if len(targets) < 20:
                compare.wrong.append(f"{key}: {len(targets)} predictions")
    return compare.wrong


faults = [f"{case[0]}: {fault}" for case in CASES for fault in check(case)]
for fault in faults:
    print(fault)
print(f"{len(CASES)} runs recomputed, {len(faults)} differ{'' if signal else '; SciPy is not installed'}")
sys.exit(1 if faults else 0)
