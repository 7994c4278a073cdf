#!/usr/bin/env python3
"""Figures of launches whose caches and time are modelled, with several numbers of host threads: pages of all figures and of source lines have to be
the same to the letter, and so does what the program prints.

usage: threads.py HEDDLE PROGRAM.cu [ARGUMENT ...]
"""
import csv, os, subprocess, sys, tempfile

THREADS = ["1", "2", "3", "8"]
heddle, program, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]


def page(kind, threads, log):
    run = subprocess.run([heddle, "profile", "--device", "h200", "--csv", "--page", kind, "--log-file", log, program, *arguments],
                         stdout=subprocess.PIPE, env={**os.environ, "HEDDLE_THREADS": threads})
    rows = list(csv.reader(line for line in open(log) if not line.startswith("==")))
    head = rows[0] if rows else []
    own = {head.index(name) for name in ("Process ID", "Process Name") if name in head}
    return run.returncode, run.stdout, [[cell for i, cell in enumerate(row) if i not in own or len(row) != len(head)] for row in rows]


def difference(a, b):
    for x, y in zip(a[2], b[2]):
        if x != y:
            return next(f"{u} and {v}" for u, v in zip(x, y) if u != v)
    return "exit status, output or number of rows"


wrong = 0
with tempfile.TemporaryDirectory() as tmp:
    for kind in "raw", "source":
        first = page(kind, THREADS[0], os.path.join(tmp, "log"))
        if first[0] or len(first[2]) < 2:
            sys.exit(f"{kind} page, {THREADS[0]} thread: exit status {first[0]}, {len(first[2])} rows")
        for threads in THREADS[1:]:
            other = page(kind, threads, os.path.join(tmp, "log"))
            if other != first:
                print(f"{kind} page, {threads} threads: differs: {difference(first, other)}")
                wrong += 1
        print(f"{kind} page: {len(first[2])} rows")
print(f"{wrong} differ")
sys.exit(wrong > 0)
