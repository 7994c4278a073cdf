/* clang's and the linker's text as diagnostics, PTX files at first sight, names of kernels, dependency lists. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/diag.h"
#include "base/strbuf.h"
#include "base/table.h"
#include "compile/files.h"
#include "compile/messages.h"
#include "compile/object.h"
#include "compile/ptxfile.h"

static struct diag_list diags;

static int setup(void **state)
{
    (void)state;
    diag_init(&diags);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    diag_release(&diags);
    return 0;
}

static void assert_printed(const char *expected)
{
    struct strbuf all;
    strbuf_init(&all);
    strbuf_adds(&all, "");
    diag_format_all(&diags, &all);
    assert_string_equal(all.s, expected);
    strbuf_release(&all);
}

/* clang's "fatal error" stands before its backtrace, or, where it stumbles once more, behind it. */
static void a_crash_is_one_line(void **state)
{
    static const char dump[] = "PLEASE submit a bug report to https://x\nStack dump:\n0.\tProgram arguments: clang\n #0 0x00 main\n";
    static const char full[] = "fatal error: error in backend: IO failure on output stream: No space left on device\n";
    char text[512];
    struct arena a;
    (void)state;
    arena_init(&a);
    snprintf(text, sizeof text, "%s%s", full, dump);
    assert_string_equal(messages_fatal(&a, text), "it cannot write its output: No space left on device");
    snprintf(text, sizeof text, "%s%s", dump, full);
    assert_string_equal(messages_fatal(&a, text), "it cannot write its output: No space left on device");
    snprintf(text, sizeof text, "fatal error: too deep\n%s", dump);
    assert_string_equal(messages_fatal(&a, text), "fatal error: too deep");
    assert_string_equal(messages_fatal(&a, dump), "it crashed");
    assert_string_equal(messages_fatal(&a, "one\ntwo\n"), "one\ntwo");
    assert_string_equal(messages_fatal(&a, NULL), "it said nothing");
    arena_release(&a);
}

static void both_passes_are_heard_once(void **state)
{
    (void)state;
    static const char device[] = "a.cu:2:7: error: use of undeclared identifier 'y'\n"
                                 "    2 |   x = y;\n"
                                 "      |       ^\n"
                                 "a.cu:1:1: note: declared here\n"
                                 "1 error generated when compiling for sm_90.\n";
    static const char host[] = "a.cu:2:7: error: use of undeclared identifier 'y'\n"
                               "    2 |   x = y;\n"
                               "      |       ^\n"
                               "a.cu:1:1: note: declared here\n"
                               "a.cu:9: warning: only here\n"
                               "1 warning and 1 error generated when compiling for host.\n";
    messages_add_clang(&diags, device, "a.cu", "/tmp/heddle-x", "/inc");
    messages_add_clang(&diags, host, "a.cu", "/tmp/heddle-x", "/inc");
    assert_int_equal(diags.errors, 1);
    assert_printed("a.cu:2:7: error: use of undeclared identifier 'y'\n"
                   "     2 |   x = y;\n"
                   "       |       ^\n"
                   "a.cu:1:1: note: declared here\n"
                   "a.cu:9: warning: only here\n");
}

static void included_files_lead_back(void **state)
{
    (void)state;
    messages_add_clang(&diags,
                       "In file included from a.cu:3:\n"
                       "In file included from ./b.h:7:\n"
                       "./c.h:1:5: fatal error: 'd.h' file not found\n",
                       "a.cu", NULL, NULL);
    assert_printed("c.h:1:5: error: 'd.h' file not found\n"
                   "a.cu:3: note: included from here\n"
                   "./b.h:7: note: included from here\n");
}

static void the_compilers_own_headers_do_not_warn(void **state)
{
    (void)state;
    messages_add_clang(&diags,
                       "/usr/include/c++/12/x.h:3:1: warning: deprecated\n"
                       "a.cu:5:5: note: in instantiation of 'f'\n"
                       "/inc/cuda_runtime.h:3:1: warning: ours\n"
                       "/usr/include/c++/12/y.h:4:2: error: no matching function\n"
                       "a.cu:6:5: note: in instantiation of 'g'\n",
                       "a.cu", NULL, "/inc");
    assert_printed("/usr/include/c++/12/y.h:4:2: error: no matching function\n"
                   "a.cu:6:5: note: in instantiation of 'g'\n");
}

