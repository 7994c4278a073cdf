/* Kernels that launch kernels: what they ask of the engine while they run, and what is run when they have ended (simt/children.h). */
#include "engine/private.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "simt/children.h"

enum { /* of cudaError_t: what device code is answered, as an H200 does it (tests/truth/launches) */
    SUCCESS = 0, INVALID_VALUE = 1, INVALID_CONFIGURATION = 9, SYNC_DEPTH_EXCEEDED = 68, INVALID_DEVICE_FUNCTION = 98, NOT_SUPPORTED = 801
};

/* Who asks: a launch of this kernel, whose children are run so. */
struct parent {
    heddle_kernel *kernel;
    struct engine_family family;
};

/* The kernel at an address of the module's code, or NULL. */
static heddle_kernel *kernel_at(heddle_module *m, uint64_t address)
{
    heddle_kernel *k = NULL;
    uint64_t first = __atomic_load_n(&m->code, __ATOMIC_RELAXED);
    if (!first && m->ptx->nfuncs) { /* it reads the whole text */
        first = ir_function_address(m->ptx, m->ptx->funcs[0]);
        __atomic_store_n(&m->code, first, __ATOMIC_RELAXED);
    }
    uint64_t i = (address - first) / 16;
    if (address < first || (address - first) % 16 || i >= (uint64_t)m->ptx->nfuncs || !m->ptx->funcs[i]->entry)
        return NULL;
    return heddle_kernel_find(m, m->ptx->funcs[i]->name, &k) ? NULL : k;
}

static void config_of(const struct child *c, heddle_launch_config *out)
{
    *out = (heddle_launch_config){.shared_bytes = c->launch.shared};
    memcpy(out->grid, c->launch.grid, sizeof out->grid);
    memcpy(out->block, c->launch.block, sizeof out->block);
}

static heddle_module *module_of(const void *user)
{
    return ((const struct parent *)user)->kernel->module;
}

/* Without opting in, static and dynamic shared memory of a block share the device's ordinary limit. */
static int may_launch(void *user, const struct child *c)
{
    heddle_module *m = module_of(user);
    heddle_kernel *k = kernel_at(m, c->launch.function);
    const struct device *d = &m->device->spec;
    heddle_launch_config config;
    if (!k)
        return INVALID_DEVICE_FUNCTION;
    if (kernel_compile(k))
        return NOT_SUPPORTED;
    config_of(c, &config);
    if ((int64_t)(c->launch.shared + k->ir->shared_dynamic) > d->max_shared_per_block || launch_check(k, &config))
        return INVALID_CONFIGURATION;
    return c->launch.bytes == k->ir->param_bytes ? SUCCESS : INVALID_VALUE;
}

static int parameters(void *user, uint64_t function, uint32_t *bytes)
{
    heddle_kernel *k = kernel_at(module_of(user), function);
    if (!k)
        return INVALID_DEVICE_FUNCTION;
    if (kernel_compile(k))
        return NOT_SUPPORTED;
    *bytes = (uint32_t)k->ir->param_bytes;
    return SUCCESS;
}

static int attribute(void *user, int which, int device, int *value)
{
    const struct engine_asked *a = &module_of(user)->device->asked;
    return a->attribute ? a->attribute(which, device, value) : INVALID_VALUE;
}

static int limit(void *user, int which, uint64_t *value)
{
    const heddle_device *d = module_of(user)->device;
    return d->asked.limit ? d->asked.limit(d->index, which, value) : INVALID_VALUE;
}

static int function(void *user, uint64_t address, struct child_function *out)
{
    heddle_kernel *k = kernel_at(module_of(user), address);
    heddle_kernel_info info;
    const struct device *d = &module_of(user)->device->spec;
    if (!k || heddle_kernel_describe(k, &info))
        return INVALID_DEVICE_FUNCTION;
    *out = (struct child_function){.shared = info.static_shared, .constant = info.constant, .local = info.local,
                                   .max_threads = info.max_threads, .registers = info.registers, .ptx_version = info.arch,
                                   .binary_version = (int32_t)(d->cc_major * 10 + d->cc_minor),
                                   .max_dynamic_shared = (int32_t)(d->max_shared_per_block - (int64_t)info.static_shared), .carveout = -1};
    return SUCCESS;
}

static int occupancy(void *user, uint64_t address, int threads, uint64_t shared, int *blocks)
{
    heddle_kernel *k = kernel_at(module_of(user), address);
    if (!k)
        return INVALID_DEVICE_FUNCTION;
    return heddle_occupancy(k, threads, shared, blocks) ? INVALID_VALUE : SUCCESS;
}

/* --- running them --- */

/* What is left to do: the next is on top. */
struct left {
    struct child child;
    struct parent parent;
};

struct stack {
    struct left *work;
    int n, cap;
};

static void push_work(struct stack *s, const struct parent *parent, const struct child *work, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        ALLOC_GROW(s->work, s->n, s->cap);
        s->work[s->n++] = (struct left){work[i], *parent};
    }
}

static void push(struct stack *s, struct children **of)
{
    struct children *c = *of;
    if (!c)
        return;
    children_sort(c);
    push_work(s, c->user, c->work, c->n);
    c->n = 0;
    launch_children_drop(of);
}

static heddle_status run_copy(heddle_device *d, const struct child *c)
{
    heddle_status s = HEDDLE_OK;
    for (uint64_t y = 0; y < c->copy.height && !s; y++)
        s = heddle_copy(d, c->copy.to + y * c->copy.to_pitch, c->copy.from + y * c->copy.from_pitch, c->copy.width);
    return s;
}

