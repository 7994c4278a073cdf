/* The rewritten IR holds as many loads and stores of each width, atomics and floating-point instructions as the vendor's
 * assembler makes of the same PTX (loops not unrolled): tests/truth/sass_cases.tsv for one-purpose kernels,
 * sass_static.tsv for whole programs from both compilers. The tables are made by tools/sass_static.py. */
#include "target_test.h"
#include "target/arch.h"

/* Where the assembler does more than target does, and why. A line here that is no longer needed fails. */
#define ASYNC "the assembler puts LDS RZ, [RZ] behind each LDGSTS, which the profiler's counts of shared loads leave out"
static const struct difference {
    const char *file, *kernel, *reason;
} differences[] = {
    {"async_copy.clang.ptx", "_Z11stage_asyncI6float2EvPKfPfi", ASYNC},
    {"async_copy.clang.ptx", "_Z11stage_asyncI6float4EvPKfPfi", ASYNC},
    {"async_copy.clang.ptx", "_Z11stage_asyncIfEvPKfPfi", ASYNC},
    {"async_copy.clang.ptx", "_Z12stage_doublePKfPfi", ASYNC},
    {"async_copy.nvcc.ptx", "_Z11stage_asyncI6float2EvPKfPfi", ASYNC},
    {"async_copy.nvcc.ptx", "_Z11stage_asyncI6float4EvPKfPfi", ASYNC},
    {"async_copy.nvcc.ptx", "_Z11stage_asyncIfEvPKfPfi", ASYNC},
    {"async_copy.nvcc.ptx", "_Z12stage_doublePKfPfi", ASYNC},
    {"divergence.clang.ptx", "_Z7branch4Pfi", "an FFMA behind a join is copied into both ways"},
    {"divergence.nvcc.ptx", "_Z7branch2Pfii", "an FFMA behind a join is copied into both ways"},
    {"divergence.nvcc.ptx", "_Z7branch4Pfi", "an FFMA behind a join is copied into both ways"},
    {"occupancy.clang.ptx", "_Z12regs64_spillPKfPfi", "registers are spilled to local memory"},
    {"occupancy.clang.ptx", "_Z12regs64_b1024PKfPfi", "registers are spilled to local memory"},
    {"occupancy.nvcc.ptx", "_Z12regs64_spillPKfPfi", "registers are spilled to local memory"},
    {"occupancy.nvcc.ptx", "_Z12regs64_b1024PKfPfi", "registers are spilled to local memory"},
};

struct counts {
    int memory[8][5]; /* [LD ST LDG STG LDS STS LDL STL][1 2 4 8 16 bytes] */
    int atom, red;
    int flops[6];
};

static const char *const flop_names[] = {"FADD", "FMUL", "FFMA", "DADD", "DMUL", "DFMA"};
static const char *const memory_names[] = {"LD", "ST", "LDG", "STG", "LDS", "STS", "LDL", "STL"};

static void count_inst(const struct ir_inst *in, struct counts *c)
{
    static const int row_of[] = {[PTX_GENERIC] = 0, [PTX_GLOBAL] = 2, [PTX_SHARED] = 4, [PTX_LOCAL] = 6,
                                 [PTX_CONST] = -1, [PTX_PARAM] = -1, [IR_SCRATCH] = -1};
    if (in->op == PTX_OP_ATOM && in->space != PTX_SHARED)
        c->atom++;
    if (in->op == PTX_OP_RED && in->space != PTX_SHARED)
        c->red++;
    if ((in->op != PTX_OP_LD && in->op != PTX_OP_ST) || row_of[in->space] < 0)
        return;
    int bytes = ptx_type_info[in->type].bits / 8 * in->vec;
    c->memory[row_of[in->space] + (in->op == PTX_OP_ST)][__builtin_ctz((unsigned)bytes)]++;
}

static struct counts count_kernel(const struct ir_kernel *k)
{
    struct counts c = {0};
    struct arena arena;
    arena_init(&arena);
    const struct target_tables *t = target_tables(k, &arena, ARCH_USUAL, NULL);
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct target_flops *f = &t->flops[i];
        const int flops[] = {f->fadd, f->fmul, f->ffma, f->dadd, f->dmul, f->dfma};
        count_inst(&k->insts[i], &c);
        for (int j = 0; j < 6; j++)
            c.flops[j] += flops[j];
    }
    arena_release(&arena);
    return c;
}

