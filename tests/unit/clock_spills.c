/* Spills that are put into a kernel's tables by hand: what they count as, by hand, with caches and without. The executor is HEDDLE_EXEC's. */
#include "target_test.h"
#include "device_test.h"

#include "base/alloc.h"
#include "clock/spills.h"
#include "engine/private.h"
#include "jit/jit.h"

/* %r1 = tid.x, %rd1 = &out[thread]. */
static const char head[] = ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
                           ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;\n.shared .align 4 .b8 sh[256];\n"
                           "ld.param.u64 %rd0, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
                           "mad.lo.s32 %r4, %r2, %r3, %r1;\nmul.wide.u32 %rd1, %r4, 4;\nadd.s64 %rd1, %rd0, %rd1;\n";

/* A spill at the `nth` instruction of this operation in the code. */
struct at {
    uint16_t op;
    int nth, slot;
    uint8_t words;
    bool store;
};

static int32_t site_of(const struct ir_kernel *k, const struct at *at)
{
    int nth = at->nth;
    for (int32_t i = 0; i < k->ninsts; i++)
        if (k->insts[i].op == at->op && !nth--)
            return i;
    fail_msg("no such instruction");
    return -1;
}

/* As kernel.c does, once more: what runs the kernel is made when its spills are known. */
static void put_spills(heddle_kernel *k, const struct at *at, int n, int bytes)
{
    const char *problem;
    int32_t site;
    assert_int_equal(kernel_compile(k), HEDDLE_OK);
    assert_null(k->spills);
    jit_close(k->jit);
    interp_free(k->code);
    k->tables->spills = ARENA_ARRAY(&k->ir->arena, struct target_spill, n + 1);
    k->tables->nspills = n;
    k->tables->spill_bytes = bytes;
    for (int i = 0; i < n; i++)
        k->tables->spills[i] = (struct target_spill){site_of(k->ir, &at[i]), at[i].slot, at[i].words, at[i].store};
    k->spills = spills_of(k->ir, k->tables, &k->ir->arena);
    k->ir->entered = k->spills ? k->spills->entered : NULL;
    k->code = interp_compile(k->ir, &problem, &site);
    assert_non_null(k->code);
    k->jit = jit_open(k->ir, k->code);
}

enum { OUT = 4096 };
static uint32_t out[OUT];
static size_t local; /* memory of a thread */

static heddle_result *run(const char *body, const struct at *at, int n, int bytes, unsigned blocks, unsigned threads)
{
    char text[4000];
    heddle_module *m;
    heddle_kernel *k;
    heddle_result *r;
    heddle_ptr p;
    snprintf(text, sizeof text, "%s%s\nst.global.u32 [%%rd1], %%r5;\nret;\n}\n", head, body);
    if (heddle_module_load(dev, "test", text, strlen(text), &m))
        fail_msg("%s", heddle_error_text());
    assert_int_equal(heddle_kernel_find(m, "k", &k), HEDDLE_OK);
    put_spills(k, at, n, bytes);
    heddle_kernel_info info;
    assert_int_equal(heddle_kernel_describe(k, &info), HEDDLE_OK);
    local = info.local;
    assert_int_equal(heddle_alloc(dev, sizeof out, &p), HEDDLE_OK);
    void *args[] = {&p};
    heddle_launch_config cfg = {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}};
    if (heddle_launch(k, &cfg, args, &r))
        fail_msg("%s", heddle_error_text());
    heddle_copy_out(dev, out, p, sizeof out);
    heddle_free(dev, p);
    heddle_module_unload(m);
    return r;
}

static const char loop_of_five[] = "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL:\nxor.b32 %r5, %r5, %r1;\nadd.s32 %r5, %r5, 3;\nadd.s32 %r6, %r6, 1;\n"
                                   "setp.lt.u32 %p1, %r6, 5;\n@%p1 bra L;\n";

static void expect(heddle_result *r, const char *name, double want)
{
    double is = -1;
    if (heddle_result_metric(r, name, &is))
        fail_msg("%s", heddle_error_text());
    if (is != want)
        fail_msg("%s: %g, not %g", name, is, want);
}

struct counts {
    double ld, ld_sectors, ld_inst, st, st_sectors, st_inst;
};

