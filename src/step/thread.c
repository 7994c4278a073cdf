/* Threads of the process that CUDA threads run on (see step.h).
 *
 * A thread that has ended its CUDA thread takes the next one, and ends with the launch. It waits at a semaphore while it has none, so a debugger lists it
 * as idle; while its CUDA thread waits it waits in generated code. Its name says what it runs: "b0,1 t5", as far as the sizes of
 * grid and block make it necessary and Linux's 15 characters allow. */
#define _GNU_SOURCE /* pthread_setname_np */
#include "step/private.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "heddle.h"

enum { STACK_BYTES = 256 << 10 };

/* Runs generated code from `entry` on, which ends by returning or through step_leave. It has no line information, so debuggers
 * step over it; frames end here. base: of struct step_context, at 88. */
void heddle_thread(struct step_context *c, const void *entry);
__asm__(".text\n"
        ".globl heddle_thread\n" /* exported, for step/gdb/heddle.py */
        ".type heddle_thread, @function\n"
        "heddle_thread:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined rip\n"
        "  push %rbp\n"
        "  push %rbx\n"
        "  push %r12\n"
        "  mov %rdi, %rbx\n"
        "  mov %rsp, 88(%rbx)\n"
        "  xor %ebp, %ebp\n"
        "  call *%rsi\n"
        "heddle_thread_end:\n"
        "  pop %r12\n"
        "  pop %rbx\n"
        "  pop %rbp\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "  .size heddle_thread, . - heddle_thread\n"
        ".globl step_leave\n"
        ".hidden step_leave\n"
        ".type step_leave, @function\n"
        "step_leave:\n"
        "  mov 88(%rdi), %rsp\n"
        "  jmp heddle_thread_end\n"
        "  .size step_leave, . - step_leave\n");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* around the list */
static struct step_thread *threads;
static struct step_turn *turn; /* the one that is taken: run.c lets there be one */
static enum warp_stop stop;    /* why it has ended */
static sem_t back;             /* it has */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_back(void)
{
    sem_init(&back, 0, 0);
}

static void wait_for(sem_t *s)
{
    while (sem_wait(s))
        ;
}

