// Lane-serial loops of machine code (src/jit/llvm/lane_serial.c), and others that only look like them: rows
// of a sparse matrix with what registers, memory and branches can be in them. Every result is compared with the host's.
// With an argument: one kernel, in which a lane in the middle reads at that element (or of no memory: "far").
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { ROWS = 1000, LONGEST = 40, LONG = 10 /* a warp with more turns than launches go on without a look */, X = 512 }; // the last warp has 8 lanes

static int failures;

__host__ __device__ unsigned mix(unsigned x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    return x * 0x27d4eb2d;
}

template <class T> T *to_device(const std::vector<T> &host)
{
    T *p;
    cudaMalloc(&p, host.size() * sizeof(T));
    cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

struct rows {
    int n;
    const int *first, *column;
};

template <class V, class S> __host__ __device__ S product(const rows &m, const V *value, const V *x, int row)
{
    S sum = 0;
    for (int i = m.first[row]; i < m.first[row + 1]; i++)
        sum += (S)value[i] * (S)x[m.column[i]];
    return sum;
}

template <class V, class S> __global__ void products(rows m, const V *value, const V *x, S *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.n)
        y[row] = product<V, S>(m, value, x, row);
}

// The largest element and where it was, a flag that is carried, a way that some turns take.
__host__ __device__ unsigned search(const rows &m, const unsigned *value, int row)
{
    unsigned most = 0, where = ~0u;
    bool odd = row & 1, any = false;
    for (int i = m.first[row]; i < m.first[row + 1]; i++) {
        unsigned v = value[m.column[i]] ^ value[i + 1] ^ value[i + 2] ^ value[i + 3];
        if (v > most && (v & 1) == odd) {
            most = v;
            where = (unsigned)i;
        }
        any = any || v % 8 == 3;
    }
    return most ^ where * 7 ^ any;
}

__global__ void searches(rows m, const unsigned *value, unsigned *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.n)
        y[row] = search(m, value, row);
}

// Rows of rows: the inner loop's ends are loaded in the outer one.
__host__ __device__ unsigned deep(const rows &m, const unsigned *value, int row)
{
    unsigned sum = 1;
    for (int i = m.first[row]; i < m.first[row + 1]; i += 5) {
        int next = m.column[i];
        for (int j = m.first[next]; j < m.first[next + 1]; j += 3)
            sum = sum * 31 + value[m.column[j]];
    }
    return sum;
}

__global__ void deeps(rows m, const unsigned *value, unsigned *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.n)
        y[row] = deep(m, value, row);
}

// A list: each element says where the next one is.
__host__ __device__ unsigned walk(const int *next, const unsigned *value, int at, int turns)
{
    unsigned sum = 0;
    for (int i = 0; i < turns; i++) {
        sum = sum * 3 + value[at];
        at = next[at];
    }
    return sum;
}

__global__ void walks(const int *next, const unsigned *value, unsigned *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n)
        y[row] = walk(next, value, row % X, row % 37);
}

// Pointers that are loaded: every turn of a lane goes to another allocation.
__global__ void jagged(const unsigned *const *part, const int *column, unsigned *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int i = 0; i < row % 23; i++)
        sum = sum * 5 + part[(row + i) % 4][column[row + i]];
    if (row < n)
        y[row] = sum;
}

// Lanes part, meet and part again in a loop of the whole warp; x is in shared memory, and the whole warp is at the loop's head.
__global__ void shared_rows(rows m, const unsigned *value, unsigned *y, int rounds)
{
    __shared__ unsigned x[X];
    for (int i = threadIdx.x; i < X; i += blockDim.x)
        x[i] = value[i];
    __syncthreads();
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int round = 0; round < rounds; round++) {
        int begin = m.first[row % m.n], end = m.first[row % m.n + 1];
        if (row & 2)
            begin += round;
        for (int i = begin; i < end; i++)
            sum = sum * 17 + x[m.column[i]] + round;
    }
    if (row < m.n)
        y[row] = sum;
}

template <class T> void compare(const char *name, const T *device, const std::vector<T> &want)
{
    std::vector<T> got(want.size());
    cudaError_t status = cudaMemcpy(got.data(), device, want.size() * sizeof(T), cudaMemcpyDeviceToHost);
    size_t wrong = 0;
    for (size_t i = 0; i < want.size(); i++)
        wrong += memcmp(&got[i], &want[i], sizeof(T)) != 0;
    if (status || wrong) {
        printf("%s: %zu rows differ, %s\n", name, wrong, cudaGetErrorName(status));
        failures++;
    }
}

