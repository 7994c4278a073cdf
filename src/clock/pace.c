/* See pace.h. */
#include "clock/pace.h"

#include "base/alloc.h"
#include "target/pace.h"

enum { SIXTEENTHS = 16 /* of an instruction: target_sixteenths */ };

/* Ticks that a warp's instruction keeps the unit of its subpartition; 0: not known. rate: results a cycle, of the multiprocessor. */
static uint64_t unit_ticks(const struct device *d, int64_t rate)
{
    return rate > 0 ? (uint64_t)(WARP_LANES * PACE_TICKS * d->subpartitions / rate) : 0;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Multiply-adds a cycle of a multiprocessor's tensor cores; DEVICE_UNKNOWN or 0: nobody knows, or it has none. */
static int64_t tensor_rate(const struct device *d, const struct ir_inst *product)
{
    switch (product->mods->element[0]) {
    case PTX_ELEMENT_F64:
        return d->tensor_fp64_per_sm;
    case PTX_ELEMENT_TF32:
        return d->tensor_tf32_per_sm;
    case PTX_ELEMENT_F16:
    case PTX_ELEMENT_BF16:
        return d->tensor_fp16_per_sm;
    default:
        return d->tensor_int8_per_sm;
    }
}

/* Ticks that the tensor core of a subpartition takes for one of the `insts` instructions that are the product; 0: nobody knows. */
static uint64_t tensor_ticks(const struct device *d, const struct ir_inst *product, uint64_t insts)
{
    enum { FULL = 16 * 8 * 256 /* results times bits of a row of A */, FULL_FP64 = 16 * 8 * 4 /* multiply-adds */ };
    const struct ptx_shape_info *shape = &ptx_shape_info[product->mods->shape];
    const bool doubles = product->mods->element[0] == PTX_ELEMENT_F64;
    const uint64_t all = (uint64_t)(shape->m * shape->n * shape->k), bits = all * (uint64_t)ptx_element_info[product->mods->element[0]].bits;
    if (!insts || !all)
        return 0;
    if (doubles && d->mma_fp64_cycles != DEVICE_UNKNOWN) {
        const uint64_t times = all / (insts * FULL_FP64);
        return (uint64_t)d->mma_fp64_cycles * PACE_TICKS * (times ? times : 1);
    }
    if (!doubles && d->mma_cycles != DEVICE_UNKNOWN && d->mma_half_cycles != DEVICE_UNKNOWN)
        return 2 * bits > insts * FULL ? most(1, bits / (insts * FULL)) * (uint64_t)d->mma_cycles * PACE_TICKS : (uint64_t)d->mma_half_cycles * PACE_TICKS;
    const int64_t rate = tensor_rate(d, product);
    return rate > 0 ? all * (uint64_t)d->subpartitions * PACE_TICKS / (insts * (uint64_t)rate) : 0;
}

/* Adds to each block's sum the sixteenths of ticks that its subpartition's tensor core takes in a run of it. */
static void add_tensor(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, uint64_t *sums)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        const uint64_t insts = k->insts[i].op == PTX_OP_MMA ? target_sixteenths(t, i, PIPE_TENSOR) : 0;
        if (insts)
            sums[t->blocks[k->insts[i].block].counted] += insts * tensor_ticks(d, &k->insts[i], (insts + SIXTEENTHS - 1) / SIXTEENTHS);
    }
}

struct busy {
    uint64_t issue, all; /* ticks of the subpartition */
    bool queued;         /* by the unit of special functions: exec_pace.units */
};

/* Sixteenths of instructions, in ticks of the subpartition. */
static struct busy busy_of(const struct device *d, const uint32_t work[PIPES], uint64_t tensor)
{
    const uint64_t single = unit_ticks(d, d->fp32_per_sm), product = unit_ticks(d, d->int32_mul_per_sm);
    const struct {
        enum pipe pipe;
        uint64_t ticks;
    } units[] = {{PIPE_ALU, unit_ticks(d, d->int32_add_per_sm)}, {PIPE_CORE, single}, {PIPE_FP16, unit_ticks(d, d->fp16_per_sm)},
                 {PIPE_FP64, unit_ticks(d, d->fp64_per_sm)}, {PIPE_XU, unit_ticks(d, d->sfu_per_sm)}, {PIPE_FMAHEAVY, product},
                 {PIPE_UNIFORM, d->uniform_cycles == DEVICE_UNKNOWN ? 0 : (uint64_t)d->uniform_cycles * PACE_TICKS}};
    uint64_t all = 0;
    for (int pipe = 0; pipe < PIPES; pipe++)
        all += work[pipe];
    const uint64_t issue = all * (uint64_t)d->issue_clocks * PACE_TICKS / (uint64_t)d->issue_width;
    uint64_t busy = most(issue, tensor * PACE_TICKS);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        busy = most(busy, work[units[i].pipe] * units[i].ticks);
    busy = most(busy, (work[PIPE_FMA] + work[PIPE_FMAHEAVY]) * single);
    return (struct busy){issue / PACE_TICKS, busy / PACE_TICKS, work[PIPE_XU] && busy == work[PIPE_XU] * unit_ticks(d, d->sfu_per_sm)};
}

/* Of what keeps the subpartition so long, and the warp alone for `span`. */
static struct exec_pace exec_pace_of(struct busy busy, uint32_t span)
{
    return (struct exec_pace){(uint32_t)busy.all, (uint32_t)most(span, busy.all), (busy.all - busy.issue) << (busy.queued ? 32 : 0)};
}

const struct exec_pace *pace_of(const struct ir_kernel *k, const struct target_tables *t, const struct device *d, struct arena *arena)
{
    struct exec_pace *p = ARENA_ARRAY(arena, struct exec_pace, k->nblocks + 1);
    uint64_t *tensor = alloc_zeroed(((size_t)k->nblocks + 1) * sizeof *tensor);
    add_tensor(k, t, d, tensor);
    for (int32_t b = 0; b < k->nblocks; b++)
        p[b] = exec_pace_of(busy_of(d, t->work[b], tensor[b] / SIXTEENTHS), t->pace->block[b].span);
    alloc_release(tensor);
    return p;
}

const struct exec_pace *pace_of_long_ways(const struct target_tables *t, const struct device *d, struct arena *arena)
{
    if (!t->pace->part || !t->parts)
        return NULL;
    struct exec_pace *p = ARENA_ARRAY(arena, struct exec_pace, LONG_WAYS * LONG_PARTS);
    for (int way = 0; way < LONG_WAYS; way++)
        for (int part = 0; part < LONG_PARTS; part++) {
            uint32_t work[PIPES];
            for (int pipe = 0; pipe < PIPES; pipe++)
                work[pipe] = SIXTEENTHS * t->parts[way][part].pipes[pipe];
            p[way * LONG_PARTS + part] = exec_pace_of(busy_of(d, work, 0), t->pace->part[way][part].span);
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
