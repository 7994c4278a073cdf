#!/usr/bin/env python3
"""Builds and runs CUDA programs that somebody names, and keeps what became of each as a row; writes a page of the rows.

In: a list, one program a line, TAB between its columns (lines that begin with # are left out):

  collection, commit   where it is from; of which state
  program              its name in the collection
  folder               ROOT/./SUB: SUB is copied, what lies beside it in ROOT is reached by links
  build, run           commands of sh, in the copy, under `heddle env`
  arguments            what stands behind the run command: the sizes
  pass, fail           regular expressions over all that was printed. Without both there is no check; with `fail` alone the
                       program passes when it ends with status 0 and without a match; `^` as `pass` means that status
                       0 alone tells
  input                files (patterns, blank between) that must be there, from SUB

Out: ROWS, one row a program and state of Heddle, added when it is known: columns COLUMNS below. A run goes on where the
last one stopped: what has a row of this Heddle is left out. Nothing here knows a collection, and no list is in this tree.

CPU time is that of a command and all its descendants in its session, with all threads; a program past the limit is stopped.

`compare` builds each program once and runs it once with each HEDDLE_EXEC of --modes, with one host thread and without machine
code of earlier runs. What is printed and the status are compared with those of the first mode that ended: line by line,
numbers to 2e-4, without lines that speak of times and rates. A row has the state and the CPU seconds of each mode (in their
order, `/` between); `differs` if one prints something else, but for programs that print something else in each run: what
differs is run once more. A file of rows is for `run` or for `compare`, not both.

usage: coverage.py run LIST ROWS [--heddle FILE] [--jobs N] [--only REGEX] [--again STATE,...] [--cpu S] [--wall S] ...
       coverage.py compare LIST ROWS [--modes interp,jit] [--keep FOLDER] ...   (FOLDER: outputs of those that differ)
       coverage.py page ROWS [--write FILE | --check FILE]   (the page on stdout; the file anew; exit 1 if it says else)
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LIST = ["collection", "commit", "program", "folder", "build", "run", "arguments", "pass", "fail", "input"]
COLUMNS = ["collection", "commit", "program", "heddle", "state", "cause", "cpu_seconds", "arguments", "limit_seconds", "machine"]
# In the order of the page. Does the state count among the programs of which the page gives a percentage?
STATES = {"pass": True, "fails": True, "differs": True, "slow": True, "crashed": True, "refused": True, "does not build": True,
          "no check": False, "no input": False}
KEPT = 1 << 20  # bytes of output: the first and the last half
TICK = 0.25     # seconds between two looks at /proc
NEAR = 2e-4     # numbers of two outputs are equal within this part of the larger one
NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
# Lines that are not compared: they speak of times and rates. Addresses are not compared either.
TIMES = (r"(?i)\b(?:time[sdr]?|timing|elapsed|duration|bandwidth|throughput|speed-?up|faster|performance|latency|overhead|clocks?|cycles|fps|"
         r"[kmgt]?i?b/s|[kmgt]?b/sec\w*|\w*flop/?s?)\b|\d *(?:[mnuµ]?s|m?secs?|\w*seconds?)\b|\((?:[mnuµ]?s|m?sec|\w*seconds)\)")
ADDRESS = r"0x[0-9a-f]{6,}"

# What Heddle says of a feature that it lacks, and the cause of it.
REFUSALS = [
    (r"(?:^|: )([^:\n]+?) \([^()\n]*\) is not part of Heddle", r"needs \1"),
    (r"^heddle: (\w+) is not there", r"calls \1"),
    (r"'(cu\w+)' is used but defined nowhere: this call is not in Heddle", r"calls \1"),
    (r"error: (instruction '[^']*'|[^\n]{1,80}?) is not implemented", r"\1 is not implemented"),
    (r"^heddle: ([^\n]*? needs Debian's package \S+)", r"\1"),
]
# Why a build stops, from what compilers, linkers and make print.
BUILD_ERRORS = [
    (r"'([^'\n]+)' file not found", r"no header \1"),
    (r"fatal error: ([^:\n]+): No such file or directory", r"no header \1"),
    (r"cannot find -l(\S+?)(?::|$)", r"no library \1"),
    (r"No module named '([^'\n]+)'", r"no Python module \1"),
    (r"^ +(\w+::\w+)\n\s*\n *but the target was not found", r"no CMake target \1"),
    (r"'([^'\n]+)' is used but defined nowhere", r"\1 is defined nowhere"),
    (r"undefined reference to [`']([^'\n]+)'", r"\1 is defined nowhere"),
    (r"([\w.+-]+:\d+)(?::\d+)?: (?:fatal )?error: ([^\n]+)", r"\2 (\1)"),
    (r"(?:fatal )?error: ([^\n]+)", r"\1"),
    (r"([^\n]*(?:not found|No rule to make|\*\*\*)[^\n]*)", r"\1"),
]

Ending = collections.namedtuple("Ending", "status cpu stopped")  # stopped: None, or the limit that was passed


class Interrupted(Exception):
    pass


# --- one command, with limits ---

def session_of(pid):
    """[(pid, CPU seconds with those of children that were waited for, bytes in memory)] of a session, by /proc."""
    found, tick, page = [], os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                words = pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            if int(words[3]) == pid:
                found.append((int(entry), sum(map(int, words[11:15])) / tick, int(words[21]) * page))
    return found


def end_session(pid):
    for other, _, _ in session_of(pid):
        try:
            os.kill(other, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Output:
    """What a pipe brought, of which the middle may be missing."""

    def __init__(self):
        self.head, self.tail = b"", b""

    def add(self, data):
        room = KEPT // 2 - len(self.head)
        self.head, self.tail = self.head + data[:room], (self.tail + data[room:])[-KEPT // 2:]

    def text(self):
        return (self.head + self.tail).decode(errors="replace").replace("\r", "\n")


def passed_limit(pid, began, limits):
    session = session_of(pid)
    used = {"cpu": sum(s[1] for s in session), "wall": time.monotonic() - began, "memory": sum(s[2] for s in session)}
    return next((name for name, most in limits.items() if used[name] > most), None), used["cpu"]


def drain(pipe, output, seconds):
    while select.select([pipe], [], [], seconds)[0]:
        data = os.read(pipe.fileno(), 65536)
        if not data:
            return False
        output.add(data)
        seconds = 0
    return True


def command(words, folder, env, limits, stop):
    """(Ending, text). Ends every process of the command, however it ended."""
    def child():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limits["cpu"]) + 5, int(limits["cpu"]) + 60))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    began, output, stopped, seen = time.monotonic(), Output(), None, 0.0
    process = subprocess.Popen(words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=child)
    pid, status, usage, reading = process.pid, 0, None, True
    try:
        while not usage:
            if reading:
                reading = drain(process.stdout, output, TICK)
            else:
                time.sleep(TICK)
            done, status, found = os.wait4(pid, os.WNOHANG)
            usage = found if done else None
            if not usage and not stopped:
                stopped, seen = passed_limit(pid, began, limits)
                if stop.is_set() or stopped:
                    end_session(pid)
    finally:
        end_session(pid)
        if usage:
            process.returncode = os.waitstatus_to_exitcode(status)
            drain(process.stdout, output, 0)
        process.stdout.close()
    if stop.is_set():
        raise Interrupted
    return Ending(process.returncode, max(seen, usage.ru_utime + usage.ru_stime), stopped), output.text()


# --- what became of a program ---

def one_line(text, most=140):
    text = " ".join(re.sub(r"\x1b\[[\d;]*m", "", text).split())
    return text if len(text) <= most else text[:most - 3] + "..."


def named(patterns, text):
    """The cause of the first line with a match, by the first pattern that has one there."""
    found = [(text.count("\n", 0, m.start()), i, m) for i, (p, _) in enumerate(patterns) for m in [re.search(p, text, re.M)] if m]
    if not found:
        return None
    _, i, match = min(found, key=lambda f: f[:2])
    return one_line(match.expand(patterns[i][1]))


def signal_of(status):
    number = -status if status < 0 else status - 128
    return signal.Signals(number).name if number in set(signal.Signals) else None


def complaint(text):
    """The line that tells most of a failure: Heddle's own, else one that speaks of an error, else the last."""
    lines = [line for line in text.split("\n") if line.strip()]
    of = [line for line in lines if line.startswith("heddle: ")] or [line for line in lines if re.search("error|fail|cannot|unable", line, re.I)]
    return one_line((of or lines[-1:] or ["it says nothing"])[0])


