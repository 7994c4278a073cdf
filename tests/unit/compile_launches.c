/* Launches whose signs stand apart, variables qualified twice, registers in assembly: what is mended, and what must stay. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "compile/launches.h"

static void assert_mended(const char *text, const char *expected)
{
    char copy[256];
    strcpy(copy, text);
    assert_int_equal(launches_mend(copy, strlen(copy)), strcmp(text, expected) != 0);
    assert_string_equal(copy, expected);
}

static void signs_apart_are_joined(void **state)
{
    (void)state;
    assert_mended("k << <1, n >> > (p);", "k <<< 1, n >>>  (p);");
    assert_mended("k< < <g, b> > >(p);", "k<<<  g, b>>>  (p);");
    assert_mended("k<<<g, b>> >(p);", "k<<<g, b>>> (p);");
    assert_mended("k<int> << <f(a >> 1), b >> >();", "k<int> <<< f(a >> 1), b >>> ();");
    assert_mended("k << <1, 1 >> > (); l << <2, 2 >> > ();", "k <<< 1, 1 >>>  (); l <<< 2, 2 >>>  ();");
    assert_mended("k << <1,\n  1 >> > ();", "k <<< 1,\n  1 >>>  ();");
    assert_mended("f(\"a;\"), k << <';', 1 /* ; */ >> > ();", "f(\"a;\"), k <<< ';', 1 /* ; */ >>>  ();");
}

static void shared_variables_are_no_device_variables(void **state)
{
    (void)state;
    assert_mended("__device__ __shared__ int x;", "           __shared__ int x;");
    assert_mended("__shared__\t__device__ int x;", "__shared__\t           int x;");
    assert_mended("static __device__\n  __shared__ int x; k<< <1, 1>> >();", "static           \n  __shared__ int x; k<<< 1, 1>>> ();");
}

static void registers_of_ptx_get_two_signs(void **state)
{
    (void)state;
    assert_mended("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));", "asm(\"mov.u32 %0,%%laneid;\" : \"=r\"(x));");
    assert_mended("asm volatile (\"{ mov.u64 %0, %globaltimer; }\"\n \"add.u32 %1, %1, %_x;\" : :);",
                  "asm volatile (\"{ mov.u64 %0,%%globaltimer; }\"\n \"add.u32 %1, %1,%%_x;\" : :);");
    assert_mended("__asm__ __volatile__(\"\\t %smid \\\" %nsmid\");", "__asm__ __volatile__(\"\\t%%smid \\\"%%nsmid\");");
}

static void all_else_stays(void **state)
{
    static const char *const texts[] = {
        "k<<<1, 2>>>(p);", "a << b >> c;", "std::cout << x << y;", "vector<vector<vector<int>> > v;",
        "vector<vector<vector<int> > > v;", "// k << <1, 1 >> > ()\n", "/* k << <1, 1 >> > () */", "\"k << <1, 1 >> > ()\"",
        "'<' '<' '<'", "\"\\\" << < >> >\"", "a <<= 3;", "k << <1, 2;", "k << <1, (2 >> > 3);", "", "<", "<<", "<<<", "<< <1>> ", "\"", "'",
        "/*", "/", "<< <\"", "#define X << <", "__device__ int x; __shared__ int y;",
        "// __device__ __shared__ int x;", "__device__ __shared__", "__device____shared__ x;", "\"__device__ __shared__ \"",
        "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));", "asm(\"mov.u32 %0, %1; %r2 %r\" :: \"r\"(\" %laneid\"));", "asm(\"mov.u32 %0,%laneid;\")",
        "printf(\"%0, %laneid\");", "plasm(\" %laneid\")", "asmx(\" %laneid\")", "asm", "asm volatile", "asm(\"", "asm( \" %l", "asm(x \" %laneid\")", "__as"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_mended(texts[i], texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_apart_are_joined),
                                       cmocka_unit_test(shared_variables_are_no_device_variables),
                                       cmocka_unit_test(registers_of_ptx_get_two_signs),
                                       cmocka_unit_test(all_else_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
