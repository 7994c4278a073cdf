/* `cuobjdump`, under the name of NVIDIA's tool: the device code in a program, object, library or PTX file.
 *
 * In: a file that `heddle build` made, which holds PTX (base/blob.h), or PTX text. Out: listings in cuobjdump's forms. There is no machine
 * code of NVIDIA's in such a file: what stands for it is the code as target/ lowers it, which is what runs and is counted, with the names
 * of sass_words.def, and says that it is an estimate. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/device_code.h"
#include "cli/flags.h"
#include "cli/program.h"
#include "cli/resources.h"
#include "compile/compile.h"
#include "compile/files.h"
#include "heddle.h"
#include "interp/lanes.h"
#include "ir/ir.h"
#include "ptx/ptx.h"
#include "target/target.h"

#define ESTIMATE "an estimate: the code that Heddle runs and counts, not machine code of NVIDIA's"

struct dump {
    struct diag_list diags;
    const char *functions, *arch, *extract, *base; /* -fun, -arch, -xptx; the file's name without folders */
    bool ptx, sass, resources, symbols, list_elf, list_ptx, answered;
    int n; /* of the code, from 1 */
    struct strbuf out;
};

/* One piece of device code. */
struct code {
    const char *text; /* with a NUL behind it */
    size_t len;
    int arch;
};

static bool is_meant(const struct dump *d, const char *function)
{
    size_t n = strlen(function);

    if (!d->functions)
        return true;
    for (const char *at = d->functions; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == n && !strncmp(at, function, n))
            return true;
    return false;
}

/* --- listings --- */

static void fatbin_head(struct dump *d, const struct code *c, bool elf)
{
    const char *v = strstr(c->text, ".version ");
    int major = 0, minor = 0;

    if (v)
        sscanf(v, ".version %d.%d", &major, &minor);
    if (elf)
        major = 1, minor = 7;
    strbuf_addf(&d->out, "\nFatbin %s code:\n================\narch = sm_%d\ncode version = [%d,%d]\n%shost = linux\ncompile_size = 64bit\n",
                elf ? "elf" : "ptx", c->arch, major, minor, elf ? "producer = Heddle (" ESTIMATE ")\n" : "");
}

enum kind { F32, F64, F16, PRED, ANY };

static enum kind kind_of(enum ptx_type t)
{
    const char *s = ptx_type_info[t].spelling;

    return !strcmp(s, "f32") ? F32 : !strcmp(s, "f64") ? F64 : !strncmp(s, "f16", 3) || !strncmp(s, "bf16", 4) ? F16 : !strcmp(s, "pred") ? PRED : ANY;
}

static const char *memory_word(const struct ir_inst *in, struct arena *a)
{
    static const char *const letters[] = {"", "G", "S", "L", "C", "C", "L"}; /* by space, as ir/print.c has them */
    const char *what = ir_is(in, PTX_KIND_STORE) ? "ST" : ir_is(in, PTX_KIND_ATOMIC) ? "ATOM" : ir_is(in, PTX_KIND_REDUCE) ? "RED" : "LD";
    int bits = ptx_type_info[in->type].bits * (in->vec > 1 ? in->vec : 1);

    if (ir_is(in, PTX_KIND_REDUCE))
        return "RED.E";
    return arena_printf(a, "%s%s%s%s", what, letters[in->space], in->space == 1 ? ".E" : "",
                        ir_is(in, PTX_KIND_ATOMIC) ? "" : bits == 8 ? ".U8" : bits == 16 ? ".U16" : bits == 64 ? ".64" : bits == 128 ? ".128" : "");
}

static const char *word(const struct ir_inst *in, struct arena *a)
{
    static const struct {
        int op;
        enum kind kind;
        const char *name;
    } words[] = {
#define SASS(op, kind, name) {PTX_OP_##op, kind, name},
#include "cli/sass_words.def"
#undef SASS
    };

    if (ir_is_memory(in))
        return memory_word(in, a);
    if (ir_is(in, PTX_KIND_COPY) && in->nsrc == 1 && in->src[0].kind == IR_SRC_SREG)
        return "S2R";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].op == in->op && (words[i].kind == ANY || words[i].kind == kind_of(in->type)))
            return words[i].name;
    return !ir_is_own(in) ? ptx_op_info[in->op].id : in->callee ? in->callee : "CALL";
}

