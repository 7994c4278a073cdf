// cuFFT: what transforms answer, and what misuse does. Prints a line for each case: name, status, and what came out.
//   nvcc -std=c++17 cufft.cu -lcufft -o cufft && ./cufft >cufft.tsv
// Inputs are made by value(). A transform's line: status, whether its input was kept (k) or overwritten (o), how many elements of
// the output's memory changed, the largest magnitude, then some of the elements, spread evenly.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cufft.h>
#include <cufftXt.h>

typedef long long ll;

static double value(size_t i) // in (-1, 1), a multiple of 2^-12
{
    unsigned x = (unsigned)i * 2654435761u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return ((int)(x & 8191) - 4095) / 4096.0;
}

template <class T> static double read(T v) { return (double)v; }
static double read(__half v) { return (double)__half2float(v); }
static double read(__nv_bfloat16 v) { return (double)__bfloat162float(v); }
template <class T> static T write(double v, T) { return (T)v; }
static __half write(double v, __half) { return __float2half((float)v); }
static __nv_bfloat16 write(double v, __nv_bfloat16) { return __float2bfloat16((float)v); }

static const double UNTOUCHED = -77; // what output memory holds beforehand

// Buffers of `in` and `out` scalars; run() is given device pointers. out 0: in place.
template <class T, class F> static void transform(const std::string &name, size_t in, size_t out, int width, F run)
{
    std::vector<T> a(in), before, b(out);
    for (size_t i = 0; i < in; i++)
        a[i] = write(value(i), T());
    for (T &v : b)
        v = write(UNTOUCHED, T());
    before = a;
    T *x, *y;
    cudaMalloc((void **)&x, (in + 16) * sizeof(T));
    cudaMemcpy(x, a.data(), in * sizeof(T), cudaMemcpyHostToDevice);
    y = x;
    if (out) {
        cudaMalloc((void **)&y, (out + 16) * sizeof(T));
        cudaMemcpy(y, b.data(), out * sizeof(T), cudaMemcpyHostToDevice);
    }
    int status = run(x, y);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(a.data(), x, in * sizeof(T), cudaMemcpyDeviceToHost);
    if (out)
        cudaMemcpy(b.data(), y, out * sizeof(T), cudaMemcpyDeviceToHost);
    std::vector<T> &r = out ? b : a;
    size_t changed = 0;
    double most = 0;
    for (size_t i = 0; i < r.size(); i++) {
        bool is = out ? read(r[i]) != UNTOUCHED : memcmp(&r[i], &before[i], sizeof(T)) != 0;
        changed += is;
        if (is && fabs(read(r[i])) > most)
            most = fabs(read(r[i]));
    }
    bool kept = out && !memcmp(a.data(), before.data(), in * sizeof(T));
    printf("%s\t%d\t%s%s\t%zu\t%.9g", name.c_str(), status, out ? (kept ? "k" : "o") : "-", e == cudaSuccess ? "" : cudaGetErrorName(e), changed, most);
    size_t elements = r.size() / width, shown = elements < 9 ? elements : 9;
    for (size_t s = 0; s < shown; s++)
        for (int c = 0; c < width; c++)
            printf("\t%.17g", read(r[(shown > 1 ? s * (elements - 1) / (shown - 1) : 0) * width + c]));
    printf("\n");
    cudaFree(x);
    if (out)
        cudaFree(y);
}

static size_t product(const std::vector<int> &n)
{
    size_t p = 1;
    for (int v : n)
        p *= v;
    return p;
}

static std::string label(const char *what, const std::vector<int> &n, int batch, const char *more = "")
{
    std::string s = what;
    for (size_t i = 0; i < n.size(); i++)
        s += (i ? "x" : " ") + std::to_string(n[i]);
    return s + (batch > 1 ? " batch " + std::to_string(batch) : "") + more;
}

