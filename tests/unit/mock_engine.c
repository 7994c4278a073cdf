/* A stand-in for the engine (see mock_engine.h). */
#define _GNU_SOURCE
#include "mock_engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/blob.h"
#include "base/strbuf.h"
#include "device/device.h"
#include "engine.h"
#include "heddle.h"
#include "report/findings.h"
#include "report/result.h"
#include "space/space.h"

struct heddle_device {
    struct device spec;
    struct space space;
    int index;
};

struct heddle_kernel {
    char name[64];
    heddle_module *module;
    int parameters;
    size_t size[2];
};

struct heddle_module {
    heddle_device *device;
    struct heddle_kernel kernel[16];
    int nkernels;
    struct {
        char name[64];
        uint64_t address;
        size_t bytes;
    } variable[8];
    int nvariables;
};

struct heddle_result {
    struct result result;
};

int mock_log[256], mock_nlog, mock_modules, mock_loads, mock_results;
long mock_result_ids[256];
bool mock_interrupted;
int mock_threads = 2;
static _Atomic bool holding;
static _Atomic int running, meeting;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char text[256];
static _Thread_local heddle_fault fault;

static heddle_status fail(heddle_status s, const char *what)
{
    snprintf(text, sizeof text, "%s", what);
    return s;
}

const char *heddle_error_text(void)
{
    return text;
}

const char *heddle_status_text(heddle_status s)
{
    return s ? "some failure" : "no error";
}

/* --- device --- */

static void figures(struct device *d)
{
    snprintf(d->name, sizeof d->name, "Mock");
    d->cc_major = 9;
    d->multiprocessors = MOCK_SMS;
    d->warp_size = 32;
    d->max_threads_per_block = MOCK_MAX_THREADS;
    d->max_block_x = d->max_block_y = 1024;
    d->max_block_z = 64;
    d->max_grid_x = 2147483647;
    d->max_grid_y = d->max_grid_z = 65535;
    d->max_shared_per_block = MOCK_SHARED;
    d->max_shared_per_block_optin = MOCK_SHARED_OPTIN;
    d->max_parameter_bytes = 32764;
    d->texture_alignment = 512;
    d->memory_pitch = 2147483647;
    d->managed_memory = 1;
    d->cooperative_launch = 1;
    d->persisting_l2_max_bytes = 1 << 20;
    d->unified_addressing = 1;
}

heddle_status heddle_device_open(const char *name, heddle_device **out)
{
    static int opened;
    const char *why;
    if (strncmp(name, "mock", 4) && strcmp(name, "h200"))
        return fail(HEDDLE_NO_DEVICE, "no device description 'nonesuch'");
    heddle_device *d = calloc(1, sizeof *d);
    figures(&d->spec);
    d->index = opened++;
    if (space_open(&d->space, d->index, MOCK_MEMORY, &why))
        return fail(HEDDLE_NO_DEVICE, why);
    *out = d;
    return HEDDLE_OK;
}

const struct device *engine_device_spec(const heddle_device *dev)
{
    return &dev->spec;
}

int64_t engine_described_memory(const heddle_device *dev)
{
    return engine_device_spec(dev)->memory_bytes;
}

bool engine_progress(struct engine_progress *p)
{
    (void)p;
    return false;
}

unsigned engine_times(const heddle_kernel *k)
{
    (void)k;
    return 0;
}

void engine_collect(heddle_device *dev, counter_groups groups)
{
    (void)dev;
    (void)groups;
}

void engine_collect_blocks(heddle_device *dev, uint64_t most)
{
    (void)dev, (void)most;
}

void engine_cache_control(heddle_device *dev, bool keeps)
{
    (void)dev, (void)keeps;
}

void engine_reset_persisting(heddle_device *dev)
{
    (void)dev;
}

void engine_begins(heddle_device *dev, uint64_t ns)
{
    (void)dev, (void)ns;
}

void engine_collect_code(heddle_device *dev, bool code)
{
    (void)dev;
    (void)code;
}

int engine_threads(const heddle_device *dev)
{
    (void)dev;
    return mock_threads;
}

bool engine_uses_heap(const heddle_kernel *k)
{
    return !strcmp(k->name, "heap");
}

struct space *engine_space(heddle_device *dev)
{
    return &dev->space;
}

void heddle_device_interrupt(heddle_device *dev)
{
    (void)dev;
    __atomic_store_n(&mock_interrupted, true, __ATOMIC_RELAXED);
}

/* --- memory --- */

/* Mock kernels print nothing and have no heap. */
heddle_status heddle_output(heddle_device *dev, void (*write)(int stream, const char *text, size_t n, void *user), void *user)
{
    (void)dev, (void)write, (void)user;
    return HEDDLE_OK;
}

