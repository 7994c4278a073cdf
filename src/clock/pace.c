/* See pace.h. */
#include "clock/pace.h"

#include "target/pace.h"

/* Ticks that a warp's instruction keeps the unit of its subpartition; 0: not known. rate: results a cycle, of the multiprocessor. */
static uint64_t unit_ticks(const struct device *d, int64_t rate)
{
    return rate > 0 ? (uint64_t)(WARP_LANES * PACE_TICKS * d->subpartitions / rate) : 0;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Sixteenths of instructions, in ticks of the subpartition. */
static uint64_t busy_of(const struct device *d, const uint32_t work[PIPES])
{
    const uint64_t single = unit_ticks(d, d->fp32_per_sm), product = unit_ticks(d, d->int32_mul_per_sm);
    const struct {
        enum pipe pipe;
        uint64_t ticks;
    } units[] = {{PIPE_ALU, unit_ticks(d, d->int32_add_per_sm)}, {PIPE_CORE, single}, {PIPE_FP16, unit_ticks(d, d->fp16_per_sm)},
                 {PIPE_FP64, unit_ticks(d, d->fp64_per_sm)}, {PIPE_XU, unit_ticks(d, d->sfu_per_sm)}, {PIPE_FMAHEAVY, product}};
    uint64_t all = 0, busy = 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        all += work[pipe];
    busy = all * (uint64_t)d->issue_clocks * PACE_TICKS / (uint64_t)d->issue_width;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        busy = most(busy, work[units[i].pipe] * units[i].ticks);
    busy = most(busy, (work[PIPE_FMA] + work[PIPE_FMAHEAVY]) * single);
    return busy / PACE_TICKS;
}

const struct exec_pace *pace_of(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, struct arena *arena)
{
    struct exec_pace *p = ARENA_ARRAY(arena, struct exec_pace, k->nblocks + 1);
    for (int32_t b = 0; b < k->nblocks; b++) {
        const uint64_t busy = busy_of(d, t->work[b]);
        p[b] = (struct exec_pace){(uint32_t)busy, (uint32_t)most(t->pace->block[b].span, busy)};
    }
    return p;
}

uint64_t pace_begin(const struct target_pace *pace, const struct ir_kernel *k, int32_t block)
{
    const struct ir_block *b = &k->blocks[block];
    uint64_t least = PACE_NEVER;
    if (pace->block[block].owner == block)
        return 0;
    for (int32_t i = b->first; i < b->first + b->count; i++)
        if (pace->first[i] >= 0 && pace->access[pace->first[i]].at < least)
            least = pace->access[pace->first[i]].at;
    return least;
}
