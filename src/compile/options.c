/* The command line of `heddle build`, which is nvcc's (see options.def for the flags).
 *
 * In: words. Out: struct compile_options, and a diagnostic for every word that is unknown, has a wrong value, or is
 * accepted without doing what nvcc does: never silence. Flags: CUDA Compiler Driver NVCC manual, "NVCC Command
 * Options". Architectures: those that clang-19 makes code for without NVIDIA's SDK. */
#include "compile/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "compile/files.h"
#include "compile/words.h"
#include "device/device.h"

#define NEWEST_ARCH DEVICE_CODE_NEWEST
#define OLDEST_ARCH DEVICE_CODE_OLDEST /* of CUDA 12, too (NVCC manual 12.4, "GPU Feature List") */

enum argument { NONE, VALUE, JOINED, SELF };

struct taking {
    struct compile_options *o;
    struct diag_list *diags;
    const char *flag; /* as the user wrote it, without the value */
    const char *text; /* the row's text */
};

typedef void handler(struct taking *t, const char *value);

void compile_options_init(struct compile_options *o)
{
    memset(o, 0, sizeof *o);
    arena_init(&o->arena);
    o->arch = NEWEST_ARCH;
    o->host_opt = '2';
}

void compile_options_release(struct compile_options *o)
{
    arena_release(&o->arena);
}

/* ---- handlers ---- */

static void wrong_value(struct taking *t, const char *value, const char *allowed)
{
    diag_add(t->diags, DIAG_ERROR, NULL, 0, "'%s' is no value of '%s': %s", value, t->flag,
             allowed);
}

/* "true" or "false", as nvcc spells them. */
static bool truth(struct taking *t, const char *value)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        wrong_value(t, value, "give true or false");
    return strcmp(value, "true") == 0;
}

static void opt_ignore(struct taking *t, const char *value)
{
    (void)t, (void)value;
}

static void opt_cudart(struct taking *t, const char *value)
{
    static const char *const names[] = {"static", "shared", "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i])) {
            t->o->cudart = names[i];
            return;
        }
    wrong_value(t, value, "give static, shared or none");
}

static void opt_registers(struct taking *t, const char *value)
{
    enum { LEAST = 16, MOST = 255 }; /* what nvcc takes: fewer are as many as the ABI needs, 0 is no limit */
    char *end;
    long n = strtol(value, &end, 10);
    if (end == value || *end || n < 0 || n > MOST)
        wrong_value(t, value, "give a number of registers, 0 to 255");
    else
        t->o->registers = n && n < LEAST ? LEAST : (int)n;
}

static void opt_warn(struct taking *t, const char *value)
{
    (void)value;
    diag_add(t->diags, DIAG_WARNING, NULL, 0, "'%s' %s", t->flag, t->text);
}

static void opt_refuse(struct taking *t, const char *value)
{
    (void)value;
    diag_add(t->diags, DIAG_ERROR, NULL, 0, "'%s' %s", t->flag, t->text);
}

static void opt_output(struct taking *t, const char *value)
{
    t->o->output = arena_strdup(&t->o->arena, value);
}

static void opt_device_ptx(struct taking *t, const char *value)
{
    t->o->device_ptx = arena_strdup(&t->o->arena, value);
}

static void opt_link_ir(struct taking *t, const char *value)
{
    words_add(&t->o->arena, &t->o->link_ir, arena_strdup(&t->o->arena, value));
}

static void opt_link_ir_needed(struct taking *t, const char *value)
{
    words_add(&t->o->arena, &t->o->link_ir_needed, arena_strdup(&t->o->arena, value));
}

static void opt_front_end(struct taking *t, const char *value)
{
    t->o->by_nvcc = !strcmp(value, "nvcc");
    if (!t->o->by_nvcc && strcmp(value, "clang"))
        wrong_value(t, value, "give clang or nvcc");
}

static void set_stage(struct taking *t, enum compile_stage stage)
{
    if (t->o->stage != COMPILE_PROGRAM && t->o->stage != stage)
        diag_add(t->diags, DIAG_ERROR, NULL, 0, "'%s' cannot go with another of -c, -dc, -ptx, -E, -M, -MM, -dlink and -lib",
                 t->flag);
    t->o->stage = stage;
}

static void opt_object(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_OBJECT);
}

static void opt_device_object(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_OBJECT);
    t->o->relocatable = true;
}

static void opt_device_link(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_LINK_DEVICE);
}

static void opt_archive(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_LIBRARY);
}

