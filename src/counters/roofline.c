/* The rows of roofline.def, computed. See roofline.h. */
#include "counters/roofline.h"

#include <math.h>

static double over(double a, double b)
{
    return b != 0 ? a / b : 0;
}

#define C(id)      ((double)c->v[COUNTER_##id])
#define L(id)      ((double)l->id)
#define R(id)      (d->id)
#define OVER(a, b) over((a), (b))
#define EXACT      TRUST_EXACT
#define MODELLED   TRUST_MODELLED

/* Where read-only loads go their own way they are no global loads (launch.def, readonly). */
#define ASKED                                                                                                          \
    (C(GLOBAL_LD_BYTES) + C(GLOBAL_ST_BYTES) + C(GLOBAL_ATOM_BYTES) + C(GLOBAL_RED_BYTES) +                            \
     (l->readonly == 2 ? C(READONLY_BYTES) : 0))
#define BY_SIZE(op) (32 * C(GLOBAL_##op##_OF_32) + 64 * C(GLOBAL_##op##_OF_64) + 128 * C(GLOBAL_##op##_OF_128))
#define MOVED(op)   (l->by_size ? BY_SIZE(op) : 32 * C(GLOBAL_##op##_SECTORS))
/* Before compute capability 5.0 textures have a cache of their own. */
#define TEXTURES (l->by_size ? 0 : C(L1_TEXTURE_SECTORS))
#define LOCALS (C(LOCAL_LD_SECTORS) + C(LOCAL_ST_SECTORS)) /* spills are among them */
#define L1_BYTES                                                                                                       \
    (MOVED(LD) + MOVED(ST) + 32 * (C(GLOBAL_ATOM_SECTORS) + C(GLOBAL_RED_SECTORS) + LOCALS + TEXTURES))
#define WAVEFRONTS                                                                                                     \
    (C(SHARED_LD_WAVEFRONTS) + C(SHARED_ST_WAVEFRONTS) + C(SHARED_ATOM_WAVEFRONTS) + C(SHARED_LDGSTS_WAVEFRONTS))
#define LSU_REQUESTS                                                                                                   \
    (C(GLOBAL_LD_REQUESTS) + C(GLOBAL_ST_REQUESTS) + C(GLOBAL_ATOM_REQUESTS) + C(GLOBAL_RED_REQUESTS) +                \
     C(LOCAL_LD_INST) + C(LOCAL_ST_INST) + C(SHARED_LD_REQUESTS) + C(SHARED_ST_REQUESTS) + C(SHARED_ATOM_REQUESTS))

/* Whose part of the device a resource is. */
enum share { ALL, SMS, SCHEDULERS };

static void shares(struct roofline *r, const struct launch_facts *l)
{
    double sms = L(multiprocessors), blocks = L(blocks), schedulers = sms * L(schedulers);
    double warps = blocks * L(warps_per_block), used = fmin(blocks, sms);

    r->sms = over(used, sms);
    r->schedulers = over(fmin(warps, used * L(schedulers)), schedulers);
    r->last_wave = blocks > 0 ? ceil(blocks / fmax(used, 1)) * used / blocks : 1;
}

static double part(const struct roofline *r, enum share s)
{
    return s == SMS ? r->sms : s == SCHEDULERS ? r->schedulers : 1;
}

