/* See selection.h. First the instructions of each site in their order, by what the operation does; then what the assembler adds
 * in front of sites: loads of parameters, the stack pointer, the window of shared memory. */
#include "target/selection.h"

#include "base/alloc.h"
#include "target/ahead.h"
#include "target/arrays.h"
#include "target/atomic_sequences.h"
#include "target/bits.h"
#include "target/definitions.h"
#include "target/forms.h"
#include "target/library.h"
#include "target/operands.h"
#include "target/packed.h"
#include "target/quotients.h"
#include "target/scaling.h"
#include "target/selecting.h"
#include "target/sequences.h"
#include "target/shape.h"
#include "target/signs.h"
#include "target/slots.h"
#include "target/window.h"
#include "target/ways.h"

#include <string.h>

/* TERMS: addends of one sum. */
enum { TERMS = 4, TWO_TO_24 = 0x4b800000 /* 2^24, an f32 */ };

/* Banks of constants: that of the launch, and where the assembler puts constants of the code before there are uniform registers. */
enum { BANK_LAUNCH = 0, BANK_CODE = 2 };


/* --- operands --- */

static struct operand new_register(struct selecting *s, int words)
{
    return of_register(s->in_uniform ? FILE_UNIFORM : FILE_REGISTER, s->c->nregs++, words);
}

static struct operand new_predicate(struct selecting *s)
{
    return of_register(s->in_uniform ? FILE_UNIFORM_PREDICATE : FILE_PREDICATE, s->c->nregs++, 0);
}

static int bits_of(const struct selecting *s, int32_t reg)
{
    return ptx_type_info[s->k->reg_type[reg]].bits;
}

static const struct ir_inst *maker(const struct selecting *s, const struct ir_src *src)
{
    return src->kind == IR_SRC_REG && s->l->only[src->reg] >= 0 ? &s->k->insts[s->l->only[src->reg]] : NULL;
}

/* The instruction that is part of this reader, or NULL. */
static const struct ir_inst *folded(const struct selecting *s, const struct ir_src *src)
{
    const struct ir_inst *m = src->kind == IR_SRC_REG && s->l->place[src->reg] == PLACE_READER ? maker(s, src) : NULL;
    const struct ir_src *same = m ? bits_unmasked(s->k, s->l->only, m) : NULL;
    return same ? folded(s, same) : m;
}

/* Where in the bank of constants the value is that a load or a move of a size makes. */
static struct operand in_bank(const struct selecting *s, const struct ir_inst *in)
{
    uint64_t at = 0;
    if (ir_is(in, PTX_KIND_LOAD))
        at = in->src[0].imm + (uint64_t)in->offset + (in->space == PTX_PARAM ? arch_generation(s->arch)->parameters : 0);
    else
        arch_size_at(s->arch, (int)in->src[0].sreg, &at);
    return bank(at);
}

/* Of a value that the constant bank holds. */
static struct operand of_bank(struct selecting *s, const struct ir_inst *in, int32_t reg)
{
    int words = s->l->words[reg];
    if (!arch_has_bank_operands(s->arch))
        return of_register(s->l->held[reg] ? FILE_REGISTER : FILE_UNIFORM, reg, words);
    struct operand o = in_bank(s, in);
    o.words = (uint8_t)words;
    return o;
}

static void select_inst(struct selecting *s, const struct ir_inst *in);
static struct operand move(struct selecting *s, struct operand o);
static void put(struct selecting *s, enum machine_op op, const char *form, struct operand d, struct operand a, struct operand b, struct operand c);

/* An operation that is part of its readers, but not of one that knows what to do with it. */
static struct operand made_here(struct selecting *s, const struct ir_inst *in)
{
    struct ir_inst copy = *in;
    int32_t reg = in->dst[0];
    bool takes_sign = s->takes_sign;
    s->l->place[reg] = PLACE_REGISTER; /* for as long as it is selected */
    select_inst(s, &copy);
    s->l->place[reg] = PLACE_READER;
    s->takes_sign = takes_sign;
    return of_register(s->l->words[reg] ? FILE_REGISTER : FILE_PREDICATE, reg, s->l->words[reg]);
}

static struct operand use(struct selecting *s, const struct ir_src *src);

/* A conversion of integers that costs nothing, or widens a word. */
static struct operand use_converted(struct selecting *s, const struct ir_inst *in)
{
    int from = ptx_type_info[in->type2].bits, to = ptx_type_info[in->type].bits;
    struct operand a = use(s, &in->src[0]);
    if (to <= from || s->l->words[in->dst[0]] < 2 || from == 64)
        return a.words > 1 ? half(a, 0) : a;
    if (ptx_type_info[in->type2].kind == 'S') {
        struct operand d = new_register(s, 2);
        put(s, OP_SHF, "R.S32.HI", half(d, 1), zero(), immediate(31), half(a, 0));
        return d;
    }
    return a;
}

/* -x or |x| as the operand of who reads x. */
static struct operand use_signed(struct selecting *s, const struct ir_inst *in)
{
    struct operand o = use(s, &in->src[0]);
    o.negated = ir_is(in, PTX_KIND_FNEG) && !o.negated;
    o.absolute |= ir_is(in, PTX_KIND_FABS);
    return o;
}

static struct operand use(struct selecting *s, const struct ir_src *src)
{
    if (src->kind == IR_SRC_IMM)
        return immediate(src->imm);
    if (src->kind == IR_SRC_SREG) {
        uint64_t at;
        if (arch_size_at(s->arch, (int)src->sreg, &at) && arch_has_bank_operands(s->arch))
            return bank(at);
        struct operand d = new_register(s, 1);
        put(s, OP_S2R, "", d, (struct operand){.file = FILE_SPECIAL, .number = (int32_t)src->sreg}, none, none);
        return d;
    }
    const struct ir_inst *in = maker(s, src);
    int32_t reg = src->reg;
    struct operand o;
    if (s->l->windows && s->l->windows->of_reg[reg] >= 0)
        return selecting_window(s, s->l->windows->of_reg[reg]);
    switch ((enum place)s->l->place[reg]) {
    case PLACE_READER:
        if (!in)
            break;
        if (lowered_word(in) >= 0) /* with zeros above it */
            return half(use(s, &in->src[0]), lowered_word(in));
        switch (ir_kind(in)) {
        case PTX_KIND_COPY:
            if (in->nsrc == 1 && in->ndst == 1)
                return use(s, &in->src[0]);
            return half(use(s, &in->src[0]), in->dst[0] == reg ? 0 : in->ndst == 4 && in->dst[1] == reg ? 0 : 1);
        case PTX_KIND_ADDRESS:
            return use(s, &in->src[0]);
        case PTX_KIND_CONVERT:
            return use_converted(s, in);
        case PTX_KIND_AND: {
            const struct ir_src *same = bits_unmasked(s->k, s->l->only, in);
            return same ? use(s, same) : made_here(s, in);
        }
        case PTX_KIND_FNEG:
        case PTX_KIND_FABS:
            if (!s->takes_sign && s->sign_at[in - s->k->insts] != SIGNS_FREE)
                break;
            return use_signed(s, in);
        default:
            return made_here(s, in);
        }
        break;
    case PLACE_PREDICATE:
        o = of_register(FILE_PREDICATE, reg, 0);
        o.negated = src->negated;
        return o;
    case PLACE_UNIFORM:
        o = of_register(s->l->words[reg] ? FILE_UNIFORM : FILE_UNIFORM_PREDICATE, reg, s->l->words[reg]);
        o.negated = src->negated;
        return o;
    case PLACE_BANK:
        return of_bank(s, in, reg);
    default:
        break;
    }
    return of_register(bits_of(s, reg) == 1 ? FILE_PREDICATE : FILE_REGISTER, reg, s->l->words[reg]);
}

/* Where the instruction's d-th result goes. */
static struct operand result(const struct selecting *s, const struct ir_inst *in, int d)
{
    int32_t reg = in->dst[d];
    if (reg == IR_NOREG)
        return zero();
    if (bits_of(s, reg) == 1)
        return of_register(s->l->place[reg] == PLACE_UNIFORM ? FILE_UNIFORM_PREDICATE : FILE_PREDICATE, reg, 0);
    return of_register(s->l->place[reg] == PLACE_UNIFORM ? FILE_UNIFORM : FILE_REGISTER, reg, s->l->words[reg]);
}

/* --- instructions --- */

static struct machine_inst *append(struct selecting *s, enum machine_op op, const char *form)
{
    struct machine_inst *in = code_add(s->c, &(struct machine_inst){.op = (uint16_t)op, .form = form, .site = s->site});
    const struct ir_inst *of = &s->k->insts[s->site];
    if (s->elsewhere >= 0) {
        in->site = s->elsewhere;
        in->early = true;
        return in;
    }
    if (of->guard != IR_NOREG && !ir_is(of, PTX_KIND_BRANCH)) {
        in->guard = of_register(FILE_PREDICATE, of->guard, 0);
        in->guard.negated = of->guard_negated;
    }
    return in;
}

