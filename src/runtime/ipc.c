/* Memory and events that processes of one host share (CUDA Runtime API reference, "Device Management": cudaIpc...).
 *
 * Device memory is a memfd of its process. A handle names the process, the memfd and the place in it; who opens it maps the
 * allocation's granules of that memfd among its own device memory (space_import), so both read and write the same bytes. The memfd is
 * found as /proc/PID/fd/N: the processes belong to one user and one container, and the exporting one lives until the handle is
 * opened. Once open, the memory stays until it is closed, whatever becomes of the process.
 * An event with cudaEventInterprocess has a page of its own in a memfd: how often it was recorded, and the last record that
 * is done. */
#define _GNU_SOURCE
#include "runtime/ipc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine.h"
#include "runtime/checking.h"
#include "runtime/event.h"
#include "runtime/peer.h"
#include "runtime/pointer.h"
#include "space/space.h"

/* --- handles --- */

enum { MEMORY = 0x6d656d31, EVENT = 0x65766531 };

/* What is in the 64 bytes of a handle. */
struct handle {
    uint32_t what;    /* MEMORY, EVENT */
    int32_t pid, fd;
    uint32_t zero;    /* no byte is left to chance: handles are compared */
    uint64_t inode;   /* of the memfd: tells one from another that got its number later */
    uint64_t at, inside, bytes;
};
_Static_assert(sizeof(struct handle) <= IPC_HANDLE_USED, "");

static bool describe(struct handle *h, uint32_t what, int fd)
{
    struct stat st;
    *h = (struct handle){.what = what, .pid = getpid(), .fd = fd};
    if (fstat(fd, &st))
        return false;
    h->inode = st.st_ino;
    return true;
}

/* The memfd that a handle names, opened; -1: it cannot be reached any more. */
static int open_handle(const struct handle *h)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)h->pid, (int)h->fd);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) || st.st_ino != h->inode)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* --- memory --- */

/* What this process has opened. Guarded by runtime_lock. */
static struct opened {
    struct handle handle;
    struct runtime_device *device;
    uint64_t address;
    int times;
} *opened;
static int nopened, opened_cap;

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    ENTER(d);
    struct pointer p = pointer_look(devPtr);
    struct space_share share;
    struct handle h;
    if (!handle || p.kind != POINTER_DEVICE || !space_export(p.device->space, p.address, &share)) {
        pointer_why(&p, "the pointer", 0);
        return runtime_leave(cudaErrorInvalidValue);
    }
    if (!describe(&h, MEMORY, share.fd))
        return runtime_leave(cudaErrorMapBufferObjectFailed);
    engine_written(p.device->engine, p.address, share.bytes); /* by whom, and when, cannot be seen */
    h.at = share.at;
    h.inside = share.inside;
    h.bytes = share.bytes;
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &h, sizeof h);
    return cudaSuccess;
}

/* The one that the device has open already, or NULL; with runtime_lock. */
static struct opened *find_opened(const struct runtime_device *d, const struct handle *h)
{
    for (int i = 0; i < nopened; i++)
        if (opened[i].device == d && !memcmp(&opened[i].handle, h, sizeof *h))
            return &opened[i];
    return NULL;
}

/* Maps it and notes it; with runtime_lock. */
static cudaError_t import(struct runtime_device *d, const struct handle *h, uint64_t *address)
{
    struct opened *o = find_opened(d, h);
    if (o) {
        o->times++;
        *address = o->address;
        return cudaSuccess;
    }
    struct space_share share = {open_handle(h), h->at, h->inside, h->bytes};
    if (share.fd < 0)
        return cudaErrorInvalidResourceHandle;
    enum space_status s = space_import(d->space, &share, address);
    close(share.fd);
    if (s)
        return cudaErrorMapBufferObjectFailed;
    engine_written(d->engine, *address, h->bytes); /* whatever the other process has done there */
    ALLOC_GROW(opened, nopened, opened_cap);
    opened[nopened++] = (struct opened){*h, d, *address, 1};
    return cudaSuccess;
}

/* A handle of the process's own is refused, and flags are not looked at, as on an H200 (tests/programs/ipc.cu). */
cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    ENTER(d);
    struct handle h;
    uint64_t address;
    memcpy(&h, handle.reserved, sizeof h);
    (void)flags;
    if (!devPtr || h.what != MEMORY)
        return runtime_leave(cudaErrorInvalidValue);
    if (h.pid == getpid())
        return runtime_leave(cudaErrorDeviceUninitialized);
    pthread_mutex_lock(&runtime_lock);
    cudaError_t e = import(d, &h, &address);
    pthread_mutex_unlock(&runtime_lock);
    if (!e)
        *devPtr = (void *)(uintptr_t)address;
    return runtime_leave(e);
}

/* One opening less; true when it was the last. With runtime_lock. */
static bool forget(uint64_t address, bool *found)
{
    int i = 0;
    while (i < nopened && opened[i].address != address)
        i++;
    *found = i < nopened;
    if (!*found || --opened[i].times)
        return false;
    opened[i] = opened[--nopened];
    return true;
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr)
{
    ENTER(d);
    struct pointer p = pointer_look(devPtr);
    bool found;
    if (p.kind == POINTER_DEVICE)
        peer_wait_users(&p);
    pthread_mutex_lock(&runtime_lock);
    bool last = forget(p.address, &found);
    pthread_mutex_unlock(&runtime_lock);
    if (last)
        space_free(p.device->space, p.address);
    if (!found)
        pointer_why(&p, "the pointer", 0);
    return runtime_leave(found ? cudaSuccess : cudaErrorInvalidValue);
}

