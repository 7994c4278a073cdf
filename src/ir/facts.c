/* Facts by row, and those that modifiers or operands decide (see facts.h). */
#include "ir/facts.h"

/* --- where a row alone does not say it --- */

/* Memory of an access's own space. */
static unsigned own_space(const struct ir_inst *in)
{
    switch (in->space) {
    case PTX_GLOBAL: return FACT_GLOBAL;
    case PTX_SHARED: return FACT_SHARED;
    case PTX_LOCAL: return FACT_LOCAL;
    case PTX_CONST:
    case PTX_PARAM: return FACT_CONSTANT;
    case IR_SCRATCH: return FACT_SCRATCH;
    default: return FACT_GLOBAL | FACT_SHARED | FACT_LOCAL; /* generic (9.7.9.8) */
    }
}

/* Local memory, generic addresses of it among them, and call parameters are each lane's own. */
static unsigned load_result(const struct ir_inst *in)
{
    return FACT_MEMORY | (own_space(in) & (FACT_LOCAL | FACT_SCRATCH) ? FACT_LANE : 0) |
           (in->mods->order != PTX_WEAK ? FACT_STATE : 0);
}

/* Chapter 8: volatile and relaxed accesses stay in order among themselves, the others also order what is around them. */
static unsigned order(const struct ir_inst *in)
{
    return in->mods->order == PTX_WEAK || in->mods->order == PTX_VOLATILE || in->mods->order == PTX_RELAXED ? 0 : FACT_FENCE;
}

static unsigned load_may(const struct ir_inst *in)
{
    return in->mods->order == PTX_WEAK ? FACT_LEAVE_OUT | FACT_DOUBLE : 0;
}

/* 9.7.9.6: with segments (bits 8 to 12 of c) each has a source of its own, without .idx each lane has, and beyond the clamp
 * (bits 0 to 4) every lane keeps its own value. */
static unsigned shuffle_result(const struct ir_inst *in)
{
    const struct ir_src *from = &in->src[1], *c = &in->src[2];
    bool whole = in->mods->variant == PTX_SHFL_IDX && c->kind == IR_SRC_IMM && !(c->imm & 0x1f00);
    bool inside = whole && ((c->imm & 31) == 31 || (from->kind == IR_SRC_IMM && (from->imm & 31) <= (c->imm & 31)));
    return inside ? FACT_LANES : FACT_LANES | FACT_LANE;
}

/* 9.7.13.9: match.any says which lanes have this lane's value, match.all the same to all. */
static unsigned match_result(const struct ir_inst *in)
{
    return in->mods->variant == PTX_MATCH_ALL ? FACT_LANES : FACT_LANES | FACT_LANE;
}

static unsigned lanes_sync(const struct ir_inst *in)
{
    return in->mods->sync ? FACT_LANES_SYNC : 0;
}

/* 9.7.13.1, 9.7.13.2: bar.warp.sync too orders memory among those who take part. */
static unsigned barrier(const struct ir_inst *in)
{
    return in->mods->variant == PTX_BAR_WARP ? FACT_LANES_SYNC | FACT_FENCE : FACT_BLOCK | FACT_FENCE;
}

/* 9.7.13.15: all but pending_count look at the object's word, which other threads change. */
static bool has_word(const struct ir_inst *in)
{
    return in->mods->variant != PTX_MBAR_PENDING_COUNT;
}

static unsigned mbarrier_result(const struct ir_inst *in)
{
    return has_word(in) ? FACT_MEMORY | FACT_STATE : 0;
}

static unsigned mbarrier_word(const struct ir_inst *in)
{
    return has_word(in) ? FACT_SHARED : 0;
}

static unsigned mbarrier_syncs(const struct ir_inst *in)
{
    return has_word(in) ? FACT_FENCE : 0;
}

static unsigned mbarrier_may(const struct ir_inst *in)
{
    return has_word(in) ? 0 : FACT_FREE;
}

static unsigned carry_out(const struct ir_inst *in)
{
    return in->mods->cc ? FACT_CARRY_OUT : 0;
}

static unsigned carry_through(const struct ir_inst *in)
{
    return FACT_CARRY_IN | carry_out(in);
}

static unsigned unless_carry(const struct ir_inst *in)
{
    return in->mods->cc ? 0 : FACT_FREE;
}

/* --- the rows --- */

struct fact {
    unsigned (*by)(const struct ir_inst *in); /* or NULL: `is` */
    unsigned is;
};

enum { /* the words of the table */
    SECOND_LANE = 1 << 31, /* FACT_LANE, of the second destination only */
    LANE = FACT_LANE, LANES = FACT_LANES, MEMORY = FACT_MEMORY, STATE = FACT_STATE,
    FIRST = 1 << 0, THIRD = 1 << 2,
    GLOBAL = FACT_GLOBAL, SHARED = FACT_SHARED,
    FENCE = FACT_FENCE, LANES_SYNC = FACT_LANES_SYNC, COPIES = FACT_COPIES, TIME = FACT_TIME, GOES = FACT_GOES,
    LEAVE_OUT = FACT_LEAVE_OUT, DOUBLE = FACT_DOUBLE, MOVE = FACT_MOVE
};

