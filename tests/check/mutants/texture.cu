// Reads by the texture path, which sees no store of the same launch.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 128;

__global__ void smooth(cudaTextureObject_t t, int *a, int *out)
{
    int i = threadIdx.x;
    if (BUG == 1) {
        a[i] += 1; // @store
        __syncthreads();
    }
    out[i] = tex1Dfetch<int>(t, i) + tex1Dfetch<int>(t, (i + 1) % N); // @fetch
}

__global__ void advance(int *a, const int *__restrict__ same, int *out)
{
    int i = threadIdx.x;
    if (BUG == 2) {
        a[i] *= 2; // @double
        __syncthreads();
    }
    out[i] = __ldg(&same[(i + 1) % N]); // @ldg
}

__global__ void surface(cudaSurfaceObject_t s, cudaTextureObject_t t, int *out)
{
    int i = threadIdx.x;
    if (BUG == 3)
        surf1Dwrite(i + 5, s, i * (int)sizeof(int)); // @surf_write
    __syncthreads();
    out[i] = tex1D<int>(t, N - 1 - i + 0.5f); // @tex
}

int main()
{
    int h[N], got[3][N], *a, *out, bad = 0;
    for (int i = 0; i < N; i++)
        h[i] = i * 3;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaResourceDesc linear = {}, array = {};
    cudaTextureDesc plain = {};
    cudaTextureObject_t t, u;
    cudaSurfaceObject_t s;
    cudaArray_t cells;
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = a;
    linear.res.linear.desc = cudaCreateChannelDesc<int>();
    linear.res.linear.sizeInBytes = sizeof h;
    cudaCreateTextureObject(&t, &linear, &plain, nullptr);
    cudaMallocArray(&cells, &linear.res.linear.desc, N, 0, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(cells, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice);
    array.resType = cudaResourceTypeArray;
    array.res.array.array = cells;
    cudaCreateTextureObject(&u, &array, &plain, nullptr);
    cudaCreateSurfaceObject(&s, &array);
    smooth<<<1, N>>>(t, a, out);
    if (BUG == 4)
        cudaFree(a);
    advance<<<1, N>>>(a, a, out + N);
    surface<<<1, N>>>(s, u, out + 2 * N);
    bad += cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost) != cudaSuccess;
    int more = BUG == 1, times = BUG == 2 ? 2 : 1;
    for (int i = 0; i < N; i++) {
        bad += got[0][i] != h[i] + h[(i + 1) % N] + 2 * more;
        bad += got[1][i] != (h[(i + 1) % N] + more) * times;
        bad += got[2][i] != (BUG == 3 ? N - 1 - i + 5 : h[N - 1 - i]);
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaDestroyTextureObject(t);
    cudaDestroyTextureObject(u);
    cudaDestroySurfaceObject(s);
    cudaFreeArray(cells);
    if (BUG != 4)
        cudaFree(a);
    cudaFree(out);
}