def stopped_state(ending, limits):
    if ending.stopped == "memory":
        return "crashed", f"takes more than {limits['memory'] / 2 ** 30:g} GiB of memory"
    if ending.stopped == "wall":
        return "slow", f"not at its end after {limits['wall']:g} s"
    return "slow", f"more than {limits['cpu']:g} s of CPU time"


def built_state(ending, text, limits):
    """(state, cause) of a build that failed, None of one that did not."""
    if ending.stopped:
        return "does not build", "the build: " + stopped_state(ending, limits)[1]
    if ending.status == 0:
        return None
    refusal = named(REFUSALS, text)
    return ("refused", refusal) if refusal else ("does not build", named(BUILD_ERRORS, text) or complaint(text))


def run_state(row, ending, text, limits):
    if ending.stopped or signal_of(ending.status) == "SIGXCPU":
        return stopped_state(ending, limits)
    refusal, fault = named(REFUSALS, text), row["fail"] and re.search(f"[^\n]*(?:{row['fail']})[^\n]*", text, re.M)
    right = re.search(row["pass"], text, re.M) if row["pass"] else row["fail"]
    if signal_of(ending.status):
        return "crashed", f"{signal_of(ending.status)}: {complaint(text)}"
    if ending.status == 0 and right and not fault:
        return "pass", ""
    if refusal:
        return "refused", refusal
    if fault:
        return "fails", one_line(fault.group(0))
    if ending.status:
        return "fails", f"status {ending.status}: {complaint(text)}"
    return ("fails", "its word for a right result does not come") if row["pass"] else ("no check", "")


