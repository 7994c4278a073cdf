/* Lane-serial loops (serial_regions.c) in a form (form_writer.h): a loop over the lanes of a warp around a copy of the region's
 * blocks in which each register that lanes have their own of is one value, the lane's.
 *
 * What lanes bring and take along is in arrays of 32 (`to_lanes`, `of_lane`, `set_lane`, `from_lanes`). Whether a load may be done
 * is checked before it, by what is known of memory (struct jit_seen), which is read once before the first lane; the load is then of
 * the host's memory. If a check fails the range of memory is asked for (`look`), all that is known is read anew, and the lane begins
 * anew. A lane that cannot go on all the same, or because the launch is to stop, is handed over where it came in, with those
 * behind it; those before it are at the join.
 *
 * Launches that count: each lane leaves the addresses of its loads, turn by turn, in tally_turns (simt/tally.h), and the model is
 * asked when all have gone through, or have done TALLY_TURNS turns; those that have not left by then are before the loop's head,
 * and begin there anew. What they take along is put by until then: if one cannot go on, nothing has been counted and all are
 * handed over where they came in. */
#include "jit/llvm/form_writer.h"

#include "base/alloc.h"
#include "ir/edit.h"
#include "ir/operands.h"

#include <stddef.h>
#include <string.h>

enum { TURNS_BETWEEN_LOOKS = 4096, MOST_MISSES = 256 /* of a lane */, MOST_SPAN = 1 << 16 /* bytes that share a check */ };

static const struct ptx_mods below = {.cmp = PTX_LT, .ntypes = 1, .type = {PTX_U64}};
static const struct ptx_mods not_above = {.cmp = PTX_LE, .ntypes = 1, .type = {PTX_U64}};
static const struct ptx_mods equal = {.cmp = PTX_EQ, .ntypes = 1, .type = {PTX_U64}};

/* One check for loads of a block through one register: all lie in `span` bytes from register + from on, which is a multiple of
 * `unit`. An access by an index is checked by that. */
struct check {
    int32_t site, reg; /* of the first load, and its address */
    int64_t from, to;
    unsigned unit;
    bool by_index, shares; /* and what is known is that of one before, above the same base */
    struct indexed x;
    uint32_t slot;     /* of frame.seen, from this form's first on */
    int32_t first, room; /* u64: what is known, `first` as the host sees it */
    int32_t least;     /* by_index: the index that `first` has, which is found where the base is */
    int32_t host;      /* u64: where the host has register + from */
};

struct code {
    struct form_writer *m;
    const struct serial_region *s;
    const struct form_row *row; /* that is around, or NULL */
    int32_t number;     /* form.row, of a `state` */
    const int32_t *wait; /* [s->r->n] */
    int32_t *own;       /* [nregs] the lane's, or IR_NOREG: not there yet */
    int32_t all, left, lane, patience, again;
    int32_t host, slot, span, unit; /* of a check that failed */
    int32_t known, miss, give_up, stop, end, suspended; /* labels */
    int32_t *block, *back, *out; /* [n] labels: of blocks, of ways back to them, and out behind them; or -1 */
    struct check *check;
    int nchecks;
    int32_t in, still, turn, rows; /* launches that count: predicates of lanes that began, and that are before the head again; u64:
                                    * the lane's turn, and where its addresses go */
};

/* --- instructions --- */

static int32_t put_value(struct form_writer *m, uint16_t op, uint8_t type, bool uniform, int n, struct ir_src a, struct ir_src b)
{
    int32_t r = form_reg(m, type, uniform);
    struct ir_src src[2] = {a, b};
    form_put_result(m, op, type, r, n, src);
    return r;
}

static int32_t put_binary(struct form_writer *m, uint16_t op, uint8_t type, struct ir_src a, struct ir_src b)
{
    return put_value(m, op, type, true, 2, a, b);
}

static void put_to(struct form_writer *m, uint16_t op, uint8_t type, int32_t dst, struct ir_src a, struct ir_src b)
{
    struct ir_src src[2] = {a, b};
    form_put_result(m, op, type, dst, op == PTX_OP_MOV || op == PTX_OP_NOT ? 1 : 2, src);
}

static void put_move(struct form_writer *m, uint8_t type, int32_t dst, struct ir_src a)
{
    put_to(m, PTX_OP_MOV, type, dst, a, a);
}

static void convert_to(struct form_writer *m, uint8_t type, int32_t dst, uint8_t from, int32_t src)
{
    struct ir_src of = ir_of_reg(src);
    form_put_result(m, PTX_OP_CVT, type, dst, 1, &of);
    m->f->insts[m->f->ninsts - 1].type2 = from;
}

static int32_t widened(struct form_writer *m, int32_t src)
{
    int32_t r = form_reg(m, PTX_U64, true);
    convert_to(m, PTX_U64, r, PTX_U32, src);
    return r;
}

static int32_t put_compare(struct form_writer *m, const struct ptx_mods *how, uint8_t type, struct ir_src a, struct ir_src b)
{
    int32_t r = form_reg(m, PTX_PRED, true);
    put_to(m, PTX_OP_SETP, type, r, a, b);
    m->f->insts[m->f->ninsts - 1].mods = how;
    return r;
}

static int32_t put_asked(struct form_writer *m, uint16_t op, int32_t pred)
{
    return put_value(m, op, PTX_PRED, true, 1, ir_of_reg(pred), ir_of_reg(pred));
}

