/* The IR's text form: what is printed and read again is the same kernel, for all PTX in tests/, as it was built and as rewriting
 * leaves it; the fields that are not shown come back, too. Broken text gets its message. */
#define _XOPEN_SOURCE 700
#include <ftw.h>

#include "base/alloc.h"
#include "ir/read.h"
#include "ir/ssa.h"
#include "ir/verify.h"
#include "target_test.h"

static int kernels;

static void expect_same_inst(const struct ir_inst *a, const struct ir_inst *b)
{
    assert_ptr_equal(a->from->loc, b->from->loc);
    assert_ptr_equal(a->from->text, b->from->text);
    assert_int_equal(a->from->text_len, b->from->text_len);
    assert_int_equal(a->from->ptx_line, b->from->ptx_line);
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->leaves, b->leaves);
    if (a->op != b->op || a->space != b->space || a->vec != b->vec || a->type != b->type || a->type2 != b->type2)
        fail_msg("%s of '%.*s': operation %d %d, space %d %d, elements %d %d, types %d %d, %d %d", ptx_op_info[a->op].id, a->from->text_len,
                 a->from->text ? a->from->text : "", a->op, b->op, a->space, b->space, a->vec, b->vec, a->type, b->type, a->type2, b->type2);
}

/* What modifiers say beside what passes may change: a bit that the text loses changes what the kernel computes. */
static void expect_same_mods(const struct ir_inst *in, const struct ptx_mods *a, const struct ptx_mods *b)
{
    struct ptx_mods x = *a, y = *b;
    x.vec = y.vec;
    x.space = y.space;
    x.ntypes = y.ntypes;
    x.sel = y.sel;
    memcpy(x.type, y.type, sizeof x.type);
    if (memcmp(&x, &y, sizeof x))
        fail_msg("modifiers of '%.*s' (%s) are lost", in->from->text_len, in->from->text ? in->from->text : "", ptx_op_info[in->op].id);
}

static void round_trip(struct ir_kernel *k)
{
    struct strbuf first, second;
    strbuf_init(&first);
    strbuf_init(&second);
    ir_print(k, &first);
    struct ir_kernel *again = read_ir(k->module, first.s);
    ir_print(again, &second);
    if (strcmp(first.s, second.s))
        fail_msg("printed:\n%s\nread and printed:\n%s", first.s, second.s);
    assert_int_equal(again->ninsts, k->ninsts);
    for (int32_t i = 0; i < k->ninsts; i++) {
        expect_same_inst(&k->insts[i], &again->insts[i]);
        if (k->insts[i].op < PTX_OP_COUNT)
            expect_same_mods(&k->insts[i], k->insts[i].mods, again->insts[i].mods);
    }
    assert_int_equal(again->has_barrier, k->has_barrier);
    assert_int_equal(again->order_matters, k->order_matters);
    assert_true(ir_verify(again, "reading", true));
    ir_free(again);
    strbuf_release(&first);
    strbuf_release(&second);
    kernels++;
}

/* Into SSA and out of it nothing is changed; in SSA it is whole, and its text comes back. */
static void ssa_and_back(struct ir_kernel *k)
{
    struct strbuf before, behind;
    strbuf_init(&before);
    strbuf_init(&behind);
    ir_print(k, &before);
    ir_into_ssa(k);
    if (!ir_verify(k, "into SSA", false))
        fail_msg("%s", k->problems->text);
    round_trip(k);
    ir_out_of_ssa(k);
    if (!ir_verify(k, "out of SSA", true))
        fail_msg("%s", k->problems->text);
    ir_print(k, &behind);
    if (strcmp(before.s, behind.s))
        fail_msg("before SSA:\n%s\nand behind it:\n%s", before.s, behind.s);
    strbuf_release(&before);
    strbuf_release(&behind);
}

static int try_file(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)where;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 4, ".ptx"))
        return 0;
    struct diag_list diags;
    diag_init(&diags);
    char *text = read_text(path);
    struct ptx_module *m = ptx_parse(path, text, strlen(text), &diags);
    for (int i = 0; m && i < m->nfuncs; i++) {
        uint64_t next = UINT64_C(0x700000000000);
        if (!m->funcs[i]->entry || !m->funcs[i]->defined)
            continue;
        struct ir_kernel *k = ir_build(m, m->funcs[i], test_address, &next);
        if (!k->problems) {
            round_trip(k);
            ssa_and_back(k);
            rewrite(k);
            round_trip(k);
        }
        ir_free(k);
    }
    if (m)
        ptx_free(m);
    diag_release(&diags);
    free(text);
    return 0;
}

static void test_all_ptx(void **state)
{
    (void)state;
    assert_int_equal(nftw(TESTS, try_file, 16, FTW_PHYS), 0);
    assert_true(kernels > 1000);
}

static const char module_text[] = ".version 8.4\n.target sm_90\n.address_size 64\n"
                                  ".visible .entry k(.param .u64 a) {\n.reg .b64 %rd<3>;\n"
                                  "ld.param.u64 %rd1, [a];\nst.global.u64 [%rd1], %rd1;\nret;\n}\n";

#define HEAD "kernel k: 8 parameter bytes, 0 shared, 0 local\n  parameters 0+8/8\n  memory dynamic 0 scratch 0\n  registers u64*2\n"

