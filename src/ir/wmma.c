/* wmma, whose fragments PTX leaves open (PTX ISA 8.4, section 9.7.13.3), made of instructions whose fragments it does not.
 *
 * In: a wmma.load, wmma.store or wmma.mma. Out: what ptxas 13.0 makes of it for compute capability 8.0 to 9.0, in our IR:
 *   mma    products of 16 rows and 8 columns, one or two; m8n32 is m32n8 with rows for columns, so A and B change places
 *   load   of A and B from shared memory ldmatrix, with .trans where a row of it is not a row of the fragment; from elsewhere loads
 *          of 32 bits, and movmatrix behind them where rows and columns have to change places; of 8 bits one by one where no word
 *          of memory is a register; of C two columns at once where they are neighbours in memory
 *   store  of D likewise, the other way round
 * A fragment is those of its products one after the other. Of f16 some registers of A and B are not read: they get copies.
 * "Major" is the row of A and the column of B, "minor" the other one, along which a product adds up. With lane l = 4 g + t a
 * register of 32 bits, E elements, has major g and minor E t and the next E - 1, plus where the register is (mma: interp/matrix.h). */
#include "ir/wmma.h"
#include "ir/edit.h"

#include "ir/operands.h"

enum { MOST_REGS = 8, MOST_STRIDES = 40 };

/* One instruction being expanded. */
struct wmma {
    struct build *b;
    const struct frame *fr;
    const struct ptx_inst *in;
    const struct ptx_mods *mods;
    struct ir_src base, stride; /* of memory: its address, and elements from one row (or column) to the next */
    int64_t offset;
    enum ptx_space space;
    enum ptx_type address;      /* U32 or U64 */
    int bits;                   /* of an element */
    int32_t first;              /* register: the lane's address where all constants are 0 */
    int32_t at[MOST_STRIDES];   /* the same so many strides further on, or IR_NOREG: not yet */
    int32_t reg[MOST_REGS];     /* of the fragment */
    int n;                      /* registers that are read */
};

/* A fragment's register: how far the block of 8 rows (or columns) is that it lies in. */
struct block {
    int major, minor;
};

/* --- small instructions --- */

/* Arithmetic without effect but its result, so it needs no guard. */
static int32_t compute(struct wmma *x, uint16_t op, enum ptx_type type, enum ptx_type result, struct ir_src a, struct ir_src b, struct ir_src c, int n)
{
    static const struct ptx_mods none;
    int32_t d = emit_reg(x->b, (uint8_t)result);
    struct ir_inst *out = emit_new(x->b, x->in, op);
    out->mods = &none;
    out->type = (uint8_t)type;
    out->type2 = out->space = PTX_GENERIC;
    out->vec = 1;
    IR_SET_RESULTS(emit_kernel(x->b), out, d);
    IR_SET_SOURCES(emit_kernel(x->b), out, a, b, c);
    out->nsrc = (uint16_t)n;
    return d;
}

static int32_t compute32(struct wmma *x, uint16_t op, enum ptx_type type, struct ir_src a, struct ir_src b)
{
    return compute(x, op, type, PTX_U32, a, b, ir_of_value(0), 2);
}

/* A register of the program gets another's bits, under the instruction's guard. */
static void move(struct wmma *x, int32_t to, int32_t from)
{
    static const struct ptx_mods none;
    struct ir_inst *out = emit_new(x->b, x->in, PTX_OP_MOV);
    emit_guard(out, x->fr, x->in);
    out->mods = &none;
    out->type = PTX_B32;
    out->space = PTX_GENERIC;
    IR_SET_RESULTS(emit_kernel(x->b), out, to);
    IR_SET_SOURCES(emit_kernel(x->b), out, ir_of_reg(from));
}

static int32_t lane_number(struct wmma *x)
{
    struct ir_src lane = {.kind = IR_SRC_SREG, .sreg = PTX_SREG_LANEID};
    return compute(x, PTX_OP_MOV, PTX_U32, PTX_U32, lane, lane, lane, 1);
}

