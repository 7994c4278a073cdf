/* DRAM: channels, banks with one open row each, bursts on a bus, and a scheduler in front of every channel.
 *
 * In: what L2 (or, without one, an SM) reads and writes, in the order of pseudo-time: an access is the sectors of a line of
 * 128 bytes that go together. Out: counters of the site that asked (counters.def, DRAM) and what each channel had to do. All of it
 * is modelled; bytes are counted by whoever asks, and nothing here changes them.
 *
 * An address's place is dram_place's, the one place that knows. A bank has a row open until another one of it is wanted: an
 * access hits the open row, or finds none (closed), or another one (conflict). Reads wait in a window of each channel, from
 * which the oldest whose row is open and whose bank can deliver first goes first (first ready, first come: S. Rixner et al., Memory
 * Access Scheduling, ISCA 2000); who has waited for a latency of DRAM goes at once. Writes wait until there are many, and go
 * together, since turning the bus round takes time.
 *
 * Time is the bus's own, in ps: it goes on while an access moves data and while the next one has to wait for a row (tRCD, tRP,
 * tRAS, tRC), for the banks of its group (tCCD), for the rate of opening rows (tRRD, tFAW) or for the bus to turn (tWTR). When
 * nobody asks it stands still, the first access's latency is not counted, and a row is opened as early as its bank allows. So
 * it is the least time that these accesses take in this order, not when they happen. Not modelled: refresh, check bits of
 * error correction in the memory itself, pages of the address translation (an address is where it says). */
#ifndef MEMORY_DRAM_H
#define MEMORY_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/counters.h"
#include "device/device.h"

struct dram_spec {
    uint32_t channels;    /* 0: no DRAM is modelled */
    uint32_t banks, groups; /* of a channel; a bank is in group bank % groups */
    uint32_t row_bytes, burst_bytes; /* burst: one command, at most a sector */
    uint32_t interleave;  /* successive bytes in one channel: a multiple of a line that divides a row */
    bool hashed;          /* each turn through the channels, and each row's banks, begin elsewhere */
    uint32_t wait;        /* cycles of the SM's clock that a read waits for better company, at most */
    /* ps; 0: no such rule, or not known */
    uint32_t burst;       /* data of one burst on the bus */
    uint32_t rcd, rp, cl, cwl, ras, rc, ccd_l, rrd, faw, wr, wtr, rtp;
    uint32_t turn;        /* from reading to writing */
};

/* The description's figures. False: banks, rows or their times are not known, so only bytes can be told. */
bool dram_spec_of(const struct device *d, struct dram_spec *s);

struct dram_place {
    uint32_t channel, bank, row;
};

struct dram_place dram_place(const struct dram_spec *s, uint64_t address);

struct dram;
struct dram *dram_new(const struct dram_spec *s);
void dram_free(struct dram *d);

/* Who asks, and when (cycles of the SM's clock). */
struct dram_asker {
    struct counters *sites;
    uint32_t site;
    uint64_t time;
};

struct dram_place dram_place_of(const struct dram *d, uint64_t line);

/* So many host threads share its channels from the beginning on: each those whose number modulo that is its own. Nobody has asked anything yet. */
void dram_share(struct dram *d, uint32_t members);

/* Sectors (bits, not 0) of the line there are read or written. Counters change now or later, at the latest in dram_finish. */
void dram_access(struct dram *d, const struct dram_place *at, unsigned sectors, bool write, const struct dram_asker *by);

/* Everything that waits is done. */
void dram_finish(struct dram *d, struct counters *sites);

/* What the channels had to do, of a launch. */
struct dram_stats {
    uint32_t channels, banks; /* 0: no DRAM was modelled */
    uint64_t *bytes;          /* [channels] moved; to be released */
    uint64_t bank_accesses;   /* of the busiest bank of each channel, summed over channels */
    uint64_t busiest_ps;      /* of the channel that takes longest */
};

void dram_stats_of(const struct dram *d, struct dram_stats *out);
void dram_stats_release(struct dram_stats *s);

#endif
