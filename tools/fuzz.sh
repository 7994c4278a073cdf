#!/bin/sh
# Fuzzes what reads files and words of others with libFuzzer and the address and undefined-behaviour sanitizers, at low
# priority.
#
#   tools/fuzz.sh [TARGET|all [MINUTES [JOBS]]]      default: all targets one after the other, 10 minutes each, 2 jobs
#
# Targets: tests/fuzz/fuzz_TARGET.c. Builds in build-fuzz with clang-19, starts from tests/fuzz/corpus/TARGET, works in
# build-fuzz/corpus/TARGET and leaves findings in build-fuzz/TARGET-crash-*. Exit status 1 when there is one: add it to the
# corpus, minimised, with the fix. With MINIMISE=1 the corpus in tests/fuzz is replaced by a minimal set of the same coverage
# afterwards.
set -eu
cd "$(dirname "$0")/.."
targets=$(ls tests/fuzz/fuzz_*.c | sed 's,.*/fuzz_\(.*\)\.c,\1,' | grep -v '^json$')
[ "${1:-all}" = all ] || targets=$1
minutes=${2:-10}
jobs=${3:-2}
build=build-fuzz
CC=clang-19 CXX=clang++-19 cmake -G Ninja -S . -B $build -DHEDDLE_FUZZ=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
# shellcheck disable=SC2086,SC2046  # words
nice -n 19 ninja -C $build $(printf 'fuzz_%s ' $targets) >/dev/null
cd $build
status=0

fuzz() { # TARGET: $jobs processes that share a corpus
    target=$1
    seeds=../tests/fuzz/corpus/$target
    dict=../tests/fuzz/$target.dict
    [ -f "$dict" ] || dict=../tests/fuzz/json.dict
    common="-max_len=16384 -timeout=5 -rss_limit_mb=1024 -dict=$dict -artifact_prefix=$target- -print_final_stats=1"
    mkdir -p "corpus/$target"
    rm -f "$target"-*
    pids=
    i=0
    while [ $i -lt "$jobs" ]; do
        # shellcheck disable=SC2086  # words
        nice -n 19 "bin/fuzz_$target" $common -max_total_time=$((minutes * 60)) -reload=1 "corpus/$target" "$seeds" \
            >"$target-$i.log" 2>&1 &
        pids="$pids $!"
        i=$((i + 1))
    done
    for pid in $pids; do
        wait "$pid" || status=1
    done
    for log in "$target"-[0-9]*.log; do
        echo "$log: $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$log" | grep -o '[0-9]*$') executions," \
            "$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1)"
    done
    if ls "$target"-crash-* "$target"-timeout-* "$target"-oom-* "$target"-leak-* 2>/dev/null; then
        status=1
    fi
}

minimise() { # TARGET: short inputs that cover as much as all of them, then what still adds an edge
    rm -rf minimal
    mkdir minimal
    nice -n 19 "bin/fuzz_$1" -set_cover_merge=1 -max_len=4096 minimal "../tests/fuzz/corpus/$1" "corpus/$1" >"$1-merge.log" 2>&1
    nice -n 19 "bin/fuzz_$1" -merge=1 -use_counters=0 minimal "../tests/fuzz/corpus/$1" "corpus/$1" >>"$1-merge.log" 2>&1
    rm -rf "../tests/fuzz/corpus/${1:?}"
    cp -r minimal "../tests/fuzz/corpus/$1"
    echo "corpus/$1: $(ls minimal | wc -l) inputs, $(cat minimal/* | wc -c) bytes"
}

for target in $targets; do
    fuzz "$target"
    [ "${MINIMISE:-0}" = 0 ] || minimise "$target"
done
exit $status
