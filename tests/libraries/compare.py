#!/usr/bin/env python3
"""Runs a program of tests/truth/libraries and compares what it prints with what an H200 answered.

usage: compare.py HEDDLE NAME [FLAG...]     tests/truth/libraries/NAME.cu, .tsv, and _differs.tsv; flags for `heddle build`

A line is a case: its name, then words. Words that are numbers with a point or an exponent, or the eighth and later ones, are
results: they must agree as far as the precision of the case allows, relative to the case's largest; everything else must be equal.
NAME_differs.tsv names the cases that are known to differ, with the reason; each of them must. Exit code 77: the program said that a
library is missing."""
import pathlib
import re
import subprocess
import sys
import tempfile

TRUTH = pathlib.Path(__file__).resolve().parent.parent / "truth/libraries"
# By a word of the case's name: the first that is in it.
PRECISION = [("half.", 2e-3), ("bfloat.", 1e-2), ("gelu", 1e-5), (".TLU", 2e-5), (".CLU", 2e-5), (".D.", 1e-13), (".Z.", 1e-13), ("bfloat", 1e-2), ("half", 2e-3), ("Z2Z", 1e-14), ("D2Z", 1e-14), ("Z2D", 1e-14), ("f64", 1e-13), ("c64", 1e-13), ("", 2e-6)]


def rows(text):
    """By name, which ends at the first tab; words end at tabs, blanks and commas. What a library says by itself has no tab. A name
    that is there already gets a number."""
    found = {}
    for name, rest in (line.split("\t", 1) for line in text.splitlines() if "\t" in line):
        same = sum(n == name or n.startswith(name + " #") for n in found) if name in found else 0
        found[f"{name} #{same + 1}" if same else name] = re.split("[\t ,]+", rest.strip())
    return found


def is_result(word):
    return any(c in word for c in ".enx") and word.lstrip("+-")[:1].isdigit() or word in ("nan", "inf", "-nan", "-inf")


def value(word):
    try:
        return float.fromhex(word) if "0x" in word else float(word)
    except ValueError:
        return None


def differs(name, want, have):
    """What is wrong, or None."""
    if len(want) != len(have):
        return f"{len(have)} words, not {len(want)}"
    numbers = [v for w in want if is_result(w) and (v := value(w)) is not None and abs(v) < float("inf")]
    most = max([abs(v) for v in numbers], default=0)
    allowed = next(p for word, p in PRECISION if word in name) * most
    for w, h in zip(want, have):
        if w == h:
            continue
        a, b = value(w), value(h)
        if a is None or b is None or not (is_result(w) or is_result(h)) or not abs(a - b) <= allowed:
            return f"{h} instead of {w}"
    return None


def main():
    heddle, name, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / name
        subprocess.run([heddle, "build", "-std=c++17", TRUTH / f"{name}.cu", "-o", program, *flags], check=True)
        done = subprocess.run([program], capture_output=True, text=True, timeout=500)
    sys.stderr.write(done.stderr[:4000])
    if "needs a library that is not installed" in done.stderr:
        return 77
    want, have = rows((TRUTH / f"{name}.tsv").read_text()), rows(done.stdout)
    known = TRUTH / f"{name}_differs.tsv"
    known = rows(known.read_text()) if known.exists() else {}
    bad = 0
    for case, words in want.items():
        wrong = differs(case, words, have[case]) if case in have else "no such case"
        if case in known:
            wrong = None if wrong else "is said to differ, but does not"
        if wrong:
            bad += 1
            print(f"FAILED: {case}: {wrong}")
    for case in [c for c in have if c not in want] + [c for c in known if c not in want]:
        bad += 1
        print(f"FAILED: {case}: not in the table")
    print(f"{len(want)} cases, {len(known)} known to differ, {bad} wrong")
    return 1 if bad or done.returncode or not want else 0


if __name__ == "__main__":
    sys.exit(main())