static int32_t lanes_of(struct form_writer *m, uint16_t op, int32_t a, int32_t b)
{
    return put_value(m, op, PTX_PRED, false, 2, ir_of_reg(a), ir_of_reg(b));
}

static int32_t lanes_without(struct form_writer *m, int32_t a, int32_t b)
{
    return lanes_of(m, PTX_OP_AND, a, put_value(m, PTX_OP_NOT, PTX_PRED, false, 1, ir_of_reg(b), ir_of_reg(b)));
}

static int32_t only_lane(struct form_writer *m, int32_t lane)
{
    return put_value(m, IR_OP_ONLY, PTX_PRED, false, 1, ir_of_reg(lane), ir_of_reg(lane));
}

/* The branch is hardly ever taken. */
static void jump_rarely(struct form_writer *m, int32_t guard, bool negated, int32_t label)
{
    form_jump_if(m, guard, negated, label);
    m->f->insts[m->f->ninsts - 1].rare = true;
}

static int32_t frame_value(struct form_writer *m, uint8_t type, size_t field)
{
    int32_t r = form_reg(m, type, true);
    struct ir_inst *in = form_put(m, IR_OP_FRAME);
    in->type = type;
    in->offset = (int64_t)field;
    IR_SET_RESULTS(m->f, in, r);
    return r;
}

static void host_access(struct form_writer *m, uint16_t op, uint8_t type, int32_t at, int64_t offset, int32_t reg)
{
    struct ir_inst *in = form_put(m, op);
    in->type = type;
    in->space = IR_HOST;
    in->offset = offset;
    if (op == PTX_OP_LD) {
        IR_SET_SOURCES(m->f, in, ir_of_reg(at));
        IR_SET_RESULTS(m->f, in, reg);
    } else {
        IR_SET_SOURCES(m->f, in, ir_of_reg(at), ir_of_reg(reg));
    }
}

/* --- a lane's registers --- */

static bool one_for_all(const struct form_writer *m, const struct serial_region *s, int32_t reg)
{
    return form_scalar(m, reg) && !ir_bit(s->defined, reg);
}

static int32_t own(struct code *c, int32_t reg)
{
    if (reg == IR_NOREG || one_for_all(c->m, c->s, reg))
        return reg;
    if (c->own[reg] == IR_NOREG)
        c->own[reg] = form_reg_own(c->m, reg, true);
    return c->own[reg];
}

/* What lanes have in a register is in an array; what they will have when it is counted in another (`later`). */
static int32_t array_of(const struct form_writer *m, int32_t reg, bool later)
{
    return later ? m->k->nregs + reg : reg;
}

static void put_array(struct form_writer *m, uint16_t op, int32_t array, int32_t dst, int32_t a, int32_t b)
{
    struct ir_src src[2] = {ir_of_reg(a), ir_of_reg(b)};
    struct ir_inst *in = form_put(m, op);
    in->type = m->k->reg_type[array % m->k->nregs];
    in->target = array;
    ir_set_sources(m->f, in, a == IR_NOREG ? 0 : b == IR_NOREG ? 1 : 2, src);
    if (dst != IR_NOREG)
        IR_SET_RESULTS(m->f, in, dst);
}

static bool has_array(const struct serial_region *s, int32_t reg)
{
    return ir_bit(s->brought, reg) || ir_bit(s->taken, reg);
}

/* The lane's registers of the set, which it writes, as it leaves. */
static void take(struct code *c, const uint64_t *regs)
{
    struct form_writer *m = c->m;
    for (int32_t r = 0; r < m->k->nregs; r++)
        if (ir_bit(regs, r) && ir_bit(c->s->defined, r))
            put_array(m, IR_OP_SET_LANE, array_of(m, r, m->e->job->counting), IR_NOREG, own(c, r), c->lane);
}

/* All lanes' registers that it writes, from one set of arrays to the other. */
static void copy_all(struct code *c, bool to_later)
{
    struct form_writer *m = c->m;
    for (int32_t r = 0; r < m->k->nregs; r++) {
        if (!has_array(c->s, r) || !ir_bit(c->s->defined, r))
            continue;
        int32_t v = form_reg_own(m, r, false);
        put_array(m, IR_OP_FROM_LANES, array_of(m, r, !to_later), v, IR_NOREG, IR_NOREG);
        put_array(m, IR_OP_TO_LANES, array_of(m, r, to_later), IR_NOREG, v, IR_NOREG);
    }
}

/* --- checks --- */

static unsigned bytes_of(const struct ir_inst *in)
{
    return (unsigned)bits_of_type(in->type) / 8 * in->vec;
}

static bool of_range(const struct ir_inst *in)
{
    return serial_region_loads(in) && in->space != PTX_SHARED;
}

/* The check takes in what loads behind it of the block need through the same register. */
static void widen(const struct form_writer *m, struct check *l)
{
    const struct ir_block *b = &m->k->blocks[m->k->insts[l->site].block];
    for (int32_t i = l->site; i < b->first + b->count; i++) {
        const struct ir_inst *in = &m->k->insts[i];
        if (of_range(in) && in->src[0].reg == l->reg && bytes_of(in) == l->unit && (in->offset - l->from) % (int64_t)l->unit == 0) {
            int64_t to = in->offset + l->unit, low = in->offset < l->from ? in->offset : l->from, high = to > l->to ? to : l->to;
            if (high - low <= MOST_SPAN) {
                l->from = low;
                l->to = high;
            }
        }
        if (ir_defines(in, l->reg))
            return;
    }
}

