/* Launches whose signs stand apart, variables qualified twice, registers in assembly: what is mended, and what must stay. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/strbuf.h"
#include "compile/device_launches.h"
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

static void operands_of_assembly_get_commas(void **state)
{
    (void)state;
    assert_mended("asm volatile(\"st [%1], %0;\" ::\"r\"(v) \"l\"(f(p, ')')) : \"memory\");",
                  "asm volatile(\"st [%1], %0;\" ::\"r\"(v),\"l\"(f(p, ')')) : \"memory\");");
    assert_mended("asm(\"\" : \"=r\"(x) \"=r\"(y) : \"r\"((a) + (b))  [n] \"r\"(c));",
                  "asm(\"\" : \"=r\"(x),\"=r\"(y) : \"r\"((a) + (b)), [n] \"r\"(c));");
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
        "printf(\"%0, %laneid\");", "plasm(\" %laneid\")", "asmx(\" %laneid\")", "asm", "asm volatile", "asm(\"", "asm( \" %l", "asm(x \" %laneid\")", "__as",
        "asm(\"\" : \"=r\"(x), \"=r\"(y) : \"r\"(a)\"r\"(b));", "asm(\"\" :: \"r\"(a)) \"b\"", "asm(\"\" :: \"r\"(f(a) \"b\"));", "asm(\"\" : \"r\"(a) "};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_mended(texts[i], texts[i]);
}

static void assert_forms(const char *text, bool in_kernel, const char *device, const char *host)
{
    const char *forms[] = {host, device};
    assert_int_equal(device_launches_in(text, strlen(text)), in_kernel);
    for (int i = 0; i < 2; i++) {
        struct strbuf out;
        strbuf_init(&out);
        device_launches_mend(text, strlen(text), i, &out);
        assert_string_equal(out.s ? out.s : "", forms[i]);
        strbuf_release(&out);
    }
}

static void launches_in_kernels_are_found_and_made(void **state)
{
    (void)state;
    assert_forms("__global__ void p() { k<<<1, 2>>>(x); }", true, "__global__ void p() { (__heddle_configure(1, 2), k(x)); }",
                 "__global__ void p() { [&]{ k<<<1, 2>>>(x); }(); }");
    assert_forms("int main() { k<<<1, 2>>>(); }", false, "int main() { (__heddle_configure(1, 2), k()); }",
                 "int main() { [&]{ k<<<1, 2>>>(); }(); }");
    assert_forms("namespace n { __device__ int v; }\nint main() { k<<<1, 2>>>(); }", false,
                 "namespace n { __device__ int v; }\nint main() { (__heddle_configure(1, 2), k()); }",
                 "namespace n { __device__ int v; }\nint main() { [&]{ k<<<1, 2>>>(); }(); }");
    assert_forms("struct s { __device__ void f() { if (a) { a::b<c<int>, (2 > 1)>\n<<<f(1), 2>>> (g(\")\"), 3) ; } } };", true,
                 "struct s { __device__ void f() { if (a) { (__heddle_configure(f(1), 2), a::b<c<int>, (2 > 1)>\n(g(\")\"), 3)) ; } } };",
                 "struct s { __device__ void f() { if (a) { [&]{ a::b<c<int>, (2 > 1)>\n<<<f(1), 2>>> (g(\")\"), 3); }() ; } } };");
    assert_forms("__global__ void p() { (*f)<<<1, 2>>>(); }", true, "__global__ void p() { (__heddle_configure(1, 2), (*f)()); }",
                 "__global__ void p() { [&]{ (*f)<<<1, 2>>>(); }(); }");
    assert_forms("__global__ void p() { ::k<<<1, 2>>>(); }", true, "__global__ void p() { (__heddle_configure(1, 2), ::k()); }",
                 "__global__ void p() { [&]{ ::k<<<1, 2>>>(); }(); }");
}

static void what_is_no_launch_stays(void **state)
{
    static const char *const texts[] = {"__global__ void p() { /* k<<<1, 2>>>(); */ }", "__device__ int x = 1 << 2;", "__global__ void p() { a <<< b; }",
                                        "__global__ void p() { \"k<<<1, 2>>>()\"; }", "<<<1, 2>>>()", "k<<<1, 2>>>", "k<<<1, 2>>>(", ""};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_forms(texts[i], false, texts[i], texts[i]);
}

static void add_name(const char *name, size_t n, void *user)
{
    strbuf_addf(user, "%.*s;", (int)n, name);
}

static void includes_in_quotes_are_listed(void **state)
{
    static const char text[] = "#include \"a.h\"\n  #  include\t\"b/c.cuh\"\n#include <d.h>\n// \n#define x \\\n#include \"no\"\n#include \"e";
    struct strbuf names;
    (void)state;
    strbuf_init(&names);
    device_launches_includes(text, sizeof text - 1, add_name, &names);
    assert_string_equal(names.s, "a.h;b/c.cuh;");
    strbuf_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(signs_apart_are_joined),
                                       cmocka_unit_test(shared_variables_are_no_device_variables),
                                       cmocka_unit_test(registers_of_ptx_get_two_signs), cmocka_unit_test(operands_of_assembly_get_commas),
                                       cmocka_unit_test(all_else_stays),
                                       cmocka_unit_test(launches_in_kernels_are_found_and_made),
                                       cmocka_unit_test(what_is_no_launch_stays), cmocka_unit_test(includes_in_quotes_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
