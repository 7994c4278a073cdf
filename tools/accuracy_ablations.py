#!/usr/bin/env python3
"""What each mechanism of the model of time is worth: the error of modelled times beside an H200's without it.

In: the mechanisms of src/device/mechanisms.def, the programs of tests/truth, what the H200 needed (tests/truth/time.tsv). Out: a table, a
mechanism a row, which tools/accuracy_time.py puts on docs/reference/accuracy-time.md.

usage: accuracy_ablations.py HEDDLE --raw FILE [--programs FOLDER] [--only PROGRAM,...] [--mechanisms NAME,...] [--jobs N] [--budget SECONDS]
       accuracy_ablations.py --raw FILE --write docs/reference/accuracy-ablations.tsv
       accuracy_ablations.py HEDDLE --pack FOLDER

Runs are many: 42 programs for each of 43 models. --raw keeps what came of each as a line of JSON, and goes on where such a file ends; after
--budget seconds no other run begins. --programs: they are there, built. --pack: makes a folder that needs nothing of this machine but
Python and a C library: heddle, its libraries and devices, the programs, this tool, `run.sh RAW JOBS SECONDS [PROGRAMS [MECHANISMS]]`.
Device code is nvcc's PTX.
"""
import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import accuracy
import accuracy_time

ROOT = Path(__file__).resolve().parent.parent
CODE = "nvcc"
WHOLE = "whole"  # the model with all mechanisms
KEPT = [m for m in accuracy_time.METRICS if m not in accuracy_time.SHARES.values()]


def mechanisms():
    """{name: (what the model does, what it takes instead)}, in their order."""
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src" / "device" / "mechanisms.def").read_text(), flags=re.S)
    rows = re.findall(r'^MECHANISM\((\w+), "[^"]*", "([^"]*)",\s*"([^"]*)"\)', text, flags=re.M)
    return {name: (what, instead) for name, what, instead in rows}


def words(programs, program):
    if programs:
        return [os.path.join(programs, program)]
    return ["--device-ptx", str(accuracy.TRUTH / "ptx" / f"{program}.{CODE}.ptx"), str(accuracy.TRUTH / f"{program}.cu")]


def run(options, work):
    """Runs what is not in the raw file yet."""
    lock, begin = threading.Lock(), time.monotonic()

    def one(item):
        mechanism, program = item
        if time.monotonic() - begin > options.budget:
            return False
        flags = [] if mechanism == WHOLE else ["--without", mechanism]
        problem, rows = accuracy.profile(options.heddle, [*flags, *words(options.programs, program)], options.timeout, KEPT)
        with lock, open(options.raw, "a") as out:
            out.write(json.dumps({"mechanism": mechanism, "program": program, "problem": problem, "rows": [[r.get(m) for m in KEPT] for r in rows]}) + "\n")
            if problem:
                print(f"{mechanism}, {program}: {problem}", file=sys.stderr)
        return True

    with ThreadPoolExecutor(options.jobs) as pool:
        done = sum(pool.map(one, work))
    print(f"{done} of {len(work)} runs in {time.monotonic() - begin:.0f} s")
    return done == len(work)


def raw_lines(path):
    """Lines that are whole."""
    lines = []
    for line in Path(path).read_text().splitlines() if os.path.exists(path) else []:
        try:
            lines.append(json.loads(line))
        except ValueError:
            print(f"{path}: a line is cut off", file=sys.stderr)
    return lines


def launches(truth, lines):
    """{mechanism: [Launch]} of those whose programs all ran, and what is missing."""
    results, missing = {}, []
    by = {(l["mechanism"], l["program"]): l for l in lines if not l["problem"]}
    for mechanism in dict.fromkeys(l["mechanism"] for l in lines):
        got = []
        for program, rows in truth.items():
            line = by.get((mechanism, program))
            if not line or len(line["rows"]) != len(rows):
                missing.append(f"{mechanism}, {program}")
                continue
            got += [accuracy_time.Launch(row, dict(zip(KEPT, ours))) for row, ours in zip(rows, line["rows"])]
        results[mechanism] = got
    return results, missing