/* (lane >> right & mask) << left */
static int32_t part_of_lane(struct wmma *x, int32_t lane, int right, uint32_t mask, int left)
{
    int32_t r = right ? compute32(x, PTX_OP_SHR, PTX_U32, ir_of_reg(lane), ir_of_value((uint64_t)right)) : lane;
    r = compute32(x, PTX_OP_AND, PTX_B32, ir_of_reg(r), ir_of_value(mask));
    return left ? compute32(x, PTX_OP_SHL, PTX_B32, ir_of_reg(r), ir_of_value((uint64_t)left)) : r;
}

/* a b + c: an address */
static int32_t address_sum(struct wmma *x, struct ir_src a, struct ir_src b, struct ir_src c)
{
    bool wide = x->address == PTX_U64;
    return compute(x, wide ? PTX_OP_MAD_WIDE : PTX_OP_MAD_LO, PTX_U32, x->address, a, b, c, 3);
}

/* --- memory --- */

static const struct ptx_inst *definition(const struct ptx_function *f, const struct ptx_operand *o)
{
    const struct ptx_inst *only = NULL;
    for (int i = 0; i < f->ninsts; i++) {
        const struct ptx_operand *d = f->insts[i].noperands ? &f->insts[i].operand[0] : NULL;
        bool defines = d && d->kind == PTX_OPERAND_REG && d->reg == o->reg && ptx_op_info[f->insts[i].op].kind != PTX_KIND_STORE;
        for (int k = 0; d && k < d->n; k++)
            defines |= d->elem[k].kind == PTX_OPERAND_REG && d->elem[k].reg == o->reg && d->kind != PTX_OPERAND_MEM;
        if (defines && only)
            return NULL;
        only = defines ? &f->insts[i] : only;
    }
    return only;
}

/* Where a generic address points to, if that is seen from how it was made: by a conversion, and sums with other things. */
static enum ptx_space space_of(const struct ptx_function *f, const struct ptx_operand *o, int depth)
{
    const struct ptx_inst *in = o->kind == PTX_OPERAND_REG && depth < 8 ? definition(f, o) : NULL;
    enum ptx_space first;
    switch (in ? in->op : PTX_OP_UNKNOWN) {
    case PTX_OP_CVTA:
        return in->mods.to ? PTX_GENERIC : (enum ptx_space)in->mods.space;
    case PTX_OP_MOV:
        return space_of(f, &in->operand[1], depth + 1);
    case PTX_OP_ADD:
        first = space_of(f, &in->operand[1], depth + 1);
        return first ? first : space_of(f, &in->operand[2], depth + 1);
    case PTX_OP_SUB:
        return space_of(f, &in->operand[1], depth + 1);
    case PTX_OP_MAD_WIDE:
        return space_of(f, &in->operand[3], depth + 1);
    default:
        return PTX_GENERIC;
    }
}

/* The assembler knows so, too: a fragment of shared memory is loaded by ldmatrix. */
static void find_space(struct wmma *x, const struct ptx_operand *memory)
{
    static const struct ptx_mods to_shared = {.to = true, .space = PTX_SHARED, .type = {PTX_U64}, .ntypes = 1, .vec = 1};
    x->space = (enum ptx_space)x->mods->space;
    if (x->space || x->address != PTX_U64)
        return;
    x->space = space_of(emit_function_of(x->fr), &memory->elem[0], 0);
    if (x->space == PTX_SHARED) {
        struct ir_src generic = x->base;
        x->base = ir_of_reg(compute(x, PTX_OP_CVTA, PTX_U64, PTX_U64, generic, generic, generic, 1));
        struct ir_inst *out = emit_last(x->b);
        out->mods = &to_shared;
        out->space = PTX_SHARED;
    } else if (x->space != PTX_GLOBAL) {
        x->space = PTX_GENERIC;
    }
}

