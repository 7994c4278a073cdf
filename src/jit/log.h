/* What compiling cost: a line of JSON for each kernel that is made, in the file that HEDDLE_JIT_LOG of the environment names
 * ("-": stderr). Keys: kernel (its name in PTX), instructions (of the IR), block (three sizes), form ("together",
 * "split" for lanes that went different ways, "unroll-jam" for several warps at once), tier ("first", "full"), isa, counting (made
 * for launches that count), cpu_ms (of the thread that compiled; loading LLVM is not in it), kept (an earlier run left it,
 * jit/code_cache.h), bytes (of the object), lane_serial (how many lane-serial loops; null if it was kept), problem (null, or why
 * there is no code). docs/jit.md shows one. */
#ifndef JIT_LOG_H
#define JIT_LOG_H

#include "jit/abi.h"

/* CPU time of the calling thread, seconds. */
double log_now(void);

/* The job took from `start` on and made `o`; no line without HEDDLE_JIT_LOG. */
void log_made(const struct jit_job *job, double start, const struct jit_object *o, bool kept, const char *problem);

#endif
