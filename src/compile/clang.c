/* The command lines of clang (see clang.h).
 *
 * Why each flag is there is told in docs/compile.md, "The two passes". Two that must not be lost: without
 * -target-sdk-version clang makes code for the launch interface of CUDA 9.1, and without --cuda-path it takes whatever
 * CUDA toolkit lies on the disk. */
#include "compile/clang.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/process.h"
#include "compile/words.h"

static const char *find_clang(struct arena *a, struct diag_list *diags)
{
    const char *chosen = getenv("HEDDLE_CLANG");
    if (chosen && *chosen) {
        const char *path = process_find(a, chosen);
        if (!path)
            diag_add(diags, DIAG_ERROR, NULL, 0, "HEDDLE_CLANG names '%s', which cannot be run",
                     chosen);
        return path;
    }
    const char *path = process_find(a, "clang++-19");
    if (!path)
        path = process_find(a, "clang-19");
    if (!path)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "'clang++-19' is not on PATH: install Debian's package clang-19, or set "
                 "HEDDLE_CLANG");
    return path;
}

/* HEDDLE_ROOT, or the directory above the one this program lies in. */
static const char *find_root(struct toolchain *t)
{
    const char *root = getenv("HEDDLE_ROOT");
    if (root && *root)
        return arena_strdup(&t->arena, root);
    char *self = arena_strdup(&t->arena, t->self);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return self;
}

#define WITHOUT_PLUGIN \
    "structs will not be copied as nvcc does it, reports will not say where functions were inlined, and __managed__ " \
    "variables are errors"

/* The plugin is built for LLVM 19 and loads into that clang only; Debian keeps each version in a folder of its own. */
static void find_plugin(struct toolchain *t, struct diag_list *diags)
{
    char real[PATH_MAX];
    bool fits = realpath(t->clang, real) && strstr(real, "llvm-19/");
    const char *plugin = arena_printf(&t->arena, "%s/heddle_device_pass.so", t->lib);
    if (fits && access(plugin, R_OK) == 0)
        t->plugin = plugin;
    else if (fits)
        diag_add(diags, DIAG_WARNING, NULL, 0, "'%s' is not there: " WITHOUT_PLUGIN, plugin);
    else
        diag_add(diags, DIAG_WARNING, NULL, 0, "'%s' is not clang 19: " WITHOUT_PLUGIN, t->clang);
}

bool toolchain_open(struct toolchain *t, struct diag_list *diags)
{
    char self[PATH_MAX];
    memset(t, 0, sizeof *t);
    arena_init(&t->arena);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    t->self = arena_strdup(&t->arena, self);
    const char *root = find_root(t);
    t->root = root;
    t->include = arena_printf(&t->arena, "%s/cuda/include", root);
    t->api = arena_printf(&t->arena, "%s/include", root);
    t->lib = arena_printf(&t->arena, "%s/lib", root);
    const char *header = arena_printf(&t->arena, "%s/cuda_runtime.h", t->include);
    if (access(header, R_OK) != 0) {
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "Heddle's header '%s' is not there: %s; is the installation complete?", header,
                 strerror(errno));
        return false;
    }
    t->clang = find_clang(&t->arena, diags);
    if (t->clang)
        find_plugin(t, diags);
    return t->clang != NULL;
}

void toolchain_close(struct toolchain *t)
{
    arena_release(&t->arena);
}

