/* Order and registers of the machine code: small kernels worked by hand. The beginning of each (target_test.h): R1 is the stack pointer, a
 * pointer, two loads. */
#include "target_test.h"

#include "target/code.h"
#include "target/fit.h"

struct made {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct code *c;
};

static struct made make(const char *statements, enum target_step after)
{
    struct made a;
    a.k = rewritten_of(statements, &a.m);
    a.c = target_code(a.k, 90, after);
    return a;
}

static void drop(struct made *a)
{
    code_free(a->c);
    ir_free(a->k);
    ptx_free(a->m);
}

/* Where the n-th instruction of the operation stands, or -1. */
static int32_t at(const struct code *c, enum machine_op op, int n)
{
    for (int32_t i = 0; i < c->ninsts; i++)
        if (c->insts[i].op == op && n-- == 0)
            return i;
    return -1;
}

static int registers(const char *statements)
{
    struct ptx_module *m;
    struct ir_kernel *k = rewritten_of(statements, &m);
    int n = target_tables(k, &k->arena, ARCH_USUAL, NULL)->registers;
    ir_free(k);
    ptx_free(m);
    return n;
}

/* Loads begin before what waits for the first of them. */
static void loads_first(void **state)
{
    (void)state;
    static const char text[] = "ld.global.f32 %f3, [%rd2+64]; add.f32 %f1, %f1, %f3; ld.global.f32 %f4, [%rd2+128]; add.f32 %f1, %f1, %f4;"
                               "ld.global.f32 %f5, [%rd2+256]; add.f32 %f1, %f1, %f5;";
    struct made a = make(text, TARGET_LAID_OUT), b = make(text, TARGET_SCHEDULED);
    assert_true(at(a.c, OP_FADD, 0) < at(a.c, OP_LDG, 3));
    assert_true(at(b.c, OP_FADD, 0) > at(b.c, OP_LDG, 3));
    assert_int_equal(a.c->ninsts, b.c->ninsts);
    assert_int_equal(b.c->insts[0].op, OP_LDC); /* the stack pointer comes first */
    assert_int_equal(b.c->insts[b.c->ninsts - 1].op, OP_EXIT);
    drop(&a);
    drop(&b);
}

static int32_t result_of(const struct made *a, enum machine_op op, int n)
{
    return a->c->insts[at(a->c, op, n)].result[0].number;
}

/* Parts of a pair are its words, and what a pair is put together of is made in its words where they are free that long. */
static void words_of_pairs(void **state)
{
    (void)state;
    struct made a = make("add.u64 %rd3, %rd2, 8; mov.b64 {%r2, %r3}, %rd3; shfl.sync.bfly.b32 %r4, %r2, 16, 31, -1; shfl.sync.bfly.b32 %r5, %r3, 16, 31, -1; mov.b64 %rd4, {%r4, %r5};"
                         "add.u64 %rd5, %rd3, %rd4; cvt.rn.f32.u64 %f1, %rd5;",
                         TARGET_ALLOCATED);
    const struct machine_inst *low = &a.c->insts[at(a.c, OP_SHFL, 0)], *high = &a.c->insts[at(a.c, OP_SHFL, 1)];
    assert_int_equal(high->source[0].number, low->source[0].number + 1);
    assert_int_equal(result_of(&a, OP_SHFL, 1), result_of(&a, OP_SHFL, 0) + 1);
    assert_int_equal(result_of(&a, OP_SHFL, 0) % 2, 0);
    assert_int_not_equal(result_of(&a, OP_SHFL, 0), low->source[0].number);
    drop(&a);
}

/* What a site becomes comes apart where the order is for time: the loads of two bytes come first, what takes them apart later. */
static void sites_come_apart(void **state)
{
    (void)state;
    struct made a = make("ld.global.v2.u8 {%r2, %r3}, [%rd2+64]; add.u32 %r2, %r2, %r3; ld.global.v2.u8 {%r4, %r5}, [%rd2+128]; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4;"
                         "cvt.rn.f32.u32 %f3, %r2; add.f32 %f1, %f1, %f3;",
                         TARGET_ALLOCATED);
    assert_true(at(a.c, OP_PRMT, 0) > at(a.c, OP_LDG, 3));
    drop(&a);
}

