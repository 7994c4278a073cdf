/* jansson on our allocator (see json.h). */
#include "base/json.h"

#include "base/alloc.h"
#include "base/strbuf.h"

__attribute__((constructor)) static void share_allocator(void)
{
    json_set_alloc_funcs(alloc_zeroed, alloc_release);
}

static int add(const char *text, size_t n, void *out)
{
    strbuf_add(out, text, n);
    return 0;
}

void json_print(struct strbuf *out, json_t *value)
{
    json_dump_callback(value, add, out, JSON_INDENT(2));
    strbuf_adds(out, "\n");
    json_decref(value);
}
