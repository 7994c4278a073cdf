"""Tests of tools/front_end.py: causes of sites made by hand, rows and page of them. No compiler is asked."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/front_end.py"
sys.path.insert(0, str(ROOT / "tools"))
import front_end  # noqa: E402

LD = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
ATOM, RED = (f"l1tex__t_requests_pipe_lsu_mem_global_op_{k}.sum" for k in ("atom", "red"))
LOCAL = "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"
FADD, FMUL, FFMA = (f"smsp__sass_thread_inst_executed_op_{k}_pred_on.sum" for k in ("fadd", "fmul", "ffma"))
BLOCKS = "sm__ctas_launched.sum"


def site(text, line=5, inlined_at=None, **counters):
    return {"text": text, "file": "/tmp/k.cu", "line": line, "inlined_at": inlined_at, "counters": counters}


def loads(text, requests, lane_bytes, n=1, line=5):
    """n loads with as many requests each, of 32 lanes."""
    return [site(text, line, GLOBAL_LD_REQUESTS=requests, GLOBAL_LD_BYTES=32 * lane_bytes * requests) for _ in range(n)]


class Causes(unittest.TestCase):
    def cause(self, metric, own, nvcc, wanted):
        self.assertEqual(front_end.cause_of(metric, own, nvcc), wanted)

    def test_widths(self):
        four, one = loads("ld.global.f32 %f1, [%rd1];", 10, 4, 4), loads("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", 10, 16)
        self.cause(LD, four, one, "global loads: the same bytes, narrower accesses")
        self.cause(LD, one, four, "global loads: the same bytes, wider accesses")

    def test_number(self):
        one, two = loads("ld.global.u32 %r1, [%rd1];", 10, 4), loads("ld.global.u32 %r1, [%rd1];", 10, 4, 2)
        self.cause(LD, two, one, "global loads: more in Heddle's code")
        self.cause(LD, one, two, "global loads: fewer in Heddle's code")
        self.cause(LD, loads("@%p1 ld.global.u32 %r1, [%rd1];", 30, 4), one,
                   "global loads: as many instructions, carried out more often (branches, selects)")
        self.cause(LD.replace("requests", "sectors"), one, one, "global loads: as many, of other addresses together")
        self.cause(LD.replace("requests", "sectors"), one, loads("ld.global.u8 %r1, [%rd1];", 10, 1),
                   "global loads: of other lanes or widths, as many")

    def test_spaces(self):
        self.cause(LOCAL, [site("st.local.u32 [%rd1], %r1;", LOCAL_ST_REQUESTS=8)], [], "local stores: only in Heddle's code")
        self.cause(LOCAL, [], [site("st.local.u32 [%rd1], %r1;", LOCAL_ST_REQUESTS=8)], "local stores: only in nvcc's code")
        self.cause(BLOCKS, [], [], "other blocks or warps")

    def test_atomics(self):
        red = [site("red.global.add.u32 [%rd1], 1;", GLOBAL_RED_REQUESTS=8)]
        atom = [site("atom.global.add.u32 %r1, [%rd1], 1;", GLOBAL_ATOM_REQUESTS=8)]
        for metric in (ATOM, RED):
            self.cause(metric, red, atom, "global atomics: red for atom")
            self.cause(metric, atom, red, "global atomics: atom for red")
        self.cause(RED, red, red + red, "global reductions: fewer in Heddle's code")

    def test_arithmetic(self):
        apart = [site("mul.rn.f32 %f1, %f2, %f3;", FMUL=32), site("add.rn.f32 %f1, %f1, %f4;", FADD=32)]
        fused = [site("fma.rn.f32 %f1, %f2, %f3, %f4;", FFMA=32)]
        for metric in (FADD, FMUL, FFMA):
            self.cause(metric, apart, fused, "float: fused less than by nvcc")
            self.cause(metric, fused, apart, "float: fused more than by nvcc")
        divided = fused + [site("div.rn.f32 %f1, %f2, %f3;", FFMA=160, FMUL=32)]
        self.cause(FMUL, divided, fused, "float: more `div.f32`")
        self.cause(FMUL, fused, divided, "float: fewer `div.f32`")

        self.cause(FFMA, [site("fma.rn.f32 %f1, %f2, %f3, %f4;", FFMA=64)], [site("fma.f32 %f1, %f2, %f3, %f4;", FFMA=32)],
                   "float: the same instructions, carried out more often (branches, selects)")

    def test_every_metric_has_a_family(self):
        without = [m for m in front_end.METRICS if not front_end.family_of(m)[0]]
        self.assertEqual(without, [BLOCKS, "smsp__warps_launched.sum"])

    def test_place(self):
        own = loads("ld.global.u32 %r1, [%rd1];", 10, 4, line=5) + loads("ld.global.u32 %r1, [%rd1];", 30, 4, line=6)
        self.assertEqual(front_end.place_of(LD, own, loads("ld.global.u32 %r1, [%rd1];", 11, 4, line=5)), "k.cu:6")
        inlined = [site("ld.global.u32 %r1, [%rd1];", 99, "/tmp/k.cu:7", GLOBAL_LD_REQUESTS=5)]
        self.assertEqual(front_end.place_of(LD, inlined, []), "k.cu:7")


def launch(kernel, cells, sites=()):
    return ({"Kernel Name": f"{kernel}(int *)"} | {m: str(v) for m, v in cells.items()}, {"kernel": f"_Z{kernel}", "sites": list(sites)})


class Rows(unittest.TestCase):
    def test_cells(self):
        one, two = loads("ld.global.u32 %r1, [%rd1];", 10, 4), loads("ld.global.u32 %r1, [%rd1];", 10, 4, 2)
        own = [launch("a", {BLOCKS: 2, LD: 20, FMUL: 0}, two), launch("b", {BLOCKS: 2, FFMA: 101}), launch("a", {BLOCKS: 4, LD: 10}, one)]
        nvcc = [launch("a", {BLOCKS: 2, LD: 10, FMUL: 0}, one), launch("a", {BLOCKS: 4, LD: 10}, one), launch("b", {BLOCKS: 2, FFMA: 101}),
                launch("c", {BLOCKS: 1}), launch("c", {BLOCKS: 1})]
        own.append(launch("c", {BLOCKS: 1}))
        a, b, c = front_end.compare(own, nvcc)
        self.assertEqual((a["kernel"], a["launches"], a["cells"], a["equal"]), ("a", 2, 4, 3))
        self.assertEqual(front_end.causes_of(a), [(1, "global loads: more in Heddle's code", "k.cu:5")])
        self.assertEqual((b["cells"], b["equal"], b["flops"], b["flops_nvcc"], b["causes"]), (2, 2, "202", "202", ""))
        self.assertEqual((c["kernel"], c["state"], c["causes"]), ("c", "other launches", "1 launches, 2 with nvcc's code"))

    def test_page(self):
        def row(kernel, cells, equal, flops, causes=""):
            return "\t".join(["C", "1", "p", kernel, "h", "compared", "1", str(cells), str(equal), str(flops), "100", causes])
        rows = ["\t".join(front_end.COLUMNS), row("f", 10, 10, 102), row("g", 4, 2, 103, "2 float: fused less than by nvcc @ g.cu:3"),
                "C\t1\tq\t\th\tdoes not run\t\t\t\t\t\town: no GPU"]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "rows.tsv")
            path.write_text("\n".join(rows) + "\n")
            text = subprocess.run([sys.executable, TOOL, "page", path], capture_output=True, text=True, check=True).stdout
        # 12 of 14 cells; (1 + 1/2) / 2 kernels; 103 of 100 is too far
        self.assertIn("| C | 1 | 2 | 2 | 14 | 12 | 85.71 % | 75.00 % | 1 | 1 of 2 kernels |", text)
        self.assertIn("| float: fused less than by nvcc | 1 | 2 | 25.00 % | p g, g.cu:3 |", text)
        self.assertIn("| q |   | does not run | own: no GPU |", text)

    def test_page_says_what_was_before(self):
        def row(heddle, equal):
            return dict.fromkeys(front_end.COLUMNS, "") | {"collection": "C", "program": "p", "kernel": "f", "heddle": heddle, "state": "compared",
                                                           "launches": "1", "cells": "10", "equal": equal, "flops": "1", "flops_nvcc": "1"}
        text = "\n".join(front_end.page([row("one", "4"), row("two", "9")], "rows.tsv"))
        now, before = text.index("| C | 1 | 1 | 1 | 10 | 9 | 90.00 %"), text.index("| C | 1 | 1 | 1 | 10 | 4 | 40.00 %")
        self.assertLess(now, text.index("when they were first compared (`one`)"))
        self.assertLess(text.index("when they were first compared (`one`)"), before)
        self.assertNotIn("first compared", "\n".join(front_end.page([row("one", "4")], "rows.tsv")))

    def test_held_out(self):
        for program in ("adv", "aidw", "lud", "matrixMul"):
            self.assertEqual(front_end.held_out({"collection": "HeCBench", "program": program}),
                             subprocess.run(["md5sum"], input=program, capture_output=True, text=True, check=True).stdout[0] in "4ab")
            self.assertFalse(front_end.held_out({"collection": "Heddle", "program": program}))


class WithoutNvcc(unittest.TestCase):
    def test_skips(self):
        done = subprocess.run([sys.executable, TOOL, "run", "no_list", "no_rows"], capture_output=True, text=True,
                              env=os.environ | {"HEDDLE_NVCC": "not_there"})
        self.assertEqual((done.returncode, done.stdout), (77, "skipped: NVIDIA's compiler is not there (HEDDLE_NVCC, or nvcc on PATH)\n"))


if __name__ == "__main__":
    unittest.main()
