#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The twin of an EEG experiment: 60 trials of 64 channels, [trial, channel, time] in one .npy, and a text for each
trial in another.  A class is known by the power of some channels alone.  From these files to the class of each trial,
a forecast and an alarm.

    eeg.py GAIA WORK_DIR
"""
from twin import Twin, check_confusion, check_same, contents, h5py, np, texts

TRIALS, CHANNELS, TIMES, RATE = 60, 64, 200, 128
REST_FIRST = 18  # trials at rest, from which alarms learn


def write_eeg(folder, seed):
    random = np.random.default_rng(seed)
    mixed = [str(random.choice(["rest", "task"])) for _ in range(TRIALS - REST_FIRST)]
    labels = np.array(["rest"] * REST_FIRST + mixed)
    t = np.arange(TIMES) / RATE
    eeg = np.empty((TRIALS, CHANNELS, TIMES))
    for trial in range(TRIALS):
        noise = random.normal(size=(CHANNELS, TIMES))
        for i in range(1, TIMES):
            noise[:, i] += 0.7 * noise[:, i - 1]
        drift = random.normal(size=(CHANNELS, 1)) * 0.2
        # An alpha rhythm all over the back of the head, and a beta rhythm over the hand area in a task.
        alpha = np.outer(np.linspace(0.0, 1.5, CHANNELS), np.sin(2 * np.pi * (10 * t + random.random())))
        hand = np.zeros(CHANNELS)
        hand[20:30] = np.hanning(12)[1:-1]
        beta = np.outer(hand, np.sin(2 * np.pi * (22 * t + random.random())))
        eeg[trial] = 12e-6 * (noise + drift + alpha + (3.0 if labels[trial] == "task" else 0.6) * beta)
    np.save(folder / "eeg.npy", eeg.astype(np.float32))
    np.save(folder / "labels.npy", labels)
    return labels


def experiment(labels):
    return f"""
experiment: eeg
seed: 3
data:
  source: file
  path: eeg.npy
  trials: {{axes: [trial, channel, time]}}
  labels: {labels}
  sample_rate: {RATE}
  normalize: zscore
hierarchy:
  schedule: {{cosine_to: 8400}}
  levels:
    - layers:
        - {{type: hebbian, size: 4, rule: oja_subspace, init: orthogonal, learning_rate: auto}}
        - {{type: reactive, size: 32, activation: relu}}
    - temporal_resolution: 25
      pooling: mean
      layers:
        - {{type: hebbian, size: 12, rule: oja_subspace, init: orthogonal, learning_rate: auto}}
controls: [frozen, same_past]
readouts:
  - name: class
    type: logistic
    target: {{label: true, per: trial}}
    levels: [0]
    l2: 0.01
    split: {{train: 0.5, validation: 0.2, test: 0.3}}
  - {{name: forecast, target: {{channel: 60, horizon: 6}}, levels: [0], split: 0.7}}
  - {{name: alarm, type: anomaly, score: mahalanobis, levels: [1], train: 0.3, normal: rest}}
"""


def main():
    twin = Twin()
    labels = write_eeg(twin.folder, 12)
    result = twin.run("eeg", experiment("labels.npy"))
    test = TRIALS * 7 // 10
    with h5py.File(result) as file:
        assert (file["data/trial_start"][:] == np.arange(TRIALS) * TIMES).all()
        time = file["levels/0/time"]
        assert time.attrs["units"] == "s" and abs(time[TIMES] - TIMES / RATE) < 1e-9
        # One prediction for each trial of the test part, at its last step.
        group = file["readouts/class"]
        assert texts(group.attrs["classes"]) == ["rest", "task"]
        assert group.attrs["training_ticks"] == TRIALS // 2 and group.attrs["target_per"] == "trial"
        assert list(group["step"]) == [TIMES * trial + TIMES - 1 for trial in range(test, TRIALS)]
        assert (group["target"][:] == (labels[test:] == "task")).all()
        assert check_confusion(group).sum() == TRIALS - test
        # Levels that have learnt which channels go together show the power of those of a class.
        scores, frozen = group.attrs, group["controls/frozen"].attrs
        assert scores["accuracy"] > 0.9 and scores["balanced_accuracy"] > 0.9, dict(scores)
        assert scores["validation_accuracy"] > 0.8, dict(scores)
        assert scores["accuracy"] > max(scores["majority_accuracy"], frozen["accuracy"]) + 0.2, dict(scores)
        forecast = file["readouts/forecast"]
        assert forecast.attrs["r2"] > 0.2 and forecast.attrs["baseline_r2"] < 0.0, dict(forecast.attrs)
        assert forecast.attrs["r2"] > forecast["controls/frozen"].attrs["r2"] + 0.05
        assert forecast["step"][0] >= test * TIMES  # whole trials are on one side of a border
        alarm = file["readouts/alarm"]
        assert alarm.attrs["auc_roc"] > 0.8, dict(alarm.attrs)
        assert alarm.attrs["auc_roc"] > alarm.attrs["baseline_auc_roc"] + 0.15, dict(alarm.attrs)
        assert alarm.attrs["auc_roc"] > alarm["controls/frozen"].attrs["auc_roc"] + 0.2

    page, figures = twin.page(result)
    wanted = {"fig-verdict", "fig-verdict-classes", "fig-verdict-anomalies", "fig-confusion", "fig-roc",
              "fig-anomalies", "fig-predictions"}
    assert wanted <= figures, wanted - figures
    assert ">rest<" in page and ">task<" in page

    # A class of the last trial alone moves the numbers of the others, and nothing else.
    planted_labels = labels.astype("U8")
    planted_labels[-1] = "alien"
    np.save(twin.folder / "planted.npy", planted_labels)
    planted = twin.run("planted", experiment("planted.npy"))
    with h5py.File(result) as one, h5py.File(planted) as other:
        before, after = one["readouts/class"], other["readouts/class"]
        assert texts(after.attrs["classes"]) == ["alien", "rest", "task"]
        assert (after["probability"][:, 0] == 0.0).all()  # which was not there to be learnt
        assert (after["probability"][:, 1:] == before["probability"][:]).all()
        for score in ("validation_accuracy", "validation_log_loss", "training_ticks"):
            assert after.attrs[score] == before.attrs[score], score
        for control in before["controls"]:
            there, here = (group[f"controls/{control}"].attrs for group in (before, after))
            assert there["validation_log_loss"] == here["validation_log_loss"], control
        assert after.attrs["accuracy"] == before.attrs["accuracy"] - 1 / (TRIALS - test)
    truths = [f"/readouts/alarm{place}" for place in ("/target", "/auc", "/baseline_auc", "/windows", "@auc",
                                                  "@baseline_auc", "@verdict", "/controls")]
    without = ("/readouts/class", *truths)
    check_same(contents(result, without), contents(planted, without))


main()
