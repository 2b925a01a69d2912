#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The conformance vectors are what make.py computes, NumPy agrees with them, and mistakes are found.
Exits with 77 where h5py or NumPy is missing.

    vectors_test.py SOURCE_DIR WORK_DIR
"""
import hashlib
import importlib.util
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

if not all(importlib.util.find_spec(name) for name in ("h5py", "numpy")):
    print("h5py or NumPy is not installed")
    sys.exit(77)
import h5py
import numpy

CONFORMANCE = pathlib.Path(sys.argv[1]) / "conformance"
WORK = pathlib.Path(sys.argv[2])
shutil.rmtree(WORK, ignore_errors=True)
WORK.mkdir(parents=True)

RULES = """
    abcd anti_hebbian anti_oja bcm cayley_subspace competitive competitive_conscience covariance delta diehl_cook foldiak_trace
    hebbian hebbian_ltp_ltd instar intrinsic_plasticity krotov_hopfield law_cooper logistic macqueen nearest_with_birth
    nearest_with_fatigue nlms oja oja_own_rate oja_subspace online_k_means perceptron polynomial reward_stdp
    reward_stdp_expected sanger sanger_own_rate softhebb softhebb_signed softmax_regression stdp stdp_multiplicative
    stdp_power_bounds stdp_soft_bounds triplet_stdp triplet_stdp_minimal""".split()

NEURONS = """
    bernoulli driven kwta lif lif_adaptive lif_escape lif_noisy lif_refractory noisy step winner""".split()

CONSTRUCTS = (
    "w x z ww y e t xx n_in n_out learning dw de + - * / ^ < <= > >= == != and or not where( exp( log( sqrt( abs( "
    "sign( tanh( sigmoid( relu( floor( sin( cos( min( max( sum( mean( largest( smallest( softmax( rank( kwta( winner( "
    "back( back_upto( uniform( normal(").split()

# What programs get wrong, planted into the rules by NumPy: the case that finds it, the right text, the wrong one.
MISTAKES = [
    ("oja", "- (k.z**2)[:, None] * k.w)", "+ (k.z**2)[:, None] * k.w)"),
    ("sanger", "np.tril(np.outer(k.z, k.z))", "np.triu(np.outer(k.z, k.z))"),
    ("cayley_subspace", "(turn.T - turn)", "(turn - turn.T)"),
    ("oja_own_rate", 'k.p["beta"] * before + k.z**2', 'k.p["beta"] * (before + k.z**2)'),
    ("hebbian_ltp_ltd", "np.where(product > 0", "np.where(k.x > 0"),
    ("stdp", 'k.p["a_plus"] * up - k.p["a_minus"] * down)', 'k.p["a_plus"] * up + k.p["a_minus"] * down)'),
    ("triplet_stdp", 'fall(p["tau_y"]) * k.memory["o2"]', 'k.memory["o2"]'),
    ("triplet_stdp", 'k.trace["r2"] - k.x if', 'k.trace["r2"] if'),
    ("stdp_multiplicative", 'up - k.p["a_minus"] * down * k.w)\n', 'up * (1 - k.w) - k.p["a_minus"] * down * k.w)\n'),
    ("bcm", "(k.z**2 - theta)", "(k.z - theta)"),
    ("online_k_means", "((k.x - k.w) ** 2).sum(axis=1)", "((k.x - k.w) ** 2).sum(axis=1) - (k.w**2).sum(axis=1)"),
    ("competitive_conscience", 'k.p["c"] * (1 / len(y) - k.memory["p"])', 'k.p["c"] * (k.memory["p"] - 1 / len(y))'),
    ("competitive_conscience", 'k.p["b"] * (y - k.memory["p"])', 'k.p["b"] * (k.memory["won"] - k.memory["p"])'),
    ("nearest_with_fatigue", 'nearness(k) - k.memory["tired"]', 'nearness(k) + k.memory["tired"]'),
    ("softhebb", "- (y * k.z)[:, None]", "- (y * y)[:, None]"),
    ("softhebb_signed", "    g[k.z.argmax()] *= -1\n", "    g = -g\n"),
    ("krotov_hopfield", "g[order[0]] = 1", "g[order[0]] = -1"),
    ("foldiak_trace", 'np.full(outputs, case.memory.get(name[7:], 0.0))', 'np.ones(outputs)'),
    ("covariance", '(1 - fall(k.p["tau_x"])) * k.trace', '1 / k.p["tau_x"] * k.trace'),
    ("reward_stdp", '(1 - 1 / k.p["tau_e"])', 'fall(k.p["tau_e"])'),
    ("nlms", "+ k.x @ k.x)", "+ k.x.sum())"),
    ("perceptron", "(k.z > 0)", "(k.z < 0)"),
    ("lif_adaptive", 'k.p["raise"] * y', '-k.p["raise"] * y'),
    ("l2", "np.linalg.norm(w, axis=1", "np.linalg.norm(w, axis=1, ord=1"),
]


def python(*arguments):
    return subprocess.run([sys.executable, *map(str, arguments)], text=True, capture_output=True)


def contents(path):
    found = {}

    def note(name, item):
        found.update({f"{name}@{key}": value for key, value in item.attrs.items()})
        if isinstance(item, h5py.Dataset):
            found[name] = item[...]

    with h5py.File(path) as file:
        file.visititems(note)
    return found


class Vectors(unittest.TestCase):
    def test_two_runs_give_the_same_bytes(self):
        for name in ("one.h5", "two.h5"):
            made = python(CONFORMANCE / "make.py", WORK / name)
            self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual((WORK / "one.h5").read_bytes(), (WORK / "two.h5").read_bytes())

    def test_the_file_here_holds_what_is_computed(self):
        made = python(CONFORMANCE / "make.py", WORK / "again.h5")
        self.assertEqual(made.returncode, 0, made.stderr)
        kept, again = contents(CONFORMANCE / "vectors.h5"), contents(WORK / "again.h5")
        self.assertEqual(sorted(kept), sorted(again))
        for name, values in kept.items():
            if isinstance(values, str):
                self.assertEqual(values, again[name], name)
            else:
                # exp and tanh may round otherwise on another machine
                values, computed = numpy.asarray(values), numpy.asarray(again[name])
                self.assertEqual((values.shape, values.dtype), (computed.shape, computed.dtype), name)
                size = numpy.abs(values, where=numpy.isfinite(values), out=numpy.zeros(values.shape)).max(initial=1)
                numpy.testing.assert_allclose(computed, values, rtol=0, atol=1e-13 * size, err_msg=name)

    def test_the_version_is_that_of_this_file(self):
        digest = hashlib.sha256((CONFORMANCE / "vectors.h5").read_bytes()).hexdigest()
        rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| `(\w+)` \|", (CONFORMANCE / "VERSIONS.md").read_text(), re.M)
        self.assertEqual(len({version for version, _, _ in rows}), len(rows))
        with h5py.File(CONFORMANCE / "vectors.h5") as file:
            self.assertEqual(rows[-1], (file.attrs["version"], str(len(file)), digest))

    def test_another_layout_is_refused(self):
        shutil.copy(CONFORMANCE / "vectors.h5", WORK / "later.h5")
        with h5py.File(WORK / "later.h5", "r+") as file:
            file.attrs["version"] = "2.0"
        ran = python(CONFORMANCE / "run.py", CONFORMANCE / "adapters/numpy_by_hand.py", WORK / "later.h5")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("version 2.0 of the vectors; this run.py reads 1.x", ran.stderr)

    def test_the_archive_is_the_same_each_time_and_holds_what_it_needs(self):
        for folder in ("one", "two"):
            (WORK / folder).mkdir()
            made = python(CONFORMANCE / "archive.py", WORK / folder)
            self.assertEqual(made.returncode, 0, made.stderr)
        one, two = (next((WORK / folder).glob("*.tar")) for folder in ("one", "two"))
        self.assertEqual((one.name, one.read_bytes()), (two.name, two.read_bytes()))
        self.assertIn(hashlib.sha256(one.read_bytes()).hexdigest(), made.stdout)
        shutil.unpack_archive(one, WORK / "one")
        folder = WORK / "one" / one.stem
        ran = python(folder / "run.py", folder / "adapters/numpy_by_hand.py", "--only", "^oja$")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        again = python(folder / "make.py", WORK / "one" / "vectors.h5")
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_the_three_lines_for_others_run(self):
        page = (CONFORMANCE.parent / "docs" / "conformance_ci.md").read_text()
        lines = page.split("```sh\n")[2].split("```", 1)[0]
        self.assertEqual(len(lines.splitlines()), 3)
        adapter = page.split("```python\n", 1)[1].split("```", 1)[0]
        project = WORK / "project"
        (project / "tests").mkdir(parents=True)
        (project / "tests" / "conformance_adapter.py").write_text(adapter)
        self.assertEqual(python(CONFORMANCE / "archive.py", project).returncode, 0)
        shell = f"set -e; pip() {{ :; }}; python3() {{ '{sys.executable}' \"$@\"; }}\n{lines}"
        ran = subprocess.run(["bash", "-c", shell], cwd=project, text=True, capture_output=True)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(re.search(r"`(1 passed, .+?)`", page).group(1), ran.stdout)
        self.assertIn("known   oja: ", ran.stdout)
        # One that agrees, and one that is wrong, are reported.
        for wrong, said in ((adapter.replace('KNOWN = {"oja"', 'KNOWN = {"hebbian"'), "FAILED    hebbian: agrees"),
                            (adapter.replace("w +=", "w -="), "FAILED    hebbian: ")):
            (project / "tests" / "conformance_adapter.py").write_text(wrong)
            ran = subprocess.run(["bash", "-c", shell], cwd=project, text=True, capture_output=True)
            self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
            self.assertIn(said, ran.stdout)

    def test_every_rule_and_neuron_of_the_catalogue_is_there(self):
        for kind, known in (("rule", RULES), ("neuron", NEURONS)):
            found = {value for name, value in contents(CONFORMANCE / "vectors.h5").items()
                     if name.endswith("@" + kind) and value}
            self.assertEqual(sorted(found), sorted(known))

    def test_every_construct_of_the_language_is_there(self):
        text = "\n".join(value for name, value in contents(CONFORMANCE / "vectors.h5").items()
                         if name.endswith("@equations"))
        for name in CONSTRUCTS:
            after = "" if name.endswith("(") else r"(?![\w=])"
            self.assertTrue(re.search(r"(?<![\w<>=!])" + re.escape(name) + after, text), name)

    def test_no_decision_is_close(self):
        for name, value in contents(CONFORMANCE / "vectors.h5").items():
            if name.endswith("@closest_decision"):
                self.assertGreaterEqual(value, 1e-3, name)

    def test_nothing_here_comes_from_gaia(self):
        for path in (CONFORMANCE / "cases").glob("*.py"):
            for line in path.read_text().splitlines():
                if line.startswith(("import", "from")):
                    self.assertRegex(line, r"^(import (math|random|zlib)$|from \.case import )", path.name)

    def test_numpy_agrees(self):
        ran = python(CONFORMANCE / "run.py", CONFORMANCE / "adapters/numpy_by_hand.py")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_planted_mistakes_are_found(self):
        text = (CONFORMANCE / "adapters/numpy_by_hand.py").read_text()
        for case, right, wrong in MISTAKES:
            with self.subTest(case=case, wrong=wrong):
                self.assertIn(right, text)
                (WORK / "mistaken.py").write_text(text.replace(right, wrong))
                ran = python(CONFORMANCE / "run.py", WORK / "mistaken.py", "--only", f"^{case}$")
                self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
                self.assertIn(f"FAILED    {case}", ran.stdout)

    def test_the_sample_of_the_readme_runs(self):
        text = (CONFORMANCE / "README.md").read_text()
        sample = text.split("```python\n", 1)[1].split("```", 1)[0]
        (WORK / "sample.py").write_text(sample)
        ran = python(CONFORMANCE / "run.py", WORK / "sample.py", "--quiet")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
