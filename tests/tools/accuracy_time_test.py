"""Tests of tools/accuracy_time.py: classes of launches that were measured, figures worked out by hand, and the page of what the H200
itself counted, handed in as if Heddle had said it."""
import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import accuracy  # noqa: E402
import accuracy_ablations  # noqa: E402
import accuracy_time as t  # noqa: E402
import sweep  # noqa: E402

ROWS = accuracy.table("time.tsv")


def row(program, args):
    return next(r for r in ROWS[program] if r["args"] == args)


def launch(program, args, measured, modelled):
    return t.Launch({"program": program, "args": args, "kernel": "k", t.TIME: str(measured)}, {t.TIME: str(modelled)})


# What sweep.py keeps, but for what time.tsv lacks.
METRICS = [m for m in sweep.METRICS if m in next(iter(ROWS.values()))[0]]


def line_of(which, code, program, without, rows):
    """A line of its file."""
    return json.dumps({"set": which, "code": code, "program": program, "without": without, "problem": None, "metrics": METRICS, "rows": rows})


class Figures(unittest.TestCase):
    def test_classes(self):
        for program, args, kind in (("atomics", "red,shift=19", "atomics"), ("shared_stride", "read,stride=32", "shared"),
                                    ("pointer_chase", "DRAM,512MiB", "latency"), ("peak_math", "sin", "compute"),
                                    ("aat_tile", "direct", "L1/L2"), ("bandwidth", "copy,grid=4224", "DRAM")):
            self.assertEqual(t.class_of(row(program, args)), kind, program)
        self.assertEqual({t.class_of(r) for rows in ROWS.values() for r in rows}, set(t.CLASSES))

    def test_pairs(self):
        # a and b differ by 14 %: not a pair. a, c and b, c are; c is modelled between them. The other program has no pair with these.
        some = [launch("p", "a", 100, 100), launch("p", "b", 114, 120), launch("p", "c", 200, 110), launch("q", "a", 1000, 1)]
        self.assertEqual(t.pairs(some), (1, 2))
        self.assertEqual(t.pairs([launch("p", "a", 1, 7), launch("p", "b", 2, 7)]), (0, 1))  # equal is no order

    def test_stalls(self):
        ours = {t.STALL.format(r): "0" for r in t.REASONS}
        ours |= {t.STALL.format("wait"): "3", t.STALL.format("selected"): "1"}
        a = t.shares(ours)
        self.assertEqual((a["wait"], a["selected"], a["barrier"]), (0.75, 0.25, 0))
        b = t.shares({**ours, t.STALL.format("barrier"): "4"})
        self.assertEqual(t.distance(a, b), 0.5)  # barrier 0.5, wait 0.375, selected 0.125
        self.assertEqual(t.top(a), "wait")
        self.assertIsNone(t.shares({**ours, t.STALL.format("wait"): "n/a"}))

    def test_quantiles(self):
        self.assertEqual([t.quantile(range(10), q) for q in (0.5, 0.9, 1)], [5, 9, 9])


