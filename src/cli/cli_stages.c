/* `heddle ptx|ir|target [-k KERNEL] FILE.cu`: a program's device code at each stage, with its source lines between.
 *
 * In: a .cu file (its device pass is run) or a .ptx file. Out, on stdout: the PTX text with its line numbers; the IR;
 * or the IR as target/ rewrites it, which is what runs and is counted, with the block and flop tables. Nothing is
 * launched, so variables stand at made-up addresses, which the text lists. */
#define _GNU_SOURCE /* mkostemps */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "compile/compile.h"
#include "compile/files.h"
#include "compile/words.h"
#include "ir/ir.h"
#include "report/names.h"
#include "report/result.h"
#include "report/sources.h"
#include "target/target.h"

enum stage { STAGE_PTX, STAGE_IR, STAGE_TARGET };

struct stages {
    enum stage stage;
    struct compile_options compile;
    struct diag_list diags;
    struct sources sources;
    struct name_filter kernel;
    const char *wanted;  /* -k, or NULL */
    struct ptx_module *module;
    struct table address; /* of variables, by name */
    uint64_t next;        /* free address */
    struct strbuf out;
};

/* --- source lines --- */

/* "  text of the line", and for inlined code the calls that led there. */
static void add_source(const struct ptx_loc *loc, void *user, struct strbuf *out)
{
    struct stages *s = user;
    const char *text = sources_text(&s->sources, loc->file, loc->line);

    for (const struct ptx_loc *at = loc->inlined_at; at; at = at->inlined_at)
        strbuf_addf(out, " < %s:%d", at->file, at->line);
    if (*text)
        strbuf_addf(out, "  %s", text);
}

static bool same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a && b && a->line == b->line && !strcmp(a->file, b->file);
}

/* --- ptx --- */

/* Behind the brace that ends the function whose head begins at `s`; comments and strings are stepped over. */
static const char *function_end(const char *s)
{
    for (int depth = 0; *s; s++) {
        if (s[0] == '/' && s[1] == '/') {
            s += strcspn(s, "\n");
        } else if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 1 : s + strlen(s) - 1;
        } else if (*s == '"') {
            s += 1 + strcspn(s + 1, "\"");
        } else if (*s == '{') {
            depth++;
        } else if (*s == '}' && --depth == 0) {
            return s + 1;
        }
        if (!*s)
            break;
    }
    return s;
}

static const char *line_start(const char *text, int line)
{
    for (int at = 1; at < line && *text; at++) {
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return text;
}

/* .loc says what the source lines between say; a whole line of it is left out. */
static bool is_loc(const char *line)
{
    return !strncmp(line + strspn(line, " \t"), ".loc", 4);
}

static void print_ptx(struct stages *s, const struct ptx_function *f)
{
    const char *at = line_start(s->module->text, f->line), *end = function_end(at);
    const struct ptx_loc *shown = NULL;

    for (int line = f->line, i = 0; at < end; line++) {
        size_t n = strcspn(at, "\n");

        while (i < f->ninsts && f->insts[i].line < line)
            i++;
        if (i < f->ninsts && f->insts[i].line == line) {
            const struct ptx_loc *loc = f->insts[i].loc;
            if (loc && loc->line && !same_place(loc, shown)) {
                strbuf_addf(&s->out, "# %s:%d", loc->file, loc->line);
                add_source(loc, s, &s->out);
                strbuf_adds(&s->out, "\n");
                shown = loc;
            }
        }
        if (!is_loc(at))
            strbuf_addf(&s->out, "%6d | %.*s\n", line, (int)n, at);
        at += n + (at[n] == '\n');
    }
    strbuf_adds(&s->out, "\n");
}

/* --- ir, target --- */

static uint64_t address_of(const struct ptx_var *v, void *user)
{
    struct stages *s = user;
    uint64_t at = (uint64_t)(uintptr_t)table_get(&s->address, v->name), align = v->align ? v->align : 1;

    if (!at) {
        at = (s->next + align - 1) & ~(align - 1);
        s->next = at + (v->size ? v->size : 1);
        table_set(&s->address, v->name, (void *)(uintptr_t)at);
    }
    return at;
}

static void list_variables(struct stages *s)
{
    for (int i = 0; i < s->module->nvars; i++) {
        const struct ptx_var *v = s->module->vars[i];
        if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
            continue;
        strbuf_addf(&s->out, "variable %s: %llu bytes of %s memory, here at 0x%llx\n", v->name,
                    (unsigned long long)v->size, v->space == PTX_CONST ? "constant" : "global",
                    (unsigned long long)address_of(v, s));
    }
}

struct tables {
    struct stages *stages;
    const struct target_tables *target;
};

static void add_source_of_table(const struct ptx_loc *loc, void *user, struct strbuf *out)
{
    add_source(loc, ((struct tables *)user)->stages, out);
}

static void add_block(int32_t block, void *user, struct strbuf *out)
{
    const struct tables *t = user;

    strbuf_addf(out, "  # %u instructions", t->target->blocks[block].instructions);
}

static void add_flops(int32_t site, void *user, struct strbuf *out)
{
    const struct target_flops *f = &((const struct tables *)user)->target->flops[site];
    const struct {
        const char *name;
        int n;
    } kinds[] = {{"fadd", f->fadd}, {"fmul", f->fmul}, {"ffma", f->ffma}, {"dadd", f->dadd}, {"dmul", f->dmul},
                 {"dfma", f->dfma}, {"hadd", f->hadd}, {"hmul", f->hmul}, {"hfma", f->hfma}};
    const char *before = "  # ";

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].n) {
            strbuf_addf(out, "%s%d %s", before, kinds[i].n, kinds[i].name);
            before = ", ";
        }
}

