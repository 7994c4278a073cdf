/* What device printf costs: formats of several lengths, arguments, strings, and lanes that print. print.tsv has what an H200 executed for
 * each launch, in this order; print.py compares. */
#include <cstdio>

#define KERNEL(name, body) __global__ void name(int n, int x, float f, int *out) { body }
#define PRINTS(name, ...) KERNEL(name, if (threadIdx.x < n) printf(__VA_ARGS__);)

KERNEL(none, if (threadIdx.x < n) out[threadIdx.x] = x;)
PRINTS(text1, "a")
PRINTS(text4, "abcd")
PRINTS(text8, "abcdefgh")
PRINTS(text16, "abcdefghijklmnop")
PRINTS(text17, "abcdefghijklmnopq")
PRINTS(text64, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
PRINTS(words1, "%d", x)
PRINTS(words2, "%d%d", x, x + 1)
PRINTS(words3, "%d%d%d", x, x + 1, x + 2)
PRINTS(words4, "%d%d%d%d", x, x + 1, x + 2, x + 3)
PRINTS(words8, "%d%d%d%d%d%d%d%d", x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7)
PRINTS(line1, "x is %d\n", x)
PRINTS(line2, "x %d y %d\n", x, x + 1)
PRINTS(floats1, "%f", f + 0)
PRINTS(floats2, "%f%f", f + 0, f + 1)
PRINTS(width, "%8.2f", f + 0)
PRINTS(string1, "%s", "word")
PRINTS(string2, "%s%s", "word", "longer word")
PRINTS(longs1, "%lld", (long long)x)
PRINTS(character, "%c", (char)x)
PRINTS(string_and_word, "%s %d\n", "word", x + 1)
PRINTS(pointer, "%p", (void *)out)
PRINTS(percent, "%%")
PRINTS(word_and_float, "%d %f\n", x, f + 1)
KERNEL(two, if (threadIdx.x < n) { printf("%d", x); printf("%d", x + 1); })
PRINTS(lanes, "%d", x + (int)threadIdx.x)
KERNEL(loop, for (int i = 0; i < n; i++) printf("%d", i);)

#define RUN(name, grid, block, n, x) \
    name<<<grid, block>>>(n, x, 1.5f, out); \
    cudaDeviceSynchronize();
#define LANES(name) RUN(name, 1, 32, 0, 5) RUN(name, 1, 32, 1, 5) RUN(name, 1, 32, 2, 5) RUN(name, 1, 32, 7, 5) RUN(name, 1, 32, 16, 5)

int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    RUN(none, 1, 32, 32, 5)
    RUN(text1, 1, 32, 32, 5)
    RUN(text4, 1, 32, 32, 5)
    RUN(text8, 1, 32, 32, 5)
    RUN(text16, 1, 32, 32, 5)
    RUN(text17, 1, 32, 32, 5)
    RUN(text64, 1, 32, 32, 5)
    RUN(words1, 1, 32, 32, 5)
    RUN(words2, 1, 32, 32, 5)
    RUN(words3, 1, 32, 32, 5)
    RUN(words4, 1, 32, 32, 5)
    RUN(words8, 1, 32, 32, 5)
    RUN(line1, 1, 32, 32, 5)
    RUN(line2, 1, 32, 32, 5)
    RUN(floats1, 1, 32, 32, 5)
    RUN(floats2, 1, 32, 32, 5)
    RUN(width, 1, 32, 32, 5)
    RUN(string1, 1, 32, 32, 5)
    RUN(string2, 1, 32, 32, 5)
    RUN(longs1, 1, 32, 32, 5)
    RUN(character, 1, 32, 32, 5)
    RUN(string_and_word, 1, 32, 32, 5)
    RUN(pointer, 1, 32, 32, 5)
    RUN(percent, 1, 32, 32, 5)
    RUN(word_and_float, 1, 32, 32, 5)
    RUN(two, 1, 32, 32, 5)
    RUN(lanes, 1, 32, 32, 5)
    RUN(loop, 1, 32, 32, 5)
    LANES(words1)
    LANES(text16)
    LANES(string1)
    LANES(lanes)
    LANES(loop)
    RUN(words1, 2, 64, 64, 5)
    RUN(lanes, 132, 256, 256, 5)
    RUN(words1, 1, 32, 32, 123456789)
    printf("\n%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
