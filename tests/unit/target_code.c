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

static void loops(void **state)
{
    (void)state;
    /* 20 turns of 32 instructions go away, of 24 turns 8 stand side by side; of an unknown number 4, 2 and 1 */
    static const char turn[] = "xor.b32 %r2, %r2, %r0; mad.lo.s32 %r2, %r2, %r2, %r3;";
    struct strbuf b;
    strbuf_init(&b);
    strbuf_adds(&b, "mov.u32 %r3, 0; mov.u32 %r2, %r1; L:");
    for (int i = 0; i < 16; i++)
        strbuf_adds(&b, turn);
    strbuf_adds(&b, "add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20; @%p1 bra L; cvt.rn.f32.u32 %f1, %r2;");
    has(b.s, 90, "LOP3 320, BRA 0");
    strbuf_release(&b);
    has("mov.u32 %r3, 0; L: fma.rn.f32 %f1, %f1, %f1, %f2; add.u32 %r3, %r3, 1; setp.lt.s32 %p1, %r3, %r0; @%p1 bra L;", 90, "FFMA 7");
}

/* Each word of the tables is an operation, which all architectures of its row have. */
static void words_of(const char *text, int from, int to)
{
    for (const char *at = text; *at;) {
        size_t word = strcspn(at, " ");
        bool marked = *at == '[' || *at == '{' || *at == '(';
        enum machine_op op = arch_op_named(at + marked, strcspn(at + marked, ".*]}) "));
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

/* library.def: asinf and acoshf as an H200 executes them (tests/truth/machine/library.tsv). */
static void library(void **state)
{
    (void)state;
#define CALL(name) "{ .param .b32 a; st.param.f32 [a], %f1; .param .b32 r; call.uni (r), " name ", (a); ld.param.f32 %f1, [r]; }"
    has(CALL("__nv_asinf"), 90, "FMUL 5, FFMA 9, FSEL 3, FSETP 3, MUFU 1, HFMA2 2, LOP3 1, ISETP 0");
    has(CALL("__nv_acoshf"), 90, "FADD 5, FMUL 4, FFMA 14, FSEL 2, FSETP 1, MUFU 1, IADD3 3, ISETP 2, I2FP 1, BRA 1, BSSY 1, BSYNC 1");
#undef CALL
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
        cmocka_unit_test(beginnings), cmocka_unit_test(differences), cmocka_unit_test(divisions),
        cmocka_unit_test(loops), cmocka_unit_test(conditions), cmocka_unit_test(library), cmocka_unit_test(words), cmocka_unit_test(text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
