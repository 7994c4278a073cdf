/* Threads that go through many short steps together, of some 10 us or more, with little between them.
 *
 * Each step has as many parts as the team has members. A member does its own part, then any that nobody has begun: a thread which the host
 * keeps away holds up no more than the part that it is in, and with fewer processors than members some do several. Who waits spins for a
 * while, then it sleeps. Where steps together do not pay, as the processors have other work, the caller does many alone. Threads are those
 * of crew.h, with the floating-point environment of host_floats.h.
 * Only the thread that made a team has steps done by it. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

struct team;

/* The caller and `members` - 1 others. */
struct team *team_new(int members);
/* part(arg, i) for each member i, at the same time or not; the caller does that of member 0. Returns when all have been done. */
void team_step(struct team *t, void (*part)(void *arg, int i), void *arg);
void team_free(struct team *t);

#endif
