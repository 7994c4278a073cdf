/* Profile mode (see collect.h). Launches are profiled one at a time (queue.h), so nothing here is locked. */
#define _GNU_SOURCE
#include "runtime/collect.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "engine.h"
#include "report/collection.h"
#include "report/result.h"
#include "runtime/device_time.h"
#include "runtime/records.h"
#include "runtime/runtime.h"

enum { CONTEXT = 1 };

bool runtime_collecting(void)
{
    const char *path = getenv("HEDDLE_RESULTS");
    return path && *path;
}

int64_t runtime_next_launch(void)
{
    static int64_t launches;
    return __atomic_fetch_add(&launches, 1, __ATOMIC_RELAXED);
}

/* What is wanted. A text that cannot be read is told once, and everything is collected. */
static struct {
    pthread_once_t once;
    struct collection collection;
    struct launch_choice choice;
} wanted = {.once = PTHREAD_ONCE_INIT};

static void read_wanted(void)
{
    const char *text = getenv("HEDDLE_COLLECT");
    struct diag_list diags;

    wanted.collection = (struct collection){.groups = COUNTERS_ALL, .filter = LAUNCH_FILTER_ALL};
    diag_init(&diags);
    if (text && *text && (!collection_read(&wanted.collection, text, &diags) || !launch_choice_init(&wanted.choice, &wanted.collection.filter, &diags))) {
        struct strbuf said;
        strbuf_init(&said);
        diag_format_all(&diags, &said);
        runtime_say("%s", said.s);
        strbuf_release(&said);
        wanted.collection = (struct collection){.groups = COUNTERS_ALL, .filter = LAUNCH_FILTER_ALL};
    } /* the list stays: the filter's names are in it */
}

void runtime_collect_device(heddle_device *d)
{
    if (!runtime_collecting() && !device_time_on())
        return;
    pthread_once(&wanted.once, read_wanted);
    engine_collect(d, (runtime_collecting() ? wanted.collection.groups : 0) | (device_time_on() ? COUNTERS_OF(TIME) : 0));
    engine_cache_control(d, runtime_collecting() ? wanted.collection.keeps : true);
    engine_collect_code(d, wanted.collection.code);
    engine_collect_blocks(d, wanted.collection.blocks);
}

bool runtime_collects(const char *name, int stream)
{
    struct arena a;
    bool takes;

    if (!runtime_collecting())
        return false;
    pthread_once(&wanted.once, read_wanted);
    if (launch_filter_takes_all(&wanted.collection.filter) || !name)
        return true;
    arena_init(&a);
    takes = launch_choice_takes(&wanted.choice, &(struct launch_id){result_demangle(&a, name), name, CONTEXT, stream});
    arena_release(&a);
    return takes;
}

static bool write_result(const void *result, FILE *f)
{
    return result_write(result, f);
}

/* "parent(int *) (ID 3)" */
static const char *name_parent(struct arena *a, heddle_kernel *parent, int64_t launch)
{
    heddle_kernel_info info;
    if (!parent || heddle_kernel_describe(parent, &info))
        return NULL;
    return arena_printf(a, "%s (ID %lld)", result_demangle(a, info.name), (long long)launch);
}

/* Results are written in the order in which their launches began: one that ends before an earlier launch is kept until then. */
enum { OPEN_MOST = 64 }; /* launches that have begun and not ended: no more run at once (queue.c) */
static int64_t open_ids[OPEN_MOST];
static int nopen;
static heddle_result **kept; /* in the order of their numbers */
static int nkept, kept_cap;

void runtime_launch_begins(int64_t launch)
{
    if (runtime_collecting() && nopen < OPEN_MOST)
        open_ids[nopen++] = launch;
}

static void keep(heddle_result *r)
{
    int at = nkept;
    ALLOC_GROW(kept, nkept, kept_cap);
    for (; at > 0 && engine_result(kept[at - 1])->id > engine_result(r)->id; at--)
        kept[at] = kept[at - 1];
    kept[at] = r;
    nkept++;
}

static void write_kept(void)
{
    static struct records file = {.variable = "HEDDLE_RESULTS", .what = "results"};
    int64_t first = INT64_MAX;
    int n = 0;
    for (int i = 0; i < nopen; i++)
        first = open_ids[i] < first ? open_ids[i] : first;
    for (; n < nkept && engine_result(kept[n])->id < first; n++) {
        records_add(&file, write_result, engine_result(kept[n]));
        heddle_result_free(kept[n]);
    }
    memmove(kept, kept + n, (size_t)(nkept - n) * sizeof *kept);
    nkept -= n;
}

void runtime_launch_ended(int64_t launch)
{
    for (int i = 0; i < nopen; i++)
        if (open_ids[i] == launch)
            open_ids[i] = open_ids[--nopen];
    if (nkept)
        write_kept();
}

void runtime_collect(heddle_result *r, int64_t launch, int stream, int device, heddle_kernel *parent, int64_t of)
{
    struct result *result = engine_result(r);
    result->id = launch;
    result->context = CONTEXT;
    result->stream = stream;
    result->device = device;
    result->parent = name_parent(&result->arena, parent, of);
    result->pid = getpid();
    result->process = program_invocation_short_name;
    keep(r);
}