# --- programs of a list ---

def copy(folder, scratch):
    """SUB of ROOT/./SUB as a copy in `scratch`, all beside it as links. The folder of the copy."""
    root, _, sub = folder.partition("/./")
    source, target = pathlib.Path(root), pathlib.Path(scratch, "tree")
    for part in pathlib.PurePath(sub).parts:
        target.mkdir()
        for other in source.iterdir():
            if other.name != part:
                (target / other.name).symlink_to(other.absolute())
        source, target = source / part, target / part
    shutil.copytree(source, target, symlinks=True)
    return target


def missing_input(folder, patterns):
    return next((p for p in patterns.split() if not list(folder.glob(p))), None)


# --- what programs print in two runs ---

def told(text):
    """The lines that are compared, each as [text, number, text, ...]."""
    lines = (" ".join(re.sub(ADDRESS, "0x", line).split()) for line in text.split("\n") if not re.search(TIMES, line))
    return [re.split(NUMBER, line, flags=re.I) for line in lines if line]


def same_line(a, b):
    def same(i):
        return a[i] == b[i] or (i % 2 and abs(float(a[i]) - float(b[i])) <= NEAR * max(abs(float(a[i])), abs(float(b[i]))))

    return len(a) == len(b) and all(same(i) for i in range(len(a)))


def difference(one, other):
    """What `other` has that `one` has not, both (Ending, text), as a line; None if they say the same."""
    lines, others = told(one[1]), told(other[1])
    for a, b in itertools.zip_longest(lines, others, fillvalue=["nothing"]):
        if not same_line(a, b):
            return f"'{one_line(''.join(b), 60)}' instead of '{one_line(''.join(a), 60)}'"
    return None if one[0].status == other[0].status else f"status {other[0].status} instead of {one[0].status}"


def compared(row, modes, run_in, limits, keep):
    """(state, cause, CPU seconds) of a program that `run_in` runs in each of the modes."""
    runs = {mode: run_in(mode) for mode in modes}
    states = {mode: run_state(row, *done, limits) for mode, done in runs.items()}
    cpu = "/".join(f"{done[0].cpu:.1f}" for done in runs.values())
    ended = [mode for mode in modes if states[mode][0] != "slow"]
    if len(ended) < 2:
        slow = next(mode for mode in modes if mode not in ended)
        return "slow", f"{slow}: {states[slow][1]}", cpu
    first, (state, cause) = ended[0], states[ended[0]]
    found = {mode: difference(runs[first], runs[mode]) for mode in ended[1:]}
    other = next((mode for mode in found if found[mode]), None)
    if other and difference(runs[first], run_in(first)):
        return state, cause or "not compared: prints something else in each run", cpu
    if other:
        for mode in ended if keep else []:
            pathlib.Path(keep).mkdir(parents=True, exist_ok=True)
            pathlib.Path(keep, re.sub(r"[^\w.-]", "_", f"{row['collection']} {row['program']}.{mode}")).write_text(runs[mode][1])
        return "differs", f"{other}, not {first}: {found[other]}", cpu
    left_out = [f"{mode}: {states[mode][1]}" for mode in modes if mode not in ended]
    return state, cause or "; ".join(left_out), cpu


