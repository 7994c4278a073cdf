/* Operands of library calls, row by row (see library_work.h). */
#include "runtime/library_work.h"

#include "base/alloc.h"
#include "runtime/pointer.h"
#include "space/registered.h"
#include "space/space.h"

static bool is_slanted(const struct library_operand *o)
{
    return o->skip || o->skip_step || o->leave || o->leave_step;
}

void library_rows_begin(struct library_rows *r, const struct library_operand *o)
{
    *r = (struct library_rows){.o = *o};
    struct library_operand *n = &r->o;
    n->height = n->height ? n->height : 1;
    n->depth = n->depth && n->slice ? n->depth : 1;
    if (!is_slanted(o) && (n->height == 1 || n->pitch == n->width) && !__builtin_mul_overflow(n->width, n->height, &n->width)) {
        n->height = 1;
        if (n->depth > 1 && n->slice == n->width && !__builtin_mul_overflow(n->width, n->depth, &n->width))
            n->depth = 1;
    }
}

static uint64_t above_zero(ptrdiff_t v)
{
    return v > 0 ? (uint64_t)v : 0;
}

bool library_rows_next(struct library_rows *r)
{
    const struct library_operand *o = &r->o;
    while (o->width && r->batch < o->depth) {
        ptrdiff_t row = (ptrdiff_t)r->next;
        uint64_t skip = above_zero(o->skip + row * o->skip_step), leave = above_zero(o->leave + row * o->leave_step);
        r->at = (uint64_t)(uintptr_t)o->at + r->batch * o->slice + r->next * o->pitch + skip;
        r->bytes = skip + leave < o->width ? o->width - skip - leave : 0;
        if (++r->next == o->height) {
            r->next = 0;
            r->batch++;
        }
        if (r->bytes)
            return true;
    }
    return false;
}

uint64_t library_operand_bytes(const struct library_operand *o)
{
    struct library_rows r;
    uint64_t all = 0;
    library_rows_begin(&r, o);
    if (!is_slanted(o))
        return r.o.width * r.o.height * r.o.depth;
    while (library_rows_next(&r))
        all += r.bytes;
    return all;
}

/* All of the operand from its first to its last byte; false: longer than there are addresses. */
static bool span(const struct library_operand *o, size_t *bytes)
{
    size_t rows, batches;
    return !__builtin_mul_overflow(o->pitch, o->height - 1, &rows) && !__builtin_mul_overflow(o->slice, o->depth - 1, &batches) &&
           !__builtin_add_overflow(rows, batches, bytes) && !__builtin_add_overflow(*bytes, o->width, bytes);
}

/* How many of the bytes from `at` on memory of a device holds that some GPU would have mapped. */
static uint64_t mapped(uint64_t at, uint64_t bytes)
{
    uint64_t n = 0;
    if (!space_is_device_address(at)) {
        for (uint64_t step; n < bytes; n += step) {
            step = REGISTERED_PAGE - (at + n) % REGISTERED_PAGE;
            step = step < bytes - n ? step : bytes - n;
            if (!registered_ok(at + n, (unsigned)step))
                break;
        }
        return n;
    }
    const struct runtime_device *d = pointer_device(at);
    for (uint64_t step; d && n < bytes && space_ok(d->space, at + n, 1); n += step) {
        step = SPACE_GRANULE - (at + n - d->space->base) % SPACE_GRANULE;
        step = step < bytes - n ? step : bytes - n;
    }
    return n;
}

/* What of a row is in the allocation, or behind its end. */
static uint64_t inside(const struct pointer *p, uint64_t at, uint64_t bytes)
{
    uint64_t from = at - p->base;
    if (!pointer_for_device(p) || from >= p->bytes)
        return 0;
    return bytes < p->bytes - from ? bytes : p->bytes - from;
}

bool library_operand_lies(const struct library_operand *operand, struct library_stray *s)
{
    struct library_rows r;
    size_t all;
    library_rows_begin(&r, operand);
    const struct pointer p = pointer_look(r.o.at);
    if (!r.o.width || (pointer_for_device(&p) && span(&r.o, &all) && pointer_spans(&p, all)))
        return true;
    bool lies = true;
    while (library_rows_next(&r)) {
        uint64_t good = inside(&p, r.at, r.bytes);
        if (good == r.bytes)
            continue;
        uint64_t there = mapped(r.at, r.bytes);
        if (lies || there < r.bytes)
            *s = (struct library_stray){r.at, r.bytes, r.at + (there < r.bytes ? there : good), there == r.bytes};
        lies = false;
        if (there < r.bytes)
            break;
    }
    return lies;
}