static void find_memory(struct wmma *x, const struct ptx_operand *memory, const struct ptx_operand *stride, int width)
{
    x->base = emit_source(x->b, x->fr, x->in, &memory->elem[0], PTX_U64);
    x->offset = memory->offset;
    bool narrow = x->base.kind == IR_SRC_REG && ptx_type_info[emit_reg_type(x->b, x->base.reg)].bits == 32;
    x->address = narrow ? PTX_U32 : PTX_U64;
    find_space(x, memory);
    x->stride = stride ? emit_source(x->b, x->fr, x->in, stride, PTX_B32) : ir_of_value((uint64_t)width);
    for (int i = 0; i < MOST_STRIDES; i++)
        x->at[i] = IR_NOREG;
}

/* The lane's own address: `strides` rows of memory down, and `bytes` to the right; both registers, bytes may be IR_NOREG. */
static void begin_at(struct wmma *x, int32_t strides, int32_t bytes)
{
    struct ir_src right = bytes == IR_NOREG ? x->base : ir_of_reg(address_sum(x, ir_of_reg(bytes), ir_of_value(1), x->base));
    int32_t down = x->bits <= 8 ? strides : compute32(x, PTX_OP_MUL_LO, PTX_U32, ir_of_reg(strides), ir_of_value((uint64_t)x->bits / 8));
    struct ir_src stride = x->stride;
    if (x->bits < 8) /* a stride counts elements */
        stride = ir_of_reg(compute32(x, PTX_OP_SHR, PTX_U32, stride, ir_of_value(x->bits == 4 ? 1 : 3)));
    x->first = x->at[0] = address_sum(x, ir_of_reg(down), stride, right);
}

static int32_t address_at(struct wmma *x, int strides)
{
    if (x->at[strides] == IR_NOREG)
        x->at[strides] = address_sum(x, x->stride, ir_of_value((uint64_t)(strides * x->bits / 8)), ir_of_reg(x->first));
    return x->at[strides];
}

/* A load or store of `n` registers of the fragment, so many bytes each. */
static struct ir_inst *access(struct wmma *x, uint16_t op, int strides, int bytes, int64_t at, int n)
{
    static const struct ptx_mods none;
    int32_t address = address_at(x, strides);
    struct ir_inst *out = emit_new(x->b, x->in, op);
    emit_guard(out, x->fr, x->in);
    out->mods = &none;
    out->type = (uint8_t)(bytes == 1 ? PTX_B8 : ir_bits_type(8 * bytes));
    out->type2 = PTX_NOTYPE;
    out->space = (uint8_t)x->space;
    out->vec = (uint8_t)n;
    IR_SET_SOURCES(emit_kernel(x->b), out, ir_of_reg(address));
    out->offset = x->offset + at;
    return out;
}

static void load_regs(struct wmma *x, int strides, int bytes, int64_t at, const int32_t *reg, int n)
{
    struct ir_inst *out = access(x, PTX_OP_LD, strides, bytes, at, n);
    ir_set_results(emit_kernel(x->b), out, n, reg);
}

static void store_regs(struct wmma *x, int strides, int bytes, int64_t at, const int32_t *reg, int n)
{
    struct ir_inst *out = access(x, PTX_OP_ST, strides, bytes, at, n);
    for (int i = 0; i < n; i++)
        ir_add_source(emit_kernel(x->b), out, ir_of_reg(reg[i]));
}

/* --- instructions on matrices --- */

static struct ptx_mods *new_mods(struct wmma *x)
{
    struct ptx_mods *m = ARENA_NEW(&emit_kernel(x->b)->arena, struct ptx_mods);
    *m = (struct ptx_mods){.sync = true, .aligned = true, .vec = 1};
    return m;
}

static struct ir_inst *on_matrices(struct wmma *x, uint16_t op, const struct ptx_mods *m, enum ptx_type type)
{
    struct ir_inst *out = emit_new(x->b, x->in, op);
    emit_guard(out, x->fr, x->in);
    out->mods = m;
    out->type = (uint8_t)type;
    out->type2 = m->type[1];
    out->space = m->space;
    out->vec = m->vec;
    return out;
}

