/* Machine code: small kernels against what ptxas 13.0 (V13.0.88) makes of them, operation by operation (2026-11-29), and what the
 * tables name. Whole programs: tests/truth/machine. */
#include "target_test.h"

#include "target/code.h"

static const int archs[] = {75, 80, 86, 89, 90};
enum { ARCHS = sizeof archs / sizeof *archs };

static int times(const struct code *c, enum machine_op op)
{
    int32_t counts[OPS], pipes[PIPES];
    code_count(c, counts, pipes);
    return (int)counts[op];
}

/* "FADD 1, LDG 2": how many of each there are; others are not looked at. */
static void has(const char *statements, int arch, const char *wanted)
{
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    struct code *c = target_code(k, arch, TARGET_ALLOCATED);
    for (const char *at = wanted; *at;) {
        size_t letters = strcspn(at, " ");
        int n = atoi(at + letters), got = times(c, arch_op_named(at, letters));
        if (n != got) {
            struct strbuf text;
            strbuf_init(&text);
            for (int32_t i = 0; i < c->ninsts; i++) {
                code_print(&c->insts[i], &text);
                strbuf_adds(&text, "\n");
            }
            fail_msg("sm_%d: %d %.*s, not %d, of\n%s\n%s", arch, got, (int)letters, at, n, statements, text.s);
        }
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    code_free(c);
    ir_free(k);
    ptx_free(m);
}

static void beginnings(void **state)
{
    (void)state;
    has("add.f32 %f1, %f1, %f2;", 90, "LDC 2, ULDC 1, S2R 1, IMAD 1, LDG 2, FADD 1, STG 1, EXIT 1, MOV 0");
    has("add.f32 %f1, %f1, %f2;", 80, "LDC 0, ULDC 1, S2R 1, LDG 2, FADD 1, STG 1, EXIT 1");
    has("add.f32 %f1, %f1, %f2;", 75, "LDC 0, ULDC 0, S2R 1, LDG 2, FADD 1, STG 1, EXIT 1");
}

/* What an architecture has under another name or not at all. */
static void differences(void **state)
{
    (void)state;
    has("cvt.rn.f32.s32 %f1, %r1;", 80, "I2F 1, I2FP 0");
    has("cvt.rn.f32.s32 %f1, %r1;", 86, "I2F 0, I2FP 1");
    has("min.s32 %r2, %r1, %r0; cvt.rn.f32.s32 %f1, %r2;", 89, "IMNMX 1, VIMNMX 0");
    has("min.s32 %r2, %r1, %r0; cvt.rn.f32.s32 %f1, %r2;", 90, "IMNMX 0, VIMNMX 1");
    assert_null(arch_op(89, OP_VIADD));
    assert_null(arch_op(75, OP_REDUX));
    assert_int_equal(arch_op(90, OP_IMAD)->pipe, PIPE_FMAHEAVY);
    assert_false(arch_is_known(100));
}

/* The long way of a division stands there once for all divisions, and ordinary operands do not take it. */
static void divisions(void **state)
{
    (void)state;
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of("div.rn.f32 %f1, %f1, %f2;", &m);
    has("div.rn.f32 %f1, %f1, %f2;", 90, "FCHK 1, MUFU 3, FFMA 17, BSSY 3, RET 1, CALL 1");
    has("div.rn.f32 %f1, %f1, %f2; div.rn.f32 %f1, %f1, %f2;", 90, "FCHK 2, MUFU 4, FFMA 22, BSSY 4, RET 1, CALL 2");
    has("div.rn.f32 %f1, %f1, %f2;", 75, "FCHK 1, BSSY 3, BMOV 3");
    /* the function of one known divisor, if all have it */
    has("div.rn.f32 %f1, %f1, 0f40400000;", 90, "FCHK 1, MUFU 2, BREAK 4");
    has("div.rn.f32 %f1, %f1, 0f40400000; div.rn.f32 %f2, %f2, 0f40400000; add.f32 %f1, %f1, %f2;", 90, "FCHK 2, MUFU 3, BREAK 4");
    has("div.rn.f32 %f1, %f1, 0f40400000; div.rn.f32 %f1, %f1, 0f40800000;", 90, "FCHK 2, MUFU 4, BREAK 0");
    has("div.rn.f32 %f1, %f1, 0f00000000;", 90, "BREAK 0");
    struct code *c = target_code(k, 90, TARGET_ALLOCATED);
    int executed = 0;
    for (int32_t b = 0; b < c->nblocks; b++)
        for (int32_t i = c->blocks[b].first; i < c->blocks[b].first + c->blocks[b].count; i++)
            executed += c->blocks[b].times == TIMES_BLOCK && c->insts[i].taken == TAKEN_ALL && c->insts[i].op == OP_FFMA;
    assert_int_equal(executed, 5);
    code_free(c);
    ir_free(k);
    ptx_free(m);
}

#define BYTES ".reg .b16 %h<8>; "
#define FOUR BYTES "ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd2+16]; "

/* Elements of 8 and 16 bits are taken out of registers and put together again; halves are read in place, and a copy stays as it is. */
static void packed(void **state)
{
    (void)state;
    has(FOUR "cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h3; xor.b32 %r4, %r2, %r3; cvt.rn.f32.s32 %f1, %r4;", 90, "LDG 1, PRMT 2, LOP3 1");
    has(FOUR "st.global.v4.u8 [%rd2+20], {%h1, %h2, %h3, %h4};", 90, "PRMT 0, STG 2");
    has(FOUR "st.global.v4.u8 [%rd2+20], {%h4, %h3, %h2, %h1};", 80, "PRMT 7, STG 2");
    has(BYTES "ld.global.v2.u16 {%h1, %h2}, [%rd2+16]; cvt.u32.u16 %r2, %h1; cvt.u32.u16 %r3, %h2; mul.lo.u32 %r4, %r2, %r3; cvt.rn.f32.u32 %f1, %r4;", 75, "PRMT 1, LOP3 1");
    has(BYTES "ld.global.v2.s8 {%h1, %h2}, [%rd2+16]; cvt.s32.s16 %r2, %h1; cvt.s32.s16 %r3, %h2; mul.lo.s32 %r4, %r2, %r3; cvt.rn.f32.s32 %f1, %r4;", 90, "SGXT 2, SHF 1, PRMT 0");
    has(BYTES "ld.global.v2.b16 {%h1, %h2}, [%rd2+16]; add.f16 %h3, %h1, %h2; cvt.f32.f16 %f1, %h3;", 90, "PRMT 0, LOP3 0, HADD2 2");
    has(BYTES "mov.b32 {%h1, %h2}, %f1; add.f16 %h3, %h1, %h2; cvt.f32.f16 %f1, %h3;", 90, "PRMT 0, HADD2 2");
    has(BYTES "mov.b32 {%h1, %h2}, %f1; cvt.f32.bf16 %f3, %h1; cvt.f32.bf16 %f4, %h2; add.f32 %f1, %f3, %f4;", 90, "PRMT 1, FADD 1");
    has("bfe.u32 %r2, %r1, 16, 8; bfe.u32 %r3, %r1, 4, 8; xor.b32 %r4, %r2, %r3; cvt.rn.f32.s32 %f1, %r4;", 90, "PRMT 1, SHF 1, SGXT 1");
}

/* Quotients by one number share its reciprocal, with and without a sign, in all blocks behind; WARP_SZ is a number. */
static void quotients(void **state)
{
    (void)state;
    has("rem.s32 %r2, %r1, 7; cvt.rn.f32.s32 %f1, %r2;", 90, "MUFU 1, F2I 1, IABS 1, ISETP 3");
    has("mov.u32 %r5, WARP_SZ; rem.s32 %r2, %r1, %r5; cvt.rn.f32.s32 %f1, %r2;", 90, "MUFU 1, F2I 1, IABS 1, ISETP 3");
    has("rem.s32 %r2, %r1, 7; rem.u32 %r3, %r0, 7; xor.b32 %r4, %r2, %r3; cvt.rn.f32.s32 %f1, %r4;", 90, "MUFU 1, F2I 1, IABS 1, ISETP 5");
    has("rem.u32 %r2, %r1, 7; div.u32 %r3, %r0, 9; xor.b32 %r4, %r2, %r3; cvt.rn.f32.s32 %f1, %r4;", 90, "MUFU 2, F2I 2, ISETP 4");
    has("rem.u32 %r2, %r1, 7; setp.lt.s32 %p1, %r1, %r0; @%p1 bra L; st.global.u32 [%rd2+4], %r2; bar.sync 0; st.global.u32 [%rd2+8], %r2; L: div.u32 %r3, %r0, 7; "
        "cvt.rn.f32.u32 %f1, %r3;", 80, "MUFU 1, F2I 1");
}

#define TURN "fma.rn.f32 %f1, %f1, %f1, %f2; "
#define TURN_3 TURN TURN TURN
#define LANES "ld.global.u32 %r4, [%rd2+64]; mov.u32 %r3, 0; L: "
#define UP "add.s32 %r3, %r3, 1; "

static void loops(void **state)
{
    (void)state;
    /* 20 turns of 32 instructions go away; of an unknown number 4, 2 and 1 stand side by side */
    static const char turn[] = "xor.b32 %r2, %r2, %r0; mad.lo.s32 %r2, %r2, %r2, %r3;";
    struct strbuf b;
    strbuf_init(&b);
    strbuf_adds(&b, "mov.u32 %r3, 0; mov.u32 %r2, %r1; L:");
    for (int i = 0; i < 16; i++)
        strbuf_adds(&b, turn);
    strbuf_adds(&b, "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra L; cvt.rn.f32.u32 %f1, %r2;");
    has(b.s, 90, "LOP3 320, BRA 0");
    strbuf_release(&b);
    /* what is left over, and what stands around the rounds: target.md, "Unrolled loops" */
    for (int a = 0; a < ARCHS; a++) {
        has("mov.u32 %r3, %r0; L: " TURN_3 "add.s32 %r3, %r3, -1; setp.gt.s32 %p1, %r3, 0; @%p1 bra L;", archs[a],
            "FFMA 21, ISETP 4, PLOP3 3, BRA 3, BSSY 0, BSYNC 0");
        has(LANES TURN UP "setp.lt.s32 %p1, %r3, %r4; @%p1 bra L;", archs[a], "FFMA 7, ISETP 4, PLOP3 3, BRA 2, BSSY 1, BSYNC 1");
        has(LANES TURN_3 TURN UP "setp.lt.s32 %p1, %r3, %r4; @%p1 bra L;", archs[a], "FFMA 28, ISETP 4, PLOP3 3, BRA 3, BSSY 2, BSYNC 2");
        has(LANES TURN_3 TURN_3 TURN_3 UP "setp.lt.s32 %p1, %r3, %r4; @%p1 bra L;", archs[a], "FFMA 63, ISETP 4, PLOP3 3, BRA 4, BSSY 3, BSYNC 3");
        has("mov.u32 %r3, 0; L: " TURN_3 UP "setp.lt.u32 %p1, %r3, %r0; @%p1 bra L;", archs[a], "FFMA 24, ISETP 7, BRA 3");
        has("mov.u32 %r3, 0; L: " TURN_3 TURN_3 TURN_3 UP "setp.lt.u32 %p1, %r3, %r0; @%p1 bra L;", archs[a], "FFMA 72, ISETP 7, PLOP3 4, BRA 5");
        has("cvt.s64.s32 %rd4, %r0; mov.u64 %rd3, 0; L: " TURN_3 TURN "add.s64 %rd3, %rd3, 1; setp.lt.s64 %p1, %rd3, %rd4; @%p1 bra L;", archs[a],
            "FFMA 28, ISETP 8, PLOP3 3, BRA 3");
        has("mov.u32 %r3, %r0; L: " TURN_3 TURN "add.s32 %r3, %r3, -1; setp.ne.s32 %p1, %r3, 0; @%p1 bra L;", archs[a],
            "FFMA 28, ISETP 6, PLOP3 3, BRA 6");
        has("mov.u32 %r3, 0; L: " TURN_3 TURN "setp.lt.s32 %p1, %r3, %r0; " UP "@%p1 bra L;", archs[a], "FFMA 4, ISETP 1, PLOP3 0, BRA 1");
    }
    has("mov.u32 %r3, 0; L: fma.rn.f32 %f1, %f1, %f1, %f2; add.u32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r0; @%p1 bra L;", 90, "FFMA 7");
}

/* A loop whose turn is `text` and `n` FFMA, of `turns` turns, or of a number that is not known: how many FFMA its code has for each. */
static int side_by_side(const char *text, int n, int turns)
{
    struct strbuf b;
    struct ptx_module *m;
    strbuf_init(&b);
    strbuf_addf(&b, "mov.u32 %%r3, 0; L: %s ", text);
    for (int i = 0; i < n; i++)
        strbuf_adds(&b, TURN);
    strbuf_adds(&b, UP);
    if (turns)
        strbuf_addf(&b, "setp.lt.s32 %%p1, %%r3, %d; @%%p1 bra L;", turns);
    else
        strbuf_adds(&b, "setp.lt.s32 %p1, %r3, %r0; @%p1 bra L;");
    struct ir_kernel *k = rewritten_of(b.s, &m);
    struct code *c = target_code(k, 90, TARGET_ALLOCATED);
    const int ffma = times(c, OP_FFMA);
    code_free(c);
    ir_free(k);
    ptx_free(m);
    strbuf_release(&b);
    return ffma / n;
}

/* What a turn weighs: each text with the most FFMA of a loop that ptxas unrolls (7: by four, two and one), and one more. */
static void weights(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int most;
    } of[] = {
        {"", 18},
        {"add.f32 %f1, %f1, %f2;", 17},
        {"mul.f32 %f3, %f1, %f2; add.f32 %f1, %f3, %f2;", 16},      /* not fused yet */
        {"rsqrt.approx.f32 %f1, %f1;", 12},                          /* two products under a predicate */
        {"st.shared.f32 [%r0], %f1;", 17},
        {"st.shared.f32 [%r0+64], %f1;", 16},                        /* the offset is a sum */
        {"ld.shared.f32 %f3, [%r0]; add.f32 %f1, %f1, %f3;", 21},
        {"ld.shared.v4.f32 {%f3, %f4, %f5, %f6}, [%r0]; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5; add.f32 %f1, %f1, %f6;", 18},
        {"add.s64 %rd1, %rd1, 4; ld.global.f32 %f3, [%rd1]; add.f32 %f1, %f1, %f3;", 43},
        {"mul.wide.s32 %rd3, %r3, 4; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f3, [%rd4]; add.f32 %f1, %f1, %f3;", 42},
        {"red.shared.add.u32 [%r0], %r1;", 8},                       /* it may be one lane for the warp */
        {"setp.gt.f32 %p2, %f1, %f2; @%p2 bra M; add.f32 %f1, %f1, %f2; M:", 15},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const int below = side_by_side(of[i].text, of[i].most, 0), above = side_by_side(of[i].text, of[i].most + 1, 0);
        if (below != 7 || above != 1)
            fail_msg("%s: %d with %d FFMA, %d with one more", of[i].text, below, of[i].most, above);
    }
    /* calls and fences keep a loop as it is, however short it is */
    assert_int_equal(side_by_side("sqrt.rn.f32 %f1, %f1;", 40, 0), 1);
    assert_int_equal(side_by_side("membar.gl;", 1, 0), 1);
    assert_int_equal(side_by_side("membar.gl;", 1, 4), 1);
}

