// Spins on a lattice: two colours of a Metropolis sweep, a Potts model, the energy of the bonds, correlations along rows.
#include <cstdio>
#include <cmath>
#include <vector>

const int W = 112, H = 90;

__constant__ float acceptance[5]; // for a sum of neighbours times the spin of -4, -2, 0, 2, 4

__host__ __device__ inline unsigned mix(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    return x ^ (x >> 16);
}

__host__ __device__ inline float uniform(unsigned seed, unsigned cell)
{
    return (mix(seed * 0x9e3779b9U + cell) >> 8) * (1.0f / 16777216.0f);
}

template <int COLOUR>
__global__ void metropolis(signed char *spin, int width, int height, unsigned seed)
{
    int half = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int x = 2 * half + ((y + COLOUR) & 1);
    if (x >= width || y >= height)
        return;
    int up = y == 0 ? height - 1 : y - 1, down = y == height - 1 ? 0 : y + 1;
    int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
    int s = spin[y * width + x];
    int sum = spin[up * width + x] + spin[down * width + x] + spin[y * width + left] + spin[y * width + right];
    if (uniform(seed, y * width + x) < acceptance[(s * sum + 4) / 2])
        spin[y * width + x] = (signed char)-s;
}

// q states; a cell takes over a random neighbour's state when that does not cost more equal bonds than it brings
__global__ void potts(const unsigned char *in, unsigned char *out, int width, int height, int q, unsigned seed)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        unsigned r = mix(seed ^ (unsigned)(y * width + x));
        int now = in[y * width + x], then = (now + 1 + r % (q - 1)) % q;
        const int dx[4] = {1, -1, 0, 0}, dy[4] = {0, 0, 1, -1};
        int gain = 0;
        for (int k = 0; k < 4; k++) {
            int n = in[(y + dy[k] + height) % height * width + (x + dx[k] + width) % width];
            gain += (n == then) - (n == now);
        }
        out[y * width + x] = gain >= 0 ? then : now;
    }
}

__global__ void bondEnergy(const signed char *spin, int width, int height, int *energy, int *magnet)
{
    __shared__ int partial[2][8];
    int e = 0, m = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < width * height; i += gridDim.x * blockDim.x) {
        int x = i % width, y = i / width;
        int right = y * width + (x + 1) % width, down = (y + 1) % height * width + x;
        e -= spin[i] * (spin[right] + spin[down]);
        m += spin[i];
    }
    for (int o = 16; o > 0; o /= 2) {
        e += __shfl_down_sync(0xffffffffu, e, o);
        m += __shfl_down_sync(0xffffffffu, m, o);
    }
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) {
        partial[0][warp] = e;
        partial[1][warp] = m;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) {
            e += partial[0][w];
            m += partial[1][w];
        }
        atomicAdd(energy, e);
        atomicAdd(magnet, m);
    }
}

// a block takes a row, a thread a distance
__global__ void rowCorrelation(const signed char *spin, int width, float *corr)
{
    extern __shared__ signed char row[];
    for (int x = threadIdx.x; x < width; x += blockDim.x)
        row[x] = spin[blockIdx.x * width + x];
    __syncthreads();
    int r = threadIdx.x, sum = 0;
    for (int x = 0; x < width; x++) {
        int other = x + r;
        if (other >= width)
            other -= width;
        sum += row[x] * row[other];
    }
    corr[blockIdx.x * blockDim.x + r] = (float)sum / width;
}

int main()
{
    std::vector<signed char> s(W * H), got(W * H);
    for (int i = 0; i < W * H; i++)
        s[i] = uniform(5, i) < 0.6f ? 1 : -1;
    float table[5];
    for (int k = 0; k < 5; k++)
        table[k] = k <= 2 ? 1.0f : expf(-0.88f * (k - 2) * 2);
    cudaMemcpyToSymbol(acceptance, table, sizeof table);
    signed char *d;
    int *sums, host[2], wrong = 0;
    cudaMalloc(&d, W * H);
    cudaMalloc(&sums, 8);
    cudaMemset(sums, 0, 8);
    cudaMemcpy(d, s.data(), W * H, cudaMemcpyHostToDevice);
    dim3 block(32, 4), grid((W / 2 + 31) / 32, (H + 3) / 4);
    metropolis<0><<<grid, block>>>(d, W, H, 17);
    metropolis<1><<<grid, block>>>(d, W, H, 18);
    bondEnergy<<<9, 256>>>(d, W, H, sums, sums + 1);
    float *dcorr;
    cudaMalloc(&dcorr, H * 32 * 4);
    rowCorrelation<<<H, 32, W>>>(d, W, dcorr);
    for (int colour = 0; colour < 2; colour++)
        for (int y = 0; y < H; y++)
            for (int x = (y + colour) & 1; x < W; x += 2) {
                int sum = s[(y + H - 1) % H * W + x] + s[(y + 1) % H * W + x] + s[y * W + (x + W - 1) % W] + s[y * W + (x + 1) % W];
                if (uniform(17 + colour, y * W + x) < table[(s[y * W + x] * sum + 4) / 2])
                    s[y * W + x] = -s[y * W + x];
            }
    cudaMemcpy(got.data(), d, W * H, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, sums, 8, cudaMemcpyDeviceToHost);
    int e = 0, m = 0;
    for (int i = 0; i < W * H; i++) {
        wrong += got[i] != s[i];
        m += s[i];
        e -= s[i] * (s[i / W * W + (i % W + 1) % W] + s[(i / W + 1) % H * W + i % W]);
    }
    wrong += e != host[0] || m != host[1];
    std::vector<float> corr(H * 32);
    cudaMemcpy(corr.data(), dcorr, H * 32 * 4, cudaMemcpyDeviceToHost);
    for (int y = 0; y < H; y++)
        for (int r = 0; r < 32; r++) {
            int sum = 0;
            for (int x = 0; x < W; x++)
                sum += s[y * W + x] * s[y * W + (x + r) % W];
            wrong += fabsf(corr[y * 32 + r] - (float)sum / W) > 1e-5f;
        }

    std::vector<unsigned char> p(W * H), q(W * H);
    for (int i = 0; i < W * H; i++)
        p[i] = mix(i) % 5;
    unsigned char *dp, *dq;
    cudaMalloc(&dp, W * H);
    cudaMalloc(&dq, W * H);
    cudaMemcpy(dp, p.data(), W * H, cudaMemcpyHostToDevice);
    potts<<<dim3((W + 15) / 16, (H + 7) / 8), dim3(16, 8)>>>(dp, dq, W, H, 5, 99);
    cudaError_t err = cudaMemcpy(q.data(), dq, W * H, cudaMemcpyDeviceToHost);
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int i = y * W + x, now = p[i], then = (now + 1 + mix(99 ^ (unsigned)i) % 4) % 5, gain = 0;
            int n[4] = {p[y * W + (x + 1) % W], p[y * W + (x + W - 1) % W], p[(y + 1) % H * W + x], p[(y + H - 1) % H * W + x]};
            for (int k : n)
                gain += (k == then) - (k == now);
            wrong += q[i] != (gain >= 0 ? then : now);
        }
    wrong += err != cudaSuccess;
    printf("energy %d, magnetisation %d\n%s\n", host[0], host[1], wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
