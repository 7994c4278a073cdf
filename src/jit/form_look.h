/* HEDDLE_VERIFY=1: a form of machine code (jit/llvm/form.h) is looked at before code is made of it, and code is made of what was read
 * back of its text, so that text which loses something is noticed.
 *
 * The IR's questions (ir/verify.h) are asked of it as of a kernel behind each pass. Of forms alone:
 * - whatever the kernel does on the ways that lead through the form stands in it, or is left to the interpreter there;
 * - what may leave has a `state` in its block, which names all that is alive where the interpreter goes on, each register once;
 * - guards of branches have one value in the warp;
 * - registers that the kernel has not are written before they are read.
 * A part of the engine: what reads IR is not in the compiler's module. Private to jit. */
#ifndef JIT_FORM_LOOK_H
#define JIT_FORM_LOOK_H

#include "jit/abi.h"

struct form_facts {
    const char *name;        /* of the kind of form */
    struct ir_kernel *form;  /* with lists of its own but the frames, which are its kernel's */
    const struct ir_kernel *of;
    const struct interp_code *code; /* of the kernel */
    const int32_t *place;    /* [form->nregs] the kernel's register in whose place it is kept, or -1 */
    const bool *uniform;     /* [form->nregs] it has one value in the warp */
    const uint8_t *begins;   /* [of->ninsts] not 0: the form may be entered before the instruction */
    const uint8_t *ends;     /* [of->ninsts] not 0: what warps do at it they do between parts */
    bool split;
    const int32_t *row_masks; /* [form->form->rows] */
};

/* NULL: `problem` says what is wrong with the form or its text. Else what was read of the text, likewise with its kernel's frames; the
 * form is gone. */
form_look_fn form_look;

/* What is true of forms alone. False: `problem`. */
bool form_check(const struct form_facts *f, char *problem, size_t room);

#endif
