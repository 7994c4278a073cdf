/* What went wrong inside a kernel, in words: kernel, source line, thread, block, address and what is there. */
#include "engine/private.h"
#include "engine.h"

#include <string.h>

#include "base/diag.h"
#include "report/result.h"
#include "space/registered.h"

static _Thread_local struct heddle_fault last_fault;
static _Thread_local struct strbuf fault_text, stray_text;

/* The program's own memory. */
static void describe_host_address(struct strbuf *out, uint64_t at, const char *who)
{
    struct registered r;
    unsigned long long va = at;
    registered_find(at, &r);
    bool before = at < r.address;
    uint64_t distance = before ? r.address - at : at - r.address - r.bytes + 1;
    if (r.bytes && distance <= SPACE_GRANULE)
        strbuf_addf(out, "  address 0x%llx is %llu bytes %s the %s%s at 0x%llx of %llu bytes\n", va,
                    (unsigned long long)distance, before ? "before" : "after",
                    r.label ? "managed variable " : "registered host memory", r.label ? r.label : "",
                    (unsigned long long)r.address, (unsigned long long)r.bytes);
    else
        strbuf_addf(out, "  address 0x%llx is not device memory: is it a host pointer (malloc, new, a variable) that was "
                         "passed to %s? Use cudaMalloc and cudaMemcpy\n", va, who);
}

/* An index from the null pointer, upwards or downwards: nothing of a process lies so near to address 0 (vm.mmap_min_addr). */
static bool from_null(uint64_t at)
{
    const uint64_t reach = UINT64_C(1) << 16;
    return at + reach < 2 * reach;
}

/* Below the first device's memory by what a negative index may make: 2^32 elements of 256 bytes. Programs have their own
 * memory elsewhere. */
static bool below_devices(uint64_t at)
{
    return SPACE_BASE - at <= SPACE_STRIDE;
}

/* Memory of another device of the process that this one may not touch. */
static bool add_others(struct strbuf *out, const heddle_device *d, uint64_t at)
{
    const struct space *other = space_of(at);
    if (!other || other == &d->space || space_reach(&d->space, at) != &d->space)
        return false;
    strbuf_adds(out, " is memory of another device: kernels of this one reach it after cudaDeviceEnablePeerAccess");
    return true;
}

/* " is ...": what an address of the device is near to, or was in; nothing where there is no allocation at all. */
static void add_nearest(struct strbuf *out, const heddle_device *d, uint64_t at)
{
    const struct space *s = space_reach(&d->space, at);
    struct space_allocation a, freed;
    bool found = space_find(s, at, &a), before = at < a.address;
    if (!found && space_find_freed(s, at, &freed))
        strbuf_addf(out, " is in an allocation of %llu bytes that was freed", (unsigned long long)freed.bytes);
    else if (found)
        strbuf_addf(out, " is %llu bytes before the end of the allocation at 0x%llx of %llu bytes",
                    (unsigned long long)(a.address + a.bytes - at), (unsigned long long)a.address, (unsigned long long)a.bytes);
    else if (a.bytes)
        strbuf_addf(out, " is %llu bytes %s the nearest allocation at 0x%llx of %llu bytes",
                    (unsigned long long)(before ? a.address - at : at - a.address - a.bytes + 1),
                    before ? "before" : "after", (unsigned long long)a.address, (unsigned long long)a.bytes);
}

void engine_tell_address(const heddle_device *d, uint64_t at, const char *who, struct strbuf *out)
{
    unsigned long long va = at;
    if (from_null(at)) {
        strbuf_addf(out, "  address 0x%llx is the null pointer, or an index from it\n", va);
    } else if (!space_is_device_address(at) && !below_devices(at)) {
        describe_host_address(out, at, who);
    } else {
        strbuf_addf(out, "  address 0x%llx", va);
        if (!add_others(out, d, at))
            add_nearest(out, d, at);
        strbuf_adds(out, "\n");
    }
}

