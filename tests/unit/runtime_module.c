/* Embedded device code: loading at first use, and what is wrong with it. */
#include "base/blob.h"
#include "runtime_test.h"

static char broken_kernel[1], foreign_kernel[1], never_registered[1];
static int broken_variable;

static void modules_load_at_first_use(void **state)
{
    struct cudaFuncAttributes a;
    (void)state;
    assert_int_equal(mock_loads, 0); /* registration alone loads nothing */
    OK(cudaFuncGetAttributes(&a, add_one));
    assert_int_equal(mock_loads, 1);
    int tag = 1;
    OK(mock_launch(log_tag, 1, 1, NULL, &tag, NULL));
    assert_int_equal(mock_loads, 1);
}

static void broken_code_hurts_only_its_own_kernels(void **state)
{
    int h = 0;
    (void)state;
    void **b = mock_blob("broken");
    mock_kernel(b, broken_kernel, "k");
    mock_variable(b, &broken_variable, "v", 4);
    int before = mock_loads;
    ANSWERS(cudaErrorInvalidPtx, mock_launch(broken_kernel, 1, 1, NULL, NULL, NULL));
    ANSWERS(cudaErrorInvalidPtx, mock_launch(broken_kernel, 1, 1, NULL, NULL, NULL));
    ANSWERS(cudaErrorInvalidPtx, cudaMemcpyToSymbol(&broken_variable, &h, 4, 0, cudaMemcpyHostToDevice));
    assert_int_equal(mock_loads, before + 1); /* tried once, said once */
    LOG(1, NULL);
    OK(cudaDeviceSynchronize());
}

static void what_is_not_there(void **state)
{
    (void)state;
    ANSWERS(cudaErrorInvalidDeviceFunction, mock_launch(not_in_ptx, 1, 1, NULL, NULL, NULL));
    ANSWERS(cudaErrorInvalidDeviceFunction, mock_launch(never_registered, 1, 1, NULL, NULL, NULL));
    ANSWERS(cudaErrorInvalidDeviceFunction, mock_launch(NULL, 1, 1, NULL, NULL, NULL));
}

static void code_of_another_compiler(void **state)
{
    static const char data[64] = "\x50\xed\x55\xba"; /* a fat binary of the vendor's begins like this */
    static struct {
        int magic, version;
        const void *data;
        void *unused;
    } w = {0x466243b1, 1, data, NULL};
    (void)state;
    void **h = __cudaRegisterFatBinary(&w);
    mock_kernel(h, foreign_kernel, "k");
    ANSWERS(cudaErrorNoKernelImageForDevice, mock_launch(foreign_kernel, 1, 1, NULL, NULL, NULL));
}

static void a_closed_library_takes_its_kernels_along(void **state)
{
    static char stub[1];
    int tag = 3;
    (void)state;
    void **h = mock_blob("kernel log\n");
    mock_kernel(h, stub, "log");
    int n = mock_nlog;
    OK(mock_launch(stub, 1, 1, NULL, &tag, NULL));
    int modules = mock_modules;
    __cudaUnregisterFatBinary(h);
    assert_int_equal(mock_modules, modules - 1);
    assert_int_equal(mock_nlog, n + 1);
    assert_int_equal(mock_log[mock_nlog - 1], 3); /* what was launched ran first */
    ANSWERS(cudaErrorInvalidDeviceFunction, mock_launch(stub, 1, 1, NULL, &tag, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_load_at_first_use),
        cmocka_unit_test(broken_code_hurts_only_its_own_kernels),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(code_of_another_compiler),
        cmocka_unit_test(a_closed_library_takes_its_kernels_along),
    };
    return cmocka_run_group_tests(tests, register_kernels, NULL);
}
