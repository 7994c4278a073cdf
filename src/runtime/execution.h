/* Launches as commands, for what puts them into a queue later (graph_nodes.c). */
#ifndef RUNTIME_EXECUTION_H
#define RUNTIME_EXECUTION_H

#include "runtime/module.h"
#include "runtime/queue.h"

struct launch_request {
    const void *func; /* the host's stub */
    struct dim3 grid, block;
    size_t shared; /* bytes, dynamic */
    bool cooperative;
    int priority;
    struct cudaAccessPolicyWindow window;
};

/* CU_LAUNCH_PARAM_END, _BUFFER_POINTER, _BUFFER_SIZE */
#define LAUNCH_PACKED_END ((void *)0)
#define LAUNCH_PACKED_POINTER ((void *)1)
#define LAUNCH_PACKED_SIZE ((void *)2)

/* Does it fit the device? Explains a launch that does not. */
cudaError_t launch_check(const struct runtime_device *d, struct runtime_kernel *k, const struct launch_request *r);

/* One block of memory: pointers to the arguments, then the arguments as the kernel's parameter block has them. */
cudaError_t launch_arguments(const struct runtime_kernel *k, void **args, void ***out);

/* The same of arguments packed as the kernel's parameters lie in memory: {CU_LAUNCH_PARAM_BUFFER_POINTER, p,
 * CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END} of cuLaunchKernel. What they are short of is zero; they may not
 * be longer: cudaErrorLaunchOutOfResources. */
cudaError_t launch_unpack(const struct runtime_kernel *k, void **extra, void ***out, size_t *bytes);

/* The checked launch with a copy of its arguments. */
cudaError_t launch_command(struct runtime_device *d, const struct launch_request *r, void **args, struct command **out);

/* Takes an attribute of cudaLaunchKernelExC, or answers why not. */
cudaError_t launch_attribute(struct launch_request *r, enum cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v);

#endif
