/* First fit over a list of gaps in order of address (see heap.h). */
#include "space/heap.h"

#include <string.h>

#include "base/alloc.h"

/* Free units [at, at + n). */
struct heap_gap {
    uint32_t at, n;
};

static const uint64_t MAX_BYTES = (UINT64_C(1) << 36) - HEAP_UNIT;

enum space_status heap_open(struct heap *h, struct space *s, uint64_t bytes)
{
    memset(h, 0, sizeof *h);
    bytes = (bytes + HEAP_UNIT - 1) / HEAP_UNIT * HEAP_UNIT;
    if (!bytes || bytes > MAX_BYTES)
        return SPACE_NO_MEMORY;
    h->length = alloc_try_zeroed(bytes / HEAP_UNIT * sizeof *h->length); /* large and mostly never touched */
    h->used = alloc_try_zeroed(bytes / HEAP_UNIT * sizeof *h->used);
    if (!h->length || !h->used) {
        alloc_release(h->length);
        alloc_release(h->used);
        return SPACE_NO_MEMORY;
    }
    enum space_status status = space_alloc(s, bytes, SPACE_ENGINE, HEAP_LABEL, &h->base);
    if (status != SPACE_OK) {
        alloc_release(h->length);
        alloc_release(h->used);
        return status;
    }
    pthread_mutex_init(&h->lock, NULL);
    h->bytes = bytes;
    ALLOC_GROW(h->gap, h->ngaps, h->cap);
    h->gap[h->ngaps++] = (struct heap_gap){0, (uint32_t)(bytes / HEAP_UNIT)};
    return SPACE_OK;
}

void heap_close(struct heap *h, struct space *s)
{
    if (!h->bytes)
        return;
    space_free(s, h->base);
    alloc_release(h->length);
    alloc_release(h->used);
    alloc_release(h->gap);
    pthread_mutex_destroy(&h->lock);
    memset(h, 0, sizeof *h);
}

static void remove_gap(struct heap *h, size_t i)
{
    memmove(&h->gap[i], &h->gap[i + 1], (h->ngaps - i - 1) * sizeof *h->gap);
    h->ngaps--;
}

uint64_t heap_alloc(struct heap *h, uint64_t bytes)
{
    uint64_t address = 0, units = (bytes + h->padding + HEAP_UNIT - 1) / HEAP_UNIT;
    if (!bytes || bytes > h->bytes)
        return 0;
    pthread_mutex_lock(&h->lock);
    for (size_t i = 0; i < h->ngaps; i++) {
        struct heap_gap *g = &h->gap[i];
        if (g->n < units)
            continue;
        address = h->base + (uint64_t)g->at * HEAP_UNIT;
        h->length[g->at] = (uint32_t)units;
        memset(h->used + g->at, HEAP_UNIT, bytes / HEAP_UNIT);
        if (bytes % HEAP_UNIT)
            h->used[g->at + bytes / HEAP_UNIT] = (uint8_t)(bytes % HEAP_UNIT);
        g->at += (uint32_t)units;
        g->n -= (uint32_t)units;
        if (!g->n)
            remove_gap(h, i);
        break;
    }
    pthread_mutex_unlock(&h->lock);
    return address;
}

/* Index of the first gap behind unit `at`. */
static size_t gap_behind(const struct heap *h, uint32_t at)
{
    size_t low = 0, high = h->ngaps;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (h->gap[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void give_back(struct heap *h, uint32_t at, uint32_t n)
{
    size_t i = gap_behind(h, at);
    bool joins_next = i < h->ngaps && h->gap[i].at == at + n;
    if (i && h->gap[i - 1].at + h->gap[i - 1].n == at) {
        h->gap[i - 1].n += n + (joins_next ? h->gap[i].n : 0);
        if (joins_next)
            remove_gap(h, i);
    } else if (joins_next) {
        h->gap[i].at = at;
        h->gap[i].n += n;
    } else {
        ALLOC_GROW(h->gap, h->ngaps, h->cap);
        memmove(&h->gap[i + 1], &h->gap[i], (h->ngaps - i) * sizeof *h->gap);
        h->gap[i] = (struct heap_gap){at, n};
        h->ngaps++;
    }
}

bool heap_free(struct heap *h, uint64_t address)
{
    uint64_t offset = address - h->base;
    if (offset >= h->bytes || offset % HEAP_UNIT)
        return false;
    uint32_t at = (uint32_t)(offset / HEAP_UNIT);
    pthread_mutex_lock(&h->lock);
    uint32_t n = h->length[at];
    h->length[at] = 0;
    memset(h->used + at, 0, n);
    if (n)
        give_back(h, at, n);
    pthread_mutex_unlock(&h->lock);
    return n != 0;
}

bool heap_holds(const struct heap *h, uint64_t address, unsigned n)
{
    uint64_t from = address - h->base, to = from + n;

    if (from >= h->bytes || to > h->bytes)
        return false;
    for (uint64_t u = from / HEAP_UNIT; u * HEAP_UNIT < to; u++) {
        uint64_t end = to - u * HEAP_UNIT < HEAP_UNIT ? to - u * HEAP_UNIT : HEAP_UNIT;

        if (h->used[u] < end)
            return false;
    }
    return true;
}

/* Bytes of the piece that begins at unit u, as asked for. */
static uint64_t piece_bytes(const struct heap *h, uint64_t u)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < h->length[u]; i++)
        n += h->used[u + i];
    return n;
}

bool heap_find(const struct heap *h, uint64_t address, uint64_t *start, uint64_t *bytes)
{
    enum { FAR = 4096 }; /* units */
    uint64_t at = (address - h->base) / HEAP_UNIT;

    if (address - h->base >= h->bytes)
        return false;
    for (uint64_t u = at + 1; u-- > 0 && at - u < FAR;) {
        if (!h->length[u])
            continue;
        *start = h->base + u * HEAP_UNIT;
        *bytes = piece_bytes(h, u);
        return true;
    }
    return false;
}

void heap_each(const struct heap *h, void (*visit)(uint64_t address, uint64_t bytes, void *user), void *user)
{
    for (size_t i = 0; i <= h->ngaps && h->bytes; i++) { /* between the gaps piece stands by piece */
        uint64_t u = i ? h->gap[i - 1].at + (uint64_t)h->gap[i - 1].n : 0;
        uint64_t end = i < h->ngaps ? h->gap[i].at : h->bytes / HEAP_UNIT;

        for (; u < end && h->length[u]; u += h->length[u])
            visit(h->base + u * HEAP_UNIT, piece_bytes(h, u), user);
    }
}
