"""Counters and findings of launches: against figures computed by hand, as dictionaries, data frames and files."""
import ctypes
import io
import os
import subprocess
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

import heddle
from sources import SAXPY

try:
    import pandas
except ImportError:
    pandas = None
API = Path(__file__).resolve().parents[2] / "api" / "heddle"
needs_pandas = unittest.skipUnless(pandas, "pandas is not there (Debian's package python3-pandas)")
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
BUGS = """
__global__ void past(float *p) { p[threadIdx.x] = 1; }
__global__ void race(int *p)
{
    __shared__ int s;
    if (threadIdx.x == 0)
        s = 1;
    if (threadIdx.x == 40)
        p[0] = s;
}
__global__ void unwritten(float *p, const float *q) { p[threadIdx.x] = q[threadIdx.x]; }
__global__ void stuck(int *p) { if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); p[0] = 1; }
"""


class Metrics(unittest.TestCase):
    def setUp(self):
        self.saxpy = heddle.compile(SAXPY)["saxpy"]
        self.n = 1024
        self.x, self.y = np.ones(self.n, np.float32), np.ones(self.n, np.float32)
        self.result = self.saxpy[4, 256].profile(self.n, 2, self.x, self.y)

    def test_values(self):
        # 32 warps with two loads of 128 bytes each: a request and four sectors a load
        self.assertEqual((self.result[REQUESTS], self.result[SECTORS], self.result["gld_efficiency"]), (64, 256, 100))
        self.assertEqual(self.result["launch__grid_size"], 4)
        self.assertEqual(self.result.metrics([SECTORS, REQUESTS]), {SECTORS: 256, REQUESTS: 64})
        self.assertEqual((self.y == 3).all(), True)  # arrays come back from profiled launches, too
        self.assertEqual((self.result.grid, self.result.block, self.result.fault), ((4, 1, 1), (256, 1, 1), None))
        self.assertEqual((self.result.kernel, self.result.device), ("saxpy(int, float, const float *, float *)", "NVIDIA H200"))

    def test_names(self):
        known = heddle.metrics()
        self.assertEqual((known[SECTORS].unit, known[SECTORS].trust), ("sector", "exact"))
        self.assertEqual({m.trust for m in known.values()}, {"exact", "exact for this code", "modelled"})
        self.assertTrue(all(m.help for m in known.values()))
        self.assertLessEqual(set(self.result.metrics()), set(known))
        with self.assertRaisesRegex(KeyError, "no metric 'gld_eficiency'; near: gld_efficiency"):
            self.result["gld_eficiency"]
        with self.assertRaises(TypeError):
            self.result[0]
        self.assertIsNone(self.result["lts__t_requests.sum"])  # nobody computes it

    def test_wanted_metrics_alone(self):
        some = self.saxpy[4, 256].profile(self.n, 2, self.x, self.y, metrics=["gld_efficiency"])
        self.assertEqual((some["gld_efficiency"], some["gst_efficiency"]), (100, None))
        self.assertLess(len(some.metrics()), len(self.result.metrics()))
        with self.assertRaisesRegex(heddle.Error, "no metric 'nothing'"):
            self.saxpy[4, 256].profile(self.n, 2, self.x, self.y, metrics=["nothing"])
        self.assertEqual(self.saxpy[4, 256].profile(self.n, 2, self.x, self.y)["gst_efficiency"], 100)  # all again

    def test_lines(self):
        lines = self.result.lines([SECTORS, "gld_efficiency"])
        self.assertEqual(lines[0]["source"], "y[i] = a * x[i] + y[i];")
        self.assertEqual((lines[0]["file"], lines[0]["line"], lines[0][SECTORS], lines[0]["gld_efficiency"]), ("kernel.cu", 6, 256, 100))
        self.assertEqual(sum(line[SECTORS] for line in lines), self.result[SECTORS])
        for name in ("launch__grid_size", "smsp__warps_launched.sum", "smsp__inst_executed.avg", "inst_per_warp", "sm__maximum_warps_per_active_cycle_pct"):
            with self.subTest(name), self.assertRaisesRegex((heddle.Error, KeyError), "of the launch as a whole|no metric"):
                self.result.lines([name])

    def test_files(self):
        again = heddle.Result.from_json(self.result.to_json())
        self.assertEqual(again.metrics(), self.result.metrics())
        self.assertEqual(again.lines([SECTORS]), self.result.lines([SECTORS]))
        for wrong, text in (("", "not JSON"), ("[]", "not a result"), ('{"heddle_result": 99}', "version 99")):
            with self.assertRaisesRegex(heddle.Error, text):
                heddle.Result.from_json(wrong)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept")
            self.result.save(path)
            self.assertEqual(heddle.load_profile(path)[0].metrics(), self.result.metrics())
            with open(path, "a") as f:
                f.write("nonsense\n")
            with self.assertRaisesRegex(heddle.Error, "kept:2: not JSON"):
                heddle.load_profile(path)
            with self.assertRaisesRegex(heddle.Error, "cannot read results from '.*nothing': No such file"):
                heddle.load_profile(os.path.join(folder, "nothing"))

    def test_reports(self):
        self.assertRegex(self.result.report(), r"(?s)saxpy\(int, float, const float \*, float \*\) \(4, 1, 1\)x\(256, 1, 1\).*Section: Memory Workload")
        self.assertIn("y[i] = a * x[i] + y[i];", self.result.report("--page", "source"))
        with self.assertRaisesRegex(heddle.Error, "--nonsense"):
            self.result.report("--nonsense")

    @needs_pandas
    def test_frames(self):
        frame = self.result.to_frame()
        self.assertEqual((frame.loc[SECTORS, "value"], frame.loc[SECTORS, "trust"]), (256, "exact"))
        self.assertEqual(len(frame), len(self.result.metrics()))
        self.assertEqual(self.result.lines_frame([SECTORS])[SECTORS].sum(), 256)
        launches = heddle.Profile([self.result, self.result]).to_frame([SECTORS])
        self.assertEqual(launches[SECTORS].tolist(), [256, 256])