class Ablations(unittest.TestCase):
    def test_mechanisms(self):
        """The table has all mechanisms that the model has, if it has been made."""
        names = accuracy_ablations.mechanisms()
        self.assertIn("queue", names)
        self.assertEqual(names["branches"][1], "the next cycle")
        self.assertEqual((ROOT / "src/device/mechanisms.def").read_text().count("\nMECHANISM("), len(names))
        if t.ABLATIONS.exists():
            rows = [line.split("\t")[0] for line in t.ABLATIONS.read_text().splitlines()[2:]]
            self.assertEqual(rows, ["whole", *names])

    def test_table(self):
        """What ran for the H200's own times, and for twice those without each mechanism; of one the runs are cut short."""
        with tempfile.TemporaryDirectory() as folder:
            raw, table = Path(folder) / "raw", Path(folder) / "table.tsv"
            with open(raw, "w") as out:
                for name in ["whole", *accuracy_ablations.mechanisms()]:
                    for program, rows in ROWS.items():
                        kept = [[str(float(r[m]) * (2 if m == t.TIME and name != "whole" else 1)) for m in METRICS] for r in rows]
                        print(line_of("open", "nvcc", program, name, kept), file=out)
            options = mock.Mock(raw=raw, write=table)
            self.assertTrue(accuracy_ablations.write(options))
            whole, queue = (next(line.split("\t") for line in table.read_text().splitlines() if line.startswith(name + "\t")) for name in ("whole", "queue"))
            self.assertEqual([whole[i] for i in (2, 4, 7, 8)], ["0.00", "0.00", "0.0000", "0.00"])
            self.assertEqual([queue[i] for i in (2, 3, 4, 8)], ["100.00", "100.00", "100.00", "100.00"])
            self.assertEqual(queue[5], queue[6])  # twice as long, in the same order
            with mock.patch.object(t, "ABLATIONS", table), mock.patch.object(t, "ROOT", Path(folder)):
                text = "\n".join(t.ablations())
            self.assertIn("| nothing: the whole model | 0.0 |  | 0.0 |", text)
            self.assertIn("| `queue` | 100.0 | +100.0 |", text)
            raw.write_text("\n".join(raw.read_text().splitlines()[:-1]))
            with redirect_stderr(io.StringIO()) as said:
                self.assertFalse(accuracy_ablations.write(options))
            self.assertIn("drain, ", said.getvalue())


