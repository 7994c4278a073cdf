/* Collectives: all ranks' calls of one number are one exchange.
 *
 * In each process the call of every local rank waits in its stream until those of all local ranks have come to their turns; then
 * the first that runs does what this process has to do, for all its ranks, and the others find it done. It goes in chunks of a
 * slot: each rank's contribution into its slot, a barrier of the processes, from the slots into the memory of the receivers, a
 * barrier. So a buffer may be both, and what is added up is added in the order of ranks, whatever the processes do: results repeat.
 * The calls of a communicator are past in the order in which they were made, as on GPUs. */
#include "libraries/nccl/group.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/library.h"

enum rounds { ONE, EACH };
enum who { ALL, ROOT, ROUND };
enum combine { REDUCTION, GATHERED, COPY };

static const struct way {
    const char *name;
    enum rounds rounds;
    enum who sends, receives;
    enum combine combine;
} ways[COLLECTIVE_KINDS] = {
#define COLLECTIVE(id, name, rounds, sends, receives, combine) {name, rounds, sends, receives, combine},
#include "libraries/nccl/collectives.def"
#undef COLLECTIVE
};

/* A local rank's side. */
struct part {
    int rank;
    const char *send;
    char *recv;
    struct reduction reduction;
    const void *scale_at; /* in device memory, or NULL */
};

struct collective {
    struct collective *next;
    struct group *group;
    uint64_t number;
    struct signature signature;
    struct part *part; /* [group->locals] */
    int parts, arrived, refs;
    bool started, done, failed;
};

/* What the command has. */
struct turn {
    struct collective *c;
    int part;
    bool arrived;
};

static bool takes_part(enum who who, const struct collective *c, int rank, int round)
{
    return who == ALL || rank == (who == ROOT ? c->signature.root : round);
}

static bool in_any_round(enum who who, const struct collective *c, int rank)
{
    return who != ROOT || rank == c->signature.root;
}

static const struct way *way_of(const struct collective *c)
{
    return &ways[c->signature.kind];
}

static size_t send_bytes(const struct collective *c, int rank)
{
    const struct way *w = way_of(c);
    size_t n = c->signature.count * reduce_size((ncclDataType_t)c->signature.type);
    return !in_any_round(w->sends, c, rank) ? 0 : w->rounds == EACH ? n * (size_t)c->group->nranks : n;
}

static size_t recv_bytes(const struct collective *c, int rank)
{
    const struct way *w = way_of(c);
    size_t n = c->signature.count * reduce_size((ncclDataType_t)c->signature.type);
    return !in_any_round(w->receives, c, rank) ? 0 : w->combine == GATHERED ? n * (size_t)c->group->nranks : n;
}

/* --- the exchange --- */

/* `n` elements from `off` on of a round. */
struct chunk {
    int round;
    size_t off, n, size;
};

static void contribute(const struct collective *c, const struct part *p, const struct chunk *k)
{
    char *slot = group_slot(c->group, p->rank);
    size_t first = (way_of(c)->rounds == EACH ? (size_t)k->round * c->signature.count : 0) + k->off;
    memcpy(slot, (const char *)library_host(p->send) + first * k->size, k->n * k->size);
    char scale[8];
    memcpy(scale, p->reduction.scale, sizeof scale);
    if (p->scale_at)
        memcpy(scale, library_host(p->scale_at), k->size);
    if (way_of(c)->combine == REDUCTION && p->reduction.scaled)
        reduce_scale((ncclDataType_t)c->signature.type, slot, k->n, scale);
}

static void reduce(const struct collective *c, const struct reduction *r, char *to, const struct chunk *k)
{
    ncclDataType_t type = (ncclDataType_t)c->signature.type;
    memcpy(to, group_slot(c->group, 0), k->n * k->size);
    for (int i = 1; i < c->group->nranks; i++)
        reduce_add(type, r->op, to, group_slot(c->group, i), k->n);
    if (r->divide)
        reduce_divide(type, to, k->n, r->divide);
}

