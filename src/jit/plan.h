/* Where machine code can be entered: the resume points of a kernel, and the positions of its split form (abi.h). Private to jit. */
#ifndef JIT_PLAN_H
#define JIT_PLAN_H

#include "jit/abi.h"
#include "jit/lane_shape.h"

struct plan {
    int32_t *resume; /* [ninsts + 1]: number of the resume point before an instruction, or -1 */
    int32_t *site;   /* [nresume]: the instruction of each */
    int nresume;
    int32_t *apart;  /* [ninsts + 1]: number of the split form's position before an instruction, or -1 */
    int napart;
    int32_t *row;    /* [ninsts + 1]: number of a memory instruction that is counted in a tally (simt/tally.h), or -1 */
    int nrow;
    int32_t *access; /* [ninsts + 1]: number of a memory instruction, or -1 */
    int naccesses;
    uint32_t turns;  /* bits: the places where turns may end (interp/turn.h) */
};

/* `records`: accesses leave some, so machine code stops before blocks with accesses to have them fetched. `accesses`: enum
 * access_kind; instructions of other kinds have no row. */
struct plan plan_make(const struct ir_kernel *k, const struct interp_code *c, const struct shapes *s, const uint32_t dim[3], bool records,
                      unsigned accesses);
void plan_release(struct plan *p);

/* Spill slots: where machine code keeps the bases of affine registers while a warp stops. Bytes into the warp's registers, behind
 * those of the interpreter, one register close to the other; -1: in the register's own place. [nregs], to be released. */
int32_t *plan_spill_slots(const struct ir_kernel *k, const struct interp_code *c, const struct shapes *s);
enum { JIT_SPILL_BYTES = 1024 }; /* of a warp */
uint32_t plan_spill_begin(const struct interp_code *c);

/* The most records that one basic block may leave. */
uint32_t plan_block_records(const struct ir_kernel *k, const struct interp_code *c);

/* What stops are made of: wherever code may stop, at each access to memory, it stores all registers that are alive. LLVM's time
 * grows with the number of these stores, the function's stack frame with the registers alive at once. */
struct plan_size {
    uint64_t stores;
    int32_t alive; /* at most at once */
};
struct plan_size plan_size(const struct ir_kernel *k);

/* NULL, or why machine code is not for this kernel. */
const char *plan_refuses(const struct ir_kernel *k);

#endif
