/* Streams' queues and the workers (see queue.h). Everything here is guarded by runtime_lock. */
#include "runtime/queue.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/alloc.h"
#include "base/host_floats.h"
#include "base/host_time.h"
#include "engine.h"
#include "report/result.h"
#include "runtime/checking.h"
#include "runtime/collect.h"
#include "runtime/command.h"
#include "runtime/device_time.h"
#include "runtime/frames.h"
#include "runtime/library_work.h"
#include "runtime/output.h"
#include "runtime/pool.h"
#include "runtime/range.h"

static struct pool streams = {.size = (sizeof(struct stream) + 15) / 16 * 16};
static struct stream *legacy[RUNTIME_DEVICES];
static _Thread_local struct stream *own[RUNTIME_DEVICES]; /* cudaStreamPerThread */
static uint64_t serial;
static int created;

enum { WORKERS = 32, PATIENCE_MS = 100 };

static pthread_cond_t work = PTHREAD_COND_INITIALIZER;     /* there may be something for a worker */
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER; /* a command is done */
static int workers, resting;    /* worker threads, those that wait */
static int active;              /* commands that run */
static int standing;            /* those that stand aside (queue_stuck) */
static int allowed, least_allowed; /* how many may; without the patience */
static int waiters;             /* threads of the program that wait for a command */
static bool host_active;        /* one of them is a host function */
static uint64_t epoch;          /* changes when a command is done, or one more allowed */
static struct ticket *in_order[RUNTIME_DEVICES]; /* of the newest command that keeps the order, or NULL */
static int launches; /* launches that run; atomic: a signal handler asks */
static _Thread_local uint64_t running; /* serial of the command this thread is inside of */
static _Thread_local heddle_kernel *running_kernel; /* of a launch */

/* --- tickets --- */

struct ticket *ticket_share(struct ticket *t)
{
    if (t)
        t->refs++;
    return t;
}

static void drop(struct ticket *t)
{
    if (t && --t->refs == 0)
        alloc_release(t);
}

void ticket_release(struct ticket *t)
{
    pthread_mutex_lock(&runtime_lock);
    drop(t);
    pthread_mutex_unlock(&runtime_lock);
}

/* --- streams --- */

static struct stream *new_stream(struct runtime_device *d, unsigned flags, int priority)
{
    struct stream *s = pool_take(&streams);
    s->device = d;
    s->flags = flags;
    s->priority = priority;
    return s;
}

struct stream *stream_new(struct runtime_device *d, unsigned flags, int priority)
{
    pthread_mutex_lock(&runtime_lock);
    struct stream *s = new_stream(d, flags, priority);
    s->number = ++created;
    pthread_mutex_unlock(&runtime_lock);
    return s;
}

static struct stream *legacy_of(struct runtime_device *d)
{
    if (!legacy[d->index]) {
        legacy[d->index] = new_stream(d, 0, 0);
        legacy[d->index]->legacy = true;
    }
    return legacy[d->index];
}

struct stream *stream_legacy(struct runtime_device *d)
{
    pthread_mutex_lock(&runtime_lock);
    struct stream *s = legacy_of(d);
    pthread_mutex_unlock(&runtime_lock);
    return s;
}

struct ticket *stream_latest(struct stream *s)
{
    pthread_mutex_lock(&runtime_lock);
    struct ticket *t = ticket_share(s->latest);
    pthread_mutex_unlock(&runtime_lock);
    return t;
}

static _Thread_local bool own_by_default;

bool stream_default(bool thread)
{
    bool before = own_by_default;
    own_by_default = thread;
    return before;
}

struct stream *stream_of(cudaStream_t handle)
{
    struct runtime_device *d = runtime_device_if_open(runtime_current());
    struct stream *s = (struct stream *)handle;
    handle = !handle && own_by_default ? cudaStreamPerThread : handle;
    pthread_mutex_lock(&runtime_lock);
    if (!handle || handle == cudaStreamLegacy) {
        s = legacy_of(d);
    } else if (handle == cudaStreamPerThread) {
        if (!own[d->index]) {
            own[d->index] = new_stream(d, 0, 0);
            own[d->index]->number = ++created;
        }
        s = own[d->index];
    } else if (!pool_holds(&streams, s) || s->doomed) {
        s = NULL;
    }
    pthread_mutex_unlock(&runtime_lock);
    return s;
}

