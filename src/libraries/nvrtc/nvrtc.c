/* NVRTC's interface: programs, their compilation, and what comes of it (include/nvrtc.h). A compilation may run on any thread;
 * one program belongs to one thread at a time, as NVRTC has it. */
#include "nvrtc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/blob.h"
#include "compile.h"

struct _nvrtcProgram {
    uint32_t alive; /* ALIVE */
    char *text, *name;
    struct source source;
    bool compiled; /* tried: lowered names may be asked for if it succeeded */
    bool succeeded, real;
    int arch;
    struct text ptx, log;
    struct text image; /* the PTX in it: with a limit of registers, which is the assembler's and stands in no PTX (NVRTC 13.0) */
    struct list lowered;
};

enum { ALIVE = 0x4e565254, MAJOR = 12, MINOR = 4 };

static bool is_program(nvrtcProgram p)
{
    return p && p->alive == ALIVE;
}

#define PROGRAM(p)                                                                                                     \
    if (!is_program(p))                                                                                                \
    return NVRTC_ERROR_INVALID_PROGRAM

/* --- general queries --- */

const char *nvrtcGetErrorString(nvrtcResult result)
{
    switch ((int)result) {
#define NVRTC_ROW(name, value)                                                                                         \
    case value:                                                                                                        \
        return #name;
#include "heddle/nvrtc_results.def"
#undef NVRTC_ROW
    }
    return "NVRTC_ERROR unknown";
}

/* The version of Heddle's headers. */
nvrtcResult nvrtcVersion(int *major, int *minor)
{
    if (!major || !minor)
        return NVRTC_ERROR_INVALID_INPUT;
    *major = MAJOR;
    *minor = MINOR;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs)
{
    if (!numArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    for (*numArchs = 0; options_archs[*numArchs];)
        ++*numArchs;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs)
{
    if (!supportedArchs)
        return NVRTC_ERROR_INVALID_INPUT;
    for (int i = 0; options_archs[i]; i++)
        supportedArchs[i] = options_archs[i];
    return NVRTC_SUCCESS;
}

/* --- programs --- */

static void release(nvrtcProgram p)
{
    free(p->text);
    free(p->name);
    list_release(&p->source.headers);
    list_release(&p->source.includes);
    list_release(&p->source.expressions);
    list_release(&p->lowered);
    text_release(&p->image);
    text_release(&p->ptx);
    text_release(&p->log);
    p->alive = 0;
    free(p);
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames)
{
    if (!prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    if (!src || numHeaders < 0 || (numHeaders && (!headers || !includeNames)))
        return NVRTC_ERROR_INVALID_INPUT;
    nvrtcProgram p = calloc(1, sizeof *p);
    if (!p)
        return NVRTC_ERROR_OUT_OF_MEMORY;
    p->alive = ALIVE;
    p->text = strdup(src);
    p->name = strdup(name && *name ? name : "default_program");
    for (int i = 0; i < numHeaders; i++) {
        list_add(&p->source.headers, headers[i] ? headers[i] : "");
        list_add(&p->source.includes, includeNames[i] ? includeNames[i] : "");
    }
    if (!p->text || !p->name || p->source.headers.failed || p->source.includes.failed) {
        release(p);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    p->source.text = p->text;
    p->source.name = p->name;
    *prog = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
    if (!prog)
        return NVRTC_ERROR_INVALID_PROGRAM;
    PROGRAM(*prog);
    release(*prog);
    *prog = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression)
{
    PROGRAM(prog);
    if (!name_expression)
        return NVRTC_ERROR_INVALID_INPUT;
    if (prog->compiled)
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    list_add(&prog->source.expressions, name_expression);
    return prog->source.expressions.failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression, const char **lowered_name)
{
    PROGRAM(prog);
    if (!name_expression || !lowered_name)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!prog->succeeded)
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (int i = 0; i < prog->lowered.n; i++)
        if (!strcmp(prog->source.expressions.v[i], name_expression) && *prog->lowered.v[i]) {
            *lowered_name = prog->lowered.v[i];
            return NVRTC_SUCCESS;
        }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* --- compilation --- */

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options)
{
    struct options o;
    PROGRAM(prog);
    if (numOptions < 0 || (numOptions && !options))
        return NVRTC_ERROR_INVALID_INPUT;
    text_release(&prog->log);
    text_release(&prog->ptx);
    text_release(&prog->image);
    list_release(&prog->lowered);
    prog->succeeded = false;
    nvrtcResult r = NVRTC_ERROR_INVALID_OPTION;
    if (options_read(&o, numOptions, options, &prog->log)) {
        prog->compiled = true;
        prog->real = o.real;
        prog->arch = atoi(o.arch + 3);
        enum compiled c = compile(&prog->source, &o, &prog->ptx, &prog->lowered, &prog->log);
        compile_limit_registers(&prog->ptx, o.max_registers, &prog->image);
        c = prog->image.failed ? NOT_COMPILED : c;
        prog->succeeded = c == COMPILED;
        r = c == COMPILED ? NVRTC_SUCCESS : c == COMPILED_WITH_ERRORS ? NVRTC_ERROR_COMPILATION : NVRTC_ERROR_INTERNAL_ERROR;
    }
    options_release(&o);
    return r;
}

/* --- what came of it --- */

static nvrtcResult size_of(nvrtcProgram p, size_t bytes, size_t *out)
{
    PROGRAM(p);
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    *out = bytes;
    return NVRTC_SUCCESS;
}

static nvrtcResult copy(nvrtcProgram p, const struct text *t, char *out)
{
    PROGRAM(p);
    if (!out)
        return NVRTC_ERROR_INVALID_INPUT;
    memcpy(out, t->s ? t->s : "", t->len + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
{
    return size_of(prog, is_program(prog) ? prog->ptx.len + 1 : 0, ptxSizeRet);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
    PROGRAM(prog);
    return copy(prog, &prog->ptx, ptx);
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
{
    return size_of(prog, is_program(prog) ? prog->log.len + 1 : 0, logSizeRet);
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
    PROGRAM(prog);
    return copy(prog, &prog->log, log);
}

/* Neither is ever made: options that ask for one are refused. */
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet)
{
    return size_of(prog, 0, LTOIRSizeRet);
}

nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet)
{
    return size_of(prog, 0, optixirSizeRet);
}

/* An image for a real architecture: Heddle's own, which cuModuleLoadData takes (base/blob.h). Its id is made when it is loaded. */
static bool has_image(nvrtcProgram p)
{
    return p->succeeded && p->real && p->ptx.len;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
{
    return size_of(prog, is_program(prog) && has_image(prog) ? sizeof(struct blob_header) + prog->image.len + 1 : 0, cubinSizeRet);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
{
    PROGRAM(prog);
    if (!cubin)
        return NVRTC_ERROR_INVALID_INPUT;
    if (!has_image(prog))
        return NVRTC_SUCCESS;
    struct blob_header h = {.version = BLOB_VERSION, .arch = (uint32_t)prog->arch, .ptx_bytes = prog->image.len};
    memcpy(h.magic, BLOB_MAGIC, sizeof h.magic);
    memcpy(cubin, &h, sizeof h);
    memcpy(cubin + sizeof h, prog->image.s, prog->image.len + 1);
    return NVRTC_SUCCESS;
}
