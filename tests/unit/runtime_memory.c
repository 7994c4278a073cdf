/* Memory: allocation and its errors, copies of every kind, fills, pinned and managed memory, symbols. */
#include "runtime_test.h"

#define MIB ((size_t)1 << 20)

static void allocation_and_invalid_frees(void **state)
{
    char *p, *q, local;
    (void)state;
    OK(cudaMalloc((void **)&p, 100));
    assert_int_equal((uintptr_t)p % 512, 0);
    OK(cudaMalloc((void **)&q, 0));
    assert_null(q);
    OK(cudaFree(NULL));
    ANSWERS(cudaErrorInvalidValue, cudaFree(p + 4));
    ANSWERS(cudaErrorInvalidValue, cudaFree(&local));
    ANSWERS(cudaErrorInvalidValue, cudaFreeHost(p));
    ANSWERS(cudaErrorInvalidValue, cudaMalloc(NULL, 4));
    OK(cudaFree(p));
    ANSWERS(cudaErrorInvalidValue, cudaFree(p));
}

/* 256 MiB of memory in granules of 2 MiB: 25 allocations of 10 MiB (5 granules each) fit, the 26th does not. */
static void exhaustion_is_an_error_and_not_the_end(void **state)
{
    void *p[100];
    size_t n = 0, free_bytes, total;
    (void)state;
    ANSWERS(cudaErrorMemoryAllocation, cudaMalloc(&p[0], (size_t)1 << 50));
    cudaError_t e;
    while ((e = cudaMalloc(&p[n], 10 * MIB)) == cudaSuccess)
        n++;
    assert_int_equal(e, cudaErrorMemoryAllocation);
    assert_int_equal(cudaGetLastError(), cudaErrorMemoryAllocation);
    assert_int_equal(n, 25);
    OK(cudaMemGetInfo(&free_bytes, &total));
    assert_int_equal(free_bytes, 6 * MIB);
    assert_int_equal(total, 256 * MIB);
    for (size_t i = 0; i < n; i++)
        OK(cudaFree(p[i]));
    OK(cudaMalloc(&p[0], 200 * MIB)); /* and on it goes */
    OK(cudaFree(p[0]));
}

static void copies_of_every_kind(void **state)
{
    int h[4] = {1, 2, 3, 4}, back[4] = {0}, *a, *b;
    (void)state;
    OK(cudaMalloc((void **)&a, sizeof h));
    OK(cudaMalloc((void **)&b, sizeof h));
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, sizeof h, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back, b, sizeof h, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, h, sizeof h);
    h[0] = 9;
    OK(cudaMemcpy(a, h, sizeof h, cudaMemcpyDefault));
    OK(cudaMemcpy(b, a, sizeof h, cudaMemcpyDefault));
    OK(cudaMemcpy(back, b, sizeof h, cudaMemcpyDefault));
    assert_memory_equal(back, h, sizeof h);
    h[1] = 8;
    OK(cudaMemcpy(back, h, sizeof h, cudaMemcpyHostToHost));
    assert_int_equal(back[1], 8);
    OK(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

/* CUDA Runtime API reference, cudaMemcpyBatchAsync: two copies with one attribute, a third with another. */
static void batches_of_copies(void **state)
{
    int *d, up[2] = {11, 22}, down = 0;
    (void)state;
    OK(cudaMalloc((void **)&d, 8));
    void *to[] = {d, d + 1, &down}, *from[] = {&up[0], &up[1], &up[1]};
    size_t sizes[] = {4, 4, 4}, first[] = {0, 2}, failed = 7;
    struct cudaMemcpyAttributes attrs[] = {{.srcAccessOrder = cudaMemcpySrcAccessOrderStream},
                                           {.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall}};
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 2, &failed, s));
    assert_true(failed == SIZE_MAX);
    assert_int_equal(down, 22);
    OK(cudaStreamSynchronize(s));
    OK(cudaMemcpy(up, d, 8, cudaMemcpyDeviceToHost));
    assert_int_equal(up[0], 11);
    assert_int_equal(up[1], 22);
    from[1] = NULL; /* copy 1 has no source: it is named, and the last copy is not done */
    down = 0;
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 2, &failed, s));
    assert_int_equal(failed, 1);
    assert_int_equal(down, 0);
    from[1] = &up[1];
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 2, &failed, NULL));
    assert_true(failed == SIZE_MAX);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 0, &failed, s));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 1, attrs, first, 2, &failed, s));
    first[1] = 0; /* each entry begins behind the one before */
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 2, &failed, s));
    attrs[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyBatchAsync(to, from, sizes, 3, attrs, first, 1, &failed, s));
    OK(cudaStreamDestroy(s));
    OK(cudaFree(d));
}

