/* From sources to objects, PTX and programs (see compile.h).
 *
 * In: options. Each .cu file becomes two commands that run at the same time: the device pass writes PTX, the host pass
 * an object with an empty place for the device code; then the PTX goes into that place (object.h). The temporary
 * directory of one call holds everything in between (base/scratch.h). */
#define _GNU_SOURCE /* memmem */
#include "compile/compile.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/diag.h"
#include "base/process.h"
#include "base/scratch.h"
#include "base/store.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "compile/assembly.h"
#include "compile/cache.h"
#include "compile/clang.h"
#include "compile/files.h"
#include "compile/link_line.h"
#include "compile/mangled.h"
#include "compile/mended.h"
#include "compile/messages.h"
#include "compile/nvcc.h"
#include "compile/object.h"
#include "compile/ptxfile.h"
#include "compile/stepping.h"
#include "compile/words.h"

/* One call of compile_build or compile_program. */
struct job {
    struct compile_options *o;
    struct diag_list *diags;
    struct toolchain tools;
    struct store cache;
    struct scratch scratch; /* made when first needed */
    const char *temp;       /* its path */
    struct strbuf deps; /* files that the result depends on */
    int units;
    const char *doing; /* atomic: for the status line, or NULL */
    time_t since;      /* when the job began */
};

enum kind { KIND_CUDA, KIND_CXX, KIND_C, KIND_IR, KIND_LINK, KIND_WORD, KIND_UNKNOWN };

static enum kind kind_by_name(const char *input)
{
    static const struct {
        const char *extension;
        enum kind kind;
    } kinds[] = {{".cu", KIND_CUDA}, {".cpp", KIND_CXX}, {".cc", KIND_CXX}, {".cxx", KIND_CXX},
                 {".C", KIND_CXX},   {".c++", KIND_CXX}, {".ii", KIND_CXX}, {".c", KIND_C}, {".o", KIND_LINK}, {".ll", KIND_IR}, {".bc", KIND_IR},
                 {".a", KIND_LINK},  {".so", KIND_LINK}, {".obj", KIND_LINK}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(file_extension(input), kinds[i].extension) == 0)
            return kinds[i].kind;
    return strstr(input, ".so.") ? KIND_LINK : KIND_UNKNOWN;
}

/* What an input is: a source is what -x says, wherever that stands among the words. */
static enum kind kind_of(const struct compile_options *o, const char *input)
{
    if (input[0] == '-')
        return KIND_WORD;
    enum kind kind = kind_by_name(input);
    if (!o->language || kind == KIND_LINK)
        return kind;
    return strcmp(o->language, "cu") == 0 ? KIND_CUDA : strcmp(o->language, "c") == 0 ? KIND_C : KIND_CXX;
}

/* ---- the status line ---- */

static void doing(struct job *j, const char *what, const char *file)
{
    __atomic_store_n(&j->doing, arena_printf(&j->o->arena, "%s %s", what, file), __ATOMIC_RELEASE);
}

static void say_doing(void *user, struct strbuf *out)
{
    const struct job *j = user;
    const char *what = __atomic_load_n(&j->doing, __ATOMIC_ACQUIRE);
    if (what && time(NULL) > j->since)
        strbuf_addf(out, "heddle: %s, %lld s", what, (long long)(time(NULL) - j->since));
}

/* ---- running commands ---- */

static bool temp_open(struct job *j)
{
    if (j->temp)
        return true;
    if (!scratch_open(&j->scratch)) {
        const char *dir = getenv("TMPDIR");
        diag_add(j->diags, DIAG_ERROR, NULL, 0, "cannot make a temporary directory in '%s': %s; set TMPDIR to another",
                 dir && *dir ? dir : "/tmp", strerror(errno));
        return false;
    }
    j->temp = arena_strdup(&j->o->arena, j->scratch.path);
    return true;
}

/* Starts a command; with -v shows it, with --dryrun only that (then p->pid stays 0). */
static bool start(struct job *j, struct process *p, const struct words *command, bool own_stdout)
{
    memset(p, 0, sizeof *p);
    if (j->o->verbose)
        diag_add(j->diags, DIAG_NOTE, NULL, 0, "%s", words_join(&j->o->arena, command));
    const struct process_start how = {command->v, own_stdout, j->scratch.path ? &j->scratch : NULL};
    if (j->o->dry_run || process_start(p, &how))
        return true;
    diag_add(j->diags, DIAG_ERROR, NULL, 0, "cannot run '%s': %s", command->v[0], strerror(errno));
    return false;
}

enum speaker { CLANG, NVCC, LINKER };

/* Makes diagnostics of what a command said. False if it failed; then there is an error in the list. */
static bool said_well(struct job *j, enum speaker who, int status, const struct strbuf *said, const char *source)
{
    static const char *const names[] = {"clang", "nvcc", "the linker"};
    int errors = j->diags->errors;
    if (who == CLANG)
        messages_add_clang(j->diags, said->s, source, j->temp, j->tools.include);
    else if (who == NVCC)
        messages_add_nvcc(j->diags, said->s, source);
    else
        messages_add_linker(j->diags, said->s, j->temp);
    if (status && j->diags->errors == errors) {
        const char *what = names[who];
        if (status > 128)
            diag_add(j->diags, DIAG_ERROR, source, 0, "%s was ended by signal %d: %s", what,
                     status - 128, messages_fatal(&j->o->arena, said->s));
        else if (!errors)
            diag_add(j->diags, DIAG_ERROR, source, 0, "%s failed with status %d: %s", what, status,
                     messages_fatal(&j->o->arena, said->s));
    }
    return status == 0;
}

