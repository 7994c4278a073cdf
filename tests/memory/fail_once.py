#!/usr/bin/env python3
"""Makes single allocations fail, one a run, all over Heddle: each run ends with an error that says so.

usage: fail_once.py HEDDLE [--draw N] [--seed N] [--only WORD] [--later]

HEDDLE: the program `heddle`. Examples are built first; then N places (50) are drawn: a command over an example, one of
the processes that it becomes (`heddle` itself or the example with the library in it), and the number of the allocation
that fails there (HEDDLE_ALLOC_FAIL, docs/runtime.md; with --later every later one fails, too). How many a process has
at most is found by doubling, with runs that fail and are looked at as well. A run is as it should be when its status is neither 0 nor a signal's, stderr
names the missing memory, CUDA calls of the example answer cudaErrorMemoryAllocation, and TMPDIR is left empty. The seed follows from the source tree
(tests/drawn.py) if none is given. A place that a run did not reach is drawn again. At the end every command still works."""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(HERE))
import drawn

EXAMPLES = os.path.join(HERE, "..", "..", "examples")
PROGRAMS = ["vector_add", "blur", "shared_banks", "stream_order", "variables"]
LIMIT = 120  # s; the slowest takes 1 s where nothing else runs
NO_CODE = {"HEDDLE_EXEC": "jit", "HEDDLE_JIT_CACHE": "0"}  # LLVM's module works, too
COMMANDS = {  # name: words, environment, does the program run?
    "run": (["run", "{}"], {}, True),
    "run-jit": (["run", "{}"], NO_CODE, True),
    "profile": (["profile", "{}"], {}, True),
    "profile-csv": (["profile", "--csv", "--page", "raw", "{}"], {}, True),
    "check": (["check", "{}"], {}, True),
    "check-files": (["check", "--json", "{tmp}/findings", "--sarif", "{tmp}/sarif", "--save", "{tmp}/xml", "{}"], {}, True),
    "occupancy": (["occupancy", "--json", "{}"], {}, False),
    "compare": (["compare", "--device", "h200,a100", "{}"], {}, True),
    "asm": (["asm", "{}"], {}, False),
    "devices": (["devices", "--json", "--compare", "h200", "a100"], {}, False),
}
INJECTED = re.compile(r"heddle: HEDDLE_ALLOC_FAIL: no memory for an allocation of \d+ bytes\n")
SAYS_SO = re.compile(r"out of host memory|out of memory|[Cc]annot allocate memory|cudaErrorMemoryAllocation")
CRASH = re.compile(r"Sanitizer|runtime error:|Assertion|Aborted|Segmentation|LLVM ERROR|terminate called")


class Case:
    def __init__(self, heddle, command, program, process, folder):
        words, self.env, _ = COMMANDS[command]
        self.name = f"{command} {program}: {process}"
        self.process = process
        self.folder = folder
        self.tmp = os.path.join(folder, "tmp")
        self.out = os.path.join(folder, "out")
        path = os.path.join(EXAMPLES, program + ".cu")
        self.words = [heddle] + [w.format(path, tmp=self.out) for w in words]
        self.cache = os.environ.get("HEDDLE_CACHE", os.path.join(folder, "cache"))
        self.places = None

    def run(self, fail=None):
        """status, stderr, files left in TMPDIR"""
        env = dict(os.environ, TMPDIR=self.tmp, HEDDLE_CACHE=self.cache, HEDDLE_DEVICE="", **self.env)
        env.pop("HEDDLE_DEVICE")
        if fail:
            env["HEDDLE_ALLOC_FAIL"] = f"{self.process}:{fail}"
        p = subprocess.Popen(self.words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            err = p.communicate(timeout=LIMIT)[1]
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            return 124, "(took longer than it may)", []
        left = os.listdir(self.tmp)
        for name in left:
            subprocess.run(["rm", "-rf", os.path.join(self.tmp, name)])
        return p.returncode, err, left

    def bound(self):
        """No process has so many allocations: places are drawn below. Yields the runs that failed until then, as fails does."""
        self.places = 64
        while failed := self.fails(self.places):
            yield failed
            self.places *= 2

    def fails(self, place):
        """(place, what is not as it should be or None, stderr) of a run whose allocation failed; None if it has none there."""
        status, err, left = self.run(place)
        return (place, wrong(status, err, left), err) if INJECTED.search(err) else None


def wrong(status, err, left):
    """What is not as it should be, or None."""
    said = INJECTED.sub("", err)
    if CRASH.search(said):
        return "it crashed"
    if status < 0 or status >= 128 or status == 124:
        return f"status {status}"
    if status == 0:
        return "it ended with status 0"
    if not SAYS_SO.search(said):
        return f"nothing was said (status {status})"
    if left:
        return f"left in TMPDIR: {' '.join(left)}"
    return None


def all_cases(heddle, folder, only):
    for command, (words, _, runs) in COMMANDS.items():
        programs = PROGRAMS if "{}" in words else ["-"]
        if command in ("asm", "run-jit", "profile-csv", "check-files"):
            programs = programs[:2]
        for program in programs:
            for process in ["heddle"] + ([program] if runs else []):
                case = Case(heddle, command, program, process, folder)
                if only in case.name:
                    yield case


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("heddle")
    parser.add_argument("--draw", type=int, default=50)
    parser.add_argument("--seed", type=int, default=drawn.tree_seed())
    parser.add_argument("--only", default="")
    parser.add_argument("--later", action="store_true")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    print(f"--seed {args.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="heddle-fail-once-") as folder:
        os.makedirs(os.path.join(folder, "tmp"))
        os.makedirs(os.path.join(folder, "out"))
        cases = list(all_cases(os.path.abspath(args.heddle), folder, args.only))
        chosen = [draw.choice(cases) for _ in range(args.draw)]
        used = sorted(set(chosen), key=cases.index)
        for case in used:
            status, err, left = case.run()  # builds it, too
            if status or left:
                sys.exit(f"{case.name}: without a failure status {status}, left {left}\n{err}")
        bad = done = again = 0
        for case in chosen:
            failed = list(case.bound()) if case.places is None else []
            for _ in range(50):
                there = case.fails(f"{draw.randint(1, case.places)}{'+' if args.later else ''}")
                if there:
                    break
                again += 1
            else:
                sys.exit(f"{case.name}: fifty places below {case.places} were not reached")
            for place, problem, err in [*failed, there]:
                done += 1
                if problem:
                    bad += 1
                    print(f"{case.name}: HEDDLE_ALLOC_FAIL={case.process}:{place}: {problem}\n{err}", flush=True)
        for case in used:
            status, err, left = case.run()
            if status or left:
                bad += 1
                print(f"{case.name}: afterwards status {status}, left {left}\n{err}")
        for case in used:
            print(f"below {case.places:8} places  {case.name}")
        print(f"{done} places failed once each, {bad} not in order; {again} were not reached and drawn again")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
