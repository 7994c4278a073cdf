/* The cache: what is kept from one run to the next, in a folder of one user.
 *
 * Each part (store.def) holds two kinds of things:
 *   PART/KEY         an entry: bytes that belong to a key, behind a head with the key, their size and their hash
 *   PART/HASH/NAME   a file that others read or run under its path; its folder is named by the hash of its contents
 * and beside the parts lies `state`: the cache's size and limit.
 *
 * - Nothing is taken on trust. An entry or a file that is cut off, changed, somebody else's, or open for others to write to is
 *   as good as none, and adding it again puts a new one in its place.
 * - The folder must be ours and closed to others' writing, and nobody but us and root may be able to swap a folder above it.
 * - What is added appears whole or not at all: it is written to a file without a name, which then gets one. Any number of
 *   processes may use the cache at once, and a process that is killed leaves nothing in it.
 * - When the sizes of all files together pass the limit, those that were used longest ago go until three quarters are left.
 *   What was used in the last STORE_SPARED_S seconds stays, since a running command may be about to read it. */
#ifndef BASE_STORE_H
#define BASE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct strbuf;

enum store_part {
#define PART(id, folder, what) STORE_##id,
#include "base/store.def"
#undef PART
    STORE_PARTS
};

extern const struct store_part_info {
    const char *folder, *what;
} store_parts[STORE_PARTS];

#define STORE_LIMIT       (INT64_C(1) << 30) /* bytes, unless the user sets another */
#define STORE_LEAST_LIMIT (INT64_C(16) << 20) /* one program with its precompiled headers */
enum { STORE_SPARED_S = 10 };

struct store {
    char *path;  /* the folder, without symbolic links */
    bool named;  /* its file system has no files without names: they are written as `new` and renamed */
};

/* Opens the cache: $HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle, made if it is not there. If that cannot be
 * used, $TMPDIR/heddle-UID (/tmp/heddle-UID) is, which is made only with `make_other`. `note` may be NULL; it gets a sentence
 * when the other folder was made just now, and when there is none at all (false). */
bool store_open(struct store *s, bool make_other, struct strbuf *note);
void store_close(struct store *s);

/* --- entries --- */

/* Is there an entry? It may be a damaged one. */
bool store_has(const struct store *s, enum store_part part, const struct hash128 *key);

/* Adds the entry's bytes to `out`, and marks it as used. False: there is none, or a damaged one. */
bool store_get(const struct store *s, enum store_part part, const struct hash128 *key, struct strbuf *out);

/* Puts an entry in the place of what was there. False: errno says why. */
bool store_put(struct store *s, enum store_part part, const struct hash128 *key, const void *data, size_t n);

/* --- files --- */

/* The path of a file, which is marked as used. False: it is not there, or damaged. */
bool store_find_file(const struct store *s, enum store_part part, const struct hash128 *content, const char *name,
                     struct strbuf *path);

/* Copies the file `from` into the cache as `name`, executable if `from` is, with the hash of its contents. False: errno. */
bool store_put_file(struct store *s, enum store_part part, const char *from, const char *name, struct hash128 *content);

/* --- its size --- */

struct store_size {
    int64_t files, bytes;
};

/* What each part takes. */
void store_measure(const struct store *s, struct store_size size[STORE_PARTS]);

int64_t store_limit(const struct store *s); /* bytes */

/* Sets it, and removes what is beyond it. False: errno. */
bool store_set_limit(struct store *s, int64_t bytes);

/* Removes everything in it. False: something could not be removed (errno). */
bool store_clear(struct store *s);

#endif
