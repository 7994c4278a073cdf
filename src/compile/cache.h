/* What compiling keeps in the cache (base/store.h): precompiled headers and executables. (Machine code of kernels is kept
 * beside them: jit/code_cache.h.)
 *
 * An entry says which file belongs to a key, and which files that was made of; it holds for as long as none of them has
 * changed. */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H

#include <stdbool.h>

#include "base/hash.h"
#include "compile/clang.h"

struct store;
struct strbuf;

/* Opens the cache; false with an error. A warning when the wanted folder cannot be used and another is, from now on. */
bool cache_open(struct store *s, struct diag_list *diags);

/* A key of words, the compiler's and this program's identity. */
struct hash128 cache_key(const struct toolchain *t, const struct words *w);

/* The executable of a key if it is whole and no file that it was made of has changed, else NULL. */
const char *cache_find_program(struct arena *a, const struct store *s, const struct hash128 *key);

/* Puts the executable `from` into the cache under `name` and returns its path there, NULL with errno. `deps`: lines of
 * deps_add of the files it was made of; NULL: it is for this once. */
const char *cache_add_program(struct arena *a, struct store *s, const struct hash128 *key, const char *deps, const char *from,
                              const char *name);

/* A precompiled header that is being made or is there. */
struct pch {
    const char *path;      /* the file to use, NULL if there is none yet */
    const char *deps;      /* lines of deps_add of the files it was made of */
    struct hash128 key;
    const char *temporary; /* while being made */
    const char *rule;      /* clang's -MD output */
    struct words command;  /* the command that makes it */
};

/* Finds the precompiled header of a pass's flags, or fills in the command that makes it at `temporary`. */
void cache_find_pch(const struct toolchain *t, const struct store *s, const struct words *pass_flags, const char *temporary,
                    struct arena *a, struct pch *p);

/* After the command succeeded: puts the precompiled header into the cache. False: errno. */
bool cache_add_pch(struct arena *a, struct store *s, struct pch *p);

#endif