/* A load stays behind a store that may be of the same bytes, and on its side of a barrier; one of other bytes at the same base does not. */
static void memory_in_order(void **state)
{
    (void)state;
    struct made a = make("mul.wide.u32 %rd3, %r1, 8; add.s64 %rd3, %rd3, %rd2; st.global.f32 [%rd2+64], %f1; ld.global.f32 %f3, [%rd3]; add.f32 %f1, %f2, %f3;", TARGET_SCHEDULED);
    assert_true(at(a.c, OP_STG, 0) < at(a.c, OP_LDG, 2));
    drop(&a);
    a = make("st.global.f32 [%rd2+64], %f1; ld.global.f32 %f3, [%rd2+128]; add.f32 %f1, %f2, %f3;", TARGET_SCHEDULED);
    assert_true(at(a.c, OP_STG, 0) > at(a.c, OP_LDG, 2));
    drop(&a);
    a = make("st.global.f32 [%rd2+64], %f1; ld.const.f32 %f3, [%rd2]; bar.sync 0; ld.global.f32 %f4, [%rd2+128]; add.f32 %f1, %f3, %f4;", TARGET_SCHEDULED);
    assert_true(at(a.c, OP_BAR, 0) < at(a.c, OP_LDG, 1));
    assert_true(at(a.c, OP_STG, 0) < at(a.c, OP_BAR, 0));
    drop(&a);
}

/* Every pair begins at an even register, R1 is nobody else's, and no two values alive at once are in one register: an instruction writes
 * what is still read of another nowhere in this straight line. */
static void places(void **state)
{
    (void)state;
    struct made a = make(".reg .f64 %fd<8>; cvt.f64.f32 %fd1, %f1; cvt.f64.f32 %fd2, %f2; add.f64 %fd3, %fd1, %fd2; mul.f64 %fd4, %fd3, %fd1; fma.rn.f64 %fd5, %fd4, %fd3, %fd2;"
                         "cvt.rn.f32.f64 %f1, %fd5;", TARGET_ALLOCATED);
    for (int32_t i = 0; i < a.c->ninsts; i++) {
        const struct machine_inst *in = &a.c->insts[i];
        for (int r = 0; r < in->nresults; r++) {
            if (in->result[r].file != FILE_REGISTER)
                continue;
            if (in->result[r].words == 2)
                assert_int_equal(in->result[r].number % 2, 0);
            assert_int_equal(in->result[r].number == 1, i == 0);
            assert_true(in->result[r].number + in->result[r].words <= 255);
        }
    }
    drop(&a);
}

/* 40 loaded words, all of which are stored behind the last load. */
static void counted(void **state)
{
    (void)state;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&s, "ld.global.f32 %%f%d, [%%rd2+%d];\n", 10 + i, 64 * i + 64);
    for (int i = 0; i < 40; i++)
        strbuf_addf(&s, "st.global.f32 [%%rd2+%d], %%f%d;\n", 32768 + 64 * i, 10 + i);
    /* 40 words, %f1, the pointer's pair, R1: 44, two above, and one that no pair begins at */
    int n = registers(s.s);
    if (n < 46 || n > 47)
        fail_msg("%d registers for 44 words", n);
    strbuf_release(&s);
}

/* Two words of a value of the code before it has physical registers: what one of these holds. */
struct holder {
    int32_t value;
    int word;
};

/* Follows each block twice, as it was before registers were given and as it is: what an instruction reads must be what the register holds.
 * Of what is alive when the block begins only the first read tells. */
