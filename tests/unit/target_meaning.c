/* Rewriting does not change what a kernel does: random straight-line kernels, registers reused at will, run before and
 * after target_rewrite by a small evaluator of one thread; memory must end up equal. The addresses are bases that are
 * aligned or not, computed in several ways, so that every kind of merge, split and refusal occurs (the test counts
 * them). The seed is fixed: the test is the same every time. */
#include "target_test.h"

enum { REGS = 12, BYTES = 512, ROUNDS = 2000 };

struct machine {
    uint64_t reg[4096];
    uint8_t shared[BYTES], global[BYTES];
};

static uint32_t seed = 12345;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

/* --- evaluator --- */

static uint64_t value(const struct machine *m, const struct ir_src *s)
{
    if (s->kind == IR_SRC_SREG)
        return 5; /* %tid.x */
    return s->kind == IR_SRC_REG ? m->reg[s->reg] : s->imm;
}

static void access_memory(struct machine *m, const struct ir_inst *in, uint64_t base)
{
    int size = ptx_type_info[in->type].bits / 8;
    uint64_t at = (base + (uint64_t)in->offset) & 0xffffffff;
    uint8_t *memory = in->space == PTX_SHARED ? m->shared : m->global;
    assert_int_equal(at % (uint64_t)(size * in->vec), 0); /* or the GPU would fault */
    assert_true(at + (uint64_t)(size * in->vec) <= BYTES);
    for (int e = 0; e < in->vec; e++) {
        uint64_t x = 0;
        if (in->op == PTX_OP_ST) {
            x = value(m, &in->src[1 + e]);
            memcpy(memory + at + e * size, &x, (size_t)size);
        } else if (in->dst[e] != IR_NOREG) {
            memcpy(&x, memory + at + e * size, (size_t)size);
            m->reg[in->dst[e]] = x;
        }
    }
}

static void run_inst(struct machine *m, const struct ir_inst *in)
{
    uint64_t a = in->nsrc > 0 ? value(m, &in->src[0]) : 0, b = in->nsrc > 1 ? value(m, &in->src[1]) : 0, r = 0;
    if (in->guard != IR_NOREG && !m->reg[in->guard] != in->guard_negated)
        return;
    switch (in->op) {
    case PTX_OP_LD:
    case PTX_OP_ST:
        if (in->space == PTX_PARAM)
            break; /* the kernel's pointer: global memory begins at 0 here */
        access_memory(m, in, a);
        return;
    case PTX_OP_MOV: case PTX_OP_CVTA: r = a; break;
    case PTX_OP_ADD: r = a + b; break;
    case PTX_OP_AND: r = a & b; break;
    case PTX_OP_OR: r = a | b; break;
    case PTX_OP_XOR: r = a ^ b; break;
    case PTX_OP_SHL: r = a << b; break;
    case PTX_OP_MUL_LO: r = a * b; break;
    case PTX_OP_SETP: r = (uint32_t)a < (uint32_t)b; break;
    case PTX_OP_BAR: case PTX_OP_RET: case PTX_OP_EXIT: return;
    default: fail_msg("the evaluator does not know this operation: %s", ptx_op_info[in->op].id);
    }
    int bits = ptx_type_info[in->type].bits;
    m->reg[in->dst[0]] = bits == 32 ? (uint32_t)r : r;
}

static void run_kernel(const struct ir_kernel *k, struct machine *m)
{
    memset(m, 0, sizeof *m);
    assert_true(k->nregs <= 4096);
    for (int i = 0; i < BYTES; i++) {
        m->shared[i] = (uint8_t)(i * 37 + 11);
        m->global[i] = (uint8_t)(i * 101 + 3);
    }
    for (int32_t i = 0; i < k->ninsts; i++)
        run_inst(m, &k->insts[i]);
}

/* --- generator --- */

/* `some_unread`: an element in four is `_`. */
static void add_regs(struct strbuf *b, int n, bool some_unread)
{
    if (n == 1) {
        strbuf_addf(b, "%%r%u", below(REGS));
        return;
    }
    uint32_t first = below(REGS); /* the registers of a vector differ */
    for (int i = 0; i < n; i++)
        if (some_unread && !below(3))
            strbuf_addf(b, "%s_", i ? ", " : "{");
        else
            strbuf_addf(b, "%s%%r%u", i ? ", " : "{", (first + (uint32_t)i * 5) % REGS);
    strbuf_adds(b, "}");
}

/* %b0 %b1: shared + 16 tid; %b2: + 8 tid; %b3: no more than 4 known. %g: global, aligned by a mask or not at all. */
static void add_access(struct strbuf *b)
{
    static const int aligned[] = {16, 16, 8, 4};
    bool shared = below(4) != 0;
    int n = below(6) ? 1 : below(2) ? 2 : 4;
    uint32_t base = shared ? below(4) : below(2);
    int align = shared ? aligned[base] : base ? 4 : 16;
    if (align < 4 * n)
        n = align / 4;
    uint32_t offset = below(16 / (uint32_t)n) * 4 * (uint32_t)n;
    const char *name = shared ? "b" : "g", *guard = below(40) ? "" : "@%p1 ";
    bool load = below(8) < 6;
    strbuf_addf(b, load ? "%sld%s.%s" : "%sst%s.%s", guard, below(40) ? "" : ".volatile", shared ? "shared" : "global");
    strbuf_addf(b, n > 1 ? ".v%d.u32 " : ".u32 ", n);
    if (load)
        add_regs(b, n, true);
    strbuf_addf(b, load ? ", [%%%s%u+%u]" : "[%%%s%u+%u], ", name, base, offset);
    if (!load && n == 1 && !below(4))
        strbuf_addf(b, "%u", below(1000));
    else if (!load)
        add_regs(b, n, false);
    strbuf_adds(b, ";\n");
}