static void tools_have_no_file(void **state)
{
    (void)state;
    messages_add_clang(&diags, "clang++-19: error: unknown argument: '-bogus'\n", "a.cu", NULL, NULL);
    assert_printed("error: unknown argument: '-bogus'\n");
}

static void a_missing_package_is_named_once(void **state)
{
    (void)state;
    for (int pass = 0; pass < 2; pass++)
        messages_add_clang(&diags, "a.cu:1:10: fatal error: 'omp.h' file not found\n", "a.cu", NULL, NULL);
    assert_printed("a.cu:1:10: error: 'omp.h' file not found: OpenMP needs Debian's package libomp-19-dev\n");
}

static void undefined_names_once(void **state)
{
    (void)state;
    messages_add_linker(&diags,
                        "/usr/bin/ld: /tmp/heddle-x/0.o: in function `main':\n"
                        "a.cu:(.text+0x17): undefined reference to `f(int)'\n"
                        "/usr/bin/ld: a.cu:(.text+0x27): undefined reference to `f(int)'\n"
                        "/usr/bin/ld: /dir/a.cu:12: undefined reference to `cudaFly'\n"
                        "/usr/bin/ld: cannot find -lnothing: No such file or directory\n"
                        "/usr/bin/ld: cannot find -lomp: No such file or directory\n"
                        "skipping /tmp/heddle-x/0.o\n"
                        "clang++-19: error: linker command failed with exit code 1\n",
                        "/tmp/heddle-x");
    assert_printed("a.cu: error: 'f(int)' is used but defined nowhere\n"
                   "/dir/a.cu:12: error: 'cudaFly' is used but defined nowhere: this call is not in "
                   "Heddle's runtime yet\n"
                   "error: /usr/bin/ld: cannot find -lnothing: No such file or directory\n"
                   "error: /usr/bin/ld: cannot find -lomp: No such file or directory: OpenMP needs Debian's package "
                   "libomp-19-dev\n"
                   "error: skipping /tmp/heddle-x/0.o\n");
}

#define HEAD ".version 8.4\n.target sm_90a\n.address_size 64\n"
#define BODY ".visible .entry k(\n\t.param .u64 k_0\n)\n{\n\tret; // }\n\t/* { */\n}\n"

static void ptx_at_first_sight(void **state)
{
    static const struct {
        const char *text;
        int arch;
        const char *said;
    } rows[] = {
        {HEAD BODY, 90, ""},
        {HEAD, 90, ""},
        {"__global__ void k();", 0, "p.ptx: error: this is no PTX text: it has no '.version' line\n"},
        {".version 8.4\n.target sx\n", 0,
         "p.ptx: error: this is no PTX text: it has no '.target sm_NN' line\n"},
        {HEAD ".visible .entry half()\n{\n\tret;\n", 0,
         "p.ptx:7: error: the file ends inside 'half': is it cut off?\n"
         "p.ptx:5: note: its '{' is here\n"},
        {HEAD ".visible .entry half(\n\t.param .u64", 0,
         "p.ptx:5: error: the file ends inside the head of 'half': is it cut off?\n"},
        {HEAD "}\n", 0, "p.ptx:4: error: '}' without '{'\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setup(state);
        assert_int_equal(ptxfile_check(rows[i].text, strlen(rows[i].text), "p.ptx", &diags),
                         rows[i].arch);
        assert_printed(rows[i].said);
        teardown(state);
    }
    setup(state);
    assert_int_equal(ptxfile_check(HEAD "\0x", sizeof HEAD + 1, "p.ptx", &diags), 0);
}

static void entries_by_whole_name(void **state)
{
    (void)state;
    assert_true(ptxfile_has_entry(HEAD BODY, "k"));
    assert_false(ptxfile_has_entry(HEAD BODY, "k_0"));
    assert_false(ptxfile_has_entry(HEAD ".entry kk()\n{ret;}", "k"));
}

static void kernels_of_stubs(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"_Z18__device_stub__addPf", "_Z3addPf"},
        {"_ZL17__device_stub__skv", "_ZL2skv"},
        {"_ZN2ns17__device_stub__tkILi3EEEvPi", "_ZN2ns2tkILi3EEEvPi"},
        {"_ZN3ab217__device_stub__tkEv", "_ZN3ab22tkEv"},
        {"_Z27__device_stub__matmul_tiledILi16EEvPKfS1_Pfiii", "_Z12matmul_tiledILi16EEvPKfS1_Pfiii"},
        {"__device_stub__plain", "plain"},
        {"_Z3addPf", NULL},
    };
    struct arena a;
    arena_init(&a);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *kernel = object_kernel_of_stub(&a, rows[i][0]);
        if (rows[i][1])
            assert_string_equal(kernel, rows[i][1]);
        else
            assert_null(kernel);
    }
    arena_release(&a);
}

