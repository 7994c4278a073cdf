/* What L2 has of memory from launch to launch, where nobody empties it in between.
 *
 * Of one device, some 13 MB for an H200: the places of its L2 (l2_sets.h). A launch whose caches_config names it finds what was there and
 * leaves what it had (l2.c); copies, fills and frees between launches say here what they do. At first L2 is full of what nobody asks for,
 * as on a GPU that others have used. Not for several threads at a time.
 * What each does is an H200's (2026-11-30, tests/truth/caches: warm, h200_warm.tsv):
 * - A kernel's lines stay, dirty ones too, with the copies that the halves have of each other's lines; of 64 MiB that were read the last 41 are
 *   there. So do a fill's, and both sides' of a copy within the device, as if a kernel had done it.
 * - A copy from the host or to it changes lines in place: the half's own copy of one that is written is old then. Of lines that L2
 *   does not have it keeps about a sixteenth of L2: of 8 MiB the last 3.4, of 64 the last 4. Here they are the next to go.
 * - Memory that is freed and allocated again at the same address: of 8 MiB everything is still there, of 24 nothing. */
#ifndef MEMORY_L2_KEPT_H
#define MEMORY_L2_KEPT_H

#include <stdint.h>

struct caches_config;
struct l2_kept;

/* The figures of the device are needed: l2_bytes, l2_parts, dirty_share, lost_bytes. NULL: there is no L2, or no memory for it. */
struct l2_kept *l2_kept_new(const struct caches_config *c);
void l2_kept_free(struct l2_kept *k);

enum l2_touch {
    L2_TOUCH_FILL,     /* a fill, or a copy within the device, has written it */
    L2_TOUCH_COPY,     /* a copy within the device has read it */
    L2_TOUCH_FROM_HOST, /* a copy has written it */
    L2_TOUCH_TO_HOST,  /* a copy has read it */
    L2_TOUCH_FREE
};
/* Memory of this device. Sectors at its ends count as whole. Of more than L2 could hold only the end is looked at. */
void l2_kept_touch(struct l2_kept *k, enum l2_touch how, uint64_t address, uint64_t bytes);

/* Lines that persist are as others. */
void l2_kept_reset(struct l2_kept *k);

/* --- for l2.c --- */

/* The places of a half, for a launch; what was on its way has come. */
struct part;
void l2_kept_begin(struct l2_kept *k);
struct part *l2_kept_part(struct l2_kept *k, uint32_t part);

#endif