/* Scalars of one line, in some order. */
static void add_run(struct strbuf *b)
{
    bool load = below(2), shared = below(4) != 0;
    uint32_t base = below(shared ? 4 : 2), start = below(6), step = below(2) ? 1 : 3, n = 2 + below(4);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset = (start + i * step % 4) * 4;
        const char *space = shared ? "shared" : "global", *name = shared ? "b" : "g";
        if (load)
            strbuf_addf(b, "ld.%s.u32 %%r%u, [%%%s%u+%u];\n", space, below(REGS), name, base, offset);
        else
            strbuf_addf(b, "st.%s.u32 [%%%s%u+%u], %%r%u;\n", space, name, base, offset, below(REGS));
    }
}

static void add_statement(struct strbuf *b)
{
    static const char *const rebase[] = {
        "add.s32 %b1, %s, %t16;", "mul.lo.u32 %b1, %t, 16; add.s32 %b1, %b1, %s;", "or.b32 %b1, %b0, 0;",
        "mov.u32 %b1, %b0;", "xor.b32 %x, %t16, 32; add.s32 %b1, %s, %x;", "and.b64 %g0, %rd0, -16;",
        "add.s32 %b1, %b0, 16; add.s32 %b1, %b1, -16;", "add.s32 %b3, %b2, 4;", "mov.u32 %b3, %b2;",
    };
    switch (below(12)) {
    case 0:
        strbuf_addf(b, "add.u32 %%r%u, %%r%u, %%r%u;\n", below(REGS), below(REGS), below(REGS));
        break;
    case 1:
        strbuf_addf(b, "%s\n", rebase[below(sizeof rebase / sizeof *rebase)]);
        break;
    case 2:
        if (!below(4))
            strbuf_adds(b, "bar.sync 0;\n");
        break;
    case 3:
    case 4:
    case 5:
        add_run(b);
        break;
    default:
        add_access(b);
    }
}

static void generate(struct strbuf *b)
{
    strbuf_adds(b, ".version 8.4\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[512];\n"
                   ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>; .reg .b32 %r<12>, %b<4>, %s, %t, %t16, %x;\n"
                   ".reg .b64 %rd<2>, %g<2>;\nld.param.u64 %rd0, [p]; mov.u32 %s, s; mov.u32 %t, %tid.x;\n"
                   "shl.b32 %t16, %t, 4; add.s32 %b0, %s, %t16; mov.u32 %b1, %b0; shl.b32 %x, %t, 3;\n"
                   "add.s32 %b2, %s, %x; add.s32 %b3, %b2, 4; setp.lt.u32 %p1, %t, 9;\n"
                   "and.b64 %g0, %rd0, -16; mov.u64 %g1, %rd0;\n");
    for (int i = 0; i < REGS; i++)
        strbuf_addf(b, "mov.u32 %%r%d, %d;\n", i, 100 + i);
    for (uint32_t i = 0, n = 4 + below(40); i < n; i++)
        add_statement(b);
    for (int i = 0; i < REGS; i++)
        strbuf_addf(b, "st.global.u32 [%%rd0+%d], %%r%d;\n", 256 + 16 * i + 4, i);
    strbuf_adds(b, "ret;\n}\n");
}

static int count_wide(const struct ir_kernel *k)
{
    int n = 0;
    for (int32_t i = 0; i < k->ninsts; i++)
        n += ir_is_memory(&k->insts[i]) && k->insts[i].vec > 1;
    return n;
}

/* Vector loads, neither guarded nor volatile, of which no more than one element is read. */
static int count_wasteful(const struct ir_kernel *k)
{
    int n = 0;
    for (int32_t i = 0; i < k->ninsts; i++) {
        const struct ir_inst *in = &k->insts[i];
        int used = 0;
        for (int d = 0; d < in->ndst; d++)
            used += in->dst[d] != IR_NOREG;
        n += in->op == PTX_OP_LD && in->vec > 1 && used < 2 && in->guard == IR_NOREG && in->mods->order == PTX_WEAK;
    }
    return n;
}

static void random_kernels(void **state)
{
    (void)state;
    static struct machine before, after;
    int merged = 0, split = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct strbuf text;
        strbuf_init(&text);
        generate(&text);
        struct ptx_module *m = parse_text("random.ptx", text.s);
        struct ir_kernel *plain = build_kernel(m, "k"), *rewritten = build_kernel(m, "k");
        rewrite(rewritten);
        run_kernel(plain, &before);
        run_kernel(rewritten, &after);
        merged += count_wide(rewritten) > count_wide(plain);
        split += count_wasteful(plain) > 0;
        assert_int_equal(count_wasteful(rewritten), 0);
        if (memcmp(before.shared, after.shared, BYTES) || memcmp(before.global, after.global, BYTES)) {
            struct strbuf ir;
            strbuf_init(&ir);
            ir_print(plain, &ir);
            ir_print(rewritten, &ir);
            fail_msg("round %d:\n%s", round, ir.s);
        }
        ir_free(plain);
        ir_free(rewritten);
        ptx_free(m);
        strbuf_release(&text);
    }
    print_message("%d kernels with merges, %d with splits\n", merged, split);
    assert_true(merged > ROUNDS / 4);
    assert_true(split > ROUNDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_kernels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