/* --- events --- */

struct page {
    _Atomic uint32_t recorded, done; /* numbers of records, from 1, in the order of the calls; they may wrap */
    _Atomic int32_t pid;             /* of who recorded last */
};

struct ipc_event {
    struct page *page;
    int fd, refs; /* refs: atomic; the event's, and those of commands */
};

/* What a command has. */
struct record {
    struct ipc_event *event;
    uint32_t number;
};

enum { PATIENCE_MS = 200 }; /* then it is looked whether the other process lives */

static struct ipc_event *event_of_page(int fd)
{
    struct page *page = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct ipc_event *e = alloc_zeroed(sizeof *e);
    *e = (struct ipc_event){page, fd, 1};
    return e;
}

struct ipc_event *ipc_event_new(void)
{
    int fd = memfd_create("heddle-event", MFD_CLOEXEC);
    if (fd >= 0 && ftruncate(fd, sizeof(struct page))) {
        close(fd);
        fd = -1;
    }
    return event_of_page(fd);
}

static struct ipc_event *share(struct ipc_event *e)
{
    __atomic_fetch_add(&e->refs, 1, __ATOMIC_RELAXED);
    return e;
}

void ipc_event_release(struct ipc_event *e)
{
    if (!e || __atomic_sub_fetch(&e->refs, 1, __ATOMIC_ACQ_REL))
        return;
    munmap(e->page, sizeof *e->page);
    close(e->fd);
    alloc_release(e);
}

/* Is record number n done, or a later one? */
static bool reached(const struct ipc_event *e, uint32_t n)
{
    return (int32_t)(atomic_load(&e->page->done) - n) >= 0;
}

bool ipc_event_done(const struct ipc_event *e)
{
    return reached(e, atomic_load(&e->page->recorded));
}

static bool await(struct ipc_event *e, uint32_t n)
{
    const struct timespec patience = {0, PATIENCE_MS * 1000000L};
    while (!reached(e, n)) {
        uint32_t done = atomic_load(&e->page->done);
        int32_t pid = atomic_load(&e->page->pid);
        if (reached(e, n))
            break;
        if (syscall(SYS_futex, &e->page->done, FUTEX_WAIT, done, &patience, NULL, 0) && errno == ETIMEDOUT && pid && kill(pid, 0) && errno == ESRCH)
            return reached(e, n);
    }
    return true;
}

bool ipc_event_await(struct ipc_event *e)
{
    return await(e, atomic_load(&e->page->recorded));
}

/* Records of several streams may be done in any order: the highest stays. */
static cudaError_t run_record(struct command *c, cudaError_t status)
{
    struct record *r = c->call_back.user;
    uint32_t done = atomic_load(&r->event->page->done);
    (void)status; /* of a device that has failed nothing more comes, and who waits is let go */
    while ((int32_t)(done - r->number) < 0 && !atomic_compare_exchange_weak(&r->event->page->done, &done, r->number))
        ;
    syscall(SYS_futex, &r->event->page->done, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    ipc_event_release(r->event);
    alloc_release(r);
    return cudaSuccess;
}

static cudaError_t run_wait(struct command *c, cudaError_t status)
{
    struct record *r = c->call_back.user;
    bool good = status || await(r->event, r->number);
    if (!good)
        runtime_say("the process that recorded an event of several processes has ended before its stream came there");
    ipc_event_release(r->event);
    alloc_release(r);
    return good ? cudaSuccess : cudaErrorExternalDevice;
}

static struct command *command_of(struct ipc_event *e, uint32_t number, cudaError_t (*run)(struct command *c, cudaError_t status))
{
    struct command *c = command_new(COMMAND_CALL);
    struct record *r = alloc_zeroed(sizeof *r);
    *r = (struct record){share(e), number};
    c->call_back.function = run;
    c->call_back.user = r;
    return c;
}

struct command *ipc_event_record(struct ipc_event *e)
{
    atomic_store(&e->page->pid, getpid());
    return command_of(e, atomic_fetch_add(&e->page->recorded, 1) + 1, run_record);
}

struct command *ipc_event_wait(struct ipc_event *e)
{
    return command_of(e, atomic_load(&e->page->recorded), run_wait);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    ENTER(d);
    struct handle h;
    if (!handle || !event_is(event))
        return runtime_leave(handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    struct ipc_event *e = event_ipc(event);
    if (!e || !describe(&h, EVENT, e->fd)) /* not made with cudaEventInterprocess */
        return runtime_leave(cudaErrorInvalidResourceHandle);
    memset(handle, 0, sizeof *handle);
    memcpy(handle->reserved, &h, sizeof h);
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    ENTER(d);
    struct handle h;
    memcpy(&h, handle.reserved, sizeof h);
    if (!event || h.what != EVENT)
        return runtime_leave(cudaErrorInvalidValue);
    if (h.pid == getpid())
        return runtime_leave(cudaErrorDeviceUninitialized);
    struct ipc_event *e = event_of_page(open_handle(&h));
    if (!e)
        return runtime_leave(cudaErrorInvalidResourceHandle);
    *event = event_of_ipc(d, e);
    return cudaSuccess;
}