static void expect_counts(heddle_result *r, struct counts c)
{
    expect(r, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", c.ld);
    expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", c.ld_sectors);
    expect(r, "smsp__inst_executed_op_local_ld.sum", c.ld_inst);
    expect(r, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", c.st);
    expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", c.st_sectors);
    expect(r, "smsp__inst_executed_op_local_st.sum", c.st_inst);
}

static void collect_with(bool caches, int threads)
{
    assert_int_equal(heddle_collect(dev, caches ? NULL : "smsp__inst_executed_op_local_ld.sum"), HEDDLE_OK);
    assert_int_equal(heddle_device_threads(dev, threads), HEDDLE_OK);
}

#define EACH_WAY(caches, threads)                       \
    for (int caches = 0; caches < 2; caches++)          \
        for (int threads = 1; threads <= 3; threads += 2)

/* 2 blocks of 64 threads are 4 warps. Each stores the word of 32 lanes once, 128 bytes: 4 sectors, in a line that L1 does not have;
 * and loads it 5 times, each time from L1, where the store has put it. */
static void in_a_loop(void **state)
{
    const struct at at[] = {{PTX_OP_MOV, 0, 0, 1, true}, {PTX_OP_XOR, 0, 0, 1, false}};
    (void)state;
    EACH_WAY(caches, threads)
    {
        collect_with(caches, threads);
        heddle_result *r = run(loop_of_five, at, 2, 4, 2, 64);
        expect_counts(r, (struct counts){20, 80, 20, 4, 16, 4});
        if (caches) {
            expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 80);
            expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", 0);
        }
        for (uint32_t t = 0; t < 128; t++) {
            uint32_t v = 0;
            for (int i = 0; i < 5; i++)
                v = (v ^ t % 64) + 3;
            assert_int_equal(out[t], v);
        }
        heddle_result_free(r);
    }
}

/* A load in front of the store of its slot: in the first of the two turns L1 has none of the line, in the second all. 2 words are 2
 * requests and 8 sectors, of one instruction. */
static void in_the_order_of_the_code(void **state)
{
    const struct at at[] = {{PTX_OP_ADD, 2, 8, 2, true}, {PTX_OP_XOR, 0, 8, 2, false}};
    (void)state;
    collect_with(true, 1);
    heddle_result *r = run("mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL:\nxor.b32 %r5, %r5, %r1;\nadd.s32 %r5, %r5, 3;\nadd.s32 %r6, %r6, 1;\n"
                           "setp.lt.u32 %p1, %r6, 2;\n@%p1 bra L;\n", at, 2, 16, 1, 32);
    expect_counts(r, (struct counts){4, 16, 2, 4, 16, 2});
    expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 8);
    expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", 16); /* the loads have brought both lines */
    heddle_result_free(r);
}

/* Lanes that part: of each warp of 40 threads' first, lanes 0 to 19 go in, 3 of the 4 groups of 8 lanes that share a sector; of its
 * second (8 lanes) all. The last barrier stands between two spills of one block. */
static void by_some_lanes(void **state)
{
    const struct at at[] = {{PTX_OP_XOR, 0, 4, 1, true}, {PTX_OP_AND, 0, 4, 1, false}, {PTX_OP_OR, 0, 0, 1, true}, {PTX_OP_NOT, 0, 0, 1, false}};
    (void)state;
    EACH_WAY(caches, threads)
    {
        collect_with(caches, threads);
        heddle_result *r = run("mov.u32 %r5, 7;\nand.b32 %r7, %r1, 31;\nsetp.ge.u32 %p1, %r7, 20;\n@%p1 bra OUT;\n"
                               "xor.b32 %r5, %r5, %r1;\nmov.u32 %r9, %laneid;\nst.shared.u32 [sh], %r9;\nOUT:\nor.b32 %r5, %r5, %r1;\n"
                               "bar.sync 0;\nnot.b32 %r5, %r5;\n", at, 4, 8, 10, 40);
        /* a block: `and` loads by 32 lanes and 8 (4 + 1 sectors), `not` too; `xor` stores by 20 and 8 (3 + 1), `or` by 32 and 8 */
        expect_counts(r, (struct counts){40, 100, 40, 40, 90, 40});
        for (uint32_t t = 0; t < 400; t++) {
            uint32_t tid = t % 40, v = tid % 32 >= 20 ? 7 : 7 ^ tid;
            assert_int_equal(out[t], ~(v | tid));
        }
        heddle_result_free(r);
    }
}

/* Behind the kernel's own 64 bytes of local memory, which are no multiple of a spill area of 12: the load of slot 4 goes to word 17, which
 * nobody has stored, and not to word 1. */
static void behind_local_variables(void **state)
{
    const struct at at[] = {{PTX_OP_XOR, 0, 4, 1, false}};
    (void)state;
    collect_with(true, 1);
    heddle_result *r = run(".local .align 8 .b8 own[64];\nst.local.u32 [own+4], %r1;\nld.local.u32 %r8, [own+4];\nxor.b32 %r5, %r8, 1;\n", at, 1, 12, 1, 32);
    expect_counts(r, (struct counts){2, 8, 2, 1, 4, 1});
    expect(r, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 4);
    assert_int_equal(local, 64 + 12);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(out[t], t ^ 1);
    heddle_result_free(r);
}

/* Without: nothing is told, and nothing is there. */
static void without_spills(void **state)
{
    (void)state;
    collect_with(true, 1);
    heddle_result *r = run(loop_of_five, NULL, 0, 0, 2, 64);
    expect_counts(r, (struct counts){0});
    assert_int_equal(local, 0);
    heddle_result_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_loop),
        cmocka_unit_test(in_the_order_of_the_code),
        cmocka_unit_test(by_some_lanes),
        cmocka_unit_test(behind_local_variables),
        cmocka_unit_test(without_spills),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
