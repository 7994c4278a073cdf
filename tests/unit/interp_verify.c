/* HEDDLE_VERIFY=1: claims that hold are asked and pass, and a fact that is turned to its unsafe value is found: an analysis
 * then claims what is not so, or rewrites the kernel to one that computes something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "device_test.h"
#include "ir/facts.h"

enum { WORDS = 4096 };

static char log_file[64];

static int open_verified(void **state)
{
    setenv("HEDDLE_VERIFY", "1", 1);
    return open_device(state);
}

/* %r0 = tid.x, %rd0 = out, %rd1 = &out[tid.x]; bins begin at word 1024, 64 apart. Every body leaves %r9. */
static heddle_status run(const char *body, bool counted, uint32_t *out)
{
    static char text[20000];
    snprintf(text, sizeof text,
             ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
             ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<9>;\n"
             ".shared .align 8 .b8 sh[1024];\nld.param.u64 %%rd0, [p];\ncvta.to.global.u64 %%rd0, %%rd0;\nmov.u32 %%r0, %%tid.x;\n"
             "mul.wide.u32 %%rd9, %%r0, 4;\nadd.s64 %%rd1, %%rd0, %%rd9;\n%s\nst.global.u32 [%%rd1], %%r9;\nret;\n}\n", body);
    heddle_module *m;
    heddle_kernel *k;
    heddle_ptr p;
    heddle_result *result = NULL;
    if (heddle_module_load(dev, "verify", text, strlen(text), &m))
        fail_msg("%s", heddle_error_text());
    assert_int_equal(heddle_kernel_find(m, "k", &k), HEDDLE_OK);
    assert_int_equal(heddle_alloc(dev, WORDS * 4, &p), HEDDLE_OK);
    heddle_fill(dev, p, 0, 4, WORDS);
    void *args[] = {&p};
    heddle_launch_config cfg = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
    heddle_status s = heddle_launch(k, &cfg, args, counted ? &result : NULL);
    heddle_copy_out(dev, out, p, WORDS * 4);
    heddle_result_free(result);
    heddle_free(dev, p);
    heddle_module_unload(m);
    return s;
}

/* An addition at a bin that %r9 names: the assembler lets one lane do it for all if it takes the address for uniform. */
#define BIN "shl.b32 %r8, %r9, 8;\nadd.u32 %r8, %r8, 4096;\ncvt.u64.u32 %rd8, %r8;\nadd.s64 %rd8, %rd0, %rd8;\nred.global.add.u32 [%rd8], %r0;\n"

