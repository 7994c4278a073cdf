"""The command `heddle`, and source text as files that it can read."""
from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Optional, Sequence, Union

from ._library import CompileError, Error, home

_folder: Optional[str] = None
_folder_of = 0


def _remove() -> None:
    if _folder and os.getpid() == _folder_of:
        shutil.rmtree(_folder, ignore_errors=True)


def folder() -> Path:
    """For files of this process; it is gone when the process ends."""
    global _folder, _folder_of
    if _folder is None or _folder_of != os.getpid():
        _folder, _folder_of = tempfile.mkdtemp(prefix="heddle-python-"), os.getpid()
        atexit.register(_remove)
    return Path(_folder)


def scratch() -> Path:
    """A file that nobody else has."""
    number, path = tempfile.mkstemp(dir=folder())
    os.close(number)
    return Path(path)


class Source:
    """CUDA source as a file: text gets one of its own, the same for the same text, so that what was compiled is found again.

    name: of the file; folder: where it lies; argument: what names it for a command that runs in the folder
    """

    def __init__(self, source: Union[str, Path], name: str = "kernel.cu"):
        self.own = isinstance(source, str) and ("\n" in source or "{" in source or not source)
        if not self.own:
            path = Path(source)
            if not path.exists():
                raise Error(f"'{path}': no such file (source text has at least one line break)")
            self.name, self.folder, self.argument = path.name, Path.cwd(), str(path)
            return
        if Path(name).name != name or name in ("", ".", ".."):
            raise ValueError(f"'{name}' is no name of a file")
        assert isinstance(source, str)
        self.folder = folder() / hashlib.sha256(source.encode(errors="surrogateescape")).hexdigest()[:16]
        self.folder.mkdir(exist_ok=True)
        self.name, self.argument = name, name
        new = scratch()  # another thread may be reading the same text there
        new.write_text(source, errors="surrogateescape")
        new.replace(self.folder / name)


def command(words: Sequence[str], cwd: Union[str, Path, None] = None, stdin: Optional[str] = None) -> "subprocess.CompletedProcess[str]":
    """Runs `heddle` with these words; stdout and stderr as text."""
    program = str(home() / "bin" / "heddle")
    try:
        return subprocess.run([program, *words], cwd=cwd, env={**os.environ, "HEDDLE_ROOT": str(home())}, input=stdin, stdin=None if stdin is not None else subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    except OSError as e:
        raise Error(f"cannot run '{program}': {e.strerror}") from None


# What begins a line where nothing was run: the compiler's messages, or the command's own.
_NOT_RUN = re.compile(r"^(heddle: error: |\S+:\d+:\d+: (fatal )?error: )", re.M)


def not_run(text: str) -> bool:
    return bool(_NOT_RUN.search(text))


def refused(text: str) -> Error:
    """Nothing was run: the compiler's messages, or why not."""
    return CompileError(text) if not_run(text) and not text.startswith("heddle: error: ") else Error(text or "heddle failed without a word")
