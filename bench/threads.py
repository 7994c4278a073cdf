#!/usr/bin/env python3
"""Launches whose caches and time are modelled, on one host thread and on several: how much faster, and whether figures are the same.

usage: threads.py HEDDLE [--threads 1,2,4,8] [--rounds 3] [--least 20] [--programs DIR] [PROGRAM ...]
       threads.py HEDDLE --make DIR [PROGRAM ...]

Wall time of each launch (HEDDLE_TRACE), medians over rounds in which all numbers of threads take turns. A row is a launch: milliseconds with
the first number of threads, and how many times as fast the others are; below that geometric means by program and of all.
Every launch's results but for the process's number have to be the same with all numbers of threads; else the exit status is 1.

PROGRAM     names of tests/truth; without any: six of them
--least     launches of fewer milliseconds are left out
--make      only builds the programs into DIR, for --programs on a machine without clang
Nothing else is asserted: machines are shared and noisy.
"""
import argparse, datetime, json, math, os, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["matmul_tiled", "reduction", "spmv", "histogram", "transpose", "gather_random"]
ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
ap.add_argument("heddle")
ap.add_argument("program", nargs="*", default=[])
ap.add_argument("--threads", default="1,2,4,8")
ap.add_argument("--rounds", type=int, default=3)
ap.add_argument("--least", type=float, default=20)
ap.add_argument("--programs", dest="built")
ap.add_argument("--make")
ap.add_argument("--device", default="h200")
a = ap.parse_intermixed_args()
names = a.program or PROGRAMS
threads = [int(n) for n in a.threads.split(",")]


def build(folder):
    for name in names:
        source = os.path.join(HERE, "..", "tests", "truth", name + ".cu")
        subprocess.run([os.path.abspath(a.heddle), "build", "-o", os.path.join(folder, name), source], check=True)


def launches(program, n, tmp):
    """What the program's launches took, in seconds, and what they were found to be."""
    trace, results = os.path.join(tmp, "trace"), os.path.join(tmp, "results")
    for file in trace, results:
        open(file, "w").close()
    env = {**os.environ, "HEDDLE_THREADS": str(n), "HEDDLE_DEVICE": a.device, "HEDDLE_TRACE": trace, "HEDDLE_RESULTS": results}
    subprocess.run([program], stdout=subprocess.DEVNULL, env=env, check=True)
    took = [(e["end"] - e["begin"]) * 1e-9 for e in map(json.loads, open(trace)) if e["kind"] == "kernel"]
    found = [json.loads(line) for line in open(results)]
    for one in found:
        del one["pid"]
    return took, found


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def row(name, took, rest):
    print("| " + " | ".join([name, took, *(f"{x:.2f}" for x in rest)]) + " |", flush=True)


def main(folder, tmp):
    wrong, all_times, seconds = [], [], {}
    for _ in range(a.rounds):
        for name in names:
            first = None
            for n in threads:
                took, found = launches(os.path.join(folder, name), n, tmp)
                for i, s in enumerate(took):
                    seconds.setdefault((name, i, found[i]["kernel_name"].split("(")[0]), {}).setdefault(n, []).append(s)
                wrong += [f"{name}, launch {i}: {n} threads" for i, one in enumerate(found) if first and one != first[i]]
                first = first or found
            print(name, file=sys.stderr, flush=True)
    print(f"{datetime.date.today()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; medians of {a.rounds} rounds\n")
    print("| launch | ms | " + " | ".join(f"{n} threads" for n in threads[1:]) + " |\n|---|" + "--:|" * len(threads))
    for name in names:
        times = []
        for (of, i, kernel), by in seconds.items():
            one = statistics.median(by[threads[0]])
            if of == name and one * 1e3 >= a.least:
                times.append([one / statistics.median(by[n]) for n in threads[1:]])
                row(f"{name} {i}, {kernel}", f"{one * 1e3:.0f}", times[-1])
        if times:
            row(f"**{name}**", "", map(mean, zip(*times)))
        all_times += times
    if all_times:
        row("**all**", "", map(mean, zip(*all_times)))
    print("\nresults: " + ("the same with all numbers of threads" if not wrong else "DIFFERENT\n" + "\n".join(sorted(set(wrong)))))
    sys.exit(bool(wrong))


if a.make:
    os.makedirs(a.make, exist_ok=True)
    build(a.make)
else:
    with tempfile.TemporaryDirectory() as tmp:
        if not a.built:
            build(tmp)
        main(a.built or tmp, tmp)