/* Waits for a command. */
static bool finish_as(struct job *j, struct process *p, enum speaker who, const char *source)
{
    if (!p->pid)
        return j->o->dry_run;
    struct strbuf said;
    strbuf_init(&said);
    int status = process_wait(p, &said);
    bool well = said_well(j, who, status, &said, source);
    strbuf_release(&said);
    return well;
}

static bool finish(struct job *j, struct process *p, const char *source)
{
    return finish_as(j, p, source ? CLANG : LINKER, source);
}

/* ---- precompiled headers ---- */

static bool cannot_write_cache(struct job *j)
{
    diag_add(j->diags, DIAG_ERROR, NULL, 0, "cannot write to the cache '%s': %s; set HEDDLE_CACHE to another", j->cache.path,
             strerror(errno));
    return false;
}

/* The precompiled headers of both passes, made side by side if they are not there. */
static bool open_headers(struct job *j, bool device, bool host, struct pch *dev, struct pch *hst)
{
    struct arena *a = &j->o->arena;
    struct process p[2];
    struct pch *pch[2] = {dev, hst};
    bool wanted[2] = {device, host}, ok = true;
    memset(p, 0, sizeof p);
    memset(dev, 0, sizeof *dev);
    memset(hst, 0, sizeof *hst);
    if (j->o->dry_run || j->o->dependencies)
        return true;
    if (!temp_open(j))
        return false;
    for (int i = 0; i < 2; i++) {
        struct words flags = {0};
        if (!wanted[i])
            continue;
        clang_pass_flags(&j->tools, j->o, i ? PASS_HOST : PASS_DEVICE, a, &flags);
        cache_find_pch(&j->tools, &j->cache, &flags, arena_printf(a, "%s/%s.pch", j->temp, i ? "host" : "device"), a, pch[i]);
        if (!pch[i]->path)
            ok = start(j, &p[i], &pch[i]->command, false) && ok;
    }
    for (int i = 0; i < 2; i++) {
        if (!p[i].pid)
            continue;
        if (!finish(j, &p[i], "cuda_runtime.h"))
            ok = false;
        else if (!cache_add_pch(a, &j->cache, pch[i]))
            ok = cannot_write_cache(j);
    }
    return ok;
}

static void add_header(struct job *j, const struct pch *p, struct words *w)
{
    struct arena *a = &j->o->arena;
    if (p->path) {
        words_addv(a, w, "-Xclang", "-include-pch", "-Xclang", p->path, NULL);
        strbuf_adds(&j->deps, p->deps);
    } else {
        words_addv(a, w, "-include", "cuda_runtime.h", NULL);
    }
}

/* ---- one source file ---- */

static bool source_is_there(struct job *j, const char *source)
{
    struct stat st;
    if (stat(source, &st) != 0)
        diag_add(j->diags, DIAG_ERROR, source, 0, "cannot read the file: %s", strerror(errno));
    else if (S_ISDIR(st.st_mode))
        diag_add(j->diags, DIAG_ERROR, source, 0, "this is a directory, not a source file");
    else
        return true;
    return false;
}

struct unit {
    const char *source;
    const char *ptx;        /* where the device pass writes, or the user's --device-ptx */
    const char *object;     /* where the host pass writes, NULL: device pass only */
    const char *rules[2];   /* makefile rules of the two passes */
    const char *target;     /* the rule's target, for -MD */
    struct mended_files mended;
    bool references;        /* it names texture<> or surface<>: heddle/texture_reference.h is included */
};

static bool add_rule(struct job *j, const char *rule)
{
    return access(rule, R_OK) != 0 || deps_add_rule(&j->deps, rule, j->cache.path);
}

/* Reads the device code of a unit and checks the user's own. */
static bool read_ptx(struct job *j, const struct unit *u, struct strbuf *ptx, int *arch)
{
    if (!file_read(u->ptx, ptx)) {
        diag_add(j->diags, DIAG_ERROR, u->ptx, 0, "cannot read the PTX file: %s", strerror(errno));
        return false;
    }
    *arch = j->o->arch;
    if (!j->o->device_ptx)
        return true;
    *arch = ptxfile_check(ptx->s ? ptx->s : "", ptx->len, u->ptx, j->diags);
    return *arch != 0 && deps_add(&j->deps, u->ptx);
}

/* Every kernel that the host code launches must be in a PTX file made elsewhere. */
static bool check_kernels(struct job *j, const struct unit *u, const struct strbuf *object,
                          const char *ptx)
{
    struct words kernels = {0};
    if (!object_kernels(&j->o->arena, object, &kernels))
        return false;
    int errors = j->diags->errors;
    for (int i = 0; i < kernels.n; i++)
        if (!ptxfile_has_entry(ptx, kernels.v[i]))
            diag_add(j->diags, DIAG_ERROR, u->ptx, 0,
                     "kernel '%s' of '%s' is not in this PTX file", kernels.v[i], u->source);
    return j->diags->errors == errors;
}

/* nvcc's PTX calls what the file keeps to itself as the host code does. */
static void rename_statics(struct job *j, const struct strbuf *object, struct strbuf *ptx)
{
    struct words names = {0};
    if (object_kernels(&j->o->arena, object, &names) && object_own_variables(&j->o->arena, object, &names))
        mangled_rename(ptx, &names);
}

