#!/usr/bin/env python3
"""Runs programs with HEDDLE_VERIFY=1 and adds up which claims were made and asked (docs/verify.md).

usage: verify.py [--least KIND=CLAIMS,CHECKS ...] [--jobs N] -- COMMAND [ARGUMENT ...] [-- COMMAND ...]

Each COMMAND runs in a folder of its own. Exit status 1 if one of them fails, or if fewer claims of a kind were made, or
fewer questions asked, than --least says.
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile


def commands_of(words):
    commands = [[]]
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return [c for c in commands if c]


def run(command, log, limit):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HEDDLE_VERIFY="1", HEDDLE_VERIFY_LOG=log)
        try:
            done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return f"ran longer than {limit} s"
    if done.returncode or "claims that" in done.stdout:
        return f"exit status {done.returncode}\n" + "\n".join(done.stdout.splitlines()[-12:])
    return None


def main():
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    ap = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    ap.add_argument("--least", action="append", default=[])
    ap.add_argument("--timeout", type=float, default=240)
    args = ap.parse_args(words[:split])
    commands, bad = commands_of(words[split + 1:]), 0
    claims, checks = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        for command in commands:
            problem = run(command, log, args.timeout)
            if problem:
                print(f"FAILED: {' '.join(command)}: {problem}")
                bad += 1
        for line in open(log) if os.path.exists(log) else []:
            for kind, made, asked in (cell.split() for cell in line.rstrip("\n").split("\t")[1:]):
                claims[kind] += int(made)
                checks[kind] += int(asked)
    for kind in claims:
        print(f"{kind:10} {claims[kind]:10} claims, asked {checks[kind]:14} times")
    for least in args.least:
        kind, numbers = least.split("=")
        made, asked = (int(n) for n in numbers.split(","))
        if claims[kind] < made or checks[kind] < asked:
            print(f"FAILED: {kind}: {made} claims and {asked} questions at least")
            bad += 1
    print(f"{len(commands)} programs, {bad} failed")
    return bad != 0 or not commands


if __name__ == "__main__":
    sys.exit(main())
