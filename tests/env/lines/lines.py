#!/usr/bin/env python3
"""Runs the command lines of lines.tsv under `heddle env` and checks what comes: its form, as scripts parse it, and that the
figures that were asked for are there. usage: lines.py HEDDLE [TOOL...] [--half open|held] [--line TEXT] [--draw N]
                       [--show] [--page FILE]

A line with something in the column `missing` must fail its form, so that what has come to be answered is noticed.
--draw N: a run draws one of N lines (tests/drawn.py).
--page FILE compares docs/reference/command-lines.md with what the list says; with HEDDLE_WRITE_DOCS=1 it is written anew."""
import argparse
import csv
import io
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left beside the sources
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.dirname(os.path.dirname(HERE)))
import drawn

KERNELS = ("vector_add", "matmul_tiled", "count_positive")
NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
PREFIX = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device",
          "CC"]
TITLES = {"LaunchStats": "Launch Statistics", "Occupancy": "Occupancy", "MemoryWorkloadAnalysis": "Memory Workload Analysis",
          "SpeedOfLight": "GPU Speed Of Light Throughput", "SpeedOfLight_RooflineChart": "GPU Speed Of Light Roofline Chart",
          "WarpStateStats": "Warp State Statistics"}


class Wrong(Exception):
    pass


def want(condition, what):
    if not condition:
        raise Wrong(what)


def has(pattern, text, what=None):
    found = re.search(pattern, text, re.M)
    want(found, what or f"no {pattern!r}")
    return found


