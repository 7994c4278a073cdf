/* Machine code before Turing: small kernels, worked out by hand from what is published; no assembler for these GPUs was asked.
 *
 * Sources, by the mark of each case:
 *   [tables]  the operations of an architecture: operations.def names where they are from
 *   [isa]     PTX ISA, "Target ISA Notes": from which compute capability on an instruction is there
 *   [guide]   CUDA C Programming Guide 4.2, F.1 and F.3: features of 1.x, FMAD
 *   [tesla]   public listings of sm_10 and sm_12 (cuobjdump, nvdisasm 6.5) and envytools, "Tesla CUDA ISA"
 *   [fermi]   public listings of sm_20 and asfermi's examples; [kepler] of sm_35; [maxwell] of sm_52 and sm_61; [volta] of sm_70
 *   [forum]   NVIDIA developer forum, "XMAD meaning": mul.lo.u32 is XMAD, XMAD.MRG, XMAD.PSL.CBCC */
#include "target_test.h"

#include "target/code.h"

static const int archs[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72};
enum { ARCHS = sizeof archs / sizeof *archs };

struct made {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct code *c;
};

/* A kernel of these statements. %rd0 = p, %r0 = n, %r1 = tid, %r2 = ctaid, %f1 and %f2 loaded from p and p + 4; %f1 is stored there. */
static struct made make(const char *statements, int arch)
{
    struct made a;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text,
                ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                ".reg .pred %%p<8>; .reg .b16 %%h<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<20>; .reg .f64 %%d<9>;\n"
                ".shared .align 4 .b8 sh[1024];\n"
                "ld.param.u64 %%rd0, [p]; ld.param.u32 %%r0, [n]; mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;\n"
                "ld.global.f32 %%f1, [%%rd0]; ld.global.f32 %%f2, [%%rd0+4];\n%s\nst.global.f32 [%%rd0], %%f1;\nret;\n}\n", statements);
    a.m = parse_text("code.ptx", text.s);
    a.k = build_kernel(a.m, "k");
    assert_null(a.k->problems);
    rewrite(a.k);
    strbuf_release(&text);
    a.c = target_code(a.k, arch, TARGET_LAID_OUT);
    return a;
}

static void drop(struct made *a)
{
    code_free(a->c);
    ir_free(a->k);
    ptx_free(a->m);
}

static void print(const struct code *c, struct strbuf *out)
{
    for (int32_t i = 0; i < c->ninsts; i++) {
        code_print(&c->insts[i], out);
        strbuf_adds(out, "\n");
    }
}

/* "FADD 1, LD 2": how many of each there are; others are not looked at. */
static void has(const char *statements, int arch, const char *wanted)
{
    struct made a = make(statements, arch);
    int32_t counts[OPS], pipes[PIPES];
    code_count(a.c, counts, pipes);
    for (const char *at = wanted; *at;) {
        size_t letters = strcspn(at, " ");
        enum machine_op op = arch_op_named(at, letters);
        int n = atoi(at + letters);
        assert_int_not_equal(op, OP_NONE);
        if (n != counts[op]) {
            struct strbuf text;
            strbuf_init(&text);
            print(a.c, &text);
            fail_msg("sm_%d: %d %.*s, not %d, of\n%s\n%s", arch, (int)counts[op], (int)letters, at, n, statements, text.s);
        }
        at += strcspn(at, ",");
        at += strspn(at, ", ");
    }
    drop(&a);
}

/* The listing has the line. */
static void says(const char *statements, int arch, const char *line)
{
    struct made a = make(statements, arch);
    struct strbuf text;
    strbuf_init(&text);
    print(a.c, &text);
    if (!strstr(text.s, line))
        fail_msg("sm_%d: no '%s' in\n%s", arch, line, text.s);
    strbuf_release(&text);
    drop(&a);
}

/* Operations that the architecture does not have. */
static void lacks(const char *statements, int arch, enum machine_op wanted)
{
    struct made a = make(statements, arch);
    enum machine_op missing[OPS];
    int n = code_missing(a.c, missing);
    assert_int_equal(n, wanted != OP_NONE);
    if (n)
        assert_int_equal(missing[0], wanted);
    drop(&a);
}

