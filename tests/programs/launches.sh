#!/bin/sh
# Kernels that launch kernels, in two files and a header: the same in each executor, with a launch in the report for each child that
# names who launched it, and no finding of `heddle check`. usage: launches.sh HEDDLE FOLDER
set -eu
heddle=$1
cd "$2"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
program=$scratch/launches
"$heddle" build -rdc=true main.cu other.cu -o "$program"
for executor in auto interp jit jit-first; do
    HEDDLE_EXEC=$executor "$program"
done
"$heddle" profile --metrics inst_executed --log-file "$scratch/log" "$program"
# 1 parent, 20 of its own and of its children's, 1 from the host, 1 + 64 of the last one
[ "$(grep -c 'Context 1' "$scratch/log")" = 87 ]
grep -q 'of_header(int \*, int) .*, launched by from_header(int \*) (ID ' "$scratch/log"
grep -q 'grandparent(int \*, int) (1, 1, 1)x(3, 1, 1), .*, launched by grandparent(int \*, int) (ID ' "$scratch/log"
"$heddle" profile --metrics inst_executed --log-file "$scratch/again" "$program" > /dev/null
for log in log again; do
    grep -v "^==PROF== .*process" "$scratch/$log" > "$scratch/$log.same"
done
cmp "$scratch/log.same" "$scratch/again.same"
"$heddle" check --tool all --report-api-errors no "$program" 2>&1 | grep 'ERROR SUMMARY: 0 errors'
if "$heddle" build main.cu -o "$program" 2> "$scratch/errors"; then
    echo "FAILED: built without -rdc=true"
    exit 1
fi
grep 'rdc=true' "$scratch/errors"
