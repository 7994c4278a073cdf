/* See moves.h. */
#include "target/moves.h"
#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/operands.h"

static int bits_of(const struct ir_kernel *k, int32_t reg)
{
    return ptx_type_info[k->reg_type[reg]].bits;
}

static void become(struct ir_kernel *k, struct ir_inst *in, uint16_t op, enum ptx_type type, enum ptx_type type2, struct ir_src from)
{
    struct ptx_mods *mods = ARENA_NEW(&k->arena, struct ptx_mods);
    mods->type[0] = (uint8_t)type;
    mods->type[1] = (uint8_t)type2;
    mods->ntypes = type2 ? 2 : 1;
    in->op = op;
    in->mods = mods;
    in->type = (uint8_t)type;
    in->type2 = (uint8_t)type2;
    in->space = PTX_GENERIC;
    in->vec = 1;
    in->parts = NULL;
    in->offset = 0;
    in->ndst = 1;
    IR_SET_SOURCES(k, in, from);
}

void move_become(struct ir_kernel *k, struct ir_inst *in, struct ir_src from)
{
    int bits = bits_of(k, in->dst[0]);
    become(k, in, PTX_OP_MOV, ptx_type_info[in->type].bits == bits ? in->type : ir_bits_type(bits), PTX_NOTYPE, from);
}

static enum ptx_type integer_type(int bits, bool sign)
{
    switch (bits) {
    case 8: return sign ? PTX_S8 : PTX_U8;
    case 16: return sign ? PTX_S16 : PTX_U16;
    case 32: return sign ? PTX_S32 : PTX_U32;
    default: return sign ? PTX_S64 : PTX_U64;
    }
}

void move_become_loaded(struct ir_kernel *k, struct ir_inst *in, int32_t from, enum ptx_type loaded)
{
    int to_bits = bits_of(k, in->dst[0]), from_bits = bits_of(k, from);
    bool sign = ptx_type_info[loaded].kind == 'S';
    struct ir_src src = {.kind = IR_SRC_REG, .reg = from};
    if (to_bits == from_bits)
        move_become(k, in, src);
    else
        become(k, in, PTX_OP_CVT, integer_type(to_bits, sign), integer_type(from_bits, sign), src);
}

/* Those of block b. */
static int32_t put_moved(struct ir_inst *to, int32_t b, const struct moved *moved, int32_t n)
{
    int32_t count = 0;
    for (int32_t m = 0; m < n; m++)
        if (moved[m].block == b) {
            to[count] = moved[m].inst;
            to[count++].block = b;
        }
    return count;
}

void moves_insert(struct ir_kernel *k, const struct moved *moved, int32_t n)
{
    if (!n)
        return;
    struct ir_inst *insts = alloc_zeroed((size_t)(k->ninsts + n) * sizeof *insts);
    int32_t at = 0;
    for (int32_t b = 0; b < k->nblocks; b++) {
        struct ir_block *bl = &k->blocks[b];
        int32_t first = at;
        for (int32_t i = bl->first; i < bl->first + bl->count; i++) {
            if (i == bl->first + bl->count - 1)
                at += put_moved(insts + at, b, moved, n);
            insts[at++] = k->insts[i];
        }
        bl->first = first;
        bl->count = at - first;
    }
    alloc_release(k->insts);
    k->insts = insts;
    k->ninsts = at;
}
