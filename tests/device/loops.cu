// Loops that lanes leave one by one: of different length, left in the middle, gone on with early, one in another, with
// stores and calls inside, for more than a million turns; words of each lane next to each other; and a lane that goes
// outside of memory. With an argument only the latter, at that element, or "behind" the end with the third of four words:
// what is said of it is the same whatever runs the kernel (tests/jit/loops.sh).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;
enum { ROWS = 640, MOST = 40 };

__host__ __device__ u32 mix(u32 x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    return x * 0x27d4eb2d;
}

// Sums of rows: by a thread each, and by a warp each.
__host__ __device__ u32 sum_of(const u32 *first, const u32 *cell, const u32 *value, int row)
{
    u32 sum = 0;
    for (u32 i = first[row]; i < first[row + 1]; i++)
        sum += value[i] * cell[value[i] % ROWS];
    return sum;
}

__global__ void by_thread(const u32 *first, const u32 *cell, const u32 *value, u32 *out)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < ROWS)
        out[row] = sum_of(first, cell, value, row);
}

__global__ void by_warp(const u32 *first, const u32 *cell, const u32 *value, u32 *out)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    u32 sum = 0;
    for (u32 i = first[row] + lane; i < first[row + 1]; i += 32)
        sum += value[i] * cell[value[i] % ROWS];
    for (int step = 16; step; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    if (lane == row % 32)
        out[row] = sum;
}

// Breaks, continues, loops in loops, a way out of both.
__host__ __device__ u32 wander(const u32 *cell, u32 seed)
{
    u32 left = 1 + seed % 29, found = ~0u, steps = 0;
    for (u32 i = 0; i < 40; i++) {
        u32 x = mix(seed + i * 977);
        steps += 3;
        if (x % 7 == 0)
            continue;
        if (x % 31 == 1) {
            found = i;
            break;
        }
        for (u32 j = x % 5; j < 6; j++) {
            x += cell[(x ^ j) % ROWS];
            if (x % 11 == 0) {
                steps ^= j;
                break;
            }
            if (x % 97 == 5)
                goto out;
            steps += j & 1 ? x & 3 : x & 5;
        }
        if (!--left)
            break;
    }
    steps = ~steps;
out:
    return steps * 41 + found;
}

__global__ void wanderers(const u32 *cell, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = wander(cell, i);
}

// Stores in the loop, some of them in a branch, to shared, local and global memory; a lane's own cells.
__host__ __device__ u32 scribble(u32 *mine, int stride, u32 seed)
{
    u32 own[8] = {seed}, turns = seed % 23;
    for (u32 i = 0; i < turns; i++) {
        own[mix(i + seed) % 8] += i;
        if (mix(i ^ seed) % 3 == 0)
            mine[(i % 4) * stride] = own[i % 8];
        else
            mine[(i % 3) * stride] ^= i;
    }
    u32 all = 0;
    for (int i = 0; i < 8; i++)
        all = all * 5 + own[i];
    return all;
}

__global__ void scribblers(u32 *cells, u32 *out)
{
    __shared__ u32 ours[4 * 64];
    u32 t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    for (int c = 0; c < 4; c++)
        ours[c * 64 + t] = 0;
    out[i] = scribble(ours + t, 64, i) + 3 * scribble(cells + i, ROWS, i * 5);
    for (int c = 0; c < 4; c++)
        out[i] = out[i] * 7 + ours[c * 64 + t];
}

// The last turn is for some lanes.
__global__ void strides(const u32 *in, u32 *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = in[i] * 3 + 1;
}

// Numbers until 1; lanes turn up to some 3 million times.
__global__ void far(u64 *out)
{
    u32 left = threadIdx.x == 9 ? 3000000 : threadIdx.x * 1000;
    u64 x = threadIdx.x + 1;
    while (left--) {
        x = x * 6364136223846793005ull + 1442695040888963407ull;
        if ((x >> 33) % 5000000 == threadIdx.x)
            break;
    }
    out[threadIdx.x] = x + left;
}

__global__ void outside(const u32 *p, u32 *out, u32 lane, u64 element)
{
    u32 sum = 0;
    for (u32 i = 0; i < threadIdx.x + 2; i++)
        sum += p[threadIdx.x == lane && i == 3 ? element : i];
    out[threadIdx.x] = sum;
}

// Four neighbours from anywhere, and words before them: the last ones may be behind the end of all memory.
__global__ void neighbours(const u32 *at, const u32 *p, u32 *out, u32 some)
{
    u32 x = at[threadIdx.x];
    const u32 *q = p + x;
    if (threadIdx.x % some == 0)
        out[threadIdx.x] = q[0] + 3 * q[1] + 5 * q[2] + 7 * q[3] + 11 * p[x / 2] + (x > 1 ? q[-1] : 0);
}

