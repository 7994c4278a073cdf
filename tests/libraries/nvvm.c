/* libNVVM: modules of typed and of opaque pointers, whole and lazy ones, bitcode, options, logs, and what is refused. Kernels run. */
#include <cuda.h>
#include <nvvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "target triple = \"nvptx64-nvidia-cuda\"\n"

/* out[i] = a + 1 of what thread 63 - i wrote, across a barrier; `inc` and `scale` are other modules'. */
static const char kernel[] = HEAD
    "@s = internal addrspace(3) global [64 x float] undef\n"
    "declare void @llvm.cuda.syncthreads()\n"
    "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "declare float @inc(float)\n"
    "declare float @scale(float)\n"
    "declare float @__nv_fabsf(float)\n"
    "define void @k(float* %out) {\n"
    "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    "  %f = sitofp i32 %t to float\n"
    "  %m = fneg float %f\n"
    "  %a = call float @__nv_fabsf(float %m)\n"
    "  %own = getelementptr [64 x float], [64 x float] addrspace(3)* @s, i32 0, i32 %t\n"
    "  store float %a, float addrspace(3)* %own\n"
    "  call void @llvm.cuda.syncthreads()\n"
    "  %r = sub i32 63, %t\n"
    "  %other = getelementptr [64 x float], [64 x float] addrspace(3)* @s, i32 0, i32 %r\n"
    "  %x = load float, float addrspace(3)* %other\n"
    "  %y = call float @inc(float %x)\n"
    "  %z = call float @scale(float %y)\n"
    "  %to = getelementptr float, float* %out, i32 %t\n"
    "  store float %z, float* %to\n"
    "  ret void\n"
    "}\n"
    "!nvvm.annotations = !{!0}\n"
    "!0 = !{void (float*)* @k, !\"kernel\", i32 1}\n"
    "!nvvmir.version = !{!1}\n"
    "!1 = !{i32 2, i32 0}\n";
/* A whole module: its kernel stays; of the lazy one only `scale` is taken. */
static const char whole[] = HEAD
    "define float @inc(float %x) {\n  %y = fadd float %x, 1.0\n  ret float %y\n}\n"
    "define void @second(ptr %p) {\n  store float 7.0, ptr %p\n  ret void\n}\n"
    "!nvvm.annotations = !{!0}\n!0 = !{ptr @second, !\"kernel\", i32 1}\n";
static const char lazy[] = HEAD
    "define float @scale(float %x) {\n  %y = fmul float %x, 2.0\n  ret float %y\n}\n"
    "define float @unused_function(float %x) {\n  ret float %x\n}\n";
/* p[0] = p[0] * p[1] + p[2], and p[3] = p[3] + 0 */
static const char sums[] = HEAD
    "define void @k(ptr %p) {\n"
    "  %p1 = getelementptr float, ptr %p, i32 1\n  %p2 = getelementptr float, ptr %p, i32 2\n  %p3 = getelementptr float, ptr %p, i32 3\n"
    "  %a = load float, ptr %p\n  %b = load float, ptr %p1\n  %c = load float, ptr %p2\n  %d = load float, ptr %p3\n"
    "  %m = fmul float %a, %b\n  %s = fadd float %m, %c\n  store float %s, ptr %p\n"
    "  %e = fadd float %d, %d\n  store float %e, ptr %p3\n"
    "  ret void\n}\n!nvvm.annotations = !{!0}\n!0 = !{ptr @k, !\"kernel\", i32 1}\n";

static int failures;
#define CHECK(x) ((x) ? (void)0 : (failures++, (void)printf("FAILED, line %d: %s\n", __LINE__, #x)))

static char *ptx_of(nvvmProgram p)
{
    size_t n = 0;
    CHECK(nvvmGetCompiledResultSize(p, &n) == NVVM_SUCCESS);
    char *ptx = calloc(n + 1, 1);
    CHECK(nvvmGetCompiledResult(p, ptx) == NVVM_SUCCESS && strlen(ptx) + 1 == n);
    return ptx;
}

static const char *log_of(nvvmProgram p)
{
    static char log[1 << 16];
    size_t n = 0;
    CHECK(nvvmGetProgramLogSize(p, &n) == NVVM_SUCCESS && n <= sizeof log);
    CHECK(nvvmGetProgramLog(p, log) == NVVM_SUCCESS);
    return log;
}

static void run(const char *ptx, const char *name, float *values, int n, int threads)
{
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *args[] = {&p};
    CHECK(!cuModuleLoadData(&m, ptx));
    CHECK(!cuModuleGetFunction(&f, m, name));
    CHECK(!cuMemAlloc(&p, n * sizeof *values) && !cuMemcpyHtoD(p, values, n * sizeof *values));
    CHECK(!cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, NULL, args, NULL));
    CHECK(!cuMemcpyDtoH(values, p, n * sizeof *values) && !cuMemFree(p) && !cuModuleUnload(m));
}

