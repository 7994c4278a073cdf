"""Whole programs, and what is said where something is missing."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import heddle
from sources import PROGRAM, SAXPY

PACKAGE = os.path.dirname(os.path.dirname(heddle.__file__))


class Programs(unittest.TestCase):
    def test_run(self):
        self.assertEqual(heddle.run(PROGRAM), ("ran 256\n", "", 0))
        self.assertEqual(heddle.run(PROGRAM, 100, 5), ("ran 100\n", "", 5))
        with self.assertRaisesRegex(heddle.CompileError, "^program.cu:1:21: error: use of undeclared"):
            heddle.run("int main() { return x; }\n")
        with self.assertRaisesRegex(heddle.Error, "no such file"):
            heddle.run("nothing.cu")
        with self.assertRaisesRegex(heddle.Error, "no.*'h20x'"):
            heddle.run(PROGRAM, device="h20x")

    def test_profile(self):
        profile = heddle.profile(PROGRAM, 256, 5, device="a100", flags=["-k", "saxpy"])
        self.assertEqual((len(profile), profile.output, profile.status), (1, "ran 256\n", 5))
        self.assertEqual((profile[0].device, profile[0]["gld_efficiency"], profile[0].block), ("NVIDIA A100-SXM4-40GB", 100, (256, 1, 1)))
        self.assertEqual(profile[0].lines()[0]["source"], "y[i] = a * x[i] + y[i];")
        self.assertIn("gld_efficiency", profile.report("--metrics", "gld_efficiency"))
        self.assertEqual(heddle.profile(PROGRAM, flags=["-k", "nothing"]), [])
        with self.assertRaisesRegex(heddle.CompileError, "^mine.cu:1:21: error: use of undeclared"):
            heddle.profile("int main() { return x; }\n", name="mine.cu")
        with self.assertRaisesRegex(heddle.Error, "--metrixx.*did you mean '--metrics'"):
            heddle.profile(PROGRAM, flags=["--metrixx"])

    def test_check(self):
        good, bad = heddle.check(PROGRAM), heddle.check(PROGRAM, 300, flags=["--tool", "memcheck"])
        self.assertEqual((good, good.status, good.output), ([], 0, "ran 256\n"))
        self.assertIn("0 errors", good.report)
        self.assertEqual(bad, [])  # of 256 threads none goes further
        wrong = heddle.check(PROGRAM.replace("1024", "1020"))
        self.assertEqual([(f["kind"], f["at"]["line"], f["count"]) for f in wrong], [("out-of-bounds", 6, 2), ("out-of-bounds", 6, 1)])
        self.assertEqual(wrong.status, 1)
        self.assertIn("program.cu:6", str(wrong))
        with self.assertRaisesRegex(heddle.Error, "'nix' is not TOOL"):
            heddle.check(PROGRAM, flags=["--tool", "nix"])

    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory() as folder:
            self.python("import heddle; heddle.profile(open(0).read()); heddle.check('int main() {}\\n')", TMPDIR=folder, stdin=PROGRAM)
            self.assertEqual([name for name in os.listdir(folder) if "python" in name], [])

    # --- what is missing ---

    def python(self, script, stdin="", status=0, **environment):
        """stderr of a Python of its own."""
        done = subprocess.run([sys.executable, "-c", script], input=stdin, env={**os.environ, "PYTHONPATH": PACKAGE, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def test_no_library(self):
        said = self.python("import heddle; heddle.device()", status=1, HEDDLE_ROOT="/nowhere")
        self.assertTrue(said.endswith("Error: HEDDLE_ROOT is '/nowhere': there is no bin/heddle with libheddle.so\n"), said)
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(PACKAGE, "heddle"), os.path.join(folder, "linked"))
            subprocess.run(["cp", "-r", os.path.join(PACKAGE, "heddle"), folder], check=True)
            said = self.python("import heddle; heddle.device()", status=1, HEDDLE_ROOT="", PATH="/usr/bin:/bin", PYTHONPATH=folder)
            self.assertRegex(said, r"Error: cannot find Heddle \(libheddle.so and the command 'heddle'\): set HEDDLE_ROOT .*or PATH")
            root = os.environ["HEDDLE_ROOT"]
            self.python("import heddle; heddle.device()", HEDDLE_ROOT="", PATH=f"{root}/bin:/usr/bin:/bin", PYTHONPATH=folder)
            os.makedirs(os.path.join(folder, "bin"))
            os.makedirs(os.path.join(folder, "lib"))
            for name in ("bin/heddle", "lib/libheddle.so"):
                open(os.path.join(folder, name), "w").close()
            said = self.python("import heddle; heddle.device()", status=1, HEDDLE_ROOT=folder)
            self.assertRegex(said, r"Error: cannot load '.*libheddle.so'")

    def test_another_version(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "bin"))
            os.makedirs(os.path.join(folder, "lib"))
            open(os.path.join(folder, "bin/heddle"), "w").close()
            make = ["cc", "-shared", "-x", "c", "-", "-o", os.path.join(folder, "lib/libheddle.so")]
            subprocess.run(make, input='const char *heddle_version(void) { return "9.9.9"; }\n', text=True, check=True)
            said = self.python("import heddle; heddle.device()", status=1, HEDDLE_ROOT=folder)
            self.assertRegex(said, r"is Heddle 9.9.9, the Python package is of \d.*: install both from one build")

    def test_no_clang(self):
        said = self.python("import heddle; heddle.compile(open(0).read())", stdin=SAXPY, status=1, HEDDLE_CLANG="/nowhere/clang++")
        self.assertRegex(said, r"Error: .*/nowhere/clang\+\+")

    def test_no_numpy_and_no_pandas(self):
        script = "import sys; sys.modules['numpy'] = sys.modules['pandas'] = None; import heddle; "
        self.python(script + "assert heddle.run(open(0).read()).status == 0 and heddle.metrics()", stdin=PROGRAM)
        self.assertRegex(self.python(script + "heddle.device().zeros(3)", status=1), "arrays need numpy: Debian's package python3-numpy")
        self.assertRegex(self.python(script + "heddle.Findings().to_frame()", status=1), "data frames need pandas: Debian's package python3-pandas")
        self.python(script + "k = heddle.compile(open(0).read())['saxpy']; k[1, 32](0, 1, None, None)", stdin=SAXPY)

    def test_pip(self):
        if not all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel")):
            self.skipTest("pip, setuptools or wheel is not there (Debian's python3-pip and python3-wheel)")
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PACKAGE, os.path.join(folder, "source"), ignore=shutil.ignore_patterns("__pycache__"))
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--target",
                            os.path.join(folder, "there"), os.path.join(folder, "source")], check=True)
            self.python("import heddle; assert heddle.device().id == 'h200' and '/there/' in heddle.__file__", PYTHONPATH=os.path.join(folder, "there"))

    def test_the_end_of_the_interpreter(self):
        self.assertEqual(self.python("import heddle; m = heddle.compile(open(0).read()); a = heddle.device().zeros(9); r = m['saxpy'][1, 32].profile(9, 1, a, a)",
                                     stdin=SAXPY), "")


if __name__ == "__main__":
    unittest.main()
