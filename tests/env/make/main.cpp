#include <cstdio>
#include "sum.h"

int main()
{
    int numbers[100], result = 0;
    for (int i = 0; i < 100; i++)
        numbers[i] = i;
    cudaError_t e = sum(numbers, 100, &result);
    if (e != cudaSuccess)
        return std::printf("%s\n", cudaGetErrorString(e)), 1;
    std::printf("sum %d\n", result);
    return result != 4950;
}