/* "@p5 r6 = LD.global.f32 [r7+0]" as "@P5 LDG.E R6, [R7+0]". */
static void add_inst(const struct ir_kernel *k, const struct ir_inst *in, struct arena *a, struct strbuf *out)
{
    struct strbuf text;
    const char *at, *is, *rest;
    char compare[16] = "", *to = compare;

    strbuf_init(&text);
    ir_print_inst(k, in, &text);
    for (char *c = text.s; *c; c++)
        if ((*c == 'r' || *c == 'p') && isdigit((unsigned char)c[1]) && (c == text.s || !isalnum((unsigned char)c[-1])))
            *c = (char)toupper((unsigned char)*c);
    at = text.s;
    if (*at == '@') {
        strbuf_add(out, at, strcspn(at, " ") + 1);
        at += strcspn(at, " ") + 1;
    }
    is = strstr(at, " = ");
    rest = is ? is + 3 : at;
    if (ir_is(in, PTX_KIND_COMPARE) && !strncmp(rest, "SETP.", 5)) /* the comparison belongs to the name */
        for (const char *c = rest + 5; *c && *c != '.' && *c != ' '; c++)
            *to++ = (char)toupper((unsigned char)*c);
    *to = 0;
    rest += strcspn(rest, " ");
    strbuf_addf(out, "%s%s%s%s%.*s%s%s", word(in, a), *compare ? "." : "", compare, is ? " " : "", is ? (int)(is - at) : 0, at, is && *rest ? "," : "", rest);
    strbuf_release(&text);
}

static uint64_t some_address(const struct ptx_var *v, void *user)
{
    uint64_t *next = user, align = v->align ? v->align : 1, at = (*next + align - 1) & ~(align - 1);

    *next = at + (v->size ? v->size : 1);
    return at;
}

static void add_function(struct dump *d, const struct ptx_module *m, const struct ptx_function *f, int arch)
{
    uint64_t next = UINT64_C(1) << 40;
    struct ir_kernel *k = ir_build(m, f, some_address, &next);

    target_rewrite(k, lanes_find, arch);
    strbuf_addf(&d->out, "\t\tFunction : %s\n", f->name);
    if (k->problems)
        strbuf_addf(&d->out, "        // no estimate: %s\n", k->problems->text);
    for (int32_t b = 0, at = 0; !k->problems && b < k->nblocks; b++) {
        strbuf_addf(&d->out, "    .L_b%d:\n", b);
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++, at += 16) {
            strbuf_addf(&d->out, "        /*%04x*/                   ", (unsigned)at);
            add_inst(k, &k->insts[i], &d->diags.arena, &d->out);
            strbuf_adds(&d->out, " ;\n");
        }
    }
    strbuf_adds(&d->out, "\t\t..........\n\n\n");
    ir_free(k);
}

static void add_sass(struct dump *d, const struct ptx_module *m, const struct code *c)
{
    fatbin_head(d, c, true);
    strbuf_addf(&d->out, "\n\tcode for sm_%d\n", c->arch);
    for (int i = 0; i < m->nfuncs; i++)
        if (device_code_is_kernel(m->funcs[i]) && is_meant(d, m->funcs[i]->name))
            add_function(d, m, m->funcs[i], c->arch);
}