static void fill(struct roofline *r, const struct counters *c, const struct launch_facts *l, const struct device_rates *d)
{
#define PRECISION(id, section, text, op, inst, rate)       \
    r->precision[ROOFLINE_##id].operations = (op);         \
    r->precision[ROOFLINE_##id].instructions = (inst);     \
    r->precision[ROOFLINE_##id].peak = R(rate);
#define LEVEL(id, text, amount, word, rate, modelled, from)                               \
    r->level[ROOFLINE_LEVEL_##id].bytes = (modelled) && !(l->collected & COUNTERS_OF(CACHES)) ? NAN : (double)(amount); \
    r->level[ROOFLINE_LEVEL_##id].peak = (rate);                                          \
    r->level[ROOFLINE_LEVEL_##id].trust = (word);
#define RESOURCE(id, text, unit, amount, word, rate, share, modelled)                             \
    r->resource[ROOFLINE_RESOURCE_##id].work = (modelled) && !(l->collected & COUNTERS_OF(CACHES)) ? NAN : (double)(amount); \
    r->resource[ROOFLINE_RESOURCE_##id].peak = (rate) * part(r, share);                           \
    r->resource[ROOFLINE_RESOURCE_##id].trust = (word);
#include "counters/roofline.def"
}

void roofline_init(struct roofline *r, const struct counters *c, const struct launch_facts *l, const struct device_rates *d)
{
    shares(r, l);
    fill(r, c, l, d);
    r->bound = ROOFLINE_RESOURCES;
    r->us = 0;
    for (int i = 0; i < ROOFLINE_RESOURCES; i++) {
        double work = r->resource[i].work, peak = r->resource[i].peak;

        r->resource[i].us = work == 0 ? 0 : peak > 0 ? work / peak / 1e3 : NAN;
        if (r->resource[i].us > r->us) {
            r->us = r->resource[i].us;
            r->bound = (enum roofline_resource)i;
        }
    }
}

double roofline_intensity(const struct roofline *r, enum roofline_level l, enum roofline_precision p)
{
    double bytes = r->level[l].bytes, operations = r->precision[p].operations;

    if (isnan(bytes) || r->level[l].peak == 0)
        return NAN;
    if (operations == 0)
        return 0;
    return bytes > 0 ? operations / bytes : INFINITY;
}

double roofline_attainable(const struct roofline *r, enum roofline_level l, enum roofline_precision p)
{
    double intensity = roofline_intensity(r, l, p), peak = r->precision[p].peak, roof = r->level[l].peak;

    if (isnan(intensity) || isnan(peak))
        return NAN;
    return isinf(intensity) ? peak : isnan(roof) ? NAN : fmin(peak, intensity * roof);
}

double roofline_ridge(const struct roofline *r, enum roofline_level l, enum roofline_precision p)
{
    return r->level[l].peak > 0 ? r->precision[p].peak / r->level[l].peak : NAN;
}

double roofline_most(const struct roofline *r, enum roofline_precision p)
{
    return r->us > 0 ? r->precision[p].operations / r->us / 1e3 : 0;
}

bool roofline_uses(const struct roofline *r, enum roofline_level l)
{
    return r->level[l].bytes > 0 && r->level[l].peak != 0;
}

enum roofline_precision roofline_main(const struct roofline *r)
{
    enum roofline_precision most = (enum roofline_precision)0;
    double longest = 0;

    for (int p = 0; p < ROOFLINE_PRECISIONS; p++) {
        double operations = r->precision[p].operations, peak = r->precision[p].peak;
        double t = operations > 0 ? (peak > 0 ? operations / peak : operations) : 0;

        if (t > longest) {
            longest = t;
            most = (enum roofline_precision)p;
        }
    }
    return most;
}

/* --- names --- */

struct roofline_names roofline_precision_names(enum roofline_precision p)
{
    static const struct roofline_names names[] = {
#define PRECISION(id, section, text, operations, instructions, peak) {text, "FLOP", #peak, section},
#include "counters/roofline.def"
    };

    return names[p];
}

struct roofline_names roofline_level_names(enum roofline_level l)
{
    static const struct roofline_names names[] = {
#define LEVEL(id, text, bytes, trust, peak, modelled, from) {text, "byte", #from, ""},
#include "counters/roofline.def"
    };

    return names[l];
}

struct roofline_names roofline_resource_names(enum roofline_resource r)
{
    static const struct roofline_names names[] = {
#define RESOURCE(id, text, unit, work, trust, peak, share, modelled) {text, unit, "", ""},
#include "counters/roofline.def"
    };

    return names[r];
}
