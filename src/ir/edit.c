/* See edit.h. */
#include "ir/edit.h"

#include "base/alloc.h"
#include "ir/operands.h"

#include <string.h>

void ir_set_results(struct ir_kernel *k, struct ir_inst *in, int n, const int32_t reg[])
{
    int32_t *list = ARENA_ARRAY(&k->arena, int32_t, n);
    for (int i = 0; i < n; i++)
        list[i] = reg[i];
    in->dst = list;
    in->ndst = (uint16_t)n;
}

void ir_set_sources(struct ir_kernel *k, struct ir_inst *in, int n, const struct ir_src src[])
{
    struct ir_src *list = ARENA_ARRAY(&k->arena, struct ir_src, n);
    for (int i = 0; i < n; i++)
        list[i] = src[i];
    in->src = list;
    in->nsrc = (uint16_t)n;
}

void ir_set_result(struct ir_kernel *k, struct ir_inst *in, int i, int32_t reg)
{
    int32_t *list = ARENA_ARRAY(&k->arena, int32_t, in->ndst);
    memcpy(list, in->dst, in->ndst * sizeof *list);
    list[i] = reg;
    in->dst = list;
}

void ir_set_source(struct ir_kernel *k, struct ir_inst *in, int i, struct ir_src src)
{
    struct ir_src *list = ARENA_ARRAY(&k->arena, struct ir_src, in->nsrc);
    memcpy(list, in->src, in->nsrc * sizeof *list);
    list[i] = src;
    in->src = list;
}

void ir_add_source(struct ir_kernel *k, struct ir_inst *in, struct ir_src src)
{
    struct ir_src *list = ARENA_ARRAY(&k->arena, struct ir_src, in->nsrc + 1);
    if (in->nsrc)
        memcpy(list, in->src, in->nsrc * sizeof *list);
    list[in->nsrc++] = src;
    in->src = list;
}

void ir_count_reads(const struct ir_inst *in, int32_t *reads, int by)
{
    if (in->guard != IR_NOREG)
        reads[in->guard] += by;
    for (int i = 0; i < in->nsrc; i++)
        if (in->src[i].kind == IR_SRC_REG)
            reads[in->src[i].reg] += by;
    for (int d = 0; d < in->ndst && in->old; d++)
        if (in->old[d] != IR_NOREG)
            reads[in->old[d]] += by;
}

static const int32_t *renamed(struct ir_kernel *k, const int32_t *list, int n, int32_t (*name)(const void *user, int32_t reg), const void *user)
{
    int32_t *made = NULL;
    for (int i = 0; i < n && list; i++) {
        int32_t reg = list[i] == IR_NOREG ? IR_NOREG : name(user, list[i]);
        if (reg != list[i] && !made) {
            made = ARENA_ARRAY(&k->arena, int32_t, n);
            memcpy(made, list, (size_t)n * sizeof *list);
        }
        if (made)
            made[i] = reg;
    }
    return made ? made : list;
}

static const struct ir_src *renamed_sources(struct ir_kernel *k, const struct ir_inst *in, int32_t (*name)(const void *user, int32_t reg),
                                            const void *user)
{
    struct ir_src *made = NULL;
    for (int i = 0; i < in->nsrc; i++) {
        if (in->src[i].kind != IR_SRC_REG)
            continue;
        int32_t reg = name(user, in->src[i].reg);
        if (reg != in->src[i].reg && !made) {
            made = ARENA_ARRAY(&k->arena, struct ir_src, in->nsrc);
            memcpy(made, in->src, in->nsrc * sizeof *made);
        }
        if (made)
            made[i].reg = reg;
    }
    return made ? made : in->src;
}

void ir_rename_reads(struct ir_kernel *k, int32_t (*name)(const void *user, int32_t reg), const void *user)
{
    for (int32_t i = 0; i < k->ninsts; i++) {
        struct ir_inst *in = &k->insts[i];
        in->src = renamed_sources(k, in, name, user);
        in->old = renamed(k, in->old, in->ndst, name, user);
        if (in->guard != IR_NOREG)
            in->guard = name(user, in->guard);
    }
}

void ir_rename_results(struct ir_kernel *k, int32_t (*name)(const void *user, int32_t reg), const void *user)
{
    for (int32_t i = 0; i < k->ninsts; i++)
        k->insts[i].dst = renamed(k, k->insts[i].dst, k->insts[i].ndst, name, user);
}

int32_t *ir_makers(const struct ir_kernel *k)
{
    int32_t *maker = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *maker);
    for (int32_t r = 0; r < k->nregs; r++)
        maker[r] = -1;
    for (int32_t i = 0; i < k->ninsts; i++)
        for (int d = 0; d < k->insts[i].ndst; d++)
            if (k->insts[i].dst[d] != IR_NOREG)
                maker[k->insts[i].dst[d]] = i;
    return maker;
}

int32_t ir_new_register(struct ir_kernel *k, int32_t like, int32_t *cap)
{
    int32_t types = k->nregs;
    ALLOC_GROW(k->reg_type, types, *cap);
    k->reg_type[k->nregs] = k->reg_type[like];
    return k->nregs++;
}

struct ir_inst ir_move_beside(struct ir_kernel *k, const struct ir_inst *beside, int32_t to, struct ir_src from)
{
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    enum ptx_type type = ir_bits_type(ptx_type_info[k->reg_type[to]].bits);
    mods->type[0] = (uint8_t)type;
    mods->ntypes = 1;
    struct ir_inst move = {.op = PTX_OP_MOV, .type = (uint8_t)type, .guard = IR_NOREG, .vec = 1, .target = -1, .mods = mods, .from = beside->from,
                           .block = beside->block, .join = beside->join, .joined = beside->joined};
    IR_SET_RESULTS(k, &move, to);
    IR_SET_SOURCES(k, &move, from);
    return move;
}

void ir_delete(struct ir_inst *in)
{
    in->op = IR_OP_DELETED;
    in->ndst = in->nsrc = 0;
    in->old = NULL;
    in->guard = IR_NOREG;
}

const struct ir_origin *ir_origin_of(struct ir_kernel *k, int32_t frame, int32_t statement)
{
    struct ir_origin *o = ARENA_NEW(&k->arena, struct ir_origin);
    o->of_frame = frame;
    o->statement = statement;
    if (statement < 0)
        return o;
    const struct ptx_inst *from = &k->frames[frame].function->insts[statement];
    o->loc = from->loc;
    o->ptx_line = from->line;
    o->text = from->text;
    o->text_len = from->text_len;
    return o;
}

const struct ir_origin *ir_origin_at(struct ir_kernel *k, const struct ir_origin *from, const struct ptx_loc *loc)
{
    struct ir_origin *o = ARENA_NEW(&k->arena, struct ir_origin);
    *o = *from;
    o->loc = loc;
    return o;
}
