/* Functions of a table that are not there: each says its name once on stderr, never more, and nothing when told to be quiet. What
 * they answer differs: call_all_twice, of the file that includes this, calls every one of missing[COUNT] twice and leaves with
 * status 1 at a wrong answer. */
#ifndef MISSING_H
#define MISSING_H

#include "child.h"

/* Counts lines "heddle: NAME is not there yet". */
static int times_said(const char *text, const char *name)
{
    char line[160];
    int n = 0;
    snprintf(line, sizeof line, "heddle: %s is not there yet\n", name);
    for (const char *at = text; (at = strstr(at, line)); at++)
        n++;
    return n;
}

/* least: how many the table has at the least, so that an empty one does not pass. */
static void check_each_says_its_name_once(int least)
{
    static char said[1 << 16];
    size_t n = 0, got;
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        dup2(ends[1], STDERR_FILENO);
        call_all_twice();
        _exit(0);
    }
    close(ends[1]);
    while ((got = (size_t)read(ends[0], said + n, sizeof said - 1 - n)) && got != (size_t)-1)
        n += got;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    assert_true(COUNT >= least);
    for (int i = 0; i < COUNT; i++)
        if (times_said(said, missing[i].name) != 1)
            fail_msg("'%s' was said %d times", missing[i].name, times_said(said, missing[i].name));
}

static void quiet(void)
{
    setenv("HEDDLE_QUIET", "1", 1);
    call_all_twice();
}

static void quiet_is_quiet(void **state)
{
    (void)state;
    struct child c = run_child(quiet, NULL, 0);
    assert_exit(c, 0);
    assert_string_equal(c.said, "");
}

#endif
