/* The device code of a file, and which of its kernels are meant. See device_code.h. */
#include "cli/device_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "compile/compile.h"
#include "compile/files.h"
#include "compile/words.h"
#include "report/result.h"

/* The device pass over a .cu file; its text is added to `text`. */
static void compile_ptx(struct compile_options *compile, const char *file, struct diag_list *diags, struct strbuf *text)
{
    compile->stage = COMPILE_PTX;
    compile->ptx = text;
    words_add(&compile->arena, &compile->inputs, file);
    compile_build(compile, diags);
    compile->inputs.v[--compile->inputs.n] = NULL;
}

struct ptx_module *device_code_read(struct compile_options *compile, const char *file, struct diag_list *diags)
{
    bool is_ptx = strcmp(file_extension(file), ".ptx") == 0;
    struct ptx_module *m = NULL;
    struct strbuf text;

    strbuf_init(&text);
    if (!is_ptx)
        compile_ptx(compile, file, diags, &text);
    else if (!file_read(file, &text))
        diag_add(diags, DIAG_ERROR, file, 0, "cannot read the file: %s", strerror(errno));
    else
        compile_assembler_flags(compile, &text);
    if (!diags->errors && !compile->dry_run)
        m = ptx_parse(is_ptx ? file : "PTX", text.s ? text.s : "", text.len, diags);
    strbuf_release(&text);
    return m;
}

/* As -k takes it: without arguments, of a function and of templates. */
static const char *base_name(const struct ptx_function *f, struct arena *a)
{
    return name_form(NAME_FUNCTION, result_demangle(a, f->name), f->name, a);
}

/* Another kernel before it has the same base name. */
static bool is_listed(const struct ptx_module *m, int of, struct arena *a)
{
    for (int i = 0; i < of; i++)
        if (device_code_is_kernel(m->funcs[i]) && !strcmp(base_name(m->funcs[i], a), base_name(m->funcs[of], a)))
            return true;
    return false;
}

bool device_code_is_meant(const struct name_filter *filter, const struct ptx_function *f, struct arena *a)
{
    return name_filter_matches(filter, base_name(f, a)) ||
           (!filter->is_pattern && name_filter_matches(filter, f->name));
}

void device_code_no_kernel(const struct ptx_module *m, const char *file, const char *wanted, struct diag_list *diags)
{
    struct strbuf names;

    strbuf_init(&names);
    for (int i = 0; i < m->nfuncs; i++) {
        if (device_code_is_kernel(m->funcs[i]) && !is_listed(m, i, &diags->arena))
            strbuf_addf(&names, "%s%s", names.len ? ", " : "", base_name(m->funcs[i], &diags->arena));
    }
    if (!names.len)
        diag_add(diags, DIAG_ERROR, file, 0, "there is no kernel in it");
    else
        diag_add(diags, DIAG_ERROR, file, 0, "no kernel is called '%s'; there are: %s", wanted, names.s);
    strbuf_release(&names);
}

bool device_code_block(const char *value, unsigned most, uint32_t block[3])
{
    unsigned long size[3] = {0, 1, 1};
    const char *at = value;
    bool good = false;

    for (int i = 0; i < 3 && !good; i++) {
        char *end;
        unsigned long n = strtoul(at, &end, 10);
        if (*at < '1' || *at > '9' || n > most)
            break;
        size[i] = n;
        good = !*end;
        if (*end != 'x')
            break;
        at = end + 1;
    }
    if (!good || size[0] * size[1] > most || size[0] * size[1] * size[2] > most)
        return false;
    for (int i = 0; i < 3; i++)
        block[i] = (uint32_t)size[i];
    return true;
}

void device_code_choose_block(const struct ptx_function *f, uint32_t block[3])
{
    const uint32_t *said = f->reqntid[0] ? f->reqntid : f->maxntid;

    block[0] = 256;
    block[1] = block[2] = 1;
    for (int i = 0; i < 3 && said[0]; i++)
        block[i] = said[i] ? said[i] : 1;
}
