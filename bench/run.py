#!/usr/bin/env python3
"""What `heddle run` costs, as CPU time and wall time: medians of interleaved runs.

usage: run.py HEDDLE [--rounds 5]
Of a program of a hundred lines (hundred.cu): first time with an empty cache, first time with precompiled headers there,
from the cache, and the program by itself. Nothing here is asserted: machines are shared and noisy.
"""
import argparse, os, resource, shutil, statistics, subprocess, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("--rounds", type=int, default=5)
a = ap.parse_args()
heddle = os.path.abspath(a.heddle)


def run(cmd, **env):
    """CPU seconds of the process and its children, wall seconds."""
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run(cmd, stdout=subprocess.DEVNULL, env={**os.environ, **env}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - wall


with tempfile.TemporaryDirectory() as tmp:
    cache = os.path.join(tmp, "cache")
    program = os.path.join(HERE, "hundred.cu")
    rows = {"empty cache": [], "headers precompiled": [], "cached": [], "the program alone": []}
    exe = os.path.join(tmp, "hundred")
    subprocess.run([heddle, "build", "-o", exe, program], check=True)
    for i in range(a.rounds):
        shutil.rmtree(cache, ignore_errors=True)
        rows["empty cache"].append(run([heddle, "run", program], HEDDLE_CACHE=cache))
        rows["cached"].append(run([heddle, "run", program], HEDDLE_CACHE=cache))
        other = os.path.join(tmp, "other%d.cu" % i)
        open(other, "w").write(open(program).read() + "// %d\n" % i)
        rows["headers precompiled"].append(run([heddle, "run", other], HEDDLE_CACHE=cache))
        rows["the program alone"].append(run([exe]))
    print("heddle run of a program of a hundred lines, seconds, medians of %d" % a.rounds)
    print("%-22s %8s %8s" % ("", "CPU", "wall"))
    for k, v in rows.items():
        print("%-22s %8.3f %8.3f" % (k, statistics.median(x[0] for x in v), statistics.median(x[1] for x in v)))
