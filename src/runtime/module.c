/* Registration of embedded device code and its loading at first use (see module.h).
 *
 * The __cudaRegister* functions are the ABI of clang's host code (LLVM, clang/lib/CodeGen/CGCUDANV.cpp; include/
 * cuda_runtime_api.h). They only take notes: a program with broken device code runs until it uses it, and then says so
 * with the diagnostics, once per blob and device. Managed variables are the exception: host code may look at one before
 * any call, so those of a file get their first values when it is registered. */
#define _GNU_SOURCE /* dladdr */
#include "runtime/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/blob.h"
#include "base/diag.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "device/occupancy.h"
#include "engine.h"
#include "ptx/link.h"
#include "ptx/ptx.h"
#include "runtime/output.h"
#include "runtime/queue.h"
#include "space/registered.h"
#include "step/step.h"

#define WRAPPER_MAGIC 0x466243b1 /* clang's and nvcc's, section .nvFatBinSegment */

struct wrapper {
    int magic, version;
    const void *data;
    void *unused;
};

/* One embedded blob and what it became on each device. The relocatable ones of an executable or shared library make one
 * module: `leader` is the first of them and holds it, and each has a pointer to it. Others lead themselves. */
struct binary {
    struct binary *leader, *next; /* next: of the same leader, in order of registration */
    const void *image;            /* where the executable or library lies in memory; NULL: not relocatable */
    int unit;                     /* the how manyth of its leader's */
    const struct blob_header *blob; /* NULL: not made by Heddle */
    struct blob_header *copy;       /* the blob, when the program gave it at run time (module_open) */
    char name[48];                  /* stands in messages */
    bool gone;                      /* its library was unloaded */
    bool managed;                   /* has managed variables */
    bool tried[RUNTIME_DEVICES];
    cudaError_t error[RUNTIME_DEVICES];
    heddle_module *module[RUNTIME_DEVICES];
    struct function *functions;
    struct variable *variables;
};

struct function {
    const void *stub; /* the key */
    const void *self; /* a second key, of those that someone asked a handle of: this function itself */
    const char *name;
    struct binary *binary;
    struct runtime_kernel on[RUNTIME_DEVICES];
    struct function *next; /* of the same binary */
};

struct variable {
    const void *shadow; /* the key; of a managed variable: where it is */
    bool managed;
    bool texture, fractions; /* a texture reference, and how it reads integers */
    bool surface;            /* a surface reference */
    const char *name;
    struct binary *binary;
    size_t bytes;
    uint64_t address[RUNTIME_DEVICES]; /* 0: not looked up yet */
    struct variable *next;
};

/* Guards all of the above; held while a module is loaded. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table functions, variables; /* by the bytes of the host pointer */
static struct binary *leaders[64];        /* of relocatable code */
static int nleaders;

static void *by_pointer(const struct table *t, const void *p)
{
    return table_getn(t, (const char *)&p, sizeof p);
}

/* --- registration --- */

/* Finds those that belong together: nvlink joins what is linked into one executable or shared library. */
static void join_image(struct binary *b)
{
    Dl_info where;
    if (!b->blob || !b->blob->relocatable || !dladdr(b->blob, &where))
        return;
    b->image = where.dli_fbase;
    int i = 0;
    while (i < nleaders && (leaders[i]->image != b->image || leaders[i]->gone))
        i++;
    if (i == (int)(sizeof leaders / sizeof *leaders))
        return;
    if (i == nleaders) {
        leaders[nleaders++] = b;
        return;
    }
    struct binary *last = leaders[i];
    while (last->next)
        last = last->next;
    b->leader = leaders[i];
    b->unit = last->unit + 1;
    last->next = b;
}

/* Called by what `heddle build -G` adds to a file, before __cudaRegisterFatBinary (compile/stepping.c). */
__attribute__((visibility("default"))) void heddle_register_steps(const struct steps *s);

