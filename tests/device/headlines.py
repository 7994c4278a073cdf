#!/usr/bin/env python3
"""The descriptions against what data sheets print, and against each other.

usage: headlines.py HEDDLE

Every GPU of devices/ has its row in tests/data/devices.tsv, and agrees with it. Each figure of each description says where it
is from; what comes from a relative with another chip or compute capability is marked. docs/devices.md names every description."""
import json
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
bad = []


def check(holds, what):
    if not holds:
        bad.append(what)


def ask(heddle, *words):
    return json.loads(subprocess.run([heddle, "devices", "--json", *words], capture_output=True, text=True, check=True).stdout)


def near(value, printed, share):
    return printed == "-" or abs(value - float(printed)) <= share * float(printed)


def headlines(devices, rows):
    check(sorted(rows) == sorted(devices), f"devices/ and devices.tsv do not list the same GPUs: {set(rows) ^ set(devices)}")
    for name, d in devices.items():
        capability, cores, memory, bandwidth, flops = rows.get(name, ["0.0", "0", "-", "-", "-"])
        check(f"{d['cc_major']}.{d['cc_minor']}" == capability, f"{name}: compute capability {d['cc_major']}.{d['cc_minor']}")
        check(d["fp32_cores"] == int(cores), f"{name}: {d['fp32_cores']} cores")
        # as sold in GB or GiB; error correction takes a sixteenth or an eighth, the driver and a Jetson's host some more
        check(0.86 * float(memory) < d["memory_bytes"] / 2**30 < 1.001 * float(memory), f"{name}: {d['memory_bytes']} bytes, {memory} GB")
        check(near(d["dram_bandwidth"], bandwidth, 0.025), f"{name}: {d['dram_bandwidth']} GB/s, {bandwidth} printed")
        check(near(d["fp32"], "-" if flops == "-" else float(flops) * 1000, 0.025), f"{name}: {d['fp32']} GFLOP/s, {flops} TFLOP/s printed")


def owners():
    """What each figure belongs to, by the table in C."""
    text = (SOURCE / "src/device/device_figures.def").read_text()
    return dict(re.findall(r"^(?:TEXT|FIGURE|CHOICE|LIST)\((\w+), (OWN|BOARD|CHIP|CAPABILITY),", text, flags=re.M))


def origins(heddle, name, owner):
    d = ask(heddle, name)
    own = json.loads((SOURCE / "devices" / f"{name}.json").read_text())
    check(d["from"] == own.get("from"), f"{name}: from {d['from']}")
    check(set(d["figures"]) == set(owner), f"{name}: figures {set(d['figures']) ^ set(owner)}")
    for figure, entry in d["figures"].items():
        kinds = [k for k in ("source", "assumed", "unknown", "relative") if entry.get(k)]
        check(len(kinds) == 1, f"{name}: {figure} has {kinds}")
        check((entry["value"] is None) == ("unknown" in kinds), f"{name}: {figure} is {entry['value']}, {kinds}")
        check(not (figure in own and "relative" in kinds), f"{name}: {figure} is its own")
        if figure not in own and "from" in own:
            check(owner[figure] != "OWN", f"{name}: {figure} is not its own")
            check(owner[figure] != "BOARD" or kinds[0] in ("relative", "unknown"), f"{name}: {figure} of another board is {kinds}")
    return d


def families(devices):
    """A relative's figure stands in for a chip's or a capability's only when it is the same one."""
    for name, d in devices.items():
        if not d["from"]:
            continue
        parent = devices[d["from"]]
        same = [d["figures"][k]["value"] == parent["figures"][k]["value"] for k in ("cc_major", "cc_minor")]
        inherited = d["figures"]["max_texture_3d"]
        check(("relative" in inherited) == (not all(same)) or "relative" in parent["figures"]["max_texture_3d"],
              f"{name}: max_texture_3d from {d['from']} is {inherited}")


def main(heddle):
    lines = (SOURCE / "tests/data/devices.tsv").read_text().splitlines()
    rows = {row[0]: row[1:] for row in (line.split("\t") for line in lines if not line.startswith("#"))}
    devices = {d["id"]: d for d in ask(heddle) if pathlib.Path(d["file"]).resolve().parent == SOURCE / "devices"}
    headlines(devices, rows)
    owner = owners()
    families({name: origins(heddle, name, owner) for name in devices})
    page = (SOURCE / "docs/devices.md").read_text()
    for name in devices:
        check(f"`{name}`" in page, f"docs/devices.md does not name `{name}`")
    print("\n".join(bad + [f"{len(devices)} GPUs, {len(owner)} figures each", "FAILED" if bad else "PASSED"]))
    return 1 if bad else 0


sys.exit(main(sys.argv[1]))
