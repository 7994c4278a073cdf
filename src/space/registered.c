/* Registered memory: a sorted list that writers change under a lock and readers read without one (see registered.h).
 *
 * A version is odd while the list changes. Readers look, and look again when the version has moved. A list that has
 * become too small is replaced by one twice the size and stays, as a reader may still be in it; what they read there
 * is old or torn, and the version tells. */
#include "space/registered.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct registered *list; /* in order of address; this and what follows: written under the lock */
static uint32_t n, cap, version;
static struct registered *left[32]; /* lists that have become too small: one each time the size doubles */
static int nleft;

/* --- writers --- */

static void begin_change(void)
{
    __atomic_store_n(&version, version + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_change(void)
{
    __atomic_store_n(&version, version + 1, __ATOMIC_RELEASE);
}

static void put(uint32_t i, const struct registered *r)
{
    __atomic_store_n(&list[i].address, r->address, __ATOMIC_RELAXED);
    __atomic_store_n(&list[i].bytes, r->bytes, __ATOMIC_RELAXED);
    list[i].flags = r->flags;
    list[i].label = r->label;
}

static void grow(void)
{
    struct registered *more;
    if (n < cap)
        return;
    cap = cap ? 2 * cap : 16;
    more = alloc_zeroed(cap * sizeof *more);
    if (n)
        memcpy(more, list, n * sizeof *more);
    if (list)
        left[nleft++] = list;
    __atomic_store_n(&list, more, __ATOMIC_RELEASE); /* the old one is left to its readers */
}

/* How many ranges begin at or below the address. The lock is held. */
static uint32_t up_to(uint64_t address)
{
    uint32_t from = 0, to = n;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (list[middle].address <= address)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool holds(const struct registered *r, uint64_t address)
{
    return address - r->address < r->bytes;
}

bool registered_add(const struct registered *r)
{
    uint64_t end = r->address + r->bytes;
    if (end <= r->address)
        return false;
    pthread_mutex_lock(&lock);
    uint32_t i = up_to(r->address);
    bool free = !(i && holds(&list[i - 1], r->address)) && !(i < n && list[i].address < end);
    if (free) {
        begin_change();
        grow();
        for (uint32_t k = n; k > i; k--)
            put(k, &list[k - 1]);
        put(i, r);
        __atomic_store_n(&n, n + 1, __ATOMIC_RELAXED);
        end_change();
    }
    pthread_mutex_unlock(&lock);
    return free;
}

bool registered_remove(uint64_t address)
{
    pthread_mutex_lock(&lock);
    uint32_t i = up_to(address);
    bool found = i && list[i - 1].address == address;
    if (found) {
        begin_change();
        for (uint32_t k = i; k < n; k++)
            put(k - 1, &list[k]);
        __atomic_store_n(&n, n - 1, __ATOMIC_RELAXED);
        end_change();
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* --- readers --- */

bool registered_find(uint64_t address, struct registered *out)
{
    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&lock);
    uint32_t i = up_to(address);
    bool found = i && holds(&list[i - 1], address);
    bool below = i && (i == n || address - (list[i - 1].address + list[i - 1].bytes) <= list[i].address - address);
    if (found || below)
        *out = list[i - 1];
    else if (i < n)
        *out = list[i];
    pthread_mutex_unlock(&lock);
    return found;
}

struct space_allocation registered_allocation(const struct registered *r)
{
    return (struct space_allocation){.address = r->address, .bytes = r->bytes, .label = r->label,
                                     .kind = r->label ? SPACE_MANAGED : SPACE_HOST};
}

void registered_each(void (*visit)(const struct space_allocation *a, void *user), void *user)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < n; i++) {
        struct space_allocation a = registered_allocation(&list[i]);
        visit(&a, user);
    }
    pthread_mutex_unlock(&lock);
}

/* Are the pages of `first` to `last` all one range's? Of all ranges that begin on or before the first page only the last
 * can hold it, for the others end before that one begins. */
static bool pages_in(const struct registered *l, uint32_t count, uint64_t first, uint64_t last)
{
    uint64_t page = first / REGISTERED_PAGE;
    uint32_t from = 0, to = count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (__atomic_load_n(&l[middle].address, __ATOMIC_RELAXED) / REGISTERED_PAGE <= page)
            from = middle + 1;
        else
            to = middle;
    }
    if (!from)
        return false;
    uint64_t at = __atomic_load_n(&l[from - 1].address, __ATOMIC_RELAXED);
    uint64_t bytes = __atomic_load_n(&l[from - 1].bytes, __ATOMIC_RELAXED);
    return (at + bytes - 1) / REGISTERED_PAGE >= last / REGISTERED_PAGE;
}

bool registered_ok(uint64_t address, unsigned bytes)
{
    uint64_t last = address + bytes - 1;
    return registered_spans(address, last) ||
           (address / REGISTERED_PAGE != last / REGISTERED_PAGE && registered_spans(address, address) &&
            registered_spans(last, last));
}

bool registered_spans(uint64_t first, uint64_t last)
{
    for (;;) {
        uint32_t before = __atomic_load_n(&version, __ATOMIC_ACQUIRE);
        uint32_t count = __atomic_load_n(&n, __ATOMIC_RELAXED);
        const struct registered *l = __atomic_load_n(&list, __ATOMIC_ACQUIRE);
        bool ok = false;
        if (before & 1)
            continue;
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        /* a count that is newer than the list would lead past its end */
        if (__atomic_load_n(&version, __ATOMIC_RELAXED) == before)
            ok = pages_in(l, count, first, last);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&version, __ATOMIC_RELAXED) == before)
            return ok;
    }
}
