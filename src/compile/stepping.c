/* Writes the twins (see stepping.h). The layout of a stub, and of a twin's beginning: base/steps.h. */
#include "compile/stepping.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/steps.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "compile/dwarf.h"
#include "compile/words.h"
#include "ptx/ptx.h"

struct file {
    const char *name;
    unsigned number;
};

struct writer {
    const struct ptx_module *module;
    const char *include;
    struct strbuf *out;
    struct arena arena;
    struct table files;  /* name -> number, as a pointer */
    struct table labels; /* those of the PTX that are written */
    const struct ptx_loc *line; /* of the function at hand: the one written last */
};

static const char head[] =
    "\t.macro heddle_stub\n\tcall .Lheddle_step\n\tjmp *%rax\n\tint3\n\tmovl $202, %eax\n\tleaq 32(%rbx), %rdi\n\tmovl $128, %esi\n"
    "\txorl %edx, %edx\n\txorl %r10d, %r10d\n\tsyscall\n\tcall .Lheddle_where\n\tjmp *%rax\n\t.endm\n"
    "\t.macro heddle_call\n\tcall *16(%rbx)\n\tcall .Lheddle_where\n\tjmp *%rax\n\t.endm\n"
    "\t.section .debug_line,\"\",@progbits\n.Lheddle_line:\n"
    "\t.section .text.heddle,\"ax\",@progbits\n"
    ".Lheddle_step:\n\t.cfi_startproc\n\tmovq %rbx, %rdi\n\tjmp *(%rbx)\n\t.cfi_endproc\n"
    ".Lheddle_where:\n\t.cfi_startproc\n\tmovq %rbx, %rdi\n\tjmp *8(%rbx)\n\t.cfi_endproc\n"
    ".Lheddle_register:\n\t.cfi_startproc\n\tleaq .Lheddle_steps(%rip), %rdi\n\tjmp heddle_register_steps@PLT\n\t.cfi_endproc\n"
    "\t.section .init_array.00100,\"aw\",@init_array\n\t.p2align 3\n\t.quad .Lheddle_register\n";

/* --- source files --- */

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static bool is_users(const struct writer *w, const char *file)
{
    return !begins(file, w->include) && !begins(file, "/usr/lib/") && !begins(file, "/usr/include/");
}

/* The .file directives under their numbers, which debug information uses: 1 "f.cu @[ f.cu:8:18 ]" is f.cu. */
static void write_files(struct writer *w, const char *ptx)
{
    for (const char *p = strstr(ptx, ".file"); p; p = strstr(p + 1, ".file")) {
        unsigned n;
        int name = 0;
        if (sscanf(p, ".file %u \"%n", &n, &name) != 1 || !name)
            continue;
        size_t bytes = strcspn(p + name, "\"\n");
        char *text = arena_strndup(&w->arena, p + name, bytes), *calls = strstr(text, " @[ ");
        if (calls)
            *calls = '\0';
        strbuf_addf(w->out, "\t.file %u \"%s\"\n", n, text);
        if (!table_get(&w->files, text))
            table_set(&w->files, text, (void *)(uintptr_t)(n + 1));
    }
}

/* The place in the user's own text that a location belongs to, or NULL. */
static const struct ptx_loc *users(const struct writer *w, const struct ptx_loc *loc)
{
    while (loc && (!loc->line || !loc->file || !is_users(w, loc->file) || !table_get(&w->files, loc->file)))
        loc = loc->inlined_at;
    return loc;
}

static void write_line(struct writer *w, const struct ptx_loc *loc)
{
    loc = users(w, loc);
    if (!loc || loc == w->line)
        return;
    unsigned file = (unsigned)(uintptr_t)table_get(&w->files, loc->file) - 1;
    strbuf_addf(w->out, "\t.loc %u %d %d\n", file, loc->line, loc->column);
    w->line = loc;
}

/* --- labels: $L__tmp5 is .LP5 of "tmp" --- */