def figures(some):
    """[launches, mean, median, 90th percentile, pairs ordered rightly, pairs, distance of stalls, mean error of short ones]"""
    long = [x for x in some if x.measured > accuracy_time.LONG]
    errors = [x.error for x in long]
    right, count = accuracy_time.pairs(long)
    apart = [accuracy_time.distance(x.stalls, x.truth) for x in long if x.stalls and x.truth]
    short = [x.error for x in some if x.measured <= accuracy_time.LONG]
    mean, quantile = accuracy_time.mean, accuracy_time.quantile
    return [len(long), f"{100 * mean(errors):.2f}", f"{100 * quantile(errors, 0.5):.2f}", f"{100 * quantile(errors, 0.9):.2f}", right, count,
            f"{mean(apart):.4f}", f"{100 * mean(short):.2f}"]


HEAD = ["mechanism", "launches", "mean", "median", "p90", "right", "pairs", "stalls", "short"]


def write(options):
    results, missing = launches(accuracy.table("time.tsv"), raw_lines(options.raw))
    wanted = [WHOLE, *mechanisms()]
    missing += [f"{name}: no runs" for name in wanted if name not in results]
    lines = [f"# {datetime.date.today()}: {accuracy_time.CODES[CODE]}, open launches, cold caches. Written by tools/accuracy_ablations.py; do not edit.",
             "\t".join(HEAD)]
    lines += ["\t".join(map(str, [name, *figures(results[name])])) for name in wanted if results.get(name)]
    Path(options.write).write_text("\n".join(lines) + "\n")
    for what in missing:
        print(what, file=sys.stderr)
    return not missing


def pack(options):
    """Everything that `run` needs, in a folder."""
    folder, heddle = Path(options.pack), Path(options.heddle).resolve()
    for part in ("bin", "lib", "programs", "tools", "tests/truth", "src/device"):
        (folder / part).mkdir(parents=True, exist_ok=True)
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
    for name in ("accuracy.py", "accuracy_time.py", "accuracy_ablations.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools")
    for name in ("time.tsv", "exact.txt", "left_out.tsv", "reasons.tsv"):
        shutil.copy(accuracy.TRUTH / name, folder / "tests" / "truth")
    shutil.copy(ROOT / "src" / "device" / "mechanisms.def", folder / "src" / "device")
    for program in options.names:
        subprocess.run([heddle, "build", *words(None, program)[:-1], "-o", folder / "programs" / program, words(None, program)[-1]], check=True)
    (folder / "run.sh").write_text('''#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH=$here/lib HEDDLE_CACHE=$here/cache HEDDLE_THREADS=1 HEDDLE_DEVICES=$here/devices HEDDLE_ROOT=$here
exec python3 "$here/tools/accuracy_ablations.py" "$here/bin/heddle" --raw "$1" --programs "$here/programs" --jobs "$2" --budget "$3" --only "$4" --mechanisms "$5"
''')
    os.chmod(folder / "run.sh", 0o755)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("heddle", nargs="?")
    parser.add_argument("--raw")
    parser.add_argument("--write")
    parser.add_argument("--pack")
    parser.add_argument("--programs")
    parser.add_argument("--only", default="")
    parser.add_argument("--mechanisms", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=600)
    parser.add_argument("--budget", type=float, default=float("inf"))
    options = parser.parse_args()
    truth = accuracy.table("time.tsv")
    options.names = [p for p in options.only.split(",") if p] or sorted(truth)
    names = [m for m in options.mechanisms.split(",") if m] or [WHOLE, *mechanisms()]
    unknown = [x for x in options.names if x not in truth] + [x for x in names if x != WHOLE and x not in mechanisms()]
    if unknown:
        parser.error(f"no such program or mechanism: {unknown[0]}")
    if options.pack:
        pack(options)
        return 0
    if not options.raw:
        parser.error("--raw is missing: where results are kept")
    if options.write:
        return 0 if write(options) else 1
    there = {(l["mechanism"], l["program"]) for l in raw_lines(options.raw) if not l["problem"]}
    longest = sorted(options.names, key=lambda p: -accuracy_time.work_of(truth[p]))
    work = [(m, p) for m in names for p in longest if (m, p) not in there]
    return 0 if run(options, work) else 1


if __name__ == "__main__":
    sys.exit(main())
