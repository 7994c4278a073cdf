/* Arrays, copies of rows and slices in every asynchronous and deprecated form, descriptions of texture objects. */
#include "runtime_test.h"

static const struct cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned},
                                          floats = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static void arrays_tell_what_they_are(void **state)
{
    cudaArray_t a;
    struct cudaChannelFormatDesc d;
    struct cudaExtent e;
    unsigned flags;
    size_t elements;
    (void)state;
    OK(cudaMallocArray(&a, &floats, 10, 4, 0));
    OK(cudaArrayGetInfo(&d, &e, &flags, a));
    assert_int_equal(d.x, 32);
    assert_int_equal(e.width, 10);
    assert_int_equal(e.height, 4);
    assert_int_equal(e.depth, 0);
    OK(cudaGetChannelDesc(&d, a));
    assert_int_equal(d.f, cudaChannelFormatKindFloat);
    ANSWERS(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&d, NULL));
    OK(cudaDeviceGetTexture1DLinearMaxWidth(&elements, &floats, 0));
    ANSWERS(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(&elements, NULL, 0));
    OK(cudaFreeArray(a));
}

/* A run of bytes goes on in the next row: 10 bytes a row, from (7, 1) on. */
static void runs_of_bytes_pass_the_ends_of_rows(void **state)
{
    cudaArray_t a, b;
    unsigned char h[40], back[40] = {0};
    (void)state;
    for (int i = 0; i < 40; i++)
        h[i] = (unsigned char)(i + 1);
    OK(cudaMallocArray(&a, &bytes, 10, 4, 0));
    OK(cudaMallocArray(&b, &bytes, 10, 4, 0));
    OK(cudaMemcpyToArray(a, 7, 1, h, 20, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromArray(back, a, 0, 2, 17, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, h + 3, 17);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyToArray(a, 7, 1, h, 24, cudaMemcpyHostToDevice)); /* 23 are left */
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyToArray(NULL, 0, 0, h, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyArrayToArray(b, 3, 0, a, 7, 1, 20, cudaMemcpyDeviceToDevice));
    memset(back, 0, sizeof back);
    OK(cudaMemcpyFromArrayAsync(back, b, 3, 0, 20, cudaMemcpyDeviceToHost, NULL));
    OK(cudaDeviceSynchronize());
    assert_memory_equal(back, h, 20);
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArrayAsync(b, 0, 3, h, 10, cudaMemcpyHostToDevice, NULL));
    OK(cudaMemcpyFromArray(back, b, 0, 3, 10, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, h, 10);
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

static void rectangles_of_arrays(void **state)
{
    cudaArray_t a, b;
    unsigned char h[4][10], back[4][10] = {{0}};
    (void)state;
    for (int i = 0; i < 40; i++)
        (&h[0][0])[i] = (unsigned char)(i + 1);
    OK(cudaMallocArray(&a, &bytes, 10, 4, 0));
    OK(cudaMallocArray(&b, &bytes, 10, 4, 0));
    OK(cudaMemcpy2DToArrayAsync(a, 0, 0, h, 10, 10, 4, cudaMemcpyHostToDevice, NULL));
    OK(cudaMemcpy2DArrayToArray(b, 1, 1, a, 2, 0, 5, 3, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy2DFromArrayAsync(back, 10, b, 1, 1, 5, 3, cudaMemcpyDeviceToHost, NULL));
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < 3; y++)
        assert_memory_equal(back[y], &h[y][2], 5);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(b, 6, 0, a, 0, 0, 5, 1, cudaMemcpyDeviceToDevice));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 5, 1, cudaMemcpyHostToHost));
    memset(back, 0, sizeof back);
    OK(cudaMemcpy2DFromArray(back, 10, a, 0, 3, 10, 1, cudaMemcpyDeviceToHost));
    assert_memory_equal(back, h[3], 10);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy2DFromArray(back, 10, a, 0, 3, 10, 2, cudaMemcpyDeviceToHost));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
}

