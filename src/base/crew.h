/* Threads that are kept for the next time: work beside the caller's, as it comes with each launch. To start 15 threads takes a host of 16
 * processors 281 us (Xeon, Sapphire Rapids class, 2026-11-29), as long as a small kernel; to wake them a fifth of that.
 *
 * A thread that has done its work waits for more until the process ends; in the child of a fork there are none, and new ones are made.
 * What a job leaves in thread-local variables the next one finds there. Safe to be called from several threads. */
#ifndef BASE_CREW_H
#define BASE_CREW_H

struct crew_member;

/* Has a thread call job(arg). NULL: none can be had. */
struct crew_member *crew_start(void *(*job)(void *arg), void *arg);
/* Waits until it has returned; the thread is free for others then. */
void crew_wait(struct crew_member *m);

#endif