/* That of a load before it in the block, or NULL. */
static struct check *covering(const struct code *c, int32_t site)
{
    const struct form_writer *m = c->m;
    const struct ir_inst *in = &m->k->insts[site];
    for (int i = 0; i < c->nchecks; i++) {
        const struct check *l = &c->check[i];
        bool same = m->k->insts[l->site].block == in->block && l->reg == in->src[0].reg && l->unit == bytes_of(in);
        for (int32_t j = l->site; j < site && same; j++)
            same = !ir_defines(&m->k->insts[j], l->reg);
        if (same && in->offset >= l->from && in->offset + l->unit <= l->to && (in->offset - l->from) % (int64_t)l->unit == 0)
            return &c->check[i];
    }
    return NULL;
}

/* Slots are of the kernel's access, whichever copy does it. */
static uint32_t slot_of(struct form_writer *m, int32_t site)
{
    uint32_t n = 0;
    for (int32_t i = 0; i < site; i++)
        n += m->e->job->access[i] >= 0 && serial_region_with(m->e, m->k->insts[i].block);
    m->out->checks = n + 1 > m->out->checks ? n + 1 : m->out->checks;
    return memory_first_slot(m->e->job, !m->out->warp) + n;
}

/* Loads by an index above one base know the same of memory. */
static void share(const struct code *c, struct check *l)
{
    for (int i = 0; i < c->nchecks && l->by_index && !l->shares; i++) {
        const struct check *o = &c->check[i];
        if (!o->by_index || o->x.base != l->x.base || o->from != l->from || o->unit != l->unit)
            continue;
        l->shares = true;
        l->slot = o->slot;
        l->first = o->first;
        l->room = o->room;
        l->least = o->least;
    }
}

static void find_checks(struct code *c)
{
    struct form_writer *m = c->m;
    struct emit *e = m->e;
    c->check = alloc_zeroed(((size_t)e->job->naccesses + 1) * sizeof *c->check);
    for (int nth = 0; nth < c->s->r->n; nth++) {
        const struct ir_block *b = serial_region_block(e, c->s->r, nth);
        for (int32_t i = b->first; i < b->first + b->count; i++) {
            const struct ir_inst *in = &m->k->insts[i];
            if (!of_range(in) || covering(c, i))
                continue;
            struct check l = {.site = i, .reg = in->src[0].reg, .from = in->offset, .to = in->offset + bytes_of(in), .unit = bytes_of(in),
                              .first = form_reg(m, PTX_U64, true), .room = form_reg(m, PTX_U64, true), .least = form_reg(m, PTX_U64, true), .slot = slot_of(m, i)};
            widen(m, &l);
            e->in = in;
            e->site = i;
            l.by_index = in->space == PTX_GLOBAL && l.to - l.from == l.unit && bounds_check_find_index(e, &l.x) && l.x.scale == l.unit &&
                         serial_region_keeps(e, c->s, l.x.base);
            share(c, &l);
            c->check[c->nchecks++] = l;
        }
    }
}

static void put_least(struct code *c, const struct check *l)
{
    struct form_writer *m = c->m;
    int32_t base = put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(own(c, l->x.base)), ir_of_value((uint64_t)l->from + SPACE_DELTA));
    int32_t d = put_binary(m, PTX_OP_SUB, PTX_S64, ir_of_reg(l->first), ir_of_reg(base));
    put_to(m, PTX_OP_SHR, PTX_S64, l->least, ir_of_reg(d), ir_of_value((uint64_t)__builtin_ctz(l->unit)));
}

/* Of checks by an index above a base that is in `set`, or (NULL) that `in` makes. */
static void put_leasts(struct code *c, const uint64_t *set, const struct ir_inst *in)
{
    for (int i = 0; i < c->nchecks; i++)
        if (c->check[i].by_index && !c->check[i].shares && (set ? ir_bit(set, c->check[i].x.base) : ir_defines(in, c->check[i].x.base)))
            put_least(c, &c->check[i]);
}

/* What is known of memory: lanes do not change it. */
static void read_known(struct code *c)
{
    struct form_writer *m = c->m;
    int32_t seen = c->nchecks ? frame_value(m, PTX_U64, offsetof(struct jit_frame, seen)) : IR_NOREG;
    for (int i = 0; i < c->nchecks; i++) {
        struct check *l = &c->check[i];
        if (l->shares)
            continue;
        int64_t at = (int64_t)(l->slot * sizeof(struct jit_seen));
        int32_t first = form_reg(m, PTX_U64, true);
        host_access(m, PTX_OP_LD, PTX_U64, seen, at + (int64_t)offsetof(struct jit_seen, first), first);
        put_to(m, PTX_OP_ADD, PTX_U64, l->first, ir_of_reg(first), ir_of_value(SPACE_DELTA));
        host_access(m, PTX_OP_LD, PTX_U64, seen, at + (int64_t)offsetof(struct jit_seen, room), l->room);
        if (l->by_index && one_for_all(m, c->s, l->x.base))
            put_least(c, l);
    }
}

