/* See atomic_sequences.h. */
#include "target/atomic_sequences.h"

#include "base/arena.h"
#include "target/shape.h"
#include "target/uniform.h"

#include <string.h>

enum { EVERY = 0, HALF = 1, PAIR = 2, SIZE = 0x100 };
#define BITS(n) (SIZE | (n))
enum { ANYWHERE = -1 };
enum { ANY = 0, LEAST = -1, LOGIC = -2 };
enum form { EACH, EACH_READ, COUNTED, ONCE, ONCE_READ, ONCE_SAME, ONCE_SAME_READ, ONCE_ONE, ONCE_ONE_READ };

static const struct sequence {
    int space, op, type;
    enum form form;
    int from, to;
    const char *text;
} sequences[] = {
#define ATOMIC(space, op, type, form, from, to, text) {SPACE_##space, ATOMIC_##op, TYPE_##type, form, from, to, text},
#define SPACE_SHARED PTX_SHARED
#define SPACE_GLOBAL PTX_GLOBAL
#define SPACE_GENERIC PTX_GENERIC
#define SPACE_ANYWHERE ANYWHERE
#define ATOMIC_ADD PTX_ATOMIC_ADD
#define ATOMIC_EXCH PTX_ATOMIC_EXCH
#define ATOMIC_CAS PTX_ATOMIC_CAS
#define ATOMIC_LEAST LEAST
#define ATOMIC_LOGIC LOGIC
#define ATOMIC_ANY ANY
#define TYPE_BITS(n) BITS(n)
#define TYPE_F32 PTX_F32
#define TYPE_F64 PTX_F64
#define TYPE_HALF (-HALF)
#define TYPE_PAIR (-PAIR)
#include "target/atomic_sequences.def"
#undef ATOMIC
};

static bool fits_op(int op, enum ptx_atomic atomic)
{
    if (op == LEAST)
        return atomic == PTX_ATOMIC_MIN || atomic == PTX_ATOMIC_MAX;
    if (op == LOGIC)
        return atomic == PTX_ATOMIC_AND || atomic == PTX_ATOMIC_OR || atomic == PTX_ATOMIC_XOR;
    return op == ANY || op == (int)atomic;
}

static bool fits_type(int type, int of)
{
    const bool halves = ptx_type_info[of].kind == 'H';
    if (type == -HALF || type == -PAIR)
        return halves && ptx_type_info[of].bits == (type == -HALF ? 16 : 32);
    return type & SIZE ? !halves && ptx_type_info[of].kind != 'F' && ptx_type_info[of].bits == (type & 0xff) : type == of;
}

static bool is_one(const struct ir_src *s, int bits)
{
    return s->kind == IR_SRC_IMM && (bits == 64 ? s->imm == 1 : (uint32_t)s->imm == 1);
}

/* The forms that the atomic is, the narrowest first. */
static int forms_of(const struct ir_inst *in, const uint64_t *uniform, enum form forms[4])
{
    const bool read = in->ndst && in->dst[0] != IR_NOREG;
    enum form own = EACH, narrow = EACH;
    if (in->atomic_form == IR_ATOMIC_COUNTED)
        own = narrow = COUNTED;
    if (in->atomic_form == IR_ATOMIC_ONCE) {
        own = narrow = ONCE;
        if (in->mods->atomic == PTX_ATOMIC_ADD && uniform_source(uniform, &in->src[1]))
            narrow = is_one(&in->src[1], ptx_type_info[in->type].bits) ? ONCE_ONE : ONCE_SAME;
    }
    int n = 0;
    if (read && own != COUNTED) {
        forms[n++] = narrow + 1;
        forms[n++] = own + 1;
    }
    forms[n++] = narrow;
    forms[n++] = own;
    return n;
}

const char *atomic_text(const struct ir_inst *in, const uint64_t *uniform, int arch)
{
    enum form forms[4];
    const int n = forms_of(in, uniform, forms);
    for (int f = 0; f < n; f++)
        for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
            const struct sequence *q = &sequences[i];
            if ((q->space == ANYWHERE || q->space == (int)in->space) && q->form == forms[f] && arch >= q->from && arch <= q->to &&
                fits_op(q->op, in->mods->atomic) && fits_type(q->type, in->type))
                return q->text;
        }
    return NULL;
}

