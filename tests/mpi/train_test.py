#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Trains networks with several processes, and compares what comes out with what one process makes of
the same members, bit by bit; and sees errors and interruptions end all processes.  Exits with 77 where
h5py is not installed.

    train_test.py GAIA MPIEXEC PROCESSES WORK_DIR
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys

if not importlib.util.find_spec("h5py"):
    print("h5py is not installed")
    sys.exit(77)
import h5py

gaia, mpiexec, processes, work = sys.argv[1], sys.argv[2], int(sys.argv[3]), pathlib.Path(sys.argv[4])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)

# Dropout, running means and weights that learn by themselves: what could depend on who computes what.
NET = """experiment: net
seed: 4
data: {source: generator, kind: mackey_glass, steps: 1500, window: 8, normalize: zscore}
network:
  epochs: 3
  batch_size: 50
  members: 4
  clip_norm: 1.0
  final_rate: 0.1
  layers:
    - {type: flatten}
    - {type: dense, size: 24, activation: relu}
    - {type: batch_norm}
    - {type: dropout, probability: 0.2}
    - {type: hebbian, size: 12, rule: oja, learning_rate: 0.001}
    - {type: dense, size: 1}
  optimizer: {type: adam, learning_rate: 0.01}
"""
(work / "net.yaml").write_text(NET)
(work / "few.yaml").write_text(NET.replace("members: 4", "members: 1"))
(work / "nine.yaml").write_text(NET.replace("members: 4", "members: 9"))
(work / "hierarchy.yaml").write_text("""experiment: h
data: {source: generator, kind: gaussian, spectrum: [1, 1], steps: 100}
hierarchy: {levels: [{layers: [{type: hebbian, size: 1}]}]}
""")


def run(*arguments, together=True, more=()):
    """Exit code and what was said; never longer than a minute."""
    words = [gaia, *arguments]
    if together:
        words = [mpiexec, "-n", str(processes), *words, *more]
    done = subprocess.run(words, cwd=work, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=60)
    return done.returncode, done.stdout


def numbers(name):
    found = {}
    with h5py.File(work / name) as file:
        def see(path, item):
            if isinstance(item, h5py.Dataset) and path != "history/samples_per_second":
                found[path] = item[...].tobytes()
        file.visititems(see)
        return found, file.attrs["status"]


def expect(condition, what):
    if not condition:
        sys.exit(f"expected: {what}")


code, text = run("run", "net.yaml", "--output", "one.h5", together=False)
expect(code == 0, text)
code, text = run("run", "net.yaml", "--output", "many.h5")
expect(code == 0, text)
expect(text.count("epoch   3/3") == 1, "one process alone tells of progress\n" + text)
expect(numbers("one.h5") == numbers("many.h5"), "the same bits from one process and from many")
expect(not list(work.glob("*.lock")) and not list(work.glob("*.partial")), "nothing left behind")

# Errors that all processes meet, or one alone, end them with their code.
code, text = run("run", "net.yaml", "--output", "many.h5")
expect(code == 4 and "--overwrite" in text, f"code 4 for a result that exists, got {code}\n{text}")
code, text = run("run", "few.yaml")
expect(code == 2 and "network.members is 1; set it to" in text, f"code 2 for few members\n{text}")
code, text = run("run", "hierarchy.yaml")
expect(code == 2 and "a hierarchy runs in one" in text, f"code 2 for a hierarchy\n{text}")
code, text = run("resume", "one.h5")
expect(code == 2 and "start it without mpirun" in text, f"code 2 for resume\n{text}")
code, text = run("run", "nine.yaml", "--output", "nine.h5", "--device", "cpu",
                 more=[":", "-n", "1", gaia, "run", "nine.yaml", "--output", "nine.h5", "--device",
                       "cuda:77"])
expect(code == 6 and f"process {processes}: " in text, f"code 6 from one process, got {code}\n{text}")

# Cut by the clock, and gone on with by one process.
code, text = run("run", "net.yaml", "--output", "cut.h5", "--set", "network.epochs=20000", "--max-time",
                 "1s")
expect(code == 75 and text.count("resume with:") == 1, f"code 75, got {code}\n{text}")
with h5py.File(work / "cut.h5.partial") as file:
    expect(file.attrs["status"] == "interrupted", "an interrupted file")
code, text = run("run", "net.yaml", "--output", "short.h5", "--set", "network.epochs=40", "--max-time",
                 "0.3s")
if code == 75:
    code, text = run("resume", "short.h5.partial", together=False)
expect(code == 0, text)
code, text = run("run", "net.yaml", "--output", "whole.h5", "--set", "network.epochs=40",
                 together=False)
expect(code == 0, text)
expect(numbers("short.h5") == numbers("whole.h5"), "the same bits after a cut")
print(f"{processes} processes: the same bits as one")