static void rows_and_slices_in_a_stream(void **state)
{
    enum { W = 8, H = 3, D = 2 };
    unsigned char h[D][H][W], back[D][H][W];
    struct cudaPitchedPtr box;
    struct cudaExtent all = {W, H, D}, one = {W, H, 1};
    (void)state;
    memset(h, 5, sizeof h);
    OK(cudaMalloc3D(&box, all));
    struct cudaMemcpy3DParms in = {.srcPtr = {h, W, W, H}, .dstPtr = box, .extent = all, .kind = cudaMemcpyHostToDevice};
    struct cudaMemcpy3DParms out = {.srcPtr = box, .dstPtr = {back, W, W, H}, .extent = all, .kind = cudaMemcpyDeviceToHost};
    OK(cudaMemcpy3DAsync(&in, NULL));
    OK(cudaMemset3DAsync(box, 9, one, NULL));
    OK(cudaMemset2DAsync((char *)box.ptr + box.pitch * H, box.pitch, 7, 2, 2, NULL));
    OK(cudaMemcpy3DAsync(&out, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(back[0][2][7], 9);
    assert_int_equal(back[1][1][1], 7);
    assert_int_equal(back[1][2][1], 5);
    OK(cudaMemcpy2DAsync(back, W, box.ptr, box.pitch, W, 1, cudaMemcpyDeviceToHost, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(back[0][0][0], 9);
    struct cudaMemcpy3DPeerParms self = {.srcPtr = box, .dstPtr = box, .dstPos = {0, 0, 1}, .extent = one};
    OK(cudaMemcpy3DPeer(&self));
    OK(cudaMemcpy3DPeerAsync(&self, NULL));
    OK(cudaMemcpy3D(&out));
    assert_int_equal(back[1][2][1], 9);
    self.dstDevice = 1;
    ANSWERS(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&self));
    self.dstDevice = 0;
    self.srcPtr.ptr = h; /* not the device's */
    ANSWERS(cudaErrorInvalidValue, cudaMemcpy3DPeer(&self));
    OK(cudaMemcpyPeerAsync(box.ptr, 0, (char *)box.ptr + box.pitch, 0, 4, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyPeerAsync(box.ptr, 0, h, 0, 4, NULL));
    OK(cudaFree(box.ptr));
}

static void symbols_in_a_stream(void **state)
{
    int h[2] = {41, 42}, back[2] = {0};
    (void)state;
    OK(cudaMemcpyToSymbolAsync(table, h, 8, 8, cudaMemcpyHostToDevice, NULL));
    OK(cudaMemcpyFromSymbolAsync(back, table, 8, 8, cudaMemcpyDeviceToHost, NULL));
    OK(cudaDeviceSynchronize());
    assert_int_equal(back[1], 42);
    ANSWERS(cudaErrorInvalidValue, cudaMemcpyToSymbolAsync(table, h, 8, 60, cudaMemcpyHostToDevice, NULL));
    ANSWERS(cudaErrorInvalidMemcpyDirection, cudaMemcpyFromSymbolAsync(back, table, 8, 0, cudaMemcpyHostToDevice, NULL));
}

static void texture_objects_tell_what_they_are(void **state)
{
    void *p;
    cudaTextureObject_t t;
    struct cudaResourceDesc r = {0}, r2;
    struct cudaTextureDesc d = {0}, d2;
    struct cudaResourceViewDesc view;
    (void)state;
    OK(cudaMalloc(&p, 64));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = floats;
    r.res.linear.sizeInBytes = 64;
    d.borderColor[2] = 3.0f;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    OK(cudaGetTextureObjectResourceDesc(&r2, t));
    assert_ptr_equal(r2.res.linear.devPtr, p);
    OK(cudaGetTextureObjectTextureDesc(&d2, t));
    assert_true(d2.borderColor[2] == 3.0f);
    ANSWERS(cudaErrorInvalidValue, cudaGetTextureObjectResourceViewDesc(&view, t)); /* it has none */
    OK(cudaDestroyTextureObject(t));
    ANSWERS(cudaErrorInvalidValue, cudaGetTextureObjectResourceDesc(&r2, t));
    ANSWERS(cudaErrorInvalidValue, cudaDestroyTextureObject(t));
    OK(cudaFree(p));
}

/* What is wrong with a format, a size, a mode: CUDA's own answers. */
static void bad_textures(void **state)
{
    void *p;
    cudaTextureObject_t t;
    cudaArray_t a;
    struct cudaResourceDesc r = {0};
    struct cudaTextureDesc d = {0};
    const struct cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat},
                                       odd = {24, 0, 0, 0, cudaChannelFormatKindUnsigned},
                                       mixed = {8, 16, 0, 0, cudaChannelFormatKindUnsigned},
                                       float8 = {8, 0, 0, 0, cudaChannelFormatKindFloat};
    (void)state;
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &three, 4, 4, 0));
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &odd, 4, 4, 0));
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &mixed, 4, 4, 0));
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &float8, 4, 4, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 0, 4, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMallocArray(&a, &floats, 4, 4, cudaArrayLayered)); /* without layers */
    ANSWERS(cudaErrorNotSupported, cudaMallocArray(&a, &floats, 4, 4, cudaArraySparse));
    OK(cudaMalloc(&p, 64));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = three;
    r.res.linear.sizeInBytes = 64;
    ANSWERS(cudaErrorInvalidChannelDescriptor, cudaCreateTextureObject(&t, &r, &d, NULL));
    r.res.linear.desc = floats;
    r.res.linear.sizeInBytes = 128; /* past its end: only a fetch is an error */
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    OK(cudaDestroyTextureObject(t));
    r.res.linear.sizeInBytes = 64;
    r.res.linear.devPtr = (char *)p + 8; /* not aligned */
    ANSWERS(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
    r.res.linear.devPtr = p;
    d.addressMode[1] = (enum cudaTextureAddressMode)9;
    ANSWERS(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, NULL));
    d.addressMode[1] = cudaAddressModeClamp;
    r.res.linear.desc = (struct cudaChannelFormatDesc){32, 0, 0, 0, cudaChannelFormatKindSigned};
    d.readMode = cudaReadModeNormalizedFloat; /* of 8 and 16 bits only */
    ANSWERS(cudaErrorInvalidNormSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
    d.readMode = cudaReadModeElementType;
    d.filterMode = cudaFilterModeLinear; /* of floats only */
    ANSWERS(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&t, &r, &d, NULL));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = NULL;
    ANSWERS(cudaErrorInvalidResourceHandle, cudaCreateTextureObject(&t, &r, &d, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaCreateTextureObject(NULL, &r, &d, NULL));
    OK(cudaFree(p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_tell_what_they_are),
        cmocka_unit_test(runs_of_bytes_pass_the_ends_of_rows),
        cmocka_unit_test(rectangles_of_arrays),
        cmocka_unit_test(rows_and_slices_in_a_stream),
        cmocka_unit_test(symbols_in_a_stream),
        cmocka_unit_test(texture_objects_tell_what_they_are),
        cmocka_unit_test(bad_textures),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
