/* Forms of machine code are whole, and their text is: of all PTX in tests/ each form is written, looked at and read back, and faults
 * that are planted in a form's text are found. */
#define _XOPEN_SOURCE 700
#include <ftw.h>

#include "base/alloc.h"
#include "interp/interp.h"
#include "ir/ssa.h"
#include "ir/verify.h"
#include "jit/form_look.h"
#include "jit/show.h"
#include "target_test.h"

static int part, parts = 1; /* of the kernels this process looks at */
static int kernels, forms;

struct made {
    struct ptx_module *m;
    struct ir_kernel *k;
    struct interp_code *code;
};

/* The form's text; NULL: there is no such form. */
static char *form_text(const struct ir_kernel *k, const struct interp_code *code, bool split, bool whole, bool counting, uint32_t x, uint32_t y)
{
    struct jit_view view = {.form = JIT_WRITTEN, .block = {x, y, 1}, .level = "x86-64-v3", .counting = counting, .split = split, .whole_block = whole};
    char problem[300] = "";
    struct strbuf out;
    strbuf_init(&out);
    bool made = jit_show(k, code, &view, &out, problem, sizeof problem);
    if (strstr(problem, "internal error"))
        fail_msg("%s", problem);
    forms += made;
    if (made)
        return out.s;
    strbuf_release(&out);
    return NULL;
}

static void try_forms(const struct ir_kernel *k, const struct interp_code *code)
{
    static const uint32_t blocks[][2] = {{128, 1}, {8, 16}, {48, 1}};
    for (int i = 0; i < 12; i++)
        if (i % 4 != 2 || i / 4 < 2) /* whole warps */
            alloc_release(form_text(k, code, i % 4 == 1, i % 4 == 2, i % 4 == 3 || i / 4 == 1, blocks[i / 4][0], blocks[i / 4][1]));
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
        const char *problem;
        int32_t site;
        if (!m->funcs[i]->entry || !m->funcs[i]->defined || kernels++ % parts != part)
            continue;
        struct ir_kernel *k = ir_build(m, m->funcs[i], test_address, &next);
        if (!k->problems)
            rewrite(k);
        struct interp_code *code = k->problems ? NULL : interp_compile(k, &problem, &site);
        if (code)
            try_forms(k, code);
        interp_free(code);
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
    assert_true(kernels > 1000 && forms > kernels / parts);
}

/* --- planted faults --- */

static const char ptx[] =
    ".version 8.4\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u32 n) {\n"
    ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;\n.shared .b32 s[128];\n"
    "ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
    "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
    "mov.u32 %r4, s;\nshl.b32 %r5, %r2, 2;\nadd.u32 %r4, %r4, %r5;\nst.shared.u32 [%r4], %r3;\nbar.sync 0;\n"
    "setp.lt.s32 %p1, %r1, 1;\n@%p1 bra DONE;\n"
    "LOOP:\nld.shared.u32 %r6, [%r4];\nadd.u32 %r3, %r3, %r6;\nadd.s32 %r1, %r1, -1;\n"
    "setp.gt.s32 %p2, %r1, 0;\n@%p2 bra LOOP;\n"
    "DONE:\nst.global.u32 [%rd3], %r3;\nret;\n}\n";

/* In the first line with these words: what is there, what comes in its place, and what is said of it. */
static const struct {
    const char *line, *from, *to, *message;
} faults[] = {
    /* to who reads it */
    {"r5 = ld.global", " ;", " { array 3 } ;", "no attribute"},
    {"state ", "state ", "states ", "no instruction"},
    {" = kept", "kept", "kept.u32", "no instruction"},
    {"enter ", " b1", " b999", "goes to a block that is not there"},
    {"  form ", "rows", "rows 1", "not expected here"},
    /* to the verifier */
    {"enter ", "0x0, 0x1, ", "", "1 numbers and 3 ways in"},
    {"enter ", "0x0, ", "0x0, 0x9, ", "4 numbers and 3 ways in"},
    {"stop { why 1", "{ why 1 }", "", "why -1 of"},
    {"state ", " ;", " { row 7 } ;", "row 7 of 0"},
    {"st.global", "site 18", "site 1800", "it does instruction 1800 of 21"},
    {"yield", "yield", "count_guard", "0 sources where 2 belong"},
    {"yield", "yield", "any p10", "0 results where 1 belong"},
    {"yield", "yield", "lanes r21", "is .b64 where .pred is wanted"},
    {"yield", "yield", "event p10 b1", "a branch in the middle of block"},
    {"yield", "yield", "r9 = from_lanes.u32 { array 1 }", "r9 is defined twice"},
    {"yield", "yield", "to_lanes.u32 r24 { array 4000 }", "array 4000 of 22"},
    {"yield", "yield", "_ = frame.u64 r24", "1 sources where 0 belong"},
    {"r4 = add.s64", "add.s64", "add.s32", "where .s32 is wanted"},
    {"r25 = add.s32", "r20", "r27", "is read where its definition does not lead"},
    {"r25 = add.s32", "r25", "r24", "r24 is defined twice"},
    {"@p10 bra", "@p10", "@r9", "the guard r9 is no predicate"},
    {"r26 = phi", ", r13 b8", "", "a phi with 1 sources and 1 blocks, where 2 lead here"},
    /* to who looks at forms */
    {"r24 = add.u32", " site 14", "", "instruction 14 of the kernel is missing"},
    {"stop { why 1", " site 10", "", "instruction 10 of the kernel is missing"},
    {"site 5", "r1, r2, r4", "r1, r2", "a state before instruction 5 leaves out r4 of the kernel"},
    {"0.10 site 10", ", r11", "", "leaves out r6 of the kernel"},
    {"state r26, r27", ", r27", ", r27, r26", "a state names r4 of the kernel twice"},
    {"state r26, r27", "r26,", "0x0,", "source 0 of a state is no register"},
    {"state r26, r27", "state r26, r27", "turn", "without a state"},
};

