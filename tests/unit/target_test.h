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
static inline void rewrite_for(struct ir_kernel *k, int arch)
{
    setenv("HEDDLE_VERIFY", "1", 1);
    target_rewrite(k, lanes_find, arch);
    if (k->problems)
        fail_msg("%s", k->problems->text);
}

static inline void rewrite(struct ir_kernel *k)
{
    rewrite_for(k, ARCH_USUAL);
}

/* A rewritten kernel of these statements behind the usual beginning: %rd2 = p + 4 * tid, %r1 = tid, %f1 and %f2 loaded; %f1 is stored. */
static inline struct ir_kernel *rewritten_of(const char *statements, struct ptx_module **m)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text,
                ".version 8.4\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) __nv_asinf(.param .b32 a);\n"
                ".extern .func (.param .b32 r) __nv_acoshf(.param .b32 a);\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                ".reg .pred %%p<8>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<80>;\nld.param.u64 %%rd0, [p];\n"
                "ld.param.u32 %%r0, [n];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd1, %%r1, 4;\nadd.s64 %%rd2, %%rd0, %%rd1;\n"
                "ld.global.f32 %%f1, [%%rd2];\nld.global.f32 %%f2, [%%rd2+4096];\n%s\nst.global.f32 [%%rd2+8192], %%f1;\n"
                "ret;\n}\n", statements);
    *m = parse_text("statements.ptx", text.s);
    struct ir_kernel *k = build_kernel(*m, "k");
    assert_null(k->problems);
    rewrite(k);
    strbuf_release(&text);
    return k;
}

#endif
