/* What `heddle occupancy` shows: one kernel, or one set of numbers, on one or more devices. Gathered by cli_occupancy.c,
 * shown by occupancy_text.c, occupancy_json.c and occupancy_svg.c; nothing is computed there but device/occupancy.h's. */
#ifndef CLI_OCCUPANCY_H
#define CLI_OCCUPANCY_H

#include "base/json.h"
#include <stdbool.h>
#include <stdint.h>

#include "device/occupancy.h"

struct strbuf;

struct occupancy_case {
    const struct device *device;
    struct device_need need;
    bool estimated; /* the registers are Heddle's estimate */
    struct device_occupancy at;
    struct device_curve curve[DEVICE_AXES];
    int best_block; /* threads; 0: no block fits */
};

struct occupancy_page {
    const char *kernel; /* as C++ has it; NULL: numbers */
    uint32_t block[3];
    struct occupancy_case *cases; /* a device each */
    int n;
};

struct occupancy_axis {
    const char *id;   /* "threads" */
    const char *text; /* "threads per block" */
    const char *unit; /* "bytes", for a figure of it */
};
extern const struct occupancy_axis occupancy_axes[DEVICE_AXES];

/* Percent of the warps that a multiprocessor can hold. */
double occupancy_percent(const struct occupancy_case *c, const struct device_occupancy *o);

/* 1234567 as "1,234,567". */
void occupancy_count(struct strbuf *out, int64_t n);

/* The resources that limit: "warps", "registers and shared memory". */
void occupancy_limits(const struct device_occupancy *o, struct strbuf *out);

/* How many blocks fit, what the limit is and why, and what would raise it, as sentences. */
void occupancy_sentence(const struct occupancy_case *c, struct strbuf *out);

void occupancy_text(const struct occupancy_page *p, bool brief, struct strbuf *out);
json_t *occupancy_json(const struct occupancy_page *p);
void occupancy_svg(const struct occupancy_page *p, struct strbuf *out);

#endif
