/* memory_access: which rule a record goes through, and which counters it adds to. */
#include "memory/memory.h"

#include <assert.h>

#include "memory/lanes.h"
#include "ptx/ptx.h"

void memory_init(struct memory *m, struct counters *sites, uint32_t nsites)
{
    m->sites = sites;
    m->nsites = nsites;
    m->rules = NULL;
}

void memory_set_rules(struct memory *m, const struct rules *rules)
{
    m->rules = rules && (rules->set->global || rules->readonly) ? rules : NULL;
}

/* The four counters of a kind stand in this order in counters.def: requests, cost, ideal, bytes. */
enum { COST = 1, IDEAL = 2, BYTES = 3 };

_Static_assert(COUNTER_GLOBAL_LD_SECTORS == COUNTER_GLOBAL_LD_REQUESTS + COST, "order in counters.def");
_Static_assert(COUNTER_LOCAL_ST_IDEAL == COUNTER_LOCAL_ST_REQUESTS + IDEAL, "order in counters.def");
_Static_assert(COUNTER_SHARED_ATOM_BYTES == COUNTER_SHARED_ATOM_REQUESTS + BYTES, "order in counters.def");

/* So many accesses that cost so much each. */
static void count(uint64_t *v, uint64_t times, unsigned cost, unsigned ideal, unsigned bytes)
{
    v[0] += times;
    v[COST] += times * cost;
    v[IDEAL] += times * (ideal < cost ? ideal : cost);
    v[BYTES] += times * bytes;
}

/* The texture unit takes a warp in quads: 8 requests for a full warp. Measured on an NVIDIA H200 (texture2d,
 * l1tex__t_requests_pipe_tex_mem_texture, 2026-11-20: 8 for each of 32768 warp instructions, row, column and rotated). That a quad
 * without an active lane costs nothing is our reading. */
static void texture(uint64_t *v, uint64_t times, const struct record *r)
{
    v[COUNTER_TEXTURE_INST] += times;
    for (int quad = 0; quad < 32; quad += 4)
        v[COUNTER_TEXTURE_REQUESTS] += times * ((r->mask >> quad & 0xf) != 0);
}

/* An atomic of 16 bits: see atomics.c. */
static void global_loop(uint64_t *v, uint64_t times, const struct record *r, bool halves)
{
    struct record load;
    unsigned bytes = lanes_count(r->mask) * r->bytes;

    atomics_word_record(r, &load);
    load.op = RECORD_LOAD;
    count(v + COUNTER_GLOBAL_LD_REQUESTS, times, coalescer_sectors(&load), (bytes + 31) / 32, bytes);
    for (uint32_t mask = r->mask; mask;) {
        struct atomics_round round = atomics_global_round(r, mask);
        unsigned lanes = lanes_count(mask);

        count(v + COUNTER_GLOBAL_ATOM_REQUESTS, times, round.sectors, (lanes * r->bytes + 31) / 32, lanes * r->bytes);
        if (halves && r->generic) {
            v[COUNTER_SHARED_ATOM_WAVEFRONTS] += times * 2;
            v[COUNTER_SHARED_ATOM_IDEAL] += times * 2;
        }
        if (halves)
            v[COUNTER_HADD] += times * lanes;
        mask &= ~round.done;
    }
}

