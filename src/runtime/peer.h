/* Devices of the process that reach each other's memory. */
#ifndef RUNTIME_PEER_H
#define RUNTIME_PEER_H

#include "runtime/pointer.h"
#include "runtime/queue.h"

/* May kernels of d be allowed the peer's memory? */
bool peer_can_reach(const struct runtime_device *d, const struct runtime_device *peer);

/* cudaDeviceReset: the device reaches no peer any more. */
void peer_reset(struct runtime_device *d);

/* Waits for every device whose kernels may use the allocation. */
void peer_wait_users(const struct pointer *p);

/* A copy between memory of two devices through a default stream begins when both have nothing before it, and what comes later on
 * either waits for it (CUDA C++ programming guide 12, 3.2.9.3 "Peer-to-Peer Memory Copy"). */
void peer_copy_begins(struct stream *s, const struct pointer *to, const struct pointer *from);
void peer_copy_queued(struct stream *s, const struct pointer *to, const struct pointer *from);

#endif
