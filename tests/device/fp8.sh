# cuda_fp8.h, every code and every half, on both sides and by both executors: what tests/truth/libraries/fp8.cu prints is its table.
# For compute capability 8.0 there are no instructions for it, so the header computes. HEDDLE is the command.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
truth=$SOURCES/../truth/libraries
for arch in sm_90 sm_80; do
    "$HEDDLE" build -std=c++17 -arch=$arch "$truth/fp8.cu" -o "$folder/fp8"
    for executor in jit interp; do
        HEDDLE_EXEC=$executor "$folder/fp8" >"$folder/out"
        diff "$truth/fp8.tsv" "$folder/out" | head -20
        cmp "$truth/fp8.tsv" "$folder/out"
    done
done
test "$(wc -l <"$truth/fp8.tsv")" = 3328
echo "ALL DONE"
