# Functions that ./demo.sh and ./test.sh share (to be sourced by bash, in the root of the source tree).
#
# What comes in: tools/packages.txt. What goes out: the packages are there, and a build folder is built. Every step
# prints one line; what its commands said goes to a log, of which the end is shown if the step fails. A step that has
# nothing to do needs no network and no privileges.

logs=build/log

say() { printf '%s\n' "$@"; } # a line for each word

fail() { # WHAT [LOG]: says what failed and where to read more, and ends the script
    say "" "failed: $1" >&2
    if [ -n "${2:-}" ] && [ -s "$2" ]; then
        say "the last lines of $2:" >&2
        tail -n 25 "$2" | sed 's/^/    /' >&2
        say "all of it: $2" >&2
    fi
    exit 1
}

progress() { # LOG WHAT: on a terminal, how far the build is that writes this log, or how long it has taken
    local at start=$SECONDS
    while sleep 1; do
        at=$(tail -c 2000 "$1" | tr '\r' '\n' | sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/\1/p' | tail -n 1)
        printf '\r%s ... %s %d s ' "$2" "$at" $((SECONDS - start))
    done
}

step() { # NAME WHAT COMMAND...: runs the command with its output in $logs/NAME.log
    local log="$logs/$1.log" what="$2" start=$SECONDS watch="" status
    shift 2
    mkdir -p "$logs"
    printf '%s ...' "$what"
    : >"$log"
    if [ -t 1 ]; then
        progress "$log" "$what" &
        watch=$!
    fi
    "$@" >"$log" 2>&1
    status=$?
    if [ -n "$watch" ]; then
        kill "$watch" 2>/dev/null
        wait "$watch" 2>/dev/null
        printf '\r\033[K%s ...' "$what"
    fi
    if [ "$status" -ne 0 ]; then
        printf ' failed\n'
        fail "$what ($*)" "$log"
    fi
    printf ' done (%d s)\n' $((SECONDS - start))
}

packages() { # prints lines "package|command" of tools/packages.txt
    sed -E 's/#.*//; /^[[:space:]]*$/d; s/[[:space:]]*\|[[:space:]]*/|/g' tools/packages.txt | cut -d'|' -f1,2
}

missing_packages() {
    local package command
    while IFS='|' read -r package command; do
        # shellcheck disable=SC2086  # the command is words
        $command >/dev/null 2>&1 || printf '%s ' "$package"
    done < <(packages)
}

setup_packages() { # installs what is missing; says nothing is missing otherwise
    local missing as_root=""
    missing=$(missing_packages)
    if [ -z "$missing" ]; then
        say "packages: all there"
        return
    fi
    say "packages missing: $missing"
    command -v apt-get >/dev/null ||
        fail "no apt-get here: install these by hand (Debian's names; tools/packages.txt says what each is for): $missing"
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null ||
            fail "installing them needs root, or sudo: run 'apt-get install $missing' as root, then this again"
        as_root="sudo"
    fi
    as_root="$as_root env DEBIAN_FRONTEND=noninteractive"
    # shellcheck disable=SC2086  # words
    step apt-update "package lists" $as_root apt-get update
    # shellcheck disable=SC2086  # words
    step apt-install "installing" $as_root apt-get install -y --no-install-recommends $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || fail "still missing after the installation: $missing" "$logs/apt-install.log"
}

jobs_to_use() { # processors, but no more than memory allows at about 1 GiB each
    local n kib
    n=$(nproc 2>/dev/null || echo 1)
    kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || echo 0)
    if [ "${kib:-0}" -gt 0 ] && [ $((kib / 1048576)) -lt "$n" ]; then
        n=$((kib / 1048576))
    fi
    [ "$n" -ge 1 ] || n=1
    echo "$n"
}

setup_build() { # FOLDER [CMAKE OPTION...]: configures and builds; $targets says what, if not all
    local folder="$1"
    shift
    step "configure-$folder" "configuring $folder/" cmake -G Ninja -S . -B "$folder" "$@"
    # shellcheck disable=SC2086  # words
    step "build-$folder" "building $folder/" ninja -C "$folder" -j "$(jobs_to_use)" ${targets:-}
}
