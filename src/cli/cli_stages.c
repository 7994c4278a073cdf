/* `heddle ptx|ir|target|llvm|asm [-k KERNEL] FILE.cu`: a program's device code at each stage, with its source lines between.
 *
 * In: a .cu file (its device pass is run) or a .ptx file. Out, on stdout: the PTX text with its line numbers; the IR; the
 * IR as target/ rewrites it, which is what runs and is counted, with the block and flop tables; or what becomes of that
 * as machine code for one size of block, in LLVM's language or the host's. Nothing is launched, so variables stand at
 * made-up addresses, which the text lists. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "cli/cli.h"
#include "cli/device_code.h"
#include "cli/flags.h"
#include "cli/machine_code.h"
#include "compile/compile.h"
#include "interp/interp.h"
#include "interp/lanes.h"
#include "ir/ir.h"
#include "jit/show.h"
#include "report/result.h"
#include "report/sources.h"
#include "target/arch.h"
#include "target/target.h"
#include "target/visits.h"

enum stage { STAGE_PTX, STAGE_IR, STAGE_TARGET, STAGE_LLVM, STAGE_ASM };

#define FLAG_ROWS "cli/stages_flags.def"
#include "cli/flag_rows.h"

static bool has_flag(enum stage stage, int flag)
{
    switch (flag) {
    case FLAG_AFTER:
        return stage == STAGE_IR || stage == STAGE_TARGET;
    case FLAG_PASSES:
        return stage == STAGE_IR;
    case FLAG_KERNEL:
        return true;
    case FLAG_DEVICE:
    case FLAG_COUNT:
        return stage == STAGE_TARGET;
    case FLAG_AS_IR:
    case FLAG_OPTIMISED:
        return stage == STAGE_LLVM;
    default:
        return stage >= STAGE_LLVM;
    }
}

/* The stage's rows, and which flag each is. */
static int rows_of(enum stage stage, struct flag rows[FLAGS], int which[FLAGS])
{
    int n = 0;
    for (int i = 0; i < FLAGS; i++)
        if (has_flag(stage, i)) {
            rows[n] = flags[i];
            which[n++] = i;
        }
    return n;
}

