/* Kernels that launch kernels (CUDA C++ programming guide 12, chapter 9 "CUDA Dynamic Parallelism"), which clang 19 does not read.
 *
 * In: the text of a source file whose device code is relocatable. Out: the same text as each of clang's passes reads it. For the
 * device `k<<<grid, block>>>(x)` becomes `(__heddle_configure(grid, block), k(x))`: kernels are ordinary functions there until
 * our pass has made launches of their calls (plugin_launches.cpp, include/heddle/launches_in_kernels.h). For the host it becomes
 * `[&]{ k<<<grid, block>>>(x); }()`, since clang lets a lambda of a kernel do what it does not let the kernel do. Lines stay. */
#ifndef COMPILE_DEVICE_LAUNCHES_H
#define COMPILE_DEVICE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/* Is there a launch in the body of a function for the device? Bodies are told from others by the words `__global__` and
 * `__device__` before them. */
bool device_launches_in(const char *text, size_t len);

/* Adds the text with every launch as the pass reads it. */
void device_launches_mend(const char *text, size_t len, bool for_device, struct strbuf *out);

/* Calls `visit` for each file that the text includes by name in quotes. */
void device_launches_includes(const char *text, size_t len, void (*visit)(const char *name, size_t n, void *user), void *user);

#endif
