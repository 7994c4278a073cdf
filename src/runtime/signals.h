/* What the library does with signals: it explains host code that touched device memory (SIGSEGV), and ends a running
 * launch on Ctrl-C (SIGINT). A program's own handlers are respected: one that was there before is called after ours
 * (SIGSEGV) or instead of ours (SIGINT); one that the program sets later replaces ours. */
#ifndef RUNTIME_SIGNALS_H
#define RUNTIME_SIGNALS_H

/* At the first use of a device. */
void signals_install(void);

/* A launch was interrupted: when that was our SIGINT handler's doing, the process ends by SIGINT now, as it would have
 * without us. */
void signals_end_by_interrupt(void);

#endif
