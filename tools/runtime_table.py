#!/usr/bin/env python3
"""Keeps the table of entry points in docs/runtime.md true, and libheddle.so's exports clean.

usage: runtime_table.py HEADER LIBRARY DOC SOURCES [--write]

Declared: what HEADER (include/cuda_runtime_api.h) declares. Exported: what `nm -D` says of LIBRARY. The table lists
every declared function with the file that defines it, and by name those that are declared but missing. Without --write
the table in DOC must be the same, nothing but heddle_*, cuda* and __cuda* may be exported, and every exported CUDA
function must be declared; else the exit status is 1."""
import pathlib
import re
import subprocess
import sys

BEGIN, END = "<!-- entry points: tools/runtime_table.py --write -->", "<!-- end of entry points -->"
CHAPTERS = {"device.c": "Device management", "error.c": "Error handling", "stream.c": "Stream management",
            "event.c": "Event management", "execution.c": "Execution control", "occupancy.c": "Occupancy",
            "memory.c": "Memory: allocation", "copy.c": "Memory: copies, fills, symbols", "texture.c": "Arrays and texture objects",
            "module.c": "Embedded device code", "version.c": "Version management"}
NAME = r"\b(_{0,2}cuda\w+)\s*\("


def declared(header):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    names = [m.group(1) for s in text.split(";") if (m := re.search(NAME, s))]
    return list(dict.fromkeys(names))


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def table(names, have, sources):
    where = {}
    for path in sorted(sources.glob("*.c")):
        for m in re.finditer(r"^(?:\w[\w \*]*?)\b\**(_{0,2}cuda\w+)\(", path.read_text(), flags=re.M):
            where.setdefault(m.group(1), path.name)
    rows = ["| Chapter | File | Entry points |", "|---|---|---|"]
    for file, chapter in CHAPTERS.items():
        here = sorted(n for n in names if n in have and where.get(n) == file)
        if here:
            rows.append(f"| {chapter} | {file} | {', '.join(here)} |")
    lost = [n for n in names if n in have and where.get(n) not in CHAPTERS]
    missing = [n for n in names if n not in have]
    rows += ["", f"{len(names) - len(missing)} entry points. Declared but missing: "
             + (", ".join(missing) if missing else "none") + "."]
    return "\n".join(rows), lost


def main():
    write = "--write" in sys.argv
    header, library, doc, sources = [pathlib.Path(a) for a in sys.argv[1:] if a != "--write"]
    names, have, bad = declared(header), exported(library), []
    text, lost = table(names, have, sources)
    bad += [f"{library.name} exports '{s}', which is no part of its interface" for s in sorted(have)
            if not re.match(r"heddle_|cuda|__cuda", s)]
    bad += [f"{library.name} exports '{s}', which {header.name} does not declare" for s in sorted(have)
            if s not in names and not s.startswith("heddle_")]
    bad += [f"'{n}' is defined in a file that tools/runtime_table.py does not know as a chapter" for n in lost]
    old = doc.read_text()
    if len(names) < 100:
        bad.append(f"only {len(names)} declarations found in {header}: the reader of the header is broken")
    head, rest = old.split(BEGIN)
    new = head + BEGIN + "\n" + text + "\n" + END + rest.split(END)[1]
    if write:
        doc.write_text(new)
    elif new != old:
        bad.append(f"the table in {doc} is out of date: run tools/runtime_table.py ... --write")
    for b in bad:
        print(b, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
