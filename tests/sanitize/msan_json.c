/* jansson for the tests under the memory sanitizer, which does not see what a library without it writes.
 *
 * Linked with --wrap: while jansson reads a text the sanitizer's own functions (memcpy, strcmp) say nothing, and what it has
 * allocated counts as written then. It is not freed, as a test reads one device description. */
#include <jansson.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>

static char memory[16 << 20];
static size_t used;

static void *take(size_t bytes)
{
    void *p = memory + used;
    used += (bytes + 15) / 16 * 16;
    return used <= sizeof memory ? p : NULL;
}

static void give(void *p)
{
    (void)p;
}

void __wrap_json_set_alloc_funcs(json_malloc_t m, json_free_t f);
void __real_json_set_alloc_funcs(json_malloc_t m, json_free_t f);
void __wrap_json_set_alloc_funcs(json_malloc_t m, json_free_t f)
{
    (void)m, (void)f;
    __real_json_set_alloc_funcs(take, give);
}

json_t *__wrap_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error);
json_t *__real_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error);
json_t *__wrap_json_loadb(const char *text, size_t bytes, size_t flags, json_error_t *error)
{
    __msan_scoped_disable_interceptor_checks();
    json_t *j = __real_json_loadb(text, bytes, flags, error);
    __msan_scoped_enable_interceptor_checks();
    __msan_unpoison(memory, used);
    if (error)
        __msan_unpoison(error, sizeof *error);
    return j;
}