static void follow(struct holder *held, const struct operand *v, const struct operand *p, bool writes, const char *name, int32_t i)
{
    const int words = v->words > 2 ? 1 : v->words ? v->words : 1;
    if (v->file != FILE_REGISTER)
        return;
    assert_int_equal(p->file, FILE_REGISTER);
    for (int w = 0; w < words; w++) {
        struct holder *h = &held[p->number + w], wanted = {v->number, v->word + w};
        assert_true(p->number + w < 255);
        if (!writes && h->value >= 0 && (h->value != wanted.value || h->word != wanted.word))
            fail_msg("%s: instruction %d reads word %d of value %d in R%d, which holds word %d of value %d", name, (int)i, wanted.word, (int)wanted.value, (int)p->number + w,
                     h->word, (int)h->value);
        *h = wanted;
    }
}

/* Before Volta a half that is a copy is named where the copy should be: what registers hold is not followed there.
 *
 * Instructions that read single registers, each another one, of them those that read more of a bank than it has ports. */
struct banked {
    int n, meet;
};

static void count_banks(struct banked *b, const struct machine_inst *in, int banks, int ports)
{
    int read[256] = {0}, of_bank[4] = {0}, n = 0, most = 0;
    for (int s = 0; s < in->nsources; s++) {
        const struct operand *o = &in->source[s];
        if (o->file != FILE_REGISTER)
            continue;
        if (o->words != 1)
            return;
        if (read[o->number]++)
            continue;
        n++;
        of_bank[o->number % banks]++;
        most = of_bank[o->number % banks] > most ? of_bank[o->number % banks] : most;
    }
    b->n += in->op != OP_NONE && n > ports;
    b->meet += in->op != OP_NONE && most > ports;
}

static int check_kernel(struct ir_kernel *k, int arch, struct banked *banked)
{
    struct code *v = target_code(k, arch, TARGET_SCHEDULED), *p = target_code(k, arch, TARGET_ALLOCATED);
    struct holder held[256];
    int n = 0;
    assert_int_equal(v->ninsts, p->ninsts);
    for (int32_t b = 0; b < v->nblocks; b++) {
        if (v->blocks[b].times == TIMES_CALLED || v->blocks[b].rounds < 0)
            continue;
        for (int r = 0; r < 256; r++)
            held[r].value = -1;
        for (int32_t i = v->blocks[b].first; i < v->blocks[b].first + v->blocks[b].count; i++, n++) {
            const struct machine_inst *x = &v->insts[i], *y = &p->insts[i];
            assert_int_equal(x->op, y->op);
            count_banks(banked, y, arch_banks(arch), arch_bank_ports(arch));
            for (int s = 0; arch >= 70 && s < x->nsources; s++)
                follow(held, &x->source[s], &y->source[s], false, k->name, i);
            for (int r = 0; arch >= 70 && r < x->nresults; r++)
                follow(held, &x->result[r], &y->result[r], true, k->name, i);
            const struct ir_inst *site = x->site >= 0 && !x->early ? &k->insts[x->site] : NULL;
            for (int r = 0; site && (site->vec > CODE_RESULTS || site->ndst > CODE_RESULTS) && r < 256; r++)
                held[r].value = -1; /* it writes more than its operands name */
        }
    }
    code_free(v);
    code_free(p);
    return n;
}

/* Kernels of tests/truth, with as many registers as they like and with 24. `most`: of 1,000 instructions that could wait for a bank (ptxas leaves 10
 * of 1,000, sm_90). */
static void holders_of(int arch, int most)
{
    static const char *const files[] = {"aat_tile", "bfs", "matmul_coarse", "merge_path", "occupancy", "radix_pass", "scan", "spmv", "struct_size"};
    int n = 0, kernels = 0;
    struct banked b = {0};
    for (size_t f = 0; f < 2 * sizeof files / sizeof *files; f++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/truth/ptx/%s.nvcc.ptx", TESTS, files[f / 2]);
        char *text = read_text(path);
        struct ptx_module *m = parse_text(path, text);
        for (int i = 0; i < m->nfuncs; i++) {
            if (!m->funcs[i]->entry)
                continue;
            struct ir_kernel *k = build_kernel(m, m->funcs[i]->name);
            rewrite(k);
            ((struct ptx_function *)k->function)->maxnreg = f % 2 ? 24 : 0;
            n += check_kernel(k, arch, &b);
            kernels++;
            ir_free(k);
        }
        ptx_free(m);
        free(text);
    }
    assert_true(kernels > 60 && n > 10000 && b.n > 500);
    if (1000 * b.meet > most * b.n)
        fail_msg("sm_%d: %d of %d instructions read too much of a bank", arch, b.meet, b.n);
}