static void opt_ptx(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_PTX);
}

static void opt_cubin(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_IMAGE);
    t->o->image = ".cubin";
}

static void opt_fatbin(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_IMAGE);
    t->o->image = ".fatbin";
}

static void opt_cuda(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_CPP);
}

static void opt_preprocess(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_PREPROCESS);
}

static void opt_rules(struct taking *t, const char *value)
{
    (void)value;
    set_stage(t, COMPILE_RULES);
}

static void opt_user_rules(struct taking *t, const char *value)
{
    opt_rules(t, value);
    t->o->dep_user_only = true;
}

static void opt_user_dependencies(struct taking *t, const char *value)
{
    (void)value;
    t->o->dependencies = t->o->dep_user_only = true;
}

#define SWITCH(name, field)                                                                        \
    static void opt_##name(struct taking *t, const char *value)                                    \
    {                                                                                              \
        (void)value;                                                                               \
        t->o->field = true;                                                                        \
    }
SWITCH(shared, shared)
SWITCH(debug, debug_host)
SWITCH(device_debug, debug_device)
SWITCH(dependencies, dependencies)
SWITCH(dep_targets, dep_targets)
SWITCH(verbose, verbose)
SWITCH(keep, keep)
SWITCH(forward_unknown, forward_unknown)
#undef SWITCH

static void opt_dry_run(struct taking *t, const char *value)
{
    (void)value;
    t->o->verbose = t->o->dry_run = true;
}

static void opt_dep_file(struct taking *t, const char *value)
{
    t->o->dep_file = arena_strdup(&t->o->arena, value);
}

static void opt_dep_target(struct taking *t, const char *value)
{
    t->o->dep_target = arena_strdup(&t->o->arena, value);
}

static void opt_keep_dir(struct taking *t, const char *value)
{
    t->o->keep_dir = arena_strdup(&t->o->arena, value);
}

/* The next word of a text of options: blanks and line ends part words, quotes and backslashes as in a shell. False at
 * the end. */
static bool next_word(const char **at, struct strbuf *word)
{
    const char *s = *at + strspn(*at, " \t\r\n");
    char quote = 0;

    strbuf_clear(word);
    strbuf_adds(word, ""); /* it may be empty: '' */
    if (!*s)
        return false;
    for (; *s && (quote || !strchr(" \t\r\n", *s)); s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'') {
            quote = quote ? 0 : *s;
        } else {
            if (*s == '\\' && quote != '\'' && s[1])
                s++;
            strbuf_add(word, s, 1);
        }
    }
    *at = s;
    return true;
}

void compile_options_parse_text(struct compile_options *o, const char *text, struct diag_list *diags)
{
    struct strbuf word;
    struct words w = {0};

    strbuf_init(&word);
    while (next_word(&text, &word))
        words_add(&o->arena, &w, word.s);
    strbuf_release(&word);
    compile_options_parse(o, w.n, (char **)w.v, diags);
}

static void opt_options_file(struct taking *t, const char *value)
{
    enum { MOST = 64 };
    struct strbuf text;

    strbuf_init(&text);
    if (t->o->options_files >= MOST) {
        wrong_value(t, value, "more than 64 files of options: they name each other in a circle");
    } else if (!file_read(value, &text)) {
        diag_add(t->diags, DIAG_ERROR, value, 0, "cannot read the file of options: %s", strerror(errno));
    } else if (text.s && strlen(text.s) != text.len) {
        diag_add(t->diags, DIAG_ERROR, value, 0, "not a file of options: it has a zero byte");
    } else {
        t->o->options_files++;
        compile_options_parse_text(t->o, text.s ? text.s : "", t->diags);
    }
    strbuf_release(&text);
}

static void opt_include_dir(struct taking *t, const char *value)
{
    words_addv(&t->o->arena, &t->o->search, "-I", value, NULL);
}

static void opt_isystem(struct taking *t, const char *value)
{
    words_addv(&t->o->arena, &t->o->search, "-isystem", value, NULL);
}

static void opt_pre_include(struct taking *t, const char *value)
{
    words_addv(&t->o->arena, &t->o->search, "-include", value, NULL);
}

static void opt_define(struct taking *t, const char *value)
{
    words_addf(&t->o->arena, &t->o->defines, "-D%s", value);
}

static void opt_undefine(struct taking *t, const char *value)
{
    words_addf(&t->o->arena, &t->o->defines, "-U%s", value);
}

