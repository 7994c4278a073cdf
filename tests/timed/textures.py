#!/usr/bin/env python3
"""textures.py HEDDLE: what fetches of two-dimensional textures take under `heddle run --timed`, beside an H200's (tests/truth/time/tex.cu, tex.tsv).

Rates of 16 and 32 warps are the texture unit's and may be 8 % off, those of one warp and chains 15 % (elements of 16 bytes come later on the GPU).
"""
import os
import subprocess
import sys
from pathlib import Path

TIME = Path(__file__).resolve().parents[1] / "truth" / "time"
FETCH = "tex2D point"


def rows(lines):
    """{(kind, fetch, elements, footprint, warps): cycles}; a chain has no warps."""
    cells = [line.rstrip("\n").split("\t") for line in lines]
    return {tuple(c[:-1]): float(c[-1]) for c in cells if c[0] in ("rate", "chain") and c[1] == FETCH}


def main():
    there = rows(open(TIME / "tex.tsv"))
    run = subprocess.run([sys.argv[1], "run", "--timed", str(TIME / "tex.cu"), FETCH], env=dict(os.environ, HEDDLE_DEVICE="h200"), capture_output=True, text=True)
    here, wrong = rows(run.stdout.splitlines()), []
    for key, cycles in there.items():
        most = 0.08 if key[-1] in ("16", "32") else 0.15
        if key not in here:
            wrong.append("%s: not printed" % " ".join(key))
        elif abs(here[key] - cycles) > most * cycles:
            wrong.append("%s: %.2f cycles, an H200 %.2f" % (" ".join(key), here[key], cycles))
    print("%d rows, %d of them too far off" % (len(there), len(wrong)), *wrong, sep="\n")
    if not there or run.returncode:
        print(run.stderr)
    return not there or run.returncode or len(wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
