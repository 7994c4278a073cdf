/* Kernel launches as Visual Studio formats them: k << <grid, block >> > (arguments).
 *
 * nvcc takes the three signs apart, clang does not. In: a CUDA file's text. Out: the same text with <<< and >>> in one
 * piece and the blanks behind them, so that every line and column stays. Only `<< <` and `< <<` are taken for the
 * beginning of a launch: neither can stand in C++ otherwise. `>> >` and `> >>` may close templates; they are joined
 * where they close a launch. */
#ifndef COMPILE_LAUNCHES_H
#define COMPILE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

/* Mends `text` in place; true if something changed. */
bool launches_mend(char *text, size_t len);

#endif
