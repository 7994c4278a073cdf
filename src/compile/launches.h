/* What nvcc reads in a CUDA file and clang does not. In: the file's text. Out: the same text as clang reads it, with blanks
 * in place of what is gone, so that every line and column stays.
 *
 * Kernel launches as Visual Studio formats them, k << <grid, block >> > (arguments), get <<< and >>> in one piece. Only
 * `<< <` and `< <<` are taken for the beginning of a launch: neither can stand in C++ otherwise. `>> >` and `> >>` may close
 * templates; they are joined where they close a launch.
 *
 * `__device__ __shared__ int x;` in a kernel: `__device__` says nothing there, and goes.
 *
 * asm("mov.u64 %0, %globaltimer;"): a name of two letters or more behind one % is a register of PTX for nvcc, an error for
 * clang. The blank before it becomes the second %; where there is none clang's message comes.
 *
 * asm("..." :: "r"(a) "l"(b)): nvcc needs no comma between operands. The blank becomes one. */
#ifndef COMPILE_LAUNCHES_H
#define COMPILE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

/* Mends `text` in place; true if something changed. */
bool launches_mend(char *text, size_t len);

#endif
