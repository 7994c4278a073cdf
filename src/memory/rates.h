/* What L2, the ways to it and DRAM can do at a time: servers that are booked (booked.h), so what comes late keeps back nobody who is there before.
 *
 * A request to L2 goes through the port of its GPC and takes its slice for some time; what it reads comes back through the port of the
 * GPC and that of the multiprocessor. Sectors of DRAM take a channel. Times are cycles of the multiprocessors; work is 1/256 of them.
 * Figures: struct caches_config. What is behind the rules (NVIDIA H200, 2026-11-30, tests/truth/time: l2.tsv, dram.tsv):
 * - One multiprocessor reads 116 bytes a cycle and writes 31, a GPC 634 and 421, all 4476 and 2252. What several of a GPC ask for together
 *   passes its port once: sixteen that read the same get 1164 (tests/truth/caches: together).
 * - Atomics of one word: one each 1.45 cycles; of other words in the same line a sector each 1.2 cycles, of several doubles and compare-and-swaps
 *   in it each 2.3. Sums of floats in one word wait 3.5 cycles for each other; where words are many, the slice takes as many as of integers. All of
 *   L2 takes fewer of them than its slices then could: sectors at random 52 a cycle, 39 with an answer, whatever they do, and lanes of a warp for
 *   one word 38 and 30. Half of them go through a slice of the other half first, which has the rest of the work here. A multiprocessor sends a
 *   sector a cycle, and one more for each further lane of a word (a word a warp: 0.96 a cycle). Two neighbouring lines are in one slice for atomics
 *   and stores, eight neighbours in two, and the next eight in the next two (a word of each of 8, 16, 32 lines: 1.3, 2.7, 5.3 a cycle).
 * - Stores of single sectors 41 a cycle, for the same reason: dram.tsv, random in 32 MiB. */
#ifndef MEMORY_RATES_H
#define MEMORY_RATES_H

#include "memory/caches.h"

struct rates;

struct rates *rates_new(const struct caches_config *c);
void rates_free(struct rates *r);

/* All of these are asked in the order of the requests' times. Each slice, chain, port and channel is by itself, so different threads may ask
 * different ones of them. */

/* Sums of floats in one word wait for each other, and so do stores to a sector which do not fill it: chains of them. Which one a store or an
 * atomic is in (0 where it is in none); when it has come at `time`, when it can go to its slice; *done: when the chain is done with it. */
uint32_t rates_chain_of(const struct rates *r, const struct l2_request *of);
uint64_t rates_chain(struct rates *r, const struct l2_request *of, uint64_t time, uint64_t *done);
/* Which slice the request goes to; when that is done with it, from `time` on. */
uint32_t rates_slice_of(const struct rates *r, const struct l2_request *of);
/* An atomic passes a slice of the other half, too; slices of the same number here are asked together. */
uint32_t rates_slices_of(const struct rates *r, uint32_t slice);
uint64_t rates_slice(const struct rates *r, const struct l2_request *of, uint32_t slice, uint64_t time);
/* The host fetches what they know of the times at which a request asks its slice and its multiprocessor's port. */
void rates_fetch(const struct rates *r, uint32_t slice, uint32_t sm, const struct l2_request *of);
/* A store or reduction has passed the ports of the multiprocessor and the GPC. */
uint64_t rates_send(const struct rates *r, uint32_t sm, uint32_t gpc, const struct l2_request *of);
/* The request's sectors, which L2 had at `time`, have passed the port of the GPC; then, of all that are one request for L2, each the port of
 * its multiprocessor: they have come, but for the way. */
uint64_t rates_return(const struct rates *r, uint32_t gpc, const struct l2_request *of, uint64_t time);
uint64_t rates_answer(const struct rates *r, uint32_t sm, const struct l2_request *of, uint64_t time);
/* Which channel of DRAM a line has: all lines of a piece have the same one; when that is done with so many sectors of the line, which a request of the
 * time `now` asks for at `time`. A visit of a piece takes some time, however little is read or written there: its row is opened. What banks and rows
 * make of it in detail is counted apart (dram.h). Behind that (NVIDIA H200, 2026-12-01, tests/truth/time/dram.tsv):
 * - 64 bytes read 256 or more bytes apart, or at random, take 22 to 25 ps of all of DRAM, 192 bytes apart 19, 128 apart 16, one behind the other 14.
 * - 32 bytes written at random take 33, whole lines 28; where L2 must read what a write leaves out of its sectors, 60 in lines 256 or more bytes apart,
 *   but 45 for each line where both of a piece are written: that is read once for both, and they are written by themselves. */
enum dram_kind { DRAM_READ, DRAM_FILL /* what a line to be written does not have of its sectors */, DRAM_WRITE };
uint32_t rates_channel_of(const struct rates *r, uint64_t line);
uint64_t rates_dram(const struct rates *r, uint32_t channel, uint64_t line, unsigned sectors, enum dram_kind kind, uint64_t now, uint64_t time);

#endif