static void modules(void)
{
    const char *options[] = {"-arch=compute_80", "-opt=3", "-generate-line-info"};
    float v[64] = {0};
    nvvmProgram p;
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS);
    CHECK(nvvmLazyAddModuleToProgram(p, lazy, strlen(lazy), "lazy") == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(p, 3, options) == NVVM_ERROR_NO_MODULE_IN_PROGRAM);
    CHECK(nvvmAddModuleToProgram(p, kernel, sizeof kernel, "kernel") == NVVM_SUCCESS); /* with its NUL */
    CHECK(nvvmAddModuleToProgram(p, whole, strlen(whole), NULL) == NVVM_SUCCESS);
    CHECK(nvvmVerifyProgram(p, 3, options) == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(p, 3, options) == NVVM_SUCCESS);
    char *ptx = ptx_of(p);
    CHECK(strstr(ptx, ".target sm_80") && strstr(ptx, ".entry second") && !strstr(ptx, "unused_function"));
    run(ptx, "k", v, 64, 64);
    for (int i = 0; i < 64; i++)
        CHECK(v[i] == 2 * (63 - i + 1));
    run(ptx, "second", v, 64, 1);
    CHECK(v[0] == 7);
    free(ptx);
    CHECK(nvvmDestroyProgram(&p) == NVVM_SUCCESS && !p);
}

/* (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 when the product is not rounded; 2^-140 is no number when denormals are flushed. */
static void options(void)
{
    static const char *const words[] = {"-ftz=0", "-ftz=1", "-fma=0", "-prec-div=0"};
    for (int i = 0; i < 4; i++) {
        const char *given[] = {"-arch=compute_90", words[i]};
        float v[4] = {1 + 0x1p-12f, 1 + 0x1p-12f, -(1 + 0x1p-11f), 0x1p-140f};
        nvvmProgram p;
        CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS);
        CHECK(nvvmAddModuleToProgram(p, sums, strlen(sums), "sums") == NVVM_SUCCESS);
        CHECK(nvvmCompileProgram(p, 2, given) == NVVM_SUCCESS);
        char *ptx = ptx_of(p);
        run(ptx, "k", v, 4, 1);
        CHECK(v[0] == (i == 2 ? 0 : 0x1p-24f));
        CHECK(v[3] == (i == 1 ? 0 : 0x1p-139f));
        free(ptx);
        nvvmDestroyProgram(&p);
    }
}

static void mistakes(void)
{
    static const char *const wrong[] = {"-arch=sm_90", "-opt=1", "-ftz=2", "-g=1", "-unknown", "-fma"};
    static const char broken[] = HEAD "define void @f() {\n  %x = add i32 1, 1.5\n  ret void\n}\n";
    int major = 0, minor = 0, debug_major = 0, debug_minor = 0;
    nvvmProgram p, none = NULL;
    CHECK(nvvmVersion(&major, &minor) == NVVM_SUCCESS && major == 2);
    CHECK(nvvmIRVersion(&major, &minor, &debug_major, &debug_minor) == NVVM_SUCCESS && major == 2 && debug_major == 3);
    CHECK(nvvmVersion(NULL, &minor) == NVVM_ERROR_INVALID_INPUT);
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(p, 0, NULL) == NVVM_ERROR_NO_MODULE_IN_PROGRAM);
    CHECK(nvvmAddModuleToProgram(p, NULL, 5, "x") == NVVM_ERROR_INVALID_INPUT);
    CHECK(nvvmAddModuleToProgram(none, sums, 5, "x") == NVVM_ERROR_INVALID_PROGRAM);
    CHECK(nvvmAddModuleToProgram(p, broken, strlen(broken), "broken.name") == NVVM_SUCCESS);
    for (int i = 0; i < 6; i++) {
        const char *given[] = {wrong[i]};
        CHECK(nvvmCompileProgram(p, 1, given) == NVVM_ERROR_INVALID_OPTION && strstr(log_of(p), wrong[i]));
    }
    CHECK(nvvmVerifyProgram(p, 0, NULL) == NVVM_ERROR_INVALID_IR);
    CHECK(nvvmCompileProgram(p, 0, NULL) == NVVM_ERROR_COMPILATION);
    CHECK(strstr(log_of(p), "broken.name:3") && !strstr(log_of(p), "heddle-nvvm"));
    CHECK(!strcmp(nvvmGetErrorString(NVVM_ERROR_INVALID_IR), "NVVM_ERROR_INVALID_IR"));
    CHECK(nvvmDestroyProgram(&p) == NVVM_SUCCESS && nvvmDestroyProgram(&none) == NVVM_ERROR_INVALID_PROGRAM);
}

