/* Functions that are not there (include/heddle/runtime_functions.def): each answers cudaErrorNotSupported and says its
 * name once on stderr, never more. */
#include "runtime_test.h"

#include "child.h"

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

/* Counts lines "heddle: NAME is not there yet". */
static int times_said(const char *text, const char *name)
{
    char line[160];
    int n = 0;
    snprintf(line, sizeof line, "heddle: %s is not there yet\n", name);
    for (const char *at = text; (at = strstr(at, line)); at++)
        n++;
    return n;
}

static void each_says_its_name_once(void **state)
{
    static char said[1 << 16];
    size_t n = 0, got;
    int ends[2], status;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        call_all_twice();
        _exit(0);
    }
    close(ends[1]);
    while ((got = (size_t)read(ends[0], said + n, sizeof said - 1 - n)) && got != (size_t)-1)
        n += got;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_true(COUNT > 10);
    for (int i = 0; i < COUNT; i++)
        if (times_said(said, missing[i].name) != 1)
            fail_msg("'%s' was said %d times", missing[i].name, times_said(said, missing[i].name));
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

static void quiet(void)
{
    setenv("HEDDLE_QUIET", "1", 1);
    call_all_twice();
}

static void quiet_is_quiet(void **state)
{
    (void)state;
    struct child c = run_child(quiet, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
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
