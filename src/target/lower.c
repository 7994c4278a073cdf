/* See lower.h. First where values live (the places), then how many instructions each site is. */
#include "target/lower.h"

#include "base/alloc.h"
#include "ir/cfg.h"
#include "target/arch.h"
#include "target/bits.h"
#include "target/definitions.h"
#include "target/shape.h"
#include "target/slots.h"
#include "target/window.h"

#include <string.h>

enum { DEEPEST = 12, DEEPEST_PREDICATE = 4 };

static const struct ir_inst *maker(const struct lowered *l, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && l->only[s->reg] >= 0 ? &l->k->insts[l->only[s->reg]] : NULL;
}

/* --- readers --- */

static void for_reads(const struct ir_inst *in, void (*f)(int32_t reg, int32_t site, void *user), int32_t site, void *user)
{
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG)
            f(in->src[s].reg, site, user);
    if (in->guard != IR_NOREG)
        f(in->guard, site, user);
}

static void count_reader(int32_t reg, int32_t site, void *user)
{
    (void)site;
    ((struct lowered *)user)->readers[reg + 1]++;
}

static void put_reader(int32_t reg, int32_t site, void *user)
{
    struct lowered *l = user;
    l->reader[l->readers[reg]++] = site;
}

static void find_readers(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    l->readers = alloc_zeroed(((size_t)k->nregs + 2) * sizeof *l->readers);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (!ir_only_counts(&k->insts[i]))
            for_reads(&k->insts[i], count_reader, i, l);
    for (int32_t r = 0; r < k->nregs; r++)
        l->readers[r + 1] += l->readers[r];
    l->reader = alloc_zeroed(((size_t)l->readers[k->nregs] + 1) * sizeof *l->reader);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (!ir_only_counts(&k->insts[i]))
            for_reads(&k->insts[i], put_reader, i, l);
    for (int32_t r = k->nregs; r > 0; r--)
        l->readers[r] = l->readers[r - 1];
    l->readers[0] = 0;
}

static int nreaders(const struct lowered *l, int32_t reg)
{
    return l->readers[reg + 1] - l->readers[reg];
}

typedef bool (*reader_test)(const struct lowered *l, const struct ir_inst *in, int32_t reg);

static bool only_read_by(const struct lowered *l, int32_t reg, reader_test test)
{
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++)
        if (!test(l, &l->k->insts[l->reader[i]], reg))
            return false;
    return nreaders(l, reg) > 0;
}

/* --- widths: 64-bit values of which only the low half is needed --- */

static int bits_of(const struct lowered *l, int32_t reg)
{
    return ptx_type_info[l->k->reg_type[reg]].bits;
}

static bool is_narrow_space(int space)
{
    return space == PTX_SHARED || space == PTX_LOCAL || space == PTX_CONST || space == IR_SCRATCH || space == PTX_PARAM;
}

static bool needs_high_half(const struct lowered *l, const struct ir_inst *in, int s)
{
    if (ir_is_memory(in))
        return s > 0 || !(is_narrow_space(in->space) || arch_has_narrow_addresses(l->arch));
    switch (ir_kind(in)) {
    case PTX_KIND_ADD:
    case PTX_KIND_SUB:
    case PTX_KIND_MUL:
    case PTX_KIND_MAD:
    case PTX_KIND_MAD_WIDE:
    case PTX_KIND_NEG:
    case PTX_KIND_AND:
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
    case PTX_KIND_SHL:
    case PTX_KIND_ADDRESS:
    case PTX_KIND_COPY:
        return in->ndst != 1 || in->nsrc > 3 || (in->dst[0] != IR_NOREG && l->words[in->dst[0]] == 2);
    case PTX_KIND_CONVERT:
        return ptx_type_info[in->type].kind == 'F' || (in->dst[0] != IR_NOREG && l->words[in->dst[0]] == 2);
    default:
        return true;
    }
}

/* A load of 32 bits or fewer without a sign into a register of 64: zeros are above the word. */
static bool is_loaded_word(const struct lowered *l, int32_t reg)
{
    const struct ir_inst *in = l->only[reg] >= 0 ? &l->k->insts[l->only[reg]] : NULL;
    return in && ir_is(in, PTX_KIND_LOAD) && in->space != PTX_PARAM && in->space != PTX_CONST && in->guard == IR_NOREG && ptx_type_info[in->type].kind != 'S' && ptx_type_info[in->type].bits <= 32;
}

static void find_words(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t r = 0; r < k->nregs; r++) {
        int bits = bits_of(l, r);
        l->words[r] = (uint8_t)(bits == 1 ? 0 : bits <= 64 ? 1 : bits / 32);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = k->ninsts - 1; i >= 0; i--)
            for (int s = 0; s < k->insts[i].nsrc; s++) {
                const struct ir_src *src = &k->insts[i].src[s];
                if (src->kind == IR_SRC_REG && bits_of(l, src->reg) == 64 && l->words[src->reg] == 1 &&
                    needs_high_half(l, &k->insts[i], s)) {
                    l->words[src->reg] = 2;
                    changed = true;
                }
            }
    }
    for (int32_t r = 0; r < k->nregs; r++)
        if (l->words[r] == 2 && bits_of(l, r) == 64 && is_loaded_word(l, r))
            l->words[r] = 1;
}

/* --- places --- */

static bool is_wide(const struct lowered *l, int32_t reg)
{
    return l->words[reg] == 2;
}