static const char product[] = "mul.lo.u32 %r3, %r1, %r2; mul.lo.u32 %r3, %r3, %r3; cvt.rn.f32.u32 %f1, %r3;";
static const char multiply_add[] = "fma.rn.f32 %f1, %f1, %f2, %f2;";

static void products(void **state)
{
    (void)state;
    /* [tesla]: tid and ctaid have 16 bits, their product is one IMUL.U16; a product of 32 bits IMUL.U16, IMAD.U16, SHL, IMAD.U16 */
    has(product, 13, "IMUL 2, IMAD 2, SHL 1, XMAD 0");
    has(product, 20, "IMUL 2, IMAD 0, XMAD 0"); /* [fermi] [tables] */
    has(product, 35, "IMUL 2, IMAD 0, XMAD 0");
    has(product, 52, "XMAD 6, IMAD 0, IMUL 0"); /* [forum] three to one product; no IMAD */
    has(product, 61, "XMAD 6, IMAD 0, IMUL 0");
    says(product, 70, "IMAD R6, R2, R3, RZ"); /* [volta] */
    says(product, 52, "XMAD.PSL.CBCC");
    has("mad.lo.u32 %r3, %r1, %r0, %r1; cvt.rn.f32.u32 %f1, %r3;", 35, "IMAD 1, IMUL 0"); /* [kepler] IMAD R0, R0, c[0x0][0x28], R3 */
    /* a product of 16 bits is one XMAD [tables] */
    has("cvt.u16.u32 %h1, %r1; mul.wide.u16 %r3, %h1, %h1; cvt.rn.f32.u32 %f1, %r3;", 52, "XMAD 1");
}

static void addresses(void **state)
{
    (void)state;
    static const char index[] = "mul.wide.s32 %rd1, %r1, 4; add.s64 %rd2, %rd0, %rd1; ld.global.f32 %f3, [%rd2]; add.f32 %f1, %f2, %f3;";
    has(index, 13, "SHL 1, IADD 1, GLD 2, GST 1"); /* [tesla] SHL, IADD32 R0, g[0x4], R2: 32 bits */
    has(index, 20, "IMAD 2, LD 2, ST 1, LDG 0, STG 0"); /* [fermi] IMAD.CC, and the upper half */
    has(index, 35, "ISCADD 1, IMAD 1, LD 2"); /* [kepler] ISCADD R2.CC; IMAD.HI.X */
    has(index, 52, "SHL 1, SHR 1, IADD 2, LDG 2, STG 1, LEA 0"); /* [maxwell] SHL, SHR, IADD.CC, IADD.X */
    has(index, 70, "SHL 0, SHR 0, LEA 0, LDG 2");
    says(index, 70, "IMAD.WIDE"); /* [volta] */
    says(index, 35, "IMAD.HI.X");
    says(index, 13, "g[0x4]");          /* [tesla] the first parameter, byte 16 of shared memory */
    says(index, 20, "c[0x0][0x20]");    /* [fermi] */
    says(index, 52, "c[0x0][0x140]");   /* [maxwell] */
    says(index, 70, "c[0x0][0x160]");   /* [volta] */
    /* read-only loads: LDG since 3.2 [isa]; other loads of Kepler are LD [kepler] */
    has("ld.global.nc.f32 %f3, [%rd0+8]; add.f32 %f1, %f2, %f3;", 35, "LDG 1, LD 1");
    has("ld.global.nc.f32 %f3, [%rd0+8]; add.f32 %f1, %f2, %f3;", 52, "LDG 2, LD 0");
}

