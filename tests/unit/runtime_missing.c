/* Functions that are not there (include/heddle/runtime_functions.def): each answers cudaErrorNotSupported and says its
 * name once on stderr, never more. */
#include "runtime_test.h"

#include <unistd.h>

/* Arguments do not matter: the bodies never look at them, and the caller of a C function cleans up after itself. */
static const struct {
    const char *name;
    cudaError_t (*call)(void);
} missing[] = {
#define CUDA_NOT_THERE(name, params) {#name, (cudaError_t(*)(void))(void (*)(void))name},
#define CUDA_REFUSED(name, params)
#include "heddle/runtime_functions.def"
};
enum { COUNT = sizeof missing / sizeof *missing };

static void call_all_twice(void)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++)
            if (missing[i].call() != cudaErrorNotSupported || cudaGetLastError() != cudaErrorNotSupported)
                _exit(1);
}

#include "missing.h"

static void each_says_its_name_once(void **state)
{
    (void)state;
    check_each_says_its_name_once(11);
}

static void draw(void)
{
    struct cudaGraphicsResource *resource;
    unsigned int n;
    int devices[2];
    for (int i = 0; i < 2; i++)
        if (cudaGraphicsGLRegisterBuffer(&resource, 1, cudaGraphicsRegisterFlagsNone) != cudaErrorNotSupported ||
            cudaGLGetDevices(&n, devices, 2, cudaGLDeviceListAll) != cudaErrorNotSupported || cudaGetLastError() != cudaErrorNotSupported)
            _exit(1);
}

static void graphics_is_refused_with_its_reason(void **state)
{
    (void)state;
    struct child c = run_child(draw, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "heddle: cudaGraphicsGLRegisterBuffer is not there: no GPU draws here (docs/guide/limits.md)\n"
                               "heddle: cudaGLGetDevices is not there: no GPU draws here (docs/guide/limits.md)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_its_name_once),
        cmocka_unit_test(graphics_is_refused_with_its_reason),
        cmocka_unit_test(quiet_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