static void holders(void **state)
{
    (void)state;
    holders_of(90, 10);
}

static void holders_of_maxwell(void **state)
{
    (void)state;
    holders_of(52, 65);
}

/* --- values that do not fit --- */

/* A kernel that may take 24 registers: the n loaded words, then what follows. */
static struct made limited(const char *statements, struct target_tables **t)
{
    struct made a;
    struct strbuf text;
    strbuf_init(&text);
    strbuf_addf(&text,
                ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n.maxnreg 24\n{\n"
                ".reg .pred %%p<8>; .reg .b32 %%r<20>; .reg .b64 %%rd<4>; .reg .f32 %%f<99>;\n"
                "ld.param.u64 %%rd1, [p]; ld.param.u32 %%r1, [n];\n%s\nret;\n}\n", statements);
    a.m = parse_text("limited.ptx", text.s);
    a.k = build_kernel(a.m, "k");
    rewrite(a.k);
    strbuf_release(&text);
    a.c = target_code(a.k, 90, TARGET_ALLOCATED);
    *t = target_tables(a.k, &a.k->arena, 90, NULL);
    return a;
}

/* `n` words are loaded, all before the first is stored: volatile accesses stay in their order. */
static char *words_kept(int n)
{
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < n; i++)
        strbuf_addf(&s, "ld.volatile.global.f32 %%f%d, [%%rd1+%d];\n", 10 + i, 64 * i);
    for (int i = 0; i < n; i++)
        strbuf_addf(&s, "st.volatile.global.f32 [%%rd1+%d], %%f%d;\n", 32768 + 64 * i, 10 + i);
    return s.s;
}

/* 24 registers are 21 words beside R1 and the two above. The pointer takes two, so 19 of 30 words stay and 11 go through memory, each stored once and
 * loaded once; the last word loaded may go from its register at once. */
static void straight_line(void **state)
{
    (void)state;
    struct target_tables *t;
    char *text = words_kept(30);
    struct made a = limited(text, &t);
    int loads = 0, stores = 0;
    for (int32_t i = 0; i < t->nspills; i++) {
        const struct ir_inst *in = &a.k->insts[t->spills[i].site];
        loads += !t->spills[i].store;
        stores += t->spills[i].store;
        assert_int_equal(t->spills[i].words, 1);
        assert_true(ir_is(in, t->spills[i].store ? PTX_KIND_LOAD : PTX_KIND_STORE));
        assert_true(!i || t->spills[i - 1].site <= t->spills[i].site);
        assert_true(t->spills[i].slot >= 0 && t->spills[i].slot + 4 <= t->spill_bytes);
    }
    assert_int_equal(stores, 11);
    assert_int_equal(loads, 11);
    assert_int_equal(t->spill_bytes, 44);
    assert_int_equal(t->registers, 24);
    for (int32_t i = 0; i < a.c->ninsts; i++)
        for (int r = 0; r < a.c->insts[i].nresults; r++)
            assert_true(a.c->insts[i].result[r].file != FILE_REGISTER || a.c->insts[i].result[r].number + a.c->insts[i].result[r].words <= 22);
    assert_true(at(a.c, OP_STL, 10) >= 0 && at(a.c, OP_STL, 11) < 0 && at(a.c, OP_LDL, 10) >= 0 && at(a.c, OP_LDL, 11) < 0);
    drop(&a);
    free(text);
    text = words_kept(19);
    a = limited(text, &t);
    assert_int_equal(t->nspills, 0);
    assert_int_equal(t->spill_bytes, 0);
    drop(&a);
    free(text);
}

