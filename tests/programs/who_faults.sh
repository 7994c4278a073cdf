#!/bin/sh
# usage: who_faults.sh HEDDLE PROGRAM.cu FROM TO        kinds of faults: the message is the same in every executor, and under
# heddle profile the thread
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failed=0
for kind in $(seq "$3" "$4"); do
    for run in interp:1 interp:3 jit:1 jit:3 jit-first:1 auto:2; do
        HEDDLE_EXEC=${run%:*} HEDDLE_THREADS=${run#*:} "$1" run "$2" "$kind" > "$folder/$run" 2>&1
        cmp -s "$folder/interp:1" "$folder/$run" && continue
        echo "FAILED: kind $kind, $run:"
        diff "$folder/interp:1" "$folder/$run"
        failed=1
    done
    grep '^  by thread (' "$folder/interp:1" > "$folder/who"
    "$1" profile --metrics inst_executed --log-file "$folder/report" "$2" "$kind" 2>&1 | grep '^  by thread (' > "$folder/profiled"
    cmp -s "$folder/who" "$folder/profiled" || { echo "FAILED: kind $kind under profile:"; diff "$folder/who" "$folder/profiled"; failed=1; }
    grep -q 'by thread (' "$folder/interp:1" || { echo "FAILED: kind $kind names no thread"; cat "$folder/interp:1"; failed=1; }
done
exit $failed
