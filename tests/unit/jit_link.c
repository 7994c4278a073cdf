/* Loading of objects: a damaged one is refused, whatever is damaged. The object is the test program's own text as gcc
 * makes it, so that none has to be kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "jit/link.h"

static char *object;
static size_t bytes;

static int read_object(void **state)
{
    (void)state;
    FILE *f = fopen(OBJECT, "rb");
    if (!f)
        return 1;
    object = malloc(1 << 20);
    bytes = fread(object, 1, 1 << 20, f);
    fclose(f);
    return bytes == 0;
}

static int forget_object(void **state)
{
    (void)state;
    free(object);
    return 0;
}

static void test_runs(void **state)
{
    (void)state;
    struct link_code c;
    char problem[200] = "";
    if (!link_object(object, bytes, "sum", &c, problem, sizeof problem))
        fail_msg("%s", problem);
    int (*sum)(int) = (int (*)(int))(uintptr_t)c.entry;
    assert_int_equal(sum(2), 2 + 30); /* a table of constants: 10 and 20 */
    link_release(&c);
    assert_null(c.memory);
}

static void test_names(void **state)
{
    (void)state;
    struct link_code c;
    char problem[200] = "";
    assert_false(link_object(object, bytes, "product", &c, problem, sizeof problem));
    assert_non_null(strstr(problem, "function is missing"));
    assert_false(link_object("no object at all, and shorter than a header", 20, "sum", &c, problem, sizeof problem));
    assert_non_null(strstr(problem, "no object file"));
}

/* Every byte of the file in turn made another, and every length: an answer, never a crash. */
static void test_damage(void **state)
{
    (void)state;
    struct link_code c;
    char problem[200], *copy = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        for (int k = 0; k < 3; k++) {
            memcpy(copy, object, bytes);
            copy[i] = (char)(copy[i] ^ (k == 0 ? 1 : k == 1 ? 0x80 : 0xff));
            if (link_object(copy, bytes, "sum", &c, problem, sizeof problem))
                link_release(&c);
        }
    free(copy);
    for (size_t n = 0; n < bytes; n++) {
        copy = malloc(n ? n : 1); /* its very size, so that a sanitizer sees a read behind it */
        memcpy(copy, object, n);
        if (link_object(copy, n, "sum", &c, problem, sizeof problem))
            link_release(&c);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs), cmocka_unit_test(test_names), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, read_object, forget_object);
}
