#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The commonest table: trials of several channels with a label and a time each, and values that are missing.  From
there to a verdict in three commands, `gaia init`, `gaia run` and `gaia verdict`, with no edit.

    eeg_table.py GAIA WORK_DIR
"""
import datetime
import math
import pathlib
import random
import re
import shutil
import subprocess
import sys

TRIALS, CHANNELS, ROWS, RATE = 40, 8, 125, 250
SUBJECTS = 8


def write_table(path, seed=5):
    """Coloured noise with a rhythm of 20 Hz, which is three times as strong over two channels where the hand moves;
    five trials a subject.  Times are of a zone that goes from one offset to another."""
    draw = random.Random(seed)
    labels = ["rest", "move"] * (TRIALS // 2)
    draw.shuffle(labels)
    start = datetime.datetime(2024, 10, 27, 2, 59, 50)  # of a day on which clocks are set back at 3:00
    lines = ["Subject,Trial,Label,Time," + ",".join(f"EEG{c + 1}" for c in range(CHANNELS))]
    missing = 0
    for trial in range(TRIALS):
        noise, phase = [0.0] * CHANNELS, draw.random()
        for row in range(ROWS):
            seconds = trial * 2.0 + row / RATE
            local, offset = start + datetime.timedelta(seconds=seconds), "+02:00"
            if local >= datetime.datetime(2024, 10, 27, 3):
                local, offset = local - datetime.timedelta(hours=1), "+01:00"
            values = []
            for c in range(CHANNELS):
                noise[c] = 0.8 * noise[c] + draw.gauss(0.0, 1.0)
                strength = (3.0 if labels[trial] == "move" else 0.5) if c in (2, 3) else 0.5
                rhythm = strength * math.sin(2.0 * math.pi * (20.0 * row / RATE + phase))
                is_lost = draw.random() < 0.02 or (c == 5 and 40 <= row < 48)
                missing += is_lost
                values.append("" if is_lost else f"{10.0 * (noise[c] + rhythm):.3f}")
            time = local.isoformat(timespec="milliseconds") + offset
            lines.append(f"S{trial // 5 + 1:02},{trial + 1},{labels[trial]},{time}," + ",".join(values))
    path.write_text("\n".join(lines) + "\n")
    return labels, missing


def main():
    gaia, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    labels, _ = write_table(folder / "eeg.csv")

    def command(*arguments):
        done = subprocess.run([gaia, *arguments], cwd=folder, text=True, capture_output=True)
        print(done.stderr)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stderr}"
        return done

    command("init", "eeg.csv")
    told = command("run", "eeg.yaml", "--progress", "none")
    verdict = command("verdict", "eeg.yaml", "--seeds", "3")

    yaml = (folder / "eeg.yaml").read_text()
    print(yaml)
    channels = ", ".join(f'"EEG{c + 1}"' for c in range(CHANNELS))
    for line in ('  trials: {column: "Trial"}\n', '  groups: "Subject" ', '  labels: "Label"  # a class for each trial',
                 '  time: "Time"\n', f"  columns: [{channels}]\n", "  missing: hold ", "  - name: class\n",
                 "    target: {label: true, per: trial}\n", "    folds: 5 "):
        assert line in yaml, line
    assert re.search(r"\bclass\b", told.stderr) and re.search(r"\bclass\b", verdict.stdout + verdict.stderr)
    assert (folder / "results" / "eeg.h5").exists() and (folder / "results" / "eeg.verdict.h5").exists()


main()