static bool takes_any_source(enum machine_op op)
{
    return op == OP_S2R || op == OP_CS2R || op == OP_S2UR || op == OP_LDC || op == OP_ULDC || op == OP_MOV || op == OP_UMOV || op == OP_PLOP3 || op == OP_R2UR;
}

/* What is made now stands in front of all loops around the site: the block where that is. The caller puts `elsewhere` back. */
static int32_t go_before_loops(struct selecting *s)
{
    int32_t b = lowered_outside_loops(s->k, s->k->insts[s->site].block);
    if (b != s->k->insts[s->site].block)
        s->elsewhere = ahead_last_of(s->k, b);
    return b;
}

/* A constant of 64 bits in the bank of constants. */
static struct operand of_code_bank(struct selecting *s, uint64_t bits)
{
    struct operand o = bank(0);
    int i = 0;
    while (i < s->nkept && !(s->kept[i].file == FILE_BANK && s->kept[i].reg < 0 && s->kept[i].bits == bits))
        i++;
    if (i == s->nkept && s->nkept < SELECTING_KEPT)
        s->kept[s->nkept++] = (struct selecting_constant){0, FILE_BANK, bits, -1};
    o.bits = 8 * (uint64_t)i;
    o.number = BANK_CODE;
    o.words = 2;
    return o;
}

/* A constant of 64 bits in uniform registers. */
static struct operand move_uniform(struct selecting *s, struct operand o)
{
    if (!arch_has_uniform(s->arch))
        return of_code_bank(s, o.bits);
    for (int i = 0; i < s->nkept; i++)
        if (s->kept[i].file == FILE_UNIFORM && s->kept[i].bits == o.bits && ir_dominates(s->k, s->kept[i].block, s->k->insts[s->site].block))
            return of_register(FILE_UNIFORM, s->kept[i].reg, 2);
    struct operand d = of_register(FILE_UNIFORM, s->c->nregs++, 2);
    int32_t elsewhere = s->elsewhere, block = go_before_loops(s);
    o.words = 2;
    put(s, OP_MOV, "", half(d, 0), half(o, 0), none, none);
    put(s, OP_MOV, "", half(d, 1), half(o, 1), none, none);
    s->elsewhere = elsewhere;
    if (s->nkept < SELECTING_KEPT)
        s->kept[s->nkept++] = (struct selecting_constant){block, FILE_UNIFORM, o.bits, d.number};
    return d;
}

/* One operand of an instruction may be an immediate, of the constant bank or a uniform register, and not the first. */
static void legalize(struct selecting *s, enum machine_op op, struct operand *a, struct operand *b, struct operand *c)
{
    if (takes_any_source(op) || s->in_uniform)
        return;
    bool doubles = op == OP_DADD || op == OP_DMUL || op == OP_DFMA || op == OP_DSETP;
    struct operand *const all[] = {a, b, c};
    for (int i = 0; doubles && i < 3; i++) /* an immediate is the upper word of a double */
        if (all[i]->file == FILE_IMMEDIATE && (uint32_t)all[i]->bits)
            *all[i] = move_uniform(s, *all[i]);
    bool commutes = op == OP_IADD3 || op == OP_IMAD || op == OP_LOP3 || op == OP_FADD || op == OP_FMUL || op == OP_FFMA ||
                    op == OP_DADD || op == OP_DMUL || op == OP_DFMA || op == OP_FMNMX || op == OP_IMNMX || op == OP_VIMNMX || op == OP_VIADD ||
                    op == OP_ISETP || op == OP_FSETP || op == OP_DSETP; /* a < b is b > a */
    if (commutes && !is_register(a) && is_register(b) && b->file != FILE_NONE) {
        struct operand t = *a;
        *a = *b;
        *b = t;
    }
    if (!is_register(a) && a->file != FILE_PREDICATE)
        *a = move(s, *a);
    if (!is_register(b) && !is_register(c) && op != OP_LEA && op != OP_SHFL) { /* LEA's shift has a place of its own */
        struct operand *moved = b->file == FILE_IMMEDIATE && c->file != FILE_UNIFORM ? b : c;
        *moved = move(s, *moved);
    }
}

static void put(struct selecting *s, enum machine_op op, const char *form, struct operand d, struct operand a, struct operand b, struct operand c)
{
    bool was = s->in_uniform;
    s->in_uniform = d.file == FILE_UNIFORM || d.file == FILE_UNIFORM_PREDICATE;
    legalize(s, op, &a, &b, &c);
    struct machine_inst *in = append(s, s->in_uniform ? arch_op_uniform(op) : op, form);
    if (d.file)
        in->result[in->nresults++] = d;
    const struct operand *sources[] = {&a, &b, &c};
    for (int i = 0; i < 3; i++)
        if (sources[i]->file)
            in->source[in->nsources++] = *sources[i];
    s->in_uniform = was;
}

/* The value is made where it is needed: no instruction of the GPU. */
static void put_copy(struct selecting *s, struct operand d, struct operand from)
{
    struct machine_inst *in = append(s, OP_NONE, "");
    in->result[in->nresults++] = d;
    if (from.file)
        in->source[in->nsources++] = from;
}

/* The carry between the halves of a sum. */
static void add_carry(struct selecting *s, struct operand carry)
{
    struct machine_inst *in = &s->c->insts[s->c->ninsts - 1];
    in->result[in->nresults++] = carry;
}

static void take_carry(struct selecting *s, struct operand carry)
{
    struct machine_inst *in = &s->c->insts[s->c->ninsts - 1];
    if (in->nsources < CODE_SOURCES)
        in->source[in->nsources++] = carry;
}

/* The register knows the constant that is in it: earlier.h asks. */
static struct operand holding(struct operand reg, struct operand o)
{
    reg.bits = o.file == FILE_IMMEDIATE ? o.bits : 0;
    return reg;
}

/* A constant, a parameter or a uniform value in a register; a constant that the block has already in one is there. */
static struct operand move(struct selecting *s, struct operand o)
{
    if (o.file == FILE_ZERO || o.file == FILE_REGISTER)
        return o;
    uint64_t key = o.file == FILE_UNIFORM ? UINT64_C(1) << 63 | (uint64_t)o.number << 8 | o.word : o.bits;
    for (int i = 0; i < s->nkept && !o.negated && !o.absolute; i++)
        if (s->kept[i].file == o.file && s->kept[i].reg >= 0 && s->kept[i].bits == key && ir_dominates(s->k, s->kept[i].block, s->k->insts[s->site].block))
            return holding(of_register(FILE_REGISTER, s->kept[i].reg, o.words ? o.words : 1), o);
    bool was = s->in_uniform;
    int32_t block = s->k->insts[s->site].block, elsewhere = s->elsewhere;
    s->in_uniform = false;
    if (o.file == FILE_IMMEDIATE || o.file == FILE_BANK)
        block = go_before_loops(s);
    struct operand d = new_register(s, o.words > 1 ? 2 : 1);
    for (int word = 0; word < d.words; word++)
        put(s, OP_MOV, "", half(d, word), half(o, word), none, none);
    s->in_uniform = was;
    s->elsewhere = elsewhere;
    if (!o.negated && !o.absolute && s->nkept < SELECTING_KEPT)
        s->kept[s->nkept++] = (struct selecting_constant){block, o.file, key, d.number};
    return holding(d, o);
}

/* --- sequences --- */

/* What the operation makes for those behind it: a register, a predicate or nothing. */
static struct operand new_result(struct selecting *s, enum machine_op op)
{
    const struct machine_op_info *info = arch_op(s->arch < 75 ? 75 : s->arch, op); /* earlier.h makes others of it */
    if (!info || !info->cycles)
        return none;
    return strstr(arch_op_name(op), "SETP") || op == OP_FCHK || op == OP_PLOP3 ? new_predicate(s) : new_register(s, 1);
}

/* Of a quotient: what depends on its divisor alone, and the rest. */
enum part { PART_ALL, PART_FIRST, PART_SECOND };

/* The multiplication that scales an operand; what it gives, or nothing. Of a constant both are known. */
static struct operand put_scaled(struct selecting *s, const struct ir_inst *in, int n)
{
    uint64_t bits;
    bool known = definitions_constant(s->k, s->l->only, &in->src[n], &bits), apart = !known && s->scaled[s->site] >> n & 1;
    struct operand a = use(s, &in->src[n]), d = new_register(s, 1);
    if (!known) {
        put(s, OP_FMUL, "", d, a, immediate(TWO_TO_24), none);
        s->c->insts[s->c->ninsts - 1].taken = apart ? TAKEN_ALL : TAKEN_OFF;
    }
    if (!known && !apart)
        return none;
    struct operand chosen = new_register(s, 1);
    put(s, OP_FSEL, "", chosen, known ? move(s, a) : d, known ? immediate(TWO_TO_24) : a, none);
    return chosen;
}

/* The text's instructions: the first reads the operands, each other one what stands before it and an operand. A product that sums have
 * (contract.h) is the last word, and not made. */
