/* Peer device memory access (CUDA Runtime API reference, chapter of that name).
 *
 * All devices of a process lie in one range of addresses at one distance from the engine's view (space/space.h), so a peer's
 * memory needs no mapping: it is allowed or not. Which devices can be peers: those of one compute capability with unified
 * addressing (2.0 and later); two boards of one kind are taken to be joined by NVLink, which carries atomics. */
#include "runtime/peer.h"

#include "device/device.h"
#include "space/space.h"

bool peer_can_reach(const struct runtime_device *d, const struct runtime_device *peer)
{
    return d != peer && d->spec->unified_addressing && d->spec->cc_major >= 2 && d->spec->cc_major == peer->spec->cc_major &&
           d->spec->cc_minor == peer->spec->cc_minor;
}

/* Both devices, open; else the error. */
static cudaError_t find_two(int device, int peer, struct runtime_device **d, struct runtime_device **p)
{
    cudaError_t e;
    *d = runtime_device(device, &e);
    *p = *d ? runtime_device(peer, &e) : NULL;
    return *p ? cudaSuccess : e;
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    struct runtime_device *d, *p;
    if (!canAccessPeer)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = find_two(device, peerDevice, &d, &p);
    if (!e)
        *canAccessPeer = peer_can_reach(d, p);
    return runtime_leave(e);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    ENTER(d);
    cudaError_t e = flags ? cudaErrorInvalidValue : cudaSuccess;
    struct runtime_device *p = e ? NULL : runtime_device(peerDevice, &e);
    if (!p || p == d)
        return runtime_leave(e ? e : cudaErrorInvalidDevice);
    if (!peer_can_reach(d, p))
        return runtime_leave(cudaErrorPeerAccessUnsupported);
    if (space_lets(d->space, p->space, SPACE_BY_PEER))
        return runtime_leave(cudaErrorPeerAccessAlreadyEnabled);
    space_let(d->space, p->space, SPACE_BY_PEER, true);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    ENTER(d);
    cudaError_t e;
    struct runtime_device *p = runtime_device(peerDevice, &e);
    if (!p)
        return runtime_leave(e);
    if (p == d)
        return runtime_leave(cudaErrorInvalidDevice);
    if (!space_lets(d->space, p->space, SPACE_BY_PEER))
        return runtime_leave(cudaErrorPeerAccessNotEnabled);
    queue_wait_device(d); /* a kernel may be using it */
    space_let(d->space, p->space, SPACE_BY_PEER, false);
    return cudaSuccess;
}

/* Rank 0: all pairs are joined alike. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice)
{
    struct runtime_device *d, *p;
    if (!value || attr < cudaDevP2PAttrPerformanceRank || attr > cudaDevP2PAttrCudaArrayAccessSupported)
        return runtime_leave(cudaErrorInvalidValue);
    cudaError_t e = find_two(srcDevice, dstDevice, &d, &p);
    if (e || d == p)
        return runtime_leave(e ? e : cudaErrorInvalidDevice);
    *value = attr != cudaDevP2PAttrPerformanceRank && peer_can_reach(d, p);
    return cudaSuccess;
}

void peer_reset(struct runtime_device *d)
{
    for (int i = 0; i < RUNTIME_DEVICES; i++)
        if (runtime_device_if_open(i) && i != d->index)
            space_let(d->space, runtime_device_if_open(i)->space, SPACE_BY_PEER, false);
}

void peer_wait_users(const struct pointer *p)
{
    for (int i = 0; i < RUNTIME_DEVICES; i++) {
        struct runtime_device *d = runtime_device_if_open(i);
        if (d && (p->kind != POINTER_DEVICE || space_reach(d->space, p->address) == p->device->space))
            queue_wait_device(d);
    }
}

/* --- copies --- */

/* The default stream of the side's device, where it is another one than the copy's own; NULL: the stream's order is enough. */
static struct stream *other_default(const struct stream *s, const struct pointer *side)
{
    return s->legacy && side->kind == POINTER_DEVICE && side->device != s->device ? stream_legacy(side->device) : NULL;
}

static bool between_devices(const struct pointer *to, const struct pointer *from)
{
    return to->kind == POINTER_DEVICE && from->kind == POINTER_DEVICE && to->device != from->device;
}

void peer_copy_begins(struct stream *s, const struct pointer *to, const struct pointer *from)
{
    const struct pointer *side[] = {to, from};
    for (int i = 0; i < 2 && between_devices(to, from); i++) {
        struct stream *other = other_default(s, side[i]);
        struct ticket *t = other ? queue_put(other, command_new(COMMAND_RECORD)) : NULL;
        if (t)
            stream_wait(s, t);
        ticket_release(t);
    }
}

void peer_copy_queued(struct stream *s, const struct pointer *to, const struct pointer *from)
{
    const struct pointer *side[] = {to, from};
    for (int i = 0; i < 2 && between_devices(to, from); i++) {
        struct stream *other = other_default(s, side[i]);
        struct ticket *t = other ? stream_latest(s) : NULL;
        if (t)
            stream_wait(other, t);
        ticket_release(t);
    }
}
