#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what agents in worlds of real numbers reach, over seeds.

    python3 benchmarks/continuous_agents.py PROGRAM FOLDER [--jobs 2] [--table OUT.md]

PROGRAM is `continuous_agents`, built of benchmarks/continuous_agents.cpp.  Runs of 10 seeds of each
way are kept in FOLDER, one file each, and those that are there are not run again.  The table says
of each task and way in how many seeds it was solved at the end (in each of the last three
episodes), when it was reached for the first time, and returns with their spread over seeds; "above
one member" counts the seeds whose return of all episodes but the first is larger than that of one
member.  Beside OUT.md all episodes are written, as OUT.csv.
"""
import argparse
import concurrent.futures
import os
import pathlib
import statistics
import subprocess

# Options were chosen on seeds 1 to 6, but for one (docs/agents_continuous.md).
SEEDS = range(11, 21)
TASKS = {"pendulum": (12, ["agent", "no_gain", "one_member", "still", "random"]),
         "mountain_car": (8, ["agent", "no_gain", "one_member", "still", "random"]),
         "point_mass": (6, ["agent", "no_gain", "one_member", "still", "random"])}
NAMES = {"agent": "ensemble of 5, information gain", "no_gain": "ensemble of 5, preference alone",
         "one_member": "one member, preference alone", "still": "not learning",
         "random": "random actions"}


def path_of(folder, task, way, seed):
    return folder / f"{task}_{way}_{seed}.csv"


def run(program, folder, task, way, seed, episodes):
    path = path_of(folder, task, way, seed)
    if path.exists() and len(path.read_text().splitlines()) >= episodes:
        return
    result = subprocess.run([program, "--task", task, "--way", way, "--seed", str(seed),
                             "--episodes", str(episodes)], check=True, capture_output=True, text=True,
                            env={**os.environ, "GAIA_NUM_THREADS": "1"})
    path.write_text(result.stdout)


def episodes_of(folder, task, way, seed):
    """Numbers of each episode: steps, return, measure, whether it was reached."""
    path = path_of(folder, task, way, seed)
    if not path.exists():
        return []
    rows = [line.split(",") for line in path.read_text().splitlines()]
    return [(int(r[4]), float(r[5]), float(r[6]), int(r[7])) for r in rows]


def spread(values):
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.0f} ± {deviation:.0f}"


def above_one_member(folder, task, way, count):
    pairs = [(episodes_of(folder, task, way, seed), episodes_of(folder, task, "one_member", seed))
             for seed in SEEDS]
    pairs = [pair for pair in pairs if min(map(len, pair)) >= count]
    above = sum(sum(e[1] for e in one[1:count]) > sum(e[1] for e in other[1:count]) for one, other in pairs)
    return f"{above} of {len(pairs)}"


def row(folder, task, way, count):
    runs = [episodes_of(folder, task, way, seed) for seed in SEEDS]
    runs = [run[:count] for run in runs if len(run) >= count]
    if not runs:
        return None
    solved = sum(all(e[3] for e in run[-3:]) for run in runs)
    first = sorted(next((k + 1 for k, e in enumerate(run) if e[3]), count + 1) for run in runs)
    shown = [str(k) if k <= count else "never" for k in (first[0], first[(len(first) - 1) // 2], first[-1])]
    reached = [sum(e[3] for e in run[1:]) for run in runs]
    above = "" if way == "one_member" else above_one_member(folder, task, way, count)
    return (f"| {NAMES[way]} | {solved} of {len(runs)} | {shown[1]} ({shown[0]} to {shown[2]}) | "
            f"{statistics.mean(reached):.1f} of {count - 1} | "
            f"{spread([statistics.mean(e[1] for e in run[1:6]) for run in runs])} | "
            f"{spread([statistics.mean(e[1] for e in run[-3:]) for run in runs])} | {above} |")


def table(folder):
    lines = []
    for task, (count, ways) in TASKS.items():
        lines += [f"{task}, {count} episodes:", "",
                  "| | solved in the last three episodes, seeds | first reached in episode, median (range) | "
                  "episodes that reached it, without the first | "
                  "return of episodes 2 to 6 | return of the last three | above one member, seeds |",
                  "|---|---|---|---|---|---|---|"]
        lines += [line for line in (row(folder, task, way, count) for way in ways) if line]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--only-table", action="store_true", help="of the runs that are there")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if not options.only_table:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(run, options.program, options.folder, task, way, seed, count)
                    for task, (count, ways) in TASKS.items() for way in ways for seed in SEEDS]
            for job in jobs:
                job.result()
    text = table(options.folder)
    print(text)
    if options.table:
        options.table.write_text(text)
        lines = ["task,way,seed,episode,steps,return,measure,reached,loss,gain,seconds"]
        for task, (count, ways) in TASKS.items():
            for way in ways:
                for seed in SEEDS:
                    path = path_of(options.folder, task, way, seed)
                    found = path.read_text().splitlines() if path.exists() else []
                    lines += found[:count] if len(found) >= count else []
        options.table.with_suffix(".csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