static const char *label_text(struct writer *w, const char *name)
{
    char *text = arena_printf(&w->arena, ".Lptx_%s", name);
    for (char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            *c = '_';
    return text;
}

/* The function's labels before instruction `at`; `first`: those of its beginning. */
static void write_labels(struct writer *w, const struct ptx_function *f, int at, bool first)
{
    for (int i = 0; i < f->nlabels; i++) {
        const char *name = f->labels[i].name;
        if (f->labels[i].inst != at || !begins(name, "$L__") || first != begins(name, "$L__func_begin"))
            continue;
        const char *text = label_text(w, name);
        strbuf_addf(w->out, "%s:\n", text);
        table_set(&w->labels, arena_strdup(&w->arena, name), (void *)(uintptr_t)text);
    }
}

static const char *find_label(const char *name, void *user)
{
    const struct writer *w = user;
    const char *text = table_get(&w->labels, name);
    return text ? text : "";
}

/* --- functions --- */

static void write_function(struct writer *w, const struct ptx_function *f, int n)
{
    struct strbuf *o = w->out;
    w->line = NULL;
    strbuf_addf(o, "\t.section .text.heddle.%d,\"ax\",@progbits\n\t.p2align 4\n\t.type \"%s\", @function\n", n, f->name);
    write_labels(w, f, 0, true);
    strbuf_addf(o, "\"%s\":\n.Lf%d:\n\t.cfi_startproc\n", f->name, n);
    write_line(w, f->loc);
    strbuf_adds(o, "\tpushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset %rbp, -16\n\tmovq %rsp, %rbp\n\t.cfi_def_cfa_register %rbp\n"
                   "\tsubq $16, %rsp\n\tcall .Lheddle_where\n\tmovq %rdx, -8(%rbp)\n\tmovq 24(%rbx), %rcx\n\tmovq %rcx, -16(%rbp)\n\tjmp *%rax\n");
    for (int i = 0; i < f->ninsts; i++) {
        write_labels(w, f, i, false);
        write_line(w, f->insts[i].loc);
        strbuf_addf(o, ".Lf%d_%d:\n\theddle_stub\n%s", n, i, f->insts[i].op == PTX_OP_CALL ? "\theddle_call\n" : "");
    }
    strbuf_addf(o, ".Lf%d_out:\n\tmovq 104(%%rbx), %%rax\n\tmovq 112(%%rbx), %%rdx\n\tmovq 120(%%rbx), %%xmm0\n"
                   "\tmovq 128(%%rbx), %%xmm1\n\tleave\n\t.cfi_def_cfa %%rsp, 8\n\tret\n\t.cfi_endproc\n", n);
    write_labels(w, f, f->ninsts, false);
    strbuf_addf(o, ".Lf%d_end:\n\t.size \"%s\", .-.Lf%d\n", n, f->name, n);
}

static int write_functions(struct writer *w)
{
    int n = 0;
    for (int i = 0; i < w->module->nfuncs; i++)
        if (w->module->funcs[i]->defined)
            write_function(w, w->module->funcs[i], n++);
    return n;
}

/* --- tables --- */

static void write_ranges(struct writer *w, int n)
{
    strbuf_adds(w->out, "\t.section .debug_ranges,\"\",@progbits\n.Lheddle_ranges:\n");
    for (int i = 0; i < n; i++)
        strbuf_addf(w->out, "\t.quad .Lf%d, .Lf%d_end\n", i, i);
    strbuf_adds(w->out, "\t.quad 0, 0\n");
}

/* An array of pointers to strings. */
static void write_names(struct writer *w, const char *label, const struct words *names)
{
    strbuf_addf(w->out, "\t.section .data.rel.ro.heddle,\"aw\",@progbits\n\t.p2align 3\n%s:\n", label);
    for (int i = 0; i < names->n; i++)
        strbuf_addf(w->out, "\t.quad %s_%d\n", label, i);
    strbuf_adds(w->out, "\t.section .rodata.heddle,\"a\",@progbits\n");
    for (int i = 0; i < names->n; i++)
        strbuf_addf(w->out, "%s_%d:\n\t.asciz \"%s\"\n", label, i, names->v[i]);
}

static void write_function_rows(struct writer *w)
{
    int n = 0;
    strbuf_adds(w->out, "\t.section .data.rel.ro.heddle,\"aw\",@progbits\n\t.p2align 3\n.Lheddle_functions:\n");
    for (int i = 0; i < w->module->nfuncs; i++)
        if (w->module->funcs[i]->defined) {
            strbuf_addf(w->out, "\t.quad .Lname%d, .Lf%d, .Lf%d_out, .Lstubs%d, %d\n", n, n, n, n, w->module->funcs[i]->ninsts);
            n++;
        }
    strbuf_adds(w->out, "\t.section .rodata.heddle,\"a\",@progbits\n");
    n = 0;
    for (int i = 0; i < w->module->nfuncs; i++) {
        const struct ptx_function *f = w->module->funcs[i];
        if (!f->defined)
            continue;
        strbuf_addf(w->out, ".Lname%d:\n\t.asciz \"%s\"\n\t.p2align 2\n.Lstubs%d:\n", n, f->name, n);
        for (int k = 0; k < f->ninsts; k++)
            strbuf_addf(w->out, "\t.long .Lf%d_%d-.Lf%d\n", n, k, n);
        n++;
    }
}

static void write_tables(struct writer *w, const struct dwarf_variables *v, int functions, uint64_t id, size_t bytes)
{
    write_function_rows(w);
    write_names(w, ".Lheddle_shared", &v->shared);
    write_names(w, ".Lheddle_globals", &v->globals);
    strbuf_addf(w->out,
                "\t.section .data.rel.ro.heddle,\"aw\",@progbits\n\t.p2align 3\n.Lheddle_steps:\n\t.quad 0x%llx, %zu\n"
                "\t.quad .Lheddle_functions, .Lheddle_shared, .Lheddle_globals, .Lheddle_global_at\n\t.long %d, %d, %d, 0\n"
                "\t.section .bss.heddle,\"aw\",@nobits\n\t.p2align 3\n.Lheddle_global_at:\n\t.zero %d\n"
                "\t.section .note.GNU-stack,\"\",@progbits\n",
                (unsigned long long)id, bytes, functions, v->shared.n, v->globals.n, 8 * v->globals.n + 8);
}

bool stepping_write(const char *ptx, size_t len, uint64_t id, const char *include, struct strbuf *out, struct diag_list *diags)
{
    struct ptx_module *m = ptx_parse("device code", ptx, len, diags);
    if (!m)
        return false;
    struct writer w = {.module = m, .include = include, .out = out};
    arena_init(&w.arena);
    table_init(&w.files);
    table_init(&w.labels);
    struct dwarf_variables v = {.arena = &w.arena};
    strbuf_adds(out, head);
    write_files(&w, m->text);
    for (int i = 0; i < m->nvars; i++)
        if (m->vars[i]->space == PTX_SHARED && m->vars[i]->unsized)
            words_add(&w.arena, &v.dynamic, m->vars[i]->name);
    int n = write_functions(&w);
    write_ranges(&w, n);
    bool ok = dwarf_translate(ptx, len, ".Lheddle_ranges", find_label, &w, &v, out);
    if (ok)
        write_tables(&w, &v, n, id, len);
    else
        diag_add(diags, DIAG_ERROR, NULL, 0, "clang's debug information of the device code cannot be read");
    table_release(&w.files);
    table_release(&w.labels);
    arena_release(&w.arena);
    ptx_free(m);
    return ok;
}
