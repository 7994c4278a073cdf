/* Order and races: by hand, and against whole vector clocks with the whole history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "check/race.h"

enum { READ = 0, WRITE = RACE_WRITES, ATOMIC = RACE_WRITES | RACE_STRONG };

struct found {
    int n;
    struct race_found last;
};

static void note(void *user, const struct race_found *f)
{
    struct found *found = user;

    found->n++;
    found->last = *f;
}

struct bench {
    struct order *order;
    struct race *race;
    struct found found;
};

static void set_up(struct bench *b, unsigned threads)
{
    b->found.n = 0;
    b->order = order_new();
    b->race = race_new(1024, threads, b->order, note, &b->found);
    order_block(b->order, threads);
}

static void tear_down(struct bench *b)
{
    race_free(b->race);
    order_free(b->order);
}

static int access_at(struct bench *b, unsigned thread, unsigned flags, uint32_t address, uint32_t bytes, uint64_t value)
{
    const uint64_t written[2] = {value, 0};
    struct race_access a = {.site = 100 + thread, .thread = thread, .address = address, .bytes = bytes, .flags = flags,
                            .value = flags & RACE_WRITES ? written : NULL};
    int before = b->found.n;

    race_access(b->race, &a);
    return b->found.n - before;
}

static void kinds(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 64);
    assert_int_equal(access_at(&b, 0, WRITE, 16, 4, 7), 0);
    assert_int_equal(access_at(&b, 0, READ, 16, 4, 0), 0);  /* its own */
    assert_int_equal(access_at(&b, 33, READ, 16, 4, 0), 1); /* written by another warp */
    assert_int_equal(b.found.last.kind, RACE_READ_AFTER_WRITE);
    assert_int_equal(b.found.last.thread, 33);
    assert_int_equal(b.found.last.by, 0);
    assert_int_equal(b.found.last.site, 133);
    assert_int_equal(b.found.last.by_site, 100);
    assert_int_equal(access_at(&b, 1, READ, 24, 4, 0), 0);
    assert_int_equal(access_at(&b, 2, READ, 24, 4, 0), 0); /* readers do not race */
    assert_int_equal(access_at(&b, 3, WRITE, 24, 4, 1), 2);
    assert_int_equal(b.found.last.kind, RACE_WRITE_AFTER_READ);
    assert_int_equal(access_at(&b, 4, WRITE, 24, 4, 1), 1);
    assert_int_equal(b.found.last.kind, RACE_WRITE_AFTER_WRITE);
    assert_true(b.found.last.same_value);
    assert_int_equal(access_at(&b, 5, WRITE, 24, 4, 2), 1);
    assert_false(b.found.last.same_value);
    assert_int_equal(b.found.last.then, 1);
    assert_int_equal(b.found.last.now, 2);
    tear_down(&b);
}

/* Neighbouring bytes are different places; wide accesses touch several words. */
static void bytes(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 64);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(access_at(&b, i, WRITE, i, 1, i), 0);
    assert_int_equal(access_at(&b, 40, READ, 6, 2, 0), 2); /* bytes of threads 6 and 7 */
    assert_int_equal(access_at(&b, 41, WRITE, 0, 16, 0), 9); /* all eight and the reader of one word */
    assert_int_equal(access_at(&b, 42, READ, 12, 4, 0), 1);
    tear_down(&b);
}

static void arrive_all(struct bench *b, unsigned warps)
{
    for (unsigned w = 0; w < warps; w++)
        order_arrive(b->order, 0, w, ~0u, true);
    order_complete(b->order, 0);
}

