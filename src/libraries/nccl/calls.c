/* What programs call: arguments looked at, then put into the stream, or kept until the thread's group of calls ends.
 *
 * A group (ncclGroupStart, ncclGroupEnd; they nest) makes the communicators that were asked for, then puts its collectives into their
 * streams, in order, then its messages: those of one communicator and one stream as one call, so that sends do not wait for the
 * receives behind them. Collectives alone would not need groups here: no call waits. */
#include "libraries/nccl/making.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/library.h"

/* A call of a group. */
struct kept {
    ncclComm_t comm;
    cudaStream_t stream;
    bool message, put;
    union {
        struct collective_call collective;
        struct message_call sent;
    };
};

static _Thread_local struct calls {
    int depth;
    struct making *making;
    struct kept *kept;
    int nmaking, nkept;
    ncclResult_t error; /* the first */
} calls;

/* --- groups --- */

static ncclResult_t make_all(struct making *m, int n)
{
    ncclResult_t r = ncclSuccess;
    for (int step = 0; step < MAKING_STEPS && !r; step++)
        for (int i = 0; i < n && !r; i++)
            r = making_step(&m[i], step);
    for (int i = 0; i < n && r; i++)
        making_fail(&m[i]);
    return r;
}

/* One more element. False: no memory. */
static bool grow(void **list, int n, size_t size)
{
    void *more = realloc(*list, ((size_t)n + 1) * size);
    *list = more ? more : *list;
    return more;
}

ncclResult_t making_begin(const struct making *m)
{
    struct making now = *m;
    if (!calls.depth)
        return make_all(&now, 1);
    if (!grow((void **)&calls.making, calls.nmaking, sizeof *m)) {
        making_fail(&now);
        return calls.error = nccl_fail(ncclSystemError, "ncclGroupStart: out of memory");
    }
    calls.making[calls.nmaking++] = now;
    return ncclSuccess;
}

/* The messages of one communicator and stream, from the i-th call on. */
static ncclResult_t put_messages(struct kept *k, int n)
{
    struct message_call *m = calloc((size_t)n, sizeof *m);
    int count = 0;
    if (!m)
        return nccl_fail(ncclSystemError, "ncclGroupEnd: out of memory");
    for (int i = 0; i < n; i++)
        if (k[i].message && !k[i].put && k[i].comm == k->comm && k[i].stream == k->stream) {
            m[count++] = k[i].sent;
            k[i].put = true;
        }
    ncclComm_t comm = k->comm;
    ncclResult_t r = comm_check(comm);
    r = r ? r : message_put(comm, m, count, k->stream);
    free(m);
    return r;
}

static ncclResult_t put_all(struct kept *k, int n)
{
    ncclResult_t r = ncclSuccess;
    for (int i = 0; i < n && !r; i++)
        if (!k[i].message)
            r = collective_put(k[i].comm, &k[i].collective, k[i].stream);
    for (int i = 0; i < n && !r; i++)
        if (k[i].message && !k[i].put)
            r = put_messages(&k[i], n - i);
    return r;
}

ncclResult_t ncclGroupStart(void)
{
    calls.depth++;
    return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
    if (!calls.depth)
        return nccl_fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
    if (--calls.depth)
        return ncclSuccess;
    struct calls all = calls;
    calls = (struct calls){0};
    ncclResult_t r = all.error;
    for (int i = 0; i < all.nmaking && r; i++)
        making_fail(&all.making[i]);
    r = r ? r : make_all(all.making, all.nmaking);
    r = r ? r : put_all(all.kept, all.nkept);
    free(all.making);
    free(all.kept);
    return r;
}

/* --- calls --- */

static ncclResult_t keep(const struct kept *k)
{
    if (!calls.depth) {
        struct kept now = *k;
        return put_all(&now, 1);
    }
    if (!grow((void **)&calls.kept, calls.nkept, sizeof *k))
        return nccl_fail(ncclSystemError, "ncclGroupStart: out of memory");
    calls.kept[calls.nkept++] = *k;
    return ncclSuccess;
}

/* An error in a group is the group's, too. */
static ncclResult_t told(ncclResult_t r)
{
    if (r && calls.depth && !calls.error)
        calls.error = r;
    return r;
}

static bool is_op(ncclComm_t comm, ncclRedOp_t op, ncclDataType_t type)
{
    int own = (int)op - ncclNumOps;
    return (int)op >= 0 && (own < 0 || (own < comm->nops && comm->ops[own].used && comm->ops[own].type == type));
}

