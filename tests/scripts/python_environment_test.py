#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""scripts/python_environment and what scripts/test makes of it, with packages that are empty in place of PyPI's.
Exits with 77 where this interpreter has no venv or no headers.

    python_environment_test.py SOURCE_DIR WORK_DIR
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import unittest
import zipfile

source, work = (pathlib.Path(path) for path in sys.argv[1:3])
tree, wheels = work / "tree", work / "wheels"
MODULES = {"pyyaml": "yaml", "scikit-learn": "sklearn"}
SILENT = {"env": {"PIP_FIND_LINKS": "", "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}}


def write_wheel(package):
    """A package of one empty module."""
    module = MODULES.get(package, package)
    name = package.replace("-", "_")
    told = f"{name}-9999.dist-info"
    with zipfile.ZipFile(wheels / f"{name}-9999-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{module}.py", "")
        wheel.writestr(f"{told}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 9999\n")
        wheel.writestr(f"{told}/WHEEL", "Wheel-Version: 1.0\nGenerator: gaia\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{told}/RECORD", f"{module}.py,,\n{told}/METADATA,,\n{told}/WHEEL,,\n{told}/RECORD,,\n")


def packages():
    """What the script asks pip for."""
    text = (source / "scripts" / "python_environment").read_text()
    lists = re.findall(r"^(?:needed|helpful)=\((.*?)\)$", text, re.DOTALL | re.MULTILINE)
    return [name for each in lists for name in re.findall(r'"([\w-]+)>=', each)]


def run(*command, env=None, status=0):
    settings = {"PYTHON": sys.executable, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), **(env or {})}
    if "PIP_INDEX_URL" in settings:
        del settings["PIP_NO_INDEX"]
    # scripts/test full, which may run this test, sets the second for what it runs.
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("PIP_") and name != "GAIA_LONG_TESTS"}
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, env={**kept, **settings})
    assert done.returncode == status, done.stdout + done.stderr
    return done


def write_program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


class PythonEnvironment(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(work, ignore_errors=True)
        (tree / "scripts").mkdir(parents=True)
        wheels.mkdir()
        for script in ("python_environment", "test"):
            shutil.copy2(source / "scripts" / script, tree / "scripts" / script)
        shutil.copytree(source / "tests" / "python" / "package", tree / "tests" / "python" / "package")
        for package in packages():
            write_wheel(package)

    def test_an_environment_is_made_once_and_what_lacks_is_named(self):
        write_program(tree / "scripts" / "setup", "scripts/python_environment || echo without >&2\n")
        write_program(tree / "scripts" / "build", 'echo "build: $*"\n')
        write_program(work / "bin" / "ctest", 'echo "ctest: $*"\n')
        path = {"PATH": f"{work / 'bin'}:{os.environ['PATH']}"}
        bare = work / "bare"  # an interpreter that has the modules of the language alone
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
        for silent in (SILENT["env"], {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}):
            done = run("scripts/test", env={**silent, **path, "PYTHON": str(bare / "bin" / "python")})
            left_out = re.search("left out: (.*)", done.stderr).group(1).split(", ")
            files = (source / "tests" / "python" / "package").glob("*_test.py")
            self.assertEqual(sorted(left_out), sorted("python: " + file.name[:-len("_test.py")] for file in files))
            self.assertRegex(done.stdout, "build: .*-DGAIA_PYTHON_MODULE=OFF")
            self.assertIn("ctest: --preset release", done.stdout)
        # A package that is not to be had.
        (wheels / "pandas-9999-py3-none-any.whl").unlink()
        told = run("scripts/python_environment").stderr
        self.assertIn("installing", told)
        self.assertRegex(told, r"pandas\S* is not to be had")
        self.assertEqual(run("scripts/python_environment", "--lacks").stdout.split(), ["pandas"])
        self.assertNotIn("hypothesis", re.findall(r"(\S+) is not to be had", told))
        write_wheel("pandas")
        done = run("scripts/test", env=path)
        self.assertIn(f"-DGAIA_PYTHON_MODULE=ON -DPython_EXECUTABLE={tree}/build/python/bin/python", done.stdout)
        self.assertNotIn("left out", done.stderr)
        self.assertEqual(run("scripts/python_environment", "--lacks").stdout.strip(), "")
        found = run("scripts/python_environment", "--find").stdout.strip()
        self.assertEqual(found, str(tree / "build" / "python" / "bin" / "python"))
        # Complete, it needs nothing, and no pip.
        self.assertEqual(run("scripts/python_environment", **SILENT).stderr, "")
        # One that tests use is gone: what uses it is named.
        (gone,) = (tree / "build" / "python").glob("lib/*/site-packages/hypothesis.py")
        gone.unlink()
        done = run("scripts/test", env={**path, "PIP_FIND_LINKS": ""})
        self.assertRegex(done.stderr, "has no hypothesis; left out is what uses it in .*python: properties")
        # An environment of another interpreter is not complete.
        other = work / "other"
        write_program(other, f'[ "$2" = "pass" ] || case "$2" in *base_prefix*) echo elsewhere; exit;; esac\n'
                             f'exec {sys.executable} "$@"\n')
        self.assertIn("installing", run("scripts/python_environment", env={"PYTHON": str(other)}).stderr)

    def test_an_interpreter_without_its_headers_is_passed_by(self):
        write_program(work / "bin" / "python3", f"""exec {sys.executable} -c '
import sys, sysconfig
sysconfig.get_paths = lambda: {{"include": "/nowhere"}}
program = sys.argv[2]
del sys.argv[1:3]
exec(program)' "$@"
""")
        path = f"{work / 'bin'}:{os.environ['PATH']}"
        told = run("scripts/python_environment", env={"PATH": path, "PYTHON": str(work / "bin" / "python3")}, status=1)
        self.assertIn("/nowhere/Python.h is missing (python3-dev)", told.stderr)
        self.assertFalse((tree / "build" / "python").exists())
        told = run("scripts/python_environment", env={"PATH": path, "PYTHON": ""}).stderr
        self.assertIn("/nowhere/Python.h is missing (python3-dev)", told)
        self.assertTrue((tree / "build" / "python" / "bin" / "python").exists())


if __name__ == "__main__":
    header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
    if not os.path.exists(header) or not all(map(importlib.util.find_spec, ("venv", "ensurepip"))):
        print("skipped: python3-dev and python3-venv are not installed")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
