#!/bin/sh
# Fuzzes the PTX parser with libFuzzer and the address and undefined-behaviour sanitizers, at low priority.
#
#   tools/fuzz.sh [MINUTES] [JOBS]      default: 10 minutes, 2 jobs
#
# Builds in build-fuzz with clang-19, starts from tests/fuzz/corpus/ptx, works in build-fuzz/corpus and leaves findings
# in build-fuzz/crash-*. Exit status 1 when there is one: add it to the corpus, minimised, with the fix. With
# MINIMISE=1 the corpus in tests/fuzz is replaced by a minimal set of the same coverage afterwards.
set -eu
minutes=${1:-10}
jobs=${2:-2}
cd "$(dirname "$0")/.."
build=build-fuzz
seeds=tests/fuzz/corpus/ptx
CC=clang-19 CXX=clang++-19 cmake -G Ninja -S . -B $build -DHEDDLE_FUZZ=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
nice -n 19 ninja -C $build fuzz_ptx >/dev/null
mkdir -p $build/corpus
cd $build
rm -f fuzz-[0-9]*.log crash-* timeout-* oom-* leak-*
common="-max_len=8192 -timeout=5 -rss_limit_mb=1024 -dict=../tests/fuzz/ptx.dict -print_final_stats=1"
pids=
i=0
while [ $i -lt "$jobs" ]; do
    # shellcheck disable=SC2086
    nice -n 19 bin/fuzz_ptx $common -max_total_time=$((minutes * 60)) -reload=1 corpus ../$seeds >fuzz-$i.log 2>&1 &
    pids="$pids $!"
    i=$((i + 1))
done
status=0
for pid in $pids; do
    wait "$pid" || status=1
done
for log in fuzz-[0-9]*.log; do
    echo "$log: $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$log" | grep -o '[0-9]*$') executions," \
        "$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1)"
done
ls crash-* timeout-* oom-* leak-* 2>/dev/null && status=1
if [ "${MINIMISE:-0}" = 1 ]; then
    # short inputs that cover as much as all of them, then what still adds an edge
    rm -rf minimal && mkdir minimal
    nice -n 19 bin/fuzz_ptx -set_cover_merge=1 -max_len=1200 minimal ../$seeds corpus >merge.log 2>&1
    nice -n 19 bin/fuzz_ptx -merge=1 -use_counters=0 $common minimal ../$seeds corpus >>merge.log 2>&1
    rm -rf "../${seeds:?}" && cp -r minimal ../$seeds
    echo "$seeds: $(ls ../$seeds | wc -l) inputs, $(cat ../$seeds/* | wc -c) bytes"
fi
exit $status
