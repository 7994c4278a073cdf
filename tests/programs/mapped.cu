/* Memory that the program maps itself: kernels run over the border of two memories, a second process writes to one of them by a file
 * descriptor, memory goes when nothing has it any more, and what is not mapped is an illegal address; a
 * memory pool that two processes use. Calls and their errors:
 * tests/truth/libraries/driver.cu, group virtual_memory. */
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda.h>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (failures++, (void)printf("FAILED, line %d: %s\n", __LINE__, #x)))

static const size_t N = 2 << 20; /* the granularity */

__global__ void count(int *p, int from) { p[blockIdx.x * blockDim.x + threadIdx.x] += from + blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void one(int *p) { *p = 1; }

static CUmemAllocationProp prop()
{
    CUmemAllocationProp p = {};
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return p;
}

static void allow(CUdeviceptr at, size_t bytes)
{
    CUmemAccessDesc access = {};
    access.location = prop().location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK(!cuMemSetAccess(at, bytes, &access, 1));
}

static void send_descriptor(int to, int fd)
{
    char room[CMSG_SPACE(sizeof fd)] = "", byte = 0;
    struct iovec io = {&byte, 1};
    struct msghdr m = {};
    m.msg_iov = &io, m.msg_iovlen = 1, m.msg_control = room, m.msg_controllen = sizeof room;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(to, &m, 0) == 1);
}

static int receive_descriptor(int from)
{
    char room[CMSG_SPACE(sizeof(int))] = "", byte;
    struct iovec io = {&byte, 1};
    struct msghdr m = {};
    int fd = -1;
    m.msg_iov = &io, m.msg_iovlen = 1, m.msg_control = room, m.msg_controllen = sizeof room;
    CHECK(recvmsg(from, &m, 0) == 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

/* A memory pool of this process, and a pointer of it, for the other one, which sees what a kernel has left there. */
static void share_pool(int socket)
{
    cudaMemPoolProps props = {};
    cudaMemPool_t pool, plain;
    cudaMemPoolPtrExportData data, none;
    int *p, *q, fd = -1, types = 0, back = 0;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(!cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0) && types & cudaMemHandleTypePosixFileDescriptor);
    CHECK(!cudaMemPoolCreate(&plain, &props));
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    CHECK(!cudaMemPoolCreate(&pool, &props));
    CHECK(!cudaMallocFromPoolAsync(&p, 4096, pool, 0) && !cudaMallocFromPoolAsync(&q, 4096, plain, 0));
    CHECK(cudaMemPoolExportToShareableHandle(&fd, plain, cudaMemHandleTypePosixFileDescriptor, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPoolExportPointer(&none, q) == cudaErrorInvalidValue);
    CHECK(!cuMemPoolExportToShareableHandle(&fd, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0) && !cudaMemPoolExportPointer(&data, p));
    CUmemPoolPtrExportData same;
    CHECK(!cuMemPoolExportPointer(&same, (CUdeviceptr)p) && !memcmp(&same, &data, sizeof data));
    one<<<1, 1>>>(p);
    CHECK(!cudaDeviceSynchronize());
    send_descriptor(socket, fd);
    close(fd);
    CHECK(write(socket, &data, sizeof data) == sizeof data && read(socket, &back, 1) == 1);
    CHECK(!cudaMemcpy(&back, p + 1, sizeof back, cudaMemcpyDeviceToHost) && back == 1);
    CHECK(!cudaFreeAsync(p, 0) && !cudaFreeAsync(q, 0) && !cudaMemPoolDestroy(pool) && !cudaMemPoolDestroy(plain));
}

static void use_pool(int socket)
{
    cudaMemPool_t pool;
    cudaMemPoolPtrExportData data, wrong = {};
    int *p, *q, first = 0, fd = receive_descriptor(socket);
    CHECK(read(socket, &data, sizeof data) == sizeof data);
    CHECK(!cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, cudaMemHandleTypePosixFileDescriptor, 0) && !cudaMemPoolDestroy(pool));
    CHECK(!cuMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    close(fd);
    CHECK(cudaMemPoolImportPointer((void **)&p, pool, &wrong) == cudaErrorInvalidValue);
    CHECK(!cudaMemPoolImportPointer((void **)&p, pool, &data) && !cuMemPoolImportPointer((CUdeviceptr *)&q, pool, (CUmemPoolPtrExportData *)&data) && q == p);
    CHECK(cudaMallocFromPoolAsync(&q, 64, pool, 0) != cudaSuccess);
    CHECK(!cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost) && first == 1);
    one<<<1, 1>>>(p + 1);
    CHECK(!cudaFreeAsync(p, 0) && !cudaFree(p) && cudaFree(p) == cudaErrorInvalidValue && !cudaMemPoolDestroy(pool));
    CHECK(write(socket, "", 1) == 1);
}

/* The other process: maps what it gets, and adds 1000 to each number. */
static int other(int socket)
{
    CUdeviceptr at;
    CUmemGenericAllocationHandle h;
    int fd = receive_descriptor(socket), first = -1;
    CHECK(!cudaSetDevice(0) && !cudaFree(0));
    CHECK(cuMemImportFromShareableHandle(&h, (void *)(intptr_t)socket, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == CUDA_ERROR_INVALID_VALUE);
    CHECK(!cuMemImportFromShareableHandle(&h, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    close(fd);
    CHECK(!cuMemAddressReserve(&at, N, 0, 0, 0) && !cuMemMap(at, N, 0, h, 0) && !cuMemRelease(h));
    allow(at, N);
    CHECK(!cuMemcpyDtoH(&first, at + 4, 4) && first == 1);
    one<<<1, 1>>>((int *)at);
    CHECK(!cudaDeviceSynchronize() && !cuMemUnmap(at, N) && !cuMemAddressFree(at, N));
    use_pool(socket);
    return failures;
}

int main()
{
    int pair[2], status, n = (int)(2 * N / sizeof(int)), *back = new int[n];
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pid_t child = fork();
    if (!child)
        _exit(other(pair[1]));
    CUdeviceptr at, aligned;
    CUmemGenericAllocationHandle a, b;
    CUmemAllocationProp p = prop();
    size_t left, all;
    int fd = -1, supported = 0;
    CHECK(!cudaFree(0) && !cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) && supported);
    CHECK(!cuMemGetInfo(&left, &all) && cuMemCreate(&a, all + N, &p, 0) == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(!cuMemAddressReserve(&at, 4 * N, 0, 0, 0) && !cuMemAddressReserve(&aligned, N, 64 * N, 0, 0) && aligned % (64 * N) == 0);
    CHECK(!cuMemCreate(&a, N, &p, 0) && !cuMemCreate(&b, N, &p, 0));
    CHECK(!cuMemMap(at, N, 0, a, 0) && !cuMemMap(at + N, N, 0, b, 0));
    allow(at, 2 * N);
    count<<<n / 256, 256>>>((int *)at, 0); /* fresh memory is zero */
    CHECK(!cudaMemcpy(back, (void *)at, 2 * N, cudaMemcpyDeviceToHost)); /* over the border */
    for (int i = 0; i < n; i++)
        if (back[i] != i) {
            CHECK(!"numbers");
            break;
        }
    CHECK(cudaFree((void *)at) == cudaErrorInvalidValue);
    CHECK(!cuMemExportToShareableHandle(&fd, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    send_descriptor(pair[0], fd);
    close(fd);
    share_pool(pair[0]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(!cudaMemcpy(back, (void *)at, 4, cudaMemcpyDeviceToHost) && back[0] == 1);
    CHECK(!cuMemRelease(a) && !cuMemRelease(b) && cuMemRelease(b) == CUDA_ERROR_INVALID_VALUE);
    CHECK(!cuMemUnmap(at + N, N)); /* the mapping has kept the memory */
    one<<<1, 1>>>((int *)at);
    CHECK(!cudaDeviceSynchronize());
    one<<<1, 1>>>((int *)(at + N));
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
