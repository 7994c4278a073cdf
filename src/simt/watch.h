/* A launch that somebody watches: a checker sees every access before it happens and everything that orders accesses.
 *
 * Who watches is asked which lanes must not do an access, because afterwards it would be too late: the bytes would be
 * overwritten, or the host would fault. Everything else it gets as records (record.h), like a model. */
#ifndef SIMT_WATCH_H
#define SIMT_WATCH_H

#include <stdint.h>

struct warp;

/* An access that is about to happen. */
struct watched_access {
    const struct warp *warp;
    int32_t site;
    uint8_t space;        /* enum ptx_space: GLOBAL, CONST, SHARED, LOCAL */
    uint8_t op;           /* enum record_op */
    uint8_t bytes;        /* a lane */
    uint32_t mask;        /* lanes; not 0 */
    const uint64_t *addr; /* [32] as in a record */
};

struct watch {
    /* Lanes of the mask that must not do it. They are left out: a load leaves their registers as they are. NULL: all
     * may, and faults as ever. */
    uint32_t (*refuse)(void *user, const struct watched_access *a);
    /* free or delete of an address that is none of the heap's, or was freed. NULL: that ends the launch. */
    void (*bad_free)(void *user, const struct warp *w, int32_t site, unsigned lane, uint64_t address);
    void *user;
    const uint8_t *traced; /* [instructions]: where not 0, a RECORD_STEP before it is done. NULL: none */
};

#endif
