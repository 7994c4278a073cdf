/* Out of SSA what a pass made of a kernel: text in, text out. Where two versions of a register are alive at once there are copies, as few
 * as by hand, and in an order that loses none; that nothing is changed where no pass did is in ir_text.c, that results stay in
 * jit_random's "forward". */
#include "ir/ssa.h"
#include "ir/verify.h"
#include "target/leaving.h"
#include "target_test.h"

static const char module_text[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a) {\nret;\n}\n";
#define HEAD "kernel k: 8 parameter bytes, 0 shared, 0 local\n  parameters 0+8/8\n  memory dynamic 0 scratch 0\n"

static struct ptx_module *module;

static struct ir_kernel *read_kernel(const char *text)
{
    struct ir_kernel *k = read_ir(module, text);
    if (!ir_verify(k, "reading", true))
        fail_msg("%s", k->problems->text);
    return k;
}

/* The instructions of a kernel, without blocks' edges, numbers and where they are from. */
static void print_short(const struct ir_kernel *k, struct strbuf *out)
{
    for (int32_t b = 0; b < k->nblocks; b++) {
        strbuf_addf(out, "b%d:\n", b);
        for (int32_t i = k->blocks[b].first; i < k->blocks[b].first + k->blocks[b].count; i++) {
            ir_print_inst(k, &k->insts[i], out);
            strbuf_adds(out, "\n");
        }
    }
}

/* `pass`, if there is one, and out. */
static void expect_behind(void (*pass)(struct ir_kernel *k), const char *text, const char *want)
{
    struct ir_kernel *k = read_kernel(text);
    struct strbuf got;
    strbuf_init(&got);
    if (pass)
        pass(k);
    if (!ir_verify(k, "the pass", false))
        fail_msg("%s", k->problems->text);
    ir_out_of_ssa(k);
    ir_analyse(k);
    if (!ir_verify(k, "out of SSA", true))
        fail_msg("%s", k->problems->text);
    print_short(k, &got);
    if (strcmp(got.s, want))
        fail_msg("expected\n%s\nand got\n%s", want, got.s);
    strbuf_release(&got);
    ir_free(k);
}

static void expect_out(const char *text, const char *want)
{
    expect_behind(NULL, text, want);
}

/* a, b = b, a in a loop: three moves and one register more, the least there is. */
static void swapped(void **state)
{
    (void)state;
    expect_out(HEAD "  registers u64 u32*4 pred\n  unwritten of 6\n  ssa of 6\n"
                    "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %tid.x\n 2 r2 = mov.u32 %laneid\n"
                    "b1:\n 3 r3 = phi r1 b0, r4 b1\n 4 r4 = phi r2 b0, r3 b1\n 5 p5 = setp.lt.u32 r3, r4\n 6 @p5 bra b1\n"
                    "b2:\n 7 st.global.v2.u32 [r0+0], r3, r4\n 8 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\nr2 = mov.u32 %laneid\n"
               "b1:\nr3 = mov.b32 r1\nr1 = mov.b32 r2\np5 = setp.lt.u32 r3, r1\nr2 = mov.b32 r3\n@p5 bra b1 back join b2\n"
               "b2:\nst.global.v2.u32 [r0+0], r3, r1\nexit\n");
}

/* What was before the last turn is read behind the loop, whose last instruction but one overwrites it. */
static void read_behind_a_loop(void **state)
{
    (void)state;
    expect_out(HEAD "  registers u64 u32*3 pred\n  unwritten of 4\n  ssa of 4\n"
                    "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %tid.x\n"
                    "b1:\n 2 r2 = phi r1 b0, r3 b1\n 3 r3 = add.u32 r2, 0x1\n 4 p4 = setp.lt.u32 r3, 0x9\n 5 @p4 bra b1\n"
                    "b2:\n 6 st.global.u32 [r0+0], r2\n 7 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\n"
               "b1:\nr2 = mov.b32 r1\nr1 = add.u32 r2, 0x1\np4 = setp.lt.u32 r1, 0x9\n@p4 bra b1 back join b2\n"
               "b2:\nst.global.u32 [r0+0], r2\nexit\n");
}

