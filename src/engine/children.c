/* Kernels that launch kernels: what they ask of the engine while they run, and what is run when they have ended (simt/children.h). */
#include "engine/private.h"

#include <string.h>

#include "base/alloc.h"
#include "simt/children.h"

enum { /* of cudaError_t: what device code is answered, as an H200 does it (tests/truth/launches) */
    SUCCESS = 0, INVALID_VALUE = 1, INVALID_CONFIGURATION = 9, INVALID_DEVICE_FUNCTION = 98, NOT_SUPPORTED = 801
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

/* Without opting in, static and dynamic shared memory of a block share the device's ordinary limit. */
static int may_launch(void *user, const struct child *c)
{
    heddle_kernel *parent = user, *k = kernel_at(parent->module, c->launch.function);
    const struct device *d = &parent->module->device->spec;
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
    heddle_kernel *parent = user, *k = kernel_at(parent->module, function);
    if (!k)
        return INVALID_DEVICE_FUNCTION;
    if (kernel_compile(k))
        return NOT_SUPPORTED;
    *bytes = (uint32_t)k->ir->param_bytes;
    return SUCCESS;
}

static int attribute(void *user, int which, int device, int *value)
{
    const heddle_kernel *k = user;
    const struct engine_asked *a = &k->module->device->asked;
    return a->attribute ? a->attribute(which, device, value) : INVALID_VALUE;
}

static int limit(void *user, int which, uint64_t *value)
{
    const heddle_kernel *k = user;
    const struct engine_asked *a = &k->module->device->asked;
    return a->limit ? a->limit(k->module->device->index, which, value) : INVALID_VALUE;
}

static int function(void *user, uint64_t address, struct child_function *out)
{
    heddle_kernel *parent = user, *k = kernel_at(parent->module, address);
    heddle_kernel_info info;
    const struct device *d = &parent->module->device->spec;
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
    heddle_kernel *parent = user, *k = kernel_at(parent->module, address);
    if (!k)
        return INVALID_DEVICE_FUNCTION;
    return heddle_occupancy(k, threads, shared, blocks) ? INVALID_VALUE : SUCCESS;
}

void engine_asked(heddle_device *dev, const struct engine_asked *a)
{
    dev->asked = *a;
}

void engine_pending(heddle_device *dev, uint64_t most)
{
    dev->most_pending = most;
}

struct children *launch_children(heddle_kernel *k)
{
    static const struct child_questions questions = {may_launch, parameters, attribute, limit, function, occupancy};
    if (!interp_asks_runtime(k->code))
        return NULL;
    struct children *c = alloc_zeroed(sizeof *c);
    heddle_device *d = k->module->device;
    children_init(c, &questions, k, d->index, d->most_pending < INT32_MAX ? (int)d->most_pending : INT32_MAX);
    return c;
}

void launch_children_drop(struct children **c)
{
    if (*c) {
        children_release(*c);
        alloc_release(*c);
    }
    *c = NULL;
}

/* --- running them --- */

/* What is left to do: the next is on top. */
struct left {
    struct child child;
    heddle_kernel *parent;
    int64_t tag; /* of the parent's children */
};

struct stack {
    struct left *work;
    int n, cap;
};

static void push(struct stack *s, struct children **of)
{
    struct children *c = *of;
    if (!c)
        return;
    children_sort(c);
    for (int i = c->n - 1; i >= 0; i--) {
        ALLOC_GROW(s->work, s->n, s->cap);
        s->work[s->n++] = (struct left){c->work[i], c->user, c->tag};
    }
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

static heddle_status run_launch(const struct left *l, engine_child_fn *run, void *user, struct children **children)
{
    const struct child *c = &l->child;
    heddle_kernel *k = kernel_at(l->parent->module, c->launch.function);
    heddle_launch_config config;
    void **args = alloc_zeroed(((size_t)k->ir->nparams + 1) * sizeof *args);
    for (int i = 0; i < k->ir->nparams; i++)
        args[i] = c->launch.parameters + k->ir->params[i].offset;
    config_of(c, &config);
    struct engine_child child = {k, &config, args, l->parent, l->tag};
    heddle_status s = run(&child, children, user);
    alloc_release(args);
    return s;
}

void engine_tag_children(struct children *children, int64_t tag)
{
    children->tag = tag;
}

heddle_status engine_run_children(heddle_device *dev, struct children *children, engine_child_fn *run, void *user)
{
    struct stack s = {0};
    heddle_status status = HEDDLE_OK;
    push(&s, &children);
    while (s.n) {
        struct left l = s.work[--s.n];
        struct children *more = NULL;
        if (!status)
            status = l.child.kind == CHILD_COPY   ? run_copy(dev, &l.child)
                     : l.child.kind == CHILD_FILL ? run_fill(dev, &l.child)
                                                  : run_launch(&l, run, user, &more);
        if (l.child.kind == CHILD_LAUNCH)
            alloc_release(l.child.launch.parameters);
        push(&s, &more);
    }
    alloc_release(s.work);
    return status;
}

static heddle_status run_plain(const struct engine_child *c, struct children **children, void *user)
{
    (void)user;
    return engine_launch(c->kernel, c->config, c->args, NULL, children);
}

heddle_status heddle_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args, heddle_result **result)
{
    struct children *children;
    heddle_status s = engine_launch(k, cfg, args, result, &children);
    heddle_status of_children = children ? engine_run_children(k->module->device, children, run_plain, NULL) : HEDDLE_OK;
    return s ? s : of_children;
}
