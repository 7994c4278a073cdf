#!/usr/bin/env python3
"""Figures of launches whose caches and time are modelled, with several numbers of host threads: pages of all figures and of source lines have to be
the same to the letter, and so does what the program prints.

usage: threads.py HEDDLE [--draw N] PROGRAM.cu [ARGUMENT ...]

1, 2, 3 and 8 threads; --draw N: besides 1, one of N of the others (tests/drawn.py).
"""
import csv, os, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drawn

MORE = ["2", "3", "8"]
heddle, *arguments = sys.argv[1:]
if arguments[0] == "--draw":
    MORE = drawn.some(MORE, int(arguments[1]), "numbers of threads")
    arguments = arguments[2:]
program, *arguments = arguments


def pages(threads, tmp):
    """Of one run: exit status and output; by kind of page the rows."""
    report = os.path.join(tmp, f"report{threads}")
    run = subprocess.run([heddle, "profile", "--device", "h200", "--log-file", os.path.join(tmp, "log"), "-o", report, program, *arguments],
                         stdout=subprocess.PIPE, env={**os.environ, "HEDDLE_THREADS": threads})
    return (run.returncode, run.stdout), {kind: page(kind, report) for kind in ("raw", "source") if not run.returncode}


def page(kind, report):
    subprocess.run([heddle, "profile", "--csv", "--page", kind, "-i", report, "--log-file", report + ".csv"], check=True)
    rows = list(csv.reader(line for line in open(report + ".csv") if not line.startswith("==")))
    head = rows[0] if rows else []
    own = {head.index(name) for name in ("Process ID", "Process Name") if name in head}
    return [[cell for i, cell in enumerate(row) if i not in own or len(row) != len(head)] for row in rows]


def difference(a, b):
    for x, y in zip(a, b):
        if x != y:
            return next(f"{u} and {v}" for u, v in zip(x, y) if u != v)
    return "number of rows"


wrong = 0
with tempfile.TemporaryDirectory() as tmp:
    ended, first = pages("1", tmp)
    if ended[0] or any(len(rows) < 2 for rows in first.values()):
        sys.exit(f"1 thread: exit status {ended[0]}, rows: { {kind: len(rows) for kind, rows in first.items()} }")
    for threads in MORE:
        other_ended, other = pages(threads, tmp)
        if other_ended != ended:
            print(f"{threads} threads: other exit status or output")
            wrong += 1
        for kind in first:
            if other.get(kind) != first[kind]:
                print(f"{kind} page, {threads} threads: differs: {difference(first[kind], other.get(kind, []))}")
                wrong += 1
    for kind, rows in first.items():
        print(f"{kind} page: {len(rows)} rows")
print(f"{wrong} differ")
sys.exit(wrong > 0)
