#!/usr/bin/env python3
"""Does a step of pipes.def have in machine code what its name says?

    nvcc -std=c++17 -O3 -arch=sm_90 -ptx pipes.cu -o pipes.ptx
    ../../../tools/machine_code.py --arch 90 pipes.ptx >pipes.ops
    ./check.py pipes.ops

Each operation that a name has (its words between '_', up to the first '.') must stand in the kernel of 64 steps at least 60 times. Prints
those that do not, and a table of what each step has; exit status 1 if one differs.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# an operation of several names, or one that the assembler writes otherwise
OTHER = {"IMNMX": "VIMNMX", "CLOCK32": "CS2R", "WARPSYNC": "NOP"}
# two names for one half of the steps each: the assembler spreads such steps over two units
HALVES = {"LEA_IMAD", "HADD2_HFMA2", "HMUL2_HFMA2", "CLOCK32"}


def main():
    text = open(os.path.join(HERE, "pipes.def")).read()
    names = re.findall(r'^(?:STEP|ALONE)\("([^"]+)"', text, re.M)
    matrices = re.findall(r'^MATRIX\("([^"]+)"', text, re.M)
    wrong = seen = 0
    for line in open(sys.argv[1]):
        field = line.rstrip("\n").split("\t")
        match = len(field) > 6 and re.match(r"_Z\d+(steps|matrices)ILi(\d+)ELi1E", field[2])
        if not match:
            continue
        name = (names if match[1] == "steps" else matrices)[int(match[2])]
        counts = {k: int(v) for k, v in (pair.split("=") for pair in field[6].split())}
        wanted = [OTHER.get(w, w) for w in (part.split(".")[0] for part in name.split("_"))]
        least = 28 if name in HALVES else 60
        missing = [w for w in wanted if counts.get(w, 0) < least]
        print(name, *("%s=%d" % p for p in counts.items() if p[1] >= 24), "MISSING " + " ".join(missing) if missing else "", sep="\t")
        wrong += bool(missing)
        seen += 1
    if seen != len(names) + len(matrices):
        sys.exit("%d kernels of %d rows" % (seen, len(names) + len(matrices)))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