/* What keeps the kernel from being launched; its IR is shown all the same. */
static void add_problems(struct stages *s, const struct ir_kernel *k)
{
    for (const struct ir_problem *p = k->problems; p; p = p->next) {
        const struct ptx_loc *loc = p->loc && p->loc->line ? p->loc : NULL;
        struct diag *d = diag_add(&s->diags, DIAG_WARNING, loc ? loc->file : NULL, loc ? loc->line : 0,
                                  "kernel '%s' cannot be launched: %s", k->name, p->text);
        d->ptx_line = p->ptx_line;
        if (p->ptx_line)
            d->source = ptx_line_text(s->module, p->ptx_line, &s->diags.arena);
    }
}

static void print_ir(struct stages *s, const struct ptx_function *f)
{
    struct ir_kernel *k = ir_build(s->module, f, address_of, s);
    struct tables t = {.stages = s};

    add_problems(s, k);
    if (s->stage == STAGE_TARGET && !k->problems) {
        struct ir_notes notes = {add_source_of_table, add_block, add_flops, &t};
        target_rewrite(k);
        t.target = target_tables(k, &k->arena);
        strbuf_addf(&s->out, "# rewritten; about %d registers a thread (an estimate), instructions are those of PTX\n",
                    t.target->registers);
        ir_print_notes(k, &notes, &s->out);
    } else if (s->stage == STAGE_IR) {
        struct ir_notes notes = {.source = add_source, .user = s};
        ir_print_notes(k, &notes, &s->out);
    }
    strbuf_adds(&s->out, "\n");
    ir_free(k);
}

/* --- kernels --- */

static bool is_wanted(struct stages *s, const struct ptx_function *f)
{
    struct arena *a = &s->diags.arena;
    const char *plain = result_demangle(a, f->name);

    if (!f->defined || (!f->entry && (s->stage != STAGE_PTX || s->wanted)))
        return false;
    return name_filter_matches(&s->kernel, name_form(NAME_FUNCTION, plain, f->name, a)) ||
           (!s->kernel.is_pattern && name_filter_matches(&s->kernel, f->name));
}

static void no_kernel(struct stages *s, const char *file)
{
    struct strbuf names;

    strbuf_init(&names);
    for (int i = 0; i < s->module->nfuncs; i++) {
        const struct ptx_function *f = s->module->funcs[i];
        if (f->entry && f->defined)
            strbuf_addf(&names, "%s%s", names.len ? ", " : "", result_demangle(&s->diags.arena, f->name));
    }
    if (!names.len)
        diag_add(&s->diags, DIAG_ERROR, file, 0, "there is no kernel in it");
    else
        diag_add(&s->diags, DIAG_ERROR, file, 0, "no kernel is called '%s'; there are: %s", s->wanted, names.s);
    strbuf_release(&names);
}

static void print_module(struct stages *s, const char *file)
{
    int printed = 0;

    if (s->stage != STAGE_PTX)
        list_variables(s);
    for (int i = 0; i < s->module->nfuncs; i++) {
        const struct ptx_function *f = s->module->funcs[i];
        if (!is_wanted(s, f))
            continue;
        printed++;
        strbuf_addf(&s->out, "# %s\n", result_demangle(&s->diags.arena, f->name));
        if (s->stage == STAGE_PTX)
            print_ptx(s, f);
        else
            print_ir(s, f);
    }
    if (!printed)
        no_kernel(s, file);
}

/* --- the PTX text --- */

/* The device pass over a .cu file; its text is added to `text`. */
static void compile_ptx(struct stages *s, const char *file, struct strbuf *text)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_printf(&s->diags.arena, "%s/heddle-XXXXXX.ptx", folder && *folder ? folder : "/tmp");
    int fd = mkostemps(path, 4, O_CLOEXEC);

    if (fd < 0) {
        diag_add(&s->diags, DIAG_ERROR, NULL, 0, "cannot make a temporary file like '%s': %s", path, strerror(errno));
        return;
    }
    close(fd);
    s->compile.stage = COMPILE_PTX;
    s->compile.output = path;
    words_add(&s->compile.arena, &s->compile.inputs, file);
    if (compile_build(&s->compile, &s->diags) && !s->compile.dry_run && !file_read(path, text))
        diag_add(&s->diags, DIAG_ERROR, path, 0, "cannot read it: %s", strerror(errno));
    unlink(path);
}

