/* A call of a library as a command has it (see library.h). */
#ifndef RUNTIME_LIBRARY_WORK_H
#define RUNTIME_LIBRARY_WORK_H

#include "runtime/library.h"
#include "runtime/queue.h"

struct library_work {
    struct library_call call; /* its operand and data are copies */
    int refs;                 /* atomic: commands, nodes of graphs */
    int64_t id;               /* number among the launches of the process */
    uint64_t read, written;   /* bytes of the operands; known when its turn has come */
};

struct library_more {
    struct library_operand *operand; /* one after the other: from alloc_resize */
    int n;
};

/* May it run, now that its turn in its stream has come? Under runtime_lock. */
bool library_work_ready(const struct library_work *w);

/* Runs the command; prints faults. */
cudaError_t library_work_run(const struct command *c);

struct library_work *library_work_share(struct library_work *w);
void library_work_release(struct library_work *w);

/* --- library_operands.c --- */

/* The i-th row, or the next that is longer than nothing: false past the last. *row counts from 0 over all batches. */
struct library_rows {
    struct library_operand o; /* rows without gaps are one long row */
    size_t next, batch;       /* row in its batch */
    uint64_t at, bytes;       /* what library_rows_next has found */
};
void library_rows_begin(struct library_rows *r, const struct library_operand *o);
bool library_rows_next(struct library_rows *r);

/* Bytes of all rows; batches that are all the same one count once. */
uint64_t library_operand_bytes(const struct library_operand *o);

/* False: the operand leaves its allocation; *address is the first byte that does, in an access of *bytes from *row on. `mapped`: and
 * a GPU would find nothing there. */
struct library_stray {
    uint64_t row, bytes; /* of the row: its address, its length */
    uint64_t address;    /* the first byte that is wrong */
    bool mapped;         /* a GPU finds some memory there and goes on; false: at `address` it does not */
};
bool library_operand_lies(const struct library_operand *o, struct library_stray *s);

#endif
