/* Contexts (see context.h). Guarded by runtime_lock, but for the threads' own stacks. */
#include "runtime/context.h"

#include "base/alloc.h"
#include "base/table.h"
#include "runtime/pool.h"

enum { DEEPEST = 64 };

static struct context primaries[RUNTIME_DEVICES];
static struct pool created = {.size = (sizeof(struct context) + 15) / 16 * 16};
static uint64_t ids = RUNTIME_DEVICES; /* primary ones: 1 to RUNTIME_DEVICES */

/* A place on a stack: a context that was destroyed is told from a later one at the same address by its id. */
struct entry {
    struct context *context;
    uint64_t id;
};
static _Thread_local struct entry stack[DEEPEST];
static _Thread_local int depth;

struct context *context_primary(int device)
{
    struct context *c = &primaries[device];
    pthread_mutex_lock(&runtime_lock);
    if (!c->alive)
        *c = (struct context){.alive = true, .device = device, .primary = true, .id = (uint64_t)device + 1};
    pthread_mutex_unlock(&runtime_lock);
    return c;
}

struct context *context_new(int device, unsigned flags)
{
    pthread_mutex_lock(&runtime_lock);
    struct context *c = pool_take(&created);
    c->device = device;
    c->uses = 1;
    c->flags = flags;
    c->id = ++ids;
    pthread_mutex_unlock(&runtime_lock);
    return c;
}

void context_free(struct context *c)
{
    pthread_mutex_lock(&runtime_lock);
    pool_give(&created, c);
    pthread_mutex_unlock(&runtime_lock);
}

static bool is_primary(const struct context *c)
{
    for (int i = 0; i < RUNTIME_DEVICES; i++)
        if (c == &primaries[i])
            return c->alive;
    return false;
}

bool context_live(const struct context *c)
{
    pthread_mutex_lock(&runtime_lock);
    bool live = is_primary(c) || pool_holds(&created, c);
    pthread_mutex_unlock(&runtime_lock);
    return live;
}

bool context_destroyed(const struct context *c)
{
    pthread_mutex_lock(&runtime_lock);
    bool was = pool_has_place(&created, c) && c->id && !c->alive; /* without an id: none yet */
    pthread_mutex_unlock(&runtime_lock);
    return was;
}

/* --- the thread's stack --- */

struct context *context_current(bool *gone)
{
    const struct entry *top = depth ? &stack[depth - 1] : NULL;
    *gone = top && (!top->context->alive || top->context->id != top->id);
    return top ? top->context : NULL;
}

bool context_push(struct context *c)
{
    if (depth == DEEPEST)
        return false;
    stack[depth++] = (struct entry){c, c->id};
    return true;
}

bool context_pop(struct context **c)
{
    if (!depth)
        return false;
    *c = stack[--depth].context;
    return true;
}

void context_set(struct context *c)
{
    if (depth)
        depth--;
    if (c)
        context_push(c);
}

/* Every call of every thread comes here, and the flag stays once it is set. */
static void mark(bool *flag)
{
    if (!__atomic_load_n(flag, __ATOMIC_RELAXED))
        __atomic_store_n(flag, true, __ATOMIC_RELAXED);
}

cudaError_t context_bind(int device)
{
    bool gone;
    struct context *c = context_current(&gone);
    if (!c) {
        c = context_primary(device);
        mark(&c->runtime);
        context_push(c);
    }
    if (c->primary)
        mark(&c->active);
    return gone ? cudaErrorContextIsDestroyed : cudaSuccess;
}

/* --- what belongs to which: only what is not the primary contexts' is kept --- */

struct owned {
    uint64_t address; /* the key */
    const struct context *by;
    uint64_t id; /* of the context; 0: nobody's any longer */
};
static struct table owned;

static struct owned *owned_at(uint64_t address)
{
    return table_getn(&owned, (const char *)&address, sizeof address);
}

void context_owns(uint64_t address)
{
    bool gone;
    const struct context *c = context_current(&gone);
    if (!c || c->primary || gone || !address)
        return;
    pthread_mutex_lock(&runtime_lock);
    struct owned *o = owned_at(address);
    if (!o) {
        o = alloc_zeroed(sizeof *o);
        o->address = address;
        table_setn(&owned, (const char *)&o->address, sizeof o->address, o);
    }
    o->by = c;
    o->id = c->id;
    pthread_mutex_unlock(&runtime_lock);
}

void context_disowns(uint64_t address)
{
    pthread_mutex_lock(&runtime_lock);
    struct owned *o = owned.n ? owned_at(address) : NULL;
    if (o)
        o->id = 0;
    pthread_mutex_unlock(&runtime_lock);
}

uint64_t *context_owned(const struct context *c, size_t *n)
{
    pthread_mutex_lock(&runtime_lock);
    uint64_t *list = alloc_zeroed((owned.n + 1) * sizeof *list);
    *n = 0;
    for (size_t i = 0; i < owned.cap; i++) {
        const struct owned *o = owned.slots[i].value;
        if (o && o->id == c->id)
            list[(*n)++] = o->address;
    }
    pthread_mutex_unlock(&runtime_lock);
    return list;
}
