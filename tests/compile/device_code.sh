# Flags reach the device code: the PTX has the right instructions, target and source lines.
. "$SOURCES/common.sh"

cat >k.cu <<'END'
__global__ void k(float *p, float x, float y)
{
    p[0] = x / y;
    p[1] = sqrtf(x);
    p[2] = sinf(x);
    p[3] = x * y + 1.0f;
    p[4] = fminf(x, y);
    p[5] = (float)__popc(__float_as_int(x)) + __fadd_rz(x, y) + floorf(y);
    p[6] = N;
}
END
ptx() { # ptx FLAGS...: compiles to k.ptx
    expect 0 "$HEDDLE" build -ptx -DN=3 "$@" k.cu
}

ptx
has k.ptx '.version 8.4'
has k.ptx '.target sm_90'
for i in 'div.rn.f32' 'sqrt.rn.f32' 'call.uni (retval0)' '__nv_sinf' 'fma.rn.f32' 'min.f32' 'popc.b32' \
         'add.rz.f32' 'cvt.rmi.f32.f32'; do
    has k.ptx "$i"
done
grep -q '\.file.*k\.cu' k.ptx || fail 'no .file line names k.cu'
grep -qE '\.loc[[:space:]]+[0-9]+ 4 ' k.ptx || fail 'no .loc of line 4'
mv k.ptx plain.ptx

ptx -lineinfo
cmp -s k.ptx plain.ptx || fail '-lineinfo changes the code: source lines are always there'

# A limit of registers is the assembler's: in the code that runs, not in the text of -ptx. What a kernel names itself stays.
cat >r.cu <<'END'
template <int N> __global__ void __maxnreg__(N) named(float *p) { p[threadIdx.x] *= 2; }
template __global__ void named<40>(float *);
__global__ void plain(float *p) { p[threadIdx.x] += 2; }
__global__ void __launch_bounds__(128) bounded(float *p) { p[threadIdx.x] += 3; }
END
expect 0 "$HEDDLE" build -ptx -maxrregcount=32 -o r.ptx r.cu
has r.ptx '.maxnreg 40'
hasnt r.ptx '.maxnreg 32'
expect 0 "$HEDDLE" ptx -maxrregcount=32 r.cu
[ "$(grep -c '\.maxnreg 32 {' out)" = 1 ] || fail 'one kernel is to have the limit of the command line'
expect 0 "$HEDDLE" ptx -maxrregcount=32 r.ptx
[ "$(grep -c '\.maxnreg 32 {' out)" = 1 ] || fail 'a PTX file is to have the limit, too'
expect 0 "$HEDDLE" build -cubin -Xptxas -maxrregcount=32 -o r.cubin r.cu
[ "$(grep -ac '\.maxnreg 32 {' r.cubin)" = 1 ] || fail 'an image is to have the limit, too'

ptx --use_fast_math
for i in 'div.approx.ftz.f32' 'sqrt.approx.ftz.f32' 'sin.approx.ftz.f32' 'fma.rn.ftz.f32' 'min.ftz.f32'; do
    has k.ptx "$i"
done
hasnt k.ptx '__nv_sinf'
echo '__global__ void tanh_of(float *a) { a[0] = tanhf(a[0]); }' >tanh.cu
expect 0 "$HEDDLE" build -ptx --use_fast_math -arch=sm_75 tanh.cu
has tanh.ptx 'tanh.approx.f32'
expect 0 "$HEDDLE" build -ptx --use_fast_math -arch=sm_70 tanh.cu
hasnt tanh.ptx 'tanh.approx.f32' # PTX ISA, "tanh": from sm_75 on
expect 0 "$HEDDLE" build -ptx -arch=sm_75 tanh.cu
hasnt tanh.ptx 'tanh.approx.f32'

ptx -prec-div=false
has k.ptx 'div.approx.f32'
has k.ptx 'sqrt.rn.f32'
ptx -prec-sqrt=false
has k.ptx 'sqrt.approx.f32'
has k.ptx 'div.rn.f32'
ptx -fmad=false
hasnt k.ptx 'fma.rn'
cat >halves.cu <<'END'
#include <cuda_fp16.h>
__global__ void halves(__half *p, float x, float y)
{
    p[0] = __hsub(__hmul(p[1], p[2]), p[3]);
    float z;
    asm("{\n\t.reg .f32 product;\n\tmul.ftz.f32 product, %1, %2;\n\tadd.ftz.f32 %0, product, %2;\n\t}" : "=f"(z) : "f"(x), "f"(y));
    p[4] = z;
}
END
expect 0 "$HEDDLE" build -ptx halves.cu
for i in 'mul.f16' 'sub.f16' 'mul.ftz.f32' 'add.ftz.f32'; do
    has halves.ptx "$i" # the assembler may fuse them
done
expect 0 "$HEDDLE" build -ptx -fmad=false halves.cu
for i in 'mul.rn.f16' 'sub.rn.f16' 'mul.rn.ftz.f32' 'add.rn.ftz.f32'; do
    has halves.ptx "$i" # and may not
done
ptx -arch=sm_70
has k.ptx '.target sm_70'
ptx -gencode arch=compute_80,code=sm_80 -gencode arch=compute_120,code=sm_120
has k.ptx '.target sm_80'
ptx -G
has k.ptx '__local_depot'

expect 0 "$HEDDLE" build -ptx -DN=3 k.cu -o -
cmp -s out plain.ptx || fail '-o - does not write the PTX on stdout'
# Inlined calls say where they were made.
cat >c.cu <<'END'
__device__ float inner(float x)
{
    return x * 3;
}
__global__ void copy(float *c)
{
    c[threadIdx.x] = inner(c[threadIdx.x]);
}
END
expect 0 "$HEDDLE" build -ptx c.cu
grep -qE '\.file.*"[^"]*c\.cu @\[ [^"]*c\.cu:7:22 \]"' c.ptx || fail 'no .file says that inner was inlined at c.cu:7'

# A loop too long to be written out until the functions in it were inlined: then it is, and no loop is left.
cat >short.cu <<'END'
#include <cuda_fp16.h>
__device__ unsigned whole(__half h) { return __half2uint_rz(h); }
__device__ unsigned whole(double h) { return __double2uint_ru(h); }
__device__ __half half_of(unsigned short u) { return __ushort_as_half(u); }
__device__ void body(int *out, int n)
{
    int a[2] = {__mul24(n, n), 31 * 16};
    switch (whole(0.0) % 256u) {
    case 16:
        for (long long j = 4; j > 0; j--)
            for (unsigned short i = 0; i < (unsigned short)11; i = (unsigned short)(i + 1))
                a[whole(half_of((unsigned short)10641)) % 100u % 2u] = 0;
        break;
    case 177: break;
    default: ;
    }
    out[threadIdx.x] = a[1];
}
extern "C" __global__ void shortened(int *out, int n) { body(out, n); }
END
expect 0 "$HEDDLE" build -ptx short.cu
has short.ptx '.entry shortened'

finish
