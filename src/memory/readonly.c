/* Caches that are only read: of constant memory, and of textures where they have one apart from L1.
 *
 * What is behind it:
 * - Constants: a small first level and a larger one behind it in each multiprocessor, then L2. Each distinct address of a
 *   warp is a look-up of its own (constant.c). 2 KB in lines of 64 bytes and 4 ways: Wong et al. 2010 (GT200), Jia et al. 2018
 *   (K80 to V100); the description has the sizes. An H200 agrees (constant_index, 2026-11-20): 8 lines that are 256
 *   bytes apart stay, in two of eight sets; of 32 only a tenth is found.
 * - A look-up of a line that is on its way counts as a miss, up to 16 times (constant_index: 16 to 19 misses a line and
 *   multiprocessor, whose 64 warps all want it).
 * - A multiprocessor looks up an address in 2 cycles, in 6 if it misses (constant_index: 2.2 with 2 to 8 addresses, 5.7 with 32
 *   that nearly all miss); those of one warp follow each other after 11, and the second level takes 70 cycles more than the first
 *   (H200, examples/microbench, 2026-11-22: tests/truth/microbench/h200.txt).
 * - Textures of devices before 5.0: 8 sets (Wong et al. 2010: 5 KB, 20 ways, lines of 32 bytes), fetched by 32 bytes.
 * Replacement: least recently used, our reading. The second level's lines are not known of most devices: here as long as
 * those of the first. */
#include "memory/caches.h"

#include <string.h>

#include "memory/lanes.h"
#include "memory/sets.h"

enum { CONSTANT_WAYS = 4, TEXTURE_SETS = 8, SECTOR_SHIFT = 5 };

/* --- a plain cache --- */

struct entry {
    uint64_t number;  /* of the line, + 1; 0: empty */
    uint64_t ready;   /* constants: cycle in which the line has come */
    uint32_t stamp;
    uint8_t asked;    /* constants: look-ups before that, up to constant_pending of the description */
    uint8_t valid;    /* bits of sectors */
};

struct readonly {
    uint32_t sets, ways, line; /* line: bytes, 32 to 256 */
    uint32_t now;     /* of stamps */
    struct entry *entry; /* [sets][ways] */
};

struct readonly *readonly_new(uint32_t bytes, uint32_t line, uint32_t ways, struct pages *memory)
{
    struct readonly *c = pages_take(memory, sizeof *c);
    uint32_t sets = bytes / line / (ways ? ways : 1);
    *c = (struct readonly){.sets = sets ? sets : 1, .ways = ways ? ways : 1, .line = line};
    c->entry = pages_take(memory, (size_t)c->sets * c->ways * sizeof *c->entry);
    return c;
}

void readonly_clear(struct readonly *c)
{
    if (!c || !c->now) /* nobody has used it */
        return;
    memset(c->entry, 0, (size_t)c->sets * c->ways * sizeof *c->entry);
    c->now = 0;
}

/* The entry of a line, made if need be. *there: it was there. */
static struct entry *place(struct readonly *c, uint64_t number, bool *there)
{
    struct entry *set = &c->entry[(size_t)(number % c->sets) * c->ways], *e = set;
    *there = false;
    for (uint32_t i = 0; i < c->ways && !*there; i++) {
        *there = set[i].number == number + 1;
        e = *there || set[i].stamp < e->stamp ? &set[i] : e;
    }
    if (!*there)
        *e = (struct entry){.number = number + 1};
    e->stamp = ++c->now;
    return e;
}

unsigned readonly_look(struct readonly *c, uint64_t line, unsigned sectors)
{
    unsigned found = 0, per_line = c->line >> SECTOR_SHIFT;
    for (unsigned s = 0; s < LINE_SECTORS; s++) {
        if (!(sectors >> s & 1))
            continue;
        uint64_t sector = line * LINE_SECTORS + s;
        bool there;
        struct entry *e = place(c, sector / per_line, &there);
        unsigned bit = 1u << sector % per_line;
        found |= (unsigned)((e->valid & bit) != 0) << s;
        e->valid |= (uint8_t)bit;
    }
    return found;
}

/* --- constants --- */

struct constants {
    struct readonly *level[2];
    struct caches_config c;
};

