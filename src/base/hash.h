/* A hash of 128 bits, for names and contents of kept things (base/store.h): it tells what is damaged or different. It is no
 * defence against somebody who looks for two inputs with one hash. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t part[2]; /* two hashes that have nothing in common but what goes in */
};

#define HASH128_START ((struct hash128){{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)}})

/* Mixes in `n` bytes as one piece: two pieces hash to something else than the two joined. Any change within 8 bytes of a piece
 * changes the hash for certain. */
void hash128_mix(struct hash128 *h, const void *data, size_t n);
void hash128_text(struct hash128 *h, const char *text); /* NULL as "" */

#define HASH128_MIX(h, value) hash128_mix((h), &(value), sizeof(value))

#endif
