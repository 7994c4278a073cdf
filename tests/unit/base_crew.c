/* Threads that are kept for the next time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/crew.h"

enum { MANY = 8 };

static _Thread_local int jobs; /* that this thread has done */
static int done;

static void *work(void *arg)
{
    ++*(int *)arg;
    jobs++;
    __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* In rounds of MANY at a time; answers how many jobs were done. */
static int run(int rounds)
{
    int done_by[MANY] = {0}, all = 0;
    for (int r = 0; r < rounds; r++) {
        struct crew_member *m[MANY];
        for (int i = 0; i < MANY; i++)
            m[i] = crew_start(work, &done_by[i]);
        for (int i = 0; i < MANY; i++)
            if (m[i])
                crew_wait(m[i]);
    }
    for (int i = 0; i < MANY; i++)
        all += done_by[i];
    return all;
}

static void jobs_are_done_when_waited_for(void **state)
{
    (void)state;
    assert_int_equal(run(50), 50 * MANY);
    assert_int_equal(done, 50 * MANY);
}

static void *how_many(void *arg)
{
    *(int *)arg = jobs;
    return NULL;
}

/* After the test before, MANY threads have done 50 jobs each. */
static void threads_are_kept(void **state)
{
    (void)state;
    struct crew_member *m[MANY];
    int n[MANY], all = 0;
    for (int i = 0; i < MANY; i++)
        m[i] = crew_start(how_many, &n[i]);
    for (int i = 0; i < MANY; i++) {
        crew_wait(m[i]);
        all += n[i];
    }
    assert_int_equal(all, 50 * MANY);
}

static void *run_some(void *rounds)
{
    return (void *)(intptr_t)run((int)(intptr_t)rounds);
}

static void several_threads_have_work(void **state)
{
    (void)state;
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&t[i], NULL, run_some, (void *)20), 0);
    for (int i = 0; i < 4; i++) {
        void *n;
        pthread_join(t[i], &n);
        assert_int_equal((intptr_t)n, 20 * MANY);
    }
}

static void a_fork_begins_without_them(void **state)
{
    (void)state;
    int status;
    run(1);
    pid_t pid = fork();
    if (!pid)
        _exit(run(2) == 2 * MANY ? 7 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(run(2), 2 * MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_are_done_when_waited_for),
        cmocka_unit_test(threads_are_kept),
        cmocka_unit_test(several_threads_have_work),
        cmocka_unit_test(a_fork_begins_without_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
