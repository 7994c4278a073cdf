/* Device memory: placement, granting and taking back (see space.h).
 *
 * One memfd per device is mapped twice. A table with one entry a granule says what the granule is: free, part of a
 * large allocation (its head or its body), or shared by small allocations, which it lists in order of address. Which
 * granules an allocation gets is place.c's.
 * Invariants: live[g] is not 0 exactly when granule g is not free, or the context's; run[g] and steps[g] name the allocations
 * that the table names; memory that is granted is zero (pages are given back by punching a hole into the memfd, which also
 * clears them; the rest of a page is cleared by hand). */
#define _GNU_SOURCE
#include "space/space.h"
#include "space/texture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "space/machine.h"
#include "space/place.h"

enum granule_state { FREE, HEAD, BODY, SHARED };

/* The small allocations of one granule. */
struct shared {
    struct space_allocation *list; /* in order of address */
    uint32_t n, cap;
    uint64_t gap; /* bytes of the largest hole */
};

struct granule {
    uint8_t state; /* enum granule_state */
    uint8_t kind;  /* enum space_kind, when not free */
    uint32_t head; /* BODY: index of the head */
    union {
        struct space_allocation *large; /* HEAD */
        struct shared *shared;          /* SHARED */
    };
};

#define FREED_MAX 4096 /* how many freed allocations are remembered */

static const struct space *opened[SPACE_DEVICES]; /* by place; atomic */

struct space_private {
    pthread_mutex_t lock;
    int fd;
    uint32_t granules;        /* of the range */
    struct places places;
    struct granule *table;
    uint8_t *live, *taken;    /* taken: live, or reserved by the program */
    uint8_t *reserved;        /* not 0: by space_reserve */
    struct space_run *run;
    struct space_steps **steps; /* a granule that was ever shared keeps them */
    struct {
        uint32_t *granule; /* shared granules of a kind, in the order they were made */
        uint32_t n, cap;
    } blocks[SPACE_KINDS];
    uint64_t granted;        /* bytes of all granules that are not free */
    uint64_t granted_device; /* those of the device's memory */
    uint64_t serial;
    struct space_allocation *freed; /* ring of FREED_MAX */
    uint64_t freed_n;               /* how many were ever freed */
    unsigned exposed;               /* calls of space_expose that are open */
    uint64_t padding;               /* bytes behind every allocation */
    void (*see)(const struct space_allocation *a, bool freed, void *user);
    void *see_user;
    struct arena labels;
};

