typedef int (*function)(int);
__device__ int twice(int x);
template <typename T> __device__ __noinline__ T more(T x) { return x + 1; }
void second(int *p);
void own_of_part(int *p);
int mine_of_part();