class Page(unittest.TestCase):
    def compare(self, change, *flags, which="open"):
        """(exit status, page, rows of --tsv, stderr) for the H200's own rows after change(metric: text)."""
        def profile(heddle, arguments, timeout, metrics):
            return None, [change({m: r[m] for m in metrics if m in r}) for r in rows[Path(arguments[-1]).stem]]
        rows = accuracy.table(t.SETS[which][1])
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(accuracy, "profile", profile):
            page, table, err = Path(folder) / "page.md", Path(folder) / "t.tsv", io.StringIO()
            with mock.patch.object(sys, "argv", ["x", "no-heddle", "--set", which, "--write", str(page), "--tsv", str(table), *flags]), \
                    redirect_stdout(io.StringIO()), redirect_stderr(err):
                status = t.main()
            return status, page.read_text(), table.read_text().splitlines(), err.getvalue()

    def test_equal(self):
        status, page, table, err = self.compare(lambda r: r)
        self.assertEqual((status, err), (0, ""))
        for line in ("| launches above 10 us: mean error | 0.0 % of 202 | 0.0 % of 202 | 13 % |", "| 100.0 % of", "| 0.0 points of 202 |",
                     "total variation distance | 0.00 of 202 |", "| DRAM (dram__throughput) | 0.0 | 0.0 | 0.0 | 0.0 |"):
            self.assertIn(line, page)
        launches = page.split("## By launch")[1].splitlines()
        self.assertIn("| aat_tile | direct | aat_direct | 141.2 | 1.00 | 1.00 |", launches)
        self.assertEqual(sum(line.endswith(" | 1.00 | 1.00 |") for line in launches), 398)
        self.assertEqual(len(table), 1 + 2 * 398)
        self.assertEqual(table[1].split("\t"), ["aat_tile", "direct", "aat_direct", "nvcc", "L1/L2", "279994", "279994", "141248", "141248", "1.000"])

    def test_twice_as_long(self):
        def change(r):
            dram = t.SHARES["DRAM (dram__throughput)"]
            return {**r, t.TIME: str(3 * float(r[t.TIME])), t.OCCUPANCY: str(float(r[t.OCCUPANCY]) + 30), dram: str(float(r[dram]) / 3)}
        status, page, _, err = self.compare(change)
        self.assertEqual(status, 1)
        self.assertIn("| launches above 10 us: mean error | 200.0 % of 202 |", page)
        self.assertIn("| aat_tile | direct | aat_direct | 141.2 | 3.00 | 3.00 |", page)
        self.assertRegex(page, r"\| DRAM \(dram__throughput\) \| [1-9]\d\.\d \| 0\.0 \|")  # right but for the time
        self.assertIn("nvcc's PTX: launches above 10 us: mean error: 200.0 % of 202, at most", err)
        self.assertIn("achieved occupancy above 10 us: mean error: 30.0 points of 202, at most", err)

    def test_without_figures(self):
        status, page, _, err = self.compare(lambda r: {m: r[m] for m in (t.TIME, t.CYCLES)}, "--only", "scan", "--code", "own")
        self.assertEqual(status, 0)  # bounds are of all programs
        self.assertIn("Stall reasons are not compared", page)
        self.assertIn("| DRAM (dram__throughput) | - | - |", page)
        status, _, _, err = self.compare(lambda r: {**r, t.TIME: "n/a"}, "--only", "scan", "--code", "own")
        self.assertEqual(status, 1)
        self.assertIn("scan kogge_stone, Heddle's own compile step: no gpu__time_duration.sum", err)

    def other(self, name, launches):
        """The page of the set, for the H200's own rows."""
        status, page, table, err = self.compare(lambda r: r, which=name)
        self.assertEqual((status, err), (0, ""))
        self.assertIn(f"# Modelled time beside an H200: {name} programs", page)
        self.assertIn("| launches above 10 us: mean error | 0.0 % of ", page)
        self.assertEqual(len(table), 1 + 2 * launches)
        self.assertEqual(len(page.split("## By launch")[1].splitlines()), 6 + launches)

    def test_source(self):
        """nvcc's PTX comes out of the set's archive."""
        with tempfile.TemporaryDirectory() as folder:
            flag, ptx, source = t.source("sealed", "cuckoo", "nvcc", folder)
            self.assertEqual((flag, Path(source).name), ("--device-ptx", "cuckoo.cu"))
            self.assertIn(".entry", Path(ptx).read_text())
            self.assertEqual(t.source("sealed", "cuckoo", "own", folder), [source])

    def test_kept(self):
        """A page of what sweep.py kept; what it lacks is named, and of two runs of the same the last one counts."""
        twice = [[str(float(r[m]) * (2 if m == t.TIME else 1)) for m in METRICS] for r in ROWS["scan"]]
        with tempfile.TemporaryDirectory() as folder:
            raw, page, err = Path(folder) / "raw", Path(folder) / "page.md", io.StringIO()
            raw.write_text("\n".join([line_of("open", "own", "scan", "whole", []), line_of("open", "own", "scan", "queue", []),
                                      line_of("open", "own", "scan", "whole", twice), '{"cut']))
            with mock.patch.object(sys, "argv", ["x", "--raw", str(raw), "--write", str(page), "--only", "scan,bfs", "--code", "own"]), \
                    redirect_stdout(io.StringIO()), redirect_stderr(err):
                self.assertEqual(t.main(), 1)
            self.assertRegex(page.read_text(), r"\| scan \|.* \| 2\.00 \|")
            self.assertIn("bfs, Heddle's own compile step: not run", err.getvalue())
            self.assertNotIn("scan,", err.getvalue())
            self.assertIn("a line is cut off", err.getvalue())

    def test_fresh(self):
        self.other("fresh", 156)

    def test_held(self):
        self.other("held", 216)

    def test_sealed(self):
        self.other("sealed", 157)

    def test_blind(self):
        self.other("blind", 171)

    def test_veiled(self):
        self.other("veiled", 177)

    def test_unknown(self):
        with self.assertRaises(SystemExit), redirect_stderr(io.StringIO()):
            self.compare(lambda r: r, "--only", "no_such_program")


if __name__ == "__main__":
    unittest.main()