/* -G: the twins of the device code's functions go into the object (stepping.h), by way of the linker. */
static bool add_twins(struct job *j, const struct unit *u, const struct strbuf *ptx)
{
    struct arena *a = &j->o->arena;
    struct words assemble = {0}, join = {0};
    struct process p;
    struct strbuf text;
    const char *source = arena_printf(a, "%s/twins.s", j->temp), *object = arena_printf(a, "%s/twins.o", j->temp);
    const char *joined = arena_printf(a, "%s/joined.o", j->temp);
    strbuf_init(&text);
    bool ok = stepping_write(ptx->s, ptx->len, hash_bytes(HASH_START, ptx->s, ptx->len), j->tools.include, &text, j->diags);
    if (ok && !file_write(source, text.s, text.len)) {
        diag_add(j->diags, DIAG_ERROR, source, 0, "cannot write the file: %s", strerror(errno));
        ok = false;
    }
    strbuf_release(&text);
    words_addv(a, &assemble, j->tools.clang, "-c", source, "-o", object, NULL);
    words_addv(a, &join, j->tools.clang, "-r", "-nostdlib", u->object, object, "-o", joined, NULL);
    ok = ok && start(j, &p, &assemble, false) && finish(j, &p, NULL) && start(j, &p, &join, false) && finish(j, &p, NULL);
    struct strbuf whole;
    strbuf_init(&whole);
    if (ok && !(file_read(joined, &whole) && file_write(u->object, whole.s, whole.len))) {
        diag_add(j->diags, DIAG_ERROR, u->object, 0, "cannot write the file: %s", strerror(errno));
        ok = false;
    }
    strbuf_release(&whole);
    return ok;
}

/* The PTX with its header (base/blob.h). */
static void make_blob(const struct compile_options *o, const struct strbuf *ptx, int arch, struct strbuf *blob)
{
    struct blob_header h = {.magic = {0}, .version = BLOB_VERSION, .arch = (uint32_t)arch, .ptx_bytes = ptx->len,
                            .id = hash_bytes(HASH_START, ptx->s, ptx->len), .relocatable = o->relocatable};
    memcpy(h.magic, BLOB_MAGIC, sizeof h.magic);
    strbuf_add(blob, (const char *)&h, sizeof h);
    strbuf_add(blob, ptx->s, ptx->len + 1);
}

/* Puts the PTX into the object as its device code. */
static bool embed(struct job *j, const struct unit *u)
{
    struct strbuf ptx, object, blob;
    bool found = false;
    int arch = 0;
    strbuf_init(&ptx);
    strbuf_init(&object);
    strbuf_init(&blob);
    bool ok = read_ptx(j, u, &ptx, &arch);
    if (ok)
        compile_assembler_flags(j->o, &ptx);
    if (ok && !file_read(u->object, &object)) {
        diag_add(j->diags, DIAG_ERROR, u->source, 0, "cannot read its object: %s", strerror(errno));
        ok = false;
    }
    if (ok && j->o->by_nvcc)
        rename_statics(j, &object, &ptx);
    if (ok) {
        make_blob(j->o, &ptx, arch, &blob);
        ok = (!j->o->device_ptx && !j->o->by_nvcc) || check_kernels(j, u, &object, ptx.s);
    }
    bool cpp = j->o->stage == COMPILE_CPP;
    if (ok && !((cpp ? assembly_to_cpp(&object, u->source, blob.s, blob.len)
                     : object_set_device_code(&object, blob.s, blob.len, &found) && object_register_first(&object)) &&
                file_write(u->object, object.s, object.len))) {
        diag_add(j->diags, DIAG_ERROR, u->source, 0,
                 "cannot put the device code into '%s': it is not %s as clang-19 makes it, "
                 "or cannot be written (%s)", u->object, cpp ? "assembly" : "an object", strerror(errno));
        ok = false;
    }
    if (ok && found && j->o->debug_device && !j->o->device_ptx && !j->o->by_nvcc)
        ok = add_twins(j, u, &ptx);
    strbuf_release(&ptx);
    strbuf_release(&object);
    strbuf_release(&blob);
    return ok;
}

/* -ptx of LLVM's IR. What is linked with it becomes bitcode first, which is what clang links. */
static bool compile_ir(struct job *j, const char *source, const char *ptx)
{
    struct arena *a = &j->o->arena;
    struct words w = {0};
    struct process p;
    if (!source_is_there(j, source) || !temp_open(j))
        return false;
    clang_ir_flags(&j->tools, j->o, a, &w);
    for (int i = 0; i < j->o->link_ir.n + j->o->link_ir_needed.n; i++) {
        bool whole = i < j->o->link_ir.n;
        const char *file = whole ? j->o->link_ir.v[i] : j->o->link_ir_needed.v[i - j->o->link_ir.n];
        const char *bitcode = arena_printf(a, "%s/%d.bc", j->temp, i);
        struct words convert = {0};
        words_addv(a, &convert, j->tools.clang, "-fno-color-diagnostics", "-Wno-override-module", "-x", "ir", "--target=nvptx64-nvidia-cuda",
                   "-emit-llvm", "-c", file, "-o", bitcode, NULL);
        if (!source_is_there(j, file) || !start(j, &p, &convert, false) || !finish(j, &p, file))
            return false;
        words_addv(a, &w, "-Xclang", whole ? "-mlink-bitcode-file" : "-mlink-builtin-bitcode", "-Xclang", bitcode, NULL);
    }
    words_addv(a, &w, "-S", source, "-o", ptx, NULL);
    return start(j, &p, &w, strcmp(ptx, "-") == 0) && finish(j, &p, source);
}

static const char *placeholder(struct job *j)
{
    const char *path = arena_printf(&j->o->arena, "%s/blob", j->temp);
    if (access(path, R_OK) != 0 && !file_write(path, BLOB_MAGIC, 8))
        diag_add(j->diags, DIAG_ERROR, NULL, 0, "cannot write '%s': %s", path, strerror(errno));
    return path;
}

static void add_source(struct job *j, const struct unit *u, enum pass pass, struct words *w)
{
    struct arena *a = &j->o->arena;
    if (u->references)
        words_addv(a, w, "-include", "heddle/texture_reference.h", NULL);
    mended_words(&u->mended, pass, a, w);
    words_add(a, w, u->source);
}