class Run:
    """One line, run in a folder of its own."""

    def __init__(self, heddle, line, folder):
        self.heddle, self.line, self.folder = heddle, line, folder
        done = self.sh(line)
        self.status, self.out, self.err = done.returncode, done.stdout, done.stderr

    def sh(self, line):
        clean = {k: v for k, v in os.environ.items() if k not in ("CPATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "CUDACXX")}
        return subprocess.run([self.heddle, "env", "bash", "-c", line], cwd=self.folder, env=clean, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=300)

    def path(self, name):
        return os.path.join(self.folder, name)

    @property
    def both(self):
        return self.out + self.err


# --- nvcc ---

def nvcc_exe(r, name):
    want(r.status == 0, f"status {r.status}")
    want("PASSED" in r.sh(f"./{name}").stdout, f"{name} does not run")


def nvcc_file(r, name):
    want(r.status == 0, f"status {r.status}")
    data = open(r.path(name), "rb").read()
    if name.endswith(".ptx"):
        want(all(k.encode() in data for k in KERNELS) and b".entry" in data, "no PTX of the kernels")
    else:
        want(data[:4] == b"\x7fELF" or name.endswith(("cubin", "fatbin")), "not an ELF file")
        want("vector_add" in r.sh(f"cuobjdump -ptx {name}").stdout, "its device code cannot be read back")


def nvcc_run(r):
    want(r.status == 0 and "PASSED" in r.out, "the program did not run")


def nvcc_version(r):
    want(re.fullmatch(r"\d+\.\d\n", r.out), "no release")


def nvcc_list(r):
    want(re.fullmatch(r"(compute_\d+\n){5,}", r.out), "no list")


def ptxas(r):
    want(r.status == 0, f"status {r.status}")
    for kernel in KERNELS:
        found = has(rf"^ptxas info    : Compiling entry function '(\S*{kernel}\S*)' for 'sm_(\d+)a?'\n"
                    rf"^ptxas info    : Function properties for \1\n"
                    rf"^    \d+ bytes stack frame, \d+ bytes spill stores, \d+ bytes spill loads\n"
                    rf"^ptxas info    : Used \d+ registers(.*)$", r.err)
        want((", 3" in found.group(3) and "bytes cmem[0]" in found.group(3)) == (int(found.group(2)) < 90), f"constants of {kernel}: {found.group(3)}")
        want(("bytes smem" in found.group(3)) == (kernel == "matmul_tiled"), f"shared memory of {kernel}: {found.group(3)}")


def ptxas_grep(r):
    want(len(re.findall(r"^ptxas info    : Used \d+ registers", r.out, re.M)) == len(KERNELS), "no registers")


# --- ncu ---

LAUNCH = r"^  (\S.*?)\(.*\) \(\d+, \d+, \d+\)x\(\d+, \d+, \d+\), Context 1, Stream 7, Device 0, CC \d+\.\d+$"


def launches(r, text=None):
    """Names of the launches of a details page, and the text of each."""
    parts = re.split(LAUNCH, text if text is not None else r.out, flags=re.M)
    want(len(parts) > 1, "no launch")
    limit = re.search(r"(?:-c|--launch-count)[ =](\d+)", r.line)
    names = parts[1::2]
    want(not limit or len(names) <= int(limit.group(1)), "more launches than -c")
    wanted = re.search(r"(?:-k|--kernel-name)[ =][\"']?(?:::)?(?:regex:)?[\"']?\^?([\w|]+)", r.line)
    for name in names:
        want(not wanted or re.search(wanted.group(1), name), f"kernel '{name}' was not asked for")
    return list(zip(names, parts[2::2]))


def prof_lines(r):
    if not re.search(r"--import|-i report|--quiet", r.line):
        has(r"^==PROF== Connected to process \d+ \(.+\)$", r.out)
        has(r'^==PROF== Profiling "\S+" - 0: 0%\.\.\.\.50%\.\.\.\.100% - 1 pass$', r.out)
        has(r"^==PROF== Disconnected from process \d+$", r.out)
    if "--quiet" in r.line:
        want("==PROF==" not in r.out, "==PROF== lines although --quiet")


def section_rows(body, title):
    found = has(rf"^    Section: {re.escape(title)}$", body)
    rows = body[found.end():].split("    Section: ")[0]
    return re.findall(rf"^    (\S.*?) {{2,}}(?:\S+ +)?({NUMBER})(?: |$)", rows, re.M)


def details(r, *sections):
    want(r.status == 0, f"status {r.status}")
    prof_lines(r)
    for _, body in launches(r):
        for s in sections:
            want(section_rows(body, TITLES[s]), f"no figures in section {s}")


sections = details


def only(r, kernel):
    details(r, "LaunchStats")
    want(all(n == kernel for n, _ in launches(r)), "another kernel")


def metrics(r, *names):
    want(r.status == 0, f"status {r.status}")
    prof_lines(r)
    for _, body in launches(r):
        has(r"^    Section: Command line profiler metrics$", body)
        has(r"^    Metric Name +Metric Unit +Metric Value", body)
        for name in names:
            has(rf"^    {re.escape(name)} .*?{NUMBER}(?: |$)", body, f"no figure for {name}")


def table(text, first):
    """The rows of CSV from the line that begins with `first` on."""
    at = text.find(first)
    want(at == 0 or at > 0 and text[at - 1] == "\n", f"no header {first}")
    return list(csv.reader(io.StringIO(text[at:])))


def details_csv(r):
    rows = table(r.out, '"ID","Process ID"')
    want(rows[0][:15] == PREFIX + ["Section Name", "Metric Name", "Metric Unit", "Metric Value"], f"header {rows[0]}")
    want(all(len(x) == len(rows[0]) for x in rows), "rows of another length")
    want(r.status == 0 and len(rows) > 1, "no rows")
    return rows[1:]


def csv_(r, *names):
    rows = details_csv(r)
    for name in names:
        mine = [x for x in rows if x[12] == name]
        want(len(mine) == len({x[0] for x in rows}), f"not one row a launch for {name}")
        want(all(x[11] == "Command line profiler metrics" for x in mine), "another section")
        want(all(re.fullmatch(NUMBER, x[14]) for x in mine), f"no figure for {name}")


def csv_sections(r, *titles):
    rows = details_csv(r)
    for title in titles:
        want(any(x[11] == title and re.fullmatch(NUMBER, x[14]) for x in rows), f"no figures in section {title}")


def rawcsv(r):
    rows = table(r.out, '"ID","Process ID"')
    want(rows[0][:11] == PREFIX and len(rows[0]) > 50, "header")
    want(rows[1][:11] == [""] * 11 and "byte" in rows[1], "units")
    want(len(rows) > 2 and all(len(x) == len(rows[0]) for x in rows), "rows")
    at = rows[0].index("launch__grid_size")
    want(all(re.fullmatch(NUMBER, x[at]) for x in rows[2:]), "figures")


def report(r, name):
    want(r.status == 0, f"status {r.status}")
    has(rf"^==PROF== Report: .*{name}$", r.out)
    head = open(r.path(name)).read(400)
    want("Heddle" in head and "not NVIDIA's" in head, "the file does not say whose it is")
    again = r.sh(f"ncu -i {name}")
    want(again.returncode == 0, "cannot be read back")
    asked = re.search(r"(?:-k|--kernel-name)[ =][\"']?(?:::)?(?:regex:)?[\"']?\.?\*?(\w+)", r.line)
    want(not asked or asked.group(1) in again.stdout, "the kernel is not in it")
    has(r"^    Section: ", again.stdout)
    if re.search(r"profile-from-start (off|0)|nvtx-include", r.line) and not asked:
        want("count_positive" not in again.stdout, "a launch outside the range")


def summary(r, *sections_):
    want(r.status == 0, f"status {r.status}")
    for s in sections_:
        has(rf"^    Section: {re.escape(TITLES[s])}$", r.out)
    has(r"^  \S.*\(.*\) \(\d+, \d+, \d+\)x\(\d+, \d+, \d+\), .*Invocations \d+$", r.out)
    has(r"^    Metric Name +Metric Unit +Minimum +Maximum +Average", r.out)
    has(rf"^    \S.* +{NUMBER} +{NUMBER} +{NUMBER}", r.out)


def source_csv(r):
    want(r.status == 0, f"status {r.status}")
    rows = table(r.out, '"Kernel Name"')
    want(len(rows[0]) == 2, "no kernel")
    at = next(i for i, x in enumerate(rows) if x and x[0] == "#")
    want("Source" in rows[at] and "# Instructions Executed" in rows[at], f"header {rows[at]}")
    body = []
    for x in rows[at + 1:]:
        if len(x) != len(rows[at]):
            break
        body.append(x)
    n = rows[at].index("# Instructions Executed")
    want(len(body) > 3 and sum(int(x[n]) for x in body) > 0, "no figures")
    if "sass" in r.line:
        want("Address" in rows[at], "no addresses")
        want("estimate" in r.err or "estimate" in r.out, "not labelled as an estimate")


def source(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^ *\d+ +\d+ .*c\[i\] = a\[i\] \+ b\[i\]", r.out)


def query(r, _):
    want(r.status == 0, f"status {r.status}")
    want(len(re.findall(r"^\w+__\w+(\.\w+)* +\S", r.out, re.M)) > 100, "no list of metrics")


def query_csv(r, _):
    rows = table(r.out, '"Metric Name"')
    want(len(rows) > 100 and all(len(x) == len(rows[0]) for x in rows), "no list of metrics")


def list_(r, what):
    words = {"sets": "basic", "sections": "LaunchStats", "chips": "gh100"}
    want(r.status == 0, f"status {r.status}")
    has(rf"\b{words[what]}\b", r.out)


TEXTS = {"ncu-version": r"(?s)NVIDIA \(R\) Nsight Compute.*^Version 20\d\d\.\d+\.\d+",
         "sanitizer-version": r"(?s)NVIDIA \(R\) Compute Sanitizer.*^Version 20\d\d\.\d+\.\d+",
         "nsys-version": r"^NVIDIA Nsight Systems version 20\d\d\.\d+\.\d+",
         "cuobjdump-version": r"^cuobjdump: NVIDIA \(R\) fatbinary dump utility$"}


def text(r, name):
    want(r.status == 0, f"status {r.status}")
    has(TEXTS[name], r.out)


# --- nvprof ---

def nvprof_head(r):
    want(r.status == 0, f"status {r.status}")
    if "--import-profile" in r.line:
        return
    has(r"^==\d+== NVPROF is profiling process \d+, command: ", r.both)
    has(r"^==\d+== Profiling application: ", r.both)
    has(r"^==\d+== Profiling result:$", r.both)


def nvprof_metrics(r, *names, what="Metric"):
    nvprof_head(r)
    has(rf"^==\d+== {what} result:$", r.both)
    if what == "Metric":
        has(r"^Invocations +Metric Name +Metric Description +Min +Max +Avg$", r.both)
    else:
        has(r"^Invocations +Event Name +Min +Max +Avg( +Total)?$", r.both)
    has(r'^Device "NVIDIA .* \(0\)"$', r.both)
    for kernel in KERNELS:
        has(rf"^    Kernel: .*{kernel}", r.both)
    for name in names:
        level = rf"(?:{NUMBER}\S*|(?:Idle|Low|Mid|High|Max) \(\d+\))"
        has(rf"^ +\d+ +{name} .*{level} +{level} +{level}$", r.both, f"no figure for {name}")


def nvprof_events(r, *names):
    nvprof_metrics(r, *names, what="Event")


def nvprof_metrics_csv(r, *names):
    nvprof_head(r)
    rows = table(r.out, '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"')
    for name in names:
        mine = [x for x in rows if len(x) == 8 and x[3] == name]
        want(len(mine) >= len(KERNELS) and all(re.match(NUMBER, x[7]) for x in mine), f"no figure for {name}")
    if "--events" in r.line:
        rows = table(r.out, '"Device","Kernel","Invocations","Event Name","Min","Max","Avg","Total"')
        want(len(rows[1]) == 8 and re.fullmatch(NUMBER, rows[1][4]), "events")


def nvprof_trace(r):
    nvprof_head(r)
    has(r"^   Start  Duration            Grid Size      Block Size     Regs\*    SSMem\*    DSMem\*      Size  Throughput"
        r"  SrcMemType  DstMemType           Device   Context    Stream  Name$", r.both)
    has(r"^\S+(s|ms|us|ns) +\S+(s|ms|us|ns) +\(16 1 1\) +\(256 1 1\) +\d+ +0B +0B +- +- +- +- +NVIDIA \S+.* +1 +7 +vector_add\(", r.both)
    has(r"^\S+ +\S+ +- +- +- +- +- +16\.000KB +\S+B/s +Pageable +Device +NVIDIA .* +1 +7 +\[CUDA memcpy HtoD\]$", r.both)
    has(r"\[CUDA memset\]$", r.both)
    has(r"^Regs: Number of registers used per CUDA thread", r.both)


def nvprof_trace_csv(r):
    nvprof_head(r)
    rows = table(r.out, '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",'
                        '"Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream",'
                        '"Name"')
    unit = {"--normalized-time-unit s ": "s", "--normalized-time-unit ms": "ms", "-u us": "us"}
    for flag, name in unit.items():
        want(flag not in r.line or rows[1][0] == name, f"unit of time {rows[1][0]}")
    mine = [x for x in rows[2:] if len(x) == len(rows[0])]
    name = rows[0].index("Name")
    want(sum("vector_add" in x[name] for x in mine) == 2, "no launches")
    want(any(x[name] == "[CUDA memcpy HtoD]" and float(x[11]) > 0 for x in mine), "no copies")
    want(all(float(x[1]) > 0 for x in mine), "no durations")


def nvprof_summary(r):
    nvprof_head(r)
    has(r"^            Type  Time\(%\)      Time     Calls       Avg       Min       Max  Name$", r.both)
    has(r"^ GPU activities: +\d+\.\d\d% ", r.both)
    has(r"^      API calls: +\d+\.\d\d% ", r.both)
    has(r"\bmatmul_tiled<16>\(|matmul_tiled<int=16>\(", r.both)
    if "from-start" not in r.line:
        has(r"^ +\d+\.\d\d%  \S+ +2 +\S+ +\S+ +\S+  vector_add\(|^ GPU activities: +\d+\.\d\d%  \S+ +2 +\S+ +\S+ +\S+  vector_add\(", r.both)
        has(r"  cudaMalloc$", r.both)
    else:
        want("count_positive" not in r.both, "a launch outside the range")


def nvprof_summary_csv(r):
    nvprof_head(r)
    rows = table(r.out, '"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"')
    mine = [x for x in rows[2:] if len(x) == 8]
    want(rows[1][1] == "%" and any(x[0] == "GPU activities" and "vector_add" in x[7] and int(x[3]) == 2 for x in mine), "no kernels")


def nvprof_query(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^Device 0 \(NVIDIA ", r.both)
    want(len(re.findall(r"^ +\w+:  \S", r.both, re.M)) > 5, "no list")


def nvprof_api(r):
    nvprof_head(r)
    has(r"^   Start  Duration  Name$", r.both)
    has(r"^\S+s +\S+s  cudaLaunchKernel \(vector_add\(.*\[\d+\]\)$", r.both)


def file_reads(r, name):
    want(r.status == 0, f"status {r.status}")
    has(rf"^==\d+== Generated result file: .*{name}$", r.both)
    again = r.sh(f"nvprof -i {name}")
    want(again.returncode == 0, "cannot be read back")
    has(r"matmul_tiled", again.stdout + again.stderr)


# --- compute-sanitizer, cuda-memcheck ---

def sanitizer_head(r, status):
    want(r.status == int(status), f"status {r.status}")
    has(r"^========= CUDA-MEMCHECK$" if r.line.startswith("cuda-memcheck") else r"^========= COMPUTE-SANITIZER$", r.out)
    strange = [x for x in r.out.splitlines() if not x.startswith("=========") and x not in ("PASSED", "")]
    want(not strange, f"strange lines {strange[:3]}")


def sanitizer(r, status):
    sanitizer_head(r, status)
    has(r"^========= ERROR SUMMARY: 0 errors$", r.out)


def sanitizer_error(r, status):
    sanitizer_head(r, status)
    if "initcheck" in r.line:
        has(r"^========= Uninitialized __global__ memory read of size 4 bytes$", r.out)
        has(r"^=========     at .*copy\(.*\).* in .*uninit.cu:6$", r.out)
    else:
        has(r"^========= Invalid __global__ write of size 4( bytes)?$", r.out)
        has(r"^=========     at .*write_past\(.*\).* in .*bad.cu:6$", r.out)
        has(r"^=========     (Address|Access (to|at)) 0x[0-9a-f]+ is out of bounds$", r.out)
    has(r"^=========     by thread \(0,0,0\) in block \(0,0,0\)$", r.out)
    has(r"^========= ERROR SUMMARY: [1-9]\d* errors?$", r.out)


def sanitizer_leak(r):
    sanitizer_head(r, 0)
    has(r"^========= Leaked 64 bytes at 0x[0-9a-f]+$", r.out)
    has(r"^========= LEAK SUMMARY: 64 bytes leaked in 1 allocations?$", r.out)


def racecheck(r, status):
    sanitizer_head(r, status)
    hazards = has(r"^========= RACECHECK SUMMARY: (\d+) hazards? displayed \((\d+) errors?, (\d+) warnings?\)$", r.out)
    want((hazards.group(1) == "0") == ("./app" in r.line), f"{hazards.group(1)} hazards")


# --- nsys ---

NSYS_TITLES = {"cuda_api_sum": "CUDA API Summary", "cuda_gpu_kern_sum": "CUDA GPU Kernel Summary",
               "cuda_gpu_mem_time_sum": "CUDA GPU MemOps Summary (by Time)", "cuda_gpu_mem_size_sum": "CUDA GPU MemOps Summary (by Size)",
               "cuda_gpu_sum": "CUDA GPU Summary (Kernels/MemOps)", "nvtx_sum": "NVTX Range Summary",
               "gputrace": "CUDA GPU Trace", "cudaapisum": "CUDA API Summary"}
NSYS_ROWS = {"cuda_api_sum": "cudaMalloc", "cuda_gpu_kern_sum": "vector_add", "cuda_gpu_mem_time_sum": "[CUDA memcpy Host-to-Device]",
             "cuda_gpu_mem_size_sum": "[CUDA memcpy Host-to-Device]", "cuda_gpu_sum": "[CUDA memset]", "nvtx_sum": ":work",
             "gputrace": "vector_add", "cudaapisum": "cudaLaunchKernel"}
NSYS_CSV = {"cuda_gpu_kern_sum": "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name",
            "cuda_api_sum": "Time (%),Total Time (ns),Num Calls,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name",
            "nvtx_sum": "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Style,Range"}


def hosts_times(r):
    if "2>" not in r.line:
        want(len(re.findall(r"times are the host's", r.err)) == 1, "does not say once whose times they are")


def nsys_rep(r, name):
    want(r.status == 0, f"status {r.status}")
    has(rf"(?m)^Generated:\n\s+.*{name}\.nsys-rep$", r.both)
    again = r.sh(f"nsys stats --report cuda_gpu_kern_sum {name}.nsys-rep")
    want(again.returncode == 0 and "matmul_tiled" in again.stdout, "cannot be read back")
    if "cudaProfilerApi" in r.line:
        want("count_positive" not in again.stdout, "a launch outside the range")


def nsys_stats(r, *names):
    want(r.status == 0, f"status {r.status}")
    for name in names:
        if "grep" not in r.line and "profile" not in r.line:
            has(rf"^ \*\* {re.escape(NSYS_TITLES[name])} \({NSYS_CURRENT.get(name, name)}\):$", r.out)
        elif "profile" in r.line:
            has(rf"^\[\d+/\d+\] Executing '{name}' stats report$", r.out)
        want(NSYS_ROWS[name] in r.out, f"nothing in {name}")
    has(r"^\+-+\+" if "--format table" in r.line else r"^ -+  -+ ", r.out)
    hosts_times(r)


NSYS_CURRENT = {"gputrace": "cuda_gpu_trace", "cudaapisum": "cuda_api_sum"}


def nsys_csv(r, *names, text=None):
    want(r.status == 0, f"status {r.status}")
    for name in names:
        rows = table(text or r.out, NSYS_CSV[name])
        mine = []
        for x in rows[1:]:
            if len(x) != len(rows[0]):
                break
            mine.append(x)
        want(any(NSYS_ROWS[name] in x[-1] for x in mine), f"nothing in {name}")
        want(abs(sum(float(x[0]) for x in mine) - 100) < 1, "shares do not add up")
    hosts_times(r)


def nsys_csv_file(r, name):
    nsys_csv(r, "cuda_gpu_kern_sum")
    if ":base" in r.line:
        want(re.search(r",vector_add$", r.out, re.M), "no base name")


def nsys_trace_csv(r):
    want(r.status == 0, f"status {r.status}")
    if "api" in r.line:
        rows = table(r.out, "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name")
        want(any(x[2] == "cudaMalloc" for x in rows[1:]), "no calls")
    else:
        rows = table(r.out, "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
                            "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name")
        want(sum("vector_add" in x[-1] and x[3] == "16" for x in rows[1:]) == 2, "no launches")
    hosts_times(r)


def sqlite(r, name):
    want(r.status == 0, f"status {r.status}")
    with sqlite3.connect(r.path(name)) as db:
        want(db.execute("select count(*) from CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0] == 4, "no kernels")


# --- cuobjdump ---

def sass(r, kernels=KERNELS):
    want(r.status == 0, f"status {r.status}")
    has(r"^Fatbin elf code:\n=+\narch = sm_\d+\n", r.out)
    has(r"^\tcode for sm_\d+$", r.out)
    want("estimate" in r.out, "not labelled as an estimate")
    found = re.findall(r"^\t\tFunction : (\S+)\n((?:.*\n)*?)\t\t\.\.+$", r.out, re.M)
    want(len(found) == len(kernels) and all(any(k in n for n, _ in found) for k in kernels), f"functions {[n for n, _ in found]}")
    for _, body in found:
        want(len(re.findall(r"^        /\*[0-9a-f]{4,}\*/ +\S.*;", body, re.M)) > 3, "no instructions")


def sass_one(r, kernel):
    sass(r, (kernel,))


def symbols(r):
    want(r.status == 0, f"status {r.status}")
    for kernel in KERNELS:
        has(rf"^STT_FUNC +STB_GLOBAL +STO_ENTRY +\S*{kernel}\S*$", r.out)


def res_usage(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^Resource usage:$", r.out)
    for kernel in KERNELS:
        has(rf"^ Function \S*{kernel}\S*:\n  REG:\d+ STACK:\d+ SHARED:{2048 if kernel == 'matmul_tiled' else 0} LOCAL:\d+ CONSTANT\[0\]:\d+ "
            r"TEXTURE:\d+ SURFACE:\d+ SAMPLER:\d+$", r.out)
    want("estimate" in r.err + r.out, "not labelled as an estimate")


def res_usage_grep(r):
    want(len(re.findall(r"^  REG:\d+ STACK:\d+", r.out, re.M)) == len(KERNELS), "no registers")


def elf_list(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^ELF file +1: \S+\.sm_\d+\.cubin$", r.out)


def ptx_dump(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^Fatbin ptx code:\n=+\narch = sm_\d+\ncode version = \[\d+,\d+\]\n(producer = .*\n)?host = linux\ncompile_size = 64bit\n", r.out)
    for kernel in KERNELS:
        has(rf"^\.visible \.entry \S*{kernel}", r.out)


def ptx_list(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^PTX file +1: \S+\.sm_\d+\.ptx$", r.out)


def ptx_extract(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^\.visible \.entry \S*vector_add", r.out)


def both(r):
    sass(r)
    ptx_dump(r)


def fatbin(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^Fatbin ptx code:\n=+\narch = sm_\d+\ncode version = ", r.out)


# --- nvidia-smi ---

FIELD = {"name": r"NVIDIA \S.*", "gpu_name": r"NVIDIA \S.*", "memory.total": r"\d+ MiB", "memory.used": r"\d+ MiB", "memory.free": r"\d+ MiB",
         "utilization.gpu": r"\d+ %", "compute_cap": r"\d+\.\d", "driver_version": r"\d+\.\d+(\.\d+)?", "index": r"0",
         "uuid": r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "power.limit": r"\d+\.\d\d W", "power.draw": r"\d+\.\d\d W",
         "fan.speed": r"\d+ %", "temperature.gpu": r"\d+", "persistence_mode": r"Enabled|Disabled",
         "timestamp": r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}", "pci.bus_id": r"[0-9A-F]{8}:[0-9A-F]{2}:00\.0"}
UNIT = {"memory.total": " [MiB]", "memory.used": " [MiB]", "memory.free": " [MiB]", "utilization.gpu": " [%]", "power.limit": " [W]",
        "power.draw": " [W]", "fan.speed": " [%]"}


def smi_row(row, fields, units=True):
    cells = re.split(r", ?", row)
    want(len(cells) == len(fields), f"row {row!r}")
    for cell, field in zip(cells, fields):
        pattern = FIELD[field] if units else re.sub(r" (MiB|%|W)$", "", FIELD[field])
        want(re.fullmatch(pattern.replace(" ", " ?"), cell), f"{field}: {cell!r}")


def smi_csv(r, *fields, units=True):
    want(r.status == 0, f"status {r.status}")
    rows = r.out.strip().splitlines()
    want(len(rows) == 1, f"{len(rows)} rows")
    smi_row(rows[0].strip(), fields, units)


def smi_csv_nounits(r, *fields):
    smi_csv(r, *fields, units=False)


def smi_csv_header(r, *fields):
    want(r.status == 0, f"status {r.status}")
    rows = r.out.strip().splitlines()
    want(len(rows) == 2, f"{len(rows)} rows")
    want(rows[0] == ", ".join(f + UNIT.get(f, "") for f in fields), f"header {rows[0]!r}")
    smi_row(rows[1], fields)


def smi_empty(r):
    want(r.status == 0 and r.out == "" and not re.search("error|not found", r.err), f"{r.out!r} {r.err!r}")


def smi_L(r):
    want(r.status == 0 and re.fullmatch(r"GPU 0: NVIDIA .* \(UUID: GPU-[0-9a-f-]{36}\)\n", r.out), f"{r.out!r}")


def smi_count(r):
    want(r.out.strip() == "1", f"{r.out!r}")


def smi_q(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^==============NVSMI LOG==============$", r.out)
    has(r"^Timestamp {33}: \w{3} \w{3} +\d+ [\d:]+ \d{4}$", r.out)
    has(r"^Driver Version {28}: \d+\.\d+", r.out)
    has(r"^Attached GPUs {29}: 1$", r.out)
    has(r"^GPU [0-9A-F]{8}:[0-9A-F]{2}:00\.0$", r.out)
    has(r"^    Product Name {26}: NVIDIA ", r.out)
    has(r"^    FB Memory Usage\n        Total {29}: \d+ MiB\n", r.out)


def smi_q_section(r, what):
    want(r.status == 0, f"status {r.status}")
    if "grep" in r.line:
        has(r"^ +Current Power Limit +: \d+\.\d\d W$", r.out)
        return
    found = has(rf"^    {what}\b", r.out)
    want("FB Memory" not in r.out, "other sections too")
    has(r"^        \S.* : \S" if what == "Clocks" else r"^    Performance State +: P\d$", r.out[found.start():])


def smi_memory_free(r):
    has(r"^ +Free +: \d+ MiB$", r.out)


def smi_q_driver(r):
    want(re.fullmatch(r"Driver Version {28}: \d+\.\d+(\.\d+)?\n", r.out), f"{r.out!r}")


def smi_table(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^\+-{89}\+$", r.out)
    has(r"^\| NVIDIA-SMI \d\S+ +Driver Version: \S+ +CUDA Version: 12\.\d +\|$", r.out)
    has(r"^\| GPU  Name {17}Persistence-M \| Bus-Id          Disp\.A \| Volatile Uncorr\. ECC \|$", r.out)
    has(r"^\|   0  NVIDIA .{27} \|   [0-9A-F]{8}:[0-9A-F]{2}:00\.0 Off \| +(0|Off|N/A) \|$", r.out)
    has(r"^\| .{39} \| +\d+MiB / +\d+MiB \| +\d+% +Default \|$", r.out)
    has(r"^\| Processes: {78}\|$", r.out)
    want(all(len(x) == 91 for x in r.out.splitlines() if x[:1] in "+|"), "lines of another length")


def smi_pm(r):
    want(r.status == 0, f"status {r.status}")
    has(r"persistence mode", r.both.lower())


def smi_topo(r):
    want(r.status == 0, f"status {r.status}")
    has(r"^\tGPU0\tCPU Affinity", r.out.replace("\x1b[4m", "").replace("\x1b[0m", ""))
    has(r"^GPU0\t X ", r.out)


# --- the runner ---

FORMS = {"csv": csv_, "list": list_}


def form_of(name):
    return FORMS.get(name) or globals()[name.replace("-", "_")]


class Fixtures:
    """What lines name: programs, objects and reports, each made when the first line names it."""

    def __init__(self, heddle, folder):
        self.heddle, self.folder = heddle, folder

    def make(self, name):
        path = os.path.join(self.folder, name)
        if os.path.exists(path):
            return path
        rules = {"app": "nvcc -arch=sm_90 app.cu -o app", "app.o": "nvcc -arch=sm_90 -c app.cu -o app.o", "report.ncu-rep": "ncu -o report ./app",
                 "report.nsys-rep": "nsys profile -o report ./app", "app.nvprof": "nvprof -o app.nvprof ./app",
                 "sections": "mkdir sections", "include": "mkdir include", "common": "mkdir common"}
        line = rules.get(name, f"nvcc {name}.cu -o {name}")
        if "./app" in line:
            self.make("app")
        done = subprocess.run([self.heddle, "env", "bash", "-c", line], cwd=self.folder, capture_output=True, text=True)
        if not os.path.exists(path):
            sys.stderr.write(f"cannot make {name}: {done.stdout}{done.stderr}\n")
        return path

    def into(self, line, folder):
        for name in ("app.cu", "run.sh"):
            shutil.copy(os.path.join(HERE, name), folder)
        names = set(re.findall(r"report\.(?:ncu|nsys)-rep|app\.nvprof|(?<=\./)(?:bad|race|uninit|leak)\b|\b(?:sections|include|common)\b", line))
        names.add("app")
        if line.startswith("cuobjdump") and "app.o" in line:
            names.add("app.o")
        if line.startswith("nvcc"):
            names.discard("app")
        for name in names:
            path = self.make(name)
            if os.path.isdir(path):
                os.mkdir(os.path.join(folder, name))
            elif os.path.exists(path):
                shutil.copy(path, folder)


def read_lines():
    with open(os.path.join(HERE, "lines.tsv")) as f:
        for row in f:
            if not row.startswith("#"):
                half, form, missing, line = row.rstrip("\n").split("\t")
                yield half, form, missing, line


def try_line(heddle, fixtures, form, line, show):
    name, _, arguments = form.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        fixtures.into(line, folder)
        r = Run(heddle, line, folder)
        if show:
            sys.stdout.write(f"$ {line}\nstatus {r.status}\n{r.out}--- stderr\n{r.err}---\n")
        try:
            form_of(name)(r, *(arguments.split(",") if arguments else ()))
        except Wrong as e:
            return str(e)
        except Exception as e:  # a form that cannot be read at all
            return f"{type(e).__name__}: {e}"
    return None


PAGE = """# Command lines of NVIDIA's tools

Printed from `tests/env/lines/lines.tsv`; do not edit (`HEDDLE_WRITE_DOCS=1 ctest -R env.lines.page` writes it anew).

{n} command lines as they stand in public scripts, Makefiles and course material are run by the tests `env.lines.*`, and what they
print is checked for its form and for the figures that were asked for. A line that asks for a figure that is n/a counts as not answered,
and so does one that makes a file that nobody can read back. Answered: {answered} ({share:.1f} %); what misses is mostly figures that
no counter of Heddle's tells.

| tool | lines | answered |
| --- | --- | --- |
{tools}

Not answered, and what each one misses:

| line | missing |
| --- | --- |
{missing}
"""


def page():
    rows = list(read_lines())
    tools = {}
    for _, _, missing, line in rows:
        t = tools.setdefault(line.split()[0], [0, 0])
        t[0] += 1
        t[1] += not missing
    answered = sum(t[1] for t in tools.values())
    return PAGE.format(n=len(rows), answered=answered, share=100 * answered / len(rows),
                       tools="\n".join(f"| `{k}` | {a} | {b} |" for k, (a, b) in sorted(tools.items())),
                       missing="\n".join(f"| `{line.replace('|', chr(92) + '|')}` | {missing} |" for _, _, missing, line in rows if missing))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("heddle")
    p.add_argument("tools", nargs="*")
    p.add_argument("--half")
    p.add_argument("--line")
    p.add_argument("--draw", type=int, default=1)
    p.add_argument("--show", action="store_true")
    p.add_argument("--page")
    o = p.parse_args()
    if o.page:
        if os.environ.get("HEDDLE_WRITE_DOCS") == "1":
            os.makedirs(os.path.dirname(o.page), exist_ok=True)
            open(o.page, "w").write(page())
        if not os.path.isfile(o.page) or open(o.page).read() != page():
            print(f"{o.page} is not what lines.tsv says: HEDDLE_WRITE_DOCS=1 writes it anew")
            return 1
        return 0
    failed = n = 0
    with tempfile.TemporaryDirectory() as folder:
        for f in os.listdir(HERE):
            if f.endswith((".cu", ".sh")):
                shutil.copy(os.path.join(HERE, f), folder)
        fixtures = Fixtures(os.path.abspath(o.heddle), folder)
        asked = [row for row in read_lines() if (not o.tools or row[3].split()[0] in o.tools) and o.half in (None, row[0]) and
                 (o.line or "") in row[3]]
        for _, form, missing, line in drawn.some(asked, o.draw, "lines"):
            n += 1
            wrong = try_line(os.path.abspath(o.heddle), fixtures, form, line, o.show)
            if wrong and not missing:
                failed += 1
                print(f"FAILED: {line}\n    {form}: {wrong}", flush=True)
            elif missing and not wrong:
                failed += 1
                print(f"FAILED: {line}\n    is answered, but lines.tsv says that '{missing}' is missing", flush=True)
    print(f"{n} lines, {failed} failed")
    return 1 if failed or not n else 0


if __name__ == "__main__":
    sys.exit(main())
