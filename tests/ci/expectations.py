#!/usr/bin/env python3
"""`heddle profile --expect`, `heddle compare --fail-above`, and what they leave.

usage: expectations.py HEDDLE ROOT

copy of kernels.cu is launched with strides of 1, 8 and 2 floats: 32 floats of a warp lie in 4, 32 and 8 sectors of 32 bytes, so
of what is moved 100, 12.5 and 50 % are used; 4 blocks of 8 warps make 32 requests: 128, 1024 and 256 sectors. fill loads nothing.
banks<32> has all lanes of a warp in one bank, 31 conflicts for its load and its store; banks<1> has none."""
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HEDDLE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
GUIDE = ROOT / "examples/guide/brighten.cu"
SOURCE = ROOT / "tests/ci/kernels.cu"
COPY = next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if "from[i * stride]" in line)
TILE = next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if "= tile[" in line)
bad = []


def check(holds, what):
    if not holds:
        bad.append(what)
        print("wrong:", what)


class Folder:
    """A folder with the program, built."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        (self.path / "kernels.cu").write_text(SOURCE.read_text())

    def run(self, *words, status=0):
        p = subprocess.run([HEDDLE, *words], cwd=self.path, capture_output=True, text=True)
        check(p.returncode == status, f"{words}: status {p.returncode}, not {status}\n{p.stderr[-2000:]}")
        return p

    def expect(self, *expressions, status, flags=()):
        """The lines that say what is not met, and how many are."""
        words = [word for e in expressions for word in ("--expect", e)]
        p = self.run("profile", "--log-file", "/dev/null", "--section", "LaunchStats", *flags, *words, "kernels.cu", status=status)
        lines = p.stderr.splitlines()
        return [line for line in lines if ": error: " in line], next((line for line in lines if line.endswith("expectations are met")), "")

    def from_file(self, text, status, flags=()):
        (self.path / "x.expect").write_text(text)
        return self.expect(status=status, flags=("--expect-file", "x.expect", *flags))


def names_and_operators(f):
    """Either style of name, every operator, the bound itself."""
    for name in ("gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"):
        lines, met = f.expect(f"{name} >= 12.5", status=0)
        check(met == "heddle: 1 of 1 expectations are met", f"{name}: {met}")
        lines, met = f.expect(f"{name}>12.5%", status=3)
        check(lines == [f"kernels.cu:{COPY}: error: expectation '{name}>12.5%' is not met: 12.5 % in kernel 'copy(const float *, float *, int)', "
                        "launch 2; not in 1 of its 3 launches"], f"{name}: {lines}")
    for expression, holds in (("launch__block_size <= 256", True), ("launch__block_size < 256", False), ("launch__block_size>=32", True),
                              ("launch__grid_size != 5", True), ("launch__grid_size == 4", False), ("launch__grid_size!=4", False)):
        lines, _ = f.expect(expression, status=0 if holds else 3)
        check(bool(lines) != holds, f"{expression}: {lines}")


def which_launches(f):
    """The worst launch is named; a launch with nothing to be measured says nothing; none that says anything is a failure."""
    lines, met = f.expect("gld_transactions <= 255", status=3, flags=("-k", "copy"))
    check(len(lines) == 1 and "is not met: 1024 " in lines[0] and "launch 2; not in 2 of its 3 launches" in lines[0], f"worst: {lines}")
    lines, met = f.expect("gld_efficiency >= 100", status=3)
    check(len(lines) == 1 and met == "heddle: 0 of 1 expectations are met", f"fill and banks load nothing: {lines} {met}")
    lines, met = f.expect("gld_efficiency >= 10", status=3, flags=("-k", "fill"))
    check(lines == ["heddle: error: expectation 'gld_efficiency >= 10' is not met: no launch has anything that it measures"], f"nothing: {lines}")
    lines, met = f.expect("gld_transactions == 0", status=0, flags=("-k", "fill"))
    check(met == "heddle: 1 of 1 expectations are met", f"a sum of nothing is 0: {lines} {met}")


def by_kernel(f):
    text = """# by kernel
