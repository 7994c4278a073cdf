/* Expectations (`heddle profile --expect-file`): refused with a message that names the place, or read, judged over launches, and
 * their verdicts written in every form. */
#include <string.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "fuzz.h"
#include "report/expectations.h"
#include "report/verdicts.h"

/* A launch of a kernel with two lines, one of which loads badly. */
static struct result *launch(const char *mangled, const char *name, uint64_t sectors)
{
    struct result *r = result_new(2);

    r->kernel = mangled;
    r->kernel_name = name;
    r->launch.collected = COUNTERS_ALL;
    r->launch.threads = 64;
    r->launch.blocks = 2;
    for (int i = 0; i < 2; i++) {
        r->sites[i] = (struct result_site){.site = (uint32_t)i, .file = "no such file", .line = 3 + i, .ptx_line = 10 + i, .text = "ld"};
        r->sites[i].counters.v[COUNTER_INST] = 2;
        r->sites[i].counters.v[COUNTER_GLOBAL_LD_SECTORS] = i ? sectors : 0;
        r->sites[i].counters.v[COUNTER_GLOBAL_LD_BYTES] = i ? 128 : 0;
    }
    result_sum(r);
    return r;
}

static void judge(const struct expectations *e)
{
    struct result *launches[] = {launch("_Z1fPf", "f(float *)", 32), launch("_Z1gILi3EEvPf", "void g<3>(float *)", 0),
                                 launch("_Z1fPf", "f(float *)", 4)};
    enum { LAUNCHES = sizeof launches / sizeof *launches };
    struct verdicts v;
    struct strbuf b;

    verdicts_init(&v);
    strbuf_init(&b);
    expectations_groups(e);
    expectations_judge(e, launches, LAUNCHES, &v);
    if (v.n < e->n)
        fuzz_fail("an expectation without a verdict");
    verdicts_text(&v, &b);
    verdicts_junit(&v, "fuzz", &b);
    verdicts_annotations(&v, ANNOTATE_GITHUB, &b);
    strbuf_release(&b);
    verdicts_release(&v);
    for (int i = 0; i < LAUNCHES; i++)
        result_free(launches[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct expectations e;
    struct diag_list diags;
    struct strbuf b;

    diag_init(&diags);
    strbuf_init(&b);
    expectations_init(&e);
    bool taken = expectations_parse(&e, "fuzz.expect", (const char *)data, size, &diags);
    diag_format_all(&diags, &b);
    if (taken == (diags.errors > 0))
        fuzz_fail("taken in spite of errors, or refused without a message");
    if (taken && !e.n)
        fuzz_fail("taken, and there is nothing in it");
    if (taken)
        judge(&e);
    expectations_release(&e);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}
