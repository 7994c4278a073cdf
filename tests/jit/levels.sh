# A program in both executors, on the highest level of the host and on one below it, which the source tree draws, and counted on one of these
# two: HEDDLE is the command, SOURCES this folder, PROGRAM its name there, TABLE (or not) a file that it wants.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/$PROGRAM.cu" -o "$folder/program"
HEDDLE_EXEC=interp HEDDLE_VERIFY=1 "$folder/program" $TABLE
set -- $(python3 "$SOURCES/../drawn.py" one "v2 v2" "v3 v3" "v2 v4" "v3 v4")
for level in x86-64-$1 x86-64-v4; do # or the highest that there is
    HEDDLE_ISA=$level HEDDLE_EXEC=jit "$folder/program" $TABLE
    HEDDLE_ISA=$level HEDDLE_EXEC=jit-first "$folder/program" $TABLE
    test $level = x86-64-$2 || continue
    HEDDLE_ISA=$level HEDDLE_EXEC=jit HEDDLE_RESULTS="$folder/results" "$folder/program" $TABLE
done
echo "ALL DONE"
