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

enum { PAGE = 4096, SLACK = 8 };

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

/* The n bits (at most 32) from `at`, in the low ones. Eight bytes are read, so all bits have SLACK bytes behind them. */
static uint64_t get_bits(const uint8_t *bits, uint64_t at, unsigned n)
{
    uint64_t word;

    memcpy(&word, bits + (at >> 3), sizeof word);
    return word >> (at & 7) & ((UINT64_C(1) << n) - 1);
}

/* Nothing else is written: the next bytes may belong to another allocation, which the host makes at the same time. */
static void put_bits(uint8_t *bits, uint64_t at, unsigned n, uint64_t value)
{
    uint64_t mask = ((UINT64_C(1) << n) - 1) << (at & 7);

    value <<= at & 7;
    for (uint8_t *to = bits + (at >> 3); mask; to++, mask >>= 8, value >>= 8)
        *to = (uint8_t)((*to & ~mask) | (value & mask));
}

/* As memmove: the ranges may overlap. */
static void move_bits(uint8_t *bits, uint64_t to, uint64_t from, uint64_t n)
{
    uint64_t whole = (from & 7) == (to & 7) && n >= 64 ? (8 - (to & 7)) & 7 : n; /* up to where bytes can be moved */
    uint64_t bytes = (n - whole) / 8, rest = whole + 8 * bytes;

    if (to <= from)
        for (uint64_t i = 0, step; i < whole; i += step) {
            step = whole - i < 32 ? whole - i : 32;
            put_bits(bits, to + i, (unsigned)step, get_bits(bits, from + i, (unsigned)step));
        }
    else if (rest < n)
        put_bits(bits, to + rest, (unsigned)(n - rest), get_bits(bits, from + rest, (unsigned)(n - rest)));
    memmove(bits + (to + whole) / 8, bits + (from + whole) / 8, bytes);
    if (to > from)
        for (uint64_t left = whole, step; left; left -= step) {
            step = left < 32 ? left : 32;
            put_bits(bits, to + left - step, (unsigned)step, get_bits(bits, from + left - step, (unsigned)step));
        }
    else if (rest < n)
        put_bits(bits, to + rest, (unsigned)(n - rest), get_bits(bits, from + rest, (unsigned)(n - rest)));
}

static bool all_set(const uint8_t *bits, uint64_t at, unsigned n)
{
    return get_bits(bits, at, n) == (UINT64_C(1) << n) - 1;
}

/* --- global memory --- */

static struct check *open_check[SPACE_DEVICES]; /* by its space's place: kernels write other devices' memory, too */

