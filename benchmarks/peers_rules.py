#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares ticks per second of gaia with those of other programs that learn by the same rule.

    peers_rules.py --gaia PROGRAM [--python PYTHON] [--models M ...] [--programs P ...]
                   [--rounds N] [--seconds S] [--clock wall|cpu] [--results FOLDER | --json FILE]

Five models of 784 inputs and 400 neurons, one sample a tick, one thread: LIF neurons with pair STDP,
SoftHebb, Oja's rule, Oja's subspace rule, and LIF neurons with three factors.  Before the clock
starts, each program's weights after 200 ticks are compared with a loop of NumPy in float64
(peers_rules_models.py); one that differs gets no figure, and the exit code is 1.  Then they take
turns: gaia, a peer, gaia, the next peer, in so many rounds.  Every peer has a process of its own.
A library that PYTHON does not have is left out, and a line says so.

The table goes to the standard output as Markdown, with --results also to DATE-rules.md and .json.
"""

import argparse
import datetime
import importlib
import importlib.metadata
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from peers_harness import middle, number, processor, write_results

ARRAYS, LIBRARIES = "peers_rules_arrays", "peers_rules_libraries"
# Which programs have which model, in the order of the table.
PROGRAMS = {
    "numpy": (ARRAYS, "NumPy", ("stdp", "softhebb", "oja", "oja_subspace", "reward_stdp")),
    "torch": (ARRAYS, "PyTorch", ("stdp", "softhebb", "oja", "oja_subspace", "reward_stdp")),
    "brian2": (LIBRARIES, "Brian2", ("stdp", "reward_stdp")),
    "bindsnet": (LIBRARIES, "BindsNET", ("stdp", "reward_stdp")),
    "spikingjelly": (LIBRARIES, "SpikingJelly", ("stdp", "reward_stdp")),
    "nest": (LIBRARIES, "NEST", ("stdp",)),
    "ngclearn": (LIBRARIES, "NgcLearn", ("stdp", "oja", "reward_stdp")),
    "nengo": (LIBRARIES, "Nengo", ("oja",)),
}
MODEL_NAMES = ("stdp", "softhebb", "oja", "oja_subspace", "reward_stdp")
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
CLOCK_SAID = {"wall": "", "cpu": ", by processor time"}
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


# ----------------------------------------------------------------------- a peer, in its own process

def check(program, work):
    """Largest differences of all its ways, by dtype; its own order is what it is compared with."""
    from peers_rules_models import CHECKED_TICKS, deviation, reference
    wanted, _ = reference(work, order=program.orders.get(work.model.name, "paper"))
    found = {}
    for dtype in sorted({program.check_dtype, program.clock_dtype}, reverse=True):
        for way in program.ways(work):
            one = program(work, dtype, work.model.rate, way)
            one.prepare(CHECKED_TICKS)
            one.run(CHECKED_TICKS)
            found[dtype] = max(found.get(dtype, 0.0), deviation(one.weights(), wanted))
    return found


def fault_of(found):
    """What is wrong with differences by dtype, or None."""
    from peers_rules_models import TOLERANCE
    for dtype, difference in found.items():
        if not difference <= TOLERANCE[dtype]:
            return (f"after 200 ticks weights differ by {difference:.1e} of the largest in {dtype}, "
                    f"more than {TOLERANCE[dtype]:.0e}")
    return None


class Clock:
    """The fastest way of a program, and how many ticks fill a time."""

    def __init__(self, program, work, least, now):
        self.ticks, self.least, self.now = 16, least, now
        rates = {}
        for way in program.ways(work):
            self.one = program(work, program.clock_dtype, work.model.clock_rate, way)
            self.seconds(2)
            while (seconds := self.seconds(self.ticks)) < least / 4:
                self.ticks *= 2
            rates[way] = self.ticks / seconds
        self.way = max(rates, key=rates.get)
        if self.way != way:
            self.one = program(work, program.clock_dtype, work.model.clock_rate, self.way)
        self.seconds(self.ticks)
        self.ticks = math.ceil(least * rates[self.way])

    def seconds(self, ticks):
        if getattr(self.one, "subtracts", False):
            return self.run(ticks + 1) - self.run(1)
        return self.run(ticks)

    def run(self, ticks):
        self.one.prepare(ticks)
        begin = self.now()
        self.one.run(ticks)
        return self.now() - begin

    def time(self):
        while (seconds := self.seconds(self.ticks)) < self.least:
            self.ticks = math.ceil(self.ticks * 1.3)
        return self.ticks / seconds


def worker(name, model, least, clock_name):
    """Answers the lines `check`, `begin` and `time` of its standard input with lines of JSON."""
    # Libraries write where they like; answers have a way of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def answer(**values):
        print(json.dumps(values), file=answers, flush=True)

    try:
        from peers_rules_models import work_of
        program = getattr(importlib.import_module(PROGRAMS[name][0]), PROGRAMS[name][1])
        versions = [f"{each} {importlib.metadata.version(each)}" for each in program.packages]
    except (ImportError, AttributeError, importlib.metadata.PackageNotFoundError) as error:
        return answer(missing=str(error))
    work, clock = work_of(model), None
    for line in sys.stdin:
        try:
            if line.strip() == "check":
                answer(check=check(program, work), versions=", ".join(versions),
                       title=program.title, order=program.orders.get(model, "paper"),
                       note=getattr(program, "notes", {}).get(model, ""),
                       dtype=program.clock_dtype)
            elif line.strip() == "begin":
                clock = Clock(program, work, least, CLOCKS[clock_name])
                answer(way=clock.way, ticks=clock.ticks)
            else:
                rate = clock.time()
                if not math.isfinite(float(abs(clock.one.weights()).max())):
                    raise ArithmeticError("weights are not finite any more")
                answer(rate=rate)
        except Exception as error:  # whatever a library throws is reported in the table
            answer(error=f"{type(error).__name__}: {error}")


class Peer:
    def __init__(self, name, model, settings):
        environment = os.environ | {variable: "1" for variable in VARIABLES}
        self.process = subprocess.Popen(
            [settings.python, __file__, "--worker", name, model, str(settings.seconds),
             settings.clock], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment,
            stderr=None if os.environ.get("PEERS_RULES_SAYS") else subprocess.DEVNULL)

    def ask(self, what):
        try:
            self.process.stdin.write(what + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "its process ended"}

    def end(self):
        self.process.communicate()


# ------------------------------------------------------------------------------- gaia and its peers

def row_of(model, title, rates=(), ratios=(), **more):
    row = {"model": model, "program": title, "rates": list(rates), **more}
    if rates:
        row["ticks_per_second"], row["spread"] = middle(rates)
    if ratios:
        row["ratios"], row["times_slower"] = list(ratios), statistics.median(ratios)
    return row


def start_peer(name, model, settings):
    """(peer, what it says) if it may be timed, else (None, its row)."""
    peer = Peer(name, model, settings)
    said = peer.ask("check")
    row = {key: said[key] for key in ("check", "versions", "order", "note", "dtype") if key in said}
    title = said.get("title", name)
    if "missing" in said:
        row["fault"] = f"not installed ({said['missing']})"
    else:
        row["fault"] = said.get("error") or fault_of(said["check"])
    if not row["fault"]:
        begun = peer.ask("begin")
        row["fault"], row["way"] = begun.get("error"), begun.get("way", "")
    if row["fault"]:
        peer.end()
        return None, row_of(model, title, **row)
    return peer, row | {"title": title}


def measure(model, settings):
    """The rows of one model."""
    from peers_rules_gaia import Gaia
    from peers_rules_models import MODELS, work_of
    with tempfile.TemporaryDirectory() as folder:
        gaia = Gaia(settings.gaia, work_of(model), pathlib.Path(folder), settings.clock)
        found = gaia.check()
        gaia_row = {"check": found, "versions": gaia.version(), "order": "paper", "note": "",
                    "dtype": "float32", "fault": fault_of(found)}
        peers, refused = {}, {}
        names = [name for name in settings.programs if model in PROGRAMS[name][2]]
        try:
            for name in names:
                print(f"{MODELS[model].title}: {name}", file=sys.stderr, flush=True)
                peer, row = start_peer(name, model, settings)
                (peers if peer else refused)[name] = (peer, row) if peer else row
            own, rates = [], {name: [] for name in peers}
            ratios = {name: [] for name in peers}
            if not gaia_row["fault"]:
                gaia.time(settings.seconds)  # warm
                for _ in range(settings.rounds):
                    for name in [*peers] or ["alone"]:
                        own.append(gaia.time(settings.seconds))
                        if name not in peers or peers[name][1]["fault"]:
                            continue
                        said = peers[name][0].ask("time")
                        if "error" in said:
                            peers[name][1]["fault"] = said["error"]
                            continue
                        rates[name].append(said["rate"])
                        ratios[name].append(own[-1] / said["rate"])
        finally:
            for peer, _ in peers.values():
                peer.end()
    rows = [row_of(model, "gaia", own, **gaia_row)]
    for name in names:
        if name in refused:
            rows.append(refused[name])
            continue
        row = dict(peers[name][1])
        title = row.pop("title")
        timed = ([], []) if row["fault"] else (rates[name], ratios[name])
        rows.append(row_of(model, title, *timed, **row))
    return rows


# ------------------------------------------------------------------------------------------- tables

def differences(found):
    return ", ".join(f"{value:.0e} ({dtype})" for dtype, value in found.items())


def markdown(result):
    from peers_rules_models import MODELS
    context = result["context"]
    lines = [f"# Rules beside other programs, {context['date']}", "",
             f"{context['cpu']}, one thread; {context['gaia']}. Made by `benchmarks/peers_rules.py`, "
             "which says what is measured. Medians of "
             f"{context['rounds']} rounds{CLOCK_SAID[context['clock']]}; spread: the middle half, relative to the median. Weights "
             "after 200 ticks: largest difference from a NumPy loop in float64, relative to the "
             "largest weight.", ""]
    if context.get("load"):
        lines += [f"Load of the machine when it began and ended: {context['load'][0]:.1f} and "
                  f"{context['load'][1]:.1f} on {context['processors']} processors.", ""]
    lines += ["| model | program | ticks/s | spread | slower than gaia by | numbers | "
              "weights after 200 ticks | versions |", "|---|---|---|---|---|---|---|---|"]
    said, faults = [], []
    for row in result["rows"]:
        title, program = MODELS[row["model"]].title, row["program"]
        if row.get("fault"):
            faults.append(f"- {title}, {program}: {row['fault']}.")
            continue
        slower = f"{number(row['times_slower'])} ×" if "times_slower" in row else ""
        lines.append(f"| {title} | {program} | {number(row['ticks_per_second'])} | "
                     f"{100 * row['spread']:.0f} % | {slower} | {row['dtype']} | "
                     f"{differences(row['check'])} | {row['versions']} |")
        if row["order"] != "paper":
            said.append(f"- {title}, {program}: its order of traces ({row['order']}), and its weights "
                        "are compared with a loop in that order.")
        if row["note"]:
            said.append(f"- {title}, {program}: {row['note']}.")
    if said:
        lines += ["", "How they were set up:", "", *dict.fromkeys(said)]
    if faults:
        lines += ["", "Without a figure:", "", *faults]
    return "\n".join(lines) + "\n"


def about_gaia(program):
    told = subprocess.run([program, "info"], capture_output=True, text=True, check=True).stdout
    instruction_set = next((part for part in told.replace(",", " ").split()
                            if part.startswith("x86-64-")), "")
    return f"{told.splitlines()[0]} {instruction_set}".strip()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gaia", default="build/release/bin/gaia", help="its program")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the peers")
    parser.add_argument("--models", nargs="+", choices=MODEL_NAMES, default=MODEL_NAMES)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3, help="that one time takes at least")
    parser.add_argument("--clock", choices=CLOCKS, default="wall",
                        help="cpu: processor time, for a machine on which others work too")
    parser.add_argument("--results", type=pathlib.Path, help="folder of DATE-rules.md and .json")
    parser.add_argument("--json")
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(sys.argv[2], sys.argv[3], float(sys.argv[4]), sys.argv[5])
    settings = parse_arguments()
    context = {"date": datetime.date.today().isoformat(), "cpu": processor(), "threads": 1,
               "gaia": about_gaia(settings.gaia), "rounds": settings.rounds,
               "seconds": settings.seconds, "clock": settings.clock, "processors": os.cpu_count(),
               "load": [os.getloadavg()[0]]}
    rows = [row for model in settings.models for row in measure(model, settings)]
    context["load"].append(os.getloadavg()[0])
    result = {"context": context, "rows": rows}
    text = markdown(result)
    print(text, end="")
    if settings.json:
        pathlib.Path(settings.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if settings.results:
        write_results(settings.results, "rules", text, result)
    wrong = [row for row in rows if row.get("fault") and "not installed" not in row["fault"]]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
