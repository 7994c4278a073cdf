#!/usr/bin/env python3
"""Kernels that run for long come from the interpreter to the first tier, and on to the full one, in the middle of a launch or
between two; those that do not, do not. Results and counts are the same.

usage: tiers.py HEDDLE
"""
import json, os, subprocess, sys, tempfile

heddle = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))

with tempfile.TemporaryDirectory() as tmp:
    program, results = f"{tmp}/tiers", f"{tmp}/results"
    subprocess.run([heddle, "build", "-o", program, f"{here}/tiers.cu"], check=True)

    def run(launches, turns, **env):
        """What it prints, and for each kernel and form the tiers in their order."""
        env = {**os.environ, "HEDDLE_JIT_CACHE": "0", "HEDDLE_JIT_LOG": "-", "HEDDLE_EXEC": "auto", **env}
        p = subprocess.run([program, str(launches), str(turns)], capture_output=True, text=True, env=env)
        assert p.returncode == 0, p
        made = {}
        for m in map(json.loads, p.stderr.splitlines()):
            assert m["problem"] is None or m["form"] == "block", m
            if m["problem"]:
                continue
            made.setdefault(("whole" if "whole" in m["kernel"] else "apart", m["form"]), []).append(m["tier"])
        return p.stdout, made

    def counts():
        lines = [json.loads(line)["total"] for line in open(results)]
        os.remove(results)
        return lines

    want, made = run(1, 12800, HEDDLE_EXEC="interp")
    assert not made, made
    assert run(1, 12800, HEDDLE_EXEC="jit-first")[0] == run(1, 12800, HEDDLE_EXEC="jit")[0] == want
    assert run(1, 50)[1] == {}
    # one long launch of each, and many short ones: a tenth of a second or more in the first tier
    for launches, turns in (1, 600000), (50, 12000):
        said, made = run(launches, turns)
        assert made["whole", "together"][0] == "first" and made["whole", "block"] == ["full"], made
        assert made["apart", "split"] == ["first", "full"], made
        assert said == run(launches, turns, HEDDLE_EXEC="jit")[0]
    # the same where launches count, without and with modelled caches, which see the order of warps
    for caches in "0", "1":
        said, made = run(1, 600000, HEDDLE_RESULTS=results, HEDDLE_CACHES=caches)
        full = {"0": ("whole", "block"), "1": ("whole", "together")}[caches]  # records leave no block form
        assert made["whole", "together"][0] == "first" and made[full][-1] == "full", made
        some = counts()
        assert run(1, 600000, HEDDLE_RESULTS=results, HEDDLE_CACHES=caches, HEDDLE_EXEC="jit")[0] == said and counts() == some
print("PASSED")
