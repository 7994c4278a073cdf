/* See crew.h. */
#define _GNU_SOURCE
#include "base/crew.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

struct crew_member {
    void *(*job)(void *arg);
    void *arg;
    sem_t begins, ended;
    struct crew_member *next; /* idle */
};

static struct {
    pthread_mutex_t lock;
    struct crew_member *idle;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void wait_for(sem_t *s)
{
    while (sem_wait(s) && errno == EINTR)
        ;
}

static void *serve(void *member)
{
    struct crew_member *m = member;
    for (;;) {
        wait_for(&m->begins);
        m->job(m->arg);
        sem_post(&m->ended);
    }
    return NULL;
}

/* --- fork: the child has only the thread that forked --- */

static void before_fork(void)
{
    pthread_mutex_lock(&crew.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&crew.lock);
}

static void in_child(void)
{
    crew.idle = NULL;
    pthread_mutex_unlock(&crew.lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* --- */

static struct crew_member *new_member(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct crew_member *m = alloc_zeroed(sizeof *m);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_once(&once, watch_forks);
    sem_init(&m->begins, 0, 0);
    sem_init(&m->ended, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int failed = pthread_create(&thread, &attributes, serve, m);
    pthread_attr_destroy(&attributes);
    if (!failed)
        return m;
    sem_destroy(&m->begins);
    sem_destroy(&m->ended);
    alloc_release(m);
    return NULL;
}

struct crew_member *crew_start(void *(*job)(void *arg), void *arg)
{
    pthread_mutex_lock(&crew.lock);
    struct crew_member *m = crew.idle;
    crew.idle = m ? m->next : NULL;
    pthread_mutex_unlock(&crew.lock);
    m = m ? m : new_member();
    if (!m)
        return NULL;
    m->job = job;
    m->arg = arg;
    sem_post(&m->begins);
    return m;
}

void crew_wait(struct crew_member *m)
{
    wait_for(&m->ended);
    pthread_mutex_lock(&crew.lock);
    m->next = crew.idle;
    crew.idle = m;
    pthread_mutex_unlock(&crew.lock);
}
