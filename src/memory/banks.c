/* Shared memory before compute capability 5.0: passes through the banks.
 *
 * Rules: CUDA C Programming Guide 4.2.
 * 1.x (F.3.3): 16 banks of 4 bytes, each half-warp by itself. A read takes steps: in each one word is broadcast to all lanes
 * that want it, and of every other bank one lane is served. Which word is left open; we take, of the bank with the most
 * waiting lanes, the word that most of them want. Of lanes that write one address only one writes; different addresses in
 * a bank follow each other, those in one word too. Wider accesses are split into accesses of 4 bytes.
 * 2.x (F.4.3): 32 banks of 4 bytes; lanes share a word, several words in a pass. 8 bytes: each half-warp by itself; 16
 * bytes: each quarter, and one pass more than the most different words in a bank ("one must add 1"), so even accesses
 * without conflicts take two passes a quarter.
 * 3.x (F.5.3): 32 banks of 8 bytes, a pass is 256 bytes. Words of 8 bytes in successive banks (64-bit mode): lanes in one
 * such word share it. Words of 4 bytes in successive banks (32-bit mode, the default): lanes share a word, or two words 32
 * apart in one aligned row of 64. The guide does not tell how wide accesses are cut: we take the whole warp for up to 8
 * bytes and half-warps for 16, 256 bytes each.
 * Atomics of these devices are not told of; they are counted by atomics.c. */
#include "memory/lanes.h"
#include "memory/rules.h"

/* --- 1.x --- */

enum { OLD_BANKS = 16 };

/* Lanes of `left` that want the word of the i-th lane. */
static uint32_t sharers(const uint64_t *addr, uint32_t left, unsigned i)
{
    uint32_t same = 0;

    LANES_EACH(lane, left)
        same |= (uint32_t)(addr[lane] / 4 == addr[i] / 4) << lane;
    return same;
}

/* Lanes that go in a step: the broadcast word's, and one of every other bank. */
static uint32_t step(const uint64_t *addr, uint32_t left)
{
    uint32_t bank[OLD_BANKS] = {0}, word = 0, go;
    unsigned full = 0;

    LANES_EACH(lane, left)
        bank[addr[lane] / 4 % OLD_BANKS] |= 1u << lane;
    for (unsigned b = 1; b < OLD_BANKS; b++)
        if (lanes_count(bank[b]) > lanes_count(bank[full]))
            full = b;
    LANES_EACH(lane, bank[full]) {
        uint32_t same = sharers(addr, bank[full], lane);

        word = lanes_count(same) > lanes_count(word) ? same : word;
    }
    go = word;
    for (unsigned b = 0; b < OLD_BANKS; b++)
        if (b != full)
            go |= bank[b] & -bank[b];
    return go;
}

static unsigned read_steps(const uint64_t *addr, uint32_t mask)
{
    unsigned n = 0;

    for (uint32_t left = mask; left; n++)
        left &= ~step(addr, left);
    return n;
}

static unsigned write_steps(const uint64_t *addr, uint32_t mask)
{
    unsigned bank[OLD_BANKS] = {0}, most = 0;
    struct numbers seen;

    numbers_clear(&seen);
    LANES_EACH(lane, mask)
        if (numbers_add(&seen, addr[lane])) {
            unsigned *n = &bank[addr[lane] / 4 % OLD_BANKS];

            most = ++*n > most ? *n : most;
        }
    return most;
}

unsigned banks_16(const struct record *r, unsigned *ideal)
{
    uint64_t own[32], addr[16];
    const uint64_t *all = lanes_addresses(r, own);
    unsigned n = 0;

    for (unsigned from = 0; from < r->bytes; from += 4)
        for (unsigned at = 0; at < 32; at += 16) {
            uint32_t mask = r->mask >> at & 0xffff;

            for (unsigned i = 0; i < 16; i++)
                addr[i] = all[at + i] + from;
            if (mask) {
                n += r->op == RECORD_LOAD ? read_steps(addr, mask) : write_steps(addr, mask);
                ++*ideal;
            }
        }
    return n;
}

/* --- 2.x and 3.x --- */

enum { BANKS = 32, WIDEST = 16 };

/* Words of so many bytes in successive banks; a bank delivers what lies in one row at a time. */
struct layout {
    unsigned word, row;
};

/* Of one request: the most rows in a bank. */
static unsigned rows_in_a_bank(const uint64_t *addr, uint32_t mask, unsigned bytes, struct layout l)
{
    unsigned rows[BANKS] = {0}, most = 0;
    struct numbers seen;

    numbers_clear(&seen);
    LANES_EACH(lane, mask)
        for (unsigned from = 0; from < bytes; from += l.word) {
            uint64_t a = addr[lane] + from;
            unsigned bank = (unsigned)(a / l.word % BANKS);

            if (numbers_add(&seen, a / l.row * BANKS + bank))
                most = ++rows[bank] > most ? rows[bank] : most;
        }
    return most;
}

/* Requests of `lanes` neighbours; each takes `more` passes besides. */
static unsigned requests(const struct record *r, unsigned lanes, struct layout l, unsigned more, unsigned *ideal)
{
    uint64_t own[32], addr[32];
    const uint64_t *all = lanes_addresses(r, own);
    unsigned n = 0;

    for (unsigned from = 0; from < r->bytes; from += WIDEST) {
        for (unsigned i = 0; i < 32; i++)
            addr[i] = all[i] + from;
        for (unsigned at = 0; at < 32; at += lanes) {
            uint32_t mask = r->mask & (uint32_t)(((UINT64_C(1) << lanes) - 1) << at);

            if (mask) {
                n += rows_in_a_bank(addr, mask, r->bytes < WIDEST ? r->bytes : WIDEST, l) + more;
                ++*ideal;
            }
        }
    }
    return n;
}

unsigned banks_32(const struct record *r, unsigned *ideal)
{
    return requests(r, r->bytes <= 4 ? 32 : r->bytes <= 8 ? 16 : 8, (struct layout){4, 128}, r->bytes > 8, ideal);
}

unsigned banks_wide_by_4(const struct record *r, unsigned *ideal)
{
    return requests(r, r->bytes <= 8 ? 32 : 16, (struct layout){4, 256}, 0, ideal);
}

unsigned banks_wide_by_8(const struct record *r, unsigned *ideal)
{
    return requests(r, r->bytes <= 8 ? 32 : 16, (struct layout){8, 256}, 0, ideal);
}
