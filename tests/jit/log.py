#!/usr/bin/env python3
"""HEDDLE_JIT_LOG: a line for each kernel and size of block that is compiled, none for what is not.

usage: log.py HEDDLE LEVEL (the host's or one below, x86-64-v2 for any)
"""
import json, os, subprocess, sys, tempfile

heddle, level = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))


def run(program, **env):
    p = subprocess.run([program], capture_output=True, text=True, env={**os.environ, "HEDDLE_ISA": level, "HEDDLE_JIT_CACHE": "0", **env})
    assert p.returncode == 0 and p.stdout == "-5\n", p
    return p.stderr


with tempfile.TemporaryDirectory() as tmp:
    program, log = f"{tmp}/log", f"{tmp}/lines"
    subprocess.run([heddle, "build", "-o", program, f"{here}/log.cu"], check=True)
    made = [("_Z5twicePi", [64, 1, 1]), ("_Z5twicePi", [128, 1, 1]), ("_Z6negatePi", [128, 1, 1])]
    run(program, HEDDLE_EXEC="jit", HEDDLE_JIT_LOG=log)
    lines = [json.loads(line) for line in open(log)]
    whole = [(kernel, block, form) for kernel, block in made for form in ("together", "block")]
    assert [(m["kernel"], m["block"], m["form"]) for m in lines] == whole, lines
    for m in lines:
        assert m["tier"] == "full" and not m["counting"] and not m["kept"] and m["isa"] == level and m["problem"] is None, m
        assert 5 <= m["instructions"] <= 20 and 0 < m["cpu_ms"] < 10000 and m["bytes"] > 200, m

    run(program, HEDDLE_EXEC="jit", HEDDLE_JIT_LOG=log, HEDDLE_RESULTS=f"{tmp}/results")
    lines = [json.loads(line) for line in open(log)]
    assert [(m["kernel"], m["block"]) for m in lines[6:]] == made, lines  # caches are modelled: no whole blocks
    assert [m["counting"] for m in lines] == [False] * 6 + [True] * 3, lines

    for exec, tier in ("jit", "full"), ("jit-first", "first"):
        said = run(program, HEDDLE_EXEC=exec, HEDDLE_JIT_LOG="-")
        lines = [json.loads(line) for line in said.splitlines()]
        want = [(b, tier) for _, b in made for form in (("together", "block") if exec == "jit" else ("together",))]
        assert [(m["block"], m["tier"]) for m in lines] == want, said
    for mode in "interp", "auto": # too little work for auto
        assert run(program, HEDDLE_EXEC=mode, HEDDLE_JIT_LOG="-") == ""
    assert run(program, HEDDLE_EXEC="jit", HEDDLE_JIT_LOG="/no such folder/lines") == ""
print("PASSED")
