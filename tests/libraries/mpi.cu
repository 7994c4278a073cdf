// MPI whose buffers lie in device memory: point to point, collectives, derived types, requests, a window; and NCCL whose unique id
// travels by MPI. Two ranks or more, each with a device of its own that is the first one of its process.
//   mpi [plain]      plain: only a message, for a run without Heddle's help
#include <cstdio>
#include <cstring>
#include <vector>

#include <mpi.h>

#include "nccl.h"

extern "C" int MPIX_Query_cuda_support(void);

static int failures, rank, ranks;

static void expect(bool good, const char *what, int line)
{
    if (!good) {
        printf("FAILED: rank %d, line %d: %s\n", rank, line, what);
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

const int N = 200000;

__global__ void fill(int *v, int n, int first, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = first + step * i;
}

struct Buffer {
    int *d;
    Buffer(int first = 0, int step = 0)
    {
        EXPECT(!cudaMalloc(&d, N * sizeof(int)));
        fill<<<(N + 255) / 256, 256>>>(d, N, first, step);
        EXPECT(!cudaDeviceSynchronize());
    }
    ~Buffer() { EXPECT(!cudaFree(d)); }
    bool is(int n, int first, int step)
    {
        std::vector<int> h(N);
        EXPECT(!cudaMemcpy(h.data(), d, N * sizeof(int), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            if (h[i] != first + step * i)
                return false;
        return true;
    }
};

static void messages()
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    Buffer a(rank, 3), b, c;
    MPI_Request request[2];
    MPI_Sendrecv(a.d, N, MPI_INT, next, 1, b.d, N, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(b.is(N, before, 3));
    MPI_Irecv(c.d, N, MPI_INT, before, 2, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(a.d, N, MPI_INT, next, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    EXPECT(c.is(N, before, 3));
    // Every second element: a vector type; into every element.
    MPI_Datatype every;
    MPI_Type_vector(N / 2, 1, 2, MPI_INT, &every);
    MPI_Type_commit(&every);
    if (rank % 2 == 0 && rank + 1 < ranks)
        MPI_Send(a.d, 1, every, rank + 1, 3, MPI_COMM_WORLD);
    if (rank % 2) {
        MPI_Recv(b.d, N / 2, MPI_INT, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(b.is(N / 2, rank - 1, 6));
    }
    MPI_Type_free(&every);
    // A request that is used again, with memory of the host on the other side.
    std::vector<int> h(N, 17 + rank);
    MPI_Recv_init(c.d, N, MPI_INT, before, 4, MPI_COMM_WORLD, &request[0]);
    for (int i = 0; i < 2; i++) {
        MPI_Start(&request[0]);
        MPI_Send(h.data(), N, MPI_INT, next, 4, MPI_COMM_WORLD);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request[0]);
    EXPECT(c.is(N, 17 + before, 0));
}

static void collectives()
{
    Buffer a(rank, 1), b, c(rank + 1, 0);
    const int part = N / ranks;
    MPI_Bcast(b.d, 10, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(a.d, b.d, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(b.is(N, ranks * (ranks - 1) / 2, ranks));
    MPI_Allreduce(MPI_IN_PLACE, c.d, N, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(c.is(N, ranks, 0));
    MPI_Reduce(a.d, b.d, 1000, MPI_INT, MPI_MIN, ranks - 1, MPI_COMM_WORLD);
    EXPECT(rank != ranks - 1 || b.is(1000, 0, 1));
    MPI_Allgather(a.d, part, MPI_INT, b.d, part, MPI_INT, MPI_COMM_WORLD);
    EXPECT(b.is(part, 0, 1));
    MPI_Alltoall(a.d, part, MPI_INT, b.d, part, MPI_INT, MPI_COMM_WORLD);
    EXPECT(b.is(part, rank * part, 1));
    std::vector<int> counts(ranks, part), places(ranks);
    for (int i = 0; i < ranks; i++)
        places[i] = i * part;
    MPI_Gatherv(a.d, part, MPI_INT, b.d, counts.data(), places.data(), MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT(rank || b.is(part, 0, 1));
    MPI_Scatter(a.d, part, MPI_INT, b.d, part, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT(b.is(part, rank * part, 1));
    MPI_Reduce_scatter_block(a.d, b.d, part, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(b.is(part, ranks * (ranks - 1) / 2 + ranks * rank * part, ranks));
    MPI_Request r;
    MPI_Ibcast(a.d, N, MPI_INT, ranks - 1, MPI_COMM_WORLD, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    EXPECT(a.is(N, ranks - 1, 1));
}

static void window()
{
    Buffer a(rank, 1), b;
    MPI_Win win;
    MPI_Win_create(b.d, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(a.d, N, MPI_INT, (rank + 1) % ranks, 0, N, MPI_INT, win);
    MPI_Win_fence(0, win);
    EXPECT(b.is(N, (rank + ranks - 1) % ranks, 1));
    MPI_Win_free(&win);
}

static void nccl()
{
    ncclUniqueId id;
    ncclComm_t comm;
    Buffer a(rank, 1), b;
    if (!rank)
        EXPECT(!ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT(!ncclCommInitRank(&comm, ranks, id, rank));
    EXPECT(!ncclAllReduce(a.d, b.d, N, ncclInt, ncclSum, comm, 0));
    EXPECT(!cudaDeviceSynchronize());
    EXPECT(b.is(N, ranks * (ranks - 1) / 2, ranks));
    EXPECT(!ncclCommDestroy(comm));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    messages();
    if (argc == 1) {
        EXPECT(MPIX_Query_cuda_support() == 1);
        collectives();
        window();
        nccl();
    }
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!rank)
        printf(all ? "%d checks FAILED\n" : "PASSED\n", all);
    MPI_Finalize();
    return all != 0;
}
