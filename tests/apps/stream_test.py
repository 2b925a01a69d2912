#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""gaia stream as programs meet it: through pipes, cut anywhere, killed, stopped, with nobody reading.

    stream_test.py GAIA WORK_DIR
"""
import hashlib
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
import unittest

GAIA, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
KILLS = 20
EXPERIMENT = """experiment: pump
data: {source: file, path: series.csv, columns: [a, b], targets: [y], labels: state, trials: {column: run},
       window: 2}
hierarchy:
  levels:
    - layers: [{type: hebbian, size: 3, rule: oja, learning_rate: 0.001}]
    - {temporal_resolution: 2, layers: [{type: hebbian, size: 2, rule: oja, learning_rate: 0.001}]}
readouts:
  - {name: forecast, target: {channel: a, horizon: 1}, levels: [0, 1], split: {train: 0.6, test: 0.4}}
  - {name: quality, type: online, method: rls, forgetting: 0.99, target: {column: y}, levels: [0]}
  - {name: state, type: logistic, target: {label: true}, levels: [0, 1], split: {train: 0.6, test: 0.4}}
controls: none
output: {path: pump.h5}
"""
HEADER = "a,b,y,state,run\n"


def rows(count, seed):
    """Rows as lists of texts, in the order of HEADER; a trial has 71."""
    draw, x, made = random.Random(seed), 0.0, []
    for i in range(count):
        x = 0.9 * x + draw.gauss(0, 1)
        a, b = x + 0.1 * draw.gauss(0, 1), 0.5 * x + draw.gauss(0, 1)
        made.append([f"{a:.4f}", f"{b:.4f}", f"{a - b:.4f}", "high" if x > 0 else "low", f"t{i // 71}"])
    return made


def csv(some):
    return "".join(",".join(row) + "\n" for row in some)


def ndjson(some):
    return "".join(json.dumps({"a": float(a), "b": float(b), "y": float(y), "state": state, "run": run}) + "\n"
                   for a, b, y, state, run in some)


def command(*options, state="s.h5"):
    return [GAIA, "stream", "pump.h5", "--state", state, *options]


def stream(text, *options, state="s.h5"):
    """What comes of a stream that begins anew, unless it is asked to go on."""
    anew = [] if "--go-on" in options else ["--anew"]
    return subprocess.run(command(*anew, *[o for o in options if o != "--go-on"], state=state), cwd=WORK,
                          input=text if isinstance(text, bytes) else text.encode(), capture_output=True)


def lines_within(process, count, seconds=30):
    """So many lines of the standard output, which have to come by then; fewer where it ends."""
    text, end = b"", time.monotonic() + seconds
    while text.count(b"\n") < count:
        if not select.select([process.stdout], [], [], max(0, end - time.monotonic()))[0]:
            raise AssertionError(f"only {text!r} after {seconds} s")
        got = os.read(process.stdout.fileno(), 1 << 16)
        if not got:
            break
        text += got
    return text.decode().splitlines()


def expected_row(told):
    return int(re.findall(r"row (\d+) is expected next", told)[0])


def hash_of_state(path):
    """The SHA-256 that the state holds of all that is in it."""
    hashes = re.findall(rb"[0-9a-f]{64}", path.read_bytes())
    assert len(hashes) == 1, hashes
    return hashes[0]


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise AssertionError("it did not come to that")
        time.sleep(0.01)


class Stream(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        (WORK / "series.csv").write_text(HEADER + csv(rows(1400, 1)))
        (WORK / "pump.yaml").write_text(EXPERIMENT)
        done = subprocess.run([GAIA, "run", "pump.yaml", "--quiet"], cwd=WORK, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        cls.result = hashlib.sha256((WORK / "pump.h5").read_bytes()).hexdigest()

    @classmethod
    def tearDownClass(cls):
        assert hashlib.sha256((WORK / "pump.h5").read_bytes()).hexdigest() == cls.result, "the result has changed"

    def begin(self, *options, state="s.h5"):
        process = subprocess.Popen(command(*options, state=state), cwd=WORK, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        return process

    def assertSame(self, these, those):
        """Asserts as assertEqual does, which shows what is long."""
        self.assertTrue(these == those, (these[:300], those[:300]))

    def test_one_row_comes_out_for_each_that_goes_in(self):
        given = rows(200, 2)
        done = stream(HEADER + csv(given))
        self.assertEqual(done.returncode, 0, done.stderr)
        header, *out = [line.split(",") for line in done.stdout.decode().splitlines()]
        self.assertEqual(header[0], "step")
        self.assertEqual(header[-1], "error")
        self.assertIn("forecast", header)
        self.assertEqual([int(row[0]) for row in out], list(range(200)))
        self.assertEqual({len(row) for row in out}, {len(header)})
        self.assertEqual({row[-1] for row in out}, {""})
        state = header.index("state")
        right = sum(row[state] == given[i][3] for i, row in enumerate(out))
        self.assertGreater(right, 150)

    def test_both_formats_say_the_same(self):
        given = rows(200, 2)
        header, *as_csv = [line.split(",") for line in stream(HEADER + csv(given)).stdout.decode().splitlines()]
        as_json = [json.loads(line) for line in stream(ndjson(given)).stdout.decode().splitlines()]
        self.assertEqual(len(as_csv), len(as_json))
        for cells, row in zip(as_csv, as_json):
            self.assertEqual(list(row), header[:-1])
            for cell, value in zip(cells, row.values()):
                self.assertEqual(cell, "" if value is None else value if isinstance(value, str)
                                 else cell if float(cell) == value else None)

    def test_bytes_are_the_same_however_the_input_is_cut(self):
        given = rows(120, 3)
        for text in (HEADER + csv(given), ndjson(given)):
            whole = stream(text, "--learn").stdout
            self.assertEqual(whole.count(b"\n"), 120 + (text[0] != "{"))
            state = stream(HEADER + csv(rows(20, 9)), "--learn", "--go-on").stdout
            for seed in range(4):
                draw = random.Random(seed)
                process = self.begin("--learn", "--anew")
                left = text.encode()
                reading = threading.Thread(target=lambda: got.append(process.stdout.read()))
                got = []
                reading.start()
                while left:
                    size = 1 if seed == 0 else draw.choice([1, 2, 7, 40, 300])
                    process.stdin.write(left[:size])
                    left = left[size:]
                process.stdin.close()
                reading.join()
                self.assertEqual(process.wait(), 0)
                self.assertSame(got[0], whole)
                self.assertSame(stream(HEADER + csv(rows(20, 9)), "--learn", "--go-on").stdout, state)

    def test_an_answer_comes_while_the_next_row_is_waited_for(self):
        process = self.begin("--anew")
        process.stdin.write(HEADER.encode())
        self.assertTrue(lines_within(process, 1)[0].startswith("step,"))
        for i, row in enumerate(rows(20, 4)):
            process.stdin.write(csv([row]).encode())
            self.assertEqual(lines_within(process, 1)[0].split(",")[0], str(i))
        process.stdin.write(b"1,2,")  # half a row holds nothing up
        process.stdin.close()
        self.assertIn(b"20,", process.stdout.read())
        self.assertEqual(process.wait(), 0)

    def test_killed_at_any_place_it_goes_on(self):
        given = rows(700, 5)
        whole = stream(HEADER + csv(given), "--learn", state="whole.h5").stdout.decode().splitlines()
        kept = hash_of_state(WORK / "whole.h5")
        after = stream(HEADER + csv(rows(50, 6)), "--learn", "--go-on", state="whole.h5").stdout
        (WORK / "cut.h5").unlink(missing_ok=True)
        draw, seen, expected = random.Random(7), {}, 0
        for attempt in range(KILLS + 1):
            process = self.begin("--learn", "--keep-every", "13", state="cut.h5")
            told = b""
            while told.count(b"is expected next") < 1:
                told += os.read(process.stderr.fileno(), 4096)
            expected = expected_row(told.decode())
            left = HEADER + csv(given[expected:])
            if attempt == KILLS:
                out, _ = process.communicate(left.encode())
                lines = out.decode().splitlines()
            else:
                def feed():
                    try:
                        process.stdin.write(left.encode())
                    except BrokenPipeError:
                        pass
                feeding = threading.Thread(target=feed)
                feeding.start()
                lines = lines_within(process, draw.randrange(1, 60))
                process.send_signal(signal.SIGKILL)
                rest = process.stdout.read().decode()
                lines = ("\n".join(lines) + "\n" + rest).splitlines()
                if rest and not rest.endswith("\n"):
                    lines.pop()
                process.stderr.read()
                feeding.join()
            process.wait()
            for line in lines[1:]:
                step = int(line.split(",")[0])
                # A row may be answered twice, and is answered alike.
                self.assertEqual(seen.setdefault(step, line), line)
        self.assertSame([seen.get(i) for i in range(700)], whole[1:])
        # What is kept in the end is the same, to the last bit of every array.
        self.assertEqual(hash_of_state(WORK / "cut.h5"), kept)
        self.assertSame(stream(HEADER + csv(rows(50, 6)), "--learn", "--go-on", state="cut.h5").stdout, after)

    def test_what_is_kept_has_been_answered(self):
        """Rows whose answers nobody has taken are in no state."""
        (WORK / "kept.h5").unlink(missing_ok=True)
        process = self.begin("--keep-every", "1000", state="kept.h5")
        text = (HEADER + csv(rows(4000, 8) * 20)).encode()

        def feed():
            try:
                process.stdin.write(text)
            except BrokenPipeError:
                pass
        feeding = threading.Thread(target=feed)
        feeding.start()
        self.assertTrue(select.select([process.stdout], [], [], 60)[0])
        time.sleep(1)
        process.send_signal(signal.SIGKILL)
        process.wait()
        answered = process.stdout.read().count(b"\n") - 1
        feeding.join()
        told = process.stderr.read()
        again = stream("", "--go-on", state="kept.h5").stderr.decode() if (WORK / "kept.h5").exists() else None
        self.assertGreater(answered, 0, told)
        self.assertLess(answered, 80000)
        if again is not None:
            self.assertLessEqual(expected_row(again), answered)

    def test_bad_rows_have_rows_of_their_own_and_change_nothing(self):
        given = rows(30, 10)
        bad = ["x,1,,,t0\n", "1,2\n", "1e999,1,,,t0\n", "1,2,,nobody,t0\n", "\"1,2,,,t0\n", "1,\0,,,t0\n", "1,\xff,,,t0\n"]
        text = HEADER
        for i, row in enumerate(given):
            text += csv([row]) + (bad[i] if i < len(bad) else "")
        done = stream(text.encode("latin-1"), "--learn")
        self.assertEqual(done.returncode, 0)
        header, *out = done.stdout.decode().splitlines()
        good = [line for line in out if line.endswith(",")]
        wrong = [line for line in out if not line.endswith(",")]
        self.assertSame([header, *good], stream(HEADER + csv(given), "--learn").stdout.decode().splitlines())
        self.assertEqual([line.split(",")[0] for line in wrong], [str(i + 1) for i in range(len(bad))])
        told = done.stderr.decode()
        for i in range(len(bad)):
            self.assertIn(f"stdin:{3 + 2 * i}: ", told)

    def test_strict_ends_at_a_bad_row_with_all_before_it_kept(self):
        given = rows(30, 11)
        text = HEADER + csv(given[:20]) + "x,1,,,t0\n" + csv(given[20:])
        done = stream(text, "--learn", "--strict")
        self.assertEqual(done.returncode, 3)
        self.assertIn("stdin:22: ", done.stderr.decode())
        rest = stream(HEADER + csv(given[20:]), "--learn", "--go-on")
        self.assertEqual(expected_row(rest.stderr.decode()), 20)
        whole = stream(HEADER + csv(given), "--learn").stdout.splitlines()
        self.assertSame(done.stdout.splitlines() + rest.stdout.splitlines()[1:], whole)

    def test_signals_keep_the_state(self):
        state = WORK / "signal.h5"
        state.unlink(missing_ok=True)
        given = rows(40, 12)
        whole = stream(HEADER + csv(given), "--learn").stdout.splitlines()
        process = self.begin("--learn", state="signal.h5")
        process.stdin.write((HEADER + csv(given[:20])).encode())
        out = lines_within(process, 21)
        self.assertFalse(state.exists())
        process.send_signal(signal.SIGUSR1)  # while it waits
        wait_until(state.exists)
        process.stdin.write(csv(given[20:25]).encode())
        out += lines_within(process, 5)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 75)
        self.assertIn("row 25 is expected next", process.stderr.read().decode().splitlines()[-1])
        rest = stream(HEADER + csv(given[25:]), "--learn", "--go-on", state="signal.h5")
        self.assertSame([line.encode() for line in out] + rest.stdout.splitlines()[1:], whole)

    def test_memory_is_flat_when_nobody_reads(self):
        process = self.begin("--anew")
        text = csv(rows(5000, 13)).encode()
        fed = [0]

        def feed():
            try:
                process.stdin.write(HEADER.encode())
                for _ in range(400):
                    for i in range(0, len(text), 8192):
                        fed[0] += process.stdin.write(text[i:i + 8192])
            except BrokenPipeError:
                pass

        def memory():
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))
        feeding = threading.Thread(target=feed)
        feeding.start()
        lines_within(process, 1)
        def wait_until_stuck():
            before = -1
            while fed[0] != before:
                before = fed[0]
                time.sleep(0.5)
            return before
        before = wait_until_stuck()  # since nobody reads
        held = memory()
        self.assertLess(fed[0], 1 << 20)
        # Read again it goes on, and needs no more memory at its end.
        for _ in range(100):
            lines_within(process, 500)
        self.assertGreater(fed[0], before)
        self.assertLess(memory(), held + 8000)
        # One who has stopped reading does not keep it from ending.
        wait_until_stuck()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=30), 4)
        self.assertIn("the state in s.h5 is that before row", process.stderr.read().decode())
        feeding.join()

    def test_an_end_without_a_reader_is_told(self):
        process = self.begin("--anew")
        process.stdout.close()
        process.stdin.write((HEADER + csv(rows(50, 14))).encode())
        self.assertEqual(process.wait(timeout=30), 4)
        self.assertIn("nobody reads the standard output any more", process.stderr.read().decode())

    def test_trials_begin_by_an_empty_line_or_another_name(self):
        given = rows(142, 15)
        named = stream(HEADER + csv(given)).stdout
        plain = [row[:4] for row in given]
        header = "a,b,y,state\n"
        by_line = stream(header + csv(plain[:71]) + "\n\n" + csv(plain[71:]) + "\n").stdout
        self.assertSame(by_line, named)
        self.assertTrue(stream(header + csv(plain)).stdout != named)
        # A restart knows the trial that goes on.
        for cut in (70, 71, 72):
            first = stream(HEADER + csv(given[:cut])).stdout.splitlines()
            rest = stream(HEADER + csv(given[cut:]), "--go-on").stdout.splitlines()
            self.assertSame(first + rest[1:], named.splitlines())
        # A row that cannot be used begins no trial by its name.
        lines = csv(given).splitlines(keepends=True)
        for i in (30, 71, 100):
            lines.insert(i, "x,1,,,t7\n" if i != 71 else "1,2,3,nobody,t8\n")
        out = stream(HEADER + "".join(lines)).stdout.splitlines()
        self.assertEqual(len(out), 146)
        self.assertSame([line for line in out if line.endswith(b",") or line.startswith(b"step")], named.splitlines())
        # A restart knows of a trial, too, whose first row could not be used.
        bad = "\nx,1,,\n"
        whole = stream(header + csv(plain[:71]) + bad + csv(plain[71:])).stdout.splitlines()
        parts = [stream(header + csv(plain[:71])), stream(header + bad, "--go-on"),
                 stream(header + csv(plain[71:]), "--go-on")]
        self.assertSame(whole, [line for part in parts for line in part.stdout.splitlines() if line != whole[0]
                                or part is parts[0]])

    def test_late_targets_are_learnt_from_and_answered_by_nothing(self):
        given = rows(60, 16)
        unknown = [[a, b, "", "", run] for a, b, _, _, run in given]
        header = "a,b,y,state,run,step\n"
        without = stream(header + csv([row + [""] for row in unknown]), "--learn").stdout
        text = header
        for i, row in enumerate(unknown):
            text += csv([row + [str(i)]])
            if i >= 3:
                text += csv([["", "", given[i - 3][2], "", "", str(i - 3)]])
        done = stream(text, "--learn")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(b"\n"), without.count(b"\n"))
        self.assertTrue(done.stdout != without)
        # What does not learn is not moved by them.
        self.assertSame(stream(text).stdout, stream(HEADER + csv(unknown)).stdout)
        # Rows of other numbers are refused: one that has come, one too far ahead, and one that tells nothing.
        done = stream(header + "1,2,,,a,0\n1,2,,,a,0\n1,2,,,a,7\n,,,,,0\n1,2,,,a,1\n,,5,,,1000\n")
        told = done.stderr.decode()
        steps = [line.split(",")[0] for line in done.stdout.decode().splitlines()[1:]]
        self.assertEqual(steps, ["0", "1", "1", "1", "2"])
        self.assertIn("stdin:3: column step: row 1 is expected next, got row 0", told)
        self.assertIn("stdin:4: column step: row 1 is expected next, got row 7", told)
        self.assertIn("stdin:5: row 0 has been answered, and nothing is told of it", told)
        self.assertIn("stdin:7: column step: row 2 is expected next, got row 1000", told)

    def test_hostile_input_ends_in_errors(self):
        for text in ("1,2,3\n1,2,3\n", "a,a,b\n", "a\n1\n", "\xff\xfea,b\n", "a,b\0\n", "[[1,2]]\n", "x" * (3 << 20)):
            done = stream(text.encode("latin-1"))
            self.assertEqual(done.returncode, 3, (text[:20], done.stderr))
            self.assertIn("stdin:1: ", done.stderr.decode())
            self.assertEqual(done.stdout, b"")
        deep = b'{"a":1,"b":2,"x":' + b"[" * 500000 + b"]" * 500000 + b"}\n"
        junk = bytes(random.Random(17).randrange(256) for _ in range(200000)).replace(b"\n", b"?")
        done = stream(b'{"a":1,"b":2}\n' + deep + b"y" * (5 << 20) + b"\n" + junk + b'\n{"a":1e999,"b":1}\n{"a":1,"b":2}\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        out = [json.loads(line) for line in done.stdout.decode().splitlines()]
        self.assertEqual([row["step"] for row in out], [0, 1, 2, 2, 2, 2])
        self.assertEqual(["error" in row for row in out], [False, False, True, True, True, False])
        self.assertEqual(stream("").returncode, 0)

    def test_usage(self):
        for options in (["--outputs", "nothing"], ["--moments", "some"], ["--keep-every", "-1"], ["--format", "xml"]):
            done = stream(HEADER, *options)
            self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(subprocess.run([GAIA, "stream", "none.h5"], cwd=WORK, stdin=subprocess.DEVNULL,
                                        capture_output=True).returncode, 2)
        done = subprocess.run([GAIA, "stream", "--stats", "--anew", "--outputs", "forecast,level 1", "pump.h5"], cwd=WORK,
                              input=(HEADER + csv(rows(9, 18))).encode(), capture_output=True)
        header = done.stdout.decode().splitlines()[0]
        self.assertEqual(header, "step,forecast,level 1.0,level 1.1,error")
        self.assertRegex(done.stderr.decode(), r"speed    9 rows in .*, [\d ]+ rows/s; .*median [\d.]+ us, p99 [\d.]+ us")
        # A state of other options is not gone on from.
        stream(HEADER + csv(rows(9, 18)))
        other = stream(HEADER, "--learn", "--go-on")
        self.assertEqual(other.returncode, 2, other.stderr)

    def test_numbers_may_have_a_decimal_comma(self):
        given = rows(20, 20)
        text = HEADER + csv(given)
        comma = text.replace(",", ";").replace(".", ",")
        self.assertSame(stream(comma, "--decimal", ",").stdout, stream(text).stdout)
        self.assertIn("--decimal , reads it", stream(comma).stderr.decode())
        self.assertEqual(stream(text, "--decimal", ";").returncode, 2)

    def test_columns_in_any_order_and_others_beside_them(self):
        given = rows(40, 19)
        expected = stream("a,b\n" + csv([row[:2] for row in given])).stdout
        done = stream("time,b,a\n" + csv([["12:00", b, a] for a, b, *_ in given]))
        self.assertSame(done.stdout, expected)
        self.assertEqual(done.stderr.decode().count("'time' is not read"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