void heddle_register_steps(const struct steps *s)
{
    steps_register(s);
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    const struct wrapper *w = wrapper;
    const struct blob_header *blob = w && w->magic == WRAPPER_MAGIC ? w->data : NULL;
    struct binary *b = alloc_zeroed(sizeof *b);
    if (blob && !memcmp(blob->magic, BLOB_MAGIC, sizeof blob->magic) && blob->version == BLOB_VERSION)
        b->blob = blob;
    memcpy(b->name, "embedded device code", sizeof "embedded device code");
    b->leader = b;
    pthread_mutex_lock(&lock);
    join_image(b);
    pthread_mutex_unlock(&lock);
    return (void **)b;
}

/* --- managed variables: where the host has them --- */

static struct variable *variable_named(const struct binary *b, const char *name)
{
    struct variable *v = b->variables;
    while (v && strcmp(v->name, name))
        v = v->next;
    return v;
}

/* Pointers to managed variables in the initialiser of one. Those to anything else are known when the module is loaded. */
static void relocate_managed(const struct binary *b, const struct ptx_var *var, char *to)
{
    for (int i = 0; i < var->nrelocs; i++) {
        const struct ptx_reloc *r = &var->reloc[i];
        const struct variable *of = r->var && r->var->managed ? variable_named(b, r->var->name) : NULL;
        uint64_t value = (uint64_t)(uintptr_t)(of ? of->shadow : NULL) + (uint64_t)r->addend;
        if (of)
            memcpy(to + r->at, &value, r->bytes);
    }
}

/* Its first value. The lock is held. */
static void begin_managed(struct binary *b, const struct ptx_var *var)
{
    struct variable *v = variable_named(b, var->name);
    if (!v || v->bytes != var->size) /* the host has nothing of it: it lies on the device */
        return;
    if (!v->managed)
        registered_add(&(struct registered){(uint64_t)(uintptr_t)v->shadow, v->bytes, 0, v->name});
    v->managed = b->managed = true;
    char *to = (char *)(uintptr_t)v->shadow;
    if (var->init)
        memcpy(to, var->init, v->bytes);
    else
        memset(to, 0, v->bytes);
    relocate_managed(b, var, to);
}

/* Does it for each managed variable that the text defines. What is wrong in a text is said when its module is loaded. */
static void each_managed(struct binary *b, void (*one)(struct binary *, const struct ptx_var *))
{
    static const char mark[] = ".attribute(.managed)"; /* as clang and nvcc print it */
    const char *text = b->blob ? (const char *)(b->blob + 1) : NULL;
    struct diag_list diags;
    if (!text || !memmem(text, b->blob->ptx_bytes, mark, sizeof mark - 1))
        return;
    diag_init(&diags);
    struct ptx_module *m = ptx_parse(b->name, text, b->blob->ptx_bytes, &diags);
    for (int i = 0; m && i < m->nvars; i++)
        if (m->vars[i]->managed && m->vars[i]->linkage != PTX_LINK_EXTERN)
            one(b, m->vars[i]);
    if (m)
        ptx_free(m);
    diag_release(&diags);
}

static void end_managed(const struct binary *b)
{
    for (struct variable *v = b->variables; v; v = v->next)
        if (v->managed)
            registered_remove((uint64_t)(uintptr_t)v->shadow);
}

/* engine_module_load's question: where a managed variable of the joined text lies. */
static uint64_t place_managed(const char *name, void *user)
{
    struct strbuf own;
    const struct variable *found = NULL;
    strbuf_init(&own);
    for (const struct binary *b = user; b && !found; b = b->next) {
        for (const struct variable *v = b->variables; v && !found; v = v->next) {
            strbuf_clear(&own);
            bool numbered = b->image && ptx_link_name(v->name, b->unit, &own);
            if (v->managed && (!strcmp(v->name, name) || (numbered && !strcmp(own.s, name))))
                found = v;
        }
    }
    strbuf_release(&own);
    return found ? (uint64_t)(uintptr_t)found->shadow : 0;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    pthread_mutex_lock(&lock);
    each_managed((struct binary *)handle, begin_managed);
    pthread_mutex_unlock(&lock);
}

