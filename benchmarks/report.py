# SPDX-License-Identifier: MIT
"""Joins what bench_operations and peers_cpu.py wrote into one table.

    report.py [--results DIR] [--beside N] FILE.json...

Prints Markdown.  --results writes DIR/DATE-cpu.md and DIR/DATE-cpu.json (google-benchmark's keys);
where they are there already, DATE-cpu-2 and so on.
Times of several rounds are put together; the table has the median and, since others may share the
machine, the fastest.  A ratio is a peer's time over gaia's, medians or the fastest of both, the peer
with as many threads as gaia or fewer, where it is faster with fewer.  Exits with 1 where an answer
was wrong.
"""

import argparse
import collections
import datetime
import json
import pathlib
import statistics
import sys

from peers_harness import quantile

LIBRARIES = {"gaia": "gaia", "NumPy": "numpy", "PyTorch": "torch"}

# What stands for all times of a case, and the end of the names of what is computed from it.
TIMES = {"real_time": "", "fastest": "_at_fastest"}


def add_share_at_clock(row):
    """The median share of the multiplications that were possible right after each time."""
    rates = row.pop("fma_rates", None)
    if rates:
        row["share_of_fma_at_clock"] = statistics.median(
            row["flops"] / (time * 1e-6) / rate
            for time, rate in zip(row["times"], rates, strict=True))


def share_of_work(row, other):
    """How many times the work of the other row a row's times are of; a round chooses that of a ceiling anew."""
    work, before = (one.get("flops", one.get("bytes")) for one in (row, other))
    return work / before if work and before else 1.0


def load(paths):
    """Contexts by library, and rows by (name, threads, library) with the times of all rounds."""
    contexts, rows, wrong = {}, {}, {}
    for path in paths:
        content = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        library = LIBRARIES[content["context"]["library"].split()[0]]
        contexts[library] = content["context"]
        for row in content["benchmarks"]:
            if row.get("error_occurred"):
                wrong[row["name"], library] = row["error_message"]
                continue
            key = row["name"], row["threads"], library
            before = rows.get(key)
            if before:
                row["times"] += [time * share_of_work(row, before) for time in before["times"]]
                if "fma_rates" in row:
                    row["fma_rates"] += before["fma_rates"]
                row["cpu_time"] = (row["cpu_time"] + before["cpu_time"]) / 2
                row["iterations"] += before["iterations"]
            rows[key] = row
    for (name, _, library), row in rows.items():
        add_share_at_clock(row)
        ordered = sorted(row.pop("times"))
        row.update(library=contexts[library]["library"], fastest=ordered[0],
                   real_time=statistics.median(ordered), lower_quartile=quantile(ordered, 0.25),
                   upper_quartile=quantile(ordered, 0.75))
        row["name"] = f"{name}/{library}"
        row["run_name"] = name
    return contexts, rows, wrong


def find_ceilings(rows):
    """Ceilings by threads: "float32" and "float64" in operations, "stream" in bytes per second; the best of
    all measurements."""
    ceilings = collections.defaultdict(dict)
    for (name, threads, _), row in rows.items():
        if name.startswith("ceiling/"):
            what = name.split("/")[2] if name.startswith("ceiling/fma") else "stream"
            rate = row.get("flops", row.get("bytes")) / row["fastest"] * 1e6
            ceilings[threads][what] = max(rate, ceilings[threads].get(what, 0))
    return ceilings


def add_ratios(contexts, rows):
    """Rates, shares of the machine's limits and ratios to peers, into gaia's rows."""
    ceilings = find_ceilings(rows)
    for (name, threads, library), row in rows.items():
        if library != "gaia" or name.startswith("ceiling/"):
            continue
        limits = ceilings.get(threads, {})
        for time, end in TIMES.items():
            per_second = 1e6 / row[time]
            if "flops" in row:
                row["flops_per_second" + end] = row["flops"] * per_second
                if row["dtype"] in limits:
                    row["share_of_fma_peak" + end] = (row["flops"] * per_second
                                                      / limits[row["dtype"]])
            elif "bytes" in row:
                row["bytes_per_second" + end] = row["bytes"] * per_second
                # What a cache holds may pass the bandwidth of memory.
                if "stream" in limits and row["bytes"] >= 2 * contexts["gaia"]["largest_cache"]:
                    row["share_of_stream" + end] = row["bytes"] * per_second / limits["stream"]
            for peer in ("numpy", "torch"):
                times = [other[time] for (its, count, who), other in rows.items()
                         if (its, who) == (name, peer) and count <= threads]
                if times:
                    row[f"ratio_to_{peer}{end}"] = min(times) / row[time]
    return ceilings


def time_text(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1), ("ns", 1e-3)):
        if microseconds >= size or unit == "ns":
            return f"{microseconds / size:.3g} {unit}"


