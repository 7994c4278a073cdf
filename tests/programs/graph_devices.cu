// A node of a graph stays on the device that was current when it was added, whichever is current when its parameters are set.
// Reads the trace that it leaves in HEDDLE_TRACE. PASSED at the end.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static int wrong;
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t e = call;                                                                                          \
        if (e)                                                                                                         \
            printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(e)), wrong++;                                \
    } while (0)

__device__ int variable[4];

// How many lines of the trace are of this kind and device.
static int lines(const char *kind, int device)
{
    char line[4096], what[32], where[32];
    int n = 0;
    snprintf(what, sizeof what, "\"kind\":\"%s\"", kind);
    snprintf(where, sizeof where, "\"device\":%d,", device);
    FILE *f = fopen(getenv("HEDDLE_TRACE"), "r");
    while (f && fgets(line, sizeof line, f))
        n += strstr(line, what) && strstr(line, where);
    if (f)
        fclose(f);
    return n;
}

int main()
{
    int *p, host[4] = {1, 2, 3, 4};
    void *symbol;
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t fill, copy, bytes, to, from;
    cudaStream_t s;
    OK(cudaStreamCreate(&s));
    OK(cudaGraphCreate(&g, 0));
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&p, 256));
    OK(cudaGetSymbolAddress(&symbol, variable));
    cudaMemsetParams f = {};
    f.dst = p;
    f.elementSize = 4;
    f.width = 4;
    f.height = 1;
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(p, 16, 16, 1);
    c.dstPtr = make_cudaPitchedPtr(p + 4, 16, 16, 1);
    c.extent = make_cudaExtent(16, 1, 1);
    c.kind = cudaMemcpyDefault;
    OK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &f));
    OK(cudaGraphAddMemcpyNode(&copy, g, &fill, 1, &c));
    OK(cudaGraphAddMemcpyNode1D(&bytes, g, &copy, 1, p + 8, p, 16, cudaMemcpyDefault));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to, g, &bytes, 1, variable, host, 16, 0, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&from, g, &to, 1, p + 12, variable, 16, 0, cudaMemcpyDeviceToDevice));
    OK(cudaSetDevice(0));
    f.value = 7;
    OK(cudaGraphMemsetNodeSetParams(fill, &f));
    OK(cudaGraphMemcpyNodeSetParams(copy, &c));
    OK(cudaGraphMemcpyNodeSetParams1D(bytes, p + 8, p, 12, cudaMemcpyDefault));
    OK(cudaGraphMemcpyNodeSetParams1D(to, symbol, host, 16, cudaMemcpyHostToDevice));
    OK(cudaGraphMemcpyNodeSetParams1D(from, p + 12, symbol, 16, cudaMemcpyDeviceToDevice));
    OK(cudaGraphInstantiate(&x, g, 0));
    OK(cudaGraphLaunch(x, s));
    OK(cudaStreamSynchronize(s));
    if (lines("fill", 0) || lines("fill", 1) != 1 || lines("copy", 0) || lines("copy", 1) != 4)
        printf("fills %d %d copies %d %d\n", lines("fill", 0), lines("fill", 1), lines("copy", 0), lines("copy", 1)), wrong++;
    int back[16];
    OK(cudaMemcpy(back, p, sizeof back, cudaMemcpyDefault));
    if (back[0] != 7 || back[4] != 7 || back[10] != 7 || back[12] != 1 || back[15] != 4)
        printf("%d %d %d %d %d\n", back[0], back[4], back[10], back[12], back[15]), wrong++;
    printf(wrong ? "FAILED: %d\n" : "PASSED\n", wrong);
    return wrong != 0;
}
