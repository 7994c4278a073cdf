/* See library.h. */
#include "target/library.h"

#include "target/arch.h"
#include "target/ways.h"

#include <string.h>

enum { ALL = -1 };

static const struct library {
    const char *name;
    int way; /* or ALL */
    const char *text;
} library[] = {
#define LIBRARY(name, way, text) {#name, way, text},
#include "target/library.def"
#undef LIBRARY
};
enum { ROWS = sizeof library / sizeof *library };

bool library_has(const struct ir_inst *in)
{
    for (int i = 0; in->op == IR_OP_EXTERN && i < ROWS; i++)
        if (strcmp(library[i].name, in->callee) == 0)
            return true;
    return false;
}

int library_ops(const struct ir_inst *in, uint16_t *ops)
{
    enum machine_op op;
    int n = 0, times;
    for (int i = 0; i < ROWS; i++) {
        const char *text = library[i].text;
        if (strcmp(library[i].name, in->callee) || (library[i].way == ALL ? ways_counts(in) : library[i].way != in->way))
            continue;
        while (arch_ops_next(&text, &op, &times))
            for (; times > 0 && n < LIBRARY_OPS; times--)
                ops[n++] = (uint16_t)op;
    }
    return n;
}
