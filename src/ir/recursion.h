/* Functions that may call themselves: the bodies that the builder puts into the kernel once, and their calls.
 *
 * A call of such a function is not replaced by the body. Its arguments are moved to where the body reads them, the
 * stack register is moved up by a frame, and a branch goes to the body (ir_inst.after_call). The body ends in a brx over
 * the places that its calls come back to (ir_inst.is_return); which one is in a register. Frames lie in local memory
 * above the kernel's variables: first the body's .local variables, then what a call saves: the registers that are needed
 * behind it and that the bodies it may reach write. So no executor needs to know of calls, but for one thing: lanes that
 * parted in a body meet only those of the same depth (simt/warp.h).
 * Bodies that may run each other are a group. Every call from outside a group has a group of its own, as if the body were
 * put in its place: then its way back is known, and with it where lanes meet. */
#ifndef IR_RECURSION_H
#define IR_RECURSION_H

#include "ir/ir.h"

struct ir_body {
    int32_t first, end;    /* instructions; the last is the brx */
    int32_t group;
    int32_t ra;            /* register: which return */
    uint32_t local_bytes;  /* .local variables */
    struct {
        uint32_t from, to;
    } scratch[2];          /* its parameters, those of calls in it, when they are in memory: a call saves them all */
};

/* Instruction numbers of what the builder emits for a call; `save` and `restore` are deleted instructions, in the place
 * of what recursion_lower makes. */
struct ir_call_site {
    int32_t caller, callee; /* bodies; caller -1: none */
    int32_t save;
    int32_t push;           /* add sp, sp, frame; or mov sp, first frame */
    int32_t top;            /* add t, sp, the callee's largest frame: for the check that follows */
    int32_t number;         /* mov ra, number */
    int32_t jump, restore;
};

struct recursion {
    struct ir_body *body;
    int32_t nbodies, bodies_cap;
    struct ir_call_site *site;
    int32_t nsites, sites_cap;
    int32_t sp;        /* register of 64 bits: the frame of the body that runs, as an address of local memory */
    uint64_t *results; /* set of registers that hold a call's result until it has been fetched */
};

/* The builder's calls become what is said above. On entry and return branch targets are instruction numbers. Returns
 * why it cannot be done, or NULL. */
const char *recursion_lower(struct ir_kernel *k, struct recursion *r);

#endif
