"""Tests of tools/accuracy_spills.py: what the H200 counted of two public programs, handed in as if Heddle had said it, and planted errors."""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import accuracy  # noqa: E402

NAMES = {"kernel": "Kernel Name", "grid": "Grid Size", "block": "Block Size"}
STORES = "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"


class Spills(unittest.TestCase):
    def compare(self, change):
        """(exit code, what is printed, page) for the H200's own rows after change(rows)."""
        rows = [r for r in accuracy.rows_of("machine/spills.tsv") if r["program"] in ("bilateral", "convolutionSeparable")]
        change(rows)
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            for program in dict.fromkeys(r["program"] for r in rows):
                mine = [{NAMES.get(k, k): v for k, v in r.items()} for r in rows if r["program"] == program]
                with open(Path(folder) / f"{program}.24.csv", "w", newline="") as f:
                    out = csv.writer(f, quoting=csv.QUOTE_ALL)
                    out.writerows([mine[0].keys(), [""] * len(mine[0]), *(r.values() for r in mine)])
            done = subprocess.run([sys.executable, str(ROOT / "tools/accuracy_spills.py"), "no-heddle", "--public", folder, "--only",
                                   "bilateral,convolutionSeparable", "--write", str(page)], capture_output=True, text=True)
            return done.returncode, done.stdout, page.read_text()

    def has(self, text, *lines):
        for line in lines:
            self.assertIn(line, text)

    def test_equal(self):
        code, out, page = self.compare(lambda rows: None)
        self.assertEqual(code, 0)
        # conv_cols keeps everything in registers
        self.has(out, "launches: 5\n", "local memory on the H200: 4\n", "within 25 %: 4\n", "median error: 0.0 %\n", "over H200: 1.000\n",
                 "launches without local memory on the H200: 1\n", "none here either: 1\n", "registers: mean error: 0.0\n")
        self.has(page, "| `bilateral` 24, bilateralFilter | 0 | 24 | 24 | 5,068,800 | 5,068,800 | 1.00 |")

    def test_errors(self):
        def change(rows):
            rows[0][STORES] = "0"             # 4032000 of 5068800: 20 % too few
            rows[1][STORES] = str(76800 * 3)  # 768000 of 614400: 25 % too many
            rows[2][STORES] = str(844800 * 2) # 3916800 of 3072000: 27.5 % too many
            rows[3][STORES] = "0"             # 3407872 of 5242880: 35 % too few
            rows[4][STORES] = "8"             # of 0
        code, out, _ = self.compare(change)
        self.assertEqual(code, 0)
        self.has(out, "within 25 %: 2\n", "median error: 26.2 %\n", "none here either: 0\n", "conv_cols 1: 0, here 8\n", "-20.5 %\n", "+25.0 %\n")

    def test_other_launches(self):
        code, out, _ = self.compare(lambda rows: rows.pop())
        self.assertEqual(code, 1)
        self.has(out, "convolutionSeparable.24: other launches than in spills.tsv\n", "launches: 3\n")


if __name__ == "__main__":
    unittest.main()