/* The address as a number of 64 bits, of the kind that the access has. */
static int32_t address_of(struct code *c, const struct ir_inst *in, int64_t offset)
{
    struct form_writer *m = c->m;
    int32_t reg = own(c, in->src[0].reg);
    bool wide = bits_of_type((enum ptx_type)m->k->reg_type[in->src[0].reg]) == 64;
    int32_t sum = put_binary(m, PTX_OP_ADD, wide ? PTX_U64 : PTX_U32, ir_of_reg(reg), ir_of_value((uint64_t)offset));
    if (!wide)
        return widened(m, sum);
    return in->space == PTX_SHARED ? put_binary(m, PTX_OP_AND, PTX_B64, ir_of_reg(sum), ir_of_value(UINT32_MAX)) : sum;
}

/* Multiples of `unit` become the lowest numbers. */
static int32_t rotated(struct form_writer *m, int32_t v, unsigned unit)
{
    uint64_t by = (uint64_t)__builtin_ctz(unit);
    if (!by)
        return v;
    int32_t low = put_binary(m, PTX_OP_SHR, PTX_U64, ir_of_reg(v), ir_of_value(by));
    int32_t high = put_binary(m, PTX_OP_SHL, PTX_B64, ir_of_reg(v), ir_of_value(64 - by));
    return put_binary(m, PTX_OP_OR, PTX_B64, ir_of_reg(low), ir_of_reg(high));
}

static int32_t index_of(struct code *c, const struct check *l)
{
    struct form_writer *m = c->m;
    int32_t index = own(c, l->x.index), r = form_reg(m, PTX_U64, true);
    convert_to(m, l->x.sign ? PTX_S64 : PTX_U64, r, l->x.sign ? PTX_S32 : PTX_U32, index);
    return r;
}

/* So many units behind `first`. */
static int32_t host_at(struct code *c, const struct check *l, int32_t at)
{
    struct form_writer *m = c->m;
    int32_t bytes = put_binary(m, PTX_OP_SHL, PTX_B64, ir_of_reg(at), ir_of_value((uint64_t)__builtin_ctz(l->unit)));
    return put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(l->first), ir_of_reg(bytes));
}

/* Goes on if the check holds; else what failed is told to `miss`. */
static void put_check(struct code *c, struct check *l)
{
    struct form_writer *m = c->m;
    int32_t at, ok, failed = form_label(m), on = form_label(m);
    if (l->by_index) {
        at = put_binary(m, PTX_OP_SUB, PTX_U64, ir_of_reg(index_of(c, l)), ir_of_reg(l->least));
    } else {
        l->host = address_of(c, &m->k->insts[l->site], l->from + (int64_t)SPACE_DELTA);
        at = rotated(m, put_binary(m, PTX_OP_SUB, PTX_U64, ir_of_reg(l->host), ir_of_reg(l->first)), l->unit);
    }
    ok = put_compare(m, &below, PTX_U64, ir_of_reg(at), ir_of_reg(l->room));
    jump_rarely(m, ok, true, failed);
    form_jump(m, on);
    form_set_label(m, failed);
    put_move(m, PTX_U64, c->host, ir_of_reg(l->by_index ? host_at(c, l, at) : l->host));
    put_move(m, PTX_U32, c->slot, ir_of_value(l->slot));
    put_move(m, PTX_U32, c->span, ir_of_value((uint64_t)(l->to - l->from)));
    put_move(m, PTX_U32, c->unit, ir_of_value(l->unit));
    form_jump(m, c->miss);
    form_set_label(m, on);
    if (l->by_index)
        l->host = host_at(c, l, at);
}

/* Of shared memory, whose bounds are known. Answers where the host has it. */
static int32_t put_shared_check(struct code *c, const struct ir_inst *in)
{
    struct form_writer *m = c->m;
    int32_t low = address_of(c, in, in->offset), bytes = frame_value(m, PTX_U32, offsetof(struct jit_frame, shared_bytes));
    int32_t size = widened(m, bytes);
    int32_t behind = put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(low), ir_of_value(bytes_of(in)));
    jump_rarely(m, put_compare(m, &not_above, PTX_U64, ir_of_reg(behind), ir_of_reg(size)), true, c->give_up);
    int32_t rest = put_binary(m, PTX_OP_AND, PTX_B64, ir_of_reg(low), ir_of_value(bytes_of(in) - 1));
    jump_rarely(m, put_compare(m, &equal, PTX_U64, ir_of_reg(rest), ir_of_value(0)), true, c->give_up);
    return put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(low), ir_of_reg(frame_value(m, PTX_U64, offsetof(struct jit_frame, shared))));
}

/* --- launches that count --- */

static void note_turns(struct code *c, struct ir_src full, int last)
{
    struct form_writer *m = c->m;
    int32_t turns = form_reg(m, PTX_U32, true), blocks = form_reg(m, PTX_U32, true);
    int32_t lane = widened(m, c->lane);
    int32_t bytes = put_binary(m, PTX_OP_SHL, PTX_B64, ir_of_reg(lane), ir_of_value(2));
    int32_t tally = frame_value(m, PTX_U64, offsetof(struct jit_frame, tally_turns));
    int32_t at = put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(tally), ir_of_reg(bytes));
    if (full.kind == IR_SRC_REG)
        convert_to(m, PTX_U32, turns, PTX_U64, full.reg);
    else
        put_move(m, PTX_U32, turns, full);
    put_move(m, PTX_U32, blocks, ir_of_value((uint64_t)last));
    host_access(m, PTX_OP_ST, PTX_U32, at, offsetof(struct tally_turns, full), turns);
    host_access(m, PTX_OP_ST, PTX_U32, at, offsetof(struct tally_turns, last), blocks);
}

static int64_t row_of(int nth)
{
    return (int64_t)(offsetof(struct tally_turns, row) + (size_t)nth * TALLY_TURNS * sizeof(struct tally_access));
}

