/* What follows from the figures of a device: bandwidths, peak rates, the points where roofs meet. In: a checked
 * description. Out: numbers, NAN where a figure that is needed is not known. */
#include "device/device.h"

#include <math.h>

static double figure(int64_t v)
{
    return v == DEVICE_UNKNOWN ? NAN : (double)v;
}

/* GB/s of one lane in one direction after the line code: 8 of 10 bits in generations 1 and 2 (2.5 and 5 GT/s), 128 of 130
 * in 3 to 5 (8, 16 and 32 GT/s), flits in 6 (64 GT/s); PCI Express base specification. */
static double pcie_lane_gbs(int64_t generation)
{
    static const double gbs[] = {0.25, 0.5, 8.0 / 8 * 128 / 130, 16.0 / 8 * 128 / 130, 32.0 / 8 * 128 / 130, 64.0 / 8 * 242 / 256};

    return gbs[generation - 1];
}

void device_rates(const struct device *d, struct device_rates *out)
{
#define F(id) figure(d->id)
#define RATE(id, unit, value, help) out->id = (value);
#include "device/device_rates.def"
#undef RATE
#undef F
}

const struct device_rate *device_rate_table(int *n)
{
    static const struct device_rate rates[] = {
#define RATE(id, unit, value, help) {#id, unit, help, offsetof(struct device_rates, id)},
#include "device/device_rates.def"
#undef RATE
    };

    *n = sizeof rates / sizeof *rates;
    return rates;
}
