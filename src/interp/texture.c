/* tex, tld4: one fetch a lane; suld, sust: one access (PTX ISA 8.4, 9.7.9.26, 9.7.10). The rules are space/texture.c's;
 * here are handles, coordinates, layers, destinations and the record: for each lane the address of the texel that its
 * coordinates fall on, or of what it accesses. */
#include "interp/code.h"

#include <string.h>

#include "heddle.h"
#include "space/texture.h"

static void make_record(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m, uint8_t op,
                        const uint64_t *addr, unsigned bytes, uint8_t texels)
{
    if (!w->ring || !m)
        return;
    struct record *r = &w->ring[w->nrecords++];
    *r = (struct record){.site = (uint32_t)(st - c->step), .mask = m, .op = op, .space = PTX_GLOBAL,
                         .shape = RECORD_EXPLICIT, .bytes = (uint8_t)bytes, .elem = (uint8_t)bytes, .type = st->in->type, .texels = texels,
                         .nc = 1, .block = (uint32_t)w->block->index, .warp = w->index, .sm = w->block->sm};
    memcpy(r->addr, addr, sizeof r->addr);
}

/* All of the texture must still be there: a row of texels is what a fetch reads. */
static bool is_mapped(const struct space *s, const struct texture *t)
{
    uint64_t images = t->layers ? t->layers : t->size[2];
    uint64_t last = t->address + (images - 1) * t->slice + (t->size[1] - 1) * t->pitch +
                    (uint64_t)t->size[0] * t->components * t->bytes - 1;
    s = space_reach(s, t->address);
    return space_ok(s, t->address, 1) && space_ok(s, last, 1);
}

static bool fault(const struct interp_code *c, struct warp *w, const struct step *st, int status, int lane,
                  uint64_t address, unsigned bytes, const char *text)
{
    launch_fault(w->block->launch, w, status, (int32_t)(st - c->step), lane, address, bytes, text);
    return false;
}

/* The object that a lane names, kept in *known from lane to lane. False: a fault was recorded. */
static bool find(const struct interp_code *c, struct warp *w, const struct step *st, int lane, bool surface,
                 const struct texture **t, uint64_t *known)
{
    const struct space *s = w->block->launch->space;
    uint64_t handle = step_value(c, w, st, 0, lane);
    if (*t && handle == *known)
        return true;
    uint64_t object = handle;
    if (space_is_device_address(handle)) { /* of a reference, which holds the handle of what it is bound to */
        if (!space_ok(s, handle, sizeof object))
            return fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, handle, 0,
                         surface ? "surface reference" : "texture reference");
        memcpy(&object, space_host(handle), sizeof object);
        if (!object)
            return fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, handle, 0,
                         surface ? "the surface reference is not bound" : "the texture reference is not bound");
    }
    *t = texture_find(s, object);
    *known = handle;
    if (!*t || (*t)->surface != surface)
        return fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, handle, 0,
                     surface ? "no surface object has this handle" : "no texture object has this handle");
    return (*t)->open || is_mapped(s, *t) ||
           fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, (*t)->address, (unsigned)(*t)->components * (*t)->bytes,
                 surface ? "surface memory" : "texture memory");
}

/* --- tex, tld4 --- */

static void fetch(const struct interp_code *c, const struct warp *w, const struct step *st, const struct texture *t,
                  int lane, uint32_t out[4], uint64_t *addr)
{
    const struct ptx_mods *mods = st->in->mods;
    int layered = ptx_is_layered(mods->variant), dims = ptx_coordinates(mods->variant) - layered;
    int32_t whole[3] = {0, 0, 0};
    float at[3];
    struct texture image;
    for (int d = 0; d < dims; d++)
        whole[d] = (int32_t)step_value(c, w, st, 1 + layered + d, lane);
    memcpy(at, whole, sizeof at);
    int64_t layer = layered ? (int32_t)step_value(c, w, st, 1, lane) : 0;
    if (mods->variant == PTX_TEX_CUBE || mods->variant == PTX_TEX_ACUBE) {
        float direction[3] = {at[0], at[1], at[2]};
        int64_t cubes = t->layers / 6;
        layer = layer < 0 ? 0 : layer >= cubes ? cubes - 1 : layer;
        layer = 6 * layer + texture_face(direction, at);
        dims = 2;
    }
    if (t->layers) {
        image = texture_layer(t, layer);
        t = &image;
    }
    if (st->in->op == PTX_OP_TLD4)
        texture_gather(t, mods->component, at, out, addr);
    else if (st->in->type2 == PTX_S32)
        texture_texel(t, dims, whole, out, addr);
    else
        texture_fetch(t, dims, at, out, addr);
}

/* Of a texture over linear memory: a texel outside of all memory is a fault. Whole coordinates name one, others may need any. */
static bool open_is_mapped(const struct interp_code *c, struct warp *w, const struct step *st, const struct texture *t, int lane)
{
    const struct space *s = w->block->launch->space;
    unsigned bytes = (unsigned)t->components * t->bytes;
    uint64_t at = t->address;
    if (st->in->op != PTX_OP_TLD4 && st->in->type2 == PTX_S32) {
        at = texture_in_line(t, (int32_t)step_value(c, w, st, 1, lane));
        if (!at || space_ok(space_reach(s, at), at, bytes))
            return true;
    } else if (t->size[0] && is_mapped(s, t)) {
        return true;
    }
    return fault(c, w, st, HEDDLE_ILLEGAL_ADDRESS, lane, at, bytes, "texture memory");
}

