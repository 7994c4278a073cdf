# A program in both executors and on three levels of the host: HEDDLE is the command, SOURCES this folder, PROGRAM its name there, TABLE (or not)
# a file that it wants.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$HEDDLE" build "$SOURCES/$PROGRAM.cu" -o "$folder/program"
HEDDLE_EXEC=interp HEDDLE_VERIFY=1 "$folder/program" $TABLE
for level in x86-64-v2 x86-64-v3 x86-64-v4; do # v3 and v4, or the highest that there is
    HEDDLE_ISA=$level HEDDLE_EXEC=jit "$folder/program" $TABLE
    HEDDLE_ISA=$level HEDDLE_EXEC=jit-first "$folder/program" $TABLE
    HEDDLE_ISA=$level HEDDLE_EXEC=jit HEDDLE_RESULTS="$folder/results" "$folder/program" $TABLE
done
echo "ALL DONE"
