#!/usr/bin/env python3
"""Every attribute of every described GPU.

usage: attributes.py HEDDLE

Each row of src/runtime/device_attributes.def is asked of each GPU. What depends on the compute capability stands in
tests/data/attributes.tsv, the H200's own answers in h200_attributes.tsv; sizes are not negative, and the answers equal those of
cudaGetDeviceProperties."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JETSON = {(5, 3), (6, 2), (7, 2), (8, 7), (11, 0)}  # compute capabilities of boards whose GPU shares the host's memory
IN_PROPERTIES = {"CanMapHostMemory": "canMapHostMemory", "MemoryPoolsSupported": "memoryPoolsSupported", "ManagedMemory": "managedMemory",
                 "PageableMemoryAccess": "pageableMemoryAccess", "ConcurrentManagedAccess": "concurrentManagedAccess",
                 "CooperativeLaunch": "cooperativeLaunch", "UnifiedAddressing": "unifiedAddressing", "WarpSize": "warpSize"}


def table(name):
    rows = [line.split("\t") for line in (SOURCE / "tests/data" / name).read_text().splitlines() if not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def program(names):
    asked = "\n".join(f'    if (cudaDeviceGetAttribute(&v, cudaDevAttr{n}, 0)) return 1;\n    printf("{n} %d\\n", v);' for n in names)
    props = "\n".join(f'    printf("prop:{a} %d\\n", (int)p.{f});' for a, f in IN_PROPERTIES.items())
    return f"""#include <cstdio>
int main()
{{
    int v;
    cudaDeviceProp p;
{asked}
    if (cudaGetDeviceProperties(&p, 0)) return 1;
{props}
}}
"""


def ruled(rule, name, capability):
    """"1"; "from 6.0"; "from 6.0, not Jetson"; "from 2.0, not k20 k20x"; "Jetson"."""
    called = {name, "Jetson"} if capability in JETSON else {name}
    if rule == "Jetson":
        return int(rule in called)
    if rule.startswith("from "):
        first, _, but = rule[5:].partition(", not ")
        return int(capability >= tuple(map(int, first.split("."))) and not called & set(but.split()))
    return int(rule)


def main(heddle):
    names = re.findall(r"^ATTRIBUTE\((\w+),", (SOURCE / "src/runtime/device_attributes.def").read_text(), flags=re.M)
    rules, measured, bad = table("attributes.tsv"), table("h200_attributes.tsv"), []
    bad += [f"{n} has a rule, but is no attribute" for n in (*rules, *measured) if n not in names]
    descriptions = sorted((SOURCE / "devices").glob("*.json"))
    with tempfile.TemporaryDirectory() as folder:
        source, built = pathlib.Path(folder) / "ask.cu", pathlib.Path(folder) / "ask"
        source.write_text(program(names))
        subprocess.run([heddle, "build", "-o", built, source], check=True)
        for path in descriptions:
            shown = subprocess.run([heddle, "devices", "--json", path], capture_output=True, text=True, check=True).stdout
            figures = json.loads(shown)["figures"]
            capability = (figures["cc_major"]["value"], figures["cc_minor"]["value"])
            done = subprocess.run([built], env=os.environ | {"HEDDLE_DEVICE": path.stem}, capture_output=True, text=True, check=True)
            got = dict(line.split() for line in done.stdout.splitlines())
            for name in names:
                value, rule = int(got[name]), rules.get(name)
                if rule:
                    wanted = ruled(rule, path.stem, capability)
                    if value != wanted:
                        bad.append(f"{path.stem} ({capability[0]}.{capability[1]}): {name} is {value}, not {wanted} ({rule})")
                if path.stem == "h200" and name in measured and value != int(measured[name]):
                    bad.append(f"h200: {name} is {value}, {measured[name]} on the GPU")
                if value < 0:
                    bad.append(f"{path.stem}: {name} is {value}")
                if name in IN_PROPERTIES and got["prop:" + name] != got[name]:
                    bad.append(f"{path.stem}: {name} is {value}, {got['prop:' + name]} in cudaDeviceProp")
    print(f"{len(descriptions)} GPUs, {len(names)} attributes, {len(rules)} rules, {len(measured)} measured")
    print("\n".join(bad + ["FAILED" if bad else "PASSED"]))
    return 1 if bad else 0


sys.exit(main(sys.argv[1]))