int __cudaRegisterFunction(void **handle, const char *hostStub, char *deviceFun, const char *deviceName,
                           int threadLimit, void *tid, void *bid, void *bDim, void *gDim, int *wSize)
{
    struct function *f = alloc_zeroed(sizeof *f);
    (void)deviceFun, (void)threadLimit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    f->stub = hostStub;
    f->name = deviceName;
    f->binary = (struct binary *)handle;
    pthread_mutex_lock(&lock);
    f->next = f->binary->functions;
    f->binary->functions = f;
    table_setn(&functions, (const char *)&f->stub, sizeof f->stub, f);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void add_variable(const struct variable *what)
{
    struct variable *v = alloc_zeroed(sizeof *v);
    *v = *what;
    pthread_mutex_lock(&lock);
    v->next = v->binary->variables;
    v->binary->variables = v;
    table_setn(&variables, (const char *)&v->shadow, sizeof v->shadow, v);
    pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *hostShadow, char *deviceAddress, const char *deviceName, int ext,
                       size_t size, int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    add_variable(&(struct variable){.shadow = hostShadow, .name = deviceName, .bytes = size,
                                    .binary = (struct binary *)handle});
}

/* `normalized` is the template's read mode. */
void __cudaRegisterTexture(void **handle, const struct textureReference *hostVariable, const void **deviceAddress,
                           const char *deviceName, int dimensions, int normalized, int ext)
{
    (void)deviceAddress, (void)dimensions, (void)ext;
    add_variable(&(struct variable){.shadow = hostVariable, .name = deviceName, .bytes = sizeof(uint64_t), .texture = true,
                                    .fractions = normalized, .binary = (struct binary *)handle});
}

void __cudaRegisterSurface(void **handle, const struct surfaceReference *hostVariable, const void **deviceAddress,
                           const char *deviceName, int dimensions, int ext)
{
    (void)deviceAddress, (void)dimensions, (void)ext;
    add_variable(&(struct variable){.shadow = hostVariable, .name = deviceName, .bytes = sizeof(uint64_t), .surface = true,
                                    .binary = (struct binary *)handle});
}

bool module_surface(const void *reference)
{
    pthread_mutex_lock(&lock);
    const struct variable *v = by_pointer(&variables, reference);
    bool is = v && v->surface;
    pthread_mutex_unlock(&lock);
    return is;
}

bool module_texture(const void *reference, bool *fractions)
{
    pthread_mutex_lock(&lock);
    const struct variable *v = by_pointer(&variables, reference);
    bool is = v && v->texture;
    *fractions = is && v->fractions;
    pthread_mutex_unlock(&lock);
    return is;
}

/* Forgets what a binary, and those that make one module with it, are on one device. The lock is held. */
static void unload(struct binary *one, int device)
{
    struct binary *leader = one->leader;
    heddle_module *module = leader->module[device];
    for (struct binary *b = leader; b; b = b->next) {
        for (struct function *f = b->functions; f; f = f->next)
            memset(&f->on[device], 0, sizeof f->on[device]);
        for (struct variable *v = b->variables; v; v = v->next)
            v->address[device] = 0;
        b->module[device] = NULL;
        b->tried[device] = false;
    }
    if (module)
        heddle_module_unload(module);
}

/* At the end of the process, or when a shared library with kernels is closed. The notes stay: other tables point to
 * them, and there are few. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct binary *b = (struct binary *)handle;
    if (!b || runtime_forked())
        return;
    queue_drain();
    output_drop();
    pthread_mutex_lock(&lock);
    b->gone = true;
    end_managed(b);
    for (int i = 0; i < RUNTIME_DEVICES; i++)
        unload(b, i);
    pthread_mutex_unlock(&lock);
}

/* --- loading --- */

/* The texts of all that make one module, joined. */
static void join_texts(const struct binary *leader, struct strbuf *text)
{
    int n = 0;
    for (const struct binary *b = leader; b; b = b->next)
        n++;
    struct ptx_unit *units = alloc_zeroed((size_t)n * sizeof *units);
    for (const struct binary *b = leader; b; b = b->next)
        units[b->unit] = (struct ptx_unit){(const char *)(b->blob + 1), b->blob->ptx_bytes};
    ptx_link(units, n, text);
    alloc_release(units);
}

/* Tells the engine which files the joined module is made of. */
static void name_units(const struct binary *leader, heddle_module *m)
{
    int n = 0;
    for (const struct binary *b = leader; b; b = b->next)
        n++;
    uint64_t *ids = alloc_zeroed((size_t)n * sizeof *ids);
    size_t *bytes = alloc_zeroed((size_t)n * sizeof *bytes);
    for (const struct binary *b = leader; b; b = b->next) {
        ids[b->unit] = b->blob->id;
        bytes[b->unit] = b->blob->ptx_bytes;
    }
    engine_module_units(m, ids, bytes, n);
    alloc_release(ids);
    alloc_release(bytes);
}

/* On stderr, or where the program wants it. */
static void say_to(struct strbuf *said, const char *text)
{
    if (said)
        strbuf_addf(said, "%s\n", text);
    else
        runtime_say("%s", text);
}

static cudaError_t load_own(struct binary *b, struct runtime_device *d, struct strbuf *said)
{
    int i = d->index;
    struct strbuf joined;
    if (b->tried[i])
        return b->error[i];
    b->tried[i] = true;
    if (!b->blob) {
        runtime_say("the program holds device code that was not made by 'heddle build'; compile it again with it");
        return b->error[i] = cudaErrorNoKernelImageForDevice;
    }
    strbuf_init(&joined);
    const char *ptx = (const char *)(b->blob + 1);
    size_t bytes = b->blob->ptx_bytes;
    if (b->next) {
        join_texts(b, &joined);
        ptx = joined.s;
        bytes = joined.len;
    }
    heddle_status s = engine_module_load(d->engine, b->name, ptx, bytes, place_managed, b, &b->module[i]);
    strbuf_release(&joined);
    if (!s && b->next)
        name_units(b, b->module[i]);
    b->error[i] = runtime_error(s);
    if (s)
        say_to(said, *heddle_error_text() ? heddle_error_text() : heddle_status_text(s));
    return b->error[i];
}

static cudaError_t load(struct binary *b, struct runtime_device *d)
{
    int i = d->index;
    if (b->gone)
        return cudaErrorInvalidDeviceFunction;
    cudaError_t e = load_own(b->leader, d, NULL);
    b->module[i] = b->leader->module[i];
    b->tried[i] = true;
    return e;
}

/* A kernel or variable by the name that the host knows: if its file keeps the name to itself and others have the same,
 * ptx_link has numbered it. */
static heddle_status find_kernel_named(const struct binary *b, heddle_module *m, const char *name, heddle_kernel **k)
{
    struct strbuf own;
    strbuf_init(&own);
    bool numbered = b->image && ptx_link_name(name, b->unit, &own);
    heddle_status s = numbered ? heddle_kernel_find(m, own.s, k) : HEDDLE_NOT_FOUND;
    strbuf_release(&own);
    return s == HEDDLE_NOT_FOUND ? heddle_kernel_find(m, name, k) : s;
}

static heddle_status find_variable_named(const struct variable *v, heddle_module *m, uint64_t *address, size_t *bytes)
{
    struct strbuf own;
    strbuf_init(&own);
    bool numbered = v->binary->image && ptx_link_name(v->name, v->binary->unit, &own);
    heddle_status s = numbered ? heddle_module_variable(m, own.s, address, bytes) : HEDDLE_NOT_FOUND;
    strbuf_release(&own);
    return s == HEDDLE_NOT_FOUND ? heddle_module_variable(m, v->name, address, bytes) : s;
}

/* Finds a kernel in its module, says once what is wrong with it. */
static cudaError_t find_kernel(struct function *f, struct runtime_device *d, struct runtime_kernel *k)
{
    cudaError_t e = load(f->binary, d);
    if (e)
        return e;
    heddle_status s = find_kernel_named(f->binary, f->binary->module[d->index], f->name, &k->kernel);
    if (s == HEDDLE_NOT_FOUND) {
        runtime_say("%s", *heddle_error_text() ? heddle_error_text() : "a kernel is missing in the device code");
        return cudaErrorInvalidDeviceFunction;
    }
    s = s ? s : heddle_kernel_describe(k->kernel, &k->info);
    if (s)
        runtime_say("%s", *heddle_error_text() ? heddle_error_text() : heddle_status_text(s));
    return runtime_error(s);
}

/* Without opting in, static and dynamic shared memory of a block share the device's ordinary limit (CUDA C++
 * programming guide 12, 16.8.3 "Shared Memory"). */
static void set_defaults(const struct runtime_device *d, struct runtime_kernel *k)
{
    int64_t left = d->spec->max_shared_per_block - (int64_t)k->info.static_shared -
                   device_hidden_shared(d->spec, (int64_t)k->info.parameter_bytes);
    k->max_dynamic_shared = left > 0 ? (size_t)left : 0;
    k->carveout = cudaSharedmemCarveoutDefault;
}

cudaError_t module_kernel(struct runtime_device *d, const void *stub, struct runtime_kernel **out)
{
    pthread_mutex_lock(&lock);
    struct function *f = by_pointer(&functions, stub);
    struct runtime_kernel *k = f ? &f->on[d->index] : NULL;
    if (k && !k->tried) {
        k->error = find_kernel(f, d, k);
        if (!k->error)
            set_defaults(d, k);
        k->tried = true;
    }
    pthread_mutex_unlock(&lock);
    *out = k;
    return k ? k->error : cudaErrorInvalidDeviceFunction;
}

cudaError_t module_variable(struct runtime_device *d, const void *symbol, uint64_t *address, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    struct variable *v = by_pointer(&variables, symbol);
    cudaError_t e = v ? load(v->binary, d) : cudaErrorInvalidSymbol;
    if (!e && v->managed) {
        v->address[d->index] = (uint64_t)(uintptr_t)v->shadow;
    } else if (!e && !v->address[d->index]) {
        heddle_status s = find_variable_named(v, v->binary->module[d->index], &v->address[d->index], bytes);
        e = s == HEDDLE_NOT_FOUND ? cudaErrorInvalidSymbol : runtime_error(s);
    }
    if (!e) {
        *address = v->address[d->index];
        *bytes = v->bytes;
    }
    pthread_mutex_unlock(&lock);
    return e == cudaErrorInvalidDeviceFunction ? cudaErrorInvalidSymbol : e;
}

static void reset_binary(struct binary *b, int device)
{
    if (!b->tried[device])
        return;
    unload(b, device);
    for (struct binary *one = b->leader; one; one = one->next)
        if (one->managed && !one->gone)
            each_managed(one, begin_managed);
}

void module_reset(struct runtime_device *d)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < functions.cap; i++)
        if (functions.slots[i].value)
            reset_binary(((struct function *)functions.slots[i].value)->binary, d->index);
    for (size_t i = 0; i < variables.cap; i++)
        if (variables.slots[i].value)
            reset_binary(((struct variable *)variables.slots[i].value)->binary, d->index);
    pthread_mutex_unlock(&lock);
}