static void floats(void **state)
{
    (void)state;
    for (int a = 0; a < ARCHS; a++) /* no FFMA on a G80 or GT200 [tables] [guide] */
        has(multiply_add, archs[a], archs[a] < 20 ? "FMAD 1, FFMA 0" : "FMAD 0, FFMA 1");
    has("rsqrt.approx.ftz.f32 %f1, %f1;", 10, "RSQ 1, MUFU 0"); /* [tables] */
    has("rsqrt.approx.ftz.f32 %f1, %f1;", 20, "RSQ 0, MUFU 1");
    has("sqrt.approx.ftz.f32 %f1, %f1;", 35, "MUFU 2"); /* no MUFU.SQRT before 5.2 */
    has("sqrt.approx.ftz.f32 %f1, %f1;", 52, "MUFU 1");
    has("sin.approx.f32 %f1, %f1;", 10, "RRO 1, SIN 1"); /* [tesla] RRO R2, R0, SIN; SIN R1, R2 */
    has("sin.approx.f32 %f1, %f1;", 61, "RRO 1, MUFU 1, FMUL 0");
    has("sin.approx.f32 %f1, %f1;", 70, "RRO 0, MUFU 1, FMUL 1"); /* [tables] no RRO from Volta on */
    has("cvt.f64.f32 %d1, %f1; min.f64 %d1, %d1, 0d3FF0000000000000; cvt.rn.f32.f64 %f1, %d1;", 35, "DMNMX 1, DSETP 0"); /* [kepler] */
    lacks("cvt.f64.f32 %d1, %f1; add.f64 %d1, %d1, %d1; cvt.rn.f32.f64 %f1, %d1;", 12, OP_DADD); /* [guide] doubles since 1.3 */
    lacks("cvt.f64.f32 %d1, %f1; add.f64 %d1, %d1, %d1; cvt.rn.f32.f64 %f1, %d1;", 13, OP_NONE);
    lacks("cvt.rn.f16.f32 %h1, %f1; fma.rn.f16 %h1, %h1, %h1, %h1; cvt.f32.f16 %f1, %h1;", 52, OP_HFMA2); /* [isa] since 5.3 */
    lacks("cvt.rn.f16.f32 %h1, %f1; fma.rn.f16 %h1, %h1, %h1, %h1; cvt.f32.f16 %f1, %h1;", 53, OP_NONE);
}

static void logic(void **state)
{
    (void)state;
    static const char two[] = "and.b32 %r3, %r1, %r0; xor.b32 %r4, %r3, %r2; cvt.rn.f32.u32 %f1, %r4;";
    has(two, 35, "LOP 2, LOP3 0"); /* [tables] LOP3 since Maxwell */
    has(two, 52, "LOP 0, LOP3 1");
    static const char three[] = "add.u32 %r3, %r1, %r0; add.u32 %r4, %r3, %r2; cvt.rn.f32.u32 %f1, %r4;";
    has(three, 35, "IADD 2, IADD3 0"); /* [tables] IADD3 since Maxwell */
    has(three, 52, "IADD 0, IADD3 1");
    has("shl.b32 %r3, %r1, %r2; shr.u32 %r3, %r3, 3; cvt.rn.f32.u32 %f1, %r3;", 35, "SHL 1, SHR 1, SHF 0"); /* [kepler] */
    has("shl.b32 %r3, %r1, 5; add.u32 %r4, %r3, %r2; cvt.rn.f32.u32 %f1, %r4;", 35, "ISCADD 1, LEA 0, SHL 0"); /* [kepler] */
    has("shl.b32 %r3, %r1, 5; add.u32 %r4, %r3, %r2; cvt.rn.f32.u32 %f1, %r4;", 13, "ISCADD 0, SHL 1, IADD 1"); /* [tesla] */
    has("bfe.u32 %r3, %r1, 3, 5; cvt.rn.f32.u32 %f1, %r3;", 35, "BFE 1"); /* [tables] */
    has("min.s32 %r3, %r1, %r0; cvt.rn.f32.s32 %f1, %r3;", 13, "IMIN 1, IMNMX 0"); /* [tables] */
    has("max.s32 %r3, %r1, %r0; cvt.rn.f32.s32 %f1, %r3;", 13, "IMAX 1, IMNMX 0");
    has("max.s32 %r3, %r1, %r0; cvt.rn.f32.s32 %f1, %r3;", 20, "IMAX 0, IMNMX 1");
}

