#!/usr/bin/env python3
"""Builds the programs of this folder with nvcc, runs them and profiles every launch with ncu: on a machine with the GPU.

usage: collect.py OUT [--only PROGRAM,...] [--budget SECONDS] [--sass]

OUT/truth.tsv gets one row a launch and one column a metric (empty: not asked of that program), OUT/ptx the PTX that nvcc
made, OUT/log what was said. Metrics: ../exact.txt and metrics_math.txt for arithmetic, metrics_access.txt for the programs
of many small accesses, metrics_scattered.txt for atomics_scattered, metrics_matrix.txt for matrix_access. Changes no setting of the card.
"""
import argparse
import csv
import glob
import os
import re
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ACCESS = ["shared_access", "global_access", "global_atomics", "shared_atomics", "constant_access", "uniform_sources"]
LAST = ["global_access", "shared_access", "global_atomics"]  # the long ones


def lines_of(*files):
    return [line.strip() for f in files for line in open(os.path.join(HERE, f)) if line.strip() and line[0] != "#"]


def metrics_of(program):
    if program == "atomics_scattered":
        return lines_of("metrics_scattered.txt")
    if program == "matrix_access":
        return lines_of("metrics_matrix.txt")
    if program in ACCESS:
        return lines_of("metrics_access.txt")
    exact = "../exact.txt" if os.path.exists(HERE + "/../exact.txt") else "exact.txt"
    return lines_of(exact, "metrics_math.txt")


def number(text):
    try:
        value = float((text or "").replace(",", ""))
    except ValueError:
        return text or ""
    return str(int(value)) if value == int(value) else "%.6g" % value


def main():
    ap = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    ap.add_argument("out")
    ap.add_argument("--only", default="")
    ap.add_argument("--budget", type=float, default=500)
    ap.add_argument("--sass", action="store_true")
    args = ap.parse_args()
    start = time.time()
    out = os.path.abspath(args.out)
    work = out + "/work"
    for folder in (out, work, out + "/ptx", out + "/log", out + "/sass"):
        os.makedirs(folder, exist_ok=True)
    programs = sorted(os.path.basename(f)[:-3] for f in glob.glob(HERE + "/*.cu"))
    programs = [p for p in programs if not args.only or p in args.only.split(",")]
    programs.sort(key=lambda p: LAST.index(p) if p in LAST else -1)

    def say(*what):
        print("[%5.1f]" % (time.time() - start), *what, flush=True)

    def call(command, log, limit):
        limit = max(5, min(limit, args.budget - (time.time() - start)))
        with open(log, "w") as f:
            try:
                return subprocess.run(command, stdout=f, stderr=subprocess.STDOUT, timeout=limit, cwd=work).returncode
            except subprocess.TimeoutExpired:
                f.write("\nTIMEOUT\n")
                return 124

    def build(p):
        keep = work + "/" + p + ".keep"
        os.makedirs(keep, exist_ok=True)
        rc = call(["nvcc", "-w", "-O3", "-arch=sm_90", "-keep", "-keep-dir", keep, "-o", work + "/" + p, HERE + "/" + p + ".cu"],
                  out + "/log/" + p + ".build", 200)
        for f in glob.glob(keep + "/*.ptx"):
            shutil.copy(f, "%s/ptx/%s.nvcc.ptx" % (out, p))
        if args.sass:
            call(["cuobjdump", "-sass", work + "/" + p], "%s/sass/%s.sass" % (out, p), 60)
        return p, rc

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for p, rc in pool.map(build, programs):
            if rc:
                say("build failed:", p)
    say("built", len(programs))
    query = out + "/log/query.txt"
    call(["ncu", "--query-metrics", "--chips", "gh100"], query, 100)
    known = {line.split()[0] for line in open(query) if line.strip()}
    rows, columns = [], []
    for p in programs:
        if args.budget - (time.time() - start) < 15:
            say("no time left for", p)
            continue
        wanted = metrics_of(p)
        metrics = [m for m in wanted if m.split(".")[0] in known or m.startswith("launch__")]
        for m in wanted:
            if m not in metrics:
                say("this ncu has no", m)
        log = "%s/log/%s.csv" % (out, p)
        rc = call(["ncu", "--clock-control", "none", "--cache-control", "all", "--csv", "--page", "raw", "--print-units", "base",
                   "--print-fp", "--log-file", log, "--metrics", ",".join(metrics), work + "/" + p],
                  "%s/log/%s.out" % (out, p), 300)
        said = open("%s/log/%s.out" % (out, p), errors="replace").read()
        names = re.findall(r"^LAUNCH \d+ (.*)$", said, re.M)
        table = list(csv.reader(line for line in open(log, errors="replace") if line.startswith('"'))) if os.path.exists(log) else []
        got = [dict(zip(table[0], r)) for r in table[2:]]
        say(p, "exit status", rc, "PASSED" if "\nPASSED" in said else "FAILED", len(names), "launches", len(got), "rows")
        columns += [m for m in metrics if m not in columns]
        for name, r in zip(names, got):
            kernel = re.sub(r"\(.*", "", re.sub(r"^void ", "", r["Kernel Name"]))
            rows.append(dict({m: number(r.get(m)) for m in metrics}, program=p, args=name, kernel=kernel,
                             grid=r["Grid Size"].replace(" ", ""), block=r["Block Size"].replace(" ", "")))
    head = ["program", "args", "kernel", "grid", "block"] + columns
    with open(out + "/truth.tsv", "w") as f:
        for r in [dict(zip(head, head))] + sorted(rows, key=lambda r: r["program"]):
            f.write("\t".join(r.get(c, "") for c in head) + "\n")
    shutil.rmtree(work)
    say("wrote", len(rows), "rows")


if __name__ == "__main__":
    main()