/* Where the lane's addresses go, and those that are known of all turns when it begins. */
static void begin_turns(struct code *c)
{
    struct form_writer *m = c->m;
    int32_t lane = widened(m, c->lane);
    int32_t bytes = put_binary(m, PTX_OP_SHL, PTX_B64, ir_of_reg(lane), ir_of_value(3));
    int32_t tally = frame_value(m, PTX_U64, offsetof(struct jit_frame, tally_turns));
    put_to(m, PTX_OP_ADD, PTX_U64, c->rows, ir_of_reg(tally), ir_of_reg(bytes));
    put_move(m, PTX_U64, c->turn, ir_of_value(0));
    for (int i = 0; i < c->s->chain.nloads; i++) {
        const struct chain_load *l = &c->s->chain.load[i];
        const struct ir_inst *in = &m->k->insts[l->site];
        if (!l->strided)
            continue;
        int32_t at = put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(own(c, in->src[0].reg)), ir_of_value((uint64_t)(l->ahead + in->offset)));
        host_access(m, PTX_OP_ST, PTX_U64, c->rows, row_of(i), at);
    }
}

static void note_address(struct code *c, int32_t site)
{
    struct form_writer *m = c->m;
    int nth = chain_load(&c->s->chain, site);
    if (nth < 0 || c->s->chain.load[nth].strided)
        return;
    int32_t bytes = put_binary(m, PTX_OP_MUL_LO, PTX_U64, ir_of_reg(c->turn), ir_of_value(sizeof(struct tally_access)));
    int32_t at = put_binary(m, PTX_OP_ADD, PTX_U64, ir_of_reg(c->rows), ir_of_reg(bytes));
    host_access(m, PTX_OP_ST, PTX_U64, at, row_of(nth), address_of(c, &m->k->insts[site], m->k->insts[site].offset));
}

/* --- the region's blocks --- */

static void copy(struct code *c, int32_t site)
{
    struct form_writer *m = c->m;
    const struct ir_inst *of = &m->k->insts[site];
    struct ir_src src[IR_OPERANDS];
    int32_t dst[IR_OPERANDS], guard = own(c, of->guard);
    for (int i = 0; i < of->nsrc; i++) {
        src[i] = of->src[i];
        if (src[i].kind == IR_SRC_REG)
            src[i].reg = own(c, src[i].reg);
    }
    for (int d = 0; d < of->ndst; d++)
        dst[d] = own(c, of->dst[d]);
    struct ir_inst *in = form_put(m, of->op);
    *in = *of;
    in->site = site;
    in->guard = guard;
    ir_set_sources(m->f, in, of->nsrc, src);
    ir_set_results(m->f, in, of->ndst, dst);
}

static void write_load(struct code *c, int32_t site)
{
    struct form_writer *m = c->m;
    const struct ir_inst *in = &m->k->insts[site];
    struct check *l = in->space == PTX_SHARED ? NULL : covering(c, site);
    int32_t host;
    if (l && l->site == site)
        put_check(c, l);
    host = l ? l->host : put_shared_check(c, in);
    if (m->e->job->counting)
        note_address(c, site);
    copy(c, site);
    struct ir_inst *out = &m->f->insts[m->f->ninsts - 1];
    out->space = IR_HOST;
    out->offset = l ? in->offset - l->from : 0;
    IR_SET_SOURCES(m->f, out, ir_of_reg(host));
}

/* Where the n-th block's lane goes. */
static int32_t way_to(struct code *c, int nth, int32_t block)
{
    int at = c->s->r->at[block];
    int32_t *label = at == c->s->r->n ? &c->out[nth] : at <= nth ? &c->back[at] : &c->block[at];
    if (*label < 0)
        *label = form_label(c->m);
    return *label;
}

static void write_block(struct code *c, int nth)
{
    struct form_writer *m = c->m;
    const struct ir_block *b = serial_region_block(m->e, c->s->r, nth);
    struct ends d = region_ends_of(m->e, c->s->r->block[nth]);
    form_set_label(m, c->block[nth]);
    for (int32_t i = b->first; i < b->first + b->count; i++) {
        const struct ir_inst *in = &m->k->insts[i];
        m->from = in->from;
        if (in->op == PTX_OP_BRA && in->guard != IR_NOREG)
            form_jump_if(m, own(c, in->guard), in->guard_negated, way_to(c, nth, d.target));
        else if (in->op == PTX_OP_BRA)
            break;
        else if (serial_region_loads(in))
            write_load(c, i);
        else
            copy(c, i);
        put_leasts(c, NULL, in);
    }
    form_jump(m, way_to(c, nth, d.next >= 0 ? d.next : d.target));
}

/* Back to an earlier block: now and then it is asked whether to stop. */
static void write_back(struct code *c, int to)
{
    struct form_writer *m = c->m;
    int32_t look = form_label(m);
    form_set_label(m, c->back[to]);
    if (m->e->job->counting) { /* behind the last turn that there is room for the lane waits before the head */
        put_to(m, PTX_OP_ADD, PTX_U64, c->turn, ir_of_reg(c->turn), ir_of_value(1));
        jump_rarely(m, put_compare(m, &equal, PTX_U64, ir_of_reg(c->turn), ir_of_value(TALLY_TURNS)), false, c->suspended);
        form_jump(m, c->block[to]);
        return;
    }
    put_to(m, PTX_OP_SUB, PTX_U32, c->patience, ir_of_reg(c->patience), ir_of_value(1));
    jump_rarely(m, put_compare(m, &equal, PTX_U32, ir_of_reg(c->patience), ir_of_value(0)), false, look);
    form_jump(m, c->block[to]);
    form_set_label(m, look);
    put_move(m, PTX_U32, c->patience, ir_of_value(TURNS_BETWEEN_LOOKS));
    int32_t stops = form_reg(m, PTX_PRED, true);
    form_put_result(m, IR_OP_STOPS, PTX_PRED, stops, 0, NULL);
    form_jump_if(m, stops, false, c->stop);
    form_jump(m, c->block[to]);
}

