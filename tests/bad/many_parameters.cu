// A parameter list larger than a kernel may have (CUDA C++ programming guide: 4 KB, 32764 bytes since sm_70).
struct big { char bytes[33000]; };

__global__ void take(big b, char *out) { out[0] = b.bytes[32999]; }

int main()
{
    take<<<1, 1>>>(big(), nullptr);
    return cudaGetLastError() == cudaErrorLaunchOutOfResources ? 5 : 0;
}