static void a_kind_that_does_not_fit_is_refused(void **state)
{
    int h[4] = {1, 2, 3, 4}, *a;
    (void)state;
    OK(cudaMalloc((void **)&a, sizeof h));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, h, sizeof h, (enum cudaMemcpyKind)5));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpy(a, h, sizeof h, (enum cudaMemcpyKind)-1));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(h, a, sizeof h, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, h, sizeof h, cudaMemcpyDeviceToHost));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, h, sizeof h, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(h, a, sizeof h, cudaMemcpyHostToHost)); /* where the memory is decides */
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(h, h, sizeof h, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(a, a, sizeof h, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, h, sizeof h + 1, cudaMemcpyHostToDevice)); /* past its end */
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, NULL, 4, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(NULL, h, 4, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemset(h, 0, sizeof h));
    ANSWERS(cudaErrorInvalidValue, cudaMemset(a, 0, sizeof h + 1));
    OK(cudaFree(a));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice)); /* after free */
}

static void rows_and_slices(void **state)
{
    enum { W = 100, H = 5, D = 3 };
    unsigned char h[D][H][W], back[D][H][W];
    char *p;
    size_t pitch;
    (void)state;
    for (int i = 0; i < D * H * W; i++)
        (&h[0][0][0])[i] = (unsigned char)(i * 7);
    OK(cudaMallocPitch((void **)&p, &pitch, W, H));
    assert_int_equal(pitch, 512);
    OK(cudaMemcpy2D(p, pitch, h, W, W, H, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, W, p, pitch, W, H, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, h, W * H);
    OK(cudaMemset2D(p + 10, pitch, 0xab, 20, 2));
    OK(cudaMemcpy2D(back, W, p, pitch, W, H, cudaMemcpyDeviceToHost));
    assert_int_equal(back[0][1][29], 0xab);
    assert_int_equal(back[0][1][30], h[0][1][30]);
    assert_int_equal(back[0][2][10], h[0][2][10]);
    ANSWERS(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 99, h, W, W, H, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy2D(p, pitch, h, W, W, H + 1, cudaMemcpyHostToDevice));
    OK(cudaFree(p));

    struct cudaPitchedPtr box;
    struct cudaExtent all = {W, H, D}, part = {10, 2, 2};
    OK(cudaMalloc3D(&box, all));
    struct cudaMemcpy3DParms in = {.srcPtr = {h, W, W, H}, .dstPtr = box, .extent = all,
                                   .kind = cudaMemcpyHostToDevice};
    OK(cudaMemcpy3D(&in));
    memset(back, 0, sizeof back);
    struct cudaMemcpy3DParms out = {.srcPtr = box, .srcPos = {3, 1, 1}, .dstPtr = {back, W, W, H},
                                    .dstPos = {50, 2, 0}, .extent = part, .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3D(&out));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            assert_memory_equal(&back[z][2 + y][50], &h[1 + z][1 + y][3], 10);
    assert_int_equal(back[0][2][49] | back[0][2][60] | back[2][2][50], 0);
    OK(cudaMemset3D(box, 1, part));
    OK(cudaMemcpy(back, box.ptr, 12, cudaMemcpyDeviceToHost));
    assert_int_equal(back[0][0][9], 1);
    assert_int_equal(back[0][0][10], h[0][0][10]);
    OK(cudaFree(box.ptr));
}

static void pinned_and_managed_memory_serve_both_sides(void **state)
{
    int *pinned, *managed, *mapped, n = 4;
    unsigned flags;
    struct cudaPointerAttributes at;
    (void)state;
    OK(cudaHostAlloc((void **)&pinned, 16, cudaHostAllocMapped));
    OK(cudaMallocManaged((void **)&managed, 16, cudaMemAttachGlobal));
    for (int i = 0; i < 4; i++)
        pinned[i] = managed[i] = i;
    OK(cudaHostGetDevicePointer((void **)&mapped, pinned, 0));
    OK(mock_launch(add_one, 1, 1, NULL, &mapped, &n));
    OK(mock_launch(add_one, 1, 1, NULL, &managed, &n));
    OK(cudaDeviceSynchronize());
    assert_int_equal(pinned[3], 4);
    assert_int_equal(managed[3], 4);
    OK(cudaMemcpy(managed, pinned, 16, cudaMemcpyHostToDevice));
    OK(cudaMemset(managed, 0, 8));
    assert_int_equal(managed[1], 0); /* a fill of managed memory is synchronous */
    assert_int_equal(managed[2], 3);
    OK(cudaPointerGetAttributes(&at, pinned));
    assert_int_equal(at.type, cudaMemoryTypeHost);
    assert_ptr_equal(at.devicePointer, pinned);
    OK(cudaPointerGetAttributes(&at, managed + 1));
    assert_int_equal(at.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&at, &at));
    assert_int_equal(at.type, cudaMemoryTypeUnregistered);
    assert_null(at.devicePointer);
    OK(cudaHostGetFlags(&flags, pinned));
    assert_int_equal(flags, cudaHostAllocMapped);
    OK(cudaMemPrefetchAsync(managed, 16, 0, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaMemPrefetchAsync(pinned, 16, 0, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaMallocManaged((void **)&mapped, 16, 0));
    ANSWERS(cudaErrorInvalidValue, cudaFree(pinned));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
    ANSWERS(cudaErrorInvalidValue, cudaFreeHost(pinned));
}

static void advice_and_prefetches(void **state)
{
    int *managed, *plain;
    struct cudaMemLocation host = {cudaMemLocationTypeHost, 0}, device = {cudaMemLocationTypeDevice, 0},
                           nowhere = {cudaMemLocationTypeInvalid, 0}, far = {cudaMemLocationTypeDevice, 5};
    (void)state;
    OK(cudaMallocManaged((void **)&managed, 64, cudaMemAttachGlobal));
    OK(cudaMalloc((void **)&plain, 64));
    OK(cudaMemAdvise(managed, 64, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise_v2(managed, 64, cudaMemAdviseSetReadMostly, nowhere)); /* the place does not matter */
    OK(cudaMemAdvise_v2(managed, 64, cudaMemAdviseSetPreferredLocation, host));
    ANSWERS(cudaErrorInvalidDevice, cudaMemAdvise_v2(managed, 64, cudaMemAdviseSetPreferredLocation, far));
    ANSWERS(cudaErrorInvalidValue, cudaMemAdvise(managed, 64, (enum cudaMemoryAdvise)7, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMemAdvise(plain, 64, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemPrefetchAsync_v2(managed, 64, device, 0, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaMemPrefetchAsync_v2(managed, 65, device, 0, NULL)); /* past its end */
    ANSWERS(cudaErrorInvalidDevice, cudaMemPrefetchAsync_v2(managed, 64, nowhere, 0, NULL));
    OK(cudaStreamAttachMemAsync(NULL, managed, 0, cudaMemAttachGlobal));
    ANSWERS(cudaErrorInvalidValue, cudaStreamAttachMemAsync(NULL, plain, 0, cudaMemAttachGlobal));
    OK(cudaFree(managed));
    OK(cudaFree(plain));
}

static int asked(enum cudaMemRangeAttribute what, const void *p, size_t n)
{
    int v = 99;
    OK(cudaMemRangeGetAttribute(&v, sizeof v, what, p, n));
    return v;
}

/* 100 bytes: the host is preferred for 0 to 59, read mostly holds for 20 to 79, device 0 accesses all, then not 30 to 39. */
static void advice_is_remembered_by_the_byte(void **state)
{
    char *p, *plain;
    int by[3], last;
    void *data[2] = {by, &last};
    size_t sizes[2] = {sizeof by, sizeof last};
    enum cudaMemRangeAttribute what[2] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation};
    (void)state;
    OK(cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal));
    OK(cudaMalloc((void **)&plain, 100));
    assert_int_equal(asked(cudaMemRangeAttributePreferredLocation, p, 100), cudaInvalidDeviceId);
    assert_int_equal(asked(cudaMemRangeAttributePreferredLocationType, p, 100), cudaMemLocationTypeInvalid);
    OK(cudaMemAdvise(p, 60, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    OK(cudaMemAdvise(p + 20, 60, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise(p, 100, cudaMemAdviseSetAccessedBy, 0));
    OK(cudaMemAdvise(p, 50, cudaMemAdviseSetAccessedBy, cudaCpuDeviceId));
    OK(cudaMemAdvise(p + 30, 10, cudaMemAdviseUnsetAccessedBy, 0));
    OK(cudaMemPrefetchAsync(p, 100, 0, NULL));
    OK(cudaMemPrefetchAsync(p + 99, 1, cudaCpuDeviceId, NULL));
    assert_int_equal(asked(cudaMemRangeAttributePreferredLocation, p, 60), cudaCpuDeviceId);
    assert_int_equal(asked(cudaMemRangeAttributePreferredLocationType, p, 60), cudaMemLocationTypeHost);
    assert_int_equal(asked(cudaMemRangeAttributePreferredLocation, p, 61), cudaInvalidDeviceId);
    assert_int_equal(asked(cudaMemRangeAttributeReadMostly, p + 20, 60), 1);
    assert_int_equal(asked(cudaMemRangeAttributeReadMostly, p + 19, 2), 0);
    assert_int_equal(asked(cudaMemRangeAttributeLastPrefetchLocation, p, 99), 0);
    assert_int_equal(asked(cudaMemRangeAttributeLastPrefetchLocationId, p, 100), cudaInvalidDeviceId);
    OK(cudaMemRangeGetAttributes(data, sizes, what, 2, p, 30));
    assert_int_equal(by[0], 0);
    assert_int_equal(by[1], cudaCpuDeviceId);
    assert_int_equal(by[2], cudaInvalidDeviceId);
    assert_int_equal(last, 0);
    OK(cudaMemRangeGetAttribute(by, sizeof by, cudaMemRangeAttributeAccessedBy, p + 25, 10));
    assert_int_equal(by[0], cudaCpuDeviceId);
    assert_int_equal(by[1], cudaInvalidDeviceId);
    OK(cudaMemAdvise(p + 40, 10, cudaMemAdviseUnsetReadMostly, 0));
    assert_int_equal(asked(cudaMemRangeAttributeReadMostly, p + 20, 60), 0);
    assert_int_equal(asked(cudaMemRangeAttributeReadMostly, p + 50, 30), 1);
    ANSWERS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(by, 4, cudaMemRangeAttributeReadMostly, plain, 100));
    ANSWERS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeReadMostly, p, 100));
    ANSWERS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(by, 4, (enum cudaMemRangeAttribute)77, p, 100));
    ANSWERS(cudaErrorInvalidValue, cudaMemRangeGetAttribute(by, 4, cudaMemRangeAttributeReadMostly, p, 101));
    OK(cudaFree(p));
    OK(cudaMallocManaged((void **)&p, 100, cudaMemAttachGlobal)); /* at the same address */
    assert_int_equal(asked(cudaMemRangeAttributeReadMostly, p + 50, 30), 0);
    OK(cudaFree(p));
    OK(cudaFree(plain));
}

static void registered_memory(void **state)
{
    static char block[4096];
    void *p;
    struct cudaPointerAttributes at;
    (void)state;
    OK(cudaHostRegister(block, 4096, cudaHostRegisterDefault));
    ANSWERS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(block + 100, 8, 0));
    OK(cudaPointerGetAttributes(&at, block + 4095));
    assert_int_equal(at.type, cudaMemoryTypeHost);
    assert_ptr_equal(at.hostPointer, block + 4095);
    assert_ptr_equal(at.devicePointer, block + 4095);
    OK(cudaHostGetDevicePointer(&p, block + 8, 0));
    assert_ptr_equal(p, block + 8);
    OK(cudaMemset(block, 7, 100)); /* as with any memory that kernels reach */
    assert_int_equal(block[99], 7);
    OK(cudaHostUnregister(block));
    ANSWERS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(block));
    ANSWERS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, block, 0));
}