static void put_sequence(struct selecting *s, const struct ir_inst *in, const char *text, enum part part)
{
    const int32_t divisor = quotients_divisor(s->l, in);
    struct operand before = none;
    int nscaled = 0;
    const char *last = strrchr(text, ' '), *end = !in->product_fused ? text + strlen(text) : last ? last : text;
    if (part == PART_SECOND && divisor >= 0 && s->reciprocal[divisor] >= 0)
        before = of_register(FILE_REGISTER, s->reciprocal[divisor], 1);
    for (int turn = 0; text < end; turn++) {
        size_t word = strcspn(text, " ");
        if (*text == '<') {
            struct operand scaled = put_scaled(s, in, nscaled++);
            before = scaled.file ? scaled : before;
            text += word + strspn(text + word, " ");
            continue;
        }
        bool off = *text == '[', rare = *text == '{', first = *text == '(', only = *text == '|', marked = off || rare || first || only;
        const char *name = text + marked;
        size_t letters = strcspn(name, ". ]})|"), behind = name[letters] == '.' ? letters + 1 : letters;
        size_t rest = word - (size_t)(name - text) - behind - marked;
        const enum machine_op named = arch_op_named(name, letters), op = arch_op_here(s->arch, named);
        const char *form = rest ? arena_strndup(&((struct ir_kernel *)s->k)->arena, name + behind, rest) : "";
        text += word;
        text += strspn(text, " ");
        if (first ? part == PART_SECOND : part == PART_FIRST)
            continue;
        if (op == OP_CALL) {
            int f = sequence_function(form, rest);
            struct machine_inst *call = append(s, op, "REL.NOINC");
            call->source[call->nsources++] = (struct operand){.file = FILE_FUNCTION, .number = f};
            s->c->called |= UINT64_C(1) << f;
        } else {
            if (op == OP_BSSY && s->arch < 80) { /* keeps where the lanes around it meet */
                put(s, OP_BMOV, "32.CLEAR", none, none, none, none);
                s->c->insts[s->c->ninsts - 1].taken = off ? TAKEN_OFF : rare ? TAKEN_NEVER : TAKEN_ALL;
            }
            struct operand d = text >= end && in->ndst && part != PART_FIRST ? result(s, in, 0) : new_result(s, op);
            struct operand a = before.file ? before : in->nsrc && part != PART_FIRST ? use(s, &in->src[0]) : none;
            struct operand b = in->nsrc > 1 ? use(s, &in->src[1 + turn % (in->nsrc - 1)]) : before.file && in->nsrc ? use(s, &in->src[0]) : none;
            b = named == OP_VIADD ? immediate(1) : b; /* some constant */
            put(s, op, form, d, a.file ? half(a, 0) : a, b.file ? half(b, 0) : b, named == OP_VIADD && op == OP_IADD3 ? zero() : none);
            if (d.file == FILE_REGISTER && !off && !rare)
                before = d;
            if (first && divisor >= 0 && before.file)
                s->reciprocal[divisor] = before.number;
        }
        s->c->insts[s->c->ninsts - 1].taken = off ? TAKEN_OFF : rare ? TAKEN_NEVER : TAKEN_ALL;
        s->c->insts[s->c->ninsts - 1].way = rare ? WAY_LONG : only ? WAY_SHORT : op == OP_BSYNC ? WAY_MEET : WAY_ALL;
    }
}

/* --- calls of the math library --- */

/* The instructions are a chain: each reads what stands before it, the first an operand of the call. */
static void put_library(struct selecting *s, const struct ir_inst *in)
{
    struct library_op ops[LIBRARY_OPS];
    struct operand before = in->nsrc ? use(s, &in->src[0]) : none;
    int n = library_ops(s->k, s->l->only, in, ops);
    for (int i = 0; i < n; i++) {
        enum machine_op op = arch_op_here(s->arch, ops[i].op);
        bool ends = i + 1 == n && in->ndst && in->dst[0] != IR_NOREG;
        struct operand d = ends ? result(s, in, 0) : new_result(s, op);
        put(s, op, "", d, before.file ? half(before, 0) : none, none, none);
        s->c->insts[s->c->ninsts - 1].taken = ops[i].off ? TAKEN_OFF : TAKEN_ALL;
        if (d.file == FILE_REGISTER)
            before = d;
    }
}

/* The call that tells the way is none of the GPU's instructions, nor are the comparisons that read it. */
static bool is_of_ways(const struct selecting *s, const struct ir_inst *in)
{
    const struct ir_inst *m = ir_is(in, PTX_KIND_COMPARE) ? maker(s, &in->src[0]) : in;
    return m && ways_tells(m);
}

/* Of a 64-bit operation that takes a pair: a word with zeros above it is made one, where it is if nobody else reads it. */
static struct operand pair_of(struct selecting *s, struct operand o)
{
    if (o.file != FILE_REGISTER || o.words != 1)
        return o;
    struct operand d = new_register(s, 2);
    if (!o.word && o.number < s->k->nregs && s->l->readers[o.number + 1] - s->l->readers[o.number] == 1)
        put_copy(s, half(d, 0), o);
    else
        put(s, OP_MOV, "", half(d, 0), o, none, none);
    put(s, OP_MOV, "", half(d, 1), zero(), none, none);
    return d;
}

/* --- sums --- */

struct term {
    struct operand a, b; /* a, a * b, or a shifted left by `shift` */
    int shift;  /* -1: none; of `down` a shift to the right */
    bool product, wide, sign, down;
    bool widened; /* a is a word whose sign goes through the upper one */
};

/* The conversion that makes 64 bits of an operand's 32 with their sign, as part of what reads it; or NULL. */
static const struct ir_inst *sign_extended(const struct selecting *s, const struct ir_src *src)
{
    const struct ir_inst *in = folded(s, src);
    return in && lowered_is_widened(s->l, src) && ptx_type_info[in->type2].bits == 32 && ptx_type_info[in->type2].kind == 'S' && s->l->words[in->dst[0]] == 2 ? in : NULL;
}

static void add_term(struct selecting *s, const struct ir_src *src, bool minus, struct term *terms, int *n)
{
    const struct ir_inst *in = folded(s, src);
    while (in && (ir_is(in, PTX_KIND_ADDRESS) || ir_is_copy(in)) && in->src[0].kind == IR_SRC_REG) {
        src = &in->src[0];
        in = folded(s, src);
    }
    struct term t = {.shift = -1};
    const int scale = in ? lowered_scale(s->l, in) : -1;
    if (scale >= 0) {
        t.a = use(s, &in->src[0]);
        t.shift = scale;
    } else if (in && (ir_is(in, PTX_KIND_MUL) || ir_is(in, PTX_KIND_MUL_WIDE))) {
        t.product = true;
        t.wide = ir_is(in, PTX_KIND_MUL_WIDE) || s->l->words[in->dst[0]] == 2;
        t.sign = ptx_type_info[in->type].kind == 'S';
        t.a = use(s, &in->src[0]);
        t.b = use(s, &in->src[1]);
    } else if (in && ir_is(in, PTX_KIND_SHL) && in->src[1].kind == IR_SRC_IMM) {
        const struct ir_inst *widened = lowered_is_widened(s->l, &in->src[0]) ? maker(s, &in->src[0]) : NULL;
        if (widened && widened->block == in->block && s->l->words[in->dst[0]] == 2) {
            t.product = t.wide = true;
            t.sign = ptx_type_info[widened->type2].kind == 'S';
            t.a = use(s, &widened->src[0]);
            t.b = immediate(UINT64_C(1) << in->src[1].imm);
        } else {
            t.a = use(s, &in->src[0]);
            t.shift = (int)in->src[1].imm;
        }
    } else if (in && ir_is(in, PTX_KIND_SHR) && in->src[1].kind == IR_SRC_IMM && lowered_word(in) < 0 && !minus) {
        t.a = use(s, &in->src[0]);
        t.shift = (int)in->src[1].imm;
        t.down = true;
        t.sign = ptx_type_info[in->type].kind == 'S';
    } else if (in && (ir_is(in, PTX_KIND_ADD) || ir_is(in, PTX_KIND_SUB)) && *n + 2 <= TERMS) {
        add_term(s, &in->src[0], minus, terms, n);
        add_term(s, &in->src[1], minus != ir_is(in, PTX_KIND_SUB), terms, n);
        return;
    } else if (!minus && sign_extended(s, src)) {
        t.widened = true;
        t.a = use(s, &sign_extended(s, src)->src[0]);
    } else {
        t.a = use(s, src);
    }
    if (minus) {
        if (t.a.file == FILE_IMMEDIATE)
            t.a.bits = -t.a.bits;
        else
            t.a.negated = !t.a.negated;
    }
    if (*n < TERMS)
        terms[(*n)++] = t;
}

