/* Files: whole contents, and atomic writing. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Adds the file's bytes to `out`. False: errno says why. */
bool file_read(const char *path, struct strbuf *out);

/* The same for an open file, from where it stands. */
bool file_read_all(int fd, struct strbuf *out);

/* Writes a file so that others see the old or the new one, never a part: temporary name, then rename. */
bool file_write(const char *path, const void *data, size_t bytes);

/* The folder of the program or library that this code is in, links on the way to it resolved; NULL if that cannot be said. To be
 * released with alloc_release. */
char *file_folder_of(const void *code);

/* Makes a directory and those above it. */
bool file_make_dirs(const char *path);

/* Removes a directory with all that is in it. Links are not followed. */
void file_remove_dir(const char *path);

/* A file for reading and writing that has no name, so that nothing is left of it when nobody has it open: in $TMPDIR (/tmp), or
 * in memory where that cannot be. -1: errno. */
int file_unnamed(void);

/* Adds the path under which any process of this user can open a descriptor of ours, for as long as we have it open. */
void file_add_path(struct strbuf *out, int fd);

#endif
