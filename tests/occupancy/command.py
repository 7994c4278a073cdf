#!/usr/bin/env python3
"""`heddle occupancy`: its JSON and its picture tell the same, and the documentation shows what it prints.

usage: command.py HEDDLE"""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HEDDLE = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "..", "..", "docs", "occupancy.md")
failed = 0


def run(*words, status=0):
    p = subprocess.run([HEDDLE, "occupancy", *words], capture_output=True, text=True)
    check(p.returncode == status, f"{words}: status {p.returncode}\n{p.stderr}")
    return p.stdout


def check(good, what):
    global failed
    if not good:
        failed = 1
        print(f"FAILED: {what}")


def the_page():
    """Every line of the transcript is printed, in this order."""
    with open(PAGE) as f:
        transcript = re.search(r"```\n\$ heddle occupancy (.*)\n((?:.*\n)*?)```", f.read())
    lines = iter(run(*transcript[1].split()).splitlines())
    for line in transcript[2].splitlines():
        check(line == "..." or line in lines, f"docs/occupancy.md: '{line}' is not printed, or not there")


def book_figures():
    """Of the textbooks that the project follows; device, block, registers, shared memory, without reserve: warps."""
    for device, block, registers, shared, book, warps in (
            ("g80", 256, 10, 0, 0, 24), ("g80", 256, 11, 0, 0, 16), ("g80", 64, 1, 2048, 0, 16), ("g80", 64, 1, 5120, 0, 6),
            ("g80", 256, 10, 2048, 0, 24), ("a100", 768, 32, 0, 0, 48), ("a100", 256, 32, 82 * 256, 1, 64),
            ("a100", 256, 32, 83 * 256, 1, 56), ("a100", 256, 32, 82 * 256, 0, 56), ("a100", 256, 32, 32768, 1, 40),
            ("a100", 256, 32, 32768, 0, 32)):
        words = ["--device", device, "--block", str(block), "--registers", str(registers), "--shared", str(shared), "--json"]
        page = json.loads(run(*words, *(["--no-reserve"] if book else [])))[0]
        check(page["devices"][0]["warps"] == warps, f"{words}: {page['devices'][0]['warps']} warps, not {warps}")


def json_of_devices():
    page, = json.loads(run("--device", "all", "--block", "16x16", "--registers", "24", "--shared", "3000", "--json"))
    check(page["kernel"] is None and page["block"] == [16, 16, 1], "the head")
    check(len(page["devices"]) >= 13 and page["devices"][0]["device"] == "g80", "all devices, the oldest first")
    for d in page["devices"]:
        check(d["fits"] and d["blocks"] == min(d["blocks_by"].values()), f"{d['device']}: the least of blocks_by")
        check(abs(d["occupancy"] - 100 * d["warps"] / d["max_warps"]) < 1e-9, f"{d['device']}: occupancy")
        for axis, value in (("threads", 256), ("registers", 24), ("shared", 3000)):
            steps = d["curves"][axis]
            here = [s for s in steps if s["first"] <= value <= s["last"]]
            check(len(here) == 1 and here[0]["warps"] == d["warps"], f"{d['device']}: the curve over {axis} at {value}")
            check(all(a["last"] + 1 == b["first"] for a, b in zip(steps, steps[1:])), f"{d['device']}: gaps over {axis}")


def the_picture():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "curves.svg")
        run("--device", "g80,h200", "--block", "256", "--registers", "10", "--svg", path)
        top = xml.parse(path).getroot()
    name = "{http://www.w3.org/2000/svg}"
    width, height = float(top.get("width")), float(top.get("height"))
    check(len(top.findall(f"{name}path")) == 6, "a line for each device and need")
    check(len(top.findall(f"{name}circle")) == 6, "a circle where each device is")
    for e in top.iter(f"{name}path"):
        for x, y in re.findall(r"([\d.]+) ([\d.]+)", e.get("d")):
            check(0 <= float(x) <= width and 0 <= float(y) <= height, f"({x}, {y}) is outside of the picture")
    titles = [e.text for e in top.iter(f"{name}title")]
    check("g80, 11 to 16 registers per thread: 66.7%, registers" in titles, "what a step says")
    check(any(t.startswith("h200, 225 to 256 threads per block: 100.0%, ") for t in titles), "what a step says")


def a_kernel_of_a_file():
    """The head of each page; numbers take the place of estimates."""
    source = os.path.join(HERE, "kernels.cu")
    out = run(source, "-k", "tiled", "--brief", "--shared", "512")
    check(out.startswith("tiled(float *)\nblocks of 256 threads; ") and "(Heddle's estimate)" in out and
          "; 2,624 bytes of shared memory per block, 512 of them dynamic" in out, out)
    out = run(source, "-k", "regex:^(bounded|plain)$", "--brief", "--registers", "40")
    check("bounded(float *)\nblocks of 128 threads; 40 registers per thread; 0 bytes" in out and
          "plain(float *)\nblocks of 256 threads; 40 registers per thread; 0 bytes" in out, out)
    # 2112 bytes declared, a pointer and 16 bytes of built-in variables: 2136 -> 2560.
    page, = json.loads(run(source, "-k", "tiled", "--device", "g80", "--json"))
    check(page["devices"][0]["need"]["shared_hidden"] == 24 and page["devices"][0]["granted"]["shared_per_block"] == 2560,
          f"hidden shared memory: {page['devices'][0]['need']}")


for test in (the_page, book_figures, json_of_devices, the_picture, a_kernel_of_a_file):
    test()
sys.exit(failed)