static bool is_add(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    (void)reg;
    return ir_is(in, PTX_KIND_ADD) && in->dst[0] != IR_NOREG && in->guard == IR_NOREG && !in->mods->cc && l->words[in->dst[0]];
}

static bool is_address(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    (void)l;
    if (!ir_is_memory(in) || in->src[0].kind != IR_SRC_REG || in->src[0].reg != reg)
        return false;
    for (int s = 1; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && in->src[s].reg == reg)
            return false;
    return true;
}

static bool is_constant_add(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_ADD) || ir_is(in, PTX_KIND_SUB)) && in->nsrc == 2 &&
           (in->src[1].kind == IR_SRC_IMM || (ir_is(in, PTX_KIND_ADD) && in->src[0].kind == IR_SRC_IMM));
}

/* An address, or one with another constant added. */
static bool is_address_or_offset(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return is_address(l, in, reg) || (is_constant_add(in) && in->dst[0] != IR_NOREG && l->only[in->dst[0]] >= 0 &&
                                      only_read_by(l, in->dst[0], is_address));
}

/* What lies between is not computed again: the operands of an instruction that moves to its readers must still be there. */
static bool can_wait(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && l->only[in->src[s].reg] < 0)
            for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++)
                if (l->k->insts[l->reader[i]].block != in->block)
                    return false;
    return true;
}

bool lowered_is_widened(const struct lowered *l, const struct ir_src *s)
{
    const struct ir_inst *in = maker(l, s);
    return in && ir_is(in, PTX_KIND_CONVERT) && ptx_is_integer(in->type) && ptx_is_integer(in->type2) &&
           ptx_type_info[in->type].bits == 64 && ptx_type_info[in->type2].bits <= 32;
}

/* index * size in 64 bits. */
static bool is_scaled_index(const struct lowered *l, const struct ir_inst *in)
{
    if (ir_is(in, PTX_KIND_MUL_WIDE))
        return true;
    return (ir_is(in, PTX_KIND_SHL) || ir_is(in, PTX_KIND_MUL)) && ptx_type_info[in->type].bits == 64 &&
           in->src[1].kind == IR_SRC_IMM && lowered_is_widened(l, &in->src[0]) && maker(l, &in->src[0])->block == in->block;
}

static bool is_index_user(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    (void)reg;
    return ir_is(in, PTX_KIND_ADDRESS) || is_scaled_index(l, in) || (ir_is(in, PTX_KIND_MAD) && ptx_type_info[in->type].bits == 64) ||
           (ir_is(in, PTX_KIND_SHL) && in->dst[0] != IR_NOREG && !is_wide(l, in->dst[0]));
}

static bool is_logic(const struct ir_inst *in)
{
    return ir_kind(in) >= PTX_KIND_AND && ir_kind(in) <= PTX_KIND_NOT;
}

static bool is_logic_reader(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return is_logic(in) && in->guard == IR_NOREG && ptx_type_info[in->type].bits == bits_of(l, reg);
}

/* A sum of 64 bits in the block where the value is made. */
static bool is_sum_here(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return ir_is(in, PTX_KIND_ADD) && in->guard == IR_NOREG && !in->mods->cc && l->only[reg] >= 0 && l->k->insts[l->only[reg]].block == in->block;
}

/* All that reads it stands in its block. */
static bool is_read_here(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++)
        if (l->k->insts[l->reader[i]].block != in->block)
            return false;
    return true;
}

static bool is_plain_access_or_offset(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    if (is_address(l, in, reg))
        return (in->space == PTX_GLOBAL || in->space == PTX_GENERIC) && (ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_STORE));
    return is_constant_add(in) && in->dst[0] != IR_NOREG && l->only[in->dst[0]] >= 0 && only_read_by(l, in->dst[0], is_plain_access_or_offset);
}

/* The value's one reader is a sum that several accesses add a pointer of the warp in (is_global_sum): it is widened once for all of them. */
static bool widens_for_accesses(const struct lowered *l, int32_t reg)
{
    const int32_t sum = arch_adds_uniform_address(l->arch) ? l->k->insts[l->reader[l->readers[reg]]].dst[0] : IR_NOREG;
    return sum != IR_NOREG && nreaders(l, sum) > 1 && only_read_by(l, sum, is_plain_access_or_offset);
}

static enum place place_of_cvt(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    int to = ptx_type_info[in->type].bits, from = ptx_type_info[in->type2].bits;
    const struct ir_inst *m = maker(l, &in->src[0]);
    if (!ptx_is_integer(in->type) || !ptx_is_integer(in->type2) || in->mods->sat)
        return PLACE_REGISTER;
    if (to <= from || !is_wide(l, reg))
        if (to >= 32 || !(from > to && to == 8))
            if (to <= from || from == 32)
                return PLACE_READER;
    if (from == 32)
        return ptx_type_info[in->type2].kind != 'S' || (only_read_by(l, reg, is_index_user) && is_read_here(l, in, reg)) || (nreaders(l, reg) == 1 && only_read_by(l, reg, is_sum_here) && !widens_for_accesses(l, reg))
                   ? PLACE_READER
                   : PLACE_REGISTER;
    if (bits_widen_freely(l->k, l->only, in) || (m && ir_is(m, PTX_KIND_LOAD) && ptx_type_info[m->type].bits <= from))
        return PLACE_READER;
    if (m && ir_is(m, PTX_KIND_CONVERT) && ptx_type_info[m->type2].bits <= from)
        return PLACE_READER;
    return PLACE_REGISTER;
}