static void symbols(void **state)
{
    int h[16], other;
    void *address;
    size_t size;
    (void)state;
    OK(cudaMemcpyFromSymbol(h, table, 64, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(h[5], 0x07070707); /* the initial value in the PTX */
    h[0] = 42;
    OK(cudaMemcpyToSymbol(table, h, 4, 60, cudaMemcpyHostToDevice));
    h[15] = 0;
    OK(cudaMemcpyFromSymbol(&h[15], table, 4, 60, cudaMemcpyDeviceToHost));
    assert_int_equal(h[15], 42);
    OK(cudaGetSymbolSize(&size, table));
    assert_int_equal(size, 64);
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaMemset(address, 0, 4));
    ANSWERS(cudaErrorInvalidValue, cudaFree(address)); /* not from cudaMalloc */
    OK(cudaMemcpyFromSymbol(h, table, 8, 0, cudaMemcpyDefault));
    assert_int_equal(h[0], 0);
    assert_int_equal(h[1], 0x07070707);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, h, 8, 60, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyToSymbol(table, h, 4, (size_t)-4, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpyToSymbol(table, h, 4, 0, cudaMemcpyDeviceToHost));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbol(h, table, 4, 0, cudaMemcpyHostToDevice));
    ANSWERS(cudaErrorInvalidSymbol, cudaGetSymbolSize(&size, &other));
    ANSWERS(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&other, h, 4, 0, cudaMemcpyHostToDevice));
}