/* -O2, -O 2, --optimize=2 */
static void opt_optimize(struct taking *t, const char *value)
{
    if (value[0] && !value[1] && strchr("0123s", value[0]))
        t->o->host_opt = value[0];
    else
        wrong_value(t, value, "give 0, 1, 2, 3 or s");
}

static void opt_machine(struct taking *t, const char *value)
{
    if (strcmp(value, "64") != 0)
        wrong_value(t, value, "only 64-bit code is made");
}

static void opt_standard(struct taking *t, const char *value)
{
    static const char *const known[] = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23",
                                        "gnu++11", "gnu++14", "gnu++17", "gnu++20", "gnu++23"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(value, known[i]) == 0) {
            if (strcmp(value, "c++03") == 0)
                wrong_value(t, value, "the headers need C++11 or later");
            else
                words_addf(&t->o->arena, &t->o->both, "-std=%s", value);
            return;
        }
    wrong_value(t, value, "give c++11, c++14, c++17, c++20 or c++23");
}

static void opt_fast_math(struct taking *t, const char *value)
{
    (void)value;
    t->o->ftz = t->o->fast_div = t->o->fast_sqrt = t->o->fast_functions = true;
}

static void opt_ftz(struct taking *t, const char *value)
{
    t->o->ftz = truth(t, value);
}

static void opt_prec_div(struct taking *t, const char *value)
{
    t->o->fast_div = !truth(t, value);
}

static void opt_prec_sqrt(struct taking *t, const char *value)
{
    t->o->fast_sqrt = !truth(t, value);
}

static void opt_fmad(struct taking *t, const char *value)
{
    t->o->no_fmad = !truth(t, value);
}

static void opt_rdc(struct taking *t, const char *value)
{
    t->o->relocatable = truth(t, value);
}

static void opt_xcompiler(struct taking *t, const char *value)
{
    words_split(&t->o->arena, &t->o->host, value);
}

static void opt_xlinker(struct taking *t, const char *value)
{
    struct words parts = {0};
    words_split(&t->o->arena, &parts, value);
    for (int i = 0; i < parts.n; i++)
        words_addv(&t->o->arena, &t->o->inputs, "-Xlinker", parts.v[i], NULL);
}

static void opt_library_dir(struct taking *t, const char *value)
{
    words_addf(&t->o->arena, &t->o->inputs, "-L%s", value);
}

/* CUDA's own runtime libraries are libheddle-cudart, which is always linked. Host code is clang's, so its OpenMP calls need
 * LLVM's library, which also has the calls of gcc's. */
static void opt_library(struct taking *t, const char *value)
{
    static const char *const ours[] = {"cudart", "cudart_static", "cudadevrt", "cuda"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(value, ours[i]) == 0)
            return;
    if (strcmp(value, "gomp") == 0)
        words_add(&t->o->arena, &t->o->inputs, "-fopenmp=libomp");
    else
        words_addf(&t->o->arena, &t->o->inputs, "-l%s", value);
}

static void opt_no_warnings(struct taking *t, const char *value)
{
    (void)value;
    words_add(&t->o->arena, &t->o->both, "-w");
}

static void opt_werror(struct taking *t, const char *value)
{
    if (strstr(value, "all-warnings"))
        words_add(&t->o->arena, &t->o->both, "-Werror");
    else
        diag_add(t->diags, DIAG_WARNING, NULL, 0, "'%s %s' has no effect here: only all-warnings",
                 t->flag, value);
}

static void opt_language(struct taking *t, const char *value)
{
    static const char *const names[] = {"cu", "c", "c++"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            t->o->language = names[i];
            return;
        }
    wrong_value(t, value, "give cu, c or c++");
}

static void opt_default_stream(struct taking *t, const char *value)
{
    if (strcmp(value, "per-thread") == 0)
        words_add(&t->o->arena, &t->o->defines, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
    else if (strcmp(value, "legacy") != 0)
        wrong_value(t, value, "give legacy or per-thread");
}

/* The cache operator of loads that name none. */
static void take_load_cache(struct taking *t, const char *value)
{
    static const char *const modes[] = {"ca", "cg", "cs", "cv"};

    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(value, modes[i]) == 0) {
            t->o->load_cache = modes[i];
            return;
        }
    diag_add(t->diags, DIAG_ERROR, NULL, 0, "'%s -dlcm=%s': the ways are ca, cg, cs and cv", t->flag, value);
}

static void opt_run(struct taking *t, const char *value)
{
    (void)value;
    t->o->run = true;
}

static void opt_run_args(struct taking *t, const char *value)
{
    words_split(&t->o->arena, &t->o->run_args, value);
}

