/* Inside this room: the file of a description and its JSON. */
#ifndef DEVICE_DESCRIBE_H
#define DEVICE_DESCRIBE_H

#include <stddef.h>

/* A whole file, to be given to alloc_release; NULL and errno when it cannot be read. */
char *describe_file(const char *path, size_t *len);

#endif
