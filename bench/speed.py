#!/usr/bin/env python3
"""Speed of the reference executor and of `heddle run`, as CPU time: medians of interleaved runs.

usage: speed.py HEDDLE [--n 256] [--rounds 5]
Prints, for the tiled matrix multiply on one host thread: warp instructions, millions a second without and with
counters, and the ratio to plain blocked C (gcc -O3 -march=native). Then the time of `heddle run` of a program of a
hundred lines: first time with an empty cache, first time with precompiled headers there, and from the cache, each
less the program's own time where that is what is asked. Nothing here is asserted: machines are shared and noisy.
"""
import argparse, json, os, resource, shutil, statistics, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--n", type=int, default=256)
ap.add_argument("--rounds", type=int, default=5)
a = ap.parse_args()
heddle = os.path.abspath(a.heddle)


def run(cmd, **env):
    """Output, CPU seconds of the process and its children, wall seconds."""
    import time
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    p = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, env={**os.environ, **env}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return p.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - wall


def seconds(text):
    out = {}
    for line in text.splitlines():
        f = line.split()
        if len(f) == 2:
            out.setdefault(f[0], []).append(float(f[1]))
    return {k: statistics.median(v) for k, v in out.items()}


with tempfile.TemporaryDirectory() as tmp:
    cuda, native, results = (os.path.join(tmp, x) for x in ("tiled", "native", "results"))
    subprocess.run([heddle, "build", "-o", cuda, os.path.join(HERE, "tiled.cu")], check=True)
    subprocess.run(["gcc", "-O3", "-march=native", "-ffast-math", "-o", native, os.path.join(HERE, "tiled_native.c")],
                   check=True)
    args = [str(a.n), "3"]
    times = {"plain": [], "counting": [], "native": []}
    for _ in range(a.rounds):
        times["plain"].append(seconds(run([cuda] + args, HEDDLE_THREADS="1")[0]))
        times["counting"].append(seconds(run([cuda] + args, HEDDLE_THREADS="1", HEDDLE_RESULTS=results)[0]))
        times["native"].append(seconds(run([native] + args)[0]))
    inst = {}
    for line in open(results):
        r = json.loads(line)
        name = r.get("kernel_name", r.get("kernel", ""))
        total = r.get("total", {}).get("INST")
        for k in ("tiled<16>", "tiled<32>"):
            if k in name and total:
                inst[k] = total
    base = statistics.median(t["native"] for t in times["native"])
    print("tiled matrix multiply, n = %d, one host thread, CPU time, medians of %d interleaved runs" % (a.n, a.rounds))
    print("%-10s %14s %16s %16s %14s %14s" % ("kernel", "warp inst", "plain M/s", "counting M/s", "plain/native", "counting/plain"))
    for k in ("tiled<16>", "tiled<32>"):
        plain = statistics.median(t[k] for t in times["plain"])
        counting = statistics.median(t[k] for t in times["counting"])
        print("%-10s %14d %16.1f %16.1f %14.1f %14.2f" % (k, inst.get(k, 0), inst.get(k, 0) / plain / 1e6,
              inst.get(k, 0) / counting / 1e6, plain / base, counting / plain))

    cache = os.path.join(tmp, "cache")
    program = os.path.join(HERE, "hundred.cu")
    rows = {"empty cache": [], "headers precompiled": [], "cached": [], "the program alone": []}
    exe = os.path.join(tmp, "hundred")
    subprocess.run([heddle, "build", "-o", exe, program], check=True)
    for i in range(a.rounds):
        shutil.rmtree(cache, ignore_errors=True)
        rows["empty cache"].append(run([heddle, "run", program], HEDDLE_CACHE=cache)[1:])
        rows["cached"].append(run([heddle, "run", program], HEDDLE_CACHE=cache)[1:])
        other = os.path.join(tmp, "other%d.cu" % i)
        open(other, "w").write(open(program).read() + "// %d\n" % i)
        rows["headers precompiled"].append(run([heddle, "run", other], HEDDLE_CACHE=cache)[1:])
        rows["the program alone"].append(run([exe])[1:])
    print("\nheddle run of a program of a hundred lines, seconds, medians of %d" % a.rounds)
    print("%-22s %8s %8s" % ("", "CPU", "wall"))
    for k, v in rows.items():
        print("%-22s %8.3f %8.3f" % (k, statistics.median(x[0] for x in v), statistics.median(x[1] for x in v)))
