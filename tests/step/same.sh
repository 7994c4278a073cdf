#!/bin/sh
# What a program prints, and its exit status, are those of the interpreter when it is stepped.
# usage: same.sh HEDDLE FILE.cu
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" build -g -G "$2" -o "$folder/program"
status=0
HEDDLE_EXEC=interp "$folder/program" >"$folder/interp" 2>&1 || status=$?
stepped=0
HEDDLE_EXEC=step "$folder/program" >"$folder/step" 2>&1 || stepped=$?
[ "$status" = "$stepped" ] || { echo "FAILED: it ends with $stepped, and with $status when it is interpreted"; exit 1; }
diff "$folder/interp" "$folder/step"
[ -s "$folder/step" ] || { echo "FAILED: it prints nothing"; exit 1; }
echo "PASSED"
