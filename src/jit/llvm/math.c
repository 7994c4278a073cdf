/* Functions of the math library, and PTX's approximations. Of some the code is made here (math_forms.c); of the others vector forms are
 * called (interp/lanes_math.h), which the interpreter's functions of 32 lanes are made of. */
#include "jit/llvm/emitter.h"

#include "interp/code.h"
#include "interp/lanes.h"
#include "target/ways.h"

static LLVMValueRef lanes_from(struct emit *e, LLVMValueRef v, int first, int n)
{
    LLVMValueRef index[64];
    for (int i = 0; i < n; i++)
        index[i] = number(e, 32, (uint64_t)(first + i));
    return LLVMBuildShuffleVector(e->b, v, LLVMGetPoison(LLVMTypeOf(v)), LLVMConstVector(index, (unsigned)n), "");
}

/* The row's function of vectors of n lanes. */
static LLVMValueRef call_row(struct emit *e, const struct step *st, LLVMTypeRef t, LLVMValueRef *args, int n)
{
    uint64_t at = (uint64_t)(st->math - 1) * sizeof(struct lanes_math) + offsetof(struct lanes_math, vector);
    LLVMTypeRef v = LLVMVectorType(t, (unsigned)n), params[2] = {v, v};
    LLVMValueRef table = frame_field(e, offsetof(struct jit_frame, math), e->ptr), index = number(e, 64, at);
    LLVMValueRef f = LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->i8, table, &index, 1, ""), "");
    return LLVMBuildCall2(e->b, LLVMFunctionType(v, params, st->arguments, false), f, args, st->arguments, "");
}

LLVMValueRef math_function(struct emit *e, LLVMValueRef *args, int p)
{
    const struct step *st = &e->job->code->step[e->site];
    LLVMValueRef half[2];
    if (p < 0) { /* of scalars: the first lane of vectors */
        for (int i = 0; i < st->arguments; i++)
            args[i] = splat(e, args[i]);
        return LLVMBuildExtractElement(e->b, math_function(e, args, 0), number(e, 32, 0), "");
    }
    if (st->elem == 4) {
        LLVMValueRef r = math_form(e, (enum math_form)st->form, args[0]);
        return r ? exact_nan(e, r) : call_row(e, st, e->f32, args, e->width);
    }
    int n = e->width / 2; /* doubles in a vector */
    for (int h = 0; h < 2; h++) {
        LLVMValueRef part[2];
        for (int i = 0; i < st->arguments; i++)
            part[i] = lanes_from(e, args[i], h * n, n);
        half[h] = call_row(e, st, e->f64, part, n);
    }
    return memory_joined(e, half[0], half[1], n);
}

LLVMValueRef math_call(struct emit *e, int p)
{
    const struct step *st = &e->job->code->step[e->site];
    LLVMValueRef args[2];
    for (int i = 0; i < st->arguments; i++)
        args[i] = source(e, i, st->elem == 8 ? PTX_F64 : PTX_F32, p);
    LLVMValueRef r = math_function(e, args, p);
    return ways_tells(e->in) ? LLVMBuildBitCast(e->b, r, p < 0 ? e->i32 : vector_of(e, e->i32), "") : r;
}

bool math_no_way(struct emit *e)
{
    struct value v = {.scalar = false};
    if (!ways_tells(e->in))
        return false;
    for (int p = 0; p < e->parts; p++)
        v.v[p] = splat(e, number(e, 32, 0));
    reg_set(e, e->in->dst[0], v);
    return true;
}