static void damaged_objects_are_refused(void **state)
{
    (void)state;
    struct strbuf o;
    bool found;
    strbuf_init(&o);
    strbuf_adds(&o, "\177ELF and then not much more, but long enough to hold a whole header of 64");
    assert_false(object_set_device_code(&o, "x", 1, &found));
    assert_false(object_register_first(&o));
    strbuf_release(&o);
}

static void dependencies_follow_content(void **state)
{
    (void)state;
    char dir[] = "/tmp/heddle-test-XXXXXX", path[64], rule[64];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/a b.h", dir);
    snprintf(rule, sizeof rule, "%s/r.d", dir);
    assert_true(file_write(path, "one\n", 4));
    char text[256];
    int n = snprintf(text, sizeof text, "x.o: \\\n  %s/a\\ b.h %s/cache/x.pch\n", dir, dir);
    assert_true(file_write(rule, text, (size_t)n));

    struct strbuf deps;
    strbuf_init(&deps);
    char except[64];
    snprintf(except, sizeof except, "%s/cache", dir);
    assert_true(deps_add_rule(&deps, rule, except));
    assert_true(deps_unchanged(deps.s));
    assert_true(deps_untouched(deps.s));
    assert_true(deps_written_since(deps.s, 0));
    assert_false(deps_written_since(deps.s, INT64_MAX));

    struct strbuf once, twice;
    strbuf_init(&once);
    strbuf_init(&twice);
    strbuf_addf(&twice, "%sanother line\n%s", deps.s, deps.s);
    deps_add_once(&once, twice.s);
    strbuf_adds(&deps, "another line\n");
    assert_string_equal(once.s, deps.s);
    strbuf_clear(&deps);
    assert_true(deps_add_rule(&deps, rule, except));
    strbuf_release(&once);
    strbuf_release(&twice);
    assert_true(file_write(path, "two\n", 4)); /* same size, other content */
    assert_false(deps_unchanged(deps.s));
    assert_true(file_write(path, "one\n", 4)); /* another file of the same content */
    assert_true(deps_unchanged(deps.s));
    assert_false(deps_untouched(deps.s));
    assert_int_equal(unlink(path), 0);
    assert_false(deps_unchanged(deps.s));
    assert_false(deps_unchanged("damaged line\n"));
    strbuf_release(&deps);
    file_remove_dir(dir);
    assert_int_not_equal(access(dir, F_OK), 0);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_crash_is_one_line), T(included_files_lead_back),
        T(both_passes_are_heard_once), T(included_files_lead_back),
        T(the_compilers_own_headers_do_not_warn), T(tools_have_no_file),
        T(a_missing_package_is_named_once), T(undefined_names_once), T(ptx_at_first_sight), T(entries_by_whole_name),
        T(kernels_of_stubs), T(damaged_objects_are_refused), T(dependencies_follow_content),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
