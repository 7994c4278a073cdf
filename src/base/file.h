/* Files: whole contents, atomic writing, and where kept things lie. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Adds the file's bytes to `out`. False: errno says why. */
bool file_read(const char *path, struct strbuf *out);

/* Writes a file so that others see the old or the new one, never a part: temporary name, then rename. */
bool file_write(const char *path, const void *data, size_t bytes);

/* Makes a directory and those above it. */
bool file_make_dirs(const char *path);

/* Adds the path of the cache's folder, which need not be there: $HEDDLE_CACHE, else $XDG_CACHE_HOME/heddle, else
 * ~/.cache/heddle. False: none of these is set. */
bool file_cache_folder(struct strbuf *out);

#endif
