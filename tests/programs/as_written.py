#!/usr/bin/env python3
"""Programs print the same when their kernels run as the PTX says as when they are rewritten (docs/target.md).

In: programs (.cu). Each is built once and run with HEDDLE_TARGET=none and without. Out: a line for each that prints something else or ends otherwise; exit code 1 if there is one.

usage: as_written.py HEDDLE [--draw N] PROGRAM...

--draw N: a run draws one of N programs (tests/drawn.py).
"""
import os
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drawn

LIMIT = 200  # seconds a run


def run(program, **settings):
    done = subprocess.run([program], env=dict(os.environ, **settings), capture_output=True, timeout=LIMIT)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def main():
    heddle, *sources = sys.argv[1:]
    if sources[0] == "--draw":
        sources = drawn.some(sources[2:], int(sources[1]), "programs")
    with tempfile.TemporaryDirectory() as folder:
        return compare(heddle, folder, sources)


def compare(heddle, folder, sources):
    bad = 0
    for source in sources:
        began = time.time()
        program = os.path.join(folder, os.path.basename(source)[:-len(".cu")])
        subprocess.run([heddle, "build", source, "-o", program], check=True)
        rewritten = run(program)
        as_written = run(program, HEDDLE_TARGET="none")
        if rewritten != as_written:
            bad += 1
            print(f"{source}: with HEDDLE_TARGET=none it ends with {as_written[0]} and prints\n{as_written[1]}{as_written[2]}\n"
                  f"else it ends with {rewritten[0]} and prints\n{rewritten[1]}{rewritten[2]}")
        print(f"{source}: {'differs' if rewritten != as_written else 'the same'}, status {rewritten[0]}, {time.time() - began:.1f} s", flush=True)
    print(f"{len(sources)} programs, {bad} differ")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