heddle_status heddle_stack_size(heddle_device *dev, size_t bytes)
{
    (void)dev;
    return bytes > 512 << 10 ? HEDDLE_INVALID_VALUE : HEDDLE_OK;
}

heddle_status heddle_heap_size(heddle_device *dev, size_t bytes)
{
    return dev && bytes ? HEDDLE_OK : HEDDLE_INVALID_VALUE;
}

heddle_status heddle_alloc(heddle_device *dev, size_t bytes, heddle_ptr *out)
{
    return space_alloc(&dev->space, bytes, SPACE_PROGRAM, NULL, out)
               ? fail(HEDDLE_OUT_OF_MEMORY, "not enough device memory") : HEDDLE_OK;
}

heddle_status heddle_free(heddle_device *dev, heddle_ptr p)
{
    struct space_allocation a;
    if (!space_find(&dev->space, p, &a) || a.kind != SPACE_PROGRAM)
        return HEDDLE_INVALID_VALUE;
    return space_free(&dev->space, p) ? HEDDLE_INVALID_VALUE : HEDDLE_OK;
}

heddle_status heddle_copy_in(heddle_device *dev, heddle_ptr to, const void *from, size_t bytes)
{
    (void)dev;
    memcpy(space_host(to), from, bytes);
    return HEDDLE_OK;
}

heddle_status heddle_copy_out(heddle_device *dev, void *to, heddle_ptr from, size_t bytes)
{
    (void)dev;
    memcpy(to, space_host(from), bytes);
    return HEDDLE_OK;
}

heddle_status heddle_copy(heddle_device *dev, heddle_ptr to, heddle_ptr from, size_t bytes)
{
    (void)dev;
    memmove(space_host(to), space_host(from), bytes);
    return HEDDLE_OK;
}

heddle_status heddle_fill(heddle_device *dev, heddle_ptr to, uint32_t value, unsigned width, size_t count)
{
    (void)dev;
    if (width != 1)
        return HEDDLE_NOT_IMPLEMENTED;
    memset(space_host(to), (int)value, count);
    return HEDDLE_OK;
}

/* --- modules --- */

static void add_kernel(heddle_module *m, const char *name)
{
    struct heddle_kernel *k = &m->kernel[m->nkernels++];
    snprintf(k->name, sizeof k->name, "%s", name);
    k->module = m;
    k->parameters = !strcmp(name, "add_one") || !strcmp(name, "heap") ? 2 : !strcmp(name, "log") || !strcmp(name, "sleepy") ? 1 : 0;
    k->size[0] = !strcmp(name, "add_one") ? 8 : 4;
    k->size[1] = 4;
}

void engine_module_units(heddle_module *m, const uint64_t *ids, const size_t *bytes, int n)
{
    (void)m, (void)ids, (void)bytes, (void)n;
}

heddle_status engine_module_load(heddle_device *dev, const char *name, const char *ptx, size_t bytes,
                                 uint64_t (*place)(const char *variable, void *user), void *user, heddle_module **out)
{
    char line[128], word[64];
    (void)name, (void)place, (void)user;
    mock_loads++;
    if (!strncmp(ptx, "broken", 6))
        return fail(HEDDLE_INVALID_PTX, "embedded device code:1: error: broken");
    heddle_module *m = calloc(1, sizeof *m);
    m->device = dev;
    for (const char *p = ptx; p < ptx + bytes; p += strcspn(p, "\n") + 1) {
        size_t size;
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        if (sscanf(line, "kernel %63s", word) == 1) {
            add_kernel(m, word);
        } else if (sscanf(line, "variable %63s %zu", word, &size) == 2) {
            int i = m->nvariables++;
            snprintf(m->variable[i].name, sizeof m->variable[i].name, "%s", word);
            m->variable[i].bytes = size;
            space_alloc(&dev->space, size, SPACE_VARIABLE, word, &m->variable[i].address);
            memset(space_host(m->variable[i].address), 7, size); /* the initial value */
        }
    }
    mock_modules++;
    *out = m;
    return HEDDLE_OK;
}

void heddle_module_unload(heddle_module *m)
{
    for (int i = 0; i < m->nvariables; i++)
        space_free(&m->device->space, m->variable[i].address);
    mock_modules--;
    free(m);
}

heddle_status heddle_module_variable(heddle_module *m, const char *name, heddle_ptr *address, size_t *bytes)
{
    for (int i = 0; i < m->nvariables; i++) {
        if (!strcmp(m->variable[i].name, name)) {
            *address = m->variable[i].address;
            *bytes = m->variable[i].bytes;
            return HEDDLE_OK;
        }
    }
    return fail(HEDDLE_NOT_FOUND, "no variable of that name");
}