static void opt_resources(struct taking *t, const char *value)
{
    (void)value;
    t->o->resources = true;
}

static void opt_xptxas(struct taking *t, const char *value)
{
    struct words parts = {0};
    words_split(&t->o->arena, &parts, value);
    for (int i = 0; i < parts.n; i++) {
        const char *p = parts.v[i];
        if (strcmp(p, "-v") == 0 || strcmp(p, "--verbose") == 0 || strcmp(p, "-warn-spills") == 0)
            t->o->resources = true;
        else if (strncmp(p, "-dlcm=", 6) == 0 || strncmp(p, "--def-load-cache=", 17) == 0)
            take_load_cache(t, strchr(p, '=') + 1);
        else if (strncmp(p, "-O", 2) != 0 && strncmp(p, "--opt-level", 11) != 0)
            diag_add(t->diags, DIAG_WARNING, NULL, 0,
                     "'%s %s' has no effect: the vendor's assembler is not used here", t->flag, p);
    }
}

/* ---- architectures ---- */

/* The number and variant in sm_90a, compute_90, 90; false if it is none of those. */
static bool arch_number(const char *s, int *number, bool *a)
{
    if (strncmp(s, "sm_", 3) == 0)
        s += 3;
    else if (strncmp(s, "compute_", 8) == 0)
        s += 8;
    else if (strncmp(s, "lto_", 4) == 0)
        s += 4;
    char *end;
    long n = strtol(s, &end, 10);
    *a = *end == 'a' || *end == 'f';
    if (end == s || n < 10 || n > 200 || end[*a] != '\0')
        return false;
    *number = (int)n;
    return true;
}

static bool arch_is_known(int number)
{
    static const int known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62,
                                70, 72, 75, 80, 86, 87, 89, 90};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == number)
            return true;
    return false;
}

/* Sets the architecture, or says why another is taken. */
static void arch_set(struct taking *t, const char *value, int number, bool a)
{
    struct compile_options *o = t->o;
    if (number > NEWEST_ARCH) {
        diag_add(t->diags, DIAG_WARNING, NULL, 0,
                 "'%s' of '%s' is newer than clang-19 knows: device code is made for sm_%d", value,
                 t->flag, NEWEST_ARCH);
        number = NEWEST_ARCH;
        a = false;
    }
    if (!arch_is_known(number)) {
        wrong_value(t, value, "no such architecture; known are sm_10 to sm_90a");
        return;
    }
    if (number < OLDEST_ARCH) {
        diag_add(t->diags, DIAG_WARNING, NULL, 0,
                 "'%s' of '%s' is older than CUDA 12 knows: device code is made for sm_%d; accesses are counted by the rules of the "
                 "device that it runs on (--device, HEDDLE_DEVICE)",
                 value, t->flag, OLDEST_ARCH);
        number = OLDEST_ARCH;
    }
    o->arch = number;
    o->arch_a = a && number == NEWEST_ARCH;
    o->arch_given = true;
}

static void opt_arch(struct taking *t, const char *value)
{
    int number;
    bool a;
    if (strcmp(value, "native") == 0 || strcmp(value, "all") == 0 ||
        strcmp(value, "all-major") == 0) {
        t->o->arch = NEWEST_ARCH;
        t->o->arch_a = false;
    } else if (arch_number(value, &number, &a)) {
        arch_set(t, value, number, a);
    } else {
        wrong_value(t, value, "give sm_NN, compute_NN or native");
    }
}

static void opt_code(struct taking *t, const char *value)
{
    (void)t, (void)value;
}

/* arch=compute_80,code=[sm_80,compute_80]. Of several, the newest that is not beyond NEWEST_ARCH wins. */
static void opt_gencode(struct taking *t, const char *value)
{
    const char *arch = strstr(value, "arch=");
    int number;
    bool a;
    if (!arch) {
        wrong_value(t, value, "give arch=compute_NN,code=sm_NN");
        return;
    }
    arch += 5;
    const char *name = arena_strndup(&t->o->arena, arch, strcspn(arch, ","));
    if (!arch_number(name, &number, &a)) {
        wrong_value(t, name, "give arch=compute_NN,code=sm_NN");
        return;
    }
    if (t->o->arch_given && (number > NEWEST_ARCH || number <= t->o->arch))
        return;
    arch_set(t, name, number, a);
}

/* ---- the table ---- */

