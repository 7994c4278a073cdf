/* What the fuzz targets share (fuzz.h). */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_fail(const char *what)
{
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

const char *fuzz_file(const void *data, size_t size)
{
    static char path[64];
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("input", 0);
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        fuzz_fail("cannot write the input to a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}
