/* The cache of compiled things: precompiled headers and executables. (Machine code of kernels is kept beside them:
 * jit/keep.h.)
 *
 * In the cache's folder (base/file.h):
 *   pch/KEY.list    which precompiled header belongs to a set of flags, and the files it was made of
 *   pch/KEY-*.pch   the precompiled header
 *   program/KEY     which executable belongs to a source file and flags, and the files it was made of
 *   exe/KEY2/NAME   the executable; KEY2 holds the contents of all files too
 * Every file is written under another name and renamed, so any number of processes may use the cache at once. */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "compile/clang.h"

struct strbuf;

/* The cache's directory, made if it is not there; NULL with an error that names it and HEDDLE_CACHE. */
const char *cache_open(struct arena *a, struct diag_list *diags);

/* A key of words, the compiler's and this program's identity. */
uint64_t cache_key(const struct toolchain *t, const struct words *w);

/* The executable of a key if no file that it was made of has changed, else NULL. */
const char *cache_find_program(struct arena *a, const char *dir, uint64_t key);

/* Where to put the executable `name` made of the files in `deps` (lines of deps_add): the directory exists. */
const char *cache_program_path(struct arena *a, const char *dir, uint64_t key, const char *deps,
                               const char *name);

/* Enters it. */
bool cache_enter_program(const char *dir, uint64_t key, const char *deps, const char *exe);

/* A precompiled header that is being made or is there. */
struct pch {
    const char *path;      /* the file to use, NULL if there is none yet */
    const char *deps;      /* lines of deps_add of the files it was made of */
    const char *list;      /* pch/KEY.list */
    const char *temporary; /* while being made */
    const char *rule;      /* clang's -MD output */
    struct words command;  /* the command that makes it */
};

/* Finds the precompiled header of a pass's flags, or fills in the command that makes it. */
void cache_find_pch(const struct toolchain *t, const char *dir, const struct words *pass_flags,
                    struct arena *a, struct pch *p);

/* After the command succeeded: puts the precompiled header into the cache. */
bool cache_enter_pch(struct arena *a, const char *dir, struct pch *p);

#endif