/* Device code for a file: who loads it looks for static variables, too (plugin_statics.cpp). Of several files' (-rdc=true) each
 * has its own, and the caller's buffer is to show what a whole program has. */
static bool stands_alone(const struct job *j, const struct unit *u)
{
    return !u->object && !j->o->ptx && !j->o->relocatable && j->tools.plugin;
}

/* The PTX as if it had gone through the vendor's assembler with --fmad false. On its way to standard output it stays as it is. */
static bool round_ptx(struct job *j, const struct unit *u)
{
    struct strbuf ptx;
    strbuf_init(&ptx);
    bool ok = file_read(u->ptx, &ptx);
    if (ok)
        ptxfile_round(&ptx);
    ok = ok && file_write(u->ptx, ptx.s ? ptx.s : "", ptx.len);
    if (!ok)
        diag_add(j->diags, DIAG_ERROR, u->ptx, 0, "cannot read and write it: %s", strerror(errno));
    strbuf_release(&ptx);
    return ok;
}

/* Both passes over a .cu file, and the device code into the object. */
static bool run_passes(struct job *j, const struct unit *u)
{
    struct arena *a = &j->o->arena;
    struct pch dev, host;
    struct process p[2];
    const char *nvcc = j->o->by_nvcc ? nvcc_find(a, j->diags) : NULL;
    bool device = !j->o->device_ptx && !j->o->by_nvcc, ok = true;
    memset(p, 0, sizeof p);
    if ((j->o->by_nvcc && !nvcc) || !open_headers(j, device, u->object != NULL, &dev, &host))
        return false;
    if (nvcc) {
        struct words w = {0};
        nvcc_command(j->o, nvcc, u->source, u->ptx, a, &w);
        ok = deps_add(&j->deps, nvcc) && start(j, &p[0], &w, strcmp(u->ptx, "-") == 0);
    }
    if (device) {
        struct words w = {0};
        clang_pass_flags(&j->tools, j->o, PASS_DEVICE, a, &w);
        add_header(j, &dev, &w);
        clang_user_flags(j->o, a, &w);
        if (stands_alone(j, u))
            words_addv(a, &w, "-mllvm", "-heddle-device-alone", NULL);
        add_source(j, u, PASS_DEVICE, &w);
        words_addv(a, &w, "-S", "-MD", "-MF", u->rules[0], "-o", u->ptx, NULL);
        ok = start(j, &p[0], &w, strcmp(u->ptx, "-") == 0);
    }
    if (u->object) {
        struct words w = {0};
        clang_pass_flags(&j->tools, j->o, PASS_HOST, a, &w);
        add_header(j, &host, &w);
        clang_user_flags(j->o, a, &w);
        words_addv(a, &w, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", placeholder(j),
                   j->o->stage == COMPILE_CPP ? "-S" : "-c", "-MD", "-MF", u->rules[1], "-MT", u->target, "-o", u->object, NULL);
        if (j->o->stage == COMPILE_CPP)
            words_add(a, &w, "-fno-addrsig"); /* a directive that GNU's assembler does not know */
        add_source(j, u, PASS_HOST, &w);
        ok = start(j, &p[1], &w, false) && ok;
    }
    if (p[0].pid)
        ok = finish_as(j, &p[0], nvcc ? NVCC : CLANG, u->source) && ok;
    if (p[1].pid)
        ok = finish(j, &p[1], u->source) && ok;
    if (!ok || j->o->dry_run)
        return ok;
    ok = add_rule(j, u->rules[0]) && add_rule(j, u->rules[1]);
    if (!ok)
        diag_add(j->diags, DIAG_ERROR, u->source, 0, "a file that it includes cannot be read again");
    if (ok && !j->o->device_ptx && (j->o->no_fmad || j->o->debug_device) && strcmp(u->ptx, "-"))
        ok = round_ptx(j, u);
    return ok && (!u->object || embed(j, u));
}

static bool names_references(const struct diag_list *l)
{
    for (const struct diag *d = l->first; d; d = d->next)
        if (strstr(d->text, "no template named 'texture'") || strstr(d->text, "no template named 'surface'"))
            return true;
    return false;
}

static void pass_on(struct diag_list *to, const struct diag_list *from)
{
    int kept = 0;
    for (const struct diag *d = from->first; d; d = d->next, kept++) {
        const char *file = d->file ? arena_strdup(&to->arena, d->file) : NULL;
        struct diag *copy = diag_add(to, d->severity, file, d->line, "%s", d->text);
        copy->column = d->column;
        copy->ptx_line = d->ptx_line;
        copy->source = d->source ? arena_strdup(&to->arena, d->source) : NULL;
    }
    to->count += from->count - kept; /* beyond the limit: only counted */
}

/* CUDA 12 has no texture references, and newer programs may use the name for something of their own: so a file gets them
 * only if it does not compile for want of them. */
static bool compile_cuda(struct job *j, struct unit *u)
{
    struct diag_list *all = j->diags, first;
    diag_init(&first);
    first.limit = all->limit;
    j->diags = &first;
    bool ok = run_passes(j, u);
    j->diags = all;
    u->references = !ok && names_references(&first);
    if (u->references)
        ok = run_passes(j, u);
    else
        pass_on(all, &first);
    diag_release(&first);
    return ok;
}

static bool compile_cxx(struct job *j, const struct unit *u, enum pass pass)
{
    struct arena *a = &j->o->arena;
    struct process p;
    struct words w = {0};
    clang_pass_flags(&j->tools, j->o, pass, a, &w);
    clang_user_flags(j->o, a, &w);
    words_addv(a, &w, "-c", "-MD", "-MF", u->rules[1], "-MT", u->target, u->source, "-o", u->object,
               NULL);
    return start(j, &p, &w, false) && finish(j, &p, u->source) &&
           (j->o->dry_run || add_rule(j, u->rules[1]));
}

