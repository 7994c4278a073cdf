/* Records: what a warp did to memory, one per warp-level memory instruction.
 *
 * The executor never calls a model: it fills a warp's ring with records and stops when the ring is full or when
 * something happens whose order another warp can see. The clock pulls the records and feeds the models, so a live
 * run, a recorded trace and a unit test feed the same code.
 * Addresses: global and constant: device addresses. Shared: byte offset in the block's shared memory. Local: byte offset in the
 * thread's local memory (the hardware's interleaving is the model's business). A warp-level access through generic
 * addresses is cut into one record per space that its lanes touch. */
#ifndef SIMT_RECORD_H
#define SIMT_RECORD_H

#include <stdint.h>

/* LDGSTS: cp.async, one record of its global addresses (lanes that read anything) and one of its shared ones.
 * From RECORD_ARRIVE on: what orders accesses; such records are made in watched launches only (watch.h), in the order
 * in which the warp does things, and a barrier's completion is in the ring of the warp that completed it. */
enum record_op {
    RECORD_LOAD, RECORD_STORE, RECORD_ATOM, RECORD_RED, RECORD_LDGSTS, RECORD_TEXTURE,
    RECORD_SULD, RECORD_SUST, /* of surfaces: nothing counts them yet */
    RECORD_ARRIVE,   /* at block barrier addr[0]; elem: 1 if the lanes wait there, 0: bar.arrive; addr[1]: lanes of the
                        warp that are elsewhere, and have more to do than to exit */
    RECORD_COMPLETE, /* of block barrier addr[0]; the mask means nothing */
    RECORD_MEET,     /* lanes that have met: __syncwarp, shuffles, votes; addr[0]: the members that were named */
    RECORD_FENCE,    /* where caches are modelled instead, too: fences that hold for the device */
    RECORD_EXIT,
    RECORD_STEP,     /* the lanes are about to do the instruction, one that watch.traced names */
    RECORD_COPIED,   /* asynchronous copies of `bytes` to shared addr[lane] were waited for and are done */
    RECORD_ENTER,    /* in launches whose caches are modelled instead: the lanes are at the head of the block that begins with
                        `site`, one of ir_kernel.entered */
    RECORD_COMMIT,   /* there, too: a group of asynchronous copies is closed */
    RECORD_AWAIT     /* and all are waited for but addr[0] closed ones; elem: 1: the open one, too */
};

/* Kinds of accesses that a launch may count or leave out, as bits. */
enum access_kind {
    ACCESS_GLOBAL_LD = 1, ACCESS_GLOBAL_ST = 2, ACCESS_GLOBAL_ATOM = 4, ACCESS_LOCAL = 8, ACCESS_SHARED = 16, ACCESS_SHARED_ATOM = 32,
    ACCESS_CONST = 64, ACCESS_ATOM_LOOP = 128, /* atomics that are loops: how often these go round */
    ACCESS_ALL = 255
};

/* Of a register that is spilled, with the site (clock/spills.h). */
enum spill_access { SPILL_NOT, SPILL, SPILL_WAITS /* a store of what the site loads */ };

enum record_shape {
    RECORD_UNIFORM, /* all lanes: addr[0] */
    RECORD_AFFINE,  /* lane i: addr[0] + i * stride */
    RECORD_EXPLICIT /* lane i: addr[i], for lanes in mask */
};

struct record {
    uint64_t addr[32]; /* see enum record_shape */
    uint32_t site;   /* index of the instruction in the kernel's IR: names source line and counters */
    uint32_t mask;   /* lanes that take part, guard applied; never 0. Atomics that one lane does for all: that lane */
    uint8_t op;      /* enum record_op */
    uint8_t space;   /* enum ptx_space: GLOBAL, SHARED, LOCAL, CONST */
    uint8_t shape;   /* enum record_shape */
    uint8_t bytes;   /* a lane: element size times vector length: 1 to 16 (32 for .v4.f64 and the like) */
    uint8_t elem;    /* bytes of one element */
    uint8_t cache;   /* enum ptx_cache */
    uint8_t order;   /* enum ptx_order */
    uint8_t atomic;  /* enum ptx_atomic, for ATOM and RED */
    uint8_t type;    /* enum ptx_type of the element */
    uint8_t nc;      /* ld.global.nc: may use the read-only path */
    uint8_t counted; /* a shared addition of 1 without result: lanes on one word count as one (ATOMS.POPC.INC) */
    uint8_t generic; /* through a generic address */
    uint8_t matrix;  /* ldmatrix, stmatrix: rows of matrices */
    uint8_t spill;   /* enum spill_access */
    uint8_t texels;  /* TEXTURE: how many a lane's fetch needs, by its filter: 1, 2, 4 or 8; 0: one of linear memory, by its number */
    uint32_t unchanged; /* ATOM and RED: lanes that left their element as it was, each at its turn */
    int32_t stride;  /* AFFINE: bytes from lane to lane */
    uint32_t block;  /* linear block index, x fastest */
    uint16_t warp;   /* index in the block */
    uint16_t sm;     /* multiprocessor that the block runs on */
};

/* What the lanes of a store write, as it lies in memory: in watched launches, beside the record. */
struct record_values {
    uint8_t byte[32][32];
};

/* The address of one lane under any shape. */
static inline uint64_t record_address(const struct record *r, int lane)
{
    switch (r->shape) {
    case RECORD_UNIFORM:
        return r->addr[0];
    case RECORD_AFFINE:
        return r->addr[0] + (uint64_t)(int64_t)lane * (uint64_t)(int64_t)r->stride;
    default:
        return r->addr[lane];
    }
}

#endif
