/* initcheck: reads of bytes that nobody has written. One bit a byte, in global, shared and local memory.
 *
 * Only memory of cudaMalloc is looked at: variables begin as zero or with their initialiser, and what the host does in
 * managed and pinned memory cannot be seen. */
#define _GNU_SOURCE
#include "check/private.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"
#include "ptx/ptx.h"

enum { PAGE = 4096 };

/* --- bits --- */

static void set_bits(uint8_t *bits, uint64_t from, uint64_t n)
{
    for (; n && (from & 7); from++, n--)
        bits[from >> 3] |= (uint8_t)(1u << (from & 7));
    memset(bits + (from >> 3), 0xff, n >> 3);
    from += n & ~UINT64_C(7);
    for (n &= 7; n; from++, n--)
        bits[from >> 3] |= (uint8_t)(1u << (from & 7));
}

static void clear_bits(uint8_t *bits, uint64_t from, uint64_t n)
{
    for (; n && (from & 7); from++, n--)
        bits[from >> 3] &= (uint8_t)~(1u << (from & 7));
    memset(bits + (from >> 3), 0, n >> 3);
    from += n & ~UINT64_C(7);
    for (n &= 7; n; from++, n--)
        bits[from >> 3] &= (uint8_t)~(1u << (from & 7));
}

static bool bit(const uint8_t *bits, uint64_t at)
{
    return bits[at >> 3] >> (at & 7) & 1;
}

/* The n bits (at most 32) from `at`, aligned to n when n is 8 or less. */
static bool all_set(const uint8_t *bits, uint64_t at, unsigned n)
{
    if (n <= 8 && !(at & (n - 1u))) {
        unsigned mask = ((1u << n) - 1) << (at & 7);

        return (bits[at >> 3] & mask) == mask;
    }
    for (unsigned i = 0; i < n; i++)
        if (!bit(bits, at + i))
            return false;
    return true;
}

/* --- global memory --- */

void written_open(struct check *c)
{
    void *map;

    c->bits = c->space->bytes;
    map = mmap(NULL, c->bits / 8 + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->written = map == MAP_FAILED ? NULL : map;
    if (!c->written)
        c->tools &= ~(unsigned)CHECK_INITCHECK;
}

void written_close(struct check *c)
{
    if (c->written)
        munmap(c->written, c->bits / 8 + 1);
}

/* The part of a range that lies in the device's memory. */
static uint64_t clip(const struct check *c, uint64_t *address, uint64_t bytes)
{
    uint64_t at = *address - c->space->base;

    *address = at;
    if (!c->written || at >= c->bits)
        return 0;
    return bytes > c->bits - at ? c->bits - at : bytes;
}

void check_allocated(struct check *c, uint64_t address, uint64_t bytes)
{
    uint64_t n = clip(c, &address, bytes), first, last;

    if (!n)
        return;
    first = (address / 8 + PAGE - 1) / PAGE * PAGE; /* whole pages of bits go back to the machine */
    last = (address + n) / 8 / PAGE * PAGE;
    if (first < last) {
        madvise(c->written + first, last - first, MADV_DONTNEED);
        clear_bits(c->written, address, 8 * first - address);
        clear_bits(c->written, 8 * last, address + n - 8 * last);
    } else {
        clear_bits(c->written, address, n);
    }
}

void check_written(struct check *c, uint64_t address, uint64_t bytes)
{
    uint64_t n = clip(c, &address, bytes);

    if (n)
        set_bits(c->written, address, n);
}

void check_copied(struct check *c, uint64_t to, uint64_t from, uint64_t bytes)
{
    uint64_t n = clip(c, &to, bytes), m = clip(c, &from, bytes);

    if (n < bytes || m < bytes) { /* from the host, or to it */
        if (n)
            set_bits(c->written, to, n);
        return;
    }
    if (to <= from)
        for (uint64_t i = 0; i < n; i++)
            (bit(c->written, from + i) ? set_bits : clear_bits)(c->written, to + i, 1);
    else
        for (uint64_t i = n; i-- > 0;)
            (bit(c->written, from + i) ? set_bits : clear_bits)(c->written, to + i, 1);
}

uint64_t check_unwritten(const struct check *c, uint64_t address, uint64_t bytes)
{
    uint64_t at = address, n = clip(c, &at, bytes), i = 0;

    while (i < n) {
        if (!((at + i) & 7) && n - i >= 8 && c->written[(at + i) >> 3] == 0xff) {
            i += 8;
            continue;
        }
        if (!bit(c->written, at + i))
            return address + i;
        i++;
    }
    return address + bytes;
}

/* --- shared and local memory of a block --- */

void written_block(const struct check_launch *cl, struct check_block *b)
{
    const struct launch *l = cl->launch;
    size_t shared = l->shared_bytes / 8 + 1, local = (size_t)l->kernel->local_bytes * l->threads / 8 + 1;

    if (!b->shared)
        b->shared = alloc_zeroed(shared);
    else
        memset(b->shared, 0, shared);
    if (!l->kernel->local_bytes)
        return;
    if (!b->local)
        b->local = alloc_zeroed(local);
    else
        memset(b->local, 0, local);
}

/* --- records --- */

/* The bits that say of a lane's access what was written, and where it begins in them; NULL: all counts as written. */
static uint8_t *bits_of(struct check_launch *cl, const struct check_block *b, const struct record *r, int lane,
                        uint64_t *at)
{
    const struct space_allocation *a;

    *at = r->addr[lane];
    switch (r->space) {
    case PTX_SHARED:
        return b->shared;
    case PTX_LOCAL:
        *at += (uint64_t)(32 * r->warp + lane) * cl->launch->kernel->local_bytes;
        return b->local;
    case PTX_GLOBAL:
        a = check_allocation(cl, r->addr[lane]);
        *at -= cl->check->space->base;
        return a && a->kind == SPACE_PROGRAM ? cl->check->written : NULL;
    default:
        return NULL;
    }
}

static void look_at(struct check_launch *cl, struct check_block *b, const struct record *r, int lane, bool reads,
                    bool writes)
{
    uint64_t at;
    uint8_t *bits = bits_of(cl, b, r, lane, &at);

    if (!bits)
        return;
    if (reads && !all_set(bits, at, r->bytes)) {
        struct check_finding f = check_at(cl, CHECK_UNINITIALISED, b->block, r->warp, (unsigned)lane, (int32_t)r->site);

        f.space = r->space;
        f.op = r->op;
        f.bytes = r->bytes;
        f.address = r->addr[lane];
        check_add(cl, &f);
    }
    if (writes)
        set_bits(bits, at, r->bytes);
}

void written_record(struct check_launch *cl, struct check_block *b, const struct record *r)
{
    bool copy = r->op == RECORD_LDGSTS;
    bool reads = r->op == RECORD_LOAD || r->op == RECORD_ATOM || r->op == RECORD_RED || (copy && r->space == PTX_GLOBAL);
    bool writes = r->op == RECORD_STORE || r->op == RECORD_ATOM || r->op == RECORD_RED || (copy && r->space == PTX_SHARED);

    if (reads || writes)
        for (uint32_t left = r->mask; left; left &= left - 1)
            look_at(cl, b, r, __builtin_ctz(left), reads, writes);
}
