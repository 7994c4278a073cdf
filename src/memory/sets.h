/* Questions about the addresses of a warp's lanes, 32 at a time in the host's vectors: what the rules are made of.
 *
 * Built once for each level of the host (sets_lanes.h), as the lane functions are; sets_now() is the level in use. Lanes
 * that are off may have any address. A mask is never 0. */
#ifndef MEMORY_SETS_H
#define MEMORY_SETS_H

#include <stdint.h>

struct lane_sets {
    /* Distinct sectors of 32 bytes; no lane's access crosses from one to the next. */
    unsigned (*sectors)(const uint64_t *addr, uint32_t mask);
    /* Of groups of 8, 16 or 32 neighbouring lanes: the lanes that are the first of theirs with their addr >> shift. */
    uint32_t (*fresh)(const uint64_t *addr, uint32_t mask, int shift, int group);
    /* Words of 2^shift bytes in banks that are 128 bytes together: for each group the most lanes that are on one bank, and
     * of these the sum. shift: 2 to 5. */
    unsigned (*crowd)(const uint64_t *addr, uint32_t mask, int shift, int group);
    /* The same, where lanes of a group with the same word are one. */
    unsigned (*passes)(const uint64_t *addr, uint32_t mask, int shift, int group);
};
extern const struct lane_sets lane_sets_v2, lane_sets_v3, lane_sets_v4;

const struct lane_sets *sets_now(void);
/* Of a level by number: 0 is x86-64-v2; NULL: the host does not have it. */
const struct lane_sets *sets_of(int level);

#endif
