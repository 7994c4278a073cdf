#!/usr/bin/env python3
"""The workflows of examples/ci, run as far as a shell can.

usage: workflows.py HEDDLE ROOT

The steps are taken out of the files (all but those that install) and run in a repository with a branch to merge into: with the
program as it is, with a kernel that strides, one that leaves its array, and one that takes more registers and shared memory.
What the hosts read is read: annotations, JUnit's XML, SARIF."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HEDDLE, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
EXAMPLES = ROOT / "examples/ci"
GOOD = "y[i] = a * x[i] + y[i];"
CHANGES = {
    "as it is": GOOD,
    "strides": "i = i % 100 * 100 + i / 100, y[i] = a * x[i] + y[i];",
    "out of bounds": "if (x[i == 9999 ? n + 3 : i] != -1) y[i] = a * x[i] + y[i];",
    "loads twice": "y[i] = a * x[i] + y[i] + 0 * ((volatile const float *)x)[n - 1 - i];",
}
bad = []


def check(holds, what):
    if not holds:
        bad.append(what)
        print("wrong:", what)


def indent(line):
    return len(line) - len(line.lstrip(" "))


def block(lines, at):
    """The lines behind lines[at] that stand deeper, without their common indent."""
    deeper = []
    for line in lines[at + 1:]:
        if line.strip() and indent(line) <= indent(lines[at]):
            break
        deeper.append(line)
    cut = min((indent(line) for line in deeper if line.strip()), default=0)
    return [line[cut:] for line in deeper]


def github_steps(path):
    """[(name, script)] of the steps with a `run`."""
    lines, steps, name = path.read_text().splitlines(), [], ""
    for at, line in enumerate(lines):
        named, run = re.match(r"\s*- name: (.*)", line), re.match(r"\s*run: (.*)", line)
        if named:
            name = named[1]
        if run:
            steps.append((name, "\n".join(block(lines, at)) if run[1] == "|" else run[1]))
    return [(name, script) for name, script in steps if name != "install"]


def gitlab_steps(path):
    """[(command, command)] of `script`."""
    lines = path.read_text().splitlines()
    at = lines.index("  script:")
    commands = [line[2:] for line in block(lines, at)]
    return [(command.split(" --")[0], command) for command in commands]


def shell(command, cwd, env, **more):
    return subprocess.run(["bash", "-e", "-c", command], cwd=cwd, env=env, capture_output=True, text=True, **more)


def repository(folder, change, env):
    """A clone on a branch with the change, of a repository whose main has the program as it is."""
    origin, clone = folder / "origin", folder / "clone"
    origin.mkdir()
    for name in ("app.cu", "figures.expect"):
        (origin / name).write_text((EXAMPLES / name).read_text())
    made = shell(f"git init -q -b main . && git add . && git commit -qm begin && git clone -q . '{clone}' && cd '{clone}' && git checkout -qb change",
                 origin, env)
    check(made.returncode == 0, made.stderr)
    text = (clone / "app.cu").read_text()
    check(GOOD in text, "app.cu has not the line that is to be changed")
    (clone / "app.cu").write_text(text.replace(GOOD, change))
    return clone


def environment(home):
    git = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "t"), ("EMAIL", "t@t"))}
    return {**os.environ, **git, "PATH": f"{HEDDLE.parent}:{os.environ['PATH']}", "HOME": str(home), "GITHUB_BASE_REF": "main",
            "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "HEDDLE_CACHE": os.environ.get("HEDDLE_CACHE", str(home / "cache"))}


def run(steps, change):
    """{step: what it did} of all steps, as if each ran in spite of those before; and the files that are left."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "home").mkdir()
        env = environment(folder / "home")
        clone = repository(folder, CHANGES[change], env)
        done = {name: shell(script, clone, env) for name, script in steps}
        left = {path.name: path.read_text() for path in clone.glob("*.xml")} | {path.name: path.read_text() for path in clone.glob("*.sarif")}
        return done, left


def line_of(text):
    return next(n for n, line in enumerate((EXAMPLES / "app.cu").read_text().splitlines(), 1) if text in line)


# Of the kernel: what a line is to blame for, and what only the launch as a whole (a roof; the first line).
LINES = range(line_of(GOOD), line_of("saxpy(int n"), -1)


