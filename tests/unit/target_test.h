/* What the tests of target/ share: text to kernels. */
#ifndef TARGET_TEST_H
#define TARGET_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "interp/lanes.h"
#include "ir/read.h"
#include "target/target.h"

static inline char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    struct strbuf b;
    char buf[4096];
    strbuf_init(&b);
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        strbuf_add(&b, buf, n);
    fclose(f);
    return b.s;
}

static inline void fail_with(const struct diag_list *diags)
{
    struct strbuf b;
    strbuf_init(&b);
    diag_format_all(diags, &b);
    fail_msg("%s", b.s);
}

static inline struct ptx_module *parse_text(const char *name, const char *text)
{
    struct diag_list diags;
    diag_init(&diags);
    struct ptx_module *m = ptx_parse(name, text, strlen(text), &diags);
    if (!m)
        fail_with(&diags);
    diag_release(&diags);
    return m;
}

/* Module variables one after the other, 1 MiB apart. */
static inline uint64_t test_address(const struct ptx_var *var, void *user)
{
    (void)var;
    uint64_t *next = user;
    return *next += 1 << 20;
}

static inline struct ir_kernel *build_kernel(const struct ptx_module *m, const char *name)
{
    uint64_t next = UINT64_C(0x700000000000);
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->entry && !strcmp(m->funcs[i]->name, name))
            return ir_build(m, m->funcs[i], test_address, &next);
    fail_msg("no kernel '%s'", name);
    return NULL;
}

/* A kernel of its text form, which has to be whole. */
static inline struct ir_kernel *read_ir(const struct ptx_module *m, const char *text)
{
    struct diag_list diags;
    diag_init(&diags);
    struct ir_kernel *k = ir_read(m, text, &diags);
    if (!k)
        fail_with(&diags);
    diag_release(&diags);
    return k;
}

/* target_rewrite, with the verifier behind each pass. */
static inline void rewrite(struct ir_kernel *k)
{
    setenv("HEDDLE_VERIFY", "1", 1);
    target_rewrite(k, lanes_find);
    if (k->problems)
        fail_msg("%s", k->problems->text);
}

#endif
