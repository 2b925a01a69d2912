#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The twin of a pump's log: a table with dates, outages, sensors with missing values, and a text for the state of the
machine.  From this file to the class of each row, a forecast and an alarm.

    pump.py GAIA WORK_DIR
"""
import datetime

from twin import Twin, check_confusion, check_same, contents, h5py, np, texts

ROWS = 4000
OUTAGES = 9
STATES = ["broken", "normal", "worn"]  # in alphabetical order, as classes are


def states_of(random):
    """The first part, from which alarms learn, is normal; then wear comes and goes."""
    states = ["normal"] * (ROWS * 3 // 10)
    while len(states) < ROWS:
        for state, longest in (("worn", 80), ("broken", 60), ("normal", 120)):
            states += [state] * int(random.integers(longest // 2, longest))
    return states[:ROWS]


def write_pump(path, seed, plant=False):
    """One row a minute.  With `plant` the state and the efficiency tell the flow ten rows on, which is what a readout
    of others forecasts.  Returns the rows at which outages end, the minute of each row and the time of the first."""
    random = np.random.default_rng(seed)
    states = states_of(random)
    worn = np.array([s == "worn" for s in states]).astype(float)
    broken = np.array([s == "broken" for s in states]).astype(float)
    t = np.arange(ROWS)

    def noise(share):
        values = random.normal(size=ROWS)
        for i in range(1, ROWS):
            values[i] += share * values[i - 1]
        return values

    flow = 40 + 6 * np.sin(2 * np.pi * t / 48) + 0.5 * noise(0.6) - 9 * broken
    pressure = 3.1 + 0.04 * flow + 0.05 * noise(0.3) + 0.5 * worn
    vibration = 1.2 + 0.15 * np.abs(noise(0.2)) + 0.5 * worn + 0.9 * broken
    temperature = 55 + 2 * np.sin(2 * np.pi * t / 480) + 0.4 * noise(0.9) + 4 * broken
    efficiency = 0.02 * flow * pressure - 0.3 * vibration + 0.01 * random.normal(size=ROWS)
    sensors = np.stack([flow, pressure, vibration, temperature], axis=1)
    is_missing = random.random(sensors.shape) < 0.02
    outages = np.sort(random.choice(np.arange(200, ROWS - 200, 200), OUTAGES, replace=False))
    minutes = t + sum((t >= row) * random.integers(30, 600) for row in outages)
    start = datetime.datetime(2023, 11, 30, 22, 15)
    if plant:
        efficiency = np.roll(flow, -10)
        states = np.digitize(efficiency, [36, 44])
        states = np.array(["low", "normal", "high"])[states]
    lines = ["timestamp,flow,pressure,vibration,temperature,efficiency,machine_status"]
    for i, state in enumerate(states):
        fields = ["" if is_missing[i, c] else f"{sensors[i, c]:.4f}" for c in range(4)]
        date = start + datetime.timedelta(minutes=int(minutes[i]))
        lines.append(f"{date:%Y-%m-%dT%H:%M:%S},{','.join(fields)},{efficiency[i]:.5f},{state}")
    path.write_text("\n".join(lines) + "\n")
    return outages, minutes, start


def experiment(data):
    return f"""
experiment: pump
seed: 7
data:
  source: file
  path: {data}
  time: timestamp
  gaps: split
  columns: [flow, pressure, vibration, temperature]
  targets: [efficiency]
  labels: machine_status
  missing: hold
  window: 8
  normalize: zscore
hierarchy:
  schedule: {{cosine_to: 1200}}
  levels:
    - layers:
        - {{type: hebbian, size: 8, rule: oja_subspace, init: orthogonal, learning_rate: auto}}
    - temporal_resolution: 4
      pooling: mean
      layers:
        - {{type: hebbian, size: 4, rule: oja_subspace, learning_rate: auto}}
