/* See team.h. */
#include "base/team.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/crew.h"
#include "base/host_floats.h"
#include "base/host_time.h"

enum {
    SPINS = 20000,    /* some 200 us: as long as what one thread does alone between two steps */
    FEW_SPINS = 200,  /* where members are more than processors: who spins keeps another one from its work */
    LINE = 128,       /* bytes that the host's caches move together */
    LOOK_EACH = 64,   /* steps: then the caller looks whether they paid */
    LEAST_ALONE = 256, MOST_ALONE = 16384 /* steps that it does alone if they did not; twice as many each time that that happens again */
};

struct member {
    _Alignas(LINE) uint32_t claimed; /* atomic: the last step whose part of this member somebody has begun */
    struct team *team;
    struct crew_member *thread; /* NULL: none could be had, or it is the caller */
    int number;
};

struct team {
    void (*part)(void *arg, int i);
    void *arg;
    int n, spins;
    uint32_t alone, alone_next; /* steps that the caller does alone from now on; and the next time that they do not pay */
    uint32_t looked;            /* steps since it looked, */
    int64_t together, by_one;   /* ns: what they took; what all parts would have taken it, by those that it did */
    bool over;
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    _Alignas(LINE) uint32_t step; /* atomic: number of the step that has begun */
    uint32_t asleep;              /* atomic: members that sleep until the next one begins */
    _Alignas(LINE) uint32_t left; /* atomic: parts of it that have not been done */
    uint32_t waits;               /* atomic: the caller sleeps until they have */
    struct member member[];
};

static inline void pause_briefly(void)
{
    __builtin_ia32_pause();
}

static void do_part(struct team *t, int i)
{
    t->part(t->arg, i);
    if (__atomic_sub_fetch(&t->left, 1, __ATOMIC_SEQ_CST) || !__atomic_load_n(&t->waits, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->ends);
    pthread_mutex_unlock(&t->lock);
}

/* Parts of the step that nobody has begun, from the member's own on. Returns how many. */
static int do_parts(struct team *t, int first, uint32_t step)
{
    int done = 0;
    for (int k = 0, i = first; k < t->n; k++, i = i + 1 == t->n ? 0 : i + 1) {
        uint32_t before = step - 1;
        if (__atomic_compare_exchange_n(&t->member[i].claimed, &before, step, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            do_part(t, i);
            done++;
        }
    }
    return done;
}

static uint32_t current(const struct team *t)
{
    return __atomic_load_n(&t->step, __ATOMIC_SEQ_CST);
}

static uint32_t wait_for_step(struct team *t, uint32_t last)
{
    for (int i = 0; i < t->spins; i++) {
        if (current(t) != last)
            return current(t);
        pause_briefly();
    }
    pthread_mutex_lock(&t->lock);
    __atomic_add_fetch(&t->asleep, 1, __ATOMIC_SEQ_CST);
    while (current(t) == last)
        pthread_cond_wait(&t->begins, &t->lock);
    __atomic_sub_fetch(&t->asleep, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&t->lock);
    return current(t);
}

static void *serve(void *member)
{
    struct member *m = member;
    fenv_t floats;
    host_floats_begin(&floats);
    for (uint32_t step = 0;;) {
        step = wait_for_step(m->team, step);
        if (__atomic_load_n(&m->team->over, __ATOMIC_ACQUIRE))
            break;
        do_parts(m->team, m->number, step);
    }
    host_floats_end(&floats);
    return NULL;
}

/* The next step begins, for those who wait. */
static void begin(struct team *t)
{
    __atomic_add_fetch(&t->step, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&t->asleep, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->begins);
    pthread_mutex_unlock(&t->lock);
}

struct team *team_new(int members)
{
    struct team *t = alloc_aligned(LINE, sizeof *t + (size_t)members * sizeof t->member[0]);
    t->n = members;
    t->alone_next = LEAST_ALONE;
    t->spins = members > sysconf(_SC_NPROCESSORS_ONLN) ? FEW_SPINS : SPINS;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begins, NULL);
    pthread_cond_init(&t->ends, NULL);
    for (int i = 0; i < members; i++) {
        t->member[i].team = t;
        t->member[i].number = i;
    }
    for (int i = 1; i < members; i++)
        t->member[i].thread = crew_start(serve, &t->member[i]);
    return t;
}

/* Until the parts that others are in have been done. */
static void wait_for_parts(struct team *t)
{
    for (int i = 0; i < t->spins && __atomic_load_n(&t->left, __ATOMIC_SEQ_CST); i++)
        pause_briefly();
    if (!__atomic_load_n(&t->left, __ATOMIC_SEQ_CST))
        return;
    pthread_mutex_lock(&t->lock);
    __atomic_store_n(&t->waits, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&t->left, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&t->ends, &t->lock);
    __atomic_store_n(&t->waits, 0, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&t->lock);
}

/* Where processors have other work too, a member may be kept waiting in the midst of its part for longer than all parts take. */
static void learn(struct team *t, int64_t all, int64_t own, int parts)
{
    t->together += all;
    t->by_one += own * t->n / parts;
    if (++t->looked < LOOK_EACH)
        return;
    const bool pays = t->together < t->by_one / 4 * 3;
    t->alone = pays ? 0 : t->alone_next;
    t->alone_next = pays ? LEAST_ALONE : t->alone_next < MOST_ALONE ? 2 * t->alone_next : MOST_ALONE;
    t->together = t->by_one = t->looked = 0;
}

void team_step(struct team *t, void (*part)(void *arg, int i), void *arg)
{
    if (t->n == 1 || t->alone) {
        t->alone -= t->alone > 0;
        for (int i = 0; i < t->n; i++)
            part(arg, i);
        return;
    }
    const int64_t began = host_time();
    t->part = part;
    t->arg = arg;
    __atomic_store_n(&t->left, (uint32_t)t->n, __ATOMIC_SEQ_CST);
    begin(t);
    const int parts = do_parts(t, 0, t->step);
    const int64_t done = host_time();
    wait_for_parts(t);
    if (parts)
        learn(t, host_time() - began, done - began, parts);
}

void team_free(struct team *t)
{
    __atomic_store_n(&t->over, true, __ATOMIC_RELEASE);
    begin(t);
    for (int i = 1; i < t->n; i++)
        if (t->member[i].thread)
            crew_wait(t->member[i].thread);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->begins);
    pthread_cond_destroy(&t->ends);
    alloc_release(t);
}