class Checks(unittest.TestCase):
    def setUp(self):
        self.module = heddle.compile(BUGS)

    def test_bad_accesses(self):
        p = np.zeros(30, np.float32)
        found = self.module["past"][1, 32].check(p)
        self.assertEqual([(f["tool"], f["kind"], f["severity"], f["count"], f["at"]["line"], f["cases"][0]["thread"]) for f in found],
                         [("memcheck", "out-of-bounds", "error", 2, 2, [30, 0, 0])])
        self.assertRegex(str(found), r"^Invalid __global__ write of size 4 bytes\n    at past\(float \*\) in kernel.cu:2\n"
                                     r"            2 \| __global__ void past.*\n    by thread \(30,0,0\) in block \(0,0,0\)")
        self.assertTrue((p == 1).all())  # the kernel went on
        self.assertEqual(self.module["past"][1, 30].check(p), [])
        with self.assertWarns(heddle.StrayAccess):  # no checks any more
            self.module["past"][1, 32](p)

    def test_races(self):
        found = self.module["race"][1, 64].check(np.zeros(1, np.int32))
        self.assertEqual([(f["kind"], f["at"]["line"], f["by"]["line"]) for f in found], [("read-after-write", 9, 7)])
        self.assertEqual(self.module["race"][1, 64].check(np.zeros(1, np.int32), tools="memcheck,initcheck"), [])
        for tools, unknown in (("nonsense", "nonsense"), ("memcheck,", ""), ("all,x", "x")):
            with self.assertRaisesRegex(heddle.Error, f"^'{unknown}' is no tool"):
                self.module["race"][1, 64].check(np.zeros(1, np.int32), tools=tools)

    def test_unwritten_memory(self):
        p = np.zeros(32, np.float32)
        self.assertEqual(self.module["unwritten"][1, 32].check(p, np.ones(32, np.float32)), [])

    def test_deadlocks(self):
        found = self.module["stuck"][1, 32].check(np.zeros(1, np.int32))
        self.assertEqual([f["kind"] for f in found], ["deadlock"])
        self.assertIsInstance(found.fault, heddle.Fault)
        self.assertEqual(found.errors.fault, found.fault)

    @needs_pandas
    def test_frames(self):
        frame = self.module["past"][1, 32].check(np.zeros(30, np.float32)).to_frame()
        self.assertEqual(frame[["kind", "file", "line", "count"]].values.tolist(), [["out-of-bounds", "kernel.cu", 2, 2]])
        self.assertEqual(len(heddle.Findings().to_frame()), 0)


class Library(unittest.TestCase):
    """The package's declarations are the header's."""

    def test_statuses(self):
        from heddle import _module, _result
        rows = (API / "heddle_status.def").read_text()
        for name, value in (("CHECK_FAILED", _module.CHECK_FAILED), ("NOT_IMPLEMENTED", _result.NOT_IMPLEMENTED), ("NOT_FOUND", _result.NOT_FOUND)):
            self.assertIn(f"HEDDLE_STATUS({name}, {value},", rows)

    def test_structs(self):
        from heddle import _library
        pairs = [("heddle_device_info", _library.CDeviceInfo), ("heddle_kernel_info", _library.CKernelInfo), ("heddle_window", _library.CWindow),
                 ("heddle_launch_config", _library.CLaunch), ("heddle_fault", _library.CFault), ("heddle_line", _library.CLine)]
        program = '#include <stdio.h>\n#include "heddle.h"\nint main(void) {\n'
        program += "".join(f'printf("%zu ", sizeof({c}));\n' for c, _ in pairs)
        program += "".join(f'printf("%zu ", __builtin_offsetof({c}, {field[0]}));\n' for c, of in pairs for field in of._fields_) + "}\n"
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "sizes")
            subprocess.run(["cc", "-I", str(API), "-x", "c", "-", "-o", out], input=program, text=True, check=True)
            found = [int(n) for n in subprocess.run([out], stdout=subprocess.PIPE, text=True, check=True).stdout.split()]
        expected = [ctypes.sizeof(of) for _, of in pairs] + [getattr(of, field[0]).offset for _, of in pairs for field in of._fields_]
        self.assertEqual(found, expected)

    def test_version(self):
        header = (API / "heddle.h").read_text()
        self.assertIn(f'#define HEDDLE_VERSION "{heddle.__version__}"', header)

    def test_help(self):
        said = io.StringIO()
        with redirect_stdout(said):
            help(heddle)
        self.assertIn("saxpy[4, 256](n, 2.0, x, y)", said.getvalue())
        for name in heddle.__all__:
            self.assertTrue(getattr(heddle, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
