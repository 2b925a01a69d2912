#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""benchmarks/peers_rules.py without its peers: what is taken for right, that what is wrong gets no
figure, and the table.

    peers_rules_test.py SOURCE_DIR GAIA WORK_DIR
"""
import importlib.util
import math
import pathlib
import shutil
import sys
import types
import unittest

source, program, folder = (pathlib.Path(path) for path in sys.argv[1:4])
sys.path.insert(0, str(source / "benchmarks"))
sys.dont_write_bytecode = True

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import peers_rules
import peers_rules_arrays
import peers_rules_models as models

FALL = math.exp(-1 / 20)


def loop(name, w, order="paper", rate=0.5):
    return models.Loop(models.MODELS[name], w, rate, order)


class WrongSign(peers_rules_arrays.NumPy):
    def __init__(self, work, dtype, rate, way):
        super().__init__(work, dtype, -rate, way)


class WhatIsRight(unittest.TestCase):
    """Each rule against numbers found by hand."""

    def test_oja(self):
        one = loop("oja", [[1.0, 0.5]])
        one.tick([1, 2])  # y = 2: dw = 0.5 * 2 * ([1, 2] - 2 * [1, 0.5])
        np.testing.assert_allclose(one.w, [[0.0, 1.5]])

    def test_oja_subspace(self):
        one = loop("oja_subspace", [[1.0, 0.0], [0.5, 1.0]])
        one.tick([1, 2])  # y = [1, 2.5], back(y) = [2.25, 2.5]
        np.testing.assert_allclose(one.w, [[1 - 0.625, -0.25], [0.5 - 1.25 * 1.25, 1 - 0.625]])

    def test_softhebb(self):
        one = loop("softhebb", [[1.0, 0.0], [1.0, 0.0]])
        one.tick([1, 2])  # both have half: dw = 0.5 * 0.5 * ([1, 2] - 1 * [1, 0])
        np.testing.assert_allclose(one.w, [[1.0, 0.5], [1.0, 0.5]])

    def test_stdp(self):
        one = loop("stdp", [[0.6, 0.6]])
        self.assertEqual(one.tick([1, 0]), 0)  # v = 0.6, nothing before
        self.assertEqual(one.tick([0, 1]), 1)  # v = 0.54 + 0.6; pre = [FALL, 1], post = 1
        np.testing.assert_allclose(one.w, [[0.6 + 0.5 * FALL, 0.6 + 0.5 * (1 - 1.05)]])
        self.assertEqual(one.v, 0)

    def test_stdp_two_ticks_late(self):
        one = loop("stdp", [[1.5, 0.0]], "two ticks late")
        for x in ([1, 0], [0, 0], [0, 1]):  # the spike of tick 1 meets the second input in tick 3
            one.tick(x)
        np.testing.assert_allclose(one.w, [[1.5 + 0.5 * FALL**2, 0.0]])
        one.tick([0, 1])
        np.testing.assert_allclose(one.w, [[1.5 + 0.5 * FALL**2, -0.5 * 1.05 * FALL]])

    def test_three_factors(self):
        one = loop("reward_stdp", [[1.5, 0.0]])
        one.tick([1, 0], 2.0)  # e = 1 - 1.05
        np.testing.assert_allclose(one.w, [[1.5 - 0.05, 0.0]])
        one.tick([0, 0], 1.0)  # e falls by a 50th of itself
        np.testing.assert_allclose(one.w, [[1.45 - 0.025 * 49 / 50, 0.0]])

    def test_three_factors_a_tick_late(self):
        one = loop("reward_stdp", [[1.5, 0.0]], "a tick late")
        one.tick([1, 0], 2.0)
        np.testing.assert_allclose(one.w, [[1.5, 0.0]])
        one.tick([0, 0], 2.0)
        np.testing.assert_allclose(one.w, [[1.5 - 0.05, 0.0]])

    def test_weights_move_far_enough_to_show_a_mistake(self):
        for name in models.MODELS:
            work = models.work_of(name, 784, 40, 256)
            wanted, answer = models.reference(work)
            self.assertGreater(models.deviation(work.w, wanted), 0.03, name)
            self.assertNotEqual(answer, 0, name)

    def test_deviation(self):
        wanted = np.array([[1.0, -4.0]])
        self.assertEqual(models.deviation([[2.0, -4.0]], wanted), 0.25)
        self.assertEqual(models.deviation([[np.nan, -4.0]], wanted), math.inf)
        self.assertEqual(models.deviation([1.0], wanted), math.inf)


class WhatIsMeasured(unittest.TestCase):
    def test_all_ways_of_numpy_are_right_and_a_wrong_sign_is_not(self):
        for name in models.MODELS:
            work = models.work_of(name, 784, 40, 256)
            found = peers_rules.check(peers_rules_arrays.NumPy, work)
            self.assertEqual(set(found), {"float64", "float32"})
            self.assertIsNone(peers_rules.fault_of(found), (name, found))
            wrong = peers_rules.check(WrongSign, work)
            self.assertIn("weights differ by", peers_rules.fault_of(wrong), name)

    def test_another_order_of_traces_is_not_the_papers(self):
        for name, order in (("stdp", "two ticks late"), ("reward_stdp", "a tick late")):
            work = models.work_of(name, 784, 40, 256)
            difference = models.deviation(models.reference(work, order=order)[0],
                                          models.reference(work)[0])
            self.assertIsNotNone(peers_rules.fault_of({"float32": difference}), name)

    def test_the_clock_takes_the_fastest_way(self):
        now = [0.0]

        class Program:
            clock_dtype = "float32"
            ways = staticmethod(lambda work: ["slow", "fast"])

            def __init__(self, work, dtype, rate, way):
                self.cost = {"slow": 3.0, "fast": 0.25}[way]

            def prepare(self, ticks):
                now[0] += 100.0  # is not timed

            def run(self, ticks):
                now[0] += self.cost * ticks

        clock = peers_rules.Clock(Program, models.work_of("oja", 8, 4, 16), 8.0, lambda: now[0])
        self.assertEqual((clock.way, clock.time()), ("fast", 4.0))

    def test_a_peer_with_a_wrong_sign_gets_no_figure(self):
        (folder / "wrong").mkdir(parents=True, exist_ok=True)
        (folder / "wrong" / "wrong_sign.py").write_text(
            "from peers_rules_arrays import NumPy\n"
            "class Wrong(NumPy):\n"
            "    def __init__(self, work, dtype, rate, way):\n"
            "        super().__init__(work, dtype, -rate, way)\n")
        sys.path.insert(0, str(folder / "wrong"))
        peers_rules.PROGRAMS["wrong"] = ("wrong_sign", "Wrong", ("oja",))
        said = []

        class Peer:
            def __init__(self, name, model, settings):
                import wrong_sign
                self.found = peers_rules.check(wrong_sign.Wrong, models.work_of(model, 784, 40, 256))

            def ask(self, what):
                said.append(what)
                return {"check": self.found, "title": "Wrong", "versions": "", "order": "paper",
                        "note": "", "dtype": "float32"}

            def end(self):
                said.append("end")

        own, peers_rules.Peer = peers_rules.Peer, Peer
        try:
            peer, row = peers_rules.start_peer("wrong", "oja", None)
        finally:
            peers_rules.Peer = own
        self.assertIsNone(peer)
        self.assertEqual(said, ["check", "end"])
        self.assertNotIn("ticks_per_second", row)
        self.assertIn("weights differ by", row["fault"])

    def test_a_peer_answers_from_a_process_of_its_own(self):
        settings = types.SimpleNamespace(python=sys.executable, seconds=0.01, clock="wall")
        peer, row = peers_rules.start_peer("numpy", "oja", settings)
        self.assertIsNone(row["fault"])
        self.assertLess(row["check"]["float64"], 1e-12)
        self.assertGreater(peer.ask("time")["rate"], 0)
        peer.end()
        self.assertEqual(peer.process.returncode, 0)

    @unittest.skipIf(importlib.util.find_spec("nengo"), "has Nengo")
    def test_a_library_that_is_missing_is_told(self):
        settings = types.SimpleNamespace(python=sys.executable, seconds=0.01, clock="wall")
        peer, row = peers_rules.start_peer("nengo", "oja", settings)
        self.assertIsNone(peer)
        self.assertIn("not installed", row["fault"])

    @unittest.skipIf(importlib.util.find_spec("h5py") is None, "needs h5py")
    def test_gaia_is_checked_and_timed_too(self):
        from peers_rules_gaia import Gaia
        for name in models.MODELS:
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir(parents=True)
            gaia = Gaia(program, models.work_of(name, 80, 40, 256), folder / name)
            self.assertIsNone(peers_rules.fault_of(gaia.check()), name)
        self.assertGreater(gaia.time(0.02), 0)


class Table(unittest.TestCase):
    CONTEXT = {"date": "2026-01-02", "cpu": "a processor", "gaia": "gaia 0", "rounds": 3,
               "clock": "wall", "processors": 2, "load": [0.5, 0.25]}

    def test_medians_ratios_orders_and_faults(self):
        more = {"check": {"float64": 1e-15}, "versions": "some 1", "note": "", "dtype": "float64",
                "order": "paper", "fault": None}
        rows = [peers_rules.row_of("oja", "gaia", [30000, 20000, 40000], **more),
                peers_rules.row_of("oja", "Some", [300, 200, 100], [100, 200, 250],
                                   **more | {"order": "a tick late", "note": "set up so"}),
                peers_rules.row_of("oja", "Wrong", **more | {"fault": "weights differ"})]
        text = peers_rules.markdown({"context": self.CONTEXT, "rows": rows})
        self.assertIn("| Oja | gaia | 30 000 | 33 % |  | float64 | 1e-15 (float64) | some 1 |", text)
        self.assertIn("| Oja | Some | 200 | 50 % | 200 × | float64 |", text)
        self.assertIn("- Oja, Some: its order of traces (a tick late)", text)
        self.assertIn("- Oja, Some: set up so.", text)
        self.assertIn("- Oja, Wrong: weights differ.", text)
        self.assertNotIn("| Wrong |", text)

    def test_numbers_have_three_digits(self):
        self.assertEqual([peers_rules.number(value) for value in (0.123456, 4.063, 98.76, 12345.6)],
                         ["0.123", "4.06", "98.8", "12 300"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
