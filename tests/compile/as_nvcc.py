#!/usr/bin/env python3
"""Compares the memory accesses, divisions and (of kernels named ways_...) branches (sums_...) sums, products and choices or (order_...) all of these in their order in our PTX of as_nvcc.cu with those in nvcc's, kernel by kernel.

usage: as_nvcc.py HEDDLE          compares our PTX with as_nvcc.tsv
       as_nvcc.py --nvcc NVCC     compares nvcc's PTX with as_nvcc.tsv; exit status 77 if there is none
       as_nvcc.py --nvcc NVCC --write   writes as_nvcc.tsv

An access is told by its space and bytes, so v2.u32 and b64 are the same. The column "ours" is empty where ours must be the
same; where it is not, it says what ours is, and the last column why.
"""
import collections
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "as_nvcc.tsv"
ACCESS = re.compile(r"\b(ld|st|atom|red)((?:\.\w+)*?)(?:\.v([24]))?\.[usbf](8|16|32|64)\s")
BRANCH = re.compile(r"@!?%p\d+\s+bra\b")
SUM = re.compile(r"\b(add|sub|mul|fma\.rn|neg)(\.rn)?\.f(16|32|64)\s")
CHOICE = re.compile(r"\bselp\.f(?:32|64)\s+%\w+, (\S+), (\S+),")
DIVISION = re.compile(r"\b(div|rem)\.([us])(8|16|32|64)\s")


ORDER = re.compile(r"\b(bra|shfl|bar|atom|red|(?:add|sub|mul|fma\.rn|max|min)\.f\d+|(?:ld|st)\.(?:global|shared|local))\b")


def in_order(ptx):
    """{kernel: "ld.global | add.f32 st.global"} of kernels named order_..., a stroke for a branch under a condition."""
    kernels, kernel = {}, None
    for line in ptx.splitlines():
        line = line.split("//")[0]
        entry, found = re.search(r"\.entry (\w+)", line), ORDER.search(line)
        if entry:
            kernel = kernels.setdefault(entry.group(1), [])
        elif re.match(r"\.(visible |weak )?\.?func", line):
            kernel = None
        elif found and kernel is not None and (found.group(1) != "bra" or BRANCH.search(line)):
            kernel.append("|" if found.group(1) == "bra" else found.group(1))
    return {k: " ".join(words) for k, words in kernels.items() if k.startswith("order_")}


def instructions(ptx):
    """{kernel: "2 ld.global.16 ..."}"""
    kernels, kernel = {}, None
    for line in ptx.splitlines():
        line = line.split("//")[0]
        entry = re.search(r"\.entry (\w+)", line)
        if entry:
            kernel = kernels.setdefault(entry.group(1), collections.Counter())
        elif re.match(r"\.func", line):  # nvcc's, of the math library
            kernel = collections.Counter()
        access, division = ACCESS.search(line), DIVISION.search(line)
        if access and ".param" not in access.group(2):
            op, how, vector, bits = access.groups()
            kernel[op + how + "." + str(int(bits) // 8 * int(vector or 1))] += 1
        if division:
            kernel[division.group(0).strip()] += 1
        total = SUM.search(line)
        if total and kernels and next(reversed(kernels)).startswith("sums_"):
            kernel[total.group(0).strip()] += 1
        choice = CHOICE.search(line)
        if choice and kernels and next(reversed(kernels)).startswith("sums_"):
            kernel["selp.constant" if choice.group(1)[0] == "0" or choice.group(2)[0] == "0" else "selp"] += 1
        if kernels and next(reversed(kernels)).startswith("ways_") and BRANCH.search(line):
            kernel["bra"] += 1
    return {k: " ".join("%d %s" % (n, name) for name, n in sorted(c.items())) for k, c in kernels.items()} | in_order(ptx)


def ptx_of(command):
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/out.ptx"
        subprocess.run([*command, "-ptx", str(HERE / "as_nvcc.cu"), "-o", out], check=True)
        return instructions(Path(out).read_text())


def table():
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def write(nvcc):
    kept = {r["kernel"]: r for r in table()} if TABLE.exists() else {}
    with TABLE.open("w") as f:
        f.write("# Accesses (space and bytes) and divisions of each kernel of as_nvcc.cu, by nvcc 13.0.88 -O3 -arch=sm_90;\n"
                "# made by: as_nvcc.py --nvcc nvcc --write\n"
                "kernel\tnvcc\tours\twhy\n")
        for kernel, what in nvcc.items():
            row = kept.get(kernel, {})
            f.write("\t".join([kernel, what, row.get("ours") or "", row.get("why") or ""]) + "\n")


def compare(got, column):
    rows, bad = table(), 0
    for row in rows:
        want, have = row[column] or row["nvcc"], got.get(row["kernel"])
        if want != have:
            bad += 1
            print("%s\n  wanted %s\n  got    %s" % (row["kernel"], want, have))
    if set(got) != {r["kernel"] for r in rows}:
        bad += 1
        print("other kernels: %s" % sorted(set(got) ^ {r["kernel"] for r in rows}))
    print("%d kernels compared, %d differ" % (len(rows), bad))
    return 1 if bad or len(rows) < 90 else 0


def main():
    if sys.argv[1:2] != ["--nvcc"]:
        return compare(ptx_of([sys.argv[1], "build"]), "ours")
    nvcc = shutil.which(sys.argv[2])
    if not nvcc:
        print("skipped: no %s here" % sys.argv[2])
        return 77
    got = ptx_of([nvcc, "-O3", "-arch=sm_90"])
    if sys.argv[3:] == ["--write"]:
        write(got)
        return 0
    return compare(got, "nvcc")


sys.exit(main())
