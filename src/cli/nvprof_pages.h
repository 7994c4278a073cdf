/* What nvprof prints, from traces and results: summaries, lists and tables of metrics, for people and as CSV. */
#ifndef CLI_NVPROF_PAGES_H
#define CLI_NVPROF_PAGES_H

#include "report/names.h"
#include "report/result.h"
#include "report/trace.h"

struct strbuf;

enum nvprof_unit { NVPROF_S, NVPROF_MS, NVPROF_US, NVPROF_NS, NVPROF_AUTO };

struct nvprof_style {
    bool csv, mangled;
    enum nvprof_unit unit;
    long long pid;
};

/* Names and kinds: nvprof_names.def. */
enum nvprof_kind { NVPROF_EVENT, NVPROF_METRIC };
struct nvprof_name {
    enum nvprof_kind kind;
    const char *name, *help;
};
const struct nvprof_name *nvprof_name_at(int i); /* NULL past the last */

void nvprof_summary(const struct trace *t, bool gpu, bool calls, const struct nvprof_style *style, struct strbuf *out);
void nvprof_gpu_trace(const struct trace *t, const struct nvprof_style *style, struct strbuf *out);
void nvprof_api_trace(const struct trace *t, const struct nvprof_style *style, struct strbuf *out);

/* Metrics or events over the launches of each kernel that the filter takes. Names that nothing computes are n/a. */
void nvprof_table(const struct results *rs, enum nvprof_kind kind, const char *const *names, int n, struct name_filter *kernels,
                  const struct nvprof_style *style, struct strbuf *out);

#endif