# --- one program ---

def attempt(row, options, stop):
    """(state, cause, CPU seconds of the run) of a program."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_")} | {"HEDDLE_CACHE": options.cache}
    memory = options.memory * 2 ** 30
    build = {"cpu": options.build_cpu, "wall": max(options.wall, 2 * options.build_cpu), "memory": memory}
    run = {"cpu": options.cpu, "wall": options.wall, "memory": memory}

    def under(words, limits, more={}):
        ending, text = command([options.heddle, "env", "sh", "-c", words], folder, env | more, limits, stop)
        return ending, text.replace(f"{os.path.realpath(scratch)}/tree/", "")  # causes name no folder of this machine

    with tempfile.TemporaryDirectory(prefix="coverage-", dir=options.scratch, ignore_cleanup_errors=True) as scratch:
        folder = copy(row["folder"], scratch)
        lacks = missing_input(folder, row["input"])
        if lacks:
            return "no input", f"{lacks} is not in the collection", "0.0"
        ending, text = under(row["build"], build)
        failed = built_state(ending, text, build)
        if failed:
            return *failed, "0.0"
        words = f"{row['run']} {row['arguments']}".strip()
        if options.modes:
            same = {"HEDDLE_JIT_CACHE": "0", "HEDDLE_THREADS": "1"}
            return compared(row, options.modes.split(","), lambda m: under(words, run, same | {"HEDDLE_EXEC": m}), run, options.keep)
        ending, text = under(words, run)
        return *run_state(row, ending, text, run), f"{ending.cpu:.1f}"


def read(path, columns):
    rows = []
    for number, line in enumerate(pathlib.Path(path).read_text().split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split("\t")
        words += [""] * (len(columns) - len(words))
        if len(words) > len(columns) or not all(words[:3]):
            sys.exit(f"{path}:{number}: a row has the columns {', '.join(columns)}, with TAB between")
        rows.append(dict(zip(columns, words)))
    return rows


def read_rows(path):
    if not pathlib.Path(path).exists():
        return []
    rows = read(path, COLUMNS)
    if rows and rows[0]["program"] == "program":
        rows = rows[1:]
    wrong = next((r for r in rows if r["state"] not in STATES), None)
    if wrong:
        sys.exit(f"{path}: '{wrong['program']}' has the state '{wrong['state']}', which is none")
    return rows


def key(row):
    return row["collection"], row["program"]


def newest(rows):
    """{(collection, program): row}, the last one of each, in the order of their names."""
    last = {key(row): row for row in rows}
    return dict(sorted(last.items(), key=lambda item: [name.lower() for name in item[0]]))


def version(heddle):
    """The commit that Heddle was built from, if it lies in a checkout, else what it says."""
    done = subprocess.run(["git", "-C", str(pathlib.Path(heddle).parent), "describe", "--always", "--dirty", "--abbrev=10"],
                          capture_output=True, text=True)
    return done.stdout.strip() or subprocess.run([heddle, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def machine():
    name = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return f"{name.group(1) if name else os.uname().machine}, {os.cpu_count()} cores"


class Rows:
    """The file of rows; `say` shows progress where stderr is a terminal."""

    def __init__(self, options, total):
        self.path, self.lock, self.done, self.total = options.rows, threading.Lock(), 0, total
        self.same = {"heddle": options.commit, "limit_seconds": f"{options.cpu:g}", "machine": machine()}
        self.states = collections.Counter()
        if not pathlib.Path(self.path).exists():
            pathlib.Path(self.path).write_text("\t".join(COLUMNS) + "\n")

    def add(self, row, state, cause, cpu):
        all_of = row | self.same | {"state": state, "cause": cause, "cpu_seconds": cpu}
        with self.lock, open(self.path, "a") as out:
            out.write("\t".join(one_line(all_of[c], 400) for c in COLUMNS) + "\n")
            self.done += 1
            self.states[state] += 1
            self.say(f"{self.done}/{self.total} {row['program']}: {state}")

    @staticmethod
    def say(text):
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)


def wanted(options):
    rows, had = read(options.list, LIST), read_rows(options.rows)
    done = {key(r) for r in had if r["heddle"] == options.commit}
    last, again = newest(had), set(filter(None, options.again.split(",")))
    if again - set(STATES):
        sys.exit(f"coverage.py: no such state: {', '.join(again - set(STATES))}; states: {', '.join(STATES)}")
    rows = [r for r in rows if re.search(options.only, f"{r['collection']} {r['program']}")]
    if again:
        return [r for r in rows if key(r) in last and last[key(r)]["state"] in again]
    return [r for r in rows if key(r) not in done]


def run(options):
    options.heddle = str(pathlib.Path(options.heddle).resolve())
    options.commit = options.commit or version(options.heddle)
    options.wall = options.wall or 2 * options.cpu
    programs, stop = wanted(options), threading.Event()
    rows = Rows(options, len(programs))

    def one(program):
        if not stop.is_set():
            rows.add(program, *attempt(program, options, stop))

    with tempfile.TemporaryDirectory(prefix="coverage-cache-", dir=options.scratch) as cache, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        options.cache = options.cache or cache
        waiting = [pool.submit(one, program) for program in programs]
        try:
            for future in concurrent.futures.as_completed(waiting):
                future.result()
        except BaseException as e:
            stop.set()  # what runs is ended and gets no row
            pool.shutdown(cancel_futures=True)
            if not isinstance(e, (KeyboardInterrupt, Interrupted)):
                raise
    rows.say("")
    print(", ".join(f"{n} {state}" for state, n in sorted(rows.states.items())) or "nothing to do")
    return 130 if stop.is_set() else 0


# --- the page ---

def grouped(cause):
    """A cause without the place, numbers and names that differ from program to program."""
    return re.sub(r"\b0x[0-9a-f]+\b|\b\d+(\.\d+)?\b", "N", re.sub(r" \([\w.+-]+:\d+\)$", "", cause))


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;") or " "


def tables_of(rows):
    used = [s for s in STATES if any(r["state"] == s for r in rows)]
    yield "| collection | programs | " + " | ".join(used) + " | pass, of those that count |"
    yield "| --- |" + " --: |" * (len(used) + 2)
    for name in [*dict.fromkeys(r["collection"] for r in rows), None]:
        of = [r for r in rows if name in (None, r["collection"])]
        n = collections.Counter(r["state"] for r in of)
        counting = sum(n[s] for s in STATES if STATES[s])
        share = f"{100 * n['pass'] / counting:.1f} % of {counting}" if counting else "none counts"
        yield f"| {name or '**all**'} | {len(of)} | " + " | ".join(str(n[s]) for s in used) + f" | {share} |"


def causes_of(rows):
    groups = collections.defaultdict(list)
    for r in rows:
        if r["state"] != "pass" and r["cause"] and STATES[r["state"]]:
            groups[r["state"], grouped(r["cause"])].append(r["program"])
    for (state, cause), programs in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        if len(programs) > 1:
            yield f"| {len(programs)} | {state} | {cell(cause)} |"


def collection_page(name, rows):
    commits = ", ".join(dict.fromkeys(f"`{r['commit'][:10]}`" for r in rows))
    yield f"\n## {name}\n\nCommit {commits}.\n"
    for title, states in (("Pass", ["pass"]), ("Runs to its end, no check", ["no check"])):
        of = [f"{r['program']}" for r in rows if r["state"] in states]
        if of:
            yield f"**{title}:** {', '.join(of)}.\n"
    of = [r for r in rows if r["state"] not in ("pass", "no check")]
    if of:
        yield "| program | state | cause | arguments | Heddle |\n| --- | --- | --- | --- | --- |"
        yield from (f"| {cell(r['program'])} | {r['state']} | {cell(r['cause'])} | {cell(r['arguments'])} | `{r['heddle']}` |" for r in of)


def page(rows, source):
    rows = list(newest(rows).values())
    limits, machines, commits = ([*dict.fromkeys(r[c] for r in rows)] for c in ("limit_seconds", "machine", "heddle"))
    yield f"""# Coverage: public CUDA programs

