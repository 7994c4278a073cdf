/* From the addresses of a warp to lines and sectors of a cache: what the caches ask, beside how many sectors there are.
 *
 * In: a record of global, local or texture accesses. Out: the distinct lines of 128 bytes that its lanes touch, in the order
 * in which the lowest lane of each comes (the order in which a request's lines go through the tag stage is our reading), with
 * a bit for each sector of 32 bytes. No state. A lane's access lies within one sector (memory.h). */
#ifndef MEMORY_LINES_H
#define MEMORY_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "simt/record.h"

enum { LINE_SHIFT = 7, LINE_SECTORS = 4, LINES_MAX = 256 /* 32 lanes with 8 words of local memory each */ };

struct lines {
    int n;
    unsigned touched;           /* sectors of its requests: see lines_texture; else those of all lines (l1_lines) */
    uint64_t line[LINES_MAX];   /* address / 128 */
    uint8_t sectors[LINES_MAX]; /* bits: those that lanes touch */
    /* Where `bytes` was asked for (stores): */
    uint8_t full[LINES_MAX];              /* bits: sectors of which lanes touch every byte */
    uint32_t byte[LINES_MAX][LINE_SECTORS]; /* bits of bytes; only meaningful for sectors that are touched and not full */
};

/* Of global memory and textures. */
void lines_global(const struct record *r, bool bytes, struct lines *out);

/* Of a texture request: the lines of all lanes. Returns the sectors of its requests, four neighbouring lanes each, one by one
 * (NVIDIA H200, texture2d, 2026-11-20: l1tex__t_sectors_pipe_tex_mem_texture; a sector that several of them touch counts
 * for each, and is fetched once). */
unsigned lines_texture(const struct record *r, struct lines *out);

/* Of local memory: `base` is the address of the warp's local memory, a multiple of 128, where word w (of 4 bytes) of all
 * lanes is one line: local.c has the rule. */
void lines_local(const struct record *r, uint64_t base, bool bytes, struct lines *out);

/* Sectors in the bits of one line. */
static inline unsigned lines_count(unsigned sectors)
{
    return UINT64_C(0x4332322132212110) >> 4 * sectors & 15;
}

/* Of a line's number, or of that of a group of lines: its upper bits choose among slices, channels and sets. */
static inline uint64_t lines_hash(uint64_t line)
{
    line *= UINT64_C(0x9e3779b97f4a7c15);
    return line ^ line >> 29;
}

/* Sectors of all lines: what coalescer_sectors and local_sectors answer. */
unsigned lines_sectors(const struct lines *l);

#endif