static void write_out(struct code *c, int nth)
{
    form_set_label(c->m, c->out[nth]);
    if (c->m->e->job->counting)
        note_turns(c, ir_of_reg(c->turn), nth + 1);
    form_jump(c->m, c->end);
}

/* --- all lanes --- */

static void write_lane(struct code *c)
{
    struct form_writer *m = c->m;
    const struct region *r = c->s->r;
    int last = -1;
    form_put_result(m, IR_OP_FIRST, PTX_U32, c->lane, 1, (struct ir_src[]){ir_of_reg(c->left)});
    for (int32_t reg = 0; reg < m->k->nregs; reg++)
        if (ir_bit(c->s->brought, reg))
            put_array(m, IR_OP_OF_LANE, array_of(m, reg, false), own(c, reg), c->lane, IR_NOREG);
    put_leasts(c, c->s->brought, NULL);
    if (m->e->job->counting)
        begin_turns(c);
    for (int nth = 0; nth < r->n; nth++) {
        if (!c->s->entry[nth])
            continue;
        if (last >= 0)
            form_jump_if(m, put_binary(m, IR_OP_HOLDS, PTX_PRED, ir_of_reg(c->wait[last]), ir_of_reg(c->lane)), false, c->block[last]);
        last = nth;
    }
    form_jump(m, c->block[last]);
    for (int nth = 0; nth < r->n; nth++)
        write_block(c, nth);
    for (int nth = 0; nth < r->n; nth++) {
        if (c->back[nth] >= 0)
            write_back(c, nth);
        if (c->out[nth] >= 0)
            write_out(c, nth);
    }
}

/* The lane that missed begins anew when memory was found. */
static void write_miss(struct code *c)
{
    struct form_writer *m = c->m;
    struct ir_src asked[4] = {ir_of_reg(c->slot), ir_of_reg(c->host), ir_of_reg(c->span), ir_of_reg(c->unit)};
    int32_t found = form_reg(m, PTX_PRED, true);
    form_set_label(m, c->miss);
    put_to(m, PTX_OP_SUB, PTX_U32, c->again, ir_of_reg(c->again), ir_of_value(1));
    jump_rarely(m, put_compare(m, &equal, PTX_U32, ir_of_reg(c->again), ir_of_value(0)), false, c->give_up);
    form_put_result(m, IR_OP_LOOK, PTX_PRED, found, 4, asked);
    form_jump_if(m, found, false, c->known);
    form_jump(m, c->give_up);
}

/* Lanes that are not through are handed over where they came in. */
static void write_stop(struct code *c, int32_t label, enum jit_stop why)
{
    struct form_writer *m = c->m;
    const struct region *r = c->s->r, *around = c->row ? c->row->r : NULL;
    int32_t masks[JIT_MOST_WAITING], handed = m->e->job->counting ? c->in : c->left, *as = alloc_zeroed(((size_t)m->k->nregs + 1) * sizeof *as);
    uint64_t *live = alloc_zeroed(m->words * 8 + 8);
    int n = 0;
    form_set_label(m, label);
    memcpy(live, m->k->blocks[around ? around->join : r->join].live_in, m->words * 8);
    for (int32_t reg = 0; reg < m->k->nregs; reg++) {
        as[reg] = reg;
        if (!has_array(c->s, reg) || !ir_bit(c->s->defined, reg))
            continue;
        as[reg] = form_reg_own(m, reg, false);
        put_array(m, IR_OP_FROM_LANES, array_of(m, reg, false), as[reg], IR_NOREG, IR_NOREG);
    }
    for (int i = 0; around && i < around->n; i++)
        masks[i] = c->row->wait[i];
    for (int nth = 0; nth < r->n; nth++) {
        const uint64_t *in = m->k->blocks[r->block[nth]].live_in;
        if (!c->s->entry[nth])
            continue;
        for (size_t w = 0; w < m->words; w++)
            live[w] |= in[w];
        masks[around ? around->at[r->block[nth]] : n++] = lanes_of(m, PTX_OP_AND, c->wait[nth], handed);
    }
    if (around) {
        int join = around->at[r->join];
        if (join < around->n)
            masks[join] = lanes_of(m, PTX_OP_OR, c->row->wait[join], lanes_without(m, c->all, handed));
        for (int i = 0; i < around->n; i++)
            for (size_t w = 0; w < m->words && !serial_region_in(m->e, around, i); w++)
                live[w] |= m->k->blocks[around->block[i]].live_in[w];
        n = around->n;
    }
    form_put_state_as(m, -1, c->number, n, masks, live, as);
    form_put(m, IR_OP_STOP)->target = why;
    alloc_release(as);
    alloc_release(live);
}

/* What all have done is counted and theirs; those before the head begin anew, or are handed over if the launch is to stop. Goes on
 * when there are none. */
