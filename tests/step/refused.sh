#!/bin/sh
# What cannot be stepped though HEDDLE_EXEC demands it fails by name.
# usage: refused.sh HEDDLE FILE.cu
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
says() { # WHAT COMMAND...
    what=$1
    shift
    HEDDLE_EXEC=step "$@" >"$folder/said" 2>&1 || true
    grep -q "$what" "$folder/said" || { cat "$folder/said"; echo "FAILED: '$what' is not said by: $*"; exit 1; }
}
"$1" build "$2" -o "$folder/plain"
says "kernel 'void sums<float>(.*)' was not built to be stepped: build with -G" "$folder/plain"
"$1" build -G -ptx "$2" -o "$folder/walk.ptx"
"$1" build -G --device-ptx "$folder/walk.ptx" "$2" -o "$folder/parts"
says "was not built to be stepped: build with -G, all files of -rdc=true, and without --device-ptx" "$folder/parts"
"$1" build -G "$2" -o "$folder/debug"
says "launches that are profiled, checked or observed cannot be stepped" "$1" check "$folder/debug"
echo PASSED
