/* What each operation that is more than arithmetic says of itself, statement by statement, from the PTX ISA (sections in
 * ir/facts.h); and that every one of these facts is looked at here: turned to its unsafe value it makes a statement differ. */
#include "target_test.h"

#include "ir/facts.h"

enum {
    L = FACT_LANE, LS = FACT_LANES, M = FACT_MEMORY, S = FACT_STATE,
    G = FACT_GLOBAL, SH = FACT_SHARED, LO = FACT_LOCAL, C = FACT_CONSTANT,
    MEET = FACT_LANES_SYNC, BLOCK = FACT_BLOCK, FENCE = FACT_FENCE, COPIES = FACT_COPIES, TIME = FACT_TIME, GOES = FACT_GOES,
    OUT = FACT_LEAVE_OUT, TWICE = FACT_DOUBLE, MOVE = FACT_MOVE
};

enum { SOURCES = 16 }; /* that are asked of */

static const struct {
    int op;
    const char *text;
    unsigned result, gives, carry, reads, writes, syncs, may;
} statements[] = {
    {PTX_OP_ADD, "add.u32 %r1, %r2, %r3;", 0, 0, 0, 0, 0, 0, FACT_FREE},
    {PTX_OP_ADD, "add.cc.u32 %r1, %r2, %r3;", 0, 0, FACT_CARRY_OUT, 0, 0, 0, 0},
    {PTX_OP_SUB, "sub.cc.u32 %r1, %r2, %r3;", 0, 0, FACT_CARRY_OUT, 0, 0, 0, 0},
    {PTX_OP_MAD_LO, "mad.lo.cc.u32 %r1, %r2, %r3, %r4;", 0, 0, FACT_CARRY_OUT, 0, 0, 0, 0},
    {PTX_OP_MAD_HI, "mad.hi.cc.u32 %r1, %r2, %r3, %r4;", 0, 0, FACT_CARRY_OUT, 0, 0, 0, 0},
    {PTX_OP_ADDC, "addc.u32 %r1, %r2, %r3;", 0, 0, FACT_CARRY_IN, 0, 0, 0, 0},
    {PTX_OP_SUBC, "subc.u32 %r1, %r2, %r3;", 0, 0, FACT_CARRY_IN, 0, 0, 0, 0},
    {PTX_OP_MADC_LO, "madc.lo.cc.u32 %r1, %r2, %r3, %r4;", 0, 0, FACT_CARRY_IN | FACT_CARRY_OUT, 0, 0, 0, 0},
    {PTX_OP_MADC_HI, "madc.hi.u32 %r1, %r2, %r3, %r4;", 0, 0, FACT_CARRY_IN, 0, 0, 0, 0},
    {PTX_OP_LD, "ld.global.u32 %r1, [%rd1];", M, 0, 0, G, 0, 0, OUT | TWICE},
    {PTX_OP_LD, "ld.const.u32 %r1, [constant];", M, 0, 0, C, 0, 0, OUT | TWICE},
    {PTX_OP_LD, "ld.local.u32 %r1, [depot];", M | L, 0, 0, LO, 0, 0, OUT | TWICE},
    {PTX_OP_LD, "ld.u32 %r1, [%rd1];", M | L, 0, 0, G | SH | LO, 0, 0, OUT | TWICE},
    {PTX_OP_LD, "ld.volatile.shared.u32 %r1, [sh];", M | S, 0, 0, SH, 0, 0, 0},
    {PTX_OP_LD, "ld.acquire.gpu.global.u32 %r1, [%rd1];", M | S, 0, 0, G, 0, FENCE, 0},
    {PTX_OP_LDU, "ldu.global.u32 %r1, [%rd1];", M, 0, 0, G, 0, 0, OUT | TWICE},
    {PTX_OP_ST, "st.global.u32 [%rd1], %r1;", 0, 0, 0, 0, G, 0, 0},
    {PTX_OP_ST, "st.u32 [%rd1], %r1;", 0, 0, 0, 0, G | SH | LO, 0, 0},
    {PTX_OP_ST, "st.release.cta.shared.u32 [sh], %r1;", 0, 0, 0, 0, SH, FENCE, 0},
    {PTX_OP_TEX, "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];", M, 0, 0, G, 0, 0, OUT | TWICE},
    {PTX_OP_TLD4, "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", M, 0, 0, G, 0, 0, OUT | TWICE},
    {PTX_OP_SULD, "suld.b.1d.b32.trap %r1, [%rd1, {%r2}];", M, 0, 0, G, 0, 0, OUT | TWICE},
    {PTX_OP_SUST, "sust.b.1d.b32.trap [%rd1, {%r2}], %r1;", 0, 0, 0, 0, G, 0, 0},
    {PTX_OP_PREFETCH, "prefetch.global.L2 [%rd1];", 0, 0, 0, 0, 0, 0, OUT | TWICE | MOVE},
    {PTX_OP_PREFETCHU, "prefetchu.L1 [%rd1];", 0, 0, 0, 0, 0, 0, OUT | TWICE | MOVE},
    {PTX_OP_APPLYPRIORITY, "applypriority.global.L2::evict_normal [%rd1], 128;", 0, 0, 0, 0, 0, 0, OUT | TWICE | MOVE},
    {PTX_OP_DISCARD, "discard.global.L2 [%rd1], 128;", 0, 0, 0, 0, G, 0, OUT},
    {PTX_OP_CP_ASYNC, "cp.async.ca.shared.global [sh], [%rd1], 4;", 0, 0, 0, G, SH, COPIES, 0},
    {PTX_OP_CP_COMMIT, "cp.async.commit_group;", 0, 0, 0, 0, 0, COPIES, 0},
    {PTX_OP_CP_WAIT, "cp.async.wait_group 0;", 0, 0, 0, G, SH, COPIES, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, 0, 0x1f, -1;", LS, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, 6, 7, -1;", LS, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, 38, 5, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, %r3, 7, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, 0, 0x181f, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.bfly.b32 %r1, %r2, 1, 0x1f, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_SHFL, "shfl.sync.idx.b32 %r1, %r2, 0, %r3, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_BRA, "bra E; E:", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_RET, "ret;", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_EXIT, "exit;", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_BRX, "E: ts: .branchtargets E; brx.idx %r1, ts;", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_TRAP, "trap;", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_BRKPT, "brkpt;", 0, 0, 0, 0, 0, GOES, 0},
    {PTX_OP_BAR, "bar.sync 0;", LS, 4, 0, 0, 0, BLOCK | FENCE, 0},
    {PTX_OP_BAR, "bar.warp.sync -1;", LS, 4, 0, 0, 0, MEET | FENCE, 0},
    {PTX_OP_BARRIER, "barrier.sync 0;", LS, 4, 0, 0, 0, BLOCK | FENCE, 0},
    {PTX_OP_MEMBAR, "membar.gl;", 0, 0, 0, 0, 0, FENCE, 0},
    {PTX_OP_FENCE, "fence.acq_rel.gpu;", 0, 0, 0, 0, 0, FENCE, 0},
    {PTX_OP_MBARRIER, "mbarrier.arrive.shared.b64 %rd2, [sh];", M | S, 0, 0, SH, SH, FENCE, 0},
    {PTX_OP_MBARRIER, "mbarrier.pending_count.b64 %r1, %rd2;", 0, 0, 0, 0, 0, 0, FACT_FREE},
    {PTX_OP_CP_MBARRIER, "cp.async.mbarrier.arrive.shared.b64 [sh];", 0, 0, 0, SH, SH, FENCE | COPIES, 0},
    {PTX_OP_ATOM, "atom.global.add.u32 %r1, [%rd1], 1;", M | L | S, 0, 0, G, G, 0, 0},
    {PTX_OP_ATOM, "atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1;", M | L | S, 0, 0, G, G, FENCE, 0},
    {PTX_OP_RED, "red.global.add.u32 [%rd1], 1;", 0, 0, 0, G, G, 0, 0},
    {PTX_OP_RED, "red.release.gpu.global.add.u32 [%rd1], 1;", 0, 0, 0, G, G, FENCE, 0},
    {PTX_OP_VOTE, "vote.sync.ballot.b32 %r1, %p1, -1;", LS, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_MATCH, "match.any.sync.b32 %r1, %r2, -1;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_MATCH, "match.all.sync.b32 %r1, %r2, -1;", LS, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_ACTIVEMASK, "activemask.b32 %r1;", LS | S, 0, 0, 0, 0, 0, 0},
    {PTX_OP_ELECT, "elect.sync %r1|%p1, -1;", LS | L, 0, 0, 0, 0, MEET, 0},
    {PTX_OP_REDUX, "redux.sync.add.u32 %r1, %r2, -1;", LS, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_LDMATRIX, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [sh];", M | LS | L, 1, 0, SH, 0, MEET, 0},
    {PTX_OP_STMATRIX, "stmatrix.sync.aligned.m8n8.x1.shared.b16 [sh], %r1;", 0, 0, 0, 0, SH, MEET, 0},
    {PTX_OP_MMA, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3}, {%r4}, {%r5, %r6};", LS | L, (1u << SOURCES) - 1, 0, 0, 0, MEET, 0},
    {PTX_OP_MOVMATRIX, "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", LS | L, 1, 0, 0, 0, MEET, 0},
    {PTX_OP_GRIDDEPCONTROL, "griddepcontrol.wait;", 0, 0, 0, 0, 0, FENCE, 0},
    {PTX_OP_NANOSLEEP, "nanosleep.u32 100;", 0, 0, 0, 0, 0, TIME, 0},
    {PTX_OP_PMEVENT, "pmevent 1;", 0, 0, 0, 0, 0, TIME, 0},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static struct ptx_module *modules[STATEMENTS];
static struct ir_kernel *kernels[STATEMENTS];

static int build_all(void **state)
{
    (void)state;
    for (int i = 0; i < STATEMENTS; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 ".version 8.4\n.target sm_90\n.address_size 64\n.const .align 4 .u32 constant = 1;\n.visible .entry k()\n{\n"
                 ".reg .pred %%p<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>;\n"
                 ".shared .align 8 .b8 sh[64];\n.local .align 8 .b8 depot[64];\n%s\nret;\n}\n", statements[i].text);
        modules[i] = parse_text("facts.ptx", text);
        kernels[i] = build_kernel(modules[i], "k");
    }
    return 0;
}

static int free_all(void **state)
{
    (void)state;
    for (int i = 0; i < STATEMENTS; i++) {
        ir_free(kernels[i]);
        ptx_free(modules[i]);
    }
    return 0;
}

static const struct ir_inst *inst_of(int i)
{
    for (int32_t s = 0; s < kernels[i]->ninsts; s++)
        if (kernels[i]->insts[s].op == statements[i].op)
            return &kernels[i]->insts[s];
    fail_msg("no such instruction in '%s'", statements[i].text);
    return NULL;
}

static unsigned gives(const struct ir_inst *in)
{
    unsigned set = 0;
    for (int i = 0; i < SOURCES; i++)
        set |= facts_gives(in, i) ? 1u << i : 0;
    return set;
}

static bool as_written(int i)
{
    const struct ir_inst *in = inst_of(i);
    return facts_result(in) == statements[i].result && gives(in) == statements[i].gives && facts_carry(in) == statements[i].carry &&
           facts_reads(in) == statements[i].reads && facts_writes(in) == statements[i].writes &&
           facts_syncs(in) == statements[i].syncs && facts_may(in) == statements[i].may;
}

static void statements_say_what_they_do(void **state)
{
    (void)state;
    for (int i = 0; i < STATEMENTS; i++)
        if (!as_written(i)) {
            const struct ir_inst *in = inst_of(i);
            fail_msg("'%s': result %x gives %x carry %x reads %x writes %x syncs %x may %x", statements[i].text, facts_result(in),
                     gives(in), facts_carry(in), facts_reads(in), facts_writes(in), facts_syncs(in), facts_may(in));
        }
}

/* Arithmetic of PTX ISA 9.7.1 to 9.7.9, 9.7.16: of its sources alone. */
static bool is_arithmetic(int op)
{
    switch (ptx_op_info[op].class) {
    case PTX_CLASS_INT: case PTX_CLASS_LOGIC: case PTX_CLASS_CMP: case PTX_CLASS_MOVE: case PTX_CLASS_CONVERT:
    case PTX_CLASS_FADD: case PTX_CLASS_FMUL: case PTX_CLASS_FFMA: case PTX_CLASS_FDIV: case PTX_CLASS_FSQRT:
    case PTX_CLASS_FCMP: case PTX_CLASS_FMOV: case PTX_CLASS_MUFU:
        return op != PTX_OP_ADDC && op != PTX_OP_SUBC && op != PTX_OP_MADC_LO && op != PTX_OP_MADC_HI;
    default:
        return false;
    }
}

/* Without a line above: only arithmetic, and CALL and WMMA, which no kernel's IR has. */
static void every_row_is_looked_at(void **state)
{
    (void)state;
    for (int op = 1; op < PTX_OP_COUNT; op++) {
        static const struct ptx_mods none;
        struct ir_inst in = {.op = (uint16_t)op, .mods = &none};
        bool there = false;
        for (int i = 0; i < STATEMENTS; i++)
            there |= statements[i].op == op;
        if (is_arithmetic(op) && (!facts_pure(&in) || gives(&in)))
            fail_msg("%s is not pure", ptx_op_info[op].id);
        if (!is_arithmetic(op) && !there && op != PTX_OP_CALL && op != PTX_OP_WMMA)
            fail_msg("nothing is said of %s", ptx_op_info[op].id);
    }
    static const struct ptx_mods none;
    struct ir_inst unknown = {.op = PTX_OP_UNKNOWN, .mods = &none}, call = {.op = IR_OP_EXTERN, .mods = &none};
    assert_true(facts_wall(&unknown) && facts_result(&unknown) & FACT_LANE && !facts_may(&unknown));
    assert_true(facts_wall(&call) && facts_result(&call) & FACT_LANE && !facts_may(&call));
}

/* The value of a column that lets an analysis do most. */
static unsigned unsafe(enum facts_column column)
{
    return column == FACTS_MAY ? FACT_FREE : column == FACTS_GIVES ? 0xff : 0;
}

static void each_wrong_fact_is_noticed(void **state)
{
    (void)state;
    for (int i = 0; i < STATEMENTS; i++) {
        const unsigned said[FACTS_COLUMNS] = {statements[i].result, statements[i].gives, statements[i].carry, statements[i].reads,
                                              statements[i].writes, statements[i].syncs, statements[i].may};
        for (int c = 0; c < FACTS_COLUMNS; c++) {
            facts_pretend(statements[i].op, c, unsafe(c));
            if (said[c] != unsafe(c) && as_written(i))
                fail_msg("'%s': nobody notices column %d", statements[i].text, c);
            facts_pretend(-1, 0, 0);
        }
    }
    for (int op = 1; op < PTX_OP_COUNT; op++) /* arithmetic: all is free already, but that others would see its sources */
        if (is_arithmetic(op)) {
            static const struct ptx_mods none;
            struct ir_inst in = {.op = (uint16_t)op, .mods = &none};
            facts_pretend(op, FACTS_GIVES, unsafe(FACTS_GIVES));
            assert_true(gives(&in));
            facts_pretend(-1, 0, 0);
            assert_false(gives(&in));
        }
}

static void what_follows(void **state)
{
    (void)state;
    for (int i = 0; i < STATEMENTS; i++) {
        const struct ir_inst *in = inst_of(i);
        bool convergent = statements[i].result & LS || statements[i].syncs & (MEET | BLOCK);
        assert_int_equal(facts_convergent(in), convergent);
        assert_int_equal(facts_pure(in), statements[i].may == FACT_FREE);
    }
    /* elect: all lanes learn who leads, each whether it does (9.7.13.14) */
    for (int i = 0; i < STATEMENTS; i++)
        if (statements[i].op == PTX_OP_ELECT) {
            assert_int_equal(facts_result_at(inst_of(i), 0), LS);
            assert_int_equal(facts_result_at(inst_of(i), 1), LS | L);
        }
    struct ir_src lane = {.kind = IR_SRC_SREG, .sreg = PTX_SREG_LANEID}, clock = {.kind = IR_SRC_SREG, .sreg = PTX_SREG_CLOCK64},
                  block = {.kind = IR_SRC_SREG, .sreg = PTX_SREG_CTAID_X}, number = {.kind = IR_SRC_IMM};
    assert_int_equal(facts_source(&lane), L);
    assert_int_equal(facts_source(&clock), S);
    assert_int_equal(facts_source(&block), 0);
    assert_int_equal(facts_source(&number), 0);
}

/* The kind of a row says how many operands it has, of which types, and what it does to memory and flow: so do other columns. */
static void kinds_fit_their_rows(void **state)
{
    (void)state;
    const uint32_t floats = 1u << PTX_F32 | 1u << PTX_F64 | 1u << PTX_F16 | 1u << PTX_F16X2 | 1u << PTX_BF16 | 1u << PTX_BF16X2;
    for (int op = 1; op < PTX_OP_COUNT; op++) {
        const struct ptx_op_info *row = &ptx_op_info[op];
        struct ptx_mods mods = {.order = PTX_WEAK};
        struct ir_inst in = {.op = (uint16_t)op, .mods = &mods, .space = PTX_GLOBAL};
        int kind = row->kind & ~PTX_KIND_FLOAT;
        bool flow = kind >= PTX_KIND_BRANCH && kind <= PTX_KIND_TRAP && kind != PTX_KIND_CALL;
        if (kind >= PTX_KIND_ADD && kind <= PTX_KIND_MAX)
            assert_int_equal(row->types & (row->kind & PTX_KIND_FLOAT ? ~floats : floats), 0);
        assert_int_equal(!!(row->kind & PTX_KIND_WIDE), row->form == PTX_FORM_WIDE2 || row->form == PTX_FORM_WIDE3);
        if (kind == PTX_KIND_SHL || kind == PTX_KIND_SHR)
            assert_int_equal(row->form, PTX_FORM_SHIFT);
        else if (kind == PTX_KIND_MAD)
            assert_int_equal(row->form, PTX_FORM_TRI);
        else if (kind == PTX_KIND_NEG || kind == PTX_KIND_ABS || kind == PTX_KIND_NOT || kind == PTX_KIND_RCP || kind == PTX_KIND_SQRT)
            assert_int_equal(row->form, PTX_FORM_UN);
        else if (kind >= PTX_KIND_ADD && kind <= PTX_KIND_XOR)
            assert_int_equal(row->form, PTX_FORM_BIN);
        assert_int_equal(flow || op == PTX_OP_BRKPT, facts_syncs(&in) == FACT_GOES);
        if (kind == PTX_KIND_LOAD || kind == PTX_KIND_LOADU || kind == PTX_KIND_TEXTURE || kind == PTX_KIND_SURFACE_LOAD)
            assert_true(facts_reads(&in) && !facts_writes(&in) && row->class == PTX_CLASS_LOAD);
        if (kind == PTX_KIND_STORE || kind == PTX_KIND_SURFACE_STORE || kind == PTX_KIND_MATRIX_STORE)
            assert_true(facts_writes(&in) && !facts_reads(&in) && row->class == PTX_CLASS_STORE);
        assert_int_equal(kind == PTX_KIND_ATOMIC || kind == PTX_KIND_REDUCE, row->class == PTX_CLASS_ATOM || row->class == PTX_CLASS_RED);
        assert_int_equal(kind == PTX_KIND_BARRIER, row->class == PTX_CLASS_BARRIER && !(facts_reads(&in) | facts_writes(&in)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_say_what_they_do),
        cmocka_unit_test(every_row_is_looked_at),
        cmocka_unit_test(each_wrong_fact_is_noticed),
        cmocka_unit_test(what_follows),
        cmocka_unit_test(kinds_fit_their_rows),
    };
    return cmocka_run_group_tests(tests, build_all, free_all);
}
