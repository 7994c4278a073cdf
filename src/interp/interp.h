/* The reference executor: obviously right, resumable at any instruction.
 *
 * An explicit state machine over a warp's splits: no fibers, no recursion, so the clock may stop a warp anywhere and
 * go on with another. Lane values are arrays of 32 (lanes.h); memory instructions check every address and, when the
 * launch counts, leave a record in the warp's ring. */
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "simt/warp.h"

struct interp_code;
struct diag_list;

enum { LONG_TURNS = 1 << 20 }; /* turns of a loop that does not wait, before others run all the same */

/* Prepares a kernel. NULL when something in it cannot be executed: the reason is added to `problem_text` (in the
 * kernel's arena) and *site says where. */
struct interp_code *interp_compile(struct ir_kernel *k, const char **problem_text, int32_t *site);
void interp_free(struct interp_code *c);

/* The kernel allocates from the device heap: launch.heap must be there. */
bool interp_uses_heap(const struct interp_code *c);

/* It calls functions of the device's runtime: launches have children (simt/children.h). */
bool interp_asks_runtime(const struct interp_code *c);

/* launch.turns for these parameters and sizes. */
uint32_t interp_turns(const struct interp_code *c, const struct launch *l);

/* Bytes of registers that a warp needs. */
uint32_t interp_reg_bytes(const struct interp_code *c);

/* Runs a warp until it stops. `counts` may be NULL. */
enum warp_stop interp_run(struct warp *w, struct exec_counts *counts);

/* One instruction of the current split. WARP_RESUME: it may go on; WARP_BLOCKED: it waits or has exited; else as interp_run. */
enum warp_stop interp_step(struct warp *w, struct exec_counts *counts);

/* Carries out a rendezvous of waiting splits that is complete. False: there is none. */
bool interp_meet(struct warp *w);

/* The same, but stops with WARP_RESUME when at least one instruction is done and the current split is before an
 * instruction whose `apart` is not negative, or all 32 lanes are together before one whose `together` is not. Its block
 * has not been counted then. Both [ninsts], or NULL: nowhere. */
enum warp_stop interp_run_until(struct warp *w, struct exec_counts *counts, const int32_t *together, const int32_t *apart);

#endif
