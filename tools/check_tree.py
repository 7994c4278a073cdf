#!/usr/bin/env python3
"""Checks rules of the house that hold for the files as they lie there, and that docs/install.md names every dependency.

  - every source file under src/ begins with a comment that says what it is;
  - no file under src/ has more than 1500 lines;
  - no tracked file names a folder of somebody's machine (a home directory, a mount) where it should be relative;
  - no tracked file reads beside the tree: what it needs is in it;
  - no two tracked files have the same bytes;
  - a link, or a path in backticks, in a .md file leads to something that is there, a heading of a page included;
  - src/ROOM/README.md names every source file of its room, a .c file by itself or by its header, and docs/tour.md leads to it;
  - docs/install.md's table of packages names exactly those of tools/packages.txt.

What goes out: one line per breach, "file:line: what"; exit code 1 if there is any. In a tree without git (an unpacked
archive) the files are found by walking, leaving out build folders.

usage: check_tree.py [ROOT]
"""
import os
import re
import subprocess
import sys
from pathlib import Path

MOST_LINES = 1500
SMALL = 100  # bytes: two files may be equal
SOURCES = (".c", ".h", ".def", ".cc", ".cpp")
# Written in pieces, so that this file does not hold what it looks for.
MACHINE = re.compile(r"(?<![\w.$}])/(?:wo" r"rk|ro" r"ot|ho" r"me/\w+)/")
OUTSIDE = re.compile(r"(?:\.\./sha" r"red|\$\{\w*SOURCE_DIR\}/\.\.)(?=/)")
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#:\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.M)
PATH = re.compile(r"`((?:src|include|tools|tests|examples|devices|docs|bench)/[\w./-]*\w/?)`")


def tracked(root):
    try:
        out = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z"],
                             check=True, capture_output=True).stdout
        return sorted(root / name for name in out.decode().split("\0") if name)
    except (OSError, subprocess.CalledProcessError):
        return sorted(p for p in root.rglob("*")
                      if not any(part.startswith((".git", "build")) for part in p.relative_to(root).parts))


def check_source(path, name, text):
    lines = text.count("\n")
    if lines > MOST_LINES:
        yield f"{name}:{MOST_LINES}: this file has {lines} lines: look for a seam"
    if not text.lstrip().startswith(("/*", "//")):
        yield f"{name}:1: no comment at the head that says what this file is"


def check_paths(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        found = MACHINE.search(line)
        if found:
            yield f"{name}:{number}: names a folder of one machine: '{found.group(0)}'"
        found = OUTSIDE.search(line)
        if found:
            yield f"{name}:{number}: leads out of the tree: '{found.group(0)}'"


def check_links(path, root, name, text):
    for number, line in enumerate(text.split("\n"), 1):
        found = [path.parent / t for t in LINK.findall(line)] + [root / t for t in PATH.findall(line)]
        for target in found:
            if not target.exists():
                yield f"{name}:{number}: leads to '{target.resolve().relative_to(root)}', which is not there"


def anchors(page):
    """What its headings are called in links, as code hosts do it: small letters, hyphens for blanks, no other signs."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(text)]
    return {re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-") for heading in plain}


def check_anchors(path, name, text):
    for number, line in enumerate(text.split("\n"), 1):
        for target, anchor in ANCHOR.findall(line):
            page = path.parent / target if target else path
            if page.suffix == ".md" and page.exists() and anchor not in anchors(page):
                yield f"{name}:{number}: leads to '#{anchor}', which is no heading of {page.name}"


def check_tour(root):
    """A room's page names files by their paths in the room; that of src/engine has those that lie in src/ as well."""
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in SOURCES:
            continue
        room = path.relative_to(root / "src").parts[0]
        room = root / "src" / ("engine" if room == path.name else room)
        page = room / "README.md"
        said = set(re.findall(r"`([\w./]+)`", page.read_text())) if page.exists() else set()
        name = os.path.relpath(path, room)
        names = {name} if path.suffix == ".def" else {name, str(Path(name).with_suffix(".h"))}
        if not said & names:
            yield f"{page.relative_to(root)}:1: says nothing of '{name}'"
    tour = (root / "docs/tour.md").read_text()
    for room in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        if f"](../src/{room.name}/README.md)" not in tour:
            yield f"docs/tour.md:1: does not lead to 'src/{room.name}/README.md'"


def check_packages(root):
    packages = set()
    for line in (root / "tools/packages.txt").read_text().split("\n"):
        line = line.split("#")[0].strip()
        if line:
            packages.add(line.split("|")[0].strip())
    text = (root / "docs/install.md").read_text()
    rows = set(re.findall(r"^\| `([a-z0-9][a-z0-9+.-]*)` \|", text, re.M))  # other tables name paths
    for package in sorted(packages - rows):
        yield f"docs/install.md:1: the table of packages lacks a row '| `{package}` |'"
    for package in sorted(rows - packages):
        yield f"docs/install.md:1: the table of packages names '{package}', which tools/packages.txt lacks"


def check(root):
    errors, seen = [], {}
    for path in tracked(root):
        if not path.is_file() or path.is_symlink():
            continue
        name = str(path.relative_to(root))
        data = path.read_bytes()
        if len(data) > SMALL and seen.setdefault(data, name) != name:
            errors.append(f"{name}:1: has the same bytes as '{seen[data]}'")
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if name.startswith("src/") and path.suffix in SOURCES:
            errors += check_source(path, name, text)
        errors += check_paths(name, text)
        if path.suffix == ".md":
            errors += check_links(path, root, name, text)
            errors += check_anchors(path, name, text)
    errors += check_tour(root)
    errors += check_packages(root)
    return errors


def main(words):
    if len(words) > 1 or any(w.startswith("-") for w in words):
        print(__doc__.splitlines()[-1], file=sys.stderr)
        return 2
    root = (Path(words[0]) if words else Path(__file__).resolve().parent.parent).resolve()
    errors = check(root)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
