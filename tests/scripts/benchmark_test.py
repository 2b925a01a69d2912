#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/benchmark with small sizes: what it writes, what it says of peers that are missing, and
that wrong answers are found and not timed.

    benchmark_test.py SOURCE_DIR BENCH_OPERATIONS WORK_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

source, program, work = (pathlib.Path(path) for path in sys.argv[1:4])
script = source / "scripts" / "benchmark"
sys.path.insert(0, str(source / "benchmarks"))
sys.dont_write_bytecode = True

try:
    import numpy  # noqa: F401
    has_numpy = True
except ImportError:
    has_numpy = False


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True, check=False,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment})


def case_names(*arguments):
    return run(program, "--list", *arguments).stdout.split()


def written(library, threads, rows, **context):
    """A file as bench_operations or peers_cpu.py write it; rows are (name, times, more)."""
    path = work / f"{library.split()[0]}-{threads}-{len(list(work.iterdir()))}.json"
    benchmarks = [{"name": name, "run_type": "iteration", "threads": threads, "times": times,
                   "iterations": len(times), "cpu_time": 1.0, "time_unit": "us", **more}
                  for name, times, more in rows]
    path.write_text(json.dumps({"context": {"library": library, **context},
                                "benchmarks": benchmarks}))
    return path


GAIA = {"cpu": "a processor", "instruction_set": "plain", "commit": "0", "build": "none",
        "quick": False, "largest_cache": 100.0}
CEILINGS = [("ceiling/fma/float32", [2.0, 4.0], {"flops": 2000.0}),
            ("ceiling/fma/float64", [2.0], {"flops": 1000.0}),
            ("ceiling/copy", [2.0], {"bytes": 400.0}),
            ("ceiling/triad", [2.0], {"bytes": 800.0})]


