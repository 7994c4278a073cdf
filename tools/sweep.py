#!/usr/bin/env python3
"""Runs the programs of tests/truth under `heddle profile` and keeps what it said of every launch, for the tools that make pages of it.

A run is one program of a set (open, fresh, held, ...: accuracy_time.SETS) with one kind of device code (nvcc's PTX, own compile step) and one
model of time: whole, or without a mechanism of src/device/mechanisms.def. Runs are many and independent: a machine with many cores needs
minutes where two need half an hour. --pack makes a folder that needs nothing of that machine but Python and a C library.

usage: sweep.py HEDDLE --raw FILE [--sets SET,...] [--code nvcc,own] [--only PROGRAM,...] [--mechanisms all|NAME,...] [--programs FOLDER]
                [--jobs N] [--budget SECONDS] [--timeout SECONDS]
       sweep.py HEDDLE --pack FOLDER [--sets SET,...] [--code nvcc,own] [--only PROGRAM,...]

--raw: a line of JSON a run, {"set", "code", "program", "without", "problem", "metrics", "rows"}. A file that is there is
gone on with: runs that it has are not run again. --budget: after so many seconds no other run begins (then the exit status is 1). --programs:
they are there, built, as --pack leaves them. What reads the file: accuracy_time.py, accuracy_caches.py (--raw) and accuracy_ablations.py.
In a packed folder: `./run.sh FILE --jobs 16 ...`.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import accuracy
import accuracy_caches
import accuracy_time

ROOT = Path(__file__).resolve().parent.parent
WHOLE = "whole"  # the model with all mechanisms
METRICS = list(dict.fromkeys(accuracy_time.METRICS + accuracy_caches.METRICS + ["smsp__inst_executed.sum"]))
TOOLS = ("accuracy.py", "accuracy_caches.py", "accuracy_time.py", "sweep.py")
TRUTH = ("time.tsv", "exact.txt", "left_out.tsv", "reasons.tsv")


def mechanisms():
    """{name: (what the model does, what it takes instead)}, in their order."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src" / "device" / "mechanisms.def").read_text(), flags=re.S)
    rows = re.findall(r'^MECHANISM\((\w+), "[^"]*", "([^"]*)",\s*"([^"]*)"\)', text, flags=re.M)
    return {name: (what, instead) for name, what, instead in rows}


def key_of(line):
    return line["without"], line["set"], line["code"], line["program"]


def words(options, which, code, program):
    """What follows the flags of `heddle profile`."""
    if options.programs:
        return [str(Path(options.programs) / f"{which}.{code}" / program)]
    return accuracy_time.source(which, program, code, options.ptx)


def run(options, work):
    """Runs what is not in the raw file yet. Are all done?"""
    lock, begin = threading.Lock(), time.monotonic()

    def one(item):
        without, which, code, program = item
        if time.monotonic() - begin > options.budget:
            return False
        flags = [] if without == WHOLE else ["--without", without]
        problem, rows = accuracy.profile(options.heddle, [*flags, *words(options, which, code, program)], options.timeout, METRICS)
        line = {"set": which, "code": code, "program": program, "without": without, "problem": problem, "metrics": METRICS, "rows": [[r.get(m) for m in METRICS] for r in rows]}
        with lock, open(options.raw, "a") as out:
            out.write(json.dumps(line) + "\n")
            if problem:
                print(f"{without}, {which}, {program}, {code}: {problem}", file=sys.stderr)
        return True

    with ThreadPoolExecutor(options.jobs) as pool:
        done = sum(pool.map(one, work))
    print(f"{done} of {len(work)} runs in {time.monotonic() - begin:.0f} s")
    return done == len(work)


