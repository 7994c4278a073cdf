/* Lines about compiled kernels: they are JSON whatever a kernel is called, and are added to what is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "jit/log.h"

static char path[] = "/tmp/heddle-jit-log-XXXXXX";

static void read_lines(char *text, size_t room)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, room - 1, f)] = 0;
    fclose(f);
}

static void test_lines(void **state)
{
    (void)state;
    char text[2000], want[2000];
    double ms[2];
    struct ir_kernel k = {.name = "a\"b\\c\n", .ninsts = 21};
    struct jit_job job = {.kernel = &k, .dim = {16, 8, 2}, .level = "x86-64-v3", .unrolled = 1};
    close(mkstemp(path));
    setenv("HEDDLE_JIT_LOG", path, 1);
    struct jit_object made = {.size = 4096, .lane_serial = 1}, not_made = {.lane_serial = 2};
    log_made(&job, log_now(), &made, true, "");
    job.counting = job.split = true;
    job.tier = JIT_FULL;
    log_made(&job, log_now() - 3, &not_made, false, "no room");
    read_lines(text, sizeof text);
    const char *second = strchr(text, '\n');
    assert_non_null(second);
    assert_int_equal(sscanf(strstr(text, "cpu_ms"), "cpu_ms\": %lf", &ms[0]), 1);
    assert_int_equal(sscanf(strstr(second, "cpu_ms"), "cpu_ms\": %lf", &ms[1]), 1);
    assert_true(ms[0] >= 0 && ms[0] < 1000 && ms[1] >= 3000 && ms[1] < 4000);
    snprintf(want, sizeof want,
             "{\"kernel\": \"a\\u0022b\\u005cc\\u000a\", \"instructions\": 21, \"block\": [16, 8, 2], \"form\": \"together\", \"tier\": \"first\", \"isa\": \"x86-64-v3\", "
             "\"counting\": false, \"cpu_ms\": %.2f, \"kept\": true, \"bytes\": 4096, \"lane_serial\": null, \"problem\": null}\n"
             "{\"kernel\": \"a\\u0022b\\u005cc\\u000a\", \"instructions\": 21, \"block\": [16, 8, 2], \"form\": \"split\", \"tier\": \"full\", \"isa\": \"x86-64-v3\", "
             "\"counting\": true, \"cpu_ms\": %.2f, \"kept\": false, \"bytes\": 0, \"lane_serial\": 2, \"problem\": \"no room\"}\n",
             ms[0], ms[1]);
    assert_string_equal(text, want);
}

static void test_silence(void **state)
{
    (void)state;
    struct ir_kernel k = {.name = "k", .ninsts = 1};
    struct jit_job job = {.kernel = &k, .level = "x86-64-v3", .unrolled = 1};
    struct jit_object o = {.size = 1};
    char before[2000], after[2000];
    read_lines(before, sizeof before);
    unsetenv("HEDDLE_JIT_LOG");
    log_made(&job, log_now(), &o, false, "");
    setenv("HEDDLE_JIT_LOG", "/no such folder/log", 1);
    log_made(&job, log_now(), &o, false, ""); /* nothing to be done about it */
    read_lines(after, sizeof after);
    assert_string_equal(before, after);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_silence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
