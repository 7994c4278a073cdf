#!/usr/bin/env python3
"""Runs commands over bad programs and compares exit code, stdout and stderr with a transcript.

usage: check.py HEDDLE_FOLDER TRANSCRIPT      HEDDLE_FOLDER holds the program `heddle`
       check.py --print HEDDLE_FOLDER TRANSCRIPT    shows what is there instead

A transcript (NAME.txt, beside NAME.cu) holds any number of

    $ COMMAND          run by the shell in a folder of its own, with copies of this folder's files
    | LINE             a line of stdout
    ! LINE             a line of stderr
    = STATUS           exit status as the shell has it: 128 + n when signal n ended it

Lines are compared whole; {RE} in one stands for what varies, and `| ...` or `! ...` for any number of lines.
`$ [int] COMMAND` sends SIGINT to the command's process once it has printed "running", `[int-group]` to its whole
process group, as the terminal does on Ctrl-C, `[term]` SIGTERM to the process. It must end within END seconds then,
and leave no process of its group behind. A command that takes longer than LIMIT seconds fails. Lines that begin with
# are remarks."""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LIMIT = 60  # s
END = 4.0  # s from the signal to the end: 0.1 s where nothing else runs, 1 s is promised, tests run side by side
SIGNALS = {"int": signal.SIGINT, "int-group": signal.SIGINT, "term": signal.SIGTERM}
HERE = os.path.dirname(os.path.abspath(__file__))


def read_transcript(path):
    cases, case = [], None
    with open(path) as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            kind, rest = line[:1], line[2:]
            if kind == "$":
                case = {"line": number, "command": rest, "|": [], "!": [], "=": None}
                cases.append(case)
            elif kind in "|!" and kind and case:
                case[kind].append(rest)
            elif kind == "=" and case:
                case["="] = int(rest)
            elif line and kind != "#":
                sys.exit(f"{path}:{number}: what is this line?")
    if not cases:
        sys.exit(f"{path}: no command")
    return cases


def pattern(lines):
    """The regular expression for a list of transcript lines."""
    out = ""
    for line in lines:
        if line == "...":
            out += r"(?:.*\n)*?"
            continue
        for i, part in enumerate(re.split(r"\{([^{}]*)\}", line)):
            out += f"(?:{part})" if i % 2 else re.escape(part)
        out += r"\n"
    return out


def group_lives(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def run(command, environment, folder):
    """stdout, stderr, status and what else went wrong."""
    how = re.match(r"\[([a-z-]+)\] ", command)
    wrong = []
    if how:
        command = command[how.end():]
    process = subprocess.Popen(["sh", "-c", ("exec " if how else "") + command], cwd=folder, env=environment, text=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, errors="replace")
    timer = threading.Timer(LIMIT, lambda: (wrong.append(f"did not end within {LIMIT} s"),
                                            os.killpg(process.pid, signal.SIGKILL)))
    timer.start()
    first, sent = "", None
    if how:
        while "running" not in first:
            line = process.stdout.readline()
            if not line:
                break
            first += line
        time.sleep(0.3)  # the endless kernel has begun
        sent = time.monotonic()
        if how[1] == "int-group":
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(SIGNALS[how[1]])
    out, err = process.communicate()
    timer.cancel()
    if sent and time.monotonic() - sent > END:
        wrong.append(f"took {time.monotonic() - sent:.1f} s to end after the signal")
    if group_lives(process.pid):
        time.sleep(0.2)
        if group_lives(process.pid):
            wrong.append("left a process behind")
            os.killpg(process.pid, signal.SIGKILL)
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode
    return first + out, err, status, wrong


def show(lines, mark):
    return "".join(f"{mark} {line}\n" for line in lines)


def main():
    arguments = sys.argv[1:]
    printing = arguments[:1] == ["--print"]
    arguments = arguments[printing:]
    if len(arguments) != 2:
        sys.exit(__doc__)
    failed = 0
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "work")
        os.mkdir(os.path.join(top, "tmp"))
        shutil.copytree(HERE, folder)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HEDDLE_") or k == "HEDDLE_CLANG"}
        environment.update(PATH=os.path.abspath(arguments[0]) + ":" + environment["PATH"], LC_ALL="C",
                           HEDDLE_CACHE=os.environ.get("HEDDLE_CACHE", os.path.join(top, "cache")), TMPDIR=os.path.join(top, "tmp"))
        for case in read_transcript(arguments[1]):
            out, err, status, wrong = run(case["command"], environment, folder)
            if printing:
                print(f"$ {case['command']}\n" + show(out.splitlines(), "|") + show(err.splitlines(), "!") + f"= {status}")
                continue
            for mark, text in (("|", out), ("!", err)):
                if text and not text.endswith("\n"):
                    text += "\n"
                if not re.fullmatch(pattern(case[mark]), text):
                    wrong.append("stdout" if mark == "|" else "stderr")
            if status != case["="]:
                wrong.append(f"status {status}, not {case['=']}")
            if wrong:
                failed += 1
                print(f"{arguments[1]}:{case['line']}: $ {case['command']}: {', '.join(wrong)}; it was\n"
                      + show(out.splitlines(), "|") + show(err.splitlines(), "!") + f"= {status}")
        left = os.listdir(os.path.join(top, "tmp"))
        if left:
            failed += 1
            print(f"left in TMPDIR: {left}")
    sys.exit(failed != 0)


main()
