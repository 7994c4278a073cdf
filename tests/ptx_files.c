/* Whole PTX files through the parser.
 *
 *   ptx_files good DIRECTORY...   every .ptx parses without a message, and survives printing and parsing again
 *   ptx_files bad DIRECTORY...    every .ptx gives exactly the messages in its first lines, behind "//! "
 *
 * With UPDATE=1 in the environment, `bad` writes the messages that come now into the files: look at the difference. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

static int failures;

static bool read_file(const char *path, struct strbuf *out)
{
    FILE *f = fopen(path, "rb");
    char block[65536];
    size_t n;
    if (!f)
        return false;
    strbuf_clear(out);
    strbuf_add(out, "", 0);
    while ((n = fread(block, 1, sizeof block, f)))
        strbuf_add(out, block, n);
    fclose(f);
    return true;
}

static struct ptx_module *parse(const char *name, const struct strbuf *text, struct strbuf *messages)
{
    struct diag_list diags;
    diag_init(&diags);
    struct ptx_module *m = ptx_parse(name, text->s, text->len, &diags);
    strbuf_clear(messages);
    strbuf_add(messages, "", 0);
    diag_format_all(&diags, messages);
    diag_release(&diags);
    return m;
}

/* --- printing a module, as plainly as it can be parsed again --- */

static void print_var(const struct ptx_var *v, struct strbuf *out)
{
    static const char *const space[] = {"", ".global", ".shared", ".local", ".const", ".param"};
    if (v->unsized && v->space != PTX_PARAM)
        strbuf_adds(out, ".extern ");
    strbuf_addf(out, "%s .align %u .b8 %s[", space[v->space], v->align, v->name);
    if (!v->unsized)
        strbuf_addf(out, "%llu", (unsigned long long)v->size);
    strbuf_adds(out, "]");
}

static void print_vars(struct ptx_var *const *v, int n, struct strbuf *out)
{
    for (int i = 0; i < n; i++) {
        print_var(v[i], out);
        strbuf_adds(out, ";\n");
    }
}

static void print_head(const struct ptx_function *f, struct strbuf *out)
{
    strbuf_adds(out, f->entry ? ".entry " : ".func ");
    if (f->ret) {
        strbuf_adds(out, "(");
        print_var(f->ret, out);
        strbuf_adds(out, ") ");
    }
    strbuf_addf(out, "%s (", f->name);
    for (int i = 0; i < f->nparams; i++) {
        strbuf_adds(out, i ? ", " : "");
        print_var(f->params[i], out);
    }
    strbuf_adds(out, ")");
}

static void print_proto(const struct ptx_function *f, const struct ptx_proto *p, struct strbuf *out)
{
    strbuf_addf(out, "%s: ", p->name);
    if (p->labels) {
        for (int i = 0; i < p->ntargets; i++)
            strbuf_addf(out, "%s %s", i ? "," : ".branchtargets", f->labels[p->labels[i]].name);
    } else {
        strbuf_adds(out, ".callprototype ");
        if (p->ret) {
            strbuf_adds(out, "(");
            print_var(p->ret, out);
            strbuf_adds(out, ") ");
        }
        strbuf_adds(out, "_ (");
        for (int i = 0; i < p->nparams; i++) {
            strbuf_adds(out, i ? ", " : "");
            print_var(&p->params[i], out);
        }
        strbuf_adds(out, ")");
    }
    strbuf_adds(out, ";\n");
}

static void print_body(const struct ptx_function *f, struct strbuf *out)
{
    strbuf_adds(out, "\n{\n");
    for (int i = 0; i < f->nregs; i++)
        strbuf_addf(out, ".reg .%s %s;\n", ptx_type_info[f->regs[i].type].spelling, f->regs[i].name);
    print_vars(f->vars, f->nvars, out);
    for (int i = 0; i <= f->ninsts; i++) {
        for (int l = 0; l < f->nlabels; l++)
            if (f->labels[l].inst == i)
                strbuf_addf(out, "%s:\n", f->labels[l].name);
        if (i == f->ninsts)
            break;
        const struct ptx_inst *in = &f->insts[i];
        for (int k = 0; k < in->noperands; k++)
            if (in->operand[k].kind == PTX_OPERAND_PROTO)
                print_proto(f, in->operand[k].proto, out);
        ptx_print_inst(f, in, out);
        strbuf_adds(out, "\n");
    }
    strbuf_adds(out, "}\n");
}

static void print_module(const struct ptx_module *m, struct strbuf *out)
{
    strbuf_addf(out, ".version %d.%d\n.target sm_%d\n.address_size 64\n", m->version / 10, m->version % 10, m->arch);
    print_vars(m->vars, m->nvars, out);
    for (int i = 0; i < m->nfuncs; i++) {
        print_head(m->funcs[i], out);
        strbuf_adds(out, ";\n");
    }
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->defined) {
            print_head(m->funcs[i], out);
            print_body(m->funcs[i], out);
        }
}

/* --- comparing --- */

static bool same_operand(const struct ptx_function *f, const struct ptx_operand *a, const struct ptx_function *g,
                         const struct ptx_operand *b)
{
    if (a->kind != b->kind || a->negated != b->negated || a->n != b->n || a->offset != b->offset || a->imm != b->imm ||
        a->imm_type != b->imm_type || a->sreg != b->sreg)
        return false;
    if (a->kind == PTX_OPERAND_REG && (strcmp(f->regs[a->reg].name, g->regs[b->reg].name) != 0 ||
                                       f->regs[a->reg].type != g->regs[b->reg].type))
        return false;
    if (a->kind == PTX_OPERAND_LABEL && f->labels[a->label].inst != g->labels[b->label].inst)
        return false;
    if (a->kind == PTX_OPERAND_VAR && (strcmp(a->var->name, b->var->name) != 0 || a->var->size != b->var->size))
        return false;
    if (a->kind == PTX_OPERAND_FUNC && strcmp(a->func->name, b->func->name) != 0)
        return false;
    for (int i = 0; i < a->n; i++)
        if (!same_operand(f, &a->elem[i], g, &b->elem[i]))
            return false;
    return true;
}