/* An asynchronous copy is a load and counted among the loads too (truth: l1tex__t_*_global_op_ld include LDGSTS). */
static void global(uint64_t *v, uint64_t times, const struct record *r, unsigned bytes, unsigned known)
{
    static const uint8_t kind[] = {
        [RECORD_LOAD] = COUNTER_GLOBAL_LD_REQUESTS,   [RECORD_STORE] = COUNTER_GLOBAL_ST_REQUESTS,
        [RECORD_ATOM] = COUNTER_GLOBAL_ATOM_REQUESTS, [RECORD_RED] = COUNTER_GLOBAL_RED_REQUESTS,
        [RECORD_LDGSTS] = COUNTER_GLOBAL_LD_REQUESTS,
    };
    bool atomic = r->op == RECORD_ATOM || r->op == RECORD_RED;

    if (r->op == RECORD_TEXTURE) {
        texture(v, times, r);
        return;
    }
    if (r->op == RECORD_SULD || r->op == RECORD_SUST)
        return;
    bool halves = r->type == PTX_F16 || r->type == PTX_F16X2 || r->type == PTX_BF16 || r->type == PTX_BF16X2;
    if (atomic && atomics_global_loops(r)) {
        global_loop(v, times, r, halves);
        return;
    }
    if (atomic && halves && r->generic) {
        v[COUNTER_SHARED_ATOM_WAVEFRONTS] += times;
        v[COUNTER_SHARED_ATOM_IDEAL] += times;
    }
    unsigned rounds, sectors = atomic ? atomics_sectors(r, &rounds) : known ? known : coalescer_sectors(r);

    count(v + kind[r->op], times, sectors, (bytes + 31) / 32, bytes);
    if (r->op == RECORD_LDGSTS) {
        v[COUNTER_GLOBAL_LDGSTS_REQUESTS] += times;
        v[COUNTER_GLOBAL_LDGSTS_SECTORS] += times * sectors;
    }
}

/* Atomics on local memory are private to a thread: the hardware loads and stores. Each 4-byte word of a lane is a request
 * of its own: 64 bits 2, 128 bits 4 (H200, 2026-11-21, local_memory of tests/truth/rules: 96 launches). */
static void local(uint64_t *v, uint64_t times, const struct record *r, unsigned bytes, unsigned known)
{
    unsigned sectors = known ? known : local_sectors(r), ideal = (bytes + 31) / 32, more = r->bytes > 4 ? r->bytes / 4u - 1 : 0;

    if (r->op != RECORD_STORE) {
        count(v + COUNTER_LOCAL_LD_REQUESTS, times, sectors, ideal, bytes);
        v[COUNTER_LOCAL_LD_REQUESTS] += times * more;
        v[COUNTER_LOCAL_LD_INST] += times;
    }
    if (r->op != RECORD_LOAD) {
        count(v + COUNTER_LOCAL_ST_REQUESTS, times, sectors, ideal, bytes);
        v[COUNTER_LOCAL_ST_REQUESTS] += times * more;
        v[COUNTER_LOCAL_ST_INST] += times;
    }
}

static void shared_load(uint64_t *v, uint64_t times, const struct shared_passes *p, unsigned bytes)
{
    count(v + COUNTER_SHARED_LD_REQUESTS, times, p->wavefronts, p->ideal, bytes);
    v[COUNTER_SHARED_LD_SASS_MORE] += times * (p->sass - p->wavefronts);
}

/* An atomic that is a loop of load, operation and compare-and-swap: see atomics.c. */
static void shared_loop(uint64_t *v, uint64_t times, const struct record *r)
{
    struct record load = *r;

    load.op = RECORD_LOAD;
    while (load.mask) {
        unsigned lanes = lanes_count(load.mask), bytes = lanes * r->bytes;
        struct atomics_round round = atomics_shared_round(r, load.mask);
        struct shared_passes p = shared_passes(&load);

        shared_load(v, times, &p, bytes);
        count(v + COUNTER_SHARED_ATOM_REQUESTS, times, round.wavefronts, 1, bytes);
        if (r->atomic == PTX_ATOMIC_ADD && r->type == PTX_F32)
            v[COUNTER_FADD] += times * lanes;
        if (r->atomic == PTX_ATOMIC_ADD && r->type == PTX_F64)
            v[COUNTER_DADD] += times * lanes;
        if (r->atomic == PTX_ATOMIC_ADD && r->bytes == 4 && r->type != PTX_F32)
            v[COUNTER_HFMA] += times * lanes; /* a pair of halves: HFMA2 */
        load.mask &= ~round.done;
    }
}

