/* A compilation runs the command `heddle`, which lies beside this library, as a child: clang, its messages and its temporary
 * files stay out of the program's process, and what `heddle build` can do NVRTC can do.
 *
 * The text goes into a temporary directory, with the headers that were given as strings in a folder that is searched first.
 * Behind the text stands a variable for each name expression, which holds the address of what is meant: so templates are
 * instantiated, and the PTX says their names. Those lines are taken out of the PTX again. */
#define _GNU_SOURCE
#include "compile.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "child.h"
#include "log.h"

#define NAME_VARIABLE "__heddle_name_"

/* --- what the child reads --- */

/* A header's file, with the folders that its name has. Names that lead out of the directory are none. */
static bool write_header(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX];
    if (strstr(name, "..") || snprintf(path, sizeof path, "%s/include/%s", folder, name) >= (int)sizeof path)
        return false;
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    const struct text t = {.s = (char *)(uintptr_t)text, .len = strlen(text)};
    return text_write(&t, path);
}

static bool write_source(const char *path, const struct source *s, const struct options *o)
{
    struct text t = {0};
    if (o->default_device)
        text_addf(&t, "#pragma clang force_cuda_host_device begin\n");
    text_addf(&t, "#line 1 \"%s\"\n%s\n", s->name, s->text);
    if (o->default_device)
        text_addf(&t, "#pragma clang force_cuda_host_device end\n");
    for (int i = 0; i < s->expressions.n; i++)
        text_addf(&t, "#line %d \"name expressions\"\nextern \"C\" __device__ __attribute__((used)) const void *" NAME_VARIABLE
                      "%d = (const void *)(%s);\n", i + 1, i, s->expressions.v[i]);
    bool ok = !t.failed && text_write(&t, path);
    text_release(&t);
    return ok;
}

/* --- the child --- */

static void add_words(struct list *w, const char *heddle, const char *folder, const struct options *o, const struct source *s)
{
    struct text t = {0};
    list_add(w, heddle);
    list_add(w, "build");
    list_add(w, "-ptx");
    list_add(w, "-D__CUDACC_RTC__=1");
    text_addf(&t, "-arch=%s", o->arch);
    list_add(w, t.s ? t.s : "");
    t.len = 0;
    text_addf(&t, "-std=%s", o->standard);
    list_add(w, t.s ? t.s : "");
    if (s->headers.n) {
        t.len = 0;
        text_addf(&t, "-I%s/include", folder);
        list_add(w, t.s ? t.s : "");
    }
    if (!o->no_source_folder) { /* headers beside the file that the name would be of */
        const char *slash = strrchr(s->name, '/');
        t.len = 0;
        text_addf(&t, "-I%.*s", slash ? (int)(slash - s->name) + 1 : 1, slash ? s->name : ".");
        list_add(w, t.s ? t.s : "");
    }
    for (int i = 0; i < o->hand.n; i++)
        list_add(w, o->hand.v[i]);
    t.len = 0;
    text_addf(&t, "%s/program.cu", folder);
    list_add(w, t.s ? t.s : "");
    list_add(w, "-o");
    t.len = 0;
    text_addf(&t, "%s/program.ptx", folder);
    list_add(w, t.s ? t.s : "");
    w->failed = w->failed || t.failed;
    text_release(&t);
}

/* --- the PTX --- */

/* ".visible .global .align 8 .u64 __heddle_name_0 = generic(_Z1kPi);": the name, into *at. False: no such line. */
static bool read_name(const char *line, size_t n, int *number, const char **at, size_t *bytes)
{
    const char *found = memmem(line, n, NAME_VARIABLE, strlen(NAME_VARIABLE)), *end = line + n;
    const char *equals = found ? memchr(found, '=', (size_t)(end - found)) : NULL;
    if (!equals || !memmem(line, n, ".global", 7))
        return false;
    *number = atoi(found + strlen(NAME_VARIABLE));
    equals += 1 + strspn(equals + 1, " ");
    if (!strncmp(equals, "generic(", 8))
        equals += 8;
    *at = equals;
    *bytes = strcspn(equals, ");+\n");
    return true;
}