static void transpose(struct wmma *x, int32_t to, int32_t from)
{
    struct ptx_mods *m = new_mods(x);
    m->shape = PTX_SHAPE_M8N8;
    m->trans = true;
    struct ir_inst *out = on_matrices(x, PTX_OP_MOVMATRIX, m, PTX_B16);
    IR_SET_RESULTS(emit_kernel(x->b), out, to);
    IR_SET_SOURCES(emit_kernel(x->b), out, ir_of_reg(from));
}

/* `n` registers from `first` on; the lanes' addresses have been made for them. */
static void load_matrices(struct wmma *x, int strides, bool trans, int first, int n)
{
    struct ptx_mods *m = new_mods(x);
    m->shape = PTX_SHAPE_M8N8;
    m->trans = trans;
    m->space = PTX_SHARED;
    m->vec = m->matrices = (uint8_t)n;
    int32_t address = address_at(x, strides);
    struct ir_inst *out = on_matrices(x, PTX_OP_LDMATRIX, m, PTX_B16);
    IR_SET_SOURCES(emit_kernel(x->b), out, ir_of_reg(address));
    out->offset = x->offset;
    ir_set_results(emit_kernel(x->b), out, n, &x->reg[first]);
}

/* --- A and B --- */

/* The rows of a product are 16, but where the whole has 8 both ways. Of these the operand's registers go first through two blocks of
 * rows, then on along them; those of the operand with 8 columns go along them first. */
static struct block block_of(bool rows, int tall, int deep, int minor_of_reg, int r)
{
    int first = r % (rows ? tall : deep), second = r / (rows ? tall : deep), tile = rows ? second / deep : second;
    int along = rows ? second % deep : first, across = rows ? first + tall * tile : second;
    return (struct block){8 * across, minor_of_reg * along};
}

static bool is_factor(const struct ptx_mods *m)
{
    return m->variant == PTX_WMMA_LOAD_A || m->variant == PTX_WMMA_LOAD_B;
}

/* Rows and columns change places: A is the operand with 8 columns. */
static bool is_turned(const struct ptx_mods *m)
{
    return m->shape == PTX_SHAPE_M8N32K16;
}

