/* Communicators: making, splitting, asking, ending.
 *
 * Making one waits for all its ranks. Within ncclGroupStart and ncclGroupEnd those that one thread makes for several ranks come
 * along together, step by step (making.h): each step waits at most for what the step before has done for all of them. */
#include "libraries/nccl/making.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/library.h"

ncclResult_t comm_check(ncclComm_t comm)
{
    return comm && comm->magic == COMM_MAGIC ? ncclSuccess : nccl_fail(ncclInvalidArgument, "the communicator is none, or was destroyed");
}

ncclResult_t comm_call(ncclComm_t comm, const struct library_call *c, cudaStream_t stream)
{
    int before = -1;
    cudaError_t e = cudaGetDevice(&before);
    e = e ? e : cudaSetDevice(comm->device);
    cudaError_t called = library_call(stream, c, false);
    if (before >= 0)
        cudaSetDevice(before);
    e = e ? e : called;
    if (e)
        comm->error = ncclUnhandledCudaError;
    return e ? nccl_fail(ncclUnhandledCudaError, "%s: %s", c->function, cudaGetErrorString(e)) : ncclSuccess;
}

/* --- making --- */

static ncclResult_t begin_split(struct making *m)
{
    struct shared *s = m->parent->group->shared;
    struct split_place *mine = &s->split[m->parent->rank];
    uint32_t past = m->parent->splits * (uint32_t)m->parent->group->nranks;
    for (uint32_t n = atomic_load(&s->split_read); n < past; n = atomic_load(&s->split_read)) /* the last one's places are in use */
        if (!group_wait_word(m->parent->group, &s->split_read, n))
            return ncclRemoteError;
    mine->color = m->color;
    mine->key = m->key;
    m->number = ++m->parent->splits;
    group_set(&mine->written, m->number);
    return ncclSuccess;
}

/* The new rank: how many of the colour have a lower key, or the same one and a lower rank. The first of them makes the id. */
static ncclResult_t number_split(struct making *m)
{
    struct group *g = m->parent->group;
    m->nranks = m->rank = 0;
    for (int i = 0; i < g->nranks; i++) {
        struct split_place *p = &g->shared->split[i];
        for (uint32_t n = atomic_load(&p->written); n < m->number; n = atomic_load(&p->written))
            if (!group_wait_word(g, &p->written, n))
                return ncclRemoteError;
        if (p->color != m->color)
            continue;
        m->nranks++;
        m->rank += p->key < m->key || (p->key == m->key && i < m->parent->rank);
        if (m->leader < 0 || p->key < g->shared->split[m->leader].key)
            m->leader = i;
    }
    if (m->color == NCCL_SPLIT_NOCOLOR || m->leader != m->parent->rank)
        return ncclSuccess;
    ncclResult_t r = group_new_id(&g->shared->split[m->leader].id);
    group_set(&g->shared->split[m->leader].led, m->number);
    return r;
}

static ncclResult_t read_split(struct making *m)
{
    struct group *g = m->parent->group;
    struct split_place *p = &g->shared->split[m->color == NCCL_SPLIT_NOCOLOR ? m->parent->rank : m->leader];
    for (uint32_t n = atomic_load(&p->led); m->color != NCCL_SPLIT_NOCOLOR && n < m->number; n = atomic_load(&p->led))
        if (!group_wait_word(g, &p->led, n))
            return ncclRemoteError;
    m->id = p->id;
    group_ring(&g->shared->split_read);
    return ncclSuccess;
}

static ncclResult_t join(struct making *m)
{
    const char *why;
    ncclResult_t r = group_join(&m->id, m->nranks, m->rank, &m->comm->group, &why);
    m->comm->rank = m->rank;
    return r ? nccl_fail(r, "rank %d of %d: %s", m->rank, m->nranks, why) : ncclSuccess;
}

static ncclResult_t meet(struct making *m)
{
    ncclResult_t r = group_wait_all(m->comm->group);
    if (!r) {
        m->comm->magic = COMM_MAGIC;
        *m->out = m->comm;
    }
    return r;
}

