#!/bin/bash
# Installs what is missing, builds, runs all tests, then the sanitizers' subset of them. Usage: ./test.sh
#
# The last line sums all runs: "N passed, N failed", and ", N skipped" where there are any. Exit code 0 only if
# nothing failed. Logs are in build/log/.
set -u
cd "$(dirname "$0")" || exit 1
. tools/setup.sh

passed=0 failed=0 skipped=0 whole=false

closing() { # the last line, whatever happened; a run that did not get to its end (a failed build, say) is a failure
    $whole || failed=$((failed + 1))
    say ""
    if [ "$skipped" -gt 0 ]; then
        say "$passed passed, $failed failed, $skipped skipped"
    else
        say "$passed passed, $failed failed"
    fi
    [ "$failed" -eq 0 ] || exit 1
}
trap closing EXIT

[ $# -eq 0 ] || fail "test.sh takes no arguments: '$1' (for some of the tests: ctest --test-dir build -R NAME)"

# count LOG STATUS: adds the tests of one run of ctest. A run that failed without a failing test counts as one failure.
count() {
    local p f s
    p=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed ' "$1")
    s=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*(Skipped|Not Run \(Disabled\))' "$1")
    f=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: ' "$1")
    f=$((f - p - s))
    if [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

run_tests() { # FOLDER WHAT CTEST-OPTION...
    local folder="$1" log="$logs/test-$1.log" status
    say "" "$2"
    shift 2
    # shellcheck disable=SC2086  # words
    ${under:-} ctest --test-dir "$folder" --output-on-failure --no-tests=error --timeout 300 -j "$(jobs_to_use)" "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    count "$log" "$status"
}

setup_packages
# Where `python3` is a script of a version manager it takes half a second to start: what it starts comes first in PATH.
if [ "$(head -c 2 "$(command -v python3)" 2>/dev/null | tr -d '\0')" = "#!" ] && python=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'); then
    PATH=$python:$PATH
fi
export HEDDLE_CACHE=$PWD/build/tests/cache # one for all tests: headers are precompiled once, programs compiled once
setup_build build
pass=$PWD/build/src/compile/CMakeFiles/heddle_device_pass.dir/Unity/unity_0_cxx.cxx.o # no sanitizer looks at it
run_tests build "all tests" -LE truth
targets=sanitize setup_build build-asan -DHEDDLE_SANITIZE=ON -DHEDDLE_DEVICE_PASS="$pass"
run_tests build-asan "unit tests and a subset of the programs under the address and undefined-behaviour sanitizers" -L sanitize
targets=threads setup_build build-tsan -DHEDDLE_TSAN=ON -DHEDDLE_DEVICE_PASS="$pass"
# gcc 12's thread sanitizer does not start where addresses are random in more than 28 bits (sysctl vm.mmap_rnd_bits).
under=$(setarch -R echo setarch -R 2>/dev/null) run_tests build-tsan "streams and host threads under the thread sanitizer" -L threads
if echo 'int main(void) { return 0; }' | clang-19 -fsanitize=memory -x c -o /dev/null - 2>/dev/null; then
    CC=clang-19 CXX=clang++-19 targets=msan setup_build build-msan -DHEDDLE_MSAN=ON
    run_tests build-msan "parser and interpreter under the memory sanitizer" -L msan
else
    say "" "memory sanitizer: skipped, Debian's package libclang-rt-19-dev is not there"
    skipped=$((skipped + 1))
fi
python3 tools/suites.py >"$logs/suites.md" && say "" "minutes by suite: $logs/suites.md"
whole=true