static void put_sum32(struct selecting *s, struct operand d, struct term *t, int n)
{
    struct operand plain[TERMS], sum = none;
    int np = 0, last = -1;
    for (int i = 0; i < n; i++)
        if (t[i].product || t[i].shift >= 0)
            last = i;
        else
            plain[np++] = half(t[i].a, 0);
    if (last < 0) {
        put(s, OP_IADD3, "", d, plain[0], np > 1 ? plain[1] : zero(), np > 2 ? plain[2] : zero());
        return;
    }
    if (np == 2) {
        sum = new_register(s, 1);
        put(s, OP_IADD3, "", sum, plain[0], plain[1], zero());
    } else if (np == 1) {
        sum = plain[0];
    } else {
        sum = zero();
    }
    for (int i = 0; i < n; i++) {
        if (!t[i].product && t[i].shift < 0)
            continue;
        struct operand to = i == last ? d : new_register(s, 1);
        if (t[i].product)
            put(s, OP_IMAD, "", to, half(t[i].a, 0), half(t[i].b, 0), sum);
        else if (t[i].down)
            put(s, OP_LEA, t[i].sign ? "HI.SX32" : "HI", to, half(t[i].a, 0), sum, immediate((uint64_t)(32 - t[i].shift)));
        else if (sum.file == FILE_IMMEDIATE && s->arch < 90)
            put(s, OP_IMAD, "", to, half(t[i].a, 0), immediate(UINT64_C(1) << t[i].shift), sum);
        else
            put(s, OP_LEA, "", to, half(t[i].a, 0), sum, immediate((uint64_t)t[i].shift));
        sum = to;
    }
}

static void put_pair_sum(struct selecting *s, struct operand d, struct operand a, struct operand b)
{
    struct operand carry = new_predicate(s);
    put(s, OP_IADD3, "", half(d, 0), half(a, 0), half(b, 0), zero());
    add_carry(s, carry);
    put(s, OP_IADD3, "X", half(d, 1), half(a, 1), half(b, 1), zero());
    take_carry(s, carry);
}

static void put_sum64(struct selecting *s, struct operand d, struct term *t, int n)
{
    struct operand sum = none;
    int made = 0;
    for (int i = 0; i < n; i++)
        made += !t[i].product && t[i].shift < 0;
    int plain = made;
    for (int i = 0; i < n; i++)
        if (!t[i].product && t[i].shift < 0) {
            if (!sum.file && t[i].widened && i + 1 < n && !t[i + 1].product && t[i + 1].shift < 0) { /* a pair comes first */
                struct term other = t[i];
                t[i] = t[i + 1];
                t[i + 1] = other;
            }
            if (!sum.file && t[i].widened) {
                sum = new_register(s, 2);
                put(s, OP_SHF, "R.S32.HI", half(sum, 1), zero(), immediate(31), half(t[i].a, 0));
                plain--;
                continue;
            }
            if (!sum.file) {
                sum = t[i].a;
                plain--;
                continue;
            }
            plain--;
            struct operand to = plain == 0 && made == n ? d : new_register(s, 2);
            if (t[i].widened) {
                struct operand carry = new_predicate(s);
                put(s, OP_IADD3, "", half(to, 0), half(t[i].a, 0), half(sum, 0), zero());
                add_carry(s, carry);
                put(s, OP_LEA, "HI.X.SX32", half(to, 1), half(t[i].a, 0), half(sum, 1), immediate(1));
                take_carry(s, carry);
            } else {
                put_pair_sum(s, to, sum, t[i].a);
            }
            sum = to;
        }
    for (int i = 0, left = n - made; i < n; i++) {
        if (!t[i].product && t[i].shift < 0)
            continue;
        struct operand to = --left == 0 ? d : new_register(s, 2);
        if (t[i].product && t[i].wide) {
            put(s, OP_IMAD, t[i].sign ? "WIDE" : "WIDE.U32", to, t[i].a, t[i].b, sum.file ? pair_of(s, sum) : zero());
        } else if (t[i].product) {
            put(s, OP_IMAD, "WIDE.U32", to, half(t[i].a, 0), half(t[i].b, 0), sum.file ? pair_of(s, sum) : zero());
            put(s, OP_IMAD, "", half(to, 1), half(t[i].a, 0), half(t[i].b, 1), half(to, 1));
            put(s, OP_IMAD, "", half(to, 1), half(t[i].a, 1), half(t[i].b, 0), half(to, 1));
        } else {
            struct operand carry = new_predicate(s);
            put(s, OP_LEA, "", half(to, 0), half(t[i].a, 0), sum.file ? half(sum, 0) : zero(), immediate((uint64_t)t[i].shift));
            add_carry(s, carry);
            put(s, OP_LEA, "HI.X", half(to, 1), half(t[i].a, 0), sum.file ? half(sum, 1) : zero(), half(t[i].a, 1));
            take_carry(s, carry);
        }
        sum = to;
    }
}

static void select_sum(struct selecting *s, const struct ir_inst *in)
{
    struct term terms[TERMS];
    struct operand d = result(s, in, 0);
    int n = 0;
    add_term(s, &in->src[0], false, terms, &n);
    add_term(s, &in->src[1], ir_is(in, PTX_KIND_SUB), terms, &n);
    if (d.words > 1)
        put_sum64(s, d, terms, n);
    else
        put_sum32(s, d, terms, n);
}

/* --- logic --- */

static bool is_logic(const struct ir_inst *in)
{
    return ir_kind(in) >= PTX_KIND_AND && ir_kind(in) <= PTX_KIND_NOT;
}

/* The operands of a logic operation and of those that are part of it. */
static void add_logic(struct selecting *s, const struct ir_inst *in, struct operand *o, int *n)
{
    for (int i = 0; i < in->nsrc; i++) {
        const struct ir_inst *m = folded(s, &in->src[i]);
        if (m && is_logic(m) && m->type != PTX_PRED && *n < 3)
            add_logic(s, m, o, n);
        else if (*n < 3)
            o[(*n)++] = use(s, &in->src[i]);
    }
}

/* A word of a 64-bit operation that is a word of its operand, or nothing: & 0, & ~0, | 0, ^ 0. */
static bool is_known_word(const struct ir_inst *in, struct operand constant)
{
    bool none_set = constant.file == FILE_ZERO, all_set = constant.file == FILE_IMMEDIATE && (uint32_t)constant.bits == UINT32_MAX;
    return ir_is(in, PTX_KIND_AND) ? none_set || all_set : none_set && (ir_is(in, PTX_KIND_OR) || ir_is(in, PTX_KIND_XOR));
}

/* The comparisons make it. */
static void put_joined(struct selecting *s, struct operand d, const struct ir_inst *in)
{
    put_copy(s, d, use(s, &in->src[0]));
    struct machine_inst *copy = &s->c->insts[s->c->ninsts - 1];
    if (in->nsrc > 1)
        copy->source[copy->nsources++] = use(s, &in->src[1]);
}

static void select_logic(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = result(s, in, 0), o[4] = {none, none, none, none};
    int n = 0;
    if (in->type == PTX_PRED) {
        if (!lowered_joins_comparison(s->l, in))
            put(s, OP_PLOP3, "LUT", d, use(s, &in->src[0]), in->nsrc > 1 ? use(s, &in->src[1]) : always(), none);
        else
            put_joined(s, d, in);
        return;
    }
    add_logic(s, in, o, &n);
    for (int word = 0; word < (d.words > 1 ? 2 : 1); word++)
        if (!(d.words > 1 && n == 2 && is_known_word(in, half(o[1], word))))
            put(s, OP_LOP3, "LUT", half(d, word), half(o[0], word), n > 1 ? half(o[1], word) : zero(), n > 2 ? half(o[2], word) : zero());
}

/* --- comparisons and selection --- */

/* A word of a 64-bit value is zero. */
static bool is_zero_word(const struct selecting *s, const struct ir_src *src, int word)
{
    const struct ir_inst *m = maker(s, src);
    if (src->kind == IR_SRC_IMM)
        return !(uint32_t)(src->imm >> (32 * word));
    if (m && ir_is(m, PTX_KIND_AND) && m->src[1].kind == IR_SRC_IMM)
        return !(uint32_t)(m->src[1].imm >> (32 * word));
    return m && word && lowered_is_widened(s->l, src) && ptx_type_info[m->type2].kind != 'S';
}

