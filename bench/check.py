#!/usr/bin/env python3
"""What heddle check costs, as CPU time on one core: medians of interleaved runs.

usage: check.py HEDDLE [--rounds 3] [--oclgrind]
For eight programs of tests/truth and the tiled multiply of bench/kernels: nanoseconds a warp instruction in the reference executor
when nobody watches and under each tool, less the time of a program that does nothing, and their geometric means.
--oclgrind: the tiled multiply also as OpenCL under Debian's Oclgrind with --data-races (apt-get install
oclgrind), in the same interleaving. Nothing here is asserted: machines are shared and noisy.
"""
import argparse, json, math, os, resource, shutil, statistics, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels")
TRUTH = os.path.join(HERE, "..", "tests", "truth")
PROGRAMS = ["reduction", "scan", "histogram", "transpose", "spmv", "conv2d", "vector_ops", "bfs"]
TOOLS = ["", "memcheck", "initcheck", "synccheck", "racecheck", "all"]
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--rounds", type=int, default=3)
ap.add_argument("--oclgrind", action="store_true")
a = ap.parse_args()
heddle = os.path.abspath(a.heddle)

NOTHING = "#include <cuda_runtime.h>\nint main() { void *p; return cudaMalloc(&p, 4); }\n"
N = 64  # of the multiply that Oclgrind runs too


def cpu(cmd, **env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                   env={**os.environ, "HEDDLE_THREADS": "1", "HEDDLE_EXEC": "interp", **env})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


with tempfile.TemporaryDirectory() as tmp:
    path = lambda name: os.path.join(tmp, name)
    open(path("nothing.cu"), "w").write(NOTHING)
    sources = {p: os.path.join(TRUTH, p + ".cu") for p in PROGRAMS} | {"tiled": os.path.join(KERNELS, "multiply.cu"),
                                                                      "nothing": path("nothing.cu")}
    for name, source in sources.items():
        subprocess.run([heddle, "build", "-o", path(name), source], check=True)
    words = {name: [path(name)] + (["16", "256", "0"] if name == "tiled" else []) for name in sources}
    instructions = {}
    for name in sources:
        results = path("results")
        open(results, "w").close()
        cpu(words[name], HEDDLE_RESULTS=results)
        instructions[name] = sum(json.loads(line)["total"]["INST"] for line in open(results))
    times = {(name, tool): [] for name in sources for tool in TOOLS}
    ours, theirs = [], []
    if a.oclgrind:
        words["small"] = [path("tiled"), "16", str(N), "0"]
        shutil.copy(os.path.join(KERNELS, "tiled.cl"), path("tiled.cl"))
        open(path("tiled.sim"), "w").write(f"tiled.cl\ntiled\n{N} {N} 1\n16 16 1\n"
                                           f"<size={4 * N * N} float fill=1>\n<size={4 * N * N} float fill=1>\n"
                                           f"<size={4 * N * N} float fill=0>\n<size=4 int>\n{N}\n")
    for _ in range(a.rounds):
        for name, tool in times:
            check = {"HEDDLE_CHECK": tool + ",no-backtraces", "HEDDLE_FINDINGS": path("findings")} if tool else {}
            times[name, tool].append(cpu(words[name], **check))
        if a.oclgrind:
            ours.append(cpu(words["small"], HEDDLE_CHECK="racecheck", HEDDLE_FINDINGS=path("findings")))
            theirs.append(cpu(["sh", "-c", f"cd {tmp} && oclgrind-kernel --data-races --num-threads 1 tiled.sim"]))
    median = {k: statistics.median(v) for k, v in times.items()}
    print(f"ns a warp instruction, one core, CPU time, medians of {a.rounds} interleaved runs")
    print("%-14s %12s" % ("program", "warp inst") + "".join("%11s" % (t or "unwatched") for t in TOOLS))
    columns = {t: [] for t in TOOLS}
    for name in ["tiled"] + PROGRAMS:
        row = [1e9 * (median[name, t] - median["nothing", t]) / instructions[name] for t in TOOLS]
        for t, v in zip(TOOLS, row):
            columns[t].append(v)
        print("%-14s %12d" % (name, instructions[name]) + "".join("%11.0f" % v for v in row))
    print("%-14s %12s" % ("geometric mean", "") + "".join("%11.0f" % mean(columns[t]) for t in TOOLS))
    if a.oclgrind:
        small, grind = statistics.median(ours) - median["nothing", "racecheck"], statistics.median(theirs)
        print(f"tiled multiply 16x16, n = {N}: racecheck {small:.3f} s, Oclgrind {grind:.3f} s, "
              f"{grind / small:.0f} times")