/* Words that a loop does not read leave before it and come back behind it; the loop itself has no access to local memory. */
static void around_a_loop(void **state)
{
    (void)state;
    struct target_tables *t;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 24; i++)
        strbuf_addf(&s, "ld.volatile.global.f32 %%f%d, [%%rd1+%d];\n", 10 + i, 64 * i);
    strbuf_adds(&s, "mov.u32 %r2, 0; ld.volatile.global.f32 %f1, [%rd1+4];\nL: .pragma \"nounroll\";\n");
    for (int i = 0; i < 9; i++)
        strbuf_addf(&s, "ld.volatile.global.f32 %%f%d, [%%rd1+%d]; ", 40 + i, 4096 + 64 * i);
    for (int i = 0; i < 9; i++)
        strbuf_addf(&s, "fma.rn.f32 %%f1, %%f1, %%f1, %%f%d; ", 40 + i);
    strbuf_adds(&s, "add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r1; @%p1 bra L; st.volatile.global.f32 [%rd1+4], %f1;\n");
    for (int i = 0; i < 24; i++)
        strbuf_addf(&s, "st.volatile.global.f32 [%%rd1+%d], %%f%d;\n", 32768 + 64 * i, 10 + i);
    struct made a = limited(s.s, &t);
    assert_true(t->nspills > 0);
    for (int32_t i = 0; i < t->nspills; i++)
        assert_int_equal(a.k->blocks[a.k->insts[t->spills[i].site].block].loop, -1);
    drop(&a);
    strbuf_release(&s);
}

/* What a thread can have: 63 registers of compute capability 2.0, 124 of 1.0, 255 of 3.5. */
static void of_architectures(void **state)
{
    (void)state;
    struct ptx_function f = {0};
    assert_int_equal(fit_most(&f, 10), 124);
    assert_int_equal(fit_most(&f, 20), 63);
    assert_int_equal(fit_most(&f, 35), 255);
    f.maxntid[0] = 512;
    f.minnctapersm = 2;
    assert_int_equal(fit_most(&f, 20), 32); /* 32768 / 1024 */
    assert_int_equal(fit_most(&f, 90), 64); /* 65536 / 1024 */
    f.maxntid[0] = 256;
    f.minnctapersm = 8;
    assert_int_equal(fit_most(&f, 90), 32); /* 65536 / 2048 */
    assert_int_equal(fit_most(&f, 86), 255); /* it has no room for 2048 threads; 65536 / 256 */
    f.maxnreg = 24;
    assert_int_equal(fit_most(&f, 90), 24);
    f.maxnreg = 16; /* ptxas: "adjusting per thread register count of 16 to lower bound of 24" */
    assert_int_equal(fit_most(&f, 75), 24);
    assert_int_equal(fit_most(&f, 90), 24);
    assert_int_equal(fit_most(&f, 35), 16);
    struct ptx_module *m;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 70; i++)
        strbuf_addf(&s, "ld.volatile.global.f32 %%f%d, [%%rd2+%d];\n", 10 + i, 64 * i + 64);
    for (int i = 0; i < 70; i++)
        strbuf_addf(&s, "st.volatile.global.f32 [%%rd2+%d], %%f%d;\n", 32768 + 64 * i, 10 + i);
    struct ir_kernel *k = rewritten_of(s.s, &m);
    const struct target_tables *fermi = target_tables(k, &k->arena, 20, NULL), *hopper = target_tables(k, &k->arena, 90, NULL);
    assert_int_equal(fermi->registers, 63);
    assert_true(fermi->nspills > 2 * (70 - 63) && hopper->nspills == 0 && hopper->registers > 70);
    ir_free(k);
    ptx_free(m);
    strbuf_release(&s);
}

/* Eight values that a loop makes anew again and again: what is in a register is not needed between its last reader and that, so a value
 * has one register, in any order (k_fadd of tests/truth/peak_math.cu: 14 on sm_86, ptxas 13.0 (V13.0.88)). */
