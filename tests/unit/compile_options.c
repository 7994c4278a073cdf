/* The command line of `heddle build`: flags, values, joined and separate forms, what is warned about and refused. */
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
#include "compile/clang.h"
#include "compile/compile.h"
#include "compile/ptxfile.h"
#include "compile/words.h"

static struct compile_options o;
static struct diag_list diags;

static int setup(void **state)
{
    (void)state;
    compile_options_init(&o);
    diag_init(&diags);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    compile_options_release(&o);
    diag_release(&diags);
    return 0;
}

/* Parses the words of `line`, separated by single spaces. */
static void parse(const char *line)
{
    char *argv[64], *copy = arena_strdup(&o.arena, line);
    int argc = 0;
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        argv[argc++] = w;
    compile_options_parse(&o, argc, argv, &diags);
}

static void assert_words(const struct words *w, const char *expected)
{
    assert_string_equal(words_join(&o.arena, w), expected);
}

static void assert_said(enum diag_severity severity, const char *part)
{
    for (const struct diag *d = diags.first; d; d = d->next)
        if (d->severity == severity && strstr(d->text, part))
            return;
    struct strbuf all;
    strbuf_init(&all);
    diag_format_all(&diags, &all);
    print_error("nobody said '%s' but:\n%s", part, all.s ? all.s : "");
    strbuf_release(&all);
    fail();
}

static void values_may_be_joined_or_apart(void **state)
{
    (void)state;
    parse("-Ia -I b -I=c -DX -D Y=2 --define-macro=Z -UQ -std=c++14 -o out --output-file=out2 -O3 x.cu");
    assert_words(&o.search, "-I a -I b -I c");
    assert_words(&o.defines, "-DX -DY=2 -DZ -UQ");
    assert_words(&o.both, "-std=c++14");
    assert_words(&o.inputs, "x.cu");
    assert_string_equal(o.output, "out2");
    assert_int_equal(o.host_opt, '3');
    assert_int_equal(diags.count, 0);
}

static void everyday_flags_are_silent(void **state)
{
    (void)state;
    parse("-c -g -G -lineinfo -m64 --expt-relaxed-constexpr -expt-extended-lambda --extended-lambda "
          "-Wno-deprecated-gpu-targets -rdc=false -x cu -Xptxas -O3 -cudart static a.txt");
    assert_int_equal(diags.count, 0);
    assert_int_equal(o.stage, COMPILE_OBJECT);
    assert_true(o.debug_host && o.debug_device);
    assert_words(&o.inputs, "a.txt");
    assert_string_equal(o.language, "cu");
}

static void libraries_keep_their_place(void **state)
{
    (void)state;
    parse("a.cu -lm -L/lib b.o -l z -lgomp -lcudart -lnvToolsExt -lcuda --library cudart_static -Xlinker -s,-x -Wl,-O1");
    assert_words(&o.inputs, "a.cu -lm -L/lib b.o -lz -fopenmp=libomp -lnvToolsExt -Xlinker -s -Xlinker -x -Wl,-O1");
    assert_int_equal(diags.count, 0);
}

