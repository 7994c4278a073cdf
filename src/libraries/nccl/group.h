/* The ranks of a communicator, wherever they are.
 *
 * A unique id names a segment of shared memory (a memfd, found by the number of the process that made it). Ranks join it;
 * those of one process share one struct group. In the segment every rank has a slot, through which collectives hand on what
 * ranks contribute (collective.c), and every pair of ranks a mailbox, through which messages between processes go (message.c).
 * Processes meet at barriers and look after each other: when one has ended that others wait for, or says that it
 * cannot go on, their waits end with an error.
 * Everything but the segment is guarded by group_lock, which may be taken inside of the runtime's: no CUDA call under it. */
#ifndef NCCL_GROUP_H
#define NCCL_GROUP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "libraries/nccl/reduce.h"

enum { GROUP_RANKS = 64, SLOT_BYTES = 256 << 10, MAIL_BYTES = 64 << 10 };

struct mailbox {
    _Atomic uint64_t written, read; /* bytes since it was made */
    char data[MAIL_BYTES];
};

/* What a rank's collective is: the same for all ranks, or the program is wrong. */
struct signature {
    uint64_t count;
    int32_t kind, type, op, root;
};

struct split_place {
    _Atomic uint32_t written, led; /* the last split that this rank has said its colour for, has made the id for; from 1 */
    int32_t color, key;
    ncclUniqueId id;
};

struct shared {
    uint64_t nonce;
    _Atomic int32_t nranks; /* 0: nobody has come yet */
    _Atomic uint32_t arrived, inside, generation, failed, bell, split_read;
    _Atomic int32_t pid[GROUP_RANKS]; /* 0: has not joined */
    struct split_place split[GROUP_RANKS];
    struct signature signature[GROUP_RANKS];
};

struct collective;
struct entry;

struct group {
    struct group *next;
    int refs;              /* communicators, calls */
    uint64_t nonce;
    int nranks, processes; /* processes: known when all have joined */
    struct shared *shared;
    bool is_local[GROUP_RANKS];
    int locals;            /* ranks of this process */
    struct collective *first; /* those that not all local ranks have called or run */
    uint64_t done;         /* collectives that are past */
    struct entry *posted;  /* messages between local ranks whose other side has not come */
    bool mail_busy[2][GROUP_RANKS]; /* a message from, to this rank of another process is under way */
};

struct ncclComm {
    uint32_t magic;
    struct group *group;
    int rank, device;
    uint64_t calls;        /* collectives so far */
    uint32_t splits;
    ncclResult_t error;
    struct user_op {
        bool used, on_device;
        ncclDataType_t type;
        const void *scalar; /* on_device */
        char value[8];
    } *ops;
    int nops;
};
#define COMM_MAGIC 0x6e63636cu

extern pthread_mutex_t group_lock;
extern pthread_cond_t group_changed;

/* A segment for a new communicator. */
ncclResult_t group_new_id(ncclUniqueId *id);

/* The rank joins; *out has a reference for it. Errors: ncclSystemError (no such segment: *why), ncclInvalidUsage (the rank is there, or
 * others say another number of ranks). */
ncclResult_t group_join(const ncclUniqueId *id, int nranks, int rank, struct group **out, const char **why);

/* Waits until all ranks have joined. ncclRemoteError: one that had joined has ended. */
ncclResult_t group_wait_all(struct group *g);

void group_hold(struct group *g);    /* with group_lock */
void group_release(struct group *g); /* without */

/* All processes come here, once each. False: one does not. */
bool group_barrier(struct group *g);

/* Waits until *word is not `value` any more, or a while. False: nobody will change it. */
bool group_wait_word(struct group *g, _Atomic uint32_t *word, uint32_t value);
void group_ring(_Atomic uint32_t *word); /* adds 1 and wakes who waits */
void group_set(_Atomic uint32_t *word, uint32_t value); /* the same with a value */

/* This process cannot go on: the others' waits end. */
void group_fail(struct group *g);
bool group_failed(const struct group *g);

char *group_slot(const struct group *g, int rank);
struct mailbox *group_mailbox(const struct group *g, int from, int to);

/* The text of ncclGetLastError; `r` is answered. */
ncclResult_t nccl_fail(ncclResult_t r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *nccl_last_error(void);

/* The same for what goes wrong in a stream, where nobody is told but by the device's error: said on stderr, too. */
cudaError_t nccl_broken(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* --- calls.c: what a group of calls collects --- */

struct collective_call {
    int kind;          /* enum collective_kind */
    const void *send;
    void *recv;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int root;
};

struct message_call {
    bool sends;
    void *buffer;
    size_t bytes;
    int peer;
};

/* Puts them into the stream of the communicator's device. */
ncclResult_t collective_put(ncclComm_t comm, const struct collective_call *c, cudaStream_t stream);
ncclResult_t message_put(ncclComm_t comm, const struct message_call *m, int n, cudaStream_t stream);

enum collective_kind {
#define COLLECTIVE(id, name, rounds, sends, receives, combine) COLLECTIVE_##id,
#include "libraries/nccl/collectives.def"
#undef COLLECTIVE
    COLLECTIVE_KINDS
};

struct library_call;
/* library_call on the communicator's device. */
ncclResult_t comm_call(ncclComm_t comm, const struct library_call *c, cudaStream_t stream);

/* NULL for a communicator that there is; else the error is set. */
ncclResult_t comm_check(ncclComm_t comm);

#endif
