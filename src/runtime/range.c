/* What profilers look at (see range.h). */
#define _GNU_SOURCE
#include "runtime/range.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runtime/trace.h"

enum { DEPTH = 64 };

struct range {
    char *name;
    int64_t begin;
    uint64_t id; /* of one that was started; 0: free */
};

static bool profiling; /* atomic: between cudaProfilerStart and cudaProfilerStop */
static _Thread_local struct range pushed[DEPTH];
static _Thread_local int depth;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct range *started;
static int nstarted;
static uint64_t newest;

/* --- is it open --- */

/* Does "A/B", a word's end at `n`, name ranges that lie on the thread's stack in this order, next to each other? */
static bool is_pushed(const char *names, size_t n)
{
    const char *end = names + n;
    for (int first = 0; first < depth && first < DEPTH; first++) {
        const char *s = names;
        for (int i = first; s < end && i < depth && i < DEPTH; i++) {
            size_t part = strcspn(s, "/\n");
            if (strlen(pushed[i].name) != part || strncmp(pushed[i].name, s, part))
                break;
            s += part + (s + part < end);
        }
        if (s == end)
            return true;
    }
    return false;
}

static bool is_started(const char *name, size_t n)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nstarted && !found; i++)
        found = started[i].id && strlen(started[i].name) == n && !strncmp(started[i].name, name, n);
    pthread_mutex_unlock(&lock);
    return found;
}

bool range_open(void)
{
    const char *words = getenv("HEDDLE_RANGE");
    bool asked = false, inside = false;
    for (size_t n; words && *words; words += n + (words[n] == '\n')) {
        n = strcspn(words, "\n");
        if (n == strlen("profiler") && !strncmp(words, "profiler", n)) {
            if (!__atomic_load_n(&profiling, __ATOMIC_RELAXED))
                return false;
            continue;
        }
        asked = true;
        inside = inside || (!strncmp(words, "push:", 5) && is_pushed(words + 5, n - 5)) ||
                 (!strncmp(words, "start:", 6) && is_started(words + 6, n - 6));
    }
    return inside || !asked;
}

/* --- ranges --- */

void range_profiler(bool on)
{
    __atomic_store_n(&profiling, on, __ATOMIC_RELAXED);
}

static char *copy_of(const char *name)
{
    char *s = alloc_zeroed(strlen(name ? name : "") + 1);
    strcpy(s, name ? name : "");
    return s;
}

int heddle_nvtx_push(const char *name)
{
    if (depth < DEPTH)
        pushed[depth] = (struct range){copy_of(name), trace_time(), 0};
    return depth++;
}

int heddle_nvtx_pop(void)
{
    if (!depth)
        return -1;
    depth--;
    if (depth < DEPTH) {
        trace_range(pushed[depth].name, true, pushed[depth].begin, trace_time());
        alloc_release(pushed[depth].name);
        pushed[depth].name = NULL;
    }
    return depth;
}

uint64_t heddle_nvtx_start(const char *name)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < nstarted && started[i].id)
        i++;
    if (i == nstarted)
        started = alloc_resize(started, (size_t)++nstarted * sizeof *started);
    started[i] = (struct range){copy_of(name), trace_time(), ++newest};
    uint64_t id = newest;
    pthread_mutex_unlock(&lock);
    return id;
}

void heddle_nvtx_end(uint64_t id)
{
    struct range r = {0};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nstarted && id; i++)
        if (started[i].id == id) {
            r = started[i];
            started[i] = (struct range){0};
        }
    pthread_mutex_unlock(&lock);
    if (r.name)
        trace_range(r.name, false, r.begin, trace_time());
    alloc_release(r.name);
}