ncclResult_t making_step(struct making *m, int step)
{
    switch (step) {
    case 0:
        return m->parent ? begin_split(m) : ncclSuccess;
    case 1:
        return m->parent ? number_split(m) : ncclSuccess;
    case 2:
        return m->parent ? read_split(m) : ncclSuccess;
    case 3:
        return m->comm ? join(m) : ncclSuccess;
    default:
        return m->comm ? meet(m) : ncclSuccess;
    }
}

void making_fail(struct making *m)
{
    if (m->comm && m->comm->group)
        group_release(m->comm->group);
    free(m->comm);
}

static ncclResult_t new_comm(struct making *m, ncclComm_t *out)
{
    m->out = out;
    m->comm = calloc(1, sizeof *m->comm);
    if (!m->comm)
        return nccl_fail(ncclSystemError, "a communicator: out of memory");
    cudaError_t e = cudaGetDevice(&m->comm->device);
    if (e) {
        free(m->comm);
        return nccl_fail(ncclUnhandledCudaError, "a communicator: %s", cudaGetErrorString(e));
    }
    return ncclSuccess;
}

ncclResult_t ncclGetVersion(int *version)
{
    if (!version)
        return nccl_fail(ncclInvalidArgument, "ncclGetVersion: no place for the answer");
    *version = NCCL_VERSION_CODE;
    return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId)
{
    return uniqueId ? group_new_id(uniqueId) : nccl_fail(ncclInvalidArgument, "ncclGetUniqueId: no place for the answer");
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *config)
{
    struct making m = {.id = commId, .nranks = nranks, .rank = rank};
    if (!comm || nranks < 1 || rank < 0 || rank >= nranks || (config && config->magic != 0xcafebeef))
        return nccl_fail(ncclInvalidArgument, "ncclCommInitRank: rank %d of %d", rank, nranks);
    if (nranks > GROUP_RANKS)
        return nccl_fail(ncclInvalidUsage, "ncclCommInitRank: %d ranks: at most %d", nranks, GROUP_RANKS);
    *comm = NULL;
    ncclResult_t r = new_comm(&m, comm);
    return r ? r : making_begin(&m);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank)
{
    return ncclCommInitRankConfig(comm, nranks, commId, rank, NULL);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t *newcomm, int nranks, int myrank, int nId, ncclUniqueId *commIds, ncclConfig_t *config)
{
    if (nId < 1 || !commIds)
        return nccl_fail(ncclInvalidArgument, "ncclCommInitRankScalable: %d ids", nId);
    return ncclCommInitRankConfig(newcomm, nranks, commIds[0], myrank, config);
}

/* Two ranks on one device would be an error, too, as with NCCL. */
static bool are_devices(const int *devlist, int n)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) || n < 1 || (!devlist && n > count))
        return false;
    for (int i = 0; devlist && i < n; i++) {
        if (devlist[i] < 0 || devlist[i] >= count)
            return false;
        for (int k = 0; k < i; k++)
            if (devlist[k] == devlist[i])
                return false;
    }
    return true;
}

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist)
{
    ncclUniqueId id;
    int before = 0;
    if (!comm || !are_devices(devlist, ndev))
        return nccl_fail(ncclInvalidArgument, "ncclCommInitAll: %d devices that are not all there, or not different", ndev);
    ncclResult_t r = group_new_id(&id);
    if (r)
        return r;
    cudaGetDevice(&before);
    ncclGroupStart();
    for (int i = 0; i < ndev && !r; i++) {
        cudaSetDevice(devlist ? devlist[i] : i);
        r = ncclCommInitRank(&comm[i], ndev, id, i);
    }
    ncclResult_t end = ncclGroupEnd();
    cudaSetDevice(before);
    return r ? r : end;
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *newcomm, ncclConfig_t *config)
{
    ncclResult_t r = comm_check(comm);
    struct making m = {.parent = comm, .color = color, .key = key, .leader = -1};
    if (r || !newcomm || (color < 0 && color != NCCL_SPLIT_NOCOLOR) || (config && config->magic != 0xcafebeef))
        return r ? r : nccl_fail(ncclInvalidArgument, "ncclCommSplit: colour %d", color);
    *newcomm = NULL;
    if (color != NCCL_SPLIT_NOCOLOR && (r = new_comm(&m, newcomm)))
        return r;
    if (m.comm)
        m.comm->device = comm->device;
    return making_begin(&m);
}

