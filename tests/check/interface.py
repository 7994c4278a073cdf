#!/usr/bin/env python3
"""The flags of `heddle check`, its files, and what is left when the program does not end well.

usage: interface.py HEDDLE COMPUTE_SANITIZER FOLDER CASE
"""
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

heddle, sanitizer, folder, case = sys.argv[1:]
program = "two.cu"
tmp = pathlib.Path(tempfile.mkdtemp())


def run(*words, tool=heddle, more=(), **keys):
    line = [tool, *(["check"] if tool == heddle else []), *words, program, *more]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=100, **keys)


def found(*words, **keys):
    """Kinds and kernels of what is found."""
    out = tmp / "findings"
    run("--json", str(out), "--report-api-errors", "no", *words, **keys)
    return [(f["kind"], re.sub(r"[<(].*", "", f["kernel"].split()[-1] if "<" not in f["kernel"] else f["kernel"]), f["count"])
            for f in map(json.loads, out.read_text().splitlines())]


def expect(got, wanted):
    if got != wanted:
        sys.exit(f"FAILED: {got}, expected {wanted}")


def has(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"FAILED: no '{part}' in:\n{text}")


def lacks(text, *parts):
    for part in parts:
        if part in text:
            sys.exit(f"FAILED: '{part}' in:\n{text}")


def kernels():
    lines = lambda *words: [(kind, count) for kind, _, count in found(*words)]
    write2, write3, read = ("out-of-bounds", 2), ("out-of-bounds", 3), ("uninitialised", 64)
    expect(lines(), [write2, write3, read])
    expect(lines("-k", "writes"), [write2, write3])
    expect(lines("--kernel-name", "kne=reads"), [read])
    expect(lines("-k", "kns=rite"), [write2, write3])
    expect(lines("-k", "regex=writes<\\(?i?n?t?\\)?3>"), [write3])
    expect(lines("-k", "regex=^reads", "-k", "kns=writes<2"), [write2, read])
    expect(lines("--kernel-name-exclude", "writes"), [read])
    expect(lines("-s", "1"), [write3, read])
    expect(lines("--launch-skip", "1", "--launch-count=1"), [write3])
    expect(lines("-k", "writes", "-s", "1"), [write3])
    expect(lines("-c", "1", "-k", "reads"), [read])
    has(run("-k", "regex=(").stderr, "flag '--kernel-name': '(' is not a regular expression")


def unwatched_writes():
    """A kernel that is left out still writes, so what it has written is no finding of another."""
    global program
    program = "writer.cu"
    expect(found(), [])
    expect(found("-k", "reader"), [])


def exit_status():
    expect(run().returncode, 1)
    expect(run("--error-exitcode", "7").returncode, 7)
    expect(run("--error-exitcode", "0", more=["r"]).returncode, 3)
    expect(run("--tool", "racecheck", more=["r"]).returncode, 3)
    expect(run("--tool", "racecheck").returncode, 0)
    expect(run(tool=sanitizer).returncode, 0)
    expect(run("--error-exitcode", "9", tool=sanitizer).returncode, 9)
    expect(run("--error-exitcode", "9", tool=sanitizer, more=["r"]).returncode, 3) # the program's own comes first there
    expect(run("--error-exitcode", "9", more=["r"]).returncode, 9)
    expect(run("--print-limit", "none").returncode, 1)


def limits():
    text = run("--print-limit", "1", tool=sanitizer).stdout
    expect(text.count("Invalid __global__"), 1)
    has(text, "errors were not printed. Use --print-limit option to adjust the number of printed errors")
    total = int(re.search(r"ERROR SUMMARY: (\d+) errors\n", text).group(1))
    has(text, f"ERROR SUMMARY: {total - 1} errors were not printed")
    one = run("--print-limit", "1").stderr
    expect(one.count("\n========= \n"), 1)
    has(run("--cases", "2").stderr, "by thread (62,0,0)", "by thread (63,0,0)")
    lacks(run().stderr, "by thread (63,0,0)")
    fatal = run("--print-level", "fatal")
    lacks(fatal.stderr, "Invalid")
    expect(fatal.returncode, 1)
    has(run("--prefix", "###").stderr, "### ERROR SUMMARY")
    lacks(run("--show-backtrace", "no").stderr, "Host Frame")
    has(run().stderr, "Host Frame: main in two.cu:19 [0x")
    fails = ("--destroy-on-device-error", "context")
    has(run(*fails).stderr, "on CUDA API call to cudaDeviceSynchronize")
    lacks(run(*fails).stderr, "Uninitialized") # no launch runs after the first
    lacks(run(*fails, "--report-api-errors", "no").stderr, "on CUDA API call")


def files():
    log = tmp / "log"
    done = run("--log-file", str(tmp / "%q{WHICH}-%%"), env=dict(os.environ, WHICH="log"))
    has((tmp / "log-%").read_text(), "ERROR SUMMARY")
    lacks(done.stderr, "=========")
    expect(done.stdout, "on stdout\n")
    has(run("--sarif", "/nonexistent/file").stderr, "cannot write '/nonexistent/file'")