static void flow(void **state)
{
    (void)state;
    static const char branch[] = "setp.gt.f32 %p1, %f1, %f2; @%p1 bra L; bar.sync 0; L: add.f32 %f1, %f1, %f2;";
    has(branch, 13, "SSY 1, NOP 1, FSET 1, FSETP 0, BSSY 0, RET 1, EXIT 0"); /* [tesla] SSY; NOP.S */
    has(branch, 35, "SSY 1, NOP 1, SYNC 0, FSETP 1, EXIT 1"); /* [kepler] */
    has(branch, 52, "SSY 1, SYNC 1, BSSY 0, BSYNC 0"); /* [maxwell] */
    has(branch, 70, "BSSY 1, BSYNC 1, BMOV 1, SSY 0"); /* [volta] BMOV.32.CLEAR before BSSY */
    for (int a = 0; a < ARCHS && archs[a] < 70; a++)
        has(branch, archs[a], "BMOV 0, WARPSYNC 0, BSSY 0, BSYNC 0");
    says("add.f32 %f1, %f1, %f2;", 70, "@!PT SHFL.IDX PT, RZ, RZ, RZ, RZ"); /* [volta] */
    has("add.f32 %f1, %f1, %f2;", 75, "SHFL 0");
    has("add.f32 %f1, %f1, %f2;", 13, "MOV 1, S2R 0"); /* [tesla] no stack pointer; an address that is a parameter */
    says("add.f32 %f1, %f1, %f2;", 20, "c[0x1][0x100]"); /* [fermi] */
    says("add.f32 %f1, %f1, %f2;", 35, "c[0x0][0x44]"); /* [kepler] */
}

/* No registers of the whole warp before Turing [tables]. */
static void uniform(void **state)
{
    (void)state;
    static const char loop[] = "mov.u32 %r3, 0; L: mul.lo.u32 %r4, %r2, %r0; fma.rn.f32 %f1, %f1, %f1, %f2; add.u32 %r3, %r3, %r4; setp.lt.s32 %p1, %r3, %r0; @%p1 bra L;";
    for (int a = 0; a < ARCHS; a++) {
        struct made m = make(loop, archs[a]);
        for (int32_t i = 0; i < m.c->ninsts; i++) {
            const struct machine_inst *in = &m.c->insts[i];
            assert_false(arch_op_name((enum machine_op)in->op)[0] == 'U');
            for (int s = 0; s < in->nsources; s++)
                assert_true(in->source[s].file != FILE_UNIFORM && in->source[s].file != FILE_UNIFORM_PREDICATE);
            for (int d = 0; d < in->nresults; d++)
                assert_true(in->result[d].file != FILE_UNIFORM && in->result[d].file != FILE_UNIFORM_PREDICATE);
        }
        drop(&m);
    }
}

static void memory(void **state)
{
    (void)state;
    static const char shared[] = "mov.u32 %r3, sh; shl.b32 %r4, %r1, 2; add.u32 %r5, %r3, %r4; st.shared.f32 [%r5], %f1; bar.sync 0; ld.shared.f32 %f1, [%r5+4];";
    has(shared, 13, "R2A 2, R2G 1, G2R 1, LDS 0, STS 0, SHL 0"); /* [tesla] R2A A1, R7, 0x2 */
    has(shared, 35, "LDS 1, STS 1, SHL 1");
    static const char atomic[] = "mov.u32 %r3, sh; atom.shared.add.u32 %r4, [%r3], %r1; cvt.rn.f32.u32 %f1, %r4;";
    has(atomic, 20, "LDSLK 1, STSUL 1, ATOMS 0, SSY 1"); /* [fermi] Wilt, The CUDA Handbook, listing 8.2 */
    has(atomic, 52, "LDSLK 0, ATOMS 1");
    has("atom.global.add.u32 %r4, [%rd0], %r1; cvt.rn.f32.u32 %f1, %r4;", 11, "GATOM 1"); /* [guide] */
    lacks("atom.global.add.u32 %r4, [%rd0], %r1; cvt.rn.f32.u32 %f1, %r4;", 10, OP_ATOMG); /* [guide] since 1.1 */
    lacks(atomic, 11, OP_ATOMS); /* [guide] since 1.2 */
}