static const char *line_with(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("'%s' is not in\n%s", words, text);
    while (at > text && at[-1] != '\n')
        at--;
    return at;
}

/* The text with one change in the first line that has these words. */
static void change(struct strbuf *out, const char *text, const char *line, const char *from, const char *to)
{
    const char *at = strstr(line_with(text, line), from);
    if (!at)
        fail_msg("'%s' is not in\n%s", from, text);
    strbuf_init(out);
    strbuf_add(out, text, (size_t)(at - text));
    strbuf_adds(out, to);
    strbuf_adds(out, at + strlen(from));
}

/* What is said of a form's text: by who reads it, by the verifier, by who looks at forms; NULL: nothing. `parting`: a predicate that has
 * not one value in the warp, or -1. */
static const char *say(const struct made *of, const char *text, int32_t parting, char *message, size_t room)
{
    struct diag_list diags;
    struct strbuf told;
    strbuf_init(&told);
    diag_init(&diags);
    *message = '\0';
    struct ir_kernel *form = ir_read(of->m, text, &diags);
    if (!form) {
        diag_format_all(&diags, &told);
        snprintf(message, room, "%s", told.s);
    } else if (!ir_verify(form, "reading", false)) {
        snprintf(message, room, "%s", form->problems->text);
    } else {
        size_t n = (size_t)form->nregs + (size_t)of->k->ninsts + 1;
        int32_t *places = alloc_zeroed(n * sizeof *places), masks[1] = {0};
        bool *uniform = alloc_zeroed(n);
        uint8_t *none = alloc_zeroed(n);
        for (int32_t r = 0; r < form->nregs; r++) {
            int32_t v = ir_variable(form, r);
            places[r] = v < of->k->nregs ? v : -1;
            uniform[r] = r != parting;
        }
        const struct form_facts facts = {.name = "warp form", .form = form, .of = of->k, .code = of->code, .place = places,
                                         .uniform = uniform, .begins = none, .ends = none, .row_masks = masks};
        form_check(&facts, message, room);
        alloc_release(places);
        alloc_release(uniform);
        alloc_release(none);
    }
    ir_free(form);
    strbuf_release(&told);
    diag_release(&diags);
    return *message ? message : NULL;
}

static void test_planted_faults(void **state)
{
    (void)state;
    const char *problem;
    int32_t site;
    char message[600];
    struct made of = {.m = parse_text("m", ptx)};
    of.k = build_kernel(of.m, "k");
    of.code = interp_compile(of.k, &problem, &site);
    char *text = form_text(of.k, of.code, false, false, false, 128, 1);
    assert_null(say(&of, text, -1, message, sizeof message));
    int32_t guard = (int32_t)strtol(strstr(text, "@p") + 2, NULL, 10);
    assert_non_null(strstr(say(&of, text, guard, message, sizeof message), "a branch that parts lanes"));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct strbuf changed;
        change(&changed, text, faults[i].line, faults[i].from, faults[i].to);
        const char *said = say(&of, changed.s, -1, message, sizeof message);
        if (!said || !strstr(said, faults[i].message))
            fail_msg("fault %d: '%s' where '%s' is wanted, of\n%s", (int)i, said ? said : "nothing", faults[i].message, changed.s);
        strbuf_release(&changed);
    }
    struct strbuf more, lanes; /* a register more, which nothing makes */
    change(&more, text, "  registers ", "\n", " pred\n");
    change(&lanes, more.s, "yield", "yield", "lanes p28");
    assert_non_null(strstr(say(&of, lanes.s, -1, message, sizeof message), "r28, which the kernel has not, is read and nothing makes it"));
    strbuf_release(&more);
    strbuf_release(&lanes);
    alloc_release(text);
    interp_free(of.code);
    ir_free(of.k);
    ptx_free(of.m);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        part = atoi(argv[1]);
        parts = atoi(argv[2]);
    }
    setenv("HEDDLE_VERIFY", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planted_faults),
        cmocka_unit_test(test_all_ptx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
