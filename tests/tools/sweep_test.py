"""Tests of tools/sweep.py: a small program runs, is kept, is not run again, and does the same from a packed folder.

usage: sweep_test.py HEDDLE
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEDDLE = sys.argv.pop(1)
PROGRAM = "vector_ops"


def sweep(*flags):
    done = subprocess.run([sys.executable, ROOT / "tools/sweep.py", HEDDLE, *flags], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def lines(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


class Sweep(unittest.TestCase):
    def test_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            raw, packed = f"{folder}/raw", Path(folder) / "packed"
            status, out, err = sweep("--raw", raw, "--only", PROGRAM, "--code", "own")
            self.assertEqual((status, err), (0, ""))
            self.assertIn("1 of 1 runs", out)
            line = lines(raw)[0]
            self.assertEqual([line[k] for k in ("set", "code", "program", "without", "problem")], ["open", "own", PROGRAM, "whole", None])
            launches = [dict(zip(line["metrics"], row)) for row in line["rows"]]
            self.assertTrue(all(float(l["gpu__time_duration.sum"]) > 0 for l in launches))
            # What is there is not run again, what is not is: without a mechanism.
            status, out, _ = sweep("--raw", raw, "--only", PROGRAM, "--code", "own", "--mechanisms", "whole,results")
            self.assertIn("1 of 1 runs", out)
            self.assertEqual([l["without"] for l in lines(raw)], ["whole", "results"])
            self.assertNotEqual(lines(raw)[0]["rows"], lines(raw)[1]["rows"])
            # No time: nothing is begun.
            status, out, _ = sweep("--raw", f"{folder}/none", "--only", PROGRAM, "--budget", "0")
            self.assertEqual((status, out.split(" runs")[0]), (1, "0 of 2"))
            # The same figures from a folder.
            self.assertEqual(sweep("--pack", str(packed), "--only", PROGRAM, "--code", "own")[0], 0)
            done = subprocess.run([packed / "run.sh", f"{folder}/there", "--only", PROGRAM, "--code", "own"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(lines(f"{folder}/there"), lines(raw)[:1])

    def test_refused(self):
        for flags, what in ((["--raw", "x", "--only", "no_program"], "no such program in open: no_program"), ([], "--raw is missing"),
                            (["--raw", "x", "--sets", "closed"], "no such set, device code or mechanism: closed")):
            status, _, err = sweep(*flags)
            self.assertEqual(status, 2)
            self.assertIn(what, err)


if __name__ == "__main__":
    unittest.main()