static void select_comparison(struct selecting *s, const struct ir_inst *in)
{
    const struct ir_inst *of = folded(s, &in->src[0]), *logic = of && is_logic(of) && of->type != PTX_PRED ? of : NULL; /* compared with zero */
    struct operand d = result(s, in, 0), a = logic ? none : use(s, &in->src[0]), b = use(s, &in->src[1]);
    struct operand more = in->nsrc > 2 ? use(s, &in->src[2]) : always();
    char kind = ptx_type_info[in->type].kind;
    if (logic) {
        struct operand o[4] = {none, none, none, none};
        int n = 0;
        add_logic(s, logic, o, &n);
        put(s, OP_LOP3, "LUT", d, half(o[0], 0), n > 1 ? half(o[1], 0) : zero(), n > 2 ? half(o[2], 0) : zero());
    } else if (kind == 'F') {
        put(s, in->type == PTX_F64 ? OP_DSETP : OP_FSETP, "", d, a, b, none);
    } else if (kind == 'H') {
        put(s, OP_HSETP2, "", d, a, b, none);
    } else if (ptx_type_info[in->type].bits == 64 && is_zero_word(s, &in->src[0], 0) && is_zero_word(s, &in->src[1], 0)) {
        put(s, OP_ISETP, "", d, half(a, 1), half(b, 1), none);
    } else if (ptx_type_info[in->type].bits == 64 && is_zero_word(s, &in->src[0], 1) && is_zero_word(s, &in->src[1], 1)) {
        put(s, OP_ISETP, "U32", d, half(a, 0), half(b, 0), none);
    } else if (ptx_type_info[in->type].bits == 64) {
        struct operand low = new_predicate(s);
        put(s, OP_ISETP, "U32", low, half(a, 0), half(b, 0), none);
        put(s, OP_ISETP, "EX", d, half(a, 1), half(b, 1), none);
        take_carry(s, low);
        return;
    } else {
        put(s, OP_ISETP, "", d, half(a, 0), half(b, 0), none);
    }
    if (more.file == FILE_PREDICATE)
        take_carry(s, more);
}

static void select_choice(struct selecting *s, const struct ir_inst *in)
{
    const struct ir_inst *compared = lowered_compared(s->l, in);
    if (compared) {
        put(s, OP_FSET, "BF", result(s, in, 0), use(s, &compared->src[0]), use(s, &compared->src[1]), none);
        return;
    }
    struct operand d = result(s, in, 0), a = use(s, &in->src[0]), b = use(s, &in->src[1]), p = use(s, &in->src[2]);
    bool single = in->type == PTX_F32;
    for (int word = 0; word < (d.words > 1 ? 2 : 1); word++) {
        struct operand x = half(a, word), y = half(b, word);
        if (!is_register(&x) && is_register(&y)) {
            struct operand t = x;
            x = y;
            y = t;
        }
        put(s, single || in->type == PTX_F64 ? OP_FSEL : OP_SEL, "", half(d, word), x, y, none);
        take_carry(s, p);
    }
}

static void select_extreme(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = result(s, in, 0);
    if (d.file == FILE_UNIFORM) { /* the whole warp has no such operation */
        const struct operand lesser = of_register(FILE_UNIFORM_PREDICATE, s->c->nregs++, 0), a = half(use(s, &in->src[0]), 0), b = half(use(s, &in->src[1]), 0);
        put(s, OP_ISETP, "", lesser, a, b, none);
        put(s, OP_SEL, "", d, a, b, none);
        take_carry(s, lesser);
        return;
    }
    for (int i = 0; i < in->nsrc; i++) {
        const struct ir_inst *m = folded(s, &in->src[i]);
        bool sum = m && ir_is(m, PTX_KIND_ADD);
        if (!sum && !(m && m->op == in->op))
            continue;
        put(s, sum ? OP_VIADDMNMX : OP_VIMNMX3, "", d, half(use(s, &m->src[0]), 0), half(use(s, &m->src[1]), 0), half(use(s, &in->src[1 - i]), 0));
        return;
    }
    put(s, s->arch >= 90 ? OP_VIMNMX : OP_IMNMX, "", d, half(use(s, &in->src[0]), 0), half(use(s, &in->src[1]), 0), none);
}

/* --- floating point --- */

/* -x or |x| for readers that do not take it for nothing. Of one half the other one is put beside it. */
static void put_sign(struct selecting *s, const struct ir_inst *in)
{
    static const struct {
        uint16_t type;
        enum machine_op op;
        bool packed; /* PRMT behind it: of -x, */
        bool absolute; /* and of |x| */
    } of[] = {{PTX_F32, OP_FADD, false, false}, {PTX_F64, OP_DADD, false, false}, {PTX_F16, OP_HADD2, true, true},
              {PTX_F16X2, OP_HADD2, false, false}, {PTX_BF16, OP_HFMA2, true, false}, {PTX_BF16X2, OP_HFMA2, false, false}};
    struct operand d = of_register(FILE_REGISTER, in->dst[0], s->l->words[in->dst[0]]);
    s->takes_sign = true;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i].type != in->type)
            continue;
        put(s, of[i].op, "", d, use_signed(s, in), zero(), of[i].op == OP_HFMA2 ? zero() : none);
        if (ir_is(in, PTX_KIND_FNEG) ? of[i].packed : of[i].absolute)
            put(s, OP_PRMT, "", d, d, immediate(0x7610), d);
    }
}

/* Every other operation on two halves is done by the tensor cores, where these are as fast; not on one half twice. Sums, products and
 * both of pairs through ptxas 13.0 on sm_75 to sm_90, 2026-11-29. */
static bool takes_tensor_turn(struct selecting *s, const struct ir_inst *in)
{
    for (int i = 0; i < in->nsrc; i++)
        if (form_is_doubled(maker(s, &in->src[i])))
            return false;
    return (s->arch == 80 || s->arch >= 90) && s->pairs++ % 2 == 0;
}

static void select_float(struct selecting *s, const struct ir_inst *in)
{
    static const struct {
        enum ptx_kind kind;
        enum machine_op single, twice, halves;
    } of[] = {{PTX_KIND_FADD, OP_FADD, OP_DADD, OP_HADD2}, {PTX_KIND_FSUB, OP_FADD, OP_DADD, OP_HADD2},
              {PTX_KIND_FMUL, OP_FMUL, OP_DMUL, OP_HMUL2}, {PTX_KIND_FMAD, OP_FFMA, OP_DFMA, OP_HFMA2},
              {PTX_KIND_FMIN, OP_FMNMX, OP_NONE, OP_HMNMX2}, {PTX_KIND_FMAX, OP_FMNMX, OP_NONE, OP_HMNMX2}};
    char kind = ptx_type_info[in->type].kind;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (!ir_is(in, of[i].kind))
            continue;
        enum machine_op op = in->type == PTX_F64 ? of[i].twice : kind == 'H' ? of[i].halves : of[i].single;
        bool tensor = (op == OP_HADD2 || op == OP_HMUL2 || op == OP_HFMA2) && ptx_type_info[in->type].bits == 32 && takes_tensor_turn(s, in);
        op = tensor ? OP_HFMA2 : op;
        struct operand b = use(s, &in->src[1]), c = in->nsrc > 2 ? use(s, &in->src[2]) : none;
        if (ir_is(in, PTX_KIND_FSUB))
            b.negated = !b.negated;
        put(s, op, tensor ? "MMA" : "", result(s, in, 0), use(s, &in->src[0]), b, c);
        return;
    }
}

static void select_conversion(struct selecting *s, const struct ir_inst *in)
{
    struct operand d = result(s, in, 0), a = in->nsrc ? use(s, &in->src[0]) : none;
    char to = ptx_type_info[in->type].kind, from = ptx_type_info[in->type2].kind;
    int to_bits = ptx_type_info[in->type].bits, from_bits = ptx_type_info[in->type2].bits;
    bool to_number = to == 'F' || to == 'H', of_number = from == 'F' || from == 'H';
    if (!to_number && !of_number) {
        if (from_bits == 64 || to_bits == 64) {
            if (d.words > 1 && from == 'S')
                put(s, OP_SHF, "R.S32.HI", half(d, 1), zero(), immediate(31), half(a, 0));
            else
                put(s, OP_MOV, "", half(d, 0), half(a, 0), none, none);
        } else if (in->mods->sat) {
            put(s, OP_I2I, "SAT", d, half(a, 0), none, none);
        } else if (from == 'S') {
            put(s, OP_PRMT, "", d, half(a, 0), immediate(from_bits == 8 ? 0x8880 : 0x9910), zero());
        } else {
            put(s, OP_LOP3, "LUT", d, half(a, 0), immediate(from_bits == 8 || to_bits == 8 ? 0xff : 0xffff), zero());
        }
    } else if (to_number && of_number) {
        bool widen = from_bits == 16 && in->type == PTX_F32;
        if (in->type == in->type2 && in->mods->round >= PTX_RNI)
            put(s, OP_FRND, in->type == PTX_F64 ? "F64" : to == 'H' ? "F16" : "", d, a, none, none);
        else if (in->type == PTX_F64 || in->type2 == PTX_F64)
            put(s, OP_F2F, in->type == PTX_F64 ? "F64.F32" : "F32.F64", d, a, none, none);
        else if (widen && in->type2 == PTX_F16)
            put(s, OP_HADD2, "F32", d, zero(), a, none);
        else if (widen)
            put(s, OP_SHF, "L.U32", d, a, immediate(16), zero());
        else if (to == 'H' && s->arch >= 80)
            put(s, OP_F2FP, "F16.F32.PACK_AB", d, in->nsrc > 1 ? use(s, &in->src[1]) : zero(), a, none);
        else if (in->mods->round >= PTX_RNI)
            put(s, OP_FRND, "", d, a, none, none);
        else if (to == 'H')
            put(s, OP_F2F, "F16.F32", d, a, none, none);
        else
            put(s, OP_FADD, in->mods->sat ? "SAT" : "", d, a, zero(), none);
    } else if (to_number) {
        if (in->type == PTX_F32 && from_bits <= 32 && arch_op(s->arch, OP_I2FP) && from_bits > 8 && !(from == 'S' && from_bits == 16))
            put(s, OP_I2FP, from == 'S' ? "F32.S32" : "F32.U32", d, half(a, 0), none, none);
        else
            put(s, OP_I2F, from_bits == 64 ? "S64" : "", d, from_bits == 64 ? pair_of(s, a) : a, none, none);
    } else {
        put(s, OP_F2I, to_bits == 64 ? "S64.TRUNC" : "TRUNC.NTZ", d, a, none, none);
    }
}