class Benchmark(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)

    def benchmark(self, *arguments, **environment):
        return run(script, "--quick", "--program", program, *arguments,
                   **{"PYTHON": sys.executable, **environment})

    def report(self, *files):
        return run(sys.executable, source / "benchmarks" / "report.py", "--results", work / "out",
                   *files)

    def rows(self):
        (path,) = (work / "out").glob("*-cpu.json")
        content = json.loads(path.read_text())
        return content, {(row["name"], row.get("threads")): row for row in content["benchmarks"]}

    def test_gaia_and_its_peers_stand_in_one_table(self):
        done = self.benchmark("--filter", "oja", "--threads", "1 2", "--results", work / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        content, rows = self.rows()
        names = case_names("--quick", "--filter", "oja")
        self.assertGreater(len(names), 5)
        for name in names:
            for threads in (1, 2):
                row = rows[name + "/gaia", threads]
                self.assertEqual(row["run_type"], "iteration")
                self.assertEqual(row["time_unit"], "us")
                self.assertGreater(row["iterations"], 0)
                self.assertGreater(row["cpu_time"], 0)
                self.assertLessEqual(row["lower_quartile"], row["real_time"])
                self.assertLessEqual(row["real_time"], row["upper_quartile"])
                self.assertGreater(row["share_of_fma_peak"], 0)
                self.assertGreater(row["share_of_fma_at_clock"], 0)
                self.assertIn(f"| {name} |", done.stdout)
                if has_numpy and not name.startswith(("hierarchy_layers/", "steps/")):
                    self.assertGreater(rows[name + "/numpy", threads]["real_time"], 0)
                    self.assertGreater(row["ratio_to_numpy"], 0)
        for threads in ("1", "2"):
            for limit in ("float32", "float64", "stream"):
                self.assertGreater(content["context"]["ceilings"][threads][limit], 0)
        (table,) = (work / "out").glob("*-cpu.md")
        self.assertEqual(table.read_text(), done.stdout)

    def test_busy_rounds_stand_in_a_table_of_their_own(self):
        done = self.benchmark("--filter", "add/4", "--threads", "1", "--busy", "2", "--results",
                              work / "out", PYTHON="/bin/false")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("round 1 of 1, 1 thread(s), beside 2 busy processes", done.stderr)
        quiet, busy = ((work / "out").glob(pattern) for pattern in ("*-cpu.json", "*-cpu-busy.json"))
        counts = [[json.loads(path.read_text())["context"]["busy_processes"] for path in found]
                  for found in (quiet, busy)]
        self.assertEqual(counts, [[0], [2]])
        self.assertEqual(done.stdout.count("| add/4 |"), 2)
        self.assertIn("beside 2 busy processes\n", done.stdout)
        self.assertEqual(self.benchmark("--busy", "many").returncode, 2)

    def test_peers_that_are_missing_are_named(self):
        done = self.benchmark("--filter", "add/4", "--threads", "1", PYTHON="/bin/false")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("numpy: left out", done.stderr)
        self.assertIn("torch: left out", done.stderr)
        self.assertIn("no peers", done.stdout)
        self.assertIn("| add/4 |", done.stdout)

    def test_wrong_usage_exits_2(self):
        for arguments in (["--nothing"], ["--filter"], ["--filter", "no such case"]):
            self.assertEqual(self.benchmark(*arguments).returncode, 2, arguments)

    def test_every_case_is_right_at_once(self):
        done = run(program, "--quick", "--no-ceilings", "--repeats", "1", "--seconds", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1 + len(case_names("--quick")))

    def test_the_report_joins_ceilings_whose_rounds_were_of_unequal_work(self):
        for first, second in ((1.0, 2.0), (2.0, 1.0)):
            files = [written("gaia 0", 1, [("ceiling/fma/float32", [time, 2 * time], {"flops": 1000.0 * time}),
                                           *CEILINGS[1:]], **GAIA) for time in (first, second)]
            self.assertEqual(self.report(*files).returncode, 0)
            content, rows = self.rows()
            self.assertAlmostEqual(content["context"]["ceilings"]["1"]["float32"], 1e9)
            self.assertEqual(rows["ceiling/fma/float32/gaia", 1]["real_time"], 1.5 * second)
            shutil.rmtree(work / "out")

    def test_the_report_compares_with_a_peer_on_as_many_threads_or_fewer(self):
        work_row = {"flops": 600.0, "dtype": "float32"}
        moved_row = {"bytes": 300.0, "dtype": "float32"}
        files = [written("gaia 0", 1, CEILINGS + [("a/1", [10.0, 12.0, 11.0], work_row),
                                                  ("b/1", [3.0], moved_row)], **GAIA),
                 written("gaia 0", 2, [("a/1", [5.0], work_row)], **GAIA),
                 written("gaia 0", 2, [("a/1", [7.0], work_row)], **GAIA),  # another round
                 written("PyTorch 0", 1, [("a/1", [33.0], {})]),
                 written("PyTorch 0", 2, [("a/1", [66.0], {})])]
        done = self.report(*files)
        self.assertEqual(done.returncode, 0, done.stderr)
        _, rows = self.rows()
        self.assertEqual(rows["a/1/gaia", 1]["real_time"], 11.0)
        self.assertEqual(rows["a/1/gaia", 2]["real_time"], 6.0)
        self.assertEqual(rows["a/1/gaia", 2]["iterations"], 2)
        self.assertAlmostEqual(rows["a/1/gaia", 1]["ratio_to_torch"], 3.0)
        self.assertAlmostEqual(rows["a/1/gaia", 2]["ratio_to_torch"], 5.5)
        self.assertNotIn("ratio_to_numpy", rows["a/1/gaia", 1])
        # 600 in 11 µs of 2000 in 2 µs; 300 in 3 µs of 800 in 2 µs.
        self.assertAlmostEqual(rows["a/1/gaia", 1]["share_of_fma_peak"], 600 / 11 / 1000)
        self.assertAlmostEqual(rows["b/1/gaia", 1]["share_of_stream"], 100 / 400)
        # And of the fastest.
        self.assertAlmostEqual(rows["a/1/gaia", 1]["ratio_to_torch_at_fastest"], 3.3)
        self.assertAlmostEqual(rows["a/1/gaia", 2]["ratio_to_torch_at_fastest"], 6.6)
        self.assertAlmostEqual(rows["a/1/gaia", 1]["share_of_fma_peak_at_fastest"], 600 / 10 / 1000)
        self.assertIn("| a/1 | 11 µs | 9 % | 0.1 GFLOP/s | 5 % FMA |  | 3 | 10 µs | 6 % FMA |  | 3.3 |",
                      done.stdout)
        self.assertNotIn("share_of_fma_at_clock", rows["a/1/gaia", 1])

    def test_a_share_at_the_clock_is_of_the_rate_right_after_each_time(self):
        def row(rates):
            return {"flops": 600.0, "dtype": "float32", "fma_rates": rates}
        files = [written("gaia 0", 1, CEILINGS + [("a/1", [10.0, 12.0], row([1e8, 2e8]))], **GAIA),
                 written("gaia 0", 1, [("a/1", [30.0], row([1e8]))], **GAIA)]  # another round
        done = self.report(*files)
        self.assertEqual(done.returncode, 0, done.stderr)
        _, rows = self.rows()
        # 600 in 10, 12 and 30 µs of 100, 200 and 100 a µs.
        self.assertAlmostEqual(rows["a/1/gaia", 1]["share_of_fma_at_clock"], 0.25)
        self.assertNotIn("fma_rates", rows["a/1/gaia", 1])
        self.assertIn("| 5 % FMA (25 %) |", done.stdout)

    def test_a_report_takes_no_other_ones_place(self):
        work_row = {"flops": 600.0, "dtype": "float32"}
        file = written("gaia 0", 1, CEILINGS + [("a/1", [1.0], work_row)], **GAIA)
        for _ in range(3):
            self.assertEqual(self.report(file).returncode, 0)
        for suffix in ("md", "json"):
            names = sorted(path.name for path in (work / "out").glob(f"*.{suffix}"))
            self.assertEqual(len(names), 3, names)
            self.assertTrue(names[0].endswith(f"-cpu-2.{suffix}"), names)
            self.assertTrue(names[1].endswith(f"-cpu-3.{suffix}"), names)
            self.assertTrue(names[2].endswith(f"-cpu.{suffix}"), names)

    def test_a_wrong_answer_is_reported_and_fails(self):
        wrong = {"name": "a/1", "run_type": "iteration", "error_occurred": True,
                 "error_message": "differs from the reference by 1.0e+00, more than 1e-05"}
        path = written("gaia 0", 1, CEILINGS, **GAIA)
        content = json.loads(path.read_text())
        content["benchmarks"].append(wrong)
        path.write_text(json.dumps(content))
        done = self.report(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a/1 by gaia: differs from the reference", done.stdout)
        # The whole command fails with it.
        stand_in = work / "bench_operations"
        stand_in.write_text('#!/bin/sh\n[ "$1" != --list ] || { echo a/1; exit 0; }\n'
                            f'for last; do :; done\ncp {path} "$last"\nexit 1\n')
        stand_in.chmod(0o755)
        done = run(script, "--quick", "--threads", "1", "--program", stand_in, PYTHON="/bin/false")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Wrong, and not timed", done.stdout)

    @unittest.skipUnless(has_numpy, "no NumPy")
    def test_a_peer_that_answers_wrongly_is_not_timed(self):
        import peers_cpu
        import peers_harness
        calls = []
        way = peers_harness.Way(lambda: calls.append(1), lambda: 1.0)
        record = peers_cpu.measure_case(("a/1", [way]), (1, 0.0, 0.0))
        self.assertTrue(record["error_occurred"])
        self.assertEqual(calls, [])
        way.error = lambda: 0.0
        self.assertIn("real_time", peers_cpu.measure_case(("a/1", [way]), (1, 0.0, 0.0)))
        self.assertNotEqual(calls, [])

    @unittest.skipUnless(has_numpy, "no NumPy")
    def test_the_peers_know_every_case_and_see_wrong_answers(self):
        import numpy as np
        import peers_cpu
        import peers_cpu_work
        import peers_harness
        library = peers_cpu.open_library("numpy", 1)
        for name in case_names("--quick"):
            ways = library.ways(name)
            # NumPy has no erf and no packed codes.
            none = name.startswith(("hierarchy_layers/", "steps/", "growth/", "erf/", "ternary_product/"))
            self.assertEqual(ways == [], none, name)
            for way in ways:
                self.assertLessEqual(way.error(), way.tolerance, name)
        wanted = np.array([1.0, 2.0])
        self.assertEqual(peers_harness.relative_error([1.0, 3.0], wanted), 0.5)
        self.assertEqual(peers_harness.relative_error([1.0, np.nan], wanted), np.inf)
        self.assertEqual(peers_harness.relative_error([1.0], wanted), np.inf)
        library.layer = lambda *what: peers_cpu_work.NumPyLayer(what[0], "hebbian", *what[2:])
        (wrong,) = library.ways("plasticity/oja/40x80x100/float32")
        self.assertGreater(wrong.error(), wrong.tolerance)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
