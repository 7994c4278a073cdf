#!/bin/sh
# `cmake --install`: everything through PATH from a folder that was moved afterwards, without HOME; programs found by pkg-config and
# find_package; manual pages, completion; uninstalled without a trace. usage: install.sh BUILD SOURCE
set -u
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

. "$source/tests/expect.sh"

# The list of what was installed lies in the build, where another test may install, too: take it at once.
put() { cmake --install "$build" --prefix "$1" --strip && cp "$build/install_manifest.txt" manifest; }
expect 0 "" put "$work/first"
mv first moved
root=$work/moved
clean() { env -i PATH="$root/bin:/usr/local/bin:/usr/bin:/bin" TMPDIR="$work" "$@"; }
version=$(sed -n 's/^#define HEDDLE_VERSION "\(.*\)"/\1/p' "$source/api/heddle/heddle.h")

expect 0 "^heddle $version$" clean heddle --version
expect 0 "NVIDIA H200" clean heddle devices
cp "$source"/examples/*.h "$source/examples/vector_add.cu" "$source/examples/matmul_tiled.cu" "$source/examples/embed/embed.c" "$source/examples/embed/saxpy.ptx" .
expect 0 "" clean heddle run vector_add.cu
expect 0 "dram__bytes_read.sum" clean heddle profile --page raw vector_add.cu
expect 0 "0 errors" clean heddle check vector_add.cu
expect 0 "matmul_tiled" clean heddle compare matmul_tiled.cu -k matmul_naive -k matmul_tiled
expect 0 "^	*vmov\|^	*mov" clean heddle asm vector_add.cu
HEDDLE_EXEC=jit expect 0 "" clean env HEDDLE_EXEC=jit heddle run vector_add.cu
expect 0 "release 12" clean heddle env nvcc --version
expect 0 "" clean heddle build vector_add.cu -o vector_add
expect 0 "" clean ./vector_add
expect 0 "RUNPATH.*$root/lib.*/heddle/lib" readelf -d vector_add

# nothing leads back into the build
expect 1 "" sh -c "find moved -type f -exec grep -l -F '$build' {} + "
expect 1 "" sh -c "find moved -xtype l | grep ."

# Python's package finds all beside itself
expect 0 "^$version 0 32.0$" clean env PYTHONPATH="$root/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1 PATH=/usr/bin:/bin \
    python3 -c 'import heddle
k = heddle.compile("__global__ void f(int *p) { }\n")["f"]
k[1, 32](None)
print(heddle.__version__, heddle.run("vector_add.cu").status, k[1, 32].profile(None)["launch__block_size"])'

# C programs by pkg-config, C and C++ ones by find_package
libdir=$(dirname "$(find moved -name heddle.pc)")
PKG_CONFIG_PATH=$work/$libdir
export PKG_CONFIG_PATH
expect 0 "^$version$" pkg-config --modversion heddle
# shellcheck disable=SC2046  # words
expect 0 "" cc embed.c $(pkg-config --cflags --libs heddle) -Wl,-rpath,"$(pkg-config --variable=libdir heddle)" -o embed
expect 0 "0 of 4096 elements are wrong" ./embed saxpy.ptx
mkdir project
cp embed.c project
cat >project/copy.cpp <<'END'
#include <cuda_runtime_api.h>
#include <heddle_cuda.h>
int main()
{
    void *p;
    int x = 7, y = 0;
    heddle_device *d;
    return cudaMalloc(&p, 4) || cudaMemcpy(p, &x, 4, cudaMemcpyHostToDevice) || cudaMemcpy(&y, p, 4, cudaMemcpyDeviceToHost) || y != 7 ||
           heddle_cuda_device(0, &d) || heddle_version()[0] != HEDDLE_VERSION[0];
}
END
cat >project/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.18)
project(project C CXX)
find_package(Heddle ${version%.*} REQUIRED)
add_executable(embed embed.c)
target_link_libraries(embed Heddle::heddle)
add_executable(copy copy.cpp)
target_link_libraries(copy Heddle::cudart Heddle::heddle)
END
expect 0 "" cmake -S project -B made -DCMAKE_PREFIX_PATH="$root"
expect 0 "" cmake --build made
expect 0 "0 of 4096 elements are wrong" made/embed saxpy.ptx
expect 0 "" made/copy

# to read, and for shells
for page in heddle heddle-run heddle-profile heddle-check; do
    expect 0 "^SYNOPSIS\|^.SH SYNOPSIS" sh -c "zcat moved/share/man/man1/$page.1.gz"
done
cat >complete.bash <<'END'
. moved/share/bash-completion/completions/heddle
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); COMPREPLY=(); _heddle; echo "${COMPREPLY[*]}"; }
try heddle pro
try heddle profile --met
try heddle profile --device h200
END
clean bash complete.bash >completed 2>&1
[ "$(cat completed)" = "$(printf 'profile\n--metrics\nh200')" ] || { echo "FAILED: completion:"; cat completed; failed=1; }
if command -v zsh >/dev/null; then
    expect 0 "" zsh -n moved/share/zsh/site-functions/_heddle
fi

# away again
expect 0 "" put "$work/second"
[ -x second/bin/heddle ] || { echo "FAILED: second/bin/heddle is not there"; failed=1; }
expect 0 "" cmake -DMANIFEST="$work/manifest" -P "$build/packaging/uninstall.cmake"
expect 1 "" sh -c 'find second ! -type d | grep .'
expect 1 "" sh -c 'find second -iname "*heddle*" | grep .'
exit $failed