/* A version under a guard, beside the one that it is else. */
static void old_is_read_on(void **state)
{
    (void)state;
    expect_out(HEAD "  registers u64 u32*2 pred u32\n  unwritten of 4\n  ssa of 4 1\n"
                    "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %tid.x\n 2 p3 = setp.lt.u32 r1, 0x9\n"
                    " 3 @p3 r4 = add.u32 r1, 0x1 old r1\n 4 r2 = add.u32 r4, r1\n 5 st.global.u32 [r0+0], r2\n 6 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\np3 = setp.lt.u32 r1, 0x9\n"
               "r4 = mov.b32 r1\n@p3 r4 = add.u32 r1, 0x1\nr2 = add.u32 r4, r1\nst.global.u32 [r0+0], r2\nexit\n");
    /* nobody reads the old one on: one register for both */
    expect_out(HEAD "  registers u64 u32*2 pred u32\n  unwritten of 4\n  ssa of 4 1\n"
                    "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %tid.x\n 2 p3 = setp.lt.u32 r1, 0x9\n"
                    " 3 @p3 r4 = add.u32 r1, 0x1 old r1\n 4 r2 = add.u32 r4, r4\n 5 st.global.u32 [r0+0], r2\n 6 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\np3 = setp.lt.u32 r1, 0x9\n"
               "@p3 r1 = add.u32 r1, 0x1\nr2 = add.u32 r1, r1\nst.global.u32 [r0+0], r2\nexit\n");
}

/* Numbers come along an edge, and the branch at its end reads a predicate that a phi has. */
static void numbers_and_predicates(void **state)
{
    (void)state;
    expect_out(HEAD "  registers u64 u32 pred u32 pred*2 u32\n  unwritten of 7\n  ssa of 7\n"
                    "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %tid.x\n 2 p2 = setp.lt.u32 r1, 0x9\n"
                    "b1:\n 3 r3 = phi 0x7 b0, r1 b1\n 4 p4 = phi p2 b0, p5 b1\n 5 r6 = ld.global.u32 [r0+0]\n"
                    " 6 p5 = setp.eq.u32 r6, r3\n 7 @p4 bra b1\n"
                    "b2:\n 8 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\np2 = setp.lt.u32 r1, 0x9\nr3 = mov.b32 0x7\n"
               "b1:\np4 = mov.pred p2\nr6 = ld.global.u32 [r0+0]\np2 = setp.eq.u32 r6, r3\n"
               "r3 = mov.b32 r1\n@p4 bra b1 back join b2\nb2:\nexit\n");
}

/* The first block is a loop's: what was never written is 0 there, in a register of its own where that is needed. */
static void loop_at_the_entry(void **state)
{
    (void)state;
    expect_out(HEAD "  registers u64 u32*3 pred\n  unwritten r1 of 5\n  ssa of 5\n"
                    "b0:\n 0 r2 = phi r3 b0, r1 entry\n 1 r0 = ld.param.u64 [0x0+0]\n 2 r3 = add.u32 r2, 0x1\n"
                    " 3 p4 = setp.lt.u32 r3, 0x9\n 4 @p4 bra b0\n"
                    "b1:\n 5 st.global.u32 [r0+0], r3\n 6 exit\n",
               "b0:\nr0 = ld.param.u64 [0x0+0]\nr2 = add.u32 r2, 0x1\np4 = setp.lt.u32 r2, 0x9\n@p4 bra b0 back join b1\n"
               "b1:\nst.global.u32 [r0+0], r2\nexit\n");
}

/* A counter and a sum that are read behind a loop which lanes leave at different turns: the counter has a register of its own there. Not so
 * if all leave at the same turn. */