/* --- ending --- */

static ncclResult_t end(ncclComm_t comm)
{
    comm->magic = 0;
    group_release(comm->group);
    free(comm->ops);
    free(comm);
    return ncclSuccess;
}

/* Calls that are queued keep what they need. */
ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    ncclResult_t r = comm ? comm_check(comm) : ncclSuccess;
    return r || !comm ? r : end(comm);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
    return comm_check(comm);
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    ncclResult_t r = comm ? comm_check(comm) : ncclSuccess;
    if (r || !comm)
        return r;
    pthread_mutex_lock(&group_lock);
    bool waits = comm->group->first || comm->group->posted;
    pthread_mutex_unlock(&group_lock);
    if (waits)
        group_fail(comm->group);
    return end(comm);
}

/* --- asking --- */

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
    ncclResult_t r = comm_check(comm);
    if (r || !asyncError)
        return r ? r : nccl_fail(ncclInvalidArgument, "ncclCommGetAsyncError: no place for the answer");
    *asyncError = group_failed(comm->group) ? ncclRemoteError : comm->error;
    return ncclSuccess;
}

static ncclResult_t answer(ncclComm_t comm, int *place, int (*value)(ncclComm_t comm))
{
    ncclResult_t r = comm_check(comm);
    if (!r && !place)
        return nccl_fail(ncclInvalidArgument, "a question about a communicator: no place for the answer");
    if (!r)
        *place = value(comm);
    return r;
}

static int count_of(ncclComm_t comm)
{
    return comm->group->nranks;
}

static int device_of(ncclComm_t comm)
{
    return comm->device;
}

static int rank_of(ncclComm_t comm)
{
    return comm->rank;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int *count)
{
    return answer(comm, count, count_of);
}

ncclResult_t ncclCommCuDevice(const ncclComm_t comm, int *device)
{
    return answer(comm, device, device_of);
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank)
{
    return answer(comm, rank, rank_of);
}

const char *ncclGetErrorString(ncclResult_t result)
{
    static const char *const text[] = {"no error", "a CUDA call failed", "a system call failed", "internal error", "invalid argument",
                                       "invalid usage", "another rank's process has ended or failed", "in progress"};
    return (unsigned)result < ncclNumResults ? text[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm)
{
    (void)comm;
    return nccl_last_error();
}

void ncclResetDebugInit(void)
{
}

/* --- memory --- */

/* Every allocation serves as it is. */
ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buff, size_t size, void **handle)
{
    ncclResult_t r = comm_check(comm);
    if (r || !handle || !buff || !size)
        return r ? r : nccl_fail(ncclInvalidArgument, "ncclCommRegister: nothing to register");
    *handle = buff;
    return ncclSuccess;
}

ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle)
{
    (void)handle;
    return comm_check(comm);
}

ncclResult_t ncclMemAlloc(void **ptr, size_t size)
{
    cudaError_t e = cudaMalloc(ptr, size);
    return e ? nccl_fail(ncclUnhandledCudaError, "ncclMemAlloc: %s", cudaGetErrorString(e)) : ncclSuccess;
}

ncclResult_t ncclMemFree(void *ptr)
{
    cudaError_t e = cudaFree(ptr);
    return e ? nccl_fail(ncclUnhandledCudaError, "ncclMemFree: %s", cudaGetErrorString(e)) : ncclSuccess;
}
