"""Device time of small stream programs (streams.cu): which commands overlap, and in which order they are, against what follows from CUDA's rules
(streams.txt). Each runs twice, with one host thread and with two, and must have the same times.

usage: streams.py HEDDLE [CASE ...]"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def expected():
    """(case, pairs that overlap, orders) of streams.txt."""
    for line in open(os.path.join(HERE, "streams.txt")):
        if line.strip() and not line.startswith("#"):
            case, rest = line.split(":", 1)
            pairs, _, orders = rest.partition(",")
            yield case, {frozenset(p.split("-")) for p in pairs.split()}, orders.split()


def times(heddle, case, threads, repeats="1"):
    """{name: (begin, end)} of the case's commands, ns; of the last time that it runs."""
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        env = dict(os.environ, HEDDLE_TRACE=trace, HEDDLE_THREADS=str(threads), HEDDLE_QUIET="1", HEDDLE_DEVICE="h200")
        done = subprocess.run([heddle, "run", "--timed", os.path.join(HERE, "streams.cu"), case, repeats], env=env, capture_output=True, text=True)
        if done.returncode or done.stdout != case + "\n":
            sys.exit(f"{case}: status {done.returncode}\n{done.stdout}{done.stderr}")
        events = [json.loads(line) for line in open(trace)]
    commands = [e for e in events if e["kind"] in ("kernel", "copy")]
    if not commands or not all(e.get("modelled") for e in events):
        sys.exit(f"{case}: times that are not modelled")
    at, n = {}, {"kernel": 0, "copy": 0}
    for e in commands[-(len(commands) // int(repeats)):]:  # as they were asked for
        at[e["kind"][0] + str(n[e["kind"]])] = (e["begin"], e["end"])
        n[e["kind"]] += 1
    return at


def check(case, at, pairs, orders):
    """What is wrong."""
    names = sorted(at)
    for name in {n for p in pairs for n in p} | {n for o in orders for n in o.replace(":", "<").split("<")}:
        if name not in at:
            yield f"there is no command {name}"
            return
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            overlap = min(at[a][1], at[b][1]) > max(at[a][0], at[b][0])
            if overlap != (frozenset((a, b)) in pairs):
                yield f"{a} and {b} {'overlap' if overlap else 'do not overlap'}: {at[a]}, {at[b]}"
    for o in orders:
        a, b = o.replace(":", "<").split("<")
        if at[a][0 if ":" in o else 1] > at[b][0]:
            yield f"not {o}: {at[a]}, {at[b]}"


def main():
    heddle, wanted = sys.argv[1], sys.argv[2:]
    wrong = n = 0
    for case, pairs, orders in expected():
        if wanted and case not in wanted:
            continue
        n += 1
        at = times(heddle, case, 1)
        for w in check(case, at, pairs, orders):
            print(f"{case}: {w}")
            wrong += 1
        again = times(heddle, case, 2)
        if again != at:
            print(f"{case}: other times with two host threads: {at}, {again}")
            wrong += 1
    print(f"{n} cases, {wrong} wrong")
    return 1 if wrong or not n else 0


if __name__ == "__main__":
    sys.exit(main())
