"""What the assembler may unroll again: which loops have .pragma "nounroll" (those of #pragma unroll, and what is left over), and that a branch under a
predicate goes back to a loop's begin, none without one; and which loops end by a sum that is 0, of the program's counter and what is known before the
loop. As nvcc 13.0.88 has it, 2026-11-30.

usage: closing.py HEDDLE"""
import os
import re
import subprocess
import sys
import tempfile

PRAGMAS = {"by_itself": 1, "asked": 2, "known": 0, "known_asked": 1, "by_steps": 1, "loads": 1}
SUMS = {"masked": True, "shifted": True, "factor": True, "found": True, "from_one": True, "counter": False, "pointer": False, "both": False, "width": False, "down": False}
LOOPS = PRAGMAS | dict.fromkeys(SUMS, 1)


def ends_by_sum(body):
    """r = before + counter; r != 0: back."""
    return bool(re.search(r"add\.s32 \s*(%r\d+), (%r\d+), (%r\d+);(?:(?!bra).)*?setp\.ne\.s32 \s*(%p\d+), \1, 0;(?:(?!bra).)*?@\4 bra", body, re.S))


def main():
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "closing.ptx")
        subprocess.run([sys.argv[1], "build", "-ptx", "-o", ptx, os.path.join(os.path.dirname(os.path.abspath(__file__)), "closing.cu")], check=True)
        with open(ptx) as f:
            bodies = re.split(r"\.visible \.entry _Z\d+", f.read())[1:]
    wrong = 0
    for body in bodies:
        name = re.match(r"([a-z_]+?)Pf", body)[1]
        sums = ends_by_sum(re.sub(r"\s*\.loc.*|//.*", "", body))
        pragmas, seen, back = body.count('.pragma "nounroll"'), set(), 0
        for line in body.splitlines():
            label = re.match(r"(\$L__BB\d+_\d+):", line)
            seen |= {label[1]} if label else set()
            jump = re.search(r"bra\.uni\s+(\$L__BB\d+_\d+)", line)
            back += bool(jump) and jump[1] in seen
        bad = pragmas != LOOPS.pop(name) or back or sums != SUMS.get(name, False)
        wrong += bad
        print(f"{name}: {pragmas} pragmas, {back} branches back without a predicate{', ends by a sum' if sums else ''}{'  WRONG' if bad else ''}")
    wrong += len(LOOPS)
    print(f"{wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
