/* Rule sets: what an access costs on the generations of GPUs.
 *
 * Requests, sectors and bytes (memory.h) mean the same everywhere. What differs is in one table, rules.def: how global
 * and local accesses become transactions of 32, 64 and 128 bytes before compute capability 5.0, the banks of shared
 * memory, constant loads, and whether read-only loads have a path of their own. A launch's rules follow from the device's
 * description, once (rules_of); its row is chosen by compute capability, what L1 takes by the figure l1_global, the
 * read-only path by readonly_path. docs/generations.md has the rules with their sources.
 * What a rule counts depends on the lanes, on their addresses relative to each other and on the lowest modulo 128 bytes;
 * in shared memory modulo `shared_residue`: 256 for banks of 8 bytes addressed by 4 (a row of all banks), else 128. */
#ifndef MEMORY_RULES_H
#define MEMORY_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "device/device.h"
#include "simt/record.h"

struct transaction {
    uint64_t addr;
    unsigned bytes; /* 32, 64 or 128 */
};

enum { TRANSACTIONS_MAX = 256 /* of one access: 32 lanes with 8 words of local memory each */ };

/* One access's transactions by size in bytes. */
struct transactions {
    unsigned of_32, of_64, of_128;
    unsigned lines; /* 2.x and 3.x: lines of 128 bytes, each request's apart */
    struct transaction *each; /* 1.x: NULL, or room for TRANSACTIONS_MAX, where they are put one by one */
    unsigned n;
};

struct rule_set {
    const char *id, *what;
    int first, last;
    void (*global)(const struct record *r, bool cached, struct transactions *t); /* adds; cached: through L1 */
    unsigned (*shared)(const struct record *r, unsigned *ideal); /* *ideal: passes without conflicts */
    unsigned (*wide)(const struct record *r, unsigned *ideal);
    unsigned (*constant)(const struct record *r);
    bool readonly;
};

/* A launch's rules. */
struct rules {
    const struct rule_set *set;
    int l1_global;       /* enum device_word: which global loads go through L1 */
    bool local_l1;       /* local accesses do */
    bool readonly;       /* read-only loads are told of */
    bool readonly_apart; /* and are no loads of the L1 path */
    bool wide_banks;     /* eight-byte banks were asked for */
    unsigned shared_residue; /* bytes; a power of two */
};

/* eight_byte_banks: what the program asked for; devices without the choice ignore it, as CUDA does. */
struct rules rules_of(const struct device *d, bool eight_byte_banks);

/* The i-th row; NULL past the last. */
const struct rule_set *rules_at(int i);

/* Loads and stores of global memory come as transactions of several sizes, not as sectors. */
static inline bool rules_by_size(const struct rules *k)
{
    return k->set->global;
}

/* Counts what is special to the rules, so many times; true: there is no more to count of the access. */
bool rules_count(const struct rules *k, uint64_t *counters, uint64_t times, const struct record *r);

/* --- the rules themselves; every one a pure function of the record --- */

void halfwarp_in_order(const struct record *r, bool cached, struct transactions *t);      /* 1.0, 1.1 */
void halfwarp_segments(const struct record *r, bool cached, struct transactions *t);      /* 1.2, 1.3 */
void cacheline_transactions(const struct record *r, bool cached, struct transactions *t); /* 2.x, 3.x */
/* The same of a local access, under a rule for global ones: words of lanes side by side. */
void local_transactions(const struct rule_set *set, const struct record *r, bool cached, struct transactions *t);
unsigned banks_16(const struct record *r, unsigned *ideal);        /* 1.x */
unsigned banks_32(const struct record *r, unsigned *ideal);        /* 2.x */
unsigned banks_wide_by_4(const struct record *r, unsigned *ideal); /* 3.x, words of 4 bytes in successive banks */
unsigned banks_wide_by_8(const struct record *r, unsigned *ideal); /* 3.x, words of 8 bytes */
unsigned constant_by_halves(const struct record *r);               /* 1.x */

#endif
