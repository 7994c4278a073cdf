/* See resources.h. */
#include "cli/resources.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/device_code.h"
#include "compile/compile.h"
#include "interp/lanes.h"
#include "ir/ir.h"
#include "target/target.h"

/* Variables stand at made-up addresses: nothing is run. */
static uint64_t some_address(const struct ptx_var *v, void *user)
{
    uint64_t *next = user, align = v->align ? v->align : 1, at = (*next + align - 1) & ~(align - 1);
    *next = at + (v->size ? v->size : 1);
    return at;
}

static uint64_t bytes_of(const struct ptx_module *m, int space)
{
    uint64_t sum = 0;
    for (int i = 0; i < m->nvars; i++) {
        const struct ptx_var *v = m->vars[i];
        uint64_t align = v->align ? v->align : 1;
        if (v->space == space)
            sum = ((sum + align - 1) & ~(align - 1)) + v->size;
    }
    return sum;
}

bool resources_of(const struct ptx_module *m, const struct ptx_function *f, int arch, struct kernel_resources *r)
{
    uint64_t next = UINT64_C(1) << 40;
    struct ir_kernel *k = ir_build(m, f, some_address, &next);
    bool known;
    target_rewrite(k, lanes_find, arch);
    known = !k->problems;
    snprintf(r->why, sizeof r->why, "%s", known ? "" : k->problems->text);
    const struct target_tables *t = known ? target_tables(k, &k->arena, arch, NULL) : NULL;
    r->registers = t ? t->registers : 0;
    r->barriers = k->has_barrier;
    r->spill_stores = t ? (unsigned)t->spill_stores : 0;
    r->spill_loads = t ? (unsigned)t->spill_loads : 0;
    r->stack = k->local_bytes + (t ? (unsigned)(t->spill_bytes + 7) / 8 * 8 : 0);
    r->shared = k->shared_static;
    r->constant = (unsigned)arch_generation(arch)->parameters + k->param_bytes;
    ir_free(k);
    return known;
}

static void add_kernel(const struct ptx_module *m, const struct ptx_function *f, int arch, struct strbuf *out)
{
    struct kernel_resources r;
    bool known = resources_of(m, f, arch, &r);
    strbuf_addf(out, "ptxas info    : Compiling entry function '%s' for 'sm_%d'\n", f->name, arch);
    if (!known) {
        strbuf_addf(out, "ptxas info    : no estimate: %s\n", r.why);
        return;
    }
    strbuf_addf(out, "ptxas info    : Function properties for %s\n    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n"
                     "ptxas info    : Used %d registers, used %d barriers",
                f->name, r.stack, r.spill_stores, r.spill_loads, r.registers, r.barriers);
    if (r.shared)
        strbuf_addf(out, ", %u bytes smem", r.shared);
    if (arch < 90)
        strbuf_addf(out, ", %u bytes cmem[0]", r.constant);
    strbuf_adds(out, " (estimated by Heddle)\n");
}

static void list_kernels(const char *ptx, size_t len, int arch, void *user)
{
    struct diag_list diags;
    struct strbuf out;
    (void)user;
    diag_init(&diags);
    strbuf_init(&out);
    struct ptx_module *m = ptx_parse("PTX", ptx, len, &diags);
    if (m)
        strbuf_addf(&out, "ptxas info    : %llu bytes gmem\n", (unsigned long long)bytes_of(m, PTX_GLOBAL));
    for (int i = 0; m && i < m->nfuncs; i++)
        if (device_code_is_kernel(m->funcs[i]))
            add_kernel(m, m->funcs[i], arch, &out);
    if (!m)
        diag_format_all(&diags, &out);
    fputs(out.s ? out.s : "", stderr);
    strbuf_release(&out);
    diag_release(&diags);
    if (m)
        ptx_free(m);
}

void resources_watch(struct compile_options *o)
{
    o->device_code = list_kernels;
}

/* --- where registers come from --- */

static bool is_on_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];
    for (; path && *path; path += strcspn(path, ":"), path += *path == ':') {
        int n = (int)strcspn(path, ":");
        if (snprintf(file, sizeof file, "%.*s/%s", n, path, name) < (int)sizeof file && access(file, X_OK) == 0)
            return true;
    }
    return false;
}

void resources_choose(const char *where, struct diag_list *diags)
{
    if (strcmp(where, "ptxas") != 0 && strcmp(where, "estimate") != 0)
        diag_add(diags, DIAG_ERROR, NULL, 0, "wrong value '%s' of '--registers': give estimate or ptxas", where);
    else if (!strcmp(where, "ptxas") && !is_on_path("ptxas"))
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "'--registers ptxas' needs NVIDIA's assembler, and there is no 'ptxas' on PATH; without the flag registers are "
                 "estimated");
    else
        setenv("HEDDLE_REGISTERS", where, 1);
}