static void made_anew(void **state)
{
    (void)state;
    struct strbuf s;
    strbuf_init(&s);
    for (int i = 0; i < 8; i++)
        strbuf_addf(&s, "cvt.rn.f32.s32 %%f%d, %%r%d;\n", 10 + i, i % 2);
    strbuf_adds(&s, "mov.u32 %r2, 0;\nL: .pragma \"nounroll\";\n");
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 8; i++)
            strbuf_addf(&s, "add.f32 %%f%d, %%f%d, %%f1;\n", (turn == 2 ? 10 : 20 + 10 * turn) + i, 10 + 10 * turn + i);
    strbuf_adds(&s, "add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, %r1; @%p1 bra L;\n");
    for (int i = 0; i < 8; i++)
        strbuf_addf(&s, "st.global.f32 [%%rd2+%d], %%f%d;\n", 64 * i, 10 + i);
    assert_in_range(registers(s.s), 16, 18); /* and a pointer, the counter, its bound, two loads, R1 and two */
    strbuf_release(&s);
}

/* --- what waits --- */

static bool is_early(const struct made *a, const struct target_tables *t, bool (*is)(const struct ir_inst *), int n)
{
    for (int32_t i = 0; i < a->k->ninsts; i++)
        if (ir_is_memory(&a->k->insts[i]) && a->k->insts[i].space == PTX_GLOBAL && is(&a->k->insts[i]) && n-- == 0)
            return t->early[i];
    fail_msg("there is no such access");
    return false;
}

static bool loads(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_LOAD);
}

static bool stores(const struct ir_inst *in)
{
    return ir_is(in, PTX_KIND_STORE);
}

/* The second load comes before the store of other bytes at the same base; the third has what the first brings for an address. */
static void waiting(void **state)
{
    (void)state;
    struct target_tables *t;
    struct made a = limited("ld.global.u64 %rd2, [%rd1]; ld.global.f32 %f1, [%rd1+8]; add.f32 %f2, %f1, %f1; st.global.f32 [%rd1+8], %f2;"
                            "ld.global.f32 %f3, [%rd1+12]; add.f32 %f4, %f3, %f3; st.global.f32 [%rd1+12], %f4; ld.global.f32 %f5, [%rd2]; st.global.f32 [%rd1+16], %f5;", &t);
    assert_false(is_early(&a, t, loads, 0));
    assert_true(is_early(&a, t, loads, 2));
    assert_false(is_early(&a, t, loads, 3));
    assert_false(is_early(&a, t, stores, 0));
    drop(&a);
}

/* The sum waits for the barriers that both loads set; its own result takes five cycles to another unit, which the store stands behind it; the barrier for
 * the store's operands is another one. */
static void barriers(void **state)
{
    (void)state;
    struct made a = make("add.f32 %f1, %f1, %f2;", TARGET_ALLOCATED);
    const struct machine_inst *first = &a.c->insts[at(a.c, OP_LDG, 0)], *second = &a.c->insts[at(a.c, OP_LDG, 1)], *sum = &a.c->insts[at(a.c, OP_FADD, 0)],
                              *store = &a.c->insts[at(a.c, OP_STG, 0)];
    assert_true(first->control.write >= 0 && second->control.write >= 0 && first->control.write != second->control.write);
    assert_int_equal(sum->control.wait & (1 << first->control.write | 1 << second->control.write), 1 << first->control.write | 1 << second->control.write);
    assert_int_equal(sum->control.write, -1);
    assert_int_equal(sum->control.stall, 5); /* the store is of another unit */
    assert_true(store == sum + 1 && store->control.read >= 0 && store->control.write == -1);
    struct strbuf text;
    strbuf_init(&text);
    code_print_control(&(struct machine_inst){.control = {.wait = 5, .write = 3, .read = -1, .stall = 2}}, &text);
    assert_string_equal(text.s, "[B0-2---:R-:W3:S02]");
    strbuf_release(&text);
    drop(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_first), cmocka_unit_test(memory_in_order), cmocka_unit_test(places), cmocka_unit_test(counted), cmocka_unit_test(holders), cmocka_unit_test(holders_of_maxwell),
                                       cmocka_unit_test(straight_line), cmocka_unit_test(around_a_loop), cmocka_unit_test(of_architectures), cmocka_unit_test(made_anew), cmocka_unit_test(waiting),
                                       cmocka_unit_test(barriers), cmocka_unit_test(words_of_pairs), cmocka_unit_test(sites_come_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