/* --- moves --- */

/* A value of its parts, or parts of a value: nothing is moved, but for halves of words. */
static void put_parts(struct selecting *s, const struct ir_inst *in)
{
    for (int i = 0; i + 1 < in->nsrc && in->nsrc == 4; i += 2)
        put(s, OP_PRMT, "", half(result(s, in, 0), i / 2), use(s, &in->src[i]), use(s, &in->src[i + 1]), none);
    for (int i = 0; i < in->nsrc && in->ndst == 1 && in->nsrc != 4; i++)
        put_copy(s, in->nsrc == 2 ? half(result(s, in, 0), i) : result(s, in, 0), use(s, &in->src[i]));
    for (int i = 0; i < in->ndst && in->nsrc == 1; i++)
        if (in->dst[i] != IR_NOREG)
            put_copy(s, result(s, in, i), in->ndst == 2 ? half(use(s, &in->src[0]), i) : use(s, &in->src[0]));
}

static void select_move(struct selecting *s, const struct ir_inst *in)
{
    if (in->ndst != 1 || in->nsrc != 1) {
        if (ptx_type_info[in->type].bits == 32 && in->nsrc == 2) /* two halves to a word */
            put(s, OP_PRMT, "", result(s, in, 0), use(s, &in->src[0]), use(s, &in->src[1]), none);
        else if (ptx_type_info[in->type].bits == 32)
            packed_halves(s, in);
        else
            put_parts(s, in);
        return;
    }
    struct operand d = result(s, in, 0);
    if (in->src[0].kind == IR_SRC_SREG) {
        int sreg = (int)in->src[0].sreg;
        uint64_t at;
        if (arch_size_at(s->arch, sreg, &at) && arch_has_bank_operands(s->arch)) {
            put(s, OP_MOV, "", d, bank(at), none, none);
            return;
        }
        bool clock = sreg == PTX_SREG_CLOCK || sreg == PTX_SREG_CLOCK64 || sreg == PTX_SREG_GLOBALTIMER;
        put(s, clock ? OP_CS2R : OP_S2R, "", d, (struct operand){.file = FILE_SPECIAL, .number = sreg}, none, none);
        return;
    }
    const struct ir_src *src = &in->src[0];
    if (src->kind == IR_SRC_REG && s->l->readers[src->reg + 1] - s->l->readers[src->reg] == 1 && s->l->place[src->reg] == PLACE_REGISTER) {
        put_copy(s, d, use(s, src)); /* the value is made where it is needed */
        return;
    }
    const struct ir_inst *held = lowered_copies_bank(s->l, in);
    if (held) {
        put(s, OP_LDC, d.words > 1 ? "64" : "", d, in_bank(s, held), none, none);
        return;
    }
    const int32_t window = s->l->windows ? s->l->windows->of_site[s->site] : -1;
    struct operand a = window >= 0 ? selecting_window(s, window) : use(s, src);
    if (window >= 0 && a.file == d.file) {
        put_copy(s, half(d, 0), a);
        return;
    }
    if (d.file == FILE_PREDICATE) {
        put(s, OP_PLOP3, "LUT", d, a, always(), none);
        return;
    }
    if (d.file == FILE_UNIFORM && a.file == FILE_UNIFORM && s->l->readers[src->reg + 1] - s->l->readers[src->reg] == 1) {
        put_copy(s, d, a);
        return;
    }
    if (d.words > 1 && a.file == FILE_ZERO && d.file == FILE_REGISTER) {
        put(s, OP_CS2R, "", d, zero(), none, none);
        return;
    }
    for (int word = 0; word < (d.words > 1 ? 2 : 1); word++)
        put(s, OP_MOV, "", half(d, word), half(a, word), none, none);
}

/* --- memory --- */

static const char *width_of(const struct ir_inst *in)
{
    int bits = ptx_type_info[in->type].bits * (in->vec ? in->vec : 1);
    bool sign = ptx_type_info[in->type].kind == 'S';
    return bits == 8 ? sign ? "S8" : "U8" : bits == 16 ? sign ? "S16" : "U16" : bits == 64 ? "64" : bits >= 128 ? "128" : "";
}

static enum machine_op memory_op(const struct ir_inst *in)
{
    static const struct {
        int space;
        enum machine_op load, store, atomic;
    } of[] = {{PTX_GLOBAL, OP_LDG, OP_STG, OP_ATOMG}, {PTX_SHARED, OP_LDS, OP_STS, OP_ATOMS}, {PTX_LOCAL, OP_LDL, OP_STL, OP_ATOM},
              {PTX_GENERIC, OP_LD, OP_ST, OP_ATOM}, {PTX_CONST, OP_LDC, OP_NONE, OP_NONE}, {PTX_PARAM, OP_LDC, OP_NONE, OP_NONE}};
    if (ir_is(in, PTX_KIND_REDUCE))
        return in->space == PTX_GLOBAL ? OP_RED : in->space == PTX_SHARED ? OP_ATOMS : OP_ATOM;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].space == in->space)
            return ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_LOADU) ? of[i].load : ir_is(in, PTX_KIND_STORE) ? of[i].store : of[i].atomic;
    return OP_NONE;
}

static bool is_load(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD) || ir_is(in, PTX_KIND_LOADU);
}

/* The access adds the address of a variable for nothing. */
static bool folds_names(const struct selecting *s, const struct ir_inst *in)
{
    return in->space == PTX_CONST || (s->arch < 90 && in->space == PTX_SHARED);
}

/* The access adds a pointer that the whole warp has. */
static bool adds_pointer(const struct selecting *s, const struct ir_inst *in)
{
    return arch_adds_uniform_address(s->arch) && (in->space == PTX_GLOBAL || in->space == PTX_GENERIC) && (is_load(in) || ir_is(in, PTX_KIND_STORE));
}

/* The address's register, with constants that were added to it in *offset, and a register of the whole warp in *uniform. */
static struct operand address_of(struct selecting *s, const struct ir_inst *in, int64_t *offset, struct operand *uniform)
{
    const struct ir_src *src = &in->src[0];
    const struct ir_inst *m;
    uint64_t bits;
    int part;
    *offset = in->offset;
    if (s->l->windows && s->l->windows->of_site[s->site] >= 0) {
        *offset += (int64_t)src->imm;
        return selecting_window(s, s->l->windows->of_site[s->site]);
    }
    while ((m = folded(s, src)) && (ir_is(m, PTX_KIND_ADD) || ir_is(m, PTX_KIND_SUB) || ir_is(m, PTX_KIND_ADDRESS) || ir_is_copy(m))) {
        if (ir_is(m, PTX_KIND_ADDRESS) || ir_is_copy(m)) {
            src = &m->src[0];
        } else if (m->src[1].kind == IR_SRC_IMM) {
            *offset += ir_is(m, PTX_KIND_SUB) ? -(int64_t)m->src[1].imm : (int64_t)m->src[1].imm;
            src = &m->src[0];
        } else if (m->src[0].kind == IR_SRC_IMM) {
            *offset += (int64_t)m->src[0].imm;
            src = &m->src[1];
        } else if (folds_names(s, in) && definitions_constant(s->k, s->l->only, &m->src[0], &bits)) {
            *offset += (int64_t)bits;
            src = &m->src[1];
        } else if (folds_names(s, in) && definitions_constant(s->k, s->l->only, &m->src[1], &bits)) {
            *offset += (int64_t)bits;
            src = &m->src[0];
        } else if ((in->space == PTX_SHARED || adds_pointer(s, in)) && !uniform->file && (part = lowered_uniform_part(s->l, m)) >= 0) {
            *uniform = in->space == PTX_SHARED ? half(use(s, &m->src[part]), 0) : selecting_of_warp(s, use(s, &m->src[part]));
            src = &m->src[1 - part];
        } else {
            break;
        }
        if (src->kind != IR_SRC_REG)
            break;
    }
    if ((m = folded(s, src)) && arch_scales_shared(s->arch) && in->space == PTX_SHARED && ir_is(m, PTX_KIND_SHL) && m->src[1].kind == IR_SRC_IMM &&
        m->src[1].imm >= 2 && m->src[1].imm <= 4)
        src = &m->src[0]; /* [R5.X4] */
    if (m && src->kind == IR_SRC_REG && folded(s, src) == m && ir_is(m, PTX_KIND_MUL_WIDE) && in->space == PTX_SHARED) {
        struct operand low = new_register(s, 1), b = use(s, &m->src[1]);
        if (b.file == FILE_IMMEDIATE && !(b.bits & (b.bits - 1)))
            put(s, OP_SHF, "L.U32", low, half(use(s, &m->src[0]), 0), immediate((uint64_t)__builtin_ctzll(b.bits)), zero());
        else
            put(s, OP_IMAD, "", low, half(use(s, &m->src[0]), 0), half(b, 0), zero());
        return low;
    }
    struct operand a = use(s, src);
    if (adds_pointer(s, in) && !uniform->file && (a.file == FILE_BANK || a.file == FILE_UNIFORM)) {
        *uniform = selecting_of_warp(s, a);
        return zero();
    }
    const bool takes_uniform = in->space != PTX_GLOBAL && in->space != PTX_GENERIC;
    if (!takes_uniform && !arch_has_narrow_addresses(s->arch))
        a = pair_of(s, a);
    return a.file == FILE_BANK || a.file == FILE_IMMEDIATE || (a.file == FILE_UNIFORM && !takes_uniform) ? move(s, a) : a;
}