Made by `tools/coverage.py` from `{source}`; do not edit. None of these programs is in this repository, nor are the
commands that build them: the page names them and says what happened.

Each program is built under [`heddle env`](../env.md) with the commands of its own project, and run with the arguments of
its row. It passes when its own check says so. *no check*: it runs to its end with status 0 and has nothing to judge by. *no input*:
files that it needs are not in the collection. These two do not count in the percentages; all others do. *slow*: more
than {' or '.join(limits)} s of CPU time (the cause says which), all threads and children together, machine code made at run
time included.
*refused*: Heddle names the feature that it lacks.

Machine: {'; '.join(machines)}. Heddle: {', '.join(f'`{c}`' for c in commits)}; of a program that ran with several, the last counts.
"""
    yield from tables_of(rows)
    shared = list(causes_of(rows))
    if shared:
        yield "\n## Causes that several programs share\n\n| programs | state | cause |\n| --: | --- | --- |"
        yield from shared
    for name in dict.fromkeys(r["collection"] for r in rows):
        yield from collection_page(name, [r for r in rows if r["collection"] == name])


def put_page(options, rows, make, tool):
    """Writes the page that `make` makes of the rows and their file's name, or compares it with the one there."""
    if not rows:
        sys.exit(f"{options.rows}: no rows")
    root = pathlib.Path(__file__).resolve().parent.parent
    path = pathlib.Path(options.rows).resolve()
    text = "\n".join(make(rows, path.relative_to(root) if path.is_relative_to(root) else path.name)) + "\n"
    if options.write:
        pathlib.Path(options.write).write_text(text)
    elif options.check and pathlib.Path(options.check).read_text() != text:
        print(f"{options.check} is not what {tool} page makes of the rows: --write it", file=sys.stderr)
        return 1
    elif not options.check:
        sys.stdout.write(text)
    return 0