gst_efficiency >= 100
[copy]
gld_transactions <= 1024   # the stride of 8
[banks]            # both
shared_load_transactions_per_request <= 1
[regex:banks<1>]
shared_load_transactions_per_request == 1
[*]
launch__grid_size >= 1
[absent]
launch__grid_size >= 1
"""
    lines, met = f.from_file(text, 3)
    check(met == "heddle: 11 of 13 expectations are met", met)
    check(lines == [f"kernels.cu:{TILE}: error: expectation 'shared_load_transactions_per_request <= 1' (x.expect:6) is not met: 32  in kernel "
                    "'void banks<32>(float *)', launch 5".replace("32  in", "32 in"),
                    "x.expect:12: error: expectation 'launch__grid_size >= 1' (x.expect:12) is not met: no kernel 'absent' was launched"], f"{lines}")


def files(f):
    flags = ("--junit", "j.xml", "--annotate", "github")
    p = f.run("profile", "--log-file", "/dev/null", *flags, "--expect", "gld_efficiency >= 90", "--expect", "inst_executed > 0", "kernels.cu", status=3)
    notes = [line for line in p.stderr.splitlines() if line.startswith("::")]
    check(notes == [f"::error file=kernels.cu,line={COPY},title=gld_efficiency >= 90::expectation 'gld_efficiency >= 90' is not met: 12.5 %25 in kernel "
                    "'copy(const float *, float *, int)', launch 2; not in 2 of its 3 launches%0Ato[i] = from[i * stride];"], f"{notes}")
    check(": error: " not in p.stderr, "said twice")
    suite = xml.etree.ElementTree.parse(f.path / "j.xml").getroot().find("testsuite")
    cases = [(c.get("classname"), c.get("name"), c.find("failure") is not None) for c in suite]
    check((suite.get("name"), suite.get("tests"), suite.get("failures")) == ("heddle profile", "5", "1"), f"{suite.attrib}")
    check(("copy(const float *, float *, int)", "gld_efficiency >= 90", True) in cases and ("void banks<32>(float *)", "inst_executed > 0", False) in cases, f"{cases}")
    f.run("profile", "--log-file", "/dev/null", "--junit", "absent/j.xml", "--expect", "inst_executed > 0", "kernels.cu", status=1)


def kept(f):
    """An imported report is judged as well; the program's own failure comes first."""
    f.run("profile", "-o", "kept.json", "kernels.cu")
    f.run("profile", "-i", "kept.json", "--log-file", "/dev/null", "--expect", "gld_efficiency >= 10")
    f.run("profile", "-i", "kept.json", "--log-file", "/dev/null", "--expect", "gld_efficiency >= 90", status=3)
    (f.path / "fails.cu").write_text(SOURCE.read_text().replace('printf("PASSED\\n")', "return 7"))
    f.run("profile", "--log-file", "/dev/null", "--expect", "gld_efficiency >= 90", "fails.cu", status=7)


def worse(f):
    """Strides of 1, 8 and 2, then 1, 4 and 3: 512 sectors in the place of 1024, 384 in the place of 256."""
    (f.path / "now.cu").write_text(SOURCE.read_text().replace("(a, b, 8)", "(a, b, 4)").replace("(a, b, 2)", "(a, b, 3)"))
    rows = "--metrics", "gld_transactions,gst_transactions,gld_efficiency,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
    f.run("compare", "kernels.cu", "kernels.cu", "--fail-above", "0")
    p = f.run("compare", "kernels.cu", "now.cu", "-k", "copy", *rows, "--fail-above", "40%", status=3)
    said = [line for line in p.stderr.splitlines() if ": error: " in line]
    check(said == [f"now.cu:{COPY}: error: 'gld_transactions' of kernel 'copy', launch 3, is 384 in now.cu, and was 256 in kernels.cu: 50.0% worse, 40% is allowed",
                   f"now.cu:{COPY}: error: 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum' of kernel 'copy', launch 3, is 384 sector in now.cu, "
                   "and was 256 sector in kernels.cu: 50.0% worse, 40% is allowed"], f"{said}")
    check("heddle: 10 of 12 figures are no worse than allowed" in p.stderr, p.stderr[-300:])
    f.run("compare", "kernels.cu", "now.cu", "-k", "copy", *rows, "--fail-above", "50")
    p = f.run("compare", "kernels.cu", "now.cu", "-k", "copy", "--metrics", "gld_efficiency", "--fail-above", "30", status=3)
    check("'gld_efficiency' of kernel 'copy', launch 3, is 33.3 % in now.cu, and was 50 % in kernels.cu: 33.3% worse, 30% is allowed" in p.stderr, p.stderr)
    p = f.run("compare", "now.cu", "kernels.cu", "-k", "copy", "--metrics", "memory_l2_theoretical_sectors_global", "--fail-above", "30", status=3)
    check("50.0% changed" not in p.stderr and "% changed, 30% is allowed" in p.stderr, f"a metric of which nothing is known: {p.stderr}")
    f.run("compare", "kernels.cu", "now.cu", "-k", "copy", *rows, "--fail-above", "40", "--junit", "c.xml", status=3)
    suite = xml.etree.ElementTree.parse(f.path / "c.xml").getroot().find("testsuite")
    check((suite.get("name"), suite.get("tests"), suite.get("failures")) == ("heddle compare", "12", "2"), f"{suite.attrib}")


def better(f):
    """The guide's mended kernel asks for each sector once: its hit rates fall, and nothing is worse, unless they are asked for."""
    (f.path / "was.cu").write_text(GUIDE.read_text())
    (f.path / "mended.cu").write_text(GUIDE.read_text().replace("int row", "int was").replace("int col", "int row").replace("int was", "int col"))
    f.run("compare", "was.cu", "mended.cu", "--fail-above", "0")
    p = f.run("compare", "was.cu", "mended.cu", "--metrics", "l1tex__t_sector_hit_rate.pct", "--fail-above", "0", status=3)
    check("'l1tex__t_sector_hit_rate.pct' of kernel 'brighten', launch 0, is 50 % in mended.cu" in p.stderr, p.stderr)


with tempfile.TemporaryDirectory() as path:
    folder = Folder(path)
    for test in (names_and_operators, which_launches, by_kernel, files, kept, worse, better):
        test(folder)
print("FAILED" if bad else "PASSED")
sys.exit(bool(bad))