static void left_at_different_turns(void **state)
{
    (void)state;
    static const char loop[] = HEAD "  registers u64 u32*3 pred u32*4\n  unwritten of 5\n  ssa of 5 2 3 2 3\n"
                               "b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r1 = mov.u32 %s\n"
                               "b1:\n 2 r2 = phi r1 b0, r5 b1\n 3 r3 = phi r1 b0, r6 b1\n 4 r6 = add.u32 r3, r2\n 5 r5 = add.u32 r2, 0x20\n"
                               " 6 p4 = setp.lt.u32 r6, r1\n 7 @p4 bra b1\n"
                               "b2:\n 8 r7 = phi r5 b1\n 9 r8 = phi r6 b1\n 10 st.global.v2.u32 [r0+0], r7, r8\n 11 exit\n";
    char text[1000];
    snprintf(text, sizeof text, loop, "%tid.x");
    expect_behind(leaving_rewrite, text,
                  "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %tid.x\nr2 = mov.b32 r1\nr3 = mov.b32 r1\n"
                  "b1:\nr3 = add.u32 r3, r2\nr2 = add.u32 r2, 0x20\np4 = setp.lt.u32 r3, r1\nr5 = mov.b32 r2 { stays }\n@p4 bra b1 back join b2\n"
                  "b2:\nst.global.v2.u32 [r0+0], r5, r3\nexit\n");
    snprintf(text, sizeof text, loop, "%ctaid.x");
    expect_behind(leaving_rewrite, text,
                  "b0:\nr0 = ld.param.u64 [0x0+0]\nr1 = mov.u32 %ctaid.x\nr2 = mov.b32 r1\nr3 = mov.b32 r1\n"
                  "b1:\nr3 = add.u32 r3, r2\nr2 = add.u32 r2, 0x20\np4 = setp.lt.u32 r3, r1\n@p4 bra b1 back join b2\n"
                  "b2:\nst.global.v2.u32 [r0+0], r2, r3\nexit\n");
}

/* What is no SSA is told. */
static void broken(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 r0 = ld.param.u64 [0x0+0]\n 2 exit\n", "r0 is defined twice"},
        {"b0:\n 0 r1 = mov.u32 %tid.x\n 1 p2 = setp.lt.u32 r1, 0x9\n 2 @p2 bra b2\nb1:\n 3 r3 = add.u32 r1, r1\nb2:\n 4 st.shared.u32 [0x0+0], r3\n"
         " 5 exit\n", "r3 is read where its definition does not lead"},
        {"b0:\n 0 bra.uni b1\nb1:\n 1 r1 = phi 0x1 b1\n 2 exit\n", "no way leads here from block 1"},
        {"b0:\n 0 bra.uni b1\nb1:\n 1 r1 = phi 0x1 b0, 0x2 b0\n 2 exit\n", "a phi with 2 sources and 2 blocks, where 1 lead here"},
        {"b0:\n 0 r1 = mov.u32 0x0\n 1 bra.uni b1\nb1:\n 2 r0 = ld.param.u64 [0x0+0]\n 3 r3 = phi r1 b0\n 4 exit\n", "a phi behind other instructions"},
        {"b0:\n 0 r1 = mov.u32 %tid.x\n 1 p2 = setp.lt.u32 r1, 0x9\n 2 @p2 r3 = mov.u32 r1\n 3 exit\n", "no value for lanes without the guard"},
        {"b0:\n 0 r0 = ld.param.u64 [0x0+0]\n 1 bra.uni b1\nb1:\n 2 r1 = phi r0 b0\n 3 exit\n", "is not as wide as its result"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf text;
        struct diag_list diags;
        diag_init(&diags);
        strbuf_init(&text);
        strbuf_addf(&text, HEAD "  registers u64 u32 pred u32\n  unwritten of 4\n  ssa of 4\n%s", cases[i].text);
        struct ir_kernel *k = ir_read(module, text.s, &diags);
        assert_non_null(k);
        assert_false(ir_verify(k, "reading", true));
        if (!strstr(k->problems->text, cases[i].message))
            fail_msg("'%s' is not in '%s'", cases[i].message, k->problems->text);
        ir_free(k);
        strbuf_release(&text);
        diag_release(&diags);
    }
}

int main(void)
{
    module = parse_text("m", module_text);
    const struct CMUnitTest tests[] = {cmocka_unit_test(swapped), cmocka_unit_test(read_behind_a_loop), cmocka_unit_test(old_is_read_on),
                                       cmocka_unit_test(numbers_and_predicates), cmocka_unit_test(loop_at_the_entry),
                                       cmocka_unit_test(left_at_different_turns), cmocka_unit_test(broken)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ptx_free(module);
    return failed;
}
