/* What cuSPARSE's calls have in common on their way into the stream: scalars, and the memory that they touch. */
#ifndef CUSPARSE_CALL_H
#define CUSPARSE_CALL_H

#include "libraries/cusparse/matrix.h"

enum { CALL_OPERANDS = 24 };

struct call {
    struct library_operand operand[CALL_OPERANDS];
    int operands;
    const char *function; /* a static text */
    double flops;
    enum library_peak peak;
    void (*more)(void *data, struct library_more *m);         /* NULL, or as in library_call */
    void (*shape)(const void *data, char *text, size_t size); /* likewise */
};

/* alpha or beta: its value when the call is made, or where it will be in device memory. */
struct scalar {
    const void *device; /* NULL: value holds it */
    double value[2];
};

struct scalar scalar_of(cusparseHandle_t handle, const void *p, enum compute c);

/* At the call's turn. */
const void *scalar_at(const struct scalar *s);

/* Is it known to be 0 beforehand? */
bool scalar_is_zero(const struct scalar *s, enum compute c);

/* A scalar of the format that computes. */
const void *scalar_one(enum compute c);
const void *scalar_zero(enum compute c);

/* Adds what the call touches; access: bits of enum library_access. Nothing is added for 0 bytes. */
void call_scalar(struct call *c, const char *name, const struct scalar *s, enum compute as);
void call_array(struct call *c, const char *name, const void *at, int64_t bytes, unsigned access);
void call_matrix(struct call *c, const struct cusparseSpMatDescr *m, unsigned values, bool structure);
void call_dense(struct call *c, const char *name, const struct cusparseDnMatDescr *d, unsigned access);

/* "13 x 9, 40 values": for a shape. */
int call_shape(const struct cusparseSpMatDescr *m, char *text, size_t size);

/* Puts it into the handle's stream. `data` is copied; release as in library_call. */
cusparseStatus_t call_put(struct call *c, cusparseHandle_t handle, cudaError_t (*run)(void *), const void *data, size_t bytes, bool wait);

#endif