static void load_factor(struct wmma *x)
{
    const struct ptx_mods *m = x->mods;
    const struct ptx_shape_info *s = &ptx_shape_info[m->shape];
    bool is_a = m->variant == PTX_WMMA_LOAD_A, rows = is_a != is_turned(m);
    bool along = (m->layout[0] == PTX_LAYOUT_ROW) == is_a; /* minor elements are neighbours in memory */
    int e = x->bits == 64 ? 1 : 32 / x->bits, tall = s->m == 8 && s->n == 8 ? 1 : 2, deep = s->k / (4 * e);
    int32_t lane = lane_number(x);
    if (x->space == PTX_SHARED && x->bits <= 16 && (along || x->bits == 16)) {
        /* Lanes 8 to 15 name rows of the second matrix, lanes 16 to 31 those of the third and fourth. Of 8 bits and fewer there is
         * one along: all lie below each other. */
        bool second_down = (rows || deep == 1) == along; /* the second matrix lies below the first, not beside it */
        int32_t below = compute32(x, PTX_OP_AND, PTX_B32, ir_of_reg(lane), ir_of_value(deep == 1 ? 31 : second_down ? 15 : 7));
        int32_t beside = IR_NOREG;
        if (second_down && deep > 1) {
            beside = part_of_lane(x, lane, 4, 1, 4);
        } else if (deep > 1) {
            int32_t eight = part_of_lane(x, lane, 1, 8, 0);
            below = compute32(x, PTX_OP_OR, PTX_B32, ir_of_reg(below), ir_of_reg(eight));
            beside = part_of_lane(x, lane, 3, 1, 4);
        }
        begin_at(x, below, beside);
        for (int first = 0; first < x->n; first += 4) {
            struct block at = block_of(rows, tall, deep, 4 * e, first);
            load_matrices(x, along ? at.major : 0, !along, first, x->n - first < 4 ? x->n - first : 4);
            x->offset += along ? 0 : 16 * x->bits / 8 * (first == 0);
        }
        return;
    }
    bool turn = !along && x->bits == 16, apart = !along && x->bits == 8, whole = x->bits >= 32;
    int32_t g = part_of_lane(x, lane, 2, 7, 0), t = part_of_lane(x, lane, 0, 3, 0);
    if (along || turn) /* a word of memory is a register, or becomes one */
        begin_at(x, g, part_of_lane(x, lane, 0, 3, x->bits == 64 ? 3 : 2));
    else
        begin_at(x, whole ? t : part_of_lane(x, lane, 0, 3, 2), whole ? part_of_lane(x, lane, 2, 7, x->bits == 64 ? 3 : 2) : g);
    for (int r = 0; r < x->n; r++) {
        struct block at = block_of(rows, tall, deep, 4 * e, r);
        int down = along ? at.major : at.minor, right = (along ? at.minor : at.major) * x->bits / 8;
        int32_t to = turn ? emit_reg(x->b, PTX_B32) : x->reg[r];
        if (!apart) {
            load_regs(x, down, x->bits == 64 ? 8 : 4, right, &to, 1);
            if (turn)
                transpose(x, x->reg[r], to);
            continue;
        }
        int32_t all = IR_NOREG;
        for (int i = 0; i < 4; i++) { /* bytes, the first lowest */
            int32_t byte = emit_reg(x->b, PTX_B32);
            load_regs(x, down + i, 1, right, &byte, 1);
            all = i == 0 ? byte : compute(x, PTX_OP_MAD_LO, PTX_U32, PTX_B32, ir_of_reg(byte), ir_of_value(UINT64_C(1) << 8 * i), ir_of_reg(all), 3);
        }
        move(x, to, all);
    }
}

/* Registers that hold what others hold, too. */
static void copy_rest(struct wmma *x, int all)
{
    for (int r = x->n; r < all; r++)
        move(x, x->reg[r], x->reg[r % x->n]);
}

/* --- C and D --- */

/* Registers 2 r and 2 r + 1 (of halves r) are of row g + 8 r of a product, of columns 2 t and 2 t + 1. */
static void move_sums(struct wmma *x)
{
    const struct ptx_mods *m = x->mods;
    const struct ptx_shape_info *s = &ptx_shape_info[m->shape];
    bool halves = x->bits == 16, turned = is_turned(m), load = m->variant == PTX_WMMA_LOAD_C;
    bool beside = (m->layout[0] == PTX_LAYOUT_ROW) != turned; /* the two columns are neighbours in memory */
    int tall = s->m == 8 && s->n == 8 ? 1 : 2, bytes = x->bits / 8, wide = turned || s->m == 32 ? 1 : s->n / 8;
    int32_t lane = lane_number(x), g = part_of_lane(x, lane, 2, 7, 0);
    if (beside || halves)
        begin_at(x, g, part_of_lane(x, lane, 0, 3, bytes == 2 ? 2 : bytes == 4 ? 3 : 4));
    else
        begin_at(x, part_of_lane(x, lane, 0, 3, 1), part_of_lane(x, lane, 2, 7, bytes == 4 ? 2 : 3));
    int each = halves ? 1 : 2;
    for (int r = 0; r < x->n / each; r++) { /* pairs: two blocks of rows, then the next columns or rows */
        int tile = r / tall, row = 8 * (r % tall) + (wide == 1 ? 16 * tile : 0), column = wide == 1 ? 0 : 8 * tile;
        int down = beside ? row : column, right = (beside ? column : row) * bytes;
        int32_t *reg = &x->reg[each * r], other = halves && !beside ? emit_reg(x->b, PTX_B32) : *reg;
        if (halves && !beside && !load)
            transpose(x, other, *reg);
        if (halves)
            (load ? load_regs : store_regs)(x, down, 4, right, &other, 1);
        else if (beside)
            (load ? load_regs : store_regs)(x, down, bytes, right, reg, 2);
        else
            for (int i = 0; i < 2; i++)
                (load ? load_regs : store_regs)(x, down + i, bytes, right, &reg[i], 1);
        if (halves && !beside && load)
            transpose(x, *reg, other);
    }
}

