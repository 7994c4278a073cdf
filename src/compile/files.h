/* Files beyond base/file.h: names, folders, and the lists of files that a cached result depends on. */
#ifndef COMPILE_FILES_H
#define COMPILE_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/file.h"
#include "compile/compile.h"

struct strbuf;

/* FNV-1a of the contents; false if it cannot be read. */
bool file_hash(const char *path, uint64_t *hash);

/* "dir/name.cu" -> "name" and ".cu" */
const char *file_stem(struct arena *a, const char *path);
const char *file_extension(const char *path);

/* ---- lists of dependencies ----
 * One line a file: content hash, size, modification and change time (ns), inode, path. A file is unchanged if the last
 * four still hold (the kernel sets the change time at every write), else if its content has the same hash. */

/* Adds a line for `path` to `out`; false if the file cannot be read. */
bool deps_add(struct strbuf *out, const char *path);

/* Adds a line for each file named in a makefile rule as clang -MD writes it, but those beginning with `except`. */
bool deps_add_rule(struct strbuf *out, const char *rule_file, const char *except);

/* Adds the list's lines to `out`, each once: the two passes over a file read mostly the same headers. */
void deps_add_once(struct strbuf *out, const char *list);

/* Are all files of the list as they were? */
bool deps_unchanged(const char *list);

/* And have they the same modification times, which clang asks of a precompiled header's files? */
bool deps_untouched(const char *list);

/* Was any of them written after a time (ns since 1970)? */
bool deps_written_since(const char *list, int64_t time);

#endif
