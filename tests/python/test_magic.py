"""%%heddle in IPython."""
import io
import unittest
from contextlib import redirect_stderr, redirect_stdout

import numpy as np

import heddle
from sources import PROGRAM, SAXPY

try:
    from IPython.core.interactiveshell import InteractiveShell
except ImportError:
    InteractiveShell = None


@unittest.skipUnless(InteractiveShell, "IPython is not there (Debian's package python3-ipython)")
class Magic(unittest.TestCase):
    def setUp(self):
        self.shell = InteractiveShell.instance()
        self.shell.run_line_magic("load_ext" if "heddle" not in self.shell.extension_manager.loaded else "reload_ext", "heddle")

    def cell(self, line, text):
        """What a cell writes to stdout and stderr."""
        said, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(complained):
            self.shell.run_cell_magic("heddle", line, text)
        return said.getvalue(), complained.getvalue()

    def test_run(self):
        self.assertEqual(self.cell("", PROGRAM), ("ran 256\n", ""))
        self.assertEqual(self.cell("run -O3 -- 100 5", PROGRAM.rstrip("\n")), ("ran 100\n", "heddle run: status 5\n"))
        self.assertEqual(self.cell("run --into done -- 7 5", PROGRAM), ("ran 7\n", ""))
        self.assertEqual(self.shell.user_ns["done"].status, 5)

    def test_profile(self):
        said, complained = self.cell("profile -k saxpy --page raw --metrics gld_efficiency", PROGRAM)
        self.assertRegex(said, r"(?s)^ran 256\n.*saxpy\(int, float.*gld_efficiency +% +100")
        self.assertNotIn("gst_efficiency", said)
        self.assertEqual(complained, "")
        self.assertEqual(self.cell("profile --device v100 --into p", PROGRAM), ("ran 256\n", ""))
        self.assertEqual(self.shell.user_ns["p"][0]["gld_efficiency"], 100)
        self.assertIn("V100", self.shell.user_ns["p"][0].device)

    def test_check(self):
        said, _ = self.cell("check --tool memcheck", PROGRAM.replace("1024", "1020"))
        self.assertRegex(said, r"(?s)^ran 256\n=+ HEDDLE CHECK\n.* in cell.cu:6\n.*ERROR SUMMARY: 3 errors")
        self.assertEqual(self.cell("check --into c", PROGRAM), ("ran 256\n", ""))
        self.assertEqual(self.shell.user_ns["c"], [])

    def test_compile(self):
        self.assertEqual(self.cell("compile --into module -DN=3", SAXPY + "__global__ void f(int *p) { *p = N; }\n"), ("", ""))
        out = np.zeros(1, np.int32)
        self.shell.user_ns["module"]["f"][1, 1](out)
        self.assertEqual(out[0], 3)

    def test_what_is_wrong_is_told_in_words(self):
        for line, text, said in [("run", "int main() { return x; }", r"^cell.cu:1:21: error: use of undeclared"),
                                 ("compile --into m", "__global__ void f() { x; }", r"^cell.cu:1:23: error: "),
                                 ("compile", SAXPY, r"compile: --into NAME is needed"),
                                 ("nonsense", SAXPY, r"'nonsense' is none of run, profile, check, compile"),
                                 ("run --into 3", SAXPY, r"--into needs the name"),
                                 ("run 'open", SAXPY, r"No closing quotation"),
                                 ("profile --metrixx", PROGRAM, r"unknown flag '--metrixx'")]:
            with self.subTest(line):
                out, complained = self.cell(line, text)
                self.assertRegex(complained, said)
                self.assertEqual((out, "Traceback" in complained), ("", False))


if __name__ == "__main__":
    unittest.main()
