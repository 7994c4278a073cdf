/* Memory for the places of L2 (see l2_sets.h). */
#include "memory/l2_sets.h"

#include <pthread.h>

#include "base/alloc.h"

static struct {
    pthread_mutex_t lock;
    struct part part[PARTS];
    uint32_t nparts, sets; /* nparts 0: none are kept */
    uint8_t launch;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool parts_open(struct part *part, uint32_t nparts, struct divisor sets)
{
    for (uint32_t i = 0; i < nparts; i++) {
        part[i].set = alloc_try_pages(sets.by * sizeof *part[i].set);
        part[i].byte = alloc_try_pages((size_t)sets.by * WAYS * sizeof *part[i].byte);
        if (!part[i].set || !part[i].byte)
            return false;
        for (uint32_t n = 0; n < sets.by; n++)
            part[i].set[n].order = ways_order(WAYS);
    }
    return true;
}

void parts_close(struct part *part, uint32_t nparts, struct divisor sets)
{
    for (uint32_t i = 0; i < nparts; i++) {
        alloc_pages_release(part[i].set, sets.by * sizeof *part[i].set);
        alloc_pages_release(part[i].byte, (size_t)sets.by * WAYS * sizeof *part[i].byte);
    }
}

bool parts_take(struct part *part, uint32_t nparts, struct divisor sets, uint8_t *launch)
{
    *launch = 0;
    pthread_mutex_lock(&kept.lock);
    const bool have = kept.nparts == nparts && kept.sets == sets.by;
    if (have) {
        memcpy(part, kept.part, sizeof kept.part);
        *launch = (uint8_t)(kept.launch + 1);
        kept.nparts = 0;
    }
    pthread_mutex_unlock(&kept.lock);
    if (!have)
        return parts_open(part, nparts, sets);
    for (uint32_t i = 0; i < nparts && !*launch; i++) /* all numbers have been used */
        for (uint32_t n = 0; n < sets.by; n++)
            set_empty(&part[i].set[n], 0);
    return true;
}

void parts_give(const struct part *part, uint32_t nparts, struct divisor sets, uint8_t launch)
{
    struct part old[PARTS];
    pthread_mutex_lock(&kept.lock);
    const uint32_t nold = kept.nparts;
    const struct divisor old_sets = {.by = kept.sets};
    memcpy(old, kept.part, sizeof old);
    memcpy(kept.part, part, nparts * sizeof *part);
    kept.nparts = nparts;
    kept.sets = sets.by;
    kept.launch = launch;
    pthread_mutex_unlock(&kept.lock);
    parts_close(old, nold, old_sets);
}