heddle_status heddle_kernel_find(heddle_module *m, const char *name, heddle_kernel **out)
{
    for (int i = 0; i < m->nkernels; i++) {
        if (!strcmp(m->kernel[i].name, name)) {
            *out = &m->kernel[i];
            return HEDDLE_OK;
        }
    }
    return fail(HEDDLE_NOT_FOUND, "no kernel of that name");
}

heddle_status heddle_module_kernel(heddle_module *m, int i, heddle_kernel **out)
{
    if (i >= m->nkernels)
        return HEDDLE_NOT_FOUND;
    *out = &m->kernel[i];
    return HEDDLE_OK;
}

heddle_status heddle_kernel_describe(heddle_kernel *k, heddle_kernel_info *info)
{
    if (!strcmp(k->name, "missing_feature"))
        return fail(HEDDLE_NOT_IMPLEMENTED, "instruction 'wgmma' is not implemented");
    *info = (heddle_kernel_info){.name = k->name, .parameters = k->parameters, .parameter_bytes = 16,
                                 .static_shared = 1024, .registers = 32, .arch = 90, .max_threads = 1024};
    if (!strcmp(k->name, "hold"))
        info->max_threads = 256; /* __launch_bounds__(256) */
    return HEDDLE_OK;
}

heddle_status heddle_kernel_parameter(heddle_kernel *k, int i, size_t *offset, size_t *bytes)
{
    if (i >= k->parameters)
        return HEDDLE_INVALID_VALUE;
    *offset = i ? k->size[0] : 0;
    *bytes = k->size[i];
    return HEDDLE_OK;
}

/* 2048 threads and 64 KiB of shared memory an SM, nothing else. */
heddle_status heddle_occupancy(heddle_kernel *k, int block_threads, size_t dynamic_shared, int *blocks)
{
    (void)k;
    size_t by_shared = 65536 / (1024 + dynamic_shared), by_threads = 2048 / (size_t)block_threads;
    *blocks = (int)(by_shared < by_threads ? by_shared : by_threads);
    return HEDDLE_OK;
}

/* --- launches --- */

static void pause_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static heddle_status illegal(const char *kernel)
{
    static const char said[] = "illegal address in kernel 'fault'\n  fault.cu:3, block (0,0,0), thread (1,0,0)";
    fault = (heddle_fault){.status = HEDDLE_ILLEGAL_ADDRESS, .text = said, .kernel = kernel};
    return HEDDLE_ILLEGAL_ADDRESS;
}

void mock_append(int tag)
{
    pthread_mutex_lock(&log_lock);
    mock_log[mock_nlog] = tag;
    __atomic_store_n(&mock_nlog, mock_nlog + 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&log_lock);
}

static heddle_status run(const heddle_kernel *k, void *const *args)
{
    if (!strcmp(k->name, "add_one")) {
        int *p = space_host(*(uint64_t *)args[0]);
        for (int i = 0; i < *(int *)args[1]; i++)
            p[i]++;
    } else if (!strcmp(k->name, "log")) {
        mock_append(*(int *)args[0]);
    } else if (!strcmp(k->name, "heap")) {
        pause_ms(*(int *)args[1]);
        mock_append(*(int *)args[0]);
    } else if (!strcmp(k->name, "meet")) {
        meeting++;
        for (int i = 0; i < 10000 && meeting < 2; i++)
            pause_ms(1);
        mock_append(meeting >= 2 ? 1 : -1);
    } else if (!strcmp(k->name, "sleepy")) {
        pause_ms(*(int *)args[0]);
    } else if (!strcmp(k->name, "hold")) {
        while (holding && !__atomic_load_n(&mock_interrupted, __ATOMIC_RELAXED))
            pause_ms(1);
        return __atomic_load_n(&mock_interrupted, __ATOMIC_RELAXED) ? fail(HEDDLE_INTERRUPTED, "interrupted in kernel 'hold'") : HEDDLE_OK;
    } else if (!strcmp(k->name, "fault")) {
        return illegal(k->name);
    }
    return HEDDLE_OK;
}

heddle_status engine_launch(heddle_kernel *k, const heddle_launch_config *cfg, void *const *args,
                            heddle_result **result, const struct engine_family *family, struct children **children)
{
    (void)cfg, (void)family;
    *children = NULL; /* its kernels launch none */
    running++;
    heddle_status s = run(k, args);
    running--;
    if (result)
        *result = calloc(1, sizeof **result);
    return s;
}

