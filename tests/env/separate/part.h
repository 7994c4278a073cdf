typedef int (*function)(int);
__device__ int twice(int x);
template <typename T> __device__ __noinline__ T more(T x) { return x + 1; }
extern __managed__ int total;
void second(int *p);
int managed_of_part();
void own_of_part(int *p);
int mine_of_part();
