#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/check-gpu without a GPU: what it says, what it packs, and what its exit code means.

    check_gpu_test.py SOURCE_DIR GPU_BENCHMARK GAIA GAIA_HDF5_READER WORK_DIR

Packs a build tree of stand-ins and runs it with an nvidia-smi that names a GPU.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import unittest

source, program, gaia, reader, work = (pathlib.Path(path) for path in sys.argv[1:6])
script = source / "scripts" / "check-gpu"
peers = source / "benchmarks" / "peers_gpu.py"
SANITIZED = ("array", "backend", "hierarchy", "layers", "learning")
TESTS = SANITIZED + ("cuda", "theory")
PEERS = ("torch", "torch_flash", "torch_cudnn", "torch_math", "torch_epilogue", "torch_compiled",
         "cupy")
FOR_RUNS = {"gaia-hdf5-reader", "experiments"}


def run(command, **environment):
    return subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          env={**os.environ, **environment}, check=False)


def write_program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def has_gpu():
    try:
        done = run(["nvidia-smi", "-L"])
        return done.returncode == 0 and done.stdout != ""
    except OSError:
        return False


class CheckGpu(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(work, ignore_errors=True)
        self.build, self.tools, self.pack = work / "build", work / "tools", work / "pack"
        for folder in (self.build / "bin", self.build / "libexec", self.build / "tests", self.tools):
            folder.mkdir(parents=True)
        names = ["bin/gaia", "bin/gpu_benchmark", "libexec/gaia-hdf5-reader"]
        names += [f"tests/test_{name}" for name in TESTS + ("io", "apps", "experiment", "robustness")]
        for name in names:
            shutil.copy("/bin/true", self.build / name)
        # As on a machine with a GPU; where there is none, the line says why.
        write_program(self.build / "bin" / "gaia", "[ \"$1\" != info ] || echo 'cuda       available'\n")
        write_program(self.tools / "nvidia-smi", "echo GPU 0: a stand-in\n")
        # "--kernel-name regex:NAME ... PROGRAM"
        write_program(self.tools / "ncu", 'echo "ncu $*"\n')
        # "--tool NAME --error-exitcode 9 ... PROGRAM"
        write_program(self.tools / "compute-sanitizer",
                      'echo "$*"; while [ "${1#--}" != "$1" ]; do shift 2; done; exec "$@"\n')

    def make_pack(self, **environment):
        done = run([script, "--from", self.build, "--pack", self.pack], **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def make_stand_ins_of_scripts(self):
        (self.pack / "peers_gpu.py").write_text("print('none here')\nraise SystemExit(77)\n")

    def run_pack(self, *arguments, **environment):
        path = f"{self.tools}:{os.environ['PATH']}"
        return run([self.pack / "check-gpu", *arguments], PATH=path, **environment)

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_without_a_gpu_it_says_so_and_exits_77(self):
        done = run([script])
        self.assertEqual(done.returncode, 77)
        self.assertIn("there is no GPU here", done.stderr)
        self.make_pack()
        self.assertEqual(run([self.pack / "check-gpu"]).returncode, 77)

    def test_wrong_usage_exits_2(self):
        for arguments in (["--part", "nothing"], ["--nothing"], ["--pack"],
                          ["--pack", self.pack, "--part", "nothing"]):
            self.assertEqual(run([script, *arguments]).returncode, 2, arguments)

    def test_the_parts_are_listed(self):
        self.assertEqual(run([script, "--list"]).stdout.split(),
                         ["smoke", "tests", "runs", "benchmark", "peers", "deltanet", "profile",
                          "memcheck", "racecheck", "synccheck", "emulated"])

    def test_a_pack_holds_programs_and_their_libraries(self):
        shutil.copy(program, self.build / "bin" / "gpu_benchmark")
        # This build of gaia may hold code for several chips.
        self.make_pack(CHECK_GPU_MEGABYTES="1000")
        files = {path.name for path in self.pack.iterdir()}
        self.assertEqual(files, {"check-gpu", "gaia", "gpu_benchmark", "lib", "pack.txt",
                                 "peers_gpu.py", "peers_harness.py",
                                 *FOR_RUNS, *(f"test_{name}" for name in TESTS)})
        libraries = {path.name for path in (self.pack / "lib").iterdir()}
        if any("libgaia" in line for line in run(["ldd", program]).stdout.splitlines()):
            self.assertTrue(any(name.startswith("libgaia.so") for name in libraries), libraries)
        self.assertFalse({"libc.so.6", "libm.so.6"} & libraries)
        # A second pack replaces the first; anything else in the way stays.
        self.make_pack(CHECK_GPU_MEGABYTES="1000")
        (work / "mine").mkdir()
        (work / "mine" / "file").write_text("mine")
        self.assertEqual(
            run([script, "--from", self.build, "--pack", work / "mine"]).returncode, 1)
        self.assertEqual((work / "mine" / "file").read_text(), "mine")

    def test_a_pack_of_a_part_holds_what_the_part_needs(self):
        sanitized = [f"test_{name}" for name in SANITIZED]
        for part, programs in {"smoke": [name for name in sanitized if name != "test_layers"]
                               + ["gpu_benchmark"],
                               "tests": sanitized + ["test_theory", "gaia-hdf5-reader"], "emulated": ["test_cuda"],
                               "runs": FOR_RUNS,
                               "memcheck": sanitized, "racecheck": sanitized,
                               "synccheck": sanitized, "benchmark": ["gpu_benchmark"],
                               "profile": ["gpu_benchmark"],
                               "peers": [], "deltanet": []}.items():
            with self.subTest(part):
                done = run([script, "--from", self.build, "--pack", self.pack, "--part", part])
                self.assertEqual(done.returncode, 0, done.stderr)
                files = {path.name for path in self.pack.iterdir()}
                self.assertEqual(files, {"check-gpu", "gaia", "lib", "pack.txt", "peers_gpu.py", "peers_harness.py",
                                         *programs})
                self.make_stand_ins_of_scripts()
                # It runs its part without being asked, and no other.
                if part not in ("peers", "deltanet"):
                    done = self.run_pack()
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stdout, f"(?m)^{part} .* passed ")
                other = "benchmark" if part == "tests" else "tests"
                done = self.run_pack("--part", other)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"holds the part {part} alone", done.stderr)

    def test_a_program_that_a_sanitizer_cannot_watch_is_skipped(self):
        self.make_pack()
        write_program(self.tools / "compute-sanitizer",
                      "echo '= Error: Target application terminated before first instrumented API "
                      "call'; exit 255\n")
        done = self.run_pack("--part", "memcheck")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "(?m)^memcheck +test_array +skipped .*never calls the device")
        write_program(self.tools / "compute-sanitizer", "exit 255\n")
        self.assertEqual(self.run_pack("--part", "memcheck").returncode, 1)

    def test_rows_are_on_the_disk_as_they_are_measured(self):
        rows = work / "rows.json"
        with subprocess.Popen([str(program), "--cpu-only", "--group", "arrays", "--json", str(rows)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            while not rows.exists() and running.poll() is None:
                time.sleep(0.01)
            self.assertIsNone(running.poll(), "it was done before it could be killed")
            running.kill()
        names = {row["run_name"] for row in json.loads(rows.read_text())["benchmarks"]}
        self.assertIn("zeros/1000x1000", names)
        self.assertNotIn("norm/8192x8192", names)
        # What is left when the time is up is named.
        done = run([program, "--cpu-only", "--quick", "--group", "arrays", "--max-time", "1e-9",
                    "--json", rows])
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads(rows.read_text())
        self.assertEqual(found["benchmarks"], [])
        listed = run([program, "--quick", "--group", "arrays", "--list"]).stdout.split()
        self.assertEqual(found["left_out"], listed)
        self.assertIn("no time left for zeros/1000x1000, ", done.stdout)

    def test_the_groups_of_cases_are_those_of_gpu_benchmark(self):
        groups = re.search(r"benchmark_groups=\((.*)\)", script.read_text()).group(1).split()
        listed = [name for group in groups
                  for name in run([program, "--group", group, "--list"]).stdout.split()]
        self.assertEqual(sorted(listed), sorted(run([program, "--list"]).stdout.split()))

    def test_the_sanitizers_watch_the_gpu_alone(self):
        self.make_pack()
        write_program(self.pack / "test_layers", 'echo "devices: $GAIA_TEST_DEVICES"\n')
        for part in ("racecheck", "memcheck", "tests"):
            self.assertEqual(self.run_pack("--part", part).returncode, 0)
            log = (self.pack / "results" / f"{part}-test_layers.log").read_text()
            self.assertTrue(log.endswith("devices: cuda\n"), log)
            # Memory that tests ask for in vain is no error of a kernel.
            self.assertEqual("--report-api-errors no" in log, part == "memcheck")

    def test_racecheck_leaves_out_what_shares_no_memory(self):
        self.make_pack()
        write_program(self.pack / "test_backend", '''case "$1 $2" in
  "-# -t") printf '  1  [#elementwise_test]\\n  1  [#scan_test]\\n' ;;
esac
''')
        for part, is_there in (("racecheck", False), ("memcheck", True)):
            done = self.run_pack("--part", part)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("test_backend/scan ", done.stdout)
            self.assertEqual("test_backend/elementwise" in done.stdout, is_there)

    def test_racecheck_runs_each_test_of_a_slow_file_by_itself(self):
        names = ("one, two", "is a\\b", 'says "no"')
        for listing, refused in (("--list-test-names-only", "--list-tests"),  # Catch2 2 and 3
                                 ("--list-tests --verbosity quiet", "--list-test-names-only")):
            self.make_pack()
            (self.pack / "names").write_text("\n".join(names) + "\n")
            write_program(self.pack / "test_backend", f'''case "$*" in
  "-# -t") printf '  1  [#scan_test]\\n  1  [#slope_test]\\n  1  [#conversion_test]\\n' ;;
  "-# [#scan_test] {listing}") cat "$(dirname "$0")/names"; exit 3 ;;
  *"{refused}"*) echo "Error(s) in input: $*"; exit 255 ;;
  *two) printf 'in vain: %s\\n' "$*"; exit 42 ;;
  *) printf 'ran %s\\n' "$*" ;;
esac
''')
            done = self.run_pack("--part", "racecheck")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stdout, "(?m)^racecheck +test_backend/conversion +passed ")
            for number, result in ((1, "failed"), (2, "passed"), (3, "passed")):
                self.assertRegex(done.stdout,
                                 f"(?m)^racecheck +test_backend/scan/{number} +{result} ")
            self.assertNotRegex(done.stdout, "test_backend/(scan |scan/4|slope)")
            # Commas, quotes and backslashes have a meaning for Catch2.
            logs = [(self.pack / "results" / f"racecheck-test_backend-scan_test-{i}.log").read_text()
                    for i in (1, 2, 3)]
            self.assertTrue(logs[0].endswith("in vain: one\\, two\n"), logs[0])
            self.assertTrue(logs[1].endswith("ran is a\\\\b\n"), logs[1])
            self.assertTrue(logs[2].endswith('ran says \\"no\\"\n'), logs[2])
            # The file runs as it is if no tests are named, as under every other tool.
            (self.pack / "names").write_text("")
            for part in ("racecheck", "memcheck"):
                done = self.run_pack("--part", part)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertRegex(done.stdout, f"(?m)^{part} +test_backend/scan +passed ")

    def test_a_large_pack_is_compressed_until_it_is_run(self):
        write_program(self.build / "tests" / "test_array", "exit 0\n" + "#" * (61 << 20) + "\n")
        self.make_pack(CHECK_GPU_MEGABYTES="50")
        files = {path.name for path in self.pack.iterdir()}
        self.assertEqual(files, {"check-gpu", "pack.txt", "peers_gpu.py", "peers_harness.py",
                                 "programs.tar.gz", "experiments"})
        for _ in range(2):
            done = self.run_pack("--part", "tests")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, "(?m)^tests +test_array +passed ")
        self.assertFalse((self.pack / "programs.tar.gz").exists())

    def test_one_command_packs_all_parts_and_tells_the_calls(self):
        done = self.make_pack()
        calls = [line.strip() for line in done.stdout.splitlines() if "check-gpu" in line]
        parts = run([script, "--list"]).stdout.split()
        self.assertEqual(calls, [f"{self.pack}/check-gpu --part {part}" for part in parts])
        self.assertIn("in this order, each in at most 8 minutes", done.stdout)
        for call in calls[:2]:
            done = run(call.split(), PATH=f"{self.tools}:{os.environ['PATH']}")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_parts_that_are_too_large_together_have_a_pack_each(self):
        # Random numbers cannot be compressed: 5 MB for the emulator, 6 for a test of the device.
        for name, megabytes in (("cuda", 5), ("theory", 6)):
            (self.build / "tests" / f"test_{name}").write_bytes(os.urandom(megabytes << 20))
            (self.build / "tests" / f"test_{name}").chmod(0o755)
        done = self.make_pack(CHECK_GPU_MEGABYTES="8")
        self.assertIn("a pack for each part", done.stderr)
        done = self.make_pack(CHECK_GPU_MEGABYTES="8")  # in place of the first
        parts = run([script, "--list"]).stdout.split()
        calls = [line.strip() for line in done.stdout.splitlines() if "check-gpu" in line]
        self.assertEqual(calls, [f"{self.pack}/{part}/check-gpu" for part in parts])
        for part in parts:
            size = sum(path.stat().st_size for path in (self.pack / part).rglob("*")
                       if path.is_file())
            self.assertLess(size, 8 << 20, part)
        done = run([self.pack / "racecheck" / "check-gpu"],
                   PATH=f"{self.tools}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "(?m)^racecheck +test_array +passed ")

    def test_a_pack_that_is_too_large_is_refused(self):
        # Random numbers cannot be stripped.
        (self.build / "tests" / "test_array").write_bytes(os.urandom(9 << 20))
        (self.build / "tests" / "test_array").chmod(0o755)
        for arguments in ([], ["--part", "tests"]):
            done = run([script, "--from", self.build, "--pack", self.pack, *arguments],
                       CHECK_GPU_MEGABYTES="8")
            self.assertEqual(done.returncode, 1)
            self.assertIn("more than 8", done.stderr)

    def test_all_that_passes_exits_0_with_a_table(self):
        self.make_pack()
        self.make_stand_ins_of_scripts()
        done = self.run_pack()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split()[:3] for line in done.stdout.splitlines()]
        for line in (["tests", "test_array", "passed"], ["tests", "test_backend", "passed"],
                     ["runs", "sunspots", "on"], ["runs", "sunspots", "compared"],
                     ["emulated", "test_cuda", "passed"],
                     *([tool, f"test_{name}", "passed"] for name in SANITIZED
                       for tool in ("memcheck", "racecheck", "synccheck")),
                     *(["benchmark", group, "passed"] for group in ("fused", "scaling")),
                     ["smoke", "facts", "passed"], ["profile", "plastic", "passed"],
                     ["deltanet", "fla", "skipped"],
                     *(["peers", peer, "skipped"] for peer in PEERS)):
            self.assertIn(line, lines)
        self.assertIn("none here", done.stdout)
        self.assertTrue((self.pack / "results" / "table.txt").exists())

    def test_runs_on_the_gpu_are_compared_with_those_of_the_cpu(self):
        shutil.copy(reader, self.build / "libexec" / "gaia-hdf5-reader")
        (self.tools / "python3").symlink_to(sys.executable)  # which may have h5py
        # In place of a GPU the CPU's other executor, which rounds otherwise.
        stand_in = """[ "$1" != info ] || { echo "cuda       available"; exit 0; }
last=''
for word in "$@"; do
  shift
  [ "$last $word" != "--device cuda" ] || word=cpu other=yes
  set -- "$@" "$word"
  last=$word
done
[ "$other$1" != yesrun ] || set -- "$@" --set hierarchy.executor=stepwise SPOILT
exec PROGRAM "$@"
"""

        def runs(spoilt=""):
            write_program(self.build / "bin" / "gaia",
                          stand_in.replace("PROGRAM", str(gaia)).replace("SPOILT", spoilt))
            done = run([script, "--from", self.build, "--pack", self.pack, "--part", "runs"])
            self.assertEqual(done.returncode, 0, done.stderr)
            return self.run_pack()

        done = runs()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for what in ("sunspots", "bcm_selectivity"):
            for device in ("cpu", "cuda"):
                self.assertRegex(done.stdout, f"(?m)^runs +{what} on {device} +passed ")
        self.assertRegex(done.stdout, "(?m)^runs +apply on cuda +passed ")
        self.assertRegex(done.stdout, "(?m)^runs +resume: interrupted on cuda +(passed|skipped) ")
        for what in ("sunspots", "bcm_selectivity", "apply", "resume"):
            self.assertRegex(done.stdout, f"(?m)^runs +{what} compared +passed ")
        done = runs("--seed 12")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^runs +sunspots compared +failed ")
        log = (self.pack / "results" / "runs-sunspots.log").read_text()
        self.assertIn("differs  /levels/0/representation [0, 0]: ", log)

    def test_programs_that_do_not_reach_the_gpu_end_it(self):
        self.make_pack()
        for text in ("echo cuda   the driver is too old\n", "echo no such library >&2; exit 127\n"):
            write_program(self.pack / "gaia", text)
            done = self.run_pack("--part", "tests")
            self.assertEqual(done.returncode, 1)
            self.assertIn("do not reach the GPU", done.stderr)
            self.assertRegex(done.stderr, "the driver is too old|no such library")
            self.assertNotIn("test_array", done.stdout)

    def test_the_table_says_where_cublas_is(self):
        self.make_pack()
        done = self.run_pack("--part", "emulated", LD_LIBRARY_PATH="")
        self.assertRegex(done.stdout, "machine +cuBLASLt +(passed|skipped .*LD_LIBRARY_PATH)")
        library = work / "libraries" / "libcublasLt.so.13"
        library.parent.mkdir()
        library.write_text("")
        done = self.run_pack("--part", "emulated", LD_LIBRARY_PATH=str(library.parent))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "machine +cuBLASLt +passed .*libcublasLt.so.13")

    def test_anything_that_fails_exits_1(self):
        self.make_pack()
        write_program(self.pack / "test_array", "echo a test failed; exit 3\n")
        done = self.run_pack("--part", "tests")
        self.assertEqual(done.returncode, 1)
        self.assertIn("code 3", done.stdout)
        self.assertNotIn("memcheck", done.stdout)
        log = self.pack / "results" / "tests-test_array.log"
        self.assertEqual(log.read_text(), "a test failed\n")
        write_program(self.tools / "compute-sanitizer", "exit 9\n")
        done = self.run_pack("--part", "racecheck", "--results", work / "elsewhere")
        self.assertEqual(done.returncode, 1)
        self.assertTrue((work / "elsewhere" / "table-racecheck.txt").exists())

    def test_every_file_of_tests_has_a_process_and_what_fails_runs_again(self):
        self.make_pack()
        write_program(self.pack / "test_array", """
case "$*" in
  "-# -t") printf 'All available tags:\\n   3  [#good_test]\\n  12  [#bad_test]\\n 2 tags\\n' ;;
  "-# [#good_test]") echo good ;;
  "-# [#bad_test]") echo "bad, blocking: $CUDA_LAUNCH_BLOCKING"; kill -SEGV $$ ;;
esac
""")
        done = self.run_pack("--part", "tests")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^tests +test_array/good +passed ")
        self.assertRegex(done.stdout, "(?m)^tests +test_array/bad +failed .*code 139")
        self.assertRegex(done.stdout, "(?m)^tests +test_theory +passed ")
        self.assertIn("bad, blocking: \n", done.stderr)  # the end of its log
        again = self.pack / "results" / "tests-test_array-bad_test-blocking.log"
        self.assertIn("bad, blocking: 1", again.read_text())

    def test_a_group_of_cases_that_crashes_loses_no_other(self):
        self.make_pack()
        self.make_stand_ins_of_scripts()
        self.stand_in_for_benchmark("""
echo "{}" >"$json"
[ "$group" != hierarchy ] || kill -ABRT $$
echo "gaia table of $group"
""")
        done = self.run_pack("--part", "benchmark")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^benchmark +hierarchy +failed .*code 134")
        for group in ("fused", "equations", "arrays", "scaling"):
            self.assertRegex(done.stdout, f"(?m)^benchmark +{group} +passed ")
            self.assertIn(f"gaia table of {group}", done.stdout)
        self.assertTrue((self.pack / "results" / "gpu_benchmark-hierarchy.json").exists())

    def test_an_error_that_stays_ends_its_group_and_no_other(self):
        self.make_pack()
        # As after an illegal access: the first row is measured, all others of the process fail.
        self.stand_in_for_benchmark("""
echo "{\\"rows\\": [\\"first of $group\\"]}" >"$json"
if [ "$group" = equations ]; then
  echo "second of $group on cuda:0: failed: cudaErrorIllegalAddress"
  echo "third of $group on cuda:0: failed: cudaErrorIllegalAddress"
  exit 1
fi
echo "gaia table of $group"
""")
        done = self.run_pack("--part", "benchmark")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^benchmark +equations +failed .*code 1 .third of "
                                      "equations on cuda:0: failed: cudaErrorIllegalAddress.; see ")
        self.assertRegex(done.stderr, "(?m)2 failed:\nbenchmark +equations +failed .*\n"
                                      "benchmark +equations_interpreted +failed ")
        for group in ("fused", "hierarchy", "equations", "arrays", "scaling"):
            if group != "equations":
                self.assertRegex(done.stdout, f"(?m)^benchmark +{group} +passed ")
            rows = (self.pack / "results" / f"gpu_benchmark-{group}.json").read_text()
            self.assertIn(f"first of {group}", rows)

    def test_a_group_that_overruns_keeps_its_rows_and_the_rest_is_named(self):
        self.make_pack()
        self.stand_in_for_benchmark("""
echo "{\\"rows\\": [\\"first of $group\\"]}" >"$json"
[ "$group" != hierarchy ] || exec sleep 60
""")
        done = self.run_pack("--part", "benchmark", CHECK_GPU_PART_SECONDS="6")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^benchmark +hierarchy +failed +[0-9]+  out of time")
        self.assertRegex(done.stdout, "(?m)^benchmark +scaling +failed +0  no time left of 6 s")
        self.assertIn("first of hierarchy",
                      (self.pack / "results" / "gpu_benchmark-hierarchy.json").read_text())

    def stand_in_for_benchmark(self, text):
        """A gpu_benchmark that does what `text` says, in a shell, with its options in $group and $json."""
        write_program(self.pack / "gpu_benchmark", """
while [ $# -gt 0 ]; do
  case $1 in --group) group=$2 ;; --json) json=$2 ;; esac
  shift
done
""" + text)

    def stand_in_for_torch(self, text):
        """A PyTorch without a GPU's code, as far as peers_gpu.py asks for it."""
        folder = work / "python" / "torch"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "__init__.py").write_text(text)
        return str(folder.parent)

    def test_a_peer_that_is_missing_or_lost_costs_no_other(self):
        self.make_pack()
        (self.tools / "python3").symlink_to(sys.executable)
        done = self.run_pack("--part", "peers", PYTHONPATH="/nowhere", PYTHONNOUSERSITE="1")
        for peer in PEERS:
            if run([sys.executable, "-c", "import torch"]).returncode != 0 and peer != "cupy":
                self.assertRegex(done.stdout, f"(?m)^peers +{peer} +skipped .*{peer}: left out, "
                                              "No module named")
        # The device is lost at the third operation; FLASH has no code for float32.
        torch = self.stand_in_for_torch("""
import types
__version__ = "0 (a stand-in)"
state = {"calls": 0, "lost": False}
def synchronize():
    if state["lost"]: raise RuntimeError("CUDA error: an illegal memory access was encountered")
def randn(*shape, device):
    return 1.0
def zeros(*shape, device):
    return 0.0
def relu(x):
    state["lost"] = True
    raise RuntimeError("CUDA error: an illegal memory access was encountered")
cuda = types.SimpleNamespace(is_available=lambda: True, synchronize=synchronize)
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace()),
                                 cudnn=types.SimpleNamespace())
nn = types.SimpleNamespace(functional=None)
def set_grad_enabled(on): pass
""")
        done = self.run_pack("--part", "peers", PYTHONPATH=torch, PYTHONNOUSERSITE="1")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^peers +torch +failed .*code 1 .not measured: ")
        # What one part has measured stays in the table when another runs.
        again = self.run_pack("--part", "deltanet", PYTHONPATH=torch, PYTHONNOUSERSITE="1")
        self.assertRegex(again.stdout, "(?m)^deltanet +fla +skipped .*fla: left out, ")
        self.assertRegex(again.stdout, "(?m)^zeros/1000x1000 +[0-9.e-]+")
        log = (self.pack / "results" / "peers-torch.log").read_text()
        self.assertRegex(log, "the device was lost at relu/1000x1000 by torch\n"
                              "not measured: norm/1000x1000, ")
        rows = json.loads((self.pack / "results" / "peers-torch.json").read_text())["benchmarks"]
        self.assertEqual([row["run_name"] for row in rows][:2],
                         ["zeros/1000x1000", "random_normal/1000x1000"])
        # And they stand in the table of all.
        table = (self.pack / "results" / "peers.txt").read_text()
        self.assertRegex(table, "(?m)^zeros/1000x1000 +[0-9.e-]+")
        self.assertIn("PyTorch 0 (a stand-in) on cuda", table)
        self.assertIn("zeros/1000x1000", done.stdout)

    def test_a_peer_ends_in_time_and_names_what_is_left(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no NumPy")
        done = run([sys.executable, peers, "--peer", "numpy", "--quick", "--filter", "dot/",
                    "--max-time", "0", "--json", work / "none.json"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("not measured: dot/1000", done.stdout)
        self.assertEqual(json.loads((work / "none.json").read_text())["benchmarks"], [])

    def test_a_library_that_is_missing_is_named(self):
        self.make_pack()
        write_program(self.pack / "test_array", "echo 'error while loading shared libraries: "
                                                "libfoo.so.1: cannot open' >&2; exit 127\n")
        done = self.run_pack("--part", "tests")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^tests +test_array +failed .*code 127 .error while "
                                      "loading shared libraries: libfoo.so.1")
        self.assertRegex(done.stdout, "(?m)^tests +test_theory +passed ")

    def test_ncu_looks_at_kernels_or_says_why_not(self):
        self.make_pack()
        done = self.run_pack("--part", "profile")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = (self.pack / "results" / "profile-plastic.log").read_text()
        self.assertIn("--kernel-name regex:plastic_kernel --launch-skip 2", log)
        self.assertIn("--filter hierarchy/learning/100-200-400-800/steps:10000 ", log)
        write_program(self.tools / "ncu", "echo '==ERROR== ERR_NVGPUCTRPERM - no permission'; exit 1\n")
        done = self.run_pack("--part", "profile")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "(?m)^profile +plastic +skipped +[0-9]+  this user may not")
        self.assertNotIn("attention", done.stdout)
        write_program(self.tools / "ncu", "echo '==WARNING== No kernels were profiled.'\n")
        done = self.run_pack("--part", "profile")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, "(?m)^profile +chunkwise +failed +[0-9]+  no kernel scan_chunk_kernel")

    def test_ncu_is_given_cases_and_kernels_that_there_are(self):
        text = re.search(r"profiles=\((.*?)\)", script.read_text(), re.S).group(1)
        kernels = "".join(path.read_text() for path in (source / "cuda").glob("*.cuh"))
        for profile in text.split():
            _, kernel, case = profile.split(":", 2)
            self.assertRegex(kernels, rf"(?s)__global__ void[^;{{]*?\b\w*{kernel}\w*\(", kernel)
            self.assertNotEqual(run([program, "--list", "--filter", case]).stdout, "", case)

    def test_a_part_ends_in_time(self):
        self.make_pack()
        write_program(self.pack / "test_array", "exec sleep 60\n")
        done = self.run_pack("--part", "tests", CHECK_GPU_PART_SECONDS="2",
                             CHECK_GPU_JOBS="1")
        self.assertEqual(done.returncode, 1)
        # A machine under load may not come to start it at all.
        self.assertRegex(done.stdout, "test_array +failed +[0-9]+  (out of time|no time left)")
        self.assertRegex(done.stdout, "test_backend +failed +0  no time left")

    def test_the_peers_measure_what_gpu_benchmark_measures(self):
        ours = set(run([program, "--list"]).stdout.split())
        theirs = set(run([sys.executable, peers, "--list"]).stdout.split())
        self.assertGreater(len(theirs), 20)
        self.assertEqual(theirs - ours, set())

    def test_the_table_of_targets_has_commands_that_measure_them(self):
        page = (source / "docs" / "gpu.md").read_text()
        table = page.split("## Measured on a device")[1]
        filters = re.findall(r"gpu_benchmark --filter ([^`\s]+)", table)
        self.assertGreater(len(filters), 10)
        for text in filters:
            done = run([program, "--list", "--filter", text])
            self.assertEqual(done.returncode, 0, f"--filter {text}: {done.stderr}")
            self.assertNotEqual(done.stdout, "", text)
        parts = run([script, "--list"]).stdout.split()
        for part in re.findall(r"--part (\w+)", table):
            self.assertIn(part, parts)

    def test_the_peers_stand_beside_gaia(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no NumPy")
        done = run([program, "--cpu-only", "--quick", "--filter", "dot/", "--json",
                    work / "ours.json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run([sys.executable, peers, "--peer", "numpy", "--quick", "--filter", "dot/",
                    "--repeats", "3", "--beside", work / "ours.json", "--json",
                    work / "theirs.json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        row = next(line for line in done.stdout.splitlines() if line.startswith("dot/1000"))
        self.assertNotIn("-", row.split()[1])
        record = json.loads((work / "theirs.json").read_text())["benchmarks"][0]
        self.assertEqual(record["run_name"], "dot/1000")
        self.assertEqual(record["iterations"], 3)
        self.assertLessEqual(record["lower_quartile"], record["real_time"])
        self.assertLessEqual(record["real_time"], record["upper_quartile"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