struct constants *constants_new(const struct caches_config *c, struct pages *memory)
{
    struct constants *k = pages_take(memory, sizeof *k);
    k->c = *c;
    for (int i = 0; i < 2; i++)
        k->level[i] = readonly_new(c->constant_bytes[i], c->constant_line, CONSTANT_WAYS, memory);
    return k;
}

void constants_clear(struct constants *k)
{
    readonly_clear(k->level[0]);
    readonly_clear(k->level[1]);
}

/* One address. Returns the cycle in which it has its data; *hit: the first level had it. */
static uint64_t look_up(struct constants *k, const struct record *r, uint64_t address, uint64_t time, struct l2_queue *to, bool *hit)
{
    const struct caches_config *c = &k->c;
    bool there, behind;
    struct entry *e = place(k->level[0], address / c->constant_line, &there);
    *hit = there && (e->ready <= time || e->asked == c->constant_pending);
    if (there) {
        e->asked += e->asked < c->constant_pending;
        return (e->ready > time ? e->ready : time) + c->constant_latency;
    }
    place(k->level[1], address / c->constant_line, &behind);
    e->ready = time + (behind ? c->constant_behind_cycles : c->l2_latency);
    e->asked = 1;
    if (!behind) {
        uint64_t sector = address / c->constant_line * c->constant_line >> SECTOR_SHIFT, end = sector + (c->constant_line >> SECTOR_SHIFT);
        while (sector < end) { /* of each line of L2 */
            unsigned n = end - sector < LINE_SECTORS ? (unsigned)(end - sector) : LINE_SECTORS;
            struct l2_request ask = {.line = sector / LINE_SECTORS, .time = time, .site = r->site,
                                     .sectors = (uint8_t)(((1u << n) - 1) << sector % LINE_SECTORS), .op = L2_CONSTANT,
                                     .waiter = L2_NOBODY, .fill = L2_NOWHERE};
            l2_queue_add(to, &ask, NULL);
            sector += n;
        }
    }
    return e->ready + c->constant_latency;
}

uint64_t constants_access(struct constants *k, const struct record *r, uint64_t time, struct counters *sites, struct l2_queue *to,
                          unsigned *busy)
{
    const struct caches_config *c = &k->c;
    uint64_t own[32], ready = time, hits = 0, start = time;
    const uint64_t *addr = lanes_addresses(r, own);
    uint32_t first = r->shape == RECORD_UNIFORM && c->constant_lanes == 32 ? 1 : sets_now()->fresh(addr, r->mask, 0, (int)c->constant_lanes);
    *busy = 0;
    LANES_EACH(lane, first) {
        bool hit;
        uint64_t at = look_up(k, r, addr[lane], start, to, &hit);
        start += c->constant_next_cycles;
        ready = at > ready ? at : ready;
        hits += hit;
        *busy += hit ? c->constant_hit_cycles : c->constant_miss_cycles;
    }
    sites[r->site].v[COUNTER_CONST_HIT] += hits;
    return ready;
}

/* --- textures --- */

struct readonly *textures_new(const struct caches_config *c, struct pages *memory)
{
    return c->texture_bytes ? readonly_new(c->texture_bytes, c->texture_line, c->texture_bytes / c->texture_line / TEXTURE_SETS, memory) : NULL;
}

unsigned textures_access(struct readonly *t, const struct record *r, uint64_t time, uint32_t waiter, struct counters *sites,
                         struct l2_queue *to, unsigned *lines)
{
    struct counters *c = &sites[r->site];
    struct lines l;
    bool texture = r->op == RECORD_TEXTURE;
    unsigned touched = 0, missed = 0;
    if (texture) {
        touched = lines_texture(r, &l);
    } else {
        lines_global(r, false, &l);
        touched = lines_sectors(&l);
    }
    for (int i = 0; i < l.n; i++) {
        unsigned missing = l.sectors[i] & ~readonly_look(t, l.line[i], l.sectors[i]);
        struct l2_request ask = {.line = l.line[i], .time = time, .site = r->site, .sectors = (uint8_t)missing, .op = L2_TEXTURE,
                                 .waiter = waiter, .fill = L2_NOWHERE};
        if (missing)
            l2_queue_add(to, &ask, NULL);
        missed += lines_count(missing);
    }
    c->v[COUNTER_L1_TEXTURE_SECTORS] += texture ? touched : 0;
    c->v[texture ? COUNTER_L1_TEXTURE_HIT : COUNTER_READONLY_HIT] += touched - missed;
    *lines = (unsigned)l.n;
    return missed;
}
