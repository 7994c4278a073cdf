/* Launches: limits and their errors, the configuration of <<<...>>>, function attributes, occupancy. Limits are those
 * of the mock device (mock_engine.c). */
#include "runtime_test.h"

static cudaError_t shaped(struct dim3 g, struct dim3 b, size_t shared)
{
    int tag = 1;
    void *args[] = {&tag};
    return cudaLaunchKernel(log_tag, g, b, args, shared, NULL);
}

static void a_bad_configuration_runs_nothing(void **state)
{
    (void)state;
    const struct dim3 one = {1, 1, 1};
    ANSWERS(cudaErrorInvalidConfiguration, shaped((struct dim3){0, 1, 1}, one, 0));
    ANSWERS(cudaErrorInvalidConfiguration, shaped(one, (struct dim3){1, 0, 1}, 0));
    ANSWERS(cudaErrorInvalidConfiguration, shaped(one, (struct dim3){1025, 1, 1}, 0));
    ANSWERS(cudaErrorInvalidConfiguration, shaped(one, (struct dim3){32, 32, 2}, 0)); /* 2048 threads */
    ANSWERS(cudaErrorInvalidConfiguration, shaped(one, (struct dim3){1, 1, 65}, 0));
    ANSWERS(cudaErrorInvalidConfiguration, shaped((struct dim3){1, 65536, 1}, one, 0));
    ANSWERS(cudaErrorInvalidConfiguration, shaped((struct dim3){2147483648u, 1, 1}, one, 0));
    ANSWERS(cudaErrorInvalidValue, shaped(one, one, MOCK_SHARED - 1024 + 1)); /* 1024 bytes are static */
    ANSWERS(cudaErrorLaunchOutOfResources, mock_launch(hold, 1, 257, NULL, NULL, NULL)); /* launch bounds: 256 */
    OK(cudaDeviceSynchronize());
    assert_int_equal(mock_nlog, 0);
    OK(shaped(one, (struct dim3){32, 32, 1}, MOCK_SHARED - 1024));
    OK(cudaDeviceSynchronize());
    assert_int_equal(mock_nlog, 1);
    ANSWERS(cudaErrorInvalidValue, cudaLaunchKernel(log_tag, one, one, NULL, 0, NULL)); /* arguments are missing */
}

static void configurations_nest(void **state)
{
    struct dim3 g, b;
    size_t shared;
    void *stream;
    (void)state;
    assert_int_equal(__cudaPushCallConfiguration((struct dim3){1, 2, 3}, (struct dim3){4, 5, 6}, 7, (void *)8), 0);
    assert_int_equal(__cudaPushCallConfiguration((struct dim3){9, 1, 1}, (struct dim3){1, 1, 1}, 0, NULL), 0);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
    assert_int_equal(g.x, 9);
    OK(__cudaPopCallConfiguration(&g, &b, &shared, &stream));
    assert_true(g.x == 1 && g.y == 2 && g.z == 3 && b.x == 4 && b.y == 5 && b.z == 6 && shared == 7);
    assert_ptr_equal(stream, (void *)8);
    ANSWERS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&g, &b, &shared, &stream));
}

static void attributes_of_functions(void **state)
{
    struct cudaFuncAttributes a;
    (void)state;
    OK(cudaFuncGetAttributes(&a, log_tag));
    assert_int_equal(a.sharedSizeBytes, 1024);
    assert_int_equal(a.numRegs, 32);
    assert_int_equal(a.ptxVersion, 90);
    assert_int_equal(a.maxDynamicSharedSizeBytes, MOCK_SHARED - 1024);
    OK(cudaFuncSetAttribute(log_tag, cudaFuncAttributeMaxDynamicSharedMemorySize, MOCK_SHARED_OPTIN - 1024));
    OK(shaped((struct dim3){1, 1, 1}, (struct dim3){1, 1, 1}, MOCK_SHARED_OPTIN - 1024));
    ANSWERS(cudaErrorInvalidValue,
            cudaFuncSetAttribute(log_tag, cudaFuncAttributeMaxDynamicSharedMemorySize, MOCK_SHARED_OPTIN));
    ANSWERS(cudaErrorInvalidValue, cudaFuncSetAttribute(log_tag, (enum cudaFuncAttribute)99, 0));
    ANSWERS(cudaErrorInvalidDeviceFunction, cudaFuncGetAttributes(&a, &a));
    ANSWERS(cudaErrorNotSupported, cudaFuncSetAttribute(log_tag, cudaFuncAttributeRequiredClusterWidth, 2));
    OK(cudaFuncSetCacheConfig(log_tag, cudaFuncCachePreferL1));
}

/* The mock's rule: min(2048 / threads, 65536 / (1024 + dynamic)). */
static void occupancy(void **state)
{
    int blocks;
    size_t shared;
    (void)state;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 256, 0));
    assert_int_equal(blocks, 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 256, 15360));
    assert_int_equal(blocks, 4);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, log_tag, 4, 256));
    assert_int_equal(shared, 15360); /* 65536 / 4 - 1024 */
    OK(cudaFuncSetAttribute(log_tag, cudaFuncAttributeMaxDynamicSharedMemorySize, 20000));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 32, 20000));
    assert_int_equal(blocks, 3); /* 65536 / 21024 */
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 32, 20001)); /* more than it may have */
    assert_int_equal(blocks, 0);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 32, SIZE_MAX));
    assert_int_equal(blocks, 0);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, log_tag, 1, 256));
    assert_int_equal(shared, 20000);
    ANSWERS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&shared, log_tag, 9, 256));
    ANSWERS(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, log_tag, 0, 0));
}

