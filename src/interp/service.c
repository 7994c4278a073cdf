/* assert, malloc and free of kernels, and what every service needs: a lane's view of memory (see service.h).
 *
 * Lanes are served in ascending order. A failed assertion prints its message for every lane that failed and leaves the
 * launch's fault, without stopping the other warps of the block at once: they get to say what failed for them. */
#include "interp/service.h"

#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "simt/output.h"
#include "space/heap.h"
#include "space/registered.h"

#include "heddle.h"

#define LANE_LOOP(m) for (uint32_t left_ = (m), i; left_ && (i = (uint32_t)__builtin_ctz(left_), 1); left_ &= left_ - 1)

/* --- memory as a lane sees it --- */

const char *service_bytes(const struct warp *w, int lane, uint64_t address, unsigned n)
{
    const struct launch *l = w->block->launch;
    struct window of_block = warp_window(w, PTX_SHARED, lane), own = warp_window(w, PTX_LOCAL, lane);
    uint64_t shared = address - of_block.base, local = address - own.base;
    if (shared < of_block.bytes)
        return shared + n <= l->shared_bytes ? w->block->shared + shared : NULL;
    if (local < own.bytes)
        return local + n <= l->local_size ? w->local + (size_t)lane * l->local_bytes + local : NULL;
    if (!space_is_device_address(address) && registered_ok(address, n))
        return (const char *)(uintptr_t)address;
    return space_ok(space_reach(l->space, address), address, n) ? space_host(address) : NULL;
}

bool service_string(const struct warp *w, int lane, uint64_t address, struct strbuf *out, uint64_t *bad)
{
    enum { LONGEST = 1 << 16 };
    for (int i = 0; i < LONGEST; i++) {
        const char *p = service_bytes(w, lane, address + (uint64_t)i, 1);
        *bad = address + (uint64_t)i;
        if (!p)
            return false;
        if (!*p)
            break;
        strbuf_add(out, p, 1);
    }
    return true;
}

bool service_fault(const struct interp_code *c, struct warp *w, const struct step *st, int status, int lane,
                   uint64_t address, const char *text)
{
    launch_fault(w->block->launch, w, status, (int32_t)(st - c->step), lane, address, 1, text);
    return false;
}

/* --- __assertfail(message, file, line, function, bytes of a character) --- */

/* A string for a message: never a fault of its own. */
static void add_string(const struct warp *w, int lane, uint64_t address, struct strbuf *out)
{
    uint64_t bad;
    if (!service_string(w, lane, address, out, &bad))
        strbuf_adds(out, "(unreadable)");
}

static void add_message(const struct interp_code *c, const struct warp *w, const struct step *st, int lane,
                        struct strbuf *out)
{
    const struct block *b = w->block;
    const uint32_t (*tid)[WARP_LANES] = (const uint32_t (*)[WARP_LANES])b->launch->tid[w->index];
    add_string(w, lane, step_value(c, w, st, 1, lane), out);
    strbuf_addf(out, ":%u: ", (unsigned)step_value(c, w, st, 2, lane));
    add_string(w, lane, step_value(c, w, st, 3, lane), out);
    strbuf_addf(out, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", b->id[0], b->id[1], b->id[2], tid[0][lane],
                tid[1][lane], tid[2][lane]);
    add_string(w, lane, step_value(c, w, st, 0, lane), out);
    strbuf_adds(out, "` failed.\n");
}

static bool service_assertfail(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct strbuf text;
    strbuf_init(&text);
    LANE_LOOP(m)
    add_message(c, w, st, (int)i, &text);
    output_add(w->block, OUTPUT_ASSERT, text.s, text.len);
    strbuf_release(&text);
    launch_fault_later(w->block->launch, w, HEDDLE_ASSERT, (int32_t)(st - c->step), __builtin_ctz(m));
    return false;
}

static bool service_bad_call(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    int lane = __builtin_ctz(m);
    return service_fault(c, w, st, HEDDLE_ILLEGAL_INSTRUCTION, lane, step_value(c, w, st, 0, lane),
                         "a call through a pointer that is no function of this module and type");
}

static bool service_stack(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    struct block *b = w->block;
    LANE_LOOP(m)
    {
        uint64_t top = step_value(c, w, st, 0, (int)i);
        if (top > b->launch->local_size)
            return service_fault(c, w, st, HEDDLE_STACK_OVERFLOW, (int)i, top, NULL);
        b->local_used = top > b->local_used ? (uint32_t)top : b->local_used;
    }
    return true;
}

/* --- the barrier of a cooperative launch (block_grid_sync) --- */

bool service_grid_sync(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    return w->block->launch->cooperative ||
           service_fault(c, w, st, HEDDLE_ILLEGAL_INSTRUCTION, __builtin_ctz(m), 0,
                         "grid.sync() in a kernel that cudaLaunchCooperativeKernel did not launch");
}

static bool service_grid_is_valid(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    LANE_LOOP(m)
    if (st->in->ndst && st->d[0] != PLACE_NONE)
        step_write(c, w, st, 0, (int)i, w->block->launch->cooperative);
    return true;
}

/* --- the device heap --- */

static bool service_malloc(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    LANE_LOOP(m)
    {
        uint64_t p = heap_alloc(w->block->launch->heap, step_value(c, w, st, 0, (int)i));
        if (st->in->ndst && st->d[0] != PLACE_NONE)
            step_write(c, w, st, 0, (int)i, p);
    }
    return true;
}

static bool service_free(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const struct watch *watch = w->block->launch->watch;

    LANE_LOOP(m)
    {
        uint64_t p = step_value(c, w, st, 0, (int)i);
        if (!p || heap_free(w->block->launch->heap, p))
            continue;
        if (watch && watch->bad_free)
            watch->bad_free(watch->user, w, (int32_t)(st - c->step), i, p);
        else
            return service_fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, (int)i, p,
                                 "free or delete of an address that malloc or new in a kernel did not return, or that "
                                 "was freed already");
    }
    return true;
}

/* --- by name --- */

static const struct service services[] = {
#define SERVICE(name, signature, handler, needs) {#name, signature, handler, needs},
#include "interp/services.def"
#undef SERVICE
};

const struct service *service_find(const char *name)
{
    for (size_t i = 0; i < sizeof services / sizeof services[0]; i++)
        if (!strcmp(services[i].name, name))
            return &services[i];
    return NULL;
}
