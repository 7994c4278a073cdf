#!/usr/bin/env python3
"""Each metric alone: a program that is profiled for one metric gives the figures of a whole profile, to the digit.

usage: each_metric.py HEDDLE FILE.cu [--draw N] [WAY ...]        (WAY: DEVICE,EXECUTOR; default h200,auto)
In: a program whose launches count the same in every run. For each metric that Heddle computes the program runs once with
`--metrics` of it alone, and once for all; and each section of the details page is shown alone, and beside the others. So what
launches leave out for it (src/counters/groups.def) is nothing that it needs. Also: a launch that -c, -s or -k leaves out
changes no figure of the others. --draw N: a run draws one of N metrics and half of the ways (tests/drawn.py).
"""
import csv, io, os, re, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drawn

heddle, source, *words = sys.argv[1:]
heddle, share = os.path.abspath(heddle), 1
if words[:1] == ["--draw"]:
    share, words = int(words[1]), words[2:]
ways = [w.split(",") for w in words] or [["h200", "auto"]]
ways = drawn.some(ways, 2 if share > 1 else 1, "ways")
failed = 0


def fail(text):
    global failed
    failed += 1
    print("FAILED:", text)


def run(words, env):
    p = subprocess.run([heddle, *words], capture_output=True, text=True, env={**os.environ, **env})
    if p.returncode:
        sys.exit(f"{' '.join(words)}: status {p.returncode}\n{p.stderr}")
    return p.stdout, p.stderr


def figures(words, program, env):
    """{metric: a text for each launch}, names of kernels, and what the program printed."""
    with tempfile.NamedTemporaryFile("r") as log:
        said, _ = run(["profile", "--csv", "--page", "raw", "--log-file", log.name, *words, program], env)
        rows = list(csv.reader(line for line in log if line.startswith('"')))
    head, launches = rows[0], rows[2:]
    return {name: [r[i] for r in launches] for i, name in enumerate(head) if i > 10}, [r[head.index("Kernel Name")] for r in launches], said


def sections(text):
    """{title: lines} of a details page, of all launches together; hints are sections by their name."""
    found, at = {}, None
    for line in text.splitlines():
        words = line.split()
        if line.startswith("    Section: "):
            at = line
        elif words[:1] and words[0] in ("OPT", "INF"):
            at = "hint " + words[1]
        elif line.startswith("  ") and not line.startswith("   "):
            at = None
        if at and words:
            found.setdefault(at, []).append(line)
    return found


GAIN = re.compile(r" \(est\. \d+% less time\)")  # of a hint, where the launch's time is known, too


def check_metrics(program, env, where):
    whole, kernels, printed = figures([], program, env)
    assert len(whole) > 100 and len(kernels) > 4, (len(whole), kernels)
    for name, values in drawn.some(whole.items(), share, f"metrics of {where}"):
        alone, same, said = figures(["--metrics", name], program, env)
        if same != kernels or said != printed:
            fail(f"{where}: --metrics {name}: kernels {same}, output {said!r}")
        elif alone[name] != values:
            fail(f"{where}: {name} alone is {alone[name]}, with others {values}")
    return whole, kernels


def check_launches(program, env, where, whole, kernels):
    some = ["gld_transactions", "smsp__inst_executed.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "dram__bytes_read.sum"]
    name = kernels[-1].split("(")[0]
    for words, wanted in ((["-c", "2"], range(2)), (["-s", "1"], range(1, len(kernels))), (["-s", "2", "-c", "1"], [2]),
                          (["--launch-skip-before-match", "3"], range(3, len(kernels))), (["-k", name], [len(kernels) - 1]),
                          (["--kernel-id", f"::{name}:1"], [len(kernels) - 1])):
        got, names, _ = figures(["--metrics", ",".join(some), *words], program, env)
        if names != [kernels[i] for i in wanted]:
            fail(f"{where}: {words}: {names}")
        for metric in some:
            if got[metric] != [whole[metric][i] for i in wanted]:
                fail(f"{where}: {words}: {metric} is {got[metric]}")


def check_sections(program, env, where):
    names = [line.split()[0] for line in run(["profile", "--list-sections"], env)[0].splitlines() if "not there" not in line]
    _, text = run(["profile", program], env)
    whole = sections(text)
    assert len(names) > 8 and len(whole) > len(names), (names, list(whole))
    seen = set()
    for name in names:
        alone = sections(run(["profile", "--section", name, program], env)[1])
        seen |= set(alone)
        for title, lines in alone.items():
            if lines not in (whole[title], [GAIN.sub("", line) for line in whole[title]]):
                fail(f"{where}: --section {name}: '{title}' differs:\n" + "\n".join(f"{a}\n{b}" for a, b in zip(lines, whole[title]) if a != b))
    if seen != set(whole):
        fail(f"{where}: no section has {sorted(set(whole) - seen)}")


with tempfile.TemporaryDirectory() as tmp:
    for device, executor in ways:
        env = {"HEDDLE_DEVICE": device, "HEDDLE_EXEC": executor}
        program = f"{tmp}/{device}"
        if not os.path.exists(program):
            run(["build", "-o", program, source], env)
        where = f"{device}, {executor}"
        whole, kernels = check_metrics(program, env, where)
        check_launches(program, env, where, whole, kernels)
        check_sections(program, env, where)
print(f"{failed} failures" if failed else "each alone as with the others")
sys.exit(failed > 0)