/* What PTX has only for later devices: the code keeps it, and says that it is not there [isa]. */
static void missing(void **state)
{
    (void)state;
    static const char shuffle[] = "shfl.sync.down.b32 %r3, %r1, 1, 31, -1; cvt.rn.f32.u32 %f1, %r3;";
    lacks(shuffle, 21, OP_SHFL);
    lacks(shuffle, 30, OP_NONE);
    lacks("dp4a.u32.u32 %r3, %r1, %r0, %r2; cvt.rn.f32.u32 %f1, %r3;", 60, OP_IDP);
    lacks("dp4a.u32.u32 %r3, %r1, %r0, %r2; cvt.rn.f32.u32 %f1, %r3;", 61, OP_NONE);
    has("dp4a.u32.u32 %r3, %r1, %r0, %r2; cvt.rn.f32.u32 %f1, %r3;", 61, "DP4A 1, IDP 0"); /* maxas */
    has("dp2a.lo.u32.u32 %r3, %r1, %r0, %r2; cvt.rn.f32.u32 %f1, %r3;", 61, "DP2A 1, DP4A 0");
    lacks("redux.sync.add.u32 %r3, %r1, -1; cvt.rn.f32.u32 %f1, %r3;", 75, OP_REDUX);
}

/* Before 7.0 the cores do what alu and fma do; each instruction has a unit or none, none is of a unit that came later. */
static void units(void **state)
{
    (void)state;
    assert_int_equal(arch_op_pipe(52, OP_XMAD), PIPE_CORE);
    assert_int_equal(arch_op_pipe(10, OP_FMAD), PIPE_CORE);
    assert_int_equal(arch_op_pipe(70, OP_IMAD), PIPE_FMAHEAVY);
    assert_int_equal(arch_op_pipe(35, OP_DFMA), PIPE_FP64);
    assert_int_equal(arch_op_pipe(10, OP_RSQ), PIPE_XU);
    assert_int_equal(arch_op_pipe(52, OP_EXIT), PIPE_NONE);
    assert_int_equal(arch_op_cycles(13, OP_FMAD), 24); /* Wong et al. 2010 */
    assert_int_equal(arch_op_cycles(52, OP_FFMA), 6); /* MaxAsGrammar.pm: x32T */
    assert_int_equal(arch_op_cycles(70, OP_FFMA), 4); /* Jia et al. 2018 */
    for (int a = 0; a < ARCHS; a++) {
        struct made m = make("div.rn.f32 %f1, %f1, %f2; rem.s32 %r3, %r1, %r0; cvt.rn.f32.s32 %f2, %r3; add.f32 %f1, %f1, %f2;", archs[a]);
        enum machine_op lost[OPS];
        int32_t counts[OPS], pipes[PIPES];
        assert_int_equal(code_missing(m.c, lost), 0);
        code_count(m.c, counts, pipes);
        if (archs[a] < 70)
            assert_true(pipes[PIPE_CORE] > 0 && !pipes[PIPE_ALU] && !pipes[PIPE_FMA] && !pipes[PIPE_FMAHEAVY] && !pipes[PIPE_ADU] && !pipes[PIPE_CBU]);
        else
            assert_int_equal(pipes[PIPE_CORE], 0);
        assert_int_equal(pipes[PIPE_UNIFORM], 0);
        drop(&m);
    }
}

/* Which are compared with an assembler, and which modelled only. */
static void verified(void **state)
{
    (void)state;
    for (int a = 0; a < ARCHS; a++) {
        assert_true(arch_is_known(archs[a]));
        assert_false(arch_is_verified(archs[a]));
        const struct generation *g = arch_generation(archs[a]);
        assert_true(archs[a] >= g->from && archs[a] <= g->to);
    }
    assert_true(arch_is_verified(75) && arch_is_verified(86) && arch_is_verified(90));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products), cmocka_unit_test(addresses), cmocka_unit_test(floats), cmocka_unit_test(logic), cmocka_unit_test(flow),
        cmocka_unit_test(uniform), cmocka_unit_test(memory), cmocka_unit_test(missing), cmocka_unit_test(units), cmocka_unit_test(verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
