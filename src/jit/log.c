/* Lines about compiled kernels (see log.h). */
#define _GNU_SOURCE
#include "jit/log.h"

#include "base/strbuf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double log_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_quoted(struct strbuf *out, const char *text)
{
    strbuf_adds(out, "\"");
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == '"' || *text == '\\')
            strbuf_addf(out, "\\u%04x", (unsigned char)*text);
        else
            strbuf_add(out, text, 1);
    strbuf_adds(out, "\"");
}

/* In one piece: other threads and processes may write to the same file. */
static void append(const char *path, const struct strbuf *line)
{
    bool named = strcmp(path, "-") != 0;
    int fd = named ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : STDERR_FILENO;
    ssize_t written = fd < 0 ? 0 : write(fd, line->s, line->len);
    (void)written; /* what cannot be told is not worth a failed launch */
    if (named && fd >= 0)
        close(fd);
}

void log_made(const struct jit_job *job, double start, const struct jit_object *o, bool kept, const char *problem)
{
    const char *path = getenv("HEDDLE_JIT_LOG");
    double ms = 1e3 * (log_now() - start);
    struct strbuf line;
    if (!path || !*path)
        return;
    strbuf_init(&line);
    strbuf_adds(&line, "{\"kernel\": ");
    add_quoted(&line, job->kernel->name);
    strbuf_addf(&line, ", \"instructions\": %d, \"block\": [%u, %u, %u], \"form\": \"%s\", \"tier\": \"%s\", \"isa\": \"%s\"",
                job->kernel->ninsts, job->dim[0], job->dim[1], job->dim[2],
                job->block          ? "block"
                : job->split        ? "split"
                                    : "together",
                job->tier == JIT_FULL ? "full" : "first", job->level);
    strbuf_addf(&line, ", \"counting\": %s, \"cpu_ms\": %.2f", job->counting ? "true" : "false", ms);
    strbuf_addf(&line, ", \"kept\": %s, \"bytes\": %zu", kept ? "true" : "false", o->size);
    kept ? strbuf_adds(&line, ", \"lane_serial\": null") : strbuf_addf(&line, ", \"lane_serial\": %d", o->lane_serial);
    strbuf_adds(&line, ", \"problem\": ");
    if (problem && *problem)
        add_quoted(&line, problem);
    else
        strbuf_adds(&line, "null");
    strbuf_adds(&line, "}\n");
    append(path, &line);
    strbuf_release(&line);
}
