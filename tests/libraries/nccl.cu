// NCCL between devices of one process, called by one thread in groups and by a thread each, and between processes. What is expected
// is computed here, in the order of ranks.
//   nccl             all checks; a process per rank is this program again (nccl rank ...)
//   nccl lost        a rank's process that ends
//   nccl fault       a collective whose buffer leaves its allocation
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "nccl.h"

static int failures;

static void expect(bool good, const char *what, int line)
{
    if (!good) {
        printf("FAILED: line %d: %s (%s; %s)\n", line, what, cudaGetErrorString(cudaPeekAtLastError()), ncclGetLastError(nullptr));
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
#define CUDA(call) expect((call) == cudaSuccess, #call, __LINE__)
#define NCCL(call) expect((call) == ncclSuccess, #call, __LINE__)

const int MOST = 3;

// A rank's device, communicator, stream and two buffers.
struct Rank {
    int rank = 0, device = 0;
    ncclComm_t comm = nullptr;
    cudaStream_t stream = nullptr;
    char *send = nullptr, *recv = nullptr;
    size_t bytes = 0;

    void open(int r, int d, size_t n)
    {
        rank = r;
        device = d;
        bytes = n;
        CUDA(cudaSetDevice(device));
        CUDA(cudaStreamCreate(&stream));
        CUDA(cudaMalloc(&send, bytes));
        CUDA(cudaMalloc(&recv, bytes));
        CUDA(cudaMemset(recv, 0, bytes));
        CUDA(cudaDeviceSynchronize());
    }
    void close()
    {
        CUDA(cudaSetDevice(device));
        CUDA(cudaStreamDestroy(stream));
        CUDA(cudaFree(send));
        CUDA(cudaFree(recv));
    }
    template <class T> void put(const std::vector<T> &v)
    {
        CUDA(cudaSetDevice(device));
        CUDA(cudaMemcpy(send, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    template <class T> std::vector<T> get(size_t n, bool sent = false)
    {
        std::vector<T> v(n);
        CUDA(cudaSetDevice(device));
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(v.data(), sent ? send : recv, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

// Element i of rank r: small numbers that every type holds.
static double element(int r, size_t i)
{
    return (double)((i * 7 + r * 3) % 11) / 2 + 0.5 * r;
}

template <class T> std::vector<T> input(int r, size_t n)
{
    std::vector<T> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = (T)(float)element(r, i);
    return v;
}

// --- what ranks compute, whatever threads or processes they are ---

template <class T> T combine(ncclRedOp_t op, T a, T b)
{
    float x = (float)a, y = (float)b;
    return (T)(op == ncclSum ? x + y : op == ncclProd ? x * y : op == ncclMax ? fmaxf(x, y) : fminf(x, y));
}

// Puts one collective into the rank's stream, and, when all are done, looks at what came.
struct Check {
    std::function<void(Rank &)> call, look;
};

template <class T> Check all_reduce(ncclDataType_t type, ncclRedOp_t op, int n, size_t count)
{
    return {[=](Rank &r) { NCCL(ncclAllReduce(r.send, r.recv, count, type, op, r.comm, r.stream)); },
            [=](Rank &r) {
                std::vector<T> got = r.get<T>(count), want = input<T>(0, count);
                for (int k = 1; k < n; k++)
                    for (size_t i = 0; i < count; i++)
                        want[i] = combine<T>(op, want[i], input<T>(k, count)[i]);
                for (size_t i = 0; i < count; i++)
                    if (memcmp(&got[i], &want[i], sizeof(T))) {
                        printf("type %d, operation %d, element %zu: %g instead of %g\n", (int)type, (int)op, i, (double)(float)got[i], (double)(float)want[i]);
                        return EXPECT(!"ncclAllReduce");
                    }
            }};
}

static bool is(Rank &r, size_t from, int rank, size_t first, size_t n)
{
    std::vector<float> got = r.get<float>(from + n);
    for (size_t i = 0; i < n; i++)
        if (got[from + i] != (float)element(rank, first + i))
            return false;
    return true;
}

static float sum(int n, size_t i)
{
    float s = (float)element(0, i);
    for (int k = 1; k < n; k++)
        s += (float)element(k, i);
    return s;
}

static std::vector<Check> float_checks(int n, size_t count)
{
    const int root = n - 1;
    std::vector<Check> all;
    all.push_back({[=](Rank &r) { NCCL(ncclReduce(r.send, r.recv, count, ncclFloat, ncclSum, root, r.comm, r.stream)); },
                   [=](Rank &r) {
                       std::vector<float> got = r.get<float>(count);
                       for (size_t i = 0; i < count && r.rank == root; i++)
                           if (got[i] != sum(n, i))
                               return EXPECT(!"ncclReduce");
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclBroadcast(r.send, r.recv, count, ncclFloat, root, r.comm, r.stream)); },
                   [=](Rank &r) { EXPECT(is(r, 0, root, 0, count)); }});
    all.push_back({[=](Rank &r) { NCCL(ncclAllGather(r.send, r.recv, count, ncclFloat, r.comm, r.stream)); },
                   [=](Rank &r) {
                       for (int k = 0; k < n; k++)
                           EXPECT(is(r, k * count, k, 0, count));
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclReduceScatter(r.send, r.recv, count, ncclFloat, ncclSum, r.comm, r.stream)); },
                   [=](Rank &r) {
                       std::vector<float> got = r.get<float>(count);
                       for (size_t i = 0; i < count; i++)
                           if (got[i] != sum(n, r.rank * count + i))
                               return EXPECT(!"ncclReduceScatter");
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclAlltoAll(r.send, r.recv, count, ncclFloat, r.comm, r.stream)); },
                   [=](Rank &r) {
                       for (int k = 0; k < n; k++)
                           EXPECT(is(r, k * count, k, r.rank * count, count));
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclGather(r.send, r.recv, count, ncclFloat, root, r.comm, r.stream)); },
                   [=](Rank &r) {
                       for (int k = 0; k < n && r.rank == root; k++)
                           EXPECT(is(r, k * count, k, 0, count));
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclScatter(r.send, r.recv, count, ncclFloat, root, r.comm, r.stream)); },
                   [=](Rank &r) { EXPECT(is(r, 0, root, r.rank * count, count)); }});
    // Messages: round the ring, and every rank with every rank, both as groups.
    all.push_back({[=](Rank &r) {
                       NCCL(ncclGroupStart());
                       NCCL(ncclSend(r.send, count, ncclFloat, (r.rank + 1) % n, r.comm, r.stream));
                       NCCL(ncclRecv(r.recv, count, ncclFloat, (r.rank + n - 1) % n, r.comm, r.stream));
                       NCCL(ncclGroupEnd());
                   },
                   [=](Rank &r) { EXPECT(is(r, 0, (r.rank + n - 1) % n, 0, count)); }});
    all.push_back({[=](Rank &r) {
                       NCCL(ncclGroupStart());
                       for (int k = 0; k < n; k++) {
                           NCCL(ncclSend(r.send + k * count * 4, count, ncclFloat, k, r.comm, r.stream));
                           NCCL(ncclRecv(r.recv + k * count * 4, count, ncclFloat, k, r.comm, r.stream));
                       }
                       NCCL(ncclGroupEnd());
                   },
                   [=](Rank &r) {
                       for (int k = 0; k < n; k++)
                           EXPECT(is(r, k * count, k, r.rank * count, count));
                   }});
    // The mean, a factor of each rank's own, and in place.
    all.push_back({[=](Rank &r) { NCCL(ncclAllReduce(r.send, r.recv, count, ncclFloat, ncclAvg, r.comm, r.stream)); },
                   [=](Rank &r) {
                       std::vector<float> got = r.get<float>(count);
                       for (size_t i = 0; i < count; i++) {
                           float s = 0, part = 1.0f / n;
                           for (int k = 0; k < n; k++)
                               s += (float)element(k, i) * part;
                           if (got[i] != s)
                               return EXPECT(!"ncclAvg");
                       }
                   }});
    all.push_back({[=](Rank &r) {
                       float factor = 2.0f + r.rank;
                       ncclRedOp_t op;
                       NCCL(ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, r.comm));
                       NCCL(ncclAllReduce(r.send, r.recv, count, ncclFloat, op, r.comm, r.stream));
                       NCCL(ncclRedOpDestroy(op, r.comm));
                   },
                   [=](Rank &r) {
                       std::vector<float> got = r.get<float>(count);
                       for (size_t i = 0; i < count; i++) {
                           float s = 0;
                           for (int k = 0; k < n; k++)
                               s += (float)element(k, i) * (2.0f + k);
                           if (got[i] != s)
                               return EXPECT(!"ncclRedOpCreatePreMulSum");
                       }
                   }});
    all.push_back({[=](Rank &r) { NCCL(ncclAllReduce(r.send, r.send, count, ncclFloat, ncclSum, r.comm, r.stream)); },
                   [=](Rank &r) {
                       std::vector<float> got = r.get<float>(count, true);
                       for (size_t i = 0; i < count; i++)
                           if (got[i] != sum(n, i))
                               return EXPECT(!"in place");
                   }});
    return all;
}

// One thread has all these ranks: calls in a group; or one of them.
static void run_check(std::vector<Rank> &mine, const Check &c)
{
    if (mine.size() > 1)
        NCCL(ncclGroupStart());
    for (Rank &r : mine)
        c.call(r);
    if (mine.size() > 1)
        NCCL(ncclGroupEnd());
    for (Rank &r : mine)
        c.look(r);
}

template <class T> void run_type(std::vector<Rank> &mine, ncclDataType_t type, int n)
{
    const size_t count = 1000;
    for (Rank &r : mine)
        r.put(input<T>(r.rank, count));
    for (ncclRedOp_t op : {ncclSum, ncclProd, ncclMax, ncclMin})
        run_check(mine, all_reduce<T>(type, op, n, count));
}

static void run_all(std::vector<Rank> &mine, int n)
{
    const size_t count = 100003; // several slots, not a multiple of one
    for (Rank &r : mine)
        r.put(input<float>(r.rank, n * count));
    for (const Check &c : float_checks(n, count))
        run_check(mine, c);
    run_type<int8_t>(mine, ncclInt8, n);
    run_type<uint8_t>(mine, ncclUint8, n);
    run_type<int32_t>(mine, ncclInt32, n);
    run_type<uint32_t>(mine, ncclUint32, n);
    run_type<int64_t>(mine, ncclInt64, n);
    run_type<uint64_t>(mine, ncclUint64, n);
    run_type<__half>(mine, ncclFloat16, n);
    run_type<float>(mine, ncclFloat32, n);
    run_type<double>(mine, ncclFloat64, n);
    run_type<__nv_bfloat16>(mine, ncclBfloat16, n);
    run_type<__nv_fp8_e4m3>(mine, ncclFloat8e4m3, n);
    run_type<__nv_fp8_e5m2>(mine, ncclFloat8e5m2, n);
}

// Even and odd ranks apart, in the opposite order.
static void split(std::vector<Rank> &mine, int n)
{
    std::vector<ncclComm_t> part(mine.size()), none(mine.size(), (ncclComm_t)1);
    for (int again = 0; again < 2; again++) {
        NCCL(ncclGroupStart());
        for (size_t i = 0; i < mine.size(); i++)
            NCCL(ncclCommSplit(mine[i].comm, mine[i].rank % 2, n - mine[i].rank, &part[i], nullptr));
        NCCL(ncclGroupEnd());
        for (size_t i = 0; i < mine.size(); i++) {
            int count = 0, rank = -1, like = 0, before = 0;
            for (int k = 0; k < n; k++) {
                like += k % 2 == mine[i].rank % 2;
                before += k % 2 == mine[i].rank % 2 && k > mine[i].rank;
            }
            NCCL(ncclCommCount(part[i], &count));
            NCCL(ncclCommUserRank(part[i], &rank));
            EXPECT(count == like && rank == before);
            NCCL(ncclCommDestroy(part[i]));
        }
    }
    NCCL(ncclGroupStart());
    for (size_t i = 0; i < mine.size(); i++)
        NCCL(ncclCommSplit(mine[i].comm, mine[i].rank ? NCCL_SPLIT_NOCOLOR : 0, 0, &none[i], nullptr));
    NCCL(ncclGroupEnd());
    for (size_t i = 0; i < mine.size(); i++) {
        EXPECT(!none[i] == (mine[i].rank != 0));
        if (none[i])
            NCCL(ncclCommDestroy(none[i]));
    }
}

const size_t BYTES = MOST * 100003 * sizeof(float);

static void one_thread(int n)
{
    std::vector<Rank> all(n);
    std::vector<ncclComm_t> comm(n);
    NCCL(ncclCommInitAll(comm.data(), n, nullptr));
    for (int i = 0; i < n; i++) {
        int count, device, rank;
        all[i].open(i, i, BYTES);
        all[i].comm = comm[i];
        NCCL(ncclCommCount(comm[i], &count));
        NCCL(ncclCommCuDevice(comm[i], &device));
        NCCL(ncclCommUserRank(comm[i], &rank));
        EXPECT(count == n && device == i && rank == i);
    }
    run_all(all, n);
    split(all, n);
    // The stream's order: a collective of every rank between two copies, queued rank by rank without a group.
    for (Rank &r : all) {
        std::vector<float> one(1000, 1.0f + r.rank);
        CUDA(cudaSetDevice(r.device));
        CUDA(cudaMemcpyAsync(r.send, one.data(), 4000, cudaMemcpyHostToDevice, r.stream));
        NCCL(ncclAllReduce(r.send, r.recv, 1000, ncclFloat, ncclSum, r.comm, r.stream));
        CUDA(cudaMemcpyAsync(r.send, r.recv, 4000, cudaMemcpyDeviceToDevice, r.stream));
        NCCL(ncclAllReduce(r.send, r.recv, 1000, ncclFloat, ncclSum, r.comm, r.stream));
    }
    for (Rank &r : all)
        EXPECT(r.get<float>(1000)[999] == n * (n + 1) / 2.0f * n);
    // A factor in device memory, integers' mean.
    for (Rank &r : all) {
        int h[] = {-7, 7, 5}, two = 2, *d;
        ncclRedOp_t op;
        r.put(std::vector<int>(h, h + 3));
        CUDA(cudaMalloc(&d, 4));
        CUDA(cudaMemcpy(d, &two, 4, cudaMemcpyHostToDevice));
        NCCL(ncclRedOpCreatePreMulSum(&op, d, ncclInt, ncclScalarDevice, r.comm));
        NCCL(ncclAllReduce(r.send, r.recv, 3, ncclInt, op, r.comm, r.stream));
        NCCL(ncclAllReduce(r.send, r.recv + 12, 3, ncclInt, ncclAvg, r.comm, r.stream));
    }
    for (Rank &r : all) {
        std::vector<int> got = r.get<int>(6);
        EXPECT(got[0] == -14 * n && got[1] == 14 * n && got[2] == 10 * n && got[3] == -7 && got[4] == 7 && got[5] == 5);
    }
    for (Rank &r : all) {
        ncclResult_t error = ncclInternalError;
        NCCL(ncclCommGetAsyncError(r.comm, &error));
        EXPECT(error == ncclSuccess);
        NCCL(ncclCommFinalize(r.comm));
        NCCL(ncclCommDestroy(r.comm));
        r.close();
    }
}

static void threads(int n)
{
    ncclUniqueId id;
    std::vector<std::thread> all;
    NCCL(ncclGetUniqueId(&id));
    for (int i = 0; i < n; i++)
        all.emplace_back([=] {
            std::vector<Rank> mine(1);
            mine[0].open(i, i, BYTES);
            NCCL(ncclCommInitRank(&mine[0].comm, n, id, i));
            run_all(mine, n);
            split(mine, n);
            NCCL(ncclCommDestroy(mine[0].comm));
            mine[0].close();
        });
    for (std::thread &t : all)
        t.join();
}

// --- a process: of `n` ranks those from `first` on ---

static int process(int n, int first, int count, const char *text)
{
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    std::vector<Rank> mine(count);
    for (int i = 0; i < NCCL_UNIQUE_ID_BYTES; i++)
        id.internal[i] = (char)std::stoi(std::string(text + 2 * i, 2), nullptr, 16);
    NCCL(ncclGroupStart());
    for (int i = 0; i < count; i++) {
        mine[i].open(first + i, i, BYTES);
        if (first)
            NCCL(ncclCommInitRankConfig(&mine[i].comm, n, id, first + i, &config));
        else
            NCCL(ncclCommInitRankScalable(&mine[i].comm, n, first + i, 1, &id, nullptr));
    }
    NCCL(ncclGroupEnd());
    run_all(mine, n);
    split(mine, n);
    for (Rank &r : mine) {
        NCCL(ncclCommDestroy(r.comm));
        r.close();
    }
    return failures;
}

static void processes(const char *self, const std::vector<int> &ranks)
{
    ncclUniqueId id;
    std::string text;
    char digits[3], number[3][16];
    int n = 0, first = 0, status;
    for (int k : ranks)
        n += k;
    NCCL(ncclGetUniqueId(&id));
    for (char c : id.internal) {
        snprintf(digits, sizeof digits, "%02x", (unsigned char)c);
        text += digits;
    }
    std::vector<pid_t> child;
    for (int k : ranks) {
        int args[] = {n, first, k};
        for (int i = 0; i < 3; i++)
            snprintf(number[i], sizeof number[i], "%d", args[i]);
        fflush(stdout);
        child.push_back(fork());
        if (!child.back()) {
            execl(self, self, "rank", number[0], number[1], number[2], text.c_str(), (char *)nullptr);
            _exit(99);
        }
        first += k;
    }
    for (pid_t p : child) {
        waitpid(p, &status, 0);
        EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
    }
}

// --- errors ---

static void errors()
{
    int version = 0;
    ncclComm_t comm = nullptr;
    ncclUniqueId id = {};
    float *d;
    NCCL(ncclGetVersion(&version));
    EXPECT(version == NCCL_VERSION_CODE && NCCL_VERSION_CODE == NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH));
    EXPECT(ncclCommInitRank(&comm, 1, id, 0) == ncclInvalidArgument);
    EXPECT(strstr(ncclGetLastError(nullptr), "none that ncclGetUniqueId made"));
    NCCL(ncclGetUniqueId(&id));
    EXPECT(ncclCommInitRank(&comm, 1, id, 1) == ncclInvalidArgument);
    EXPECT(ncclCommInitRank(&comm, 1000, id, 0) == ncclInvalidUsage);
    NCCL(ncclCommInitRank(&comm, 1, id, 0));
    CUDA(cudaMalloc(&d, 4000));
    CUDA(cudaMemset(d, 0, 4000));
    EXPECT(ncclAllReduce(d, d, 1, (ncclDataType_t)77, ncclSum, comm, 0) == ncclInvalidArgument);
    EXPECT(ncclAllReduce(d, d, 1, ncclFloat, (ncclRedOp_t)9, comm, 0) == ncclInvalidArgument);
    EXPECT(ncclBcast(d, 1, ncclFloat, 1, comm, 0) == ncclInvalidArgument);
    EXPECT(ncclSend(d, 1, ncclFloat, 1, comm, 0) == ncclInvalidArgument);
    EXPECT(ncclSend(d, 1, ncclFloat, 0, comm, 0) == ncclInvalidUsage);
    EXPECT(ncclAllReduce(d, d, 1, ncclFloat, ncclSum, nullptr, 0) == ncclInvalidArgument);
    EXPECT(ncclGroupEnd() == ncclInvalidUsage);
    EXPECT(!strcmp(ncclGetErrorString(ncclSuccess), "no error"));
    CUDA(cudaMemset(d, 0, 4000));
    NCCL(ncclBcast(d, 1, ncclFloat, 0, comm, 0));
    CUDA(cudaDeviceSynchronize());
    void *handle, *memory;
    NCCL(ncclCommRegister(comm, d, 4000, &handle));
    NCCL(ncclCommDeregister(comm, handle));
    NCCL(ncclMemAlloc(&memory, 100));
    NCCL(ncclMemFree(memory));
    EXPECT(ncclCommRevoke(comm, 0) == ncclInvalidUsage);
    EXPECT(ncclCommRevoke(comm, 0) == ncclInvalidUsage);
    ncclResetDebugInit();
    NCCL(ncclCommAbort(comm));
    CUDA(cudaFree(d));
}

static int fault()
{
    ncclComm_t comm[2];
    float *d[2];
    NCCL(ncclCommInitAll(comm, 2, nullptr));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaSetDevice(i));
        CUDA(cudaMalloc(&d[i], 4000));
        CUDA(cudaMemset(d[i], 0, 4000));
        NCCL(ncclAllReduce(d[i], d[i], (size_t)1 << 30, ncclFloat, ncclSum, comm[i], 0));
    }
    CUDA(cudaSetDevice(0));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

