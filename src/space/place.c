/* Chunks of granules, in order of address (see place.h). */
#include "space/place.h"

#include <string.h>

#include "base/alloc.h"

static bool in_chunks(enum space_kind kind)
{
    return kind == SPACE_PROGRAM || kind == SPACE_MANAGED;
}

static uint32_t whole_chunks(uint64_t granules)
{
    return (uint32_t)((granules + PLACE_CHUNK - 1) / PLACE_CHUNK * PLACE_CHUNK);
}

static struct place_chunk *add_chunk(struct places *p, struct place_chunk c)
{
    uint32_t at = 0;
    ALLOC_GROW(p->chunk, p->nchunks, p->cap);
    while (at < p->nchunks && p->chunk[at].first < c.first)
        at++;
    memmove(&p->chunk[at + 1], &p->chunk[at], (p->nchunks++ - at) * sizeof *p->chunk);
    p->chunk[at] = c;
    return &p->chunk[at];
}

/* Room for chunks: twice the device's memory, as a chunk is less than twice what it is made for, where the range has it. */
void places_init(struct places *p, uint32_t device, uint32_t host)
{
    const uint32_t most = (uint32_t)(SPACE_STRIDE / 2 / SPACE_GRANULE) - whole_chunks(PLACE_BELOW);
    memset(p, 0, sizeof *p);
    p->top = whole_chunks(2 * (uint64_t)device) < most ? whole_chunks(2 * (uint64_t)device) : most;
    p->first = p->top + PLACE_BELOW;
    p->host = p->first + 1 + PLACE_ABOVE + PLACE_WINDOW;
    p->end = p->host + host;
    add_chunk(p, (struct place_chunk){.first = p->first, .count = 1, .kind = SPACE_PROGRAM, .stays = true});
    add_chunk(p, (struct place_chunk){.first = p->host - PLACE_WINDOW, .count = PLACE_WINDOW, .kind = SPACE_PROGRAM, .stays = true});
}

void places_release(struct places *p)
{
    alloc_release(p->chunk);
}

bool places_context(const struct places *p, uint32_t granule)
{
    return (granule >= p->top && granule < p->first) || (granule > p->first && granule < p->host - PLACE_WINDOW);
}

/* The first of `count` neighbouring free granules from `lo` up to `hi`; -1: there are none. */
static int64_t first_fit(const struct places *p, uint32_t lo, uint32_t hi, uint64_t count)
{
    uint64_t run = 0;
    for (uint32_t g = lo; g < hi; g++) {
        run = p->live[g] ? 0 : run + 1;
        if (run == count)
            return (int64_t)(g - count + 1);
    }
    return -1;
}

/* How far up variables and the engine's memory reach. */
static uint32_t variables_end(const struct places *p)
{
    uint32_t end = p->nchunks ? p->chunk[0].first : p->top;
    end = end < p->top ? end : p->top;
    while (end && !p->live[end - 1])
        end--;
    return end;
}

/* The highest room for a chunk of `count` granules below the window; NULL: there is none. */
static struct place_chunk *new_chunk(struct places *p, enum space_kind kind, uint32_t count)
{
    uint32_t above = p->top, low = variables_end(p);
    for (uint32_t i = p->nchunks + 1; i-- > 0;) {
        if (i && p->chunk[i - 1].first >= p->top)
            continue;
        uint32_t below = i ? p->chunk[i - 1].first + p->chunk[i - 1].count : low;
        if (above >= below && above - below >= count)
            return add_chunk(p, (struct place_chunk){.first = above - count, .count = count, .kind = kind});
        above = i ? p->chunk[i - 1].first : above;
    }
    return NULL;
}

int64_t places_find(struct places *p, enum space_kind kind, uint64_t count)
{
    if (count > p->end)
        return -1;
    if (kind == SPACE_HOST)
        return first_fit(p, p->host, p->end, count);
    if (!in_chunks(kind))
        return first_fit(p, 0, p->chunk[0].first < p->top ? p->chunk[0].first : p->top, count);
    for (uint32_t i = 0; i < p->nchunks; i++) {
        const struct place_chunk *c = &p->chunk[i];
        int64_t g = c->kind == kind && c->count - c->used >= count ? first_fit(p, c->first, c->first + c->count, count) : -1;
        if (g >= 0)
            return g;
    }
    const struct place_chunk *c = new_chunk(p, kind, whole_chunks(count));
    if (!c)
        c = new_chunk(p, kind, (uint32_t)count);
    return c ? (int64_t)c->first : -1;
}

void places_change(struct places *p, enum space_kind kind, uint32_t first, uint32_t count, int by)
{
    uint32_t i = 0;
    if (!in_chunks(kind))
        return;
    while (first - p->chunk[i].first >= p->chunk[i].count)
        i++;
    struct place_chunk *c = &p->chunk[i];
    c->used += (uint32_t)by * count;
    if (!c->used && !c->stays)
        memmove(c, c + 1, (--p->nchunks - i) * sizeof *c);
}
