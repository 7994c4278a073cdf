#!/bin/sh
# Counters do not depend on chance: two profiles with 1 host thread and two with 2 give the same results, site by site.
# usage: deterministic.sh HEDDLE FILE.cu [ARGS]
heddle=$1
shift
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$heddle" build "$1" -o "$dir/program" || exit 1
shift
export HEDDLE_CACHE="$dir/cache" # without machine code at first
for threads in 1 2; do
    for run in a b; do
        results=$dir/$threads$run
        HEDDLE_THREADS=$threads HEDDLE_RESULTS=$results "$dir/program" "$@" >"$dir/out" || { cat "$dir/out"; exit 1; }
        [ -s "$results" ] || { echo "FAILED: no results"; exit 1; }
        sed 's/"pid": *[0-9]*//' "$results" >"$results.plain"
        if ! cmp -s "$dir/1a.plain" "$results.plain"; then
            echo "FAILED: run $run with $threads host threads gives other counters than the first run; first lines that differ:"
            diff "$dir/1a.plain" "$results.plain" | cut -c1-2000 | head -4
            exit 1
        fi
    done
done
echo "$(wc -l <"$dir/1a") launches, 4 runs alike"