/* A kernel of IR launches itself; what it prints comes when its module goes. Without a buffer there is no launch. */
static const char recursive[] = HEAD
    "%dim3 = type { i32, i32, i32 }\n"
    "@text = private addrspace(1) constant [10 x i8] c\"depth %d\\0A\\00\"\n"
    "declare i32 @vprintf(i8*, i8*)\n"
    "declare i8* @cudaGetParameterBufferV2(i8*, %dim3, %dim3, i32)\n"
    "declare i32 @cudaLaunchDeviceV2(i8*, i8*)\n"
    "define void @k(i32* %out, i32 %depth) {\n"
    "  %room = alloca i32, align 8\n"
    "  store i32 %depth, i32* %room\n"
    "  %format = addrspacecast i8 addrspace(1)* getelementptr ([10 x i8], [10 x i8] addrspace(1)* @text, i64 0, i64 0) to i8*\n"
    "  %values = bitcast i32* %room to i8*\n"
    "  %n = call i32 @vprintf(i8* %format, i8* %values)\n"
    "  %slot = getelementptr i32, i32* %out, i32 %depth\n"
    "  store i32 77, i32* %slot\n"
    "  %next = add i32 %depth, 1\n"
    "  %stop = icmp sgt i32 %next, 2\n"
    "  br i1 %stop, label %end, label %more\n"
    "more:\n"
    "  %b = call i8* @cudaGetParameterBufferV2(i8* bitcast (void (i32*, i32)* @k to i8*), %dim3 { i32 1, i32 1, i32 1 }, %dim3 { i32 1, i32 1, i32 1 }, i32 0)\n"
    "  %first = bitcast i8* %b to i32**\n"
    "  store i32* %out, i32** %first\n"
    "  %second.at = getelementptr i8, i8* %b, i64 8\n"
    "  %second = bitcast i8* %second.at to i32*\n"
    "  store i32 %next, i32* %second\n"
    "  %e = call i32 @cudaLaunchDeviceV2(i8* %b, i8* null)\n"
    "  %twice = call i32 @cudaLaunchDeviceV2(i8* null, i8* null)\n"
    "  %other = getelementptr i32, i32* %out, i32 10\n"
    "  %sum = add i32 %e, %twice\n"
    "  store i32 %sum, i32* %other\n"
    "  br label %end\n"
    "end:\n  ret void\n}\n"
    "!nvvm.annotations = !{!0}\n!0 = !{void (i32*, i32)* @k, !\"kernel\", i32 1}\n";

static void launches(void)
{
    const char *options[] = {"-arch=compute_90"};
    int first = 0, got[11] = {0};
    nvvmProgram program;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *args[] = {&p, &first};
    CHECK(nvvmCreateProgram(&program) == NVVM_SUCCESS);
    CHECK(nvvmAddModuleToProgram(program, recursive, strlen(recursive), "recursive") == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(program, 1, options) == NVVM_SUCCESS);
    char *ptx = ptx_of(program);
    CHECK(!cuModuleLoadData(&m, ptx) && !cuModuleGetFunction(&f, m, "k") && !cuMemAlloc(&p, sizeof got));
    CHECK(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) && !cuModuleUnload(m));
    CHECK(!cuMemcpyDtoH(got, p, sizeof got));
    CHECK(got[0] == 77 && got[1] == 77 && got[2] == 77 && got[3] == 0 && got[10] == 1); /* cudaErrorInvalidValue */
    free(ptx);
    nvvmDestroyProgram(&program);
}

/* What the toolkit's folder has as libdevice is taken. */
static void device_functions(const char *file)
{
    static char buffer[1 << 16];
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(buffer, 1, sizeof buffer, f) : 0;
    nvvmProgram p;
    CHECK(n > 4 && !memcmp(buffer, "BC", 2));
    CHECK(nvvmCreateProgram(&p) == NVVM_SUCCESS);
    CHECK(nvvmAddModuleToProgram(p, sums, strlen(sums), "sums") == NVVM_SUCCESS);
    CHECK(nvvmLazyAddModuleToProgram(p, buffer, n, "libdevice") == NVVM_SUCCESS);
    CHECK(nvvmCompileProgram(p, 0, NULL) == NVVM_SUCCESS);
    nvvmDestroyProgram(&p);
}

int main(int argc, char **argv)
{
    CUcontext context;
    CHECK(argc == 2 && !cuInit(0) && !cuCtxCreate(&context, 0, 0));
    modules();
    options();
    mistakes();
    launches();
    device_functions(argv[1]);
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