static void show(struct stages *s, const char *file)
{
    bool is_ptx = strcmp(file_extension(file), ".ptx") == 0;
    struct strbuf text;

    strbuf_init(&text);
    if (!is_ptx)
        compile_ptx(s, file, &text);
    else if (!file_read(file, &text))
        diag_add(&s->diags, DIAG_ERROR, file, 0, "cannot read the file: %s", strerror(errno));
    if (!s->diags.errors && !s->compile.dry_run)
        s->module = ptx_parse(is_ptx ? file : "PTX", text.s ? text.s : "", text.len, &s->diags);
    if (s->module)
        print_module(s, file);
    strbuf_release(&text);
}

/* --- command line --- */

static int help(enum stage stage)
{
    static const char *const texts[] = {
        "heddle ptx [FLAGS] FILE: the device code as PTX, with the source lines it comes from between\n\n"
        "The numbers are lines of the PTX text, which messages and reports name. `heddle build -ptx` writes the text\n"
        "itself.",
        "heddle ir [FLAGS] FILE: the kernels as Heddle reads them, with source lines between\n\n"
        "Basic blocks with their successors, post-dominators and loops; one instruction a line, with its number\n"
        "(its site). Calls are inlined.",
        "heddle target [FLAGS] FILE: the kernels as they are run and counted, with source lines between\n\n"
        "The IR after what the GPU's assembler would do to its memory accesses (docs/target.md); instructions of\n"
        "each block, and floating-point operations that an instruction counts as."};
    puts(texts[stage]);
    puts("\nFILE is a .cu or a .ptx file.\n\n"
         "  -k, --kernel-name NAME       only kernels of this name (plain or mangled); regex:EXPRESSION for a pattern\n\n"
         "For a .cu file also the flags of `heddle build`: -arch, -I, -D, -O, -G ...");
    return CLI_OK;
}

/* One flag at argv[0]; the words taken. */
static int take_flag(struct stages *s, int argc, char **argv)
{
    bool is_name = !strcmp(argv[0], "-k") || !strcmp(argv[0], "--kernel-name");
    int n;

    if (!strncmp(argv[0], "--kernel-name=", 14)) {
        s->wanted = argv[0] + 14;
        return 1;
    }
    if (is_name && argc < 2) {
        diag_add(&s->diags, DIAG_ERROR, NULL, 0, "flag '%s' needs a value: NAME", argv[0]);
        return 1;
    }
    if (is_name) {
        s->wanted = argv[1];
        return 2;
    }
    n = compile_options_take(&s->compile, argc, argv, &s->diags);
    if (!n)
        diag_add(&s->diags, DIAG_ERROR, NULL, 0, "unknown flag '%s'; --help lists them", argv[0]);
    return n ? n : 1;
}

static const char *take_words(struct stages *s, int argc, char **argv)
{
    const char *file = NULL;

    for (int i = 0, n; i < argc; i += n) {
        n = 1;
        if (argv[i][0] == '-')
            n = take_flag(s, argc - i, argv + i);
        else if (!file)
            file = argv[i];
        else
            diag_add(&s->diags, DIAG_ERROR, argv[i], 0, "one file at a time");
    }
    if (!file && !s->diags.errors)
        diag_add(&s->diags, DIAG_ERROR, NULL, 0, "no file: give a .cu or a .ptx file");
    return file;
}

static int run(enum stage stage, int argc, char **argv)
{
    struct stages s = {.stage = stage, .next = 0x10000};
    const char *file;
    bool failed;

    if (cli_wants_help(argc, argv))
        return help(stage);
    compile_options_init(&s.compile);
    diag_init(&s.diags);
    sources_init(&s.sources);
    table_init(&s.address);
    strbuf_init(&s.out);
    file = take_words(&s, argc, argv);
    if (name_filter_init(&s.kernel, s.wanted, "--kernel-name", &s.diags) && !s.diags.errors)
        show(&s, file);
    if (s.out.len && !s.diags.errors)
        fputs(s.out.s, stdout);
    failed = cli_print(&s.diags);
    name_filter_release(&s.kernel);
    strbuf_release(&s.out);
    table_release(&s.address);
    sources_release(&s.sources);
    if (s.module)
        ptx_free(s.module);
    compile_options_release(&s.compile);
    return failed ? CLI_FAILED : CLI_OK;
}

int cli_ptx(int argc, char **argv)
{
    return run(STAGE_PTX, argc, argv);
}

int cli_ir(int argc, char **argv)
{
    return run(STAGE_IR, argc, argv);
}

int cli_target(int argc, char **argv)
{
    return run(STAGE_TARGET, argc, argv);
}
