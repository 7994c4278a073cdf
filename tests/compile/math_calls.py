#!/usr/bin/env python3
"""Calls of the math library in our PTX of math_calls.cu, of each kernel, and those in loops: merged, hoisted and folded as nvcc 13.0.88
does it with what it inlines of the functions. Of kernels on halves the instructions: those of nvcc's headers. Of one kernel sums and
products before and behind its branch. Of products of a number and a call's result, with a sum: how they are rounded.

usage: math_calls.py HEDDLE
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "math_calls.cu"
EXPECTED = {  # kernel: (calls, of them in loops)
    "merged_behind_branch": (1, 0),
    "merged_in_one_block": (1, 0),
    "hoisted": (3, 0),  # powf is three: of the base, of the exponent, and the rest
    "base_hoisted": (3, 2),
    "base_merged": (5, 0),
    "power_of_two": (1, 0),  # exp2f
    "hoisted_through_a_function": (2, 0),
    "kept_in_loop": (1, 1),
    "kept_behind_branch": (2, 0),
    "of_constants": (0, 0),
    "of_constants_double": (0, 0),
    "of_constants_unrolled": (0, 0),
    "of_constants_not_known": (5, 0),  # cospi is two
}
INSTRUCTIONS = {
    "half_compared": "setp.lt.f16 setp.nan.f16 setp.neu.f16",
    "half_pairs_compared": "set.eq.u32.f16x2 set.geu.f16x2.f16x2 set.le.u32.f16x2 set.ltu.u32.f16x2",
    "half_whole": "cvt.rmi.f16.f16 cvt.rmi.f16.f16 cvt.rni.f16.f16 cvt.rpi.f16.f16",
    "bfloat16_compared": "cvt.rzi.bf16.bf16 setp.gtu.bf16",
}
SUMS = {"beside_a_call": (0, 5)}  # before the branch, behind it
PRODUCTS = {  # of products with sums: a number times a result that nvcc chooses is rounded
    "of_chosen": "add.f32 mul.rn.f32",
    "of_chosen_by_two": "add.f32 add.f32",
    "of_chosen_double": "add.f64 mul.rn.f64",
    "of_chosen_read_again": "fma.rn.f32",
    "of_chosen_by_a_variable": "fma.rn.f32",
    "of_not_chosen": "fma.rn.f32",
}


def sums(body):
    before, behind = (len(re.findall(r"\b(?:add|sub|mul|fma)[\w.]*\.f32\b", part)) for part in re.split(r"@%p\d+\s+bra", body, maxsplit=1))
    return before, behind


def calls(body):
    """(calls, of them between a label and a branch back to it)"""
    lines = body.splitlines()
    labels = {m.group(1): i for i, line in enumerate(lines) for m in [re.match(r"(\$\w+):", line)] if m}
    loops = [(labels[name], i) for i, line in enumerate(lines) for name in re.findall(r"\bbra\S*\s+(\$\w+);", line)
             if labels.get(name, i) < i]
    found = [i for i, line in enumerate(lines) if re.match(r"\s*__nv_\w+", line)]
    return len(found), sum(any(first <= i <= last for first, last in loops) for i in found)


def products(body):
    return " ".join(sorted(re.findall(r"\b(?:add|mul|mul\.rn|fma\.rn)\.f(?:32|64)\b", body)))


def instructions(body):
    return " ".join(sorted(re.findall(r"\b(?:set|cvt)[\w.]*f(?:16|32)(?:x2)?\b", body)))


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.ptx"
        subprocess.run([sys.argv[1], "build", "-arch=sm_90", "-ptx", str(SOURCE), "-o", str(out)], check=True)
        ptx = re.findall(r"\.entry (\w+)\(.*?^\{(.*?)^\}", out.read_text(), re.S | re.M)
    expected = EXPECTED | INSTRUCTIONS | SUMS | PRODUCTS
    found = {name: instructions(body) if name in INSTRUCTIONS else sums(body) if name in SUMS else
             products(body) if name in PRODUCTS else calls(body) for name, body in ptx}
    for name in sorted(expected.keys() | found.keys()):
        if expected.get(name) != found.get(name):
            print(f"{name}: {found.get(name)}, expected {expected.get(name)}")
    return found != expected


sys.exit(main())
