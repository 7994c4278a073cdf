/* Checked runs: settings, and kernels' findings (see checking.h). Launches are checked one at a time (queue.h), so what
 * belongs to the launch is not locked. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "runtime/checking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "check/check.h"
#include "engine.h"
#include "report/findings.h"
#include "report/names.h"
#include "report/result.h"
#include "runtime/frames.h"
#include "runtime/records.h"

/* --- settings --- */

static struct checking_settings settings;

/* Bytes behind every allocation unless somebody says otherwise: our choice; an index that is off by up to a row of 1,024
 * floats is found for certain. */
enum { PADDING = 4096 };

static bool set_word(const char *word, size_t n)
{
    struct checking_settings *s = &settings;
    const char *v;

#define WORD(name, value, action)                                                              \
    if ((value) ? n > strlen(name) && !strncmp(word, name, strlen(name))                       \
                : n == strlen(name) && !strncmp(word, name, n)) {                              \
        v = word + strlen(name);                                                               \
        (void)v;                                                                               \
        action;                                                                                \
        return true;                                                                           \
    }
#include "runtime/checking_words.def"
#undef WORD
    s->tools |= check_tool_named(word, n);
    return check_tool_named(word, n) != 0;
}

static void read_settings(void)
{
    const char *words = getenv("HEDDLE_CHECK");

    settings = (struct checking_settings){.backtraces = true, .api = CHECKING_API_EXPLICIT, .padding = PADDING};
    for (const char *at = words; at && *at;) {
        size_t n = strcspn(at, ",");

        if (n && !set_word(at, n))
            runtime_say("HEDDLE_CHECK: '%.*s' is no tool; there are memcheck, initcheck, synccheck, racecheck and all",
                        (int)n, at);
        at += at[n] ? n + 1 : n;
    }
}

const struct checking_settings *checking_settings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_settings);
    return &settings;
}

bool runtime_checking(void)
{
    return checking_settings()->tools != 0;
}

/* --- writing --- */

static bool write_finding(const void *f, FILE *file)
{
    return finding_write(f, file);
}

void checking_write(struct finding *f)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct records file = {.variable = "HEDDLE_FINDINGS", .what = "findings"};

    f->pid = getpid();
    f->process = program_invocation_short_name;
    pthread_mutex_lock(&lock);
    records_add(&file, write_finding, f);
    pthread_mutex_unlock(&lock);
}

const char *checking_backtrace(struct arena *a, const struct frames *f)
{
    struct strbuf text;
    const char *s;

    if (!f || !f->n || !checking_settings()->backtraces)
        return NULL;
    strbuf_init(&text);
    frames_text(f, &text);
    s = arena_strdup(a, text.s);
    strbuf_release(&text);
    return s;
}

/* --- kernels --- */

static int64_t launch;
static const struct frames *launch_frames;

static void found(struct finding *f, void *user)
{
    (void)user;
    f->launch = launch;
    f->backtrace = checking_backtrace(&f->arena, launch_frames);
    checking_allocation(f);
    checking_write(f);
    finding_free(f);
}

void checking_device(struct runtime_device *d, heddle_device *engine)
{
    const struct checking_settings *s = checking_settings();

    if (!s->tools)
        return;
    engine_check(engine, s->tools, found, NULL);
    engine_pad(engine, s->padding);
    checking_watch(d);
}

static const struct name_rules *kernel_rules(void)
{
    static struct name_rules rules;
    static bool read;
    struct diag_list diags;
    const char *given = getenv("HEDDLE_CHECK_KERNELS");
    char *rest;

    if (read || !given)
        return &rules;
    read = true;
    diag_init(&diags);
    rest = alloc_strndup(given, strlen(given)); /* as long as the process: the rules point into it */
    for (char *line; (line = strsep(&rest, "\n")) != NULL;)
        if (*line && !name_rules_add(&rules, line + 1, *line == '-', "HEDDLE_CHECK_KERNELS", &diags))
            runtime_say("HEDDLE_CHECK_KERNELS: '%s' is not a regular expression", line + 1);
    diag_release(&diags);
    return &rules;
}

static bool is_meant(heddle_kernel *k)
{
    static int64_t seen;
    const struct checking_settings *s = checking_settings();
    heddle_kernel_info info;
    struct arena a;
    bool meant;

    if (heddle_kernel_describe(k, &info))
        return true;
    arena_init(&a);
    meant = name_rules_match(kernel_rules(), result_demangle(&a, info.name), info.name);
    arena_release(&a);
    if (!meant)
        return false;
    seen++;
    return seen > s->skip && (!s->count || seen <= s->skip + s->count);
}

void checking_launch(heddle_kernel *k, int64_t id, uint64_t newest, const struct frames *frames)
{
    if (!runtime_checking())
        return;
    launch = id;
    launch_frames = frames;
    engine_check_next(k, is_meant(k), !checking_settings()->go_on, newest);
}

void checking_resume(int64_t id)
{
    launch = id;
}
