/* What a program gives as device code: PTX text, or an image that Heddle made (base/blob.h). */
#ifndef DRIVER_IMAGE_H
#define DRIVER_IMAGE_H

#include "driver/driver.h"

struct image {
    const char *ptx;
    size_t bytes; /* without the NUL behind it */
};

/* Finds the PTX in an image: a text that ends with NUL, a blob, or the wrapper around a blob that clang's host code has.
 * `bytes` is how much there is, 0 when the program did not say. CUDA_ERROR_NO_BINARY_FOR_GPU: machine code of a GPU, or a
 * fat binary of another compiler, which is said once. CUDA_ERROR_INVALID_IMAGE: something else. */
CUresult image_open(const void *image, size_t bytes, struct image *out);

/* Can the device run it? CUDA_ERROR_UNSUPPORTED_PTX_VERSION: newer than any that is known; CUDA_ERROR_INVALID_PTX: made for a
 * higher compute capability. */
CUresult image_check(const struct image *i, const struct runtime_device *d);

/* A whole file, to be released (alloc_release), with a NUL behind it. CUDA_ERROR_FILE_NOT_FOUND. */
CUresult image_read(const char *path, char **text, size_t *bytes);

/* JIT options (CUjit_option) as far as they mean something here: where messages go. */
struct jit {
    char *info, *error;
    size_t info_bytes, error_bytes;
    void **info_used, **error_used; /* where the bytes that were written are told */
    void **wall_time;               /* milliseconds, a float */
    bool verbose;
};
CUresult jit_read(struct jit *j, unsigned n, const CUjit_option *options, void **values);

/* Puts text into the error log; to stderr if there is none. Tells how much of both logs is used. */
void jit_finish(struct jit *j, const char *errors);

#endif
