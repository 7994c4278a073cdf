/* A call of a routine of BLAS or LAPACK on device memory: parameters described one by one are checked, become operands (runtime/library.h), and
 * are passed to the host's routine in its order. Elements of other types than it computes in are converted on the way in and out. */
#ifndef LINEAR_CALL_H
#define LINEAR_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "library_types.h"
#include "libraries/linear/host.h"
#include "runtime/library.h"

enum linear_kind {
    LINEAR_LETTER,     /* value is the place of the letter in `letters` */
    LINEAR_SIZE,       /* value */
    LINEAR_BATCH,      /* value: how many; not passed on */
    LINEAR_FACTOR,     /* count numbers, read; by the pointer mode, as the next three */
    LINEAR_SCALAR,     /* count numbers, read and written */
    LINEAR_RESULT,     /* what a function answers */
    LINEAR_INDEX,      /* the same as an int of value bytes */
    LINEAR_ARRAY,
    LINEAR_ALSO,       /* an array that is an operand once more, in another way; not passed on */
    LINEAR_INTEGERS,   /* count ints for each of a batch */
    LINEAR_JOB,        /* value is a letter, one of `letters` */
    LINEAR_ROOM,       /* where a size of `value` bytes goes; not passed on */
    LINEAR_INFO,       /* an int for each of a batch; value: one for all */
    LINEAR_HOST_INFO,  /* an int on the host: whether the parameters are good */
    LINEAR_EXECUTION,  /* value: the type that is computed in; count: the library's word for it; not passed on */
    LINEAR_HINT,       /* changes nothing; not passed on */
};

enum linear_access { LINEAR_IN = LIBRARY_READ, LINEAR_OUT = LIBRARY_WRITE, LINEAR_IO = 3, LINEAR_UPDATE = 7 };
enum linear_form { LINEAR_VECTOR, LINEAR_MATRIX, LINEAR_PACKED };
enum linear_shape { LINEAR_FULL, LINEAR_UPPER, LINEAR_LOWER, LINEAR_BAND };
enum linear_batches { LINEAR_ONE, LINEAR_POINTERS, LINEAR_STRIDED };

struct linear_argument {
    enum linear_kind kind;
    const char *name, *letters;
    int64_t value;        /* also the increment of a vector, the leading dimension of a matrix */
    const void *at;
    cudaDataType type;    /* of numbers */
    bool real, computed;  /* real whatever is computed in; of the type that is computed in, whatever `type` says */
    bool optional;        /* of a LINEAR_INFO: NULL is none */
    int64_t count;
    enum linear_form form;
    unsigned access;
    int64_t rows, cols;   /* of the array */
    enum linear_shape shape;
    bool unit;            /* of a triangle: the diagonal is ones, whatever is there */
    int64_t below, above, height; /* of a band: diagonals below and above the main one, rows of the matrix */
    enum linear_batches batches;
    int64_t stride;       /* elements */
    double number[5][2];  /* the factor or scalar on its way */
};

struct linear_routine {
    const char *function; /* "cublasSgemm" */
    const char *name;     /* "gemm" */
    enum linear_naming { LINEAR_PLAIN, LINEAR_I, LINEAR_NORM, LINEAR_REAL, LINEAR_EX } naming; /* where the letter stands */
    cudaDataType type;    /* that it computes in, if no argument says so */
    double multiplications, additions;
};

/* Who calls: the library's name, the stream, where factors and results are; tf32: products may be of rounded numbers. */
struct linear_context {
    const char *library;
    cudaStream_t stream;
    bool on_device, tf32;
};

enum linear_status { LINEAR_DONE, LINEAR_INVALID, LINEAR_UNSUPPORTED, LINEAR_NO_LIBRARY, LINEAR_FAILED };

/* Puts the call into the stream. A result in host memory is there when it returns. n arguments, LINEAR_MOST at most. */
enum { LINEAR_MOST = 18 };
enum linear_status linear_call(const struct linear_context *c, const struct linear_routine *r, const struct linear_argument *a, int n);

/* Only whether the arguments are good. */
enum linear_status linear_check(const struct linear_context *c, const struct linear_routine *r, const struct linear_argument *a, int n);

/* Our own routines beside the host's, by letter and name: pointers in the order of the arguments. NULL: none. */
typedef void (*own_routine)(void **a);
own_routine own_find(char letter, const char *name);

#endif