static void reset_starts_anew(void **state)
{
    void *p;
    int h;
    size_t free_bytes, total;
    (void)state;
    OK(cudaMalloc(&p, 100 * MIB));
    OK(cudaMemset(p, 1, 4));
    OK(cudaMemcpyFromSymbol(&h, table, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(h, 0); /* as the test before left it */
    assert_int_equal(mock_modules, 1);
    OK(cudaDeviceReset());
    assert_int_equal(mock_modules, 0);
    OK(cudaMemGetInfo(&free_bytes, &total));
    assert_int_equal(free_bytes, total);
    ANSWERS(cudaErrorInvalidValue, cudaFree(p));
    OK(cudaMemcpyFromSymbol(&h, table, 4, 0, cudaMemcpyDeviceToHost));
    assert_int_equal(h, 0x07070707);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocation_and_invalid_frees),
        cmocka_unit_test(exhaustion_is_an_error_and_not_the_end),
        cmocka_unit_test(copies_of_every_kind),
        cmocka_unit_test(batches_of_copies),
        cmocka_unit_test(a_kind_that_does_not_fit_is_refused),
        cmocka_unit_test(rows_and_slices),
        cmocka_unit_test(pinned_and_managed_memory_serve_both_sides),
        cmocka_unit_test(advice_and_prefetches),
        cmocka_unit_test(advice_is_remembered_by_the_byte),
        cmocka_unit_test(registered_memory),
        cmocka_unit_test(symbols),
        cmocka_unit_test(reset_starts_anew),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
