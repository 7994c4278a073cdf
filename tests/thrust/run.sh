# A program of this folder under `heddle run`, with Debian's headers of Thrust and CUB: run.sh PROGRAM. HEDDLE is the command.
# Status 77, which skips the test, where they are not installed.
test -e /usr/include/thrust/version.h -a -e /usr/include/cub/version.cuh || {
    echo "Thrust and CUB are not here (Debian's libthrust-dev and libcub-dev)"
    exit 77
}
"$HEDDLE" run -std=c++17 "$(dirname "$0")/$1.cu"
