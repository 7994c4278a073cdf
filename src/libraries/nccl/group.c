/* Joining, meeting and looking after each other (see group.h). */
#define _GNU_SOURCE
#include "libraries/nccl/group.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What a unique id holds. */
struct id {
    char word[16];
    int32_t pid, fd;
    uint64_t nonce;
};
static const char id_word[16] = "heddle nccl 1";

enum { PATIENCE_MS = 200 }; /* then it is looked whether the others live */

pthread_mutex_t group_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t group_changed = PTHREAD_COND_INITIALIZER;
static struct group *groups;

/* --- errors --- */

static char last_error[256];

static void keep(const char *fmt, va_list ap)
{
    char text[sizeof last_error];
    vsnprintf(text, sizeof text, fmt, ap);
    pthread_mutex_lock(&group_lock);
    memcpy(last_error, text, sizeof text);
    pthread_mutex_unlock(&group_lock);
}

ncclResult_t nccl_fail(ncclResult_t r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    keep(fmt, ap);
    va_end(ap);
    return r;
}

cudaError_t nccl_broken(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    keep(fmt, ap);
    va_end(ap);
    fprintf(stderr, "heddle: %s\n", last_error);
    return cudaErrorExternalDevice;
}

const char *nccl_last_error(void)
{
    return last_error;
}

/* --- the segment --- */

static size_t slots_at(void)
{
    return (sizeof(struct shared) + 4095) / 4096 * 4096;
}

static size_t mail_at(int nranks)
{
    return slots_at() + (size_t)nranks * SLOT_BYTES;
}

static size_t segment_bytes(int nranks)
{
    return mail_at(nranks) + (size_t)nranks * (size_t)nranks * sizeof(struct mailbox);
}

char *group_slot(const struct group *g, int rank)
{
    return (char *)g->shared + slots_at() + (size_t)rank * SLOT_BYTES;
}

struct mailbox *group_mailbox(const struct group *g, int from, int to)
{
    return (struct mailbox *)(void *)((char *)g->shared + mail_at(g->nranks)) + (size_t)from * (size_t)g->nranks + (size_t)to;
}

/* The memfd stays open as long as the process: others open it by its number. Its pages come when they are touched. */
ncclResult_t group_new_id(ncclUniqueId *out)
{
    struct id id = {.pid = getpid()};
    memcpy(id.word, id_word, sizeof id.word);
    id.fd = memfd_create("heddle-nccl", MFD_CLOEXEC);
    if (id.fd < 0 || getrandom(&id.nonce, sizeof id.nonce, 0) != sizeof id.nonce || ftruncate(id.fd, (off_t)segment_bytes(GROUP_RANKS)) ||
        pwrite(id.fd, &id.nonce, sizeof id.nonce, 0) != sizeof id.nonce) {
        int error = errno;
        if (id.fd >= 0)
            close(id.fd);
        return nccl_fail(ncclSystemError, "ncclGetUniqueId: no shared memory: %s", strerror(error));
    }
    memset(out, 0, sizeof *out);
    memcpy(out->internal, &id, sizeof id);
    return ncclSuccess;
}