#define NO       {NULL, 0}
#define IS(set)  {NULL, set}
#define BY(f)    {f, 0}
#define ANYTHING {NULL, ~0u}
#define FACTS(result, gives, carry, reads, writes, syncs, may) {result, gives, carry, reads, writes, syncs, may}
#define PURE     FACTS(NO, NO, NO, NO, NO, NO, IS(FACT_FREE))
#define PURE_CC  FACTS(NO, NO, BY(carry_out), NO, NO, NO, BY(unless_carry))
#define CARRIES  FACTS(NO, NO, BY(carry_through), NO, NO, NO, NO)
#define FLOW     FACTS(NO, NO, NO, NO, NO, IS(GOES), NO)

static const struct fact rows[IR_OP_END][FACTS_COLUMNS] = {
    [PTX_OP_UNKNOWN] = FACTS(ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING, ANYTHING, NO),
#define OP(id, word, sel, types, form, mods, class, kind, facts, meaning) [PTX_OP_##id] = facts,
#include "ptx/ptx_ops.def"
#undef OP
#define IR_OP(id, word, results, sources, number, facts) [IR_OP_##id] = facts,
#include "ir/ir_ops.def"
#undef IR_OP
};

static struct {
    int op;
    enum facts_column column;
    unsigned value;
} pretended = {.op = -1};

void facts_pretend(int op, enum facts_column column, unsigned value)
{
    pretended.op = op;
    pretended.column = column;
    pretended.value = value;
}

static unsigned look_up(const struct ir_inst *in, enum facts_column column)
{
    const struct fact *f = &rows[in->op][column];
    if (pretended.op == in->op && pretended.column == column)
        return pretended.value;
    return f->by ? f->by(in) : f->is;
}

unsigned facts_result(const struct ir_inst *in)
{
    unsigned r = look_up(in, FACTS_RESULT);
    return r & (unsigned)SECOND_LANE ? (r & ~(unsigned)SECOND_LANE) | FACT_LANE : r;
}

unsigned facts_result_at(const struct ir_inst *in, int d)
{
    unsigned r = look_up(in, FACTS_RESULT);
    return d == 1 ? facts_result(in) : r & ~(unsigned)SECOND_LANE;
}

unsigned facts_carry(const struct ir_inst *in)
{
    return look_up(in, FACTS_CARRY);
}

unsigned facts_reads(const struct ir_inst *in)
{
    return look_up(in, FACTS_READS);
}

unsigned facts_writes(const struct ir_inst *in)
{
    return look_up(in, FACTS_WRITES);
}

unsigned facts_syncs(const struct ir_inst *in)
{
    return look_up(in, FACTS_SYNCS);
}

unsigned facts_may(const struct ir_inst *in)
{
    return look_up(in, FACTS_MAY);
}

bool facts_gives(const struct ir_inst *in, int i)
{
    return look_up(in, FACTS_GIVES) >> i & 1;
}

/* --- special registers --- */

enum sreg_scope { SCOPE_LAUNCH, SCOPE_BLOCK, SCOPE_WARP, SCOPE_LANE, SCOPE_THREAD, SCOPE_TIME };

static const uint8_t scope_of[PTX_SREG_COUNT] = {
#define SREG(id, spelling, type, least, scope) [PTX_SREG_##id] = SCOPE_##scope,
#include "ptx/ptx_sregs.def"
#undef SREG
};

unsigned facts_source(const struct ir_src *s)
{
    if (s->kind != IR_SRC_SREG)
        return 0;
    enum sreg_scope scope = scope_of[s->sreg];
    return scope == SCOPE_LANE || scope == SCOPE_THREAD ? FACT_LANE : scope == SCOPE_TIME ? FACT_STATE : 0;
}

bool facts_alike_in_warps(const struct ir_src *s)
{
    return s->kind != IR_SRC_SREG || scope_of[s->sreg] <= SCOPE_BLOCK || scope_of[s->sreg] == SCOPE_LANE;
}

/* --- what follows --- */

bool facts_pure(const struct ir_inst *in)
{
    return !facts_result(in) && !facts_carry(in) && !facts_reads(in) && !facts_writes(in) && !facts_syncs(in) &&
           facts_may(in) == FACT_FREE;
}

bool facts_plain(const struct ir_inst *in)
{
    return !in->mods->sat && !in->mods->relu && !facts_carry(in) && in->type != PTX_U16X2 && in->type != PTX_S16X2;
}

bool facts_convergent(const struct ir_inst *in)
{
    return facts_result(in) & FACT_LANES || facts_syncs(in) & (FACT_LANES_SYNC | FACT_BLOCK);
}

bool facts_fences_device(const struct ir_inst *in)
{
    return (in->op == PTX_OP_MEMBAR || in->op == PTX_OP_FENCE) && in->mods->scope > PTX_SCOPE_CTA;
}

bool facts_wall(const struct ir_inst *in)
{
    bool touches = facts_writes(in) || facts_reads(in) & (FACT_SHARED | FACT_LOCAL);
    return facts_syncs(in) & (FACT_BLOCK | FACT_FENCE | FACT_COPIES | FACT_TIME) || (touches && !ir_is_memory(in));
}