heddle_status engine_run_children(heddle_device *dev, struct children *children)
{
    (void)dev, (void)children;
    return HEDDLE_OK;
}

void engine_asked(heddle_device *dev, const struct engine_asked *a)
{
    (void)dev, (void)a;
}

void engine_stuck(heddle_device *dev, bool (*stuck)(void *user), void *user)
{
    (void)dev, (void)stuck, (void)user;
}

void engine_pending(heddle_device *dev, uint64_t most)
{
    (void)dev, (void)most;
}

const char *heddle_last_stray(void)
{
    return NULL;
}

const heddle_fault *heddle_last_fault(void)
{
    return fault.status ? &fault : NULL;
}

void heddle_result_free(heddle_result *r)
{
    free(r);
}

struct result *engine_result(heddle_result *r)
{
    return &r->result;
}

bool result_write(const struct result *r, FILE *f)
{
    mock_result_ids[mock_results++] = (long)r->id;
    return fprintf(f, "{\"id\":%ld,\"stream\":%d}\n", (long)r->id, r->stream) > 0 && !fflush(f);
}

enum metric_status result_metric(const struct result *r, const char *name, double *value)
{
    (void)r, (void)name, (void)value;
    return METRIC_NOT_COMPUTED;
}

heddle_status engine_check(heddle_device *d, unsigned tools, void (*found)(struct finding *f, void *user), void *user)
{
    (void)d, (void)tools, (void)found, (void)user;
    return HEDDLE_OK;
}

void engine_check_next(heddle_kernel *k, bool told, bool fails, uint64_t newest)
{
    (void)k, (void)told, (void)fails, (void)newest;
}

uint64_t engine_unwritten(heddle_device *d, uint64_t address, uint64_t bytes, uint64_t *first)
{
    (void)d, (void)address, (void)bytes, (void)first;
    return 0;
}

heddle_result *engine_library_result(heddle_device *dev, const char *function, const struct result_library *l)
{
    (void)dev, (void)function, (void)l;
    return calloc(1, sizeof(struct heddle_result));
}

void engine_written(heddle_device *d, uint64_t address, uint64_t bytes)
{
    (void)d, (void)address, (void)bytes;
}

void engine_tell_address(const heddle_device *d, uint64_t address, const char *who, struct strbuf *out)
{
    (void)d, (void)who;
    strbuf_addf(out, "  address 0x%llx is somewhere\n", (unsigned long long)address);
}

void engine_pad(heddle_device *d, uint64_t bytes)
{
    (void)d, (void)bytes;
}

void engine_each_of_heap(heddle_device *d, void (*visit)(uint64_t address, uint64_t bytes, void *user), void *user)
{
    (void)d, (void)visit, (void)user;
}

bool finding_write(const struct finding *f, FILE *file)
{
    (void)f, (void)file;
    return true;
}

struct finding *finding_new(void)
{
    return NULL;
}

void finding_free(struct finding *f)
{
    (void)f;
}

/* --- helpers of tests --- */

void mock_hold(void)
{
    holding = true;
}

void mock_release(void)
{
    holding = false;
}

bool mock_is_running(void)
{
    return running;
}

struct wrapper {
    int magic, version;
    const void *data;
    void *unused;
};

void **mock_blob(const char *text_of_blob)
{
    static struct wrapper wrappers[16]; /* a program's lie in its data */
    static int n;
    struct wrapper *w = &wrappers[n++];
    struct blob_header *h = calloc(1, sizeof *h + strlen(text_of_blob) + 1);
    *h = (struct blob_header){.magic = BLOB_MAGIC, .version = BLOB_VERSION, .arch = 90,
                              .ptx_bytes = strlen(text_of_blob)};
    strcpy((char *)(h + 1), text_of_blob);
    *w = (struct wrapper){0x466243b1, 1, h, NULL};
    void **handle = __cudaRegisterFatBinary(w);
    __cudaRegisterFatBinaryEnd(handle);
    return handle;
}

void mock_kernel(void **handle, const void *stub, const char *name)
{
    __cudaRegisterFunction(handle, stub, (char *)(size_t)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

void mock_variable(void **handle, void *shadow, const char *name, size_t bytes)
{
    __cudaRegisterVar(handle, shadow, (char *)(size_t)name, name, 0, bytes, 0, 0);
}

cudaError_t mock_launch(const void *stub, unsigned grid, unsigned block, cudaStream_t stream, void *a, void *b)
{
    void *args[] = {a, b};
    struct dim3 g = {grid, 1, 1}, t = {block, 1, 1};
    return cudaLaunchKernel(stub, g, t, args, 0, stream);
}
