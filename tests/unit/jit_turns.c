/* Loops of blocks in a row, and what is counted of lanes that went round one by one, by hand. */
#include "target_test.h"

#include "jit/turns.h"

#include "base/alloc.h"

/* Two blocks: out of the first by a branch, back from the second. Loads at addresses that go up before (%q1) and behind (%q2)
 * them, and one that does not. */
static const char row_of_two[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .b32 %r<9>;\n.reg .b64 %q<9>;\n.reg .pred %p<9>;\n"
    "ld.param.u64 %q1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %q4, %r2, 4;\nadd.s64 %q2, %q1, %q4;\nmov.u32 %r7, 0;\n"
    "Lhead:\nadd.s64 %q1, %q1, 8;\nld.global.u32 %r3, [%q1+4];\nmul.wide.u32 %q5, %r3, 4;\nadd.s64 %q6, %q2, %q5;\nld.global.u32 %r4, [%q6];\n"
    "add.s32 %r7, %r7, %r4;\nadd.s32 %r2, %r2, 1;\nsetp.ge.s32 %p1, %r2, %r1;\n@%p1 bra Lout;\n"
    "ld.global.u32 %r5, [%q2+16];\nadd.s32 %r7, %r7, %r5;\nadd.s64 %q2, %q2, 4;\nbra Lhead;\n"
    "Lout:\nst.global.u32 [%q4], %r7;\nret;\n}\n";

static struct {
    uint32_t site, mask;
    uint64_t first;
} taken[32];
static int ntaken;

static void take(void *taker, const struct record *r, uint64_t times)
{
    (void)taker;
    assert_true(ntaken < 32 && times == 1);
    taken[ntaken].site = r->site;
    taken[ntaken].mask = r->mask;
    taken[ntaken++].first = r->addr[0];
}

struct known {
    struct ptx_module *m;
    struct ir_kernel *k;
    int32_t row[64];
    int32_t head;
};

static struct known open_kernel(const char *text)
{
    struct known f = {.m = parse_text("turns", text)};
    int n = 0;
    f.k = build_kernel(f.m, "k");
    assert_true(f.k->ninsts < 64 && f.k->nloops == 1);
    for (int32_t i = 0; i < f.k->ninsts; i++)
        f.row[i] = ir_is_memory(&f.k->insts[i]) && f.k->insts[i].space == PTX_GLOBAL ? n++ : -1;
    f.head = f.k->loops[0].header;
    return f;
}

static void close_kernel(struct known *f)
{
    ir_free(f->k);
    ptx_free(f->m);
}

static void test_chain(void **state)
{
    (void)state;
    struct known f = open_kernel(row_of_two);
    struct chain c;
    assert_true(chain_at(f.k, f.row, f.head, &c));
    assert_int_equal(c.n, 2);
    assert_int_equal(c.nloads, 3);
    assert_true(c.load[0].strided && c.load[0].step == 8 && c.load[0].ahead == 8);
    assert_false(c.load[1].strided);
    assert_true(c.load[2].strided && c.load[2].step == 4 && c.load[2].ahead == 0);
    assert_int_equal(chain_load(&c, c.load[2].site), 2);
    assert_false(chain_at(f.k, f.row, c.join, &c));
    close_kernel(&f);
}

static uint32_t told[8];
static int ntold;

static void enter(void *block, int32_t of, uint32_t lanes, uint64_t times)
{
    assert_true(ntold < 8 && times == 1 && of == *(int32_t *)block);
    told[ntold++] = lanes;
}

/* Lane 0 does three turns and leaves in a fourth, lanes 1 and 4 leave in their first, lane 5 is before the head after three. */
static void test_counts(void **state)
{
    (void)state;
    struct known f = open_kernel(row_of_two);
    struct exec_counts counts = {.take = take};
    struct chain c;
    size_t n = (size_t)f.k->nblocks + (size_t)f.k->ninsts;
    assert_true(chain_at(f.k, f.row, f.head, &c));
    counts.block_runs = alloc_zeroed(n * 8);
    counts.block_lanes = alloc_zeroed(n * 8);
    counts.site_lanes = alloc_zeroed(n * 8);
    counts.divergent = alloc_zeroed(n * 8);
    counts.tally = tally_new(8, true);
    struct tally_turns *t = counts.tally->turns;
    for (int i = 0; i < 3; i++) {
        int32_t row = f.row[c.load[i].site];
        counts.tally->site[row].record.site = (uint32_t)c.load[i].site;
        for (int turn = 0; turn < TALLY_TURNS; turn++)
            t->row[i][turn].record.addr[0] = 1000 * (uint64_t)(i + 1) + 100 * (uint64_t)turn;
    }
    t->full[0] = t->full[5] = 3;
    t->full[1] = t->full[4] = 0;
    t->last[0] = t->last[1] = t->last[4] = 1;
    t->last[5] = 0;
    uint8_t *entered = alloc_zeroed((size_t)f.k->nblocks);
    entered[c.block[0]] = 1; /* of the other nobody wants to know */
    f.k->entered = entered;
    counts.enter = enter;
    counts.taker = &c.block[0];
    turns_count(f.k, f.row, &c, 0x33, &counts);
    assert_int_equal(counts.block_runs[c.block[0]], 4);
    assert_int_equal(counts.block_lanes[c.block[0]], 4 + 1 + 1 + 3);
    assert_int_equal(counts.block_runs[c.block[1]], 3);
    assert_int_equal(counts.block_lanes[c.block[1]], 6);
    int32_t branch = f.k->blocks[c.block[0]].first + f.k->blocks[c.block[0]].count - 1;
    assert_int_equal(counts.site_lanes[branch], 3); /* lanes 1 and 4 in the first turn, and 0 in the fourth */
    assert_int_equal(counts.divergent[branch], 1);  /* only in the first some stay */
    const uint32_t masks[] = {0x33, 0x21, 0x21, 0x01, 0x33, 0x21, 0x21, 0x01, 0x21, 0x21, 0x21};
    const uint64_t first[] = {1000, 1008, 1016, 1024, 2000, 2100, 2200, 2300, 3000, 3004, 3008};
    assert_int_equal(ntold, 4);
    assert_memory_equal(told, masks, 4 * sizeof *told);
    alloc_release(entered);
    assert_int_equal(ntaken, 11);
    for (int i = 0; i < 11; i++) {
        assert_int_equal(taken[i].site, c.load[i < 4 ? 0 : i < 8 ? 1 : 2].site);
        assert_int_equal(taken[i].mask, masks[i]);
        assert_int_equal(taken[i].first, first[i]);
    }
    tally_end(&counts);
    alloc_release(counts.block_runs);
    alloc_release(counts.block_lanes);
    alloc_release(counts.site_lanes);
    alloc_release(counts.divergent);
    close_kernel(&f);
}

/* A way inside that comes back to the loop is none, nor is a guard. */
static void test_others(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "Lhead:\nsetp.eq.s32 %p2, %r2, 3;\n@%p2 bra Lon;\nadd.s32 %r7, %r7, 1;\nLon:\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra Lhead;\n",
        "Lhead:\nsetp.eq.s32 %p2, %r2, 3;\n@%p2 add.s32 %r7, %r7, 1;\nadd.s32 %r2, %r2, 1;\nsetp.lt.s32 %p1, %r2, %r1;\n@%p1 bra Lhead;\n",
    };
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text, ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
                 ".reg .b32 %%r<9>;\n.reg .b64 %%q<9>;\n.reg .pred %%p<9>;\nld.param.u64 %%q1, [p];\nld.param.u32 %%r1, [n];\nmov.u32 %%r2, %%tid.x;\nmov.u32 %%r7, 0;\n"
                 "%sst.global.u32 [%%q1], %%r7;\nret;\n}\n", bodies[i]);
        struct known f = open_kernel(text);
        struct chain c;
        assert_false(chain_at(f.k, f.row, f.head, &c));
        close_kernel(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain), cmocka_unit_test(test_counts), cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
