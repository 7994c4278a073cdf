"""Runs a notebook and compares what its cells print and answer with what is stored in it: notebook.py BUILD SOURCE NOTEBOOK.

By Jupyter (nbclient and ipykernel) where that is there, else in IPython. With UPDATE=1 the outputs are stored. Status 77,
skipped, where something is not there that the notebook needs."""
import importlib.util
import json
import os
import re
import sys

build, source, path = sys.argv[1:4]


def jupyter(book):
    """Outputs of each cell of code, as text."""
    import nbclient
    import nbformat
    copy = nbformat.reads(json.dumps(book), as_version=4)
    nbclient.NotebookClient(copy, timeout=150, kernel_name="python3").execute()
    return [cell["outputs"] for cell in copy["cells"] if cell["cell_type"] == "code"]


def ipython(book):
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    shell, out = InteractiveShell.instance(), []
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            with capture_output() as said:
                done = shell.run_cell("".join(cell["source"]), silent=False)
            done.raise_error()
            answer = [] if done.result is None else [{"data": {"text/plain": shell.display_formatter.format(done.result)[0]["text/plain"]}}]
            printed = re.split(r"Out\[\d+\]: ", said.stdout)[0] if answer else said.stdout
            out.append([{"name": "stdout", "text": printed}] + answer if printed.strip() else answer)
    return out


def joined(text):
    return text if isinstance(text, str) else "".join(text)


def text_of(outputs):
    """(what was printed, what is the cell's value)"""
    printed = "".join(joined(o["text"]) for o in outputs if "text" in o)
    values = "".join(joined(o["data"]["text/plain"]) for o in outputs if "data" in o)
    return printed.rstrip("\n"), values


def store(book, found):
    for cell, outputs in zip([c for c in book["cells"] if c["cell_type"] == "code"], found):
        printed, value = text_of(outputs)
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": (printed + "\n").splitlines(True)}] if printed else []
        if value:
            cell["outputs"].append({"data": {"text/plain": value.splitlines(True)}, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    with open(path, "w") as f:
        json.dump(book, f, indent=1, ensure_ascii=False)
        f.write("\n")


def main():
    for name in ("numpy", "pandas", "IPython"):
        if not importlib.util.find_spec(name):
            print(f"skipped: {sys.executable} has no {name} (Debian's package python3-{name.lower()})")
            return 77
    os.environ["HEDDLE_ROOT"] = build
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # a warning of ipykernel's debugger
    os.environ["PYTHONPATH"] = os.path.join(source, "python")
    sys.path.insert(0, os.path.join(source, "python"))
    with open(path) as f:
        book = json.load(f)
    by = jupyter if all(importlib.util.find_spec(name) for name in ("nbclient", "nbformat", "ipykernel")) and os.environ.get("NOTEBOOK_BY") != "ipython" else ipython
    found = by(book)
    if os.environ.get("UPDATE") == "1":
        store(book, found)
        return 0
    wrong = 0
    for number, (cell, outputs) in enumerate(zip([c for c in book["cells"] if c["cell_type"] == "code"], found), 1):
        for what, is_, was in zip(("prints", "answers"), text_of(outputs), text_of(cell["outputs"])):
            if is_ != was:
                wrong += 1
                print(f"cell {number} {what}\n{is_}\nwhere the notebook has\n{was}\n")
    print(f"{path}: {len(found)} cells run by {by.__name__}, {wrong} differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
