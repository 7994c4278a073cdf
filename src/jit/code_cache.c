/* Objects in the cache (see code_cache.h). */
#include "jit/code_cache.h"

#include "base/alloc.h"
#include "base/store.h"
#include "base/strbuf.h"
#include "jit_build.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* --- the key --- */

/* What the module's text does not tell: constants (addresses of variables are among them), and what target_rewrite makes of it. */
static void mix_inst(struct hash128 *k, const struct ir_inst *in)
{
    HASH128_MIX(k, in->op);
    HASH128_MIX(k, in->type);
    HASH128_MIX(k, in->type2);
    HASH128_MIX(k, in->space);
    HASH128_MIX(k, in->vec);
    HASH128_MIX(k, in->atomic_form);
    HASH128_MIX(k, in->way);
    HASH128_MIX(k, in->guard);
    HASH128_MIX(k, in->guard_negated);
    HASH128_MIX(k, in->target);
    HASH128_MIX(k, in->offset);
    HASH128_MIX(k, in->offset2);
    hash128_mix(k, in->dst, in->ndst * sizeof in->dst[0]);
    for (int i = 0; i < in->nsrc; i++) {
        HASH128_MIX(k, in->src[i].kind);
        HASH128_MIX(k, in->src[i].negated);
        HASH128_MIX(k, in->src[i].reg);
        HASH128_MIX(k, in->src[i].imm);
    }
}

bool code_cache_key(const struct jit_job *job, struct hash128 *key)
{
    const struct ir_kernel *k = job->kernel;
    const char *wanted = getenv("HEDDLE_JIT_CACHE");
    if ((wanted && !strcmp(wanted, "0")) || job->look) /* else nobody would look at the form */
        return false;
    *key = HASH128_START;
    hash128_text(key, JIT_BUILD);
    hash128_text(key, job->level);
    HASH128_MIX(key, job->dim);
    HASH128_MIX(key, job->counting);
    HASH128_MIX(key, job->tallies);
    HASH128_MIX(key, job->cached);
    HASH128_MIX(key, job->runs);
    HASH128_MIX(key, job->accesses);
    if (job->entered)
        hash128_mix(key, job->entered, (size_t)k->nblocks);
    HASH128_MIX(key, job->split);
    HASH128_MIX(key, job->block);
    HASH128_MIX(key, job->tier);
    hash128_text(key, k->name);
    hash128_mix(key, k->module->text, k->module->text_len);
    hash128_mix(key, k->reg_type, (size_t)k->nregs);
    for (int32_t i = 0; i < k->ninsts; i++)
        mix_inst(key, &k->insts[i]);
    for (int32_t i = 0; i < k->ntrips; i++) {
        HASH128_MIX(key, k->trips[i].step);
        HASH128_MIX(key, k->trips[i].goes_on);
        HASH128_MIX(key, k->trips[i].rounds);
    }
    hash128_mix(key, k->long_ways, (size_t)k->nlong_ways);
    return true;
}

/* --- the cache --- */

static struct store store;
static bool usable;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

/* Only commands make another folder than the one that is wanted, and say so. */
static void open_store(void)
{
    usable = store_open(&store, false, NULL);
}

/* NULL: there is none. */
static struct store *opened(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_store);
    return usable ? &store : NULL;
}

bool code_cache_has(const struct hash128 *key)
{
    const struct store *s = opened();
    return s && store_has(s, STORE_CODE, key);
}

static void release(struct jit_object *o)
{
    alloc_release(o->bytes);
    o->bytes = NULL;
}

bool code_cache_find(const struct hash128 *key, struct jit_object *o)
{
    const struct store *s = opened();
    struct strbuf object;
    strbuf_init(&object);
    bool found = s && store_get(s, STORE_CODE, key, &object);
    if (found) {
        *o = (struct jit_object){.bytes = alloc_zeroed(object.len + 1), .size = object.len, .release = release};
        found = o->bytes;
    }
    if (found)
        memcpy(o->bytes, object.s ? object.s : "", object.len);
    strbuf_release(&object);
    return found;
}

void code_cache_add(const struct hash128 *key, const struct jit_object *o)
{
    struct store *s = opened();
    if (!s)
        return;
    pthread_mutex_lock(&adding);
    store_put(s, STORE_CODE, key, o->bytes, o->size);
    pthread_mutex_unlock(&adding);
}