static void describe_address(struct strbuf *out, const heddle_device *d, const struct launch *l, const struct fault *f)
{
    uint64_t at = f->address;
    const struct ir_inst *in = &l->kernel->insts[f->site];
    unsigned long long va = at;
    if (in->space == PTX_SHARED || (f->text && !strcmp(f->text, "shared memory"))) {
        strbuf_addf(out, "  offset 0x%llx is outside the block's %u bytes of shared memory\n", va, l->shared_asked);
        return;
    }
    if (f->text && !strcmp(f->text, "local memory")) {
        strbuf_addf(out, "  offset 0x%llx is outside the thread's %u bytes of local memory\n", va, l->local_size);
        return;
    }
    engine_tell_address(d, at, "the kernel", out);
}

/* Where the access is from, or the element of it that the fault is about. */
static const struct ir_origin *origin_of(const struct launch *l, const struct fault *f)
{
    const struct ir_inst *in = &l->kernel->insts[f->site];
    return f->element < 0 ? in->from : in->parts[f->element];
}

/* The PTX statement on one line: calls are printed over several. */
static void add_statement(struct strbuf *out, const struct ir_origin *from)
{
    enum { LONGEST = 100 };
    int n = from->text ? from->text_len > LONGEST ? LONGEST : from->text_len : 0;
    bool space = false;
    for (int i = 0; i < n; i++) {
        bool blank = from->text[i] == ' ' || from->text[i] == '\t' || from->text[i] == '\n' || from->text[i] == '\r';
        if (!blank && space)
            strbuf_add(out, " ", 1);
        if (!blank)
            strbuf_add(out, &from->text[i], 1);
        space = blank;
    }
}

static int cuda_error(int status)
{
    switch (status) {
#define HEDDLE_STATUS(id, number, cuda, text)                                                                          \
    case HEDDLE_##id:                                                                                                  \
        return cuda;
#include "heddle_status.def"
#undef HEDDLE_STATUS
    }
    return 0;
}

static void describe_where(struct strbuf *out, const struct ir_origin *from)
{
    const struct ptx_loc *loc = from->loc;
    if (loc && loc->line)
        strbuf_addf(out, "  at %s:%d", diag_file(loc->file), loc->line);
    else
        strbuf_adds(out, "  at");
    strbuf_addf(out, " (PTX line %d: ", from->ptx_line);
    add_statement(out, from);
    strbuf_adds(out, ")\n");
    for (const struct ptx_loc *c = loc ? loc->inlined_at : NULL; c; c = c->inlined_at)
        strbuf_addf(out, "  inlined at %s:%d\n", diag_file(c->file), c->line);
}

static const char *access_word(const struct ir_inst *in)
{
    switch (ir_kind(in)) {
    case PTX_KIND_STORE: case PTX_KIND_MATRIX_STORE: return "write";
    case PTX_KIND_LOAD: case PTX_KIND_LOADU: case PTX_KIND_MATRIX_LOAD: return "read";
    case PTX_KIND_TEXTURE: return "texture fetch";
    case PTX_KIND_SURFACE_LOAD: return "surface read";
    case PTX_KIND_SURFACE_STORE: return "surface write";
    case PTX_KIND_ASYNC: return "asynchronous copy";
    default: return "atomic";
    }
}

static void describe_thread(struct strbuf *out, const struct fault *f)
{
    strbuf_addf(out, "  by thread (%u,%u,%u) in block (%u,%u,%u)\n", f->thread_id[0], f->thread_id[1], f->thread_id[2],
                f->block_id[0], f->block_id[1], f->block_id[2]);
}

