/* The host's stack (see frames.h). */
#define _GNU_SOURCE /* dladdr1 */
#include "runtime/frames.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/table.h"

static pthread_once_t once = PTHREAD_ONCE_INIT; /* for these two */
enum { OURS = 16 };
static const void *our_base[OURS]; /* of the runtime's library, of the engine's, and of those that call library_call; atomic */
static char program[4096]; /* path of the program */

static void find_ourselves(void)
{
    Dl_info info;

    if (dladdr(&our_base, &info))
        our_base[0] = info.dli_fbase;
    if (dladdr((void *)(uintptr_t)&alloc_zeroed, &info))
        our_base[1] = info.dli_fbase;
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        *program = 0;
}

static bool is_ours(const void *at, Dl_info *info)
{
    if (!dladdr((const char *)at - 1, info))
        return false;
    for (int i = 0; i < OURS; i++)
        if (info->dli_fbase == __atomic_load_n(&our_base[i], __ATOMIC_RELAXED))
            return true;
    return false;
}

void frames_ours(const void *code)
{
    Dl_info info;
    struct link_map *map = NULL;

    pthread_once(&once, find_ourselves);
    if (!dladdr1(code, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_name || !*map->l_name)
        return; /* the program itself */
    for (int i = 0; i < OURS; i++) {
        const void *none = NULL;

        if (our_base[i] == info.dli_fbase || __atomic_compare_exchange_n(&our_base[i], &none, info.dli_fbase, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
            none == info.dli_fbase)
            return;
    }
}

static void take(struct frames *f)
{
    enum { ON_TOP = 24 }; /* frames of our libraries, at most */
    void *at[FRAMES_MOST + ON_TOP];
    int n = backtrace(at, FRAMES_MOST + ON_TOP), i = 0;
    Dl_info info;

    pthread_once(&once, find_ourselves);
    memset(f, 0, sizeof *f);
    for (; i < n && is_ours(at[i], &info); i++)
        f->entry = info.dli_sname;
    f->n = n - i < FRAMES_MOST ? n - i : FRAMES_MOST;
    memcpy(f->at, at + i, (size_t)f->n * sizeof *at);
}

const struct frames *frames_here(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct table known;
    struct frames now, *f;

    take(&now);
    pthread_mutex_lock(&lock);
    f = table_getn(&known, (const char *)&now, sizeof now);
    if (!f) {
        f = alloc_zeroed(sizeof *f);
        *f = now;
        table_setn(&known, (const char *)f, sizeof *f, f);
    }
    pthread_mutex_unlock(&lock);
    return f;
}

/* The file that a link map is of; the program's own has no name there. */
static const char *file_of(const struct link_map *map)
{
    pthread_once(&once, find_ourselves);
    return map->l_name && *map->l_name ? map->l_name : program;
}

void frames_text(const struct frames *f, struct strbuf *out)
{
    for (int i = 0; i < f->n; i++) {
        Dl_info info;
        struct link_map *map = NULL;
        bool known = dladdr1((char *)f->at[i] - 1, &info, (void **)&map, RTLD_DL_LINKMAP) && map;

        strbuf_addf(out, "%s+0x%llx\n", known ? file_of(map) : "?",
                    (unsigned long long)((uintptr_t)f->at[i] - (known ? map->l_addr : 0)));
    }
}
