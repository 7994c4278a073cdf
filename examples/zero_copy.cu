// Zero copy: a kernel reads and writes the host's memory in place. (Seed rows 24 and 31.)
//
// The lesson. Mapped, page-locked host memory has a device address; a kernel that uses it moves each value over the bus
// when it is needed, and no copy is queued. That pays for data touched once, in coalesced order; data used again and
// again belongs in device memory. With unified addressing both addresses are the same and the call that asks for the
// device's is for older devices only. A warp's requests and sectors do not depend on where the memory is: the counters are
// the same, what a sector costs is not. (canMapHostMemory must be tested, as the seed does; a program must not leave with
// exit(0) when it is missing, as the seed does, for that says that all went well.)
//
// The figures, 1024 floats, 32 warps:
//   twice 1 (mapped): global_load_requests = 32, gld_transactions = 128, gst_transactions = 128
//   twice 2 (device memory): global_load_requests = 32, gld_transactions = 128, gst_transactions = 128
//   twice 1: gpu__time_duration.sum / twice 2 = 1.2 to 1.6 (each warp waits for the bus once)
#include "example.h"

const int N = 1024, BLOCK = 128;

__global__ void twice(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2.0f * in[i];
}

int main()
{
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    if (!prop.canMapHostMemory) {
        fprintf(stderr, "zero_copy: the device cannot map host memory\n");
        return 1;
    }
    CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
    std::vector<float> values = numbers(N), wanted(N);
    for (int i = 0; i < N; i++)
        wanted[i] = 2.0f * values[i];

    float *in, *out, *device_in, *device_out;
    CHECK(cudaHostAlloc(&in, N * sizeof(float), cudaHostAllocMapped));
    CHECK(cudaHostAlloc(&out, N * sizeof(float), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device_in, in, 0));
    CHECK(cudaHostGetDevicePointer(&device_out, out, 0));
    expect(!prop.unifiedAddressing || (device_in == in && device_out == out), "unified addressing: one address for both");
    cudaPointerAttributes what;
    CHECK(cudaPointerGetAttributes(&what, in));
    expect(what.type == cudaMemoryTypeHost && what.devicePointer == device_in, "the runtime knows whose memory it is");

    for (int i = 0; i < N; i++)
        in[i] = values[i]; // by the host, directly
    twice<<<N / BLOCK, BLOCK>>>(device_in, device_out);
    CHECK(cudaDeviceSynchronize()); // no copy that would wait
    expect(std::vector<float>(out, out + N) == wanted, "through mapped memory");

    float *near_in = to_device(values), *near_out;
    CHECK(cudaMalloc(&near_out, N * sizeof(float)));
    twice<<<N / BLOCK, BLOCK>>>(near_in, near_out);
    expect(to_host(near_out, N) == wanted, "through device memory");
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return verdict();
}
