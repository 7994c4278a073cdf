// A part of L2 set aside for data that come again: hits against the size of the window. (Seed row 26.)
//
// The lesson. cudaLimitPersistingL2CacheSize sets a part of L2 aside; the access policy window of a stream says which addresses
// may stay there. Hot data are read, then a stream that is twice as large as L2, then the hot data again. Without a window
// nothing of them is left. With one, all of them are, as long as the window is not larger than what was set aside. A larger
// one thrashes: its lines push each other out before they are read again. Then hitRatio helps: only that part of the
// window's lines, chosen by the hardware, is to persist, and if that part fits most of it stays; the rest was lost anyway.
//
// The report (--metrics lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum) has the sectors that were found; of a launch on an
// RTX 3090, whose L2 of 6 MB gives up 1.5, of the 32-byte sectors of the hot data (tests/examples/persisting.py checks it):
//   launch 1, no window:                                  none
//   launches 2 and 3, half and all of what is set aside:  all
//   launches 4 and 5, twice and four times as much:       1 % and none: they thrash
//   launches 6 and 7, the same with hitRatio 1/2 and 1/4: 30 and 8 %: the lines that may persist are as many as fit, but not
//                                                         in each set of the cache
// The hits are modelled; on other devices the sizes follow from the device's properties.
#include "example.h"

const int THREADS = 256;

__global__ void hot_stream_hot(const float4 *hot, size_t nhot, const float4 *stream, size_t nstream, float *out)
{
    size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
    float sum = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = first; i < nhot; i += step)
            sum += __ldcg(hot + i).x; // past L1
        for (size_t i = first; i < nstream && !turn; i += step)
            sum += __ldcg(stream + i).x;
    }
    out[first] = sum;
}

int main()
{
    static const struct {
        double size, ratio; // of what is set aside; 0: no window
    } launches[] = {{1, 0}, {0.5, 1}, {1, 1}, {2, 1}, {4, 1}, {2, 0.5}, {4, 0.25}};
    cudaDeviceProp prop;
    cudaStream_t stream;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaStreamCreate(&stream));
    size_t aside = prop.l2CacheSize / 4, streamed = 2 * (size_t)prop.l2CacheSize;
    if (!prop.persistingL2CacheMaxSize) {
        puts("this device sets nothing aside\nPASSED");
        return 0;
    }
    aside = aside < (size_t)prop.persistingL2CacheMaxSize ? aside : prop.persistingL2CacheMaxSize;
    CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, aside));
    unsigned blocks = prop.multiProcessorCount * 4;
    std::vector<float> ones(4 * aside / sizeof(float), 1.0f), twos(streamed / sizeof(float), 2.0f);
    float *hot = to_device(ones), *once = to_device(twos), *out;
    CHECK(cudaMalloc(&out, blocks * THREADS * sizeof(float)));
    for (const auto &l : launches) {
        size_t bytes = (size_t)(l.size * aside) / sizeof(float4) * sizeof(float4);
        cudaStreamAttrValue value = {};
        value.accessPolicyWindow.base_ptr = hot;
        value.accessPolicyWindow.num_bytes = l.ratio > 0 ? bytes : 0;
        value.accessPolicyWindow.hitRatio = (float)l.ratio;
        value.accessPolicyWindow.hitProp = l.ratio > 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
        value.accessPolicyWindow.missProp = l.ratio > 0 ? cudaAccessPropertyStreaming : cudaAccessPropertyNormal;
        CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
        hot_stream_hot<<<blocks, THREADS, 0, stream>>>((const float4 *)hot, bytes / sizeof(float4), (const float4 *)once,
                                                       streamed / sizeof(float4), out);
        CHECK(cudaGetLastError());
        double sum = 0;
        CHECK(cudaStreamSynchronize(stream));
        for (float x : to_host(out, blocks * THREADS))
            sum += x;
        printf("hot %zu bytes, ratio %.2f: ", bytes, l.ratio);
        expect(sum == 2.0 * (bytes / sizeof(float4)) + 2.0 * (streamed / sizeof(float4)), "sum of all that was read");
        CHECK(cudaCtxResetPersistingL2Cache()); // for the next launch nothing persists
    }
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(hot));
    CHECK(cudaFree(once));
    CHECK(cudaFree(out));
    return verdict();
}
