# Builds a CUDA program with the sanitizer build's heddle and runs it with counters on: program.sh FILE.cu
#
# The executable itself is clang's and has no sanitizer, libheddle.so has, so the sanitizer's library must be loaded
# first: LD_PRELOAD, for the program only (clang would have its own leaks reported). ASAN_LIBRARY names it. One pass
# over the program in profile mode takes every room: front end, executor, models, results.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$HEDDLE" build "$1" -o "$work/program" 2>"$work/messages" || { cat "$work/messages"; exit 1; }
LD_PRELOAD=$ASAN_LIBRARY HEDDLE_RESULTS=$work/results "$work/program" >"$work/out"
grep -c '^{"heddle_result"' "$work/results"
tail -n 1 "$work/out" | grep -x PASSED
