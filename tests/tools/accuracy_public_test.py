"""Tests of tools/accuracy_public.py: what the H200 counted, handed in as if Heddle had said it, and one planted error each."""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import accuracy  # noqa: E402
import accuracy_public  # noqa: E402

NAMES = {"kernel": "Kernel Name", "grid": "Grid Size", "block": "Block Size"}


class Page(unittest.TestCase):
    def page(self, change):
        """(exit code, page, stderr) for the H200's own rows after change(rows)."""
        units = {(r["run"], r["launch"]): r for r in accuracy.rows_of("public/units.tsv")}
        rows = [{**units[r["run"], r["launch"]], **r} for r in accuracy.rows_of("public/h200.tsv")]
        change(rows)
        with tempfile.TemporaryDirectory() as folder:
            for run in dict.fromkeys(r["run"] for r in rows):
                mine = [{NAMES.get(k, k): v for k, v in r.items()} for r in rows if r["run"] == run]
                with open(Path(folder) / f"{run}.csv", "w", newline="") as f:
                    out = csv.writer(f, quoting=csv.QUOTE_ALL)
                    out.writerows([mine[0].keys(), [""] * len(mine[0]), *(r.values() for r in mine)])
            done = subprocess.run([sys.executable, str(ROOT / "tools/accuracy_public.py"), f"own={folder}"],
                                  capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_equal(self):
        code, page, err = self.page(lambda rows: None)
        self.assertEqual((code, err), (0, ""))
        for row in ("mean error | 0.0 points of 46 launches |", "correlation | 1.0000 |", "launches within 3 % | 100.0 % of 103 |",
                    "normalised RMS | 0.000 |", "mean error | 0.0 of 67 kernels |", "Theoretical occupancy: launches equal | 100.0 % |",
                    "with its sign | +0.0 % |", "cells equal | 295 of 295 |",
                    "Thread instructions: mean error | 0.0 % |", "| uniform | 21 | 0.0 % | 0 |"):
            self.assertIn(row, page)

    def test_errors(self):
        def change(rows):
            r = next(r for r in rows if r["run"] == "xsbench")  # 48 registers; 67 kernels, 32 of more than 24
            r["launch__registers_per_thread"] = "80"
            r["smsp__inst_executed.sum"] = str(2 * float(r["smsp__inst_executed.sum"]))
            r["smsp__inst_executed_pipe_adu.sum"] = str(2 * float(r["smsp__inst_executed_pipe_adu.sum"]))
            r["smsp__inst_executed_pipe_uniform.sum"] = str(float(r["smsp__inst_executed.sum"]) / 2)
        code, page, _ = self.page(change)
        self.assertEqual(code, 0)
        self.assertIn("Registers per thread: mean error | 0.5 of 67 kernels |", page)  # 32 / 67
        self.assertIn("above 24 registers: mean error | 1.0 of 32 kernels |", page)  # 32 / 32
        self.assertIn("Warp instructions: mean error | 1.0 % |", page)  # 1 / 103
        self.assertIn("| `xsbench` 0 lookup | 48 | 80 |", page)
        self.assertIn("| adu | 84 | 1.2 % | 0 |", page)  # 1 / 84
        self.assertIn("| uniform | 21 | 0.0 % | 1 |", page)

    def test_other_launches(self):
        code, _, err = self.page(lambda rows: rows.remove(next(r for r in rows if r["run"] == "lud")))
        self.assertEqual((code, err), (1, "lud, Heddle's own compile step: not the launches of h200.tsv\n"))

    def test_cells_of_other_pages(self):
        for label in ("DRAM bytes read: normalised RMS", "Registers per thread: mean error", "the same: within 6",
                      "the same above 24 registers: within 6", "Warp instructions: mean error", "the same with its sign"):
            self.assertRegex(accuracy_public.of_our_programs(label), r"^[+-]?\d", label)


if __name__ == "__main__":
    unittest.main()