controls: [frozen, same_past, pca, reservoir]
readouts:
  - name: flow
    target: {{channel: flow, horizon: 10}}
    levels: [0, 1]
    split: {{train: 0.5, validation: 0.2, test: 0.3}}
  - {{name: efficiency, target: {{column: efficiency}}, levels: [0]}}
  - {{name: state, type: logistic, target: {{label: true}}, levels: [0, 1], split: 0.7}}
  - {{name: alarm, type: anomaly, levels: [0], train: 0.3, normal: normal}}
  - {{name: distance, type: anomaly, score: mahalanobis, levels: [0], train: 0.3, normal: normal}}
output: {{inputs: all}}
"""


def main():
    twin = Twin()
    outages, minutes, start = write_pump(twin.folder / "pump.csv", 5)
    result = twin.run("pump", experiment("pump.csv"))
    with h5py.File(result) as file:
        # Trials end at the outages; the window leaves out the first seven rows of each.
        trial_rows = np.diff([0, *outages, ROWS])
        trial_start = np.cumsum([0, *(trial_rows - 7)])[:-1]
        assert (file["data/trial_start"][:] == trial_start).all(), file["data/trial_start"][:]
        # A sample has the time of its newest row.
        time = file["levels/0/time"]
        rows = np.concatenate([np.arange(a + 7, b) for a, b in zip([0, *outages], [*outages, ROWS])])
        epoch = int((start - datetime.datetime(1970, 1, 1)).total_seconds())
        assert (time[:] == (epoch + 60 * minutes[rows]) * 10**9).all()
        assert "since 1970-01-01" in str(time.attrs["units"]), time.attrs["units"]
        assert not np.isnan(file["data/samples"][:]).any()

        state = file["readouts/state"]
        assert texts(state.attrs["classes"]) == STATES
        confusion = check_confusion(state)
        assert (confusion.sum(axis=1) > 0).all()
        # The alarm knows no states when it learns, and the levels have learnt what is normal.
        flow, efficiency = file["readouts/flow"], file["readouts/efficiency"]
        assert flow.attrs["baseline"] == "persistence" and flow.attrs["target_channel"] == "flow"
        assert flow.attrs["r2"] > 0.55 and flow.attrs["r2"] > flow.attrs["baseline_r2"] + 0.4
        assert flow.attrs["validation_r2"] > 0.55
        assert efficiency.attrs["target_column"] == "efficiency" and efficiency.attrs["r2"] > 0.94
        assert state.attrs["accuracy"] > 0.95 and state.attrs["balanced_accuracy"] > 0.95
        assert state.attrs["accuracy"] > state.attrs["majority_accuracy"] + 0.4
        for name in ("alarm", "distance"):
            alarm = file[f"readouts/{name}"].attrs
            assert alarm["normal"] == "normal" and alarm["auc_roc"] > 0.88, dict(alarm)
            assert alarm["auc_roc"] > alarm["baseline_auc_roc"] + 0.2, dict(alarm)
            assert alarm["auc_roc"] > file[f"readouts/{name}/controls/frozen"].attrs["auc_roc"]
        for level in "01":
            layer = file[f"levels/{level}/layers/0"]
            assert np.abs(layer["weights"][:] - layer["weights_initial"][:]).max() > 0.1

    page, figures = twin.page(result)
    wanted = {"fig-verdict", "fig-verdict-classes", "fig-verdict-anomalies", "fig-confusion", "fig-roc",
              "fig-anomalies", "fig-series", "fig-predictions"}
    assert wanted <= figures, wanted - figures
    assert all(word in page for word in (*STATES, "vibration", "efficiency", "2023-1"))

    # What stands in columns that no level reads changes nothing of the others, however much it would tell.
    write_pump(twin.folder / "planted.csv", 5, plant=True)
    planted = twin.run("planted", experiment("planted.csv"))
    with h5py.File(planted) as file:
        assert texts(file["readouts/state"].attrs["classes"]) == ["high", "low", "normal"]
    scores = ("auc", "baseline_auc", "validation_auc", "verdict")
    truths = [f"/readouts/{name}{place}" for name in ("alarm", "distance")
              for place in ("/target", "/auc", "/baseline_auc", "/windows", *(f"@{score}" for score in scores), "/controls")]
    without = ("/readouts/state", "/readouts/efficiency", *truths)
    check_same(contents(result, without), contents(planted, without))


main()