/* Of known length: all turns, or as many as with those that are left over weigh at most 350. */
static void known_lengths(void **state)
{
    (void)state;
    static const struct {
        int ffma, turns, copies;
    } of[] = {{57, 8, 8},   {38, 16, 16},  {17, 64, 64},  {18, 64, 16},  {3, 1000, 1000}, {4, 1000, 87}, {18, 1000, 16}, {22, 1000, 10},
              {70, 1000, 5}, {72, 1000, 4}, {73, 1000, 1}, {22, 1024, 12}, {20, 97, 17},    {71, 1019, 3}, {59, 1022, 5},  {72, 1022, 2}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (side_by_side("", of[i].ffma, of[i].turns) != of[i].copies)
            fail_msg("%d FFMA, %d turns: %d copies, not %d", of[i].ffma, of[i].turns, side_by_side("", of[i].ffma, of[i].turns), of[i].copies);
    /* with a way in the turn all or nothing */
    assert_int_equal(side_by_side("setp.gt.f32 %p2, %f1, %f2; @%p2 bra M; add.f32 %f1, %f1, %f2; M:", 8, 16), 16);
    assert_int_equal(side_by_side("setp.gt.f32 %p2, %f1, %f2; @%p2 bra M; add.f32 %f1, %f1, %f2; M:", 8, 1024), 1);
}

/* On Turing an access adds a pointer of the whole warp to the lane's address; not where the product takes it in, nor an atomic. */
static void pointers_of_the_warp(void **state)
{
    (void)state;
#define BYTE "cvt.s64.s32 %rd3, %r1; add.s64 %rd4, %rd0, %rd3; "
    has(BYTE "st.global.u8 [%rd4], %r1;", 75, "IADD3 0, SHF 1, ULDC 1, LEA 0");
    has(BYTE "st.global.u8 [%rd4+7], %r1; st.global.u8 [%rd4+9], %r1;", 75, "IADD3 0, SHF 1, ULDC 1");
    has(BYTE "st.global.u8 [%rd4], %r1;", 80, "IADD3 1, LEA 1, SHF 0");
    has("mul.wide.s32 %rd3, %r1, 8; add.s64 %rd4, %rd0, %rd3; st.global.u32 [%rd4], %r1;", 75, "IADD3 0, ULDC 0");
    has("mul.wide.s32 %rd3, %r1, 8; xor.b64 %rd3, %rd3, 4; add.s64 %rd4, %rd0, %rd3; st.global.u32 [%rd4], %r1;", 75, "IADD3 0, ULDC 1");
    has("mul.wide.s32 %rd3, %r1, 8; xor.b64 %rd3, %rd3, 4; add.s64 %rd4, %rd0, %rd3; red.global.add.f32 [%rd4], %f1;", 75, "IADD3 2");
#undef BYTE
}

/* Each word of the tables is an operation, which all architectures of its row have. */
static void words_of(const char *text, int from, int to)
{
    for (const char *at = text; *at;) {
        size_t word = strcspn(at, " ");
        bool marked = strchr("[{(<|", *at) != NULL;
        enum machine_op op = arch_op_named(at + marked, strcspn(at + marked, ".*]})>| "));
        if (op == OP_NONE)
            fail_msg("no operation is called '%.*s' in '%s'", (int)word, at, text);
        for (int a = 0; a < ARCHS; a++)
            if (archs[a] >= from && archs[a] <= to && !arch_op(archs[a], arch_op_here(archs[a], op)))
                fail_msg("sm_%d has no '%.*s' of '%s'", archs[a], (int)word, at, text);
        at += word;
        at += strspn(at, " ");
    }
}

/* Ways that part again: the conditions become one, or the first stays a branch where something stands between them. */
static void conditions(void **state)
{
    (void)state;
    const char *one = "setp.gt.u32 %p1, %r1, %r0; @%p1 bra L; setp.gt.f32 %p2, %f1, %f2; @%p2 bra L; st.global.u32 [%rd2+256], %r1; L: bar.sync 0;";
    const char *two = "setp.gt.u32 %p1, %r1, %r0; @%p1 bra L; add.u32 %r6, %r1, 7; mul.lo.u32 %r6, %r6, %r6; setp.gt.s32 %p2, %r6, 5;"
                      "@%p2 bra L; st.global.u32 [%rd2+256], %r6; L: bar.sync 0;";
    const char *load = "setp.gt.u32 %p1, %r1, %r0; @%p1 bra L; ld.global.u32 %r6, [%rd2+4]; setp.gt.s32 %p2, %r6, 5;"
                       "@%p2 bra L; st.global.u32 [%rd2+256], %r6; L: bar.sync 0;";
    has(one, 90, "BRA 0, BSSY 0, BSYNC 0, STG 2");
    has(two, 90, "BRA 1, BSSY 1, BSYNC 1, STG 2");
    has(load, 90, "BRA 1, BSSY 1, BSYNC 1, STG 2");
}

/* The lanes of a branch's two ways: those that go to its target, and the others. */
static void ways(void **state)
{
    static const char *const branches[] = {"@%p1", "@!%p1"};
    (void)state;
    for (int negated = 0; negated < 2; negated++) {
        char body[256];
        struct ptx_module *m;
        snprintf(body, sizeof body, "setp.gt.u32 %%p1, %%r1, %%r0; %s bra L; ld.global.f32 %%f1, [%%rd2+4]; bra M; L: ld.global.f32 %%f1, [%%rd2+1028]; M: bar.sync 0;",
                 branches[negated]);
        struct ir_kernel *k = rewritten_of(body, &m);
        struct code *c = target_code(k, 90, TARGET_ALLOCATED);
        int seen = 0;
        for (int32_t i = 0; i < c->ninsts; i++)
            if (c->insts[i].op == OP_LDG && c->insts[i].guard.file == FILE_PREDICATE) {
                bool target = c->insts[i].offset > 1000;
                assert_int_equal(c->insts[i].guard.negated, target == (negated == 1));
                seen++;
            }
        assert_int_equal(seen, 2);
        code_free(c);
        ir_free(k);
        ptx_free(m);
    }
}

/* library.def: asinf and acoshf as an H200 executes them (tests/truth/machine/library.tsv). */
static void library(void **state)
{
    (void)state;
#define CALL(name) "{ .param .b32 a; st.param.f32 [a], %f1; .param .b32 r; call.uni (r), " name ", (a); ld.param.f32 %f1, [r]; }"
    has(CALL("__nv_asinf"), 90, "FMUL 5, FFMA 9, FSEL 3, FSETP 3, MUFU 1, HFMA2 2, LOP3 1, ISETP 0");
    has(CALL("__nv_acoshf"), 90, "FADD 5, FMUL 4, FFMA 14, FSEL 2, FSETP 1, MUFU 1, IADD3 3, ISETP 2, I2FP 1, BRA 1, BSSY 1, BSYNC 1");
#undef CALL
}

/* Loops around a compare-and-swap, one lane for the warp, generic addresses. r1 is a word that was loaded. */
static void atomics(void **state)
{
    (void)state;
#define SHARED ".shared .align 8 .b8 s[512]; .reg .b32 %a; mov.u32 %a, s; shl.b32 %r2, %r1, 2; add.s32 %r3, %a, %r2; "
    for (int i = 0; i < ARCHS; i++) {
        const bool clear = archs[i] < 80;
        has(SHARED "atom.shared.add.f32 %f3, [%r3], %f1; bar.sync 0;", archs[i], "LDS 1, FADD 1, ATOMS 1, ISETP 1, BRA 1, BSSY 1, BSYNC 1");
        has(SHARED "atom.shared.add.u64 %rd3, [%r3], 5; bar.sync 0;", archs[i], "LDS 1, ATOMS 1, ISETP 2, BRA 1, BSSY 1, BSYNC 1");
        has(SHARED "atom.shared.add.u32 %r4, [%r3], %r1; bar.sync 0;", archs[i], "LDS 0, ATOMS 1, BRA 0, BSSY 0");
        has("atom.add.f32 %f3, [%rd0], %f1; bar.sync 0;", archs[i], archs[i] < 90 ? "ATOM 1, QSPC 1, LDS 1, ATOMS 1, BSSY 1" : "ATOM 2, QSPC 2, LDS 1, ATOMS 1, BSSY 1");
        has(SHARED "atom.shared.add.f32 %f3, [%r3], %f1; bar.sync 0;", archs[i], clear ? "BMOV 1" : "BMOV 0");
    }
    /* the address that all lanes share: a vote tells the lane, REDUX or exchanges combine */
    has("ld.param.u64 %rd4, [p]; atom.global.add.u32 %r4, [%rd4], %r1; bar.sync 0;", 90, "VOTEU 1, UFLO 1, REDUX 1, SHFL 0, REDG 1");
    has("ld.param.u64 %rd4, [p]; atom.global.add.u32 %r4, [%rd4], %r1; bar.sync 0;", 75, "VOTE 1, REDUX 0, SHFL 5, RED 2");
    has("ld.param.u64 %rd4, [p]; atom.global.add.u32 %r4, [%rd4], 1; bar.sync 0;", 90, "VOTEU 1, UFLO 1, POPC 1, REDUX 0, REDG 1");
#undef SHARED
}

/* Textures, surfaces, ordered accesses, barriers with results. */
static void textures_and_orders(void **state)
{
    (void)state;
#define TEXTURE ".reg .f32 %x<5>; "
    for (int i = 0; i < ARCHS; i++) {
        const bool handles = archs[i] >= 90; /* a pair of uniform registers */
        has(TEXTURE "tex.level.2d.v4.f32.f32 {%f1, %x1, %x2, %x3}, [%rd0, {%f1, %f2}], %f2;", archs[i], handles ? "TEX 1, UMOV 1" : "TEX 1, UMOV 0");
        has(TEXTURE "tex.1d.v4.f32.s32 {%f1, %x1, %x2, %x3}, [%rd0, {%r1}];", archs[i], "TEX 0, TLD 1");
        has(TEXTURE "tex.cube.v4.f32.f32 {%f1, %x1, %x2, %x3}, [%rd0, {%f1, %f2, %f1, %f1}];", archs[i], "FMNMX 2, MUFU 1, FMUL 3, TEX 1");
        has(TEXTURE "tex.a2d.v4.f32.f32 {%f1, %x1, %x2, %x3}, [%rd0, {%r1, %f2, %f1, %f1}];", archs[i], "ISETP 1, SEL 1, TEX 1");
        has("ld.acquire.gpu.global.f32 %f1, [%rd2];", archs[i], "CCTL 1, MEMBAR 0");
        has("st.release.gpu.global.f32 [%rd2], %f2;", archs[i], archs[i] < 90 ? "CCTL 0, MEMBAR 1, ERRBAR 1" : "MEMBAR 1, ERRBAR 1, CGAERRBAR 1");
        has(".reg .pred %y; setp.eq.s32 %y, %r1, 0; bar.red.popc.u32 %r2, 0, %y; cvt.rn.f32.s32 %f1, %r2;", archs[i], "BAR 1, B2R 1");
    }
#undef TEXTURE
}

/* Rows of sequences.def that a form decides, and addresses in shared memory that take a variable's in. */
static void forms(void **state)
{
    (void)state;
    for (int i = 0; i < ARCHS; i++) {
        has("div.full.f32 %f1, %f1, 0f40400000;", archs[i], "FMUL 1, MUFU 0, FSETP 0");
        has("div.full.f32 %f1, %f1, %f2;", archs[i], "MUFU 1, FSETP 2");
        has("rcp.rn.ftz.f32 %f1, %f1;", archs[i], "MUFU 3, FFMA 2, FADD 1, CALL 1"); /* two of them in the function */
        has("bfi.b32 %r2, %r1, %r0, 5, 7; cvt.rn.f32.s32 %f1, %r2;", archs[i], "PRMT 0, BMSK 0, LOP3 1");
        has(".shared .align 8 .b8 s[512]; .reg .b32 %a; mov.u32 %a, s; shl.b32 %r2, %r1, 6; add.s32 %r3, %a, %r2; ld.shared.f32 %f1, [%r3]; st.shared.f32 [%r3+4], %f2;",
            archs[i], archs[i] < 90 ? "LEA 0, IADD3 0, LDS 1, STS 1" : "LEA 1, IADD3 0, LDS 1, STS 1");
    }
    /* 1.0 or 0.0 by a comparison of floats; the comparison stays where something else reads it */
    has("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f1, 0f00000000, 0f3F800000, %p1;", 80, "FSET 1, FSETP 0, FSEL 0");
    has("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f1, 0f40000000, 0f3F800000, %p1;", 80, "FSET 0, FSETP 1, FSEL 1");
    has("setp.lt.f32 %p1, %f1, %f2; selp.f32 %f3, 0f3F800000, 0f00000000, %p1; selp.f32 %f4, %f1, %f2, %p1; add.f32 %f1, %f3, %f4;", 90, "FSET 1, FSETP 1, FSEL 1");
    has("setp.lt.s32 %p1, %r1, %r0; selp.f32 %f1, 0f3F800000, 0f00000000, %p1;", 90, "FSET 0, ISETP 1, FSEL 1");
    has("set.lt.u32.f32 %r2, %f1, %f2; cvt.rn.f32.u32 %f1, %r2;", 90, "FSETP 1, SEL 1, ISETP 0");
    /* masks that take nothing away, of what a load, a mask or a shift leaves */
    has(".reg .b16 %h<4>; ld.global.u8 %h1, [%rd2+1]; cvt.u32.u16 %r2, %h1; and.b32 %r3, %r2, 255; cvt.rn.f32.s32 %f1, %r3;", 90, "LOP3 0");
    has(".reg .b16 %h<4>; ld.global.u8 %h1, [%rd2+1]; cvt.u32.u16 %r2, %h1; and.b32 %r3, %r2, 127; cvt.rn.f32.s32 %f1, %r3;", 90, "LOP3 1");
    has(".reg .b16 %h<4>; ld.global.u16 %h1, [%rd2+2]; shr.u16 %h2, %h1, 4; cvt.u32.u16 %r2, %h2; cvt.rn.f32.s32 %f1, %r2;", 80, "LOP3 0, SHF 1");
    has("shr.u32 %r2, %r1, 24; and.b32 %r3, %r2, 255; cvt.rn.f32.s32 %f1, %r3;", 75, "LOP3 0");
    has("popc.b32 %r2, %r1; and.b32 %r3, %r2, 63; cvt.rn.f32.s32 %f1, %r3;", 90, "LOP3 1");
    has("cp.async.ca.shared.global [%r1], [%rd2], 4; cp.async.wait_all;", 90, "LDS 3, LDGSTS 1, LDGDEPBAR 1, DEPBAR 1");
    has("cp.async.ca.shared.global [%r1], [%rd2], 4; cp.async.wait_all;", 80, "LDS 0, LDGSTS 1, LDGDEPBAR 1, DEPBAR 1");
}

#define SUM_OF(x) "add.u32 %r2, " x ", 1001; xor.b32 %r2, %r2, %r0; "
#define SUMS SUM_OF("%r1") SUM_OF("%r2") SUM_OF("%r2") SUM_OF("%r2") "st.global.u32 [%rd2+4], %r2; "
#define FUSED "fma.rn.f32 %f1, %f1, %f1, %f2; "

/* Four sums of which either unit could do each, beside four LOP3 of alu and IMAD.WIDE and the FFMA of fma. fma's share of them:
 * 1/2 + (4 - 1) / 8 = 7/8, 1/2 + (4 - 4) / 8 = 1/2, 1/2 + (4 - 10) / 8 < 0. ptxas has the same. */
static void units(void **state)
{
    (void)state;
    has(SUMS, 90, "LOP3 4, VIADD 3, IADD3 1, IMAD 1");
    has(SUMS FUSED FUSED FUSED, 90, "LOP3 4, FFMA 3, VIADD 2, IADD3 2, IMAD 1");
    has(SUMS FUSED FUSED FUSED FUSED FUSED FUSED FUSED FUSED FUSED, 90, "LOP3 4, FFMA 9, VIADD 0, IADD3 4, IMAD 1");
    has(SUMS, 80, "LOP3 4, VIADD 0, IADD3 4"); /* there VIADD is not */
}

#define REGISTERS ".reg .b32 %x<12>; mov.b32 %x0, %f1; mov.b32 %x1, %f2; "

/* On Hopper 8-bit floats are halves, and a function makes bytes of 4-bit integers: 15 LOP3 for each register of s4, 2 of u4, and so on. */
static void products(void **state)
{
    (void)state;
    static const char f8[] = REGISTERS "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%f1, %f2, %f3, %f4}, {%x0, %x1, %x0, %x1}, {%x0, %x1}, {%f1, %f2, %f1, %f2};";
    static const char s4[] = REGISTERS "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {%x2, %x3}, {%x0}, {%x1}, {%x0, %x1}; mov.b32 %f1, %x2;";
    has(f8, 90, "F2FP 12, HMMA 2, FADD 4");
    has(f8, 89, "QMMA 1, F2FP 0");
    has(s4, 90, "LOP3 17, SHF 9, IMAD 8, IMMA 2, IADD3 2, MOV 1, CALL 1");
    has(s4, 80, "LOP3 0, IMMA 1, CALL 0");
}

/* Words of 64 bits with zeros above them: x >> 32, x & 0xffffffff, loads of 32 bits into 64 (ptxas 13.0 (V13.0.88), 2026-11-30; the first and third are
 * a MOV less there, whose loads are of one word). */
static void words_with_zeros(void **state)
{
    (void)state;
    has("ld.global.u64 %rd3, [%rd2+64]; shr.u64 %rd4, %rd3, 32; st.global.u64 [%rd2+128], %rd4;", 90, "HFMA2 1, SHF 0, MOV 1");
    has("ld.global.u64 %rd3, [%rd2+64]; shr.u64 %rd4, %rd3, 40; st.global.u64 [%rd2+128], %rd4;", 90, "HFMA2 1, SHF 1, MOV 0");
    has("ld.global.u64 %rd3, [%rd2+64]; shl.b64 %rd4, %rd3, 32; st.global.u64 [%rd2+128], %rd4;", 90, "HFMA2 1, SHF 0, MOV 1");
    has("ld.global.u64 %rd3, [%rd2+64]; shr.u64 %rd4, %rd3, 32; cvt.u32.u64 %r2, %rd4; cvt.rn.f32.s32 %f1, %r2;", 90, "SHF 0, MOV 0, HFMA2 0");
    /* part of a product's sum it needs a pair; two of them are added first */
    has("ld.global.v2.u32 {%r2, %r3}, [%rd2+64]; mul.wide.u32 %rd3, %r2, %r3; shr.u64 %rd4, %rd3, 32; mul.wide.u32 %rd5, %r3, %r3; add.s64 %rd6, %rd4, %rd5;"
        "st.global.u64 [%rd2+128], %rd6;",
        90, "HFMA2 1, MOV 1, IMAD 3, SHF 0, IADD3 0");
    has("ld.global.v2.u32 {%r2, %r3}, [%rd2+64]; mul.wide.u32 %rd3, %r2, %r3; shr.u64 %rd4, %rd3, 32; and.b64 %rd7, %rd3, 4294967295; mul.wide.u32 %rd5, %r3, %r3;"
        "add.s64 %rd6, %rd4, %rd7; add.s64 %rd6, %rd6, %rd5; st.global.u64 [%rd2+128], %rd6;",
        90, "HFMA2 0, MOV 0, IMAD 3, LOP3 0, IADD3 2");
    has("ld.global.u32 %rd3, [%rd2+64]; ld.global.u64 %rd4, [%rd2+128]; add.s64 %rd5, %rd3, %rd4; st.global.u64 [%rd2+128], %rd5;", 90, "IADD3 2, IMAD 1, HFMA2 0, MOV 0");
    has("ld.global.u32 %rd3, [%rd2+64]; ld.global.u64 %rd4, [%rd2+128]; mul.lo.u64 %rd5, %rd3, %rd4; st.global.u64 [%rd2+128], %rd5;", 90, "IMAD 3, IADD3 0");
}

/* Constants at an address that lanes have: both words of an aligned pair are one load; ptxas -arch=sm_75, sm_80, sm_90, 2026-12-01. */
static void constants_by_pairs(void **state)
{
    (void)state;
    static const char row[] = "mul.wide.u32 %rd5, %r1, 32; ", word[] = "mul.wide.u32 %rd5, %r1, 4; ", sum[] = "add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f4; ";
    static const char four[] = "ld.const.f32 %f3, [%rd5]; ld.const.f32 %f4, [%rd5+4]; ld.const.f32 %f5, [%rd5+8]; ld.const.f32 %f6, [%rd5+12]; add.f32 %f3, %f3, %f5; add.f32 %f4, %f4, %f6; ";
    static const char last[] = "ld.const.f32 %f3, [%rd5+4]; ld.const.f32 %f4, [%rd5+8]; ld.const.f32 %f5, [%rd5+12]; add.f32 %f3, %f3, %f5; ";
    static const char two[] = "ld.const.f32 %f3, [%rd5]; ld.const.f32 %f4, [%rd5+4]; ";
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", row, four, sum);
    has(text, 80, "LDC 2");
    snprintf(text, sizeof text, "%s%s%s", row, last, sum);
    has(text, 80, "LDC 2");
    snprintf(text, sizeof text, "%s%s%s", row, two, sum);
    has(text, 75, "LDC 1");
    snprintf(text, sizeof text, "%s%s%s", word, two, sum); /* a pair that is aligned for every other lane */
    has(text, 80, "LDC 2");
}

/* The first constant that only moves is HFMA2.MMA, but for one of which a half is a NaN; where shared memory lies is always a MOV (ptxas 13.0 (V13.0.88),
 * 2026-12-01: of 92 HFMA2 in 158 kernels none is either). */
static void constants_by_halves(void **state)
{
    (void)state;
    has("st.global.u32 [%rd2], 1;", 90, "HFMA2 1, MOV 0");
    has("st.global.u32 [%rd2], 0x7fffffff;", 90, "HFMA2 0");
    has("st.global.u32 [%rd2], 0x7f800000;", 90, "HFMA2 0"); /* 0x7f80: a NaN */
    has("st.global.u32 [%rd2], 0x7c000000;", 90, "HFMA2 1"); /* infinite */
    has("st.global.u32 [%rd2], 1;", 75, "HFMA2 0");
    has(".shared .align 8 .b8 s[512]; .reg .b32 %a; mov.u32 %a, s; shl.b32 %r2, %r1, 2; add.s32 %r3, %a, %r2; st.shared.f32 [%r3+4], %f2; st.global.u32 [%rd2], 1;", 90, "HFMA2 1, UMOV 1");
}

/* The call of what the driver provides: its number, its address, the address to come back to, the jump. */
static void driver_calls(void **state)
{
    (void)state;
#define CALL "{ .param .b64 n; .param .b64 m; st.param.b64 [n], %rd1; call.uni (m), malloc, (n); ld.param.b64 %rd3, [m]; st.global.u64 [%rd2+512], %rd3; }"
    has(CALL, 90, "CALL 1, LEPC 1");
    has(CALL, 80, "CALL 1, LEPC 1, LDC 1");
    has(CALL, 75, "CALL 1, LEPC 1, LDC 1");
#undef CALL
}

/* What a loop does counts once a round, the rest once. */
static void rounds_of_atomics(void **state)
{
    (void)state;
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(".shared .align 8 .b8 s[512]; .reg .b32 %a; mov.u32 %a, s; shl.b32 %r2, %r1, 2; add.s32 %r3, %a, %r2; "
                                       "atom.shared.add.f32 %f3, [%r3], %f1; bar.sync 0;", &m);
    struct arena arena;
    arena_init(&arena);
    const struct target_tables *t = target_tables(k, &arena, 90, NULL);
    for (int32_t i = 0; i < k->ninsts; i++) {
        int again = 0;
        for (int pipe = 0; pipe < PIPES; pipe++)
            again += t->turns[i][TURN_AGAIN][pipe];
        const bool atomic = ir_is(&k->insts[i], PTX_KIND_ATOMIC) || ir_is(&k->insts[i], PTX_KIND_REDUCE);
        assert_int_equal(again, atomic ? 6 : 0); /* LDS, FADD, ATOMS, ISETP, BRA; BSYNC */
        if (atomic) {
            assert_int_equal(t->turns[i][TURN_BLOCK][PIPE_CBU], 1); /* BSSY */
            assert_int_equal(t->turns[i][TURN_AGAIN][PIPE_LSU], 2);
            assert_int_equal(t->turns[i][TURN_AGAIN][PIPE_CBU], 1); /* BSYNC: BRA counts in no unit */
        }
    }
    arena_release(&arena);
    ir_free(k);
    ptx_free(m);
}

/* The sign of a value that is stored is an FADD, and a reader that takes signs has it for nothing; an operand that is scaled and read again
 * is one FMUL and FSEL more than the two FMUL under predicates; a quotient by a constant is a product. */
static void signs_and_scales(void **state)
{
    (void)state;
    has("neg.f32 %f1, %f1;", 90, "FADD 1");
    has("neg.f32 %f2, %f1; mul.f32 %f1, %f2, %f2;", 90, "FADD 0, FMUL 1");
    has("neg.f32 %f2, %f1; mul.f32 %f3, %f2, %f2; mov.b32 %r6, %f2; st.global.u32 [%rd2+256], %r6; mov.f32 %f1, %f3;", 90, "FADD 1, FMUL 1");
    has("rsqrt.approx.f32 %f1, %f1;", 90, "FSETP 1, FMUL 2, FSEL 0, MUFU 1");
    has("rsqrt.approx.f32 %f2, %f1; min.f32 %f1, %f2, %f1;", 90, "FSETP 1, FMUL 2, FSEL 1, MUFU 1");
    has("mul.f32 %f2, %f1, %f1; ex2.approx.f32 %f1, %f2;", 90, "FSETP 0, FMUL 1, MUFU 1");
    has("div.approx.f32 %f1, %f1, 0f40400000;", 90, "FSETP 0, FMUL 1, MUFU 0");
}

/* An array of three words in registers, written and read at a place that is not known: three comparisons, which both have in common, and
 * three predicated moves each; the element that the code names costs nothing. bfi of 64 bits at a known place. */
static void elements(void **state)
{
    (void)state;
    const char *array = ".local .align 4 .b8 array[12]; mov.u64 %rd5, array; mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd5, %rd6;"
                        "st.local.u32 [%rd5], %r0; st.local.u32 [%rd6], %r1; ld.local.u32 %r6, [%rd6]; st.global.u32 [%rd2+256], %r6;";
    has(array, 90, "ISETP 3, LDL 0, STL 0");
    has("cvt.u64.u32 %rd5, %r1; cvt.u64.u32 %rd6, %r0; bfi.b64 %rd5, %rd5, %rd6, 8, 16; st.global.u64 [%rd2+256], %rd5;", 90, "BMSK 0, LOP3 3");
}

static void words(void **state)
{
    (void)state;
#define SEQUENCE(op, type, form, from, to, text) words_of(text, from, to);
#include "target/sequences.def"
#undef SEQUENCE
#define FUNCTION(name, symbol, text) words_of(text, 70, 99);
#include "target/functions.def"
#undef FUNCTION
#define LONG_PART(function, when, text) words_of(text, 70, 99);
#include "target/long_ways.def"
#define LIBRARY(name, way, text) words_of(text, 90, 90);
#include "target/library.def"
#undef LIBRARY
    for (int op = OP_NONE + 1; op < OPS; op++)
        assert_int_equal(arch_op_named(arch_op_name(op), strlen(arch_op_name(op))), op);
}

static void text(void **state)
{
    (void)state;
    struct strbuf out;
    struct machine_inst in = {.op = OP_LDG, .form = "64", .nresults = 1, .nsources = 1, .offset = -8,
                              .guard = {.file = FILE_PREDICATE, .number = 1, .negated = true},
                              .result = {{.file = FILE_REGISTER, .number = 4, .words = 2}},
                              .source = {{.file = FILE_REGISTER, .number = 6, .words = 2}}};
    strbuf_init(&out);
    code_print(&in, &out);
    assert_string_equal(out.s, "@!P1 LDG.64 R4.64, [R6.64-0x8]");
    strbuf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beginnings), cmocka_unit_test(differences), cmocka_unit_test(divisions), cmocka_unit_test(quotients), cmocka_unit_test(packed),
        cmocka_unit_test(loops), cmocka_unit_test(weights), cmocka_unit_test(known_lengths), cmocka_unit_test(pointers_of_the_warp), cmocka_unit_test(conditions), cmocka_unit_test(ways), cmocka_unit_test(library), cmocka_unit_test(atomics), cmocka_unit_test(rounds_of_atomics),
        cmocka_unit_test(textures_and_orders), cmocka_unit_test(units), cmocka_unit_test(products), cmocka_unit_test(words_with_zeros), cmocka_unit_test(constants_by_pairs), cmocka_unit_test(constants_by_halves), cmocka_unit_test(driver_calls), cmocka_unit_test(forms), cmocka_unit_test(signs_and_scales), cmocka_unit_test(elements),
        cmocka_unit_test(words), cmocka_unit_test(text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
