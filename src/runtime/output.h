/* What kernels print waits here until the program synchronises, as with CUDA. */
#ifndef RUNTIME_OUTPUT_H
#define RUNTIME_OUTPUT_H

#include <stddef.h>

/* For heddle_output: keeps the text. */
void output_keep(int stream, const char *text, size_t n, void *unused);

/* Writes what is kept to the process's stdout and stderr. Called when a call that waits is done. */
void output_flush(void);

/* Writes messages of failed assertions alone: a launch has failed, and says so next. */
void output_flush_assertions(void);

/* At the end of the process: says on stderr that text was lost, if there is any. */
void output_drop(void);

#endif
