/* Descriptors' memory as the loops want it: matrices by rows, vectors and scalars in the format that computes.
 *
 * For the turn of a call. What is in the right form is used where it lies, the rest is copied into a scratch, which goes when the
 * call ends. Indices are looked at first: one that leads out of its matrix is the device's fault, by name and place. */
#ifndef CUSPARSE_MATRIX_H
#define CUSPARSE_MATRIX_H

#include "libraries/cusparse/descriptors.h"
#include "libraries/cusparse/kernels.h"

struct scratch {
    void *held[32];
    int n;
};

/* NULL: no memory. Cleared. */
void *scratch_get(struct scratch *s, int64_t bytes);
void scratch_release(struct scratch *s);

/* The batch of the matrix by rows. Values in the format `as`; values may be told to be left out (NULL). Answers what library_fault
 * does, or cudaErrorMemoryAllocation. */
cudaError_t matrix_rows(struct scratch *s, const struct cusparseSpMatDescr *m, int batch, enum compute as, bool with_values, struct csr *out);

/* n elements as `as`: the memory itself where it has that format. NULL: no memory. */
void *array_read(struct scratch *s, const void *values, cudaDataType type, enum compute as, int64_t n);

/* What array_read gave, or an own array of the size, back to where it belongs. */
void array_write(void *computed, void *values, cudaDataType type, enum compute as, int64_t n);

/* A dense matrix's batch as `as`, and back. */
bool dense_read(struct scratch *s, const struct cusparseDnMatDescr *d, int batch, enum compute as, struct dense *out);
void dense_write(const struct dense *computed, const struct cusparseDnMatDescr *d, int batch, enum compute as);
struct dense dense_turned(struct dense d);

/* Indices of a sparse vector from 0 on; fault as above. */
cudaError_t vector_places(struct scratch *s, const struct cusparseSpVecDescr *v, int64_t **at);

/* The i-th index of an array. */
int64_t index_at(const void *array, cusparseIndexType_t type, int64_t i);
void index_put(void *array, cusparseIndexType_t type, int64_t i, int64_t value);

#endif