static void take_ptx(const struct text *all, const struct source *s, struct text *ptx, struct list *lowered)
{
    char **names = calloc((size_t)s->expressions.n + 1, sizeof *names);
    ptx->failed = !names;
    for (const char *line = all->s, *end; names && line && *line; line = end) {
        size_t n = strcspn(line, "\n"), bytes;
        int number;
        const char *name;
        end = line + n + (line[n] == '\n');
        if (!read_name(line, n, &number, &name, &bytes))
            text_add(ptx, line, (size_t)(end - line));
        else if (number < s->expressions.n && !names[number])
            names[number] = strndup(name, bytes);
    }
    for (int i = 0; names && i < s->expressions.n; i++) {
        list_add(lowered, names[i] ? names[i] : "");
        free(names[i]);
    }
    free(names);
}

static enum compiled compile_in(const char *folder, const struct source *s, const struct options *o, struct text *ptx,
                                struct list *lowered, struct text *log)
{
    char heddle[PATH_MAX], program[PATH_MAX], out[PATH_MAX], said[PATH_MAX];
    struct list words = {0};
    struct text all = {0}, messages = {0};
    snprintf(program, sizeof program, "%s/program.cu", folder);
    snprintf(out, sizeof out, "%s/program.ptx", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    for (int i = 0; i < s->headers.n; i++)
        if (!write_header(folder, s->includes.v[i], s->headers.v[i])) {
            text_addf(log, "nvrtc: error: header '%s' cannot be written: %s\n", s->includes.v[i], strerror(errno));
            return NOT_COMPILED;
        }
    if (!write_source(program, s, o) || !child_command(heddle, sizeof heddle)) {
        text_addf(log, "nvrtc: error: the command 'heddle' is not beside this library, or '%s' cannot be written\n", program);
        return NOT_COMPILED;
    }
    add_words(&words, heddle, folder, o, s);
    int status = words.failed ? -1 : child_run(&words, said);
    list_release(&words);
    text_read(&messages, said);
    log_take(messages.s, s->name, folder, log);
    bool there = !status && text_read(&all, out);
    if (there && !o->syntax_only)
        take_ptx(&all, s, ptx, lowered);
    text_release(&all);
    text_release(&messages);
    return there ? COMPILED : status < 0 ? NOT_COMPILED : COMPILED_WITH_ERRORS;
}

/* As clang prints them, directives of a kernel stand on lines of their own between its parameters and its brace. */
void compile_limit_registers(const struct text *ptx, int limit, struct text *image)
{
    bool kernel = false; /* in the head of one without a bound of its own */
    for (const char *line = ptx->s, *end; line && *line; line = end) {
        const size_t n = strcspn(line, "\n");
        end = line + n + (line[n] == '\n');
        const char *entry = strstr(line, ".entry ");
        kernel = (entry && entry < end) || (kernel && strncmp(line, ".maxntid", 8) && strncmp(line, ".reqntid", 8) && strncmp(line, ".maxnreg", 8));
        if (*line == '{' && kernel && limit)
            text_addf(image, ".maxnreg %d\n", limit);
        kernel = kernel && *line != '{';
        text_add(image, line, (size_t)(end - line));
    }
}

enum compiled compile(const struct source *s, const struct options *o, struct text *ptx, struct list *lowered, struct text *log)
{
    char folder[PATH_MAX / 2];
    if (!child_directory(folder, sizeof folder, "nvrtc")) {
        text_addf(log, "nvrtc: error: cannot make '%s': %s; set TMPDIR to another directory\n", folder, strerror(errno));
        return NOT_COMPILED;
    }
    enum compiled c = compile_in(folder, s, o, ptx, lowered, log);
    child_remove(folder);
    return ptx->failed || lowered->failed || log->failed ? NOT_COMPILED : c;
}