static void bury(struct stream *s)
{
    drop(s->latest);
    pool_give(&streams, s);
}

void stream_destroy(struct stream *s)
{
    pthread_mutex_lock(&runtime_lock);
    s->doomed = true;
    if (!s->first)
        bury(s);
    pthread_mutex_unlock(&runtime_lock);
}

/* --- queueing --- */

struct command *command_new(enum command_kind kind)
{
    struct command *c = alloc_zeroed(sizeof *c);
    c->kind = kind;
    c->shown = -1;
    c->call = trace_call_number();
    c->unseen = (runtime_collecting() || trace_on()) && !range_open();
    if (runtime_checking() && (kind == COMMAND_LAUNCH || kind == COMMAND_COPY || kind == COMMAND_LIBRARY))
        c->frames = frames_here();
    return c;
}

static void wait_for(struct command *c, struct ticket *t)
{
    if (!t || (t->done && !device_time_on()))
        return;
    c->after = alloc_resize(c->after, (size_t)(c->nafter + 1) * sizeof *c->after);
    c->after[c->nafter++] = ticket_share(t);
}

void command_wait(struct command *c, struct ticket *t)
{
    pthread_mutex_lock(&runtime_lock);
    wait_for(c, t);
    pthread_mutex_unlock(&runtime_lock);
}

static void wait_for_neighbours(struct stream *s, struct command *c)
{
    if (s->legacy) {
        for (struct stream *o = pool_next(&streams, NULL); o; o = pool_next(&streams, o))
            if (o != s && o->device == s->device && !(o->flags & cudaStreamNonBlocking))
                wait_for(c, o->latest);
    } else if (!(s->flags & cudaStreamNonBlocking) && legacy[s->device->index]) {
        wait_for(c, legacy[s->device->index]->latest);
    }
}

static void *worker(void *unused);

/* Workers take no signals: the program's handlers run on the program's threads. A fault of their own is theirs: while SIGSEGV is
 * blocked it ends the process without a word. */