static int execute(cufftHandle p, cufftType t, void *x, void *y, int direction)
{
    switch (t) {
    case CUFFT_C2C: return cufftExecC2C(p, (cufftComplex *)x, (cufftComplex *)y, direction);
    case CUFFT_Z2Z: return cufftExecZ2Z(p, (cufftDoubleComplex *)x, (cufftDoubleComplex *)y, direction);
    case CUFFT_R2C: return cufftExecR2C(p, (cufftReal *)x, (cufftComplex *)y);
    case CUFFT_D2Z: return cufftExecD2Z(p, (cufftDoubleReal *)x, (cufftDoubleComplex *)y);
    case CUFFT_C2R: return cufftExecC2R(p, (cufftComplex *)x, (cufftReal *)y);
    default: return cufftExecZ2D(p, (cufftDoubleComplex *)x, (cufftDoubleReal *)y);
    }
}

template <class T> static void plain(cufftType t, const char *name, std::vector<int> n, int direction, bool place, int batch = 1)
{
    size_t all = product(n) * batch, half = product(n) / n.back() * (n.back() / 2 + 1) * batch;
    bool r2c = t == CUFFT_R2C || t == CUFFT_D2Z, c2r = t == CUFFT_C2R || t == CUFFT_Z2D;
    size_t in = c2r ? 2 * half : r2c ? (place ? 2 * half : all) : 2 * all, out = place ? 0 : r2c ? 2 * half : c2r ? all : 2 * all;
    transform<T>(label(name, n, batch, place ? " in place" : ""), in, out, c2r ? 1 : 2, [&](T *x, T *y) {
        cufftHandle p;
        int s = n.size() == 1 ? cufftPlan1d(&p, n[0], t, batch)
                : batch > 1 ? cufftPlanMany(&p, (int)n.size(), n.data(), NULL, 1, 0, NULL, 1, 0, t, batch)
                : n.size() == 2 ? cufftPlan2d(&p, n[0], n[1], t) : cufftPlan3d(&p, n[0], n[1], n[2], t);
        if (s)
            return s;
        s = execute(p, t, x, y, direction);
        cufftDestroy(p);
        return s;
    });
}

struct layout { std::vector<int> embed; int stride, dist; };

static size_t reach(const layout &l, const std::vector<int> &n, bool half, int batch) // elements, from the first to the last
{
    size_t at = 0, step = l.stride;
    for (size_t i = n.size(); i-- > 0; step *= l.embed[i])
        at += ((half && i == n.size() - 1 ? n[i] / 2 + 1 : n[i]) - 1) * step;
    return at + (size_t)l.dist * (batch - 1) + 1;
}

template <class T>
static void advanced(cufftType t, const char *name, std::vector<int> n, layout i, layout o, int batch, int direction = CUFFT_FORWARD, bool place = false)
{
    bool r2c = t == CUFFT_R2C || t == CUFFT_D2Z, c2r = t == CUFFT_C2R || t == CUFFT_Z2D;
    size_t in = reach(i, n, c2r, batch) * (r2c ? 1 : 2), out = reach(o, n, r2c, batch) * (c2r ? 1 : 2);
    transform<T>(label(name, n, batch), place && out > in ? out : in, place ? 0 : out, c2r ? 1 : 2, [&](T *x, T *y) {
        cufftHandle p;
        int s = cufftPlanMany(&p, (int)n.size(), n.data(), i.embed.data(), i.stride, i.dist, o.embed.data(), o.stride, o.dist, t, batch);
        if (s)
            return s;
        s = execute(p, t, x, y, direction);
        cufftDestroy(p);
        return s;
    });
}

template <class T> static void narrow(const char *name, cudaDataType a, cudaDataType b, cudaDataType c, ll n, ll batch, int direction)
{
    bool r2c = a == CUDA_R_16F || a == CUDA_R_16BF || a == CUDA_R_32F, c2r = b == CUDA_R_16F || b == CUDA_R_16BF || b == CUDA_R_32F;
    size_t in = batch * (r2c ? n : c2r ? n / 2 + 1 : n) * (r2c ? 1 : 2), out = batch * (c2r ? n : r2c ? n / 2 + 1 : n) * (c2r ? 1 : 2);
    transform<T>(label(name, {(int)n}, (int)batch), in, out, c2r ? 1 : 2, [&](T *x, T *y) {
        cufftHandle p;
        size_t work;
        int s = cufftCreate(&p);
        s = s ? s : cufftXtMakePlanMany(p, 1, &n, NULL, 1, 0, a, NULL, 1, 0, b, batch, &work, c);
        s = s ? s : cufftXtExec(p, x, y, direction);
        cufftDestroy(p);
        return s;
    });
}

