/* Inside this room: the file of a description. */
#ifndef DEVICE_DESCRIBE_H
#define DEVICE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* A whole file, to be given to alloc_release; NULL and errno when it cannot be read. */
char *describe_file(const char *path, size_t *len);

/* What the GPU calls itself: the figure "name", which each description gives itself. False: there is none to be read. */
bool describe_name(const char *path, struct strbuf *name);

/* The file of the description of this name, on the search path; false: there is none. */
bool describe_find(const char *name, struct strbuf *path);

#endif
