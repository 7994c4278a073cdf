"""Tests of tests/docs/blocks.py over pages with a fault each."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BLOCKS = Path(__file__).resolve().parent / "blocks.py"


class Pages(unittest.TestCase):
    def run_page(self, text, update=False):
        """(exit status, what was printed, the page afterwards)"""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "tree"
            (root / "tests/docs/files").mkdir(parents=True)
            (root / "tests/bad").mkdir()
            (root / "tests/docs/files/three").write_text("one 1\ntwo 22\nthree\n")
            (Path(folder) / "built/bin").mkdir(parents=True)
            (root / "page.md").write_text(text)
            done = subprocess.run([sys.executable, str(BLOCKS), f"{folder}/built/bin/heddle", str(root), "page.md"], text=True,
                                  capture_output=True, env={**os.environ, "UPDATE": "1" if update else "0"})
            return done.returncode, done.stdout, (root / "page.md").read_text()

    def good(self, text):
        status, printed, _ = self.run_page(text)
        self.assertEqual((status, printed[-9:]), (0, "0 errors\n"), printed)

    def bad(self, text, says):
        status, printed, _ = self.run_page(text)
        self.assertEqual(status, 1)
        self.assertIn(says, printed)

    def test_transcripts(self):
        self.good("a\n```\n$ cat three\none 1\ntwo 22\nthree\n$ echo b\nb\n```\n")
        self.good("```\n$ cat three\n...\ntwo ...2\n...\n```\n")
        self.bad("x\n\n```\n$ cat three\none 1\ntwo 23\nthree\n```\n", "page.md:4: 'cat three': the page has\n  two 23\nwhere is printed\n  two 22\n")
        self.bad("```\n$ cat three\none 1\nthree\n```\n", "where is printed\n  two 22")
        self.bad("```\n$ cat three\none 1\n```\n", "the page has\n  (the end)")
        self.bad("```\n$ cat three\none 1\ntwo 22\nthree\nfour\n```\n", "where is printed\n  (the end)")
        self.bad("```\n$ cat three\n...\nthree\n...\none 1\n```\n", "the page has\n  one 1")

    def test_status(self):
        self.bad("```\n$ false\n```\n", "'false' ends with status 1")
        self.good("```\n$ ! false\n```\n")
        self.bad("```\n$ ! true\n```\n", "ends with status 0")

    def test_markers(self):
        self.good("<!-- prints: cat three -->\n```\none 1\n...\n```\n")
        self.bad("<!-- prints: cat three -->\n```\none 2\n...\n```\n", "one 2")
        self.good("<!-- runs -->\n```\ntest -e three  # a comment\ntest 1 = \\\n  1\n```\n")
        self.bad("<!-- runs -->\n```\ntrue\ntest -e four\n```\n", "'test -e four' ends with status 1")
        self.good("<!-- not run: needs a GPU -->\n```\nnvcc x\n```\n")
        for text in ("```\nnvcc x\n```\n", "<!-- not run: needs a GPU -->\n\n```\nnvcc x\n```\n", "<!-- not run -->\n```\nx\n```\n"):
            self.bad(text, "nothing says why not")
        self.bad("* x\n\n  ```\n  $ true\n  ```\n", "indented")

    def test_sentences(self):
        self.good("Two is 22. <!-- holds: cat three => two 22 -->\n")
        self.bad("Two is 23. <!-- holds: cat three => two 23 -->\n", "does not print 'two 23'")

    def test_update(self):
        page = "```\n$ cat three\none 7\nthree\n```\n"
        self.assertEqual(self.run_page(page, True)[2], "```\n$ cat three\none 1\n...\nthree\n```\n")
        self.assertEqual(self.run_page("```\n$ cat three\nfour 1\n```\n", True)[0], 1)


if __name__ == "__main__":
    unittest.main()