static void say(const char *name, int status)
{
    printf("status: %s\t%d\n", name, status);
}

static void size(const char *name, int status, size_t bytes)
{
    printf("size: %s\t%d\t%zu\n", name, status, bytes);
}

static void misuse()
{
    cufftHandle p = 0, q;
    size_t w = 0;
    int n[4] = {8, 8, 8, 8}, zero[3] = {0, 8, 8}, minus[1] = {-4}, small[2] = {4, 4}, s, v = -1;
    cufftComplex *x;
    cudaMalloc((void **)&x, 1 << 16);
    cudaMemset(x, 0, 1 << 16);
    say("Plan1d NULL", cufftPlan1d(NULL, 8, CUFFT_C2C, 1));
    say("Plan1d 0", cufftPlan1d(&p, 0, CUFFT_C2C, 1));
    say("Plan1d -1", cufftPlan1d(&p, -1, CUFFT_C2C, 1));
    say("Plan1d batch 0", cufftPlan1d(&p, 8, CUFFT_C2C, 0));
    say("Plan1d batch -1", cufftPlan1d(&p, 8, CUFFT_C2C, -1));
    say("Plan1d type 7", cufftPlan1d(&p, 8, (cufftType)7, 1));
    say("Plan1d type 0", cufftPlan1d(&p, 8, (cufftType)0, 1));
    say("Plan2d 0 8", cufftPlan2d(&p, 0, 8, CUFFT_C2C));
    say("Plan2d 8 0", cufftPlan2d(&p, 8, 0, CUFFT_C2C));
    say("Plan3d 8 8 -2", cufftPlan3d(&p, 8, 8, -2, CUFFT_C2C));
    say("PlanMany rank 0", cufftPlanMany(&p, 0, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
    say("PlanMany rank 4", cufftPlanMany(&p, 4, n, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
    say("PlanMany n NULL", cufftPlanMany(&p, 1, NULL, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
    say("PlanMany n 0", cufftPlanMany(&p, 3, zero, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
    say("PlanMany n -4", cufftPlanMany(&p, 1, minus, NULL, 1, 0, NULL, 1, 0, CUFFT_C2C, 1));
    say("PlanMany inembed alone", s = cufftPlanMany(&p, 1, n, n, 2, 16, NULL, 1, 8, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany onembed alone", s = cufftPlanMany(&p, 1, n, NULL, 1, 8, n, 2, 16, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany embed too small", s = cufftPlanMany(&p, 2, n, small, 1, 64, small, 1, 64, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany stride 0", s = cufftPlanMany(&p, 1, n, n, 0, 8, n, 1, 8, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany stride -1", s = cufftPlanMany(&p, 1, n, n, -1, 8, n, 1, 8, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany dist 0 batch 2", s = cufftPlanMany(&p, 1, n, n, 1, 0, n, 1, 8, CUFFT_C2C, 2));
    if (!s)
        cufftDestroy(p);
    say("PlanMany dist 0 batch 1", s = cufftPlanMany(&p, 1, n, n, 1, 0, n, 1, 0, CUFFT_C2C, 1));
    if (!s)
        cufftDestroy(p);
    say("PlanMany dist 0 batch 2 basic", s = cufftPlanMany(&p, 1, n, NULL, 0, 0, NULL, 0, 0, CUFFT_C2C, 2));
    if (!s)
        cufftDestroy(p);
    say("PlanMany dist -8 batch 2", s = cufftPlanMany(&p, 1, n, n, 1, -8, n, 1, 8, CUFFT_C2C, 2));
    if (!s)
        cufftDestroy(p);
    say("Destroy 12345", cufftDestroy(12345));
    say("Destroy -1", cufftDestroy(-1));
    say("ExecC2C no plan", cufftExecC2C(12345, x, x, CUFFT_FORWARD));
    say("SetStream no plan", cufftSetStream(12345, 0));
    say("GetSize no plan", cufftGetSize(12345, &w));
    say("SetWorkArea no plan", cufftSetWorkArea(12345, x));
    say("SetAutoAllocation no plan", cufftSetAutoAllocation(12345, 0));
    say("Create NULL", cufftCreate(NULL));
    say("Create", cufftCreate(&q));
    say("ExecC2C not made", cufftExecC2C(q, x, x, CUFFT_FORWARD));
    say("GetSize not made", cufftGetSize(q, &w));
    say("SetStream not made", cufftSetStream(q, 0));
    say("SetWorkArea not made", cufftSetWorkArea(q, x));
    say("XtExec not made", cufftXtExec(q, x, x, CUFFT_FORWARD));
    say("MakePlan1d 0", cufftMakePlan1d(q, 0, CUFFT_C2C, 1, &w));
    say("MakePlan1d after a failed one", cufftMakePlan1d(q, 16, CUFFT_C2C, 1, &w));
    say("MakePlan1d again", cufftMakePlan1d(q, 16, CUFFT_C2C, 1, &w));
    say("ExecC2C when made again", cufftExecC2C(q, x, x, CUFFT_FORWARD));
    say("GetSize when made again", cufftGetSize(q, &w));
    say("SetAutoAllocation when made", cufftSetAutoAllocation(q, 0));
    say("ExecC2C after SetAutoAllocation", cufftExecC2C(q, x, x, CUFFT_FORWARD));
    say("Destroy", cufftDestroy(q));
    say("Destroy again", cufftDestroy(q));
    say("ExecC2C destroyed", cufftExecC2C(q, x, x, CUFFT_FORWARD));
    say("Create 2", cufftCreate(&q));
    say("MakePlan1d size NULL", cufftMakePlan1d(q, 16, CUFFT_C2C, 1, NULL));
    cufftDestroy(q);
    say("Plan1d", cufftPlan1d(&p, 8, CUFFT_C2C, 1));
    say("ExecC2C direction 0", cufftExecC2C(p, x, x, 0));
    say("ExecC2C direction 5", cufftExecC2C(p, x, x, 5));
    say("ExecR2C with a C2C plan", cufftExecR2C(p, (cufftReal *)x, x));
    say("ExecC2R with a C2C plan", cufftExecC2R(p, x, (cufftReal *)x));
    say("ExecZ2Z with a C2C plan", cufftExecZ2Z(p, (cufftDoubleComplex *)x, (cufftDoubleComplex *)x, CUFFT_FORWARD));
    say("XtExec with a C2C plan", cufftXtExec(p, x, x, CUFFT_FORWARD));
    say("SetWorkArea NULL", cufftSetWorkArea(p, NULL));
    say("ExecC2C work area NULL", cufftExecC2C(p, x, x, CUFFT_FORWARD));
    say("GetSize NULL", cufftGetSize(p, NULL));
    say("SetAutoAllocation 2", cufftSetAutoAllocation(p, 2));
    cufftDestroy(p);
    say("Plan1d R2C", cufftPlan1d(&p, 8, CUFFT_R2C, 1));
    say("ExecC2C with an R2C plan", cufftExecC2C(p, x, x, CUFFT_FORWARD));
    say("ExecC2R with an R2C plan", cufftExecC2R(p, x, (cufftReal *)x));
    say("XtExec R2C inverse", cufftXtExec(p, x, x, CUFFT_INVERSE));
    cufftDestroy(p);
    say("Create 3", cufftCreate(&q));
    say("SetAutoAllocation 0", cufftSetAutoAllocation(q, 0));
    say("MakePlan1d 10007", cufftMakePlan1d(q, 1009, CUFFT_C2C, 1, &w));
    say("ExecC2C without a work area", cufftExecC2C(q, x, x, CUFFT_FORWARD));
    cufftDestroy(q);
    say("GetVersion NULL", cufftGetVersion(NULL));
    say("GetProperty NULL", cufftGetProperty(MAJOR_VERSION, NULL));
    say("GetProperty 9", cufftGetProperty((libraryPropertyType)9, &v));
    say("Create 7", cufftCreate(&q));
    say("SetPlanPropertyInt64", cufftSetPlanPropertyInt64(q, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1));
    say("SetPlanPropertyInt64 99", cufftSetPlanPropertyInt64(q, (cufftProperty)99, 1));
    ll kept = -5;
    say("GetPlanPropertyInt64", cufftGetPlanPropertyInt64(q, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &kept));
    say("the property", (int)kept);
    say("GetPlanPropertyInt64 NULL", cufftGetPlanPropertyInt64(q, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, NULL));
    say("ResetPlanProperty", cufftResetPlanProperty(q, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT));
    say("MakePlan1d 64", cufftMakePlan1d(q, 64, CUFFT_C2C, 1, &w));
    say("SetPlanPropertyInt64 when made", cufftSetPlanPropertyInt64(q, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1));
    cufftDestroy(q);
    say("Estimate1d 0", cufftEstimate1d(0, CUFFT_C2C, 1, &w));
    say("Estimate1d NULL", cufftEstimate1d(8, CUFFT_C2C, 1, NULL));
    say("Estimate1d type 7", cufftEstimate1d(8, (cufftType)7, 1, &w));
    say("GetSize1d no plan", cufftGetSize1d(12345, 8, CUFFT_C2C, 1, &w));
    ll m = 48, e = 64;
    say("Create 4", cufftCreate(&q));
    say("XtMakePlanMany half of 48", cufftXtMakePlanMany(q, 1, &m, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_16F, 1, &w, CUDA_C_16F));
    say("XtMakePlanMany half to float", cufftXtMakePlanMany(q, 1, &e, NULL, 1, 0, CUDA_C_16F, NULL, 1, 0, CUDA_C_32F, 1, &w, CUDA_C_32F));
    say("XtMakePlanMany real to real", cufftXtMakePlanMany(q, 1, &e, NULL, 1, 0, CUDA_R_32F, NULL, 1, 0, CUDA_R_32F, 1, &w, CUDA_R_32F));
    say("XtMakePlanMany int8", cufftXtMakePlanMany(q, 1, &e, NULL, 1, 0, CUDA_R_8I, NULL, 1, 0, CUDA_R_8I, 1, &w, CUDA_R_8I));
    cufftDestroy(q);
    say("Create 5", cufftCreate(&q));
    say("XtMakePlanMany R2C executed as real", cufftXtMakePlanMany(q, 1, &e, NULL, 1, 0, CUDA_R_32F, NULL, 1, 0, CUDA_C_32F, 1, &w, CUDA_R_32F));
    cufftDestroy(q);
    say("Create 6", cufftCreate(&q));
    say("XtMakePlanMany R2C executed as complex", cufftXtMakePlanMany(q, 1, &e, NULL, 1, 0, CUDA_R_32F, NULL, 1, 0, CUDA_C_32F, 1, &w, CUDA_C_32F));
    cufftDestroy(q);
    cudaDeviceSynchronize();
    cudaFree(x);
}

static void sizes()
{
    static const int n[] = {1, 8, 100, 1000, 1024, 1009, 4096, 10007, 65536, 1 << 20};
    size_t w;
    for (int v : n) {
        w = 77;
        int s = cufftEstimate1d(v, CUFFT_C2C, 1, &w);
        size(label("Estimate1d C2C", {v}, 1).c_str(), s, w);
        cufftHandle p;
        w = 77;
        cufftCreate(&p);
        s = cufftMakePlan1d(p, v, CUFFT_C2C, 4, &w);
        size(label("MakePlan1d C2C", {v}, 4).c_str(), s, w);
        cufftDestroy(p);
    }
    cufftHandle p;
    cufftCreate(&p);
    w = 77;
    int s = cufftMakePlan2d(p, 256, 256, CUFFT_R2C, &w);
    size("MakePlan2d R2C 256x256", s, w);
    cufftDestroy(p);
    printf("handle\t%d\n", (cufftPlan1d(&p, 8, CUFFT_C2C, 1), p));
    int v = 0, part[3];
    cufftGetVersion(&v);
    for (int i = 0; i < 3; i++)
        cufftGetProperty((libraryPropertyType)i, &part[i]);
    printf("version\t%d\t%d.%d.%d\n", v, part[0], part[1], part[2]);
}

// What spoils the device, each in a process of its own.
static const char *const FATAL[] = {"ExecC2C in NULL", "ExecC2C out NULL", "ExecR2C in NULL", "ExecC2C host memory", "ExecC2C unaligned",
                                    "ExecC2C another plan's type"};

static void fatal(int which)
{
    cufftHandle p, q;
    static cufftComplex h[64];
    cufftComplex *x;
    cudaMalloc((void **)&x, 4096);
    cufftPlan1d(&p, 8, CUFFT_C2C, 1);
    cufftPlan1d(&q, 8, CUFFT_R2C, 1);
    int s = which == 0 ? cufftExecC2C(p, NULL, x, CUFFT_FORWARD)
            : which == 1 ? cufftExecC2C(p, x, NULL, CUFFT_FORWARD)
            : which == 2 ? cufftExecR2C(q, NULL, x)
            : which == 3 ? cufftExecC2C(p, h, x, CUFFT_FORWARD)
            : which == 4 ? cufftExecC2C(p, (cufftComplex *)((float *)x + 1), x + 64, CUFFT_FORWARD) : cufftExecC2C(q, x, x, CUFFT_FORWARD);
    cudaError_t e = cudaDeviceSynchronize();
    printf("fatal: %s\t%d\t%s\n", FATAL[which], s, cudaGetErrorName(e));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        fatal(atoi(argv[1]));
        return 0;
    }
    const int F = CUFFT_FORWARD, I = CUFFT_INVERSE;
    for (int n : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 31, 60, 64, 81, 121, 127, 128, 343, 625, 1000, 1024, 1331, 2187, 4096, 10007, 65536})
        plain<float>(CUFFT_C2C, "C2C", {n}, F, false);
    for (int n : {1, 6, 17, 1024, 2310})
        plain<float>(CUFFT_C2C, "C2C inverse", {n}, I, true);
    for (int n : {1, 12, 97, 1024, 3125})
        plain<double>(CUFFT_Z2Z, "Z2Z", {n}, F, n % 2 == 0), plain<double>(CUFFT_Z2Z, "Z2Z inverse", {n}, I, n % 2 != 0);
    for (int n : {1, 2, 3, 4, 7, 16, 30, 101, 1001, 4096})
        plain<float>(CUFFT_R2C, "R2C", {n}, F, false), plain<float>(CUFFT_C2R, "C2R", {n}, I, false);
    for (int n : {2, 5, 16, 1000})
        plain<float>(CUFFT_R2C, "R2C", {n}, F, true), plain<float>(CUFFT_C2R, "C2R", {n}, I, true);
    for (int n : {9, 64, 1001})
        for (bool place : {false, true})
            plain<double>(CUFFT_D2Z, "D2Z", {n}, F, place), plain<double>(CUFFT_Z2D, "Z2D", {n}, I, place);
    plain<float>(CUFFT_C2C, "C2C", {8}, F, false, 3);
    plain<float>(CUFFT_C2C, "C2C", {100}, F, true, 7);
    for (bool place : {false, true})
        for (int n : {8, 15}) {
            plain<float>(CUFFT_R2C, "R2C", {n}, F, place, 3), plain<float>(CUFFT_C2R, "C2R", {n}, I, place, 3);
            plain<double>(CUFFT_D2Z, "D2Z", {n}, F, place, 5), plain<double>(CUFFT_Z2D, "Z2D", {n}, I, place, 5);
        }
    for (std::vector<int> n : {std::vector<int>{4, 6}, {16, 16}, {7, 5}, {1, 9}, {9, 1}, {64, 128}, {2, 3, 4}, {8, 8, 8}, {5, 3, 7}, {16, 32, 64}}) {
        plain<float>(CUFFT_C2C, "C2C", n, F, false), plain<double>(CUFFT_Z2Z, "Z2Z inverse", n, I, true);
        for (bool place : {false, true})
            plain<float>(CUFFT_R2C, "R2C", n, F, place), plain<float>(CUFFT_C2R, "C2R", n, I, place);
        plain<double>(CUFFT_D2Z, "D2Z", n, F, false), plain<double>(CUFFT_Z2D, "Z2D", n, I, false);
    }
    plain<float>(CUFFT_C2C, "C2C", {6, 10}, F, false, 3);
    plain<float>(CUFFT_R2C, "R2C", {6, 10}, F, true, 3);
    plain<float>(CUFFT_C2R, "C2R", {6, 10}, I, false, 3);
    plain<float>(CUFFT_R2C, "R2C", {3, 4, 5}, F, false, 2);

    advanced<float>(CUFFT_C2C, "C2C strided", {10}, {{10}, 3, 40}, {{10}, 2, 25}, 3);
    advanced<float>(CUFFT_C2C, "C2C interleaved", {16}, {{16}, 5, 1}, {{16}, 5, 1}, 5, F, true);
    advanced<float>(CUFFT_C2C, "C2C transposing", {12}, {{12}, 1, 12}, {{12}, 4, 1}, 4, I);
    advanced<float>(CUFFT_C2C, "C2C overlapping windows", {16}, {{16}, 1, 4}, {{16}, 1, 16}, 6);
    advanced<float>(CUFFT_R2C, "R2C overlapping windows", {16}, {{16}, 1, 4}, {{9}, 1, 9}, 6);
    advanced<float>(CUFFT_C2C, "C2C embedded", {4, 6}, {{5, 8}, 1, 40}, {{4, 7}, 1, 28}, 2);
    advanced<float>(CUFFT_C2C, "C2C embedded strided", {4, 6}, {{9, 8}, 2, 70}, {{4, 7}, 3, 90}, 2);
    advanced<double>(CUFFT_Z2Z, "Z2Z embedded", {3, 4, 5}, {{3, 5, 6}, 2, 200}, {{4, 4, 5}, 1, 100}, 2, I);
    advanced<float>(CUFFT_R2C, "R2C strided", {10}, {{10}, 2, 21}, {{6}, 3, 20}, 3);
    advanced<float>(CUFFT_R2C, "R2C embedded", {4, 6}, {{4, 8}, 1, 32}, {{4, 5}, 1, 20}, 2);
    advanced<float>(CUFFT_R2C, "R2C embedded in place", {4, 6}, {{4, 8}, 1, 32}, {{4, 4}, 1, 16}, 2, F, true);
    advanced<float>(CUFFT_C2R, "C2R strided", {10}, {{6}, 2, 13}, {{10}, 3, 31}, 3, I);
    advanced<float>(CUFFT_C2R, "C2R embedded", {4, 6}, {{4, 5}, 1, 20}, {{4, 8}, 1, 32}, 2, I);
    advanced<double>(CUFFT_D2Z, "D2Z embedded", {3, 4, 5}, {{3, 5, 6}, 1, 90}, {{3, 4, 3}, 1, 36}, 2);
    advanced<double>(CUFFT_Z2D, "Z2D embedded", {3, 4, 5}, {{3, 4, 3}, 1, 36}, {{3, 5, 6}, 1, 90}, 2, I);
    advanced<float>(CUFFT_C2C, "C2C interleaved embedded", {4, 8}, {{4, 8}, 3, 1}, {{4, 8}, 3, 1}, 3);

    narrow<__half>("half C2C", CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, 64, 2, F);
    narrow<__half>("half C2C inverse", CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, 16, 1, I);
    narrow<__half>("half R2C", CUDA_R_16F, CUDA_C_16F, CUDA_C_16F, 32, 2, F);
    narrow<__half>("half C2R", CUDA_C_16F, CUDA_R_16F, CUDA_C_16F, 32, 2, I);
    narrow<__nv_bfloat16>("bfloat16 C2C", CUDA_C_16BF, CUDA_C_16BF, CUDA_C_16BF, 64, 2, F);
    narrow<__nv_bfloat16>("bfloat16 R2C", CUDA_R_16BF, CUDA_C_16BF, CUDA_C_16BF, 32, 1, F);
    narrow<float>("XtExec R2C", CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, 30, 2, F);
    narrow<float>("XtExec C2C", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 30, 2, I);
    misuse();
    sizes();
    fflush(stdout);
    for (size_t i = 0; i < sizeof FATAL / sizeof *FATAL; i++)
        if (system((std::string(argv[0]) + " " + std::to_string(i)).c_str()) == -1)
            return 1;
    return 0;
}