static void write_count(struct code *c)
{
    struct form_writer *m = c->m;
    int32_t none = form_label(m), head = c->wait[0], stops = form_reg(m, PTX_PRED, true);
    struct ir_inst *in = form_put(m, IR_OP_COUNT_TURNS);
    in->site = m->k->blocks[c->s->r->block[0]].first;
    IR_SET_SOURCES(m->f, in, ir_of_reg(c->in));
    IR_SET_RESULTS(m->f, in, stops);
    copy_all(c, false);
    put_move(m, PTX_PRED, head, ir_of_reg(c->still));
    put_move(m, PTX_PRED, c->in, ir_of_reg(c->still));
    put_move(m, PTX_PRED, c->left, ir_of_reg(c->still));
    put_move(m, PTX_PRED, c->still, ir_of_value(0));
    form_jump_if(m, put_asked(m, IR_OP_ANY, c->left), true, none);
    form_jump_if(m, stops, false, c->stop);
    form_jump(m, c->known);
    form_set_label(m, none);
}

static void open_code(struct code *c)
{
    struct form_writer *m = c->m;
    size_t n = (size_t)c->s->r->n + 1, regs = (size_t)m->k->nregs + 1;
    int32_t *u32[] = {&c->lane, &c->patience, &c->again, &c->slot, &c->span, &c->unit}, *labels[] = {&c->known, &c->miss, &c->give_up, &c->stop, &c->end, &c->suspended};
    int32_t *lanes[] = {&c->all, &c->left, &c->in, &c->still}, *u64[] = {&c->host, &c->turn, &c->rows};
    for (size_t i = 0; i < 6; i++) {
        *u32[i] = form_reg(m, PTX_U32, true);
        *labels[i] = form_label(m);
    }
    for (size_t i = 0; i < 4; i++)
        *lanes[i] = form_reg(m, PTX_PRED, false);
    for (size_t i = 0; i < 3; i++)
        *u64[i] = form_reg(m, PTX_U64, true);
    c->own = alloc_zeroed(regs * sizeof *c->own);
    c->block = alloc_zeroed(3 * n * sizeof *c->block);
    c->back = c->block + n;
    c->out = c->back + n;
    for (size_t r = 0; r < regs; r++)
        c->own[r] = IR_NOREG;
    for (int i = 0; i < c->s->r->n; i++) {
        c->block[i] = form_label(m);
        c->back[i] = c->out[i] = -1;
    }
    find_checks(c);
}

/* Lanes wait, and what they bring is in its arrays. Goes on when all are at the join, and have in their registers what they take
 * along. Answers which lanes. */
static int32_t write_all(struct form_writer *m, const struct serial_region *s, const struct form_row *row, int32_t number, const int32_t *wait)
{
    struct code c = {.m = m, .s = s, .row = row, .number = number, .wait = wait};
    int32_t next = form_label(m), rest = form_label(m), out = form_label(m);
    bool counting = m->e->job->counting;
    m->from = m->k->insts[m->k->blocks[s->r->block[0]].first].from;
    open_code(&c);
    put_move(m, PTX_PRED, c.all, ir_of_value(0));
    for (int nth = 0; nth < s->r->n; nth++)
        if (s->entry[nth])
            put_to(m, PTX_OP_OR, PTX_PRED, c.all, ir_of_reg(c.all), ir_of_reg(wait[nth]));
    put_move(m, PTX_PRED, c.left, ir_of_reg(c.all));
    put_move(m, PTX_U32, c.patience, ir_of_value(TURNS_BETWEEN_LOOKS));
    put_move(m, PTX_U32, c.again, ir_of_value(MOST_MISSES));
    if (counting) {
        put_move(m, PTX_PRED, c.in, ir_of_reg(c.all));
        put_move(m, PTX_PRED, c.still, ir_of_value(0));
        copy_all(&c, true);
    }
    form_jump_if(m, put_asked(m, IR_OP_ANY, c.all), true, out);
    form_set_label(m, c.known);
    read_known(&c);
    form_set_label(m, next);
    write_lane(&c);
    form_set_label(m, c.end);
    take(&c, s->taken);
    form_jump(m, rest);
    if (counting) {
        form_set_label(m, c.suspended);
        note_turns(&c, ir_of_value(TALLY_TURNS), 0);
        take(&c, s->brought);
        put_to(m, PTX_OP_OR, PTX_PRED, c.still, ir_of_reg(c.still), ir_of_reg(only_lane(m, c.lane)));
        form_jump(m, rest);
    }
    write_miss(&c);
    write_stop(&c, c.give_up, JIT_GIVE_UP);
    write_stop(&c, c.stop, JIT_TURN);
    form_set_label(m, rest);
    put_move(m, PTX_U32, c.again, ir_of_value(MOST_MISSES));
    put_move(m, PTX_PRED, c.left, ir_of_reg(lanes_without(m, c.left, only_lane(m, c.lane))));
    form_jump_if(m, put_asked(m, IR_OP_ANY, c.left), false, next);
    if (counting)
        write_count(&c);
    form_set_label(m, out);
    for (int32_t reg = 0; reg < m->k->nregs; reg++)
        if (ir_bit(s->taken, reg))
            put_array(m, IR_OP_FROM_LANES, array_of(m, reg, false), reg, IR_NOREG, IR_NOREG);
    alloc_release(c.own);
    alloc_release(c.block);
    alloc_release(c.check);
    return c.all;
}