static struct counts read_counts(char *text)
{
    struct counts c = {0};
    for (char *word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
        char name[16];
        int bits = 0, n = 0, found = 0;
        if (sscanf(word, "%15[A-Z].%d=%d", name, &bits, &n) != 3)
            assert_int_equal(sscanf(word, "%15[A-Z]=%d", name, &n), 2);
        for (int i = 0; i < 8 && bits; i++)
            if (!strcmp(name, memory_names[i]))
                found = c.memory[i][__builtin_ctz((unsigned)bits / 8)] = n;
        for (int i = 0; i < 6; i++)
            if (!strcmp(name, flop_names[i]))
                found = c.flops[i] = n;
        if (!strcmp(name, "ATOM"))
            found = c.atom = n;
        if (!strcmp(name, "RED"))
            found = c.red = n;
        if (!found)
            fail_msg("what is '%s'?", word);
    }
    return c;
}

static void print_counts(const char *who, const struct counts *c)
{
    print_error("  %s:", who);
    for (int i = 0; i < 8; i++)
        for (int w = 0; w < 5; w++)
            if (c->memory[i][w])
                print_error(" %s.%d=%d", memory_names[i], 8 << w, c->memory[i][w]);
    for (int i = 0; i < 6; i++)
        if (c->flops[i])
            print_error(" %s=%d", flop_names[i], c->flops[i]);
    print_error(" ATOM=%d RED=%d\n", c->atom, c->red);
}

static const char *known_difference(const char *file, const char *kernel)
{
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (!strcmp(differences[i].file, file) && !strcmp(differences[i].kernel, kernel))
            return differences[i].reason;
    return NULL;
}

/* What ptxas 13.0 (V13.0.88) makes of the one-purpose kernels for -arch=sm_75, sm_80, sm_86 and sm_89 where that is something else
 * than for sm_90, all four alike (tools/sass_static.py on copies with another .target, 2026-11-29). */
static const struct {
    const char *file, *kernel, *counts;
} before_90[] = {{"arms.ptx", "shared_long", "LDG.32=2 LDS.32=1 STG.32=1"}};

/* 0: as it should be; 1: not; -1: the kernel cannot be built yet. */
static int check_kernel(const struct ptx_module *m, const char *file, const char *kernel, int arch, const char *of_90)
{
    char expected[512];
    snprintf(expected, sizeof expected, "%s", of_90);
    for (size_t i = 0; arch < 90 && i < sizeof before_90 / sizeof *before_90; i++)
        if (!strcmp(before_90[i].file, file) && !strcmp(before_90[i].kernel, kernel))
            snprintf(expected, sizeof expected, "%s", before_90[i].counts);
    struct ir_kernel *k = build_kernel(m, kernel);
    if (k->problems) {
        print_message("%s %s is not compared: %s\n", file, kernel, k->problems->text);
        ir_free(k);
        return -1;
    }
    rewrite_for(k, arch);
    struct counts want = read_counts(expected), got = count_kernel(k);
    ir_free(k);
    const char *known = known_difference(file, kernel);
    bool equal = !memcmp(&want, &got, sizeof want);
    if (equal == !known)
        return 0;
    print_error("%s %s: %s\n", file, kernel, equal ? "is equal now; known difference to be removed" : "differs");
    print_counts("assembler", &want);
    print_counts("target", &got);
    return 1;
}

static void check_table(const char *table, const char *folder, int arch, int least)
{
    char *text = read_text(table), open_file[256] = "", *rest = NULL;
    struct ptx_module *m = NULL;
    int bad = 0, compared = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char file[256], kernel[512], path[1024];
        int at = 0;
        if (line[0] == '#' || !strncmp(line, "file\t", 5))
            continue;
        assert_int_equal(sscanf(line, "%255[^\t]\t%511[^\t]\t%n", file, kernel, &at), 2);
        if (strcmp(file, open_file)) {
            ptx_free(m);
            snprintf(path, sizeof path, "%s/%s", folder, file);
            char *ptx = read_text(path);
            m = parse_text(file, ptx);
            free(ptx);
            strcpy(open_file, file);
        }
        int result = check_kernel(m, file, kernel, arch, line + at);
        bad += result > 0;
        compared += result >= 0;
    }
    ptx_free(m);
    free(text);
    print_message("%d kernels of %s compared, sm_%d\n", compared, table, arch);
    assert_int_equal(bad, 0);
    assert_true(compared >= least);
}

static void one_purpose_kernels(void **state)
{
    (void)state;
    check_table(TESTS "/truth/sass_cases.tsv", TESTS "/ptx/target", 90, 150);
}