/* A size of the block or of the grid. */
static bool is_size(uint32_t sreg)
{
    return (sreg >= PTX_SREG_NTID_X && sreg <= PTX_SREG_NTID_Z) || (sreg >= PTX_SREG_NCTAID_X && sreg <= PTX_SREG_NCTAID_Z);
}

static enum place place_of_mov(const struct ir_inst *in)
{
    if (in->nsrc == 1 && in->ndst == 1)
        return in->src[0].kind != IR_SRC_SREG ? PLACE_READER : is_size(in->src[0].sreg) ? PLACE_BANK : PLACE_REGISTER;
    return ptx_type_info[in->type].bits == 64 && in->nsrc == 1 && in->src[0].kind == IR_SRC_REG ? PLACE_READER : PLACE_REGISTER; /* parts of a pair are its words */
}

static bool is_constant_address(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return ir_is(in, PTX_KIND_LOAD) && in->space == PTX_CONST && is_address(l, in, reg);
}

/* A constant, as the address of a variable is. */
static bool is_named(const struct lowered *l, const struct ir_src *s)
{
    uint64_t bits;
    return definitions_constant(l->k, l->only, s, &bits);
}

static bool is_shared_address_or_offset(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    uint64_t bits;
    if (is_address(l, in, reg))
        return in->space == PTX_SHARED;
    if (!ir_is(in, PTX_KIND_ADD) || in->dst[0] == IR_NOREG || l->only[in->dst[0]] < 0)
        return false;
    for (int s = 0; s < in->nsrc; s++)
        if (!(in->src[s].kind == IR_SRC_REG && in->src[s].reg == reg) && !definitions_constant(l->k, l->only, &in->src[s], &bits))
            return false;
    return only_read_by(l, in->dst[0], is_shared_address_or_offset);
}

/* A constant and an index shifted by 2, 3 or 4. */
static bool is_scaled_shared(const struct lowered *l, const struct ir_inst *in)
{
    uint64_t bits;
    for (int s = 0; s < 2 && in->nsrc == 2; s++) {
        const struct ir_inst *m = maker(l, &in->src[s]);
        if (m && ir_is(m, PTX_KIND_SHL) && m->src[1].kind == IR_SRC_IMM && m->src[1].imm >= 2 && m->src[1].imm <= 4 &&
            definitions_constant(l->k, l->only, &in->src[1 - s], &bits))
            return true;
        if (m && ir_is(m, PTX_KIND_ADD) && definitions_constant(l->k, l->only, &in->src[1 - s], &bits) && is_scaled_shared(l, m))
            return true;
    }
    return false;
}

/* One of the two is a constant, such as the address of a variable. */
static bool adds_a_name(const struct lowered *l, const struct ir_inst *in)
{
    uint64_t bits;
    return definitions_constant(l->k, l->only, &in->src[0], &bits) != definitions_constant(l->k, l->only, &in->src[1], &bits);
}

/* Lesser or greater of two 32-bit integers. */
static bool is_extreme(const struct ir_inst *in)
{
    return (ir_is(in, PTX_KIND_MIN) || ir_is(in, PTX_KIND_MAX)) && in->guard == IR_NOREG && ptx_type_info[in->type].bits == 32 && !in->mods->relu &&
           ptx_type_info[in->type].kind != 'H';
}

/* None of its operands is a sum that it could take in. */
static bool joins_no_sum(const struct lowered *l, const struct ir_inst *in)
{
    for (int s = 0; s < in->nsrc; s++) {
        const struct ir_inst *m = maker(l, &in->src[s]);
        if (m && ir_is(m, PTX_KIND_ADD) && m->block == in->block && nreaders(l, in->src[s].reg) == 1)
            return false;
    }
    return true;
}

/* Something in a loop reads it that it is not computed in: it stays in front of that. */
static bool is_before_loop(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        int32_t loop = k->blocks[k->insts[l->reader[i]].block].loop;
        if (loop >= 0 && !ir_bit(k->loops[loop].blocks, in->block))
            return true;
    }
    return false;
}

/* It will be in a uniform register, as far as it goes by what it is made of. */
static bool is_placed(const struct lowered *l, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && ir_bit(l->placed, s->reg) && l->place[s->reg] != PLACE_READER;
}

static bool is_lanes(const struct lowered *l, const struct ir_src *s)
{
    return s->kind == IR_SRC_REG && !ir_bit(l->placed, s->reg) && l->place[s->reg] == PLACE_REGISTER;
}

static bool is_access_or_offset(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return (is_address(l, in, reg) && in->space == PTX_SHARED) ||
           (is_constant_add(in) && in->dst[0] != IR_NOREG && l->only[in->dst[0]] >= 0 && only_read_by(l, in->dst[0], is_address) &&
            only_read_by(l, in->dst[0], is_access_or_offset));
}

/* A value of the lanes and one of the whole warp, which accesses of shared memory alone read: [R5+UR4], since Hopper. */
static bool is_shared_sum(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return l->arch >= 90 && ir_is(in, PTX_KIND_ADD) && in->nsrc == 2 && in->guard == IR_NOREG && l->words[reg] == 1 &&
           ((is_placed(l, &in->src[0]) && is_lanes(l, &in->src[1])) || (is_placed(l, &in->src[1]) && is_lanes(l, &in->src[0]))) &&
           only_read_by(l, reg, is_access_or_offset);
}

static bool is_index_of_lanes(const struct lowered *l, const struct ir_src *s)
{
    const struct ir_inst *m = maker(l, s);
    return is_lanes(l, s) || (m && l->place[s->reg] == PLACE_READER && !ir_bit(l->placed, s->reg) && ir_is(m, PTX_KIND_CONVERT));
}

