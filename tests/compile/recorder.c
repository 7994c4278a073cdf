/* A stand-in for libheddle.so: prints on stdout what the host code that clang made asks of the runtime, in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blob.h"
#include "cuda_runtime_api.h"

static struct dim3 grid, block;
static size_t shared;

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct {
        int magic, version;
        const struct blob_header *data;
        void *unused;
    } *w = wrapper;
    const char *ptx = (const char *)(w->data + 1);
    int good = w->magic == 0x466243b1 && w->version == 1 &&
               memcmp(w->data->magic, BLOB_MAGIC, 8) == 0 && w->data->version == BLOB_VERSION &&
               strlen(ptx) == w->data->ptx_bytes;
    printf("module %s arch %u\n", good ? "good" : "BAD", w->data->arch);
    const char *entry = good ? strstr(ptx, ".entry") : NULL;
    for (; entry; entry = strstr(entry + 1, ".entry"))
        printf("entry %.*s\n", (int)strcspn(entry + 7, "("), entry + 7);
    return calloc(1, sizeof(void *));
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    free(handle);
}

int __cudaRegisterFunction(void **handle, const char *stub, char *fun, const char *name, int limit,
                           void *tid, void *bid, void *bdim, void *gdim, int *wsize)
{
    (void)handle, (void)stub, (void)fun, (void)limit, (void)tid, (void)bid, (void)bdim, (void)gdim,
        (void)wsize;
    printf("kernel %s\n", name);
    return 0;
}

void __cudaRegisterVar(void **handle, char *shadow, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)shadow, (void)address, (void)ext, (void)global;
    printf("variable %s bytes %zu constant %d\n", name, size, constant);
}

unsigned int __cudaPushCallConfiguration(struct dim3 g, struct dim3 b, size_t s, void *stream)
{
    (void)stream;
    grid = g, block = b, shared = s;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3 *g, struct dim3 *b, size_t *s, void *stream)
{
    *g = grid, *b = block, *s = shared;
    *(void **)stream = NULL;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *func, struct dim3 g, struct dim3 b, void **args,
                             size_t bytes, cudaStream_t stream)
{
    (void)func, (void)args, (void)stream;
    printf("launch grid %u %u block %u shared %zu\n", g.x, g.y, b.x, bytes);
    return cudaSuccess;
}