bool clang_define_is_reserved(const char *define)
{
    static const char *const asked[] = {"NDEBUG", "CUDA", "HEDDLE", "unix", "linux"};
    const char *name = define + 2;
    if (name[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (strncmp(name, asked[i], strlen(asked[i])) == 0)
            return true;
    return false;
}

/* Clang's own contraction fuses more than nvcc's. Without it the back end for PTX fuses a sum with a product that only sums
 * read, up to four, and leaves other products and sums for the assembler to fuse (target/contract.h): what nvcc's does. At
 * level 0 they are rounded, which forbids it; with -G nvcc's assembler fuses nothing. */
static void contraction(const struct compile_options *o, struct arena *a, struct words *w)
{
    words_addv(a, w, "-ffp-contract=off", "-mllvm", o->no_fmad || o->debug_device ? "-nvptx-fma-level=0" : "-nvptx-fma-level=2", NULL);
}

/* -ftz, -prec-div, -prec-sqrt and --use_fast_math: macros that our headers ask for, and the back end's switches. */
static void device_arithmetic(const struct compile_options *o, struct arena *a, struct words *w)
{
    words_addf(a, w, "-D__CUDA_FTZ=%d", o->ftz);
    words_addf(a, w, "-D__CUDA_PREC_DIV=%d", !o->fast_div);
    words_addf(a, w, "-D__CUDA_PREC_SQRT=%d", !o->fast_sqrt);
    if (o->ftz)
        words_add(a, w, "-fgpu-flush-denormals-to-zero");
    if (o->fast_functions)
        words_addv(a, w, "-D__USE_FAST_MATH__=1", "-fgpu-approx-transcendentals", NULL);
    if (o->fast_div)
        words_addv(a, w, "-mllvm", "-nvptx-prec-divf32=0", NULL);
    if (o->fast_sqrt)
        words_addv(a, w, "-mllvm", "-nvptx-prec-sqrtf32=0", NULL);
    contraction(o, a, w);
}

/* Numbers of LLVM's that nvcc has otherwise (docs/compile.md, "As nvcc does it"; plugin_loops.cpp has the other half of unrolling). */
static void as_nvcc(struct arena *a, struct words *w)
{
    static const char *const options[] = {
        "-unroll-threshold=400", "-unroll-allow-partial=false", "-unroll-runtime=false", /* loops that stay: plugin_loops.cpp */
        "-dse-memoryssa-otherbb-cost=100000", /* a store is dead only if the same block overwrites it */
        "-vectorize-slp=false",               /* neighbouring bytes stay bytes */
        "-inline-threshold=5000",             /* times 11, of 5 an instruction: nvcc inlines functions of 10,000, and none of 12,000 */
        "-unroll-max-upperbound=2440",        /* of those that plugin_loops.cpp asks for */
        "-unroll-peel-max-count=0",           /* the first turn is like the others */
        "-sink-common-insts=false",           /* stores at the ends of two branches stay two */
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words_addv(a, w, "-mllvm", options[i], NULL);
}

static void device_flags(const struct toolchain *t, const struct compile_options *o, struct arena *a, struct words *w)
{
    if (t->plugin) {
        words_addf(a, w, "-fplugin=%s", t->plugin);
        words_addf(a, w, "-fpass-plugin=%s", t->plugin);
    }
    words_addv(a, w, "--cuda-device-only", "--cuda-feature=+ptx84", o->debug_device ? "-g" : "-gline-tables-only",
               "-fno-strict-float-cast-overflow", /* see plugin_conversions.cpp */
               "-fno-finite-loops", /* see plugin_loops.cpp */
               "-mllvm", "-enable-tbaa=false", /* as nvcc: CUB reads words that it has written as structs */
               o->debug_device ? "-O0" : "-O3", NULL);
    as_nvcc(a, w);
    words_addf(a, w, "--cuda-gpu-arch=sm_%d%s", o->arch, o->arch_a ? "a" : "");
    device_arithmetic(o, a, w);
}

void clang_ir_flags(const struct toolchain *t, const struct compile_options *o, struct arena *a, struct words *w)
{
    words_add(a, w, t->clang);
    words_addv(a, w, "-fno-color-diagnostics", "-Wno-unused-command-line-argument", "-Wno-override-module", "-x", "ir",
               "--target=nvptx64-nvidia-cuda", "-Xclang", "-target-feature", "-Xclang", "+ptx84", "-Xclang", "-target-cpu", "-Xclang", NULL);
    words_addf(a, w, "sm_%d%s", o->arch, o->arch_a ? "a" : "");
    words_add(a, w, o->debug_device ? "-O0" : "-O3");
    contraction(o, a, w);
    if (o->fast_div)
        words_addv(a, w, "-mllvm", "-nvptx-prec-divf32=0", NULL);
    if (o->fast_sqrt)
        words_addv(a, w, "-mllvm", "-nvptx-prec-sqrtf32=0", NULL);
    as_nvcc(a, w);
    if (!t->plugin)
        return;
    words_addf(a, w, "-fplugin=%s", t->plugin);
    words_addf(a, w, "-fpass-plugin=%s", t->plugin);
    if (o->ftz)
        words_addv(a, w, "-mllvm", "-heddle-ir-ftz", NULL);
}

static void host_flags(const struct compile_options *o, struct arena *a, struct words *w)
{
    words_addf(a, w, "-O%c", o->host_opt);
    words_add(a, w, "-fPIC");
    /* clang would fuse a*b+c where it computes it itself, which gcc does not do for x86-64 */
    words_add(a, w, "-ffp-contract=off");
    if (o->debug_host)
        words_add(a, w, "-g");
    words_append(a, w, &o->host);
}

void clang_pass_flags(const struct toolchain *t, const struct compile_options *o, enum pass pass,
                      struct arena *a, struct words *w)
{
    words_add(a, w, t->clang);
    words_addv(a, w, "-fno-color-diagnostics", "-Wno-unused-command-line-argument", "-Wno-pass-failed", NULL);
    if (pass == PASS_DEVICE || pass == PASS_HOST)
        words_addv(a, w, "-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib",
                   "-Xclang", "-target-sdk-version=12.4", "-Xclang",
                   "-fcuda-allow-variadic-functions", "-fuse-cuid=none",
                   /* C++20 would check a precompiled header as a module and lose overloads */
                   "-Xclang", "-fno-cxx-modules", NULL);
    else
        words_addv(a, w, "-x", pass == PASS_C ? "c" : "c++", NULL);
    if (pass != PASS_C) /* warnings for nvcc and g++, errors for clang unless told */
        words_addv(a, w, "-Wno-error=register", "-Wno-error=c++11-narrowing", "-Wno-error=reserved-user-defined-literal",
                   "-Wno-invalid-constexpr", NULL);
    for (int i = 0; i < o->both.n; i++)
        if (pass != PASS_C || strncmp(o->both.v[i], "-std=", 5) != 0)
            words_add(a, w, o->both.v[i]);
    if (pass == PASS_DEVICE)
        device_flags(t, o, a, w);
    else
        host_flags(o, a, w);
    if (pass == PASS_HOST)
        words_addv(a, w, "--cuda-host-only", "--no-offload-new-driver",
                   "-fwrapv", /* checks compare with products that overflow, where g++ happens to wrap */ NULL);
    if (o->relocatable && (pass == PASS_DEVICE || pass == PASS_HOST))
        words_add(a, w, "-D__CUDACC_RDC__");
    if (pass == PASS_HOST && t->plugin)
        words_addf(a, w, "-fpass-plugin=%s", t->plugin);
    if (!t->plugin && (pass == PASS_DEVICE || pass == PASS_HOST))
        words_add(a, w, "-D__HEDDLE_NO_PASS__");
    for (int i = 0; i < o->defines.n; i++)
        if (clang_define_is_reserved(o->defines.v[i]))
            words_add(a, w, o->defines.v[i]);
    if (pass == PASS_DEVICE || pass == PASS_HOST)
        words_addv(a, w, "-isystem", arena_printf(a, "%s/heddle/library", t->include), NULL);
    words_addv(a, w, "-isystem", t->include, "-isystem", t->api, NULL);
}

void clang_user_flags(const struct compile_options *o, struct arena *a, struct words *w)
{
    words_append(a, w, &o->search);
    for (int i = 0; i < o->defines.n; i++)
        if (!clang_define_is_reserved(o->defines.v[i]))
            words_add(a, w, o->defines.v[i]);
}

void clang_link(const struct toolchain *t, const struct compile_options *o, const char *output,
                struct arena *a, struct words *w, const struct words *objects)
{
    words_add(a, w, t->clang);
    words_addv(a, w, "-fno-color-diagnostics", "-Wno-unused-command-line-argument", "--driver-mode=g++",
               NULL);
    words_append(a, w, &o->host);
    if (o->shared)
        words_add(a, w, "-shared");
    words_append(a, w, objects);
    /* CMake looks for the first of these words (nvcc -v) and takes from this line what programs are linked with. */
    if (o->cudart)
        words_addf(a, w, "-L%s/cuda/lib64", t->root);
    if (o->cudart && strcmp(o->cudart, "none"))
        words_addv(a, w, "-lcudadevrt", strcmp(o->cudart, "static") ? "-lcudart" : "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
    words_addf(a, w, "-L%s", t->lib);
    if (!o->cudart) /* the engine for programs that call it, too */
        words_addv(a, w, "-lheddle-cudart", "-Wl,--push-state,--as-needed", "-lheddle", "-Wl,--pop-state", NULL);
    words_addf(a, w, "-Wl,-rpath,%s", t->lib);
    words_addv(a, w, "-o", output, NULL);
}