static void start_worker(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!pthread_create(&thread, NULL, worker, NULL)) { /* without any, waiting threads do the work */
        pthread_detach(thread);
        workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool ready(const struct command *c)
{
    for (int i = 0; i < c->nafter; i++)
        if (!c->after[i]->done)
            return false;
    if (c->kind == COMMAND_LIBRARY && !library_work_ready(c->library) && !c->stream->device->fault)
        return false;
    return !(c->kind == COMMAND_HOST && host_active);
}

/* Commands that could begin, were it for their order alone. */
static int count_ready(void)
{
    int n = 0;
    for (struct stream *s = pool_next(&streams, NULL); s; s = pool_next(&streams, s))
        n += s->first && !s->running && ready(s->first);
    return n;
}

/* Wakes a worker when a command may begin, and makes one when all are at work. */
static void call_worker(void)
{
    int waiting = count_ready();
    if (waiting > resting && workers < WORKERS && (workers <= active + standing || workers < allowed))
        start_worker();
    if (waiting)
        pthread_cond_signal(&work);
}

static struct ticket *put(struct stream *s, struct command *c, int refs)
{
    struct ticket *t = alloc_zeroed(sizeof *t);
    t->refs = 2 + refs; /* the command and the stream */
    t->device = s->device->index;
    c->queued = device_time_on() ? device_time_now() : 0;
    pthread_mutex_lock(&runtime_lock);
    if (!allowed)
        allowed = least_allowed = engine_threads(s->device->engine) < WORKERS ? engine_threads(s->device->engine) : WORKERS;
    wait_for_neighbours(s, c);
    if (c->in_order) {
        wait_for(c, in_order[s->device->index]);
        drop(in_order[s->device->index]);
        in_order[s->device->index] = ticket_share(t);
    }
    t->stream = s;
    c->ticket = t;
    c->stream = s;
    c->serial = ++serial;
    c->shown = c->shown < 0 ? s->number : c->shown;
    if (s->last)
        s->last->next = c;
    else
        s->first = c;
    s->last = c;
    drop(s->latest);
    s->latest = t;
    call_worker();
    pthread_mutex_unlock(&runtime_lock);
    return t;
}

struct ticket *queue_put(struct stream *s, struct command *c)
{
    return put(s, c, 1);
}

void queue_put_async(struct stream *s, struct command *c)
{
    put(s, c, 0);
}

/* A command that does nothing, but waits: the stream's later commands stand behind it. */
void stream_wait(struct stream *s, struct ticket *t)
{
    struct command *c = command_new(COMMAND_RECORD);
    c->only_waits = true;
    command_wait(c, t);
    queue_put_async(s, c);
}

/* --- running --- */

/* Results of launches are written, which must be the same in every run: one command at a time. */
static bool reporting(void)
{
    return runtime_collecting() || runtime_checking() || device_time_on();
}

/* Launches that stand aside: all of their warps wait in loops. */
struct aside {
    uint64_t serial, epoch; /* of its command; when it began to */
    struct aside *next;
};
static struct aside *asides;
static uint64_t lonely; /* times that one was the only command that could go on */

/* The one that looks again next: the first since which something was done. */
static const struct aside *looks_again(void)
{
    const struct aside *best = NULL;
    for (const struct aside *a = asides; a; a = a->next)
        if (a->epoch != epoch && (!best || a->serial < best->serial))
            best = a;
    return best;
}

/* The command to begin next, or NULL: the one queued first of those that may, if another may run at all. */
static struct command *choose(void)
{
    struct command *best = NULL;
    if (active >= (reporting() ? 1 : allowed) || looks_again())
        return NULL;
    for (struct stream *s = pool_next(&streams, NULL); s; s = pool_next(&streams, s)) {
        struct command *c = s->first;
        if (c && !s->running && ready(c) && (!best || c->serial < best->serial))
            best = c;
    }
    return best;
}

static void note_error(struct runtime_device *d, cudaError_t e)
{
    if (!e)
        return;
    if (runtime_is_sticky(e) && !d->fault)
        d->fault = e;
    else if (!runtime_is_sticky(e) && !d->pending)
        d->pending = e;
}

/* When the first command was asked for that has not run. */
static int64_t first_unfinished(void)
{
    int64_t first = INT64_MAX;
    for (struct stream *s = pool_next(&streams, NULL); s; s = pool_next(&streams, s))
        if (s->first && s->first->queued < first)
            first = s->first->queued;
    return first;
}

static void complete(struct command *c, cudaError_t e)
{
    struct stream *s = c->stream;
    note_error(s->device, e);
    if (device_time_on())
        device_time_add(c);
    c->ticket->done = true;
    c->ticket->time_ns = host_time();
    s->first = c->next;
    if (!s->first)
        s->last = NULL;
    for (int i = 0; i < c->nafter; i++)
        drop(c->after[i]);
    alloc_release(c->after);
    drop(c->ticket);
    command_release(c);
    if (s->doomed && !s->first)
        bury(s);
    if (device_time_on())
        device_time_settle(first_unfinished());
}

/* Runs one command. Called and left with the lock held. */
static void run(struct command *c)
{
    struct stream *s = c->stream;
    bool host = c->kind == COMMAND_HOST, launch = c->kind == COMMAND_LAUNCH;
    cudaError_t status = s->device->fault;
    s->running = true;
    active++;
    host_active = host_active || host;
    __atomic_add_fetch(&launches, launch, __ATOMIC_RELAXED);
    running = c->serial;
    running_kernel = launch ? c->launch.kernel : NULL;
    epoch += asides != NULL; /* they look again before the next one begins */
    call_worker(); /* somebody else sees to what is held back meanwhile */
    pthread_mutex_unlock(&runtime_lock);
    fenv_t floats;
    host_floats_begin(&floats);
    device_time_begins();
    cudaError_t e = command_run(c, status);
    if (device_time_on())
        device_time_ran(c);
    host_floats_end(&floats);
    pthread_mutex_lock(&runtime_lock);
    running = 0;
    running_kernel = NULL;
    __atomic_sub_fetch(&launches, launch, __ATOMIC_RELAXED);
    host_active = host_active && !host;
    active--;
    s->running = false;
    epoch++;
    if (allowed > least_allowed)
        allowed--;
    complete(c, e);
    pthread_cond_broadcast(&progress);
    call_worker();
}

/* Until this much later, or until something happens. */
static void wait_for_progress(int ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ms * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&progress, &runtime_lock, &until);
}

