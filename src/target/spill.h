/* Values that do not fit into registers: made again where they are read, or kept in local memory.
 *
 * Out: the code with instructions added. */
#ifndef TARGET_SPILL_H
#define TARGET_SPILL_H

#include "target/flow.h"
#include "target/target.h"

/* Of laid-out code. Parameters and constants in registers, which cost no memory access to make: each block that reads one makes it for
 * itself. Returns how many values that are. */
int spill_free(struct code *c, const struct flow *f);

struct spills {
    struct target_spill *spill; /* in the order of the sites */
    int32_t n, cap;
    int32_t bytes; /* of a thread's local memory */
    int32_t stored, loaded; /* bytes, of the instructions of the code */
};

/* Of scheduled code: no more than `room` words alive at once, R1 aside. Where there are more, the value that is read last of them leaves its
 * register, and is loaded again in front of who reads it next; each instruction that makes it stores it. A value that is alive in
 * a block that does not read it costs nothing there; so such values leave first, those that loops read least. Values that cost
 * nothing to make are made again instead. The code and its flow get the instructions, and `to` what they are. */
void spill_store(const struct lowered *l, struct code *c, struct flow *f, int room, struct spills *to);

#endif