static bool is_base_of_warp(const struct lowered *l, const struct ir_src *s)
{
    const struct ir_inst *m = maker(l, s);
    while (m && l->place[s->reg] == PLACE_READER && (ir_is(m, PTX_KIND_ADDRESS) || ir_is_copy(m)) && m->src[0].kind == IR_SRC_REG) {
        s = &m->src[0];
        m = maker(l, s);
    }
    return m && (l->place[s->reg] == PLACE_BANK || is_placed(l, s));
}

/* A value of the lanes and a pointer of the whole warp, which loads and stores of global memory alone read: [R2.64+UR4], on Turing. */
static bool is_global_sum(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    return arch_adds_uniform_address(l->arch) && ir_is(in, PTX_KIND_ADD) && in->nsrc == 2 && in->guard == IR_NOREG && l->words[reg] == 2 &&
           ((is_base_of_warp(l, &in->src[0]) && is_index_of_lanes(l, &in->src[1])) || (is_base_of_warp(l, &in->src[1]) && is_index_of_lanes(l, &in->src[0]))) &&
           only_read_by(l, reg, is_plain_access_or_offset);
}

bool lowered_is_uniform(const struct lowered *l, int32_t reg)
{
    return l->place[reg] == PLACE_UNIFORM || (l->place[reg] == PLACE_BANK && !l->held[reg]);
}

const struct ir_inst *lowered_copies_bank(const struct lowered *l, const struct ir_inst *in)
{
    if (!ir_is_copy(in) || in->nsrc != 1 || in->ndst != 1 || in->dst[0] == IR_NOREG || l->place[in->dst[0]] != PLACE_UNIFORM || arch_has_bank_operands(l->arch))
        return NULL;
    const struct ir_inst *m = maker(l, &in->src[0]);
    while (m && l->place[m->dst[0]] == PLACE_READER && (ir_is(m, PTX_KIND_ADDRESS) || ir_is_copy(m)))
        m = maker(l, &m->src[0]);
    return m && l->place[m->dst[0]] == PLACE_BANK ? m : NULL;
}

int lowered_scale(const struct lowered *l, const struct ir_inst *in)
{
    if (!(ir_is(in, PTX_KIND_MUL) || ir_is(in, PTX_KIND_MUL_WIDE)) || l->words[in->dst[0]] != 1 || in->src[1].kind != IR_SRC_IMM)
        return -1;
    const uint64_t by = in->src[1].imm;
    return by && !(by & (by - 1)) && by <= UINT64_C(1) << 31 ? __builtin_ctzll(by) : -1;
}

int lowered_uniform_part(const struct lowered *l, const struct ir_inst *sum)
{
    if (arch_adds_uniform_address(l->arch) && ir_is(sum, PTX_KIND_ADD) && sum->nsrc == 2)
        return is_base_of_warp(l, &sum->src[0]) ? 0 : is_base_of_warp(l, &sum->src[1]) ? 1 : -1;
    if (l->arch < 90 || !ir_is(sum, PTX_KIND_ADD) || sum->nsrc != 2)
        return -1;
    for (int s = 0; s < 2; s++)
        if (sum->src[s].kind == IR_SRC_REG && sum->src[1 - s].kind == IR_SRC_REG && lowered_is_uniform(l, sum->src[s].reg) && !lowered_is_uniform(l, sum->src[1 - s].reg))
            return s;
    return -1;
}

/* A sum or an extreme that an extreme takes in, since Hopper: VIADDMNMX, VIMNMX3. */
static bool joins_extreme(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    const struct ir_inst *reader = nreaders(l, reg) == 1 ? &l->k->insts[l->reader[l->readers[reg]]] : NULL;
    if (l->arch < 90 || !reader || !is_extreme(reader) || reader->block != in->block)
        return false;
    return ir_is(in, PTX_KIND_ADD) ? in->guard == IR_NOREG && l->words[reg] == 1
                                   : is_extreme(in) && reader->op == in->op && reader->type == in->type && joins_no_sum(l, in) && joins_no_sum(l, reader);
}

/* Whether a word is zero: logic that makes it sets the predicate by itself (LOP3). */
static bool is_zero_test(const struct lowered *l, const struct ir_inst *in)
{
    return arch_has_logic_of_three(l->arch) && ir_is(in, PTX_KIND_COMPARE) && in->guard == IR_NOREG && ptx_is_integer(in->type) && ptx_type_info[in->type].bits == 32 &&
           in->src[0].kind == IR_SRC_REG && in->src[1].kind == IR_SRC_IMM && !in->src[1].imm && (in->mods->cmp == PTX_EQ || in->mods->cmp == PTX_NE);
}

/* A sum that a product or a shift is part of. */
static bool takes_in(const struct lowered *l, const struct ir_inst *in)
{
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG && l->place[in->src[s].reg] == PLACE_READER && !ir_is(maker(l, &in->src[s]), PTX_KIND_ADD))
            return true;
    return false;
}