static void earlier_architectures(void **state)
{
    (void)state;
    static const int archs[] = {75, 80, 86, 89};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        check_table(TESTS "/truth/sass_cases.tsv", TESTS "/ptx/target", archs[i], 150);
}

static void whole_programs(void **state)
{
    (void)state;
    check_table(TESTS "/truth/sass_static.tsv", TESTS "/truth/ptx", 90, 135);
}

/* Which element goes where: the counts above would not see a mix-up. */
static void merged_operands(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text("t.ptx",
        ".version 8.4\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[64];\n"
        ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<2>;\n"
        "ld.param.u64 %rd1, [p];\nld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n"
        "st.shared.u32 [s+24], %r1;\nst.shared.u32 [s+16], %r2;\nst.shared.u32 [s+28], 7;\nst.shared.u32 [s+20], %r3;\n"
        "bar.sync 0;\n"
        "ld.shared.u32 %r5, [s+40];\nld.shared.u32 %r6, [s+32];\nld.shared.u32 %r7, [s+36];\n"
        "st.global.u32 [%rd1+64], %r5;\nst.global.u32 [%rd1+128], %r6;\nst.global.u32 [%rd1+192], %r7;\nret;\n}\n");
    struct ir_kernel *k = build_kernel(m, "k");
    struct strbuf b;
    strbuf_init(&b);
    rewrite(k);
    ir_print(k, &b);
    const char *const expected[] = {
        "r1, r2, r3, _ = ld.global.v4.u32 [r0+0] ",
        "st.shared.v4.u32 [0x0+16], r2, r3, r1, 0x7 ",
        "r6, r7, r5, _ = ld.shared.v4.u32 [0x0+32] ",
    };
    const char *at = b.s;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        at = strstr(at, expected[i]);
        if (!at)
            fail_msg("no '%s' in\n%s", expected[i], b.s);
    }
    strbuf_release(&b);
    ir_free(k);
    ptx_free(m);
}

/* Floating-point instructions behind the last EXIT of a comment, as "FADD STG @P0 EXIT FMUL STG". */
static int floats_behind_exit(const char *from, const char *to)
{
    int n = 0;
    bool left = false;
    for (const char *at = from; at < to; at++) {
        bool begins = at[-1] == ' ';
        if (begins && !strncmp(at, "EXIT", 4)) {
            left = true;
            n = 0;
        }
        for (int i = 0; begins && i < 6; i++)
            n += !strncmp(at, flop_names[i], 4);
    }
    return left ? n : 0;
}

/* The same in the block of the last global store or reduction. */
static int floats_at_last_store(const struct ir_kernel *k)
{
    struct arena arena;
    int n = 0, block = -1;
    arena_init(&arena);
    const struct target_tables *t = target_tables(k, &arena, ARCH_USUAL, NULL);
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == PTX_OP_ST || k->insts[i].op == PTX_OP_RED)
            block = k->insts[i].block;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].block == block)
            n += t->flops[i].fadd + t->flops[i].fmul + t->flops[i].ffma + t->flops[i].dadd + t->flops[i].dmul +
                 t->flops[i].dfma;
    arena_release(&arena);
    return n;
}

/* Arithmetic stands on the side of a branch where the comment of each kernel says the assembler put it. */
static void sunk(void **state)
{
    (void)state;
    char *text = read_text(TESTS "/ptx/target/sinking.ptx");
    struct ptx_module *m = parse_text("sinking.ptx", text);
    int kernels = 0;
    for (char *entry = strstr(text, "\n.visible .entry "); entry; entry = strstr(entry + 1, "\n.visible .entry ")) {
        char name[64];
        const char *comment = entry;
        assert_int_equal(sscanf(entry, " .visible .entry %63[a-z_]", name), 1);
        while (comment[-1] != '\n')
            comment--;
        struct ir_kernel *k = build_kernel(m, name);
        assert_null(k->problems);
        rewrite(k);
        int want = floats_behind_exit(comment + 1, entry), got = floats_at_last_store(k);
        if (want != got)
            fail_msg("%s: %d floating-point instructions behind the branch instead of %d", name, got, want);
        ir_free(k);
        kernels++;
    }
    assert_int_equal(kernels, 24);
    ptx_free(m);
    free(text);
}

/* The block that divides: the first one, or that behind the branch out of the kernel. ptxas 13.0 (V13.0.88, -arch=sm_90), 2026-11-29:
 * FSEQ means the branch, MUFU the quotient. */
