// NVRTC: text becomes PTX and images, which the driver interface loads; logs, options, headers, lowered names.
#include <cuda.h>
#define NVRTC_GET_TYPE_NAME 1
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)

static std::string log_of(nvrtcProgram p)
{
    size_t n = 0;
    CHECK(nvrtcGetProgramLogSize(p, &n) == NVRTC_SUCCESS && n >= 1);
    std::vector<char> text(n);
    CHECK(nvrtcGetProgramLog(p, text.data()) == NVRTC_SUCCESS);
    return text.data();
}

static std::string ptx_of(nvrtcProgram p)
{
    size_t n = 0;
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS);
    std::vector<char> text(n);
    CHECK(nvrtcGetPTX(p, text.data()) == NVRTC_SUCCESS);
    return text.data();
}

// The status of a compilation of `text`; log and PTX if they are wanted.
static nvrtcResult compile(const char *text, std::vector<const char *> options, std::string *log = nullptr, std::string *ptx = nullptr)
{
    nvrtcProgram p;
    CHECK(nvrtcCreateProgram(&p, text, "test.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    nvrtcResult r = nvrtcCompileProgram(p, (int)options.size(), options.data());
    if (log)
        *log = log_of(p);
    if (ptx)
        *ptx = ptx_of(p);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS && !p);
    return r;
}

static bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

static const char saxpy[] = "extern \"C\" __global__ void saxpy(float a, float *x, float *y, float *out, size_t n)\n"
                            "{\n    size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "    if (i < n)\n        out[i] = a * x[i] + y[i];\n}\n";