/* --- products --- */

static void convert(struct wmma *x, uint16_t op, enum ptx_type to, enum ptx_type from, const int32_t *d, int nd, const int32_t *s, int ns)
{
    struct ptx_mods *m = ARENA_NEW(&emit_kernel(x->b)->arena, struct ptx_mods);
    *m = (struct ptx_mods){.vec = 1, .type = {(uint8_t)to, (uint8_t)from}, .ntypes = 2, .round = to == PTX_F16X2 ? PTX_RN : PTX_RND_NONE};
    struct ir_inst *out = emit_new(x->b, x->in, op);
    emit_guard(out, x->fr, x->in);
    out->mods = m;
    out->type = (uint8_t)to;
    out->type2 = (uint8_t)from;
    out->space = PTX_GENERIC;
    ir_set_results(emit_kernel(x->b), out, nd, d);
    for (int i = 0; i < ns; i++)
        ir_add_source(emit_kernel(x->b), out, ir_of_reg(s[i]));
}

/* A register of two halves as two of f32. */
static void widen(struct wmma *x, int32_t from, int32_t *to)
{
    int32_t half[2] = {emit_reg(x->b, PTX_B16), emit_reg(x->b, PTX_B16)};
    convert(x, PTX_OP_MOV, PTX_B32, PTX_B32, half, 2, &from, 1);
    for (int i = 0; i < 2; i++)
        convert(x, PTX_OP_CVT, PTX_F32, PTX_F16, &to[i], 1, &half[i], 1);
}

static int operand_regs(struct wmma *x, int operand, int32_t *reg)
{
    const struct ptx_operand *o = &x->in->operand[operand];
    if (o->kind != PTX_OPERAND_VECTOR) {
        reg[0] = emit_dest(x->fr, o);
        return 1;
    }
    for (int i = 0; i < o->n; i++)
        reg[i] = emit_dest(x->fr, &o->elem[i]);
    return o->n;
}

/* Tiles of m16n8, or the one of m8n8. */
static const struct ptx_mods *product_mods(struct wmma *x, enum ptx_type sums)
{
    const struct ptx_shape_info *s = &ptx_shape_info[x->mods->shape];
    struct ptx_mods *m = new_mods(x);
    int tall = s->m == 8 && s->n == 8 ? 8 : 16;
    for (int i = 1; i < PTX_SHAPE_COUNT; i++)
        if (ptx_shape_info[i].m == tall && ptx_shape_info[i].n == 8 && ptx_shape_info[i].k == s->k)
            m->shape = (uint8_t)i;
    for (int i = 0; i < 2; i++) {
        m->element[i] = x->mods->element[is_turned(x->mods) ? 1 - i : i];
        m->layout[i] = i ? PTX_LAYOUT_COL : PTX_LAYOUT_ROW;
        m->type[i] = (uint8_t)sums;
    }
    m->ntypes = 2;
    m->satfinite = x->mods->satfinite;
    m->boolop = x->mods->boolop;
    return m;
}

/* One of the registers of D is one of those. */
static bool reads_one(const int32_t *d, int nd, const int32_t *of, int n)
{
    for (int i = 0; i < nd; i++)
        for (int k = 0; k < n; k++)
            if (d[i] == of[k])
                return true;
    return false;
}

