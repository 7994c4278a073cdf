/* Threads that go through steps together. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <time.h>
#include <cmocka.h>

#include "base/team.h"

enum { MOST = 9, STEPS = 2000 };

static struct work {
    uint64_t done[MOST]; /* steps, by part */
    uint64_t before;     /* of all parts, when the step began */
    int members, slow;   /* slow: a part that takes long, or -1 */
    bool wrong;
} work;

static void part(void *arg, int i)
{
    struct work *w = arg;
    if (i == w->slow)
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    if (w->done[i] != w->before) /* all of the step before has been done, and of this one not this part */
        __atomic_store_n(&w->wrong, true, __ATOMIC_RELAXED);
    w->done[i]++;
}

static bool all_have(int members, uint64_t steps)
{
    for (int i = 0; i < members; i++)
        if (work.done[i] != steps)
            return false;
    return true;
}

static void run(int members, int steps, int slow)
{
    struct team *t = team_new(members);
    work = (struct work){.members = members, .slow = slow};
    for (int s = 1; s <= steps; s++) {
        team_step(t, part, &work);
        assert_true(all_have(members, (uint64_t)s));
        work.before = (uint64_t)s;
    }
    team_free(t);
    assert_false(work.wrong);
}

/* More members than there are processors, too. */
static void every_part_is_done_once_a_step(void **state)
{
    (void)state;
    for (int members = 1; members <= MOST; members++)
        run(members, STEPS, -1);
}

/* The caller waits for a part that takes longer than anybody spins, its own or another's. */
static void a_step_ends_with_its_last_part(void **state)
{
    (void)state;
    run(3, 20, 2);
    run(3, 20, 0);
}

/* Members that sleep come back: nothing is asked of them for longer than they spin. */
static void members_sleep_and_wake(void **state)
{
    (void)state;
    struct team *t = team_new(3);
    work = (struct work){.members = 3, .slow = -1};
    for (uint64_t s = 1; s <= 20; s++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        team_step(t, part, &work);
        assert_true(all_have(3, s));
        work.before = s;
    }
    team_free(t);
    assert_false(work.wrong);
}

/* One that is not asked for anything ends all the same. */
static void a_team_may_be_idle(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++)
        team_free(team_new(4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once_a_step),
        cmocka_unit_test(a_step_ends_with_its_last_part),
        cmocka_unit_test(members_sleep_and_wake),
        cmocka_unit_test(a_team_may_be_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