static void barriers(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 96);
    access_at(&b, 0, WRITE, 0, 4, 1);
    arrive_all(&b, 3);
    assert_int_equal(access_at(&b, 95, READ, 0, 4, 0), 0);
    assert_int_equal(access_at(&b, 1, WRITE, 0, 4, 1), 1); /* the reader after the barrier */
    arrive_all(&b, 3);
    /* a named barrier of warps 0 and 1: warp 2 learns nothing */
    access_at(&b, 0, WRITE, 8, 4, 1);
    order_arrive(b.order, 3, 0, ~0u, true);
    order_arrive(b.order, 3, 1, ~0u, true);
    order_complete(b.order, 3);
    assert_int_equal(access_at(&b, 33, READ, 8, 4, 0), 0);
    assert_int_equal(access_at(&b, 65, READ, 8, 4, 0), 1);
    /* warp 0 only tells: what it does afterwards is not ordered */
    access_at(&b, 0, WRITE, 12, 4, 1);
    order_arrive(b.order, 4, 0, ~0u, false);
    access_at(&b, 0, WRITE, 16, 4, 1);
    order_arrive(b.order, 4, 1, ~0u, true);
    order_complete(b.order, 4);
    assert_int_equal(access_at(&b, 33, READ, 12, 4, 0), 0);
    assert_int_equal(access_at(&b, 33, READ, 16, 4, 0), 1);
    /* exited threads count as come */
    access_at(&b, 70, WRITE, 20, 4, 1);
    order_exit(b.order, 2, ~0u);
    arrive_all(&b, 2);
    assert_int_equal(access_at(&b, 5, READ, 20, 4, 0), 0);
    tear_down(&b);
}

static void warps(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 64);
    access_at(&b, 0, WRITE, 0, 4, 1);
    assert_int_equal(access_at(&b, 1, READ, 0, 4, 0), 1); /* the same warp is no promise */
    access_at(&b, 0, WRITE, 4, 4, 1);
    order_meet(b.order, 0, ~0u);
    assert_int_equal(access_at(&b, 1, READ, 4, 4, 0), 0);
    access_at(&b, 2, WRITE, 8, 4, 1);
    order_meet(b.order, 0, 0xf);
    assert_int_equal(access_at(&b, 3, READ, 8, 4, 0), 0);
    assert_int_equal(access_at(&b, 4, READ, 8, 4, 0), 1); /* was not there */
    /* through another lane: 5 meets 6, 6 meets 7 */
    access_at(&b, 5, WRITE, 12, 4, 1);
    order_meet(b.order, 0, 0x60);
    order_meet(b.order, 0, 0xc0);
    assert_int_equal(access_at(&b, 7, READ, 12, 4, 0), 0);
    tear_down(&b);
}

static void atomics(void **state)
{
    struct bench b;
    const uint32_t data = 0, lock = 64;

    (void)state;
    set_up(&b, 64);
    access_at(&b, 0, ATOMIC, lock, 4, 1);
    assert_int_equal(access_at(&b, 40, ATOMIC, lock, 4, 1), 0);
    assert_int_equal(access_at(&b, 41, READ, lock, 4, 0), 2); /* a plain read of what atomics change */
    /* data, fence, flag; flag, fence, data */
    access_at(&b, 0, WRITE, data, 4, 1);
    order_fence(b.order, 0, 1);
    order_release(b.order, 0, lock, false, true);
    order_acquire(b.order, 33, lock, false);
    assert_int_equal(access_at(&b, 33, READ, data, 4, 0), 1); /* no fence yet */
    order_fence(b.order, 1, 2);
    access_at(&b, 0, WRITE, data + 4, 4, 1); /* behind its fence */
    assert_int_equal(access_at(&b, 33, READ, data + 4, 4, 0), 1);
    order_meet(b.order, 0, 1); /* begins a segment, which the fence knows nothing of */
    order_release(b.order, 0, lock, false, true);
    order_acquire(b.order, 36, lock, true);
    assert_int_equal(access_at(&b, 36, READ, data + 4, 4, 0), 1);
    access_at(&b, 2, WRITE, data + 8, 4, 1);
    order_release(b.order, 2, lock, true, true);
    order_acquire(b.order, 34, lock, true);
    assert_int_equal(access_at(&b, 34, READ, data + 8, 4, 0), 0);
    /* a store without a fence ends what was told */
    access_at(&b, 2, WRITE, data + 12, 4, 1);
    order_release(b.order, 2, lock, true, true);
    order_release(b.order, 3, lock, false, false);
    order_acquire(b.order, 35, lock, true);
    assert_int_equal(access_at(&b, 35, READ, data + 12, 4, 0), 1);
    tear_down(&b);
}

