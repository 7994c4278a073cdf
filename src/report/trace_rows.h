/* A trace as a picture of time: rows, one below the other, of things that follow one another; drawn as SVG, or written as a trace of Perfetto.
 *
 * Rows stand in this order, by process: calls of each thread of the host, NVTX ranges of each thread, commands of each stream of each device.
 * Times are shown from the trace's origin. Whose they are (trace.modelled) both forms say. */
#ifndef REPORT_TRACE_ROWS_H
#define REPORT_TRACE_ROWS_H

#include "report/trace.h"

struct diag_list;
struct strbuf;

struct trace_row {
    const char *group; /* "vectorAdd", or "NVIDIA H200 (0)" */
    const char *label; /* "host thread 1", "NVTX, thread 1", "stream 7" */
    bool host;         /* not a stream's */
    bool nests;        /* its things may lie within each other: NVTX */
    int64_t pid;
    int thread, device, stream; /* thread: in the order of first calls, from 1 */
    int *event;        /* indices into trace.event, by begin */
    int n;
};

/* In the arena; returns how many. */
int trace_rows(const struct trace *t, struct arena *a, struct trace_row **rows);

/* The bytes of a trace of Perfetto (its public protobuf messages: TracePacket, TrackDescriptor, TrackEvent), which ui.perfetto.dev and
 * Perfetto's trace processor open: a track for each row, in the process of its group. */
void trace_perfetto(const struct trace *t, struct strbuf *out);

/* The picture. False, with a message: there is nothing to draw. */
bool trace_svg(const struct trace *t, struct strbuf *out, struct diag_list *diags);

#endif
