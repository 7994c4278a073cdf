/* Claims checked at run time: HEDDLE_VERIFY=1.
 *
 * In: the claims of a kernel's analyses (ir/claims.h) and of those that look at one launch. The interpreter, which alone runs
 * such a launch, on one host thread, asks before and after each step whether what is claimed of its registers and of its
 * accesses is so. A claim that is not ends the launch with HEDDLE_BROKEN_CLAIM; the text names kernel, line, register, lanes
 * and who claimed it.
 * What is asked when: UNIFORM, CONGRUENT at each use and definition, of the lanes that take part; SHAPE where 32 lanes are
 * together; STEP where warps of a group have come to the same place by the same way through the same blocks, which tells
 * occurrences apart; UNREAD at each read; EARLY at the load, against what its block's stores wrote before it; ADDRESS at the
 * access. A register that a warp may read before it sets it holds at first what is claimed of it, as it may hold anything.
 * Every claim is counted, and every question: with HEDDLE_VERIFY_LOG=FILE a line for each launch is added to the file,
 * so that silence can be told from nobody having asked. */
#ifndef INTERP_CLAIM_CHECK_H
#define INTERP_CLAIM_CHECK_H

#include "ir/claims.h"
#include "simt/warp.h"

struct interp_code;
struct step;
struct claim_check;

/* HEDDLE_VERIFY of the environment is 1. */
bool claim_check_wanted(void);
/* False: it is something else than 0, 1 or nothing. */
bool claim_check_known(void);

/* For a launch of the kernel, with the claims of its IR. */
struct claim_check *claim_check_new(const struct ir_kernel *k, const struct interp_code *c);

/* For those who look at the launch, to add theirs before it runs. */
struct ir_claims *claim_check_claims(struct claim_check *v);

/* Writes the line of the log, and releases. */
void claim_check_free(struct claim_check *v);

/* Step `site` is about to be done by the lanes of m, the split's lanes being `together`; when it was done. False: a claim
 * is broken, and the launch's fault is set. */
bool claim_check_before(struct claim_check *v, struct warp *w, int32_t site, uint32_t together, uint32_t m);
bool claim_check_after(struct claim_check *v, struct warp *w, int32_t site, uint32_t together, uint32_t m);

#endif
