/* The stepping executor: one thread at a time, in code that a debugger can stop in.
 *
 * In: a kernel whose IR is as its PTX says (nothing rewritten), and the twins of its functions (base/steps.h). Every CUDA
 * thread that has begun and not ended is a thread of the process with a stack of its own, where its calls are calls; exactly
 * one of them runs. Each of the twins' stubs has the interpreter carry out its instruction for this one lane, so there is no
 * second meaning of any instruction. A thread runs until it waits: at a barrier, for the lanes named by a warp-level
 * instruction, in a waiting loop. It waits inside of its stub, so a debugger shows it at its line.
 *
 * Lanes of a warp are not in step. Where that could be seen they are brought together: instructions that take the lanes that
 * happen to be there (activemask, votes without .sync) and volatile accesses are carried out when every lane of the warp that
 * can has come so far, for all that are at the same one.
 *
 * Order: blocks, warps and lanes ascending, each as far as it gets. Thread safe: launches that run at the same time take turns
 * by the warp. docs/stepping.md says what a user sees. */
#ifndef STEP_STEP_H
#define STEP_STEP_H

#include <stdbool.h>

#include "base/across.h"
#include "base/steps.h"
#include "simt/warp.h"

struct interp_code;
struct step_code;

/* Tables that programs bring; never taken back. */
void steps_register(const struct steps *s) ACROSS(steps_register);
/* The table of the PTX text with this id and length (base/blob.h), or NULL: its file was not built for stepping. */
const struct steps *steps_find(uint64_t id, size_t bytes);

/* HEDDLE_EXEC is "step": every launch is stepped, or fails. */
bool step_demanded(void);
/* The process has a debugger. */
bool step_debugged(void);
/* HEDDLE_EXEC is "step"; or it is not set, some program here was built for stepping, and the process is being debugged. */
bool step_wanted(void);

/* Does `want` name, in a module of n files' device code, what file `unit` calls `name` (ptx/link.h)? */
bool steps_same_name(const char *name, int unit, int n, const char *want);

/* What a kernel needs to be stepped; units: the tables of the n files that its module is joined from, NULL for one that was not
 * built for it. NULL: they do not have all of its functions. Release before the kernel. */
struct step_code *step_open(const struct ir_kernel *k, const struct interp_code *c, const struct steps *const *units, int n);
void step_close(struct step_code *code);

/* Before and after clock_run: makes the launch one that is stepped; ends the threads that a stopped launch leaves. */
void step_begin(struct step_code *code, struct launch *l);
void step_end(struct launch *l);

/* Runs a warp until it stops; the same contract as interp_run, for launches that neither count nor are watched. */
enum warp_stop step_run(struct warp *w, struct exec_counts *counts);

#endif