/* 32 bits: products and shifts that a sum takes in (IMAD, LEA), sums of three (IADD3), logic of three (LOP3). */
static bool joins_reader(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    const struct ir_inst *reader = nreaders(l, reg) == 1 ? &l->k->insts[l->reader[l->readers[reg]]] : NULL;
    const bool in_address = l->arch < 90 && only_read_by(l, reg, is_shared_address_or_offset);
    switch (ir_kind(in)) {
    case PTX_KIND_MUL:
    case PTX_KIND_MUL_WIDE: /* of which one word is read */
        return !in_address && (ir_is(in, PTX_KIND_MUL) || arch_adds_scaled_index(l->arch)) && only_read_by(l, reg, is_add) && !(reader && is_constant_add(reader) && is_constant_add(in));
    case PTX_KIND_SHL:
        if (arch_scales_shared(l->arch) && in->src[1].kind == IR_SRC_IMM && in->src[1].imm >= 2 && in->src[1].imm <= 4 &&
            only_read_by(l, reg, is_shared_address_or_offset))
            return true; /* [R5.X4] */
        return !in_address && in->src[1].kind == IR_SRC_IMM && only_read_by(l, reg, is_add);
    case PTX_KIND_SHR: /* LEA.HI */
        return in->src[1].kind == IR_SRC_IMM && ptx_type_info[in->type].bits == 32 && reader && is_add(l, reader, reg) && !is_constant_add(reader) &&
               l->words[reader->dst[0]] == 1 && ptx_type_info[reader->type].bits == 32;
    case PTX_KIND_ADD:
        if (arch_scales_shared(l->arch) && is_scaled_shared(l, in) && only_read_by(l, reg, is_shared_address_or_offset))
            return true;
        if (in_address)
            return in->nsrc == 2 && adds_a_name(l, in); /* [R5+0x400] */
        if (is_shared_sum(l, in, reg))
            return true;
        if (only_read_by(l, reg, is_constant_address))
            return is_named(l, &in->src[0]) || is_named(l, &in->src[1]);
        if (only_read_by(l, reg, is_address_or_offset))
            return is_constant_add(in);
        if (joins_extreme(l, in, reg) && !ir_bit(l->placed, reader->dst[0]))
            return true;
        return reader && is_add(l, reader, reg) && reader->block == in->block && l->words[reg] == l->words[reader->dst[0]] &&
               !(is_constant_add(reader) && is_constant_add(in)) && (l->words[reg] == 1 || !(is_constant_add(reader) || is_constant_add(in))) &&
               !(ir_bit(l->placed, reg) && takes_in(l, in));
    case PTX_KIND_MIN:
    case PTX_KIND_MAX:
        return joins_extreme(l, in, reg) && !ir_bit(l->placed, reader->dst[0]);
    case PTX_KIND_AND:
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
    case PTX_KIND_NOT:
        if (reader && is_zero_test(l, reader) && reader->block == in->block && !ir_is(in, PTX_KIND_NOT))
            return true;
        return arch_has_logic_of_three(l->arch) && reader && is_logic_reader(l, reader, reg) && reader->block == in->block &&
               (ir_is(in, PTX_KIND_NOT) || ir_is(reader, PTX_KIND_NOT) || in->src[1].kind != IR_SRC_IMM || reader->src[1].kind != IR_SRC_IMM);
    default:
        return false;
    }
}

int lowered_word(const struct ir_inst *in)
{
    if (ptx_type_info[in->type].bits != 64 || in->nsrc != 2 || in->src[0].kind != IR_SRC_REG || in->src[1].kind != IR_SRC_IMM)
        return -1;
    if (ir_is(in, PTX_KIND_SHR) && ptx_type_info[in->type].kind != 'S' && in->src[1].imm == 32)
        return 1;
    return ir_is(in, PTX_KIND_AND) && in->src[1].imm == UINT32_MAX ? 0 : -1;
}

static enum place place_of(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    if (in->guard != IR_NOREG)
        return PLACE_REGISTER;
    if (bits_unmasked(l->k, l->only, in) || lowered_word(in) >= 0)
        return PLACE_READER;
    switch (ir_kind(in)) {
    case PTX_KIND_LOAD:
        return in->space == PTX_PARAM || (in->space == PTX_CONST && in->src[0].kind == IR_SRC_IMM) ? PLACE_BANK : PLACE_REGISTER;
    case PTX_KIND_COPY:
        return place_of_mov(in);
    case PTX_KIND_ADDRESS:
        return PLACE_READER;
    case PTX_KIND_CONVERT:
        return place_of_cvt(l, in, reg);
    case PTX_KIND_FNEG:
    case PTX_KIND_FABS:
        return PLACE_READER;
    default:
        break;
    }
    if (!is_wide(l, reg))
        return joins_reader(l, in, reg) && !(ir_is(in, PTX_KIND_MUL) && is_before_loop(l, in, reg)) ? PLACE_READER : PLACE_REGISTER;
    if (is_logic(in))
        return joins_reader(l, in, reg) ? PLACE_READER : PLACE_REGISTER;
    if (is_scaled_index(l, in))
        return arch_adds_scaled_index(l->arch) && only_read_by(l, reg, is_add) ? PLACE_READER : PLACE_REGISTER;
    if (ir_is(in, PTX_KIND_SHL) && in->src[1].kind == IR_SRC_IMM)
        return nreaders(l, reg) == 1 && only_read_by(l, reg, is_add) ? PLACE_READER : PLACE_REGISTER;
    if (is_constant_add(in))
        return only_read_by(l, reg, is_address_or_offset) ? PLACE_READER : PLACE_REGISTER;
    return is_global_sum(l, in, reg) ? PLACE_READER : PLACE_REGISTER;
}

/* --- uniform registers --- */

