#!/bin/sh
# A kernel without effect is told of, once, where a program is looked at, and only there.
# usage: no_effect.sh HEDDLE PROGRAM.cu
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wanted="heddle: kernel 'never(float *, int)' has no effect: its code stores nothing, so the compiler left out what it computes
heddle: kernel 'nothing()' has no effect: its code stores nothing, so the compiler left out what it computes"
status=0
for how in check profile run; do
    "$1" $how "$2" >"$scratch/out" 2>"$scratch/err" || { echo "FAILED: $how"; status=1; }
    grep -q PASSED "$scratch/out" || { echo "FAILED: $how does not pass"; status=1; }
    said=$(cat "$scratch/out" "$scratch/err" | grep 'has no effect')
    [ $how = run ] && wanted=
    [ "$said" = "$wanted" ] || { echo "FAILED: $how said '$said'"; status=1; }
done
exit $status
