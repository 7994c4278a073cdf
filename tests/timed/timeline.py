"""Timelines of `heddle profile --timeline`, against what the program's trace says.

usage: timeline.py HEDDLE

Runs a program that copies and computes in two streams. Its Perfetto file is decoded here, by the description of the wire format of protocol
buffers and the numbers of fields in Perfetto's public messages; slices on each track must be the trace's events, one for one. So must bars of
the SVG, at their places. Both must say that times are modelled. Names of files that say no form, and filters, are refused."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = [os.path.join(HERE, "streams.cu"), "staged"]
LEFT, RIGHT, WIDTH = 150, 20, 1100  # of the picture: src/report/trace_svg.c


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at


def fields(data):
    """{number: [values]} of a message: numbers, or bytes."""
    at, found = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            n, at = varint(data, at)
            value, at = data[at:at + n], at + n
        else:
            raise ValueError(f"wire type {key & 7} in byte {at}")
        found.setdefault(key >> 3, []).append(value)
    return found


def read_perfetto(data):
    """({track: (process, name)}, [(track, name, begin, end)], {slice: annotations})."""
    tracks, processes, slices, opened, last = {}, {}, [], {}, 0
    first = True
    for packet in fields(data)[1]:
        p = fields(packet)
        assert p[10] == [1], "packets are of one sequence"
        assert (p.get(13) == [1]) == first, "the first packet clears the sequence's state"
        first = False
        if 60 in p:
            d = fields(p[60][0])
            if 3 in d:
                processes[d[1][0]] = fields(d[3][0])[6][0].decode()
            else:
                tracks[d[1][0]] = (processes[d[5][0]], d[2][0].decode())
            continue
        e, at = fields(p[11][0]), p[8][0]
        assert at >= last, "packets are in the order of time"
        last, track = at, e[11][0]
        if e[9] == [1]:
            notes = {}
            for a in map(fields, e.get(4, [])):
                notes[a[10][0].decode()] = a[6][0].decode() if 6 in a else a[4][0]
            opened.setdefault(track, []).append((e[23][0].decode(), at, notes, e.get(47)))
        else:
            assert e[9] == [2], "slices begin and end"
            name, begin, notes, flow = opened[track].pop()
            slices.append((tracks[track], name, begin, at, notes, flow))
    assert not any(opened.values()), "what begins ends"
    return slices


def run(heddle, *flags, trace=None):
    env = dict(os.environ, HEDDLE_QUIET="1", HEDDLE_DEVICE="h200")
    if trace:
        env["HEDDLE_TRACE"] = trace
    return subprocess.run([heddle, *flags, *PROGRAM], env=env, capture_output=True, text=True)


def main():
    heddle = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        trace, perfetto, svg = (os.path.join(folder, n) for n in ("trace", "t.perfetto-trace", "t.svg"))
        assert run(heddle, "run", "--timed", trace=trace).returncode == 0
        events = [json.loads(line) for line in open(trace)]
        for path in (perfetto, svg):
            done = run(heddle, "profile", "--cache-control", "none", "--timeline", path, "--metrics", "gpu__time_duration.sum", "--log-file", os.devnull)
            assert done.returncode == 0 and done.stdout == "staged\n", done
        slices = read_perfetto(open(perfetto, "rb").read())
        picture = ET.parse(svg).getroot()
        for flags, why in ((("--timeline", os.path.join(folder, "t.png")), r"'--timeline': '.*t\.png' ends neither in \.svg nor in \.perfetto-trace"),
                           (("--timeline", svg, "-k", "work"), r"'--timeline' needs all launches"),
                           (("--timeline", os.path.join(folder, "no", "t.svg"), "--log-file", os.devnull), r"cannot write the report to '.*t\.svg'")):
            done = run(heddle, "profile", *flags)
            assert done.returncode == 1 and re.search(why, done.stderr), (flags, done)

    origin = min(e["begin"] for e in events)
    calls = sorted((e["begin"] - origin, e["end"] - origin, e["name"]) for e in events if e["kind"] == "call")
    assert calls == sorted((b, e, n) for t, n, b, e, _, _ in slices if t == ("streams", "host thread 1")), "calls of the host"
    names = {"kernel": "work", "copy": "[CUDA memcpy "}
    commands = [e for e in events if e["kind"] != "call"]
    assert sorted({e["stream"] for e in commands}) == [1, 2]
    for stream in (1, 2):
        mine = [s for s in slices if s[0] == ("NVIDIA H200 (0), modelled", f"stream {12 + stream}")]
        theirs = [e for e in commands if e["stream"] == stream]
        assert len(mine) == len(theirs) == 3
        for e, (_, name, begin, end, notes, flow) in zip(sorted(theirs, key=lambda e: e["begin"]), sorted(mine, key=lambda s: s[2])):
            assert (begin, end) == (e["begin"] - origin, e["end"] - origin) and name.startswith(names[e["kind"]]), (e, name, begin, end)
            assert notes["time"] == "modelled" and notes.get("bytes") == e.get("bytes"), notes
            assert sum(s[5] == flow for s in slices) == 2, "an arrow from the call to the command"

    space = "{http://www.w3.org/2000/svg}"
    assert any(t.text and "modelled" in t.text for t in picture.iter(space + "text"))
    length = max(e["end"] for e in events) - origin
    bars = [(float(r.get("x")), float(r.get("width")), r.find(space + "title").text) for r in picture.iter(space + "rect") if r.find(space + "title") is not None]
    for e in commands:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (e["begin"] - origin) / length
        width = max(0.5, (WIDTH - LEFT - RIGHT) * (e["end"] - e["begin"]) / length)
        assert any(abs(b[0] - x) < 0.02 and abs(b[1] - width) < 0.02 and b[2].startswith(names[e["kind"]]) for b in bars), e
    print(f"{len(slices)} slices, {len(bars)} bars: as the trace has them")


if __name__ == "__main__":
    main()