static void divides_in(const char *quotient, const char *behind, bool moves)
{
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text,
                ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                ".reg .pred %%p<9>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>;\nld.param.u64 %%rd0, [p]; ld.param.u32 %%r0, [n];\n"
                "mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd1, %%r1, 4; add.s64 %%rd0, %%rd0, %%rd1; ld.global.u32 %%r5, [%%rd0];\n"
                "%s\nsetp.gt.u32 %%p1, %%r1, %%r0; @%%p1 bra L;\n%s\nst.global.u32 [%%rd0], %%r6;\nL: ret;\n}\n", quotient, behind);
    struct ptx_module *m = parse_text("quotient.ptx", text.s);
    struct ir_kernel *k = build_kernel(m, "k");
    rewrite(k);
    int divisions = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (ir_is(&k->insts[i], PTX_KIND_DIV) || ir_is(&k->insts[i], PTX_KIND_REM)) {
            assert_true((k->insts[i].block > 0) == moves);
            divisions++;
        }
    assert_int_equal(divisions, 1);
    ir_free(k);
    ptx_free(m);
    strbuf_release(&text);
}

static void quotients(void **state)
{
    (void)state;
    const char *load = "ld.global.u32 %r7, [%rd0+256]; add.u32 %r6, %r6, %r7;"; /* something to wait for */
    divides_in("div.u32 %r6, %r5, %r0;", "", false);                            /* LDG MUFU EXIT STG */
    divides_in("div.u32 %r6, %r5, %r0;", load, true);                           /* LDG EXIT LDG MUFU STG */
    divides_in("rem.s32 %r6, %r5, %r0;", load, true);
    divides_in("cvt.u64.u32 %rd5, %r5; div.u64 %rd6, %rd5, %rd0; cvt.u32.u64 %r6, %rd6;", load, false); /* LDG CALL EXIT LDG STG */
    divides_in("div.u32 %r6, %r5, %r0; st.global.u32 [%rd0+512], %r6;", load, false); /* used in front */
}

/* Each kernel of a file of tests/ptx/target, rewritten. Returns how many there are. */
static int each_rewritten(const char *file, void (*look)(const struct ir_kernel *k))
{
    char path[300];
    snprintf(path, sizeof path, TESTS "/ptx/target/%s", file);
    char *text = read_text(path);
    struct ptx_module *m = parse_text(file, text);
    int kernels = 0;
    for (int f = 0; f < m->nfuncs; f++, kernels++) {
        struct ir_kernel *k = build_kernel(m, m->funcs[f]->name);
        assert_null(k->problems);
        rewrite(k);
        look(k);
        ir_free(k);
    }
    ptx_free(m);
    free(text);
    return kernels;
}

/* The names in hoisting.ptx and advancing.ptx end with how many instructions come to stand before the branch. */
static void look_before_branch(const struct ir_kernel *k)
{
    const struct ir_inst *branch = &k->insts[k->blocks[0].count - 1];
    int want = atoi(strrchr(k->name, '_') + 1), got = 0;
    for (const struct ir_inst *in = k->insts; in < branch; in++)
        got += in->id > branch->id;
    if (want != got)
        fail_msg("%s: %d instructions came to stand before the branch", k->name, got);
}

static void hoisted(void **state)
{
    (void)state;
    assert_int_equal(each_rewritten("hoisting.ptx", look_before_branch), 13);
}

static void advanced(void **state)
{
    (void)state;
    assert_int_equal(each_rewritten("advancing.ptx", look_before_branch), 15);
}

/* The names in selects.ptx say which sum or product is under a predicate behind ptxas. */
static void look_for_guards(const struct ir_kernel *k)
{
    int guarded = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        guarded += k->insts[i].guard != IR_NOREG && (k->insts[i].op == PTX_OP_FADD || k->insts[i].op == PTX_OP_FMUL || k->insts[i].op == PTX_OP_FMA);
    if (guarded != !strncmp(k->name, "pred_", 5))
        fail_msg("%s: %d under a predicate", k->name, guarded);
}

static void selected(void **state)
{
    (void)state;
    assert_int_equal(each_rewritten("selects.ptx", look_for_guards), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_purpose_kernels), cmocka_unit_test(earlier_architectures),
        cmocka_unit_test(whole_programs),
        cmocka_unit_test(merged_operands),
        cmocka_unit_test(sunk), cmocka_unit_test(quotients), cmocka_unit_test(hoisted), cmocka_unit_test(advanced), cmocka_unit_test(selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
