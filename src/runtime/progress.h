/* On a terminal: which kernel runs, how many of its blocks are past, and how long it will take; after 10 s a word about it. */
#ifndef RUNTIME_PROGRESS_H
#define RUNTIME_PROGRESS_H

/* Once, when the first device is opened; nothing happens where no status line is wanted (base/status.h). */
void progress_begin(void);

#endif
