#!/usr/bin/env python3
"""Draws the graph of includes between the rooms of src/ and fails on an include that goes against the data's way.

What comes in: a source tree (default: the one this script lies in). The order of the rooms is read from the root's
CMakeLists.txt: the list of its foreach(room ...), then the glue (src/engine.c, src/engine.h and src/engine/), then the
rooms it adds one by one. What goes out: the graph as text, or with --dot for graphviz; exit code 1 if a file includes
a later room, if rooms include each other in a circle, or if a folder of src/ is missing from the order.

An include in quotes is looked up as the compiler does: beside the file, then in src/. Includes that are found in
neither (the public headers in include/, the system's) are no edges.

usage: check_includes.py [--dot] [ROOT]
"""
import re
import sys
from pathlib import Path

GLUE = "engine"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def room_order(root):
    text = (root / "CMakeLists.txt").read_text()
    text = re.sub(r"#.*", "", text)
    order = []
    found = re.search(r"foreach\(\s*room\s+([\w\s]+)\)", text)
    if found:
        order += found.group(1).split()
    order.append(GLUE)
    order += re.findall(r"add_subdirectory\(\s*src/(\w+)\s*\)", text)
    return order


def room_of(path, src):
    """The room a file of src/ belongs to; files directly in src/ are the glue."""
    parts = path.relative_to(src).parts
    return parts[0] if len(parts) > 1 else GLUE


def read_graph(src):
    """{(from room, to room): [(file, line number, included)]}, without edges inside a room."""
    edges = {}
    for path in sorted(p for p in src.rglob("*") if p.suffix in (".c", ".h", ".def", ".cc", ".cpp")):
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            name = match.group(1)
            target = next((t for t in (path.parent / name, src / name) if t.is_file()), None)
            if target is None:
                continue
            target = target.resolve()
            if src not in target.parents:
                continue
            edge = room_of(path, src), room_of(target, src)
            if edge[0] != edge[1]:
                line = text.count("\n", 0, match.start(1)) + 1
                edges.setdefault(edge, []).append((path.relative_to(src.parent), line, name))
    return edges


def find_cycle(edges):
    """A list of rooms, the first one again at its end; or None."""
    after = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    done, way = set(), []

    def walk(room):
        if room in way:
            return way[way.index(room):] + [room]
        if room in done:
            return None
        way.append(room)
        for b in sorted(after.get(room, [])):
            cycle = walk(b)
            if cycle:
                return cycle
        way.pop()
        done.add(room)
        return None

    for room in sorted(after):
        cycle = walk(room)
        if cycle:
            return cycle
    return None


def check(root):
    """(order, edges, errors) of a source tree."""
    src = (root / "src").resolve()
    order = room_order(root)
    edges = read_graph(src)
    errors = []
    for folder in sorted(p.name for p in src.iterdir() if p.is_dir()):
        if folder not in order:
            errors.append(f"src/{folder}: this room is missing from the order in CMakeLists.txt")
    place = {room: n for n, room in enumerate(order)}
    for (a, b), where in sorted(edges.items()):
        if a in place and b in place and place[b] > place[a]:
            for file, line, name in where:
                errors.append(f'{file}:{line}: room {a} includes "{name}" of the later room {b}')
    cycle = find_cycle(edges)
    if cycle:
        errors.append("rooms include each other in a circle: " + " -> ".join(cycle))
    return order, edges, errors


def draw_text(order, edges):
    width = max(len(room) for room in order)
    for room in order:
        uses = [b for b in order if (room, b) in edges]
        print(f"{room:<{width}}  includes  {' '.join(uses) or '(nobody)'}")


def draw_dot(order, edges):
    print("digraph rooms {\n  rankdir=BT;\n  node [shape=box];")
    for room in order:
        print(f'  "{room}";')
    for (a, b), where in sorted(edges.items()):
        print(f'  "{a}" -> "{b}" [label={len(where)}];')
    print("}")


def main(words):
    dot = "--dot" in words
    rest = [w for w in words if w != "--dot"]
    if len(rest) > 1 or any(w.startswith("-") for w in rest):
        print(__doc__.splitlines()[-1], file=sys.stderr)
        return 2
    root = Path(rest[0]) if rest else Path(__file__).resolve().parent.parent
    if not (root / "src").is_dir() or not (root / "CMakeLists.txt").is_file():
        print(f"check_includes: '{root}' is no source tree: it needs src/ and CMakeLists.txt", file=sys.stderr)
        return 2
    order, edges, errors = check(root)
    (draw_dot if dot else draw_text)(order, edges)
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