/* --- device code that is given at run time --- */

/* A managed variable of it lies where we put it. */
static void place_own_managed(struct binary *b, const struct ptx_var *var)
{
    struct variable *v = alloc_zeroed(sizeof *v);
    size_t page = 4096, whole = (var->size + page - 1) / page * page;
    v->shadow = alloc_zeroed(whole);
    v->name = alloc_strndup(var->name, strlen(var->name));
    v->bytes = var->size;
    v->binary = b;
    v->next = b->variables;
    b->variables = v;
}

struct binary *module_open(const char *name, const char *ptx, size_t bytes)
{
    struct binary *b = alloc_zeroed(sizeof *b);
    b->copy = alloc_zeroed(sizeof *b->copy + bytes + 1);
    *b->copy = (struct blob_header){.version = BLOB_VERSION, .ptx_bytes = bytes, .id = hash_bytes(HASH_START, ptx, bytes)};
    memcpy(b->copy + 1, ptx, bytes);
    b->blob = b->copy;
    b->leader = b;
    snprintf(b->name, sizeof b->name, "%s", name);
    each_managed(b, place_own_managed);
    pthread_mutex_lock(&lock);
    each_managed(b, begin_managed);
    pthread_mutex_unlock(&lock);
    return b;
}

cudaError_t module_load(struct binary *b, struct runtime_device *d, struct strbuf *said)
{
    pthread_mutex_lock(&lock);
    cudaError_t e = b->gone ? cudaErrorInvalidResourceHandle : load_own(b, d, said);
    pthread_mutex_unlock(&lock);
    return e;
}

