#!/bin/bash
# What NVIDIA's compute-sanitizer says of the planted bugs of tests/check/mutants, on a machine with a GPU of compute capability
# 9.0, nvcc and compute-sanitizer.
#
# usage: mutants_sanitizer.sh OUT.tsv [PROGRAM ...]
#
# Builds each program of mutants.tsv with each bug and without (nvcc -arch=sm_90 -lineinfo), then runs it alone five times, and
# once under memcheck, initcheck, synccheck and racecheck. OUT.tsv gets a row for each bug and tool:
#
#   errors  of the tool's summary; racecheck: errors and warnings; `plain`: how many of the five runs did not print PASSED
#   exit    exit status, 124 where the time was up; `plain`: of the last run
#   says    PASSED, FAILED or -, as the program printed
#   lines   lines of the program that the report names, in its order, eight at most
#   first   the report's first finding
#
# Rows that OUT.tsv has already are not run again, and what OUT.tsv.bin holds is not built again, so it goes on where it was
# stopped. Bugs that may hang run last and fewer at once: a kernel that spins takes its share of the GPU from all others.
# JOBS (12), HANGING_JOBS (4), LIMIT (20 seconds a run; 6 for bugs that must hang) may be set.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath "$1")
shift
export here out bin=$out.bin LIMIT=${LIMIT:-20}
mkdir -p "$bin"
[ -s "$out" ] || printf 'program\tbug\ttool\terrors\texit\tsays\tlines\tfirst\n' >"$out"

build() { # PROGRAM BUG
    [ -x "$bin/$1.$2" ] && return
    if nvcc -arch=sm_90 -std=c++17 -lineinfo -w "-DBUG=$2" -o "$bin/$1.$2.new" "$here/mutants/$1.cu" 2>"$bin/$1.$2.log"; then
        mv "$bin/$1.$2.new" "$bin/$1.$2"
    else
        echo "$1 -DBUG=$2 does not compile: $bin/$1.$2.log" >&2
    fi
}

says() { # FILE
    grep -oE '^(PASSED|FAILED)$' "$1" | head -1 | grep . || echo -
}

row() { # what is printed to stdout in one piece, with an empty field as -
    local IFS=$'\t'
    printf '%s\n' "$*" >>"$out"
}

run() { # PROGRAM BUG TOOL LIMIT
    [ -x "$bin/$1.$2" ] || return
    grep -qP "^$1\t$2\t$3\t" "$out" && return
    local log report errors=0 status=0 i
    log=$(mktemp) report=$(mktemp)
    if [ "$3" = plain ]; then
        for i in 1 2 3 4 5; do
            timeout -k 2 "$4" "$bin/$1.$2" >"$log" 2>&1
            status=$?
            grep -q '^PASSED$' "$log" || errors=$((errors + 1))
            [ $status = 124 ] && break # it would take as long again
        done
        row "$1" "$2" plain "$errors" "$status" "$(says "$log")" - -
    else
        timeout -k 2 "$4" compute-sanitizer --tool "$3" --log-file "$report" "$bin/$1.$2" >"$log" 2>&1
        status=$?
        errors=$(sed -nE 's/.*ERROR SUMMARY: ([0-9]+) error.*/\1/p; s/.*RACECHECK SUMMARY: .*\(([0-9]+) errors?, ([0-9]+) warnings?\).*/\1 \2/p' \
            "$report" | tail -1)
        lines=$(grep -v 'Host Frame' "$report" | grep -oE "$1\.cu:[0-9]+" | sed 's/.*://' | awk '!seen[$0]++' | head -8 | paste -sd,)
        first=$(grep -E '^=========' "$report" | grep -vE 'COMPUTE-SANITIZER|SUMMARY|^=========( *| Saved host.*| +Host Frame.*)$' |
            head -1 | sed -E 's/^=+ *//' | tr '\t' ' ' | sed -E 's#[^ ]*/##g' | cut -c1-200)
        row "$1" "$2" "$3" "${errors:--}" "$status" "$(says "$log")" "${lines:--}" "${first:--}"
    fi
    rm -f "$log" "$report"
}
export -f build says row run

# PROGRAM BUG HANGS of the rows that are asked for.
wanted=$(awk -F'\t' -v only=" $* " 'NR > 1 && (only == "  " || index(only, " " $1 " ")) { print $1, $2, $9 }' "$here/mutants.tsv")
started=$(date +%s)
awk '{ print $1, $2 }' <<<"$wanted" | xargs -P "${JOBS:-12}" -L 1 bash -c 'build "$@"' -
echo "built in $(($(date +%s) - started)) s"
for tool in plain memcheck initcheck synccheck racecheck; do
    awk -v tool=$tool -v limit="$LIMIT" '$3 == "no" { print $1, $2, tool, limit }' <<<"$wanted"
done | xargs -P "${JOBS:-12}" -L 1 bash -c 'run "$@"' -
echo "those that end: $(($(date +%s) - started)) s"
for tool in plain memcheck initcheck synccheck racecheck; do
    awk -v tool=$tool -v limit="$LIMIT" '$3 != "no" { print $1, $2, tool, $3 == "yes" ? 6 : limit }' <<<"$wanted"
done | xargs -P "${HANGING_JOBS:-4}" -L 1 bash -c 'run "$@"' -
echo "all: $(($(date +%s) - started)) s, $(($(wc -l <"$out") - 1)) rows"