static bool same_inst(const struct ptx_function *f, const struct ptx_inst *a, const struct ptx_function *g,
                      const struct ptx_inst *b)
{
    if (a->op != b->op || memcmp(&a->mods, &b->mods, sizeof a->mods) != 0 || a->noperands != b->noperands ||
        (a->guard >= 0) != (b->guard >= 0) || a->guard_negated != b->guard_negated ||
        (a->guard >= 0 && strcmp(f->regs[a->guard].name, g->regs[b->guard].name) != 0))
        return false;
    if (a->problem && strcmp(a->problem, b->problem) != 0)
        return false;
    for (int i = 0; i < a->noperands; i++)
        if (!same_operand(f, &a->operand[i], g, &b->operand[i]))
            return false;
    return true;
}

static bool same_module(const char *name, const struct ptx_module *a, const struct ptx_module *b)
{
    if (a->nfuncs != b->nfuncs || a->nvars != b->nvars)
        return printf("%s: other functions or variables after printing\n", name), false;
    for (int i = 0; i < a->nfuncs; i++) {
        const struct ptx_function *f = a->funcs[i], *g = b->funcs[i];
        if (f->ninsts != g->ninsts)
            return printf("%s: %s has other instructions after printing\n", name, f->name), false;
        for (int k = 0; k < f->ninsts; k++)
            if (!same_inst(f, &f->insts[k], g, &g->insts[k]))
                return printf("%s:%d: printed, this is another instruction: %.*s\n", name, f->insts[k].line,
                              f->insts[k].text_len, f->insts[k].text),
                       false;
    }
    return true;
}

/* --- the two modes --- */

static void good(const char *name, const struct strbuf *text)
{
    struct strbuf messages, printed;
    strbuf_init(&messages);
    strbuf_init(&printed);
    struct ptx_module *m = parse(name, text, &messages), *again = NULL;
    if (m && messages.len == 0) {
        print_module(m, &printed);
        again = parse("printed.ptx", &printed, &messages);
    }
    if (messages.len || !m || !again || !same_module(name, m, again)) {
        printf("%s: not as expected\n%s", name, messages.s);
        failures++;
    }
    ptx_free(m);
    ptx_free(again);
    strbuf_release(&messages);
    strbuf_release(&printed);
}

/* The lines behind "//! " at the file's start; *rest: what follows them. */
static void expectation(const struct strbuf *text, struct strbuf *expected, const char **rest)
{
    const char *s = text->s;
    strbuf_clear(expected);
    strbuf_add(expected, "", 0);
    while (strncmp(s, "//!", 3) == 0) {
        const char *start = s + 3 + (s[3] == ' '), *end = strchr(s, '\n');
        if (!end)
            break;
        strbuf_add(expected, start, (size_t)(end + 1 - start));
        s = end + 1;
    }
    *rest = s;
}

static void update(const char *path, const char *rest, const struct strbuf *messages)
{
    FILE *f = fopen(path, "wb");
    for (const char *s = messages->s; f && *s;) {
        size_t n = strcspn(s, "\n");
        fprintf(f, "//! %.*s\n", (int)n, s);
        s += n + 1;
    }
    if (f) {
        fputs(rest, f);
        fclose(f);
    }
}

static void bad(const char *path, const char *name, struct strbuf *text)
{
    struct strbuf messages, expected;
    const char *rest;
    strbuf_init(&messages);
    strbuf_init(&expected);
    for (int i = 0; i < 4; i++) { /* writing the messages moves the lines: a few rounds until they agree */
        struct ptx_module *m = parse(name, text, &messages);
        expectation(text, &expected, &rest);
        if (m)
            strbuf_adds(&messages, "no error\n");
        ptx_free(m);
        if (strcmp(messages.s, expected.s) == 0 || !getenv("UPDATE"))
            break;
        update(path, rest, &messages);
        read_file(path, text);
    }
    if (strcmp(messages.s, expected.s) != 0) {
        printf("%s: expected\n%s--- but there is\n%s", name, expected.s, messages.s);
        failures++;
    }
    strbuf_release(&messages);
    strbuf_release(&expected);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Takes the .ptx files of a directory in the order of their names; how many there are. */
static int files_of(const char *directory, bool are_bad)
{
    struct dirent **list;
    struct strbuf text, path;
    int files = 0, n = scandir(directory, &list, NULL, by_name);
    if (n < 0) {
        printf("cannot read '%s'\n", directory);
        return 0;
    }
    strbuf_init(&text);
    strbuf_init(&path);
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name, *dot = strrchr(name, '.');
        strbuf_clear(&path);
        strbuf_addf(&path, "%s/%s", directory, name);
        if (dot && strcmp(dot, ".ptx") == 0 && read_file(path.s, &text)) {
            files++;
            if (are_bad)
                bad(path.s, name, &text);
            else
                good(name, &text);
        }
        free(list[i]);
    }
    free(list);
    strbuf_release(&text);
    strbuf_release(&path);
    return files;
}

int main(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[1], "good") && strcmp(argv[1], "bad"))) {
        fprintf(stderr, "usage: ptx_files good|bad DIRECTORY...\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        int files = files_of(argv[i], !strcmp(argv[1], "bad"));
        printf("%s: %d files\n", argv[i], files);
        failures += !files;
    }
    printf("%d not as expected\n", failures);
    return failures != 0;
}