static bool is_uniform_operation(const struct ir_inst *in)
{
    if (in->guard != IR_NOREG || ir_is(in, PTX_KIND_DIV) || ir_is(in, PTX_KIND_REM))
        return false;
    switch (ir_class(in)) {
    case PTX_CLASS_INT:
    case PTX_CLASS_LOGIC:
    case PTX_CLASS_MOVE:
        return ptx_is_integer(in->type) || in->type == PTX_PRED;
    case PTX_CLASS_CMP:
        return ptx_is_integer(in->type);
    case PTX_CLASS_CONVERT:
        return ptx_is_integer(in->type) && ptx_is_integer(in->type2);
    case PTX_CLASS_LOAD:
        return ir_is(in, PTX_KIND_LOAD) && in->space == PTX_PARAM;
    default:
        return false;
    }
}

static bool is_uniform_source(const struct lowered *l, const struct ir_src *s)
{
    if (s->kind == IR_SRC_SREG && l->arch < 90 && !is_size(s->sreg)) /* before Hopper the block's index is read into the lane's registers */
        return false;
    return s->kind == IR_SRC_REG ? ir_bit(l->uniform, s->reg) : uniform_source(l->uniform, s);
}

/* Something computes with it in the lanes' registers, so that it is in one of those anyway. */
static bool is_read_by_lanes(const struct lowered *l, int32_t reg)
{
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        const struct ir_inst *in = &l->k->insts[l->reader[i]];
        if (in->ndst && in->dst[0] != IR_NOREG && !ir_bit(l->uniform, in->dst[0]))
            return true;
    }
    return false;
}

/* Registers of the set whose instructions do not keep them in it are taken out, and what is made of them. */
static void narrow(const struct lowered *l, uint64_t *set, bool (*keeps)(const struct lowered *l, const struct ir_inst *in))
{
    const struct ir_kernel *k = l->k;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < k->ninsts; i++) {
            const struct ir_inst *in = &k->insts[i];
            bool stays = keeps(l, in);
            for (int s = 0; s < in->nsrc; s++)
                stays = stays && (in->src[s].kind == IR_SRC_REG ? ir_bit(set, in->src[s].reg) : is_uniform_source(l, &in->src[s]));
            for (int d = 0; d < in->ndst && !stays; d++)
                if (in->dst[d] != IR_NOREG && ir_bit(set, in->dst[d])) {
                    set[in->dst[d] >> 6] &= ~(UINT64_C(1) << (in->dst[d] & 63));
                    changed = true;
                }
        }
    }
}

static bool keeps_uniform(const struct lowered *l, const struct ir_inst *in)
{
    (void)l;
    return is_uniform_operation(in);
}

static void find_uniform(struct lowered *l)
{
    size_t bytes = ((size_t)l->k->nregs / 64 + 1) * sizeof *l->placed;
    l->uniform = uniform_registers(l->k);
    narrow(l, l->uniform, keeps_uniform);
    l->together = uniform_together(l->k);
    narrow(l, l->together, keeps_uniform);
    uint64_t *kept = uniform_kept(l->k, &l->parted);
    narrow(l, kept, keeps_uniform);
    l->placed = alloc_zeroed(bytes);
    if (!arch_has_uniform(l->arch)) {
        alloc_release(kept);
        return;
    }
    uint64_t *local = windows_names(l, PTX_LOCAL); /* of the stack pointer, which is the lane's */
    for (size_t i = 0; i < bytes / sizeof *l->placed; i++)
        l->placed[i] = kept[i] & ~local[i];
    alloc_release(local);
    alloc_release(kept);
    narrow(l, l->placed, keeps_uniform);
}

/* In a loop in which what it is made of does not change. */
static bool is_read_in_loop(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        int32_t loop = k->blocks[k->insts[l->reader[i]].block].loop;
        const struct ir_inst *m = maker(l, &in->src[0]);
        if (loop >= 0 && m && !ir_bit(k->loops[loop].blocks, m->block) && !is_read_by_lanes(l, in->src[0].reg))
            return true;
    }
    return false;
}

const struct ir_inst *lowered_compared(const struct lowered *l, const struct ir_inst *in)
{
    const uint64_t one = 0x3f800000;
    uint64_t a, b;
    if (!ir_is(in, PTX_KIND_SELECT) || in->type != PTX_F32 || in->guard != IR_NOREG || !definitions_constant(l->k, l->only, &in->src[0], &a) ||
        !definitions_constant(l->k, l->only, &in->src[1], &b) || !((a == one && b == 0) || (a == 0 && b == one)))
        return NULL;
    const struct ir_inst *m = maker(l, &in->src[2]);
    return m && ir_is(m, PTX_KIND_COMPARE) && m->type == PTX_F32 && m->nsrc == 2 && m->ndst == 1 && m->guard == IR_NOREG && m->block == in->block ? m : NULL;
}

static bool takes_comparison(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    (void)reg;
    return lowered_compared(l, in) != NULL;
}

/* A comparison by which the whole warp's selects choose, and nothing else: UISETP. */
static bool is_chosen_by(const struct lowered *l, int32_t reg)
{
    const struct ir_inst *in = l->only[reg] >= 0 ? &l->k->insts[l->only[reg]] : NULL;
    if (!in || !ir_is(in, PTX_KIND_COMPARE) || in->nsrc != 2 || ptx_type_info[in->type].bits > 32 || !ir_bit(l->placed, reg))
        return false;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        const struct ir_inst *reader = &l->k->insts[l->reader[i]];
        if (!ir_is(reader, PTX_KIND_SELECT) || reader->guard == reg || !ir_bit(l->placed, reader->dst[0]))
            return false;
    }
    return true;
}

/* What the whole warp computes is no part of sums in several blocks, or of those of a loop, but for addresses that are scaled by a
 * constant. */
