/* Messages: ncclSend and ncclRecv, those of one group of calls and one stream together.
 *
 * Both sides in one process: a side is posted when its call's turn has come, and finds the other by source and destination, in the
 * order of posting. A call runs when all its sides in this process have found theirs; it then copies what nobody has copied
 * yet. In different processes: the bytes go through the mailbox of the two ranks, which both sides move on as far as they can,
 * all messages of a call in turn, so that a group of sends and receives cannot block itself. Such a call takes a host thread until the
 * other processes have done their part. */
#include "libraries/nccl/group.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/library.h"

/* One side of a message. */
struct entry {
    struct entry *next;    /* among those posted */
    struct entry *partner; /* in this process, found */
    struct batch *batch;
    bool sends, local, claimed, done;
    int peer;
    char *buffer;
    size_t bytes, moved;   /* moved: through the mailbox */
};

/* The call. */
struct batch {
    struct group *group;
    int rank, n;
    bool posted;
    struct entry entry[];
};

struct turn {
    struct batch *batch;
};

/* --- within the process --- */

static bool fits(const struct entry *a, const struct entry *b)
{
    return a->sends != b->sends && a->peer == b->batch->rank && b->peer == a->batch->rank && !b->partner;
}

/* With group_lock. */
static void post(struct group *g, struct entry *e)
{
    struct entry **at = &g->posted;
    while (*at && !fits(e, *at))
        at = &(*at)->next;
    if (!*at) {
        *at = e;
        return;
    }
    e->partner = *at;
    *at = e->partner->next;
    e->partner->next = NULL;
    e->partner->partner = e;
}

static bool ready(void *data)
{
    struct batch *b = ((struct turn *)data)->batch;
    bool all = true;
    pthread_mutex_lock(&group_lock);
    for (int i = 0; i < b->n && !b->posted; i++)
        if (b->entry[i].local)
            post(b->group, &b->entry[i]);
    b->posted = true;
    for (int i = 0; i < b->n; i++)
        all &= !b->entry[i].local || b->entry[i].partner || b->entry[i].done;
    pthread_mutex_unlock(&group_lock);
    return all;
}

/* The partners' memory: their own calls look at it perhaps later. */
static void add_partners(void *data, struct library_more *m)
{
    const struct batch *b = ((struct turn *)data)->batch;
    pthread_mutex_lock(&group_lock);
    for (int i = 0; i < b->n; i++) {
        const struct entry *p = b->entry[i].done ? NULL : b->entry[i].partner;
        if (p)
            library_more(m, &(struct library_operand){p->sends ? "sendbuff" : "recvbuff", p->buffer, p->bytes, .access = p->sends ? LIBRARY_READ : LIBRARY_WRITE});
    }
    pthread_mutex_unlock(&group_lock);
}

/* With group_lock, which it leaves while it copies. */
static bool copy_local(struct entry *e)
{
    struct entry *p = e->partner, *from = e->sends ? e : p, *to = e->sends ? p : e;
    bool good = from->bytes == to->bytes;
    e->claimed = p->claimed = true;
    pthread_mutex_unlock(&group_lock);
    if (good)
        memmove(library_host(to->buffer), library_host(from->buffer), to->bytes);
    else
        nccl_broken("ncclSend (NCCL): rank %d sends %zu bytes, rank %d receives %zu", from->batch->rank, from->bytes, to->batch->rank, to->bytes);
    pthread_mutex_lock(&group_lock);
    e->done = p->done = true;
    if (!good)
        group_fail(e->batch->group);
    pthread_cond_broadcast(&group_changed);
    return good;
}

static bool copy_locals(struct batch *b)
{
    bool good = true;
    pthread_mutex_lock(&group_lock);
    for (int i = 0; i < b->n; i++)
        if (b->entry[i].local && !b->entry[i].done && !b->entry[i].claimed)
            good &= copy_local(&b->entry[i]);
    for (int i = 0; i < b->n; i++)
        while (b->entry[i].local && !b->entry[i].done)
            pthread_cond_wait(&group_changed, &group_lock);
    pthread_mutex_unlock(&group_lock);
    return good && !group_failed(b->group);
}

/* --- between processes --- */

/* All mailboxes that the call uses become its own, or, with `take` false, are free again. With group_lock. */
static bool claim(struct batch *b, bool take)
{
    bool free_all = true;
    for (int i = 0; i < b->n && take; i++)
        free_all &= b->entry[i].local || !b->group->mail_busy[b->entry[i].sends][b->entry[i].peer];
    for (int i = 0; i < b->n && free_all; i++)
        if (!b->entry[i].local)
            b->group->mail_busy[b->entry[i].sends][b->entry[i].peer] = take;
    return free_all;
}

/* An earlier message of the call goes through the same mailbox. */
static bool must_wait(const struct batch *b, const struct entry *e)
{
    for (const struct entry *x = b->entry; x < e; x++)
        if (!x->local && !x->done && x->sends == e->sends && x->peer == e->peer)
            return true;
    return false;
}

/* How many of n bytes from `at` on lie in one piece of the mailbox. */
static size_t piece(uint64_t at, uint64_t n)
{
    uint64_t left = MAIL_BYTES - at % MAIL_BYTES;
    return (size_t)(n < left ? n : left);
}

