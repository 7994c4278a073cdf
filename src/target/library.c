/* See library.h. */
#include "target/library.h"

#include "target/arch.h"
#include "target/definitions.h"
#include "target/ways.h"

#include <string.h>

enum { ALL = -1, CONSTANT = -2 };

static const struct library {
    const char *name;
    int way; /* or ALL, or CONSTANT */
    const char *text;
} library[] = {
#define LIBRARY(name, way, text) {#name, way, text},
#include "target/library.def"
};
enum { ROWS = sizeof library / sizeof *library };

static const struct shared {
    const char *name, *other, *text;
} shared[] = {
#define LIBRARY_SHARED(name, other, text) {#name, #other, text},
#include "target/library.def"
};

bool library_has(const struct ir_inst *in)
{
    for (int i = 0; in->op == IR_OP_EXTERN && i < ROWS; i++)
        if (strcmp(library[i].name, in->callee) == 0)
            return true;
    return false;
}

static int find(const struct library_op *ops, int n, enum machine_op op, bool off)
{
    int i = 0;
    while (i < n && (ops[i].op != op || ops[i].off != off))
        i++;
    return i;
}

static int remove_at(struct library_op *ops, int n, int i)
{
    if (i >= n)
        return n;
    memmove(&ops[i], &ops[i + 1], (size_t)(n - i - 1) * sizeof *ops);
    return n - 1;
}

/* The row's instructions behind the n that are there. */
static int add_row(const struct library *row, const struct ir_inst *in, struct library_op *ops, int n)
{
    const char *text = row->text;
    enum machine_op op;
    int times;
    char bracket;
    while (arch_ops_next(&text, &op, &times, &bracket))
        for (; times > 0 && n < LIBRARY_OPS; times--) {
            if (bracket != '(') {
                ops[n++] = (struct library_op){(uint16_t)op, bracket == '['};
            } else if (!ways_counts(in)) { /* its first way, and nothing beside it */
                int i = find(ops, n, op, true);
                if (i < n)
                    ops[i].off = false;
            }
        }
    return n;
}

/* A call of that function before this one in its block, of the same value. */
static bool is_called_before(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, const char *name)
{
    const struct ir_inst *maker = definitions_maker(k, only, &in->src[0]);
    for (const struct ir_inst *other = in - 1; maker && other >= &k->insts[k->blocks[in->block].first]; other--)
        if (other->op == IR_OP_EXTERN && strcmp(other->callee, name) == 0 && definitions_maker(k, only, &other->src[0]) == maker)
            return true;
    return false;
}

static int leave_out_shared(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, struct library_op *ops, int n)
{
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        const char *other = !strcmp(shared[i].name, in->callee)  ? shared[i].other
                            : !strcmp(shared[i].other, in->callee) ? shared[i].name
                                                                    : NULL;
        if (!other || !is_called_before(k, only, in, other))
            continue;
        const char *text = shared[i].text;
        enum machine_op op;
        int times;
        char bracket;
        while (arch_ops_next(&text, &op, &times, &bracket))
            for (; times > 0; times--)
                n = remove_at(ops, n, find(ops, n, op, false));
        break;
    }
    return n;
}

static int leave_out_product(struct library_op *ops, int n)
{
    for (int i = n - 1; i >= 0; i--)
        if ((ops[i].op == OP_FMUL || ops[i].op == OP_DMUL) && !ops[i].off)
            return remove_at(ops, n, i);
    return n;
}

int library_ops(const struct ir_kernel *k, const int32_t *only, const struct ir_inst *in, struct library_op *ops)
{
    const bool way = ways_counts(in);
    uint64_t bits;
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        const struct library *row = &library[i];
        if (strcmp(row->name, in->callee))
            continue;
        if (row->way == CONSTANT && definitions_constant(k, only, &in->src[0], &bits))
            n = add_row(row, in, ops, 0);
        else if (row->way == ALL ? !way : row->way == in->way)
            n = add_row(row, in, ops, n);
    }
    if (way)
        return n;
    n = leave_out_shared(k, only, in, ops, n);
    return in->product_fused ? leave_out_product(ops, n) : n;
}

int library_taken(const struct ir_inst *in, uint16_t *ops)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        const char *text = library[i].text;
        enum machine_op op;
        int times;
        char bracket;
        if (!ways_counts(in) || strcmp(library[i].name, in->callee) || library[i].way != in->way)
            continue;
        while (arch_ops_next(&text, &op, &times, &bracket))
            for (; bracket == '(' && times > 0 && n < LIBRARY_OPS; times--)
                ops[n++] = (uint16_t)op;
    }
    return n;
}