/* Lets others run, and waits for the turn to look again. A new command begins only when all that stand aside have looked again
 * since the last one; when there is none, they take turns. Does the host go on, it may be about to queue one: that is waited for, a
 * few times for a launch, so that how often the launch looks does not depend on how fast the host is. */
static bool stand_aside(struct aside *a)
{
    enum { HOST_MS = 10, HOST_TIMES = 8 };
    static _Thread_local uint64_t waited_for;
    static _Thread_local int times;
    bool alone = false;
    times = waited_for == running ? times : 0;
    waited_for = running;
    active--;
    standing++;
    while (active || looks_again() != a) {
        if (active || looks_again() || count_ready()) {
            call_worker();
            wait_for_progress(100);
        } else if (!waiters && times < HOST_TIMES) {
            times++;
            wait_for_progress(HOST_MS);
        } else {
            alone = !asides->next;
            lonely += alone;
            epoch++;
            pthread_cond_broadcast(&progress);
        }
    }
    active++;
    standing--;
    return !alone;
}

/* Nothing else may run while a launch is checked: once it is clear that something could, it is said. */
static void say_stuck(void)
{
    enum { PATIENCE_S = 3 };
    static struct timespec since; /* when the launch that is stuck was first */
    static uint64_t stuck, said;
    struct timespec now;
    heddle_kernel_info info = {0};
    struct arena a;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (stuck != running)
        since = now;
    stuck = running;
    if (!count_ready() || said == stuck || now.tv_sec - since.tv_sec < PATIENCE_S)
        return;
    said = stuck;
    pthread_mutex_unlock(&runtime_lock);
    arena_init(&a);
    if (!heddle_kernel_describe(running_kernel, &info))
        runtime_say("kernel '%s' waits in a loop while other streams' commands stand behind it: launches are checked one at a time, so if it "
                    "waits for one of theirs it waits for ever (Ctrl-C ends it)", result_demangle(&a, info.name));
    arena_release(&a);
    pthread_mutex_lock(&runtime_lock);
}

bool queue_stuck(void *unused)
{
    bool done = false;
    (void)unused;
    if (!running_kernel || !reporting())
        return false;
    pthread_mutex_lock(&runtime_lock);
    if (runtime_checking()) {
        say_stuck();
    } else {
        struct aside me = {running, epoch, asides}, **at = &asides;
        asides = &me;
        done = stand_aside(&me);
        while (*at != &me)
            at = &(*at)->next;
        *at = me.next;
        pthread_cond_broadcast(&progress);
    }
    pthread_mutex_unlock(&runtime_lock);
    return done;
}

/* Commands could begin if more of them were allowed at once. */
static bool held_back(void)
{
    return !reporting() && active >= allowed && allowed < WORKERS && count_ready() > 0;
}

/* Waits for work. When commands are held back and nothing happens for a while, one more is allowed. */
static void wait_for_work(void)
{
    struct timespec until;
    uint64_t before = epoch;
    resting++;
    if (held_back()) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PATIENCE_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        if (pthread_cond_timedwait(&work, &runtime_lock, &until) == ETIMEDOUT && epoch == before && held_back()) {
            allowed++;
            epoch++;
        }
    } else {
        pthread_cond_wait(&work, &runtime_lock);
    }
    resting--;
}

static void *worker(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&runtime_lock);
    for (;;) {
        struct command *c = choose();
        if (c)
            run(c);
        else
            wait_for_work();
    }
    return NULL;
}

/* --- waiting --- */

/* Runs what `t` needs of its own stream, if it may begin now; everything else is up to the workers. */
static bool lend_a_hand(const struct ticket *t)
{
    struct command *c = running ? NULL : choose();
    if (!c || (workers && (c->kind == COMMAND_HOST || c->stream != t->stream)))
        return false;
    run(c);
    return true;
}

static void wait_locked(struct ticket *t)
{
    waiters++;
    if (asides)
        pthread_cond_broadcast(&progress);
    while (t && !t->done)
        if (!lend_a_hand(t))
            pthread_cond_wait(&progress, &runtime_lock);
    waiters--;
}

