/* See sm.h. */
#include "clock/sm.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"

static struct {
    pthread_mutex_t lock;
    struct sms sms;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Textures have a cache of their own; then the first of the SMs that share one has it. */
static bool has_textures(const struct caches_config *c, uint32_t sm)
{
    return !c->texture_bytes || sm % c->texture_sms == 0;
}

static void caches_make(struct sms *of, const struct caches_config *c)
{
    for (uint32_t i = 0; i < of->n; i++) {
        struct sm *s = &of->sm[i];
        s->l1 = l1_new(c, &of->of_caches);
        s->constants = constants_new(c, &of->of_caches);
        s->textures = has_textures(c, i) ? textures_new(c, &of->of_caches) : s[-(int)(i % c->texture_sms)].textures;
        of->queue[i].l1 = s->l1;
    }
    of->caches = *c;
}

static void caches_clear(struct sms *of)
{
    for (uint32_t i = 0; i < of->n; i++) {
        struct sm *s = &of->sm[i];
        l1_clear(s->l1);
        constants_clear(s->constants);
        if (has_textures(&of->caches, i))
            readonly_clear(s->textures);
    }
}

static void sms_free(struct sms *of)
{
    if (!of->n)
        return;
    pages_release(&of->of_caches);
    pages_release(&of->arrays);
    for (uint32_t i = 0; i < of->n; i++) {
        alloc_release(of->queue[i].waiter);
        l2_queue_release(&of->queue[i]);
        alloc_release(of->sm[i].wakes);
        alloc_release(of->sm[i].code);
        fences_release(&of->sm[i].fences);
    }
    for (uint32_t i = 0; i < of->nturns; i++)
        turn_pool_release(&of->turns[i]);
    alloc_release(of->turns);
    alloc_release(of->sm);
    alloc_release(of->queue);
}

void sms_take(struct sms *out, uint32_t n, uint32_t slots, const struct caches_config *c)
{
    *out = (struct sms){0};
    pthread_mutex_lock(&kept.lock);
    if (kept.sms.n == n && kept.sms.slots == slots) {
        *out = kept.sms;
        kept.sms = (struct sms){0};
    }
    pthread_mutex_unlock(&kept.lock);
    if (!out->n) {
        *out = (struct sms){.n = n, .slots = slots};
        out->sm = alloc_aligned(128, n * sizeof *out->sm);
        out->queue = alloc_aligned(128, n * sizeof *out->queue);
        caches_make(out, c);
    } else if (memcmp(&out->caches, c, sizeof *c) != 0) {
        pages_release(&out->of_caches);
        caches_make(out, c);
    } else {
        caches_clear(out);
    }
}

void sms_give(const struct sms *sms)
{
    pthread_mutex_lock(&kept.lock);
    struct sms old = kept.sms;
    kept.sms = *sms;
    pthread_mutex_unlock(&kept.lock);
    sms_free(&old);
}

void sms_pools(struct sms *sms, uint32_t n)
{
    if (n <= sms->nturns)
        return;
    sms->turns = alloc_resize(sms->turns, n * sizeof *sms->turns);
    memset(sms->turns + sms->nturns, 0, (n - sms->nturns) * sizeof *sms->turns);
    sms->nturns = n;
}

/* Host memory for blocks is kept from launch to launch: new pages cost more than what is done with them. So it is more from the start than most
 * launches need: what nobody touches costs nothing. */
static struct {
    pthread_mutex_t lock;
    void *memory;
    size_t bytes;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

void *sms_state_take(size_t *bytes)
{
    void *memory = NULL;
    size_t have = *bytes > SMS_STATE_BYTES ? *bytes : SMS_STATE_BYTES;
    pthread_mutex_lock(&state.lock);
    if (state.bytes >= *bytes) {
        memory = state.memory;
        have = state.bytes;
        state.memory = NULL;
        state.bytes = 0;
    }
    pthread_mutex_unlock(&state.lock);
    if (!memory)
        memory = alloc_try_pages(have);
    if (!memory)
        return alloc_try_pages(*bytes);
    *bytes = have;
    return memory;
}

void sms_state_give(void *memory, size_t bytes)
{
    pthread_mutex_lock(&state.lock);
    if (bytes > state.bytes) {
        void *old = state.memory;
        size_t old_bytes = state.bytes;
        state.memory = memory;
        state.bytes = bytes;
        memory = old;
        bytes = old_bytes;
    }
    pthread_mutex_unlock(&state.lock);
    alloc_pages_release(memory, bytes);
}

/* Nothing of what arrays have is kept. What they were before stays in their memory. */
static void grow(struct sm *s, struct pages *memory, uint32_t slots, uint32_t places, uint32_t words, uint32_t blocks)
{
    if (blocks > s->blocks_room) {
        s->blocks_room = blocks;
        s->code = alloc_resize(s->code, blocks * sizeof *s->code);
    }
    if (!s->free) {
        s->free = pages_take(memory, slots * sizeof *s->free);
        s->unit = pages_take(memory, slots * sizeof *s->unit);
        s->before_pipe = pages_take(memory, slots * sizeof *s->before_pipe);
    }
    if (places <= s->places_room)
        return;
    struct turn *turn = pages_take(memory, places * sizeof *turn);
    if (s->places_room) /* they have memory */
        memcpy(turn, s->turn, s->places_room * sizeof *turn);
    s->turn = turn;
    s->places_room = places;
    s->cta_slot = pages_take(memory, places * sizeof *s->cta_slot);
    s->ready = pages_take(memory, places * sizeof *s->ready);
    s->least = pages_take(memory, places * sizeof *s->least);
    s->runnable = pages_take(memory, words * sizeof *s->runnable);
    s->age = pages_take(memory, places * sizeof *s->age);
    s->in = pages_take(memory, places * sizeof *s->in);
    for (uint32_t k = 0; k < slots; k++)
        s->before_pipe[k].place = pages_take(memory, places * sizeof *s->before_pipe[k].place);
}

void sm_begin(struct sms *of, uint32_t sm, uint32_t places, uint32_t blocks)
{
    struct sm *s = &of->sm[sm];
    struct l2_queue *q = &of->queue[sm];
    const uint32_t words = (places + 63) / 64;
    grow(s, &of->arrays, of->slots, places, words, blocks);
    s->constant_port = s->texture_port = s->now = s->pipe = s->data = s->since = 0;
    s->next_queue = s->nwakes = s->unbegun = s->blocks = 0;
    s->taken = 0;
    memset(s->free, 0, of->slots * sizeof *s->free);
    memset(s->unit, 0, of->slots * sizeof *s->unit);
    memset(s->code, 0, blocks * sizeof *s->code);
    memset(s->cta_slot, 0, places * sizeof *s->cta_slot);
    memset(s->least, 0, places * sizeof *s->least);
    memset(s->runnable, 0, words * sizeof *s->runnable);
    memset(s->in, 0, places * sizeof *s->in);
    for (uint32_t k = 0; k < of->slots; k++)
        s->before_pipe[k] = (struct issue_queue){.place = s->before_pipe[k].place};
    for (uint32_t p = 0; p < places; p++) {
        s->ready[p] = SM_NEVER;
        turn_forget(&s->turn[p]);
    }
    if (s->waiters_room)
        memset(q->waiter, 0, s->waiters_room * sizeof *q->waiter);
    q->n = q->next = q->nbytes = q->ntold = 0;
    q->accesses = q->waited = 0;
    q->mixed = false;
    q->stores.first = q->stores.n = q->stores.packets = q->reductions.first = q->reductions.n = q->reductions.packets = 0;
    q->stores.last = q->reductions.last = q->answered = 0;
    fences_clear(&s->fences);
}
