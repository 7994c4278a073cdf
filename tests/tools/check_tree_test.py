"""Tests of tools/check_includes.py and tools/check_tree.py over small source trees with one planted fault each."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

CMAKE = """
# add_subdirectory(src/commented_out)
foreach(room base middle late)
  add_subdirectory(src/${room})
endforeach()
target_sources(engine PRIVATE src/engine.c)
add_subdirectory(src/cli)
"""
HEAD = "/* What this file is. */\n"
FILES = {
    "CMakeLists.txt": CMAKE,
    "README.md": "# Part\n",
    "docs/install.md": "| `g++` | compiler |\n| `bin/x` | a path |\n",
    "docs/tour.md": "".join(f"[{room}](../src/{room}/README.md)\n" for room in ("base", "middle", "late", "engine", "cli")),
    "src/base/README.md": "`a.h`\n",
    "src/middle/README.md": "`m.h`\n",
    "src/late/README.md": "`l.c`\n",
    "src/engine/README.md": "`../engine.c`, `../engine.h`, `private.h`\n",
    "src/cli/README.md": "`main.c`\n",
    "tools/packages.txt": "# a comment\ng++ | g++ --version | compiler\n",
    "src/base/a.h": HEAD,
    "src/base/a.c": HEAD + '#include "base/a.h"\n#include <stdio.h>\n',
    "src/middle/m.h": HEAD + '#include "base/a.h"\n',
    "src/middle/m.c": HEAD + '#include "m.h"\n#include "public.h"\n',
    "src/late/l.c": HEAD + '#include "middle/m.h"\n',
    "src/engine.h": HEAD,
    "src/engine.c": HEAD + '#include "engine.h"\n#include "engine/private.h"\n#include "middle/m.h"\n',
    "src/engine/private.h": HEAD,
    "src/cli/main.c": HEAD + '#include "engine.h"\n',
}


class Tree(unittest.TestCase):
    def run_tool(self, tool, changes=(), *options):
        """(exit code, stdout, stderr) of a tool over the sound tree with some files replaced."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**FILES, **dict(changes)}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = subprocess.run([sys.executable, str(TOOLS / tool), *options, folder], capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

    def test_sound_tree(self):
        code, out, err = self.run_tool("check_includes.py")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.splitlines(), ["base    includes  (nobody)", "middle  includes  base",
                                            "late    includes  middle", "engine  includes  middle",
                                            "cli     includes  engine"])
        self.assertEqual(self.run_tool("check_tree.py"), (0, "", ""))

    def test_dot(self):
        code, out, _ = self.run_tool("check_includes.py", (), "--dot")
        self.assertEqual(code, 0)
        self.assertIn('"middle" -> "base" [label=1];', out)
        self.assertNotIn('"cli" -> "base"', out)

    def test_cycle(self):
        code, _, err = self.run_tool("check_includes.py", {"src/base/a.h": HEAD + '#include "middle/m.h"\n'})
        self.assertEqual(code, 1)
        self.assertEqual(err.splitlines(),
                         ['error: src/base/a.h:2: room base includes "middle/m.h" of the later room middle',
                          "error: rooms include each other in a circle: base -> middle -> base"])

    def test_long_cycle(self):
        code, _, err = self.run_tool("check_includes.py", {"src/base/b.h": HEAD + '  #  include "../late/l.c"\n'})
        self.assertEqual(code, 1)
        self.assertIn("circle: base -> late -> middle -> base", err)

    def test_later_room_without_cycle(self):
        code, _, err = self.run_tool("check_includes.py", {"src/late/l.c": HEAD + '\n#include "engine.h"\n'})
        self.assertEqual(code, 1)
        self.assertEqual(err, 'error: src/late/l.c:3: room late includes "engine.h" of the later room engine\n')

    def test_unknown_room(self):
        code, _, err = self.run_tool("check_includes.py", {"src/commented_out/x.c": HEAD})
        self.assertEqual(code, 1)
        self.assertIn("src/commented_out: this room is missing from the order", err)

    def test_no_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, str(TOOLS / "check_includes.py"), folder], capture_output=True)
            self.assertEqual(done.returncode, 2)

    def test_head_comment(self):
        code, _, err = self.run_tool("check_tree.py", {"src/base/a.c": "int a;\n"})
        self.assertEqual((code, err), (1, "src/base/a.c:1: no comment at the head that says what this file is\n"))

    def test_long_file(self):
        self.assertEqual(self.run_tool("check_tree.py", {"src/base/a.c": HEAD + "\n" * 1499})[0], 0)
        code, _, err = self.run_tool("check_tree.py", {"src/base/a.c": HEAD + "\n" * 1500})
        self.assertEqual((code, err), (1, "src/base/a.c:1500: this file has 1501 lines: look for a seam\n"))

    def test_machine_path(self):
        place = "/ho" + "me/someone/"
        code, _, err = self.run_tool("check_tree.py", {"docs/x.md": f"one\nsee {place}x\n"})
        self.assertEqual((code, err), (1, f"docs/x.md:2: names a folder of one machine: '{place}'\n"))
        self.assertEqual(self.run_tool("check_tree.py", {"docs/x.md": "a net" + "/wo" + "rk/ of words\n"})[0], 0)

    def test_outside(self):
        for place in ("../sha" + "red/truth", "${CMAKE_SOURCE_" + "DIR}/../data"):
            code, _, err = self.run_tool("check_tree.py", {"tests/x.cmake": f"\nset(d {place}/x)\n"})
            self.assertEqual((code, err), (1, f"tests/x.cmake:2: leads out of the tree: '{place.rsplit('/', 1)[0]}'\n"))
        self.assertEqual(self.run_tool("check_tree.py", {"docs/x.md": "[up](../README.md)\n"})[0], 0)

    def test_copies(self):
        text = "the same words\n" * 20
        self.assertEqual(self.run_tool("check_tree.py", {"tests/a.ptx": text, "tests/b.ptx": text + "\n"})[0], 0)
        code, _, err = self.run_tool("check_tree.py", {"tests/a.ptx": text, "tests/b.ptx": text})
        self.assertEqual((code, err), (1, "tests/b.ptx:1: has the same bytes as 'tests/a.ptx'\n"))

    def test_links(self):
        text = "[one](../README.md#part) `src/base/a.c` `tools/check X` `docs/NAME.json`\n[two](two.md) `src/base/b.c`\n"
        code, _, err = self.run_tool("check_tree.py", {"docs/x.md": text, "docs/NAME.json": "{}"})
        self.assertEqual(code, 1)
        self.assertEqual(err.splitlines(), ["docs/x.md:2: leads to 'docs/two.md', which is not there",
                                            "docs/x.md:2: leads to 'src/base/b.c', which is not there"])

    def test_anchors(self):
        pages = {"docs/two.md": "# Two words, `a.b`\n```\n# no heading\n```\n## A [link](x)\n",
                 "docs/x": "x", "docs/x.md": "# Own\n[a](two.md#two-words-ab) [b](two.md#a-link) [c](#own)\n[d](two.md#no-heading) [e](#two)\n"}
        code, _, err = self.run_tool("check_tree.py", pages)
        self.assertEqual((code, err.splitlines()), (1, ["docs/x.md:3: leads to '#no-heading', which is no heading of two.md",
                                                        "docs/x.md:3: leads to '#two', which is no heading of x.md"]))

    def test_tour(self):
        code, _, err = self.run_tool("check_tree.py", {"src/base/b.c": HEAD, "src/base/b.def": HEAD, "src/base/a.def": HEAD,
                                                       "src/base/in/m.c": HEAD, "src/late/README.md": "`late/l.c`\n"})
        self.assertEqual((code, err.splitlines()), (1, ["src/base/README.md:1: says nothing of 'a.def'",
                                                        "src/base/README.md:1: says nothing of 'b.c'",
                                                        "src/base/README.md:1: says nothing of 'b.def'",
                                                        "src/base/README.md:1: says nothing of 'in/m.c'",
                                                        "src/late/README.md:1: says nothing of 'l.c'"]))

    def test_tour_leads_to_rooms(self):
        code, _, err = self.run_tool("check_tree.py", {"src/new/n.c": HEAD})
        self.assertEqual((code, err.splitlines()), (1, ["src/new/README.md:1: says nothing of 'n.c'",
                                                        "docs/tour.md:1: does not lead to 'src/new/README.md'"]))

    def test_dependencies(self):
        code, _, err = self.run_tool("check_tree.py", {"docs/install.md": "| `cmake` | build |\n"})
        self.assertEqual(code, 1)
        self.assertEqual(len(err.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
