"""Runs tests of the Python package: run.py BUILD SOURCE MODULE. Status 77, skipped, where numpy is not there."""
import os
import sys
import unittest

build, source, module = sys.argv[1:4]
os.environ["HEDDLE_ROOT"] = build
sys.path[:0] = [os.path.join(source, "python"), os.path.dirname(os.path.abspath(__file__))]
try:
    import numpy  # noqa: F401
except ImportError:
    print(f"skipped: {sys.executable} has no numpy (Debian's package python3-numpy)")
    sys.exit(77)
result = unittest.main(module, argv=[sys.argv[0]] + sys.argv[4:], exit=False, verbosity=2).result
if not result.testsRun:
    sys.exit(f"no tests in {module}")
sys.exit(not result.wasSuccessful())