static struct shared *map_segment(const struct id *id, int nranks, const char **why)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)id->pid, (int)id->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    *why = "the process that made the unique id cannot be reached: it has ended, or belongs to another user, container or host";
    if (fd < 0)
        return NULL;
    struct shared *s = mmap(NULL, segment_bytes(nranks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    close(fd);
    if (s == MAP_FAILED) {
        *why = "the communicator's shared memory cannot be mapped";
        return NULL;
    }
    if (s->nonce == id->nonce)
        return s;
    munmap(s, segment_bytes(nranks));
    return NULL;
}

/* --- waiting --- */

void group_ring(_Atomic uint32_t *word)
{
    atomic_fetch_add(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void group_set(_Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* One that has ended but whose parent has not asked for its status is dead, too: state Z of /proc/PID/stat (proc(5)). */
static bool is_live(int32_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return !kill(pid, 0) || errno != ESRCH;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return !name_end || strncmp(name_end, ") Z", 3) != 0;
}

static bool all_live(const struct group *g)
{
    for (int i = 0; i < g->nranks; i++) {
        int32_t pid = atomic_load(&g->shared->pid[i]);
        if (pid && !is_live(pid))
            return false;
    }
    return true;
}

bool group_wait_word(struct group *g, _Atomic uint32_t *word, uint32_t value)
{
    const struct timespec patience = {0, PATIENCE_MS * 1000000L};
    if (atomic_load(word) != value)
        return true;
    if (syscall(SYS_futex, word, FUTEX_WAIT, value, &patience, NULL, 0) && errno == ETIMEDOUT && !all_live(g) && atomic_load(word) == value)
        group_fail(g);
    return !group_failed(g);
}

bool group_barrier(struct group *g)
{
    struct shared *s = g->shared;
    uint32_t now = atomic_load(&s->generation);
    if (g->processes < 2)
        return !group_failed(g);
    if (atomic_fetch_add(&s->inside, 1) + 1 == (uint32_t)g->processes) {
        atomic_store(&s->inside, 0);
        group_ring(&s->generation);
        return !group_failed(g);
    }
    while (atomic_load(&s->generation) == now)
        if (!group_wait_word(g, &s->generation, now))
            return false;
    return !group_failed(g);
}

void group_fail(struct group *g)
{
    atomic_store(&g->shared->failed, 1);
    group_ring(&g->shared->bell);
}

bool group_failed(const struct group *g)
{
    return atomic_load(&g->shared->failed);
}

/* --- joining --- */

/* The process's own group of this id, or a new one; with group_lock. */
static struct group *find_group(const struct id *id, int nranks, const char **why)
{
    for (struct group *g = groups; g; g = g->next)
        if (g->nonce == id->nonce)
            return g;
    struct shared *s = map_segment(id, nranks, why);
    struct group *g = s ? calloc(1, sizeof *g) : NULL;
    if (!g)
        return NULL;
    g->nonce = id->nonce;
    g->nranks = nranks;
    g->shared = s;
    g->next = groups;
    groups = g;
    return g;
}

static void drop(struct group *g)
{
    struct group **at = &groups;
    while (*at != g)
        at = &(*at)->next;
    *at = g->next;
    munmap(g->shared, segment_bytes(g->nranks));
    free(g);
}

ncclResult_t group_join(const ncclUniqueId *unique, int nranks, int rank, struct group **out, const char **why)
{
    struct id id;
    memcpy(&id, unique->internal, sizeof id);
    *why = "the unique id is none that ncclGetUniqueId made";
    if (memcmp(id.word, id_word, sizeof id.word))
        return ncclInvalidArgument;
    pthread_mutex_lock(&group_lock);
    struct group *g = find_group(&id, nranks, why);
    int32_t none = 0, nobody = 0;
    ncclResult_t r = g ? ncclSuccess : ncclSystemError;
    if (g && (g->nranks != nranks || (!atomic_compare_exchange_strong(&g->shared->nranks, &none, nranks) && none != nranks))) {
        *why = "the ranks do not agree how many they are";
        r = ncclInvalidUsage;
    } else if (g && !atomic_compare_exchange_strong(&g->shared->pid[rank], &nobody, getpid())) {
        *why = "another rank of this number has joined";
        r = ncclInvalidUsage;
    }
    if (!r) {
        g->refs++;
        g->locals++;
        g->is_local[rank] = true;
        group_ring(&g->shared->arrived);
        *out = g;
    } else if (g && !g->refs) {
        drop(g);
    }
    pthread_mutex_unlock(&group_lock);
    return r;
}

ncclResult_t group_wait_all(struct group *g)
{
    struct shared *s = g->shared;
    for (uint32_t n = atomic_load(&s->arrived); n < (uint32_t)g->nranks; n = atomic_load(&s->arrived))
        if (!group_wait_word(g, &s->arrived, n))
            return nccl_fail(ncclRemoteError, "a rank of the communicator has ended before all had joined");
    int processes = 0;
    for (int i = 0; i < g->nranks; i++) {
        int k = 0;
        while (s->pid[k] != s->pid[i])
            k++;
        processes += k == i;
    }
    pthread_mutex_lock(&group_lock);
    g->processes = processes;
    pthread_mutex_unlock(&group_lock);
    return ncclSuccess;
}

void group_hold(struct group *g)
{
    g->refs++;
}

void group_release(struct group *g)
{
    pthread_mutex_lock(&group_lock);
    if (--g->refs == 0)
        drop(g);
    pthread_mutex_unlock(&group_lock);
}