def sarif():
    """What SARIF 2.1.0 requires: 3.13 log, 3.14 run, 3.18 tool, 3.19 driver, 3.27 result, 3.29 and 3.30 places."""
    out = tmp / "sarif"
    run("--sarif", str(out))
    log = json.loads(out.read_text())
    expect(log["version"], "2.1.0")
    expect(sorted(log), ["$schema", "runs", "version"])
    (only,) = log["runs"]
    driver = only["tool"]["driver"]
    rules = [r["id"] for r in driver["rules"]]
    expect((driver["name"], len(rules) == len(set(rules))), ("heddle check", True))
    expect(len(only["results"]) >= 3, True)
    for r in only["results"]:
        expect(r["level"] in ("none", "note", "warning", "error"), True)
        expect(r["ruleId"] in rules and len(r["message"]["text"]) > 0, True)
        for place in r["locations"] + r.get("relatedLocations", []):
            where = place["physicalLocation"]
            expect(where["artifactLocation"]["uri"], "two.cu")
            expect(where["region"]["startLine"] >= 1, True)
    first = only["results"][0]
    expect(first["locations"][0]["physicalLocation"]["region"]["startLine"], 8)
    expect(first["occurrenceCount"], 2)


def suppressions():
    saved, some = tmp / "all.xml", tmp / "some.xml"
    run("--save", str(saved), "--xml")
    records = xml.parse(saved).getroot().findall("record")
    kinds = [r.findtext("kind") for r in records]
    expect(kinds[0], "Precise")
    expect(records[0].findtext("what/text"), "Invalid __global__ write of size 4 bytes")
    expect(records[0].findtext("what/size"), "4")
    expect(records[0].findtext("where/path"), "two.cu")
    expect(records[0].findtext("where/line"), "8")
    expect(records[0].findtext("who/threadIdx/x"), "62")
    expect(records[0].findtext("hostStack/frame/module"), "two")
    clean = run("--suppressions", str(saved))
    has(clean.stderr, "ERROR SUMMARY: 0 errors")
    expect(clean.returncode, 0)
    some.write_text("<?xml version='1.0'?><!-- known --><ComputeSanitizerOutput><record><kind>Precise</kind>"
                    "<where><func>.*writes&lt;.*</func></where><hostStack><frame/><frame><func>main</func></frame></hostStack>"
                    "</record><record><kind>Api</kind></record></ComputeSanitizerOutput>")
    left = run("--suppressions", str(some)).stderr
    has(left, "ERROR SUMMARY: 64 errors", "Uninitialized __global__")
    some.write_text("<ComputeSanitizerOutput><record><kind>Precise</kind><what><size>8</size></what></record></ComputeSanitizerOutput>")
    has(run("--suppressions", str(some)).stderr, "Invalid __global__ write")
    for wrong, says in ((" <a>\n</b>", "some.xml:2: error: an XML element is closed that is not open"),
                        ("<ComputeSanitizerOutput>", "an XML element that does not end"),
                        ("<ComputeSanitizerOutput></ComputeSanitizerOutput>", "no <record>"),
                        ("<ComputeSanitizerOutput>\0", "not XML: it has a zero byte")):
        some.write_text(wrong)
        bad = run("--suppressions", str(some))
        has(bad.stderr, says)
        expect((bad.returncode, bad.stdout), (1, ""))
    has(run("--suppressions", "/nonexistent").stderr, "cannot read")


def names():
    """Flags of compute-sanitizer that are not there say why; ones without a use here are taken."""
    has(run("--track-stream-ordered-races", "all").stderr, "'--track-stream-ordered-races' has no effect here: cudaMallocAsync")
    has(run("--filter", "thread=1").stderr, "'--filter': 'thread=1' is not RULE")
    has(run("--generate-coredump", "yes").stderr, "compute-sanitizer's '--generate-coredump' is not there: there are no core files")
    has(run("--nonsense").stderr, "unknown flag '--nonsense'")
    has(run("--leak-chek", "full").stderr, "unknown flag '--leak-chek'; did you mean '--leak-check'?")
    has(run("--leak-check", "half").stderr, "flag '--leak-check': 'half' is not full|no")
    done = run("--check-exit-code", "yes", "--target-processes", "all", "--xml", "--force-blocking-launches", "--tool=racecheck")
    expect((done.returncode, done.stdout), (0, "on stdout\n"))
    text = subprocess.run([heddle, "check", "--help"], capture_output=True, text=True).stdout
    has(text, "Begin with `heddle check PROGRAM`", "--suppressions FILE", "racecheck  shared memory")
    lacks(text, "--generate-coredump")


