"""Kernels with a great many variables: time in proportion to them, no machine code beyond a limit, and a fault of machine code is
told. usage: frames.py HEDDLE"""
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = """#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void big(float *p) {}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *p;
    std::vector<float> v(32 * n);
    cudaMalloc(&p, n * 128);
    cudaMemset(p, 0, n * 128);
    big<<<1, 32>>>(p);
    cudaMemcpy(v.data(), p, n * 128, cudaMemcpyDeviceToHost);
    bool right = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < 32 * n; i++)
        right &= v[i] == i / 32 + 1;
    printf(right ? "PASSED\\n" : "FAILED\\n");
}
"""


def ptx(n):
    """n variables that are alive at once, loaded, changed and stored: 0 becomes the variable's number + 1."""
    lines = [".version 8.0", ".target sm_80", ".address_size 64", ".visible .entry _Z3bigPf(.param .u64 p)", "{",
             f".reg .f32 %f<{n}>, %t; .reg .b64 %a<3>; .reg .b32 %r<2>;",
             "ld.param.u64 %a0, [p]; cvta.to.global.u64 %a0, %a0; mov.u32 %r1, %tid.x; mul.wide.u32 %a1, %r1, 4;",
             "add.s64 %a2, %a0, %a1;"]
    lines += [f"ld.global.f32 %f{i}, [%a2+{128 * i}];" for i in range(n)]
    lines += [f"fma.rn.f32 %f{i}, %f{(7 * i + 3) % n}, 0f00000000, %f{i};" for i in range(n)]
    lines += [f"cvt.rn.f32.u32 %t, {i + 1}; add.rn.f32 %f{i}, %f{i}, %t;" for i in range(n)]
    lines += [f"st.global.f32 [%a2+{128 * i}], %f{i};" for i in range(n)]
    return "\n".join(lines + ["ret;", "}", ""])


def run(command, stack=None, **environment):
    limit = (lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))) if stack else None
    done = subprocess.run([str(c) for c in command], env={**os.environ, **environment}, preexec_fn=limit, timeout=250,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done


def expect(holds, what, done=None):
    if not holds:
        sys.exit(f"FAILED: {what}" + (f": status {done.returncode}\n{done.stdout}{done.stderr}" if done else ""))


def seconds(command):
    """Processor time of a run, the least of several."""
    least = None
    for _ in range(7):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = run(command, HEDDLE_EXEC="interp")
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        expect(done.stdout == "PASSED\n", "a kernel of many variables", done)
        least = took if least is None else min(least, took)
    return least


def main():
    heddle = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        os.environ["HEDDLE_CACHE"] = str(folder / "cache")
        (folder / "main.cu").write_text(MAIN)
        for n in (600, 1250, 2500, 5000):
            (folder / f"{n}.ptx").write_text(ptx(n))
            done = run([heddle, "build", "--device-ptx", folder / f"{n}.ptx", folder / "main.cu", "-o", folder / f"{n}"])
            expect(done.returncode == 0, f"building {n} variables", done)

        times = [seconds([folder / f"{n}", n]) for n in (1250, 2500, 5000)]
        print("variables 1250 2500 5000: seconds", *(f"{t:.2f}" for t in times))
        expect(times[2] < 8 * times[0], f"time grows faster than the kernel: {times}") # 4 times: in proportion; 16: with the square

        log = folder / "log"
        done = run([folder / "2500", 2500], HEDDLE_EXEC="jit", HEDDLE_JIT_LOG=str(log))
        expect(done.stdout == "PASSED\n", "2500 variables with HEDDLE_EXEC=jit", done)
        expect(not log.exists() or not log.read_text(), "2500 variables are compiled")

        done = run([folder / "600", 600], HEDDLE_EXEC="jit-first", HEDDLE_JIT_LOG=str(log))
        expect(done.stdout == "PASSED\n" and '"problem": null' in log.read_text(), "600 variables with HEDDLE_EXEC=jit-first", done)
        done = run([folder / "600", 600], stack=100 << 10, HEDDLE_EXEC="jit-first") # its code is kept; its frame is larger than that
        expect(done.returncode == -11 and "the machine code of kernel '_Z3bigPf' faulted at 0x" in done.stderr and
               "cudaErrorLaunchFailure, 719" in done.stderr, "a fault of machine code is not told", done)
    print("ALL DONE")


main()
