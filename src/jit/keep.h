/* Machine code that outlives the process: objects in files of the cache's folder (base/file.h), code/KEY each.
 *
 * An object has no address of the process in it: what it calls comes through the frame, what it refers to of its own are
 * relocations that link.c does (jit/link.h refuses any other), and device variables lie at the same address in every run or
 * their address is part of the key. A file is written whole or not at all and has a hash of what is in it, so processes may
 * use the folder at once, and a damaged one is as good as none. With HEDDLE_JIT_CACHE=0 nothing is kept or looked for. */
#ifndef JIT_KEEP_H
#define JIT_KEEP_H

#include "jit/abi.h"

struct keep_key {
    uint64_t part[2];
};

/* What a job's object depends on: Heddle's sources and LLVM (jit_build.h), the module's text, the kernel with all its constants,
 * block, level, form, tier. A field that is added to struct jit_job, and does not follow from these, has to go in here.
 * False: nothing is to be kept. */
bool keep_key(const struct jit_job *job, struct keep_key *key);

/* Is there a file? It may be a damaged one. */
bool keep_has(const struct keep_key *key);

/* The object as the compiler's module would make it. False: none, or a damaged one. */
bool keep_find(const struct keep_key *key, struct jit_object *o);

/* Leaves it for later runs, if that can be done; now and then the files that were used longest ago go. */
void keep_add(const struct keep_key *key, const struct jit_object *o);

#endif
