#!/usr/bin/env python3
"""Minutes of testing by suite, from what ctest printed.

A suite is what stands before the first dot of a test's name; the build folder's name stands behind those of a build other
than `build`. Time is that of the tests one by one: with N at a time a run takes about an Nth.

usage: suites.py [--write FILE] [LOG...]      default: build/log/test-*.log, as ./test.sh leaves them
  --write FILE: puts the table between the two marks in FILE, "<!-- suites -->" and "<!-- end of suites -->"."""
import re
import sys
from pathlib import Path

LINE = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) [. *]*(\w.*?) +([\d.]+) sec", re.M)
MARKS = "<!-- suites -->\n", "<!-- end of suites -->"


def sums(logs):
    """{suite: [tests, not passed, seconds]}"""
    found = {}
    for log in logs:
        folder = re.sub(r"^test-|\.log$", "", log.name)
        for name, result, seconds in LINE.findall(log.read_text(errors="replace")):
            suite = name.split(".")[0] + ("" if folder == "build" else f" ({folder})")
            row = found.setdefault(suite, [0, 0, 0.0])
            row[0] += 1
            row[1] += result != "Passed"
            row[2] += float(seconds)
    return found


def table(found):
    lines = ["| suite | tests | minutes, one test at a time |", "|---|--:|--:|"]
    for suite, (tests, _, seconds) in sorted(found.items(), key=lambda item: -item[1][2]):
        lines.append(f"| {suite} | {tests} | {seconds / 60:.1f} |")
    lines.append(f"| all | {sum(r[0] for r in found.values())} | {sum(r[2] for r in found.values()) / 60:.1f} |")
    return "\n".join(lines) + "\n"


def main(words):
    target = None
    if words[:1] == ["--write"] and len(words) > 1:
        target, words = Path(words[1]), words[2:]
    if any(w.startswith("-") for w in words):
        sys.exit(__doc__)
    logs = [Path(w) for w in words] or sorted(Path("build/log").glob("test-*.log"))
    found = sums(logs)
    if not found:
        sys.exit("suites.py: no test in " + (", ".join(map(str, logs)) or "build/log: run ./test.sh first"))
    text = table(found)
    print(text, end="")
    if target:
        page = target.read_text()
        first, last = (page.find(m) for m in MARKS)
        if not 0 <= first < last:
            sys.exit(f"suites.py: {target} lacks the marks {' and '.join(m.strip() for m in MARKS)}")
        target.write_text(page[:first] + MARKS[0] + text + page[last:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
