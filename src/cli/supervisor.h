/* A program that is run for a command, with all that it starts itself: a script and its programs, say.
 *
 * A process between the command and the program, the supervisor, inherits what the program leaves behind (prctl(2),
 * PR_SET_CHILD_SUBREAPER). When the command ends, by SIGKILL too, the supervisor ends the program and all of these. */
#ifndef CLI_SUPERVISOR_H
#define CLI_SUPERVISOR_H

#include <stdbool.h>
#include <sys/types.h>

struct supervised {
    pid_t program;    /* signals may be sent to it until supervised_wait returns */
    pid_t supervisor;
    int line;         /* to it, and back */
};

/* Forks twice and calls `become` in the second child, which must end with exec or _exit. False: errno. */
bool supervised_start(struct supervised *s, void (*become)(void *user), void *user);

/* Waits for the program's end; returns its status as waitpid gives it. If the supervisor is killed, so is the program, and that
 * is its status. */
int supervised_wait(struct supervised *s);

/* Afterwards: ends what the program left behind, or leaves it alone. */
void supervised_end(struct supervised *s, bool with_all);

#endif