struct stages {
    enum stage stage;
    struct compile_options compile;
    struct diag_list diags;
    struct sources sources;
    struct name_filter kernel;
    const char *wanted;  /* -k, or NULL */
    struct device devices[MACHINE_DEVICES]; /* --device */
    int ndevices;
    bool count;          /* --count */
    int which[FLAGS];    /* which flags the stage has */
    uint32_t block[3];   /* --block; x 0: not given */
    const char *isa;     /* --isa, or NULL: the host's */
    bool counting, split, whole_block, first, as_ir, optimised;
    int after;           /* --after: how many passes are run; of machine code: how many steps */
    bool list_passes;
    double seconds[TARGET_PASSES]; /* list_passes: of each */
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

/* What a line that is not code begins with, where the code is another program's language. */
static const char *comment(const struct stages *s)
{
    return s->stage == STAGE_LLVM ? "; " : s->stage == STAGE_ASM ? "# " : "";
}

static void list_variables(struct stages *s)
{
    for (int i = 0; i < s->module->nvars; i++) {
        const struct ptx_var *v = s->module->vars[i];
        if (v->space != PTX_GLOBAL && v->space != PTX_CONST)
            continue;
        strbuf_addf(&s->out, "%svariable %s: %llu bytes of %s memory, here at 0x%llx\n", comment(s), v->name,
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

    strbuf_addf(out, "  # %u instructions of the GPU", t->target->blocks[block].instructions);
    if (t->target->blocks[block].counted != block)
        strbuf_addf(out, ", predicated by b%d", t->target->blocks[block].counted);
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

/* --- llvm, asm --- */

struct code {
    struct stages *stages;
    const struct ir_kernel *kernel;
    const struct ptx_loc *shown;
};

/* An instruction of the kernel, before what was made of it: its source line, if that is another, and itself. */
static void note(int32_t site, const char *comment, void *user, struct strbuf *out)
{
    struct code *c = user;
    const struct ptx_loc *loc = c->kernel->insts[site].from->loc;

    if (loc && loc->line && !same_place(loc, c->shown)) {
        strbuf_addf(out, "%s%s:%d", comment, loc->file, loc->line);
        add_source(loc, c->stages, out);
        strbuf_adds(out, "\n");
        c->shown = loc;
    }
    strbuf_addf(out, "%s%d ", comment, site);
    ir_print_inst(c->kernel, &c->kernel->insts[site], out);
    strbuf_adds(out, "\n");
}

static void print_code(struct stages *s, const struct ptx_function *f, struct ir_kernel *k)
{
    struct code c = {.stages = s, .kernel = k};
    struct jit_view view = {.form = s->stage == STAGE_ASM ? JIT_ASSEMBLY : s->as_ir ? JIT_WRITTEN : s->optimised ? JIT_OPTIMISED : JIT_EMITTED,
                            .level = s->isa ? s->isa : lanes_level(), .counting = s->counting, .split = s->split,
                            .whole_block = s->whole_block, .first = s->first, .note = note, .user = &c};
    char problem[300] = "";
    const char *why = problem;
    int32_t site = 0;
    struct interp_code *code;

    if (s->counting)
        visits_insert(k, target_tables(k, &k->arena, k->arch, NULL));
    code = interp_compile(k, &why, &site);
    if (s->block[0])
        memcpy(view.block, s->block, sizeof view.block);
    else
        device_code_choose_block(f, view.block);
    strbuf_addf(&s->out, "%sfor blocks of %u x %u x %u and %s%s%s%s\n", comment(s), view.block[0], view.block[1], view.block[2],
                view.level, view.counting ? ", in launches that count" : "",
                view.split        ? ", threads apart"
                : view.whole_block ? ", all warps of a block"
                                   : "",
                view.first ? ", first tier" : "");
    if (!code || !jit_show(k, code, &view, &s->out, problem, sizeof problem))
        strbuf_addf(&s->out, "%sthere is no machine code of it: %s\n", comment(s), code ? problem : why);
    if (code)
        interp_free(code);
}

/* Of the first device's kernel, and the same as it is rewritten for each of the others. */
static void print_machine_code(struct stages *s, const struct ptx_function *f, struct ir_kernel *first)
{
    struct ir_notes notes = {.source = add_source, .user = s};
    struct ir_kernel *kernels[MACHINE_DEVICES] = {first};

    for (int i = 1; i < s->ndevices; i++) {
        kernels[i] = ir_build(s->module, f, address_of, s);
        target_rewrite(kernels[i], lanes_find, device_arch(&s->devices[i]));
        add_problems(s, kernels[i]);
    }
    if (s->count)
        machine_code_count(kernels, s->devices, s->ndevices, &s->out);
    else
        machine_code_list(kernels, s->devices, s->ndevices, (s->after ? s->after : TARGET_STEPS) - 1, &notes, &s->out);
    for (int i = 1; i < s->ndevices; i++)
        ir_free(kernels[i]);
}

static void print_ir(struct stages *s, const struct ptx_function *f)
{
    int arch = s->ndevices ? device_arch(&s->devices[0]) : ARCH_USUAL;
    struct ir_kernel *k = ir_build(s->module, f, address_of, s);
    struct tables t = {.stages = s};

    if (s->stage >= STAGE_TARGET)
        target_rewrite(k, lanes_find, arch);
    else if (s->after || s->list_passes)
        target_rewrite_some(k, lanes_find, arch, s->list_passes ? TARGET_PASSES : s->after, s->seconds);
    add_problems(s, k);
    if (s->stage >= STAGE_LLVM && !k->problems)
        print_code(s, f, k);
    else if (s->stage == STAGE_TARGET && !k->problems && s->ndevices) {
        print_machine_code(s, f, k);
    } else if (s->stage == STAGE_TARGET && !k->problems) {
        struct ir_notes notes = {add_source_of_table, add_block, add_flops, &t};
        t.target = target_tables(k, &k->arena, ARCH_USUAL, NULL);
        uint32_t instructions = 0;
        for (int32_t b = 0; b < k->nblocks; b++)
            instructions += t.target->blocks[b].instructions;
        strbuf_addf(&s->out, "# %s %s; about %d registers per thread and %u instructions of the GPU (estimates)\n",
                    target_mode() == TARGET_NONE ? "not rewritten (HEDDLE_TARGET=none):" : "rewritten from", f->name, t.target->registers, instructions);
        ir_print_notes(k, &notes, &s->out);
    } else if (s->stage == STAGE_IR && !s->list_passes) {
        struct ir_notes notes = {.source = add_source, .user = s};
        ir_print_notes(k, &notes, &s->out);
    }
    if (!s->list_passes)
        strbuf_adds(&s->out, "\n");
    ir_free(k);
}

static void print_passes(struct stages *s, int kernels)
{
    strbuf_addf(&s->out, "%-12s %8s  for %d kernel%s\n", "pass", "ms", kernels, kernels == 1 ? "" : "s");
    for (int i = 0; i < TARGET_PASSES; i++)
        if (target_does(i))
            strbuf_addf(&s->out, "%-12s %8.2f  %s\n", target_passes[i].name, 1e3 * s->seconds[i], target_passes[i].purpose);
}

/* --- kernels --- */

static bool is_wanted(struct stages *s, const struct ptx_function *f)
{
    if (!f->defined || (!f->entry && (s->stage != STAGE_PTX || s->wanted)))
        return false;
    return device_code_is_meant(&s->kernel, f, &s->diags.arena);
}

static void print_module(struct stages *s, const char *file)
{
    int printed = 0;

    if (s->stage != STAGE_PTX && !s->list_passes)
        list_variables(s);
    for (int i = 0; i < s->module->nfuncs; i++) {
        const struct ptx_function *f = s->module->funcs[i];
        if (!is_wanted(s, f))
            continue;
        printed++;
        if (!s->list_passes)
            strbuf_addf(&s->out, "%s%s\n", s->stage == STAGE_LLVM ? "; " : "# ", result_demangle(&s->diags.arena, f->name));
        if (s->stage == STAGE_PTX)
            print_ptx(s, f);
        else
            print_ir(s, f);
    }
    if (printed && s->list_passes)
        print_passes(s, printed);
    if (!printed)
        device_code_no_kernel(s->module, file, s->wanted, &s->diags);
}

static void show(struct stages *s, const char *file)
{
    s->module = device_code_read(&s->compile, file, &s->diags);
    if (s->module)
        print_module(s, file);
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
        "(its site). Calls are inlined. With --after PASS they are shown as that pass of rewriting leaves them.",
        "heddle target [FLAGS] FILE: the kernels as they are run and counted, with source lines between\n\n"
        "The IR after what the GPU's assembler would do to its memory accesses (docs/target.md); instructions of\n"
        "each block, and floating-point operations that an instruction counts as. With --device the machine code\n"
        "that this GPU executes, as Heddle takes it to be, in its order and its registers; with --after STEP as that\n"
        "step leaves it: selected, laid-out, scheduled or allocated.",
        "heddle llvm [FLAGS] FILE: the kernels as they are given to LLVM, with source lines between\n\n"
        "A kernel that runs for long becomes machine code (docs/jit.md): a function that runs a warp, 32 threads, at\n"
        "once. This is that function in LLVM's language, a vector for each register that differs between threads.\n"
        "Lines with ; say what the code below them is of: a source line, and the instruction of `heddle target`.\n"
        "Of one kernel (-k) the text is a module for LLVM's tools: heddle llvm -k NAME FILE | llc-19",
        "heddle asm [FLAGS] FILE: the kernels as machine code of the host, with source lines between\n\n"
        "A kernel that runs for long becomes machine code (docs/jit.md): a function that runs a warp, 32 threads, at\n"
        "once. This is that function in assembly. Lines with # say what the code below them is of: a source line,\n"
        "and the instruction of `heddle target`; LLVM moves instructions, so one may be named several times. What is\n"
        "called through a register is the interpreter, for what machine code has no form of its own for."};
    struct strbuf list;

    strbuf_init(&list);
    struct flag rows[FLAGS];
    int which[FLAGS], n = rows_of(stage, rows, which);
    flags_help(rows, n, &list);
    puts(texts[stage]);
    printf("\nFILE is a .cu or a .ptx file.\n\n%s\nFor a .cu file also the flags of `heddle build`: -arch, -I, -D, -O, -G ...\n",
           list.s);
    strbuf_release(&list);
    return CLI_OK;
}

static void set_isa(struct stages *s, const char *value)
{
    static const char *const levels[] = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (!strcmp(value, levels[i]))
            s->isa = levels[i];
    if (!s->isa || strcmp(value, s->isa))
        flags_wrong(&s->diags, flags[FLAG_ISA].name, value, "x86-64-v2, x86-64-v3 or x86-64-v4");
}

static void set_after(struct stages *s, const char *value)
{
    struct strbuf names;
    bool code = s->stage == STAGE_TARGET;
    int n = code ? (int)TARGET_STEPS : (int)TARGET_PASSES;

    for (int i = 0; i < n; i++)
        if (!strcmp(value, code ? target_step_names[i] : target_passes[i].name)) {
            s->after = i + 1;
            return;
        }
    strbuf_init(&names);
    for (int i = 0; i < n; i++)
        strbuf_addf(&names, i ? ", %s" : "one of %s", code ? target_step_names[i] : target_passes[i].name);
    flags_wrong(&s->diags, flags[FLAG_AFTER].name, value, names.s);
    strbuf_release(&names);
}

/* The device just read is one of those shown. */
static void take_device(struct stages *s)
{
    const struct device *d = &s->devices[s->ndevices];
    if (machine_code_known(d))
        s->ndevices++;
    else
        diag_add(&s->diags, DIAG_ERROR, NULL, 0, "%s (compute capability %u.%u): its machine code is not there yet; there is that of %d.%d to %d.%d", d->name,
                 (unsigned)d->cc_major, (unsigned)d->cc_minor, ARCH_FIRST / 10, ARCH_FIRST % 10, ARCH_LAST / 10, ARCH_LAST % 10);
}

static void set_device(struct stages *s, const char *value)
{
    s->ndevices = 0;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        if (s->ndevices == MACHINE_DEVICES) {
            flags_wrong(&s->diags, flags[FLAG_DEVICE].name, value, "at most eight devices, as h200,v100 (`heddle devices` lists them)");
            return;
        }
        if (device_load(&s->devices[s->ndevices], arena_strndup(&s->diags.arena, at, n), &s->diags))
            take_device(s);
        at += n;
        if (!*at)
            return;
    }
}

static void set_flag(void *to, int which, const char *value)
{
    struct stages *s = to;

    switch (s->which[which]) {
    case FLAG_AFTER:
        set_after(s, value);
        break;
    case FLAG_PASSES:
        s->list_passes = true;
        break;
    case FLAG_KERNEL:
        s->wanted = value;
        break;
    case FLAG_DEVICE:
        set_device(s, value);
        break;
    case FLAG_COUNT:
        s->count = true;
        break;
    case FLAG_BLOCK:
        if (!device_code_block(value, 1024, s->block))
            flags_wrong(&s->diags, flags[FLAG_BLOCK].name, value, "a size like 256, 16x16 or 8x8x4, of at most 1024 threads");
        break;
    case FLAG_ISA:
        set_isa(s, value);
        break;
    case FLAG_COUNTING:
        s->counting = true;
        break;
    case FLAG_SPLIT:
        s->split = true;
        break;
    case FLAG_WHOLE_BLOCK:
        s->whole_block = true;
        break;
    case FLAG_FIRST:
        s->first = true;
        break;
    case FLAG_AS_IR:
        s->as_ir = true;
        break;
    default:
        s->optimised = true;
    }
}

static const char *take_words(struct stages *s, int argc, char **argv)
{
    static const char *const commands[] = {"heddle ptx", "heddle ir", "heddle target", "heddle llvm", "heddle asm"};
    struct flag rows[FLAGS];
    const int n = rows_of(s->stage, rows, s->which);
    const struct flag_set set = {rows, n, commands[s->stage], NULL, set_flag, s, &s->diags};
    const char *file = NULL;

    for (int i = 0; i < argc; i++) {
        i += flags_take(&set, &s->compile, argc - i, argv + i);
        if (i >= argc)
            break;
        if (!file)
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
    if ((s.count || (s.stage == STAGE_TARGET && s.after)) && !s.ndevices && !s.diags.errors && device_load(&s.devices[0], NULL, &s.diags))
        take_device(&s);
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

int cli_llvm(int argc, char **argv)
{
    return run(STAGE_LLVM, argc, argv);
}

int cli_asm(int argc, char **argv)
{
    return run(STAGE_ASM, argc, argv);
}