static void copies(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 64);
    access_at(&b, 0, WRITE | RACE_ASYNC, 0, 16, 0);
    assert_int_equal(access_at(&b, 0, READ, 4, 4, 0), 1); /* not waited for */
    assert_true(b.found.last.by_async);
    race_copied(b.race, 0, 0, 16);
    assert_int_equal(access_at(&b, 0, READ, 8, 4, 0), 0);
    assert_int_equal(access_at(&b, 1, READ, 8, 4, 0), 1); /* the waiter's own copy only */
    tear_down(&b);
}

static void next_block(void **state)
{
    struct bench b;

    (void)state;
    set_up(&b, 64);
    for (unsigned i = 0; i < 64; i++)
        access_at(&b, i, READ, 0, 4, 0);
    order_block(b.order, 64);
    assert_int_equal(access_at(&b, 3, WRITE, 0, 4, 1), 0);
    tear_down(&b);
}

/* --- against whole vector clocks --- */

enum { T = 96, WORDS = 12, EVENTS = 60, HISTORY = 1 << 12 };

struct past {
    unsigned thread, flags, address, bytes, stamp;
};

struct oracle {
    unsigned clock[T][T], pending[T][T], fence[T][T], lock[T];
    bool fenced[T], gone[T], dirty[WORDS];
    struct past past[HISTORY];
    int npast;
};

static unsigned seed;

