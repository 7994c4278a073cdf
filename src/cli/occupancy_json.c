/* Occupancy as JSON: the same figures, sentences and steps as the text. See occupancy.h. */
#include <string.h>

#include "base/strbuf.h"
#include "cli/occupancy.h"

static json_t *limits_json(const struct device_occupancy *o)
{
    json_t *list = json_array();

    for (int l = DEVICE_LIMIT_NONE + 1; l < DEVICE_LIMITS; l++)
        if (o->refusal ? o->limit == (enum device_limit)l : o->limits >> l & 1)
            json_array_append_new(list, json_string(device_limit_text((enum device_limit)l)));
    return list;
}

static json_t *curve_json(const struct occupancy_case *c, enum device_axis axis)
{
    const struct device_curve *curve = &c->curve[axis];
    json_t *list = json_array();

    for (int i = 0; i < curve->n; i++) {
        const struct device_step *s = &curve->steps[i];
        json_array_append_new(list, json_pack("{s:I, s:I, s:i, s:i, s:f, s:o}", "first", (json_int_t)s->first, "last",
                                              (json_int_t)s->last, "blocks", s->at.blocks, "warps", s->at.warps, "occupancy",
                                              occupancy_percent(c, &s->at), "limits", limits_json(&s->at)));
    }
    return list;
}

static json_t *need_json(const struct occupancy_case *c)
{
    const struct device_need *n = &c->need;

    return json_pack("{s:i, s:i, s:b, s:I, s:I, s:I}", "threads", n->threads, "registers", n->registers, "registers_estimated",
                     c->estimated, "shared_static", (json_int_t)n->shared_static, "shared_dynamic",
                     (json_int_t)n->shared_dynamic, "shared_hidden", (json_int_t)n->shared_hidden);
}

static json_t *granted_json(const struct device_occupancy *o)
{
    return json_pack("{s:I, s:I, s:I, s:I}", "registers_per_warp", (json_int_t)o->registers_per_warp, "registers_per_block",
                     (json_int_t)o->registers_per_block, "shared_per_block", (json_int_t)o->shared_per_block, "shared_driver",
                     (json_int_t)o->shared_driver);
}

static json_t *case_json(const struct occupancy_case *c)
{
    const struct device *d = c->device;
    const struct device_occupancy *o = &c->at;
    json_t *by = json_object(), *curves = json_object(), *all;
    struct strbuf sentence;

    strbuf_init(&sentence);
    occupancy_sentence(c, &sentence);
#define LIMIT(NAME, id, text) json_object_set_new(by, #id, json_integer(o->by_limit[DEVICE_LIMIT_##NAME]));
#include "device/device_limits.def"
#undef LIMIT
    for (int axis = 0; axis < DEVICE_AXES; axis++)
        json_object_set_new(curves, occupancy_axes[axis].id, curve_json(c, (enum device_axis)axis));
    all = json_pack("{s:s, s:s, s:I, s:I, s:o, s:b, s:i, s:i, s:i, s:I, s:f, s:o, s:o, s:o, s:I, s:i, s:s, s:o}", "device",
                    d->id, "name", d->name, "cc_major", (json_int_t)d->cc_major, "cc_minor", (json_int_t)d->cc_minor, "need",
                    need_json(c), "fits", o->refusal == DEVICE_FITS, "blocks", o->blocks, "warps", o->warps,
                    "warps_per_block", o->warps_per_block, "max_warps", (json_int_t)d->max_warps_per_sm, "occupancy",
                    occupancy_percent(c, o), "limits", limits_json(o), "blocks_by", by, "granted", granted_json(o),
                    "shared_config", (json_int_t)o->shared_config, "best_block", c->best_block, "text", sentence.s, "curves",
                    curves);
    strbuf_release(&sentence);
    return all;
}

json_t *occupancy_json(const struct occupancy_page *p)
{
    json_t *devices = json_array();

    for (int i = 0; i < p->n; i++)
        json_array_append_new(devices, case_json(&p->cases[i]));
    return json_pack("{s:o, s:[i,i,i], s:o}", "kernel", p->kernel ? json_string(p->kernel) : json_null(), "block",
                     (int)p->block[0], (int)p->block[1], (int)p->block[2], "devices", devices);
}