/* Moves what can be moved now; returns how much. */
static size_t move(struct batch *b, struct entry *e)
{
    struct mailbox *m = e->sends ? group_mailbox(b->group, b->rank, e->peer) : group_mailbox(b->group, e->peer, b->rank);
    uint64_t written = atomic_load(&m->written), read = atomic_load(&m->read), left = e->bytes - e->moved;
    uint64_t can = e->sends ? MAIL_BYTES - (written - read) : written - read;
    size_t n = piece(e->sends ? written : read, can < left ? can : left);
    char *at = (char *)library_host(e->buffer) + e->moved;
    if (n && e->sends) {
        memcpy(&m->data[written % MAIL_BYTES], at, n);
        atomic_store(&m->written, written + n);
    } else if (n) {
        memcpy(at, &m->data[read % MAIL_BYTES], n);
        atomic_store(&m->read, read + n);
    }
    e->moved += n;
    e->done = e->moved == e->bytes;
    return n;
}

static bool move_all(struct batch *b)
{
    struct shared *s = b->group->shared;
    for (;;) {
        uint32_t bell = atomic_load(&s->bell);
        size_t moved = 0;
        bool all = true;
        for (int i = 0; i < b->n; i++) {
            struct entry *e = &b->entry[i];
            if (!e->local && !e->done && !must_wait(b, e))
                moved += move(b, e);
            all &= e->local || e->done;
        }
        if (moved)
            group_ring(&s->bell);
        if (all)
            return true;
        if (!moved && !group_wait_word(b->group, &s->bell, bell))
            return false;
    }
}

static bool move_remotes(struct batch *b)
{
    bool any = false;
    for (int i = 0; i < b->n; i++)
        any |= !b->entry[i].local;
    if (!any)
        return true;
    pthread_mutex_lock(&group_lock);
    while (!claim(b, true))
        pthread_cond_wait(&group_changed, &group_lock);
    pthread_mutex_unlock(&group_lock);
    bool good = move_all(b);
    pthread_mutex_lock(&group_lock);
    claim(b, false);
    pthread_cond_broadcast(&group_changed);
    pthread_mutex_unlock(&group_lock);
    return good;
}

/* --- calls --- */

static cudaError_t run(void *data)
{
    struct batch *b = ((struct turn *)data)->batch;
    if (!copy_locals(b))
        return cudaErrorExternalDevice;
    return move_remotes(b) ? cudaSuccess : nccl_broken("%s (NCCL): another rank's process has ended or failed", b->entry[0].sends ? "ncclSend" : "ncclRecv");
}

/* A call that was dropped leaves its partners nothing to wait for. */
static void withdraw(struct group *g, struct entry *e)
{
    struct entry **at = &g->posted;
    while (*at && *at != e)
        at = &(*at)->next;
    if (*at)
        *at = e->next;
    if (e->partner)
        e->partner->done = true;
    group_fail(g);
}

static void release(void *data)
{
    struct batch *b = ((struct turn *)data)->batch;
    struct group *g = b->group;
    pthread_mutex_lock(&group_lock);
    for (int i = 0; i < b->n; i++)
        if (!b->entry[i].done)
            withdraw(g, &b->entry[i]);
    pthread_cond_broadcast(&group_changed);
    pthread_mutex_unlock(&group_lock);
    free(b);
    group_release(g);
}

static struct batch *new_batch(ncclComm_t comm, const struct message_call *m, int n)
{
    struct batch *b = calloc(1, sizeof *b + (size_t)n * sizeof b->entry[0]);
    if (!b)
        return NULL;
    b->group = comm->group;
    b->rank = comm->rank;
    b->n = n;
    for (int i = 0; i < n; i++)
        b->entry[i] = (struct entry){.batch = b, .sends = m[i].sends, .local = comm->group->is_local[m[i].peer], .peer = m[i].peer,
                                     .buffer = m[i].buffer, .bytes = m[i].bytes};
    pthread_mutex_lock(&group_lock);
    group_hold(comm->group);
    pthread_mutex_unlock(&group_lock);
    return b;
}

ncclResult_t message_put(ncclComm_t comm, const struct message_call *m, int n, cudaStream_t stream)
{
    struct turn t = {new_batch(comm, m, n)};
    struct library_operand *o = calloc((size_t)n, sizeof *o);
    if (!t.batch || !o) {
        free(t.batch);
        free(o);
        return nccl_fail(ncclSystemError, "%s: out of memory", m->sends ? "ncclSend" : "ncclRecv");
    }
    for (int i = 0; i < n; i++)
        o[i] = (struct library_operand){m[i].sends ? "sendbuff" : "recvbuff", m[i].buffer, m[i].bytes, .access = m[i].sends ? LIBRARY_READ : LIBRARY_WRITE};
    struct library_call l = {.library = "NCCL", .function = n > 1 ? "ncclGroupEnd" : m->sends ? "ncclSend" : "ncclRecv", .operand = o, .operands = n, .data = &t,
                             .data_bytes = sizeof t, .ready = ready, .more = add_partners, .run = run, .release = release};
    ncclResult_t r = comm_call(comm, &l, stream);
    free(o);
    return r;
}