static void describe_fault(const heddle_device *d, struct launch *l, struct strbuf *out)
{
    const struct fault *f = &l->fault;
    const struct ir_inst *in = &l->kernel->insts[f->site];
    const char *name = result_demangle(&l->arena, l->kernel->name);
    strbuf_addf(out, "kernel '%s': %s (CUDA error %d)\n", name, heddle_status_text((heddle_status)f->status),
                cuda_error(f->status));
    if (f->status == HEDDLE_DEADLOCK) {
        strbuf_addf(out, "%s", f->text ? f->text : "");
        return;
    }
    if (f->lane < 0) {
        strbuf_addf(out, "  %s\n", f->text ? f->text : "");
        return;
    }
    bool memory = f->status == HEDDLE_ILLEGAL_ADDRESS || f->status == HEDDLE_MISALIGNED_ADDRESS;
    bool texture = ir_kind(in) >= PTX_KIND_TEXTURE && ir_kind(in) <= PTX_KIND_SURFACE_STORE;
    bool no_object = memory && texture && f->text && !f->bytes;
    if (no_object || (memory && in->op == IR_OP_EXTERN))
        strbuf_addf(out, "  %s\n", f->text ? f->text : "");
    else if (memory)
        strbuf_addf(out, "  %s of %u bytes\n", access_word(in), f->bytes);
    describe_where(out, origin_of(l, f));
    describe_thread(out, f);
    if (f->status == HEDDLE_MISALIGNED_ADDRESS)
        strbuf_addf(out, "  address 0x%llx is not a multiple of %u\n", (unsigned long long)f->address, f->bytes);
    else if (f->status == HEDDLE_STACK_OVERFLOW)
        strbuf_addf(out, "  the call needs %llu bytes of the thread's local memory, which has %u: %llu of them are the stack "
                         "(cudaDeviceSetLimit(cudaLimitStackSize, ...))\n",
                    (unsigned long long)f->address, l->local_size, (unsigned long long)d->stack_bytes);
    else if (no_object)
        strbuf_addf(out, "  the handle is 0x%llx\n", (unsigned long long)f->address);
    else if (memory)
        describe_address(out, d, l, f);
    else if (f->text)
        strbuf_addf(out, "  %s\n", f->text);
}

/* About an access that the launch survived. */
static void describe_stray(const heddle_device *d, struct launch *l, struct strbuf *out)
{
    const struct fault *f = &l->stray;
    const struct ir_inst *in = &l->kernel->insts[f->site];
    strbuf_addf(out, "kernel '%s' goes on, as on a GPU, after a %s of %u bytes outside of every allocation:\n",
                result_demangle(&l->arena, l->kernel->name), access_word(in), f->bytes);
    describe_where(out, origin_of(l, f));
    describe_thread(out, f);
    strbuf_addf(out, "  address 0x%llx", (unsigned long long)f->address);
    add_nearest(out, d, f->address);
    strbuf_adds(out, "\n  `heddle check` tells of each such access\n");
}

const char *heddle_last_stray(void)
{
    return stray_text.len ? stray_text.s : NULL;
}

heddle_status fault_finish(heddle_device *d, struct launch *l)
{
    strbuf_clear(&fault_text);
    strbuf_clear(&stray_text);
    if (l->stray_set && !l->fault_set)
        describe_stray(d, l, &stray_text);
    if (!l->fault_set) {
        if (!__atomic_exchange_n(&d->interrupt, 0, __ATOMIC_RELAXED))
            return HEDDLE_OK;
        strbuf_addf(&fault_text, "kernel '%s': the launch was interrupted\n", result_demangle(&l->arena, l->kernel->name));
        last_fault = (heddle_fault){.status = HEDDLE_INTERRUPTED, .text = fault_text.s, .kernel = l->kernel->name};
        return engine_fail(HEDDLE_INTERRUPTED, "%s", fault_text.s);
    }
    const struct fault *f = &l->fault;
    const struct ir_origin *from = origin_of(l, f);
    describe_fault(d, l, &fault_text);
    last_fault = (heddle_fault){.status = (heddle_status)f->status, .text = fault_text.s, .kernel = l->kernel->name,
                                .file = from->loc && from->loc->line ? from->loc->file : NULL,
                                .line = from->loc ? from->loc->line : 0, .ptx_line = from->ptx_line, .address = f->address};
    memcpy(last_fault.block, f->block_id, sizeof last_fault.block);
    memcpy(last_fault.thread, f->thread_id, sizeof last_fault.thread);
    return engine_fail((heddle_status)f->status, "%s", fault_text.s);
}

const heddle_fault *heddle_last_fault(void)
{
    return last_fault.status ? &last_fault : NULL;
}