static const struct {
    int op;
    enum facts_column column;
    unsigned value;
    const char *body;
} wrong[] = {
    {PTX_OP_SHFL, FACTS_RESULT, FACT_LANES, "shfl.sync.idx.b32 %r9, %r0, 0, 0x181f, -1;\nand.b32 %r9, %r9, 31;\n" BIN},
    {PTX_OP_SHFL, FACTS_RESULT, 0, "shfl.sync.bfly.b32 %r9, 5, 1, 0x1f, -1;\nshfl.sync.up.b32 %r9, %r0, 1, 0, -1;\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_SHFL, FACTS_GIVES, 0xff, "shfl.sync.idx.b32 %r9, %r0, %r0, 0x1f, -1;\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_ELECT, FACTS_RESULT, FACT_LANES, "elect.sync %r7|%p1, -1;\nselp.b32 %r9, 1, 0, %p1;\n" BIN},
    {PTX_OP_ADDC, FACTS_CARRY, 0, "add.cc.u32 %r7, %r0, 0xfffffff0;\naddc.u32 %r9, 0, 0;\n" BIN},
    {PTX_OP_MADC_HI, FACTS_CARRY, 0, "mad.lo.cc.u32 %r7, %r0, 3, 0xffffffd0;\nmadc.hi.u32 %r9, 0, 0, 0;\n" BIN},
    {PTX_OP_SUBC, FACTS_CARRY, 0, "sub.cc.u32 %r7, %r0, 9;\nsubc.u32 %r9, 1, 0;\n" BIN},
    {PTX_OP_LD, FACTS_RESULT, FACT_MEMORY, ".local .align 8 .b8 depot[64];\nst.local.u32 [depot], %r0;\nld.local.u32 %r9, [depot];\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_LD, FACTS_GIVES, 0xff, "shl.b32 %r5, %r0, 2;\nmov.u32 %r6, sh;\nadd.u32 %r6, %r6, %r5;\nst.shared.u32 [%r6], %r0;\n"
                                   "ld.shared.u32 %r9, [%r6];\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_ATOM, FACTS_RESULT, FACT_MEMORY, "atom.shared.add.u32 %r9, [sh], 1;\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_MATCH, FACTS_RESULT, FACT_LANES, "and.b32 %r6, %r0, 7;\nmatch.any.sync.b32 %r9, %r6, -1;\nand.b32 %r9, %r9, 15;\n" BIN},
    {PTX_OP_VOTE, FACTS_GIVES, 0xff, "and.b32 %r6, %r0, 16;\nshl.b32 %r7, 0xffff, %r6;\nsetp.gt.u32 %p1, %r0, 3;\n"
                                     "vote.sync.ballot.b32 %r9, %p1, %r7;\npopc.b32 %r9, %r9;\n" BIN},
    {PTX_OP_REDUX, FACTS_GIVES, 0xff, "and.b32 %r6, %r0, 16;\nshl.b32 %r7, 0xffff, %r6;\nredux.sync.max.u32 %r9, %r0, %r7;\nand.b32 %r9, %r9, 31;\n" BIN},
    {PTX_OP_XOR, FACTS_GIVES, 0xff, "xor.b32 %r9, %r0, 1;\nand.b32 %r9, %r9, 15;\n" BIN},
    /* a result that nobody reads: what else it does stays */
    {PTX_OP_ATOM, FACTS_MAY, FACT_FREE, "mov.u32 %r9, 0;\natom.global.exch.b32 %r7, [%rd1+8192], %r0;\n"},
    {PTX_OP_MBARRIER, FACTS_MAY, FACT_FREE, "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [sh], 64;\nbar.sync 0;\n"
                                            "mbarrier.arrive.shared.b64 %rd7, [sh];\nbar.sync 0;\nmbarrier.test_wait.parity.shared.b64 %p2, [sh], 0;\n"
                                            "selp.b32 %r9, 1, 2, %p2;\n"},
    /* a load is not done once for both where another warp writes in between */
    {PTX_OP_BAR, FACTS_SYNCS, 0, "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra W;\nld.shared.u32 %r7, [sh];\nbar.sync 0;\nbar.sync 0;\n"
                                 "ld.shared.u32 %r8, [sh];\nmad.lo.u32 %r9, %r7, 100, %r8;\nbra E;\nW:\nmov.u32 %r9, 0;\nbar.sync 0;\n"
                                 "st.shared.u32 [sh], 7;\nbar.sync 0;\nE:\n"},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

static void a_wrong_fact_is_found(void **state)
{
    static uint32_t right[WORDS], out[WORDS];
    (void)state;
    for (int i = 0; i < WRONG; i++) {
        facts_pretend(-1, 0, 0);
        if (run(wrong[i].body, false, right))
            fail_msg("case %d: %s", i, heddle_error_text());
        facts_pretend(wrong[i].op, wrong[i].column, wrong[i].value);
        heddle_status s = run(wrong[i].body, false, out);
        bool broken = s == HEDDLE_BROKEN_CLAIM && strstr(heddle_error_text(), "claims that");
        facts_pretend(-1, 0, 0);
        if (!broken && !memcmp(out, right, sizeof out))
            fail_msg("case %d (%s): nobody finds it", i, ptx_op_info[wrong[i].op].id);
    }
}

/* Lanes that leave a loop in different rounds bring along what one load gave in each of these, though it is the register's only
 * definition and its address is the same for all; lanes that went another way bring what they had. */
#define ROUNDS "mov.u32 %r5, 0;\nmov.u32 %r4, %nctaid.x;\nsetp.gt.u32 %p2, %r4, 100;\nL:\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [sh], %r5;\n" \
               "@%p2 bra X;\nld.shared.u32 %r9, [sh];\nX:\nand.b32 %r6, %r0, 7;\nsetp.lt.u32 %p1, %r5, %r6;\n@%p1 bra L;\n"

static void what_parted_lanes_bring_is_not_uniform(void **state)
{
    static const char *const bodies[] = {
        ROUNDS BIN,
        "setp.ge.u32 %p3, %r0, 40;\n@%p3 bra F;\n" ROUNDS BIN "F:\n", /* where they meet, they are parted from others still */
        "mov.u32 %r4, %nctaid.x;\nst.shared.u32 [sh], 5;\nsetp.ge.u32 %p1, %r0, 7;\n@%p1 bra E;\nsetp.gt.u32 %p2, %r4, 100;\n"
        "@%p2 bra D;\nld.shared.u32 %r9, [sh];\nD:\nst.shared.u32 [sh+4], %r4;\nE:\n" BIN};
    static uint32_t out[WORDS];
    (void)state;
    for (unsigned i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (run(bodies[i], false, out))
            fail_msg("case %u: %s", i, heddle_error_text());
}

/* Narrow types: what is known of all bits of a value, or of its low ones, before and after each operation that congruences follow. */
static void put(char **at, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    *at += vsprintf(*at, format, ap);
    va_end(ap);
}

static int holder(int bits)
{
    return bits < 16 ? 16 : bits;
}

static const char *reg(int bits)
{
    return bits == 64 ? "d" : bits == 32 ? "w" : "h";
}

/* Operand `n` (2 or 3) of `bits`: a constant, or lanes' own high bits above it. */
static void operand(char **at, int bits, int n, uint64_t value, bool constant)
{
    int w = holder(bits);
    if (w == 16)
        value = (uint16_t)value;
    else if (w == 32)
        value = (uint32_t)value;
    if (constant) {
        put(at, "mov.b%d %%%s%d, 0x%llx;\n", w, reg(bits), n, (unsigned long long)value);
        return;
    }
    put(at, "shl.b32 %%r4, %%r0, %d;\n", w == 16 ? 11 : 21);
    if (w != 32)
        put(at, "cvt.u%d.u32 %%%s%d, %%r4;\n", w, reg(bits), n);
    else
        put(at, "mov.u32 %%w%d, %%r4;\n", n);
    put(at, "add.u%d %%%s%d, %%%s%d, %lld;\n", w, reg(bits), n, reg(bits), n, (long long)(w == 32 ? (int32_t)value : w == 16 ? (int16_t)value : (int64_t)value));
}

/* %r9 takes the result in register 5 of `bits`. */
static void taken(char **at, int bits)
{
    static const char *const forms[] = {"cvt.u32.u16 %r7, %h5;\n", "mov.b32 %r7, %w5;\n", "mov.b64 {%r7, %r8}, %d5;\nadd.u32 %r7, %r7, %r8;\n"};
    put(at, "%smad.lo.u32 %%r9, %%r9, 31, %%r7;\n}\n", forms[bits == 64 ? 2 : bits == 32]);
}

static const uint64_t numbers[] = {0, 0x7f, 0x80, 0x9b45, 0xffff, 0x12345678, 0x80000000, 0x9abcdef012345680, UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void both_ways(const char *body, const char *what)
{
    static uint32_t out[WORDS], as_written[WORDS];
    if (run(body, false, out))
        fail_msg("%s: %s", what, heddle_error_text());
    setenv("HEDDLE_TARGET", "none", 1);
    heddle_status s = run(body, false, as_written);
    unsetenv("HEDDLE_TARGET");
    if (s)
        fail_msg("%s, as written: %s", what, heddle_error_text());
    for (int i = 0; i < WORDS; i++)
        if (out[i] != as_written[i])
            fail_msg("%s: word %d is %08x, as written %08x", what, i, out[i], as_written[i]);
}

/* Each case has registers of its own: what is known of one holds for all that write it. */
#define OWN "{\n.reg .b16 %%h<6>; .reg .b32 %%w<6>; .reg .b64 %%d<6>;\n"

static void narrow_conversions(void **state)
{
    static char body[16000];
    (void)state;
    for (int to = 0; to < 8; to++)
        for (int from = 0; from < 8; from++) {
            char what[40], *at = body;
            int bits = 8 << from / 2;
            snprintf(what, sizeof what, "cvt.%c%d.%c%d", "us"[to & 1], 8 << to / 2, "us"[from & 1], bits);
            put(&at, "mov.u32 %%r9, 0;\n");
            for (int n = 0; n < 2 * NUMBERS; n++) {
                put(&at, OWN);
                operand(&at, bits, 2, numbers[n / 2], n & 1);
                put(&at, "%s %%%s5, %%%s2;\n", what, reg(8 << to / 2), reg(bits));
                taken(&at, 8 << to / 2);
            }
            both_ways(body, what);
        }
}

static void narrow_arithmetic(void **state)
{
    /* the operation, the type's letter, the widest result (in the type's own size, or twice that), how many sources */
    static const struct {
        const char *name;
        char letters[4];
        bool wide;
        int sources;
    } ops[] = {{"add", "us", false, 2}, {"sub", "us", false, 2}, {"neg", "s", false, 1}, {"mul.lo", "us", false, 2}, {"mad.lo", "us", false, 3},
               {"mul.wide", "us", true, 2}, {"mad.wide", "us", true, 3}, {"and", "b", false, 2}, {"or", "b", false, 2}, {"xor", "b", false, 2},
               {"min", "us", false, 2}, {"max", "us", false, 2}, {"shl", "b", false, 2}, {"shr", "usb", false, 2}, {"not", "b", false, 1}};
    static char body[16000];
    (void)state;
    for (unsigned o = 0; o < sizeof ops / sizeof *ops; o++)
        for (const char *letter = ops[o].letters; *letter; letter++)
            for (int bits = 16; bits <= (ops[o].wide ? 32 : 64); bits *= 2) {
                char what[40], *at = body;
                int out = ops[o].wide ? 2 * bits : bits;
                bool shift = !strncmp(ops[o].name, "sh", 2);
                snprintf(what, sizeof what, "%s.%c%d", ops[o].name, *letter, bits);
                put(&at, "mov.u32 %%r9, 0;\n");
                for (int n = 0; n < 24; n++) {
                    put(&at, OWN);
                    operand(&at, bits, 2, numbers[n % NUMBERS], n & 1);
                    if (!shift && ops[o].sources > 1)
                        operand(&at, bits, 3, numbers[(n / 2 + 4) % NUMBERS], n & 2);
                    put(&at, "%s %%%s5, %%%s2", what, reg(out), reg(bits));
                    if (shift)
                        put(&at, ", %d", n * 3);
                    else if (ops[o].sources > 1)
                        put(&at, ", %%%s3", reg(bits));
                    if (ops[o].sources > 2)
                        put(&at, ", 0x7f85");
                    put(&at, ";\n");
                    taken(&at, out);
                }
                both_ways(body, what);
            }
}

static void count(const char *word, unsigned long long *claims, unsigned long long *checks)
{
    char line[1000] = "";
    FILE *f = fopen(log_file, "r");
    *claims = *checks = 0;
    if (!f)
        return;
    if (fgets(line, sizeof line, f)) {
        char *at = strstr(line, word);
        if (!at || sscanf(at + strlen(word), " %llu %llu", claims, checks) != 2)
            fail_msg("no '%s' in: %s", word, line);
    }
    fclose(f);
}

/* Every kind of claim is made of a kernel that gives cause to it, and asked. */
static void claims_are_made_and_asked(void **state)
{
    static uint32_t out[WORDS];
    static const char *const words[] = {"uniform", "shape", "congruent", "step", "unread", "early", "address"};
    unsigned long long claims, checks;
    (void)state;
    snprintf(log_file, sizeof log_file, "/tmp/heddle-verify-%d", (int)getpid());
    setenv("HEDDLE_VERIFY_LOG", log_file, 1);
    heddle_status s = run("mov.u32 %r5, 0;\nmov.u32 %r9, 0;\nadd.s64 %rd2, %rd1, 4096;\nL:\nadd.u32 %r9, %r9, %r0;\nadd.u32 %r5, %r5, 1;\n"
                          "xor.b32 %r6, %r9, 3;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra L;\nld.global.u32 %r7, [%rd2];\nst.global.u32 [%rd2], %r9;\n"
                          "ld.global.u32 %r8, [%rd2+1024];\nadd.u32 %r8, %r8, %r7;\nst.global.u32 [%rd2+1024], %r8;\n", true, out);
    unsetenv("HEDDLE_VERIFY_LOG");
    if (s)
        fail_msg("%s", heddle_error_text());
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        count(words[i], &claims, &checks);
        if (strcmp(words[i], "address") && (!claims || !checks))
            fail_msg("%s: %llu claims, asked %llu times", words[i], claims, checks);
    }
    unlink(log_file);
    setenv("HEDDLE_VERIFY_LOG", log_file, 1);
    assert_int_equal(run("mov.u32 %r9, 3;\n" BIN, false, out), HEDDLE_OK);
    unsetenv("HEDDLE_VERIFY_LOG");
    count("address", &claims, &checks);
    assert_int_equal(claims, 1);
    assert_int_equal(checks, 4); /* warps of two blocks of 64 threads */
    unlink(log_file);
}

static void the_setting_is_looked_at(void **state)
{
    heddle_device *d;
    (void)state;
    setenv("HEDDLE_VERIFY", "yes", 1);
    assert_int_equal(heddle_device_open("h200", &d), HEDDLE_INVALID_VALUE);
    assert_non_null(strstr(heddle_error_text(), "HEDDLE_VERIFY is 'yes'"));
    setenv("HEDDLE_VERIFY", "1", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_fact_is_found),
        cmocka_unit_test(what_parted_lanes_bring_is_not_uniform),
        cmocka_unit_test(narrow_conversions),
        cmocka_unit_test(narrow_arithmetic),
        cmocka_unit_test(claims_are_made_and_asked),
        cmocka_unit_test(the_setting_is_looked_at),
    };
    return cmocka_run_group_tests(tests, open_verified, close_device);
}
