"""Blocks over multiprocessors and time (`heddle profile --blocks`), of the same grid on a large device and on a small one: the same result, another
timeline (SEEDS.md row 7).

usage: blocks.py HEDDLE

All 300 blocks are there; no more are on a multiprocessor at a time than are resident; none begins before the launch or ends behind it. On an H200 they
all begin in the first wave, at most 3 on a multiprocessor (300 over 132). On a GeForce GTX 1050 Ti, 6 multiprocessors with 8 such blocks each, they take
7 waves: at least 6 blocks begin when another one of their multiprocessor has ended, for each of its 8 slots. The picture has a bar for each block."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
BLOCKS = 300


def profile(heddle, device, folder):
    svg, results = os.path.join(folder, device + ".svg"), os.path.join(folder, device)
    done = subprocess.run([heddle, "profile", "--device", device, "--blocks", svg, "-o", results, "--metrics", "gpu__time_duration.sum",
                           os.path.join(HERE, "waves.cu")], capture_output=True, text=True)
    assert done.returncode == 0, done
    lines = open(results).read().splitlines()
    assert len(lines) == 1
    bars = [r.find("{http://www.w3.org/2000/svg}title") for r in ET.parse(svg).getroot().iter("{http://www.w3.org/2000/svg}rect")]
    named = {int(re.match(r"block (\d+) on multiprocessor", b.text)[1]) for b in bars if b is not None}
    assert named == set(range(BLOCKS)), "a bar for each block"
    return done.stdout, json.loads(lines[0])


def most_at_once(blocks):
    """{multiprocessor: blocks at a time}: ends come before begins."""
    most = {}
    for sm in {b[2] for b in blocks}:
        now = top = 0
        for _, step in sorted((at, step) for b in blocks if b[2] == sm for at, step in ((b[0], 1), (b[1], -1))):
            now += step
            top = max(top, now)
        most[sm] = top
    return most


def main():
    heddle = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        (large_out, large), (small_out, small) = (profile(heddle, d, folder) for d in ("h200", "gtx1050ti"))
        assert large_out == small_out == "2\n", "the same result"
        for r, sms in ((large, 132), (small, 6)):
            blocks, launch = r["blocks"], r["launch"]
            assert len(blocks) == BLOCKS and launch["multiprocessors"] == sms
            assert all(0 <= b < e <= launch["cycles"] and 0 <= sm < sms for b, e, sm in blocks)
            assert max(most_at_once(blocks).values()) <= launch["resident_blocks"]
        first_end = min(e for _, e, _ in large["blocks"])
        assert all(b < first_end for b, _, _ in large["blocks"]), "one wave on an H200"
        assert sorted(set(most_at_once(large["blocks"]).values())) == [2, 3], "300 over 132"
        assert small["launch"]["resident_blocks"] == 8 and len({sm for _, _, sm in small["blocks"]}) == 6
        ends = {sm: sorted(e for _, e, s in small["blocks"] if s == sm) for sm in range(6)}
        later = sum(b >= ends[sm][0] for b, _, sm in small["blocks"])
        assert later == BLOCKS - 6 * 8, f"{later} blocks begin behind the first wave"
        # A report without times of blocks says so.
        plain = os.path.join(folder, "plain")
        assert subprocess.run([heddle, "profile", "-o", plain, os.path.join(HERE, "waves.cu")], capture_output=True).returncode == 0
        done = subprocess.run([heddle, "profile", "-i", plain, "--blocks", os.path.join(folder, "no.svg")], capture_output=True, text=True)
        assert done.returncode == 1 and "made without --blocks" in done.stderr, done
    print("blocks are where they can be: 1 wave, and 7")


if __name__ == "__main__":
    main()