static bool preprocess(struct job *j, const char *source, enum kind kind)
{
    struct arena *a = &j->o->arena;
    struct process p;
    struct words w = {0};
    enum pass pass = kind == KIND_CUDA ? PASS_HOST : kind == KIND_C ? PASS_C : PASS_CXX;
    clang_pass_flags(&j->tools, j->o, pass, a, &w);
    if (kind == KIND_CUDA)
        words_addv(a, &w, "-include", "cuda_runtime.h", NULL);
    clang_user_flags(j->o, a, &w);
    words_addv(a, &w, "-E", source, "-o", j->o->output ? j->o->output : "-", NULL);
    return start(j, &p, &w, true) && finish(j, &p, source);
}

/* -M, -MM, -MD and -MMD: what the host pass reads of a source, as a makefile rule to a file, "-" is stdout. */
static bool write_rule(struct job *j, const char *source, enum kind kind, const char *target, const char *to)
{
    struct arena *a = &j->o->arena;
    struct process p;
    struct words w = {0};
    clang_pass_flags(&j->tools, j->o, kind == KIND_CUDA ? PASS_HOST : kind == KIND_C ? PASS_C : PASS_CXX, a, &w);
    if (kind == KIND_CUDA)
        words_addv(a, &w, "-include", "cuda_runtime.h", NULL);
    clang_user_flags(j->o, a, &w);
    words_addv(a, &w, j->o->dep_user_only ? "-MM" : "-M", "-MT", target, "-MF", to, NULL);
    if (j->o->dep_targets)
        words_add(a, &w, "-MP");
    words_add(a, &w, source);
    return start(j, &p, &w, true) && finish(j, &p, source);
}

/* Compiles one input; `object` NULL: only PTX, to `ptx`. */
static bool compile_unit(struct job *j, const char *source, enum kind kind, const char *object,
                         const char *ptx)
{
    struct arena *a = &j->o->arena;
    int id = j->units++;
    if (!source_is_there(j, source) || !temp_open(j))
        return false;
    doing(j, "compiling", source);
    if (j->o->device_ptx && !compile_check_ptx(j->o->device_ptx, j->diags))
        return false;
    struct unit u = {.source = source, .object = object};
    u.ptx = j->o->device_ptx ? j->o->device_ptx
            : ptx            ? ptx
                             : arena_printf(a, "%s/%d.ptx", j->temp, id);
    u.rules[0] = arena_printf(a, "%s/%d.device.d", j->temp, id);
    u.rules[1] = arena_printf(a, "%s/%d.host.d", j->temp, id);
    u.target = j->o->dep_target ? j->o->dep_target
               : j->o->output   ? j->o->output
                                : arena_printf(a, "%s.o", file_stem(a, source));
    bool ok = kind == KIND_CUDA ? mend_files(j->o, source, j->temp, j->units, a, &u.mended, j->diags) && compile_cuda(j, &u)
                                : compile_cxx(j, &u, kind == KIND_C ? PASS_C : PASS_CXX);
    if (ok && j->o->resources && j->o->device_code && kind == KIND_CUDA && !j->o->dry_run) {
        struct strbuf text;
        strbuf_init(&text);
        if (file_read(u.ptx, &text)) {
            compile_assembler_flags(j->o, &text);
            j->o->device_code(text.s ? text.s : "", text.len, j->o->arch, j->o->device_code_user);
        } else {
            diag_add(j->diags, DIAG_ERROR, u.ptx, 0, "cannot read it: %s", strerror(errno));
        }
        strbuf_release(&text);
    }
    if (ok && j->o->keep && kind == KIND_CUDA && object && !j->o->dry_run) {
        struct strbuf text;
        strbuf_init(&text);
        const char *kept = arena_printf(a, "%s%s%s.ptx", j->o->keep_dir ? j->o->keep_dir : "", j->o->keep_dir ? "/" : "",
                                        file_stem(a, source));
        if (!file_read(u.ptx, &text) || !file_write(kept, text.s, text.len))
            diag_add(j->diags, DIAG_ERROR, kept, 0, "cannot write it: %s", strerror(errno));
        strbuf_release(&text);
    }
    if (ok && j->o->dependencies)
        ok = write_rule(j, source, kind, u.target,
                        j->o->dep_file ? j->o->dep_file
                                       : arena_printf(a, "%s.d", file_stem(a, j->o->output ? j->o->output : u.target)));
    return ok;
}

/* ---- jobs ---- */

static bool job_open(struct job *j, struct compile_options *o, struct diag_list *diags)
{
    memset(j, 0, sizeof *j);
    j->o = o;
    j->diags = diags;
    strbuf_init(&j->deps);
    strbuf_adds(&j->deps, "");
    j->since = time(NULL);
    status_begin(say_doing, j);
    if (!toolchain_open(&j->tools, diags))
        return false;
    return cache_open(&j->cache, diags);
}

static void job_close(struct job *j)
{
    status_end();
    scratch_close(&j->scratch);
    strbuf_release(&j->deps);
    store_close(&j->cache);
    toolchain_close(&j->tools);
}

/* False: clang is to do it, which says what is wrong, too. */
static bool link_without_clang(struct job *j, const struct link_line *line)
{
    struct words linker = {0};
    struct process p;
    struct strbuf said;
    if (!link_line_find(&j->tools, &j->cache, line, &j->o->arena, &linker) || access(linker.v[0], X_OK) != 0 ||
        !start(j, &p, &linker, false))
        return false;
    strbuf_init(&said);
    bool linked = process_wait(&p, &said) == 0;
    if (linked)
        messages_add_linker(j->diags, said.s, j->temp);
    strbuf_release(&said);
    return linked;
}

