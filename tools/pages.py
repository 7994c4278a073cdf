#!/usr/bin/env python3
"""Manual pages and shell completion, from what the commands say with --help.

usage: pages.py HEDDLE FOLDER       (the program; where heddle.1.gz, heddle-run.1.gz ..., heddle.bash and _heddle are written)

A help text begins with what to type and what it does ("heddle run [FLAGS] FILE.cu [ARGS]: compile ..."; or several lines to type).
Indented lines are flags ("  -o, --export FILE            keep ..."), words with their meaning, or commands to copy; the rest is
prose. A text that has none of these forms, or a command without one, is an error.
"""
import gzip
import pathlib
import re
import subprocess
import sys

FLAG = re.compile(r"  (-[^\s,]+(?:, -[^\s,]+)*)(?: (\S+|\[[^\]]*\]))?(?:  +| (?=\S))(.*)")
WORD = re.compile(r"  (\S(?:\S| (?! ))*?)   +(\S.*)")


def said(heddle, *words):
    done = subprocess.run([heddle, *words], stdout=subprocess.PIPE, text=True)
    if done.returncode or not done.stdout.strip():
        sys.exit(f"pages.py: {' '.join(words)}: status {done.returncode}, {len(done.stdout)} characters")
    return done.stdout


def commands(heddle):
    """[(name, one line)]"""
    found = re.findall(r"^  heddle (\w+) +(.*)$", said(heddle, "help"), re.M)
    if len(found) < 10:
        sys.exit("pages.py: `heddle help` lists few commands")
    return [(name, line) for name, line in found if name != "help"]


def parts(text):
    """The help text as ("prose" | "item" | "copy", ...) in order; an item is (word, meaning)."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        prose = []
        for line in block.split("\n"):
            if not line.startswith("  "):
                prose.append(line)
                continue
            if prose:
                yield "prose", " ".join(prose)
                prose = []
            flag, word = FLAG.fullmatch(line), WORD.fullmatch(line)
            if flag:
                name, value, meaning = flag.groups()
                yield "item", (name + (" " + value if value else ""), meaning)
            elif word and not word.group(1).startswith("heddle "):
                yield "item", word.groups()
            else:
                yield "copy", line.strip()
        if prose:
            yield "prose", " ".join(prose)


def opening(text):
    """(lines to type, what is left of the text)"""
    lines = text.split("\n")
    typed = []
    while lines and (m := re.match(r"(?:usage: )?(heddle [^:]*?)(?:: (.*)|   .*)?$", lines[0])):
        typed.append(m.group(1).strip())
        lines.pop(0)
        if m.group(2):
            lines.insert(0, m.group(2)[0].upper() + m.group(2)[1:] + ".")
            break
    if not typed:
        sys.exit(f"pages.py: a help text begins with '{text[:60]}'")
    return typed, "\n".join(lines)


# --- man ---

def roff(s):
    s = s.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    return "\\&" + s if s.startswith((".", "'")) else s


def manual(version, name, line, text, others):
    typed, rest = opening(text) if name else (["heddle COMMAND [FLAGS] ..."], text.split("\n", 1)[1])
    title = f"heddle-{name}" if name else "heddle"
    out = [f'.TH {title.upper()} 1 "" "Heddle {version}" "User Commands"', ".SH NAME", f"{title} \\- {roff(line)}", ".SH SYNOPSIS", ".nf",
           *(roff(t) for t in typed), ".fi", ".SH DESCRIPTION"]
    for kind, what in parts(rest):
        if kind == "prose":
            out += [".PP"] * (out[-1] != ".SH DESCRIPTION") + [roff(what)]
        elif kind == "item":
            out += [".TP", f"\\fB{roff(what[0])}\\fR", roff(what[1])]
        else:
            out += [".PP", ".RS 4", ".nf", roff(what), ".fi", ".RE"]
    out += [".SH SEE ALSO", ", ".join(f"\\fB{o}\\fR(1)" for o in others if o != title)]
    return "\n".join(out) + "\n"


# --- completion ---

def flags(text):
    names = []
    for kind, what in parts(text):
        if kind == "item" and what[0].startswith("-"):
            names += re.findall(r"(?<![\w])--?[\w+-]+", what[0].split(" ")[0] + " " + " ".join(w for w in what[0].split(" ")[1:] if w.startswith("-")))
    return sorted(set(names))


BASH = """# bash completion for heddle; made by tools/pages.py from the commands' help
_heddle()
{{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands} help --help --version" -- "$current"))
        return
    fi
    case $before in
    --device)
        COMPREPLY=($(compgen -W "$(heddle devices 2>/dev/null | awk 'NR > 1 {{ print $1 }}')" -- "$current"))
        return ;;
    esac
    case $command in
{cases}
    esac
    case $current in
    -*) COMPREPLY=($(compgen -W "$words --help" -- "$current")) ;;
    *) [ "$command" = env ] && [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -c -- "$current")) ;;
    esac
}}
complete -o default -F _heddle heddle
"""

ZSH = """#compdef heddle
# zsh completion for heddle; made by tools/pages.py from the commands' help
local -a commands
commands=(
{commands}
)
if (( CURRENT == 2 )); then
    _describe command commands
    return
fi
if [[ $words[CURRENT-1] == --device ]]; then
    compadd -- ${{(f)"$(heddle devices 2>/dev/null | awk 'NR > 1 {{ print $1 }}')"}}
    return
fi
local -a flags
case $words[2] in
{cases}
esac
if [[ $words[CURRENT] == -* ]]; then
    _describe flag flags
else
    _files
fi
"""


def zsh_word(s):
    return s.replace("\\", "\\\\").replace("'", "'\\''").replace(":", "\\:")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    version = said(heddle, "--version").split()[1]
    known = commands(heddle)
    names = ["heddle"] + [f"heddle-{n}" for n, _ in known]
    texts = {n: said(heddle, n, "--help") for n, _ in known}
    pages = {"heddle": manual(version, "", "a CUDA machine you do not need a GPU for", said(heddle, "help"), names)}
    pages |= {f"heddle-{n}": manual(version, n, line, texts[n], names) for n, line in known}
    bash, zsh = [], []
    for n, _ in known:
        found = sorted({f for t in [texts[n]] + [texts["build"]] * ("`heddle build`" in texts[n]) for f in flags(t)})
        bash.append(f'    {n}) words="{" ".join(found)}" ;;')
        meaning = {f: what[1] for kind, what in [*parts(texts["build"]), *parts(texts[n])] if kind == "item" for f in re.findall(r"--?[\w+-]+", what[0])}
        zsh.append(f"    {n})\n        flags=(\n" + "\n".join(f"            '{zsh_word(f)}:{zsh_word(meaning.get(f, f))}'" for f in found) + "\n        ) ;;")
    (folder / "heddle.bash").write_text(BASH.format(commands=" ".join(n for n, _ in known), cases="\n".join(bash)))
    (folder / "_heddle").write_text(ZSH.format(commands="\n".join(f"    '{n}:{zsh_word(line)}'" for n, line in known), cases="\n".join(zsh)))
    for name, text in sorted(pages.items(), reverse=True): # heddle.1.gz last: the build looks at that one
        (folder / f"{name}.1.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


main()