static bool host_touches(enum space_kind kind)
{
    return kind == SPACE_MANAGED || kind == SPACE_HOST;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

/* --- the two mappings --- */

static void *program_view(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* Maps the memfd at both places. NULL, or why it did not work. */
static const char *map_both(const struct space *s, int fd)
{
    void *p = mmap(program_view(s->base), s->bytes, PROT_NONE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (p == MAP_FAILED)
        return errno == EEXIST ? "the address range of device memory is already taken"
                               : "the system refuses to reserve the address range of device memory";
    void *e = mmap(space_host(s->base), s->bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
    if (e == MAP_FAILED) {
        const char *why = errno == EEXIST ? "the engine's view of device memory is already taken"
                                          : "the system refuses to map the engine's view of device memory";
        munmap(p, s->bytes);
        return why;
    }
    madvise(p, s->bytes, MADV_DONTDUMP); /* a core file need not hold the device's memory */
    madvise(e, s->bytes, MADV_DONTDUMP);
    madvise(e, s->bytes, MADV_HUGEPAGE); /* a wish: /sys/kernel/mm/transparent_hugepage/shmem_enabled decides */
    return NULL;
}

/* A piece of both views leads to a memfd; false: the system refuses, and the engine's view may lead nowhere. */
static bool map_piece(uint64_t address, uint64_t bytes, int fd, uint64_t at)
{
    void *p = mmap(program_view(address), bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)at);
    void *e = mmap(space_host(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, (off_t)at);
    if (p == MAP_FAILED || e == MAP_FAILED)
        return false;
    madvise(p, bytes, MADV_DONTDUMP);
    madvise(e, bytes, MADV_DONTDUMP);
    return true;
}

static const char *open_memory(const struct space *s, int *fd)
{
    struct rlimit file;
    if (!getrlimit(RLIMIT_FSIZE, &file) && file.rlim_cur < s->bytes) /* ftruncate would raise SIGXFSZ */
        return "the limit on file sizes (ulimit -f) is smaller than the device's memory";
    *fd = memfd_create("heddle-device-memory", MFD_CLOEXEC);
    if (*fd < 0)
        return "the system gives no memfd for device memory";
    const char *why = ftruncate(*fd, (off_t)s->bytes) ? "the memfd of device memory cannot be made large enough"
                                                      : map_both(s, *fd);
    if (why)
        close(*fd);
    return why;
}

enum space_status space_open(struct space *s, int index, uint64_t bytes, const char **why)
{
    memset(s, 0, sizeof *s);
    if (index < 0 || index >= SPACE_DEVICES) {
        *why = "there is no address range for that many devices";
        return SPACE_NO_RANGE;
    }
    uint64_t total = machine_memory_total();
    const uint64_t most = SPACE_STRIDE / 2 - (1 + PLACE_ABOVE + PLACE_WINDOW) * SPACE_GRANULE;
    s->capacity = bytes / SPACE_GRANULE * SPACE_GRANULE;
    if (!s->capacity || s->capacity > SPACE_MOST) {
        *why = "the device's memory must be between 2 MiB and 512 GiB";
        return SPACE_NO_RANGE;
    }
    if (total > most) /* unknown, or more than the range holds */
        total = most;
    struct places places;
    places_init(&places, (uint32_t)(s->capacity / SPACE_GRANULE), (uint32_t)((total + SPACE_GRANULE - 1) / SPACE_GRANULE));
    s->base = SPACE_FIRST + (uint64_t)index * SPACE_STRIDE - places.first * SPACE_GRANULE;
    s->bytes = places.end * SPACE_GRANULE;
    int fd = -1;
    *why = open_memory(s, &fd);
    if (*why) {
        places_release(&places);
        return SPACE_NO_RANGE;
    }
    struct space_private *p = alloc_zeroed(sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    p->fd = fd;
    p->granules = (uint32_t)(s->bytes / SPACE_GRANULE);
    p->table = alloc_zeroed(p->granules * sizeof *p->table);
    p->live = alloc_zeroed(p->granules);
    p->taken = alloc_zeroed(p->granules);
    p->reserved = alloc_zeroed(p->granules);
    p->run = alloc_zeroed(p->granules * sizeof *p->run);
    p->steps = alloc_zeroed(p->granules * sizeof *p->steps);
    p->freed = alloc_zeroed(FREED_MAX * sizeof *p->freed);
    p->places = places;
    p->places.live = p->taken;
    for (uint32_t g = places.top; g < places.host; g++)
        p->live[g] = p->taken[g] = places_context(&places, g);
    arena_init(&p->labels);
    s->place = index;
    s->live = p->live;
    s->run = p->run;
    s->steps = p->steps;
    s->private = p;
    __atomic_store_n(&opened[index], s, __ATOMIC_RELEASE);
    return SPACE_OK;
}

uint64_t space_pinned_first(const struct space *s)
{
    return s->base + (uint64_t)s->private->places.host * SPACE_GRANULE;
}

void space_close(struct space *s)
{
    struct space_private *p = s->private;
    if (!p)
        return;
    __atomic_store_n(&opened[s->place], NULL, __ATOMIC_RELEASE);
    for (int i = 0; i < SPACE_DEVICES; i++)
        if (opened[i])
            for (int way = 0; way < SPACE_WAYS; way++)
                space_let((struct space *)opened[i], s, (enum space_way)way, false);
    texture_release_all(s);
    munmap(program_view(s->base), s->bytes);
    munmap(space_host(s->base), s->bytes);
    close(p->fd);
    for (uint32_t g = 0; g < p->granules; g++) {
        alloc_release(p->steps[g]);
        if (!p->live[g])
            continue;
        if (p->table[g].state == HEAD)
            alloc_release(p->table[g].large);
        if (p->table[g].state == SHARED) {
            alloc_release(p->table[g].shared->list);
            alloc_release(p->table[g].shared);
        }
    }
    alloc_release(p->table);
    alloc_release(p->live);
    alloc_release(p->taken);
    alloc_release(p->reserved);
    alloc_release(p->run);
    alloc_release(p->steps);
    alloc_release(p->freed);
    for (int k = 0; k < SPACE_KINDS; k++)
        alloc_release(p->blocks[k].granule);
    places_release(&p->places);
    arena_release(&p->labels);
    pthread_mutex_destroy(&p->lock);
    alloc_release(p);
    memset(s, 0, sizeof *s);
}

/* --- granules --- */

/* What the machine can still grant: what it has available, less what is granted but not yet touched (the system hands
 * out pages at their first use), less a reserve so that the process itself is not killed: 1/32, at least 64 MiB. */
static uint64_t machine_left(const struct space_private *p)
{
    struct stat st;
    uint64_t available = machine_memory_available(), touched = 0;
    if (available == UINT64_MAX)
        return UINT64_MAX;
    if (!fstat(p->fd, &st))
        touched = (uint64_t)st.st_blocks * 512; /* stat(2): st_blocks counts 512-byte units */
    uint64_t untouched = p->granted > touched ? p->granted - touched : 0;
    uint64_t reserve = available / 32 > (UINT64_C(64) << 20) ? available / 32 : UINT64_C(64) << 20;
    return available > untouched + reserve ? available - untouched - reserve : 0;
}

static void punch(const struct space *s, uint64_t address, uint64_t bytes)
{
    if (bytes && fallocate(s->private->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - s->base),
                           (off_t)bytes))
        memset(space_host(address), 0, bytes); /* a kernel that cannot punch: at least zero again */
}

static void granule_live(const struct space *s, uint64_t g, uint64_t count, uint8_t how)
{
    struct space_private *p = s->private;
    for (uint64_t i = 0; i < count; i++) {
        __atomic_store_n(&p->live[g + i], how, __ATOMIC_RELEASE);
        p->taken[g + i] = how || p->reserved[g + i];
    }
}

/* What accesses find in granules of one allocation; bytes 0: nothing. A run that is seen half written has 0 bytes. */
static void set_run(const struct space *s, uint64_t g, uint64_t count, uint64_t first, uint64_t bytes)
{
    struct space_run *run = s->private->run + g;
    for (uint64_t i = 0; i < count; i++) {
        if (bytes)
            __atomic_store_n(&run[i].first, first, __ATOMIC_RELAXED);
        __atomic_store_n(&run[i].bytes, bytes, __ATOMIC_RELEASE);
    }
}

/* And what they find of an allocation that shares its granule. */
static void set_steps(const struct space *s, uint64_t g, uint64_t address, uint64_t bytes, bool on)
{
    uint64_t first = (address - s->base) % SPACE_GRANULE / SPACE_ALIGN;
    for (uint64_t i = first; i < first + (bytes + SPACE_ALIGN - 1) / SPACE_ALIGN; i++)
        __atomic_store_n(&s->private->steps[g]->piece[i], on ? first << 32 | bytes : 0, __ATOMIC_RELAXED);
}

/* Is the memory of this kind the device's own? */
static bool of_device(enum space_kind kind)
{
    return kind != SPACE_HOST && kind != SPACE_IMPORTED;
}

static bool has_room(const struct space *s, enum space_kind kind, uint64_t bytes)
{
    if (of_device(kind) && s->capacity - s->private->granted_device < bytes)
        return false;
    return kind == SPACE_IMPORTED || machine_left(s->private) >= bytes; /* imported: another process has paid for it */
}

static void count_granted(struct space *s, enum space_kind kind, int64_t bytes)
{
    struct space_private *p = s->private;
    if (kind != SPACE_IMPORTED)
        p->granted += (uint64_t)bytes;
    if (of_device(kind))
        p->granted_device += (uint64_t)bytes;
}

/* Takes `count` granules for a kind: index of the first, or -1. */
static int64_t take_granules(struct space *s, enum space_kind kind, uint64_t count)
{
    struct space_private *p = s->private;
    uint64_t bytes = count * SPACE_GRANULE;
    if (!has_room(s, kind, bytes))
        return -1;
    int64_t g = places_find(&p->places, kind, count);
    if (g < 0)
        return -1;
    uint64_t address = s->base + (uint64_t)g * SPACE_GRANULE;
    bool failed = host_touches(kind) && mprotect(program_view(address), bytes, PROT_READ | PROT_WRITE);
    places_change(&p->places, kind, (uint32_t)g, (uint32_t)count, failed ? 0 : 1);
    if (failed)
        return -1;
    count_granted(s, kind, (int64_t)bytes);
    granule_live(s, (uint64_t)g, count, host_touches(kind) ? SPACE_EVERYBODYS : 1);
    return g;
}

static void give_granules(struct space *s, uint64_t g, uint64_t count)
{
    struct space_private *p = s->private;
    enum space_kind kind = p->table[g].kind;
    uint64_t address = s->base + g * SPACE_GRANULE, bytes = count * SPACE_GRANULE;
    granule_live(s, g, count, 0);
    places_change(&p->places, kind, (uint32_t)g, (uint32_t)count, -1);
    if (host_touches(kind))
        mprotect(program_view(address), bytes, PROT_NONE);
    if (kind == SPACE_IMPORTED)
        map_piece(address, bytes, p->fd, address - s->base);
    else
        punch(s, address, bytes);
    count_granted(s, kind, -(int64_t)bytes);
    memset(&p->table[g], 0, count * sizeof p->table[g]);
}

/* --- other devices --- */

const struct space *space_of(uint64_t address)
{
    if (!space_is_device_address(address) || address >= SPACE_BASE + SPACE_DEVICES * SPACE_STRIDE)
        return NULL;
    const struct space *s = __atomic_load_n(&opened[(address - SPACE_BASE) / SPACE_STRIDE], __ATOMIC_ACQUIRE);
    return s && address - s->base < s->bytes ? s : NULL;
}

void space_let(struct space *s, const struct space *peer, enum space_way way, bool on)
{
    if (on)
        __atomic_fetch_or(&s->peers[way], UINT32_C(1) << peer->place, __ATOMIC_RELEASE);
    else
        __atomic_fetch_and(&s->peers[way], ~(UINT32_C(1) << peer->place), __ATOMIC_RELEASE);
}

bool space_lets(const struct space *s, const struct space *peer, enum space_way way)
{
    return __atomic_load_n(&s->peers[way], __ATOMIC_ACQUIRE) >> peer->place & 1;
}

const struct space *space_beyond(const struct space *s, uint64_t address)
{
    const struct space *other = space_of(address);
    if (!other)
        return s;
    uint8_t live = __atomic_load_n(&other->live[(address - other->base) / SPACE_GRANULE], __ATOMIC_ACQUIRE);
    bool allowed = live == SPACE_EVERYBODYS || space_lets(s, other, SPACE_BY_PEER) || space_lets(s, other, SPACE_BY_POOL);
    return allowed ? other : s;
}

struct beyond {
    const struct space *from;
    void (*visit)(const struct space_allocation *a, void *user);
    void *user;
};

static void visit_beyond(const struct space_allocation *a, void *user)
{
    const struct beyond *b = user;
    if (space_beyond(b->from, a->address) != b->from)
        b->visit(a, b->user);
}

void space_each_beyond(const struct space *s, void (*visit)(const struct space_allocation *a, void *user), void *user)
{
    struct beyond b = {s, visit, user};
    for (int i = 0; i < SPACE_DEVICES; i++) {
        const struct space *other = __atomic_load_n(&opened[i], __ATOMIC_ACQUIRE);
        if (other && other != s)
            space_each(other, visit_beyond, &b);
    }
}

/* --- debuggers --- */

static bool is_hosts(const struct space_private *p, uint32_t g)
{
    return g < p->granules && p->live[g] && host_touches(p->table[g].kind);
}

/* What host code may not touch is inaccessible again. */
static void hide(const struct space *s)
{
    const struct space_private *p = s->private;
    for (uint32_t g = 0, first = 0; g <= p->granules; g++)
        if (g == p->granules || is_hosts(p, g)) {
            if (g > first)
                mprotect(program_view(s->base + first * SPACE_GRANULE), (g - first) * SPACE_GRANULE, PROT_NONE);
            first = g + 1;
        }
}

void space_expose(struct space *s, bool open)
{
    struct space_private *p = s->private;
    pthread_mutex_lock(&p->lock);
    if (open && !p->exposed++)
        mprotect(program_view(s->base), s->bytes, PROT_READ | PROT_WRITE);
    else if (!open && !--p->exposed)
        hide(s);
    pthread_mutex_unlock(&p->lock);
}

/* --- small allocations --- */

/* What an allocation of `bytes` takes. */
static uint64_t span_of(const struct space_private *p, uint64_t bytes, uint64_t align)
{
    return round_up(bytes + p->padding, align);
}

/* Where the hole before list[i] begins (i == n: the hole behind the last), and its bytes. */
static uint64_t hole(const struct space_private *p, const struct shared *sh, uint64_t base, uint32_t i, uint64_t *bytes)
{
    uint64_t from = i ? sh->list[i - 1].address + span_of(p, sh->list[i - 1].bytes, SPACE_ALIGN) : base;
    uint64_t to = i < sh->n ? sh->list[i].address : base + SPACE_GRANULE;
    *bytes = to - from;
    return from;
}

static void measure_gap(const struct space_private *p, struct shared *sh, uint64_t base)
{
    sh->gap = 0;
    for (uint32_t i = 0; i <= sh->n; i++) {
        uint64_t bytes;
        hole(p, sh, base, i, &bytes);
        sh->gap = bytes > sh->gap ? bytes : sh->gap;
    }
}

/* The oldest shared granule of this kind with a hole of `bytes`; -1: there is none. */
static int64_t find_shared(const struct space_private *p, enum space_kind kind, uint64_t bytes)
{
    for (uint32_t i = 0; i < p->blocks[kind].n; i++)
        if (p->table[p->blocks[kind].granule[i]].shared->gap >= bytes)
            return p->blocks[kind].granule[i];
    return -1;
}

static int64_t make_shared(struct space *s, enum space_kind kind)
{
    struct space_private *p = s->private;
    int64_t g = take_granules(s, kind, 1);
    if (g < 0)
        return -1;
    p->table[g].state = SHARED;
    p->table[g].kind = (uint8_t)kind;
    p->table[g].shared = alloc_zeroed(sizeof *p->table[g].shared);
    p->table[g].shared->gap = SPACE_GRANULE;
    ALLOC_GROW(p->blocks[kind].granule, p->blocks[kind].n, p->blocks[kind].cap);
    p->blocks[kind].granule[p->blocks[kind].n++] = (uint32_t)g;
    if (!p->steps[g])
        __atomic_store_n(&p->steps[g], alloc_zeroed(sizeof **p->steps), __ATOMIC_RELEASE);
    return g;
}

static struct space_allocation *place_small(struct space *s, enum space_kind kind, uint64_t bytes)
{
    struct space_private *p = s->private;
    uint64_t span = span_of(p, bytes, SPACE_ALIGN);
    int64_t g = find_shared(p, kind, span);
    if (g < 0 && (g = make_shared(s, kind)) < 0)
        return NULL;
    struct shared *sh = p->table[g].shared;
    uint64_t base = s->base + (uint64_t)g * SPACE_GRANULE, have, at;
    uint32_t i = 0;
    while (at = hole(p, sh, base, i, &have), have < span)
        i++;
    ALLOC_GROW(sh->list, sh->n, sh->cap);
    memmove(sh->list + i + 1, sh->list + i, (sh->n - i) * sizeof *sh->list);
    sh->n++;
    sh->list[i] = (struct space_allocation){.address = at, .bytes = bytes};
    measure_gap(p, sh, base);
    set_steps(s, (uint64_t)g, at, bytes, true);
    return &sh->list[i];
}

/* Granules that a large allocation takes, which begins so far inside of the first. */
static uint64_t granules_of(const struct space_private *p, uint64_t inside, uint64_t bytes)
{
    return span_of(p, inside + bytes, SPACE_GRANULE) / SPACE_GRANULE;
}

static struct space_allocation *place_large(struct space *s, enum space_kind kind, uint64_t inside, uint64_t bytes)
{
    struct space_private *p = s->private;
    uint64_t count = granules_of(p, inside, bytes);
    int64_t g = take_granules(s, kind, count);
    if (g < 0)
        return NULL;
    for (uint64_t i = 0; i < count; i++) {
        p->table[(uint64_t)g + i].state = i ? BODY : HEAD;
        p->table[(uint64_t)g + i].kind = (uint8_t)kind;
        p->table[(uint64_t)g + i].head = (uint32_t)g;
    }
    struct space_allocation *a = p->table[g].large = alloc_zeroed(sizeof *a);
    *a = (struct space_allocation){.address = s->base + (uint64_t)g * SPACE_GRANULE + inside, .bytes = bytes};
    set_run(s, (uint64_t)g, count, a->address, bytes);
    return a;
}

enum space_status space_alloc(struct space *s, uint64_t bytes, enum space_kind kind, const char *label,
                              uint64_t *address)
{
    struct space_private *p = s->private;
    if (!bytes)
        return SPACE_BAD_ADDRESS;
    if (bytes > s->bytes)
        return SPACE_NO_MEMORY;
    pthread_mutex_lock(&p->lock);
    struct space_allocation was, *a = bytes + p->padding <= SPACE_SMALL_MAX ? place_small(s, kind, bytes) : place_large(s, kind, 0, bytes);
    if (a) {
        a->kind = kind;
        a->label = label ? arena_strdup(&p->labels, label) : NULL;
        a->serial = kind == SPACE_ENGINE ? 0 : ++p->serial;
        *address = a->address;
        was = *a;
    }
    pthread_mutex_unlock(&p->lock);
    if (a && p->see)
        p->see(&was, false, p->see_user);
    return a ? SPACE_OK : SPACE_NO_MEMORY;
}

/* --- memory that processes share --- */

bool space_export(const struct space *s, uint64_t address, struct space_share *out)
{
    struct space_allocation a;
    if (!space_find(s, address, &a) || a.address != address || a.kind != SPACE_PROGRAM)
        return false;
    uint64_t inside = (address - s->base) % SPACE_GRANULE;
    *out = (struct space_share){s->private->fd, address - s->base - inside, inside, a.bytes};
    return true;
}

enum space_status space_import(struct space *s, const struct space_share *share, uint64_t *address)
{
    struct space_private *p = s->private;
    if (!share->bytes || share->bytes > s->bytes || share->inside >= SPACE_GRANULE)
        return SPACE_BAD_ADDRESS;
    pthread_mutex_lock(&p->lock);
    struct space_allocation *a = place_large(s, SPACE_IMPORTED, share->inside, share->bytes);
    bool mapped = a && map_piece(a->address - share->inside, granules_of(p, share->inside, share->bytes) * SPACE_GRANULE, share->fd, share->at);
    if (a) {
        a->kind = SPACE_IMPORTED;
        a->serial = ++p->serial;
        *address = a->address;
    }
    pthread_mutex_unlock(&p->lock);
    if (a && !mapped)
        space_free(s, *address);
    return mapped ? SPACE_OK : SPACE_NO_MEMORY;
}

/* --- what the program maps itself --- */

/* One granule more than asked for stays between two of them, so that no allocation reaches from one into the other. */
static void set_reserved(struct space *s, uint64_t g, uint64_t count, bool on)
{
    struct space_private *p = s->private;
    memset(p->reserved + g, on, count);
    granule_live(s, g, count, 0);
}

enum space_status space_reserve(struct space *s, uint64_t bytes, uint64_t align, uint64_t *address)
{
    struct space_private *p = s->private;
    uint64_t count = bytes / SPACE_GRANULE + 1, step = align > SPACE_GRANULE ? align : SPACE_GRANULE;
    if (!bytes || bytes % SPACE_GRANULE || bytes > s->bytes || step > s->bytes)
        return SPACE_BAD_ADDRESS;
    pthread_mutex_lock(&p->lock);
    int64_t g = places_find(&p->places, SPACE_IMPORTED, count + step / SPACE_GRANULE - 1);
    if (g >= 0) {
        *address = round_up(s->base + (uint64_t)g * SPACE_GRANULE, step);
        set_reserved(s, (*address - s->base) / SPACE_GRANULE, count, true);
    }
    pthread_mutex_unlock(&p->lock);
    return g < 0 ? SPACE_NO_MEMORY : SPACE_OK;
}

void space_unreserve(struct space *s, uint64_t address, uint64_t bytes)
{
    pthread_mutex_lock(&s->private->lock);
    set_reserved(s, (address - s->base) / SPACE_GRANULE, bytes / SPACE_GRANULE + 1, false);
    pthread_mutex_unlock(&s->private->lock);
}

bool space_map(struct space *s, uint64_t address, uint64_t bytes, int fd, uint64_t at)
{
    return fd < 0 ? map_piece(address, bytes, s->private->fd, address - s->base) : map_piece(address, bytes, fd, at);
}

/* Granules that kernels may touch and that the program has mapped become one allocation. */
static void make_stretch(struct space *s, uint64_t g, uint64_t count)
{
    struct space_private *p = s->private;
    struct space_allocation *a = alloc_zeroed(sizeof *a);
    *a = (struct space_allocation){.address = s->base + g * SPACE_GRANULE, .bytes = count * SPACE_GRANULE, .kind = SPACE_IMPORTED, .serial = ++p->serial};
    for (uint64_t i = 0; i < count; i++)
        p->table[g + i] = (struct granule){.state = i ? BODY : HEAD, .kind = SPACE_IMPORTED, .head = (uint32_t)g};
    p->table[g].large = a;
    set_run(s, g, count, a->address, a->bytes);
}

static void forget_stretches(struct space *s, uint64_t from, uint64_t to)
{
    struct space_private *p = s->private;
    for (uint64_t g = from; g < to; g++)
        if (p->table[g].state == HEAD)
            alloc_release(p->table[g].large);
    set_run(s, from, to - from, 0, 0);
    memset(&p->table[from], 0, (to - from) * sizeof p->table[from]);
}

void space_access(struct space *s, uint64_t address, uint64_t bytes, bool on)
{
    struct space_private *p = s->private;
    uint64_t first = (address - s->base) / SPACE_GRANULE, count = bytes / SPACE_GRANULE, from = first, to = first + count;
    pthread_mutex_lock(&p->lock);
    while (from && p->reserved[from - 1] && p->live[from - 1])
        from--;
    while (to < p->granules && p->reserved[to] && p->live[to])
        to++;
    forget_stretches(s, from, to);
    granule_live(s, first, count, on);
    for (uint64_t g = from, end; g < to; g = end) {
        for (end = g; end < to && p->live[end];)
            end++;
        if (end > g)
            make_stretch(s, g, end - g);
        while (end < to && !p->live[end])
            end++;
    }
    if (!on)
        p->freed[p->freed_n++ % FREED_MAX] = (struct space_allocation){.address = address, .bytes = bytes, .kind = SPACE_IMPORTED};
    pthread_mutex_unlock(&p->lock);
}

enum space_status space_pay(struct space *s, uint64_t bytes)
{
    struct space_private *p = s->private;
    pthread_mutex_lock(&p->lock);
    bool room = has_room(s, SPACE_PROGRAM, bytes);
    p->granted_device += room ? bytes : 0;
    pthread_mutex_unlock(&p->lock);
    return room ? SPACE_OK : SPACE_NO_MEMORY;
}

void space_repay(struct space *s, uint64_t bytes)
{
    pthread_mutex_lock(&s->private->lock);
    s->private->granted_device -= bytes;
    pthread_mutex_unlock(&s->private->lock);
}

void space_pad(struct space *s, uint64_t bytes)
{
    s->private->padding = bytes;
}

void space_watch(struct space *s, void (*see)(const struct space_allocation *a, bool freed, void *user), void *user)
{
    s->private->see = see;
    s->private->see_user = user;
}

/* --- taking back --- */

/* Clears the bytes of a small allocation that is no longer listed; i is its former place. Pages that no allocation
 * touches any more go back to the machine. */
static void clear_small(const struct space *s, const struct shared *sh, uint64_t base, uint32_t i,
                        const struct space_allocation *a)
{
    const uint64_t page = 4096;
    uint64_t free_bytes, free_from = hole(s->private, sh, base, i, &free_bytes), free_to = free_from + free_bytes;
    uint64_t from = a->address, to = from + round_up(a->bytes, SPACE_ALIGN);
    uint64_t punch_from = round_up(free_from, page), punch_to = free_to / page * page;
    if (punch_from < from / page * page)
        punch_from = from / page * page;
    if (punch_to > round_up(to, page))
        punch_to = round_up(to, page);
    if (punch_from >= punch_to) {
        memset(space_host(from), 0, to - from);
        return;
    }
    if (from < punch_from)
        memset(space_host(from), 0, punch_from - from);
    if (punch_to < to)
        memset(space_host(punch_to), 0, to - punch_to);
    punch(s, punch_from, punch_to - punch_from);
}

/* Index of the last allocation of a shared granule that begins at or below the address; -1: none. */
static int64_t shared_at(const struct shared *sh, uint64_t address)
{
    int64_t lo = 0, hi = (int64_t)sh->n - 1;
    while (lo <= hi) {
        int64_t mid = (lo + hi) / 2;
        if (sh->list[mid].address <= address)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return hi;
}

static void forget_shared(struct space_private *p, enum space_kind kind, uint32_t granule)
{
    uint32_t i = 0;
    while (p->blocks[kind].granule[i] != granule)
        i++;
    memmove(&p->blocks[kind].granule[i], &p->blocks[kind].granule[i + 1], (--p->blocks[kind].n - i) * sizeof granule);
}

static bool free_small(struct space *s, uint32_t g, uint64_t address, struct space_allocation *was)
{
    struct shared *sh = s->private->table[g].shared;
    uint64_t base = s->base + (uint64_t)g * SPACE_GRANULE;
    int64_t i = shared_at(sh, address);
    if (i < 0 || sh->list[i].address != address)
        return false;
    *was = sh->list[i];
    set_steps(s, g, was->address, was->bytes, false);
    sh->n--;
    memmove(sh->list + i, sh->list + i + 1, (sh->n - (size_t)i) * sizeof *sh->list);
    if (!sh->n) {
        alloc_release(sh->list);
        alloc_release(sh);
        forget_shared(s->private, s->private->table[g].kind, g);
        give_granules(s, g, 1);
        return true;
    }
    clear_small(s, sh, base, (uint32_t)i, was);
    measure_gap(s->private, sh, base);
    return true;
}

static bool free_large(struct space *s, uint32_t g, uint64_t address, struct space_allocation *was)
{
    struct space_allocation *a = s->private->table[g].large;
    if (a->address != address)
        return false;
    *was = *a;
    alloc_release(a);
    uint64_t count = granules_of(s->private, (was->address - s->base) % SPACE_GRANULE, was->bytes);
    set_run(s, g, count, 0, 0);
    give_granules(s, g, count);
    return true;
}

enum space_status space_free(struct space *s, uint64_t address)
{
    struct space_private *p = s->private;
    struct space_allocation was;
    bool done = false;
    if (address - s->base >= s->bytes)
        return SPACE_BAD_ADDRESS;
    uint32_t g = (uint32_t)((address - s->base) / SPACE_GRANULE);
    pthread_mutex_lock(&p->lock);
    if (p->table[g].state == SHARED)
        done = free_small(s, g, address, &was);
    else if (p->table[g].state == HEAD)
        done = free_large(s, g, address, &was);
    if (done)
        p->freed[p->freed_n++ % FREED_MAX] = was;
    pthread_mutex_unlock(&p->lock);
    if (done && p->see)
        p->see(&was, true, p->see_user);
    return done ? SPACE_OK : SPACE_BAD_ADDRESS;
}

/* --- looking up --- */

/* The allocation of granule g that is nearest below the address (begins at or before it), or NULL. */
static const struct space_allocation *below_in(const struct space_private *p, uint32_t g, uint64_t address)
{
    const struct granule *t = &p->table[g];
    if (t->state == BODY)
        t = &p->table[t->head];
    if (t->state == HEAD)
        return t->large;
    if (t->state == SHARED) {
        int64_t i = shared_at(t->shared, address);
        return i < 0 ? NULL : &t->shared->list[i];
    }
    return NULL;
}

/* The allocation of granule g that is nearest above the address, or NULL. */
static const struct space_allocation *above_in(const struct space_private *p, uint32_t g, uint64_t address)
{
    const struct granule *t = &p->table[g];
    if (t->state == HEAD)
        return t->large->address > address ? t->large : NULL;
    if (t->state == SHARED) {
        int64_t i = shared_at(t->shared, address) + 1;
        return i < t->shared->n ? &t->shared->list[i] : NULL;
    }
    return NULL;
}

static bool holds(const struct space_allocation *a, uint64_t address)
{
    return address - a->address < a->bytes;
}

static bool find_locked(const struct space *s, uint64_t address, struct space_allocation *out)
{
    const struct space_private *p = s->private;
    uint64_t inside = address < s->base ? s->base : address - s->base >= s->bytes ? s->base + s->bytes - 1 : address;
    uint32_t at = (uint32_t)((inside - s->base) / SPACE_GRANULE);
    const struct space_allocation *below = NULL, *above = NULL;
    for (uint32_t g = at + 1; g-- > 0 && !below;)
        below = p->live[g] ? below_in(p, g, inside) : NULL;
    if (below && holds(below, address)) {
        *out = *below;
        return true;
    }
    for (uint32_t g = at; g < p->granules && !above; g++)
        above = p->live[g] ? above_in(p, g, address) : NULL;
    memset(out, 0, sizeof *out);
    if (below && (!above || address - (below->address + below->bytes) <= above->address - address))
        *out = *below;
    else if (above)
        *out = *above;
    return false;
}

bool space_find(const struct space *s, uint64_t address, struct space_allocation *out)
{
    pthread_mutex_lock(&s->private->lock);
    bool found = find_locked(s, address, out);
    pthread_mutex_unlock(&s->private->lock);
    return found;
}

uint64_t space_newest(const struct space *s)
{
    pthread_mutex_lock(&s->private->lock);
    uint64_t serial = s->private->serial;
    pthread_mutex_unlock(&s->private->lock);
    return serial;
}

bool space_find_freed(const struct space *s, uint64_t address, struct space_allocation *out)
{
    struct space_private *p = s->private;
    bool found = false;
    pthread_mutex_lock(&p->lock);
    uint64_t kept = p->freed_n < FREED_MAX ? p->freed_n : FREED_MAX;
    for (uint64_t i = 1; i <= kept && !found; i++) {
        const struct space_allocation *a = &p->freed[(p->freed_n - i) % FREED_MAX];
        found = holds(a, address);
        if (found)
            *out = *a;
    }
    pthread_mutex_unlock(&p->lock);
    return found;
}

bool space_freed_between(const struct space *s, uint64_t from, uint64_t to)
{
    struct space_private *p = s->private;
    bool found = false;
    pthread_mutex_lock(&p->lock);
    for (uint64_t i = 0; i < p->freed_n && i < FREED_MAX && !found; i++)
        found = p->freed[i].address < to && from < p->freed[i].address + p->freed[i].bytes;
    pthread_mutex_unlock(&p->lock);
    return found;
}

void space_info(const struct space *s, uint64_t *free_bytes, uint64_t *total_bytes)
{
    struct space_private *p = s->private;
    pthread_mutex_lock(&p->lock);
    uint64_t device = s->capacity - p->granted_device, machine = machine_left(p) / SPACE_GRANULE * SPACE_GRANULE;
    pthread_mutex_unlock(&p->lock);
    *free_bytes = device < machine ? device : machine;
    *total_bytes = s->capacity;
}

void space_each(const struct space *s, void (*visit)(const struct space_allocation *a, void *user), void *user)
{
    struct space_private *p = s->private;
    pthread_mutex_lock(&p->lock);
    static const uint8_t none[64];
    for (uint32_t g = 0; g < p->granules; g++) {
        if (g % sizeof none == 0 && g + sizeof none <= p->granules && !memcmp(p->live + g, none, sizeof none)) {
            g += sizeof none - 1; /* most of the range is empty */
            continue;
        }
        if (!p->live[g])
            continue;
        if (p->table[g].state == HEAD)
            visit(p->table[g].large, user);
        for (uint32_t i = 0; p->table[g].state == SHARED && i < p->table[g].shared->n; i++)
            visit(&p->table[g].shared->list[i], user);
    }
    pthread_mutex_unlock(&p->lock);
}

void space_pretend_available(uint64_t bytes)
{
    machine_pretend_available(bytes);
}
