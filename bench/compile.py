#!/usr/bin/env python3
"""What machine code of a straight kernel costs to make, in both tiers: a table.

usage: compile.py HEDDLE [--instructions 300] [--rounds 9] [--isa x86-64-v4,x86-64-v3] [--save PROGRAM | --program PROGRAM]

The kernel has about so many PTX instructions: every tenth loads, every twentieth stores, the others are arithmetic of f32 and
of integers whose results are used. Each round is a process of its own for each tier and level, which compiles that kernel and
nothing else; the figures are medians of HEDDLE_JIT_LOG's CPU time, without loading LLVM, and their least.
--save, --program: builds it here and runs it on a machine without clang (HEDDLE is not used then).
"""
import argparse, json, os, statistics, subprocess, sys, tempfile

ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--instructions", type=int, default=300)
ap.add_argument("--rounds", type=int, default=9)
ap.add_argument("--isa", default="x86-64-v4,x86-64-v3")
ap.add_argument("--save")
ap.add_argument("--program")
a = ap.parse_args()


def source(instructions):
    lines = ["float x = in[i], y = x + 1; unsigned u = i * 7, v = i ^ 5;"]
    done = 20  # what begins and ends the kernel
    while done < instructions:
        k = len(lines)
        if k % 10 == 9:
            lines.append(f"x += in[i + {k} * 256];")
            done += 2
        elif k % 20 == 4:
            lines.append(f"out[i + {k} * 256] = x + y;")
            done += 2
        else:
            lines.append(("x = fmaf(x, y, 0.5f);", "y = fminf(y, x) * 1.5f;", "u = u * 3 + v;", "v = (v ^ u) >> 1;",
                          "y = y - x;", "u = min(u, v + 77);", "x = x * x;")[k % 7])
            done += (1, 2, 1, 2, 1, 2, 1)[k % 7]
    body = "\n    ".join(lines)
    return f"""#include <cstdio>
__global__ void straight(const float *in, float *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
    out[i] = x + y + u + v;
}}
int main()
{{
    float *p;
    cudaMalloc(&p, 2 << 20);
    cudaMemset(p, 0, 2 << 20);
    straight<<<1, 256>>>(p, p + (1 << 18));
    return cudaDeviceSynchronize() != cudaSuccess;
}}
"""


def build(program):
    with tempfile.NamedTemporaryFile("w", suffix=".cu") as f:
        f.write(source(a.instructions))
        f.flush()
        subprocess.run([os.path.abspath(a.heddle), "build", "-o", program, f.name], check=True)


def compiled(program, tier, isa):
    """What was made, by form."""
    env = {**os.environ, "HEDDLE_EXEC": "jit" if tier == "full" else "jit-first", "HEDDLE_ISA": isa, "HEDDLE_JIT_CACHE": "0", "HEDDLE_JIT_LOG": "-"}
    p = subprocess.run([program], capture_output=True, text=True, env=env)
    made = [json.loads(line) for line in p.stderr.splitlines() if line.startswith("{")]
    if p.returncode or not made or any(m["tier"] != tier or m["problem"] for m in made):
        sys.exit(f"{isa}: {p.stderr}")
    return {m["form"]: m for m in made}


if a.save:
    build(a.save)
    sys.exit(0)
with tempfile.TemporaryDirectory() as tmp:
    program = os.path.abspath(a.program) if a.program else f"{tmp}/straight"
    if not a.program:
        build(program)
    kinds = [("first", "together"), ("full", "together"), ("full", "block")]
    times = {(isa, *kind): [] for isa in a.isa.split(",") for kind in kinds}
    for _ in range(a.rounds):
        for isa in a.isa.split(","):
            for tier in ("first", "full"):
                for form, m in compiled(program, tier, isa).items():
                    times[isa, tier, form].append(m["cpu_ms"])
    print(f"{m['instructions']} instructions, CPU milliseconds\n\n| | first tier | full, warps | full, whole blocks |\n|---|---|---|---|")
    for isa in a.isa.split(","):
        print(f"| {isa} | " + " | ".join(f"{statistics.median(times[isa, *k]):.1f} (least {min(times[isa, *k]):.1f})" for k in kinds) + " |")
