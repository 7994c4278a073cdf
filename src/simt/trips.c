/* Turns of unrolled loops (see trips.h). */
#include "simt/trips.h"

uint64_t trips_of(const struct ir_trips *t, int bits, bool signed_, uint64_t start, uint64_t bound)
{
    uint64_t at = ir_unsigned(start + (uint64_t)t->step, bits), by = t->step < 0 ? -(uint64_t)t->step : (uint64_t)t->step;
    uint64_t left = ir_unsigned(t->step < 0 ? at - bound : bound - at, bits);
    if (t->goes_on == PTX_NE)
        return left / by + 1;
    bool below = signed_ ? ir_signed(at, bits) < ir_signed(bound, bits) : at < ir_unsigned(bound, bits);
    bool equal = at == ir_unsigned(bound, bits);
    switch (t->goes_on) {
    case PTX_LT: return below ? (left - 1) / by + 2 : 1;
    case PTX_LE: return below || equal ? left / by + 2 : 1;
    case PTX_GT: return below || equal ? 1 : (left - 1) / by + 2;
    default: return below ? 1 : left / by + 2; /* PTX_GE */
    }
}

/* How many different numbers of rounds lanes do. */
static unsigned different(const uint64_t turns[WARP_LANES], uint64_t rounds, uint32_t lanes)
{
    uint64_t below = 0; /* bits: those below 64 */
    unsigned n = 0;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t is = turns[__builtin_ctz(m)] / rounds;
        bool first = true;
        if (is < 64) {
            below |= UINT64_C(1) << is;
            continue;
        }
        for (uint32_t before = lanes & ((m & -m) - 1); before && first; before &= before - 1)
            first = turns[__builtin_ctz(before)] / rounds != is;
        n += first;
    }
    return n + (unsigned)__builtin_popcountll(below);
}

void trips_count(uint64_t numbers[TRIPS_NUMBERS], const struct ir_trips *t, const uint64_t turns[WARP_LANES], uint32_t lanes)
{
    uint32_t some = 0, two = 0, one = 0;
    uint64_t most = 0, rounds = (uint64_t)t->rounds;
    if (!lanes)
        return;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint64_t n = turns[__builtin_ctz(m)];
        some |= n >= rounds ? m & -m : 0;
        two |= n & 2 ? m & -m : 0;
        one |= n & 1 ? m & -m : 0;
        most = n > most ? n : most;
    }
    const uint32_t of[] = {lanes, some, two, one};
    for (int i = 0; i < 4; i++) {
        numbers[2 * i] += of[i] != 0;
        numbers[2 * i + 1] += (uint64_t)__builtin_popcount(of[i]);
    }
    numbers[TRIPS_LEFT] += most % rounds;
    numbers[TRIPS_SOME_APART] += different(turns, rounds, lanes) - 1;
    numbers[TRIPS_TWO_APART] += two && two != lanes;
    numbers[TRIPS_ONE_APART] += one && one != lanes;
}
