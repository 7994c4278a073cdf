/* libNVVM's interface: modules of LLVM's IR, their compilation, and what comes of it (include/nvvm.h).
 *
 * Modules go into a temporary directory, the first as what `heddle build -ptx` compiles, the others as what it links with it; a
 * child process does it, as for NVRTC. Without a module that is not lazy there is nothing to compile. */
#include "nvvm.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nvrtc/child.h"

struct module {
    char *name;
    struct text ir;
    bool lazy;
};

struct _nvvmProgram {
    uint32_t alive; /* ALIVE */
    struct module *modules;
    int nmodules;
    struct text ptx, log;
};

enum { ALIVE = 0x4e56564d, MAJOR = 2, MINOR = 0, DEBUG_MAJOR = 3, DEBUG_MINOR = 1 };

static bool is_program(nvvmProgram p)
{
    return p && p->alive == ALIVE;
}

#define PROGRAM(p)                                                                                                     \
    if (!is_program(p))                                                                                                \
    return NVVM_ERROR_INVALID_PROGRAM

/* --- general queries --- */

const char *nvvmGetErrorString(nvvmResult result)
{
    switch ((int)result) {
#define NVVM_ROW(name, value)                                                                                          \
    case value:                                                                                                        \
        return #name;
#include "heddle/nvvm_results.def"
#undef NVVM_ROW
    }
    return "NVVM_ERROR unknown";
}

nvvmResult nvvmVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVVM_ERROR_INVALID_INPUT;
    *major = MAJOR;
    *minor = MINOR;
    return NVVM_SUCCESS;
}

nvvmResult nvvmIRVersion(int *majorIR, int *minorIR, int *majorDbg, int *minorDbg)
{
    if (!majorIR || !minorIR || !majorDbg || !minorDbg)
        return NVVM_ERROR_INVALID_INPUT;
    *majorIR = MAJOR;
    *minorIR = MINOR;
    *majorDbg = DEBUG_MAJOR;
    *minorDbg = DEBUG_MINOR;
    return NVVM_SUCCESS;
}

/* --- programs --- */

nvvmResult nvvmCreateProgram(nvvmProgram *prog)
{
    if (!prog)
        return NVVM_ERROR_INVALID_PROGRAM;
    nvvmProgram p = calloc(1, sizeof *p);
    if (!p)
        return NVVM_ERROR_OUT_OF_MEMORY;
    p->alive = ALIVE;
    *prog = p;
    return NVVM_SUCCESS;
}

nvvmResult nvvmDestroyProgram(nvvmProgram *prog)
{
    if (!prog)
        return NVVM_ERROR_INVALID_PROGRAM;
    PROGRAM(*prog);
    for (int i = 0; i < (*prog)->nmodules; i++) {
        free((*prog)->modules[i].name);
        text_release(&(*prog)->modules[i].ir);
    }
    free((*prog)->modules);
    text_release(&(*prog)->ptx);
    text_release(&(*prog)->log);
    (*prog)->alive = 0;
    free(*prog);
    *prog = NULL;
    return NVVM_SUCCESS;
}

static nvvmResult add_module(nvvmProgram p, const char *buffer, size_t size, const char *name, bool lazy)
{
    PROGRAM(p);
    if (!buffer)
        return NVVM_ERROR_INVALID_INPUT;
    struct module *grown = realloc(p->modules, (size_t)(p->nmodules + 1) * sizeof *grown);
    if (!grown)
        return NVVM_ERROR_OUT_OF_MEMORY;
    p->modules = grown;
    struct module m = {.name = strdup(name && *name ? name : "<unnamed>"), .lazy = lazy};
    bool bitcode = size >= 2 && !memcmp(buffer, "BC", 2);
    text_add(&m.ir, buffer, bitcode ? size : strnlen(buffer, size)); /* programs count a text's NUL, too */
    if (!m.name || m.ir.failed) {
        free(m.name);
        text_release(&m.ir);
        return NVVM_ERROR_OUT_OF_MEMORY;
    }
    p->modules[p->nmodules++] = m;
    return NVVM_SUCCESS;
}

nvvmResult nvvmAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size, const char *name)
{
    return add_module(prog, buffer, size, name, false);
}

nvvmResult nvvmLazyAddModuleToProgram(nvvmProgram prog, const char *buffer, size_t size, const char *name)
{
    return add_module(prog, buffer, size, name, true);
}

/* --- options --- */

static const struct option {
    const char *name, *values, *hand;
} known[] = {
#define OPTION(name, values, hand, text) {name, values, hand},
#include "options.def"
#undef OPTION
};

/* One of the words; of the flags of `heddle build` 0 is "false" and 1 is "true". */
static bool allows(const struct option *o, const char *value)
{
    if (!o->values)
        return !strncmp(value, "compute_", 8);
    if (!*o->values)
        return !*value;
    return strlen(value) == 1 && strchr(o->values, *value) && *value != ' ';
}

static void hand_on(const struct option *o, const char *value, struct list *words)
{
    struct text t = {0};
    if (o->hand)
        text_addf(&t, o->hand, !o->values ? value : *value == '1' ? "true" : "false");
    if (t.s)
        list_add(words, t.s);
    words->failed = words->failed || t.failed;
    text_release(&t);
}

static bool read_option(const char *option, struct list *words, struct text *log)
{
    size_t n = strcspn(option, "=");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && !strncmp(option, known[i].name, n)) {
            const char *value = option[n] ? option + n + 1 : "";
            if (!allows(&known[i], value))
                break;
            hand_on(&known[i], value, words);
            return true;
        }
    text_addf(log, "libnvvm : error: %s is an unsupported option\n", option);
    return false;
}

