/* The PTX parser under random text: no crash, no leak, no hang; a module or a message, never both. What parses is
 * printed too, so that the printer is covered. */
#include "base/diag.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "ptx/ptx.h"

static void print_all(const struct ptx_module *m)
{
    struct strbuf b;
    strbuf_init(&b);
    for (int i = 0; i < m->nfuncs; i++)
        for (int k = 0; k < m->funcs[i]->ninsts; k++) {
            strbuf_clear(&b);
            ptx_print_inst(m->funcs[i], &m->funcs[i]->insts[k], &b);
        }
    strbuf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_list diags;
    struct strbuf b;
    diag_init(&diags);
    strbuf_init(&b);
    struct ptx_module *m = ptx_parse("fuzz.ptx", (const char *)data, size, &diags);
    diag_format_all(&diags, &b);
    if (!m && !diags.errors)
        fuzz_fail("no module and no message");
    if (m && diags.errors)
        fuzz_fail("a module in spite of errors");
    if (m)
        print_all(m);
    ptx_free(m);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}
