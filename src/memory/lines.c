/* Lines and sectors of one access (see lines.h). */
#include "memory/lines.h"

#include <emmintrin.h>
#include <string.h>

#include "memory/lanes.h"

enum { SECTOR_SHIFT = 5, BUCKETS = 64 };

/* Lines are found again by a small table over their numbers: a request has few. As long as each is above those before it there is no need for one. */
struct finder {
    struct lines *out;
    bool rising;
    uint16_t head[BUCKETS], next[LINES_MAX]; /* 1 + index, or 0 */
};

static inline void finder_init(struct finder *f, struct lines *out)
{
    f->out = out;
    f->rising = true;
    out->n = 0;
}

static inline void enter(struct finder *f, int at)
{
    const uint64_t line = f->out->line[at];
    uint16_t *head = &f->head[(line ^ line >> 6) % BUCKETS];
    f->next[at] = *head;
    *head = (uint16_t)(at + 1);
}

static __attribute__((noinline)) void make_table(struct finder *f)
{
    f->rising = false;
    memset(f->head, 0, sizeof f->head);
    for (int i = 0; i < f->out->n; i++)
        enter(f, i);
}

static inline int find(struct finder *f, uint64_t line, bool bytes)
{
    struct lines *o = f->out;
    if (f->rising && o->n && line <= o->line[o->n - 1]) {
        if (line == o->line[o->n - 1])
            return o->n - 1;
        make_table(f);
    }
    for (unsigned i = f->rising ? 0 : f->head[(line ^ line >> 6) % BUCKETS]; i; i = f->next[i - 1])
        if (o->line[i - 1] == line)
            return (int)i - 1;
    int at = o->n++;
    o->line[at] = line;
    o->sectors[at] = 0;
    if (bytes)
        memset(o->byte[at], 0, sizeof o->byte[at]);
    if (!f->rising)
        enter(f, at);
    return at;
}

/* Bytes of a line from `first` on, all in one sector. */
static inline void touch(struct lines *o, int at, unsigned first, unsigned n, bool bytes)
{
    o->sectors[at] |= (uint8_t)(1u << (first >> SECTOR_SHIFT));
    if (bytes)
        o->byte[at][first >> SECTOR_SHIFT] |= (uint32_t)(((UINT64_C(1) << n) - 1) << (first & 31));
}

static void find_full(struct lines *o)
{
    const __m128i all = _mm_set1_epi32(-1);
    for (int i = 0; i < o->n; i++)
        o->full[i] = (uint8_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)o->byte[i]), all)));
}

/* All lanes, in steps that leave no sector out between the first and the last: no byte either, if they touch. */
static void contiguous(const struct record *r, struct lines *out)
{
    int64_t reach = 31 * (int64_t)r->stride;
    uint64_t first = r->addr[0] + (uint64_t)(reach < 0 ? reach : 0);
    uint64_t last = first + (uint64_t)(reach < 0 ? -reach : reach) + r->bytes - 1;
    uint64_t low = first >> SECTOR_SHIFT, high = last >> SECTOR_SHIFT;
    if (first % 128 == 0 && last == first + 127) { /* as most are */
        out->n = 1;
        out->line[0] = first >> LINE_SHIFT;
        out->sectors[0] = out->full[0] = 15;
        return;
    }
    out->n = 0;
    for (uint64_t line = first >> LINE_SHIFT; line <= last >> LINE_SHIFT; line++) {
        unsigned bits = 15;
        if (low > line * LINE_SECTORS)
            bits &= 15u << (low & 3);
        if (high < line * LINE_SECTORS + 3)
            bits &= 15u >> (3 - (high & 3));
        out->line[out->n] = line;
        out->sectors[out->n] = out->full[out->n] = (uint8_t)bits;
        out->n++;
    }
    if (first & 31) {
        out->full[0] &= (uint8_t)~(1u << (low & 3));
        out->byte[0][low & 3] = UINT32_MAX << (first & 31);
    }
    if ((last & 31) != 31) {
        uint32_t bits = UINT32_MAX >> (31 - (last & 31)), *byte = &out->byte[out->n - 1][high & 3];
        *byte = low == high && first & 31 ? *byte & bits : bits;
        out->full[out->n - 1] &= (uint8_t)~(1u << (high & 3));
    }
}

static bool goes_on(const struct record *r, bool bytes)
{
    int32_t most = bytes ? r->bytes : 32, step = r->stride < 0 ? -r->stride : r->stride;
    return r->shape == RECORD_AFFINE && r->mask == UINT32_MAX && step <= most;
}

void lines_global(const struct record *r, bool bytes, struct lines *out)
{
    if (goes_on(r, bytes)) {
        contiguous(r, out);
        return;
    }
    struct finder f;
    uint64_t own[32], line = UINT64_MAX;
    int at = 0;
    finder_init(&f, out);
    if (r->shape == RECORD_UNIFORM) {
        touch(out, find(&f, r->addr[0] >> LINE_SHIFT, bytes), (unsigned)r->addr[0] & 127, r->bytes, bytes);
    } else {
        const uint64_t *addr = lanes_addresses(r, own);
        LANES_EACH(lane, r->mask) {
            if (addr[lane] >> LINE_SHIFT != line) {
                line = addr[lane] >> LINE_SHIFT;
                at = find(&f, line, bytes);
            }
            touch(out, at, (unsigned)addr[lane] & 127, r->bytes, bytes);
        }
    }
    if (bytes)
        find_full(out);
}

/* Distinct sectors of four addresses. */
static unsigned quad_sectors(const uint64_t *addr, uint32_t lanes)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 4; i++) {
        bool fresh = lanes >> i & 1;
        for (unsigned j = 0; j < i && fresh; j++)
            fresh = !(lanes >> j & 1 && addr[j] >> SECTOR_SHIFT == addr[i] >> SECTOR_SHIFT);
        n += fresh;
    }
    return n;
}

unsigned lines_texture(const struct record *r, struct lines *out)
{
    uint64_t own[32];
    const uint64_t *addr = lanes_addresses(r, own);
    unsigned n = 0;
    lines_global(r, false, out);
    for (unsigned quad = 0; quad < 32; quad += 4)
        n += quad_sectors(addr + quad, r->mask >> quad & 15);
    return n;
}

void lines_local(const struct record *r, uint64_t base, bool bytes, struct lines *out)
{
    unsigned words = r->bytes > 4 ? r->bytes / 4u : 1, n = r->bytes > 4 ? 4 : r->bytes;
    struct finder f;
    uint64_t own[32];
    const uint64_t *addr = lanes_addresses(r, own);
    finder_init(&f, out);
    for (unsigned w = 0; w < words; w++)
        LANES_EACH(lane, r->mask)
            touch(out, find(&f, (base >> LINE_SHIFT) + addr[lane] / 4 + w, bytes), lane * 4 + (n < 4 ? (unsigned)addr[lane] & 3 : 0), n, bytes);
    if (bytes)
        find_full(out);
}

unsigned lines_sectors(const struct lines *l)
{
    unsigned n = 0;
    for (int i = 0; i < l->n; i++)
        n += lines_count(l->sectors[i]);
    return n;
}
