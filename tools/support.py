#!/usr/bin/env python3
"""Writes docs/reference/support.md and driver.md from the tables of what is there, and checks that the tables are true.

usage: support.py [--write] SOURCE BUILD       (the source tree; a build of it, for bin/heddle and its libraries)

Tables: include/heddle/runtime_functions.def, include/heddle/driver_functions.def, include/heddle/device_functions.def,
src/ptx/ptx_isa.def, and one of each library (LIBRARIES below). Checked, exit 1:
- the pages are what the tables say (or --write);
- driver: every row and every second symbol (driver_symbols.def) is exported, and no other cu...;
- runtime: what is there is declared in cuda_runtime_api.h (templates: runtime_templates.h), what is exported is in the
  table and the other way round, and nothing else is exported but heddle_*;
- libraries: what is there is declared in the library's headers, and the library exports what is in its table, nothing else;
- device: what is there is declared, what is not there is not, by asking the compiler about each name;
- PTX: an instruction is there if src/ptx/ptx_ops.def has a row; every row is of an instruction of the list;
- each thing that is there is mentioned by a test. The page names the first of TESTS whose source does."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

# CTest name, sources. The first that mentions a name stands on the page: unit tests first, then programs.
TESTS = [(f"unit.{n}", [f"tests/unit/{n}.c"]) for n in
         ("runtime_memory", "runtime_stream", "runtime_execution", "runtime_error", "runtime_device", "runtime_pools",
          "runtime_arrays", "runtime_module", "runtime_fault")]
TESTS += [(f"device.{n}", [f"tests/device/{n}.cu"]) for n in
          ("integers", "atomics", "warps", "pointers", "math_names", "half_names", "more_names", "groups", "cuda_atomic", "cuda_barrier")]
TESTS += [("unit.runtime_module", ["tests/unit/mock_engine.c"]), ("program.interface", ["tests/programs/interface.cu"]), ("program.ipc_auto", ["tests/programs/ipc.cu"]), ("program.mapped", ["tests/programs/mapped.cu"]),
          ("program.graphs", ["tests/programs/graphs.cu"]), ("program.graph_answers", ["tests/truth/graphs/graphs.cu"]),
          ("device.services", ["tests/device/print.cu", "tests/device/assert.cu", "tests/device/heap.cu"]),
          ("program.driver", ["tests/programs/driver.cu"]), ("program.halves", ["tests/programs/halves.cu"]), ("program.textures", ["tests/programs/textures.cu"]), ("program.surfaces", ["tests/programs/surfaces.cu"]), ("program.references", ["tests/programs/references.cu"]),
          ("progress.threads_1", ["tests/programs/progress.cu"])]
TESTS += [(f"examples.{n}", [f"examples/{n}.cu"]) for n in
          ("async_copy", "occupancy", "device_query", "stream_order", "staged_streams", "variables", "device_memory")]
TESTS += [("compile.headers", ["tests/compile/headers.cu"]), ("bad.trap", ["tests/bad/trap.cu"])]
DRIVER_TESTS = [("program.driver", ["tests/programs/driver.cu"]), ("program.driver_graphs_auto", ["tests/programs/driver_graphs.cu"]), ("program.ipc_auto", ["tests/programs/ipc.cu"]), ("program.mapped", ["tests/programs/mapped.cu"]), ("driver.truth", ["tests/truth/libraries/driver.cu"])]
PTX_TESTS = [(f"unit.{n}", [f"tests/unit/{n}.c"]) for n in
             ("interp_lanes", "interp_run", "interp_halves", "interp_words", "simt_warp", "ir_build", "target_meaning", "ptx_parse")]
PTX_TESTS += [("unit.interp_lanes_truth", ["tests/truth/lanes_h200.tsv"]), ("device.integers", ["tests/device/integers.cu"]),
              ("device.more_names", ["tests/device/more_names.cu", "include/heddle/device/intrinsics.h"]), ("ptx.files", ["tests/truth/ptx/*.ptx", "tests/ptx/*.ptx"])]
# Libraries: title, soname, table in include/heddle, prefix of its rows, headers, what a function that is not there answers.
LIBRARIES = [
    ("cuBLAS", "libcublas.so.12", "cublas_functions.def", "CUBLAS_", ["cublas_api.h", "cublas.h"], "CUBLAS_STATUS_NOT_SUPPORTED"),
    ("cublasXt", "libcublas.so.12", "cublasxt_functions.def", "CUBLASXT_", ["cublasXt.h"], "CUBLAS_STATUS_NOT_SUPPORTED"),
    ("cublasLt", "libcublasLt.so.12", "cublaslt_functions.def", "CUBLASLT_", ["cublasLt.h"], "CUBLAS_STATUS_NOT_SUPPORTED"),
    ("cuSOLVER", "libcusolver.so.11", "cusolver_functions.def", "CUSOLVER_", ["cusolverDn.h", "cusolverSp.h", "cusolverSp_LOWLEVEL_PREVIEW.h", "cusolver_common.h"], "CUSOLVER_STATUS_NOT_SUPPORTED"),
    ("cuFFT", "libcufft.so.11", "fft_functions.def", "CUFFT_", ["cufft.h", "cufftXt.h"], "CUFFT_NOT_IMPLEMENTED"),
    ("cuFFTW", "libcufftw.so.11", "fftw_functions.def", "CUFFTW_", ["cufftw.h"], "NULL or 0"),
    ("cuRAND", "libcurand.so.10", "curand_functions.def", "CURAND_", ["curand.h"], "CURAND_STATUS_INTERNAL_ERROR"),
    ("cuSPARSE", "libcusparse.so.12", "sparse_functions.def", "CUSPARSE_", ["cusparse.h"], "CUSPARSE_STATUS_NOT_SUPPORTED"),
    ("NVRTC", "libnvrtc.so.12", "nvrtc_functions.def", "NVRTC_", ["nvrtc.h"], "NVRTC_ERROR_INTERNAL_ERROR"),
    ("libNVVM", "libnvvm.so.4", "nvvm_functions.def", "NVVM_", ["nvvm.h"], "nothing: all are there"),
    ("NCCL", "libnccl.so.2", "nccl_functions.def", "NCCL_", ["nccl.h"], "ncclInvalidUsage"),
]
LIBRARY_TESTS = [("libraries.cufft", ["tests/libraries/cufft.cu"]),
                 ("libraries.cufftw", ["tests/libraries/cufftw.cu"]),
                 ("libraries.cufft_h200", ["tests/truth/libraries/cufft.cu"]),
                 ("libraries.curand", ["tests/libraries/curand.cu"]),
                 ("libraries.cusparse", ["tests/libraries/cusparse.cu"]),
                 ("libraries.cusparse_h200", ["tests/truth/libraries/cusparse.cu"]),
                 ("libraries.cublas", ["tests/libraries/cublas.cu"]),
                 ("libraries.cublasXt", ["tests/libraries/cublasXt.cu"]),
                 ("libraries.cublasLt", ["tests/libraries/cublasLt.cu"]),
                 ("libraries.cublaslt_h200", ["tests/truth/libraries/cublaslt.cu"]),
                 ("libraries.cusolver", ["tests/libraries/cusolver.cu"]),
                 ("libraries.cusolver_sp", ["tests/libraries/cusolver_sp.cu"]),
                 ("libraries.cusolver_h200", ["tests/truth/libraries/cusolver.cu"]),
                 ("libraries.cublas_old", ["tests/libraries/cublas_old.cu"]),
                 ("libraries.cublas_h200", ["tests/truth/libraries/cublas.cu"]),
                 ("libraries.nccl", ["tests/libraries/nccl.cu"]),
                 ("libraries.nvvm", ["tests/libraries/nvvm.c"]),
                 ("libraries.nvrtc", ["tests/libraries/nvrtc.cu"])]
STATES = {"INSTRUCTION": "?", "THERE": "there", "TEMPLATE": "there", "IN_PART": "in part", "NOT_THERE": "not there", "REFUSED": "not there"}


class Row:
    """`symbols`: what the library exports for it; `words`: any of which a test of it mentions."""
    def __init__(self, kind, name, note, symbols=None, words=None):
        self.kind, self.name, self.note, self.test = kind, name, note, None
        self.symbols, self.words = symbols or [name], words or [name]

    @property
    def works(self):
        return STATES[self.kind] in ("there", "in part")


def read(path, heading, prefix=""):
    """[(title, [Row])] of a table."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    chapters = []
    for m in re.finditer(rf'^{prefix}({heading}|{"|".join(STATES)})\(([\w.:]+)(?:,\s*(?:[^"]*?|[^"]*?"([^"]*)"))?\)$', text, flags=re.M):
        kind, name, note = m.groups()
        if kind == heading:
            chapters.append((note, []))
        else:
            chapters[-1][1].append(Row(kind, name, note))
    names = [r.name for _, rows in chapters for r in rows]
    twice = {n for n in names if names.count(n) > 1} if len(set(names)) < len(names) else set()
    if twice or not names:
        sys.exit(f"{path}: no rows, or twice: {', '.join(sorted(twice))}")
    return chapters


