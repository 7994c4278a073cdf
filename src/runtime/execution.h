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

/* Does it fit the device? Explains a launch that does not. */
cudaError_t launch_check(const struct runtime_device *d, struct runtime_kernel *k, const struct launch_request *r);

/* One block of memory: pointers to the arguments, then the arguments as the kernel's parameter block has them. */
cudaError_t launch_arguments(const struct runtime_kernel *k, void **args, void ***out);

/* The checked launch with a copy of its arguments. */
cudaError_t launch_command(struct runtime_device *d, const struct launch_request *r, void **args, struct command **out);

/* Takes an attribute of cudaLaunchKernelExC, or answers why not. */
cudaError_t launch_attribute(struct launch_request *r, enum cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v);

#endif
