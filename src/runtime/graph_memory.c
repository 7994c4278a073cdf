/* Memory that graphs allocate and free (CUDA C++ programming guide 12, "Graph Memory Nodes").
 *
 * An address is fixed when the node is added, so its bytes are taken from the device then, and are given back when the last
 * graph with that node is gone and nobody uses them. Whether it is used, as the program sees it, changes at the calls that
 * launch and free. */
#include <string.h>

#include "base/alloc.h"
#include "runtime/graph.h"

struct piece {
    uint64_t address, bytes;
    struct runtime_device *device;
    int graphs; /* that have its node */
    bool used;
};

/* Guarded by graph_lock. */
static struct piece *pieces;
static int npieces, pieces_cap;
static struct {
    uint64_t live;                                     /* bytes that are in use */
    uint64_t used, used_high, reserved, reserved_high; /* bytes, as programs are told */
} figures[RUNTIME_DEVICES];

static struct piece *piece_at(uint64_t address)
{
    for (int i = npieces - 1; i >= 0; i--)
        if (pieces[i].address == address)
            return &pieces[i];
    return NULL;
}

/* An H200 takes 32 MiB at a time, counts all of it as used, and keeps it until it is trimmed (driver 580.159.04: tests/truth/
 * graphs). */
enum { PAGE = 32 << 20 };

static uint64_t pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

cudaError_t graph_memory_new(struct runtime_device *d, size_t bytes, uint64_t *address)
{
    heddle_ptr p = 0;
    heddle_status s = heddle_alloc(d->engine, bytes, &p);
    if (s)
        return runtime_error(s);
    ALLOC_GROW(pieces, npieces, pieces_cap);
    pieces[npieces++] = (struct piece){p, bytes, d, 1, false};
    *address = p;
    return cudaSuccess;
}

void graph_memory_share(uint64_t address)
{
    piece_at(address)->graphs++;
}

static void forget(struct piece *p)
{
    *p = pieces[--npieces];
}

void graph_memory_drop(uint64_t address)
{
    struct piece *p = piece_at(address);
    if (--p->graphs || p->used)
        return;
    heddle_free(p->device->engine, p->address);
    forget(p);
}

bool graph_memory_is(uint64_t address)
{
    GRAPHS;
    return piece_at(address) != NULL;
}

bool graph_memory_used(uint64_t address)
{
    GRAPHS;
    const struct piece *p = piece_at(address);
    return p && p->used;
}

bool graph_memory_unused(uint64_t address)
{
    GRAPHS;
    const struct piece *p = piece_at(address);
    return p && !p->used;
}

static void count(int device, uint64_t bytes)
{
    uint64_t now = pages(figures[device].live += bytes);
    if (now > figures[device].used)
        figures[device].used = figures[device].reserved = now;
    if (now > figures[device].used_high)
        figures[device].used_high = now;
    if (now > figures[device].reserved_high)
        figures[device].reserved_high = now;
}

bool graph_memory_take(uint64_t address)
{
    struct piece *p = piece_at(address);
    if (!p || p->used)
        return false;
    p->used = true;
    count(p->device->index, p->bytes);
    return true;
}

bool graph_memory_give(uint64_t address, bool *gone)
{
    GRAPHS;
    struct piece *p = piece_at(address);
    if (!p || !p->used)
        return false;
    p->used = false;
    figures[p->device->index].live -= p->bytes;
    *gone = !p->graphs;
    if (*gone)
        forget(p);
    return true;
}

void graph_memory_reset(const struct runtime_device *d)
{
    for (int i = 0; i < npieces; i++)
        if (pieces[i].device == d)
            pieces[i].used = false;
    memset(&figures[d->index], 0, sizeof figures[d->index]);
}

/* --- figures --- */

static uint64_t *figure(int device, enum cudaGraphMemAttributeType attr)
{
    return attr == cudaGraphMemAttrUsedMemCurrent       ? &figures[device].used
           : attr == cudaGraphMemAttrUsedMemHigh        ? &figures[device].used_high
           : attr == cudaGraphMemAttrReservedMemCurrent ? &figures[device].reserved
           : attr == cudaGraphMemAttrReservedMemHigh    ? &figures[device].reserved_high
                                                        : NULL;
}

cudaError_t graph_memory_ask(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    GRAPHS;
    cudaError_t e;
    if (!runtime_device(device, &e))
        return e;
    const uint64_t *f = figure(device, attr);
    if (!f || !value)
        return cudaErrorInvalidValue;
    memcpy(value, f, sizeof *f);
    return cudaSuccess;
}

cudaError_t graph_memory_set(int device, enum cudaGraphMemAttributeType attr, const void *value)
{
    GRAPHS;
    cudaError_t e;
    if (!runtime_device(device, &e))
        return e;
    bool high = attr == cudaGraphMemAttrUsedMemHigh || attr == cudaGraphMemAttrReservedMemHigh;
    uint64_t v = 1;
    if (value)
        memcpy(&v, value, sizeof v);
    if (!high || v)
        return cudaErrorInvalidValue;
    *figure(device, attr) = *figure(device, attr - 1); /* the current one is the row before */
    return cudaSuccess;
}

cudaError_t graph_memory_trim(int device)
{
    GRAPHS;
    cudaError_t e;
    if (!runtime_device(device, &e))
        return e;
    figures[device].used = figures[device].reserved = pages(figures[device].live);
    return cudaSuccess;
}

/* --- entry points --- */

cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    ENTER(d);
    return runtime_leave(graph_memory_ask(device, attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value)
{
    ENTER(d);
    return runtime_leave(graph_memory_set(device, attr, value));
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    ENTER(d);
    return runtime_leave(graph_memory_trim(device));
}