def rate_text(row):
    if "flops_per_second" in row:
        text = f"{row['flops_per_second'] * 1e-9:.1f} GFLOP/s"
    else:
        text = f"{row['bytes_per_second'] * 1e-9:.1f} GB/s"
    if "/hierarchy/" in "/" + row["name"] or row["name"].startswith("plastic_levels/"):
        text += f", {row['items_per_second'] * 1e-6:.2f} M steps/s"
    return text


def share_text(row, end):
    for key, of in (("share_of_fma_peak", "FMA"), ("share_of_stream", "STREAM")):
        if key + end in row:
            text = f"{row[key + end] * 100:.0f} % {of}"
            if not end and "share_of_fma_at_clock" in row:
                text += f" ({row['share_of_fma_at_clock'] * 100:.0f} %)"
            return text
    return ""


def comparison_texts(row, end):
    """The share of the machine's limit and the ratios to the peers."""
    ratios = (row.get(f"ratio_to_{peer}{end}") for peer in ("numpy", "torch"))
    return [share_text(row, end), *("" if ratio is None else f"{ratio:.3g}" for ratio in ratios)]


def markdown(contexts, rows, wrong, ceilings, beside):
    gaia = contexts["gaia"]
    lines = [f"# {gaia['library']} on the CPU, {datetime.date.today()}"
             + (f", beside {beside} busy processes" if beside else ""), "",
             f"{gaia['cpu']}, {gaia['instruction_set']}; commit {gaia['commit']}, {gaia['build']}"
             + ("; **quick: sizes too small to tell anything of speed**" if gaia["quick"] else ""),
             "", "Beside it: " + (", ".join(context["library"] for library, context
                                            in contexts.items() if library != "gaia")
                                  or "no peers") + ".  Medians; spread: the middle half, relative "
             "to the median.  ×: how many times as long the peer takes.  What follows the fastest "
             "time is of the fastest times, of the peers too.  In brackets: the median share of "
             "what the processor multiplied right after each time, at the clock that the work had "
             "left it.", ""]
    lines += ["| threads | FMA float32 | FMA float64 | STREAM |", "|---|---|---|---|"]
    for threads, limits in sorted(ceilings.items()):
        lines.append(f"| {threads} | {limits['float32'] * 1e-9:.0f} GFLOP/s | "
                     f"{limits['float64'] * 1e-9:.0f} GFLOP/s | {limits['stream'] * 1e-9:.1f} GB/s |")
    for threads in sorted({count for _, count, library in rows if library == "gaia"}):
        lines += ["", f"## {threads} thread{'s' if threads > 1 else ''}", "",
                  "| case | gaia | spread | rate | of the limit | × NumPy | × PyTorch "
                  "| fastest | of the limit | × NumPy | × PyTorch |",
                  "|---|---|---|---|---|---|---|---|---|---|---|"]
        for (name, count, library), row in rows.items():
            if library != "gaia" or count != threads or name.startswith("ceiling/"):
                continue
            spread = (row["upper_quartile"] - row["lower_quartile"]) / row["real_time"]
            cells = [name, time_text(row["real_time"]), f"{spread * 100:.0f} %", rate_text(row),
                     *comparison_texts(row, ""), time_text(row["fastest"]),
                     *comparison_texts(row, "_at_fastest")]
            lines.append(f"| {' | '.join(cells)} |")
    if wrong:
        lines += ["", "## Wrong, and not timed", ""]
        lines += [f"- {name} by {library}: {message}" for (name, library), message in wrong.items()]
    return "\n".join(lines) + "\n"


def free_stem(folder, kind):
    """Name of today's files, which no earlier report has."""
    first = folder / f"{datetime.date.today()}-{kind}"
    stem = first
    number = 1
    while any(stem.with_suffix(suffix).exists() for suffix in (".md", ".json")):
        number += 1
        stem = first.with_name(f"{first.name}-{number}")
    return stem


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--beside", type=int, default=0, metavar="N",
                        help="number of busy processes that ran meanwhile")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    contexts, rows, wrong = load(arguments.files)
    if "gaia" not in contexts:
        sys.exit("report.py: none of the files is bench_operations'")
    ceilings = add_ratios(contexts, rows)
    text = markdown(contexts, rows, wrong, ceilings, arguments.beside)
    print(text, end="")
    if arguments.results:
        arguments.results.mkdir(parents=True, exist_ok=True)
        stem = free_stem(arguments.results, "cpu-busy" if arguments.beside else "cpu")
        stem.with_suffix(".md").write_text(text, encoding="utf-8")
        benchmarks = list(rows.values()) + [
            {"name": f"{name}/{library}", "run_type": "iteration", "error_occurred": True,
             "error_message": message} for (name, library), message in wrong.items()]
        context = {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
                   "busy_processes": arguments.beside,
                   "libraries": contexts,
                   "ceilings": {str(threads): limits for threads, limits in ceilings.items()}}
        stem.with_suffix(".json").write_text(
            json.dumps({"context": context, "benchmarks": benchmarks}, indent=1) + "\n",
            encoding="utf-8")
        print(f"benchmark: written to {stem}.md and .json", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