static float run(const void *image)
{
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUfunction f;
    CUdeviceptr x, y, out;
    float a = 3, h[64], r = -1;
    size_t n = 64;
    for (int i = 0; i < 64; i++)
        h[i] = i;
    CHECK(!cuInit(0) && !cuDeviceGet(&dev, 0) && !cuCtxCreate(&ctx, 0, dev));
    CHECK(!cuModuleLoadData(&mod, image));
    CHECK(!cuModuleGetFunction(&f, mod, "saxpy"));
    CHECK(!cuMemAlloc(&x, sizeof h) && !cuMemAlloc(&y, sizeof h) && !cuMemAlloc(&out, sizeof h));
    CHECK(!cuMemcpyHtoD(x, h, sizeof h) && !cuMemcpyHtoD(y, h, sizeof h));
    void *arguments[] = {&a, &x, &y, &out, &n};
    CHECK(!cuLaunchKernel(f, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(!cuMemcpyDtoH(&r, out + 4 * 63, 4));
    CHECK(!cuModuleUnload(mod) && !cuCtxDestroy(ctx));
    return r;
}

static void images()
{
    nvrtcProgram p;
    size_t n = 7;
    const char *virtual_arch[] = {"--gpu-architecture=compute_80", "--fmad=false"}, *real[] = {"-arch=sm_90"};
    CHECK(nvrtcCreateProgram(&p, saxpy, "saxpy.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 2, virtual_arch) == NVRTC_SUCCESS);
    std::string ptx = ptx_of(p);
    CHECK(has(ptx, ".target sm_80") && has(ptx, ".visible .entry saxpy(") && has(ptx, "mul.rn.f32") && log_of(p) == "");
    CHECK(run(ptx.c_str()) == 4 * 63);
    CHECK(nvrtcGetCUBINSize(p, &n) == NVRTC_SUCCESS && n == 0); // no image for a virtual architecture
    CHECK(nvrtcCompileProgram(p, 1, real) == NVRTC_SUCCESS);
    CHECK(nvrtcGetCUBINSize(p, &n) == NVRTC_SUCCESS && n > 100);
    std::vector<char> image(n);
    CHECK(nvrtcGetCUBIN(p, image.data()) == NVRTC_SUCCESS);
    CHECK(run(image.data()) == 4 * 63);
    CHECK(nvrtcGetLTOIRSize(p, &n) == NVRTC_SUCCESS && n == 0 && nvrtcGetOptiXIRSize(p, &n) == NVRTC_SUCCESS && n == 0);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

// Static variables keep their names, and what the program writes there.
static void statics()
{
    nvrtcProgram p;
    CUdevice dev;
    CUcontext ctx;
    CUmodule mod;
    CUfunction f;
    CUdeviceptr c, out;
    size_t bytes = 0;
    int value = 42, got = 0;
    CHECK(nvrtcCreateProgram(&p, "static __constant__ int table[4];\nextern \"C\" __global__ void k(int *p) { *p = table[1]; }\n", "s.cu", 0,
                             nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_SUCCESS);
    CHECK(!cuInit(0) && !cuDeviceGet(&dev, 0) && !cuCtxCreate(&ctx, 0, dev) && !cuModuleLoadData(&mod, ptx_of(p).c_str()));
    CHECK(!cuModuleGetFunction(&f, mod, "k") && !cuModuleGetGlobal(&c, &bytes, mod, "table") && bytes == 16);
    CHECK(!cuMemcpyHtoD(c + 4, &value, 4) && !cuMemAlloc(&out, 4));
    void *arguments[] = {&out};
    CHECK(!cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) && !cuMemcpyDtoH(&got, out, 4) && got == 42);
    CHECK(!cuCtxDestroy(ctx) && nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

static void logs()
{
    std::string log;
    CHECK(compile("__global__ void k(int *p)\n{\n    p[0] = nothing;\n}\n", {}, &log) == NVRTC_ERROR_COMPILATION);
    CHECK(has(log, "test.cu(3): error: ") && has(log, "nothing") && has(log, "      p[0] = nothing;\n             ^\n") &&
          has(log, "1 error detected in the compilation of \"test.cu\".\n"));
    CHECK(compile("#warning look out\n__global__ void k() {}\n", {}, &log) == NVRTC_SUCCESS && has(log, "test.cu(1): warning: look out"));
    CHECK(compile("#warning look out\n__global__ void k() {}\n", {"-w"}, &log) == NVRTC_SUCCESS && log == "");
    CHECK(compile("#include <nowhere.h>\n", {}, &log) == NVRTC_ERROR_COMPILATION && has(log, "nowhere.h"));
}

// How often the image that is made names a limit of registers; -1: none is made.
static int limits_of(const char *text, std::vector<const char *> words, std::string *ptx)
{
    nvrtcProgram p;
    size_t bytes = 0;
    int n = 0;
    CHECK(nvrtcCreateProgram(&p, text, "limits.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, (int)words.size(), words.data()) == NVRTC_SUCCESS);
    CHECK(nvrtcGetPTXSize(p, &bytes) == NVRTC_SUCCESS);
    ptx->resize(bytes);
    CHECK(nvrtcGetPTX(p, &(*ptx)[0]) == NVRTC_SUCCESS);
    CHECK(nvrtcGetCUBINSize(p, &bytes) == NVRTC_SUCCESS);
    std::string image(bytes, 0);
    if (bytes)
        CHECK(nvrtcGetCUBIN(p, &image[0]) == NVRTC_SUCCESS);
    for (size_t at = image.find(".maxnreg 24"); at != std::string::npos; at = image.find(".maxnreg 24", at + 1))
        n++;
    nvrtcDestroyProgram(&p);
    return bytes ? n : -1;
}

static void options()
{
    std::string log, ptx;
    CHECK(compile("", {"--bogus"}, &log) == NVRTC_ERROR_INVALID_OPTION && log == "nvrtc: error: unrecognized option --bogus found\n");
    CHECK(compile("", {"-arch=compute_1"}, &log) == NVRTC_ERROR_INVALID_OPTION && log == "nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
    CHECK(compile("", {"-fmad"}, &log) == NVRTC_ERROR_INVALID_OPTION && has(log, "expects true or false"));
    CHECK(compile("", {"-dlto"}, &log) == NVRTC_ERROR_INVALID_OPTION && has(log, "-rdc=true"));
    CHECK(compile("static_assert(N == 5 && M == 1 && __CUDACC_RTC__ == 1 && __cplusplus == 202002L, \"\");", {"-DN=5", "-D", "M", "--std=c++20"}) == NVRTC_SUCCESS);
    CHECK(compile("__device__ int k;", {"-arch", "sm_75", "--maxrregcount=32", "-lineinfo", "-Xptxas", "-v"}, nullptr, &ptx) == NVRTC_SUCCESS && has(ptx, ".target sm_75"));
    CHECK(compile("__device__ int k;", {}, nullptr, &ptx) == NVRTC_SUCCESS && has(ptx, ".target sm_52")); // NVRTC 12's own choice
    const char *limited = "extern \"C\" __global__ void k(float *p) { p[0] = p[1]; }\nextern \"C\" __global__ void __launch_bounds__(128) b(float *p) { p[0] = p[1]; }";
    CHECK(limits_of(limited, {"-arch=sm_90", "--maxrregcount=24"}, &ptx) == 1 && !has(ptx, ".maxnreg")); // not where there are launch bounds, nor in the PTX
    CHECK(limits_of(limited, {"-arch=sm_90", "-maxrregcount", "300"}, &ptx) == 0);
    CHECK(limits_of(limited, {"-arch=compute_90", "--maxrregcount=24"}, &ptx) == -1 && !has(ptx, ".maxnreg"));
    CHECK(compile(limited, {"--maxrregcount=many"}, &log) == NVRTC_ERROR_INVALID_OPTION && has(log, "--maxrregcount (-maxrregcount) expects an integer value"));
    CHECK(compile("extern \"C\" __global__ void k(float *p) { p[0] = sinf(p[1]) / p[2]; }", {"--use_fast_math"}, nullptr, &ptx) == NVRTC_SUCCESS &&
          has(ptx, "sin.approx.ftz.f32"));
    const char *plain = "int square(int x) { return x * x; }\nextern \"C\" __global__ void k(int *p) { p[0] = square(p[1]); }\n";
    CHECK(compile(plain, {}) == NVRTC_ERROR_COMPILATION);
    CHECK(compile(plain, {"-default-device"}) == NVRTC_SUCCESS);
    CHECK(compile("__device__ int k;", {"-fdevice-syntax-only"}, nullptr, &ptx) == NVRTC_SUCCESS && ptx == "");
}

static void headers()
{
    nvrtcProgram p;
    const char *texts[] = {"#include \"more/two.h\"\n#define ONE 1\n", "#define TWO 2\n"}, *names[] = {"one.h", "more/two.h"};
    CHECK(nvrtcCreateProgram(&p, "#include <one.h>\nstatic_assert(ONE + TWO == 3, \"\");\n", "h.cu", 2, texts, names) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    const char *bad[] = {"\nerror here\n"}, *bad_name[] = {"one.h"};
    CHECK(nvrtcCreateProgram(&p, "#include <one.h>\n", "h.cu", 1, bad, bad_name) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_ERROR_COMPILATION);
    CHECK(has(log_of(p), "one.h(2): error: ") && !has(log_of(p), "/one.h")); // no path of ours
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

// A program is as if it stood where its name says.
static void beside(const char *folder)
{
    nvrtcProgram p;
    std::string header = std::string(folder) + "/beside.h", name = std::string(folder) + "/program.cu";
    const char *alone[] = {"--no-source-include"};
    FILE *f = fopen(header.c_str(), "w");
    fputs("#define BESIDE 7\n", f);
    fclose(f);
    CHECK(nvrtcCreateProgram(&p, "#include \"beside.h\"\nstatic_assert(BESIDE == 7, \"\");\n", name.c_str(), 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 1, alone) == NVRTC_ERROR_COMPILATION);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    remove(header.c_str());
}

static void names()
{
    nvrtcProgram p;
    const char *lowered = nullptr;
    std::string type;
    CHECK(nvrtcCreateProgram(&p, "template <typename T, int N> __global__ void fill(T *p) { p[threadIdx.x] = N; }\n"
                                 "namespace n { __constant__ int c[4]; __device__ float v; __global__ void plain(int *) {} }\n",
                             nullptr, 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, "fill<float, 3>", &lowered) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CHECK(nvrtcGetTypeName<double>(&type) == NVRTC_SUCCESS && type == "double");
    std::string expression = "fill<" + type + ", 3>";
    for (const char *e : {expression.c_str(), "&fill<int, 4>", "n::plain", "&n::v", "&n::c"})
        CHECK(nvrtcAddNameExpression(p, e) == NVRTC_SUCCESS);
    CHECK(nvrtcCompileProgram(p, 0, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcGetLoweredName(p, expression.c_str(), &lowered) == NVRTC_SUCCESS && !strcmp(lowered, "_Z4fillIdLi3EEvPT_"));
    CHECK(nvrtcGetLoweredName(p, "&fill<int, 4>", &lowered) == NVRTC_SUCCESS && !strcmp(lowered, "_Z4fillIiLi4EEvPT_"));
    CHECK(nvrtcGetLoweredName(p, "n::plain", &lowered) == NVRTC_SUCCESS && !strcmp(lowered, "_ZN1n5plainEPi"));
    CHECK(nvrtcGetLoweredName(p, "&n::v", &lowered) == NVRTC_SUCCESS && !strcmp(lowered, "_ZN1n1vE"));
    CHECK(nvrtcGetLoweredName(p, "&n::c", &lowered) == NVRTC_SUCCESS && !strcmp(lowered, "_ZN1n1cE"));
    CHECK(nvrtcGetLoweredName(p, "n::other", &lowered) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CHECK(nvrtcAddNameExpression(p, "n::late") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CHECK(has(ptx_of(p), ".entry _Z4fillIdLi3EEvPT_(") && !has(ptx_of(p), "__heddle_name"));
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
    CHECK(nvrtcCreateProgram(&p, "", nullptr, 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcAddNameExpression(p, "nothing<int>") == NVRTC_SUCCESS && nvrtcCompileProgram(p, 0, nullptr) == NVRTC_ERROR_COMPILATION);
    CHECK(has(log_of(p), "name expressions(1): error: "));
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

static void misuse()
{
    nvrtcProgram p, none = nullptr;
    size_t n;
    int major, minor, count = 0, archs[32];
    CHECK(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major == 12 && nvrtcVersion(nullptr, &minor) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count > 5 && count <= 32);
    CHECK(nvrtcGetSupportedArchs(archs) == NVRTC_SUCCESS && archs[count - 1] == 90);
    CHECK(!strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"));
    CHECK(!strcmp(nvrtcGetErrorString((nvrtcResult)99), "NVRTC_ERROR unknown"));
    CHECK(nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcCreateProgram(&p, nullptr, "", 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcCreateProgram(&p, "", "", -1, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcDestroyProgram(&none) == NVRTC_ERROR_INVALID_PROGRAM && nvrtcCompileProgram(none, 0, nullptr) == NVRTC_ERROR_INVALID_PROGRAM);
    CHECK(nvrtcCreateProgram(&p, "", "", 0, nullptr, nullptr) == NVRTC_SUCCESS);
    CHECK(nvrtcGetPTXSize(p, &n) == NVRTC_SUCCESS && n == 1 && nvrtcGetPTXSize(p, nullptr) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcGetCUBIN(p, nullptr) == NVRTC_ERROR_INVALID_INPUT);
    CHECK(nvrtcDestroyProgram(&p) == NVRTC_SUCCESS);
}

int main(int argc, char **argv)
{
    images();
    statics();
    logs();
    options();
    headers();
    beside(argc > 1 ? argv[1] : "/tmp");
    names();
    misuse();
    printf(wrong ? "FAILED: %d\n" : "PASSED\n", wrong);
    return wrong != 0;
}