/* `before`: where a rank of this process has the same already, or NULL. */
static char *receive(const struct collective *c, const struct part *p, const struct chunk *k, const char *before)
{
    char *to = (char *)library_host(p->recv) + k->off * k->size;
    switch (way_of(c)->combine) {
    case REDUCTION:
        if (before)
            memcpy(to, before, k->n * k->size);
        else
            reduce(c, &p->reduction, to, k);
        break;
    case GATHERED:
        for (int i = 0; i < c->group->nranks; i++)
            memcpy(to + (size_t)i * c->signature.count * k->size, group_slot(c->group, i), k->n * k->size);
        break;
    case COPY:
        memcpy(to, group_slot(c->group, c->signature.root), k->n * k->size);
        break;
    }
    return to;
}

static bool exchange_chunk(const struct collective *c, const struct chunk *k)
{
    const char *before = NULL;
    for (int i = 0; i < c->parts; i++)
        if (takes_part(way_of(c)->sends, c, c->part[i].rank, k->round))
            contribute(c, &c->part[i], k);
    if (!group_barrier(c->group))
        return false;
    for (int i = 0; i < c->parts; i++)
        if (takes_part(way_of(c)->receives, c, c->part[i].rank, k->round))
            before = receive(c, &c->part[i], k, before);
    return group_barrier(c->group);
}

/* Do the ranks of all processes mean the same? */
static bool agree(const struct collective *c)
{
    struct shared *s = c->group->shared;
    bool same = true;
    if (c->group->processes < 2)
        return true;
    for (int i = 0; i < c->parts; i++)
        s->signature[c->part[i].rank] = c->signature;
    if (!group_barrier(c->group))
        return true; /* another error */
    for (int i = 0; i < c->group->nranks; i++)
        same &= !memcmp(&s->signature[i], &c->signature, sizeof c->signature);
    return same & group_barrier(c->group);
}

static cudaError_t exchange(const struct collective *c)
{
    const struct way *w = way_of(c);
    struct chunk k = {.size = reduce_size((ncclDataType_t)c->signature.type)};
    size_t most = SLOT_BYTES / k.size;
    if (!agree(c)) {
        group_fail(c->group);
        return nccl_broken("%s (NCCL): the ranks' calls differ in kind, count, type, operation or root", w->name);
    }
    for (k.round = 0; k.round < (w->rounds == EACH ? c->group->nranks : 1); k.round++)
        for (k.off = 0; k.off < c->signature.count; k.off += k.n) {
            k.n = c->signature.count - k.off < most ? c->signature.count - k.off : most;
            if (!exchange_chunk(c, &k))
                return nccl_broken("%s (NCCL): another rank's process has ended or failed", w->name);
        }
    return group_failed(c->group) ? nccl_broken("%s (NCCL): another rank's process has ended or failed", w->name) : cudaSuccess;
}

/* --- turns --- */

static bool ready(void *data)
{
    struct turn *t = data;
    pthread_mutex_lock(&group_lock);
    t->c->arrived += !t->arrived;
    t->arrived = true;
    bool all = t->c->done || (t->c->arrived == t->c->group->locals && t->c->group->done == t->c->number);
    pthread_mutex_unlock(&group_lock);
    return all;
}

/* The other local ranks' memory: their own calls look at it perhaps later. */
static void add_others(void *data, struct library_more *m)
{
    const struct turn *t = data;
    const struct collective *c = t->c;
    pthread_mutex_lock(&group_lock);
    bool past = c->done;
    pthread_mutex_unlock(&group_lock);
    for (int i = 0; i < c->parts && !past; i++) {
        const struct part *p = &c->part[i];
        if (i == t->part)
            continue;
        library_more(m, &(struct library_operand){"sendbuff", p->send, send_bytes(c, p->rank), .access = LIBRARY_READ});
        library_more(m, &(struct library_operand){"recvbuff", p->recv, recv_bytes(c, p->rank), .access = LIBRARY_WRITE});
    }
}

/* With group_lock: it is past. */
static void finish(struct collective *c, bool failed)
{
    struct collective **at = &c->group->first;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->done = true;
    c->failed = failed;
    c->group->done++;
    pthread_cond_broadcast(&group_changed);
}

