/* Digits in groups of three (see numbers.h). */
#include "report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Commas between the digits before the point. */
static void grouped(const char *digits, char *out, size_t size)
{
    size_t n = strlen(digits), at = 0, whole = strcspn(digits, ".");

    for (size_t i = 0; i < n && at + 2 < size; i++) {
        if (i && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = 0;
}

void number_readable(double v, char *out, size_t size)
{
    char digits[64];

    snprintf(digits, sizeof digits, v == floor(v) ? "%.0f" : "%.2f", v);
    grouped(digits, out, size);
}

void number_short(double v, char *out, size_t size)
{
    char digits[400];
    int decimals;

    if (isnan(v) || isinf(v)) {
        snprintf(out, size, isnan(v) ? "unknown" : "none");
        return;
    }
    decimals = v == 0 ? 0 : 2 - (int)floor(log10(fabs(v)));
    if (decimals > 6)
        snprintf(digits, sizeof digits, "%.2e", v);
    else
        snprintf(digits, sizeof digits, "%.*f", decimals > 0 ? decimals : 0, v);
    grouped(digits, out, size);
}
