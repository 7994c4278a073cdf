// Loops as ptxas is to see them: closing.py.
__global__ void by_itself(float *p, int turns) { float x = p[threadIdx.x]; for (int k = 0; k < turns; k++) x = x * 1.0001f + 0.5f; p[threadIdx.x] = x; }
__global__ void asked(float *p, int turns)
{
    float x = p[threadIdx.x];
#pragma unroll 8
    for (int k = 0; k < turns; k++)
        x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}
__global__ void known(float *p) { float x = p[threadIdx.x]; for (int k = 0; k < 1024; k++) x = x * 1.0001f + 0.5f; p[threadIdx.x] = x; }
__global__ void known_asked(float *p)
{
    float x = p[threadIdx.x];
#pragma unroll 4
    for (int k = 0; k < 1024; k++)
        x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}
__global__ void by_steps(float *p, const float *q, int n) { float x = 0; for (int k = threadIdx.x; k < n; k += 256) x += q[k]; p[threadIdx.x] = x; }
__global__ void loads(float *p, const float *q, int n) { float x = 0; for (int k = 0; k < n; k++) x += q[k] * x; p[threadIdx.x] = x; }
// The end is a sum of the program's counter where another one begins elsewhere than at 0.
__global__ void masked(float *p, const float *q, int n, int m) { int i = threadIdx.x; float x = 0; for (int k = 0; k < n; k++) x += q[(i + k * 4096) & m]; p[i] = x; }
__global__ void shifted(float *p, const float *q, int n) { int i = threadIdx.x; float x = 0; for (int k = 0; k < n; k++) x += q[i + k * 512]; p[i] = x; }
__global__ void factor(float *p, const float *q, int n, int m) { float x = 0; for (int k = 0; k < n; k++) x += q[(k * 7) & m]; p[threadIdx.x] = x; }
__global__ void found(float *p, const float *q, int n) { int x = 0; for (int k = 0; k < n; k++) if (q[k] > 0) x = k + 1; p[threadIdx.x] = x; }
__global__ void from_one(float *p, const float *q, int n) { int i = threadIdx.x; float x = 0; for (int k = 1; k < n; k++) x += q[i + k * 64]; p[i] = x; }
__global__ void counter(float *p, const float *q, int n, int m) { float x = 0; for (int k = 0; k < n; k++) x += q[k & m]; p[threadIdx.x] = x; }
__global__ void pointer(float *p, const float *q, int n, int w) { int i = threadIdx.x; float x = 0; for (int k = 0; k < n; k++) x += q[i * w + k]; p[i] = x; }
__global__ void both(float *p, const float *q, int n) { int i = threadIdx.x; float x = 0; for (int k = 0; k < n; k++) x += q[i + k * 512] * q[k]; p[i] = x; }
__global__ void width(float *p, const float *q, int n, int m, int w) { float x = 0; for (int k = 0; k < n; k++) x += q[(k * w) & m]; p[threadIdx.x] = x; }
__global__ void down(float *p, const float *q, int n, int m) { float x = 0; for (int k = 0; k < n; k++) x += q[(n - k) & m]; p[threadIdx.x] = x; }