static bool read_options(int n, const char **options, struct list *words, struct text *log)
{
    list_add(words, "-arch=compute_52");
    for (int i = 0; i < n; i++)
        if (!options[i] || !read_option(options[i], words, log))
            return false;
    return true;
}

/* --- compilation --- */

/* The modules as files, the first that is not lazy as what is compiled. */
static bool write_modules(nvvmProgram p, const char *folder, struct list *words)
{
    char path[PATH_MAX];
    int first = 0;
    while (p->modules[first].lazy)
        first++;
    for (int i = 0; i < p->nmodules; i++) {
        const struct module *m = &p->modules[i];
        bool bitcode = m->ir.len >= 2 && !memcmp(m->ir.s, "BC", 2);
        snprintf(path, sizeof path, "%s/%d.%s", folder, i, bitcode ? "bc" : "ll");
        if (!text_write(&m->ir, path))
            return false;
        if (i != first)
            list_add(words, m->lazy ? "--link-ir-needed" : "--link-ir");
        list_add(words, path);
    }
    return true;
}

/* Messages name the modules as the program does. */
static void take_log(nvvmProgram p, const char *said, const char *folder)
{
    size_t n = strlen(folder);
    for (const char *at = said; at && *at;) {
        const char *found = strstr(at, folder);
        text_add(&p->log, at, found ? (size_t)(found - at) : strlen(at));
        if (!found)
            break;
        char *end;
        long i = found[n] == '/' ? strtol(found + n + 1, &end, 10) : -1;
        bool module = i >= 0 && i < p->nmodules && end > found + n + 1 && *end == '.';
        if (module)
            text_addf(&p->log, "%s", p->modules[i].name);
        at = module ? end + 3 : found + n;
    }
}

static nvvmResult compile_in(nvvmProgram p, const char *folder, const struct list *flags, bool keep)
{
    char heddle[PATH_MAX], out[PATH_MAX], said[PATH_MAX];
    struct list words = {0};
    struct text messages = {0};
    snprintf(out, sizeof out, "%s/program.ptx", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    bool there = child_command(heddle, sizeof heddle);
    list_add(&words, heddle);
    list_add(&words, "build");
    list_add(&words, "-ptx");
    for (int i = 0; i < flags->n; i++)
        list_add(&words, flags->v[i]);
    there = there && write_modules(p, folder, &words);
    list_add(&words, "-o");
    list_add(&words, out);
    if (!there)
        text_addf(&p->log, "libnvvm : error: the command 'heddle' is not beside this library, or '%s' cannot be written\n", folder);
    int status = !there || words.failed ? -1 : child_run(&words, said);
    list_release(&words);
    text_read(&messages, said);
    take_log(p, messages.s, folder);
    text_release(&messages);
    if (status < 0)
        return NVVM_ERROR_OUT_OF_MEMORY;
    if (status)
        return keep ? NVVM_ERROR_COMPILATION : NVVM_ERROR_INVALID_IR;
    return !keep || text_read(&p->ptx, out) ? NVVM_SUCCESS : NVVM_ERROR_COMPILATION;
}

static nvvmResult compile(nvvmProgram p, int n, const char **options, bool keep)
{
    char folder[PATH_MAX / 2];
    struct list flags = {0};
    int whole = 0;
    PROGRAM(p);
    if (n < 0 || (n && !options))
        return NVVM_ERROR_INVALID_INPUT;
    text_release(&p->log);
    text_release(&p->ptx);
    for (int i = 0; i < p->nmodules; i++)
        whole += !p->modules[i].lazy;
    if (!whole)
        return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    nvvmResult r = NVVM_ERROR_INVALID_OPTION;
    if (read_options(n, options, &flags, &p->log)) {
        r = NVVM_ERROR_OUT_OF_MEMORY;
        if (child_directory(folder, sizeof folder, "nvvm")) {
            r = compile_in(p, folder, &flags, keep);
            child_remove(folder);
        } else {
            text_addf(&p->log, "libnvvm : error: cannot make '%s': %s; set TMPDIR to another directory\n", folder, strerror(errno));
        }
    }
    list_release(&flags);
    return r;
}

nvvmResult nvvmCompileProgram(nvvmProgram prog, int numOptions, const char **options)
{
    return compile(prog, numOptions, options, true);
}

nvvmResult nvvmVerifyProgram(nvvmProgram prog, int numOptions, const char **options)
{
    return compile(prog, numOptions, options, false);
}

/* --- what came of it --- */

static nvvmResult size_of(const struct text *t, size_t *out)
{
    if (!out)
        return NVVM_ERROR_INVALID_INPUT;
    *out = t->len + 1;
    return NVVM_SUCCESS;
}

static nvvmResult copy(const struct text *t, char *out)
{
    if (!out)
        return NVVM_ERROR_INVALID_INPUT;
    memcpy(out, t->s ? t->s : "", t->len + 1);
    return NVVM_SUCCESS;
}

nvvmResult nvvmGetCompiledResultSize(nvvmProgram prog, size_t *bufferSizeRet)
{
    PROGRAM(prog);
    return size_of(&prog->ptx, bufferSizeRet);
}

nvvmResult nvvmGetCompiledResult(nvvmProgram prog, char *buffer)
{
    PROGRAM(prog);
    return copy(&prog->ptx, buffer);
}

nvvmResult nvvmGetProgramLogSize(nvvmProgram prog, size_t *bufferSizeRet)
{
    PROGRAM(prog);
    return size_of(&prog->log, bufferSizeRet);
}

nvvmResult nvvmGetProgramLog(nvvmProgram prog, char *buffer)
{
    PROGRAM(prog);
    return copy(&prog->log, buffer);
}
