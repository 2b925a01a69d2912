#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/kernel_table on what a stand-in for cuobjdump prints.

    kernel_table_test.py SOURCE_DIR WORK_DIR
"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

source, work = (pathlib.Path(path) for path in sys.argv[1:3])
script = source / "scripts" / "kernel_table"

# add<float>, add<double>, and one kernel without template arguments.
ADD_FLOAT, ADD_DOUBLE, ONE = "_Z3addIfEvPT_", "_Z3addIdEvPT_", "_Z3onePf"
USAGE = """
Fatbin elf code:
================
arch = sm_90
identifier = cuda/add.cu

Resource usage:
 Common:
  GLOBAL:0
 Function _Z3addIfEvPT_:
  REG:94 STACK:0 SHARED:5120 LOCAL:0 CONSTANT[0]:968 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z3addIdEvPT_:
  REG:255 STACK:48 SHARED:0 LOCAL:0 CONSTANT[0]:968 TEXTURE:0 SURFACE:0 SAMPLER:0
Fatbin elf code:
================
arch = sm_80
 Function _Z3onePf:
  REG:16 STACK:0 SHARED:40000 LOCAL:0 CONSTANT[0]:968 TEXTURE:0 SURFACE:0 SAMPLER:0
"""
INFO = """
arch = sm_90
.text._Z3addIfEvPT_
.nv.info._Z3addIfEvPT_
\tAttribute:\tEIATTR_MAXREG_COUNT
\tFormat:\tEIFMT_HVAL
\tValue:\t0xff
\tAttribute:\tEIATTR_MAX_THREADS
\tFormat:\tEIFMT_SVAL
\tValue:\t0x200 0x1 0x1 
.nv.info._Z3addIdEvPT_
\tAttribute:\tEIATTR_MAX_THREADS
\tFormat:\tEIFMT_SVAL
\tValue:\t0x40 0x2 0x1 
arch = sm_80
.nv.info._Z3onePf
\tAttribute:\tEIATTR_MAXREG_COUNT
"""


class KernelTable(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        self.library = work / "libgaia.so"
        self.library.write_text("")
        (work / "usage").write_text(USAGE)
        (work / "info").write_text(INFO)
        self.cuobjdump = work / "cuobjdump"
        self.stand_in(f'case $1 in -res-usage) cat {work}/usage ;; -elf) cat {work}/info ;; esac\n')

    def stand_in(self, text):
        self.cuobjdump.write_text("#!/bin/sh\n" + text)
        self.cuobjdump.chmod(0o755)

    def run_it(self, *arguments):
        return subprocess.run([sys.executable, str(script), str(self.library), "--cuobjdump",
                               str(self.cuobjdump), *arguments], text=True, capture_output=True,
                              check=False)

    def rows(self, *arguments):
        done = self.run_it(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = done.stdout.split("\n\n")[0]
        return [re.split(r"  +", line.strip()) for line in table.splitlines()[1:]]

    def test_every_form_has_a_line(self):
        # 94 registers, by 8: 96 x 32 = 3072 a warp; 65536 / 3072 = 21, in fours 20 warps, of which
        # one block of 512 threads is 16 of 64.  255 registers: 8192 a warp, 8 warps, two blocks of
        # 128 threads.  40000 + 1024 bytes, in 128s 41088: of 164 KiB four blocks of 256 threads,
        # which is assumed, are 32 of 64 warps.
        self.assertEqual(self.rows("--all"), [
            ["sm_80", "one", "1", "16", "-", "40000", "256", "~50 %"],
            ["sm_90", "add<double>", "1", "255", "1: 48", "0", "128", "12 %"],
            ["sm_90", "add<float>", "1", "94", "-", "5120", "512", "25 %"]])

    def test_a_line_stands_for_all_forms_of_a_kernel(self):
        self.assertEqual(self.rows(), [
            ["sm_80", "one", "1", "16", "-", "40000", "256", "~50 %"],
            ["sm_90", "add", "2", "94-255", "1: 48", "0-5120", "128-512", "12 %"]])

    def test_it_ends_with_a_summary_of_each_chip(self):
        lines = self.run_it().stdout.splitlines()[-2:]
        self.assertEqual(lines, [
            "sm_80: 1 kernels, 0 with something on the stack, 0 below 25 % occupancy",
            "sm_90: 2 kernels, 1 with something on the stack (48 bytes at most), 1 below 25 % "
            "occupancy"])

    def test_markdown(self):
        lines = self.run_it("--markdown").stdout.splitlines()
        self.assertEqual(lines[0].count("|"), lines[2].count("|"))
        self.assertIn("| sm_90 | `add` | 2 |", lines[3])

    def test_what_is_wrong_is_told(self):
        self.stand_in("echo 'no device code' >&2; exit 3\n")
        done = self.run_it()
        self.assertEqual(done.returncode, 1)
        self.assertIn("no device code", done.stderr)
        self.stand_in("")
        self.assertIn("holds no kernels; build it with GAIA_CUDA=ON", self.run_it().stderr)
        self.library.unlink()
        self.assertIn("there is no", self.run_it().stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
