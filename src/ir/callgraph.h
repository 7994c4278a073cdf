/* Who calls whom, from a kernel on: which functions may call themselves, and what a call through a pointer may mean.
 *
 * In: a parsed module and the kernel. A call through a pointer may mean every function of its prototype's sizes whose
 * address an initialiser or an instruction takes. */
#ifndef IR_CALLGRAPH_H
#define IR_CALLGRAPH_H

#include <stdbool.h>

#include "ptx/ptx.h"

struct callgraph;

struct callgraph *callgraph_new(const struct ptx_module *m, const struct ptx_function *kernel);
void callgraph_free(struct callgraph *g);

/* 0: the function is never running when it is called. Else a number that it shares with all that may call it and be
 * called by it. */
int callgraph_cycle(const struct callgraph *g, const struct ptx_function *f);

/* May a call through a pointer with this prototype reach f? */
bool callgraph_may_mean(const struct callgraph *g, const struct ptx_proto *p, const struct ptx_function *f);

/* The operands of a call instruction; NULL where it has none. */
struct ir_call {
    const struct ptx_operand *ret, *args, *callee;
    const struct ptx_proto *proto;
};
struct ir_call ir_call_parts(const struct ptx_inst *in);

#endif
