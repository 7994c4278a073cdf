#!/usr/bin/env python3
"""Compares the names that a program may use without an include under nvcc with those under Heddle, name by name.

usage: prelude.py HEDDLE                compares Heddle's names with prelude.tsv
       prelude.py HEDDLE --write        takes the reason from names that are there by now
       prelude.py --nvcc NVCC           compares nvcc's names with prelude.tsv; exit status 77 if there is no nvcc 13.0
       prelude.py --nvcc NVCC --write   writes prelude.tsv, and keeps its last column

In: prelude.tsv. `where` is the scope: `global`, `std`, or `macro`. `ours` is empty where Heddle must have the name; else it says why
not. A name is there when `using ::NAME;` or `using std::NAME;` in a file without an include compiles, in both passes; a macro when
#ifdef finds it. Names that begin with an underscore count where one of nvcc's own headers has them, not the C library's.
"""
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "prelude.tsv"
KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl const
constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float for
friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread_local
throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split())
# Names by which nvcc's headers speak among themselves, and its launch interface (tests of Heddle's own launches have that).
INTERNAL = re.compile(r"__(cuda(?!Get)|nv_(?!bfloat|half)|NV|builtin|device_stub|internal|float_simd|half_simd|.*_H__?$|.*_HPP__?$)|_[A-Z]|__[A-Z].*_$")
SCOPES = {"global": "namespace heddle_asks { using ::%s; }", "std": "namespace heddle_asks { using std::%s; }",
          "macro": "#ifndef %s\n#error not there\n#endif"}


def source(rows):
    """A program that asks for each row, and {its line: row}."""
    text, lines = [], {}
    for where, name in rows:
        text += (SCOPES[where] % name).split("\n")
        lines[len(text) - (1 if where == "macro" else 0)] = (where, name)
    return "\n".join(text) + "\n", lines


def refused(command, rows):
    """Those of the rows that a compiler does not have. It may stop after some errors: the others are asked for again."""
    text, lines = source(rows)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "asks.cu").write_text(text)
        run = subprocess.run([*command, "asks.cu", "-o", "asks.out"], cwd=folder, capture_output=True, text=True)
    found = {lines[int(n)] for n in re.findall(r"^asks\.cu[:(](\d+)\)?:.*?error", run.stderr, re.M) if int(n) in lines}
    if not found and run.returncode:
        sys.exit(run.stderr)
    return found | refused(command, [row for row in rows if row not in found]) if found else found


def table():
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def names_of(nvcc):
    """{(where, name)} that nvcc has."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.cu"
        empty.write_text("\n")
        text = subprocess.run([nvcc, "-E", empty], check=True, capture_output=True, text=True).stdout
        macros = subprocess.run([nvcc, "-E", "-Xcompiler", "-dM", empty], check=True, capture_output=True, text=True).stdout
    candidates, own, inside = set(), set(), False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            inside = "/cuda" in marker.group(1) or "/targets/" in marker.group(1)
            continue
        words = set(re.findall(r"\b[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", line)))
        candidates |= words
        if inside:
            own |= words
    candidates = {n for n in candidates - KEYWORDS if n[0] != "_" or (n in own and not INTERNAL.match(n))}
    rows = {(where, n) for n in candidates for where in ("global", "std") if where == "global" or n[0] != "_"}
    command = [nvcc, "-cuda", "-Xcudafe", "--error_limit=1000000"]
    there = rows - refused(command, sorted(rows))
    there = {r for r in there if r[1] not in ("std", "heddle_asks")}
    defined = re.findall(r"^#define ([A-Za-z]\w*)", macros, re.M)
    return there | {("macro", n) for n in defined if not INTERNAL.match(n)}


def write(rows):
    """rows: {(where, name): why Heddle does not have it, or ""}"""
    with TABLE.open("w") as f:
        f.write("# What a program has without an include under nvcc 13.0 with g++ 12. Made by `prelude.py --nvcc nvcc --write`,\n"
                "# but for the last column, which says why Heddle does not have the name.\n")
        f.write("where\tname\tours\n")
        for row, why in sorted(rows.items()):
            f.write("%s\t%s\t%s\n" % (*row, why))


def main():
    failures = 0
    rows = {(r["where"], r["name"]): r["ours"] for r in table()} if TABLE.exists() else {}
    if sys.argv[1] == "--nvcc":
        nvcc = shutil.which(sys.argv[2])
        if not nvcc or "release 13.0" not in subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout:
            print("nvcc 13.0 is not here")
            sys.exit(77)
        if sys.argv[3:] == ["--write"]:
            return write({row: rows.get(row, "") for row in names_of(nvcc)})
        for row in sorted(rows.keys() ^ names_of(nvcc)):
            print("FAILED: %s %s: %s" % (*row, "nvcc has it, the table has not" if row in there else "nvcc does not have it"))
            failures += 1
    else:
        command = [sys.argv[1], "build", "-c", "-Xcompiler", "-ferror-limit=0"]
        missing = refused(command, sorted(rows))
        # a macro there may be a type or a function here
        macros = {("global", name): (where, name) for where, name in missing if where == "macro"}
        missing -= {macros[row] for row in macros.keys() - refused(command, sorted(macros))}
        if sys.argv[2:] == ["--write"]:
            return write({row: why if row in missing else "" for row, why in rows.items()})
        for row, why in sorted(rows.items()):
            if (row in missing) != bool(why):
                print("FAILED: %s %s: %s" % (*row, "not there" if row in missing else "there (see --write), but the table says: " + why))
                failures += 1
    print("%d names, %d failures" % (len(rows), failures))
    sys.exit(failures != 0)


main()
