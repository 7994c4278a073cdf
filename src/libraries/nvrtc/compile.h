/* One compilation: a program's text and headers by way of `heddle build -ptx`. */
#ifndef NVRTC_COMPILE_H
#define NVRTC_COMPILE_H

#include "options.h"

struct source {
    const char *text, *name;
    struct list headers, includes; /* texts, and the names that they are included by */
    struct list expressions;       /* names to be lowered */
};

enum compiled { COMPILED, COMPILED_WITH_ERRORS, NOT_COMPILED /* no compiler, no memory, no temporary directory */ };

/* ptx, and for each expression its name in it; messages, in nvcc's form, in the log. */
enum compiled compile(const struct source *s, const struct options *o, struct text *ptx, struct list *lowered, struct text *log);

/* The PTX with a limit for the registers of a thread in each kernel that has no launch bounds; 0: without. */
void compile_limit_registers(const struct text *ptx, int limit, struct text *image);

#endif
