# Builds a CUDA program with the sanitizer build's heddle and runs it with counters on: program.sh FILE.cu
#
# The executable itself is clang's and has no sanitizer, our libraries have, so the sanitizer's library must be loaded
# first: LD_PRELOAD, for the program only (clang would have its own leaks reported). ASAN_LIBRARY names it. One pass
# over the program in profile mode takes every room: front end, executor, models, results. The search for leaks stops the
# program's threads and now and then crashes itself when one of them is just ending, which says nothing about the program:
# then it is run again.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$HEDDLE" build "$1" -o "$work/program" 2>"$work/messages" || { cat "$work/messages"; exit 1; }
for try in 1 2 3; do
  rm -f "$work/results"
  status=0
  LD_PRELOAD=$ASAN_LIBRARY HEDDLE_RESULTS=$work/results "$work/program" >"$work/out" 2>"$work/messages" || status=$?
  cat "$work/messages" >&2
  [ $status = 0 ] && break
  grep -q 'LeakSanitizer has encountered a fatal error' "$work/messages" || exit $status
done
[ $status = 0 ]
grep -c '^{"heddle_result"' "$work/results"
tail -n 1 "$work/out" | grep -x PASSED