static void add_resources(struct dump *d, const struct ptx_module *m, const struct code *c)
{
    fatbin_head(d, c, true);
    strbuf_adds(&d->out, "\nResource usage:\n Common:\n  GLOBAL:0\n");
    for (int i = 0; i < m->nfuncs; i++) {
        const struct ptx_function *f = m->funcs[i];
        struct kernel_resources r;
        if (!f->entry || !f->defined || !is_meant(d, f->name))
            continue;
        if (resources_of(m, f, c->arch, &r))
            strbuf_addf(&d->out, " Function %s:\n  REG:%d STACK:%u SHARED:%u LOCAL:0 CONSTANT[0]:%u TEXTURE:0 SURFACE:0 SAMPLER:0\n", f->name,
                        r.registers, r.stack, r.shared, r.constant);
        else
            strbuf_addf(&d->out, " Function %s:\n  no estimate\n", f->name);
    }
}

static void add_symbols(struct dump *d, const struct ptx_module *m, const struct code *c)
{
    fatbin_head(d, c, true);
    strbuf_adds(&d->out, "\nsymbols:\n");
    for (int i = 0; i < m->nfuncs; i++)
        if (device_code_is_kernel(m->funcs[i]) && is_meant(d, m->funcs[i]->name))
            strbuf_addf(&d->out, "STT_FUNC         STB_GLOBAL STO_ENTRY      %s\n", m->funcs[i]->name);
}

static void write_ptx(struct dump *d, const struct code *c)
{
    const char *name = arena_printf(&d->diags.arena, "%s.%d.sm_%d.ptx", d->base, d->n, c->arch);
    struct strbuf text;

    if (strcmp(d->extract, "all") && !strstr(name, d->extract))
        return;
    strbuf_init(&text);
    strbuf_add(&text, c->text, c->len);
    if (program_write_report(&text, name, NULL, &d->diags))
        strbuf_addf(&d->out, "Extracting PTX file and ptxas options    %4d: %s\n", d->n, name);
    strbuf_release(&text);
}

/* What needs the code read. */
static void add_parsed(struct dump *d, const struct code *c)
{
    struct ptx_module *m = ptx_parse(d->base, c->text, c->len, &d->diags);

    if (!m)
        return;
    if (d->sass)
        add_sass(d, m, c);
    if (d->resources)
        add_resources(d, m, c);
    if (d->symbols)
        add_symbols(d, m, c);
    ptx_free(m);
}

static void add_code(struct dump *d, const struct code *c)
{
    bool all = !d->ptx && !d->sass && !d->resources && !d->symbols && !d->list_elf && !d->list_ptx && !d->extract;

    if (d->arch && atoi(d->arch + strcspn(d->arch, "0123456789")) != c->arch)
        return;
    d->n++;
    if (d->list_elf)
        strbuf_addf(&d->out, "ELF file %4d: %s.%d.sm_%d.cubin\n", d->n, d->base, d->n, c->arch);
    if (d->list_ptx)
        strbuf_addf(&d->out, "PTX file %4d: %s.%d.sm_%d.ptx\n", d->n, d->base, d->n, c->arch);
    if (d->extract)
        write_ptx(d, c);
    if (d->sass || d->resources || d->symbols)
        add_parsed(d, c);
    if (d->ptx || all) {
        fatbin_head(d, c, false);
        strbuf_adds(&d->out, "\n");
    }
    if (d->ptx)
        strbuf_addf(&d->out, "%.*s\n", (int)c->len, c->text);
}

/* --- files --- */

/* Every piece of device code in the bytes of a file. */
static void find_code(struct dump *d, const struct strbuf *file)
{
    const char *at = file->s, *end = file->s + file->len;

    while (at && (at = memmem(at, (size_t)(end - at), BLOB_MAGIC, sizeof BLOB_MAGIC - 1))) {
        struct blob_header h;
        size_t left = (size_t)(end - at);
        if (left > sizeof h) {
            memcpy(&h, at, sizeof h);
            if (h.version == BLOB_VERSION && h.ptx_bytes < left - sizeof h && !at[sizeof h + h.ptx_bytes]) {
                add_code(d, &(struct code){at + sizeof h, h.ptx_bytes, (int)h.arch});
                at += sizeof h + h.ptx_bytes;
                continue;
            }
        }
        at++;
    }
}

