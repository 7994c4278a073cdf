/* Drawing a line below the cursor (see status.h).
 *
 * ESC D goes one line down in the same column and scrolls at the bottom, so there is a line below; ESC 7 and ESC 8 keep the
 * cursor's place. All of a drawing is one write, since others write to the terminal, too. */
#define _GNU_SOURCE
#include "base/status.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/strbuf.h"

enum { EACH_MS = 250, LEAST_COLUMNS = 20, USUAL_COLUMNS = 80 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t thread;
    bool running, ends;
    bool drawn; /* a line is there */
    uint64_t cleared; /* how often: what was made before is not drawn behind it */
    void (*say)(void *user, struct strbuf *out);
    void *user;
} status = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static bool is_set(const char *variable, const char *value)
{
    const char *v = getenv(variable);
    return v && !strcmp(v, value);
}

bool status_wanted(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0 && !is_set("HEDDLE_PROGRESS", "0") && !is_set("HEDDLE_QUIET", "1") &&
           tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static size_t columns(void)
{
    struct winsize w;
    size_t n = ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : USUAL_COLUMNS;
    return n < LEAST_COLUMNS ? LEAST_COLUMNS : n;
}

/* With the lock. */
static void draw(const char *text, size_t n)
{
    struct strbuf out;
    if (!n && !status.drawn)
        return;
    strbuf_init(&out);
    strbuf_adds(&out, n ? "\033D\033[A\0337\033[B\r" : "\0337\033[B\r");
    strbuf_add(&out, text, n < columns() ? n : columns() - 1);
    strbuf_adds(&out, "\033[K\0338");
    ssize_t written = write(STDERR_FILENO, out.s, out.len); /* what the terminal does not take is gone */
    (void)written;
    strbuf_release(&out);
    status.drawn = n > 0;
}

static void *work(void *unused)
{
    struct strbuf text;
    struct timespec at;
    (void)unused;
    strbuf_init(&text);
    pthread_mutex_lock(&status.lock);
    while (!status.ends) {
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_nsec += EACH_MS * 1000000L;
        at.tv_sec += at.tv_nsec / 1000000000L;
        at.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&status.wake, &status.lock, &at);
        if (status.ends)
            break;
        strbuf_clear(&text);
        uint64_t before = status.cleared;
        pthread_mutex_unlock(&status.lock); /* it may print, and clears the line before that */
        status.say(status.user, &text);
        pthread_mutex_lock(&status.lock);
        if (!status.ends && status.cleared == before)
            draw(text.s, text.len);
    }
    draw(NULL, 0);
    pthread_mutex_unlock(&status.lock);
    strbuf_release(&text);
    return NULL;
}

/* A child process that fork made has no such thread, and its parent's line is not its own. */
static void in_child(void)
{
    pthread_mutex_init(&status.lock, NULL);
    status.running = status.drawn = false;
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

bool status_begin(void (*say)(void *user, struct strbuf *out), void *user)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    sigset_t all, before;
    bool begun;
    if (!status_wanted())
        return false;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&status.lock);
    begun = !status.running;
    if (begun) {
        status.ends = false;
        status.say = say;
        status.user = user;
        sigfillset(&all); /* signals are the program's threads' */
        pthread_sigmask(SIG_SETMASK, &all, &before);
        begun = status.running = !pthread_create(&status.thread, NULL, work, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_mutex_unlock(&status.lock);
    return begun;
}

void status_end(void)
{
    pthread_t thread;
    bool running;
    pthread_mutex_lock(&status.lock);
    running = status.running;
    thread = status.thread;
    status.ends = true;
    status.running = false;
    pthread_cond_signal(&status.wake);
    pthread_mutex_unlock(&status.lock);
    if (running)
        pthread_join(thread, NULL);
}

void status_clear(void)
{
    pthread_mutex_lock(&status.lock);
    draw(NULL, 0);
    status.cleared++;
    pthread_mutex_unlock(&status.lock);
}