def write_page(options):
    return put_page(options, read_rows(options.rows), page, "coverage.py")


def add_run_options(r):
    r.add_argument("list")
    r.add_argument("rows", help="a file of rows, which grows")
    r.add_argument("--heddle", default=pathlib.Path(__file__).resolve().parent.parent / "build/bin/heddle")
    r.add_argument("--commit", help="what stands for this Heddle in the rows (otherwise git is asked)")
    r.add_argument("--jobs", type=int, default=1)
    r.add_argument("--only", default="", metavar="REGEX", help="programs whose 'COLLECTION PROGRAM' has a match")
    r.add_argument("--again", default="", metavar="STATE,...", help="only programs whose last row has one of these states")
    r.add_argument("--cpu", type=float, default=120, metavar="S", help="CPU seconds of a run (120)")
    r.add_argument("--wall", type=float, metavar="S", help="seconds of a run by the clock (twice --cpu)")
    r.add_argument("--build-cpu", type=float, default=900, metavar="S", help="CPU seconds of a build (900)")
    r.add_argument("--memory", type=float, default=8, metavar="GIB", help="memory of a run (8)")
    r.add_argument("--scratch", help="where folders are copied to (TMPDIR)")
    r.add_argument("--cache", help="a HEDDLE_CACHE to keep (otherwise one for this run)")
    r.set_defaults(do=run)


def main(words):
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends like Ctrl-C
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    r = verbs.add_parser("run", help="build and run the programs of a list")
    add_run_options(r)
    r.set_defaults(modes="", keep=None)
    c = verbs.add_parser("compare", help="build the programs of a list, run each in several modes and compare what they print")
    add_run_options(c)
    c.add_argument("--modes", default="interp,jit", metavar="MODE,...", help="values of HEDDLE_EXEC (interp,jit)")
    c.add_argument("--keep", metavar="FOLDER", help="where the outputs of programs that differ are written to")
    p = verbs.add_parser("page", help="write the page of the rows")
    p.add_argument("rows")
    p.add_argument("--write", metavar="FILE")
    p.add_argument("--check", metavar="FILE")
    p.set_defaults(do=write_page)
    options = parser.parse_args(words)
    return options.do(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
