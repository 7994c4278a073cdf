#!/usr/bin/env python3
"""What a terminal shows while kernels run, and that nothing else shows it.

usage: progress.py HEDDLE FOLDER          (FOLDER: this one)
The program runs in a pseudo terminal, of which a small one of our own keeps the screen: ESC D, ESC 7, ESC 8, ESC [A, ESC [B,
ESC [K, CR, LF. While it runs a line below the cursor tells kernel, blocks and time; when it is done the screen is as
if nobody had drawn. In files and pipes, on dumb terminals and with HEDDLE_PROGRESS=0 there is nothing of it.
"""
import os, pty, re, select, signal, subprocess, sys, tempfile, time

heddle, here = os.path.abspath(sys.argv[1]), sys.argv[2]
failed = 0


def check(ok, text, shown=""):
    global failed
    if not ok:
        failed += 1
        print(f"FAILED: {text}\n{shown!r}"[:3000])


class Screen:
    def __init__(self, rows=24, columns=80):
        self.rows, self.columns, self.row, self.column, self.kept = rows, columns, 0, 0, (0, 0)
        self.cells = [[" "] * columns for _ in range(rows)]
        self.seen, self.rest = [], ""

    def down(self):
        if self.row == self.rows - 1:
            self.cells = self.cells[1:] + [[" "] * self.columns]
        else:
            self.row += 1

    def put(self, text):
        text = self.rest + text
        at = 0
        while at < len(text):
            m = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[78D])").match(text, at)
            if text[at] == "\x1b" and not m:
                break  # the rest of it comes later
            what = m.group(1) if m else text[at]
            at = m.end() if m else at + 1
            if what == "7" and m:
                self.kept = self.row, self.column
            elif what == "8" and m:
                self.seen.append(self.text(self.row))
                self.row, self.column = self.kept
            elif what == "D" and m:
                self.down()
            elif what == "[A":
                self.row = max(self.row - 1, 0)
            elif what == "[B":
                self.row = min(self.row + 1, self.rows - 1)
            elif what == "[K":
                self.cells[self.row][self.column:] = [" "] * (self.columns - self.column)
            elif m:
                check(False, f"an escape that nobody expects: {what}")
            elif what == "\r":
                self.column = 0
            elif what == "\n":
                self.down()
            else:
                if self.column == self.columns:
                    self.column = 0
                    self.down()
                self.cells[self.row][self.column] = what
                self.column += 1
        self.rest = text[at:]

    def text(self, row):
        return "".join(self.cells[row]).rstrip()

    def lines(self):
        return [self.text(r) for r in range(self.rows) if self.text(r)]


def in_terminal(words, at_bottom=False, until=None, **env):
    """The screen when it has ended, and its status; `until`: it is ended 2 s after the screen has shown this."""
    screen = Screen()
    if at_bottom:
        screen.put("\r\n" * 30)
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(words[0], words, {**os.environ, "TERM": "xterm", "HEDDLE_THREADS": "1", **env})
    end = time.time() + 100
    while time.time() < end:
        ready, _, _ = select.select([fd], [], [], 1)
        try:
            data = os.read(fd, 1 << 16) if ready else b""
        except OSError:
            break
        if ready and not data:
            break
        screen.put(data.decode(errors="replace"))
        if until and until in "".join(screen.lines()):
            end, until = time.time() + 2, None
    if time.time() >= end:
        os.kill(pid, signal.SIGKILL)
    return screen, os.waitpid(pid, 0)[1]


def turns_for(program, seconds):
    """So many turns of its loop that it runs about so long, plainly, where nothing else runs; longer where something does."""
    turns = 200000
    while True:
        began = sum(os.times()[2:4])
        subprocess.run([program, "100", str(turns)], check=True, capture_output=True, env={**os.environ, "HEDDLE_THREADS": "1"})
        took = sum(os.times()[2:4]) - began
        if took > 0.3:
            return str(int(turns * seconds / took))
        turns *= 4


with tempfile.TemporaryDirectory() as tmp:
    program = f"{tmp}/long"
    subprocess.run([heddle, "build", "-o", program, f"{here}/progress.cu"], check=True)
    turns = turns_for(program, 3)
    what = re.compile(r"heddle: long_sum, launch 1: \d+ of 100 blocks, \d+ s, about .* to go")
    for at_bottom in (False, True):
        screen, status = in_terminal([program, "100", turns], at_bottom)
        check(status == 0, "status", status)
        check(any(what.fullmatch(s) for s in screen.seen), "kernel, launch, blocks, time and time to go", screen.seen)
        check(screen.lines() == ["before after: no error"], f"the screen at the end, {at_bottom}", screen.lines())
    for env in ({"TERM": "dumb"}, {"HEDDLE_PROGRESS": "0"}, {"HEDDLE_QUIET": "1"}):
        screen, status = in_terminal([program, "100", turns], **env)
        check(status == 0 and not screen.seen and screen.lines() == ["before after: no error"], f"nothing with {env}", screen.lines())
    p = subprocess.run([program, "100", turns], capture_output=True, text=True, env={**os.environ, "TERM": "xterm", "HEDDLE_THREADS": "1"})
    check((p.stdout, p.stderr) == ("before after: no error\n", ""), "nothing in pipes", p.stdout + p.stderr)

    screen, status = in_terminal([program, "100", str(int(turns) * 10)], until="heddle: kernel")
    told = re.findall("heddle: kernel", "".join(screen.lines()))
    check(len(told) == 1 and re.search(r"heddle: kernel 'long_sum' has run for 1\d s: \d+ of 100 blocks; it is most often seen at \S*progress\.cu:1[0-2]", "".join(screen.lines())),
          "after 10 s its name and line", screen.lines())

    screen, status = in_terminal([heddle, "profile", "--metrics", "gld_transactions", program, "100", str(int(turns) * 2 // 3)])
    check(any(s.startswith("heddle: profiling long_sum, launch 1: ") for s in screen.seen), "profiling is told", screen.seen)
    check(status == 0 and any("gld_transactions" in line for line in screen.lines()), "the report", screen.lines())

    os.mkdir(f"{tmp}/llvm-19")  # a compiler that takes its time; its folder's name says that our pass fits
    clang = f"{tmp}/llvm-19/clang++"
    open(clang, "w").write('#!/bin/sh\nsleep 2\nexec clang++-19 "$@"\n')
    os.chmod(clang, 0o755)
    screen, status = in_terminal([heddle, "build", "-o", f"{tmp}/slow", f"{here}/progress.cu"], HEDDLE_CLANG=clang)
    check(status == 0 and not screen.lines(), "a build leaves nothing", screen.lines())
    check(any(re.fullmatch(r"heddle: (compiling|linking) \S+, \d+ s", s) for s in screen.seen), "compiling is told", screen.seen)
print(f"{failed} failures" if failed else "ALL DONE")
sys.exit(failed > 0)
