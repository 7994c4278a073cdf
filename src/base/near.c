/* Near matches by edit distance: one row of the table at a time, so no allocation. See near.h. */
#include "base/near.h"

#include <ctype.h>
#include <string.h>

enum { NEAR_LONGEST = 191 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static int letter(const char *s, size_t i)
{
    return tolower((unsigned char)s[i]);
}

unsigned near_distance(const char *a, const char *b, unsigned limit)
{
    size_t na = strlen(a), nb = strlen(b);
    unsigned rows[3][NEAR_LONGEST + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2], *free_row;

    if (na > NEAR_LONGEST || nb > NEAR_LONGEST || (na > nb ? na - nb : nb - na) >= limit)
        return limit;
    for (size_t j = 0; j <= nb; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++) {
            unsigned same = letter(a, i - 1) == letter(b, j - 1);

            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) && letter(a, i - 2) == letter(b, j - 1))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return least(last[nb], limit);
}

unsigned near_limit(const char *word)
{
    size_t third = strlen(word) / 3;

    return third < 1 ? 2 : third > 12 ? 12 : (unsigned)third + 1;
}