static void free_variables(struct binary *b)
{
    while (b->variables) {
        struct variable *v = b->variables;
        b->variables = v->next;
        alloc_release((void *)(uintptr_t)v->shadow);
        alloc_release((void *)(uintptr_t)v->name);
        alloc_release(v);
    }
}

/* Functions that were asked for stay, and their code's record with them: their handles can be told from good ones. */
void module_close(struct binary *b)
{
    queue_drain();
    output_flush(); /* programming guide, "Formatted Output": unloading a module writes it */
    pthread_mutex_lock(&lock);
    b->gone = true;
    end_managed(b);
    for (int i = 0; i < RUNTIME_DEVICES; i++)
        unload(b, i);
    free_variables(b);
    alloc_release(b->copy);
    b->copy = NULL;
    b->blob = NULL;
    if (!b->functions)
        alloc_release(b);
    pthread_mutex_unlock(&lock);
}

/* A function that is its own stub. The lock is held. */
static const void *own_stub(struct binary *b, const char *name)
{
    struct function *f = b->functions;
    while (f && strcmp(f->name, name))
        f = f->next;
    if (!f) {
        f = alloc_zeroed(sizeof *f);
        f->stub = f;
        f->name = alloc_strndup(name, strlen(name));
        f->binary = b;
        f->next = b->functions;
        b->functions = f;
        table_setn(&functions, (const char *)&f->stub, sizeof f->stub, f);
    }
    return f->stub;
}