def killed():
    """Whatever ends the program, what was found is told."""
    for how, status in (("abort", 134), ("exit", 5), ("kill", 137), ("term", 143), ("crash", 139)):
        done = run("--error-exitcode", "0", more=[how])
        expect((how, done.returncode), (how, status))
        has(done.stderr, "Invalid __global__ write of size 4 bytes", "ERROR SUMMARY: ")
    for number, to_program in ((signal.SIGKILL, True), (signal.SIGKILL, False), (signal.SIGTERM, False), (signal.SIGINT, False)):
        out = tmp / f"middle{number}"
        with subprocess.Popen([heddle, "check", "--tool", "memcheck", "--json", str(out), program, "middle"],
                              cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
            while p.stdout.readline() != "launched\n":
                pass
            supervisor = pathlib.Path(f"/proc/{p.pid}/task/{p.pid}/children").read_text().split()[0]
            children = pathlib.Path(f"/proc/{supervisor}/task/{supervisor}/children").read_text().split()
            for _ in range(1000): # until the kernel has made its first mistakes
                findings = [e for e in pathlib.Path(f"/proc/{children[0]}/environ").read_bytes().split(b"\0") if e.startswith(b"HEDDLE_FINDINGS=")]
                if b'"many(' in pathlib.Path(findings[0].split(b"=")[1].decode()).read_bytes():
                    break
                __import__("time").sleep(0.01)
            # what cannot be caught: to the program, and to the supervisor, with which it ends
            os.kill(int(children[0]) if to_program else int(supervisor) if number == signal.SIGKILL else p.pid, number)
            _, text = p.communicate(timeout=60)
        has(text, "at many(int volatile *, int) in two.cu:12", "ERROR SUMMARY: ")


def races():
    """The two forms of racecheck's report."""
    global program
    program = "../race_tiled_matmul.cu"
    pairs = run("--tool", "racecheck", tool=sanitizer).stdout
    has(pairs, "Error: Race reported between Write access at matmul(", "    and Read access at matmul(", "[131,072 hazards]",
        "RACECHECK SUMMARY: 3 hazards displayed")
    lacks(pairs, " Thread (")
    for words in (["--racecheck-report", "hazard"], ["--racecheck-report=all"]):
        text = run("--tool", "racecheck", *words, tool=sanitizer).stdout
        has(text, "Write Thread (", "RACECHECK SUMMARY: 100 hazards displayed (434176 errors, 0 warnings)")
        lacks(text, "Race reported")
    has(run("--tool", "racecheck").stderr, "Write Thread (")


def flood():
    """Ten million findings are a few lines, and cost little more than none."""
    global program
    program = "flood.cu"
    for tool, kind, least in (("memcheck", "stores", 10240000), ("initcheck", "loads", 10240000), ("racecheck", "races", 5000000)):
        seconds, out = [], tmp / "flood"
        for bad in "01":
            done = run("--tool", tool, "--json", str(out), more=[kind, bad])
            seconds.append(float(done.stdout))
        expect(len(done.stderr) < 10000 and out.stat().st_size < 200000, True)
        counts = [json.loads(line)["count"] for line in out.read_text().splitlines()]
        print(kind, seconds, counts)
        expect((kind, sum(counts) >= least), (kind, True))
        expect((kind, seconds[1] < 10 * seconds[0] + 1), (kind, True))


LIMITS = (16, 24, 255)


def limited():
    """A limit of registers changes neither what is found nor what is computed."""
    global program
    program = "limited.cu"
    checks, sums = [], []
    for limit in LIMITS:
        done = run("--json", str(tmp / "limited"), f"-maxrregcount={limit}")
        checks.append((done.returncode, [{**json.loads(line), "pid": 0} for line in (tmp / "limited").read_text().splitlines()]))
        sums.append([subprocess.run([heddle, "run", f"-maxrregcount={limit}", program], cwd=folder, capture_output=True, text=True,
                                    env=dict(os.environ, HEDDLE_EXEC=executor)).stdout for executor in ("interp", "jit")])
    expect({finding["kind"] for finding in checks[0][1]}, {"out-of-bounds", "uninitialised", "read-after-write", "write-after-read"})
    expect(checks, checks[:1] * len(LIMITS))
    expect(len(set(sum(sums, []))), 1)
    expect(float(sums[0][0]) > 0, True)


def limited_traffic():
    """But values that do not fit go through local memory."""
    log = tmp / "log.csv"
    for limit in LIMITS:
        subprocess.run([heddle, "profile", "--csv", "--page", "raw", "--log-file", str(log), "--metrics",
                        "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
                        f"-maxrregcount={limit}", "limited.cu"], cwd=folder, check=True, capture_output=True)
        row = list(csv.reader(line for line in log.read_text().splitlines() if line.startswith('"')))[-1]
        sectors = [float(cell.replace(",", "")) for cell in row[-2:]]
        print(limit, sectors)
        expect([s > 0 for s in sectors], [limit != LIMITS[-1]] * 2)


globals()[case]()
