# Local arrays are aligned as nvcc 13.0.88 aligns them, structs by their members, and more where accesses say so.
. "$SOURCES/common.sh"

cat >locals.cu <<'END'
struct four { int a, b, c, d; };
struct three { char c[3]; };
struct block { int v[8]; };
template <class T> __device__ __noinline__ void keep(T *p) { asm volatile("" ::"l"(p) : "memory"); }
#define KERNEL(name, declaration) extern "C" __global__ void name() { declaration; keep(&x); }
KERNEL(of_char8, char x[8])
KERNEL(of_char12, char x[12])
KERNEL(of_char15, char x[15])
KERNEL(of_char16, char x[16])
KERNEL(of_char17, char x[17])
KERNEL(of_char100, char x[100])
KERNEL(of_short9, short x[9])
KERNEL(of_int2x2, int x[2][2])
KERNEL(of_float4, float x[4])
KERNEL(of_float5, float x[5])
KERNEL(of_float6, float x[6])
KERNEL(of_double1, double x[1])
KERNEL(of_double2, double x[2])
KERNEL(of_double3, double x[3])
KERNEL(of_threes8, three x[8])
KERNEL(of_fours3, four x[3])
KERNEL(of_four1, four x)
KERNEL(of_block1, block x)
KERNEL(of_int1, int x)
__device__ void put(block &x, uint4 v) { uint4 &whole = reinterpret_cast<uint4 &>(x); whole = v; }
extern "C" __global__ void accessed(uint4 v) { block x; put(x, v); keep(&x); }
END
for level in -O3 -O0; do
    expect 0 "$HEDDLE" build -ptx $level locals.cu -o locals.ptx
    awk '/\.entry/ { sub(/\(.*/, "", $3); name = $3 } /\.local \.align/ && name { print name, $3 }' locals.ptx | sed 's/ /:/' | tr '\n' ' ' >found
    echo >>found
    [ $level = -O0 ] && sed -i 's/accessed:[0-9]* *//' found # parameters lie beside it
    last=$([ $level = -O3 ] && echo 'accessed:16 ')
    same found <<END
of_char8:8 of_char12:4 of_char15:1 of_char16:16 of_char17:1 of_char100:4 of_short9:2 of_int2x2:16 of_float4:16 of_float5:4 of_float6:8 of_double1:8 of_double2:16 of_double3:8 of_threes8:8 of_fours3:16 of_four1:4 of_block1:4 of_int1:4 $last
END
done
finish
