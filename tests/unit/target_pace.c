/* How long a block takes a warp that is alone, by the latencies of a device's description: small kernels worked by hand. The beginning of each:
 * target_test.h. */
#include "target_test.h"

#include "device/device.h"
#include "target/pace.h"

static struct device load(const char *name)
{
    struct diag_list diags;
    struct device d;
    diag_init(&diags);
    assert_true(device_load(&d, name, &diags));
    diag_release(&diags);
    return d;
}

/* Cycles of the kernel's one block on the device. */
static int paced(const char *statements, const struct device *d, int arch)
{
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    const struct target_pace *p = target_tables(k, &k->arena, arch, d)->pace;
    const int cycles = (int)(p->block[0].span / PACE_TICKS);
    ir_free(k);
    ptx_free(m);
    return cycles;
}

/* From a load of shared memory to one at the address that it brings: 23.0 cycles of an H200's (tests/truth/time/pipes.tsv), 19 of a V100's (Jia et al.
 * 2018), whose description does not tell the address's part. */
static void shared(void **state)
{
    (void)state;
    static const char load_of[] = "ld.volatile.shared.u32 %r2, [%r2];";
    struct device h200 = load("h200"), v100 = load("v100");
    char text[2][400];
    for (int n = 0; n < 2; n++)
        snprintf(text[n], sizeof text[n], "mov.u32 %%r2, %%r0; %s %s %s cvt.rn.f32.u32 %%f3, %%r2; add.f32 %%f1, %%f1, %%f3;", load_of, load_of, n ? load_of : "");
    assert_int_equal(paced(text[1], &h200, 90) - paced(text[0], &h200, 90), 23);
    assert_int_equal(paced(text[1], &v100, 70) - paced(text[0], &v100, 70), 19);
}

int main(void)
{
    setenv("HEDDLE_DEVICES", DEVICES, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
