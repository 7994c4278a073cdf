/* Joining PTX texts: what a file keeps to itself, .weak definitions, numbers of source files, text that is cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "ptx/link.h"
#include "ptx/ptx.h"

#define HEAD ".version 8.4\n.target sm_80\n.address_size 64\n"

static void assert_joined(const char *a, const char *b, const char *expected)
{
    struct ptx_unit units[2] = {{a, strlen(a)}, {b, strlen(b)}};
    struct strbuf out;
    strbuf_init(&out);
    ptx_link(units, 2, &out);
    assert_string_equal(out.s, expected);
    strbuf_release(&out);
}

static void the_head_of_the_first_counts(void **state)
{
    (void)state;
    assert_joined(HEAD ".visible .global .u32 a;", ".version 8.3\n.target sm_50\n.address_size 64\n.visible .global .u32 b;",
                  HEAD ".visible .global .u32 a;\n.visible .global .u32 b;\n");
}

static void what_two_files_keep_to_themselves_is_numbered(void **state)
{
    (void)state;
    assert_joined(".global .u32 x = 1;\n.global .u64 p = generic(x);\n.global .u32 only;",
                  ".global .u32 x = 2;\n.visible .global .u32 _ZL1y;\n.extern .global .u32 only2;",
                  ".global .u32 x$0 = 1;\n.global .u64 p = generic(x$0);\n.global .u32 only;\n"
                  ".global .u32 x$1 = 2;\n.visible .global .u32 _ZL1y;\n.extern .global .u32 only2;\n");
    /* clang prints a static variable that the host uses as .visible; a function's name may be its declaration's too */
    assert_joined(".visible .global .u32 _ZN2nsL1yE;\n.func f;\n.visible .entry k() { call f; }\n.func f { ret; }",
                  ".visible .global .u32 _ZN2nsL1yE;\n.func f { ret; }",
                  ".visible .global .u32 _ZN2nsL1yE$0;\n.func f$0;\n.visible .entry k() { call f$0; }\n.func f$0 { ret; }\n"
                  ".visible .global .u32 _ZN2nsL1yE$1;\n.func f$1 { ret; }\n");
}

static void the_first_weak_definition_counts(void **state)
{
    (void)state;
    assert_joined(".weak .func (.param .b32 r) f (.param .b32 a);\n.weak .func (.param .b32 r) f (.param .b32 a) { ret; }\n",
                  ".weak .func (.param .b32 r) f (.param .b32 a);\n.weak .func (.param .b32 r) f (.param .b32 a) { bad; }\n.visible .global .u32 z;",
                  ".weak .func (.param .b32 r) f (.param .b32 a);\n.weak .func (.param .b32 r) f (.param .b32 a) { ret; }\n\n"
                  ".weak .func (.param .b32 r) f (.param .b32 a);\n.visible .global .u32 z;\n");
}

static void source_files_get_numbers_of_their_own(void **state)
{
    (void)state;
    assert_joined(".visible .entry a() { .loc 2 7 1\n ret; }\n.file 1 \"x\"\n.file 2 \"y\"",
                  ".visible .entry b() { .loc 1 8 1\n ret; }\n.file 1 \"z\"",
                  ".visible .entry a() { .loc 2 7 1\n ret; }\n.file 1 \"x\"\n.file 2 \"y\"\n"
                  ".visible .entry b() { .loc 3 8 1\n ret; }\n.file 3 \"z\"\n");
}

static void names_that_the_host_looks_up(void **state)
{
    static const struct {
        const char *name, *numbered; /* NULL: the name is everybody's */
    } rows[] = {{"_ZL1x", "_ZL1x$3"},           {"_ZN2ns3subL1xE", "_ZN2ns3subL1xE$3"},
                {"_ZL1kPf", "_ZL1kPf$3"},       {"_ZN12_GLOBAL__N_11xE", "_ZN12_GLOBAL__N_11xE$3"},
                {"_Z1kPf", NULL},               {"plain", NULL},
                {"_ZN2nL1xE", NULL},            {"_ZN9999999999999999999x", NULL},
                {"_ZN2nsLi1EE", NULL},          {"_Z", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strbuf b;
        strbuf_init(&b);
        assert_int_equal(ptx_link_name(rows[i].name, 3, &b), rows[i].numbered != NULL);
        if (rows[i].numbered)
            assert_string_equal(b.s, rows[i].numbered);
        strbuf_release(&b);
    }
}

/* Joined text is a module; text cut anywhere ends, whatever it becomes. */
static void the_joined_text_parses(void **state)
{
    static const char a[] = HEAD ".extern .func (.param .b32 r) f (.param .b32 x);\n.extern .global .align 4 .u32 v;\n"
                            ".global .align 1 .b8 text[3] = {97, 98, 0};\n"
                            ".visible .entry k() {\n.reg .b32 %r<3>;\n.loc 1 2 3\nld.global.u32 %r1, [v];\nret;\n}\n.file 1 \"a.cu\"\n";
    static const char b[] = HEAD ".global .align 1 .b8 text[2] = {98, 0};\n.visible .global .align 4 .u32 v = 7;\n"
                            ".visible .func (.param .b32 r) f (.param .b32 x) {\nret;\n}\n.weak .func w () { ret; }\n";
    (void)state;
    for (size_t cut = 0; cut < sizeof b; cut++) {
        char *text = strndup(b, cut);
        struct ptx_unit units[2] = {{a, sizeof a - 1}, {text, cut}};
        struct strbuf out;
        struct diag_list diags;
        strbuf_init(&out);
        diag_init(&diags);
        ptx_link(units, 2, &out);
        struct ptx_module *m = ptx_parse("joined", out.s, out.len, &diags);
        if (cut == sizeof b - 1) {
            assert_non_null(m);
            assert_int_equal(m->nvars, 3);
            assert_int_equal(m->nfuncs, 3);
        }
        ptx_free(m);
        diag_release(&diags);
        strbuf_release(&out);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_of_the_first_counts),
        cmocka_unit_test(what_two_files_keep_to_themselves_is_numbered),
        cmocka_unit_test(the_first_weak_definition_counts),
        cmocka_unit_test(source_files_get_numbers_of_their_own),
        cmocka_unit_test(names_that_the_host_looks_up),
        cmocka_unit_test(the_joined_text_parses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
