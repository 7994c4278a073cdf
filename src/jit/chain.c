/* Loops of blocks in a row (see chain.h). */
#include "jit/chain.h"

#include "ir/operands.h"

static const struct ir_inst *last_of(const struct ir_kernel *k, int32_t block)
{
    return &k->insts[k->blocks[block].first + k->blocks[block].count - 1];
}

static int32_t behind(const struct ir_kernel *k, int32_t block)
{
    int32_t next = k->blocks[block].first + k->blocks[block].count;
    return next < k->ninsts ? k->insts[next].block : -1;
}

/* Where lanes go on that stay, and where they leave to, or -1: none does. False: neither is sure. */
static bool ways_of(const struct ir_kernel *k, const struct ir_loop *loop, int32_t block, int32_t *next, int32_t *out)
{
    const struct ir_inst *last = last_of(k, block);
    int32_t other = behind(k, block);
    *out = -1;
    *next = ir_is(last, PTX_KIND_BRANCH) ? last->target : other;
    if (ir_is_conditional(last)) {
        bool stays = ir_bit(loop->blocks, last->target);
        if (other < 0 || ir_bit(loop->blocks, other) == stays)
            return false;
        *next = stays ? last->target : other;
        *out = stays ? other : last->target;
    }
    return *next >= 0 && ir_bit(loop->blocks, *next);
}

/* One instruction of the loop adds a number to the address register, and no other writes it. */
static void find_stride(const struct ir_kernel *k, const struct chain *c, struct chain_load *l)
{
    const struct ir_src *at = &k->insts[l->site].src[0];
    int written = 0;
    bool before = true;
    if (at->kind != IR_SRC_REG || ptx_type_info[k->reg_type[at->reg]].bits != 64)
        return;
    for (int j = 0; j < c->n; j++)
        for (int32_t i = k->blocks[c->block[j]].first; i < k->blocks[c->block[j]].first + k->blocks[c->block[j]].count; i++) {
            const struct ir_inst *in = &k->insts[i];
            before &= i != l->site;
            if (!ir_defines(in, at->reg))
                continue;
            written++;
            l->strided = ir_is(in, PTX_KIND_ADD) && in->src[0].kind == IR_SRC_REG && in->src[0].reg == at->reg && in->src[1].kind == IR_SRC_IMM;
            l->step = (int64_t)in->src[1].imm;
            l->ahead = before ? l->step : 0;
        }
    l->strided = l->strided && written == 1;
}

bool chain_at(const struct ir_kernel *k, const int32_t *row, int32_t head, struct chain *c)
{
    const struct ir_loop *loop = ir_loop_at(k, head);
    int32_t block = head, next, out;
    int inside = 0;
    *c = (struct chain){.join = -1};
    if (!loop)
        return false;
    do {
        if (c->n == CHAIN_BLOCKS || !ways_of(k, loop, block, &next, &out) || (out >= 0 && c->join >= 0 && out != c->join))
            return false;
        c->join = out >= 0 ? out : c->join;
        c->block[c->n++] = block;
        for (int32_t i = k->blocks[block].first; i < k->blocks[block].first + k->blocks[block].count; i++) {
            if (row[i] >= 0 && c->nloads == TALLY_TURN_LOADS)
                return false;
            if (row[i] >= 0)
                c->load[c->nloads++] = (struct chain_load){.site = i};
            if (k->insts[i].guard != IR_NOREG && !ir_is(&k->insts[i], PTX_KIND_BRANCH))
                return false;
        }
        block = next;
    } while (block != head);
    for (int32_t b = 0; b < k->nblocks; b++)
        inside += ir_bit(loop->blocks, b);
    for (int i = 0; i < c->nloads; i++)
        find_stride(k, c, &c->load[i]);
    return inside == c->n && c->join >= 0;
}

int chain_load(const struct chain *c, int32_t site)
{
    int n = 0;
    while (n < c->nloads && c->load[n].site != site)
        n++;
    return n < c->nloads ? n : -1;
}
