/* The hash of 128 bits (see hash.h). Every step is a bijection of the state for a given word, and of the word for a given
 * state. Long pieces go through four lanes, so that a processor has four multiplications under way instead of two. */
#include "base/hash.h"

#include <string.h>

enum { BLOCK = 32 }; /* bytes: a word for each lane */
#define K1 UINT64_C(0x9fb21c651e98df25)
#define K2 UINT64_C(0xd6e8feb86659fd93)

static void mix_word(struct hash128 *h, uint64_t word)
{
    uint64_t a = (h->part[0] ^ word) * K1, b = (h->part[1] + word) * K2;
    h->part[0] = a ^ a >> 32;
    h->part[1] = b ^ b >> 29;
}

static void mix_blocks(struct hash128 *h, const char *at, size_t n)
{
    uint64_t lane[4] = {h->part[0], h->part[1], ~h->part[0], ~h->part[1]};
    for (const char *end = at + n; at < end; at += BLOCK)
        for (int i = 0; i < 4; i++) {
            uint64_t word;
            memcpy(&word, at + 8 * i, 8);
            word = (lane[i] ^ word) * K1;
            lane[i] = word ^ word >> 32;
        }
    for (int i = 0; i < 4; i++)
        mix_word(h, lane[i]);
}

void hash128_mix(struct hash128 *h, const void *data, size_t n)
{
    const char *at = data;
    size_t blocks = n >= 2 * BLOCK ? n / BLOCK * BLOCK : 0;
    mix_word(h, n);
    if (blocks)
        mix_blocks(h, at, blocks);
    at += blocks;
    n -= blocks;
    while (n) {
        size_t take = n < 8 ? n : 8;
        uint64_t word = 0;
        memcpy(&word, at, take);
        mix_word(h, word);
        at += take;
        n -= take;
    }
}

void hash128_text(struct hash128 *h, const char *text)
{
    hash128_mix(h, text ? text : "", text ? strlen(text) : 0);
}
