"""%%heddle: a cell of CUDA in Jupyter and IPython."""
from __future__ import annotations

import shlex
import sys
from typing import Any, List, Optional, Tuple

from . import _program
from ._library import Error
from ._module import compile as compile_module

USAGE = """%%heddle [run|profile|check|compile] [FLAGS] [--into NAME] [-- ARGUMENTS]

    run      compiles the cell, a program with a main, and runs it (without a word: this)
    profile  runs it and shows the report of its kernels
    check    runs it under the checkers and shows what they found
    compile  loads the cell's kernels; --into NAME is needed

FLAGS are those of `heddle run`, `heddle profile`, `heddle check` and `heddle build`. --into NAME keeps what Python's
heddle.run, heddle.profile, heddle.check or heddle.compile answers in that variable, and shows the program's output alone.
ARGUMENTS go to the program."""
WHAT = ("run", "profile", "check", "compile")


def _words(line: str) -> Tuple[str, List[str], Optional[str], List[str]]:
    """What to do, flags, the variable's name, the program's arguments."""
    try:
        words = shlex.split(line)
    except ValueError as e:
        raise Error(f"%%heddle {line}: {e}") from None
    what = words.pop(0) if words and not words[0].startswith("-") else "run"
    if what not in WHAT:
        raise Error(f"%%heddle: '{what}' is none of {', '.join(WHAT)}\n\n{USAGE}")
    arguments: List[str] = []
    if "--" in words:
        at = words.index("--")
        words, arguments = words[:at], words[at + 1:]
    into = None
    if "--into" in words:
        at = words.index("--into")
        if at + 1 == len(words) or not words[at + 1].isidentifier():
            raise Error("%%heddle: --into needs the name of a variable")
        into = words[at + 1]
        del words[at:at + 2]
    if what == "compile" and not into:
        raise Error("%%heddle compile: --into NAME is needed, the variable for the module")
    return what, words, into, arguments


def _do(line: str, cell: str) -> Tuple[Optional[str], Any]:
    """Shows what there is to see; the variable's name and what goes there."""
    what, flags, into, arguments = _words(line)
    cell += "" if cell.endswith("\n") else "\n"
    if what == "compile":
        return into, compile_module(cell, name="cell.cu", options=flags)
    if what == "run":
        answer: Any = _program.run(cell, *arguments, flags=flags, name="cell.cu")
        sys.stdout.write(answer.output)
        sys.stderr.write(answer.errors)
        if answer.status and not into:
            sys.stderr.write(f"heddle run: status {answer.status}\n")
    elif what == "profile":
        answer = _program.profile(cell, *arguments, flags=flags, name="cell.cu")
        sys.stdout.write(answer.output)
        sys.stderr.write(answer.errors)
        if not into:
            sys.stdout.write(answer.report(*_of_report(flags)))
    else:
        answer = _program.check(cell, *arguments, flags=flags, name="cell.cu")
        sys.stdout.write(answer.output)
        if not into:
            sys.stdout.write(answer.report)
    return into, answer


_VALUED = ("--page", "--metrics", "--set", "--section", "--print-units", "--print-summary")


def _of_report(flags: List[str]) -> List[str]:
    """Flags that say what is shown, and not what is run."""
    out: List[str] = []
    for i, flag in enumerate(flags):
        if flag in _VALUED:
            out += flags[i:i + 2]
        elif flag.split("=")[0] in _VALUED or flag == "--csv":
            out.append(flag)
    return out


def register(shell: Any) -> None:
    """Makes the magic known; what is wrong is shown in words, without Python's frames."""

    def heddle(line: str, cell: str) -> None:
        try:
            into, answer = _do(line, cell)
        except (Error, ValueError) as e:
            sys.stderr.write(f"{e}\n")
            return
        if into:
            shell.user_ns[into] = answer

    heddle.__doc__ = USAGE
    shell.register_magic_function(heddle, "cell", "heddle")