// A rank's process ends without its call: the other's call fails, and does not hang.
static int lost()
{
    ncclUniqueId id;
    ncclComm_t comm;
    float *d;
    ncclResult_t error = ncclSuccess;
    NCCL(ncclGetUniqueId(&id));
    pid_t pid = fork(); // before CUDA is in use here
    NCCL(ncclCommInitRank(&comm, 2, id, pid ? 0 : 1));
    if (!pid)
        _exit(0);
    CUDA(cudaMalloc(&d, 4000));
    CUDA(cudaMemset(d, 0, 4000));
    NCCL(ncclAllReduce(d, d, 1000, ncclFloat, ncclSum, comm, 0));
    EXPECT(cudaDeviceSynchronize() == cudaErrorExternalDevice);
    NCCL(ncclCommGetAsyncError(comm, &error));
    EXPECT(error == ncclRemoteError);
    return failures;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "lost"))
        return lost();
    if (argc == 6 && !strcmp(argv[1], "rank"))
        return process(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), argv[5]);
    if (argc > 1 && !strcmp(argv[1], "fault"))
        return fault();
    setbuf(stdout, nullptr);
    processes("/proc/self/exe", {1, 1});
    processes("/proc/self/exe", {2, 1});
    errors();
    one_thread(1);
    one_thread(2);
    one_thread(MOST);
    threads(MOST);
    printf(failures ? "%d checks FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
