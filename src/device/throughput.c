/* Looks into throughput.def (see throughput.h). */
#include "device/throughput.h"

#include <stddef.h>
#include <stdio.h>

static const struct {
    int first, last;
    const char *source;
} columns[] = {
#define COLUMN(first, last, source) {first, last, source},
#include "device/throughput.def"
};
enum { COLUMNS = sizeof columns / sizeof *columns };

#define UNK THROUGHPUT_UNKNOWN
#define NA  THROUGHPUT_NONE
#define SEV THROUGHPUT_SEVERAL
static const struct {
    const char *text;
    int value[COLUMNS];
} operations[] = {
#define OPERATION(id, text, ...) {text, {__VA_ARGS__}},
#include "device/throughput.def"
};

/* A value more or less than there are columns does not compile. */
#define OPERATION(id, text, ...) _Static_assert(sizeof (int[]){__VA_ARGS__} == sizeof (int[COLUMNS]), #id);
#include "device/throughput.def"
#undef UNK
#undef NA
#undef SEV

static int column_of(int cc_major, int cc_minor)
{
    int cc = 10 * cc_major + cc_minor;

    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].first <= cc && cc <= columns[i].last)
            return i;
    return -1;
}

int throughput_of(enum throughput operation, int cc_major, int cc_minor)
{
    int i = column_of(cc_major, cc_minor);

    return i < 0 ? THROUGHPUT_UNKNOWN : operations[operation].value[i];
}

const char *throughput_text(enum throughput operation)
{
    return operations[operation].text;
}

const char *throughput_source(int cc_major, int cc_minor)
{
    int i = column_of(cc_major, cc_minor);

    return i < 0 ? NULL : columns[i].source;
}

void throughput_value_text(int value, char *out)
{
    static const char *const word[] = {"unknown", "n/a", "several"}; /* by -1 - value */

    if (value < 0)
        snprintf(out, 16, "%s", word[-1 - value]);
    else
        snprintf(out, 16, "%d", value);
}
