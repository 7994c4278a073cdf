/* What a pointer of the program points to. */
#ifndef RUNTIME_POINTER_H
#define RUNTIME_POINTER_H

#include "runtime/runtime.h"

enum pointer_kind {
    POINTER_HOST,       /* ordinary host memory, as far as we know */
    POINTER_REGISTERED, /* host memory given to cudaHostRegister: host and kernels */
    POINTER_PINNED,     /* cudaMallocHost, cudaHostAlloc: host and kernels */
    POINTER_MANAGED,    /* cudaMallocManaged, managed variables: host and kernels */
    POINTER_DEVICE,     /* cudaMalloc, device variables: kernels only */
    POINTER_NOTHING     /* an address of the device's range where nothing is allocated */
};

struct pointer {
    enum pointer_kind kind;
    struct runtime_device *device; /* in whose range it lies; NULL: HOST, REGISTERED, NOTHING, managed variables */
    uint64_t address;
    uint64_t base, bytes; /* of the allocation; HOST: 0 and SIZE_MAX */
    bool variable;        /* DEVICE, MANAGED: not from cudaMalloc or cudaMallocManaged */
};

struct pointer pointer_look(const void *p);

/* The open device in whose range an address lies, allocated or not; NULL: none. */
struct runtime_device *pointer_device(uint64_t address);

/* True when [p, p + bytes) lies within the allocation. */
bool pointer_spans(const struct pointer *p, size_t bytes);

/* Says in words what it is, for a call that cannot use it (checking_why): "WHAT 0x... is host memory". */
void pointer_why(const struct pointer *p, const char *what, size_t bytes);

/* True when host code may touch it; when kernels may. */
bool pointer_for_host(const struct pointer *p);
bool pointer_for_device(const struct pointer *p);

#endif