/* With device time: until all that was queued up to now has run, so that what the clocks of the model say does not depend on how far the
 * workers are. Not for what may wait for the program: a launch that is stuck, a host function that takes long. */
static void wait_quiet(void)
{
    enum { STEP_MS = 50, HOST_TIMES = 20 };
    uint64_t until = serial, stuck = lonely;
    int times = 0;
    if (!device_time_on() || running)
        return;
    waiters++;
    for (;;) {
        const struct command *c = NULL;
        for (struct stream *s = pool_next(&streams, NULL); s; s = pool_next(&streams, s))
            if (s->first && s->first->serial <= until && (!c || s->first->serial < c->serial))
                c = s->first;
        if (!c || (lonely != stuck && !count_ready()) || times == HOST_TIMES)
            break;
        if (!lend_a_hand(c->ticket)) {
            times = host_active ? times + 1 : 0;
            wait_for_progress(STEP_MS);
        }
    }
    waiters--;
    device_time_settle(first_unfinished());
}

/* The program waits for the ticket, which is dropped. */
static void wait_as_program(struct ticket *t)
{
    wait_locked(t);
    wait_quiet();
    if (device_time_on())
        device_time_waited(t);
    drop(t);
}

void queue_wait(struct ticket *t)
{
    pthread_mutex_lock(&runtime_lock);
    wait_as_program(t);
    pthread_mutex_unlock(&runtime_lock);
    output_flush();
}

void queue_wait_staged(struct ticket *t, uint64_t bytes)
{
    pthread_mutex_lock(&runtime_lock);
    wait_locked(t);
    wait_quiet();
    device_time_staged(t, bytes);
    drop(t);
    pthread_mutex_unlock(&runtime_lock);
    output_flush();
}

void queue_wait_stream(struct stream *s)
{
    pthread_mutex_lock(&runtime_lock);
    wait_as_program(ticket_share(s->latest));
    pthread_mutex_unlock(&runtime_lock);
    output_flush();
}

/* Commands queued by other threads meanwhile are not waited for: only those with a number up to now. */
static void wait_all(const struct runtime_device *d)
{
    pthread_mutex_lock(&runtime_lock);
    uint64_t until = serial;
    for (;;) {
        struct ticket *t = NULL;
        for (struct stream *s = pool_next(&streams, NULL); s && !t; s = pool_next(&streams, s))
            if ((!d || s->device == d) && s->first && s->first->serial <= until)
                t = ticket_share(s->first->ticket);
        if (!t)
            break;
        wait_locked(t);
        drop(t);
    }
    if (device_time_on())
        device_time_waited_all(d);
    pthread_mutex_unlock(&runtime_lock);
}

void queue_wait_device(struct runtime_device *d)
{
    wait_all(d);
    output_flush();
}

void queue_drain(void)
{
    if (!running)
        wait_all(NULL);
}

cudaError_t queue_verdict(struct runtime_device *d)
{
    pthread_mutex_lock(&runtime_lock);
    cudaError_t e = d->fault;
    if (e) {
        __atomic_store_n(&d->sticky, e, __ATOMIC_RELEASE);
    } else {
        e = d->pending;
        d->pending = cudaSuccess;
    }
    pthread_mutex_unlock(&runtime_lock);
    return e;
}

/* Somebody only asks: where there is no worker thread, nothing would ever happen otherwise. */
static void poll_queues(void)
{
    struct command *c = workers || running ? NULL : choose();
    if (c)
        run(c);
}

bool ticket_done(struct ticket *t)
{
    pthread_mutex_lock(&runtime_lock);
    poll_queues();
    wait_quiet();
    bool done = !t || (t->done && (!device_time_on() || device_time_past(t)));
    pthread_mutex_unlock(&runtime_lock);
    return done;
}

bool queue_idle(struct stream *s)
{
    pthread_mutex_lock(&runtime_lock);
    poll_queues();
    wait_quiet();
    bool idle = !s->first && (!device_time_on() || !s->latest || device_time_past(s->latest));
    pthread_mutex_unlock(&runtime_lock);
    return idle;
}

uint64_t queue_serial(void)
{
    return running;
}

bool queue_inside(void)
{
    return running != 0;
}

bool queue_launch_runs(void)
{
    return __atomic_load_n(&launches, __ATOMIC_RELAXED) > 0;
}
