/* The SIMD executor: machine code for warps of 32 lanes, made from the same IR as the interpreter's steps.
 *
 * Machine code runs a warp while its 32 lanes go one way, all warps of a block at once, and in a third form, made when it pays, the
 * splits of a warp whose lanes part (jit/abi.h). For whatever it has no code of its own for the interpreter takes over in the middle of the
 * kernel, and gives the warp back at the next place where machine code can go on: both keep registers in the same places. So the meaning of a kernel is in one place, and every
 * kernel that the interpreter runs, runs here. Kernels with waiting loops, and watched launches, stay with it entirely.
 * Code is made once for each size of block, since shapes of addresses depend on it (jit/lane_shape.h), and separately for
 * launches that count. LLVM is loaded when the first kernel is to be compiled (libheddle-jit.so). */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "base/across.h"
#include "simt/warp.h"

struct interp_code;
struct jit;

enum jit_mode { JIT_NEVER, JIT_AUTO, JIT_ALWAYS_FIRST, JIT_ALWAYS };

/* HEDDLE_EXEC of the environment: "interp"; "auto", the default: what runs for long is compiled, and what runs on is compiled
 * once more, better; "jit" or "jit-first": whatever can be compiled is, before it runs, in the full tier or in the first
 * (jit/abi.h), and stays in it. */
enum jit_mode jit_mode(void);
/* False: HEDDLE_EXEC is none of these. */
bool jit_mode_known(void);

/* What machine code of the kernel would rely on, for blocks of so many threads: shapes of registers, and what warps that run as
 * one have more than the one before (HEDDLE_VERIFY). */
struct ir_claims;
void jit_claim(const struct ir_kernel *k, const uint32_t dim[3], struct ir_claims *out);

/* What a kernel may keep of machine code; empty until it is launched. */
struct jit *jit_open(const struct ir_kernel *k, const struct interp_code *c);
void jit_close(struct jit *j);

/* Of which accesses a launch leaves records: those of others are counted where they are done, if the launch counts. */
enum jit_records { JIT_NO_RECORDS, JIT_CACHED /* of memory that the modelled caches hold: not shared memory */, JIT_ALL_RECORDS };

/* What a launch counts that does count. With JIT_NO_RECORDS machine code leaves out what is not wanted; where the interpreter runs
 * the launch, or records are left, all is counted. */
struct jit_counts {
    enum jit_records records;
    bool runs;         /* of blocks and guarded instructions */
    unsigned accesses; /* enum access_kind */
};

/* Sets launch->jit if machine code is wanted for this launch; else the interpreter runs it all. launch->ring_records is made
 * large enough for what it leaves. `counts`: NULL: nothing. In the modes "jit" and
 * "jit-first" the code is made here, in "auto" by jit_run in the middle of a launch, when the kernel has run for so long that it pays.
 * NULL, or why there is no code though the mode is one of those and the kernel is of a kind that is compiled: such a launch fails,
 * so that nobody measures or tests the wrong executor. */
const char *jit_prepare(struct jit *j, struct launch *l, const struct jit_counts *counts);

/* Runs a warp until it stops; the same contract as interp_run. launch->jit is there. */
enum warp_stop jit_run(struct warp *w, struct exec_counts *counts);

/* The name of the kernel whose machine code the calling thread runs, or NULL. For handlers of signals. */
const char *jit_running(void) ACROSS(jit_running);

/* Turns of a loop after which others run all the same (LONG_TURNS of interp.h): less in tests. */
extern uint32_t jit_long_turns;
extern uint64_t jit_blocks_left; /* atomic: blocks that left the block form; for tests */

/* In the mode "auto" code is made, and made anew, after hardly any work: in tests. */
extern bool jit_hasty;

/* Runs a fresh block whose accesses nobody wants to see as far as it gets: warps that wait at a barrier cost next to nothing
 * then. It may go on with some of the `more` blocks behind it when it is done; `b` becomes the last one.
 * It may run some of these together with it, in the memory of `flight`. Those that did not end are begun, and are left there; they follow `b`.
 * False: there is no code yet and nothing was done, or `b` is begun and did not end. Else all warps have ended (*at is -1), or warp *at stopped with
 * *stop, warps before it have had their turn, and the block's state is where others look for it. */
bool jit_run_block(struct block *b, struct exec_counts *counts, uint64_t more, struct block_flight *flight, int *at, enum warp_stop *stop);
/* Memory for how many blocks jit_run_block would like to find in `flight`. */
int jit_flight_wanted(const struct launch *l);

#endif