def copy_heddle(heddle, folder):
    """heddle, its libraries and what they need but for the C library."""
    heddle = Path(heddle).resolve()
    shutil.copy(heddle, folder / "bin")
    libraries = [heddle.parent.parent / "lib" / name for name in ("libheddle.so", "libheddle-cudart.so", "libheddle-jit.so")]
    libraries += [p for lib in libraries[:2] for p in lib.parent.glob(lib.name + ".*")]
    for lib in libraries:
        shutil.copy(lib, folder / "lib")  # links become files
        subprocess.run(["strip", folder / "lib" / lib.name], check=True)
    needed = subprocess.run(["ldd", heddle, *libraries[:3]], capture_output=True, text=True, check=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", needed):
        if re.match(r"lib(jansson|sleef|zstd|z|stdc\+\+|gcc_s)\.so", name):
            shutil.copy(path, folder / "lib" / name)
    shutil.copytree(ROOT / "devices", folder / "devices", dirs_exist_ok=True)


def pack(options, programs):
    folder = Path(options.pack)
    for part in ("bin", "lib", "tools", "tests/truth", "src/device"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    copy_heddle(options.heddle, folder)
    for name in TOOLS:
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    for name in TRUTH:
        shutil.copy(accuracy.TRUTH / name, folder / "tests" / "truth")
    for which in options.sets:
        table = accuracy_time.SETS[which][1]
        (folder / "tests/truth" / table).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(accuracy.TRUTH / table, folder / "tests/truth" / table)
    shutil.copy(ROOT / "src" / "device" / "mechanisms.def", folder / "src" / "device")

    def build(item):
        which, code, program = item
        to = folder / "programs" / f"{which}.{code}"
        to.mkdir(parents=True, exist_ok=True)
        subprocess.run([options.heddle, "build", *words(options, which, code, program), "-o", to / program], check=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(build, programs))
    (folder / "run.sh").write_text('''#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH=$here/lib HEDDLE_CACHE=$here/cache HEDDLE_THREADS=1 HEDDLE_DEVICES=$here/devices HEDDLE_ROOT=$here
raw=$1
shift
exec python3 "$here/tools/sweep.py" "$here/bin/heddle" --raw "$raw" --programs "$here/programs" "$@"
''')
    os.chmod(folder / "run.sh", 0o755)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle")
    parser.add_argument("--raw")
    parser.add_argument("--pack")
    parser.add_argument("--programs")
    parser.add_argument("--sets", default="open")
    parser.add_argument("--code", default="nvcc,own")
    parser.add_argument("--only", default="")
    parser.add_argument("--mechanisms", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--budget", type=float, default=float("inf"))
    options = parser.parse_args()
    options.sets, codes = options.sets.split(","), options.code.split(",")
    only = [p for p in options.only.split(",") if p]
    without = [WHOLE, *mechanisms()] if options.mechanisms == "all" else [m for m in options.mechanisms.split(",") if m] or [WHOLE]
    unknown = [s for s in options.sets if s not in accuracy_time.SETS] + [c for c in codes if c not in accuracy_time.CODES]
    unknown += [m for m in without if m != WHOLE and m not in mechanisms()]
    if unknown:
        parser.error(f"no such set, device code or mechanism: {unknown[0]}")
    rows = {which: accuracy.table(accuracy_time.SETS[which][1]) for which in options.sets}
    unknown = [p for p in only if not any(p in r for r in rows.values())]
    if unknown:
        parser.error(f"no such program in {', '.join(options.sets)}: {unknown[0]}")
    if not options.raw and not options.pack:
        parser.error("--raw is missing: where results are kept")
    programs = [(which, code, p) for which in options.sets for code in codes for p in rows[which] if not only or p in only]
    with tempfile.TemporaryDirectory() as options.ptx:
        if options.pack:
            pack(options, programs)
            return 0
        there = {key_of(l) for l in accuracy.raw_lines(options.raw) if not l["problem"]}
        programs.sort(key=lambda x: -accuracy_time.work_of(rows[x[0]][x[2]]))  # the longest begin first
        work = [(w, *p) for w in without for p in programs if (w, *p) not in there]
        return 0 if run(options, work) else 1


if __name__ == "__main__":
    sys.exit(main())
