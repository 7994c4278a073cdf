# Runs a CUDA program with the thread sanitizer build's heddle: threads.sh run|profile|check FILE.cu [OPTION...]
#
# Our libraries have the sanitizer, the executable, which is clang's, has not: so the sanitizer's library is loaded first
# (TSAN_LIBRARY names it), for the program and for the command that starts it, not for clang. OPTION: the command's; of `run` the
# program's arguments. A report of the sanitizer is a failure, wherever it came from.
set -eu
command=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$HEDDLE" build "$source" -o program 2>messages || { cat messages; exit 1; }
status=0
export TSAN_OPTIONS="history_size=7 log_path=$work/report"
if [ "$command" = run ]; then
  LD_PRELOAD=$TSAN_LIBRARY ./program "$@" >out 2>messages || status=$?
else
  LD_PRELOAD=$TSAN_LIBRARY "$HEDDLE" "$command" "$@" ./program >out 2>messages || status=$?
fi
cat messages
grep -v '^   ' out || :
cat report.* 2>/dev/null && exit 1
[ $status = 0 ] || exit $status
grep -x PASSED out
if [ "$command" = check ]; then grep -x '========= ERROR SUMMARY: 0 errors' out messages; fi