static const struct option {
    const char *brief, *full;
    enum argument argument;
    handler *take;
    const char *text;
} options[] = {
#define OPTION(brief, full, argument, name, text) {brief, full, argument, opt_##name, text},
#include "compile/options.def"
#undef OPTION
};
enum { OPTIONS = sizeof options / sizeof *options };

/* Does `word` name this option? Then *value is what is joined to it, or NULL. */
static bool matches(const struct option *opt, const char *word, const char **value)
{
    size_t nb = strlen(opt->brief), nf = strlen(opt->full);
    *value = NULL;
    if (strcmp(word, opt->brief) == 0 || strcmp(word, opt->full) == 0)
        return true;
    if (opt->argument == NONE)
        return false;
    if (strncmp(word, opt->full, nf) == 0 && word[nf] == '=')
        *value = word + nf + 1;
    else if (strncmp(word, opt->brief, nb) == 0 && word[nb] == '=')
        *value = word + nb + 1;
    else if ((opt->argument == JOINED || opt->argument == SELF) &&
             strncmp(word, opt->brief, nb) == 0 && word[1] != '-')
        *value = word + nb;
    return *value != NULL;
}

/* The option of a word: an exact or `=` match before one that only begins like it (-lineinfo before -l ineinfo). */
static const struct option *find(const char *word, const char **value)
{
    const struct option *joined = NULL;
    const char *joined_value = NULL;
    for (int i = 0; i < OPTIONS; i++) {
        if (!matches(&options[i], word, value))
            continue;
        if (!*value || (*value)[-1] == '=')
            return &options[i];
        if (!joined) {
            joined = &options[i];
            joined_value = *value;
        }
    }
    *value = joined_value;
    return joined;
}

/* -Wall, -Wextra, -fopenmp, -fPIC, -pthread: flags that nvcc wants behind -Xcompiler but that are clear without. */
static bool host_flag(const char *word)
{
    return strcmp(word, "-Wall") == 0 || strcmp(word, "-Wextra") == 0 ||
           strcmp(word, "-pthread") == 0 || strcmp(word, "-fPIC") == 0 ||
           strcmp(word, "-static-libstdc++") == 0 || strcmp(word, "-static-libgcc") == 0;
}

int compile_options_take(struct compile_options *o, int argc, char **argv, struct diag_list *diags)
{
    const char *word = argv[0], *value;
    if (word[0] != '-' || !word[1])
        return 0;
    if (strncmp(word, "-Wl,", 4) == 0 || strcmp(word, "-rdynamic") == 0) {
        words_add(&o->arena, &o->inputs, word);
        return 1;
    }
    if (host_flag(word)) {
        words_add(&o->arena, &o->host, word);
        return 1;
    }
    const struct option *opt = find(word, &value);
    if (!opt)
        return 0;
    int taken = 1;
    if (opt->argument != NONE && !value) {
        if (argc < 2) {
            diag_add(diags, DIAG_ERROR, NULL, 0, "'%s' needs a value", word);
            return 1;
        }
        value = argv[1];
        taken = 2;
    }
    size_t n = strlen(word) - (taken == 1 && value ? strlen(value) : 0);
    if (n && word[n - 1] == '=')
        n--;
    struct taking t = {o, diags, arena_strndup(&o->arena, word, n), opt->text};
    opt->take(&t, value);
    return taken;
}

void compile_options_parse(struct compile_options *o, int argc, char **argv,
                           struct diag_list *diags)
{
    for (int i = 0, n; i < argc; i += n) {
        n = compile_options_take(o, argc - i, argv + i, diags);
        if (n)
            continue;
        n = 1;
        if (argv[i][0] == '-' && argv[i][1] && o->forward_unknown)
            words_add(&o->arena, &o->host, argv[i]);
        else if (argv[i][0] == '-' && argv[i][1])
            diag_add(diags, DIAG_ERROR, NULL, 0,
                     "unknown flag '%s'; host flags go behind -Xcompiler, see `heddle build --help`",
                     argv[i]);
        else
            words_add(&o->arena, &o->inputs, argv[i]);
    }
}

void compile_options_help(struct strbuf *out)
{
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *opt = &options[i];
        if (opt->take == opt_warn || opt->take == opt_refuse)
            continue;
        char names[80];
        snprintf(names, sizeof names, "%s%s%s", opt->brief,
                 strcmp(opt->brief, opt->full) ? ", " : "",
                 strcmp(opt->brief, opt->full) ? opt->full : "");
        strbuf_addf(out, "  %-42s %s\n", names, opt->text);
    }
}