/* Lanes of m that who watches the launch refuses: their texels lie outside of all allocations. */
static uint32_t refused(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const struct watch *watch = w->block->launch->watch;
    const struct texture *t = NULL, *first = NULL;
    uint64_t addr[WARP_LANES] = {0}, known = 0;
    uint32_t asked = 0;
    if (!watch || !watch->refuse || st->in->op == PTX_OP_TLD4 || st->in->type2 != PTX_S32)
        return 0;
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (!find(c, w, st, lane, false, &t, &known))
            return 0;
        first = first ? first : t;
        addr[lane] = t->open ? texture_in_line(t, (int32_t)step_value(c, w, st, 1, lane)) : 0;
        asked |= (uint32_t)(addr[lane] && t->components * t->bytes == first->components * first->bytes) << lane;
    }
    struct watched_access a = {w, (int32_t)(st - c->step), PTX_GLOBAL, RECORD_TEXTURE, (uint8_t)(first->components * first->bytes), asked, addr};
    return asked ? watch->refuse(watch->user, &a) : 0;
}

/* As in struct record. */
static uint8_t texels_of(const struct step *st, const struct texture *t)
{
    const struct ptx_mods *mods = st->in->mods;
    const bool cube = mods->variant == PTX_TEX_CUBE || mods->variant == PTX_TEX_ACUBE;
    const int dims = cube ? 2 : ptx_coordinates(mods->variant) - ptx_is_layered(mods->variant);
    if (st->in->op == PTX_OP_TLD4)
        return 4;
    if (st->in->type2 == PTX_S32)
        return dims > 1;
    return t->linear ? (uint8_t)(1 << dims) : 1;
}

bool texture_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    m &= ~refused(c, w, st, m);
    const struct texture *t = NULL;
    uint64_t addr[WARP_LANES] = {0}, known = 0;
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t out[4];
        if (!find(c, w, st, lane, false, &t, &known) || (t->open && !open_is_mapped(c, w, st, t, lane)))
            return false;
        fetch(c, w, st, t, lane, out, &addr[lane]);
        for (int i = 0; i < 4; i++)
            if (st->d[i] != PLACE_NONE)
                step_write(c, w, st, i, lane, out[i]);
    }
    if (m)
        make_record(c, w, st, m, RECORD_TEXTURE, addr, t->components * t->bytes, texels_of(st, t));
    return true;
}

/* --- suld, sust --- */

/* Where a lane's access goes, 0: nowhere. */
static uint64_t place_of(const struct interp_code *c, const struct warp *w, const struct step *st, const struct texture *t,
                      int lane, unsigned bytes)
{
    const struct ptx_mods *mods = st->in->mods;
    bool clamp = mods->bounds == PTX_BOUNDS_CLAMP;
    int layered = ptx_is_layered(mods->variant), n = ptx_coordinates(mods->variant) - layered;
    int32_t at[3] = {0, 0, 0};
    for (int d = 0; d < n; d++)
        at[d] = (int32_t)step_value(c, w, st, 1 + layered + d, lane);
    if (!t->layers)
        return texture_at(t, at, bytes, clamp);
    int64_t layer = layered ? (int32_t)step_value(c, w, st, 1, lane) : 0;
    if (!clamp && (layer < 0 || layer >= t->layers))
        return 0;
    struct texture image = texture_layer(t, layer);
    return texture_at(&image, at, bytes, clamp);
}

static void read_lane(const struct interp_code *c, const struct warp *w, const struct step *st, int lane, uint64_t from)
{
    unsigned elem = st->elem;
    for (int i = 0; i < st->vec; i++) {
        uint64_t v = 0;
        if (from)
            memcpy(&v, (const char *)space_host(from) + (unsigned)i * elem, elem);
        if (st->d[i] != PLACE_NONE)
            step_write(c, w, st, i, lane, v);
    }
}

static void write_lane(const struct interp_code *c, const struct warp *w, const struct step *st, int lane, uint64_t to)
{
    int first = 1 + ptx_coordinates(st->in->mods->variant);
    for (int i = 0; to && i < st->vec; i++) {
        uint64_t v = step_value(c, w, st, first + i, lane);
        memcpy((char *)space_host(to) + (unsigned)i * st->elem, &v, st->elem);
    }
}

bool texture_surface(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    bool store = ir_is(st->in, PTX_KIND_SURFACE_STORE);
    unsigned bytes = (unsigned)st->elem * st->vec;
    const struct texture *t = NULL;
    uint64_t addr[WARP_LANES] = {0}, known = 0;
    uint32_t done = 0;
    for (uint32_t left = m; left; left &= left - 1) { /* all are checked before one is done */
        int lane = __builtin_ctz(left);
        if (!find(c, w, st, lane, true, &t, &known))
            return false;
        uint64_t at = place_of(c, w, st, t, lane, bytes);
        if (!at && st->in->mods->bounds == PTX_BOUNDS_TRAP)
            return fault(c, w, st, HEDDLE_TRAP, lane, 0, bytes,
                         "the coordinates are outside the surface (x counts in bytes)");
        if ((at - t->address) % bytes)
            return fault(c, w, st, HEDDLE_MISALIGNED_ADDRESS, lane, at, bytes, NULL);
        addr[lane] = at;
        done |= (uint32_t)(at != 0) << lane;
    }
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        (store ? write_lane : read_lane)(c, w, st, lane, addr[lane]);
    }
    make_record(c, w, st, done, store ? RECORD_SUST : RECORD_SULD, addr, bytes, 0);
    return true;
}
