#!/bin/sh
# Kernels that wait for other streams' kernels: profiled ones end, with the same report in every run, in the order of their launches;
# checked ones say why they do not. usage: waits.sh HEDDLE PROGRAM.cu
set -eu
heddle=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$heddle" build "$2" -o "$scratch/waits"
"$scratch/waits"
for groups in "--metrics inst_executed" "--set full"; do
    for run in 1 2; do
        timeout 60 "$heddle" profile $groups --log-file "$scratch/log" "$scratch/waits"
        grep -v '^==PROF==' "$scratch/log" > "$scratch/$run"
    done
    cmp "$scratch/1" "$scratch/2"
    [ "$(grep -o '^ *[a-z]*(.*Context 1' "$scratch/1" | sed 's/(.*//' | tr -d ' \n')" = firstsecondthirdlast ]
done
timeout 6 "$heddle" check "$scratch/waits" 2> "$scratch/said" || true
grep "kernel 'first(int volatile \*, int \*)' waits in a loop" "$scratch/said"