static void futex_wake(uint32_t *at)
{
    __atomic_store_n(at, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, at, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* --- the thread's side --- */

static void set_name(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}

/* "3", "3,1", "3,1,0": as many as have a size above one, at least one. */
static int put_index(char *to, size_t room, const uint32_t *index, const uint32_t *sizes)
{
    if (sizes[2] > 1)
        return snprintf(to, room, "%u,%u,%u", index[0], index[1], index[2]);
    return sizes[1] > 1 ? snprintf(to, room, "%u,%u", index[0], index[1]) : snprintf(to, room, "%u", index[0]);
}

static void name_thread(const struct step_context *c)
{
    char block[48], thread[48], name[112];
    put_index(block, sizeof block, c->block_index, c->grid_dim);
    put_index(thread, sizeof thread, c->thread_index, c->block_dim);
    snprintf(name, sizeof name, "b%s t%s", block, thread);
    if (strlen(name) > 15)
        snprintf(name, sizeof name, "t%s", thread);
    name[15] = '\0';
    set_name(name);
}

static void *work(void *arg);

static struct step_thread *new_thread(void)
{
    struct step_thread *t = alloc_zeroed(sizeof *t);
    pthread_attr_t a;
    sem_init(&t->begin, 0, 0);
    t->c.step = step_instruction;
    t->c.where = step_where;
    t->c.warp_size = WARP_LANES;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, STACK_BYTES);
    int failed = pthread_create(&t->id, &a, work, t);
    pthread_attr_destroy(&a);
    if (failed) {
        alloc_release(t);
        return NULL;
    }
    struct step_thread **last = &threads; /* the oldest are taken first, so that a debugger numbers them as lanes go */
    while (*last)
        last = &(*last)->next;
    *last = t;
    return t;
}

/* `self` if that has nothing to run: there is nobody to wake then. */
static struct step_thread *idle_thread(struct step_thread *self)
{
    pthread_mutex_lock(&lock);
    struct step_thread *t = self && !self->runs ? self : threads;
    while (t && t->runs)
        t = t->next;
    if (!t)
        t = new_thread();
    if (t)
        t->runs = true;
    pthread_mutex_unlock(&lock);
    return t;
}

/* Host addresses of the shared variables in the warp's block. */
static void place_shared(struct step_thread *t)
{
    const struct step_code *code = t->code;
    if (t->shared_cap < code->nshared) {
        t->shared = alloc_resize(t->shared, (size_t)code->nshared * sizeof *t->shared);
        t->shared_cap = code->nshared;
    }
    for (int i = 0; i < code->nshared; i++)
        t->shared[i] = code->shared[i] < 0 ? 0 : (uint64_t)(uintptr_t)t->warp->block->shared + (uint64_t)code->shared[i];
}

static struct step_thread *begin(struct warp *w, int lane, struct step_thread *self)
{
    const struct launch *l = w->block->launch;
    struct step_thread *t = idle_thread(self);
    if (!t)
        return NULL;
    t->code = l->step;
    t->launch = l;
    t->warp = w;
    t->lane = lane;
    t->nframes = 0;
    t->why = STEP_ENDED;
    t->abandoned = t->unfinished = false;
    t->entering = (struct step_frame){0};
    t->enters = true;
    t->c.fault = NULL;
    place_shared(t);
    for (int i = 0; i < 3; i++) {
        t->c.thread_index[i] = l->tid[w->index][i][lane];
        t->c.block_index[i] = w->block->id[i];
        t->c.block_dim[i] = l->block_dim[i];
        t->c.grid_dim[i] = l->grid[i];
    }
    t->c.grid = l->grid_serial;
    t->c.sm = w->block->sm;
    t->c.device = (uint32_t)((l->space->base - SPACE_BASE) / SPACE_STRIDE);
    w->thread[lane] = t;
    return t;
}

/* --- one after the other --- */

static void end_turn(enum warp_stop why)
{
    stop = why;
    sem_post(&back);
}

/* The next lane's thread goes on, or the turn ends. `self`: who asks. */
static void hand_on(struct step_thread *self)
{
    enum warp_stop why;
    struct warp *w = turn->w;
    int lane = step_next_lane(turn, &why);
    if (lane < 0) {
        end_turn(why);
        return;
    }
    struct step_thread *t = w->thread[lane];
    if (t) {
        futex_wake(&t->c.go);
    } else if ((t = begin(w, lane, self))) {
        t->c.go = 1;
        sem_post(&t->begin);
    } else {
        launch_fault(w->block->launch, w, HEDDLE_OUT_OF_MEMORY, step_split(w, lane)->pc, lane, 0, 0,
                     "the host has no more threads: each CUDA thread that is stepped and waits for others takes one");
        end_turn(WARP_FAULT);
    }
}

/* The thread has ended its CUDA thread, or left it. */
static void finish(struct step_thread *t)
{
    bool for_good = t->abandoned && t->why != STEP_FAULT;
    set_name("heddle idle");
    t->runs = false;
    if (t->why == STEP_FAULT)
        turn->failed |= 1u << t->lane;
    if (for_good)
        sem_post(&back);
    else if (t->why == STEP_FAULT && launch_stopping(t->launch, t->warp->block->index))
        end_turn(WARP_FAULT);
    else
        hand_on(t);
}

static void *work(void *arg)
{
    struct step_thread *t = arg;
    set_name("heddle idle");
    for (;;) {
        wait_for(&t->begin);
        if (t->over)
            return NULL;
        name_thread(&t->c);
        heddle_thread(&t->c, t->code->of_frame[0].twin->entry);
        finish(t);
    }
}

void step_thread_gives_way(struct step_thread *t, enum step_end why)
{
    t->why = STEP_ENDED;
    __atomic_store_n(&t->c.go, 0, __ATOMIC_RELEASE);
    if (why == STEP_YIELDS)
        turn->yielded |= 1u << t->lane;
    if (why == STEP_MEETS)
        turn->meeting |= 1u << t->lane;
    if (why == STEP_STOPPED)
        end_turn(WARP_STOPPED);
    else
        hand_on(t);
}

enum warp_stop step_threads_run(struct step_turn *of)
{
    pthread_once(&once, make_back);
    turn = of;
    hand_on(NULL);
    wait_for(&back);
    return stop;
}

static void end_thread(struct step_thread *t)
{
    t->over = true;
    sem_post(&t->begin);
    pthread_join(t->id, NULL);
    sem_destroy(&t->begin);
    alloc_release(t->frames);
    alloc_release(t->shared);
    alloc_release(t);
}

void step_threads_end(const struct launch *l)
{
    pthread_mutex_lock(&lock);
    for (struct step_thread *t = threads; t; t = t->next)
        if (t->runs && t->launch == l) {
            t->abandoned = true;
            futex_wake(&t->c.go);
            wait_for(&back);
        }
    for (struct step_thread **at = &threads; *at;) {
        struct step_thread *t = *at;
        if (t->runs) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        end_thread(t);
    }
    pthread_mutex_unlock(&lock);
}
