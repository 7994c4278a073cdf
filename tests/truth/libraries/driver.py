#!/usr/bin/env python3
"""Compares what driver.cu prints here with what it printed on an H200, row by row.

usage: driver.py HEDDLE FOLDER       (FOLDER: this one)

driver_h200.tsv: the H200's rows. driver_apart.tsv: rows that differ on purpose: group, call, what Heddle answers, reason; each
must be needed; a call of "*" is a whole group, whose first row must be answered so. A group that ended the H200's process is compared as far as it went."""
import pathlib
import subprocess
import sys


def rows(text):
    groups = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            group, what, *answer = line.split("\t")
            groups.setdefault(group, []).append((what, *answer))
    return groups


def main():
    heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    ours = subprocess.run([heddle, "run", folder / "driver.cu"], capture_output=True, text=True)
    if ours.returncode:
        sys.exit(ours.stderr)
    ours, h200 = rows(ours.stdout), rows((folder / "driver_h200.tsv").read_text())
    apart = {(g, r[0]): r[1] for g, list_ in rows((folder / "driver_apart.tsv").read_text()).items() for r in list_}
    used, bad, n = set(), [], 0
    for group, wanted in h200.items():
        got = ours.get(group, [])
        if (group, "*") in apart:
            used.add((group, "*"))
            if not got or got[0][1] != apart[group, "*"]:
                bad.append(f"{group}: is there by now: driver_apart.tsv leaves it out")
            continue
        if wanted[-1][0] == "ends":
            wanted = wanted[:-1]
        elif len(got) != len(wanted):
            bad.append(f"{group}: {len(got)} rows, {len(wanted)} on the H200")
        for mine, its in zip(got, wanted):
            n += 1
            if mine == its:
                continue
            if mine[0] == its[0] and apart.get((group, its[0])) == mine[1]:
                used.add((group, its[0]))
            else:
                bad.append(f"{group}: {' '.join(mine)}; on the H200: {' '.join(its)}")
    bad += [f"driver_apart.tsv: {g}: {what}: no difference" for g, what in apart if (g, what) not in used]
    print("\n".join(bad))
    print(f"{n} rows, {len(bad)} wrong")
    return 1 if bad or n < 800 else 0


if __name__ == "__main__":
    sys.exit(main())
