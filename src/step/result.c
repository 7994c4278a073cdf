/* Results of functions, for debuggers: `finish` looks where the System V ABI has them (see step.h).
 *
 * PTX stores a result piece by piece, st.param [func_retval0+8], in the pieces' own types. Eight bytes of it that consist of
 * floating-point numbers are returned in a vector register, others in a general one, more than sixteen bytes in memory whose
 * address is in rax (System V ABI, AMD64 supplement, 3.2.3). */
#include "step/private.h"

#include <string.h>

#include "interp/code.h"

void step_note_result(struct step_thread *t, const struct ir_inst *in, int e)
{
    const struct ptx_function *f = t->code->kernel->frames[in->from->of_frame].function;
    const struct ptx_inst *from = &f->insts[in->from->statement];
    const struct ptx_operand *to = &from->operand[0];
    if (from->op != PTX_OP_ST || to->kind != PTX_OPERAND_MEM || to->elem[0].kind != PTX_OPERAND_VAR || !f->ret || to->elem[0].var != f->ret)
        return;
    const struct ptx_type_info *type = &ptx_type_info[from->mods.type[0]];
    size_t bytes = (size_t)type->bits / 8, at = (size_t)(to->elem[0].offset + to->offset) + (size_t)e * bytes;
    const struct step *st = &t->code->interp->step[in - t->code->kernel->insts];
    bool memory = in->op == PTX_OP_ST; /* all elements in one; else each is moved to a register */
    for (int i = 0; i < (memory ? in->vec : 1); i++, at += bytes) {
        uint64_t v = step_value(t->code->interp, t->warp, st, memory ? 1 + i : 0, t->lane);
        if (at + bytes > sizeof t->result || bytes > sizeof v)
            return;
        memcpy(&t->result[at], &v, bytes);
        if (at < 16 && type->kind == 'F')
            t->vector |= 1u << at / 8;
        else if (at < 16)
            t->vector &= ~(1u << at / 8);
    }
}

void step_return_result(struct step_thread *t, const struct ptx_function *f)
{
    size_t bytes = f->ret ? f->ret->size : 0;
    int n = 0, vectors = 0;
    memset(t->c.result, 0, sizeof t->c.result);
    memset(t->c.vector_result, 0, sizeof t->c.vector_result);
    if (bytes > 16)
        t->c.result[0] = (uint64_t)(uintptr_t)t->result;
    for (size_t i = 0; bytes <= 16 && 8 * i < bytes; i++) {
        uint64_t v;
        memcpy(&v, &t->result[8 * i], sizeof v);
        if (t->vector >> i & 1)
            t->c.vector_result[vectors++] = v;
        else
            t->c.result[n++] = v;
    }
}