/* --- into it --- */

/* Of lanes that come in at `nth`, or (-1) at any block, or go by: what they have goes to the arrays. */
static void bring(struct form_writer *m, const struct serial_region *s, int nth)
{
    for (int32_t reg = 0; reg < m->k->nregs; reg++) {
        bool wanted = nth < 0 && ir_bit(s->taken, reg);
        for (int i = 0; i < s->r->n; i++)
            wanted |= (nth < 0 ? (s->entry[i] & SERIAL_FROM_OUTSIDE) != 0 : i == nth) && ir_bit(m->k->blocks[s->r->block[i]].live_in, reg);
        if (wanted && has_array(s, reg))
            put_array(m, IR_OP_TO_LANES, array_of(m, reg, false), IR_NOREG, reg, IR_NOREG);
    }
}

/* The code for lanes of the whole warp; `wait` is to be set before it is jumped to. */
static struct form_serial *whole(struct form_writer *m, const struct serial_region *s)
{
    struct form_serial *c = m->serials;
    while (c && c->s != s)
        c = c->next;
    if (c)
        return c;
    c = alloc_zeroed(sizeof *c);
    *c = (struct form_serial){.s = s, .begin = form_label(m), .wait = alloc_zeroed(((size_t)s->r->n + 1) * sizeof *c->wait), .next = m->serials};
    m->serials = c;
    m->out->row = alloc_resize(m->out->row, ((size_t)m->out->nrows + 1) * sizeof *m->out->row);
    struct block_row *to = &m->out->row[m->out->nrows];
    c->number = m->out->nrows++;
    *to = (struct block_row){.join = s->r->join, .block = alloc_zeroed(((size_t)s->r->n + 1) * sizeof *to->block)};
    for (int nth = 0; nth < s->r->n; nth++) {
        c->wait[nth] = form_reg(m, PTX_PRED, false);
        if (s->entry[nth])
            to->block[to->n++] = s->r->block[nth];
    }
    return c;
}

static void go_in(struct form_writer *m, struct form_serial *c)
{
    form_jump(m, c->begin);
    if (c->written)
        return;
    c->written = true;
    form_set_label(m, c->begin);
    write_all(m, c->s, NULL, c->number, c->wait);
    form_join(m, c->s->r->join);
}

static void put_waits(struct form_writer *m, const struct form_serial *c, int32_t block, struct ir_src lanes)
{
    int at = c->s->r->at[block];
    if (at < c->s->r->n && lanes.kind == IR_SRC_REG)
        put_to(m, PTX_OP_OR, PTX_PRED, c->wait[at], ir_of_reg(c->wait[at]), lanes);
    else if (at < c->s->r->n)
        put_move(m, PTX_PRED, c->wait[at], lanes);
}

static void clear_waits(struct form_writer *m, const struct form_serial *c)
{
    for (int nth = 0; nth < c->s->r->n; nth++)
        put_move(m, PTX_PRED, c->wait[nth], ir_of_value(0));
}

bool serial_form_leads_in(const struct form_writer *m, int32_t site)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t next = region_block_behind(m->e, in->block);
    const struct serial_region *s = serial_region_with(m->e, in->target);
    s = s ? s : serial_region_with(m->e, next);
    return s && next >= 0 && s->r->at[in->target] >= 0 && s->r->at[next] >= 0;
}

void serial_form_branch(struct form_writer *m, int32_t site, int32_t lanes)
{
    const struct ir_inst *in = &m->k->insts[site];
    int32_t next = region_block_behind(m->e, in->block);
    const struct serial_region *s = serial_region_with(m->e, in->target);
    struct form_serial *c = whole(m, s ? s : serial_region_with(m->e, next));
    clear_waits(m, c);
    put_waits(m, c, in->target, ir_of_reg(lanes));
    put_waits(m, c, next, ir_of_reg(put_value(m, PTX_OP_NOT, PTX_PRED, false, 1, ir_of_reg(lanes), ir_of_reg(lanes))));
    bring(m, c->s, -1);
    go_in(m, c);
}

bool serial_form_begin(struct form_writer *m, int32_t site)
{
    int32_t block = m->k->insts[site].block;
    const struct serial_region *s = serial_region_with(m->e, block);
    if (!s || site != m->k->blocks[block].first)
        return false;
    struct form_serial *c = whole(m, s);
    clear_waits(m, c);
    put_waits(m, c, block, ir_of_value(1));
    bring(m, s, s->r->at[block]);
    go_in(m, c);
    return true;
}

int32_t serial_form_pass(struct form_writer *m, const struct serial_region *s, const struct form_row *row)
{
    int32_t *wait = alloc_zeroed(((size_t)s->r->n + 1) * sizeof *wait);
    for (int nth = 0; nth < s->r->n; nth++) {
        int32_t of = row->wait[row->r->at[s->r->block[nth]]];
        wait[nth] = form_reg(m, PTX_PRED, false);
        put_move(m, PTX_PRED, wait[nth], ir_of_reg(of));
        put_move(m, PTX_PRED, of, ir_of_value(0));
    }
    bring(m, s, -1);
    int32_t lanes = write_all(m, s, row, row->number, wait);
    alloc_release(wait);
    return lanes;
}

void serial_form_release(struct form_writer *m)
{
    while (m->serials) {
        struct form_serial *next = m->serials->next;
        alloc_release(m->serials->wait);
        alloc_release(m->serials);
        m->serials = next;
    }
}