static bool link_and_learn(struct job *j, const struct link_line *line)
{
    struct arena *a = &j->o->arena;
    struct words w = {0};
    struct process p;
    struct strbuf said, rest;
    words_append(a, &w, line->command);
    words_add(a, &w, "-v");
    if (!start(j, &p, &w, false))
        return false;
    strbuf_init(&said);
    strbuf_init(&rest);
    int status = process_wait(&p, &said);
    strbuf_adds(&rest, link_line_learn(&j->tools, &j->cache, line, a, said.s, status == 0));
    bool linked = said_well(j, LINKER, status, &rest, NULL);
    strbuf_release(&rest);
    strbuf_release(&said);
    return linked;
}

static bool link_program(struct job *j, const char *output, const struct words *objects)
{
    struct arena *a = &j->o->arena;
    struct words w = {0};
    struct process p;
    doing(j, "linking", output);
    const char *library = arena_printf(a, "%s/libheddle-cudart.so", j->tools.lib);
    if (access(library, R_OK) != 0 && !j->o->dry_run) {
        diag_add(j->diags, DIAG_ERROR, NULL, 0,
                 "Heddle's library '%s' is not there: %s; is the installation complete?", library,
                 strerror(errno));
        return false;
    }
    clang_link(&j->tools, j->o, output, a, &w, objects);
    if (j->o->verbose || j->o->dry_run)
        return start(j, &p, &w, false) && finish(j, &p, NULL);
    const struct link_line line = {&w, j->temp, output};
    return link_without_clang(j, &line) || link_and_learn(j, &line);
}

/* Does an archive hold device code that is joined with other files'? The host's linker takes of an archive only what
 * host code asks for, and device code may ask for more. */
static bool has_relocatable_code(const char *archive)
{
    struct strbuf b;
    strbuf_init(&b);
    bool found = false;
    if (file_read(archive, &b)) {
        const char *at = b.s, *end = b.s + b.len;
        while (!found && (at = memmem(at, (size_t)(end - at), BLOB_MAGIC, strlen(BLOB_MAGIC)))) {
            struct blob_header h;
            if ((size_t)(end - at) < sizeof h)
                break;
            memcpy(&h, at, sizeof h);
            found = h.version == BLOB_VERSION && h.relocatable;
            at++;
        }
    }
    strbuf_release(&b);
    return found;
}

