# A program in both executors, on the highest level of the host and on one below it, which the source tree draws: HEDDLE is the command,
# SOURCES this folder, PROGRAM its name there, TABLE (or not) a file that it wants.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/$PROGRAM.cu" -o "$folder/program"
HEDDLE_EXEC=interp HEDDLE_VERIFY=1 "$folder/program" $TABLE
for level in $(python3 "$SOURCES/../drawn.py" one x86-64-v2 x86-64-v3) x86-64-v4; do # or the highest that there is
    HEDDLE_ISA=$level HEDDLE_EXEC=jit "$folder/program" $TABLE
    HEDDLE_ISA=$level HEDDLE_EXEC=jit-first "$folder/program" $TABLE
    HEDDLE_ISA=$level HEDDLE_EXEC=jit HEDDLE_RESULTS="$folder/results" "$folder/program" $TABLE
done
echo "ALL DONE"