void written_open(struct check *c)
{
    void *map;

    c->bits = c->space->bytes;
    map = mmap(NULL, c->bits / 8 + SLACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->written = map == MAP_FAILED ? NULL : map;
    if (!c->written)
        c->tools &= ~(unsigned)CHECK_INITCHECK;
    open_check[c->space->place] = c->written ? c : NULL;
}

void written_close(struct check *c)
{
    if (c->written && open_check[c->space->place] == c)
        open_check[c->space->place] = NULL;
    if (c->written)
        munmap(c->written, c->bits / 8 + SLACK);
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
    move_bits(c->written, to, from, n);
}

uint64_t check_unwritten(const struct check *c, uint64_t address, uint64_t bytes, uint64_t *first)
{
    uint64_t at = address, n = clip(c, &at, bytes), none = 0;

    for (uint64_t i = 0, step; i < n; i += step) {
        uint64_t bits;

        step = n - i < 32 ? n - i : 32;
        bits = ~get_bits(c->written, at + i, (unsigned)step) & ((UINT64_C(1) << step) - 1);
        if (bits && !none)
            *first = address + i + (unsigned)__builtin_ctzll(bits);
        none += (unsigned)__builtin_popcountll(bits);
    }
    return none;
}

/* --- shared and local memory of a block --- */

void written_block(const struct check_launch *cl, struct check_block *b)
{
    const struct launch *l = cl->launch;
    size_t shared = l->shared_bytes / 8 + SLACK, local = (size_t)l->local_size * l->threads / 8 + SLACK;

    if (!b->shared)
        b->shared = alloc_zeroed(shared);
    else
        memset(b->shared, 0, shared);
    if (!l->local_size)
        return;
    if (!b->local)
        b->local = alloc_zeroed(local);
    else
        memset(b->local, 0, local);
}

/* --- records --- */

/* The bits that say of a lane's access what was written, and what to add to its address for its place among them; NULL: all
 * counts as written. */
static uint8_t *bits_of(struct check_launch *cl, const struct check_block *b, const struct record *r, unsigned lane,
                        uint64_t *shift)
{
    const struct space_allocation *a;
    const struct space *in;

    *shift = 0;
    switch (r->space) {
    case PTX_SHARED:
        return b->shared;
    case PTX_LOCAL:
        *shift = (uint64_t)(32 * r->warp + lane) * cl->launch->local_size;
        return b->local;
    case PTX_GLOBAL:
        a = check_allocation(cl, r->addr[lane]);
        if (!a || a->kind != SPACE_PROGRAM)
            return NULL;
        in = space_reach(cl->check->space, a->address);
        *shift = -in->base;
        return open_check[in->place] ? open_check[in->place]->written : NULL;
    default:
        return NULL;
    }
}

static void found(struct check_launch *cl, const struct check_block *b, const struct record *r, unsigned lane, int part, unsigned bytes)
{
    struct check_finding f = check_at(cl, CHECK_UNINITIALISED, b->block, r->warp, lane, (int32_t)r->site);

    f.part = part;
    f.space = r->space;
    f.op = r->op;
    f.bytes = (uint8_t)bytes;
    f.address = r->addr[lane] + (part < 0 ? 0 : (unsigned)part * bytes);
    check_add(cl, &f);
}

static void unwritten(struct check_launch *cl, struct check_block *b, const struct record *r, unsigned lane, int part, unsigned bytes)
{
    if (late_load(cl, r))
        late_unwritten(cl, b, r, lane, part);
    else
        found(cl, b, r, lane, part, bytes);
}

/* Some of the lane's bytes, from bit `at` on, were never written: told of the access, or of those that it was made of. */
static void look_at_parts(struct check_launch *cl, struct check_block *b, const struct record *r, unsigned lane, const uint8_t *bits,
                          uint64_t at)
{
    const struct ir_inst *in = &cl->launch->kernel->insts[r->site];
    unsigned n = in->parts ? in->vec : 0, bytes = n ? r->bytes / n : r->bytes;

    if (!n)
        unwritten(cl, b, r, lane, -1, bytes);
    for (unsigned e = 0; e < n; e++)
        if (in->parts[e] && in->dst[e] != IR_NOREG && !all_set(bits, at + e * bytes, bytes))
            unwritten(cl, b, r, lane, (int)e, bytes);
}

/* Lanes often read the same bytes as the lane before. */
static void look_at(struct check_launch *cl, struct check_block *b, const struct record *r, bool reads, bool writes)
{
    uint64_t last = UINT64_MAX; /* address whose bytes are known to be written */

    for (uint32_t left = r->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        uint64_t shift, at = r->addr[i];
        uint8_t *bits;

        if (at == last && !writes && r->space != PTX_LOCAL)
            continue;
        bits = bits_of(cl, b, r, i, &shift);
        if (bits && reads && !all_set(bits, at + shift, r->bytes))
            look_at_parts(cl, b, r, i, bits, at + shift);
        else
            last = at;
        if (bits && writes)
            put_bits(bits, at + shift, r->bytes, (UINT64_C(1) << r->bytes) - 1);
    }
}

void written_record(struct check_launch *cl, struct check_block *b, const struct record *r)
{
    bool copy = r->op == RECORD_LDGSTS;
    bool atomic = r->op == RECORD_ATOM || r->op == RECORD_RED;
    bool reads = atomic || r->op == RECORD_LOAD || r->op == RECORD_SULD || (copy && r->space == PTX_GLOBAL);
    bool writes = atomic || r->op == RECORD_STORE || r->op == RECORD_SUST || (copy && r->space == PTX_SHARED);

    if (reads || writes)
        look_at(cl, b, r, reads, writes);
}
