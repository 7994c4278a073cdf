/* What each access waits for, in the order that the assembler gives the instructions of a basic block: an access that needs what a
 * load of the same block brings cannot go before that is there, and loads go in front of stores that they cannot meet.
 * Taken from the IR: what an instruction needs there it needs in the machine code. */
#ifndef TARGET_WAITS_H
#define TARGET_WAITS_H

#include <stdint.h>

struct arena;
struct ir_kernel;

/* enum target_waits of each instruction of the analysed kernel, in `arena`. */
uint8_t *waits_find(const struct ir_kernel *k, struct arena *arena);

#endif