static bool stays_whole(const struct lowered *l, const struct ir_inst *in, int32_t reg)
{
    if (ir_is(in, PTX_KIND_MUL) && l->words[reg] == 1 && nreaders(l, reg) > 1 && !is_read_here(l, in, reg))
        return true;
    return is_read_in_loop(l, in, reg) && (ir_is(in, PTX_KIND_MUL) || (l->words[reg] == 2 && ir_is(in, PTX_KIND_SHL) && !is_scaled_index(l, in)));
}

static void find_places(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        for (int d = 0; d < in->ndst; d++) {
            int32_t reg = in->dst[d];
            if (reg == IR_NOREG)
                continue;
            if (nreaders(l, reg) == 0)
                l->place[reg] = PLACE_NOWHERE;
            else if (!l->words[reg])
                l->place[reg] = only_read_by(l, reg, takes_comparison) ? PLACE_READER : PLACE_PREDICATE;
            else
                l->place[reg] = PLACE_REGISTER;
            if (l->only[reg] < 0 || !l->words[reg] || !nreaders(l, reg))
                continue;
            if (l->windows && l->windows->of_reg[reg] >= 0) {
                l->place[reg] = PLACE_UNIFORM;
                continue;
            }
            enum place p = place_of(l, in, reg);
            if (p == PLACE_READER && ir_bit(l->placed, reg) && stays_whole(l, in, reg))
                p = PLACE_REGISTER; /* computed once, in uniform registers */
            l->place[reg] = (uint8_t)(p == PLACE_READER && !can_wait(l, in, reg) ? PLACE_REGISTER : p);
        }
    }
    for (int32_t r = 0; r < k->nregs; r++)
        if ((l->place[r] == PLACE_REGISTER && ir_bit(l->placed, r)) || (l->place[r] == PLACE_PREDICATE && is_chosen_by(l, r)))
            l->place[r] = PLACE_UNIFORM;
}

/* Instructions on uniform registers have no predicate: what predicated ones make, and load, is in registers of the lanes. */
static void settle_predicated(struct lowered *l)
{
    const struct ir_kernel *k = l->k;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        int32_t regs[LOWERED_READS];
        if (!lowered_is_predicated(l, in->block))
            continue;
        for (int d = 0; d < in->ndst; d++)
            if (in->dst[d] != IR_NOREG && l->place[in->dst[d]] == PLACE_UNIFORM && !(l->windows && l->windows->of_reg[in->dst[d]] >= 0))
                l->place[in->dst[d]] = l->words[in->dst[d]] ? PLACE_REGISTER : PLACE_PREDICATE;
        for (int n = lowered_reads(l, i, regs); n; n--)
            if (l->place[regs[n - 1]] == PLACE_BANK && !arch_has_bank_operands(l->arch))
                l->held[regs[n - 1]] = true;
    }
}

/* In a way of a branch at which lanes have parted. */
static bool is_in_way(const struct lowered *l, int32_t block)
{
    return ir_bit(l->parted.ways, block) && !ir_bit(l->parted.loops, block);
}

/* Of the program's constants, which is not loaded in front of a loop that lanes leave at different turns. */
static bool is_constant_load(const struct lowered *l, int32_t reg)
{
    const struct ir_inst *m = l->only[reg] >= 0 ? &l->k->insts[l->only[reg]] : NULL;
    return m && ir_is(m, PTX_KIND_LOAD) && m->space == PTX_CONST;
}

/* Where a value is computed, or loaded for the block that reads it. */
static int32_t made_in(const struct lowered *l, int32_t reg, int32_t reader)
{
    if (l->place[reg] == PLACE_BANK)
        return is_constant_load(l, reg) ? reader : lowered_outside_loops(l->k, reader);
    if (l->windows && l->windows->of_reg[reg] >= 0)
        return l->k->insts[l->windows->of[l->windows->of_reg[reg]].site].block;
    return l->only[reg] >= 0 ? l->k->insts[l->only[reg]].block : reader;
}

/* It is read in a loop that lanes leave at different turns, and made in front of it by a part of the warp. */
static bool crosses_parted(const struct lowered *l, int32_t reg)
{
    bool crosses = false;
    for (int32_t i = l->readers[reg]; i < l->readers[reg + 1]; i++) {
        const int32_t b = l->k->insts[l->reader[i]].block, made = made_in(l, reg, b);
        if (!is_in_way(l, made))
            return false;
        crosses |= ir_bit(l->parted.loops, b) && b != made;
    }
    return crosses;
}

static void settle_parted(struct lowered *l)
{
    for (int32_t r = 0; r < l->k->nregs; r++) {
        if (!lowered_is_uniform(l, r) || !crosses_parted(l, r))
            continue;
        if (l->place[r] == PLACE_UNIFORM)
            l->place[r] = PLACE_REGISTER;
        else if (!arch_has_bank_operands(l->arch))
            l->held[r] = true;
    }
}

/* Sums that were to be part of their accesses, with nothing of the warp in them any more, are made in a register. */
static void settle_sums(struct lowered *l)
{
    for (int32_t r = 0; r < l->k->nregs; r++)
        if (l->place[r] == PLACE_READER && l->only[r] >= 0 && is_shared_sum(l, &l->k->insts[l->only[r]], r) &&
            lowered_uniform_part(l, &l->k->insts[l->only[r]]) < 0)
            l->place[r] = PLACE_REGISTER;
}

/* --- what an instruction reads --- */