static void dump(struct dump *d, const char *path)
{
    struct strbuf file;
    const char *slash = strrchr(path, '/');

    strbuf_init(&file);
    d->base = slash ? slash + 1 : path;
    if (!file_read(path, &file)) {
        diag_add(&d->diags, DIAG_ERROR, NULL, 0, "cannot read '%s': %s", path, strerror(errno));
    } else if (file.s && strlen(file.s) == file.len && strstr(file.s, ".target")) {
        const char *target = strstr(file.s, ".target");
        add_code(d, &(struct code){file.s, file.len, atoi(target + strcspn(target, "0123456789"))});
    } else if (file.s) {
        find_code(d, &file);
    }
    if (!d->n && !d->diags.errors)
        diag_add(&d->diags, DIAG_ERROR, NULL, 0, "'%s' does not contain device code%s", path, d->arch ? " for that architecture" : " that Heddle's nvcc made");
    strbuf_release(&file);
}

/* --- flags --- */

#define FLAG_ROWS "cli/cuobjdump_flags.def"
#include "cli/flag_rows.h"

static void set_flag(void *to, int which, const char *value)
{
    struct dump *d = to;

    switch ((enum which_flag)which) {
    case FLAG_PTX:
        d->ptx = true;
        break;
    case FLAG_SASS:
        d->sass = true;
        break;
    case FLAG_RESOURCES:
        d->resources = true;
        break;
    case FLAG_SYMBOLS:
    case FLAG_LIST_SYMBOLS:
        d->symbols = true;
        break;
    case FLAG_LIST_ELF:
        d->list_elf = true;
        break;
    case FLAG_LIST_PTX:
        d->list_ptx = true;
        break;
    case FLAG_EXTRACT_PTX:
        d->extract = value;
        break;
    case FLAG_FUNCTION:
        d->functions = value;
        break;
    case FLAG_ARCH:
        d->arch = value;
        break;
    case FLAG_VERSION:
        puts("cuobjdump: NVIDIA (R) fatbinary dump utility\nHeddle " HEDDLE_VERSION " answers in its place; no NVIDIA software is used\n"
             "Cuda compilation tools, release 12.4, V12.4.0");
        d->answered = true;
        break;
    }
}

static int help(void)
{
    struct strbuf b;

    strbuf_init(&b);
    strbuf_adds(&b, "cuobjdump [FLAGS] FILE: Heddle answers in the place of NVIDIA's tool: the device code in a file that its nvcc made\n\n");
    flags_help(flags, FLAGS, &b);
    fputs(b.s, stdout);
    strbuf_release(&b);
    return CLI_OK;
}

int cli_cuobjdump(int argc, char **argv)
{
    struct dump d = {0};
    const struct flag_set set = {flags, FLAGS, "cuobjdump", NULL, set_flag, &d, &d.diags};
    const char *file = NULL;

    if (cli_wants_help(argc, argv))
        return help();
    diag_init(&d.diags);
    strbuf_init(&d.out);
    for (int i = flags_take(&set, NULL, argc, argv); i < argc && !d.diags.errors; i += 1 + flags_take(&set, NULL, argc - i - 1, argv + i + 1)) {
        if (file)
            diag_add(&d.diags, DIAG_ERROR, NULL, 0, "one file at a time: '%s' and '%s'", file, argv[i]);
        file = argv[i];
    }
    if (!file && !d.answered && !d.diags.errors)
        diag_add(&d.diags, DIAG_ERROR, NULL, 0, "no file: cuobjdump [FLAGS] FILE");
    if (file && !d.diags.errors) {
        if (d.sass || d.resources)
            diag_add(&d.diags, DIAG_NOTE, NULL, 0, "what stands for machine code is " ESTIMATE);
        dump(&d, file);
        fputs(d.out.s ? d.out.s : "", stdout);
    }
    strbuf_release(&d.out);
    return cli_print(&d.diags) ? CLI_FAILED : CLI_OK;
}
