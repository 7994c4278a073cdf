/* Machine code that outlives the process: objects in the cache (base/store.h), part `code`.
 *
 * An object has no address of the process in it: what it calls comes through the frame, what it refers to of its own are
 * relocations that link.c does (jit/link.h refuses any other), and device variables lie at the same address in every run or
 * their address is part of the key. With HEDDLE_JIT_CACHE=0 nothing is kept or looked for. */
#ifndef JIT_CODE_CACHE_H
#define JIT_CODE_CACHE_H

#include "base/hash.h"
#include "jit/abi.h"

/* What a job's object depends on: Heddle's sources and LLVM (jit_build.h), the module's text, the kernel with all its constants,
 * block, level, form, tier. A field that is added to struct jit_job, and does not follow from these, has to go in here.
 * False: nothing is to be kept. */
bool code_cache_key(const struct jit_job *job, struct hash128 *key);

/* Is there a file? It may be a damaged one. */
bool code_cache_has(const struct hash128 *key);

/* The object as the compiler's module would make it. False: none, or a damaged one. */
bool code_cache_find(const struct hash128 *key, struct jit_object *o);

/* Leaves it for later runs, if that can be done. */
void code_cache_add(const struct hash128 *key, const struct jit_object *o);

#endif
