/* What the files of the stepping executor share. */
#ifndef STEP_PRIVATE_H
#define STEP_PRIVATE_H

#include <pthread.h>
#include <semaphore.h>

#include "step/step.h"

/* A function of the kernel's. */
struct step_function {
    const struct steps_function *twin;
    int first_shared; /* its file's variables, in step_code.shared */
};

struct step_code {
    const struct ir_kernel *kernel;
    const struct interp_code *interp;
    struct step_function *of_frame; /* [kernel->nframes] */
    int64_t *shared;                /* [nshared], of all files: offset, -1: not in this kernel */
    int nshared;
};

/* A function that a thread is in. */
struct step_frame {
    int32_t frame;  /* of the kernel's frames */
    uint32_t level; /* splits' level (ir/recursion.h) */
    const void *local;
};

enum { STEP_RESULT_BYTES = 256 /* of a function's result that are kept; a larger one is not shown */ };

enum step_end { STEP_ENDED, STEP_WAITS, STEP_MEETS /* for lanes beside it */, STEP_YIELDS, STEP_FAULT, STEP_STOPPED };

/* A thread of the process, and the CUDA thread that it runs. */
struct step_thread {
    struct step_context c; /* first: generated code has its address */
    struct step_thread *next;
    pthread_t id;
    sem_t begin;
    bool runs;      /* it has a CUDA thread */
    bool over;      /* the thread of the process is to end */
    bool abandoned; /* it is to leave what it runs */
    bool unfinished; /* the instruction that it waits in is to be carried out further */
    enum step_end why;
    const struct step_code *code;
    const struct launch *launch;
    struct warp *warp;
    int lane;
    int32_t last;   /* statement that was carried out last, in the innermost frame */
    struct step_frame *frames;
    int nframes, frames_cap;
    struct step_frame entering;
    bool enters;
    uint8_t result[STEP_RESULT_BYTES]; /* what the innermost function has stored as its result */
    unsigned vector;                   /* bits: the first or second eight bytes of it are floating-point numbers */
    uint64_t *shared;
    int shared_cap;
};

/* --- run.c --- */

/* A warp's turn: what the threads hand on to each other. */
struct step_turn {
    struct warp *w;
    uint32_t yielded; /* lanes that have had their turn and wait for what others do */
    uint32_t meeting; /* lanes that wait for company */
    uint32_t failed;  /* lanes whose assertions did not hold: the others go on */
};

/* The lane that runs next, or -1: the turn has ended with *stop. */
int step_next_lane(struct step_turn *turn, enum warp_stop *stop);

/* --- thread.c --- */

/* Lets a warp's threads run until none can. */
enum warp_stop step_threads_run(struct step_turn *turn);
/* The thread that runs stops running, for this reason, and another one goes on. It waits at context.go. */
void step_thread_gives_way(struct step_thread *t, enum step_end why);
/* The launch is over: threads that it has left leave what they run, and all that have nothing to run end. */
void step_threads_end(const struct launch *l);

/* --- where.c --- */

/* context.step and context.where. */
struct step_to step_instruction(struct step_context *c);
struct step_to step_where(struct step_context *c);

/* --- result.c --- */

/* The instruction `in`, which is about to be carried out, may store a part of the function's result: the e-th of those that its
 * statement became. */
void step_note_result(struct step_thread *t, const struct ir_inst *in, int e);
/* The function's result as its caller finds it. */
void step_return_result(struct step_thread *t, const struct ptx_function *f);

/* Leaves generated code at once: heddle_thread returns. */
void step_leave(struct step_context *c) __attribute__((noreturn));

/* The split of a lane. */
static inline struct split *step_split(struct warp *w, int lane)
{
    for (int i = 0; i < w->nsplits; i++)
        if (w->split[i].mask >> lane & 1)
            return &w->split[i];
    return NULL;
}

#endif
