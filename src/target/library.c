/* See library.h. */
#include "target/library.h"

#include "target/arch.h"
#include "target/ways.h"

#include <stdlib.h>
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

static int add(const char *text, uint16_t *ops, int n)
{
    while (*text) {
        size_t word = strcspn(text, " "), letters = strcspn(text, " *");
        int times = letters < word ? atoi(text + letters + 1) : 1;
        for (int i = 0; i < times && n < LIBRARY_OPS; i++)
            ops[n++] = (uint16_t)arch_op_named(text, letters);
        text += word;
        text += strspn(text, " ");
    }
    return n;
}

int library_ops(const struct ir_inst *in, uint16_t *ops)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        if (strcmp(library[i].name, in->callee) == 0 && (library[i].way == ALL ? !ways_counts(in) : library[i].way == in->way))
            n = add(library[i].text, ops, n);
    return n;
}
