"""tools/coverage.py with small programs of our own, one for each state.

usage: coverage_test.py HEDDLE"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HEDDLE = sys.argv[1]
TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "coverage.py"
KERNEL = r"""
#include <cstdio>
#include <cstdlib>
__global__ void twice(int *v, int wanted) { *v *= 2; while (wanted && *(volatile int *)v != wanted) { } }
int run(int value, int wanted)
{
    int *v, result;
    cudaMalloc(&v, sizeof *v);
    cudaMemcpy(v, &value, sizeof value, cudaMemcpyHostToDevice);
    twice<<<1, 1>>>(v, wanted);
    cudaMemcpy(&result, v, sizeof result, cudaMemcpyDeviceToHost);
    return result;
}
"""
MAINS = {
    "right": KERNEL + 'int main() { for (int i = 0; i < 400000; i++) puts("a line"); puts(run(2, 0) == 4 ? "PASS" : "FAIL"); }',
    "wrong": KERNEL + 'int main() { printf("%s: %d\\n", run(2, 0) == 5 ? "PASS" : "FAIL", run(2, 0)); }',
    "silent": KERNEL + "int main() { run(2, 0); }",
    "status": KERNEL + '#include <unistd.h>\nint main() { char d[999]; puts(getcwd(d, 999)); exit(run(2, 0) - 1); }',
    "endless": KERNEL + "int main() { run(2, 5); }",
    "null": KERNEL + "int main() { run(2, 0); *(volatile int *)8 = 1; }",
    "typo": KERNEL + 'int main() { return undeclared; }',
    "header": '#include "not_there.h"\nint main() { }',
    "library": "#include <optix.h>\nint main() { }",
    "instruction": KERNEL + '__global__ void f() { asm volatile("frobnicate.sync;"); }\n'
                            "int main() { f<<<1, 1>>>(); return cudaDeviceSynchronize() != 0; }",
    "data": KERNEL + "int main() { }",
}
# name: (pass, fail, input, state, cause begins with)
EXPECTED = {
    "right": ("^PASS", "^FAIL", "", "pass", ""),
    "wrong": ("^PASS", "^FAIL", "", "fails", "FAIL: 4"),
    "silent": ("", "", "", "no check", ""),
    "status": ("^", "", "", "fails", "status 3: programs/status"),
    "endless": ("^PASS", "", "", "slow", "more than 2 s of CPU time"),
    "null": ("^PASS", "", "", "crashed", "SIGSEGV: "),
    "typo": ("^PASS", "", "", "does not build", "use of undeclared identifier 'undeclared' (typo.cu:"),
    "header": ("^PASS", "", "", "does not build", "no header not_there.h"),
    "library": ("^PASS", "", "", "refused", "needs OptiX"),
    "instruction": ("^PASS", "", "", "refused", "instruction 'frobnicate.sync' is not implemented"),
    "data": ("^PASS", "", "mesh.* shared.txt", "no input", "mesh.* is not in the collection"),
}
# What programs say in modes; of `compare`: (pass, fail, input, state, cause is).
MODE = KERNEL + '#include <cstring>\n#include <unistd.h>\nbool jit() { return !strncmp(getenv("HEDDLE_EXEC"), "jit", 3); }\n'
MODES = {
    "near": MODE + r'int main() { printf("PASS %d\nsum %.5f in %p\ntook %d ms\n", run(2, 0), jit() ? 2.0 : 2.0003, malloc(1 + 9999 * jit()), getpid()); }',
    "far": MODE + r'int main() { printf("PASS %d\nsum %.5f\n", run(2, 0), jit() ? 2.0 : 2.0005); }',
    "longer": MODE + r'int main() { run(2, 0); puts(jit() ? "one\ntwo" : "one"); }',
    "ends": MODE + "int main() { run(2, 0); return jit(); }",
    "seeded": MODE + "int main() { unsigned long r[2]; getentropy(r, sizeof r); " r'printf("PASS %lu %lu\n", r[0], r[1]); }',
    "waits": MODE + "int main() { run(2, jit() ? 0 : 5); }",
    "typo": MAINS["typo"],
}
COMPARED = {
    "near": ("^PASS", "^FAIL", "", "pass", ""),
    "far": ("^PASS", "^FAIL", "", "differs", "jit, not interp: 'sum 2.00000' instead of 'sum 2.00050'"),
    "longer": ("", "", "", "differs", "jit, not interp: 'two' instead of 'nothing'"),
    "ends": ("", "", "", "differs", "jit, not interp: status 1 instead of 0"),
    "seeded": ("^PASS", "^FAIL", "", "pass", "not compared: prints something else in each run"),
    "waits": ("", "FAIL", "", "slow", "interp: more than 2 s of CPU time"),
    "typo": ("", "", "", "does not build", "use of undeclared identifier 'undeclared' (typo.cu:14)"),
}


def tool(*words):
    done = subprocess.run([sys.executable, TOOL, *map(str, words)], capture_output=True, text=True)
    assert not done.stderr, done
    return done.returncode, done.stdout


def rows(path):
    lines = path.read_text().split("\n")
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:] if line]


def make_list(root, mains, expected):
    lines = ["# collection commit program ..."]
    for name, main in mains.items():
        folder = root / "collection" / "programs" / name
        folder.mkdir(parents=True)
        (folder / f"{name}.cu").write_text(main + "\n")
        right, wrong, data, _, _ = expected[name]
        lines.append("\t".join(["own", "c0ffee", name, f"{root}/collection/./programs/{name}", f"test -f ../../shared.txt && nvcc {name}.cu -o p",
                                "./p", f"1 # {name}", right, wrong, data]))
    (root / "collection" / "shared.txt").write_text("beside the programs\n")
    (root / "list.tsv").write_text("\n".join(lines) + "\n")


def check_states(root):
    out = root / "rows.tsv"
    flags = ["--heddle", HEDDLE, "--scratch", root / "scratch", "--cpu", 2, "--wall", 100, "--commit", "h1"]
    status, said = tool("run", root / "list.tsv", out, "--jobs", 2, *flags)
    assert status == 0 and said.startswith("1 crashed, 2 does not build, 2 fails, 1 no check, 1 no input, 1 pass, 2 refused, 1 slow"), said
    found = {r["program"]: r for r in rows(out)}
    for name, (*_, state, cause) in EXPECTED.items():
        row = found[name]
        assert row["state"] == state and row["cause"].startswith(cause) and bool(cause) == bool(row["cause"]), row
        assert (row["heddle"], row["commit"], row["arguments"], row["limit_seconds"]) == ("h1", "c0ffee", f"1 # {name}", "2"), row
    assert 2 <= float(found["endless"]["cpu_seconds"]) < 20, found["endless"]
    assert not list((root / "collection").rglob("p")) and not list((root / "scratch").iterdir()), "something is left"

    assert tool("run", root / "list.tsv", out, *flags) == (0, "nothing to do\n")
    assert tool("run", root / "list.tsv", out, "--again", "fails", "--only", "own wr", *flags) == (0, "1 fails\n")
    source = root / "collection/programs/wrong/wrong.cu"
    source.write_text(source.read_text().replace("== 5", "== 4"))
    flags[-1] = "h2"
    assert tool("run", root / "list.tsv", out, "--only", "wrong|right", *flags) == (0, "2 pass\n")
    assert len(rows(out)) == len(EXPECTED) + 3
    return out


def check_compare(root):
    make_list(root, MODES, COMPARED)
    out, kept = root / "rows.tsv", root / "kept"
    kept.mkdir()
    flags = ["--heddle", HEDDLE, "--scratch", root, "--cpu", 2, "--wall", 100, "--commit", "h1", "--keep", kept]
    status, said = tool("compare", root / "list.tsv", out, "--jobs", 2, *flags)
    assert status == 0 and said == "3 differs, 1 does not build, 2 pass, 1 slow\n", said
    for row in rows(out):
        *_, state, cause = COMPARED[row["program"]]
        assert (row["state"], row["cause"]) == (state, cause) and ("/" in row["cpu_seconds"]) == (row["program"] != "typo"), row
    assert sorted(p.name for p in kept.iterdir()) == [f"own_{n}.{m}" for n in ("ends", "far", "longer") for m in ("interp", "jit")]
    assert (kept / "own_longer.jit").read_text() == "one\ntwo\n"
    tool("compare", root / "list.tsv", out, "--again", "slow", "--modes", "jit,interp,jit-first", *flags)
    last = rows(out)[-1]
    assert (last["program"], last["state"], last["cause"]) == ("waits", "pass", "interp: more than 2 s of CPU time"), last
    assert "| own | 7 | 3 | 3 | 1 | 42.9 % of 7 |" in tool("page", out)[1]


def check_page(out, root):
    status, text = tool("page", out)
    assert status == 0 and "| own | 11 | 2 | 1 | 1 | 1 | 2 | 2 | 1 | 1 | 22.2 % of 9 |" in text, text
    for line in ("Commit `c0ffee`.", "**Pass:** right, wrong.", "**Runs to its end, no check:** silent.", "Heddle: `h1`, `h2`",
                 "| library | refused | needs OptiX | 1 # library | `h1` |", "more\nthan 2 s of CPU time (the cause says which)"):
        assert line in text, (line, text)
    tool("page", out, "--write", root / "page.md")
    assert (root / "page.md").read_text() == text and tool("page", out, "--check", root / "page.md") == (0, "")
    (root / "page.md").write_text(text + "more\n")
    done = subprocess.run([sys.executable, TOOL, "page", out, "--check", root / "page.md"], capture_output=True, text=True)
    assert done.returncode == 1 and "--write it" in done.stderr, done


def check_interrupt(root):
    """An interrupted run ends what it started and keeps no row of it; the next run goes on."""
    out = root / "interrupted.tsv"
    words = [sys.executable, TOOL, "run", root / "list.tsv", out, "--heddle", HEDDLE, "--scratch", root / "scratch", "--only", "endless", "--commit", "h1"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    began = time.monotonic()
    while not list((root / "scratch").glob("*/tree/programs/endless/p")) and time.monotonic() - began < 60:
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert process.returncode == 130 and said == "nothing to do\n", (process.returncode, said)
    assert rows(out) == [] and not list((root / "scratch").iterdir())
    where = [os.readlink(p) for p in pathlib.Path("/proc").glob("[0-9]*/cwd") if os.access(p, os.R_OK)]
    assert not [w for w in where if w.startswith(str(root))], where


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scratch").mkdir()
    (folder / "modes").mkdir()
    check_compare(folder / "modes")
    make_list(folder, MAINS, EXPECTED)
    check_page(check_states(folder), folder)
    check_interrupt(folder)
    bad = folder / "bad.tsv"
    bad.write_text("one\ttwo\n")
    done = subprocess.run([sys.executable, TOOL, "page", bad], capture_output=True, text=True)
    assert done.returncode == 1 and f"{bad}:1: a row has the columns collection, commit" in done.stderr, done