static cudaError_t run(void *data)
{
    struct collective *c = ((struct turn *)data)->c;
    pthread_mutex_lock(&group_lock);
    bool mine = !c->started;
    c->started = true;
    if (mine) {
        pthread_mutex_unlock(&group_lock);
        cudaError_t e = exchange(c);
        pthread_mutex_lock(&group_lock);
        finish(c, e);
    }
    while (!c->done)
        pthread_cond_wait(&group_changed, &group_lock);
    bool failed = c->failed;
    pthread_mutex_unlock(&group_lock);
    return failed ? cudaErrorExternalDevice : cudaSuccess;
}

/* A call that was dropped before the exchange leaves the others nothing to wait for. */
static void release(void *data)
{
    struct collective *c = ((struct turn *)data)->c;
    struct group *g = c->group;
    pthread_mutex_lock(&group_lock);
    if (!c->started) {
        c->started = true;
        group_fail(g);
        finish(c, true);
    }
    bool last = --c->refs == 0;
    pthread_mutex_unlock(&group_lock);
    if (last) {
        free(c->part);
        free(c);
        group_release(g);
    }
}

/* --- calls --- */

/* The collective that the communicator's next call belongs to; with group_lock. NULL: no memory. */
static struct collective *find(ncclComm_t comm, const struct signature *s)
{
    struct collective **at = &comm->group->first;
    for (; *at; at = &(*at)->next)
        if ((*at)->number == comm->calls)
            return *at;
    struct collective *c = calloc(1, sizeof *c);
    struct part *parts = calloc((size_t)comm->group->locals, sizeof *parts);
    if (!c || !parts) {
        free(c);
        free(parts);
        return NULL;
    }
    *c = (struct collective){.group = comm->group, .number = comm->calls, .signature = *s, .part = parts};
    group_hold(comm->group);
    *at = c;
    return c;
}

static struct part part_of(ncclComm_t comm, const struct collective_call *call)
{
    struct part p = {comm->rank, call->send, call->recv, {.op = call->op}, NULL};
    if (call->op == ncclAvg)
        p.reduction = reduce_average(call->type, comm->group->nranks);
    if (call->op >= ncclNumOps) {
        const struct user_op *u = &comm->ops[call->op - ncclNumOps];
        p.reduction = (struct reduction){.op = ncclSum, .scaled = true};
        memcpy(p.reduction.scale, u->value, sizeof u->value);
        p.scale_at = u->on_device ? u->scalar : NULL;
    }
    return p;
}

ncclResult_t collective_put(ncclComm_t comm, const struct collective_call *call, cudaStream_t stream)
{
    const struct way *w = &ways[call->kind];
    int op = w->combine != REDUCTION ? 0 : call->op < ncclNumOps ? (int)call->op : ncclNumOps;
    struct signature s = {call->count, call->kind, (int32_t)call->type, op, w->sends == ROOT || w->receives == ROOT ? call->root : 0};
    pthread_mutex_lock(&group_lock);
    struct collective *c = find(comm, &s);
    bool same = c && !memcmp(&c->signature, &s, sizeof s), room = c && c->parts < comm->group->locals;
    struct turn t = {c, room ? c->parts : 0, false};
    if (same && room) {
        c->part[c->parts++] = part_of(comm, call);
        c->refs++;
        comm->calls++;
    }
    pthread_mutex_unlock(&group_lock);
    if (!c)
        return nccl_fail(ncclSystemError, "%s: out of memory", w->name);
    if (!same || !room)
        return nccl_fail(ncclInvalidUsage, "%s: the ranks' calls differ in kind, count, type, operation or root", w->name);
    struct library_operand o[2] = {{"sendbuff", call->send, send_bytes(c, comm->rank), .access = LIBRARY_READ},
                                   {"recvbuff", call->recv, recv_bytes(c, comm->rank), .access = LIBRARY_WRITE}};
    struct library_call l = {.library = "NCCL", .function = w->name, .operand = o, .operands = 2, .data = &t, .data_bytes = sizeof t,
                             .ready = ready, .more = add_others, .run = run, .release = release};
    return comm_call(comm, &l, stream);
}
