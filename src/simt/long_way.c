/* Long ways of quotients and roots (see long_way.h). */
#include "simt/long_way.h"

static void count(uint64_t *warps, uint32_t lanes)
{
    warps[0] += lanes != 0;
    warps[1] += (uint64_t)__builtin_popcount(lanes);
}

static void add(uint32_t by[LONG_PARTS], uint32_t parts, uint32_t lanes)
{
    for (; parts; parts &= parts - 1)
        by[__builtin_ctz(parts)] |= lanes;
}

uint32_t long_way_count(uint64_t numbers[LONG_NUMBERS], enum long_way way, const uint64_t a[WARP_LANES], const uint64_t *b, uint32_t lanes)
{
    uint32_t by[LONG_PARTS] = {0}, some = 0, last = 0, alike = 0; /* lanes one behind the other mostly do the same */
    for (uint32_t left = lanes; left; left &= left - 1) {
        const int lane = __builtin_ctz(left);
        const uint32_t parts = long_way_parts(way, a[lane], b ? b[lane] : 0);
        some |= parts ? left & -left : 0;
        if (parts != last) {
            add(by, last, alike);
            last = parts;
            alike = 0;
        }
        alike |= left & -left;
    }
    add(by, last, alike);
    uint32_t parts = 0;
    if (!some)
        return 0;
    count(&numbers[LONG_SOME], some);
    count(&numbers[LONG_ONLY], some == lanes ? some : 0);
    for (int p = 0; p < LONG_PARTS; p++) {
        count(&numbers[LONG_PART_FIRST + 2 * p], by[p]);
        parts |= (uint32_t)(by[p] != 0) << p;
    }
    return parts;
}
