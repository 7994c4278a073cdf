/* A device's L2 from launch to launch (memory/l2_kept.h): who has it, and what copies, fills and frees do to it.
 *
 * A launch has it from its begin to its end. One that runs while another of the same device does (a kernel's child that the kernel waits
 * for) has an L2 of its own, which is empty at first; what is copied then changes nothing. */
#include "engine/private.h"
#include "engine.h"

#include "device/device.h"
#include "memory/caches.h"
#include "memory/l2_kept.h"

void engine_cache_control(heddle_device *d, bool keeps)
{
    d->keeps_l2 = keeps;
}

/* Under kept_lock. */
static struct l2_kept *kept_of(heddle_device *d)
{
    const struct caches_config c = {.l2_bytes = (uint64_t)d->spec.l2_bytes, .l2_parts = (uint32_t)d->spec.l2_partitions,
                                    .dirty_share = (uint32_t)DEVICE_TAKEN(&d->spec, l2_dirty_share), .lost_bytes = (uint64_t)DEVICE_TAKEN(&d->spec, l2_lost_bytes)};
    if (!d->kept && !d->kept_failed)
        d->kept = l2_kept_new(&c);
    d->kept_failed = !d->kept;
    return d->kept;
}

struct l2_kept *kept_take(heddle_device *d)
{
    if (!d->keeps_l2)
        return NULL;
    pthread_mutex_lock(&d->kept_lock);
    struct l2_kept *k = d->kept_taken ? NULL : kept_of(d);
    d->kept_taken |= k != NULL;
    pthread_mutex_unlock(&d->kept_lock);
    return k;
}

void kept_give(heddle_device *d, const struct l2_kept *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&d->kept_lock);
    d->kept_taken = false;
    pthread_mutex_unlock(&d->kept_lock);
}

void kept_touch(heddle_device *d, enum l2_touch how, uint64_t address, uint64_t bytes)
{
    if (!d->keeps_l2 || address >= space_pinned_first(&d->space)) /* the host's memory */
        return;
    pthread_mutex_lock(&d->kept_lock);
    struct l2_kept *k = d->kept_taken ? NULL : kept_of(d);
    if (k)
        l2_kept_touch(k, how, address, bytes);
    pthread_mutex_unlock(&d->kept_lock);
}

void engine_reset_persisting(heddle_device *d)
{
    pthread_mutex_lock(&d->kept_lock);
    if (d->kept && !d->kept_taken)
        l2_kept_reset(d->kept);
    pthread_mutex_unlock(&d->kept_lock);
}
