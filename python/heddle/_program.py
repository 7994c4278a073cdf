"""Whole programs: run, profiled, checked, by the command `heddle`."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterable, List, NamedTuple, Sequence, Union

from ._command import Source, command, not_run, refused, scratch
from ._library import Error, shown
from ._result import Findings, Profile, Result


class Run(NamedTuple):
    """A program's stdout, stderr and exit status."""

    output: str
    errors: str
    status: int


def _words(what: str, source: Source, arguments: Sequence[Any], flags: Sequence[str], device: Any) -> List[str]:
    named = [] if device is None else ["--device", getattr(device, "id", device)]
    return [what, *named, *map(str, flags), source.argument, *map(str, arguments)]


def run(program: Union[str, Path], *arguments: Any, flags: Sequence[str] = (), device: Any = None, name: str = "program.cu") -> Run:
    """Compiles a CUDA program (once) and runs it: a .cu file's path, or source text (a str with a line break).

    arguments: the program's; flags: those of `heddle run`; device: a name or a heddle.Device. A program that does not compile
    is a CompileError; how it ends is in `status`.
    """
    source = Source(program, name)
    done = command(_words("run", source, arguments, flags, device), cwd=source.folder)
    if done.returncode == 1 and not done.stdout and not_run(done.stderr):
        raise refused(done.stderr)
    return Run(done.stdout, done.stderr, done.returncode)


def profile(program: Union[str, Path], *arguments: Any, flags: Sequence[str] = (), device: Any = None, name: str = "program.cu") -> Profile:
    """Runs a program and answers its launches' counters; flags: those of `heddle profile` (["-k", "saxpy", "--metrics", "..."]).
    A program that does not compile is a CompileError; what it writes and how it ends is in the Profile."""
    source, file, log = Source(program, name), scratch(), scratch()
    try:
        done = command(_words("profile", source, arguments, [*flags, "-f", "-o", str(file), "--log-file", str(log)], device), cwd=source.folder)
        results = [Result.from_json(line) for line in file.read_text().splitlines() if line and not line.startswith("#")]
        if done.returncode and not results:
            raise refused(done.stderr + log.read_text())
    finally:
        for path in (file, log):
            path.unlink(missing_ok=True)
    return Profile(results, done.stdout, done.stderr, done.returncode)


def check(program: Union[str, Path], *arguments: Any, flags: Sequence[str] = (), device: Any = None, name: str = "program.cu") -> "Checked":
    """Runs a program under the checkers and answers what they found; flags: those of `heddle check` (["--tool", "racecheck"])."""
    source, file, log = Source(program, name), scratch(), scratch()
    file.unlink()  # there afterwards: the program was run
    try:
        done = command(_words("check", source, arguments, [*flags, "--json", str(file), "--log-file", str(log)], device), cwd=source.folder)
        report = shown(log.read_text())
        if not file.exists():
            raise refused(done.stderr + report)
        found = [json.loads(line) for line in file.read_text().splitlines()]
    finally:
        for path in (file, log):
            path.unlink(missing_ok=True)
    return Checked(found, report, done.stdout, done.stderr, done.returncode)


class Checked(Findings):
    """Findings of a program. report: as `heddle check` prints it; output, errors, status: the program's."""

    def __init__(self, findings: Iterable[Any], report: str, output: str, errors: str, status: int):
        super().__init__(findings)
        self.report, self.output, self.errors_output, self.status = report, output, errors, status

    def __str__(self) -> str:
        return self.report


def load_profile(path: Union[str, Path]) -> Profile:
    """Reads what `heddle profile -o FILE` kept."""
    try:
        text = Path(path).read_text()
    except OSError as e:
        raise Error(f"cannot read results from '{path}': {e.strerror}") from None
    results = []
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith("#"):
            try:
                results.append(Result.from_json(line))
            except Error as e:
                raise Error(f"{path}:{number}: {e}", e.status) from None
    return Profile(results)


def report_of(results: Iterable[Result], flags: Sequence[str]) -> str:
    file = scratch()
    try:
        file.write_text("".join(r.to_json() for r in results))
        done = command(["profile", "-i", str(file), "--log-file", str(file) + ".txt", *map(str, flags)])
        log = Path(str(file) + ".txt")
        text = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
    finally:
        file.unlink(missing_ok=True)
    if done.returncode:
        raise Error(done.stderr + text)
    return shown(done.stdout + text)
