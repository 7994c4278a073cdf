/* Calls of libraries among the launches of a profile (runtime/library.h): what they have instead of counters.
 *
 * The bound is the roofline of the call as a whole: its operations over the device's rate for what it computes with
 * (library_peaks.def), its bytes over DRAM's bandwidth, whichever takes longer. Operations follow from the call's definition, bytes
 * from its operands, each once: what a GPU's kernels move may be more, or less where a cache still has it. */
#ifndef REPORT_LIBRARY_H
#define REPORT_LIBRARY_H

#include <stdint.h>

#include "base/across.h"

enum result_library_peak {
#define PEAK(id, text, rate) RESULT_PEAK_##id,
#include "report/library_peaks.def"
#undef PEAK
    RESULT_PEAKS
};

struct result_library {
    const char *name, *shape; /* "cuBLAS"; "m 64, n 64, k 8", or NULL */
    double flops; /* NAN: not counted */
    int64_t bytes_read, bytes_written;
    int peak; /* enum result_library_peak */
};

struct result;
struct strbuf;

struct library_bound {
    const char *computes; /* "single precision" */
    double peak;          /* GFLOP/s; NAN: not known, 0: the device cannot */
    double bandwidth;     /* GB/s; NAN: not known */
    double compute_us, memory_us; /* NAN: not known */
};

/* Of a result that is a call of a library. */
void library_bound(const struct result *r, struct library_bound *out) ACROSS(library_bound);

/* The section of the details page. */
void library_section(const struct result *r, struct strbuf *out);

#endif