/* An atomic of 16 bits: a load of the words, then a compare-and-swap of them in each round. */
static void shared_half_loop(uint64_t *v, uint64_t times, const struct record *r, bool halves)
{
    struct record swap;

    atomics_word_record(r, &swap);
    swap.op = RECORD_LOAD;
    struct shared_passes p = shared_passes(&swap);
    shared_load(v, times, &p, lanes_count(r->mask) * r->bytes);
    swap.op = RECORD_ATOM;
    swap.atomic = PTX_ATOMIC_CAS;
    while (swap.mask) {
        unsigned lanes = lanes_count(swap.mask);

        count(v + COUNTER_SHARED_ATOM_REQUESTS, times, atomics_shared_wavefronts(&swap), 1, lanes * r->bytes);
        if (halves)
            v[COUNTER_HADD] += times * lanes;
        swap.mask &= ~atomics_global_round(r, swap.mask).done;
    }
}

/* ldmatrix and stmatrix, once more by themselves: REQUESTS, WAVEFRONTS, IDEAL. Each matrix is a group of 8 lanes, as of other accesses of
 * 128 bits (H200, 2026-11-23: matrix_access of tests/truth/rules, 413 launches). */
static void matrices(uint64_t *v, uint64_t times, const struct shared_passes *p)
{
    v[0] += times;
    v[1] += times * p->wavefronts;
    v[2] += times * p->ideal;
}

static void shared(uint64_t *v, uint64_t times, const struct record *r, unsigned bytes)
{
    if (r->op == RECORD_ATOM || r->op == RECORD_RED) {
        if (r->bytes == 2)
            shared_half_loop(v, times, r, r->type == PTX_F16 || r->type == PTX_BF16);
        else if (atomics_shared_loops(r))
            shared_loop(v, times, r);
        else
            count(v + COUNTER_SHARED_ATOM_REQUESTS, times, atomics_shared_wavefronts(r), 1, bytes);
        return;
    }
    struct shared_passes p = shared_passes(r);
    if (r->op == RECORD_LDGSTS)
        v[COUNTER_SHARED_LDGSTS_WAVEFRONTS] += times * p.wavefronts;
    else if (r->op == RECORD_LOAD)
        shared_load(v, times, &p, bytes);
    else
        count(v + COUNTER_SHARED_ST_REQUESTS, times, p.wavefronts, p.ideal, bytes);
    if (r->matrix)
        matrices(v + (r->op == RECORD_LOAD ? COUNTER_SHARED_LDSM_REQUESTS : COUNTER_SHARED_STSM_REQUESTS), times, &p);
}

static void constant(uint64_t *v, uint64_t times, const struct record *r, unsigned bytes)
{
    v[COUNTER_CONST_REQUESTS] += times;
    v[COUNTER_CONST_ADDRESSES] += times * constant_addresses(r);
    v[COUNTER_CONST_BYTES] += times * bytes;
}

static void count_all(struct memory *m, const struct record *r, uint64_t times, unsigned known)
{
    unsigned bytes = lanes_count(r->mask) * r->bytes;
    uint64_t *v;

    assert(r->site < m->nsites && r->mask);
    v = m->sites[r->site].v;
    if (m->rules && rules_count(m->rules, v, times, r))
        return;
    switch (r->space) {
    case PTX_GLOBAL:
        global(v, times, r, bytes, known);
        break;
    case PTX_SHARED:
        shared(v, times, r, bytes);
        break;
    case PTX_LOCAL:
        local(v, times, r, bytes, known);
        break;
    case PTX_CONST:
        constant(v, times, r, bytes);
        break;
    default:
        break;
    }
}

void memory_accesses(struct memory *m, const struct record *r, uint64_t times)
{
    count_all(m, r, times, 0);
}

void memory_access_of(struct memory *m, const struct record *r, unsigned sectors)
{
    count_all(m, r, 1, sectors);
}