/* 4 SMs with 8 blocks of 256 threads. */
static void cooperative_grids_must_be_resident(void **state)
{
    int tag = 1;
    void *args[] = {&tag};
    const struct dim3 b = {256, 1, 1};
    (void)state;
    OK(cudaLaunchCooperativeKernel(log_tag, (struct dim3){32, 1, 1}, b, args, 0, NULL));
    ANSWERS(cudaErrorCooperativeLaunchTooLarge,
            cudaLaunchCooperativeKernel(log_tag, (struct dim3){33, 1, 1}, b, args, 0, NULL));
    OK(cudaDeviceSynchronize());
}

/* cudaLaunchKernelExC with attributes: cooperative counts, hints are taken, clusters are not there. */
static void launches_with_attributes(void **state)
{
    int tag = 1;
    void *args[] = {&tag};
    cudaLaunchAttribute a[2];
    cudaLaunchConfig_t c = {.gridDim = {33, 1, 1}, .blockDim = {256, 1, 1}, .attrs = a, .numAttrs = 2};
    (void)state;
    memset(a, 0, sizeof a);
    a[0].id = cudaLaunchAttributePriority;
    a[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a[1].val.programmaticStreamSerializationAllowed = 1;
    OK(cudaLaunchKernelExC(&c, log_tag, args));
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    ANSWERS(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelExC(&c, log_tag, args));
    a[0].id = cudaLaunchAttributeClusterDimension;
    a[0].val.clusterDim.x = a[0].val.clusterDim.y = a[0].val.clusterDim.z = 1;
    OK(cudaLaunchKernelExC(&c, log_tag, args));
    a[0].val.clusterDim.x = 2;
    ANSWERS(cudaErrorNotSupported, cudaLaunchKernelExC(&c, log_tag, args));
    a[0].id = (cudaLaunchAttributeID)99;
    ANSWERS(cudaErrorInvalidValue, cudaLaunchKernelExC(&c, log_tag, args));
    ANSWERS(cudaErrorInvalidValue, cudaLaunchKernelExC(NULL, log_tag, args));
    OK(cudaDeviceSynchronize());
}

static void names_and_parameters_of_functions(void **state)
{
    const char *name;
    size_t offset, bytes;
    double d = 1;
    int blocks;
    (void)state;
    OK(cudaFuncGetName(&name, add_one));
    assert_string_equal(name, "add_one");
    ANSWERS(cudaErrorInvalidDeviceFunction, cudaFuncGetName(&name, &name));
    OK(cudaFuncGetParamInfo(add_one, 1, &offset, &bytes)); /* (u64 p, i32 n) */
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 4);
    OK(cudaFuncGetParamInfo(add_one, 0, &offset, NULL));
    assert_int_equal(offset, 0);
    ANSWERS(cudaErrorInvalidValue, cudaFuncGetParamInfo(add_one, 2, &offset, &bytes));
    OK(cudaFuncSetSharedMemConfig(add_one, cudaSharedMemBankSizeFourByte));
    ANSWERS(cudaErrorInvalidValue, cudaFuncSetSharedMemConfig(add_one, (enum cudaSharedMemConfig)3));
    OK(cudaSetDoubleForDevice(&d));
    OK(cudaSetDoubleForHost(&d));
    assert_true(d == 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, log_tag, 256, 0, cudaOccupancyDefault));
    assert_int_equal(blocks, 8);
}

static void device_figures_come_from_the_description(void **state)
{
    struct cudaDeviceProp p;
    int v, device = -1;
    size_t limit;
    char bus[16];
    (void)state;
    OK(cudaGetDeviceProperties(&p, 0));
    assert_string_equal(p.name, "Mock");
    assert_int_equal(p.totalGlobalMem, MOCK_MEMORY);
    assert_int_equal(p.major, 9);
    assert_int_equal(p.multiProcessorCount, MOCK_SMS);
    assert_int_equal(p.maxGridSize[1], 65535);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    assert_int_equal(v, MOCK_SHARED_OPTIN);
    OK(cudaDeviceGetAttribute(&v, cudaDevAttrMaxBlockDimZ, 0));
    assert_int_equal(v, 64);
    ANSWERS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)9999, 0));
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 1));
    ANSWERS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&p, -1));
    OK(cudaGetDevice(&device));
    assert_int_equal(device, 0);
    OK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
    assert_int_equal(limit, 1 << 20);
    ANSWERS(cudaErrorInvalidValue, cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (1 << 20) + 1));
    ANSWERS(cudaErrorUnsupportedLimit, cudaDeviceSetLimit((enum cudaLimit)77, 1));
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cudaDeviceGetByPCIBusId(&device, bus));
    assert_int_equal(device, 0);
    OK(cudaDeviceCanAccessPeer(&v, 0, 0));
    assert_int_equal(v, 0);
    ANSWERS(cudaErrorInvalidValue, cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    OK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_configuration_runs_nothing),
        cmocka_unit_test(configurations_nest),
        cmocka_unit_test(attributes_of_functions),
        cmocka_unit_test(occupancy),
        cmocka_unit_test(cooperative_grids_must_be_resident),
        cmocka_unit_test(launches_with_attributes),
        cmocka_unit_test(names_and_parameters_of_functions),
        cmocka_unit_test(device_figures_come_from_the_description),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
