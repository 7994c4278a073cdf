// A host program in a .cu file: no kernel, no CUDA call. It runs; a profile says that nothing was launched.
#include <cstdio>

int main()
{
    puts("only the host");
    return 4;
}
