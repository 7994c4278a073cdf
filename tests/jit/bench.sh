# The kernels of the bench against native C: every third one, the first, second or third, as the source tree draws.
# usage: bench.sh HEDDLE ROOT
set -e
names=$(python3 "$2/bench/kernels.py" "$1" --list | awk "NR % 3 == $(python3 "$2/tests/drawn.py" one 0 1 2)" | tr -d , | paste -sd,)
test -n "$names"
echo "$names"
exec python3 "$2/bench/kernels.py" "$1" --check --only "$names"
