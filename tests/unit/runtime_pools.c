/* Memory pools: limits, figures, access, and what happens to memory in use. Granules of 2 MiB (space/space.h). */
#include "runtime_test.h"

#define MIB ((size_t)1 << 20)

static uint64_t figure(cudaMemPool_t pool, enum cudaMemPoolAttr attr)
{
    uint64_t v = 99;
    OK(cudaMemPoolGetAttribute(pool, attr, &v));
    return v;
}

static const struct cudaMemPoolProps on_device_0 = {.allocType = cudaMemAllocationTypePinned,
                                                    .location = {cudaMemLocationTypeDevice, 0}};

static void figures_of_the_default_pool(void **state)
{
    cudaMemPool_t pool, current;
    void *p, *q;
    uint64_t keep = UINT64_MAX, zero = 0, one = 1;
    int on = 7, off = 0;
    (void)state;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaDeviceGetMemPool(&current, 0));
    assert_ptr_equal(pool, current);
    OK(cudaMallocAsync(&p, MIB, NULL));
    OK(cudaMallocAsync(&q, 3 * MIB, NULL));
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), 4 * MIB);
    OK(cudaFreeAsync(q, NULL));
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), MIB);
    assert_int_equal(figure(pool, cudaMemPoolAttrReservedMemCurrent), 2 * MIB);
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemHigh), 4 * MIB);
    assert_int_equal(figure(pool, cudaMemPoolAttrReservedMemHigh), 4 * MIB);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemHigh), MIB);
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one));
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &zero));
    OK(cudaFree(p)); /* cudaFree takes memory of pools too */
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), 0);
    assert_int_equal(figure(pool, cudaMemPoolAttrReleaseThreshold), 0);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    assert_true(figure(pool, cudaMemPoolAttrReleaseThreshold) == UINT64_MAX);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &on));
    assert_int_equal(on, 1);
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &off));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &on));
    assert_int_equal(on, 0);
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)9, &zero));
    OK(cudaMemPoolTrimTo(pool, 0));
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceGetDefaultMemPool(&pool, 5));
}

static void a_pool_of_ones_own(void **state)
{
    cudaMemPool_t pool, current, standard;
    void *p, *q;
    struct cudaMemPoolProps props = on_device_0, other = on_device_0;
    (void)state;
    props.maxSize = 4 * MIB;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&p, 3 * MIB, pool, NULL));
    ANSWERS(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&q, 2 * MIB, pool, NULL));
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), 3 * MIB);
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaMallocAsync(&q, MIB, NULL));
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), 4 * MIB);
    OK(cudaFreeAsync(q, NULL));
    OK(cudaMemPoolDestroy(pool)); /* its memory stays */
    OK(cudaDeviceGetMemPool(&current, 0));
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    assert_ptr_equal(current, standard);
    ANSWERS(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&q, MIB, pool, NULL));
    ANSWERS(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, pool));
    OK(cudaMemset(p, 0, 3 * MIB));
    OK(cudaFreeAsync(p, NULL));
    OK(cudaDeviceSynchronize());
    other.allocType = cudaMemAllocationTypeInvalid;
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolCreate(&pool, &other));
    other = on_device_0;
    other.handleTypes = cudaMemHandleTypeWin32;
    ANSWERS(cudaErrorNotSupported, cudaMemPoolCreate(&pool, &other));
    other = on_device_0;
    other.location.id = 3;
    ANSWERS(cudaErrorInvalidDevice, cudaMemPoolCreate(&pool, &other));
}

static void who_may_reach_it(void **state)
{
    cudaMemPool_t pool;
    enum cudaMemAccessFlags flags;
    struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    struct cudaMemAccessDesc own = {here, cudaMemAccessFlagsProtReadWrite}, none = {here, cudaMemAccessFlagsProtNone},
                             far = {{cudaMemLocationTypeDevice, 7}, cudaMemAccessFlagsProtReadWrite};
    (void)state;
    OK(cudaMemPoolCreate(&pool, &on_device_0));
    OK(cudaMemPoolGetAccess(&flags, pool, &here));
    assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
    OK(cudaMemPoolSetAccess(pool, &own, 1));
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolSetAccess(pool, &none, 1));
    ANSWERS(cudaErrorInvalidDevice, cudaMemPoolSetAccess(pool, &far, 1));
    OK(cudaMemPoolDestroy(pool));
    ANSWERS(cudaErrorInvalidValue, cudaMemPoolGetAccess(&flags, pool, &here));
}

static void reset_takes_the_default_pool_back(void **state)
{
    cudaMemPool_t pool, current, standard;
    void *p;
    (void)state;
    OK(cudaMemPoolCreate(&pool, &on_device_0));
    OK(cudaDeviceSetMemPool(0, pool));
    OK(cudaMallocAsync(&p, MIB, NULL));
    OK(cudaDeviceReset());
    assert_int_equal(figure(pool, cudaMemPoolAttrUsedMemCurrent), 0);
    OK(cudaDeviceGetMemPool(&current, 0));
    OK(cudaDeviceGetDefaultMemPool(&standard, 0));
    assert_ptr_equal(current, standard);
    OK(cudaMemPoolDestroy(pool));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_of_the_default_pool),
        cmocka_unit_test(a_pool_of_ones_own),
        cmocka_unit_test(who_may_reach_it),
        cmocka_unit_test(reset_takes_the_default_pool_back),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
