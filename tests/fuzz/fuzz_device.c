/* Device descriptions: refused with a message, or accepted and then fit for use: its figures are printed, its rates and
 * occupancies computed, the models of its memory set up. */
#include "base/diag.h"
#include "base/strbuf.h"
#include "device/device.h"
#include "device/occupancy.h"
#include "fuzz.h"
#include "memory/dram.h"
#include "memory/rules.h"

static void print_all(const struct device *d)
{
    struct strbuf b;
    int n;
    const struct device_field *f = device_fields(&n);

    strbuf_init(&b);
    for (int i = 0; i < n; i++)
        if (f[i].kind != DEVICE_SECTION) {
            strbuf_clear(&b);
            device_value(d, &f[i], &b);
        }
    strbuf_release(&b);
}

static void occupy(const struct device *d)
{
    static const struct device_need needs[] = {
        {32, 16, 0, 0, 0, 0}, {256, 32, 4096, 0, 0, 1}, {1024, 64, 0, 65536, 0, 4}, {33, 255, 1, 1, 0, 16}, {0, 0, 0, 0, 0, 0}};

    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        struct device_occupancy o;
        struct device_need need = needs[i];

        need.shared_hidden = device_hidden_shared(d, 64);
        device_occupancy(d, &need, &o);
        if ((o.blocks > 0) != (o.refusal == DEVICE_FITS))
            fuzz_fail("blocks and the refusal do not agree");
        if (o.warps > d->max_warps_per_sm)
            fuzz_fail("more warps than there is room for");
        device_best_block(d, &need, 0);
    }
}

static void use(const struct device *d)
{
    struct device_rates rates;
    struct dram_spec dram;

    device_rates(d, &rates);
    print_all(d);
    occupy(d);
    device_code_arch(d);
    rules_of(d, false);
    if (dram_spec_of(d, &dram))
        for (uint64_t at = 0; at < 64; at++)
            dram_place(&dram, at * 104729 * 128);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct device d;
    struct diag_list diags;
    struct strbuf b;

    diag_init(&diags);
    strbuf_init(&b);
    bool taken = device_parse(&d, "fuzz.json", (const char *)data, size, &diags);
    diag_format_all(&diags, &b);
    if (taken == (diags.errors > 0))
        fuzz_fail("taken in spite of errors, or refused without a message");
    if (taken)
        use(&d);
    strbuf_release(&b);
    diag_release(&diags);
    return 0;
}
