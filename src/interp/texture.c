/* tex: one fetch a lane (PTX ISA 8.4, 9.7.9.26). The rules of fetching are space/texture.c's; here are handles, coordinates,
 * destinations and the record: for each lane the address of the texel that its coordinates fall on. */
#include "interp/code.h"

#include <string.h>

#include "heddle.h"
#include "space/texture.h"

static void make_record(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m,
                        const uint64_t *addr, unsigned bytes)
{
    if (!w->ring)
        return;
    struct record *r = &w->ring[w->nrecords++];
    *r = (struct record){.site = (uint32_t)(st - c->step), .mask = m, .op = RECORD_TEXTURE, .space = PTX_GLOBAL,
                         .shape = RECORD_EXPLICIT, .bytes = (uint8_t)bytes, .elem = (uint8_t)bytes, .type = st->in->type,
                         .nc = 1, .block = (uint32_t)w->block->index, .warp = w->index, .sm = w->block->sm};
    memcpy(r->addr, addr, sizeof r->addr);
}

/* All of the texture must still be there: a row of texels is what a fetch reads. */
static bool is_mapped(const struct space *s, const struct texture *t)
{
    uint64_t last = t->address + (t->size[2] - 1) * t->slice + (t->size[1] - 1) * t->pitch +
                    (uint64_t)t->size[0] * t->components * t->bytes - 1;
    return space_ok(s, t->address, 1) && space_ok(s, last, 1);
}

static void fetch(const struct interp_code *c, const struct warp *w, const struct step *st, const struct texture *t,
                  int lane, uint32_t out[4], uint64_t *addr)
{
    int dims = st->in->mods->variant - PTX_TEX_1D + 1;
    int32_t whole[3] = {0, 0, 0};
    float at[3];
    for (int d = 0; d < dims; d++)
        whole[d] = (int32_t)step_value(c, w, st, 1 + d, lane);
    if (st->in->type2 == PTX_S32) {
        texture_texel(t, dims, whole, out, addr);
        return;
    }
    memcpy(at, whole, sizeof at);
    texture_fetch(t, dims, at, out, addr);
}

bool texture_step(const struct interp_code *c, struct warp *w, const struct step *st, uint32_t m)
{
    const struct space *s = w->block->launch->space;
    const struct texture *t = NULL;
    uint64_t addr[WARP_LANES] = {0}, known = 0;
    for (uint32_t left = m; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t handle = step_value(c, w, st, 0, lane);
        uint32_t out[4];
        if (!t || handle != known) {
            t = texture_find(s, handle);
            known = handle;
            if (!t || !is_mapped(s, t)) {
                launch_fault(w->block->launch, w, HEDDLE_ILLEGAL_ADDRESS, (int32_t)(st - c->step), lane,
                             t ? t->address : handle, t ? t->components * t->bytes : 0,
                             t ? "texture memory" : "no texture object has this handle");
                return false;
            }
        }
        fetch(c, w, st, t, lane, out, &addr[lane]);
        for (int i = 0; i < 4; i++)
            if (st->d[i] != PLACE_NONE)
                step_write(c, w, st, i, lane, out[i]);
    }
    make_record(c, w, st, m, addr, t->components * t->bytes);
    return true;
}