static void compare(const char *what, const std::vector<u32> &want, const u32 *got)
{
    for (size_t i = 0; i < want.size(); i++)
        if (want[i] != got[i]) {
            printf("FAILED: %s: %zu is %u and not %u\n", what, i, got[i], want[i]);
            return;
        }
}

int main(int argc, char **argv)
{
    static u32 first[ROWS + 1], cell[ROWS];
    std::vector<u32> value, want(ROWS);
    u32 *f, *c, *v, *out;
    u64 *numbers;
    for (int i = 0; i < ROWS; i++) {
        cell[i] = mix(i + 5);
        first[i] = (u32)value.size();
        for (u32 n = mix(i * 3) % (i % 64 < 8 ? 1 + 3 * MOST : MOST); n; n--)
            value.push_back(mix(n + 100 * i));
    }
    first[ROWS] = (u32)value.size();
    cudaMalloc(&f, sizeof first);
    cudaMalloc(&c, sizeof cell);
    cudaMalloc(&v, value.size() * 4);
    cudaMallocManaged(&out, 5 * sizeof cell);
    cudaMallocManaged(&numbers, 32 * sizeof *numbers);
    cudaMemcpy(f, first, sizeof first, cudaMemcpyHostToDevice);
    cudaMemcpy(c, cell, sizeof cell, cudaMemcpyHostToDevice);
    cudaMemcpy(v, value.data(), value.size() * 4, cudaMemcpyHostToDevice);
    const u32 words = 1 << 19; // of a granule
    u32 *large, *at;
    cudaMalloc(&large, 4 * words);
    cudaMallocManaged(&at, 64 * sizeof *at);
    std::vector<u32> content(words);
    for (u32 i = 0; i < words; i++)
        content[i] = mix(i);
    cudaMemcpy(large, content.data(), 4 * words, cudaMemcpyHostToDevice);
    for (u32 i = 0; i < 64; i++)
        at[i] = mix(i + 77) % (words - 3);
    at[21] = words - 4;
    if (argc > 1 && !strcmp(argv[1], "behind")) {
        at[37] = words - 2;
        neighbours<<<1, 64>>>(at, large, out, 1);
        puts(cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    if (argc > 1) {
        outside<<<2, 64>>>(c, out, 7, strtoull(argv[1], NULL, 0));
        puts(cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }

    for (int i = 0; i < ROWS; i++)
        want[i] = sum_of(first, cell, value.data(), i);
    by_thread<<<(ROWS + 95) / 96, 96>>>(f, c, v, out);
    cudaDeviceSynchronize();
    compare("sums by threads", want, out);
    by_warp<<<ROWS / 4, 128>>>(f, c, v, out);
    cudaDeviceSynchronize();
    compare("sums by warps", want, out);

    for (int i = 0; i < ROWS; i++)
        want[i] = wander(cell, i);
    wanderers<<<ROWS / 64, 64>>>(c, out);
    cudaDeviceSynchronize();
    compare("ways out", want, out);

    std::vector<u32> cells(4 * ROWS);
    for (int i = 0; i < ROWS; i++) {
        u32 ours[4] = {0};
        want[i] = scribble(ours, 1, i) + 3 * scribble(&cells[i], ROWS, i * 5);
        for (u32 x : ours)
            want[i] = want[i] * 7 + x;
    }
    cudaMemset(out, 0, 5 * sizeof cell);
    scribblers<<<ROWS / 64, 64>>>(out + ROWS, out);
    cudaDeviceSynchronize();
    compare("stores", want, out);
    compare("cells", cells, out + ROWS);

    for (int i = 0; i < ROWS; i++)
        want[i] = i < ROWS - 21 ? cell[i] * 3 + 1 : 0;
    cudaMemset(out, 0, sizeof cell);
    strides<<<2, 64>>>(c, out, ROWS - 21);
    cudaDeviceSynchronize();
    compare("strides", want, out);

    for (u32 some = 1; some < 5; some++) {
        std::vector<u32> sums(64);
        for (u32 i = 0; i < 64; i += some) {
            const u32 *q = content.data() + at[i];
            sums[i] = q[0] + 3 * q[1] + 5 * q[2] + 7 * q[3] + 11 * content[at[i] / 2] + (at[i] > 1 ? q[-1] : 0);
        }
        cudaMemset(out, 0, 256);
        neighbours<<<1, 64>>>(at, large, out, some);
        cudaDeviceSynchronize();
        compare("neighbours", sums, out);
    }

    far<<<1, 32>>>(numbers);
    cudaDeviceSynchronize();
    for (u32 t = 0; t < 32; t++) {
        u32 left = t == 9 ? 3000000 : t * 1000;
        u64 x = t + 1;
        while (left--) {
            x = x * 6364136223846793005ull + 1442695040888963407ull;
            if ((x >> 33) % 5000000 == t)
                break;
        }
        if (numbers[t] != x + left)
            printf("FAILED: a long loop: thread %u has %llu and not %llu\n", t, numbers[t], x + left);
    }
    puts("PASSED");
    return 0;
}
