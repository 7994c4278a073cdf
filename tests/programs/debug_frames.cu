// A list of shapes with virtual functions, as ray tracers have it, compiled without optimisation (-G): each operator is a
// call with variables and parameters of its own. What calls use that have ended the next ones use again, as on a GPU, so the
// frame of a function that may call itself fits into the default stack.
#include <cstdio>
#include <cuda_runtime.h>

struct vec {
    float x, y, z;
    __host__ __device__ vec(float a, float b, float c) : x(a), y(b), z(c) {}
};
__host__ __device__ vec operator+(const vec &a, const vec &b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ vec operator-(const vec &a, const vec &b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ vec operator*(vec a, float t) { return vec(a.x * t, a.y * t, a.z * t); }
__host__ __device__ float dot(const vec &a, const vec &b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct shape {
    __host__ __device__ virtual float nearest(vec from, vec to, float most) const = 0;
};
struct ball : shape {
    vec middle;
    __host__ __device__ ball(vec m) : middle(m) {}
    __host__ __device__ float nearest(vec from, vec to, float most) const override
    {
        vec way = to - from, apart = middle - from;
        vec foot = from + way * (dot(apart, way) / dot(way, way));
        vec left = middle - foot, right = (foot - middle) * 0.25f;
        float d = dot(left, left) + dot(right, right) + dot(left - right, right);
        return d < most ? d : most;
    }
};
struct list : shape {
    const shape **part;
    int n;
    __host__ __device__ list(const shape **p, int count) : part(p), n(count) {}
    __host__ __device__ float nearest(vec from, vec to, float most) const override
    {
        for (int i = 0; i < n; i++)
            most = part[i]->nearest(from, from + (to - from) * 1, most);
        return most;
    }
};

__host__ __device__ float trace(int i, const shape *world)
{
    return world->nearest(vec(0, 0, 0), vec(i % 8, i / 8, 1), 100);
}

__global__ void kernel(float *out)
{
    ball a(vec(1, 2, 3)), b(vec(3, 1, 2)), c(vec(-1, 4, 2));
    const shape *part[] = {&a, &b, &c};
    list world(part, 3);
    out[threadIdx.x] = trace(threadIdx.x, &world);
}

int main()
{
    ball a(vec(1, 2, 3)), b(vec(3, 1, 2)), c(vec(-1, 4, 2));
    const shape *part[] = {&a, &b, &c};
    list world(part, 3);
    float *device, out[64];
    cudaMalloc(&device, sizeof out);
    kernel<<<1, 64>>>(device);
    cudaError_t e = cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
    int bad = e != cudaSuccess;
    for (int i = 0; i < 64 && !bad; i++) {
        float want = trace(i, &world);
        if (fabsf(out[i] - want) > 1e-5f * fabsf(want)) {
            printf("%d: %g, not %g\n", i, out[i], want);
            bad = 1;
        }
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad;
}