static int add_read(const struct lowered *l, int32_t reg, int32_t *regs, int n, int depth)
{
    const struct ir_inst *in = l->only[reg] >= 0 ? &l->k->insts[l->only[reg]] : NULL;
    switch (l->place[reg]) {
    case PLACE_REGISTER:
    case PLACE_BANK:
        for (int i = 0; i < n; i++)
            if (regs[i] == reg)
                return n;
        if (n < LOWERED_READS)
            regs[n++] = reg;
        return n;
    case PLACE_READER:
        for (int s = 0; in && depth < DEEPEST && s < in->nsrc; s++)
            if (in->src[s].kind == IR_SRC_REG)
                n = add_read(l, in->src[s].reg, regs, n, depth + 1);
        return n;
    default:
        return n;
    }
}

int lowered_reads(const struct lowered *l, int32_t site, int32_t *regs)
{
    const struct ir_inst *in = &l->k->insts[site];
    int n = 0;
    for (int s = 0; s < in->nsrc; s++)
        if (in->src[s].kind == IR_SRC_REG)
            n = add_read(l, in->src[s].reg, regs, n, 0);
    return n;
}

int32_t lowered_outside_loops(const struct ir_kernel *k, int32_t b)
{
    while (k->blocks[b].loop >= 0) {
        int32_t loop = k->blocks[b].loop;
        while (k->loops[loop].parent >= 0)
            loop = k->loops[loop].parent;
        int32_t before = k->blocks[k->loops[loop].header].idom;
        if (before < 0)
            break;
        b = before;
    }
    return b;
}

/* All rounds of the loop come through the block. */
static bool is_always(const struct ir_kernel *k, int32_t loop, int32_t b)
{
    const struct ir_block *header = &k->blocks[k->loops[loop].header];
    for (int32_t p = 0; p < header->npred; p++)
        if (ir_bit(k->loops[loop].blocks, header->pred[p]) && !ir_dominates(k, b, header->pred[p]))
            return false;
    return true;
}

int32_t lowered_before_loops(const struct ir_kernel *k, int32_t b)
{
    for (int32_t loop = k->blocks[b].loop; loop >= 0 && is_always(k, loop, b) && k->blocks[k->loops[loop].header].idom >= 0; loop = k->blocks[b].loop)
        b = k->blocks[k->loops[loop].header].idom;
    return b;
}

/* A comparison takes a predicate in. How many comparisons of the predicate's tree have not taken one. */
static int spare_comparisons(const struct lowered *l, const struct ir_src *src, int32_t block, int depth)
{
    const struct ir_inst *m = maker(l, src);
    if (!m || m->block != block || depth > DEEPEST_PREDICATE || l->readers[src->reg + 1] - l->readers[src->reg] != 1)
        return 0;
    if (ir_is(m, PTX_KIND_COMPARE))
        return m->nsrc <= 2;
    if (m->type != PTX_PRED || !is_logic(m))
        return 0;
    int spare = ir_is(m, PTX_KIND_NOT) ? 0 : -1;
    for (int i = 0; i < m->nsrc; i++)
        spare += spare_comparisons(l, &m->src[i], block, depth + 1);
    return spare > 0 ? spare : 0;
}

bool lowered_joins_comparison(const struct lowered *l, const struct ir_inst *in)
{
    int spare = 0;
    for (int i = 0; i < in->nsrc; i++)
        spare += spare_comparisons(l, &in->src[i], in->block, 0);
    return spare > 0 || ir_is(in, PTX_KIND_NOT);
}

/* Extremes that the whole warp was to compute take sums in where it does not. */
static void settle_extremes(struct lowered *l)
{
    for (int32_t r = 0; r < l->k->nregs; r++) {
        const struct ir_inst *in = l->place[r] == PLACE_REGISTER && l->only[r] >= 0 ? &l->k->insts[l->only[r]] : NULL;
        if (in && joins_extreme(l, in, r) && l->place[l->k->insts[l->reader[l->readers[r]]].dst[0]] == PLACE_REGISTER && can_wait(l, in, r))
            l->place[r] = PLACE_READER;
    }
}

struct lowered *lowered_new(const struct ir_kernel *k, int arch, const bool *predicated)
{
    struct lowered *l = alloc_zeroed(sizeof *l);
    l->arch = arch;
    l->k = k;
    l->predicated = predicated;
    l->only = definitions_new(k);
    l->place = alloc_zeroed((size_t)k->nregs + 1);
    l->words = alloc_zeroed((size_t)k->nregs + 1);
    l->held = alloc_zeroed((size_t)k->nregs + 1);
    l->pair = alloc_zeroed(((size_t)k->nregs + 1) * sizeof *l->pair);
    for (int32_t r = 0; r < k->nregs; r++)
        l->pair[r] = IR_NOREG;
    find_readers(l);
    find_words(l);
    find_uniform(l);
    if (arch >= 90)
        windows_find(l);
    find_places(l);
    settle_predicated(l);
    settle_parted(l);
    windows_settle(l);
    slots_settle(l);
    settle_sums(l);
    settle_extremes(l);
    return l;
}

void lowered_free(struct lowered *l)
{
    if (!l)
        return;
    alloc_release(l->only);
    alloc_release(l->place);
    alloc_release(l->words);
    alloc_release(l->held);
    alloc_release(l->pair);
    alloc_release(l->readers);
    alloc_release(l->reader);
    alloc_release(l->uniform);
    alloc_release(l->together);
    alloc_release(l->placed);
    alloc_release(l->parted.ways);
    alloc_release(l->parted.loops);
    windows_free(l->windows);
    alloc_release(l);
}
