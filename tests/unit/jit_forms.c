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

int main(int argc, char **argv)
{
    if (argc == 3) {
        part = atoi(argv[1]);
        parts = atoi(argv[2]);
    }
    setenv("HEDDLE_VERIFY", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_ptx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
