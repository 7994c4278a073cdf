/* Functions of the driver interface that are not there (include/heddle/driver_functions.def): each answers
 * CUDA_ERROR_NOT_SUPPORTED, leaves the runtime's last error alone, and says its name once on stderr, never more. */
#include "runtime_test.h"

#include <unistd.h>

#include "driver/driver.h"

/* Arguments do not matter: the bodies never look at them, and the caller of a C function cleans up after itself. */
static const struct {
    const char *name;
    CUresult (*call)(void);
} missing[] = {
#define CU_NOT_THERE(name, since, params) {#name, (CUresult(*)(void))(void (*)(void))name},
#include "heddle/driver_functions.def"
};
enum { COUNT = sizeof missing / sizeof *missing };

static void call_all_twice(void)
{
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < COUNT; i++)
            if (missing[i].call() != CUDA_ERROR_NOT_SUPPORTED || cudaGetLastError())
                _exit(1);
}

#include "missing.h"

static void each_says_its_name_once(void **state)
{
    (void)state;
    check_each_says_its_name_once(51);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_says_its_name_once),
        cmocka_unit_test(quiet_is_quiet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
