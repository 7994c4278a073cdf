#!/usr/bin/env python3
"""Blocks of the documentation that show commands: each is run, and prints what stands there.

A fenced block of a page is one of these:

  - its first line begins with "$ ": lines "$ COMMAND", each followed by what the command prints;
  - the line above it is "<!-- prints: COMMAND -->": it is what the command prints;
  - the line above it is "<!-- runs -->": each line is a command that ends with status 0 ("#" begins a comment, a backslash
    at the end continues);
  - the line above it is "<!-- not run: REASON -->".

Any other block is an error. Beside blocks, "<!-- holds: COMMAND => TEXT -->" in a page, behind a sentence that tells a
figure: the command prints a line that has the text. In a page's text a line "..." stands for any lines, "..." in a line for
any characters. What is printed is stdout and stderr together; blanks at the ends of lines do not count. A command that
shall fail begins with "! ".

Commands run in a folder of their own that has what the root of the tree has, `build`, and the files of tests/docs/files and
tests/bad.

usage: blocks.py HEDDLE ROOT PAGE...
  With UPDATE=1 in the environment pages get the figures that are printed now, line by line where the rest of a line is the
  same; look at the difference."""
import os
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^(?:<!-- (?P<what>prints|runs|not run)(?:: (?P<text>.*?))? -->\n)?```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S)
HOLDS = re.compile(r"<!-- holds: (?P<command>.*?) => (?P<text>.*?) -->")
UPDATE = os.environ.get("UPDATE") == "1"


def fill(folder, heddle, root):
    """What a command finds where it runs."""
    for source in [os.path.join(root, d, n) for d in (".", "tests/docs/files", "tests/bad") for n in sorted(os.listdir(os.path.join(root, d)))]:
        name = os.path.basename(source)
        if not name.startswith(".") and not name.startswith("build") and not os.path.exists(os.path.join(folder, name)):
            os.symlink(source, os.path.join(folder, name))
    os.symlink(os.path.dirname(os.path.dirname(heddle)), os.path.join(folder, "build"))


class Runner:
    """Runs commands, each once; those of one page share a folder."""

    def __init__(self, heddle, root, folder):
        self.folder, self.printed = folder, {}
        self.environment = {**os.environ, "PATH": os.path.dirname(heddle) + ":" + os.environ["PATH"], "COLUMNS": "120",
                            "PWD": folder}
        fill(folder, heddle, root)

    def run(self, command):
        """The lines that it prints, and what is wrong with its status, or None."""
        if command not in self.printed:
            fails = command.startswith("! ")
            done = subprocess.run(["bash", "-c", command[2:] if fails else command], cwd=self.folder, env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            wrong = f"ends with status {done.returncode}" if (done.returncode != 0) != fails else None
            self.printed[command] = [line.rstrip() for line in done.stdout.decode(errors="replace").splitlines()], wrong
        return self.printed[command]


def pattern(line):
    return re.compile(".*".join(re.escape(part) for part in line.rstrip().split("...")) + "$")


def match(shown, printed):
    """None, or the number of the first line of `shown` that is not where it should be, and what stands there."""
    at, anywhere = 0, False
    for number, line in enumerate(shown):
        if line.strip() == "...":
            anywhere = True
            continue
        wanted = pattern(line)
        places = range(at, len(printed)) if anywhere else range(at, min(at + 1, len(printed)))
        found = next((i for i in places if wanted.match(printed[i])), None)
        if found is None:
            return number, printed[at] if at < len(printed) else "(the end)"
        at, anywhere = found + 1, False
    if at < len(printed) and not anywhere:
        return len(shown), printed[at]
    return None


def skeleton(line):
    return re.sub(r"[-\d.,%]+|\s+", " ", line).split()


def renewed(shown, printed):
    """The shown lines with the figures of the printed lines that are otherwise the same; "..." where lines are left out."""
    out, at = [], 0
    for line in shown:
        if line.strip() == "...":
            out.append(line)
            continue
        wanted = pattern(line)
        found = next((i for i in range(at, len(printed)) if wanted.match(printed[i])), None)
        if found is None:
            found = next((i for i in range(at, len(printed)) if skeleton(printed[i]) == skeleton(line) and line), None)
        if found is None:
            out.append(line)
            continue
        if found > at and (not out or out[-1].strip() != "..."):
            out.append("...")
        out.append(line if wanted.match(printed[found]) else printed[found])
        at = found + 1
    if at < len(printed) and (not out or out[-1].strip() != "..."):
        out.append("...")
    return out


def transcript(body):
    """[command, lines] of a block of "$ COMMAND" lines."""
    parts = []
    for line in body.splitlines():
        if line.startswith("$ "):
            parts.append([line[2:], []])
        else:
            parts[-1][1].append(line)
    return parts


class Page:
    def __init__(self, name, text, runner):
        self.name, self.text, self.runner = name, text, runner
        self.errors, self.ran = 0, 0

    def error(self, offset, what):
        self.errors += 1
        print(f"{self.name}:{self.text.count(chr(10), 0, offset) + 1}: {what}")

    def compare(self, offset, command, shown):
        """The lines as they should be."""
        printed, wrong = self.runner.run(command)
        self.ran += 1
        if wrong:
            self.error(offset, f"'{command}' {wrong}:\n" + "\n".join(printed[-20:]))
        difference = match(shown, printed)
        if not difference:
            return shown
        if UPDATE:
            shown = renewed(shown, printed)
            difference = match(shown, printed)
        if difference:
            number, there = difference
            line = shown[number] if number < len(shown) else "(the end)"
            self.error(offset, f"'{command}': the page has\n  {line}\nwhere is printed\n  {there}")
        return shown

    def commands(self, offset, body):
        for command in re.sub(r"\\\n", "", body).splitlines():
            printed, wrong = self.runner.run(command)
            self.ran += 1
            if wrong:
                self.error(offset, f"'{command}' {wrong}:\n" + "\n".join(printed[-20:]))

    def block(self, m):
        """The block as it should be."""
        what, body, offset = m["what"], m["body"], m.start("body")
        if body.startswith("$ "):
            parts = [(c, self.compare(offset, c, lines)) for c, lines in transcript(body)]
            new = "".join(f"$ {c}\n" + "".join(line + "\n" for line in lines) for c, lines in parts)
        elif what == "prints":
            new = "".join(line + "\n" for line in self.compare(offset, m["text"], body.splitlines()))
        else:
            new = body
            if what == "runs":
                self.commands(offset, body)
            elif not (what == "not run" and m["text"]):
                self.error(offset, "this block is not run, and nothing says why not: <!-- prints: COMMAND -->, <!-- runs --> or "
                                   "<!-- not run: REASON --> above it")
        return m.group(0)[:offset - m.start()] + new + "```"

    def check(self):
        """The page as it should be."""
        for m in HOLDS.finditer(self.text):
            printed, wrong = self.runner.run(m["command"])
            self.ran += 1
            inside = re.compile(".*".join(re.escape(part) for part in m["text"].split("...")))
            if wrong or not any(inside.search(line) for line in printed):
                self.error(m.start(), f"'{m['command']}' {wrong or 'does not print ' + repr(m['text'])}:\n" + "\n".join(printed[-40:]))
        return FENCE.sub(self.block, self.text)


def main(heddle, root, pages):
    failed = False
    for name in pages:
        path = os.path.join(root, name)
        with open(path) as f:
            text = f.read()
        with tempfile.TemporaryDirectory() as folder:
            page = Page(name, text, Runner(os.path.abspath(heddle), os.path.abspath(root), folder))
            new = page.check()
        fences = len(re.findall(r"^ *```", text, re.M))
        if fences != 2 * len(FENCE.findall(text)):
            page.error(0, "a fenced block is indented or does not end")
        if UPDATE and new != text:
            with open(path, "w") as f:
                f.write(new)
        print(f"{name}: {page.ran} commands run, {page.errors} errors")
        failed |= page.errors > 0
    return failed


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
