/* Sources that clang reads in another form than the user wrote them (launches.h, device_launches.h): files in a temporary folder
 * that take their places, so that messages name the user's. */
#ifndef COMPILE_MENDED_H
#define COMPILE_MENDED_H

#include <stdbool.h>

#include "compile/clang.h"

struct mended {
    const char *source;                /* the user's file */
    const char *device, *host;         /* what each pass reads; NULL: as it is */
};

struct mended_files {
    struct mended *files; /* in the arena */
    int n, cap;
    bool device_launches; /* kernels launch kernels */
};

/* Looks at a source and, where its device code is relocatable, at what it includes in quotes, and writes what clang is to read
 * into the folder `temp`, under names with `number`. False with an error: a file cannot be read or written. */
bool mend_files(const struct compile_options *o, const char *source, const char *temp, int number, struct arena *a,
                struct mended_files *out, struct diag_list *diags);

/* The words that give them to a pass. */
void mended_words(const struct mended_files *m, enum pass pass, struct arena *a, struct words *w);

#endif
