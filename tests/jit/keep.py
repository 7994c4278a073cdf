#!/usr/bin/env python3
"""Machine code kept between runs: a second run compiles nothing; several processes, no place. (Damages: tests/cache/damage.py.)

usage: keep.py HEDDLE
"""
import json, os, subprocess, sys, tempfile

heddle = sys.argv[1]
here = os.path.dirname(os.path.abspath(__file__))

with tempfile.TemporaryDirectory() as tmp:
    program, cache = f"{tmp}/keep", f"{tmp}/cache"
    subprocess.run([heddle, "build", "-o", program, f"{here}/keep.cu"], check=True)

    def environment(**env):
        keep = {k: v for k, v in os.environ.items() if k not in ("HEDDLE_JIT_CACHE", "HEDDLE_ISA")}
        return {**keep, "HEDDLE_EXEC": "jit", "HEDDLE_CACHE": cache, "HEDDLE_JIT_LOG": "-", **env}

    def run(**env):
        """The sum, whether the compiler was loaded, and for each code whether it was kept; .tiers: of which tiers they were."""
        p = subprocess.run([program], capture_output=True, text=True, env=environment(**env))
        assert p.returncode == 0, p
        lines = [json.loads(line) for line in p.stderr.splitlines()]
        assert all(m["problem"] is None for m in lines), lines
        run.tiers = {m["tier"] for m in lines}
        return int(p.stdout.split()[0]), "not" not in p.stdout, [m["kept"] for m in lines]

    def files():
        return sorted(os.path.join(cache, "code", f) for f in os.listdir(f"{cache}/code"))

    want = run(HEDDLE_EXEC="interp")[0]
    assert not os.path.exists(f"{cache}/code")
    sum, loaded, kept = run()
    n = len(kept)
    assert (sum, loaded) == (want, True) and n == 7 and not any(kept), kept  # turn in two forms; apart with 128 threads in three, with 45 in two
    assert len(files()) == n, files()
    assert run() == (want, False, [True] * n)
    # what runs for a short time is not compiled, but what is there is taken
    assert run(HEDDLE_EXEC="auto") == (want, False, [True] * n)
    assert run(HEDDLE_EXEC="auto", HEDDLE_CACHE=f"{tmp}/empty") == (want, False, [])
    assert run(HEDDLE_EXEC="interp") == (want, False, [])
    assert run(HEDDLE_JIT_CACHE="0") == (want, True, [False] * n)
    # what is there of the first tier, which has no form for whole blocks, is taken if nothing better is
    first = f"{tmp}/first"
    sum, loaded, kept = run(HEDDLE_EXEC="jit-first", HEDDLE_CACHE=first)
    assert (sum, loaded) == (want, True) and len(kept) == n - 2 and not any(kept) and run.tiers == {"first"}, kept
    assert run(HEDDLE_EXEC="auto", HEDDLE_CACHE=first) == (want, False, [True] * (n - 2)) and run.tiers == {"first"}
    assert run(HEDDLE_CACHE=first) == (want, True, [False] * n) and run.tiers == {"full"}
    assert run(HEDDLE_EXEC="auto", HEDDLE_CACHE=first) == (want, False, [True] * n) and run.tiers == {"full"}
    # other code: launches that count, another processor
    assert not any(run(HEDDLE_RESULTS=f"{tmp}/results")[2])
    assert run(HEDDLE_RESULTS=f"{tmp}/results")[:2] == (want, False)
    sum, loaded, kept = run(HEDDLE_ISA="x86-64-v2")
    assert sum == want and (not any(kept) or all(kept)), kept  # kept if that is all this host has
    assert run(HEDDLE_ISA="x86-64-v2") == (want, False, [True] * n)
    assert run() == (want, False, [True] * n)

    # several at once, from nothing
    for path in files():
        os.remove(path)
    several = [subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
               for _ in range(6)]
    for p in several:
        out, said = p.communicate()
        assert p.returncode == 0 and int(out.split()[0]) == want, (out, said)
    assert len(files()) == n, files()
    assert run() == (want, False, [True] * n)

    # no place for it; the library makes no other folder than the one that is wanted
    os.mkdir(f"{tmp}/temporary")
    for _ in range(2):
        assert run(HEDDLE_CACHE="/proc/no such folder", TMPDIR=f"{tmp}/temporary") == (want, True, [False] * n)
    assert not os.listdir(f"{tmp}/temporary")
print("PASSED")