/* The archive that -lNAME finds in the -L directories before it, or NULL. */
static const char *archive_of(struct job *j, const struct words *inputs, int word)
{
    for (int i = 0; i < word; i++)
        if (strncmp(inputs->v[i], "-L", 2) == 0) {
            const char *path = arena_printf(&j->o->arena, "%s/lib%s.a", inputs->v[i] + 2, inputs->v[word] + 2);
            if (access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

static void add_archive(struct job *j, struct words *objects, const char *word, const char *archive)
{
    bool whole = archive && has_relocatable_code(archive);
    if (whole)
        words_add(&j->o->arena, objects, "-Wl,--whole-archive");
    words_add(&j->o->arena, objects, word);
    if (whole)
        words_add(&j->o->arena, objects, "-Wl,--no-whole-archive");
}

static bool refuse_ir(struct job *j, const char *input)
{
    diag_add(j->diags, DIAG_ERROR, input, 0, "LLVM's IR becomes PTX only: give -ptx");
    return false;
}

/* Compiles the inputs that need it to objects in the temporary directory; all that goes to the linker in order. */
static bool make_objects(struct job *j, const char *only, struct words *objects)
{
    struct arena *a = &j->o->arena;
    bool ok = true;
    for (int i = only ? -1 : 0; i < j->o->inputs.n; i++) {
        const char *input = i < 0 ? only : j->o->inputs.v[i];
        enum kind kind = kind_of(j->o, input);
        if (kind == KIND_WORD) {
            add_archive(j, objects, input, strncmp(input, "-l", 2) == 0 ? archive_of(j, &j->o->inputs, i) : NULL);
            if (strcmp(input, "-Xlinker") == 0)
                words_add(a, objects, j->o->inputs.v[++i]);
            continue;
        }
        if (i < 0 && kind == KIND_UNKNOWN)
            kind = KIND_CUDA;
        if (kind == KIND_IR && !refuse_ir(j, input))
            return false;
        if (kind == KIND_LINK) {
            if (!source_is_there(j, input) || !deps_add(&j->deps, input))
                ok = false;
            add_archive(j, objects, input, strcmp(file_extension(input), ".a") == 0 ? input : NULL);
            continue;
        }
        if (!temp_open(j))
            return false;
        const char *object = arena_printf(a, "%s/%d.o", j->temp, j->units);
        ok = compile_unit(j, input, kind, object, NULL) && ok;
        words_add(a, objects, object);
    }
    return ok;
}

/* -dlink: what stands for the joined device code in nvcc's way of building, but nothing is in it here. */
static bool make_device_link(struct job *j)
{
    struct words w = {0};
    struct process p;
    words_addv(&j->o->arena, &w, j->tools.clang, "-x", "c", "/dev/null", "-c", "-o",
               j->o->output ? j->o->output : "a_dlink.o", NULL);
    return start(j, &p, &w, false) && finish(j, &p, NULL);
}

/* -lib */
static bool make_library(struct job *j)
{
    struct words w = {0}, objects = {0};
    struct process p;
    const char *output = j->o->output ? j->o->output : "a.a";
    if (!make_objects(j, NULL, &objects))
        return false;
    if (!j->o->dry_run)
        unlink(output); /* ar would add to it */
    words_addv(&j->o->arena, &w, "ar", "rcs", output, NULL);
    for (int i = 0; i < objects.n; i++)
        if (objects.v[i][0] != '-')
            words_add(&j->o->arena, &w, objects.v[i]);
    return start(j, &p, &w, false) && finish(j, &p, NULL);
}

/* -ptx: to a file, or to the caller's buffer. */
static bool make_ptx(struct job *j, const char *input)
{
    struct arena *a = &j->o->arena;
    if (!j->o->ptx)
        return compile_unit(j, input, KIND_CUDA, NULL,
                            j->o->output ? j->o->output : arena_printf(a, "%s.ptx", file_stem(a, input)));
    if (!temp_open(j))
        return false;
    const char *path = arena_printf(a, "%s/device.ptx", j->temp);
    if (!compile_unit(j, input, KIND_CUDA, NULL, path))
        return false;
    if (j->o->dry_run)
        return true;
    if (file_read(path, j->o->ptx)) {
        compile_assembler_flags(j->o, j->o->ptx);
        return true;
    }
    diag_add(j->diags, DIAG_ERROR, path, 0, "cannot read it: %s", strerror(errno));
    return false;
}

/* What asked for the device code alone. */
static const char *flag_of(const struct compile_options *o)
{
    return o->stage == COMPILE_PTX ? "-ptx" : o->stage == COMPILE_CPP ? "-cuda" : !strcmp(o->image, ".cubin") ? "-cubin" : "-fatbin";
}

/* -cubin, -fatbin */
static bool make_image(struct job *j, const char *input)
{
    struct arena *a = &j->o->arena;
    const char *output = j->o->output ? j->o->output : arena_printf(a, "%s%s", file_stem(a, input), j->o->image);
    struct strbuf ptx, blob;
    if (!temp_open(j))
        return false;
    const char *path = arena_printf(a, "%s/device.ptx", j->temp);
    if (!compile_unit(j, input, KIND_CUDA, NULL, path))
        return false;
    if (j->o->dry_run)
        return true;
    strbuf_init(&ptx);
    strbuf_init(&blob);
    bool ok = file_read(path, &ptx);
    if (ok) {
        compile_assembler_flags(j->o, &ptx);
        make_blob(j->o, &ptx, j->o->arch, &blob);
    }
    ok = ok && file_write(output, blob.s, blob.len);
    if (!ok)
        diag_add(j->diags, DIAG_ERROR, output, 0, "cannot write it: %s", strerror(errno));
    strbuf_release(&ptx);
    strbuf_release(&blob);
    return ok;
}

/* -c, -ptx, -cubin, -cuda, -E and -M: one result for each input. */
static bool make_each(struct job *j)
{
    struct arena *a = &j->o->arena;
    struct compile_options *o = j->o;
    bool ok = true;
    for (int i = 0; i < o->inputs.n; i++) {
        const char *input = o->inputs.v[i], *stem = file_stem(a, input);
        enum kind kind = kind_of(o, input);
        if (kind == KIND_WORD) {
            i += strcmp(input, "-Xlinker") == 0;
            continue;
        }
        if (kind == KIND_LINK)
            continue;
        if (o->stage == COMPILE_PREPROCESS) {
            ok = source_is_there(j, input) && preprocess(j, input, kind) && ok;
        } else if (o->stage == COMPILE_RULES) {
            ok = source_is_there(j, input) &&
                 write_rule(j, input, kind, o->dep_target ? o->dep_target : arena_printf(a, "%s.o", stem),
                            o->dep_file ? o->dep_file : o->output ? o->output : "-") && ok;
        } else if (kind == KIND_IR) {
            ok = (o->stage == COMPILE_PTX && !o->ptx) ? compile_ir(j, input, o->output ? o->output : arena_printf(a, "%s.ptx", stem)) && ok
                                                       : refuse_ir(j, input);
        } else if (kind != KIND_CUDA && (o->stage == COMPILE_PTX || o->stage == COMPILE_CPP || o->stage == COMPILE_IMAGE)) {
            diag_add(j->diags, DIAG_ERROR, input, 0, "%s needs a .cu file", flag_of(o));
        } else if (o->stage == COMPILE_IMAGE) {
            ok = make_image(j, input) && ok;
        } else if (o->stage == COMPILE_PTX) {
            ok = make_ptx(j, input) && ok;
        } else if (o->stage == COMPILE_CPP) {
            ok = compile_unit(j, input, kind, o->output ? o->output : arena_printf(a, "%s.cu.cpp.ii", stem), NULL) && ok;
        } else {
            const char *object = o->output ? o->output : arena_printf(a, "%s.o", stem);
            ok = compile_unit(j, input, kind, object, NULL) && ok;
        }
    }
    return ok;
}

/* Are there inputs, and do they and the flags go together? */
static bool check_inputs(const struct compile_options *o, struct diag_list *diags)
{
    int sources = 0, files = 0, cuda = 0, errors = diags->errors;
    for (int i = 0; i < o->inputs.n; i++) {
        const char *input = o->inputs.v[i];
        enum kind kind = kind_of(o, input);
        if (kind == KIND_WORD) {
            i += strcmp(input, "-Xlinker") == 0;
            continue;
        }
        files++;
        cuda += kind == KIND_CUDA;
        sources += kind != KIND_LINK;
        if (kind == KIND_UNKNOWN)
            diag_add(diags, DIAG_ERROR, input, 0, "%s",
                     strcmp(file_extension(input), ".ptx") == 0
                         ? "PTX files go behind --device-ptx"
                         : "what kind of file is this? known are .cu .cpp .cc .cxx .ii .c .ll .bc .o .a .so; "
                           "-x cu makes it CUDA");
    }
    if (!files)
        diag_add(diags, DIAG_ERROR, NULL, 0, "no input file");
    bool each = o->stage != COMPILE_PROGRAM && o->stage != COMPILE_LIBRARY && o->stage != COMPILE_LINK_DEVICE;
    if (o->output && each && sources > 1)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "'-o %s' cannot name the results of %d inputs: leave it out or link them",
                 o->output, sources);
    if (o->device_ptx && cuda > 1)
        diag_add(diags, DIAG_ERROR, NULL, 0,
                 "'--device-ptx' goes with one .cu file, not %d: compile them apart with -c", cuda);
    if (o->device_ptx && o->by_nvcc)
        diag_add(diags, DIAG_ERROR, NULL, 0, "'--device-ptx' and '--front-end nvcc' do not go together");
    if (o->device_ptx && (o->stage == COMPILE_PTX || o->stage == COMPILE_CPP || o->stage == COMPILE_IMAGE))
        diag_add(diags, DIAG_ERROR, NULL, 0, "'--device-ptx' and '%s' do not go together", flag_of(o));
    return diags->errors == errors;
}

bool compile_build(struct compile_options *o, struct diag_list *diags)
{
    struct job j;
    if (diags->errors || !check_inputs(o, diags))
        return false;
    bool ok = job_open(&j, o, diags);
    if (ok && o->stage == COMPILE_PROGRAM) {
        struct words objects = {0};
        ok = make_objects(&j, NULL, &objects) &&
             link_program(&j, o->output ? o->output : "a.out", &objects);
    } else if (ok && o->stage == COMPILE_LINK_DEVICE) {
        ok = make_device_link(&j);
    } else if (ok && o->stage == COMPILE_LIBRARY) {
        ok = make_library(&j);
    } else if (ok) {
        ok = make_each(&j);
    }
    job_close(&j);
    return ok && !diags->errors;
}

/* ---- programs in the cache ---- */

/* -I DIR, -isystem DIR, -include FILE */
static bool all_absolute(const struct words *search)
{
    for (int i = 1; i < search->n; i += 2)
        if (search->v[i][0] != '/')
            return false;
    return true;
}

/* Can the program be another in another folder? Paths may be relative, and the host's debug information names the folder. */
static bool depends_on_folder(const struct compile_options *o, const char *file)
{
    return file[0] != '/' || o->inputs.n || o->host.n || o->debug_host || o->debug_device || o->by_nvcc ||
           (o->device_ptx && o->device_ptx[0] != '/') || !all_absolute(&o->search);
}

static struct hash128 program_key(struct job *j, const char *file)
{
    struct compile_options *o = j->o;
    struct words w = {0};
    char here[4096];
    clang_pass_flags(&j->tools, o, PASS_DEVICE, &o->arena, &w);
    clang_pass_flags(&j->tools, o, PASS_HOST, &o->arena, &w);
    clang_user_flags(o, &o->arena, &w);
    words_append(&o->arena, &w, &o->inputs);
    words_addv(&o->arena, &w, depends_on_folder(o, file) && getcwd(here, sizeof here) ? here : "", file,
               o->device_ptx ? o->device_ptx : "", o->shared ? "shared" : "", o->relocatable ? "rdc" : "",
               o->load_cache ? o->load_cache : "", arena_printf(&o->arena, "%d", o->max_registers), o->by_nvcc ? "nvcc" : "", o->language ? o->language : "", NULL);
    return cache_key(&j->tools, &w);
}

/* Files may be stamped with the time of the last tick (4 ms), so a file written just after this moment may look
 * older; clang takes longer than that to open it, and reads the new content. */
static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static const char *make_program(struct job *j, const char *file, const struct hash128 *key)
{
    struct arena *a = &j->o->arena;
    struct words objects = {0};
    int64_t started = now();
    if (!make_objects(j, file, &objects))
        return NULL;
    const char *name = file_stem(a, file), *linked = arena_printf(a, "%s/%s.program", j->temp, name);
    if (!link_program(j, linked, &objects) || j->o->dry_run)
        return NULL;
    /* a file that was saved meanwhile may not be the one that clang read */
    const char *deps = deps_written_since(j->deps.s, started) ? NULL : j->deps.s;
    const char *exe = cache_add_program(a, &j->cache, key, deps, linked, name);
    if (!exe)
        cannot_write_cache(j);
    return exe;
}

/* A program or object file by its first bytes. */
static bool is_elf(const char *file)
{
    char magic[4] = "";
    FILE *f = fopen(file, "re");
    bool elf = f && fread(magic, 1, sizeof magic, f) == sizeof magic && !memcmp(magic, "\177ELF", 4);
    if (f)
        fclose(f);
    return elf;
}

const char *compile_program(struct compile_options *o, const char *file, struct diag_list *diags)
{
    struct job j;
    if (diags->errors)
        return NULL;
    const char *exe = NULL;
    bool ok = job_open(&j, o, diags);
    if (o->stage != COMPILE_PROGRAM || o->shared) {
        diag_add(diags, DIAG_ERROR, NULL, 0, "-c, -dc, -ptx, -E, -dlink, -lib and -shared make no program to run");
        ok = false;
    }
    if (ok && source_is_there(&j, file)) {
        enum kind kind = kind_of(o, file);
        if (kind == KIND_LINK)
            diag_add(diags, DIAG_ERROR, file, 0, "this is not a source file: link it with "
                     "`heddle build`");
        else if (is_elf(file))
            diag_add(diags, DIAG_ERROR, file, 0, "this is not a source file but a program: start it as it is, or "
                     "with `heddle profile`");
        else {
            struct hash128 key = program_key(&j, file);
            exe = o->dry_run || o->resources ? NULL : cache_find_program(&o->arena, &j.cache, &key);
            if (!exe)
                exe = make_program(&j, file, &key);
        }
    }
    job_close(&j);
    return diags->errors ? NULL : exe;
}
