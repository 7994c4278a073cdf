/* Throughput of arithmetic instructions, by compute capability: the programming guide's table (throughput.def).
 *
 * Results per clock cycle of a multiprocessor; a warp's instruction is 32 results. A table of the maker's: no model uses it. What the models
 * use are figures of the description (device_figures.def), which tests hold against it. */
#ifndef DEVICE_THROUGHPUT_H
#define DEVICE_THROUGHPUT_H

enum throughput {
#define OPERATION(id, text, ...) THROUGHPUT_##id,
#include "device/throughput.def"
    THROUGHPUTS
};

/* Values that are no figures. */
enum {
    THROUGHPUT_UNKNOWN = -1, /* no edition of the guide that was at hand tells it */
    THROUGHPUT_NONE = -2,    /* the guide says that there is no such instruction */
    THROUGHPUT_SEVERAL = -3, /* it takes several instructions */
};

/* THROUGHPUT_UNKNOWN where the guide has no column for the compute capability. */
int throughput_of(enum throughput operation, int cc_major, int cc_minor);

const char *throughput_text(enum throughput operation);

/* Edition and table of the column; NULL: there is none. */
const char *throughput_source(int cc_major, int cc_minor);

/* "64", "n/a", "several", "unknown"; room for 16 bytes. */
void throughput_value_text(int value, char *out);

#endif
