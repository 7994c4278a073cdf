/* Devices: choosing, settings, peers, what the deprecated and the accepted calls answer. */
#include "runtime_test.h"

static void choosing(void **state)
{
    int device = 7, devices[] = {0, 5};
    struct cudaDeviceProp p = {0};
    (void)state;
    p.major = 9;
    OK(cudaChooseDevice(&device, &p));
    assert_int_equal(device, 0);
    OK(cudaSetValidDevices(devices, 1));
    ANSWERS(cudaErrorInvalidDevice, cudaSetValidDevices(devices, 2));
    OK(cudaInitDevice(0, 0, 0));
    ANSWERS(cudaErrorInvalidDevice, cudaInitDevice(4, 0, 0));
    ANSWERS(cudaErrorInvalidDevice, cudaSetDevice(1));
}

static void settings(void **state)
{
    unsigned flags;
    size_t limit;
    enum cudaFuncCache cache;
    enum cudaSharedMemConfig banks;
    (void)state;
    OK(cudaSetDeviceFlags(cudaDeviceScheduleYield));
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags, cudaDeviceScheduleYield | cudaDeviceMapHost);
    ANSWERS(cudaErrorInvalidValue, cudaSetDeviceFlags(cudaDeviceScheduleYield | cudaDeviceScheduleSpin));
    OK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaDeviceGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferL1);
    ANSWERS(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((enum cudaFuncCache)4));
    OK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
    OK(cudaThreadGetCacheConfig(&cache));
    assert_int_equal(cache, cudaFuncCachePreferShared);
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks)); /* banks of four bytes, whatever was asked for */
    assert_int_equal(banks, cudaSharedMemBankSizeFourByte);
    OK(cudaThreadSetLimit(cudaLimitStackSize, 4096));
    OK(cudaThreadGetLimit(&limit, cudaLimitStackSize));
    assert_int_equal(limit, 4096);
    ANSWERS(cudaErrorInvalidValue, cudaThreadSetLimit(cudaLimitStackSize, 1 << 30)); /* 512 KiB a thread */
    ANSWERS(cudaErrorUnsupportedLimit, cudaThreadSetLimit((enum cudaLimit)99, 1));
    OK(cudaCtxResetPersistingL2Cache());
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
    OK(cudaThreadSynchronize());
    OK(cudaThreadExit());
    OK(cudaGetDeviceFlags(&flags));
    assert_int_equal(flags, cudaDeviceMapHost);
}

static void one_device_has_no_peer(void **state)
{
    int can = 7;
    (void)state;
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0)); /* oneself is no peer */
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(1));
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(0));
    ANSWERS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&can, cudaDevP2PAttrAccessSupported, 0, 0));
    ANSWERS(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(&can, (enum cudaDeviceP2PAttr)9, 0, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choosing),
        cmocka_unit_test(settings),
        cmocka_unit_test(one_device_has_no_peer),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
