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

/* From a load of shared memory to one at the address that it brings: tests/truth/time/pipes.tsv has 23.0 cycles for a word a lane of an H200's, 26.0
 * for two and 32.1 for four; V100: 19 (Jia et al. 2018), whose description does not tell the address's part. */
static void shared(void **state)
{
    (void)state;
    static const char *const load_of[] = {"ld.volatile.shared.u32 %r2, [%r2];", "ld.volatile.shared.v2.u32 {%r2, %r3}, [%r2];", "ld.volatile.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r2];"};
    static const int h200[] = {23, 26, 32};
    struct device d[2] = {load("h200"), load("v100")};
    for (int i = 0; i < 3; i++) {
        char text[2][400];
        for (int n = 0; n < 2; n++)
            snprintf(text[n], sizeof text[n], "mov.u32 %%r2, %%r0; %s %s %s cvt.rn.f32.u32 %%f3, %%r2; add.f32 %%f1, %%f1, %%f3;", load_of[i], load_of[i], n ? load_of[i] : "");
        assert_int_equal(paced(text[1], &d[0], 90) - paced(text[0], &d[0], 90), h200[i]);
        if (!i)
            assert_int_equal(paced(text[1], &d[1], 70) - paced(text[0], &d[1], 70), 19);
    }
}

/* Matrices pass the banks one after the other, which adds two cycles each (l1.tsv). pipes.tsv has 34.7 for four and a LOP3, which takes 5.1 behind a
 * load (LDS.U8 beside LDS): 29.6. */
static void matrices(void **state)
{
    (void)state;
    static const char *const load_of[] = {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r2];", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r2, %r3}, [%r2];",
                                          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2, %r3, %r4, %r5}, [%r2];"};
    static const int h200[] = {23, 25, 29};
    struct device d = load("h200");
    for (int i = 0; i < 3; i++) {
        char text[2][400];
        for (int n = 0; n < 2; n++)
            snprintf(text[n], sizeof text[n], "mov.u32 %%r2, %%r0; %s %s %s add.u32 %%r2, %%r2, %%r3; add.u32 %%r2, %%r2, %%r4; add.u32 %%r2, %%r2, %%r5; cvt.rn.f32.u32 %%f3, %%r2; add.f32 %%f1, %%f1, %%f3;",
                     load_of[i], load_of[i], n ? load_of[i] : "");
        assert_int_equal(paced(text[1], &d, 90) - paced(text[0], &d, 90), h200[i]);
    }
}

int main(void)
{
    setenv("HEDDLE_DEVICES", DEVICES, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(shared), cmocka_unit_test(matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