static struct operand in_register(struct selecting *s, struct operand o)
{
    return is_register(&o) ? o : move(s, o);
}

static struct operand guard_of(const struct ir_inst *in)
{
    struct operand p = in->guard == IR_NOREG ? none : of_register(FILE_PREDICATE, in->guard, 0);
    p.negated = in->guard_negated;
    return p;
}

static void select_memory(struct selecting *s, const struct ir_inst *in)
{
    enum machine_op op = arch_op_here(s->arch, memory_op(in));
    struct operand uniform = none;
    int64_t offset;
    if (op == OP_NONE)
        return;
    if (op == OP_LDC) {
        struct operand d = result(s, in, 0);
        offset = 0;
        put(s, op, width_of(in), d, in->src[0].kind == IR_SRC_IMM ? bank(in->src[0].imm + (uint64_t)in->offset) : address_of(s, in, &offset, &uniform), none, none);
        s->c->insts[s->c->ninsts - 1].offset = (int32_t)offset;
        s->c->insts[s->c->ninsts - 1].is_value = true;
        return;
    }
    const char *text = ir_is(in, PTX_KIND_ATOMIC) || ir_is(in, PTX_KIND_REDUCE) ? atomic_text(in, s->l->uniform, s->arch) : NULL;
    struct operand a = address_of(s, in, &offset, &uniform), values[3] = {none, none, none};
    if (text) {
        struct operand d = in->ndst && in->dst[0] != IR_NOREG ? result(s, in, 0) : none;
        atomic_put(s->c, text, &(struct atomic_operands){op, s->site, width_of(in), a, use(s, &in->src[1]), d, guard_of(in), (int32_t)offset, atomic_leaves(s->k, in), &((struct ir_kernel *)s->k)->arena});
        return;
    }
    const bool packed = packed_is(in);
    if (packed && ir_is(in, PTX_KIND_STORE))
        values[0] = packed_stored(s, in);
    for (int i = 1; i < in->nsrc && i < 4 && !packed; i++) {
        values[i - 1] = in_register(s, use(s, &in->src[i]));
        if (ptx_type_info[in->type].bits == 64)
            values[i - 1] = pair_of(s, values[i - 1]);
        if (values[i - 1].file == FILE_ZERO && ir_is(in, PTX_KIND_ATOMIC) && in->mods->atomic == PTX_ATOMIC_CAS) { /* both stand side by side */
            values[i - 1] = new_register(s, ptx_type_info[in->type].bits / 32);
            put(s, values[i - 1].words > 1 ? OP_CS2R : OP_MOV, "", values[i - 1], zero(), none, none);
        }
    }
    for (int i = 4; i < in->nsrc && !packed; i++)
        in_register(s, use(s, &in->src[i]));
    struct machine_inst *m = append(s, op, width_of(in));
    m->offset = (int32_t)offset;
    m->source[m->nsources++] = a;
    for (int i = 0; i < 3; i++)
        if (values[i].file)
            m->source[m->nsources++] = values[i];
    if (uniform.file)
        m->source[m->nsources++] = uniform;
    if (packed && is_load(in)) {
        const struct operand loaded = packed_loaded(s, in);
        m->result[m->nresults++] = loaded;
        packed_unpack(s, in, loaded);
        return;
    }
    for (int i = 0; i < in->ndst && i < CODE_RESULTS && op != OP_RED && op != OP_REDG; i++)
        if (in->dst[i] != IR_NOREG || i == 0)
            m->result[m->nresults++] = in->dst[i] == IR_NOREG ? zero() : result(s, in, i);
    if (is_load(in) && ptx_type_info[in->type].bits * (in->vec ? in->vec : 1) > 64 && m->nresults)
        m->result[0].words = 4;
}

/* Whether the register is that number: a comparison, once for those behind it. */
static struct operand put_place(struct selecting *s, struct operand at, int64_t value)
{
    const int32_t block = s->k->insts[s->site].block;
    for (int i = 0; i < s->ncompared; i++) {
        const struct selecting_compared *c = &s->compared[i];
        if (c->base == at.number && c->value == value && ir_dominates(s->k, c->block, block))
            return of_register(FILE_PREDICATE, c->predicate, 0);
    }
    struct operand is_it = new_predicate(s);
    put(s, OP_ISETP, "", is_it, at, immediate((uint64_t)value), none);
    if (s->ncompared < SELECTING_KEPT)
        s->compared[s->ncompared++] = (struct selecting_compared){block, at.number, is_it.number, value};
    return is_it;
}

/* An element of an array in registers: of an index that is not known, a comparison and a predicated move for each. */
static void select_element(struct selecting *s, const struct ir_inst *in)
{
    int32_t n = (int32_t)(s->k->scratch_bytes / 4);
    if (s->k->recursive || arrays_is_named(s->k, s->l->only, &in->src[0]) || in->guard != IR_NOREG || in->vec > 1)
        return;
    if (!s->elements) {
        s->elements = s->c->nregs;
        s->c->nregs += n;
    }
    int64_t offset;
    struct operand uniform = none, at = half(address_of(s, in, &offset, &uniform), 0), value = is_load(in) ? result(s, in, 0) : in_register(s, use(s, &in->src[1]));
    for (int32_t i = 0; i < n; i++) {
        struct operand is_it = put_place(s, at, 4 * i - offset), element = of_register(FILE_REGISTER, s->elements + i, 1);
        put(s, OP_MOV, "", is_load(in) ? value : element, is_load(in) ? element : value, none, none);
        s->c->insts[s->c->ninsts - 1].guard = is_it;
    }
}

/* --- flow --- */

static void select_flow(struct selecting *s, const struct ir_inst *in)
{
    struct machine_inst *m;
    switch (ir_kind(in)) {
    case PTX_KIND_BRANCH:
        if (in->guard == IR_NOREG && in->target == in->block + 1)
            return;
        m = append(s, shape_leaves(s->k, in->target) ? OP_EXIT : OP_BRA, "");
        m->guard = in->guard == IR_NOREG ? none : of_register(FILE_PREDICATE, in->guard, 0);
        m->guard.negated = in->guard_negated;
        if (m->op == OP_BRA)
            m->source[m->nsources++] = (struct operand){.file = FILE_BLOCK, .number = in->target};
        break;
    case PTX_KIND_SWITCH:
        put(s, OP_LDC, "", new_register(s, 1), use(s, &in->src[0]), none, none);
        append(s, OP_BRX, "");
        break;
    case PTX_KIND_TRAP:
        append(s, OP_BPT, "TRAP");
        break;
    default:
        append(s, OP_EXIT, "");
        break;
    }
}

/* --- all --- */