static void architectures(void **state)
{
    static const struct {
        const char *line;
        int arch;
        bool a;
    } rows[] = {{"", 90, false},
                {"-arch=sm_80", 80, false},
                {"-arch compute_75", 75, false},
                {"--gpu-architecture=sm_90a", 90, true},
                {"-arch=native", 90, false},
                {"-arch=sm_120", 90, false},
                {"-arch=sm_20", 50, false},
                {"-arch=sm_10", 50, false},
                {"-gencode arch=compute_13,code=sm_13", 50, false},
                {"-gencode arch=compute_70,code=sm_70 -gencode=arch=compute_86,code=sm_86", 86, false},
                {"-gencode arch=compute_86,code=sm_86 -gencode arch=compute_70,code=sm_70", 86, false},
                {"-gencode arch=compute_80,code=sm_80 -gencode arch=compute_120,code=sm_120", 80, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        setup(state);
        parse(rows[i].line);
        assert_int_equal(o.arch, rows[i].arch);
        assert_int_equal(o.arch_a, rows[i].a);
        assert_int_equal(diags.errors, 0);
        assert_int_equal(diags.count, strstr(rows[i].line, "-arch=sm_120") || strstr(rows[i].line, "sm_20") ||
                                              strstr(rows[i].line, "sm_10") || strstr(rows[i].line, "sm_13") ? 1 : 0);
        teardown(state);
    }
    setup(state);
}

static void wrong_values_are_named(void **state)
{
    (void)state;
    parse("-arch=sm_33 -arch=fast -std=c++99 -O9 -ftz=yes -Ofast -x fortran -m32");
    assert_int_equal(diags.errors, 8);
    assert_said(DIAG_ERROR, "'sm_33' is no value of '-arch'");
    assert_said(DIAG_ERROR, "'fast' is no value of '-O'");
    assert_said(DIAG_ERROR, "'yes' is no value of '-ftz'");
    assert_said(DIAG_ERROR, "'fortran' is no value of '-x'");
    assert_said(DIAG_ERROR, "'32' is no value of '-m'");
}

static void unknown_flags_are_errors(void **state)
{
    (void)state;
    parse("--no-such-flag -zzz x.cu");
    assert_int_equal(diags.errors, 2);
    assert_said(DIAG_ERROR, "unknown flag '--no-such-flag'");
}

static void a_missing_value_is_an_error(void **state)
{
    (void)state;
    parse("x.cu -o");
    assert_said(DIAG_ERROR, "'-o' needs a value");
}

static void loads_get_their_cache_operator(void **state)
{
    (void)state;
    struct strbuf b;
    parse("-Xptxas -dlcm=cg x.cu");
    assert_string_equal(o.load_cache, "cg");
    parse("-Xptxas -dlcm=cd x.cu");
    assert_said(DIAG_ERROR, "'-Xptxas -dlcm=cd': the ways are ca, cg, cs and cv");
    strbuf_init(&b);
    strbuf_adds(&b, "ld.global.f32 %f1, [%rd1]; // ld.global.f32\n@%p1 ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2+16];\n"
                    "ld.u8 %rs1, [%rd1];\nld.global.nc.f32 %f2, [%rd1];\nld.volatile.global.f32 %f3, [%rd1];\n"
                    "ld.param.u64 %rd1, [f_param_0];\nld.global.ca.f32 %f4, [%rd1];\nld.shared.b32 %r1, [%r2];\n"
                    "ld.relaxed.gpu.global.u32 %r1, [%rd1];\nst.global.f32 [%rd1], %f1;\n");
    ptxfile_set_load_cache(&b, "cg");
    assert_string_equal(b.s, "ld.global.cg.f32 %f1, [%rd1]; // ld.global.f32\n@%p1 ld.global.cg.v4.u32 {%r1, %r2, %r3, %r4}, [%rd2+16];\n"
                             "ld.cg.u8 %rs1, [%rd1];\nld.global.nc.f32 %f2, [%rd1];\nld.volatile.global.f32 %f3, [%rd1];\n"
                             "ld.param.u64 %rd1, [f_param_0];\nld.global.ca.f32 %f4, [%rd1];\nld.shared.b32 %r1, [%r2];\n"
                             "ld.relaxed.gpu.global.u32 %r1, [%rd1];\nst.global.f32 [%rd1], %f1;\n");
    strbuf_clear(&b);
    ptxfile_set_load_cache(&b, "cg"); /* nothing to do */
    assert_int_equal(b.len, 0);
    strbuf_release(&b);
}

static void sums_and_products_get_their_rounding(void **state)
{
    (void)state;
    struct strbuf b;
    strbuf_init(&b);
    strbuf_adds(&b, "mul.f16 %rs1, %rs2, %rs3; // add.f32\n@!%p1 sub.ftz.f16x2 %r1, %r2, %r3;\n{add.bf16x2 %r1,%r2,%r3;}\n"
                    "add.f32 %f1, %f2, %f3;\nmul.ftz.sat.f32 %f1, %f2, %f3;\nadd.rz.f64 %fd1, %fd2, %fd3;\nmul.rn.f32 %f1, %f2, %f3;\n"
                    "add.s32 %r1, %r2, %r3;\nadd.sat.s32 %r1, %r2, %r3;\nmul.lo.s32 %r1, %r2, %r3;\nsub.cc.u32 %r1, %r2, %r3;\n"
                    "red.add.f32 [%rd1], %f1;\natom.global.add.f32 %f1, [%rd1], %f2;\nadd.b32 %r1, %r2, %r3;\nadd.");
    ptxfile_round(&b);
    assert_string_equal(b.s, "mul.rn.f16 %rs1, %rs2, %rs3; // add.f32\n@!%p1 sub.rn.ftz.f16x2 %r1, %r2, %r3;\n{add.rn.bf16x2 %r1,%r2,%r3;}\n"
                             "add.rn.f32 %f1, %f2, %f3;\nmul.rn.ftz.sat.f32 %f1, %f2, %f3;\nadd.rz.f64 %fd1, %fd2, %fd3;\nmul.rn.f32 %f1, %f2, %f3;\n"
                             "add.s32 %r1, %r2, %r3;\nadd.sat.s32 %r1, %r2, %r3;\nmul.lo.s32 %r1, %r2, %r3;\nsub.cc.u32 %r1, %r2, %r3;\n"
                             "red.add.f32 [%rd1], %f1;\natom.global.add.f32 %f1, [%rd1], %f2;\nadd.b32 %r1, %r2, %r3;\nadd.");
    strbuf_release(&b);
}

static void what_has_no_effect_says_so(void **state)
{
    (void)state;
    parse("-Xptxas -v,-dlcm=ca -maxrregcount=32 -ccbin g++ --resource-usage");
    assert_int_equal(diags.errors, 0);
    assert_int_equal(diags.count, 1);
    assert_int_equal(o.registers, 32);
    assert_string_equal(o.load_cache, "ca");
    assert_true(o.resources);
    assert_said(DIAG_WARNING, "'-ccbin' has no effect");
}

static void what_is_missing_is_refused_by_name(void **state)
{
    (void)state;
    parse("-optix-ir");
    assert_int_equal(diags.errors, 1);
    assert_said(DIAG_ERROR, "'-optix-ir' is not possible");
}

static void device_code_becomes_an_image(void **state)
{
    (void)state;
    parse("-cubin");
    assert_int_equal(o.stage, COMPILE_IMAGE);
    assert_string_equal(o.image, ".cubin");
    parse("--fatbin");
    assert_int_equal(o.stage, COMPILE_IMAGE);
    assert_string_equal(o.image, ".fatbin");
}

static void relocatable_device_code(void **state)
{
    (void)state;
    parse("-rdc=true -rdc=false -o x");
    assert_false(o.relocatable);
    parse("-dc");
    assert_true(o.relocatable);
    assert_int_equal(o.stage, COMPILE_OBJECT);
    assert_int_equal(diags.count, 0);
    parse("-dlink");
    assert_said(DIAG_ERROR, "'-dlink' cannot go with another of");
}

static void fast_math_is_its_parts(void **state)
{
    (void)state;
    parse("--use_fast_math");
    assert_true(o.ftz && o.fast_div && o.fast_sqrt && o.fast_functions);
    parse("-prec-div=true -ftz=false");
    assert_true(!o.ftz && !o.fast_div && o.fast_sqrt);
}

static void take_stops_at_files(void **state)
{
    (void)state;
    char *argv[] = {"-arch", "sm_80", "x.cu", "-c"};
    assert_int_equal(compile_options_take(&o, 4, argv, &diags), 2);
    assert_int_equal(compile_options_take(&o, 2, argv + 2, &diags), 0);
    char *unknown[] = {"--device", "h200"};
    assert_int_equal(compile_options_take(&o, 2, unknown, &diags), 0);
    assert_int_equal(diags.count, 0);
}

/* Gives the bytes as a file of options. */
static void parse_file(const char *bytes, size_t n)
{
    char path[] = "/tmp/options-XXXXXX";
    int fd = mkstemp(path);
    char *argv[] = {"-optf", path, "last.cu"};
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
    compile_options_parse(&o, 3, argv, &diags);
    unlink(path);
}

static void files_of_options(void **state)
{
    (void)state;
    static const char text[] = "-DA=\"1 2\" ''\n\\\\ 'a b'\\'c";
    parse_file(text, strlen(text));
    assert_words(&o.defines, "'-DA=1 2'");
    assert_words(&o.inputs, "'' '\\' 'a b'\\''c' last.cu");
    assert_int_equal(diags.count, 0);
    parse_file("a.cu\0b.cu", 9);
    assert_said(DIAG_ERROR, "not a file of options: it has a zero byte");
}

/* Memory of a long one is of its length, not of its square. */
static void a_long_file_of_options(void **state)
{
    (void)state;
    enum { WORDS = 300000 };
    char *text = test_malloc(WORDS * 8);
    for (int i = 0; i < WORDS; i++)
        memcpy(text + 8 * i, "file.cu\n", 8);
    parse_file(text, WORDS * 8);
    test_free(text);
    assert_int_equal(o.inputs.n, WORDS + 1);
}

/* Each names itself twice: what is read is bounded, not only how deep. */
static void files_of_options_in_a_circle(void **state)
{
    (void)state;
    char path[] = "/tmp/options-XXXXXX", text[80];
    int fd = mkstemp(path), n = snprintf(text, sizeof text, "-optf %s a.cu -optf %s", path, path);
    char *argv[] = {"-optf", path};
    assert_true(fd >= 0 && write(fd, text, (size_t)n) == n);
    close(fd);
    compile_options_parse(&o, 2, argv, &diags);
    unlink(path);
    assert_said(DIAG_ERROR, "they name each other in a circle");
    assert_true(o.inputs.n <= 64);
}

static void reserved_macros_reach_the_headers(void **state)
{
    (void)state;
    assert_true(clang_define_is_reserved("-D_GNU_SOURCE"));
    assert_true(clang_define_is_reserved("-DNDEBUG"));
    assert_true(clang_define_is_reserved("-DCUDA_API_PER_THREAD_DEFAULT_STREAM"));
    assert_false(clang_define_is_reserved("-DTILE=16"));
    assert_false(clang_define_is_reserved("-DN=3"));
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(values_may_be_joined_or_apart), T(everyday_flags_are_silent),
        T(libraries_keep_their_place),    T(architectures),
        T(wrong_values_are_named),        T(unknown_flags_are_errors),
        T(loads_get_their_cache_operator),
        T(sums_and_products_get_their_rounding),
        T(a_missing_value_is_an_error),   T(what_has_no_effect_says_so),
        T(what_is_missing_is_refused_by_name), T(device_code_becomes_an_image), T(relocatable_device_code), T(fast_math_is_its_parts),
        T(take_stops_at_files),           T(reserved_macros_reach_the_headers),
        T(files_of_options),              T(a_long_file_of_options),
        T(files_of_options_in_a_circle),
    };
#undef T
    return cmocka_run_group_tests(tests, NULL, NULL);
}