static void expect_message(const char *text, const char *message)
{
    struct ptx_module *m = parse_text("m", module_text);
    struct diag_list diags;
    diag_init(&diags);
    assert_null(ir_read(m, text, &diags));
    struct strbuf b;
    strbuf_init(&b);
    diag_format_all(&diags, &b);
    if (!strstr(b.s, message))
        fail_msg("'%s' is not in '%s'", message, b.s);
    strbuf_release(&b);
    diag_release(&diags);
    ptx_free(m);
}

static void test_broken_text(void **state)
{
    (void)state;
    expect_message("", "IR:1:1: error: expected 'kernel'");
    expect_message("kernel other: 8", "IR:1:8: error: the module has no kernel 'other'");
    expect_message(HEAD "b1:\n", "expected b0");
    expect_message(HEAD "b0:\n    0 r1 = frobnicate.u32 r0\n", "IR:6:12: error: no instruction");
    expect_message(HEAD "b0:\n    0 r2 = mov.u64 r0\n", "there are 2 registers");
    expect_message(HEAD "b0:\n    0 bra.uni b3\n", "goes to a block that is not there");
    expect_message(HEAD "b0:\n    0 r1 = mov.u64 r0 {sometimes}\n", "no attribute");
    expect_message(HEAD "b0:\n    0 r1 = mov.u64 r0 ;1 0.9\n", "'k' has 3 statements");
    expect_message(HEAD "b0:\nb1:\n    0 ret\n", "block b0 is empty");
    expect_message(HEAD "    0 ret\n", "an instruction before the first block");
}

/* Text that nobody printed: by hand, with a pass's name for what follows. */
static void test_by_hand(void **state)
{
    (void)state;
    struct ptx_module *m = parse_text("m", module_text);
    struct ir_kernel *k = read_ir(m, HEAD "b0: # entry\n    0 r0 = ld.param.u64 [0x0+0]\n\n    1 st.global.v2.u64 [r0-16], r0, r0\n    2 ret\n");
    assert_int_equal(k->ninsts, 3);
    assert_int_equal(k->insts[1].op, PTX_OP_ST);
    assert_int_equal(k->insts[1].space, PTX_GLOBAL);
    assert_int_equal(k->insts[1].vec, 2);
    assert_int_equal(k->insts[1].offset, -16);
    assert_int_equal(k->blocks[0].nsucc, 1);
    ir_free(k);
    ptx_free(m);
}

/* Texts with random changes: read or refused, and what is read prints and reads again. The seed is fixed. */
static uint32_t seed = 4711;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static void change(char *s, size_t n)
{
    static const char letters[] = "0123456789rpb.,%[]{}+-!@;:=x\n _aeglmstuv";
    size_t at = below((uint32_t)n), from = below((uint32_t)n), some = 1 + below(12);
    switch (below(3)) {
    case 0:
        s[at] = letters[below(sizeof letters - 1)];
        break;
    case 1: /* a piece from elsewhere */
        if (at + some < n && from + some < n)
            memmove(s + at, s + from, some);
        break;
    default: /* a piece less */
        if (at + some < n)
            memmove(s + at, s + at + some, n - at - some + 1);
    }
}

static void try_text(const struct ptx_module *m, const char *text, int *read, int *refused)
{
    struct diag_list diags;
    diag_init(&diags);
    struct ir_kernel *k = ir_read(m, text, &diags);
    assert_true(k ? !diags.errors : diags.errors == 1);
    ++*(k ? read : refused);
    if (k && ir_verify(k, "reading", true)) {
        struct strbuf out;
        strbuf_init(&out);
        ir_print(k, &out);
        ir_free(read_ir(m, out.s));
        strbuf_release(&out);
    }
    ir_free(k);
    diag_release(&diags);
}

static void test_changed_text(void **state)
{
    (void)state;
    int read = 0, refused = 0;
    static const char *const files[] = {"/ptx/target/shared_stores.ptx", "/ptx/target/atomics.ptx", "/stages/pairs.ptx"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[4096];
        snprintf(path, sizeof path, TESTS "%s", files[f]);
        char *ptx = read_text(path);
        struct ptx_module *m = parse_text(path, ptx);
        for (int i = 0; i < m->nfuncs && i < 12; i++) {
            uint64_t next = UINT64_C(0x700000000000);
            if (!m->funcs[i]->entry)
                continue;
            struct strbuf text;
            strbuf_init(&text);
            struct ir_kernel *k = ir_build(m, m->funcs[i], test_address, &next);
            if (i % 2) /* phis, and what results are else */
                ir_into_ssa(k);
            ir_print(k, &text);
            ir_free(k);
            for (int round = 0; round < 300; round++) {
                char *copy = alloc_zeroed(text.len + 16);
                memcpy(copy, text.s, text.len);
                for (uint32_t n = 1 + below(3); n > 0; n--)
                    change(copy, strlen(copy));
                try_text(m, copy, &read, &refused);
                alloc_release(copy);
            }
            strbuf_release(&text);
        }
        ptx_free(m);
        free(ptx);
    }
    print_message("%d texts read, %d refused\n", read, refused);
    assert_true(read > 150 && refused > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_broken_text), cmocka_unit_test(test_changed_text), cmocka_unit_test(test_all_ptx)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