static void select_inst(struct selecting *s, const struct ir_inst *in)
{
    const char *text;
    int32_t d = in->ndst ? in->dst[0] : IR_NOREG;
    s->takes_sign = signs_taken(in);
    if (in->op == IR_OP_DELETED || in->stays || ir_only_counts(in) || (ir_class(in) == PTX_CLASS_NOP && in->op != PTX_OP_NANOSLEEP && in->op != PTX_OP_CP_COMMIT))
        return;
    if (d != IR_NOREG && (s->l->place[d] == PLACE_READER || s->l->place[d] == PLACE_BANK || (s->l->windows && s->l->windows->of_reg[d] >= 0)))
        return;
    if (ir_is_memory(in)) {
        if (in->space == IR_SCRATCH) {
            select_element(s, in);
            return;
        }
        selecting_release(s, in);
        select_memory(s, in);
        selecting_acquire(s, in);
        return;
    }
    if (is_of_ways(s, in))
        return;
    if (library_has(in)) {
        put_library(s, in);
        return;
    }
    if ((text = sequence_text(s->k, s->l->only, in, s->arch)) && !(d != IR_NOREG && bits_of(s, d) == 64 && s->l->words[d] == 1 && ir_class(in) <= PTX_CLASS_LOGIC && ptx_is_integer(in->type))) {
        put_sequence(s, in, text, s->parted[s->site] ? PART_SECOND : PART_ALL);
        return;
    }
    switch (ir_kind(in)) {
    case PTX_KIND_COPY:
        select_move(s, in);
        return;
    case PTX_KIND_ADDRESS:
    case PTX_KIND_FNEG:
    case PTX_KIND_FABS:
        if (d != IR_NOREG && s->l->place[d] != PLACE_NOWHERE)
            put_copy(s, result(s, in, 0), use(s, &in->src[0]));
        return;
    case PTX_KIND_CONVERT:
        select_conversion(s, in);
        return;
    case PTX_KIND_ADD:
    case PTX_KIND_SUB:
        select_sum(s, in);
        return;
    case PTX_KIND_MUL:
    case PTX_KIND_MAD:
    case PTX_KIND_MUL_WIDE:
    case PTX_KIND_MAD_WIDE:
        selecting_product(s, in);
        return;
    case PTX_KIND_SHL:
    case PTX_KIND_SHR:
        selecting_shift(s, in);
        return;
    case PTX_KIND_AND:
    case PTX_KIND_OR:
    case PTX_KIND_XOR:
    case PTX_KIND_NOT:
        select_logic(s, in);
        return;
    case PTX_KIND_COMPARE:
        select_comparison(s, in);
        return;
    case PTX_KIND_SELECT:
        select_choice(s, in);
        return;
    case PTX_KIND_MIN:
    case PTX_KIND_MAX:
        select_extreme(s, in);
        return;
    case PTX_KIND_FADD:
    case PTX_KIND_FSUB:
    case PTX_KIND_FMUL:
    case PTX_KIND_FMAD:
    case PTX_KIND_FMIN:
    case PTX_KIND_FMAX:
        select_float(s, in);
        return;
    case PTX_KIND_BRANCH:
    case PTX_KIND_SWITCH:
    case PTX_KIND_RETURN:
    case PTX_KIND_EXIT:
    case PTX_KIND_TRAP:
        select_flow(s, in);
        return;
    case PTX_KIND_BARRIER:
        selecting_barrier(s, in);
        return;
    default:
        selecting_other(s, in);
        return;
    }
}

/* --- for the other files --- */

struct operand selecting_use(struct selecting *s, const struct ir_src *src)
{
    return use(s, src);
}

struct operand selecting_in_register(struct selecting *s, const struct ir_src *src)
{
    return in_register(s, use(s, src));
}

struct operand selecting_result(const struct selecting *s, const struct ir_inst *in, int d)
{
    return result(s, in, d);
}

struct operand selecting_register(struct selecting *s, int words)
{
    return new_register(s, words);
}

struct operand selecting_uniform(struct selecting *s, int words)
{
    return of_register(FILE_UNIFORM, s->c->nregs++, words);
}

void selecting_put(struct selecting *s, enum machine_op op, const char *form, struct operand d, struct operand a, struct operand b, struct operand c)
{
    put(s, op, form, d, a, b, c);
}

struct operand selecting_pair(struct selecting *s, struct operand o)
{
    return pair_of(s, o);
}

int32_t selecting_before_loops(struct selecting *s)
{
    return go_before_loops(s);
}

struct machine_inst *selecting_append(struct selecting *s, enum machine_op op, const char *form)
{
    return append(s, op, form);
}

/* --- what stands in front --- */

static void put_bank_load(struct selecting *s, int32_t reg)
{
    const struct ir_inst *in = &s->k->insts[s->l->only[reg]];
    int words = s->l->words[reg];
    const struct operand from = in_bank(s, in);
    struct machine_inst *last = s->c->ninsts ? &s->c->insts[s->c->ninsts - 1] : NULL;
    int file = s->l->held[reg] ? FILE_REGISTER : FILE_UNIFORM;
    if (last && words == 1 && last->site == s->site && last->nresults == 1 && last->result[0].words == 1 && last->result[0].file == file &&
        last->source[0].file == FILE_BANK && (last->op == OP_LDC || last->op == OP_ULDC)) {
        uint64_t low = last->source[0].bits < from.bits ? last->source[0].bits : from.bits;
        if ((last->source[0].bits ^ from.bits) == 4 && !(low & 4)) { /* two words side by side */
            last->form = "64";
            last->source[0].bits = low;
            last->result[last->nresults++] = of_register(file, reg, 1);
            return;
        }
    }
    put(s, OP_LDC, words > 1 ? "64" : "", of_register(file, reg, words), from, none, none);
    s->c->insts[s->c->ninsts - 1].is_value = ir_is(in, PTX_KIND_LOAD) && in->space == PTX_CONST;
}

/* The stack pointer; the descriptor of global memory. */
static void put_setup(struct selecting *s, bool global, int32_t site)
{
    if (site == 0)
        selecting_put_stack_pointer(s);
    if (global && s->arch >= 80)
        put(s, OP_LDC, "64", of_register(FILE_UNIFORM, s->c->nregs++, 2), bank(s->arch >= 90 ? 0x208 : 0x118), none, none);
}


struct code *selection_new(const struct lowered *l, int arch)
{
    struct code *c = alloc_zeroed(sizeof *c);
    struct selecting s = {.l = l, .k = l->k, .arch = arch, .c = c, .elsewhere = -1};
    c->arch = arch;
    c->stack = -1;
    c->nregs = l->k->nregs;
    c->first = alloc_zeroed(((size_t)l->k->ninsts + 2) * sizeof *c->first);
    int32_t most = 1;
    for (int32_t i = 0; i < l->k->ninsts; i++)
        most += LOWERED_READS < l->k->insts[i].nsrc * 4 + 4 ? LOWERED_READS : l->k->insts[i].nsrc * 4 + 4;
    int32_t *first_load = alloc_zeroed(((size_t)l->k->ninsts + 1) * sizeof *first_load);
    int32_t *next_load = alloc_zeroed((size_t)most * sizeof *next_load), *load = alloc_zeroed((size_t)most * sizeof *load);
    int32_t first_global = ahead_first_access(l->k, PTX_GLOBAL);
    const struct windows *windows = l->windows;
    c->nregs += windows ? SELECTING_WINDOW * windows->n : 0;
    bool *parted = alloc_zeroed((size_t)l->k->ninsts + 1);
    uint8_t *scaled = scaling_new(l->k, l->only);
    int32_t *sign_at = signs_new(l->k, l->only);
    int32_t *first_sign = alloc_zeroed(((size_t)l->k->ninsts + 1) * sizeof *first_sign);
    int32_t *next_sign = alloc_zeroed(((size_t)l->k->ninsts + 1) * sizeof *next_sign);
    int32_t *first_part = alloc_zeroed(((size_t)l->k->ninsts + 1) * sizeof *first_part);
    int32_t *next_part = alloc_zeroed(((size_t)l->k->ninsts + 1) * sizeof *next_part);
    quotients_part(l, parted, first_part, next_part);
    s.parted = parted;
    const size_t divisors = (size_t)l->k->nregs + (size_t)l->k->ninsts + 1;
    s.reciprocal = alloc_zeroed(divisors * sizeof *s.reciprocal);
    memset(s.reciprocal, -1, divisors * sizeof *s.reciprocal);
    s.scaled = scaled;
    s.sign_at = sign_at;
    ahead_signs(l->k, sign_at, first_sign, next_sign);
    memset(first_load, -1, ((size_t)l->k->ninsts + 1) * sizeof *first_load);
    if (!arch_has_bank_operands(arch))
        slots_loads(l, first_load, next_load, load);
    for (int32_t i = 0; i < l->k->ninsts; i++) {
        s.site = i;
        put_setup(&s, i == first_global, i);
        for (int32_t w = 0; windows && w < windows->n; w++)
            if (windows->of[w].site == i)
                selecting_put_window(&s, w);
        for (int32_t n = first_load[i]; n >= 0; n = next_load[n])
            put_bank_load(&s, load[n]);
        for (int32_t n = first_part[i]; n; n = next_part[n - 1])
            put_sequence(&s, &l->k->insts[n - 1], sequence_text(l->k, l->only, &l->k->insts[n - 1], s.arch), PART_FIRST);
        bool leaves = ir_is_end(&l->k->insts[i]) || ir_is(&l->k->insts[i], PTX_KIND_BRANCH) || ir_is(&l->k->insts[i], PTX_KIND_SWITCH);
        if (!leaves)
            select_inst(&s, &l->k->insts[i]);
        for (int32_t n = first_sign[i]; n; n = next_sign[n - 1])
            put_sign(&s, &l->k->insts[n - 1]);
        if (leaves)
            select_inst(&s, &l->k->insts[i]);
    }
    code_sort(c, l->k->ninsts);
    alloc_release(first_load);
    alloc_release(parted);
    alloc_release(s.reciprocal);
    alloc_release(scaled);
    alloc_release(sign_at);
    alloc_release(first_sign);
    alloc_release(next_sign);
    alloc_release(first_part);
    alloc_release(next_part);
    alloc_release(next_load);
    alloc_release(load);
    return c;
}
