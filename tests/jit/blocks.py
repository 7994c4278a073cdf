#!/usr/bin/env python3
"""Programs of ours as machine code: what they print is what the interpreter makes them print, and the kernels
that have no block form are the ones of blocks_left_out.tsv, with the reason.

usage: blocks.py HEDDLE [--all] [--write]

A twelfth of the programs, drawn by the source tree; --all: all of them (5 minutes); --write: and makes the table anew."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import drawn

ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "blocks_left_out.tsv")
# bandwidth prints times; of a failed assertion each executor's warps come in another order; the demo of other files
NOT_COMPARED = {"examples/bandwidth.cu", "tests/device/assert.cu"}


def programs():
    for folder in "examples", "tests/device":
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            if name.endswith(".cu"):
                yield f"{folder}/{name}"


def run(heddle, program, **env):
    env = {**os.environ, "HEDDLE_JIT_CACHE": "0", **env}
    done = subprocess.run([heddle, "run", os.path.join(ROOT, program)], env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def left_out(log):
    """{(kernel, reason)} of the kernels that were asked for a block form and have none."""
    made = [json.loads(line) for line in open(log)] if os.path.exists(log) else []
    return {(m["kernel"], m["problem"]) for m in made if m["form"] == "block" and m["problem"]}, sum(m["form"] == "block" for m in made)


def main():
    heddle, everything = sys.argv[1], "--all" in sys.argv or "--write" in sys.argv
    table = {tuple(line.rstrip("\n").split("\t")) for line in open(TABLE) if line[0] != "#"} if "--write" not in sys.argv else set()
    chosen = list(programs()) if everything else drawn.some(programs(), 12, "programs")
    bad, kernels, found = 0, 0, set()
    with tempfile.TemporaryDirectory() as tmp:
        for i, program in enumerate(chosen):
            log = f"{tmp}/{i}"
            want = run(heddle, program, HEDDLE_EXEC="interp")
            got = run(heddle, program, HEDDLE_EXEC="jit", HEDDLE_JIT_LOG=log)
            if want != got and program not in NOT_COMPARED:
                print(f"{program}: exit status {got[0]}, {want[0]} in the interpreter; it prints\n{got[1]}instead of\n{want[1]}")
                bad += 1
            left, asked = left_out(log)
            kernels += asked
            found |= {(program, kernel, reason) for kernel, reason in left}
    if "--write" in sys.argv:
        with open(TABLE, "w") as out:
            out.write("# Kernels of our programs without a block form, and why not: tests/jit/blocks.py HEDDLE --write\n")
            out.writelines("\t".join(row) + "\n" for row in sorted(found))
    else:
        for row in sorted(found ^ {row for row in table if row[0] in chosen}):
            print(f"{' '.join(row)}: {'is not in' if row in found else 'is still in'} blocks_left_out.tsv")
            bad += 1
    print(f"{kernels} compilations of {len(chosen)} programs, {len(found)} kernels have no block form")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
