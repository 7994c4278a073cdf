/* See scoreboard.h. Barriers are given out in turn; what each register waits for is found forwards through the blocks. */
#include "target/scoreboard.h"

#include "base/alloc.h"
#include "target/spacing.h"

#include <string.h>

/* STALL: the most that the four bits of an instruction hold. PREDICATES: where they begin among the registers looked at; UNIFORMS: registers of
 * the warp; UNIFORM_PREDICATES. */
enum { BARRIERS = 6, STALL = 15, PREDICATES = 256, UNIFORMS = 264, UNIFORM_PREDICATES = 328, PLACES = 336 };

/* Barriers to wait for: until a result is there, and until an operand has been read. */
struct pending {
    uint8_t written[PLACES], read[PLACES];
};

static int place_of(const struct operand *o)
{
    static const struct {
        int first, end;
    } files[] = {[FILE_REGISTER] = {0, PREDICATES}, [FILE_PREDICATE] = {PREDICATES, UNIFORMS}, [FILE_UNIFORM] = {UNIFORMS, UNIFORM_PREDICATES},
                 [FILE_UNIFORM_PREDICATE] = {UNIFORM_PREDICATES, PLACES}};
    const bool known = o->file < sizeof files / sizeof *files && files[o->file].end;
    const int first = known ? files[o->file].first : -1, end = known ? files[o->file].end : 0;
    return first < 0 || first + o->number + (o->words > 1 ? o->words : 1) > end ? -1 : first + o->number;
}

static int words_of(const struct operand *o)
{
    return o->words > 1 ? o->words : 1;
}

static bool has_late_result(int arch, const struct machine_inst *in)
{
    const struct machine_op_info *info = arch_op(arch, (enum machine_op)in->op);
    return info && info->wait == WAIT_SCOREBOARD && in->nresults;
}

static bool reads_late(int arch, const struct machine_inst *in)
{
    const enum pipe pipe = code_pipe(arch, in);
    return (pipe == PIPE_LSU || pipe == PIPE_TEX) && in->op != OP_S2R && in->nsources;
}

/* Which barriers an instruction sets: each late one the next in turn. */
static void give_barriers(struct code *c)
{
    int next = 0;
    for (int32_t i = 0; i < c->ninsts; i++) {
        struct control *o = &c->insts[i].control;
        *o = (struct control){.write = -1, .read = -1};
        if (c->insts[i].op == OP_NONE)
            continue;
        if (has_late_result(c->arch, &c->insts[i]))
            o->write = (int8_t)(next++ % BARRIERS);
        else if (reads_late(c->arch, &c->insts[i]))
            o->read = (int8_t)(next++ % BARRIERS);
    }
}

static void clear(struct pending *p, uint8_t barriers)
{
    for (int r = 0; barriers && r < PLACES; r++) {
        p->written[r] &= (uint8_t)~barriers;
        p->read[r] &= (uint8_t)~barriers;
    }
}

static void walk_inst(struct machine_inst *in, struct pending *p)
{
    uint8_t wait = 0;
    if (in->op == OP_NONE)
        return;
    for (int s = -1; s < in->nsources; s++) {
        const struct operand *o = s < 0 ? &in->guard : &in->source[s];
        for (int w = 0, at = place_of(o); at >= 0 && w < words_of(o); w++)
            wait |= p->written[at + w];
    }
    for (int r = 0; r < in->nresults; r++)
        for (int w = 0, at = place_of(&in->result[r]); at >= 0 && w < words_of(&in->result[r]); w++)
            wait |= p->written[at + w] | p->read[at + w];
    in->control.wait |= wait;
    clear(p, wait);
    for (int s = 0; in->control.read >= 0 && s < in->nsources; s++)
        for (int w = 0, at = place_of(&in->source[s]); at >= 0 && w < words_of(&in->source[s]); w++)
            p->read[at + w] |= (uint8_t)(1 << in->control.read);
    for (int r = 0; in->control.write >= 0 && r < in->nresults; r++)
        for (int w = 0, at = place_of(&in->result[r]); at >= 0 && w < words_of(&in->result[r]); w++)
            p->written[at + w] = (uint8_t)(1 << in->control.write);
}

/* How long each instruction stands in front of the next: until the next one's operands are there that take a fixed time. */
static void find_stalls(struct code *c, const struct machine_block *bl)
{
    int32_t made[PLACES] = {0}, cycle = 1;
    uint16_t op[PLACES] = {0};
    struct spacing spacing = {0};
    struct machine_inst *before = NULL;
    for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
        struct machine_inst *in = &c->insts[i];
        if (in->op == OP_NONE)
            continue;
        int32_t at = spacing_begin(&spacing, c->arch, in, cycle + (before != NULL));
        for (int s = -1; s < in->nsources; s++) {
            const struct operand *o = s < 0 ? &in->guard : &in->source[s];
            for (int w = 0, p = place_of(o); p >= 0 && w < words_of(o); w++) {
                const enum machine_op from = (enum machine_op)op[p + w];
                const int32_t there = made[p + w] ? made[p + w] + spacing_result(c->arch, from, arch_op_cycles(c->arch, from), (enum machine_op)in->op, s < 0) : 0;
                at = there > at ? there : at;
            }
        }
        if (before)
            before->control.stall = (uint8_t)(at - cycle < STALL ? at - cycle : STALL);
        cycle = at;
        spacing_issue(&spacing, c->arch, in, cycle);
        for (int r = 0; r < in->nresults; r++)
            for (int w = 0, p = place_of(&in->result[r]); p >= 0 && w < words_of(&in->result[r]); w++) {
                made[p + w] = in->control.write < 0 ? cycle : 0; /* others have a barrier */
                op[p + w] = in->op;
            }
        in->control.stall = (uint8_t)(spacing.next - cycle);
        before = in;
    }
}

static bool join(struct pending *to, const struct pending *from)
{
    bool changed = false;
    for (int r = 0; r < PLACES; r++) {
        changed |= (from->written[r] & ~to->written[r]) || (from->read[r] & ~to->read[r]);
        to->written[r] |= from->written[r];
        to->read[r] |= from->read[r];
    }
    return changed;
}

void scoreboard(struct code *c, const struct flow *f)
{
    struct pending *in = alloc_zeroed(((size_t)c->nblocks + 1) * sizeof *in);
    give_barriers(c);
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t b = 0; b < c->nblocks; b++) {
            const struct machine_block *bl = &c->blocks[b];
            struct pending p = in[b];
            if (!flow_is_of_kernel(bl))
                continue;
            for (int32_t i = bl->first; i < bl->first + bl->count; i++)
                walk_inst(&c->insts[i], &p);
            for (int32_t s = f->succ_first[b]; s < f->succ_first[b + 1]; s++)
                changed |= join(&in[f->succ[s]], &p);
        }
    }
    for (int32_t b = 0; b < c->nblocks; b++)
        if (flow_is_of_kernel(&c->blocks[b]))
            find_stalls(c, &c->blocks[b]);
    alloc_release(in);
}
