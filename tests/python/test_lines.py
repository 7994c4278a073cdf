"""What the source lines of a launch have adds up to what the launch has, for every sum that lines have a share of."""
import os
import unittest

import heddle

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def shares(launch):
    """Sums of the launch that have a figure for each line, and what these add up to."""
    of_lines = []
    for name, value in launch.metrics().items():
        if name.endswith(".sum") and isinstance(value, (int, float)):
            try:
                launch.lines([name])
                of_lines.append(name)
            except heddle.Error as error:
                assert "is of the launch as a whole" in str(error), error
    lines = launch.lines(of_lines)
    return {name: (launch[name], sum(line[name] or 0 for line in lines)) for name in of_lines}


class Lines(unittest.TestCase):
    def program(self, path, least, **how):
        """least: so many sums, and so many of them not 0."""
        found, launches = set(), heddle.profile(os.path.join(TESTS, path), **how)
        for launch in launches:
            sums = shares(launch)
            found |= {name for name, (whole, _) in sums.items() if whole}
            self.assertGreaterEqual(len(sums), least[0])
            for name, (whole, lines) in sums.items():
                self.assertEqual(whole, lines, f"{launch.kernel}: {name}")
        self.assertGreaterEqual(len(found), least[1])

    def test_every_kind(self):
        self.program("profile/kinds.cu", (100, 60))

    def test_older_device(self):
        self.program("truth/merge_path.cu", (100, 30), device="c2050")

    def test_rewritten(self):
        """Merged, shared and predicated accesses, lanes that part."""
        self.program("truth/reduction.cu", (100, 30))
        self.program("../examples/matmul_tiled.cu", (100, 30))


if __name__ == "__main__":
    unittest.main()