static ncclResult_t check(ncclComm_t comm, const struct collective_call *c, const char *name)
{
    ncclResult_t r = comm_check(comm);
    if (r)
        return r;
    if (!reduce_size(c->type))
        return nccl_fail(ncclInvalidArgument, "%s: %d is no data type", name, (int)c->type);
    if (!is_op(comm, c->op, c->type))
        return nccl_fail(ncclInvalidArgument, "%s: %d is no operation on this type", name, (int)c->op);
    if (c->root < 0 || c->root >= comm->group->nranks)
        return nccl_fail(ncclInvalidArgument, "%s: no rank %d: there are %d", name, c->root, comm->group->nranks);
    return c->count && !c->send && !c->recv ? nccl_fail(ncclInvalidArgument, "%s: no buffer", name) : ncclSuccess;
}

static ncclResult_t collective(ncclComm_t comm, cudaStream_t stream, struct collective_call c, const char *name)
{
    ncclResult_t r = check(comm, &c, name);
    return told(r ? r : keep(&(struct kept){.comm = comm, .stream = stream, .collective = c}));
}

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_REDUCE, sendbuff, recvbuff, count, datatype, op, root}, "ncclReduce");
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                           cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_BROADCAST, sendbuff, recvbuff, count, datatype, ncclSum, root}, "ncclBroadcast");
}

ncclResult_t ncclBcast(void *buff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm, cudaStream_t stream)
{
    return ncclBroadcast(buff, buff, count, datatype, root, comm, stream);
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_ALL_REDUCE, sendbuff, recvbuff, count, datatype, op, 0}, "ncclAllReduce");
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount, ncclDataType_t datatype, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_REDUCE_SCATTER, sendbuff, recvbuff, recvcount, datatype, op, 0}, "ncclReduceScatter");
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount, ncclDataType_t datatype, ncclComm_t comm,
                           cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_ALL_GATHER, sendbuff, recvbuff, sendcount, datatype, ncclSum, 0}, "ncclAllGather");
}

ncclResult_t ncclAlltoAll(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclComm_t comm,
                          cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_ALL_TO_ALL, sendbuff, recvbuff, count, datatype, ncclSum, 0}, "ncclAlltoAll");
}

ncclResult_t ncclGather(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                        cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_GATHER, sendbuff, recvbuff, count, datatype, ncclSum, root}, "ncclGather");
}

ncclResult_t ncclScatter(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
                         cudaStream_t stream)
{
    return collective(comm, stream, (struct collective_call){COLLECTIVE_SCATTER, sendbuff, recvbuff, count, datatype, ncclSum, root}, "ncclScatter");
}

static ncclResult_t message(bool sends, void *buffer, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
    const char *name = sends ? "ncclSend" : "ncclRecv";
    ncclResult_t r = comm_check(comm);
    if (!r && (!reduce_size(type) || peer < 0 || peer >= comm->group->nranks || (count && !buffer)))
        r = nccl_fail(ncclInvalidArgument, "%s: %zu elements of type %d, rank %d of %d", name, count, (int)type, peer, comm->group->nranks);
    if (!r && peer == comm->rank && !calls.depth)
        r = nccl_fail(ncclInvalidUsage, "%s: a rank's message to itself needs ncclGroupStart", name);
    if (r)
        return told(r);
    const struct message_call m = {sends, buffer, count * reduce_size(type), peer};
    return told(keep(&(struct kept){.comm = comm, .stream = stream, .message = true, .sent = m}));
}

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, cudaStream_t stream)
{
    return message(true, (void *)sendbuff, count, datatype, peer, comm, stream);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm, cudaStream_t stream)
{
    return message(false, recvbuff, count, datatype, peer, comm, stream);
}

/* --- operations of the program's --- */

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t datatype, ncclScalarResidence_t residence,
                                      ncclComm_t comm)
{
    ncclResult_t r = comm_check(comm);
    if (r || !op || !scalar || !reduce_size(datatype) || (unsigned)residence > ncclScalarHostImmediate)
        return r ? r : nccl_fail(ncclInvalidArgument, "ncclRedOpCreatePreMulSum: a scalar of type %d", (int)datatype);
    int at = 0;
    while (at < comm->nops && comm->ops[at].used)
        at++;
    if (at == comm->nops) {
        if (!grow((void **)&comm->ops, comm->nops, sizeof *comm->ops))
            return nccl_fail(ncclSystemError, "ncclRedOpCreatePreMulSum: out of memory");
        comm->nops++;
    }
    struct user_op u = {.used = true, .type = datatype, .on_device = residence == ncclScalarDevice, .scalar = scalar};
    if (!u.on_device)
        memcpy(u.value, library_host(scalar), reduce_size(datatype));
    comm->ops[at] = u;
    *op = (ncclRedOp_t)(ncclNumOps + at);
    return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    ncclResult_t r = comm_check(comm);
    int at = (int)op - ncclNumOps;
    if (r || at < 0 || at >= comm->nops || !comm->ops[at].used)
        return r ? r : nccl_fail(ncclInvalidArgument, "ncclRedOpDestroy: %d is none of this communicator", (int)op);
    comm->ops[at].used = false;
    return ncclSuccess;
}
