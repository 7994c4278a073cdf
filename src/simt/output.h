/* What kernels print: device printf and assertion messages, gathered per block.
 *
 * A block's text is only written by the host thread that runs the block; the launch keeps all of them. At the end they
 * go to the sink in the order of the blocks, whatever order they ran in. */
#ifndef SIMT_OUTPUT_H
#define SIMT_OUTPUT_H

#include <stddef.h>

struct block;
struct launch;

enum { OUTPUT_PRINTF = 1, OUTPUT_ASSERT = 2 }; /* file descriptors: CUDA writes to stdout and to stderr */

/* Adds text to a block's output. */
void output_add(struct block *b, int stream, const char *text, size_t n);

/* Hands everything over, blocks in ascending order, and releases it. */
void output_finish(struct launch *l, void (*write)(int stream, const char *text, size_t n, void *user), void *user);

#endif