cudaError_t module_function(struct binary *b, struct runtime_device *d, const char *name, const void **stub)
{
    heddle_kernel *k;
    cudaError_t e = module_load(b, d, NULL);
    if (e)
        return e;
    if (heddle_kernel_find(b->module[d->index], name, &k) == HEDDLE_NOT_FOUND)
        return cudaErrorSymbolNotFound;
    pthread_mutex_lock(&lock);
    *stub = own_stub(b, name);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t module_nth(struct binary *b, struct runtime_device *d, int i, const void **stub)
{
    heddle_kernel *k;
    heddle_kernel_info info = {0};
    cudaError_t e = module_load(b, d, NULL);
    if (e)
        return e;
    if (heddle_module_kernel(b->module[d->index], i, &k) == HEDDLE_NOT_FOUND)
        return cudaErrorSymbolNotFound;
    heddle_status s = heddle_kernel_describe(k, &info);
    if (!info.name)
        return runtime_error(s);
    pthread_mutex_lock(&lock);
    *stub = own_stub(b, info.name);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

cudaError_t module_symbol(struct binary *b, struct runtime_device *d, const char *name, uint64_t *address, size_t *bytes,
                          bool *managed)
{
    cudaError_t e = module_load(b, d, NULL);
    if (e)
        return e;
    const struct variable *v = variable_named(b, name);
    *managed = v != NULL;
    if (v) {
        *address = (uint64_t)(uintptr_t)v->shadow;
        *bytes = v->bytes;
        return cudaSuccess;
    }
    heddle_status s = heddle_module_variable(b->module[d->index], name, address, bytes);
    return s == HEDDLE_NOT_FOUND ? cudaErrorSymbolNotFound : runtime_error(s);
}

/* Embedded kernels have a host function for a stub; a handle of one is the note of it, which then is a stub, too. */
const void *module_handle(const void *stub)
{
    pthread_mutex_lock(&lock);
    struct function *f = by_pointer(&functions, stub);
    if (f) {
        f->self = f;
        table_setn(&functions, (const char *)&f->self, sizeof f->self, f);
    }
    pthread_mutex_unlock(&lock);
    return f;
}

struct binary *module_of(const void *stub)
{
    pthread_mutex_lock(&lock);
    const struct function *f = by_pointer(&functions, stub);
    struct binary *b = f && !f->binary->gone ? f->binary : NULL;
    pthread_mutex_unlock(&lock);
    return b;
}
