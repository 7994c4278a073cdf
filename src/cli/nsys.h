/* What nsys's commands have in common (cli_nsys.c). */
#ifndef CLI_NSYS_H
#define CLI_NSYS_H

#include <stdbool.h>

struct diag_list;
struct flag;

/* true, yes, 1 or false, no, 0; an error for another word. */
bool nsys_truth(struct diag_list *diags, const struct flag *row, const char *value);

/* False, with an error: the file is there and nobody said --force-overwrite. */
bool nsys_may_write(const char *path, bool force, struct diag_list *diags);

/* Says whose the times of a trace are; `flag`: what asks for the device's. */
struct trace;
void nsys_say_times(const struct trace *t, const char *flag, struct diag_list *diags);

#endif