# Routines of cuBLAS and cuSOLVER: for a set of types the words between "cublas" and the routine's name, by naming (cublas_routines.def).
TYPES = {"SDCZ": "S D C Z", "SD": "S D", "CZ": "C Z", "C": "C", "S": "S", "H": "H", "HSDCZ": "H S D C Z", "SDCZ_MIXED": "S D C Z HSH HSS TST TSS", "EX": "-"}
NAMING = {"plain": {}, "function": {}, "index": {"S": "Is", "D": "Id", "C": "Ic", "Z": "Iz"}, "norm": {"C": "Sc", "Z": "Dz"}, "by_real": {"C": "Cs", "Z": "Zd"}, "as_ex": {"-": ""},
          "sy": {"S": "Ssy", "D": "Dsy", "C": "Che", "Z": "Zhe"}, "or": {"S": "Sor", "D": "Dor", "C": "Cun", "Z": "Zun"}, "x": {"-": "X"}}


def read_routines(path, prefix):
    """[(title, [Row])] of cublas_routines.def or the like: a row for each routine, all types together."""
    chapters, wide = ([], True) if prefix == "cublas" else ([("Routines", [])], False)
    for line in path.read_text().split("\n"):
        title = re.match(r"/\* --- (.*) --- \*/", line)
        m = re.match(r"ROUTINE_(\w+)\((\w+), (\w+), (\w+),", line)
        wide = wide and "HEDDLE_CUBLAS_WIDE" not in line or line == "#endif" and not chapters
        if title:
            chapters.append(("Routines, " + title.group(1), []))
        if not m:
            continue
        types, naming, name, suffix = m.groups()
        parts = [NAMING[naming].get(t, t) for t in TYPES[types].split()]
        end = "" if suffix == "added" else "_v2"
        symbols = [f"{prefix}{p}{name}{end}{w}" for p in parts for w in (("", "_64") if wide else ("",))]
        symbols += [f"{prefix}{p}{name}" for p in parts] if end else [] # of the old interface
        words = [name] + [f"{prefix}{p}{name}" for p in parts]
        shown = f"{prefix}({'|'.join(parts)}){name}" if len(parts) > 1 else f"{prefix}{parts[0]}{name}"
        chapters[-1][1].append(Row("THERE", shown + end + ("[_64]" if wide else ""), None, symbols, words))
    return chapters