static heddle_status run_fill(heddle_device *d, const struct child *c)
{
    heddle_status s = HEDDLE_OK;
    for (uint64_t y = 0; y < c->fill.height && !s; y++)
        s = heddle_fill(d, c->fill.to + y * c->fill.pitch, c->fill.value, 1, c->fill.width);
    return s;
}

static heddle_status run_launch(const struct left *l, struct children **children)
{
    const struct child *c = &l->child;
    const struct engine_family *f = &l->parent.family;
    heddle_kernel *k = kernel_at(l->parent.kernel->module, c->launch.function);
    heddle_launch_config config;
    void **args = alloc_zeroed(((size_t)k->ir->nparams + 1) * sizeof *args);
    for (int i = 0; i < k->ir->nparams; i++)
        args[i] = c->launch.parameters + k->ir->params[i].offset;
    config_of(c, &config);
    struct engine_child child = {k, &config, args, l->parent.kernel, f->tag, f->depth + 1};
    heddle_status s = f->run(&child, children, f->user);
    alloc_release(args);
    return s;
}

static void drop(const struct left *l)
{
    if (l->child.kind == CHILD_LAUNCH)
        alloc_release(l->child.launch.parameters);
}

static void drop_all(struct stack *s)
{
    while (s->n)
        drop(&s->work[--s->n]);
    alloc_release(s->work);
}

/* All of it, and what comes of it. */
static heddle_status run_all(heddle_device *dev, struct stack *s)
{
    heddle_status status = HEDDLE_OK;
    while (s->n) {
        struct left l = s->work[--s->n];
        struct children *more = NULL;
        if (!status)
            status = l.child.kind == CHILD_COPY   ? run_copy(dev, &l.child)
                     : l.child.kind == CHILD_FILL ? run_fill(dev, &l.child)
                                                  : run_launch(&l, &more);
        drop(&l);
        push(s, &more);
    }
    alloc_release(s->work);
    return status;
}

heddle_status engine_run_children(heddle_device *dev, struct children *children)
{
    struct stack s = {0};
    push(&s, &children);
    return run_all(dev, &s);
}

/* --- parents that wait --- */

/* Up to which depth: two levels, or what the program asked for. */
static int may_wait(void *user)
{
    enum { SYNC_DEPTH = 3 }; /* cudaLimitDevRuntimeSyncDepth */
    const struct parent *p = user;
    uint64_t depth = 0;
    if (limit(user, SYNC_DEPTH, &depth))
        return -1;
    return (uint64_t)p->family.depth < depth ? SUCCESS : SYNC_DEPTH_EXCEEDED;
}

struct waiting {
    heddle_device *device;
    struct stack left;
    heddle_status status;
    struct strbuf *why;
};

static void *run_waited_for(void *user)
{
    struct waiting *w = user;
    w->status = run_all(w->device, &w->left);
    if (w->status)
        strbuf_adds(w->why, heddle_error_text());
    return NULL;
}

/* A launch is of one thread: what runs in the middle of it has its own, with the launch's checker put aside. */
static int wait(void *user, struct child *work, int n, struct strbuf *why)
{
    struct parent *p = user;
    heddle_device *d = p->kernel->module->device;
    struct waiting w = {.device = d, .why = why};
    pthread_t thread;
    heddle_kernel *checked = d->checked;
    bool untold = d->untold;
    uint64_t newest = d->newest;
    push_work(&w.left, p, work, n);
    alloc_release(work);
    if (!pthread_create(&thread, NULL, run_waited_for, &w)) {
        pthread_join(thread, NULL);
    } else {
        drop_all(&w.left);
        w.status = HEDDLE_OUT_OF_MEMORY;
        strbuf_adds(why, "no thread for the kernels that are waited for");
    }
    d->checked = checked;
    d->untold = untold;
    d->newest = newest;
    return w.status;
}

/* --- a launch and its children --- */

void engine_asked(heddle_device *dev, const struct engine_asked *a)
{
    dev->asked = *a;
}

void engine_pending(heddle_device *dev, uint64_t most)
{
    dev->most_pending = most;
}

struct children *launch_children(heddle_kernel *k, const struct engine_family *family)
{
    static const struct child_questions questions = {may_launch, parameters, attribute, limit, function, occupancy, may_wait};
    if (!interp_asks_runtime(k->code))
        return NULL;
    struct children *c = alloc_zeroed(sizeof *c);
    struct parent *parent = alloc_zeroed(sizeof *parent);
    heddle_device *d = k->module->device;
    *parent = (struct parent){k, *family};
    children_init(c, &questions, wait, parent, d->index, d->most_pending < INT32_MAX ? (int)d->most_pending : INT32_MAX);
    return c;
}

void launch_children_drop(struct children **c)
{
    if (*c) {
        children_release(*c);
        alloc_release((*c)->user);
        alloc_release(*c);
    }
    *c = NULL;
}

static heddle_status run_plain(const struct engine_child *c, struct children **children, void *user)
{
    return engine_launch(c->kernel, c->config, c->args, NULL, &(struct engine_family){run_plain, user, 0, c->depth}, children);
}

heddle_status heddle_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args, heddle_result **result)
{
    struct children *children;
    heddle_status s = engine_launch(k, cfg, args, result, &(struct engine_family){run_plain, NULL, 0, 0}, &children);
    heddle_status of_children = children ? engine_run_children(k->module->device, children) : HEDDLE_OK;
    return s ? s : of_children;
}