bool atomic_leaves(const struct ir_kernel *k, const struct ir_inst *in)
{
    const struct ir_block *b = &k->blocks[in->block];
    const struct ir_inst *end = &k->insts[b->first + b->count];
    for (in++; in < end; in++) {
        if (in->op == IR_OP_DELETED)
            continue;
        return in->guard == IR_NOREG && (ir_is_end(in) || (ir_is(in, PTX_KIND_BRANCH) && shape_leaves(k, in->target)));
    }
    return b->nsucc == 1 && b->succ[0] >= 0 && shape_leaves(k, b->succ[0]);
}

/* Where the memory is that an operation reads or writes: the atomic's address. */
static bool is_access(enum machine_op op)
{
    switch (op) {
    case OP_LDS:
    case OP_LDG:
    case OP_LD:
    case OP_ST:
    case OP_ATOMS:
    case OP_ATOMG:
    case OP_ATOM:
    case OP_RED:
    case OP_REDG:
    case OP_QSPC:
        return true;
    default:
        return false;
    }
}

static bool makes_predicate(enum machine_op op)
{
    return op == OP_ISETP || op == OP_VOTE;
}

static void put(struct code *c, enum machine_op op, const char *form, enum taken taken, const struct atomic_operands *o, struct operand *before)
{
    struct machine_inst in = {.op = (uint16_t)op, .form = form, .site = o->site, .guard = o->guard, .taken = (uint8_t)taken};
    const struct machine_op_info *info = arch_op(c->arch, op);
    const bool access = is_access(op), uniform = arch_op_name(op)[0] == 'U' || op == OP_VOTEU;
    if (access) {
        in.source[in.nsources++] = o->address;
        in.offset = o->offset;
    }
    if (before->file && op != OP_BRA && op != OP_BSSY && op != OP_BSYNC && op != OP_EXIT && op != OP_S2R)
        in.source[in.nsources++] = *before;
    if (op != OP_RED && op != OP_REDG && op != OP_ST && info && info->cycles) {
        struct operand d = {.file = uniform ? FILE_UNIFORM : makes_predicate(op) ? FILE_PREDICATE : FILE_REGISTER, .number = c->nregs++, .words = 1};
        in.result[in.nresults++] = d;
        if (d.file == FILE_REGISTER && taken != TAKEN_OFF && taken != TAKEN_NEVER)
            *before = d;
    }
    code_add(c, &in);
}

static enum taken taken_of(char mark)
{
    return mark == '[' ? TAKEN_OFF : mark == '{' ? TAKEN_NEVER : mark == '<' ? TAKEN_AGAIN : mark == '~' ? TAKEN_SHARED : TAKEN_ALL;
}

void atomic_put(struct code *c, const char *text, const struct atomic_operands *o)
{
    struct operand before = o->value;
    int32_t first = c->ninsts;
    while (*text) {
        const size_t word = strcspn(text, " ");
        const enum taken taken = taken_of(*text);
        const char *name = text + (taken != TAKEN_ALL);
        const size_t letters = strcspn(name, ". ]}>");
        text += word;
        text += strspn(text, " ");
        const bool out = letters == 3 && !strncmp(name, "OUT", 3), itself = letters == 4 && !strncmp(name, "THIS", 4);
        enum machine_op op = out ? o->leaves ? OP_EXIT : OP_BRA : itself ? o->op : arch_op_here(c->arch, arch_op_named(name, letters));
        if (o->leaves && (op == OP_BSSY || op == OP_BSYNC))
            continue;
        if (op == OP_BSSY && c->arch < 80)
            put(c, OP_BMOV, "32.CLEAR", taken, o, &before);
        const char *end = name + letters, *form = *end == '.' ? end + 1 : end;
        put(c, op, itself ? o->form : *end == '.' ? arena_strndup(o->arena, form, strcspn(form, " ]}>")) : "", taken, o, &before);
    }
    for (int32_t i = c->ninsts - 1; i >= first && o->result.file; i--) { /* the last register made is the result */
        struct machine_inst *in = &c->insts[i];
        if (in->nresults && in->result[0].file == FILE_REGISTER && in->taken != TAKEN_NEVER) {
            in->result[0] = o->result;
            break;
        }
    }
}