def words_of(source, tests, pattern):
    return [(name, {w for f in files for p in sorted(source.glob(f)) for w in re.findall(pattern, each_type(p.read_text(errors="replace")))})
            for name, files in tests]


def each_type(text):
    """The text with the functions that a macro makes for the types of numbers of a library: cusparse##S##nnz, X##_plan_dft."""
    return (text + " ".join(f" {a}{s}{b}" for a, b in re.findall(r"(\w+)##S##(\w+)", text) for s in "SDCZ")
            + " ".join(f" {x}{b}" for b in re.findall(r"\bX##(\w+)", text) for x in ("fftw", "fftwf")))


def find_tests(chapters, words, key, bad):
    for _, rows in chapters:
        for row in rows:
            row.test = next((t for t, have in words if any(key(w) in have for w in row.words)), None)
            if row.works and not row.test:
                bad.append(f"no test mentions '{row.name}'")


# --- what the tables claim ---

def exports(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def check_runtime(source, build, rows, bad):
    text = re.sub(r"/\*.*?\*/", "", (source / "include/cuda_runtime_api.h").read_text(), flags=re.S)
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    declared = {m.group(1) for s in text.split(";") if (m := re.search(r"\b(_{0,2}cuda\w+)\s*\(", s))}
    templates = set(re.findall(r"\bcuda\w+", (source / "include/heddle/runtime_templates.h").read_text()))
    exported = exports(build / "lib/libheddle-cudart.so")
    functions = {r.name for r in rows if r.kind != "TEMPLATE"}
    for r in rows:
        if r.kind == "TEMPLATE":
            if r.name not in templates:
                bad.append(f"'{r.name}' is not in runtime_templates.h")
        elif r.name not in exported:
            bad.append(f"'{r.name}' is not exported by libheddle-cudart")
        if r.kind in ("THERE", "IN_PART") and r.name not in declared:
            bad.append(f"'{r.name}' is there, but cuda_runtime_api.h does not declare it")
        if r.kind == "NOT_THERE" and r.name in declared:
            bad.append(f"'{r.name}' is not there, but cuda_runtime_api.h declares it")
    bad += [f"libheddle-cudart exports '{s}', which is not in the table" for s in sorted(exported)
            if s not in functions and not s.startswith("heddle_") and not re.match("cu[A-Z]", s)]
    bad += [f"libheddle exports '{s}', which is not its own" for s in sorted(exports(build / "lib/libheddle.so")) if not s.startswith("heddle_")]


def declared(name):
    """As cublas_api.h's macros have the functions in _64."""
    return name.removesuffix("_64")


def check_library(source, build, library, rows, others, bad):
    """`others`: rows of the other tables of the same shared library."""
    title, soname, _, _, headers, _ = library
    text = "".join(re.sub(r"/\*.*?\*/", "", (source / "include" / h).read_text(), flags=re.S) for h in headers)
    words, exported = set(re.findall(r"\w+", each_type(text))), exports(build / "lib" / soname)
    bad += [f"'{s}' is not exported by {soname}" for r in rows for s in r.symbols if s not in exported]
    bad += [f"'{r.name}' is there, but no header of {title} declares it" for r in rows if r.works and len(r.words) == 1 and declared(r.name) not in words]
    bad += [f"'{r.name}' is not there, but a header of {title} declares it" for r in rows if not r.works and r.name in words]
    bad += [f"{soname} exports '{s}', which is not in the table" for s in sorted(exported - {s for r in rows + others for s in r.symbols} - {soname})]


def check_driver(source, build, rows, bad):
    """cuda.h makes its declarations of the same tables."""
    symbols = (source / "include/heddle/driver_symbols.def").read_text()
    wanted = {r.name for r in rows} | set(re.findall(r"^CU_(?:SAME|OLD)\((\w+)", symbols, flags=re.M)) | {"cuGetProcAddress_v2_ptsz"}
    wanted |= {f"{n}_{suffix}" for n, suffix in re.findall(r"^CU_ON_STREAM\((\w+), (\w+)", symbols, flags=re.M)}
    exported = {s for s in exports(build / "lib/libheddle-cudart.so") if re.match("cu[A-Z]", s)}
    bad += [f"'{s}' is not exported by libheddle-cudart" for s in sorted(wanted - exported)]
    bad += [f"libheddle-cudart exports '{s}', which is in no table" for s in sorted(exported - wanted)]


def check_device(build, rows, bad):
    """Asks the compiler, with a using declaration in a line of its own for each name."""
    headers = ("cuda_fp16.h", "cuda_bf16.h", "cuda_pipeline.h", "cooperative_groups.h",
               "cooperative_groups/reduce.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
               "cuda_awbarrier_primitives.h")
    lines = [f"#if __has_include(<{h}>)\n#include <{h}>\n#endif" for h in headers]
    line, at = 3 * len(headers) + 1, {}
    for r in rows:
        lines.append(f"#ifndef {r.name.split(':')[-1]}\nnamespace name_{line} {{ using {'' if ':' in r.name else '::'}{r.name}; }}\n#endif")
        at[line + 1] = r
        line += 3
    with tempfile.TemporaryDirectory() as folder:
        probe = pathlib.Path(folder) / "names.cu"
        probe.write_text("\n".join(lines) + "\n")
        dry = subprocess.run([build / "bin/heddle", "build", "-c", "-dryrun", "-o", probe.with_suffix(".o"), probe],
                             capture_output=True, text=True, check=True)
        command = next(c for c in (dry.stdout + dry.stderr).split("\n") if "--cuda-device-only" in c).split(": ", 1)[1]
        words = shlex.split(command)
        words = words[:words.index("-S")] + ["-fsyntax-only", "-ferror-limit=0", str(probe)]
        said = subprocess.run(words, capture_output=True, text=True).stderr
    errors = [int(m.group(1)) for m in re.finditer(r"names\.cu:(\d+):\d+: (?:fatal )?error", said)]
    if any(e not in at for e in errors) or not errors:
        bad.append("the compiler says something else about the device functions:\n" + said[:2000])
    for number, r in at.items():
        if (number in errors) != (r.kind == "NOT_THERE"):
            bad.append(f"'{r.name}' is {STATES[r.kind]} in the table, but the compiler {'does not know' if number in errors else 'knows'} it")


def check_ptx(source, rows, bad):
    """Says of each instruction whether it is there: does the first word of a row of the table name it?"""
    have = set(re.findall(r'^OP\(\w+, "(\w+)"', (source / "src/ptx/ptx_ops.def").read_text(), flags=re.M))
    for r in rows:
        if r.kind == "INSTRUCTION":
            r.kind = "THERE" if r.name in have else "NOT_THERE"
    bad += [f"ptx_isa.def says that '{r.name}' is there in part, ptx_ops.def has no row" for r in rows if r.kind == "IN_PART" and r.name not in have]
    bad += [f"ptx_ops.def has a row for '{n}', which ptx_isa.def lacks" for n in sorted(have - {r.name for r in rows})]


# --- the page ---

def cell(names):
    return ", ".join(f"`{n}`" for n in names)


def table(rows, what):
    """Rows of one state and test go together; what is in part stands alone."""
    out, groups = [f"| {what} | state | test |", "|---|---|---|"], {}
    for r in rows:
        groups.setdefault((r.kind, r.name if r.kind == "IN_PART" else r.works and r.test), []).append(r)
    for members in groups.values():
        r = members[0]
        text = f"in part: {r.note}" if r.kind == "IN_PART" else STATES[r.kind]
        if r.kind == "REFUSED":
            text += ": the kernel is refused"
        out.append(f"| {cell([m.name for m in members])} | {text} | {r.test if r.works else ''} |")
    return out


def summary(chapters):
    rows = [r for _, rows in chapters for r in rows]
    n = {s: sum(STATES[r.kind] == s for r in rows) for s in STATES.values()}
    return f"{len(rows)}: {n['there']} there, {n['in part']} in part, {n['not there']} not."


def page(runtime, device, ptx, libraries):
    out = ["# What is there, and what is not", "",
           "Made by `tools/support.py` from `include/heddle/runtime_functions.def`, `include/heddle/device_functions.def`,",
           "`src/ptx/ptx_isa.def` and the tables of the libraries: do not edit. The test `docs.support` checks that the tables are true: against the headers, the",
           "library, the compiler and the table of instructions. The test in the last column exercises what stands beside it.", "",
           "## Runtime functions", "",
           "A function that is not there answers `cudaErrorNotSupported` and says its name once on stderr (test",
           "`unit.runtime_missing`, all of them). " + summary(runtime)]
    for title, rows in runtime:
        out += ["", f"### {title}", ""] + table(rows, "function")
    out += ["", "## Device functions", "",
            "A function that is not there is not declared, or the kernel that calls it is refused by name at its launch; the other",
            "kernels run. More about printed text, assertions and the heap: [device-functions.md](device-functions.md), about the",
            "accuracy of mathematics: [math.md](../math.md). " + summary(device)]
    for title, rows in device:
        out += ["", f"### {title}", ""] + table(rows, "function")
    out += ["", "## PTX instructions", "",
            "Types and modifiers of each: [ptx-instructions.md](ptx-instructions.md). A kernel that holds an instruction that is not",
            "there is refused by name at its launch; the other kernels of the module run. " + summary(ptx)]
    for title, rows in ptx:
        out += ["", f"### {title}", ""] + table(rows, "instruction")
    for (title, _, table_file, _, _, answer), chapters in libraries:
        out += ["", f"## {title}", "", f"From `include/heddle/{table_file}`. A function that is not there answers `{answer}` and says its name once on",
                "stderr. " + summary(chapters)]
        for chapter, rows in chapters:
            out += ["", f"### {title}: {chapter.lower()}", ""] + table(rows, "function")
    return "\n".join(out) + "\n"


def driver_page(driver):
    out = ["# The driver interface: what is there, and what is not", "",
           "Made by `tools/support.py` from `include/heddle/driver_functions.def`: do not edit. The test `docs.support` checks it. How it",
           "stands on the runtime: [runtime.md](../runtime.md#the-driver-interface). Names are symbols: programs write `cuMemAlloc` for",
           "`cuMemAlloc_v2`. A function that is not there answers `CUDA_ERROR_NOT_SUPPORTED` and says its name once on stderr (test",
           "`unit.driver_missing`, all of them). " + summary(driver)]
    for title, rows in driver:
        out += ["", f"## {title}", ""] + table(rows, "function")
    return "\n".join(out) + "\n"


def main():
    source, build = [pathlib.Path(a).resolve() for a in sys.argv[1:] if a != "--write"]
    bad = []
    runtime = read(source / "include/heddle/runtime_functions.def", "CHAPTER", "CUDA_")
    driver = read(source / "include/heddle/driver_functions.def", "CHAPTER", "CU_")
    device = read(source / "include/heddle/device_functions.def", "CHAPTER", "CUDA_")
    ptx = read(source / "src/ptx/ptx_isa.def", "SECTION")
    check_runtime(source, build, [r for _, rows in runtime for r in rows], bad)
    check_driver(source, build, [r for _, rows in driver for r in rows], bad)
    check_device(build, [r for _, rows in device for r in rows], bad)
    check_ptx(source, [r for _, rows in ptx for r in rows], bad)
    libraries = [(lib, read(source / "include/heddle" / lib[2], "CHAPTER", lib[3])) for lib in LIBRARIES]
    for lib, chapters in libraries:
        if lib[0] == "cuSOLVER":
            chapters += read_routines(source / "include/heddle/cusolver_routines.def", "cusolverDn")
        if lib[0] == "cuBLAS":
            for row in (r for _, rows in chapters for r in rows):
                row.words = [re.sub("(_v2)?(_64)?$", "", row.name)]
            chapters += read_routines(source / "include/heddle/cublas_routines.def", "cublas")
    library_words = words_of(source, LIBRARY_TESTS, r"\w+")
    for lib, chapters in libraries:
        others = [r for other, theirs in libraries if other[1] == lib[1] and other is not lib for _, rows in theirs for r in rows]
        check_library(source, build, lib, [r for _, rows in chapters for r in rows], others, bad)
        find_tests(chapters, library_words, lambda n: n, bad)
    words = words_of(source, TESTS, r"\w+")
    find_tests(runtime, words, lambda n: n, bad)
    find_tests(driver, words_of(source, DRIVER_TESTS, r"\w+"), lambda n: re.sub(r"_v\d$", "", n), bad)
    find_tests(device, words, lambda n: n.split(":")[-1], bad)
    find_tests(ptx, words_of(source, PTX_TESTS, r"(?<![\w.%$])([a-z]\w+)(?=\.[a-zA-Z]|;|\\t| |\")"), lambda n: n, bad)
    # read, not asked for: a second ctest in one build folder may wait for the first
    listed = {m.group(1) for p in build.glob("**/CTestTestfile.cmake")
              for m in re.finditer(r"^add_test\((?:\[=*\[)?\"?([\w.]+)", p.read_text(), flags=re.M)}
    bad += [f"there is no test '{t}'" for t in sorted({r.test for chapters in (runtime, driver, device, ptx, *(c for _, c in libraries))
                                                       for _, rows in chapters for r in rows if r.works and r.test} - listed)]
    for text, name in ((page(runtime, device, ptx, libraries), "support.md"), (driver_page(driver), "driver.md")):
        doc = source / "docs/reference" / name
        if "--write" in sys.argv:
            doc.write_text(text)
        elif not doc.exists() or doc.read_text() != text:
            bad.append(f"docs/reference/{name} is not what the tables say: run tools/support.py --write SOURCE BUILD")
    for b in bad:
        print(b, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
