/* A C program that uses the CUDA runtime through libheddle.so, with the real engine: results, and every error rule
 * that needs one. Each case runs in a child, since faults end a process's use of CUDA.
 *
 * usage: runtime_library kernels.ptx */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>

#include "base/blob.h"
#include "../unit/child.h"
#include "cuda_runtime_api.h"
#include "heddle_cuda.h"

static char add_one[1], endless[1], deadlock[1], traps[1], strange[1], whole[1];
static int counter;
static char *ptx;
static size_t ptx_bytes;

#define MUST(e, call)                                                                              \
    do {                                                                                           \
        int got_ = (int)(call);                                                                    \
        if (got_ != (int)(e)) {                                                                    \
            fprintf(stderr, "line %d: %s is %d, not %d\n", __LINE__, #call, got_, (int)(e));       \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

struct wrapper {
    int magic, version;
    const void *data;
    void *unused;
};

/* What clang's start-up code does with a blob. */
static void **embed(const char *text, size_t bytes)
{
    struct wrapper *w = calloc(1, sizeof *w);
    struct blob_header *h = calloc(1, sizeof *h + bytes + 1);
    *h = (struct blob_header){.magic = BLOB_MAGIC, .version = BLOB_VERSION, .arch = 90, .ptx_bytes = bytes};
    memcpy(h + 1, text, bytes);
    *w = (struct wrapper){0x466243b1, 1, h, NULL};
    return __cudaRegisterFatBinary(w);
}

static void add(void **h, const char *stub, const char *name)
{
    __cudaRegisterFunction(h, stub, (char *)(uintptr_t)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void embed_kernels(void)
{
    void **h = embed(ptx, ptx_bytes);
    add(h, add_one, "add_one");
    add(h, endless, "endless");
    add(h, deadlock, "deadlock");
    add(h, traps, "traps");
    __cudaRegisterVar(h, (char *)&counter, (char *)(uintptr_t)"counter", "counter", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
}

static cudaError_t launch(const void *stub, unsigned grid, unsigned block, void *a, void *b)
{
    void *args[] = {a, b};
    return cudaLaunchKernel(stub, (struct dim3){grid, 1, 1}, (struct dim3){block, 1, 1}, args, 0, NULL);
}

/* --- cases --- */

static void results(void)
{
    int h[1000], *p, n = 1000, c;
    embed_kernels();
    for (int i = 0; i < n; i++)
        h[i] = i;
    MUST(0, cudaMalloc((void **)&p, sizeof h));
    MUST(0, cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice));
    MUST(0, launch(add_one, 4, 256, &p, &n));
    MUST(0, cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        MUST(i + 1, h[i]);
    MUST(0, cudaMemcpyFromSymbol(&c, &counter, 4, 0, cudaMemcpyDeviceToHost));
    MUST(41, c);
    void *at;
    unsigned one = 1;
    MUST(0, cudaGetSymbolAddress(&at, &counter));
    MUST(0, launch(add_one, 1, 32, &at, &one));
    MUST(0, cudaMemcpyFromSymbol(&c, &counter, 4, 0, cudaMemcpyDeviceToHost));
    MUST(42, c);
    int *pinned, *managed, k = 3;
    MUST(0, cudaMallocHost((void **)&pinned, 12));
    MUST(0, cudaMallocManaged((void **)&managed, 12, cudaMemAttachGlobal));
    pinned[2] = managed[2] = 5;
    MUST(0, launch(add_one, 1, 32, &pinned, &k));
    MUST(0, launch(add_one, 1, 32, &managed, &k));
    MUST(0, cudaDeviceSynchronize());
    MUST(6, pinned[2]);
    MUST(6, managed[2]);
}

static int loads, stores;

static void see(const heddle_access *a, void *user)
{
    MUST(1, user == &loads && !strcmp(a->kernel, "add_one") && a->space == 'g');
    loads += a->op == 'l';
    stores += a->op == 's';
}

/* CUDA's launches are seen by who asks for CUDA's device; a plain launch afterwards is not. */
static void observed(void)
{
    heddle_device *d;
    int *p, n = 40;
    embed_kernels();
    MUST(HEDDLE_NO_DEVICE, heddle_cuda_device(1, &d));
    MUST(HEDDLE_OK, heddle_cuda_device(0, &d));
    MUST(0, cudaMalloc((void **)&p, 4096));
    MUST(HEDDLE_OK, heddle_observe(d, see, &loads));
    MUST(0, launch(add_one, 3, 32, &p, &n)); /* two of its three warps have something to do */
    MUST(0, cudaDeviceSynchronize());
    MUST(2, loads);
    MUST(2, stores);
    MUST(HEDDLE_OK, heddle_observe(d, NULL, NULL));
    MUST(0, launch(add_one, 3, 32, &p, &n));
    MUST(0, cudaDeviceSynchronize());
    MUST(2, loads);
}

static void bad_configuration(void)
{
    int *p = NULL, n = 0;
    embed_kernels();
    MUST(9, launch(add_one, 1, 1025, &p, &n));
    MUST(9, cudaGetLastError());
    MUST(9, launch(add_one, 0, 1, &p, &n));
    MUST(9, cudaGetLastError());
    MUST(0, cudaDeviceSynchronize());
    MUST(0, cudaGetLastError());
}

static void exhausted(void)
{
    void *p[4096];
    int n = 0, e;
    MUST(2, cudaMalloc(&p[0], (size_t)1 << 46));
    MUST(2, cudaGetLastError());
    while (n < 4096 && (e = (int)cudaMalloc(&p[n], (size_t)1 << 30)) == 0)
        n++;
    MUST(2, e);
    for (int i = 0; i < n; i++)
        MUST(0, cudaFree(p[i]));
    MUST(0, cudaMalloc(&p[0], 1 << 20));
}

static void after_fault(int error)
{
    void *p;
    MUST(error, cudaDeviceSynchronize());
    MUST(error, cudaGetLastError());
    MUST(error, cudaGetLastError());
    MUST(error, cudaMalloc(&p, 4));
}

static void out_of_range(void)
{
    int *p, n = 64;
    embed_kernels();
    MUST(0, cudaMalloc((void **)&p, 64));
    p += (128 << 20) / 4; /* beyond what is mapped around it */
    MUST(0, launch(add_one, 2, 32, &p, &n));
    after_fault(700);
}

static void host_pointer(void)
{
    int *p = malloc(4096), n = 32;
    embed_kernels();
    MUST(0, launch(add_one, 1, 32, &p, &n));
    after_fault(700);
}

static void deadlocked(void)
{
    embed_kernels();
    MUST(0, launch(deadlock, 1, 64, NULL, NULL));
    after_fault(702);
}

static void trapped(void)
{
    embed_kernels();
    MUST(0, launch(traps, 1, 32, NULL, NULL));
    after_fault(719);
}

static void runs_forever(void)
{
    embed_kernels();
    MUST(0, launch(endless, 1, 32, NULL, NULL));
    cudaDeviceSynchronize();
    _exit(1);
}

static void cut_in_half(void)
{
    int *p = NULL, n = 0;
    void **h = embed(ptx, ptx_bytes / 2);
    add(h, whole, "add_one");
    MUST(218, launch(whole, 1, 1, &p, &n));
    MUST(218, cudaGetLastError());
}

static void unknown_instruction(void)
{
    static const char text[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
                               ".visible .entry strange()\n{\n\t.reg .b32 %r<3>;\n\tfrobnicate.s32 %r1, %r2;\n\tret;\n}\n"
                               ".visible .entry whole()\n{\n\tret;\n}\n";
    void **h = embed(text, sizeof text - 1);
    add(h, strange, "strange");
    add(h, whole, "whole");
    MUST(0, launch(whole, 1, 1, NULL, NULL)); /* other kernels are unaffected */
    MUST(0, cudaDeviceSynchronize());
    MUST(801, launch(strange, 1, 1, NULL, NULL));
    MUST(801, cudaGetLastError());
}

/* --- what is expected --- */

static void says(void (*act)(void), const char *const *words)
{
    struct child c = run_child(act, NULL, 0);
    assert_exit(c, 0);
    for (; *words; words++)
        if (!strstr(c.said, *words))
            fail_msg("'%s' is missing in: %s", *words, c.said);
}
#define SAYS(act, ...) says(act, (const char *const[]){__VA_ARGS__, NULL})

static void it_computes(void **state)
{
    (void)state;
    struct child c = run_child(results, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
}

static void accesses_are_seen(void **state)
{
    (void)state;
    struct child c = run_child(observed, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
}

static void it_refuses(void **state)
{
    (void)state;
    struct child c = run_child(bad_configuration, NULL, 0);
    assert_exit(c, 0);
    c = run_child(exhausted, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
}

static void faults_are_said(void **state)
{
    (void)state;
    SAYS(out_of_range, "heddle: ", "add_one", "0x200008000000");
    SAYS(host_pointer, "heddle: ", "add_one");
    SAYS(deadlocked, "heddle: ", "deadlock", "barrier");
    SAYS(trapped, "heddle: ", "traps");
}

static void bad_code_is_said(void **state)
{
    (void)state;
    SAYS(cut_in_half, "heddle: ", "error");
    SAYS(unknown_instruction, "heddle: ", "frobnicate", "not implemented");
}

static void interrupt(pid_t pid)
{
    kill(pid, SIGINT);
}

static void an_endless_kernel_ends(void **state)
{
    (void)state;
    char path[] = "/tmp/heddle-interrupted-XXXXXX", line[64] = "";
    int fd = mkstemp(path);
    struct child c = run_child(runs_forever, interrupt, 500);
    assert_signal(c, SIGINT);
    assert_non_null(strstr(c.said, "heddle: "));
    assert_non_null(strstr(c.said, "interrupted"));
    /* profiled: what the launch did until then is written before the process ends */
    setenv("HEDDLE_RESULTS", path, 1);
    c = run_child(runs_forever, interrupt, 500);
    unsetenv("HEDDLE_RESULTS");
    assert_signal(c, SIGINT);
    assert_true(read(fd, line, sizeof line - 1) > 0);
    assert_non_null(strstr(line, "heddle_result"));
    close(fd);
    unlink(path);
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    ptx = calloc(1, 1 << 16);
    ptx_bytes = f ? fread(ptx, 1, (1 << 16) - 1, f) : 0;
    if (!ptx_bytes) {
        fprintf(stderr, "usage: %s kernels.ptx\n", argv[0]);
        return 2;
    }
    alarm(100);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_computes),
        cmocka_unit_test(accesses_are_seen),
        cmocka_unit_test(it_refuses),
        cmocka_unit_test(faults_are_said),
        cmocka_unit_test(bad_code_is_said),
        cmocka_unit_test(an_endless_kernel_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