static void multiply(struct wmma *x)
{
    const struct ptx_mods *m = x->mods;
    const struct ptx_shape_info *s = &ptx_shape_info[m->shape];
    enum ptx_type d_type = (enum ptx_type)m->type[0], c_type = (enum ptx_type)m->type[1], sums = d_type == c_type ? d_type : PTX_F32;
    int32_t d[MOST_REGS], a[MOST_REGS], b[MOST_REGS], c[MOST_REGS], wide_c[MOST_REGS], wide_d[MOST_REGS];
    int nd = operand_regs(x, 0, d), ra = operand_regs(x, 1, a), rb = operand_regs(x, 2, b), nc = operand_regs(x, 3, c);
    const struct ptx_mods *product = product_mods(x, sums);
    int na = ptx_fragment(product, 'A').n, nb = ptx_fragment(product, 'B').n, n = ptx_fragment(product, 'C').n;
    const int32_t *rows = is_turned(m) ? b : a, *columns = is_turned(m) ? a : b, *from = c;
    int tiles = s->m * s->n / (ptx_shape_info[product->shape].m * 8);
    for (int i = 0; i < 2 * nc && c_type != sums; i++)
        from = wide_c, wide_c[i] = emit_reg(x->b, PTX_F32);
    for (int i = 0; i < nc && c_type != sums; i++)
        widen(x, c[i], &wide_c[2 * i]);
    bool direct = d_type == sums && (tiles == 1 || !(reads_one(d, n, a, ra) || reads_one(d, n, b, rb) || reads_one(d, n, from + n, n)));
    for (int i = 0; i < n * tiles; i++)
        wide_d[i] = direct ? d[i] : emit_reg(x->b, (uint8_t)ptx_fragment(product, 'D').type);
    for (int tile = 0; tile < tiles; tile++) {
        bool down = is_turned(m) || s->m == 32; /* the second product has other rows, else other columns */
        struct ir_inst *out = on_matrices(x, PTX_OP_MMA, product, sums);
        ir_set_results(emit_kernel(x->b), out, n, &wide_d[n * tile]);
        for (int i = 0; i < na; i++)
            ir_add_source(emit_kernel(x->b), out, ir_of_reg(rows[(down ? na * tile : 0) + i]));
        for (int i = 0; i < nb; i++)
            ir_add_source(emit_kernel(x->b), out, ir_of_reg(columns[(down ? 0 : nb * tile) + i]));
        for (int i = 0; i < n; i++)
            ir_add_source(emit_kernel(x->b), out, ir_of_reg(from[n * tile + i]));
    }
    for (int i = 0; i < nd && !direct; i++) {
        enum ptx_type t = ptx_fragment(m, 'D').type;
        int32_t pair[2] = {wide_d[d_type == sums ? i : 2 * i + 1], wide_d[d_type == sums ? i : 2 * i]};
        if (d_type == sums)
            convert(x, PTX_OP_MOV, ir_bits_type(ptx_type_info[t].bits), PTX_NOTYPE, &d[i], 1, pair, 1);
        else
            convert(x, PTX_OP_CVT, PTX_F16X2, PTX_F32, &d[i], 1, pair, 2);
    }
}

void wmma_expand(struct build *b, const struct frame *fr, const struct ptx_inst *in)
{
    struct wmma x = {.b = b, .fr = fr, .in = in, .mods = &in->mods};
    const struct ptx_mods *m = x.mods;
    const struct ptx_shape_info *s = &ptx_shape_info[m->shape];
    if (m->variant == PTX_WMMA_MMA) {
        multiply(&x);
        return;
    }
    bool store = m->variant == PTX_WMMA_STORE_D;
    int high = m->variant == PTX_WMMA_LOAD_B ? s->k : s->m, broad = m->variant == PTX_WMMA_LOAD_A ? s->k : s->n;
    x.bits = is_factor(m) ? ptx_element_info[m->element[0]].bits : ptx_type_info[m->type[0]].bits;
    find_memory(&x, &in->operand[!store], in->noperands == 3 ? &in->operand[2] : NULL, m->layout[0] == PTX_LAYOUT_ROW ? broad : high);
    int all = operand_regs(&x, store, x.reg);
    x.n = high * broad * x.bits / 32 / (x.bits == 64 ? 64 : 32);
    if (is_factor(m))
        load_factor(&x);
    else
        move_sums(&x);
    copy_rest(&x, all);
}
