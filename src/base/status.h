/* A line on the terminal that says what is going on, while something takes long.
 *
 * It stands below the cursor and goes away again, so that what a program prints is as without it: nothing of it is ever in
 * a file or a pipe. Wanted where stderr is a terminal (not a dumb one) that this process may write to, and neither
 * HEDDLE_PROGRESS=0 nor HEDDLE_QUIET=1 is set. One thread of its own, which draws four times a second. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include <stdbool.h>

#include "base/across.h"

struct strbuf;

/* Is one wanted? Else the functions below do nothing. */
bool status_wanted(void) ACROSS(status_wanted);

/* From now on `say` is asked for the line, without a newline, on the thread that draws; nothing added: there is none now.
 * Until status_end, which waits for it. One at a time; false: it cannot be, or is not wanted. */
bool status_begin(void (*say)(void *user, struct strbuf *out), void *user) ACROSS(status_begin);
void status_end(void) ACROSS(status_end);

/* No line is there until `say` is asked the next time: who is about to print calls this. */
void status_clear(void) ACROSS(status_clear);

#endif