static unsigned draw(unsigned n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void join(unsigned *to, const unsigned *from)
{
    for (int i = 0; i < T; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

/* Threads of `in` meet: each knows what all did. */
static void all_meet(struct oracle *o, const bool *in)
{
    unsigned all[T] = {0};

    for (int i = 0; i < T; i++)
        if (in[i])
            join(all, o->clock[i]);
    for (int i = 0; i < T; i++)
        if (in[i]) {
            memcpy(o->clock[i], all, sizeof all);
            o->clock[i][i]++;
        }
}

static bool oracle_access(struct oracle *o, const struct past *p)
{
    bool race = false;

    for (int i = 0; i < o->npast; i++) {
        const struct past *q = &o->past[i];
        bool meet = q->address < p->address + p->bytes && p->address < q->address + q->bytes;

        if (meet && q->thread != p->thread && (q->flags | p->flags) & RACE_WRITES &&
            !(q->flags & p->flags & RACE_STRONG) && o->clock[p->thread][q->thread] < q->stamp)
            race = true;
    }
    assert_true(o->npast < HISTORY);
    o->past[o->npast++] = *p;
    return race;
}

/* One of a few threads, so that the same ones meet again. */
static unsigned someone(const struct oracle *o)
{
    static const unsigned few[] = {0, 1, 2, 31, 32, 33, 63, 64, 95};
    unsigned t = few[draw(9)];

    while (o->gone[t])
        t = (t + 1) % T;
    return t;
}

static void random_access(struct bench *b, struct oracle *o)
{
    static const unsigned flags[] = {READ, READ, READ, WRITE, ATOMIC, RACE_STRONG};
    unsigned t = someone(o), size = 1u << draw(4), at = draw(4 * WORDS / size) * size, how = flags[draw(6)];
    struct past p = {t, how, at, size, o->clock[t][t]};
    bool race = oracle_access(o, &p), clean = true;
    int found = access_at(b, t, how, at, size, draw(3));

    for (unsigned w = at / 4; w <= (at + size - 1) / 4; w++)
        clean = clean && !o->dirty[w];
    if (clean) /* behind a race only the next one is promised */
        assert_int_equal(found > 0, race);
    for (unsigned w = at / 4; race && w <= (at + size - 1) / 4; w++)
        o->dirty[w] = true;
}

/* Several lanes of a warp read at once. */
static void random_reads(struct bench *b, struct oracle *o)
{
    unsigned t = someone(o), warp = t / 32, size = 1u << draw(4), at = draw(4 * WORDS / size) * size;
    uint32_t lanes = 1u << t % 32 | 1u << draw(32) | 1u << draw(32) | (draw(3) ? 0 : ~0u);
    uint64_t addr[32] = {0};
    bool race = false, clean = true;
    int before = b->found.n;

    for (unsigned i = 0; i < 32; i++)
        lanes &= ~((uint32_t)o->gone[32 * warp + i] << i);
    for (unsigned i = 0; i < 32; i++) {
        unsigned where = draw(3) ? at : draw(4 * WORDS / size) * size;
        struct past p = {32 * warp + i, READ, where, size, o->clock[32 * warp + i][32 * warp + i]};

        addr[i] = where;
        if (!(lanes >> i & 1))
            continue;
        for (unsigned w = where / 4; w <= (where + size - 1) / 4; w++)
            clean = clean && !o->dirty[w];
        if (!oracle_access(o, &p))
            continue;
        race = true;
        for (unsigned w = where / 4; w <= (where + size - 1) / 4; w++)
            o->dirty[w] = true;
    }
    race_reads(b->race, 7, warp, lanes, addr, size);
    if (clean)
        assert_int_equal(b->found.n > before, race);
}

static void random_meeting(struct bench *b, struct oracle *o)
{
    unsigned warp = draw(T / 32);
    uint32_t lanes = draw(2) ? ~0u : draw(1u << 16) << 16 | draw(1u << 16);
    bool in[T] = {false};

    for (unsigned i = 0; i < 32; i++)
        lanes &= ~((uint32_t)o->gone[32 * warp + i] << i);
    if (!lanes)
        return;
    for (unsigned i = 0; i < 32; i++)
        in[32 * warp + i] = lanes >> i & 1;
    order_meet(b->order, warp, lanes);
    all_meet(o, in);
}

static void random_barrier(struct bench *b, struct oracle *o)
{
    unsigned id = 1 + draw(3), some = draw(3) ? 7 : 1 + draw(7);
    bool in[T] = {false};

    for (unsigned w = 0; w < T / 32; w++)
        if (some >> w & 1) {
            order_arrive(b->order, id, w, ~0u, true);
            for (int i = 0; i < 32; i++)
                in[32 * w + (unsigned)i] = true;
        }
    order_complete(b->order, id);
    all_meet(o, in);
}

static void random_sync(struct bench *b, struct oracle *o)
{
    unsigned t = someone(o);
    bool whole = draw(2), update = draw(2);

    switch (draw(3)) {
    case 0:
        order_fence(b->order, t / 32, 1u << t % 32);
        join(o->clock[t], o->pending[t]);
        memcpy(o->fence[t], o->clock[t], sizeof o->fence[t]);
        o->fenced[t] = true;
        o->clock[t][t]++;
        break;
    case 1: /* reads what the last release told */
        order_acquire(b->order, t, 4096, whole);
        join(whole ? o->clock[t] : o->pending[t], o->lock);
        break;
    default:
        order_release(b->order, t, 4096, whole, update);
        if (!update)
            memset(o->lock, 0, sizeof o->lock);
        if (whole) {
            join(o->lock, o->clock[t]);
            o->clock[t][t]++;
        } else if (o->fenced[t]) {
            join(o->lock, o->fence[t]);
        }
    }
}

static void against_oracle(void **state)
{
    struct bench b;
    struct oracle *o = alloc_zeroed(sizeof *o);

    (void)state;
    set_up(&b, T);
    for (seed = 0; seed < 6000;) {
        unsigned round = seed;

        memset(o, 0, sizeof *o);
        order_block(b.order, T);
        for (int i = 0; i < T; i++)
            o->clock[i][i] = 1;
        seed = round * 7919 + 13;
        for (int i = 0; i < EVENTS; i++) {
            unsigned what = draw(23);

            if (what < 6)
                random_access(&b, o);
            else if (what > 19)
                random_reads(&b, o);
            else if (what < 11)
                random_meeting(&b, o);
            else if (what < 17)
                random_sync(&b, o);
            else
                random_barrier(&b, o);
        }
        seed = round + 1;
    }
    tear_down(&b);
    alloc_release(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),   cmocka_unit_test(bytes),      cmocka_unit_test(barriers),
        cmocka_unit_test(warps),   cmocka_unit_test(atomics),    cmocka_unit_test(copies),
        cmocka_unit_test(next_block), cmocka_unit_test(against_oracle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