def expect_status(done, change, wanted):
    got = [p.returncode for p in done.values()]
    check(got == wanted, f"{change}: statuses {got}, not {wanted}\n" + "\n".join(f"{n}: {p.stderr}" for n, p in done.items()))


def junit(text):
    """(name of the suite, cases, failures as {(class, name): (file, line, message)})."""
    suite = xml.etree.ElementTree.fromstring(text).find("testsuite")
    cases = suite.findall("testcase")
    failed = {(c.get("classname"), c.get("name")): (c.get("file"), int(c.get("line") or 0), c.find("failure").get("message"))
              for c in cases if c.find("failure") is not None}
    check(int(suite.get("tests")) == len(cases) and int(suite.get("failures")) == len(failed), f"{suite.get('name')}: counts")
    return suite.get("name"), len(cases), failed


# Statuses of check, profile and compare by change.
STATUSES = {"as it is": [0, 0, 0], "strides": [0, 3, 3], "out of bounds": [1, 3, 3], "loads twice": [0, 3, 3]}


def github(change):
    steps = github_steps(EXAMPLES / "github.yml")
    check([name for name, _ in steps] == ["errors", "figures", "no worse than before"], f"steps of github.yml: {steps}")
    done, left = run(steps, change)
    expect_status(done, change, STATUSES[change])
    said = {name: [line for line in p.stderr.splitlines() if line.startswith("::")] for name, p in done.items()}
    places = tuple(f"::error file=app.cu,line={line}," for line in LINES)
    for (name, lines), status in zip(said.items(), STATUSES[change]):
        check(bool(lines) == (status != 0), f"{change}, {name}: annotations {lines}")
        check(all(line.startswith(places) for line in lines), f"{change}, {name}: {lines}")
    if change == "strides":
        check(any(f"line={LINES[0]},title=gld_efficiency >= 95::expectation 'gld_efficiency >= 95' (figures.expect:3) is not met: 12.5 %25 " in line for line in said["figures"]),
              f"strides: {said['figures']}")
        check(any("in kernel 'saxpy(int, float, const float *, float *)', launch 0" in line for line in said["figures"]), "the kernel")
        check(any("'Global load sectors' of kernel 'saxpy', launch 0, is 20,000 sector in app.cu, and was 2,500 sector in ../before/app.cu: "
                  "700.0%25 worse, 5%25 is allowed" in line for line in said["no worse than before"]), f"strides: {said['no worse than before']}")
    check(bool(json.loads(left["check.sarif"])["runs"][0]["results"]) == (change == "out of bounds"), "results of check.sarif")


def gitlab(change):
    steps = gitlab_steps(EXAMPLES / "gitlab-ci.yml")
    check([name for name, _ in steps][:2] == ["heddle check", "heddle profile"], f"steps of gitlab-ci.yml: {steps}")
    done, left = run(steps, change)
    done = {name: p for name, p in done.items() if name.startswith("heddle")}
    expect_status(done, change, STATUSES[change])
    check(set(left) == {"check.xml", "figures.xml", "compare.xml"}, f"files {set(left)}")
    for (name, least), status in zip({"check.xml": 4, "figures.xml": 5, "compare.xml": 20}.items(), STATUSES[change]):
        suite, cases, failed = junit(left[name])
        check(cases >= least, f"{change}, {name}: {cases} cases")
        check(bool(failed) == (status != 0), f"{change}, {name}: {failed}")
        check(all(at[0] == "app.cu" and at[1] in LINES for at in failed.values()), f"{change}, {name}: {failed}")


def same_as_yaml():
    """Where there is a reader of YAML, it finds the same steps."""
    try:
        import yaml
    except ImportError:
        return
    steps = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["kernels"]["steps"]
    check([(s["name"], s["run"].rstrip("\n")) for s in steps if "run" in s and s["name"] != "install"] == github_steps(EXAMPLES / "github.yml"), "github.yml")
    job = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["kernels"]
    check(job["script"] == [command for _, command in gitlab_steps(EXAMPLES / "gitlab-ci.yml")], "gitlab-ci.yml")


same_as_yaml()
for change in CHANGES:
    github(change)
    gitlab(change)
print("FAILED" if bad else "PASSED")
sys.exit(bool(bad))