int main(int argc, char **argv)
{
    std::vector<int> first(1, 0), column, next(X);
    for (int row = 0; row < ROWS; row++)
        first.push_back(first[row] + (row / 32 == LONG ? 150 + row % 7 : row % 5 ? (int)(mix(row) % LONGEST) : 0));
    for (int i = 0; i < first[ROWS]; i++)
        column.push_back((int)(mix(i + 77) % X));
    std::vector<unsigned> value(first[ROWS] + X);
    std::vector<double> doubles(value.size());
    std::vector<short> shorts(value.size());
    for (size_t i = 0; i < value.size(); i++) {
        value[i] = mix((unsigned)i);
        doubles[i] = (double)(value[i] % 1024) / 8;
        shorts[i] = (short)value[i];
    }
    for (int i = 0; i < X; i++)
        next[i] = (int)(mix(i) % X);
    if (argc > 1)
        column[first[ROWS / 2 + 1] + 2] = !strcmp(argv[1], "far") ? 0x40000000 : atoi(argv[1]);
    rows host = {ROWS, first.data(), column.data()}, m = {ROWS, to_device(first), to_device(column)};
    unsigned *v = to_device(value), *y = to_device(std::vector<unsigned>(ROWS));
    dim3 grid((ROWS + 127) / 128), block(128);
    std::vector<unsigned> want(ROWS);
    if (argc > 1) {
        searches<<<grid, block>>>(m, v, y);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }

    double *d = to_device(doubles), *sums = to_device(std::vector<double>(ROWS));
    std::vector<double> want_sums(ROWS);
    for (int row = 0; row < ROWS; row++) /* sums are exact in either order of rounding */
        want_sums[row] = product<double, double>(host, doubles.data(), doubles.data(), row);
    products<double, double><<<grid, block>>>(m, d, d, sums);
    compare("f64", sums, want_sums);

    short *s = to_device(shorts);
    int *y_int = to_device(std::vector<int>(ROWS));
    std::vector<int> want_int(ROWS);
    for (int row = 0; row < ROWS; row++) {
        want_int[row] = 0; /* without the end of numbers */
        for (int i = first[row]; i < first[row + 1]; i++)
            want_int[row] = (int)((unsigned)want_int[row] + (unsigned)(shorts[i] * shorts[column[i]]));
    }
    products<short, int><<<grid, block>>>(m, s, s, y_int);
    compare("s16", y_int, want_int);

    for (int row = 0; row < ROWS; row++)
        want[row] = search(host, value.data(), row);
    searches<<<grid, block>>>(m, v, y);
    compare("search", y, want);

    for (int row = 0; row < ROWS; row++)
        want[row] = deep(host, value.data(), row);
    deeps<<<grid, block>>>(m, v, y);
    compare("deep", y, want);

    for (int row = 0; row < ROWS; row++)
        want[row] = walk(next.data(), value.data(), row % X, row % 37);
    walks<<<grid, block>>>(to_device(next), v, y, ROWS);
    compare("walk", y, want);

    std::vector<const unsigned *> part(4);
    for (int i = 0; i < 4; i++) {
        std::vector<unsigned> own(1 << 20);
        for (int j = 0; j < X; j++)
            own[j] = value[j] + i;
        part[i] = to_device(own);
    }
    for (int row = 0; row < ROWS; row++) {
        want[row] = 0;
        for (int i = 0; i < row % 23; i++)
            want[row] = want[row] * 5 + value[column[row + i]] + (row + i) % 4;
    }
    jagged<<<grid, block>>>(to_device(part), m.column, y, ROWS);
    compare("jagged", y, want);

    for (int row = 0; row < ROWS; row++) {
        want[row] = 0;
        for (int round = 0; round < 3; round++)
            for (int i = first[row] + (row & 2 ? round : 0); i < first[row + 1]; i++)
                want[row] = want[row] * 17 + value[column[i]] + round;
    }
    shared_rows<<<grid, block>>>(m, v, y, 3);
    compare("shared", y, want);

    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
